"""From a puzzle to an argument: claims in an order in which each follows from earlier ones.

A route of facts is folded: two neighbouring stretches become one, until one claim joins the entities of the
query. The orders differ in what is folded first:

    forward       from the first entity of the query on: what each next one is to it
    backward      from the last one: what it is to each entity before
    middle-out    from somewhere on the route to both sides
    halves        stretches anywhere, and then these together
    searched      stretches in whatever order leads to the answer, where none of these does
    jump          what can be folded, and then the conclusion at once: where single compositions do not lead to it

Where several routes decide together, each is folded, and then what they leave is put together. Beside the
fold, an argument may take detours that hold, and may put a fact from its other side.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from clutrr._chains.truth import Composer, Truth
from clutrr._facts import Route, named_in, shortest_path
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr._statement import Statement, StatementKind, Status
from clutrr.theory.solver import Claim, Premise

ORDERS = ("forward", "backward", "middle-out", "halves")
SEARCHED, JUMP = "searched", "jump"
MOST = 5  # relations that a claim may list
_SEARCHED = 16  # facts of a route of which all stretches are looked at
_OTHER_SIDE, _DETOUR, _FACTS_FIRST, _JOINED = 0.2, 0.4, 0.3, 0.5  # how often


class How(StrEnum):
    """How a claim comes into an argument."""

    FACT = "fact"  # read in the story
    CONVERSE = "converse"  # another claim from its other side
    COMPOSED = "composed"  # two claims put together
    TOGETHER = "together"  # what several claims about the same two leave
    JUMP = "jump"  # from many facts at once


@dataclass(frozen=True)
class Move:
    """One claim of an argument.

    Args:
        claim: what is claimed.
        how: how it comes in.
        premises: the numbers of the earlier moves that it cites.
        facts: the numbers of what it reads, among all that is given in the puzzle.
        statement: what it reads if that is no relation between two: a closure, say; it claims nothing then.
    """

    claim: Claim
    how: How
    premises: tuple[int, ...] = ()
    facts: tuple[int, ...] = ()
    statement: Statement | None = None

    @property
    def premise(self) -> Premise:
        """What follows from this move follows from this."""
        return self.claim if self.statement is None else self.statement


NOTHING = Claim("", (), "")


@dataclass(frozen=True)
class Argument:
    """Moves that lead to an answer.

    Args:
        moves: in their order; the last one is about the query.
        order: how it goes, see the head of this module.
        steps: the numbers of the moves of each step, in order.
    """

    moves: tuple[Move, ...]
    order: str
    steps: tuple[tuple[int, ...], ...]


class Prover:
    """Argues for the answers of puzzles, by claims that the story entails."""

    def __init__(self, composer: Composer) -> None:
        self._composer = composer

    def argue(self, truth: Truth, rng: Random) -> Argument | None:
        """Return an argument for the right answer; None if its facts do not join the query."""
        routes = routes_of(truth.puzzle)
        if not routes:
            return None
        orders = rng.sample(ORDERS, len(ORDERS))
        for order in (*orders, SEARCHED):
            moves = _Builder(truth, self._composer, rng).fold(routes, order)
            if moves is not None:
                return _in_steps(moves, order, rng)
        moves = _Builder(truth, self._composer, rng).jump(routes)
        return None if moves is None else _in_steps(moves, JUMP, rng)


def routes_of(puzzle: Puzzle) -> list[Route]:
    """Return the routes of a puzzle: those that it names, or else its shortest one."""
    first, last = puzzle.query
    found: list[Route] = []
    whole = (
        puzzle.k if puzzle.routed == len(puzzle.pattern) else 0
    )  # every step of the routes is a fact
    for number in range(len(puzzle.pattern) // whole if whole else 0):
        numbers = tuple(range(number * puzzle.k, (number + 1) * puzzle.k))
        route = _along(puzzle.facts, numbers, first)
        if route is not None and route.entities[-1] == last:
            found.append(route)
    if found:
        return found
    shortest = shortest_path(_pairs(puzzle), first, last)
    return [] if shortest is None else [shortest]


def _pairs(puzzle: Puzzle) -> list[Fact]:
    """Return all that is given as what a route can lead along; what relates nobody leads from itself to itself."""
    found = []
    for one in puzzle.given:
        if not isinstance(one, Statement):
            found.append(one)
        elif one.kind is StatementKind.ALTERNATIVES and one.status is Status.ASSERTED:
            found.append(Fact(one.head, one.relations[0], one.tail))
        else:
            found.append(Fact(one.head, "", one.head))
    return found


def _along(facts: Sequence[Fact], numbers: tuple[int, ...], first: str) -> Route | None:
    """Return these facts as a route from an entity; None if they do not lead on."""
    entities = [first]
    for number in numbers:
        if number >= len(facts):
            return None
        head, _, tail = facts[number]
        if entities[-1] not in (head, tail):
            return None
        entities.append(tail if entities[-1] == head else head)
    return Route(numbers, tuple(entities))


class _NoWayError(Exception):
    """A claim on the way cannot be put in a few words, or its form is not told."""


class _Builder:
    """The moves of one argument, while they are found."""

    def __init__(self, truth: Truth, composer: Composer, rng: Random) -> None:
        self._truth, self._composer, self._rng = truth, composer, rng
        self._meaning = truth.world.meaning
        self._moves: list[Move] = []
        self._of_fact: dict[int, int] = {}  # the move of each fact

    def fold(self, routes: Sequence[Route], order: str) -> list[Move] | None:
        """Return the moves of an argument that folds the routes; None if that cannot be done in this order."""
        puzzle, ends = self._truth.puzzle, list[int]()
        try:
            if self._rng.random() < _FACTS_FIRST:
                for route in routes:
                    for number in route.numbers:
                        self._fact(number)
            several = len(routes) > 1 or bool(puzzle.statements)
            for route in self._rng.sample(routes, len(routes)):
                ends.append(self._fold(route, order, several))
                if self._settled(self._moves[ends[-1]].claim):
                    ends = ends[-1:]
                    break
            else:
                ends += self._beside_the_routes(ends)
            while len(ends) > 1:
                one, other = ends.pop(0), ends.pop(0)
                last = self._compose((one, other), *puzzle.query, How.TOGETHER, bool(ends), True)
                ends.insert(0, last)
                if self._settled(self._moves[last].claim):
                    ends = ends[:1]
            if not self._settled(self._moves[ends[0]].claim):
                return None
        except _NoWayError:
            return None
        return self._with_detours(ends[0])

    def jump(self, routes: Sequence[Route]) -> list[Move] | None:
        """Return the moves of an argument that folds what it can, and then names the answer."""
        first, last = self._truth.puzzle.query
        known = self._truth.possible(first, last)
        if known is None or not 0 < len(known.relations) <= MOST:
            return None
        claim = Claim(first, known.relations, last)
        if not self._settled(claim) or not self._truth.form_known(last):
            return None
        cited = [number for route in routes for number in self._fold_partly(route)]
        cited += self._beside_the_routes(cited)
        self._moves.append(Move(claim, How.JUMP, tuple(cited)))
        return self._moves

    def _fold_partly(self, route: Route) -> list[int]:
        """Return the moves of the longest stretches of a route that can be put together."""
        ends = list(route.entities)
        made = [self._fact(number) for number in route.numbers]
        open_at = set(range(1, len(ends) - 1))
        while open_at and len(made) > 2:
            middle = self._rng.choice(sorted(open_at))
            open_at.remove(middle)
            premises = made[middle - 1], made[middle]
            try:
                whole = self._compose(
                    premises, ends[middle - 1], ends[middle + 1], How.COMPOSED, True, False
                )
            except _NoWayError:
                continue
            made[middle - 1 : middle + 1] = [whole]
            del ends[middle]
            # Its neighbours are put together with something new now.
            open_at = {one - (one > middle) for one in open_at}
            open_at |= {middle - 1, middle} & set(range(1, len(ends) - 1))
        return made

    def _settled(self, claim: Claim) -> bool:
        """Return whether a claim about the query is the answer."""
        puzzle = self._truth.puzzle
        if (claim.head, claim.tail) != puzzle.query:
            return False
        if puzzle.target == CANNOT_BE_TOLD:
            known = self._truth.possible(*puzzle.query)
            return known is not None and set(known.relations) == set(claim.relations)
        return claim.relations == (puzzle.target,)

    def _fact(self, number: int, flip: bool | None = None) -> int:
        """Return the move that reads a fact, which is made if it is not there yet."""
        if number not in self._of_fact:
            claim = self._read(number)
            wanted = self._rng.random() < _OTHER_SIDE if flip is None else flip
            if wanted and (other := self._turned(claim)) is not None:
                claim = other
            self._moves.append(Move(claim, How.FACT, (), (number,)))
            self._of_fact[number] = len(self._moves) - 1
        return self._of_fact[number]

    def _read(self, number: int) -> Claim:
        """Return what is given as a claim."""
        one = self._truth.given[number]
        return (
            Claim(one.head, one.relations, one.tail)
            if isinstance(one, Statement)
            else Claim.of(one)
        )

    def _beside_the_routes(self, ends: Sequence[int]) -> list[int]:
        """Return the moves that read the statements about entities of the query that no route leads along."""
        query, found = {*self._truth.puzzle.query}, []
        for number, one in enumerate(self._truth.given):
            if (
                isinstance(one, Statement)
                and number not in self._of_fact
                and query & {*named_in(one)}
            ):
                paired = one.kind is StatementKind.ALTERNATIVES
                claim = self._read(number) if paired else NOTHING
                statement = None if paired else one
                self._moves.append(Move(claim, How.FACT, (), (number,), statement))
                self._of_fact[number] = len(self._moves) - 1
                found.append(self._of_fact[number])
        return found

    def _turned(self, claim: Claim) -> Claim | None:
        """Return a claim from its other side, if its words are known."""
        if not claim.relations or not self._truth.form_known(claim.head):
            return None
        found = self._composer.follows([claim], claim.tail, claim.head)
        relations = () if found is None else self._worded(found.relations, claim.head)
        return Claim(claim.tail, relations, claim.head) if len(relations) == 1 else None

    def _worded(self, relations: Sequence[str], entity: str) -> tuple[str, ...]:
        """Return those of the relations that are in the form that the story tells of an entity."""
        told = self._truth.world.labels.form(self._truth.forms.get(entity, ""))
        if told is None:
            return tuple(relations)
        return tuple(one for one in relations if self._meaning[one].form in (told, None))

    def _fold(self, route: Route, order: str, several: bool) -> int:
        """Return the move that joins the ends of a route."""
        entities, last = route.entities, len(route.numbers)
        at = {(i, i + 1): -1 for i in range(last)}  # stretches by the move that joins them
        if last == 1:
            return self._single(route.numbers[0])
        folds: Iterable[tuple[int, int, int]] = _folds(order, last, self._rng)
        if order == SEARCHED:
            folds = self._searched(route, several)
        for i, middle, j in folds:
            premises = []
            for one in ((i, middle), (middle, j)):
                if at[one] < 0:
                    at[one] = self._fact(route.numbers[one[0]])
                premises.append(at[one])
            whole = (i, j) == (0, last)
            ends = entities[i], entities[j]
            at[i, j] = self._compose(
                tuple(premises), *ends, How.COMPOSED, several or not whole, whole
            )
        return at[0, last]

    def _single(self, number: int) -> int:
        """Return the move that answers the query by one fact, from either side."""
        query, found = self._truth.puzzle.query, self._fact(number)
        claim = self._moves[found].claim
        if (claim.head, claim.tail) == query:
            return found
        return self._compose((found,), *query, How.CONVERSE, False, True)

    def _compose(
        self, premises: tuple[int, ...], head: str, tail: str, how: How, between: bool, whole: bool
    ) -> int:
        """Return the move that claims what follows from others about two entities.

        - between: whether more is put to it later, so that something outside the label set matters
        - whole: whether it is about the query, and thus from its first entity
        """
        if not whole and self._rng.random() < _OTHER_SIDE / 2 and self._truth.form_known(head):
            head, tail = tail, head
        claims = [self._moves[one].premise for one in premises]
        self._moves.append(Move(self._claimed(claims, head, tail, between, whole), how, premises))
        return len(self._moves) - 1

    def _claimed(
        self, premises: Sequence[Premise], head: str, tail: str, between: bool, whole: bool
    ) -> Claim:
        """Return what follows from claims about two entities, from a side from which it has words."""
        if not whole and not self._truth.form_known(tail):
            head, tail = tail, head
        if not self._truth.form_known(tail):
            raise _NoWayError
        found = self._composer.follows(premises, head, tail)
        if found is None or (found.outside and (between or not whole)):
            raise _NoWayError
        relations = self._worded(found.relations, tail)
        if not 0 < len(relations) <= min(MOST, len(self._truth.world.kinds) - 1):
            raise _NoWayError
        claim = Claim(head, relations, tail)
        verdict = self._truth.verdict(claim)
        if verdict is None or not verdict.right:
            raise _NoWayError
        return claim

    def _searched(self, route: Route, several: bool) -> list[tuple[int, int, int]]:
        """Return stretches to put together that lead from end to end; every one of them is looked at."""
        last, entities = len(route.numbers), route.entities
        if last > _SEARCHED:
            raise _NoWayError
        claims = {(i, i + 1): self._read(n) for i, n in enumerate(route.numbers)}
        middles: dict[tuple[int, int], list[int]] = {}
        for length in range(2, last + 1):
            for i in range(last - length + 1):
                self._look(claims, middles, (i, i + length), entities, several or length < last)
        if last > 1 and (0, last) not in middles:
            raise _NoWayError
        folds: list[tuple[int, int, int]] = []
        todo = [(0, last)]
        while todo:
            i, j = todo.pop()
            if j - i > 1:
                middle = self._rng.choice(middles[i, j])
                folds.append((i, middle, j))
                todo += [(i, middle), (middle, j)]
        return folds[::-1]

    def _look(
        self,
        claims: dict[tuple[int, int], Claim],
        middles: dict[tuple[int, int], list[int]],
        stretch: tuple[int, int],
        entities: Sequence[str],
        between: bool,
    ) -> None:
        """Note what a stretch leads to by its narrowest composition, and where it can be parted for that."""
        i, j = stretch
        for middle in range(i + 1, j):
            if (i, middle) not in claims or (middle, j) not in claims:
                continue
            both = claims[i, middle], claims[middle, j]
            try:
                found = self._claimed(both, entities[i], entities[j], between, not between)
            except _NoWayError:
                continue
            known = claims.get(stretch)
            if known is None or len(found.relations) < len(known.relations):
                claims[stretch], middles[stretch] = found, [middle]
            elif len(found.relations) == len(known.relations):
                middles[stretch].append(middle)

    # Detours

    def _with_detours(self, last: int) -> list[Move]:
        """Return the moves with some more that hold, of which nothing is made; the answer comes last."""
        moves = self._moves[: last + 1]
        while self._rng.random() < _DETOUR and len(moves) > 1:
            kind = self._rng.choice((self._beside, self._other_side, self._further))
            found = kind(moves)
            if found is not None and all(found.claim != one.claim for one in moves):
                least = max(found.premises, default=-1) + 1
                moves = inserted(moves, found, self._rng.randint(least, len(moves) - 1))
        return moves

    def _other_side(self, moves: Sequence[Move]) -> Move | None:
        """Return an earlier claim from its other side."""
        number = self._rng.randrange(len(moves) - 1)
        claim = self._turned(moves[number].claim)
        return None if claim is None else Move(claim, How.CONVERSE, (number,))

    def _beside(self, moves: Sequence[Move]) -> Move | None:
        """Return a fact that the argument does not use."""
        facts = self._truth.puzzle.facts  # the first of what is given
        used = {number for move in moves for number in move.facts}
        others = [number for number in range(len(facts)) if number not in used]
        if not others:
            return None
        number = self._rng.choice(others)
        return Move(Claim.of(facts[number]), How.FACT, (), (number,))

    def _further(self, moves: Sequence[Move]) -> Move | None:
        """Return what two earlier claims say together that the argument does not use."""
        one, other = self._rng.sample(range(len(moves)), 2)
        first, second = sorted((one, other))
        if any(not moves[number].claim.relations for number in (first, second)):
            return None
        ends = {moves[first].claim.head, moves[first].claim.tail} ^ {
            moves[second].claim.head,
            moves[second].claim.tail,
        }
        if len(ends) != 2 or second == len(moves) - 1:
            return None
        head, tail = self._rng.sample(sorted(ends), 2)
        if any({move.claim.head, move.claim.tail} == ends for move in moves):
            return None
        if not self._truth.form_known(tail):
            return None
        found = self._composer.follows([moves[first].claim, moves[second].claim], head, tail)
        relations = () if found is None or found.outside else self._worded(found.relations, tail)
        if len(relations) != 1:
            return None
        claim = Claim(head, relations, tail)
        verdict = self._truth.verdict(claim)
        right = verdict is not None and verdict.right
        return Move(claim, How.COMPOSED, (first, second)) if right else None


def _folds(order: str, last: int, rng: Random) -> Iterator[tuple[int, int, int]]:
    """Yield the stretches to put together, each by its first, middle and last entity."""
    if order == "forward":
        yield from ((0, j - 1, j) for j in range(2, last + 1))
    elif order == "backward":
        yield from ((i, i + 1, last) for i in range(last - 2, -1, -1))
    elif order == "middle-out":
        first = rng.randrange(last)
        i, j = first, first + 1
        while (i, j) != (0, last):
            left = i > 0 and (j == last or rng.random() < 0.5)
            yield (i - 1, i, j) if left else (i, j, j + 1)
            i, j = (i - 1, j) if left else (i, j + 1)
    else:
        yield from _halves(0, last, rng)


def _halves(i: int, j: int, rng: Random) -> Iterator[tuple[int, int, int]]:
    if j - i > 1:
        middle = rng.randint(i + 1, j - 1)
        yield from _halves(i, middle, rng)
        yield from _halves(middle, j, rng)
        yield i, middle, j


def inserted(moves: Sequence[Move], new: Move, at: int) -> list[Move]:
    """Return moves with another one at a place; it cites only earlier ones."""
    later = [
        replace(move, premises=tuple(one + (one >= at) for one in move.premises))
        for move in moves[at:]
    ]
    return [*moves[:at], new, *later]


def without(moves: Sequence[Move], at: int) -> list[Move]:
    """Return moves without one of them, which nothing cites any more."""
    later = [
        replace(move, premises=tuple(one - (one > at) for one in move.premises if one != at))
        for move in moves[at + 1 :]
    ]
    return [*moves[:at], *later]


def _in_steps(moves: Sequence[Move], order: str, rng: Random) -> Argument:
    """Return the moves as steps: each its own, or a conclusion with the facts that it brings in."""
    joined = rng.random() < _JOINED
    return Argument(tuple(moves), order, grouped(moves, joined))


def grouped(moves: Sequence[Move], joined: bool) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the moves of each step."""
    steps: list[tuple[int, ...]] = []
    waiting: list[int] = []
    for number, move in enumerate(moves):
        if joined and move.how is How.FACT:
            waiting.append(number)
            continue
        cited = joined and waiting and move.how in (How.COMPOSED, How.CONVERSE, How.TOGETHER)
        new = [one for one in waiting if one in move.premises] if cited else []
        if waiting and new == waiting[-len(new) :] and new:
            steps += [(one,) for one in waiting[: -len(new)]]
            steps.append((*new, number))
        else:
            steps += [(one,) for one in waiting]
            steps.append((number,))
        waiting = []
    steps += [(one,) for one in waiting]
    return tuple(steps)
