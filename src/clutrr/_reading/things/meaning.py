"""What words about things mean before anybody knows what they are about: things by the place of their word."""

from typing import NamedTuple

from clutrr._statement import Status

Kinds = tuple[str, ...]  # of a theory; one of them holds


class Tie(NamedTuple):
    """The thing at one place is one of some kinds to the thing at another."""

    one: int
    other: int
    kinds: Kinds
    status: Status = Status.ASSERTED


class Mark(NamedTuple):
    """A value of a thing: one of its points lies between low and high on a scale.

    point: "start", "end", "birth" (of whatever has an age) or "age".
    """

    one: int
    point: str
    scale: str
    low: float
    high: float
    status: Status = Status.ASSERTED


class Topic(NamedTuple):
    """What a clause is about: its subjects."""

    ones: tuple[int, ...]


class Loose(NamedTuple):
    """A clause beside it was not read: what a way to read a sentence says that knows more of it comes first."""


Said = tuple[Tie | Mark | Topic | Loose, ...]


class Those(NamedTuple):
    """What a noun stands for. said: of it on the way."""

    members: tuple[int, ...]
    said: Said = ()


class Point(NamedTuple):
    """The beginning or the end of what a noun stands for; None: of the subject's like point ("than it did")."""

    those: Those
    end: str


class Rule(NamedTuple):
    """A constraint on two points: "<", "<=", "=", ">=" or ">"."""

    point: str
    sign: str
    other: str


class Piece(NamedTuple):
    """What a predicate says of its subject.

    others: what the subject is tied to. kinds: the ties. turned: whether it is the others that are that to the subject.
    value: a mark, whose thing is the subject. rules: constraints on the points of the subject and of the others, in place
    of kinds.
    """

    others: Those = Those(())
    kinds: Kinds = ()
    turned: bool = False
    value: Mark | None = None
    rules: tuple[Rule, ...] = ()
    status: Status = Status.ASSERTED


Pieces = tuple[Piece, ...]


class Value(NamedTuple):
    """A date, a clock time or an age: between low and high on a scale."""

    scale: str
    low: float
    high: float
