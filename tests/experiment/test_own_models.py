"""Models of one's own: where they fail, what they must keep, their loss, and their place in a matrix."""

import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.functional import cross_entropy

import clutrr
from clutrr._train.matrix import find_matrix, matrix_of
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
READER = """\
import torch
from torch import nn

from clutrr.models import Keep, Reader, Recipe, States, WholeScores


class Seen(Reader):
    def __init__(self, sizes):
        super().__init__()
        self.words = nn.Embedding(sizes.words, 33)
        self.out = nn.Linear(33, sizes.relations)

    def forward(self, batch):
        x = batch.embed(self.words)
        there = torch.arange(x.shape[1]) < batch.length[:, None]
        return States(nodes=x, whole=self.out((x * there[..., None]).sum(1)))


seen = Recipe(Seen, Keep, WholeScores)
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
        (
            "h.mean(1) * batch.is_node.shape[1]",
            "its answer to story .* changes with padding .*batch.is_node",
        ),
        (
            f"{GOOD} + h[:1].sum(1)",
            "its answer to story .* changes with .*the other stories of its batch",
        ),
        (
            "h",
            r"mine.py:bag: RuntimeError: Tensors must have same number of dimensions",
        ),  # no line is theirs
        (f"{GOOD} / 0 * 0", "its output holds nan before any training"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    stories: Path, tmp_path: Path, whole: str, says: str
) -> None:
    with pytest.raises(clutrr.ClutrrError, match=says):
        clutrr.train(stories, tmp_path / "run", model=own(tmp_path, whole), k=(2, 3, 4), epochs=1)


@pytest.mark.parametrize(
    ("end", "says"),
    [
        ("WholeScores)", r"its scores are \[\d, 100\], not \[\d, 16\]"),
        ("PairMLP, loss=lambda s, t: (s * 0).sum(1))", "its loss is not one number"),
        ("PairMLP, loss=lambda s, t: 0.5)", "its loss is not one number"),
        ("PairMLP, loss=lambda s, t: s.detach().sum())", "its loss is not one number"),
        ("PairMLP, loss=lambda s, t: s.sum() / 0 * 0)", "its loss holds nan"),
        ("PairMLP, loss=lambda s, t: s.no)", r"mine.py, line \d+: AttributeError"),
    ],
)
def test_scores_and_losses_that_cannot_be_learnt(
    stories: Path, tmp_path: Path, end: str, says: str
) -> None:
    text = (
        PARTS.replace("WHOLE", GOOD)
        .replace("PairMLP)", end)
        .replace("PairMLP,", "PairMLP, WholeScores,", 1)
    )
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(clutrr.ClutrrError, match=says):
        clutrr.train(stories, tmp_path / "run", model=f"{tmp_path}/mine.py:bag", k=2, epochs=1)
    assert not (tmp_path / "run").exists()


def test_a_loss_that_becomes_nan_stops_the_training(stories: Path, tmp_path: Path) -> None:
    calls: list[int] = []

    def late(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return scores.sum() * (float("nan") if len(calls) > 3 else 0)

    space: dict[str, Any] = {"late": late}
    exec(PARTS.replace("WHOLE", GOOD).replace("PairMLP)", "PairMLP, loss=late)"), space)
    with pytest.raises(
        clutrr.ClutrrError, match=r"object:Bag: the loss is nan in epoch 2; .*learning rate"
    ):
        clutrr.train(stories, tmp_path / "run", model=space["bag"], k=2, epochs=3, batch=20)


def test_a_story_has_the_same_random_vectors_alone_and_beside_larger_ones(
    stories: Path, tmp_path: Path
) -> None:
    """A model that reads every entity's vector keeps what a model must, and is not refused."""
    space: dict[str, Any] = {}
    exec(READER, space)
    mixed = [
        *clutrr.generate("sound", k=2, size=9, distractors=0),
        *clutrr.generate("sound", k=4, size=9),
    ]
    run = clutrr.train(mixed, tmp_path / "run", model=space["seen"], k=(2, 4), epochs=1)
    assert (run.finished, run.config.model) == (True, "object:Seen")
    with pytest.raises(
        clutrr.ClutrrError, match=r"models: a matrix has names: save .* FILE.py:NAME"
    ):
        clutrr.reproduce(tmp_path / "out", {"models": ["gnn", space["seen"]]})


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
    from clutrr._train.matrix import find_matrix, matrix_text

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


def test_epochs_and_sizes_instead_of_those_of_the_matrix():
    matrix = find_matrix("builtin:quick").changed(epochs=2, train=30, test=10)
    assert matrix.how.epochs == 2
    assert {source.config.train for source in matrix.generated} == {30}
    tested = matrix.tested_in("")
    assert tested.config.test == 10
    with pytest.raises(clutrr.ClutrrError, match="train: the stories are in a folder"):
        matrix_of({"data": "folder", "train": [2]}).changed(train=5)
