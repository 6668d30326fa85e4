"""The table that a composer learnt, for a model that reads pairs to fold its readings by."""

from pathlib import Path

from clutrr.errors import ConfigError
from clutrr.experiment.run import load_run
from clutrr.models import AnyModel, Model
from clutrr.models.compose import Compose
from clutrr.models.pairs import Pairs
from clutrr.models.rules import composer_table

COUNTED, LEARNT, BOTH = TABLES = ("counted", "learnt", "both")


def fold_by(model: AnyModel, composer: Path | None, table: str | None) -> str:
    """Let the model fold by the table that the composer of a run learnt; the name of what it folds by.

    table: one of TABLES; where none is named, the learnt one if there is a composer.
    """
    name = table or (COUNTED if composer is None else LEARNT)
    if name not in TABLES:
        raise ConfigError(f"table: no {name!r}; one of {', '.join(TABLES)}")
    if composer is None:
        if name != COUNTED:
            raise ConfigError(f"table: {name} needs --composer, the run of a composer")
        return name
    if name == COUNTED:
        raise ConfigError("table: the counted one needs no composer; leave out --composer")
    if not isinstance(model, Pairs):
        raise ConfigError("composer: only the model pairs folds by a table; leave out --composer")
    run, _, learnt = load_run(composer)
    if not isinstance(learnt, Model) or not isinstance(learnt.processor, Compose):
        raise ConfigError(f"composer: {composer} holds no composer but {run.config.model}")
    if not model.kinds.meaning.keys() & set(run.vocabulary.relations):
        raise ConfigError(f"composer: {composer} knows none of the relations of this model's world")
    model.fold_by(composer_table(learnt.processor, run.vocabulary.relations, model.kinds), name == BOTH)
    return name
