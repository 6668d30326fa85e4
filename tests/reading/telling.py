"""What a text says, in few words, and what takes an assertion away."""

from collections.abc import Collection

from clutrr._reading import statements
from clutrr._statement import Status

Told = set[tuple[str, str, str]]  # what is, how (labels joined by "|"), to what


def told(
    text: str,
    world: str,
    names: Collection[str] | None = None,
    status: Status = Status.ASSERTED,
) -> Told:
    """Return what a text says with a status."""
    return {
        (one.tail, "|".join(sorted(one.relations)), one.head)
        for one in statements(text, world=world, names=names)
        if one.status is status
    }


# Around a sentence: {s} in the midst of another one, {S} as it begins.
OPERATORS = (
    "It is false that {s}.",
    "It is not the case that {s}.",
    "It is not true that {s}.",
    "I doubt that {s}.",
    "I doubt whether {s}.",
    "Nobody believes that {s}.",
    "Max thinks that {s}.",
    "Max said that {s}.",
    "According to Max, {s}.",
    "If {s}, we are lost.",
    "Unless {s}, we are lost.",
    "Perhaps {s}.",
    "Allegedly {s}.",
    "In the play, {s}.",
    "In his dream {s}.",
    "Legend has it that {s}.",
    "I wish that {s}.",
    "{S}? No.",
    "Is it true that {s}?",
    "{S}, or so Max says.",
    "{S}, according to Max.",
    "{S}. That was a lie.",
    "{S}. No, that's wrong.",
    "{S}. Just kidding.",
    "{S}, Max said.",
    "{S}, if the map is right.",
    "{S} in the film.",
    "{S}, I think.",
    "{S}, unless I am mistaken.",
    "{S}, but that is only a rumour.",
    "{S}, and that is a lie.",
    "{S}; this is disputed.",
    "{S}, and I am the queen of Spain.",
    "It seems that {s}.",
    "They pretended that {s}.",
    "Imagine that {s}.",
    "Once upon a time, {s}.",
    "Formerly, {s}.",
    "Max asked whether {s}.",
    "The claim that {s} is false.",
    "Either {s} or I am a fool.",
    "Next year {s}.",
    "In theory {s}.",
    "Max hopes that {s}.",
    "It is possible that {s}.",
    "“{S},” said Max.",
)


def under(operator: str, sentence: str) -> str:
    """Return a sentence, which begins in lower case or with a name, under an operator."""
    return operator.format(s=sentence, S=sentence[0].upper() + sentence[1:])
