"""Anybody's answers to the questions of a data set, scored by subset."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from clutrr.data.info import NO_SPLIT, natural
from clutrr.data.own import json_lines
from clutrr.data.read import scan
from clutrr.data.source import Place, Source, check_columns
from clutrr.errors import DataError
from clutrr.wording.free import SAME
from clutrr.world import load_world

_FIELDS = frozenset({"id", "answer"})
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_COUNTED = ("rows", "right", "unread", "missing")
_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True)
class Score:
    """How many of the questions of a subset and split were answered right.

    unread: answers in which no single relation was found; missing: questions without an answer.
    Both count as wrong.
    """

    subset: str
    split: str
    rows: int
    right: int
    unread: int
    missing: int

    @property
    def accuracy(self) -> float:
        return self.right / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy."""
        n, p = self.rows, self.accuracy
        middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
        return max(0.0, min(p, middle - half)), min(1.0, max(p, middle + half))


@dataclass(frozen=True)
class Scores:
    """Subset by subset. unread: the id and answer of each that was not read."""

    subsets: tuple[Score, ...]
    unread: tuple[tuple[str, str], ...]

    @property
    def total(self) -> Score:
        sums = [sum(getattr(one, name) for one in self.subsets) for name in _COUNTED]
        return Score("all", "", *sums)


def score(data: Path, predictions: Path, tick: Callable[[int], None] = lambda rows: None) -> Scores:
    """Score every question of the data; an answer to no question of it is an error."""
    answers = read_predictions(predictions)
    used: set[str] = set()
    counts: dict[tuple[str, str], Counter[str]] = {}
    unread: list[tuple[str, str]] = []
    reader = AnswerReader()
    for part in scan(data):
        count = counts.setdefault((part.subset, part.split or NO_SPLIT), Counter())
        ids, targets = part.table["id"].to_pylist(), part.table["target"].to_pylist()
        for number, target in zip(ids, targets, strict=True):
            if number in used:
                raise DataError(f"{part.where}: the id {number!r} stands twice in the data")
            used.add(number)
            count["rows"] += 1
            if number not in answers:
                count["missing"] += 1
                continue
            answer = reader.read(answers[number])
            count["right"] += answer == target
            if answer is None:
                count["unread"] += 1
                unread.append((number, answers[number]))
        tick(len(part.table))
    for number in answers:
        if number not in used:
            raise DataError(f"{predictions}: the id {number!r} is not in {data}")
    if not used:
        raise DataError(f"{data}: no question in it")
    scores = tuple(
        Score(*key, *(counts[key][name] for name in _COUNTED))
        for key in sorted(counts, key=lambda key: (natural(key[0]), key[1]))
    )
    return Scores(scores, tuple(unread))


class AnswerReader:
    """Finds the relation that an answer names."""

    def __init__(self) -> None:
        self._relations = frozenset(load_world("kinship-v1").relations)

    def read(self, answer: str) -> str | None:
        """The relation, where the answer is one or holds just one; else None."""
        text = answer.lower().replace("\u2010", "-").replace("\u2011", "-")
        text = re.sub(r"\b(\w+)[ -]in[ -]law\b", r"\1-in-law", text)
        text = re.sub(r"\bgrand[ -](?=\w)", "grand", text)
        named = {SAME.get(word, word) for word in _WORD.findall(text)} & self._relations
        return named.pop() if len(named) == 1 else None


def read_predictions(path: Path) -> Mapping[str, str]:
    """A CSV or JSON lines file of id and answer."""
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    source = Source(path, path.name)
    answers: dict[str, str] = {}
    for place, number, answer in _predictions(source):
        if number in answers:
            raise source.error(f"the id {number!r} stands twice", place)
        answers[number] = answer
    return answers


def _predictions(source: Source) -> Iterator[tuple[Place, str, str]]:
    first = next((text for _, text in source.lines() if text.strip()), "")
    if first.lstrip().startswith("{"):
        for line, record in json_lines(source, _FIELDS):
            if not isinstance(record["id"], str) or not isinstance(record["answer"], str | None):
                raise source.error("id and answer must be text", line)
            yield line, record["id"], record["answer"] or ""
        return
    rows = source.cells()
    at, header = next(rows, (1, []))
    check_columns(source, header, _FIELDS, at)
    for line, row in rows:
        if len(row) != len(header):
            raise source.error(f"{len(row)} cells where the header has {len(header)}", line)
        cells = dict(zip(header, row, strict=True))
        yield line, cells["id"], cells["answer"]
