"""Nothing is lost: not by force, not by haste, not by a file that happens to have our name for it."""

import json
import os
import shutil
import sys
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from clutrr._data.convert import Target, write_dataset
from clutrr._data.dataset import open_dataset
from clutrr._generate import Config, folder
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.locks import locked
from clutrr._io.manifests import MANIFEST, check_free
from clutrr._io.staging import staging_area
from clutrr.errors import OutputError
from commands import process, refused, told
from made import contents
from processes import PATIENCE

pytestmark = pytest.mark.process

SMALL = Config("described", (2,), 30, 10, distractors=1)


def test_what_another_run_finishes_in_the_meantime_is_kept(tmp_path, monkeypatch):
    """OUT is looked at under the lock: a run that starts while another ends finds its data set."""
    out = tmp_path / "out"
    at_work, go_on, ended = threading.Event(), threading.Event(), []
    real = folder.card

    def card(*arguments):
        at_work.set()
        assert go_on.wait(PATIENCE)
        return real(*arguments)

    monkeypatch.setattr(folder, "card", card)
    first = threading.Thread(target=lambda: ended.append(generate_folder(Job(out, SMALL))))
    first.start()
    assert at_work.wait(PATIENCE)
    other = Job(out, Config("described", (2,), 30, 10, seed=2, distractors=1))
    with pytest.raises(OutputError, match="another process is at work"):
        generate_folder(other)
    go_on.set()
    first.join()
    with pytest.raises(OutputError, match="already holds something else"):
        generate_folder(other)
    assert (
        json.loads((out / MANIFEST).read_text())["config"]["seed"]
        == ended[0]["config"]["seed"]
        == 0
    )


def test_a_lock_that_was_removed_while_somebody_waited_is_taken_anew(tmp_path):
    with locked(tmp_path / "lock"):
        pass
    assert not (tmp_path / "lock").exists()
    (tmp_path / "lock").touch()  # left by a killed process: nobody holds it
    with locked(tmp_path / "lock"):
        second = locked(tmp_path / "lock")
        with pytest.raises(OutputError, match="another process"):
            second.__enter__()


@pytest.mark.parametrize("out", ["", ".", "..", "/", "~"])
def test_force_spares_what_nobody_wants_replaced(data, tmp_path, monkeypatch, out):
    """An unset variable is the current folder."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "thesis.txt").write_text("mine")
    (tmp_path / MANIFEST).write_text(
        '{"versions": {"clutrr": "0"}}'
    )  # even if it looks like one of ours
    (here / MANIFEST).write_text('{"versions": {"clutrr": "0"}}')
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(tmp_path))
    before = contents(tmp_path)
    for command in (
        ["generate", os.path.expanduser(out), "--k", "2", "--train", "5", "--test", "5"],
        ["convert", data, os.path.expanduser(out)],
        ["learn-world", data, os.path.expanduser(out)],
    ):
        err = refused(*command, "--force")
        assert (
            "never replaced" in err or "root of the file system" in err or "empty argument" in err
        )
        assert contents(tmp_path) == before


def test_force_replaces_only_what_we_made(data, tmp_path):
    mine, file = tmp_path / "mine", tmp_path / "file"
    mine.mkdir()
    for path in (mine / "thesis.txt", file):
        path.write_text("mine")
    for out in (mine, file):
        for command in (
            ["generate", out, "--k", "2"],
            ["convert", data, out],
            ["learn-world", data, out],
        ):
            for force, says in (
                ([], "already holds something else"),
                (["--force"], "not made by clutrr"),
            ):
                assert says in refused(*command, *force)
    assert contents(tmp_path) == {"mine/thesis.txt": b"mine", "file": b"mine"}


def test_a_mount_point_is_never_replaced(tmp_path, monkeypatch):
    monkeypatch.setattr(os.path, "ismount", lambda path: Path(path) == tmp_path)
    for force in (False, True):  # empty, and with what looks like ours
        with pytest.raises(OutputError, match="a mount point, which is never replaced"):
            check_free(tmp_path, force)
        (tmp_path / MANIFEST).write_text('{"versions": {"clutrr": "0"}}')


def test_a_link_to_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    generate_folder(Job(tmp_path / "link", SMALL))
    assert (tmp_path / "real" / MANIFEST).is_file()
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("harm", ["delete", "cut", "flip", "empty record", "foreign record"])
def test_a_resumed_run_checks_what_it_finds(tmp_path, monkeypatch, harm):
    out, partial = tmp_path / "out", tmp_path / "out.partial"
    with monkeypatch.context() as patch:
        patch.setattr(folder, "card", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            generate_folder(Job(out, SMALL))
    file = next(partial.rglob("train-*.parquet"))
    raw = file.read_bytes()
    if harm == "delete":
        file.unlink()
    elif harm == "cut":
        file.write_bytes(raw[:-10])
    elif harm == "flip":
        file.write_bytes(raw[:100] + bytes([raw[100] ^ 1]) + raw[101:])
    else:
        next(partial.glob("done/*train*")).write_text(
            "" if harm == "empty record" else '{"path": 1}'
        )
    generate_folder(Job(out, SMALL))
    generate_folder(Job(tmp_path / "undisturbed", SMALL))
    assert contents(out) == contents(tmp_path / "undisturbed")


def test_info_says_what_is_missing_or_changed(run, data, tmp_path):
    out = shutil.copytree(data, tmp_path / "out")
    assert told("info", out)["damage"] == {}
    (out / "README.md").write_text("other")
    (out / "data/M2/test-00000-of-00001.parquet").unlink()
    table = pq.read_table(out / "data/M2/train-00000-of-00001.parquet")
    pq.write_table(table.slice(0, 5), out / "data/M2/train-00000-of-00001.parquet")
    assert told("info", out)["damage"] == {
        "README.md": "changed",
        "data/M2/test-00000-of-00001.parquet": "missing",
        "data/M2/train-00000-of-00001.parquet": "changed",
    }
    assert "README.md is changed" in run("info", out)[1]


def test_gallery_and_explore_write_over_nothing(tool, data, tmp_path):
    (tmp_path / "gallery.md").write_text("mine")
    assert tool("gallery", tmp_path)[0] == 2
    (tmp_path / "page.html").write_text("mine")
    refused("explore", data, "--out", tmp_path / "page.html")
    assert contents(tmp_path) == {"gallery.md": b"mine", "page.html": b"mine"}


def test_another_command_at_work_is_not_in_the_way(data, tmp_path):
    """What it has there while it works has other names than ours."""
    with staging_area(tmp_path / "out", ["notes.json"]) as place:
        (place.work / "notes.json").write_text("{}")
        with pytest.raises(OutputError, match="another process is at work"):
            write_dataset(open_dataset(data), Target.of(tmp_path / "out", "csv"))
    (tmp_path / "out.partial/notes.json").rename(tmp_path / "out.partial/mine")
    with pytest.raises(OutputError, match=r"out\.partial: is in the way"):
        write_dataset(open_dataset(data), Target.of(tmp_path / "out", "csv"))
    assert contents(tmp_path) == {"out.partial/mine": b"{}"}


def test_a_full_output(data):
    with Path("/dev/full").open("w") as full:
        done = process("info", data, stdout=full)
    assert (done.returncode, done.stderr) == (2, "clutrr: No space left on device\n")


def test_findings_are_written_over_findings_only(run, data, tmp_path):
    for name in ("notes.parquet", "notes.jsonl"):
        (tmp_path / name).write_text("mine")
        assert "is not a file of findings" in refused("audit", data, "--rows", tmp_path / name)
        assert (tmp_path / name).read_text() == "mine"
        for _ in range(2):
            assert run("audit", data, "--rows", tmp_path / f"ours{name[5:]}")[0] == 0


@pytest.mark.parametrize("mine", ["notes.png", "../.profile", "folder"])
def test_a_page_draws_over_its_own_pictures_only(tool, tmp_path, mine):
    settings = {
        "data": {"preset": "published", "k": "3-4"},
        "train": [3],
        "test": "4",
        "models": ["gnn"],
    }
    results = {"settings": settings, "inputs": {}, "stories": {}, "lookups": [], "results": []}
    here = tmp_path / "here"
    (here / "folder").mkdir(parents=True)
    (here / "cells.json").write_text(json.dumps(results))
    (here / "page.md").write_text(f"<!-- lengths of cells.json -->\n![Curves]({mine})\n")
    if mine != "folder":
        (here / mine).write_text("mine")
    before = contents(tmp_path)
    code, _, err = tool("render", here / "page.md")
    assert (code, "was not drawn by clutrr" in err) == (2, True)
    assert contents(tmp_path) == before


def test_an_empty_argument_is_no_folder(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in (["generate", ""], ["explore", data, "--out", ""], ["ask", data, ""]):
        assert "an empty argument" in refused(*command)
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes there")
def test_names_that_are_no_text(run, data, tmp_path):
    given = shutil.copytree(data, tmp_path / os.fsdecode(b"given\xff"))
    for command in (["info"], ["audit"], ["prompts"]):
        assert run(*command, given)[0] == 0
    assert run("convert", given, tmp_path / "out.csv")[0] == 0
    (tmp_path / "out.csv").unlink()
    (tmp_path / "[").mkdir()
    assert run("learn-world", given, tmp_path / "[/b] w")[0] == 0
    before = contents(tmp_path)
    odd = tmp_path / os.fsdecode(b"a\xff")
    for command in (
        ["generate", odd, "--k", "2"],
        ["convert", data, odd],
        ["learn-world", data, odd],
    ):
        assert "not UTF-8 text" in refused(*command)
    assert contents(tmp_path) == before
