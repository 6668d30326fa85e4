"""STaR: questions about intervals and regions as facts without text."""

import pytest

from clutrr import audit
from clutrr._data import open_dataset
from clutrr._puzzle import Fact
from clutrr._solve import Judge
from clutrr.errors import DataError
from clutrr.theory import Finding

HEADER = ",edges,edge_labels,query_edge,query_label\n"
ROW = "0,\"[(0, 1), (1, 3), (0, 2), (2, 3)]\",\"['NTPP', 'TPPI', 'TPP', 'DC']\",\"(0, 3)\",DC\n"


@pytest.mark.parametrize("theory", ["interval", "rcc8"])
def test_every_published_row_is_proved(published, theory):
    files = sorted(published.glob(f"star/test_{theory}_*.csv"))
    assert len(files) == 10
    for file in files:
        data = open_dataset(file)
        assert data.world.name == {"interval": "time", "rcc8": "regions"}[theory]
        judge, k, b = Judge(data.world), *map(int, file.stem.split("_")[3::2])
        puzzles = list(data.puzzles())
        assert len(puzzles) == 400
        for puzzle in puzzles:
            judgement = judge.judge(puzzle.facts, puzzle.query, puzzle.target)
            assert (judgement.finding, judgement.entailed) == (Finding.PROVED, True)
            assert puzzle.k == k
            assert len(puzzle.routes) >= b


def test_an_edge_is_read_from_its_second_entity(tmp_path):
    (tmp_path / "one.csv").write_text(HEADER + ROW)
    (puzzle,) = open_dataset(tmp_path / "one.csv").puzzles()
    assert puzzle.query == ("3", "0")
    assert puzzle.target == "disconnected from"
    assert Fact("1", "inside away from the edge of", "0") in puzzle.facts
    assert set(puzzle.routes) == {("TPPI", "NTPP"), ("DC", "TPP")}
    found = audit(tmp_path / "one.csv", facts=True).subsets["M2"]
    assert [group.soundness["any"]["proved"] for group in found.values()] == [100.0]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("'DC']", "'QQ']"), "line 2: world 'regions' has no relation 'QQ'"),
        (("(2, 3)]", "(2, 3), (3, 4)]"), "line 2: not edges such as"),
        (("[(0, 1)", "[(0, __import__('os'))"), "line 2: not edges such as"),
        (("(0, 3)", "(0, 9)"), "line 2: no facts join 9 and 0"),
    ],
)
def test_bad_rows(tmp_path, wrong, message):
    (tmp_path / "one.csv").write_text(HEADER + ROW.replace(*wrong))
    with pytest.raises(DataError, match=message):
        list(open_dataset(tmp_path / "one.csv").puzzles())


def test_files_of_two_worlds_are_opened_apart(tmp_path):
    (tmp_path / "one.csv").write_text(HEADER + ROW)
    (tmp_path / "two.csv").write_text(HEADER + '0,"[(0, 1), (1, 2)]","[\'m\', \'m\']","(0, 2)",<\n')
    with pytest.raises(
        DataError, match="files of several worlds, regions, time: put those of each"
    ):
        open_dataset(tmp_path)
    for world, name in (("regions", "one"), ("time", "two")):
        data = open_dataset(tmp_path / f"{name}.csv")
        assert (data.world.name, [puzzle.id for puzzle in data.puzzles()]) == (world, [f"{name}-2"])
        assert audit(data).good_for.startswith(
            "every target is proved"
        )  # there is no text to judge by
