"""What a folder that we made holds, as its manifest says; nothing else is ever replaced."""

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from clutrr._io.files import (
    Seal,
    file_digest,
    files_in,
    is_empty,
    is_there,
    open_file,
    replace_text,
)
from clutrr._io.locations import Location
from clutrr._io.names import safe_join
from clutrr._io.records import load_json
from clutrr._version import VERSION
from clutrr.errors import DataError, Give, Hint, OutputError

MANIFEST = "manifest.json"
Seals = dict[str, Seal]  # by its path in a folder


def seal(path: Path) -> Seal:
    """Return the size and checksum of a file."""
    return {"bytes": path.stat().st_size, "sha256": file_digest(path)}


def seals(folder: Path) -> Seals:
    """Return the size and checksum of every file in a folder but its manifest."""
    return {name: seal(folder / name) for name in files_in(folder) if name != MANIFEST}


def check_written(folder: Location, sealed: Seals) -> None:
    """Make sure that what was written is there; not every storage keeps what it takes."""
    for name, what in differences(folder, sealed, read=False):
        raise OSError(errno.EIO, f"{name} is {what} there, although it was written", str(folder))


def differences(
    folder: Location, sealed: Mapping[str, Mapping[str, Any]], read: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield the files that are not as they were sealed, each with what is wrong: "missing" or "changed".

    - read: whether to read every file, instead of looking only at sizes.
    """
    there = files_in(folder)
    for name, expected in sealed.items():
        if name not in there:
            yield name, "missing"
        elif expected["bytes"] != there[name] or (
            read and expected["sha256"] != file_digest(folder / name)
        ):
            yield name, "changed"


def sealed_in(folder: Location, manifest: dict[str, Any]) -> Seals:
    """Return the size and checksum of every file that the manifest of a folder names."""
    try:
        sealed = {
            name: {"sha256": str(one["sha256"]), "bytes": int(one["bytes"])}
            for name, one in manifest.get("files", {}).items()
        }
        for name in sealed:
            safe_join(folder, name)
        return sealed
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError("its list of files cannot be read", place=folder / MANIFEST) from None


def write_manifest(folder: Location, about: Mapping[str, Any], written: Seals) -> dict[str, Any]:
    """Write into a finished folder what it is and what it holds; this also shows that we made it."""
    versions = {"clutrr": VERSION, **about.get("versions", {})}
    check_written(folder, written)
    manifest = {**about, "versions": versions, "files": dict(sorted(written.items()))}
    replace_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return manifest


def in_the_way(out: Location) -> OutputError:
    """Return the error where something else is there that may be replaced if asked."""
    hint = Hint("choose another name, or add {}", (Give("force", True),))
    return OutputError("already holds something else", place=out, hint=hint)


def check_free(out: Location, force: bool) -> None:
    """Refuse to replace any folder; with force, any but one that we made, with nothing else in it."""
    if not is_there(out):
        return
    if isinstance(out, Path):
        if never := _never_replaced(out):
            raise OutputError(
                f"is {never}, which is never replaced", place=out, hint="choose another name"
            )
        if is_empty(out):
            return
    if not force:
        raise in_the_way(out)
    manifest = load_json(out / MANIFEST)
    versions = manifest.get("versions")
    if not (isinstance(versions, dict) and "clutrr" in versions):
        raise OutputError(
            "was not made by clutrr",
            place=out,
            hint=Hint(
                "{} does not replace it: choose another name, or move it away yourself",
                (Give("force", True),),
            ),
        )
    listed = sealed_in(out, manifest)
    for name in files_in(out):
        if name not in listed and name != MANIFEST:
            raise OutputError(
                f"is not in {MANIFEST}",
                place=out / name,
                hint=Hint("{} does not remove it: move it away yourself", (Give("force", True),)),
            )


def _never_replaced(out: Path) -> str:
    """Return what it is, in words, if it must never be replaced; otherwise nothing."""
    out, here = Path(os.path.realpath(out)), Path.cwd().resolve()
    if out == out.parent:
        return "the root of the file system"
    with contextlib.suppress(RuntimeError):  # a user without a home
        home = Path.home().resolve()
        if out == home or out in home.parents:
            return "a home folder, or holds one"
    if out == here or out in here.parents:
        return "the current folder, or holds it"
    return "a mount point" if os.path.ismount(out) else ""


def check_file_kind(
    path: Location, kind: str, ours: Callable[[IO[bytes]], bool], force: bool = True
) -> None:
    """Refuse to overwrite a file unless its content says that it is one of ours."""
    if isinstance(path, Path) and path.is_dir():
        raise OutputError("is a folder; expected the name of a file", place=path)
    if not is_there(path):
        return
    if not force:
        raise in_the_way(path)
    found = False
    with contextlib.suppress(Exception), open_file(path) as file:
        found = ours(file)
    if not found:
        raise OutputError(
            f"already exists and is not a {kind}", place=path, hint="choose another name"
        )
