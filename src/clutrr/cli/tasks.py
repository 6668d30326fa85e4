"""clutrr tasks: where other people's frameworks find our questions."""

import typer

app = typer.Typer(help="Where evaluation frameworks find our tasks.", no_args_is_help=True)


@app.command("lm-eval")
def lm_eval() -> None:
    """Print the folder of tasks for the language model evaluation harness (`--include_path`)."""
    from clutrr.tasks import LM_EVAL

    print(LM_EVAL)


@app.command("inspect")
def inspect() -> None:
    """Print the name of the task for Inspect (`inspect eval`)."""
    print("clutrr/kinship")
