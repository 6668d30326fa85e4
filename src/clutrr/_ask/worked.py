"""Worked examples: how a person would get to an answer, for models to follow.

Each line puts two things together and concludes what one entity is to another, where possible one relation; the
answer comes last. Nothing is said of what a solver says: that something is entailed, or what was assumed.
"""

from collections.abc import Sequence
from hashlib import sha256
from random import Random

from clutrr._chains.proofs import ORDERS, Argument, How, Move, Prover
from clutrr._chains.truth import Composer, Truth
from clutrr._lexicon import World
from clutrr._lexicon.saying import say_claim
from clutrr._puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr.theory import Solver
from clutrr.theory.solver import Claim

_TRIED = 4  # arguments for each answer


class WorkedExamples:
    """Words solutions in the language of a world."""

    def __init__(self, world: World, solver: Solver) -> None:
        self._world, self._solver, self._speech = world, solver, world.speech
        self._prover = Prover(Composer(world, solver))

    def solution(self, puzzle: Puzzle, possible: Sequence[str]) -> tuple[str, bool]:
        """Return the lines that lead to the answer, and whether each concludes a single relation.

        - possible: what the second queried entity can be to the first
        """
        first, last = puzzle.query
        if puzzle.target == CANNOT_BE_TOLD:
            return self._sentence(
                say_claim(self._world, Claim(first, tuple(possible), last), "can be")
            ), True
        found = self._argument(puzzle)
        if found is None:
            claim = Claim(first, (puzzle.target,), last)
            return self._sentence(say_claim(self._world, claim)), False
        return "\n".join(self._lines(found)), _is_named(found)

    def _argument(self, puzzle: Puzzle) -> Argument | None:
        """Return the plainest of some arguments: of single relations, from the first entity on, and short."""
        truth = Truth(puzzle, self._world, self._solver)
        found = []
        for number in range(_TRIED):
            rng = Random(sha256(f"{number} {puzzle.id}".encode()).digest())
            argued = self._prover.argue(truth, rng)
            if argued is not None and all(move.statement is None for move in argued.moves):
                found.append(argued)
        return min(found, key=_plainness, default=None)

    def _lines(self, found: Argument) -> list[str]:
        concluding = [move for move in found.moves if move.how is not How.FACT]
        if not concluding:
            return [self._sentence(self._said(found.moves[-1]))]
        lines, before = [], None
        for move in concluding:
            premises = [found.moves[number] for number in move.premises]
            told = [self._said(one) for one in premises if one is not before]
            told = told or [self._said(one) for one in premises]
            lines.append(self._sentence(self._speech.say("and").join(told), self._said(move)))
            before = move
        return lines

    def _said(self, move: Move) -> str:
        return say_claim(self._world, move.claim)

    def _sentence(self, told: str, concluded: str = "") -> str:
        """Return a sentence with what follows from it."""
        so = self._speech.say("so", claim=concluded) if concluded else ""
        begun = f"{told[:1].upper()}{told[1:]}"
        return f"{begun}{so}{self._speech.say('stop')}"


def _is_named(argument: Argument) -> bool:
    """Return whether every claim is a single relation."""
    return all(len(move.claim.relations) == 1 for move in argument.moves)


def _plainness(argument: Argument) -> tuple[bool, bool, int]:
    """Return what to sort arguments by, the plainest first."""
    return not _is_named(argument), argument.order != ORDERS[0], len(argument.moves)
