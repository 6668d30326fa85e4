"""Tokens and sentences, with their places in the text.

Apostrophes of every kind count as one. "'s" and "n't" stand apart; "James' son" has a possessive as well. A
sentence ends in a full stop, a question or an exclamation mark, or an ellipsis, before a capital, a name or the
end; not after a title or an initial, nor within a quotation that goes on in lower case.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

APOSTROPHES = "'\u2019\u02bc\u2018\uff07\u00b4`\u02b9\u2032"
_APOSTROPHE = f"[{APOSTROPHES}]"
_PIECE = re.compile(
    rf"""(?P<entity>\[[^\[\]]*\])
    |(?P<negated>[^\W\d_]*n{_APOSTROPHE}t\b)
    |(?P<number>\d+(?:[.,:]\d+)*(?:st|nd|rd|th)?\b)
    |(?P<word>[^\W_]+(?:(?:[-\u2010\u2011]|{_APOSTROPHE}(?=[^\W\d_]{{2,}}(?:\b)))[^\W_]+)*)
    |(?P<clitic>{_APOSTROPHE}(?:s|m|re|ve|ll|d|S)\b)
    |(?P<mark>\.\.\.|--|[^\w\s])""",
    re.VERBOSE,
)
_NEGATED = re.compile(rf"(?P<stem>\w*)n{_APOSTROPHE}t", re.IGNORECASE)
_CLITIC = re.compile(rf"(?P<stem>.+){_APOSTROPHE}(?P<clitic>ve|re|ll)", re.IGNORECASE)
_FOLD = str.maketrans(dict.fromkeys(APOSTROPHES, "'") | {"\u2010": "-", "\u2011": "-"})
_STEMS = {"wo": "will", "ca": "can", "sha": "shall", "ai": "is"}
_ENDS = frozenset((".", "!", "?", "...", "\u2026"))
_CLOSING = frozenset("\"\u201d\u2019')]\u00bb*")
_OPENING = frozenset("\"\u201c\u2018'([\u00ab")


class Token(NamedTuple):
    """A word, a mark, or a name, `text[start:end]`.

    norm: in lower case, with plain apostrophes and hyphens. name: the entity that it names, "" if none.
    keys: what a grammar may know it by: its norm and its classes.
    """

    text: str
    norm: str
    start: int
    end: int
    name: str = ""
    keys: frozenset[str] = frozenset()
    bracketed: bool = False


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text."""
    text = text.replace("\u02bc", "'").replace("\u02b9", "'")  # which count as letters
    found: list[Token] = []
    for match in _PIECE.finditer(text):
        piece, start, end = match[0], match.start(), match.end()
        if match["entity"]:
            found.append(Token(piece, "[]", start, end, piece[1:-1].strip(), bracketed=True))
        elif match["negated"] and (negated := _NEGATED.fullmatch(piece)):
            cut = start + len(negated["stem"])
            if negated["stem"]:
                stem = negated["stem"].lower()
                found.append(Token(negated["stem"], _STEMS.get(stem, stem), start, cut))
            found.append(Token(text[cut:end], "not", cut, end))
        elif piece.isalnum() and piece.isascii():
            found.append(Token(piece, piece.lower(), start, end))
        elif match["word"] and (clitic := _CLITIC.fullmatch(piece)):
            cut = start + len(clitic["stem"])
            found.append(Token(clitic["stem"], clitic["stem"].lower().translate(_FOLD), start, cut))
            found.append(Token(text[cut:end], text[cut:end].lower().translate(_FOLD), cut, end))
        elif match["mark"] and piece in APOSTROPHES and _is_possessive(text, start, found):
            found.append(Token(piece, "'s", start, end))
        else:
            found.append(Token(piece, piece.lower().translate(_FOLD), start, end))
    return found


def _is_possessive(text: str, at: int, before: Sequence[Token]) -> bool:
    """Whether an apostrophe alone is that of "James' son", or of "[Frank] 'son", where an s was lost."""
    if not before:
        return False
    last, after = before[-1], text[at + 1 : at + 2]
    if last.end == at:
        possessor = last.norm.endswith("s") or last.name.endswith(("s", "x", "z"))
        return possessor and after == " " and text[at + 2 : at + 3].isalpha()
    lost = last.bracketed and text[last.end : at] == " " and after.isalpha()
    return lost and "'" not in text[at + 1 : at + 12].translate(_FOLD)


_TELLS = frozenset(
    "tell tells told ask asks asked say says said show shows showed think thinks thought".split()
)
_QUOTES = frozenset('"\u201d')
_SAYS = frozenset("said asked replied cried shouted whispered exclaimed laughed wondered".split())
_NO_STOP = re.compile(r"[A-Z]|[bmd]")  # "George W. Bush", "b. 1362, m. Philippa"


def sentences(found: Sequence[Token], abbreviations: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the first token of each sentence, and the one after its last.

    abbreviations: in lower case, without their full stop.
    """
    start, at = 0, 0
    while at < len(found):
        token = found[at]
        at += 1
        if _lacks_stop(found, start, at):
            yield start, at
            start = at
            continue
        if token.norm not in _ENDS:
            continue
        while at < len(found) and (
            found[at].norm in _ENDS
            or (found[at].text in _CLOSING and found[at].start == found[at - 1].end)
        ):
            at += 1
        if at < len(found) and not _stops(found, start, at, token, abbreviations):
            continue
        yield start, at
        start = at
    if start < len(found):
        yield start, len(found)


def _lacks_stop(found: Sequence[Token], start: int, at: int) -> bool:
    """Whether a full stop was left out between two names in brackets: "her son [Bob] [Eve] went".

    Not in what is told to somebody: "told [Bob] [Eve] was late".
    """
    if at >= len(found) or not (found[at - 1].bracketed and found[at].bracketed):
        return False
    return _TELLS.isdisjoint(token.norm for token in found[start:at])


def _stops(
    found: Sequence[Token], start: int, at: int, mark: Token, abbreviations: Collection[str]
) -> bool:
    """Whether a sentence ends before this token, after that mark."""
    after = found[at]
    if after.start == found[at - 1].end:
        return False
    asked = found[at - 1].text in _QUOTES and mark.norm in ("?", "!") and at + 1 < len(found)
    if asked and found[at + 1].norm in _SAYS:  # "Is she ill?" Bob asked.
        return False
    last = next((one for one in reversed(found[start:at]) if one.end == mark.start), None)
    if mark.norm == "." and last is not None and not last.name:
        initial = _NO_STOP.fullmatch(last.text) is not None and not after.bracketed
        if initial or last.norm in abbreviations:
            return False
    if last is not None and last.bracketed:
        return True
    return bool(after.name) or after.text in _OPENING or not after.text[0].islower()
