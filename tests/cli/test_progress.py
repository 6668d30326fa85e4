"""What commands tell while they work, where no bar can be drawn."""

import pytest

from clutrr._cli import show


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ({"done": 1200, "total": 5000}, "stories: 1,200 of 5,000, k = 3\n"),
        ({"done": 1200}, "stories: 1,200, k = 3\n"),
        ({}, "stories: k = 3\n"),
    ],
)
def test_lines_beside_a_bar_that_is_no_terminals(monkeypatch, capsys, told, line):
    monkeypatch.setattr(show, "_QUIET", -1)
    with show.progress("stories") as tell:
        tell(**told, note="k = 3")
    assert capsys.readouterr().err == line
