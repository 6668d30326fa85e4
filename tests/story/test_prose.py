"""Stories in prose: how varied they are, that they hang together, and grammars that cannot be."""

import re
import shutil
from collections import Counter
from importlib import resources
from itertools import product

import pytest
import yaml

from clutrr.api import generate
from clutrr.config import Config
from clutrr.errors import ConfigError, WorldError
from clutrr.generator import Generator
from clutrr.world import load_world, save_world
from clutrr.world.prose import with_article

WORLD = load_world()
PROSE = WORLD.lexicon.prose


def prose_shapes(facts):
    """Every sentence that states this many facts, with names and attributes taken out."""
    return {
        shape
        for sentence in PROSE.sentences[facts]
        for relations in product(WORLD.relations, repeat=facts)
        if not sentence.kinds or WORLD.meaning[relations[0]].kind.name in sentence.kinds
        for pieces in filter(None, (sentence.pieces, sentence.led))
        for shape in _shapes(pieces, relations)
    }


def _shapes(pieces, relations):
    meant = [WORLD.meaning[relation] for relation in relations]
    implied = WORLD.theory.head_form(meant[0].kind.name, meant[0].form)
    for first in (0, 1) if implied is None else (implied,):
        forms = [first, *(form for _, form in meant)]
        choices = []
        for piece in pieces:
            if isinstance(piece, str):
                choices.append((piece,))
            elif piece.what in ("name", "does"):
                choices.append(("[]" if piece.what == "name" else "<>",))
            elif piece.what in ("r", "ar", "n", "an"):
                neutral = PROSE.neutral.get(meant[piece.of].kind.name, ())
                words = PROSE.words[relations[piece.of]] if piece.what[-1] == "r" else neutral
                choices.append(tuple(with_article(w) if len(piece.what) > 1 else w for w in words))
            else:
                choices.append((PROSE.pronoun(piece.what, forms[piece.of]),))
        yield from map("".join, product(*choices))


@pytest.mark.parametrize(("facts", "least"), [(1, 2000), (2, 5000)])
def test_how_many_shapes_there_are(facts, least):
    shapes = prose_shapes(facts)
    assert len(shapes) >= least
    assert all(shape.count("[]") >= facts for shape in shapes)


def test_shapes_are_those_of_stories():
    """What is counted is what is written."""
    shapes = prose_shapes(1) | prose_shapes(2)
    seen = set()
    for puzzle in generate("sound", k=4, size=300, distractors=1, style="prose"):
        for sentence in puzzle.sentences:
            if 1 <= len(sentence.facts) <= 2:
                text = puzzle.story[sentence.start : sentence.end]
                for texts in PROSE.about.values():
                    for about in texts:
                        text = re.sub(re.escape(about).replace(r"\{value\}", r"\[[^\]]*\]"), "<>", text)
                seen.add(re.sub(r"\[[^\]]*\]", "[]", text))
    assert seen <= shapes
    assert len(seen) > 300


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


def test_the_grammar_travels_with_the_world(tmp_path):
    save_world(WORLD, tmp_path / "w")
    again = load_world(tmp_path / "w")
    assert again.lexicon.prose == PROSE
    assert again.digest == WORLD.digest


def test_a_world_without_a_grammar(tmp_path):
    save_world(WORLD, tmp_path / "w")
    (tmp_path / "w/prose.yaml").unlink()
    world = load_world(tmp_path / "w")
    with pytest.raises(ConfigError, match=r"has no prose.yaml"):
        Generator(Config(k=(3,), style="prose"), world)
    assert generate(k=2, size=1, world=world)[0].story


def test_brackets_are_for_prose_only():
    with pytest.raises(ConfigError, match="--style prose"):
        Config(brackets=False)


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
        (lambda c: c["pronouns"].pop("him"), "pronouns: him"),
        (lambda c: c["words"].update(mother=["dad"]), "'dad' is a word for"),
        (lambda c: c["words"].update(cousin=["cuz"]), "cousin: relations.yaml has no such relation"),
        (lambda c: c["about"].pop("hobby"), "about: hobby"),
        (lambda c: c["about"].update(hobby=["likes"]), r"must hold \{value\}"),
        (lambda c: c["about"].update(shoes=["wears {value}"]), "no such attribute"),
        (lambda c: c.update(three=[]), "three: expected a list"),
        (lambda c: c.update(four=["x"]), "four: expected exactly"),
        (lambda c: c["one"].append({"say": "{a}'s {r1} is {b}!"}), "say and for"),
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
