"""Worlds that users write: what they extend and leave out, how few names do, another language throughout."""

import shutil
from pathlib import Path

import pytest

import clutrr
from clutrr import load_world
from clutrr._lexicon import World
from clutrr._solve import Judge
from clutrr.errors import WorldError
from clutrr.theory import WORLDS, Finding
from clutrr.theory.verdict import Composition

COUSIN = "cousin: {steps: [parent, parent, child, child], inverse: cousin, words: cousin}\n"
SMALL = "levels=3,children=2"
RELATIONS = """\
friend:
  steps: STEPS
  inverse: friend
  words: {female: amie, male: ami}
"""


@pytest.fixture
def spanish(tmp_path: Path, repository: Path) -> Path:
    return shutil.copytree(repository / "examples/spanish", tmp_path / "spanish")


def extending(folder: Path, name: str, more: str = "") -> Path:
    folder.mkdir()
    (folder / "world.yaml").write_text(f"name: mine\nextends: {name}\n{more}")
    return folder


@pytest.mark.parametrize("name", ["kinship", "kinship-v1", "kinship-v1-by-marriage", "time"])
def test_every_built_in_world_can_be_extended(tmp_path: Path, name: str) -> None:
    mine, whole = clutrr.load_world(extending(tmp_path / "mine", name)), clutrr.load_world(name)
    assert (mine.name, mine.relations, mine.lexicon) == ("mine", whole.relations, whole.lexicon)


def test_a_world_of_ones_own_can_be_extended(spanish: Path, tmp_path: Path) -> None:
    extending(tmp_path / "mine", "../spanish")
    (tmp_path / "mine/attributes.yaml").write_text(
        'color: {values: [rojo, verde], templates: ["A {person} le gusta el {value}."]}\n'
    )
    mine, whole = clutrr.load_world(tmp_path / "mine"), clutrr.load_world(spanish)
    assert (mine.relations, mine.lexicon.language) == (whole.relations, "es")
    assert len(mine.lexicon.attributes) == 1 + len(whole.lexicon.attributes)
    again = clutrr.load_world(extending(tmp_path / "again", "../mine"))
    assert again.lexicon == mine.lexicon


def test_what_cannot_be_extended(tmp_path: Path) -> None:
    with pytest.raises(
        clutrr.ClutrrError, match=r"world.yaml: extends: 'nothing' is neither one of"
    ):
        clutrr.load_world(extending(tmp_path / "mine", "nothing"))
    extending(tmp_path / "one", "../other"), extending(tmp_path / "other", "../one")
    for name in ("one", "other"):
        (tmp_path / name / "relations.yaml").write_text("{}")
    with pytest.raises(clutrr.ClutrrError, match="extends itself"):
        clutrr.load_world(tmp_path / "one")


@pytest.mark.parametrize("steps", ["[]", "[[]]", "[neighbour]", "godmother", "{}"])
def test_what_steps_cannot_say_points_to_theories(spanish: Path, steps: str) -> None:
    with (spanish / "relations.yaml").open("a") as file:
        file.write(RELATIONS.replace("STEPS", steps))
    with pytest.raises(
        clutrr.ClutrrError, match=r"relations.yaml: friend: .*docs/write-a-theory.md"
    ):
        clutrr.load_world(spanish)


def test_few_names_and_no_attributes(spanish: Path) -> None:
    (spanish / "attributes.yaml").unlink()
    for file in (spanish / "names").iterdir():
        file.write_text("\n".join(file.read_text().split("\n")[:26]))
    with pytest.raises(
        clutrr.ClutrrError, match=r"about 40 names of each gender, .* has 26 and 26"
    ):
        clutrr.generate("strict", world=spanish)[0]
    made = clutrr.generate(
        "strict", k=4, size=50, world=spanish, scene=SMALL
    )  # as the message says
    assert clutrr.audit(made).good_for.endswith(
        "every target is proved and entailed, assuming open."
    )


@pytest.mark.parametrize(
    ("preset", "assume"), [("sound", "tree"), ("strict", "open"), ("mixed", "open")]
)
def test_one_word_for_all_forms(tmp_path: Path, preset: str, assume: str) -> None:
    """It says nothing of the gender; every target is proved all the same, by a solver that draws nothing."""
    folder = extending(tmp_path / "cousins", "kinship-v1")
    (folder / "relations.yaml").write_text(COUSIN)
    (folder / "templates.yaml").write_text('cousin: ["{b} is a cousin of {a}."]\n')
    world = clutrr.load_world(folder)
    assert world.meaning["cousin"].form is None
    made = clutrr.generate(preset, k=(2, 3), size=150, world=world, distractors=0)
    stated = [fact.relation for one in made for fact in one.facts]
    assert "cousin" in stated
    assert "cousin" in {one.target for one in made}
    judge = Judge(world, assume)
    for one in made:
        found = judge.judge(one.facts, one.query, one.target)
        assert found.finding is Finding.PROVED
        assert set(found.possible) == set(one.possible or found.possible)
    clutrr.write(made, tmp_path / "data")
    assert clutrr.read(tmp_path / "data").world == world
    story = "Bo is a cousin of Al. Cy is Bo's SPOUSE. Di is Cy's SISTER."
    for spouse, sister in (("wife", "husband"), ("husband", "wife")):  # Bo is a man, or a woman
        text = story.replace("SPOUSE", spouse).replace("Di is Cy's SISTER", f"Bo is Cy's {sister}")
        assert clutrr.solve(text, ("Al", "Bo"), world).answer == "cousin"


def test_a_template_of_two_sentences_is_refused_with_the_reason(spanish: Path) -> None:
    path = spanish / "templates.yaml"
    path.write_text(
        path.read_text().replace("{b} es la hija de {a}.", "{b} es la hija de {a}. Bien.", 1)
    )
    with pytest.raises(clutrr.ClutrrError, match=r"templates.yaml: hija: .*several sentences"):
        clutrr.load_world(spanish)


ENGLISH = {
    "the",
    "is",
    "so",
    "nothing",
    "not",
    "read",
    "story",
    "question",
    "answer",
    "reply",
    "people",
}


def test_proofs_questions_and_prompts_are_in_the_language_of_the_world(spanish: Path) -> None:
    made = clutrr.generate("strict", k=3, size=20, world=spanish, split="test", distractors=1)
    for one in made[:5]:
        proof = str(clutrr.solve(one.story, one.query, spanish))
        assert proof.splitlines()[-1] == "Supuesto: open."
        assert "Luego " in proof
        words = {word.strip(".,;:").lower() for word in proof.split()}
        assert not words & ENGLISH
        assert one.question.startswith("¿Qué es ")
    data = made
    for form in ("which", "choice", "yes-no"):
        (message,) = next(clutrr.prompts(data, form=form, omit=("assumptions",))).messages
        lines = message["content"].splitlines()
        assert lines[-1].startswith("Answer: <")  # as every reader of replies looks for it
        assert (
            not {word.strip(".,;:").lower() for line in lines[:-1] for word in line.split()}
            & ENGLISH
        )


def test_kinship_v1_adds_aunts_and_uncles(world: World) -> None:
    more = load_world("kinship-v1")
    assert {"kinship", "kinship-v1", "kinship-v1-by-marriage"} <= set(WORLDS)
    assert more.kinds[: len(world.kinds)] == world.kinds
    assert set(more.relations) - set(world.relations) == {"aunt", "uncle", "niece", "nephew"}
    assert (more.lexicon.attributes, more.lexicon.names) == (
        world.lexicon.attributes,
        world.lexicon.names,
    )

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
    assert [template.text for template in found.lexicon.templates["son"]] == [
        "{a} raised {b}, a son."
    ]
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
