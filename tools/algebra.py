"""What it takes to learn an algebra: experiments/results/algebra-tables.json, the figures of docs/algebra.md.

    python tools/algebra.py experiments/results/algebra-tables.json --star FOLDER [--seeds 3] [--only facts,text]

For each world, way to tell the stories and seed: accuracy by length and routes, the table that was learnt
beside the true one, and how much of it a perfect learner could know from the same questions. For facts: how
many training questions it takes. What is in the file already is not run again.
"""

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch
import typer

from clutrr import load_world
from clutrr._cli import main
from clutrr._config import Config
from clutrr._data import open_dataset
from clutrr._generate import Generator
from clutrr._lexicon import World
from clutrr._train.config import TrainConfig, choose_device
from clutrr._train.loop import Trainer, answer
from clutrr.models import (
    Blueprint,
    Model,
    Recipe,
    Sizes,
    Vocabulary,
    WholeScores,
    blueprint,
    encode,
    learn_vocabulary,
)
from clutrr.models.algebra import FAST, Algebra, WordOrder

app = typer.Typer(add_completion=False)
WORLDS = ("order", "time", "regions", "directions")
NOISE = {"supporting": 1, "irrelevant": 2, "disconnected": 1}
WAYS: dict[str, dict[str, Any]] = {
    "facts": {},
    "text": {},
    "noise": NOISE,
    "prose": {"style": "prose"},
}
HOW = TrainConfig(model="algebra", k=(1, 2, 3, 4), epochs=12, batch=512, learning_rate=0.003)
SIZES = (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)
BESIDE = (
    "gnn-attention",
    "gnn",
    "epignn",
)  # with the settings of `clutrr train`, and as many epochs
CURVES = ("curve", "tied")  # with converses that nobody tells the table, and tied by them
STAR = {"time": "interval", "regions": "rcc8"}  # its files, by world
# Seeds of the stories. Settings were chosen on others: 41 and up, and 9091.
TRAINED_ON, TESTED_ON = 5200, 7391
TESTED = [(k, routes) for k in (4, 9, 15) for routes in (1, 2, 3)]
Work = Callable[..., dict[str, Any]]
Masks = npt.NDArray[np.int64]


def stories(
    world: World, preset: str, k: int, routes: int, size: int, seed: int, **told: Any
) -> pa.Table:
    """Return so many stories of one subset."""
    noise = {name: value for name, value in told.items() if k > 1 or name == "style"}
    config = Config(preset=preset, k=(k,), routes=(routes,), distractors=2, seed=seed, **noise)
    generator = Generator(config, world)
    blocks, number = [], 0
    while size > 0:
        blocks.append(generator.block("train", k, number, min(size, generator.block_size(k))))
        size, number = size - len(blocks[-1]), number + 1
    return pa.concat_tables(blocks)


def training_stories(world: World, way: str, size: int, seed: int) -> pa.Table:
    """Return `size` stories in all: an eighth of one fact, half balanced, the others described."""
    told = WAYS[way]
    parts = [stories(world, "strict", 1, 1, size // 8, seed, **told)]
    for k in (2, 3, 4):
        parts += [
            stories(world, "strict", k, routes, size // 18, seed + 1, **told)
            for routes in (1, 2, 3)
        ]
    parts += [stories(world, "described", k, 1, size * 3 // 16, seed + 2, **told) for k in (2, 3)]
    return as_told(pa.concat_tables(parts).combine_chunks(), way)


def as_told(table: pa.Table, way: str) -> pa.Table:
    """Return the stories, without their text where only facts are read."""
    if way != "facts":
        return table
    return table.set_column(table.column_names.index("story"), "story", pa.array([""] * len(table)))


def train(
    made: Blueprint, how: TrainConfig, table: pa.Table, vocabulary: Vocabulary
) -> tuple[Model, float]:
    """Return a trained model and the seconds that it took."""
    torch.manual_seed(how.seed)
    model = made.make(vocabulary)
    started = time.process_time()
    training = Trainer(model, made.encode(table, vocabulary), how, choose_device("auto"))
    for epoch in range(how.epochs):
        for _ in training.steps(epoch):
            pass
    return model, time.process_time() - started


def accuracy(model: Model, table: pa.Table, vocabulary: Vocabulary) -> float:
    device = choose_device("auto")
    encoded = encode(table, vocabulary).to(device)
    right = answer(model, encoded, torch.Generator(device)).argmax(1) == encoded.target
    return round(100 * right.float().mean().item(), 2)


# The table


def true_masks(world: World, vocabulary: Vocabulary) -> Masks:
    """Return the possible relations of each two, as bits in the order of the vocabulary: [R, R]."""
    number = [world.index[world.meaning[relation].kind.name] for relation in vocabulary.relations]
    table = world.theory.algebra.table  # type: ignore[attr-defined]
    bits = [[[int(table[a, r]) >> c & 1 for c in number] for r in number] for a in number]
    return np.asarray((np.array(bits) << np.arange(len(number))).sum(-1), np.int64)


def cells(model: Model, true: Masks) -> dict[str, int]:
    """Return how many cells are exact, and how many relations are missing and extra."""
    processor = model.processor
    assert isinstance(processor, Algebra)
    beliefs = processor.beliefs()
    held = (beliefs.two > (beliefs.least or 0)).cpu().numpy()
    possible = (true[..., None] >> np.arange(len(true)) & 1).astype(bool)
    return {
        "cells": true.size,
        "exact": int((held == possible).all(-1).sum()),
        "missing": int((possible & ~held).sum()),
        "extra": int((held & ~possible).sum()),
    }


def ceiling(table: pa.Table, world: World, vocabulary: Vocabulary, true: Masks) -> dict[str, Any]:
    """Return the cells that the training questions determine, for a learner that makes no mistake.

    An entry is determined if what some question leaves possible would differ without it, or with it; all
    others as they are.
    """
    place = {
        world.meaning[relation].kind.name: i for i, relation in enumerate(vocabulary.relations)
    }
    routes = {
        tuple(
            tuple(place[kind] for kind in route)
            for route in np.array(pattern).reshape(-1, k).tolist()
        )
        for pattern, k in zip(table["pattern"].to_pylist(), table["k"].to_pylist(), strict=True)
    }
    by_shape: dict[tuple[int, int], list[Any]] = {}
    for question in routes:
        by_shape.setdefault((len(question), len(question[0])), []).append(question)
    asked = [np.array(questions) for (_, k), questions in by_shape.items() if k > 1]
    before = [_left(questions, true) for questions in asked]
    size = len(true)
    unknown = {}
    for a in range(size):
        for r in range(size):
            entries = [c for c in range(size) if not _matters(asked, before, true, a, r, c)]
            if entries:
                unknown[f"{vocabulary.relations[a]}, {vocabulary.relations[r]}"] = [
                    vocabulary.relations[c] for c in entries
                ]
    return {"determined": true.size - len(unknown), "undetermined": unknown}


def _matters(asked: list[Any], before: list[Masks], true: Masks, a: int, r: int, c: int) -> bool:
    changed = true.copy()
    changed[a, r] ^= 1 << c
    return any(
        (_left(some, changed) != left).any() for some, left in zip(asked, before, strict=True)
    )


def _left(questions: Any, table: Masks) -> Masks:
    """Return what all routes of each question leave possible. questions: [N, routes, k]."""
    size = len(table)
    left = np.full(len(questions), (1 << size) - 1)
    for route in questions.transpose(1, 0, 2):
        mask = 1 << route[:, 0]
        for fact in route.T[1:]:
            mask = np.bitwise_or.reduce(
                [np.where(mask >> a & 1, table[a][fact], 0) for a in range(size)], axis=0
            )
        left &= mask
    return left


# All of it


def runs(
    seeds: int, star: Path | None
) -> Iterator[tuple[str, Callable[..., dict[str, Any]], tuple[Any, ...]]]:
    """Yield a name for each piece of work, and what does it; what takes longest comes first."""
    for way in ("noise", "prose", "text", "facts"):
        for name in WORLDS:
            if way == "prose" and load_world(name).lexicon.prose is None:
                continue
            for seed in range(seeds):
                yield f"{way} {name} algebra {seed}", one, ("algebra", name, way, seed, star)
    for model in BESIDE:
        for name in WORLDS:
            yield f"facts {name} {model} 0", one, (model, name, "facts", 0, star)
    for way in CURVES:
        for name in WORLDS:
            for size in SIZES:
                yield f"{way} {name} {size}", point, (name, size, way == "tied")


def one(model_name: str, name: str, way: str, seed: int, star: Path | None) -> dict[str, Any]:
    """Train once, and return what came out."""
    world = load_world(name)
    table = training_stories(world, way, 32000, seed=TRAINED_ON + 100 * seed)
    vocabulary = learn_vocabulary([table], world)
    how = HOW if model_name == "algebra" else TrainConfig(model=model_name)
    how = replace(how, seed=seed, epochs=HOW.epochs if way == "facts" else 20)
    model, seconds = train(blueprint(model_name), how, table, vocabulary)
    found: dict[str, Any] = {"questions": len(table), "cpu_seconds": round(seconds, 1)}
    if model_name == "algebra":
        true = true_masks(world, vocabulary)
        found |= cells(model, true)
        if way == "facts" and seed == 0:
            found["ceiling"] = ceiling(table, world, vocabulary, true)
    found["accuracy"] = {
        f"k={k} b={routes}": accuracy(
            model,
            as_told(
                stories(world, "strict", k, routes, 1000, TESTED_ON, **WAYS[way]), way
            ).combine_chunks(),
            vocabulary,
        )
        for k, routes in TESTED
    }
    if way == "facts" and star is not None and name in STAR:
        found["star"] = {
            path.stem: accuracy(
                model,
                pa.concat_tables(open_dataset(path).split("test").values()).combine_chunks(),
                vocabulary,
            )
            for path in sorted(star.glob(f"*{STAR[name]}*.csv"))
        }
    return found


class Tied(Algebra):
    """The same where T(s, r, u) = T(r', s', u'), with the converses of the world."""

    def __init__(self, sizes: Sizes, converse: list[int]) -> None:
        super().__init__(sizes)
        self.converse = converse

    def possible(self) -> torch.Tensor:  # [R, R, R]
        other = self.table[self.converse][:, self.converse][:, :, self.converse].transpose(0, 1)
        share = torch.sigmoid(FAST * (self.table + other) / 2)
        return share / share.amax(-1, keepdim=True)


def point(name: str, size: int, tied: bool) -> dict[str, Any]:
    """Train on so many questions from facts, for as many steps as with all of them."""
    world = load_world(name)
    table = training_stories(world, "facts", size, seed=TRAINED_ON)
    vocabulary = learn_vocabulary([table], world)
    steps = HOW.epochs * 32000 // HOW.batch
    epochs = max(1, steps // max(1, -(-len(table) // HOW.batch)))
    made = blueprint("algebra")
    if tied:
        numbers = [
            world.index[world.meaning[relation].kind.name] for relation in vocabulary.relations
        ]
        converse = [numbers.index(world.index[world.kinds[number].converse]) for number in numbers]
        made = Recipe(WordOrder, partial(Tied, converse=converse), WholeScores, recorded=False)
    model, _ = train(made, replace(HOW, epochs=epochs), table, vocabulary)
    return {"questions": len(table), **cells(model, true_masks(world, vocabulary))}


# As tables


def tables(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the runs amount to, as the page shows it: means over the seeds, in percent."""
    trained: dict[tuple[str, str, str], list[Any]] = {}
    for name, run in sorted(found.items()):
        way, world, model, *_ = name.split()
        if way not in CURVES:
            trained.setdefault((way, world, model), []).append(run)
    asked = [f"k={k} b={routes}" for k, routes in TESTED if k > 4]
    every = [
        (way, world, model) for way in WAYS for world in WORLDS for model in ("algebra", *BESIDE)
    ]
    kept = [(key, trained[key]) for key in every if key in trained]
    ours = [(key, runs) for key, runs in kept if key[2] == "algebra"]
    points = [
        [_exact(found.get(f"{way} {world} {size}")) for way in CURVES for world in WORLDS]
        for size in SIZES
    ]
    return {
        "accuracy": {
            "columns": ["told", "world", "model", "seeds", *asked],
            "rows": [
                [*key, len(runs), *(_mean(runs, "accuracy", one) for one in asked)]
                for key, runs in kept
            ],
        },
        "cells": {
            "columns": ["told", "world", "cells", "exact", "missing", "extra"],
            "rows": [
                [
                    *key[:2],
                    runs[0]["cells"],
                    *(_each(runs, part) for part in ("exact", "missing", "extra")),
                ]
                for key, runs in ours
            ],
        },
        "ceiling": {
            "columns": ["world", "questions", "cells", "determined", "others"],
            "rows": [
                [
                    world,
                    run["questions"],
                    run["cells"],
                    run["ceiling"]["determined"],
                    _others(run["ceiling"]),
                ]
                for (_, world, _), runs in ours
                for run in runs
                if "ceiling" in run
            ],
        },
        "star": {
            "columns": [
                "world",
                "model",
                "seeds",
                "k = 2 to 4, b = 1 to 3",
                "least of these",
                "k = 9, b = 1",
            ],
            "rows": [
                [*key[1:], len(runs), *_star(runs)] for key, runs in kept if "star" in runs[0]
            ],
        },
        "curve": {
            "columns": ["questions", *WORLDS, *(f"{world}, tied" for world in WORLDS)],
            "rows": [[size, *row] for size, row in zip(SIZES, points, strict=True) if any(row)],
        },
    }


def _mean(runs: list[Any], part: str, name: str) -> float:
    return round(statistics.fmean(run[part][name] for run in runs), 1)


def _each(runs: list[Any], part: str) -> str:
    return ", ".join(str(run[part]) for run in runs)


def _others(ceiling: Mapping[str, Any]) -> str:
    return "; ".join(ceiling["undetermined"]) or "none"


def _star(runs: list[Any]) -> Iterator[float]:
    short = [share for run in runs for file, share in run["star"].items() if "_k_9_" not in file]
    yield round(statistics.fmean(short), 1)
    yield min(short)
    yield _mean(runs, "star", next(file for file in runs[0]["star"] if "_k_9_" in file))


def _exact(point: Mapping[str, int] | None) -> str:
    return "" if point is None else f"{point['exact']} of {point['cells']}"


def _alone(work: Work, given: tuple[Any, ...]) -> dict[str, Any]:
    torch.set_num_threads(1)
    return work(*given)


@app.command()
def write(
    out: Annotated[Path, typer.Argument(help="The file to write, or to go on with.")],
    star: Annotated[Path | None, typer.Option(help="The folder with STaR's test files.")] = None,
    seeds: Annotated[int, typer.Option(help="How many, for each world and way to tell it.")] = 3,
    only: Annotated[
        str, typer.Option(help="Pieces of work whose names begin with one of these.")
    ] = "",
    workers: Annotated[int, typer.Option(help="Processes.")] = os.cpu_count() or 1,
) -> None:
    """Train, measure, and write what came out; what is in the file already is not run again."""
    content = {
        "about": "What it takes to learn the table of compositions of a world, and how far it carries.",
        "commands": [
            "python tools/algebra.py experiments/results/algebra-tables.json --star FOLDER"
        ],
        "runs": json.loads(out.read_text())["runs"] if out.exists() else {},
    }
    found: dict[str, Any] = content["runs"]
    todo = [
        (name, work, args)
        for name, work, args in runs(seeds, star)
        if name not in found and name.startswith(tuple(only.split(",")))
    ]
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        begun = {pool.submit(_alone, work, args): name for name, work, args in todo}
        for done in as_completed(begun):
            found[begun[done]] = done.result()
            content["tables"] = tables(found)
            out.write_text(json.dumps(content, indent=1) + "\n")
            shown = {key: value for key, value in found[begun[done]].items() if key != "ceiling"}
            print(begun[done], json.dumps(shown), flush=True)


if __name__ == "__main__":
    main(app)
