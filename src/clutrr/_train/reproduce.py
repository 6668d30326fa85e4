"""From nothing to the records of a whole experiment: generate, audit, train, test.

    OUT/matrix.yaml       the experiment
    OUT/inputs.json       checksums of the files it is made from: given data, models that are not ours
    OUT/world/            the wording of the given files, if there are any
    OUT/data/             the stories to train on; a folder each, if there are several data sets or styles
    OUT/test/             the stories to test on, if they are not those of data/; laid out in the same way
    OUT/audit.json        what the audit says about the stories that are tested on, with look-ups
                          fitted on the training sets
    OUT/cells/NAME/       one training each: checkpoint and result.json

When the same command is run again, finished steps are not repeated.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch

from clutrr._audit import examine, questions
from clutrr._data import open_dataset
from clutrr._generate.folder import Job, generate_folder
from clutrr._io.executors import Executor
from clutrr._io.files import file_digest, is_empty, replace_files, replace_text, writing
from clutrr._io.locations import Location, parse_location
from clutrr._io.locks import locked
from clutrr._io.manifests import MANIFEST
from clutrr._io.records import load_json
from clutrr._reading.learning import learn, write_world
from clutrr._score.result import Result
from clutrr._train.cells import CellJob, StorySet, run_cells
from clutrr._train.config import DEVICES, choose_device, reads_with_encoder
from clutrr._train.job import TrainJob
from clutrr._train.matrix import (
    CONTENT_OF,
    INPUTS,
    MATRIX,
    Generated,
    Matrix,
    Source,
    at_place,
    distinct,
    load_matrix,
    matrix_text,
    training_set,
)
from clutrr._train.run import own_model
from clutrr._worlds import load_world
from clutrr.errors import ConfigError, DataError, OutputError
from clutrr.models import blueprint
from clutrr.models.text.encoder import encoder_digest

AUDIT = "audit.json"
_LOCK = ".lock"
Say = Callable[[str], None]


def run_experiment(
    matrix: Matrix,
    out: Location,
    device: str,
    say: Say = lambda text: None,
    executor: Executor | None = None,
    command: str = "",
) -> Iterator[Result]:
    """Run the experiment; yield the result of each cell as it comes.

    - executor: who does the work, instead of local processes; its workers must see OUT
    - command: as it was typed, kept with each result
    """
    on = _device(device, executor)
    if out.exists() and not out.is_dir():
        raise OutputError("is a file; an experiment is a folder", place=out)
    check_inputs(matrix)
    with writing(out), locked(out / _LOCK):
        _claim(matrix, out)
        # Workers may be elsewhere, with a current folder of their own.
        stories, tests = _StoryMaker(matrix, out.absolute(), say, executor).stories()
        if not load_json(out / AUDIT):
            say("auditing them")
            replace_text(
                out / AUDIT, json.dumps(_audit(matrix, stories, tests, executor), indent=1) + "\n"
            )
        jobs = [
            CellJob(
                cell.name,
                cell.train,
                TrainJob(
                    stories[cell.style].data,
                    out.absolute() / "cells" / cell.name,
                    matrix.training(cell),
                    torch.device(on),
                    world=stories[cell.style].world,
                ),
                tuple(tests[style] for style in tests if matrix.tests_style(cell.style, style)),
                command,
            )
            for cell in matrix.cells()
        ]
        say(f"training {len(jobs)} models on {on}")
        workers = executor.on_gpus() if executor and on == "cuda" else executor
        yield from run_cells(jobs, os.cpu_count() or 1, workers)


def _device(named: str, executor: Executor | None) -> str:
    """Return the device that is trained on; by workers, a GPU if one is asked for, or if there is any."""
    if executor is None or named not in DEVICES:
        return choose_device(named).type
    if named == "cpu" or executor.on_gpus():
        return "cpu" if named == "cpu" else "cuda"
    if named == "cuda":
        raise ConfigError(
            "no worker offers a GPU", setting="device", hint="start workers with --resources GPU=1"
        )
    return "cpu"


def check_inputs(matrix: Matrix) -> None:
    """Find what is bound to fail, before anything is written."""
    for model in matrix.models:
        blueprint(model, matrix.how.encoder if reads_with_encoder(model) else "")
    for style in matrix.style_names:
        data = [("data", source) for source in matrix.data_in(style)]
        for name, source in (*data, ("test", matrix.tested_in(style))):
            given = source if isinstance(source, str) else matrix.wording
            if given and not parse_location(given).exists():
                raise ConfigError(f"there is no {given}", setting=name)
            if isinstance(source, Generated) and not given:
                with at_place(name):
                    source.config.for_world(load_world(source.world))


def _claim(matrix: Matrix, out: Location) -> None:
    """Claim the folder for this experiment; refused if it is another's, even if only files differ."""
    path, inputs = out / MATRIX, _inputs(matrix)
    empty = is_empty(
        out, MATRIX, INPUTS, _LOCK
    )  # a look before the next: another run may be beginning
    if path.exists():
        if load_matrix(path) != matrix:
            raise OutputError(
                f"holds another experiment (see {path})", place=out, hint="choose another folder"
            )
        before = load_json(out / INPUTS)
        for name in inputs:
            if before.get(name) != inputs[name]:
                raise OutputError(
                    f"holds an experiment on another {name}",
                    place=out,
                    hint="choose another folder",
                )
        return
    if not empty:
        raise OutputError("already holds something else", place=out, hint="choose another folder")
    # The last file is put in place first: if there is a matrix, its inputs are there too.
    content = {MATRIX: matrix_text(matrix), INPUTS: json.dumps(inputs, indent=1) + "\n"}
    replace_files(out, content)


def _inputs(matrix: Matrix) -> dict[str, Any]:
    """The checksum of every file that the experiment is made from."""
    found: dict[str, Any] = {}
    for given in (*matrix.data, matrix.test, matrix.wording):
        if given and isinstance(given, str):
            files = {str(file.named): file.path for file, _ in open_dataset(given).files}
            found[f"{CONTENT_OF}{given}"] = {name: _checksum(path) for name, path in files.items()}
    for model in matrix.models:
        if file := own_model(model):
            found[f"{CONTENT_OF}{file}"] = _checksum(file)
    if checksum := encoder_digest(matrix.how.encoder):
        found[f"{CONTENT_OF}{matrix.how.encoder}"] = checksum
    return found


def _checksum(path: Location) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", place=path) from None


@dataclass(frozen=True)
class _StoryMaker:
    """Makes the stories of an experiment."""

    matrix: Matrix
    out: Location
    say: Say
    executor: Executor | None

    def stories(self) -> tuple[dict[str, StorySet], dict[str, StorySet]]:
        """Return the stories to train and to test on, by style; what is to be generated is generated."""
        matrix, trained, tested = self.matrix, {}, {}
        learnt = str(self._learn(matrix.wording)) if matrix.wording else None
        for style in matrix.style_names:
            trained[style] = tested[style] = self._told(
                "data", style, matrix.data_in(style), learnt
            )
            if matrix.test is not None:
                tested[style] = self._told("test", style, [matrix.tested_in(style)], learnt)
        return trained, tested

    def _learn(self, files: str) -> Location:
        """Return the world with the wording of files."""
        world = self.out / "world"
        if not (world / MANIFEST).is_file():
            self.say(f"learning the wording of {files}")
            given = open_dataset(files)
            try:
                write_world(learn(given.puzzles(), "world", given.world), world)
            except OutputError:
                if not (world / MANIFEST).is_file():  # else another run has just written it
                    raise
        return world

    def _told(
        self, part: str, style: str, sources: Sequence[Source], learnt: str | None
    ) -> StorySet:
        """Return stories: made in a folder, each of several data sets in its own, or found where they are."""
        generated = [source for source in sources if isinstance(source, Generated)]
        if not generated:
            return StorySet(
                parse_location(str(sources[0])).absolute(),
                style,
                load_world(learnt) if learnt else None,
            )
        folder, several = self.out / part / style, len(generated) > 1
        names = distinct([source.config.preset or source.world for source in generated])
        for source, name in zip(generated, names, strict=True):
            config = source.config
            count, in_style = (
                len(config.k) * (config.train + config.test),
                f", {style}" if style else "",
            )
            self.say(f"generating {count:,} stories, preset {config.preset}{in_style}")
            place = folder / name if several else folder
            generate_folder(Job(place, config, learnt or source.world), executor=self.executor)
        # The folder around several data sets does not say their world.
        return StorySet(
            folder, style, load_world(learnt or generated[0].world) if several else None
        )


def _audit(
    matrix: Matrix,
    stories: Mapping[str, StorySet],
    tests: Mapping[str, StorySet],
    executor: Executor | None,
) -> dict[str, Any]:
    """Return what the audit says of the stories that are tested on, with look-ups fitted on what is trained
    on."""
    cells, verdicts, audits = [], [], {}
    known = {
        style: questions(open_dataset(s.data, s.world), "train") for style, s in stories.items()
    }
    for style, test in tests.items():
        sets = {
            training_set(ks, trained): {one: times for one, times in every.items() if one.k in ks}
            for trained, every in known.items()
            if matrix.tests_style(trained, style)
            for ks in matrix.train
        }
        found = examine(open_dataset(test.data, test.world), training_sets=sets, executor=executor)
        cells += [{**cell, "test": test.subset(cell["test"])} for cell in found.matrix]
        verdicts += [test.subset(verdict) for verdict in found.verdicts]
        subsets = asdict(found)["subsets"]
        audits[style] = {"data": str(test.data), "world": found.world, "subsets": subsets}
    return {"matrix": cells, "verdicts": verdicts, "audits": audits}
