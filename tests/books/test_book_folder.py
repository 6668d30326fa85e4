"""Books as folders and as streams: columns, same bytes, what is refused."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._books import folder as writing
from clutrr.errors import ClutrrError, ConfigError, OutputError

SETTINGS: dict[str, Any] = {"with_": "ages,places", "entities": 80, "questions": 40}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_folder_holds_articles_and_questions(tmp_path: Path) -> None:
    manifest = clutrr.book(tmp_path / "book", **SETTINGS)
    articles = pq.read_table(tmp_path / "book/data/articles").to_pylist()
    questions = pq.read_table(tmp_path / "book/data/questions").to_pylist()
    assert list(articles[0])[:4] == ["id", "title", "text", "statements"]
    first = "id question form answers hops theories evidence articles proof".split()
    assert list(questions[0])[:9] == first
    ids = {row["id"]: row for row in articles}
    keys = {f"{row['id']}/{one['key']}" for row in articles for one in row["statements"]}
    for row in questions:
        assert set(row["evidence"]) <= keys
        assert {one.split("/")[0] for one in row["evidence"]} == set(row["articles"])
        assert set(row["articles"]) <= ids.keys()
    for row in articles:
        for one in row["statements"]:
            assert row["text"][one["start"] : one["end"]]
    assert manifest["counts"]["questions"] == len(questions) == 40
    assert manifest["counts"]["articles"] == len(articles)
    card = (tmp_path / "book/README.md").read_text()
    assert manifest["canary"] in card
    assert "config_name: articles" in card


def test_a_stream_and_a_folder_have_the_same(tmp_path: Path) -> None:
    clutrr.book(tmp_path / "book", **SETTINGS)
    books = clutrr.book(**SETTINGS)
    rows = pq.read_table(tmp_path / "book/data/questions").to_pylist()
    assert [row["question"] for row in rows] == [one.question for one in books[:40]]
    texts = pq.read_table(tmp_path / "book/data/articles")["text"].to_pylist()
    assert texts == [one.text for one in books.book(0).articles]
    assert books[45].question == books.book(1).questions[5].question
    assert books[45].question != books[5].question


def test_any_number_of_workers_writes_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**SETTINGS, "entities": 300, "questions": 10}
    clutrr.book(tmp_path / "one", **settings)
    clutrr.book(tmp_path / "two", **settings, workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_a_killed_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clutrr.book(tmp_path / "whole", **SETTINGS)
    make, made = writing._make, []

    def dies(maker: Any, shard: Any) -> Any:
        if made:
            raise KeyboardInterrupt
        made.append(shard)
        return make(maker, shard)

    monkeypatch.setattr(writing, "_make", dies)
    with pytest.raises(KeyboardInterrupt):
        clutrr.book(tmp_path / "book", **SETTINGS)
    assert not (tmp_path / "book").exists()
    again: list[Any] = []
    monkeypatch.setattr(writing, "_make", lambda *given: again.append(given[1]) or make(*given))
    clutrr.book(tmp_path / "book", **SETTINGS)
    assert not set(again) & set(made)
    assert files(tmp_path / "whole") == files(tmp_path / "book")


def test_train_and_test_books_share_nothing() -> None:
    def of(split: str) -> tuple[set[str], set[str]]:
        made = clutrr.book(**{**SETTINGS, "with_": "ages,places,regions,events"}, split=split)
        articles = made.book(0).articles[1:]
        return {one.title for one in articles}, {one.question for one in made[:40]}

    train, test = of("train"), of("test")
    assert not train[0] & test[0]
    assert not {name.split()[-1] for name in train[0]} & {name.split()[-1] for name in test[0]} - {
        *"Fair Market Feast Parade Regatta Festival Revel Jubilee Carnival Pageant".split()
    }
    assert not train[1] & test[1]


def test_tokens_say_how_long_it_is(tmp_path: Path) -> None:
    manifest = clutrr.book(tmp_path / "book", tokens=20_000, questions=5, with_="places")
    assert 15_000 < manifest["tokens"] < 25_000


def test_what_is_there_stays(tmp_path: Path) -> None:
    clutrr.book(tmp_path / "book", **SETTINGS)
    before = files(tmp_path / "book")
    with pytest.raises(OutputError, match="already holds something else"):
        clutrr.book(tmp_path / "book", **SETTINGS, seed=1)
    assert files(tmp_path / "book") == before
    clutrr.book(tmp_path / "book", **SETTINGS, seed=1, force=True)
    assert json.loads((tmp_path / "book/manifest.json").read_text())["book"]["seed"] == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"entities": 2}, "entities"),
        ({"with_": "castles"}, "is not one of families"),
        ({"forms": "why"}, "is not one of who"),
        ({"hops": "0-2"}, "is not from 1"),
        ({"unanswerable": 2.0}, "unanswerable"),
        ({"world": "kinship-de"}, "not in English"),
        ({"style": "verse"}, "is not one of sentences"),
        ({"seed": -1}, "seed"),
        ({"workers": 2}, "for a folder"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ClutrrError, match=said):
        clutrr.book(**settings)


def test_a_book_without_such_questions_is_refused() -> None:
    made = clutrr.book(world="kinship", entities=30, questions=3, forms="compare", hops=6)
    with pytest.raises(ConfigError, match="no question"):
        made.book(0).questions[0]
