"""The command line: one thin module a command. Parse, call, print."""

import sys
from typing import Annotated, NoReturn

import typer

from clutrr.cli import (
    ask,
    audit,
    bench,
    convert,
    evaluate,
    explore,
    gallery,
    generate,
    info,
    learn_world,
    learnt,
    paths,
    prompts,
    report,
    reproduce,
    score,
    solve,
    tasks,
    train,
)
from clutrr.errors import ClutrrError, extras_named
from clutrr.version import VERSION

app = typer.Typer(
    name="clutrr",
    help="Kinship stories whose answers are proved: a workbench for relational reasoning over text.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("generate")(generate.generate)
app.command("info")(info.info)
app.command("convert")(convert.convert)
app.command("learn-world")(learn_world.learn_world)
app.command("score")(score.score)
app.command("prompts")(prompts.prompts)
app.command("ask")(ask.ask)
app.command("paths")(paths.paths)
app.command("solve")(solve.solve)
app.command("audit")(audit.audit)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("learnt")(learnt.learnt)
app.command("reproduce")(reproduce.reproduce)
app.command("report")(report.report)
app.command("explore")(explore.explore)
app.command("gallery")(gallery.gallery)
app.add_typer(tasks.app, name="tasks")
app.add_typer(bench.app, name="bench")


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", is_eager=True, help="Print the version.")] = False,
) -> None:
    if version:
        print(VERSION)
        raise typer.Exit


_STOPPED = 130  # the exit code after Ctrl-C
# The errors of click, be it a package of its own or a part of typer.
_UsageError: type[typer.BadParameter] = typer.BadParameter.__mro__[1]


def main() -> None:
    """Run a command; what a user can put right is one line on standard error and exit code 2."""
    try:
        with extras_named():
            code = app(standalone_mode=False)
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            raise SystemExit(0) from None
        _refuse(" ".join(error.format_message().split()))
    except ClutrrError as error:
        _refuse(str(error))
    except (KeyboardInterrupt, typer.Abort):
        code = _STOPPED  # which some versions of typer return themselves
    if code == _STOPPED:
        print("clutrr: stopped; run the same command again to go on", file=sys.stderr)
    raise SystemExit(code or 0)


def _refuse(message: str) -> NoReturn:
    print(f"clutrr: {message}", file=sys.stderr)
    raise SystemExit(2) from None
