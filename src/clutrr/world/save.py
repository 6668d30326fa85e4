"""A world as the files of its folder."""

from collections.abc import Mapping
from typing import Any

from clutrr.files import replace_text
from clutrr.storage import Where
from clutrr.world.steps import Step, Steps
from clutrr.world.world import GENDERS, World
from clutrr.yamls import dump


def world_files(world: World) -> Mapping[str, str]:
    """The content of each file, by its path in the folder: all of the world, even what it extends."""
    kinds = {
        kind.name: {
            "steps": [_steps(way) for way in kind.steps],
            "inverse": kind.inverse,
            "words": dict(zip(GENDERS, kind.words, strict=True)),
        }
        for kind in world.kinds
    }
    templates = {relation: [t.text for t in ts] for relation, ts in world.templates.items()}
    attributes = {
        a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
        for a in world.attributes
    }
    about = {"name": world.name, "language": world.language}
    files: dict[str, Any] = {
        "world": about,
        "relations": kinds,
        "templates": templates,
        "attributes": attributes,
    }
    if world.prose is not None:
        files["prose"] = world.prose.content
    content = {f"{name}.yaml": dump(content) for name, content in files.items() if content}
    for gender, names in zip(GENDERS, world.names, strict=True):
        content[f"names/{gender}.txt"] = "".join(name + "\n" for name in names)
    return content


def save_world(world: World, folder: Where) -> None:
    """Write the files of the world into a folder."""
    for name, text in world_files(world).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_text(folder / name, text)


def _steps(way: Steps) -> list[str]:
    named = {Step.SIBLING: ["parent", "child"]}
    return [name for step in way for name in named.get(step, [step.name.lower()])]
