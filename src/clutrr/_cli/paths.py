"""clutrr paths: the paper's Table 2."""

from typing import Annotated

import clutrr
from clutrr._cli.options import AsJson, option
from clutrr._cli.show import print_json, print_records, progress


def paths(
    levels: Annotated[int, option("Generations below the head of the family.")] = 3,
    children: Annotated[int, option("Children of a couple.")] = 3,
    max_edges: Annotated[int, option("The longest paths to count.")] = 6,
    siblings: Annotated[
        str,
        option("Who counts as siblings: all, or only the last generation (last), as in the paper."),
    ] = "last",
    as_json: AsJson = False,
) -> None:
    """Count the paths whose two ends are related, in one family: Table 2 of the paper.

    Two paths count as one if the relation kinds along them and between their ends are the same. The
    paper counts people (nodes); a path of k facts has k edges and k+1 nodes.
    """
    with progress("path lengths", max(0, max_edges - 1)) as tick:
        found = clutrr.paths(levels, children, max_edges, siblings, tick=tick)
    if as_json:
        print_json(found.to_json())
    else:
        print_records(found.caption, found.records())
