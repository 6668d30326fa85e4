"""A world as the files of its folder."""

from collections.abc import Mapping
from typing import Any

from clutrr.files import Where, replace_text
from clutrr.world.load import name_files
from clutrr.world.world import DEFAULT_THEORY, World
from clutrr.yamls import dump


def world_files(world: World) -> Mapping[str, str]:
    """Return the content of each file, by its path in the folder: all of the world, even what it extends."""
    lexicon, theory = world.lexicon, world.theory
    about = {"name": world.name, "language": lexicon.language}
    if theory.name != DEFAULT_THEORY:
        about["theory"] = theory.name
    fields = theory.to_relations()
    kinds = {
        kind.name: {
            **fields[kind.name],
            "words": dict(zip(world.forms, kind.words, strict=True)) if world.forms else kind.words[0],
        }
        for kind in world.kinds
    }
    attributes = {
        a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
        for a in lexicon.attributes
    }
    files: dict[str, Any] = {
        "world": about,
        "relations": kinds,
        "templates": {relation: [t.text for t in ts] for relation, ts in lexicon.templates.items()},
        "attributes": attributes,
        "prose": lexicon.prose and lexicon.prose.content,
        "phrases": lexicon.phrases.content(theory.name),
    }
    content = {f"{name}.yaml": dump(content) for name, content in files.items() if content}
    for file, names in zip(name_files(world.forms), lexicon.names, strict=True):
        content[file] = "".join(name + "\n" for name in names)
    return content


def save_world(world: World, folder: Where) -> None:
    """Write the files of the world into a folder."""
    for name, text in world_files(world).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_text(folder / name, text)
