"""A generated data set as a folder: written aside, shard by shard, and moved into place when whole.

The work is done in OUT.partial beside OUT. A killed run leaves that folder, and the same command
goes on from it; OUT itself appears complete or not at all.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clutrr.data import WORLD
from clutrr.data.formats import FORMATS
from clutrr.data.whole import differences
from clutrr.errors import ConfigError
from clutrr.files import (
    MANIFEST,
    Place,
    broken,
    check_free,
    load_json,
    replace_text,
    workplace,
    write_manifest,
    writing,
)
from clutrr.generator import Config, Generator, hub
from clutrr.generator.card import card
from clutrr.generator.shards import Shard, Written, shards, write_shard
from clutrr.limits import RAISE, STORIES, limit
from clutrr.version import VERSION
from clutrr.wording.readable import check_readable
from clutrr.workers import worker_pool
from clutrr.world import World, load_world, save_world

# What lies in OUT.partial besides the data set as it grows: the plan, and records of the shards done.
_PLAN, _DONE = "plan.json", "done"
_MANY = 100_000  # stories from which several processes pay


@dataclass(frozen=True)
class Job:
    """What to write, and where."""

    out: Path
    config: Config
    world: str = "kinship"
    form: str = "parquet"
    workers: int | None = None  # None: one for small data sets, else one a core
    force: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMATS:
            raise ConfigError(f"format: no {self.form!r}; one of {', '.join(FORMATS)}")
        if self.workers is not None and self.workers < 1:
            raise ConfigError(f"workers: {self.workers} is below 1")

    @property
    def stories(self) -> int:
        return len(self.config.k) * (self.config.train + self.config.test)

    @property
    def processes(self) -> int:
        if self.workers is not None:
            return self.workers
        return (os.cpu_count() or 1) if self.stories > _MANY else 1


def generate_folder(
    job: Job,
    tick: Callable[[int], None] = lambda stories: None,
    say: Callable[[str], None] = lambda note: None,
) -> dict[str, Any]:
    """Write the data set; its manifest. tick: told of every few stories that are done. say: told what to
    know of the subsets, before anything is written."""
    if job.stories > limit(STORIES):
        raise ConfigError(f"{job.stories:,} stories are more than {limit(STORIES):,}: {RAISE}")
    world = load_world(job.world)
    check_readable(world, job.world)
    plan = _plan(job, world)
    with writing(job.out), workplace(job.out, (_PLAN, _DONE)) as place:
        if place.inside and _same(load_json(place.whole / MANIFEST), plan):
            place.finish()  # a run that was stopped while it moved its files up
        if _finished(place.out, plan):
            place.clear()
            tick(job.stories)
            return load_json(place.out / MANIFEST)
        check_free(place.out, job.force)
        generator = _generator(job.config, job.world, world.digest)
        generator.check()
        for note in generator.notes():
            say(note)
        return _generate(job, place, plan, world, tick)


def _generate(
    job: Job, place: Place, plan: dict[str, Any], world: World, tick: Callable[[int], None]
) -> dict[str, Any]:
    if load_json(place.work / _PLAN) != plan:  # nothing yet, or left by a run of another command
        place.clear()
        replace_text(place.work / _PLAN, json.dumps(plan))
    (place.work / _DONE).mkdir(exist_ok=True)
    place.whole.mkdir(exist_ok=True)
    written = _write_shards(job, place, plan, tick)
    about = {**plan, "subsets": _subsets(written)}
    save_world(world, place.whole / WORLD)
    replace_text(place.whole / "README.md", card(job.config, world, about, written))
    if job.config.test and job.form in hub.FORMATS:
        replace_text(place.whole / hub.NAME, hub.evaluation(job.config, world))
    manifest = write_manifest(place.whole, about)
    place.finish()
    return manifest


def _plan(job: Job, world: World) -> dict[str, Any]:
    """All that the bytes of the data set depend on."""
    return {
        "config": job.config.to_dict(),
        "levels": {f"M{k}": job.config.levels_for(k) for k in job.config.k},
        "world": {"name": world.name, "sha256": world.digest},
        "assume": str(job.config.assumption),
        "format": job.form,
        "versions": {"clutrr": VERSION, "numpy": np.__version__, "pyarrow": pa.__version__},
    }


def _subsets(written: list[Written]) -> dict[str, Any]:
    subsets: dict[str, Any] = {}
    for shard in written:
        split = subsets.setdefault(f"M{shard.k}", {}).setdefault(
            shard.split, {"rows": 0, "content_sha256": hashlib.sha256(), "labels": {}, "files": []}
        )
        split["rows"] += shard.rows
        for digest in shard.blocks:
            split["content_sha256"].update(bytes.fromhex(digest))
        for label, count in sorted(shard.labels.items()):
            split["labels"][label] = split["labels"].get(label, 0) + count
        split["files"].append(shard.path)
    for splits in subsets.values():
        for split in splits.values():
            split["content_sha256"] = split["content_sha256"].hexdigest()
    return subsets


def _write_shards(job: Job, place: Place, plan: dict[str, Any], tick: Callable[[int], None]) -> list[Written]:
    done = place.work / _DONE
    todo: list[Shard] = []
    written: dict[str, Written] = {}
    for shard in shards(job.config):
        before = _done(done / _record(shard), place.whole)
        if before is None:
            todo.append(shard)
        else:
            written[_record(shard)] = before
            tick(shard.rows)
    for shard, result in _run(job, place.whole, todo, plan, tick):
        result.save(done / _record(shard))
        written[_record(shard)] = result
    return [written[_record(shard)] for shard in shards(job.config)]


def _done(record: Path, whole: Path) -> Written | None:
    """What is known of a shard that is finished, if its record and its file are as they were."""
    written = Written.load(record)
    if written is None or any(broken(whole, {written.path: written.seal})):
        return None
    return written


def _record(shard: Shard) -> str:
    return f"M{shard.k}-{shard.split}-{shard.number:05d}.json"


def _run(
    job: Job, whole: Path, todo: list[Shard], plan: dict[str, Any], tick: Callable[[int], None]
) -> Iterator[tuple[Shard, Written]]:
    about = {key: json.dumps(plan[key]) for key in ("config", "world", "versions")}
    world = plan["world"]["sha256"]
    processes = min(job.processes, len(todo))
    if processes <= 1:
        generator = _generator(job.config, job.world, world)
        for shard in todo:
            yield shard, write_shard(generator, shard, job.form, whole, about, tick)
        return
    with worker_pool(processes) as pool:
        running = {
            pool.submit(_in_worker, job.config, job.world, world, shard, job.form, whole, about): shard
            for shard in todo
        }
        for future in as_completed(running):
            yield running[future], future.result()
            tick(running[future].rows)


@cache
def _generator(config: Config, world: str, digest: str) -> Generator:
    """digest: of the world, which may change between two calls."""
    return Generator(config, load_world(world))


def _in_worker(
    config: Config, world: str, digest: str, shard: Shard, form: str, folder: Path, about: dict[str, str]
) -> Written:
    return write_shard(_generator(config, world, digest), shard, form, folder, about, lambda stories: None)


def _same(manifest: dict[str, Any], plan: dict[str, Any]) -> bool:
    return {key: manifest.get(key) for key in plan} == plan


def _finished(out: Path, plan: dict[str, Any]) -> bool:
    """Whether the folder holds just this data set, whole; its card may have been edited."""
    manifest = load_json(out / MANIFEST)
    return _same(manifest, plan) and all(name == "README.md" for name, _ in differences(out, manifest))
