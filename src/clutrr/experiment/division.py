"""Training stories kept aside to choose by, with wordings that the others do not have.

Where people wrote the sentences, a test story is written in sentences that no training story has.
So are the stories kept aside here; a story that shares a sentence with both sides is on neither.
"""

import random
from collections.abc import Sequence

from clutrr.models.windows import shapes_of


def divide_by_sentences(stories: Sequence[str], share: float, seed: int) -> tuple[list[int], list[int]]:
    """A share of the sentences is held out: the stories with none of these, and those with only these."""
    shapes = [shapes_of(story) for story in stories]
    distinct = sorted(frozenset().union(*shapes))
    held = set(random.Random(seed).sample(distinct, round(share * len(distinct))))
    taught = [number for number, shape in enumerate(shapes) if not shape & held]
    kept = [number for number, shape in enumerate(shapes) if shape and shape <= held]
    return taught, kept
