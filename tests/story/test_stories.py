"""What a story says, read back by the wording of the world's files alone; and stories in prose."""

import re
from collections import Counter

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from clutrr import generate, load_world
from clutrr._config import ORDERS, Config
from clutrr._generate import Generator
from clutrr._lexicon import save_world
from clutrr._table import from_table
from clutrr.errors import ConfigError
from kin_oracle import MEANING
from kin_text import VALUES, sentences

PRESETS = {"sound": "shuffled", "described": "inserted", "published": "path"}


def check(puzzle, k, distractors, order):
    """All that must hold of one puzzle by itself."""
    names = [person.name for person in puzzle.entities]
    genders = dict(puzzle.entities)
    assert puzzle.k == len(puzzle.pattern) == len(puzzle.facts) == k
    assert len(set(names)) == len(names) == k + 1
    assert puzzle.query == (names[0], names[-1])
    for i, fact in enumerate(puzzle.facts):
        assert (fact.head, fact.tail) == (names[i], names[i + 1])
        assert MEANING[fact.relation] == (puzzle.pattern[i], genders[fact.tail])
    assert MEANING[puzzle.target][1] == genders[names[-1]]

    said = sentences(puzzle.story)
    facts = [(s.subject, s.what, s.object) for s in said if s.fact]
    told = [s for s in said if not s.fact]
    assert len(facts) == k
    assert len(told) == distractors * (k + 1)
    assert sorted(facts) == sorted(puzzle.facts)
    if order != "shuffled":
        assert facts == list(puzzle.facts)
    if order == "path":
        expected = [("fact", names[1]), *[(names[0],)] * distractors, *[(names[1],)] * distractors]
        for name in names[2:]:
            expected += [("fact", name), *[(name,)] * distractors]
        assert [("fact", s.object) if s.fact else (s.subject,) for s in said] == expected
    assert Counter(s.subject for s in told) == Counter(
        {n: distractors for n in names if distractors}
    )
    assert len({(s.subject, s.what) for s in told}) == len(told)
    assert all(s.object in VALUES[s.what] for s in told)

    (stated,) = sentences(puzzle.abstract)
    assert stated == (True, names[0], puzzle.target, names[-1])


@pytest.mark.parametrize("order", [None, *ORDERS])
@pytest.mark.parametrize(
    ("preset", "k"), [("sound", 1), ("sound", 4), ("described", 3), ("published", 6)]
)
def test_every_story_says_its_facts_and_no_more(preset, k, order):
    for puzzle in generate(preset, k=k, size=100, seed=8, order=order):
        check(puzzle, k, 8, order or PRESETS[preset])
        if k == 1:  # the memory subset
            assert puzzle.facts[0].relation == puzzle.target
            assert puzzle.pattern == (MEANING[puzzle.target][0],)
        if preset == "published":
            assert len(sentences(puzzle.story)) == 9 * k + 8  # as in the published files


@settings(max_examples=8)
@given(
    st.sampled_from(["sound", "described"]),
    st.integers(1, 6),
    st.integers(0, 8),
    st.sampled_from(list(ORDERS)),
    st.integers(0, 2**40),
)
def test_any_setting_gives_whole_stories(preset, k, distractors, order, seed):
    for puzzle in generate(preset, k=k, size=40, seed=seed, distractors=distractors, order=order):
        check(puzzle, k, distractors, order)


@pytest.mark.parametrize("order", ["inserted", "shuffled"])
def test_sentences_stand_anywhere(order):
    """With k = 3 and 35 sentences, a fact's mean place is the middle, or a quarter on for each."""
    places = np.array(
        [
            [i for i, said in enumerate(sentences(puzzle.story)) if said.fact]
            for puzzle in generate("described", k=3, size=2000, order=order)
        ]
    )
    counts = np.bincount(places.reshape(-1), minlength=35)  # each place is as likely as another
    mean = 3 * 2000 / 35
    chi2 = ((counts - mean) ** 2 / mean).sum()
    assert chi2 < 34 + 4 * (2 * 34) ** 0.5
    if order == "inserted":  # order statistics of 3 out of 35 places
        assert abs(places.mean(axis=0) - np.array([8, 17, 26])).max() < 0.8


def test_shuffled_facts_come_in_every_order():
    orders = Counter()
    for puzzle in generate("sound", k=3, size=1800, distractors=1):
        facts = [(s.subject, s.what, s.object) for s in sentences(puzzle.story) if s.fact]
        orders[tuple(facts.index(fact) for fact in puzzle.facts)] += 1
    assert len(orders) == 6
    assert max(abs(count - 300) for count in orders.values()) < 80


def test_every_template_and_value_is_used(world):
    generator = Generator(Config("described", (6,)), world)
    tables = [generator.block("train", 6, block).take(np.arange(0, 4096, 64)) for block in range(6)]
    puzzles = [puzzle for table in tables for puzzle in from_table(table)]
    text = " ".join(puzzle.story for puzzle in puzzles)
    told = {
        (p.scene, s.subject, s.what, s.object)
        for p in puzzles
        for s in sentences(p.story)
        if not s.fact
    }
    for attribute, values in VALUES.items():
        counts = Counter(value for *_, what, value in told if what == attribute)
        mean = sum(counts.values()) / len(values)
        assert mean > 200
        assert max(abs(counts[value] - mean) for value in values) < 5 * mean**0.5
    masked = re.sub(r"\[[^\]]*\]", "[]", text)
    for templates in [
        *world.lexicon.templates.values(),
        *(a.templates for a in world.lexicon.attributes),
    ]:
        for template in templates:
            assert re.sub(r"\{\w+\}", "[]", template.text) in masked


def test_a_person_keeps_their_attributes_within_a_family():
    told: dict[tuple[str, str, str], str] = {}
    used, again = Counter(), 0
    for puzzle in generate("described", k=3, size=600, distractors=3):
        for said in sentences(puzzle.story):
            if not said.fact:
                key = puzzle.scene, said.subject, said.what
                again += key in told
                assert told.setdefault(key, said.object) == said.object
                used[said.what] += 1
    assert again > 1000
    assert set(used) == set(VALUES)  # three of eight, each as often as another
    assert max(abs(count - 7200 / 8) for count in used.values()) < 150


WORLD = load_world()


def test_how_many_shapes_there_are():
    """Sentences of one, two and three facts, with the names taken out."""
    shapes = {facts: set() for facts in (1, 2, 3)}
    for puzzle in generate("described", k=4, size=3000, distractors=0, style="prose"):
        for sentence in puzzle.sentences:
            text = puzzle.story[sentence.start : sentence.end]
            shapes[len(sentence.facts)].add(re.sub(r"\[[^\]]*\]", "[]", text))
    assert min(map(len, shapes.values())) > 1000


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
