"""Accounts of how a model that reads pairs came to its answers: readings, the way, the steps.

read     for each pair of entities the relation believed, and how surely
way      the entities of the route that counted most for the answer
steps    along it, two relations at a time: what follows from them
"""

import itertools
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from clutrr.models.text.pairs import Pairs
from clutrr.models.text.passages import Passage
from clutrr.models.text.routes import Route, doubted, fold, routes
from clutrr.models.vocabulary import ANY

_WORTH = 0.2  # a pair is listed if a fact is stated at least this surely


class Believed(NamedTuple):
    """tail is head's `relation`, and head is tail's `back`. share: how likely that is, if a fact is
    stated; stated: how likely one is. sentences: the numbers of those that it was read in."""

    head: str
    relation: str
    tail: str
    back: str
    share: float
    stated: float
    sentences: tuple[int, ...]


class Step(NamedTuple):
    """middle is start's `first`, end is middle's `second`; so end is start's `result`."""

    start: str
    middle: str
    end: str
    first: str
    second: str
    result: str


class Account(NamedTuple):
    """The account of one story. way: empty where no route joins the two queried entities."""

    read: tuple[Believed, ...]
    way: tuple[str, ...]
    steps: tuple[Step, ...]


@torch.no_grad()
def accounts(model: Pairs, passages: tuple[Passage, ...]) -> list[Account]:
    """Return how the model arrives at the answer of each story."""
    scores, form = model.read(passages)
    answers = model.folded(passages, scores).argmax(1).tolist()
    scores = scores.cpu()  # what is left are small steps, which a GPU is slow at
    found, first = [], 0
    for passage, answer in zip(passages, answers, strict=True):
        last = first + len(passage.pairs)
        found.append(_account(model, passage, scores[first:last], form[first:last], answer))
        first = last
    return found


def _account(model: Pairs, passage: Passage, scores: Tensor, form: Tensor, answer: int) -> Account:
    words = {meaning: word for word, meaning in model.kinds.meaning.items()}
    asked = tuple(replace(passage, query=(passage.query[0], entity)) for entity in range(len(passage.names)))
    second = [bool(model.queried_form(form, (one,))[0] > 0) for one in asked]

    def word(kind: int, entity: int) -> str:
        return words.get((kind, int(second[entity]))) or words[kind, ANY]

    converse, turned = model.kinds.converse, model.exchanged([passage])
    kinds, odds = doubted(scores, converse, None if turned is None else turned.cpu())
    plain = scores.softmax(-1)
    read = []
    for number, (one, other) in enumerate(passage.pairs):
        share, kind = (plain[number, :-1] / plain[number, :-1].sum()).max(0)
        stated = 1 - float(plain[number, -1])
        if stated >= _WORTH:
            names, back = passage.names, word(int(converse[kind]), one)
            relation, sentences = word(int(kind), other), passage.windows[one, other]
            sure = round(float(share), 3), round(stated, 3)
            read.append(Believed(names[one], relation, names[other], back, *sure, sentences))
    chosen = _best_sequence(model, passage, kinds, odds, answer)
    if chosen is None:
        return Account(tuple(read), (), ())
    way, sequence = chosen
    steps = [
        Step(
            *(passage.names[way[place]] for place in (start, cut, end)),
            *(word(kind, way[place]) for kind, place in zip(parts, (cut, end, end), strict=True)),
        )
        for start, cut, end, parts in derived(sequence, model.table.cpu(), answer)
    ]
    return Account(tuple(read), tuple(passage.names[entity] for entity in way), tuple(steps))


def _best_sequence(
    model: Pairs, passage: Passage, kinds: Tensor, odds: Tensor, answer: int
) -> tuple[tuple[int, ...], Tensor] | None:
    """Return the route that counts most for the answer, and its readings."""
    alike: dict[int, list[Route]] = defaultdict(list)
    for route in routes(passage, odds.tolist()):
        alike[len(route.entities)].append(route)
    best, found = -1.0, None
    for same in alike.values():
        sequences = torch.stack(
            [_sequence(passage, one.entities, kinds, model.kinds.converse) for one in same]
        )
        weights = torch.tensor([one.weight for one in same]).exp()
        worth, at = (weights * fold(sequences, model.table.cpu())[:, answer]).max(0)
        if float(worth) > best:
            best, found = float(worth), (same[int(at)].entities, sequences[at])
    return found


def _sequence(passage: Passage, entities: Sequence[int], kinds: Tensor, converse: Tensor) -> Tensor:  # [n, C]
    place = {pair: number for number, pair in enumerate(passage.pairs)}
    steps = itertools.pairwise(entities)
    return torch.stack([kinds[place[a, b]] if a < b else kinds[place[b, a]][converse] for a, b in steps])


def derived(
    sequence: Tensor, table: Tensor, kind: int
) -> list[tuple[int, int, int, tuple[int, int, int]]]:  # start, cut, end, the kinds of the two and of all
    """Return the best single derivation of a kind from a row of readings [n, C], innermost steps first."""
    n, size = sequence.shape
    best = {(i, i + 1): sequence[i] for i in range(n)}
    how: dict[tuple[int, int, int], tuple[int, int, int]] = {}
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length
            both = torch.stack(
                [(best[i, m][:, None, None] * best[m, j][:, None] * table).flatten() for m in range(i + 1, j)]
            ).reshape(length - 1, size * size, size)
            values, at = both.flatten(0, 1).max(0)
            best[i, j] = values
            for c, place in enumerate(at.tolist()):
                cut, pair = divmod(place, size * size)
                how[i, j, c] = (i + 1 + cut, *divmod(pair, size))

    def steps(i: int, j: int, c: int) -> list[tuple[int, int, int, tuple[int, int, int]]]:
        if j - i == 1:
            return []
        cut, a, b = how[i, j, c]
        return [*steps(i, cut, a), *steps(cut, j, b), (i, cut, j, (a, b, c))]

    return steps(0, n, kind)
