"""Options that several commands share, and how their values are read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.errors import ConfigError, short
from clutrr.files import where
from clutrr.measure import numbers as numbers

if TYPE_CHECKING:
    from clutrr.files import Where as Where
else:
    Where = Path  # typer knows no unions; `parser=path_or_url` gives either


def path_or_url(text: str) -> "Where":
    """Return a place of data."""
    return where(text)


def local_path(text: str) -> Path:
    """Return a path on this machine; a URL would be taken for a strange folder."""
    found = path_or_url(text)
    if not isinstance(found, Path):
        raise ConfigError(f"{found}: a path on this machine is needed here, not a URL")
    return found


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Columns = Annotated[
    str | None,
    typer.Option(
        help="Where what is: story=NAME,query=NAME,target=NAME; query=NAME+NAME for two columns.",
        show_default="known names",
    ),
]
Data = Annotated[
    Where, typer.Argument(help="A data set: a folder or a file.", show_default=False, parser=path_or_url)
]
World = Annotated[
    str, typer.Option(help="kinship, order, time, regions, directions, kinship-v1, or a folder.")
]
DataWorld = Annotated[
    str | None, typer.Option(help="A world by name, or its folder.", show_default="the data's")
]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Trust = Annotated[
    bool, typer.Option("--trust", help="Run the program RUN/model.py, if the model is not one of ours.")
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Work on a Dask cluster: the address of its scheduler, or local:N for N processes.",
        show_default="DASK_SCHEDULER_ADDRESS, if it is set",
    ),
]
ASSUME = "Which scenes count as possible: tree or open in kinship, unit or free in directions."
FACTS = "Trust the facts column, even where the text was not seen to state it."


def words(text: str, name: str) -> tuple[str, ...]:
    """Return words that have commas between them."""
    found = tuple(word.strip() for word in text.split(","))
    if not all(found):
        raise ConfigError(f"{name}: {text!r} is not a list of words with commas between them")
    return found


def pairs(text: str | None, name: str) -> dict[str, str]:
    """Return the names and values of `a=1,b=2`; none if there is no text."""
    found: dict[str, str] = {}
    for part in [] if text is None else words(text, name):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not (key and equals and value) or key in found:
            raise ConfigError(f"{name}: {short(part)} is not a setting such as name=1, given once")
        found[key] = value
    return found


def whole_number(text: str, name: str) -> int:
    """Return the number in a text."""
    found = numbers(text, name)
    if len(found) != 1:
        raise ConfigError(f"{name}: {short(text)} is not one number")
    return found[0]
