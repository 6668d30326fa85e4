"""Read a world from its folder and check it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from clutrr.errors import WorldError, short
from clutrr.files import Where, is_there, where
from clutrr.theory import Theory, find_theory
from clutrr.world.lexicon import Attribute, Lexicon, Template
from clutrr.world.phrases import Phrases, phrases_file, read_phrases, theory_phrases
from clutrr.world.prose import Prose
from clutrr.world.prose_file import read_prose
from clutrr.world.world import DEFAULT_THEORY, World, name_files
from clutrr.yamls import read_text, read_yaml

_WORD = re.compile(r"[\w-]+")
_PHRASE = re.compile(r"[\w-]+(?: [\w-]+)*")
# What world.yaml may say, and what each must look like.
_ABOUT = {
    "name": re.compile(r"[\w.-]{1,60}"),
    "theory": re.compile(r"[\w.-]{1,60}"),
    "language": re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*"),
    "extends": re.compile(r".+"),
}
BUILTIN = "builtin:"  # before the name of a world or a matrix: ours, whatever lies in the current folder
_GROUP = "clutrr.worlds"  # entry points of installed packages: each a path to a folder, or an object with one
_EXAMPLE = {"name": "my-world", "theory": DEFAULT_THEORY, "language": "en", "extends": "kinship"}


def builtin_worlds() -> list[str]:
    """Return the names of the worlds that come with the package."""
    here = resources.files("clutrr.world")
    return sorted(
        entry.name for entry in here.iterdir() if entry.is_dir() and (entry / "relations.yaml").is_file()
    )


def installed_worlds() -> dict[str, metadata.EntryPoint]:
    """Return the worlds that other installed packages bring, by name."""
    return {entry.name: entry for entry in sorted(metadata.entry_points(group=_GROUP))}


def load_world(named: str | Where = "kinship") -> World:
    """Return the world of this name, or in this folder. `builtin:NAME` is ours, whatever lies here."""
    name = str(named).removeprefix(BUILTIN)
    if name in builtin_worlds():
        if name == named and (Path(name) / "relations.yaml").is_file():
            raise WorldError(
                f"world {name} could mean two: write ./{name} for the folder, or {BUILTIN}{name} for ours"
            )
        return _read(resources.files("clutrr.world") / name, name)
    installed = installed_worlds()
    folder = _brought(installed[name]) if name in installed else where(named)
    try:
        found = folder.is_dir()
    except (OSError, ValueError) as error:
        raise WorldError(f"world {short(str(named))}: cannot be read: {error}") from None
    if not found:
        known = ", ".join([*builtin_worlds(), *installed])
        raise WorldError(f"there is no world {short(str(named))}: neither a folder nor one of {known}")
    return _read(cast("Traversable", folder), folder.resolve().name)


def _brought(entry: metadata.EntryPoint) -> Path:
    """The folder of an installed world: what the entry point names, or its attribute `path`."""
    found = entry.load()
    return Path(getattr(found, "path", found))


@cache
def builtin_world(name: str) -> World:
    """Return the world of this name that comes with the package; it is read once."""
    return load_world(BUILTIN + name)


def _read(folder: Traversable, name: str) -> World:
    about = _about(folder)
    base = _extended(folder, about)
    theory, words = _relations(folder / "relations.yaml", base, _theory(folder, about, base))
    labels = [word for of in words.values() for word in of]
    lexicon = Lexicon(
        words=words,
        templates=_templates(folder / "templates.yaml", base, labels),
        attributes=tuple(_attributes(folder / "attributes.yaml", base)),
        names=tuple(_names(_own(folder, base, file)) for file in name_files(theory.forms)),
        language=about.get("language", "en"),
        phrases=_phrases(folder, base, theory.name, labels),
    )
    _check_sentences(folder, lexicon)
    _check_names(folder, name_files(theory.forms), lexicon)
    world = World(about.get("name", name), theory, lexicon)
    return replace(world, lexicon=replace(lexicon, prose=_prose(folder, base, world)))


def _is_there(path: Traversable) -> bool:
    """Return whether a world has something of this name: what is no file is refused where it is read."""
    return path.is_file() or (isinstance(path, Path) and is_there(path))


def _prose(folder: Traversable, base: Traversable | None, world: World) -> Prose | None:
    """The grammar of its prose, if it has one; else that of the world it extends, if it fits."""
    path = folder / "prose.yaml"
    if _is_there(path):
        return read_prose(path, _mapping(path), world)
    if base is None or world.lexicon.language != "en" or not (base / "prose.yaml").is_file():
        return None
    try:
        return read_prose(base / "prose.yaml", _mapping(base / "prose.yaml"), world)
    except WorldError:  # its attributes or names are not those of the other world
        return None


def _phrases(folder: Traversable, base: Traversable | None, theory: str, labels: Sequence[str]) -> Phrases:
    """Its phrases, if it has any; else those of worlds of its theory."""
    path, usual = _own(folder, base, "phrases.yaml"), theory_phrases(theory)
    own = _is_there(path) and path != phrases_file(theory)
    return read_phrases(path, usual, labels) if own else usual


def _about(folder: Traversable) -> dict[str, str]:
    """The settings of world.yaml, if there is one: the world's name, theory, language, what it extends."""
    path = folder / "world.yaml"
    if not _is_there(path):
        return {}
    about = _mapping(path)
    for key, value in about.items():
        if key not in _ABOUT:
            raise WorldError(
                f"{path}: there is no setting {short(key)}; the settings are {', '.join(_ABOUT)}"
            )
        if not isinstance(value, str) or not _ABOUT[key].fullmatch(value):
            raise WorldError(f"{path}: {key}: {short(value)} is not of the form {_EXAMPLE[key]!r}")
    return about


def _extended(folder: Traversable, about: Mapping[str, str]) -> Traversable | None:
    """The folder of the built-in world that this one extends, if any."""
    path, name = folder / "world.yaml", about.get("extends")
    if name is None:
        return None
    here = resources.files("clutrr.world")
    whole = [known for known in builtin_worlds() if "extends" not in _about(here / known)]
    if name not in whole:
        raise WorldError(f"{path}: extends: {short(name)} is not one of {', '.join(whole)}")
    return here / str(name)


def _theory(folder: Traversable, about: Mapping[str, str], base: Traversable | None) -> type[Theory]:
    """The theory that world.yaml names; else that of the world it extends."""
    path, named = folder / "world.yaml", about.get("theory")
    usual = DEFAULT_THEORY if base is None else _about(base).get("theory", DEFAULT_THEORY)
    if base is not None and named not in (None, usual):
        raise WorldError(f"{path}: theory: {short(named)}, but {base.name} is a world of {usual}")
    try:
        return find_theory(named or usual)
    except WorldError as error:
        raise WorldError(f"{path}: {error}") from None


def _own(folder: Traversable, base: Traversable | None, name: str) -> Traversable:
    """The world's own file, or that of the world it extends."""
    own = folder.joinpath(name)
    return own if base is None or _is_there(own) else base.joinpath(name)


def _mapping(path: Traversable) -> dict[str, Any]:
    content = read_yaml(path, WorldError)
    if not isinstance(content, dict) or not content:
        raise WorldError(f"{path}: expected a mapping with at least one entry")
    return content


def _entries(path: Traversable, base: Traversable | None) -> dict[str, Any]:
    """The entries of a file, after those of the world it extends."""
    if base is None:
        return _mapping(path)
    return {**_mapping(base / path.name), **(_mapping(path) if _is_there(path) else {})}


def _fields(path: Traversable, entry: str, content: Any, fields: tuple[str, ...]) -> tuple[Any, ...]:
    if not isinstance(content, dict) or set(content) != set(fields):
        raise WorldError(f"{path}: {entry}: expected exactly the fields {', '.join(fields)}")
    return tuple(content[field] for field in fields)


def _strings(path: Traversable, entry: str, content: Any) -> tuple[str, ...]:
    if not isinstance(content, list):
        raise WorldError(f"{path}: {entry}: expected a list")
    for item in content:
        if not isinstance(item, str) or not item.strip():
            raise WorldError(f"{path}: {entry}: {short(item)} is not text (quote it)")
        if "[" in item or "]" in item or "\n" in item:
            raise WorldError(f"{path}: {entry}: {short(item)} has a bracket or a line break")
    if len(set(content)) < len(content):
        twice = next(item for item in content if content.count(item) > 1)
        raise WorldError(f"{path}: {entry}: {short(twice)} appears twice")
    return tuple(content)


def _relations(
    path: Traversable, base: Traversable | None, theory: type[Theory]
) -> tuple[Theory, dict[str, tuple[str, ...]]]:
    """The theory of the kinds in relations.yaml, and the words of each kind by form."""
    relations: dict[str, Mapping[str, Any]] = {}
    words: dict[str, tuple[str, ...]] = {}
    used: dict[str, str] = {}
    for name, content in _entries(path, base).items():
        *values, said = _fields(path, name, content, (*theory.fields, "words"))
        relations[name] = dict(zip(theory.fields, values, strict=True))
        words[name] = _fields(path, f"{name}: words", said, theory.forms) if theory.forms else (said,)
        for word in words[name]:
            if not isinstance(word, str) or not (_WORD if theory.forms else _PHRASE).fullmatch(word):
                raise WorldError(f"{path}: {name}: {short(word)} is not a word")
            if word in used:
                raise WorldError(f"{path}: {name}: the word {short(word)} is used by {used[word]} too")
            used[word] = name
    try:
        return theory.from_relations(relations), words
    except WorldError as error:
        raise WorldError(f"{path}: {error}") from None


def _sentences(path: Traversable, entry: str, content: Any, slots: tuple[str, ...]) -> tuple[Template, ...]:
    """Templates with exactly these slots; {person} is another spelling of {entity}."""
    templates = []
    for text in _strings(path, entry, content):
        template = Template.parse(text)
        if sorted(slot.replace("person", "entity") for slot in template.slots) != sorted(slots):
            needs = " and ".join(f"{{{slot}}}" for slot in slots)
            raise WorldError(
                f"{path}: {entry}: {short(text)} must hold {needs}, each once, and no other slot"
            )
        templates.append(template)
    if not templates:
        raise WorldError(f"{path}: {entry}: needs at least one template")
    return tuple(templates)


def _templates(
    path: Traversable, base: Traversable | None, labels: Sequence[str]
) -> Mapping[str, tuple[Template, ...]]:
    templates = {}
    for relation, content in _entries(path, base).items():
        if relation not in labels:
            raise WorldError(f"{path}: {relation}: relations.yaml has no such relation")
        templates[relation] = _sentences(path, relation, content, ("a", "b"))
    missing = [relation for relation in labels if relation not in templates]
    if missing:
        raise WorldError(f"{path}: no templates for {', '.join(missing)}")
    return templates


def _attributes(path: Traversable, base: Traversable | None) -> Iterator[Attribute]:
    for name, content in _entries(path, base).items():
        given, texts = _fields(path, name, content, ("values", "templates"))
        values = _strings(path, f"{name}: values", given)
        slots = ("entity", "value") if values else ("entity",)
        yield Attribute(name, values, _sentences(path, f"{name}: templates", texts, slots))


def _names(path: Traversable) -> tuple[str, ...]:
    names = [line.strip() for line in read_text(path, WorldError).splitlines() if line.strip()]
    for name, times in Counter(names).items():
        if "[" in name or "]" in name:
            raise WorldError(f"{path}: {short(name)} has a bracket")
        if times > 1:
            raise WorldError(f"{path}: {short(name)} appears twice")
    if not names:
        raise WorldError(f"{path}: has no names")
    return tuple(names)


def _check_sentences(folder: Traversable, lexicon: Lexicon) -> None:
    """A sentence must have one meaning: no other template may read the same."""
    facts: dict[tuple[str, ...], str] = {}
    for relation, templates in lexicon.templates.items():
        for template in templates:
            other = facts.setdefault(template.literals, relation)
            if other != relation or [t.literals for t in templates].count(template.literals) > 1:
                where = f"{folder / 'templates.yaml'}: {relation}"
                raise WorldError(f"{where}: {template.text!r} reads like another template of {other}")
    for attribute in lexicon.attributes:
        for template in attribute.templates:
            if template.literals in facts:
                where = f"{folder / 'attributes.yaml'}: {attribute.name}"
                raise WorldError(f"{where}: {template.text!r} reads like a {facts[template.literals]}")


def _check_names(folder: Traversable, files: Sequence[str], lexicon: Lexicon) -> None:
    """A name must be of one form, and neither a value nor a word of a sentence."""
    found: dict[str, str] = {}
    for file, names in zip(files, lexicon.names, strict=True):
        for name in names:
            if name in found:
                raise WorldError(f"{folder.joinpath(file)}: {name!r} is in {found[name]} too")
            if name.lower() in lexicon.taken:
                raise WorldError(f"{folder.joinpath(file)}: {name!r} is also {lexicon.taken[name.lower()]}")
        found |= dict.fromkeys(names, file)
