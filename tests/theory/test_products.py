"""Products of theories: what they are, what is said of one component, and that answers are true in all."""

import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml

import clutrr
from clutrr.theory.models import ModelTheory
from clutrr.theory.order import Order
from clutrr.theory.products import Product
from clutrr.theory.time import Time
from commands import findings, refused, run

MODULE = """
from clutrr.theory.order import Order
from clutrr.theory.products import Product
from clutrr.theory.time import Time
Cubes = Product("cubes", across=Order, up=Order, deep=Order)
class Shows(Product):
    "When a show is, and how old its audience is."
    name = "shows"
    components = {"time": Time, "age": Order}
"""
COMPONENTS = {
    "across": {"<": "left of", "=": "in line with", ">": "right of"},
    "up": {"<": "below", "=": "level with", ">": "above"},
    "deep": {"<": "in front of", "=": "beside", ">": "behind"},
    "templates": ["{b} is {r} {a}.", "You find {b} {r} {a}."],
}
NAMES = "Amber Birch Coral Denim Ebony Flint Green Hazel Ivory Jade Khaki Lilac Mauve Navy".split()


@pytest.fixture(scope="module")
def cubes(tmp_path_factory) -> Iterator[Path]:
    """A world of a product that a package brings."""
    folder = tmp_path_factory.mktemp("product")
    about = folder / "installed/cubes-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "installed/cubes_theory.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: cubes\nVersion: 1.0\n")
    entries = "cubes = cubes_theory:Cubes\nshows = cubes_theory:Shows\n"
    (about / "entry_points.txt").write_text(f"[clutrr.theories]\n{entries}")
    sys.path.append(str(folder / "installed"))
    world = folder / "cubes"
    world.mkdir()
    (world / "world.yaml").write_text("theory: cubes\n")
    (world / "components.yaml").write_text(yaml.safe_dump(COMPONENTS, sort_keys=False))
    (world / "attributes.yaml").write_text(
        "paint: {values: [matt, gloss], templates: ['{entity} has {value} paint.']}\n"
    )
    (world / "names.txt").write_text("\n".join(NAMES) + "\n")
    yield world
    sys.path.remove(str(folder / "installed"))


@pytest.mark.parametrize(
    "theory",
    [
        Product("blocks", across=Order, up=Order, deep=Order),
        Product("meetings", when=Time, rank=Order),
    ],
)
def test_a_product_holds(theory):
    found = clutrr.check_theory(theory)
    assert found.holds, found
    assert len(theory.kinds) == len(set(theory().converses))


def test_the_line_and_the_class_are_the_same():
    class Blocks(Product):
        name = "blocks"
        components = {"across": Order, "up": Order}  # noqa: RUF012

    one = Product("blocks", across=Order, up=Order)
    assert issubclass(one, ModelTheory)
    assert one.kinds == Blocks.kinds
    assert one().converses == Blocks().converses
    assert (one().algebra.table == Blocks().algebra.table).all()
    assert Blocks.with_part("up", "<") == ("< <", "= <", "> <")


def test_what_is_too_large_is_said_to_be():
    (check,) = clutrr.check_theory(Product("boxes", across=Time, up=Time)).checks
    assert check.about == "169 kinds, more than 62 are not supported."


WORD = {
    word: kind
    for part in COMPONENTS.values()
    if isinstance(part, dict)
    for kind, word in part.items()
}


def brute_force(statements: list[tuple[str, list[str], str]], first: str, last: str) -> set[str]:
    """What the last can be to the first in three dimensions, over all places: each dimension by itself."""
    names = sorted({name for a, _, b in statements for name in (a, b)})
    each = []
    for part in ("across", "up", "deep"):
        words = COMPONENTS[part]
        told = [
            (a, WORD[word], b)
            for a, said, b in statements
            for word in said
            if word in words.values()
        ]
        found = set()
        for places in product(range(len(names)), repeat=len(names)):
            at = dict(zip(names, places, strict=True))
            if all(Order.relation(at[a], at[b]) == kind for a, kind, b in told):
                found.add(words[Order.relation(at[first], at[last])])
        each.append(found)
    return {" and ".join(words) for words in product(*each)}


@pytest.mark.parametrize(("preset", "routes"), [("strict", 2), ("mixed", 1), ("described", 1)])
def test_generated_answers_are_true_in_three_dimensions(cubes, preset, routes):
    world = clutrr.load_world(cubes)
    for one in clutrr.generate(preset, 2, 25, 3, world=world, distractors=1, routes=routes):
        told = [(fact.head, fact.relation.split(" and "), fact.tail) for fact in one.facts]
        assert set(one.possible) == brute_force(told, *one.query)


@pytest.mark.parametrize(
    "said",
    [
        ["left of", "left of", "above and behind"],
        ["left of and above", "left of", "behind"],
        ["left of", "right of", "above"],
        ["level with", "level with", "below and beside"],
        ["left of", "left of", ""],
    ],
)
def test_statements_about_one_component_leave_the_others_open(cubes, said):
    """Of two steps, and of a third statement about the two that are asked about."""
    pairs = [("Amber", "Birch"), ("Birch", "Coral"), ("Amber", "Coral")]
    told = [
        (a, words.split(" and "), b) for (a, b), words in zip(pairs, said, strict=True) if words
    ]
    story = " ".join(f"{b} is {word} {a}." for a, words, b in told for word in words)
    found = clutrr.solve(story, ("Amber", "Coral"), world=cubes)
    assert set(found.answers) == brute_force(told, "Amber", "Coral")


def test_a_proof_says_what_is_known_of_each_component(cubes):
    story = "Birch is left of Amber. Coral is left of Birch. Coral is above Amber. Coral is behind Amber."
    proof = clutrr.solve(story, ("Amber", "Coral"), world=cubes).proof
    assert "so Coral is left of Amber." in proof
    assert "so Coral is left of and above and behind Amber" in proof


def test_a_folder_carries_the_words(cubes, tmp_path):
    options = "--k 2-3 --routes 1-2 --train 20 --test 10 --distractors 1".split()
    run("generate", tmp_path / "data", "--world", cubes, *options)
    assert (tmp_path / "data/world/components.yaml").is_file()
    assert not (tmp_path / "data/world/relations.yaml").exists()
    assert findings(tmp_path / "data")["proved"] == 60
    assert clutrr.load_world(tmp_path / "data/world").lexicon.partial
    assert "holds" in (tmp_path / "data/README.md").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"up": {"<": "below"}}, "up: the kinds of up are <, =, >"),
        ({"templates": ["{b} is {a}."]}, "must hold {a}, {b} and {r}, each once"),
        ({"deep": None}, "expected a mapping"),
        ({"wide": {}}, "expected exactly the fields across, up, deep, templates"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(cubes, tmp_path, change, message):
    for file in cubes.iterdir():
        (tmp_path / file.name).write_text(file.read_text())
    (tmp_path / "components.yaml").write_text(yaml.safe_dump({**COMPONENTS, **change}))
    said = refused("generate", tmp_path / "o", "--world", tmp_path)
    assert "components.yaml" in said
    assert message in said
