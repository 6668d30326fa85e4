"""Reads a text in the language of a world.

Every sentence is silent, read, not understood, or may take back what others say. What a sentence says is found by a
chart over the grammar, once for every shape (the row of its words, with names alike), and said of the entities that
the discourse means.
"""

import gc
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

from clutrr._facts import named_in
from clutrr._lexicon import World, builtin_world
from clutrr._reading.actions import ACTIONS
from clutrr._reading.chart import Chart, TooManyMeaningsError
from clutrr._reading.discourse import Mentioned, Resolver, Said, describes_one, shared
from clutrr._reading.gaps import GAPS
from clutrr._reading.grammar import Grammar, read_grammar
from clutrr._reading.kinship import SYMMETRIC, compositions, kinship_nouns
from clutrr._reading.labelled import kin_rules
from clutrr._reading.meaning import Condition, Conditions, Says, held
from clutrr._reading.naming import name_tokens
from clutrr._reading.own_wording import OwnWordingReader
from clutrr._reading.pieces import pieces
from clutrr._reading.prose import Statement as ProseStatement
from clutrr._reading.prose import prose_reader
from clutrr._reading.records import SentenceReading, Statements, Understood, Unread
from clutrr._reading.senses import Senses
from clutrr._reading.shapes import shape, wordings
from clutrr._reading.stated import stated_reader
from clutrr._reading.templates import Wording
from clutrr._reading.things.scales import number_words
from clutrr._reading.tokens import Token, sentences
from clutrr._reading.tokens import tokens as cut_tokens
from clutrr._reading.worded import WordedNames
from clutrr._reading.words import (
    END,
    ENGLISH,
    Words,
    classes_of,
    closed_classes,
    read_words,
)
from clutrr._sentences import NOT_NAMES, shape_of
from clutrr._statement import Statement, StatementKind, Status

# What a sentence can mean, or what became of it instead.
Ways = tuple[Any, ...] | ProseStatement | Statement | str


class Parsed(NamedTuple):
    """A sentence and what it can mean. worded: whether it has the world's own wording, or is of its prose."""

    tokens: tuple[Token, ...]
    ways: Ways
    worded: bool = False


_BY_NAMES = "\0"  # of an unknown sentence: silent, unless it names several
_YES = "\1"  # of a sentence that says that what was asked before it is so
_UNDERSTOOD = frozenset((*(one.value for one in Understood), _BY_NAMES, _YES)) - {
    Understood.UNREAD.value
}
_VERBAL = frozenset(("<open>", "<be>", "<have>", "<modal>", "<say>", "<thought>", "<marry>"))
GRAMMAR = ("nouns", "clauses", "kinship")  # the files of that of kinship
_SIGNATURE = 6  # tokens at most: "All my love, Ann"
LONGEST = 80  # tokens of a sentence that is read
_REMEMBERED = 50_000  # shapes
_LONG = 20_000  # characters of a text whose tokens are worth a pause of the collector


class Reader:
    """Reads texts of a world: by the world's own wording, by its grammar of prose, and if it is in English by ours.

    theories: those whose words the English grammar knows.
    """

    theories: ClassVar[tuple[str, ...]] = ("kinship",)
    _takes_apart: ClassVar[bool] = (
        True  # whether sentences of reasoning are taken apart at "so" and the like
    )

    def __init__(self, world: World, reasoning: bool = False) -> None:
        self._world, self._reasoning = world, reasoning
        self._senses = Senses(world.labels, compositions())
        self._own = OwnWordingReader(world)
        self._wordings = wordings(world)
        self._prose = prose_reader(world)
        self._stated = stated_reader(world)
        self._classes = closed_classes(reasoning)
        self._usual = [name for some in world.lexicon.names for name in some if " " in name]
        self._shapes: dict[tuple[object, ...], Ways] = {}
        self._grammar: Grammar | None = None
        self._words = Words({}, {}, frozenset(), {}, frozenset())
        self._no_names: Collection[str] = world.lexicon.taken
        english = world.lexicon.language.partition("-")[0] == "en"
        if english and world.theory.name in self.theories:
            self._grammar = self._made_grammar()
            words = self._made_words(frozenset(self._grammar.words()))
            self._words = replace(words, triggers=words.triggers | _own_topic(world))
            self._no_names = self._words.classes

    def _made_grammar(self) -> Grammar:
        return _grammar(kin_rules(self._world) if self._reasoning else "")

    def _made_words(self, literals: frozenset[str]) -> Words:
        """Return the words of the language and the theory. literals: those that rules name."""
        return _kinship_words(self._world, literals, self._classes)

    def read(
        self,
        text: str,
        names: Collection[str] | None = None,
        known: Mapping[str, str] | None = None,
    ) -> Statements:
        """Return what a text says. known: forms of entities, as they are told elsewhere."""
        with _uncollected(len(text) > _LONG):
            return self._read(text, names, known)

    def _read(
        self, text: str, names: Collection[str] | None, known: Mapping[str, str] | None
    ) -> Statements:
        if not self._reasoning and (whole := self._own.whole(text)) is not None:
            return whole
        found = self._tokens(text, names)
        if names is None and not any(token.bracketed for token in found):
            found = self._with_worded(text, found)
        cut = list(self._cut(found))
        if self._reasoning:
            cut = list(self._apart(cut))
        parsed = list(_answered(cut, list(self._all_parsed(text, cut))))
        before = {name: frozenset((form,)) for name, form in (known or {}).items() if form}
        forms: Mapping[str, frozenset[str]] = before
        for _ in range(2):  # the second time with the forms that the first has found anywhere
            said, told = self._resolved(parsed, forms)
            told = {
                name: told.get(name, frozenset()) | before.get(name, frozenset())
                for name in {**told, **before}
            }
            if told == forms:
                break
            forms = told
        readings = [
            replace(self._reading(row, one.tokens, one.ways, told), worded=one.worded)
            for row, one, told in zip(cut, parsed, said, strict=True)
        ]
        known = {name: next(iter(some)) for name, some in forms.items() if len(some) == 1}
        settled = (
            replace(one, settled=tuple(self._settled(one, known)))
            for one in self._revised(readings, list(self._corrections(cut, parsed)))
        )
        return Statements(text, tuple(settled), known)

    def _cut(self, found: Sequence[Token]) -> Iterator[list[Token]]:
        """Yield the tokens of each sentence."""
        abbreviations = self._classes["abbreviation"] if self._grammar is not None else ()
        for start, end in sentences(found, abbreviations):
            yield list(found[start:end])

    def _with_worded(self, text: str, found: list[Token]) -> list[Token]:
        """Return the tokens with the names that sentences in the world's own wording have."""
        starts = {token.start: at for at, token in enumerate(found)}
        ends = {token.end: at + 1 for at, token in enumerate(found)}
        result: list[Token] = []
        done = 0
        for row in self._cut(cut_tokens(text)):
            named = self._worded_names.named(text, row)
            first, last = starts.get(row[0].start), ends.get(row[-1].end)
            if named is not None and first is not None and last is not None:
                result += [*found[done:first], *named]
                done = last
        return [*result, *found[done:]]

    @cached_property
    def _worded_names(self) -> WordedNames:
        return WordedNames(self._world, self._wordings, self._no_names)

    def names_in(self, text: str) -> list[str]:
        """Return the names that a text seems to have."""
        return list(dict.fromkeys(token.name for token in self._tokens(text, None) if token.name))

    def _settled(self, reading: SentenceReading, forms: Mapping[str, str]) -> Iterator[Statement]:
        """Yield what a sentence asserts, in the words of the forms that the text tells."""
        for said in reading.statements:
            if said.status is not Status.ASSERTED:
                continue
            if not said.tail or reading.worded:  # a closure, a form, or the world's own wording
                yield said
                continue
            number = self._world.labels.form(forms.get(said.tail, ""))
            words = {self._world.meaning[one].kind.name for one in said.relations}
            if number is not None and len(words) == 1 and len(said.relations) > 1:
                word = self._world.kind(words.pop()).words[number]
                yield replace(said, kind=StatementKind.FACT, relations=(word,))
            else:
                yield said

    def _tokens(self, text: str, names: Collection[str] | None) -> list[Token]:
        return name_tokens(text, names, self._classes, self._no_names, self._usual)

    def _apart(self, cut: Sequence[list[Token]]) -> Iterator[list[Token]]:
        """Yield sentences; of one that is not understood as a whole its clauses."""
        for row in cut:
            known = len(row) > LONGEST or shape(row) in self._wordings
            if known or not isinstance(self._parsed(row).ways, str):
                yield row
            else:
                yield from pieces(row, self._classes, at_words=self._takes_apart)

    def _all_parsed(self, text: str, cut: Sequence[list[Token]]) -> Iterator[Parsed]:
        """Yield what every sentence can mean: by the world's prose, its wording, or the grammar of the language."""
        told: ProseStatement | None = None
        marked = "[" in text
        known = [self._wordings.get(shape(row)) for row in cut]
        for row, wording in zip(cut, known, strict=True):
            stated = self._statement(text, row) if wording is None else None
            if stated is not None:
                told = None
                yield Parsed((*row, END), stated, worded=True)
                continue
            if None in known:  # otherwise it is no prose
                told = self._told(text, row, told, marked)
            if told is not None:
                yield Parsed((*row, END), told, worded=True)
                continue
            named = self._in_cases(row, wording) if wording is not None else None
            if wording is not None and named is not None:
                yield Parsed((*named, END), self._worded(named, wording), worded=True)
                continue
            diagram = self._diagram(text, row)
            yield Parsed((*row, END), diagram) if diagram else self._parsed(row)

    def _statement(self, text: str, row: list[Token]) -> Statement | None:
        """What a sentence states in the world's own wording of what is no fact."""
        if self._stated is None or self._reasoning:
            return None
        return self._stated.read_tokens(text, row)

    def _diagram(self, text: str, row: list[Token]) -> Ways:
        """What a sentence says of letters in a diagram; "" if nothing."""
        return ""

    def _told(
        self, text: str, row: list[Token], before: ProseStatement | None, marked: bool
    ) -> ProseStatement | None:
        """What a sentence says by the grammar of the world's prose."""
        said = text[row[0].start : row[-1].end]
        if self._prose is None or (marked and not self._prose.may_read(shape_of(said))):
            return None
        told = self._prose.read(said, before, marked)
        named = {token.name for token in row}.union(before.forms if before else ())
        if told is not None and not named.issuperset(told.forms):
            return None
        if told is None or any(
            fact.tail.lower() in NOT_NAMES or fact.head.lower() in NOT_NAMES for fact in told.facts
        ):
            return None
        return told

    def _in_cases(self, row: list[Token], wording: Wording) -> list[Token] | None:
        """The row with names as they are, not as a case spells them; None if a word is no name."""
        if not wording.cases:
            return row
        cases = iter(wording.cases)
        found: list[Token] = []
        for token in row:
            name = self._world.lexicon.name_of(token.name, next(cases, "")) if token.name else ""
            if name is None:
                return None
            found.append(token._replace(name=name) if token.name else token)
        return found

    def _worded(self, row: Sequence[Token], wording: Wording) -> Ways:
        if not wording.relation:
            return ((),)
        places = [at for at, token in enumerate(row) if token.name]
        if wording.kinds:
            head, tail = places[wording.head], places[1 - wording.head]
            either = "|".join(wording.kinds)
            return ((Condition(Says.RELATION, either, (head,), (tail,), given=False),),)
        kind, form = self._world.meaning[wording.relation]
        sense = (
            kind.name
            if form is None or not self._world.forms
            else f"{kind.name}:{self._world.forms[form]}"
        )
        head, tail = places[wording.head], places[1 - wording.head]
        return ((Condition(Says.RELATION, sense, (head,), (tail,), given=False),),)

    def _resolved(
        self, parsed: Sequence[Parsed], forms: Mapping[str, frozenset[str]]
    ) -> tuple[list[Said], dict[str, frozenset[str]]]:
        resolver, before = (
            Resolver(self._senses, forms, self._words),
            Mentioned(speaker=_signed(parsed)),
        )
        found: list[Said] = []
        told: dict[str, set[str]] = {}
        for tokens, ways, _ in parsed:
            if isinstance(ways, ProseStatement):
                said = as_told(self._world, tokens, ways)
            elif isinstance(ways, Statement):
                said = Said([ways], mentioned=Mentioned(names=list(named_in(ways))))
            else:
                some: tuple[Conditions, ...] = ((),) if isinstance(ways, str) else ways
                each = [resolver.resolve(tokens, way, before) for way in some]
                said = shared(each, self._senses, narrow=self._reasoning)
            for name, shown in said.forms.items():
                told.setdefault(name, set()).update(shown)
            before = said.mentioned
            found.append(said)
        return found, {name: frozenset(some) for name, some in told.items()}

    def _parsed(self, row: list[Token]) -> Parsed:
        """Return the tokens of a sentence, and what it means: conditions, or what became of it instead."""
        question = any(token.norm == "?" for token in row[-2:])
        tokens = self._words.sentence(row)
        key = (
            question,
            *("\0" if token.name else token.norm for token in tokens),
            tokens[0].text[:1].isupper(),
        )
        found = self._shapes.get(key)
        if found is None:
            found = self._parse(tokens, question)
            if len(self._shapes) < _REMEMBERED:
                self._shapes[key] = found
        return Parsed(tokens, found)

    def _parse(self, tokens: tuple[Token, ...], question: bool) -> Ways:
        if self._grammar is None:
            return _BY_NAMES
        if len(tokens) > LONGEST:
            return "the sentence is too long"
        chart = Chart(self._grammar, ACTIONS, GAPS, self._words, tokens)
        last = len(tokens)
        if last < 2:  # a mark alone
            return Understood.SILENT.value
        if last in chart.ends("Revision", 0):
            return Understood.REVISING.value
        if last in chart.ends("Affirmation", 0) and not question:
            return _YES
        if not any(token.name for token in tokens) and self._comments(tokens):
            return Understood.REVISING.value
        named = bool(tokens[0].name) and last == 2
        signs = bool(tokens[-2].name or tokens[0].name) and last <= _SIGNATURE
        answer = named or (last <= 4 and tokens[0].norm == "it") or tokens[1].norm == ":"
        silent = not answer and not self._words.may_relate(tokens)
        if silent and not signs:
            return Understood.SILENT.value
        try:
            asked = chart.ends("Question", 0).get(last, ()) if question else ()
            ways = asked or self._ways(chart, last)
        except TooManyMeaningsError:
            return "it can mean too much"
        if silent and not any(ways):
            return Understood.SILENT.value
        if not ways:
            return Understood.READ.value if question else ""
        if question and all(token.keys.isdisjoint(_VERBAL) for token in tokens):
            return Understood.READ.value  # "Ann, Bob's mother?" asks
        if question and tokens[0].norm not in ("q", "who", "what"):
            return tuple(held(way, Status.POSSIBLE) for way in ways)
        return tuple(ways)

    def _ways(self, chart: Chart, last: int) -> tuple[Conditions, ...]:
        """What a whole sentence can mean."""
        return chart.ends("Sentence", 0).get(last, ()) or chart.ends("Story", 0).get(last, ())

    def _comments(self, tokens: Sequence[Token]) -> bool:
        """Whether a sentence without names speaks of what was said before: "At least that is what the book says."."""
        about = {token.norm for token in tokens[:5]} & {"that", "this", "it", "which", "so"}
        doubts = (
            "<attitude>",
            "<thought>",
            "<guarded>",
            "<unreal>",
            "<fiction>",
            "<say>",
            "<not>",
            "<modal>",
        )
        return bool(about) and any(not token.keys.isdisjoint(doubts) for token in tokens)

    def _reading(
        self, row: list[Token], tokens: tuple[Token, ...], found: Ways, said: Said
    ) -> SentenceReading:
        start, end = row[0].start, row[-1].end
        if isinstance(found, ProseStatement | Statement):
            return SentenceReading(start, end, Understood.READ, tuple(said.statements))
        if found == _BY_NAMES:
            several = len({token.name for token in tokens if token.name}) > 1
            found = "" if several else Understood.SILENT.value
        if isinstance(found, tuple):
            unclear = tuple(
                Unread(
                    tokens[at].start,
                    tokens[at].end,
                    f"it is not clear whom {tokens[at].text!r} means",
                )
                for at in said.unclear
            )
            understood = Understood.READ
            why = self._why(tokens) if said.beyond else ""
            why = why or "this world has no word for the relation"
            without = tuple(_span(tokens, places, why) for places in said.beyond)
            if unclear or without:
                understood = Understood.UNREAD
            return SentenceReading(
                start, end, understood, tuple(said.statements), (*unclear, *without)
            )
        if found in (Understood.SILENT, Understood.REVISING, Understood.READ):
            return SentenceReading(start, end, Understood(found))
        why = found or self._why(tokens)
        return SentenceReading(start, end, Understood.UNREAD, (), (Unread(start, end, why),))

    def _why(self, tokens: Sequence[Token]) -> str:
        """Why a sentence is not understood, as far as one word tells it; "" otherwise."""
        for token in tokens:
            sense = self._words.nouns.get(token.norm, ("", False))[0]
            known = not sense or bool(self._senses.labels_of(sense))
            if not token.name and (not known or "<person>" in token.keys):
                return f"{token.text!r} is not a relation of this world"
        return ""

    def _corrections(self, cut: Sequence[list[Token]], parsed: Sequence[Parsed]) -> Iterator[bool]:
        """Yield of each sentence of a story whether it puts itself in the place of the one before.

        Whoever answers a question corrects nobody; arguments have a discourse of their own.
        """
        asked = True  # nothing stands before the first
        for row, one in zip(cut, parsed, strict=True):
            may = self._grammar is not None and not self._reasoning and not asked
            yield may and self._is_correction(one)
            asked = any(token.norm == "?" for token in row[-2:])

    def _is_correction(self, sentence: Parsed) -> bool:
        if self._grammar is None or sentence.worded or not sentence.tokens:
            return False
        chart = Chart(self._grammar, ACTIONS, GAPS, self._words, sentence.tokens)
        if chart.ends("Correcting", 0):
            return True
        unread = isinstance(sentence.ways, str) and sentence.ways not in _UNDERSTOOD
        places = range(len(sentence.tokens)) if unread else ()
        return any(chart.ends("Contrary", at) for at in places)

    def _revised(
        self, readings: Iterable[SentenceReading], corrections: Sequence[bool]
    ) -> list[SentenceReading]:
        """Take back what the sentence before one that revises or corrects says, and what it may affirm."""
        found: list[SentenceReading] = []
        for one, corrects in zip(readings, corrections, strict=True):
            revises = one.understood is Understood.REVISING
            if found and (revises or corrects):
                affirms = found[-1].understood is Understood.READ and not found[-1].statements
                at = len(found) - 2 if affirms and len(found) > 1 else len(found) - 1
                taken = tuple(_retracted(said) for said in found[at].statements)
                found[at] = replace(found[at], statements=taken)
            if corrects and one.understood is not Understood.READ:
                found.append(replace(one, understood=Understood.REVISING, unread=()))
            else:
                found.append(one)
        return found


@contextmanager
def _uncollected(pause: bool) -> Iterator[None]:
    """Let the collector of garbage rest: a long text makes many objects, and none of them in a circle."""
    resting = pause and gc.isenabled()
    if resting:
        gc.disable()
    try:
        yield
    finally:
        if resting:
            gc.enable()


def _answered(cut: Sequence[list[Token]], parsed: Sequence[Parsed]) -> Iterator[Parsed]:
    """Yield what sentences mean, where "Yes." behind a question makes it a statement."""
    nothing = Understood.READ.value
    for at, one in enumerate(parsed):
        affirmed = at + 1 < len(parsed) and parsed[at + 1].ways == _YES
        asks = any(token.norm == "?" for token in cut[at][-2:])
        if one.ways == _YES:
            yield one._replace(ways=nothing)
        elif not asks or not isinstance(one.ways, tuple):
            yield one
        elif affirmed:
            yield one._replace(ways=tuple(_affirmed(way) for way in one.ways))
        else:  # who asks "Is Bob Ann's son?" states nothing
            yield one._replace(ways=nothing) if "<be>" in one.tokens[0].keys else one


def _affirmed(said: Conditions) -> Conditions:
    """What was asked, as what is so."""
    return tuple(
        one._replace(status=Status.ASSERTED) if one.status is Status.POSSIBLE else one
        for one in said
    )


def _signed(parsed: Iterable[Parsed]) -> str:
    """Who writes the text, if it says so once; "" otherwise."""
    found = {
        tokens[one.ones[0]].name
        for tokens, ways, _ in parsed
        if isinstance(ways, tuple) and not _quotes(tokens)
        for way in ways
        for one in way
        if isinstance(one, Condition) and one.says is Says.SPEAKER
    }
    return found.pop() if len(found) == 1 else ""


def _quotes(tokens: Iterable[Token]) -> bool:
    return any(token.norm in ("\u201c", '"') for token in tokens)


def _span(tokens: Sequence[Token], places: Sequence[int], why: str) -> Unread:
    """Return the span of some tokens as one that is not understood."""
    start = min(tokens[place].start for place in places)
    end = max(tokens[place].end for place in places)
    return Unread(start, end, why)


def _retracted(said: Statement) -> Statement:
    return replace(said, status=Status.RETRACTED)


def _own_topic(world: World) -> frozenset[str]:
    """Return the words that speak of relations in a world, beyond those of ours with its theory."""
    usual = builtin_world(world.theory.name).lexicon.phrases.words.topic
    return frozenset(world.lexicon.phrases.words.topic - usual)


@lru_cache
def _grammar(labels: str) -> Grammar:
    """Return the grammar of kinship. labels: the rules of a world's labels, for arguments."""
    names = (*GRAMMAR, "connectors", "reasoning") if labels else GRAMMAR
    texts = [(ENGLISH / f"{name}.grammar").read_text("utf-8") for name in names]
    return read_grammar([*texts, labels], ACTIONS)


def _kinship_words(
    world: World, literals: frozenset[str], language: Mapping[str, frozenset[str]]
) -> Words:
    nouns, data, closed = kinship_nouns(world), read_words("kinship"), dict(language)
    closed["number"] |= number_words()
    nouns_only = nouns.keys() - {"twin"}
    for name in ("person", "free", "attitude", "thought", "guarded", "unreal", "plain", "fiction"):
        closed[name] = closed[name] - nouns_only
    verbs = {name: frozenset(words) for name, words in data["verbs"].items()}
    own = {"relation": frozenset(nouns), **verbs}
    classes = classes_of(closed, own, literals=literals)
    topic = frozenset(data["topic"]) | {"name", "names"}
    triggers = topic.union(nouns, *verbs.values())
    return Words(nouns, {}, SYMMETRIC, classes, triggers)


def as_told(world: World, tokens: tuple[Token, ...], told: ProseStatement) -> Said:
    """What a sentence of the world's prose says."""
    start, end = tokens[0].start, tokens[-2].end
    said = [
        Statement(StatementKind.FACT, head, (relation,), tail, start=start, end=end)
        for head, relation, tail in told.facts
    ]
    forms = {
        name: {world.forms[form]}
        for name, form in told.forms.items()
        if form is not None and world.forms
    }
    mentioned = Mentioned(names=list(told.forms), one_of_another=describes_one(tokens))
    return Said(said, mentioned=mentioned, forms=forms)
