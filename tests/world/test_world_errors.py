"""A world that contradicts itself is refused with the file and the entry that do."""

import re
import shutil
from importlib import resources

import pytest
import yaml

from clutrr import load_world
from clutrr._lexicon.prose import CASES
from clutrr.errors import WorldError


@pytest.fixture
def folder(tmp_path, request):
    """A copy of the kinship world, or of another, that a test may spoil."""
    with resources.as_file(
        resources.files("clutrr._lexicon") / "worlds" / getattr(request, "param", "kinship")
    ) as source:
        return shutil.copytree(source, tmp_path / "mine")


of_time = pytest.mark.parametrize("folder", ["time"], indirect=True)


def spoil(folder, file, old, new):
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def change(folder, file, changed) -> str:
    """What is said of the world whose file was changed so."""
    content = yaml.safe_load((folder / file).read_text())
    changed(content)
    (folder / file).write_text(yaml.safe_dump(content, sort_keys=False))
    return refusal(folder, file)


def refusal(folder, file) -> str:
    with pytest.raises(WorldError) as caught:
        load_world(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder / file) in message
    return message


def test_a_copy_is_the_same_world(folder, world):
    copy = load_world(folder)
    assert (copy.name, copy.digest) == ("mine", world.digest)
    spoil(folder, "templates.yaml", "{a}'s daughter is {b}.", "{a}'s dear daughter is {b}.")
    assert load_world(folder).digest != world.digest


R, T, A = "relations.yaml", "templates.yaml", "attributes.yaml"


@pytest.mark.parametrize(
    ("file", "old", "new", "entry"),
    [
        pytest.param(
            R, "inverse: inv-grand", "inverse: nobody", ("grand", "nobody"), id="undefined inverse"
        ),
        pytest.param(
            R, "inverse: inv-grand", "inverse: child", ("grand", "child"), id="wrong inverse"
        ),
        pytest.param(
            R, "steps: [child, child]", "steps: [child, cousin]", ("grand", "cousin"), id="step"
        ),
        pytest.param(R, "steps: [child, child]", "steps: []", ("grand",), id="no steps"),
        pytest.param(
            R, "steps: [child, child]", "steps: [spouse, spouse]", ("grand",), id="to and fro"
        ),
        pytest.param(
            R, "steps: [child, child]", "steps: [child]", ("grand", "child"), id="same meaning"
        ),
        pytest.param(
            R, "male: grandson", "male: son", ("grand", "son", "child"), id="word used twice"
        ),
        pytest.param(
            R, "male: grandson", "male: grand/son", ("grand", "grand/son"), id="not a word"
        ),
        pytest.param(R, "male: grandson", "other: grandson", ("grand",), id="no male word"),
        pytest.param(R, "  inverse: inv-grand\n", "", ("grand", "inverse"), id="no inverse"),
        pytest.param(
            R, "inverse: inv-grand", "inverse: [child]", ("grand",), id="inverse not a word"
        ),
        pytest.param(R, "\ngrand:", "\nchild:", ("child", "twice"), id="kind twice"),
        pytest.param(R, "\ngrand:", "\ngrand: [", (), id="not YAML"),
        (T, "{a}'s daughter is {b}.", "{a}'s daughter is here.", ("daughter", "{b}")),
        pytest.param(
            T, "{a}'s daughter is {b}.", "{a} is {a} to {b}.", ("daughter", "{a}"), id="slot twice"
        ),
        pytest.param(
            T, "{a}'s daughter is {b}.", "{a}, {b}, {c}.", ("daughter",), id="slot too many"
        ),
        pytest.param(
            T, "{a}'s daughter is {b}.", "{a}'s [daughter] is {b}.", ("daughter",), id="bracket"
        ),
        pytest.param(
            T, "{a}'s daughter is {b}.", "{b} is mother to {a}.", ("mother",), id="sentence twice"
        ),
        pytest.param(T, "\ndaughter:", "\ndoughter:", ("doughter",), id="unknown relation"),
        pytest.param(T, "\ndaughter:", "\nson:", ("son", "twice"), id="relation twice"),
        pytest.param(
            A, "works_at:\n", "works_at:\n  colour: red\n", ("works_at",), id="unknown field"
        ),
        pytest.param(A, '"Siemens"', "17", ("works_at", "17"), id="value not text"),
        pytest.param(A, '"Siemens"', '"Volvo"', ("works_at", "Volvo"), id="value twice"),
        (A, "{person} earns a living at {value}.", "{person} earns.", ("works_at", "{value}")),
        (A, "{person} earns a living at {value}.", "Work at {value}.", ("works_at", "{entity}")),
        pytest.param(A, "\nalumni_of:", "\nworks_at:", ("works_at", "twice"), id="attribute twice"),
    ],
)
def test_errors_name_the_file_and_the_entry(folder, file, old, new, entry):
    spoil(folder, file, old, new)
    message = refusal(folder, file)
    assert all(part in message for part in entry)


def test_what_is_missing(folder):
    assert "daughter" in change(folder, T, lambda content: content.pop("daughter"))


@of_time
@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"say": "{b} came first, then {a}.", "for": ["<", "m"]}, "for one kind"),
        ({"say": "{b} came first, then {a}.", "for": ["?"]}, "no kind ?"),
        ("{b} came first, then {a}.", "for one kind"),
        (
            {"say": "The closing bell of {b} was the opening bell of {a}.", "for": ["<"]},
            "reads like",
        ),
        ("Yes, {b} {r2} {a}.", "must say {r1}"),
        ("{a}, not Ruby Recital, {t1} {b}.", "'Ruby Recital' is also a name"),
        (
            {"say": "Oh, {a} began ahead of but ended in the same instant as {b}.", "for": ["f"]},
            "finishes",
        ),
    ],
)
def test_sentences_of_prose_about_time(folder, entry, why):
    assert why in change(folder, "prose.yaml", lambda content: content["one"].append(entry))


@pytest.mark.parametrize(
    ("section", "text", "why"),
    [
        ("one", "{a} knows {e}, who is the {r1} of {b}.", r"no slot \{e\}"),
        ("one", "{a} likes {a.hers} {r1} {b}.", r"no slot \{a.hers\}"),
        ("one", "{a} is {} {r1} to {b}.", r"no slot \{\}"),
        ("one", "{a}} has a {r1}, {b}.", "unbalanced brace"),
        (
            "one",
            "{b.his} friends know that {a}'s {r1} is {b}.",
            r"\{b.his\} would be read as nothing",
        ),
        ("two", "{a}'s {r1} is {b}, and {a.his} {r2} is {c}.", r"\{a.his\} would be read as \{b\}"),
        ("one", "{a} and {c.his} {r1} {b} met.", r"names no \{c\}"),
        ("one", "{a}'s {r1} left.", "must name"),
        ("two", "{a}'s {r1} is {b}, {c}.", "must say"),
        ("one", "{a}'s {n1} is {b}.", "leaves open"),
        ("one", "{a}'s {r1} is {b}, a mother.", "'mother' is a word for mother"),
        ("one", "{a}'s {r1} is {b}", "full stop"),
        ("one", "{a}'s {r1} {b} met Linda.", "'Linda' is also a name"),
        ("one", "{a}'s {r1} {b} {a.does}.", "can have an attribute"),
        ("tell", "{a} is here.", "one to three attributes"),
        ("one", "{b} is {a}'s {r1}.", "appears twice|reads like"),
        ("one", {"say": "{a}'s {r1} is {b}!"}, "the fields say, for"),
    ],
)
def test_sentences_of_prose_about_kin(folder, section, text, why):
    said = change(folder, "prose.yaml", lambda content: content[section].append(text))
    assert re.search(why, said)
    assert section in said


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (lambda c: c.pop("pronouns"), "pronouns: expected"),
        (lambda c: c["pronouns"].pop("him"), "him is not under pronouns"),
        (
            lambda c: c["pronouns"].update(hers={"female": "hers", "male": "his"}),
            "hers: is none of the pronouns",
        ),
        (lambda c: c["words"].update(mother=["dad"]), "'dad' is a word for"),
        (
            lambda c: c["words"].update(cousin=["cuz"]),
            "cousin: relations.yaml has no such relation",
        ),
        (lambda c: c["about"].pop("hobby"), "about: hobby"),
        (lambda c: c["about"].update(hobby=["likes"]), "must hold {value}"),
        (lambda c: c["about"].update(shoes=["wears {value}"]), "no such attribute"),
        (lambda c: c.update(three=[]), "three: expected a list"),
        (lambda c: c.update(four=["x"]), "four: expected exactly"),
    ],
)
def test_grammars(folder, changed, why):
    assert why in change(folder, "prose.yaml", changed)


@of_time
@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("relations", {"<": {"words": {"female": "x"}}}, "<: .* is not a word"),
        ("relations", {"<": {"words": "before,"}}, "<: 'before,' is not a word"),
        (
            "relations",
            {"<": {"words": "before", "steps": []}},
            "<: expected exactly the fields words",
        ),
        (
            "prose",
            {"pronouns": {case: {"x": "y"} for case in CASES}},
            "pronouns: he: .* is not plain text",
        ),
        ("phrases", {"asking": "x"}, "no phrase 'asking'"),
        ("phrases", {"question": "When is {b}?"}, r"question: .* must hold \{a\} and \{b\}"),
        ("phrases", {"relation": "{r} {a} {a.__class__}"}, "relation: .* and no other slot"),
        (
            "phrases",
            {"clauses": {"before": "{b} was before"}},
            r"clauses: before: .* must hold \{a\}",
        ),
        (
            "phrases",
            {"meanings": {"since": "{b} in {a}"}},
            "meanings: since: relations.yaml has no such",
        ),
        ("phrases", {"topic": "moon"}, "topic: expected a list"),
        ("phrases", {"synonyms": {"before": [7]}}, "synonyms: before: 7 is not a word"),
        ("phrases", {"texts": {"nothing": "x"}}, "texts: .*there is no 'nothing'; there are is, "),
        ("phrases", {"texts": {"so": "{x}"}}, "texts: .*another slot than {claim}"),
    ],
)
def test_entries(folder, file, content, why):
    assert re.search(why, change(folder, f"{file}.yaml", lambda before: before.update(content)))


@of_time
def test_a_kind_that_is_missing(folder):
    assert "=" in change(folder, R, lambda content: content.pop("="))


@pytest.mark.parametrize(
    ("file", "name", "about"),
    [
        pytest.param("male.txt", 0, "female.txt", id="in both genders"),
        pytest.param("male.txt", 1, "twice", id="twice"),
        pytest.param("female.txt", "Siemens", "works_at", id="an attribute value"),
        pytest.param("female.txt", "Friends", "word", id="a word of a template"),
        pytest.param("male.txt", "A[b]", "bracket", id="a bracket"),
    ],
)
def test_names(folder, world, file, name, about):
    name = world.lexicon.names[name][3] if isinstance(name, int) else name
    with (folder / "names" / file).open("a") as names:
        names.write(f"{name}\n")
    message = refusal(folder, f"names/{file}")
    assert name in message
    assert about in message


@pytest.mark.parametrize("file", [R, T, A, "names/female.txt", "names/male.txt"])
@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b" \n \n", b"- [\n"])
def test_a_file_that_is_missing_or_not_text_or_empty(folder, file, content):
    (folder / file).unlink()
    if (file, content) == (A, None):  # which is optional
        (folder / "prose.yaml").unlink()  # it tells of attributes
        assert not load_world(folder).lexicon.attributes
        return
    if content is not None:
        (folder / file).write_bytes(content)
    refusal(folder, file)


def test_no_such_world():
    with pytest.raises(WorldError, match="no world 'narnia'"):
        load_world("narnia")
