"""The questions of a book as rows: answers, evidence, a proof in words."""

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from clutrr._books.articles import Article, Writer
from clutrr._books.draw import Drawer, Drawn
from clutrr._books.execute import PREFACE_ENTITY, Ref, Refs
from clutrr._books.plans import CANNOT, Plan, shown
from clutrr._books.prove import Knowledge, Prover, Solvers
from clutrr._books.scene import Scene
from clutrr._books.sentences import Told

_LEVELS = ((2, "easy"), (4, "medium"))  # up to so many hops


@dataclass(frozen=True)
class BookQuestion:
    """A question of a book.

    Args:
        id: of the question.
        question: in words.
        form: who, what, how-many, which, yes-no or compare.
        answers: a set: names, or a word, a number, "yes", "no", "none" or "cannot be told".
        hops: how many links and relations are followed, one after the other.
        theories: that it touches.
        evidence: statements and claims, none of which can be left out: an article's id, and a name in it.
        articles: the ids of those that hold the evidence.
        proof: the plan, and what it finds, in words.
        difficulty: easy, medium or hard, by hops.
        plan: what is asked, as data.
    """

    id: str
    question: str
    form: str
    answers: tuple[str, ...]
    hops: int
    theories: tuple[str, ...]
    evidence: tuple[str, ...]
    articles: tuple[str, ...]
    proof: str
    difficulty: str
    plan: Plan

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "plan": self.plan.to_dict()}


class Asker:
    """Makes the questions of a scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._writer = Writer(scene)
        self._solvers = Solvers(scene.worlds)
        self._drawer = Drawer(scene, self._fewest)
        self._named: dict[str, int] = {}

    @lru_cache(4096)  # noqa: B019  as long as the questions are made
    def _article(self, entity: int) -> tuple[Article, dict[str, Told]]:
        article = (
            self._writer.preface() if entity == PREFACE_ENTITY else self._writer.article(entity)
        )
        return article, {one.key: one for one in article.statements}

    def text_of(self, name: str) -> str:
        """Return the text of the article of an entity that a question has just named."""
        return self._article(self._named[name])[0].text if name in self._named else ""

    def _fewest(self, plan: Plan, answers: tuple[str, ...], refs: Refs) -> Refs:
        """Return evidence of which nothing can be left out: what solvers need is less than what look-ups pass."""
        kept = sorted(refs)
        for ref in sorted(refs):
            rest = [one for one in kept if one != ref]
            if Prover(self._knowledge(rest)).prove(plan).answers == answers:
                kept = rest
        return frozenset(kept)

    def _knowledge(self, refs: list[Ref]) -> Knowledge:
        return Knowledge((self._article(entity)[1][key] for entity, key in refs), self._solvers)

    def block(self, number: int, first: int, size: int) -> list[BookQuestion]:
        """Return the questions of a block. first: the number of the first one."""
        drawn = self._drawer.block(number, size)
        for one in drawn:
            self._named |= one.at
        return [self._made(one, first + at) for at, one in enumerate(drawn)]

    def _made(self, drawn: Drawn, number: int) -> BookQuestion:
        evidence, articles, lines = [], dict[str, None](), [f"Plan: {shown(drawn.plan)}."]
        for entity, key in sorted(drawn.refs):
            article, statements = self._article(entity)
            told = statements[key]
            evidence.append(f"{article.id}/{key}")
            articles[article.id] = None
            said = article.text[told.start : told.end].rstrip(",.")
            lines.append(f"{len(lines)}. {article.title}: {said[0].upper()}{said[1:]}.")
        lines.append(_closing(drawn))
        level = next((name for most, name in _LEVELS if drawn.hops <= most), "hard")
        return BookQuestion(
            f"q{number + 1:07d}",
            drawn.question,
            drawn.plan.form,
            drawn.answers,
            drawn.hops,
            drawn.theories,
            tuple(evidence),
            tuple(articles),
            "\n".join(lines),
            level,
            drawn.plan,
        )


def _closing(drawn: Drawn) -> str:
    if drawn.answers == (CANNOT,):
        return "Cannot be told: the book leaves several answers possible."
    return f"So: {', '.join(drawn.answers)}."
