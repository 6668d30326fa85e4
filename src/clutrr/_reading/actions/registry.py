"""The actions that grammars may name."""

from collections.abc import Callable
from typing import Any, TypeVar

ACTIONS: dict[str, Callable[..., Any]] = {}
_Action = TypeVar("_Action", bound=Callable[..., Any])


def action(function: _Action) -> _Action:
    """Let grammars use a function."""
    ACTIONS[function.__name__] = function
    return function
