"""Train a small judge of chains: an encoder that reads a story with a solution, and judges every step.

    clutrr generate stories --preset strict --k 2-4 --train 20000 --test 250 --distractors 0
    clutrr chains stories chains
    python examples/train_a_judge.py chains judgements.jsonl --epochs 6     # some minutes on a GPU
    clutrr score chains judgements.jsonl

Names are replaced by numbers that are drawn anew for each reading, so that the judge cannot learn them. Each step
ends with a mark; what the encoder makes of that mark says whether the step is right.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import torch
from torch import Tensor, nn

PAD, UNKNOWN, END = 0, 1, 2  # tokens; END stands after the story and after every step
NUMBERS = 40  # that stand for names
_TOKEN = re.compile(r"@\d+|[A-Za-z]+|[^\sA-Za-z]")


@dataclass(frozen=True)
class Solved:
    """A chain: its id, the text of story and question, the steps, which are right, and the names."""

    id: str
    story: str
    steps: tuple[str, ...]
    right: tuple[bool, ...]
    names: tuple[str, ...]


def read(folder: Path, split: str) -> list[Solved]:
    """Return the chains of a split of a folder of `clutrr chains`."""
    found = []
    for file in sorted(folder.glob(f"data/*/{split}-*.parquet")):
        for row in pq.read_table(file).to_pylist():
            names = dict.fromkeys(name for head, _, tail in row["facts"] for name in (head, tail))
            story = f"{row['story']} {row['question']}".replace("[", "").replace("]", "")
            found.append(
                Solved(row["id"], story, tuple(row["steps"]), tuple(row["right"]), (*names,))
            )
    return found


def tokens(chain: Solved, rng: random.Random) -> list[list[str]]:
    """Return the tokens of the story and of each step, with numbers for names."""
    numbers = rng.sample(range(NUMBERS), len(chain.names))
    numbered = {name: f" @{number} " for name, number in zip(chain.names, numbers, strict=True)}
    # The longest name first: one may be a part of another.
    pattern = "|".join(map(re.escape, sorted(numbered, key=len, reverse=True)))
    texts = (chain.story, *chain.steps)
    return [
        _TOKEN.findall(re.sub(pattern, lambda found: numbered[found[0]], text)) for text in texts
    ]


class Judge(nn.Module):
    """An encoder over all tokens; from each END after a step, whether the step is right."""

    def __init__(self, words: Sequence[str], width: int = 256, layers: int = 6) -> None:
        super().__init__()
        self.number = {word: number for number, word in enumerate(words, 3)}
        self.embed = nn.Embedding(len(words) + 3, width, padding_idx=PAD)
        self.place = nn.Embedding(2048, width)
        self.part = nn.Embedding(64, width)  # the story, step 1, step 2, ...
        layer = nn.TransformerEncoderLayer(
            width, width // 32, 4 * width, dropout=0.1, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(width, 1)

    def forward(self, ids: Tensor, parts: Tensor) -> Tensor:
        """Return a score for each token, of which those at ENDs of steps count. ids, parts: (batch, tokens)."""
        places = torch.arange(ids.shape[1], device=ids.device).clamp(max=2047)
        x = self.embed(ids) + self.place(places) + self.part(parts.clamp(max=63))
        x = self.encoder(x, src_key_padding_mask=ids == PAD)
        scores: Tensor = self.out(x).squeeze(-1)
        return scores

    def batch(
        self, chains: Sequence[Solved], rng: random.Random
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return ids and parts, and the places of the steps' ENDs with their labels."""
        rows, parts, ends, labels = [], [], [], []
        for row, chain in enumerate(chains):
            ids: list[int] = []
            part: list[int] = []
            for number, some in enumerate(tokens(chain, rng)):
                ids += [*(self.number.get(word, UNKNOWN) for word in some), END]
                part += [number] * (len(some) + 1)
                if number:
                    ends.append((row, len(ids) - 1))
                    labels.append(float(chain.right[number - 1]))
            rows.append(torch.tensor(ids))
            parts.append(torch.tensor(part))
        pad = nn.utils.rnn.pad_sequence
        return (
            pad(rows, batch_first=True),
            pad(parts, batch_first=True),
            torch.tensor(ends).T,
            torch.tensor(labels),
        )


def words_of(chains: Sequence[Solved]) -> list[str]:
    """Return the tokens that occur more than once in some thousand chains."""
    counted: Counter[str] = Counter()
    for chain in islice(chains, 5000):
        for some in tokens(chain, random.Random(0)):
            counted.update(some)
    numbers = [f"@{number}" for number in range(NUMBERS)]
    return [*numbers, *sorted(w for w, n in counted.items() if n > 1 and w not in numbers)]


def batches(chains: list[Solved], size: int, rng: random.Random) -> Iterator[list[Solved]]:
    """Yield all chains once, those of like length together."""
    drawn = rng.sample(chains, len(chains))
    for start in range(0, len(drawn), 64 * size):
        near = sorted(drawn[start : start + 64 * size], key=lambda one: len(one.story))
        some = [near[at : at + size] for at in range(0, len(near), size)]
        yield from rng.sample(some, len(some))


def train(judge: Judge, chains: list[Solved], epochs: int, size: int, device: str) -> None:
    """Train the judge on chains."""
    rng = random.Random(0)
    steps = epochs * -(-len(chains) // size)
    optimizer = torch.optim.AdamW(judge.parameters(), lr=3e-4, weight_decay=0.01)
    schedule: Any = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-4, steps + 1, pct_start=0.1)
    for epoch in range(epochs):
        losses = []
        judge.train()
        for some in batches(chains, size, rng):
            ids, parts, ends, labels = (one.to(device) for one in judge.batch(some, rng))
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                scores = judge(ids, parts)[ends[0], ends[1]]
            loss = nn.functional.binary_cross_entropy_with_logits(scores.float(), labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(judge.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(loss.detach())
        print(f"epoch {epoch + 1}: loss {torch.stack(losses).mean():.4f}", flush=True)


@torch.inference_mode()
def judgements(
    judge: Judge, chains: list[Solved], size: int, device: str
) -> Iterator[dict[str, Any]]:
    """Yield the first step that the judge calls wrong, for each chain."""
    judge.eval()
    rng = random.Random(1)
    for start in range(0, len(chains), size):
        some = chains[start : start + size]
        ids, parts, ends, _ = (one.to(device) for one in judge.batch(some, rng))
        scores = judge(ids, parts)[ends[0], ends[1]].tolist()
        for chain in some:
            own, scores = scores[: len(chain.steps)], scores[len(chain.steps) :]
            wrong = next((number for number, score in enumerate(own) if score < 0), -1)
            yield {"id": chain.id, "first_error": wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("chains", type=Path, help="a folder of `clutrr chains`")
    parser.add_argument("out", type=Path, help="the file for judgements of its test chains")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=6)
    given = parser.parse_args()
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    chains = read(given.chains, "train")
    judge = Judge(words_of(chains), given.width, given.layers).to(device)
    train(judge, chains, given.epochs, given.batch, device)
    rows = judgements(judge, read(given.chains, "test"), given.batch, device)
    given.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
