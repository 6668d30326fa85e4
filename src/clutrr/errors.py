"""Every error a user can cause. The command line prints the message and exits with 2.

ClutrrError
|-- ConfigError     a setting that cannot work (k below 1, an unknown preset, ...)
|-- WorldError      a world that contradicts itself; names the file and the entry
|-- DataError       a file or folder that is not what it should be; names the place
|-- OutputError     a result that cannot be written where it was asked for
|-- ServiceError    a language model's service that refuses, or does not answer
`-- ExtraError      something that needs an extra which is not installed
"""

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
}


class ClutrrError(Exception):
    """Something a user can put right; the message says what and where."""


class ConfigError(ClutrrError):
    """A setting that cannot work."""


class WorldError(ClutrrError):
    """A world that contradicts itself."""


class DataError(ClutrrError):
    """A file or folder that is not what it should be."""


class OutputError(ClutrrError):
    """A result that cannot be written."""


class ServiceError(ClutrrError):
    """A service that refuses, or does not answer."""


class ExtraError(ClutrrError):
    """Something that needs an extra which is not installed."""


@contextmanager
def extras_named() -> Iterator[None]:
    """Where a package of an extra is missing, say which extra brings it."""
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
