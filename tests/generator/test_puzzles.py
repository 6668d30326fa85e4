"""Sequences of puzzles: sizes, prefixes, slices, splits, lengths, shapes."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import load_world
from clutrr._config import ORDERS
from clutrr._generate import Config, Generator
from clutrr._puzzle import SPLITS
from clutrr._table import from_table, to_table
from clutrr.errors import ConfigError
from made import made

BLOCK = 4096


def test_a_sequence():
    puzzles = made("described", k=2, size=BLOCK + 7, seed=1, distractors=0)
    assert len(puzzles) == len(list(puzzles)) == BLOCK + 7
    assert puzzles[-1] == puzzles[BLOCK + 6]
    assert puzzles[BLOCK - 2 : BLOCK + 2] == [puzzles[i] for i in range(BLOCK - 2, BLOCK + 2)]
    assert puzzles[::-1][0] == puzzles[-1]
    assert len({puzzle.id for puzzle in puzzles}) == BLOCK + 7
    with pytest.raises(IndexError):
        puzzles[BLOCK + 7]
    with pytest.raises(IndexError):
        puzzles[-BLOCK - 8]


def test_the_seed_and_the_split_tell_stories_apart():
    one, same, other, test = (
        made(k=2, size=40, seed=seed, split=split, distractors=2)[:]
        for seed, split in ((6, "train"), (6, "train"), (7, "train"), (6, "test"))
    )
    assert one == same
    for others in (other, test):
        assert not {puzzle.story for puzzle in one} & {puzzle.story for puzzle in others}
    assert not {puzzle.id for puzzle in one} & {puzzle.id for puzzle in test}


@pytest.mark.parametrize("preset", ["sound", "described", "published"])
def test_no_family_is_in_both_splits(preset):
    """By id, and by the people: two families of 53 share some 3 of 1040 names by chance."""
    people = []
    for split in SPLITS:
        found: dict[str, set[str]] = {}
        for puzzle in made(preset, k=4, size=BLOCK, seed=2, split=split, distractors=0):
            found.setdefault(puzzle.scene, set()).update(person.name for person in puzzle.entities)
        assert len(found) > 10
        people.append(found)
    train, test = people
    assert not set(train) & set(test)
    assert max(len(a & b) for a in train.values() for b in test.values()) < 16


@pytest.mark.parametrize(
    ("preset", "k", "shape"),
    [
        ("described", 20, "children=3"),
        *((preset, k, "children=2-4") for preset in ("strict", "mixed") for k in (3, 8)),
        ("sound", 3, "children=2-4"),
        ("sound", 3, "children=2,levels=4"),
        ("described", 3, "children=5,levels=2"),
        ("described", 3, "children=1-3,levels=3"),
        ("sound", 3, "levels=2"),
        ("described", 2, "levels=1"),
        ("described", 2, "children=1"),
    ],
)
def test_shapes_of_families(preset, k, shape):
    puzzles = made(preset, k=k, size=100, seed=3, distractors=0, scene=shape)[:]
    assert len(puzzles) == 100
    for puzzle in puzzles:
        assert len({person.name for person in puzzle.entities}) == k + 1
        for kind, one, other in zip(
            puzzle.pattern, puzzle.entities, puzzle.entities[1:], strict=False
        ):
            assert kind != "SO" or one.form != other.form


def patterns(world, preset, k, train=400, test=100, seed=0):
    config = Config(preset, (k,), train, test, seed, distractors=0, disjoint=("patterns",))
    generator = Generator(config, world)
    return [
        {
            tuple(p)
            for p in generator.block(split, k, 0)["pattern"].to_pylist()[: config.size(split)]
        }
        for split in SPLITS
    ]


@pytest.mark.parametrize(
    ("preset", "k", "seed"),
    [
        ("sound", 2, 0),
        ("sound", 4, 0),
        ("described", 1, 0),
        ("described", 4, 0),
        ("described", 5, 2**64),
        ("described", 5, 2**130),
        ("published", 3, 0),
        ("published", 4, 0),
        *(("published", 5, seed) for seed in range(4)),  # which has two
    ],
)
def test_split_by_patterns(world, preset, k, seed):
    train, test = patterns(world, preset, k, seed=seed)
    assert train
    assert test
    assert not train & test
    assert (preset, k) != ("published", 5) or len(train) == len(test) == 1


@pytest.mark.parametrize(("preset", "k"), [("sound", 1), ("published", 6)])
def test_split_by_patterns_where_there_are_too_few(world, preset, k):
    with pytest.raises(ConfigError, match="one pattern"):
        patterns(world, preset, k)


@pytest.mark.parametrize("k", [2, 4])
def test_patterns_are_divided_in_proportion(world, k):
    train, test = patterns(world, "described", k, train=2000, test=2000)
    assert 0.5 < len(train) / len(test) < 2


@settings(max_examples=3)
@given(st.integers(0, 2**70), st.integers(0, 50))
def test_blocks_are_pure(seed, number):
    world = load_world()
    config = Config("described", (2,), seed=seed, distractors=1)
    one, two = Generator(config, world), Generator(config, world)
    two.block("test", 2, number + 1)  # whatever was made before
    assert one.block("train", 2, number).equals(two.block("train", 2, number))


def test_a_table_gives_the_puzzles_back_whatever_is_missing_in_them():
    full = made("sound", k=2, size=3, seed=2, distractors=1)
    bare = [replace(p, roles=(), sentences=(), possible=None, outside=None) for p in full]
    extra = replace(full[0], extra="{}")
    for puzzles in (full, bare, [*full, *bare], [*bare, extra], []):
        table = to_table(puzzles)
        assert list(from_table(table)) == list(puzzles)
        assert [p.extra for p in from_table(table)] == [p.extra for p in puzzles]
        for at in range(len(table)):
            assert list(from_table(table.slice(at, 2))) == list(puzzles)[at : at + 2]
        rows = [[list(fact) for fact in puzzle.facts] for puzzle in puzzles]
        assert table["facts"].to_pylist() == rows
        people = [[person._asdict() for person in puzzle.entities] for puzzle in puzzles]
        assert table["entities"].to_pylist() == people


@pytest.mark.parametrize(
    ("preset", "settings"),
    [
        ("mixed", {}),
        *(
            ("described", {"style": style, "order": order, **noise})
            for style, order in product(("sentences", "prose"), ORDERS)
            for noise in ({}, {"supporting": 2, "irrelevant": 1, "disconnected": 1})
        ),
    ],
)
def test_the_first_stories_of_a_block_are_those_of_the_whole(world, preset, settings):
    config = Config(preset=preset, k=(3,), train=700, distractors=3, **settings)
    generator = Generator(config, world)
    whole = generator.block("train", 3, 0)
    for rows in (1, 50):
        assert Generator(config, world).block("train", 3, 0, rows) == whole.slice(0, rows)
    generator.check()  # keeps the block that it made
    assert generator.block("train", 3, 0, 700) == whole.slice(0, 700)
    assert generator.block("train", 3, 0) == whole
