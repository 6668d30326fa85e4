"""A small theory for tests: people in a row of seats, each left or right of every other."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import yaml

from clutrr._labels import Labels
from clutrr._puzzle import Fact
from clutrr.errors import ConfigError, DataError, WorldError
from clutrr.theory import Assumption, Preset, QuestionSpec, Solver, Supply, Theory, Verdict
from clutrr.theory.questions import Cast, PossibleKinds, QuestionBlock, QuestionSource

CONVERSES = {"left": "right", "right": "left"}
WORDS = {"left": "left of", "right": "right of"}
NAMES = (
    "Ada Ben Cleo Dora Emil Fay Gus Hal Ida Jan Kit Lou Max Nia Ole Pam Quin Ray Sue Tim".split()
)
ROW = "Everyone sits in one row, each on a seat of their own."


class SeatsSolver(Solver):
    """An order is possible unless the facts lead the other way round."""

    def verdict(self, facts: Sequence[Fact], query: tuple[str, str]) -> Verdict:
        first, last = query
        if first == last or not {first, last} <= {
            name for fact in facts for name in (fact.head, fact.tail)
        }:
            raise DataError(f"no fact is about {first} and {last}")
        after: dict[str, set[str]] = {}
        for head, relation, tail in facts:
            one, other = (tail, head) if relation == WORDS["left"] else (head, tail)
            after.setdefault(one, set()).add(other)
        if any(name in self._beyond(name, after) for name in after):
            return Verdict((), False, self.assume)
        left, right = first in self._beyond(last, after), last in self._beyond(first, after)
        relations = [WORDS["left"]] * (not right) + [WORDS["right"]] * (not left)
        return Verdict(tuple(relations), False, self.assume)

    @staticmethod
    def _beyond(name: str, after: Mapping[str, set[str]]) -> set[str]:
        """Everyone who sits further right by the facts."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            new = after.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found


class SeatsSource(QuestionSource):
    """Draws routes: all one way if the answer is to be determined, with a turn if not."""

    block, scenes = 64, 4

    def __init__(self, spec: QuestionSpec, supply: Supply) -> None:
        self._keeps, self._supply, self._k = spec.preset.keeps, supply, spec.k

    def draw(self, rng: np.random.Generator) -> QuestionBlock:
        rows, k, (names,) = self.block, self._k, self._supply.names
        turned = rng.random(rows) < (0 if self._keeps == "entailed" or k == 1 else 0.5)
        target = rng.integers(0, 2, rows)
        kinds = np.repeat(target[:, None], k, axis=1)
        kinds[turned, 0] = 1 - kinds[turned, -1]
        cast = Cast(
            np.tile(np.arange(names, dtype=np.int16), self.scenes),
            np.zeros(self.scenes * names, np.int8),
            rng.integers(0, 2**16, (self.scenes * names, self._supply.attributes), np.uint16),
            each=1,
        )
        scene = np.arange(rows) * self.scenes // rows
        along = np.argsort(rng.random((rows, names)), axis=1)[:, : k + 1]
        places = np.broadcast_to(np.arange(k + 1), (rows, k + 1))
        return QuestionBlock(
            cast=cast,
            k=k,
            scene=scene,
            entities=scene[:, None] * names + along,
            head=places[:, :-1],
            tail=places[:, 1:],
            kinds=kinds,
            first=np.append(0, np.arange(k)),
            roles=np.zeros(k, np.int64),
            targets=np.where(turned & (self._keeps == "mixed"), -1, target),
        )

    def judge(self, questions: QuestionBlock) -> PossibleKinds:
        rows = len(questions)
        possible = np.stack([(questions.kinds == kind).any(axis=1) for kind in (0, 1)], axis=1)
        known = np.ones(rows, bool)
        return PossibleKinds(possible, np.zeros(rows, bool), known, known)

    def notes(self) -> Iterator[str]:
        yield f"M{self._k}: a row of seats"


class Seats(Theory):
    """Left and right in a row."""

    name = "seats"
    assumptions = (Assumption("row", "everyone sits in one row", ROW),)
    presets = (
        Preset("strict", "questions with one answer", "entailed", "shuffled", "row", balanced=True),
        Preset("mixed", "and others", "mixed", "shuffled", "row", balanced=True),
        Preset("described", "every question", "all", "inserted", "row"),
    )

    @classmethod
    def from_relations(cls, relations: Mapping[str, Mapping[str, object]]) -> "Seats":
        if set(relations) != set(CONVERSES):
            raise WorldError(f"expected exactly the kinds {', '.join(CONVERSES)}")
        return cls()

    @property
    def converses(self) -> Mapping[str, str]:
        return CONVERSES

    def solver(self, labels: Labels, assume: str) -> Solver:
        return SeatsSolver(labels, assume)

    def questions(self, spec: QuestionSpec, supply: Supply) -> QuestionSource:
        return SeatsSource(spec, supply)

    def check(self, spec: QuestionSpec, supply: Supply) -> None:
        super().check(spec, supply)
        if spec.noise:
            raise ConfigError("noise: the theory of seats has none")
        if spec.k >= supply.names[0]:
            raise ConfigError(f"k: {spec.k} facts need more than {supply.names[0]} names")


def install(folder: Path) -> Path:
    """Write what makes this module an installed package with a theory, and return the folder for sys.path."""
    package = folder / "installed"
    about = package / "seats-1.0.dist-info"
    about.mkdir(parents=True)
    (package / "seats.py").write_text(Path(__file__).read_text())
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: seats\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[clutrr.theories]\nseats = seats:Seats\n")
    return package


def write_seats(folder: Path) -> Path:
    """Write a world of this theory, with a lexicon of two templates, and return its folder."""
    files = {
        "world": {"theory": "seats"},
        "relations": {kind: {"words": word} for kind, word in WORDS.items()},
        "templates": {word: [f"{{b}} sits to the {word} {{a}}."] for word in WORDS.values()},
        "attributes": {
            "drink": {"values": ["tea", "milk"], "templates": ["{person} drinks {value}."]}
        },
    }
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (folder / "names.txt").write_text("\n".join(NAMES) + "\n")
    return folder
