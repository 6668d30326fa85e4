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
from kin_models import fixed, puzzle, stories_of, train_model
from test_compose import Slow
from torch import Tensor

from clutrr.experiment.config import TrainConfig
from clutrr.experiment.learnt import what_it_learnt
from clutrr.experiment.loop import answer
from clutrr.experiment.run import Run
from clutrr.models import Batch, Model, Stories, Vocabulary, blueprint, learn_vocabulary
from clutrr.models.routed import RoutedCompose, find_routes, first_stated, none_stated, or_misread
from clutrr.models.text.passage import passage
from clutrr.models.window_reader import WindowReader
from clutrr.models.windows import ACROSS, NEXT, OTHERS, runs
from clutrr.puzzle import CANNOT_BE_TOLD, Puzzle, from_table, to_table
from clutrr.world import World

NAME = "composer+windows"


def built(table: pa.Table, world: World) -> tuple[Model, Stories, Vocabulary]:
    vocabulary = learn_vocabulary([table], world)
    torch.manual_seed(1)
    model = blueprint(NAME).make(vocabulary).eval()
    assert isinstance(model.processor, RoutedCompose)
    with torch.no_grad():  # so that every piece counts
        model.processor.table.normal_(std=1 / 3)
        model.processor.hint.copy_(torch.tensor([1.0, 0.5, -0.5]))
        model.processor.opening.normal_()
        model.processor.closing.normal_()
    return model, blueprint(NAME).encode(table, vocabulary), vocabulary


# Windows


def test_where_a_story_may_tell_of_each_pair() -> None:
    named = [{0, 1}, {1}, {2}, {4}, {2, 3, 5}]
    opens = [True] * 5
    inside = [((0, 1), 0, 0), ((2, 3), 4, 4), ((2, 5), 4, 4), ((3, 5), 4, 4)]
    assert sorted(runs(named, (0, 1), opens)) == inside  # a sentence links the two: no need to guess
    assert sorted(runs(named, (2, 3), opens)) == inside
    across = [((1, 2), 1, 2), ((2, 4), 2, 3), ((2, 4), 3, 4), ((3, 4), 3, 4), ((4, 5), 3, 4)]
    for asked in ((0, 3), (1, 4), (5, 1), (0, 9)):  # nothing links them, or nothing is said of one of them
        assert sorted(runs(named, asked, opens)) == sorted(inside + across)


def test_neighbours_whom_a_chain_of_sentences_links_need_no_window() -> None:
    """0 and 2 stand in neighbouring sentences, but both are linked to 1."""
    named = [{0}, {2}, {0, 1}, {1, 2}, {3}]
    found = [((0, 1), 2, 2), ((1, 2), 3, 3), ((1, 3), 3, 4), ((2, 3), 3, 4)]
    assert sorted(runs(named, (0, 3), [True] * 5)) == found


def test_a_sentence_that_opens_with_no_name_may_go_on_about_somebody() -> None:
    """As in "[0] is [1]'s son. She took her husband [2] to the theater." Of 1 and 3 a sentence tells."""
    named = [{0, 1}, {2, 3}, {1, 3}]
    inside = [((0, 1), 0, 0), ((1, 3), 2, 2), ((2, 3), 1, 1)]
    assert sorted(runs(named, (0, 3), [True, True, True])) == inside
    goes_on = [((0, 2), 0, 1), ((0, 3), 0, 1), ((1, 2), 0, 1)]
    assert sorted(runs(named, (0, 3), [True, False, True])) == sorted(inside + goes_on)
    assert sorted(runs(named, (0, 3), [False, True, False])) == sorted([*inside, ((1, 2), 1, 2)])


def linked(pairs: set[frozenset[int]], one: int, other: int) -> bool:
    """Whether a chain of pairs leads from one to the other, by spreading out."""
    reached = {one}
    while more := {person for pair in pairs if pair & reached for person in pair} - reached:
        reached |= more
    return other in reached


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 6), min_size=1, max_size=3), st.booleans()), max_size=8),
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda asked: asked[0] != asked[1]),
)
def test_which_windows_go_across_sentences(
    sentences: list[tuple[set[int], bool]], asked: tuple[int, int]
) -> None:
    """Those of sentences that open with no name, and those that link what nothing else does."""
    named = [people for people, _ in sentences]
    found = runs(named, asked, [opens for _, opens in sentences])
    inside = {frozenset(pair) for pair, begin, end in found if begin == end}
    across = {(frozenset(pair), begin) for pair, begin, end in found if begin < end}
    assert inside == {frozenset((a, b)) for people in named for a in people for b in people if a != b}
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


def test_the_windows_of_a_story(world: World) -> None:
    """A sentence that names nobody belongs to the window around it; others are marked as bystanders."""
    story = "[A] likes [tea]. He is glad. His son is [B]. [B] saw [C] and [D]."
    table = to_table([puzzle(story, ("A", "D"), "A,B,C,D")])
    _, stories, words = built(table, world)
    found = {
        (first, second, apart): stories.windows.rows[row].tolist()
        for row, first, second, apart in stories.windows.of[0].tolist()
        if row
    }
    assert set(found) == {
        (0, 1, ACROSS), (1, 2, NEXT), (2, 3, NEXT), (1, 3, OTHERS)
    }  # fmt: skip
    said = {
        number: word for word, number in zip(words.words, words.numbers(words.words).tolist(), strict=True)
    }
    said |= {0: "", 2: "(first)", 3: "(second)", 6: "(somebody)"}

    def text(row: list[int]) -> str:
        return " ".join(said[number] for number in row if number)

    assert text(found[0, 1, ACROSS]) == "(first) likes (somebody) . he is glad . his son is (second) ."
    assert text(found[1, 3, OTHERS]) == "(first) saw (somebody) and (second) ."


@pytest.mark.parametrize("noise", [0, 2])
@pytest.mark.parametrize("k", [3, 6])
def test_prose_tells_every_fact_in_some_window(k: int, noise: int, world: World) -> None:
    """By the generator's record: the sentence that states a fact is in a window on its two people."""
    table = stories_of("sound", k, 60, style="prose", supporting=noise, irrelevant=noise, disconnected=noise)
    stories = blueprint(NAME).encode(table, learn_vocabulary([table], world))
    across = 0
    for b, one in enumerate(from_table(table)):
        people = {person.name for person in one.entities}
        order = [name for name in passage(one.story, one.query).names if name in people]
        pairs = {frozenset(pair): apart for row, *pair, apart in stories.windows.of[b].tolist() if row}
        for fact in one.facts:
            pair = frozenset((order.index(fact.head), order.index(fact.tail)))
            assert pair in pairs
            across += pairs[pair] == ACROSS
    assert across > 5  # pronouns do stand for people


# Routes


@pytest.mark.parametrize("seed", range(20))
def test_routes_by_brute_force(seed: int) -> None:
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


def test_the_shortest_route_that_is_told_comes_first() -> None:
    """By hand: of routes of two, one and three steps, and of no route."""
    told = torch.tensor([[0.9, 0.5, 0.8, 0.0], [0.9, 0.0, 0.8, 0.0]]).log().clamp(min=-1e9)
    length = torch.tensor([[2, 1, 3, 0], [2, 0, 2, 0]])
    wanted = torch.tensor([[0.9 * 0.5, 0.5, 0.8 * 0.5 * 0.1, 0.0], [0.9, 0.0, 0.8 * 0.1, 0.0]])
    torch.testing.assert_close(first_stated(told, length).exp(), wanted)


def test_how_likely_none_is_told() -> None:
    """By hand: of two routes, of one that is sure, and of no route."""
    told = torch.tensor([[0.9, 0.5], [1.0, 0.5], [0.0, 0.0]]).log().clamp(min=-1e9)
    torch.testing.assert_close(none_stated(told).exp(), torch.tensor([0.05, 5e-7, 1.0]), atol=1e-6, rtol=1e-3)


@given(st.lists(st.tuples(st.floats(0.001, 0.98), st.integers(1, 5)), min_size=1, max_size=8))
def test_some_route_is_the_first_unless_none_is_told(routes: list[tuple[float, int]]) -> None:
    told = torch.tensor([sorted((share for share, _ in routes), reverse=True)], dtype=torch.float64)
    length = torch.tensor([[steps for _, steps in routes]])
    first = first_stated(told.log(), length).exp()
    assert first.sum().item() == pytest.approx(1 - (1 - told).prod().item())
    assert first.sum().item() == pytest.approx(1 - none_stated(told.log()).exp().item())


class SlowRoute(Slow):
    """What one route amounts to, by the equations of the composer."""

    def __init__(
        self, model: Model, says: dict[tuple[int, int], Tensor], route: tuple[int, ...], words: Vocabulary
    ):
        assert isinstance(model.processor, RoutedCompose)
        self.composer, self.forms = model.processor, words.forms
        self.training, self.even = False, True
        self.says = {step: says[step] for step in itertools.pairwise(route)}
        self.volt = {person: place for place, person in enumerate(route)}
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
def test_the_answer_is_that_of_all_routes(b: int, undetermined: bool, world: World) -> None:
    """The equations of `RoutedCompose`, one window, pair and route at a time."""
    graphs = [*GRAPHS, *([replace(GRAPHS[0], target=CANNOT_BE_TOLD)] if undetermined else [])]
    model, stories, words = built(to_table(graphs), world)
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    composer.routes = 100
    with torch.inference_mode():
        found = model(fixed(stories))[b]
        says, told = slowly_read(model, stories, b)
        first, second = stories.query[b].tolist()
        others = [person for person in range(int(stories.graph.nodes[b])) if person not in (first, second)]
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
    model: Model, stories: Stories, b: int
) -> tuple[dict[tuple[int, int], Tensor], dict[tuple[int, int], float]]:
    """For each pair that windows are about what they say, in logarithms, and how likely they say anything."""
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    assert isinstance(model.reader, WindowReader)
    said: dict[tuple[int, int], list[tuple[float, Tensor]]] = {}
    read = []
    for row, first, second, apart in stories.windows.of[b].tolist():
        if row:
            words = stories.windows.rows[row][stories.windows.rows[row] > 0]
            edges, tells, _ = model.reader.read(words[None])
            read.append((first, second, edges, torch.sigmoid(tells[0] + composer.hint[apart]).item()))
    if read:
        surest = max(sure for *_, sure in read)
        for first, second, edges, sure in read:
            something = min(sure / surest, 1 - 1e-6)
            for pair, edge in zip(((first, second), (second, first)), edges[0], strict=True):
                said.setdefault(pair, []).append((something, composer.named(edge).exp()))
    says, told = {}, {}
    for pair, windows in said.items():
        mixed = torch.stack([something * named for something, named in windows]).sum(0)
        says[pair] = (mixed / mixed.sum()).log()
        told[pair] = 1 - math.prod(1 - something for something, _ in windows)
    return says, told


def test_what_is_added_to_the_loss(world: World) -> None:
    """One window at a time: the cost of being sure, and of what the context adds; and that of the hints."""
    model, stories, _ = built(to_table(GRAPHS), world)
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    assert isinstance(model.reader, WindowReader)
    costs = []
    with torch.inference_mode():
        for row in stories.windows.of[..., 0].flatten().tolist():
            if row:
                edges, tells, _ = model.reader.read(
                    stories.windows.rows[None, row, stories.windows.rows[row] > 0]
                )
                words = without_context(
                    model.reader, stories.windows.rows[row, stories.windows.rows[row] > 0]
                )
                around = (edges[0] - words).square().sum(1).mean()
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


def test_a_story_that_may_be_misread_teaches_little() -> None:
    """By hand, the middle one of three answers being right: nothing is learnt where it is absurd."""
    scores = torch.tensor([[0.0, -30.0, 0.0], [1.0, 0.0, 0.0]], requires_grad=True)
    found = or_misread(scores)
    shares = scores.detach().softmax(-1)
    torch.testing.assert_close(found.exp().detach(), 0.99 * shares + 0.01 / 3)
    (-found[:, 1]).sum().backward()
    assert scores.grad is not None
    assert scores.grad[0].abs().max() < 1e-6
    torch.testing.assert_close(scores.grad[1], shares[1] - torch.tensor([0.0, 1.0, 0.0]), atol=0.02, rtol=0)


def test_a_longer_route_counts_too(world: World) -> None:
    """What is said on a detour changes the answer, though a shorter route is there."""
    two = "[A] met [B]. [B] knows [D]. [A] saw [C]. [C] saw [E]. [E] {} [D]."
    table = to_table([puzzle(two.format(word), ("A", "D"), "A,B,C,D,E") for word in ("met", "likes")])
    model, stories, _ = built(table, world)
    with torch.inference_mode():
        one, other = model(fixed(stories)).softmax(-1)
    assert (one - other).abs().max() > 1e-3


def test_fewer_shapes_the_same_answers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Padding, and routes that do not count, are left out where that pays: it changes no answer."""
    table = stories_of("sound", 3, 40, style="prose")
    model, stories, _ = built(table, world)
    with torch.inference_mode():
        tight = model(fixed(stories))
        monkeypatch.setattr(Batch, "static", True)
        torch.testing.assert_close(model(fixed(stories)), tight, atol=1e-3, rtol=1e-3)


def test_a_story_is_answered_as_it_is_alone(world: World) -> None:
    """Whatever else is in the batch, longer stories with more people among it."""
    tables = [stories_of("sound", k, 5, style="prose") for k in (2, 6)]
    model, together, words = built(pa.concat_tables(tables), world)
    alone = blueprint(NAME).encode(tables[0], words)
    with torch.inference_mode():
        torch.testing.assert_close(model(fixed(together))[:5], model(fixed(alone)), atol=1e-4, rtol=1e-4)


EDGES = [
    (puzzle("[A] is [B]'s son.", ("B", "A"), "A,B"), True),  # one sentence
    (puzzle("[A] is [B]'s son. [A] is [B]'s son.", ("B", "A"), "A,B"), True),  # twice
    (puzzle("[A] slept. [B] slept.", ("A", "B"), "A,B"), True),  # never together
    (puzzle("[A] slept.", ("A", "B"), "A,B"), False),  # one of the two is not named
    (puzzle("[A] is [B]'s son.", ("C", "D"), "A,B,C,D"), False),  # nor is the other
    (puzzle("[A] met [B]. [B] met [A].", ("A", "A"), "A,B"), False),  # somebody and themselves
]


@pytest.mark.parametrize(("one", "linked"), EDGES)
def test_a_story_alone_in_its_batch(one: Puzzle, linked: bool, world: World) -> None:
    """It is learnt from and answered; if nothing links the two, all answers are equally likely."""
    words = learn_vocabulary([stories_of("sound", 2, 20), to_table([one])], world)
    model = blueprint(NAME).make(words)
    batch = fixed(blueprint(NAME).encode(to_table([one]), words))
    loss, _ = model.train().learn(batch)
    loss.backward()
    assert loss.isfinite()
    assert all(weight.grad.isfinite().all() for weight in model.parameters() if weight.grad is not None)
    with torch.inference_mode():
        share = model.eval()(batch).softmax(-1)[0]
    assert share.isfinite().all()
    assert (share.max() > 1.01 * share.min()) == linked


@pytest.mark.parametrize("one", [one for one, linked in EDGES if not linked])
def test_without_a_route_the_answer_cannot_be_told(one: Puzzle, world: World) -> None:
    """If that is an answer that training had; whatever the weights are."""
    words = learn_vocabulary([stories_of("mixed", 2, 20), to_table([one])], world)
    model = blueprint(NAME).make(words)
    batch = fixed(blueprint(NAME).encode(to_table([one]), words))
    loss, _ = model.train().learn(batch)
    loss.backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters() if weight.grad is not None)
    with torch.inference_mode():
        share = model.eval()(batch).softmax(-1)[0]
    assert words.relations[int(share.argmax())] == CANNOT_BE_TOLD
    assert share.max() > 0.99


def test_a_crowd_in_which_all_know_all_has_few_routes() -> None:
    """Ten people have 109,601 routes between two of them; the search stays small, and best comes first."""
    told = torch.full((1, 10, 10), math.log(0.5))
    found = find_routes(told, torch.tensor([[0, 9]]), 8)
    assert found.shape == (1, 8, 10)
    steps = (found >= 0).sum(-1)[0] - 1
    assert steps.tolist() == [1, *[2] * 7]
    assert len(set(map(tuple, found[0].tolist()))) == 8


# What is learnt


def chatty(puzzles: list[Puzzle], rng: random.Random) -> pa.Table:
    """The same stories with a sentence that names two people and tells nothing: often the two in question."""
    told = []
    for one in puzzles:
        names = [person.name for person in one.entities if f"[{person.name}]" in one.story]
        pair = one.query if rng.random() < 0.5 else tuple(rng.sample(names, 2))
        sentences = one.story.split(". ")
        sentences.insert(rng.randrange(len(sentences)), f"[{pair[0]}] met [{pair[1]}] at the bus stop")
        told.append(
            Puzzle(one.id, ". ".join(sentences), one.abstract, one.query, one.target, one.k, one.pattern,
                   one.facts, one.entities, one.scene)
        )  # fmt: skip
    return to_table(told)


def trained(table: pa.Table, world: World, batch: int) -> tuple[Model, Vocabulary]:
    words = learn_vocabulary([table], world)
    torch.manual_seed(0)
    model = blueprint(NAME).make(words)
    lengths = tuple(table["k"].unique().to_pylist())
    config = TrainConfig(NAME, lengths, batch=batch, learning_rate=0.005, epochs=8)
    train_model(model, blueprint(NAME).encode(table, words), config)
    return model, words


@pytest.fixture(scope="module")
def chatting(world: World) -> tuple[Model, Vocabulary]:
    """Trained on stories in which one sentence tells nothing."""
    puzzles = list(from_table(stories_of("strict", 2, 400, distractors=0)))
    return trained(chatty(puzzles, random.Random(0)), world, batch=25)


def test_a_sentence_may_tell_nothing(chatting: tuple[Model, Vocabulary]) -> None:
    """A new sentence that names two people and tells nothing changes no answer, and most are right."""
    model, words = chatting
    puzzles = list(from_table(stories_of("strict", 2, 200, seed=9, distractors=0)))
    answers = []
    for table in (to_table(puzzles), chatty(puzzles, random.Random(1))):
        stories = blueprint(NAME).encode(table, words)
        answers.append(answer(model, stories, torch.Generator()).argmax(1))
    assert (answers[0] == stories.target).float().mean() > 0.9
    assert (answers[0] == answers[1]).float().mean() > 0.97


def test_which_windows_tell_something(chatting: tuple[Model, Vocabulary]) -> None:
    model, words = chatting
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    story = "[A] met [C] at the bus stop. [B] is [A]'s son. The wife of [B] is [C]."
    stories = blueprint(NAME).encode(to_table([puzzle(story, ("A", "C"), "A,B,C")]), words)
    batch = fixed(stories)
    with torch.inference_mode():
        _, told = composer.pairs(model.reader(batch), batch)
    a, c, b = told[0].exp()[[0, 0, 1], [2, 1, 2]].tolist()  # A and B, A and C, C and B
    assert c < 0.1 < min(a, b)


@pytest.fixture(scope="module")
def with_noise(world: World) -> tuple[Model, Vocabulary]:
    """Trained on stories in which supporting facts make longer routes."""
    tables = [stories_of("sound", k, 400, distractors=0, supporting=2) for k in (2, 3)]
    return trained(pa.concat_tables(tables), world, batch=40)


def test_longer_routes_make_no_window_unsure(with_noise: tuple[Model, Vocabulary]) -> None:
    """Every sentence states a fact and is read as such, though some routes tell no answer by themselves."""
    model, words = with_noise
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    stories = blueprint(NAME).encode(stories_of("sound", 6, 50, seed=9, distractors=0, supporting=2), words)
    batch = fixed(stories)
    with torch.inference_mode():
        sure = torch.sigmoid(model.reader(batch).tells + composer.hint[NEXT])
    row, apart = stories.windows.of[..., 0], stories.windows.of[..., 3]
    assert sure[row[(row > 0) & (apart == NEXT)]].min() > 0.9
    assert (apart == ACROSS).any()  # since some sentences open with "The"
    assert torch.sigmoid(model.reader(batch).tells + composer.hint[ACROSS])[row[apart == ACROSS]].max() < 0.1


def test_hints_settle_where_stories_say_nothing_of_them(with_noise: tuple[Model, Vocabulary]) -> None:
    """There, nobody stands between two people in a sentence: such windows come to be taken for silent.
    Neighbouring sentences say that they tell nothing of two people."""
    model, _ = with_noise
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    hint = composer.hint.tolist()
    assert hint[NEXT] > 3
    assert hint[OTHERS] < -0.5
    assert hint[ACROSS] < -1.2


def test_a_new_wording_is_read_by_its_word(with_noise: tuple[Model, Vocabulary], world: World) -> None:
    """Every wording with another relation's word in it, though training had it with its own word only."""
    model, words = with_noise
    composer = model.processor
    assert isinstance(composer, RoutedCompose)
    told, wanted = [], []
    for relation, templates in world.templates.items():
        for template in templates:
            text = template.fill({"a": "A", "b": "B"})
            for number, other in enumerate(words.relations):
                told.append(puzzle(re.sub(rf"\b{relation}\b(?!-)", other, text), ("A", "B"), "A,B"))
                wanted.append(number)
    batch = fixed(blueprint(NAME).encode(to_table(told), words))
    with torch.inference_mode():
        read = composer.stated(model.reader(batch), batch).argmax(1)
    assert (read == torch.tensor(wanted)).float().mean() > 0.99


def test_long_stories_with_noise(with_noise: tuple[Model, Vocabulary]) -> None:
    model, words = with_noise
    stories = blueprint(NAME).encode(stories_of("sound", 6, 200, seed=9, distractors=0, supporting=2), words)
    found = answer(model, stories, torch.Generator()).argmax(1)
    assert (found == stories.target).float().mean() > 0.8


def test_two_whom_nothing_links(world: World) -> None:
    """Of somebody in another family the story tells nothing, and that is what it answers."""
    noise = {"disconnected": 2, "distractors": 0}
    model, words = trained(stories_of("mixed", 2, 300, **noise), world, batch=30)
    puzzles = list(from_table(stories_of("mixed", 2, 100, seed=9, **noise)))
    apart = [replace(one, query=(one.query[0], one.facts[-1].head), target=CANNOT_BE_TOLD) for one in puzzles]
    assert {one.roles[-1] for one in apart} == {"disconnected"}
    for table in (to_table(puzzles), to_table(apart)):
        stories = blueprint(NAME).encode(table, words)
        found = answer(model, stories, torch.Generator()).argmax(1)
        assert (found == stories.target).float().mean() > 0.9


def test_what_it_learnt_is_shown(chatting: tuple[Model, Vocabulary], world: World) -> None:
    model, words = chatting
    run = Run(TrainConfig(NAME, (2,)), words, {}, {}, device="cpu")
    learnt = what_it_learnt(run, model, world)
    assert learnt is not None
    read = [one["read"] == one["relation"] for one in learnt["sentences"]]
    assert sum(read) > 0.9 * len(read)
