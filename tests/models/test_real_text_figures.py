"""The tables of docs/real-text.md follow from what docs/results/real-text-tables.json records of each seed,
and that from the result files of the experiments."""

import json

import pytest

from clutrr.reports.loading import load_experiment

KEYS = ("all", *map(str, range(2, 11)))


@pytest.fixture(scope="module")
def found(repository):
    return json.loads((repository / "docs" / "results" / "real-text-tables.json").read_text(encoding="utf-8"))


def row(found, table, start):
    (values,) = [values for name, *values in found["tables"][table]["rows"] if name.startswith(start)]
    return values


@pytest.mark.parametrize(
    ("table", "start", "where"),
    [
        ("accuracy", "`pairs`: **facts", ("facts", "answered", "mean")),
        ("accuracy", "the same, the composer's learnt table", ("facts", "learnt", "mean")),
        ("accuracy", "the same, both tables", ("facts", "both", "mean")),
        ("accuracy", "the same, the three readers", ("facts", "three_readers")),
        ("accuracy", "the same, the test stories **agreeing**", ("facts", "agreed", "mean")),
        ("accuracy", "the same, agreeing, the three readers", ("facts", "three_readers_agreed")),
        ("accuracy", "the same, the test stories agreeing", ("answers", "agreed", "mean")),
        ("accuracy", "`pairs+answers`", ("answers", "answered", "mean")),
        ("accuracy", "our `gnn`", ("gnn_on_retold_facts",)),
        ("accuracy", "ceiling", ("gold_facts",)),
        ("template", "`pairs+apart`", ("template", "answered", "mean")),
        ("template", "`pairs`", ("template", "together", "mean")),
        ("template", "ceiling", ("pattern_ceiling",)),
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
        ("facts", "learnt"),
        ("facts", "both"),
        ("facts", "agreed"),
        ("answers", "agreed"),
        ("fourth_look", "answered"),
        ("facts_before", "answered"),
        ("facts_before", "routes_only"),
        ("answers", "answered"),
        ("answers_before", "answered"),
        ("answers_before", "routes_only"),
        ("template", "answered"),
        ("template", "together"),
    ],
)
def test_means_and_totals_follow_from_the_seeds(found, where):
    figures, sizes = found[where[0]][where[1]], found["n"]
    for key in KEYS:
        mean = sum(seed[key] for seed in figures["seeds"]) / 3
        assert abs(mean - figures["mean"][key]) < 0.101  # seeds and mean are rounded each by itself
    for seed in figures["seeds"]:
        total = sum(seed[k] * n for k, n in sizes.items()) / sum(sizes.values())
        assert abs(total - seed["all"]) < 0.1


@pytest.mark.parametrize(
    ("part", "file", "model"),
    [
        ("facts", "real-text", "pairs"),
        ("answers", "real-text", "pairs+answers"),
        ("template", "real-text-retold", "pairs+apart"),
    ],
)
def test_what_is_recorded_is_what_the_experiment_left(found, repository, part, file, model):
    experiment = load_experiment(repository / f"docs/results/{file}.json")
    results = [result for result in experiment.results if result.key[:2] == (model, "M2-3")]
    for result, seed in zip(results, found[part]["answered"]["seeds"], strict=True):
        scores = {subset.removeprefix("1."): score for subset, score in result.tested.items()}
        assert {k: score.rows for k, score in scores.items()} == found["n"]
        for k, score in {**scores, "all": result.total}.items():
            assert seed[k] == round(score.accuracy, 1)


def test_template_text_is_read_as_well_as_its_patterns_allow(found):
    ceiling = {key: found["pattern_ceiling"][key] for key in KEYS}
    assert found["template"]["answered"]["seeds"] == [ceiling] * 3
    rest = [accuracy for k, accuracy in ceiling.items() if k not in ("all", "3")]
    assert min(rest) >= 99


def test_the_last_look_is_the_one_that_is_shown(found):
    *_, (_, _, *last) = found["tables"]["looks"]["rows"]
    facts, answers = (found[name]["answered"]["mean"] for name in ("facts", "answers"))
    assert last == [facts["all"], facts["10"], answers["all"]]


@pytest.mark.parametrize(("column", "how"), [(1, "answered"), (2, "agreed")])
def test_every_wrong_answer_has_a_cause(found, column, how):
    wrong = sum(row[column] for row in found["tables"]["causes"]["rows"])
    right = sum(found["facts"][how]["mean"][k] * n / 100 for k, n in found["n"].items())
    assert abs(wrong + right - sum(found["n"].values())) < 1
    read = found["facts_read"]
    assert abs(read["right"] + read["exchanged_by_all_three"] + read["misread"] - read["stated"]) <= 1


@pytest.mark.parametrize("model", ["composer", "composer+spliced"])
def test_composers_have_the_figures_of_their_own_file(found, repository, model):
    experiment = load_experiment(repository / "docs/results/composer-v1.json")
    by_length = {k: experiment.entry(model, "M2-3", f"1.{k}").accuracy for k in KEYS[1:]}
    total, *shown = row(found, "accuracy", f"our `{model}` ")
    assert shown == pytest.approx(list(by_length.values()), abs=0.06)
    sizes = found["n"]
    mean = sum(by_length[k] * n for k, n in sizes.items()) / sum(sizes.values())
    assert total == pytest.approx(mean, abs=0.06)
