"""Read a world's prose.yaml and check it; every error names the file and the entry."""

import re
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import Any

from clutrr.errors import WorldError
from clutrr.world.prose import CASES, SECTIONS, WORDS, Prose, ProseSentence, parse_sentence
from clutrr.world.world import World

_OPTIONAL = ("phrases", "turned")
_PARTS = ("pronouns", "words", "neutral", "about", *SECTIONS)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PHRASE = re.compile(rf"{_WORD.pattern}(?: {_WORD.pattern})*")


def read_prose(path: Traversable, content: Mapping[str, Any], world: World) -> Prose:
    """Return the grammar that the content of the file describes."""
    for part in (*content, *_PARTS):
        if part not in content or part not in (*_PARTS, *_OPTIONAL):
            raise WorldError(
                f"{path}: {part}: expected exactly the parts {', '.join(_PARTS)}, and maybe "
                f"{' and '.join(_OPTIONAL)}"
            )
    phrases = dict(_words(path, "phrases", content, world.relations))
    prose = Prose(
        world.forms,
        _pronouns(path, content["pronouns"], world.forms),
        {
            relation: phrases[relation] or (relation, *words)
            for relation, words in _words(path, "words", content, world.relations)
        },
        dict(_words(path, "neutral", content, tuple(world.index), every=False)),
        dict(_words(path, "turned", content, world.relations)),
        _about(path, content["about"], world),
        {
            facts: tuple(_sentences(path, section, content[section], facts))
            for facts, section in enumerate(SECTIONS)
        },
    )
    _check_sentences(path, prose, world)
    return prose


def _listed(path: Traversable, entry: str, content: Any) -> list[Any]:
    if not isinstance(content, list) or not content:
        raise WorldError(f"{path}: {entry}: expected a list with at least one entry")
    return content


def _text(path: Traversable, entry: str, text: Any) -> str:
    if not isinstance(text, str) or not text.strip() or any(mark in text for mark in "[]<>\n"):
        raise WorldError(f"{path}: {entry}: {str(text)[:60]!r} is not plain text (quote it)")
    return text


def _named(path: Traversable, entry: str, content: Any) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise WorldError(f"{path}: {entry}: expected a mapping")
    return content


def _pronouns(path: Traversable, content: Any, forms: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The words of each case by form; one word where there are no forms."""
    found = {}
    for case in (*_named(path, "pronouns", content), *CASES):
        if case not in CASES or case not in content:
            raise WorldError(f"{path}: pronouns: {case}: expected exactly {', '.join(CASES)}")
        entry = f"pronouns: {case}"
        words = _named(path, entry, content[case]) if forms else {"": content[case]}
        if forms and set(words) != set(forms):
            raise WorldError(f"{path}: {entry}: expected exactly the fields {', '.join(forms)}")
        found[case] = tuple(_text(path, entry, words[form]) for form in forms or ("",))
    return found


def _words(
    path: Traversable, part: str, content: Mapping[str, Any], known: tuple[str, ...], every: bool = True
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words of each relation or kind; none for those that the file does not name."""
    named = _named(path, part, content.get(part, {}))
    for name in named:
        if name not in known and every:
            raise WorldError(f"{path}: {part}: {name}: relations.yaml has no such relation")
    for name in known:
        entry = f"{part}: {name}"
        words = _listed(path, entry, named[name]) if name in named else []
        for word in words:
            if not _PHRASE.fullmatch(_text(path, entry, word)):
                raise WorldError(f"{path}: {entry}: {word!r} is not a word")
        if every or words:
            yield name, tuple(words)


def _about(path: Traversable, content: Any, world: World) -> dict[str, tuple[str, ...]]:
    found = {}
    named = _named(path, "about", content)
    attributes = {attribute.name: attribute for attribute in world.lexicon.attributes}
    for name in (*named, *attributes):
        entry = f"about: {name}"
        if name not in attributes:
            raise WorldError(f"{path}: {entry}: attributes.yaml has no such attribute")
        texts = [_text(path, entry, text) for text in _listed(path, entry, named.get(name))]
        for text in texts:
            needed = ["value"] if attributes[name].values else []
            if re.findall(r"\{(.*?)\}", text) != needed:
                raise WorldError(
                    f"{path}: {entry}: {text!r} must hold {{value}} once, if it has values, and no other slot"
                )
            if not text[0].islower():
                raise WorldError(f"{path}: {entry}: {text!r} must begin with a verb in lower case")
        found[name] = tuple(texts)
    return found


def _sentences(path: Traversable, section: str, content: Any, facts: int) -> Iterator[ProseSentence]:
    for item in _listed(path, section, content):
        say, kinds = item, tuple[str, ...]()
        if isinstance(item, dict):
            if set(item) != {"say", "for"}:
                raise WorldError(f"{path}: {section}: expected a sentence, or the fields say and for")
            say = item["say"]
            kinds = tuple(map(str, _listed(path, f"{section}: for", item["for"])))
        text = _text(path, section, say)
        try:
            yield parse_sentence(text, facts, kinds)
        except WorldError as error:
            raise WorldError(f"{path}: {section}: {text!r}: {error}") from None


def _taken(path: Traversable, prose: Prose, world: World) -> dict[str, str]:
    """What no sentence may write out, and why. A word must mean one thing: one relation, one kind."""
    meaning: dict[str, str] = {}
    for part, words in (("words", prose.words), ("neutral", prose.neutral), ("turned", prose.turned)):
        for name, said in words.items():
            for word in said:
                if meaning.setdefault(word, name) != name or (part == "turned" and word in prose.words[name]):
                    raise WorldError(f"{path}: {part}: {name}: {word!r} is a word for {meaning[word]} too")
    names = {name: f"{name!r} is also a name" for names in world.lexicon.names for name in names}
    slot = "use a slot such as {r1}"
    return names | {word: f"{word!r} is a word for {name}; {slot}" for word, name in meaning.items()}


def _check_sentences(path: Traversable, prose: Prose, world: World) -> None:
    taken = _taken(path, prose, world)
    longest = max(phrase.count(" ") for phrase in taken) + 1
    seen: dict[tuple[str, ...], str] = {}
    for facts, sentences in prose.sentences.items():
        for sentence in sentences:
            faults = [taken[phrase] for phrase in _written_out(sentence, longest) if phrase in taken]
            faults += _faults(sentence, prose, world)
            if (read_as := _read_as(sentence)) in seen:
                faults.append(f"reads like {seen[read_as]!r}")
            seen[read_as] = sentence.text
            if faults:
                raise WorldError(f"{path}: {SECTIONS[facts]}: {sentence.text!r}: {faults[0]}")


def _written_out(sentence: ProseSentence, longest: int) -> Iterator[str]:
    """The words of its literal text, and the phrases of up to that many of them."""
    for piece in sentence.pieces:
        words = _WORD.findall(piece) if isinstance(piece, str) else []
        for size in range(1, longest + 1):
            yield from (" ".join(words[at : at + size]) for at in range(len(words)))


def _read_as(sentence: ProseSentence) -> tuple[str, ...]:
    """What is left of a sentence for a reader, who does not know what is in its slots."""
    return tuple(
        piece if isinstance(piece, str) else (piece.what[0] if piece.what in WORDS else "[]")
        for piece in sentence.pieces
    )


def _faults(sentence: ProseSentence, prose: Prose, world: World) -> Iterator[str]:
    """What is wrong with a sentence in this world: words that it lacks, or forms that are left open."""
    neutral = [slot.of for slot in sentence.slots if slot.what in ("n", "an")]
    kinds = sentence.kinds or world.index
    missing = [kind for kind in world.index if kind in kinds and kind not in prose.neutral]
    if any(neutral):
        yield "only the first fact can leave a form open, {n1}"
    if neutral and missing:
        yield f"no word under neutral for {missing[0]}; restrict it by `for`"
    if sentence.facts and 0 not in sentence.said:
        if world.forms:
            yield "must say {r1}: literal text leaves open the form of {b}"
        if sentence.kinds[0] not in world.index:
            yield f"for: relations.yaml has no kind {sentence.kinds[0]}"
    lacking = [relation for relation, words in prose.turned.items() if not words]
    if lacking and any(slot.what == "t" for slot in sentence.slots):
        yield f"no phrase under turned for {lacking[0]}"
