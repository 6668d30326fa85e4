"""The scripts under examples/, run as a reader would run them, and what they print."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clutrr.world import load_world
from solving_server import serving

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def printed(script: str, *arguments: object) -> str:
    command = [sys.executable, ROOT / "examples" / script, *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


def test_every_example_is_run_here():
    tests = Path(__file__).read_text()
    assert len(SCRIPTS) == 3
    assert all(f'printed("{script.name}"' in tests for script in SCRIPTS)


def test_a_world_in_another_language(tmp_path):
    text = printed("spanish_world.py", tmp_path / "cuentos")
    assert "Luego Inés es nieta de Hugo: implicado, no cabe otra cosa." in text
    assert "200 stories, 100.0 % entailed" in text
    assert load_world(tmp_path / "cuentos/world").lexicon.language == "es"


def test_a_model_of_ones_own(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    text = printed("own_model.py", tmp_path / "own")
    found = re.search(r"M3: ([\d.]+) % of 200 test stories", text)
    assert found
    assert float(found[1]) > 90


def test_a_language_model_through_a_local_service(tmp_path):
    text = printed("ask_a_model.py", tmp_path / "out")
    shares = [int(share) for share in re.findall(r"M\d: (\d+) %", text)]
    # The stand-in proves what it reads; longer stories it answers with the same word always.
    assert shares[:2] == [100, 100]
    assert max(shares[2:]) < 40
    again = printed("ask_a_model.py", tmp_path / "out")
    assert "0 questions asked, 80 replies from earlier runs" in again


def test_a_language_model_at_an_address(tmp_path):
    with serving() as (address, service):
        text = printed("ask_a_model.py", tmp_path / "out", "--base-url", address, "--model", "solver")
    assert [int(share) for share in re.findall(r"M\d: (\d+) %", text)] == [100] * 4
    assert len(service.requests) == 80
