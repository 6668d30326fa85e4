"""The lexicons of the worlds without forms: enough words, unmistakable ones, and every story is read back."""

import re
from pathlib import Path

import pytest
import yaml

from clutrr import generate, load_world
from clutrr._ask.prompt_text import granted
from clutrr._lexicon import World, save_world
from clutrr._puzzle import Entity, Fact
from clutrr._reading import reader_of
from clutrr._reading.agreement import Agreement, TextCheck
from clutrr._reading.readable import unreadable

WORLDS = ("order", "time", "regions", "directions")
PROSE = ("time", "directions")


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
    said = {t.text for templates in world.lexicon.templates.values() for t in templates} | {
        *world.relations
    }
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
    reader, (first, second, *_) = reader_of(world), world.lexicon.names[0]
    for relation in world.relations:
        for common in world.lexicon.phrases.common:
            text = common.format(a=f"[{first}]", b=f"[{second}]", r=relation)
            assert reader.read(text).facts == (Fact(first, relation, second),)


@pytest.mark.parametrize(
    ("style", "brackets"), [("sentences", True), ("prose", True), ("prose", False)]
)
def test_stories_are_read_back(world: World, style: str, brackets: bool) -> None:
    """Also without brackets around names of two words, and not if the facts say it the other way round."""
    if style == "prose" and world.name not in PROSE:
        return
    check = TextCheck(world)
    converse = {kind.words[0]: world.kind(kind.converse).words[0] for kind in world.kinds}
    settings = {"distractors": 2, "style": style, "brackets": brackets}
    for puzzle in generate("described", 4, 60, world=world, **settings):
        assert ("[" in puzzle.story) == brackets
        reading = check.read(puzzle.story)
        assert sorted(reading.facts) == sorted(puzzle.facts), puzzle.story
        assert not reading.unread
        assert (
            check.check(puzzle.story, puzzle.facts, puzzle.entities).agreement is Agreement.AGREES
        )
        turned = [Fact(fact.tail, fact.relation, fact.head) for fact in puzzle.facts]
        same = all(converse[fact.relation] == fact.relation for fact in turned)
        expected = Agreement.AGREES if same else Agreement.DISAGREES
        assert check.check(puzzle.story, turned, puzzle.entities).agreement is expected
        if brackets:
            (stated,) = check.read(puzzle.abstract, puzzle.entities).facts
            assert stated == Fact(puzzle.query[0], puzzle.target, puzzle.query[1])


def test_text_that_no_template_has_is_not_read() -> None:
    reader, check = reader_of(load_world("time")), TextCheck(load_world("time"))
    story = "[Ruby Recital] came long before [Atlas Ride] was thought of."
    reading = reader.read(f"{story} [Atlas Ride] was during a war. [Ruby Recital] was dull.")
    assert (len(reading.unread), len(reading.facts)) == (2, 0)
    entities = [Entity("Atlas Ride", ""), Entity("Ruby Recital", "")]
    checked = check.check(story, [Fact("Atlas Ride", "before", "Ruby Recital")], entities)
    assert checked.agreement is Agreement.UNREAD


def test_prose_joins_facts(prosaic: World) -> None:
    prose = prosaic.lexicon.prose
    assert all(len(prose.sentences[facts]) >= least for facts, least in enumerate((12, 25, 20, 12)))
    text = " ".join(
        puzzle.story for puzzle in generate(k=4, size=150, world=prosaic, style="prose")
    )
    for part in (
        " It ",
        ", which in turn ",
        " the latter",
        " the former",
        "One thing is certain: ",
    ):
        assert part in text


def test_literal_prose_is_no_template(prosaic: World) -> None:
    """A sentence of the grammar without relation words is no template, which may mean something else."""
    shapes = {t.literals for ts in prosaic.lexicon.templates.values() for t in ts}
    literal = [s for s in prosaic.lexicon.prose.sentences[1] if not s.said]
    assert {kind for s in literal for kind in s.kinds} == {kind.name for kind in prosaic.kinds}
    assert not [s for s in literal if tuple(re.split(r"\{[ab]\}", s.text)) in shapes]


def test_saved_and_loaded(world: World, tmp_path: Path) -> None:
    save_world(world, tmp_path / "again")
    again = load_world(tmp_path / "again")
    assert (again.lexicon, again.digest) == (world.lexicon, world.digest)


def test_phrases_of_ones_own(tmp_path: Path) -> None:
    """They replace those of the theory one by one."""
    folder = tmp_path / "w"
    save_world(load_world("time"), folder)
    content = {
        "question": "When is {b}, seen from {a}?",
        "topic": ["calendar"],
        "clauses": {"before": "{b} closed ahead of {a}"},
        "meanings": {"before": "{b} ends before {a} begins"},
        "synonyms": {"before": ["prior to", "ahead of"]},
    }
    (folder / "phrases.yaml").write_text(yaml.safe_dump(content))
    (folder / "prose.yaml").unlink()
    usual, found = load_world("time"), load_world(folder)
    assert found.lexicon.phrases.question == content["question"]
    assert found.lexicon.phrases.relation == usual.lexicon.phrases.relation
    assert found.lexicon.phrases.words.synonyms == {"prior to": "before", "ahead of": "before"}
    assert found.say("X", "before", "Y") == "Y closed ahead of X"
    assert "before: Y ends before X begins" in granted(found, "line")
    assert found.digest != usual.digest
    assert reader_of(found).read("[Atlas Ride] is in the calendar.").unread
    assert not reader_of(usual).read("[Atlas Ride] is in the calendar.").unread
