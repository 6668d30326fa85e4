"""Every error a user can cause. The command line prints the message and exits with 2.

ClutrrError
|-- ConfigError     a setting that cannot work (k below 1, an unknown preset, ...)
|-- WorldError      a world that contradicts itself; names the file and the entry
|-- DataError       a file or folder that is not what it should be; names the place
|   `-- RowError    one row of a file; says which, and why
|-- OutputError     a result that cannot be written where it was asked for
|-- ServiceError    a language model's service that refuses, or does not answer
|-- ClusterError    a cluster that does not answer, or whose workers cannot do the work
|-- WorkError       a task that failed for good; names it
`-- ExtraError      something that needs an extra which is not installed
"""

import re
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager

# The packages that only some commands need, and the extra that brings each.
EXTRAS = {
    "torch": "models",
    "safetensors": "models",
    "matplotlib": "plots",
    "datasets": "hf",
    "clingo": "check",
    "inspect_ai": "inspect",
    "reasoning_gym": "rl",
    "dask": "cluster",
    "distributed": "cluster",
    "fsspec": "cluster",
    "aiohttp": "cluster",
    "aiobotocore": "cluster",
}


class ClutrrError(Exception):
    """Something a user can put right; the message says what and where."""


class ConfigError(ClutrrError):
    """A setting that cannot work."""


class WorldError(ClutrrError):
    """A world that contradicts itself."""


class DataError(ClutrrError):
    """A file or folder that is not what it should be."""


class RowError(DataError):
    """A place in a file that is not what it should be. place: "line 3", or "" for the file as a whole."""

    def __init__(self, file: str, place: str, reason: str) -> None:
        super().__init__(f"{file}{', ' if place else ''}{place}: {reason}")
        self.file, self.place, self.reason = file, place, reason

    def __reduce__(self) -> tuple[type["RowError"], tuple[str, str, str]]:
        return RowError, (self.file, self.place, self.reason)


class OutputError(ClutrrError):
    """A result that cannot be written."""


class ServiceError(ClutrrError):
    """A service that refuses, or does not answer."""


class ClusterError(ClutrrError):
    """A cluster that does not answer, or whose workers cannot do the work."""


class WorkError(ClutrrError):
    """A task that failed for good."""


class ExtraError(ClutrrError):
    """Something that needs an extra which is not installed."""


@contextmanager
def extras_named() -> Iterator[None]:
    """If a package of an extra is missing, say which extra brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        extra = EXTRAS[package]
        raise ExtraError(
            f"this needs {package}, of the extra `{extra}`: pip install 'clutrr[{extra}]'"
        ) from None


def short(value: object, quote: bool = True) -> str:
    """A value as a message shows it: one line, cut if it is long. The value may be anything, of any size."""
    if isinstance(value, str):
        text = repr(value[:60]) if quote else "".join(c for c in value[:60] if c.isprintable())
        long = len(value) > 60
    else:
        text = reprlib.repr(value)  # it shortens long values, and long numbers too
        long = len(text) > 60
    return f"{text[:60]}..." if long else text


# Control characters (but not the tab), separators of lines and of paragraphs, characters that reverse the
# direction of text, and halves of characters, which cannot be printed at all.
_OBEYED = re.compile("[\0-\x08\n-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """A text as one line for a terminal, which obeys some characters instead of showing them: they are spelt
    out, as in \\x1b."""
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
