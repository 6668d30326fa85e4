"""What a text gives a solver: what it asserts and what it denies, and the forms that it tells."""

from clutrr._labels import Labels
from clutrr._reading.records import Statements
from clutrr._statement import Statement, StatementKind, Status
from clutrr.theory.given import Given


def given_by(read: Statements, labels: Labels) -> tuple[Given, ...]:
    """Return what a text gives: facts, and statements that are no facts.

    A form is given where no relation that is asserted shows it already.
    """
    found: list[Given] = []
    for sentence in read.sentences:
        found += sentence.facts
        found += (one for one in sentence.settled if one.kind is not StatementKind.FACT)
        found += (one for one in sentence.statements if one.status is Status.DENIED)
    facts = read.facts
    shown = {fact.tail for fact in facts if labels.meaning[fact.relation].form is not None}
    named = {
        name
        for one in found
        for name in ((one.head, one.tail) if isinstance(one, Statement) else one[::2])
    }
    for name, form in read.forms.items():
        if name in named - shown:
            found.append(Statement(StatementKind.FORM, name, (form,)))
    return tuple(dict.fromkeys(found))
