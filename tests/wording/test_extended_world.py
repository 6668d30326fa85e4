"""A world that extends another one, by data alone."""

from pathlib import Path

import pytest

from clutrr.errors import WorldError
from clutrr.theory.verdict import Composition
from clutrr.world import World, builtin_worlds, load_world


def test_kinship_v1_adds_aunts_and_uncles(world: World) -> None:
    more = load_world("kinship-v1")
    assert {"kinship", "kinship-v1", "kinship-v1-by-marriage"} <= set(builtin_worlds())
    assert more.kinds[: len(world.kinds)] == world.kinds
    assert set(more.relations) - set(world.relations) == {"aunt", "uncle", "niece", "nephew"}
    assert (more.lexicon.attributes, more.lexicon.names) == (world.lexicon.attributes, world.lexicon.names)

    def composed(*kinds: str) -> Composition:
        return more.theory.compose(more.labels, kinds)

    assert composed("inv-child", "sibling").kinds == ("inv-un",)
    assert composed("inv-child", "sibling").entailed
    assert composed("sibling", "child").entailed
    # A child's aunt may be one's own sister, or one's spouse's.
    assert not composed("child", "inv-un").entailed


def test_a_folder_replaces_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text("extends: kinship\n")
    (tmp_path / "templates.yaml").write_text('son: ["{a} raised {b}, a son."]\n')
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "male.txt").write_text("Bartholomew\n")
    found, kinship = load_world(tmp_path), load_world()
    assert [template.text for template in found.lexicon.templates["son"]] == ["{a} raised {b}, a son."]
    assert found.lexicon.templates["mother"] == kinship.lexicon.templates["mother"]
    assert found.lexicon.names == (kinship.lexicon.names[0], ("Bartholomew",))
    assert found.kinds == kinship.kinds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "extend: kinship\n",
            "there is no setting .extend.; the settings are name, theory",
        ),
        ("theory: narnia\n", "there is no theory .narnia.; the theories are kinship"),
        ("extends: kinship\ntheory: other\n", "theory: .other., but kinship is a world of kinship"),
    ],
)
def test_bad_extension(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "world.yaml").write_text(text)
    with pytest.raises(WorldError, match=message):
        load_world(tmp_path)
