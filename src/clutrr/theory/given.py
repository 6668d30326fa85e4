"""What a solver is given: facts, and statements that are no facts, in one plain form.

A statement that says no more than a fact becomes one. What is left of the others are alternatives, denials,
closures and forms that are asserted; `plain` makes them so, and solvers see nothing else.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from clutrr._facts import named_in
from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr._statement import Statement, StatementKind, Status
from clutrr.errors import DataError

Given: TypeAlias = Fact | Statement
_PAIRED = (StatementKind.FACT, StatementKind.ALTERNATIVES, StatementKind.DENIAL)


def all_facts(given: Iterable[Given]) -> bool:
    """Return whether nothing is given but facts."""
    return Statement not in map(type, given)


def plain(
    given: Iterable[Given], labels: Labels, takes: Collection[StatementKind]
) -> tuple[Given, ...]:
    """Return what is given, in plain form, without what the text only supposes or takes back.

    Args:
        given: facts and statements.
        labels: the label set that their relations are from.
        takes: the kinds of statement that a solver can use.

    Raises:
        DataError: a relation or a form that is not in the label set, or a statement that cannot be used.
    """
    found: list[Given] = []
    for one in given:
        if not isinstance(one, Statement):
            found.append(one)
        elif one.status in (Status.ASSERTED, Status.DENIED):
            found.append(_plain(one, labels, takes))
    return tuple(dict.fromkeys(found))


def usable(
    given: Sequence[Given], labels: Labels, takes: Collection[StatementKind]
) -> tuple[tuple[Given, ...], tuple[Statement, ...]]:
    """Return what a solver can use, in plain form, and the statements that it cannot."""
    if all_facts(given):
        return tuple(given), ()
    used: list[Given] = []
    left: list[Statement] = []
    for one in given:
        try:
            used += plain([one], labels, takes)
        except DataError:
            assert isinstance(one, Statement)
            left.append(one)
    return tuple(dict.fromkeys(used)), tuple(left)


def meant(one: Statement, labels: Labels) -> Hashable:
    """Return what a statement means: the same for two that differ in role, place or order only."""
    one = _in_labels(one, labels)
    denied = one.kind is StatementKind.DENIAL or one.status is Status.DENIED
    if one.kind is StatementKind.CLOSURE and not one.entities:
        denied = False  # "Ann has no sons", which a text may hold as denied
    nobody = one.kind is StatementKind.CLOSURE and one.status is Status.DENIED
    usual = Status.ASSERTED if nobody and not one.entities else one.status
    status = Status.DENIED if denied else usual
    paired = StatementKind.FACT if one.kind in _PAIRED else one.kind
    return (
        paired,
        one.head,
        frozenset(one.relations),
        one.tail,
        frozenset(one.entities),
        status,
    )


def _plain(one: Statement, labels: Labels, takes: Collection[StatementKind]) -> Given:
    one = _in_labels(one, labels)
    _check(one, labels)
    denied = one.status is Status.DENIED
    if one.kind in _PAIRED:
        if denied or one.kind is StatementKind.DENIAL:
            one = replace(one, kind=StatementKind.DENIAL, status=Status.ASSERTED)
        elif len(one.relations) == 1:
            return Fact(one.head, one.relations[0], one.tail)
        else:
            one = replace(one, kind=StatementKind.ALTERNATIVES)
    elif one.kind is StatementKind.FORM and denied:
        others = tuple(form for form in labels.forms if form not in one.relations)
        if len(others) != 1:
            raise DataError(
                f"what else {one.head} is, if not {one.relations[0]}, is open", setting="statement"
            )
        one = replace(one, relations=others, status=Status.ASSERTED)
    elif denied and one.entities:
        raise DataError(
            f"a closure of {one.head} that is denied states nothing definite", setting="statement"
        )
    else:  # "Ann has no sons", which a text may hold as denied
        one = replace(one, status=Status.ASSERTED)
    if one.kind not in takes:
        raise DataError(
            f"this world takes no statement of the kind {one.kind}", setting="statement"
        )
    return one


def _in_labels(one: Statement, labels: Labels) -> Statement:
    """Return a statement with the labels of the kinds that it names: "child" for "son or daughter"."""
    if one.kind is StatementKind.FORM or labels.meaning.keys() >= set(one.relations):
        return one
    words = [
        (relation,)
        if relation in labels.meaning or relation not in labels.index
        else labels.kind(relation).words
        for relation in one.relations
    ]
    return replace(one, relations=tuple(dict.fromkeys(word for some in words for word in some)))


def _check(one: Statement, labels: Labels) -> None:
    """Raise DataError if a statement names what the label set does not have, or too little."""
    known: Collection[str] = labels.forms if one.kind is StatementKind.FORM else labels.meaning
    unknown = [relation for relation in one.relations if relation not in known]
    if unknown:
        raise DataError(f"{unknown[0]!r} is not one of {', '.join(known)}", setting="statement")
    if not one.relations or not one.head or (one.kind in _PAIRED and not one.tail):
        raise DataError(
            f"one of the kind {one.kind} lacks a relation or an entity", setting="statement"
        )


def names_of(facts: Iterable[Fact]) -> dict[str, None]:
    """Return the entities that facts name, as `names_in` does."""
    return {name: None for head, _, tail in facts for name in (head, tail)}


def names_in(given: Collection[Given]) -> dict[str, None]:
    """Return the entities that are named, each once, in the order of their names' first mention."""
    if all_facts(given):
        return names_of(given)  # type: ignore[arg-type]
    return dict.fromkeys(name for one in given for name in named_in(one))


def pairs_in(one: Given) -> list[tuple[str, str]]:
    """Return the pairs that are said to be related: what a route can lead along."""
    if not isinstance(one, Statement):
        return [(one.head, one.tail)]
    if one.kind is StatementKind.CLOSURE:
        return [(one.head, entity) for entity in one.entities]
    return [(one.head, one.tail)] if one.kind is StatementKind.ALTERNATIVES else []


def facts_in(given: Collection[Given]) -> Sequence[Fact]:
    """Return the facts alone."""
    if all_facts(given) and isinstance(given, (tuple, list)):
        return given
    return tuple(one for one in given if not isinstance(one, Statement))


def statements_in(given: Collection[Given]) -> tuple[Statement, ...]:
    """Return the statements that are no facts."""
    if all_facts(given):
        return ()
    return tuple(one for one in given if isinstance(one, Statement))
