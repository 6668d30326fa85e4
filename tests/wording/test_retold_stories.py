"""Stories told again: they say the stated facts and nothing else, and the rest of a puzzle stays."""

import dataclasses
import json
import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import clutrr
import sample_files
from clutrr.cli import app
from clutrr.data import open_dataset
from clutrr.data.about import describe
from clutrr.data.convert import WRITTEN, Target, convert, retold, sentences
from clutrr.data.own import FORMATS, open_writer
from clutrr.errors import DataError
from clutrr.puzzle import Fact, Puzzle, to_table
from clutrr.wording.reading import StoryReader
from clutrr.world import load_world

WORLDS = {name: load_world(name) for name in ("kinship", "kinship-v1")}
READERS = {name: StoryReader(world) for name, world in WORLDS.items()}
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="[]"), min_size=1).filter(
    str.strip
)


def written_again(path: Path, out: Path, name: str, form: str | None = None) -> list[Puzzle]:
    convert(retold(open_dataset(path), WORLDS[name]), Target.of(out, form))
    return list(clutrr.read(out))


def without_story(puzzles: list[Puzzle]) -> list[Puzzle]:
    return [dataclasses.replace(puzzle, story="", sentences=()) for puzzle in puzzles]


def test_by_hand(tmp_path: Path) -> None:
    """With one template for each relation there is one way to tell a story."""
    world = WORLDS["kinship-v1"]
    first = {relation: templates[:1] for relation, templates in world.lexicon.templates.items()}
    short = dataclasses.replace(world, lexicon=dataclasses.replace(world.lexicon, templates=first))
    (tmp_path / "in.csv").write_text(sample_files.V1)
    convert(retold(open_dataset(tmp_path / "in.csv"), short), Target.of(tmp_path / "out", None))
    before, after = clutrr.read(tmp_path / "in.csv"), clutrr.read(tmp_path / "out")
    assert [puzzle.story for puzzle in after] == [
        "[Ann]'s aunt is called [Bea]. [Bea]'s son goes by the name [Carl].",
        "[Ann]'s son goes by the name [Dan]. Neighbors know [Eli] as a brother of [Dan]. "
        "Neighbors know [Finn] as a brother of [Ann].",
    ]
    assert without_story(list(after)) == without_story(list(before))


@pytest.mark.parametrize("name", WORLDS)
@given(
    preset=st.sampled_from(["described", "sound"]),
    k=st.integers(2, 5),
    seed=st.integers(0, 99),
)
@settings(max_examples=4)
def test_the_stated_facts_are_read_back(name: str, preset: str, k: int, seed: int) -> None:
    puzzles = list(clutrr.generate(preset, k, 50, seed, world=WORLDS[name]))
    with tempfile.TemporaryDirectory() as folder:
        given_file = Path(folder) / "in.parquet"
        with open_writer(given_file, "parquet", {}) as write:
            write(to_table(puzzles))
        after = written_again(given_file, Path(folder) / "out.parquet", name)
    assert without_story(after) == without_story(puzzles)
    for puzzle in after:
        reading = READERS[name].read(puzzle.story)
        assert reading.facts == puzzle.facts
        assert len(reading.sentences) == len(puzzle.facts)


@given(st.data(), st.integers())
@settings(max_examples=100)
def test_whatever_people_are_called(data: st.DataObject, seed: int) -> None:
    relations = st.sampled_from(WORLDS["kinship-v1"].relations)
    facts = data.draw(st.lists(st.builds(Fact, NAMES, relations, NAMES), min_size=1, max_size=5))
    story = " ".join(sentences(facts, WORLDS["kinship-v1"], Random(seed)))
    reading = READERS["kinship-v1"].read(story)
    assert (list(reading.facts), reading.unread) == (facts, ())


@pytest.mark.parametrize("known", sample_files.TEXTS)
@pytest.mark.parametrize("form", FORMATS)
def test_any_data_that_is_read(tmp_path: Path, known: str, form: str) -> None:
    (tmp_path / "in").write_text(sample_files.TEXTS[known])
    before = list(clutrr.read(tmp_path / "in"))
    after = written_again(tmp_path / "in", tmp_path / "out", "kinship-v1", form)
    assert sorted(without_story(after), key=repr) == sorted(without_story(before), key=repr)
    for puzzle in after:
        assert READERS["kinship-v1"].read(puzzle.story).facts == puzzle.facts
    assert describe(open_dataset(tmp_path / "out")).subsets == describe(open_dataset(tmp_path / "in")).subsets


def test_v1_holds_retold_stories(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(sample_files.HUB)
    own = written_again(tmp_path / "in.csv", tmp_path / "own.jsonl", "kinship")
    assert written_again(tmp_path / "in.csv", tmp_path / "out.csv", "kinship", "v1.0") == own


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two subsets and two splits, 60 stories each."""
    folder = tmp_path_factory.mktemp("stories")
    sizes = ["--k", "2,3", "--train", "60", "--test", "60", "--force"]
    assert CliRunner().invoke(app, ["generate", str(folder), *sizes]).exit_code == 0
    return folder


@pytest.mark.parametrize("form", WRITTEN)
def test_same_bytes_again(stories: Path, tmp_path: Path, form: str) -> None:
    def content(out: str) -> dict[str, bytes]:
        written_again(stories, tmp_path / out, "kinship", form)
        files = (tmp_path / out).rglob("*.*")
        return {str(f.relative_to(tmp_path / out)): f.read_bytes() for f in files if f.is_file()}

    assert content("first") == content("again")


def test_every_template_is_drawn_by_the_place_of_the_story_alone(stories: Path, tmp_path: Path) -> None:
    whole = {puzzle.id: puzzle.story for puzzle in written_again(stories, tmp_path / "whole", "kinship")}
    for template in WORLDS["kinship"].lexicon.templates["son"]:
        assert max(template.literals, key=len) in " ".join(whole.values())
    (alone,) = (stories / "data" / "M3").glob("test-*")
    found = written_again(alone, tmp_path / "alone.jsonl", "kinship")
    assert len(found) == 60
    assert all(whole[puzzle.id] == puzzle.story for puzzle in found)


def change(**fields: object) -> str:
    """Two puzzles, the second of them with other fields."""
    return sample_files.JSONL + json.dumps(sample_files.OWN | {"id": "second"} | fields) + "\n"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"facts": [["Ann", "uncle", "Bob"]]}, "kinship has no relation 'uncle'; use --wording kinship-v1"),
        ({"facts": [["Ann", "son", "Bob"], ["B]b", "son", "Ann"]]}, "'B]b' cannot be put in square brackets"),
        ({"facts": [["Ann", "son", "Bob"], ["Ann", "son", " "]]}, "' ' cannot be put in square brackets"),
    ],
)
def test_what_cannot_be_retold(tmp_path: Path, fields: dict[str, object], message: str) -> None:
    (tmp_path / "in_test.jsonl").write_text(change(**fields))
    with pytest.raises(DataError) as raised:
        written_again(tmp_path / "in_test.jsonl", tmp_path / "out", "kinship")
    told = str(raised.value)
    assert told.startswith(f"{tmp_path / 'in_test.jsonl'}, puzzle 'second' (number 2 of M1 test): ")
    assert message in told
    assert "\n" not in told
    assert [file.name for file in tmp_path.iterdir()] == ["in_test.jsonl"]


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(sample_files.V1)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["convert", str(tmp_path / "in.csv"), *arguments])
        assert result.exit_code == 0
        return result.stdout

    out = [str(tmp_path / name) for name in "abc"]
    assert json.loads(run(out[0], "--json"))["wording"] is None
    told = json.loads(run(out[1], "--wording", "kinship-v1", "--json"))
    assert (told["wording"], told["rows"]) == ("kinship-v1", 2)
    assert clutrr.read(out[1]) == written_again(tmp_path / "in.csv", tmp_path / "d", "kinship-v1")
    assert "2 puzzles in the words of kinship-v1" in run(out[2], "--wording", "kinship-v1")


def test_the_published_v1_folder(repository: Path, tmp_path: Path) -> None:
    """Subsets, splits and labels stay, every fact is told, and a model trains and answers on it."""
    folder = repository / ".." / "shared" / "published" / "v1.0" / "data_089907f8"
    if not folder.is_dir():
        pytest.skip("the published files are not at hand (../shared/published)")
    out, run = tmp_path / "out", tmp_path / "run"
    puzzles = written_again(folder, out, "kinship-v1", "parquet")
    assert all(READERS["kinship-v1"].read(puzzle.story).facts == puzzle.facts for puzzle in puzzles)
    about, before = describe(open_dataset(out)), describe(open_dataset(folder))
    assert (about.rows, about.subsets, about.labels) == (before.rows, before.subsets, before.labels)
    assert len(about.labels) == 18
    train = ["train", str(out), str(run), "--model", "gnn", "--k", "2-3", "--epochs", "1", "--device", "cpu"]
    assert CliRunner().invoke(app, train).exit_code == 0
    result = CliRunner().invoke(app, ["evaluate", str(run), str(out), "--json"])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert told["n"] == {subset: splits["test"] for subset, splits in before.subsets.items()}
    assert told["unknown"] == {"words": 0, "targets": 0}
