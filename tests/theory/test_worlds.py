"""The worlds of order, time, regions and directions through every command that makes or reads data."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr import load_world
from clutrr._config import Config
from clutrr._generate import Generator
from clutrr._generate.disjoint import sides
from clutrr._puzzle import CANNOT_BE_TOLD, SPLITS
from clutrr._reading import reader_of
from clutrr._solve import Judge
from clutrr._table import SCHEMA, from_table
from clutrr.theory import Finding
from commands import refused, run

WORLDS = ("order", "time", "regions", "directions")


@pytest.fixture(scope="module", params=WORLDS)
def folder(request, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("worlds") / request.param
    settings = ["--k", "2-3", "--routes", "1-2", "--train", 100, "--test", 20, "--seed", 3]
    run("generate", out, "--world", request.param, *settings)
    return out


def stories(name: str, each: int, **settings) -> Iterator[tuple[clutrr._puzzle.Puzzle, Config]]:
    """So many stories of each length to 15."""
    world = load_world(name)
    for k in range(1, 16):
        routes = (1,) if k == 1 else (1, 2, 3)
        generator = Generator(Config("strict", (k,), each, 1, routes=routes, **settings), world)
        found = 0
        while found < each:
            table = generator.block("train", k, found // generator.block_size(k), each - found)
            for puzzle in from_table(table):
                yield puzzle, generator.config
            found += len(table)


def proved_again(name: str, each: int, **settings) -> int:
    """Read every story and judge what its text states; return how many there were."""
    world, count = load_world(name), 0
    reader = reader_of(world)
    judges = {one.name: Judge(world, one.name) for one in world.theory.assumptions}
    for puzzle, config in stories(name, each, **settings):
        reading = reader.read(puzzle.story, [entity.name for entity in puzzle.entities])
        assert not reading.unread, (puzzle.id, reading.unread)
        assert sorted(reading.facts) == sorted(puzzle.facts), puzzle.id
        judgement = judges[config.assume].judge(reading.facts, puzzle.query, puzzle.target)
        assert judgement.finding is Finding.PROVED, (puzzle, judgement)
        assert judgement.entailed
        assert judgement.possible == (puzzle.target,) == puzzle.possible
        count += 1
    return count


NOISE = {"supporting": 2, "irrelevant": 2, "disconnected": 1}


@pytest.mark.parametrize(
    ("name", "settings"),
    [(name, {"distractors": 2}) for name in WORLDS]
    + [
        ("order", {"distractors": 1, **NOISE}),
        ("regions", {"distractors": 1, **NOISE}),
        ("time", {"distractors": 1, "style": "prose", **NOISE}),
        ("directions", {"distractors": 1, "style": "prose", "brackets": False}),
        ("directions", {"distractors": 1, "assume": "unit", **NOISE}),
    ],
)
def test_strict_stories_are_proved_by_their_text(name, settings):
    assert proved_again(name, 14, **settings) == 210


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_ten_thousand_strict_stories_are_proved_by_their_text(name):
    assert proved_again(name, 667, distractors=1) == 10_005


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("preset", ["mixed", "described"])
def test_other_presets(name, preset):
    world = load_world(name)
    judge = Judge(world)
    for k, routes in ((2, 1), (4, "1-3"), (9, 3)):
        for puzzle in clutrr.generate(preset, k, 40, world=world, routes=routes, distractors=0):
            verdict = judge.solver.verdict(puzzle.facts, puzzle.query)
            assert verdict.relations == puzzle.possible
            assert (puzzle.target == CANNOT_BE_TOLD) == (
                preset == "mixed" and len(puzzle.possible) > 1
            )
            assert puzzle.target in (*puzzle.possible, CANNOT_BE_TOLD)


def test_folder_is_read_and_sound(folder, tmp_path):
    world = folder.name
    puzzles = clutrr.read(folder)
    assert len(puzzles) == 240
    assert pq.read_schema(next((folder / "data" / "M2").iterdir())).names == SCHEMA.names
    result = clutrr.audit(folder)
    assert not [problem for problem in result.verdicts if "pattern" not in problem]
    assert all(
        found == {"proved": 100.0, "entailed": 100.0}
        for *_, group in result.groups
        for found in (
            {name: group.soundness[result.assume[0]][name] for name in ("proved", "entailed")},
        )
    )
    assert all("form, majority kind" not in (group.shortcuts or {}) for *_, group in result.groups)
    about = json.loads(run("info", folder, "--json"))
    assert set(about["labels"]) <= set(load_world(world).relations)
    for name in ("all.csv", "all.jsonl", "all.parquet"):
        run("convert", folder, tmp_path / name)
        assert clutrr.read(tmp_path / name, world=world) == puzzles
    run("convert", folder, tmp_path / "kept", "--only", "entailed")
    assert len(clutrr.read(tmp_path / "kept")) == len(puzzles)
    run("explore", folder, "--out", tmp_path / "page.html", "--limit", 20)


def test_card_says_what_cannot_be_asked(folder):
    card = (folder / "README.md").read_text()
    assert "M2, M3: with one route, no question with one answer has the target" in card
    assert ("one of the routes proves the target by itself in" in card) == (
        folder.name != "directions"
    )
    assert "there are 1 or 2 routes" in card


def test_wording_is_learnt_by_the_facts_of_sentences(folder, tmp_path):
    learnt = json.loads(run("learn-world", folder, tmp_path / "learnt", "--json"))
    templates = load_world(folder.name).lexicon.templates
    for relation, texts in learnt["templates"].items():
        assert set(texts) <= {template.text for template in templates[relation]}
    assert not learnt["left_out"]
    assert set(learnt["borrowed"]) <= {"coincides with"}
    run(
        "generate",
        tmp_path / "more",
        "--world",
        tmp_path / "learnt",
        "--k",
        3,
        "--train",
        20,
        "--test",
        0,
    )


@pytest.mark.parametrize("name", ["time", "directions"])
def test_prose_of_train_and_test_shares_no_phrase(name):
    world = load_world(name)
    divided = sides(
        replace(Config(), style="prose", disjoint=("wordings",)).for_world(world), world
    )
    train, test = (divided[split].lexicon.prose for split in SPLITS)
    for one, other in ((train.words, test.words), (train.turned, test.turned)):
        for relation in world.relations:
            assert one[relation], relation
            assert other[relation], relation
            assert not set(one[relation]) & set(other[relation])


@pytest.mark.parametrize("name", WORLDS)
def test_patterns_divided(name, tmp_path):
    settings = ["--k", "2,4,9", "--routes", "1-3", "--train", 120, "--test", 80, "--distractors", 0]
    run(
        "generate",
        tmp_path / "out",
        "--world",
        name,
        *settings,
        "--disjoint",
        "patterns,wordings,names",
    )
    both = {
        split: {
            (puzzle.k, puzzle.pattern)
            for puzzle in clutrr.read(tmp_path / "out")
            if split in puzzle.id
        }
        for split in SPLITS
    }
    assert not both["train"] & both["test"]
    assert min(map(len, both.values())) > 20


def test_one_fact_has_one_route():
    """Whatever the number of routes, a fact that states the answer is all that a question of one fact has."""
    mixed = clutrr.generate("strict", (1, 2), world="regions", routes=(2, 3), size=60, seed=4)
    assert {(puzzle.k, len(puzzle.routes)) for puzzle in mixed} == {(1, 1), (2, 2), (2, 3)}
    stream = clutrr.stream("strict", (1, 2), world="regions", routes=(2, 3), seed=4)
    assert [(puzzle.k, len(puzzle.routes)) for puzzle in stream[:6]] == [(1, 1), (2, 2), (2, 3)] * 2
    assert all(
        one.target == clutrr.solve(one.story, one.query, world="regions").answer
        for one in mixed[::7]
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["--world", "order", "--style", "prose"], "style: world 'order' has no prose.yaml"),
        (["--world", "regions", "--no-brackets"], "brackets: only prose can do without them"),
        (
            ["--world", "time", "--preset", "sound"],
            "preset: 'sound' is not one of strict, mixed, described",
        ),
        (["--world", "time", "--assume", "unit"], "assume: 'unit' is not one of line"),
        (["--world", "time", "--k", "60", "--routes", 3], "but world 'time' has 128 names"),
        (["--world", "time", "--routes", 9], "routes: 9 is above 8"),
        (["--world", "time", "--scene", "levels=3"], "scene"),
        (
            ["--world", "directions", "--assume", "unit", "--preset", "mixed"],
            "no question of M3 has several possible answers, assuming unit",
        ),
        (["--routes", 2], "routes: the questions of theory kinship have one route"),
    ],
)
def test_wrong_settings(settings, said, tmp_path):
    assert said in refused("generate", tmp_path / "out", "--train", 10, "--test", 10, *settings)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "story", "query", "conflict"),
    [
        ("order", "[A] is older than [B]. [B] is older than [C]. [C] is older than [A].", "A C", 3),
        (
            "time",
            "[Gala] took place during [Fair]. [Fair] took place during [Gala].",
            "Gala Fair",
            2,
        ),
        (
            "directions",
            "[Mill] is north of [Inn]. [Inn] is north of [Mill]. [Inn] is east of [Fort].",
            "Inn Mill",
            2,
        ),
    ],
)
def test_smallest_conflict_is_named(name, story, query, conflict):
    solution = clutrr.solve(story, tuple(query.split()), world=name)
    assert solution.status is Finding.CONTRADICTORY
    assert len(solution.explanation.conflict) == conflict
    assert str(solution).startswith("These facts cannot all hold:")


def test_data_without_text_is_judged_by_its_facts(tmp_path):
    rows = ['"[(0, 1), (1, 2)]","[\'DC\', \'NTPPI\']","(0, 2)",DC\n'] * 2
    path = tmp_path / "test_rcc8.csv"
    path.write_text("edges,edge_labels,query_edge,query_label\n" + "".join(rows))
    told = run("audit", path, "--facts")
    assert "No text: judged by facts." in told
    assert "state other facts" not in told
    assert "50 % of the questions are there twice." in told
    assert run("audit", path) == told
