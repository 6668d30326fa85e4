"""Judges of chains scored: how often they find the first wrong step, and see that there is none.

A judgement is the number of the first wrong step, from 0, or -1 if there is none. As ProcessBench has it, a judge is
measured by two accuracies, on wrong chains (the very step) and on right ones (that nothing is wrong), and by
their harmonic mean, F1.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from clutrr._chains.chain import Chain
from clutrr._chains.read import ChainData
from clutrr._data.source import DataFile, json_lines, records
from clutrr._display import Shown
from clutrr._io.locations import Location
from clutrr._lexicon import World
from clutrr._measure import natural, wilson
from clutrr._puzzle import Puzzle
from clutrr._score.steps import judge_in
from clutrr.errors import DataError, short

VERIFY = "verify"  # the judge that needs no file
NONE = -1
_NUMBER = re.compile(r"-?\d+")
_NOTHING = re.compile(
    r"\b(none|no (?:wrong|error|mistake)\w*|nothing|all(?: steps)? (?:are )?(?:right|correct))\b"
)
_MARKED = re.compile(
    r"(?:answer|first wrong step)\W{0,6}\s*(?:is\b\W*)?(?P<said>[^\n]*)|\\boxed\{(?P<boxed>[^}]*)\}",
    re.IGNORECASE,
)
_POSITIONS = 10  # later steps are counted together


@dataclass
class Agreement:
    """What a judge said of some chains, counted.

    Args:
        wrong, right: how many chains have a wrong step, and how many none.
        found: wrong ones of which it named the very step.
        passed: right ones of which it said so.
        unread: judgements in which there was no number.
        missing: chains without a judgement; like the former, they count against it.
    """

    wrong: int = 0
    right: int = 0
    found: int = 0
    passed: int = 0
    unread: int = 0
    missing: int = 0

    def add(self, first_error: int, said: int | None, missing: bool) -> None:
        """Count what was said of a chain; None: nothing that can be read."""
        same = said == first_error
        if first_error >= 0:
            self.wrong += 1
            self.found += same
        else:
            self.right += 1
            self.passed += same
        self.missing += missing
        self.unread += said is None and not missing

    @property
    def on_wrong(self) -> float | None:
        """The accuracy on wrong chains, in percent; None if there are none."""
        return 100 * self.found / self.wrong if self.wrong else None

    @property
    def on_right(self) -> float | None:
        """The accuracy on right chains, in percent; None if there are none."""
        return 100 * self.passed / self.right if self.right else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None where there are only wrong or only right chains."""
        one, other = self.on_wrong, self.on_right
        if one is None or other is None:
            return None
        return 2 * one * other / (one + other) if one + other else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the figures that follow from them."""
        return {
            "wrong": self.wrong,
            "found": self.found,
            "right": self.right,
            "passed": self.passed,
            "on_wrong": self.on_wrong,
            "on_right": self.on_right,
            "on_wrong_interval": wilson(self.found, self.wrong) if self.wrong else None,
            "on_right_interval": wilson(self.passed, self.right) if self.right else None,
            "f1": self.f1,
            "unread": self.unread,
            "missing": self.missing,
        }


@dataclass(frozen=True, repr=False)
class JudgeResult(Shown):
    """How a judge agrees with the labels of chains.

    Args:
        judge: its name, or that of the file of its judgements.
        total: over all chains.
        groups: by k, kind of error, style, and place of the first error (from 1), each by the group's name.
        questions: the chains: their path, split, world and assumption.
        command: as it was typed.
    """

    judge: str
    total: Agreement
    groups: Mapping[str, Mapping[str, Agreement]]
    questions: Mapping[str, Any] = field(default_factory=dict)
    command: str = ""

    @property
    def caption(self) -> str:
        return f"{self.judge}: first wrong steps"

    def rows(self) -> Iterator[list[str]]:
        yield ["by", "", "wrong", "right", "on wrong %", "on right %", "F1"]
        for by, groups in (*self.groups.items(), ("all", {"": self.total})):
            for name, one in groups.items():
                figures = (one.on_wrong, one.on_right, one.f1)
                shown = ["" if figure is None else f"{figure:.1f}" for figure in figures]
                yield [by, name, f"{one.wrong:,}", f"{one.right:,}", *shown]

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "judge": self.judge,
            "questions": self.questions,
            **self.total.to_json(),
            **{
                f"by_{by}": {name: one.to_json() for name, one in groups.items()}
                for by, groups in self.groups.items()
            },
            "command": self.command,
        }


@dataclass(frozen=True)
class Judgements:
    """What a judge says of chains.

    Args:
        said: by the id of a chain; None: what was said could not be read.
        some: whether it need not be about all chains, as replies of `clutrr ask`.
    """

    said: Mapping[str, int | None]
    some: bool = False


def score_judge(
    data: ChainData,
    name: str,
    judgements: Judgements | None,
    split: str | None,
    command: str = "",
) -> JudgeResult:
    """Return how judgements agree with chains; without any, how those of `verify` do.

    Raises:
        DataError: a split that is not there, or judgements of none of its chains.
    """
    chains = [chain for some in data.split(split).values() for chain in some]
    if judgements is None:
        judge = ReaderJudge(data.world, data.assume)
        judgements = Judgements({chain.id: judge.first_error(chain) for chain in chains})
    elif judgements.said.keys().isdisjoint(chain.id for chain in chains):
        raise DataError(f"{name}: no judgement of any of these chains", place=data.path)
    if judgements.some:
        chains = [chain for chain in chains if chain.id in judgements.said]
    groups: dict[str, dict[str, Agreement]] = {by: {} for by in ("k", "error", "style", "position")}
    total = Agreement()
    for chain in chains:
        said, missing = judgements.said.get(chain.id), chain.id not in judgements.said
        total.add(chain.first_error, said, missing)
        for by, group in _groups_of(chain).items():
            groups[by].setdefault(group, Agreement()).add(chain.first_error, said, missing)
    ordered = {
        by: {group: of[group] for group in sorted(of, key=natural)} for by, of in groups.items()
    }
    questions = {
        "data": str(data.path),
        "split": split,
        "world": data.world.name,
        "assume": data.assume,
    }
    return JudgeResult(name, total, ordered, questions, command)


def _groups_of(chain: Chain) -> dict[str, str]:
    """Return the group of a chain in each way to group them."""
    place = chain.first_error + 1
    where = "none" if place == 0 else f"{place}" if place <= _POSITIONS else f"after {_POSITIONS}"
    return {
        "k": str(chain.k),
        "error": chain.error or "none",
        "style": chain.style,
        "position": where,
    }


# The judge that reads


class ReaderJudge:
    """Judges chains by what `verify` reads in them: a step is wrong if a claim in it is."""

    def __init__(self, world: World, assume: str | None) -> None:
        self._judge = judge_in(world, assume)

    def first_error(self, chain: Chain) -> int:
        """Return the number of the first step with a wrong claim; -1 if there is none."""
        reasoning = self._judge.judge(chain.text, puzzle_of(chain))
        wrong = [one.start for one in reasoning.claims if one.wrong]
        if not wrong:
            return NONE
        first = min(wrong)
        return next(place for place, (_, end) in enumerate(chain.spans) if first <= end)


def puzzle_of(chain: Chain) -> Puzzle:
    """Return the puzzle that a chain solves, as far as the chain knows it."""
    return Puzzle(
        id=chain.puzzle,
        story=chain.story,
        abstract="",
        query=chain.query,
        target=chain.target,
        k=chain.k,
        pattern=(),
        facts=chain.stated,
        entities=(),
        scene="",
        question=chain.question,
        statements=chain.statements,
    )


# Judgements of others


def read_judgement(reply: str) -> int | None:
    """Return which step a reply calls the first wrong one, from 0; -1 if it says that there is none.

    Steps are numbered from 1 in prompts. The last marked answer counts: "Answer: 3", "Answer: none". None if there is no
    single one.

    >>> read_judgement("Step 2 is fine, step 3 is not. Answer: 3"), read_judgement("Answer: none")
    (2, -1)
    """
    marked = [found["said"] or found["boxed"] or "" for found in _MARKED.finditer(reply)]
    said = (marked[-1] if marked else reply).casefold()
    numbers = {int(one) for one in _NUMBER.findall(said)}
    if _NOTHING.search(said) and not numbers:
        return NONE
    if len(numbers) != 1:
        return None
    number = numbers.pop()
    return number - 1 if number > 0 else NONE if number == NONE else None


def read_judgements(path: Location) -> Judgements:
    """Return the judgements in a file, by the ids of chains.

    A row has `id` and `first_error` (a number from 0, or -1), or a text, `reply` or `answer`, as a model gives it. Of
    several replies to one chain, what most of them say counts.
    """
    if not path.is_file():
        raise DataError("no such file", place=path)
    source = DataFile(path, path.name)
    said: dict[str, list[int | None]] = {}
    first = "" if source.parquet else next((text for _, text in source.lines() if text.strip()), "")
    asked = '"reply"' in first  # `ask` may still be writing to it
    for place, row, _ in json_lines(source, growing=True) if asked else records(source):
        try:
            said.setdefault(str(row["id"]), []).append(_judgement(row))
        except (KeyError, ValueError, TypeError):
            why = "no judgement: expected id and first_error (a whole number from -1), reply or answer"
            raise source.error(why, place) from None
    if not said:
        raise DataError("contains no judgements", place=path)
    return Judgements({name: _most(several) for name, several in said.items()}, some=asked)


def _judgement(row: Mapping[str, Any]) -> int | None:
    if "reply" in row:
        return read_judgement(str(row["reply"] or ""))
    if "first_error" in row:
        return number_of(row["first_error"])
    return read_judgement(str(row["answer"] or ""))


def number_of(given: Any) -> int:
    """Return the number of a step, from 0, or -1. Raises ValueError for anything else."""
    if isinstance(given, bool) or (isinstance(given, float) and not given.is_integer()):
        raise ValueError(f"{short(given)} is not a whole number")
    number = int(given)
    if number < NONE:
        raise ValueError(f"{number} is below -1")
    return number


def _most(several: Sequence[int | None]) -> int | None:
    """Return what most of several judgements say; of equally many, the first."""
    if len(several) == 1:
        return several[0]
    counted = Counter(one for one in several if one is not None)
    return counted.most_common(1)[0][0] if counted else None
