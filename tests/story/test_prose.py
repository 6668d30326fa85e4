"""Stories in prose: how varied they are, that they hang together, and grammars that cannot be."""

import re
from collections import Counter

import pytest
import yaml

from clutrr.api import generate
from clutrr.config import Config
from clutrr.errors import ConfigError
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


def test_a_grammar_of_ones_own(tmp_path):
    save_world(WORLD, tmp_path / "mine")
    content = yaml.safe_load((tmp_path / "mine/prose.yaml").read_text())
    content["one"] = ["Look at {a}: {b} is {a.his} {r1}."]
    (tmp_path / "mine/prose.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    made = generate(k=2, size=60, style="prose", distractors=0, world=tmp_path / "mine")
    assert any("Look at" in puzzle.story for puzzle in made)
