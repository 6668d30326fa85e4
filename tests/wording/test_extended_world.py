"""A world that extends another one, by data alone."""

from pathlib import Path

import pytest

from clutrr.errors import WorldError
from clutrr.world import World, builtin_worlds, load_world


def test_kinship_v1_adds_aunts_and_uncles(world: World) -> None:
    more = load_world("kinship-v1")
    assert builtin_worlds() == ["kinship", "kinship-v1", "kinship-v1-by-marriage"]
    assert more.kinds[: len(world.kinds)] == world.kinds
    assert set(more.relations) - set(world.relations) == {"aunt", "uncle", "niece", "nephew"}
    assert (more.attributes, more.names) == (world.attributes, world.names)
    assert more.compose(["inv-child", "sibling"]).kinds == ("inv-un",)
    assert more.compose(["inv-child", "sibling"]).entailed
    assert more.compose(["sibling", "child"]).entailed
    # A child's aunt may be one's own sister, or one's spouse's.
    assert not more.compose(["child", "inv-un"]).entailed


def test_a_folder_replaces_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text("extends: kinship\n")
    (tmp_path / "templates.yaml").write_text('son: ["{a} raised {b}, a son."]\n')
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "male.txt").write_text("Bartholomew\n")
    found, kinship = load_world(tmp_path), load_world()
    assert [template.text for template in found.templates["son"]] == ["{a} raised {b}, a son."]
    assert found.templates["mother"] == kinship.templates["mother"]
    assert found.names == (kinship.names[0], ("Bartholomew",))
    assert found.kinds == kinship.kinds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("extends: nowhere\n", "extends: 'nowhere' is not one of kinship"),
        ("extends: kinship-v1\n", "extends: 'kinship-v1' is not one of kinship"),
        ("extend: kinship\n", "there is no setting .extend.; the settings are name, language, extends"),
    ],
)
def test_bad_extension(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "world.yaml").write_text(text)
    with pytest.raises(WorldError, match=message):
        load_world(tmp_path)
