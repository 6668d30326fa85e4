"""Names in cases: rules and lists, words that agree, and what is refused."""

import shutil
from importlib import resources

import pytest
import yaml

from clutrr import load_world
from clutrr._lexicon.cases import Rule, Spelling
from clutrr._puzzle import Fact
from clutrr._reading import reader_of
from clutrr.errors import WorldError

FEMALE, MALE = ["Anna", "Maria", "Olga"], ["Paul gen=Pauls", "Hans", "Alexander"]


@pytest.fixture
def folder(tmp_path):
    """A world like kinship with a few names, and a case that is partly listed and partly by rule."""
    mine = tmp_path / "mine"
    (mine / "names").mkdir(parents=True)
    (mine / "names" / "female.txt").write_text("\n".join(FEMALE))
    (mine / "names" / "male.txt").write_text("\n".join(MALE))
    (mine / "world.yaml").write_text("name: mine\nextends: kinship\nlanguage: nl\n")
    rules = {"gen": {"-s": "{}'", "-a": "-as", "-": "{}s"}, "of": {"A- O-": "d'{}", "-": "de {}"}}
    (mine / "cases.yaml").write_text(yaml.safe_dump(rules, sort_keys=False))
    (mine / "templates.yaml").write_text(
        'daughter: ["{b}, {a:gen} daughter, loves {a:her|his} home."]\n'
        'son: ["Born: {b}, son {a:of}."]\n'
    )
    return mine


def write(folder, file, content) -> None:
    (folder / file).write_text(
        content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
    )


def refusal(folder) -> str:
    with pytest.raises(WorldError) as caught:
        load_world(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("key", "text", "name", "spelling"),
    [
        ("-", "{}s", "Anna", ("", "Anna", "s")),
        ("-s", "{}'", "Hans", ("", "Hans", "'")),
        ("-s", "{}'", "Anna", None),
        ("-ия", "-ии", "Мария", ("", "Марии", "")),
        ("A-", "d'{}", "Anna", ("d'", "Anna", "")),
        ("-[aı][^aeıioöuü]", "{}'ın", "Yıldız", ("", "Yıldız", "'ın")),
        ("-[aı][^aeıioöuü]", "{}'ın", "Mehmet", None),
    ],
)
def test_a_rule_is_for_names_that_begin_or_end_so(key, text, name, spelling) -> None:
    assert Rule(key, text).spell(name) == (spelling and Spelling(*spelling))


def test_sentences_have_names_in_cases_and_words_that_agree(folder) -> None:
    world = load_world(folder)
    lexicon = world.lexicon
    (of_daughter,), (of_son,) = lexicon.templates["daughter"], lexicon.templates["son"]
    for text, template, head, tail in (
        ("[Olga], [Annas] daughter, loves her home.", of_daughter, "Anna", "Olga"),
        ("[Olga], [Hans]' daughter, loves his home.", of_daughter, "Hans", "Olga"),
        ("[Olga], [Pauls] daughter, loves his home.", of_daughter, "Paul", "Olga"),
        ("Born: [Hans], son d'[Anna].", of_son, "Anna", "Hans"),
        ("Born: [Hans], son de [Maria].", of_son, "Maria", "Hans"),
    ):
        assert lexicon.sentence(template, a=head, b=tail) == text
        label = "daughter" if template is of_daughter else "son"
        for story in (text, text.replace("[", "").replace("]", "")):
            assert reader_of(world).read(story).facts == (Fact(head, label, tail),)


def test_a_word_that_stands_for_no_name_is_not_understood(folder) -> None:
    """Where names are other words in a case, only those of the world are known."""
    reader = reader_of(load_world(folder))
    assert reader.read("Born: [Zed], son de [Yan].").facts == (Fact("Yan", "son", "Zed"),)
    assert reader.read("[Olga], [Zed]s daughter, loves his home.").unread


def test_a_saved_world_is_the_same(folder, tmp_path) -> None:
    from clutrr._lexicon import save_world

    world = load_world(folder)
    save_world(world, tmp_path / "copy")
    assert load_world(tmp_path / "copy") == world
    assert load_world(tmp_path / "copy").digest != load_world("kinship").digest


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("cases.yaml", {"gen": {"-s": "{}'"}, "of": {"-": "de {}"}}, "female.txt: 'Anna' has no gen"),
        ("cases.yaml", {"gen": {"s": "{}'"}, "of": {"-": "{}"}}, "gen: s: 's' is no rule"),
        ("cases.yaml", {"gen": {"-s-": "{}'"}}, "gen: -s-: '-s-' is no rule"),
        ("cases.yaml", {"gen": {"-s": "{}{}"}}, "may hold {} once"),
        ("cases.yaml", {"gen": {"S-": "-s"}}, "'-s' replaces an ending"),
        ("cases.yaml", {"gen": {"female": {"-": "{}s"}}}, "gen: expected exactly the fields female, male"),
        ("cases.yaml", {"gen": {"-a": "-o", "-": "{}s"}}, "names have no case 'of'; they have gen"),
        ("cases.yaml", {"g n": {"-": "{}s"}}, "g n: is not the name of a case"),
        ("cases.yaml", {"gen": {"-": "-x"}, "of": {"-": "Annas"}}, "'Maria': its of, 'Annas', is that of 'Anna'"),
        ("templates.yaml", {"son": ["{a:dat} {b}."]}, "son: '{a:dat} {b}.': names have no case 'dat'"),
        ("templates.yaml", {"son": ["{a} {a:x|y|z} {b}."]}, "is no choice by the form of an entity"),
        ("templates.yaml", {"son": ["{a} {c:x|y} {b}."]}, "is no choice by the form of an entity"),
        ("templates.yaml", {"son": ["{a} {x} {b}."]}, "must hold {a} and {b}"),
        ("templates.yaml", {"son": ["{a} {x:| {b}."]}, "has a brace"),
        ("names/male.txt", "Paul\nHans gen=", "gen= needs a text"),
        ("names/male.txt", "Paul gen=[x]", "gen= needs a text"),
        ("phrases.yaml", {"relation": "{r} {a:dat}"}, "relation: '{r} {a:dat}': {a:dat} is none of the cases"),
        ("phrases.yaml", {"relation": "{r:the} {a}"}, "{r:the} is none of the forms of labels, none"),
        ("phrases.yaml", {"forms": {"the": {"son": "the son"}}}, "forms: the: has no text for 'daughter'"),
        ("world.yaml", "extends: kinship\nparallel: order", "parallel: 'order' has other relation kinds"),
        ("world.yaml", "extends: kinship\nparallel: mine", "parallel: 'mine' is not one of"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(folder, file, content, why) -> None:
    if file == "names/male.txt":
        content = content + "\n" + "\n".join(MALE[1:])
    write(folder, file, content)
    assert why in refusal(folder)


def test_two_sentences_that_read_alike_are_both_named(folder) -> None:
    write(folder, "templates.yaml", {"son": ["{a} x {b}."], "daughter": ["{b} x {a:of}."]})
    write(folder, "cases.yaml", {"gen": {"-": "{}s"}, "of": {"-": "{}"}})
    message = refusal(folder)
    assert (
        "son: '{a} x {b}.' cannot be read back: it reads like '{b} x {a:of}.' of daughter"
        in message
    )


def test_a_parallel_world_has_as_many_attributes(tmp_path) -> None:
    with resources.as_file(resources.files("clutrr._lexicon") / "worlds/kinship-de") as source:
        mine = shutil.copytree(source, tmp_path / "mine")
    attributes = yaml.safe_load((mine / "attributes.yaml").read_text())
    attributes.pop("sport")
    write(mine, "attributes.yaml", attributes)
    assert "'kinship' has 8 attributes" in refusal(mine)
