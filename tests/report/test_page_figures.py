"""Figures of pages that are not an experiment's are what the data gives when they are worked out anew."""

import json

import pytest

from clutrr import _paper as paper
from page_figures import (
    LOOKUPS,
    RESULTS,
    answerable,
    audited,
    lookups,
    our_quality,
    patterns,
    quality,
    ruled_out,
    under_both,
)


def kept(file: str, name: str):
    return json.loads((RESULTS / f"{file}.json").read_text())["tables"][name]


@pytest.fixture(scope="module")
def files(published):
    return audited(published / "v0.1")


@pytest.fixture(scope="module")
def v1(published):
    return audited(published / "v1.0/data_089907f8", by_facts=True)


SIZES = [3, pytest.param(None, marks=pytest.mark.slow)]  # the longest questions; None: all


@pytest.mark.parametrize("longest", SIZES)
def test_how_much_of_the_described_benchmark_has_one_answer(repository, longest):
    found, known = answerable(longest or 6), kept("described", "answerable")
    assert found["rows"] == [row[:longest] for row in known["rows"]]
    assert found["columns"] == known["columns"][:longest]
    two, three, *longer = [round(100 - share, 1) for share in found["rows"][0][1:]]
    page = (repository / "docs/what-the-table-measures.md").read_text()
    assert (
        f"So {two} % of the described questions of two facts, {three} % of those of three" in page
    )
    assert longest or len(longer) == 3
    assert all(19 < share < 22 for share in longer)  # "about a fifth"


@pytest.mark.slow
def test_the_published_files(files, repository):
    assert patterns(files) == kept("published-files", "patterns")
    assert lookups(files) == kept("published-files", "lookups")
    near = sum(
        min(
            abs(cell[name] - paper.accuracy("lstm", cell["train"], cell["test"]))
            for name in LOOKUPS
        )
        <= 4
        for cell in files.matrix
        if cell["train"] != cell["test"] and cell["train"] in paper.SUBSETS
    )
    page = (repository / "docs/what-the-table-measures.md").read_text()
    assert f"Of the LSTM's 12 cells, {near} are within 4 points of one of the two look-ups." in page


@pytest.mark.parametrize("longest", SIZES)
def test_what_the_assumptions_change(longest):
    known = kept("assumptions", "sound")
    assert under_both(longest or 6) == {**known, "rows": known["rows"][: longest and longest - 1]}


@pytest.mark.parametrize("longest", SIZES)
def test_which_targets_are_ruled_out(published, longest):
    known = kept("assumptions", "ruled-out")
    assert ruled_out(published / "v1.0/data_089907f8", longest or 10) == {
        "columns": known["columns"][:longest],
        "rows": [row[:longest] for row in known["rows"]],
    }


@pytest.mark.slow
def test_what_data_is_worth(files, v1, tmp_path):
    assert quality(files, v1, our_quality(tmp_path / "ours")) == kept("data-quality", "quality")


@pytest.mark.slow
def test_what_the_page_on_models_says_of_published_data(files, v1, repository):
    text = " ".join((repository / "docs/models.md").read_text().split())
    assert sum(len(group.patterns) for _, _, group in files.groups) == 10
    for subset in ("M5", "M6"):
        group = files.subsets[subset]["test"]
        assert len(group.labels) == 2
        assert group.shortcuts["form, majority kind"] == 100
    ten, three = v1.subsets["1.10"]["test"], v1.subsets["1.3"]["test"]
    found = ten.soundness["open"]
    assert (
        f"{found['undetermined']:.0f} % have several possible answers, {found['refuted']:.0f} % an answer "
        f"that their own facts rule out, and {ten.leaks.shorter_path:.0f} % a shorter path than they claim"
    ) in text
    assert (
        f"{three.shortcuts['the two names']:.0f} % are answered by looking up the two queried names"
        in text
    )


def measured(record, work, by, workers, value):
    """A measurement of experiments/results/scale.json."""
    rows = [
        row for row in record if (row["work"], row["by"], row["workers"]) == (work, by, workers)
    ]
    return value(rows[0]) if rows else None


@pytest.fixture(scope="module")
def scale():
    return json.loads((RESULTS / "scale.json").read_text())


def test_every_rate_is_rows_by_seconds(scale):
    for rows in (scale["server"]["rows"], scale["loading"]["rows"], *scale["audit"].values()):
        for row in rows if isinstance(rows, list) else ():
            assert row["rows_per_s"] == pytest.approx(row["rows"] / row["seconds"], rel=0.01)


def test_what_is_worked_out_on_paper_follows_from_what_was_measured(scale):
    tables = {name: table["rows"] for name, table in scale["tables"].items()}
    cpu = tables["generate"][-1][4]  # seconds a million, with 16 workers of Dask
    hours, rates = (line[1:] for line in tables["billion"])
    for cores, told, rate in zip((10, 100, 1000), hours, rates, strict=True):
        assert float(told.partition(",")[0]) == pytest.approx(cpu * 1000 / 3600 / cores, rel=0.03)
        assert float(rate.removesuffix(" GB")) == pytest.approx(
            cores / cpu * 1e6 * 401 / 1e9, rel=0.05
        )
    full = {(row["model"], row["k"]): row["full_s"] for row in scale["train"]}
    seed = (
        sum(2 * seconds for seconds in full.values()) / 3600
    )  # four lengths, the mean of two for each
    first, second, _ = tables["table-1"][0][1:]
    assert float(first) == pytest.approx(10 * seed, abs=0.5)
    assert float(second) == pytest.approx(seed, abs=0.05)


def test_how_work_grows_follows_from_the_measurements(scale):
    content, tables, server = scale, scale["tables"], scale["server"]["rows"]
    for workers, *speeds, here, there, more in tables["generate"]["rows"]:
        found = [
            measured(server, "generate", by, workers, lambda row: row["rows_per_s"])
            for by in ("processes", "dask")
        ]
        costs = [
            measured(
                server, "generate", by, workers, lambda row: row["cpu_seconds"] / row["rows"] * 1e6
            )
            for by in ("processes", "dask")
        ]
        assert speeds == found
        assert [here, there] == pytest.approx(costs, abs=0.06)
        assert more == f"{100 * (costs[1] / costs[0] - 1):+.0f} %"
    for workers, rows, *speeds in tables["audit"]["rows"]:
        for by, speed in zip(("processes", "dask"), speeds, strict=True):
            assert speed == measured(server, "audit", by, workers, lambda row: row["rows_per_s"])
        assert rows == measured(server, "audit", "dask", workers, lambda row: row["rows"])
    before, after = (
        [row["cpu_seconds"] for row in content["audit"][when]] for when in ("before", "after")
    )
    assert [row[1:] for row in tables["travel"]["rows"]] == [
        list(pair) for pair in zip(before, after, strict=True)
    ]
    seconds = {(row["model"], row["k"]): row["full_s"] for row in content["train"]}
    for model, *shown in tables["train"]["rows"]:
        assert shown == [round(seconds[model, k]) for k in (3, 6)]
