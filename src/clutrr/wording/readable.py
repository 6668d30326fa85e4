"""Check that a world can be read back: each of its sentences, alone and among others."""

from collections.abc import Iterator

from clutrr.errors import WorldError
from clutrr.files import Where
from clutrr.puzzle import Fact
from clutrr.wording.reading import Reader
from clutrr.world import Template, World, builtin_worlds


def check_readable(world: World, where: str | Where) -> None:
    """Refuse a world with a sentence that cannot be read back. where: its folder; ours are not checked."""
    if str(where) in builtin_worlds():
        return
    for name, template in unreadable(world):
        file = "templates.yaml" if name in world.meaning else "attributes.yaml"
        hint = "" if template.text.endswith((".", "!", "?")) else ": end it with a full stop"
        raise WorldError(f"{where}/{file}: {name}: {template.text!r} cannot be read back{hint}")


def unreadable(world: World) -> Iterator[tuple[str, Template]]:
    """Yield the templates that do not read back as what they say, with their relation or attribute."""
    reader, names = Reader(world), world.lexicon.names
    first, second = names[0][0], names[-1][-1]
    for relation, templates in world.lexicon.templates.items():
        for template in templates:
            text = template.fill({"a": first, "b": second})
            if not _reads(reader, text, (Fact(first, relation, second),)):
                yield relation, template
    for attribute in world.lexicon.attributes:
        value = attribute.values[0] if attribute.values else ""
        for template in attribute.templates:
            if not _reads(reader, attribute.sentence(template, first, value), ()):
                yield attribute.name, template


def _reads(reader: Reader, text: str, facts: tuple[Fact, ...]) -> bool:
    """Whether the text is read as these facts, also if another sentence follows."""
    once, twice = reader.read(text), reader.read(f"{text} {text}")
    unread = once.unread or twice.unread
    return not unread and once.facts == facts and twice.facts == facts + facts
