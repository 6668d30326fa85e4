"""Questions that need statements beside their routes, and facts that are stated as alternatives."""

import json
from collections import Counter
from pathlib import Path

import pytest

import clutrr
from clutrr._statement import Statement, Status
from clutrr._worlds import load_world

PROVED = [
    {"world": "kinship", "preset": "sound", "k": 3, "off_path": 1},
    {"world": "kinship", "preset": "strict", "k": 3, "off_path": 1, "style": "prose"},
    {"world": "directions", "preset": "strict", "k": 3, "off_path": 2, "noise": "supporting=2"},
    {
        "world": "time",
        "preset": "strict",
        "k": 3,
        "off_path": 1,
        "vague": 0.3,
        "style": "prose",
        "brackets": False,
    },
    {"world": "regions", "preset": "strict", "k": 3, "off_path": 1, "noise": "irrelevant=1"},
    {"world": "order", "preset": "strict", "k": 4, "off_path": 2},
    {"world": "directions", "preset": "strict", "k": 3, "vague": 0.4, "assume": "unit"},
]
MIXED = [
    {"world": "time", "preset": "mixed", "k": 3, "off_path": 1},
    {"world": "order", "preset": "mixed", "k": 3, "noise": "supporting=1,irrelevant=1"},
    {"world": "kinship", "preset": "mixed", "k": 3, "noise": "supporting=2"},
]


_MADE = {}


def made(settings, size=32):
    """The puzzles of settings; a block is drawn at once, so that few cost as much as many."""
    key = (str(settings), size)
    if key not in _MADE:
        found = clutrr.generate(**settings, size=size, seed=3, distractors=1)
        _MADE[key] = found[:]
    return _MADE[key]


def deciding(settings, puzzles):
    world = load_world(settings["world"])
    return world, world.theory.solver(world.labels, puzzles.assume)


def off_path(puzzle):
    return [one for one in puzzle.statements if one.role == "off-path"]


@pytest.mark.parametrize("settings", PROVED, ids=str)
def test_each_statement_is_needed_and_all_are_enough(settings):
    puzzles = made(settings)
    _, solver = deciding(settings, puzzles)
    for puzzle in puzzles:
        verdict = solver.verdict(solver.plain(puzzle.given), puzzle.query)
        assert verdict.relations == (puzzle.target,) == puzzle.possible
        assert verdict.outside is puzzle.outside
        assert not (settings["preset"] == "strict" and verdict.outside)
        needed = off_path(puzzle)
        assert len(needed) == settings.get("off_path", 0)
        for one in needed:
            assert not set(puzzle.query) <= {one.head, one.tail, *one.entities}
            rest = solver.plain([other for other in puzzle.given if other is not one])
            left = solver.verdict(rest, puzzle.query)
            kept = left.relations == (puzzle.target,)
            assert not (kept and not (settings["preset"] == "strict" and left.outside)), one
        routes = [f for f, role in zip(puzzle.facts, puzzle.roles, strict=True) if role == "path"]
        steps = [one for one in puzzle.statements if one.role == "path"]
        bare = solver.plain([*routes, *steps, *needed])
        assert solver.verdict(bare, puzzle.query).relations == (puzzle.target,)


@pytest.mark.parametrize("settings", [*PROVED, *MIXED], ids=str)
def test_the_text_says_what_the_columns_say(settings):
    puzzles = made(settings)
    world, _ = deciding(settings, puzzles)
    for puzzle in puzzles:
        read = clutrr.solve(puzzle.story, puzzle.query, world, puzzles.assume)
        assert (read.verdict.relations, read.verdict.outside) == (puzzle.possible, puzzle.outside)
        assert not read.unread
        for one in puzzle.statements:
            said = puzzle.story[one.start : one.end]
            assert one.head in said
            assert any((s.start, s.end) == (one.start, one.end) for s in puzzle.sentences)
    ((_, _, group),) = clutrr.audit(puzzles).groups
    assert group.text["agrees"] == 100


@pytest.mark.parametrize("settings", MIXED, ids=str)
def test_half_of_the_mixed_questions_stay_open_with_noise_and_statements(settings):
    puzzles = made(settings)
    _, solver = deciding(settings, puzzles)
    open_ = [puzzle for puzzle in puzzles if puzzle.target == "cannot be told"]
    assert 8 <= len(open_) <= 24
    for puzzle in puzzles:
        verdict = solver.verdict(solver.plain(puzzle.given), puzzle.query)
        assert (len(verdict.relations) > 1) == (puzzle.target == "cannot be told")
        for one in off_path(puzzle):
            rest = solver.plain([other for other in puzzle.given if other is not one])
            assert solver.verdict(rest, puzzle.query) != verdict


def test_the_share_of_vague_facts_and_of_kinds():
    puzzles = made({"world": "directions", "preset": "strict", "k": 4, "vague": 0.25}, size=400)
    vague = sum(len(puzzle.statements) for puzzle in puzzles)
    assert vague / sum(4 for _ in puzzles) == pytest.approx(0.25, abs=0.03)
    puzzles = made({"world": "directions", "preset": "strict", "k": 4, "off_path": 2}, size=400)
    kinds = Counter(one.kind for puzzle in puzzles for one in puzzle.statements)
    assert max(kinds.values()) <= 0.55 * kinds.total()
    targets = Counter(puzzle.target for puzzle in puzzles)
    assert max(targets.values()) <= 1.7 * min(targets.values())


def test_a_stream_has_them_and_is_pure():
    settings = {"world": "directions", "preset": "strict", "k": 3, "off_path": 1, "distractors": 0}
    one, other = (clutrr.stream(**settings, seed=5) for _ in range(2))
    assert one[3000] == other[3000]
    assert one[7].statements
    assert one[7].statements[0].role == "off-path"


def test_a_folder_holds_them_on_any_number_of_workers(tmp_path):
    settings = {"world": "order", "preset": "strict", "k": 3, "off_path": 1, "distractors": 0}
    told = [
        clutrr.generate(out=tmp_path / str(n), workers=n, train=30, test=20, seed=2, **settings)
        for n in (1, 2)
    ]
    assert told[0]["files"] == told[1]["files"] if "files" in told[0] else told[0] == told[1]
    puzzles = clutrr.read(tmp_path / "1")
    assert all(len(off_path(puzzle)) == 1 for puzzle in puzzles)
    assert list(clutrr.generate(size=30, seed=2, **settings)) == [
        puzzle for puzzle in puzzles if "train" in puzzle.id
    ]
    card = (tmp_path / "1/README.md").read_text()
    assert "Every answer needs 1 statement beside the facts of its routes" in card
    assert "| off-path: denial |" in card
    assert "`statements` (what the story gives beside facts" in " ".join(card.split())
    assert json.loads((tmp_path / "1/manifest.json").read_text())["config"]["off_path"] == 1


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"world": "kinship-de", "off_path": 1, "k": 3}, "has no words for what is no fact"),
        ({"world": "kinship-de", "vague": 0.5, "k": 3}, "has no words for what is no fact"),
        ({"preset": "published", "off_path": 1, "k": 3}, "preset published has facts alone"),
        ({"off_path": 1, "k": 1}, "starts at k = 2"),
        ({"off_path": -1}, "off_path"),
        ({"vague": 1.5}, "vague"),
        ({"off_path": 1, "k": 3, "disjoint": "patterns"}, "not divided by patterns"),
        ({"world": "time", "off_path": 1, "k": 2}, "no question of M2 was found"),
        ({"world": "directions", "off_path": 1, "k": 3, "assume": "unit"}, "no question of M3"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(settings, said):
    with pytest.raises(clutrr.ClutrrError, match=said):
        list(clutrr.generate(**settings, size=4))


def test_settings_without_statements_leave_no_trace():
    (puzzle,) = clutrr.generate(k=2, size=1)
    assert puzzle.statements == ()
    assert "off_path" not in clutrr.stream(k=2).config.to_dict()


def _kinds(world, one):
    """The given in the words of the programs of people and of points."""
    names = {label: world.meaning[label].kind.name for label in world.relations}
    if not isinstance(one, Statement):
        return one._replace(relation=names[one.relation])
    kinds = tuple(dict.fromkeys(names[label] for label in one.relations))
    status = Status.ASSERTED
    return Statement(one.kind, one.head, kinds, one.tail, one.entities, status)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [one for one in PROVED if one["world"] != "kinship"], ids=str)
def test_an_answer_set_program_says_the_same(settings, monkeypatch):
    pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "theory"))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    from statement_program import possible

    puzzles = made(settings)
    world = load_world(settings["world"])
    kinds = [kind.name for kind in world.kinds]

    def right(puzzle, given):
        told = [_kinds(world, one) for one in given]
        return possible(settings["world"], puzzles.assume, told, puzzle.query, kinds)

    for puzzle in puzzles:
        target = {world.meaning[puzzle.target].kind.name}
        assert right(puzzle, puzzle.given) == target
        for one in off_path(puzzle):
            assert right(puzzle, [other for other in puzzle.given if other is not one]) > target


@pytest.mark.slow
@pytest.mark.parametrize("settings", [one for one in PROVED if one["world"] == "kinship"], ids=str)
def test_an_answer_set_program_of_people_says_the_same(settings, monkeypatch):
    pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))
    from kin_people import Said, answers

    words = {"alternatives": "some", "denial": "denied", "closure": "closed", "form": "form"}

    def program(one):
        if not isinstance(one, Statement):
            return Said("some", one.head, (one.relation,), (one.tail,))
        others = (one.tail,) if one.tail else one.entities
        return Said(words[one.kind.value], one.head, one.relations, others)

    puzzles = made(settings)
    for puzzle in puzzles:
        found = answers(map(program, puzzle.given), puzzle.query, puzzles.assume)
        assert found - {"outside"} == {puzzle.target}
        assert ("outside" in found) is puzzle.outside
        for one in off_path(puzzle):
            rest = [program(other) for other in puzzle.given if other is not one]
            left = answers(rest, puzzle.query, puzzles.assume)
            kept = {puzzle.target} if settings["preset"] == "strict" else {puzzle.target, "outside"}
            assert not left <= kept
