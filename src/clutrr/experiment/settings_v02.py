"""Settings of stories as version 0.2 wrote them, in matrix files and files of results."""

from collections.abc import Mapping
from typing import Any

_SCENE = {"levels": None, "children": 3}  # with their defaults
_ALWAYS = "families"  # what train and test never share; 0.2 listed it


def today(settings: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the same settings as today's files write them."""
    found = dict(settings)
    if "scene" not in found:
        given = {name: _span(found.pop(name)) for name in _SCENE if name in found}
        scene = [f"{name}={value}" for name, value in given.items() if value != _span(_SCENE[name])]
        found |= {"scene": ",".join(scene)} if scene else {}
    if isinstance(found.get("disjoint"), list):
        found["disjoint"] = [what for what in found["disjoint"] if what != _ALWAYS]
    return found


def _span(value: Any) -> str:
    ends = value if isinstance(value, list) else [value]
    return "-".join(map(str, ends if len(set(map(str, ends))) > 1 else ends[:1]))
