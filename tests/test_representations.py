"""What a notebook shows: cards of puzzles and solutions, worlds in a screenful, bars."""

import re
import sys
import types
from xml.etree import ElementTree

import pytest

import clutrr
from clutrr import _display

STORIES = {
    "kinship": ("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")),
    "order": ("Ben is older than Ann. Cora is older than Ben.", ("Ann", "Cora")),
    "directions": ("Bonn is north of Aarau. Celle is east of Bonn.", ("Aarau", "Celle")),
}


def parsed(html: str) -> ElementTree.Element:
    """The HTML, which is well-formed."""
    return ElementTree.fromstring(html.replace("<br>", "<br/>"))


@pytest.mark.parametrize("world", STORIES)
def test_a_solution_is_a_card_with_its_scene_and_proof(world):
    solution = clutrr.solve(*STORIES[world], world=world)
    card = parsed(solution._repr_html_())
    text = "".join(card.itertext())
    for line in solution.proof.split("\n"):
        assert line in text
    drawn = {one.text for one in card.iter("{http://www.w3.org/2000/svg}text")}
    assert {name for fact in solution.facts for name in fact[::2]} <= drawn


@pytest.mark.parametrize(
    "story",
    [
        "Bob is Ann's son. Ann is Bob's son.",
        "Eve is Ann's grandmother. Dan is Eve's son.",
        "Bob is Ann's <b>son</b> & heir. Bob is Ann's son. Carl is Bob's brother.",
    ],
)
def test_conflicts_doubts_and_marks_are_shown_as_they_are(story):
    first, last = ("Ann", "Bob") if "Dan" not in story else ("Ann", "Dan")
    parsed(clutrr.solve(story, (first, last), world="kinship")._repr_html_())


@pytest.mark.parametrize("world", ["kinship", "time", "kinship-de"])
def test_a_puzzle_is_a_card(world):
    for one in clutrr.generate(k=3, size=3, world=world, distractors=1, noise={"irrelevant": 1}):
        text = "".join(parsed(one._repr_html_()).itertext())
        assert re.sub(r"[\[\]]", "", one.story) in text
        assert one.target in text
        assert all(fact.relation in text for fact in one.facts)
        assert "irrelevant" in text


@pytest.mark.parametrize("name", ["kinship", "time", "kinship-full", "order-de"])
def test_a_world_is_a_screenful(name):
    world = clutrr.load_world(name)
    for shown in (repr(world), str(world)):
        assert len(shown) < 4000
        assert shown.startswith(f"World {name}: theory {world.theory.name}")
    table = parsed(world._repr_html_())
    assert len(list(table.iter("tr"))) == 1 + len(world.kinds)


class Shell:
    """What IPython calls the shell of a notebook."""


Shell.__name__ = "ZMQInteractiveShell"


def test_a_bar_appears_in_a_notebook_after_two_seconds(monkeypatch):
    shown = []
    handle = types.SimpleNamespace(update=shown.append)

    def display(html, display_id):
        shown.append(html)
        return handle

    made = types.SimpleNamespace(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=Shell))
    monkeypatch.setitem(sys.modules, "IPython.display", made)
    seconds = iter([0.0, 1.0, 2.5, 2.6, 3.0])
    monkeypatch.setattr(_display.time, "monotonic", lambda: next(seconds))
    tell = _display.notebook_bar("Training <gnn>")
    for done in (1, 2, 3, 4):
        tell(done, 4, "stories")
    assert [re.search(r"\d of \d", one)[0] for one in shown] == ["2 of 4", "4 of 4"]
    assert "Training &lt;gnn&gt;" in shown[0]


def test_elsewhere_there_is_none(capsys):
    assert not _display.in_notebook()
    _display.notebook_bar("Training")(1, 2, "stories")
    assert capsys.readouterr().out == ""


def test_puzzles_in_other_libraries(repository):
    """The lines of docs/your-data.md."""
    puzzles = clutrr.generate(k=3, size=4)
    page = (repository / "docs/your-data.md").read_text(encoding="utf-8")
    puzzle = puzzles[0]
    if networkx := pytest.importorskip("networkx", reason="networkx is not installed"):
        line = 'networkx.DiGraph((a, b, {"relation": r}) for a, r, b in puzzle.facts)'
        assert line in page
        graph = eval(line, {"networkx": networkx, "puzzle": puzzle})
        assert [graph.edges[fact.head, fact.tail]["relation"] for fact in puzzle.facts] == [
            fact.relation for fact in puzzle.facts
        ]
    torch = pytest.importorskip("torch", reason="torch is not installed")
    line = "torch.tensor([[names.index(a), names.index(b)] for a, r, b in puzzle.facts]).T"
    assert line in page
    names = [one.name for one in puzzle.entities]
    edges = eval(line, {"torch": torch, "names": names, "puzzle": puzzle})
    assert edges.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert len(puzzles.to_pandas()) == 4
