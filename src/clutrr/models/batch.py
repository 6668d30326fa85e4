"""Stories as padded integer tensors, made once, kept whole on the device; a batch is a gather.

Shapes: N stories, T tokens, n nodes, D neighbours of a node, R sentences on a pair, S distinct
sentences (each from both ends), L tokens in a sentence, P places on the way from the first queried
entity to the second. Padding is 0 everywhere.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
from torch import Tensor, nn

from clutrr._io.limits import ENTITIES, NAMES, RAISE, ROOM, limit
from clutrr._lexicon import World
from clutrr.errors import ConfigError, DataError, short
from clutrr.models.graph import graph_of, padded, ways, windows_of
from clutrr.models.tokens import (
    BYSTANDER,
    UNKNOWN,
    NumberedStory,
    Vocabulary,
    node_names,
    numbered,
    words_of,
)

Draw = Callable[..., Tensor]


def learn_vocabulary(tables: Iterable[pa.Table], world: World) -> Vocabulary:
    """Return the words and targets of the training stories, and the relations of the world."""
    words: set[str] = set()
    targets: set[str] = set()
    for table in tables:
        words.update(words_of(table))
        targets.update(table["target"].unique().to_pylist())
    return Vocabulary.of(words, targets, world)


@dataclass(frozen=True)
class Graph:
    """The nodes of stories that are mentioned together, and the sentences that do it; made in
    `clutrr.models.graph`.

    nodes: how many of a story's entities are nodes (the first ones). neighbours, sentences: for
    each node its neighbours, and the sentences that link it with each, as rows of `shapes`.
    ways: who leads on to whom between the two queried entities. shapes: distinct sentences, seen from one
    of the two entities; row 0 is empty. windows, window_rows: those of each story, and distinct ones; both
    are empty where no model reads them.
    """

    nodes: Tensor  # [N]
    neighbours: Tensor  # [N, n, D]
    sentences: Tensor  # [N, n, D, R]
    ways: Tensor  # [N, P, P]
    shapes: Tensor  # [1 + 2 S, L]
    windows: Tensor  # [N, W, 4]
    window_rows: Tensor  # [1 + S, L]


@dataclass(frozen=True)
class Taught:
    """What rows say beyond their text, for losses that see it.

    possible: whether a relation is possible; the target alone where a row does not say. facts: head, relation
    and tail of each fact, entities and relations by number, -1 in rows beyond those that there are. steps: of
    each fact of the first route, in its order, its place among the facts; -1 behind the last.
    """

    possible: Tensor  # [N, relations], bool
    facts: Tensor  # [N, F, 3]
    steps: Tensor  # [N, K]


@dataclass(frozen=True)
class StoryTensors:
    """A data set, encoded. What a model does not use costs nothing in an epoch.

    tokens: numbers of words, or `words` + e for the entity e. length: tokens of each story.
    target: a relation, or NO_TARGET. words, entities: how many there are, at most in a story.
    unknown_words: tokens that the training stories did not have. taught: where a loss sees it.
    """

    tokens: Tensor  # [N, T]
    length: Tensor  # [N]
    graph: Graph
    query: Tensor  # [N, 2]
    target: Tensor  # [N]
    words: int
    entities: int
    unknown_words: int
    taught: Taught | None = None

    def __len__(self) -> int:
        return len(self.target)

    def to(self, device: torch.device) -> "StoryTensors":
        graph = Graph(**{name: part.to(device) for name, part in vars(self.graph).items()})
        parts = {
            name: getattr(self, name).to(device) for name in ("tokens", "length", "query", "target")
        }
        taught = self.taught and Taught(*(part.to(device) for part in vars(self.taught).values()))
        return replace(self, graph=graph, taught=taught, **parts)

    def batch(self, index: Tensor, generator: torch.Generator) -> "Batch":
        """Return these stories. generator: where random vectors come from, on the same device."""
        return Batch(self, index, generator)


def _gathered(of: Callable[[StoryTensors], Tensor]) -> "cached_property[Tensor]":
    return cached_property(lambda batch: of(batch.stories)[batch.index])


def _taught(stories: StoryTensors) -> Taught:
    if stories.taught is None:
        raise ConfigError(
            "what rows say beyond their text is there in training only, for a loss that takes three arguments",
            setting="loss",
        )
    return stories.taught


@dataclass(frozen=True)
class Batch:
    """Some of the stories; their tensors are gathered when first used."""

    stories: StoryTensors
    index: Tensor  # [B]
    generator: torch.Generator

    length = _gathered(lambda stories: stories.length)  # [B]
    neighbours = _gathered(lambda stories: stories.graph.neighbours)  # [B, n, D]
    sentences = _gathered(lambda stories: stories.graph.sentences)  # [B, n, D, R]
    ways = _gathered(lambda stories: stories.graph.ways)  # [B, P, P]
    windows = _gathered(lambda stories: stories.graph.windows)  # [B, W, 4]
    query = _gathered(lambda stories: stories.query)  # [B, 2]
    target = _gathered(lambda stories: stories.target)  # [B]
    possible = _gathered(lambda stories: _taught(stories).possible)  # [B, relations]
    facts = _gathered(lambda stories: _taught(stories).facts)  # [B, F, 3]
    steps = _gathered(lambda stories: _taught(stories).steps)  # [B, K]

    def __len__(self) -> int:
        return len(self.index)

    @property
    def static(self) -> bool:
        """Return whether shapes must not depend on values: a step is recorded on a GPU."""
        return self.index.is_cuda

    @cached_property
    def _numbered(self) -> Tensor:  # [B, T]: as in `StoryTensors.tokens`
        # On a GPU the longest story is not known without waiting for it.
        tokens = self.stories.tokens[self.index]
        return tokens if self.static else tokens[:, : int(self.length.max())]

    @cached_property
    def tokens(self) -> Tensor:  # [B, T]
        """Return numbers below `Sizes.words`; every entity is BYSTANDER, and `mentions` has its number."""
        return torch.where(self._numbered < self.stories.words, self._numbered, BYSTANDER)

    @cached_property
    def mentions(self) -> Tensor:  # [B, T]
        """Return the entity that a token mentions: a node, where it is below `n`; -1 for a word."""
        return (self._numbered - self.stories.words).clamp(min=-1)

    @cached_property
    def is_node(self) -> Tensor:  # [B, n], bool
        places = torch.arange(self.neighbours.shape[1], device=self.index.device)
        return places < self.stories.graph.nodes[self.index, None]

    def on_the_way(self, values: Tensor) -> Tensor:  # [B, P, P, ...]
        """Return the values, [B, n, D, ...] of each node and neighbour, at places on the way; elsewhere 0."""
        row = torch.arange(len(self), device=self.index.device)[:, None, None]
        found = values.flatten(1, 2)[row, (self.ways - 1).clamp(min=0)]
        there = self.ways > 0
        return torch.where(there.view(*there.shape, *[1] * (found.dim() - 3)), found, 0)

    def fresh(self, count: int, size: int) -> Tensor:  # [B, count, size]
        """Return random vectors for the first `count` entities of each story, new ones at every call.

        This is all that a model gets about who an entity is: the placeholders of section 3.1.
        """
        return self.draw(torch.randn, len(self), count, size)

    def draw(self, how: Draw, *shape: int) -> Tensor:
        """Return random numbers: how is `torch.rand` or `torch.randn`."""
        return how(shape, generator=self.generator, device=self.index.device)

    def rows(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        """Return a table of vectors with a row for each word and then one for each entity of each story,
        [words + B entities, size], and the row of every token, [B, T].

        weight: the vectors of the words, [words, size]; those of the entities are fresh.
        """
        count, size = self.stories.entities, weight.shape[1]
        table = torch.cat([weight, self.fresh(count, size).reshape(-1, size)])
        story = torch.arange(len(self), device=self.index.device)[:, None]
        return table, torch.where(self.mentions < 0, self._numbered, self._numbered + story * count)

    def embed(self, words: nn.Embedding) -> Tensor:  # [B, T, size]
        """Return a vector for every token: learnt for a word, fresh for an entity (one for all mentions)."""
        table, row = self.rows(words.weight)
        return nn.functional.embedding(row, table)


def encode(
    table: pa.Table, vocabulary: Vocabulary, windows: bool = False, taught: bool = False
) -> StoryTensors:
    """Return the stories of a table of puzzles.

    windows: with the windows on each two nodes. taught: with what rows say beyond their text.
    """
    stories = numbered(table, vocabulary)
    _check_size(table, stories)
    told = [list(itertools.chain.from_iterable(story.sentences)) for story in stories]
    query = np.array([story.query for story in stories], np.int64).reshape(-1, 2)
    neighbours, sentences, shapes = graph_of(stories)
    leads = ways(sentences[..., 0] > 0, neighbours, query)
    no_windows = np.zeros((len(table), 0, 4), np.int64), np.zeros((1, 1), np.int64)
    found = windows_of(stories) if windows else no_windows
    nodes = np.array([story.nodes for story in stories], np.int64)
    words = vocabulary.size
    return StoryTensors(
        tokens=_tensor(
            padded([[token if token >= 0 else words - 1 - token for token in one] for one in told])
        ),
        length=_tensor(np.array([len(tokens) for tokens in told], np.int64)),
        graph=Graph(*map(_tensor, (nodes, neighbours, sentences, leads, shapes, *found))),
        query=_tensor(query),
        target=vocabulary.targets(table["target"].to_pylist()),
        words=words,
        entities=max((story.entities for story in stories), default=1),
        unknown_words=sum(tokens.count(UNKNOWN) for tokens in told),
        taught=_teach(table, vocabulary) if taught else None,
    )


def _teach(table: pa.Table, vocabulary: Vocabulary) -> Taught:
    """Return what the rows say beyond their text."""
    names = node_names(table)
    number = {relation: i for i, relation in enumerate(vocabulary.relations)}
    told, routes, allowed = [], [], np.zeros((len(table), len(number)), bool)
    columns = (table[name].to_pylist() for name in ("facts", "k", "possible", "target"))
    for row, (facts, k, possible, target) in enumerate(zip(*columns, strict=True)):
        place = {name: i for i, name in enumerate(names[row])}
        told.append([(place.get(a, -1), number.get(r, -1), place.get(b, -1)) for a, r, b in facts])
        routes.append(list(range(min(k, len(facts)))))
        for relation in possible or [target]:
            if relation in number:
                allowed[row, number[relation]] = True
    most, longest = max(map(len, told), default=0), max(map(len, routes), default=0)
    each = np.full((len(table), most, 3), -1, np.int64)
    steps = np.full((len(table), longest), -1, np.int64)
    for row, (facts, route) in enumerate(zip(told, routes, strict=True)):
        each[row, : len(facts)] = np.array(facts, np.int64).reshape(-1, 3)
        steps[row, : len(route)] = route
    return Taught(torch.from_numpy(allowed), torch.from_numpy(each), torch.from_numpy(steps))


def _check_size(table: pa.Table, stories: Sequence[NumberedStory]) -> None:
    """Refuse a story so large that the arrays, padded to the largest, would take all memory."""
    room = limit(ROOM) // max(len(stories), 1)
    limits = {
        "people and values": limit(ENTITIES),
        "words": room,
        "names in a sentence": limit(NAMES),
    }
    for number, story in enumerate(stories):
        mentions = (sum(token < 0 for token in tokens) for tokens in story.sentences)
        sizes = story.nodes, sum(map(len, story.sentences)), max(mentions, default=0)
        for (what, most), size in zip(limits.items(), sizes, strict=True):
            if size > most:
                raise DataError(
                    f"story {short(table['id'][number].as_py(), quote=False)}: {size:,} {what}, "
                    f"more than a model takes ({most:,})",
                    hint=RAISE,
                )


def _tensor(array: npt.NDArray[np.int64]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))
