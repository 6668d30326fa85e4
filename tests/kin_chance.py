"""How surprising counts are, given the weights that they should follow."""

from collections import Counter
from collections.abc import Mapping
from typing import Any


def surprise(observed: Counter[Any], weights: Mapping[Any, float]) -> float:
    """Standard deviations by which chi-square is above its mean (Wilson and Hilferty's cube root)."""
    assert set(observed) <= set(weights)
    size, total = sum(observed.values()), sum(weights.values())
    means = {key: weight * size / total for key, weight in weights.items()}
    rare = [key for key, mean in means.items() if mean < 5]
    cells = [(observed[key], mean) for key, mean in means.items() if mean >= 5]
    if rare:
        cells.append((sum(observed[key] for key in rare), sum(means[key] for key in rare)))
    chi2 = sum((count - mean) ** 2 / mean for count, mean in cells)
    variance = 2 / (9 * (len(cells) - 1))
    return ((chi2 / (len(cells) - 1)) ** (1 / 3) - (1 - variance)) / variance**0.5
