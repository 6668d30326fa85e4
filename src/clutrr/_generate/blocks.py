"""Blocks of puzzles. Block b of a subset and split is a pure function of config, world and b."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from random import Random

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from clutrr._config import Config
from clutrr._generate.disjoint import sides
from clutrr._generate.stating import StatedQuestions, Stating
from clutrr._generate.telling import PuzzleId, Storyteller
from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD, ROLES, SPLITS, Puzzle
from clutrr._table import SCHEMA, STATEMENTS, from_table, schema_with, to_table
from clutrr._writing import ProseRenderer, Renderer
from clutrr._writing.arrow import booleans, integers, lists, pick, ragged, string, strings
from clutrr._writing.naming import OwnNames
from clutrr._writing.questions import question_column
from clutrr.theory.questions import PossibleKinds, QuestionBlock, QuestionSource
from clutrr.theory.spec import QuestionSpec

_DIGITS = 9  # of the number in an id


class _Writer:
    """Writes the stories of a split, and the names in them."""

    def __init__(self, config: Config, world: World) -> None:
        order, lexicon = config.order or "", world.lexicon
        self.renderer = Renderer(world, config.distractors, order, config.brackets)
        self.stories = self.renderer.stories
        if config.style == "prose" and lexicon.prose is not None:
            prose = ProseRenderer(world, lexicon.prose, config.distractors, order, config.brackets)
            self.stories = prose.stories
        self.names = strings(name for names in lexicon.names for name in names)
        self.own_names = OwnNames(world)
        self.words = pa.concat_arrays([self.names, strings(world.relations)])


_Drawn = tuple[QuestionBlock, np.random.Generator]


class Generator:
    """Makes the blocks of a data set. config: filled in for the world. sides: the world of each split."""

    def __init__(self, config: Config, world: World) -> None:
        self.config = config.for_world(world)
        self.world = world
        self.sides = sides(self.config, world)
        train, test = (self.sides[split] for split in SPLITS)
        writer = _Writer(self.config, train)
        self._writers = {
            SPLITS[0]: writer,
            SPLITS[1]: writer if test is train else _Writer(self.config, test),
        }
        self._kinds = strings(kind.name for kind in world.kinds)
        self._labels = strings([*world.relations, CANNOT_BE_TOLD])
        self._forms = strings(world.forms or ("",))
        self._roles = strings(ROLES)
        self._tellers: dict[str, Storyteller] = {}
        self._sources: dict[tuple[str, int, int], QuestionSource] = {}
        self._checked: dict[tuple[str, int, int], _Drawn] = {}  # till they are used

    def block_size(self, k: int) -> int:
        """Return how many puzzles a block of this length has."""
        return sum(self._source(SPLITS[0], k, routes).block for routes in self.config.routes_of(k))

    def block(self, split: str, k: int, number: int, rows: int | None = None) -> pa.Table:
        """Return the puzzles of a block, or the first of them.

        Where the number of routes varies, puzzles with each number take turns.
        """
        size, several = self.block_size(k), len(self.config.routes_of(k))
        rows = size if rows is None else min(rows, size)
        if self.config.judged_whole:
            return self._told_whole(split, k, number, range(number * size, number * size + rows))
        wanted = [(rows - turn + several - 1) // several for turn in range(several)]
        parts = [
            self._part(split, (k, routes, number), count)
            for routes, count in zip(self.config.routes_of(k), wanted, strict=True)
            if count
        ]
        written = pa.concat_tables(parts)
        if several > 1:
            order = np.argsort(
                np.concatenate([np.arange(len(part)) for part in parts]), kind="stable"
            )
            written = written.take(order).combine_chunks()
        columns = {name: written[name].chunk(0) for name in written.column_names}
        columns["id"] = _numbered(f"M{k}-{split}", number * size + np.arange(rows))
        return pa.Table.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)

    def _told_whole(self, split: str, k: int, block: int, numbers: range) -> pa.Table:
        """Return puzzles whose statements are no facts alone, told one by one."""
        several = self.config.routes_of(k)
        drawn = [self.questions(split, (k, routes, block)) for routes in several]
        teller = self._storyteller(split)
        puzzles = []
        for at, number in enumerate(numbers):
            row, turn = divmod(at, len(several))
            (questions, judged), key = (
                drawn[turn],
                f"{self.config.seed} {split} {k} {number}".encode(),
            )
            rng = Random(int.from_bytes(blake2b(key, digest_size=16).digest()))
            puzzles.append(teller.puzzle(questions, judged, row, PuzzleId(split, number), rng))
        table = to_table(puzzles)
        if STATEMENTS.name not in table.column_names:
            table = table.append_column(STATEMENTS, pa.array([[]] * len(table), STATEMENTS.type))
        return table.select(self.schema.names)

    @property
    def schema(self) -> pa.Schema:
        """The columns of a block."""
        return schema_with([STATEMENTS.name] if self.config.judged_whole else [])

    def _storyteller(self, split: str) -> Storyteller:
        side = self.sides[split]
        if split not in self._tellers:
            self._tellers[split] = Storyteller(self.config, side, self.world)
        return self._tellers[split]

    def _part(self, split: str, key: tuple[int, int, int], rows: int) -> pa.Table:
        """Return the first puzzles of one number of routes, without ids.

        key: facts a route, routes, number of a block.
        """
        k, routes, number = key
        source = self._source(split, k, routes)
        checked = self._checked.pop((split, k, routes), None) if number == 0 else None
        questions, rng = checked or self._draw(split, key)
        writer = self._writers[split]
        # Random numbers are drawn for all of a block, whatever is wanted.
        named = writer.own_names.of_block(questions)
        stories = writer.stories(named, rng, rows)
        abstract = writer.renderer.answers(named, rng, rows)
        first = questions.take(rows)
        several = self.config.routes_of(k)
        scenes = source.scenes * (number * len(several) + several.index(routes))  # before these
        columns = {
            "scene": _numbered(f"M{k}-{split}-scene", first.scene + scenes),
            "story": stories.text,
            "sentences": stories.sentences,
            "abstract": abstract,
            **self._judged(first, source.judge(first)),
            **self._stated(writer, named.take(rows)),
        }
        return pa.table(columns)

    def _draw(self, split: str, key: tuple[int, int, int]) -> _Drawn:
        """Draw the questions of a block; return what goes on to draw their stories, too."""
        k, routes, number = key
        varied = (routes,) if len(self.config.routes_of(k)) > 1 else ()
        spawn_key = (SPLITS.index(split), k, number, *varied)
        rng = np.random.default_rng(np.random.SeedSequence(self.config.seed, spawn_key=spawn_key))
        return self._source(split, k, routes).draw(rng), rng

    def questions(
        self, split: str, key: tuple[int, int, int]
    ) -> tuple[QuestionBlock, PossibleKinds]:
        """Return the questions of a block, and what they allow. key: facts a route, routes, number."""
        questions, _ = self._draw(split, key)
        return questions, self._source(split, *key[:2]).judge(questions)

    def check(self) -> None:
        """Make sure that there are questions in every subset and split that is asked for."""
        for k, routes in self.config.turns:
            for split in filter(self.config.size, SPLITS):
                self._checked[split, k, routes] = self._draw(split, (k, routes, 0))

    def notes(self) -> Iterator[str]:
        """Yield remarks on the subsets, by the larger split; those alike on several subsets once."""
        found: dict[str, list[str]] = {}
        for k, routes in self.config.turns:
            for note in self._source(max(SPLITS, key=self.config.size), k, routes).notes():
                subset, _, remark = note.partition(": ")
                found.setdefault(remark, []).append(subset)
        for remark, subsets in found.items():
            yield f"{', '.join(subsets)}: {remark}"

    def _source(self, split: str, k: int, routes: int) -> QuestionSource:
        # Unless they divide the patterns or the names, train and test draw from the same source.
        apart = {"patterns", "names"} & set(self.config.disjoint)
        apart |= {"families"} if self.config.families_apart else set()
        key = (split if apart else max(SPLITS, key=self.config.size), k, routes)
        if key not in self._sources:
            world = self.sides[split] if "names" in apart else self.world
            spec = self.config.spec(world.theory, k, routes, key[0])
            self._sources[key] = self._questions(world, spec)
        return self._sources[key]

    def _questions(self, world: World, spec: QuestionSpec) -> QuestionSource:
        """Return what draws questions: those whose facts decide, or those that statements decide, too."""
        if not self.config.judged_whole or spec.k < 2:
            return world.theory.questions(spec, world.supply)
        asked, of_facts = Stating(self.config.off_path, self.config.vague), spec
        if asked.off_path and spec.preset.keeps != "all":  # which facts leave open
            several = replace(spec.preset, keeps="mixed")
            of_facts = replace(spec, preset=several, undetermined=1.0)
        base = world.theory.questions(of_facts, world.supply)
        return StatedQuestions(base, world, spec, asked)

    def _stated(self, writer: _Writer, questions: QuestionBlock) -> dict[str, pa.Array]:
        """Return the columns of what is asked and stated."""
        size, k, entities, facts = len(questions), questions.k, questions.names, questions.facts
        triples = np.stack([facts.head, facts.relation + len(writer.names), facts.tail], axis=1)
        described = [pick(writer.names, entities), pick(self._forms, questions.forms)]
        target = np.where(questions.targets < 0, len(self._labels) - 1, questions.target)
        roles, routed = questions.roles, questions.routed
        asked = pick(writer.names, entities[:, 0]), pick(writer.names, entities[:, k])
        return {
            "question": question_column(self.world.lexicon, *asked),
            "query": lists(pick(writer.names, entities[:, [0, k]]), 2),
            "target": pick(self._labels, target),
            "k": integers(np.full(size, k, np.int32)),
            "pattern": lists(pick(self._kinds, questions.kinds[:, :routed]), routed),
            "facts": lists(lists(pick(writer.words, triples), 3), len(roles)),
            "entities": lists(
                pa.StructArray.from_arrays(described, ["name", "form"]), entities.shape[1]
            ),
            "roles": lists(pick(self._roles, np.tile(roles, size)), len(roles)),
        }

    def _judged(self, questions: QuestionBlock, judgement: PossibleKinds) -> dict[str, pa.Array]:
        """Return the labels that each puzzle's facts allow, and whether they allow something else."""
        row, kind = np.nonzero(judgement.possible)
        labels = pick(self._labels, questions.cast.each * kind + questions.forms[row, questions.k])
        possible = ragged(labels, judgement.possible.sum(axis=1))
        outside = booleans(judgement.outside)
        if not judgement.possible_known.all():
            possible = pc.if_else(booleans(judgement.possible_known), possible, None)
        if not judgement.outside_known.all():
            outside = pc.if_else(booleans(judgement.outside_known), outside, None)
        return {"possible": possible, "outside": outside}


def _numbered(prefix: str, numbers: npt.NDArray[np.integer]) -> pa.StringArray:
    """Return the prefix and each number, with leading zeros."""
    padded = pc.utf8_lpad(integers(numbers).cast(pa.string()), _DIGITS, "0")
    return pc.binary_join_element_wise(string(prefix), padded, string("-"))


class Puzzles(Sequence[Puzzle]):
    """The first `size` puzzles of a subset and split, made a block at a time when asked for, one by one."""

    def __init__(self, generator: Generator, split: str, k: int, size: int) -> None:
        self._size, self._each = size, generator.block_size(k)

        @lru_cache(maxsize=4)
        def block(number: int) -> tuple[Puzzle, ...]:
            return tuple(from_table(generator.block(split, k, number, size - number * self._each)))

        self._block = block

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, at: int) -> Puzzle:  # type: ignore[override]
        if not 0 <= at < self._size:
            raise IndexError(f"puzzle {at} of {self._size}")
        number, row = divmod(at, self._each)
        return self._block(number)[row]
