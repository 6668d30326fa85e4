"""Free sentences of kinship in other languages than English: the commonest ones, by a grammar in each language's folder.

The notation and the chart are those of the English grammar. A sentence states something only if every word of it is in
a rule; a clause may go on in words that are not known (@rest) only behind what its nouns take for granted, "Anna und ihr
Mann Bob". Names are those that are known: given, of the world, or in square brackets.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

from clutrr._io.yamls import read_yaml
from clutrr._lexicon import World
from clutrr._reading.chart import Chart, TooManyMeaningsError
from clutrr._reading.grammar import Grammar, read_grammar
from clutrr._reading.words import Words
from clutrr._statement import Statement, StatementKind, Status
from clutrr.errors import WorldError

# The folder of each language.
FOLDERS = {
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "ru": "russian",
    "tr": "turkish",
    "zh": "chinese",
}
LONGEST = 60  # tokens of a sentence that is read
_PIECE = re.compile(
    r"(?P<entity>\[[^\[\]]*\](?:[\u2019']?\w+)?)|(?P<word>\w+(?:[-\u2019']\w+)*\u2019?)|(?P<mark>[^\w\s])"
)
_FOLD = str.maketrans("'\u02bc\u2018", "\u2019" * 3)
_ENDS = frozenset('.!?\u2026\u3002\uff01\uff1f\u2014\u2013-"\u201c\u201d\u00bb\u00ab\u201e')
_ASKS = frozenset("?\uff1f")


@dataclass(frozen=True, eq=False)
class _Known(Words):
    """What the actions know beside the tokens."""

    world: World


class FreeToken(NamedTuple):
    """A word, a mark or a name. names: the name that it is, by case. labels: that it says, as a noun."""

    norm: str
    keys: frozenset[str]
    names: tuple[tuple[str, str], ...] = ()
    labels: tuple[str, ...] = ()


class Claim(NamedTuple):
    """That tail is one of these to head, or is not, or may be."""

    status: Status
    head: str
    labels: tuple[str, ...]
    tail: str


Claims = tuple[Claim, ...]
Role = tuple[tuple[str, ...], str]  # labels, and the entity whose they are
_ACTIONS: dict[str, Callable[..., Any]] = {}


def _action(function: Callable[..., Any]) -> Callable[..., Any]:
    _ACTIONS[function.__name__] = function
    return function


def _token(chart: Chart, place: int) -> FreeToken:
    found: Any = chart.tokens[place]
    assert isinstance(found, FreeToken)
    return found


def _world(chart: Chart) -> World:
    known = chart.words
    assert isinstance(known, _Known)
    return known.world


@_action
def name(chart: Chart, place: int, case: str = "") -> str | None:
    return dict(_token(chart, place).names).get(case)


@_action
def kin(chart: Chart, place: int) -> tuple[str, ...] | None:
    return _token(chart, place).labels or None


@_action
def role(chart: Chart, labels: tuple[str, ...], head: str) -> tuple[Role, ...]:
    return ((labels, head),)


@_action
def roles(chart: Chart, one: tuple[Role, ...], other: tuple[Role, ...]) -> tuple[Role, ...]:
    return (*one, *other)


def _claims(status: Status, tail: str, some: Sequence[Role]) -> Claims | None:
    claims = tuple(Claim(status, head, labels, tail) for labels, head in some)
    return None if any(one.head == one.tail for one in claims) else claims


@_action
def says(chart: Chart, tail: str, some: tuple[Role, ...]) -> Claims | None:
    return _claims(Status.ASSERTED, tail, some)


@_action
def says_too(
    chart: Chart, tail: str, one: tuple[Role, ...], other: tuple[Role, ...]
) -> Claims | None:
    return _claims(Status.ASSERTED, tail, (*one, *other))


@_action
def denies(chart: Chart, tail: str, some: tuple[Role, ...]) -> Claims | None:
    # "not Ann's son and Carl's brother" denies one of them, nobody knows which
    return _claims(Status.DENIED, tail, some) if len(some) == 1 else None


@_action
def may(chart: Chart, tail: str, some: tuple[Role, ...]) -> Claims | None:
    return _claims(Status.POSSIBLE, tail, some)


@_action
def has(chart: Chart, head: str, labels: tuple[str, ...], tail: str) -> Claims | None:
    return _claims(Status.ASSERTED, tail, ((labels, head),))


@_action
def perhaps(chart: Chart, tail: str, head: str, labels: tuple[str, ...]) -> Claims | None:
    return _claims(Status.POSSIBLE, tail, ((labels, head),))


@_action
def two(
    chart: Chart,
    tail: str,
    one: str,
    labels: tuple[str, ...],
    other: str,
    others: tuple[str, ...],
) -> Claims | None:
    return _claims(Status.ASSERTED, tail, ((labels, one), (others, other)))


@_action
def nothing(chart: Chart, _: str) -> Claims:
    return ()


@_action
def lacks(chart: Chart, head: str, labels: tuple[str, ...], tail: str) -> Claims | None:
    return _claims(Status.DENIED, tail, ((labels, head),))


@_action
def own(chart: Chart, head: str, place: int, labels: tuple[str, ...], tail: str) -> Claims | None:
    """What "Ann and her brother Bob" says: "her" must suit Ann, where her form is known."""
    keys = _token(chart, place).keys
    form = _world(chart).lexicon.form_of.get(head)
    if form is not None and "<own>" not in keys:
        forms = _world(chart).forms
        if f"<own_{forms[form]}>" not in keys:
            return None
    return _claims(Status.ASSERTED, tail, ((labels, head),))


@_action
def together(chart: Chart, one: Claims, other: Claims) -> Claims:
    return (*one, *other)


@_action
def alike(chart: Chart, one: str, other: str, kind: str) -> Claims | None:
    """What "Ann and Bob are siblings" says: of the one to the other."""
    world = _world(chart)
    words = world.kind(kind).words
    form = world.lexicon.form_of.get(other)
    labels = tuple(dict.fromkeys(words)) if form is None else (words[form],)
    return _claims(Status.ASSERTED, other, ((labels, one),))


@_action
def asked(chart: Chart, claims: Claims) -> Claims:
    return ()


@_action
def questioned(chart: Chart, tail: str, some: tuple[Role, ...]) -> Claims:
    return ()


def _rest(chart: Chart, start: int) -> dict[int, tuple[Any, ...]]:
    """Words that are not known, up to the end of the sentence: one at least."""
    end = start
    while end < len(chart.tokens) and "<open>" in chart.tokens[end].keys:
        end += 1
    return {end: (None,)} if end > start else {}


class FreeSentences:
    """Reads the commonest free sentences of a world of kinship, in the language of the world.

    closed: the words of its grammar, none of which is a name.
    """

    def __init__(self, world: World, folder: str) -> None:
        self._world = world
        place = resources.files("clutrr._reading") / folder
        data: Mapping[str, Any] = read_yaml(place / "kinship.yaml", WorldError)
        self._grammar: Grammar = read_grammar(
            [(place / "kinship.grammar").read_text("utf-8")], _ACTIONS
        )
        classes: dict[str, set[str]] = {}
        for key, words in data["classes"].items():
            for word in str(words).split():
                classes.setdefault(word.replace("_", " "), set()).add(f"<{key}>")
        self._literals = frozenset(self._grammar.words())
        self._classes = {word: frozenset(keys) for word, keys in classes.items()}
        self._nouns = _nouns(world, data.get("forms") or {}, data.get("suffixes") or {})
        about = world.lexicon.phrases.words
        self._no_rest = frozenset(about.topic | about.unlabelled | about.form_words)
        self.closed = frozenset((*self._classes, *self._literals))
        self._spelled = _spelled(world, (one for of in world.lexicon.names for one in of))

    def read(self, text: str, names: Collection[str] | None) -> tuple[Statement, ...] | None:
        """Return what a sentence says; None if it is not understood. names: those that are given."""
        new = [one for one in names or () if one not in self._world.lexicon.form_of]
        spelled = {**self._spelled, **_spelled(self._world, new)} if new else self._spelled
        tokens = list(self._tokens(text, spelled))
        asks = False
        while tokens and tokens[-1].norm in _ENDS:
            asks |= tokens.pop().norm in _ASKS
        if not tokens or len(tokens) > LONGEST:
            return None
        tokens.append(FreeToken("", frozenset(("<asked>" if asks else "<end>",))))
        chart = Chart(
            self._grammar,
            _ACTIONS,
            {"rest": _rest},
            _Known({}, {}, frozenset(), {}, frozenset(), self._world),
            tokens,  # type: ignore[arg-type]
        )
        try:
            ways = chart.ends("Sentence", 0).get(len(tokens), ())
        except TooManyMeaningsError:
            return None
        meanings = {frozenset(way) for way in ways}
        if len(meanings) != 1:
            return None
        return tuple(map(_statement, ways[0]))

    def _tokens(
        self, text: str, spelled: Mapping[str, tuple[tuple[str, str], ...]]
    ) -> Iterator[FreeToken]:
        """Yield the words, the longest that are known: nouns and names may be several words."""
        pieces = self._pieces(text, spelled)
        at = 0
        while at < len(pieces):
            for size in (4, 3, 2, 1):
                said = self._joint.join(pieces[at : at + size])
                if size == 1 or said in spelled or self._fold(said) in self._nouns:
                    yield self._classified(said, spelled, at == 0)
                    at += min(size, len(pieces) - at)
                    break

    @property
    def _joint(self) -> str:
        return self._world.lexicon.space

    def _pieces(self, text: str, spelled: Mapping[str, Any]) -> list[str]:
        folded = text.translate(_FOLD)
        if self._joint:
            return [match[0] for match in _PIECE.finditer(folded)]
        known = {*spelled, *self._nouns, *self._classes, *self._literals, *self._no_rest}
        words = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
        return re.findall(rf"\[[^\[\]]*\]|{words}|\w|[^\w\s]", folded)

    def _fold(self, word: str) -> str:
        turkish = self._world.lexicon.language == "tr"
        return (word.replace("I", "\u0131").replace("\u0130", "i") if turkish else word).lower()

    def _classified(
        self, said: str, spelled: Mapping[str, tuple[tuple[str, str], ...]], first: bool
    ) -> FreeToken:
        bracketed = said.startswith("[")
        names = spelled.get(said, ())
        if bracketed:
            bare = said.replace("[", "").replace("]", "")
            names = spelled.get(bare) or _unknown(self._world, said)
        norm = self._fold(said)
        if names:
            keys = {"<name>" if not case else f"<name_{case}>" for case, _ in names}
            return FreeToken(norm, frozenset(keys), names)
        keys = {norm, *self._classes.get(norm, ())}
        by_class = self._nouns.get(norm, {})
        labels = tuple(dict.fromkeys(one for some in by_class.values() for one in some))
        keys |= {f"<{key}>" for key in by_class}
        known = norm in self.closed or by_class or norm in self._no_rest
        if not known and norm[0].isalpha() and not bracketed:
            keys.add("<open>")
        return FreeToken(norm, frozenset(keys), (), labels)


def _nouns(
    world: World, forms: Mapping[str, str], suffixes: Mapping[str, str]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return the labels of each noun, by class: "kin" for labels and synonyms, others for forms of labels and for nouns with an ending."""
    found: dict[str, dict[str, list[str]]] = {}

    def add(word: str, key: str, label: str) -> None:
        labels = found.setdefault(word.lower(), {}).setdefault(key, [])
        if label not in labels:
            labels.append(label)

    for label in world.relations:
        add(label, "kin", label)
    for word, label in world.lexicon.phrases.words.synonyms.items():
        add(word, "kin", label)
    for key, endings in suffixes.items():
        for word, by_class in list(found.items()):
            for label in by_class.get("kin", ()):
                for ending in str(endings).split():
                    add(word + ending, key, label)
    for key, spec in forms.items():
        for label, text in world.lexicon.phrases.forms[spec].items():
            for word in text.split("|"):
                add(word, key, label)
    return {
        word: {key: tuple(labels) for key, labels in by_class.items()}
        for word, by_class in found.items()
    }


def _spelled(world: World, names: Any) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the names that a text without spaces around can stand for, each with its case."""
    lexicon = world.lexicon
    found: dict[str, list[tuple[str, str]]] = {}
    for one in names:
        for case in ("", *lexicon.cases.known):
            forms = (
                [lexicon.form_of.get(one)] if one in lexicon.form_of else range(len(lexicon.names))
            )
            for form in forms:
                spelling = lexicon.cases.spell(one, case, form)
                written = spelling.written().translate(_FOLD) if spelling else ""
                # What stands before a name as a word of its own is a word of the grammar.
                if written and (" " not in written or " " in one):
                    pairs = found.setdefault(written, [])
                    if (case, one) not in pairs:
                        pairs.append((case, one))
    return {written: tuple(pairs) for written, pairs in found.items()}


def _unknown(world: World, said: str) -> tuple[tuple[str, str], ...]:
    """Return the cases in which a word in square brackets that is no known name may stand."""
    inner, _, behind = said[1:].partition("]")
    cases = [("", inner)] if not behind else []
    for case in world.lexicon.cases.known:
        if case in world.lexicon.declined:
            continue
        spelling = world.lexicon.cases.spell(inner, case, None)
        if spelling and (spelling.before, spelling.after.translate(_FOLD)) == ("", behind):
            cases.append((case, inner))
    return tuple(cases)


def _statement(claim: Claim) -> Statement:
    status, head, labels, tail = claim
    if status is Status.DENIED:
        return Statement(StatementKind.DENIAL, head, labels, tail, status=status)
    kind = StatementKind.FACT if len(labels) == 1 else StatementKind.ALTERNATIVES
    return Statement(kind, head, labels, tail, status=status)


def free_sentences(world: World) -> FreeSentences | None:
    """Return the reader of free sentences for a world, where its theory and language have one."""
    folder = FOLDERS.get(world.lexicon.language.partition("-")[0])
    steps = world.theory.name == "kinship"
    return FreeSentences(world, folder) if folder and steps else None
