"""The world `kinship-full`, held to an answer-set program about people that is written from its relations' meanings.

People have at most one couple of parents, and at most one couple of their own. A relation is a way from person
to person, along which nobody comes twice. An answer is possible if some families have the facts and it.
"""

from collections.abc import Iterable, Iterator, Sequence

import pytest

import clutrr
from clutrr._puzzle import Fact
from commands import findings, run

clingo = pytest.importorskip("clingo", reason="clingo is not installed (extra: check)")

# What each word means, step by step, and the gender of whom it names.
_CHILD, _PARENT, _SPOUSE, _SIBLING = "child", "parent", "spouse", "sibling"
MEANS: dict[str, tuple[tuple[str, ...], ...]] = {
    "daughter/son": ((_CHILD,),),
    "mother/father": ((_PARENT,),),
    "wife/husband": ((_SPOUSE,),),
    "sister/brother": ((_SIBLING,),),
    "granddaughter/grandson": ((_CHILD, _CHILD),),
    "grandmother/grandfather": ((_PARENT, _PARENT),),
    "daughter-in-law/son-in-law": ((_CHILD, _SPOUSE),),
    "mother-in-law/father-in-law": ((_SPOUSE, _PARENT),),
    "niece/nephew": ((_SIBLING, _CHILD),),
    "aunt/uncle": ((_PARENT, _SIBLING),),
    "great-granddaughter/great-grandson": ((_CHILD, _CHILD, _CHILD),),
    "great-grandmother/great-grandfather": ((_PARENT, _PARENT, _PARENT),),
    "cousin/cousin": ((_PARENT, _SIBLING, _CHILD),),
    "sister-in-law/brother-in-law": ((_SPOUSE, _SIBLING), (_SIBLING, _SPOUSE)),
}
WAYS = {word: ways for words, ways in MEANS.items() for word in words.split("/")}
PROGRAM = """
exists(P) :- named(P).
{ exists(P) } :- spare(P).
1 { gender(P, female); gender(P, male) } 1 :- exists(P).
% A couple is called after a partner, or, if it has none, after a child.
{ partner(P, of(Q)) : exists(Q), Q <= P } 1 :- exists(P).
{ child(P, of(Q)) : exists(Q); child(P, over(Q)) : exists(Q), Q <= P } 1 :- exists(P).
:- partner(_, of(Q)), not partner(Q, of(Q)).
:- child(_, of(Q)), not partner(Q, of(Q)).
:- child(_, over(Q)), not child(Q, over(Q)).
:- partner(P, C), partner(Q, C), P < Q, gender(P, G), gender(Q, G).
step(child, A, B) :- partner(A, C), child(B, C).
step(parent, A, B) :- step(child, B, A).
step(spouse, A, B) :- partner(A, C), partner(B, C), A != B.
step(sibling, A, B) :- child(A, C), child(B, C), A != B.
% A marriage links no families that are linked: people and couples form no circle.
tie(P, C) :- partner(P, C).
tie(P, C) :- child(P, C).
:- partner(P, C), child(P, C).
1 { hangs(P, C); hangs(C, P) } 1 :- tie(P, C).
:- hangs(X, Y), hangs(X, Z), Y < Z.
#edge (X, Y) : hangs(X, Y).
:- fact(R, A, B), not is(R, A, B).
answer(R) :- asked(A, B), word(R), is(R, A, B).
answer(outside) :- asked(A, B), not answer(R) : word(R).
#show answer/1.
"""


def rules() -> Iterator[str]:
    """What each word means, in the language of the program."""
    for number, (words, ways) in enumerate(MEANS.items()):
        for steps in ways:
            people = ["A", *(f"X{i}" for i in range(1, len(steps))), "B"]
            body = [
                f"step({step}, {one}, {other})"
                for step, one, other in zip(steps, people, people[1:], strict=False)
            ]
            body += [
                f"{one} != {other}" for i, one in enumerate(people) for other in people[i + 2 :]
            ]
            yield f"kin({number}, A, B) :- {', '.join(body)}."
        female, male = words.split("/")
        for word, gender in ((female, "female"), (male, "male")):
            yield f'is("{word}", A, B) :- kin({number}, A, B), gender(B, {gender}).'
            yield f'word("{word}").'


RULES = "\n".join(rules())


def answers(facts: Iterable[Fact], query: tuple[str, str]) -> set[str]:
    """What is possible in families of those named, and of as many others as stand between two of them."""
    told = list(facts)
    names = list(dict.fromkeys([*query, *(name for fact in told for name in fact[::2])]))
    between = sum(max(len(way) for way in WAYS[fact.relation]) - 1 for fact in told) + 2
    control = clingo.Control(["--enum-mode=brave", "0"])
    said = [f"named(0..{len(names) - 1}). spare({len(names)}..{len(names) + between - 1})."]
    said += [
        f'fact("{fact.relation}", {names.index(fact.head)}, {names.index(fact.tail)}).'
        for fact in told
    ]
    said.append("asked(0, 1).")
    control.add(PROGRAM + RULES + "\n".join(said))
    control.ground()
    found: set[str] = set()
    with control.solve(yield_=True) as models:
        for model in models:
            found = {str(symbol.arguments[0]).strip('"') for symbol in model.symbols(shown=True)}
    return found


def said_by_the_solver(facts: Sequence[Fact], query: tuple[str, str]) -> set[str]:
    world = clutrr.load_world("kinship-full")
    verdict = world.theory.solver(world.labels, "tree").verdict(facts, query)
    return set(verdict.relations) | ({"outside"} if verdict.outside else set())


def facts(text: str) -> list[Fact]:
    return [Fact(*fact.split()) for fact in text.split(", ")]


BY_HAND = {
    "A father B, B brother C, C son D": "cousin",
    "A husband B, B sister C": "sister-in-law",
    "A sister B, B husband C": "brother-in-law",
    "A grandmother B, B mother C": "great-grandmother",
    "A son B, B grandson C": "great-grandson",
    "A aunt B, B son C": "cousin",
    "A wife B, B uncle C": "outside",
}


@pytest.mark.parametrize("text", BY_HAND)
def test_cases_by_hand(text):
    told = facts(text)
    query = (told[0].head, told[-1].tail)
    found = said_by_the_solver(told, query)
    assert found == answers(told, query) == set(BY_HAND[text].split())


@pytest.mark.slow
def test_generated_questions_have_the_answers_of_the_program():
    """What is possible, and whether anything else is; each question has a relation that this world adds."""
    new = {"cousin", "sister-in-law", "brother-in-law"}
    asked = clutrr.generate("sound", 2, 400, 5, world="kinship-full", distractors=0)
    some = [one for one in asked if new & {one.target, *(fact.relation for fact in one.facts)}]
    for one in some[:30]:
        found = said_by_the_solver(one.facts, one.query)
        assert found == answers(one.facts, one.query)
        assert found - {"outside"} == {one.target}


def test_every_label_is_asked_for_and_proved(tmp_path):
    run(
        "generate",
        tmp_path / "o",
        "--world",
        "kinship-full",
        *"--k 2 --train 200 --test 60".split(),
    )
    targets = {one.target for one in clutrr.read(tmp_path / "o")}
    assert targets == set(clutrr.load_world("kinship-full").relations)
    assert findings(tmp_path / "o")["proved"] == 260
    assert clutrr.check_theory("kinship-full").holds


@pytest.mark.parametrize("preset", ["sound", "mixed"])
def test_prose_noise_and_prompts(preset):
    noise = {} if preset == "mixed" else {"noise": {"irrelevant": 1}}
    puzzles = clutrr.generate(preset, 3, 4, 1, world="kinship-full", distractors=2, **noise)
    for one in puzzles:
        if preset != "mixed":
            found = clutrr.solve(one.story, one.query, "kinship-full", "tree")
            assert found.answer == one.target
    (prompt,) = clutrr.prompts(puzzles[:1], split="train")
    assert "cousin" in prompt.messages[0]["content"]
