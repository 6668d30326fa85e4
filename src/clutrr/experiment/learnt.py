"""What a model that composes has learnt, beside what is true: how it reads sentences, how it combines two
relations.

`inspect_composer` works it out. The records are read and shown without torch.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from clutrr.puzzle import Entity, Fact, Puzzle
from clutrr.table import to_table

if TYPE_CHECKING:
    from clutrr.experiment.run import Run
    from clutrr.models import Model, Vocabulary
    from clutrr.models.compose import Beliefs
    from clutrr.world import World

_SHOWN = 0.01  # beliefs below this are left out
# By verdict, in the picture of a table.
_MARKS = {"right": "·", "several": "~", "wrong": "x", "missing": "-", "extra": "+", "both": "±"}


class LearntTemplate(NamedTuple):
    """A template, the relation it states, and the one that is read, with its share of the belief."""

    relation: str
    template: str
    read: str
    share: float


class LearntPair(NamedTuple):
    """Two relations in a row: what is possible, and what is believed, as shares.

    outside: whether something without a word is possible. held: of a model that learns sets, the relations
    that it takes for possible.
    """

    first: str
    second: str
    possible: tuple[str, ...]
    outside: bool
    believed: Mapping[str, float]
    held: tuple[str, ...] | None = None

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "LearntPair":
        return cls(
            str(content["first"]),
            str(content["second"]),
            tuple(map(str, content["possible"])),
            bool(content["outside"]),
            {str(relation): float(share) for relation, share in content["believed"].items()},
            None if content.get("held") is None else tuple(map(str, content["held"])),
        )

    @property
    def missing(self) -> list[str]:
        """The possible relations that are not held."""
        return [relation for relation in self.possible if relation not in (self.held or ())]

    @property
    def extra(self) -> list[str]:
        """The relations that are held and not possible."""
        return [relation for relation in self.held or () if relation not in self.possible]

    @property
    def answer(self) -> str:
        """The relation that is believed most, "?" if every share is too small to be listed; of a set, what it
        has that is not possible, and what it lacks."""
        if self.held is not None:
            return ", ".join([f"+ {one}" for one in self.extra] + [f"- {one}" for one in self.missing])
        return max(self.believed, key=self.believed.__getitem__, default="?")

    @property
    def verdict(self) -> str:
        """What is believed, compared with what is possible: `right`, `several` (one of these), `wrong`;
        `unnamed` if what is possible has no word, `impossible` if nothing is. A set is right, or relations
        are `missing`, `extra`, or `both`."""
        if self.held is not None:
            wrong = "extra" if self.extra else "right"
            return ("both" if self.extra else "missing") if self.missing else wrong
        if not self.possible:
            return "unnamed" if self.outside else "impossible"
        if self.answer not in self.possible:
            return "wrong"
        return "right" if len(self.possible) == 1 else "several"


@dataclass(frozen=True)
class Learnt:
    """What a model believes. heights: by relation, of a composer."""

    sentences: tuple[LearntTemplate, ...]
    compositions: tuple[LearntPair, ...]
    heights: Mapping[str, float]

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "Learnt":
        """Return what a file holds. Raises LookupError, TypeError, ValueError or AttributeError."""
        if not content["compositions"]:
            raise ValueError("it puts no relations together")
        return cls(
            tuple(LearntTemplate(**sentence) for sentence in content["sentences"]),
            tuple(map(LearntPair.from_json, content["compositions"])),
            {str(relation): float(height) for relation, height in (content["heights"] or {}).items()},
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "sentences": [sentence._asdict() for sentence in self.sentences],
            "compositions": [pair._asdict() for pair in self.compositions],
            "heights": dict(self.heights),
        }

    @property
    def misread(self) -> list[LearntTemplate]:
        return [sentence for sentence in self.sentences if sentence.read != sentence.relation]

    @property
    def wrong(self) -> list[LearntPair]:
        return [pair for pair in self.compositions if pair.verdict in ("wrong", "missing", "extra", "both")]

    def picture(self) -> Iterator[str]:
        """The table of compositions, a line for each first relation, a mark for each second one."""
        rows: dict[str, list[str]] = {}
        for pair in self.compositions:
            rows.setdefault(pair.first, []).append(_MARKS.get(pair.verdict, " "))
        width = max(map(len, rows)) + 1
        yield " " * (width + 2) + "".join(f"{number:>3}" for number, _ in enumerate(rows, 1))
        for number, (first, marks) in enumerate(rows.items(), 1):
            yield f"{number:>2} {first:<{width - 1}}" + "".join(f"{mark:>3}" for mark in marks)
        yield (
            "· exactly the possible relations, - some missing, + some too many, ± both"
            if any(pair.held is not None for pair in self.compositions)
            else "· right, ~ one of several, x wrong; nothing where no word says what follows"
        )

    def summary(self) -> Iterator[str]:
        """What to know first, one sentence each."""
        found = Counter(pair.verdict for pair in self.compositions)
        read, right, wrong = len(self.sentences) - len(self.misread), found["right"], len(self.wrong)
        yield f"{read} of {len(self.sentences)} templates are read as the relation that they state."
        if any(pair.held is not None for pair in self.compositions):
            missing, extra = (
                sum(len(getattr(pair, name)) for pair in self.compositions) for name in ("missing", "extra")
            )
            yield (
                f"Of {right + wrong} pairs of relations, {right} leave exactly the possible relations; in "
                f"the others {missing} are missing and {extra} too many."
            )
            return
        yield (
            f"Of {right + found['several'] + wrong} pairs of relations, {right} give the one possible "
            f"result, {found['several']} one of several, {wrong} a wrong one."
        )
        if found["unnamed"]:
            yield f"What follows from {found['unnamed']} others has no word among the relations."


def inspect_composer(run: "Run", model: "Model", world: "World") -> Learnt | None:
    """Return what a model learnt that composes; None for the others.

    Relations of the world that are never an answer are left out.
    """
    import torch

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


def _sentences(model: "Model", vocabulary: "Vocabulary", world: "World") -> Iterator[LearntTemplate]:
    """Yield each template with the answer to a story that consists of it alone."""
    import torch

    from clutrr.models import encode

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


def _compositions(beliefs: "Beliefs", run: "Run", world: "World") -> Iterator[LearntPair]:
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
                held = tuple(one for one, share in zip(relations, shares, strict=True) if share > least)
            each = sorted(zip(relations, shares, strict=True), key=lambda pair: -pair[1])
            yield LearntPair(
                first,
                second,
                tuple(relation for relation in follows.relations if relation in relations),
                follows.outside or not set(follows.relations) <= set(relations),
                {relation: round(share, 4) for relation, share in each if share >= _SHOWN},
                held,
            )
