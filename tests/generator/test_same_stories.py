"""The stories of a seed stay what they were: checksums over story, query, target and facts.

Those of kinship are of version 0.2, those of the other worlds of 0.3.
"""

import hashlib
import itertools
import json
from pathlib import Path

import pyarrow.compute as pc
import pytest

from clutrr import load_world
from clutrr._generate import Config, Generator, Stream

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
    assert (
        digest(world, preset, k, style) == json.loads(PINNED.read_text())[f"{preset}-{k}-{style}"]
    )


WAYS = {"noise": NOISE, "routes": {"routes": (1, 3)}, "patterns": {"disjoint": ("patterns",)}}


def digest_of(world, preset, way):
    """The checksum of stories of a world and of its stream, in both splits."""
    settings = dict(WAYS[way])
    if preset == "mixed" and way == "noise":
        settings |= {"supporting": 0, "irrelevant": 0}
    config = Config(preset=preset, k=(2, 5), train=ROWS, test=ROWS, seed=5, **settings)
    generator, found = Generator(config, world), hashlib.sha256()
    for split, k in itertools.product(("train", "test"), config.k):
        table = generator.block(split, k, 0, ROWS).select(["story", "query", "target", "facts"])
        found.update(json.dumps(table.to_pylist(), ensure_ascii=False).encode())
        for one in Stream(config, world, split)[10**6 : 10**6 + 10]:
            told = one.story, one.query, one.target, one.facts
            found.update(json.dumps(told, ensure_ascii=False).encode())
    return found.hexdigest()


@pytest.mark.parametrize("name", ["order", "time", "regions", "directions"])
@pytest.mark.parametrize("preset", ["strict", "mixed", "described"])
@pytest.mark.parametrize("way", WAYS)
def test_the_stories_of_a_seed_in_other_worlds(name, preset, way):
    found = digest_of(load_world(name), preset, way)
    assert found == json.loads(PINNED.read_text())[f"{name}-{preset}-{way}"]
