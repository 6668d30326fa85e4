"""The composer that reads windows and takes every route: against brute force, hand-worked cases and laws."""

import copy
import itertools
import math
import random
import re
from dataclasses import replace

import pyarrow as pa
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from kin_models import built, fixed, puzzle, stories_of, train_model
from test_compose import Slow
from torch import Tensor

from clutrr._puzzle import CANNOT_BE_TOLD, Puzzle
from clutrr._table import from_table, to_table
from clutrr._train.config import TrainConfig
from clutrr._train.inspect import inspect_composer
from clutrr._train.loop import answer
from clutrr._train.run import Run
from clutrr.models import Batch, Model, StoryTensors, Vocabulary, blueprint, learn_vocabulary
from clutrr.models.graph import ACROSS, NEXT, OTHERS, runs
from clutrr.models.passages import passage
from clutrr.models.routed import (
    WindowReader,
    find_routes,
    first_stated,
    none_stated,
    or_misread,
)

NAME = "composer+windows"


def lively(table, world):
    """A model in which every piece counts."""
    model, stories, words = built(NAME, table, world)
    with torch.no_grad():
        model.processor.table.normal_(std=1 / 3)
        model.processor.hint.copy_(torch.tensor([1.0, 0.5, -0.5]))
        model.processor.opening.normal_()
        model.processor.closing.normal_()
    return model, stories, words


# Windows


def linked(pairs: set[frozenset[int]], one: int, other: int) -> bool:
    """Whether a chain of pairs leads from one to the other, by spreading out."""
    reached = {one}
    while more := {entity for pair in pairs if pair & reached for entity in pair} - reached:
        reached |= more
    return other in reached


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 6), min_size=1, max_size=3), st.booleans()), max_size=8
    ),
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda asked: asked[0] != asked[1]),
)
def test_which_windows_go_across_sentences(
    sentences: list[tuple[set[int], bool]], asked: tuple[int, int]
):
    """Those of sentences that open with no name, and those that link what nothing else does."""
    named = [people for people, _ in sentences]
    found = runs(named, asked, [opens for _, opens in sentences])
    inside = {frozenset(pair) for pair, begin, end in found if begin == end}
    across = {(frozenset(pair), begin) for pair, begin, end in found if begin < end}
    assert inside == {
        frozenset((a, b)) for people in named for a in people for b in people if a != b
    }
    possible = {
        (frozenset((a, b)), number, opens)
        for number, ((here, _), (there, opens)) in enumerate(itertools.pairwise(sentences))
        for a in here
        for b in there - {a}
        if frozenset((a, b)) not in inside
    }
    meant = {(pair, number) for pair, number, opens in possible if not opens}
    links = inside | {pair for pair, _ in meant}
    others = {(pair, number) for pair, number, _ in possible if not linked(links, *pair)}
    assert across == (meant if linked(links, *asked) else meant | others)


def test_the_windows_of_a_story(world):
    """A sentence that names nobody belongs to the window around it; others are marked as bystanders."""
    story = "[A] likes [tea]. He is glad. His son is [B]. [B] saw [C] and [D]."
    table = to_table([puzzle(story, ("A", "D"), "A,B,C,D")])
    _, stories, words = lively(table, world)
    found = {
        (first, second, apart): stories.graph.window_rows[row].tolist()
        for row, first, second, apart in stories.graph.windows[0].tolist()
        if row
    }
    assert set(found) == {
        (0, 1, ACROSS), (1, 2, NEXT), (2, 3, NEXT), (1, 3, OTHERS)
    }  # fmt: skip
    said = {
        number: word for word, number in zip(words.words, words.numbers(words.words), strict=True)
    }
    said |= {0: "", 2: "(first)", 3: "(second)", 6: "(somebody)"}

    def text(row: list[int]) -> str:
        return " ".join(said[number] for number in row if number)

    assert (
        text(found[0, 1, ACROSS]) == "(first) likes (somebody) . he is glad . his son is (second) ."
    )
    assert text(found[1, 3, OTHERS]) == "(first) saw (somebody) and (second) ."


@pytest.mark.parametrize("noise", [0, 2])
@pytest.mark.parametrize("k", [3, 6])
def test_prose_tells_every_fact_in_some_window(k, noise, world):
    """By the generator's record: the sentence that states a fact is in a window on its two people."""
    table = stories_of(
        "sound", k, 60, style="prose", supporting=noise, irrelevant=noise, disconnected=noise
    )
    stories = blueprint(NAME).encode(table, learn_vocabulary([table], world))
    across = 0
    for b, one in enumerate(from_table(table)):
        people = {entity.name for entity in one.entities}
        order = [name for name in passage(one.story, one.query).names if name in people]
        pairs = {
            frozenset(pair): apart for row, *pair, apart in stories.graph.windows[b].tolist() if row
        }
        for fact in one.facts:
            pair = frozenset((order.index(fact.head), order.index(fact.tail)))
            assert pair in pairs
            across += pairs[pair] == ACROSS
    assert across > 5  # pronouns do stand for people


# Routes


@pytest.mark.parametrize("seed", range(20))
def test_routes_by_brute_force(seed: int):
    people, most = 5, 6
    rng = torch.Generator().manual_seed(seed)
    told = torch.rand(1, people, people, generator=rng).log()
    told = torch.where(torch.rand(1, people, people, generator=rng) < 0.3, -1e9, told)
    every = {}
    for count in range(people - 1):
        for between in itertools.permutations([0, 2, 4], count):
            route = (1, *between, 3)
            weight = sum(told[0, a, b].item() for a, b in itertools.pairwise(route))
            if weight > -1e8:
                every[route] = weight
    best = sorted(every, key=lambda route: -every[route])
    found = find_routes(told, torch.tensor([[1, 3]]), 64)[0].tolist()
    assert [tuple(p for p in route if p >= 0) for route in found if route[-1] >= 0] == best
    few = find_routes(told, torch.tensor([[1, 3]]), most)[0].tolist()
    kept = [tuple(p for p in route if p >= 0) for route in few if route[-1] >= 0]
    assert set(kept) <= set(best)
    assert len(kept) <= most


@given(st.lists(st.tuples(st.floats(0.001, 0.98), st.integers(1, 5)), min_size=1, max_size=8))
def test_some_route_is_the_first_unless_none_is_told(routes: list[tuple[float, int]]):
    told = torch.tensor([sorted((share for share, _ in routes), reverse=True)], dtype=torch.float64)
    length = torch.tensor([[steps for _, steps in routes]])
    first = first_stated(told.log(), length).exp()
    assert first.sum().item() == pytest.approx(1 - (1 - told).prod().item())
    assert first.sum().item() == pytest.approx(1 - none_stated(told.log()).exp().item())


class SlowRoute(Slow):
    """What one route amounts to, by the equations of the composer."""

    def __init__(
        self,
        model: Model,
        says: dict[tuple[int, int], Tensor],
        route: tuple[int, ...],
        words: Vocabulary,
    ):
        self.composer, self.forms = model.processor, words.forms
        self.training, self.even = False, True
        self.says = {step: says[step] for step in itertools.pairwise(route)}
        self.volt = {entity: place for place, entity in enumerate(route)}
        self.first, self.second = route[0], route[-1]
        self.table = torch.softmax(9.0 * model.processor.table, -1)


GRAPHS = [
    # Two routes from A to D, one longer; somebody on no route; two sentences on a pair.
    puzzle("[A] met [B]. [B] knows [D]. [A] saw [C]. [C] saw [E]. [E] met [D]. [B] met [A]. [E] saw [F].",
           ("A", "D"), "A,B,C,D,E,F"),
    puzzle("[A] met [B]. [B] saw [C].", ("C", "A"), "A,B,C"),
    puzzle("[A] met [B]. He knows [C]. [C], [D] and [A] met.", ("B", "D"), "A,B,C,D"),
    puzzle("[A] met [B].", ("A", "C"), "A,B,C"),  # nothing about the second
]  # fmt: skip


@pytest.mark.parametrize("undetermined", [False, True])
@pytest.mark.parametrize("b", range(len(GRAPHS)))
def test_the_answer_is_that_of_all_routes(b, undetermined, world):
    """The equations of `RoutedCompose`, one window, pair and route at a time."""
    graphs = [*GRAPHS, *([replace(GRAPHS[0], target=CANNOT_BE_TOLD)] if undetermined else [])]
    model, stories, words = lively(to_table(graphs), world)
    composer = model.processor
    composer.routes = 100
    with torch.inference_mode():
        found = model(fixed(stories))[b]
        says, told = slowly_read(model, stories, b)
        first, second = stories.query[b].tolist()
        others = [
            entity for entity in range(int(stories.graph.nodes[b])) if entity not in (first, second)
        ]
        routes = {
            (first, *between, second): 0.0
            for count in range(len(others) + 1)
            for between in itertools.permutations(others, count)
            if all(step in told for step in itertools.pairwise((first, *between, second)))
        }
        if not routes and not undetermined:
            assert found.tolist() == [0.0] * len(found)
            return
        total, mixed, none_before = 0.0, torch.zeros(len(found)), 1.0
        if undetermined:
            total = math.prod(
                1 - math.prod(told[step] for step in itertools.pairwise(route)) for route in routes
            )
            mixed[words.relations.index(CANNOT_BE_TOLD)] = total
        for route in routes:
            routes[route] = sum(math.log(told[step] * 0.98) for step in itertools.pairwise(route))
        for route in sorted(routes, key=lambda route: (len(route), -routes[route])):
            counts = math.exp(routes[route]) * none_before
            none_before *= 1 - math.exp(routes[route])
            total += counts
            mixed += counts * SlowRoute(model, says, route, words).answer().softmax(0)
        torch.testing.assert_close(found.exp(), mixed / total, atol=1e-4, rtol=1e-3)


def slowly_read(
    model: Model, stories: StoryTensors, b: int
) -> tuple[dict[tuple[int, int], Tensor], dict[tuple[int, int], float]]:
    """For each pair that windows are about what they say, in logarithms, and how likely they say anything."""
    composer = model.processor
    said: dict[tuple[int, int], list[tuple[float, Tensor]]] = {}
    read = []
    for row, first, second, apart in stories.graph.windows[b].tolist():
        if row:
            words = stories.graph.window_rows[row][stories.graph.window_rows[row] > 0]
            edges, tells, _ = model.reader.read(words[None])
            read.append(
                (first, second, edges, torch.sigmoid(tells[0] + composer.hint[apart]).item())
            )
    if read:
        surest = max(sure for *_, sure in read)
        for first, second, edges, sure in read:
            something = min(sure / surest, 1 - 1e-6)
            for pair, edge in zip(((first, second), (second, first)), edges[0], strict=True):
                said.setdefault(pair, []).append((something, composer.name(edge).exp()))
    says, told = {}, {}
    for pair, windows in said.items():
        mixed = torch.stack([something * named for something, named in windows]).sum(0)
        says[pair] = (mixed / mixed.sum()).log()
        told[pair] = 1 - math.prod(1 - something for something, _ in windows)
    return says, told


def test_what_is_added_to_the_loss(world):
    """One window at a time: the cost of being sure, and of what the context adds; and that of the hints."""
    model, stories, _ = lively(to_table(GRAPHS), world)
    composer, rows = model.processor, stories.graph.window_rows
    costs = []
    with torch.inference_mode():
        for row in stories.graph.windows[..., 0].flatten().tolist():
            if row:
                words = rows[row, rows[row] > 0]
                edges, tells, _ = model.reader.read(words[None])
                around = (edges[0] - without_context(model.reader, words)).square().sum(1).mean()
                costs.append(0.001 * tells[0].square() + 0.01 * around)
        hints = 1e-4 * ((1.0 - 4.0) ** 2 + (0.5 + 3.0) ** 2 + (-0.5 + 1.0) ** 2)
        model.train()
        batch = fixed(stories)
        found = composer(model.reader(batch), batch).extra_loss - composer.regularizer(batch)
        torch.testing.assert_close(found, torch.stack(costs).mean() + hints, atol=1e-5, rtol=1e-4)


def without_context(reader: WindowReader, words: Tensor) -> Tensor:  # [2, embedding]
    """What the reader makes of a window if its context adds nothing."""
    alone = copy.deepcopy(reader)
    for layer in (alone.context, alone.back):
        for weight in layer.parameters():
            weight.zero_()
    return alone.read(words[None])[0][0]


def test_a_story_that_may_be_misread_teaches_little():
    """By hand, the middle one of three answers being right: nothing is learnt where it is absurd."""
    scores = torch.tensor([[0.0, -30.0, 0.0], [1.0, 0.0, 0.0]], requires_grad=True)
    found = or_misread(scores)
    shares = scores.detach().softmax(-1)
    torch.testing.assert_close(found.exp().detach(), 0.99 * shares + 0.01 / 3)
    (-found[:, 1]).sum().backward()
    assert scores.grad is not None
    assert scores.grad[0].abs().max() < 1e-6
    torch.testing.assert_close(
        scores.grad[1], shares[1] - torch.tensor([0.0, 1.0, 0.0]), atol=0.02, rtol=0
    )


def test_fewer_shapes_the_same_answers(world, monkeypatch):
    """Padding, and routes that do not count, are left out where that pays: it changes no answer."""
    table = stories_of("sound", 3, 40, style="prose")
    model, stories, _ = lively(table, world)
    with torch.inference_mode():
        tight = model(fixed(stories))
        monkeypatch.setattr(Batch, "static", True)
        torch.testing.assert_close(model(fixed(stories)), tight, atol=1e-3, rtol=1e-3)


EDGES = [
    (puzzle("[A] is [B]'s son.", ("B", "A"), "A,B"), True),  # one sentence
    (puzzle("[A] is [B]'s son. [A] is [B]'s son.", ("B", "A"), "A,B"), True),  # twice
    (puzzle("[A] slept. [B] slept.", ("A", "B"), "A,B"), True),  # never together
    (puzzle("[A] slept.", ("A", "B"), "A,B"), False),  # one of the two is not named
    (puzzle("[A] is [B]'s son.", ("C", "D"), "A,B,C,D"), False),  # nor is the other
    (puzzle("[A] met [B]. [B] met [A].", ("A", "A"), "A,B"), False),  # somebody and themselves
]


@pytest.mark.parametrize("preset", ["sound", "mixed"])
@pytest.mark.parametrize(("one", "linked"), EDGES)
def test_a_story_alone_in_its_batch(one, linked, preset, world):
    """It is learnt from and answered. If nothing links the two, the answer cannot be told, whatever the
    weights are, or all answers are equally likely where training had no such answer."""
    words = learn_vocabulary([stories_of(preset, 2, 20), to_table([one])], world)
    model = blueprint(NAME).make(words)
    batch = fixed(blueprint(NAME).encode(to_table([one]), words))
    loss, _ = model.train().learn(batch)
    loss.backward()
    assert loss.isfinite()
    assert all(
        weight.grad.isfinite().all() for weight in model.parameters() if weight.grad is not None
    )
    with torch.inference_mode():
        share = model.eval()(batch).softmax(-1)[0]
    assert share.isfinite().all()
    if preset == "sound":
        assert (share.max() > 1.01 * share.min()) == linked
    elif not linked:
        assert share[words.relations.index(CANNOT_BE_TOLD)] > 0.99


# What is learnt


def chatty(puzzles: list[Puzzle], rng: random.Random) -> pa.Table:
    """The same stories with a sentence that names two people and tells nothing: often the two in question."""
    told = []
    for one in puzzles:
        names = [entity.name for entity in one.entities if f"[{entity.name}]" in one.story]
        pair = one.query if rng.random() < 0.5 else tuple(rng.sample(names, 2))
        sentences = one.story.split(". ")
        sentences.insert(
            rng.randrange(len(sentences)), f"[{pair[0]}] met [{pair[1]}] at the bus stop"
        )
        told.append(replace(one, story=". ".join(sentences), sentences=()))
    return to_table(told)


def trained(table, world, batch: int):
    words = learn_vocabulary([table], world)
    torch.manual_seed(0)
    model = blueprint(NAME).make(words)
    lengths = tuple(table["k"].unique().to_pylist())
    config = TrainConfig(NAME, lengths, batch=batch, learning_rate=0.005, epochs=8)
    train_model(model, blueprint(NAME).encode(table, words), config)
    return model, words


@pytest.fixture(scope="module")
def chatting(world):
    """Trained on stories in which one sentence tells nothing."""
    puzzles = list(from_table(stories_of("strict", 2, 400, distractors=0)))
    return trained(chatty(puzzles, random.Random(0)), world, batch=25)


def test_a_sentence_may_tell_nothing(chatting):
    """A new sentence that names two people and tells nothing changes no answer, and most are right."""
    model, words = chatting
    puzzles = list(from_table(stories_of("strict", 2, 200, seed=9, distractors=0)))
    answers = []
    for table in (to_table(puzzles), chatty(puzzles, random.Random(1))):
        stories = blueprint(NAME).encode(table, words)
        answers.append(answer(model, stories, torch.Generator()).argmax(1))
    assert (answers[0] == stories.target).float().mean() > 0.9
    assert (answers[0] == answers[1]).float().mean() > 0.97


def test_which_windows_tell_something(chatting):
    model, words = chatting
    composer = model.processor
    story = "[A] met [C] at the bus stop. [B] is [A]'s son. The wife of [B] is [C]."
    stories = blueprint(NAME).encode(to_table([puzzle(story, ("A", "C"), "A,B,C")]), words)
    batch = fixed(stories)
    with torch.inference_mode():
        _, told = composer.pairs(model.reader(batch), batch)
    a, c, b = told[0].exp()[[0, 0, 1], [2, 1, 2]].tolist()  # A and B, A and C, C and B
    assert c < 0.1 < min(a, b)


@pytest.fixture(scope="module")
def with_noise(world):
    """Trained on stories in which supporting facts make longer routes."""
    tables = [stories_of("sound", k, 400, distractors=0, supporting=2) for k in (2, 3)]
    return trained(pa.concat_tables(tables), world, batch=40)


def test_longer_routes_make_no_window_unsure(with_noise):
    """Every sentence states a fact and is read as such, though some routes tell no answer by themselves."""
    model, words = with_noise
    composer = model.processor
    stories = blueprint(NAME).encode(
        stories_of("sound", 6, 50, seed=9, distractors=0, supporting=2), words
    )
    batch = fixed(stories)
    with torch.inference_mode():
        sure = torch.sigmoid(model.reader(batch).tells + composer.hint[NEXT])
    row, apart = stories.graph.windows[..., 0], stories.graph.windows[..., 3]
    assert sure[row[(row > 0) & (apart == NEXT)]].min() > 0.9
    assert (apart == ACROSS).any()  # since some sentences open with "The"
    assert (
        torch.sigmoid(model.reader(batch).tells + composer.hint[ACROSS])[row[apart == ACROSS]].max()
        < 0.1
    )


def test_hints_settle_where_stories_say_nothing_of_them(with_noise):
    """There, nobody is named between two others: such windows come to be taken for silent. Neighbouring
    sentences say that they tell nothing of two."""
    near, between, across = with_noise[0].processor.hint.tolist()
    assert near > 3
    assert between < -0.5
    assert across < -1.2


def test_a_new_wording_is_read_by_its_word(with_noise, world):
    """Every wording with another relation's word in it, though training had it with its own word only."""
    model, words = with_noise
    told, wanted = [], []
    for relation, templates in world.lexicon.templates.items():
        for template in templates:
            text = template.fill({"a": "A", "b": "B"})
            for number, other in enumerate(words.relations):
                told.append(puzzle(re.sub(rf"\b{relation}\b(?!-)", other, text), ("A", "B"), "A,B"))
                wanted.append(number)
    batch = fixed(blueprint(NAME).encode(to_table(told), words))
    with torch.inference_mode():
        read = model(batch).argmax(1)
    assert (read == torch.tensor(wanted)).float().mean() > 0.99


def test_long_stories_with_noise(with_noise):
    model, words = with_noise
    stories = blueprint(NAME).encode(
        stories_of("sound", 6, 200, seed=9, distractors=0, supporting=2), words
    )
    found = answer(model, stories, torch.Generator()).argmax(1)
    assert (found == stories.target).float().mean() > 0.8


def test_two_whom_nothing_links(world):
    """Of somebody in another family the story tells nothing, and that is what it answers."""
    noise = {"disconnected": 2, "distractors": 0}
    model, words = trained(stories_of("mixed", 2, 300, **noise), world, batch=30)
    puzzles = list(from_table(stories_of("mixed", 2, 100, seed=9, **noise)))
    apart = [
        replace(one, query=(one.query[0], one.facts[-1].head), target=CANNOT_BE_TOLD)
        for one in puzzles
    ]
    assert {one.roles[-1] for one in apart} == {"disconnected"}
    for table in (to_table(puzzles), to_table(apart)):
        stories = blueprint(NAME).encode(table, words)
        found = answer(model, stories, torch.Generator()).argmax(1)
        assert (found == stories.target).float().mean() > 0.9


def test_what_it_learnt_is_shown(chatting, world):
    model, words = chatting
    run = Run(TrainConfig(NAME, (2,)), words, {}, {}, device="cpu")
    learnt = inspect_composer(run, model, world)
    assert learnt is not None
    read = [one.read == one.relation for one in learnt.sentences]
    assert sum(read) > 0.9 * len(read)
