"""What the print-out of an audit starts with, and that its tables are whole."""

import pytest

from clutrr.auditor.verdicts import Problem, worst


def test_the_worst_of_each_sort_the_gravest_first():
    found = [
        Problem("M3", "shorter path", 5.0, "5 % of the questions have a shorter path."),
        Problem("M3", "patterns", -4, "holds four patterns only."),
        Problem("M3", "refuted", 1.0, "1 % are ruled out."),
        Problem("M4", "patterns", -2, "holds two patterns only."),
        Problem("M4", "refuted", 7.0, "7 % are ruled out."),
        Problem("M5", "refuted", 3.0, "3 % are ruled out."),
    ]
    assert list(worst(found)) == [
        "M4, the worst of 3: 7 % are ruled out.",
        "M3: 5 % of the questions have a shorter path.",
        "M4, the worst of 2: holds two patterns only.",
    ]
    assert not list(worst([]))


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    from clutrr.generator import Config
    from clutrr.generator.folder import Job, generate_folder

    folder = tmp_path_factory.mktemp("described") / "data"
    config = Config(preset="described", k=(2, 9), train=60, test=40, distractors=0)
    generate_folder(Job(folder, config, workers=1))
    return folder


def test_the_verdict_comes_first_and_every_problem_last(run, described):
    code, printed, _ = run("audit", described)
    lines = printed.splitlines()
    assert code == 0
    assert lines[0].endswith("200 rows")
    assert lines[1].startswith("Verdict: good in part: ")
    first = lines.index("")
    short = [line for line in lines[2:first] if line.startswith("- ")]
    every = [line for line in lines[lines.index("Every problem, by subset:") :] if line.startswith("- ")]
    assert f"All {len(every)} problems are listed at the end." in lines[:first]
    assert 0 < len(short) < len(every)
    assert {line.split(": ", 1)[1] for line in short} <= {line.split(": ", 1)[1] for line in every}


def test_long_patterns_are_shown_whole(run, described):
    """Patterns of nine facts are wider than their column: they go on in the next line."""
    code, printed, _ = run("audit", described)
    table = printed.split("Balance: how many patterns")[1].split("└")[0]
    assert code == 0
    assert "…" not in printed
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in table.splitlines() if "│" in line]
    shown = "".join(cells[-1] for cells in rows)
    assert max(len(pattern.split("-")) for pattern in shown.split(",")) > 9  # inv-child counts twice
