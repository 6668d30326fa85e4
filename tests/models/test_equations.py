"""Each equation of the paper as slow loops over single numbers' vectors; the fast code must agree."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
import torch
from kin_models import Fixed, built, fixed, puzzle, stories_of
from torch import Tensor

from clutrr._lexicon import World
from clutrr._table import to_table
from clutrr.models import Batch, Model, blueprint
from clutrr.models.baselines import BiLSTM, SentencePool
from clutrr.models.graph import ways

GNNS = ["gnn", "gnn+literal", "gnn-attention", "gnn-attention+literal"]
MODELS = ["lstm", *GNNS, "composer"]
TWICE = [  # pairs with several sentences, a node without any, sentences of three
    puzzle("[A] met [B]. [B] knows [A] well. [C] saw [B]'s dog and [A].", ("A", "C"), "A,B,C"),
    puzzle("[A] met [B]. It rained.", ("A", "D"), "A,B,D"),
]


def table_of(kind: str) -> pa.Table:
    return to_table(TWICE) if kind == "twice" else stories_of("described", 3, 6, distractors=1)


def sigmoid(x: Tensor) -> Tensor:
    return 1 / (1 + torch.exp(-x))


def lstm(x: Tensor, h: Tensor, c: Tensor, weights: list[Tensor]) -> tuple[Tensor, Tensor]:
    """The LSTM update of one vector (equation 2): gates in torch's order i, f, g, o."""
    w_in, w_state, b_in, b_state = weights
    i, f, g, o = (w_in @ x + b_in + w_state @ h + b_state).chunk(4)
    c = sigmoid(f) * c + sigmoid(i) * torch.tanh(g)
    return sigmoid(o) * torch.tanh(c), c


def slow_reader(reader: BiLSTM, batch: Fixed, b: int, nodes: int) -> tuple[Tensor, list[Tensor]]:
    """h_T and the state of each node of story b."""
    stories = batch.stories
    tokens = stories.tokens[b, : stories.length[b]].tolist()
    words = stories.words
    x = [
        reader.embedding.weight[token] if token < words else batch.vectors[100][b, token - words]
        for token in tokens
    ]
    for ahead, back in zip(reader.forwards, reader.backwards, strict=True):
        one, other = [], []
        for module, sequence, out in ((ahead, x, one), (back, x[::-1], other)):
            h, c = torch.zeros(50), torch.zeros(50)
            for vector in sequence:
                h, c = lstm(vector, h, c, list(module.parameters()))
                out.append(h)
        whole = torch.cat([one[-1], other[-1]])
        x = [torch.cat(pair) for pair in zip(one, other[::-1], strict=True)]
    states = []
    for node in range(nodes):
        at = [x[t] for t, token in enumerate(tokens) if token == words + node]
        states.append(sum(at) / len(at) if at else torch.zeros(100))
    return whole, states


def slow_pool(reader: SentencePool, rows: list[list[int]]) -> Tensor:
    """E_ij over all words of the sentences on the pair."""
    words = [reader.embedding.weight[word] for row in rows for word in row if word]
    return torch.stack(words).max(0).values


def slow_gnn(model: Model, batch: Fixed, b: int) -> tuple[Tensor, list[Tensor]]:
    """H_T and the node states of story b: equations 1 and 2, round by round, node by node."""
    processor, stories = model.processor, batch.stories
    nodes = range(int(stories.graph.nodes[b]))
    edge: dict[tuple[int, int], Tensor] = {}
    for i in nodes:
        for slot, rows in enumerate(stories.graph.sentences[b, i].tolist()):
            if any(rows):
                about = [stories.graph.shapes[row].tolist() for row in rows if row]
                edge[i, int(stories.graph.neighbours[b, i, slot])] = slow_pool(model.reader, about)
    p = [torch.cat([batch.vectors[5][b, i], processor.position]) for i in nodes]
    h = [torch.zeros(100) for _ in nodes]
    c = [torch.zeros(100) for _ in nodes]
    for _ in range(6):
        new = []
        for i in nodes:
            near = [j for j in nodes if (i, j) in edge]
            messages = []
            for j in near:
                pieces = [edge[i, j], p[i], p[j]]
                messages.append(
                    torch.cat([*pieces, h[j]] if processor.carries_state else pieces)
                )  # (1)
            if not near:
                heard = torch.zeros(processor.cell.input_size)
            elif processor.score is None:
                heard = sum(messages) / len(messages)
            else:
                looks = [torch.cat([h[i], p[i], h[j]]) for j in near]
                scores = [processor.score(torch.tanh(processor.combine(look)))[0] for look in looks]
                total = sum(torch.exp(score) for score in scores)
                heard = sum(torch.exp(s) / total * m for s, m in zip(scores, messages, strict=True))
            new.append(lstm(heard, h[i], c[i], list(processor.cell.parameters())))  # (2)
        h, c = [state for state, _ in new], [cell for _, cell in new]
    return sum(h) / len(h), h


@pytest.mark.parametrize("kind", ["described", "twice"])
@pytest.mark.parametrize("name", ["lstm", *GNNS])
def test_fast_is_slow(name: str, kind: str, world: World) -> None:
    table = table_of(kind)
    model, stories, _ = built(name, table, world)
    batch = fixed(stories)
    with torch.inference_mode():
        scores = model(batch)
        for b in range(2):
            if isinstance(model.reader, BiLSTM):
                whole, states = slow_reader(model.reader, batch, b, int(stories.graph.nodes[b]))
            else:
                whole, states = slow_gnn(model, batch, b)
            first, second = (states[int(i)] for i in stories.query[b])
            x = torch.cat([whole, first, second])
            for layer in model.classifier.layers:
                x = (
                    torch.relu(x)
                    if isinstance(layer, torch.nn.ReLU)
                    else layer.weight @ x + layer.bias
                )
            torch.testing.assert_close(scores[b], x, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("style", ["sentences", "prose"])
@pytest.mark.parametrize("name", [*MODELS, "epignn", "composer+windows"])
def test_padding_changes_nothing(name: str, style: str, world: World) -> None:
    """Whatever else is in the batch, longer stories with more entities among it."""
    short, long = (stories_of("described", k, 8, distractors=k - 1, style=style) for k in (3, 5))
    model, stories, vocabulary = built(name, pa.concat_tables([short, long]), world)
    alone = blueprint(name).encode(short, vocabulary)
    assert alone.tokens.shape[1] < stories.tokens.shape[1]
    vectors = {size: v[:8] for size, v in fixed(stories).vectors.items()}
    batch = Fixed(alone, torch.arange(8), torch.Generator(), vectors)
    close = 1e-4 if name == "composer+windows" else 1e-5
    with torch.inference_mode():
        torch.testing.assert_close(model(batch), model(fixed(stories))[:8], atol=close, rtol=close)


@pytest.mark.parametrize("name", [*MODELS, "epignn", "composer+windows"])
def test_gradients_are_finite(name: str, world: World) -> None:
    """Also where no sentence, or none about one of the two, is on the way."""
    apart = [
        puzzle("[A] met [B]. [C] saw [D].", ("A", "D"), "A,B,C,D"),
        puzzle("[B] met [C].", ("A", "B"), "A,B,C"),
    ]
    model, stories, _ = built(
        name, pa.concat_tables([to_table([*TWICE, *apart]), stories_of("sound", 4, 8)]), world
    )
    torch.nn.functional.cross_entropy(model(fixed(stories)), stories.target).backward()
    assert all(p.grad is None or p.grad.isfinite().all() for p in model.parameters())
    assert any(p.grad is not None and p.grad.abs().max() > 0 for p in model.parameters())


@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_entities_does_not_matter(name: str, world: World) -> None:
    """Other numbers for the entities, the same vector for each of them: the same scores."""
    table = stories_of("described", 3, 10)
    model, stories, _ = built(name, table, world)
    batch = fixed(stories)
    rng = np.random.default_rng(0)
    n = stories.graph.neighbours.shape[1]
    tokens, query, graph = stories.tokens.clone(), stories.query.clone(), stories.graph
    neighbours, sentences = graph.neighbours.clone(), graph.sentences.clone()
    vectors = {size: v.clone() for size, v in batch.vectors.items()}
    for b in range(len(stories)):
        nodes = int(graph.nodes[b])
        new = torch.arange(stories.entities)
        new[:nodes] = torch.from_numpy(rng.permutation(nodes))  # the number that each node gets
        entity = (stories.tokens[b] - stories.words).clamp(min=0)
        tokens[b] = torch.where(tokens[b] >= stories.words, stories.words + new[entity], tokens[b])
        query[b] = new[stories.query[b]]
        neighbours[b, new[:n]] = new[graph.neighbours[b]]
        sentences[b, new[:n]] = graph.sentences[b]
        for v, old in zip(vectors.values(), batch.vectors.values(), strict=True):
            v[b, new] = old[b, : stories.entities]
    leads = torch.from_numpy(ways(sentences[..., 0].numpy() > 0, neighbours.numpy(), query.numpy()))
    graph = replace(graph, neighbours=neighbours, sentences=sentences, ways=leads)
    moved = replace(stories, tokens=tokens, query=query, graph=graph)
    with torch.inference_mode():
        one = model(batch)
        other = model(Fixed(moved, batch.index, batch.generator, vectors))
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


def test_vectors_are_drawn_anew(world: World) -> None:
    _, stories, _ = built("gnn", stories_of("sound", 2, 4), world)
    batch = Batch(stories, torch.arange(4), torch.Generator().manual_seed(0))
    one, other = batch.fresh(3, 5), batch.fresh(3, 5)
    assert one.shape == (4, 3, 5)
    assert len(torch.cat([one, other]).reshape(-1).unique()) == 120
