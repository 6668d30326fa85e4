"""Learning the wording of data whose world is known gives back that world's sentences."""

from pathlib import Path

import pytest

import clutrr
from clutrr import load_world
from clutrr._puzzle import Sentence
from clutrr._reading.attributes import group
from clutrr._reading.learning import learn, write_world
from clutrr.errors import DataError, OutputError
from made import told

V1 = load_world("kinship-v1")


@pytest.mark.parametrize(("name", "k"), [("kinship", 4), ("kinship-v1", 3)])
def test_a_known_world_is_found_again(name: str, k: int) -> None:
    known = load_world(name)
    found = learn(
        clutrr.generate("sound", k=k, size=1500, seed=2, order="path", world=known), "again", known
    )
    assert found.refused == {}
    lexicon = found.world.lexicon
    for relation in known.relations:
        assert set(lexicon.templates[relation]) == set(known.lexicon.templates[relation])
    for one, other in zip(lexicon.attributes, known.lexicon.attributes, strict=True):
        texts = ({template.literals for template in of.templates} for of in (one, other))
        assert (next(texts), set(one.values)) == (next(texts), set(other.values))
    for names, every in zip(lexicon.names, known.lexicon.names, strict=True):
        assert set(names) <= set(every)


def test_the_world_that_is_written_is_the_one_that_was_learnt(tmp_path: Path) -> None:
    learnt = learn(clutrr.generate(k=3, size=200), "written", V1)
    write_world(learnt, tmp_path / "written")
    assert load_world(tmp_path / "written").digest == learnt.world.digest
    with pytest.raises(OutputError, match="already holds something else"):
        write_world(learnt, tmp_path / "written")
    write_world(learnt, tmp_path / "written", force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["written"]


def test_shared_shapes_and_values_are_put_apart() -> None:
    """Golf and cooking share a shape; the shop is where one works and where one buys."""
    told_of = []
    for i in range(200):
        hobby, sport, shop = (
            ("cooking", "chess")[i % 2],
            ("golf", "judo")[i // 2 % 2],
            ("Acme", "Ajax")[i // 4 % 2],
        )
        store = ("Acme", "Bolt")[i // 8 % 2]
        told_of.append(
            [
                ("[] is into [].", hobby),
                ("[] is into []." if i % 3 else "[] plays [].", sport),
                ("[] works at []." if i % 5 < 3 else "[] serves [].", shop),
                ("[] buys from [].", store),
                ("[] is tall." if i // 16 % 2 else "[] is short.", ""),
            ]
        )
    found = [(set(shapes), values) for shapes, values in group(told_of)]
    assert found == [
        ({"[] is into []."}, ["chess", "cooking"]),
        ({"[] is into [].", "[] plays []."}, ["golf", "judo"]),
        ({"[] works at [].", "[] serves []."}, ["Acme", "Ajax"]),
        ({"[] buys from []."}, ["Acme", "Bolt"]),
        ({"[] is tall.", "[] is short."}, []),
    ]


def test_what_is_not_taken_apart_is_listed() -> None:
    story = (
        "[Bo] is the pride of a sister, [Al]. [Al] took his son [Bo] home. They sang. "
        "[Al], [Bo] and [Cy] left. [Al] fed [Bo]'s cat. [Al] is [Bo]'s sister. [Bo] is [Al]'s mother."
    )
    learnt = learn([told(story, [("Al", "sister", "Bo")], abstract="[Bo] is [Al]'s son.")], "x", V1)
    assert {reason for _, reason in learnt.refused} == {
        "its words suit one form only",
        "names no entity",
        "names more than two entities or values",
        "names no relation",
        "states another relation than the fact",
        "states it the other way round",
    }
    with pytest.raises(DataError, match="no sentence of the data"):
        learn([told("[Al] and [Bo] sang.", [("Al", "sister", "Bo")])], "x", V1)


@pytest.mark.parametrize("world", ["kinship", "directions"])
def test_stories_without_brackets_are_learnt_as_with_them(world: str) -> None:
    """Also where the data tells which sentence states which fact: the spans of sentences move."""
    known = load_world(world)
    relation = known.relations[0]
    story = f"Good day. {known.lexicon.templates[relation][0].fill({'a': 'Ann', 'b': 'Bob'})}"
    plain = story.replace("[", "").replace("]", "")
    both = []
    for text in (story, plain):
        spans = (Sentence(0, 9, ()), Sentence(10, len(text), (0,)))
        both.append(
            learn([told(text, [("Ann", relation, "Bob")], relation, sentences=spans)], "x", known)
        )
    assert both[0] == both[1]
    assert len(both[0].world.lexicon.templates[relation]) == 1


def test_the_same_fact_from_its_other_end() -> None:
    """A daughter is stated as a mother: the sentence is a template of mother."""
    learnt = learn([told("[Cy] is [Di]'s mother.", [("Cy", "daughter", "Di")])], "x", V1)
    (template,) = learnt.world.lexicon.templates["mother"]
    assert template.text == "{b} is {a}'s mother."
    assert "daughter" in learnt.borrowed
