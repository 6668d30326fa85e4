"""Every command and its function do the same: on the same input, they say and write the same."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
import typer

import clutrr
from clutrr._cli import app
from clutrr._report.experiment import Experiment
from commands import run, told
from solving_server import serving

STORY, QUERY = "Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")
MATRIX = """\
data: {preset: strict, k: [2], train: 20, test: 10}
train: [2]
models: [gnn]
epochs: 1
"""
VARIES = {"seconds", "command", "commands"}  # from call to call, and as it was typed


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, a trained and evaluated model, and answers, which the calls read."""
    here = tmp_path_factory.mktemp("given")
    clutrr.generate(out=here / "data", k=(2, 3), train=30, test=10)
    clutrr.train(here / "data", here / "run", model="gnn", k=2, epochs=1, device="cpu")
    clutrr.evaluate(here / "run", here / "data", device="cpu")
    lines = [json.dumps({"id": one.id, "answer": one.target}) for one in clutrr.read(here / "data")]
    (here / "answers.jsonl").write_text("\n".join(lines))
    (here / "matrix.yaml").write_text(MATRIX)
    return here


@pytest.fixture
def twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Run a command and call its function, each in a folder of its own; compare what they give and write.

    shown: what the function gives as the command says it; by default its `to_json()`
    """

    def both(command: Callable[[], Any], function: Callable[[], Any], shown: Any = None) -> None:
        found = []
        for name, call in (("command", command), ("function", function)):
            (tmp_path / name).mkdir()
            monkeypatch.chdir(tmp_path / name)
            found.append(call())
        said, gave = found
        gave = gave.to_json() if shown is None else shown(gave)
        assert plain(said) == plain(gave)
        assert content(tmp_path / "command") == content(tmp_path / "function")

    return both


def plain(value: Any) -> Any:
    """What is compared: JSON, without what varies."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items() if key not in VARIES}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def content(folder: Path) -> dict[str, Any]:
    """The files of a folder; of those that name their command or their time, what they hold beside."""
    found: dict[str, Any] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        if path.suffix == ".json":
            found[name] = plain(json.loads(path.read_text().replace(str(folder), "")))
        elif path.suffix == ".jsonl":
            found[name] = [plain(json.loads(line)) for line in path.read_text().splitlines()]
        elif path.name == "predictions.parquet":
            found[name] = pq.read_table(path).to_pylist()
        elif path.name not in ("checkpoint.safetensors", "index.html"):  # compared by the test
            found[name] = path.read_bytes()
    return found


def test_generate(twice: Any) -> None:
    def shown(manifest: dict[str, Any]) -> dict[str, Any]:
        sizes = {
            subset: {split: one["rows"] for split, one in splits.items()}
            for subset, splits in manifest["subsets"].items()
        }
        about = {"subsets": sizes, "scene": manifest["scene"], "assume": manifest["assume"]}
        return {"out": "out", "stories": 45, "notes": [], **about}

    options = ("--k", "2-4", "--train", 10, "--test", 5, "--noise", "irrelevant=1")
    settings = {"k": range(2, 5), "train": 10, "test": 5, "noise": {"irrelevant": 1}}
    twice(
        lambda: told("generate", "out", *options),
        lambda: clutrr.generate(out="out", **settings),
        shown,
    )


def test_book(twice: Any) -> None:
    def shown(manifest: dict[str, Any]) -> dict[str, Any]:
        counts = manifest["counts"]
        done = {"out": "out", "articles": counts["articles"], "questions": counts["questions"]}
        return {**done, **{name: manifest[name] for name in ("tokens", "counts", "shortcuts")}}

    options = ("--with", "ages,places", "--entities", 60, "--questions", 20, "--hops", "1-3")
    settings = {"with_": ("ages", "places"), "entities": 60, "questions": 20, "hops": range(1, 4)}
    twice(lambda: told("book", "out", *options), lambda: clutrr.book("out", **settings), shown)


def test_convert(given: Path, twice: Any) -> None:
    twice(
        lambda: told("convert", given / "data", "out", "--to", "jsonl", "--only", "proved"),
        lambda: clutrr.convert(given / "data", "out", to="jsonl", only="proved"),
    )


def test_learn_world(given: Path, twice: Any) -> None:
    twice(
        lambda: told("learn-world", given / "data", "world"),
        lambda: clutrr.learn_world(given / "data", "world"),
        lambda learnt: {"world": "world", **learnt.to_json()},
    )


def test_chains(given: Path, twice: Any) -> None:
    def shown(manifest: dict[str, Any]) -> dict[str, Any]:
        return {"out": "out"} | {
            name: manifest[name] for name in ("assume", "left_out", "all", "subsets")
        }

    twice(
        lambda: told("chains", given / "data", "out", "--wrong", 1, "--errors", "misread=2,form=1"),
        lambda: clutrr.chains(given / "data", "out", wrong=1, errors={"misread": 2, "form": 1}),
        shown,
    )


@pytest.mark.parametrize("what", ["data", "run", "run/predictions.parquet"])
def test_info(given: Path, twice: Any, what: str) -> None:
    twice(lambda: told("info", given / what), lambda: clutrr.info(given / what))


def test_info_of_a_theory(twice: Any) -> None:
    twice(lambda: told("info", "order"), lambda: clutrr.info("order"))
    assert clutrr.check_theory("order").to_json() == clutrr.info("order").to_json()


def test_explore(given: Path, twice: Any, tmp_path: Path) -> None:
    twice(
        lambda: told("explore", given / "data", "--run", given / "run"),
        lambda: clutrr.explore(given / "data", run=given / "run"),
    )
    pages = [tmp_path / name / "explore.html" for name in ("command", "function")]
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_solve(twice: Any) -> None:
    twice(
        lambda: told("solve", "--story", STORY, "--query", *QUERY),
        lambda: clutrr.solve(STORY, QUERY),
        lambda solution: solution.to_dict(),
    )


def test_audit(given: Path, twice: Any) -> None:
    options = ("--train-on", 2, "--rows", "rows.jsonl")
    twice(
        lambda: told("audit", given / "data", *options),
        lambda: clutrr.audit(given / "data", train_on=2, rows="rows.jsonl"),
    )


def test_train(given: Path, twice: Any, tmp_path: Path) -> None:
    def shown(run: Any) -> dict[str, Any]:
        about = {"run": "run", "model": "lstm", "trained_on": ["M2", "M3"], "stories": 60}
        last = run.epochs[-1]
        return {
            **about,
            "epochs": 1,
            "loss": last.loss,
            "accuracy": last.accuracy,
            "device": "cpu",
        }

    options = ("--model", "lstm", "--k", "2-3", "--epochs", 1, "--device", "cpu")
    twice(
        lambda: told("train", given / "data", "run", *options),
        lambda: clutrr.train(given / "data", "run", model="lstm", k="2-3", epochs=1, device="cpu"),
        shown,
    )
    one, other = (clutrr.load_run(tmp_path / name / "run") for name in ("command", "function"))
    weights = other.model.state_dict()
    assert all(torch.equal(weights[name], part) for name, part in one.model.state_dict().items())


def test_evaluate(given: Path, twice: Any) -> None:
    to = "predictions.parquet"
    twice(
        lambda: told("evaluate", given / "run", given / "data", "--device", "cpu", "--to", to),
        lambda: clutrr.evaluate(given / "run", given / "data", device="cpu", to=to),
    )


def test_prompts(given: Path, twice: Any) -> None:
    options = ("--form", "choice", "--shots", 1, "--limit", 5)
    twice(
        lambda: [
            json.loads(line) for line in run("prompts", given / "data", *options).splitlines()
        ],
        lambda: clutrr.prompts(given / "data", form="choice", shots=1, limit=5),
        lambda prompts: [json.loads(json.dumps(one.to_dict())) for one in prompts],
    )


@pytest.mark.process
def test_ask(given: Path, twice: Any) -> None:
    with serving() as (url, _):
        options = ("--model", "m", "--base-url", url, "--limit", 4, "--concurrency", 1)
        twice(
            lambda: {**told("ask", given / "data", "replies.jsonl", *options)},
            lambda: clutrr.ask(
                given / "data", "replies.jsonl", "m", base_url=url, limit=4, concurrency=1
            ),
        )


def test_score(given: Path, twice: Any) -> None:
    options = ("--split", "all", "--steps")
    answers = given / "answers.jsonl"
    twice(
        lambda: told("score", given / "data", answers, *options),
        lambda: clutrr.score(given / "data", answers, split="all", steps=True),
    )


def test_tasks() -> None:
    for framework in ("lm-eval", "inspect"):
        assert run("tasks", framework) == f"{clutrr.task_path(framework)}\n"


def experiment_as_shown(experiment: Experiment) -> dict[str, Any]:
    cells = [one.to_json() for one in experiment.entries.values() if one.seeds]
    return {**experiment.to_json(), "cells": cells, "page": "out/report/index.html"}


def test_reproduce_and_report(given: Path, twice: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def function() -> Experiment:
        found = clutrr.reproduce("out", str(given / "matrix.yaml"), device="cpu")
        reported = clutrr.report("out", to="out/report")
        assert reported.to_json() == found.to_json()
        return found

    def command() -> Any:
        said = told("reproduce", "out", "--matrix", given / "matrix.yaml", "--device", "cpu")
        assert told("report", "out") == said
        return said

    twice(command, function, experiment_as_shown)


def test_paths(twice: Any) -> None:
    twice(lambda: told("paths", "--max-edges", 3), lambda: clutrr.paths(max_edges=3))


def test_every_command_is_tried() -> None:
    tried = " ".join(name for name in globals() if name.startswith("test_"))
    commands = typer.main.get_command(app()).commands  # type: ignore[attr-defined]
    assert [name for name in commands if name.replace("-", "_") not in tried] == []


# Several lengths


@pytest.mark.parametrize(
    ("k", "lengths"),
    [
        (3, [3]),
        ("3", [3]),
        ("2-4", [2, 3, 4]),
        ("4,2", [2, 4]),
        (range(2, 5), [2, 3, 4]),
        ((4, 2), [2, 4]),
        ([2, 2, 4], [2, 4]),
        ("2,2-3", [2, 3]),
        ({3, 2}, [2, 3]),
    ],
)
def test_lengths_mean_what_they_say(k: Any, lengths: list[int]) -> None:
    assert list(dict.fromkeys(one.k for one in clutrr.generate(k=k, size=1))) == lengths
