"""Sentences in a world's own wording of statements that are no facts (`statements.yaml`)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from clutrr._lexicon import World
from clutrr._lexicon.statements import StatementWords
from clutrr._reading.tokens import Token
from clutrr._statement import Statement, StatementKind, Status

_NAME = r"\[\]"
_SLOT = re.compile(r"\\\{(\w+)\\\}")
_ENDS = ".!"


@dataclass(frozen=True)
class StatedSentence:
    """What a sentence states, about names as they are in it."""

    statement: Statement


class StatedReader:
    """Reads sentences by the patterns of the world's statements."""

    def __init__(self, world: World, words: StatementWords) -> None:
        labels = world.labels
        self._words = words
        self._labels: dict[str, tuple[str, ...]] = dict(words.open)
        for word in labels.relations:
            self._labels[words.words.get(word, word)] = (word,)
        self._closed: dict[str, tuple[tuple[str, ...], bool]] = {}  # and whether it is of one alone
        for key, (only, several) in words.plurals.items():
            relations = tuple(key.split("/"))
            if all(word in labels.meaning for word in relations):
                self._closed.setdefault(several, (relations, False))
                self._closed.setdefault(only, (relations, True))
        self._patterns = list(self._compiled())

    def read(self, shape: str, names: Sequence[str]) -> Statement | None:
        """Return what a sentence states; None if it is no such sentence.

        - shape: its text with [] for each name. names: in their order
        """
        for pattern, order, make in self._patterns:
            match = pattern.fullmatch(shape)
            if match is None:
                continue
            said = {slot: match[slot] for slot in pattern.groupindex}
            found = self._made(make, said, dict(self._named(order, said, names)))
            if found is not None:
                return found
        return None

    def read_tokens(self, text: str, row: Sequence[Token]) -> Statement | None:
        """Return what a sentence of these tokens states, with its place in the text."""
        if not row or sum(bool(token.name) for token in row) == 0:
            return None
        pieces = [text[one.end : other.start] for one, other in pairwise(row)]
        said = [
            ("[]" if token.name else token.text) + piece
            for token, piece in zip(row, [*pieces, ""], strict=True)
        ]
        shape = "".join(said)
        if row[-1].text not in _ENDS:
            shape += "."
        found = self.read(shape, [token.name for token in row if token.name])
        return found and replace(found, start=row[0].start, end=row[-1].end)

    def _compiled(self) -> Iterator[tuple[re.Pattern[str], tuple[str, ...], str]]:
        words = self._words
        of: list[tuple[str, str]] = []
        for name in ("alternatives", "denials", "none", "one", "all"):
            of += [(text, name) for text in getattr(words, name)]
        for key, texts in words.none_of.items():
            of += [(text, f"none_of {key}") for text in texts]
        for form, texts in words.forms.items():
            of += [(text, f"form {form}") for text in texts]
        for text, make in of:
            order = tuple(slot for slot in re.findall(r"\{(\w+)\}", text) if slot != "r")
            pattern = _SLOT.sub(self._slot, re.escape(text))
            yield re.compile(pattern), order, make

    def _slot(self, slot: re.Match[str]) -> str:
        if slot[1] == "r":
            return r"(?P<r>[^\[\]]+?)"
        if slot[1] == "names":
            comma, last = (re.escape(self._words.join(name)) for name in ("comma", "and"))
            return rf"(?P<names>{_NAME}(?:{comma}{_NAME})*{last}{_NAME})"
        return _NAME

    def _named(
        self, order: Sequence[str], said: dict[str, str], names: Sequence[str]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the names in each slot."""
        at = 0
        for slot in order:
            size = said["names"].count("[]") if slot == "names" else 1
            yield slot, tuple(names[at : at + size])
            at += size

    def _made(
        self, make: str, said: dict[str, str], named: dict[str, tuple[str, ...]]
    ) -> Statement | None:
        (head,), what = named["a"], said.get("r", "")
        entities = (head, *named.get("b", ()), *named.get("names", ()))
        if len(set(entities)) < len(entities):
            return None
        if make.startswith("form "):
            return Statement(StatementKind.FORM, head, (make.removeprefix("form "),))
        if make.startswith("none_of "):
            return _closure(head, tuple(make.removeprefix("none_of ").split("/")), ())
        if make in ("none", "one", "all"):
            relations, only = self._closed.get(what, ((), False))
            if not relations or only != (make == "one"):
                return None
            return _closure(head, relations, entities[1:])
        listed = self._listed(what)
        denied = make == "denials"
        if not listed or (len(listed) == 1 and not denied):
            return None
        kind = StatementKind.DENIAL if denied else StatementKind.ALTERNATIVES
        status = Status.DENIED if denied else Status.ASSERTED
        return Statement(kind, head, listed, entities[1], status=status)

    def _listed(self, what: str) -> tuple[str, ...]:
        """Return the labels of a list; none if one is not known."""
        if what in self._labels:
            return self._labels[what]
        others, _, last = what.rpartition(self._words.join("or"))
        items = [*others.split(self._words.join("comma")), last] if others else [last]
        if not all(item in self._labels for item in items):
            return ()
        return tuple(dict.fromkeys(word for item in items for word in self._labels[item]))


def _closure(head: str, relations: tuple[str, ...], entities: tuple[str, ...]) -> Statement:
    """Return a closure; of nobody as other sentences are read that deny."""
    status = Status.ASSERTED if entities else Status.DENIED
    return Statement(StatementKind.CLOSURE, head, relations, entities=entities, status=status)


@lru_cache(20)
def stated_reader(world: World) -> StatedReader | None:
    """Return what reads the statements of a world; None if it has no words for them."""
    words = world.lexicon.statements
    return None if words is None else StatedReader(world, words)
