"""Read a world's prose.yaml and check it; every error names the file and the entry."""

import re
from collections.abc import Iterator
from importlib.resources.abc import Traversable

from clutrr._lexicon.entries import Entry
from clutrr._lexicon.lexicon import Lexicon
from clutrr._lexicon.prose import (
    AGREES,
    CASES,
    SECTIONS,
    WORDS,
    Prose,
    ProseSentence,
    Slot,
    parse_sentence,
)
from clutrr._lexicon.world import World
from clutrr.errors import WorldError, short

_OPTIONAL = ("phrases", "turned")
_PARTS = ("pronouns", "words", "neutral", "about", *SECTIONS)
_MARKS = "[]<>\n"  # which no text has
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PHRASE_WORD = r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*"
_PHRASE = re.compile(rf"{_PHRASE_WORD}(?: {_PHRASE_WORD})*")


def read_prose(path: Traversable, world: World) -> Prose:
    """Return the grammar that the file describes."""
    file = Entry.of_file(path)
    for part in (*file.value, *_PARTS):
        if part not in file.value or part not in (*_PARTS, *_OPTIONAL):
            known = f"{', '.join(_PARTS)}, and maybe {' and '.join(_OPTIONAL)}"
            raise file.within(part).error(f"expected exactly the parts {known}")
    phrases = dict(_words(file.within("phrases"), world.relations))
    prose = Prose(
        file.value,
        _pronouns(file.within("pronouns"), world.forms),
        {
            relation: phrases[relation] or (relation, *words)
            for relation, words in _words(file.within("words"), world.relations)
        },
        dict(_words(file.within("neutral"), tuple(world.index), every=False)),
        dict(_words(file.within("turned"), world.relations)),
        _about(file.within("about"), world),
        {
            facts: tuple(_sentences(file.within(section), facts, world.lexicon))
            for facts, section in enumerate(SECTIONS)
        },
    )
    _check_sentences(path, prose, world)
    return prose


def _pronouns(entry: Entry, forms: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The words of each case by form; one word where there are no forms. A language may do without some."""
    cases = entry.items() if entry.value is not None else {}
    for case, words in cases.items():
        if case not in CASES:
            raise words.error(f"is none of the pronouns {', '.join(CASES)}")
    return {
        case: tuple(word.text(_MARKS) for word in (words.fields(forms) if forms else [words]))
        for case, words in cases.items()
    }


def _words(
    entry: Entry, known: tuple[str, ...], every: bool = True
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words of each relation or kind; none for those that the file does not name."""
    named = {} if entry.value is None else entry.items()
    for name, one in named.items():
        if name not in known and every:
            raise one.error("relations.yaml has no such relation")
    for name in known:
        words = named[name].list(1) if name in named else []
        for word in words:
            if not _PHRASE.fullmatch(word.text(_MARKS)):
                raise word.error(f"{word.value!r} is not a word")
        if every or words:
            yield name, tuple(word.value for word in words)


def _about(entry: Entry, world: World) -> dict[str, tuple[str, ...]]:
    attributes = {attribute.name: attribute for attribute in world.lexicon.attributes}
    for name, one in entry.items().items():
        if name not in attributes:
            raise one.error("attributes.yaml has no such attribute")
    found = {}
    for name, attribute in attributes.items():
        texts = entry.within(name).list(1)
        for one in texts:
            slots = re.findall(r"\{(.*?)\}", one.text(_MARKS))
            slots = [slot for slot in slots if not _agrees(slot, world.forms)]
            if slots != (["value"] if attribute.values else []):
                what = "must hold {value} once, if it has values, and no other slot"
                raise one.error(f"{one.value!r} {what}")
            if one.value[0].isupper():
                raise one.error(f"{one.value!r} must begin with a verb in lower case")
        found[name] = tuple(one.value for one in texts)
    return found


def _agrees(slot: str, forms: tuple[str, ...]) -> bool:
    """Whether a slot of a text about an entity is a word by its form, {entity:her|his}."""
    entity, _, words = slot.partition(":")
    return entity in ("entity", "person") and words.count("|") == len(forms) - 1 > 0


def _sentences(entry: Entry, facts: int, lexicon: Lexicon) -> Iterator[ProseSentence]:
    for item in entry.list(1):
        say, kinds = item, tuple[str, ...]()
        if isinstance(item.value, dict):
            say, only = item.fields(("say", "for"))
            kinds = tuple(one.text() for one in only.list(1))
        try:
            yield parse_sentence(say.text(_MARKS), facts, kinds, lexicon)
        except WorldError as error:
            raise item.error(f"{short(say.value)}: {error}") from None


def _taken(path: Traversable, prose: Prose, world: World) -> dict[str, str]:
    """What no sentence may write out, and why. A word must mean one thing: one relation, one kind."""
    meaning: dict[str, str] = {}
    for part, words in (
        ("words", prose.words),
        ("neutral", prose.neutral),
        ("turned", prose.turned),
    ):
        for name, said in words.items():
            for word in said:
                if meaning.setdefault(word, name) != name or (
                    part == "turned" and word in prose.words[name]
                ):
                    raise WorldError(
                        f"{part}: {name}: {word!r} is a word for {meaning[word]} too", place=path
                    )
    names = {name: f"{name!r} is also a name" for names in world.lexicon.names for name in names}
    slot = "use a slot such as {r1}"
    return names | {
        word: f"{word!r} is a word for {name}; {slot}" for word, name in meaning.items()
    }


def _check_sentences(path: Traversable, prose: Prose, world: World) -> None:
    taken = _taken(path, prose, world)
    longest = max(phrase.count(" ") for phrase in taken) + 1
    seen: dict[tuple[str, ...], str] = {}
    for facts, sentences in prose.sentences.items():
        for sentence in sentences:
            faults = [
                taken[phrase] for phrase in _written_out(sentence, longest) if phrase in taken
            ]
            faults += _faults(sentence, prose, world)
            if (read_as := _read_as(sentence)) in seen:
                faults.append(f"reads like {seen[read_as]!r}")
            seen[read_as] = sentence.text
            if faults:
                raise WorldError(f"{SECTIONS[facts]}: {sentence.text!r}: {faults[0]}", place=path)


def _written_out(sentence: ProseSentence, longest: int) -> Iterator[str]:
    """The words of its literal text, and the phrases of up to that many of them."""
    for piece in sentence.pieces:
        words = _WORD.findall(piece) if isinstance(piece, str) else []
        for size in range(1, longest + 1):
            yield from (" ".join(words[at : at + size]) for at in range(len(words)))


def _read_as(sentence: ProseSentence) -> tuple[str, ...]:
    """What is left of a sentence for a reader, who does not know what is in its slots."""
    return tuple(
        piece if isinstance(piece, str) else _slot_read_as(piece) for piece in sentence.pieces
    )


def _slot_read_as(slot: Slot) -> str:
    if slot.what in WORDS:
        return slot.what[0]
    if slot.what == AGREES:
        return slot.spec
    return f"[{slot.spec}]" if slot.what == "name" else "[]"


def _faults(sentence: ProseSentence, prose: Prose, world: World) -> Iterator[str]:
    """What is wrong with a sentence in this world: words that it lacks, or forms that are left open."""
    neutral = [slot.of for slot in sentence.slots if slot.what in ("n", "an")]
    kinds = sentence.kinds or world.index
    missing = [kind for kind in world.index if kind in kinds and kind not in prose.neutral]
    if any(neutral):
        yield "only the first fact can leave a form open, {n1}"
    if neutral and missing:
        yield f"no word under neutral for {missing[0]}; restrict it by `for`"
    for slot in sentence.slots:
        if slot.what in CASES and slot.what not in prose.pronouns:
            yield f"{slot.what} is not under pronouns"
    if sentence.facts and 0 not in sentence.said:
        if world.forms:
            yield "must say {r1}: literal text leaves open the form of {b}"
        if sentence.kinds[0] not in world.index:
            yield f"for: relations.yaml has no kind {sentence.kinds[0]}"
    lacking = [relation for relation, words in prose.turned.items() if not words]
    if lacking and any(slot.what == "t" for slot in sentence.slots):
        yield f"no phrase under turned for {lacking[0]}"
