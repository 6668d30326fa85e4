"""Options that several commands share, and how their values are read."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.errors import ConfigError, short
from clutrr.measure import RANGE
from clutrr.measure import numbers as numbers
from clutrr.storage import where

if TYPE_CHECKING:
    from clutrr.storage import Where as Where
else:
    Where = Path  # typer knows no unions; `parser=path_or_url` gives either


def path_or_url(text: str) -> "Where":
    """Where data is, or is to be."""
    return where(text)


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Data = Annotated[Where, typer.Argument(help="A data file or folder.", show_default=False, parser=path_or_url)]
DataWorld = Annotated[
    str | None, typer.Option(help="A world by name, or its folder.", show_default="the data's")
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out rows and files that cannot be read, and list them.")
]
Rows = Annotated[
    Where | None,
    typer.Option(
        metavar="OUT",
        help="Write the finding for each row to this .parquet or .jsonl file.",
        show_default=False,
        parser=path_or_url,
    ),
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
ASSUME = (
    "Which families are possible. tree: no marriage links two families that are already linked "
    "(two brothers cannot marry two sisters); open: one may."
)
FACTS = "Trust the facts column, even where the text was not seen to state it."
ByFacts = Annotated[bool, typer.Option("--facts", help=FACTS)]


def span(text: str, name: str) -> tuple[int, int]:
    """`3` or `2-4`: the least and the most."""
    match = RANGE.fullmatch(text)
    if not match:
        raise ConfigError(f"{name}: {short(text)} is not a number or a range such as 2-4")
    return int(match[1]), int(match[2] or match[1])


def words(text: str, name: str) -> tuple[str, ...]:
    """Words with commas between them."""
    found = tuple(word.strip() for word in text.split(","))
    if not all(found):
        raise ConfigError(f"{name}: {text!r} is not a list of words with commas between them")
    return found


def yes_no(text: str, name: str) -> bool:
    """`yes` or `no`."""
    if text not in ("yes", "no"):
        raise ConfigError(f"{name}: {text!r} is neither yes nor no")
    return text == "yes"


def local_path(text: str) -> Path:
    """A path on this machine; a URL would be taken for a strange folder."""
    found = path_or_url(text)
    if not isinstance(found, Path):
        raise ConfigError(f"{found}: a path on this machine is needed here, not a URL")
    return found
