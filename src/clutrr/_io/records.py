"""JSON that is read with care: no key twice, limited in size; records with a checksum of themselves."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clutrr._io.files import read_whole, replace_text
from clutrr._io.limits import RECORD_FILE
from clutrr._io.locations import Location
from clutrr.errors import short


def read_json(path: Location) -> Any:
    """Return the content of a JSON file. Raises OSError or ValueError where it cannot be read."""
    return parse_json(read_whole(path, RECORD_FILE).decode("utf-8"))


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text in which no key appears twice. Raises ValueError for any other."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"{short(twice)} appears twice")
    return made


def load_json(path: Location) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one if the file is missing or broken."""
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        absent = isinstance(error, FileNotFoundError | ValueError)
        if not (absent or isinstance(path, Path)):  # unreachable is not the same as absent
            raise
        return {}
    return content if isinstance(content, dict) else {}


def replace_sealed(path: Location, content: Mapping[str, Any]) -> None:
    """Write a JSON object with a checksum of itself."""
    replace_text(path, json.dumps({"content": content, "sha256": digest_of(content)}))


def load_sealed(path: Location) -> dict[str, Any]:
    """Return the JSON object that `replace_sealed` wrote; an empty one if it is missing or was changed."""
    sealed = load_json(path)
    content = sealed.get("content")
    return (
        content if isinstance(content, dict) and sealed.get("sha256") == digest_of(content) else {}
    )


def digest_of(content: Mapping[str, Any]) -> str:
    """Return a checksum of a JSON object."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
