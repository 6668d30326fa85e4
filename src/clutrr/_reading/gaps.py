"""The open slots of the grammar: where words may stand that the reader does not know.

story     an open clause: what is told of people, in any words but those that speak of what is said, thought,
          wished or made up. A word of relation in it must be part of a noun that the grammar knows, and is taken
          for granted; it cannot be a predicate.
tale      the same, with a subject at its beginning
verb      the same, behind a subject: begins with a word that may be a verb
deed      the same, of something that was done
axiom     what holds of everybody: words without a name
when      a time or place: the same without any word of relation
"""

from typing import NamedTuple

from clutrr._reading.chart import Chart, Ends
from clutrr._reading.meaning import Conditions, Who

_NOUNS = ("Bound", "Kin", "Stranged")
_BEFORE_PREDICATE = frozenset(
    "be become becomes became remain remains remained 's 'm is am are was were been being like as".split()
)
_CONDITIONS = frozenset(
    "if unless suppose assume whether were imagine perhaps maybe when could should".split()
)
_ADVERBS = frozenset(
    "also too therefore thus then hence now still indeed actually really certainly both again already clearly likewise".split()
)
_GIVES = frozenset(
    "give gives gave given show shows showed shown send sends sent tell tells told teach teaches taught call calls called "
    "name names named make makes made buy buys bought offer offers offered introduce introduced elect elected".split()
)
_JOINTS = frozenset(
    (",", ";", "and", "but", ":", "while", "\u2014", "\u2013", "--", "so", "because")
)
_OPEN = frozenset(
    "<name> <open> <free> <plain> <proper> <number> <person> <title> <be> <called> <say> <attitude> <thought> <divorce>".split()
).union((",", ";", ":", "and", "-", "\u2013", "\u2014", "--", "&", "%", "$", "(", ")"))
_TELLING = frozenset(
    (
        "<divorce>",
        "<open>",
        "<be>",
        "<have>",
        "<plain>",
        "<modal>",
        "<called>",
        "<say>",
        "<thought>",
    )
)
_BE = frozenset("'m is am are was were 's became becomes remains remained".split())
_SUBJECTS = frozenset(("<name>", "<he>", "<proper>"))
_VERBS = frozenset(
    (
        "<open>",
        "<be>",
        "<have>",
        "<modal>",
        "<say>",
        "<called>",
        "do",
        "does",
        "did",
        "never",
        "not",
    )
)
_MOST = 6  # ways to read the words of relation of a clause


def story(chart: Chart, start: int) -> Ends:
    return _open(chart, start, kin=True)


def tale(chart: Chart, start: int) -> Ends:
    """A clause about somebody, which does not speak of what is said beside it."""
    first, second = chart.tokens[start], chart.tokens[min(start + 1, len(chart.tokens) - 1)]
    if first.keys.isdisjoint(_SUBJECTS):
        begins = first.norm in ("the", "a", "an") or not first.keys.isdisjoint(
            ("<his>", "<relation>")
        )
    else:
        begins = not second.keys.isdisjoint(_VERBS)
    if not begins:
        return {}
    if first.norm == "i" and second.norm == "am":  # "..., and I am the queen of Spain"
        return {}
    found = _open(chart, start, kin=True)
    return {end: said for end, said in found.items() if not _speaks(chart, start, end)}


def _speaks(chart: Chart, start: int, end: int) -> bool:
    """Whether a clause tells of something said or thought, or made up."""
    speaking = ("<say>", "<attitude>", "<thought>", "<fiction>", "<unreal>")
    return any(not token.keys.isdisjoint(speaking) for token in chart.tokens[start:end])


def deed(chart: Chart, start: int) -> Ends:
    """What somebody did, beside which something else that he did may stand."""
    return {
        end: said
        for end, said in verb(chart, start).items()
        if not _speaks(chart, start, end) and not _is_undone(chart, start, end)
    }


def _is_undone(chart: Chart, start: int, end: int) -> bool:
    """Whether a deed is denied, only wanted, or in a clause of its own."""
    undone = ("<modal>", "<not>", "that", "if", "when", "who", "while", "because", "had")
    for at in range(start, end):
        token, after = chart.tokens[at], chart.tokens[at + 1]
        wanted = token.norm == "to" and after.keys.isdisjoint(
            ("<name>", "<proper>", "<a>", "<the>", "<his>")
        )
        if wanted or not token.keys.isdisjoint(undone):
            return True
    return False


def letter(chart: Chart, start: int) -> Ends:
    """What a letter goes on with, if it has no word of relation."""
    for token in chart.tokens[start:-1]:
        if "<relation>" in token.keys or "<marry>" in token.keys:
            return {}
    return {len(chart.tokens) - 1: ((),)}


def work(chart: Chart, start: int) -> Ends:
    """A work of fiction, "new play"."""
    found = _row(chart, start, ("<open>", "<plain>", "<name>", "<proper>", "<fiction>", "'s"))
    return {end: said for end, said in found.items() if "<fiction>" in chart.tokens[end - 1].keys}


def manner(chart: Chart, start: int) -> Ends:
    """How something is said: "with a grin"."""
    found = _row(chart, start, ("<open>", "<free>", "<plain>", "<fiction>"))
    turns = {"but", "though", "although", "however", "not", "it"}
    return {
        end: said
        for end, said in found.items()
        if turns.isdisjoint(token.norm for token in chart.tokens[start:end])
        and all("<attitude>" not in token.keys for token in chart.tokens[start:end])
    }


def belief(chart: Chart, start: int) -> Ends:
    """What many say, "contrary to"."""
    return _row(chart, start, ("<open>", "<free>", "<attitude>", "<person>", "<fiction>"))


def label(chart: Chart, start: int) -> Ends:
    """The name of a field, "Emergency contact"."""
    return _row(chart, start, ("<open>", "<proper>"))


def _row(chart: Chart, start: int, classes: tuple[str, ...]) -> Ends:
    """Up to eight words of these classes."""
    at = start
    while (
        at < len(chart.tokens) and at < start + 8 and not chart.tokens[at].keys.isdisjoint(classes)
    ):
        at += 1
    return dict.fromkeys(range(start + 1, at + 1), ((),))


def axiom(chart: Chart, start: int) -> Ends:
    """What holds of everybody, "the son of a sister is a nephew": it names nobody, and is no condition."""
    at, found = start, {}
    if chart.tokens[start].norm in _CONDITIONS:
        return {}
    while at < len(chart.tokens) and at < start + 25:
        token = chart.tokens[at]
        if token.name or "<his>" in token.keys or "<he>" in token.keys or "<end>" in token.keys:
            break
        at += 1
        found[at] = ((),)
    return found


def source(chart: Chart, start: int) -> Ends:
    """Who says so, "according to"."""
    return _row(chart, start, ("<open>", "<free>", "<proper>", "<name>", "<person>", "<fiction>"))


def verb(chart: Chart, start: int) -> Ends:
    if chart.tokens[start].norm in ("makes", "made", "make"):  # "which makes her Ann's aunt"
        one, other = chart.tokens[start + 1], chart.tokens[min(start + 2, len(chart.tokens) - 1)]
        if not one.keys.isdisjoint(("<name>", "<him>")) and (other.name or "<his>" in other.keys):
            return {}
    at = start
    while chart.tokens[at].norm in _ADVERBS:
        at += 1
    if at > start and _VERBS.isdisjoint(chart.tokens[at].keys):
        return {}  # "and thus Ann's son"
    return _open(chart, start, kin=True) if not _VERBS.isdisjoint(chart.tokens[start].keys) else {}


def when(chart: Chart, start: int) -> Ends:
    return _open(chart, start, kin=False)


GAPS = {
    "story": story,
    "tale": tale,
    "verb": verb,
    "deed": deed,
    "when": when,
    "letter": letter,
    "manner": manner,
    "work": work,
    "belief": belief,
    "label": label,
    "source": source,
    "axiom": axiom,
}


class _Way(NamedTuple):
    """One way to read an open clause up to a place.

    tells: whether it has a word that is no name. closed: what kinds of nouns say nothing any more: 1 those of others
    than the subject, which are in what is said or thought; 2 all, which are made up. named: whether somebody is named
    before.
    """

    at: int
    said: Conditions
    tells: bool
    closed: int = 0
    named: bool = False


def _open(chart: Chart, start: int, kin: bool) -> Ends:
    """Return where an open clause can end: at the end of the sentence, and before a joint.

    One with words of relation must tell something: it has a word that is no name.
    """
    if _hedged(chart, max(0, start - 1)):
        return {}
    found: dict[int, dict[Conditions, None]] = {}
    ways = [_Way(start, (), not kin)]
    while ways:
        at, said, tells, closed, named = ways.pop()
        while at < len(chart.tokens):
            token = chart.tokens[at]
            if tells and ("<end>" in token.keys or (token.norm in _JOINTS and at > start)):
                found.setdefault(at, {})[said] = None
            if "<end>" in token.keys:
                break
            taken = _noun(chart, at) if kin else {}
            if taken:
                own = "<his>" in token.keys and named
                if closed > own or not _may_be_granted(chart, at, taken):
                    break
                for end, meanings in taken.items():
                    tells = tells or any("<open>" in one.keys for one in chart.tokens[at:end])
                    ways += [
                        _Way(end, _with(said, meaning), tells, closed, named)
                        for meaning in meanings
                    ]
                break
            if not _is_open(chart, at) and not (kin and _is_bare(chart, at)):
                break
            if token.norm == ";":
                closed = 0
            closes = _closes(chart, at, start)
            if closes > closed:
                closed, named = closes, any(one.name for one in chart.tokens[:at])
            tells = tells or ("<number>" not in token.keys and bool(token.keys & _TELLING))
            at += 1
        if len(ways) > _MOST:
            return {}
    return {end: tuple(meanings) for end, meanings in found.items()}


_HEDGES = {  # by the first word
    "in": (("in", "a", "sense"), ("in", "a", "way"), ("in", "a", "manner")),
    "so": (("so", "to", "speak"),),
    "as": (("as", "it", "were"), ("as", "far", "as")),
    "sort": (("sort", "of"),),
    "kind": (("kind", "of"),),
    "once": (("once", "upon"),),
}


def _hedged(chart: Chart, start: int) -> bool:
    """Whether a clause is taken back by the way: "in a sense", "they say"."""
    norms = [token.norm for token in chart.tokens[start:]]
    for at, norm in enumerate(norms):
        hedges = _HEDGES.get(norm, ())
        if any(tuple(norms[at : at + len(hedge)]) == hedge for hedge in hedges):
            return True
    for at in range(start, len(chart.tokens) - 2):
        one, two, three = chart.tokens[at : at + 3]
        speaks = not {"<say>", "<thought>"}.isdisjoint(three.keys) or three.norm == "hear"
        if one.norm in (",", "so") and not {"<he>"}.isdisjoint(two.keys) and speaks:
            return not {"<end>", ","}.isdisjoint(chart.tokens[at + 3].keys)
    return False


def _closes(chart: Chart, at: int, start: int) -> int:
    """Whether what follows a word is made up (2), or said or thought (1)."""
    token = chart.tokens[at]
    if "<attitude>" in token.keys:
        return 2
    after = chart.tokens[at + 1]
    subject = not after.keys.isdisjoint(("<name>", "<the>", "<a>", "<his>", "<he>", "<relation>"))
    early = start < at <= start + 6 or (at > start and "<say>" in chart.tokens[at - 1].keys)
    told = token.norm in ("that", "whether", "if") and early and subject
    opens = at == start and token.norm in ("almost", "nearly", "once", "if", "whether", "suppose")
    speaks = "<thought>" in token.keys or ("<say>" in token.keys and after.norm == "that")
    return int(told or opens or speaks)


def _with(said: Conditions, meaning: Who) -> Conditions:
    return tuple(dict.fromkeys((*said, *meaning.said)))


def _noun(chart: Chart, at: int) -> Ends:
    """The longest nouns with a word of relation that begin here."""
    best: dict[int, dict[Who, None]] = {}
    for symbol in _NOUNS:
        for end, meanings in chart.ends(symbol, at).items():
            best.setdefault(end, {}).update(dict.fromkeys(meanings))
    if not best:
        return {}
    end = max(best)
    if "'s" in chart.tokens[end].keys:  # somebody's: whose, the grammar does not know
        after = end + 1
        return {after: tuple(best[end])}
    return {end: tuple(best[end])}


def _may_be_granted(chart: Chart, at: int, taken: Ends) -> bool:
    """Whether what a noun says here is taken for granted."""
    before = chart.tokens[at - 1].norm if at else ""
    ((end, meanings),) = taken.items()
    after = chart.tokens[end].norm if end < len(chart.tokens) else ""
    related = any(one.noun >= 0 and "<relation>" in chart.tokens[one.noun].keys for one in meanings)
    if before == "than" and any(one.noun >= 0 for one in meanings):
        return False
    if before in ("not", "no") or (related and _follows_be(chart, at)):
        return False
    if after == "or" or before in ("or", "almost", "nearly", "practically"):
        return False
    if after in _BE and related and _is_predicate(chart, end + 1):
        return False
    told = at and chart.tokens[at - 1].norm in ("tell", "tells", "told", "assured", "informed")
    if told and not chart.tokens[end].keys.isdisjoint(("<be>", "<have>", "<modal>", "<open>")):
        return False  # "told her brother Bob was late"
    verbs = {token.norm for token in chart.tokens[max(0, at - 1) : at]}
    if not verbs & _GIVES:
        return True
    if any(
        token.norm == "'s" and chart.tokens[place - 1].name
        for place, token in enumerate(chart.tokens[at + 1 : end], at + 1)
    ):
        return False
    return not (chart.tokens[end - 1].name and "<end>" in chart.tokens[end].keys)


def _follows_be(chart: Chart, at: int) -> bool:
    """Whether what stands here is a predicate: "is also Ann's son"."""
    at -= 1
    while at > 0 and chart.tokens[at].norm in _ADVERBS:
        at -= 1
    return at >= 0 and chart.tokens[at].norm in _BEFORE_PREDICATE


def _is_predicate(chart: Chart, at: int) -> bool:
    """Whether what follows "is" says who somebody is."""
    while "<not>" in chart.tokens[at].keys or chart.tokens[at].norm in (
        "also",
        "now",
        "indeed",
        "called",
        "named",
        ",",
    ):
        at += 1
    noun = {"<name>", "<his>"} & chart.tokens[at].keys
    return bool(noun) or any(chart.ends(symbol, at) for symbol in ("Kin", "SomeKin"))


def _is_bare(chart: Chart, at: int) -> bool:
    """Whether a word of relation stands for nobody in particular: "a great child", "when children play"."""
    token, after = chart.tokens[at], chart.tokens[at + 1]
    if "<relation>" not in token.keys or after.norm in (
        "of",
        "to",
        "by",
        "who",
        "whose",
        "is",
        "was",
        "are",
        "were",
        "in",
    ):
        return False
    if after.norm == "day" or (after.norm == "'s" and chart.tokens[at + 2].norm == "day"):
        return True
    if after.keys.isdisjoint(("<open>", "<free>", "<end>", ",")) or not {
        "<called>",
        "<he>",
    }.isdisjoint(after.keys):
        return False
    place = at - 1
    while place >= 0 and not {"<plain>", "<open>"}.isdisjoint(chart.tokens[place].keys):
        place -= 1
    article = chart.tokens[place].norm if place >= 0 else ""
    verb = (
        chart.tokens[place - 1] if article in ("a", "an") and place else chart.tokens[max(place, 0)]
    )
    if not {"<be>", "<have>"}.isdisjoint(verb.keys) or verb.norm in _BEFORE_PREDICATE:
        predicate = verb.norm in _BEFORE_PREDICATE or "<be>" in verb.keys
        return article in ("a", "an") and predicate and _ends_clause(chart, at + 1)
    return article in ("a", "an") or (
        chart.words.nouns[token.norm][1] and "<his>" not in chart.tokens[place].keys
    )


def _marries_nobody(chart: Chart, at: int) -> bool:
    """Whether a verb of marriage says of nobody that he or she is married: "hopes to marry", "married late"."""
    before, after = chart.tokens[max(at - 1, 0)], chart.tokens[at + 1]
    if after.norm in ("a", "an"):  # "married a sailor", and that is all
        ends = chart.tokens[min(at + 3, len(chart.tokens) - 1)].keys
        return "<open>" in chart.tokens[at + 2].keys and not ends.isdisjoint(("<end>", ";"))
    alone = after.norm in ("late", "early", "young", "again", "twice", ",", "well")
    return before.norm in ("to", "never") or alone or "<end>" in after.keys


def _ends_clause(chart: Chart, at: int) -> bool:
    """Whether a clause ends here, and no name may be one of its last noun."""
    if "<end>" in chart.tokens[at].keys:
        return True
    named = bool(chart.tokens[min(at + 1, len(chart.tokens) - 1)].name)
    return chart.tokens[at].norm == "," and not (named and "'s" not in chart.tokens[at + 2].keys)


def _is_open(chart: Chart, at: int) -> bool:
    """Whether a word may stand in an open clause that the reader need not know."""
    token = chart.tokens[at]
    if token.norm == "than":
        return True
    if "<marry>" in token.keys and _marries_nobody(chart, at):
        return True
    if token.norm != "no" and not token.keys.isdisjoint(
        ("<guarded>", "<unreal>", "<relation>", "<marry>")
    ):
        return False
    if token.norm == "no":
        return at > 0 and "<open>" in chart.tokens[at + 1].keys
    if "<fiction>" in token.keys:
        near = {one.norm for one in chart.tokens[max(0, at - 4) : at]}
        return near.isdisjoint(("in", "on"))
    if token.norm in ("name", "names"):
        return (
            at > 0
            and {"'s", "the"}.isdisjoint(chart.tokens[at - 1].keys)
            and "<his>" not in chart.tokens[at - 1].keys
        )
    return not token.keys.isdisjoint(_OPEN)
