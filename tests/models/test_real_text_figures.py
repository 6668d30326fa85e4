"""The figures of docs/real-text.md are those of docs/results/real-text.json."""

import json
import re

KEYS = ("all", *map(str, range(2, 11)))


def test_the_page_shows_the_recorded_figures(repository):
    page = (repository / "docs" / "real-text.md").read_text(encoding="utf-8")
    found = json.loads((repository / "docs" / "results" / "real-text.json").read_text(encoding="utf-8"))
    rows = {
        "`pairs`: **facts at training time**": found["facts"]["answered"]["mean"],
        "`pairs+answers`: **answers only**": found["answers"]["answered"]["mean"],
        "our `gnn` on the facts": found["gnn_on_retold_facts"],
        "ceiling: `pairs` given the gold facts": found["gold_facts"],
    }
    for name, figures in rows.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {name}")]
        assert [float(cell) for cell in re.findall(r"\| (\d+\.\d) ", line)] == [figures[key] for key in KEYS]


def test_means_and_totals_follow_from_the_parts(repository):
    found = json.loads((repository / "docs" / "results" / "real-text.json").read_text(encoding="utf-8"))
    sizes = found["n"]
    for setting in ("facts", "answers"):
        for view in ("answered", "routes_only"):
            figures = found[setting][view]
            for key in KEYS:
                mean = sum(seed[key] for seed in figures["seeds"]) / 3
                assert abs(mean - figures["mean"][key]) < 0.06
            for seed in figures["seeds"]:
                total = sum(seed[k] * n for k, n in sizes.items()) / sum(sizes.values())
                assert abs(total - seed["all"]) < 0.1
