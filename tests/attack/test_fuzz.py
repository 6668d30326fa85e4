"""Spoiled files of every kind, through every reader: read, or refused in one line.

`make attack` tries 5,000.
"""

import gzip
import json
import random
import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spoiling import Target, changed_value, command

import sample_files
from clutrr import load_world
from clutrr._ask.run import recording
from clutrr._data import open_dataset
from clutrr._generate import Config, folder
from clutrr._generate.folder import Job, generate_folder
from clutrr._report.loading import load_experiment
from clutrr._score.predictions import read_predictions
from clutrr._table import SCHEMA, from_table
from clutrr._train.config import TrainConfig
from clutrr._train.matrix import find_matrix, load_matrix, matrix_text
from made_records import write_experiment
from render import render

SMALL = Config("described", (2,), 12, 6, distractors=1)
PARTS = 10  # of the 5,000 files, for several cores
PAGE = (
    "# A page\n<!-- table by length: cells.json -->\n<!-- end of table -->\n"
    "<!-- table by cell: cells.json -->\n| old |\n<!-- end of table -->\n"
)


def read_data(path: Path) -> None:
    for part in open_dataset(path).parts():
        list(from_table(part.table))


def read_world(path: Path) -> None:
    load_world(path)


def read_run(path: Path) -> None:
    from clutrr._train.run import load_run

    load_run(path)


def try_encoder(name: str) -> None:
    from clutrr.models.text.encoder import try_encoder as trial

    trial(name)


def read_replies(path: Path) -> None:
    with recording(path) as record:
        list(record.lines())


class Used(Target):
    """Data that can be read though it is spoiled, through the commands that use data, in turns."""

    def __init__(self, path: Path, out: Path) -> None:
        self.out = out
        self.times = 0
        super().__init__(path, read_data, self.use)

    def use(self, path: Path) -> None:
        commands = (
            ("info", path),
            ("audit", path),
            ("prompts", path, "--split", "train", "--form", "choice"),
            ("convert", path, self.out / "converted.jsonl", "--force"),
            ("convert", path, self.out / "csv", "--to", "csv", "--force"),
            ("learn-world", path, self.out / "world", "--force"),
            ("explore", path, "--out", self.out / "page.html"),
        )
        self.times += 1
        command(*commands[self.times % len(commands)])


class Values(Used):
    """A Parquet file in order, of values that are not."""

    def spoiled(self, file: Path, rng: random.Random) -> bytes:
        rows = [sample_files.OWN, changed_value(sample_files.OWN, rng)]
        made = pa.BufferOutputStream()
        try:
            pq.write_table(pa.Table.from_pylist(rows), made)
        except (pa.ArrowException, TypeError, ValueError, OverflowError, AttributeError):
            return super().spoiled(file, rng)
        return made.getvalue().to_pybytes()


class Cut(Target):
    """What a killed `generate` has left: however it is spoiled, the next run ends as if nothing had been."""

    def __init__(self, out: Path, whole: Path) -> None:
        self.out, self.whole = out, whole
        left = out.with_name(out.name + ".partial")
        self.kept = shutil.copytree(left, out.with_name("kept"))
        super().__init__(left)

    def attack(self, rng: random.Random) -> None:
        if not self.path.exists():
            shutil.copytree(self.kept, self.path)
        file = rng.choice(list(self.files))
        file.write_bytes(self.spoiled(file, rng))
        generate_folder(Job(self.out, SMALL))
        for file in self.whole.rglob("*"):
            if file.is_file():
                assert (self.out / file.relative_to(self.whole)).read_bytes() == file.read_bytes()
        shutil.rmtree(self.out)


class Forged(Target):
    """A checkpoint whose header says something else, with the checksum that goes with it."""

    def spoiled(self, file: Path, rng: random.Random) -> bytes:
        from safetensors.torch import load, save

        from clutrr._train.run import _digest

        if file.name != "checkpoint.safetensors" or rng.random() < 0.3:
            return super().spoiled(file, rng)
        raw = self.files[file]
        length = int.from_bytes(raw[:8], "little")
        content = json.loads(json.loads(raw[8 : 8 + length])["__metadata__"]["run"])
        tensors, run = load(raw), json.dumps(changed_value(content, rng))
        return save(tensors, {"run": run, "sha256": _digest(run, tensors)})


@pytest.fixture(scope="module")
def targets(tmp_path_factory) -> list[Target]:
    place = tmp_path_factory.mktemp("fuzz")
    found = [*_files_of_data(place), *_folders(place), *_answers(place), *_experiments(place)]
    if pytest.importorskip("torch"):
        found.append(Forged(_run(place), read_run))
        pytest.importorskip("transformers")
        found.append(Target(_encoder(place), lambda path: try_encoder(str(path))))
    return found


def _files_of_data(place: Path) -> list[Target]:
    out = place / "out"
    out.mkdir()
    found: list[Target] = []
    for name, text in sample_files.TEXTS.items():
        suffix = "jsonl" if name in ("jsonl", "v1.3") else "csv"
        (place / f"{name}.{suffix}").write_text(text)
        found.append(Used(place / f"{name}.{suffix}", out))
        (place / f"{name}.{suffix}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        found.append(Target(place / f"{name}.{suffix}.gz", read_data))
    table = pa.Table.from_pylist([sample_files.OWN] * 3, SCHEMA)
    pq.write_table(table, place / "own.parquet")
    pq.write_table(table, place / "v2.parquet", data_page_version="2.0", compression="zstd")
    found += [Used(place / "own.parquet", out), Target(place / "v2.parquet", read_data)]
    pq.write_table(table, place / "values.parquet")
    return [*found, Values(place / "values.parquet", out)]


def _folders(place: Path) -> list[Target]:
    generate_folder(Job(place / "data", SMALL))
    (place / "cut").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder, "card", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            generate_folder(Job(place / "cut/out", SMALL))
    with resources.as_file(resources.files("clutrr._lexicon") / "worlds" / "kinship") as source:
        world = shutil.copytree(source, place / "world")
    for name in ("prose.yaml", "templates.yaml"):
        (place / name).mkdir()
        (place / name / "world.yaml").write_text("extends: kinship\n")
        shutil.copy(world / name, place / name / name)
    return [
        Target(place / "data", read_data, lambda path: command("info", path)),
        Cut(place / "cut/out", place / "data"),
        Target(world, read_world),
        Target(place / "prose.yaml", read_world),
        Target(place / "templates.yaml", read_world),
    ]


def _answers(place: Path) -> list[Target]:
    number = sample_files.OWN["id"]
    (place / "answers.csv").write_text(f"id,answer\n{number},son\n")
    (place / "answers.jsonl").write_text(json.dumps({"id": number, "answer": "A son."}) + "\n")
    reply = {
        "id": number,
        "subset": "M1",
        "sample": 0,
        "k": 1,
        "reply": "Answer: son",
        "target": "son",
    }
    reply |= {"ask": "choice", "relations": ["son", "nephew"], "prompt_sha256": "0", "sampling": {}}
    (place / "replies.jsonl").write_text((json.dumps(reply) + "\n") * 1)
    row = {"subset": "M1", "id": number, "target": "son", "prediction": "son", "probability": 0.5}
    pq.write_table(pa.Table.from_pylist([row]), place / "predictions.parquet")
    (place / "asked.jsonl").write_text(sample_files.JSONL)

    def scored(path: Path) -> None:
        read_predictions(path)
        command("score", place / "asked.jsonl", path)

    run = place / "answered"
    run.mkdir()
    shutil.copy(place / "predictions.parquet", run)
    (run / "record.json").write_text(json.dumps({"config": {"model": "pairs", "k": [1]}}))

    def compared(path: Path) -> None:
        shutil.rmtree(place / "compared", ignore_errors=True)
        command(
            "score", place / "asked.jsonl", path, place / "good.csv", "--to", place / "compared"
        )

    def shown(path: Path) -> None:
        command("explore", place / "asked.jsonl", "--run", path, "--out", place / "answered.html")

    shutil.copy(place / "answers.csv", place / "good.csv")
    return [
        Target(run, shown),
        Target(shutil.copy(place / "answers.jsonl", place / "compared.jsonl"), compared),
        Target(place / "answers.csv", scored),
        Target(place / "answers.jsonl", scored),
        Target(place / "predictions.parquet", scored),
        Target(place / "replies.jsonl", read_replies, scored),
    ]


def _experiments(place: Path) -> list[Target]:
    (place / "matrix.yaml").write_text(matrix_text(find_matrix("table-1")))
    results = write_experiment(place / "results")
    result = place / "result.json"
    result.write_text(load_experiment(results).to_text())
    (place / "page").mkdir()
    (place / "page/cells.json").write_text(result.read_text())
    (place / "page/page.md").write_text(PAGE)
    return [
        Target(place / "matrix.yaml", load_matrix),
        Target(result, load_experiment, lambda path: load_experiment(path, path).to_text()),
        Target(results, load_experiment, _reported(place / "report")),
        Target(place / "page", lambda path: render(path / "page.md")),
    ]


def _reported(out: Path) -> Callable[[Path], None]:
    def report(path: Path) -> None:
        shutil.rmtree(out, ignore_errors=True)
        command("report", path, "--to", out, "--json")

    return report


def _run(place: Path) -> Path:
    import torch

    from clutrr._train.job import TrainJob, run_training

    config = TrainConfig("gnn", (2,), epochs=1)
    run_training(TrainJob(place / "data", place / "run", config, torch.device("cpu")))
    return place / "run"


def _encoder(place: Path) -> Path:
    from tiny import tiny_encoder

    return tiny_encoder(place / "encoder", [sample_files.OWN["story"]])


def attack(targets: list[Target], times: int, rng: random.Random) -> None:
    for number in range(times):
        targets[number % len(targets)].attack(rng)


def test_some_spoiled_files(targets):
    attack(targets, 180, random.Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_5000_spoiled_files(targets, part):
    attack(targets, 5000 // PARTS, random.Random(f"part {part}"))
