"""Read a world from its folder and check it."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeAlias, cast

from clutrr._io.files import is_there
from clutrr._io.locations import Location
from clutrr._io.yamls import read_text
from clutrr._labels import Kind, Labels
from clutrr._lexicon.cases import Cases, Spelling, read_line, read_rules
from clutrr._lexicon.components import FILE, Components, read_components
from clutrr._lexicon.entries import Entry
from clutrr._lexicon.lexicon import Attribute, Lexicon, Parallel, Template
from clutrr._lexicon.phrases import Phrases, phrases_file, read_phrases, theory_phrases
from clutrr._lexicon.prose import Prose
from clutrr._lexicon.prose_file import read_prose
from clutrr._lexicon.statements import StatementWords, read_statements, theory_statements
from clutrr._lexicon.world import World, name_files
from clutrr._sentences import cut_sentences
from clutrr.errors import WorldError, short
from clutrr.theory import WORLDS, Theory, find_theory
from clutrr.theory.registry import DEFAULT_THEORY

_SPEC = re.compile(r"\{([abr]):([^{}]*)\}")  # how a slot is written
_PHRASE = re.compile(r"[\w'\u2019-]+(?: [\w'\u2019-]+)*")
# What world.yaml may say, and what each must look like.
_ABOUT = {
    "name": re.compile(r"[\w.-]{1,60}"),
    "theory": re.compile(r"[\w.-]{1,60}"),
    "language": re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*"),
    "extends": re.compile(r".+"),
    "parallel": re.compile(r"[\w.-]{1,60}"),
}
_WORLDS = resources.files("clutrr._lexicon") / "worlds"
_EITHER = ("relations.yaml", "world.yaml", "components.yaml")  # of which a world has at least one
_Bases: TypeAlias = Sequence[Traversable]
_EXAMPLE = {
    "name": "my-world",
    "theory": DEFAULT_THEORY,
    "language": "en",
    "extends": "kinship",
    "parallel": "kinship",
}


@cache
def builtin_world(name: str) -> World:
    """Return the world of this name that comes with the package; it is read once."""
    return _read(_WORLDS / name, name)


def read_world(folder: Location) -> World:
    """Return the world in a folder.

    Whether its sentences can be read back is not checked: `clutrr._worlds.load_world` does.
    """
    return _read(cast("Traversable", folder), folder.resolve().name)


def _read(folder: Traversable, name: str) -> World:
    about, base = _about(folder), _bases(folder)
    kind = _theory(folder, about, base)
    parts = _components(folder, base, kind)
    if parts is None:
        theory, words = _relations(folder / "relations.yaml", base, kind)
    else:
        theory = kind.from_relations({name: {} for name in parts.words})
        words = {name: (word,) for name, word in parts.words.items()}
    labels = [word for of in words.values() for word in of]
    phrases, own_phrases = _phrases(folder, base, theory.name, labels)
    files = [_own(folder, base, file) for file in name_files(theory.forms)]
    listed = [_names(file) for file in files]
    forms = theory.forms
    lexicon = Lexicon(
        words=words,
        templates=parts.templates
        if parts
        else _templates(folder / "templates.yaml", base, labels, forms),
        attributes=tuple(_attributes(folder / "attributes.yaml", base, forms)),
        names=tuple(map(tuple, listed)),
        cases=_cases(_own(folder, base, "cases.yaml"), forms, listed),
        language=next(
            (said for one in (folder, *base) if (said := _about(one).get("language"))), "en"
        ),
        phrases=phrases,
        own_phrases=own_phrases,
        partial=parts.partial if parts else (),
        components=parts.content if parts else {},
    )
    lexicon = replace(lexicon, statements=_statements(folder, base, theory, lexicon))
    _check_names(folder, name_files(theory.forms), lexicon)
    _check_cases(folder, files, lexicon)
    _check_phrases(folder, lexicon, forms)
    world = World(about.get("name", name), theory, lexicon)
    parallel = _parallel(folder, about, world)
    return replace(
        world, lexicon=replace(lexicon, prose=_prose(folder, base, world), parallel=parallel)
    )


def _components(folder: Traversable, base: _Bases, kind: type[Theory]) -> Components | None:
    """What the words of a product are by component; None if this world says them kind by kind."""
    path = _own(folder, base, FILE)
    if not _is_there(path):
        return None
    file = Entry.of_file(path)
    from clutrr.theory.products import Product

    if not issubclass(kind, Product):
        raise file.error(f"theory {kind.name} is no product, and has no components")
    if _is_there(folder / "relations.yaml"):
        raise file.error("there is a relations.yaml, too: write one of them")
    return read_components(file, kind)


def _parallel(folder: Traversable, about: Mapping[str, str], world: World) -> Parallel | None:
    """The world of ours that this one is parallel to: with the same kinds, and as many attributes."""
    name = about.get("parallel")
    if name is None:
        return None
    entry = Entry(folder / "world.yaml", name, "parallel")
    if name not in WORLDS or name == world.name:
        raise entry.error(f"{short(name)} is not one of {', '.join(WORLDS)}")
    other = builtin_world(name)
    if world.theory.to_relations() != other.theory.to_relations() or world.forms != other.forms:
        raise entry.error(f"{short(name)} has other relation kinds, or has them in another order")
    attributes = len(other.lexicon.attributes)
    if len(world.lexicon.attributes) != attributes:
        raise entry.error(
            f"{short(name)} has {attributes} attributes; write as many in attributes.yaml"
        )
    return Parallel(name, other.lexicon.drawn)


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


def _statements(
    folder: Traversable, base: _Bases, theory: Theory, lexicon: Lexicon
) -> StatementWords | None:
    """Return how its texts state what is no fact: its own words, or in English those of its theory."""
    path = _own(folder, base, "statements.yaml")
    usual = theory_statements(theory.name)
    file = Entry.of_file(path) if _is_there(path) else usual
    own = file is not None and (usual is None or file.value != usual.value)
    if file is None or (not own and lexicon.language.partition("-")[0] != "en"):
        return None
    kinds = (
        Kind(name, converse, lexicon.words[name]) for name, converse in theory.converses.items()
    )
    return read_statements(file, Labels(tuple(kinds), theory.forms), lexicon.phrases.plurals, own)


def _about(folder: Traversable) -> dict[str, str]:
    """The settings of world.yaml, if there is one: the world's name, theory, language, what it extends."""
    path = folder / "world.yaml"
    if not _is_there(path):
        return {}
    file = Entry.of_file(path)
    for key, entry in file.items().items():
        if key not in _ABOUT:
            raise file.error(
                f"there is no setting {short(key)}; the settings are {', '.join(_ABOUT)}"
            )
        if not isinstance(entry.value, str) or not _ABOUT[key].fullmatch(entry.value):
            raise entry.error(f"{short(entry.value)} is not of the form {_EXAMPLE[key]!r}")
    return dict(file.value)


def _bases(folder: Traversable) -> _Bases:
    """The folders of the worlds that this one extends, the next first: built-in ones, or beside it."""
    found: list[Traversable] = []
    while (name := _about(folder).get("extends")) is not None:
        path = folder / "world.yaml"
        if name in WORLDS:
            folder = _WORLDS / name
        elif not isinstance(folder, Path) or not any(
            os.path.isfile(folder / name / file) for file in _EITHER
        ):
            known = ", ".join(WORLDS)
            raise WorldError(
                f"extends: {short(name)} is neither one of {known}, nor the path of a world from here",
                place=path,
            )
        else:
            folder = (folder / name).resolve()
        if folder in found:
            raise WorldError(f"extends: {short(name)} extends itself", place=path)
        found.append(folder)
    return found


def _theory(folder: Traversable, about: Mapping[str, str], base: _Bases) -> type[Theory]:
    """The theory that world.yaml names; else that of the world it extends."""
    path, named = folder / "world.yaml", about.get("theory")
    others = (theory for one in base if (theory := _about(one).get("theory")))
    usual = next(others, DEFAULT_THEORY)
    if base and named not in (None, usual):
        raise WorldError(
            f"theory: {short(named)}, but {base[0].name} is a world of {usual}", place=path
        )
    try:
        return find_theory(named or usual)
    except WorldError as error:
        raise error.at(path) from None


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
        relations[name] = {
            field: one.value for field, one in zip(theory.fields, values, strict=True)
        }
        one_for_all = isinstance(said.value, str) or not theory.forms
        by_form = [said] * max(1, len(theory.forms)) if one_for_all else said.fields(theory.forms)
        words[name] = tuple(one.value for one in by_form)
        for word in words[name]:
            if not isinstance(word, str) or not _PHRASE.fullmatch(word):
                raise entry.error(f"{short(word)} is not a word")
            if used.get(word, name) != name:
                raise entry.error(f"the word {short(word)} is used by {used[word]} too")
            used[word] = name
    try:
        return theory.from_relations(relations), words
    except WorldError as error:
        raise error.at(path) from None


def _sentences(entry: Entry, slots: tuple[str, ...], forms: Sequence[str]) -> tuple[Template, ...]:
    """Templates with exactly these slots, each one sentence; {person} is another spelling of {entity}."""
    templates = []
    for text in entry.texts():
        template = Template.parse(text)
        if sorted(slot.replace("person", "entity") for slot in template.slots) != sorted(slots):
            needs = " and ".join(f"{{{slot}}}" for slot in slots)
            raise entry.error(f"{short(text)} must hold {needs}, each once, and no other slot")
        for entity, words in template.choices:
            if entity not in template.slots or entity == "value" or len(words) != len(forms):
                choice = "|".join(forms)
                raise entry.error(
                    f"{short(text)}: {{{entity}:{'|'.join(words)}}} is no choice by the form of an entity"
                    + (
                        f", {{{template.slots[0]}:{choice}}}"
                        if forms
                        else ": this theory has no forms"
                    )
                )
        bare = template.agreeing(**dict.fromkeys(template.slots, 0))
        if any(brace in literal for literal in bare.literals for brace in "{}"):
            raise entry.error(f"{short(text)} has a brace that is no slot")
        if len(cut_sentences(bare.fill(dict.fromkeys(template.slots, "X")))) > 1:
            raise entry.error(
                f"{short(text)} is several sentences, which are read one by one: write one"
            )
        templates.append(template)
    if not templates:
        raise entry.error("needs at least one template")
    return tuple(templates)


def _templates(
    path: Traversable, base: _Bases, labels: Sequence[str], forms: Sequence[str]
) -> Mapping[str, tuple[Template, ...]]:
    templates = {}
    for relation, entry in _entries(path, base).items():
        if relation not in labels:
            raise entry.error("relations.yaml has no such relation")
        templates[relation] = _sentences(entry, ("a", "b"), forms)
    missing = [relation for relation in labels if relation not in templates]
    if missing:
        raise WorldError(f"no templates for {', '.join(dict.fromkeys(missing))}", place=path)
    return templates


def _attributes(path: Traversable, base: _Bases, forms: Sequence[str]) -> Iterator[Attribute]:
    there = base or _is_there(path)
    for name, entry in _entries(path, base).items() if there else ():
        values, templates = entry.fields(("values", "templates"))
        slots = ("entity", "value") if values.texts() else ("entity",)
        yield Attribute(name, values.texts(), _sentences(templates, slots, forms))


def _names(path: Traversable) -> dict[str, dict[str, str]]:
    """The names of a file, and the cases that it lists of each."""
    file, found = Entry(path, None), dict[str, dict[str, str]]()
    for line in read_text(path, WorldError).splitlines():
        if not line.strip():
            continue
        name, cases = read_line(line.strip(), file)
        if "[" in name or "]" in name:
            raise file.error(f"{short(name)} has a bracket")
        if name in found:
            raise file.error(f"{short(name)} appears twice")
        found[name] = cases
    if not found:
        raise file.error("has no names")
    return found


def _cases(
    path: Traversable, forms: Sequence[str], names: Sequence[Mapping[str, Mapping[str, str]]]
) -> Cases:
    """The cases of names, by rule and as the files of names list them."""
    listed: dict[str, dict[str, str]] = {}
    for of in names:
        for name, cases in of.items():
            for case, text in cases.items():
                listed.setdefault(case, {})[name] = text
    if not _is_there(path):
        return Cases(listed=listed)
    file = Entry.of_file(path)
    return Cases(read_rules(file, forms), listed, file.value)


def _check_cases(folder: Traversable, files: Sequence[Traversable], lexicon: Lexicon) -> None:
    """Every case that a sentence uses must be there of every name, and tell the names apart."""
    cases = lexicon.cases
    sentences = [
        ("templates.yaml", label, one) for label, of in lexicon.templates.items() for one in of
    ] + [("attributes.yaml", of.name, one) for of in lexicon.attributes for one in of.templates]
    for file, entry, template in sentences:
        for case in template.cases:
            if case and case not in cases.known:
                known = ", ".join(cases.known) or "none"
                raise WorldError(
                    f"{entry}: {template.text!r}: names have no case {short(case)}",
                    place=folder / file,
                    hint=f"they have {known}",
                )
    for case in cases.known:
        read = dict[Spelling, str]()
        for form, (path, names) in enumerate(zip(files, lexicon.names, strict=True)):
            for name in names:
                spelling = cases.spell(name, case, form)
                if spelling is None:
                    raise WorldError(
                        f"{name!r} has no {case}",
                        place=path,
                        hint="add it to the line, or a rule to cases.yaml",
                    )
                if (other := read.setdefault(spelling, name)) != name:
                    raise WorldError(
                        f"{name!r}: its {case}, {spelling.written()!r}, is that of {other!r} too",
                        place=path,
                    )


def _check_phrases(folder: Traversable, lexicon: Lexicon, forms: Sequence[str]) -> None:
    """The slots of its own phrases must have cases of names, and forms of labels, that are there."""
    told = lexicon.own_phrases.items()
    for entry, text in ((entry, text) for entry, said in told for text in _texts(said)):
        for slot, spec in _SPEC.findall(text):
            known = lexicon.phrases.forms if slot == "r" else lexicon.cases.known
            if "|" in spec and slot != "r":
                fits = spec.count("|") == len(forms) - 1
            else:
                fits = spec in known
            if not fits:
                have = ", ".join(known) or "none"
                what = "forms of labels" if slot == "r" else "cases of names"
                raise WorldError(
                    f"{entry}: {short(text)}: {{{slot}:{spec}}} is none of the {what}, {have}",
                    place=folder / "phrases.yaml",
                )


def _texts(said: object) -> Iterator[str]:
    """The texts in an entry of a file."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, Mapping):
        yield from (text for one in said.values() for text in _texts(one))
    elif isinstance(said, Sequence):
        yield from (text for one in said for text in _texts(one))


def _check_names(folder: Traversable, files: Sequence[str], lexicon: Lexicon) -> None:
    """A name must be of one form, and neither a value nor a word of a sentence."""
    found: dict[str, str] = {}
    for file, names in zip(files, lexicon.names, strict=True):
        for name in names:
            if name in found:
                raise WorldError(f"{name!r} is in {found[name]} too", place=folder.joinpath(file))
            if name.lower() in lexicon.taken:
                raise WorldError(
                    f"{name!r} is also {lexicon.taken[name.lower()]}", place=folder.joinpath(file)
                )
        found |= dict.fromkeys(names, file)
