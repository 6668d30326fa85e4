"""The three parts of a model (section 3.1 of the paper), each a small interface.

    reader       the words of a batch   -> Reading: vectors for what the text says
    processor    Reading                -> States: a vector for each entity and one for the whole
    classifier   States and the query   -> a score for every relation

A part is made from `Sizes` alone. A model is a `Recipe`: three parts, and what its nodes are.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pyarrow as pa
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from clutrr.models.batch import Batch, Stories, encode
from clutrr.models.vocabulary import UNKNOWN, Vocabulary
from clutrr.puzzle import CANNOT_BE_TOLD


@dataclass(frozen=True)
class Sizes:
    """The paper's sizes, and those of the data. Parts meet at `embedding` and `state`.

    words: numbers that tokens can have. relations: the answers. embedding: of a word and of an
    edge. state: of a node and of the whole. answers: for each relation the number of its own
    word, where the vocabulary has it. forms: its kind and gender, as in `Vocabulary`. untold: the number
    of the answer `cannot be told`, if it is one.
    """

    words: int
    relations: int
    embedding: int = 100
    state: int = 100
    answers: tuple[int | None, ...] = ()
    forms: tuple[tuple[int, int], ...] = ()
    untold: int | None = None

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Sizes":
        numbers = vocabulary.numbers(relation.lower() for relation in vocabulary.relations)
        answers = (None if number == UNKNOWN else int(number) for number in numbers)
        relations = vocabulary.relations
        untold = relations.index(CANNOT_BE_TOLD) if CANNOT_BE_TOLD in relations else None
        return cls(
            vocabulary.size, len(relations), answers=tuple(answers), forms=vocabulary.forms, untold=untold
        )


@dataclass(frozen=True)
class Reading:
    """What a reader makes of a batch; each processor uses some of it.

    Equal sentences make equal edges: `edges[edge_of]` is what the text says of each node and
    neighbour, [B, n, D, embedding]; `edges[way]` is what it says between places on the way from the
    first queried person to the second, where it says anything, [B, P, P, embedding]. Of windows
    (`WindowReader`) there are two edges each, [E, 2, embedding]: of the person named second as seen by the
    first, and the other way round; `edges[edge_of]` is then [B, W, 2, embedding]. tells: the log odds that
    a window tells anything. around: how much of its edges is not told by single words, as a mean square.
    """

    edges: Tensor | None = None  # [E, embedding]
    edge_of: Tensor | None = None  # [B, n, D]
    way: Tensor | None = None  # [B, P, P]
    tells: Tensor | None = None  # [E]
    around: Tensor | None = None  # [E]
    nodes: Tensor | None = None  # [B, n, state]
    whole: Tensor | None = None  # [B, state]


@dataclass(frozen=True)
class States:
    """What is known of each entity and of the story as a whole.

    aside: in training, what a processor adds to the loss of the answers.
    """

    nodes: Tensor  # [B, n, state]
    whole: Tensor  # [B, state]
    aside: Tensor | None = None  # []


class Reader(nn.Module, ABC):
    """Reads the text."""

    @abstractmethod
    def forward(self, batch: Batch) -> Reading: ...


class Processor(nn.Module, ABC):
    """Reasons over what was read."""

    @abstractmethod
    def forward(self, reading: Reading, batch: Batch) -> States: ...


class Classifier(nn.Module, ABC):
    """Answers the query: scores [B, relations] before the softmax."""

    @abstractmethod
    def forward(self, states: States, batch: Batch) -> Tensor: ...


@dataclass(frozen=True)
class Recipe:
    """A model by its parts. values: attribute values are nodes beside the people. windows: it reads the
    windows on each two people."""

    reader: Callable[[Sizes], Reader]
    processor: Callable[[Sizes], Processor]
    classifier: Callable[[Sizes], Classifier]
    values: bool = False
    windows: bool = False
    recorded: ClassVar[bool] = True  # on a GPU, a step is recorded once and replayed

    def make(self, vocabulary: Vocabulary) -> "Model":
        return self.build(Sizes.of(vocabulary))

    def encode(self, table: pa.Table, vocabulary: Vocabulary, teach: bool = False) -> Stories:
        """The stories of a table for this model; they are the same in training and in testing."""
        return encode(table, vocabulary, self.values, self.windows)

    @property
    def reads(self) -> tuple[bool, bool]:
        """Models for which this is equal read the same stories."""
        return self.values, self.windows

    def build(self, sizes: Sizes) -> "Model":
        return Model(self.reader(sizes), self.processor(sizes), self.classifier(sizes))


class Answering(nn.Module, ABC):
    """A model that learns by the cross-entropy of its answers."""

    @abstractmethod
    def forward(self, batch: Batch) -> Tensor: ...  # [B, relations]

    def learn(self, batch: Any) -> tuple[Tensor, Tensor]:
        """The loss of a batch, and how many of its answers are right."""
        return self._judge(self(batch), batch)

    def _judge(self, scores: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        return cross_entropy(scores, batch.target), (scores.detach().argmax(1) == batch.target).sum()


class Model(Answering):
    """Reader, processor, classifier, one after the other."""

    def __init__(self, reader: Reader, processor: Processor, classifier: Classifier) -> None:
        super().__init__()
        self.reader = reader
        self.processor = processor
        self.classifier = classifier

    def forward(self, batch: Batch) -> Tensor:  # [B, relations]
        return self.answers(batch)[0]

    def learn(self, batch: Any) -> tuple[Tensor, Tensor]:
        """The loss of a batch, with what the processor adds to it, and how many answers are right."""
        scores, aside = self.answers(batch)
        loss, right = self._judge(scores, batch)
        return loss if aside is None else loss + aside, right

    def answers(self, batch: Batch) -> tuple[Tensor, Tensor | None]:
        """Scores [B, relations]; and in training what the processor adds to the loss, if it does."""
        states: States = self.processor(self.reader(batch), batch)
        scores: Tensor = self.classifier(states, batch)
        return scores, states.aside


class SelfTaught(nn.Module, ABC):
    """A model with a loss and a pace of its own."""

    @abstractmethod
    def learn(self, batch: Any) -> tuple[Tensor, Tensor]:
        """The loss of a batch, and how many of its stories count as right."""

    @abstractmethod
    def groups(self, rate: float) -> list[tuple[list[nn.Parameter], float]]:
        """The weights in groups, each with its learning rate."""

    @abstractmethod
    def pace(self, done: float) -> float:
        """The learning rate as a share of its largest, when `done` of the training is done."""

    @abstractmethod
    def settle(self, stories: Any) -> None:
        """Count what is to be counted from the training stories, before it is tested."""
