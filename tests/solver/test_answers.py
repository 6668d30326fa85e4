"""One question: the answer, its proof, alternatives with families, conflicts; and bad questions."""

import pytest

import clutrr
from clutrr.errors import DataError


def test_a_proved_answer_with_its_steps():
    solution = clutrr.solve("Bob is Ann's son. Carl is Bob's brother. Ann likes tea.", ("Ann", "Carl"))
    assert (solution.answer, solution.status, solution.verdict.entailed) == ("son", "proved", True)
    assert solution.proof.splitlines() == [
        "1. Bob is Ann's son.",
        "2. Carl is Bob's brother; so Carl is Ann's son.",
        "Not son-in-law: it would contradict Bob is Ann's son; Carl is Bob's brother.",
        "So Carl is Ann's son; nothing else is possible.",
    ]


def test_a_determined_answer_shows_what_else_could_be():
    solution = clutrr.solve("Bea is Ann's mother. Carl is Bea's grandson.", ("Ann", "Carl"))
    assert (solution.answers, solution.verdict.entailed) == (("son",), False)
    (other,) = solution.explanation.alternatives
    assert other.relation == "child of a sibling"
    assert any({"Ann", "?1"} <= set(couple.children) for couple in other.family.couples)


def test_alternatives_each_come_with_a_family():
    solution = clutrr.solve("Bob is Ann's grandson. Carol is Bob's mother.", ("Ann", "Carol"))
    assert solution.status == "undetermined"
    assert [a.relation for a in solution.explanation.alternatives] == ["daughter", "daughter-in-law"]
    daughter, in_law = (a.family.couples for a in solution.explanation.alternatives)
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


def test_what_was_not_understood_is_said():
    solution = clutrr.solve("Bob is Ann's son. Bob adores the twins.", ("Ann", "Bob"))
    assert solution.unread == ("Bob adores the twins.",)
    assert "Not understood: Bob adores the twins." in str(solution)


@pytest.mark.parametrize("preset", ["sound", "described"])
@pytest.mark.parametrize("k", [2, 6])
def test_a_proof_rests_on_facts_that_are_enough(preset, k):
    for puzzle in clutrr.generate(preset, k=k, size=25, seed=8, distractors=0):
        solution = clutrr.solve(puzzle.story, puzzle.query)
        assert puzzle.target in solution.answers
        if solution.explanation.proof is not None:
            said = " ".join(f"{f.tail} is {f.head}'s {f.relation}." for f in solution.explanation.proof.facts)
            assert clutrr.solve(said, puzzle.query).answer == puzzle.target


@pytest.mark.parametrize(("query", "says"), [(("Ann", "Zoe"), "Zoe"), (("Ann", "Ann"), "twice")])
def test_bad_questions(query, says):
    with pytest.raises(DataError, match=says):
        clutrr.solve("Bob is Ann's son.", query)
