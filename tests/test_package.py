"""The package as users get it: its public names, what it imports, the wheel."""

import ast
import doctest
import importlib
import inspect
import json
import os
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import clutrr
from clutrr.errors import EXTRAS

HEAVY = {"torch", "datasets", "matplotlib", "clingo"}


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


# The front: what users may name. To add or take away a name here is to change what is promised.
VERBS = {
    *("generate", "stream", "book", "chains", "puzzle", "read", "write", "convert", "learn_world"),
    *("info", "explore", "statements", "solve", "audit", "check_theory"),
    *("train", "evaluate", "load_run"),
    *("prompts", "ask", "score", "reward", "verify", "read_answer", "task_path"),
    *("reproduce", "report", "plot", "paths", "load_world"),
}
TYPES = {"Entity", "Fact", "Puzzle", "Sentence", "Statement", "World", "ClutrrError"}
OPEN = {"errors", "models", "tasks", "theory"}  # packages and modules that are no rooms


def test_public_names():
    assert set(clutrr.__all__) == VERBS | TYPES | {"errors", "__version__"}
    text = pydoc.plain(pydoc.render_doc(clutrr))
    for name in clutrr.__all__:
        assert getattr(clutrr, name) is not None
        assert name in dir(clutrr)
        assert name.strip("_") in text
    assert all(inspect.isfunction(getattr(clutrr, name)) for name in VERBS)
    assert all(inspect.isclass(getattr(clutrr, name)) for name in TYPES)
    with pytest.raises(AttributeError, match="nonsense"):
        clutrr.nonsense  # noqa: B018


def test_whatever_is_not_named_is_private():
    modules = {
        path.stem for path in Path(clutrr.__file__).parent.iterdir() if path.suffix in ("", ".py")
    }
    assert {name for name in modules if not name.startswith("_")} == OPEN
    assert all(inspect.ismodule(getattr(clutrr, name)) for name in OPEN)


def test_type_checkers_see_every_public_name():
    """What is imported for them alone is what is imported when a name is first used."""
    tree = ast.parse(Path(clutrr.__file__).read_text(encoding="utf-8"))
    (for_checkers,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in for_checkers.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen.pop("errors") == "clutrr"
    assert seen.keys() == set(clutrr.__all__) - {"errors", "__version__"}
    for name, module in seen.items():
        assert getattr(importlib.import_module(module), name) is getattr(clutrr, name)


QUICK = HEAVY | {"numpy", "pyarrow"}  # what takes most of the start of a command
SOLVE = (
    "import clutrr; print(clutrr.solve(\"Bob is Ann's son. Eve is Bob's sister.\", ('Ann', 'Eve')))"
)


@pytest.mark.process
@pytest.mark.parametrize(
    ("code", "without"),
    [
        ("import clutrr._cli", QUICK),
        (SOLVE, QUICK),
        ("import clutrr; clutrr.generate(size=1, k=2)[0]", HEAVY),
        (
            "from clutrr._cli import main; sys.argv = ['clutrr', 'paths', '--max-edges', '2']; main()",
            HEAVY,
        ),
    ],
)
def test_nothing_heavy_is_imported(code, without):
    loaded = python(
        "import atexit, json, sys\n"
        "atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules))))\n" + code
    ).splitlines()[-1]
    assert not without & set(json.loads(loaded))


def test_the_calls_of_the_docstrings(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    finder = doctest.DocTestFinder(recurse=False)
    tried = 0
    for name in sorted(VERBS, key=lambda name: (name != "train", name)):  # `evaluate` needs a run
        function = getattr(clutrr, name)
        tests = finder.find(function, name, globs={name: function})
        tried += sum(bool(test.examples) for test in tests)
        assert all(doctest.DocTestRunner().run(test).failed == 0 for test in tests)
    assert tried >= 18


@pytest.mark.process
def test_a_script_without_a_guard_may_use_processes(tmp_path):
    """Which Python's own would start with the script again."""
    out = tmp_path / "out"
    settings = f"out={str(out)!r}, k='2-3', train=8, test=8, workers=2"
    code = f"import clutrr\nclutrr.generate({settings})\n"
    (tmp_path / "script.py").write_text(f"{code}print('done')\n")
    assert subprocess.check_output([sys.executable, tmp_path / "script.py"], text=True) == "done\n"
    assert (out / "manifest.json").is_file()


def test_the_version(run):
    assert run("--version") == (0, f"{clutrr.__version__}\n", "")


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory, repository) -> Path:
    """The programs of an environment with the wheel and the base dependencies only."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        repository,
    ]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = folder.glob("clutrr-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    there = folder / "venv/bin"
    pip = [sys.executable, "-m", "pip", "--python", there / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    # What it depends on is borrowed from here; what only extras bring is hidden.
    (site,) = (folder / "venv").glob("lib/python*/site-packages")
    there_are = [path for path in sys.path if path.endswith("site-packages")]
    (site / "borrowed.pth").write_text("\n".join(there_are))
    hidden = "".join(f"sys.modules[{name!r}] = None\n" for name in EXTRAS)
    (site / "sitecustomize.py").write_text(f"import sys\n{hidden}")
    return there


@pytest.mark.process
def test_the_wheel_works_in_an_empty_environment(without_extras, tmp_path):
    site = next(without_extras.parent.glob("lib/python*/site-packages"))
    show = [without_extras / "python", "-c", "import clutrr; print(clutrr.__file__)"]
    assert subprocess.check_output(show, text=True, cwd=tmp_path).startswith(str(site))
    command = [
        without_extras / "clutrr",
        "generate",
        tmp_path / "out",
        "--train",
        "10",
        "--test",
        "5",
    ]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert (tmp_path / "out/data/M6/test-00000-of-00001.parquet").is_file()
    assert (site / "clutrr/py.typed").is_file()


@pytest.mark.process
@pytest.mark.parametrize(
    "command", ["train o run --model gnn --k 3", "evaluate run o", "reproduce r"]
)
def test_a_missing_extra_is_named_in_one_line(without_extras, tmp_path, command):
    words = [without_extras / "clutrr", *command.split()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "pip install 'clutrr[models]'" in line
    assert not os.listdir(tmp_path)
