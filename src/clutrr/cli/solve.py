"""clutrr solve: answer one question, with a proof."""

from typing import Annotated

import typer

from clutrr import api
from clutrr.cli.options import ASSUME as ASSUME_HELP
from clutrr.cli.options import AsJson, World
from clutrr.cli.show import print_json, say
from clutrr.settings import ASSUME, WORLD


def solve(
    story: Annotated[str, typer.Option(help="The story.", show_default=False)],
    query: Annotated[
        tuple[str, str],
        typer.Option(help="Two people: what is the second to the first?", show_default=False),
    ],
    world: World = WORLD,
    assume: Annotated[str, typer.Option(help=ASSUME_HELP)] = ASSUME,
    as_json: AsJson = False,
) -> None:
    """Answer one question with a proof: everything that the second person can be to the first.

    For the targets of a data set, use `clutrr audit DATA --rows OUT`.
    """
    solution = api.solve(story, query, world, assume)
    if as_json:
        print_json(solution.to_dict())
    else:
        say(solution)
