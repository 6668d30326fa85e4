"""The page: everything in one file, packed, that opens from disk and needs no network.

The index is unpacked when the page opens; the stories follow in blocks, each unpacked when somebody
looks at one of its stories or searches the text. Data is never markup: all of it is inside packed text,
and the page shows it only as text.
"""

import base64
import gzip
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from clutrr.errors import ConfigError
from clutrr.explore.index import BLOCK, make_blocks, make_index
from clutrr.explore.pick import Selection
from clutrr.explore.stories import Story, StoryBuilder
from clutrr.files import check_mark, replace_text, writing
from clutrr.puzzle import Puzzle
from clutrr.workers import worker_pool
from clutrr.world import World

_CHUNK = 50  # stories that a process prepares at once
_FEW = 400  # stories for which it is not worth starting processes
_MARK = "<!-- clutrr explorer -->"
_SCRIPTS = ("data.js", "scene.js", "story.js", "charts.js", "page.js")

Tick = Callable[[int], None]


@dataclass(frozen=True)
class Page:
    """html: the whole file. stories, total: how many are in it, of how many in the data."""

    html: str
    stories: int
    total: int

    def write(self, out: Path) -> None:
        """Write the file completely or not at all."""
        check_out(out)
        with writing(out):
            out.parent.mkdir(parents=True, exist_ok=True)
            replace_text(out, self.html)


def check_out(out: Path) -> None:
    """Refuse to overwrite anything but a page of the explorer."""
    check_mark(out, _MARK, "page of the explorer")


def make_page(selection: Selection, workers: int = 0, tick: Tick = lambda stories: None) -> Page:
    """Work out every proof and put the page together. workers: processes; 0 is one per core."""
    if workers < 0:
        raise ConfigError(f"workers: {workers} is below 0")
    puzzles = [one.puzzle for one in selection.picked]
    stories = list(_stories(selection.world, selection.assume, puzzles, workers or os.cpu_count() or 1, tick))
    tables, blocks = make_blocks(selection, stories)
    index = {**make_index(selection, stories), **tables}
    return Page(_html(index, blocks), len(stories), selection.total)


def _stories(
    world: World, assume: str, puzzles: Sequence[Puzzle], workers: int, tick: Tick
) -> Iterator[Story]:
    if workers == 1 or len(puzzles) <= _FEW:
        yield from _build(world, assume, puzzles, tick)
        return
    chunks = [(world, assume, puzzles[i : i + _CHUNK]) for i in range(0, len(puzzles), _CHUNK)]
    with worker_pool(min(workers, len(chunks))) as pool:
        for stories in pool.map(_build, *zip(*chunks, strict=True)):
            yield from stories
            tick(len(stories))


def _build(
    world: World, assume: str, puzzles: Sequence[Puzzle], tick: Tick = lambda stories: None
) -> list[Story]:
    builder = _builder(_Key(world), assume)
    stories = []
    for puzzle in puzzles:
        stories.append(builder.build(puzzle))
        tick(1)
    return stories


class _Key:
    """A world as a key: the same content is the same world, whichever process it was sent to."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> int:
        return hash(self.world.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self.world.digest == other.world.digest


@lru_cache(maxsize=2)
def _builder(key: _Key, assume: str) -> StoryBuilder:
    return StoryBuilder(key.world, assume)


def _html(index: dict[str, Any], blocks: list[Any]) -> str:
    folder = files("clutrr.explore")
    style = (folder / "page.css").read_text(encoding="utf-8")
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    script = f'"use strict";\n{script}'
    data = json.dumps({"block": BLOCK, "index": _pack(index), "blocks": [_pack(b) for b in blocks]})
    slots = {
        "mark": _MARK,
        "policy": f"script-src '{_digest(script)}'; style-src '{_digest(style)}'",
        "style": style,
        "script": script,
        "data": data.replace("<", "\\u003c"),
    }
    html = (folder / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda slot: slots[slot[1]], html)


def _pack(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Half of a surrogate pair cannot be written as UTF-8: it shows as a question mark.
    packed = gzip.compress(text.encode("utf-8", "replace"), 9, mtime=0)
    return base64.b64encode(packed).decode("ascii")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
