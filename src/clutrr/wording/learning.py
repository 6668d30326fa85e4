"""From what was collected to a world: a folder that `clutrr generate --world` takes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr.errors import DataError
from clutrr.files import Where, write_manifest
from clutrr.places import made_aside
from clutrr.puzzle import Puzzle
from clutrr.theory.theory import FreeReader
from clutrr.wording.attributes import group, shapes, values
from clutrr.wording.collect import Collected, collect
from clutrr.wording.readable import check_readable
from clutrr.world import (
    Attribute,
    Lexicon,
    Template,
    World,
    builtin_world,
    builtin_worlds,
    load_world,
    save_world,
)

_AGREE = 0.9  # share of a shape's sentences that must say the same
_SELDOM = 5  # an attribute's sentence is about at least so many entities,
_SHARE = 0.005  # and about this share of them
_WORD = re.compile(r"[\w-]+")
_ENDS = (".", "!", "?")  # the end of a sentence, recognisable before the next

Refused = Counter[tuple[str, str]]  # shapes that were not taken apart, and why


@dataclass(frozen=True)
class LearntWorld:
    """A world, and what is not in it.

    base: the name of the world whose relations it has. borrowed: relations for which the data has no
    sentence, and "attributes" if it has none: those of the base world are used. refused: shapes that were not
    taken apart, with the reason and how often. rejected_names: with the reason.
    """

    world: World
    base: str
    sentences: int
    borrowed: tuple[str, ...]
    refused: Mapping[tuple[str, str], int]
    rejected_names: Mapping[str, str]


def learn(puzzles: Iterable[Puzzle], name: str, base: World) -> LearntWorld:
    """Return the wording of the puzzles as a world with the relations of the base world.

    name: is cut down to what the name of a world may contain.
    """
    found = collect(puzzles, base)
    refused = Counter(found.refused)
    templates = _templates(found, base, refused)
    if not templates:
        raise DataError(
            "no sentence of the data could be turned into a template with a relation and two entities"
        )
    base = _smallest(base, templates)
    usual = base.lexicon
    complete = {relation: templates.get(relation, usual.templates[relation]) for relation in base.relations}
    attributes = tuple(_attributes(found, _entity_slot(usual), refused)) or usual.attributes
    borrowed = [relation for relation in base.relations if relation not in templates]
    borrowed += ["attributes"] if attributes is usual.attributes else []
    names, rejected = _names(found, base.forms, complete, attributes)
    name = "-".join(_WORD.findall(name.encode("ascii", "ignore").decode()))[:60] or "learnt"
    lexicon = Lexicon(usual.words, complete, attributes, names, usual.language, phrases=usual.phrases)
    world = World(name, base.theory, lexicon)
    return LearntWorld(
        world, base.name, found.sentences, tuple(borrowed), dict(refused.most_common()), rejected
    )


def _smallest(base: World, templates: Mapping[str, object]) -> World:
    """The smallest of our worlds that has all these relations and none that the base world lacks."""
    meant, found = base.theory.to_relations(), base
    for name in builtin_worlds():
        world = builtin_world(name)
        if world.theory.name != base.theory.name or not set(templates) <= set(world.relations):
            continue
        same = all(meant.get(kind) == meaning for kind, meaning in world.theory.to_relations().items())
        if same and set(world.relations) <= set(base.relations) and len(world.kinds) < len(found.kinds):
            found = world
    return found


def _templates(found: Collected, base: World, refused: Refused) -> dict[str, tuple[Template, ...]]:
    """The templates of each relation, the most frequent first."""
    free = base.theory.free_reader(base.labels, base.lexicon.phrases.synonyms)
    templates: dict[str, list[Template]] = {}
    for shape, says in sorted(found.facts.items(), key=lambda item: (-item[1].total(), item[0])):
        ((relation, head), times), total = says.most_common(1)[0], says.total()
        if not shape.endswith(_ENDS):
            refused[shape, "does not end in a full stop"] += total
            continue
        if times < _AGREE * total:
            refused[shape, "states different relations"] += total
            continue
        template = _template(shape, ("a", "b") if head == 0 else ("b", "a"))
        if free is not None and free.shows_form(template.fill({"a": "A", "b": "B"}), "A"):
            refused[shape, "says what form the other entity has"] += total
            continue
        if free is not None and _reversed(template, relation, base, free):
            refused[shape, "states it the other way round"] += total
            continue
        templates.setdefault(relation, []).append(template)
    return {relation: tuple(found) for relation, found in templates.items()}


def _reversed(template: Template, relation: str, base: World, free: FreeReader) -> bool:
    """Whether the word describes a, as in "{b}'s sister {a}", which says the same if both have one form."""
    text = template.fill({"a": "A", "b": "B"})
    form = base.forms[base.meaning[relation].form]
    for other in base.forms:
        if other != form and free.relation(text, "A", "B", {"A": other, "B": form}) == relation:
            return False
    return any(
        free.relation(text, "B", "A", {"A": form, "B": other}) == relation
        for other in base.forms
        if other != form
    )


def _template(shape: str, slots: tuple[str, ...]) -> Template:
    """The shape with named slots."""
    return Template(tuple(shape.split("[]")), slots)


def _entity_slot(usual: Lexicon) -> str:
    """The name of the entity's slot in sentences about attributes."""
    slots = (slot for a in usual.attributes for t in a.templates for slot in t.slots if slot != "value")
    return next(slots, "entity")


def _attributes(found: Collected, entity: str, refused: Refused) -> Iterator[Attribute]:
    used: Counter[str] = Counter()
    times = Counter(shape for traits in found.traits for shape, _ in traits)
    rare = {shape for shape in times if times[shape] < max(_SELDOM, _SHARE * len(found.traits))}
    refused.update({(shape, "about too few entities to be an attribute"): times[shape] for shape in rare})
    endless = {shape for shape in times if shape not in rare and not shape.endswith(_ENDS)}
    refused.update({(shape, "does not end in a full stop"): times[shape] for shape in endless})
    rare |= endless
    described = [[trait for trait in traits if trait[0] not in rare] for traits in found.traits]
    for members in group([traits for traits in described if traits]):
        slots = (entity, "value") if values(members) else (entity,)
        templates = tuple(
            _template(shape, slots[::-1] if found.entity_at[shape] else slots) for shape in shapes(members)
        )
        name = "_".join(_WORD.findall(" ".join(templates[0].literals).lower())) or "attribute"
        used[name] += 1
        yield Attribute(
            name if used[name] == 1 else f"{name}_{used[name]}", tuple(values(members)), templates
        )


def _names(
    found: Collected,
    forms: tuple[str, ...],
    templates: Mapping[str, tuple[Template, ...]],
    attributes: Iterable[Attribute],
) -> tuple[tuple[tuple[str, ...], ...], dict[str, str]]:
    """The names of each form, and those that cannot be used."""
    attributes = list(attributes)
    every = [t for ts in templates.values() for t in ts] + [t for a in attributes for t in a.templates]
    taken = {word.lower() for t in every for literal in t.literals for word in _WORD.findall(literal)}
    taken |= {value.lower() for attribute in attributes for value in attribute.values}
    names: dict[str, list[str]] = {form: [] for form in forms or ("",)}
    rejected: dict[str, str] = {}
    for name, counts in found.names.items():
        known = [(times, form) for form, times in counts.items() if form in names]
        if not known:
            rejected[name] = "its form is not known"
        elif name.lower() in taken:
            rejected[name] = "also a word or a value of a sentence"
        else:
            names[max(known)[1]].append(name)
    return tuple(tuple(sorted(names[form])) for form in names), rejected


def write_world(learnt: LearntWorld, folder: Where, force: bool = False) -> None:
    """Write the folder; it appears only when it is complete and loads. At a URL its manifest comes last."""
    with made_aside(folder, _about(learnt), force) as made:
        _write_files(learnt, made)
        check_readable(load_world(made), folder)


def _write_files(learnt: LearntWorld, folder: Path) -> None:
    save_world(learnt.world, folder)
    lines = [f"{times}\t{reason}\t{shape}" for (shape, reason), times in learnt.refused.items()]
    lines += [f"name\t{reason}\t{name}" for name, reason in learnt.rejected_names.items()]
    (folder / "left-out.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    write_manifest(folder, _about(learnt))


def _about(learnt: LearntWorld) -> dict[str, Any]:
    return {"world": {"name": learnt.world.name, "sha256": learnt.world.digest}}
