"""Every template of every world is read, with brackets, with names that are known, and with names that are found."""

import pytest

from clutrr._lexicon import builtin_world
from clutrr._reading import Understood, statements
from clutrr._sentences import unbracketed
from clutrr.theory import WORLDS


@pytest.mark.parametrize("name", WORLDS)
def test_templates_are_read(name):
    world = builtin_world(name)
    lexicon = world.lexicon
    english = lexicon.language == "en"
    for relation, templates in lexicon.templates.items():
        form = world.meaning[relation].form
        first, second = lexicon.names[0][0], lexicon.names[-1 if form is None else form][-1]
        for template in templates:
            marked = lexicon.sentence(template, a=first, b=second)
            plain = [(unbracketed(marked), (first, second))] if english else []
            for text, names in ((marked, None), *plain):
                found = statements(text, world, names)
                told = [(one.head, one.relations, one.tail) for one in found]
                assert told == [(first, (relation,), second)], text
                assert not found.unread


@pytest.mark.parametrize("name", WORLDS)
def test_attributes_say_nothing(name):
    world = builtin_world(name)
    entity = world.lexicon.names[0][0]
    for attribute in world.lexicon.attributes:
        for template in attribute.templates:
            value = attribute.values[0]
            values = {slot: value if slot == "value" else entity for slot in template.slots}
            marked = world.lexicon.sentence(template, **values)
            plain = [(unbracketed(marked), (entity,))] if world.lexicon.language == "en" else []
            for text, names in ((marked, None), *plain):
                found = statements(text, world, names)
                assert not list(found)
                assert not found.unread, text


def test_english_is_not_tried_on_other_languages():
    from dataclasses import replace

    world = builtin_world("kinship")
    other = replace(world, name="other", lexicon=replace(world.lexicon, language="fi", prose=None))
    found = statements("Ann took her brother Bob to the park.", other)
    assert not list(found)
    assert [one.understood for one in found.sentences] == [Understood.UNREAD]


def test_a_sentence_that_revises_takes_back_what_the_last_one_says():
    found = statements("Ann is Bob's mother. That was a lie.", "kinship")
    assert found.revised
    assert [one.status for one in found] == ["retracted"]


def test_what_is_not_understood_has_its_place():
    text = "Ann left. Ann is Bob's mother in a sense. Bob slept."
    (span,) = statements(text, "kinship").unread
    assert text[span.start : span.end] == "Ann is Bob's mother in a sense."


@pytest.mark.parametrize("name", ["kinship", "order", "time", "regions", "directions"])
@pytest.mark.parametrize("reasoning", [False, True])
def test_a_template_as_a_question_states_nothing(name, reasoning):
    world = builtin_world(name)
    for relation, templates in world.lexicon.templates.items():
        for template in templates:
            text = template.fill({"a": "Ann", "b": "Bob"}).rstrip(".") + "?"
            for asked in (text, text.replace("[", "").replace("]", "")):
                found = statements(asked, world, ("Ann", "Bob"), reasoning)
                assert not [one for one in found if one.status == "asserted"], (relation, asked)
