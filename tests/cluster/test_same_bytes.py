"""Whoever does the work, and wherever the data goes: the same bytes."""

import json
import shutil

import pytest

from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from made import contents

pytestmark = pytest.mark.process

CONFIG = Config("described", (2, 3), 400, 50, distractors=1)
SIZES = [
    "--preset",
    "described",
    "--k",
    "2,3",
    "--train",
    "400",
    "--test",
    "50",
    "--distractors",
    "1",
]


@pytest.fixture
def world(tmp_path):
    """A world of one's own, which only this machine has."""
    from clutrr import load_world
    from clutrr._lexicon import save_world

    save_world(load_world(), tmp_path / "mine")
    (tmp_path / "mine" / "world.yaml").write_text("name: mine\nlanguage: en\n")
    return tmp_path / "mine"


def test_one_process_four_a_cluster_and_object_storage(clutrr, cluster, store, tmp_path, world):
    cluster.start(0)
    for number in range(3):
        cluster.add(f"worker-{number}", **store.env)
    generate_folder(Job(tmp_path / "one", CONFIG, str(world), workers=1))
    generate_folder(Job(tmp_path / "four", CONFIG, str(world), workers=4))
    for out in (tmp_path / "three", "s3://bucket/sets/three"):
        code, _, said = clutrr(
            "generate", out, *SIZES, "--world", world, "--cluster", cluster.address, **store.env
        )
        assert (code, said) == (0, "")
    expected = contents(tmp_path / "one")
    assert len([name for name in expected if name.startswith("data/")]) == 4
    assert contents(tmp_path / "four") == expected
    assert contents(tmp_path / "three") == expected
    assert contents(store.folder / "bucket" / "sets" / "three") == expected
    # By Dask's own variable; and what is judged on a cluster, of data at a URL, is what is judged here.
    found = {}
    for name, data, more in (
        ("here", tmp_path / "one", {}),
        ("there", "s3://bucket/sets/three", {"DASK_SCHEDULER_ADDRESS": cluster.address}),
    ):
        rows = tmp_path / f"{name}.jsonl"
        code, out, said = clutrr("audit", data, "--rows", rows, "--json", **store.env, **more)
        assert (code, said) == (0, "")
        found[name] = {key: value for key, value in json.loads(out).items() if key != "data"}
    assert found["here"] == found["there"]
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


def test_a_worker_of_another_version_is_refused_by_name(clutrr, cluster, tmp_path):
    import clutrr as package
    from clutrr._version import VERSION

    other = tmp_path / "other"
    shutil.copytree(
        package.__path__[0], other / "clutrr", ignore=shutil.ignore_patterns("__pycache__")
    )
    version = other / "clutrr" / "_version.py"
    version.write_text(version.read_text().replace(VERSION, "0.0.1"))
    cluster.start(0)
    cluster.add("behind-the-times", PYTHONPATH=str(other))
    code, out, said = clutrr("generate", tmp_path / "out", *SIZES, "--cluster", cluster.address)
    assert (code, out) == (2, "")
    assert "behind-the-times" in said
    assert "clutrr 0.0.1" in said
    assert f"this is {VERSION}" in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_no_scheduler_answers(clutrr, tmp_path):
    code, out, said = clutrr("generate", tmp_path / "out", *SIZES, "--cluster", "tcp://127.0.0.1:9")
    assert (code, out) == (2, "")
    assert said == "clutrr: cluster: the scheduler tcp://127.0.0.1:9 does not answer\n"
    code, _, said = clutrr(
        "generate", tmp_path / "out", *SIZES, "--cluster", "local:1", "--workers", "2"
    )
    assert code == 2
    assert "give only one of them" in said
