"""Words and relations by number, and stories as numbers, a column at a time.

A relation is a kind in a form: two words of one kind differ by the form of the entity that they name. What
follows from what depends on kinds alone.

A story is text with entities in square brackets; where there is none, the facts are read. It is cut at the
brackets into literals and entities; there are few distinct literals, and each is read once:

    token     a word or a mark, lower case; or an entity, which is one token
    sentence  as the column `sentences` has it, or else as `clutrr.sentences` cuts the story
    entity    numbered within its story: those of the scene first, which are nodes, then values of
              attributes, each in order of appearance, so that the numbers tell nothing of the names
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch import Tensor

from clutrr.errors import DataError
from clutrr.sentences import bracketed, sentence_spans
from clutrr.world import World

Ints = npt.NDArray[np.int64]

_TOKEN = re.compile(r"'s\b|\w+(?:[-'\u2019]\w+)*|[^\w\s]")

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
    forms: tuple[tuple[int, int], ...] = field(default=(), compare=False)  # they follow from the world

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

    def numbers(self, words: Iterable[str]) -> Ints:
        """Return their numbers; UNKNOWN for words that were not in the training stories."""
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int64)

    def targets(self, relations: Iterable[str]) -> Tensor:
        """Return the numbers of answers; NO_TARGET for those that cannot be given."""
        known = {relation: number for number, relation in enumerate(self.relations)}
        return torch.tensor([known.get(relation, NO_TARGET) for relation in relations], dtype=torch.int64)


# Stories


@dataclass(frozen=True)
class Text:
    """The tokens of many stories in a row.

    words: the distinct words. token: number of a word, or -1 - e for the entity e of its story.
    story, sentence: which one each token belongs to, ascending; sentences are numbered throughout.
    query: the two queried entities. nodes, entities: how many a story has.
    """

    words: tuple[str, ...]
    token: Ints
    story: Ints
    sentence: Ints
    query: Ints
    nodes: Ints
    entities: Ints


def read_text(table: pa.Table) -> Text:
    """Return the tokens of the stories of a table of puzzles."""
    table = _told(table)
    pieces = _cut(table["story"])
    has_entity = pieces.names.is_valid().to_numpy(zero_copy_only=False)
    if table.num_rows and not has_entity.any():
        raise DataError("no story has names in square brackets, and none mentions an entity of its row")
    names = pieces.names.drop_null().dictionary_encode()
    literals = pieces.literals.dictionary_encode()
    named = names.indices.to_numpy().astype(np.int64)
    number, query, nodes, total = _number_entities(table, names.dictionary, pieces.story[has_entity], named)

    words, word, offset, count = _read_literals(literals.dictionary.to_pylist())
    code = literals.indices.to_numpy().astype(np.int64)
    size = has_entity + count[code]  # tokens of each piece: its entity, then its literal
    start = np.cumsum(size) - size
    place = np.arange(size.sum()) - np.repeat(start + has_entity, size)  # in the literal
    first = np.cumsum(count) - count
    source = np.repeat(first[code], size) + np.maximum(place, 0)
    token, offset = (np.append(column, 0)[np.minimum(source, len(column))] for column in (word, offset))
    token[start[has_entity]] = -1 - number
    story = np.repeat(pieces.story, size)
    at = np.repeat(pieces.literal_start, size) + offset
    at[start[has_entity]] = pieces.start[has_entity]
    return Text(words, token, story, _sentences(table, story, at), query, nodes, total)


def _sentences(table: pa.Table, story: Ints, at: Ints) -> Ints:
    """Return the sentence of each token, numbered throughout. at: the place of a token in its story."""
    row, starts = _given_starts(table)
    cut = [
        (number, start)
        for number in np.setdiff1d(np.arange(table.num_rows), row).tolist()
        for start, _ in sentence_spans(table["story"][number].as_py())
    ]
    row, starts = np.concatenate([np.array(cut, np.int64).reshape(-1, 2).T, [row, starts]], axis=1)
    width = int(max(at.max(initial=0), starts.max(initial=0))) + 1
    of = np.searchsorted(np.sort(row * width + starts), story * width + at, side="right")
    begins = np.zeros(len(story), np.int64)
    begins[1:] = (of[1:] != of[:-1]) | (story[1:] != story[:-1])
    return np.cumsum(begins)


def _given_starts(table: pa.Table) -> tuple[Ints, Ints]:
    """Return where sentences start by the column `sentences`, and in which row."""
    if "sentences" not in table.column_names:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    column = table["sentences"].combine_chunks()
    starts = pc.struct_field(column.flatten(), "start")
    return pc.list_parent_indices(column).to_numpy().astype(np.int64), np.asarray(starts).astype(np.int64)


def words_of(table: pa.Table) -> tuple[str, ...]:
    """Return the distinct words of the stories."""
    return _read_literals(_cut(_told(table)["story"]).literals.unique().to_pylist())[0]


def _told(table: pa.Table) -> pa.Table:
    """Return the table with a text for each row that has only facts: `[Ann] mother [Eve].`, a sentence each.

    A relation of several words is one word there. In a story without square brackets, entities get them.
    """
    stories, listed = table["story"].to_pylist(), table["entities"].to_pylist()
    if all("[" in story for story in stories):
        return table
    told = [
        (story if "[" in story else bracketed(story, [one["name"] for one in entities]))
        or " ".join(f"[{head}] {'_'.join(said.split())} [{tail}]." for head, said, tail in facts)
        for story, facts, entities in zip(stories, table["facts"].to_pylist(), listed, strict=True)
    ]
    table = table.set_column(table.column_names.index("story"), "story", pa.array(told, pa.string()))
    return table.drop_columns(["sentences"]) if "sentences" in table.column_names else table


@dataclass(frozen=True)
class _Pieces:
    """Pieces of an entity and the text after it; the first of a story has no entity.

    start, literal_start: where each piece and its text begin in the story, in characters.
    """

    story: Ints
    names: pa.Array  # null for no entity
    literals: pa.Array
    start: Ints
    literal_start: Ints


def _cut(column: pa.ChunkedArray) -> _Pieces:
    text = column.combine_chunks().cast(pa.large_string())
    pieces = pc.split_pattern(text, "[")
    count = pc.list_value_length(pieces).to_numpy().astype(np.int64)
    story = np.repeat(np.arange(len(text)), count)
    opening = np.zeros(len(story), bool)
    opening[np.cumsum(count) - count] = True
    halves = pc.split_pattern(pieces.flatten(), "]")
    parts = pc.list_value_length(halves).to_numpy().astype(np.int64)
    wrong = np.flatnonzero(parts != np.where(opening, 1, 2))
    if len(wrong):
        raise DataError(f"story {story[wrong[0]] + 1}: its square brackets do not match")
    flat = halves.flatten()
    first = np.cumsum(parts) - parts
    names, literals = flat.take(pa.array(first, mask=opening)), flat.take(pa.array(first + parts - 1))
    bracketed = np.where(opening, 0, np.asarray(pc.fill_null(pc.utf8_length(names), 0)) + 2)
    end = np.cumsum(bracketed + np.asarray(pc.utf8_length(literals)))
    start = np.append(0, end[:-1]) if len(end) else end
    start = start - start[opening][story]
    return _Pieces(story, names, literals, start, start + bracketed)


def _read_literals(literals: list[str]) -> tuple[tuple[str, ...], Ints, Ints, Ints]:
    """Return the distinct words of literals; of each token in a row its word and where it begins in its
    literal; and how many tokens each literal has."""
    words: dict[str, int] = {}
    tokens: list[tuple[int, int]] = []
    count: list[int] = []
    for literal in literals:
        found = [(match[0], match.start()) for match in _TOKEN.finditer(literal.lower())]
        tokens += [(words.setdefault(word, len(words)), start) for word, start in found]
        count.append(len(found))
    numbers, offset = np.array(tokens, np.int64).reshape(-1, 2).T
    return tuple(words), numbers, offset, np.array(count, np.int64)


def _number_entities(
    table: pa.Table, names: pa.Array, story: Ints, name: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the number of each mention and of the queried entities; nodes and entities of each story.

    story, name: of each mention, the name as a place in `names`.
    """
    asked, listed, facts = (table[column].combine_chunks() for column in ("query", "entities", "facts"))
    known = [_named(asked), _named(listed, "name"), _named(facts)]
    every_name = pa.concat_arrays([names.cast(pa.string()), *(names for _, names in known)])
    codes = every_name.dictionary_encode().indices.to_numpy().astype(np.int64)
    most, stories = int(codes.max(initial=0)) + 1, table.num_rows
    key = np.concatenate([row for row, _ in known]) * most + codes[len(names) :]
    queried = key[: len(known[0][0])]
    if len(queried) != 2 * stories:
        raise DataError("query: two names are needed in every row")
    # A queried entity counts even where the story does not mention it.
    mentions = np.concatenate([story * most + codes[: len(names)][name], queried])
    keys, first, inverse = np.unique(mentions, return_index=True, return_inverse=True)
    is_node = np.isin(keys, key)
    owner = keys // most
    order = np.lexsort((first, ~is_node, owner))
    entities = np.bincount(owner, minlength=stories)
    rank = np.empty(len(keys), np.int64)
    rank[order] = np.arange(len(keys)) - (np.cumsum(entities) - entities)[owner[order]]
    numbers, nodes = rank[inverse], np.bincount(owner[is_node], minlength=stories)
    return numbers[: len(story)], numbers[len(story) :].reshape(-1, 2), nodes, entities


def _named(column: pa.Array, field: str | None = None) -> tuple[Ints, pa.Array]:
    """Return the names in lists of names, of structs with a name, or of facts: each with its row."""
    row = pc.list_parent_indices(column).to_numpy().astype(np.int64)
    names = column.flatten()
    if field is not None:
        names = names.field(field)
    elif pa.types.is_list(names.type):  # head, relation, tail
        inner = pc.list_parent_indices(names).to_numpy()
        place = np.arange(len(inner)) - np.searchsorted(inner, inner)
        keep = place != 1
        row, names = row[inner[keep]], names.flatten().filter(pa.array(keep))
    return row, names.cast(pa.string())
