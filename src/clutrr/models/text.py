"""Stories to numbers, a column at a time.

A story is text with entities in square brackets. It is cut at the brackets into literals and
entities; there are few distinct literals, and each is read once:

    token     a word or a mark, lower case; or an entity, which is one token
    sentence  the tokens up to a full stop, question or exclamation mark
    entity    numbered within its story: people first, then attribute values, each in order of
              appearance, so that the numbers tell nothing of the names
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from clutrr.errors import DataError

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_TOKEN = re.compile(r"'s\b|\w+(?:[-'\u2019]\w+)*|[^\w\s]")
_ENDS = frozenset(".!?")


@dataclass(frozen=True)
class Text:
    """The tokens of many stories in a row.

    words: the distinct words. token: number of a word, or -1 - e for the entity e of its story.
    story, sentence: which one each token belongs to, ascending; sentences are numbered throughout.
    query: the two queried entities. people, entities: how many a story has.
    """

    words: tuple[str, ...]
    token: Ints
    story: Ints
    sentence: Ints
    query: Ints
    people: Ints
    entities: Ints


def read_text(table: pa.Table) -> Text:
    """The tokens of the stories of a table of puzzles."""
    story_of, names, literals = _cut(table["story"])
    has_entity = names.is_valid().to_numpy(zero_copy_only=False)
    if table.num_rows and not has_entity.any():
        raise DataError("no story has people in square brackets, as the models need: use --brackets yes")
    names = names.drop_null().dictionary_encode()
    literals = literals.dictionary_encode()

    entities = _Entities(table, names.dictionary)
    mentions = story_of[has_entity], names.indices.to_numpy().astype(np.int64)
    number, query, people, total = entities.number(*mentions)

    words, read, ends, count = _read_literals(literals.dictionary.to_pylist())
    code = literals.indices.to_numpy().astype(np.int64)
    size = has_entity + count[code]  # tokens of each piece: its entity, then its literal
    start = np.cumsum(size) - size
    place = np.arange(size.sum()) - np.repeat(start + has_entity, size)  # in the literal
    first = np.cumsum(count) - count
    source = np.repeat(first[code], size) + np.maximum(place, 0)
    token, last = (np.append(column, 0)[np.minimum(source, len(column))] for column in (read, ends))
    token[start[has_entity]] = -1 - number
    last[start[has_entity]] = False
    story = np.repeat(story_of, size)
    begins = np.ones(len(token), bool)
    begins[1:] = last[:-1].astype(bool) | (story[1:] != story[:-1])
    return Text(words, token, story, np.cumsum(begins) - 1, query, people, total)


def words_of(table: pa.Table) -> tuple[str, ...]:
    """The distinct words of the stories."""
    _, _, literals = _cut(table["story"])
    return _read_literals(literals.unique().to_pylist())[0]


def _cut(column: pa.ChunkedArray) -> tuple[Ints, pa.Array, pa.Array]:
    """Pieces of an entity and the text after it: story, entity or null, literal. The first has no entity."""
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
    names = flat.take(pa.array(first, mask=opening))
    return story, names, flat.take(pa.array(first + parts - 1))


def _read_literals(literals: list[str]) -> tuple[tuple[str, ...], Ints, Ints, Ints]:
    """Distinct words; those of all literals in a row; whether each ends a sentence; how many each has."""
    words: dict[str, int] = {}
    read: list[int] = []
    ends: list[bool] = []
    count: list[int] = []
    for literal in literals:
        found = list(_TOKEN.finditer(literal.lower()))
        count.append(len(found))
        for match in found:
            read.append(words.setdefault(match[0], len(words)))
            followed = literal[match.end() : match.end() + 1]
            ends.append(match[0] in _ENDS and (not followed or followed.isspace()))
    return tuple(words), np.array(read, np.int64), np.array(ends, np.int64), np.array(count, np.int64)


class _Entities:
    """Numbers the entities of each story."""

    def __init__(self, table: pa.Table, names: pa.Array) -> None:
        self._stories = table.num_rows
        asked = table["query"].combine_chunks()
        told = table["people"].combine_chunks()
        facts = table["facts"].combine_chunks()
        people = [_named(asked), _named(told, "name"), _named(facts)]
        everybody = pa.concat_arrays([names.cast(pa.string()), *(name for _, name in people)])
        codes = everybody.dictionary_encode().indices.to_numpy().astype(np.int64)
        self._codes = int(codes.max(initial=0)) + 1
        story = np.concatenate([story for story, _ in people])
        key = story * self._codes + codes[len(names) :]
        self._names = codes[: len(names)]
        self._people = np.unique(key)
        self._asked = key[: len(people[0][0])]
        if len(self._asked) != 2 * self._stories:
            raise DataError("query: two names are needed in every row")

    def number(self, story: Ints, name: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """The number of each mention and of the two queried people; people and entities of each story."""
        mentioned = story * self._codes + self._names[name]
        # A queried person counts even where the story does not mention them.
        every = np.concatenate([mentioned, self._asked])
        keys, first, inverse = np.unique(every, return_index=True, return_inverse=True)
        is_person = np.isin(keys, self._people, assume_unique=True)
        owner = keys // self._codes
        order = np.lexsort((first, ~is_person, owner))
        entities = np.bincount(owner, minlength=self._stories)
        rank = np.empty(len(keys), np.int64)
        rank[order] = np.arange(len(keys)) - (np.cumsum(entities) - entities)[owner[order]]
        numbers = rank[inverse]
        people = np.bincount(owner[is_person], minlength=self._stories)
        return numbers[: len(mentioned)], numbers[len(mentioned) :].reshape(-1, 2), people, entities


def _named(column: pa.Array, field: str | None = None) -> tuple[Ints, pa.Array]:
    """The names in lists of names, of structs with a name, or of facts: each with its row."""
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
