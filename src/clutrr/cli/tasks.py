"""clutrr tasks: where evaluation frameworks find our questions."""

import typer

from clutrr.cli.examples import ending
from clutrr.cli.show import say

app = typer.Typer(help="Print where evaluation frameworks find our tasks.", no_args_is_help=True)


@app.command("lm-eval", epilog=ending("tasks lm-eval"))
def lm_eval() -> None:
    """Print the folder of tasks for the language model evaluation harness (`--include_path`)."""
    from clutrr.tasks import LM_EVAL

    say(LM_EVAL)


@app.command("inspect", epilog=ending("tasks inspect"))
def inspect() -> None:
    """Print the name of the task for Inspect (`inspect eval`)."""
    say("clutrr/kinship")
