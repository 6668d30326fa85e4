"""The parts of a data set card: the head that the Hugging Face hub reads, and what columns mean."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

_SIZES = (1_000, "1K"), (10_000, "10K"), (100_000, "100K"), (1_000_000, "1M"), (10_000_000, "10M")

COLUMNS = """\
`id`; `story`, `abstract` (entities and attribute values in square brackets); `query` (two names); `target`
(what the second is to the first); `k` (facts of the route); `pattern` (their relation kinds); `facts`
(head, relation, tail: tail is head's relation; those of the route first, in its order); `entities` (name and
form of each, those on the route first); `scene` (an id); `roles` (of each fact: path, supporting,
irrelevant or disconnected); `sentences` (start and end in the story, and the numbers of the facts that
each states); `possible` (the relations that the facts allow) and `outside` (whether something else is
possible), both under the assumption."""


def front_matter(
    language: str, rows: int, configs: Mapping[str, Mapping[str, str]], licence: str | None
) -> str:
    """Return the YAML head. configs: by name, the files of each split. A single one needs no name to load."""
    content: dict[str, Any] = {
        **({"license": licence} if licence else {}),
        "language": [language],
        "task_categories": ["question-answering", "text-classification"],
        "tags": ["relational-reasoning", "compositional-generalization"],
        "size_categories": [_size(rows)],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if len(configs) == 1 else {}),
                "data_files": [{"split": split, "path": path} for split, path in splits.items()],
            }
            for name, splits in configs.items()
        ],
    }
    return f"---\n{yaml.safe_dump(content, sort_keys=False, allow_unicode=True)}---\n"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(f'{c:,}' if isinstance(c, int) else str(c) for c in line)} |" for line in lines]


def _size(rows: int) -> str:
    """Return the hub's name for a number of rows, such as 1K<n<10K."""
    least = ""
    for most, name in _SIZES:
        if rows < most:
            return f"{least}<n<{name}" if least else f"n<{name}"
        least = name
    return f"n>{least}"
