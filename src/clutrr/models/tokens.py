"""Words and relations by number, and stories as numbers.

A relation is a kind in a form: two words of one kind differ by the form of the entity that they name. What
follows from what depends on kinds alone.

    token     a word or a mark, lower case; a letter of a script without spaces between words; or an entity,
              which is one token
    entity    numbered within its story: those of the scene first, which are nodes, then values of
              attributes, each in order of appearance, so that the numbers tell nothing of the names
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import NamedTuple

import pyarrow as pa
import torch
from torch import Tensor

from clutrr._lexicon import World
from clutrr.errors import DataError
from clutrr.models.passages import Pair, Passage, read_passages

# Letters of scripts without spaces between words: Thai to Burmese, Khmer, Japanese and Chinese.
_ALONE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_ALONE}]|'s\b|[^\W{_ALONE}]+(?:[-'\u2019][^\W{_ALONE}]+)*|[^\w\s]")

# Numbers of no word. A sentence that links two entities is read from both ends; the marks
# tell which mention is the reader's own, which the other's, and which of them comes first.
PADDING, UNKNOWN, SELF_FIRST, OTHER_SECOND, OTHER_FIRST, SELF_SECOND, BYSTANDER = range(7)
RESERVED = 7
ANY = -1  # the form of a relation that tells none
NO_TARGET = -1  # a relation that the model cannot answer


@dataclass(frozen=True)
class Vocabulary:
    """The words of the training stories, and the relations that can be answered.

    A word's number is its place in `words` plus RESERVED; a relation's number is its place.
    forms: for each relation the number of its kind and its form, such as (0, 1) for the second form of
    kind 0; a relation that no world has is of a separate kind, with the form ANY. Without forms, that
    goes for every relation.
    """

    words: tuple[str, ...]
    relations: tuple[str, ...]
    forms: tuple[tuple[int, int], ...] = field(
        default=(), compare=False
    )  # they follow from the world

    def __post_init__(self) -> None:
        kinds, forms = ({form[place] for form in self.forms} for place in (0, 1))
        counted = len(self.forms) in (0, len(self.relations))
        if not counted or any(of != set(range(len(of))) for of in (kinds, forms - {ANY})):
            raise ValueError("forms: not a kind and a form for each relation")

    @classmethod
    def of(cls, words: Iterable[str], relations: Iterable[str], world: World) -> "Vocabulary":
        """Return the words in alphabetical order; the relations of the world by kind, then any others."""
        forms = {
            word: (kind, form if len(set(one.words)) > 1 else ANY)
            for kind, one in enumerate(world.kinds)
            for form, word in enumerate(one.words)
        }
        for other in sorted(set(relations) - set(forms)):
            forms[other] = (max((kind for kind, _ in forms.values()), default=-1) + 1, ANY)
        return cls(tuple(sorted(set(words))), tuple(forms), tuple(forms.values()))

    @property
    def size(self) -> int:
        return RESERVED + len(self.words)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: RESERVED + i for i, word in enumerate(self.words)}

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Return their numbers; UNKNOWN for words that were not in the training stories."""
        return [self._numbers.get(word, UNKNOWN) for word in words]

    def targets(self, relations: Iterable[str]) -> Tensor:
        """Return the numbers of answers; NO_TARGET for those that cannot be given."""
        known = {relation: number for number, relation in enumerate(self.relations)}
        return torch.tensor(
            [known.get(relation, NO_TARGET) for relation in relations], dtype=torch.int64
        )


# Stories


class NumberedStory(NamedTuple):
    """A story as numbers.

    sentences: their tokens, each the number of a word, or -1 - e for the entity e. query: the two queried
    entities. nodes, entities: how many there are.
    """

    sentences: tuple[tuple[int, ...], ...]
    query: Pair
    nodes: int
    entities: int


def numbered(table: pa.Table, vocabulary: Vocabulary) -> list[NumberedStory]:
    """Return the stories of a table of puzzles."""

    @cache
    def read(words: str) -> list[int]:
        return vocabulary.numbers(words_in(words))

    columns = (table[name].to_pylist() for name in ("query", "entities", "facts"))
    stories = zip(read_passages(table), *columns, strict=True)
    found = [_numbered(story, _names(*scene), read) for story, *scene in stories]
    if found and all(
        token >= 0 for story in found for sentence in story.sentences for token in sentence
    ):
        raise DataError(
            "no story has names in square brackets, and none mentions an entity of its row"
        )
    return found


def node_names(table: pa.Table) -> list[list[str]]:
    """Return the names of the nodes of each story, in their order."""
    columns = (table[name].to_pylist() for name in ("query", "entities", "facts"))
    scenes = [_names(*scene) for scene in zip(*columns, strict=True)]
    return [
        [name for name in story.names if name in scene]
        for story, scene in zip(read_passages(table), scenes, strict=True)
    ]


def _names(query: list[str], entities: list[dict[str, str]], facts: list[list[str]]) -> set[str]:
    """Return the names of a scene."""
    return {
        *query,
        *(entity["name"] for entity in entities),
        *(name for fact in facts for name in fact[::2]),
    }


def _numbered(story: Passage, scene: set[str], read: Callable[[str], list[int]]) -> NumberedStory:
    order = sorted(range(len(story.names)), key=lambda entity: story.names[entity] not in scene)
    number = {entity: place for place, entity in enumerate(order)}
    sentences = []
    for sentence in story.sentences:
        tokens: list[int] = []
        for piece in sentence:
            tokens += read(piece) if isinstance(piece, str) else [-1 - number[piece]]
        sentences.append(tuple(tokens))
    first, second = story.query
    nodes = sum(name in scene for name in story.names)
    return NumberedStory(tuple(sentences), (number[first], number[second]), nodes, len(order))


def words_of(table: pa.Table) -> set[str]:
    """Return the distinct words of the stories."""
    pieces = {
        piece
        for story in read_passages(table)
        for sentence in story.sentences
        for piece in sentence
    }
    return {word for piece in pieces if isinstance(piece, str) for word in words_in(piece)}


def words_in(text: str) -> list[str]:
    """Return the words and marks of a text, in lower case."""
    return _TOKEN.findall(text.lower())
