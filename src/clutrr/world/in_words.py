"""What is assumed of families, and what relations mean, in words for readers and language models."""

from clutrr.world.assumptions import Assumption
from clutrr.world.steps import Step, Steps
from clutrr.world.world import World

_KIN = (
    "Everybody has exactly one mother and one father, who are married to each other, and at most one spouse. "
    "Spouses are a woman and a man. Nobody is their own ancestor, and nobody marries a blood relative. "
    "Different names are different people. There may be people whom the story does not mention. "
    "Somebody's sex is known only from what the story says."
)
_TREE = (
    "No marriage links two families that are already linked, directly or through other families: "
    "for example, two brothers never marry two sisters."
)
# What needs no explanation.
_PLAIN = (((Step.PARENT,),), ((Step.CHILD,),), ((Step.SPOUSE,),))


def assumed(assume: Assumption) -> str:
    """Which families are possible."""
    return f"{_KIN} {_TREE}" if assume is Assumption.TREE else _KIN


def meant(world: World) -> str:
    """What those relations mean whose names do not say it; "" if there are none."""
    found = [
        f"{' or '.join(kind.words)}: {' or '.join(map(_meaning, kind.steps))}"
        for kind in world.kinds
        if kind.steps not in _PLAIN
    ]
    return f"What is meant: {'; '.join(found)}." if found else ""


def _meaning(steps: Steps) -> str:
    """The way to a relative in words, the nearest person last."""
    if steps == (Step.SIBLING,):
        return "another child of both parents"
    return " of a ".join(step.name.lower() for step in reversed(steps))
