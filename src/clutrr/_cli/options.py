"""Options that several commands share, and where their paths lead."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clutrr._io.locations import parse_location
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr._io.locations import Location as Location
else:
    Location = Path  # typer knows no unions; the parser gives either


def path_or_url(text: str) -> "Location":
    """Return a place of data."""
    return parse_location(text)


def local_path(text: str) -> Path:
    """Return a path on this machine; a URL would be taken for a strange folder."""
    found = path_or_url(text)
    if not isinstance(found, Path):
        raise ConfigError("a path on this machine is needed here, not a URL", place=found)
    return found


def place(text: str, **more: Any) -> Any:
    """An argument that is a path or a URL."""
    return typer.Argument(help=text, **{"show_default": False, "parser": path_or_url, **more})


def option(text: str, default: bool | str = True, *names: str, **more: Any) -> Any:
    """An option. default: what its help says of the default, if that is not the value; False: nothing."""
    return typer.Option(*names, help=text, show_default=default, **more)


def flag(name: str, text: str) -> Any:
    """An option that is on or off."""
    return typer.Option(name, help=text)


AsJson = Annotated[bool, flag("--json", "Print JSON.")]
Force = Annotated[bool, flag("--force", "Replace what is there.")]
Data = Annotated[Location, place("A data set: a folder or a file.")]
World = Annotated[
    str, option("kinship, order, time, regions, directions, kinship-v1, or a folder.")
]
DataWorld = Annotated[
    str | None, option("The world of the data: a name or a folder.", "the data's")
]
SkipBad = Annotated[
    bool, flag("--skip-bad", "Leave out rows and files that cannot be read, and name them.")
]
Device = Annotated[str, option("auto, cpu or cuda.")]
Encoder = Annotated[
    str, option("For pairs: the pretrained encoder, a folder or a name on the hub.", False)
]
Cluster = Annotated[
    str | None,
    option(
        "Work on a Dask cluster: the address of its scheduler; or local:N, for N processes without Dask.",
        "DASK_SCHEDULER_ADDRESS, if it is set",
        metavar="ADDRESS",
    ),
]
ASSUME = "Which scenes count as possible: tree or open in kinship, unit or free in directions."
FACTS = "Trust the facts column, even where the text was not seen to state it."
