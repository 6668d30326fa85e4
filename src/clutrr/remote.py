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
from typing import Any

from clutrr.errors import OutputError
from clutrr.files import INSIDE, MANIFEST, Place, files_in, load_json, made_here, replace_text, workplace
from clutrr.storage import Url, Where

PLAN = "plan.json"


@dataclass(frozen=True)
class RemotePlace:
    """Where OUT is made. work: notes, until it is finished; whole: what becomes the data set."""

    out: Url

    @property
    def work(self) -> Url:
        return self.out / INSIDE

    @property
    def whole(self) -> Url:
        return self.out

    def claim(self, plan: Mapping[str, Any], force: bool, ours: Callable[[Url], bool] = made_here) -> None:
        """Claim the folder for this plan. Only what we made is ever replaced, and only with force."""
        out = self.out
        if out.is_root:
            raise OutputError(f"{out} is a whole bucket: name a folder in it")
        there = files_in(out)
        before = load_json(self.work / PLAN)
        if not there or (MANIFEST not in there and before == plan):
            replace_text(self.work / PLAN, json.dumps(plan))
            return
        unfinished = MANIFEST not in there and bool(before)
        if not force:
            if unfinished:
                raise OutputError(
                    f"{out} is not finished: run the command that writes it again, "
                    "choose another name, or add --force to start over"
                )
            raise OutputError(f"{out} already holds something else: choose another name, or add --force")
        if not unfinished and not ours(out):
            raise OutputError(
                f"{out} was not made by clutrr, so --force does not replace it: "
                "choose another name, or move it away yourself"
            )
        replace_text(self.work / PLAN, json.dumps(plan))
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

    out: Url
    whole: Path

    def clear(self) -> None:
        """Nothing is kept here, so there is nothing to remove."""

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
def made_aside(out: Where) -> Iterator[Place | Staged]:
    """The place to make OUT in before it is put there: beside it, or here where OUT is a URL."""
    if not isinstance(out, Url):
        with workplace(out) as place:
            yield place
        return
    with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
        yield Staged(out, Path(folder) / "data-set")
