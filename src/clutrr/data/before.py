"""The columns of our own files before version 0.3: other names for the entities and the scene."""

from typing import Any

import pyarrow as pa

from clutrr.puzzle import CONTENT

_NAMES = {"entities": "people", "scene": "family"}  # by today's names
_FORM = "gender"
COLUMNS = frozenset(_NAMES.get(name, name) for name in CONTENT)


def row_of_today(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the names of today."""
    return row | {name: row.get(before) for name, before in _NAMES.items()}


def entities_of_today(entities: Any) -> Any:
    """Return the entities of a row, with the names of today as far as they are entities at all."""
    if not isinstance(entities, list):
        return entities
    return [_entity_of_today(one) if isinstance(one, dict) else one for one in entities]


def _entity_of_today(entity: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entity.items() if name != _FORM} | {"form": entity.get(_FORM)}


def table_of_today(table: pa.Table) -> pa.Table:
    """Return a table with the names of today."""
    names = {before: name for name, before in _NAMES.items()}
    table = table.rename_columns([names.get(name, name) for name in table.column_names])
    at = table.column_names.index("entities")
    kind = table.schema.field(at).type
    large = pa.types.is_large_list(kind)
    if not ((large or pa.types.is_list(kind)) and pa.types.is_struct(kind.value_type)):
        return table
    fields = [("form" if field.name == _FORM else field.name, field.type) for field in kind.value_type]
    kind = (pa.large_list if large else pa.list_)(pa.struct(fields))
    chunks = [chunk.view(kind) for chunk in table["entities"].chunks]
    return table.set_column(at, "entities", pa.chunked_array(chunks, kind))
