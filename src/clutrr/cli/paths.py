"""clutrr paths: the paper's Table 2."""

from typing import Annotated

from clutrr.cli.options import AsJson, option
from clutrr.cli.show import print_json, print_records, progress
from clutrr.errors import ConfigError


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
    from clutrr.paper import TABLE_2
    from clutrr.theory.kinship import Kinship
    from clutrr.theory.kinship.families import count_paths
    from clutrr.world import load_world

    for name, value, least in (("levels", levels, 1), ("children", children, 1), ("max-edges", max_edges, 2)):
        if value < least:
            raise ConfigError(f"{name}: {value} is below {least}")
    if siblings not in ("last", "all"):
        raise ConfigError(f"siblings: {siblings!r} is not one of last, all")
    theory = load_world().theory
    assert isinstance(theory, Kinship)
    rows: list[dict[str, int | None]] = []
    with progress("path lengths", max_edges - 1) as tick:
        for count in count_paths(theory.ways, levels, children, max_edges, siblings):
            rows.append({**count})
            tick(1)
    if as_json:
        print_json({"rows": rows})
        return
    if (levels, children, siblings) == (3, 3, "last"):
        for row in rows:
            unique = TABLE_2.get(row["edges"] or 0)
            row |= {"paper: unique": unique, "paper: with gender": unique and 2 * unique}
    title = f"Paths in a family of {levels} levels with {children} children a couple, siblings: {siblings}"
    print_records(title, [{name.replace("_", " "): value for name, value in row.items()} for row in rows])
