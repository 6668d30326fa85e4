"""The claims of a reply: parts of its text that state a relation of two entities of a story.

A claim has the wording of the world's stories and proofs, or the world's free reader reads it. "can be" makes
it hedged, "is not" denied. A condition ("if"), a question and an answer without its entities claim nothing.
The time is linear in the length of the reply.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clutrr.puzzle import Entity, Fact
from clutrr.sentences import sentence_spans
from clutrr.theory.solver import Claim
from clutrr.wording import StoryReader
from clutrr.world import World

_MARK = "\ue000"  # stands for an entity
_LIST = "\ue001"  # stands for each character of a list of relations
# One kind of apostrophe and of dash.
PLAIN = {ord(char): "'" for char in "\u2019\u2018\u02bc\u00b4"} | {
    ord(char): "-" for char in "\u2010\u2011\u2012\u2013\u2212"
}
# What is left out: marks around words, and scenes that only show an answer.
_AROUND = f'*_`"[]\u201c\u201d{_MARK}{_LIST}'
_EXAMPLE = "as in this [^\n]+"
_BREAKS = ".!?;:\n"
_BREAK = re.compile(f"[{_BREAKS}]")
_NEAR = 300  # characters on either side of a claim that may be of its sentence
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|suppos(?:e|ing)|assum(?:e|ing)|imagine|provided|in case|were it|either|neither"
    r"|maybe|perhaps|possibly|probably"
    r"|not (?:true|the case|clear|known|stated|certain)|cannot (?:say|tell|conclude|infer))\b",
)
# What is said "that ..." is claimed after words that do so ("we know that"), and no others ("I doubt that").
_REPORTED = re.compile(r"\bthat\s*\Z")
_ASSERTS = re.compile(
    r"\b(?:follow|kn[eo]w|mean|impl|conclu|see|show|stat|sa(?:y|id)|t[eo]ll?|given|f[io]u?nd|deduc|infer|learn|note"
    r"|think|believe|get|have|establish|derive|clear|true|fact|so\b|such|sure|certain|read|recall|confirm|seen|thus"
    r"|therefore|hence)"
)
_DISPUTES = re.compile(
    r"\b(?:not?|never|nobody|none|cannot|hardly|wrong\w*|false\w*|untrue|might|may|could)\b|n't\b"
)
_TAKEN_BACK = re.compile(
    r",?\s(?:or (?:not|some\w*|else)|(?:(?:which|and that|but (?:that|this|it))\s)?(?:(?:is|was|would be) "
    r"(?:\w+ ){0,2}?(?:wrong|false|untrue|incorrect|impossible|invalid|absurd|nonsense|lie|unlikely|ruled)"
    r"|(?:isn't|can't be|cannot be|is not|was not) (?:\w+ )?(?:right|true|correct|possible|so)))\b"
)
_DENIAL = re.compile(r"\b(?:not|never|cannot)\b|n't\b")
_HEDGE = re.compile(r"\b(?:can(?! not)|could(?! not)|may|might|possibly|perhaps|probably|likely)\b(?!'t)")
_SO = "also|therefore|thus|then|hence"
_VERB = (
    r"(?P<verb>(?:is|was|isn't|wasn't|becomes"
    rf"|(?:must|has to|will|would|can|could|may|might|cannot|can't|couldn't)(?: not)?(?: (?:{_SO}))? be)"
    # Lazy: some labels begin with "not".
    rf"(?: (?:{_SO}|not|never|indeed|actually|either|possibly|perhaps|probably|likely))??)"
)
_NOT_AFTER = ("of", "to", "than", "from", "with", "by", "as", "in")  # the beginning of a claim
_OTHER = r"(?P<other>,? or (?:an?|no)\b)?"  # something outside the label set
_SLOT = re.compile(r"(\{[abr]\})")
_NESTED = re.compile(r"\b(?:of|to) \[[^\[\]]*\]'s |\]'s .*\]'s ")  # "the husband of Ann's daughter"
_SHORT = 1000  # characters of a sentence that is read freely


class FoundClaim(NamedTuple):
    """A claim at `reply[start:end]`: tail is one of these relations to head.

    denied: it is none of them. hedged: only that it can be. other: or something outside the label set.
    """

    start: int
    end: int
    claim: Claim
    denied: bool = False
    hedged: bool = False
    other: bool = False


def spellings(world: World) -> dict[str, str]:
    """Return the words for each label: itself, and synonyms.

    A synonym may also stand for the label at the beginning of another one: "mom-in-law".
    """
    synonyms = world.lexicon.phrases.words.synonyms.items()
    found = {word: label for word, label in synonyms if label in world.meaning}
    for word, label in synonyms:
        for relation in world.relations:
            if relation.startswith(f"{label}-"):
                found[f"{word}{relation.removeprefix(label)}"] = relation
    return found | {relation: relation for relation in world.relations}


@dataclass(frozen=True)
class _Marked:
    """A reply with one mark for each entity. text: in lower case; cased: as it was.

    names: by place. starts, ends: of each character in the reply.
    """

    text: str
    cased: str
    names: Mapping[int, str]
    starts: Sequence[int]
    ends: Sequence[int]


class ClaimReader:
    """Finds the claims of replies to questions about stories of one world."""

    def __init__(self, world: World) -> None:
        phrases = world.lexicon.phrases
        words = phrases.words
        self._reader = StoryReader(world)
        called = spellings(world)
        self._called = {_key(word): relation for word, relation in called.items()}
        other = sorted({word for listed in words.modifiers.values() for word in listed})
        self._doubts = (_CONDITION, _DENIAL, _HEDGE, re.compile(rf"\b(?:{'|'.join(other) or '(?!)'})\b"))
        said = sorted((_spelt(word.lower(), words.prefixes) for word in called), key=len, reverse=True)
        behind = "".join(f"|[- ]?{_spelt(suffix, ())}" for suffix in sorted(words.suffixes))
        label = rf"(?:{'|'.join(said)})(?!'s|[\w-]{behind})"
        self._labels = re.compile(label)
        self._lists = re.compile(rf"(?<![\w-]){label}(?:(?:,? or |, |/){label})*+")
        wordings: list[tuple[str, str | None]] = [
            (text.removesuffix("."), None) for text in (*phrases.common, phrases.complete)
        ]
        wordings += [(f"{{b}} is {phrases.relation}", None), ("the relation of {b} to {a} is {r}", None)]
        wordings += [(clause, label) for label, clause in phrases.clauses.items()]
        patterns = {self._pattern(text): label for text, label in wordings}
        self._patterns = [(re.compile(text), label) for text, label in patterns.items()]

    def about(self, text: str, entities: Sequence[str]) -> list[FoundClaim]:
        """Return the claims about two entities that clauses make, in the order of the text."""
        marked = _mark(text, entities)
        return [_placed(one, marked) for one in self._in_clauses(marked) if one.claim.head != one.claim.tail]

    def find(self, reply: str, entities: Sequence[Entity]) -> list[FoundClaim]:
        """Return the claims about these entities, in the order of the reply."""
        marked = _mark(reply, [entity.name for entity in entities])
        found = self._in_clauses(marked)
        starts = [one.start for one in found]
        for start, end in _sentences(marked):
            if bisect_left(starts, start) == bisect_left(starts, end):  # nothing of it is read yet
                facts = self._in_sentence(*_bracketed(marked, start, end), dict(entities))
                found += [FoundClaim(start, end, Claim.of(fact)) for fact in facts]
        return [_placed(one, marked) for one in sorted(found, key=lambda one: one.start)]

    def _pattern(self, wording: str) -> str:
        """Return a pattern of a wording and its variants."""
        text = wording.replace('"', "").lower().rpartition(", ")[2]  # "In time, ..." says the same without
        text = re.sub(r"\b(?:an?|the) (?=\{r\})", "", text)
        text = re.sub(r"(^|[ ,])(?:is|was|must be) ", r"\1<be> ", text)
        parts = []
        for piece in _SLOT.split(text):
            if piece == "{r}":
                parts.append(f"(?:an? |the )?(?P<r>(?<!{_LIST}){_LIST}++)")
            elif piece in ("{a}", "{b}"):
                parts.append(f"(?P<{piece[1]}>{_MARK})")
            else:
                parts.append(re.escape(piece).replace(r"\ ", r"\s").replace("<be>", _VERB))
        relative = rf"{_MARK})(?:,?\s(?:who|which|that))?\s{_VERB}"
        return "".join(parts).replace(rf"{_MARK})\s{_VERB}", relative) + rf"(?!'s|[\w-]){_OTHER}"

    def _in_clauses(self, marked: _Marked) -> list[FoundClaim]:
        """Return the claims in wordings of clauses; of those that overlap, the first and longest."""
        found = []
        listed = self._lists.sub(lambda one: _LIST * len(one[0]), marked.text)  # each list is looked at once
        for pattern, label in self._patterns:
            for match in pattern.finditer(marked.text if label else listed):
                if _is_open(marked.text, match.start(), match.end()):
                    continue
                said = match.groupdict()
                words = [] if label else self._labels.findall(marked.text, *match.span("r"))
                relations = (label,) if label else tuple(self._called[_key(word)] for word in words)
                claim = Claim(marked.names[match.start("a")], relations, marked.names[match.start("b")])
                denied, hedged = _manner(said.get("verb") or "")
                end = match.start("other") if said["other"] else match.end()
                found.append(FoundClaim(match.start(), end, claim, denied, hedged, bool(said["other"])))
        kept: list[FoundClaim] = []
        for one in sorted(found, key=lambda one: (one.start, -one.end)):
            if not kept or one.start >= kept[-1].end:
                kept.append(one)
        return kept

    def _in_sentence(self, text: str, names: Sequence[str], forms: Mapping[str, str]) -> Sequence[Fact]:
        """Return what a sentence states in the wording of a story, or else freely."""
        if len(set(names)) < 2:
            return ()
        facts, lower = self._reader.read(text, free=False).facts, text.lower()
        doubtful = text.endswith("?") or any(word.search(lower) for word in self._doubts)
        plain = len(names) == 2 and len(text) <= _SHORT and not doubtful
        if facts or self._reader.free is None or not plain or _NESTED.search(text):
            return facts
        head, tail = names
        relation = self._reader.free.relation(text, head, tail, forms)
        return () if relation is None else (Fact(head, relation, tail),)


def _placed(said: FoundClaim, marked: _Marked) -> FoundClaim:
    """Return a claim by its place in the reply."""
    return said._replace(start=marked.starts[said.start], end=marked.ends[said.end - 1])


def _manner(verb: str) -> tuple[bool, bool]:
    """Return whether a verb denies, and whether it hedges."""
    return _DENIAL.search(verb) is not None, _HEDGE.search(verb) is not None


def _is_open(text: str, start: int, end: int) -> bool:
    """Return whether what is said there is a condition or a question, or part of another clause."""
    before = text[max(0, start - _NEAR) : start]
    clause = before[max(map(before.rfind, _BREAKS)) + 1 :]
    closed = _BREAK.search(text, end, end + _NEAR)
    asked = closed is not None and closed[0] == "?"
    if _TAKEN_BACK.match(text, end):
        return True
    if _REPORTED.search(clause) and (_DISPUTES.search(clause) or not _ASSERTS.search(clause)):
        return True
    return asked or _CONDITION.search(clause) is not None or clause.rstrip().rpartition(" ")[2] in _NOT_AFTER


def _key(word: str) -> str:
    return re.sub("[- ]", "", word.lower())


def _spelt(word: str, prefixes: Collection[str]) -> str:
    """Return a pattern of a word or phrase whose parts may be written apart or together."""
    if word.startswith("is-"):  # in "is started by" the verb is none of the label
        return re.escape(word)
    pattern = re.escape(word).replace(r"\-", "[- ]?").replace(r"\ ", "[- ]")
    for prefix in prefixes:
        if word.startswith(prefix) and word != prefix:
            return f"{prefix}[- ]?{pattern.removeprefix(prefix)}"
    return pattern


def _mark(reply: str, names: Sequence[str]) -> _Marked:
    plain = reply.translate(PLAIN)
    around = re.escape(_AROUND)
    # Every alternative begins with one character, by which the search is fast.
    wanted = [
        f"{re.escape(name)}(?![^\\W_]|-)" for name in sorted(filter(None, names), key=len, reverse=True)
    ]
    wanted += [_EXAMPLE, *(f"{re.escape(char)}[{around}]*" for char in _AROUND)]
    pieces, starts, ends, named = list[str](), list[int](), list[int](), dict[int, str]()
    known, at = frozenset(names), 0
    for match in re.finditer("|".join(wanted), plain):
        if plain[match.start() - 1 : match.start()].isalnum() and match[0][0] not in _AROUND:
            continue  # within a word
        pieces.append(plain[at : match.start()])
        starts.extend(range(at, match.start()))
        ends.extend(range(at + 1, match.start() + 1))
        at = match.end()
        if match[0] in known:
            named[len(starts)] = match[0]
            pieces.append(_MARK)
            starts.append(match.start())
            ends.append(match.end())
    pieces.append(plain[at:])
    starts.extend(range(at, len(plain)))
    ends.extend(range(at + 1, len(plain) + 1))
    text = "".join(pieces)
    lower = text.lower()  # a few characters become two
    return _Marked(lower if len(lower) == len(text) else text, text, named, starts, ends)


def _sentences(marked: _Marked) -> Iterator[tuple[int, int]]:
    """Yield the places of the sentences of each line that names entities twice."""
    at = 0
    for line in marked.cased.splitlines(keepends=True):
        if line.count(_MARK) > 1:
            yield from ((at + start, at + end) for start, end in sentence_spans(line))
        at += len(line)


def _bracketed(marked: _Marked, start: int, end: int) -> tuple[str, list[str]]:
    """Return a sentence with its names in brackets, and these names."""
    names = [marked.names[mark.start()] for mark in re.compile(_MARK).finditer(marked.cased, start, end)]
    first, *others = marked.cased[start:end].split(_MARK)
    text = first.lstrip("-+\u2022># \t")
    text += "".join(f"[{name}]{piece}" for name, piece in zip(names, others, strict=True))
    return text if text[-1:] in (".", "!", "?") else f"{text}.", names
