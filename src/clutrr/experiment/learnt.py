"""What a composer has learnt, beside what is true: how it reads sentences, how it combines two relations.

`inspect_composer` works it out. The records are read and shown without torch.
"""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clutrr.puzzle import Entity, Fact, Puzzle, to_table

if TYPE_CHECKING:
    from torch import Tensor

    from clutrr.experiment.run import Run
    from clutrr.models import Model, Vocabulary
    from clutrr.theory import Solver
    from clutrr.world import World

_SHOWN = 0.01  # beliefs below this are left out
_ASKED = ("A", "B")


@dataclass(frozen=True)
class LearntTemplate:
    """A template, the relation it states, and the one that is read, with its share of the belief."""

    relation: str
    template: str
    read: str
    share: float


@dataclass(frozen=True)
class LearntPair:
    """Two relations in a row: what is possible, and what is believed, as shares.

    outside: whether something without a word is possible. free: the share that no relation has.
    """

    first: str
    second: str
    possible: tuple[str, ...]
    outside: bool
    believed: Mapping[str, float]
    free: float

    @property
    def answer(self) -> str | None:
        """The relation that is believed most; none if every share is too small to be listed."""
        return max(self.believed, key=self.believed.__getitem__, default=None)

    @property
    def verdict(self) -> str:
        """What is believed, compared with what is possible: `right`, `several` (one of these), `wrong`;
        `unnamed` if what is possible has no word, `impossible` if nothing is."""
        if not self.possible:
            return "unnamed" if self.outside else "impossible"
        if self.answer not in self.possible:
            return "wrong"
        return "right" if len(self.possible) == 1 else "several"

    def in_words(self) -> tuple[str, str, str]:
        """The two relations, what is true, what is believed."""
        answer = self.answer
        believed = "no relation" if answer is None else f"{answer} ({100 * self.believed[answer]:.0f} %)"
        true = [*self.possible, *["something without a word"] * self.outside]
        return f"{self.first}, then {self.second}", " or ".join(true), believed


@dataclass(frozen=True)
class Learnt:
    """What a composer believes. free: how many states it has beside the relations. heights: by relation."""

    relations: tuple[str, ...]
    free: int
    sentences: tuple[LearntTemplate, ...]
    compositions: tuple[LearntPair, ...]
    heights: Mapping[str, float]

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Learnt":
        """Return what a file holds. Raises LookupError, TypeError, ValueError or AttributeError."""
        if not content["compositions"]:
            raise ValueError("it puts no relations together")
        return cls(
            tuple(content["relations"]),
            int(content["free"]),
            tuple(
                LearntTemplate(s["relation"], s["template"], s["read"], float(s["share"]))
                for s in content["sentences"]
            ),
            tuple(
                LearntPair(
                    c["first"],
                    c["second"],
                    tuple(c["possible"]),
                    bool(c["outside"]),
                    {relation: float(share) for relation, share in c["believed"].items()},
                    float(c["free"]),
                )
                for c in content["compositions"]
            ),
            {relation: float(height) for relation, height in (content["heights"] or {}).items()},
        )

    @property
    def combined(self) -> tuple[str, ...]:
        """The relations that the compositions are of: those of the world that can be an answer."""
        return tuple(dict.fromkeys(c.first for c in self.compositions))

    @property
    def misread(self) -> list[LearntTemplate]:
        return [sentence for sentence in self.sentences if sentence.read != sentence.relation]

    @property
    def wrong(self) -> list[LearntPair]:
        return self.with_verdict("wrong")

    def with_verdict(self, verdict: str) -> list[LearntPair]:
        return [composition for composition in self.compositions if composition.verdict == verdict]

    def summary(self) -> Iterator[str]:
        """What to know first, one sentence each."""
        read = len(self.sentences) - len(self.misread)
        yield f"{read} of {len(self.sentences)} templates are read as the relation that they state."
        certain = sum(len(c.possible) == 1 for c in self.compositions)
        several = sum(len(c.possible) > 1 for c in self.compositions)
        right, either = (len(self.with_verdict(verdict)) for verdict in ("right", "several"))
        line = f"Of {certain} pairs of relations with one possible result, {right} give it"
        if several:
            line += f"; of {several} with several, {either} give one of these"
        yield f"{line}."
        if unnamed := self.with_verdict("unnamed"):
            line = f"What follows from {len(unnamed)} others has no word among the relations"
            if self.free:
                share = 100 * statistics.fmean(c.free for c in unnamed)
                line += f": there {share:.0f} % of the belief is in the {self.free} free states"
            yield f"{line}."


def inspect_composer(run: "Run", model: "Model", world: "World") -> Learnt | None:
    """Return what a composer learnt; None for models that hold no beliefs.

    Relations of the world that are never an answer are left out.
    """
    import torch

    from clutrr.models.compose import beliefs_of

    model.cpu().eval()
    relations = run.vocabulary.relations
    with torch.inference_mode():
        beliefs = beliefs_of(model)
        if beliefs is None:
            return None
        return Learnt(
            relations,
            beliefs.free,
            tuple(_sentences(model, run.vocabulary, world)),
            tuple(_compositions(beliefs.two, run.vocabulary, world)),
            {
                relation: round(height, 3)
                for relation, height in zip(relations, beliefs.heights.tolist(), strict=True)
            },
        )


def _sentences(model: "Model", vocabulary: "Vocabulary", world: "World") -> Iterator[LearntTemplate]:
    """Yield each template with the answer to a story that consists of it alone."""
    import torch

    from clutrr.models import encode

    stated = [
        (relation, template)
        for relation in vocabulary.relations
        if relation in world.lexicon.templates
        for template in world.lexicon.templates[relation]
    ]
    entities = tuple(Entity(name, "") for name in _ASKED)
    puzzles = []
    for i, (relation, template) in enumerate(stated):
        text = template.fill(dict(zip("ab", _ASKED, strict=True)))
        facts = (Fact(_ASKED[0], relation, _ASKED[1]),)
        puzzles.append(Puzzle(str(i), text, "", _ASKED, relation, 1, (), facts, entities, ""))
    stories = encode(to_table(puzzles), vocabulary, windows=True)
    batch = stories.batch(torch.arange(len(stories)), torch.Generator())
    share, read = model(batch).softmax(1).max(1)
    for (relation, template), i, p in zip(stated, read.tolist(), share.tolist(), strict=True):
        yield LearntTemplate(relation, template.text, vocabulary.relations[i], round(p, 4))


def _compositions(believed: "Tensor", vocabulary: "Vocabulary", world: "World") -> Iterator[LearntPair]:
    solver = world.theory.solver(world.labels, world.theory.assumptions[0].name)
    relations = vocabulary.relations
    known = [i for i, relation in enumerate(relations) if relation in world.meaning]
    for i in known:
        for j in known:
            yield _composition(believed[i, j], relations, i, j, solver)


def _composition(
    believed: "Tensor", relations: tuple[str, ...], first: int, second: int, solver: "Solver"
) -> LearntPair:
    facts = [Fact("A", relations[first], "B"), Fact("B", relations[second], "C")]
    follows = solver.verdict(facts, ("A", "C"))
    shares = sorted(
        zip(relations, believed[: len(relations)].tolist(), strict=True), key=lambda pair: -pair[1]
    )
    return LearntPair(
        relations[first],
        relations[second],
        tuple(relation for relation in follows.relations if relation in relations),
        follows.outside or not set(follows.relations) <= set(relations),
        {relation: round(share, 4) for relation, share in shares if share >= _SHOWN},
        round(believed[len(relations) :].sum().item(), 4),
    )
