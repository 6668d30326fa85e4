"""Every figure at its real size: nothing lies outside, however many models and training sets there are."""

from itertools import pairwise

import pytest

import clutrr
from clutrr._report.comparison import with_lookups
from clutrr._report.experiment import Experiment
from clutrr._report.figures import lengths_figure
from clutrr._report.loading import load_experiment
from clutrr._report.write import FIGURES
from clutrr._score.result import Result, Score, Training
from made_records import write_matrix, write_record

pytest.importorskip("matplotlib")

MODELS = (
    "composer+windows",
    "gnn-attention+literal",
    "lstm",
    "gnn",
    "mine.py:a-long-name-of-a-model",
)
SETS = {"M2-3": [2, 3], "M3": 3, "M4": 4, "M5": 5, "M2-6": [2, 3, 4, 5, 6]}


def check(figure) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    parts = [*figure.legends, *(panel.title for panel in figure.axes if panel.get_visible())]
    parts += [panel.yaxis.label for panel in figure.axes] + [
        panel.xaxis.label for panel in figure.axes
    ]
    boxes = [part.get_window_extent(canvas.get_renderer()) for part in parts]
    width, height = canvas.get_width_height()
    for box in boxes:
        assert box.width == 0 or (
            box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1
        )
    titles = [panel.title.get_window_extent() for panel in figure.axes if panel.title.get_text()]
    for one, other in pairwise(titles):  # in a row
        assert one.y0 != pytest.approx(other.y0, abs=2) or one.x1 < other.x0
    for panel in figure.axes:
        assert panel.get_window_extent().height > 20


@pytest.mark.parametrize("tested", [[2], [2, 3, 4, 5, 6, 7, 8, 9, 10]], ids=len)
@pytest.mark.parametrize("sets", [1, 2, 5])
@pytest.mark.parametrize("models", [1, 2, 5])
def test_figures_of_experiments(tmp_path, models, sets, tested):
    trained = dict(list(SETS.items())[:sets])
    data = {"k": [2, 3, 4, 5, 6, 7, 8, 9, 10], "preset": "sound"}
    write_matrix(
        tmp_path, data, models=list(MODELS[:models]), train=list(trained.values()), seeds=2
    )
    (tmp_path / "audit.json").unlink() if len(tested) == 1 else None
    for model in MODELS[:models]:
        for train in trained:
            for seed in (0, 1):
                write_record(tmp_path, model, train, {f"M{k}": (90 - k,) for k in tested}, seed)
    experiment = load_experiment(tmp_path)
    for figure in FIGURES.values():
        check(figure(experiment))


@pytest.mark.parametrize("models", [1, 2, 5])
def test_figures_of_answers(models):
    lookups = {
        ("", "2 facts"): {"label known": 90.0, "longest known beginning": 50.0},
        ("", "3 facts"): {"label known": 80.0, "longest known beginning": 40.0},
    }
    results = tuple(
        Result(name, {"mine": Score(20, 14)}, {2: Score(10, 9), 3: Score(10, 5)})
        for name in MODELS[:models]
    )
    figure = lengths_figure(Experiment(results, lookups=lookups, fitted_on=(2,)))
    assert len(figure.axes[0].lines) == models + 2
    check(figure)


def test_figures_of_other_results(tmp_path):
    puzzles = clutrr.generate("sound", k="2-3", size=20, split=("train", "test"), distractors=0)
    drawn = clutrr.plot(clutrr.score(puzzles, {one.id: one.target for one in puzzles}))
    check(drawn.figure)
    for suffix, begins in ((".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        drawn.save(tmp_path / f"figure{suffix}")
        assert (tmp_path / f"figure{suffix}").read_bytes().startswith(begins)
    with pytest.raises(clutrr.ClutrrError, match="a figure is written as"):
        drawn.save(tmp_path / "figure.jpg")


def test_a_comparison_is_by_what_the_models_were_trained_on():
    """Not by all the training rows that the data has."""
    from clutrr._data.dataset import dataset_of

    puzzles = clutrr.generate("sound", k="2-6", size=20, split=("train", "test"), distractors=0)
    data = dataset_of(puzzles, puzzles.world)
    scored = clutrr.score(puzzles, {one.id: one.target for one in puzzles})
    assert with_lookups(Experiment((scored,)), data).fitted_on == (2, 3, 4, 5, 6)
    known = Result("gnn", scored.tested, scored.lengths, questions=scored.questions)
    trained = Result(
        "composer",
        scored.tested,
        scored.lengths,
        questions=scored.questions,
        training=Training("M2-3", 0, config={"k": [2, 3]}),
    )
    found = with_lookups(Experiment((known, trained)), data)
    assert found.fitted_on == (2, 3)
    audited = clutrr.audit(puzzles, train_on=(2, 3)).matrix
    (cell,) = [cell for cell in audited if (cell["train"], cell["test"]) == ("M2 + M3", "M5")]
    assert found.lookups["", "M5"]["label known"] == cell["label known"]
    assert found.lookups["", "M5"]["rules shown"] == cell["rules shown"]
