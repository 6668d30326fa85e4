"""Theories that users may write, in a few lines each, with worlds of one template for each kind."""

from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import yaml

from clutrr.theory import Assumption
from clutrr.theory.models import ModelTheory, presets
from clutrr.theory.time import Time

ANY = (Assumption("any", "anything goes", "Anything that the words allow."),)
NAMES = (
    "Ada Ben Cleo Dora Emil Fay Gus Hal Ida Jan Kit Lou Max Nia Ole Pam Quin Ray Sue Tim".split()
)


class Clock(ModelTheory):
    """Positions on a clock face: a group, in which every question has one answer."""

    name = "clock"
    kinds = tuple(f"+{hours}" for hours in range(12))
    assumptions = ANY
    presets = presets("any")

    @classmethod
    def things(cls) -> Sequence[int]:
        return range(12)

    @classmethod
    def relation(cls, a: int, b: int) -> str:
        return f"+{(b - a) % 12}"


class Camps(ModelTheory):
    """Two camps: everybody is a friend of all in their own, themselves included."""

    name = "camps"
    kinds = ("friend", "enemy")
    assumptions = ANY
    presets = presets("any")

    @classmethod
    def things(cls) -> Sequence[int]:
        return range(8)

    @classmethod
    def relation(cls, a: int, b: int) -> str:
        return "friend" if a % 2 == b % 2 else "enemy"


class Nests(ModelTheory):
    """Boxes in boxes, where alternatives that each agree with every third box need not hold together."""

    name = "nests"
    kinds = ("inside", "around", "apart", "same")
    assumptions = ANY
    presets = presets("any")

    @classmethod
    def things(cls) -> Sequence[str]:
        return ["".join(path) for depth in range(5) for path in product("01", repeat=depth)]

    @classmethod
    def relation(cls, a: str, b: str) -> str:
        if a == b:
            return "same"
        if b.startswith(a):
            return "inside"
        return "around" if a.startswith(b) else "apart"


class Indu12(ModelTheory):
    """Intervals on a line of so many points, and which of two is longer: INDU."""

    name = "indu12"
    points = 12
    assumptions = ANY
    presets = presets("any")

    @classmethod
    def things(cls) -> Sequence[tuple[int, int]]:
        return list(combinations(range(cls.points), 2))

    @classmethod
    def relation(cls, a: tuple[int, int], b: tuple[int, int]) -> str:
        lasts = [end - start for start, end in (a, b)]
        longer = "<" if lasts[1] < lasts[0] else ">" if lasts[1] > lasts[0] else "="
        return f"{Time.relation(a, b)} {longer}"


_SHORT = list(combinations(range(8), 2))
Indu12.kinds = tuple(dict.fromkeys(Indu12.relation(a, b) for a in _SHORT for b in _SHORT))


class Indu18(Indu12):
    """The same on a line that is long enough."""

    name = "indu18"
    points = 18


WORDS = {
    **{kind: f"{kind[1:]} on from" for kind in Clock.kinds},
    **{kind: f"{kind} of" for kind in (*Camps.kinds, *Nests.kinds)},
}
OWN = (Clock, Camps, Nests, Indu12, Indu18)


def install(folder: Path) -> Path:
    """Write what makes this module an installed package with theories, and return the folder for sys.path."""
    package = folder / "installed"
    about = package / "own_theories-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: own_theories\nVersion: 1.0\n")
    entries = [f"{theory.name} = own_theories:{theory.__name__}" for theory in OWN]
    (about / "entry_points.txt").write_text("\n".join(["[clutrr.theories]", *entries, ""]))
    return package


def write_world(folder: Path, theory: type[ModelTheory]) -> Path:
    """Write a world of a theory in a folder, and return the folder."""
    words = {kind: _word(kind) for kind in theory.kinds}
    files: dict[str, Any] = {
        "world": {"theory": theory.name},
        "relations": {kind: {"words": word} for kind, word in words.items()},
        "templates": {word: [f"{{b}} is {word} {{a}}."] for word in words.values()},
        "attributes": {
            "drink": {"values": ["tea", "milk"], "templates": ["{person} drinks {value}."]}
        },
    }
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (folder / "names.txt").write_text("\n".join(NAMES) + "\n")
    return folder


def _word(kind: str) -> str:
    if kind in WORDS:
        return WORDS[kind]
    first, longer = kind.split()
    named = {"<": "before", ">": "after", "=": "with"}.get(first, f"{first.upper()} to")
    return f"{ {'<': 'shorter', '>': 'longer', '=': 'equal'}[longer] } {named}"
