"""The command line: a thin function per command. Parse, call, print."""

import contextlib
import os
import sys
import traceback
from importlib import import_module
from importlib.abc import MetaPathFinder
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from clutrr._cli.examples import ending
from clutrr._cli.show import say
from clutrr._cli.wording import message_of
from clutrr._io.executors import raise_gc_threshold
from clutrr._version import VERSION
from clutrr.errors import ClutrrError, extras_named, plain

# The modules of the commands: what people want to do with them, a group of `clutrr --help`, and their names.
_MODULES = {
    "generate": ("Make data", "generate", "convert", "learn-world"),
    "book": ("Make data", "book"),
    "chains": ("Make data", "chains"),
    "info": ("Look at data", "info", "explore"),
    "audit": ("Look at data", "solve", "audit"),
    "train": ("Train and test", "train", "evaluate"),
    "ask": ("Ask models", "prompts", "ask", "score", "tasks"),
    "reproduce": ("The paper", "reproduce", "report"),
    "paths": ("The paper", "paths"),
}


def app(only: str | None = None) -> typer.Typer:
    """Return all commands. only: the one that is called, so that no other module is loaded."""
    every = {
        name: (module, group) for module, (group, *names) in _MODULES.items() for name in names
    }
    made = typer.Typer(
        name="clutrr",
        help="Stories whose answers are proved: a workbench for relational reasoning over text.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",  # so that lines of one paragraph are joined
    )
    for name in [only] if only in every else every:
        module, group = every[name]
        command = getattr(import_module(f"clutrr._cli.{module}"), name.replace("-", "_"))
        made.command(name, rich_help_panel=group, epilog=ending(name))(command)
    made.callback(invoke_without_command=True)(_options)
    return made


def _options(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    if version:
        say(VERSION)
        raise typer.Exit


class _NoPandas(MetaPathFinder):
    def find_spec(self, name: str, *_: Any) -> None:
        if name == "pandas":
            raise ImportError


def _hide_pandas() -> None:
    """Let pyarrow, which looks for pandas once, find none: to import it takes as long as most commands."""
    sys.meta_path.insert(0, _NoPandas())
    import pyarrow as pa

    pa.scalar(0)
    del sys.meta_path[0]


# These read or write data, and run no program of a user that might want a frame.
_DATA = frozenset(
    "generate convert book learn-world chains info explore audit prompts ask score".split()
)
_STOPPED = 130
# How libraries say that there is not enough memory.
_NO_MEMORY = (
    "allocate",
    "out of memory",
    "bad_alloc",
    "failed to map segment",
    "can't start new thread",
)

# The errors of click, which is a separate package or a part of typer.
_UsageError: type[typer.BadParameter] = typer.BadParameter.__mro__[1]


def main(commands: typer.Typer | None = None) -> None:
    """Run a command; commands: those of a tool, instead of ours.

    Whatever goes wrong is one line on standard error: exit code 2 for what a user can put right, 1 for a
    bug in clutrr, 130 when stopped.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115  it was closed by whoever called
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a path may hold bytes that are not text
            stream.reconfigure(errors="backslashreplace")
    code: Any = 0
    raise_gc_threshold()
    try:
        if "" in sys.argv[1:]:  # as a path it would be the current folder
            _refuse("an empty argument (an unset variable?); write . for the current folder")
        with extras_named():
            called = sys.argv[1] if len(sys.argv) > 1 else None
            if called in _DATA and "pyarrow" not in sys.modules:
                _hide_pandas()
            code = (commands or app(called))(standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            raise SystemExit(0) from None
        _refuse(error.format_message())
    except (KeyboardInterrupt, typer.Abort):
        code = _STOPPED
    except Exception as error:
        if os.environ.get("CLUTRR_DEBUG"):
            raise
        _refuse(*_failure(error))
    if code == _STOPPED:  # typer returns it too
        _refuse("stopped; run the same command again to go on", _STOPPED)
    raise SystemExit(code or 0)


def _failure(error: Exception) -> tuple[str, int]:
    """Return what went wrong in words, and the exit code."""
    if isinstance(error, ClutrrError):
        return message_of(error), 2
    said = str(error)
    if isinstance(error, BrokenPipeError):  # the reader of the output is gone
        return "", 1
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or said}", 2
    if isinstance(error, MemoryError) or any(words in said for words in _NO_MEMORY):
        return f"not enough memory: {said[:200] or 'try a smaller size'}", 2
    if isinstance(error, UnicodeEncodeError):
        return "the name of a file or folder is not UTF-8 text: choose another", 2
    place = traceback.extract_tb(error.__traceback__)[-1]
    at = f"{Path(place.filename).name}, line {place.lineno}"
    return (
        f"a bug in clutrr: {type(error).__name__}: {said[:300]} ({at}); "
        "please report it, with what CLUTRR_DEBUG=1 shows",
        1,
    )


def _refuse(message: str, code: int = 2) -> NoReturn:
    with contextlib.suppress(OSError):
        if message:
            print(f"clutrr: {plain(' '.join(message.split()))}", file=sys.stderr, flush=True)
    try:
        sys.stdout.flush()
    except OSError:  # a full or closed output would be reported again at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code) from None
