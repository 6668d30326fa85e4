"""The interface of a theory: what the relations of a world mean.

A theory is a subclass of `Theory`. What to write:

    name, assumptions, presets    class attributes; `scene`, `fields` and `forms` have defaults
    from_relations(relations)     the theory of the kinds in `relations.yaml`
    converses                     each kind with its converse
    solver(labels, assume)        a `Solver` (solver.py), whose `verdict` returns what facts leave possible
    questions(spec, supply)       a `QuestionSource` (questions.py), which draws blocks of questions

Everything else has a default. `solver` and `questions` should share no code: their agreement is evidence.
A world names its theory in `world.yaml`; `registry.py` finds it, also in other packages. tests/theory/seats.py is a small example.

Vocabulary
    kind         a relation, whatever words a language has for it; its *converse* is the kind seen from the
                 other entity
    form         what an entity adds to the word of a kind; most theories have none
    label        the word of a kind, by the form of the second entity
    scene        one situation of entities
    assumption   which scenes are possible: what every proof, verdict and data set rests on
    possible     the labels that hold in some possible scene with the facts
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr.errors import ConfigError, short
from clutrr.theory.solver import Solver
from clutrr.theory.spec import Assumption, Preset, QuestionSpec, Supply
from clutrr.theory.verdict import Composition

if TYPE_CHECKING:
    from clutrr.theory.questions import QuestionSource


class Theory(ABC):
    """What the relations of a world mean.

    name: as `world.yaml` names it. scene: a noun for its scenes, for pages and proofs. fields: what
    `relations.yaml` holds of each kind beside its words. forms: their names, if there are any. assumptions:
    from the strictest, with the fewest scenes, to the weakest, which is the default for judging. presets: the
    first is the default for generating. several_routes: whether its questions can have more than one. told_families:
    whether its scenes can be the families of a file.
    """

    name: ClassVar[str]
    scene: ClassVar[str] = "scene"
    fields: ClassVar[tuple[str, ...]] = ()
    forms: ClassVar[tuple[str, ...]] = ()
    assumptions: ClassVar[tuple[Assumption, ...]]
    presets: ClassVar[tuple[Preset, ...]]
    several_routes: ClassVar[bool] = False
    told_families: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def from_relations(cls, relations: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the theory of these kinds. Raises WorldError with the kind and what is wrong with it.

        relations: by kind, the fields of `relations.yaml` without the words.
        """

    @property
    @abstractmethod
    def converses(self) -> Mapping[str, str]:
        """Each kind, in the order of the label set, with its converse."""

    @abstractmethod
    def solver(self, labels: Labels, assume: str) -> Solver:
        """Return what decides questions under an assumption."""

    @abstractmethod
    def questions(self, spec: QuestionSpec, supply: Supply) -> "QuestionSource":
        """Return what draws the questions of a subset and split. Raises ConfigError where there are none.

        - spec: what they shall be
        - supply: what the world has for them
        """

    # What has a default

    def to_relations(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what `from_relations` takes."""
        return {kind: {} for kind in self.converses}

    def checksum_fields(self, kind: str) -> tuple[Any, ...]:
        """Return what the digest of a world holds of a kind, beside its name and words."""
        relation = self.to_relations()[kind]
        return tuple(relation[field] for field in self.fields)

    def check(self, spec: QuestionSpec, supply: Supply) -> None:
        """Check what is asked of this theory, the `scene` above all. Raises ConfigError."""
        if spec.scene:
            raise ConfigError(
                f"{short(spec.scene)}: the scenes of {self.name} have no settings", setting="scene"
            )

    def scene_settings(self, spec: QuestionSpec) -> Mapping[str, str]:
        """Return the settings of the scenes, for the card: those asked for and the defaults."""
        return {}

    def sampling(self, specs: Sequence[QuestionSpec]) -> str:
        """Return how questions are drawn, as a paragraph for the card; "" if there is nothing to say.

        specs: of all subsets of a data set.
        """
        return ""

    def compose(self, labels: Labels, kinds: Sequence[str]) -> Composition:
        """Return what the last entity of a route can be to the first, whatever their forms.

        kinds: of the facts of the route. What the solver does not decide counts as possible.
        """
        solver = self.solver(labels, self.assumption().name)
        entities = [str(number) for number in range(len(kinds) + 1)]
        possible: set[str] = set()
        outside = False
        for words in product(*(labels.kind(kind).words for kind in kinds)):
            facts = [Fact(*fact) for fact in zip(entities, words, entities[1:], strict=False)]
            verdict = solver.verdict(facts, (entities[0], entities[-1]))
            if not verdict.decided:
                return Composition(tuple(kind.name for kind in labels.kinds), outside=True)
            possible |= {labels.meaning[relation].kind.name for relation in verdict.relations}
            outside |= verdict.outside
        return Composition(
            tuple(kind.name for kind in labels.kinds if kind.name in possible), outside
        )

    def head_form(self, kind: str, form: int) -> int | None:
        """Return the form of a fact's first entity, if the kind and the second one's form imply it."""
        return None

    def meanings(self, labels: Labels) -> str:
        """Return what those labels mean whose words do not make it plain, for a prompt; "" if none."""
        return ""

    def define(self, kind: str, form: int | None) -> str:
        """Return what a kind means, in an English clause with {a} and {b}; "" if the theory does not say.

        form: of the second entity, None for any.
        """
        return ""

    def neighbours(self) -> Mapping[str, Collection[str]] | None:
        """Return the kinds that each kind can change into at once, if one thing moves; None if that is not known."""
        return None

    # What every theory has

    def assumption(self, name: str | None = None) -> Assumption:
        """Return the assumption of this name, or the default one. Raises ConfigError."""
        return _named("assume", name or self.assumptions[-1].name, self.assumptions)

    def preset(self, name: str | None = None) -> Preset:
        """Return the preset of this name, or the default one. Raises ConfigError."""
        return _named("preset", name or self.presets[0].name, self.presets)


_Named = TypeVar("_Named", Assumption, Preset)


def _named(what: str, name: str, known: Sequence[_Named]) -> _Named:
    for one in known:
        if one.name == name:
            return one
    raise ConfigError(
        f"is not one of {', '.join(one.name for one in known)}", setting=what, value=name
    )
