"""Who may write, and what may be removed: only what we made, never through a link, never in two steps."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import threading
from uuid import uuid4

import pytest

import clutrr
from clutrr import load_world
from clutrr._data.convert import Target, write_dataset
from clutrr._data.dataset import open_dataset
from clutrr._generate import Config, folder
from clutrr._generate.folder import Job, generate_folder
from clutrr._io import staging
from clutrr._io.files import atomic_write, files_in, replace_text
from clutrr._io.locations import parse_location
from clutrr._io.manifests import MANIFEST
from clutrr._io.records import load_json
from clutrr._reading.learning import learn, write_world
from clutrr.errors import OutputError
from made import contents
from processes import PATIENCE

pytestmark = [pytest.mark.process, pytest.mark.slow]

SMALL = Config("described", (2,), 30, 10, distractors=0)
OTHER = Config("described", (2,), 30, 10, seed=1, distractors=0)


def commands(data):
    """What replaces a folder."""
    puzzles = open_dataset(data)
    return {
        "generate": lambda out: generate_folder(Job(out, OTHER, force=True)),
        "convert": lambda out: write_dataset(puzzles, Target.of(out, "jsonl"), force=True),
        "learn-world": lambda out: write_world(
            learn(puzzles.puzzles(), "w", load_world()), out, force=True
        ),
    }


@pytest.fixture(params=["disk", "url"])
def out(request, tmp_path):
    if request.param == "url":
        pytest.importorskip("fsspec")
        return parse_location(f"memory://{uuid4().hex}/out")
    return tmp_path / "out"


@pytest.mark.parametrize("name", ["generate", "convert", "learn-world"])
@pytest.mark.parametrize("mine", ["thesis.txt", "data/M2/mine.csv", "nested/manifest.json"])
def test_force_removes_what_the_manifest_lists(data, out, name, mine):
    generate_folder(Job(out, SMALL))
    (out / mine).parent.mkdir(parents=True, exist_ok=True)
    replace_text(out / mine, "mine")
    before = files_in(out)
    with pytest.raises(
        OutputError, match=r"is not in manifest\.json, so --force does not remove it"
    ):
        commands(data)[name](out)
    assert files_in(out) == before
    (out / mine).unlink()
    commands(data)[name](out)
    assert list(files_in(out)) == sorted([*load_json(out / MANIFEST)["files"], MANIFEST])


@pytest.mark.parametrize("link", ["data-set", "data-set/data", "done", "plans", ""])
def test_no_link_is_followed_into_what_is_removed(tmp_path, link):
    """Somebody has planted OUT.partial: a plan of ours, and a link to a folder of the user's."""
    work, mine = tmp_path / "out.partial", tmp_path / "mine"
    (mine / "data-set").mkdir(parents=True)
    (mine / "data-set/thesis.txt").write_text("mine")
    (work / link).parent.mkdir(parents=True, exist_ok=True)
    (work / link if link else work).symlink_to(mine)
    for force in (False, True):
        with pytest.raises(OutputError, match=r"out\.partial is in the way"):
            generate_folder(Job(tmp_path / "out", SMALL, force=force))
    assert contents(mine) == {"data-set/thesis.txt": b"mine"}
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("mine", ["data-set/thesis.txt", "done/notes.txt", "before/old.txt"])
def test_files_where_work_goes_on_are_not_removed_without_a_plan(tmp_path, mine):
    """Somebody has a folder OUT.partial that is not of ours."""
    file = tmp_path / "out.partial" / mine
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    for force in (False, True):
        with pytest.raises(OutputError, match=r"out\.partial is in the way"):
            generate_folder(Job(tmp_path / "out", SMALL, force=force))
        with pytest.raises(OutputError, match=r"out\.partial is in the way"):
            clutrr.write(clutrr.generate(k=2, size=2), tmp_path / "out", force=force)
    assert file.read_text() == "mine"
    assert not (tmp_path / "out").exists()


def test_a_lock_that_is_a_link_is_not_followed(tmp_path):
    (tmp_path / "out.partial").mkdir()
    (tmp_path / "out.partial/lock").symlink_to(tmp_path / "made")
    with pytest.raises(OutputError):
        generate_folder(Job(tmp_path / "out", SMALL))
    assert not (tmp_path / "made").exists()


def test_each_writer_of_a_file_has_a_place_of_its_own(tmp_path):
    """The first to begin ends last; both are whole, and what somebody keeps under our old name stays."""
    page, target = tmp_path / "page.html", tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "page.html.making").symlink_to(target)
    with atomic_write(page) as first:
        first.write_text("half of ")
        with atomic_write(page) as second:
            assert second != first
            second.write_text("the second")
        assert page.read_text() == "the second"
        with first.open("a") as more:
            more.write("the first")
    assert page.read_text() == "half of the first"
    assert target.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["page.html", "page.html.making", "target"]


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    program = (
        "import os, sys; from pathlib import Path; from clutrr._io.files import atomic_write\n"
        "with atomic_write(Path(sys.argv[1])) as making:\n making.write_text('half'); os._exit(9)"
    )
    page = tmp_path / "page.html"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", program, page], env=env).returncode == 9
    assert [name.endswith(".making") for name in os.listdir(tmp_path)] == [True]
    replace_text(page, "whole")
    assert os.listdir(tmp_path) == ["page.html"]


def test_two_plans_for_one_url(tmp_path, monkeypatch):
    """Whatever the order of their steps, one data set is there, whole, and who did not write it says so."""
    pytest.importorskip("fsspec")
    url = parse_location(f"memory://{uuid4().hex}/out")
    first_claims, second_done = threading.Event(), threading.Event()
    claim, ended = staging.StagingArea.check_claim, []

    def slowly(self, plan):
        if plan["config"]["seed"] == 0 and not first_claims.is_set():
            first_claims.set()
            assert second_done.wait(PATIENCE)
        claim(self, plan)

    def first():
        try:
            ended.append(generate_folder(Job(url, SMALL)))
        except OutputError as error:
            ended.append(error)

    monkeypatch.setattr(staging.StagingArea, "check_claim", slowly)
    thread = threading.Thread(target=first)
    thread.start()
    assert first_claims.wait(PATIENCE)
    try:
        other = generate_folder(Job(url, OTHER))
    except OutputError as error:
        other = error
    second_done.set()
    thread.join()
    made = [one for one in (ended[0], other) if isinstance(one, dict)]
    assert len(made) <= 1
    if made:
        manifest = load_json(url / MANIFEST)
        assert manifest["config"] == made[0]["config"]
        generate_folder(Job(tmp_path / "alone", (SMALL, OTHER)[manifest["config"]["seed"]]))
        assert load_json(tmp_path / "alone" / MANIFEST)["files"] == manifest["files"]


def test_force_on_what_another_run_writes(tmp_path, monkeypatch):
    """The one that was there first notices, and does not call its work finished."""
    pytest.importorskip("fsspec")
    url, real = parse_location(f"memory://{uuid4().hex}/out"), folder.card

    def card(generator, about, written):
        if about["config"]["seed"] == 0:
            generate_folder(Job(url, OTHER, force=True))
        return real(generator, about, written)

    monkeypatch.setattr(folder, "card", card)
    with pytest.raises(OutputError, match="another command writes there"):
        generate_folder(Job(url, SMALL))
    assert load_json(url / MANIFEST)["config"]["seed"] == 1


@pytest.mark.parametrize(
    "lost", ["README.md", "data/M2/test-00000-of-00001.parquet", "world/relations.yaml"]
)
def test_what_a_storage_loses_is_not_called_finished(data, monkeypatch, lost):
    pytest.importorskip("fsspec")
    url = parse_location(f"memory://{uuid4().hex}/out")
    put = type(url).put
    monkeypatch.setattr(
        type(url), "put", lambda self, local: None if str(self).endswith(lost) else put(self, local)
    )
    with pytest.raises(OutputError, match="although it was written"):
        generate_folder(Job(url, SMALL))
    assert not (url / MANIFEST).exists()
    with pytest.raises(OutputError, match="although it was written"):
        write_dataset(open_dataset(data), Target.of(url.with_name("other"), "parquet"))
    monkeypatch.undo()
    generate_folder(Job(url, SMALL))
    assert (url / lost).exists()


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("name", ["generate", "convert", "learn-world"])
def test_out_is_there_at_every_moment(data, tmp_path, monkeypatch, name, exchange):
    """A kill at any step of the replacement, and then another: the old or the new is there, or comes back."""
    out = tmp_path / "out"
    for step in range(1, 7):
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(tmp_path / "out.partial", ignore_errors=True)
        generate_folder(Job(out, SMALL))
        old = contents(out)
        with monkeypatch.context() as patch:
            if not exchange:
                patch.setattr(staging, "_exchanged", lambda *_: False)
            _die_at(patch, step, out)
            with contextlib.suppress(SystemError):
                commands(data)[name](out)
            if exchange:
                assert (out / MANIFEST).is_file()
        with staging.staging_area(
            out, ["done"]
        ):  # whatever comes next, the look under the lock puts it back
            assert (out / MANIFEST).is_file()
            assert contents(out) == old or load_json(out / MANIFEST) != json.loads(old[MANIFEST])


def _die_at(patch, step, out):
    """Let the process end at a step of the replacement: nothing after it is done, not even cleaning up."""
    left = [step]
    for where_, what in ((os, "replace"), (staging, "keep_only"), (staging, "sync")):
        real = getattr(where_, what)

        def counted(*arguments, real=real, what=what):
            if left[0] <= 0:
                raise SystemError("dead")
            if what == "keep_only" or out in arguments or out.parent in arguments:
                left[0] -= 1
                if not left[0]:
                    real(*arguments) if what == "replace" else None
                    raise SystemError("dead")
            return real(*arguments)

        patch.setattr(where_, what, counted)


def test_a_training_that_is_forced_and_killed(data, tmp_path, run, monkeypatch):
    """The folder is known to be a training at every moment, and a program in it is not removed."""
    pytest.importorskip("torch")
    from clutrr._train import job

    out = tmp_path / "run"
    train = ["train", data, out, "--k", "2", "--epochs", "1", "--device", "cpu"]
    assert run(*train, "--model", "gnn")[0] == 0
    for step in ("save_record", "keep_own_model", "save_world"):
        with monkeypatch.context() as patch:
            patch.setattr(job, step, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            assert run(*train, "--model", "lstm", "--force")[0] == 130
        assert run(*train, "--model", "lstm", "--force")[0] == 0, step
    (out / "model.py").write_text("from clutrr.models import blueprint\nnet = blueprint('gnn')\n")
    code, _, said = run(*train, "--model", f"{out}/model.py:net", "--force")
    assert code == 0, said
    assert "blueprint('gnn')" in (out / "model.py").read_text()
    assert not [name for name in os.listdir(out) if name.startswith((".tmp", ".checkpoint"))]
