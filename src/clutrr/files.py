"""Files: written aside, synced, put in place whole; what a folder holds; one process at a time.

`where("s3://bucket/folder")` is a `Url`, any other text and `file://` a `pathlib.Path`; nothing here needs
fsspec for a path. Keys come from where the storage's own tools look for them (the environment, a profile, the
machine's role): they are never part of a URL, nor of anything we write or say.

A folder that we made says so in its manifest: nothing else is ever replaced.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from clutrr.errors import ConfigError, DataError, ExtraError, OutputError, short
from clutrr.limits import RAISE, RECORD_FILE, limit
from clutrr.names import inside
from clutrr.version import VERSION

if TYPE_CHECKING:
    from clutrr.url import Url

    Where = Path | Url
else:
    Where = Path  # URLs are loaded where one is named

MANIFEST = "manifest.json"
LOCK = "lock"
INSIDE = ".partial"  # where work goes on inside OUT
_MAKING = ".making"
_MADE = re.compile(r"\A\.(.+)\.[a-z0-9_]{8}\.making\Z")  # where a file is made, by its name
_SHOWN = 40  # letters of a file's name in that of such a folder
_LOCKING = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
Seal = dict[str, Any]  # size and checksum of a file
Seals = dict[str, Seal]  # by its path in a folder


def is_place(given: Any) -> bool:
    """Return whether it is a path, or the place of a URL."""
    return isinstance(given, str | os.PathLike) or hasattr(given, "joinpath")


def where(text: str | os.PathLike[str] | Where) -> Where:
    """Return what a text names: a path, or a URL."""
    if isinstance(text, os.PathLike):
        return Path(text)
    if not isinstance(text, str):
        return text
    if not _URL.match(text):
        return Path(text)
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ConfigError(f"not a URL: {error}") from None
    scheme = parts.scheme.lower()
    # The message repeats nothing of the text, which may hold a key.
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            f"a {scheme} URL with a user, a key, ? or # in it: leave these out, and give keys "
            "as the storage's own tools expect them"
        )
    if scheme == "file":
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise ConfigError(
                f"{short(text)}: after file:// comes a path from the root, as in file:///folder"
            )
        return Path(unquote(parts.path))
    steps = [parts.netloc, *(step for step in parts.path.split("/") if step)]
    if not parts.netloc or "::" in text or not {".", ".."}.isdisjoint(steps):
        raise ConfigError(f"{short(text)}: not the URL of a file or folder, such as s3://bucket/folder")
    try:
        from clutrr.url import Url
    except ModuleNotFoundError:
        raise ExtraError(f"{scheme}:// needs the extra `cluster`: pip install 'clutrr[cluster]'") from None
    return Url.of(scheme, "/".join(steps))


# Writing


@contextmanager
def writing(out: Where) -> Iterator[None]:
    """Turn what goes wrong with the disk into one line that names the output."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
            raise OutputError(f"{out}: the disk is full; nothing was completed there") from error
        reason = error.strerror or " ".join(str(error).split())
        if not isinstance(out, Path):
            reason += "; run the same command again to go on"
        raise OutputError(f"{out} cannot be written: {reason}") from error


@contextmanager
def atomic_write(path: Where) -> Iterator[Path]:
    """Yield a name to write a file under; when the block ends, the file is synced and takes its place.

    The name is in a folder that is this writer's alone, so that several may write the same file: the last
    one stays, whole. What goes to a URL is written here first; there, a file is either complete or absent.
    """
    if not isinstance(path, Path):
        with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
            yield Path(folder) / path.name
            path.put(Path(folder) / path.name)
        return
    begin = f".{path.name[:_SHOWN]}."
    for left in path.parent.iterdir():
        if left.name.startswith(begin) and left.name.endswith(_MAKING):
            with contextlib.suppress(OSError, OutputError), (left / LOCK).open("r+b") as lock:
                hold(lock, "its writer is at work")
                shutil.rmtree(left)
    own = Path(tempfile.mkdtemp(_MAKING, begin, path.parent))
    try:
        with (own / LOCK).open("xb") as lock:
            with contextlib.suppress(OSError):  # not every file system has locks
                hold(lock, "its writer is at work")
            yield own / path.name
            sync(own / path.name)
            os.replace(own / path.name, path)
            sync(path.parent)
    finally:
        shutil.rmtree(own, ignore_errors=True)


@contextmanager
def local_copy(path: Where) -> Iterator[Path]:
    """Yield a file or folder for what reads only local ones: one at a URL is fetched for so long."""
    if isinstance(path, Path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="clutrr-") as folder:
        here = Path(folder) / path.name
        path.get(here)
        yield here


def replace_text(path: Where, text: str) -> Seal:
    """Write a file so that it is there whole or not at all; return its size and checksum."""
    content = text.encode("utf-8")
    with atomic_write(path) as making:
        making.write_bytes(content)
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):  # there is nothing to wait for
            raise
    finally:
        os.close(number)


def is_empty(folder: Where, *but: str) -> bool:
    """Return whether a folder is empty except for these names and half-written files of theirs.

    At a URL, a folder that is not there is empty.
    """
    if isinstance(folder, Path):
        return folder.is_dir() and all(_MADE.sub(r"\1", entry.name) in but for entry in folder.iterdir())
    return all(name.partition("/")[0] in but for name in folder.files())


def is_there(path: Where) -> bool:
    """Return whether anything has this name, be it a link that leads nowhere."""
    return os.path.lexists(path) if isinstance(path, Path) else path.exists()


# What a folder holds


def open_file(path: Where | Traversable) -> IO[bytes]:
    """Open a file to read. A pipe or a device, which may have no end, is none."""
    if isinstance(path, Path) and path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a file", str(path))
    return path.open("rb")


def file_digest(path: Where) -> str:
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def files_in(folder: Where) -> dict[str, int]:
    """Return the size of whatever is there but folders and work in progress, by its path there, in order.

    No link to a folder is followed. What is no file has no size, -1. A folder that cannot be read is refused.
    """
    if not isinstance(folder, Path):
        there = folder.files()
    else:
        found = []
        for at, folders, files in os.walk(folder, onerror=_refuse_unread):
            found += [Path(at, name) for name in files]
            found += [Path(at, name) for name in folders if os.path.islink(Path(at, name))]
        there = {
            entry.relative_to(folder).as_posix(): entry.stat().st_size if entry.is_file() else -1
            for entry in sorted(found)
        }
    return {name: size for name, size in there.items() if not name.startswith(f"{INSIDE}/")}


def _refuse_unread(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def seal(path: Path) -> Seal:
    """Return the size and checksum of a file."""
    return {"bytes": path.stat().st_size, "sha256": file_digest(path)}


def seals(folder: Path) -> Seals:
    """Return the size and checksum of every file in a folder but its manifest."""
    return {name: seal(folder / name) for name in files_in(folder) if name != MANIFEST}


def check_written(folder: Where, sealed: Seals) -> None:
    """Make sure that what was written is there; not every storage keeps what it takes."""
    for name, what in differences(folder, sealed, read=False):
        raise OSError(errno.EIO, f"{name} is {what} there, although it was written", str(folder))


def differences(
    folder: Where, sealed: Mapping[str, Mapping[str, Any]], read: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield the files that are not as they were sealed, each with what is wrong: "missing" or "changed".

    - read: whether to read every file, instead of looking only at sizes.
    """
    there = files_in(folder)
    for name, expected in sealed.items():
        if name not in there:
            yield name, "missing"
        elif expected["bytes"] != there[name] or (read and expected["sha256"] != file_digest(folder / name)):
            yield name, "changed"


def sealed_in(folder: Where, manifest: dict[str, Any]) -> Seals:
    """Return the size and checksum of every file that the manifest of a folder names."""
    try:
        sealed = {
            name: {"sha256": str(one["sha256"]), "bytes": int(one["bytes"])}
            for name, one in manifest.get("files", {}).items()  # there are none before version 0.2
        }
        for name in sealed:
            inside(folder, name)
        return sealed
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DataError(f"{folder / MANIFEST}: its list of files cannot be read") from None


def write_manifest(folder: Where, about: Mapping[str, Any], written: Seals) -> dict[str, Any]:
    """Write into a finished folder what it is and what it holds; this also shows that we made it."""
    versions = {"clutrr": VERSION, **about.get("versions", {})}
    check_written(folder, written)
    manifest = {**about, "versions": versions, "files": dict(sorted(written.items()))}
    replace_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return manifest


def read_whole(path: Where | Traversable, most: int) -> bytes:
    """Return the content of a file of limited size. Raises OSError or ValueError where it cannot be read."""
    with open_file(path) as file:
        raw = file.read(limit(most) + 1)
    if len(raw) > limit(most):
        raise ValueError(f"more than {limit(most) >> 20} MB: {RAISE}")
    return raw


def read_json(path: Where) -> Any:
    """Return the content of a JSON file. Raises OSError or ValueError where it cannot be read."""
    return parse_json(read_whole(path, RECORD_FILE).decode("utf-8"))


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text in which no key appears twice. Raises ValueError for any other."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("lists in lists without end") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"{short(twice)} appears twice")
    return made


def load_json(path: Where) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if the file is missing or broken."""
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        absent = isinstance(error, FileNotFoundError | ValueError)
        if not (absent or isinstance(path, Path)):  # unreachable is not the same as absent
            raise
        return {}
    return content if isinstance(content, dict) else {}


def replace_sealed(path: Where, content: Mapping[str, Any]) -> None:
    """Write a JSON object with a checksum of itself."""
    replace_text(path, json.dumps({"content": content, "sha256": digest_of(content)}))


def load_sealed(path: Where) -> dict[str, Any]:
    """Return the JSON object that `replace_sealed` wrote; an empty one if it is missing or was changed."""
    sealed = load_json(path)
    content = sealed.get("content")
    return content if isinstance(content, dict) and sealed.get("sha256") == digest_of(content) else {}


def digest_of(content: Mapping[str, Any]) -> str:
    """Return a checksum of a JSON object."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


_IN_THE_WAY = "already holds something else: choose another name, or add --force"


def check_free(out: Where, force: bool) -> None:
    """Refuse to replace any folder; with force, any but one that we made, with nothing else in it."""
    if not is_there(out):
        return
    if isinstance(out, Path):
        if never := _never_replaced(out):
            raise OutputError(f"{out} is {never}, which is never replaced: choose another name")
        if is_empty(out):
            return
    if not force:
        raise OutputError(f"{out} {_IN_THE_WAY}")
    manifest = load_json(out / MANIFEST)
    versions = manifest.get("versions")
    if not (isinstance(versions, dict) and "clutrr" in versions):
        raise OutputError(
            f"{out} was not made by clutrr, so --force does not replace it: "
            "choose another name, or move it away yourself"
        )
    listed = sealed_in(out, manifest)
    for name in files_in(out):
        if name not in listed and name != MANIFEST:
            raise OutputError(
                f"{out / name} is not in {MANIFEST}, so --force does not remove it: move it away yourself"
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


def check_kind(path: Where, kind: str, ours: Callable[[IO[bytes]], bool], force: bool = True) -> None:
    """Refuse to overwrite a file unless its content says that it is one of ours."""
    if isinstance(path, Path) and path.is_dir():
        raise OutputError(f"{path} is a folder; expected the name of a file")
    if not is_there(path):
        return
    if not force:
        raise OutputError(f"{path} {_IN_THE_WAY}")
    found = False
    with contextlib.suppress(Exception), open_file(path) as file:
        found = ours(file)
    if not found:
        raise OutputError(f"{path} already exists and is not a {kind}: choose another name")


def replace_files(folder: Where, files: Mapping[str, str | bytes]) -> list[Where]:
    """Write files by name into a folder: all are written before one takes its place, the last named first."""
    with writing(folder), contextlib.ExitStack() as together:
        folder.mkdir(parents=True, exist_ok=True)
        for name, new in files.items():
            making = together.enter_context(atomic_write(folder / name))
            making.write_bytes(new.encode() if isinstance(new, str) else new)
    return [folder / name for name in files]


# One process at a time


@contextmanager
def locked(path: Where) -> Iterator[None]:
    """Hold a lock, a file that exists only meanwhile; refused while another process holds it.

    At URLs nothing is locked: what is written there may be written twice.
    """
    if not isinstance(path, Path):
        yield
        return
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.fdopen(os.open(path, _LOCKING, 0o666), "ab")
        except FileNotFoundError:  # whoever held the lock before has just removed the folder
            continue
        with lock:
            hold(lock, f"{path.parent}: another process is at work there")
            there = False  # unless whoever held it before has removed it
            with contextlib.suppress(FileNotFoundError):
                there = os.path.samestat(os.fstat(lock.fileno()), path.stat())
            if not there:
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    path.unlink()
        return


def hold(lock: IO[bytes], busy: str) -> None:
    """Hold an open file as a lock until it is closed. busy: the error if another process holds it."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise
        raise OutputError(busy) from None
