"""Stories for a model that reads text: passages, and, for training alone, what teaches it.

A lesson is what a training story says beyond its text: which pairs have a stated fact, what follows
from the facts for the other pairs, and the gender of each person. Without facts only the
answer teaches: the gender that its word implies.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from clutrr.models.batch import NO_TARGET
from clutrr.models.kinds import Kinds
from clutrr.models.rules import Rules, count_rules, following, sure_rules, trust_rules
from clutrr.models.windows import Pair, Passage, passage
from clutrr.world import GENDERS, World

UNKNOWN_KIND = -1
_OTHER_NAMES = 0.1  # share of people who get a name of the other gender, so that words outweigh names


@dataclass(frozen=True)
class Lesson:
    """kinds: of each pair of the passage, `len(Kinds)` where no fact is stated; none without facts.
    implied: the kind that the facts lead to for a pair without one of its own, or UNKNOWN_KIND.
    genders: of each entity, None where it is not told."""

    kinds: tuple[int, ...] | None
    genders: tuple[int | None, ...]
    implied: tuple[int, ...] = ()


@dataclass(frozen=True)
class Names:
    """New names for people, by gender. other: the share of people who get one of the other gender."""

    pool: tuple[tuple[str, ...], tuple[str, ...]]
    other: float = 0.0

    def renamed(
        self, names: Sequence[str], genders: Sequence[int | None], rng: np.random.Generator
    ) -> list[str]:
        """Everybody whose gender is known gets another name, mostly of that gender, no two the same."""
        kept = {name for name, gender in zip(names, genders, strict=True) if gender is None}
        found = []
        crossed = rng.random(len(names)) < self.other
        for name, gender, cross in zip(names, genders, crossed, strict=True):
            new = name
            if gender is not None:
                pool = self.pool[1 - gender if cross else gender]
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
        """Some of the stories."""
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


def read_passages(table: pa.Table, relations: Sequence[str]) -> Passages:
    """The stories of a table, by their text and question alone."""
    known = {relation: number for number, relation in enumerate(relations)}
    stories = zip(table["story"].to_pylist(), table["query"].to_pylist(), strict=True)
    target = torch.tensor([known.get(target, NO_TARGET) for target in table["target"].to_pylist()])
    none = torch.zeros(0)
    return Passages(
        tuple(passage(story, query) for story, query in stories), target, (), Names(((), ())), none, none
    )


def with_lessons(stories: Passages, table: pa.Table, kinds: Kinds, world: World, facts: bool) -> Passages:
    """The same stories with what their training rows teach. facts: whether stated facts may be used."""
    rows = table.select(["query", "target", "facts", "people"]).to_pylist()
    genders = _told_genders(rows) if facts else _answered_genders(rows, kinds)
    pool = tuple(
        tuple(sorted({*world.names[g], *(name for name, of in genders.items() if of == g)})) for g in (0, 1)
    )
    counts = count_rules(rows if facts else (), kinds)
    trust = trust_rules(rows if facts else (), kinds, counts)
    rules = sure_rules(counts)
    lessons = tuple(
        _lesson(story, row, kinds, genders, rules)
        if facts
        else Lesson(None, tuple(genders.get(name) for name in story.names))
        for story, row in zip(stories.passages, rows, strict=True)
    )
    names = Names((pool[0], pool[1]), _OTHER_NAMES if facts else 0.0)
    return replace(stories, lessons=lessons, names=names, counts=counts, trust=trust)


def _lesson(
    story: Passage, row: dict[str, Any], kinds: Kinds, genders: dict[str, int], rules: Rules
) -> Lesson:
    here = {**genders, **_told_genders([row])}
    stated = stated_kinds(story, row["facts"], kinds)
    told = {person["name"] for person in row["people"]}
    follows = following(stated, rules)
    return Lesson(
        tuple(stated.get(pair, len(kinds)) for pair in story.pairs),
        tuple(here.get(name) if name in told else None for name in story.names),
        tuple(UNKNOWN_KIND if pair in stated else follows.get(pair, UNKNOWN_KIND) for pair in story.pairs),
    )


def stated_kinds(story: Passage, facts: Iterable[Sequence[str]], kinds: Kinds) -> dict[Pair, int]:
    """What facts (head, relation, tail) say of the people of a story, from either end."""
    number = {name: i for i, name in enumerate(story.names)}
    stated = {}
    for head, relation, tail in facts:
        if head in number and tail in number and relation in kinds.meaning:
            kind = kinds.meaning[relation][0]
            stated[number[head], number[tail]] = kind
            stated[number[tail], number[head]] = int(kinds.inverse[kind])
    return stated


def _told_genders(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {
        person["name"]: GENDERS.index(person["gender"])
        for row in rows
        for person in row["people"]
        if person["gender"] in GENDERS
    }


def _answered_genders(rows: list[dict[str, Any]], kinds: Kinds) -> dict[str, int]:
    """The gender that answers mostly give a name."""
    votes: dict[str, Counter[int]] = defaultdict(Counter)
    for row in rows:
        if row["target"] in kinds.meaning:
            votes[row["query"][1]][kinds.meaning[row["target"]][1]] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in votes.items()}
