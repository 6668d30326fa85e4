"""The tables of docs/real-text.md follow from what experiments/results/real-text-tables.json records of each seed,
and that from the result files of the experiments."""

import json

import pytest

from clutrr._report.loading import load_experiment

KEYS = ("all", *map(str, range(2, 11)))


@pytest.fixture(scope="module")
def found(repository):
    return json.loads(
        (repository / "experiments/results/real-text-tables.json").read_text(encoding="utf-8")
    )


def row(found, table, start):
    (values,) = [
        values for name, *values in found["tables"][table]["rows"] if name.startswith(start)
    ]
    return values


SHOWN = {  # rows of the page's tables, and where the record has their figures
    "accuracy": {
        "`pairs`: **facts": "facts answered mean",
        "the same, the composer's learnt table": "facts learnt mean",
        "the same, both tables": "facts both mean",
        "the same, the three readers": "facts three_readers",
        "the same, the test stories **agreeing**": "facts agreed mean",
        "the same, agreeing, the three readers": "facts three_readers_agreed",
        "the same, the test stories agreeing": "answers agreed mean",
        "`pairs+answers`": "answers answered mean",
        "our `gnn`": "gnn_on_retold_facts",
        "ceiling": "gold_facts",
    },
    "template": {
        "`pairs+apart`": "template answered mean",
        "`pairs`": "template together mean",
        "ceiling": "pattern_ceiling",
    },
}


def test_a_row_is_what_is_recorded(found):
    for table, rows in SHOWN.items():
        for start, where in rows.items():
            figures = found
            for key in where.split():
                figures = figures[key]
            assert row(found, table, start) == [figures[key] for key in KEYS], start


def test_means_and_totals_follow_from_the_seeds(found):
    parts = [part for part in found.values() if isinstance(part, dict)]
    every = [
        one for part in parts for one in part.values() if isinstance(one, dict) and "seeds" in one
    ]
    whole = [one for one in every if "mean" in one and "all" in one["mean"]]
    assert len(whole) == 13
    for figures in whole:
        for key in KEYS:
            mean = sum(seed[key] for seed in figures["seeds"]) / 3
            assert (
                abs(mean - figures["mean"][key]) < 0.101
            )  # seeds and mean are rounded each by itself
        for seed in figures["seeds"]:
            total = sum(seed[k] * n for k, n in found["n"].items()) / sum(found["n"].values())
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
    experiment = load_experiment(repository / f"experiments/results/{file}.json")
    results = [result for result in experiment.results if result.key[:2] == (model, "M2-3")]
    for result, seed in zip(results, found[part]["answered"]["seeds"], strict=True):
        scores = {subset.removeprefix("1."): score for subset, score in result.tested.items()}
        assert {k: score.rows for k, score in scores.items()} == found["n"]
        for k, score in {**scores, "all": result.total}.items():
            assert seed[k] == round(score.accuracy, 1)


def test_what_the_page_says_of_them(found):
    """Templates are read as well as patterns allow; the last look is shown; wrong answers have a cause."""
    ceiling = {key: found["pattern_ceiling"][key] for key in KEYS}
    assert found["template"]["answered"]["seeds"] == [ceiling] * 3
    assert min(accuracy for k, accuracy in ceiling.items() if k not in ("all", "3")) >= 99
    *_, (_, _, *last) = found["tables"]["looks"]["rows"]
    facts, answers = (found[name]["answered"]["mean"] for name in ("facts", "answers"))
    assert last == [facts["all"], facts["10"], answers["all"]]
    for column, how in ((1, "answered"), (2, "agreed")):
        wrong = sum(row[column] for row in found["tables"]["causes"]["rows"])
        right = sum(found["facts"][how]["mean"][k] * n / 100 for k, n in found["n"].items())
        assert abs(wrong + right - sum(found["n"].values())) < 1
    read = found["facts_read"]
    assert (
        abs(read["right"] + read["exchanged_by_all_three"] + read["misread"] - read["stated"]) <= 1
    )


@pytest.mark.parametrize("model", ["composer", "composer+spliced"])
def test_composers_have_the_figures_of_their_own_file(found, repository, model):
    experiment = load_experiment(repository / "experiments/results/composer-v1.json")
    by_length = {k: experiment.entry(model, "M2-3", f"1.{k}").accuracy for k in KEYS[1:]}
    total, *shown = row(found, "accuracy", f"our `{model}` ")
    assert shown == pytest.approx(list(by_length.values()), abs=0.06)
    sizes = found["n"]
    mean = sum(by_length[k] * n for k, n in sizes.items()) / sum(sizes.values())
    assert total == pytest.approx(mean, abs=0.06)
