"""The report as files: tables that say the same, figures, a page that needs nothing else."""

import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from clutrr._report.experiment import Experiment
from clutrr._report.figures import INK, draw, figure_left, figure_right, lengths_figure
from clutrr._report.loading import load_experiment
from clutrr._report.subsets import series, trained_lengths
from clutrr._report.table import closing_lines, markdown, terminal_rows
from clutrr._report.write import write_report
from clutrr._score.result import Result, Score, Training
from commands import refused, told
from made_records import COMMAND, LEARNT, write_experiment, write_matrix, write_record
from page_tables import styles_table

FILES = {
    "table.md",
    "table.json",
    "figure-2-left.svg",
    "figure-2-left.png",
    "figure-2-right.svg",
    "figure-2-right.png",
    "lengths.svg",
    "lengths.png",
    "index.html",
}


@pytest.fixture
def undrawn(monkeypatch):
    """No figure is drawn, which takes longer than all else."""
    monkeypatch.setattr(
        "clutrr._report.write.draw",
        lambda figure, name: ('<svg width="9pt" height="9pt"/>', b"\x89PNG"),
    )


@pytest.fixture
def out(tmp_path):
    return write_experiment(tmp_path / "out")


@pytest.fixture
def experiment(out):
    return load_experiment(out)


def test_markdown(experiment):
    lines = markdown(experiment).splitlines()
    assert (
        "| M3 | M4 | 50.0 (46.6, +3.4) | **64.0** (69, \N{MINUS SIGN}5.0) "
        "| 40.0 (67.79, \N{MINUS SIGN}27.8) |" in lines
    )
    assert "| M4 | M4 | \N{EN DASH} (100) | **100.0** (95.3, +4.7) | 99.0 (98.2, +0.8) |" in lines
    assert "5 of 6 trainings are finished; \N{EN DASH}: not yet." in lines
    assert "Of 10 cells there are 7 within 5 and 7 within 10 points of the paper's." in lines


def test_the_table_in_a_terminal(experiment):
    assert list(terminal_rows(experiment))[2] == [
        *("M3", "M4", "50.0\n40.4 to 59.6\npaper 46.6, +3.4"),
        "64.0\n54.2 to 72.7\npaper 69, \N{MINUS SIGN}5.0",
        "40.0\n30.9 to 49.8\npaper 67.79, \N{MINUS SIGN}27.8",
    ]


def texts_of(svg):
    return {
        "".join(text.itertext()).strip()
        for text in ElementTree.fromstring(svg).iter()
        if "text" in text.tag
    }


@pytest.mark.parametrize(
    ("figure", "texts"),
    [
        (figure_left, {"LSTM", "GNN-Attention", "64", "(69)", "trained on", "tested on"}),
        (figure_right, {"LSTM, the paper's", "GNN", "GNN, the paper's", "tested on"}),
    ],
)
def test_figures(experiment, figure, texts):
    svg, png = draw(figure(experiment), "name")
    assert (svg, png) == draw(figure(experiment), "name")
    assert png.startswith(b"\x89PNG\r\n")
    assert texts_of(svg) >= texts
    assert INK in svg


def test_means_of_figure_2(experiment):
    lines = {
        line.get_label(): list(line.get_ydata()) for line in figure_right(experiment).axes[0].lines
    }
    assert lines["GNN"] == pytest.approx([(96 + 49.5) / 2, (64 + 100) / 2])
    assert lines["GNN, the paper's"] == pytest.approx([(98.3 + 59.8) / 2, (69 + 95.3) / 2])
    assert "LSTM" not in lines  # some of its trainings are missing in every column


def test_curves_over_length(tmp_path):
    write_matrix(tmp_path, train=[3, [3, 4]], test={"k": "3-4,6"}, seeds=2, models=["gnn", "lstm"])
    for seed in (0, 1):
        for train in ("M3", "M3-4"):
            right = {"M3": (90, 90 - 10 * seed), "M4": (80,), "M6": (60 + 8 * seed,)}
            write_record(tmp_path, "gnn", train, right, seed)
    figure = lengths_figure(load_experiment(tmp_path))
    texts = texts_of(draw(figure, "lengths")[0])
    assert texts >= {
        "trained on M3",
        "trained on M3-4",
        "GNN",
        "look-up: last relation",
        "ceiling: rules shown",
    }
    assert "LSTM" not in texts  # nothing of it is finished
    for panel in figure.axes:
        (line,) = [line for line in panel.lines if line.get_label() == "GNN"]
        assert list(line.get_xdata()) == [3, 4, 6]
        assert list(line.get_ydata()) == [87.5, 80, 64]
        (band,) = [shape for shape in panel.collections if len(shape.get_paths()[0].vertices) > 5]
        tall = sorted({float(y) for x, y in band.get_paths()[0].vertices if x == 6})
        assert tall == pytest.approx([64 - 32**0.5, 64 + 32**0.5])


def test_curves_of_styles():
    """A panel for each style tested on: trained on the same, and on the first of all."""
    found = {("plain", "plain"): 90, ("plain", "prose"): 20, ("prose", "prose"): 70}
    results = tuple(
        Result("gnn", {f"{b} M{k}": Score(100, right - k)}, training=Training(f"{a} M2-3", seed))
        for seed, ((a, b), right) in enumerate(found.items())
        for k in (2, 3, 10)
    )
    settings = {"models": ["gnn"], "train": ["2-3"], "styles": {"plain": {}, "prose": {}}}
    experiment = Experiment(results, settings)
    plain, prose = lengths_figure(experiment).axes
    assert [panel.get_title() for panel in (plain, prose)] == ["tested on plain", "tested on prose"]

    def lines(panel):
        return {
            line.get_label(): (list(line.get_ydata()), line.get_linestyle()) for line in panel.lines
        }

    assert lines(plain) == {"GNN, the same": ([88, 87, 80], "-")}
    assert lines(prose) == {
        "GNN, the same": ([68, 67, 60], "-"),
        "GNN, plain": ([18, 17, 10], "--"),
    }
    assert list(styles_table(experiment))[2:] == [
        "| plain | plain M2-3 | `gnn` | 1 | 88.0 | 87.0 | 80.0 |",
        "| prose | plain M2-3 | `gnn` | 1 | 18.0 | 17.0 | 10.0 |",
        "| prose | prose M2-3 | `gnn` | 1 | 68.0 | 67.0 | 60.0 |",
    ]


def test_which_subsets_are_lengths():
    assert series(("M3", "M10", "1.3")) == {"": {3: "M3", 10: "M10"}}
    assert series(("1.2", "1.10", "2.3")) == {"": {2: "1.2", 10: "1.10"}, "2": {3: "2.3"}}
    assert series(("strict M4", "sound M3")) == {
        "strict": {4: "strict M4"},
        "sound": {3: "sound M3"},
    }
    assert trained_lengths("M1-3,5") == (1, 2, 3, 5)
    assert trained_lengths("1.3") == ()
    assert trained_lengths("prose M2-3") == (2, 3)


class Reader(HTMLParser):
    """What a page would load, and whether its tags are closed."""

    def __init__(self):
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "br", "link"):
            self.open.append(tag)
        self.loaded += [
            v for k, v in attributes if k in ("src", "href", "xlink:href", "data") and v
        ]
        assert tag not in ("script", "link", "iframe")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(" ".join(data.split()))


def read_page(path):
    page = path.read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    return page, reader


def test_the_page(experiment, tmp_path):
    write_report(experiment, tmp_path / "report")
    page, reader = read_page(tmp_path / "report" / "index.html")
    assert all(target.startswith(("#", "data:image/")) for target in reader.loaded)
    assert not re.search(r"url\((?!['\"]?#)", page)
    assert "@import" not in page
    words = " ".join(reader.words)
    for text in (
        "paper 69, \N{MINUS SIGN}5.0",
        "95 %: 54.2 to 72.7",
        "71.5",
        "not finished",
        "CPU, one thread",
        "clutrr 0.1.0, torch 2.13.0",
        "M4: holds 1 pattern only.",
        "lstm-M4-seed0",
        COMMAND,
        *closing_lines(experiment),
    ):
        assert text in words
    assert INK not in page.partition("</style>")[2]
    assert "composer" not in words.lower()


def test_what_composers_learnt(tmp_path, undrawn):
    """Of each composer and training set, what the first seed believes."""
    write_matrix(tmp_path, models=["gnn", "composer", "composer+no-heights"], seeds=2)
    tested = {"M3": (1, 2), "M4": (3,)}
    write_record(tmp_path, "gnn", "M3", tested)
    for seed in (0, 1):
        sentences = LEARNT["sentences"][seed:]
        write_record(
            tmp_path, "composer", "M3", tested, seed, learnt={**LEARNT, "sentences": sentences}
        )
    write_record(tmp_path, "composer+no-heights", "M3", tested, learnt={**LEARNT, "heights": None})
    write_report(load_experiment(tmp_path), tmp_path / "report")
    page, reader = read_page(tmp_path / "report" / "index.html")
    titles = [word for word in reader.words if re.match(r"Composer\S* trained on", word)]
    assert titles == ["Composer trained on M3, seed 0", "Composer+no-heights trained on M3, seed 0"]
    assert "1 of 2 templates are read" in page
    assert "0 of 1 templates are read" not in page
    assert page.count("daughter, then mother</td>") == 2
    assert page.count("learnt height of each relation") == 1
    cells = re.findall(r'<td class="(right|several|wrong|unnamed|impossible)">(.*?)</td>', page)
    assert cells[:9] == [
        *(("right", "granddaughter"), ("wrong", "mother (wife)"), ("several", "mother-in-law")),
        *(("wrong", "? (sister)"), ("right", "grandmother"), ("unnamed", "")),
        *(("right", "mother"), ("unnamed", "sister"), ("impossible", "\N{EN DASH}")),
    ]


@pytest.mark.parametrize("changes", [{"sentences": [{}]}, {"compositions": []}, {"heights": 3}])
def test_what_a_composer_learnt_has_to_be_whole(tmp_path, changes):
    write_matrix(tmp_path, models=["composer"])
    write_record(tmp_path, "composer", "M3", {"M3": (1, 2)}, learnt={**LEARNT, **changes})
    assert "result.json: not the result of a training" in refused("report", tmp_path)


def test_a_report_is_written_over_a_report_alone(run, out, tmp_path, undrawn):
    to = tmp_path / "to"
    to.mkdir()
    for name, content in (("table.md", "mine"), ("table.json", '{"mine": 1}')):
        (to / name).write_text(content)
        assert "already exists, and not with a report" in refused("report", out, "--to", to)
        assert (to / name).read_text() == content
        (to / name).unlink()
        assert not list(to.iterdir())
    assert [run("report", out, "--to", to)[0] for _ in range(2)] == [0, 0]
    (to / "index.html").unlink()  # as by a kill between two files
    assert run("report", out, "--to", to)[0] == 0


def test_a_table_that_is_too_large(out, monkeypatch):
    monkeypatch.setattr("clutrr._report.experiment.CELLS", 1)
    assert re.search(
        r"a table of \d+ cells, more than 1; set CLUTRR_LIMITS=10", refused("report", out)
    )


def test_names_are_text_not_markup(run, tmp_path):
    model = "a<b>&[bold].py:M|N"
    write_matrix(tmp_path, models=[model])
    write_record(tmp_path, model, "M3", {"M3": (100, 50), "M4": (1,)}, learnt=LEARNT)
    experiment = load_experiment(tmp_path)
    write_report(experiment, tmp_path / "report")
    page, _ = read_page(tmp_path / "report" / "index.html")
    assert html.escape(model) in page
    assert "a<b>" not in page
    assert model in run("report", tmp_path)[1]


@pytest.mark.parametrize(
    "changes", [{"data": {"k": [3], "preset": "sound"}}, {"models": list("abcdefgh")}]
)
def test_a_run_without_records(tmp_path, changes):
    write_matrix(tmp_path, **changes)
    (tmp_path / "audit.json").unlink()
    write_report(load_experiment(tmp_path), tmp_path / "report")
    assert {file.name for file in (tmp_path / "report").iterdir()} >= FILES
    page, _ = read_page(tmp_path / "report" / "index.html")
    assert "There is no audit in these records." in page


def test_the_command(run, out, experiment):
    code, printed, errors = run("report", out)
    assert (code, errors) == (0, "")
    assert {path.name for path in (out / "report").iterdir()} == FILES
    assert "54.2 to 72.7" in printed
    assert "Of 10 cells there are 7 within 5 and 7 within 10 points of the paper's." in printed
    assert str(out / "report" / "index.html") in printed.replace("\n", "")
    assert json.loads((out / "report" / "table.json").read_text()) == experiment.to_json()


def test_the_command_prints_json(out, tmp_path, undrawn):
    content = told("report", out, out, "--to", tmp_path / "there")
    assert len(content["cells"]) == 10  # those of finished trainings
    (cell,) = [
        c for c in content["cells"] if (c["model"], c["train"], c["test"]) == ("gnn", "M3", "M4")
    ]
    assert (cell["accuracy"], cell["paper"], cell["right"]) == (64.0, 69, {"0": 64})
    assert content["page"] == str(tmp_path / "there" / "index.html")
    assert {file.name for file in (tmp_path / "there").iterdir()} == FILES
    assert not (out / "report").exists()


def test_info_shows_the_table_of_a_folder_and_of_a_file(run, out, tmp_path):
    (tmp_path / "table.json").write_text(load_experiment(out).to_text())
    of_folder, of_file = (run("info", path) for path in (out, tmp_path / "table.json"))
    assert of_folder == of_file
    code, printed, errors = of_file
    assert (code, errors) == (0, "")
    assert "54.2 to 72.7" in printed
    assert f"Made by: {COMMAND}" in printed
    assert not (out / "report").exists()
    assert len(told("info", out)["cells"]) == 10


def test_a_refusal_is_one_line_and_writes_nothing(out, tmp_path, undrawn):
    other = write_matrix(tmp_path / "other", epochs=9)
    table = out / "table.json"
    table.write_text(load_experiment(out).to_text())
    for arguments in (
        (out, other),
        (tmp_path / "none",),
        (out, "--to", out / "matrix.yaml"),
        (table,),
    ):
        refused("report", *arguments)
    assert not (out / "report").exists()


@pytest.mark.process
def test_a_report_needs_no_torch(out):
    script = (
        "import sys\n"
        "from clutrr._cli import app\n"
        "try: app()(['report', sys.argv[1], '--json'])\n"
        "except SystemExit: pass\n"
        "print('torch' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, out], capture_output=True, text=True, check=True
    )
    assert done.stderr == "False\n"
    assert len(json.loads(done.stdout)["results"]) == 5
