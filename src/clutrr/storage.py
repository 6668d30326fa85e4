"""Paths and URLs: `where("s3://bucket/folder")` is a `Url`, any other text and `file://` a `pathlib.Path`.

Nothing here needs fsspec for a path. Keys come from where the storage's own tools look for them (the
environment, a profile, the machine's role): they are never part of a URL, nor of anything we write or say.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from clutrr.errors import ConfigError, ExtraError, short

if TYPE_CHECKING:
    from clutrr.url import Url

    Where = Path | Url
else:
    Where = Path  # URLs are loaded where one is named

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


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
    try:
        from clutrr.url import Url
    except ModuleNotFoundError:
        raise ExtraError(f"{scheme}:// needs the extra `cluster`: pip install 'clutrr[cluster]'") from None
    return Url.of(scheme, "/".join(steps))
