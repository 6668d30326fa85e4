"""The statement: what a text says about entities, one record everywhere."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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
        start: where the words, or the sentence, that state it begin in the text.
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


# What a closure says of its entities, as a record names it.
NOBODY, EXACTLY = "none", "exactly"
_BETWEEN = " or "  # labels that a closure closes together


def to_record(one: Statement) -> dict[str, Any]:
    """Return a statement as plain data: what the column `statements` holds.

    A closure has `head`, `closure` ("none" or "exactly"), `relation` and `entities`; any other statement
    `head`, `relations`, `tail` and `status`, a form without `tail`. Each has `role`, and, where the sentence
    that states it is known, `start` and `end` in the story.

    >>> to_record(Statement(StatementKind.DENIAL, "Ann", ("son",), "Bob"))
    {'head': 'Ann', 'relations': ['son'], 'tail': 'Bob', 'status': 'denied'}
    """
    record: dict[str, Any] = {"head": one.head}
    if one.kind is StatementKind.CLOSURE:
        record["closure"] = EXACTLY if one.entities else NOBODY
        record["relation"] = _BETWEEN.join(one.relations)
        record["entities"] = list(one.entities)
        nobody = not one.entities and one.status is Status.DENIED  # "Ann has no sons"
        record["status"] = (Status.ASSERTED if nobody else one.status).value
    else:
        record["relations"] = list(one.relations)
        if one.tail:
            record["tail"] = one.tail
        denied = one.kind is StatementKind.DENIAL and one.status is Status.ASSERTED
        record["status"] = (Status.DENIED if denied else one.status).value
    if one.role:
        record["role"] = one.role
    if one.end > one.start:
        record |= {"start": one.start, "end": one.end}
    return record


def from_record(record: Mapping[str, Any]) -> Statement:
    """Return the statement that a record holds: its kind follows from the fields that it has.

    Raises:
        ValueError: a field that is missing, or does not fit the others.

    >>> from_record({"head": "Ann", "closure": "none", "relation": "son", "entities": []}).kind.value
    'closure'
    """
    head = _text(record, "head")
    status = record.get("status") or Status.ASSERTED.value
    if status not in {known.value for known in Status}:
        raise ValueError(f"status: {status!r} is not one of {', '.join(Status)}")
    role = record.get("role") or ""
    start, end = record.get("start") or 0, record.get("end") or 0
    about: dict[str, Any] = {"status": Status(status), "role": role, "start": start, "end": end}
    if closure := record.get("closure"):
        relations = tuple(_text(record, "relation").split(_BETWEEN))
        entities = _texts(record, "entities")
        if closure not in (NOBODY, EXACTLY) or (closure == EXACTLY) != bool(entities):
            raise ValueError(
                f"closure: {closure!r} is not {NOBODY!r}, or {EXACTLY!r} with its entities"
            )
        return Statement(StatementKind.CLOSURE, head, relations, entities=entities, **about)
    relations, tail = _texts(record, "relations"), record.get("tail") or ""
    if not relations:
        raise ValueError("relations: there is none")
    if not tail:
        return Statement(StatementKind.FORM, head, relations, **about)
    if status == Status.DENIED:
        return Statement(StatementKind.DENIAL, head, relations, tail, **about)
    kind = StatementKind.FACT if len(relations) == 1 else StatementKind.ALTERNATIVES
    return Statement(kind, head, relations, tail, **about)


def _text(record: Mapping[str, Any], field: str) -> str:
    text = record.get(field)
    if not isinstance(text, str) or not text:
        raise ValueError(f"{field}: there is none")
    return text


def _texts(record: Mapping[str, Any], field: str) -> tuple[str, ...]:
    texts = record.get(field)
    texts = () if texts is None else texts
    if (
        isinstance(texts, str)
        or not isinstance(texts, Sequence)
        or not all(isinstance(one, str) and one for one in texts)
    ):
        raise ValueError(f"{field}: not a list of names")
    return tuple(texts)
