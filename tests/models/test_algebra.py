"""The model that learns an algebra: its equations against the theory, what it learns against the truth."""

import numpy as np
import pyarrow as pa
import pytest
import torch
from kin_models import train_model

import algebra as tool
from clutrr import load_world
from clutrr._config import Config
from clutrr._generate import Generator
from clutrr._train.config import TrainConfig
from clutrr._train.inspect import inspect_composer
from clutrr._train.learnt import Learnt, LearntPair
from clutrr._train.loop import answer
from clutrr._train.run import Run
from clutrr.models import blueprint, encode, learn_vocabulary
from clutrr.models.algebra import _HELD, Algebra
from clutrr.models.parts import Sizes
from clutrr.models.tokens import words_of

BIG = 100.0


def stories(world, preset, k, routes=1, size=200, seed=0, **settings):
    config = Config(preset=preset, k=(k,), routes=(routes,), distractors=0, seed=seed, **settings)
    return Generator(config, world).block("train", k, 0, size)


def facts_alone(table):
    empty = pa.array([""] * len(table))
    return table.set_column(table.column_names.index("story"), "story", empty)


def true_table(world, relations):
    algebra = world.theory.algebra
    number = [world.index[world.meaning[relation].kind.name] for relation in relations]
    return torch.tensor(
        [[[algebra.table[a, r] >> c & 1 for c in number] for r in number] for a in number]
    )


def given_table(model, true):
    with torch.no_grad():
        model.processor.table.copy_(BIG * (2.0 * true - 1))


def read_exactly(model, vocabulary):
    """Let the model read every fact as the relation that it states: one word a relation."""
    name = model.processor.name.linear
    words = vocabulary.numbers("_".join(relation.split()) for relation in vocabulary.relations)
    with torch.no_grad():
        for weight in model.reader.layers.parameters():
            weight.zero_()
        model.reader.embedding.weight.fill_(-1.0)
        name.weight.zero_()
        name.bias.zero_()
        for coordinate, word in enumerate(words):
            model.reader.embedding.weight[word, coordinate] = 1.0
            name.weight[coordinate, coordinate] = BIG


@pytest.mark.parametrize(
    ("name", "k", "routes"),
    [("regions", 6, 3), ("time", 5, 2), ("directions", 7, 3), ("order", 9, 2)],
)
def test_a_true_table_gives_every_answer(name, k, routes):
    world = load_world(name)
    table = facts_alone(stories(world, "strict", k, routes))
    vocabulary = learn_vocabulary([table], world)
    model = blueprint("algebra").make(vocabulary)
    given_table(model, true_table(world, vocabulary.relations))
    read_exactly(model, vocabulary)
    encoded = encode(table, vocabulary)
    given = answer(model, encoded, torch.Generator())
    assert (given.argmax(1) == encoded.target).all()
    assert (given.max(1).values > 0.99).all()  # nothing else is left


def test_what_is_left_of_ambiguous_routes_is_what_the_theory_leaves():
    world = load_world("regions")
    table = facts_alone(stories(world, "described", 3))
    vocabulary = learn_vocabulary([table], world)
    model = blueprint("algebra").make(vocabulary).eval()
    given_table(model, true_table(world, vocabulary.relations))
    read_exactly(model, vocabulary)
    encoded = encode(table, vocabulary)
    left = model(encoded.batch(torch.arange(len(table)), torch.Generator())).exp() > 0.5
    for row, possible in zip(left, table["possible"].to_pylist(), strict=True):
        assert {vocabulary.relations[i] for i in row.nonzero()[:, 0]} == set(possible)


def test_the_chances_of_one_several_and_no_relation_add_up():
    model = Algebra(Sizes(words=9, relations=5, undetermined=2))
    left = torch.rand(50, 4)
    scores = model._scores(left).exp()
    none = (1 - left).prod(-1)
    assert torch.allclose(scores.sum(-1) + none, torch.ones(50), atol=1e-4)
    sure = torch.tensor([[1.0, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]])
    assert model._scores(sure).argmax(-1).tolist() == [0, 2, 3]


def test_it_learns_the_whole_table_of_order_from_text():
    world = load_world("order")
    made = [
        stories(world, "strict", 1, seed=1, size=100),
        stories(world, "described", 2, seed=2, size=300),
    ]
    made += [
        stories(world, "strict", k, routes, seed=3, size=100) for k in (2, 3) for routes in (1, 2)
    ]
    table = pa.concat_tables(made).combine_chunks()
    vocabulary = learn_vocabulary([table], world)
    config = TrainConfig(model="algebra", k=(1, 2, 3), epochs=12, batch=50, learning_rate=0.005)
    torch.manual_seed(0)
    model = blueprint("algebra").make(vocabulary)
    train_model(model, encode(table, vocabulary), config)
    held = model.processor.possible() > _HELD
    assert (held == true_table(world, vocabulary.relations).bool()).all()
    long = stories(world, "strict", 12, 3, seed=9)
    encoded = encode(long, vocabulary)
    right = answer(model, encoded, torch.Generator()).argmax(1) == encoded.target
    assert right.float().mean() > 0.99


def test_facts_are_read_where_there_is_no_text():
    world = load_world("regions")
    told = stories(world, "strict", 3, size=20)
    bare = facts_alone(told)
    assert "touches_from_outside" in words_of(bare)
    read, text = (encode(table, learn_vocabulary([table], world)) for table in (bare, told))
    assert read.query.shape == text.query.shape
    assert ((read.graph.ways > 0).sum((1, 2)) == 3).all()


def test_a_set_is_right_if_it_holds_exactly_the_possible_relations():
    pair = LearntPair("a", "b", ("x", "y"), False, {}, held=("x", "z"))
    assert (pair.missing, pair.extra, pair.verdict) == (["y"], ["z"], "both")
    assert pair.answer == "+ z, - y"
    assert pair._replace(held=("y", "x")).verdict == "right"


@pytest.mark.parametrize("assume", ["free", "unit", None])
def test_what_is_true_is_so_under_the_assumption_of_the_stories(assume):
    """Two steps in a row, north and south, come back to the start; at any distance they may not."""
    world = load_world("directions")
    vocabulary = learn_vocabulary([stories(world, "strict", 2, size=2)], world)
    run = Run(TrainConfig("algebra", (2,)), vocabulary, {}, {"assume": assume})
    learnt = inspect_composer(run, blueprint("algebra").make(vocabulary), world)
    (pair,) = [
        one for one in learnt.compositions if (one.first, one.second) == ("north of", "south of")
    ]
    back = ("at the same place as",)
    assert pair.possible == (back if assume == "unit" else ("north of", "south of", *back))


def test_the_picture_of_sets():
    """Of two relations: one pair exact, one that lacks a relation, one with one too many, one with both."""
    held = {("a", "a"): "x", ("a", "b"): "", ("b", "a"): "xy", ("b", "b"): "y"}
    pairs = [LearntPair(*two, ("x",), False, {}, tuple(found)) for two, found in held.items()]
    *lines, legend = Learnt((), tuple(pairs), {}).picture()
    assert [line.split() for line in lines] == [
        ["1", "2"],
        ["1", "a", "·", "-"],
        ["2", "b", "+", "±"],
    ]
    assert "- some missing" in legend


def test_which_cells_questions_determine():
    """Every question of two facts tells its cell; without those that begin with one relation, its row is
    open. What routes leave is what the theory says."""
    world = load_world("order")
    table = stories(world, "described", 2, size=300)
    vocabulary = learn_vocabulary([table], world)
    true = tool.true_masks(world, vocabulary)
    assert tool.ceiling(table, world, vocabulary, true) == {"determined": 9, "undetermined": {}}
    others = table.filter(pa.array([pattern[0] != "<" for pattern in table["pattern"].to_pylist()]))
    found = tool.ceiling(others, world, vocabulary, true)
    assert found["determined"] == 6
    assert {pair.split(", ")[0] for pair in found["undetermined"]} == {"younger than"}
    kinds = [world.meaning[relation].kind.name for relation in vocabulary.relations]
    asked = [[[kinds.index(kind) for kind in pattern]] for pattern in table["pattern"].to_pylist()]
    for left, possible in zip(
        tool._left(np.array(asked), true), table["possible"].to_pylist(), strict=True
    ):
        assert {word for i, word in enumerate(vocabulary.relations) if left >> i & 1} == set(
            possible
        )
