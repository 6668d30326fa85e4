"""Reading pairs with an encoder: windows, new names, lessons, and that nothing but text reaches an answer."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import clutrr
from clutrr import load_world
from clutrr._puzzle import Entity, Fact, Puzzle
from clutrr._table import to_table
from clutrr._train.config import TrainConfig
from clutrr._train.evaluate import answer_subsets
from clutrr._train.job import TrainJob, run_training
from clutrr._train.run import load_checkpoint, load_run
from clutrr.errors import ConfigError
from clutrr.models import Vocabulary, blueprint
from clutrr.models.passages import passage
from clutrr.models.text.encoder import load_tokens
from clutrr.models.text.lessons import KindTable, renamed
from clutrr.models.text.pairs import PairsBlueprint
from commands import refused, run, told
from tiny import tiny_encoder

pytest.importorskip("transformers")

CPU = torch.device("cpu")
STORY = "[Ann] met her son [Bob] and [Eve]. It rained. [Cid] stayed. His wife is [Ann]. It rained. [Dee] sat."


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # more are far slower where other tests run beside these
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def stories():
    """Stories of two facts, without distractors, as a table."""
    return to_table(clutrr.generate("sound", k=2, size=120, seed=1, distractors=0)[:])


@pytest.fixture(scope="module")
def data(stories, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    pa.parquet.write_table(stories, folder / "stories.parquet")
    return folder / "stories.parquet"


@pytest.fixture(scope="module")
def encoder(stories, tmp_path_factory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp("encoder"), stories["story"].to_pylist())


@pytest.fixture(scope="module")
def trained(data, encoder, tmp_path_factory):
    """A run whose encoder folder is gone."""
    folder = tmp_path_factory.mktemp("run") / "run"
    mine = shutil.copytree(encoder, folder.with_name("encoder"))
    config = TrainConfig("pairs", (2,), epochs=2, batch=20, learning_rate=1e-3, encoder=str(mine))
    run = run_training(TrainJob(data, folder, config, CPU))
    shutil.rmtree(mine)
    return run, folder


def answers(folder, table):
    run, made_from, model = load_run(folder)
    (part,) = answer_subsets(model, made_from, run.vocabulary, {"M2": table}, CPU)
    return part.answers, part.probability


def test_windows_are_the_sentences_about_a_pair():
    told = passage(STORY, ("Bob", "Cid"))
    assert told.names == ("Ann", "Bob", "Eve", "Cid", "Dee")
    assert told.query == (1, 3)
    assert told.windows == {(0, 1): (0,), (0, 2): (0,), (1, 2): (0,), (0, 3): (2, 3)}
    assert told.window((0, 3)) == (3, "stayed.", "His wife is", 0, ".")
    twice = passage("[Ann] met [Bob]. [Bob] sang. [Ann] and [Bob] left. [Cid] sat.", ("Ann", "Zoe"))
    assert twice.windows == {
        (0, 1): (0, 2),
        (0, 2): (2, 3),
        (1, 2): (2, 3),
    }  # no need of neighbours
    assert twice.names[twice.query[1]] == "Zoe"  # whom the story never names


def test_marks_stand_around_the_two_of_the_pair_only(encoder):
    tokens = load_tokens(str(encoder))
    told = passage("[Ann] and [Bob] met [Cid].", ("Ann", "Bob"))
    row, whose = tokens.window(told.window((0, 2)), told.names, 2, 0)
    words = tokens._tokenizer.convert_ids_to_tokens(list(row))
    assert [word for word, side in zip(words, whose, strict=True) if side] == ["ann", "[UNK]"]
    assert [side for side in whose if side] == [2, 1]
    assert (words.count("@"), words.count("#")) == (2, 2)


@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=8), st.integers(0, 99))
def test_new_names_are_mostly_of_the_form_and_distinct(forms, seed):
    pool = [[f"{letter}{i}" for i in range(99)] for letter in "fm"]
    names, rng = [f"name{i}" for i in range(len(forms))], np.random.default_rng(seed)
    new = renamed(names, forms, pool, rng)
    assert len(set(new)) == len(new)
    assert all((one == old) == (form < 0) for old, one, form in zip(names, new, forms, strict=True))
    many = renamed([f"n{i}" for i in range(80)], [0] * 80, pool, rng)
    assert sum(name[0] == "m" for name in many) <= 30  # some, so that words outweigh names


def lesson_of(story, query, target, facts, people):
    """What one story, three times, teaches of each pair; the forms, in the order of the names."""
    world = load_world()
    kinds = KindTable.of(world, world.relations)
    facts, entities = tuple(Fact(*fact) for fact in facts), tuple(Entity(*one) for one in people)
    one = Puzzle("1", story, "", query, target, 2, (), facts, entities, "")
    table = to_table([one] * 3)
    read = PairsBlueprint("", world).encode(
        table, Vocabulary((), tuple(world.relations)), teach=True
    )
    lesson = read.lessons[0]

    def named(numbers):
        pairs = zip(read.passages[0].pairs, numbers, strict=True)
        return {pair: (*kinds.names, None)[number] for pair, number in pairs}

    return named(lesson.kinds), named(lesson.implied), lesson.forms


def test_lessons_are_the_stated_facts_from_either_end():
    people = [("Ann", "female"), ("Bob", "male"), ("Cid", "male")]
    facts = [("Bob", "mother", "Ann"), ("Ann", "husband", "Cid")]
    stated, _, forms = lesson_of(STORY, ("Bob", "Cid"), "father-in-law", facts, people)
    assert stated == {
        (0, 1): "child",
        (0, 2): None,
        (1, 2): None,
        (0, 3): "SO",
    }  # Bob is Ann's child
    assert forms == (0, 1, -1, 1, -1)


def test_facts_teach_what_follows_for_other_pairs():
    story = "[a] and his wife [b] took their daughter [c]."
    facts = [("a", "wife", "b"), ("b", "daughter", "c")]
    people = [("a", "male"), ("b", "female"), ("c", "female")]
    stated, implied, _ = lesson_of(story, ("a", "c"), "daughter", facts, people)
    assert stated == {(0, 1): "SO", (0, 2): None, (1, 2): "child"}
    assert implied == {(0, 1): None, (0, 2): "child", (1, 2): None}


def test_gold_columns_never_reach_an_answer(trained, stories):
    """No path, form or fact is read in testing: with those of other rows the answers are the same."""
    _, folder = trained
    rng = np.random.default_rng(0)
    other = stories
    for column in ("facts", "entities", "pattern", "abstract", "scene"):
        place = other.schema.get_field_index(column)
        shuffled = stories[column].take(pa.array(rng.permutation(len(stories))))
        other = other.set_column(place, other.schema.field(place), shuffled)
    assert other["facts"] != stories["facts"]
    expected, given_ = answers(folder, stories), answers(folder, other)
    assert given_[0] == expected[0]
    assert (given_[1] == expected[1]).all()


def test_the_same_seed_gives_the_same_weights(data, encoder, tmp_path):
    runs = []
    for name in "ab":
        config = TrainConfig(
            "pairs", (2,), epochs=1, batch=20, learning_rate=1e-3, encoder=str(encoder)
        )
        run_training(TrainJob(data, tmp_path / name, config, CPU))
        runs.append(load_checkpoint(tmp_path / name).part("model."))
    assert all(torch.equal(tensor, runs[1][name]) for name, tensor in runs[0].items())


def test_equal_windows_are_encoded_once(trained, stories):
    _, folder = trained
    run, made_from, model = load_run(folder)
    seen = []
    read = model._read
    model._read = lambda rows: seen.extend(rows) or read(rows)
    model.read(made_from.encode(pa.concat_tables([stories, stories]), run.vocabulary).passages)
    assert len(seen) == len(set(seen))
    assert model.training


def test_the_facts_of_the_training_stories_are_the_table(trained):
    _, _, model = load_run(trained[1])
    number = {name: i for i, name in enumerate(model.kinds.names)}
    assert model.table[number["child"], number["child"], number["grand"]] > 0.99
    assert (model.table > 0.01).sum() > 10


@pytest.mark.parametrize(
    ("name", "encoder", "says"),
    [
        ("pairs", "", "needs an encoder; give encoder="),
        ("gnn", "somewhere", "reads without one"),
        ("pairs+literal", "somewhere", "'pairs.literal' is not one of"),
    ],
)
def test_wrong_wishes_are_refused(name, encoder, says):
    with pytest.raises(ConfigError, match=says):
        blueprint(name, encoder)


def test_a_folder_without_an_encoder_is_named(data, tmp_path):
    wish = ("train", data, tmp_path / "run", "--model", "pairs", "--k", "2", "--encoder")
    assert "holds no encoder" in refused(*wish, tmp_path)
    assert "is not a folder" in refused(*wish, tmp_path / "no")
    assert not (tmp_path / "run" / "checkpoint.safetensors").exists()


@pytest.mark.slow
def test_a_tiny_encoder_learns_template_text(tmp_path):
    table = to_table(clutrr.generate("sound", k=2, size=1500, seed=1, distractors=0)[:])
    pa.parquet.write_table(table, tmp_path / "stories.parquet")
    encoder = tiny_encoder(tmp_path / "encoder", table["story"].to_pylist())
    config = TrainConfig(
        "pairs", (2,), epochs=12, batch=16, learning_rate=2e-3, encoder=str(encoder)
    )
    done = run_training(TrainJob(tmp_path / "stories.parquet", tmp_path / "run", config, CPU))
    assert (
        done.epochs[-1].accuracy > 80
    )  # of the pairs; a guess of "none" alone is right for a third


@pytest.mark.slow
def test_other_published_sets_go_through_the_same_commands(published, tmp_path):
    """Template text with noise facts of every role, and v1.3's files, from training to answers."""
    trained = published / "v1.3" / "train.jsonl"
    texts = [puzzle.story for puzzle in clutrr.read(trained)]
    encoder = tiny_encoder(tmp_path / "encoder", texts)
    options = (
        "--model",
        "pairs",
        "--encoder",
        encoder,
        "--k",
        "2-4",
        "--epochs",
        "1",
        "--batch",
        "20",
    )
    run("train", trained, tmp_path / "run", *options, "--device", "cpu")
    for test, subsets in (
        ("v1.3/test.jsonl", ["M3", "M4"]),
        ("v1-template/data_2d5007e7", ["1.2", "2.3", "3.3", "4.3"]),
        ("v1.0/noise_samples", ["2.3", "3.3", "4.3"]),
    ):
        assert sorted(told("evaluate", tmp_path / "run", published / test)["tested"]) == subsets
