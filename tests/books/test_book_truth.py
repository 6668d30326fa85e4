"""Answers of books: an answer-set program over the whole scene gives the same, and the evidence is enough and no more."""

from collections import Counter
from typing import Any

import pytest

import clutrr
from clutrr._books.config import worlds_of
from clutrr._books.prove import Knowledge, Prover, Solvers
from clutrr._books.reading import BookReader
from clutrr._books.scenes import OpenProver

pytest.importorskip("clingo", reason="clingo is not installed")
from book_program import answers_of

ALL = "families,ages,places,regions,events"
SMALL = [("kinship", ALL, "sentences", 60)]
EVERY = [
    ("kinship", "", "sentences", 250),
    ("kinship", ALL, "sentences", 900),
    ("kinship", ALL, "prose", 400),
    ("kinship", "ages,places", "sentences", 300),
    ("kinship", "events", "sentences", 150),
    ("order", "", "sentences", 150),
    ("order", ALL, "prose", 200),
    ("time", "", "sentences", 150),
    ("time", "regions,families", "sentences", 150),
    ("regions", "", "sentences", 150),
    ("regions", "places", "prose", 150),
    ("directions", "", "sentences", 150),
    ("directions", ALL, "sentences", 200),
]


def statement(one: Any) -> tuple[Any, ...]:
    return one.kind, one.head, one.relations, one.tail, tuple(sorted(one.entities))


def check(world: str, more: str, style: str, questions: int, seed: int = 0) -> Counter[str]:
    settings: dict[str, Any] = {"with_": more} if more else {}
    books = clutrr.book(
        world=world,
        entities=150,
        questions=questions,
        style=style,
        seed=seed,
        unanswerable=0.15,
        **settings,
    )
    book = books.book(0)
    worlds = worlds_of(book.world, book.config)
    reader = BookReader(worlds, [one.title for one in book.articles[1:]])
    told = {}
    for article in book.articles:  # the text says what the column says
        read = reader.read(article)
        assert not read.unread, article.text
        assert Counter(map(statement, read.statements)) == Counter(
            map(statement, article.statements)
        )
        told |= {f"{article.id}/{one.key}": one for one in article.statements}
    solvers = Solvers(worlds)
    prover = Prover(Knowledge(told.values(), solvers))
    opens = OpenProver(list(told.values()), solvers)
    scene = book._scene
    at = {scene.name(one): one for one in range(scene.total)}
    known = [one for one in book.questions if one.answers != ("cannot be told",)]
    for one, answers in zip(known, answers_of(scene, [one.plan for one in known], at), strict=True):
        assert one.answers == answers, one.question
    for one in book.questions:
        proved = prover.prove(one.plan).answers
        if one.answers == ("cannot be told",):
            assert proved is None, one.question
            two = opens.two_scenes(one.plan)
            assert two is not None, one.question
            assert two[0].answers != two[1].answers
            assert not one.evidence
            continue
        assert proved == one.answers, one.question
        evidence = [told[name] for name in one.evidence]
        assert Prover(Knowledge(evidence, solvers)).prove(one.plan).answers == one.answers
        for left in evidence:
            rest = [other for other in evidence if other is not left]
            assert Prover(Knowledge(rest, solvers)).prove(one.plan).answers is None, one.question
        articles = {name.split("/")[0] for name in one.evidence} - {"preface"}
        assert one.hops == 1 or len(articles) > 1, one.question
    return Counter(one.form for one in book.questions)


@pytest.mark.parametrize(("world", "more", "style", "questions"), SMALL)
def test_answers_and_evidence_of_a_small_book(
    world: str, more: str, style: str, questions: int
) -> None:
    assert len(check(world, more, style, questions)) == 6


@pytest.mark.slow
@pytest.mark.parametrize(("world", "more", "style", "questions"), EVERY)
def test_answers_and_evidence_of_every_world_and_mixture(
    world: str, more: str, style: str, questions: int
) -> None:
    check(world, more, style, questions, seed=3)
