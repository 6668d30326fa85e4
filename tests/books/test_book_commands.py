"""What the commands do with books: info, audit, convert, explore, prompts, score."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._books.load import OpenBook, open_book
from clutrr._score.books import BookReply, book_reward, read_reply
from clutrr.errors import ConfigError, DataError
from clutrr.tasks import BookQuestions
from commands import run, told


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("books") / "village"
    clutrr.book(out, with_="ages,places,events", entities=80, questions=40, unanswerable=0.2)
    return out


@pytest.fixture(scope="module")
def opened(folder: Path) -> OpenBook:
    return open_book(folder)


def right(opened: OpenBook) -> dict[str, str]:
    return {one.id: "; ".join(one.answers) for one in opened.questions}


def test_info(folder: Path) -> None:
    found = told("info", folder)
    assert found == clutrr.info(folder).to_json()
    assert found["counts"]["questions"] == 40
    assert found["damage"] == {}
    assert "cannot be told" in run("info", folder)


def test_info_of_a_damaged_book(folder: Path, tmp_path: Path) -> None:
    manifest = clutrr.book(tmp_path / "book", entities=30, questions=3, hops=1)
    (tmp_path / "book/data/articles/test-00000-of-00001.parquet").unlink()
    assert manifest["files"].keys() > clutrr.info(tmp_path / "book").damage.keys() > set()


def test_audit_proves_every_answer_again(folder: Path) -> None:
    found = told("audit", folder)
    assert set(found["findings"]) == {"proved", "open"}
    assert sum(found["findings"].values()) == 40
    assert found["verdicts"] == []


def spoilt(folder: Path, kind: str, change: Any) -> OpenBook:
    """The book with rows changed, as somebody's own copy of it may be."""
    found = open_book(folder)
    file = folder / f"data/{kind}/test-00000-of-00001.parquet"
    rows = pq.read_table(file).to_pylist()
    change(rows)
    schema = pq.read_schema(file)
    out = Path("spoilt")
    for name in ("articles", "questions"):
        (out / f"data/{name}").mkdir(parents=True, exist_ok=True)
        table = pq.read_table(folder / f"data/{name}")
        if name == kind:
            table = pa.Table.from_pylist(rows, schema)
        pq.write_table(table, out / f"data/{name}/test-00000-of-00001.parquet")
    return replace(found, path=out, manifest={})


def first(rows: list[dict[str, Any]], wanted: Any) -> dict[str, Any]:
    return next(row for row in rows if wanted(row))


def test_audit_finds_what_is_wrong(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = folder.resolve()

    def another_answer(rows: list[dict[str, Any]]) -> None:
        first(rows, lambda row: row["form"] == "how-many" and row["answers"] != ["cannot be told"])[
            "answers"
        ] = ["17"]
        first(rows, lambda row: row["form"] == "who" and len(row["evidence"]) > 1)["evidence"].pop()
        row = first(rows, lambda row: row["answers"] == ["cannot be told"])
        row["answers"] = ["yes"]
        first(rows, lambda row: row["form"] == "compare")["question"] = "Who is older?"

    found = clutrr.audit(spoilt(folder, "questions", another_answer)).findings
    assert found["refuted"] == 1
    assert found["evidence"] >= 1
    assert found["not proved"] == 1
    assert found["question"] == 1

    def another_text(rows: list[dict[str, Any]]) -> None:
        row = first(rows, lambda row: row["id"] != "preface" and "has exactly" in row["text"])
        row["text"] = row["text"].replace("has exactly", "may well have", 1)

    audited = clutrr.audit(spoilt(folder, "articles", another_text))
    assert len(audited.differing) == 1
    assert len(audited.unread) == 1

    def another_preface(rows: list[dict[str, Any]]) -> None:
        rows[0]["text"] += " Perhaps."

    assert clutrr.audit(spoilt(folder, "articles", another_preface)).unread == {
        "preface": ["Perhaps."]
    }


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_convert(folder: Path, tmp_path: Path, form: str) -> None:
    assert told("convert", folder, tmp_path / "out", "--to", form)["rows"] > 100
    questions = tmp_path / f"out/questions.{form}"
    if form == "jsonl":
        rows = [json.loads(line) for line in questions.read_text().splitlines()]
    elif form == "csv":
        with questions.open(newline="") as file:
            rows = list(csv.DictReader(file))
        rows = [{**row, "answers": json.loads(row["answers"])} for row in rows]
    else:
        rows = pq.read_table(questions).to_pylist()
    wanted = pq.read_table(folder / "data/questions").to_pylist()
    assert [(row["id"], row["answers"]) for row in rows] == [
        (row["id"], row["answers"]) for row in wanted
    ]


def test_explore(folder: Path, tmp_path: Path, opened: OpenBook) -> None:
    page = clutrr.explore(folder, out=tmp_path / "page.html", limit=10)
    assert (page.stories, page.total) == (10, 40)
    text = (tmp_path / "page.html").read_text()
    content = json.loads(text.split('type="application/json">')[1].split("</script>")[0])
    assert len(content["articles"]) == len(opened.articles)
    assert content["questions"][0]["question"] == opened.questions[0].question
    clutrr.explore(folder, out=tmp_path / "page.html")  # a page of ours is replaced


def test_prompts_show_the_book_or_part_of_it(folder: Path, opened: OpenBook) -> None:
    whole = list(clutrr.prompts(folder, limit=4))
    assert len(whole) == 4
    assert all(one.text in whole[0].messages[0]["content"] for one in opened.articles)
    gold = {one.id: one for one in clutrr.prompts(folder, gold=True, direct=True)}
    for one in opened.questions:
        shown = gold[one.id].to_dict()["shown"]
        assert set(shown) == {*one.articles, "preface"}
        assert one.question in gold[one.id].messages[0]["content"]
    with pytest.raises(ConfigError, match="is for puzzles"):
        next(iter(clutrr.prompts(folder, shots=2)))
    with pytest.raises(ConfigError, match="is for books"):
        clutrr.prompts(clutrr.generate(k=2, size=1, split="test"), gold=True)


def test_prompts_with_articles_found_by_words(folder: Path, opened: OpenBook) -> None:
    pytest.importorskip("bm25s", reason="needs the extra `books`")
    found = {one.id: one.to_dict()["shown"] for one in clutrr.prompts(folder, top=5)}
    simple = [one for one in opened.questions if one.hops == 1 and one.articles]
    assert all(len(shown) <= 6 and shown[0] == "preface" for shown in found.values())
    recall = [len(set(one.articles) & set(found[one.id])) / len(one.articles) for one in simple]
    assert sum(recall) / len(recall) > 0.8


def test_scores(folder: Path, opened: OpenBook, tmp_path: Path) -> None:
    answers = right(opened)
    best = clutrr.score(folder, answers)
    assert best.total.exact == 100
    assert best.abstention["said so"] == best.abstention["cannot be told"] > 0
    lines = []
    for one in opened.questions:
        row = {"id": one.id, "reply": f"I looked it up.\nAnswer: {answers[one.id]}"}
        row |= {"shown": list(one.articles), "prompt_tokens": 100, "reply_tokens": 20, "calls": 3}
        lines.append(json.dumps(row))
    lines[0] = json.dumps(
        {"id": opened.questions[0].id, "reply": "I cannot discuss private people."}
    )
    (tmp_path / "replies.jsonl").write_text("\n".join(lines[:-1]))
    found = told("score", folder, tmp_path / "replies.jsonl")
    assert found == clutrr.score(folder, tmp_path / "replies.jsonl").to_json()
    total = found["total"]
    assert (total["missing"], total["refused"], total["right"]) == (1, 1, 38)
    assert total["evidence_recall"] == 100
    assert found["spent"]["calls"] == 3 * 38 + 1
    assert set(found["groups"]) == {"hops", "form", "theory"}
    with pytest.raises(DataError, match="no question of the book"):
        clutrr.score(folder, {"q99": "yes"})


@pytest.mark.parametrize(
    ("form", "answers", "reply", "read"),
    [
        ("who", ("Ann Bell", "Bo Carr"), "Answer: Bo Carr; Ann Bell", 1.0),
        ("who", ("Ann Bell", "Bo Carr"), "Answer: **Bo Carr and Ann Bell.**", 1.0),
        ("who", ("Ann Bell", "Bo Carr"), "Answer: Bo Carr", 1 / 3),
        ("who", ("Ann Bell", "Bo Carr"), "Bo Carr; Ann Bell", 0.0),
        ("who", ("none",), "Answer: Nobody", 1.0),
        ("who", ("Ann Bell",), "Answer: cannot be told", 0.0),
        ("how-many", ("3",), "There are 2 or so.\nAnswer: three", 1.0),
        ("how-many", ("0",), "Answer: none", 1.0),
        ("yes-no", ("no",), "Answer: No.", 1.0),
        ("yes-no", ("cannot be told",), "Answer: It cannot be told", 1.0),
        ("yes-no", ("cannot be told",), "Answer: no", 0.0),
        ("what", ("red lion",), "So \\boxed{a red lion}", 1.0),
        ("compare", ("Ann Bell",), "Answer: Ann Bell\nAnswer: Bo Carr", 0.0),
    ],
)
def test_rewards(
    opened: OpenBook, form: str, answers: tuple[str, ...], reply: str, read: float
) -> None:
    one = replace(opened.questions[0], form=form, answers=answers)
    assert book_reward(reply, one) == pytest.approx(read)


def test_a_reply_without_an_answer_is_not_read(opened: OpenBook) -> None:
    one = replace(opened.questions[0], form="yes-no", answers=("yes",))
    assert read_reply(BookReply("I have no idea."), one) is None


@pytest.mark.slow
def test_the_gallery_of_the_page_is_what_the_tool_makes(repository: Path) -> None:
    import book_gallery

    page = (repository / "docs/books.md").read_text(encoding="utf-8")
    shown = page.split(book_gallery.START)[1].split(book_gallery.END)[0]
    assert shown == book_gallery.gallery()
    assert shown.count("```text") == 12


def test_rows_for_training_end_in_the_answer_that_earns_everything() -> None:
    books = clutrr.book(entities=40, questions=6, seed=2, split="train")
    rows = [BookQuestions(books, articles).row(8) for articles in ("gold", "whole")]
    for row in rows:
        said = [row["completion"][0]["content"], row["completion"], "no answer"]
        three = {name: [row[name]] * 3 for name in ("answers", "form")}
        assert BookQuestions.reward(said, **three) == [1.0, 1.0, 0.0]
        assert books[8].question in row["prompt"][0]["content"]
    assert len(rows[1]["prompt"][0]["content"]) > len(rows[0]["prompt"][0]["content"])
