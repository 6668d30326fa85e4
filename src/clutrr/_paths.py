"""The paper's Table 2: how many paths there are whose two ends are related."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from clutrr._arguments import public
from clutrr._config import DEFAULT_WORLD
from clutrr._display import Shown
from clutrr._lexicon import builtin_world
from clutrr._paper import TABLE_2
from clutrr.errors import ConfigError
from clutrr.theory.kinship import Kinship
from clutrr.theory.kinship.drawing.families import count_paths

_SIBLINGS = ("last", "all")


@dataclass(frozen=True, repr=False)
class PathCounts(Shown):
    """Paths of a family by their number of edges.

    - family: in words
    - counts: edges, nodes, unique paths, unique paths with gender, and all paths
    - of_paper: whether the paper has counted them too
    """

    family: str
    counts: tuple[dict[str, int], ...]
    of_paper: bool

    @property
    def caption(self) -> str:
        return f"Paths in {self.family}"

    def rows(self) -> Iterator[list[str]]:
        records = self.records()
        yield list(records[0])
        for record in records:
            yield ["" if one is None else f"{one:,}" for one in record.values()]

    def records(self) -> list[dict[str, int | None]]:
        """Return the counts, with those of the paper beside them where it has any."""
        found = []
        for count in self.counts:
            record: dict[str, int | None] = {
                name.replace("_", " "): value for name, value in count.items()
            }
            if self.of_paper:
                unique = TABLE_2.get(count["edges"])
                record |= {"paper: unique": unique, "paper: with gender": unique and 2 * unique}
            found.append(record)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {"rows": list(self.counts)}


@public
def paths(
    levels: int = 3,
    children: int = 3,
    max_edges: int = 6,
    siblings: str = _SIBLINGS[0],
    *,
    tick: Callable[[int], None] = lambda lengths: None,
) -> PathCounts:
    """Count the paths whose two ends are related, in one family: Table 2 of the paper.

    Two paths count as one if the relation kinds along them and between their ends are the same.

    - levels: generations below the head of the family
    - children: of a couple
    - max_edges: the longest paths to count
    - siblings: who counts as siblings: all, or only the last generation (last), as in the paper
    - tick: called with how many more lengths are counted

    >>> paths(max_edges=2).counts[0]["unique"]
    20
    """
    for name, value, least in (
        ("levels", levels, 1),
        ("children", children, 1),
        ("max_edges", max_edges, 2),
    ):
        if value < least:
            raise ConfigError(f"is below {least}", setting=name, value=value)
    if siblings not in _SIBLINGS:
        raise ConfigError("is not one of last, all", setting="siblings", value=siblings)
    theory = builtin_world(DEFAULT_WORLD).theory
    assert isinstance(theory, Kinship)
    found = []
    for count in count_paths(theory.ways, levels, children, max_edges, siblings):
        found.append(count)
        tick(1)
    of_paper = (levels, children, siblings) == (3, 3, _SIBLINGS[0])
    family = f"a family of {levels} levels with {children} children a couple, siblings: {siblings}"
    return PathCounts(family, tuple(found), of_paper)
