"""The places where folders are made: beside OUT on a disk, under their final names at a URL.

On a disk the work is done in OUT.partial beside OUT, and what is finished changes places with OUT in one
step. At a URL nothing can be moved: files get their final names at once, the notes are in OUT/.partial, and
the manifest comes last.

    plans/ID.json    what is being made, and the names of its files: nothing else is ever removed
    done/            notes about the files that are done

A killed process leaves its notes; the same command goes on from them, and any other is refused. On a disk a
lock keeps others out. At a URL, a command writes its plan and then looks for those of others: of two that
differ, at least one sees the other and stops. Two runs of one plan write the same bytes under the same names.
"""

import contextlib
import ctypes
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr._io.files import PARTIAL, atomic_write, files_in, is_empty, replace_text, sync, writing
from clutrr._io.locations import Location
from clutrr._io.locks import LOCK, locked
from clutrr._io.manifests import MANIFEST, check_free, check_written, seals
from clutrr._io.records import digest_of, load_json
from clutrr.errors import Give, Hint, OutputError

PLANS = "plans"
_WHOLE, _REPLACED = "data-set", "before"
_AT_FDCWD, _EXCHANGE = -100, 2  # of renameat2, in Linux


@dataclass(frozen=True)
class StagingArea:
    """The place where OUT is made. work: the folder with notes. whole: what becomes OUT; at a URL, OUT."""

    out: Location
    work: Location
    whole: Location

    @property
    def is_local(self) -> bool:
        return isinstance(self.out, Path)

    def claim(self, plan: Mapping[str, Any], names: Iterable[str], force: bool) -> None:
        """Claim OUT for this plan. Only what we made is ever replaced, and only with force."""
        note = self._note(plan)
        if not self.is_local:
            self._make_room(note, force)
        elif not load_json(note):  # nothing yet, or left by a run of another command
            self.clear()
        note.parent.mkdir(parents=True, exist_ok=True)
        replace_text(note, json.dumps({"plan": plan, "files": sorted(names)}))
        self.check_claim(plan)

    def _note(self, plan: Mapping[str, Any]) -> Location:
        return self.work / PLANS / f"{digest_of(plan)[:16]}.json"

    def _make_room(self, note: Location, force: bool) -> None:
        """Remove what is not of this plan."""
        there, notes = (
            files_in(self.out),
            [self.work / PLANS / name for name in files_in(self.work / PLANS)],
        )
        if not there or (MANIFEST not in there and notes == [note]):
            return
        if MANIFEST in there or not notes:
            check_free(self.out, force)
            ours = set(there)  # all of it is in the manifest
        elif force:
            ours = {str(name) for one in notes for name in load_json(one).get("files", ())}
        else:
            raise OutputError(
                "is not finished",
                place=self.out,
                hint=Hint(
                    "run the command that writes it again, choose another name, or add {} to start over",
                    (Give("force", True),),
                ),
            )
        for name in there:
            if name not in ours:
                raise OutputError(
                    "is not of what was made there", place=self.out / name, hint="move it away"
                )
        for name in sorted(there, key=lambda name: name != MANIFEST):
            (self.out / name).unlink(missing_ok=True)
        self.clear()

    def check_claim(self, plan: Mapping[str, Any]) -> None:
        """Refuse to go on where another command has claimed OUT."""
        note = self._note(plan)
        if list(files_in(self.work / PLANS)) != [note.name]:
            with contextlib.suppress(OSError):
                note.unlink(missing_ok=True)
            raise OutputError(
                "another command writes there", place=self.out, hint="choose another name"
            )

    def clear(self) -> None:
        """Remove what the work has left, except the lock."""
        keep_only(self.work, [LOCK])

    def finish(self) -> None:
        """Put what was made in the place of OUT; what was there before is removed last."""
        if self.is_local:
            assert isinstance(self.out, Path)
            assert isinstance(self.whole, Path)
            for each in (*self.whole.rglob("*"), self.whole):
                sync(each)
            if not self.out.is_dir():
                os.replace(self.whole, self.out)
            elif not _exchanged(self.whole, self.out):
                os.replace(self.out, self.work / _REPLACED)
                try:
                    os.replace(self.whole, self.out)
                except BaseException:
                    self.restore()
                    raise
            sync(self.out.parent)
        self.clear()

    def restore(self) -> None:
        """Put back what a run that was stopped between two steps has moved away."""
        before = self.work / _REPLACED
        if isinstance(self.out, Path) and before.is_dir() and not os.path.lexists(self.out):
            os.replace(before, self.out)

    def put(self, made: Path, plan: Mapping[str, Any], force: bool) -> None:
        """Copy a finished folder to a URL, the manifest last."""
        sealed = seals(made)
        self.claim(plan, sealed, force)
        for name in (*sealed, MANIFEST):
            if name == MANIFEST:
                self.check_claim(plan)
                check_written(self.out, sealed)
            (self.out / name).parent.mkdir(parents=True, exist_ok=True)
            with atomic_write(self.out / name) as making:
                shutil.copyfile(made / name, making)
        self.clear()


def _exchanged(one: Path, other: Path) -> bool:
    """Let two folders change places in one step, where the system can; return whether it did."""
    library = ctypes.CDLL(None)
    names = os.fsencode(one), os.fsencode(other)
    if rename := getattr(library, "renameat2", None):
        return bool(rename(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _EXCHANGE) == 0)
    rename = getattr(library, "renamex_np", None)  # in macOS
    return rename is not None and bool(rename(*names, _EXCHANGE) == 0)


def keep_only(folder: Location, names: Iterable[str]) -> None:
    """Remove every other file below a folder, and the folders that are left empty. No link is followed."""
    kept = set(names)
    for name in files_in(folder):
        if name not in kept:
            (folder / name).unlink(missing_ok=True)
    if isinstance(folder, Path):
        for entry in sorted(folder.rglob("*"), reverse=True):
            if entry.is_dir() and not any(entry.iterdir()):
                entry.rmdir()


@contextmanager
def staging_area(out: Location, more: Iterable[str] = ()) -> Iterator[StagingArea]:
    """Yield the place to make OUT in; on a disk, for this process alone. more: names that are used there.

    Check inside this block whether OUT is free: outside, another process may be at work on it.
    """
    if out.name.endswith(PARTIAL):
        raise OutputError(
            f"a name that ends in {PARTIAL} means work in progress",
            place=out,
            hint="choose another name",
        )
    if not isinstance(out, Path):
        if out.is_root:
            raise OutputError("is a whole bucket", place=out, hint="name a folder in it")
        yield StagingArea(out, out / PARTIAL, out)
        return
    try:
        str(out).encode()
    except UnicodeEncodeError:
        raise OutputError(
            "the name is not UTF-8 text, and it has to be written into files",
            place=out,
            hint="rename it",
        ) from None
    out = Path(os.path.realpath(out))
    if out.name == "":
        raise OutputError("is the root of the file system", place=out, hint="choose another name")
    work = out.with_name(out.name + PARTIAL)
    in_the_way = OutputError(
        f"is in the way: {out.name} is made there first", place=work, hint="move it away"
    )
    try:
        if os.path.lexists(work) and (work.is_symlink() or not work.is_dir()):
            raise in_the_way
        with locked(work / LOCK):  # before a look: another command at work has other names there
            known = is_empty(work, LOCK, PLANS, _WHOLE, _REPLACED, *more)
            # A plan comes first and goes last: without one, files are not ours.
            ours = (work / PLANS).is_dir() or files_in(work).keys() <= {LOCK}
            if not (known and ours) or any(entry.is_symlink() for entry in work.rglob("*")):
                raise in_the_way
            area = StagingArea(out, work, work / _WHOLE)
            area.restore()
            yield area
    finally:
        with contextlib.suppress(OSError):  # unless something is left to continue from
            work.rmdir()


@contextmanager
def staged_folder(out: Location, plan: Mapping[str, Any], force: bool) -> Iterator[Path]:
    """Yield an empty local folder; when the block ends, its content takes the place of OUT.

    - plan: what is made, by which a folder at a URL is claimed.
    - force: whether to replace what we made.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(writing(out))
        area = stack.enter_context(staging_area(out))
        if area.is_local:
            check_free(area.out, force)
            area.clear()  # a killed run
            area.claim(plan, (), force)
            stack.callback(area.clear)
            made = area.work / _WHOLE
        else:
            made = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clutrr-"))) / _WHOLE
        made.mkdir()
        yield made
        area.finish() if area.is_local else area.put(made, plan, force)
