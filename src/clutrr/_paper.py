"""The figures of the paper, as data.

Table 1: test accuracy in percent, and the setting it was measured in. Table 2: numbers of paths.
"""

from collections.abc import Mapping

SUBSETS = ("M3", "M4", "M5", "M6")
PRESET = "published"  # the stories that the paper's figures belong to

# By model: a row for each subset trained on, in it the subsets tested on.
TABLE_1: Mapping[str, tuple[tuple[float, float, float, float], ...]] = {
    "lstm": (
        (100, 46.6, 0, 0),
        (37, 100, 48, 0),
        (17.8, 45.5, 100, 100),
        (18.5, 47.59, 100, 100),
    ),
    "gnn": (
        (98.3, 69, 0, 0),
        (59.8, 95.3, 87.8, 39.9),
        (18.4, 49.4, 96.8, 92.7),
        (18.5, 47.6, 96.2, 92.2),
    ),
    "gnn-attention": (
        (99.8, 67.79, 0.001, 0),
        (65.7, 98.2, 89.9, 44.1),
        (16.8, 47.1, 99.1, 97.9),
        (17.2, 46.29, 98.7, 97.2),
    ),
}
# Unique paths by edges, in families of 3 levels with 3 children a couple.
TABLE_2 = {2: 20, 3: 84, 4: 305, 5: 978, 6: 2814}

TITLES = {
    "lstm": "LSTM",
    "gnn": "GNN",
    "gnn-attention": "GNN-Attention",
    "composer": "Composer",
    "epignn": "EpiGNN",
}


def accuracy(model: str, train: str, test: str) -> float | None:
    """The paper's figure; none for what it does not report. `gnn+literal` is a GNN of the paper too."""
    rows = TABLE_1.get(model.partition("+")[0])
    if rows is None or train not in SUBSETS or test not in SUBSETS:
        return None
    return rows[SUBSETS.index(train)][SUBSETS.index(test)]


def title(model: str) -> str:
    """The paper's name of a model, or a name like those, with our choices as they are."""
    base, plus, choices = model.partition("+")
    return TITLES.get(base, base) + plus + choices
