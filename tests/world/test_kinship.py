"""The kinship world itself: the paper's attributes, enough wording, names that clash with nothing."""

import re

import pytest
import yaml

from clutrr.world import load_world
from kin_oracle import WORDS


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("kinship", "6787304981e442356919377cedcb91ecf0d37369d1a88d8d42830cacaaf98d50"),
        ("kinship-v1", "4a317fd654360d24338762b05effb5308e6be4fee9b18af37fe4fa37c323918e"),
        ("kinship-v1-by-marriage", "ea95472773306c93d892863a1c5937fe1a3f566f8974d9fa8b2ae2901cf0a688"),
    ],
)
def test_checksums_of_version_0_2(name, digest):
    """Data sets hold them."""
    assert load_world(name).digest == digest


def test_relations_are_the_sixteen(world):
    assert world.relations == tuple(word for words in WORDS.values() for word in words)
    assert len(set(world.relations)) == 16


def test_enough_templates_and_every_one_its_own(world):
    texts = []
    for relation in world.relations:
        templates = world.lexicon.templates[relation]
        assert len(templates) >= 3
        assert all(sorted(template.slots) == ["a", "b"] for template in templates)
        texts += [template.text for template in templates]
    assert len(set(texts)) == len(texts)


def test_a_template_says_its_relation_and_no_other(world):
    for relation in world.relations:
        for template in world.lexicon.templates[relation]:
            said = set(re.findall(r"[\w-]+", "".join(template.literals))) & set(world.relations)
            assert said == {relation}, template.text


def test_attributes_are_those_of_the_paper(world):
    assert {attribute.name for attribute in world.lexicon.attributes} == {
        "works_at",
        "alumni_of",
        "school",
        "location_born",
        "preferred_social_media",
        "hobby",
        "sport",
        "political_view",
    }
    assert len(world.lexicon.attributes) == 8
    for attribute in world.lexicon.attributes:
        assert len(attribute.values) >= 6
        assert len(attribute.templates) >= 3
        for template in attribute.templates:
            assert sorted(template.slots) == ["person", "value"]
            assert not set(re.findall(r"[\w-]+", template.text)) & set(world.relations)


def test_sentences_end_in_their_only_stop(world):
    templates = [t for ts in world.lexicon.templates.values() for t in ts]
    templates += [t for a in world.lexicon.attributes for t in a.templates]
    for template in templates:
        assert template.text.count(".") == 1
        assert template.text.endswith(".")


def test_names(world):
    female, male = world.lexicon.names
    assert len(set(female)) == len(female) >= 500
    assert len(set(male)) == len(male) >= 500
    assert not set(female) & set(male)
    values = {value for attribute in world.lexicon.attributes for value in attribute.values}
    templates = [t for ts in world.lexicon.templates.values() for t in ts]
    templates += [t for a in world.lexicon.attributes for t in a.templates]
    words = {w.lower() for t in templates for literal in t.literals for w in re.findall(r"[\w-]+", literal)}
    for name in female + male:
        assert re.fullmatch(r"\w+", name)
        assert name not in values
        assert name.lower() not in words


def test_where_the_names_come_from_is_said(repository):
    assert (repository / "src/clutrr/world/kinship/names/README.md").read_text().strip()


def test_the_files_say_what_the_world_holds(world, repository):
    folder = repository / "src/clutrr/world/kinship"
    templates = yaml.safe_load((folder / "templates.yaml").read_text())
    assert {r: [t.text for t in ts] for r, ts in world.lexicon.templates.items()} == templates
    attributes = yaml.safe_load((folder / "attributes.yaml").read_text())
    assert {a.name: list(a.values) for a in world.lexicon.attributes} == {
        n: a["values"] for n, a in attributes.items()
    }
