"""Reads a text about things in the words of a world."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar

from clutrr._lexicon import World
from clutrr._reading.chart import Chart, TooManyMeaningsError
from clutrr._reading.discourse import Said as Told
from clutrr._reading.grammar import Grammar, read_grammar
from clutrr._reading.labelled import label_words, thing_rules
from clutrr._reading.prose import Statement as ProseStatement
from clutrr._reading.reader import LONGEST, Parsed, Reader, Ways, as_told
from clutrr._reading.records import Understood
from clutrr._reading.templates import Wording
from clutrr._reading.things.actions import ACTIONS
from clutrr._reading.things.diagrams import Diagrams
from clutrr._reading.things.discourse import Resolver
from clutrr._reading.things.gaps import GAPS, is_hedged
from clutrr._reading.things.meaning import Loose, Tie, Topic
from clutrr._reading.things.naming import thing_tokens
from clutrr._reading.things.scales import number_words
from clutrr._reading.tokens import Token
from clutrr._reading.words import ENGLISH, Words, classes_of, closed_classes, read_words
from clutrr._statement import Statement

_HINTS = frozenset(
    ("<number>", "<year-old>", "<hint>")
)  # with one of these, too, a sentence can state something


class ThingReader(Reader):
    """Reads English about places, events, regions or ages."""

    theories: ClassVar[tuple[str, ...]] = ("directions", "order", "time", "regions")
    _takes_apart: ClassVar[bool] = False

    def __init__(self, world: World, reasoning: bool = False) -> None:
        super().__init__(world, reasoning)
        self._diagrams = Diagrams(world)

    def _made_grammar(self) -> Grammar:
        return _grammar(self._world.theory.name, self._labels())

    def _made_words(self, literals: frozenset[str]) -> Words:
        words = _words(self._world.theory.name, self._labels())
        if not self._reasoning:
            return words
        return replace(words, triggers=words.triggers | label_words(self._world))

    def _labels(self) -> str:
        return thing_rules(self._world) if self._reasoning else ""

    def _tokens(self, text: str, names: Collection[str] | None) -> list[Token]:
        if self._grammar is None:
            return super()._tokens(text, names)
        people = self._world.theory.name == "order"
        return thing_tokens(text, names, self._words, self._usual, people)

    def _worded(self, row: Sequence[Token], wording: Wording) -> Ways:
        if not wording.relation:
            return ((),)
        places = [at for at, token in enumerate(row) if token.name]
        kind = self._world.meaning[wording.relation].kind.name
        tie = Tie(places[1 - wording.head], places[wording.head], (kind,))
        return ((Topic((0,)), tie) if row[0].name else (tie,),)

    def _diagram(self, text: str, row: list[Token]) -> Ways:
        said = () if self._grammar is None else self._diagrams.read(text, row)
        return (said,) if said else ""

    def _parse(self, tokens: tuple[Token, ...], question: bool) -> Ways:
        if self._grammar is None:
            return super()._parse(tokens, question)
        if len(tokens) > LONGEST:
            return "the sentence is too long"
        chart = Chart(self._grammar, ACTIONS, GAPS, self._words, tokens)
        last = len(tokens)
        if last in chart.ends("Revision", 0) or (
            not any(token.name for token in tokens) and self._comments(tokens)
        ):
            return Understood.REVISING.value
        if not any(token.norm in self._words.triggers or token.keys & _HINTS for token in tokens):
            return Understood.SILENT.value
        if question:
            return Understood.READ.value
        if is_hedged(tokens):
            return ""
        try:
            ways = chart.ends("Report", 0).get(last, ())
        except TooManyMeaningsError:
            return "it can mean too much"
        if not ways:
            return ""
        known = min(way.count(Loose()) for way in ways)
        return tuple(way for way in ways if way.count(Loose()) == known)

    def _resolved(
        self, parsed: Sequence[Parsed], forms: Mapping[str, frozenset[str]]
    ) -> tuple[list[Told], dict[str, frozenset[str]]]:
        resolver = Resolver(self._world.labels, self._world.theory.name, self._reasoning)
        found: list[Told] = []
        for tokens, ways, _ in parsed:
            if isinstance(ways, ProseStatement):
                found.append(as_told(self._world, tokens, ways))
                resolver.resolve(tokens, ())
            elif isinstance(ways, Statement):
                found.append(Told([ways]))
                resolver.resolve(tokens, ())
            else:
                if self._reasoning:  # an argument may contradict itself
                    resolver.forget()
                statements, unclear = resolver.resolve(
                    tokens, ways if isinstance(ways, tuple) else ()
                )
                found.append(Told(statements, unclear))
        return found, {}


@lru_cache
def _grammar(theory: str, labels: str) -> Grammar:
    """The grammar of a theory, and what takes sentences back in all of them.

    labels: the rules of a world's labels, for arguments.
    """
    shared = (ENGLISH / "clauses.grammar").read_text("utf-8")
    own = _own_grammar(theory, labels)
    return read_grammar([*own, shared[shared.index("\nRevision:") :]], ACTIONS)


def _own_grammar(theory: str, labels: str) -> list[str]:
    names = ("things", theory, *(("connectors", "reasoning-things") if labels else ()))
    return [*((ENGLISH / f"{name}.grammar").read_text("utf-8") for name in names), labels]


@lru_cache
def _words(theory: str, labels: str) -> Words:
    data, shared = read_words(theory), read_words("things")
    senses = {word: (kind, False) for kind, words in data["senses"].items() for word in words}
    own = {
        name: frozenset(str(words).split()) for name, words in (shared | data["classes"]).items()
    }
    own["sense"] = frozenset(senses)
    own["number"] = number_words()
    if "year-old" in own:
        own["year-old"] = frozenset(f"{word}-year-old" for word in number_words())
    literals = frozenset(_grammar(theory, labels).words())
    classes = classes_of(closed_classes(bool(labels)), own, literals=literals)
    for word in read_grammar(_own_grammar(theory, labels), ACTIONS).words():
        if "<open>" in classes[word]:  # a word of the grammar is not one that nobody knows
            classes[word] = classes[word] - {"<open>"} | {"<word>"}
    triggers = frozenset(senses) | frozenset(str(data["topic"]).split())
    return Words(senses, {}, frozenset(), classes, triggers)
