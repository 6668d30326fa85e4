"""Sentences and square brackets: the one way to cut a story, and to find the entities that it marks.

A sentence ends in a full stop, a question mark or an exclamation mark before white space or the end, or in one
of those of Chinese; not within brackets. Entities and values may be in square brackets, "[Ann] likes [tea]."
"""

import re
from collections.abc import Collection, Iterator

ENTITY = r"\[[^\[\]]*\]"  # for larger patterns
_ENTITY = re.compile(r"\[([^\[\]]*)\]")
CLOSING = (
    "\u3002\uff01\uff1f"  # what ends a sentence of Chinese or Japanese, whatever comes after it
)
_SENTENCE = re.compile(rf"(?:{ENTITY}|[^\[.!?{CLOSING}]++|[.!?](?!\s|$))+[.!?{CLOSING}]*")

# Words that can be in the place of a name without being one.
NOT_NAMES = frozenset(
    """
    a an anybody anyone each everybody everyone he her hers him his i it its my neither no nobody none
    one our she somebody someone such that the their them there these they this those we who whoever you your
    """.split()
)

# Words that begin a sentence, so with a capital, and are not names either.
OPENING_WORDS = frozenset(
    """
    after again all also although always among and any as at because before both but by during either even
    every finally first for from here how if in last later many most never next not now often on once only
    other perhaps since so some sometimes soon still then though three today tomorrow tonight two until
    usually what when whenever where which while why with yesterday yet
    """.split()
)


def sentence_spans(story: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each sentence, without the white space around it."""
    for match in _SENTENCE.finditer(story):
        whole = match[0]
        text = whole.strip()
        if text:
            start = match.start() + len(whole) - len(whole.lstrip())
            yield start, start + len(text)


def cut_sentences(story: str) -> list[str]:
    """Return the sentences of a story."""
    return [story[start:end] for start, end in sentence_spans(story)]


def entities_in(text: str) -> list[str]:
    """Return what is in square brackets, in the order of the text."""
    return _ENTITY.findall(text)


def shape_of(text: str) -> str:
    """Return the text with [] for everything in square brackets."""
    return _ENTITY.sub("[]", text)


def unbracketed(text: str) -> str:
    """Return the text as people read it, without its square brackets."""
    return _ENTITY.sub(r"\1", text)


def bracketed(text: str, names: Collection[str]) -> str:
    """Return the text with square brackets around the names."""
    longest_first = "|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True)))
    return (
        re.sub(rf"(?<![\w-])(?:{longest_first})(?![\w-])", r"[\g<0>]", text)
        if longest_first
        else text
    )
