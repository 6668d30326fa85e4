"""The kinship world itself: the paper's attributes, enough wording, names that clash with nothing."""

import re

import pytest

from clutrr import load_world
from kin_oracle import WORDS


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("kinship", "6787304981e442356919377cedcb91ecf0d37369d1a88d8d42830cacaaf98d50"),
        ("kinship-v1", "4a317fd654360d24338762b05effb5308e6be4fee9b18af37fe4fa37c323918e"),
        (
            "kinship-v1-by-marriage",
            "ea95472773306c93d892863a1c5937fe1a3f566f8974d9fa8b2ae2901cf0a688",
        ),
    ],
)
def test_checksums_of_version_0_2(name, digest):
    """Data sets hold them."""
    assert load_world(name).digest == digest


def test_each_template_says_its_relation_and_no_other(world):
    assert world.relations == tuple(word for words in WORDS.values() for word in words)
    for relation, templates in world.lexicon.templates.items():
        assert len(templates) >= 3
        for template in templates:
            said = set(re.findall(r"[\w-]+", "".join(template.literals))) & set(world.relations)
            assert said == {relation}, template.text


def test_attributes_are_those_of_the_paper(world):
    assert sorted(attribute.name for attribute in world.lexicon.attributes) == (
        "alumni_of hobby location_born political_view preferred_social_media school sport works_at".split()
    )
    for attribute in world.lexicon.attributes:
        assert (len(attribute.values) >= 6, len(attribute.templates) >= 3) == (True, True)
        for template in attribute.templates:
            assert not set(re.findall(r"[\w-]+", template.text)) & set(world.relations)
    for names in world.lexicon.names:
        assert len(names) >= 500
        assert all(re.fullmatch(r"\w+", name) for name in names)
