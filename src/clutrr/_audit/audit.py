"""Examine a data set, by subset and split: soundness, balance, leaks, shortcuts, ceilings.

Rows are examined one after the other, and counted. Of each, only a few numbers are kept: digests of its story
and its scene, to look for them in other splits; and its names and its question, which are numbered.
"""

import itertools
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from clutrr._arguments import LocationLike, public
from clutrr._audit.findings import findings_file
from clutrr._audit.lookups import Fitted, Questions, Rules, pattern_ceiling
from clutrr._audit.rows import ENTAILED, FORM_OPEN, Asked, Examined, assumptions, collect
from clutrr._audit.verdicts import good_for, problems, unusable, worst
from clutrr._books.audit import audit_book
from clutrr._books.load import is_book, open_book
from clutrr._config import read_numbers
from clutrr._data import Dataset
from clutrr._data.given import DataLike, WorldLike, open_data
from clutrr._data.part import UNSPLIT
from clutrr._display import Shown
from clutrr._io.executors import Executor, SerialExecutor, open_executor
from clutrr._io.locations import parse_location
from clutrr._measure import natural, percent
from clutrr._puzzle import NOISE, ROLES
from clutrr._reading.agreement import Agreement
from clutrr.errors import ConfigError, DataError
from clutrr.theory import Finding

HALVES = "every second row of the same subset, as no row is for training"
TRAIN = "the training rows"
_ALWAYS = (
    "proved",
    "entailed",
    "refuted",
    "undetermined",
)  # findings that are shown even if there are none
_TOLD = (Agreement.AGREES, Agreement.DISAGREES, Agreement.UNREAD)  # always shown
_ORDER = {"train": 0, "validation": 1, "test": 2}
Array = npt.NDArray[Any]
# What is kept of a row: digests of its story and its scene, the numbers of its two names and of its question.
_ROW = np.dtype([(name, np.uint64) for name in ("story", "scene", "first", "last", "asked")])


@dataclass(frozen=True)
class Leaks:
    """Shares of the rows, in percent; None if the data does not say.

    Of rows that are tested: which have their story, query and answer, scene, pattern, both queried names,
    or the pair of these in train. Of all: stories that appear twice; the queried relation stated by a fact;
    a way between the two queried entities that is shorter than the route.
    Where there is no text, facts and query are the story.
    """

    story_in_train: float | None
    query_and_answer_in_train: float | None
    scene_in_train: float | None
    pattern_in_train: float | None
    names_in_train: float | None
    name_pair_in_train: float | None
    story_twice: float
    answer_stated: float
    shorter_path: float


@dataclass(frozen=True)
class Group:
    """The rows of one subset and split.

    text: how the text compares with the facts, the first row of each sort of failure, and `roles`: by role,
    how many facts there are, of how many a relation of the two entities was read, how many of those are
    right, and how many edges that only the text states were not read. soundness: by assumption. labels,
    patterns: shares. shortcuts, ceilings: none for training rows. All shares are in percent.
    """

    rows: int
    k: int
    text: dict[str, Any]
    soundness: dict[str, dict[str, float]]
    labels: dict[str, float]
    patterns: dict[str, float]
    leaks: Leaks
    shortcuts: dict[str, float] | None
    ceilings: dict[str, float] | None


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """What was found, as plain data that prints and goes into JSON.

    world: and how it was found. judged_by: "text", or "facts" if the column was trusted.
    assume: what the solver assumed, in turn. fitted_on: what look-ups and rules were fitted on, in words.
    subsets: by name and split. matrix: for each subset to fit on, and all together, and each to test on.
    unusable: why rows could not be read, with how many and the first of them; none where they were left out
    (`skip_bad`). good_for: what to use the data for. worst: the worst problem of each sort. verdicts: every real problem,
    in plain words; none for healthy data. data: what was examined.
    """

    world: str
    judged_by: str
    assume: tuple[str, ...]
    fitted_on: str
    subsets: dict[str, dict[str, Group]]
    matrix: list[dict[str, Any]]
    unusable: list[dict[str, Any]]
    good_for: str
    worst: list[str]
    verdicts: list[str]
    data: Dataset

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        found = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "data"}
        found["subsets"] = {
            name: {split: asdict(group) for split, group in splits.items()}
            for name, splits in self.subsets.items()
        }
        about = {"data": str(self.data.path), "kind": self.data.kinds}
        return {**about, **found, **self.data.notes.to_json()}

    @property
    def caption(self) -> str:
        return f"Verdict: {self.good_for}"

    def rows(self) -> Iterator[list[str]]:
        judged = [one for *_, group in self.groups for one in group.soundness.values()]
        findings = [
            name for name in judged[0] if name in _ALWAYS or any(shares[name] for shares in judged)
        ]
        yield ["subset", "split", "rows", "assuming", *(f"{name}, %" for name in findings)]
        for subset, split, group in self.groups:
            for assume, found in group.soundness.items():
                shares = (f"{found.get(finding, 0):g}" for finding in findings)
                yield [subset, split, f"{group.rows:,}", assume, *shares]

    @property
    def groups(self) -> list[tuple[str, str, Group]]:
        """Every group with its subset and split."""
        return [
            (name, split, group)
            for name, splits in self.subsets.items()
            for split, group in splits.items()
        ]


_Numbers = defaultdict[Any, int]  # of things, as they come


def _numbers() -> _Numbers:
    return defaultdict(itertools.count().__next__)


class _Gathered:
    """The rows of one subset and split: a few numbers of each, and what was counted."""

    def __init__(self, names: _Numbers, asked: _Numbers) -> None:
        self._names, self._asked = names, asked
        self._numbers = array("Q")
        self.soundness: dict[str, Counter[str]] = {}  # by assumption
        self._told: Counter[Agreement] = Counter()
        self._first: dict[str, str] = {}
        self._read: Counter[tuple[str, bool | None]] = Counter()
        self._unread: Counter[str] = Counter()
        # Rows whose ends a fact joins, or a way that is shorter than the route.
        self.stated = self.shorter = 0

    @property
    def rows(self) -> Array:
        """Every row, of type `_ROW`."""
        return np.frombuffer(self._numbers, _ROW)

    def add(self, one: Examined) -> None:
        first, last = one.query
        self._numbers.extend(
            (*one.digests, self._names[first], self._names[last], self._asked[one.asked])
        )
        for assume, judged in one.judgements.items():
            counts = self.soundness.setdefault(assume, Counter())
            counts[judged.finding] += 1
            counts[ENTAILED] += judged.entailed and judged.finding is Finding.PROVED
            counts[FORM_OPEN] += judged.form_open and judged.finding is Finding.UNDETERMINED
        self._told[one.told] += 1
        if one.told not in (Agreement.AGREES, Agreement.NO_TEXT):
            self._first.setdefault(one.told.value, f"{one.id}: {one.why}")
        if judged.finding is Finding.REFUTED:
            instead = " or ".join(judged.possible) or "no relation of the label set"
            self._first.setdefault(
                "refuted", f"{one.id}: {one.asked.target}, where {instead} is possible"
            )
        self._read.update(one.read)
        self._unread.update(role for *_, role in one.unread)
        if one.shortest is not None:
            self.stated += one.shortest == 1
            self.shorter += one.shortest < one.asked.k

    @property
    def text(self) -> dict[str, Any]:
        """How the text of the rows compares with their facts."""
        there = [told for told in Agreement if told in (*_TOLD, *self._told)]
        roles = {}
        there_too = {role for role, _ in self._read} - {*NOISE}
        for role in (ROLES[0], *NOISE, *sorted(there_too - {ROLES[0]})):
            right, wrong, neither = (self._read[role, found] for found in (True, False, None))
            known = right + wrong
            shares = {"read": percent(known, known + neither), "right": percent(right, known)}
            roles[role] = {"facts": known + neither, **shares, "unread": self._unread[role]}
        told = {told.value: percent(self._told[told], self._told.total()) for told in there}
        return {**told, "first": self._first, "roles": roles}


_Groups = dict[tuple[str, str], _Gathered]  # by subset and split


@public
def audit(
    data: DataLike,
    *,
    world: WorldLike | None = None,
    facts: bool = False,
    assume: str | None = None,
    train_on: Any = None,
    rows: LocationLike | None = None,
    skip_bad: bool = False,
    cluster: str | None = None,
    tick: Callable[[int], None] = lambda rows: None,
) -> Any:
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings. Returns an `Audit`.

    Of a book, every answer is proved again from the texts of its articles; returns a `BookAudit`.

    - facts: whether to trust the facts column where the text was not seen to state it
    - assume: which scenes are possible, instead of the data's own assumption or each in turn
    - train_on: lengths of the training rows to fit look-ups and rules on, 3 or "1-3", instead of all
    - rows: a .parquet or .jsonl file for the finding of each row
    - skip_bad: whether to leave out rows and files that cannot be read; otherwise such rows are a finding, `unusable`,
      and such a file is refused
    - cluster: the address of a Dask scheduler, whose workers judge the rows
    - tick: called with how many more rows are judged

    >>> from clutrr import generate
    >>> audit(generate(k=2, size=50)).subsets["M2"]["train"].soundness["tree"]["proved"]
    100.0
    """
    if is_book(data):
        for name, value in (
            ("facts", facts),
            ("assume", assume),
            ("train_on", train_on),
            ("rows", rows),
        ):
            if value:
                raise ConfigError("is for puzzles, and the data is a book", setting=name)
        return audit_book(open_book(data), tick)
    opened = open_data(data, world, skip_bad=skip_bad, skip_rows=True)
    if assume is not None:
        assume = opened.world.theory.assumption(assume).name
    lengths = None if train_on is None else read_numbers(train_on, "train_on")
    file = nullcontext() if rows is None else findings_file(parse_location(rows))
    with open_executor(cluster, SerialExecutor()) as executor, file as writer:

        def each(subset: str, split: str, one: Examined) -> None:
            if writer is not None:
                writer.add(subset, split, one)
            tick(1)

        found = examine(opened, facts, assume, lengths, each, executor=executor)
        if writer is not None and found.unusable:
            for error in opened.notes.skipped:
                writer.add_unusable(error)
        return found


def examine(
    data: Dataset,
    by_facts: bool = False,
    assume: str | None = None,
    train_on: Sequence[int] | None = None,
    each: Callable[[str, str, Examined], None] = lambda subset, split, one: None,
    training_sets: Mapping[str, Questions] | None = None,
    executor: Executor | None = None,
) -> Audit:
    """Examine an open data set.

    - by_facts: trust its `facts` column even where the text was not read, or is none
    - assume: instead of the data's own assumption, or both
    - train_on: the lengths of the training rows that look-ups and rules are fitted on, instead of all
    - each: called with every puzzle
    - training_sets: by name, what the matrix is fitted on, instead of the training rows of each subset
    - executor: who judges the rows
    """
    by_facts |= not data.has_text
    groups: _Groups = {}
    names, asked = _numbers(), _numbers()
    for name, split, one in collect(data, by_facts, assume, executor):
        key = name, split or UNSPLIT
        if key not in groups:
            groups[key] = _Gathered(names, asked)
        groups[key].add(one)
        each(*key, one)
    notes = data.notes
    if not groups:
        if notes.skipped and not notes.skip_bad:
            raise notes.skipped[0]
        raise DataError("contains no puzzles", place=data.path)
    bad = [] if notes.skip_bad else notes.unusable()
    groups = dict(sorted(groups.items(), key=_place))
    fits = _Fits(groups, len(names), list(asked), Rules(data.world), train_on)
    subsets: dict[str, dict[str, Group]] = {}
    for (name, split), found in groups.items():
        subsets.setdefault(name, {})[split] = _group(found, split == "train", fits)
    wrong = list(unusable(bad, sum(len(found.rows) for found in groups.values())))
    for name, splits in subsets.items():
        wrong += problems(name, splits, data.world)
    return Audit(
        data.about_world,
        "facts" if by_facts else "text",
        assumptions(data, assume),
        fits.on,
        subsets,
        fits.matrix(subsets, training_sets),
        bad,
        good_for(subsets, wrong, by_facts, data.has_facts),
        list(worst(wrong)),
        list(map(str, wrong)),
        data,
    )


def _place(group: tuple[tuple[str, str], _Gathered]) -> tuple[Any, ...]:
    (name, split), _ = group
    return natural(name), _ORDER.get(split, 3), split


class _Fits:
    """What is fitted on what: on the training rows or, if there are none, on half of what is tested.

    names: how many there are. asked: the questions by number.
    """

    def __init__(
        self,
        groups: _Groups,
        names: int,
        asked: list[Asked],
        rules: Rules,
        train_on: Sequence[int] | None,
    ) -> None:
        self._groups, self._asked, self._rules = groups, asked, rules
        # Of each question: labels are numbered by name.
        labels = sorted({one.target for one in asked})
        patterns = _numbers()
        self._names, self._labels = names, len(labels)
        self._target = np.array([labels.index(one.target) for one in asked], np.uint64)
        self._pattern = np.array([patterns[one.pattern] for one in asked])
        fit = np.array([train_on is None or one.k in train_on for one in asked])
        trained = {name: found.rows for (name, split), found in groups.items() if split == "train"}
        trained = {name: rows[fit[rows["asked"]]] for name, rows in trained.items()}
        self._trained = {name: rows for name, rows in trained.items() if len(rows)}
        if train_on is not None and not self._trained:
            lengths = ", ".join(map(str, train_on))
            raise DataError(f"no training row of length {lengths}", setting="train_on")
        names_on = " + ".join(self._trained)
        self._train = np.concatenate([np.zeros(0, _ROW), *self._trained.values()])
        self.on = f"{TRAIN} of {names_on} ({len(self._train):,})" if self._trained else HALVES
        self._pooled = self._fitted(names_on, self._train) if self._trained else None
        self._seen = self._keys(self._train)

    def counted(self, rows: Array) -> Questions:
        """Return the questions of rows, and how often each is asked."""
        numbers, times = np.unique(rows["asked"], return_counts=True)
        return {
            self._asked[number]: n
            for number, n in zip(numbers.tolist(), times.tolist(), strict=True)
        }

    def _fitted(self, name: str, rows: Array) -> Fitted:
        return Fitted(name, self.counted(rows), self._rules)

    def _of(self, rows: Array) -> tuple[Fitted, Array, Array]:
        """Return what to try on these rows, what that is fitted on, and which of them to try."""
        if self._pooled is not None:
            return self._pooled, self._train, rows
        return self._fitted("", rows[::2]), rows[::2], rows[1::2] if len(rows) > 1 else rows

    def matrix(
        self, subsets: Iterable[str], training_sets: Mapping[str, Questions] | None
    ) -> list[dict[str, Any]]:
        """Return what look-ups and rules answer, fitted on each training set and tried on each subset.

        training_sets: None for the training rows of each subset, then of all; or else of what is tested.
        """
        tested = {name: self._tested(name) for name in subsets}
        counts = {name: self.counted(rows) for name, rows in tested.items()}
        halved = training_sets is None and self._pooled is None
        if training_sets is None:
            fitted = [self._fitted(name, rows) for name, rows in (self._trained or tested).items()]
            fitted += [self._pooled] if self._pooled is not None and len(fitted) > 1 else []
        else:
            fitted = [Fitted(name, known, self._rules) for name, known in training_sets.items()]
        cells = []
        for one in fitted:
            for name, rows in tested.items():
                if halved and one.name == name:
                    half, _, rest = self._of(rows)
                    cell = half.cell(self.counted(rest))
                else:
                    cell = one.cell(counts[name])
                cells.append({"train": one.name, "test": name, **cell})
        return cells

    def without_understanding(self, rows: Array) -> tuple[dict[str, float], dict[str, float]]:
        """Return the shortcuts and the ceilings of rows."""
        fitted, known, tried = self._of(rows)
        counts = self.counted(tried)
        ceilings = {
            "rules shown in train": fitted.ceiling(counts),
            "pattern": pattern_ceiling(self.counted(rows)),
        }
        return {**fitted.shortcuts(counts), "the two names": self._by_names(known, tried)}, ceilings

    def _by_names(self, known: Array, tested: Array) -> float:
        """Return the percent answered by what two names have most often, or else by the majority label."""
        answers, times = np.unique(self._keys(known)["answer"], return_counts=True)
        pairs = answers // self._labels
        order = np.lexsort((-times, pairs))  # of several, the first by name
        _, first = np.unique(pairs[order], return_index=True)
        majority = np.bincount(self._target[known["asked"]]).argmax()
        keys = self._keys(tested)
        guessed = ~np.isin(keys["pair"], pairs) & (self._target[tested["asked"]] == majority)
        right = np.isin(keys["answer"], answers[order][first]) | guessed
        return percent(int(right.sum()), len(tested))

    def _keys(self, rows: Array) -> dict[str, Array]:
        """Return what is compared of rows, as numbers."""
        pair = rows["first"] * self._names + rows["last"]
        return {
            "story": rows["story"],
            "scene": rows["scene"][rows["scene"] > 0],
            "pair": pair,
            "answer": pair * self._labels + self._target[rows["asked"]],
            "pattern": self._pattern[rows["asked"]],
        }

    def leaks(self, found: _Gathered, tested: bool) -> Leaks:
        """Return what rows give away. tested: False for training rows, which are not looked for in train."""
        rows = found.rows
        keys = self._keys(rows)

        def share(name: str) -> float | None:
            if not self._trained or not tested or not len(keys[name]):
                return None
            return percent(int(np.isin(keys[name], self._seen[name]).sum()), len(keys[name]))

        names_known = None
        if self._trained and tested:
            names = np.concatenate((self._train["first"], self._train["last"]))
            both = np.isin(rows["first"], names) & np.isin(rows["last"], names)
            names_known = percent(int(both.sum()), len(rows))
        return Leaks(
            share("story"),
            share("answer"),
            share("scene") if len(self._seen["scene"]) else None,
            share("pattern"),
            names_known,
            share("pair"),
            percent(len(rows) - len(np.unique(rows["story"])), len(rows)),
            percent(found.stated, len(rows)),
            percent(found.shorter, len(rows)),
        )

    def _tested(self, name: str) -> Array:
        """Return the test rows of a subset, or what else it has."""
        splits = {
            split: found.rows for (subset, split), found in self._groups.items() if subset == name
        }
        return next(
            splits[split] for split in ("test", "validation", UNSPLIT, "train") if split in splits
        )


def _group(found: _Gathered, train: bool, fits: _Fits) -> Group:
    rows = found.rows
    counts = fits.counted(rows)
    shortcuts, ceilings = (None, None) if train else fits.without_understanding(rows)
    return Group(
        rows=len(rows),
        k=next(iter(counts)).k,
        text=found.text,
        soundness={
            assume: {
                name: percent(counted[name], len(rows))
                for name in (*map(str, Finding), ENTAILED, FORM_OPEN)
            }
            for assume, counted in found.soundness.items()
        },
        labels=_shares(counts, lambda asked: asked.target),
        patterns=_shares(counts, lambda asked: "-".join(asked.pattern)),
        leaks=fits.leaks(found, tested=not train),
        shortcuts=shortcuts,
        ceilings=ceilings,
    )


def _shares(asked: Questions, value: Callable[[Asked], str]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for one, times in asked.items():
        counts[value(one)] += times
    total = counts.total()
    return {
        name: percent(counts[name], total)
        for name in sorted(counts, key=lambda one: (-counts[one], one))
    }
