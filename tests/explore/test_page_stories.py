"""What the page says of a story is true: its words, roles, verdict, proof and families."""

from functools import partialmethod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import generate, load_world
from clutrr._explore.stories import DISTRACTOR, OTHER, PATH, STATED, UNREAD, VERDICTS, StoryBuilder
from clutrr._puzzle import CANNOT_BE_TOLD, Entity, Fact, Puzzle
from clutrr._solve import Judge, solve
from clutrr.theory import Finding
from clutrr.theory.kinship.deciding.solver import KinshipSolver
from kin_oracle import MEANING, STEPS
from made import told

BUILDER = StoryBuilder(load_world(), "tree")
JUDGE = Judge(load_world(), "tree")
NAMES = ("Ann", "Bob", "Cia", "?1", "3")


class Shown:
    """What the page shows of a puzzle: parts as role, facts, shape and entities by name."""

    def __init__(self, puzzle: Puzzle, builder: StoryBuilder = BUILDER) -> None:
        self.verdict, self.case = builder.build(puzzle)
        self.entities, self.facts = self.case["entities"], self.case["facts"]
        self.parts = [
            (
                role,
                facts,
                shape,
                [one if isinstance(one, str) else self.entities[one] for one in named],
            )
            for role, facts, shape, *named in self.case["parts"]
        ]
        self.roles = [role for role, *_ in self.parts]


def text_of(story: Shown) -> str:
    """The story put together again from its parts."""
    texts = []
    for _, _, shape, entities in story.parts:
        pieces = shape.split("[]")
        assert len(pieces) == len(entities) + 1
        filled = [
            literal + f"[{entity}]" for literal, entity in zip(pieces, entities, strict=False)
        ]
        texts.append("".join(filled) + pieces[-1])
    return " ".join(texts)


def made_up(story: str, facts: list[Fact], query=("Ann", "Bob"), target="son") -> Puzzle:
    people = tuple(Entity(name, "") for name in query)
    return told(story, facts, target, query=query, k=1, pattern=("child",), entities=people)


@pytest.mark.parametrize(
    ("preset", "k"), [("sound", 3), ("described", 4), ("described", 6), ("published", 5)]
)
def test_the_parts_are_the_story_and_its_facts(preset, k):
    for puzzle in generate(preset, k=k, size=10, seed=11):
        story = Shown(puzzle)
        assert text_of(story) == puzzle.story
        facts = [
            Fact(story.entities[h], relation, story.entities[t]) for h, relation, t in story.facts
        ]
        assert set(facts) == set(puzzle.facts)
        assert story.case["path"] == list(range(k))
        stated = [(said[0], entities) for role, said, _, entities in story.parts if role == PATH]
        assert sorted(said for said, _ in stated) == list(range(k))
        for said, entities in stated:
            assert {facts[said].head, facts[said].tail} == set(entities)
        assert set(story.roles) == {PATH, DISTRACTOR}
        assert tuple(story.entities[i] for i in story.case["query"]) == puzzle.query


@pytest.mark.parametrize(("preset", "k"), [("sound", 3), ("described", 3), ("described", 5)])
def test_the_verdict_is_the_solvers(preset, k):
    for puzzle in generate(preset, k=k, size=20, seed=12):
        story = Shown(puzzle)
        judgement = JUDGE.judge(puzzle.facts, puzzle.query, puzzle.target)
        assert story.verdict.split(",")[0] == judgement.finding.value
        assert story.verdict.endswith(", entailed") == judgement.entailed
        solution = solve(puzzle.story, puzzle.query, assume="tree")
        assert list(story.case["answers"]) == list(solution.answers)
        alternatives = [relation for relation, _ in story.case.get("alternatives", [])]
        assert alternatives == [one.relation for one in solution.explanation.alternatives]
        assert ("proof" in story.case) == (judgement.finding is Finding.PROVED)


def reached(scene, start: int, steps: list[str]) -> set[int]:
    """The nodes to which steps over couples and children lead, never to the same one twice."""
    routes = [[start]]
    for step in steps:
        longer = []
        for route in routes:
            for partners, children, *_ in scene["junctions"]:
                ends = {
                    "child": (partners, children),
                    "parent": (children, partners),
                    "spouse": (partners, partners),
                }
                if route[-1] in ends[step][0]:
                    longer += [[*route, end] for end in ends[step][1] if end not in route]
        routes = longer
    return {route[-1] for route in routes}


def siblings(scene, start: int) -> set[int]:
    return {
        n
        for _, children, *_ in scene["junctions"]
        if start in children
        for n in children
        if n != start
    }


def assert_holds(scene, head: int, relation: str, tail: int) -> None:
    node = {person: i for i, (person, *_) in enumerate(scene["nodes"]) if person >= 0}
    kind, gender = MEANING[relation]
    found = (
        siblings(scene, node[head])
        if kind == "sibling"
        else reached(scene, node[head], STEPS[kind])
    )
    assert node[tail] in found, relation
    assert scene["nodes"][node[tail]][3] == ("female", "male").index(gender)


@pytest.mark.parametrize(
    ("preset", "k"), [("sound", 3), ("described", 4), ("sound", 6), ("described", 6)]
)
def test_the_families_that_are_drawn_show_what_they_say(preset, k):
    for puzzle in generate(preset, k=k, size=8, seed=13):
        story = Shown(puzzle)
        shown = [(puzzle.target, story.case["scene"])]
        shown += [one for one in story.case.get("alternatives", []) if one[0] in MEANING]
        for relation, scene in shown:
            for head, stated, tail in story.facts:
                assert_holds(scene, head, stated, tail)
            head, tail = story.case["query"]
            assert_holds(scene, head, relation, tail)


def test_a_refuted_target_is_drawn_as_what_it_can_be():
    puzzle = made_up("[Ann] has a son called [Bob].", [Fact("Ann", "son", "Bob")], target="brother")
    story = Shown(puzzle)
    assert story.verdict == "refuted"
    assert story.case["shows"] == "son"
    assert_holds(story.case["scene"], 0, "son", 1)


def test_facts_at_odds_are_named():
    text = "[Ann] has a son called [Bob]. [Bob] has a son called [Ann]."
    story = Shown(made_up(text, [Fact("Ann", "son", "Bob")]))
    assert story.verdict == "contradictory"
    assert sorted(story.case["conflict"]) == [0, 1]
    assert len(story.case["scene"]["nodes"]) == 2


def test_what_is_not_understood_stands_out():
    text = "[Ann] has a son called [Bob]. [Bob] once married into money [] [stray"
    story = Shown(made_up(text, [Fact("Ann", "son", "Bob")]))
    assert story.roles[:2] == [PATH, UNREAD]
    assert "stray" in text_of(story)


def test_facts_that_no_sentence_states_prove_nothing():
    story = Shown(made_up("[Ann] and [Bob] are cousins.", [Fact("Ann", "son", "Bob")]))
    assert story.verdict == "unread"
    assert len(story.facts) == 1


def test_free_text_is_matched_with_the_facts_by_names():
    text = "[Ann] ate with her son [Bob]. [Bob] met perhaps his sister [Cia]. It rained on [Ann]."
    facts = [Fact("Ann", "son", "Bob"), Fact("Bob", "sister", "Cia")]
    story = Shown(made_up(text, facts))
    assert story.roles == [PATH, OTHER, DISTRACTOR]
    assert text_of(story) == text


@pytest.mark.parametrize("query", [("Ann", "Zoe"), ("Ann", "Ann")])
def test_a_question_about_nobody_has_no_answer(query):
    puzzle = made_up("[Ann] has a son called [Bob].", [Fact("Ann", "son", "Bob")], query)
    assert Shown(puzzle).verdict == "unread"


relations = st.sampled_from(load_world().relations)
people = st.sampled_from(NAMES)
facts = st.builds(Fact, people, relations, people).filter(lambda fact: fact.head != fact.tail)


@given(
    st.lists(facts, min_size=1, max_size=4),
    st.tuples(people, people),
    relations,
    st.text(max_size=80),
)
@settings(max_examples=60)
def test_any_facts_and_any_text_can_be_shown(stated, query, target, text):
    story = Shown(made_up(text, stated, query, target))
    assert story.verdict in VERDICTS
    named = {name for fact in stated for name in fact[::2]}
    drawn = [story.entities[person] for person, *_ in story.case["scene"]["nodes"] if person >= 0]
    assert sorted(drawn) == sorted(named)
    if named.issuperset(query) and query[0] != query[1]:
        assert story.verdict.split(",")[0] in (
            JUDGE.judge(stated, query, target).finding.value,
            "unread",
        )


@given(st.text(alphabet="[]. aA!?\n", max_size=60))
def test_no_word_of_any_text_is_lost(text):
    story = Shown(made_up(text, [Fact("Ann", "son", "Bob")]))
    assert "".join(text_of(story).split()) == "".join(text.split())


def test_a_question_past_the_solvers_limit_is_not_decided(monkeypatch):
    few = partialmethod(KinshipSolver.__init__, work=5)
    monkeypatch.setattr(KinshipSolver, "__init__", few)
    (puzzle,) = generate("described", k=6, size=1, seed=3)
    story = Shown(puzzle, StoryBuilder(load_world(), "open"))
    assert story.verdict == Finding.NOT_DECIDED.value
    assert story.verdict in VERDICTS
    assert story.case["scene"]


def test_that_it_cannot_be_told_is_proved_where_several_answers_are_possible():
    """And nothing is said of what is entailed: the target is no relation."""
    for puzzle in generate("mixed", k=3, size=20, distractors=0):
        found = Shown(puzzle, StoryBuilder(load_world(), "open")).verdict
        assert (found == "proved, cannot be told") == (puzzle.target == CANNOT_BE_TOLD)
        assert found.startswith("proved")


def test_statements_that_are_no_facts_are_shown_and_proofs_name_them():
    story = "[Dan] is a child of [Ann]. [Dan] is not [Ann]'s son. [Eve] is [Dan]'s sister. [Ann] is a woman."
    shown = Shown(made_up(story, [Fact("Dan", "sister", "Eve")], ("Ann", "Dan"), "daughter"))
    names = shown.entities
    listed = [
        (kind, relations, [names[one] for one in about], words)
        for kind, _, relations, _, about, words in shown.case["statements"]
    ]
    assert listed == [
        ("alternatives", ("daughter", "son"), ["Ann", "Dan"], "Dan is Ann's daughter or son"),
        ("denial", ("son",), ["Ann", "Dan"], "Dan is not Ann's son"),
        ("form", ("female",), ["Ann"], "Ann is a woman"),
    ]
    assert shown.roles == [STATED, STATED, PATH, STATED]
    assert [numbers for _, numbers, *_ in shown.parts] == [[1], [2], [0], [3]]
    steps = shown.case["proof"]["steps"]
    assert [stated for stated, *_ in steps] == [[1], [2]]
    _, premises, claim, _ = steps[-1]
    assert premises == [2]
    assert claim[1] == ("daughter",)


def test_a_contradiction_with_a_closure_names_it():
    story = "[Bob] is [Ann]'s son. [Ann] has no sons. [Cia] is [Ann]'s daughter."
    facts = [Fact("Ann", "son", "Bob"), Fact("Ann", "daughter", "Cia")]
    shown = Shown(made_up(story, facts))
    assert shown.verdict == "contradictory"
    assert sorted(shown.case["conflict"]) == [0, 2]
    assert shown.case["statements"][0][-1] == "Ann has no sons"


def test_stories_of_text_and_of_columns_show_the_same_statements():
    for one in generate("strict", k=3, size=12, seed=2, off_path=1, vague=0.3):
        shown = Shown(one, StoryBuilder(load_world(), "open"))
        assert shown.verdict.startswith("proved")
        assert len(shown.case["statements"]) == len(one.statements)
        numbers = {number for _, numbers, *_ in shown.parts for number in numbers}
        assert numbers == set(range(len(one.facts) + len(one.statements)))
