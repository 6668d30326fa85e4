"""Whether a world's own sentences read back as what they say."""

from collections.abc import Iterator

from clutrr._io.locations import Location
from clutrr._lexicon import Template, World
from clutrr._puzzle import Fact
from clutrr._reading import TextReader, reader_of
from clutrr._reading.templates import shapes
from clutrr._sentences import CLOSING
from clutrr.errors import WorldError

_STOPS = (".", "!", "?", *CLOSING)


def check_readable(world: World, folder: Location) -> None:
    """Refuse a world with a sentence that cannot be read back."""
    for name, template in unreadable(world):
        file = "templates.yaml" if name in world.meaning else "attributes.yaml"
        hint = "" if template.text.endswith(_STOPS) else ": end it with a full stop"
        if (other := _like(world, name, template)) is not None:
            hint = f": it reads like {other[1].text!r} of {other[0]}"
        raise WorldError(
            f"{name}: {template.text!r} cannot be read back{hint}", place=folder / file
        )


def _like(world: World, name: str, template: Template) -> tuple[str, Template] | None:
    """Return another template that is written like this one, and its relation or attribute."""
    lexicon = world.lexicon
    wanted = {shape for _, shape in shapes(world, template, name if name in world.meaning else "")}
    every = [(label, one) for label, of in lexicon.templates.items() for one in of]
    every += [(of.name, one) for of in lexicon.attributes for one in of.templates]
    for other, one in every:
        label = other if other in world.meaning else ""
        alike = not wanted.isdisjoint(shape for _, shape in shapes(world, one, label))
        if alike and (other, one) != (name, template):
            return other, one
    return None


def unreadable(world: World) -> Iterator[tuple[str, Template]]:
    """Yield the templates that do not read back as what they say, with their relation or attribute."""
    reader, lexicon = reader_of(world), world.lexicon
    for relation, templates in lexicon.templates.items():
        for template in templates:
            for first, second in _examples(world, template, relation):
                text = lexicon.sentence(template, a=first, b=second)
                if not _reads(reader, text, (Fact(first, relation, second),)):
                    yield relation, template
                    break
    for attribute in lexicon.attributes:
        value = attribute.values[0] if attribute.values else ""
        for template in attribute.templates:
            for names in lexicon.names:
                said = {slot: value if slot == "value" else names[0] for slot in template.slots}
                if not _reads(reader, lexicon.sentence(template, **said), ()):
                    yield attribute.name, template
                    break


def _examples(world: World, template: Template, label: str) -> list[tuple[str, str]]:
    """Return names for the two entities of a sentence: of each form, if words depend on it."""
    names, form = world.lexicon.names, world.meaning[label].form
    if not template.choices:
        return [(names[0][0], names[-1][-1])]
    tails = names if form is None else [names[form]]
    return [(heads[0], tail[-1]) for heads in names for tail in tails]


def _reads(reader: TextReader, text: str, facts: tuple[Fact, ...]) -> bool:
    """Whether the text is read as these facts, also if another sentence follows."""
    once, twice = reader.read(text), reader.read(f"{text} {text}")
    in_doubt = once.in_doubt or twice.in_doubt
    return not in_doubt and once.facts == facts and twice.facts == facts + facts
