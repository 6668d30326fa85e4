"""The rows that an audit looks at: what each puzzle asks, answers and states, subset by subset."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from clutrr.data import Dataset, Part
from clutrr.facts import shortest_path, walk
from clutrr.puzzle import Puzzle, from_table
from clutrr.solver import Finding, Judge, Judgement
from clutrr.wording.check import Checked, TextCheck, Told
from clutrr.world import GENDERS, Assumption, World


class Asked(Protocol):
    """What look-ups of parts of the chain know of a question. kind: of the target."""

    @property
    def puzzle(self) -> Puzzle: ...
    @property
    def kind(self) -> str: ...
    @property
    def target(self) -> str: ...


@dataclass(frozen=True)
class Question:
    """A puzzle that nobody judged: enough to fit look-ups on."""

    puzzle: Puzzle
    kind: str

    @property
    def target(self) -> str:
        return self.puzzle.target


@dataclass(frozen=True)
class Row:
    """One puzzle, as far as the audit needs it.

    kind: of the target. gender: of the queried person, "" where it is not known. relations: the words along
    the path; a kind where the gender is not known. checked: what the text says of the facts; each: of each
    of them (see `TextCheck.each`). judgements: the solver's, of the target, under each assumption. shortest:
    facts on the shortest way between the asked two, None where there is none.
    """

    puzzle: Puzzle
    kind: str
    gender: str
    relations: tuple[str, ...]
    checked: Checked
    each: tuple[bool | None, ...]
    judgements: Mapping[Assumption, Judgement]
    shortest: int | None

    @property
    def target(self) -> str:
        return self.puzzle.target

    @property
    def proved(self) -> bool:
        """Under the first assumption."""
        return next(iter(self.judgements.values())).finding is Finding.PROVED


Judged = tuple[Checked, Mapping[Assumption, Judgement]]
BOTH = (Assumption.TREE, Assumption.OPEN)  # for data that says none


def assumptions(data: Dataset, chosen: Assumption | None = None) -> tuple[Assumption, ...]:
    """What to judge a data set under: what is chosen, or its own assumption, or each in turn."""
    one = chosen or data.assume
    return (one,) if one else BOTH


class RowJudge:
    """Judges the puzzles of a data set by what their text states, under each of some assumptions.

    by_facts: by their `facts` column instead, whether or not the text was seen to state it.
    """

    def __init__(
        self, world: World, by_facts: bool = False, assume: Sequence[Assumption] = (Assumption.TREE,)
    ) -> None:
        self._judges = {one: Judge(world, one) for one in assume}
        self._text = TextCheck(world)
        self._by_facts = by_facts

    def judge(self, puzzle: Puzzle) -> Judged:
        """What the text says of the facts, and what the solver says of the target."""
        checked = self._text.check(puzzle.story, puzzle.facts, puzzle.people)
        facts = puzzle.facts if self._by_facts else checked.facts
        named = {name for fact in facts for name in (fact.head, fact.tail)}
        read = self._by_facts or (checked.told is not Told.UNREAD and bool(facts))
        if not read or not named.issuperset(puzzle.query):
            return checked, dict.fromkeys(self._judges, Judgement(Finding.UNREAD, entailed=False))
        return checked, {
            one: judge.judge(facts, puzzle.query, puzzle.target) for one, judge in self._judges.items()
        }


def findings(
    data: Dataset, by_facts: bool = False, assume: Assumption | None = None
) -> Iterator[tuple[Part, list[Puzzle], list[Judged]]]:
    """The puzzles and the judgement of each, part by part."""
    judge = RowJudge(data.world, by_facts, assumptions(data, assume))
    for part in data.parts():
        puzzles = list(from_table(part.table))
        yield part, puzzles, [judge.judge(puzzle) for puzzle in puzzles]


def collect(
    data: Dataset, by_facts: bool = False, assume: Assumption | None = None
) -> Iterator[tuple[str, str, Row]]:
    """Every row with its subset and split ("" where it is not known)."""
    text = TextCheck(data.world)
    for part, puzzles, judged in findings(data, by_facts, assume):
        for puzzle, (checked, judgements) in zip(puzzles, judged, strict=True):
            row = Row(
                puzzle,
                kind_of(puzzle, data.world),
                dict(puzzle.people).get(puzzle.query[1], ""),
                _relations(puzzle, data.world),
                checked,
                _each(text, puzzle, checked),
                judgements,
                _shortest(puzzle),
            )
            yield part.subset, part.split or "", row


def questions(data: Dataset, split: str) -> list[Question]:
    """The questions of a split, or all where the data names none."""
    tables = data.split(split).values()
    return [Question(puzzle, kind_of(puzzle, data.world)) for table in tables for puzzle in from_table(table)]


def kind_of(puzzle: Puzzle, world: World) -> str:
    """The kind of the target; what stands there, where it is no relation of the world."""
    return world.meaning[puzzle.target][0].name if puzzle.target in world.meaning else puzzle.target


def _each(text: TextCheck, puzzle: Puzzle, checked: Checked) -> tuple[bool | None, ...]:
    if checked.told is Told.AGREES:
        return (True,) * len(puzzle.facts)
    return text.each(puzzle.story, puzzle.facts, puzzle.people)


def _shortest(puzzle: Puzzle) -> int | None:
    path = shortest_path(puzzle.facts, *puzzle.query)
    return None if path is None else len(path.numbers)


def _relations(puzzle: Puzzle, world: World) -> tuple[str, ...]:
    genders = {p.name: GENDERS.index(p.gender) for p in puzzle.people if p.gender in GENDERS}
    people = walk(puzzle.facts[: puzzle.k], puzzle.query[0]) or []
    return tuple(
        world.word(kind, genders[name]) if name in genders else kind
        for kind, name in zip(puzzle.pattern, people[1:], strict=True)
    )
