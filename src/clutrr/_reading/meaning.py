"""What words mean before anybody knows who is meant: individuals by the place of their word, and conditions.

An individual is the place of the word that stands for it in its sentence: a name, a pronoun, or a word of relation
("her brother" is the individual of the word "brother"). A condition says something of individuals; some are taken
for granted by the words (*given*: "her brother Bob"), others are what a clause states.
"""

from enum import StrEnum
from typing import NamedTuple

from clutrr._statement import Status


class Says(StrEnum):
    """What a condition says.

    RELATION   each of `others` is that to each of `ones`: a sense of a word
    IS         the individual of `ones` is what each of `others` names: "her brother Bob"
    AMONG      every two of `ones` are that to each other
    FORM       each of `ones` has that form
    NAMED      the pronoun of `ones`, or somebody that it stands for, is called what `others` name
    SPEAKER    what `ones` names says the rest
    HEARER     what `ones` names is whom the text speaks to
    TOPIC      the record is about what `ones` names
    NONE       nobody is that to those of `ones`
    """

    RELATION = "relation"
    IS = "is"
    AMONG = "among"
    FORM = "form"
    NAMED = "named"
    SPEAKER = "speaker"
    HEARER = "hearer"
    TOPIC = "topic"
    NONE = "none"


class Condition(NamedTuple):
    """A condition. sense: of the theory, or a form."""

    says: Says
    sense: str
    ones: tuple[int, ...]
    others: tuple[int, ...] = ()
    given: bool = True
    status: Status = Status.ASSERTED


Conditions = tuple[Condition, ...]


class Who(NamedTuple):
    """Whom words mean.

    members: individuals. said: on the way. noun: the place of the word of relation of somebody without a name,
    -1 for others. many: whether that noun is of several.
    """

    members: tuple[int, ...]
    said: Conditions = ()
    noun: int = -1
    many: bool = False


class Link(NamedTuple):
    """A noun of a chain of possessors. sense: "" of a stranger; further: what its adjectives say."""

    at: int
    sense: str
    many: bool
    further: tuple[str, ...] = ()
    name: int = -1


def granted(conditions: Conditions) -> Conditions:
    """Return what the words take for granted, whatever becomes of their clause."""
    return tuple(one for one in conditions if one.given)


def held(conditions: Conditions, status: Status) -> Conditions:
    """Return the conditions with another status for what the clause states."""
    return tuple(one if one.given else one._replace(status=status) for one in conditions)


def stated(conditions: Conditions) -> Conditions:
    """Return the conditions as what a clause states."""
    return tuple(one._replace(given=False) for one in conditions)
