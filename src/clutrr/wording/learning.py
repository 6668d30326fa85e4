"""From what was collected to a world: a folder that `clutrr generate --world` takes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clutrr.errors import DataError
from clutrr.files import write_manifest
from clutrr.puzzle import Puzzle
from clutrr.remote import made_aside
from clutrr.storage import Where
from clutrr.wording.attributes import group, shapes, values
from clutrr.wording.collect import Collected, collect
from clutrr.wording.free import FreeReader
from clutrr.wording.readable import check_readable
from clutrr.world import GENDERS, Attribute, Template, World, builtin_world, load_world, save_world

_AGREE = 0.9  # share of a shape's sentences that must say the same
_SELDOM, _SHARE = (
    5,
    0.005,
)  # an attribute's sentence is told at least this often, and about this share of people
_MAN = re.compile(r" is an? (man|woman|boy|girl|male|female)\b")
_WORD = re.compile(r"[\w-]+")
_ENDS = (".", "!", "?")  # the end of a sentence, recognisable before the next


@dataclass(frozen=True)
class Learnt:
    """A world, and what is not in it.

    borrowed: relations for which the data has no sentence, and "attributes" if it has none: those of the
    base world are used.
    refused: shapes that were not taken apart, with the reason and how often. nameless: names left
    out, with the reason.
    """

    world: World
    base: str
    sentences: int
    borrowed: tuple[str, ...]
    refused: Mapping[tuple[str, str], int]
    nameless: Mapping[str, str]


def learn(puzzles: Iterable[Puzzle], name: str, base: World) -> Learnt:
    """The wording of the puzzles as a world, with the relations of the base world. name: is cut down to what
    the name of a world may contain."""
    found = collect(puzzles, base)
    refused = Counter(found.refused)
    templates = _templates(found, base, refused)
    if not templates:
        raise DataError(
            "no sentence of the data could be turned into a template with a relation and two people"
        )
    base = _smallest(base, templates)
    complete = {relation: templates.get(relation, base.templates[relation]) for relation in base.relations}
    attributes = tuple(_attributes(found, refused)) or base.attributes
    borrowed = [relation for relation in base.relations if relation not in templates]
    borrowed += ["attributes"] if attributes is base.attributes else []
    names, nameless = _names(found, complete, attributes)
    name = "-".join(_WORD.findall(name.encode("ascii", "ignore").decode()))[:60] or "learnt"
    world = World(name, base.kinds, complete, attributes, names, base.language)
    return Learnt(world, base.name, found.sentences, tuple(borrowed), dict(refused.most_common()), nameless)


def _smallest(base: World, templates: Mapping[str, object]) -> World:
    """The world without aunts and uncles, if the data has none."""
    plain = builtin_world("kinship")
    return plain if set(templates) <= set(plain.relations) <= set(base.relations) else base


def _templates(
    found: Collected, base: World, refused: Counter[tuple[str, str]]
) -> dict[str, tuple[Template, ...]]:
    """The templates of each relation, the most frequent first."""
    free = FreeReader(base)
    templates: dict[str, list[Template]] = {}
    for shape, says in sorted(found.facts.items(), key=lambda item: (-item[1].total(), item[0])):
        ((relation, head), times), total = says.most_common(1)[0], says.total()
        if not shape.endswith(_ENDS):
            refused[shape, "does not end in a full stop"] += total
            continue
        if times < _AGREE * total:
            refused[shape, "states now one relation, now another"] += total
            continue
        template = _template(shape, ("a", "b") if head == 0 else ("b", "a"))
        if _MAN.match(template.literals[template.slots.index("a") + 1]):
            refused[shape, "tells the gender of the other person"] += total
            continue
        if _reversed(template, relation, base, free):
            refused[shape, "says it the other way round"] += total
            continue
        templates.setdefault(relation, []).append(template)
    return {relation: tuple(found) for relation, found in templates.items()}


def _reversed(template: Template, relation: str, base: World, free: FreeReader) -> bool:
    """Whether the word describes a, as in "{b}'s sister {a}", which says the same if both are women."""
    text = template.fill({"a": "A", "b": "B"})
    gender = base.meaning[relation][1]
    one, other = GENDERS[gender], GENDERS[1 - gender]
    if free.relation(text, "A", "B", {"A": other, "B": one}) == relation:
        return False
    return free.relation(text, "B", "A", {"A": one, "B": other}) == relation


def _template(shape: str, slots: tuple[str, ...]) -> Template:
    """The shape with named slots."""
    return Template(tuple(shape.split("[]")), slots)


def _attributes(found: Collected, refused: Counter[tuple[str, str]]) -> Iterator[Attribute]:
    used: Counter[str] = Counter()
    times = Counter(shape for traits in found.told for shape, _ in traits)
    rare = {shape for shape in times if times[shape] < max(_SELDOM, _SHARE * len(found.told))}
    refused.update({(shape, "told of too few people to be an attribute"): times[shape] for shape in rare})
    endless = {shape for shape in times if shape not in rare and not shape.endswith(_ENDS)}
    refused.update({(shape, "does not end in a full stop"): times[shape] for shape in endless})
    rare |= endless
    told = [[trait for trait in traits if trait[0] not in rare] for traits in found.told]
    for members in group([traits for traits in told if traits]):
        texts = shapes(members)
        slots = ("person", "value") if values(members) else ("person",)
        templates = tuple(_template(s, slots[::-1] if found.person_at[s] else slots) for s in texts)
        name = "_".join(_WORD.findall(" ".join(templates[0].literals).lower())) or "attribute"
        used[name] += 1
        yield Attribute(
            name if used[name] == 1 else f"{name}_{used[name]}", tuple(values(members)), templates
        )


def _names(
    found: Collected, templates: Mapping[str, tuple[Template, ...]], attributes: Iterable[Attribute]
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], dict[str, str]]:
    """The names of each gender, and those that cannot be used."""
    attributes = list(attributes)
    every = [t for ts in templates.values() for t in ts] + [t for a in attributes for t in a.templates]
    taken = {word.lower() for t in every for literal in t.literals for word in _WORD.findall(literal)}
    taken |= {value.lower() for attribute in attributes for value in attribute.values}
    names: tuple[list[str], list[str]] = ([], [])
    left: dict[str, str] = {}
    for name, genders in found.names.items():
        known = [(times, gender) for gender, times in genders.items() if gender in GENDERS]
        if not known:
            left[name] = "nothing tells the gender"
        elif name.lower() in taken:
            left[name] = "also a word or a value of a sentence"
        else:
            names[GENDERS.index(max(known)[1])].append(name)
    return (tuple(sorted(names[0])), tuple(sorted(names[1]))), left


def write_world(learnt: Learnt, folder: Where, force: bool = False) -> None:
    """Write the folder; it appears only when it is complete and loads. At a URL its manifest comes last."""
    with made_aside(folder, _about(learnt), force) as place:
        _write_files(learnt, place.whole)
        check_readable(load_world(place.whole), folder)
        place.finish()


def _write_files(learnt: Learnt, folder: Path) -> None:
    save_world(learnt.world, folder)
    lines = [f"{times}\t{reason}\t{shape}" for (shape, reason), times in learnt.refused.items()]
    lines += [f"name\t{reason}\t{name}" for name, reason in learnt.nameless.items()]
    (folder / "left-out.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    write_manifest(folder, _about(learnt))


def _about(learnt: Learnt) -> dict[str, Any]:
    return {"world": {"name": learnt.world.name, "sha256": learnt.world.digest}}
