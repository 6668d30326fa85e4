"""What a model that reads pairs takes from elsewhere when it is tested: the table that a composer learnt,
other readers, and what the stories to be answered have in common."""

from dataclasses import dataclass

from clutrr.errors import ConfigError
from clutrr.experiment.run import Run, load_run
from clutrr.experiment.source import Tables
from clutrr.models import AnyModel, AnyRecipe, Model, Passages, Vocabulary
from clutrr.models.compose import Compose
from clutrr.models.pairs import Pairs
from clutrr.models.rules import composer_table
from clutrr.storage import Where

COUNTED, LEARNT, BOTH = TABLES = ("counted", "learnt", "both")


@dataclass(frozen=True)
class Beside:
    """Runs beside the one that is tested. readers: of the model pairs, which read the same stories.

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
        """What is added to the model's name where its answers are shown."""
        more = len(self.readers)
        parts = [
            *([] if self.composer is None else [f"{self.folded_by} table"]),
            *([f"{more + 1} readers"] if more else []),
        ]
        return f" ({', '.join(parts)})" if parts else ""

    def join(self, run: Run, model: AnyModel) -> None:
        """Let the model of a run fold by the composer's table, and read together with the readers."""
        if self == Beside():
            return
        if not isinstance(model, Pairs):
            raise ConfigError(f"{run.config.model}: only pairs takes --composer and --with; leave them out")
        if self.composer is not None:
            self._fold_by(model, self.composer)
        model.read_with([_reader(folder, run, model) for folder in self.readers])

    def _fold_by(self, model: Pairs, folder: Where) -> None:
        run, _, learnt = load_run(folder)
        if not isinstance(learnt, Model) or not isinstance(learnt.processor, Compose):
            raise ConfigError(f"composer: {folder} holds no composer but {run.config.model}")
        relations = run.vocabulary.relations
        if not model.kinds.meaning.keys() & set(relations):
            raise ConfigError(f"composer: {folder} knows none of the relations of this model's world")
        model.fold_by(composer_table(learnt.processor, relations, model.kinds), self.folded_by == BOTH)


def _reader(folder: Where, beside: Run, model: Pairs) -> Pairs:
    run, _, reader = load_run(folder)
    if not isinstance(reader, Pairs):
        raise ConfigError(f"with: {folder} holds no pairs but {run.config.model}")
    if reader.kinds.names != model.kinds.names or run.vocabulary.relations != beside.vocabulary.relations:
        raise ConfigError(f"with: {folder} gives other answers than the run beside it")
    return reader


def let_agree(model: AnyModel, made_from: AnyRecipe, vocabulary: Vocabulary, tables: Tables) -> None:
    """Let the stories of all subsets agree on which wordings tell a fact the wrong way round."""
    if not isinstance(model, Pairs):
        raise ConfigError("--agree is for the model pairs, which alone reads pairs of people; leave it out")
    encoded = [made_from.encode(table, vocabulary) for table in tables.values() if table.num_rows]
    model.eval()
    model.agree([one for part in encoded if isinstance(part, Passages) for one in part.passages])
