"""Stories for a model that reads text: passages, and, for training alone, what teaches it.

A lesson is what a training story says beyond its text: which pairs have a stated fact, what follows
from the facts for the other pairs, and the form of each person. Without facts only the
answer teaches: the form that its word implies.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from clutrr.models.text.passage import Passage, passage, shapes_of
from clutrr.models.text.rules import Rules, count_rules, following, sure_rules, trust_rules
from clutrr.models.vocabulary import ANY, NO_TARGET, KindTable, Vocabulary, form_of, names_by_form
from clutrr.models.windows import Pair
from clutrr.world import World

UNKNOWN_KIND = -1
_OTHER_NAMES = 0.1  # share of people who get a name of the other form, so that words outweigh names


@dataclass(frozen=True)
class Lesson:
    """kinds: of each pair of the passage, `len(KindTable)` where no fact is stated; none without facts.
    implied: the kind that the facts lead to for a pair without one of its own, or UNKNOWN_KIND.
    forms: of each entity, None where it is not known."""

    kinds: tuple[int, ...] | None
    forms: tuple[int | None, ...]
    implied: tuple[int, ...] = ()


@dataclass(frozen=True)
class Names:
    """New names for people, by form. other: the share of people who get one of the other form."""

    pool: tuple[tuple[str, ...], ...]
    other: float = 0.0

    def renamed(
        self, names: Sequence[str], forms: Sequence[int | None], rng: np.random.Generator
    ) -> list[str]:
        """Everybody whose form is known gets another name, mostly of that form, no two the same."""
        kept = {name for name, form in zip(names, forms, strict=True) if form is None}
        found = []
        crossed = rng.random(len(names)) < self.other
        for name, form, cross in zip(names, forms, crossed, strict=True):
            new = name
            if form is not None:
                pool = self.pool[1 - form if cross else form]
                free = [pool[i] for i in rng.integers(len(pool), size=8)] if pool else []
                new = next((other for other in free if other not in kept), name)
            kept.add(new)
            found.append(new)
        return found


@dataclass(frozen=True)
class Passages:
    """Stories as passages. lessons, names, counts, trust: for training; counts and trust as in `rules`."""

    passages: tuple[Passage, ...]
    target: Tensor  # [N]
    lessons: tuple[Lesson, ...]
    names: Names
    counts: Tensor  # [C, C, C]
    trust: Tensor  # [C, C, C]
    unknown_words: int = 0

    def __len__(self) -> int:
        return len(self.passages)

    @property
    def unknown_targets(self) -> int:
        return int((self.target == NO_TARGET).sum())

    def to(self, device: torch.device) -> "Passages":
        return replace(self, target=self.target.to(device))

    def select(self, index: Tensor) -> "Passages":
        """Return some of the stories."""
        chosen = index.tolist()
        lessons = tuple(self.lessons[i] for i in chosen) if self.lessons else ()
        passages = tuple(self.passages[i] for i in chosen)
        return replace(self, passages=passages, lessons=lessons, target=self.target[index])

    def batch(self, index: Tensor, generator: torch.Generator) -> "PassageBatch":
        return PassageBatch(self.select(index), generator)


@dataclass(frozen=True)
class PassageBatch:
    """Some of the stories. generator: where new names come from."""

    stories: Passages
    generator: torch.Generator

    def __len__(self) -> int:
        return len(self.stories)

    @property
    def target(self) -> Tensor:  # [B]
        return self.stories.target

    def rng(self) -> np.random.Generator:
        device = self.generator.device
        seed = torch.randint(2**31, (1,), generator=self.generator, device=device).item()
        return np.random.default_rng(int(seed))


def read_passages(table: pa.Table, vocabulary: Vocabulary) -> Passages:
    """Return the stories of a table, by their text and question alone."""
    stories = zip(table["story"].to_pylist(), table["query"].to_pylist(), _spans(table), strict=True)
    target = vocabulary.targets(table["target"].to_pylist())
    none = torch.zeros(0)
    return Passages(tuple(passage(*story) for story in stories), target, (), Names(()), none, none)


def _spans(table: pa.Table) -> list[list[tuple[int, int]]]:
    """Return the sentences of each story, start and end; none where they are not known."""
    if "sentences" not in table.column_names:
        return [[]] * table.num_rows
    return [[(one["start"], one["end"]) for one in row or ()] for row in table["sentences"].to_pylist()]


def divide_by_sentences(stories: Sequence[str], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Hold out a share of the sentences: return the stories with none of these, and those with only these.

    If people wrote the sentences, a test story consists of sentences that no training story has. The same
    holds for the stories set aside here; a story that shares sentences with both sides is on neither.
    """
    shapes = [shapes_of(story) for story in stories]
    distinct = sorted(frozenset().union(*shapes))
    held = set(random.Random(seed).sample(distinct, round(share * len(distinct))))
    taught = [number for number, shape in enumerate(shapes) if not shape & held]
    kept = [number for number, shape in enumerate(shapes) if shape and shape <= held]
    return taught, kept


def with_lessons(stories: Passages, table: pa.Table, kinds: KindTable, world: World, facts: bool) -> Passages:
    """Return the same stories with what their training rows teach. facts: whether stated facts may be
    used."""
    rows = table.select(["query", "target", "facts", "entities"]).to_pylist()
    forms = _known_forms(rows, kinds) if facts else _answered_forms(rows, kinds)
    pool = tuple(
        tuple(sorted({*names, *(name for name, of in forms.items() if of == form)}))
        for form, names in enumerate(names_by_form(world))
    )
    counts = count_rules(rows if facts else (), kinds)
    trust = trust_rules(rows if facts else (), kinds, counts)
    rules = sure_rules(counts)
    lessons = tuple(
        _lesson(story, row, kinds, forms, rules)
        if facts
        else Lesson(None, tuple(forms.get(name) for name in story.names))
        for story, row in zip(stories.passages, rows, strict=True)
    )
    names = Names(pool, _OTHER_NAMES if facts else 0.0)
    return replace(stories, lessons=lessons, names=names, counts=counts, trust=trust)


def _lesson(
    story: Passage, row: dict[str, Any], kinds: KindTable, forms: dict[str, int], rules: Rules
) -> Lesson:
    here = {**forms, **_known_forms([row], kinds)}
    stated = stated_kinds(story, row["facts"], kinds)
    listed = {person["name"] for person in row["entities"]}
    follows = following(stated, rules)
    return Lesson(
        tuple(stated.get(pair, len(kinds)) for pair in story.pairs),
        tuple(here.get(name) if name in listed else None for name in story.names),
        tuple(UNKNOWN_KIND if pair in stated else follows.get(pair, UNKNOWN_KIND) for pair in story.pairs),
    )


def stated_kinds(story: Passage, facts: Iterable[Sequence[str]], kinds: KindTable) -> dict[Pair, int]:
    """Return what facts (head, relation, tail) say of the people of a story, from either end."""
    number = {name: i for i, name in enumerate(story.names)}
    stated = {}
    for head, relation, tail in facts:
        if head in number and tail in number and relation in kinds.meaning:
            kind = kinds.meaning[relation][0]
            stated[number[head], number[tail]] = kind
            stated[number[tail], number[head]] = int(kinds.converse[kind])
    return stated


def _known_forms(rows: list[dict[str, Any]], kinds: KindTable) -> dict[str, int]:
    found = {person["name"]: form_of(person, kinds) for row in rows for person in row["entities"]}
    return {name: form for name, form in found.items() if form is not None}


def _answered_forms(rows: list[dict[str, Any]], kinds: KindTable) -> dict[str, int]:
    """Return the form that answers mostly give a name."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for row in rows:
        form = kinds.meaning.get(row["target"], (0, ANY))[1]
        if form != ANY:
            votes[row["query"][1]][form] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in votes.items()}
