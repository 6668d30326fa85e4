"""A book examined: every answer proved again from the texts of the articles, as they are read."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from clutrr._books.articles import Article
from clutrr._books.load import OpenBook, book_info
from clutrr._books.plans import CANNOT, question
from clutrr._books.prove import Knowledge, Prover, Solvers
from clutrr._books.questions import BookQuestion
from clutrr._books.reading import BookReader
from clutrr._books.scenes import OpenProver
from clutrr._books.sentences import Told
from clutrr._books.vocabulary import PREFACE
from clutrr._display import Shown

_LISTED = 20
# What is found of a question, and what it means.
FINDINGS = {
    "proved": "the articles prove the answers, the evidence alone proves them, and nothing of it can be left out",
    "open": "two scenes agree with the book and differ in the answer, as it says",
    "refuted": "the articles prove another answer",
    "not proved": "the articles do not prove the answer",
    "not shown": "the articles prove nothing, but no two scenes were found",
    "evidence": "the evidence does not prove the answers",
    "not least": "something of the evidence can be left out",
    "one article": "several hops, but the evidence is in one article",
    "question": "the question does not ask what the plan looks up",
}


@dataclass(frozen=True, repr=False)
class BookAudit(Shown):
    """What was found.

    - book: what was examined
    - articles: how many were read
    - unread: sentences that were not understood, by article
    - differing: articles whose text does not say what their statements are
    - findings: of all questions, counted
    - wrong: the ids of questions with a finding that should not be, with it
    - shortcuts: how often guesses would be right, in percent
    """

    book: OpenBook
    articles: int
    unread: dict[str, list[str]]
    differing: tuple[str, ...]
    findings: Counter[str]
    wrong: dict[str, str]
    shortcuts: dict[str, float]
    damage: dict[str, str] = field(default_factory=dict)

    @property
    def verdicts(self) -> list[str]:
        """What is wrong, in plain words; nothing for a healthy book."""
        found = [f"{name}: {what}" for name, what in self.damage.items()]
        if self.unread:
            found.append(f"{len(self.unread):,} articles have sentences that were not understood")
        if self.differing:
            found.append(f"{len(self.differing):,} articles do not say what their statements are")
        found += [
            f"{number:,} questions: {FINDINGS[name]}"
            for name, number in self.findings.items()
            if name not in ("proved", "open")
        ]
        return found

    @property
    def caption(self) -> str:
        return f"{self.book.path}: {self.articles:,} articles read, {sum(self.findings.values()):,} questions proved again"

    def rows(self) -> Iterator[list[str]]:
        yield ["finding", "questions", "meaning"]
        for name, number in self.findings.most_common():
            yield [name, f"{number:,}", FINDINGS[name]]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "articles": self.articles,
            "findings": dict(self.findings),
            "wrong": self.wrong,
            "unread": self.unread,
            "differing": list(self.differing),
            "shortcuts": self.shortcuts,
            "damage": self.damage,
            "verdicts": self.verdicts,
        }


def audit_book(book: OpenBook, tick: Callable[[int], None] = lambda rows: None) -> BookAudit:
    """Return what is found of a book. tick: called with how many more articles and questions are examined."""
    reader = BookReader(book.worlds, (one.title for one in book.articles if one.id != PREFACE))
    told: dict[str, Told] = {}
    unread: dict[str, list[str]] = {}
    differing = []
    for article in book.articles:
        read = reader.read(article)
        if read.unread:
            unread[article.id] = list(read.unread)
        keyed = _keyed(article, read.statements)
        if keyed is None:
            differing.append(article.id)
            keyed = {f"{article.id}/read-{n}": one for n, one in enumerate(read.statements)}
        told |= keyed
        tick(1)
    judge = _Judge(book, told)
    findings: Counter[str] = Counter()
    wrong = {}
    for one in book.questions:
        found = judge.finding(one)
        findings[found] += 1
        if found not in ("proved", "open"):
            wrong[one.id] = found
        tick(1)
    shortcuts = book_info(book).book.manifest.get("shortcuts", {})
    return BookAudit(
        book,
        len(book.articles),
        unread,
        tuple(differing),
        findings,
        wrong,
        dict(shortcuts),
        book.damage(),
    )


def _keyed(article: Article, read: tuple[Told, ...]) -> dict[str, Told] | None:
    """Return what was read by the names of the statements that say the same; None if they say something else."""
    left: dict[tuple[Any, ...], list[Told]] = {}
    for one in read:
        left.setdefault(_content(one), []).append(one)
    found = {}
    for said in article.statements:
        same = left.get(_content(said))
        if not same:
            return None
        found[f"{article.id}/{said.key}"] = same.pop()
    return None if any(left.values()) else found


def _content(one: Told) -> tuple[Any, ...]:
    return one.kind, one.head, one.relations, one.tail, tuple(sorted(one.entities))


class _Judge:
    """Judges questions by what was read."""

    def __init__(self, book: OpenBook, told: dict[str, Told]) -> None:
        self._book, self._told = book, told
        self._solvers = Solvers(book.worlds)
        self._prover = Prover(Knowledge(told.values(), self._solvers))
        self._opens = OpenProver(list(told.values()), self._solvers)

    def finding(self, one: BookQuestion) -> str:
        """Return what is found of a question: one of `FINDINGS`."""
        world = self._book.worlds.get(one.plan.part)
        if one.question != question(one.plan, world):
            return "question"
        proved = self._prover.prove(one.plan).answers
        if one.answers == (CANNOT,):
            if proved is not None:
                return "refuted"
            return "open" if self._opens.two_scenes(one.plan) else "not shown"
        if proved != one.answers:
            return "not proved" if proved is None else "refuted"
        if not set(one.evidence) <= self._told.keys():
            return "evidence"
        evidence = [self._told[name] for name in one.evidence]
        if self._answers(one, evidence) != one.answers:
            return "evidence"
        for left in evidence:
            if self._answers(one, [other for other in evidence if other is not left]) is not None:
                return "not least"
        articles = {name.split("/")[0] for name in one.evidence} - {PREFACE}
        return "one article" if one.hops > 1 and len(articles) < 2 else "proved"

    def _answers(self, one: BookQuestion, evidence: list[Told]) -> tuple[str, ...] | None:
        return Prover(Knowledge(evidence, self._solvers)).prove(one.plan).answers
