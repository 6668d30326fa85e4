"""A world: a theory, which says what relations mean, and a lexicon, which puts them into words.

A world is a folder of data that a user can copy and edit:

    relations.yaml      the relation kinds: what the theory needs to know of each, and its words
    templates.yaml      sentences for each relation
    attributes.yaml     what distractor sentences say about an entity
    prose.yaml          optional: the grammar of stories in prose
    phrases.yaml        optional: how proofs, questions and prompts put a relation
    names/FORM.txt      names of entities of each form, one per line; names.txt in a theory without forms
    cases.yaml          optional: how names are written in each case
    components.yaml     instead of relations.yaml and templates.yaml, where the theory is a product: the words
                        of each component
    world.yaml          optional: `theory: kinship` names the theory; `extends: kinship` takes what is missing
                        here from that world; `language: de` is the language of the sentences, `name: ...`
                        the world's name; `parallel: kinship` draws what that world draws for the same seed

`load` reads and checks one; every error names the file and the entry.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from clutrr._display import Shown
from clutrr._io.files import replace_text
from clutrr._io.locations import Location
from clutrr._io.yamls import dump
from clutrr._labels import Kind, Labels, Meaning
from clutrr._lexicon.lexicon import Lexicon
from clutrr._lexicon.speech import Speech
from clutrr.theory import Supply, Theory
from clutrr.theory.registry import DEFAULT_THEORY


@dataclass(frozen=True, eq=False, repr=False)
class World(Shown):
    """Everything that the sentences of a story can say, and what it means."""

    name: str
    theory: Theory
    lexicon: Lexicon

    @property
    def caption(self) -> str:
        lexicon = self.lexicon
        return (
            f"World {self.name}: theory {self.theory.name}, language {lexicon.language}, "
            f"{len(self.relations)} labels, {sum(map(len, lexicon.names)):,} names, "
            f"{len(lexicon.attributes)} attributes{', prose' if lexicon.prose else ''}"
        )

    def rows(self) -> Iterator[list[str]]:
        yield ["kind", "converse", "words", "a sentence"]
        for kind in self.kinds:
            words = dict.fromkeys(kind.words)
            sentence = self.lexicon.templates[kind.words[0]][0].text
            yield [kind.name, kind.converse, ", ".join(words), sentence]

    @cached_property
    def labels(self) -> Labels:
        """The label set."""
        words = self.lexicon.words
        kinds = [
            Kind(name, converse, words[name]) for name, converse in self.theory.converses.items()
        ]
        return Labels(tuple(kinds), self.theory.forms)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return self.labels.kinds

    @property
    def forms(self) -> tuple[str, ...]:
        """The names of the forms; none where entities add nothing to a word."""
        return self.labels.forms

    @property
    def relations(self) -> tuple[str, ...]:
        """The labels: kind by kind, in the order of the forms."""
        return self.labels.relations

    @property
    def index(self) -> Mapping[str, int]:
        """The number of each kind, by name."""
        return self.labels.index

    @property
    def meaning(self) -> Mapping[str, Meaning]:
        """The kind and the form of each label."""
        return self.labels.meaning

    def kind(self, name: str) -> Kind:
        return self.labels.kind(name)

    @property
    def supply(self) -> Supply:
        """What the lexicon has for a scene."""
        lexicon = self.lexicon
        return Supply(self.name, self.labels, lexicon.drawn, len(lexicon.attributes))

    @cached_property
    def speech(self) -> Speech:
        """What its lexicon says of entities and relations."""
        return Speech(self.lexicon)

    def say(self, head: str, relation: str, tail: str) -> str:
        """Return a fact in plain words."""
        return self.speech.state(head, relation, tail)

    @cached_property
    def digest(self) -> str:
        """A checksum of everything in the world."""
        return hashlib.sha256(json.dumps(self._content()).encode()).hexdigest()

    def _content(self) -> list[Any]:
        """Return what the checksum covers; what most worlds lack, only where it is there."""
        lexicon = self.lexicon
        content: list[Any] = [
            [
                (kind.name, *self.theory.checksum_fields(kind.name), kind.words)
                for kind in self.kinds
            ],
            {
                relation: [t.text for t in templates]
                for relation, templates in lexicon.templates.items()
            },
            [(a.name, a.values, [t.text for t in a.templates]) for a in lexicon.attributes],
            lexicon.names,
        ]
        if lexicon.prose is not None:
            content.append(lexicon.prose.content)
        if lexicon.own_phrases:
            content.append(lexicon.own_phrases)
        if self.theory.name != DEFAULT_THEORY:
            content.append(self.theory.name)
        if lexicon.statements is not None and lexicon.statements.content:
            content.append(lexicon.statements.content)
        if lexicon.cases.known:
            content.append([lexicon.cases.content, lexicon.cases.listed])
        return content

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        same = isinstance(other, World) and (self.name, self.digest) == (other.name, other.digest)
        return same and self.lexicon.language == other.lexicon.language  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.digest)


def name_files(forms: Sequence[str]) -> list[str]:
    """Return the paths of the files with names, in the order of the forms."""
    return [f"names/{form}.txt" for form in forms] or ["names.txt"]


def world_files(world: World) -> Mapping[str, str]:
    """Return the content of each file, by its path in the folder: all of the world, even what it extends."""
    lexicon, theory = world.lexicon, world.theory
    about = {"name": world.name, "language": lexicon.language}
    if theory.name != DEFAULT_THEORY:
        about["theory"] = theory.name
    if lexicon.parallel is not None:
        about["parallel"] = lexicon.parallel.world
    fields = theory.to_relations()
    words = {
        kind.name: dict(zip(world.forms, kind.words, strict=True)) if world.forms else kind.words[0]
        for kind in world.kinds
    }
    files: dict[str, Any] = {
        "world": about,
        "relations": {name: {**fields[name], "words": said} for name, said in words.items()},
        "templates": {relation: [t.text for t in ts] for relation, ts in lexicon.templates.items()},
        "attributes": {
            a.name: {"values": list(a.values), "templates": [t.text for t in a.templates]}
            for a in lexicon.attributes
        },
        "prose": lexicon.prose and lexicon.prose.content,
        "phrases": lexicon.own_phrases,
        "cases": lexicon.cases.content,
        "components": lexicon.components,
        "statements": lexicon.statements and lexicon.statements.content,
    }
    if lexicon.components:  # which says what these two would
        del files["relations"], files["templates"]
    content = {f"{name}.yaml": dump(content) for name, content in files.items() if content}
    for file, names in zip(name_files(world.forms), lexicon.names, strict=True):
        content[file] = "".join(lexicon.cases.line(name) + "\n" for name in names)
    return content


def save_world(world: World, folder: Location) -> None:
    """Write the files of the world into a folder."""
    for name, text in world_files(world).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_text(folder / name, text)
