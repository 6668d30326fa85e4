"""Questions about the tables of a theory: every cell, with all that is possible, and why."""

import json

import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._puzzle import Fact
from clutrr.theory import find_theory
from commands import refused, run, told

NUMBERS = {"order": 9, "time": 169, "regions": 64, "directions": 81, "kinship": 256}
# Allen's conceptual neighbours where one end moves at a time, from Freksa's figure.
NEAR = {
    "before": "meets",
    "meets": "before overlaps",
    "overlaps": "meets starts finished-by",
    "starts": "overlaps during equals",
    "during": "starts finishes",
    "finishes": "during equals overlapped-by",
    "equals": "starts started-by finishes finished-by",
    "finished-by": "overlaps contains equals",
    "contains": "started-by finished-by",
    "started-by": "contains equals overlapped-by",
    "overlapped-by": "met-by started-by finishes",
    "met-by": "overlapped-by after",
    "after": "met-by",
}


@pytest.mark.parametrize("name", NUMBERS)
def test_every_cell_of_the_composition(name):
    """Against the table that is computed from the things of a theory; of kinship, against all families' ways."""
    questions = clutrr.generate(table="composition", world=name)
    world = questions.world
    assert len(questions) == NUMBERS[name] == len({one.given for one in questions})
    for one in questions:
        kinds = [world.meaning[label].kind.name for label in one.given]
        possible = {world.meaning[label].kind.name for label in one.answers}
        if name == "kinship":
            assert possible <= set(world.index)
            continue
        algebra = world.theory.algebra
        cell = int(algebra.table[tuple(map(world.theory.kinds.index, kinds))])
        assert possible == {kind for i, kind in enumerate(world.theory.kinds) if cell >> i & 1}
        assert not one.other
    assert all(one.proof for one in questions)


@pytest.mark.parametrize("name", ["kinship", "time", "kinship-fr", "order-zh"])
def test_converses(name):
    for one in clutrr.generate(table="converse", world=name):
        world = clutrr.load_world(name)
        (relation,) = one.given
        kind = world.kind(world.meaning[relation].kind.converse)
        verdict = world.theory.solver(world.labels, world.theory.assumption().name).verdict(
            [Fact("A", relation, "B")], ("B", "A")
        )
        assert one.answers == verdict.relations
        assert set(one.answers) <= set(kind.words)


def test_neighbours_of_intervals_are_those_that_are_published():
    found = {
        one.given[0].replace(" ", "-"): {answer.replace(" ", "-") for answer in one.answers}
        for one in clutrr.generate(table="neighbours", world="time")
    }
    assert found == {relation: set(near.split()) for relation, near in NEAR.items()}


@pytest.mark.parametrize("name", ["order", "directions"])
def test_neighbours_are_mutual(name):
    near = find_theory(name)().neighbours()
    assert all(kind in near[other] for kind, others in near.items() for other in others)
    assert all(kind not in others for kind, others in near.items())


def test_replies_are_read_as_sets():
    (one,) = (
        one
        for one in clutrr.generate(table="composition", world="time")
        if one.given == ("overlaps", "overlaps")
    )
    assert one.question == "B overlapped A. C overlapped B. How does C relate to A in time?"
    assert set(one.answers) == {"before", "meets", "overlaps"}
    assert one.right(f"So it is ...\nAnswer: {', '.join(reversed(one.answers))}.")
    assert not one.right(f"Answer: {one.answers[0]}")
    assert one.shared(f"Answer: {one.answers[0]}") == pytest.approx(1 / len(one.answers))
    assert one.read("I do not know") is None
    assert one.read("Answer: all of them") == one.relations
    assert one.read("**Answer:** met by, overlapped by") == ("overlapped by", "met by")


def test_invented_words_and_a_folder(tmp_path):
    options = ["--table", "composition", "--world", "order", "--nonce", 2]
    printed = run("generate", tmp_path / "o", *options)
    assert "9 questions about the composition of world order-nonce-2" in printed
    rows = pq.read_table(tmp_path / "o/data/composition/test-00000-of-00001.parquet").to_pylist()
    assert len(rows) == 9
    words = clutrr.load_world(tmp_path / "o/world").relations
    assert all(set(row["answers"]) <= set(words) for row in rows)
    assert all(word in rows[0]["prompt"] for word in words)
    card = (tmp_path / "o/README.md").read_text()
    assert json.loads(card.split("---")[1])["configs"][0]["config_name"] == "composition"
    assert told("generate", tmp_path / "o", *options)["questions"] == 9  # again, the same


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--table", "all"], "table: 'all' is not one of composition, converse, neighbours"),
        (["--table", "converse", "--k", "2"], "k: a table has none"),
        (["--table", "neighbours"], "the theory of kinship does not say what its relations change"),
    ],
)
def test_what_does_not_apply_is_refused(tmp_path, options, message):
    assert message in refused("generate", tmp_path / "o", *options)
    assert not (tmp_path / "o").exists()
