"""The file: what is in it, what it refuses, how the command behaves."""

import base64
import gzip
import json
import re
import subprocess
import sys
from itertools import pairwise
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from explore_files import write_data, write_page, write_run

from clutrr import generate
from clutrr._data import open_dataset
from clutrr._explore.page import make_page
from clutrr._explore.pick import pick
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._puzzle import Puzzle
from clutrr._score.predictions import read_predictions
from clutrr._solve import Judge
from clutrr._table import to_table
from clutrr.errors import ConfigError, DataError, OutputError

pytestmark = pytest.mark.process


def unpacked(html: str):
    data = re.search(
        r'<script type="application/json" id="embedded">(.*?)</script>', html, re.DOTALL
    )[1]
    embedded = json.loads(data)
    index, *blocks = (
        json.loads(gzip.decompress(base64.b64decode(packed)))
        for packed in (embedded["index"], *embedded["blocks"])
    )
    return index, [story for block in blocks for story in block]


def test_the_index_is_the_data(page_file, puzzles):
    index, stories = unpacked(page_file.read_text())
    names, columns = index["names"], index["columns"]
    assert [names["target"][i] for i in columns["target"]] == [p.target for p in puzzles]
    assert [names["pattern"][i] for i in columns["pattern"]] == [
        "-".join(p.pattern) for p in puzzles
    ]
    assert [names["subset"][i] for i in columns["subset"]] == [f"M{p.k}" for p in puzzles]
    assert [names["split"][i] for i in columns["split"]] == [p.id.split("-")[1] for p in puzzles]
    assert columns["key"] == [story["id"] for story in stories] == [p.id for p in puzzles]
    for run, n in enumerate((3, 5)):
        given = [names["target"][i] for i in index["answers"][run]]
        assert given == ["aunt" if i % n == 0 else p.target for i, p in enumerate(puzzles)]


def test_the_page_needs_nothing_from_outside(page_file):
    html = page_file.read_text()
    assert "default-src 'none'" in html
    outside = set(re.findall(r"(?:https?:)?//[\w.-]+\.\w+", html.split('id="embedded"')[0]))
    scripts = html.split('id="embedded"')[1].split("</script>", 1)[1]
    assert not outside
    assert set(re.findall(r"https?://[\w.-]+", scripts)) == {"http://www.w3.org"}  # the name of SVG


def test_hostile_text_is_nowhere_in_the_file(hostile_page):
    html = hostile_page.read_text()
    assert html.count("</script>") == 2
    assert "onerror" not in html
    _, stories = unpacked(html)
    assert stories[0]["id"] == "M1-test-<b>&0"


def test_several_processes_make_the_same_page(tmp_path, monkeypatch):
    sample = pick(open_dataset(write_data(tmp_path, list(generate("published", k=3, size=110)))))
    here = make_page(sample)
    monkeypatch.setattr("clutrr._explore.page._FEW", 60)
    assert make_page(sample) == here


def test_stories_that_a_model_answered_are_shown(puzzles, tmp_path):
    data = write_data(tmp_path, puzzles)
    run = read_predictions(write_run(tmp_path / "run", puzzles[20:24], lambda i: False))
    selection = pick(open_dataset(data), {"run": run})
    assert [one.puzzle.id for one in selection.picked] == [puzzle.id for puzzle in puzzles[20:24]]
    assert selection.total == 4


def test_short_stories_come_first(tmp_path):
    generate_folder(
        Job(tmp_path / "data", Config("strict", k=(2, 3, 10), train=0, test=2, distractors=0))
    )
    shown = [one.puzzle.k for one in pick(open_dataset(tmp_path / "data")).picked]
    assert shown == [2, 2, 3, 3, 10, 10]


@pytest.mark.parametrize("limit", [1, 2, 7, 24, 35, 36, 99])
def test_a_sample_is_even(puzzles, tmp_path, limit):
    ids = [puzzle.id for puzzle in puzzles]
    chosen = [
        ids.index(one.puzzle.id)
        for one in pick(open_dataset(write_data(tmp_path, puzzles)), limit=limit).picked
    ]
    assert (chosen[0], len(chosen)) == (0, min(limit, 36))
    gaps = [b - a for a, b in pairwise([*chosen, 36])]
    assert 0 < min(gaps) <= max(gaps) <= 3 * 36 / limit + 1


def test_equal_ids_get_links_of_their_own(puzzles, tmp_path):
    data = tmp_path / "twice.jsonl"
    ids = ["a", "a", "a~2", "a"]
    rows = [
        {**row, "id": number}
        for row, number in zip(to_table(puzzles[:4]).to_pylist(), ids, strict=True)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    index, _ = unpacked(make_page(pick(open_dataset(data))))
    assert len(set(index["columns"]["key"])) == 4
    assert index["columns"]["key"][0] == "a"


def test_answers_of_anybody_are_read(puzzles, tmp_path):
    data = write_data(tmp_path, puzzles[:3])
    answers = tmp_path / "mine.csv"
    answers.write_text(
        f"id,answer\n{puzzles[0].id},It is the {puzzles[0].target}!\n{puzzles[1].id},who knows\n"
    )
    index, _ = unpacked(make_page(pick(open_dataset(data), {"mine": read_predictions(answers)})))
    labels = index["names"]["target"]
    assert [labels[i] for i in index["answers"][0]] == [puzzles[0].target, "who knows"]
    assert (index["about"]["runs"], index["about"]["language"]) == (["mine"], "en")


def test_replies_are_shown_with_their_claims(puzzles, tmp_path):
    """Prompt, reasoning and reply of each question, what became of it, and each claim where it stands."""
    data = write_data(tmp_path, puzzles[:6])
    fact, target = puzzles[0].facts[0], puzzles[0].target
    stated = f"{fact.tail} is {fact.head}'s {fact.relation}"
    wrong = f"{fact.tail} is {fact.tail}'s {fact.relation}"
    said = [
        f"\U0001f600 {stated}. {wrong}.\nAnswer: {target}",
        f"Answer: {'son' if puzzles[1].target != 'son' else 'wife'}",
        "I\u2019m sorry, I can't.",
        "Hm",
        "who knows",
    ]
    lines = [
        {
            "id": puzzle.id,
            "subset": f"M{puzzle.k}",
            "sample": 0,
            "reply": reply,
            "target": puzzle.target,
            "ask": "which",
            "relations": [],
            "finish": "length" if reply == "Hm" else "stop",
            "reasoning": f"{stated}?" if not number else "",
            "messages": [{"role": "user", "content": "What?"}],
        }
        for number, (puzzle, reply) in enumerate(zip(puzzles, said, strict=False))
    ]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    other = write_run(tmp_path / "other", puzzles[5:6], lambda i: False)
    models = {path.name: read_predictions(path) for path in (tmp_path / "said.jsonl", other)}
    index, stories = unpacked(make_page(pick(open_dataset(data), models)))
    assert index["states"][0] == ["right", "wrong", "refused", "truncated", "unread", "no answer"]
    reply, no_other = stories[0]["replies"]
    assert no_other is None
    assert (reply["prompt"], reply["reasoning"]) == (
        "What?",
        [f"{stated}?", [[0, 33, "possible", 0]]],  # a question states nothing
    )
    text, claims = reply["reply"]
    assert [(text[start:end], how, bad) for start, end, how, bad in claims] == [
        (stated, "stated", 0),
        (wrong, "contradicted", 1),
    ]
    assert stories[5]["replies"] == [None, None]


def test_bad_settings_and_files_are_refused(puzzles, tmp_path):
    data = write_data(tmp_path, puzzles[:3])
    with pytest.raises(ConfigError, match="limit"):
        pick(open_dataset(data), limit=0)
    with pytest.raises(DataError, match="holds no answers"):
        read_predictions(tmp_path)
    with pytest.raises(DataError, match="no column"):
        read_predictions(data)
    wrong = [Puzzle(**{**p.__dict__, "target": "uncle"}) for p in puzzles[:3]]
    for given, why in (
        (puzzles[10:], "holds no answer to a story"),
        (wrong, "answers to other stories"),
    ):
        run = read_predictions(write_run(tmp_path / why, given, lambda i: False))
        with pytest.raises(DataError, match=why):
            pick(open_dataset(data), {"run": run})


@pytest.mark.parametrize("folder", ["v0.1", "v1.0", "v1.0-hub", "v1.3"])
def test_published_data_is_shown_with_the_solvers_verdicts(published, folder):
    selection = pick(open_dataset(published / folder), limit=30)
    index, stories = unpacked(make_page(selection))
    for one, verdict, story in zip(
        selection.picked, index["columns"]["verdict"], stories, strict=True
    ):
        judgement = Judge(selection.world, selection.assume).judge(
            one.puzzle.facts, one.puzzle.query, one.puzzle.target
        )
        assert index["names"]["verdict"][verdict].split(",")[0] in (
            judgement.finding.value,
            "unread",
            "proved from what was read",
        )
        assert len(story["facts"]) == len(set(one.puzzle.facts))


def test_only_a_page_is_written_over(puzzles, tmp_path):
    data = write_data(tmp_path, puzzles[:2])
    before = data.read_bytes()
    with pytest.raises(OutputError, match="is not a page"):
        write_page(data, data)
    assert data.read_bytes() == before
    with pytest.raises(OutputError, match="folder"):
        write_page(data, tmp_path)
    page = write_page(data, tmp_path / "new" / "page.html")
    assert write_page(data, page).is_file()
    assert sorted(path.name for path in page.parent.iterdir()) == ["page.html"]


def test_the_command(run, puzzles, tmp_path):
    data, out = write_data(tmp_path, puzzles), tmp_path / "page.html"
    code, printed, _ = run("explore", data, "--out", out, "--limit", 5, "--json")
    content = json.loads(printed)
    assert code == 0
    assert (content["stories"], content["total"], content["bytes"]) == (
        5,
        len(puzzles),
        out.stat().st_size,
    )
    code, _, errors = run("explore", tmp_path / "missing", "--out", tmp_path / "none.html")
    assert (code, errors.count("\n")) == (2, 1)
    assert not (tmp_path / "none.html").exists()


def test_it_serves_the_page_here(puzzles, tmp_path, monkeypatch):
    data = write_data(tmp_path, puzzles[:2])
    words = [sys.executable, "-m", "clutrr", "explore", str(data), "--serve"]
    monkeypatch.setenv("BROWSER", "true")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            assert "2 stories" in process.stdout.readline()
            address = process.stdout.readline().split()[0]
            assert address.startswith("http://127.0.0.1:")
            with urlopen(address) as answer:
                assert answer.read().startswith(b"<!doctype html>")
            with pytest.raises(HTTPError, match="404") as error:
                urlopen(address + "etc/passwd")
            error.value.close()
        finally:
            process.terminate()
    assert not (tmp_path / "explore.html").exists()
