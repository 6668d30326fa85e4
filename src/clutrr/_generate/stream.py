"""Puzzles without end. Item i is a pure function of the settings, the seed and i, and costs what one costs.

Who is related to whom, and how, is drawn in blocks, as for a data set, and comes again after `_DRAWN` items;
names, wording, attributes and order are drawn for each item.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from random import Random
from typing import Any, overload

from clutrr._config import Config
from clutrr._generate.blocks import Generator
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, ROLES, SPLITS, Fact, Puzzle, shared_entity
from clutrr._writing.naming import OwnNames
from clutrr._writing.single import Teller
from clutrr.errors import ConfigError
from clutrr.theory.questions import PossibleKinds, QuestionBlock

_DRAWN = 1 << 17  # all are kept, so this bounds the memory


class Stream:
    """Puzzles without end: `stream[i]`, in any order and any process, is what an iteration finds there."""

    def __init__(self, config: Config, world: World, split: str = SPLITS[0]) -> None:
        if split not in SPLITS:
            raise ConfigError(f"is not one of {', '.join(SPLITS)}", setting="split", value=split)
        generator = Generator(config, world)
        self.config, self.world, self.split = generator.config, world, split
        side = generator.sides[split]
        self._teller = Teller(side, self.config)
        lexicon, self._forms = side.lexicon, world.forms or ("",)
        self._names = [name for names in lexicon.names for name in names]
        starts = [sum(lexicon.drawn[:form]) for form in range(len(lexicon.drawn))]
        self._named = list(zip(starts, lexicon.drawn, strict=True))
        self._own_names = OwnNames(side)
        self._kinds, self._labels = [kind.name for kind in world.kinds], world.relations
        self._turns = self.config.turns
        self._key = f"{self.config.seed} {split} ".encode()
        self._drawn = cache(lambda *key: generator.questions(split, key))

    def __reduce__(self) -> tuple[Any, ...]:
        return Stream, (self.config, self.world, self.split)

    def __repr__(self) -> str:
        return f"<puzzles of world {self.world.name} without end, {self.split}, seed {self.config.seed}>"

    @property
    def assume(self) -> str:
        """The assumption under which answers are proved."""
        return self.config.assume or ""

    def __iter__(self) -> Iterator[Puzzle]:
        number = 0
        while True:
            yield self[number]
            number += 1

    @overload
    def __getitem__(self, number: int) -> Puzzle: ...
    @overload
    def __getitem__(self, number: slice) -> list[Puzzle]: ...
    def __getitem__(self, number: int | slice) -> Puzzle | list[Puzzle]:
        if isinstance(number, slice):
            if number.stop is None:
                raise IndexError("a slice of a stream needs an end: stream[:100]")
            return [self[i] for i in range(number.start or 0, number.stop, number.step or 1)]
        if number < 0:
            raise IndexError(f"item {number} of a stream, which begins at 0 and has no end")
        turn, place = divmod(number, len(self._turns))
        k, routes = self._turns[place]
        each = len(self._drawn(k, routes, 0)[0])
        block = turn // each % max(1, _DRAWN // (each * len(self._turns)))
        return self._told(*self._drawn(k, routes, block), turn % each, number)

    def _told(
        self, questions: QuestionBlock, judged: PossibleKinds, row: int, number: int
    ) -> Puzzle:
        drawn = blake2b(b"%s%d" % (self._key, number), digest_size=16).digest()
        rng, k, each = Random(int.from_bytes(drawn)), questions.k, len(self._forms)
        head, kinds, tail = (
            one[row].tolist() for one in (questions.head, questions.kinds, questions.tail)
        )
        forms: list[int] = questions.forms[row].tolist()
        names = self._own_names.of_story(self._cast(forms, rng), forms)
        called = [self._names[name] for name in names]
        story, sentences = self._teller.story(questions, row, names, rng)

        def label(kind: int, entity: int) -> int:
            return kind * each + forms[entity]

        facts = tuple(
            [
                Fact(called[a], self._labels[label(kind, b)], called[b])
                for a, kind, b in zip(head, kinds, tail, strict=True)
            ]
        )
        first, second, target, abstract = called[0], called[k], CANNOT_BE_TOLD, ""
        if (answer := int(questions.targets[row])) >= 0:
            target = self._labels[label(answer, k)]
            abstract = self._teller.answer(names[0], label(answer, k), names[k], rng)
        possible, outside = None, None
        if judged.possible_known[row]:
            possible = tuple(
                [self._labels[label(kind, k)] for kind in judged.possible[row].nonzero()[0]]
            )
        if judged.outside_known[row]:
            outside = bool(judged.outside[row])
        return Puzzle(
            f"M{k}-{self.split}-{number:09d}",
            story,
            abstract,
            (first, second),
            target,
            k,
            tuple([self._kinds[kind] for kind in kinds[: questions.routed]]),
            facts,
            tuple(
                [
                    shared_entity(name, self._forms[form])
                    for name, form in zip(called, forms, strict=True)
                ]
            ),
            f"M{k}-{self.split}-scene-{number:09d}",
            tuple([ROLES[role] for role in questions.roles.tolist()]),
            sentences,
            possible,
            outside,
            None,
            self._teller.question(names[0], names[k]),
        )

    def _cast(self, forms: list[int], rng: Random) -> list[int]:
        """Return the number of a name for each entity, no name twice."""
        found, seen = [], set[int]()
        for form in forms:
            start, size = self._named[form]
            while True:
                number = start + int(rng.random() * size)
                if number not in seen:
                    break
            seen.add(number)
            found.append(number)
        return found
