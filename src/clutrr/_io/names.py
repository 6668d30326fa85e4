"""Names from outside: in listings, manifests, indexes and data. None of them leads out of its folder."""

from pathlib import PureWindowsPath
from typing import Any

from clutrr.errors import DataError, short


def safe_join(folder: Any, name: str) -> Any:
    """Return the path of a file in a folder, by its name from outside: steps that each lead down."""
    path = PureWindowsPath(name)  # which knows every way to leave a folder
    if (
        not {"", ".", ".."}.isdisjoint(name.split("/"))
        or "\0" in name
        or "\\" in name
        or path.drive
    ):
        raise DataError(f"{short(name)} is not the name of a file in it", place=folder)
    return folder / name
