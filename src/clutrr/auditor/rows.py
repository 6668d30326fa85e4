"""The rows that an audit looks at: what each puzzle asks, answers and states, subset by subset."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from clutrr.data import Dataset, Part
from clutrr.facts import walk
from clutrr.puzzle import Puzzle, from_table
from clutrr.solver import Finding, Judge, Judgement
from clutrr.wording.check import Checked, TextCheck, Told
from clutrr.world import GENDERS, World
from clutrr.world.assumptions import Assumption


@dataclass(frozen=True)
class Row:
    """One puzzle, as far as the audit needs it.

    kind: of the target. gender: of the queried person, "" where nothing tells. relations: the words along
    the path; a kind where the gender is not known. checked: what the text says of the facts. judgement:
    the solver's, of the target.
    """

    puzzle: Puzzle
    kind: str
    gender: str
    relations: tuple[str, ...]
    checked: Checked
    judgement: Judgement

    @property
    def target(self) -> str:
        return self.puzzle.target


@dataclass
class Subset:
    """The rows of one subset, by split ("" where the data names none)."""

    name: str
    rows: dict[str, list[Row]] = field(default_factory=dict)

    @property
    def train(self) -> list[Row]:
        return self.rows.get("train", [])

    @property
    def test(self) -> list[Row]:
        """The rows to measure on: the test split, or all where there is no such split."""
        return self.rows.get("test") or self.rows.get("") or self.train

    @property
    def known(self) -> list[Row]:
        """The rows to fit on: the train split, or all where there is no such split."""
        return self.train or self.test


class RowJudge:
    """Judges the puzzles of a data set by what their text states.

    by_facts: by their `facts` column instead, whether or not the text was seen to state it.
    """

    def __init__(self, world: World, by_facts: bool = False, assume: Assumption = Assumption.TREE) -> None:
        self._judge = Judge(world, assume)
        self._text = TextCheck(world)
        self._by_facts = by_facts

    def judge(self, puzzle: Puzzle) -> tuple[Checked, Judgement]:
        """What the text says of the facts, and what the solver says of the target."""
        checked = self._text.check(puzzle.story, puzzle.facts, puzzle.people)
        facts = puzzle.facts if self._by_facts else checked.facts
        named = {name for fact in facts for name in (fact.head, fact.tail)}
        read = self._by_facts or (checked.told is not Told.UNREAD and bool(facts))
        if not read or not named.issuperset(puzzle.query):
            return checked, Judgement(Finding.UNREAD, entailed=False)
        return checked, self._judge.judge(facts, puzzle.query, puzzle.target)


def findings(
    data: Dataset, by_facts: bool = False, assume: Assumption = Assumption.TREE
) -> Iterator[tuple[Part, list[tuple[Checked, Judgement]]]]:
    """The judgement of every puzzle, part by part."""
    judge = RowJudge(data.world, by_facts, assume)
    for part in data.parts():
        yield part, [judge.judge(puzzle) for puzzle in from_table(part.table)]


def collect(data: Dataset, by_facts: bool = False) -> Iterator[tuple[str, str, Row]]:
    """Every row with its subset and split."""
    for part, judged in findings(data, by_facts):
        for puzzle, (checked, judgement) in zip(from_table(part.table), judged, strict=True):
            kind = data.world.meaning[puzzle.target][0].name if puzzle.target in data.world.meaning else ""
            gender = dict(puzzle.people).get(puzzle.query[1], "")
            relations = _relations(puzzle, data.world)
            row = Row(puzzle, kind or puzzle.target, gender, relations, checked, judgement)
            yield part.subset, part.split or "", row


def _relations(puzzle: Puzzle, world: World) -> tuple[str, ...]:
    genders = {p.name: GENDERS.index(p.gender) for p in puzzle.people if p.gender in GENDERS}
    people = walk(puzzle.facts[: puzzle.k], puzzle.query[0]) or []
    return tuple(
        world.word(kind, genders[name]) if name in genders else kind
        for kind, name in zip(puzzle.pattern, people[1:], strict=True)
    )
