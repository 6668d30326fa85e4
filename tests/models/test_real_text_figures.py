"""The tables of docs/real-text.md follow from what docs/results/real-text.json records of each seed."""

import json

import pytest

KEYS = ("all", *map(str, range(2, 11)))


@pytest.fixture(scope="module")
def found(repository):
    return json.loads((repository / "docs" / "results" / "real-text.json").read_text(encoding="utf-8"))


def row(found, table, start):
    (values,) = [values for name, *values in found["tables"][table]["rows"] if name.startswith(start)]
    return values


@pytest.mark.parametrize(
    ("table", "start", "where"),
    [
        ("accuracy", "`pairs`: **facts", ("facts", "answered", "mean")),
        ("accuracy", "the same, the three readers", ("facts", "three_readers")),
        ("accuracy", "`pairs+answers`", ("answers", "answered", "mean")),
        ("accuracy", "our `gnn`", ("gnn_on_retold_facts",)),
        ("accuracy", "ceiling", ("gold_facts",)),
        ("template", "`pairs+apart`", ("template", "answered", "mean")),
        ("template", "`pairs`", ("template", "together", "mean")),
    ],
)
def test_a_row_is_what_is_recorded(found, table, start, where):
    figures = found
    for key in where:
        figures = figures[key]
    assert row(found, table, start) == [figures[key] for key in KEYS]


@pytest.mark.parametrize(
    "where",
    [
        ("facts", "answered"),
        ("facts_before", "answered"),
        ("facts_before", "routes_only"),
        ("answers", "answered"),
        ("answers", "routes_only"),
        ("template", "answered"),
        ("template", "together"),
    ],
)
def test_means_and_totals_follow_from_the_seeds(found, where):
    figures, sizes = found[where[0]][where[1]], found["n"]
    for key in KEYS:
        assert abs(sum(seed[key] for seed in figures["seeds"]) / 3 - figures["mean"][key]) < 0.06
    for seed in figures["seeds"]:
        total = sum(seed[k] * n for k, n in sizes.items()) / sum(sizes.values())
        assert abs(total - seed["all"]) < 0.1


def test_every_wrong_answer_has_a_cause(found):
    wrong = sum(stories for _, stories in found["tables"]["causes"]["rows"])
    right = sum(found["facts"]["answered"]["mean"][k] * n / 100 for k, n in found["n"].items())
    assert abs(wrong + right - sum(found["n"].values())) < 1
    read = found["facts_read"]
    assert abs(read["right"] + read["exchanged_by_all_three"] + read["misread"] - read["stated"]) <= 1


@pytest.mark.parametrize(
    ("model", "file"), [("composer", "composer-v1"), ("composer+spliced", "composer-v1-spliced")]
)
def test_composers_have_the_figures_of_their_own_file(found, repository, model, file):
    cells = json.loads((repository / f"docs/results/{file}.json").read_text(encoding="utf-8"))["cells"]
    by_length = {c["test"]: c["accuracy"] for c in cells if c["model"] == model and c["train"] == "M2-3"}
    total, *shown = row(found, "accuracy", f"our `{model}` ")
    assert shown == pytest.approx([by_length[f"M{k}"] for k in KEYS[1:]], abs=0.06)
    sizes = found["n"]
    mean = sum(by_length[f"M{k}"] * n for k, n in sizes.items()) / sum(sizes.values())
    assert total == pytest.approx(mean, abs=0.06)
