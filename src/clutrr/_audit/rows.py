"""The rows that an audit looks at: what each puzzle asks, answers and states, subset by subset."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

import pyarrow as pa

from clutrr._data import Dataset, Part
from clutrr._data.part import Unread, unread_edges, unread_sentences
from clutrr._data.yes_no import asked_relations
from clutrr._facts import shortest_path
from clutrr._io.executors import Executor, SerialExecutor, in_order, thread_cached
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, NO, YES, Fact, Puzzle
from clutrr._reading import Readings
from clutrr._reading.agreement import Agreement, Checked, TextCheck
from clutrr._reading.columns import ColumnReader
from clutrr._solve import Judge, Judgement
from clutrr._table import from_table, to_table
from clutrr.errors import ConfigError, Give, Hint
from clutrr.theory import Finding
from clutrr.theory.solver import names_both

ENTAILED = "entailed"
FORM_OPEN = "form open"  # of those that are undetermined: the kind is proved
_UNREAD = Judgement(Finding.UNREAD, entailed=False)
_AT_ONCE = 256  # rows whose stories are read
Pattern = tuple[str, ...]
Facts = tuple[Fact, ...]
Judgements = Mapping[str, Judgement]  # of a target, under each assumption


class Asked(NamedTuple):
    """What a question asks, without its names and its story: enough to fit look-ups on.

    kind: of the target. form: of the second queried entity, "" where it is not known. ends: the labels of the
    first and the last fact of the routes; a kind where the form is not known.
    """

    target: str
    kind: str
    routes: tuple[Pattern, ...]
    form: str
    ends: Pattern

    @property
    def k(self) -> int:
        return len(self.routes[0]) if self.routes else 0

    @property
    def pattern(self) -> Pattern:
        return self.routes[0] if len(self.routes) == 1 else sum(self.routes, ())


def asked(puzzle: Puzzle, world: World) -> Asked:
    """Return what a puzzle asks."""
    (first, last), forms = puzzle.query, dict(puzzle.entities)
    ends: Pattern = ()
    if puzzle.pattern:
        word, second = (
            world.labels.word,
            puzzle.entities[1].name if len(puzzle.entities) > 1 else "",
        )
        if not puzzle.statements:
            head, _, tail = puzzle.facts[0]
            second = tail if head == first else head
        ends = (
            word(puzzle.pattern[0], forms.get(second, "")),
            word(puzzle.pattern[-1], forms.get(last, "")),
        )
    target = puzzle.target
    kind = world.meaning[target].kind.name if target in world.meaning else target
    return Asked(target, kind, puzzle.routes, forms.get(last, ""), ends)


class Examined(NamedTuple):
    """A puzzle that was examined.

    judgements: the solver's, of the target. shortest: facts on the shortest way between the two queried
    entities, None where there is no way. digests: of the story and the scene, to compare them; 0 where the
    scene is not known. told, why: what the text says of the facts (see `Checked`). read: the role of each of
    them, and what the text says of it (see `TextCheck.each`). unread: edges that could not be read.
    """

    id: str
    query: tuple[str, str]
    asked: Asked
    judgements: Judgements
    shortest: int | None
    digests: tuple[int, int]
    told: Agreement
    why: str
    read: tuple[tuple[str, bool | None], ...]
    unread: tuple[Unread, ...]


def assumptions(data: Dataset, chosen: str | None = None) -> tuple[str, ...]:
    """Return what to judge a data set under: what is chosen, or its own assumption, or each in turn."""
    one = chosen or data.assume
    return (one,) if one else tuple(assumption.name for assumption in data.world.theory.assumptions)


class RowJudge:
    """Judges the puzzles of a data set by what their text states, under each of some assumptions.

    by_facts: by their `facts` column instead, whether or not the text was seen to state it.
    """

    def __init__(self, world: World, by_facts: bool, assume: Sequence[str]) -> None:
        self._world = world
        self._judges = {one: Judge(world, one) for one in assume}
        self.text, self._columns = TextCheck(world), ColumnReader(world)
        self._by_facts = by_facts

    def judged(
        self, table: pa.Table, readings: Readings
    ) -> Iterator[tuple[Puzzle, Checked, Judgements]]:
        """Yield the puzzles of a table with what `judge` returns. readings: of stories, as far as known."""
        self.text = TextCheck(self._world, readings)
        for at in range(0, len(table), _AT_ONCE):
            rows = table.slice(at, _AT_ONCE).combine_chunks()
            read = self._columns.facts(rows["story"].combine_chunks())
            for puzzle, facts in zip(from_table(rows), read, strict=True):
                yield puzzle, *self.judge(puzzle, facts)

    def judge(self, puzzle: Puzzle, read: Facts | None = None) -> tuple[Checked, Judgements]:
        """Return what the text says of the facts, and what the solver says of the target.

        read: the facts that the text states, if that is known.
        """
        checked = self.text.check(
            puzzle.story, puzzle.facts, puzzle.entities, read, puzzle.statements
        )
        if left := unread_sentences(puzzle):
            unnamed = "[" not in left[0] and left[0][1:].islower()
            hint = (
                " (names start with a capital, or stand in brackets: [red cube])" if unnamed else ""
            )
            checked = replace(
                checked, agreement=Agreement.UNREAD, why=f"not read: {left[0]}{hint}", in_doubt=True
            )
        if self._by_facts:
            checked = replace(checked, given=puzzle.given, in_doubt=False, revised=False)
        judgements = {
            one: self._judged(judge, checked, puzzle) for one, judge in self._judges.items()
        }
        return checked, judgements

    def _judged(self, judge: Judge, checked: Checked, puzzle: Puzzle) -> Judgement:
        """Return the judgement of the target by what the text says, as far as it was read."""
        given, _ = judge.solver.usable(checked.given)
        asked = puzzle.query[0] != puzzle.query[1] and names_both(given, puzzle.query)
        if checked.revised or not asked:
            return _UNREAD
        confirmed = asked_relations(puzzle)
        if puzzle.target in (YES, NO) and not confirmed:
            return _UNREAD
        if confirmed:
            judged = judge.confirm(given, puzzle.query, puzzle.target == YES, confirmed)
        else:
            judged = judge.judge(given, puzzle.query, puzzle.target)
        if not checked.in_doubt:
            return judged
        if judged.finding is Finding.PROVED and puzzle.target != CANNOT_BE_TOLD:
            return replace(judged, finding=Finding.PROVED_AS_READ)
        return _UNREAD

    def examined(self, table: pa.Table, readings: Readings) -> Iterator[Examined]:
        """Yield all that an audit finds of a table's puzzles. readings: of stories, as far as known."""
        for puzzle, checked, judgements in self.judged(table, readings):
            each: tuple[bool | None, ...] = (True,) * len(puzzle.facts)
            if checked.agreement is not Agreement.AGREES:
                each = self.text.each(puzzle.story, puzzle.facts)
            story = puzzle.story or _in_columns(puzzle)
            path = shortest_path(puzzle.steps, *puzzle.query)
            yield Examined(
                puzzle.id,
                puzzle.query,
                asked(puzzle, self._world),
                judgements,
                None if path is None else len(path.numbers),
                (_digest(story), _digest(puzzle.scene) if puzzle.scene else 0),
                checked.agreement,
                checked.why,
                tuple(zip(puzzle.roles, each, strict=True)),
                unread_edges(puzzle),
            )


def _in_columns(puzzle: Puzzle) -> str:
    """Return what a puzzle asks and gives, where it has no text."""
    return repr((puzzle.query, sorted(set(puzzle.facts)), *map(repr, puzzle.statements)))


def form_known(puzzle: Puzzle, world: World) -> bool:
    """Return whether the form of the second queried entity is known, or there are none."""
    return not world.forms or dict(puzzle.entities).get(puzzle.query[1]) in world.forms


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


# Data sets


_Judging = tuple[World, bool, tuple[str, ...]]  # what a `RowJudge` is made of; it travels by value
_Task = tuple[int, tuple[pa.Table, Readings]]  # the number of a part; its puzzles, what they say
_row_judge = thread_cached(RowJudge)
_UNUSED = [
    "question",
    "abstract",
    "sentences",
    "possible",
    "outside",
]  # columns that no audit looks at


def collect(
    data: Dataset,
    by_facts: bool = False,
    assume: str | None = None,
    executor: Executor | None = None,
) -> Iterator[tuple[str, str, Examined]]:
    """Yield every puzzle, examined, with its subset and split, "" where it is not known."""
    waiting: dict[int, Part] = {}

    def tasks() -> Iterator[_Task]:
        for number, part in enumerate(data.parts()):
            waiting[number] = part
            # A copy: of a slice, all that it is a slice of would be sent.
            every = pa.array(range(len(part.table)), pa.int64())
            yield number, (part.table.drop_columns(_UNUSED).take(every), part.readings)

    def name(task: _Task) -> str:
        part = waiting[task[0]]
        return f"{part.where}, puzzle {part.table['id'][0]} and those after it"

    judging: _Judging = data.world, by_facts, assumptions(data, assume)
    found = (executor or SerialExecutor()).run(_examine, judging, tasks(), name=name)
    for task, rows in in_order(found):
        part = waiting.pop(task[0])
        for row in rows:
            yield part.subset, part.split or "", row


def _examine(judging: _Judging, task: _Task) -> list[Examined]:
    """Examine the puzzles of a task where this runs on a worker."""
    _, (table, readings) = task
    return list(_row_judge(*judging).examined(table, readings))


def questions(data: Dataset, split: str) -> Counter[Asked]:
    """Return the questions of a split, or all where the data names none."""
    return Counter(
        one for table in data.split(split).values() for one in asked_in(table, data.world)
    )


def asked_in(table: pa.Table, world: World) -> Iterator[Asked]:
    """Yield what each puzzle of a table asks."""
    return (asked(puzzle, world) for puzzle in from_table(table.drop_columns(["story", *_UNUSED])))


def chosen(
    data: Dataset,
    only: str | None,
    assume: str | None = None,
    by_facts: bool = False,
    relabel: bool = False,
    allow_unread: bool = False,
) -> tuple[Dataset, dict[str, str]]:
    """Return the puzzles of a data set to keep, and how they are chosen: nothing if all are kept.

    - only: what the solver must find of a puzzle.
    - assume: the assumption it judges under; by default the data's, or else the theory's default.
    - by_facts: whether to trust the facts column, even where the text was not seen to state it.
    - relabel: whether a target that is refuted gives way to the answer that is proved, if there is one.
    - allow_unread: whether what is proved or entailed may be so by a part of the text, the rest of which was not
      understood.
    """
    if only is None and not relabel:
        if assume is not None or by_facts:
            raise ConfigError(
                "these only apply to rows that are chosen or relabelled",
                setting="assume, facts",
                hint=Hint("give {} or {}", (Give("only"), Give("relabel", True))),
            )
        return data, {}
    known = [*(finding.value for finding in Finding if finding is not Finding.OUTSIDE), ENTAILED]
    if only is not None and only not in known:
        raise ConfigError(f"is not one of {', '.join(known)}", setting="only", value=only)
    by_facts |= not data.has_text
    judged = assume or data.assume or data.world.theory.assumption().name
    judge = RowJudge(data.world, by_facts, (judged,))
    about = {"assume": judged, "judged_by": "facts" if by_facts else "text"}
    about |= {"only": only} if only else {}
    about |= {"allow_unread": "yes"} if allow_unread else {}
    changed: Counter[str] = Counter()

    def chosen_one(puzzle: Puzzle, judgements: Judgements) -> Puzzle | None:
        judgement = judgements[judged]
        if relabel and judgement.finding is Finding.REFUTED and asked_relations(puzzle):
            target = NO if puzzle.target == YES else YES
            changed[f"{puzzle.target} to {target}"] += 1
            puzzle = replace(puzzle, target=target)
            return chosen_one(puzzle, judge.judge(puzzle)[1])
        if (
            relabel
            and judgement.finding is Finding.REFUTED
            and len(judgement.possible) == 1
            and form_known(puzzle, data.world)
        ):
            (target,) = judgement.possible
            changed[f"{puzzle.target} to {target}"] += 1
            puzzle = replace(puzzle, target=target, abstract="", possible=None, outside=None)
            return chosen_one(puzzle, judge.judge(puzzle)[1])
        finding, entailed = judgement.finding, judgement.entailed
        if finding is Finding.PROVED_AS_READ and only in (Finding.PROVED, ENTAILED):
            finding = Finding.PROVED if allow_unread else finding
            entailed &= allow_unread
        kept = only is None or (entailed if only == ENTAILED else finding == only)
        return puzzle if kept else None

    def parts() -> Iterator[Part]:
        changed.clear()
        for part in data.parts():
            found = (
                chosen_one(puzzle, judgements)
                for puzzle, _, judgements in judge.judged(part.table, part.readings)
            )
            yield replace(part, table=to_table([puzzle for puzzle in found if puzzle is not None]))
            if relabel:
                told = ", ".join(f"{n} from {how}" for how, n in changed.most_common())
                about["relabelled"] = f"{changed.total()} ({told})" if told else "none"

    return replace(data, assume=judged, made=parts), about
