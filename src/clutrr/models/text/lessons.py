"""What training stories teach a model that reads pairs, beyond their text.

lesson    which pairs have a stated fact, what follows from the facts for the other pairs, and the form
          of each entity
counts    how often a fact a, followed by a fact b, had the answer c, over stories of two facts
trust     how far each rule is to be believed where another leads elsewhere, from stories of three facts
table     [a, b, c]: what readings are folded by
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from clutrr._lexicon import World
from clutrr.models.passages import Pair, Passage

Rules = dict[tuple[int, int], int]  # the kind that follows from two
Row = dict[str, Any]  # facts, query, target, entities

_OTHER_NAMES = (
    0.1  # share of entities that get a name of the other form, so that words outweigh names
)
_RULE = 0.95  # share of the answers that two kinds must have had for their rule to be used on facts
_UNCOUNTED = 1e-4  # weight of a rule of the world that no training story showed
UNKNOWN = -1  # instead of the number of a kind or a form


@dataclass(frozen=True)
class Lesson:
    """kinds: of each pair of the passage, `len(KindTable)` where no fact is stated.
    implied: the kind that the facts lead to for a pair without one of its own. forms: of each entity.
    UNKNOWN stands for what is not known."""

    kinds: tuple[int, ...]
    forms: tuple[int, ...]
    implied: tuple[int, ...]


@dataclass(frozen=True)
class Passages:
    """Stories as passages: all, or a batch. lessons, pool, table: for training, as in `lessons`.
    rng: of a batch, where new names come from."""

    passages: tuple[Passage, ...]
    target: Tensor  # [N]
    lessons: tuple[Lesson, ...] = ()
    pool: tuple[tuple[str, ...], ...] = ()  # names, by form
    table: Tensor | None = None  # [C, C, C]
    rng: np.random.Generator | None = None
    unknown_words: int = 0

    def __len__(self) -> int:
        return len(self.passages)

    def to(self, device: torch.device) -> "Passages":
        return replace(self, target=self.target.to(device))

    def batch(self, index: Tensor, generator: torch.Generator) -> "Passages":
        seed = torch.randint(2**31, (1,), generator=generator, device=generator.device).item()
        chosen = index.tolist()
        return replace(
            self,
            passages=tuple(self.passages[i] for i in chosen),
            target=self.target[index],
            lessons=tuple(self.lessons[i] for i in chosen) if self.lessons else (),
            rng=np.random.default_rng(int(seed)),
        )


@dataclass(frozen=True)
class KindTable:
    """The relation kinds of a world by number.

    converse: of each kind. possible[a, b, c]: whether c can hold where a leads to an entity and b on
    from there. label: the relation that a kind and a form are, as an answer by number; -1 for none.
    meaning: the kind and the form of each relation; ANY where there are no forms. forms: their names.
    """

    names: tuple[str, ...]
    converse: Tensor  # [C]
    possible: Tensor  # [C, C, C], bool
    label: Tensor  # [C, F]: a column for each form, or one if there are none
    meaning: dict[str, tuple[int, int]]
    forms: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, world: World, relations: Sequence[str]) -> "KindTable":
        """relations: the answers, in their order. One that is no relation of the world is never given."""
        answer = {relation: number for number, relation in enumerate(relations)}
        names = tuple(kind.name for kind in world.kinds)
        possible = torch.zeros(len(names), len(names), len(names), dtype=torch.bool)
        for a, one in enumerate(names):
            for b, other in enumerate(names):
                for kind in world.theory.compose(world.labels, (one, other)).kinds:
                    possible[a, b, world.index[kind]] = True
        return cls(
            names,
            torch.tensor([world.index[kind.converse] for kind in world.kinds]),
            possible,
            torch.tensor([[answer.get(word, -1) for word in kind.words] for kind in world.kinds]),
            {
                word: (world.index[kind.name], form or 0)
                for word, (kind, form) in world.meaning.items()
            },
            world.forms,
        )


def with_lessons(stories: Passages, table: pa.Table, kinds: KindTable, world: World) -> Passages:
    """Return the same stories with what their training rows teach."""
    rows = table.select(["query", "target", "facts", "entities"]).to_pylist()
    forms = _known_forms(rows, kinds)
    pool = tuple(
        tuple(sorted({*names, *(name for name, of in forms.items() if of == form)}))
        for form, names in enumerate(world.lexicon.names)
    )
    counts = count_rules(rows, kinds)
    rules, rule_shares = (
        sure_rules(counts),
        rule_table(counts, kinds, trust_rules(rows, kinds, counts)),
    )
    lessons = tuple(
        _lesson(story, row, kinds, forms, rules)
        for story, row in zip(stories.passages, rows, strict=True)
    )
    return replace(stories, lessons=lessons, pool=pool, table=rule_shares)


def _lesson(
    story: Passage, row: Row, kinds: KindTable, forms: dict[str, int], rules: Rules
) -> Lesson:
    here = {**forms, **_known_forms([row], kinds)}
    stated = stated_kinds(story, row["facts"], kinds)
    listed = {entity["name"] for entity in row["entities"]}
    follows = following(stated, rules)
    return Lesson(
        tuple(stated.get(pair, len(kinds)) for pair in story.pairs),
        tuple(here.get(name, UNKNOWN) if name in listed else UNKNOWN for name in story.names),
        tuple(UNKNOWN if pair in stated else follows.get(pair, UNKNOWN) for pair in story.pairs),
    )


def stated_kinds(
    story: Passage, facts: Iterable[Sequence[str]], kinds: KindTable
) -> dict[Pair, int]:
    """Return what facts (head, relation, tail) say of the entities of a story, from either end."""
    number = {name: i for i, name in enumerate(story.names)}
    stated = {}
    for head, relation, tail in facts:
        if head in number and tail in number and relation in kinds.meaning:
            kind = kinds.meaning[relation][0]
            stated[number[head], number[tail]] = kind
            stated[number[tail], number[head]] = int(kinds.converse[kind])
    return stated


def _known_forms(rows: list[Row], kinds: KindTable) -> dict[str, int]:
    """Return the form of each entity that is known, by number."""
    found = {entity["name"]: entity["form"] for row in rows for entity in row["entities"]}
    return {name: kinds.forms.index(form) for name, form in found.items() if form in kinds.forms}


def renamed(
    names: Sequence[str],
    forms: Sequence[int],
    pool: Sequence[Sequence[str]],
    rng: np.random.Generator,
) -> list[str]:
    """Give every entity whose form is known another name, mostly of that form, no two the same."""
    kept = {name for name, form in zip(names, forms, strict=True) if form == UNKNOWN}
    found = []
    crossed = rng.random(len(names)) < _OTHER_NAMES
    for name, form, cross in zip(names, forms, crossed, strict=True):
        new = name
        if form != UNKNOWN:
            names_of = pool[1 - form if cross else form]
            free = [names_of[i] for i in rng.integers(len(names_of), size=8)] if names_of else []
            new = next((other for other in free if other not in kept), name)
        kept.add(new)
        found.append(new)
    return found


# Rules


def count_rules(rows: Iterable[Row], kinds: KindTable) -> Tensor:  # [C, C, C]
    """Return how often two facts in a row had each answer, over the stories whose path has two."""
    counts = torch.zeros(kinds.possible.shape)
    for a, b, answer in _paths(rows, kinds, 2):
        counts[a, b, answer] += 1
    return counts


def trust_rules(rows: Iterable[Row], kinds: KindTable, counts: Tensor) -> Tensor:  # [C, C, C]
    """1 for a rule that never led astray; else how often it led to the answer for each time it did not.

    Three facts can be put together from either end. Where the two ways lead to different kinds, the rules
    of the way that led to the answer were right, and those of the other way wrong; a rule that both ways
    use is neither.
    """
    rules = sure_rules(counts)
    right, wrong = torch.ones(counts.shape), torch.ones(counts.shape)
    for a, b, c, answer in _paths(rows, kinds, 3):
        first, last = rules.get((a, b), UNKNOWN), rules.get((b, c), UNKNOWN)
        one, other = rules.get((first, c)), rules.get((a, last))
        if one is None or other is None or one == other:
            continue
        left, back = {(a, b, first), (first, c, one)}, {(b, c, last), (a, last, other)}
        for rule in left ^ back:
            (right if (one if rule in left else other) == answer else wrong)[rule] += 1
    return (right / wrong).clamp(max=1)


def rule_table(
    counts: Tensor, kinds: KindTable, trust: Tensor | None = None
) -> Tensor:  # [C, C, C]
    """Return shares of what was counted, as far as they are trusted, and faintly what else the world
    allows."""
    shares = counts / counts.sum(-1, keepdim=True).clamp(min=1)
    allowed = kinds.possible.float()
    faint = _UNCOUNTED * allowed / allowed.sum(-1, keepdim=True).clamp(min=1)
    return (shares if trust is None else shares * trust) + faint


def sure_rules(counts: Tensor) -> Rules:
    """Return the kinds that two in a row nearly always had for an answer."""
    shares = counts / counts.sum(-1, keepdim=True).clamp(min=1)
    return {(a, b): c for a, b, c in (shares >= _RULE).nonzero().tolist()}


def following(stated: dict[Pair, int], rules: Rules) -> dict[Pair, int]:
    """Return what the rules lead to from the facts, both ways round, where all ways lead to the same kind."""
    known, twofold = dict(stated), set[Pair]()
    while True:
        found: dict[Pair, int] = {}
        for (one, middle), a in known.items():
            for (start, other), b in known.items():
                pair, kind = (one, other), rules.get((a, b))
                if start != middle or one == other or kind is None or pair in twofold:
                    continue
                if known.get(pair, found.get(pair, kind)) != kind:
                    twofold.add(pair)
                elif pair not in known:
                    found[pair] = kind
        if not found:
            return {pair: kind for pair, kind in known.items() if pair not in twofold}
        known |= found


def _paths(rows: Iterable[Row], kinds: KindTable, length: int) -> Iterable[list[int]]:
    """Return the kinds along the path of each story whose path has so many facts, and of its answer."""
    for row in rows:
        path = row["facts"][:length]
        passed = [path[0][0], *(fact[2] for fact in path)] if len(path) == length else []
        if [*passed[:1], *passed[-1:]] != row["query"] or passed[1:-1] != [
            fact[0] for fact in path[1:]
        ]:
            continue
        relations = [*(fact[1] for fact in path), row["target"]]
        if all(relation in kinds.meaning for relation in relations):
            yield [kinds.meaning[relation][0] for relation in relations]
