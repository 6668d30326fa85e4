"""Python as a notebook uses it: data of any kind, models made in a cell, results that show themselves."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clutrr
from clutrr._io.executors import SerialExecutor
from clutrr.models import PairMLP, Recipe, SentencePool
from clutrr.models.baselines import MessagePassing

BOTH = ("train", "test")


@pytest.fixture(scope="module")
def puzzles() -> Any:
    return clutrr.generate("sound", k="2-3", size=40, split=BOTH, distractors=1)


def test_several_lengths_and_splits_are_those_of_each_alone(puzzles: Any) -> None:
    alone = [
        one
        for k in (2, 3)
        for split in BOTH
        for one in clutrr.generate("sound", k=k, size=40, split=split, distractors=1)
    ]
    assert puzzles == alone
    assert (puzzles.world.name, puzzles.assume) == ("kinship", "tree")
    with pytest.raises(IndexError):
        puzzles[len(alone)]
    assert puzzles[-1] == alone[-1]


def test_several_values_as_python_or_the_command_line_has_them() -> None:
    told = clutrr.generate(
        "strict", k="2,3", size=5, noise="irrelevant=1", disjoint="patterns,names", seed=1
    )
    noise = {"irrelevant": 1}
    assert told == clutrr.generate(
        "strict", k=(2, 3), size=5, noise=noise, disjoint=("patterns", "names"), seed=1
    )
    scene = clutrr.generate("described", k=3, size=5, scene={"levels": 2, "children": "2-3"})
    assert scene == clutrr.generate("described", k=3, size=5, scene="levels=2,children=2-3")


def test_all_that_is_made_from_puzzles_knows_their_assumption(puzzles: Any, tmp_path: Path) -> None:
    clutrr.write(puzzles, tmp_path / "written")
    again = clutrr.read(tmp_path / "written")
    clutrr.write(again, tmp_path / "again")
    clutrr.write(list(puzzles), tmp_path / "named", assume="tree")
    frame = puzzles.to_pandas()
    made = [
        puzzles,
        puzzles[:90],
        puzzles.filter(lambda one: one.k == 3),
        again,
        frame,
        frame[frame.k == 3],
    ]
    for data in (*made, tmp_path / "written", str(tmp_path / "again"), tmp_path / "named"):
        assert re.search(
            r"every target is proved, and [\d.]+ % are entailed, assuming tree\.$",
            clutrr.audit(data).good_for,
        )


def test_data_of_every_kind_is_audited_alike(puzzles: Any) -> None:
    frame = puzzles.to_pandas()
    found = clutrr.audit(puzzles, assume="open")
    for data in (list(puzzles), tuple(puzzles), frame, pa.Table.from_pandas(frame)):
        assert clutrr.audit(data, assume="open").subsets == found.subsets
    datasets = pytest.importorskip("datasets")
    assert clutrr.audit(datasets.Dataset.from_pandas(frame), assume="open").subsets == found.subsets


def test_puzzles_without_their_world_are_known_by_their_words() -> None:
    made = clutrr.generate("strict", k=2, size=20, world="time")
    assert clutrr.audit(list(made)).world.startswith("world time")


def test_a_model_made_in_a_cell(puzzles: Any, tmp_path: Path) -> None:
    mine = Recipe(SentencePool, MessagePassing, PairMLP)
    run = clutrr.train(puzzles, tmp_path / "run", model=mine, k=2, epochs=1, device="cpu")
    assert run.finished
    found = clutrr.evaluate(tmp_path / "run", puzzles.to_pandas(), model=mine, device="cpu")
    assert [(part.subset, part.n) for part in found] == [("M2", 40), ("M3", 40)]
    given = {one.id: one.target for one in puzzles}
    scored = clutrr.score(puzzles, given)
    assert scored.total.accuracy == 100
    frame = puzzles.to_pandas().rename(columns={"target": "answer"})
    assert clutrr.score(puzzles, frame[["id", "answer"]]).tested == scored.tested
    for shown, text in (
        (run, "epoch"),
        (found, "M2"),
        (scored, "accuracy"),
        (clutrr.audit(puzzles), "tree"),
    ):
        assert text in str(shown)
        assert text in shown._repr_html_()
    for shown in (found, scored, clutrr.score(puzzles, [given, given])):
        clutrr.plot(shown).save(tmp_path / "figure.png")
        assert clutrr.plot(shown)._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(clutrr.ClutrrError, match="give it again: model="):
        clutrr.evaluate(tmp_path / "run", puzzles)


def test_an_experiment_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clutrr._train.cells.ProcessExecutor", lambda at_once: SerialExecutor())
    data = {"preset": "published", "k": [3], "train": 40, "test": 20, "distractors": 0}
    matrix = {"data": data, "models": ["gnn"], "epochs": 1, "batch": 20}
    found = clutrr.reproduce(tmp_path / "out", matrix, device="cpu")
    assert [result.name for result in found.results] == ["gnn-M3-seed0"]
    assert "gnn" in str(found)
    assert "gnn" in found._repr_html_()
    assert clutrr.plot(found)._repr_png_()
    again = clutrr.report(tmp_path / "out", to=tmp_path / "report")
    assert again.results == found.results
    assert (tmp_path / "report/index.html").is_file()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: clutrr.generate(ks=3),
            "ks: there is no such setting; the settings are preset, k, ",
        ),
        (lambda: clutrr.prompts([], speed=9), "speed: there is no such setting"),
        (lambda: clutrr.generate(split="dev"), "split: 'dev' is not one of train, test"),
        (lambda: clutrr.generate(brackets=False), "add style='prose'$"),
        (lambda: clutrr.generate(size="10"), "size: '10' is not a whole number"),
        (lambda: clutrr.generate(k=2.5), "k: 2.5 is not a number, "),
        (
            lambda: clutrr.generate(noise={"supporting": "1"}),
            "supporting: '1' is not a whole number",
        ),
        (lambda: clutrr.generate(world=5), "world: expected a name, a folder or a World, not int"),
        (lambda: clutrr.train([], "run", epochs="3"), "epochs: '3' is not a whole number"),
        (lambda: clutrr.score([], 5), "answers: expected a path, answers by id, or a frame"),
        (lambda: clutrr.report(), "missing 1 required positional argument"),
        (
            lambda: clutrr.audit(5),
            "data: expected a path, puzzles, rows, a frame or a data set, not int$",
        ),
        (lambda: clutrr.audit([], assumes="tree"), "unexpected keyword argument 'assumes'"),
        (lambda: clutrr.solve("Bob is Ann's son.", "Ann Bob"), "is not two names"),
        (lambda: clutrr.train([], "run", model="pairs"), "'pairs' needs an encoder; give encoder="),
        (lambda: clutrr.train([], "run", model=3), "3 is not a name, nor a Recipe"),
        (
            lambda: clutrr.train([], "run", epoch=3),
            "epoch: there is no such setting; the settings are .*epochs, ",
        ),
        (
            lambda: clutrr.reproduce("out", model="gnn"),
            "model: there is no such setting; the settings are .*models, ",
        ),
    ],
)
def test_wrong_arguments_are_named_as_python_has_them(
    call: Callable[[], Any], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((clutrr.ClutrrError, TypeError), match=says) as caught:
        call()
    assert "--" not in str(caught.value)
