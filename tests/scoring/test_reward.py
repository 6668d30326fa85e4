"""The reward, as TRL calls it."""

import pytest

import clutrr
from clutrr import load_world
from clutrr._score.reward import WEIGHTS, reward
from clutrr.errors import ConfigError
from clutrr.tasks import Questions
from made import reworded
from solving_server import solved

DENIALS = """
not {} | {}? no | {}? No. | {} is not right | {} isn't it | {} - not! | {} (wrong) | {} (incorrect) | {}
(not) | {} (no) | {} is ruled out | hardly {} | {} cannot be | {} is impossible | can't be {} | never {}
| I doubt it is {} | {} is unlikely | no {} | {} - no | {}: false | {}: no | {}:
not correct | it's false that {} | {} would be a mistake | {} doesn't hold | {} is out of the question |
{}, not | {}: not the answer | {} ✗ | {} ❌ | {} does not fit | {} is excluded | {} is eliminated | {}
can be ruled out | {} fails | {} is not the answer | it is not {} | it isn't {} | it ain't {} | not a {}
| definitely not {} | {}, which is wrong | {}, but that is wrong | {}; wrong | {}. Wrong. | {}. That is
not correct. | {}. No, that is wrong. | {} was wrong | {}. This is incorrect | {}, no wait | rule out {}
| exclude {} | the answer is not {} | the opposite of {} | far from {} | {} is a wrong answer | {} NOT |
wrong: {} | incorrect: {} | false: {} | not: {} | {} is refuted | reject {} | deny {} | lack of {} |
nothing like {} | {} seems wrong | no, {} is wrong | {} is invalid | {} is contradicted | {} would
contradict the story | I would say {}, but I am not sure
"""
EVERY = tuple(WEIGHTS)
UNCOMMITTED = """
{}? | is it {}? | maybe {} | perhaps {} | could be {} | {} or none | like a {} | {} figure | unlike {} |
{} if anything | if he is a man, {} | one of {} | suppose {} | pretend {} | rhymes with {} | ~~{}~~ |
{} (50%) | {} (0%) | P({})=0 | ≠ {} | {} != | all but {} | anybody but {} | {} is nonsense | {} is a lie |
{}. Daughter is also right. | {}. Daughter is possible too. | {} would be absurd | he has a {}
| {} (cannot be told) | refuse {} | zero {} | no longer {} | nobody's {} | {} minus
"""
AFTER = "daughter", "Or: daughter", "Second answer: daughter", "Final: daughter", "That was wrong."
LETTERS = (
    "B. C.", "B) C)", "(B)(C)", "B - C", "option B option C", "option B; maybe option C", "B because C",
    "B. It may also be C.", "B. All of the above.", "B. None of the above", "any of A-D, choose B", "B?",
)  # fmt: skip
NOT_NO = (
    "no idea",
    "no answer",
    "no comment",
    "no one knows",
    "no doubt",
    "maybe no",
    "neither",
    "no?",
)
DOUBTS = """
It is a lie that {} | Nobody says that {} | {} is wrong | {} is false | I dreamt that {} | I doubt that {} |
It is impossible that {} | I deny that {} | It does not follow that {} | There is no reason to think that {} |
Were it so that {} | Maybe {} | Perhaps {} | One might think that {} | It is possible that {} |
Either {}, or not | {} or not | {} or something else | Provided that {}, fine | In case {}, fine |
{}, but that is not true
"""


@pytest.mark.parametrize("ask", ["which", "yes-no", "choice"])
@pytest.mark.parametrize("name", ["kinship", "order", "time", "regions", "directions"])
def test_as_a_trainer_calls_it(name, ask):
    """With every column of the data, and replies as messages or as text."""
    settings = {} if name == "kinship" else {"preset": "mixed", "routes": (1, 2), "split": "test"}
    items = clutrr.stream(k=(2, 3), world=name, distractors=0, **settings)
    questions = Questions(items, form=ask, shots=1)
    rows = [questions.row(number) for number in range(8)]
    given = {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}
    given |= {
        "prompts": [row["prompt"] for row in rows],
        "completion_ids": [[]] * 8,
        "trainer_state": None,
    }
    replies = [
        solved("\n\n".join(m["content"] for m in row["prompt"]), load_world(name)) for row in rows
    ]
    messages = [[{"role": "assistant", "content": reply}] for reply in replies]
    unmarked = [reply.rpartition("Answer: ")[2] for reply in replies]
    taken_back = [reply.replace("Answer: ", "Answer: not ") for reply in replies]
    for completions, earned in (
        (messages, 1.0),
        (replies, 1.0),
        (unmarked, 0.0),
        (taken_back, 0.0),
    ):
        assert clutrr.reward(completions=completions, **given) == [earned] * 8
    told = "What the relations of Y to X mean: "
    assert name == "kinship" or all(told in row["prompt"][0]["content"] for row in rows)


@pytest.mark.parametrize("mark", ["Answer: {}", "<answer>{}</answer>", "\\boxed{{{}}}"])
def test_what_is_denied_earns_nothing(mark):
    """In whatever words, of a relation, of yes, of a letter, and of a sentence."""
    offered = ["son", "father", "wife", "mother"]
    said = {
        "father": ("which", []),
        "yes": ("yes-no", ["father"]),
        "correct": ("yes-no", ["father"]),
    }
    said |= {
        "B": ("choice", offered),
        "father ": ("choice", offered),
        "Dan is the father of Ann": ("which", []),
    }
    for denial in DENIALS.replace("\n", " ").strip().split(" | "):
        for words, (ask, relations) in said.items():
            reply, answer = (
                mark.format(denial.format(words)),
                "yes" if ask == "yes-no" else "father",
            )
            earned = clutrr.reward([reply], [answer], [ask], [relations], query=[("Ann", "Dan")])
            assert earned == [0.0], reply


def test_another_world(world):
    words = {kind.name: tuple(f"{word}o" for word in kind.words) for kind in world.kinds}
    own = reworded(world, words)
    assert reward(["Answer: sono", "Answer: son"], ["sono", "sono"], world=own) == [1.0, 0.0]


def test_parts_of_an_answer():
    """A right kind in the wrong form earns its part; a right form of the wrong kind nothing."""
    replies = ["Answer: daughter", "Answer: son", "Answer: sister", "Answer: cannot be told"]
    given = (replies, ["daughter"] * 4)
    assert reward(*given, parts=("answer",)) == [1, 0, 0, 0]
    assert reward(*given, parts="kind") == [1, 1, 0, 0]
    assert reward(*given, parts="answer,kind") == reward(*given, parts=("answer", "kind"))
    assert reward(*given, parts=("form",)) == [1, 0, 0, 0]
    assert reward(*given, parts={"answer": 3, "kind": 1}) == [1, 0.25, 0, 0]
    assert reward(*given, parts=("abstain",)) == [0, 0, 0, 0]
    open_ones = (replies, ["cannot be told"] * 4)
    assert reward(*open_ones, parts=EVERY[:3]) == [0, 0, 0, 0]
    assert reward(*open_ones, parts=("answer", "abstain")) == [0, 0, 0, 1]


def asked(name, k, size=6):
    """Puzzles, the columns of a reward, and their proofs."""
    stream = clutrr.stream("strict", k, world=name, distractors=0)
    puzzles = [stream[number] for number in range(size)]
    about = {"query": [one.query for one in puzzles], "facts": [one.facts for one in puzzles]}
    proofs = [clutrr.solve(one.story, one.query, name).proof for one in puzzles]
    return puzzles, {"answer": [one.target for one in puzzles], "world": name, **about}, proofs


@pytest.mark.parametrize("name", ["kinship", "time", "regions"])
def test_steps_are_earned_by_reasoning(name):
    """Proofs earn; parts of proofs earn less; wrong claims take away what was earned."""
    puzzles, given, proofs = asked(name, 3)
    steps = {"parts": ("steps",), **given}
    whole = reward(proofs, **steps)
    assert sum(whole) >= 5.5
    assert (
        reward(
            [f"{one}\nAnswer: {p.target}" for one, p in zip(proofs, puzzles, strict=True)], **given
        )
        == [1] * 6
    )
    world = load_world(name)
    for puzzle, proof, full in zip(puzzles, proofs, whole, strict=True):
        row = {
            "answer": [puzzle.target],
            "world": name,
            "query": [puzzle.query],
            "facts": [puzzle.facts],
        }
        wrong = [
            world.say(puzzle.query[0], other, puzzle.query[1])
            for other in world.relations
            if other != puzzle.target
        ]
        assert reward([f"{proof}\n{wrong[0]}."], parts=("steps",), **row)[0] < full
        assert reward([". ".join(wrong)], parts=EVERY, **row) == [0.0]
        assert reward([f"{proof}\n" + ". ".join(wrong)], parts=("steps",), **row) == [0.0]


@pytest.mark.parametrize("name", ["kinship", "time"])
def test_cheats_earn_nothing(name):
    """No way to a reward without something true that the story does not state itself."""
    world = load_world(name)
    puzzles, given, _ = asked(name, 4)
    every = ", ".join(world.relations)
    for part in ("steps", EVERY):
        parts = (part,) if isinstance(part, str) else part
        cheats = {
            "all labels at once": lambda one: f"Answer: {every}",
            "all labels, each marked": lambda one: "\n".join(
                f"Answer: {r}" for r in world.relations
            ),
            "all labels of the two": lambda one: (
                f"The relation of {one.query[1]} to {one.query[0]} is {every}."
            ),
            "the question repeated": lambda one: f"{one.story} {one.question}",
            "hedging": lambda one: (
                f"It can be {one.target}. Answer: maybe {one.target} or {world.relations[0]}"
                f" or {world.relations[-1]}"
            ),
            "hedged steps": lambda one: (
                f"{one.query[1]} can be related to {one.query[0]} as {one.target}."
            ),
            "denials": lambda one: ". ".join(
                f"The relation of {one.query[1]} to {one.query[0]} is not {r}"
                for r in world.relations
                if r != one.target
            ),
            "empty steps": lambda one: "1.\n2.\n3.\n4. So.\nTherefore it follows.",
            "thousands of trivial steps": lambda one: f"{world.say(*one.facts[0])}. " * 3000,
            "every fact, many times": lambda one: ". ".join(
                world.say(*fact) for fact in one.facts * 50
            ),
            "conditions": lambda one: (
                f"If {world.say(one.query[0], one.target, one.query[1])}, then so it is."
            ),
            "questions": lambda one: f"{world.say(one.query[0], one.target, one.query[1])}?",
            "nothing": lambda one: "",
        }
        if part == "steps":  # the answer itself is right there, and earns its own part
            cheats["the end alone"] = lambda one: (
                f"{world.say(one.query[0], one.target, one.query[1])}."
            )
            cheats["the end, many times"] = lambda one: (
                f"{world.say(one.query[0], one.target, one.query[1])}. " * 1000
            )
            cheats["the answer alone"] = lambda one: f"Answer: {one.target}"
        for cheat, reply in cheats.items():
            earned = reward([reply(one) for one in puzzles], parts=parts, **given)
            assert not any(earned), (cheat, reply(puzzles[0])[:200])


def test_what_commits_to_nothing_earns_nothing():
    """Guesses, comparisons and jokes, several letters, and answers that are taken back after the mark."""
    replies = [one.strip().format("father") for one in UNCOMMITTED.split("|")]
    replies += [f"father\n{one}" for one in AFTER]
    for reply in replies:
        assert reward([f"Answer: {reply}"], ["father"], query=[("Ann", "Dan")]) == [0.0], reply
    offered = [["son", "father", "wife", "mother"]]
    for reply in LETTERS:
        assert reward([f"Answer: {reply}"], ["father"], ["choice"], offered) == [0.0], reply
    for reply in NOT_NO:
        assert reward([f"Answer: {reply}"], ["no"], ["yes-no"], [["father"]]) == [0.0], reply
    for reply in ("maybe cannot be told", "cannot be told?", "who says it cannot be told"):
        assert reward([f"Answer: {reply}"], ["cannot be told"]) == [0.0], reply


@pytest.mark.parametrize("name", ["kinship", "order", "time", "regions", "directions"])
def test_usual_frames_of_an_answer_earn(name):
    stream = clutrr.stream("strict", 2, world=name, distractors=0)
    world = stream.world
    for puzzle in stream[:12]:
        said = world.say(puzzle.query[0], puzzle.target, puzzle.query[1])
        for frame in (
            "{}",
            "**{}**",
            "The relation is {}.",
            "so {}",
            "It must be {}, therefore {}.",
        ):
            for answer in (puzzle.target, said):
                reply = "Answer: " + frame.format(*[answer] * 2)
                assert reward([reply], [puzzle.target], world=name, query=[puzzle.query]) == [
                    1.0
                ], reply


@pytest.mark.parametrize("name", ["kinship", "time", "regions", "directions"])
def test_steps_are_not_earned_by_lists_and_doubts(name):
    """A stated fact among other relations, lists that hold what cannot be, and claims that are disputed."""
    world = load_world(name)
    some, most = world.relations[:2], " or ".join(world.relations[: len(world.kinds) // 2])

    def listed(relations, head, tail):
        return f"The relation of {tail} to {head} is {relations}."

    puzzles, given, _ = asked(name, 4)
    stated = [
        " ".join(
            listed(f"{f.relation} or {other}", f.head, f.tail)
            for f in one.facts
            for other in (f.relation, *some)
        )
        for one in puzzles
    ]
    assert not any(reward(stated, parts=("steps",), **given))
    puzzles, given, _ = asked(name, 2, 12)
    for reply in (most, f"{most}, or a thing", f"{some[0]} or a friend"):
        assert not any(
            reward([listed(reply, *one.query) for one in puzzles], parts=("steps",), **given)
        ), reply
    for doubt in DOUBTS.split("|"):
        said = [doubt.strip().format(world.say(q.query[0], q.target, q.query[1])) for q in puzzles]
        assert not any(reward([f"{one}." for one in said], parts=("steps",), **given)), said[0]
    for sure in (
        "So we know that {}",
        "It follows that {}",
        "The story says that {}",
        "{}, which is right",
    ):
        said = [sure.format(world.say(q.query[0], q.target, q.query[1])) for q in puzzles]
        assert reward([f"{one}." for one in said], parts=("steps",), **given) == [1.0] * 12, said[0]


def test_always_abstaining_earns_only_where_it_is_right():
    questions = Questions(clutrr.stream("mixed", 3, distractors=0))
    rows = [questions.row(number) for number in range(40)]
    given = {
        name: [row[name] for row in rows]
        for name in ("answer", "query", "facts", "world", "assume")
    }
    earned = reward(["Answer: cannot be told"] * 40, parts=EVERY, **given)
    assert [one == 1 for one in earned] == [
        answer == "cannot be told" for answer in given["answer"]
    ]
    assert set(earned) == {0.0, 1.0}


def test_parts_are_checked():
    for parts in (("length",), ()):
        with pytest.raises(
            ConfigError, match=r"parts: .* is not one of answer, kind, form, steps, abstain"
        ):
            reward(["son"], ["son"], parts=parts)
    with pytest.raises(ConfigError, match=r"parts: 'step' is not one of answer"):
        reward(["son"], ["son"], parts="answer,step")
    with pytest.raises(ConfigError, match="parts: answer: 0 is not above 0"):
        reward(["son"], ["son"], parts={"answer": 0})
    with pytest.raises(ConfigError, match="query and facts are missing"):
        reward(["son"], ["son"], parts=("steps",))
    for given in ((["son"], ["son", "son"]), ("Answer: son", "son")):
        with pytest.raises(ConfigError, match=r"expected lists of the same length|is not a list"):
            reward(*given)
    with pytest.raises(ConfigError, match="no built-in world has the relations 'boss'; name it"):
        reward(["Answer: boss"], ["boss"])
    with pytest.raises(ConfigError, match=r"'boss' is no relation of .*; name the world"):
        reward(["Answer: boss"] * 2, ["boss", "son"])
    assert reward([None, [], [{"content": None}]], ["son"] * 3) == [0.0] * 3


def test_hedging_earns_nothing():
    replies = [
        "Answer: son or daughter",
        "<answer>son</answer><answer>daughter</answer>",
        "Answer: not a son",
        "",
    ]
    assert clutrr.reward(replies, ["son"] * 4) == [0.0] * 4
    denied = ["Answer: not correct", "Answer: isn't true", "Answer: not yes"]
    assert (
        clutrr.reward(denied, ["yes"] * 3, ask=["yes-no"] * 3, relations=[["son"]] * 3) == [0.0] * 3
    )
    assert clutrr.reward([[{"role": "assistant", "content": None}]], ["son"]) == [0.0]


@pytest.mark.parametrize(
    "reply",
    [
        "Answer: son (probably)",
        "Answer: son. Maybe.",
        "Answer: son\nI doubt it.",
        "Answer: son\nBut I am not sure.",
        "<answer>son</answer> Maybe.",
        "Answer: son\nNo, it is daughter.",
        "Answer: son\nActually, daughter.",
        "Answer: son\nThis cannot be told.",
    ],
)
def test_what_is_doubted_or_taken_back_beside_the_answer_earns_nothing(reply):
    assert clutrr.reward([reply, "Answer: son"], ["son"] * 2) == [0.0, 1.0]


def test_messages_whose_content_is_a_list_of_parts():
    """As trainers of models that also see pictures hand them over."""
    parts = [{"type": "text", "text": "He is her son."}, {"type": "text", "text": "Answer: son"}]
    replies = [
        [{"role": "assistant", "content": parts}],
        [{"role": "user", "content": "?"}, {"role": "assistant", "content": parts[1:]}],
        [{"role": "assistant", "content": [{"type": "image", "url": "x"}]}],
        [{"role": "assistant", "content": None}],
    ]
    assert reward(replies, ["son"] * 4) == [1.0, 1.0, 0.0, 0.0]
