"""The theory of kinship: `steps` has what relations mean, `presets` which families are possible."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from clutrr._labels import Labels
from clutrr.errors import ConfigError, WorldError, short
from clutrr.theory.kinship.presets import ASSUMPTIONS, PRESETS, KinshipPreset
from clutrr.theory.kinship.steps import Step, Steps, inverse, meanings, reduce, rise, way_in_words
from clutrr.theory.solver import Solver
from clutrr.theory.spec import QuestionSpec, Supply
from clutrr.theory.theory import Theory
from clutrr.theory.verdict import Composition

if (
    TYPE_CHECKING
):  # what draws questions is imported by the methods that need it: solving starts without
    from clutrr.theory.kinship.drawing.chains import Chains
    from clutrr.theory.kinship.drawing.family_questions import FamilyQuestions
    from clutrr.theory.kinship.drawing.placements import EntailedPatterns
    from clutrr.theory.kinship.drawing.subset import Subset


_GENDERED = {0: "a woman", 1: "a man", None: "somebody"}


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
    told_families = True
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
            several = (
                isinstance(steps, list)
                and bool(steps)
                and all(isinstance(way, list) for way in steps)
            )
            ways = tuple(_way(name, way) for way in (steps if several else [steps]))
            if len({rise(way) for way in ways}) > 1:
                raise WorldError("its ways lead to different generations", place=name)
            for way in ways:
                if way in meant:
                    raise WorldError(f"means the same as {meant[way]}", place=name)
                meant[way] = name
            kinds[name] = KinKind(name, ways, content["inverse"])
        for kind in kinds.values():
            if not isinstance(kind.converse, str) or kind.converse not in kinds:
                raise WorldError(
                    f"its inverse {short(kind.converse)} is not defined", place=kind.name
                )
            if set(map(inverse, kind.ways)) != set(kinds[kind.converse].ways):
                raise WorldError(
                    f"by its steps, its inverse is not {kind.converse}", place=kind.name
                )
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
        from clutrr.theory.kinship.drawing.chains import Chains

        return Chains(self.ways)

    @cached_property
    def entailed(self) -> "EntailedPatterns":
        """The patterns that entail their answer."""
        from clutrr.theory.kinship.drawing.placements import EntailedPatterns

        return EntailedPatterns(self.ways)

    def solver(self, labels: Labels, assume: str) -> Solver:
        from clutrr.theory.kinship.deciding.solver import (
            KinshipSolver,  # shares nothing with what draws questions
        )

        return KinshipSolver(labels, self.assumption(assume).name, self.ways)

    def questions(self, spec: QuestionSpec, supply: Supply) -> "FamilyQuestions":
        from clutrr.theory.kinship.drawing.family_questions import FamilyQuestions

        return FamilyQuestions(self._subset(spec, supply))

    def check(self, spec: QuestionSpec, supply: Supply) -> None:
        subset = self._subset(spec, supply)
        patterns = subset.preset.patterns
        if patterns is not None and spec.k not in patterns:
            known = ", ".join(map(str, patterns))
            raise ConfigError(
                f"preset {spec.preset.name} has k = {known} only, not {spec.k}", setting="k"
            )
        subset.check()

    def _subset(self, spec: QuestionSpec, supply: Supply) -> "Subset":
        from clutrr.theory.kinship.drawing.subset import Subset

        return Subset(spec, supply, self.ways, self.chains, self.entailed)

    def scene_settings(self, spec: QuestionSpec) -> Mapping[str, str]:
        from clutrr.theory.kinship.drawing.subset import FamilySettings
        from clutrr.theory.kinship.drawing.told import ToldFamilies

        if spec.families:
            return ToldFamilies.parse(spec.families).settings(spec.k)
        return FamilySettings.parse(spec.scene).settings(spec.k)

    def sampling(self, specs: Sequence[QuestionSpec]) -> str:
        from clutrr.theory.kinship.drawing.sources import UNIFORM_EDGES

        preset = KinshipPreset.of(specs[0].preset)
        if preset.patterns is not None:
            return ""
        if specs[0].families:
            return (
                "Paths are drawn person by person, more of them in large families, and not all equally often. Labels "
                "that hardly any path in these families has are not asked for."
            )
        long = ", ".join(f"M{spec.k}" for spec in specs if spec.k > UNIFORM_EDGES)
        how = "among those not yet on the path: every path can come up, but not equally often"
        if preset.keeps == "entailed":
            how = (
                "guided by the patterns that entail their answer: not each comes up equally often, and those "
                "that lead far away from the first person do not at all"
            )
        given = " with a given target" if preset.balanced else ""
        short = f"Up to {UNIFORM_EDGES} facts, every path{given} is equally likely."
        open_ = "Paths with several possible answers start and end like the others, where they can."
        found = [short] * any(spec.k <= UNIFORM_EDGES for spec in specs)
        found += [open_] * any(spec.undetermined for spec in specs)
        return " ".join(
            [*found, f"In {long}, paths are drawn person by person, {how}."] if long else found
        )

    def compose(self, labels: Labels, kinds: Sequence[str]) -> Composition:
        ends = self.chains.ends([labels.index[kind] for kind in kinds])
        possible = tuple(kind.name for number, kind in enumerate(self.kinds) if number in ends)
        return Composition(possible, None in ends)

    def head_form(self, kind: str, form: int) -> int | None:
        return 1 - form if self._by_name[kind].ways == ((Step.SPOUSE,),) else None

    def meanings(self, labels: Labels) -> str:
        return meanings(labels, self.ways)

    def define(self, kind: str, form: int | None) -> str:
        called = " or ".join(way_in_words(way) for way in self._by_name[kind].ways)
        if self._by_name[kind].ways == ((Step.SIBLING,),):
            return f"{{b}} is {_GENDERED[form]} with both of {{a}}'s parents, and not {{a}}"
        return f"{{b}} is {_GENDERED[form]}: a {called} of {{a}}"


def _way(kind: str, steps: Any) -> Steps:
    """Return a way as `relations.yaml` gives it."""
    if not isinstance(steps, list) or not steps:
        raise WorldError(
            "steps must be a list of parent, child, spouse; what they cannot say needs a theory: "
            "docs/write-a-theory.md",
            place=kind,
        )
    for step in steps:
        if step not in ("parent", "child", "spouse"):
            raise WorldError(
                f"there is no step {short(step)}; the steps are parent, child, spouse, and what they "
                "cannot say needs a theory: docs/write-a-theory.md",
                place=kind,
            )
    try:
        return reduce([Step.named(step) for step in steps])
    except ValueError as error:
        raise WorldError(str(error), place=kind) from None


def _named(way: Iterable[Step]) -> list[str]:
    """Return what `_way` takes."""
    named = {Step.SIBLING: ["parent", "child"]}
    return [name for step in way for name in named.get(step, [step.name.lower()])]
