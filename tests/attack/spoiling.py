"""Files that were whole, spoiled: by bytes, and by values where the file is of values."""

import contextlib
import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from clutrr.errors import ClutrrError
from commands import is_refusal, outcome

PIECES = (
    b"",
    *(bytes([byte]) for byte in b"\n\",[]{}':\\\0#|>-"),
    *(b"- ", b"&a ", b"*a", b"!!int ", b"<<: ", b"2001-99-99", b"[[]]", b'{"a": []}', b"[" * 3000),
    *(b"-1", b"0", b"1e999", b"9" * 30, b"9" * 5000, b"null", b"true", b"nan", b"Infinity"),
    *(b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\xef\xbb\xbf", "é\u2028\u202e".encode()),
    *(b"../..", b"/dev/zero", b"%s", b"[/b]", b"{a}", b"{{", b"x" * 2000),
)
VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 2, 10**9, 10**30, 1e308, 0.5),
    *("", "x", "son", "child", "[/b]", "[Ann]", "x" * 3000),
    *(
        [],
        {},
        [[]],
        [None],
        {"": None},
        [1, "a"],
        {"a": {"a": []}},
        "\0",
        "../../x",
        "/dev/zero",
        "a.py:m",
    ),
)


def changed_bytes(content: bytes, rng: random.Random) -> bytes:
    """With a few pieces cut out, doubled, flipped or put in."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randint(0, len(content))
        stop = min(len(content), start + rng.choice((0, 0, 1, 2, 8, 40)))
        kind = rng.randrange(4)
        if kind == 0 and start < len(content):
            piece, stop = bytes([content[start] ^ 1 << rng.randrange(8)]), start + 1
        elif kind == 1:
            piece = content[start:stop] * 2
        elif kind == 2:
            piece = rng.randbytes(rng.randint(1, 8))
        else:
            piece = rng.choice(PIECES)
        content = content[:start] + piece + content[stop:]
    return content


def changed_value(value: Any, rng: random.Random) -> Any:
    """With something in it replaced, left out or doubled."""
    value = copy.deepcopy(value)
    inner: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            inner.append((node, key))
            if isinstance(child, dict | list):
                walk(child)

    if not isinstance(value, dict | list) or not value or rng.random() < 0.02:
        return rng.choice(VALUES)
    walk(value)
    for _ in range(rng.choice((1, 1, 2))):
        node, key = rng.choice(inner)
        kind = rng.randrange(6)
        if kind == 0 and isinstance(node, dict):
            node.pop(key, None)
        elif kind == 1 and isinstance(node, list):
            node.insert(
                rng.randint(0, len(node)),
                copy.deepcopy(node[min(key, len(node) - 1)]) if node else 0,
            )
        elif isinstance(node, dict) or key < len(node):
            node[key] = copy.deepcopy(rng.choice(VALUES))
    return value


def changed(path: Path, content: bytes, rng: random.Random) -> bytes:
    """The content of a file, spoiled by what it is or by its bytes."""
    if rng.random() < 0.5:
        with contextlib.suppress(UnicodeEncodeError):
            if path.suffix == ".json":
                return json.dumps(changed_value(json.loads(content), rng)).encode()
            if path.suffix == ".jsonl":
                lines = [json.loads(line) for line in content.splitlines()]
                return b"".join(
                    json.dumps(line).encode() + b"\n" for line in _one_changed(lines, rng)
                )
            if path.suffix == ".yaml":
                spoiled = changed_value(yaml.safe_load(content), rng)
                return yaml.safe_dump(spoiled, allow_unicode=True, width=1000).encode()
    return changed_bytes(content, rng)


def _one_changed(lines: list[Any], rng: random.Random) -> list[Any]:
    at = rng.randrange(len(lines))
    return [changed_value(line, rng) if i == at else line for i, line in enumerate(lines)]


class Target:
    """A file or folder to spoil, and what reads it: it must do so, or refuse in our words."""

    def __init__(self, path: Path, *readers: Callable[[Path], object]) -> None:
        self.path, self.readers = path, readers
        files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
        self.files = {file: file.read_bytes() for file in files}
        for read in readers:
            read(path)  # as it is, nothing is wrong with it

    def attack(self, rng: random.Random) -> None:
        file = rng.choice(list(self.files))
        file.write_bytes(self.spoiled(file, rng))
        try:
            with contextlib.suppress(ClutrrError):
                for read in self.readers:
                    read(self.path)
        finally:
            file.write_bytes(self.files[file])

    def spoiled(self, file: Path, rng: random.Random) -> bytes:
        return changed(file, self.files[file], rng)


def command(*arguments: object) -> str:
    """Run a command in this process: done, or refused in one line for what a user can put right."""
    code, out, err = outcome(*arguments)
    assert code == 0 or is_refusal(code, err), (
        f"clutrr {' '.join(map(str, arguments))}: {code}, {err}"
    )
    return out
