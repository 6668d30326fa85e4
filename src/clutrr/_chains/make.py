"""Puzzles to chains. Chain i of a puzzle is a pure function of the settings, the puzzle and i."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from random import Random
from typing import Any

from clutrr._chains.chain import Chain, ErrorKind, Step, StepVerdict
from clutrr._chains.proofs import Argument, Prover
from clutrr._chains.slips import Slipper, answer_of, is_supported, worst
from clutrr._chains.truth import Composer, Truth, composing_assumption
from clutrr._chains.wording import Writer, styles, styles_of
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr.errors import ConfigError, DataError
from clutrr.theory.solver import Claim

Weights = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class ChainConfig:
    """What chains shall be.

    Args:
        wrong: the share of them that have an error.
        errors: the kinds of errors, each with its weight.
        styles: how they may be worded, each with its weight.
        per: chains of each puzzle.
        seed: of everything that is drawn.
    """

    wrong: float = 0.5
    errors: Weights = tuple((kind.value, 1.0) for kind in ErrorKind)
    styles: Weights = ()
    per: int = 4
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.wrong <= 1:
            raise ConfigError("is not a share from 0 to 1", setting="wrong", value=self.wrong)
        if self.per < 1:
            raise ConfigError("is below 1", setting="per", value=self.per)
        _check("errors", self.errors, [kind.value for kind in ErrorKind])
        _check("styles", self.styles, styles().names)


def _check(setting: str, given: Weights, known: Sequence[str]) -> None:
    """Refuse what is not known, and weights that are not above 0."""
    for name, weight in given:
        if name not in known:
            raise ConfigError(f"is not one of {', '.join(known)}", setting=setting, value=name)
        if not weight > 0:
            raise ConfigError(f"{name}: {weight} is not above 0", setting=setting)


class NoChainError(DataError):
    """A puzzle of which no chain can be made; says why."""


@dataclass(frozen=True)
class LeftOut:
    """The puzzles without a chain, counted by the reason."""

    reasons: Counter[str] = field(default_factory=Counter)


class ChainMaker:
    """Makes chains about the puzzles of a world, under an assumption."""

    def __init__(self, world: World, assume: str | None, config: ChainConfig) -> None:
        named = world.theory.assumption(assume).name
        self.world, self.assume, self.config = world, named, config
        self._styles = _styles(world, config)
        self._errors = {ErrorKind(name): weight for name, weight in config.errors}
        self._solver = world.theory.solver(world.labels, named)
        self._composer = _composer(world, named)
        self._prover, self._writer = Prover(self._composer), Writer(world)

    def chains(self, puzzles: Iterable[Puzzle], left_out: LeftOut) -> Iterator[Chain]:
        """Yield the chains of puzzles, those of each together. left_out: counts the puzzles without any."""
        for puzzle in puzzles:
            try:
                yield from self.of_puzzle(puzzle)
            except NoChainError as error:
                left_out.reasons[str(error)] += 1

    def of_puzzle(self, puzzle: Puzzle) -> list[Chain]:
        """Return the chains of a puzzle. Raises NoChainError if none can be made."""
        truth = self._truth(puzzle)
        return [self._chain(truth, number) for number in range(self.config.per)]

    def _truth(self, puzzle: Puzzle) -> Truth:
        """Return what is given in a puzzle, if that settles its target."""
        truth = Truth(puzzle, self.world, self._solver)
        first, last = puzzle.query
        if not {first, last} <= set(truth.names):
            raise NoChainError("no fact is about one of the two entities")
        known = truth.possible(first, last)
        if known is None:
            raise NoChainError("the solver cannot decide them")
        several = puzzle.target == CANNOT_BE_TOLD and len(known.relations) > 1
        if not several and known.relations != (puzzle.target,):
            raise NoChainError("the target is not what follows from the facts")
        return truth

    def _chain(self, truth: Truth, number: int) -> Chain:
        puzzle = truth.puzzle
        drawn = blake2b(f"{self.config.seed} {puzzle.id} {number}".encode(), digest_size=16)
        rng = Random(int.from_bytes(drawn.digest()))
        argument = self._prover.argue(truth, rng)
        if argument is None:
            raise NoChainError("the answer cannot be put in few words")
        style = rng.choices([name for name, _ in self._styles], [w for _, w in self._styles])[0]
        kind: ErrorKind | None = None
        slipper = Slipper(truth, self._composer, rng)
        if rng.random() < self.config.wrong:
            slipped = slipper.slip(argument, self._errors)
            if slipped is not None:
                argument, kind = slipped.argument, slipped.kind
        return self._told(truth, number, argument, kind, style, slipper, rng)

    def _told(
        self,
        truth: Truth,
        number: int,
        argument: Argument,
        kind: ErrorKind | None,
        style: str,
        slipper: Slipper,
        rng: Random,
    ) -> Chain:
        """Return an argument as a chain: judged, and in words."""
        puzzle, answer = truth.puzzle, answer_of(argument.moves)

        def holds(claim: Claim) -> bool:
            verdict = truth.verdict(claim)
            return verdict is not None and verdict.right

        texts = self._writer.steps(argument, style, answer, holds, slipper.taken_back, rng)
        steps = tuple(self._judged(truth, argument, texts))
        wrong = next((place for place, step in enumerate(steps) if not step.right), -1)
        return Chain(
            id=f"{puzzle.id}-{number}",
            puzzle=puzzle.id,
            world=self.world.name,
            story=puzzle.story,
            question=puzzle.question,
            query=puzzle.query,
            target=puzzle.target,
            k=puzzle.k,
            stated=puzzle.facts,
            statements=puzzle.statements,
            steps=steps,
            first_error=wrong,
            error="" if kind is None else kind.value,
            style=style,
            order=argument.order,
            answer=answer,
            answer_right=answer == puzzle.target,
        )

    def _judged(self, truth: Truth, argument: Argument, texts: Sequence[str]) -> Iterator[Step]:
        """Yield the steps with their labels: what the solver says to each claim, and what each rests on."""
        moves = argument.moves
        step_of = {move: number for number, step in enumerate(argument.steps) for move in step}
        behind: list[set[int]] = []
        for move in moves:
            behind.append(set(move.facts).union(*(behind[one] for one in move.premises)))
        for number, (step, text) in enumerate(zip(argument.steps, texts, strict=True)):
            claims = tuple(moves[one].claim for one in step if moves[one].claim.relations)
            verdicts = [truth.verdict(claim) or StepVerdict.POSSIBLE for claim in claims]
            verdicts = verdicts or [StepVerdict.STATED]  # a statement that relates nobody
            cited = {step_of[one] for move in step for one in moves[move].premises} - {number}
            yield Step(
                text,
                claims,
                worst(verdicts),
                all(is_supported(moves, one, truth, self._composer) for one in step),
                tuple(sorted(cited)),
                tuple(sorted(set[int]().union(*(behind[one] for one in step)))),
            )


def _styles(world: World, config: ChainConfig) -> Weights:
    """Return the styles to draw from. Raises ConfigError for one that the world's language does not have."""
    known = styles_of(world)
    for name, _ in config.styles:
        if name not in known:
            raise ConfigError(
                f"is not one of {', '.join(known)}, those of world {world.name}",
                setting="styles",
                value=name,
            )
    return config.styles or tuple((name, 1.0) for name in known)


@lru_cache(20)
def _composer(world: World, assume: str) -> Composer:
    assumed = composing_assumption(world, assume)
    return Composer(world, world.theory.solver(world.labels, assumed))


@dataclass
class Tally:
    """Chains counted: wrong ones, kinds of errors, where the first error is, styles, orders, right answers."""

    chains: int = 0
    wrong: int = 0
    right_answers: int = 0
    unsupported: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    first_error: Counter[int] = field(default_factory=Counter)
    styles: Counter[str] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)

    def add(self, chain: Chain) -> None:
        """Count a chain."""
        self.chains += 1
        self.errors[chain.error or "none"] += 1
        self.styles[chain.style] += 1
        self.orders[chain.order] += 1
        self.unsupported += not all(step.supported for step in chain.steps)
        if chain.first_error >= 0:
            self.wrong += 1
            self.first_error[chain.first_error] += 1
            self.right_answers += chain.answer_right

    def join(self, other: "Tally") -> None:
        """Count all that another one has counted."""
        self.chains += other.chains
        self.wrong += other.wrong
        self.right_answers += other.right_answers
        self.unsupported += other.unsupported
        self.errors += other.errors
        self.first_error += other.first_error
        self.styles += other.styles
        self.orders += other.orders

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return {
            "chains": self.chains,
            "wrong": self.wrong,
            "wrong_with_right_answer": self.right_answers,
            "not_all_supported": self.unsupported,
            "errors": dict(sorted(self.errors.items())),
            "first_error": {str(at): self.first_error[at] for at in sorted(self.first_error)},
            "styles": dict(sorted(self.styles.items())),
            "orders": dict(sorted(self.orders.items())),
        }


def tallied(chains: Iterable[Chain]) -> Tally:
    """Return chains counted."""
    tally = Tally()
    for chain in chains:
        tally.add(chain)
    return tally
