"""What a composer has learnt, beside what is true: how it reads sentences, and how it combines two relations.

learnt = what_it_learnt(run, model, world)
learnt["sentences"]       for each template the relation it tells, and the one that is read
learnt["compositions"]    for each two relations in a row what is possible, and what is believed
learnt["heights"]         of each relation
"""

from typing import Any

import pyarrow as pa
import torch
from torch import Tensor

from clutrr.experiment.run import Run
from clutrr.models import Model, Vocabulary, encode
from clutrr.models.compose import Compose, composer_of
from clutrr.puzzle import Entity, Fact, Puzzle, to_table
from clutrr.theory import Solver
from clutrr.world import World

_SHOWN = 0.01  # beliefs below this are left out
_ASKED = ("A", "B")


def what_it_learnt(run: Run, model: Model, world: World) -> dict[str, Any] | None:
    """None for models that hold no beliefs. Relations of the world that are never an answer are left out."""
    composer = composer_of(model)
    if composer is None:
        return None
    model.cpu().eval()
    with torch.inference_mode():
        return {
            "relations": list(run.vocabulary.relations),
            "free": composer.states - composer.forms.kinds,
            "sentences": _sentences(model, composer, run.vocabulary, world),
            "compositions": _compositions(composer, run.vocabulary, world),
            "heights": _heights(composer, run.vocabulary),
        }


def _sentences(
    model: Model, composer: Compose[Any], vocabulary: Vocabulary, world: World
) -> list[dict[str, Any]]:
    told = [
        (relation, template)
        for relation in vocabulary.relations
        if relation in world.lexicon.templates
        for template in world.lexicon.templates[relation]
    ]
    table = _table(
        [(relation, template.fill(dict(zip("ab", _ASKED, strict=True)))) for relation, template in told]
    )
    stories = encode(table, vocabulary, windows=True)
    batch = stories.batch(torch.arange(len(stories)), torch.Generator())
    named = composer.stated(model.get_submodule("reader")(batch), batch).exp()
    share, read = named.max(1)
    return [
        {
            "relation": relation,
            "template": template.text,
            "read": vocabulary.relations[i],
            "share": round(p, 4),
        }
        for (relation, template), i, p in zip(told, read.tolist(), share.tolist(), strict=True)
    ]


def _table(sentences: list[tuple[str, str]]) -> pa.Table:
    people = tuple(Entity(name, "") for name in _ASKED)
    return to_table(
        [
            Puzzle(
                str(i), text, "", _ASKED, relation, 1, (), (Fact(_ASKED[0], relation, _ASKED[1]),), people, ""
            )
            for i, (relation, text) in enumerate(sentences)
        ]
    )


def _compositions(composer: Compose[Any], vocabulary: Vocabulary, world: World) -> list[dict[str, Any]]:
    solver = world.theory.solver(world.labels, world.theory.assumptions[0].name)
    relations, believed = vocabulary.relations, composer.of_two()
    known = [i for i, relation in enumerate(relations) if relation in world.meaning]
    return [_composition(believed[i, j], relations, i, j, solver) for i in known for j in known]


def _composition(
    believed: Tensor, relations: tuple[str, ...], first: int, second: int, solver: Solver
) -> dict[str, Any]:
    """possible: the answers that can follow. outside: whether anything else can. Neither: nothing can."""
    facts = [Fact("A", relations[first], "B"), Fact("B", relations[second], "C")]
    follows = solver.verdict(facts, ("A", "C"))
    shares = believed[: len(relations)].tolist()
    return {
        "first": relations[first],
        "second": relations[second],
        "possible": [relation for relation in follows.relations if relation in relations],
        "outside": follows.outside or not set(follows.relations) <= set(relations),
        "believed": {
            relation: round(share, 4)
            for relation, share in sorted(zip(relations, shares, strict=True), key=lambda pair: -pair[1])
            if share >= _SHOWN
        },
        "free": round(believed[len(relations) :].sum().item(), 4),
    }


def _heights(composer: Compose[Any], vocabulary: Vocabulary) -> dict[str, float]:
    return {
        relation: round(height, 3)
        for relation, height in zip(vocabulary.relations, composer.relation_heights().tolist(), strict=True)
    }
