"""A model that reads what people wrote: a pretrained encoder reads pairs, the pairs are folded.

    windows    which pairs of entities the text tells of, and the words about each
    reading    the encoder on those words, the pair marked: a relation kind or none, two forms
    folding    all ways from one queried entity to the other, by a counted table

Two settings. With facts, the stated facts of the training stories teach the reading, and the table
counts which answer two facts in a row had. With answers only, the reading learns through what
follows from it by the world's rules, and the table is counted from what it reads in the training
stories. In testing both get the text and the question, nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from clutrr.models.graph import Pair
from clutrr.models.parts import Blueprint, Model
from clutrr.models.text.agree import Exchanged, exchanged
from clutrr.models.text.encoder import (
    Tokens,
    check_together,
    empty_encoder,
    load_encoder,
    load_tokens,
    padded,
)
from clutrr.models.text.lessons import UNKNOWN_KIND, rule_table, with_lessons
from clutrr.models.text.passages import (
    Passage,
    PassageBatch,
    Passages,
    Piece,
    divide_by_sentences,
    read_passages,
)
from clutrr.models.text.routes import EXCHANGED, answered
from clutrr.models.vocabulary import ANY, KindTable, Vocabulary
from clutrr.world import World

_HEADS_FASTER = 10.0  # new layers learn faster than pretrained ones
_WARM_UP = 0.06  # share of the training in which the learning rate rises; then it falls to zero
_DROPPED = 0.1
_AT_ONCE = 512  # windows in a pass that learns nothing
_RARE = 0.005  # share of the stories counted below which a rule read off them is taken for a misreading
_TINY = 1e-4
_NO_SHARE = 1e-30  # so that it has a logarithm
_IMPLIED = 0.3  # weight in learning of what follows for a pair from the facts of others


@dataclass(frozen=True)
class PairsBlueprint(Blueprint):
    """The model by its encoder: a folder or a name on the hub. facts: whether stated facts teach it.

    kept: where a run keeps the encoder's settings and tokenizer, for one that is trained already.
    apart: several sentences that name a pair are read one by one, not together.
    """

    encoder: str
    world: World
    facts: bool = True
    kept: Path | None = None
    apart: bool = False

    def make(self, vocabulary: Vocabulary) -> "Pairs":
        encoder = load_encoder(self.encoder) if self.kept is None else empty_encoder(self.kept)
        tokens = load_tokens(self.encoder if self.kept is None else self.kept)
        check_together(encoder, tokens)
        kinds = KindTable.of(self.world, vocabulary.relations)
        return Pairs(encoder, tokens, kinds, len(vocabulary.relations), self.apart)

    def encode(self, table: pa.Table, vocabulary: Vocabulary, teach: bool = False) -> Passages:
        stories = read_passages(table, vocabulary)
        if not teach:
            return stories
        kinds = KindTable.of(self.world, vocabulary.relations)
        return with_lessons(stories, table, kinds, self.world, self.facts)

    def divide(self, table: pa.Table, share: float, seed: int) -> tuple[list[int], list[int]]:
        """Return rows to train on and rows that are set aside, with no sentence on both sides."""
        return divide_by_sentences(table["story"].to_pylist(), share, seed)


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
            each = torch.bmm(sides, words) / sides.sum(-1, keepdim=True).clamp(min=1)  # [W, 2, size]
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
        self, encoder: nn.Module, tokens: Tokens, kinds: KindTable, relations: int, apart: bool = False
    ) -> None:
        super().__init__()
        self.apart = apart
        self.reader = PairReader(encoder, len(kinds))
        self.tokens = tokens
        self.kinds = kinds
        self.relations = relations
        self.register_buffer("table", rule_table(torch.zeros(kinds.possible.shape), kinds))
        self.agreed: Exchanged = {}

    @property
    def device(self) -> torch.device:
        return self.table.device

    def agree(self, passages: Sequence[Passage]) -> None:
        """Learn from the stories to be answered which wordings tell a fact the wrong way round."""
        kind, _ = self.read(tuple(passages))
        converse = self.kinds.converse.to(kind.device)
        self.agreed = exchanged(passages, kind, converse, self.table)

    def exchanged(self, passages: Sequence[Passage]) -> Tensor | None:  # [P, 1]
        """Return how likely the two entities of each pair are exchanged; None for one share for all."""
        if not self.agreed:
            return None
        shares = [self.agreed.get((one, pair), EXCHANGED) for one in passages for pair in one.pairs]
        return torch.tensor(shares, device=self.device).reshape(-1, 1)

    def parameter_groups(self, rate: float) -> list[dict[str, Any]]:
        heads = [*self.reader.kind.parameters(), *self.reader.form.parameters()]
        return [
            {"params": list(self.reader.encoder.parameters()), "lr": rate},
            {"params": heads, "lr": _HEADS_FASTER * rate},
        ]

    def pace(self, done: float) -> float:
        return min(1.0, done / _WARM_UP + 0.01) * max(0.02, 1 - done)

    # Learning

    def learn(self, batch: PassageBatch) -> tuple[Tensor, Tensor]:
        """Return the loss, and how many stories count as right; with facts, by the share of pairs read right.

        Entities whose form is known get new names each time; a pair is read from either end.
        """
        rng = batch.rng()
        rows, flipped = [], []
        for story, lesson in zip(batch.stories.passages, batch.stories.lessons, strict=True):
            names = batch.stories.names.renamed(story.names, lesson.forms, rng)
            for pair, flip in zip(story.pairs, rng.random(len(story.pairs)) < 0.5, strict=True):
                windows = self._windows(story, pair)
                window = windows[int(rng.integers(len(windows)))] if len(windows) > 1 else windows[0]
                rows.append(self.tokens.window(window, names, *(pair[::-1] if flip else pair)))
                flipped.append(bool(flip))
        turn = torch.tensor(flipped, device=self.device)
        kind, form = self._turned(*self._read(rows), turn)
        if batch.stories.lessons[0].kinds is not None:
            return self._by_facts(kind, form, batch.stories)
        return self._by_answers(kind, form, batch)

    def _by_facts(self, kind: Tensor, form: Tensor, stories: Passages) -> tuple[Tensor, Tensor]:
        label = [k for lesson in stories.lessons for k in lesson.kinds or ()]
        known = [
            [-1 if lesson.forms[entity] is None else lesson.forms[entity] for entity in pair]
            for story, lesson in zip(stories.passages, stories.lessons, strict=True)
            for pair in story.pairs
        ]
        label_, forms = torch.tensor(label, device=self.device), torch.tensor(known, device=self.device)
        implied = torch.tensor([k for lesson in stories.lessons for k in lesson.implied], device=self.device)
        # A pair without a fact of its own is read as none; the kinds beside none learn what follows for it.
        besides = cross_entropy(kind[:, :-1], implied, ignore_index=UNKNOWN_KIND, reduction="sum") / len(kind)
        loss = cross_entropy(kind, label_) + _IMPLIED * besides + 0.5 * _form_loss(form, forms)
        return loss, (kind.detach().argmax(1) == label_).float().mean() * len(stories)

    def _by_answers(self, kind: Tensor, form: Tensor, batch: PassageBatch) -> tuple[Tensor, Tensor]:
        """Return the loss and the hits where only answers teach: they should follow from the readings."""
        story, first, second = self._places(batch.stories.passages)
        found = self._closed(kind.softmax(-1)[:, :-1], story, first, second, batch.stories.passages) + _TINY
        target = self._meaning()[batch.target]  # [B, 2]
        right = found.gather(1, target[:, :1].clamp(min=0))[:, 0]
        loss = -(right / found.sum(1)).log() - 0.1 * right.clamp(max=1).log()
        loss = torch.where(target[:, 0] >= 0, loss, 0.0)
        asked = torch.tensor([passage.query[1] for passage in batch.stories.passages], device=self.device)
        forms = torch.stack([first, second], 1)
        forms = torch.where(forms == asked[story][:, None], target[story][:, 1:], -1)
        hits = (found.detach().argmax(1) == target[:, 0]).sum()
        return loss.mean() + _form_loss(form, forms), hits

    def _closed(
        self, shares: Tensor, story: Tensor, first: Tensor, second: Tensor, passages: tuple[Passage, ...]
    ) -> Tensor:  # [B, C]
        """Return how likely each kind is between the two queried entities: as read, or as follows in two
        rounds."""
        most = max(len(passage.names) for passage in passages)
        read = shares.new_zeros(len(passages), most, most, len(self.kinds))
        read = read.index_put((story, first, second), shares)
        read = read.index_put((story, second, first), shares[:, self.kinds.converse.to(self.device)])
        rules, known = self.kinds.possible.to(read), read
        for _ in range(2):
            follows = torch.einsum("bila,bljd,adc->bijc", known, known, rules).clamp(max=1)
            known = 1 - (1 - read) * (1 - follows)
        asked = torch.tensor([passage.query for passage in passages], device=self.device)
        return known[torch.arange(len(passages), device=self.device), asked[:, 0], asked[:, 1]]

    @torch.no_grad()
    def settle(self, stories: Passages, taught: Tensor) -> None:
        """Count the table: from the stories' facts, or else from what is read in those of three entities."""
        stories = stories.select(taught.to(stories.target.device))
        counts = stories.counts.clone()
        if stories.lessons[0].kinds is None:
            counts = self._counted(stories)
        self.table.copy_(rule_table(counts.cpu(), self.kinds, stories.trust))

    def _counted(self, stories: Passages) -> Tensor:
        counts = torch.zeros(self.kinds.possible.shape)
        chosen = [i for i, passage in enumerate(stories.passages) if len(passage.names) == 3]
        meaning, converse = self._meaning().cpu(), self.kinds.converse
        for part in torch.split(torch.tensor(chosen, dtype=torch.int64), 500):
            some = stories.select(part.to(stories.target.device))
            kind = self.read(some.passages)[0].cpu()
            best = kind[:, :-1].argmax(1)
            first = 0
            for passage, answer in zip(some.passages, meaning[some.target.cpu()][:, 0].tolist(), strict=True):
                place = {pair: first + i for i, pair in enumerate(passage.pairs)}
                first += len(passage.pairs)
                start, end = passage.query
                (middle,) = {0, 1, 2} - {start, end}
                steps = [(start, middle), (middle, end)]
                if answer >= 0 and all((min(step), max(step)) in place for step in steps):
                    a, b = (
                        int(best[place[x, y]] if x < y else converse[best[place[y, x]]]) for x, y in steps
                    )
                    counts[a, b, answer] += bool(self.kinds.possible[a, b, answer])
        return counts * (counts >= _RARE * counts.sum())

    # Answering

    def forward(self, batch: PassageBatch) -> Tensor:  # [B, relations]
        """Return the logarithm of how likely each answer is."""
        passages = batch.stories.passages
        kind, form = self.read(passages)
        found = self.folded(passages, kind)
        label = self.kinds.label.to(kind.device)  # [C, F]
        each = found[..., None]  # [B, C, F]
        if label.shape[1] > 1:
            second = self.queried_form(form, passages).sigmoid()[:, None]
            each = torch.stack([found * (1 - second), found * second], -1)
        label, each = label.flatten(), each.flatten(1)
        scores = each.new_zeros(len(passages), self.relations)
        return scores.index_add(1, label.clamp(min=0), each * (label >= 0)).clamp(min=1e-12).log()

    def folded(self, passages: Sequence[Passage], kind: Tensor) -> Tensor:  # [B, C]
        """Return how likely each kind is between the two queried entities. kind: read of all pairs."""
        converse = self.kinds.converse.to(kind.device)
        return answered(passages, kind, converse, self.table, self.exchanged(passages))

    @torch.no_grad()
    def read(self, passages: tuple[Passage, ...]) -> tuple[Tensor, Tensor]:
        """Read every pair of the stories, from both ends; windows that are the same are encoded once."""
        was, _ = self.training, self.eval()
        pairs = [(story, pair) for story in passages for pair in story.pairs]
        windows = [
            (i, window) for i, (story, pair) in enumerate(pairs) for window in self._windows(story, pair)
        ]
        rows = [
            self.tokens.window(window, pairs[i][0].names, *ends)
            for i, window in windows
            for ends in (pairs[i][1], pairs[i][1][::-1])
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
        kind, form = (kind[0::2] + kind[1::2]) / 2, (form[0::2] + form[1::2]) / 2
        if len(windows) == len(pairs):
            return kind, form
        return joined(kind, form, torch.tensor([i for i, _ in windows], device=self.device))

    def _windows(self, story: Passage, pair: Pair) -> tuple[tuple[Piece, ...], ...]:
        return story.apart(pair) if self.apart else (story.window(pair),)

    def _read(self, rows: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> tuple[Tensor, Tensor]:
        tokens = padded([row[0] for row in rows], self.tokens.padding, self.device)
        whose = padded([row[1] for row in rows], 0, self.device)
        kind, form = self.reader(tokens, whose, self.tokens.padding)
        return kind, form

    def _turned(self, kind: Tensor, form: Tensor, turn: Tensor) -> tuple[Tensor, Tensor]:
        """Readings from the other end as those from this end."""
        converse = self.kinds.converse.to(kind.device)
        back = torch.cat([converse, converse.new_tensor([len(converse)])])
        turn = turn[:, None]
        return torch.where(turn, kind[:, back], kind), torch.where(turn, form.flip(1), form)

    def queried_form(self, form: Tensor, passages: tuple[Passage, ...]) -> Tensor:  # [B]
        """Return the mean over all readings of the second queried entity; 0 where there are none.

        Surer readings weigh more: a name alone tells less than a relation word.
        """
        story, first, second = self._places(passages)
        asked = torch.tensor([passage.query[1] for passage in passages], device=self.device)[story]
        weight = form.abs() * torch.stack([first == asked, second == asked], 1)
        total = form.new_zeros(len(passages)).index_add(0, story, (form * weight).sum(1))
        weights = form.new_zeros(len(passages)).index_add(0, story, weight.sum(1))
        return total / weights.clamp(min=_TINY)

    def _places(self, passages: tuple[Passage, ...]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the story of every pair, its first and its second entity."""
        rows = [(i, *pair) for i, passage in enumerate(passages) for pair in passage.pairs]
        story, first, second = (
            torch.tensor(rows, dtype=torch.int64, device=self.device).reshape(-1, 3).unbind(1)
        )
        return story, first, second

    def _meaning(self) -> Tensor:  # [relations, 2]
        """Return the kind and the form of each answer; -1 for one that is no relation of the world."""
        meaning = torch.full((self.relations, 2), -1)
        for kind, labels in enumerate(self.kinds.label.tolist()):
            for form, label in enumerate(labels):
                if label >= 0:
                    meaning[label] = torch.tensor([kind, form if len(labels) > 1 else ANY])
        return meaning.to(self.device)


def joined(kind: Tensor, form: Tensor, pair: Tensor) -> tuple[Tensor, Tensor]:
    """Return the readings of several windows as one of each pair. pair [W]: of each window, from 0 upwards.

    A fact is stated if any window states one. Which one it is: windows vote in proportion to how
    surely they state one. Forms count by how sure they are.
    """
    count = int(pair.max()) + 1

    def total(values: Tensor) -> Tensor:
        return values.new_zeros(count, *values.shape[1:]).index_add(0, pair, values)

    kind = kind.log_softmax(-1)
    stated = (1 - kind[:, -1].exp()).clamp(min=_TINY)
    most = stated.new_zeros(count).scatter_reduce(0, pair, stated, "amax")
    votes = total((stated / most[pair])[:, None] * kind[:, :-1].log_softmax(-1)).log_softmax(-1)
    none = total(kind[:, -1:])
    some = (1 - none.exp()).clamp(min=_TINY).log()
    weight = form.abs() + _TINY
    return torch.cat([votes + some, none], 1), total(form * weight) / total(weight)


def _form_loss(second: Tensor, forms: Tensor) -> Tensor:
    """Return the loss of the log odds of the second form. forms: -1 where they are not known."""
    known = forms >= 0
    if not bool(known.any()):
        return second.sum() * 0
    return binary_cross_entropy_with_logits(second[known], forms[known].float())
