"""A training opened again: what it answers, believes and looks at."""

import json

import pytest

import clutrr
from commands import told

torch = pytest.importorskip("torch", reason="torch is not installed (extra: models)")


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Data, and runs of a composer, a graph network with attention, and a reader, trained for a moment."""
    folder = tmp_path_factory.mktemp("inside")
    clutrr.generate(out=folder / "data", k=(2, 3), train=40, test=12, distractors=1)
    for name in ("composer", "gnn-attention", "algebra"):
        clutrr.train(folder / "data", folder / name, model=name, k=2, epochs=1, device="cpu")
    return folder


def test_predictions_are_those_of_evaluate(here):
    evaluation = clutrr.evaluate(here / "composer", here / "data", device="cpu")
    loaded = clutrr.load_run(here / "composer")
    for part in evaluation:
        puzzles = [
            one for one in clutrr.read(here / "data") if one.id in part.table["id"].to_pylist()
        ]
        found = loaded.predict(puzzles, device="cpu")
        assert [one.answer for one in found] == part.answers
        assert [one.probabilities[one.answer] for one in found] == pytest.approx(
            part.probability.tolist()
        )
        assert all(sum(one.probabilities.values()) == pytest.approx(1) for one in found)
        assert set(found[0].probabilities) == set(loaded.run.vocabulary.relations)
        assert found.accuracy == pytest.approx(part.accuracy)


def test_one_puzzle_and_rows_of_ones_own(here):
    loaded = clutrr.load_run(here / "gnn-attention")
    puzzle = clutrr.generate(k=2, size=1)[0]
    assert len(loaded.predict(puzzle)) == 1
    own = clutrr.puzzle(
        "[Bob] is [Ann]'s son. [Eve] is [Bob]'s sister.", ("Ann", "Eve"), "daughter"
    )
    (found,) = loaded.predict([own])
    assert found.right == (found.answer == "daughter")


def test_frames(here):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    evaluation = clutrr.evaluate(here / "composer", here / "data", device="cpu")
    frame = evaluation.to_pandas()
    names = ["id", "subset", "pattern", "k", "target", "answer", "probability", "right"]
    assert list(frame.columns) == [*names, "probabilities"]
    assert len(frame) == sum(part.n for part in evaluation) == 24
    assert frame["right"].sum() == sum(part.score.right for part in evaluation)
    for row in frame.to_dict("records"):
        assert max(row["probabilities"].values()) == pytest.approx(row["probability"])
    confusion = evaluation.to_pandas("confusion")
    assert confusion["times"].sum() == 24
    assert confusion[confusion["right"]]["times"].sum() == frame["right"].sum()
    patterns = evaluation.to_pandas("patterns")
    assert patterns["asked"].sum() == 24
    assert patterns["wrong"].sum() == 24 - frame["right"].sum()
    assert isinstance(
        clutrr.load_run(here / "composer").predict(here / "data").to_pandas(), pandas.DataFrame
    )
    with pytest.raises(clutrr.ClutrrError, match="what: 'all' is not one of answers, confusion"):
        evaluation.to_pandas("all")


@pytest.mark.parametrize("name", ["composer", "algebra"])
def test_beliefs_and_what_was_learnt(here, name):
    loaded = clutrr.load_run(here / name)
    relations = loaded.run.vocabulary.relations
    two = loaded.beliefs().two
    assert tuple(two.shape[:2]) == (len(relations), len(relations))
    learnt = loaded.learnt()
    assert json.loads(json.dumps(learnt.to_json())) == told("info", here / name)["learnt"]
    pair = learnt.compositions[0]
    share = two[relations.index(pair.first), relations.index(pair.second)].tolist()
    for relation, believed in pair.believed.items():
        assert share[relations.index(relation)] == pytest.approx(believed, abs=1e-3)


def test_attention_is_by_name_and_adds_up(here):
    loaded = clutrr.load_run(here / "gnn-attention")
    puzzles = clutrr.generate(k=3, size=3, distractors=1)
    found = loaded.attention(puzzles)
    assert len(found) == 3
    for puzzle, rounds in zip(puzzles, found, strict=True):
        linked = {frozenset(fact[::2]) for fact in puzzle.facts}
        assert len(rounds) == 6
        for shares in rounds:
            assert set(shares) == {entity.name for entity in puzzle.entities}
            for name, heard in shares.items():
                assert {frozenset((name, other)) for other in heard} <= linked
                assert sum(heard.values()) == pytest.approx(1, abs=1e-4)


def test_outputs_of_parts_are_what_a_hook_sees(here):
    loaded = clutrr.load_run(here / "gnn-attention")
    puzzles = clutrr.generate(k=2, size=4)
    found = loaded.outputs(puzzles, "processor.cell", "classifier", "processor.attended")
    (scores,) = found["classifier"]
    assert scores.shape == (4, len(loaded.run.vocabulary.relations))
    assert len(found["processor.attended"]) == 6
    shares = scores.softmax(-1).max(-1).values.tolist()
    assert shares == pytest.approx(
        [max(one.probabilities.values()) for one in loaded.predict(puzzles)], abs=0.3
    )
    assert not loaded.model.classifier._forward_hooks


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda run: run.beliefs(), "gnn-attention has no table of compositions"),
        (
            lambda run: run.outputs(clutrr.generate(k=2, size=1), "none"),
            "there is no 'none'; there are reader",
        ),
    ],
)
def test_what_a_model_does_not_have_is_said(here, ask, message):
    with pytest.raises(clutrr.ClutrrError, match=message):
        ask(clutrr.load_run(here / "gnn-attention"))
    with pytest.raises(clutrr.ClutrrError, match="composer has no attention"):
        clutrr.load_run(here / "composer").attention(clutrr.generate(k=2, size=1))


def test_a_loss_that_sees_the_batch(tmp_path):
    """It is given what rows say beyond their text: what is possible, the facts, and the route."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    from clutrr._table import to_table
    from clutrr.models import RECIPES, Recipe
    from clutrr.models.batch import encode, learn_vocabulary

    puzzles = clutrr.generate("mixed", k=2, size=60, seed=1)
    seen = []

    def possible_loss(scores, target, batch):
        seen.append((batch.possible, batch.facts, batch.steps))
        return binary_cross_entropy_with_logits(scores, batch.possible.to(scores))

    usual = RECIPES["gnn"]
    own = Recipe(usual.reader, usual.processor, usual.classifier, loss=possible_loss)
    run = clutrr.train(puzzles, tmp_path / "run", model=own, k=2, epochs=2, device="cpu")
    assert len(run.epochs) == 2
    possible, facts, steps = seen[0]
    assert possible.dtype == torch.bool
    assert facts.shape[1:] == (2, 3)
    assert steps.tolist() == [[0, 1]] * len(steps)

    table = to_table(list(puzzles))
    vocabulary = learn_vocabulary([table], clutrr.load_world("kinship"))
    encoded = own.encode(table, vocabulary, teach=True)
    rows = zip(encoded.taught.possible, encoded.taught.facts.tolist(), encoded.target, strict=True)
    for puzzle, (row, facts, target) in zip(puzzles, rows, strict=True):
        allowed = {vocabulary.relations[i] for i in row.nonzero().flatten().tolist()}
        assert allowed == set(puzzle.possible)
        words = [vocabulary.relations[relation] for _, relation, _ in facts]
        assert words == [fact.relation for fact in puzzle.facts]
        assert vocabulary.relations[target] == puzzle.target
    assert own.encode(table, vocabulary).taught is None
    assert encode(table, vocabulary).taught is None
    stories = encode(table, vocabulary).batch(torch.arange(2), torch.Generator())
    with pytest.raises(clutrr.ClutrrError, match="loss: what rows say beyond their text"):
        stories.possible  # noqa: B018


def test_losses_of_two_arguments_are_as_before(tmp_path):
    from clutrr.models.parts import sees_batch

    assert not sees_batch(torch.nn.functional.cross_entropy)
    assert not sees_batch(torch.nn.MSELoss())
    assert sees_batch(lambda scores, target, batch: scores.sum())
