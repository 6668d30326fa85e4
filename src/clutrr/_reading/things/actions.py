"""What rules of the grammars of things mean: pure functions of the meanings of their parts. None: they do not fit."""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, TypeVar

from clutrr._reading.chart import Chart
from clutrr._reading.things.endpoints import kinds_of
from clutrr._reading.things.meaning import (
    Kinds,
    Loose,
    Mark,
    Piece,
    Pieces,
    Point,
    Rule,
    Said,
    Those,
    Tie,
    Topic,
    Value,
)
from clutrr._reading.things.scales import (
    century_span,
    day_span,
    decade_span,
    hour,
    in_years,
    number,
    ordinal,
    year_span,
)
from clutrr._statement import Status

ACTIONS: dict[str, Callable[..., Any]] = {}
_Action = TypeVar("_Action", bound=Callable[..., Any])


def action(function: _Action) -> _Action:
    """Let the grammars of things use a function."""
    ACTIONS[function.__name__] = function
    return function


# Nouns


@action
def named(chart: Chart, at: int) -> Those:
    return Those((at,))


@action
def two_named(chart: Chart, one: int, other: int) -> Those:
    """ "the cantons of Uri and Zug"."""
    return Those((one, other))


@action
def group(chart: Chart, *each: Those) -> Those:
    """Several that are named together."""
    members = tuple(member for one in each for member in one.members)
    return Those(members, tuple(said for one in each for said in one.said))


@action
def aside(chart: Chart, those: Those, *pieces: Pieces) -> Those | None:
    """A noun with what a clause says of it in passing: "Marl, which lies north of Kerr,".

    Not in words that go back to something before it: "next to Kerr, on its northern side".
    """
    named_by = [at for some in pieces for one in some for at in one.others.members]
    if any("<his>" in chart.tokens[at].keys for at in named_by):
        return None
    return Those(
        those.members, (*those.said, *_applied(those, [one for some in pieces for one in some]))
    )


# Predicates


@action
def status(chart: Chart, word: str) -> Status:
    return Status(word)


@action
def within(chart: Chart, outer: Status, pieces: Pieces) -> Pieces:
    """A predicate under what its verb makes of it."""
    return tuple(one._replace(status=_under(outer, one.status)) for one in pieces)


@action
def both(chart: Chart, *each: Pieces) -> Pieces:
    """Several predicates of one subject."""
    return tuple(piece for pieces in each for piece in pieces)


@action
def denied_then(chart: Chart, denied: Pieces, said: Pieces) -> Pieces:
    """ "not north of it but south of it"."""
    return (*within(chart, Status.DENIED, denied), *said)


@action
def kinds(chart: Chart, words: str) -> Kinds:
    """Kinds that the grammar names, with spaces between them."""
    return tuple(words.split())


@action
def either(chart: Chart, one: Kinds, other: Kinds) -> Kinds:
    return tuple(dict.fromkeys((*one, *other)))


@action
def is_to(chart: Chart, of: Kinds, others: Those) -> Pieces:
    """The subject is one of some kinds to others."""
    return (Piece(others, of),)


@action
def is_kinds(chart: Chart, words: str, others: Those) -> Pieces:
    """The same, with kinds that the grammar names."""
    return (Piece(others, kinds(chart, words)),)


@action
def is_not(chart: Chart, words: str, others: Those) -> Pieces:
    """The subject is none of some kinds to others."""
    return within(chart, Status.DENIED, is_kinds(chart, words, others))


@action
def to_it(chart: Chart, of: Kinds, others: Those) -> Pieces:
    """Others are one of some kinds to the subject."""
    return (Piece(others, of, turned=True),)


# Clauses


def _under(outer: Status, inner: Status) -> Status:
    if outer is Status.ASSERTED:
        return inner
    if outer is Status.DENIED and inner is Status.DENIED:
        return Status.POSSIBLE
    return outer if inner in (Status.ASSERTED, Status.DENIED) else inner


def _applied(subject: Those, pieces: Iterable[Piece]) -> Said:
    found: list[Tie | Mark | Topic | Loose] = []
    for piece in pieces:
        found += piece.others.said
        tied = kinds_of(piece.rules) if piece.rules else piece.kinds
        for one in subject.members:
            if piece.value is not None:
                found.append(piece.value._replace(one=one, status=piece.status))
            for other in piece.others.members:
                pair = (other, one) if piece.turned else (one, other)
                found.append(Tie(*pair, tied, piece.status))
    return tuple(found)


@action
def says(chart: Chart, subject: Those, *pieces: Pieces) -> Said:
    """A clause."""
    return (
        Topic(subject.members),
        *subject.said,
        *_applied(subject, [one for some in pieces for one in some]),
    )


@action
def says_also(chart: Chart, subject: Those, pieces: Pieces, more: Pieces) -> Said:
    """A clause with a predicate behind it: "Max is 18, two years older than Lou". As sure as the clause is."""
    doubts = [one.status for one in pieces if one.status is not Status.ASSERTED]
    return says(chart, subject, pieces, within(chart, doubts[0], more) if doubts else more)


@action
def each_other(
    chart: Chart, subject: Those, of: Kinds, outer: Status = Status.ASSERTED
) -> Said | None:
    """ "Austria and Hungary border each other": kinds that are the same from either side."""
    if len(subject.members) < 2 and not _is_pair(chart, subject):
        return None
    found: list[Tie | Mark | Topic | Loose] = [Topic(subject.members), *subject.said]
    if len(subject.members) == 1:
        found.append(Tie(subject.members[0], subject.members[0], of, outer))
    for number_, one in enumerate(subject.members):
        found += [Tie(one, other, of, outer) for other in subject.members[number_ + 1 :]]
    return tuple(found)


def _is_pair(chart: Chart, subject: Those) -> bool:
    """Whether a pronoun stands for two: "they", "the two", "both"."""
    return "<two>" in chart.tokens[subject.members[0]].keys


@action
def join(chart: Chart, *parts: Said | None) -> Said:
    """Clauses beside each other."""
    return tuple(said for part in parts if part for said in part)


@action
def beside(chart: Chart, said: Said) -> Said:
    """A clause beside one that the grammar does not know."""
    return (*said, Loose())


@action
def nothing(chart: Chart, *parts: Any) -> Said:
    return ()


@action
def frame(chart: Chart, word: str, said: Said) -> Said:
    """A clause in a frame: what it says has that status."""
    outer = Status(word)
    return tuple(
        one if isinstance(one, Topic | Loose) else one._replace(status=_under(outer, one.status))
        for one in said
    )


@action
def in_scope(chart: Chart, framed: Said, said: Said) -> Said:
    """ "It is false that ..., and ...": the frame may hold for what follows too."""
    return (*framed, *frame(chart, "possible", said))


@action
def cleft(chart: Chart, subject: Those, outer: Status, pieces: Pieces) -> Said:
    """ "It is not Gwen who is older than Huw"."""
    return says(chart, subject, within(chart, outer, pieces))


@action
def cleft_against(
    chart: Chart, subject: Those, pieces: Pieces, other: Those, denied: Pieces
) -> Said:
    """ "It is Leeds that lies north of Hull, not Hull that lies north of Leeds"."""
    return (*says(chart, subject, pieces), *frame(chart, "denied", says(chart, other, denied)))


@action
def nonetheless(chart: Chart, said: Said) -> Said | None:
    """ "Nobody believed that Ann was older than Bob, but she was": what was not denied."""
    told = [one.status for one in said if isinstance(one, Tie | Mark)]
    return said if told and set(told) == {Status.ASSERTED} else None


@action
def granted(chart: Chart, subject: Those) -> Said | None:
    """What a noun says on the way, where its clause tells something else."""
    return says(chart, subject) if subject.said else None


@action
def in_passing(chart: Chart, *each: Those) -> Said:
    """What nouns of a clause say on the way."""
    return tuple(said for one in each for said in one.said)


@action
def passing_on(chart: Chart, one: Those, rest: Said) -> Said:
    return (*one.said, *rest)


@action
def granting(chart: Chart, said: Said) -> Said | None:
    """An open clause, if its nouns say something on the way."""
    return (*said, Loose()) if said else None


@action
def not_but(chart: Chart, subject: Those, other: Those, pieces: Pieces) -> Said:
    """ "Leeds, not York, is north of Hull"."""
    return (*says(chart, subject, pieces), *frame(chart, "denied", says(chart, other, pieces)))


@action
def gapped(chart: Chart, subject: Those, pieces: Pieces, second: Those, more: Pieces) -> Said:
    """ "Leeds is north of Hull and York south of it"."""
    return join(chart, says(chart, subject, pieces), says(chart, second, more))


@action
def join_gapped(
    chart: Chart,
    subject: Those,
    pieces: Pieces,
    second: Those,
    more: Pieces,
    third: Those,
    most: Pieces,
) -> Said:
    """Three of them."""
    return join(chart, gapped(chart, subject, pieces, second, more), says(chart, third, most))


@action
def as_well(chart: Chart, subject: Those, pieces: Pieces, other: Those) -> Said:
    """ "Rome is south of Florence, and so is Naples"."""
    return says(chart, group(chart, subject, other), pieces)


@action
def but_not(chart: Chart, subject: Those, pieces: Pieces, other: Those) -> Said:
    """ "Rome is south of Florence, but Milan is not"."""
    return not_but(chart, subject, other, pieces)


@action
def corrected(chart: Chart, thought: Said, said: Said) -> Said:
    """ "Most people think that ..., but in fact ...": what is thought is denied where both cannot be."""
    denied = tuple(
        one._replace(status=Status.DENIED) if isinstance(one, Tie) else one for one in thought
    )
    return (*denied, *said)


@action
def nowhere(chart: Chart) -> Pieces:
    """A predicate that says nothing of what the theory is about."""
    return ()


@action
def vague(chart: Chart) -> Pieces:
    """ "is younger": than whom, another way to read the sentence may know."""
    return (Piece(Those((), (Loose(),))),)


@action
def neither(chart: Chart, one: Pieces, other: Pieces) -> Pieces:
    """ "neither north nor south of it"."""
    return within(chart, Status.DENIED, (*one, *other))


@action
def supposed(chart: Chart, pieces: Pieces) -> Pieces:
    """What may or might be."""
    return within(chart, Status.POSSIBLE, pieces)


# Directions


@action
def is_to_named(chart: Chart, of: Kinds, at: int) -> Pieces:
    """ "to Ann's left"."""
    return is_to(chart, of, Those((at,)))


@action
def turned_about(chart: Chart, pieces: Pieces, subject: Those) -> Said:
    """ "To the north of Hull lies Leeds"."""
    return says(chart, subject, pieces)


@action
def placed(chart: Chart, subject: Those, of: Kinds, others: Those) -> Said:
    """The subject is one of some kinds to others."""
    return says(chart, subject, is_to(chart, of, others))


@action
def placed_by(chart: Chart, subject: Those, of: Kinds, at: int) -> Said:
    """ "Austria's northern neighbour is Czechia"."""
    return placed(chart, subject, of, Those((at,)))


@action
def two_sides(chart: Chart, one: Those, of: Kinds, other: Those, way: Kinds) -> Pieces:
    """ "between Ann, on his left, and Bob, on his right"."""
    return (*to_it(chart, of, one), *to_it(chart, way, other))


@action
def one_way_not(chart: Chart, denied: Kinds, of: Kinds, others: Those) -> Pieces:
    """ "not south but north of it"."""
    return denied_then(chart, is_to(chart, denied, others), is_to(chart, of, others))


@action
def two_neighbours(chart: Chart, at: int, of: Kinds, one: Those, way: Kinds, other: Those) -> Said:
    """ "Hungary's western neighbour is Austria and its northern neighbour Slovakia"."""
    return (*placed_by(chart, one, of, at), *placed_by(chart, other, way, at))


@action
def placed_around(chart: Chart, at: int, pieces: Pieces) -> Said:
    """ "Austria's neighbours are Germany to the north and Italy to the south"."""
    return says(chart, Those((at,)), pieces)


@action
def respectively(
    chart: Chart, subject: Those, one: Kinds, other: Kinds, others: Those
) -> Said | None:
    """ "Lund and York lie north and south of Hull respectively"."""
    if len(subject.members) != 2:
        return None
    first, second = (Those((member,)) for member in subject.members)
    return (
        *subject.said,
        *placed(chart, first, one, others),
        *placed(chart, second, other, others),
    )


@action
def sharing(chart: Chart, one: Those, of: Kinds, other: Those, way: Kinds, others: Those) -> Said:
    """ "Ayr lies to the south, Perth to the north of Stirling"."""
    return join(chart, placed(chart, one, of, others), placed(chart, other, way, others))


@action
def in_a_row(chart: Chart, towards: Kinds, those: Those) -> Said | None:
    """ "From left to right stand Ann, Bob and Cid": each is that to the one before."""
    if len(towards) != 1 or len(those.members) < 2:
        return None
    ties = [Tie(after, before, towards) for before, after in pairwise(those.members)]
    return (Topic(those.members), *those.said, *ties)


@action
def diagonal(chart: Chart, upright: Kinds, beside: Kinds, others: Those) -> Pieces | None:
    """ "above and to the left of it"."""
    both_ways = between(chart, upright, beside)
    return None if both_ways is None else is_to(chart, both_ways, others)


_STEPS = {"N": (0, 1), "S": (0, -1), "E": (1, 0), "W": (-1, 0)}
_KINDS = {step: kind for kind, step in _STEPS.items()} | {
    (1, 1): "NE",
    (1, -1): "SE",
    (-1, -1): "SW",
    (-1, 1): "NW",
}


@action
def direction(chart: Chart, at: int) -> Kinds:
    """A word of the compass."""
    return (chart.words.nouns[chart.tokens[at].norm][0],)


@action
def between(chart: Chart, one: Kinds, other: Kinds) -> Kinds | None:
    """ "north east", "above and to the left of"."""
    if len(one) > 1 or len(other) > 1 or one[0] not in _STEPS or other[0] not in _STEPS:
        return None
    (east, north), (more_east, more_north) = _STEPS[one[0]], _STEPS[other[0]]
    if bool(north) == bool(more_north):
        return None
    return (_KINDS[east + more_east, north + more_north],)


@action
def further(chart: Chart, at: int) -> Kinds | None:
    """ "further north than": north, north-east or north-west of."""
    (kind,) = direction(chart, at)
    step = _STEPS.get(kind)
    if step is None:
        return None
    axis = 0 if step[0] else 1
    return tuple(one for (east, north), one in _KINDS.items() if (east, north)[axis] == step[axis])


# Time


@action
def point(chart: Chart, those: Those, end: str) -> Point:
    """The beginning or the end of something."""
    return Point(those, end)


@action
def compared(chart: Chart, sign: str, other: Point) -> tuple[str, Point]:
    """ "before the parade began"."""
    return sign, other


@action
def does(chart: Chart, end: str, relation: tuple[str, Point]) -> Pieces:
    """ "ended before the parade began", "ended before the parade did"."""
    sign, other = relation
    against = end if other.end == "same" else other.end
    return (Piece(other.those, rules=(Rule(end, sign, against),)),)


@action
def rules(chart: Chart, text: str, others: Those) -> Pieces:
    """Constraints that the grammar names: "start > start; end < end"."""
    found = tuple(Rule(*one.split()) for one in text.split(";"))
    return (Piece(others, rules=found),)


@action
def under_way(chart: Chart, other: Point) -> Pieces | None:
    """ "was under way when the strike began"."""
    if other.end == "same":
        return None
    return (Piece(other.those, rules=(Rule("start", "<", other.end), Rule("end", ">", other.end))),)


@action
def midway(chart: Chart, end: str, others: Those) -> Pieces:
    """ "closed halfway through the festival"."""
    return (Piece(others, rules=(Rule(end, ">", "start"), Rule(end, "<", "end"))),)


@action
def amid(chart: Chart, end: str, others: Those) -> Pieces:
    """ "began during the festival": perhaps with it."""
    first, second = (">=", "<") if end == "start" else (">", "<=")
    return (Piece(others, rules=(Rule(end, first, "start"), Rule(end, second, "end"))),)


@action
def points(chart: Chart, one: Point, relation: tuple[str, Point]) -> Said | None:
    """ "the end of the sermon came before the start of the procession"."""
    if one.end == "same":
        return None
    return says(chart, one.those, does(chart, one.end, relation))


@action
def one_ends(
    chart: Chart, subject: Those, end: str, one: Those, other: str, sign: str
) -> Said | None:
    """ "The drill and the march began together, but the drill ended first"."""
    if len(subject.members) != 2:
        return None
    same = together(chart, subject, end)
    names = [chart.tokens[member].name for member in subject.members]
    name = chart.tokens[one.members[0]].name
    if same is None or name not in names:
        return None
    against = Those((subject.members[1 - names.index(name)],))
    rules_ = (Rule(end, "=", end), Rule(other, sign, other))
    return (Topic(subject.members), *_applied(one, (Piece(against, rules=rules_),)))


@action
def by_both(chart: Chart, end: str, relation: tuple[str, Point], last: str, sign: str) -> Pieces:
    """ "began two days earlier than the fair and ended a day later"."""
    return (*does(chart, end, relation), *does(chart, last, (sign, relation[1])))


@action
def lies_between(chart: Chart, one: Those, other: Those) -> Pieces:
    """ "took place between the fair and the market"."""
    return (*is_kinds(chart, "> mi", one), *is_kinds(chart, "< m", other))


@action
def in_turn(chart: Chart, kinds_: str, *each: Those) -> Said:
    """ "First came the fair, then the market": each is that to the next."""
    ties = [
        said
        for one, other in pairwise(each)
        for said in says(chart, one, is_kinds(chart, kinds_, other))
    ]
    return tuple(ties)


@action
def both_at(chart: Chart, end: str, value: Value, relation: tuple[str, Point]) -> Pieces:
    """ "ended on 5 May, two days before the fair opened"."""
    return (*at(chart, end, value), *does(chart, end, relation))


@action
def then_at(chart: Chart, one: Point, text: str, other: Point) -> Said | None:
    """ "The strike ended on Monday; the fair began the next day"."""
    return points_as(chart, other, text, one)


@action
def ended_by(chart: Chart, value: Value) -> Pieces:
    """ "was over by 1902"."""
    return at(chart, "end", value._replace(low=float("-inf")))


@action
def both_at_one(
    chart: Chart, end: str, one: Those, first: Value, other: Those, second: Value
) -> Said:
    """ "The ceremony ended at one and the banquet at three"."""
    return join(chart, mark(chart, one, first, end), mark(chart, other, second, end))


@action
def all_during(chart: Chart, at: int, others: Those) -> Said:
    """ "The entire banquet took place during the ceremony"."""
    return says_kinds(chart, Those((at,)), "d s f", others)


@action
def begun_and_ended(chart: Chart, first: Value, last: Value) -> Pieces | None:
    return from_to(chart, first, last)


@action
def comes(chart: Chart, words: str, others: Those, one: Those) -> Said:
    """ "Before the fair there was a strike"."""
    return says_kinds(chart, one, words, others)


@action
def begins_during(chart: Chart, those: Those, one: Those) -> Said:
    """ "During the fair a strike broke out"."""
    return says(chart, one, amid(chart, "start", those))


@action
def together(chart: Chart, subject: Those, end: str) -> Said | None:
    """ "The drill and the inspection ended together"."""
    return each_other(chart, subject, kinds_of((Rule(end, "=", end),)))


@action
def sign(chart: Chart, text: str) -> str:
    """A sign that the grammar names."""
    return text


@action
def like(chart: Chart, text: str, others: Those) -> tuple[str, Point]:
    """ "before the strike", of its like point."""
    return text, Point(others, "same")


@action
def does_by(chart: Chart, end: str, text: str, other: Point) -> Pieces | None:
    """The subject's beginning or end lies so to another point."""
    return None if other.end == "same" else does(chart, end, (text, other))


@action
def both_alike(chart: Chart, relation: tuple[str, Point]) -> Pieces:
    """ "began and ended at the same times as the regatta"."""
    return (*does(chart, "start", relation), *does(chart, "end", relation))


@action
def points_as(chart: Chart, one: Point, text: str, other: Point) -> Said | None:
    """One point lies so to another."""
    return None if "same" in (one.end, other.end) else points(chart, one, (text, other))


@action
def follows_end(chart: Chart, one: Point, text: str, ended: Those) -> Said | None:
    """A point lies so to the end of something."""
    return points_as(chart, one, text, Point(ended, "end"))


@action
def begins_with(chart: Chart, one: Point, end: str, subject: Those) -> Said | None:
    """ "The strike ended at midnight; the fair began at the same moment"."""
    return points_as(chart, Point(subject, end), "=", one)


@action
def starts_by(chart: Chart, subject: Those, other: Point) -> Said | None:
    """ "Only when the strike ended did the fair begin"."""
    return points_as(chart, Point(subject, "start"), ">=", other)


@action
def starts_after(chart: Chart, subject: Those, other: Point) -> Said | None:
    return points_as(chart, Point(subject, "start"), ">", other)


@action
def dated_name(chart: Chart, at: int, pieces: Pieces) -> Those | None:
    """ "the Korean War (1950-1953)"."""
    return aside(chart, Those((at,)), pieces)


@action
def over_then(chart: Chart, ended: Those, other: Point) -> Said | None:
    """ "By the time the strike began, the audit was over"."""
    return points_as(chart, Point(ended, "end"), "<=", other)


@action
def way_under(chart: Chart, subject: Those, other: Point) -> Said | None:
    """ "When the strike began, the audit was under way"."""
    pieces = under_way(chart, other)
    return None if pieces is None else says(chart, subject, pieces)


@action
def says_rules(chart: Chart, subject: Those, text: str, others: Those) -> Said:
    return says(chart, subject, rules(chart, text, others))


@action
def says_kinds(chart: Chart, subject: Those, words: str, others: Those) -> Said:
    return says(chart, subject, is_kinds(chart, words, others))


# Values


@action
def day(chart: Chart, at: int | None, month: int, year: int | None = None) -> Value | None:
    """ "3 May 1950"."""
    words = [chart.tokens[place].norm if place is not None else "" for place in (at, month, year)]
    span = day_span(*words)
    return None if span is None else Value("date" if words[2] else "day of a year", *span)


@action
def month(chart: Chart, at: int, year: int | None = None) -> Value | None:
    """ "in May 1950"."""
    return day(chart, None, at, year)


@action
def year(chart: Chart, at: int) -> Value | None:
    span = year_span(chart.tokens[at].norm)
    return None if span is None else Value("date", *span)


@action
def clock(chart: Chart, at: int, half: str = "") -> Value | None:
    found = hour(chart.tokens[at].norm, half)
    return None if found is None else Value("clock", found, found)


@action
def at(chart: Chart, end: str, value: Value) -> Pieces:
    """ "began in 1939"."""
    return (Piece(value=Mark(-1, end, *value)),)


@action
def from_to(chart: Chart, first: Value, last: Value) -> Pieces | None:
    """ "ran from nine till noon"."""
    if (
        first.scale != last.scale
        or first.low > last.low
        or (first.scale == "clock" and first.low >= last.low)
    ):
        return None
    return (*at(chart, "start", first), *at(chart, "end", last))


@action
def days(
    chart: Chart, first: int, last: int, month: int, year_at: int | None = None
) -> Pieces | None:
    """ "from 3 to 5 May"."""
    start, end = day(chart, first, month, year_at), day(chart, last, month, year_at)
    return None if start is None or end is None else from_to(chart, start, end)


@action
def months(chart: Chart, first: int, last: int, year_at: int) -> Pieces | None:
    """ "from April to October 1925": of one year."""
    start, end = month(chart, first, year_at), month(chart, last, year_at)
    return None if start is None or end is None else from_to(chart, start, end)


@action
def two_spells(
    chart: Chart,
    one: Those,
    first: int,
    last: int,
    year_at: int,
    other: Those,
    first_of_other: int,
    last_of_other: int,
) -> Said | None:
    """ "from April to October 1925, the congress from June to July of the same year"."""
    spell = months(chart, first, last, year_at)
    more = months(chart, first_of_other, last_of_other, year_at)
    if spell is None or more is None:
        return None
    return join(chart, says(chart, one, spell), says(chart, other, more))


@action
def on(chart: Chart, value: Value) -> Pieces:
    """ "took place on 3 May"."""
    return from_to(chart, value, value) or ()


@action
def birthday(chart: Chart, at: int, tense: str = "is") -> Pieces | None:
    """ "his 40th birthday"."""
    years = ordinal(chart.tokens[at].norm)
    return None if years is None else (Piece(value=Mark(-1, "age", tense, years, years + 1)),)


@action
def two_birthdays(chart: Chart, one: Those, first: int, other: Those, second: int) -> Said | None:
    """ "Ann celebrated her 40th birthday, and Bob his 35th"."""
    years, more = birthday(chart, first), birthday(chart, second)
    if years is None or more is None:
        return None
    return join(chart, says(chart, one, years), says(chart, other, more))


@action
def whole(chart: Chart, value: Value) -> Pieces:
    """ "lasted all of May"."""
    first, last = value._replace(high=value.low), value._replace(low=value.high)
    return (*at(chart, "start", first), *at(chart, "end", last))


@action
def age(chart: Chart, at: int, tense: str = "is") -> Pieces | None:
    """ "34", "thirty-four"."""
    years = number(chart.tokens[at].norm.removesuffix("-year-old"))
    return None if years is None else (Piece(value=Mark(-1, "age", tense, years, years + 1)),)


@action
def age_in(chart: Chart, at: int, unit: int) -> Pieces | None:
    """ "six months old"."""
    count = number(chart.tokens[at].norm)
    each = in_years(chart.tokens[unit].norm)
    if count is None:
        return None
    return (Piece(value=Mark(-1, "age", "is", count * each, (count + 1) * each)),)


@action
def of_age(chart: Chart, one: Those, at: int) -> Those | None:
    """ "six-year-old Ida"."""
    years = age(chart, at)
    return None if years is None else aside(chart, one, years)


@action
def pair_aside(chart: Chart, one: Those, other: Those, of: Kinds) -> Those | None:
    """ "Ann and Bob, who are twins,"."""
    both_ = group(chart, one, other)
    said = each_other(chart, both_, of)
    return Those(both_.members, tuple(one for one in said or () if isinstance(one, Tie)))


@action
def century(chart: Chart, at: int) -> Value | None:
    """ "in the 12th century"."""
    found = century_span(chart.tokens[at].norm)
    return None if found is None else Value("date", *found)


@action
def two_centuries(chart: Chart, one: Those, first: int, other: Those, second: int) -> Said | None:
    """ "built in the 12th century and the school in the 19th"."""
    built, more = century(chart, first), century(chart, second)
    if built is None or more is None:
        return None
    return join(chart, says(chart, one, born(chart, built)), says(chart, other, born(chart, more)))


@action
def placed_by_birth(chart: Chart, one: Those, value: Value, words: str, other: Those) -> Said:
    """ "Ida was born in May 2001, a month before Jo"."""
    return (*says(chart, one, born(chart, value)), *says_kinds(chart, one, words, other))


@action
def by_age(chart: Chart, words: str, those: Those) -> Said | None:
    """ "From oldest to youngest: Ann, Bob, Cid": each is that to the one before."""
    return in_a_row(chart, kinds(chart, words), those)


@action
def older_rather(chart: Chart, one: Those, denied: Kinds, other: Those, of: Kinds) -> Said:
    """ "Ida isn't older than Jo, she's younger"."""
    return (
        *frame(chart, "denied", placed(chart, one, denied, other)),
        *placed(chart, one, of, other),
    )


@action
def then(chart: Chart, pieces: Pieces) -> Pieces:
    """ "was 34": at the time that is told of."""
    return tuple(
        one
        if one.value is None or one.value.point != "age"
        else one._replace(value=one.value._replace(scale="was"))
        for one in pieces
    )


@action
def aged_then(chart: Chart, subject: Those, pieces: Pieces) -> Said:
    return says(chart, subject, then(chart, pieces))


@action
def born(chart: Chart, value: Value) -> Pieces:
    return (Piece(value=Mark(-1, "birth", *value)),)


@action
def mark(chart: Chart, subject: Those, value: Value, end: str) -> Said:
    """The beginning or the end of the subject has a value."""
    return says(chart, subject, at(chart, end, value))


@action
def superlative(chart: Chart, best: Those, others: Those, of: Kinds) -> Said:
    """ "Of Ann, Bob and Cid, Ann is the oldest": than whoever of them she is not."""
    return says(chart, best, is_to(chart, of, others))


_TURNED: Mapping[Kinds, Kinds] = {("<",): (">",), (">",): ("<",)}
_NOBODY = Those(())


@action
def extremes(
    chart: Chart, others: Those, best: Those, of: Kinds, last: Those, least: Kinds
) -> Said | None:
    """ "Of Ann, Bob and Cid, Ann is the oldest and Cid the youngest"."""
    if _TURNED.get(of) != least:
        return None
    return (*superlative(chart, best, others, of), *superlative(chart, last, others, least))


@action
def ends_of(
    chart: Chart, best: Those, of: Kinds, last: Those, least: Kinds, middle: Those = _NOBODY
) -> Said | None:
    """ "Ann is the oldest of the three, Cid the youngest, and Bob is in between"."""
    if _TURNED.get(of) != least:
        return None
    between_them = (*is_to(chart, of, middle), *is_to(chart, of, last))
    return (*says(chart, best, between_them), *says(chart, last, is_to(chart, least, middle)))


@action
def of_two(chart: Chart, one: Those, other: Those, best: Those, of: Kinds) -> Said | None:
    """ "There are four years between Ann and Bob, and Ann is the older"."""
    names = [chart.tokens[those.members[0]].name for those in (one, other, best)]
    if names[2] not in names[:2]:
        return None
    return says(chart, best, is_to(chart, of, one if names[2] == names[1] else other))


@action
def two_kin(chart: Chart, of: Kinds, one: Those, way: Kinds, other: Those) -> Pieces:
    """ "has an older brother, Tor, and a younger sister, Una"."""
    return (*to_it(chart, of, one), *to_it(chart, way, other))


@action
def both_ways(chart: Chart, younger: Those, older: Those) -> Pieces:
    """ "born after Ann but before Bob"."""
    return (*is_kinds(chart, "<", younger), *is_kinds(chart, ">", older))


@action
def ranked(chart: Chart, best: Those, of: Kinds, middle: Those, last: Those) -> Said:
    """ "Ann is the oldest, followed by Bob and then Cid"."""
    return (
        *says(chart, best, is_to(chart, of, middle)),
        *says(chart, middle, is_to(chart, of, last)),
    )


@action
def gapped_older(
    chart: Chart, one: Those, of: Kinds, other: Those, second: Those, third: Those
) -> Said:
    """ "Ann is older than Bob, and Bob than Cid"."""
    return (*placed(chart, one, of, other), *placed(chart, second, of, third))


@action
def older_by_age(chart: Chart, one: int, other: int) -> Said:
    """ "Ann's age exceeds Bob's"."""
    return placed(chart, Those((one,)), (">",), Those((other,)))


@action
def two_ages(chart: Chart, one: Those, first: int, other: Those, second: int) -> Said | None:
    """ "Ann is eighteen, Bob sixteen"."""
    years, more = age(chart, first), age(chart, second)
    if years is None or more is None:
        return None
    return join(chart, says(chart, one, years), says(chart, other, more))


@action
def kin_is(chart: Chart, owner: Those, of: Kinds, one: Those) -> Said:
    """ "Sven's elder brother is Tor"."""
    return says(chart, one, is_to(chart, of, owner))


@action
def decade(chart: Chart, at: int, tense: str = "is") -> Pieces | None:
    """ "in her forties"."""
    years = decade_span(chart.tokens[at].norm)
    return None if years is None else (Piece(value=Mark(-1, "age", tense, *years)),)


@action
def made_and(chart: Chart, one: Those, first: Value, other: Those, second: Value) -> Said:
    """ "Emil was born in 1987 and Fritz in 1991"."""
    return join(
        chart, says(chart, one, born(chart, first)), says(chart, other, born(chart, second))
    )


@action
def two_dates(chart: Chart, one: Those, first: int, other: Those, second: int) -> Said | None:
    """ "The college dates from 1440 and the chapel from 1530"."""
    built, more = birth_year(chart, first), birth_year(chart, second)
    if built is None or more is None:
        return None
    return join(chart, says(chart, one, built), says(chart, other, more))


@action
def birth_year(chart: Chart, at: int) -> Pieces | None:
    """ "born 1950"."""
    found = year(chart, at)
    return None if found is None else born(chart, found)


@action
def kin(chart: Chart, one: Those, of: Kinds, owner: Those) -> Those | None:
    """ "Dot's little brother, Cal"."""
    return aside(chart, one, is_to(chart, of, owner))


@action
def twins(chart: Chart, those: Those) -> Those:
    """ "the twins Ann and Bob"."""
    said = each_other(chart, those, ("=",))
    return Those(those.members, tuple(one for one in said or () if isinstance(one, Tie)))


@action
def elder(chart: Chart, one: Those, other: Those) -> Said:
    """ "Ann was nine when Bob was born"."""
    return says(chart, one, is_to(chart, (">",), other))


# Regions


@action
def border_of(chart: Chart, one: Those, other: Those) -> Said:
    """ "The border between Chad and Niger is long": they have one."""
    return says_kinds(chart, one, "EC", other)


@action
def borders_named(chart: Chart, at: int, other: Those) -> Said:
    """ "Chad's border with Niger is long"."""
    return says_kinds(chart, Those((at,)), "EC", other)


@action
def cut_off(chart: Chart, one: Those, other: Those) -> Said:
    """ "A strip of land separates the park from the wood"."""
    return says_kinds(chart, one, "DC", other)


@action
def halves(chart: Chart, one: Those, other: Those) -> Said:
    """ "Part of the park lies inside the estate, part of it outside"."""
    return says_kinds(chart, one, "PO TPPI NTPPI", other)


@action
def kept_apart(chart: Chart, those: Those) -> Said | None:
    """ "A mile of ploughland separates the two"."""
    return each_other(chart, those, ("DC",))


@action
def crossing(chart: Chart, one: Those, other: Those, beyond: Those, outside: Those) -> Said | None:
    """ "Part of the park lies in the estate and part does not, and the estate runs on beyond the park"."""
    if not _same(chart, beyond, other) or not _same(chart, outside, one):
        return None
    return says_kinds(chart, one, "PO", other)


@action
def crossing_on(chart: Chart, one: Those, other: Those, beyond: Those) -> Said | None:
    """The same, where the second thing is said to run on."""
    return crossing(chart, one, other, beyond, one)


def _same(chart: Chart, one: Those, other: Those) -> bool:
    """Whether two nouns name the same things."""
    names = [[chart.tokens[at].name for at in some.members] for some in (one, other)]
    return names[0] == names[1] and all(names[0])


@action
def pair_equal(chart: Chart, one: Those, other: Those) -> Said:
    """ "The boundaries of the park and of the estate coincide"."""
    return says_kinds(chart, one, "EQ", other)


@action
def but_not_those(chart: Chart, pieces: Pieces, words: str, others: Those) -> Pieces:
    """ "borders France and Spain but not Portugal"."""
    return (*pieces, *is_not(chart, words, others))


@action
def straddles(chart: Chart, one: Those, other: Those) -> Pieces:
    """ "straddles the border between Alton and Burley"."""
    return is_to(chart, ("PO",), group(chart, one, other))
