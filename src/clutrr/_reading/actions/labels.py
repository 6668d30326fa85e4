"""Labels as names: "the relation of Bob to Ann is son"."""

from clutrr._reading.actions.registry import action
from clutrr._reading.chart import Chart
from clutrr._reading.meaning import Condition, Conditions, Says, Who
from clutrr._statement import Status


@action
def either_word(chart: Chart, one: str, other: str) -> str:
    """Several labels of which one holds."""
    return f"{one}|{other}"


@action
def has_relation(
    chart: Chart, subject: Who, sense: str, other: Who, adverb: Status
) -> Conditions | None:
    """The relation of somebody to somebody else is one of these."""
    said = Condition(Says.RELATION, sense, other.members, subject.members, False, adverb)
    return (*subject.said, *other.said, said)
