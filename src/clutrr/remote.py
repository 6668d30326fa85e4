"""A folder made at a URL, where nothing is renamed: files go under their final names, the manifest last.

    OUT/.partial/plan.json   what is being made; written first, so that the folder is known to be ours
    OUT/.partial/...         notes about the files that are done
    OUT/...                  the files
    OUT/manifest.json        last; then .partial goes

A folder without its manifest is not finished: the command that writes it continues from there, and any
other is refused. Nothing is locked: two runs of the same plan write the same bytes under the same names.
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clutrr.errors import OutputError
from clutrr.files import (
    INSIDE,
    MANIFEST,
    Place,
    check_free,
    files_in,
    load_json,
    made_here,
    replace_text,
    workplace,
    writing,
)
from clutrr.storage import Where

if TYPE_CHECKING:
    from clutrr.url import Url

PLAN = "plan.json"


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
            self.keep_only([f"{INSIDE}/{PLAN}"])

    def keep_only(self, names: Iterable[str]) -> None:
        """Remove what does not belong to the data set: an earlier plan may have left it."""
        kept = set(names)
        for name in files_in(self.out):
            if name not in kept and not (name.startswith(f"{INSIDE}/") and name != MANIFEST):
                (self.out / name).unlink(missing_ok=True)

    def clear(self) -> None:
        """Remove the notes."""
        for name in files_in(self.work):
            (self.work / name).unlink(missing_ok=True)

    def finish(self) -> None:
        """All is there, and the manifest says so."""
        self.clear()


@dataclass(frozen=True)
class Staged:
    """A file or folder that is made here and then put at a URL. whole: the folder to make it in."""

    out: "Url"
    whole: Path

    def finish(self, made: Path | None = None) -> None:
        """Put it there: one file, or all of the folder, the manifest last."""
        if made is not None:
            self.out.put(made)
            return
        place = RemotePlace(self.out)
        names = files_in(self.whole)
        place.keep_only(names)
        for name in sorted(names, key=lambda name: name == MANIFEST):
            (self.out / name).put(self.whole / name)
        place.finish()


@contextmanager
def made_aside(
    out: Where, plan: Mapping[str, Any], force: bool, is_ours: Callable[[Where], bool] | None = None
) -> Iterator[Place | Staged]:
    """Yield the place to make OUT in before it is put there: beside it, or here where OUT is a URL.

    - plan: what is made, by which a folder at a URL is claimed.
    - force: whether to replace what we made.
    - is_ours: tells what may be replaced where OUT is one file, not a folder.
    """
    with writing(out):
        if isinstance(out, Path):
            with workplace(out) as place:
                check_free(place.out, force, is_ours or made_here)
                place.clear()  # a killed run
                try:
                    yield place
                finally:
                    place.clear()
            return
        if is_ours is None:
            RemotePlace(out).claim(plan, force)
        else:
            check_free(out, force, is_ours)
        with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
            yield Staged(out, Path(folder) / "data-set")
