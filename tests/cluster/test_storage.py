"""Data at URLs, in a real S3 server: what is refused, what goes on, and that keys are told to nobody."""

import pickle
from pathlib import Path

import pytest

from clutrr._data import open_dataset
from clutrr._data.convert import Target, write_dataset
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.locations import parse_location
from made import contents

from .conftest import KEYS, end, shard_of, until

pytestmark = pytest.mark.process

CONFIG = Config("described", (2, 3), 30_000, 20_000, distractors=1)
SIZES = [
    "--preset",
    "described",
    "--k",
    "2,3",
    "--train",
    "30000",
    "--test",
    "20000",
    "--distractors",
    "1",
]
SMALL = ["--preset", "described", "--k", "2", "--train", "60", "--test", "20", "--distractors", "0"]


def small(seed: int) -> Config:
    return Config("described", (2,), 60, 20, seed, distractors=0)


def records(bucket: Path) -> list[Path]:
    return list(bucket.rglob(".partial/done/*.json"))


def test_every_command_takes_urls(clutrr, store, tmp_path):
    bucket = store.folder / "bucket"
    assert clutrr("generate", "s3://bucket/set", *SMALL, **store.env)[0] == 0
    generate_folder(Job(tmp_path / "set", small(0)))
    assert contents(bucket / "set") == contents(tmp_path / "set")
    # With other settings: refused, until it is forced.
    other = [*SMALL, "--seed", "1"]
    code, _, said = clutrr("generate", "s3://bucket/set", *other, **store.env)
    assert (code, len(said.splitlines())) == (2, 1)
    assert "already holds something else" in said
    assert clutrr("generate", "s3://bucket/set", *other, "--force", **store.env)[0] == 0
    generate_folder(Job(tmp_path / "other", small(1)))
    assert contents(bucket / "set") == contents(tmp_path / "other")
    # Converted there and back.
    assert (
        clutrr("convert", "s3://bucket/set", "s3://bucket/as/jsonl", "--to", "jsonl", **store.env)[
            0
        ]
        == 0
    )
    write_dataset(open_dataset(f"file://{tmp_path}/other"), Target.of(tmp_path / "jsonl", "jsonl"))
    cards = {"README.md", "manifest.json"}  # which name where the data came from
    stored, local = contents(bucket / "as" / "jsonl"), contents(tmp_path / "jsonl")
    assert stored.keys() == local.keys() >= cards
    assert [stored[name] for name in stored.keys() - cards] == [
        local[name] for name in stored.keys() - cards
    ]
    assert clutrr("convert", "s3://bucket/as/jsonl", "s3://bucket/one.csv", **store.env)[0] == 0
    write_dataset(open_dataset(tmp_path / "jsonl"), Target.of(tmp_path / "one.csv", None))
    assert (bucket / "one.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()


def test_what_the_store_refuses(clutrr, store):
    wrong = {**store.env, "AWS_SECRET_ACCESS_KEY": "wrong!" * 6 + "1234"}
    generate_folder(Job(store.folder / "bucket" / "half", small(0)))
    (store.folder / "bucket" / "half" / "manifest.json").unlink()
    before = contents(store.folder / "bucket")
    for command, env, expected in (
        (["info", "s3://bucket/half"], store.env, "not finished (no manifest.json)"),
        (["info", "s3://bucket/set"], wrong, "access was refused"),
        (["generate", "s3://bucket/set", *SMALL], wrong, "access was refused"),
        (["generate", "s3://none/set", *SMALL], store.env, "bucket does not exist"),
    ):
        code, out, said = clutrr(*command, **env)
        assert (code, out, len(said.splitlines())) == (2, "", 1)
        assert expected in said
        assert not any(env[name] in said for name in KEYS)
    assert contents(store.folder / "bucket") == before


def test_the_store_goes_away_and_comes_back(begun, clutrr, store, tmp_path):
    bucket = store.folder / "bucket"
    command = ["generate", "s3://bucket/set", *SIZES, "--workers", "1"]
    running = begun(*command, **store.env)
    until(lambda: records(bucket), "a first shard")
    end(store.server)
    _, said = running.communicate(timeout=300)
    assert (running.returncode, len(said.splitlines())) == (2, 1)
    assert "s3://bucket/set: cannot be written: the storage does not answer" in said
    done = {shard_of(record, bucket / "set") for record in records(bucket)}
    before = {name: (bucket / "set" / name).stat().st_mtime_ns for name in done}
    store.start()
    code, out, said = clutrr("info", "s3://bucket/set", **store.env)
    assert (code, out) == (2, "")
    assert (
        said
        == "clutrr: s3://bucket/set/.partial: not finished: run the command that writes it again\n"
    )
    code, out, said = clutrr(*command, "--json", **store.env)
    assert (code, said) == (0, "")
    assert {name: (bucket / "set" / name).stat().st_mtime_ns for name in done} == before
    generate_folder(Job(tmp_path / "set", CONFIG, workers=1))
    assert contents(bucket / "set") == contents(tmp_path / "set")
    said_anywhere = b"".join(contents(bucket).values()) + out.encode()
    assert not any(key.encode() in said_anywhere for key in KEYS.values())


def test_urls_are_like_paths():
    url = parse_location("S3://bucket/a//b.csv.gz/")
    assert str(url) == "s3://bucket/a/b.csv.gz"
    assert (url.name, url.suffix, str(url.parent)) == ("b.csv.gz", ".gz", "s3://bucket/a")
    assert [str(above) for above in url.parents] == ["s3://bucket/a", "s3://bucket/"]
    assert str(url.parent / "c/d") == "s3://bucket/a/c/d"
    assert pickle.loads(pickle.dumps(url)) == url
    assert parse_location("file:///tmp/a%20b") == Path("/tmp/a b")
    assert parse_location("C:/data") == Path("C:/data")
    with pytest.raises(TypeError):
        Path(url)
