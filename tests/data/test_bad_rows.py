"""Rows that cannot be read: a finding of the audit, and left out, never silently, by every other command."""

import csv
import json

import pytest

import clutrr
from clutrr.errors import DataError, RowError

GOOD = [
    ("Bob is Ann's son. Carl is Bob's brother.", "What is Carl to Ann?", "son"),
    ("Dan is Eve's brother. Flo is Dan's daughter.", "What is Flo to Eve?", "niece"),
    ("Gus is Hal's father. Ian is Gus's father.", "What is Ian to Hal?", "grandfather"),
    ("Jil is Kim's mother. Leo is Jil's husband.", "What is Leo to Kim?", "father"),
]
BAD = [
    ("Bob is Ann's son. Carl is Bob's brother.", "What is Xavier to Ann?", "son"),
    ("Bob is Ann's son. Carl is Bob's brother.", "What is Zoe to Ann?", "son"),
    ("Bob is Ann's son. Carl is Bob's brother.", "What is Carl to Ann?", "cousin"),
]
NAMES = ("story", "question", "answer")


def rows(some, split="test"):
    return [{**dict(zip(NAMES, row, strict=True)), "split": split} for row in some]


def write_as(form, path, some):
    """The rows as a file of some format, one of them no row at all."""
    if form == "csv":
        with path.open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow([*NAMES, "split"])
            out.writerows([*row.values()] for row in some)
            out.writerow(["too", "few"])
    else:
        lines = [json.dumps(row) for row in some]
        lines.insert(1, json.dumps([1, 2]) if form == "jsonl" else "7")
        text = f"[{','.join(lines)}]" if form == "json" else "\n".join(lines)
        path.write_text(text, encoding="utf-8")


@pytest.fixture(params=["csv", "jsonl", "json"])
def mixed(request, tmp_path):
    """A file of four good rows, three with something wrong in them, and one that is no row."""
    path = tmp_path / f"mine.{request.param}"
    write_as(request.param, path, rows(GOOD[:2] + BAD + GOOD[2:]))
    return path


def test_an_audit_counts_them_by_reason(mixed):
    found = clutrr.audit(mixed)
    (splits,) = found.subsets.values()
    assert splits["test"].rows == 4
    assert splits["test"].soundness["tree"]["proved"] == 100
    reasons = {one["reason"]: one["rows"] for one in found.unusable}
    assert reasons["query: is not in the story (capitals count)".replace("query", "question")] == 2
    assert sum(reasons.values()) == 4
    assert any("cannot be used" in line and "4 of 8 rows" in line for line in found.verdicts)
    assert "'Xavier'" in found.unusable[0]["first"]
    assert len(found.to_json()["skipped"]) == 4


def test_left_out_of_an_audit_they_are_listed_and_no_finding(mixed):
    found = clutrr.audit(mixed, skip_bad=True)
    assert found.unusable == []
    assert not any("cannot be used" in line for line in found.verdicts)
    assert len(found.to_json()["skipped"]) == 4


def test_each_is_in_the_file_of_findings(mixed, tmp_path):
    out = tmp_path / "findings.jsonl"
    clutrr.audit(mixed, rows=out)
    found = [json.loads(line) for line in out.read_text().splitlines()]
    assert [one["text"] for one in found].count("unusable") == 4
    (zoe,) = [one for one in found if "'Zoe'" in "".join(one["unread"])]
    assert str(mixed) in zoe["id"]
    clutrr.audit(mixed, rows=out)  # such a file is ours, and replaced


def test_where_no_row_is_usable_the_first_error_is_told(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows(BAD[:2]))))
    with pytest.raises(DataError, match="Xavier"):
        clutrr.audit(path)


def test_a_file_that_is_none_is_refused_by_an_audit(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows(GOOD))))
    (tmp_path / "b.csv").write_text("neither,nor\n1,2\n")
    with pytest.raises(DataError, match=r"b\.csv"):
        clutrr.audit(tmp_path)
    assert len(clutrr.audit(tmp_path, skip_bad=True).to_json()["skipped"]) == 1


def test_rows_in_memory(tmp_path):
    found = clutrr.audit(rows(GOOD + BAD))
    assert sum(one["rows"] for one in found.unusable) == 3
    assert found.unusable[0]["first"].startswith("rows, row 5: ")
    read = clutrr.read(rows(GOOD + BAD), skip_bad=True)
    assert (len(read), len(read.skipped)) == (4, 3)
    assert all(isinstance(one, RowError) for one in read.skipped)


def test_every_command_refuses_them_or_leaves_them_out_and_says_so(tmp_path, run):
    """Without --skip-bad one clear line; with it the others, and what was left out is named."""
    pytest.importorskip("torch")
    data = tmp_path / "mine.jsonl"
    some = rows(GOOD * 3, "train") + rows(GOOD) + rows(BAD)
    data.write_text("\n".join(map(json.dumps, some)))
    answers = tmp_path / "answers.jsonl"
    kept = clutrr.read(data, skip_bad=True)
    answers.write_text("\n".join(json.dumps({"id": one.id, "answer": "son"}) for one in kept))
    made = tmp_path / "run"
    commands = [
        ("convert", data, tmp_path / "out"),
        ("info", data),
        ("explore", data, "--out", tmp_path / "page.html"),
        ("learn-world", data, tmp_path / "world"),
        ("prompts", data),
        ("score", data, answers, "--split", "all"),
        (
            "train",
            data,
            made,
            "--model",
            "composer",
            "--k",
            "2",
            "--epochs",
            "1",
            "--device",
            "cpu",
        ),
        ("evaluate", made, data, "--device", "cpu"),
    ]
    for command in commands:
        if command[0] != "evaluate":  # it needs what is trained below
            code, _, told = run(*map(str, command))
            assert (code, told.count("\n")) == (2, 1), command
            assert "Xavier" in told
        code, printed, told = run(*map(str, command), "--skip-bad")
        assert code == 0, (command, told)
        assert "Xavier" in printed + told, command


def test_asking_leaves_them_out_too(tmp_path, monkeypatch, run):
    data = tmp_path / "mine.jsonl"
    data.write_text("\n".join(map(json.dumps, rows(GOOD + BAD))))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    there = ("--model", "any", "--base-url", "http://127.0.0.1:9")
    code, _, told = run("ask", str(data), str(tmp_path / "replies.jsonl"), *there)
    assert code == 2
    assert "Xavier" in told
