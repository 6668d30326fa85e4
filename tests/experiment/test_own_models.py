"""Models of one's own: where they fail, what they must keep, their loss, and their place in a matrix."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.functional import cross_entropy

import clutrr
from clutrr.models.parts import answer_loss

PARTS = """\
import torch
from torch import nn

from clutrr.models import PairMLP, Processor, Recipe, SentencePool, States


class Bag(Processor):
    def __init__(self, sizes):
        super().__init__()
        self.layer = nn.Linear(sizes.embedding, sizes.state)

    def forward(self, reading, batch):
        edges = reading.edges[reading.edge_of]
        linked = (batch.sentences[..., 0] > 0)[..., None]
        h = self.layer((edges * linked).sum(2))
        return States(nodes=h, whole=WHOLE)


bag = Recipe(SentencePool, Bag, PairMLP)
"""
GOOD = "(h * batch.is_node[..., None]).sum(1)"
LINE = 1 + PARTS[: PARTS.index("WHOLE")].count("\n")
MATRIX = """\
data: {preset: sound, k: [2], train: 40, test: 20, distractors: 0}
models: [MODELS]
epochs: 1
batch: 20
"""


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("own") / "stories"
    clutrr.write(clutrr.generate("sound", k="2-4", size=40, split=("train", "test")), out)
    return out


def own(folder: Path, whole: str, name: str = "mine.py") -> str:
    (folder / name).write_text(PARTS.replace("WHOLE", whole))
    return f"{folder / name}:bag"


@pytest.mark.parametrize(
    ("whole", "says"),
    [
        ("h.nothing", f"mine.py, line {LINE}: AttributeError: .*nothing"),
        ("h[:, 99]", f"mine.py, line {LINE}: IndexError"),
        ("h.mean(1) * batch.is_node.shape[1]", "the padding changes its answer .*batch.is_node"),
        (f"{GOOD} + h[:1].sum(1)", "the order of a batch changes its answer"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(stories: Path, tmp_path: Path, whole: str, says: str) -> None:
    with pytest.raises(clutrr.ClutrrError, match=says):
        clutrr.train(stories, tmp_path / "run", model=own(tmp_path, whole), k=(2, 3, 4), epochs=1)


def test_a_model_that_breaks_when_it_is_tested(stories: Path, tmp_path: Path) -> None:
    model = own(tmp_path, f"{GOOD} if batch.query.shape[0] < 40 else h.nothing")
    clutrr.train(stories, tmp_path / "run", model=model, k=2, batch=20, epochs=1)
    with pytest.raises(clutrr.ClutrrError, match=f"mine.py, line {LINE}: AttributeError"):
        clutrr.evaluate(tmp_path / "run", stories, trust=True)


def test_a_good_one_and_a_loss(stories: Path, tmp_path: Path) -> None:
    model = own(tmp_path, GOOD)
    run = clutrr.train(stories, tmp_path / "run", model=model, k=2, epochs=1, batch=20)
    assert run.finished
    scores, target = torch.randn(5, 3), torch.tensor([0, 1, 2, 1, 0])
    loss, right = answer_loss(scores, target, lambda s, t: cross_entropy(s, t, label_smoothing=0.1))
    assert loss == cross_entropy(scores, target, label_smoothing=0.1)
    assert right == (scores.argmax(1) == target).sum()

    def zero(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return 0 * scores.sum()

    space: dict[str, Any] = {"zero": zero}
    exec(PARTS.replace("WHOLE", GOOD).replace("PairMLP)", "PairMLP, loss=zero)"), space)
    given = clutrr.train(stories, tmp_path / "zero", model=space["bag"], k=2, epochs=1, batch=20)
    assert given.epochs[0].loss == 0


@pytest.mark.process
def test_one_that_crashes_costs_only_its_own_cells(run, tmp_path: Path) -> None:
    folder = tmp_path / "experiment"
    folder.mkdir()
    own(folder, "h.nothing", "bad.py")
    own(folder, GOOD, "good.py")
    (folder / "matrix.yaml").write_text(MATRIX.replace("MODELS", "bad.py:bag, good.py:bag"))
    named = ",".join(f"{folder / name}:bag" for name in ("bad.py", "good.py"))  # they are programs
    options = ["--matrix", folder / "matrix.yaml", "--models", named]
    code, printed, errors = run("reproduce", tmp_path / "out", *options)
    assert code == 2
    assert re.search(r"bad.py-bag-M2-seed0: .*bad.py, line \d+: AttributeError", errors)
    assert "good.py:bag" in printed
    assert (tmp_path / "out/report/index.html").is_file()
    found = clutrr.report(tmp_path / "out")
    assert (found.models, found.missing) == (("bad.py:bag", "good.py:bag"), ["bad.py-bag-M2-seed0"])


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from clutrr.experiment.matrix import find_matrix, matrix_text

    folder = tmp_path / "experiment"
    (folder / "stories").mkdir(parents=True)
    (folder / "mine.py").write_text("")
    (folder / "matrix.yaml").write_text("data: stories\ntrain: [2]\nmodels: [gnn, 'mine.py:bag']\n")
    monkeypatch.chdir(tmp_path)
    found = find_matrix("experiment/matrix.yaml", programs=True)
    assert found.data == (str(folder / "stories"),)
    assert found.models == ("gnn", f"{folder / 'mine.py'}:bag")
    assert [cell.name for cell in found.cells()] == ["gnn-M2-seed0", "mine.py-bag-M2-seed0"]
    (tmp_path / "copy.yaml").write_text(matrix_text(found))
    assert find_matrix(str(tmp_path / "copy.yaml"), programs=True) == found
