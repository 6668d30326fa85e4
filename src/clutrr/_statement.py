"""The statement: what a text says about entities, one record everywhere."""

from dataclasses import dataclass
from enum import StrEnum


class StatementKind(StrEnum):
    """What a statement is.

    FACT          one related pair, one relation: "Bob is Ann's son"
    ALTERNATIVES  one related pair, several relations of which one holds: "north or north-east of", "a parent of"
    DENIAL        relations that do not hold between a pair: "Bob is not Ann's son"
    CLOSURE       all the entities in a relation to one: "Ann has no daughters", "Bob is an only child"
    FORM          what an entity adds to words: "Ann is a woman"
    """

    FACT = "fact"
    ALTERNATIVES = "alternatives"
    DENIAL = "denial"
    CLOSURE = "closure"
    FORM = "form"


class Status(StrEnum):
    """How a text holds a statement. Only what is asserted or denied counts as given."""

    ASSERTED = "asserted"
    DENIED = "denied"
    POSSIBLE = "possible"
    SUPPOSED = "supposed"
    RETRACTED = "retracted"


@dataclass(frozen=True)
class Statement:
    """What a text says about entities.

    Args:
        kind: what sort of statement it is; says which of the other fields it uses.
        head: the entity that the relation starts from; `r(head, tail)` reads "tail is head's r".
        relations: the labels; of a closure, the labels that it closes; of a form, its name alone.
        tail: the other entity of a fact, of alternatives and of a denial; "" otherwise.
        entities: of a closure, exactly those that stand in one of the relations to head.
        status: how the text holds it.
        role: what it is for in a puzzle: one of `ROLES`, or "" where nobody has said.
        start: where the words that state it begin in the text.
        end: where they end.

    Example:
        >>> Statement(StatementKind.FACT, "Ann", ("son",), "Bob").relations
        ('son',)
    """

    kind: StatementKind
    head: str
    relations: tuple[str, ...]
    tail: str = ""
    entities: tuple[str, ...] = ()
    status: Status = Status.ASSERTED
    role: str = ""
    start: int = 0
    end: int = 0
