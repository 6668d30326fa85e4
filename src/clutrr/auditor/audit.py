"""Examine a data set, by subset and split: soundness, balance, leaks, shortcuts, ceilings."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clutrr.auditor.composition import Rules, TableParser
from clutrr.auditor.lookups import Fitted, pattern_ceiling
from clutrr.auditor.rows import Asked, Examined, Row, assumptions, collect
from clutrr.auditor.verdicts import good_for, problems, worst
from clutrr.data import Dataset
from clutrr.data.part import UNSPLIT
from clutrr.errors import DataError
from clutrr.measure import natural, percent
from clutrr.puzzle import ROLES
from clutrr.shown import Shown
from clutrr.theory import Finding
from clutrr.wording.check import Agreement
from clutrr.workers import Crew

HALVES = "every second row of the same subset, as no row is for training"
TRAIN = "the training rows"
_ALWAYS = ("proved", "entailed", "refuted", "undetermined")  # findings that are shown even if there are none


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
    patterns: shares. shortcuts, ceilings: none for training rows. composition_table: none if no training row
    has two facts. All shares are in percent.
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
    composition_table: dict[str, float] | None


@dataclass(frozen=True, repr=False)
class Audit(Shown):
    """What was found, as plain data that prints and goes into JSON.

    world: and how it was found. judged_by: "text", or "facts" if the column was trusted.
    assume: what the solver assumed, in turn. fitted_on: what look-ups and rules were fitted on, in words.
    subsets: by name and split. matrix: for each subset to fit on, and all together, and each to test on.
    good_for: what to use the data for. worst: the worst problem of each sort. verdicts: every real problem,
    in plain words; none for healthy data. composition_table: the rules that the training rows of two facts
    show.
    """

    world: str
    judged_by: str
    assume: tuple[str, ...]
    fitted_on: str
    subsets: dict[str, dict[str, Group]]
    matrix: list[dict[str, Any]]
    good_for: str
    worst: list[str]
    verdicts: list[str]
    composition_table: dict[str, Any] | None

    @property
    def caption(self) -> str:
        return f"Verdict: {self.good_for}"

    def rows(self) -> Iterator[list[str]]:
        judged = [one for *_, group in self.groups for one in group.soundness.values()]
        findings = [name for name in judged[0] if name in _ALWAYS or any(shares[name] for shares in judged)]
        yield ["subset", "split", "rows", "assuming", *(f"{name}, %" for name in findings)]
        for subset, split, group in self.groups:
            for assume, found in group.soundness.items():
                shares = (f"{found.get(finding, 0):g}" for finding in findings)
                yield [subset, split, f"{group.rows:,}", assume, *shares]

    @property
    def groups(self) -> list[tuple[str, str, Group]]:
        """Every group with its subset and split."""
        return [
            (name, split, group) for name, splits in self.subsets.items() for split, group in splits.items()
        ]


class _Gathered:
    """The rows of one subset and split, and how their text compares with the facts."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._counts: Counter[Agreement] = Counter()
        self._first: dict[str, str] = {}
        self._each: Counter[tuple[str, bool | None]] = Counter()
        self._unread: Counter[str] = Counter()

    def add(self, one: Examined) -> None:
        self.rows.append(one.row)
        self._counts[one.told] += 1
        if one.told not in (Agreement.AGREES, Agreement.NO_TEXT):
            self._first.setdefault(one.told.value, f"{one.id}: {one.why}")
        judged = list(one.row.judgements.values())[-1]
        if judged.finding is Finding.REFUTED:
            instead = " or ".join(judged.possible) or "no relation of the label set"
            self._first.setdefault("refuted", f"{one.id}: {one.row.target}, where {instead} is possible")
        self._each.update(zip(one.roles, one.each, strict=True))
        self._unread.update(edge.role for edge in one.unread)

    @property
    def text(self) -> dict[str, Any]:
        """How the text of the rows compares with their facts."""
        there = [told for told in Agreement if told in (*_TOLD, *self._counts)]
        return {
            **{told.value: percent(self._counts[told], len(self.rows)) for told in there},
            "first": self._first,
            "roles": {role: self._about(role) for role in ROLES},
        }

    def _about(self, role: str) -> dict[str, float]:
        right, wrong, neither = (self._each[role, found] for found in (True, False, None))
        read = right + wrong
        shares = {"read": percent(read, read + neither), "right": percent(right, read)}
        return {"facts": read + neither, **shares, "unread": self._unread[role]}


_Groups = Mapping[tuple[str, str], _Gathered]  # by subset and split


def audit(
    data: Dataset,
    by_facts: bool = False,
    assume: str | None = None,
    train_on: Sequence[int] | None = None,
    each: Callable[[str, str, Examined], None] = lambda subset, split, one: None,
    training_sets: Mapping[str, Sequence[Asked]] | None = None,
    crew: Crew | None = None,
) -> Audit:
    """Examine a data set. by_facts: trust its `facts` column even where the text was not read, or is none.

    assume: instead of the data's own assumption, or both. train_on: the lengths of the training rows that
    look-ups and rules are fitted on, instead of all. each: called with every puzzle. training_sets: by name,
    what the matrix is fitted on, instead of the training rows of each subset. crew: who judges the rows.
    """
    by_facts |= not data.has_text
    groups: _Groups = defaultdict(_Gathered)
    for name, split, one in collect(data, by_facts, assume, crew):
        key = name, split or UNSPLIT
        groups[key].add(one)
        each(*key, one)
    if not groups:
        raise DataError(f"{data.path}: contains no puzzles")
    fits = _Fits(groups, Rules(data.world), train_on)
    shown = [row for row in fits.train if row.k == 2]
    parser = TableParser(shown, data.world) if shown else None
    subsets: dict[str, dict[str, Group]] = {}
    for name, split in sorted(groups, key=lambda key: (natural(key[0]), _ORDER.get(key[1], 3), key[1])):
        group = _group(groups[name, split], split == "train", fits, parser)
        subsets.setdefault(name, {})[split] = group
    wrong = list(itertools.chain.from_iterable(problems(name, subsets[name], data.world) for name in subsets))
    return Audit(
        data.about_world,
        "facts" if by_facts else "text",
        assumptions(data, assume),
        fits.on,
        subsets,
        fits.matrix(subsets, training_sets),
        good_for(subsets, wrong, by_facts, data.has_facts),
        list(worst(wrong)),
        list(map(str, wrong)),
        parser.about if parser else None,
    )


_TOLD = (Agreement.AGREES, Agreement.DISAGREES, Agreement.UNREAD)  # always shown
_ORDER = {"train": 0, "validation": 1, "test": 2}


class _Fits:
    """What is fitted on what: on the training rows or, if there are none, on half of what is tested."""

    def __init__(self, groups: _Groups, rules: Rules, train_on: Sequence[int] | None) -> None:
        self._groups, self._rules = groups, rules
        by_subset = {
            name: [row for row in found.rows if train_on is None or row.k in train_on]
            for (name, split), found in groups.items()
            if split == "train"
        }
        if train_on is not None and not any(by_subset.values()):
            lengths = ", ".join(map(str, train_on))
            raise DataError(f"train-on: no training row of length {lengths}")
        self._by_subset = {name: found for name, found in by_subset.items() if found}
        names = sorted(self._by_subset, key=natural)
        self.train = list(itertools.chain.from_iterable(self._by_subset.values()))
        self._seen = {name: {key(row) for row in self.train} - {None} for name, key in _KEYS.items()}
        self._names = {name for row in self.train for name in row.query}
        self.on = f"{TRAIN} of {' + '.join(names)} ({len(self.train):,})" if self.train else HALVES
        self.pooled = Fitted(" + ".join(names), self.train, rules) if self.train else None

    def of(self, rows: Sequence[Row]) -> tuple[Fitted[Row], Sequence[Row]]:
        """Return what to try on these rows, and which of them."""
        if self.pooled is not None:
            return self.pooled, rows
        return Fitted("", rows[::2], self._rules), rows[1::2] or rows

    def matrix(
        self, subsets: Iterable[str], training_sets: Mapping[str, Sequence[Asked]] | None
    ) -> list[dict[str, Any]]:
        """Return what look-ups and rules answer, fitted on each training set and tried on each subset.

        training_sets: None for the training rows of each subset, then of all; or else of what is tested.
        """
        tested = {name: self._tested(name) for name in subsets}
        halved = training_sets is None and self.pooled is None
        known: Mapping[str, Sequence[Asked]] = tested
        if training_sets is not None:
            known = training_sets
        elif self.pooled is not None:
            known = {name: self._by_subset[name] for name in tested if name in self._by_subset}
        fitted: list[Fitted[Any]] = [Fitted(name, rows, self._rules) for name, rows in known.items()]
        if training_sets is None and self.pooled is not None and len(fitted) > 1:
            fitted.append(self.pooled)
        cells = []
        for one in fitted:
            for name, rows in tested.items():
                fit, tried = self.of(rows) if halved and one.name == name else (one, rows)
                cells.append({"train": one.name, "test": name, **fit.cell(tried)})
        return cells

    def leaks(self, rows: Sequence[Row], tested: bool) -> Leaks:
        """Return what the rows give away. tested: False for training rows, not looked for in train."""

        def share(name: str) -> float | None:
            keys = [key for key in map(_KEYS[name], rows) if key is not None]
            if not self.train or not tested or not keys:
                return None
            return percent(sum(key in self._seen[name] for key in keys), len(keys))

        def part(found: Iterable[bool]) -> float:
            return percent(sum(found), len(rows))

        stories = set(map(_KEYS["story"], rows))
        return Leaks(
            share("story"),
            share("query and answer"),
            share("scene") if self._seen["scene"] else None,
            share("pattern"),
            part(self._names.issuperset(row.query) for row in rows) if self.train and tested else None,
            share("pair"),
            percent(len(rows) - len(stories), len(rows)),
            part(row.shortest == 1 for row in rows),
            part(row.shortest is not None and row.shortest < row.k for row in rows),
        )

    def _tested(self, name: str) -> list[Row]:
        """Return the test rows of a subset, or what else it has."""
        splits = {split: found.rows for (subset, split), found in self._groups.items() if subset == name}
        return splits.get("test") or splits.get("validation") or splits.get(UNSPLIT) or splits["train"]


_KEYS: dict[str, Callable[[Row], Hashable]] = {
    "story": lambda row: row.digests[0],
    "query and answer": lambda row: (row.query, row.target),
    "scene": lambda row: row.digests[1] or None,
    "pattern": lambda row: row.pattern,
    "pair": lambda row: row.query,
}


def _group(found: _Gathered, train: bool, fits: _Fits, parser: TableParser | None) -> Group:
    rows = found.rows
    fitted, tried = fits.of(rows)
    return Group(
        rows=len(rows),
        k=rows[0].k,
        text=found.text,
        soundness={one: _soundness(rows, one) for one in rows[0].judgements},
        labels=_shares(row.target for row in rows),
        patterns=_shares("-".join(row.pattern) for row in rows),
        leaks=fits.leaks(rows, tested=not train),
        shortcuts=None if train else fitted.shortcuts(tried),
        ceilings=None
        if train
        else {"rules shown in train": fitted.ceiling(tried), "pattern": pattern_ceiling(rows)},
        composition_table=None if train or parser is None else parser.shares(rows),
    )


def _soundness(rows: Sequence[Row], assume: str) -> dict[str, float]:
    found = [row.judgements[assume] for row in rows]
    counts = Counter(one.finding for one in found)
    shares = {finding.value: percent(counts[finding], len(rows)) for finding in Finding}
    return {**shares, "entailed": percent(sum(one.entailed for one in found), len(rows))}


def _shares(values: Iterable[str]) -> dict[str, float]:
    counts = Counter(values)
    total = counts.total()
    return {value: percent(counts[value], total) for value in sorted(counts, key=lambda v: (-counts[v], v))}
