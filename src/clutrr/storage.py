"""Files at URLs: object storage and whatever else fsspec reaches.

`where("s3://bucket/folder")` is a `Url`, which offers the part of `pathlib.Path` that data sets need;
any other text is a path, and so is `file://`. Keys come from where the storage's own tools look for them
(the environment, a profile, the machine's role): they are never part of a URL, nor of anything we write
or say. An object is there whole or not at all, and is never renamed.
"""

import contextlib
import inspect
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal, overload
from urllib.parse import unquote, urlsplit

from clutrr.errors import ConfigError, ExtraError, short

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_BLOCK = 1 << 22  # bytes that are fetched at a time
_SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)
_HIDDEN = 8  # the value of such a variable is hidden if it has at least this many letters
# Refusals of the storage in our words, by the code or the class of the error.
_PLAIN = {
    "NoCredentialsError": "no keys were found for it: set them as the storage's own tools expect "
    "(such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    "PermissionError": "access was refused: check the keys and what they may do",
    "EndpointConnectionError": "the storage does not answer",
    "ConnectTimeoutError": "the storage does not answer",
    "ReadTimeoutError": "the storage does not answer",
    "ClientConnectorError": "the storage does not answer",
    "ConnectionClosedError": "the storage closed the connection",
    "ServerDisconnectedError": "the storage closed the connection",
    "FSTimeoutError": "the storage does not answer",
}
# Settings for file systems that would otherwise be slow, or would trust an outdated listing.
_SETTINGS: dict[str, dict[str, Any]] = {
    "s3": {
        "use_listings_cache": False,
        "default_block_size": _BLOCK,
        "config_kwargs": {"retries": {"max_attempts": 3}, "connect_timeout": 10, "read_timeout": 60},
    }
}


@dataclass(frozen=True, order=True)
class Url:
    """A file or folder at a URL. text: the URL, without a slash at its end."""

    text: str

    def __str__(self) -> str:
        return self.text

    def __fspath__(self) -> str:  # so that nothing takes it for the name of a local file
        raise TypeError(f"{self} is not a local path")

    def __truediv__(self, name: object) -> "Url":
        return Url("/".join([self.text, *PurePosixPath(str(name)).parts]))

    def joinpath(self, *names: str) -> "Url":
        return self / "/".join(names)

    @property
    def _scheme(self) -> str:
        return self.text.partition("://")[0]

    @property
    def _steps(self) -> tuple[str, ...]:
        """The bucket or host, and the names below it."""
        return tuple(self.text.partition("://")[2].split("/"))

    @property
    def name(self) -> str:
        return self._steps[-1]

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def parents(self) -> tuple["Url", ...]:
        """What it lies in, the nearest first; the last is the bucket or host."""
        steps = self._steps
        return tuple(Url(f"{self._scheme}://{'/'.join(steps[:n])}") for n in range(len(steps) - 1, 0, -1))

    @property
    def parent(self) -> "Url":
        return self.parents[0] if self.parents else self

    @property
    def is_root(self) -> bool:
        """Whether it is a whole bucket or host."""
        return len(self._steps) == 1

    def with_name(self, name: str) -> "Url":
        return self.parent / name

    def absolute(self) -> "Url":
        return self

    def resolve(self) -> "Url":
        return self

    # What is there

    def _info(self) -> dict[str, Any] | None:
        with _plainly(self):
            try:
                return dict(_file_system(self._scheme).info(self.text))
            except FileNotFoundError as error:
                if _known(error):  # a storage that does not answer, which is not the same
                    raise OSError(5, _words(error)) from None
                return None

    def is_file(self) -> bool:
        info = self._info()
        return info is not None and info["type"] == "file"

    def is_dir(self) -> bool:
        info = self._info()
        return info is not None and info["type"] == "directory"

    def exists(self) -> bool:
        return self._info() is not None

    def stat(self) -> "_Stat":
        info = self._info()
        if info is None:
            raise FileNotFoundError(2, "no such file or folder", str(self))
        return _Stat(int(info.get("size") or 0))

    def files(self) -> dict[str, int]:
        """The size of every file below it, by its path there."""
        with _plainly(self):
            found = _file_system(self._scheme).find(self.text, detail=True)
        root = _file_system(self._scheme)._strip_protocol(self.text).rstrip("/") + "/"
        return {
            name.removeprefix(root): int(info.get("size") or 0)
            for name, info in sorted(found.items())
            if name.startswith(root)
        }

    def glob(self, pattern: str) -> Iterator["Url"]:
        """The files below it whose path there matches: as many steps, each as its part of the pattern."""
        wanted = PurePosixPath(pattern)
        for name in self.files():
            path = PurePosixPath(name)
            if len(path.parts) == len(wanted.parts) and path.match(pattern):
                yield self / name

    def iterdir(self) -> Iterator["Url"]:
        for name in dict.fromkeys(file.split("/")[0] for file in self.files()):
            yield self / name

    # What it holds

    @overload
    def open(self, mode: Literal["rb"], *args: Any, **kwargs: Any) -> IO[bytes]: ...
    @overload
    def open(self, mode: Literal["r"] = "r", *args: Any, **kwargs: Any) -> IO[str]: ...
    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> IO[bytes] | IO[str]:
        """To read; in any order, a block at a time."""
        with _plainly(self):
            file = _file_system(self._scheme).open(self.text, "rb", block_size=_BLOCK, cache_type="readahead")
        plain = io.BufferedReader(_Steady(self, file), 1 << 16)
        if mode == "rb":
            return plain
        return io.TextIOWrapper(plain, encoding=kwargs.get("encoding") or "utf-8")

    def read_bytes(self) -> bytes:
        with self.open("rb") as file:
            return file.read()

    def read_text(self, encoding: str | None = None) -> str:
        return self.read_bytes().decode(encoding or "utf-8")

    def get(self, local: Path) -> None:
        """Copy it to a local file or folder. A file is fetched in one piece: another may take its place
        meanwhile."""
        files = {local: self} if self.is_file() else {local / name: self / name for name in self.files()}
        for here, there in files.items():
            here.parent.mkdir(parents=True, exist_ok=True)
            with _plainly(there):
                _file_system(self._scheme).get_file(there.text, str(here))

    # Writing

    def mkdir(self, *args: Any, **kwargs: Any) -> None:
        """There are no folders in object storage, only names."""

    def put(self, local: Path) -> None:
        """Write the content of a local file there."""
        with _plainly(self):
            _file_system(self._scheme).put_file(str(local), self.text)

    def unlink(self, missing_ok: bool = False) -> None:
        with _plainly(self):
            try:
                _file_system(self._scheme).rm_file(self.text)
            except FileNotFoundError:
                if not missing_ok:
                    raise


Where = Path | Url


@dataclass(frozen=True)
class _Stat:
    st_size: int


class _Steady(io.RawIOBase):
    """A file at a URL whose failures are all OSErrors in plain words."""

    def __init__(self, url: Url, file: Any) -> None:
        self._url, self._file = url, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        with _plainly(self._url):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        with _plainly(self._url):
            content = self._file.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        if not self.closed:
            with contextlib.suppress(Exception):
                self._file.close()
        super().close()


def where(text: str | os.PathLike[str] | Url) -> Where:
    """What a text names: a path, or a URL."""
    if isinstance(text, Url):
        return text
    text = os.fspath(text)
    if not _URL.match(text):
        return Path(text)
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ConfigError(f"not a URL: {error}") from None
    scheme = parts.scheme.lower()
    # Nothing of the text is repeated in what is said of it: it may hold a key.
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            f"a {scheme} URL with a user, a key, ? or # in it: leave these out, and give keys "
            "as the storage's own tools expect them"
        )
    if "::" in text:
        raise ConfigError(f"{short(text)}: a URL with :: in it is not read: name the storage itself")
    if scheme == "file":
        if parts.netloc not in ("", "localhost") or not parts.path.startswith("/"):
            raise ConfigError(
                f"{short(text)}: after file:// comes a path from the root, as in file:///folder"
            )
        return Path(unquote(parts.path))
    steps = [parts.netloc, *(step for step in parts.path.split("/") if step)]
    if not parts.netloc or ".." in steps or "." in steps:
        raise ConfigError(f"{short(text)}: not the URL of a file or folder, such as s3://bucket/folder")
    return Url(f"{scheme}://{'/'.join(steps)}")


@cache
def _file_system(scheme: str) -> Any:
    try:
        import fsspec

        kind = fsspec.get_filesystem_class(scheme)
        if _needs(kind):  # such as a host: a URL alone does not say enough
            raise ValueError
        return kind(**_SETTINGS.get(scheme, {}))
    except ValueError:
        raise ConfigError(f"{scheme}://: this kind of URL is not known") from None
    except ModuleNotFoundError:
        raise ExtraError(f"{scheme}:// needs the extra `cluster`: pip install 'clutrr[cluster]'") from None
    except ImportError as error:
        raise ExtraError(f"{scheme}:// needs another package: {short(str(error), quote=False)}") from None


def _needs(kind: type) -> bool:
    """Whether a file system cannot be had without settings of its own."""
    given = list(inspect.signature(kind.__init__).parameters.values())[1:]  # type: ignore[misc]
    return any(one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in given)


@contextmanager
def _plainly(url: Url) -> Iterator[None]:
    """Turn whatever goes wrong with the storage into an OSError in plain words, without keys."""
    try:
        yield
    except (ConfigError, ExtraError):
        raise
    except FileNotFoundError as error:
        raise FileNotFoundError(2, _words(error), str(url)) from None
    except OSError as error:
        raise OSError(error.errno or 5, _words(error), str(url)) from None
    except Exception as error:  # each storage has errors of its own
        raise OSError(5, _words(error), str(url)) from None


def _known(error: BaseException) -> str:
    """What we call it, or what it came from; "" if we have no words of our own for it."""
    at: BaseException | None = error
    while at is not None:
        if type(at).__name__ in _PLAIN:
            return _PLAIN[type(at).__name__]
        at = at.__cause__ or at.__context__
    return ""


def _words(error: BaseException) -> str:
    """What went wrong, in words."""
    if known := _known(error):
        return known
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    text = " ".join(said.split()) or type(error).__name__
    for name, value in os.environ.items():
        if len(value) >= _HIDDEN and _SECRET.search(name):
            text = text.replace(value, "***")
    return text[:200]
