"""The commands: what they print, and how they refuse."""

import resource

import pytest

from commands import is_refusal, process, refused, run, told

SMALL = ("--k", "2", "--train", "8", "--test", "8")
BAD = {  # beside what tests/generator/test_config.py has
    "k backwards": "--k 6-3",
    "k too many": "--k 1-100000000",
    "k without a value": "--k",
    "children no number": "--scene children=few",
    "a scene without a value": "--scene levels",
    "noise of another role": "--noise path=1",
    "noise no number": "--noise supporting=some",
    "no pattern to spare": "--k 1 --disjoint families,patterns",
    "unknown option": "--speed 9",
}


@pytest.mark.parametrize("options", BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_line_and_writes_nothing(tmp_path, options):
    refused("generate", tmp_path / "out", *options.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments", [["destroy", "out"], ["generate"], ["generate", "out", "--k", ""]]
)
def test_wrong_usage_is_one_line_and_writes_nothing(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    refused(*arguments)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("mine")
    for place in (
        tmp_path / "file/out",
        "/proc/out",
        tmp_path / ("x" * 300),
    ):  # a name that is too long
        refused("generate", place, *SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.process
def test_a_disk_that_takes_no_more(tmp_path):
    """Files may grow to 100 KB only: a real write fails in the middle."""
    out, limit = tmp_path / "out", (100_000, 100_000)
    limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit)}
    done = process("generate", out, "--k", "2", "--train", "4000", **limits)
    assert is_refusal(done.returncode, done.stderr)
    assert not out.exists()
    assert not list(tmp_path.rglob("*.making"))
    assert not list(tmp_path.rglob("manifest.json"))


@pytest.mark.parametrize("k", ["2-3", "3, 2", "2,2-3"])
def test_generate_prints_json(tmp_path, k):
    said = told(
        "generate", tmp_path / "out", "--k", k, "--train", "20", "--test", "5", "--seed", "3"
    )
    assert (said["out"], said["stories"]) == (str(tmp_path / "out"), 50)
    assert said["subsets"] == {key: {"train": 20, "test": 5} for key in ("M2", "M3")}


def test_generate_remarks_that_it_chose_larger_scenes(tmp_path):
    options = [
        "--preset",
        "described",
        "--k",
        "3,12",
        "--train",
        "4",
        "--test",
        "4",
        "--distractors",
        "0",
    ]
    printed = run("generate", tmp_path / "out", *options)
    assert "M12: families of 3 levels are too small; those of 4 are used." in printed


def test_paths_prints_table_2():
    *_, last = told("paths")["rows"]  # tests/kinship/test_paths.py has all
    assert last == {"edges": 6, "nodes": 7, "unique": 2814, "with_gender": 5628, "paths": 751968}
    for siblings, beside, count in (("last", True, "6,492"), ("all", False, "94")):
        printed = run("paths", "--max-edges", "3", "--siblings", siblings)
        assert ("paper" in printed) == beside
        assert count in printed


@pytest.mark.parametrize(
    "options",
    [
        "--levels 0",
        "--children 0",
        "--max-edges 1",
        "--siblings some",
        "--max-edges 30",
        "--levels 12",
    ],
)
def test_paths_refuses(options):
    refused("paths", *options.split())
