"""The composer against a slow reading of its equations, on chains and on graphs with several paths."""

import math
from functools import cache

import pyarrow as pa
import pytest
import torch
from kin_models import built, fixed, puzzle, read_whole, stories_of, train_model
from torch import Tensor

from clutrr import load_world
from clutrr._lexicon import World
from clutrr._table import to_table
from clutrr._train.config import TrainConfig
from clutrr._train.inspect import inspect_composer
from clutrr._train.loop import answer
from clutrr._train.run import Run
from clutrr.models import Model, StoryTensors, Vocabulary, blueprint, encode, learn_vocabulary
from clutrr.models.compose import CALM, DOUBT, FASTER
from clutrr.models.tokens import ANY

GRAPHS = [
    # Two shortest paths from A to D, a detour, somebody who is on no path, two sentences on a pair.
    puzzle(
        "[A] met [B]. [A] saw [C]. [B] knows [D]. [C] likes [D]. [C] knows [E]. [E] met [D]. [B] met [A].",
        ("A", "D"),
        "A,B,C,D,E",
    ),
    puzzle(
        "[A] met [B]. [B] saw [C]. [C] knows [D]. [D] likes [E]. [F] met [E].",
        ("F", "A"),
        "A,B,C,D,E,F",
    ),
    puzzle("[A] met [B]. [C] saw [D].", ("A", "D"), "A,B,C,D"),  # no path at all
    puzzle("[B] met [C]. [B] saw [C].", ("A", "B"), "A,B,C"),  # nothing about the first at all
    puzzle(
        "[A] met [B]. [B] met [C]. [C] met [A].", ("A", "C"), "A,B,C"
    ),  # said outright, and a way round
]


Forms = tuple[tuple[int, int], ...]


def lively(name: str, table: pa.Table, world: World) -> tuple[Model, StoryTensors, Vocabulary]:
    """A model in which every piece counts."""
    model, stories, words = built(name, table, world)
    composer = model.processor
    with torch.no_grad():
        composer.opening.normal_()
        composer.closing.normal_()
        composer.table.normal_(std=3 / FASTER)
    return model, stories, words


class Slow:
    """Story b, one stretch, cut, and pair of states at a time."""

    def __init__(self, model: Model, stories: StoryTensors, b: int, forms: Forms) -> None:
        self.forms = forms
        self.composer = model.processor
        self.training, self.even = model.training, b % 2 == 0
        reading = read_whole(model, stories)
        self.says: dict[tuple[int, int], Tensor] = {}
        for i in range(int(stories.graph.nodes[b])):
            for slot, rows in enumerate(stories.graph.sentences[b, i].tolist()):
                if any(rows):
                    edge = reading.edges[reading.edge_of[b, i, slot]]
                    self.says[i, int(stories.graph.neighbours[b, i, slot])] = self.composer.name(
                        edge
                    )
        self.first, self.second = stories.query[b].tolist()
        people = range(int(stories.graph.nodes[b]))
        self.volt = dict.fromkeys(people, 0.5) | {self.first: 0.0, self.second: 1.0}
        for _ in range(2000):  # everybody is the mean of their neighbours, in the end
            for i in people:
                near = [self.volt[j] for j in people if (i, j) in self.says]
                if near and i not in (self.first, self.second):
                    self.volt[i] = sum(near) / len(near)
        self.table = torch.softmax(FASTER * self.composer.table, -1)

    def answer(self) -> Tensor:
        scores = torch.zeros(self.composer.states)
        if self.leads(self.first, self.second):
            scores = self.score(self.first, self.second)
        return torch.stack([scores[kind] + self.gender(gender) for kind, gender in self.forms])

    def gender(self, wanted: int) -> Tensor:
        """The logarithm of how surely the second queried person is of that gender, by all who lead there."""
        if wanted == ANY:
            return torch.zeros(())
        odds = []
        for gender in (0, 1):
            total = torch.zeros(())
            for i in self.volt:
                if self.told(i, self.second):
                    named = self.says[i, self.second].exp()
                    shares = {gender: 1.0, ANY: 0.5}
                    share = sum(
                        named[r] * shares.get(form[1], 0) for r, form in enumerate(self.forms)
                    )
                    total = total + torch.log(share + 1e-6)
            odds.append(total)
        return torch.stack(odds).log_softmax(0)[wanted]

    def kinds(self, i: int, j: int) -> Tensor:
        """How likely the sentence on two people tells each kind."""
        found = torch.zeros(self.composer.forms.kinds)
        for named, (kind, _) in zip(self.says[i, j].exp(), self.forms, strict=True):
            found[kind] += named
        return found

    def told(self, i: int, j: int) -> bool:
        return (i, j) in self.says and self.volt[j] > self.volt[i] + 1e-6

    @cache  # noqa: B019  a story's, and gone with its test
    def leads(self, i: int, j: int) -> bool:
        return self.told(i, j) or any(self.told(i, n) and self.leads(n, j) for n in self.volt)

    def cuts(self, i: int, j: int) -> list[int]:
        return [cut for cut in self.volt if self.leads(i, cut) and self.leads(cut, j)]

    def mean(self, i: int, j: int, weights: Tensor, left: bool, right: bool) -> Tensor:
        """What the sentences of a stretch weigh: of its left part, of its right part, or their sum."""
        if self.told(i, j):
            weight: Tensor = FASTER * self.kinds(i, j) @ weights[: self.composer.forms.kinds]
            return weight
        cuts = self.cuts(i, j)
        total = torch.zeros(())
        for cut in cuts:
            if left:
                total = total + self.mean(i, cut, weights, left, right)
            if right:
                total = total + self.mean(cut, j, weights, left, right)
        return total / len(cuts)

    def votes(self, left: Tensor, right: Tensor) -> list[float]:
        """The logarithm of what one cut gives to each state."""
        doubt = DOUBT if self.training else CALM
        follows = [float(left @ self.table[:, :, u] @ right) for u in range(len(left))]
        return [math.log(share + doubt) for share in follows]

    @cache  # noqa: B019
    def score(self, i: int, j: int) -> Tensor:
        composer = self.composer
        if self.told(i, j):
            return torch.cat(
                [self.kinds(i, j), torch.zeros(composer.states - composer.forms.kinds)]
            ).log()
        votes = [
            self.votes(self.score(i, cut).softmax(0), self.score(cut, j).softmax(0))
            for cut in self.cuts(i, j)
        ]
        scores = [2 * min(v) + sum(v) / len(v) for v in zip(*votes, strict=True)]
        if self.training:
            scores = [min(v) if self.even else sum(v) for v in zip(*votes, strict=True)]
        total = torch.tensor(scores)
        total -= (self.mean(i, j, composer.height, True, True) - FASTER * composer.height) ** 2
        total += self.mean(i, j, composer.opening, True, False)
        total += self.mean(i, j, composer.closing, False, True)
        return total


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("name", ["composer", "composer+spliced"])
def test_chains(name: str, training: bool, world: World) -> None:
    model, stories, words = lively(name, stories_of("described", 4, 3, distractors=1), world)
    model.train(training)
    with torch.inference_mode():
        scores = model(fixed(stories))
        for b in range(3):
            slow = Slow(model, stories, b, words.forms).answer()
            torch.testing.assert_close(scores[b], slow, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("b", range(len(GRAPHS)))
def test_graphs(b: int, world: World) -> None:
    model, stories, words = lively("composer", to_table(GRAPHS), world)
    with torch.inference_mode():
        found = model(fixed(stories))[b]
        torch.testing.assert_close(
            found, Slow(model, stories, b, words.forms).answer(), atol=1e-4, rtol=1e-4
        )


def test_who_is_on_no_way_does_not_matter(world: World) -> None:
    """Branches, a ring behind somebody, people apart, in any order: they change nothing and cost nothing."""
    story = "[A] met [B]. [B] saw [C]. [C] knows [D]."
    asides = [
        "",
        " [E] met [B]. [E] likes [F]. [G] saw [H].",
        " [D] met [E]. [E] likes [F]. [F] saw [D].",
        " [H] saw [G]. [F] likes [B]. [B] met [E]. [F] met [E].",
    ]
    table = to_table([puzzle(story + aside, ("A", "D"), "A,B,C,D,E,F,G,H") for aside in asides])
    model, stories, _ = lively("composer", table, world)
    assert stories.graph.ways.shape == (4, 4, 4)
    with torch.inference_mode():
        alone, *among = model(fixed(stories))
    for scores in among:
        torch.testing.assert_close(scores, alone, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["composer", "epignn"])
def test_who_is_on_no_way_costs_nothing(name: str, world: World) -> None:
    """Also where several sentences tell of a pair: what is read is what stands on the way."""
    told = "[A] met [B]. [B] saw [C]."
    others = "".join(f" [X{i}] met [B]. [X{i}] saw [B]. [X{i}] knows [B]." for i in range(30))
    names = ",".join(f"X{i}" for i in range(30))
    table = to_table([puzzle(told + others, ("A", "C"), f"A,B,C,{names}")] * 9)
    vocabulary = learn_vocabulary([table], world)
    reading = blueprint(name).make(vocabulary).reader(fixed(encode(table, vocabulary)))
    assert reading.ways.edge.shape == (9, 3, 3)
    assert len(reading.edges) <= 9 * 3 * 3


def test_it_learns_to_compose_from_short_stories(world: World) -> None:
    """It answers longer stories than it has seen; its table is that of the world, its heights generations."""
    table = pa.concat_tables([stories_of("sound", k, 600, distractors=0) for k in (1, 2, 3)])
    vocabulary = learn_vocabulary([table], world)
    torch.manual_seed(0)
    model = blueprint("composer").make(vocabulary)
    config = TrainConfig("composer", (1, 2, 3), epochs=15)
    train_model(model, encode(table, vocabulary), config)
    longer = encode(stories_of("sound", 5, 300, seed=9, distractors=0), vocabulary)
    right = answer(model, longer, torch.Generator()).argmax(1) == longer.target
    assert right.float().mean() > 0.85
    learnt = inspect_composer(Run(config, vocabulary, None, {}), model, world)
    assert learnt is not None
    assert all(sentence.read == sentence.relation for sentence in learnt.sentences)
    known = [pair for pair in learnt.compositions if len(pair.possible) == 1]
    assert len(known) > 100
    agree = [pair.answer == pair.possible[0] for pair in known]
    assert sum(agree) > 0.95 * len(known)
    up = 1 if learnt.heights["mother"] > 0 else -1
    height = {relation: up * height for relation, height in learnt.heights.items()}
    for word in ("son", "daughter", "son-in-law", "daughter-in-law"):
        assert height["grandson"] / 1.3 < height[word] < -0.5
    for word in ("wife", "husband", "sister", "brother"):
        assert abs(height[word]) < 0.5
    for word in ("mother", "father", "mother-in-law", "father-in-law"):
        assert 0.5 < height[word] < height["grandmother"] / 1.3


def test_what_has_no_word_among_the_answers_is_outside(world: World) -> None:
    model, _, vocabulary = lively("composer", stories_of("sound", 2, 3), world)
    wider = load_world("kinship-v1")
    learnt = inspect_composer(
        Run(TrainConfig("composer", (2,)), vocabulary, None, {}), model, wider
    )
    assert learnt is not None
    aunts = [c for c in learnt.compositions if (c.first, c.second) == ("mother", "sister")]
    assert [(c.possible, c.outside) for c in aunts] == [((), True)]
