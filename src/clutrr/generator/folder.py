"""A generated data set as a folder: written aside, shard by shard, and moved into place when whole.

The work is done in OUT.partial beside OUT. A killed run leaves that folder, and the same command
goes on from it; OUT itself appears complete or not at all.
"""

import errno
import hashlib
import json
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clutrr.data import MANIFEST, WORLD
from clutrr.data.formats import FORMATS
from clutrr.errors import ConfigError, OutputError
from clutrr.files import file_digest, is_empty, locked, move, replace_text
from clutrr.generator import Config, Generator, hub
from clutrr.generator.card import card
from clutrr.generator.shards import Shard, Written, shards, write_shard
from clutrr.version import VERSION
from clutrr.world import World, load_world, save_world

# What lies in OUT.partial: the plan, a lock, records of the shards done, and the data set as it grows.
_PLAN, _LOCK, _DONE, _WHOLE = "plan.json", "lock", "done", "data-set"
_OURS = frozenset((_PLAN, _PLAN + ".making", _LOCK, _DONE, _WHOLE))
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

    @property
    def partial(self) -> Path:
        return self.out.with_name(self.out.name + ".partial")


def generate_folder(
    job: Job,
    tick: Callable[[int], None] = lambda stories: None,
    say: Callable[[str], None] = lambda note: None,
) -> dict[str, Any]:
    """Write the data set; its manifest. tick: told of every few stories that are done. say: told what to
    know of the subsets, before anything is written."""
    job = replace(job, out=job.out.absolute())
    world = load_world(job.world)
    plan = _plan(job, world)
    try:
        if _finished(job.out, plan):
            if job.partial.exists():
                _clear(job.partial)
            tick(job.stories)
            return _load(job.out / MANIFEST)
        if job.out.exists() and not is_empty(job.out) and not job.force:
            raise OutputError(
                f"{job.out} already holds something else: choose another folder, or add --force"
            )
        generator = _generator(job.config, job.world, world.digest)
        generator.check()
        for note in generator.notes():
            say(note)
        return _generate(job, plan, world, tick)
    except OSError as error:
        if error.errno == errno.ENOSPC or "No space left" in str(error):
            raise OutputError(f"{job.out}: the disk is full; nothing was completed there") from error
        raise OutputError(f"{job.out} cannot be written: {error.strerror or error}") from error


def _generate(job: Job, plan: dict[str, Any], world: World, tick: Callable[[int], None]) -> dict[str, Any]:
    job.partial.mkdir(parents=True, exist_ok=True)
    if not _OURS.issuperset(path.name for path in job.partial.iterdir()):
        raise OutputError(f"{job.partial} is in the way: the data set is made there before it is moved")
    with locked(job.partial / _LOCK):
        if _load(job.partial / _PLAN) != plan:  # nothing yet, or left by a run of another command
            for left in (_WHOLE, _DONE):
                shutil.rmtree(job.partial / left, ignore_errors=True)
            replace_text(job.partial / _PLAN, json.dumps(plan))
        for folder in (_WHOLE, _DONE):
            (job.partial / folder).mkdir(exist_ok=True)
        written = _write_shards(job, plan, tick)
        manifest = _manifest(plan, written)
        whole = job.partial / _WHOLE
        save_world(world, whole / WORLD)
        replace_text(whole / "README.md", card(job.config, world, manifest, written))
        if job.config.test and job.form in hub.FORMATS:
            replace_text(whole / hub.NAME, hub.evaluation(job.config, world))
        replace_text(whole / MANIFEST, json.dumps(manifest, indent=1) + "\n")
        move(whole, job.out)
        _clear(job.partial)
    return manifest


def _clear(partial: Path) -> None:
    """Remove what the work has left, unless there is something else among it."""
    if _OURS.issuperset(path.name for path in partial.iterdir()):
        shutil.rmtree(partial)


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


def _manifest(plan: dict[str, Any], written: list[Written]) -> dict[str, Any]:
    subsets: dict[str, Any] = {}
    for shard in written:
        split = subsets.setdefault(f"M{shard.k}", {}).setdefault(
            shard.split, {"rows": 0, "content_sha256": hashlib.sha256(), "labels": {}, "files": {}}
        )
        split["rows"] += shard.rows
        for digest in shard.blocks:
            split["content_sha256"].update(bytes.fromhex(digest))
        for label, count in sorted(shard.labels.items()):
            split["labels"][label] = split["labels"].get(label, 0) + count
        split["files"][shard.path] = shard.sha256
    for splits in subsets.values():
        for split in splits.values():
            split["content_sha256"] = split["content_sha256"].hexdigest()
    return {**plan, "subsets": subsets}


def _write_shards(job: Job, plan: dict[str, Any], tick: Callable[[int], None]) -> list[Written]:
    done = job.partial / _DONE
    todo: list[Shard] = []
    written: dict[str, Written] = {}
    for shard in shards(job.config):
        record = done / _record(shard)
        if record.is_file():
            written[_record(shard)] = Written.load(record)
            tick(shard.rows)
        else:
            todo.append(shard)
    for shard, result in _run(job, todo, plan, tick):
        result.save(done / _record(shard))
        written[_record(shard)] = result
    return [written[_record(shard)] for shard in shards(job.config)]


def _record(shard: Shard) -> str:
    return f"M{shard.k}-{shard.split}-{shard.number:05d}.json"


def _run(
    job: Job, todo: list[Shard], plan: dict[str, Any], tick: Callable[[int], None]
) -> Iterator[tuple[Shard, Written]]:
    about = {key: json.dumps(plan[key]) for key in ("config", "world", "versions")}
    whole, world = job.partial / _WHOLE, plan["world"]["sha256"]
    processes = min(job.processes, len(todo))
    if processes <= 1:
        generator = _generator(job.config, job.world, world)
        for shard in todo:
            yield shard, write_shard(generator, shard, job.form, whole, about, tick)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, initializer=end_with_parent) as pool:
        running = {
            pool.submit(_in_worker, job.config, job.world, world, shard, job.form, whole, about): shard
            for shard in todo
        }
        try:
            for future in as_completed(running):
                yield running[future], future.result()
                tick(running[future].rows)
        except BrokenProcessPool:
            raise OutputError(
                "a worker process was killed (out of memory?): run the same command again"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def end_with_parent() -> None:
    """Make this worker process end when the process that started it does, however that ends."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@cache
def _generator(config: Config, world: str, digest: str) -> Generator:
    """digest: of the world, which may change between two calls."""
    return Generator(config, load_world(world))


def _in_worker(
    config: Config, world: str, digest: str, shard: Shard, form: str, folder: Path, about: dict[str, str]
) -> Written:
    return write_shard(_generator(config, world, digest), shard, form, folder, about, lambda stories: None)


def _finished(out: Path, plan: dict[str, Any]) -> bool:
    """Whether the folder holds just this data set, whole."""
    if not (out / MANIFEST).is_file():
        return False
    manifest = _load(out / MANIFEST)
    if {key: manifest.get(key) for key in plan} != plan:
        return False
    files = [
        item
        for splits in manifest.get("subsets", {}).values()
        for split in splits.values()
        for item in split["files"].items()
    ]
    return all((out / path).is_file() and file_digest(out / path) == digest for path, digest in files)


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
