"""Frozen test sets: the same puzzles for ever, known again wherever they are."""

import hashlib
import json
from dataclasses import replace

import pytest

import clutrr
from clutrr._data import frozen
from clutrr.errors import ConfigError, DataError
from clutrr.theory import WORLDS

QUICK = ("order", "time", "regions", "directions", "order-de")
NAME = "clutrr-2026-order"
SETS = [name.removeprefix("clutrr-2026-") for name in frozen.frozen_sets()]


def checksum(puzzles):
    """The checksum of puzzles as the docs say it, worked out with nothing of ours."""
    rows = []
    for one in puzzles:
        content = [one.id, one.story, one.question, list(one.query), one.target]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        rows.append(hashlib.sha256(text.encode()).hexdigest())
    return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()


def check(world):
    name = f"clutrr-2026-{world}"
    known = frozen.frozen_sets()[name]
    puzzles = clutrr.generate(set=name)
    assert len(puzzles) == 900
    for k in range(2, 11):
        of_k = [one for one in puzzles if one.k == k]
        assert checksum(of_k) == known.checksums[f"M{k}"]
    told = sum(one.target != "cannot be told" for one in puzzles)
    assert 0.7 < told / 900 < 0.8


@pytest.mark.parametrize("world", QUICK)
def test_a_set_comes_out_as_it_was_frozen(world):
    check(world)


@pytest.mark.slow
@pytest.mark.parametrize("world", sorted({*SETS} - {*QUICK}))
def test_a_large_set_comes_out_as_it_was_frozen(world):
    check(world)


def test_worlds_have_one_each():
    assert {"kinship", "kinship-v1", "kinship-de", "kinship-zh", *QUICK} <= {*SETS} <= {*WORLDS}
    for name, one in frozen.frozen_sets().items():
        assert name == f"clutrr-2026-{one.settings['world']}"
        assert len({*one.checksums.values()}) == 9


def test_the_folder_and_its_canary(tmp_path, run):
    out = tmp_path / "set"
    code, printed, _ = run("generate", str(out), "--set", NAME)
    assert code == 0
    assert f"This is {NAME}, as it was frozen." in printed
    canary = frozen.frozen_sets()[NAME].canary
    assert canary in (out / "README.md").read_text()
    read = clutrr.read(out)
    in_memory = {one.id: one for one in clutrr.generate(set=NAME)}
    assert {one.id: one for one in read} == in_memory
    for one in (*read, *clutrr.generate(set=NAME)[:5]):
        assert json.loads(one.extra) == {"set": NAME, "canary": canary}
    again = tmp_path / "again"
    clutrr.generate(set=NAME, out=again, workers=2)
    for file in sorted(out.rglob("*.parquet")):
        assert file.read_bytes() == (again / file.relative_to(out)).read_bytes()


def test_a_set_that_comes_out_otherwise_is_refused(tmp_path, monkeypatch):
    known = frozen.frozen_sets()[NAME]
    other = replace(known, checksums={**known.checksums, "M7": "0" * 64})
    monkeypatch.setattr(frozen, "frozen_sets", lambda: {NAME: other})
    for out in ({}, {"out": tmp_path / "set"}):
        with pytest.raises(DataError, match="M7 comes out otherwise than it was frozen"):
            clutrr.generate(set=NAME, **out)
    assert not (tmp_path / "set").exists()


def test_what_a_set_fixes_cannot_be_given_too(tmp_path):
    with pytest.raises(ConfigError, match="set: 'clutrr-1999' is not one of clutrr-2026-kinship"):
        clutrr.generate(set="clutrr-1999")
    for wrong in ({"k": 3}, {"seed": 4}, {"distractors": 1}, {"world": "time"}, {"size": 3}):
        with pytest.raises(ConfigError, match="a frozen set fixes it"):
            clutrr.generate(set=NAME, **wrong)
    assert clutrr.generate(set=NAME, k="3-6", seed=0, world="kinship")[0].k == 2


@pytest.mark.parametrize("form", ["folder", "csv", "jsonl", "shuffled", "one length"])
def test_it_is_known_again(tmp_path, form):
    """In every format, in any order; of some of its lengths, these are named."""
    puzzles = clutrr.generate(set=NAME)
    data = tmp_path / "set"
    if form == "folder":
        clutrr.generate(set=NAME, out=data)
    elif form == "one length":
        clutrr.write(puzzles.filter(lambda one: one.k == 4), data)
    else:
        data = tmp_path / f"set.{form if form != 'shuffled' else 'parquet'}"
        order = sorted(puzzles, key=lambda one: hash(one.story)) if form == "shuffled" else puzzles
        clutrr.write(list(order), data)
    read = clutrr.read(data)
    found = clutrr.score(data, {one.id: one.target for one in read})
    expected = f"M4 of {NAME}" if form == "one length" else NAME
    assert found.questions["set"] == expected
    assert clutrr.info(data).figures.frozen == expected


def test_other_stories_are_no_set():
    puzzles = clutrr.generate(world="order", k=2, size=20, split="test")
    found = clutrr.score(puzzles, {one.id: one.target for one in puzzles})
    assert "set" not in found.questions
    changed = [*clutrr.generate(set=NAME)]
    changed[5] = replace(changed[5], story=changed[5].story + " ")
    told = clutrr.score(changed, {one.id: one.target for one in changed})
    assert "set" not in told.questions or "M2" not in told.questions["set"]


def test_results_that_can_be_sent_name_the_set_and_the_checksum(tmp_path, run):
    pytest.importorskip("matplotlib")
    data, answers = tmp_path / "set", tmp_path / "mine.jsonl"
    clutrr.generate(set=NAME, out=data)
    lines = [{"id": one.id, "answer": one.target} for one in clutrr.read(data)]
    answers.write_text("\n".join(map(json.dumps, lines)))
    code, printed, _ = run("score", str(data), str(answers), "--to", str(tmp_path / "page"))
    assert code == 0
    assert NAME in printed
    (result,) = json.loads((tmp_path / "page/table.json").read_text())["results"]
    assert result["questions"]["set"] == NAME
    assert result["questions"]["checksum"] == clutrr.info(data).figures.checksum
    code, printed, told = run(
        "report", str(tmp_path / "page/table.json"), "--to", str(tmp_path / "board")
    )
    assert code == 0, told
    assert NAME in printed
