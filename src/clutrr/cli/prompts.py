"""clutrr prompts: puzzles as chat messages."""

from typing import Annotated

import typer

from clutrr.cli.options import Data, DataWorld, yes_no
from clutrr.cli.show import print_json

STYLE = "direct: answer at once; reason: reason first."
ASK = "which: name the relation; yes-no: is it this one?; choice: one of several."


def prompts(
    data: Data,
    split: Annotated[str, typer.Option(help="Which questions: train or test.")] = "test",
    style: Annotated[str, typer.Option(help=STYLE)] = "reason",
    shots: Annotated[
        int, typer.Option(help="Worked examples in each prompt, from train and about other families.")
    ] = 0,
    ask: Annotated[str, typer.Option(help=ASK)] = "which",
    relations: Annotated[str, typer.Option(help="List the possible relations: yes or no.")] = "yes",
    assumptions: Annotated[str, typer.Option(help="State what may be assumed: yes or no.")] = "yes",
    limit: Annotated[
        int | None,
        typer.Option(help="At most this many questions, spread evenly over k.", show_default="all"),
    ] = None,
    world: DataWorld = None,
) -> None:
    """Print the questions of a data set as chat messages for a language model, one JSON object per line.

    Each has id, subset, k, messages, the right answer, the kind of question, and the version of the wording.
    """
    from clutrr.data import open_dataset
    from clutrr.prompts import PromptConfig, prompter_for, prompts_of

    config = PromptConfig(
        style, shots, yes_no(relations, "relations"), yes_no(assumptions, "assumptions"), ask
    )
    opened = open_dataset(data, world)
    for prompt in prompts_of(opened, prompter_for(opened, config), split, limit):
        print_json(prompt.to_dict())
