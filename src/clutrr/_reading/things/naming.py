"""Names of things: capitalised ones with their numbers, and lower-case nouns behind an article.

Only where nobody says what the names are: "Site 3", "the red cube", "North Korea".
"""

from collections.abc import Collection, Sequence

from clutrr._reading.naming import name_tokens
from clutrr._reading.tokens import Token
from clutrr._reading.words import Words, closed_classes

_ARTICLES = frozenset(("the", "a", "an", "this", "that", "his", "her", "its", "their", "our", "my"))
_NOUNS = frozenset(
    (
        "<plain>",
        "<quality>",
        "<sort>",
        "<ground>",
        "<surface>",
        "<person>",
        "<fiction>",
        "<called_of>",
        "<called_of_several>",
    )
)
_LONGEST = 4  # words of a noun
_LABEL = 2  # characters: "Zone B2"


def thing_tokens(
    text: str, names: Collection[str] | None, words: Words, usual: Collection[str], people: bool
) -> list[Token]:
    """Return the tokens of a text with every name as one.

    usual: names of several words that a world uses. people: whether the things are people.
    """
    classes = dict(closed_classes())
    calendar = {word for word, keys in words.classes.items() if keys & {"<point>", "<month>"}}
    classes["calendar"] |= calendar  # what is no name although it has a capital: "NE", "June"
    if not people:
        classes["title"] = frozenset()  # "Little Leeds" is not Leeds
    known = {
        word
        for word in words.classes
        if len(word) > 1 or words.classes[word] & {"<point>", "<a>", "<he>"}
    }
    found = name_tokens(text, names, classes, known, usual, initials=people)
    if names is not None or any(token.bracketed for token in found):
        return found
    if not people:
        found = _numbered(text, found, words)
    return _described(text, found, words)


def _numbered(text: str, found: Sequence[Token], words: Words) -> list[Token]:
    """Join "Site" and "3", "North" and "Korea", "Lake" and "Orta"."""
    result: list[Token] = []
    for token in found:
        last = result[-1] if result else None
        if last is not None and token.start == last.end + 1 and text[last.end] == " ":
            label = token.norm.isdigit() or (token.text.isupper() and len(token.text) <= _LABEL)
            label = label and token.norm != "a" and not token.name
            keys = words.classes.get(last.norm, frozenset())
            leads = last.text[0].isupper() and not last.name and keys & {"<point>", "<sort>"}
            if (leads and (token.name or label)) or (last.name and label):
                result[-1] = _joined(text, last, token)
                continue
        result.append(token)
    return result


def _described(text: str, found: Sequence[Token], words: Words) -> list[Token]:
    """Make one of the words of a lower-case noun: "red cube"."""
    result: list[Token] = []
    at = 0
    while at < len(found):
        token = found[at]
        result.append(token)
        at += 1
        if token.norm not in _ARTICLES or _is_predicate(found, at - 1):
            continue
        end = at
        while end < min(at + _LONGEST, len(found)) and _is_noun(found[end], words):
            end += 1
        while end > at and "<plain>" in words.classes.get(found[end - 1].norm, ()):
            end -= 1
        if end > at and not (
            end < len(found) and found[end].name and found[end].start == found[end - 1].end + 1
        ):
            result.append(_joined(text, found[at], found[end - 1]))
            at = end
    return result


def _is_predicate(found: Sequence[Token], at: int) -> bool:
    """Whether an indefinite noun says what something is: "Carlow, a small town"."""
    return (
        found[at].norm in ("a", "an")
        and at > 0
        and found[at - 1].norm in (",", "is", "are", "was", "were")
    )


def _is_noun(token: Token, words: Words) -> bool:
    if token.name or not token.norm[:1].isalpha():
        return False
    keys = words.classes.get(token.norm)
    return keys is None or bool(keys & _NOUNS and not keys & {"<number>"})


def _joined(text: str, first: Token, last: Token) -> Token:
    name = text[first.start : last.end]
    return first._replace(text=name, norm="", end=last.end, name=name)
