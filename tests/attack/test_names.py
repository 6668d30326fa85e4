"""Names from outside lead nowhere, and nothing that lies about is run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

import clutrr
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.files import files_in, local_copy
from clutrr._io.locations import parse_location
from clutrr._io.manifests import sealed_in
from clutrr._io.names import safe_join
from clutrr._train.matrix import find_matrix
from clutrr.errors import ConfigError, DataError, OutputError
from commands import process
from made import contents

pytestmark = [pytest.mark.process, pytest.mark.slow]

LEADING_OUT = (
    "../x",
    "a/../../x",
    "/x",
    "a//x",
    "",
    ".",
    "a/./b",
    "..",
    "a\\..\\x",
    "C:/x",
    "C:x",
    "a\0b",
)


@pytest.mark.parametrize("name", LEADING_OUT)
def test_no_name_leaves_its_folder(tmp_path, name):
    with pytest.raises(DataError, match="is not the name of a file in it"):
        safe_join(tmp_path, name)
    manifest = {"files": {name: {"sha256": "", "bytes": 0}}}
    with pytest.raises(DataError):
        sealed_in(tmp_path, manifest)
    assert safe_join(tmp_path, "a/b.c") == tmp_path / "a/b.c"


@pytest.mark.parametrize("name", ["../../../x", "/x"])
def test_a_run_at_a_url_writes_nothing_elsewhere(tmp_path, monkeypatch, name):
    """The keys of objects may be anything: run/encoder/../../../x, run/encoder//x."""
    pytest.importorskip("fsspec")
    run = parse_location(f"memory://{uuid4().hex}/run")
    monkeypatch.setattr(
        type(run.fs), "find", lambda fs, path, **how: {f"{path}/{name}": {"size": 1}}
    )
    with pytest.raises(DataError, match="not the name of a file"), local_copy(run / "encoder"):
        pass
    with pytest.raises(DataError, match="not the name of a file"):
        files_in(run)


PROGRAM = "import pathlib; pathlib.Path('ran').touch()\n"
MODULES = (
    "pickle",
    "multiprocessing",
    "numpy",
    "sitecustomize",
    "clutrr",
    "signal",
    "dask",
    "torch",
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["explore", ".", "--out", "../page.html"],
        ["generate", "../made", "--k", "2,3", "--train", "50", "--test", "50", "--workers", "2"],
    ],
)
def test_no_module_of_the_current_folder_is_run(tmp_path, arguments):
    here = tmp_path / "here"
    generate_folder(Job(here, Config("described", (2,), 450, 10, distractors=0)))
    for name in MODULES:
        (here / f"{name}.py").write_text(PROGRAM)
    (here / "matplotlibrc").write_text("figure.facecolor: red\nno such setting: 1\n")
    done = process(*arguments, cwd=here)
    assert done.returncode == 0, done.stderr
    assert not (here / "ran").exists()


def test_figures_obey_no_file_of_the_current_folder(tmp_path):
    pytest.importorskip("matplotlib")
    program = (
        "from clutrr._report.figures import _new_figure\n"
        "with _new_figure(1, 1) as figure: print(figure.get_facecolor()[:3])"
    )
    (tmp_path / "matplotlibrc").write_text("figure.facecolor: red\nno such setting: 1\n")
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(clutrr.__file__).parents[1])},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("(1.0, 1.0, 1.0)\n", "")


def test_a_matrix_names_no_program(run, tmp_path, monkeypatch):
    """Only --models runs one, in the words of who calls."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(PROGRAM)
    settings = {"data": {"preset": "sound"}, "train": [2], "models": ["gnn", "evil.py:net"]}
    (tmp_path / "matrix.yaml").write_text(json.dumps(settings))
    results = {"settings": settings, "inputs": {}, "stories": {}, "lookups": [], "results": []}
    (tmp_path / "cells.json").write_text(json.dumps(results))
    for arguments in (
        ["reproduce", "out", "--matrix", "matrix.yaml"],
        ["report", "cells.json"],
        ["info", "cells.json"],
    ):
        run(*arguments)
        assert not (tmp_path / "ran").exists(), arguments
    with pytest.raises(ConfigError, match=r"is a program: .* --models"):
        find_matrix("matrix.yaml")
    assert run("reproduce", "out", "--matrix", "matrix.yaml", "--models", "evil.py:net")[0] == 2
    assert (tmp_path / "ran").exists()


def test_a_name_of_work_in_progress(run, tmp_path):
    for out in (tmp_path / "o.partial", parse_location("memory://bucket/o.partial")):
        with pytest.raises(OutputError, match="means work in progress"):
            generate_folder(Job(out, Config("described", (2,), 5, 5)))
    assert not contents(tmp_path)
