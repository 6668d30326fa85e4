"""Sentences and square brackets: the one way to cut a story, and to find the entities that it marks.

A sentence ends in a full stop, a question mark or an exclamation mark before white space or the end; not
within brackets. Entities and values may be in square brackets, "[Ann] likes [tea]."
"""

import re
from collections.abc import Iterator

ENTITY = r"\[[^\[\]]*\]"  # for larger patterns
_ENTITY = re.compile(r"\[([^\[\]]*)\]")
_SENTENCE = re.compile(rf"(?:{ENTITY}|[^\[.!?]++|[.!?](?!\s|$))+[.!?]*")


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
