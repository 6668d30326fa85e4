"""A generated folder: complete or absent, the same bytes however it was made, true to its manifest."""

import csv
import errno
import fcntl
import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from clutrr import load_world
from clutrr._data import FORMATS, own
from clutrr._generate import Config, folder, shards
from clutrr._generate.folder import MANIFEST, Job, generate_folder
from clutrr._lexicon import world_files
from clutrr._table import SCHEMA, from_table
from clutrr.errors import ConfigError, OutputError
from made import contents, made

SMALL = Config("described", (2, 3), 30, 10, seed=5, distractors=1)
# Several shards of several blocks, once shards are small.
BLOCK = 4096
LARGE = Config("described", (2,), 2 * BLOCK + 100, 101, seed=5, distractors=0)


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(shards, "SHARD", 2 * BLOCK)


@pytest.fixture(scope="module", params=FORMATS)
def large(request, tmp_path_factory):
    """A folder of each format that nothing disturbed."""
    out = tmp_path_factory.mktemp("large") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "SHARD", 2 * BLOCK)
        generate_folder(Job(out, LARGE, form=request.param))
    return out, request.param


def manifest_of(out: Path) -> dict:
    return json.loads((out / MANIFEST).read_text())


def read(path: Path) -> pa.Table:
    """A file of any of the three formats, by other means than the package's."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        nested = ("query", "pattern", "facts", "entities", "roles", "sentences", "possible")
        with path.open(newline="", encoding="utf-8") as file:
            rows = [
                {
                    c: json.loads(v or "null") if c in (*nested, "k", "outside") else v
                    for c, v in row.items()
                }
                for row in csv.DictReader(file)
            ]
    return pa.Table.from_pylist(rows, SCHEMA)


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_files_hold_the_puzzles_of_the_seed(tmp_path, form):
    out = tmp_path / "out"
    out.mkdir()  # an empty folder is used
    manifest = generate_folder(Job(out, SMALL, form=form))
    assert manifest == manifest_of(out)
    world = {f"world/{name}" for name in world_files(load_world())}
    assert set(contents(out)) == {"README.md", MANIFEST} | world | {
        f"data/M{k}/{split}-00000-of-00001.{form}" for k in (2, 3) for split in ("train", "test")
    }
    for k in (2, 3):
        for split, size in (("train", 30), ("test", 10)):
            table = read(out / f"data/M{k}/{split}-00000-of-00001.{form}")
            assert table.column_names == SCHEMA.names
            assert list(from_table(table)) == list(
                made("described", k=k, size=size, seed=5, split=split, distractors=1)
            )
            assert manifest["subsets"][f"M{k}"][split]["rows"] == size
    assert not list(tmp_path.glob("out.*"))


def test_the_manifest_says_what_the_files_hold(large):
    out, _ = large
    manifest = manifest_of(out)
    assert manifest["config"] == LARGE.for_world(load_world()).to_dict()
    assert set(manifest) == {
        "config",
        "scene",
        "world",
        "assume",
        "format",
        "versions",
        "subsets",
        "files",
    }
    files = {path: content for path, content in contents(out).items() if path != MANIFEST}
    assert manifest["files"] == {
        path: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for path, content in files.items()
    }
    for split, size in (("train", LARGE.train), ("test", LARGE.test)):
        about = manifest["subsets"]["M2"][split]
        assert len(about["files"]) == -(-size // (2 * BLOCK))
        table = pa.concat_tables([read(out / path) for path in about["files"]])
        assert len(table) == about["rows"] == size
        labels = table["target"].to_pylist()
        assert {label: labels.count(label) for label in set(labels)} == about["labels"]
        expected = made("described", k=2, size=size, seed=5, split=split, distractors=0)
        for row in range(0, size, 997):  # the same stories, whatever the format and the shard
            assert next(from_table(table.slice(row, 1))) == expected[row]


def test_the_manifest_tells_nothing_of_the_run(tmp_path, small_shards):
    """Neither times nor hosts nor workers: runs of one command differ in nothing."""
    made = []
    for workers in (1, 3):
        out = tmp_path / str(workers) / "out"
        generate_folder(Job(out, LARGE, workers=workers))
        made.append(contents(out))
    assert made[0] == made[1]


def test_another_data_set_is_refused_and_the_same_is_not_made_again(tmp_path):
    out = tmp_path / "out"
    generate_folder(Job(out, SMALL))
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*")}
    generate_folder(Job(out, SMALL))
    assert {p: p.stat().st_mtime_ns for p in out.rglob("*")} == before
    with pytest.raises(OutputError, match="add force=True"):
        generate_folder(Job(out, SMALL, form="csv"))
    assert {p: p.stat().st_mtime_ns for p in out.rglob("*")} == before


def test_a_damaged_data_set_is_not_taken_for_whole(tmp_path):
    out = tmp_path / "out"
    generate_folder(Job(out, SMALL))
    whole = contents(out)
    file = out / "data/M2/train-00000-of-00001.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(OutputError, match="add force=True"):
        generate_folder(Job(out, SMALL))
    generate_folder(Job(out, SMALL, force=True))
    assert contents(out) == whole


@pytest.mark.parametrize("settings", [{"form": "xlsx"}, {"workers": 0}])
def test_jobs_that_cannot_work(tmp_path, settings):
    with pytest.raises(ConfigError):
        Job(tmp_path / "out", SMALL, **settings)


def test_what_cannot_be_had_is_said_before_anything_is_written(tmp_path):
    with pytest.raises(ConfigError, match="found no path"):
        generate_folder(Job(tmp_path / "out", Config("sound", (3,), scene="levels=1")))
    assert not list(tmp_path.iterdir())


def fail_after(monkeypatch, writes, error):
    """Let writing fail once so many tables are written."""
    real, count = own._fitted, iter(range(1000))

    def fitted(table, schema):
        if next(count) >= writes:
            raise error
        return real(table, schema)

    monkeypatch.setattr(own, "_fitted", fitted)


def test_a_disk_that_fills_up(tmp_path, small_shards, monkeypatch, large):
    undisturbed, form = large
    out = tmp_path / "out"
    with monkeypatch.context() as patch:
        fail_after(patch, 2, OSError(errno.ENOSPC, "No space left on device"))
        with pytest.raises(OutputError, match="disk is full"):
            generate_folder(Job(out, LARGE, form=form))
    assert not out.exists()
    assert not list(tmp_path.rglob("README.md"))
    assert not list(tmp_path.rglob(MANIFEST))
    assert not list(tmp_path.rglob("*.making"))
    generate_folder(Job(out, LARGE, form=form))
    assert contents(out) == contents(undisturbed)


def test_complete_shards_are_not_made_again(tmp_path, small_shards, monkeypatch):
    out, made = tmp_path / "out", []
    real = folder.write_shard

    def write_shard(generator, shard, *rest):
        made.append((shard.split, shard.number))
        if len(made) == 2:
            raise KeyboardInterrupt
        return real(generator, shard, *rest)

    monkeypatch.setattr(folder, "write_shard", write_shard)
    with pytest.raises(KeyboardInterrupt):
        generate_folder(Job(out, LARGE))
    done = []
    generate_folder(Job(out, LARGE), done.append)
    assert made == [("train", 0), ("train", 1), ("train", 1), ("test", 0)]
    assert sum(done) == LARGE.train + LARGE.test


def interrupted(patch, what):
    def stop(*args, **settings):
        raise KeyboardInterrupt

    patch.setattr(folder, what, stop)


@pytest.mark.parametrize("moment", ["card", "write_manifest", "replace_text"])
def test_a_run_stopped_at_any_moment_is_finished_by_the_same_command(tmp_path, monkeypatch, moment):
    """And a run of another command starts over; while one is under way, any other is refused."""
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    other = Config("sound", (2,), 10, 10)
    for left in (other, SMALL):
        with monkeypatch.context() as patch:
            interrupted(patch, moment)
            with pytest.raises(KeyboardInterrupt):
                generate_folder(Job(out, left))
    assert not out.exists()
    partial.mkdir(exist_ok=True)
    before = contents(partial)
    with (partial / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for config in (SMALL, other):
            with pytest.raises(OutputError, match="another process"):
                generate_folder(Job(out, config))
    assert contents(partial) == {**before, "lock": b""}
    generate_folder(Job(out, SMALL))
    generate_folder(Job(tmp_path / "undisturbed", SMALL))
    assert contents(out) == contents(tmp_path / "undisturbed")
    assert not partial.exists()


def test_the_card(tmp_path):
    out = tmp_path / "out"
    generate_folder(
        Job(out, Config("sound", (2, 3), 64, 16, distractors=1, disjoint=("patterns",)))
    )
    _, front, text = (out / "README.md").read_text().split("---\n", 2)
    about = yaml.safe_load(front)
    assert about["license"] == "cc0-1.0"
    paths = {name: f"data/{name}/%s-*.parquet" for name in ("M2", "M3")}
    whole, *subsets = about["configs"]
    assert subsets == [
        {
            "config_name": name,
            "data_files": [{"split": split, "path": path % split} for split in ("train", "test")],
        }
        for name, path in paths.items()
    ]
    assert (whole["config_name"], whole["default"]) == ("all", True)
    assert [part["path"] for part in whole["data_files"]] == [
        [path % split for path in paths.values()] for split in ("train", "test")
    ]
    assert json.loads(text.split("```json\n")[1].split("```")[0]) == manifest_of(out)["config"]
    for name in ("M2", "M3"):
        table = pq.read_table(out / f"data/{name}/train-00000-of-00001.parquet")
        first = table.slice(0, 1).to_pylist()[0]
        assert first["story"] in text
        section = text.split(f"## {name}\n")[1].split("\n## ")[0]
        labels = table["target"].to_pylist()
        for label in set(labels):
            assert f"| {label} | {labels.count(label)} | " in section
        patterns = ["-".join(p) for p in table["pattern"].to_pylist()]
        assert f"| {name} | 64 | 16 | 3 | 3 | {len(set(patterns))} |" in text
        top = max(patterns, key=patterns.count)
        assert f"| {top} | {patterns.count(top)} | 0 |" in section
    assert "CC0" in text


def test_the_hugging_face_library_loads_it_offline(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    datasets = pytest.importorskip("datasets")
    out = tmp_path / "out"
    generate_folder(Job(out, SMALL))
    found = datasets.load_dataset(str(out), "M3", cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in found.items()} == {"train": 30, "test": 10}
    assert found["test"].column_names == SCHEMA.names
    expected = pq.read_table(out / "data/M3/test-00000-of-00001.parquet").to_pylist()
    assert found["test"].to_list() == expected
    assert datasets.get_dataset_config_names(str(out)) == ["all", "M2", "M3"]
    whole = datasets.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {split: len(rows) for split, rows in whole.items()} == {"train": 60, "test": 20}


@pytest.mark.parametrize(
    ("settings", "said", "not_said"),
    [
        ({"preset": "mixed"}, "50 % of the questions are undetermined", "Every answer is"),
        ({"preset": "mixed", "undetermined": 0.0}, "Every answer is proved", "undetermined, and"),
        ({"preset": "strict"}, "Every answer is entailed", "every path can come up"),
        ({"preset": "sound"}, "every path can come up", "entailed"),
    ],
)
def test_a_card_claims_what_its_preset_does(tmp_path, settings, said, not_said):
    manifest = generate_folder(
        Job(tmp_path / "d", Config(k=(2, 7), train=4, test=0, distractors=0, **settings))
    )
    assert list(manifest["subsets"]["M2"]) == ["train"]  # one split alone
    assert [p.name for p in (tmp_path / "d/data/M2").iterdir()] == ["train-00000-of-00001.parquet"]
    text = " ".join((tmp_path / "d" / "README.md").read_text().split("## Columns")[0].split())
    assert said in text
    assert not_said not in text
