"""The interface of a theory: what the relations of a world mean.

A theory is a subclass of `Theory`. What to write:

    name, assumptions, presets    class attributes; `scene`, `fields` and `forms` have defaults
    from_relations(relations)     the theory of the kinds in `relations.yaml`
    converses                     each kind with its converse
    solver(labels, assume)        a `Solver` (solver.py), whose `verdict` returns what facts leave possible
    questions(config, ...)        a `QuestionSource` (questions.py), which draws blocks of questions

Everything else has a default. `solver` and `questions` should share no code: their agreement is evidence.
A world names its theory in `world.yaml`. Theories of other packages are found by entry points of the group
`clutrr.theories`. tests/theory/seats.py is a small example.

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module, metadata
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from clutrr.errors import ConfigError, WorldError, short
from clutrr.labels import Labels
from clutrr.puzzle import Fact
from clutrr.sentences import cut_sentences
from clutrr.theory.solver import Solver
from clutrr.theory.verdict import Composition

if TYPE_CHECKING:
    from clutrr.config import Config
    from clutrr.theory.questions import QuestionSource

# Theories that come with the package, and the classes that implement them.
_BUILTIN = {
    "kinship": "clutrr.theory.kinship:Kinship",
    "order": "clutrr.theory.order:Order",
    "time": "clutrr.theory.time:Time",
    "regions": "clutrr.theory.regions:Regions",
    "directions": "clutrr.theory.directions:Directions",
}
_GROUP = "clutrr.theories"  # entry points of other packages


@dataclass(frozen=True)
class Assumption:
    """A name for the scenes that are possible.

    brief: what distinguishes it from the theory's others, in half a sentence. about: all of it, for readers
    and language models.
    """

    name: str
    brief: str
    about: str


@dataclass(frozen=True)
class Preset:
    """A benchmark by name.

    keeps: "all" questions whose ends are related; "determined": those with one possible answer; "entailed":
    those with nothing else possible, inside the label set or outside; "mixed": determined ones and others.
    order: of the sentences. assume: the name of an assumption. balanced: whether labels come equally often.
    """

    name: str
    about: str
    keeps: str
    order: str
    assume: str
    balanced: bool = False


class Supply(NamedTuple):
    """What a world has for a scene: words for labels, so many names of each form, so many attributes.

    world: its name, for messages.
    """

    world: str
    labels: Labels
    names: tuple[int, ...]
    attributes: int


class FreeReading(NamedTuple):
    """What ordinary sentences state: of each its facts, or None if it is not understood.

    forms: of entities, "" where no sentence shows it; their labels then have some form that is possible.
    """

    facts: Sequence[tuple[Fact, ...] | None]
    forms: Mapping[str, str] = MappingProxyType({})


class FreeReader(ABC):
    """Reads ordinary sentences, beyond the wordings of a world."""

    @abstractmethod
    def read(self, sentences: Sequence[str]) -> FreeReading:
        """Return what the sentences of a story state."""

    def relation(self, story: str, head: str, tail: str, forms: Mapping[str, str]) -> str | None:
        """Return what tail is to head, as a label in tail's form; None if no sentence plainly says so.

        forms: of the entities, by name; "" where it is not known.
        """
        for facts in self.read(cut_sentences(story)).facts:
            for fact in facts or ():
                if (fact.head, fact.tail) == (head, tail):
                    return fact.relation
        return None

    def shows_form(self, text: str, entity: str) -> bool:
        """Return whether a sentence says outright what form an entity has."""
        return False


class Theory(ABC):
    """What the relations of a world mean.

    name: as `world.yaml` names it. scene: a noun for its scenes, for pages and proofs. fields: what
    `relations.yaml` holds of each kind beside its words. forms: their names, if there are any. assumptions:
    from the strictest, with the fewest scenes, to the weakest, which is the default for judging. presets: the
    first is the default for generating. several_routes: whether its questions can have more than one.
    """

    name: ClassVar[str]
    scene: ClassVar[str] = "scene"
    fields: ClassVar[tuple[str, ...]] = ()
    forms: ClassVar[tuple[str, ...]] = ()
    assumptions: ClassVar[tuple[Assumption, ...]]
    presets: ClassVar[tuple[Preset, ...]]
    several_routes: ClassVar[bool] = False

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
    def questions(self, config: "Config", supply: Supply, k: int, split: str) -> "QuestionSource":
        """Return what draws the questions of a subset and split. Raises ConfigError where there are none."""

    # What has a default

    def to_relations(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what `from_relations` takes."""
        return {kind: {} for kind in self.converses}

    def checksum_fields(self, kind: str) -> tuple[Any, ...]:
        """Return what the digest of a world holds of a kind, beside its name and words."""
        relation = self.to_relations()[kind]
        return tuple(relation[field] for field in self.fields)

    def check(self, config: "Config", supply: Supply) -> None:
        """Check what a config asks of this theory, its `scene` above all. Raises ConfigError."""
        if config.scene:
            raise ConfigError(f"scene: {short(config.scene)}: the scenes of {self.name} have no settings")

    def scene_settings(self, config: "Config", k: int) -> Mapping[str, str]:
        """Return the settings of the scenes of a subset, for the card: those asked for and the defaults."""
        return {}

    def sampling(self, config: "Config") -> str:
        """Return how questions are drawn, as a paragraph for the card; "" if there is nothing to say."""
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
        return Composition(tuple(kind.name for kind in labels.kinds if kind.name in possible), outside)

    def head_form(self, kind: str, form: int) -> int | None:
        """Return the form of a fact's first entity, if the kind and the second one's form imply it."""
        return None

    def meanings(self, labels: Labels) -> str:
        """Return what those labels mean whose words do not make it plain, for a prompt; "" if none."""
        return ""

    def free_reader(self, labels: Labels, synonyms: Mapping[str, str]) -> FreeReader | None:
        """Return what reads ordinary sentences of this theory, if there is such a thing.

        synonyms: other words for labels.
        """
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
    raise ConfigError(f"{what}: {short(name)} is not one of {', '.join(one.name for one in known)}")


def find_theory(name: str) -> type[Theory]:
    """Return the theory of this name: ours, or one that an installed package brings."""
    if name in _BUILTIN:
        module, _, attribute = _BUILTIN[name].partition(":")
        found: type[Theory] = getattr(import_module(module), attribute)
        return found
    for entry in metadata.entry_points(group=_GROUP, name=name):
        try:
            loaded: type[Theory] = entry.load()
        except Exception as error:  # a program of somebody else
            raise WorldError(f"theory {name}: {entry.value}: {type(error).__name__}: {error}") from error
        usual = [one for one in ("name", "assumptions", "presets") if not hasattr(loaded, one)]
        if lacks := [*sorted(loaded.__abstractmethods__), *usual]:
            raise WorldError(f"theory {name}: {entry.value} lacks {', '.join(lacks)}")
        return loaded
    known = ", ".join([*_BUILTIN, *sorted({entry.name for entry in metadata.entry_points(group=_GROUP)})])
    raise WorldError(f"there is no theory {short(name)}; the theories are {known}; others need installing")
