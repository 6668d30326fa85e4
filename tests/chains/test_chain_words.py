"""How chains are worded: the claims can be read off again, and nothing is shared with what reads chains."""

import json
import re
from collections import Counter
from itertools import islice

import pytest

import clutrr
from clutrr._chains.chain import Chain, ErrorKind
from clutrr._chains.wording import styles, styles_of
from clutrr.errors import ConfigError

WORLDS = ("kinship", "order", "time", "regions", "directions")
# How each notation puts that b is a's relation: where relations are nouns, and elsewhere.
READ = {
    "arrows": (
        r"(?P<a>[^,>=]+?) -(?P<r>.+?)-> (?P<b>[^,=\n]+)",
        r"(?P<b>[^,>=]+?) -(?P<r>.+?)-> (?P<a>[^,=\n]+)",
    ),
    "colons": (
        r"(?P<a>[^;⇒→\n]+?) → (?P<b>[^:]+): (?P<r>[^;⇒\n]+)",
        r"(?P<b>[^;⇒→\n]+?) → (?P<r>[^→]+) → (?P<a>[^;⇒\n]+)",
    ),
    "functional": (
        r"(?P<r>\w+)\((?P<a>[^)]+)\) = (?P<b>[^,=\n]+)",
        r"(?P<r>\w+)\((?P<b>[^,)]+), (?P<a>[^)]+)\)",
    ),
    "logic": (
        r"is_(?P<r>\w+)_of\((?P<b>[^,]+), (?P<a>[^)]+)\)",
        r"(?P<r>\w+)\((?P<b>[^,)]+), (?P<a>[^)]+)\)",
    ),
    "brackets": (
        r"\((?P<b>[^,]+), (?P<r>[^,]+) of, (?P<a>[^)]+)\)",
        r"\((?P<b>[^,]+), (?P<r>[^,]+), (?P<a>[^)]+)\)",
    ),
}


def some(world: str, count: int = 200, **settings) -> list[Chain]:
    stream = clutrr.stream(world=world, k=(2, 4), seed=9)
    return list(islice(clutrr.chains(stream, **settings), count))


@pytest.mark.parametrize("style", READ)
@pytest.mark.parametrize("world", ["kinship", "time", "directions"])
def test_what_signs_say_is_what_is_claimed(world, style):
    """The last relation of a step is its claim, read by an expression of its own."""
    looked = 0
    for chain in some(world, 60, styles=style):
        pattern = READ[style][world != "kinship"]
        for step in chain.steps:
            line = step.text.split("\n")[0]
            *_, last = re.finditer(pattern, line)
            claim = step.claims[-1]
            words = "/".join(claim.relations), "_or_".join(claim.relations)
            said = {words[0], *(one.replace(" ", "_").replace("-", "_") for one in words)}
            bare = last["r"].replace("is ", "")
            assert bare in said, line
            assert (last["a"].strip(), last["b"].strip()) == (claim.head, claim.tail), line
            looked += 1
    assert looked > 100


def test_steps_in_json_are_json():
    for chain in some("regions", 40, styles="json"):
        for step in chain.steps:
            row = json.loads(step.text.split("\n")[0])
            assert row["claim"]["subject"] in (step.claims[-1].tail, step.claims[-1].head)


@pytest.mark.parametrize("world", WORLDS)
def test_every_style_words_every_chain(world):
    found = some(world, 400)
    assert {chain.style for chain in found} == set(styles().names)
    assert len(styles().names) >= 12
    for chain in found:
        assert all("{" not in step.text or chain.style == "json" for step in chain.steps)
        for step in chain.steps:
            assert all(one.head in step.text and one.tail in step.text for one in step.claims)


def test_what_is_taken_back_is_wrong_and_the_claim_follows_it():
    texts = [step.text for chain in some("kinship", 150, styles="aloud") for step in chain.steps]
    assert sum("no wait" in text or "that is wrong" in text for text in texts) > 3


def test_worlds_of_other_languages_have_the_styles_in_signs():
    world = clutrr.load_world("kinship-de")
    assert set(styles_of(world)) == set(styles().signs)
    found = some("kinship-de", 40)
    assert {chain.style for chain in found} <= set(styles().signs)
    with pytest.raises(ConfigError, match="those of world kinship-de"):
        some("kinship-de", 1, styles="prose")


def test_no_text_of_chains_is_in_a_grammar_of_the_reader(repository):
    """What is left of each wording without its slots, if it is more than a word or two."""
    grammars = "\n".join(
        path.read_text(encoding="utf-8").casefold()
        for folder in ("_reading", "_score/claims")
        for path in (repository / "src/clutrr" / folder).rglob("*")
        if path.suffix in (".yaml", ".txt", ".json")
    )
    content = styles().content
    texts = [*content["nouns"], *content["several_nouns"]]
    texts += [text for every in content["clauses"].values() for text in every]
    for style in content["styles"].values():
        texts += [
            text for kind in ("fact", "derive", "bare", "slip") for text in style.get(kind, ())
        ]
    assert len(grammars) > 1000
    for text in texts:
        assert text.casefold() not in grammars, text


def test_errors_and_styles_can_be_chosen_and_weighed():
    found = some(
        "time", 300, wrong=1, errors={"misread": 3, "converse": 1}, styles="prose=1,table=3"
    )
    kinds = Counter(chain.error for chain in found)
    assert set(kinds) <= {"misread", "converse", ""}
    assert kinds["misread"] > kinds["converse"] > 0
    worded = Counter(chain.style for chain in found)
    assert worded["table"] > 2 * worded["prose"] > 0
    assert not any(chain.error for chain in some("time", 40, wrong=0))
    for wrong in (
        {"errors": "typo"},
        {"styles": "sonnet"},
        {"errors": {"form": 0}},
        {"wrong": 2},
        {"per": 0},
    ):
        with pytest.raises(ConfigError):
            some("time", 1, **wrong)


def test_first_errors_are_spread_over_all_steps():
    """Of chains of one length, every step is the first wrong one about as often as any other."""
    found = some("directions", 3000, wrong=1, errors="misread,composition,converse", per=8)
    where = Counter(one.first_error for one in found if len(one.steps) == 3)
    assert min(where[place] for place in range(3)) > 0.25 * sum(where.values())


def test_a_step_left_out_leaves_one_without_support_and_nothing_wrong():
    for chain in some("kinship", 60, wrong=1, errors="skipped"):
        if chain.error:
            assert chain.first_error == -1
            assert chain.answer_right
            assert not all(step.supported for step in chain.steps)


def test_a_forgotten_route_ends_with_a_wrong_answer():
    stream = clutrr.stream(world="directions", k=3, routes=2, seed=4)
    found = list(islice(clutrr.chains(stream, wrong=1, errors="route"), 200))
    forgot = [chain for chain in found if chain.error == ErrorKind.ROUTE]
    assert len(forgot) > 20
    assert all(chain.first_error == len(chain.steps) - 1 for chain in forgot)
    assert not any(chain.answer_right for chain in forgot)


def test_statements_that_are_no_facts_are_steps_and_can_be_forgotten():
    """By hand: "son or nephew", and no sons: a nephew. Who forgets the second ends with a son."""
    story = "Bob is Ann's son or nephew. Ann has no sons."
    puzzle = clutrr.puzzle(story, ("Ann", "Bob"), "nephew", world="kinship-v1")
    right = list(clutrr.chains([puzzle], world="kinship-v1", wrong=0, styles="prose", per=10))
    assert len(right) == 10
    for chain in right:
        assert (chain.answer, chain.first_error) == ("nephew", -1)
        assert any("Ann has no sons" in step.text for step in chain.steps)
        assert {step.verdict.value for step in chain.steps} <= {"stated", "entailed"}
    wrong = clutrr.chains([puzzle], world="kinship-v1", wrong=1, errors="route", per=10)
    forgot = [chain for chain in wrong if chain.error]
    assert forgot
    for chain in forgot:
        assert chain.answer == "son"
        assert chain.steps[chain.first_error].verdict.value == "contradicted"
