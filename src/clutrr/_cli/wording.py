"""Errors as the command line words them: with options and commands where Python has arguments and functions."""

from collections.abc import Iterator, Mapping

from clutrr.errors import Call, ClutrrError, Give

# What is wrong on the command line, where it is no option of the argument's own name.
_HEADINGS = {
    "brackets": "--no-brackets",
    **{name: f"--noise {name}" for name in ("supporting", "irrelevant", "disconnected")},
    **{name: f"--sampling {name}" for name in ("n", "temperature", "effort")},
    "top_p": "--sampling top-p",
    "max_tokens": "--sampling max-tokens",
    **{name: name.upper() for name in ("answers", "data", "framework", "out", "run")},
}


def message_of(error: ClutrrError) -> str:
    """Return an error as the command line has it."""
    return error.worded(_heading, _part)


def reason_of(error: ClutrrError) -> str:
    """Return the same without its place."""
    return error.without_place(_heading, _part)


def _heading(setting: str) -> str:
    """Return a setting that is wrong."""
    return _HEADINGS.get(setting) or _option(setting)


def _part(part: Give | Call) -> str:
    """Return what a hint names: an option to give, or a command to run."""
    if isinstance(part, Call):
        command = part.verb.replace("_", "-")
        return " ".join(("clutrr", command, *part.given, *_options(part.settings)))
    return next(_options({part.setting: part.value}))


def _options(settings: Mapping[str, object]) -> Iterator[str]:
    """Yield settings as options."""
    for name, value in settings.items():
        if value is False:
            yield f"--no-{name.replace('_', '-')}"
        else:
            yield _option(name) + ("" if value in (None, True) else f"={value}")


def _option(setting: str) -> str:
    return "--" + setting.rstrip("_").replace("_", "-")
