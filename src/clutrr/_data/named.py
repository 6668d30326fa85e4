"""Stories for models: every name in square brackets is that of an entity, whatever its case in the sentence.

A model knows an entity by what is in brackets. "[Анны]" is not "[Анна]" to it, and "Annas" without brackets is no name.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

import pyarrow as pa

from clutrr._lexicon import World

_ENTITY = re.compile(r"\[([^\[\]]*)\]")


def in_names(table: pa.Table, world: World) -> pa.Table:
    """Return a table of puzzles whose stories have names as they are; the same where a language has no cases."""
    lexicon = world.lexicon
    if not lexicon.cases.known:
        return table
    every = [case for case in lexicon.cases.known if case in lexicon.declined]
    rows = [_told(row, world, every) for row in table.to_pylist()]
    for name in ("story", "sentences"):
        if name in table.column_names:
            number = table.schema.get_field_index(name)
            field = table.schema.field(number)
            column = pa.array([row[name] for row in rows], field.type)
            table = table.set_column(number, field, column)
    return table


def _told(row: dict[str, Any], world: World, cases: list[str]) -> dict[str, Any]:
    """Return a row with its story in names."""
    names = {one["name"] for one in row["entities"]}
    changes = list(_changes(row["story"], names, world, cases))
    pieces, at = list[str](), 0
    for start, end, text in changes:
        pieces += [row["story"][at:start], text]
        at = end
    story = "".join([*pieces, row["story"][at:]])
    ends = [end for _, end, _ in changes]
    grown = list(accumulate((len(text) - (end - start) for start, end, text in changes), initial=0))

    def moved(place: int) -> int:
        return place + grown[sum(end <= place for end in ends)]

    cut = row.get("sentences") and [
        {**one, "start": moved(one["start"]), "end": moved(one["end"])} for one in row["sentences"]
    ]
    return {"story": story, "sentences": cut}


def _changes(
    story: str, names: set[str], world: World, cases: list[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield the spans that names in brackets take the place of."""
    said = _words(names, world, cases)
    if "[" in story:
        for match in _ENTITY.finditer(story):
            if match[1] not in names and match[1] in said:
                yield match.start(), match.end(), f"[{said[match[1]]}]"
        return
    behind = {
        one.after for case in world.lexicon.cases.known for one in world.lexicon.spelled(case)
    }
    ends = "|".join(map(re.escape, sorted(filter(None, behind), key=len, reverse=True)))
    words = "|".join(map(re.escape, sorted(said, key=len, reverse=True)))
    if words:
        for match in re.finditer(rf"(?<!\w)(?:{words})(?=(?:{ends or '(?!)'})?(?!\w))", story):
            yield match.start(), match.end(), f"[{said[match[0]]}]"


def _words(names: set[str], world: World, cases: list[str]) -> Mapping[str, str]:
    """Return the name that each word stands for, in any case."""
    by_form = world.lexicon.form_of
    found = {name: name for name in names}
    for case in cases:
        for name in sorted(names & by_form.keys()):
            found.setdefault(world.lexicon.spell(name, case).word, name)
    return found
