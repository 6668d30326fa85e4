"""Round trips: nothing is lost unsaid, and nothing is written where it fails."""

import csv
import dataclasses
import gzip
import json
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clutrr
import sample_files
from clutrr import generate, load_world
from clutrr._data import open_dataset
from clutrr._data.about import describe
from clutrr._data.convert import Target, write_dataset
from clutrr._data.own import FORMATS, open_writer
from clutrr._puzzle import ROLES, Entity, Fact, Puzzle, Sentence
from clutrr._table import WIDE, to_table
from clutrr.errors import ConfigError, DataError, OutputError

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
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
            Sentence(start, end, tuple(draw(st.lists(number, max_size=2))))
            for start, end in pairwise(cuts)
        ),
        possible=draw(st.none() | st.lists(TEXT, max_size=2).map(tuple)),
        outside=draw(st.none() | st.booleans()),
        extra=draw(st.none() | TEXT.filter(bool)),
        question=draw(TEXT.filter(bool)),
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
            if form == "parquet":
                with pytest.raises(DataError, match="a gzipped Parquet file: unpack it first"):
                    clutrr.read(Path(folder) / "zipped")
            else:
                assert clutrr.read(Path(folder) / "zipped") == clutrr.read(path)


@pytest.mark.parametrize("preset", ["published", "described", "sound"])
def test_stories_of_every_preset_are_read_as_v01_and_held(tmp_path: Path, preset: str) -> None:
    """All but the id, the scene and a form that nothing tells is in the sentences."""
    puzzles = list(clutrr.generate(preset, k=3, size=60, seed=3))
    old = tmp_path / "old_train.csv"
    with old.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("story", "summary"), *((p.story, p.abstract) for p in puzzles)]
        )
    back = clutrr.read(old)
    for line, (one, other) in enumerate(zip(puzzles, back, strict=True), 2):
        told = dataclasses.replace(
            one, id=f"old_train-{line}", scene="", possible=None, outside=None
        )
        assert dataclasses.replace(other, entities=()) == dataclasses.replace(told, entities=())
        for was, now in zip(one.entities, other.entities, strict=True):
            assert now in (was, Entity(was.name, ""))
    for form in FORMATS:
        said: list[str] = []
        write_dataset(open_dataset(old), Target.of(tmp_path / form, form), say=said.append)
        assert not said
        assert clutrr.read(tmp_path / form) == back


def test_subsets_and_splits_survive_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(sample_files.V1)
    for form in FORMATS:
        target = Target.of(tmp_path / form, form)
        said: list[str] = []
        write_dataset(open_dataset(tmp_path / "in.csv"), target, say=said.append)
        assert not said
        assert (
            describe(open_dataset(tmp_path / form)).subsets
            == describe(open_dataset(tmp_path / "in.csv")).subsets
        )
    said = []
    write_dataset(
        open_dataset(tmp_path / "in.csv"), Target.of(tmp_path / "one.jsonl", None), say=said.append
    )
    assert set(said) == {
        "subset 1.2 becomes M2",
        "subset 3.2 becomes M2",
        "the split is lost for 2 puzzles",
    }


@pytest.mark.parametrize(("world", "preset"), [("kinship", "sound"), ("directions", "strict")])
def test_what_is_written_keeps_its_world_and_assumption(
    tmp_path: Path, world: str, preset: str
) -> None:
    """Of a sequence, a part of it, and a frame; in folders of every format, and in one Parquet file."""
    made = clutrr.generate(preset, k=2, size=8, world=world)
    verdict = clutrr.audit(made).good_for
    assert f"assuming {made.assume}" in verdict
    for form in FORMATS:
        clutrr.write(made, tmp_path / form, to=form)
    clutrr.write(made[:8], tmp_path / "0.parquet")
    clutrr.write(made.filter(lambda one: one.k == 2), tmp_path / "1.parquet")
    clutrr.write(made.to_pandas(), tmp_path / "2.parquet")
    for path in tmp_path.iterdir():
        back = clutrr.read(path)
        assert (back.world.digest, back.assume) == (made.world.digest, made.assume), path.name
    assert (
        clutrr.audit(tmp_path / "csv").good_for
        == clutrr.audit(tmp_path / "2.parquet").good_for
        == verdict
    )
    said: list[str] = []
    write_dataset(
        open_dataset(tmp_path / "0.parquet"), Target.of(tmp_path / "a.csv", None), say=said.append
    )
    assert said == [f"csv does not name its assumption, {made.assume}: a folder does, and Parquet"]


def test_one_file_of_a_folder_knows_what_its_folder_knew(tmp_path: Path) -> None:
    generate(out=tmp_path / "made", preset="strict", k=2, train=4, test=4, world="kinship-v1")
    (file,) = (tmp_path / "made").glob("data/M2/train*")
    alone = open_dataset(file.rename(tmp_path / "alone.parquet"))
    assert (alone.world.name, alone.origin, alone.assume) == (
        "kinship-v1",
        "named by the data",
        "open",
    )


def test_nothing_is_overwritten_or_left_behind(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(
        sample_files.JSONL + json.dumps(sample_files.OWN | {"k": 2}) + "\n"
    )
    out = tmp_path / "out.csv"
    with pytest.raises(DataError, match="line 2: k: differs from the length of pattern"):
        write_dataset(open_dataset(tmp_path / "in.jsonl"), Target.of(out, None))
    assert [file.name for file in tmp_path.iterdir()] == ["in.jsonl"]
    out.write_text("mine")
    (tmp_path / "in.jsonl").write_text(sample_files.JSONL)
    for force in (False, True):
        with pytest.raises(OutputError, match=r"already holds something else|is not a data file"):
            write_dataset(open_dataset(tmp_path / "in.jsonl"), Target.of(out, None), force)
        assert out.read_text() == "mine"
    out.write_text(sample_files.V01)
    write_dataset(open_dataset(tmp_path / "in.jsonl"), Target.of(out, None), force=True)
    assert clutrr.read(out) == clutrr.read(tmp_path / "in.jsonl")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.jsonl", "out.csv"]


def test_targets() -> None:
    assert Target.of(Path("a.csv"), None).form == "csv"
    assert Target.of(Path("folder"), None).form == "parquet"
    assert Target.of(Path("a.csv"), "v1.0").form == Target.of(Path("a"), "v1.0").form == "v1.0"
    for name, form in (
        ("a.csv", "jsonl"),
        ("a.csv.gz", None),
        ("a", "v2"),
        ("a.jsonl", "v1.0"),
    ):
        with pytest.raises(ConfigError):
            Target.of(Path(name), form)
