"""What a model that composes has learnt, read off its weights."""

from collections.abc import Iterator
from typing import Any

import torch

from clutrr._lexicon import World
from clutrr._puzzle import Entity, Fact, Puzzle
from clutrr._table import to_table
from clutrr._train.learnt import Learnt, LearntPair, LearntTemplate
from clutrr._train.run import Run
from clutrr.models import Model, Vocabulary, encode
from clutrr.models.compose import Beliefs

_SHOWN = 0.01  # beliefs below this are left out


def inspect_composer(run: Run, model: Model, world: World) -> Learnt | None:
    """Return what a model learnt that composes; None for the others.

    Relations of the world that are never an answer are left out.
    """
    composer: Any = getattr(model, "processor", None)
    if not hasattr(composer, "beliefs"):
        return None
    model.cpu().eval()
    with torch.inference_mode():
        beliefs: Beliefs = composer.beliefs()
        heights = zip(run.vocabulary.relations, beliefs.heights.tolist(), strict=False)
        return Learnt(
            tuple(_sentences(model, run.vocabulary, world)),
            tuple(_compositions(beliefs, run, world)),
            {relation: round(height, 3) for relation, height in heights},
        )


def _sentences(model: Model, vocabulary: Vocabulary, world: World) -> Iterator[LearntTemplate]:
    """Yield each template with the answer to a story that consists of it alone."""
    templates = world.lexicon.templates
    stated = [(word, one) for word in vocabulary.relations for one in templates.get(word, ())]
    puzzles = []
    for i, (relation, template) in enumerate(stated):
        text, facts = template.fill({"a": "A", "b": "B"}), (Fact("A", relation, "B"),)
        entities = (Entity("A", ""), Entity("B", ""))
        puzzles.append(Puzzle(str(i), text, "", ("A", "B"), relation, 1, (), facts, entities, ""))
    stories = encode(to_table(puzzles), vocabulary, windows=True)
    batch = stories.batch(torch.arange(len(stories)), torch.Generator())
    share, read = model(batch).softmax(1).max(1)
    for (relation, template), i, p in zip(stated, read.tolist(), share.tolist(), strict=True):
        yield LearntTemplate(relation, template.text, vocabulary.relations[i], round(p, 4))


def _compositions(beliefs: Beliefs, run: Run, world: World) -> Iterator[LearntPair]:
    """Yield every two relations of the world that can be an answer, one after the other.

    What is true depends on what the stories assumed. Where that is not known: as little as can be, if a model
    holds what is possible, and as much as can be, if it settles for one answer.
    """
    relations, theory = run.vocabulary.relations, world.theory
    usual = theory.assumptions[0 if beliefs.least is None else -1].name
    solver = theory.solver(world.labels, run.data.get("assume") or usual)
    known = [(i, relation) for i, relation in enumerate(relations) if relation in world.meaning]
    for i, first in known:
        for j, second in known:
            follows = solver.verdict([Fact("A", first, "B"), Fact("B", second, "C")], ("A", "C"))
            shares = beliefs.two[i, j].tolist()[: len(relations)]
            held = None
            if (least := beliefs.least) is not None:
                held = tuple(
                    one for one, share in zip(relations, shares, strict=True) if share > least
                )
            each = sorted(zip(relations, shares, strict=True), key=lambda pair: -pair[1])
            yield LearntPair(
                first,
                second,
                tuple(relation for relation in follows.relations if relation in relations),
                follows.outside or not set(follows.relations) <= set(relations),
                {relation: round(share, 4) for relation, share in each if share >= _SHOWN},
                held,
            )
