"""The stories of a seed stay what they were in version 0.2: checksums over story, query, target and facts."""

import hashlib
import itertools
import json
from pathlib import Path

import pyarrow.compute as pc
import pytest

from clutrr.generator import Config, Generator

PINNED = Path(__file__).with_name("same_stories.json")
PRESETS = {
    "published": (3, 6),
    "described": (1, 2, 3, 6, 8),
    "sound": (1, 2, 3, 6, 8),
    "strict": (2, 3, 6, 8),
    "mixed": (2, 3, 6, 8),
}
NOISE = {"supporting": 2, "irrelevant": 1, "disconnected": 1}
STYLES = {
    "plain": {},
    "noise": NOISE,
    "prose": {"style": "prose"},
    "prose-noise": {"style": "prose", "brackets": False, **NOISE},
}
ROWS = 40


def cases():
    for preset, ks in PRESETS.items():
        for k, style in itertools.product(ks, STYLES):
            yield preset, k, style


def digest(world, preset, k, style):
    """The checksum of the first stories of train and test."""
    settings = dict(STYLES[style])
    if preset == "mixed" and "supporting" in settings:
        settings |= {"supporting": 0, "irrelevant": 0}
    if k == 8 and preset != "sound":
        settings["disjoint"] = ("wordings", "names")
    config = Config(preset=preset, k=(k,), train=ROWS, test=ROWS, seed=5, **settings)
    generator = Generator(config, world)
    found = hashlib.sha256()
    for split in ("train", "test"):
        table = generator.block(split, k, 0, ROWS)
        columns = (table[name].to_pylist() for name in ("story", "query", "target", "facts"))
        for row in zip(*columns, strict=True):
            found.update(json.dumps(row, ensure_ascii=False).encode())
    assert pc.sum(table["k"]).as_py() == k * ROWS
    return found.hexdigest()


@pytest.mark.parametrize(("preset", "k", "style"), list(cases()))
def test_the_stories_of_a_seed(world, preset, k, style):
    assert digest(world, preset, k, style) == json.loads(PINNED.read_text())[f"{preset}-{k}-{style}"]
