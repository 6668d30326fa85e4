"""The open slots of the grammars of things.

story   an open clause: what is told beside, in words that speak neither of how things lie, nor of what is said, thought,
        wished or made up
verb    the same, behind a subject: begins with a word that may be a verb
axiom   what holds of everything, as for kin: words without a name
lead    the same, before a noun that a clause in passing tells of: "I live in" in "I live in Ripon, north of Leeds"
middle  the same, behind a noun and before another: "runs the mill with"
rest    what such a clause ends in
comparative   "taller", "more careful": compared in what the theory is not about
noun    what sort of thing something is: "small market town", "capital", at most five words
"""

from collections.abc import Sequence

from clutrr._reading.chart import Chart, Ends
from clutrr._reading.gaps import axiom
from clutrr._reading.tokens import Token

_JOINTS = frozenset((",", ";", "and", "while"))
_STARTS = frozenset(("<name>", "<the>", "<a>", "<his>", "<he>", "<proper>"))
_NOUNS = frozenset(("<figure>", "<name>", "<the>", "<a>", "<his>"))
_VERBS = frozenset(("<open>", "<word>", "<be>", "<have>", "<sited>"))
_LOOSE = frozenset(
    (
        "<name>",
        "<open>",
        "<word>",
        "<free>",
        "<plain>",
        "<proper>",
        "<number>",
        "<person>",
        "<title>",
        "<be>",
        "<have>",
        "<sort>",
        "<ground>",
        "<surface>",
        "<sited>",
        "<quality>",
        "<called_of>",
        "<called_of_several>",
    )
)
_NOUN = frozenset(
    (
        "<open>",
        "<plain>",
        "<proper>",
        "<person>",
        "<sort>",
        "<ground>",
        "<surface>",
        "<called_of>",
        "<called_of_several>",
    )
)
_LONGEST_NOUN = 5
_ADVERBS = frozenset("still also always often now soon later usually both all".split())
_RIGHT = frozenset("across next by here there beside opposite behind in at now away".split())
_SUBORDINATES = frozenset(("that", "whether", "if"))
_HEDGES = (
    ("in", "a", "sense"),
    ("in", "a", "way"),
    ("in", "a", "manner"),
    ("so", "to", "speak"),
    ("as", "it", "were"),
    ("as", "far", "as"),
    ("sort", "of"),
    ("kind", "of"),
    ("once", "upon"),
    ("more", "like"),
)
_TURNS = frozenset(("<attitude>", "<guarded>", "<unreal>", "<turn>", "<modal>", "<not>"))


def is_hedged(tokens: Sequence[Token]) -> bool:
    """Whether a sentence is taken back by the way: "in a sense"."""
    norms = [token.norm for token in tokens]
    return any(
        tuple(norms[at : at + len(hedge)]) == hedge
        for hedge in _HEDGES
        for at, norm in enumerate(norms)
        if norm == hedge[0]
    )


def story(chart: Chart, start: int) -> Ends:
    keys = chart.tokens[start].keys
    someone = keys & _STARTS and not keys & {
        "<speaker>",
        "<hearer>",
    }  # "and I am the queen of Spain"
    return _loose(chart, start) if someone else {}


def lead(chart: Chart, start: int) -> Ends:
    """Return where the noun can begin that follows."""
    if not chart.tokens[start].keys & _STARTS:
        return {}
    return _before_nouns(chart, start)


def _before_nouns(chart: Chart, start: int) -> Ends:
    """Return where an open clause can end before a noun."""
    found: dict[int, tuple[tuple[()], ...]] = {}
    tells = False
    for at in range(start, len(chart.tokens) - 1):
        token = chart.tokens[at]
        if tells and at > start and token.keys & _NOUNS:
            found[at] = ((),)
        if "<fiction>" in token.keys or token.norm in _JOINTS:
            break
        if _is_of_theory(chart, at) or not _may_stand(chart, at, start):
            break
        tells = tells or bool(token.keys & _VERBS)
    return found


def middle(chart: Chart, start: int) -> Ends:
    """Return where the next noun can begin."""
    token = chart.tokens[start]
    known = bool(token.keys & _VERBS) and not token.keys & {"<plain>"}
    return _before_nouns(chart, start) if known else {}


def rest(chart: Chart, start: int) -> Ends:
    token = chart.tokens[start]
    return (
        {} if "<end>" in token.keys or token.norm in _JOINTS else _loose(chart, start, tells=True)
    )


def comparative(chart: Chart, start: int) -> Ends:
    token, after = chart.tokens[start], chart.tokens[start + 1 : start + 2]
    if token.norm in chart.words.triggers or token.keys & _TURNS:
        return {}
    if token.norm in ("more", "less") and after and after[0].keys & {"<open>", "<plain>"}:
        return {start + 2: ((),)}
    compared = token.norm.endswith("er") and token.keys & {"<open>", "<plain>", "<quality>"}
    return {start + 1: ((),)} if compared or token.norm == "better" else {}


def verb(chart: Chart, start: int) -> Ends:
    at = start + 1 if chart.tokens[start].norm in _ADVERBS else start
    keys = chart.tokens[at].keys
    known = keys & _VERBS or chart.tokens[at].norm == "used"
    return _loose(chart, start) if known and not keys & {"<plain>"} else {}


def noun(chart: Chart, start: int) -> Ends:
    found: dict[int, tuple[tuple[()], ...]] = {}
    for at in range(start, min(start + _LONGEST_NOUN, len(chart.tokens))):
        token = chart.tokens[at]
        if not token.keys & _NOUN or token.keys & _TURNS or token.norm in chart.words.triggers:
            break
        found[at + 1] = ((),)
    return found


GAPS = {
    "axiom": axiom,
    "story": story,
    "lead": lead,
    "verb": verb,
    "noun": noun,
    "middle": middle,
    "rest": rest,
    "comparative": comparative,
}


def _loose(chart: Chart, start: int, tells: bool = False) -> Ends:
    """Return where an open clause can end: at the end of the sentence, and before a joint."""
    found: dict[int, tuple[tuple[()], ...]] = {}
    for at in range(start, len(chart.tokens)):
        token = chart.tokens[at]
        ends = "<end>" in token.keys
        if tells and at > start and (ends or token.norm in _JOINTS):
            found[at] = ((),)
        if ends or _is_of_theory(chart, at) or not _may_stand(chart, at, start):
            break
        tells = tells or bool(token.keys & _VERBS)
    return found


def _may_stand(chart: Chart, at: int, start: int) -> bool:
    token = chart.tokens[at]
    if token.norm == "right":
        return True
    if token.norm == "once" and at > start and chart.tokens[at - 1].norm == "at":
        return True
    if "<number>" in token.keys and "<be>" in chart.tokens[at - 1].keys:  # "Vic is 28"
        return False
    if token.norm == "no" and at > start:  # "has no railway"
        return bool(chart.tokens[at - 1].keys & {"<have>", "<be>", "with"})
    if token.keys & _TURNS or (token.norm in _SUBORDINATES and at > start):
        return False
    if "<fiction>" in token.keys:
        near = {one.norm for one in chart.tokens[max(0, at - 4) : at]}
        return near.isdisjoint(("in", "on", "of"))
    return bool(token.keys & _LOOSE) and not token.keys & _TURNS


def _is_of_theory(chart: Chart, at: int) -> bool:
    """Whether a word speaks of what the theory is about, and not "right across the road"."""
    token, after = chart.tokens[at], chart.tokens[at + 1]
    if token.norm == "right" and after.keys & _RIGHT:
        return False
    return token.norm in chart.words.triggers
