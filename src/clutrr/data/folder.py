"""A generated data set as a folder: written aside, shard by shard, and moved into place when whole.

The work is done in OUT.partial beside OUT. A killed run leaves that folder, and the same command
goes on from it; OUT itself appears complete or not at all.
"""

import errno
import fcntl
import hashlib
import json
import multiprocessing
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clutrr.data.card import card
from clutrr.data.formats import FORMATS
from clutrr.data.shards import Shard, Written, file_digest, replace_text, shards, write_shard
from clutrr.errors import ConfigError, OutputError
from clutrr.generate import Config, Generator
from clutrr.version import VERSION
from clutrr.world import World, load_world

MANIFEST = "manifest.json"
_PLAN = "plan.json"
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


def generate_folder(job: Job, tick: Callable[[int], None] = lambda stories: None) -> dict[str, Any]:
    """Write the data set; its manifest. tick: told of every few stories that are done."""
    job = Job(**{**job.__dict__, "out": job.out.absolute()})
    world = load_world(job.world)
    plan = _plan(job, world)
    if _finished(job.out, plan):
        tick(job.stories)
        return _load(job.out / MANIFEST)
    if job.out.exists() and not (job.out.is_dir() and not any(job.out.iterdir())) and not job.force:
        raise OutputError(f"{job.out} already holds something else: choose another folder, or add --force")
    _generator(job.config, job.world).check()
    try:
        return _generate(job, plan, world, tick)
    except OSError as error:
        if error.errno == errno.ENOSPC or "No space left" in str(error):
            raise OutputError(f"{job.out}: the disk is full; nothing was completed there") from error
        raise OutputError(f"{job.out} cannot be written: {error.strerror or error}") from error


def _generate(job: Job, plan: dict[str, Any], world: World, tick: Callable[[int], None]) -> dict[str, Any]:
    job.partial.parent.mkdir(parents=True, exist_ok=True)
    if job.partial.exists() and not (job.partial / _PLAN).is_file():
        raise OutputError(f"{job.partial} is in the way: the data set is made there before it is moved")
    if job.partial.exists() and _load(job.partial / _PLAN) != plan:
        shutil.rmtree(job.partial)  # left by a run of another command
    job.partial.mkdir(exist_ok=True)
    with _locked(job.partial):
        replace_text(job.partial / _PLAN, json.dumps(plan))
        written = _write_shards(job, plan, tick)
        manifest = _manifest(plan, written)
        replace_text(job.partial / "README.md", card(job.config, world, manifest, written))
        replace_text(job.partial / MANIFEST, json.dumps(manifest, indent=1) + "\n")
        for left in (_PLAN, "lock"):
            (job.partial / left).unlink()
        shutil.rmtree(job.partial / "done")
        move(job.partial, job.out)
    return manifest


def _plan(job: Job, world: World) -> dict[str, Any]:
    """All that the bytes of the data set depend on."""
    return {
        "config": job.config.to_dict(),
        "levels": {f"M{k}": job.config.levels_for(k) for k in job.config.k},
        "world": {"name": world.name, "sha256": world.digest},
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
    done = job.partial / "done"
    done.mkdir(exist_ok=True)
    todo: list[Shard] = []
    written: dict[str, Written] = {}
    for shard in shards(job.config):
        record = done / _record(shard)
        if record.is_file():
            written[_record(shard)] = Written.load(record)
            tick(shard.rows)
        else:
            todo.append(shard)
    about = {key: json.dumps(plan[key]) for key in ("config", "world", "versions")}
    for shard, result in _run(job, todo, about, tick):
        result.save(done / _record(shard))
        written[_record(shard)] = result
    return [written[_record(shard)] for shard in shards(job.config)]


def _record(shard: Shard) -> str:
    return f"M{shard.k}-{shard.split}-{shard.number:05d}.json"


def _run(
    job: Job, todo: list[Shard], about: dict[str, str], tick: Callable[[int], None]
) -> Iterator[tuple[Shard, Written]]:
    processes = min(job.processes, len(todo))
    if processes <= 1:
        for shard in todo:
            generator = _generator(job.config, job.world)
            yield shard, write_shard(generator, shard, job.form, job.partial, about, tick)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        running = {
            pool.submit(_in_worker, job.config, job.world, shard, job.form, job.partial, about): shard
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


@cache
def _generator(config: Config, world: str) -> Generator:
    return Generator(config, load_world(world))


def _in_worker(
    config: Config, world: str, shard: Shard, form: str, folder: Path, about: dict[str, str]
) -> Written:
    return write_shard(_generator(config, world), shard, form, folder, about, lambda stories: None)


def _finished(out: Path, plan: dict[str, Any]) -> bool:
    """Whether the folder holds just this data set, whole."""
    if not (out / MANIFEST).is_file():
        return False
    manifest = _load(out / MANIFEST)
    if {key: manifest.get(key) for key in plan} != plan:
        return False
    files = [
        item
        for splits in manifest["subsets"].values()
        for split in splits.values()
        for item in split["files"].items()
    ]
    return all((out / path).is_file() and file_digest(out / path) == digest for path, digest in files)


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(f"{folder}: another process is at work there") from None
        yield


def move(made: Path, out: Path) -> None:
    """Put the finished folder in its place; what was there before goes last."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        made.rename(out)
        return
    old = out.with_name(out.name + ".replaced")
    out.rename(old)
    made.rename(out)
    if old.is_dir():
        shutil.rmtree(old)
    else:
        old.unlink()
