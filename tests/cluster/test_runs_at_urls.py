"""Trainings, experiments and worlds at URLs: they are what they would be in a folder, whoever was killed."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from clutrr import load_world
from clutrr._io.files import files_in, is_empty, local_copy, replace_text
from clutrr._io.locations import parse_location
from clutrr._io.locks import locked
from clutrr._io.staging import staging_area
from clutrr._reading.learning import learn, write_world
from clutrr.errors import OutputError
from made import contents

from .conftest import KEYS, end, until
from .test_experiment import MATRIX, results

torch = pytest.importorskip("torch", reason="needs the extra `models`")

SMALL = MATRIX.replace("seeds: 3", "seeds: 2")
OWN_MODEL = """
from clutrr.models import blueprint

mine = blueprint("gnn")
"""


@pytest.fixture
def memory():
    """A folder of fsspec's own, in this process, which has nothing in it yet."""
    return parse_location(f"memory://{uuid4().hex}/folder")


def test_files_and_folders_go_there_and_back(memory, tmp_path):
    assert is_empty(memory)
    replace_text(memory / "encoder" / "deep" / "a.txt", "ä")
    replace_text(memory / "encoder" / "b.json", "{}")
    assert list(files_in(memory / "encoder")) == ["b.json", "deep/a.txt"]
    with local_copy(memory / "encoder") as here:
        assert contents(here) == {"b.json": b"{}", "deep/a.txt": "ä".encode()}
    assert not here.exists()
    with local_copy(memory / "encoder" / "b.json") as here:
        assert here.read_text() == "{}"
    with pytest.raises(FileNotFoundError), local_copy(memory / "none.txt") as here:
        here.read_text()
    assert not is_empty(memory)
    assert is_empty(memory, "encoder")
    assert memory / "" == memory
    with locked(memory / ".lock"), locked(memory / ".lock"):
        pass  # nothing is locked, and nothing is left
    assert list(files_in(memory)) == ["encoder/b.json", "encoder/deep/a.txt"]


def test_a_learnt_world(memory, puzzles):
    learnt = learn(puzzles, "folder", load_world())
    write_world(learnt, memory)
    assert load_world(str(memory)).digest == learnt.world.digest
    with pytest.raises(OutputError, match="already holds something else"):
        write_world(learnt, memory)
    (memory / "manifest.json").unlink()
    with pytest.raises(OutputError, match="already holds something else"):
        write_world(learnt, memory)  # nothing says that it is ours
    killed = memory.with_name("killed")
    with staging_area(killed) as place:
        plan = {"world": {"name": "folder", "sha256": learnt.world.digest}}
        place.claim(plan, ["relations.yaml"], force=False)
    replace_text(killed / "relations.yaml", "half")
    write_world(learnt, killed)
    assert load_world(str(killed)).digest == learnt.world.digest
    assert list(files_in(killed)) == sorted([*files_in(memory), "manifest.json"])


@pytest.fixture
def puzzles():
    import clutrr

    return clutrr.generate(k=2, size=40)


@pytest.mark.parametrize("model", ["gnn", "own"])
def test_a_training(memory, tmp_path, puzzles, model):
    import clutrr
    from clutrr._train.run import load_run, world_of

    clutrr.write(puzzles, tmp_path / "data")
    if model == "own":
        (tmp_path / "own.py").write_text(OWN_MODEL)
        model = f"{tmp_path / 'own.py'}:mine"
    trust = ".py" in model
    for run in (memory, tmp_path / "run"):
        clutrr.train(tmp_path / "data", run, model=model, k=2, epochs=2, device="cpu")
    assert [name for name in files_in(memory) if "/" not in name] == [
        name for name in files_in(tmp_path / "run") if "/" not in name
    ]
    there, here = (load_run(run, trust=trust) for run in (memory, tmp_path / "run"))
    assert not there[0].differs(here[0])
    for name, weights in here[2].state_dict().items():
        assert torch.equal(weights, there[2].state_dict()[name])
    assert world_of(memory) == world_of(tmp_path / "run")
    answers = [
        clutrr.evaluate(run, tmp_path / "data", split="train", device="cpu", trust=trust)[
            0
        ].accuracy
        for run in (memory, tmp_path / "run")
    ]
    assert answers[0] == answers[1]
    with pytest.raises(OutputError, match="holds a training with another config"):
        clutrr.train(tmp_path / "data", memory, model=model, k=2, epochs=3, device="cpu")
    clutrr.train(tmp_path / "data", memory, model=model, k=2, epochs=3, device="cpu", force=True)
    assert len(load_run(memory, trust=trust)[0].epochs) == 3


def test_a_training_that_reads_with_an_encoder(memory, tmp_path, puzzles):
    pytest.importorskip("transformers", reason="needs the extra `text`")
    import clutrr
    from clutrr._train.config import TrainConfig
    from clutrr._train.job import TrainJob, run_training
    from clutrr._train.run import load_run
    from tiny import tiny_encoder

    clutrr.write(puzzles, tmp_path / "data")
    encoder = tiny_encoder(tmp_path / "encoder", [puzzle.story for puzzle in puzzles])
    config = TrainConfig("pairs", (2,), epochs=1, encoder=str(encoder))
    for run in (memory, tmp_path / "run"):
        run_training(TrainJob(tmp_path / "data", run, config, torch.device("cpu")))
    encoder.rename(tmp_path / "gone")  # a run holds all that it needs
    there, here = (load_run(run)[2].state_dict() for run in (memory, tmp_path / "run"))
    assert there.keys() == here.keys()
    assert all(torch.equal(there[name], here[name]) for name in here)


@pytest.fixture
def expected(clutrr, tmp_path) -> dict[str, dict]:
    """What the experiment gives in a folder."""
    (tmp_path / "matrix.yaml").write_text(SMALL)
    code, _, said = clutrr("reproduce", tmp_path / "here", *experiment(tmp_path))
    assert code == 0, said
    return results(tmp_path / "here")


def experiment(folder: Path) -> list[object]:
    return ["--matrix", folder / "matrix.yaml", "--device", "cpu"]


@pytest.mark.process
@pytest.mark.slow
def test_an_experiment_is_killed_and_goes_on(begun, clutrr, store, tmp_path, expected):
    out, bucket = "s3://bucket/experiment", store.folder / "bucket"
    command = ["reproduce", out, *experiment(tmp_path)]
    wrong = {**store.env, "AWS_SECRET_ACCESS_KEY": "wrong!" * 6 + "1234"}
    for given, env, why in (
        (command, wrong, "access was refused"),
        (["reproduce", "s3://none/experiment", *command[2:]], store.env, "bucket does not exist"),
    ):
        code, _, said = clutrr(*given, **env)
        assert code == 2
        assert why in said.splitlines()[-1]
        assert not any(env[name] in said for name in KEYS)
    assert not contents(bucket)
    # First the command is killed, then the storage.
    cells = bucket / "experiment" / "cells"
    running = begun(*command, **store.env)
    until(lambda: list(cells.glob("*/checkpoint.safetensors")), "a first checkpoint")
    end(running)
    running = begun(*command, **store.env)
    until(lambda: list(cells.glob("*/result.json")), "a first result")
    end(store.server)
    _, said = running.communicate(timeout=300)
    assert running.returncode == 2
    assert said.splitlines()[-1].endswith("run the same command again to go on")
    store.start()
    done = {file: file.stat().st_mtime_ns for file in cells.glob("*/result.json")}
    code, told, said = clutrr(*command, "--json", **store.env)
    assert code == 0, said
    assert {file: file.stat().st_mtime_ns for file in done} == done  # not done again
    assert results(bucket / "experiment") == expected
    # And it can be read from there.
    code, read, _ = clutrr("report", out, "--to", tmp_path / "report", "--json", **store.env)
    assert code == 0
    assert json.loads(read)["cells"] == json.loads(told)["cells"]
    name = next(iter(expected))
    code, answered, _ = clutrr(
        "evaluate", f"{out}/cells/{name}", f"{out}/data", "--json", **store.env
    )
    assert code == 0
    assert json.loads(answered)["tested"]["M2"]["accuracy"] == pytest.approx(
        expected[name]["tested"]["M2"]["accuracy"], abs=1e-3
    )
    run = ["--run", f"{out}/cells/{name}", "--out", tmp_path / "page.html"]
    code, shown, _ = clutrr("explore", f"{out}/data", *run, "--json", **store.env)
    assert code == 0
    assert json.loads(shown)["runs"] == [f"{name}, trained on M2"]
    written = b"".join(contents(bucket).values()) + told.encode()
    assert not any(key.encode() in written for key in KEYS.values())


@pytest.mark.process
@pytest.mark.slow
def test_two_runs_of_an_experiment_at_once(begun, store, tmp_path, expected):
    command = ["reproduce", "s3://bucket/experiment", *experiment(tmp_path)]
    both = [begun(*command, **store.env) for _ in range(2)]
    for one in both:
        _, said = one.communicate(timeout=500)
        assert one.returncode == 0, said
    assert results(store.folder / "bucket" / "experiment") == expected
