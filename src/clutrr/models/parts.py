"""The interface of every model, and models made of three parts (section 3.1 of the paper).

    reader       the words of a batch   -> a reading: vectors for what the text says
    processor    a reading              -> States: a vector for each entity and one for the whole
    classifier   States and the query   -> a score for every relation

What a reading is, a reader and its processor agree on. A part is made from `Sizes` alone. A `Recipe` binds
three parts together. A model that reads differently has a `Blueprint` of another kind (`clutrr.models.text`).
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from clutrr._puzzle import CANNOT_BE_TOLD
from clutrr.models.batch import Batch, StoryTensors, encode
from clutrr.models.tokens import UNKNOWN, Vocabulary

R = TypeVar("R")
Loss = Callable[..., Tensor]  # of scores and targets, and of the batch if it takes three


class Encoded(Protocol):
    """Stories as a model takes them. target: a relation of each, by number; unknown_words: how many tokens
    the training stories did not have."""

    @property
    def target(self) -> Tensor: ...  # [N]
    @property
    def unknown_words(self) -> int: ...
    def __len__(self) -> int: ...
    def to(self, device: torch.device) -> Self: ...
    def batch(self, index: Tensor, generator: torch.Generator) -> Any: ...


class Model(nn.Module, ABC):
    """A model: scores for the relations, and how they are learnt.

    recorded: on a GPU, whether a step has the same shapes each time and is recorded once. largest_gradient:
    the norm at which gradients are clipped; None for none.
    """

    recorded = True
    largest_gradient: float | None = None

    @abstractmethod
    def forward(self, batch: Any) -> Tensor:  # [B, relations], before the softmax
        ...

    def learn(self, batch: Any) -> tuple[Tensor, Tensor]:
        """Return the loss of a batch, and how many of its stories count as right."""
        return answer_loss(self(batch), batch.target)

    def parameter_groups(self, rate: float) -> list[dict[str, Any]]:
        """Return the weights in groups, each with its learning rate, as optimizers of torch take them."""
        return [{"params": list(self.parameters()), "lr": rate}]

    def pace(self, done: float) -> float:
        """Return the learning rate as a share of its largest, when `done` of the training is done."""
        return 1.0


class Blueprint(ABC):
    """A plan by which a model is made, and stories are encoded for it."""

    @abstractmethod
    def make(self, vocabulary: Vocabulary) -> Model:
        """Return a model with random weights, drawn from torch's own generator."""

    @abstractmethod
    def encode(self, table: pa.Table, vocabulary: Vocabulary, teach: bool = False) -> Encoded:
        """Return the stories of a table. teach: with what the rows say beyond the text, for training."""


def answer_loss(
    scores: Tensor, target: Tensor, loss: Loss = cross_entropy, batch: Any = None
) -> tuple[Tensor, Tensor]:
    """Return the loss of scores [B, relations], and how many answers are right.

    batch: for a loss that sees it.
    """
    seen = () if batch is None else (batch,)
    return loss(scores, target, *seen), (scores.detach().argmax(1) == target).sum()


def sees_batch(loss: Loss) -> bool:
    """Return whether a loss takes the batch, too: a third argument without a default."""
    try:
        arguments = inspect.signature(loss).parameters.values()
    except ValueError:  # built in
        return False
    needed = [
        one
        for one in arguments
        if one.default is one.empty and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    return len(needed) > 2


@dataclass(frozen=True)
class Sizes:
    """The paper's sizes, and those of the data. Parts meet at `embedding` and `state`.

    words: numbers that tokens can have. relations: the answers. embedding: of a word and of an
    edge. state: of a node and of the whole. answers: for each relation the number of its own
    word, where the vocabulary has it. forms: its kind and form, as in `Vocabulary`. undetermined: the
    number of the answer `cannot be told`, if it is one.
    """

    words: int
    relations: int
    embedding: int = 100
    state: int = 100
    answers: tuple[int | None, ...] = ()
    forms: tuple[tuple[int, int], ...] = ()
    undetermined: int | None = None

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Sizes":
        numbers = vocabulary.numbers(relation.lower() for relation in vocabulary.relations)
        answers = (None if number == UNKNOWN else number for number in numbers)
        relations = vocabulary.relations
        undetermined = relations.index(CANNOT_BE_TOLD) if CANNOT_BE_TOLD in relations else None
        return cls(
            vocabulary.size,
            len(relations),
            answers=tuple(answers),
            forms=vocabulary.forms,
            undetermined=undetermined,
        )


@dataclass(frozen=True)
class Reading:
    """The edges of each node and neighbour, as the text has them: `edges[edge_of]`, [B, n, D, embedding].

    Equal sentences make equal edges.
    """

    edges: Tensor  # [E, embedding]
    edge_of: Tensor  # [B, n, D]


@dataclass(frozen=True)
class States:
    """A vector for each entity and one for the story as a whole.

    extra_loss: in training, what a processor adds to the loss of the answers.
    """

    nodes: Tensor  # [B, n, state]
    whole: Tensor  # [B, state]
    extra_loss: Tensor | float = 0.0  # []


class Reader(nn.Module, ABC, Generic[R]):
    """Reads the text."""

    @abstractmethod
    def forward(self, batch: Batch) -> R: ...


class Processor(nn.Module, ABC, Generic[R]):
    """Reasons over what was read."""

    @abstractmethod
    def forward(self, reading: R, batch: Batch) -> States: ...


class Classifier(nn.Module, ABC):
    """Answers the query: scores [B, relations] before the softmax."""

    @abstractmethod
    def forward(self, states: States, batch: Batch) -> Tensor: ...


@dataclass(frozen=True)
class Recipe(Blueprint):
    """A model by its parts. windows: it reads the windows on each two entities. recorded: see `Model`. loss:
    what is learnt, from scores [B, relations] and targets [B]. A loss with a third argument is given the
    batch, which then has what the rows say beyond the text: `possible`, `facts` and `steps`."""

    reader: Callable[[Sizes], Reader[Any]]
    processor: Callable[[Sizes], Processor[Any]]
    classifier: Callable[[Sizes], Classifier]
    windows: bool = False
    recorded: bool = True
    loss: Loss = cross_entropy

    def make(self, vocabulary: Vocabulary) -> "ThreePartModel":
        sizes = Sizes.of(vocabulary)
        model = ThreePartModel(
            self.reader(sizes), self.processor(sizes), self.classifier(sizes), self.loss
        )
        model.recorded = self.recorded
        return model

    def encode(self, table: pa.Table, vocabulary: Vocabulary, teach: bool = False) -> StoryTensors:
        return encode(table, vocabulary, self.windows, teach and sees_batch(self.loss))


class ThreePartModel(Model):
    """Reader, processor, classifier, one after the other."""

    def __init__(
        self,
        reader: Reader[Any],
        processor: Processor[Any],
        classifier: Classifier,
        loss: Loss = cross_entropy,
    ) -> None:
        super().__init__()
        self.loss, self.sees_batch = loss, sees_batch(loss)
        self.reader = reader
        self.processor = processor
        self.classifier = classifier

    def forward(self, batch: Batch) -> Tensor:  # [B, relations]
        scores: Tensor = self.classifier(self._states(batch), batch)
        return scores

    def learn(self, batch: Batch) -> tuple[Tensor, Tensor]:
        states = self._states(batch)
        scores = self.classifier(states, batch)
        seen = batch if self.sees_batch else None
        loss, right = answer_loss(scores, batch.target, self.loss, seen)
        return loss + states.extra_loss, right

    def _states(self, batch: Batch) -> States:
        states: States = self.processor(self.reader(batch), batch)
        return states


class PairMLP(Classifier):
    """The classifier of the paper's models: p = softmax(MLP([h_T, h_i, h_j])), two layers, for the query
    (i, j)."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(3 * sizes.state, sizes.state),
            nn.ReLU(),
            nn.Linear(sizes.state, sizes.relations),
        )

    def forward(self, states: States, batch: Batch) -> Tensor:
        queried = batch.query[..., None].expand(-1, -1, states.nodes.shape[-1])
        first, second = states.nodes.gather(1, queried).unbind(1)
        scores: Tensor = self.layers(torch.cat([states.whole, first, second], dim=-1))
        return scores


class WholeScores(Classifier):
    """The classifier of processors whose state of the whole is a score for each relation."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()

    def forward(self, states: States, batch: Batch) -> Tensor:
        return states.whole


class Keep(Processor[States]):
    """Leaves the states of a reader as they are: the LSTM baseline has no processor."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()

    def forward(self, reading: States, batch: Batch) -> States:
        return reading
