"""A whole experiment, run."""

from collections.abc import Callable, Mapping
from typing import Any

from clutrr._arguments import LocationLike, with_settings
from clutrr._config import read_words
from clutrr._display import notebook_bar
from clutrr._io.executors import open_executor
from clutrr._io.locations import is_location, parse_location
from clutrr._report.experiment import Experiment
from clutrr._report.loading import load_experiment
from clutrr._score.result import Result
from clutrr._train.matrix import at_place, find_matrix, matrix_of
from clutrr._train.reproduce import check_inputs, run_experiment
from clutrr._worlds import BUILTIN
from clutrr.errors import ArgumentError

_CHANGES = ("models", "seeds", "data", "encoder", "epochs", "train", "test")


@with_settings(*_CHANGES)
def reproduce(
    out: LocationLike = "reproduction",
    matrix: LocationLike | Mapping[str, Any] = "builtin:quick",
    *,
    device: str = "auto",
    cluster: str | None = None,
    command: str = "",
    say: Callable[[str], None] = lambda text: None,
    each: Callable[[Result], None] = lambda result: None,
    **changes: Any,
) -> Experiment:
    """Run an experiment, and return it with its results; what is there already is not done again.

    If trainings fail, the others are finished first; `report` shows them.

    - out: the folder for stories, results and report
    - matrix: a name or a file as for `clutrr reproduce`, or its content (docs/matrix-files.md)
    - device: auto, cpu or cuda
    - cluster: the address of a Dask scheduler, whose workers do the work
    - command: to be recorded
    - say, each: called with what is going on, and with each result
    - changes: `models`, `seeds`, `data`, `encoder`, `epochs`, and `train` and `test` stories of each length,
      instead of those of the matrix
    """
    named = changes.get("models") is not None
    if named:
        changes["models"] = read_words(changes["models"], "models")
    if is_location(matrix):
        place = "" if str(matrix).startswith(BUILTIN) else str(matrix)
        start = find_matrix(str(matrix), named)
    elif isinstance(matrix, Mapping):
        place, start = "", matrix_of(matrix)
    else:
        raise ArgumentError("is not a name, a file or a mapping", setting="matrix", value=matrix)
    wanted = start.changed(**changes)
    with at_place(place):
        check_inputs(wanted)
    if wanted.about:
        say(wanted.about)
    folder = parse_location(out)
    bar, total = notebook_bar("Trainings"), sum(1 for _ in wanted.cells())
    with open_executor(cluster, None, say) as executor:
        results = run_experiment(wanted, folder, device, say, executor, command)
        for done, result in enumerate(results, 1):
            each(result)
            bar(done, max(done, total), result.name)
    return load_experiment(folder)
