"""The theory of kinship: `steps` has what relations mean, `presets` which families are possible."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from clutrr.config import Config
from clutrr.errors import ConfigError, WorldError, short
from clutrr.labels import Labels
from clutrr.theory.kinship.presets import ASSUMPTIONS, PRESETS
from clutrr.theory.kinship.steps import Step, Steps, inverse, reduce, rise
from clutrr.theory.solver import Solver
from clutrr.theory.theory import FreeReader, Supply, Theory
from clutrr.theory.verdict import Composition

if TYPE_CHECKING:  # what draws questions is imported by the methods that need it: solving starts without
    from clutrr.theory.kinship.chains import Chains
    from clutrr.theory.kinship.family_questions import FamilyQuestions
    from clutrr.theory.kinship.placements import EntailedPatterns


@dataclass(frozen=True)
class KinKind:
    """A kind: every way that leads from a person to their relative, and the name of its converse."""

    name: str
    ways: tuple[Steps, ...]
    converse: str


@dataclass(frozen=True)
class Kinship(Theory):
    """Families of people and couples."""

    kinds: tuple[KinKind, ...]

    name = "kinship"
    scene = "family"
    fields = ("steps", "inverse")
    forms = ("female", "male")
    assumptions = ASSUMPTIONS
    presets = PRESETS

    @classmethod
    def from_relations(cls, relations: Mapping[str, Mapping[str, Any]]) -> Self:
        kinds: dict[str, KinKind] = {}
        meant: dict[Steps, str] = {}
        for name, content in relations.items():
            steps = content["steps"]
            several = isinstance(steps, list) and bool(steps) and all(isinstance(way, list) for way in steps)
            ways = tuple(_way(name, way) for way in (steps if several else [steps]))
            if len({rise(way) for way in ways}) > 1:
                raise WorldError(f"{name}: its ways lead to different generations")
            for way in ways:
                if way in meant:
                    raise WorldError(f"{name}: means the same as {meant[way]}")
                meant[way] = name
            kinds[name] = KinKind(name, ways, content["inverse"])
        for kind in kinds.values():
            if not isinstance(kind.converse, str) or kind.converse not in kinds:
                raise WorldError(f"{kind.name}: its inverse {short(kind.converse)} is not defined")
            if set(map(inverse, kind.ways)) != set(kinds[kind.converse].ways):
                raise WorldError(f"{kind.name}: by its steps, its inverse is not {kind.converse}")
        return cls(tuple(kinds.values()))

    def to_relations(self) -> Mapping[str, Mapping[str, Any]]:
        return {
            kind.name: {"steps": [_named(way) for way in kind.ways], "inverse": kind.converse}
            for kind in self.kinds
        }

    def checksum_fields(self, kind: str) -> tuple[Any, ...]:
        found = self._by_name[kind]
        return [[step.name for step in way] for way in found.ways], found.converse

    def __getstate__(self) -> dict[str, Any]:
        return {"kinds": self.kinds}  # what is worked out on the way is not sent to other processes

    @cached_property
    def _by_name(self) -> Mapping[str, KinKind]:
        return {kind.name: kind for kind in self.kinds}

    @cached_property
    def converses(self) -> Mapping[str, str]:
        return {kind.name: kind.converse for kind in self.kinds}

    @cached_property
    def ways(self) -> tuple[tuple[Steps, ...], ...]:
        """The ways of each kind."""
        return tuple(kind.ways for kind in self.kinds)

    @cached_property
    def chains(self) -> "Chains":
        from clutrr.theory.kinship.chains import Chains

        return Chains(self.ways)

    @cached_property
    def entailed(self) -> "EntailedPatterns":
        """The patterns that entail their answer."""
        from clutrr.theory.kinship.placements import EntailedPatterns

        return EntailedPatterns(self.ways)

    def solver(self, labels: Labels, assume: str) -> Solver:
        from clutrr.theory.kinship.solver import KinshipSolver  # shares nothing with what draws questions

        return KinshipSolver(labels, self.assumption(assume).name, self.ways)

    def questions(self, config: Config, supply: Supply, k: int, split: str) -> "FamilyQuestions":
        from clutrr.theory.kinship.family_questions import FamilyQuestions
        from clutrr.theory.kinship.subset import Subset

        return FamilyQuestions(Subset(config, self, supply, k, split))

    def check(self, config: Config, supply: Supply) -> None:
        from clutrr.theory.kinship.subset import FamilySettings, Subset

        FamilySettings.parse(config.scene)
        for k in config.k:
            subset = Subset(config, self, supply, k, "")
            patterns = subset.preset.patterns
            if patterns is not None and k not in patterns:
                known, asked = (", ".join(map(str, numbers)) for numbers in (patterns, config.k))
                raise ConfigError(f"k: preset {subset.preset.name} has k = {known} only, not {asked}")
            subset.check()

    def scene_settings(self, config: Config, k: int) -> Mapping[str, str]:
        from clutrr.theory.kinship.subset import FamilySettings

        return FamilySettings.parse(config.scene).settings(k)

    def sampling(self, config: Config) -> str:
        from clutrr.theory.kinship.sources import UNIFORM_EDGES

        preset = self.preset(config.preset)
        if preset.name == "published":
            return ""
        long = ", ".join(f"M{k}" for k in config.k if k > UNIFORM_EDGES)
        how = "among those not yet on the path: every path can come up, but not equally often"
        if preset.keeps == "entailed":
            how = (
                "guided by the patterns that entail their answer: not each comes up equally often, and those "
                "that lead far away from the first person do not at all"
            )
        given = " with a given target" if preset.balanced else ""
        short = f"Up to {UNIFORM_EDGES} facts, every path{given} is equally likely."
        open_ = "Paths with several possible answers start and end like the others, where they can."
        found = [short] * (min(config.k) <= UNIFORM_EDGES) + [open_] * bool(config.undetermined)
        return " ".join([*found, f"In {long}, paths are drawn person by person, {how}."] if long else found)

    def compose(self, labels: Labels, kinds: Sequence[str]) -> Composition:
        ends = self.chains.ends([labels.index[kind] for kind in kinds])
        possible = tuple(kind.name for number, kind in enumerate(self.kinds) if number in ends)
        return Composition(possible, None in ends)

    def head_form(self, kind: str, form: int) -> int | None:
        return 1 - form if self._by_name[kind].ways == ((Step.SPOUSE,),) else None

    def meanings(self, labels: Labels) -> str:
        from clutrr.theory.kinship.steps import meanings

        return meanings(labels, self.ways)

    def free_reader(self, labels: Labels, synonyms: Mapping[str, str]) -> FreeReader | None:
        from clutrr.theory.kinship.free import KinshipFreeReader

        return KinshipFreeReader(labels, synonyms)


def _way(kind: str, steps: Any) -> Steps:
    """Return a way as `relations.yaml` gives it."""
    if not isinstance(steps, list) or not steps:
        raise WorldError(
            f"{kind}: steps must be a list of parent, child, spouse; what they cannot say needs a theory: "
            "docs/write-a-theory.md"
        )
    for step in steps:
        if step not in ("parent", "child", "spouse"):
            raise WorldError(
                f"{kind}: there is no step {short(step)}; the steps are parent, child, spouse, and what they "
                "cannot say needs a theory: docs/write-a-theory.md"
            )
    try:
        return reduce([Step.named(step) for step in steps])
    except ValueError as error:
        raise WorldError(f"{kind}: {error}") from None


def _named(way: Iterable[Step]) -> list[str]:
    """Return what `_way` takes."""
    named = {Step.SIBLING: ["parent", "child"]}
    return [name for step in way for name in named.get(step, [step.name.lower()])]
