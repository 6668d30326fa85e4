"""clutrr paths: the paper's Table 2."""

from typing import Annotated

import typer

from clutrr.cli.options import AsJson
from clutrr.cli.show import print_json, print_table, progress


def paths(
    levels: Annotated[int, typer.Option(help="Generations below the head of the family.")] = 3,
    children: Annotated[int, typer.Option(help="Children of a couple.")] = 3,
    max_edges: Annotated[int, typer.Option(help="The longest paths to count.")] = 6,
    siblings: Annotated[
        str,
        typer.Option(
            help="Who counts as siblings: all, or only the last generation (last), as in the paper."
        ),
    ] = "last",
    world: Annotated[str, typer.Option(help="A world by name, or its folder.")] = "kinship",
    as_json: AsJson = False,
) -> None:
    """Count the paths whose two ends are related, in one family: Table 2 of the paper.

    Two paths count as one if the relation kinds along them and between their ends are the same. The
    paper counts people (nodes); a path of k facts has k edges and k+1 nodes.
    """
    from clutrr.errors import ConfigError
    from clutrr.family import count_paths
    from clutrr.paper import TABLE_2
    from clutrr.world import load_world

    if levels < 1:
        raise ConfigError(f"levels: {levels}, but a family has at least 1 level below its head")
    if children < 1:
        raise ConfigError(f"children: {children}, but a couple has at least 1 child")
    if max_edges < 2:
        raise ConfigError(f"max-edges: {max_edges}, but counting starts at 2 edges")
    if siblings not in ("last", "all"):
        raise ConfigError(f"siblings: {siblings!r} is not one of last, all")
    paper = TABLE_2
    counts = []
    with progress("path lengths", max_edges - 1) as tick:
        for count in count_paths(load_world(world), levels, children, max_edges, siblings):
            counts.append(count)
            tick(1)
    comparable = (levels, children, siblings, world) == (3, 3, "last", "kinship")
    if as_json:
        rows = [
            {
                "edges": c.edges,
                "nodes": c.nodes,
                "unique": c.unique,
                "with_gender": c.with_gender,
                "paths": c.paths,
            }
            for c in counts
        ]
        print_json({"rows": rows})
        return
    print_table(
        f"Paths in a family of {levels} levels with {children} children a couple, siblings: {siblings}",
        [
            "edges",
            "nodes",
            "unique",
            "with gender",
            "all paths",
            *(["paper: unique", "with gender"] if comparable else []),
        ],
        [
            [c.edges, c.nodes, c.unique, c.with_gender, c.paths]
            + ([paper.get(c.edges), 2 * paper[c.edges] if c.edges in paper else None] if comparable else [])
            for c in counts
        ],
    )
