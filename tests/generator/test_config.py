"""Settings that cannot work are refused when the config is made."""

import pytest

from clutrr import generate
from clutrr._generate import Config, Generator
from clutrr.errors import ClutrrError, ConfigError
from clutrr.theory.kinship.drawing.subset import FamilySettings
from made import made


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"preset": "best"}, "preset: 'best' is not one of"),
        ({"k": ()}, "k: "),
        ({"k": (0,)}, "k: 0"),
        ({"k": (-2, 3)}, "k: "),
        ({"k": (3, 3)}, "k: "),
        ({"preset": "published", "k": (2,)}, "k: preset published"),
        ({"preset": "published", "k": (3, 7)}, "k: preset published"),
        ({"preset": "mixed", "k": (1, 2)}, "k: preset mixed starts at k = 2"),
        ({"train": -1}, "train: -1"),
        ({"test": -1}, "test: -1"),
        ({"train": 0, "test": 0}, "nothing to generate"),
        ({"seed": -1}, "seed: -1"),
        ({"scene": "levels=0"}, "scene: levels=0"),
        ({"scene": "levels=-3"}, "scene: 'levels=-3' is not of the form"),
        ({"scene": "levels=2-3"}, "scene: 'levels=2-3' is not of the form"),
        ({"scene": "height=3"}, "scene: 'height=3' is not of the form levels=3 or children=2-4"),
        ({"scene": "children=2,children=3"}, "scene: children is given twice"),
        ({"scene": "children=0-3"}, "scene: children=0"),
        ({"scene": "children=4-2"}, "scene: children: the minimum 4 is above the maximum 2"),
        ({"distractors": -1}, "distractors: -1"),
        ({"order": "sorted"}, "order: 'sorted' is not one of"),
        ({"disjoint": ("people",)}, "disjoint: 'people' is not one of"),
        ({"disjoint": ("patterns", "patterns")}, "lists something twice"),
        ({"assume": "forest"}, "assume: 'forest' is not one of tree, open"),
        *(
            ({"preset": "mixed", "undetermined": share}, f"undetermined: {share}")
            for share in (1.2, -0.1, float("nan"))
        ),
        ({"undetermined": 0.5}, "undetermined: only preset mixed"),
        ({"supporting": -1}, "supporting: -1"),
        ({"k": (1, 2), "supporting": 3}, "even number"),
        # What no family allows.
        ({"irrelevant": 60}, "need 64 people of one family"),
        ({"disconnected": 53}, "of another"),
        ({"distractors": 9}, "distractors: 9"),
        (
            {"k": (7,), "scene": "levels=1", "preset": "described"},
            "k, noise: the facts of M7 need 8 people",
        ),
        ({"k": (100,)}, "names"),
        ({"k": (1000,)}, "k: 1000 is above 100"),
        ({"scene": "levels=9500"}, "levels"),
        ({"scene": "levels=9"}, "names"),
        ({"k": (6,), "scene": "children=1-3,levels=30"}, "names"),
    ],
)
def test_settings_that_cannot_work(world, settings, says):
    with pytest.raises(ConfigError) as caught:
        Generator(Config(**{"k": (3,), **settings}), world)
    assert says in str(caught.value)


@pytest.mark.parametrize("k", [3, 6, 20])
def test_uneven_families_are_not_made_deeper_than_names_allow(k):
    """With 1 to 3 children a couple, 15 levels have some 100,000 people."""
    assert FamilySettings.parse("children=1-3").levels_for(k) <= 6


def test_deeper_families_where_three_levels_are_too_small():
    assert [FamilySettings().levels_for(k) for k in (3, 10, 11, 20)] == [3, 3, 4, 4]
    assert FamilySettings.parse("levels=5").levels_for(3) == 5


@pytest.mark.parametrize(
    "settings",
    [{"size": -1}, {"split": "dev"}, {"k": 0}, {"k": 500}, {"preset": "none"}, {"world": "narnia"}],
)
def test_the_function_refuses_what_the_command_does(settings):
    with pytest.raises(ClutrrError):
        generate(**settings)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"preset": "sound", "scene": "levels=1"}, "found no path"),
        ({"preset": "sound", "scene": "children=1"}, "found no path"),
        ({"preset": "published", "k": 5, "scene": "children=1"}, "found no path"),
        (
            {"preset": "strict", "scene": "levels=1,children=1"},
            "k, noise: the facts of M3 need 4 people",
        ),
        (
            {"preset": "mixed", "k": 2, "scene": "levels=1,children=2"},
            "found too few questions of 2 facts",
        ),
        (
            {"preset": "described", "k": 2, "scene": "levels=1,children=1-3", "disconnected": 4},
            "too few people",
        ),
    ],
)
def test_no_such_question_in_any_family(settings, says):
    with pytest.raises(ConfigError, match=says):
        made(**{"k": 3, "size": 1, **settings})[0]


@pytest.mark.slow
def test_very_long_chains():
    assert made("described", k=40, size=1, distractors=0)[0].k == 40
