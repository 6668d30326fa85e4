"""What to generate: a config that is checked when it is made, and again for the world it is used in."""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.world import World

SPLITS = ("train", "test")
ORDERS = ("path", "inserted", "shuffled")  # of the sentences of a story
STYLES = ("sentences", "prose")
DISJOINT = ("patterns", "wordings", "names")  # what train and test can be kept from sharing, beside scenes
_MOST = 100  # facts of a route


@dataclass(frozen=True)
class Config:
    """Everything that the content of a data set depends on, beside the world.

    preset, order, assume, undetermined: None for what the theory or the preset says; `for_world` fills
    them in. scene: settings of the theory's scenes, such as "levels=3,children=2-4". undetermined: the share
    of questions with several possible answers. supporting, irrelevant, disconnected: facts of each role in a
    story. brackets: whether entities and values are in square brackets. disjoint: what train and test do
    not share; they never share a scene.
    """

    preset: str | None = None
    k: tuple[int, ...] = (3, 4, 5, 6)
    train: int = 4000
    test: int = 1000
    seed: int = 0
    scene: str = ""
    distractors: int = 8
    order: str | None = None
    assume: str | None = None
    undetermined: float | None = None
    supporting: int = 0
    irrelevant: int = 0
    disconnected: int = 0
    style: str = "sentences"
    brackets: bool = True
    disjoint: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.k or list(self.k) != sorted(set(self.k)) or min(self.k) < 1:
            raise ConfigError(f"k: {_listed(self.k)} is not a list of whole numbers of at least 1")
        if max(self.k) > _MOST:
            raise ConfigError(f"k: {max(self.k)} is above {_MOST}")
        for name in ("train", "test", "seed", "distractors", "supporting", "irrelevant", "disconnected"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name}: {getattr(self, name)} is below 0")
        if self.train + self.test == 0:
            raise ConfigError("train, test: both are 0, so there is nothing to generate")
        if self.order is not None:
            _one_of("order", self.order, ORDERS)
        if self.undetermined is not None and not 0 <= self.undetermined <= 1:
            raise ConfigError(f"undetermined: {self.undetermined:g} is not a share from 0 to 1")
        _one_of("style", self.style, STYLES)
        if self.style != "prose" and not self.brackets:
            raise ConfigError("brackets: only prose can do without them; add --style prose")
        if self.supporting % 2 and min(self.k) == 1:
            raise ConfigError(
                f"supporting: {self.supporting} is odd, but another way around the one fact of M1 "
                "takes two facts; ask for an even number"
            )
        for name in self.disjoint:
            _one_of("disjoint", name, DISJOINT)
        if len(set(self.disjoint)) < len(self.disjoint):
            raise ConfigError(f"disjoint: {', '.join(self.disjoint)}: name nothing twice")

    def for_world(self, world: "World") -> "Config":
        """Return the config with everything filled in, checked against a world."""
        preset = world.theory.preset(self.preset)
        mixed = preset.keeps == "mixed"
        if self.undetermined is not None and not mixed:
            raise ConfigError(f"undetermined: only preset mixed has such questions, not {preset.name}")
        share = (0.5 if self.undetermined is None else self.undetermined) if mixed else None
        if share and min(self.k) < 2:
            raise ConfigError("k: preset mixed starts at k = 2: one fact alone is its own answer")
        if share and (self.supporting or self.irrelevant):
            raise ConfigError(
                "supporting, irrelevant: such facts may settle an open question; with preset mixed, ask for "
                "disconnected ones, or for --undetermined 0"
            )
        assume = world.theory.assumption(self.assume or preset.assume).name
        filled = replace(
            self,
            preset=preset.name,
            order=self.order or preset.order,
            assume=assume,
            undetermined=share,
        )
        filled._check_lexicon(world)
        world.theory.check(filled, world.supply)
        return filled

    def _check_lexicon(self, world: "World") -> None:
        attributes = len(world.lexicon.attributes)
        if self.distractors > attributes:
            raise ConfigError(
                f"distractors: {self.distractors}, but world {world.name!r} has {attributes} attributes"
            )
        if self.style == "prose" and world.lexicon.prose is None:
            raise ConfigError(f"style: world {world.name!r} has no prose.yaml; use --style sentences")

    def size(self, split: str) -> int:
        return self.train if split == "train" else self.test

    @property
    def noise(self) -> int:
        """How many facts a story has beside the routes."""
        return self.supporting + self.irrelevant + self.disconnected

    def to_dict(self) -> dict[str, Any]:
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}


def _one_of(name: str, value: str, known: Any) -> None:
    if value not in known:
        raise ConfigError(f"{name}: {value!r} is not one of {', '.join(known)}")


def _listed(numbers: Any) -> str:
    return ", ".join(map(str, numbers)) or "nothing"
