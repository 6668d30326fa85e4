"""The package as users get it: its public names, what it imports, the wheel."""

import json
import subprocess
import sys
import sysconfig

import pytest

import clutrr

HEAVY = {"torch", "datasets", "matplotlib", "clingo"}


def python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.strip()


def test_public_names():
    assert {
        "ClutrrError",
        "Fact",
        "Person",
        "Puzzle",
        "World",
        "generate",
        "load_world",
    } <= set(clutrr.__all__)
    for name in clutrr.__all__:
        assert getattr(clutrr, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        clutrr.nonsense  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import clutrr",
        "import clutrr.cli",
        "import clutrr; clutrr.generate(size=1, k=2)[0]",
        "from clutrr.cli import main; sys.argv = ['clutrr', 'paths', '--max-edges', '2', '--json']; main()",
    ],
)
def test_nothing_heavy_is_imported(code):
    loaded = python(
        "import atexit, json, sys\n"
        "atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules))))\n" + code
    ).splitlines()[-1]
    assert not HEAVY & set(json.loads(loaded))


@pytest.mark.parametrize("first", ["", "import clutrr.data", "from clutrr.generator import Config"])
def test_generate_is_a_function_whatever_was_imported_before(first):
    code = f"{first}\nimport clutrr\nprint(len(clutrr.generate(size=3, k=2)))"
    assert python(code) == "3"


def test_the_example_of_the_docstring():
    puzzles = clutrr.generate(preset="sound", k=4, size=100, seed=7)
    assert len(puzzles) == 100
    assert puzzles[0].query
    assert puzzles[0].target in puzzles[0].abstract


def test_the_wheel_works_in_an_empty_environment(tmp_path, repository):
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, repository]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("clutrr-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    there = tmp_path / "venv/bin"
    pip = [sys.executable, "-m", "pip", "--python", there / "python", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", wheel], check=True)
    # What it depends on is borrowed from here, after its own packages.
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    show = [there / "python", "-c", "import clutrr; print(clutrr.__file__)"]
    assert subprocess.check_output(show, text=True, cwd=tmp_path).startswith(str(site))
    command = [there / "clutrr", "generate", tmp_path / "out", "--train", "10", "--test", "5"]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert (tmp_path / "out/data/M6/test-00000-of-00001.parquet").is_file()
    assert (site / "clutrr/py.typed").is_file()
