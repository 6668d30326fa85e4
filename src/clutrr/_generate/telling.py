"""Puzzles one by one: names, wording, attributes and order of a question that was drawn in a block."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from clutrr._config import Config
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, ROLES, Fact, Puzzle, Sentence, shared_entity
from clutrr._statement import Statement
from clutrr._writing.naming import OwnNames
from clutrr._writing.single import Teller
from clutrr.theory.questions import PossibleKinds, QuestionBlock


class PuzzleId(NamedTuple):
    """What a puzzle is called by: of a subset and split, a number."""

    split: str
    number: int


class Storyteller:
    """Tells questions of one split.

    - world: of the split. kinds_of: the world whose kinds they have.
    """

    def __init__(self, config: Config, side: World, world: World) -> None:
        self._teller = Teller(side, config)
        lexicon, self._forms = side.lexicon, world.forms or ("",)
        self._names = [name for names in lexicon.names for name in names]
        starts = [sum(lexicon.drawn[:form]) for form in range(len(lexicon.drawn))]
        self._named = list(zip(starts, lexicon.drawn, strict=True))
        self._own_names = OwnNames(side)
        self._kinds, self._labels = [kind.name for kind in world.kinds], world.relations

    def puzzle(
        self,
        questions: QuestionBlock,
        judged: PossibleKinds,
        row: int,
        called: PuzzleId,
        rng: Random,
    ) -> Puzzle:
        """Return a question of a block as a puzzle."""
        k, each = questions.k, len(self._forms)
        head, kinds, tail = (
            one[row].tolist() for one in (questions.head, questions.kinds, questions.tail)
        )
        forms: list[int] = questions.forms[row].tolist()
        names = self._own_names.of_story(self._cast(forms, rng), forms)
        words = [self._names[name] for name in names]
        story, spans = self._teller.story(questions, row, names, rng)

        def label(kind: int, entity: int) -> int:
            return kind * each + forms[entity]

        facts = tuple(
            [
                Fact(words[a], self._labels[label(kind, b)], words[b])
                for a, kind, b in zip(head, kinds, tail, strict=True)
            ]
        )
        first, second, target, abstract = words[0], words[k], CANNOT_BE_TOLD, ""
        if (answer := int(questions.targets[row])) >= 0:
            target = self._labels[label(answer, k)]
            abstract = self._teller.answer(names[0], label(answer, k), names[k], rng)
        possible, outside = None, None
        if judged.possible_known[row]:
            possible = tuple(
                [self._labels[label(kind, k)] for kind in judged.possible[row].nonzero()[0]]
            )
        if judged.outside_known[row]:
            outside = bool(judged.outside[row])
        roles = tuple([ROLES[role] for role in questions.roles.tolist()])
        statements: tuple[Statement, ...] = ()
        if questions.verdicts:
            possible, outside = questions.verdicts[row]
            facts, roles, statements, spans = _stated(questions, row, words, facts, roles, spans)
        name = f"M{k}-{called.split}-"
        return Puzzle(
            f"{name}{called.number:09d}",
            story,
            abstract,
            (first, second),
            target,
            k,
            tuple([self._kinds[kind] for kind in kinds[: questions.routed]]),
            facts,
            tuple(
                [
                    shared_entity(name, self._forms[form])
                    for name, form in zip(words, forms, strict=True)
                ]
            ),
            f"{name}scene-{called.number:09d}",
            roles,
            spans,
            possible,
            outside,
            None,
            self._teller.question(names[0], names[k]),
            statements,
        )

    def _cast(self, forms: list[int], rng: Random) -> list[int]:
        """Return the number of a name for each entity, no name twice."""
        found, seen = [], set[int]()
        for form in forms:
            start, size = self._named[form]
            while True:
                number = start + int(rng.random() * size)
                if number not in seen:
                    break
            seen.add(number)
            found.append(number)
        return found


def _renamed(one: Statement, names: Sequence[str], span: Sentence) -> Statement:
    """Return a statement about places as one about the entities of these names, in a sentence."""
    return Statement(
        one.kind,
        names[int(one.head)],
        one.relations,
        names[int(one.tail)] if one.tail else "",
        tuple([names[int(entity)] for entity in one.entities]),
        one.status,
        one.role,
        span.start,
        span.end,
    )


def _stated(
    questions: QuestionBlock,
    row: int,
    names: Sequence[str],
    facts: tuple[Fact, ...],
    roles: tuple[str, ...],
    spans: tuple[Sentence, ...],
) -> tuple[tuple[Fact, ...], tuple[str, ...], tuple[Statement, ...], tuple[Sentence, ...]]:
    """Return the facts that are stated as such, their roles, the statements with their places, and the sentences.

    spans: of the sentences; statements beside the facts are numbered after all facts.
    """
    stated = questions.stated[row]
    vague = {one.fact for one in stated if one.fact >= 0}
    kept = [number for number in range(len(facts)) if number not in vague]
    place = {number: at for at, number in enumerate(kept)}
    beside = len(facts)
    told_by: dict[int, int] = {}  # of each statement, its number among what sentences state
    for at, one in enumerate(stated):
        told_by[at] = one.fact if one.fact >= 0 else beside
        beside += one.fact < 0
    where = {number: span for span in spans for number in span.facts}
    statements = []
    for at, one in enumerate(stated):
        span = where[told_by[at]]
        statements.append(_renamed(one.statement, names, span))
    return (
        tuple([facts[number] for number in kept]),
        tuple([roles[number] for number in kept]),
        tuple(statements),
        tuple(
            [
                Sentence(start, end, tuple([place[n] for n in said if n in place]))
                if said
                else span
                for span in spans
                for start, end, said in (span,)
            ]
        ),
    )
