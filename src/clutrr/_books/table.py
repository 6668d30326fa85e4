"""Articles and questions as columns, and back."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

from clutrr._books.articles import Article
from clutrr._books.plans import Plan
from clutrr._books.questions import BookQuestion
from clutrr._books.sentences import Told

_TEXTS = pa.list_(pa.string())
_STATEMENT = pa.struct(
    [
        ("key", pa.string()),
        ("kind", pa.string()),
        ("head", pa.string()),
        ("relations", _TEXTS),
        ("tail", pa.string()),
        ("entities", _TEXTS),
        ("start", pa.int32()),
        ("end", pa.int32()),
    ]
)
ARTICLES = pa.schema(
    [
        ("id", pa.string()),
        ("title", pa.string()),
        ("text", pa.string()),
        ("statements", pa.list_(_STATEMENT)),
    ]
)
QUESTIONS = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        ("form", pa.string()),
        ("answers", _TEXTS),
        ("hops", pa.int32()),
        ("theories", _TEXTS),
        ("evidence", _TEXTS),
        ("articles", _TEXTS),
        ("proof", pa.string()),
        ("difficulty", pa.string()),
        ("plan", pa.string()),
    ]
)


def _lists(rows: Sequence[Sequence[str]]) -> pa.Array:
    offsets, flat = [0], list[str]()
    for row in rows:
        flat += row
        offsets.append(len(flat))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(flat, pa.string()))


def articles_table(articles: Sequence[Article]) -> pa.Table:
    """Return articles as columns."""
    offsets, every = [0], list[Told]()
    for article in articles:
        every += article.statements
        offsets.append(len(every))
    keys, kinds, heads, relations, tails, entities, starts, ends = (
        zip(*every, strict=True) if every else ((),) * 8
    )
    columns = [
        *(pa.array(column, pa.string()) for column in (keys, kinds, heads)),
        _lists(relations),
        pa.array(tails, pa.string()),
        _lists(entities),
        *(pa.array(column, pa.int32()) for column in (starts, ends)),
    ]
    statements = pa.StructArray.from_arrays(columns, fields=list(_STATEMENT))
    return pa.Table.from_arrays(
        [
            pa.array([one.id for one in articles], pa.string()),
            pa.array([one.title for one in articles], pa.string()),
            pa.array([one.text for one in articles], pa.string()),
            pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), statements),
        ],
        schema=ARTICLES,
    )


def questions_table(questions: Iterable[BookQuestion]) -> pa.Table:
    """Return questions as columns; plans as JSON."""
    rows = [
        {
            **{name: getattr(one, name) for name in QUESTIONS.names},
            "plan": json.dumps(one.plan.to_dict(), ensure_ascii=False),
        }
        for one in questions
    ]
    return pa.Table.from_pylist(rows, QUESTIONS)


def article_of(row: dict[str, Any]) -> Article:
    """Return the article of a row."""
    statements = tuple(
        Told(
            one["key"],
            one["kind"],
            one["head"],
            tuple(one["relations"]),
            one["tail"],
            tuple(one["entities"]),
            one["start"],
            one["end"],
        )
        for one in row["statements"]
    )
    return Article(row["id"], row["title"], row["text"], statements)


def question_of(row: dict[str, Any]) -> BookQuestion:
    """Return the question of a row."""
    several = ("answers", "theories", "evidence", "articles")
    values: dict[str, Any] = {
        name: tuple(row[name]) if name in several else row[name] for name in QUESTIONS.names
    }
    return BookQuestion(**{**values, "plan": Plan.from_dict(json.loads(row["plan"]))})
