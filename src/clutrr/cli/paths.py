"""clutrr paths: the paper's Table 2."""

from typing import TYPE_CHECKING, Annotated

from clutrr.cli.options import AsJson, option
from clutrr.cli.show import print_json, print_table, progress
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.theory.kinship.families import Count


def paths(
    levels: Annotated[int, option("Generations below the head of the family.")] = 3,
    children: Annotated[int, option("Children of a couple.")] = 3,
    max_edges: Annotated[int, option("The longest paths to count.")] = 6,
    siblings: Annotated[
        str, option("Who counts as siblings: all, or only the last generation (last), as in the paper.")
    ] = "last",
    as_json: AsJson = False,
) -> None:
    """Count the paths whose two ends are related, in one family: Table 2 of the paper.

    Two paths count as one if the relation kinds along them and between their ends are the same. The
    paper counts people (nodes); a path of k facts has k edges and k+1 nodes.
    """
    from clutrr.theory.kinship import Kinship
    from clutrr.theory.kinship.families import count_paths
    from clutrr.world import load_world

    if levels < 1:
        raise ConfigError(f"levels: {levels}, but a family has at least 1 level below its head")
    if children < 1:
        raise ConfigError(f"children: {children}, but a couple has at least 1 child")
    if max_edges < 2:
        raise ConfigError(f"max-edges: {max_edges}, but counting starts at 2 edges")
    if siblings not in ("last", "all"):
        raise ConfigError(f"siblings: {siblings!r} is not one of last, all")
    theory = load_world().theory
    assert isinstance(theory, Kinship)
    counts = []
    with progress("path lengths", max_edges - 1) as tick:
        for count in count_paths(theory.ways, levels, children, max_edges, siblings):
            counts.append(count)
            tick(1)
    if as_json:
        print_json({"rows": [_row(count) for count in counts]})
        return
    title = f"Paths in a family of {levels} levels with {children} children a couple, siblings: {siblings}"
    _print(title, counts, beside_paper=(levels, children, siblings) == (3, 3, "last"))


def _row(count: "Count") -> dict[str, int]:
    names = ("edges", "nodes", "unique", "with_gender", "paths")
    return {name: getattr(count, name) for name in names}


def _print(title: str, counts: "list[Count]", beside_paper: bool) -> None:
    from clutrr.paper import TABLE_2

    columns = ["edges", "nodes", "unique", "with gender", "all paths"]
    rows: list[list[int | None]] = [[*_row(count).values()] for count in counts]
    if beside_paper:
        columns += ["paper: unique", "with gender"]
        unique = [TABLE_2.get(count.edges) for count in counts]
        rows = [[*row, one, one and 2 * one] for row, one in zip(rows, unique, strict=True)]
    print_table(title, columns, rows)
