"""Reading pairs with an encoder: windows, new names, lessons, and that nothing but text reaches an answer."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import clutrr
from clutrr.errors import ConfigError
from clutrr.experiment.config import TrainConfig
from clutrr.experiment.evaluate import evaluate
from clutrr.experiment.job import TrainJob, train
from clutrr.experiment.run import load_checkpoint, load_run
from clutrr.models import Vocabulary, blueprint
from clutrr.models.text.encoder import load_tokens
from clutrr.models.text.lessons import KindTable, with_lessons
from clutrr.models.text.passages import Names, divide_by_sentences, passage, read_passages, shapes_of
from clutrr.puzzle import Entity, Fact, Puzzle, to_table
from clutrr.world import load_world
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
    config = TrainConfig(
        "pairs", (2,), epochs=2, batch=20, learning_rate=1e-3, encoder=str(mine), validation=0.3
    )
    run = train(TrainJob(data, folder, config, CPU))
    shutil.rmtree(mine)
    return run, folder


def answers(folder, table):
    run, made_from, model = load_run(folder)
    (part,) = evaluate(model, made_from, run.vocabulary, {"M2": table}, CPU)
    return part.answers, part.probability


def test_windows_are_the_sentences_about_a_pair():
    told = passage(STORY, ("Bob", "Cid"))
    assert told.names == ("Ann", "Bob", "Eve", "Cid", "Dee")
    assert told.query == (1, 3)
    assert told.windows == {(0, 1): (0,), (0, 2): (0,), (1, 2): (0,), (0, 3): (2, 3)}
    assert told.window((0, 3)) == (3, "stayed.", "His wife is", 0, ".")
    twice = passage("[Ann] met [Bob]. [Bob] sang. [Ann] and [Bob] left. [Cid] sat.", ("Ann", "Zoe"))
    assert twice.windows == {(0, 1): (0, 2), (0, 2): (2, 3), (1, 2): (2, 3)}  # no need of neighbours
    assert twice.names[twice.query[1]] == "Zoe"  # whom the story never names


def test_marks_stand_around_the_two_of_the_pair_only(encoder):
    tokens = load_tokens(str(encoder))
    told = passage("[Ann] and [Bob] met [Cid].", ("Ann", "Bob"))
    row, whose = tokens.window(told.window((0, 2)), told.names, 2, 0)
    words = tokens._tokenizer.convert_ids_to_tokens(list(row))
    assert [word for word, side in zip(words, whose, strict=True) if side] == ["ann", "[UNK]"]
    assert [side for side in whose if side] == [2, 1]
    assert (words.count("@"), words.count("#")) == (2, 2)


@given(st.lists(st.sampled_from([None, 0, 1]), min_size=1, max_size=8), st.integers(0, 99))
def test_new_names_are_of_the_form_and_distinct(forms, seed):
    pool = Names((tuple(f"f{i}" for i in range(99)), tuple(f"m{i}" for i in range(99))))
    names, rng = [f"name{i}" for i in range(len(forms))], np.random.default_rng(seed)
    renamed = pool.renamed(names, forms, rng)
    assert len(set(renamed)) == len(renamed)
    for old, new, form in zip(names, renamed, forms, strict=True):
        assert new == old if form is None else new[0] == "fm"[form]
    mixed = replace(pool, other=0.25).renamed([f"n{i}" for i in range(80)], [0] * 80, rng)
    assert 3 <= sum(name[0] == "m" for name in mixed) <= 40  # so that words outweigh names


def lesson_of(story, query, target, facts, people):
    """What one story, three times, teaches of each pair; the forms, in the order of the names."""
    world = load_world()
    kinds = KindTable.of(world, world.relations)
    facts, entities = tuple(Fact(*fact) for fact in facts), tuple(Entity(*one) for one in people)
    one = Puzzle("1", story, "", query, target, 2, (), facts, entities, "")
    table = to_table([one] * 3)
    read = read_passages(table, Vocabulary((), tuple(world.relations)))
    lesson = with_lessons(read, table, kinds, world).lessons[0]

    def named(numbers):
        pairs = zip(read.passages[0].pairs, numbers, strict=True)
        return {pair: (*kinds.names, None)[number] for pair, number in pairs}

    return named(lesson.kinds), named(lesson.implied), lesson.forms


def test_lessons_are_the_stated_facts_from_either_end():
    people = [("Ann", "female"), ("Bob", "male"), ("Cid", "male")]
    facts = [("Bob", "mother", "Ann"), ("Ann", "husband", "Cid")]
    stated, _, forms = lesson_of(STORY, ("Bob", "Cid"), "father-in-law", facts, people)
    assert stated == {(0, 1): "child", (0, 2): None, (1, 2): None, (0, 3): "SO"}  # Bob is Ann's child
    assert forms == (0, 1, None, 1, None)


def test_facts_teach_what_follows_for_other_pairs():
    story = "[a] and his wife [b] took their daughter [c]."
    facts = [("a", "wife", "b"), ("b", "daughter", "c")]
    people = [("a", "male"), ("b", "female"), ("c", "female")]
    stated, implied, _ = lesson_of(story, ("a", "c"), "daughter", facts, people)
    assert stated == {(0, 1): "SO", (0, 2): None, (1, 2): "child"}
    assert implied == {(0, 1): None, (0, 2): "child", (1, 2): None}


def test_kept_stories_share_no_sentence_with_the_others(stories):
    texts = stories["story"].to_pylist()
    taught, kept = divide_by_sentences(texts, 0.3, seed=1)
    assert taught
    assert kept
    assert not shapes_of(" ".join(texts[i] for i in taught)) & shapes_of(" ".join(texts[i] for i in kept))


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


def test_a_run_needs_its_encoder_no_more_and_says_how_it_was_taught(trained, stories):
    run, folder = trained
    record = json.loads((folder / "record.json").read_text())
    assert record["config"]["model"] == "pairs"
    assert record["config"]["encoder"]
    assert run.epochs[-1].validation is not None
    assert len(answers(folder, stories)[0]) == len(stories)


def test_the_same_seed_gives_the_same_weights(data, encoder, tmp_path):
    runs = []
    for name in "ab":
        config = TrainConfig("pairs", (2,), epochs=1, batch=20, learning_rate=1e-3, encoder=str(encoder))
        train(TrainJob(data, tmp_path / name, config, CPU))
        runs.append(load_checkpoint(tmp_path / name).part("model."))
    assert all(torch.equal(tensor, runs[1][name]) for name, tensor in runs[0].items())


def test_what_was_read_leads_to_the_answer(run, trained, data, stories):
    """The last step of the composition is what was answered, of the two people asked about."""
    _, folder = trained
    code, _, err = run(
        "evaluate", folder, data, "--split", "train", "--readings", "--device", "cpu", "--json"
    )
    assert (code, err) == (0, "")
    told = [json.loads(line) for line in (folder / "readings.jsonl").read_text().splitlines()]
    given = pa.parquet.read_table(folder / "predictions.parquet").to_pylist()
    assert [row["id"] for row in told] == [row["id"] for row in given] == stories["id"].to_pylist()
    for row, answer, query in zip(told, given, stories["query"].to_pylist(), strict=True):
        assert not row["way"] or [row["way"][0], row["way"][-1]] == query
        if row["steps"]:
            start, _, end, _, _, result = row["steps"][-1]
            assert ([start, end], result) == (query, answer["prediction"])
    run("evaluate", folder, data, "--split", "train", "--device", "cpu")
    assert not (folder / "readings.jsonl").exists()  # they would be those of other answers


def test_facts_read_rightly_are_shown_as_the_facts_and_their_path(trained, stories, monkeypatch):
    """With readings that are the facts, the way is the path, and its one step leads to the answer."""
    run, folder = trained
    _, made_from, model = load_run(folder)
    passages = made_from.encode(stories, run.vocabulary).passages
    taught = made_from.encode(stories, run.vocabulary, teach=True).lessons
    kinds = torch.tensor([kind for lesson in taught for kind in lesson.kinds])
    pairs = [(lesson, pair) for lesson, one in zip(taught, passages, strict=True) for pair in one.pairs]
    male = torch.tensor([[9.0 if lesson.forms[who] else -9.0 for who in pair] for lesson, pair in pairs])
    scores = 9 * torch.nn.functional.one_hot(kinds, len(model.kinds) + 1).float()
    monkeypatch.setattr(model, "read", lambda passages: (scores, male))
    model.table.copy_(model.kinds.possible.float())
    for account, row in zip(model.accounts(passages), stories.to_pylist(), strict=True):
        facts = [tuple(fact) for fact in row["facts"]]
        believed = {(b.head, b.relation, b.tail) for b in account.read}
        assert {*facts} <= believed | {(b.tail, b.back, b.head) for b in account.read}
        assert len(account.read) == len(facts)
        assert all(b.share > 0.99 for b in account.read)
        (step,) = account.steps
        assert account.way == (step.start, step.middle, step.end) == (facts[0][0], facts[0][2], facts[1][2])
        assert (step.first, step.second) == (facts[0][1], facts[1][1])
        one, other, result = (model.kinds.meaning[word][0] for word in (step.first, step.second, step.result))
        assert model.kinds.possible[one, other, result]


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
        ("pairs", "", "needs --encoder"),
        ("gnn", "somewhere", "reads without one"),
        ("pairs+literal", "somewhere", "'pairs.literal' is not one of"),
    ],
)
def test_wrong_wishes_are_refused(name, encoder, says):
    with pytest.raises(ConfigError, match=says):
        blueprint(name, encoder)


def test_a_folder_without_an_encoder_is_named(run, data, tmp_path):
    wish = ("train", data, tmp_path / "run", "--model", "pairs", "--k", "2", "--encoder")
    code, out, err = run(*wish, tmp_path)
    assert (code, out) == (2, "")
    assert "holds no encoder" in err
    code, _, err = run(*wish, tmp_path / "no")
    assert code == 2
    assert "is not a folder" in err
    assert not (tmp_path / "run" / "checkpoint.safetensors").exists()


@pytest.mark.slow
def test_a_tiny_encoder_learns_template_text(tmp_path):
    table = to_table(clutrr.generate("sound", k=2, size=1500, seed=1, distractors=0)[:])
    pa.parquet.write_table(table, tmp_path / "stories.parquet")
    encoder = tiny_encoder(tmp_path / "encoder", table["story"].to_pylist())
    config = TrainConfig("pairs", (2,), epochs=12, batch=16, learning_rate=2e-3, encoder=str(encoder))
    done = train(TrainJob(tmp_path / "stories.parquet", tmp_path / "run", config, CPU))
    assert done.epochs[-1].accuracy > 80  # of the pairs; a guess of "none" alone is right for a third


@pytest.mark.slow
def test_other_published_sets_go_through_the_same_commands(run, repository, tmp_path):
    """Template text with noise facts of every role, and v1.3's files, from training to answers."""
    published = repository.parent / "shared" / "published"
    if not published.is_dir():
        pytest.skip("the published files are not here")
    trained = published / "v1.3" / "train.jsonl"
    texts = [puzzle.story for puzzle in clutrr.read(trained)]
    encoder = tiny_encoder(tmp_path / "encoder", texts)
    options = ("--model", "pairs", "--encoder", encoder, "--k", "2-4", "--epochs", "1", "--batch", "20")
    code, _, err = run("train", trained, tmp_path / "run", *options, "--device", "cpu")
    assert code == 0, err
    for test, subsets in (
        ("v1.3/test.jsonl", ["M3", "M4"]),
        ("v1-template/data_2d5007e7", ["1.2", "2.3", "3.3", "4.3"]),
        ("v1.0/noise_samples", ["2.3", "3.3", "4.3"]),
    ):
        code, out, err = run("evaluate", tmp_path / "run", published / test, "--readings", "--json")
        assert code == 0, err
        content = json.loads(out)
        assert sorted(content["accuracy"]) == subsets
        told = (tmp_path / "run" / "readings.jsonl").read_text().splitlines()
        assert len(told) == sum(content["n"].values())
