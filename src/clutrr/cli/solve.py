"""clutrr solve: answer one question, with a proof."""

from typing import Annotated

import typer

from clutrr import api
from clutrr.cli.options import ASSUME, AsJson, World
from clutrr.cli.show import print_json, say
from clutrr.config import DEFAULT_WORLD


def solve(
    story: Annotated[str, typer.Option(help="The story.", show_default=False)],
    query: Annotated[
        tuple[str, str],
        typer.Option(help="Two names: what is the second to the first?", show_default=False),
    ],
    world: World = DEFAULT_WORLD,
    assume: Annotated[str | None, typer.Option(help=ASSUME, show_default="the weakest")] = None,
    as_json: AsJson = False,
) -> None:
    """Answer one question with a proof: everything that the second can be to the first.

    For the targets of a data set, use `clutrr audit DATA --rows OUT`.
    """
    solution = api.solve(story, query, world, assume)
    if as_json:
        print_json(solution.to_dict())
    else:
        say(solution)
