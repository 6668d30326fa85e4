"""The notations in which models put relations, each as what it says: facts of two entities.

    arrows       A -son-> B;  A -> B: son;  A -> son -> B;  A -> B (son) -> C (sister)
    functional   son(A) = B;  son_of(A) = B;  is_son_of(B, A);  codes of two: NTPP(A, B)
    equations    B = A's son;  B: son of A;  B - A's son
    triples      (B, son of, A)
    fragments    son of A: B
    brackets     B (A's son)
    order        A > B = C, where the world compares
    boundaries   start(A) = start(B), end(A) < end(B), of events
    records      {"subject": "B", "relation": "son", "of": "A"};  {"from": "A", "relation": "son", "to": "B"}
    tables       | From | Relation | To |

Where relations are no nouns, all of them say what their words say: A -is before-> B, A -> B: before,
before(A, B), A = before B, (A, before, B) and "before B: A" all say that A is before B.

What is not clear by itself is not read: son(A, B) and (A, son, B) may be meant either way.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from clutrr._puzzle import Fact

ARROW = r"(?:[-\u2013\u2014=]+>|[\u2192\u27f6\u21d2\u27f9\u2794\u279c\u21a6]|\\(?:to|rightarrow|Rightarrow)\b)"
EITHER = " or "  # between relations of which one holds
_OR = r"(?:\s*/\s*|[_\s]or[_\s])"
_COPULA = r"(?:is|are|was|were)[_\s]"
_SIGN = rf"(?:[;,.)\]\u2234\u22a2\u2227&+]|{ARROW}|\b(?:so|thus|hence|therefore|and)\b)"
_ENDS = rf"(?=\s*(?:$|{_SIGN}))"
_BEGINS = re.compile(rf"(?:^|{_SIGN})\s*$", re.IGNORECASE)
_OPEN = re.compile(
    r"(?:[\u00ac~]|\b(?:not|never|no|possibly|possible|impossible|maybe|perhaps|wrong|false|unlikely)\s*:)\s*$",
    re.IGNORECASE,
)
_SO = re.compile(rf"^\s*(?:{ARROW}|\u2234|\u22a2|\\therefore)\s*")


class Notation(NamedTuple):
    """What stands at `text[start:end]` of a line, as facts."""

    start: int
    end: int
    facts: tuple[Fact, ...]


class NotationReader:
    """Finds notations in a line.

    Args:
        names: of the entities, each as it may be written, with the entity that it names.
        relations: words and phrases of relations, each with its label.
        codes: the names of kinds, each with its label: NTPP(A, B), "m" of events.
        ordered: the labels of > and < where the world compares entities, or none.
        clauses: whether relations are words of clauses, such as "before": A -before-> B says that A
            is before B, where A -son-> B says that B is A's son.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        relations: Mapping[str, str],
        codes: Mapping[str, str],
        ordered: tuple[str, str, str] | None,
        clauses: bool = False,
    ) -> None:
        self._names, self._ordered, self._clauses = names, ordered, clauses
        self._relations = {_key(word): label for word, label in relations.items()}
        name = rf"(?:{_any(names)})(?!\w|-\w)"
        word = "|".join(_loose(word) for word in sorted(relations, key=len, reverse=True))
        word = rf"(?:{_COPULA})?(?:{word})" if clauses else rf"(?:{word})"
        label = rf"(?:an?\s|the\s)?(?P<{{}}>{word}(?:{_OR}{word})*)(?!\w|-\w)"
        self._events = {kind: codes[kind] for kind in _EVENTS if kind in codes}
        self._somebody = re.compile(rf"{name}|{label.format('_')}", re.IGNORECASE)
        self._readers: list[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterable[Fact]]]] = []

        def add(pattern: str, facts: Callable[[re.Match[str]], Iterable[Fact]]) -> None:
            self._readers.append((re.compile(pattern, re.IGNORECASE), facts))

        def labelled(group: str) -> str:
            return label.format(group)

        a, b = rf"(?P<a>{name})", rf"(?P<b>{name})"
        link = rf"\s*{ARROW}\s*"
        chain = (
            rf"{name}(?:{link}{name}\s*[(\[:]\s*{labelled('_').replace('(?P<_>', '(?:')}\s*[)\]]?)+"
        )
        add(rf"(?<![\w-])(?P<chain>{chain})", self._chain)
        before = (
            rf"{name}(?:{link}[(\[]\s*{labelled('_').replace('(?P<_>', '(?:')}\s*[)\]]\s*{name})+"
        )
        add(rf"(?<![\w-])(?P<chain>{before})", self._chain_before)
        inner = rf"(?:[-\u2013\u2014=]+\s*[(\[]?\s*{labelled('r')}\s*[)\]]?\s*{ARROW}|{ARROW}\s*[(\[]?{labelled('s')}[)\]]?\s*{ARROW})"
        add(rf"(?<![\w-]){a}\s*{inner}\s*{b}", self._between)
        add(
            rf"(?<![\w-]){a}{link}{b}\s*[:=(]\s*{labelled('r')}(?:\s*\))?",
            lambda m: self._fact(m["a"], m["r"], m["b"]),
        )
        add(
            rf"(?<![\w-]){labelled('r')}(?:[ _-]of)?\s*\(\s*{a}\s*\)\s*(?:=|:|is|{ARROW})\s*{b}",
            lambda m: self._fact(m["a"], m["r"], m["b"]),
        )
        possessive = rf"{a}(?:'s|['\u2019\u02bc]s?)\s+{labelled('r')}"
        of = rf"{labelled('s')}\s+of\s+{rf'(?P<c>{name})'}"
        add(
            rf"(?<![\w-]){b}\s*(?:=|:|\u2261|{ARROW}|\s[-\u2013\u2014]\s|\((?=[^()]*\)\s*(?:$|[^\w\s]|and\b)))\s*(?:{possessive}|{of})(?:\s*\))?",
            self._described,
        )
        direct = labelled("r")
        if clauses:
            called = direct.replace(r"(?!\w|-\w)", r"(?:[_ ]of)?")
            add(rf"(?<![\w-]){called}\s*\(\s*{b}\s*,\s*{a}\s*\)", self._said)
            add(rf"\(\s*{b}\s*,\s*{direct}\s*,\s*{a}\s*\)", self._said)
            add(rf"(?<![\w-]){b}\s*[=:\u2261]\s*{direct}\s+{a}{_ENDS}", self._said)
            add(rf"(?<![\w-]){direct}\s+{a}\s*[:=]\s*{b}{_ENDS}", self._piece)
        else:
            noun = direct.replace(r"(?!\w|-\w)", "")
            called = rf"(?:is[_ ])?{noun}[_ -]of"
            add(rf"(?<![\w-]){called}\s*\(\s*{b}\s*,\s*{a}\s*\)", self._said)
            add(rf"\(\s*{b}\s*,\s*{called}\s*,\s*{a}\s*\)", self._said)
            add(rf"(?<![\w-]){direct}\s+of\s+{a}\s*[:=]\s*{b}{_ENDS}", self._piece)
        codes = {name: label for name, label in codes.items() if name.isupper() and len(name) > 1}
        self._codes = codes
        if codes:
            code = "|".join(map(re.escape, sorted(codes, key=len, reverse=True)))
            add(
                rf"(?<![\w-])(?P<code>{code})\s*\(\s*{b}\s*,\s*{a}\s*\)",
                lambda m: self._code(m["a"], m["code"], m["b"]),
            )
            add(
                rf"(?<![\w-]){b}\s+(?P<code>(?-i:{code}))\s+{a}",
                lambda m: self._code(m["a"], m["code"], m["b"]),
            )
        if ordered is not None:
            add(rf"(?<![\w-])(?P<order>{name}(?:\s*(?:[<>=]|\\[lg]t\b)\s*{name})+)", self._order)

    def find(self, text: str) -> list[Notation]:
        """Return the notations of a line, in order; of those that overlap, the first and longest."""
        found = [
            Notation(match.start(), match.end(), tuple(facts(match)))
            for pattern, facts in self._readers
            for match in pattern.finditer(text)
        ]
        if self._events:
            found += boundary_facts(text, self._names, self._events)
        kept: list[Notation] = []
        for one in sorted(found, key=lambda one: (one.start, -one.end)):
            if one.facts and (not kept or one.start >= kept[-1].end):
                unsaid = _OPEN.search(text[: one.start])  # "not: before(A, B)"
                kept.append(one._replace(facts=()) if unsaid else one)
        return kept

    def names_somebody(self, text: str) -> bool:
        """Return whether a text names an entity or a relation."""
        return self._somebody.search(text) is not None

    def record(self, text: str) -> Iterator[Notation]:
        """Yield the JSON objects of a text that state a relation."""
        for match in re.finditer(r"\{[^{}]*\}", text):
            try:
                given = json.loads(match[0])
            except ValueError:
                continue
            fact = self._of_record({str(key).lower(): value for key, value in given.items()})
            if fact is not None:
                yield Notation(match.start(), match.end(), (fact,))

    def row(self, header: Sequence[str], cells: Sequence[str]) -> Fact | None:
        """Return what a row of a table states, by the words of its header."""
        return self._of_record(dict(zip((one.lower() for one in header), cells, strict=False)))

    def _of_record(self, given: Mapping[str, object]) -> Fact | None:
        """Return the fact of named parts: whose relation, which, and who that is."""

        def part(keys: Iterable[str]) -> str:
            for key in keys:
                value = given.get(key)
                if isinstance(value, str) and value.strip():
                    return value.strip()
            return ""

        label = self._relations.get(_key(part(_RELATION)), "")
        for heads, tails in ((_FROM, _TO), (_OF, _WHO)):
            head, tail = self._names.get(part(heads)), self._names.get(part(tails))
            if head and tail and label:
                return Fact(head, label, tail)
        return None

    def _fact(self, head: str, word: str, tail: str) -> Iterator[Fact]:
        """Yield what the relation of one entity to another, in the order of an arrow, amounts to."""
        if self._clauses:
            head, tail = tail, head
        yield from self._relation(head, word, tail)

    def _relation(self, head: str, words: str, tail: str) -> Iterator[Fact]:
        """Yield that `tail` is a relation of `head`, or one of several: "son/son-in-law"."""
        labels = [self._label(word) for word in re.split(_OR, words, flags=re.IGNORECASE)]
        if None not in labels and (len(labels) == 1 or not self._clauses):
            relation = EITHER.join(label for label in labels if label is not None)
            yield Fact(self._names[head], relation, self._names[tail])

    def _label(self, word: str) -> str | None:
        """Return the label of a word; "is met" without "by" could be the other way round."""
        bare = re.sub(rf"^(?:{_COPULA})", "", word, flags=re.IGNORECASE) if self._clauses else word
        label = self._relations.get(_key(bare))
        if label is not None and bare != word and label.endswith("s"):
            return None if bare.lower().endswith(("ed", "met", "ing")) else label
        return label

    def _said(self, match: re.Match[str]) -> Iterator[Fact]:
        """Yield what a notation says that puts who it is first."""
        return self._relation(match["a"], match["r"], match["b"])

    def _piece(self, match: re.Match[str]) -> Iterator[Fact]:
        """Yield what a fragment says that stands alone, or behind a sign or a stop."""
        before = match.string[: match.start()]
        if _BEGINS.search(before) or _OPEN.search(before):
            yield from self._said(match)

    def _between(self, match: re.Match[str]) -> Iterator[Fact]:
        return self._fact(match["a"], match["r"] or match["s"], match["b"])

    def _described(self, match: re.Match[str]) -> Iterator[Fact]:
        if self._clauses:  # "Ann: south of Bob" is read where it ends
            return iter(())
        return self._relation(match["a"] or match["c"], match["r"] or match["s"], match["b"])

    def _code(self, head: str, code: str, tail: str) -> Iterator[Fact]:
        label = self._codes.get(code) or self._codes.get(code.upper())
        if label is not None:
            yield Fact(self._names[head], label, self._names[tail])

    def _chain(self, match: re.Match[str]) -> Iterator[Fact]:
        """A -> B (son) -> C (sister): each relation is to the one before."""
        first, *rest = re.split(ARROW, match["chain"])
        before = first.strip()
        for piece in rest:
            tail, _, word = (
                re.sub(r"[)\]]\s*$", "", piece).replace("[", "(").replace(":", "(").partition("(")
            )
            yield from self._fact(before, word.strip(), tail.strip())
            before = tail.strip()

    def _chain_before(self, match: re.Match[str]) -> Iterator[Fact]:
        """A -> (son) B -> (sister) C."""
        first, *rest = re.split(ARROW, match["chain"])
        before = first.strip()
        for piece in rest:
            word, _, tail = piece.replace("[", "(").replace("]", ")").partition(")")
            yield from self._fact(before, word.strip(" ("), tail.strip())
            before = tail.strip()

    def _order(self, match: re.Match[str]) -> Iterator[Fact]:
        """A > B = C: what each is to the one before."""
        assert self._ordered is not None
        labels = dict(zip("><=", self._ordered, strict=True))
        pieces = re.split(r"\s*(\\gt|\\lt|[<>=])\s*", match["order"])
        signs = [one.replace("\\gt", ">").replace("\\lt", "<") for one in pieces[1::2]]
        for one, sign, other in zip(pieces[::2], signs, pieces[2::2], strict=False):
            yield Fact(self._names[other.strip()], labels[sign], self._names[one.strip()])


_RELATION = ("relation", "relationship", "rel", "type", "label", "is", "is the")
_FROM = ("from", "head", "source", "start", "a")
_TO = ("to", "tail", "target", "end", "b")
_OF = ("of", "whose", "of whom", "relative to", "to whom", "object")
_WHO = ("subject", "who", "person", "name", "entity")


def without_therefore(text: str) -> int:
    """Return where a line begins behind a sign that only says "so"."""
    match = _SO.match(text)
    return match.end() if match else 0


def _any(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or r"(?!)"


def _loose(word: str) -> str:
    """Return a pattern of a word or phrase whose parts may be joined in other ways."""
    return r"[-_ ]?".join(map(re.escape, re.split(r"[-\s]", word)))


def _key(word: str) -> str:
    return re.sub(r"^(?:an?|the)[_\s]|[-_\s]", "", word.strip().lower())


# The thirteen relations of two events, each with a beginning and an end of both that fit it.
_EVENTS = {
    "=": (0, 2, 0, 2),
    "<": (0, 1, 2, 3),
    ">": (2, 3, 0, 1),
    "m": (0, 1, 1, 2),
    "mi": (1, 2, 0, 1),
    "o": (0, 2, 1, 3),
    "oi": (1, 3, 0, 2),
    "d": (1, 2, 0, 3),
    "di": (0, 3, 1, 2),
    "s": (0, 1, 0, 2),
    "si": (0, 2, 0, 1),
    "f": (1, 2, 0, 2),
    "fi": (0, 2, 1, 2),
}
_BEGINNINGS = ("start", "begin", "beginning", "s", "b")
_BOUNDARY = r"(?:start|begin|beginning|end|finish|s|b|e|f)"


def boundary_facts(
    text: str, names: Mapping[str, str], labels: Mapping[str, str]
) -> Iterator[Notation]:
    """Yield what comparisons of boundaries in a line amount to: start(A) = start(B), end(A) < end(B).

    Args:
        text: the line.
        names: of events.
        labels: of kinds of relations between events.
    """
    point = rf"({_BOUNDARY})\s*\(\s*({_any(names)})\s*\)"
    chain = re.compile(rf"{point}(?:\s*[<>=]\s*{point})+", re.IGNORECASE)
    found = [*chain.finditer(text)]
    compared: dict[tuple[str, str], list[tuple[int, str, int]]] = {}
    for match in found:
        points = re.findall(point, match[0], re.IGNORECASE)
        signs = re.findall(r"[<>=]", match[0])
        for (one, first), sign, (other, second) in zip(points, signs, points[1:], strict=False):
            a, b = names[first], names[second]
            if a != b:
                ends = one.lower() not in _BEGINNINGS, other.lower() not in _BEGINNINGS
                compared.setdefault((a, b), []).append((ends[0], sign, ends[1]))
    facts = []
    for (a, b), constraints in compared.items():
        kinds = [kind for kind, times in _EVENTS.items() if _fits(times, constraints)]
        if len(kinds) == 1 and kinds[0] in labels:
            facts.append(Fact(b, labels[kinds[0]], a))
    if found:
        yield Notation(found[0].start(), found[-1].end(), tuple(facts))


def _fits(times: tuple[int, int, int, int], constraints: Iterable[tuple[int, str, int]]) -> bool:
    """Return whether two events at these times agree with comparisons of their boundaries."""
    first, second = times[:2], times[2:]
    sign = {-1: "<", 0: "=", 1: ">"}
    return all(
        sign[(first[one] > second[other]) - (first[one] < second[other])] == compared
        for one, compared, other in constraints
    )
