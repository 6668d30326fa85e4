"""Every error a user can cause. The command line prints the message and exits with 2.

ClutrrError
|-- ConfigError     a setting that cannot work (k below 1, an unknown preset, ...)
|   `-- ArgumentError   an argument of the wrong type, or one that there is not; a TypeError, too
|-- WorldError      a world that contradicts itself; names the file and the entry
|-- DataError       a file or folder that is not what it should be; names the place
|   `-- RowError    one row of a file; says which, and why
|-- OutputError     a result that cannot be written where it was asked for
|-- ServiceError    a language model's service that refuses, or does not answer
|-- ClusterError    a cluster that does not answer, or whose workers cannot do the work
|-- WorkError       a task that failed for good; names it
`-- ExtraError      something that needs an extra which is not installed

An error is data: where it is (`place`), which argument it is about (`setting`), what was given (`value`), what
is wrong with it (`reason`) and what to do (`hint`). `str(error)` words it for Python, with the names of
arguments; the command line words the same error with options.
"""

import re
import reprlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

# The packages that only some commands need, and the extra that brings each.
EXTRAS = {
    "torch": "models",
    "safetensors": "models",
    "matplotlib": "plots",
    "datasets": "hf",
    "clingo": "check",
    "inspect_ai": "inspect",
    "reasoning_gym": "rl",
    "bm25s": "books",
    "dask": "cluster",
    "distributed": "cluster",
    "fsspec": "cluster",
    "aiohttp": "cluster",
    "aiobotocore": "cluster",
}

_ABSENT = object()


@dataclass(frozen=True)
class Give:
    """An argument to give, in a hint.

    setting: its name in Python
    value: what to give; None if only the user knows
    """

    setting: str
    value: object = None


@dataclass(frozen=True)
class Call:
    """A function to call, in a hint; on the command line, the command of the same name.

    verb: its name
    given: its positional arguments, in capitals
    settings: its further arguments
    """

    verb: str
    given: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)


Word = Callable[[Give | Call], str]


@dataclass(frozen=True)
class Hint:
    """What to do about an error.

    text: with {} for each of the parts
    parts: arguments to give, or functions to call
    """

    text: str
    parts: tuple[Give | Call, ...] = ()

    def worded(self, word: Word) -> str:
        return self.text.format(*map(word, self.parts)) if self.parts else self.text


def as_argument(part: Give | Call) -> str:
    """Return an argument or a call as Python has it."""
    if isinstance(part, Call):
        settings = (f"{name}={value!r}" for name, value in part.settings.items())
        return f"clutrr.{part.verb}({', '.join([*part.given, *settings])})"
    return f"{part.setting}={'...' if part.value is None else repr(part.value)}"


class ClutrrError(Exception):
    """Something a user can put right; the message says what and where.

    reason: what is wrong; after a value, it goes on from it: "is not one of train, test"
    setting: the argument that is wrong, or several with commas between them; with a place, the entry there
    value: what was given; kept as a short text
    place: the file, folder or row
    hint: what to do
    """

    def __init__(
        self,
        reason: str,
        *,
        setting: str = "",
        value: object = _ABSENT,
        place: object = "",
        hint: Hint | str = "",
    ) -> None:
        super().__init__(reason)
        self.reason, self.setting, self.place = reason, setting, str(place)
        self.value = "" if value is _ABSENT else short(value)
        self.hint = Hint(hint) if isinstance(hint, str) else hint

    def __reduce__(self) -> tuple[Any, ...]:  # errors come back from other processes
        return _restored, (type(self), self.__dict__)

    def __str__(self) -> str:
        return self.worded(str, as_argument)

    def worded(self, heading: Callable[[str], str], word: Word) -> str:
        """Return the whole message.

        heading: words a setting that is wrong
        word: words what a hint names
        """
        return ": ".join(filter(None, (self.location, self.without_place(heading, word))))

    def without_place(self, heading: Callable[[str], str] = str, word: Word = as_argument) -> str:
        """Return the message, arguments as for `worded`, but not where it is."""
        settings = self.setting.split(", ") if self.setting else []
        named = ", ".join(settings if self.location else map(heading, settings))
        reason = f"{self.value} {self.reason}" if self.value else self.reason
        message = ": ".join(filter(None, (named, reason)))
        return "; ".join(filter(None, (message, self.hint.worded(word))))

    @property
    def location(self) -> str:
        """Where it is, as one text."""
        return self.place

    def at(self, place: object) -> Self:
        """Return the same error with its place, or with a wider one before it."""
        found = copy(self)
        found.place = ": ".join(filter(None, (str(place), self.place)))
        return found


def _restored(kind: type[ClutrrError], fields: dict[str, Any]) -> ClutrrError:
    error = kind.__new__(kind)
    error.__dict__.update(fields)
    return error


class ConfigError(ClutrrError):
    """A setting that cannot work."""


class ArgumentError(ConfigError, TypeError):
    """An argument that a function does not take: of the wrong type, or one that there is not."""


class WorldError(ClutrrError):
    """A world that contradicts itself."""


class DataError(ClutrrError):
    """A file or folder that is not what it should be."""


class RowError(DataError):
    """A place in a file that is not what it should be.

    file: the file
    place: the row, such as "line 3"; "" for the file as a whole
    what: what is wrong: a text, or an error that does not know the file and the row
    """

    def __init__(self, file: object, place: str, what: str | ClutrrError) -> None:
        error = DataError(what) if isinstance(what, str) else what
        inside = ": ".join(filter(None, (place, error.place)))
        super().__init__(error.reason, setting=error.setting, place=inside, hint=error.hint)
        self.value = error.value
        self.file = str(file)

    @property
    def location(self) -> str:
        return ", ".join(filter(None, (self.file, self.place)))


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
_OBEYED = re.compile(
    "[\0-\x08\n-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def plain(text: str) -> str:
    """A text as one line for a terminal, which obeys some characters instead of showing them: they are spelt
    out, as in \\x1b."""
    return _OBEYED.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
