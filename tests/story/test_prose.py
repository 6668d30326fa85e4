"""Stories in prose: how varied they are, that they hang together, and grammars that cannot be."""

import re
import shutil
from collections import Counter
from importlib import resources

import pytest
import yaml

from clutrr.api import generate
from clutrr.config import Config
from clutrr.errors import ConfigError, WorldError
from clutrr.generator import Generator
from clutrr.world import load_world, save_world

WORLD = load_world()


def test_how_many_shapes_there_are():
    """Sentences of one, two and three facts, with the names taken out."""
    shapes = {facts: set() for facts in (1, 2, 3)}
    for puzzle in generate("described", k=4, size=3000, distractors=0, style="prose"):
        for sentence in puzzle.sentences:
            text = puzzle.story[sentence.start : sentence.end]
            shapes[len(sentence.facts)].add(re.sub(r"\[[^\]]*\]", "[]", text))
    assert min(map(len, shapes.values())) > 1000


@pytest.mark.parametrize("brackets", [True, False])
def test_every_fact_and_every_person_is_told_once(brackets):
    noise = {"supporting": 2, "irrelevant": 2, "disconnected": 2}
    settings = {"style": "prose", "brackets": brackets, "distractors": 3, "noise": noise}
    lengths = Counter()
    for puzzle in generate("sound", k=4, size=200, **settings):
        told = [number for sentence in puzzle.sentences for number in sentence.facts]
        assert sorted(told) == list(range(len(puzzle.facts)))
        texts = [puzzle.story[s.start : s.end] for s in puzzle.sentences]
        assert " ".join(texts) == puzzle.story
        assert all(text[0].isupper() or text[0] == "[" for text in texts)
        assert ("[" in puzzle.story) == brackets
        assert all(person.name in puzzle.story for person in puzzle.entities)
        lengths.update(len(s.facts) for s in puzzle.sentences)
    assert min(lengths[n] for n in range(4)) > 50


def test_things_told_are_as_many_as_asked_for():
    values = {value for attribute in WORLD.lexicon.attributes for value in attribute.values}
    for d in (0, 1, 8):
        for puzzle in generate("sound", k=3, size=60, distractors=d, style="prose"):
            found = [name for name in re.findall(r"\[([^\]]*)\]", puzzle.story) if name in values]
            assert len(found) == d * 4


def test_pronouns_lead_from_sentence_to_sentence():
    leads = Counter()
    for puzzle in generate("described", k=3, size=300, distractors=4, style="prose", order="path"):
        for sentence in puzzle.sentences:
            first = puzzle.story[sentence.start : sentence.end].split()[0]
            leads[first, bool(sentence.facts)] += first in ("He", "She", "His", "Her")
    assert all(leads[word, False] > 100 for word in ("He", "She"))
    assert all(leads[word, True] > 5 for word in ("He", "She", "His", "Her"))


def test_the_grammar_travels_with_the_world_if_it_has_one(tmp_path):
    save_world(WORLD, tmp_path / "w")
    again = load_world(tmp_path / "w")
    assert (again.lexicon.prose, again.digest) == (WORLD.lexicon.prose, WORLD.digest)
    (tmp_path / "w/prose.yaml").unlink()
    world = load_world(tmp_path / "w")
    with pytest.raises(ConfigError, match=r"has no prose.yaml"):
        Generator(Config(k=(3,), style="prose"), world)
    assert generate(k=2, size=1, world=world)[0].story


def edited(tmp_path, change):
    with resources.as_file(resources.files("clutrr.world") / "kinship") as source:
        folder = shutil.copytree(source, tmp_path / "mine")
    content = yaml.safe_load((folder / "prose.yaml").read_text())
    change(content)
    (folder / "prose.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    return folder


@pytest.mark.parametrize(
    ("section", "text", "why"),
    [
        ("one", "{a} knows {e}, who is the {r1} of {b}.", r"no slot \{e\}"),
        ("one", "{a} likes {a.hers} {r1} {b}.", r"no slot \{a.hers\}"),
        ("one", "{a} is {} {r1} to {b}.", r"no slot \{\}"),
        ("one", "{a}} has a {r1}, {b}.", "unbalanced brace"),
        ("one", "{b.his} friends know that {a}'s {r1} is {b}.", r"\{b.his\} would be read as nothing"),
        ("two", "{a}'s {r1} is {b}, and {a.his} {r2} is {c}.", r"\{a.his\} would be read as \{b\}"),
        ("one", "{a} and {c.his} {r1} {b} met.", r"names no \{c\}"),
        ("one", "{a}'s {r1} left.", "must name"),
        ("two", "{a}'s {r1} is {b}, {c}.", "must say"),
        ("one", "{a}'s {n1} is {b}.", "leaves open"),
        ("one", "{a}'s {r1} is {b}, a mother.", "'mother' is a word for mother"),
        ("one", "{a}'s {r1} is {b}", "full stop"),
        ("one", "{a}'s {r1} {b} met Linda.", "'Linda' is also a name"),
        ("one", "{a}'s {r1} {b} {a.does}.", "can have an attribute"),
        ("tell", "{a} is here.", "one to three attributes"),
        ("one", "{b} is {a}'s {r1}.", "appears twice|reads like"),
    ],
)
def test_sentences_that_cannot_be(tmp_path, section, text, why):
    folder = edited(tmp_path, lambda content: content[section].append(text))
    with pytest.raises(WorldError, match=why) as error:
        load_world(folder)
    assert str(folder / "prose.yaml") in str(error.value)
    assert section in str(error.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda c: c.pop("pronouns"), "pronouns: expected"),
        (lambda c: c["pronouns"].pop("him"), "pronouns: expected exactly the fields he, his, him"),
        (lambda c: c["words"].update(mother=["dad"]), "'dad' is a word for"),
        (lambda c: c["words"].update(cousin=["cuz"]), "cousin: relations.yaml has no such relation"),
        (lambda c: c["about"].pop("hobby"), "about: hobby"),
        (lambda c: c["about"].update(hobby=["likes"]), r"must hold \{value\}"),
        (lambda c: c["about"].update(shoes=["wears {value}"]), "no such attribute"),
        (lambda c: c.update(three=[]), "three: expected a list"),
        (lambda c: c.update(four=["x"]), "four: expected exactly"),
        (lambda c: c["one"].append({"say": "{a}'s {r1} is {b}!"}), "the fields say, for"),
    ],
)
def test_grammars_that_cannot_be(tmp_path, change, why):
    folder = edited(tmp_path, change)
    with pytest.raises(WorldError, match=why) as error:
        load_world(folder)
    assert str(folder / "prose.yaml") in str(error.value)


def test_a_grammar_of_ones_own(tmp_path):
    folder = edited(tmp_path, lambda content: content.update(one=["Look at {a}: {b} is {a.his} {r1}."]))
    stories = [p.story for p in generate(k=2, size=60, style="prose", distractors=0, world=folder)]
    assert any("Look at" in story for story in stories)
