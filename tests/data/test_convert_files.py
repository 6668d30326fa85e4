"""Round trips: what convert says is lost is just what is lost, and nothing is written where it fails."""

import ast
import csv
import dataclasses
import gzip
import json
import re
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clutrr
import sample_files
from clutrr.data import open_dataset
from clutrr.data.convert import Target, convert
from clutrr.data.own import FORMATS, open_writer
from clutrr.errors import ConfigError, DataError, OutputError
from clutrr.puzzle import ROLES, Entity, Fact, Puzzle, Sentence
from clutrr.table import CONTENT, WIDE, to_table
from clutrr.wording import StoryReader
from clutrr.world import load_world

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAMES = st.sampled_from(["Ann", "Bob", "Cia Lee", "D'or", 'E"f', "Ümit", "G,h", "I:j"]) | TEXT
WORDS = load_world("kinship-v1").relations
KINDS = [kind.name for kind in load_world("kinship-v1").kinds]


@st.composite
def any_puzzles(draw: st.DrawFn) -> Puzzle:
    """Whatever the record can hold."""
    pattern = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    walk = draw(st.lists(TEXT, min_size=len(pattern) + 1, max_size=len(pattern) + 1))
    facts = [Fact(a, draw(st.sampled_from(WORDS)), b) for a, b in pairwise(walk)]
    facts = [
        Fact(tail, word, head) if draw(st.booleans()) else Fact(head, word, tail)
        for head, word, tail in facts
    ]
    facts += draw(st.lists(st.builds(Fact, TEXT, st.sampled_from(WORDS), TEXT), max_size=2))
    story = draw(TEXT)
    cuts = sorted(draw(st.sets(st.integers(0, len(story)), max_size=4)))
    number = st.integers(0, len(facts) - 1)
    return Puzzle(
        id=draw(TEXT),
        story=story,
        abstract=draw(TEXT),
        query=(walk[0], walk[-1]),
        target=draw(st.sampled_from(WORDS)),
        k=len(pattern),
        pattern=tuple(pattern),
        facts=tuple(facts),
        entities=tuple(draw(st.lists(st.builds(Entity, TEXT, TEXT), max_size=3))),
        scene=draw(TEXT),
        roles=tuple(draw(st.sampled_from(ROLES)) for _ in facts),
        sentences=tuple(
            Sentence(start, end, tuple(draw(st.lists(number, max_size=2)))) for start, end in pairwise(cuts)
        ),
        possible=draw(st.none() | st.lists(TEXT, max_size=2).map(tuple)),
        outside=draw(st.none() | st.booleans()),
        extra=draw(st.none() | TEXT.filter(bool)),
        question=draw(TEXT.filter(bool)),
    )


@st.composite
def kin_puzzles(draw: st.DrawFn) -> Puzzle:
    """Facts along a path, and sentences that may or may not say them."""
    names = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    relations = draw(st.lists(st.sampled_from(WORDS), min_size=len(names) - 1, max_size=len(names) - 1))
    facts = [Fact(a, r, b) for a, r, b in zip(names, relations, names[1:], strict=False)]
    target = draw(st.sampled_from(WORDS))
    meaning = load_world("kinship-v1").meaning
    shape = st.sampled_from(["[{2}] is [{0}]'s {1}.", "[{0}] has a {1} called [{2}].", "[{0}] met [{2}]."])
    sentences = [draw(shape).format(*fact) for fact in draw(st.permutations(facts))]
    genders = st.sampled_from(["female", "male", ""])
    return Puzzle(
        id=draw(st.sampled_from(["M2-test-0", "x"]) | TEXT),
        story=" ".join([*sentences, draw(TEXT)]),
        abstract=draw(shape).format(names[0], target, names[-1]),
        query=(names[0], names[-1]),
        target=target,
        k=len(facts),
        pattern=tuple(meaning[fact.relation][0].name for fact in facts),
        facts=tuple(facts),
        entities=tuple(Entity(name, draw(genders)) for name in names),
        scene=draw(st.sampled_from(["", "f"])),
        roles=("path",) * len(facts),
    )


def write(path: Path, form: str, puzzles: list[Puzzle]) -> None:
    with open_writer(path, form, {}, WIDE) as write_table:
        write_table(to_table(puzzles))


@given(st.lists(any_puzzles(), min_size=1, max_size=4))
@settings(max_examples=15)
def test_our_formats_hold_every_puzzle(puzzles: list[Puzzle]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for form in FORMATS:
            path = Path(folder) / form
            write(path, form, puzzles)
            # Reading gathers by subset and split.
            assert sorted(map(repr, clutrr.read(path))) == sorted(map(repr, puzzles))
            (Path(folder) / "zipped").write_bytes(gzip.compress(path.read_bytes()))
            assert clutrr.read(Path(folder) / "zipped") == clutrr.read(path)


def lost(said: list[str]) -> dict[str, int]:
    """In how many puzzles each field is said to be lost."""
    found = [re.search(r"cannot hold `(\w+)` as it is in (\d+) of", loss) for loss in said]
    return {match[1]: int(match[2]) for match in found if match}


@given(st.lists(kin_puzzles(), min_size=1, max_size=3))
@settings(max_examples=40)
def test_just_what_is_said_is_lost(puzzles: list[Puzzle]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        given_file, out = Path(folder) / "given_test.jsonl", Path(folder) / "out_test.csv"
        write(given_file, "jsonl", puzzles)
        said: list[str] = []
        try:
            convert(open_dataset(given_file), Target.of(out, "v1.0"), say=said.append)
        except DataError:
            assert not out.exists()
            return
        puzzles = list(clutrr.read(given_file))
        back = clutrr.read(out)
        assert len(back) == len(puzzles)
        changed: Counter[str] = Counter()
        for puzzle, other in zip(puzzles, sorted_like(puzzles, back), strict=True):
            changed.update(name for name in CONTENT if getattr(puzzle, name) != getattr(other, name))
        assert changed == lost(said)


def sorted_like(puzzles: list[Puzzle], back: list[Puzzle]) -> list[Puzzle]:
    """Files are read subset by subset: the order in which the stories were written."""
    left = list(back)
    found = []
    for puzzle in puzzles:
        same = next(p for p in left if (p.story, p.abstract) == (puzzle.story, puzzle.abstract))
        left.remove(same)
        found.append(same)
    return found


@pytest.mark.parametrize("preset", ["published", "described", "sound"])
def test_stories_of_every_preset_are_read_as_v01_and_held(tmp_path: Path, preset: str) -> None:
    """All but the id, the scene and a form that nothing tells is in the sentences."""
    puzzles = [
        dataclasses.replace(puzzle, id=f"M3-train-{i}", scene="", possible=None, outside=None)
        for i, puzzle in enumerate(clutrr.generate(preset, k=3, size=60, seed=3))
    ]
    old = tmp_path / "old_train.csv"
    with old.open("w", newline="") as file:
        csv.writer(file).writerows([("story", "summary"), *((p.story, p.abstract) for p in puzzles)])
    back = clutrr.read(old)
    assert [dataclasses.replace(p, entities=()) for p in back] == [
        dataclasses.replace(p, entities=()) for p in puzzles
    ]
    for one, other in zip(puzzles, back, strict=True):
        for was, now in zip(one.entities, other.entities, strict=True):
            assert now in (was, Entity(was.name, ""))
    for form in (*FORMATS, "v1.0"):
        said: list[str] = []
        convert(open_dataset(old), Target.of(tmp_path / form, form), say=said.append)
        assert not lost(said)
        assert clutrr.read(tmp_path / form) == back


@pytest.mark.parametrize(
    ("noise", "task"),
    [
        ({}, 1),
        ({"supporting": 2}, 2),
        ({"irrelevant": 2}, 3),
        ({"disconnected": 1}, 4),
        ({"supporting": 2, "irrelevant": 2, "disconnected": 2}, 5),
    ],
)
@pytest.mark.parametrize("style", ["sentences", "prose"])
def test_noise_goes_to_v1_and_back(tmp_path: Path, noise: dict[str, int], task: int, style: str) -> None:
    """The task's number says the role, the columns hold the facts beyond the path, and reading finds both."""
    puzzles = list(clutrr.generate(k=3, size=12, seed=9, distractors=1, style=style, noise=noise))
    write(tmp_path / "in.jsonl", "jsonl", puzzles)
    said: list[str] = []
    convert(open_dataset(tmp_path / "in.jsonl"), Target.of(tmp_path / "out", "v1.0"), say=said.append)
    assert set(lost(said)) == {"scene"}
    (file,) = (tmp_path / "out").glob("*.csv")
    rows = list(csv.DictReader(file.read_text().splitlines(keepends=True)))
    assert {row["task_name"] for row in rows} == {f"task_{task}.3"}
    back = clutrr.read(tmp_path / "out")
    for puzzle, other, row in zip(puzzles, back, rows, strict=True):
        assert (other.facts, other.roles, other.entities) == (puzzle.facts, puzzle.roles, puzzle.entities)
        assert len(ast.literal_eval(row["edge_types"])) == 3 + sum(noise.values())
        clean = row["clean_story"]
        if clean or style == "sentences":
            assert sorted(StoryReader(load_world()).read(clean).facts) == sorted(puzzle.facts[:3])
    # From there to our own format and to v1 again nothing is lost.
    convert(open_dataset(tmp_path / "out"), Target.of(tmp_path / "ours", "parquet"))
    convert(open_dataset(tmp_path / "ours"), Target.of(tmp_path / "again", "v1.0"))
    (again,) = (tmp_path / "again").glob("*.csv")
    assert list(csv.DictReader(again.read_text().splitlines(keepends=True))) == rows


def test_subsets_and_splits_survive_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(sample_files.V1)
    for form in FORMATS:
        target = Target.of(tmp_path / form, form)
        said: list[str] = []
        convert(open_dataset(tmp_path / "in.csv"), target, say=said.append)
        assert not said
        from clutrr.data.about import describe

        assert (
            describe(open_dataset(tmp_path / form)).subsets
            == describe(open_dataset(tmp_path / "in.csv")).subsets
        )
    said = []
    convert(open_dataset(tmp_path / "in.csv"), Target.of(tmp_path / "one.jsonl", None), say=said.append)
    assert said == [
        "subset 1.2 becomes M2",
        "subset 3.2 becomes M2",
        "the split is lost for 2 puzzles",
    ]


def test_nothing_is_overwritten_or_left_behind(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(sample_files.JSONL + json.dumps(sample_files.OWN | {"k": 2}) + "\n")
    out = tmp_path / "out.csv"
    with pytest.raises(DataError, match="line 2: k: differs from the length of pattern"):
        convert(open_dataset(tmp_path / "in.jsonl"), Target.of(out, None))
    assert [file.name for file in tmp_path.iterdir()] == ["in.jsonl"]
    out.write_text("mine")
    (tmp_path / "in.jsonl").write_text(sample_files.JSONL)
    for force in (False, True):
        with pytest.raises(OutputError, match=r"already holds something else|was not made by clutrr"):
            convert(open_dataset(tmp_path / "in.jsonl"), Target.of(out, None), force)
        assert out.read_text() == "mine"
    out.write_text(sample_files.V01)
    convert(open_dataset(tmp_path / "in.jsonl"), Target.of(out, None), force=True)
    assert clutrr.read(out) == clutrr.read(tmp_path / "in.jsonl")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.jsonl", "out.csv"]


def test_targets() -> None:
    assert Target.of(Path("a.csv"), None).form == "csv"
    assert Target.of(Path("a.csv.gz"), "v1.0").form == "v1.0"
    assert Target.of(Path("folder"), None).form == "parquet"
    for name, form in (
        ("a.csv", "jsonl"),
        ("a.parquet.gz", None),
        ("a", "v2"),
        ("a.parquet", "v1.0"),
        ("a", "v0.1"),
    ):
        with pytest.raises(ConfigError):
            Target.of(Path(name), form)
