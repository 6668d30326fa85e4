"""Each equation of the paper as slow loops over single numbers' vectors; the fast code must agree."""

import numpy as np
import pyarrow as pa
import pytest
import torch
from kin_models import Fixed, fixed, puzzle, stories_of
from torch import Tensor

from clutrr.models import Batch, Model, Sizes, Stories, Vocabulary, encode, learn_vocabulary, recipe
from clutrr.models.bilstm import BiLSTM
from clutrr.models.messages import MessagePassing
from clutrr.models.reference import plain
from clutrr.models.sentences import SentencePool
from clutrr.models.ways import ways
from clutrr.puzzle import from_table, to_table
from clutrr.world import World

GNNS = [
    "gnn",
    "gnn+literal",
    "gnn-attention",
    "gnn-attention+literal",
    "gnn-attention+values+attention-pool",
]
COMPOSERS = ["composer", "composer+no-free+attention-pool", "composer+no-heights+no-ends"]
MODELS = ["lstm", "lstm+first", "lstm+last", *GNNS, "gnn+values", *COMPOSERS]
TWICE = [  # pairs with several sentences, a node without any, sentences of three
    puzzle("[A] met [B]. [B] knows [A] well. [C] saw [B]'s dog and [A].", ("A", "C"), "A,B,C"),
    puzzle("[A] met [B]. It rained.", ("A", "D"), "A,B,D"),
]


def table_of(kind: str) -> pa.Table:
    return to_table(TWICE) if kind == "twice" else stories_of("described", 3, 6, distractors=1)


def built(name: str, table: pa.Table, world: World) -> tuple[Model, Stories, Vocabulary]:
    vocabulary = learn_vocabulary([table], world)
    made_from = recipe(name)
    torch.manual_seed(1)
    model = made_from.build(Sizes.of(vocabulary)).eval()
    return model, encode(table, vocabulary, made_from.values), vocabulary


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
        chosen = {"mean": at, "first": at[:1], "last": at[-1:]}[reader.mentions]
        states.append(sum(chosen) / len(chosen) if chosen else torch.zeros(100))
    return whole, states


def slow_pool(reader: SentencePool, rows: list[list[int]]) -> Tensor:
    """E_ij over all words of the sentences on the pair."""
    words = [reader.embedding.weight[word] for row in rows for word in row if word]
    if reader.score is None:
        return torch.stack(words).max(0).values
    weights = torch.stack([reader.score(w)[0] for w in words]).softmax(0)
    return sum(a * w for a, w in zip(weights, words, strict=True))


def slow_gnn(model: Model, batch: Fixed, b: int) -> tuple[Tensor, list[Tensor]]:
    """H_T and the node states of story b: equations 1 and 2, round by round, node by node."""
    processor, stories = model.processor, batch.stories
    assert isinstance(processor, MessagePassing)
    assert isinstance(model.reader, SentencePool)
    nodes = range(int(stories.nodes[b]))
    edge: dict[tuple[int, int], Tensor] = {}
    for i in nodes:
        for slot, rows in enumerate(stories.sentences[b, i].tolist()):
            if any(rows):
                about = [stories.shapes[row].tolist() for row in rows if row]
                edge[i, int(stories.neighbours[b, i, slot])] = slow_pool(model.reader, about)
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
                messages.append(torch.cat([*pieces, h[j]] if processor.carries_state else pieces))  # (1)
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
@pytest.mark.parametrize("name", [name for name in MODELS if name not in COMPOSERS])
def test_fast_is_slow(name: str, kind: str, world: World) -> None:
    table = table_of(kind)
    model, stories, _ = built(name, table, world)
    batch = fixed(stories)
    with torch.inference_mode():
        scores = model(batch)
        for b in range(2):
            if isinstance(model.reader, BiLSTM):
                whole, states = slow_reader(model.reader, batch, b, int(stories.nodes[b]))
            else:
                whole, states = slow_gnn(model, batch, b)
            first, second = (states[int(i)] for i in stories.query[b])
            x = torch.cat([whole, first, second])
            for layer in model.classifier.layers:
                x = torch.relu(x) if isinstance(layer, torch.nn.ReLU) else layer.weight @ x + layer.bias
            torch.testing.assert_close(scores[b], x, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", [name for name in MODELS if name not in ("lstm+first", "lstm+last")])
def test_the_plain_models_say_the_same(name: str, world: World) -> None:
    table = table_of("described")
    model, stories, vocabulary = built(name, table, world)
    other = plain(name, Sizes.of(vocabulary)).eval()
    if name == "lstm":
        weights = model.state_dict()
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        copied = {"embedding.weight": weights["reader.embedding.weight"]}
        for layer in range(2):
            for part in names:
                copied[f"lstm.{part[:-1]}{layer}"] = weights[f"reader.forwards.{layer}.{part}"]
                copied[f"lstm.{part[:-1]}{layer}_reverse"] = weights[f"reader.backwards.{layer}.{part}"]
        copied |= {f"mlp.{k}": v for k, v in model.classifier.layers.state_dict().items()}
        other.load_state_dict(copied)
    elif name in COMPOSERS:
        other.load_state_dict(model.state_dict())
    else:
        other.load_state_dict(
            {k.replace("classifier.layers.", "mlp."): v for k, v in model.state_dict().items()}
        )
    batch = fixed(stories)
    ours, theirs = model(batch), other(batch)
    torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
    for scores in (ours, theirs):
        torch.nn.functional.cross_entropy(scores, batch.target).backward()
    if name != "lstm":
        for parameter, same in zip(model.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(parameter.grad, same.grad, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_padding_changes_nothing(name: str, world: World) -> None:
    short, long = stories_of("described", 3, 8), stories_of("described", 5, 8, distractors=3)
    both = pa.concat_tables([short, long])
    model, stories, vocabulary = built(name, both, world)
    alone = encode(short, vocabulary, recipe(name).values)
    assert alone.tokens.shape[1] < stories.tokens.shape[1]
    with torch.inference_mode():
        padded = model(fixed(stories, entities=stories.entities))[:8]
        vectors = {size: v[:8] for size, v in fixed(stories).vectors.items()}
        torch.testing.assert_close(
            model(Fixed(alone, torch.arange(8), torch.Generator(), vectors)), padded, atol=1e-5, rtol=1e-5
        )


@pytest.mark.parametrize("name", ["lstm", "gnn", "gnn-attention+values", "composer"])
def test_names_do_not_matter(name: str, world: World) -> None:
    table = stories_of("sound", 3, 10)
    model, stories, vocabulary = built(name, table, world)
    told = list(from_table(table))
    names = sorted({person.name for one in told for person in one.people})
    other = dict(zip(names, names[1:] + names[:1], strict=True))
    renamed = []
    for one in told:
        story = one.story
        for person in one.people:
            story = story.replace(f"[{person.name}]", f"[{other[person.name]} ]")
        a, b = (f"{other[name]} " for name in one.query)
        renamed.append(puzzle(story, (a, b), ",".join(f"{other[p.name]} " for p in one.people), one.target))
    again = encode(to_table(renamed), vocabulary, recipe(name).values)
    with torch.inference_mode():
        assert torch.equal(model(fixed(stories)), model(fixed(again)))


@pytest.mark.parametrize("name", MODELS)
def test_the_order_of_entities_does_not_matter(name: str, world: World) -> None:
    """Other numbers for the entities, the same vector for each of them: the same scores."""
    table = stories_of("described", 3, 10)
    model, stories, _ = built(name, table, world)
    batch = fixed(stories)
    rng = np.random.default_rng(0)
    n = stories.neighbours.shape[1]
    changed = {key: value.clone() for key, value in stories._values().items() if isinstance(value, Tensor)}
    vectors = {size: v.clone() for size, v in batch.vectors.items()}
    for b in range(len(stories)):
        nodes = int(stories.nodes[b])
        new = torch.arange(stories.entities)
        new[:nodes] = torch.from_numpy(rng.permutation(nodes))  # the number that each node gets
        tokens = stories.tokens[b]
        entity = (tokens - stories.words).clamp(min=0)
        changed["tokens"][b] = torch.where(tokens >= stories.words, stories.words + new[entity], tokens)
        changed["query"][b] = new[stories.query[b]]
        changed["neighbours"][b, new[:n]] = new[stories.neighbours[b]]
        changed["sentences"][b, new[:n]] = stories.sentences[b]
        for v, old in zip(vectors.values(), batch.vectors.values(), strict=True):
            v[b, new] = old[b, : stories.entities]
    linked, neighbours = changed["sentences"][..., 0].numpy() > 0, changed["neighbours"].numpy()
    changed["ways"] = torch.from_numpy(ways(linked, neighbours, changed["query"].numpy()))
    moved = Stories(**{**stories._values(), **changed})
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
