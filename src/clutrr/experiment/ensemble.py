"""Tests of a model that reads pairs together with other runs: the table that a composer learnt, and other
readers; and with what the stories to be answered have in common."""

from dataclasses import dataclass

from clutrr.errors import ConfigError
from clutrr.experiment.run import Run, load_run
from clutrr.experiment.source import Tables
from clutrr.models import Model, Vocabulary
from clutrr.models.compose import composer_of
from clutrr.models.text.lessons import read_passages
from clutrr.models.text.pairs import Pairs
from clutrr.models.text.rules import composer_table
from clutrr.storage import Where

COUNTED, LEARNT, BOTH = TABLES = ("counted", "learnt", "both")


@dataclass(frozen=True)
class Ensemble:
    """Other runs that take part when one is tested. readers: of the model pairs, which read the same stories.

    table: one of TABLES; where none is named, the learnt one if there is a composer.
    """

    composer: Where | None = None
    table: str | None = None
    readers: tuple[Where, ...] = ()

    def __post_init__(self) -> None:
        if self.folded_by not in TABLES:
            raise ConfigError(f"table: no {self.table!r}; one of {', '.join(TABLES)}")
        if self.composer is None and self.folded_by != COUNTED:
            raise ConfigError(f"table: {self.table} needs --composer, the run of a composer")
        if self.composer is not None and self.folded_by == COUNTED:
            raise ConfigError("table: the counted one needs no composer; leave out --composer")

    @property
    def folded_by(self) -> str:
        return self.table or (COUNTED if self.composer is None else LEARNT)

    @property
    def name(self) -> str:
        """Return what is added to the model's name where its answers are shown."""
        more = len(self.readers)
        parts = [
            *([] if self.composer is None else [f"{self.folded_by} table"]),
            *([f"{more + 1} readers"] if more else []),
        ]
        return f" ({', '.join(parts)})" if parts else ""

    def join(self, run: Run, model: Model) -> None:
        """Let the model of a run fold by the composer's table, and read together with the readers."""
        if self == Ensemble():
            return
        pairs = as_pairs(model, f"{run.config.model}: only pairs takes --composer and --with; leave them out")
        if self.composer is not None:
            self._fold_by(pairs, self.composer)
        pairs.read_with([_reader(folder, run, pairs) for folder in self.readers])

    def _fold_by(self, model: Pairs, folder: Where) -> None:
        run, _, learnt = load_run(folder)
        composer = composer_of(learnt)
        if composer is None:
            raise ConfigError(f"composer: {folder} holds no composer but {run.config.model}")
        relations = run.vocabulary.relations
        if not model.kinds.meaning.keys() & set(relations):
            raise ConfigError(f"composer: {folder} knows none of the relations of this model's world")
        model.fold_by(composer_table(composer, relations, model.kinds), self.folded_by == BOTH)


def as_pairs(model: Model, otherwise: str) -> Pairs:
    """Return a model that reads pairs as one. otherwise: the message for any other model."""
    if not isinstance(model, Pairs):
        raise ConfigError(otherwise)
    return model


def _reader(folder: Where, first: Run, model: Pairs) -> Pairs:
    run, _, other = load_run(folder)
    reader = as_pairs(other, f"with: {folder} holds no pairs but {run.config.model}")
    if reader.kinds.names != model.kinds.names or run.vocabulary.relations != first.vocabulary.relations:
        raise ConfigError(f"with: {folder} gives other answers than the run beside it")
    return reader


def let_agree(model: Model, vocabulary: Vocabulary, tables: Tables) -> None:
    """Let the stories of all subsets agree on which wordings tell a fact the wrong way round."""
    pairs = as_pairs(model, "--agree is for the model pairs, which alone reads pairs of people; leave it out")
    pairs.eval()
    pairs.agree([one for table in tables.values() for one in read_passages(table, vocabulary).passages])
