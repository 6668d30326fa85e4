"""A world that contradicts itself is refused with the file and the entry that do."""

import shutil
from importlib import resources

import pytest

from clutrr.errors import WorldError
from clutrr.world import load_world


@pytest.fixture
def folder(tmp_path):
    """A copy of the kinship world that a test may spoil."""
    with resources.as_file(resources.files("clutrr.world") / "kinship") as source:
        return shutil.copytree(source, tmp_path / "mine")


def spoil(folder, file, old, new):
    path = folder / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def refusal(folder) -> str:
    with pytest.raises(WorldError) as caught:
        load_world(folder)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_copy_is_the_same_world(folder, world):
    copy = load_world(folder)
    assert copy.name == "mine"
    assert copy.digest == world.digest
    spoil(folder, "templates.yaml", "{a}'s daughter is {b}.", "{a}'s dear daughter is {b}.")
    assert load_world(folder).digest != world.digest


R, T, A = "relations.yaml", "templates.yaml", "attributes.yaml"


@pytest.mark.parametrize(
    ("file", "old", "new", "entry"),
    [
        pytest.param(R, "inverse: inv-grand", "inverse: nobody", ("grand", "nobody"), id="undefined inverse"),
        pytest.param(R, "inverse: inv-grand", "inverse: child", ("grand", "child"), id="wrong inverse"),
        pytest.param(R, "steps: [child, child]", "steps: [child, cousin]", ("grand", "cousin"), id="step"),
        pytest.param(R, "steps: [child, child]", "steps: []", ("grand",), id="no steps"),
        pytest.param(R, "steps: [child, child]", "steps: [spouse, spouse]", ("grand",), id="to and fro"),
        pytest.param(R, "steps: [child, child]", "steps: [child]", ("grand", "child"), id="same meaning"),
        pytest.param(R, "male: grandson", "male: son", ("grand", "son", "child"), id="word used twice"),
        pytest.param(R, "male: grandson", "male: grand son", ("grand", "grand son"), id="not a word"),
        pytest.param(R, "male: grandson", "other: grandson", ("grand",), id="no male word"),
        pytest.param(R, "  inverse: inv-grand\n", "", ("grand", "inverse"), id="no inverse"),
        pytest.param(R, "inverse: inv-grand", "inverse: [child]", ("grand",), id="inverse not a word"),
        pytest.param(R, "\ngrand:", "\nchild:", ("child", "twice"), id="kind twice"),
        pytest.param(R, "\ngrand:", "\ngrand: [", (), id="not YAML"),
        (T, "{a}'s daughter is {b}.", "{a}'s daughter is here.", ("daughter", "{b}")),
        pytest.param(T, "{a}'s daughter is {b}.", "{a} is {a} to {b}.", ("daughter", "{a}"), id="slot twice"),
        pytest.param(T, "{a}'s daughter is {b}.", "{a}, {b}, {c}.", ("daughter",), id="slot too many"),
        pytest.param(T, "{a}'s daughter is {b}.", "{a}'s [daughter] is {b}.", ("daughter",), id="bracket"),
        pytest.param(T, "{a}'s daughter is {b}.", "{b} is mother to {a}.", ("mother",), id="sentence twice"),
        pytest.param(T, "\ndaughter:", "\ndoughter:", ("doughter",), id="unknown relation"),
        pytest.param(T, "\ndaughter:", "\nson:", ("son", "twice"), id="relation twice"),
        pytest.param(A, "works_at:\n", "works_at:\n  colour: red\n", ("works_at",), id="unknown field"),
        pytest.param(A, '"Siemens"', "17", ("works_at", "17"), id="value not text"),
        pytest.param(A, '"Siemens"', '"Volvo"', ("works_at", "Volvo"), id="value twice"),
        (A, "{person} earns a living at {value}.", "{person} earns.", ("works_at", "{value}")),
        (A, "{person} earns a living at {value}.", "Work at {value}.", ("works_at", "{entity}")),
        pytest.param(A, "\nalumni_of:", "\nworks_at:", ("works_at", "twice"), id="attribute twice"),
    ],
)
def test_errors_name_the_file_and_the_entry(folder, file, old, new, entry):
    spoil(folder, file, old, new)
    message = refusal(folder)
    for part in (str(folder / file), *entry):
        assert part in message


def test_a_relation_without_templates(folder):
    text = (folder / T).read_text()
    start, end = text.index("\ndaughter:"), text.index("\nfather:")
    (folder / T).write_text(text[:start] + text[end:])
    message = refusal(folder)
    assert str(folder / T) in message
    assert "daughter" in message


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
    message = refusal(folder)
    for part in (str(folder / "names" / file), name, about):
        assert part in message


@pytest.mark.parametrize("file", [R, T, A, "names/female.txt", "names/male.txt"])
@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b" \n \n"])
def test_a_file_that_is_missing_or_not_text_or_empty(folder, file, content):
    (folder / file).unlink()
    if (file, content) == (A, None):  # which is optional
        (folder / "prose.yaml").unlink()  # it tells of attributes
        assert not load_world(folder).lexicon.attributes
        return
    if content is not None:
        (folder / file).write_bytes(content)
    assert str(folder / file) in refusal(folder)


@pytest.mark.parametrize("content", ["- a list\n", "7\n"])
def test_a_file_that_is_no_mapping(folder, content):
    (folder / R).write_text(content)
    assert str(folder / R) in refusal(folder)


def test_no_such_world():
    with pytest.raises(WorldError, match="no world 'narnia'"):
        load_world("narnia")
