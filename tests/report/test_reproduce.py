"""The whole experiment, small: from nothing to the report, undisturbed and killed."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from clutrr._train.matrix import find_matrix
from commands import begin, outcome
from processes import PATIENCE, session

pytestmark = pytest.mark.process

TINY = """\
data: {preset: published, k: [3], train: 60, test: 40, distractors: 0}
models: [gnn, gnn-attention]
epochs: 1
batch: 20
"""
REAL_TEXT = Path(__file__).parents[2] / "experiments/real-text.yaml"
LONGER = TINY.replace("k: [3]", "k: [3, 4]").replace("epochs: 1", "epochs: 4")  # four trainings


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """Start a small experiment."""

    def command(out: Path, *more: str, experiment: str = TINY) -> subprocess.Popen:
        matrix = tmp_path_factory.mktemp("matrix") / "tiny.yaml"
        matrix.write_text(experiment)
        options = ["--matrix", matrix, "--device", "cpu", *more]
        return begin("reproduce", out, *options, stdout=subprocess.PIPE)

    return command


def finish(process: subprocess.Popen) -> tuple[str, str]:
    printed, errors = process.communicate(timeout=5 * PATIENCE)
    assert process.returncode == 0, errors
    return printed, errors


def figures(out: Path) -> dict:
    """All of its results; the command names the folder."""
    content = json.loads((out / "report" / "table.json").read_text())
    results = [{**result, "command": ""} for result in content["results"]]
    return {**content, "commands": [], "results": results}


def test_from_nothing_to_the_report(start, tmp_path):
    out = tmp_path / "out"
    printed, errors = finish(start(out, "--json", "--models", "gnn,composer"))
    content = json.loads(printed)
    assert len(content["results"]) == 2
    assert content["missing"] == []
    (command,) = content["commands"]
    assert command.startswith(f"clutrr reproduce {out} --matrix ")
    assert command.endswith("--device cpu --json --models gnn,composer")
    assert content["settings"]["epochs"] == 1
    assert [(c["model"], c["test"], c["rows"]) for c in content["cells"]] == [
        ("gnn", "M3", 40),
        ("composer", "M3", 40),
    ]
    for cell in content["cells"]:
        record = json.loads(
            (out / "cells" / f"{cell['model']}-M3-seed0" / "result.json").read_text()
        )
        assert cell["accuracy"] == pytest.approx(record["tested"]["M3"]["accuracy"], abs=0.001)
        assert cell["interval"] == pytest.approx(record["tested"]["M3"]["interval"], abs=0.011)
        assert cell["right"] == {"0": record["tested"]["M3"]["right"]}
        assert content["stories"]["tested on"]["M3"] == record["tested"]["M3"]["sha256"]
        assert ("learnt" in record) == (cell["model"] == "composer")
        assert record["command"] == command
        assert not (out / "cells" / f"{cell['model']}-M3-seed0" / "record.json").exists()
    (pair,) = content["lookups"]
    assert (pair["train"], pair["test"], pair["longest known ending"]) == ("M3", "M3", 100)
    assert len(record["learnt"]["compositions"]) == len(record["learnt"]["heights"]) ** 2
    assert re.search(r"^\[2\] \S+-M3-seed0: M3 [\d.]+ % in \d+ s$", errors, re.MULTILINE)
    page = (out / "report" / "index.html").read_text()
    assert "Composer trained on M3, seed 0" in page


@pytest.fixture(scope="module")
def undisturbed(start, tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    finish(start(out, experiment=LONGER))
    return figures(out)


@pytest.mark.slow
def test_a_killed_training_is_said_and_goes_on_to_the_same_table(start, undisturbed, tmp_path):
    """What a kill of the command leaves is tested in tests/attack."""
    out = tmp_path / "out"
    process = start(out, experiment=LONGER)
    deadline = time.monotonic() + 5 * PATIENCE
    while not (done := list(out.glob("cells/*/result.json"))):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(_trainings(process.pid)[0], signal.SIGKILL)
    printed, errors = process.communicate()
    assert (process.returncode, printed) == (2, "")
    assert errors.splitlines()[-1].startswith("clutrr: a worker process was killed")
    while left := session(process.pid):
        assert time.monotonic() < deadline, f"still running: {left}"
        time.sleep(0.1)
    assert len(list(out.glob("cells/*/result.json"))) < 4
    before = {path: path.stat().st_mtime_ns for path in done}
    finish(start(out, experiment=LONGER))
    assert figures(out) == undisturbed
    assert {path: path.stat().st_mtime_ns for path in done} == before


def _trainings(leader: int) -> list[int]:
    """The processes that train."""
    return [
        p
        for p in session(leader)
        if b"clutrr._io.executors" in Path(f"/proc/{p}/cmdline").read_bytes()
    ]


def test_options_change_the_matrix():
    full, quick = find_matrix("full"), find_matrix("quick")
    assert full.changed() == full
    changed = quick.changed(("gnn", "gnn+literal"), "3", Path("files"))
    (data,) = changed.generated
    assert (data.config.preset, data.config.k, changed.wording) == (
        "published",
        (3, 4, 5, 6),
        "files",
    )
    assert (data.config.train, data.config.distractors) == (1000, 1)
    assert (changed.train, changed.test) == (quick.train, "files")
    assert (changed.models, changed.seeds) == (("gnn", "gnn+literal"), (0, 1, 2))
    assert quick.changed(seeds="3-5").seeds == (3, 4, 5)
    text = find_matrix(str(REAL_TEXT)).changed(data=Path("there"), encoder="mine")
    assert text.data == ("there",)
    trainings = [text.training(cell) for cell in text.cells()]
    assert [(t.model, t.epochs, t.encoder) for t in trainings] == [("pairs", 5, "mine")] * 3


@pytest.mark.parametrize(
    "options",
    [
        ["--full", "--matrix", "matrix.yaml"],
        ["--models", "transformer"],
        ["--models", "gnn,gnn"],
        ["--seeds", "x"],
        ["--matrix", "table-9"],
        ["--device", "abacus"],
        ["--data", "nowhere"],
        ["--matrix", str(REAL_TEXT)],
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_leaves_nothing(monkeypatch, tmp_path, options):
    monkeypatch.chdir(tmp_path)
    code, printed, errors = outcome("reproduce", "out", *options)
    assert (code, printed) == (2, "")
    (line,) = [line for line in errors.splitlines() if line != find_matrix("quick").about]
    assert line.startswith("clutrr: ")
    assert not list(tmp_path.iterdir())
