"""What a model that composes has learnt, beside what is true: how it reads sentences, how it combines two
relations.

`_train.inspect` works it out. The records are read and shown without torch.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

# By verdict, in the picture of a table.
_MARKS = {"right": "·", "several": "~", "wrong": "x", "missing": "-", "extra": "+", "both": "±"}


class LearntTemplate(NamedTuple):
    """A template, the relation it states, and the one that is read, with its share of the belief."""

    relation: str
    template: str
    read: str
    share: float


class LearntPair(NamedTuple):
    """Two relations in a row: what is possible, and what is believed, as shares.

    outside: whether something without a word is possible. held: of a model that learns sets, the relations
    that it takes for possible.
    """

    first: str
    second: str
    possible: tuple[str, ...]
    outside: bool
    believed: Mapping[str, float]
    held: tuple[str, ...] | None = None

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "LearntPair":
        return cls(
            str(content["first"]),
            str(content["second"]),
            tuple(map(str, content["possible"])),
            bool(content["outside"]),
            {str(relation): float(share) for relation, share in content["believed"].items()},
            None if content.get("held") is None else tuple(map(str, content["held"])),
        )

    @property
    def missing(self) -> list[str]:
        """The possible relations that are not held."""
        return [relation for relation in self.possible if relation not in (self.held or ())]

    @property
    def extra(self) -> list[str]:
        """The relations that are held and not possible."""
        return [relation for relation in self.held or () if relation not in self.possible]

    @property
    def answer(self) -> str:
        """The relation that is believed most, "?" if every share is too small to be listed; of a set, what it
        has that is not possible, and what it lacks."""
        if self.held is not None:
            return ", ".join(
                [f"+ {one}" for one in self.extra] + [f"- {one}" for one in self.missing]
            )
        return max(self.believed, key=self.believed.__getitem__, default="?")

    @property
    def verdict(self) -> str:
        """What is believed, compared with what is possible: `right`, `several` (one of these), `wrong`;
        `unnamed` if what is possible has no word, `impossible` if nothing is. A set is right, or relations
        are `missing`, `extra`, or `both`."""
        if not self.possible:  # no question has an answer that says what should be believed
            return "unnamed" if self.outside else "impossible"
        if self.held is not None:
            wrong = "extra" if self.extra else "right"
            return ("both" if self.extra else "missing") if self.missing else wrong
        if self.answer not in self.possible:
            return "wrong"
        return "right" if len(self.possible) == 1 else "several"


@dataclass(frozen=True)
class Learnt:
    """What a model believes. heights: by relation, of a composer."""

    sentences: tuple[LearntTemplate, ...]
    compositions: tuple[LearntPair, ...]
    heights: Mapping[str, float]

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Learnt":
        """Return what a file holds. Raises LookupError, TypeError, ValueError or AttributeError."""
        if not content["compositions"]:
            raise ValueError("it puts no relations together")
        return cls(
            tuple(LearntTemplate(**sentence) for sentence in content["sentences"]),
            tuple(map(LearntPair.from_json, content["compositions"])),
            {
                str(relation): float(height)
                for relation, height in (content["heights"] or {}).items()
            },
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "sentences": [sentence._asdict() for sentence in self.sentences],
            "compositions": [pair._asdict() for pair in self.compositions],
            "heights": dict(self.heights),
        }

    @property
    def misread(self) -> list[LearntTemplate]:
        return [sentence for sentence in self.sentences if sentence.read != sentence.relation]

    @property
    def wrong(self) -> list[LearntPair]:
        return [
            pair
            for pair in self.compositions
            if pair.verdict in ("wrong", "missing", "extra", "both")
        ]

    def picture(self) -> Iterator[str]:
        """The table of compositions, a line for each first relation, a mark for each second one."""
        rows: dict[str, list[str]] = {}
        for pair in self.compositions:
            rows.setdefault(pair.first, []).append(_MARKS.get(pair.verdict, " "))
        width = max(map(len, rows)) + 1
        yield " " * (width + 2) + "".join(f"{number:>3}" for number, _ in enumerate(rows, 1))
        for number, (first, marks) in enumerate(rows.items(), 1):
            yield f"{number:>2} {first:<{width - 1}}" + "".join(f"{mark:>3}" for mark in marks)
        yield (
            "· exactly the possible relations, - some missing, + some too many, ± both"
            if any(pair.held is not None for pair in self.compositions)
            else "· right, ~ one of several, x wrong; nothing where no word says what follows"
        )

    def summary(self) -> Iterator[str]:
        """What to know first, one sentence each."""
        found = Counter(pair.verdict for pair in self.compositions)
        read, right, wrong = (
            len(self.sentences) - len(self.misread),
            found["right"],
            len(self.wrong),
        )
        yield f"{read} of {len(self.sentences)} templates are read as the relation that they state."
        if any(pair.held is not None for pair in self.compositions):
            missing, extra = (
                sum(len(getattr(pair, name)) for pair in self.wrong)
                for name in ("missing", "extra")
            )
            yield (
                f"Of {right + wrong} pairs of relations, {right} leave exactly the possible relations; in "
                f"the others {missing} are missing and {extra} too many."
            )
            if found["unnamed"]:
                yield f"What follows from {found['unnamed']} more has no word among the relations."
            return
        yield (
            f"Of {right + found['several'] + wrong} pairs of relations, {right} give the one possible "
            f"result, {found['several']} one of several, {wrong} a wrong one."
        )
        if found["unnamed"]:
            yield f"What follows from {found['unnamed']} others has no word among the relations."
