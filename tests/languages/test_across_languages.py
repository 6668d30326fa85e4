"""Across languages: answers compared by id, models that read names in cases, worlds that are learnt."""

import pytest

import clutrr
from clutrr._data.named import in_names
from clutrr._sentences import entities_in
from clutrr._table import to_table
from clutrr.errors import DataError
from clutrr.models.tokens import words_in

SETTINGS = {"preset": "sound", "k": 2, "size": 40, "seed": 8, "split": "test"}


@pytest.fixture
def folders(tmp_path):
    """The same questions in English and German, as folders, and other ones."""
    for name, world, seed in (
        ("en", "kinship", 8),
        ("de", "kinship-de", 8),
        ("else", "kinship-de", 9),
    ):
        made = clutrr.generate(world=world, **{**SETTINGS, "seed": seed})
        clutrr.write(made, tmp_path / name, world=clutrr.load_world(world))
    return tmp_path


def answers(folder, right) -> dict[str, str]:
    """Right answers to some of the questions, and none of the labels to the others."""
    data = list(clutrr.read(folder))
    return {one.id: one.target if at in right else "?" for at, one in enumerate(data)}


def test_answers_in_two_languages_are_compared_by_id(folders) -> None:
    english = answers(folders / "en", range(30))
    german = answers(folders / "de", range(20, 40))
    found = clutrr.score(folders / "en", [english, folders / "de", german])
    assert [one.total.right for one in found.results] == [30, 20]
    (pair,) = found.pairs.values()
    assert (pair.both, len(pair.first), len(pair.second), pair.neither) == (10, 20, 10, 0)
    same = clutrr.score(folders / "en", [english, (folders / "de", german)])
    assert list(same.pairs.values()) == [pair]


def test_other_questions_of_the_same_ids_are_not_compared(folders) -> None:
    english, other = answers(folders / "en", range(40)), answers(folders / "else", range(40))
    found = clutrr.score(folders / "en", [english, folders / "else", other])
    (pair,) = found.pairs.values()
    assert pair.questions < 20


@pytest.mark.parametrize("style", ["sentences", "prose"])
def test_models_read_names_as_they_are(style: str) -> None:
    world = clutrr.load_world("kinship-ru")
    made = clutrr.generate(world=world, style=style, **SETTINGS)
    rows = in_names(to_table(list(made)), world).to_pylist()
    names = {name for of in world.lexicon.names for name in of}
    values = {value for one in world.lexicon.attributes for value in one.values}
    declined = 0
    for puzzle, row in zip(made, rows, strict=True):
        assert set(entities_in(row["story"])) <= names | values
        declined += row["story"] != puzzle.story
        for before, after in zip(puzzle.sentences, row["sentences"], strict=True):
            told = puzzle.story[before.start : before.end]
            assert len(entities_in(told)) == len(
                entities_in(row["story"][after["start"] : after["end"]])
            )
            assert row["story"][after["start"] : after["end"]].endswith(told[-1])
    assert declined > len(made) / 2


def test_names_without_brackets_are_found_in_any_case() -> None:
    world = clutrr.load_world("kinship-de")
    made = clutrr.generate(world=world, style="prose", brackets=False, **SETTINGS)
    rows = in_names(to_table(list(made)), world).to_pylist()
    for puzzle, row in zip(made, rows, strict=True):
        assert row["story"].replace("[", "").replace("]", "") == puzzle.story
        assert {entity.name for entity in puzzle.entities} <= set(entities_in(row["story"]))


def test_letters_of_chinese_are_tokens() -> None:
    assert words_in("的祖父是。It’s d’Anne") == [*"的祖父是。", "it’s", "d’anne"]


def data_in(name: str, tmp_path):
    made = clutrr.generate(world=name, preset="described", k=2, size=300, seed=1, distractors=2)
    clutrr.write(made, tmp_path / "data", world=clutrr.load_world(name))
    return tmp_path / "data"


@pytest.mark.parametrize("name", ["kinship-zh", "order-de"])
def test_the_wording_of_a_language_without_cases_is_learnt(name: str, tmp_path) -> None:
    clutrr.learn_world(data_in(name, tmp_path), tmp_path / "learnt")
    world = clutrr.load_world(tmp_path / "learnt")
    assert world.lexicon.language == clutrr.load_world(name).lexicon.language
    size = {"scene": "levels=2,children=2"} if "kinship" in name else {}
    for puzzle in clutrr.generate(world=world, preset="described", k=2, size=20, **size):
        assert sorted(clutrr.statements(puzzle.story, world).facts) == sorted(puzzle.facts)


@pytest.mark.parametrize("name", ["kinship-de", "kinship-ru", "order-fr", "directions-es"])
def test_the_cases_of_names_cannot_be_learnt(name: str, tmp_path) -> None:
    with pytest.raises(DataError, match=f"names have cases in {name}") as refused:
        clutrr.learn_world(data_in(name, tmp_path), tmp_path / "learnt")
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "learnt").exists()
