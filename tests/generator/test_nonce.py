"""Invented words for relations, in every world and language, and every form of question."""

import pytest

import clutrr
from clutrr._ask.ask import prompts
from clutrr.theory import WORLDS
from commands import findings, refused, run

ONE_OF_EACH = ("kinship", "kinship-full", "time", "order", "regions", "directions", "kinship-fr")


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_only_the_words_are_invented(name):
    """Scenes, questions, kinds and names are those of the world; every label is another word."""
    own = clutrr.generate(k=3, size=6, seed=2, world=name, distractors=1)
    new = clutrr.generate(k=3, size=6, seed=2, world=name, distractors=1, nonce=5)
    world, invented = clutrr.load_world(name), new.world
    words = dict(zip(world.relations, invented.relations, strict=True))
    assert not set(words) & set(words.values())
    for one, other in zip(own, new, strict=True):
        assert (one.query, one.pattern, one.entities) == (
            other.query,
            other.pattern,
            other.entities,
        )
        assert other.target == words[one.target]
        assert [fact.relation for fact in other.facts] == [
            words[fact.relation] for fact in one.facts
        ]
        for sentence in other.sentences:
            said = other.story[sentence.start : sentence.end]
            assert all(other.facts[fact].relation in said for fact in sentence.facts)


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_reads_its_invented_words_back(name, tmp_path):
    """A world that is written is checked when it is read; and its puzzles are solved."""
    from clutrr._lexicon.world import save_world

    puzzles = clutrr.generate(k=2, size=1, world=name, distractors=0, nonce=1)
    save_world(puzzles.world, tmp_path)
    world = clutrr.load_world(tmp_path)
    assert world.relations == puzzles.world.relations
    found = clutrr.solve(puzzles[0].story, puzzles[0].query, world, puzzles.assume)
    assert found.answer == puzzles[0].target


@pytest.mark.parametrize("form", ["which", "yes-no", "choice"])
@pytest.mark.parametrize("name", ["kinship", "time", "kinship-de"])
def test_prompts_explain_the_words(name, form):
    puzzles = clutrr.generate(k=2, size=4, world=name, distractors=0, nonce=1, split="test")
    words = clutrr.load_world(name).relations
    for prompt in prompts(puzzles, form=form):
        content = prompt.messages[-1]["content"]
        explained, _, asked = content.rpartition("\n\n")
        assert all(word in explained for word in puzzles.world.relations)
        if name != "kinship-de":  # whose words are explained by those of the language
            assert not any(f" {word} " in asked for word in words)


def test_meanings_of_kinship_are_told_step_by_step():
    (prompt, *_) = prompts(clutrr.generate(k=2, size=1, nonce=1, split="test", distractors=0))
    content = prompt.messages[0]["content"]
    assert "Y is a woman: a child of a child of X" in content
    assert "Y is a man with both of X's parents, and not X" in content
    assert "grandson" not in content


def test_seeds_differ_and_are_kept():
    one, again, other = (clutrr.generate(k=2, size=1, nonce=seed).world for seed in (1, 1, 2))
    assert one == again
    assert one.relations != other.relations
    assert clutrr.stream(k=2, nonce=1)[0].target in one.relations


def test_a_folder_and_its_audit(tmp_path):
    options = "--k 2-3 --train 20 --test 10 --distractors 1 --nonce 7".split()
    run("generate", tmp_path / "data", *options)
    run("generate", tmp_path / "again", *options, "--workers", 2)
    data = tmp_path / "data/data/M3/test-00000-of-00001.parquet"
    again = tmp_path / "again/data/M3/test-00000-of-00001.parquet"
    assert data.read_bytes() == again.read_bytes()
    assert findings(tmp_path / "data")["proved"] == 60
    assert "kinship-nonce-7" in run("info", tmp_path / "data")


def test_prose_is_refused(tmp_path):
    said = refused("generate", tmp_path / "o", "--nonce", 1, "--style", "prose")
    assert "has no prose.yaml" in said
    assert "nonce: '-1' is below 0" in refused("generate", tmp_path / "o", "--nonce", -1).replace(
        "-1 is", "'-1' is"
    )
