"""Examine a data set: soundness, balance, leaks, shortcuts, ceilings; and what is wrong with it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from clutrr.auditor.ceilings import Rules, pattern_ceiling, rule_ceiling
from clutrr.auditor.composition import TableParser
from clutrr.auditor.lookups import LOOKUPS, PARTS, accuracy, labels_known, part_accuracy
from clutrr.auditor.rows import Row, Subset, collect
from clutrr.auditor.words import bag_of_words_accuracy
from clutrr.data import Dataset
from clutrr.errors import DataError
from clutrr.facts import shortest_path
from clutrr.measure import percent
from clutrr.solver import Finding
from clutrr.wording.check import Told
from clutrr.world import World

_MOST_FITTED = 5000  # rows on which the bag of words is fitted


@dataclass(frozen=True)
class Audit:
    """What was found, as plain data that prints and goes into JSON.

    world: and how it was found. judged_by: "text", or "facts" where the column was taken at its word.
    subsets: by name. matrix: for each subset to fit on and each to test on. verdicts: real
    problems, in plain words; none for healthy data. composition_table: the rules that the training
    rows of two facts show; none where there are no such rows.
    """

    data: str
    world: str
    judged_by: str
    subsets: dict[str, dict[str, Any]]
    matrix: list[dict[str, Any]]
    verdicts: list[str]
    composition_table: dict[str, Any] | None


def audit(data: Dataset, by_facts: bool = False, tick: Callable[[int], None] = lambda rows: None) -> Audit:
    """Examine a data set. by_facts: take its `facts` column at its word where the text was not read."""
    subsets: dict[str, Subset] = {}
    for name, split, row in collect(data, by_facts):
        subsets.setdefault(name, Subset(name)).rows.setdefault(split, []).append(row)
        tick(1)
    if not subsets:
        raise DataError(f"{data.path}: holds no puzzle")
    found = data.world
    rules = Rules(found)
    train = list(chain.from_iterable(subset.train for subset in subsets.values()))
    shown = [row for row in train if row.puzzle.k == 2]
    parser = TableParser(shown, found) if shown else None
    about = {
        name: _about(subset, rules, train, parser) for name, subset in sorted(subsets.items(), key=_by_length)
    }
    matrix = [
        _cell(fitted, tested, rules)
        for fitted in (subsets[name] for name in about)
        for tested in (subsets[name] for name in about)
    ]
    verdicts = list(chain.from_iterable(_verdicts(name, content, found) for name, content in about.items()))
    tested = {name: subsets[name].test for name in about if "test" in subsets[name].rows}
    table = parser.about(tested) if parser else None
    judged_by = "facts" if by_facts else "text"
    return Audit(str(data.path), data.about_world, judged_by, about, matrix, verdicts, table)


def _by_length(item: tuple[str, Subset]) -> tuple[int, str]:
    name, subset = item
    return subset.test[0].puzzle.k, name


def _about(subset: Subset, rules: Rules, train: list[Row], parser: TableParser | None) -> dict[str, Any]:
    """train: of all subsets, which stands in where the subset has no train rows of its own."""
    rows = list(chain.from_iterable(subset.rows.values()))
    tested = subset.test if "test" in subset.rows else []
    compared = "own" if subset.train else "all"
    about = {
        "rows": {split or "all": len(rows) for split, rows in subset.rows.items()},
        "k": rows[0].puzzle.k,
        "text": _text(rows),
        "soundness": _soundness(rows),
        "labels": _shares(row.target for row in rows),
        "patterns": _shares("-".join(row.puzzle.pattern) for row in rows),
        "shorter_path": percent(sum(_shorter(row) for row in rows), len(rows)),
        "train_compared": compared if train and tested else None,
        "leaks": _leaks(subset.train or train, tested, rows),
        "shortcuts": _shortcuts(subset),
        "ceilings": {
            "rules shown in train": rule_ceiling(rules, subset.known, subset.test),
            "pattern": pattern_ceiling(rows),
        },
    }
    if parser and tested:
        about["composition_table"] = parser.shares(tested)
    return about


def _text(rows: Sequence[Row]) -> dict[str, Any]:
    """How the text of the rows compares with their facts; and the first row of each sort of failure."""
    counts = Counter(row.checked.told for row in rows)
    shares: dict[str, Any] = {told.value: percent(counts[told], len(rows)) for told in Told}
    first: dict[str, str] = {}
    for row in rows:
        if row.checked.told is not Told.AGREES:
            first.setdefault(row.checked.told.value, f"{row.puzzle.id}: {row.checked.why}")
    return {**shares, "first": first}


def _soundness(rows: Sequence[Row]) -> dict[str, float]:
    counts = Counter(row.judgement.finding for row in rows)
    shares = {finding.value: percent(counts[finding], len(rows)) for finding in Finding}
    return {**shares, "entailed": percent(sum(row.judgement.entailed for row in rows), len(rows))}


def _shares(values: Iterator[str] | Any) -> dict[str, float]:
    counts = Counter(values)
    total = sum(counts.values())
    return {value: percent(counts[value], total) for value in sorted(counts, key=lambda v: (-counts[v], v))}


def _shorter(row: Row) -> bool:
    """Whether the facts join the asked two by fewer of them than the path has."""
    path = shortest_path(row.puzzle.facts, *row.puzzle.query)
    return path is not None and len(path.numbers) < row.puzzle.k


def _leaks(train: Sequence[Row], tested: Sequence[Row], rows: Sequence[Row]) -> dict[str, float]:
    """Shares of the test rows that meet something again in train; and answers that are stated."""
    keys: dict[str, Callable[[Row], Any]] = {
        "story in train": lambda row: row.puzzle.story,
        "query and answer in train": lambda row: (row.puzzle.query, row.target),
        "family in train": lambda row: row.puzzle.family or None,
        "pattern in train": lambda row: row.puzzle.pattern,
    }
    leaks = {}
    for name, key in keys.items():
        if train and tested:
            seen = {key(row) for row in train} - {None}
            leaks[name] = percent(sum(key(row) in seen for row in tested), len(tested))
    leaks["story twice"] = percent(len(rows) - len({row.puzzle.story for row in rows}), len(rows))
    leaks["answer stated"] = percent(sum(_stated(row) for row in rows), len(rows))
    leaks["answer word in story"] = percent(
        sum(any(fact.relation == row.target for fact in row.puzzle.facts) for row in rows), len(rows)
    )
    return leaks


def _stated(row: Row) -> bool:
    first, last = row.puzzle.query
    return any({fact.head, fact.tail} == {first, last} for fact in row.puzzle.facts)


def _shortcuts(subset: Subset) -> dict[str, float]:
    known, tested = _halves(subset)
    found = {name: accuracy(key, known, tested) for name, key in LOOKUPS.items()}
    found["bag of words"] = bag_of_words_accuracy(known[:_MOST_FITTED], tested[:_MOST_FITTED])
    return found


def _halves(subset: Subset) -> tuple[list[Row], list[Row]]:
    """Rows to fit on and to test on: train and test, or the two halves where there is one split."""
    if subset.train and "test" in subset.rows:
        return subset.train, subset.test
    rows = subset.test
    return rows[::2], rows[1::2] or rows


def _cell(fitted: Subset, tested: Subset, rules: Rules) -> dict[str, Any]:
    known, rows = _halves(fitted) if fitted is tested else (fitted.known, tested.test)
    return {
        "train": fitted.name,
        "test": tested.name,
        "label known": labels_known(known, rows),
        "last relation": part_accuracy(lambda row: [row.puzzle.pattern[-1:], ()], known, rows),
        **{name: part_accuracy(pieces, known, rows) for name, pieces in PARTS.items()},
        "rules shown": rule_ceiling(rules, known, rows),
    }


def _verdicts(name: str, about: dict[str, Any], world: World) -> Iterator[str]:
    sound, leaks, shortcuts = about["soundness"], about["leaks"], about["shortcuts"]
    if about["text"]["disagrees"] > 0:
        yield f"{name}: {about['text']['disagrees']:g} % of the stories state other facts than their columns."
    problems = {
        "refuted": "have a target that the facts rule out",
        "contradictory": "state facts that contradict each other",
        "undetermined": "have more than one possible answer",
        "unread": "rest on text that could not be read",
    }
    for finding, what in problems.items():
        if sound[finding] > 0:
            yield f"{name}: {sound[finding]:g} % of the questions {what}."
    labels, patterns = list(about["labels"]), list(about["patterns"])
    if len(labels) <= len(world.relations) // 4:
        yield f"{name}: holds {_counted(len(labels), 'label')} only: {', '.join(labels)}."
    if len(patterns) < len(world.kinds):
        yield f"{name}: holds {_counted(len(patterns), 'pattern')} only: {'; '.join(patterns)}."
    by_gender = shortcuts["gender, majority kind"]
    if by_gender >= 50:
        yield f"{name}: the asked person's gender alone answers {by_gender:g} % of the test."
    for leak in ("story in train", "family in train"):
        if leaks.get(leak, 0) > 0:
            yield f"{name}: {leaks[leak]:g} % of the test rows have their {leak.split()[0]} in train too."
    if leaks["story twice"] > 0:
        yield f"{name}: {leaks['story twice']:g} % of the stories are there twice."
    if leaks["answer stated"] > 0 and about["k"] > 1:
        yield f"{name}: {leaks['answer stated']:g} % of the stories state the asked relation itself."
    unproved = about.get("composition_table", {}).get("rests on one and not proved", 0)
    if unproved > 0:
        yield f"{name}: {unproved:g} % of the test answers rest on an unsound rule and are not proved."
    if about["shorter_path"] > 0:
        yield f"{name}: {about['shorter_path']:g} % of the questions have a shorter path than their k facts."


def _counted(number: int, thing: str) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
    return f"{words[number] if number < len(words) else number} {thing}{'s' if number != 1 else ''}"
