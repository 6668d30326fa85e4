"""One error put into an argument, and what follows from it, carried on as somebody would who believes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

from clutrr._chains.chain import ErrorKind, StepVerdict
from clutrr._chains.proofs import MOST, Argument, How, Move, grouped, inserted, without
from clutrr._chains.truth import Composer, Truth
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._statement import Statement
from clutrr.theory.given import Given
from clutrr.theory.solver import Claim, Premise

_TRIED = 8  # ways to be wrong at one place
_AT_A_STEP = (
    ErrorKind.MISREAD,
    ErrorKind.COMPOSITION,
    ErrorKind.CONVERSE,
    ErrorKind.INVENTED,
    ErrorKind.FORM,
)
_OF_CHAINS = (ErrorKind.ROUTE, ErrorKind.SKIPPED)  # they choose their place themselves


@dataclass(frozen=True)
class Slipped:
    """An argument with an error. kind: of the error. right: whether its answer is right all the same."""

    argument: Argument
    kind: ErrorKind
    right: bool


def answer_of(moves: Sequence[Move]) -> str:
    """Return the answer of an argument: its last claim, or that it cannot be told."""
    relations = moves[-1].claim.relations
    return relations[0] if len(relations) == 1 else CANNOT_BE_TOLD


class Slipper:
    """Puts errors into arguments about one puzzle."""

    def __init__(self, truth: Truth, composer: Composer, rng: Random) -> None:
        self._truth, self._composer, self._rng = truth, composer, rng
        self._labels = truth.world.labels

    def slip(self, argument: Argument, kinds: Mapping[ErrorKind, float]) -> Slipped | None:
        """Return the argument with one error, at a step drawn evenly; None if none of the kinds can be made.

        - kinds: the errors to choose from, with their weights
        """
        total = sum(kinds.values())
        for kind in _OF_CHAINS:
            if kind in kinds and self._rng.random() < kinds[kind] / total:
                found = self._route(argument) if kind is ErrorKind.ROUTE else self._skip(argument)
                if found is not None:
                    return found
        at_steps = {kind: kinds[kind] for kind in _AT_A_STEP if kind in kinds}
        for step in self._rng.sample(range(len(argument.steps)), len(argument.steps)):
            for kind in self._shuffled(at_steps):
                found = self._at(argument, step, kind)
                if found is not None:
                    return found
        for kind in _OF_CHAINS:
            if kind in kinds:
                found = self._route(argument) if kind is ErrorKind.ROUTE else self._skip(argument)
                if found is not None:
                    return found
        return None

    def _shuffled(self, weights: Mapping[ErrorKind, float]) -> list[ErrorKind]:
        """Return the kinds in an order that is drawn, the heavier ones more often before the others."""
        drawn = {kind: self._rng.random() ** (1 / weight) for kind, weight in weights.items()}
        return sorted(drawn, key=lambda kind: -drawn[kind])

    # At a step

    def _at(self, argument: Argument, step: int, kind: ErrorKind) -> Slipped | None:
        """Return the argument with an error of a kind at a step; None if there is no such error there."""
        best: Slipped | None = None
        for moves, at in islice(self._ways(argument, step, kind), _TRIED):
            found = self._carried(argument, moves, at, kind)
            if found is not None and found.right:
                return found
            best = best or found
        return best

    def _ways(
        self, argument: Argument, step: int, kind: ErrorKind
    ) -> Iterator[tuple[list[Move], int]]:
        """Yield the moves with an error of a kind at a step, and the number of the wrong one."""
        moves, group = argument.moves, argument.steps[step]
        if kind is ErrorKind.INVENTED:
            yield from self._inventions(moves, group)
            return
        for number in self._rng.sample(group, len(group)):
            move = moves[number]
            if not move.claim.relations:
                continue
            if (kind is ErrorKind.MISREAD) != (move.how is How.FACT) and kind in (
                ErrorKind.MISREAD,
                ErrorKind.COMPOSITION,
            ):
                continue
            for claim in self._wrong(move.claim, kind):
                wrong = list(moves)
                wrong[number] = replace(move, claim=claim)
                yield wrong, number

    def _wrong(self, claim: Claim, kind: ErrorKind) -> Iterator[Claim]:
        """Yield claims that the story does not entail, of the kind of error, about the same two entities."""
        head, relations, tail = claim
        meaning, first = self._labels.meaning, relations[0]
        one, form = meaning[first]
        others: list[str] = []
        if kind is ErrorKind.FORM:
            others = [word for word in one.words if word not in relations]
            others = others if len(relations) == 1 else []
        elif kind is ErrorKind.CONVERSE:
            words = self._labels.kind(one.converse).words
            same = [word for word in words if meaning[word].form in (form, None)]
            others = same if len(relations) == 1 and one.converse != one.name else []
        else:
            others = [
                word
                for word in dict.fromkeys(self._labels.relations)
                if meaning[word].form == form and meaning[word].kind.name != one.name
            ]
            if len(relations) == 1:
                others = [word for word in others if meaning[word].kind.name != one.converse]
            else:  # of several that are possible, one is taken for the only one
                others += list(relations)
        for word in self._rng.sample(others, len(others)):
            found = Claim(head, (word,), tail)
            if self._is_wrong(found):
                yield found

    def taken_back(self, claim: Claim) -> Claim | None:
        """Return something wrong to be said and taken back before a claim; None if there is nothing."""
        if len(claim.relations) > 1:
            return None
        return next(self._wrong(claim, ErrorKind.COMPOSITION), None)

    def _is_wrong(self, claim: Claim) -> bool:
        verdict = self._truth.verdict(claim)
        return verdict is not None and not verdict.right

    def _inventions(
        self, moves: Sequence[Move], group: Sequence[int]
    ) -> Iterator[tuple[list[Move], int]]:
        """Yield the moves with a fact that the story does not state, in the place of a step or before it."""
        last = moves[group[-1]]
        replaced = len(group) == 1 and last.how in (How.COMPOSED, How.TOGETHER)
        if replaced and not self._truth.is_stated(last.claim.head, last.claim.tail):
            for claim in self._wrong(last.claim, ErrorKind.COMPOSITION):
                wrong = list(moves)
                wrong[group[0]] = Move(claim, How.FACT)
                yield wrong, group[0]
        for claim in self._unstated():
            yield inserted(moves, Move(claim, How.FACT), group[0]), group[0]

    def _unstated(self) -> Iterator[Claim]:
        """Yield wrong claims about two entities of whom no fact says anything together."""
        names = self._truth.names
        for _ in range(_TRIED):
            head, tail = self._rng.sample(names, 2)
            asked = {head, tail} == {*self._truth.puzzle.query}
            if asked or self._truth.is_stated(head, tail) or not self._truth.form_known(tail):
                continue
            told = self._labels.form(self._truth.forms.get(tail, ""))
            words = [
                word
                for word in dict.fromkeys(self._labels.relations)
                if told is None or self._labels.meaning[word].form in (told, None)
            ]
            claim = Claim(head, (self._rng.choice(words),), tail)
            if self._is_wrong(claim):
                yield claim

    # What follows

    def _carried(
        self, argument: Argument, moves: Sequence[Move], at: int, kind: ErrorKind
    ) -> Slipped | None:
        """Return what follows from the moves up to the error; None if the rest then excludes itself."""
        found = list(moves)
        changed = {at}
        for number in range(at + 1, len(found)):
            move = found[number]
            if changed.isdisjoint(move.premises):
                continue
            claim = self._following(found, move)
            if claim is None or self._truth.verdict(claim) is None:
                return None
            if claim != move.claim:
                found[number] = replace(move, claim=claim)
                changed.add(number)
        steps = argument.steps
        if len(found) != len(argument.moves):  # one was put in, as a step of its own
            steps = _opened(steps, at)
        whole = Argument(tuple(found), argument.order, steps)
        return Slipped(whole, kind, answer_of(found) == self._truth.puzzle.target)

    def _following(self, moves: Sequence[Move], move: Move) -> Claim | None:
        """Return what a move claims if its premises are believed: as before, if they leave that possible."""
        head, relations, tail = move.claim
        premises = [moves[one].premise for one in move.premises]
        if move.how is How.JUMP:
            return move.claim
        follows = self._composer.follows(premises, head, tail)
        if follows is None or not follows.relations:
            return None
        possible = follows.relations
        told = self._labels.form(self._truth.forms.get(tail, ""))
        suited = tuple(one for one in possible if self._labels.meaning[one].form in (told, None))
        possible = suited or possible
        if set(possible) == set(relations):
            return move.claim
        if len(possible) > 1 and (len(relations) == 1 or len(possible) > MOST):
            both = [one for one in possible if one in relations]
            possible = (self._rng.choice(both or possible),)
        return Claim(head, possible, tail)

    # Of whole chains

    def _route(self, argument: Argument) -> Slipped | None:
        """Return the argument with one of several routes forgotten, where the others do not decide."""
        moves = argument.moves
        last = moves[-1]
        if last.how is not How.TOGETHER:
            return None
        ends = {last.claim.head, last.claim.tail}
        about = [one for one in last.premises if {*moves[one].claim[::2]} == ends]
        for kept in self._rng.sample(about, len(about)):
            needed = _needed(moves, kept)
            left = [one for one in moves[kept].claim.relations if one not in last.claim.relations]
            for word in self._rng.sample(left, len(left)):
                claim = Claim(last.claim.head, (word,), last.claim.tail)
                if not self._is_wrong(claim):
                    continue
                shorter = [*moves[:-1], Move(claim, How.CONVERSE, (kept,))]
                for number in range(len(moves) - 2, -1, -1):
                    if number not in needed:
                        shorter = without(shorter, number)
                steps = tuple((number,) for number in range(len(shorter)))
                whole = Argument(tuple(shorter), argument.order, steps)
                return Slipped(whole, ErrorKind.ROUTE, False)
        return None

    def _skip(self, argument: Argument) -> Slipped | None:
        """Return the argument with a step left out, so that what cites it does not follow."""
        moves = argument.moves
        cited = {one for move in moves for one in move.premises}
        numbers = [n for n in range(len(moves) - 1) if n in cited]
        for number in self._rng.sample(numbers, len(numbers)):
            shorter = without(moves, number)
            lost = [
                one
                for one, move in enumerate(shorter)
                if one >= number and not is_supported(shorter, one, self._truth, self._composer)
            ]
            if lost:
                joined = any(len(step) > 1 for step in argument.steps)
                whole = Argument(tuple(shorter), argument.order, grouped(shorter, joined))
                return Slipped(whole, ErrorKind.SKIPPED, True)
        return None


def _needed(moves: Sequence[Move], last: int) -> set[int]:
    """Return the numbers of the moves that one rests on, and its own."""
    found, queue = {last}, [last]
    for number in queue:
        new = set(moves[number].premises) - found
        found |= new
        queue += new
    return found


def _opened(steps: Sequence[tuple[int, ...]], at: int) -> tuple[tuple[int, ...], ...]:
    """Return the steps after a move was put in, which becomes a step before that of the moves after it."""
    shifted = [tuple(one + (one >= at) for one in step) for step in steps]
    where = next(place for place, step in enumerate(shifted) if step[-1] > at)
    return (*shifted[:where], (at,), *shifted[where:])


def is_supported(moves: Sequence[Move], number: int, truth: Truth, composer: Composer) -> bool:
    """Return whether a claim follows by one composition from what it cites, or from the fact that it reads."""
    move = moves[number]
    head, relations, tail = move.claim
    if move.statement is not None:
        return True
    premises = [moves[one].premise for one in move.premises]
    premises += [_premise(truth.given[one]) for one in move.facts]
    if not 0 < len(premises) <= 2:
        return False
    follows = composer.follows(premises, head, tail)
    if follows is None or not follows.relations:
        return False
    asked = {head, tail} == {*truth.puzzle.query}
    if follows.outside and not asked:
        return False
    labels = truth.world.labels
    told = labels.form(truth.forms.get(tail, ""))
    suited = [one for one in follows.relations if labels.meaning[one].form in (told, None)]
    return set(suited or follows.relations) <= set(relations)


def _premise(given: Given) -> Premise:
    return given if isinstance(given, Statement) else Claim.of(given)


def worst(verdicts: Sequence[StepVerdict]) -> StepVerdict:
    """Return what the story says to several claims together."""
    order = (
        StepVerdict.CONTRADICTED,
        StepVerdict.POSSIBLE,
        StepVerdict.ENTAILED,
        StepVerdict.STATED,
    )
    return next(one for one in order if one in verdicts)
