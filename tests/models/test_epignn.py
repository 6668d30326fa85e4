"""EpiGNN against a slow reading of its equations."""

import itertools

import torch
from kin_models import built, fixed, puzzle, read_whole, stories_of
from torch import Tensor

from clutrr._lexicon import World
from clutrr._table import to_table
from clutrr.models import Model, StoryTensors
from clutrr.models.compose import FASTER

# People are numbered as they are mentioned. Who leads on to whom, earlier ones first:
SEVERAL = [
    (
        puzzle(
            "[A] met [B]. [B] saw [C]. [A] knows [D]. [D] likes [C]. [C] met [E].",
            ("A", "C"),
            "A,B,C,D,E",
        ),
        [(0, 1), (0, 3), (1, 2), (3, 2)],
    ),
    (
        puzzle("[A] met [B]. [B] saw [C]. [A] knows [C].", ("C", "A"), "A,B,C"),
        [(2, 1), (2, 0), (1, 0)],
    ),
]


def slow(model: Model, stories: StoryTensors, b: int, leads: list[tuple[int, int]]) -> Tensor:
    """Story b, one pair at a time."""
    gnn = model.processor
    reading = read_whole(model, stories)
    relation, table = (FASTER * gnn.relation).softmax(-1), (FASTER * gnn.table).softmax(-1)

    def said(i: int, j: int) -> Tensor:
        linked = [
            n if row else -1
            for n, row in zip(
                stories.graph.neighbours[b, i], stories.graph.sentences[b, i, :, 0], strict=True
            )
        ]
        named = gnn.name(reading.edges[reading.edge_of[b, i, linked.index(j)]]).exp()
        return torch.einsum("r,rmn->mn", named, relation)

    def follows(x: Tensor, y: Tensor) -> Tensor:
        return torch.stack(
            [torch.stack([x[m] @ t @ y[m] for t in table[m].unbind(-1)]) for m in range(len(x))]
        )

    def product(parts: list[Tensor]) -> Tensor:
        whole = torch.stack(parts).add(1e-6).prod(0)
        return whole / whole.sum(-1, keepdim=True)

    unit = torch.zeros(relation.shape[1:])
    unit[:, 0] = 1
    first, second = stories.query[b].tolist()
    forward, backward = {first: unit}, {second: unit}
    for j in dict.fromkeys(j for _, j in leads):
        forward[j] = product([follows(forward[i], said(i, j)) for i, other in leads if other == j])
    for i in dict.fromkeys(i for i, _ in reversed(leads)):
        backward[i] = product([follows(said(i, j), backward[j]) for one, j in leads if one == i])
    state = product([follows(forward[j], backward[j]) for j in forward])
    return torch.stack([(state * each.log()).sum() for each in relation])


def test_chains(world: World) -> None:
    model, stories, _ = built("epignn", stories_of("sound", 3, 4, distractors=0), world)
    with torch.inference_mode():
        scores = model(fixed(stories))
        for b in range(len(stories)):
            path = [int(stories.query[b, 0])]
            while len(path) < 4:
                near = stories.graph.neighbours[b, path[-1]][
                    stories.graph.sentences[b, path[-1], :, 0] > 0
                ]
                path.append(next(j for j in near.tolist() if j not in path))
            leads = list(itertools.pairwise(path))
            torch.testing.assert_close(
                scores[b], slow(model, stories, b, leads), atol=1e-4, rtol=1e-4
            )


def test_several_ways(world: World) -> None:
    model, stories, _ = built("epignn", to_table([story for story, _ in SEVERAL]), world)
    with torch.inference_mode():
        scores = model(fixed(stories))
        for b, (_, leads) in enumerate(SEVERAL):
            torch.testing.assert_close(
                scores[b], slow(model, stories, b, leads), atol=1e-4, rtol=1e-4
            )
