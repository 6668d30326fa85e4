"""Read a world from its folder and check it."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module, resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeAlias, cast

from clutrr.errors import WorldError, short
from clutrr.files import Where, is_place, is_there, where
from clutrr.sentences import cut_sentences
from clutrr.theory import Theory, find_theory
from clutrr.world.entries import Entry
from clutrr.world.lexicon import Attribute, Lexicon, Template
from clutrr.world.phrases import Phrases, phrases_file, read_phrases, theory_phrases
from clutrr.world.prose import Prose
from clutrr.world.prose_file import read_prose
from clutrr.world.world import DEFAULT_THEORY, World, name_files
from clutrr.yamls import read_text

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
_EITHER = ("relations.yaml", "world.yaml")  # of which a world has at least one
_Bases: TypeAlias = Sequence[Traversable]
_EXAMPLE = {"name": "my-world", "theory": DEFAULT_THEORY, "language": "en", "extends": "kinship"}


def builtin_worlds() -> list[str]:
    """Return the names of the worlds that come with the package."""
    here = resources.files("clutrr.world")
    return sorted(
        entry.name for entry in here.iterdir() if entry.is_dir() and (entry / "relations.yaml").is_file()
    )


def load_world(named: str | Where | World = "kinship") -> World:
    """Return the world of this name, or in this folder. `builtin:NAME` is ours, whatever lies here.

    A sentence must have one meaning: what is read back from it must be what it was written for.
    """
    if isinstance(named, World):
        return named
    if not is_place(named):
        raise TypeError(f"world: expected a name, a folder or a World, not {type(named).__name__}")
    name = str(named).removeprefix(BUILTIN)
    if name in builtin_worlds():
        if name == named and (Path(name) / "relations.yaml").is_file():
            raise WorldError(
                f"world {name} could mean two: write ./{name} for the folder, or {BUILTIN}{name} for ours"
            )
        return _read(resources.files("clutrr.world") / name, name)
    folder = where(named)
    try:
        found = folder.is_dir()
    except (OSError, ValueError) as error:
        raise WorldError(f"world {short(str(named))}: cannot be read: {error}") from None
    if not found:
        known = ", ".join(builtin_worlds())
        raise WorldError(f"there is no world {short(str(named))}: neither a folder nor one of {known}")
    world = _read(cast("Traversable", folder), folder.resolve().name)
    import_module("clutrr.wording.reading").check_readable(world, folder)  # built on worlds itself
    return world


@cache
def builtin_world(name: str) -> World:
    """Return the world of this name that comes with the package; it is read once."""
    return load_world(BUILTIN + name)


def _read(folder: Traversable, name: str) -> World:
    about, base = _about(folder), _bases(folder)
    theory, words = _relations(folder / "relations.yaml", base, _theory(folder, about, base))
    labels = [word for of in words.values() for word in of]
    phrases, own_phrases = _phrases(folder, base, theory.name, labels)
    lexicon = Lexicon(
        words=words,
        templates=_templates(folder / "templates.yaml", base, labels),
        attributes=tuple(_attributes(folder / "attributes.yaml", base)),
        names=tuple(_names(_own(folder, base, file)) for file in name_files(theory.forms)),
        language=next((said for one in (folder, *base) if (said := _about(one).get("language"))), "en"),
        phrases=phrases,
        own_phrases=own_phrases,
    )
    _check_names(folder, name_files(theory.forms), lexicon)
    world = World(about.get("name", name), theory, lexicon)
    return replace(world, lexicon=replace(lexicon, prose=_prose(folder, base, world)))


def _is_there(path: Traversable) -> bool:
    """Return whether a world has something of this name: what is no file is refused where it is read."""
    return path.is_file() or (isinstance(path, Path) and is_there(path))


def _prose(folder: Traversable, base: _Bases, world: World) -> Prose | None:
    """The grammar of its prose, if it has one; else that of the world it extends, if it fits."""
    own, path = folder / "prose.yaml", _own(folder, base, "prose.yaml")
    if _is_there(own):
        return read_prose(own, world)
    if world.lexicon.language != "en" or not path.is_file():
        return None
    try:
        return read_prose(path, world)
    except WorldError:  # its attributes or names are not those of the other world
        return None


def _phrases(
    folder: Traversable, base: _Bases, theory: str, labels: Sequence[str]
) -> tuple[Phrases, Mapping[str, Any]]:
    """Its phrases, and the file of its own that says them; else those of worlds of its theory."""
    path, usual = _own(folder, base, "phrases.yaml"), theory_phrases(theory)
    if path == phrases_file(theory) or not _is_there(path):
        return usual, {}
    file = Entry.of_file(path)
    phrases = read_phrases(file, usual, labels)
    return phrases, {} if phrases == usual else file.value


def _about(folder: Traversable) -> dict[str, str]:
    """The settings of world.yaml, if there is one: the world's name, theory, language, what it extends."""
    path = folder / "world.yaml"
    if not _is_there(path):
        return {}
    file = Entry.of_file(path)
    for key, entry in file.items().items():
        if key not in _ABOUT:
            raise file.error(f"there is no setting {short(key)}; the settings are {', '.join(_ABOUT)}")
        if not isinstance(entry.value, str) or not _ABOUT[key].fullmatch(entry.value):
            raise entry.error(f"{short(entry.value)} is not of the form {_EXAMPLE[key]!r}")
    return dict(file.value)


def _bases(folder: Traversable) -> _Bases:
    """The folders of the worlds that this one extends, the next first: built-in ones, or beside it."""
    found: list[Traversable] = []
    here = resources.files("clutrr.world")
    while (name := _about(folder).get("extends")) is not None:
        path = folder / "world.yaml"
        if name in builtin_worlds():
            folder = here / name
        elif not isinstance(folder, Path) or not any(
            os.path.isfile(folder / name / file) for file in _EITHER
        ):
            known = ", ".join(builtin_worlds())
            raise WorldError(
                f"{path}: extends: {short(name)} is neither one of {known}, nor the path of a world from here"
            )
        else:
            folder = (folder / name).resolve()
        if folder in found:
            raise WorldError(f"{path}: extends: {short(name)} extends itself")
        found.append(folder)
    return found


def _theory(folder: Traversable, about: Mapping[str, str], base: _Bases) -> type[Theory]:
    """The theory that world.yaml names; else that of the world it extends."""
    path, named = folder / "world.yaml", about.get("theory")
    others = (theory for one in base if (theory := _about(one).get("theory")))
    usual = next(others, DEFAULT_THEORY)
    if base and named not in (None, usual):
        raise WorldError(f"{path}: theory: {short(named)}, but {base[0].name} is a world of {usual}")
    try:
        return find_theory(named or usual)
    except WorldError as error:
        raise WorldError(f"{path}: {error}") from None


def _own(folder: Traversable, base: _Bases, name: str) -> Traversable:
    """The world's own file, or that of the next world that has one."""
    there = (one.joinpath(name) for one in (folder, *base) if _is_there(one.joinpath(name)))
    return next(there, folder.joinpath(name))


def _entries(path: Traversable, base: _Bases) -> dict[str, Entry]:
    """The entries of a file, after those of the worlds that it extends."""
    there = [file for one in reversed(base) if (file := one / path.name).is_file()]
    there += [path] if _is_there(path) or not base else []
    return {name: entry for file in there for name, entry in Entry.of_file(file).items().items()}


def _relations(
    path: Traversable, base: _Bases, theory: type[Theory]
) -> tuple[Theory, dict[str, tuple[str, ...]]]:
    """The theory of the kinds in relations.yaml, and the words of each kind by form."""
    relations: dict[str, Mapping[str, Any]] = {}
    words: dict[str, tuple[str, ...]] = {}
    used: dict[str, str] = {}
    for name, entry in _entries(path, base).items():
        *values, said = entry.fields((*theory.fields, "words"))
        relations[name] = {field: one.value for field, one in zip(theory.fields, values, strict=True)}
        one_for_all = isinstance(said.value, str) or not theory.forms
        by_form = [said] * max(1, len(theory.forms)) if one_for_all else said.fields(theory.forms)
        words[name] = tuple(one.value for one in by_form)
        for word in words[name]:
            if not isinstance(word, str) or not (_WORD if theory.forms else _PHRASE).fullmatch(word):
                raise entry.error(f"{short(word)} is not a word")
            if used.get(word, name) != name:
                raise entry.error(f"the word {short(word)} is used by {used[word]} too")
            used[word] = name
    try:
        return theory.from_relations(relations), words
    except WorldError as error:
        raise WorldError(f"{path}: {error}") from None


def _sentences(entry: Entry, slots: tuple[str, ...]) -> tuple[Template, ...]:
    """Templates with exactly these slots, each one sentence; {person} is another spelling of {entity}."""
    templates = []
    for text in entry.texts():
        template = Template.parse(text)
        if sorted(slot.replace("person", "entity") for slot in template.slots) != sorted(slots):
            needs = " and ".join(f"{{{slot}}}" for slot in slots)
            raise entry.error(f"{short(text)} must hold {needs}, each once, and no other slot")
        if len(cut_sentences(template.fill(dict.fromkeys(template.slots, "X")))) > 1:
            raise entry.error(f"{short(text)} is several sentences, which are read one by one: write one")
        templates.append(template)
    if not templates:
        raise entry.error("needs at least one template")
    return tuple(templates)


def _templates(path: Traversable, base: _Bases, labels: Sequence[str]) -> Mapping[str, tuple[Template, ...]]:
    templates = {}
    for relation, entry in _entries(path, base).items():
        if relation not in labels:
            raise entry.error("relations.yaml has no such relation")
        templates[relation] = _sentences(entry, ("a", "b"))
    missing = [relation for relation in labels if relation not in templates]
    if missing:
        raise WorldError(f"{path}: no templates for {', '.join(dict.fromkeys(missing))}")
    return templates


def _attributes(path: Traversable, base: _Bases) -> Iterator[Attribute]:
    there = base or _is_there(path)
    for name, entry in _entries(path, base).items() if there else ():
        values, templates = entry.fields(("values", "templates"))
        slots = ("entity", "value") if values.texts() else ("entity",)
        yield Attribute(name, values.texts(), _sentences(templates, slots))


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
