"""The audit: what it says of the published files, of each preset, and of data with planted faults."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import commands
from clutrr import generate, load_world
from clutrr._audit import examine, questions
from clutrr._audit.lookups import Rules
from clutrr._audit.rows import collect
from clutrr._data import open_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._puzzle import Entity, Puzzle
from clutrr._table import to_table
from clutrr.theory.kinship.drawing.families import enumerate_patterns
from made import told


def made(folder: Path, **settings: object) -> Path:
    generate_folder(
        Job(folder, Config(**{"train": 300, "test": 100, "distractors": 1, **settings}))
    )  # type: ignore[arg-type]
    return folder


def test_published_files(published, tmp_path):
    """Every target is proved and entailed under both assumptions, but patterns and labels are few."""
    found = commands.told("audit", published / "v0.1", "--rows", tmp_path / "rows.jsonl")
    about = {
        "world": "world kinship (known by its format)",
        "judged_by": "text",
        "assume": ["tree", "open"],
    }
    fitted = {
        "fitted_on": "every second row of the same subset, as no row is for training",
        "skipped": [],
    }
    assert (about | fitted).items() <= found.items()
    groups = [splits["test"] for splits in found["subsets"].values()]
    assert [len(group["patterns"]) for group in groups] == [4, 3, 2, 1]
    verdicts = "\n".join(found["verdicts"])
    assert "M5: holds 2 labels only: grandson, granddaughter." in verdicts
    assert "M6: holds 1 pattern only" in verdicts
    cells = {(cell["train"], cell["test"]): cell for cell in found["matrix"]}
    assert cells["M4", "M5"]["longest known ending"] == pytest.approx(51.8)
    assert cells["M3", "M5"]["longest known ending"] == 0
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert Counter(row["subset"] for row in rows) == {f"M{k}": 500 for k in (3, 4, 5, 6)}
    for row in rows:
        assert (row["split"], row["text"], row["unread"]) == ("test", "agrees", [])
        proved = {"finding": "proved", "entailed": True, "possible": [row["target"]]}
        assert row["verdicts"] == [{"assume": assume, **proved} for assume in ("tree", "open")]


def test_look_ups_fitted_on_training_sets(tmp_path):
    """Fitted on one length they are those of the data itself; on several, those of both together."""
    data = open_dataset(made(tmp_path / "data", k=(2, 3)))
    every = questions(data, "train")
    alone = {f"M{k}": {one: n for one, n in every.items() if one.k == k} for k in (2, 3)}
    assert {name: sum(known.values()) for name, known in alone.items()} == {"M2": 300, "M3": 300}
    own = examine(data).matrix
    assert examine(data, training_sets=alone).matrix == [
        cell for cell in own if cell["train"] in alone
    ]
    pooled = examine(data, training_sets={"M2-3": every}).matrix
    assert [(cell["train"], cell["test"]) for cell in pooled] == [("M2-3", "M2"), ("M2-3", "M3")]
    tested = [puzzle for puzzle in data.puzzles() if puzzle.id.startswith("M3-test")]
    known = {question.target for question in every}
    share = 100 * sum(puzzle.target in known for puzzle in tested) / len(tested)
    assert pooled[1]["label known"] == pytest.approx(share, abs=0.05)
    assert [{**cell, "train": "M2 + M3"} for cell in pooled] == own[4:]


@pytest.mark.parametrize("k", [2, 4, 10])
def test_sound_data_has_no_problem(tmp_path, k):
    found = examine(open_dataset(made(tmp_path / "out", k=(k,))))
    assert found.verdicts == found.worst == []
    said = r"good for training and testing: every target is proved, and [\d.]+ % are entailed, assuming tree\."
    assert re.fullmatch(said, found.good_for)
    (splits,) = found.subsets.values()
    assert all(group.soundness == {"tree": group.soundness["tree"]} for group in splits.values())
    assert splits["test"].soundness["tree"]["proved"] == 100
    assert splits["test"].leaks.scene_in_train == splits["test"].leaks.story_in_train == 0


def test_described_data_is_ambiguous(tmp_path):
    found = examine(open_dataset(made(tmp_path / "out", preset="described", k=(3,), train=2000)))
    share = found.subsets["M3"]["train"].soundness["tree"]
    assert share["proved"] == pytest.approx(82.6, abs=3)
    assert share["entailed"] == pytest.approx(39.7, abs=4)
    assert share["proved"] + share["undetermined"] == pytest.approx(100, abs=0.2)
    doubts = [verdict for verdict in found.verdicts if "more than one possible answer" in verdict]
    assert doubts
    assert all("tree" in verdict or "open" in verdict for verdict in doubts)  # what they rest on


def test_planted_faults_are_found(tmp_path):
    """Wrong targets, a story in both splits, an answer that is stated."""
    folder = tmp_path / "out"
    generate_folder(Job(folder, Config(k=(3,), train=200, test=100, distractors=0), form="jsonl"))
    (train,), (test,) = folder.glob("data/M3/train-*"), folder.glob("data/M3/test-*")
    rows = [json.loads(line) for line in test.read_text().splitlines()]
    for row in rows[:10]:
        row["target"] = "wife" if row["target"] != "wife" else "mother"
    rows[20] = json.loads(train.read_text().splitlines()[0])
    first, last = rows[30]["query"]
    rows[30]["facts"].append([first, rows[30]["target"], last])
    rows[30]["roles"].append("supporting")
    test.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = examine(open_dataset(folder))
    verdicts = "\n".join(found.verdicts)
    assert found.good_for.startswith("good in part: ")
    assert "--only proved --assume tree" in found.good_for
    assert "rule out" in found.worst[0]
    assert set(found.worst) <= set(found.verdicts)  # each sort of problem is there once
    assert "have a target that the facts rule out" in verdicts
    assert "of the rows have their story in train too" in verdicts
    assert "state the queried relation itself" in verdicts


def test_closure_over_bracketings_finds_what_it_should():
    """Shares of all described paths whose answer follows by composing two relations at a time."""
    world = load_world()
    rules, names = Rules(world), [kind.name for kind in world.kinds]
    for k, share in ((3, 68.5), (4, 43.6)):
        found = enumerate_patterns(world.theory.ways, 3, 3, k, "all")
        right = sum(
            paths
            for pattern, target, paths in zip(
                found.patterns, found.targets, found.paths, strict=True
            )
            if rules.derive([tuple(names[kind] for kind in pattern)]) == {names[target]}
        )
        assert 100 * right / found.paths.sum() == pytest.approx(share, abs=0.05)


def puzzle(name: str, chain: str, target: str, story: str | None = None) -> Puzzle:
    """A puzzle from a chain such as "Ann sister Bea mother Cleo"; who is met again stands once in people."""
    meaning = load_world("kinship-v1").meaning
    words = chain.split()
    people, relations = words[::2], words[1::2]
    genders = {
        b: ("female", "male")[meaning[r][1]] for r, b in zip(relations, people[1:], strict=True)
    }
    facts = zip(people, relations, people[1:], strict=False)
    pattern = tuple(meaning[relation][0].name for relation in relations)
    entities = tuple(
        Entity(person, genders.get(person, "female")) for person in dict.fromkeys(people)
    )
    return told(
        story or f"The story {name}.", facts, target, id=name, pattern=pattern, entities=entities
    )


def written(folder: Path, *puzzles: Puzzle) -> Path:
    path = folder / "puzzles.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in to_table(puzzles).to_pylist()))
    return path


def test_every_subset_is_compared_with_all_train(tmp_path):
    train = [
        puzzle("M2-train-0", "Ann son Bob grandmother Cleo", "mother"),
        puzzle("M2-train-1", "Eve son Tom grandmother Liv", "mother-in-law"),
        puzzle("M2-train-2", "Eve son Jim grandmother Liv", "mother"),
        puzzle("M2-train-3", "Eve sister Bea mother Liv", "mother"),
        puzzle("M2-train-4", "Ann son Bob brother Carl", "son"),
    ]
    two = puzzle("M2-test-0", "Eve son Tom grandmother Liv", "mother")
    three = [
        puzzle("M3-test-0", "Ann sister Bea son Bob grandmother Cleo", "mother"),
        puzzle("M3-test-1", "Ann son Bob brother Carl grandmother Dot", "mother"),
        puzzle("M3-test-2", "Ann sister Bea sister Cat mother Cleo", "mother", train[0].story),
        puzzle("M3-test-3", "Ann sister Bea son Bob grandmother Liv", "mother-in-law"),
        puzzle("M3-test-4", "Ann mother Bea mother Cat husband Carl", "grandfather"),
    ]
    found = examine(open_dataset(written(tmp_path, *train, two, *three)))
    in_two, in_three = (found.subsets[name]["test"] for name in ("M2", "M3"))
    assert (in_two.leaks.pattern_in_train, in_three.leaks.pattern_in_train) == (100, 0)
    assert in_three.leaks.story_in_train == 20
    assert in_three.leaks.query_and_answer_in_train == 40
    assert (in_three.leaks.name_pair_in_train, in_three.leaks.names_in_train) == (60, 80)
    assert in_three.leaks.scene_in_train is None  # no row names its scene
    assert found.subsets["M2"]["train"].leaks.story_in_train is None
    assert found.fitted_on == "the training rows of M2 (5)"
    # Ann and Cleo: mother. Ann and Carl: son. Of the others, the most frequent label: mother.
    assert (in_two.shortcuts["the two names"], in_three.shortcuts["the two names"]) == (100, 60)


def test_words_along_a_path_that_meets_somebody_again(tmp_path):
    walk = puzzle("M4-test-0", "Ann brother Bob sister Cat brother Bob son Dan", "son")
    ((_, _, found),) = collect(open_dataset(written(tmp_path, walk)))
    assert found.asked.ends == ("brother", "son")


def test_the_world_is_the_widest_that_any_file_needs(tmp_path):
    written(tmp_path, puzzle("M2-train-0", "Ann mother Bea sister Cat", "aunt")).rename(
        tmp_path / "a.jsonl"
    )
    written(tmp_path, puzzle("M2-test-0", "Ann sister Bea mother Cleo", "mother"))
    assert (
        examine(open_dataset(tmp_path)).world == "world kinship-v1 (5 of 5 relations are its own)"
    )


@pytest.mark.slow
def test_what_train_gives_away_of_the_published_rows(published):
    found = examine(open_dataset(published / "v1.0/data_089907f8"), by_facts=True, assume="tree")
    assert list(found.subsets) == [f"1.{k}" for k in range(2, 11)]
    tested = [splits["test"] for splits in found.subsets.values()]
    leaks = [group.leaks for group in tested]
    assert [one.shorter_path for one in leaks] == [0, 0, 6.8, 24.7, 41.1, 57.6, 59.3, 62.2, 73.1]
    assert [one.pattern_in_train for one in leaks] == [100, 100, *[0] * 7]
    assert [one.name_pair_in_train for one in leaks][:2] == [100, 100]
    names = [group.shortcuts["the two names"] for group in tested]
    assert names[:2] == [100, 93.3]
    assert max(names[2:]) < 20


@pytest.mark.parametrize(
    "arguments",
    [
        ["solve", "--story", "Bob is Ann's son.", "--query", "Ann", "Zoe"],
        ["solve", "--story", "Bob is Ann's son.", "--query", "Ann", "Ann"],
        ["audit", "nowhere"],
        ["audit", "empty.csv"],
        ["audit", "half.csv"],
        ["audit", "latin.csv"],
    ],
)
def test_bad_input_is_one_line(monkeypatch, tmp_path, arguments):
    monkeypatch.chdir(tmp_path)
    Path("empty.csv").write_text("")
    Path("half.csv").write_text("story,summary\n\"[Bob] is [Ann]'s son.")
    Path("latin.csv").write_bytes("story,summary\n[Zoë] is [Ann]'s son.,x\n".encode("latin-1"))
    commands.refused(*arguments)


def test_facts_that_the_text_tells_by_role(tmp_path):
    """Of each role, how many facts the text was read to tell, and how many of those as the columns say."""
    puzzles = [
        replace(puzzle, sentences=())
        for puzzle in generate(
            k=3, size=4, distractors=0, noise={"supporting": 2, "disconnected": 1}
        )
    ]
    first, second, *others = puzzles
    gone, turned = first.facts[-1], second.facts[0]
    sentence = next(
        s for s in first.story.split(". ") if f"[{gone.head}]" in s and f"[{gone.tail}]" in s
    )
    first = replace(
        first, story=first.story.replace(sentence, f"[{gone.head}] waved to [{gone.tail}]")
    )
    relation = "mother" if turned.relation != "mother" else "father"
    second = replace(second, facts=(turned._replace(relation=relation), *second.facts[1:]))
    path = tmp_path / "puzzles.parquet"
    pq.write_table(to_table([first, second, *others]), path)
    (group,) = (group for *_, group in examine(open_dataset(path, "kinship"), assume="tree").groups)
    shares = {role: list(about.values()) for role, about in group.text["roles"].items()}
    assert shares == {  # facts, read, right, not read though only the text states them
        "path": [12, 100.0, 91.7, 0],
        "supporting": [8, 100.0, 100.0, 0],
        "irrelevant": [0, 0.0, 0.0, 0],
        "disconnected": [4, 75.0, 100.0, 0],
    }


def test_the_verdict_comes_first_and_every_problem_last(tmp_path):
    settings = {"preset": "described", "k": (2, 4), "train": 60, "test": 40, "distractors": 0}
    lines = commands.run("audit", made(tmp_path / "out", **settings)).splitlines()
    assert lines[0].startswith(
        "Verdict: good in part: assuming tree, 87.5 % of the 80 questions to test on "
    )
    assert lines[1].endswith("200 rows, made assuming tree")
    first = lines.index("")
    short = [line for line in lines[2:first] if line.startswith("- ")]
    every = [
        line for line in lines[lines.index("Every problem, by subset:") :] if line.startswith("- ")
    ]
    assert f"All {len(every)} problems are listed at the end." in lines[:first]
    assert 0 < len(short) < len(every)
    assert {line.split(": ", 1)[1] for line in short} <= {line.split(": ", 1)[1] for line in every}
