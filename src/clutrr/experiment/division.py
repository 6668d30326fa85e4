"""Training stories set aside for validation, with wordings that the others do not have.

If people wrote the sentences, a test story consists of sentences that no training story has. The same
holds for the stories set aside here; a story that shares sentences with both sides is on neither.
"""

import random
from collections.abc import Sequence

from clutrr.models.windows import shapes_of


def divide_by_sentences(stories: Sequence[str], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Hold out a share of the sentences: the stories with none of these, and those with only these."""
    shapes = [shapes_of(story) for story in stories]
    distinct = sorted(frozenset().union(*shapes))
    held = set(random.Random(seed).sample(distinct, round(share * len(distinct))))
    taught = [number for number, shape in enumerate(shapes) if not shape & held]
    kept = [number for number, shape in enumerate(shapes) if shape and shape <= held]
    return taught, kept
