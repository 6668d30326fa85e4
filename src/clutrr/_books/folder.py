"""Books as folders: made elsewhere, shard by shard, and moved into place when complete.

A shard of articles or questions is a pure function of the config: whoever writes it, here or on a cluster, writes the same
bytes. A killed run goes on from the shards that are done.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._books.articles import Writer
from clutrr._books.config import BookConfig, worlds_of
from clutrr._books.counts import LETTERS, TOKEN_RULE, Counts
from clutrr._books.draw import BLOCK
from clutrr._books.questions import Asker
from clutrr._books.scene import SHARD, Scene
from clutrr._books.table import articles_table, questions_table
from clutrr._data import WORLD
from clutrr._data.about import front_matter, rendered
from clutrr._io.executors import Executor, ProcessExecutor, SerialExecutor, thread_cached
from clutrr._io.files import atomic_write, files_in, replace_text, writing
from clutrr._io.locations import Location
from clutrr._io.manifests import MANIFEST, check_free, differences, seal, sealed_in, write_manifest
from clutrr._io.records import load_json, load_sealed, replace_sealed
from clutrr._io.staging import StagingArea, keep_only, staging_area
from clutrr._lexicon import World, world_files
from clutrr._version import VERSION
from clutrr.errors import ConfigError

BOOK = "book"  # in a manifest: the config
KINDS = ("articles", "questions")
_DONE, _CARD = "done", "README.md"
_QUESTIONS = 16 * BLOCK  # of a file
_SAMPLE = 480  # entities by whose articles the length of a book is estimated
_MANY = 50_000  # articles from which on several processes are worth it


@dataclass(frozen=True)
class BookJob:
    """What to write, and where. workers: None for one, or one per core for large books."""

    out: Location
    config: BookConfig
    world: World
    workers: int | None = None
    force: bool = False

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise ConfigError("is below 1", setting="workers", value=self.workers)


@dataclass(frozen=True)
class Shard:
    """A file: articles, or questions."""

    kind: str
    number: int
    of: int
    split: str

    @property
    def path(self) -> str:
        return f"data/{self.kind}/{self.split}-{self.number:05d}-of-{self.of:05d}.parquet"

    @property
    def record(self) -> str:
        return f"{self.kind}-{self.number:05d}.json"


@dataclass(frozen=True)
class _Maker:
    """All that a worker needs to write shards; it travels by value."""

    config: BookConfig
    world: World
    folder: Location


@dataclass(frozen=True)
class _Making:
    """What a worker keeps between shards."""

    scene: Scene
    writer: Writer
    asker: Asker

    @classmethod
    def of(cls, config: BookConfig, world: World) -> "_Making":
        scene = Scene(config, worlds_of(world, config))
        return cls(scene, Writer(scene), Asker(scene))


_making = thread_cached(_Making.of)


def settled(config: BookConfig, world: World) -> BookConfig:
    """Return the config with the number of entities that so many tokens take."""
    if config.tokens is None:
        return config
    small = replace(config, entities=_SAMPLE, tokens=None)
    scene = Scene(small, worlds_of(world, small))
    letters = sum(len(article.text) for article in Writer(scene).shard(0))
    entities = max(10, round(config.tokens * LETTERS / letters * _SAMPLE))
    return replace(config, entities=entities)


def write_book(
    job: BookJob,
    tick: Callable[[int], None] = lambda articles: None,
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Write the book, and return its manifest. tick: called with how many more articles and questions there are."""
    with writing(job.out), staging_area(job.out, [_DONE]) as area:
        config = settled(job.config, job.world)
        plan = _plan(config, job.world)
        if finished := _finished(area, plan):
            return finished
        if area.is_local:
            check_free(area.out, job.force)
        shards = _shards(config, job.world)
        small = {f"{WORLD}/{name}": text for name, text in world_files(job.world).items()}
        names = [*(shard.path for shard in shards), *small, _CARD, MANIFEST]
        area.claim(plan, names, job.force)
        maker = _Maker(config, job.world, area.whole)
        written = _write(maker, area, plan, shards, executor or _executor(job, shards), tick)
        return _finish(job, area, plan, small, written)


def _plan(config: BookConfig, world: World) -> dict[str, Any]:
    """Return everything that the bytes of the book depend on."""
    return {
        BOOK: config.to_dict(),
        "world": {"name": world.name, "sha256": world.digest},
        "canary": canary(config),
        "versions": {"clutrr": VERSION, "numpy": np.__version__, "pyarrow": pa.__version__},
    }


def canary(config: BookConfig) -> str:
    """Return a word that stands in nobody else's text, by which training data can be searched for the book."""
    digest = sha256(json.dumps(config.to_dict(), sort_keys=True).encode()).hexdigest()
    return f"clutrr-book-{digest[:24]}"


def _shards(config: BookConfig, world: World) -> list[Shard]:
    scene = Scene(config, worlds_of(world, config))
    counts = -(-scene.total // SHARD), -(-config.questions // _QUESTIONS)
    return [
        Shard(kind, number, of, config.split)
        for kind, of in zip(KINDS, counts, strict=True)
        for number in range(of)
    ]


def _executor(job: BookJob, shards: list[Shard]) -> Executor:
    if job.workers is None:
        many = len(shards) * SHARD > _MANY
        processes = (os.cpu_count() or 1) if many and len(shards) > 3 else 1
    else:
        processes = job.workers
    processes = min(processes, len(shards))
    return SerialExecutor() if processes <= 1 else ProcessExecutor(processes)


def _make(maker: _Maker, shard: Shard) -> dict[str, Any]:
    """Write a shard, wherever this runs; return its seal and what it holds."""
    making = _making(maker.config, maker.world)
    counts = Counts()
    if shard.kind == "articles":
        articles = making.writer.shard(shard.number)
        counts.add_articles(articles)
        table = articles_table(articles)
    else:
        table = _asked(making, maker.config, shard, counts)
    path = maker.folder / shard.path
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        pq.write_table(table, file, compression="zstd", row_group_size=SHARD)
        sealed = seal(file)
    return {"seal": sealed, "counts": counts.to_json()}


def _asked(making: _Making, config: BookConfig, shard: Shard, counts: Counts) -> pa.Table:
    first = shard.number * _QUESTIONS
    found = []
    for start in range(first, min(first + _QUESTIONS, config.questions), BLOCK):
        size = min(BLOCK, config.questions - start)
        found += making.asker.block(start // BLOCK, start, size)
    for one in found:
        counts.add_question(one, making.asker.text_of(one.plan.route.names[0]))
    return questions_table(found)


def _write(
    maker: _Maker,
    area: StagingArea,
    plan: dict[str, Any],
    shards: list[Shard],
    executor: Executor,
    tick: Callable[[int], None],
) -> dict[Shard, dict[str, Any]]:
    done = area.work / _DONE
    done.mkdir(exist_ok=True)
    area.whole.mkdir(exist_ok=True)
    written = _done(done, area.whole, shards)
    for one in written.values():
        tick(_rows(one))
    todo = [shard for shard in shards if shard not in written]
    for shard, result in executor.run(_make, maker, todo, lambda shard: shard.path):
        if not area.is_local:
            area.check_claim(plan)
        replace_sealed(done / shard.record, result)
        written[shard] = result
        tick(_rows(result))
    return {shard: written[shard] for shard in shards}


def _rows(result: dict[str, Any]) -> int:
    return int(result["counts"]["articles"] + result["counts"]["questions"])


def _done(done: Location, whole: Location, shards: list[Shard]) -> dict[Shard, dict[str, Any]]:
    """Return the records of the finished shards, if record and file are unchanged."""
    there = files_in(done)
    found = {shard: load_sealed(done / shard.record) for shard in shards if shard.record in there}
    written = {shard: one for shard, one in found.items() if {"seal", "counts"} <= set(one)}
    sealed = {shard.path: one["seal"] for shard, one in written.items()}
    gone = {path for path, _ in differences(whole, sealed, isinstance(whole, Path))}
    return {shard: one for shard, one in written.items() if shard.path not in gone}


def _finish(
    job: BookJob,
    area: StagingArea,
    plan: dict[str, Any],
    small: dict[str, str],
    written: dict[Shard, dict[str, Any]],
) -> dict[str, Any]:
    counts = Counts()
    for one in written.values():
        counts.add(Counts.from_json(one["counts"]))
    about = {**plan, "counts": counts.to_json(), "tokens": counts.tokens, "token_rule": TOKEN_RULE}
    about["counts"].pop("answers")
    about["shortcuts"] = counts.shortcuts()
    small[_CARD] = _card(job, about, counts)
    sealed = {shard.path: one["seal"] for shard, one in written.items()}
    if area.is_local:
        keep_only(area.whole, [*sealed, *small])
    for name, text in small.items():
        (area.whole / name).parent.mkdir(parents=True, exist_ok=True)
        sealed[name] = replace_text(area.whole / name, text)
    area.check_claim(plan)
    manifest = write_manifest(area.whole, about, sealed)
    area.finish()
    return manifest


def _card(job: BookJob, manifest: dict[str, Any], counts: Counts) -> str:
    split = job.config.split
    files = {kind: {split: f"data/{kind}/{split}-*.parquet"} for kind in KINDS}
    return rendered(
        "clutrr._books",
        "card.md.jinja",
        head=_head(job.world.lexicon.language, files),
        manifest=manifest,
        config=manifest[BOOK],
        counts=counts,
        world=job.world,
        by_hops=sorted(counts.hops.items()),
        by_theory=counts.theories.most_common(),
    )


def _head(language: str, files: dict[str, dict[str, str]]) -> str:
    """Return the head of the card: articles and questions have different columns, so nothing has both."""
    only = partial(front_matter, language, licence="cc0-1.0")
    lines = only({"articles": files["articles"]}).splitlines()
    other = only({"questions": files["questions"]}).splitlines()
    start = other.index("configs:") + 1
    rest = [line for line in other[start:-1] if "default:" not in line]
    lines = [line for line in lines if "default:" not in line]
    return "\n".join((*lines[:-1], *rest, "---", ""))


def _finished(area: StagingArea, plan: dict[str, Any]) -> dict[str, Any] | None:
    """Return the manifest if OUT holds this book, complete, and nothing else but an edited card."""
    manifest = load_json(area.out / MANIFEST)
    if {key: manifest.get(key) for key in plan} != json.loads(json.dumps(plan)):
        return None
    changed = differences(area.out, sealed_in(area.out, manifest), isinstance(area.out, Path))
    if any(name != _CARD for name, _ in changed):
        return None
    area.clear()
    return manifest
