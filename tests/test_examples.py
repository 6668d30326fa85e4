"""The scripts under examples/, run as a reader would run them, and what they print."""

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import clutrr
from clutrr import load_world
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
    assert len(SCRIPTS) == 8
    for script in SCRIPTS:
        assert f'printed("{script.name}"' in tests or f'import_module("{script.stem}")' in tests


def test_a_theory_whose_parts_depend_on_each_other():
    text = printed("places_and_lengths.py")
    holds = dict(re.findall(r"^(\w+) +(yes|no|\?) ", text, re.MULTILINE))
    assert {name for name, one in holds.items() if one != "yes"} == {"networks"}
    assert "the same 625 compositions" in text


def test_answers_of_another_package_are_repaired(tmp_path):
    """The part of the training script that needs no GPU: wrong answers are the reversed in-laws."""
    pytest.importorskip("reasoning_gym", reason="needs the extra `rl`")
    text = printed("train_a_language_model.py", "gym", tmp_path, "--train", 60, "--test", 10)
    rows = json.loads((tmp_path / "gym.json").read_text())
    wrong = [row for row in rows["train"] if row["shipped"] != row["proved"]]
    assert text == f"60 questions to train on, {len(wrong)} answered wrongly; 10 to test\n"
    assert wrong
    assert all("in-law" in row["shipped"] and "in-law" in row["proved"] for row in wrong)


def test_a_judge_is_trained_and_its_judgements_can_be_scored(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    data = tmp_path / "stories"
    clutrr.generate(out=data, preset="strict", k=2, train=30, test=5, distractors=0)
    clutrr.chains(data, tmp_path / "chains")
    said = tmp_path / "judgements.jsonl"
    small = ("--epochs", 1, "--width", 32, "--layers", 1)
    text = printed("train_a_judge.py", tmp_path / "chains", said, *small)
    assert re.fullmatch(r"epoch 1: loss \d\.\d+\n", text)
    found = clutrr.score(tmp_path / "chains", said)
    assert (found.total.wrong + found.total.right, found.total.missing) == (20, 0)


def test_training_by_steps_is_offered(monkeypatch):
    """tests/tasks/test_trl.py trains with it, where TRL is installed."""
    pytest.importorskip("trl", reason="needs trl")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    assert import_module("train_by_steps").StepTrainer.weight == 1


def test_the_small_model_writes_what_it_finds_likeliest(monkeypatch):
    """Writing token by token, with a cache, agrees with reading all at once."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    llama = import_module("small_llama")
    monkeypatch.setattr(llama, "LAYERS", 2)
    torch.manual_seed(0)
    model, end = llama.Llama(), 7
    prompts = [[5, 9, 11], [3, 1, 4, 1, 5, 9, 2, 6]]
    for prompt, written in zip(prompts, llama.write(model, prompts, 12, end), strict=True):
        with torch.no_grad():
            said = model.logits(model(torch.tensor([prompt + written])))[0].argmax(-1).tolist()
        assert said[len(prompt) - 1 : -1] == written
        assert len(written) == 12 or said[-1] == end


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
        text = printed(
            "ask_a_model.py", tmp_path / "out", "--base-url", address, "--model", "solver"
        )
    assert [int(share) for share in re.findall(r"M\d: (\d+) %", text)] == [100] * 4
    assert len(service.requests) == 80
