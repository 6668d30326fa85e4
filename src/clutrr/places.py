"""The places where folders are made: beside OUT on a disk, under their final names at a URL.

On a disk the work is done in OUT.partial beside OUT, and what is finished is moved into place at once. Where
OUT is an empty mount point, or its parent cannot be written to, the work is done inside, in OUT/.partial.
A killed process leaves that folder behind; the next one removes it or continues from it.

At a URL nothing is renamed, and the manifest comes last:

    OUT/.partial/plan.json   what is being made; written first, so that the folder is known to be ours
    OUT/.partial/...         notes about the files that are done
    OUT/...                  the files
    OUT/manifest.json        last; then .partial goes

A folder there without its manifest is not finished: the command that writes it continues, and any other is
refused. Nothing is locked: two runs of the same plan write the same bytes under the same names.
"""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clutrr.errors import OutputError
from clutrr.files import (
    INSIDE,
    LOCK,
    MANIFEST,
    Where,
    check_free,
    files_in,
    is_empty,
    load_json,
    locked,
    made_here,
    replace_text,
    sync,
    sync_all,
    writing,
)

if TYPE_CHECKING:
    from clutrr.url import Url

PLAN = "plan.json"
_WHOLE, _REPLACED = "data-set", "replaced"


@dataclass(frozen=True)
class Place:
    """The place where OUT is made. work: the folder to work in. whole: what will become OUT, inside it."""

    out: Path
    work: Path

    @property
    def whole(self) -> Path:
        return self.work / _WHOLE

    @property
    def inside(self) -> bool:
        return self.work.parent == self.out

    def clear(self) -> None:
        """Remove what the work has left, except the lock."""
        for entry in self.work.iterdir():
            if entry.name != LOCK:
                _remove(entry)

    def finish(self, made: Path | None = None) -> None:
        """Put what was made in the place of OUT; what was there before is removed last."""
        made, out = made or self.whole, self.out
        sync_all(made)
        if self.inside:
            self._move_up(made)
        else:
            if out.is_dir():
                os.replace(out, self.work / _REPLACED)
            os.replace(made, out)
        sync(out.parent)
        self.clear()

    def _move_up(self, made: Path) -> None:
        """Move it entry by entry, the manifest last."""
        for entry in sorted(made.iterdir(), key=lambda entry: entry.name == MANIFEST):
            os.replace(entry, self.out / entry.name)
        sync(self.out)


@dataclass(frozen=True)
class RemotePlace:
    """The place where OUT is made at a URL. work: notes, until it is finished. whole: the data set."""

    out: "Url"

    @property
    def work(self) -> "Url":
        work: Url = self.out / INSIDE
        return work

    @property
    def whole(self) -> "Url":
        return self.out

    def claim(self, plan: Mapping[str, Any], force: bool) -> None:
        """Claim the folder for this plan. Only what we made is ever replaced, and only with force."""
        out = self.out
        if out.is_root:
            raise OutputError(f"{out} is a whole bucket: name a folder in it")
        there = files_in(out)
        before = load_json(self.work / PLAN)
        unfinished = MANIFEST not in there and bool(before)
        goes_on = unfinished and before == plan
        if there and not unfinished:
            check_free(out, force)
        elif unfinished and not goes_on and not force:
            raise OutputError(
                f"{out} is not finished: run the command that writes it again, "
                "choose another name, or add --force to start over"
            )
        replace_text(self.work / PLAN, json.dumps(plan))  # first, so that the folder is known to be ours
        if there and not goes_on:
            (out / MANIFEST).unlink(missing_ok=True)
            keep_only(out, [])

    def clear(self) -> None:
        """Remove the notes."""
        keep_only(self.work, [])

    finish = clear  # all is there, and the manifest says so

    def put(self, made: Path) -> None:
        """Put a finished local folder there, the manifest last."""
        names = files_in(made)
        keep_only(self.out, names)
        for name in sorted(names, key=lambda name: name == MANIFEST):
            (self.out / name).put(made / name)
        self.finish()


def keep_only(folder: Where, names: Iterable[str]) -> None:
    """Remove what does not belong to a data set: a killed worker, or an earlier plan, may have left it."""
    kept = set(names)
    for name in files_in(folder):
        if name not in kept and not name.startswith(f"{INSIDE}/"):
            (folder / name).unlink(missing_ok=True)


@contextmanager
def workplace(out: Path, more: Iterable[str] = ()) -> Iterator[Place]:
    """Yield the place to make OUT in, for this process alone. more: further names that the work uses there.

    Check inside this block whether OUT is free: outside, another process may be at work on it.
    """
    try:
        str(out).encode()
    except UnicodeEncodeError:
        raise OutputError(
            f"{out}: the name is not UTF-8 text, and it has to be written into files: rename it"
        ) from None
    out = Path(os.path.realpath(out))
    inside = out.is_dir() and (
        os.path.ismount(out) or out == Path.cwd().resolve() or not os.access(out.parent, os.W_OK)
    )
    if out.name == "":
        raise OutputError(f"{out} is the root of the file system: choose another name")
    work = out / INSIDE if inside else out.with_name(out.name + INSIDE)
    try:
        if os.path.lexists(work) and not work.is_dir():
            raise _in_the_way(out, work)
        with locked(work / LOCK):  # before a look: another command at work has other names there
            if not is_empty(work, LOCK, _WHOLE, _REPLACED, *more):
                raise _in_the_way(out, work)
            yield Place(out, work)
    finally:
        with contextlib.suppress(OSError):  # unless something is left to continue from
            work.rmdir()


def _in_the_way(out: Path, work: Path) -> OutputError:
    return OutputError(f"{work} is in the way: {out.name} is made there first; move it away")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


@contextmanager
def made_aside(
    out: Where, plan: Mapping[str, Any], force: bool, is_ours: Callable[[Where], bool] | None = None
) -> Iterator[Path]:
    """Yield the name of a local folder to make; when the block ends, its content takes the place of OUT.

    - plan: what is made, by which a folder at a URL is claimed.
    - force: whether to replace what we made.
    - is_ours: tells what may be replaced where OUT is one file: the one of that name in the folder.
    """
    with writing(out):
        if isinstance(out, Path):
            with workplace(out) as place:
                check_free(place.out, force, is_ours or made_here)
                place.clear()  # a killed run
                try:
                    yield place.whole
                    place.finish(place.whole / out.name if is_ours else None)
                finally:
                    place.clear()
            return
        there = RemotePlace(out)
        if is_ours is None:
            there.claim(plan, force)
        else:
            check_free(out, force, is_ours)
        with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
            made = Path(folder) / _WHOLE
            yield made
            if is_ours is None:
                there.put(made)
            else:
                out.put(made / out.name)
