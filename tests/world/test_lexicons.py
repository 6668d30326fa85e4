"""The lexicons of the worlds without forms: enough words, unmistakable ones, and every story is read back."""

import re

import numpy as np
import pytest
import yaml

from clutrr.api import generate
from clutrr.errors import WorldError
from clutrr.puzzle import Fact
from clutrr.story import ProseRenderer, Renderer
from clutrr.theory.questions import Cast, QuestionBlock
from clutrr.wording import StoryReader
from clutrr.wording.reading import unreadable
from clutrr.world import World, load_world, save_world

WORLDS = ("order", "time", "regions", "directions")
PROSE = ("time", "directions")
K = 4


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest) -> World:
    return load_world(request.param)


@pytest.fixture(scope="module", params=PROSE)
def prosaic(request: pytest.FixtureRequest) -> World:
    return load_world(request.param)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def test_there_is_enough_to_say(world: World) -> None:
    lexicon = world.lexicon
    assert all(len(templates) >= 8 for templates in lexicon.templates.values())
    assert len(lexicon.names[0]) >= 120
    assert len(lexicon.attributes) >= 8
    assert all(len(a.values) >= 8 and len(a.templates) >= 3 for a in lexicon.attributes)


def test_half_of_the_templates_speak_from_either_side(world: World) -> None:
    """Relations and their converses have different wordings, so every sentence is read as one fact."""
    for templates in world.lexicon.templates.values():
        first = [template.slots[0] for template in templates]
        assert min(first.count("a"), first.count("b")) >= len(first) // 2 - 1
    assert not list(unreadable(world))


def test_names_are_nothing_else(world: World) -> None:
    names = world.lexicon.names[0]
    assert not [(one, other) for one in names for other in names if one != other and one in other]
    said = {t.text for templates in world.lexicon.templates.values() for t in templates} | {*world.relations}
    taken = set().union(*map(words, said))
    assert not [name for name in names if words(name) & taken]


def test_attributes_are_off_the_topic(world: World) -> None:
    topic = world.lexicon.phrases.words.topic
    for attribute in world.lexicon.attributes:
        for text in (*attribute.values, *(template.text for template in attribute.templates)):
            assert not words(text) & topic, text
            assert not any(f" {relation} " in f" {text} " for relation in world.relations), text


def test_phrases_name_every_label(world: World) -> None:
    phrases = world.lexicon.phrases
    for texts in (phrases.clauses, phrases.meanings):
        assert tuple(texts) == world.relations
        assert len(set(texts.values())) == len(texts)
    assert {*phrases.words.synonyms.values()} <= {*world.relations}


def test_common_wordings_are_read(world: World) -> None:
    reader, (first, second, *_) = StoryReader(world), world.lexicon.names[0]
    for relation in world.relations:
        for common in world.lexicon.phrases.common:
            text = common.format(a=f"[{first}]", b=f"[{second}]", r=relation)
            assert reader.read(text).facts == (Fact(first, relation, second),)


def made(world: World, rows: int, seed: int) -> QuestionBlock:
    """Chains of random facts, which need not be possible together."""
    rng = np.random.default_rng(seed)
    names = len(world.lexicon.names[0])
    cast = Cast(
        np.arange(names, dtype=np.int16),
        np.zeros(names, np.int8),
        rng.integers(0, 2**16, (names, len(world.lexicon.attributes)), np.uint16),
        each=1,
    )
    places = np.broadcast_to(np.arange(K + 1), (rows, K + 1))
    return QuestionBlock(
        cast=cast,
        k=K,
        scene=np.zeros(rows, np.int64),
        entities=np.argsort(rng.random((rows, names)), axis=1)[:, : K + 1],
        head=places[:, :-1],
        tail=places[:, 1:],
        kinds=rng.integers(0, len(world.kinds), (rows, K)),
        first=np.append(0, np.arange(K)),
        roles=np.zeros(K, np.int64),
        targets=rng.integers(0, len(world.kinds), rows),
    )


def stories(world: World, style: str, brackets: bool, rows: int = 300, seed: int = 3):
    """Stories, and the facts that they state."""
    questions = made(world, rows, seed)
    teller = Renderer(world, 2, "shuffled", brackets)
    if style == "prose":
        teller = ProseRenderer(world, world.lexicon.prose, 2, "shuffled", brackets)
    told = teller.stories(questions, np.random.default_rng(seed), rows)
    for row, text in enumerate(told.text.to_pylist()):
        names = [world.lexicon.names[0][name] for name in questions.names[row]]
        labels = [world.relations[label] for label in questions.relation[row]]
        yield text, [Fact(*fact) for fact in zip(names, labels, names[1:], strict=False)]


def test_stories_are_read_back(world: World) -> None:
    reader = StoryReader(world)
    for text, facts in stories(world, "sentences", True):
        reading = reader.read(text)
        assert sorted(reading.facts) == sorted(facts)
        assert not reading.unread


@pytest.mark.parametrize("brackets", [True, False])
def test_prose_is_read_back(prosaic: World, brackets: bool) -> None:
    reader = StoryReader(prosaic)
    for text, facts in stories(prosaic, "prose", brackets):
        assert ("[" in text) == brackets
        reading = reader.read(text, {name for fact in facts for name in (fact.head, fact.tail)})
        assert sorted(reading.facts) == sorted(facts), text
        assert not reading.unread


def test_prose_of_several_routes_is_read_back(prosaic: World) -> None:
    """With more facts than there are sentences about attributes."""
    reader = StoryReader(prosaic)
    settings = {"routes": (3,), "distractors": 1, "style": "prose", "brackets": False}
    for puzzle in generate("strict", k=3, size=60, world=prosaic, **settings):
        reading = reader.read(puzzle.story)
        told = [tuple(puzzle.facts[i] for i in sentence.facts) for sentence in puzzle.sentences]
        assert [sentence.facts for sentence in reading.sentences] == told
        assert not reading.unread


def test_prose_joins_facts(prosaic: World) -> None:
    prose = prosaic.lexicon.prose
    assert all(len(prose.sentences[facts]) >= least for facts, least in enumerate((12, 25, 20, 12)))
    text = " ".join(text for text, _ in stories(prosaic, "prose", True))
    for part in (" It ", ", which in turn ", " the latter", " the former", "One thing is certain: "):
        assert part in text


def test_literal_prose_is_no_template(prosaic: World) -> None:
    """A sentence of the grammar without relation words is no template, which may mean something else."""
    shapes = {t.literals for ts in prosaic.lexicon.templates.values() for t in ts}
    literal = [s for s in prosaic.lexicon.prose.sentences[1] if not s.said]
    assert {kind for s in literal for kind in s.kinds} == {kind.name for kind in prosaic.kinds}
    assert not [s for s in literal if tuple(re.split(r"\{[ab]\}", s.text)) in shapes]


def test_saved_with_its_phrases(prosaic: World, tmp_path) -> None:
    save_world(prosaic, tmp_path / "again")
    again = load_world(tmp_path / "again")
    assert again.lexicon.prose == prosaic.lexicon.prose
    assert again.digest == prosaic.digest


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"say": "{b} came first, then {a}.", "for": ["<", "m"]}, "for one kind"),
        ({"say": "{b} came first, then {a}.", "for": ["?"]}, "no kind ?"),
        ("{b} came first, then {a}.", "for one kind"),
        ({"say": "The closing bell of {b} was the opening bell of {a}.", "for": ["<"]}, "reads like"),
        ("Yes, {b} {r2} {a}.", "must say {r1}"),
        (
            {"say": "Alas, {a} began ahead of but ended in the same instant as {b}.", "for": ["f"]},
            "is a word for finishes",
        ),
    ],
)
def test_sentences_that_cannot_be(tmp_path, entry: object, why: str) -> None:
    save_world(load_world("time"), tmp_path / "w")
    file = tmp_path / "w" / "prose.yaml"
    content = yaml.safe_load(file.read_text())
    content["one"].append(entry)
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(WorldError, match=re.escape(why)):
        load_world(tmp_path / "w")
