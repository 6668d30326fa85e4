"""Files at URLs: object storage, the web, and the memory of this process.

A `Url` is a path of universal_pathlib, changed where that is careless with object storage: what cannot be
reached is not the same as absent, no bucket is ever made, and whatever goes wrong is an OSError in plain
words, without keys. An object is there whole or not at all, and is never renamed.
"""

import contextlib
import errno
import io
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import aiohttp
from aiobotocore.httpsession import AIOHTTPSession
from fsspec import get_filesystem_class
from upath.extensions import ProxyUPath

from clutrr._io.limits import FETCHED, OBJECTS, RAISE, limit
from clutrr._io.names import safe_join

_BLOCK = 1 << 22  # bytes that are fetched at a time
_SECRET = re.compile(r"KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL", re.IGNORECASE)
_HIDDEN = 8  # the value of such a variable is hidden if it has at least this many letters
# Refusals of the storage in our words, by the class of the error.
_PLAIN = {
    "NoCredentialsError": "no keys were found for it: set them as the storage's own tools expect "
    "(such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
    "PermissionError": "access was refused: check the keys and what they may do",
    **dict.fromkeys(
        "EndpointConnectionError ConnectTimeoutError ReadTimeoutError ClientConnectorError".split(),
        "the storage does not answer",
    ),
    "FSTimeoutError": "the storage does not answer",
    **dict.fromkeys(
        ("ConnectionClosedError", "ServerDisconnectedError"), "the storage closed the connection"
    ),
}
_LISTING = 300  # seconds until a listing must have come to an end
_WHOLE = 1 << 26  # bytes of an answer that is read at once, if the request names no range


class _Answer(aiohttp.ClientResponse):
    """What a storage sends, which is no more than it was asked for."""

    async def start(self, connection: Any) -> Any:
        await super().start(connection)
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.request_info.headers.get("Range", ""))
        part = int(asked[2]) - int(asked[1]) + 1 if asked and self.status == 206 else None
        self.content: Any = _Counted(self.content, part or limit(FETCHED), part or _WHOLE)
        return self


class _Counted:
    """A stream of bytes that ends in an error when there are more than expected. whole: in one read."""

    def __init__(self, stream: Any, left: int, whole: int) -> None:
        self._stream, self._left, self._whole = stream, left, whole

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def read(self, n: int = -1) -> bytes:
        parts, size = [], 0
        while n and (part := await self._stream.read(_BLOCK if n < 0 else n)):
            parts.append(part)
            size += len(part)
            self._left -= len(part)
            if self._left < 0 or size > max(self._whole, n):
                raise OSError(errno.EFBIG, "the storage sends more than it was asked for")
            if n > 0:
                break
        return b"".join(parts)


class _Session(AIOHTTPSession):  # it has no types
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


class Url(ProxyUPath):  # the same checks with and without universal_pathlib
    """A file or folder at a URL."""

    @classmethod
    def of(cls, scheme: str, steps: str) -> "Url":
        """Return the URL of a scheme, a bucket or host, and the names below it.

        Raises ImportError where the package that knows such URLs is not installed.
        """
        get_filesystem_class(scheme)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of kinds that universal_pathlib has no tests for
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
        most = limit(OBJECTS)
        with _plainly(self):
            end = {"timeout": _LISTING} if self.fs.async_impl else {}
            some = (
                {"max_items": most + 1} if "s3" in self.fs.protocol else {}
            )  # else all are looked at
            found = self.fs.find(self.path, detail=True, **some, **end)
        if len(found) > most:
            raise OSError(errno.EFBIG, f"more than {most:,} files: {RAISE}", str(self))
        root = self.path.rstrip("/") + "/"
        sizes = {
            n.removeprefix(root): info.get("size")
            for n, info in found.items()
            if n.startswith(root)
        }
        for name in sizes:
            safe_join(self, name)
        return {name: int(sizes[name] or 0) for name in sorted(sizes)}

    def open(self, mode: str = "r", **settings: Any) -> IO[Any]:
        """Open it to read, in any order, a block at a time."""
        with _plainly(self):
            plain = io.BufferedReader(_PlainFile(self, self.fs.open(self.path, "rb")), 1 << 16)
        return plain if mode == "rb" else io.TextIOWrapper(plain, encoding="utf-8")

    def get(self, local: Path) -> None:
        """Copy it to a local file or folder; a file in one piece, as another may take its place meanwhile."""
        files = (
            {local: self}
            if self.is_file()
            else {safe_join(local, n): self / n for n in self.files()}
        )
        for here, there in files.items():
            here.parent.mkdir(parents=True, exist_ok=True)
            with _plainly(there):
                self.fs.get_file(there.path, str(here))

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


def _known(error: BaseException | None) -> str:
    """Return what we call it, or what it came from; "" if we have no words for it."""
    if error is None:
        return ""
    for kind in type(error).__mro__:
        if kind.__name__ in _PLAIN:
            return _PLAIN[kind.__name__]
    return _known(error.__cause__ or error.__context__)


def _words(error: BaseException) -> str:
    message = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    text = _known(error) or " ".join(message.split()) or type(error).__name__
    for name, value in os.environ.items():
        if len(value) >= _HIDDEN and _SECRET.search(name):
            text = text.replace(value, "***")
    return text[:200]
