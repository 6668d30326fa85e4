"""Stories to numbers, a column at a time.

A story is text with entities in square brackets. It is cut at the brackets into literals and
entities; there are few distinct literals, and each is read once:

    token     a word or a mark, lower case; or an entity, which is one token
    sentence  as the column `sentences` has it; where it has none, the tokens up to a full stop,
              question or exclamation mark
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
    """Return the tokens of the stories of a table of puzzles."""
    pieces = _cut(table["story"])
    has_entity = pieces.names.is_valid().to_numpy(zero_copy_only=False)
    if table.num_rows and not has_entity.any():
        raise DataError("no story has people in square brackets, as the models need: use --brackets yes")
    names = pieces.names.drop_null().dictionary_encode()
    literals = pieces.literals.dictionary_encode()

    entities = _Entities(table, names.dictionary)
    mentions = pieces.story[has_entity], names.indices.to_numpy().astype(np.int64)
    number, query, people, total = entities.number(*mentions)

    read = _read_literals(literals.dictionary.to_pylist())
    code = literals.indices.to_numpy().astype(np.int64)
    size = has_entity + read.count[code]  # tokens of each piece: its entity, then its literal
    start = np.cumsum(size) - size
    place = np.arange(size.sum()) - np.repeat(start + has_entity, size)  # in the literal
    first = np.cumsum(read.count) - read.count
    source = np.repeat(first[code], size) + np.maximum(place, 0)
    token, last, offset = (
        np.append(column, 0)[np.minimum(source, len(column))]
        for column in (read.word, read.ends, read.offset)
    )
    token[start[has_entity]] = -1 - number
    last[start[has_entity]] = False
    story = np.repeat(pieces.story, size)
    ends = np.append(0, last[:-1]).astype(bool) if len(last) else last.astype(bool)
    at = np.repeat(pieces.literal_start, size) + offset
    at[start[has_entity]] = pieces.start[has_entity]
    begins = _begins(table, story, at, ends)
    begins[1:] |= story[1:] != story[:-1]
    return Text(read.words, token, story, np.cumsum(begins) - 1, query, people, total)


def _begins(table: pa.Table, story: Ints, at: Ints, after_end: Bools) -> Bools:
    """Return which tokens begin a sentence within a story. at: the place of each token in the story.

    after_end: which tokens follow the end of a sentence by their punctuation.
    """
    begins = after_end.copy()
    begins[:1] = True
    if "sentences" not in table.column_names:
        return begins
    column = table["sentences"].combine_chunks()
    given = np.asarray(pc.fill_null(pc.list_value_length(column), 0)) > 0
    row = pc.list_parent_indices(column).to_numpy().astype(np.int64)
    starts = pc.struct_field(column.flatten(), "start").to_numpy(zero_copy_only=False).astype(np.int64)
    width = int(max(at.max(initial=0), starts.max(initial=0))) + 1
    of = np.searchsorted(row * width + starts, story * width + at, side="right")
    begins[1:] = np.where(given[story[1:]], of[1:] != of[:-1], begins[1:])
    return begins


def words_of(table: pa.Table) -> tuple[str, ...]:
    """Return the distinct words of the stories."""
    return _read_literals(_cut(table["story"]).literals.unique().to_pylist()).words


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


@dataclass(frozen=True)
class _Literals:
    """The tokens of distinct literals in a row.

    words: the distinct ones. word: of each token. ends: whether it ends a sentence. offset: where it
    begins in its literal. count: how many tokens each literal has.
    """

    words: tuple[str, ...]
    word: Ints
    ends: Ints
    offset: Ints
    count: Ints


def _read_literals(literals: list[str]) -> _Literals:
    words: dict[str, int] = {}
    tokens: list[tuple[int, bool, int]] = []
    count: list[int] = []
    for literal in literals:
        found = list(_TOKEN.finditer(literal.lower()))
        count.append(len(found))
        for match in found:
            followed = literal[match.end() : match.end() + 1]
            ends = match[0] in _ENDS and (not followed or followed.isspace())
            tokens.append((words.setdefault(match[0], len(words)), ends, match.start()))
    word, ends_, offset = np.array(tokens, np.int64).reshape(-1, 3).T
    return _Literals(tuple(words), word, ends_, offset, np.array(count, np.int64))


class _Entities:
    """Numbers the entities of each story."""

    def __init__(self, table: pa.Table, names: pa.Array) -> None:
        self._stories = table.num_rows
        asked = table["query"].combine_chunks()
        listed = table["entities"].combine_chunks()
        facts = table["facts"].combine_chunks()
        people = [_named(asked), _named(listed, "name"), _named(facts)]
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
        """Return the number of each mention and of the queried people; people and entities of each story."""
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
