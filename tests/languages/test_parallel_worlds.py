"""Worlds in other languages: what a story says is read back, and all else is as in English."""

import re
from itertools import zip_longest

import pytest

import clutrr
from clutrr import World, load_world
from clutrr._ask.prompt_text import answered
from clutrr._ask.prompter import Prompter
from clutrr._config import PromptConfig
from clutrr._explore.stories import StoryBuilder
from clutrr._lexicon.phrases import english_texts
from clutrr._puzzle import CANNOT_BE_TOLD, Fact, Puzzle
from clutrr._reading import reader_of
from clutrr._reading.readable import unreadable
from clutrr._score.replies import AnswerReader, QuestionForm
from clutrr.errors import ConfigError
from clutrr.theory import WORLDS

PARALLEL = [name for name in WORLDS if load_world(name).lexicon.parallel]
PRESETS = {"published": 3, "described": 3, "sound": 4, "strict": 3, "mixed": 3}
PUNCTUATION = {"couple", "listed", "meaning", "note", "relations", "sentences", "stop", "way"}
# What only proofs about families say.
OF_KINSHIP = {
    "a couple", "all", "both", "child", "defined", "everybody", "form open", "linked twice", "no relative", "nobody",
    "none", "of child", "of parent", "of sibling", "of spouse", "parent", "sibling", "spouse", "two people",
    "with partner",
}  # fmt: skip
NOISE = {"supporting": 1, "irrelevant": 1, "disconnected": 1}


@pytest.fixture(scope="module", params=PARALLEL)
def world(request: pytest.FixtureRequest) -> World:
    return load_world(request.param)


def english(world: World) -> World:
    """The world that this one is parallel to."""
    assert world.lexicon.parallel is not None
    return load_world(world.lexicon.parallel.world)


def has(world: World, preset: str) -> None:
    """Skip a test of a preset that the theory does not have."""
    if preset not in [one.name for one in world.theory.presets]:
        pytest.skip("the theory has no such preset")


def puzzles(world: World, preset: str, **settings: object) -> list[Puzzle]:
    made = clutrr.generate(
        world=world, preset=preset, k=PRESETS[preset], size=150, seed=5, **settings
    )
    return list(made)


def meant(puzzle: Puzzle, world: World) -> tuple[object, ...]:
    """What a puzzle asks and tells, whatever its words and names."""
    number = {entity.name: at for at, entity in enumerate(puzzle.entities)}
    label = {word: at for at, word in enumerate(world.relations)} | {CANNOT_BE_TOLD: -1}
    return (
        puzzle.id,
        puzzle.scene,
        puzzle.pattern,
        [entity.form for entity in puzzle.entities],
        [(number[a], label[relation], number[b]) for a, relation, b in puzzle.facts],
        [number[name] for name in puzzle.query],
        label[puzzle.target],
        [label[one] for one in puzzle.possible or ()],
        [sentence.facts for sentence in puzzle.sentences],
        puzzle.roles,
    )


@pytest.mark.parametrize("noise", [{}, NOISE], ids=["plain", "noise"])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_same_scenes_questions_and_order(world: World, preset: str, noise: dict) -> None:
    has(world, preset)
    if preset == "mixed" and noise:
        noise = {"disconnected": 1}
    base = english(world)
    ours, theirs = (puzzles(one, preset, noise=noise) for one in (world, base))
    for mine, other in zip_longest(ours, theirs):
        assert meant(mine, world) == meant(other, base)


@pytest.mark.parametrize("noise", [{}, NOISE], ids=["plain", "noise"])
@pytest.mark.parametrize("preset", ["described", "sound"])
def test_every_story_is_read_to_its_facts(world: World, preset: str, noise: dict) -> None:
    has(world, preset)
    reader = reader_of(world)
    for puzzle in puzzles(world, preset, noise=noise):
        for story in (puzzle.story, puzzle.story.replace("[", "").replace("]", "")):
            reading = reader.read(story, [entity.name for entity in puzzle.entities])
            assert not reading.unread
            assert sorted(reading.facts) == sorted(puzzle.facts)
        for sentence in puzzle.sentences:
            text = puzzle.story[sentence.start : sentence.end]
            stated = tuple(puzzle.facts[number] for number in sentence.facts)
            assert reader.read(text).facts == stated
        if puzzle.target != CANNOT_BE_TOLD:
            first, last = puzzle.query
            assert reader.read(puzzle.abstract).facts == (Fact(first, puzzle.target, last),)


@pytest.mark.parametrize("noise", [{}, NOISE], ids=["plain", "noise"])
@pytest.mark.parametrize("brackets", [True, False], ids=["brackets", "bare"])
def test_every_story_in_prose_is_read_to_its_facts(
    world: World, noise: dict, brackets: bool
) -> None:
    """And asks what the prose of the other world asks, of the same scenes."""
    if world.lexicon.prose is None:
        assert english(world).lexicon.prose is None
        pytest.skip("the other world has no prose either")
    settings = {"style": "prose", "brackets": brackets, "noise": noise, "distractors": 2}
    ours, theirs = (puzzles(one, "described", **settings) for one in (world, english(world)))
    reader = reader_of(world)
    for mine, other in zip_longest(ours, theirs):
        reading = reader.read(mine.story)
        assert not reading.unread, mine.story
        assert sorted(reading.facts) == sorted(mine.facts)
        assert (mine.id, mine.pattern, mine.k) == (other.id, other.pattern, other.k)
        assert [entity.form for entity in mine.entities] == [one.form for one in other.entities]
        stated = [mine.facts[number] for one in mine.sentences for number in one.facts]
        assert sorted(stated) == sorted(mine.facts)


def test_prose_of_a_stream_and_of_two_sides(world: World) -> None:
    if world.lexicon.prose is None:
        pytest.skip("it has no prose")
    settings = {"world": world, "k": 2, "style": "prose", "seed": 4, "distractors": 1}
    reader = reader_of(world)
    for item in clutrr.stream(**settings)[:20]:
        assert sorted(reader.read(item.story).facts) == sorted(item.facts)
    sides = [
        clutrr.generate(size=30, split=split, disjoint=("wordings",), **settings)
        for split in ("train", "test")
    ]
    for puzzle in (*sides[0], *sides[1]):
        assert sorted(reader.read(puzzle.story).facts) == sorted(puzzle.facts)


def test_items_of_a_stream_are_read_too(world: World) -> None:
    reader = reader_of(world)
    ours, theirs = (
        clutrr.stream(world=one, k=(2, 4), seed=3, noise={"irrelevant": 1})[:60]
        for one in (world, english(world))
    )
    for mine, other in zip_longest(ours, theirs):
        assert meant(mine, world) == meant(other, english(world))
        reading = reader.read(mine.story)
        assert not reading.unread
        assert sorted(reading.facts) == sorted(mine.facts)
        for sentence in mine.sentences:
            text = mine.story[sentence.start : sentence.end]
            assert reader.read(text).facts == tuple(mine.facts[i] for i in sentence.facts)


def test_every_template_with_every_name(world: World) -> None:
    """Each name is the first entity of some sentence of each template, and the second of another."""
    reader, lexicon = reader_of(world), world.lexicon
    assert not list(unreadable(world))
    names = [name for of in lexicon.names for name in of]
    for label, templates in lexicon.templates.items():
        assert len(templates) >= 4
        form = world.meaning[label].form
        tails = lexicon.names[form] if form is not None else names
        for at, head in enumerate(names):
            tail = tails[(at + 1) % len(tails)]
            if tail != head:
                text = lexicon.sentence(templates[at % len(templates)], a=head, b=tail)
                assert reader.read(text).facts == (Fact(head, label, tail),)


def test_common_wordings_are_read(world: World) -> None:
    reader, speech = reader_of(world), world.speech
    for label in world.relations:
        tail = world.lexicon.names[world.meaning[label].form or 0][3]
        head = world.lexicon.names[0][5]
        text = speech.ask("complete", head, tail, label)
        assert reader.read(text).facts == (Fact(head, label, tail),)


def test_train_and_test_can_have_their_own_wordings_and_names(world: World) -> None:
    settings = {
        "disjoint": ("names", "wordings"),
        "preset": "strict",
        "k": 3,
        "seed": 2,
        "size": 40,
    }
    train = clutrr.generate(world=world, **settings)
    test = clutrr.generate(world=world, split="test", **settings)
    used = [{e.name for puzzle in one for e in puzzle.entities} for one in (train, test)]
    assert used[0].isdisjoint(used[1])


def test_a_data_set_carries_its_world(world: World, tmp_path) -> None:
    made = clutrr.generate(world=world, preset="strict", k=2, size=30, seed=1)
    clutrr.write(made, tmp_path / "data", world=world)
    assert load_world(tmp_path / "data" / "world") == world
    found = clutrr.audit(tmp_path / "data").subsets["M2"]["train"]
    assert found.rows == 30
    assert found.soundness[world.theory.assumption().name]["entailed"] == 100


def test_every_text_of_proofs_and_prompts_is_in_the_language(world: World) -> None:
    lacking = english_texts().keys() - world.lexicon.own_phrases["texts"].keys() - PUNCTUATION
    assert lacking <= (set() if world.theory.name == "kinship" else OF_KINSHIP)
    for assumption in world.theory.assumptions:
        for what in ("assume", "brief"):
            assert f"{what} {assumption.name}" in world.lexicon.phrases.texts


def test_proofs_are_wholly_in_the_language(world: World) -> None:
    english = {"is", "the", "of", "so", "and", "or", "a", "spouse", "parent", "sibling", "not"}
    english -= {"es": {"a", "so"}, "fr": {"a", "parent"}}.get(world.lexicon.language, set())
    for puzzle in puzzles(world, "mixed")[:40]:
        solution = clutrr.solve(puzzle.story, puzzle.query, world)
        words = set(solution.proof.replace(",", " ").replace(".", " ").split())
        assert words.isdisjoint(english), solution.proof


@pytest.mark.parametrize("form", ["which", "yes-no", "choice"])
def test_prompts_are_in_the_language_and_their_answers_are_read(world: World, form: str) -> None:
    train = puzzles(world, "mixed")
    english = {"Story", "Question", "Answer", "relation", "yes", "no", "cannot", "told"}
    english -= {"es": {"no"}, "fr": {"Question", "relation"}}.get(world.lexicon.language, set())
    for language in (None, "en"):
        config = PromptConfig(form=form, shots=4, prompt_language=language)
        assume = world.theory.assumption().name
        prompter = Prompter(world, assume, config, undetermined=True, examples=train[40:])
        for puzzle in train[:40]:
            told = "\n".join(message["content"] for message in prompter.prompt(puzzle).messages)
            words = set(re.findall(r"\w+", told))
            assert bool(words & english) == (language == "en")
            assert puzzle.story.replace("[", "").replace("]", "") in told


def test_answers_in_the_words_of_prompts_are_read(world: World) -> None:
    reader, phrases = AnswerReader(world), world.lexicon.phrases
    first, last = world.lexicon.names[0][0], world.lexicon.names[-1][1]
    for answer in (*world.relations, CANNOT_BE_TOLD):
        read = reader.read(answered(answer, phrases), QuestionForm(query=(first, last)))
        assert (read.value, read.committed) == (answer, True), answer
    asked = QuestionForm("yes-no", (world.relations[0],), (first, last))
    for answer in ("yes", "no", CANNOT_BE_TOLD):
        assert reader.read(answered(answer, phrases), asked).value == answer
    for word, label in phrases.words.synonyms.items():
        said = phrases.say("answer", answer=word)
        assert reader.read(said, QuestionForm(query=(first, last))).value == label, word


def test_instructions_in_a_third_language_are_refused(world: World) -> None:
    with pytest.raises(ConfigError, match="prompt_language"):
        Prompter(world, world.theory.assumption().name, PromptConfig(prompt_language="xx"))


def test_the_page_shows_the_story_and_the_question(world: World) -> None:
    builder = StoryBuilder(world, world.theory.assumption().name)
    for puzzle in puzzles(world, "strict")[:20]:
        verdict, shown = builder.build(puzzle)
        assert verdict == "proved, entailed"
        assert shown.get("asks", puzzle.question) == puzzle.question
        told = []
        for _, _, shape, *slots in shown["parts"]:
            literals = shape.split("[]")
            # A name in another case is an entity with its own word; values are texts.
            words = [
                one
                if isinstance(one, str)
                else one[1]
                if isinstance(one, tuple)
                else shown["entities"][one]
                for one in slots
            ]
            told.append("".join(a + b for a, b in zip_longest(literals, words, fillvalue="")))
            assert any(not isinstance(one, str) for one in slots)
        assert world.lexicon.space.join(told) == puzzle.story.replace("[", "").replace("]", "")
