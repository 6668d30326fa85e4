"""A world whose theory has no forms: it loads, is saved, tells stories, and these are read back."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import yaml

from clutrr.errors import WorldError
from clutrr.prompts.text import granted
from clutrr.puzzle import Entity, Fact, Puzzle
from clutrr.story import ProseRenderer, Renderer
from clutrr.theory import Assumption, Theory, find_theory
from clutrr.theory.questions import Cast, QuestionBlock
from clutrr.wording import StoryReader
from clutrr.wording.check import Agreement, TextCheck
from clutrr.wording.learning import learn
from clutrr.wording.reading import check_readable
from clutrr.world import World, load_world, save_world

CONVERSES = {"<": ">", "=": "=", ">": "<"}
WORDS = {"<": "before", "=": "at the same time as", ">": "after"}
EVENTS = ["Alpha Fair", "Beta Fair", "Gamma Fair", "Delta Fair", "Omega Fair"]
FILES = {
    "world": {"theory": "clock", "language": "en"},
    "relations": {kind: {"words": word} for kind, word in WORDS.items()},
    "templates": {
        word: [f"{{b}} takes place {word} {{a}}.", f"Listen: {word} {{a}} there is {{b}}."]
        for word in WORDS.values()
    },
    "attributes": {
        "place": {"values": ["Rome", "Oslo"], "templates": ["{entity} is held in {value}."]},
        "fame": {"values": [], "templates": ["{entity} is famous.", "Everybody likes {entity}."]},
    },
    "prose": {
        "pronouns": {"he": "it", "his": "its", "him": "it"},
        "words": {"before": ["earlier than"]},
        "neutral": {},
        "about": {"place": ["is held in {value}"], "fame": ["is famous"]},
        "tell": ["{a} {a.does}.", "{a} {a.does} and {a.does}."],
        "one": ["{b} is {r1} {a}.", "{a} draws crowds; {r1} {a.him} comes {b}."],
        "two": ["{b} is {r1} {a}, and {c} is {r2} that."],
        "three": ["{b} is {r1} {a}, {c} is {r2} that, and {d} is {r3} that one."],
    },
}
PROSE = FILES["prose"]


class Clock(Theory):
    """Events on a line; nothing is drawn or decided here."""

    name = "clock"
    assumptions = (Assumption("line", "on a line", "the line", "The relations hold on a line."),)
    presets = ()
    solver = questions = None

    @classmethod
    def from_relations(cls, relations: Mapping[str, Mapping[str, object]]) -> "Clock":
        for kind in CONVERSES:
            if kind not in relations:
                raise WorldError(f"{kind}: is missing")
        return cls()

    @property
    def converses(self) -> Mapping[str, str]:
        return CONVERSES


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "clutrr.world.load.find_theory", lambda name: Clock if name == "clock" else find_theory(name)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    (tmp_path / "names.txt").write_text("\n".join(EVENTS))
    return tmp_path


@pytest.fixture
def world(folder: Path) -> World:
    return load_world(folder)


def test_labels_and_names(world: World) -> None:
    assert world.forms == ()
    assert world.relations == tuple(WORDS.values())
    assert world.meaning["after"] == (world.kind(">"), 0)
    assert world.lexicon.names == (tuple(EVENTS),)
    assert world.supply.names == (5,)
    assert world.say("Alpha Fair", "before", "Beta Fair") == "Beta Fair is before Alpha Fair"
    check_readable(world, "here")


def test_saved_and_loaded(world: World, tmp_path: Path) -> None:
    save_world(world, tmp_path / "again")
    again = load_world(tmp_path / "again")
    assert (again.digest, again.lexicon) == (world.digest, world.lexicon)
    assert not (tmp_path / "again" / "phrases.yaml").exists()


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("relations", {"<": {"words": {"female": "x"}}}, "<: .* is not a word"),
        ("relations", {"<": {"words": "before,"}}, "<: 'before,' is not a word"),
        ("relations", {"<": {"words": "before", "steps": []}}, "<: expected exactly the fields words"),
        ("relations", {"<": {"words": "before"}}, "=: is missing"),
        (
            "prose",
            PROSE | {"pronouns": {"he": {"male": "he"}}},
            "pronouns: he: .* is not plain text",
        ),
        ("prose", PROSE | {"one": ["{a}, at the same time as that, is {r1} {b}."]}, "is a word for at the"),
        ("prose", PROSE | {"one": ["{a}, not Beta Fair, is {r1} {b}."]}, "'Beta Fair' is also a name"),
        ("phrases", {"asking": "x"}, "no phrase 'asking'"),
        ("phrases", {"question": "When is {b}?"}, r"question: .* must hold \{a\} and \{b\}"),
        ("phrases", {"relation": "{r} {a} {a.__class__}"}, "relation: .* and no other slot"),
        ("phrases", {"clauses": {"before": "{b} was before"}}, r"clauses: before: .* must hold \{a\}"),
        ("phrases", {"meanings": {"during": "{b} in {a}"}}, "meanings: during: relations.yaml has no such"),
        ("phrases", {"topic": "moon"}, "topic: expected a list"),
        ("phrases", {"synonyms": {"before": [7]}}, "synonyms: before: 7 is not a word"),
    ],
)
def test_errors_name_the_file_and_the_entry(folder: Path, file: str, content: object, message: str) -> None:
    (folder / f"{file}.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    with pytest.raises(WorldError, match=message) as caught:
        load_world(folder)
    assert str(folder / f"{file}.yaml") in str(caught.value)


def test_names_of_no_form(folder: Path) -> None:
    (folder / "names.txt").write_text("Rome\n")
    with pytest.raises(WorldError, match=r"names.txt: 'Rome' is also a value of place"):
        load_world(folder)


def test_phrases_of_a_world(folder: Path, world: World, tmp_path: Path) -> None:
    content = {
        "question": "When is {b}, seen from {a}?",
        "topic": ["calendar"],
        "clauses": {"before": "{b} ended before {a}"},
        "meanings": {"before": "{b} ends before {a} begins"},
        "synonyms": {"before": ["prior to", "ahead of"]},
        "modifiers": {"en": ["not"]},
    }
    (folder / "phrases.yaml").write_text(yaml.safe_dump(content))
    found = load_world(folder)
    assert found.lexicon.phrases.question == content["question"]
    assert found.lexicon.phrases.relation == world.lexicon.phrases.relation
    assert found.lexicon.phrases.words.synonyms == {"prior to": "before", "ahead of": "before"}
    assert found.say("X", "before", "Y") == "Y ended before X"
    assert found.say("X", "after", "Y") == "Y is after X"
    assert granted(found, "line").endswith(
        "The relations hold on a line. What the relations of Y to X mean: before: Y ends before X begins."
    )
    assert found.digest != world.digest
    save_world(found, tmp_path / "again")
    assert load_world(tmp_path / "again").lexicon == found.lexicon
    assert StoryReader(found).read("[Alpha Fair] is in the calendar.").unread
    assert not StoryReader(world).read("[Alpha Fair] is in the calendar.").unread


def questions(rows: int, seed: int) -> QuestionBlock:
    """Routes of three facts."""
    rng = np.random.default_rng(seed)
    names = len(EVENTS)
    traits = rng.integers(0, 2**16, (names, 2), np.uint16)
    cast = Cast(np.arange(names, dtype=np.int16), np.zeros(names, np.int8), traits, 1)
    entities = np.argsort(rng.random((rows, names)), axis=1)[:, :4]
    places = np.broadcast_to(np.arange(4), (rows, 4))
    return QuestionBlock(
        cast=cast,
        k=3,
        scene=np.zeros(rows, np.int64),
        entities=entities,
        head=places[:, :-1],
        tail=places[:, 1:],
        kinds=rng.integers(0, 3, (rows, 3)),
        first=np.array([0, 0, 1, 2]),
        roles=np.zeros(3, np.int64),
        targets=rng.integers(0, 3, rows),
    )


def puzzles(world: World, style: str, brackets: bool = True) -> list[Puzzle]:
    made, rng, rows = questions(60, 4), np.random.default_rng(5), 50
    plain = Renderer(world, 2, "shuffled", brackets)
    teller = plain
    if style == "prose":
        teller = ProseRenderer(world, world.lexicon.prose, 2, "shuffled", brackets)
    stories = teller.stories(made, rng, rows)
    answers = plain.answers(made, rng, rows).to_pylist()
    found = []
    for row, text in enumerate(stories.text.to_pylist()):
        names = [EVENTS[name] for name in made.names[row]]
        words = [world.relations[label] for label in made.relation[row]]
        facts = tuple(Fact(*fact) for fact in zip(names, words, names[1:], strict=False))
        target = world.relations[made.target[row]]
        found.append(
            Puzzle(
                id=str(row),
                story=text,
                abstract=answers[row],
                query=(names[0], names[3]),
                target=target,
                k=3,
                pattern=tuple(world.meaning[word].kind.name for word in words),
                facts=facts,
                entities=tuple(Entity(name, "") for name in names),
                scene="",
            )
        )
    return found


@pytest.mark.parametrize(("style", "brackets"), [("sentences", True), ("prose", True), ("prose", False)])
def test_stories_are_read_back(world: World, style: str, brackets: bool) -> None:
    """Also without brackets around names of two words."""
    check = TextCheck(world)
    for puzzle in puzzles(world, style, brackets):
        assert ("[" in puzzle.story) == brackets
        reading = check.read(puzzle.story, puzzle.entities)
        assert sorted(reading.facts) == sorted(puzzle.facts)
        assert not reading.unread
        assert check.check(puzzle.story, puzzle.facts, puzzle.entities).agreement is Agreement.AGREES
        turned = [Fact(fact.tail, fact.relation, fact.head) for fact in puzzle.facts]
        same = all(fact.relation == WORDS["="] for fact in turned)
        expected = Agreement.AGREES if same else Agreement.DISAGREES
        assert check.check(puzzle.story, turned, puzzle.entities).agreement is expected
        (stated,) = StoryReader(world).read(puzzle.abstract).facts
        assert stated == Fact(puzzle.query[0], puzzle.target, puzzle.query[1])


def test_prose_joins_facts_and_uses_its_pronoun(world: World) -> None:
    text = " ".join(puzzle.story for puzzle in puzzles(world, "prose"))
    for part in (" that one.", " it comes ", "It is held in ", "earlier than"):
        assert part in text


def test_text_that_no_template_has_is_not_read(world: World) -> None:
    story = "[Beta Fair] came long before [Alpha Fair] was thought of."
    reading = StoryReader(world).read(
        f"{story} [Alpha Fair] was at the same time as a war. [Beta Fair] was dull."
    )
    assert len(reading.unread) == 2
    assert len(reading.distractors) == 1
    reading = StoryReader(world).read("Beta Fair and Alpha Fair are dull. Beta Fair is before Alpha Fair.")
    assert len(reading.unread) == len(reading.facts) == 1
    fact = Fact("Alpha Fair", "before", "Beta Fair")
    checked = TextCheck(world).check(story, [fact], [Entity("Alpha Fair", ""), Entity("Beta Fair", "")])
    assert checked.agreement is Agreement.UNREAD


def test_its_wording_is_learnt(world: World) -> None:
    learnt = learn(puzzles(world, "sentences"), "again", world)
    assert not learnt.refused
    for word in WORDS.values():
        found, known = (w.lexicon.templates[word] for w in (learnt.world, world))
        assert set(found) == set(known)
    assert {a.templates for a in learnt.world.lexicon.attributes} == {
        a.templates for a in world.lexicon.attributes
    }
    assert learnt.world.lexicon.names == (tuple(sorted(EVENTS)),)
