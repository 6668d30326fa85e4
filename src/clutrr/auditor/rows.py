"""The rows that an audit looks at: what each puzzle asks, answers and states, subset by subset."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa

from clutrr.data import Dataset, Part
from clutrr.data.part import Unread, unread_edges, unread_sentences
from clutrr.errors import ConfigError
from clutrr.facts import shortest_path, walk
from clutrr.puzzle import Fact, Puzzle
from clutrr.solver import Judge, Judgement
from clutrr.table import SCHEMA, from_table, to_table
from clutrr.theory import Finding
from clutrr.wording.check import Agreement, Checked, TextCheck
from clutrr.workers import Crew, Here, in_order, thread_cached
from clutrr.world import World

ENTAILED = "entailed"
Pattern = tuple[str, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question without its story: enough to fit look-ups on. kind: of the target."""

    query: tuple[str, str]
    target: str
    kind: str
    routes: tuple[Pattern, ...]

    @property
    def k(self) -> int:
        return len(self.routes[0]) if self.routes else 0

    @property
    def pattern(self) -> Pattern:
        return self.routes[0] if len(self.routes) == 1 else sum(self.routes, ())


def asked(puzzle: Puzzle, world: World) -> Asked:
    """Return the question of a puzzle."""
    return Asked(puzzle.query, puzzle.target, _kind(puzzle, world), _shared(puzzle.routes))


@dataclass(frozen=True, slots=True)
class Row(Asked):
    """What an audit keeps of a puzzle.

    form: of the second queried entity, "" where it is not known. relations: the labels along the route; a
    kind where the form is not known. judgements: the solver's, of the target, under each assumption.
    shortest: facts on the shortest way between the two queried entities, None where there is no way.
    digests: of the story and the scene, to compare them.
    """

    form: str
    relations: tuple[str, ...]
    judgements: Mapping[str, Judgement]
    shortest: int | None
    digests: tuple[bytes, bytes]

    @property
    def proved(self) -> bool:
        """Under the first assumption."""
        return next(iter(self.judgements.values())).finding is Finding.PROVED


class Examined(NamedTuple):
    """A puzzle that was examined, and the row that is kept of it.

    roles: of its facts. unread: edges that could not be read. told: what the text says of the facts, and why
    (see `Checked`); each: of each of them (see `TextCheck.each`).
    """

    row: Row
    id: str
    roles: tuple[str, ...]
    unread: tuple[Unread, ...]
    told: Agreement
    why: str
    each: tuple[bool | None, ...]


@lru_cache(1 << 16)
def _shared(value: T) -> T:
    """Return the value; of equal ones, the same object."""
    return value


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
        self.text = TextCheck(world)
        self._by_facts = by_facts
        self._unread = dict.fromkeys(self._judges, Judgement(Finding.UNREAD, entailed=False))

    def judge(self, puzzle: Puzzle) -> tuple[Checked, Mapping[str, Judgement]]:
        """Return what the text says of the facts, and what the solver says of the target."""
        checked = self.text.check(puzzle.story, puzzle.facts, puzzle.entities)
        if left := unread_sentences(puzzle):
            checked = Checked(Agreement.UNREAD, (), f"not read: {left[0]}")
        facts = puzzle.facts if self._by_facts else checked.facts
        named = {name for head, _, tail in facts for name in (head, tail)}
        read = self._by_facts or (
            checked.agreement in (Agreement.AGREES, Agreement.DISAGREES) and bool(facts)
        )
        if not read or not named.issuperset(puzzle.query):
            return checked, self._unread
        return checked, {one: self._judged(judge, facts, puzzle) for one, judge in self._judges.items()}

    def _judged(self, judge: Judge, facts: Sequence[Fact], puzzle: Puzzle) -> Judgement:
        """Return the judgement of the target; of its kind alone where nothing shows the entity's form."""
        words = [puzzle.target]
        if puzzle.target in self._world.meaning and not form_known(puzzle, self._world):
            words += self._world.meaning[puzzle.target].kind.words
        found = [judge.judge(facts, puzzle.query, word) for word in words]
        return next((one for one in found if one.finding is not Finding.REFUTED), found[0])


@dataclass(frozen=True)
class _Judging:
    """All that a worker needs to examine puzzles; it travels by value."""

    world: World
    by_facts: bool
    assume: tuple[str, ...]

    def examine(self, puzzles: Iterable[Puzzle]) -> list[Examined]:
        judge = _judge((self.world.digest, self.by_facts, self.assume), self)
        # Equal judgements are one object: when rows travel, it is sent once.
        alike: dict[tuple[object, ...], Mapping[str, Judgement]] = {}
        found = []
        for puzzle in puzzles:
            checked, judgements = judge.judge(puzzle)
            path = shortest_path(puzzle.facts, *puzzle.query)
            row = Row(
                _shared(puzzle.query),
                _shared(puzzle.target),
                _kind(puzzle, self.world),
                _shared(puzzle.routes),
                dict(puzzle.entities).get(puzzle.query[1], ""),
                _relations(puzzle, self.world),
                alike.setdefault(tuple(judgements.items()), judgements),
                None if path is None else len(path.numbers),
                (
                    _digest(puzzle.story or repr((puzzle.query, sorted(set(puzzle.facts))))),
                    _digest(puzzle.scene) if puzzle.scene else b"",
                ),
            )
            found.append(
                Examined(
                    row,
                    puzzle.id,
                    puzzle.roles,
                    unread_edges(puzzle),
                    checked.agreement,
                    checked.why,
                    _each(judge.text, puzzle, checked),
                )
            )
        return found


@thread_cached
def _judge(judging: _Judging) -> RowJudge:
    return RowJudge(judging.world, judging.by_facts, judging.assume)


def collect(
    data: Dataset, by_facts: bool = False, assume: str | None = None, crew: Crew | None = None
) -> Iterator[tuple[str, str, Examined]]:
    """Yield every puzzle, examined, with its subset and split, "" where it is not known."""
    judging = _Judging(data.world, by_facts, assumptions(data, assume))
    for part, rows in _examined(data, judging, crew):
        for row in rows:
            yield part.subset, part.split or "", row


def _examined(data: Dataset, judging: _Judging, crew: Crew | None) -> Iterator[tuple[Part, list[Examined]]]:
    """Yield the parts of the data in order, each with its puzzles."""
    waiting: dict[int, Part] = {}

    def tasks() -> Iterator[tuple[int, bytes]]:
        for number, part in enumerate(data.parts()):
            waiting[number] = part
            yield number, _packed(_needed(part.table))

    def name(task: tuple[int, bytes]) -> str:
        part = waiting[task[0]]
        return f"{part.where}, puzzle {part.table['id'][0]} and those after it"

    found = (crew or Here()).run(_examine_packed, judging, tasks(), name=name)
    for task, rows in in_order(found):
        yield waiting.pop(task[0]), rows


def _examine_packed(judging: _Judging, task: tuple[int, bytes]) -> list[Examined]:
    """Examine the puzzles of a task where this runs on a worker."""
    return judging.examine(from_table(pa.ipc.open_stream(task[1]).read_all()))


def _needed(table: pa.Table) -> pa.Table:
    """Return the same without what no row of an audit keeps, and what takes longest to turn into objects."""
    empty: dict[str, Any] = {"abstract": "", "sentences": []}
    for name, nothing in empty.items():
        at = SCHEMA.get_field_index(name)
        column = pa.array([nothing] * len(table), SCHEMA.field(at).type)
        table = table.set_column(at, SCHEMA.field(at), column)
    return table


def _packed(table: pa.Table) -> bytes:
    """Return the table as bytes; pickle would send the whole table that this one is a slice of."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def questions(data: Dataset, split: str) -> list[Asked]:
    """Return the questions of a split, or all where the data names none."""
    tables = data.split(split).values()
    return [asked(puzzle, data.world) for table in tables for puzzle in from_table(table)]


def _kind(puzzle: Puzzle, world: World) -> str:
    """Return the kind of the target; the target itself where it is not a relation of the world."""
    return world.meaning[puzzle.target][0].name if puzzle.target in world.meaning else puzzle.target


def form_known(puzzle: Puzzle, world: World) -> bool:
    """Return whether the form of the second queried entity is known, or there are none."""
    return not world.forms or dict(puzzle.entities).get(puzzle.query[1]) in world.forms


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def _each(text: TextCheck, puzzle: Puzzle, checked: Checked) -> tuple[bool | None, ...]:
    if checked.agreement is Agreement.AGREES:
        return (True,) * len(puzzle.facts)
    return text.each(puzzle.story, puzzle.facts, puzzle.entities)


def _relations(puzzle: Puzzle, world: World) -> tuple[str, ...]:
    forms = {name: world.labels.form(form) for name, form in puzzle.entities}
    found = []
    for at, route in enumerate(puzzle.routes):
        along = walk(puzzle.facts[at * puzzle.k : (at + 1) * puzzle.k], puzzle.query[0]) or []
        found += [_word(kind, forms.get(name), world) for kind, name in zip(route, along[1:], strict=True)]
    relations: Pattern = _shared(tuple(found))
    return relations


def _word(kind: str, form: int | None, world: World) -> str:
    """Return the label of a kind; the kind itself where the form is not known."""
    words = world.kind(kind).words
    return words[0] if len(words) == 1 else kind if form is None else words[form]


def chosen(
    data: Dataset, only: str | None, assume: str | None = None, by_facts: bool = False, relabel: bool = False
) -> tuple[Dataset, dict[str, str]]:
    """Return the puzzles of a data set to keep, and how they are chosen: nothing if all are kept.

    - only: what the solver must find of a puzzle.
    - assume: the assumption it judges under; by default the data's, or else the theory's default.
    - by_facts: whether to trust the facts column, even where the text was not seen to state it.
    - relabel: whether a target that is refuted gives way to the answer that is proved, if there is one.
    """
    if only is None and not relabel:
        if assume is not None or by_facts:
            raise ConfigError("--assume and --facts only apply with --only or --relabel")
        return data, {}
    known = [*(finding.value for finding in Finding if finding is not Finding.OUTSIDE), ENTAILED]
    if only is not None and only not in known:
        raise ConfigError(f"only: {only!r} is not one of {', '.join(known)}")
    by_facts |= not data.has_text
    judged = assume or data.assume or data.world.theory.assumption().name
    judge = RowJudge(data.world, by_facts, (judged,))
    about = {"assume": judged, "judged_by": "facts" if by_facts else "text"}
    about |= {"only": only} if only else {}
    changed: Counter[str] = Counter()

    def kept(puzzle: Puzzle) -> Puzzle | None:
        judgement = judge.judge(puzzle)[1][judged]
        if (
            relabel
            and judgement.finding is Finding.REFUTED
            and len(judgement.possible) == 1
            and form_known(puzzle, data.world)
        ):
            (target,) = judgement.possible
            changed[f"{puzzle.target} to {target}"] += 1
            return kept(replace(puzzle, target=target, abstract="", possible=None, outside=None))
        found = only is None or (judgement.entailed if only == ENTAILED else judgement.finding == only)
        return puzzle if found else None

    def parts() -> Iterator[Part]:
        changed.clear()
        for part in data.parts():
            found = [puzzle for puzzle in map(kept, part.puzzles) if puzzle is not None]
            yield replace(part, table=to_table(found))
            if relabel:
                told = ", ".join(f"{n} from {how}" for how, n in changed.most_common())
                about["relabelled"] = f"{changed.total()} ({told})" if told else "none"

    return replace(data, assume=judged, made=parts), about
