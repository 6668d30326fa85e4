"""One question: the answer, its proof, alternatives with families, conflicts; and bad questions."""

import pytest

import clutrr
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr.errors import DataError
from clutrr.theory import Finding, Verdict

OPEN = "Assumed: open, where a marriage may link two families that are already linked."
TREE = "Assumed: tree, where no marriage links two families that are already linked."


def test_a_proved_answer_with_its_steps():
    solution = clutrr.solve(
        "Bob is Ann's son. Carl is Bob's brother. Ann likes tea.", ("Ann", "Carl")
    )
    assert (solution.answer, solution.status, solution.verdict.entailed) == ("son", "proved", True)
    assert solution.proof.splitlines() == [
        "1. Bob is Ann's son.",
        "2. Carl is Bob's brother; so Carl is Ann's son.",
        "Not son-in-law: it would contradict Bob is Ann's son; Carl is Bob's brother.",
        "So Carl is Ann's son: entailed, nothing else is possible.",
        OPEN,
    ]


def test_a_determined_answer_shows_what_else_could_be():
    solution = clutrr.solve("Bea is Ann's mother. Carl is Bea's grandson.", ("Ann", "Carl"))
    assert (solution.answers, solution.verdict.entailed) == (("son",), False)
    (other,) = solution.explanation.alternatives
    assert other.relation == "child of a sibling"
    assert any({"Ann", "?1"} <= set(couple.children) for couple in other.scene.couples)


def test_alternatives_each_come_with_a_family():
    solution = clutrr.solve("Bob is Ann's grandson. Carol is Bob's mother.", ("Ann", "Carol"))
    assert solution.status == "undetermined"
    assert [a.relation for a in solution.explanation.alternatives] == [
        "daughter",
        "daughter-in-law",
    ]
    daughter, in_law = (a.scene.couples for a in solution.explanation.alternatives)
    assert any("Ann" in couple.partners and "Carol" in couple.children for couple in daughter)
    assert not any("Ann" in couple.partners and "Carol" in couple.children for couple in in_law)


def test_only_the_facts_at_odds_are_named():
    story = "Dan is Cat's son. Bob is Ann's son. Eve is Dan's wife. Ann is Bob's son."
    solution = clutrr.solve(story, ("Cat", "Eve"))
    assert solution.status == "contradictory"
    assert {fact.head for fact in solution.explanation.conflict} == {"Ann", "Bob"}


def test_side_branches_count_as_evidence():
    """A grandchild's mother may be a daughter-in-law; that a daughter has the child's brother settles it."""
    story = "Bob is Ann's grandson. Carol is Bob's mother."
    assert clutrr.solve(story, ("Ann", "Carol")).status == "undetermined"
    more = (
        story
        + " Dan is Carol's husband. Eve is Dan's mother. Eve is Fay's sister. Gus is Ann's father-in-law."
    )
    assert "daughter" in clutrr.solve(more, ("Ann", "Carol")).answers
    settled = story + " Ann is Carol's mother-in-law."
    solution = clutrr.solve(settled, ("Ann", "Carol"))
    assert solution.answer == "daughter-in-law"


@pytest.mark.parametrize("preset", ["sound", "described"])
@pytest.mark.parametrize("k", [2, 6])
@pytest.mark.parametrize("assume", ["tree", "open"])
def test_a_proof_rests_on_facts_that_are_enough(preset, k, assume):
    for puzzle in clutrr.generate(preset, k=k, size=10, seed=8, distractors=0):
        solution = clutrr.solve(puzzle.story, puzzle.query, assume=assume)
        assert puzzle.target in solution.answers
        if solution.explanation.proof is not None:
            said = " ".join(
                f"{f.tail} is {f.head}'s {f.relation}." for f in solution.explanation.proof.facts
            )
            assert clutrr.solve(said, puzzle.query, assume=assume).answer == puzzle.target


@pytest.mark.parametrize(("query", "says"), [(("Ann", "Zoe"), "Zoe"), (("Ann", "Ann"), "twice")])
def test_bad_questions(query, says):
    with pytest.raises(DataError, match=says):
        clutrr.solve("Bob is Ann's son.", query)


MARC = (
    "Jenny is Marc's mother-in-law. Juana is Jenny's daughter. Leland is Juana's husband. "
    "Jared is Leland's son. Allen is Jared's grandfather."
)


def test_a_family_linked_twice_says_how():
    solution = clutrr.solve(MARC, ("Marc", "Allen"))
    assert solution.answers == ("father", "brother", "grandfather", "father-in-law")
    father, brother, *_ = solution.explanation.alternatives
    assert [tuple(link) for link in father.links] == [("Marc", "brother", "Leland")]
    assert (
        "Marc's father, if Leland is Marc's brother, as in this family: Allen and a partner: Marc, Leland"
        in (solution.proof)
    )
    assert {"Marc", "Juana", "Leland"} <= set(brother.scene.twice)
    assert solution.proof.endswith(
        "Assumed: open, where a marriage may link two families that are already linked."
    )
    told = solution.to_dict()
    assert (told["assume"], told["status"]) == ("open", "undetermined")
    assert told["alternatives"][0]["if"] == [["Marc", "brother", "Leland"]]


def test_a_tree_is_linked_once():
    solution = clutrr.solve(MARC, ("Marc", "Allen"), assume="tree")
    assert (solution.answer, solution.verdict.entailed) == ("father-in-law", False)
    assert not any(one.links or one.scene.twice for one in solution.explanation.alternatives)
    assert solution.to_dict()["assume"] == "tree"
    assert solution.proof.endswith(TREE)


@pytest.mark.parametrize("assume", ["tree", "open"])
def test_nobody_is_their_own_relative(assume):
    solution = clutrr.solve("Bob is Ann's son. Ann is Ann's sister.", ("Ann", "Bob"), assume=assume)
    assert solution.status is Finding.CONTRADICTORY
    assert [tuple(fact) for fact in solution.explanation.conflict] == [("Ann", "sister", "Ann")]


def test_a_question_that_folds_into_a_contradiction():
    story = (
        "Hannah is Thaddeus's wife. Otto is Hannah's father-in-law. Harrison is Otto's son-in-law. "
    )
    story += "Eric is Harrison's son."
    solution = clutrr.solve(story, ("Thaddeus", "Eric"), "kinship-v1")
    assert (solution.answer, solution.verdict.entailed) == ("nephew", True)


@pytest.mark.parametrize(
    ("verdict", "status", "findings"),
    [
        ((("son",), True), "proved", ("proved", "refuted", "refuted")),
        ((("son", "nephew"), False), "undetermined", ("undetermined", "refuted", "proved")),
        (((), True), "outside", ("refuted", "refuted", "refuted")),
        (((), False), "contradictory", ("contradictory",) * 3),
        (((), False, False), "not decided", ("not decided",) * 3),
    ],
)
def test_one_vocabulary(verdict, status, findings):
    relations, outside, *decided = verdict
    found = Verdict(relations, outside, "open", *decided)
    assert found.status == status
    assert tuple(found.finding(target) for target in ("son", "father", CANNOT_BE_TOLD)) == findings


def test_the_command_says_what_it_assumes(run):
    asked = ("solve", "--story", MARC, "--query", "Marc", "Allen")
    assert run(*asked)[1].endswith(f"{OPEN}\n")
    assert "Assumed: tree" in run(*asked, "--assume", "tree")[1]
    code, out, error = run(*asked, "--assume", "bush")
    assert (code, out, error) == (2, "", "clutrr: --assume: 'bush' is not one of tree, open\n")
