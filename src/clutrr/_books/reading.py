"""Articles read: from a text to what it states.

A sentence is read by the wording of books and of the book's worlds, with names taken out; what has another wording goes to the
reader of each world. What is not understood is said to be so.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from clutrr._books.articles import Article
from clutrr._books.sentences import CLOSURE, FACT, NUMBERS, Labels, Told, silent
from clutrr._books.vocabulary import PREFACE, Vocabulary, vocabulary
from clutrr._lexicon import World
from clutrr._reading import reader_of
from clutrr._statement import StatementKind, Status

_NAME, _LIST = "\0", "\1"
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_PRONOUN = re.compile(r"\A(She|He|It) ")
_JOINED = re.compile(r", and (she|he|it) ")
_SERIES = re.compile("\0(?:, \0)* and \0")


class _Meaning(NamedTuple):
    """What a wording states: a fact or a closure, and which of its names is the head. value: instead of a tail."""

    kind: str
    relations: tuple[str, ...] = ()
    turned: bool = False
    value: str = ""


_SILENT = _Meaning("")


@dataclass(frozen=True)
class Read:
    """What an article says. unread: sentences that were not understood."""

    statements: tuple[Told, ...]
    unread: tuple[str, ...]


class BookReader:
    """Reads the articles of a book. worlds: by part. names: of all its entities."""

    def __init__(self, worlds: Mapping[str, World], names: Iterable[str]) -> None:
        self._worlds, self._words = worlds, vocabulary()
        self._meanings = dict(_meanings(worlds, self._words))
        self._names: dict[str, list[str]] = {}
        for name in names:
            self._names.setdefault(name.split(" ", 1)[0], []).append(name)
        for some in self._names.values():
            some.sort(key=len, reverse=True)

    def read(self, article: Article) -> Read:
        """Return what an article states."""
        if article.id == PREFACE:
            return self._preface(article.text)
        found: list[Told] = []
        unread: list[str] = []
        for start, sentence in _cut(article.text):
            whole = _PRONOUN.sub(f"{article.title} ", sentence)
            said = self._sentence(whole)
            if said is None and _JOINED.search(sentence):
                said = self._joined(sentence, article.title)
            if said is None:
                said = self._otherwise(whole)
            if said is None:
                unread.append(sentence)
                continue
            end = start + len(sentence)
            found += (one._replace(start=start, end=end) for one in said)
        return Read(tuple(found), tuple(unread))

    def _preface(self, text: str) -> Read:
        claims, left = [], text
        for name, line in self._words.preface.items():
            if line not in left:
                continue
            left = left.replace(line, "", 1)
            if name in ("everybody", "towns"):
                claims.append(Told(name, CLOSURE, "", (name,), "", ()))
        return Read(tuple(claims), (left.strip(),) if left.strip() else ())

    def _joined(self, sentence: str, title: str) -> list[Told] | None:
        """Read what is said of the same entity in two clauses."""
        first, _, rest = _JOINED.split(sentence, maxsplit=1)
        pieces = [
            self._sentence(_PRONOUN.sub(f"{title} ", first) + "."),
            self._sentence(f"{title} {rest}"),
        ]
        if None in pieces:
            return None
        return [one for piece in pieces for one in piece or ()]

    def _sentence(self, text: str) -> list[Told] | None:
        names, shape = self._shape(text)
        meaning = self._meanings.get(shape)
        if meaning is not None:
            return list(_stated(meaning, names))
        listed = _SERIES.search(shape)
        if listed is None:
            return None
        count = listed[0].count(_NAME)
        before = shape[: listed.start()].count(_NAME)
        meaning = self._meanings.get(_SERIES.sub(_LIST, shape, count=1))
        if meaning is None or meaning.kind != CLOSURE:
            return None
        rest = names[:before] + names[before + count :]
        if len(rest) != 1:
            return None
        some = tuple(names[before : before + count])
        return [Told("", CLOSURE, rest[0], meaning.relations, "", some)]

    def _shape(self, text: str) -> tuple[list[str], str]:
        """Return the names in a sentence, and what is left of it."""
        found: list[str] = []
        pieces: list[str] = []
        at = 0
        for word in re.finditer(r"[A-Z]\w*", text):
            if word.start() < at:
                continue
            for name in self._names.get(word[0], ()):
                end = word.start() + len(name)
                if text.startswith(name, word.start()) and not text[end : end + 1].isalnum():
                    found.append(name)
                    pieces += (text[at : word.start()], _NAME)
                    at = end
                    break
        return found, "".join((*pieces, text[at:]))

    def _otherwise(self, text: str) -> list[Told] | None:
        """Read a sentence in another wording, by the reader of each world."""
        names, _ = self._shape(text)
        if len(set(names)) < 2:
            return None
        found: list[Told] = []
        for part, world in self._worlds.items():
            read = reader_of(world).read(text, set(names))
            for one in read:
                if one.status is not Status.ASSERTED or one.kind is not StatementKind.FACT:
                    return None
                found.append(Told(part, FACT, one.head, one.relations, one.tail, ()))
        return found or None


def _cut(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with its place."""
    start = 0
    for sentence in _SENTENCE.split(text):
        at = text.index(sentence, start)
        yield at, sentence
        start = at + len(sentence)


def _stated(meaning: _Meaning, names: Sequence[str]) -> Iterator[Told]:
    if meaning.kind == FACT and meaning.value:
        yield Told("", FACT, names[0], meaning.relations, meaning.value, ())
    elif meaning.kind == FACT:
        head, tail = (names[1], names[0]) if meaning.turned else names[:2]
        yield Told("", FACT, head, meaning.relations, tail, ())
    elif meaning.kind == CLOSURE:
        head = names[-1] if meaning.turned else names[0]
        others = tuple(name for name in names if name is not head) if len(names) > 1 else ()
        yield Told("", CLOSURE, head, meaning.relations, "", others)


def _meanings(worlds: Mapping[str, World], words: Vocabulary) -> Iterator[tuple[str, _Meaning]]:
    """Yield the wordings of a book, without names, and what each states."""
    for world in worlds.values():
        for attribute in silent(world, words):
            for piece, value in product(attribute.pieces, attribute.values):
                yield piece.fill(_NAME, value), _SILENT
        for label, templates in world.lexicon.templates.items():
            for template in templates:
                if not template.choices and not template.cases:
                    turned = template.slots[0] == "b"
                    yield _NAME.join(template.literals), _Meaning(FACT, (label,), turned)
    for link in words.links.values():
        for text in link.fact:
            turned = text.index("{b}") < text.index("{a}")
            for value in link.values:
                shape = text.replace("{b}", value).replace("{a}", _NAME)
                yield shape, _Meaning(FACT, (link.name,), False, value)
            if not link.values:
                yield _without(text), _Meaning(FACT, (link.name,), turned)
        yield from _closures(link.every, link.none, (link.name,))
    if "families" in worlds:
        labels = Labels.of(worlds["families"])
        for name, label in (("daughters", labels.daughter), ("sons", labels.son)):
            texts = words.family[name]
            yield from _closures(texts["all"], texts["none"], (label,))
        single = words.family["single"]["none"]
        yield from _closures((), single, (labels.wife, labels.husband))


def _closures(
    every: Collection[str], none: Collection[str], relations: tuple[str, ...]
) -> Iterator[tuple[str, _Meaning]]:
    for text in every:
        turned = text.index("{b}") < text.index("{a}")
        meaning = _Meaning(CLOSURE, relations, turned)
        numbers = [*NUMBERS[2:], *map(str, range(len(NUMBERS), 40))] if "{n}" in text else [""]
        for number in numbers:
            said = text.replace("{n}", number)
            yield _without(said), meaning
            yield said.replace("{b}", _LIST).replace("{a}", _NAME), meaning
    for text in none:
        yield text.replace("{a}", _NAME), _Meaning(CLOSURE, relations)


def _without(text: str) -> str:
    return text.replace("{a}", _NAME).replace("{b}", _NAME)
