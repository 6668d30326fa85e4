"""KindTable and genders: the composer's table is the same for sons and daughters."""

import math
from dataclasses import asdict, replace
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch
from kin_models import fixed, puzzle, stories_of, train_model
from torch import Tensor, nn

from clutrr._lexicon import World
from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr._table import to_table
from clutrr._train.config import TrainConfig
from clutrr._train.loop import answer
from clutrr._train.run import Run
from clutrr.models import StoryTensors, Vocabulary, blueprint, encode, learn_vocabulary
from clutrr.models.batch import Batch
from clutrr.models.compose import FASTER, Compose, Forms, WayReading, Ways
from clutrr.models.tokens import ANY


class Given(nn.Module):
    """Reads an edge as the logarithms that it is."""

    def forward(self, edges: Tensor) -> Tensor:
        return edges


def composer(vocabulary: Vocabulary) -> Compose:
    torch.manual_seed(2)
    model = blueprint("composer").make(vocabulary).eval()
    with torch.no_grad():
        for weights in model.processor.parameters():
            weights.normal_(std=3 / FASTER)
    model.processor.name = Given()
    return model.processor


def scores(composer: Compose, stories: StoryTensors, named: Tensor) -> Tensor:
    batch: Batch = fixed(stories)
    way = batch.on_the_way(batch.sentences)[..., 0]
    with torch.inference_mode():
        whole: Tensor = composer(WayReading(named, Ways(way, batch.ways > 0)), batch).whole
    return whole


@pytest.fixture
def chain(world: World) -> tuple[Vocabulary, StoryTensors, Tensor]:
    """Chains of four sentences, each read as a mixture of relations."""
    table = stories_of("described", 4, 6, distractors=0)
    vocabulary = learn_vocabulary([table], world)
    stories = encode(table, vocabulary)
    torch.manual_seed(3)
    return (
        vocabulary,
        stories,
        (3 * torch.randn(len(stories.graph.shapes), len(vocabulary.relations))).log_softmax(-1),
    )


def other_gender(vocabulary: Vocabulary) -> list[int]:
    return [vocabulary.forms.index((kind, 1 - gender)) for kind, gender in vocabulary.forms]


def test_the_other_gender_throughout_gives_the_answer_of_the_other_gender(
    chain: tuple[Vocabulary, StoryTensors, Tensor],
) -> None:
    vocabulary, stories, named = chain
    model, swap = composer(vocabulary), other_gender(vocabulary)
    one, other = scores(model, stories, named), scores(model, stories, named[:, swap])
    torch.testing.assert_close(other, one[:, swap])
    assert (one - other).abs().max() > 0.1
    apart = composer(replace(vocabulary, forms=()))  # every relation a separate kind
    one, other = scores(apart, stories, named), scores(apart, stories, named[:, swap])
    assert (other - one[:, swap]).abs().max() > 0.1


def test_only_the_last_sentence_tells_the_gender(
    chain: tuple[Vocabulary, StoryTensors, Tensor],
) -> None:
    vocabulary, stories, named = chain
    model, swap = composer(vocabulary), other_gender(vocabulary)
    batch = fixed(stories)
    last = batch.sentences[..., 0].flatten(1).gather(1, (batch.ways[:, :, -1].amax(1) - 1)[:, None])
    turned = named[:, swap]
    turned[last] = named[last]
    torch.testing.assert_close(scores(model, stories, turned), scores(model, stories, named))


def test_what_is_certain_has_gradients() -> None:
    """Nothing is left of the other relations: their logarithms are far below what exp can tell from 0."""
    named = torch.full((1, 4), -500.0)
    named[0, 0] = 0.0
    named.requires_grad_()
    forms = Forms([(0, 0), (0, 1), (1, 0), (1, 1)], 4)
    (forms.kind_of(named).sum() + forms.form_of(named).sum()).backward()
    assert named.grad is not None
    assert named.grad.isfinite().all()


def test_every_sentence_that_leads_to_the_last_person_tells_their_gender(world: World) -> None:
    """Two ways to D; the one sentence says nothing of the gender, the other decides."""
    table = to_table(
        [puzzle("[A] met [B]. [B] saw [D]. [A] likes [C]. [C] knows [D].", ("A", "D"), "A,B,C,D")]
    )
    vocabulary = learn_vocabulary([table], world)
    stories, model = encode(table, vocabulary), composer(vocabulary)
    son, daughter = (vocabulary.relations.index(word) for word in ("son", "daughter"))
    named = torch.full((len(stories.graph.shapes), len(vocabulary.relations)), -30.0)
    named[:, son] = named[:, daughter] = math.log(0.5)
    found = scores(model, stories, named)[0]
    assert found[son] == pytest.approx(float(found[daughter]), abs=1e-4)
    batch = fixed(stories)
    row = batch.sentences[..., 0].flatten(1)[0, int(batch.ways[0, :, -1].max()) - 1]
    named[row, son], named[row, daughter] = 0.0, -30.0
    found = scores(model, stories, named)[0]
    assert found[son] > found[daughter] + 10


def test_forms_are_those_of_the_world(world: World) -> None:
    table = stories_of("mixed", 3, 60)
    vocabulary = learn_vocabulary([table], world)
    assert CANNOT_BE_TOLD in vocabulary.relations
    forms = dict(zip(vocabulary.relations, vocabulary.forms, strict=True))
    assert forms[CANNOT_BE_TOLD] == (len(world.kinds), ANY)
    for word, (kind, gender) in world.meaning.items():
        assert forms[word] == (world.index[kind.name], gender)
    again = Run.from_json(Run(TrainConfig("composer", (3,)), vocabulary, {}, {}).to_json())
    assert again.vocabulary.forms == vocabulary.forms


def test_a_world_without_forms() -> None:
    world = SimpleNamespace(kinds=[SimpleNamespace(words=(word,)) for word in ("before", "after")])
    vocabulary = Vocabulary.of(["met"], ["after", "same"], world)  # type: ignore[arg-type]
    assert vocabulary.relations == ("before", "after", "same")
    assert vocabulary.forms == ((0, ANY), (1, ANY), (2, ANY))
    assert composer(vocabulary).forms.kinds == 3


def test_a_run_of_before_has_no_forms(world: World) -> None:
    """Then every relation is a kind of its own, as it was."""
    vocabulary = learn_vocabulary([stories_of("sound", 2, 3)], world)
    content = Run(TrainConfig("composer", (2,)), vocabulary, {}, {}).to_json()
    del content["vocabulary"]["forms"]
    before = Run.from_json(content).vocabulary
    assert before == vocabulary
    model = blueprint("composer").make(before).processor
    assert model.table.shape == (32, 32, 32)
    assert model.opening.shape == (16, 32)


@pytest.mark.parametrize(
    "forms", [[[0, 0]], [[0, 0], [2, 1]], [[0, 0], [0, 7]], [[0, 0], [0, "male"]], 3, [[0], [1]]]
)
def test_forms_of_a_damaged_run_are_refused(forms: object) -> None:
    vocabulary = Vocabulary(("a",), ("son", "daughter"))
    content = Run(TrainConfig("composer", (2,)), vocabulary, {}, {}).to_json()
    content["vocabulary"] = {**asdict(vocabulary), "forms": forms}
    with pytest.raises((ValueError, TypeError)):
        Run.from_json(content)


def test_it_learns_from_men_what_holds_for_women(world: World) -> None:
    """Trained on stories whose first fact leads to a man, tested on those where it leads to a woman."""
    table = stories_of("sound", 2, 1500, distractors=0)
    male = {word for word, (_, gender) in world.meaning.items() if gender == 1}
    led_to_a_man = pa.array([facts[0][1] in male for facts in table["facts"].to_pylist()])
    told = pa.concat_tables(
        [stories_of("sound", 1, 500, distractors=0), table.filter(led_to_a_man)]
    )
    vocabulary = learn_vocabulary([told], world)
    right = []
    for words in (vocabulary, replace(vocabulary, forms=())):
        torch.manual_seed(0)
        model = blueprint("composer").make(words)
        train_model(model, encode(told, words), TrainConfig("composer", (1, 2), epochs=15))
        women = encode(table.filter(pc.invert(led_to_a_man)), words)
        found = answer(model, women, torch.Generator()).argmax(1) == women.target
        right.append(float(found.float().mean()))
    assert right[0] > 0.99
    assert right[1] < 0.8
