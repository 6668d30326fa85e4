"""Theories given by models: a finite set of things, and the relation between any two of them.

Composition and converses are computed from the things, never listed by hand. A subclass of `ModelTheory`
says what its kinds are, what things there are, and what one thing is to another: some 50 lines.

    algebra.py    the tables that follow from the things
    network.py    decides questions, by eliminating entities from a network of facts
    closure.py    and what alternatives and denials leave of it, by closure and by cases (tractable.py)
    routes.py     draws questions, by counting the states that routes lead to (states.py)

The last two share nothing but the algebra.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, Self

from clutrr._labels import Labels
from clutrr.errors import ConfigError, WorldError
from clutrr.theory.algebra import RelationAlgebra
from clutrr.theory.network import NetworkSolver
from clutrr.theory.routes import RouteSource
from clutrr.theory.solver import Scene, Solver
from clutrr.theory.spec import Preset, QuestionSpec, Supply
from clutrr.theory.states import RouteStates
from clutrr.theory.theory import Theory
from clutrr.theory.tractable import SetClasses

Facts = Sequence[tuple[str, str, str]]  # a, kind, b: b is that to a
Pairs = Mapping[tuple[str, str], str]  # what b is to a


def presets(assume: str) -> tuple[Preset, ...]:
    """Return the presets of a theory of models."""
    return (
        Preset(
            "strict",
            "questions with exactly one possible answer, every label that can be proved equally often",
            keeps="entailed",
            order="shuffled",
            assume=assume,
            balanced=True,
        ),
        Preset(
            "mixed",
            "questions with exactly one possible answer, every label that can be proved equally often, and "
            "questions with several, whose target is that it cannot be told",
            keeps="mixed",
            order="shuffled",
            assume=assume,
            balanced=True,
        ),
        Preset(
            "described",
            "every question, those with several possible answers included; the target is one of them",
            keeps="all",
            order="inserted",
            assume=assume,
        ),
    )


class ModelTheory(Theory):
    """A theory given by models.

    kinds: in the order of the label set. stated: those that a fact of a balanced question may state; all by
    default but the one that holds between a thing and itself and nowhere else, which adds nothing to a
    route. A question of one fact, and one of a preset that keeps all questions, may state any.
    distributive: whether composition distributes over intersection, so that eliminating entities decides
    questions (network.py); None to have it found out.
    """

    kinds: ClassVar[tuple[str, ...]] = ()
    stated: ClassVar[tuple[str, ...]] = ()
    distributive: ClassVar[bool | None] = None
    several_routes = True

    @classmethod
    @abstractmethod
    def things(cls) -> Sequence[Any]:
        """Return things between which every composition can be seen.

        It may take their `size`, a number with a default, for `check_theory` to ask for more of them.
        """

    @classmethod
    @abstractmethod
    def relation(cls, a: Any, b: Any) -> str:
        """Return what b is to a: one of the kinds."""

    @classmethod
    def realize(cls, facts: Facts, kinds: Pairs, names: Sequence[str]) -> Scene | None:
        """Return a scene with the facts; None if none can be shown.

        kinds: one for each pair of entities, such that all hold together. The scene may do without them.
        """
        return None

    @classmethod
    def from_relations(cls, relations: Mapping[str, Mapping[str, Any]]) -> Self:
        if set(relations) != set(cls.kinds):
            raise WorldError(
                f"the kinds of theory {cls.name} are {', '.join(cls.kinds)}, no more and no fewer; these are "
                f"{', '.join(relations)}"
            )
        return cls()

    @classmethod
    @cache
    def set_classes(cls) -> SetClasses:
        """Return the sets of kinds for which simple methods are exact (tractable.py).

        Larger classes decide alternatives and denials with fewer cases.
        """
        return SetClasses.arising(RelationAlgebra.of(cls))

    @classmethod
    @cache
    def eliminates(cls) -> bool:
        """Return whether eliminating entities decides questions."""
        if cls.distributive is not None:
            return cls.distributive
        return bool(cls.set_classes().convex)

    @cached_property
    def algebra(self) -> RelationAlgebra:
        """The tables of composition and of converses."""
        return RelationAlgebra.of(type(self))

    @cached_property
    def converses(self) -> Mapping[str, str]:
        converse = self.algebra.converse
        return {kind: self.kinds[converse[number]] for number, kind in enumerate(self.kinds)}

    def solver(self, labels: Labels, assume: str) -> Solver:
        return NetworkSolver(self, labels, assume)

    def check(self, spec: QuestionSpec, supply: Supply) -> None:
        super().check(spec, supply)
        if spec.routes > 1 and not self.algebra.associative:
            raise ConfigError(
                f"the questions of theory {self.name} have one route: it matters in what order its relations "
                "are composed, and what several routes leave possible is not known",
                setting="routes",
            )

    def states(self, spec: QuestionSpec) -> RouteStates:
        """Return what the routes of such questions can lead to."""
        return RouteStates.of_sets(self.algebra, self.stated_in(spec), _states_any(spec))

    def stated_in(self, spec: QuestionSpec) -> list[int]:
        """Return the numbers of the kinds that a fact of such a question may state."""
        if _states_any(spec):
            return list(range(len(self.kinds)))
        same = self.algebra.identity if self.algebra.strict else None
        stated = self.stated or [kind for i, kind in enumerate(self.kinds) if i != same]
        return [self.kinds.index(kind) for kind in stated]

    def questions(self, spec: QuestionSpec, supply: Supply) -> RouteSource:
        return RouteSource(spec, supply, self.states(spec), self.algebra)

    def sampling(self, specs: Sequence[QuestionSpec]) -> str:
        longest = max(specs, key=lambda spec: spec.k)
        names = ", ".join(f"`{self.kinds[number]}`" for number in self.stated_in(longest))
        text = (
            f"Facts state {names}. What a route leaves possible depends on the state that its facts lead to; "
            "routes are counted by that state and drawn from these counts, every route of a state alike."
        )
        if any(spec.routes > 1 for spec in specs):
            text += (
                " Where a question has several routes, what they leave possible is what all of them do. No "
                "route decides the question by itself, wherever the target allows that; else at least one does."
            )
        return text


def _states_any(spec: QuestionSpec) -> bool:
    """Return whether facts may state any kind: a question need not be about more than one of them."""
    return spec.k == 1 or spec.preset.keeps == "all"
