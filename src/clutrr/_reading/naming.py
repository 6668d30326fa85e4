"""Names: which tokens name entities.

In a text with square brackets these are the names. Otherwise they are found where they stand, the longest first, if they
are known; or else capitalised words are names, with the particles, initials and further names that follow them.
Titles are no part of a name.
"""

from collections.abc import Collection, Mapping, Sequence

from clutrr._reading.tokens import Token, tokens

Classes = Mapping[str, frozenset[str]]


def name_tokens(
    text: str,
    names: Collection[str] | None,
    classes: Classes,
    known_words: Collection[str],
    usual: Collection[str] = (),
    initials: bool = True,
) -> list[Token]:
    """Return the tokens of a text with every name as one.

    known_words: that are no names where a sentence begins. usual: names of several words that a world uses. initials:
    whether a letter with a full stop may be part of a name.
    """
    found = tokens(text)
    if any(token.bracketed for token in found):
        return [token for token in found if token.norm != "[]" or token.name]
    if names is not None:
        return _known_names(text, found, names, classes)
    several = [name for name in usual if name in text]
    if several:
        found = _known_names(text, found, several, classes)
    return _capitalised(text, found, classes, known_words, initials)


def _merged(text: str, row: Sequence[Token], name: str) -> Token:
    return Token(text[row[0].start : row[-1].end], "", row[0].start, row[-1].end, name)


def _known_names(
    text: str, found: list[Token], names: Collection[str], classes: Classes
) -> list[Token]:
    by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name in names:
        row = tuple(token.text for token in tokens(name))
        if row:
            by_first.setdefault(row[0], []).append((row, name))
    for rows in by_first.values():
        rows.sort(key=lambda pair: -len(pair[0]))
    result: list[Token] = []
    at = 0
    while at < len(found):
        for row, name in by_first.get(found[at].text, ()):
            if tuple(token.text for token in found[at : at + len(row)]) == row:
                if _part_of_longer(found, at, at + len(row), classes, by_first):
                    continue
                while result and _is_title(result, found, at, classes):
                    result.pop()
                result.append(_merged(text, found[at : at + len(row)], name))
                at += len(row)
                break
        else:
            result.append(found[at])
            at += 1
    return result


def _part_of_longer(
    found: Sequence[Token], start: int, end: int, classes: Classes, names: Collection[str]
) -> bool:
    """Whether capitalised words around a name make another one of it: "Palm" in "West Palm Beach".

    names: the first words of known names, which stand for themselves: "that makes Ann Bob's aunt".
    """
    if not found[start].text[0].isupper():
        return False
    if end < len(found) and found[end].text in names:
        return False
    if start and found[start - 1].text in names:
        return False
    if end < len(found) and found[end].text[0].isupper() and found[end].text[0].isalpha():
        same = found[end].start == found[end - 1].end + 1
        if same and found[end].norm not in classes["he"] | classes["modal"] | {"i"}:
            return True
    before = found[start - 1] if start else None
    if before is None or not before.text[0].isupper() or not before.text[0].isalpha():
        return False
    first = start == 1 or found[start - 2].norm in (".", "!", "?", '"', "\u201c", ":")
    known = any(before.norm in words for name, words in classes.items())
    return not known and not first


def _is_title(result: Sequence[Token], found: Sequence[Token], at: int, classes: Classes) -> bool:
    """Whether what stands before a name is a title of it."""
    last = result[-1]
    if last.norm == "." and len(result) > 1 and result[-2].norm in classes["title"]:
        return result[-2].text[0].isupper() and last.start == result[-2].end
    if last.norm not in classes["title"] or not last.text[0].isupper() or last.name:
        return False
    if last.norm == "dear" and (len(result) == 1 or result[-2].norm in (".", "!", "?")):
        return False  # a letter may begin: "Dear Ann, ..."
    if last.norm in classes["kin_title"] and len(result) > 1:
        before = result[-2]  # "his Aunt Ann" says more than "Aunt Ann"
        if before.norm in ("'s", "the", "a", "an", "of") or before.norm in classes["his"]:
            return False
    return found[at].text[0].isupper()


def _capitalised(
    text: str,
    found: list[Token],
    classes: Classes,
    known_words: Collection[str],
    initials: bool,
) -> list[Token]:
    particles = classes["particle"]
    lower = {token.norm for token in found if token.text[0].islower() and not token.name}
    result: list[Token] = []
    at, opens = 0, True
    while at < len(found):
        token = found[at]
        if not _can_begin(found, at, opens, lower, known_words, classes):
            opens = token.norm in (".", "!", "?", '"', "\u201c", ":", "...") or (
                opens and not token.text[0].isalnum()
            )
            result.append(token)
            at += 1
            continue
        end = at + 1
        while end < len(found) and _continues(found, end, particles, initials):
            end += 1
        while result and _is_title(result, found, at, classes):
            result.pop()
        result.append(_merged(text, found[at:end], text[token.start : found[end - 1].end]))
        at, opens = end, False
    return result


def _is_letter(found: Sequence[Token], at: int, classes: Classes) -> bool:
    """Whether "A" or "I" names a thing of a diagram: beside another letter that does."""
    others = any(
        len(one.text) == 1 and one.text.isupper() and one.text != token.text
        for token in (found[at],)
        for one in found[max(0, at - 30) : at + 30]
    )
    before = found[at - 1].norm if at else "."
    after = found[at + 1].norm if at + 1 < len(found) else "."
    verb = after in classes["is"] and after != "'m"
    placed = before in (
        "of",
        "to",
        "from",
        "below",
        "above",
        "over",
        "object",
        "agent",
        "and",
        "under",
        "beneath",
        "with",
    )
    return verb or (others and (placed or after in ("and", "presents", ".", "'s")))


def _can_begin(
    found: Sequence[Token],
    at: int,
    opens: bool,
    lower: set[str],
    known_words: Collection[str],
    classes: Classes,
) -> bool:
    token = found[at]
    if token.text in ("A", "I") and _is_letter(found, at, classes):
        return True
    if (
        token.name
        or not token.text[0].isupper()
        or token.norm in classes["he"]
        or token.norm in ("i", "'s")
    ):
        return False
    if len(token.text) == 1:  # a letter in a diagram, but not the article
        return token.norm != "a"
    if not opens:
        return token.norm not in classes["title"] and token.norm not in classes["calendar"]
    if token.norm in classes["given"] and at + 1 < len(
        found
    ):  # "Will is", "May's", but not "Will you", "Mark my words"
        return found[at + 1].norm in classes["is"] or found[at + 1].norm in (",", "and")
    after = found[at + 1].norm if at + 1 < len(found) else ""
    if after in classes["his"]:  # "Unlike her brother", "Meet my son"
        return False
    return token.norm not in known_words and token.norm not in lower


def _continues(found: Sequence[Token], at: int, particles: Collection[str], initials: bool) -> bool:
    token, before = found[at], found[at - 1]
    if token.name:
        return False
    if token.start != before.end + 1:
        initial = (
            initials and token.norm == "." and token.start == before.end and len(before.text) == 1
        )
        return initial and at + 1 < len(found) and found[at + 1].text[0].isupper()
    epithet = token.text == "the"  # "William the Conqueror"
    if (token.norm in particles or epithet) and at + 1 < len(found):
        return found[at + 1].text[0].isupper() and found[at + 1].start == token.end + 1
    return token.text[0].isupper() and token.text[0].isalpha() and token.norm not in ("i",)


def plain_name(token: Token) -> Token:
    """Return the token of a name without its brackets."""
    return token._replace(text=token.name)
