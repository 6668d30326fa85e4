"""A model that reads what people wrote: a pretrained encoder reads pairs, the pairs are folded.

    windows    which pairs of entities the text tells of, and the words about each
    reading    the encoder on those words, the pair marked: a relation kind or none, two forms
    folding    all ways from one queried entity to the other, by a counted table

The stated facts of the training stories teach the reading, and the table counts which answer two facts in a
row had. In testing the model gets the text and the question, nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from clutrr._lexicon import World
from clutrr.models.graph import padded
from clutrr.models.parts import Blueprint, Model
from clutrr.models.passages import Passage, read_passages
from clutrr.models.text.encoder import (
    Tokens,
    check_together,
    empty_encoder,
    load_encoder,
    load_tokens,
)
from clutrr.models.text.lessons import (
    UNKNOWN,
    KindTable,
    Passages,
    renamed,
    rule_table,
    with_lessons,
)
from clutrr.models.text.routes import answered
from clutrr.models.tokens import Vocabulary

_HEADS_FASTER = 10.0  # new layers learn faster than pretrained ones
_WARM_UP = 0.06  # share of the training in which the learning rate rises; then it falls to zero
_DROPPED = 0.1
_AT_ONCE = 512  # windows in a pass that learns nothing
_TINY = 1e-4
_IMPLIED = 0.3  # weight in learning of what follows for a pair from the facts of others


@dataclass(frozen=True)
class PairsBlueprint(Blueprint):
    """The model by its encoder: a folder or a name on the hub.

    kept: where a run keeps the encoder's settings and tokenizer, for one that is trained already.
    """

    encoder: str
    world: World
    kept: Path | None = None

    def make(self, vocabulary: Vocabulary) -> "Pairs":
        encoder = load_encoder(self.encoder) if self.kept is None else empty_encoder(self.kept)
        tokens = load_tokens(self.encoder if self.kept is None else self.kept)
        check_together(encoder, tokens)
        kinds = KindTable.of(self.world, vocabulary.relations)
        return Pairs(encoder, tokens, kinds, len(vocabulary.relations))

    def encode(self, table: pa.Table, vocabulary: Vocabulary, teach: bool = False) -> Passages:
        target = vocabulary.targets(table["target"].to_pylist())
        stories = Passages(tuple(read_passages(table)), target)
        if not teach:
            return stories
        kinds = KindTable.of(self.world, vocabulary.relations)
        return with_lessons(stories, table, kinds, self.world)


class PairReader(nn.Module):
    """A window to scores for each kind and none [W, C + 1], and to log odds that either of the two is of
    the second form, not the first [W, 2]."""

    def __init__(self, encoder: nn.Module, kinds: int) -> None:
        super().__init__()
        self.encoder = encoder
        size = int(encoder.config.hidden_size)  # type: ignore[union-attr, arg-type]
        self.drop = nn.Dropout(_DROPPED)
        self.kind = nn.Sequential(nn.Linear(3 * size, size), nn.GELU(), nn.Linear(size, kinds + 1))
        self.form = nn.Sequential(nn.Linear(2 * size, size), nn.GELU(), nn.Linear(size, 1))

    def forward(self, tokens: Tensor, whose: Tensor, padding: int) -> tuple[Tensor, Tensor]:
        with torch.autocast(tokens.device.type, torch.bfloat16, enabled=tokens.is_cuda):
            mask = (tokens != padding).long()
            words = self.drop(self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state)
            sides = torch.stack([whose == 1, whose == 2], 1).to(words.dtype)  # [W, 2, L]
            each = torch.bmm(sides, words) / sides.sum(-1, keepdim=True).clamp(
                min=1
            )  # [W, 2, size]
            whole = words[:, 0]
            kind = self.kind(torch.cat([whole, each[:, 0], each[:, 1]], -1))
            form = self.form(torch.cat([each, whole[:, None].expand(-1, 2, -1)], -1))[..., 0]
        return kind.float(), form.float()


class Pairs(Model):
    """Reads every pair of entities of a story and folds the readings into an answer."""

    recorded = False  # the windows of a step have another shape each time: no CUDA graph
    largest_gradient = 1.0
    table: Tensor  # [C, C, C], counted

    def __init__(
        self, encoder: nn.Module, tokens: Tokens, kinds: KindTable, relations: int
    ) -> None:
        super().__init__()
        self.reader = PairReader(encoder, len(kinds))
        self.tokens = tokens
        self.kinds = kinds
        self.relations = relations
        self.register_buffer("table", rule_table(torch.zeros(kinds.possible.shape), kinds))

    @property
    def device(self) -> torch.device:
        return self.table.device

    @property
    def converse(self) -> Tensor:  # [C]
        return self.kinds.converse.to(self.device)

    def parameter_groups(self, rate: float) -> list[dict[str, Any]]:
        heads = [*self.reader.kind.parameters(), *self.reader.form.parameters()]
        return [
            {"params": list(self.reader.encoder.parameters()), "lr": rate},
            {"params": heads, "lr": _HEADS_FASTER * rate},
        ]

    def pace(self, done: float) -> float:
        return min(1.0, done / _WARM_UP + 0.01) * max(0.02, 1 - done)

    # Learning

    def learn(self, batch: Passages) -> tuple[Tensor, Tensor]:
        """Return the loss, and how many stories count as right, by the share of pairs read right.

        Entities whose form is known get new names each time; a pair is read from either end.
        """
        assert batch.rng is not None
        assert batch.table is not None
        self.table.copy_(batch.table)
        rows, flipped, of_two = [], [], []
        for story, lesson in zip(batch.passages, batch.lessons, strict=True):
            names = renamed(story.names, lesson.forms, batch.pool, batch.rng)
            for pair, flip in zip(
                story.pairs, batch.rng.random(len(story.pairs)) < 0.5, strict=True
            ):
                rows.append(
                    self.tokens.window(story.window(pair), names, *(pair[::-1] if flip else pair))
                )
                flipped.append(bool(flip))
                of_two.append([lesson.forms[entity] for entity in pair])
        kind, form = self._turned(*self._read(rows), torch.tensor(flipped, device=self.device))
        stated, implied = (
            torch.tensor([number for one in numbers for number in one], device=self.device)
            for numbers in zip(
                *((lesson.kinds, lesson.implied) for lesson in batch.lessons), strict=True
            )
        )
        # A pair without a fact of its own is read as none; the kinds beside none learn what follows for it.
        besides = cross_entropy(kind[:, :-1], implied, ignore_index=UNKNOWN, reduction="sum") / len(
            kind
        )
        forms = _form_loss(form, torch.tensor(of_two, device=self.device))
        loss = cross_entropy(kind, stated) + _IMPLIED * besides + 0.5 * forms
        return loss, (kind.detach().argmax(1) == stated).float().mean() * len(batch)

    # Answering

    def forward(self, batch: Passages) -> Tensor:  # [B, relations]
        """Return the logarithm of how likely each answer is."""
        passages = batch.passages
        kind, form = self.read(passages)
        found = answered(passages, kind, self.converse, self.table)  # [B, C]
        label = self.kinds.label.to(kind.device)  # [C, F]
        each = found[..., None]  # [B, C, F]
        if label.shape[1] > 1:
            asked = torch.tensor([passage.query[1:] for passage in passages], device=kind.device)
            second = self.entity_forms(form, passages).gather(1, asked).sigmoid()
            each = torch.stack([found * (1 - second), found * second], -1)
        label, each = label.flatten(), each.flatten(1)
        scores = each.new_zeros(len(passages), self.relations)
        return scores.index_add(1, label.clamp(min=0), each * (label >= 0)).clamp(min=1e-12).log()

    @torch.no_grad()
    def read(self, passages: tuple[Passage, ...]) -> tuple[Tensor, Tensor]:
        """Read every pair of the stories, from both ends; windows that are the same are encoded once."""
        was, _ = self.training, self.eval()
        rows = [
            self.tokens.window(story.window(pair), story.names, *ends)
            for story in passages
            for pair in story.pairs
            for ends in (pair, pair[::-1])
        ]
        distinct = sorted(set(rows), key=lambda row: len(row[0]))
        number = {row: i for i, row in enumerate(distinct)}
        found = [self._read(distinct[i : i + _AT_ONCE]) for i in range(0, len(distinct), _AT_ONCE)]
        self.train(was)
        if not found:
            none = torch.zeros(0, len(self.kinds) + 1, device=self.device)
            return none, torch.zeros(0, 2, device=self.device)
        which = torch.tensor([number[row] for row in rows], device=self.device)
        kind, form = (torch.cat(part)[which] for part in zip(*found, strict=True))
        kind = kind.log_softmax(-1)
        turn = torch.arange(len(rows), device=self.device) % 2 == 1
        kind, form = self._turned(kind, form, turn)
        return (kind[0::2] + kind[1::2]) / 2, (form[0::2] + form[1::2]) / 2

    def _read(self, rows: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> tuple[Tensor, Tensor]:
        tokens, whose = (
            torch.from_numpy(padded(part, padding)).to(self.device)
            for part, padding in zip(zip(*rows, strict=True), (self.tokens.padding, 0), strict=True)
        )
        kind, form = self.reader(tokens, whose, self.tokens.padding)
        return kind, form

    def _turned(self, kind: Tensor, form: Tensor, turn: Tensor) -> tuple[Tensor, Tensor]:
        """Readings from the other end as those from this end."""
        back = torch.cat([self.converse, self.converse.new_tensor([len(self.converse)])])
        turn = turn[:, None]
        return torch.where(turn, kind[:, back], kind), torch.where(turn, form.flip(1), form)

    def entity_forms(self, form: Tensor, passages: Sequence[Passage]) -> Tensor:  # [B, n]
        """Return the mean over all readings of each entity, as log odds; 0 where there are none.

        Surer readings weigh more: a name alone tells less than a relation word.
        """
        most = max(len(passage.names) for passage in passages)
        places = [
            number * most + entity
            for number, passage in enumerate(passages)
            for pair in passage.pairs
            for entity in pair
        ]
        place = torch.tensor(places, dtype=torch.int64, device=self.device)
        none, form = form.new_zeros(len(passages) * most), form.flatten()
        total = none.index_add(0, place, form * form.abs())
        weight = none.index_add(0, place, form.abs())
        return (total / weight.clamp(min=_TINY)).view(len(passages), most)


def _form_loss(second: Tensor, forms: Tensor) -> Tensor:
    """Return the loss of the log odds of the second form. forms: -1 where they are not known."""
    known = forms >= 0
    if not bool(known.any()):
        return second.sum() * 0
    return binary_cross_entropy_with_logits(second[known], forms[known].float())
