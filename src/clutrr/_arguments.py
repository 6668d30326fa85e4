"""The arguments of public functions, checked before anything is done.

An argument of a type that cannot be is one clear line that names it, instead of an error deep inside. What a
function says of its arguments is what is checked: flags, numbers, texts, paths and functions to call. Data,
worlds, and settings of several values are checked where they are read.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from types import UnionType
from typing import Any, ParamSpec, TypeAlias, TypeVar, Union, get_args, get_origin

from clutrr._io.locations import Location, is_location
from clutrr.errors import ArgumentError, extras_named

P = ParamSpec("P")
R = TypeVar("R")

LocationLike: TypeAlias = str | Location  # a path or a URL

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_WORDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path or a URL",
    Callable: "a function",
}


def public(function: Callable[P, R]) -> Callable[P, R]:
    """Return a public function that checks its arguments, and names the extra if a package is missing."""
    return _checked(function, None)


def with_settings(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function public that takes settings by name, beside its arguments: these, and no others."""

    return lambda function: _checked(function, names)


def _checked(function: Callable[P, R], settings: Sequence[str] | None) -> Callable[P, R]:
    """Return a function that checks its arguments. settings: those it takes by name; None for any."""
    signature = inspect.signature(function)

    @wraps(function)
    def called(*given: P.args, **named: P.kwargs) -> R:
        _check_all(signature, settings, given, named)
        with extras_named():
            return function(*given, **named)

    return called


def _check_all(
    signature: inspect.Signature,
    settings: Sequence[str] | None,
    given: tuple[Any, ...],
    named: Mapping[str, Any],
) -> None:
    """Refuse what a function does not take."""
    try:
        arguments = signature.bind(*given, **named).arguments
    except TypeError:  # which the call says better
        return
    parameters = signature.parameters
    for name, value in arguments.items():
        parameter = parameters[name]
        if parameter.kind is not parameter.VAR_KEYWORD:
            _check(name, value, parameter)
            continue
        if settings is None:
            continue
        known = [one.name for one in parameters.values() if one.kind in _NAMED] + [*settings]
        for unknown in value.keys() - {*settings}:
            raise ArgumentError(
                f"there is no such setting; the settings are {', '.join(known)}", setting=unknown
            )


def _check(name: str, value: object, parameter: inspect.Parameter) -> None:
    """Refuse an argument of a type that its function does not take."""
    kinds = _kinds(parameter.annotation)
    if parameter.kind is parameter.VAR_POSITIONAL:
        for one in value if isinstance(value, tuple) else ():
            _check(name, one, parameter.replace(kind=parameter.POSITIONAL_ONLY))
        return
    if not all(kind in _WORDS or kind is type(None) for kind in kinds):
        return  # it is checked where it is read
    if not any(_is(value, kind) for kind in kinds):
        words = [_WORDS[kind] for kind in kinds if kind in _WORDS]
        if Path in kinds:  # a path may be a text
            words.remove(_WORDS[str])
        raise ArgumentError(f"is not {' or '.join(words)}", setting=name, value=value)


def _kinds(annotation: Any) -> list[Any]:
    """Return the types of an annotation."""
    if isinstance(annotation, UnionType) or get_origin(annotation) is Union:
        return [kind for one in get_args(annotation) for kind in _kinds(one)]
    return [Callable if get_origin(annotation) is Callable else annotation]


def _is(value: object, kind: Any) -> bool:
    if kind is Path:
        return is_location(value)
    if kind is Callable:
        return callable(value)
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    return isinstance(value, kind)
