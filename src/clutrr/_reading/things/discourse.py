"""What pronouns stand for, and from ties to statements.

A pronoun means the only thing named before it in its sentence, or in the sentence before; a subject goes on with the
subject of the clause before it. What several sentences say of the same two things holds together: kinds that only some of
them allow are left out.
"""

from collections import ChainMap, deque
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from clutrr._labels import Labels
from clutrr._reading.things.endpoints import Bounds, kinds_between
from clutrr._reading.things.meaning import Kinds, Mark, Said, Tie, Topic
from clutrr._reading.tokens import Token
from clutrr._statement import Statement, StatementKind, Status

_EVER = (float("-inf"), float("inf"))


@dataclass
class Mentioned:
    """What a sentence speaks of, for the next one. topics: the subjects of its last clause. opens: the name
    that an unread sentence begins with, if it names nobody else: it may speak of others who have no name.
    """

    names: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    opens: str = ""


Points = Mapping[str, tuple[float, float]]  # what is known of a thing's points on one scale
_TELLING = 9  # kinds at most: "it began before the fair ended" tells next to nothing
_COMPARED = 60  # things with values that a new one is compared with, the latest


@dataclass
class Known:
    """What a text has said so far: the kinds that are left of pairs, and values by scale and thing."""

    kinds: MutableMapping[tuple[str, str], Kinds] = field(default_factory=dict)
    marks: MutableMapping[tuple[str, str], Points] = field(default_factory=dict)
    latest: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=_COMPARED))

    def branch(self) -> "Known":
        """Return the same, for one way to read a sentence."""
        return Known(ChainMap({}, self.kinds), ChainMap({}, self.marks), self.latest.copy())

    def mark(self, scale: str, name: str, points: Points) -> None:
        if (scale, name) not in self.marks:
            self.latest.append((scale, name))
        self.marks[scale, name] = {**self.marks.get((scale, name), {}), **points}

    def others(self, scale: str, name: str) -> list[tuple[str, Points]]:
        """Return the other things that have values on a scale."""
        return [
            (one, self.marks[at, one]) for at, one in self.latest if at == scale and one != name
        ]


class Resolver:
    """Finds what is meant in the sentences of one text, one after the other."""

    def __init__(self, labels: Labels, theory: str, narrow: bool = False) -> None:
        self._labels, self._theory, self._narrow = labels, theory, narrow
        self._known, self._before = Known(), Mentioned()

    def forget(self) -> None:
        """Forget what was said so far, but not whom it was about."""
        self._known = Known()

    def resolve(
        self, tokens: Sequence[Token], ways: Sequence[Said]
    ) -> tuple[list[Statement], list[int]]:
        """Return what a sentence says in all the ways to read it, and the places of words for which nothing fits."""
        if len(ways) < 2:
            return self._resolved(tokens, ways[0] if ways else ())
        before, known = self._before, self._known
        read: list[tuple[list[Statement], list[int]]] = []
        branches: list[Known] = []
        for said in ways:
            self._before, self._known = before, known.branch()
            read.append(self._resolved(tokens, said))
            branches.append(self._known)
        least = min(len(unclear) for _, unclear in read)
        clear = [number for number, (_, unclear) in enumerate(read) if len(unclear) == least]
        statements = self._shared([read[number][0] for number in clear])
        self._known = known
        self._remember(statements, [branches[number] for number in clear])
        return statements, read[clear[0]][1]

    def _shared(self, ways: Sequence[list[Statement]]) -> list[Statement]:
        """Return the statements that all ways to read a sentence make."""
        if self._narrow:
            return self._common(ways)
        told = [{self._content(one) for one in way} for way in ways[1:]]
        return [one for one in ways[0] if all(self._content(one) in some for some in told)]

    def _common(self, ways: Sequence[list[Statement]]) -> list[Statement]:
        """Return the narrowest statement of each pair that all ways make, where a label may be a plain word, too."""
        found: dict[tuple[object, Status], Statement] = {}
        made = [{(self._content(one)[0], one.status) for one in way} for way in ways]
        for one in (one for way in ways for one in way):
            key = self._content(one)[0], one.status
            if all(key in some for some in made):
                best = found.setdefault(key, one)
                if self._content(one)[1] < self._content(best)[1]:
                    found[key] = one
        return list(found.values())

    def _remember(self, statements: Sequence[Statement], branches: Sequence[Known]) -> None:
        """Keep what all ways to read a sentence tell."""
        for one in statements:
            if one.status is Status.ASSERTED:
                kinds = tuple(self._labels.meaning[label].kind.name for label in one.relations)
                self._narrowed(one.tail, one.head, kinds)
        first, *others = [branch.marks for branch in branches]
        assert isinstance(first, ChainMap)
        for (scale, name), points in first.maps[0].items():
            if all(other.get((scale, name)) == points for other in others):
                self._known.mark(scale, name, points)

    def _resolved(self, tokens: Sequence[Token], said: Said) -> tuple[list[Statement], list[int]]:
        found = _Pronouns(tokens, said, self._before)
        statements: list[Statement] = []
        for one in _crossed(said, found):
            if isinstance(one, Tie):
                statements += self._tied(one, found, tokens)
            elif isinstance(one, Mark) and one.status is Status.ASSERTED:
                statements += self._marked(one, found, tokens)
        self._before = found.mentioned()
        return self._agreeing(list(dict.fromkeys(statements))), found.unclear

    def _agreeing(self, statements: list[Statement]) -> list[Statement]:
        """Return the statements of a sentence but for those that cannot all hold."""
        left: dict[object, frozenset[str]] = {}
        for one in statements:
            if one.status is Status.ASSERTED:
                pair, relations, _ = self._content(one)
                left[pair] = left.get(pair, relations) & relations
        if all(left.values()):
            return statements
        return [
            one
            for one in statements
            if one.status is not Status.ASSERTED or left[self._content(one)[0]]
        ]

    def _content(self, said: Statement) -> tuple[object, frozenset[str], Status]:
        """What a statement says, from whichever side."""
        pair, relations = (said.head, said.tail), said.relations
        if said.tail < said.head:
            pair = (said.tail, said.head)
            kinds = [self._labels.meaning[label].kind.converse for label in relations]
            relations = tuple(self._labels.kind(kind).words[0] for kind in kinds)
        return pair, frozenset(relations), said.status

    def _tied(self, tie: Tie, found: "_Pronouns", tokens: Sequence[Token]) -> Iterator[Statement]:
        if tie.one == tie.other:  # two of a pronoun: "the two"
            names = found.meant(tie.one)
            pairs = [(names[0], names[1])] if len(names) == 2 else []
        else:
            pairs = [
                (one, other) for one in found.meant(tie.one) for other in found.meant(tie.other)
            ]
        start, end = sorted((tie.one, tie.other))
        for one, other in pairs:
            itself = {token.name for token in tokens if token.name} == {one}  # "A is north of A"
            if one != other or itself:
                yield from self._stated(
                    one, other, tie.kinds, tie.status, tokens[start], tokens[end]
                )

    def _stated(
        self, one: str, other: str, kinds: Kinds, status: Status, first: Token, last: Token
    ) -> Iterator[Statement]:
        """Yield the statement that one thing is one of some kinds to another."""
        kind = StatementKind.DENIAL
        if status is Status.ASSERTED:
            kinds = self._narrowed(one, other, kinds)
        if status is not Status.DENIED:
            kind = StatementKind.FACT if len(kinds) == 1 else StatementKind.ALTERNATIVES
        if any(name not in self._labels.index for name in kinds):
            return
        if len(kinds) > _TELLING:
            return
        relations = tuple(self._labels.kind(name).words[0] for name in kinds)
        yield Statement(kind, other, relations, one, status=status, start=first.start, end=last.end)

    def _narrowed(self, one: str, other: str, kinds: Kinds) -> Kinds:
        """Return the kinds that earlier sentences leave; the same where they leave none."""
        earlier = self._known.kinds.get((one, other), kinds)
        left = tuple(kind for kind in kinds if kind in earlier) or kinds
        self._known.kinds[one, other] = left
        index = self._labels.index
        if all(kind in index for kind in left):
            self._known.kinds[other, one] = tuple(self._labels.kind(kind).converse for kind in left)
        return left

    def _marked(
        self, mark: Mark, found: "_Pronouns", tokens: Sequence[Token]
    ) -> Iterator[Statement]:
        names = found.meant(mark.one)
        if len(names) != 1:
            return
        self._known.mark(mark.scale, names[0], {mark.point: (mark.low, mark.high)})
        points = self._known.marks[mark.scale, names[0]]
        for other, theirs in self._known.others(mark.scale, names[0]):
            kinds = self._compared(points, theirs)
            if kinds:
                at = tokens[mark.one]
                yield from self._stated(names[0], other, kinds, Status.ASSERTED, at, at)

    def _compared(self, one: Points, other: Points) -> Kinds:
        """Return what one thing is to another by their values; nothing where these tell nothing."""
        if self._theory == "time":
            kinds = kinds_between(_bounds(one), _bounds(other))
            return kinds if len(kinds) < len(self._labels.kinds) else ()
        for point, sign in (("birth", -1), ("age", 1)):
            if point in one and point in other:
                (low, high), (lowest, highest) = one[point], other[point]
                if point == "age" and low == lowest and high == highest == low + 1:
                    return ("=",)
                if high <= lowest:
                    return ("<",) if sign > 0 else (">",)
                if low >= highest:
                    return (">",) if sign > 0 else ("<",)
        return ()


def _bounds(points: Mapping[str, tuple[float, float]]) -> Bounds:
    """Return the bounds of both points: what ends has begun."""
    start, end = points.get("start", _EVER), points.get("end", _EVER)
    return {"start": (start[0], min(start[1], end[1])), "end": (max(end[0], start[0]), end[1])}


_CROSSED = {frozenset(pair): "".join(pair) for pair in ("NE", "NW", "SE", "SW")}


def _crossed(said: Said, found: "_Pronouns") -> Said:
    """Make one direction of two of the same pair: "above Z and to the right of Z"."""
    ties = [one for one in said if isinstance(one, Tie) and one.status is Status.ASSERTED]
    merged: dict[Tie, Tie | None] = {}
    for first, second in pairwise(ties):
        same = found.meant(first.one) == found.meant(second.one)
        same = same and found.meant(first.other) == found.meant(second.other)
        kind = _CROSSED.get(frozenset((*first.kinds, *second.kinds)))
        if same and kind and len(first.kinds) == len(second.kinds) == 1:
            merged |= {first: first._replace(kinds=(kind,)), second: None}
    after = (merged.get(one, one) if isinstance(one, Tie) else one for one in said)
    return tuple(one for one in after if one is not None)


class _Pronouns:
    """What the words of a sentence stand for."""

    def __init__(self, tokens: Sequence[Token], said: Said, before: Mentioned) -> None:
        self._tokens, self._said, self._before = tokens, said, before
        self._found: dict[int, tuple[str, ...]] = {}
        self.unclear: list[int] = []
        ties = [one for one in said if isinstance(one, Tie)]
        used = {place for tie in ties for place in (tie.one, tie.other)}
        used |= {one.one for one in said if isinstance(one, Mark)}
        for place in sorted(used):
            if not tokens[place].name:
                self._found[place] = self._antecedent(place, ties)
                if not self._found[place]:
                    self.unclear.append(place)

    def meant(self, place: int) -> tuple[str, ...]:
        """Return the names that a word stands for."""
        name = self._tokens[place].name
        return (name,) if name else self._found.get(place, ())

    def mentioned(self) -> Mentioned:
        """What this sentence mentions."""
        names = [token.name for token in self._tokens if token.name]
        names += [name for some in self._found.values() for name in some]
        topics = [one for one in self._said if isinstance(one, Topic)]
        last = (
            tuple(name for place in topics[-1].ones for name in self.meant(place)) if topics else ()
        )
        one = len(set(names)) == 1 and bool(self._tokens[0].name or self._tokens[1].name)
        opens = names[0] if one and not topics else ""
        return Mentioned(tuple(dict.fromkeys(names)), last, opens)

    def _antecedent(self, place: int, ties: Sequence[Tie]) -> tuple[str, ...]:
        token = self._tokens[place]
        here = self._names_before(place)
        if token.norm in ("former", "latter"):
            return (here[0 if token.norm == "former" else 1],) if len(here) == 2 else ()
        if "<two>" in token.keys or "<several>" in token.keys:
            pair = here or self._before.names
            if (
                token.norm == "both" and len(pair) > 2
            ):  # "lies between Ann and Bob and borders both"
                pair = tuple(name for name in pair if name not in self._tied_to(place, ties))
            return pair if len(pair) == 2 else ()
        own = self._tied_to(place, ties)
        subject = self._is_subject(place)
        candidates = [name for name in here if name not in own]
        if len(candidates) == 1 and (here or not subject):
            return (candidates[0],)
        if not candidates and not (here and len(here) > len(own & set(here))):
            candidates = [name for name in self._before.names if name not in own]
            if self._before.opens:
                return (self._before.opens,) if subject and self._before.opens not in own else ()
            if len(candidates) == 1 and self._before.topics:
                return (candidates[0],)
            topics = self._before.topics
            going_on = (
                token.norm == "it" and subject and len(topics) == 1 and topics[0] in candidates
            )
            return topics if going_on else ()
        topics = self._topic_before(place)
        if subject:
            return topics if len(topics) == 1 and topics[0] in candidates else ()
        return self._object_before(place, ties) if token.norm in ("it", "its") else ()

    def _tied_to(self, place: int, ties: Sequence[Tie]) -> set[str]:
        """The names that a word is tied to."""
        others = {
            tie.other if tie.one == place else tie.one
            for tie in ties
            if place in (tie.one, tie.other)
        }
        return {name for other in others for name in self.meant(other)}

    def _object_before(self, place: int, ties: Sequence[Tie]) -> tuple[str, ...]:
        """What the only clause before is tied to: "the well is south of the tower, and the gate north of it"."""
        earlier = [tie for tie in ties if max(tie.one, tie.other) < place]
        in_order = len(earlier) == 1 and earlier[0].one < earlier[0].other
        names = self.meant(earlier[0].other) if in_order else ()
        return names if len(names) == 1 else ()

    def _names_before(self, place: int) -> tuple[str, ...]:
        names = [token.name for token in self._tokens[:place] if token.name]
        names += [name for at, some in self._found.items() if at < place for name in some]
        return tuple(dict.fromkeys(names))

    def _is_subject(self, place: int) -> bool:
        return any(place in one.ones for one in self._said if isinstance(one, Topic))

    def _topic_before(self, place: int) -> tuple[str, ...]:
        """The subjects of the last clause that began before."""
        topics = [
            one.ones for one in self._said if isinstance(one, Topic) and max(one.ones) < place
        ]
        return tuple(name for at in topics[-1] for name in self.meant(at)) if topics else ()
