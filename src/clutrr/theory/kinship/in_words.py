"""What kinds of kin mean, in words for readers and language models."""

from collections.abc import Sequence

from clutrr.labels import Labels
from clutrr.theory.kinship.steps import Step, Steps

# What needs no explanation.
_PLAIN = (((Step.PARENT,),), ((Step.CHILD,),), ((Step.SPOUSE,),))


def meanings(labels: Labels, ways: Sequence[tuple[Steps, ...]]) -> str:
    """Return what those labels mean whose words do not make it plain; "" if there are none.

    ways: of each kind, in the order of the label set.
    """
    found = [
        f"{' or '.join(kind.words)}: {' or '.join(map(_meaning, steps))}"
        for kind, steps in zip(labels.kinds, ways, strict=True)
        if steps not in _PLAIN
    ]
    return f"What is meant: {'; '.join(found)}." if found else ""


def _meaning(steps: Steps) -> str:
    return "another child of both parents" if steps == (Step.SIBLING,) else way_in_words(steps)


def way_in_words(steps: Steps | None) -> str:
    """Return the way to a relative in words, the nearest person last; None: there is no way."""
    if steps is None:
        return "no relative"
    return " of a ".join(step.name.lower() for step in reversed(steps))
