"""Text made alike: one case, one kind of dash and apostrophe, and words with their places."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from clutrr._score.spelling import PLAIN

_UNFOLDED = 3  # times as many characters as there were, at most
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff*"), None)
# Letters of scripts without spaces between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)


class Token(NamedTuple):
    """A word, `text[start:end]`, without its apostrophe."""

    text: str
    start: int
    end: int


def plain(text: str) -> str:
    """Return the text in lower case, with one kind of dash and apostrophe, all of it visible."""
    unfolded = unicodedata.normalize("NFKC", text)
    if len(unfolded) <= _UNFOLDED * len(text):  # a letter may become eighteen
        text = unfolded
    text = text.translate({**PLAIN, **_INVISIBLE})
    return unicodedata.normalize("NFC", text.casefold())


def spaced(text: str) -> str:
    """Return the text with each letter of a script without spaces as a word of its own."""
    return _UNSPACED.sub(r" \g<0> ", text)


def tokens(text: str) -> Iterator[Token]:
    """Yield the words: letters and the marks on them; "isn't" is one word, "Ann's" is two."""
    start = None
    for at, char in enumerate(f"{text} "):
        inside = unicodedata.category(char)[0] in "LM" or (
            char == "'" and start is not None and text[at - 1 : at + 2] == "n't"
        )
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            yield Token(text[start:at].replace("'", ""), start, at)
            start = None
