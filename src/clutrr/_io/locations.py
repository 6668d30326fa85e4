"""Where things lie: paths, and URLs.

`parse_location("s3://bucket/folder")` is a `Url`, any other text and `file://` a `pathlib.Path`; nothing here
needs fsspec for a path. Keys come from where the storage's own tools look for them (the environment, a
profile, the machine's role): they are never part of a URL, nor of anything we write or say.
"""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import unquote, urlsplit

from clutrr.errors import ConfigError, ExtraError, short

if TYPE_CHECKING:
    from clutrr._io.url import Url

    Location = Path | Url
else:
    Location = Path  # URLs are loaded where one is named

# The kinds of URLs, by the package that each needs; s3a, gcs and abfs are other names of s3, gs and az.
KINDS = {
    "file": "",
    "memory": "fsspec",
    **dict.fromkeys(("s3", "s3a"), "s3fs"),
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("az", "abfs"), "adlfs"),
    **dict.fromkeys(("http", "https"), "aiohttp"),
}
_IN_EXTRA = ("fsspec", "s3fs", "aiohttp")  # of which the extra `cluster` brings these
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+._-]+)://")


def is_location(given: Any) -> TypeGuard["str | os.PathLike[str] | Location"]:
    """Return whether it is a path, or the place of a URL."""
    return isinstance(given, str | os.PathLike) or hasattr(given, "joinpath")


def parse_location(text: str | os.PathLike[str] | Location) -> Location:
    """Return what a text names: a path, or a URL."""
    if isinstance(text, os.PathLike):
        return Path(text)
    if not isinstance(text, str):
        return text
    if not text:
        raise ConfigError("an empty path", hint="write . for the current folder")
    if not (url := _URL.match(text)):
        return Path(text)
    scheme = url[1].lower()
    if scheme not in KINDS:
        known = ", ".join(f"{kind}://" for kind in KINDS)
        raise ConfigError(
            f"{short(scheme, quote=False)}://: this kind of URL is not known, only {known}"
        )
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise ConfigError(f"not a URL: {error}") from None
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
        raise ConfigError(
            f"{short(text)}: not the URL of a file or folder, such as s3://bucket/folder"
        )
    try:
        from clutrr._io.url import Url

        return Url.of(scheme, "/".join(steps))
    except ImportError:
        missing = f"the package {KINDS[scheme]}: pip install {KINDS[scheme]}"
        if KINDS[scheme] in _IN_EXTRA:
            missing = "the extra `cluster`: pip install 'clutrr[cluster]'"
        raise ExtraError(f"{scheme}:// needs {missing}") from None
