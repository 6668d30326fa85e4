"""A model of your own: a GRU that reads the story, with the classifier of the paper.

A model is three parts: a reader, a processor, a classifier (docs/own-model.md). This one has a new reader.

What a reader gets. A story is a row of tokens. Most are words, and a word has a vector that is learnt. The
people of a story are no words: their names differ from story to story, so nothing can be learnt about
them. A batch therefore says two things of every token:

    batch.tokens      its number as a word, below `sizes.words`; every person is the same word there
    batch.mentions    which person of the story it mentions: 0, 1, 2, ...; -1 for a word

An `nn.Embedding(sizes.words, ...)` of `batch.tokens` works, but cannot tell people apart. `batch.embed`
does what the models of the package do: words get their learnt vectors, and each person of each story gets a
random vector, new in every pass, the same wherever the person is mentioned. So a model can only learn
*how* people are linked, never *who* they are. (Attribute values in brackets are treated like people; those
that are no nodes have numbers behind the people's.)

    python examples/own_model.py OUT
"""

import sys
from pathlib import Path

import torch
from torch import nn

import clutrr
from clutrr.models import Batch, Keep, PairMLP, Reader, Recipe, Sizes, States


class GRUReader(Reader[States]):
    """A GRU reads the story once; a person's vector is the mean of its states at the person's mentions.

    It reads forwards only, so that padding, which stands behind a story, cannot change an answer.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.words = nn.Embedding(sizes.words, sizes.embedding)
        self.gru = nn.GRU(sizes.embedding, sizes.state, batch_first=True)

    def forward(self, batch: Batch) -> States:
        states, _ = self.gru(batch.embed(self.words))  # [B, T, state]
        people = torch.arange(batch.is_node.shape[1], device=states.device)
        mentioned = (batch.mentions[:, None, :] == people[:, None]).float()  # [B, n, T]
        count = mentioned.sum(-1, keepdim=True).clamp(min=1)
        story = torch.arange(len(batch), device=states.device)
        return States(nodes=mentioned @ states / count, whole=states[story, batch.length - 1])


# The name in the file is the name of the model: --model own_model.py:gru
gru = Recipe(reader=GRUReader, processor=Keep, classifier=PairMLP)


def main(out: Path) -> None:
    torch.set_num_threads(1)
    stories, run = out / "stories", out / "run"
    train = clutrr.generate("published", k=3, size=500, distractors=0)
    test = clutrr.generate("published", k=3, size=200, distractors=0, split="test")
    clutrr.write([*train, *test], stories)
    record = clutrr.train(
        stories, run, model=f"{__file__}:gru", k=3, epochs=12, batch=25, device="cpu"
    )
    print(f"trained for {len(record.epochs)} epochs, loss {record.epochs[-1].loss:.3f}")
    # trust: the run holds a copy of this file, which is a program.
    for part in clutrr.evaluate(run, stories, device="cpu", trust=True):
        print(f"{part.subset}: {part.accuracy:.1f} % of {part.n} test stories")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(
            "usage: python examples/own_model.py OUT (a folder that does not exist yet)"
        )
    main(Path(sys.argv[1]))
