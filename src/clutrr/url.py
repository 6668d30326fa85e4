"""Files at URLs: object storage and whatever else fsspec reaches.

A `Url` is a path of universal_pathlib, changed where that is careless with object storage: what cannot be
reached is not the same as absent, no bucket is ever made, and whatever goes wrong is an OSError in plain
words, without keys. An object is there whole or not at all, and is never renamed.
"""

import contextlib
import errno
import inspect
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

import aiohttp
import fsspec
from aiobotocore.httpsession import AIOHTTPSession  # type: ignore[import-untyped]
from upath.extensions import ProxyUPath

from clutrr.errors import ConfigError, ExtraError, short
from clutrr.limits import FETCHED, OBJECTS, RAISE, limit
from clutrr.names import inside

_BLOCK = 1 << 22  # bytes that are fetched at a time
_SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)
_HIDDEN = 8  # the value of such a variable is hidden if it has at least this many letters
_NO_ANSWER = "the storage does not answer"
# Refusals of the storage in our words, by the class of the error.
_PLAIN = {
    "NoCredentialsError": "no keys were found for it: set them as the storage's own tools expect "
    "(such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    "PermissionError": "access was refused: check the keys and what they may do",
    "EndpointConnectionError": _NO_ANSWER,
    "ConnectTimeoutError": _NO_ANSWER,
    "ReadTimeoutError": _NO_ANSWER,
    "ClientConnectorError": _NO_ANSWER,
    "FSTimeoutError": _NO_ANSWER,
    "ConnectionClosedError": "the storage closed the connection",
    "ServerDisconnectedError": "the storage closed the connection",
}
_LISTING = 300  # seconds until a listing must have come to an end
_WHOLE = 1 << 26  # bytes of an answer to a request that names no range


class _Answer(aiohttp.ClientResponse):
    """What a storage sends, which is no more than it was asked for."""

    async def start(self, connection: Any) -> Any:
        await super().start(connection)
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.request_info.headers.get("Range", ""))
        most = int(asked[2]) - int(asked[1]) + 1 if asked and self.status == 206 else _WHOLE
        self.content: Any = _Counted(self.content, most)
        return self


class _Counted:
    """A stream of bytes that ends in an error when there are more than expected."""

    def __init__(self, stream: Any, left: int) -> None:
        self._stream, self._left = stream, left

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def read(self, n: int = -1) -> bytes:
        parts = []
        while n and (part := await self._stream.read(_BLOCK if n < 0 else min(n, _BLOCK))):
            parts.append(part)
            self._left -= len(part)
            if self._left < 0:
                raise OSError(errno.EFBIG, "the storage sends more than it was asked for")
            if n > 0:
                break
        return b"".join(parts)


class _Session(AIOHTTPSession):  # type: ignore[misc]  # it has no types
    async def _get_session(self, proxy_url: Any) -> Any:
        session = await super()._get_session(proxy_url)
        session._response_class = _Answer
        return session


# Settings for file systems that would otherwise be slow, or would trust an outdated listing.
_SETTINGS: dict[str, dict[str, Any]] = {
    "s3": {
        "use_listings_cache": False,
        "default_block_size": _BLOCK,
        "config_kwargs": {
            "retries": {"max_attempts": 3},
            "connect_timeout": 10,
            "read_timeout": 60,
            "http_session_cls": _Session,
        },
    },
    **{scheme: {"client_kwargs": {"response_class": _Answer}} for scheme in ("http", "https")},
}


class Url(ProxyUPath):  # type: ignore[misc]  # the same checks with and without universal_pathlib
    """A file or folder at a URL."""

    @classmethod
    def of(cls, scheme: str, steps: str) -> "Url":
        """Return the URL of a scheme, a bucket or host, and the names below it."""
        try:
            kind = fsspec.get_filesystem_class(scheme)
            if _needs_settings(kind):  # such as a host: a URL alone does not say enough
                raise ValueError
        except ValueError:
            raise ConfigError(f"{scheme}://: this kind of URL is not known") from None
        except ImportError as error:
            raise ExtraError(f"{scheme}:// needs another package: {short(str(error), quote=False)}") from None
        return cls(f"{scheme}://{steps}", **_SETTINGS.get(scheme, {}))

    @property
    def is_root(self) -> bool:
        """Whether this is a whole bucket or host."""
        return "/" not in str(self).partition("://")[2].rstrip("/")

    def _info(self) -> dict[str, Any] | None:
        with _plainly(self):
            try:
                return dict(self.fs.info(self.path))
            except FileNotFoundError as error:
                if _known(error):  # a storage that does not answer
                    raise OSError(5, _words(error)) from None
                return None

    def exists(self) -> bool:
        return self._info() is not None

    def is_file(self) -> bool:
        return (self._info() or {}).get("type") == "file"

    def is_dir(self) -> bool:
        return (self._info() or {}).get("type") == "directory"

    def stat(self) -> Any:
        with _plainly(self):
            return self.__wrapped__.stat()

    def files(self) -> dict[str, int]:
        """Return the size of every file below it, by its path there, which leads nowhere else."""
        most, end = limit(OBJECTS), {"timeout": _LISTING} if self.fs.async_impl else {}
        with _plainly(self):
            some = {"max_items": most + 1} if "s3" in self.fs.protocol else {}  # else all are looked at
            found = self.fs.find(self.path, detail=True, **some, **end)
        if len(found) > most:
            raise OSError(errno.EFBIG, f"more than {most:,} files: {RAISE}", str(self))
        root = self.path.rstrip("/") + "/"
        sizes = {n.removeprefix(root): info.get("size") for n, info in found.items() if n.startswith(root)}
        for name in sizes:
            inside(self, name)
        return {name: int(sizes[name] or 0) for name in sorted(sizes)}

    def glob(self, pattern: str) -> Iterator["Url"]:
        """Yield the files below it whose path there has as many steps, each as its part of the pattern."""
        for name in self.files():
            path = PurePosixPath(name)
            if len(path.parts) == len(PurePosixPath(pattern).parts) and path.match(pattern):
                yield self / name

    def open(self, mode: str = "r", **settings: Any) -> IO[Any]:
        """Open it to read, in any order, a block at a time."""
        with _plainly(self):
            file = self.fs.open(self.path, "rb")
        plain = io.BufferedReader(_PlainFile(self, file), 1 << 16)
        return (
            plain if mode == "rb" else io.TextIOWrapper(plain, encoding=settings.get("encoding") or "utf-8")
        )

    def get(self, local: Path) -> None:
        """Copy it to a local file or folder."""
        files = {local: self} if self.is_file() else {inside(local, n): self / n for n in self.files()}
        most, all_of_it = limit(FETCHED), 0
        for here, there in files.items():
            here.parent.mkdir(parents=True, exist_ok=True)
            with there.open("rb") as file, here.open("wb") as copy:
                while block := file.read(_BLOCK):
                    copy.write(block)
                    all_of_it += len(block)
                    if all_of_it > most:
                        raise OSError(errno.EFBIG, f"more than {most >> 30} GB: {RAISE}", str(self))

    def put(self, local: Path) -> None:
        """Write the content of a local file there."""
        with _plainly(self):
            self.fs.put_file(str(local), self.path)

    def mkdir(self, *args: Any, **settings: Any) -> None:
        """Do nothing: there are no folders in object storage, only names."""

    def unlink(self, missing_ok: bool = False) -> None:
        with _plainly(self), contextlib.suppress(*([FileNotFoundError] if missing_ok else [])):
            self.fs.rm_file(self.path)


class _PlainFile(io.RawIOBase):
    """A file at a URL whose failures are all OSErrors in plain words."""

    def __init__(self, url: Url, file: Any) -> None:
        self._url, self._file = url, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return int(self._file.seek(offset, whence))

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


def _needs_settings(kind: type) -> bool:
    given = list(inspect.signature(kind.__init__).parameters.values())[1:]  # type: ignore[misc]
    return any(one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD for one in given)


@contextmanager
def _plainly(url: Url) -> Iterator[None]:
    """Turn whatever goes wrong with the storage into an OSError in plain words, without keys."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(2, _words(error), str(url)) from None
    except Exception as error:  # each storage has errors of its own
        number = error.errno if isinstance(error, OSError) else None
        raise OSError(number or 5, _words(error), str(url)) from None


def _known(error: BaseException) -> str:
    """Return what we call it, or what it came from; "" if we have no words for it."""
    at: BaseException | None = error
    while at is not None:
        if type(at).__name__ in _PLAIN:
            return _PLAIN[type(at).__name__]
        at = at.__cause__ or at.__context__
    return ""


def _words(error: BaseException) -> str:
    if known := _known(error):
        return known
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    text = " ".join(message.split()) or type(error).__name__
    for name, value in os.environ.items():
        if len(value) >= _HIDDEN and _SECRET.search(name):
            text = text.replace(value, "***")
    return text[:200]
