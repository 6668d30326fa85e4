"""A generated data set as a folder: made elsewhere, shard by shard, and moved into place when complete.

The work is done in OUT.partial beside OUT. A killed run leaves that folder, and the same command
continues from it; OUT itself appears complete or not at all. At a URL, shards are written to their final
place (`clutrr._io.staging`). The bytes of a shard are the same whoever writes it, here or on a cluster.
"""

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clutrr._check_theory import theory_notes
from clutrr._data import WORLD
from clutrr._data.about import subsets_of
from clutrr._data.frozen import FrozenSet
from clutrr._data.own import FORMATS
from clutrr._generate import Config, Generator
from clutrr._generate.card import card
from clutrr._generate.frozen import canary_cell, check_frozen
from clutrr._generate.shards import Shard, Written, shards, write_shard
from clutrr._io.executors import Executor, ProcessExecutor, SerialExecutor, thread_cached
from clutrr._io.files import files_in, replace_text, writing
from clutrr._io.limits import RAISE, STORIES, limit
from clutrr._io.locations import Location
from clutrr._io.manifests import MANIFEST, check_free, differences, sealed_in, write_manifest
from clutrr._io.records import load_json
from clutrr._io.staging import StagingArea, keep_only, staging_area
from clutrr._lexicon import World, world_files
from clutrr._version import VERSION
from clutrr._worlds import load_world
from clutrr.errors import ClusterError, ConfigError, OutputError

_DONE = "done"  # in OUT.partial, beside the plan: records of the shards that are done
_MANY = 100_000  # stories from which on several processes are worth it
_SEEN = 10.0  # seconds until a file that a worker wrote must be visible here
_CARD = "README.md"


@dataclass(frozen=True)
class Job:
    """What to write, and where."""

    out: Location
    config: Config
    world: str | World = "kinship"
    form: str = "parquet"
    workers: int | None = None  # None: one for small data sets, else one per core
    force: bool = False
    frozen: FrozenSet | None = None  # the set that it writes, if it has a name

    def __post_init__(self) -> None:
        if self.form not in FORMATS:
            raise ConfigError(
                f"is not one of {', '.join(FORMATS)}", setting="format", value=self.form
            )
        if self.workers is not None and self.workers < 1:
            raise ConfigError("is below 1", setting="workers", value=self.workers)

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
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Write the data set, and return its manifest.

    tick: called with how many more stories are done. say: called with remarks on the subsets, before anything
    is written. executor: who writes the shards, instead of processes.
    """
    if job.stories > limit(STORIES):
        raise ConfigError(
            f"{job.stories:,} stories are more than {limit(STORIES):,}",
            setting="train, test",
            hint=RAISE,
        )
    world = load_world(job.world)
    job = replace(job, config=job.config.for_world(world))
    plan = _plan(job, world)
    with writing(job.out), staging_area(job.out, [_DONE]) as area:
        if finished := _finished(area, plan):
            tick(job.stories)
            return finished
        if area.is_local:
            check_free(area.out, job.force)
        about = {key: json.dumps(plan[key]) for key in ("config", "world", "versions")}
        extra = None if job.frozen is None else canary_cell(job.frozen)
        maker = _Maker(job.config, world, job.form, area.whole, about, extra)
        generator = _generator(job.config, world)
        generator.check()
        if job.frozen is not None:
            check_frozen(generator, job.frozen)
        checked = theory_notes(world)
        for note in (*generator.notes(), *checked):
            say(note)
        try:
            return _generate(job, area, plan, maker, executor or executor_for(job), tick, checked)
        except OutputError:
            if area.is_local or not (finished := _finished(area, plan)):
                raise
            return finished  # by another run, just now


def executor_for(job: Job) -> Executor:
    """Return the processes that the job asks for."""
    processes = sum(
        1 for _ in islice(shards(job.config), job.processes)
    )  # no more than there are files
    return SerialExecutor() if processes <= 1 else ProcessExecutor(processes)


def _generate(
    job: Job,
    area: StagingArea,
    plan: dict[str, Any],
    maker: "_Maker",
    executor: Executor,
    tick: Callable[[int], None],
    checked: Sequence[str],
) -> dict[str, Any]:
    """Write the shards and what goes with them. checked: what the card says of the theory."""
    small = {f"{WORLD}/{name}": text for name, text in world_files(maker.world).items()}
    names = [*(shard.path(job.form) for shard in shards(job.config)), *small, _CARD, MANIFEST]
    area.claim(plan, names, job.force)
    written = _write_shards(job, area, plan, maker, executor, tick)
    paths = {shard.path(job.form): (shard, one) for shard, one in written.items()}
    files = ((f"M{shard.k}", shard.split, path, one.labels) for path, (shard, one) in paths.items())
    about = {**plan, "subsets": subsets_of(files)}
    small[_CARD] = card(_generator(job.config, maker.world), about, written, checked)
    sealed = {path: one.seal for path, (_, one) in paths.items()}
    if area.is_local:
        keep_only(area.whole, [*sealed, *small])
    for name, text in small.items():
        (area.whole / name).parent.mkdir(parents=True, exist_ok=True)
        sealed[name] = replace_text(area.whole / name, text)
    area.check_claim(plan)
    manifest = write_manifest(area.whole, about, sealed)
    area.finish()
    return manifest


def _plan(job: Job, world: World) -> dict[str, Any]:
    """Return everything that the bytes of the data set depend on."""
    config = job.config
    named = {}
    if job.frozen is not None:
        named = {"set": {"name": job.frozen.name, "canary": job.frozen.canary}}
    return {
        **named,
        "config": config.to_dict(),
        "scene": {
            f"M{spec.k}": dict(world.theory.scene_settings(spec))
            for spec in config.specs(world.theory)
        },
        "world": {"name": world.name, "sha256": world.digest},
        "assume": config.assume,
        "format": job.form,
        "versions": {"clutrr": VERSION, "numpy": np.__version__, "pyarrow": pa.__version__},
    }


@dataclass(frozen=True)
class _Maker:
    """All that a worker needs to write shards; it travels by value.

    folder: where to. extra: what every row has in that column, if there is one.
    """

    config: Config
    world: World
    form: str
    folder: Location
    about: dict[str, str]
    extra: str | None = None


_generator = thread_cached(Generator)


def _make(maker: _Maker, shard: Shard) -> Written:
    """Write a shard, wherever this runs."""
    generator = _generator(maker.config, maker.world)
    return write_shard(generator, shard, maker.form, maker.folder, maker.about, maker.extra)


def _write_shards(
    job: Job,
    area: StagingArea,
    plan: dict[str, Any],
    maker: _Maker,
    executor: Executor,
    tick: Callable[[int], None],
) -> dict[Shard, Written]:
    done = area.work / _DONE
    done.mkdir(exist_ok=True)
    area.whole.mkdir(exist_ok=True)
    every = list(shards(job.config))
    written = _done(done, area.whole, every, job.form)
    tick(sum(shard.rows for shard in written))
    todo = [shard for shard in every if shard not in written]
    for shard, result in executor.run(_make, maker, todo, lambda shard: shard.path(job.form)):
        if executor.is_remote:
            _check_seen(area.whole, shard.path(job.form), result)
        if not area.is_local:
            area.check_claim(plan)
        result.save(done / _record(shard))
        written[shard] = result
        tick(shard.rows)
    return {shard: written[shard] for shard in every}


def _done(
    done: Location, whole: Location, every: Sequence[Shard], form: str
) -> dict[Shard, Written]:
    """Return the records of the finished shards, if record and file are unchanged.

    At a URL only sizes are compared: a file there is complete or absent, and reading it all takes long."""
    there = files_in(done)
    found = {
        shard: Written.load(done / _record(shard)) for shard in every if _record(shard) in there
    }
    written = {shard: one for shard, one in found.items() if one is not None}
    sealed = {shard.path(form): one.seal for shard, one in written.items()}
    gone = {path for path, _ in differences(whole, sealed, isinstance(whole, Path))}
    return {shard: one for shard, one in written.items() if shard.path(form) not in gone}


def _check_seen(whole: Location, name: str, written: Written) -> None:
    """Make sure that what a worker wrote is visible here, and not on its own disk; a shared disk may lag."""
    until, path = time.monotonic() + _SEEN, whole / name
    while isinstance(path, Path) and not (
        path.is_file() and path.stat().st_size == written.seal["bytes"]
    ):
        if time.monotonic() > until:
            raise ClusterError(
                f"{whole}: files that the workers write there cannot be seen from here: "
                "name a folder that all machines share, or a URL"
            )
        time.sleep(0.5)


def _record(shard: Shard) -> str:
    return f"M{shard.k}-{shard.split}-{shard.number:05d}.json"


def _finished(area: StagingArea, plan: dict[str, Any]) -> dict[str, Any] | None:
    """Return the manifest if OUT holds this data set, complete, and nothing else but an edited card."""
    manifest = load_json(area.out / MANIFEST)
    if {key: manifest.get(key) for key in plan} != plan:
        return None
    changed = differences(area.out, sealed_in(area.out, manifest), isinstance(area.out, Path))
    if any(name != _CARD for name, _ in changed):
        return None
    area.clear()
    return manifest
