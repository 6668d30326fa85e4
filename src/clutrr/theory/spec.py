"""What a theory is asked for: presets, assumptions, what a world supplies, and the questions to draw."""

from dataclasses import dataclass
from typing import NamedTuple

from clutrr._labels import Labels
from clutrr._puzzle import SPLITS

# Which questions a preset keeps.
KEEPS = ("all", "determined", "entailed", "mixed")


@dataclass(frozen=True)
class Assumption:
    """A name for the scenes that are possible.

    - name: as users give it
    - brief: what distinguishes it from the theory's others, in half a sentence
    - about: all of it, for readers and language models
    """

    name: str
    brief: str
    about: str


@dataclass(frozen=True)
class Preset:
    """A benchmark by name.

    - name, about: for users; nothing else depends on them
    - keeps: "all" questions whose ends are related; "determined": those with one possible answer;
      "entailed": those with nothing else possible, inside the label set or outside; "mixed":
      determined ones and others
    - order: of the sentences
    - assume: the name of an assumption
    - balanced: whether labels come equally often
    """

    name: str
    about: str
    keeps: str
    order: str
    assume: str
    balanced: bool = False

    def __post_init__(self) -> None:
        if self.keeps not in KEEPS:
            raise ValueError(
                f"preset {self.name}: keeps: {self.keeps!r} is not one of {', '.join(KEEPS)}"
            )


class Supply(NamedTuple):
    """What a world has for a scene.

    - world: its name, for messages
    - labels: its words
    - names: how many names of each form
    - attributes: how many attributes
    """

    world: str
    labels: Labels
    names: tuple[int, ...]
    attributes: int


@dataclass(frozen=True)
class QuestionSpec:
    """What the questions of one subset and split shall be.

    - preset: which questions to keep, and whether labels come equally often
    - assume: the name of the assumption that answers are proved under
    - k: facts of a route
    - routes: how many of them lead from one entity of the query to the other
    - split: `train` or `test`
    - train, test: how many questions each split will have
    - seed: of what holds for a whole split, such as which patterns are its own
    - undetermined: the share of questions with several possible answers
    - supporting, irrelevant, disconnected: facts of each role beside the routes
    - scene: settings of the theory's scenes, such as "levels=3,children=2-4"
    - disjoint_patterns: whether train and test share no pattern
    - families: those of a file, as a text, to be the scenes; "" where scenes are made up
    """

    preset: Preset
    assume: str
    k: int
    routes: int = 1
    split: str = SPLITS[0]
    train: int = 4000
    test: int = 1000
    seed: int = 0
    undetermined: float = 0.0
    supporting: int = 0
    irrelevant: int = 0
    disconnected: int = 0
    scene: str = ""
    disjoint_patterns: bool = False
    families: str = ""

    @property
    def size(self) -> int:
        """The number of questions of the split."""
        return self.train if self.split == SPLITS[0] else self.test

    @property
    def noise(self) -> int:
        """The number of facts beside the routes."""
        return self.supporting + self.irrelevant + self.disconnected
