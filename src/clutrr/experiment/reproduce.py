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

from clutrr.auditor import audit, questions
from clutrr.data import open_dataset
from clutrr.errors import ConfigError, DataError, OutputError
from clutrr.experiment.cells import CellJob, ToldStories, run_cells
from clutrr.experiment.config import DEVICES, choose_device, reads_with_encoder
from clutrr.experiment.job import TrainJob
from clutrr.experiment.matrix import (
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
from clutrr.experiment.run import own_model
from clutrr.files import (
    MANIFEST,
    Where,
    file_digest,
    is_empty,
    load_json,
    locked,
    replace_files,
    replace_text,
    where,
    writing,
)
from clutrr.generator.folder import Job, generate_folder
from clutrr.models import blueprint
from clutrr.models.text.encoder import encoder_digest
from clutrr.scoring.result import Result
from clutrr.wording.learning import learn, write_world
from clutrr.workers import Crew
from clutrr.world import load_world

AUDIT = "audit.json"
_LOCK = ".lock"
Say = Callable[[str], None]


def reproduce(
    matrix: Matrix,
    out: Where,
    device: str,
    say: Say = lambda text: None,
    crew: Crew | None = None,
    command: str = "",
) -> Iterator[Result]:
    """Run the experiment; yield the result of each cell as it comes.

    - crew: who does the work, instead of local processes; its workers must see OUT
    - command: as it was typed, kept with each result
    """
    on = _device(device, crew)
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file; an experiment is a folder")
    check_inputs(matrix)
    with writing(out), locked(out / _LOCK):
        _claim(matrix, out)
        # Workers may be elsewhere, with a current folder of their own.
        stories, tests = _StoryMaker(matrix, out.absolute(), say, crew).stories()
        if not load_json(out / AUDIT):
            say("auditing them")
            replace_text(out / AUDIT, json.dumps(_audit(matrix, stories, tests, crew), indent=1) + "\n")
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
        hands = crew.on_gpus() if crew and on == "cuda" else crew
        yield from run_cells(jobs, os.cpu_count() or 1, hands)


def _device(named: str, crew: Crew | None) -> str:
    """Return the device that is trained on; by workers, a GPU if one is asked for, or if there is any."""
    if crew is None or named not in DEVICES:
        return choose_device(named).type
    if named == "cpu" or crew.on_gpus():
        return "cpu" if named == "cpu" else "cuda"
    if named == "cuda":
        raise ConfigError("device: no worker offers a GPU: start workers with --resources GPU=1")
    return "cpu"


def check_inputs(matrix: Matrix) -> None:
    """Find what is bound to fail, before anything is written."""
    for model in matrix.models:
        blueprint(model, matrix.how.encoder if reads_with_encoder(model) else "")
    for style in matrix.style_names:
        data = [("data", source) for source in matrix.data_in(style)]
        for name, source in (*data, ("test", matrix.tested_in(style))):
            given = source if isinstance(source, str) else matrix.wording
            if given and not where(given).exists():
                raise ConfigError(f"{name}: there is no {given}")
            if isinstance(source, Generated) and not given:
                with at_place(name):
                    source.config.for_world(load_world(source.world))


def _claim(matrix: Matrix, out: Where) -> None:
    """Claim the folder for this experiment; refused if it is another's, even if only files differ."""
    path, inputs = out / MATRIX, _inputs(matrix)
    empty = is_empty(out, MATRIX, INPUTS, _LOCK)  # a look before the next: another run may be beginning
    if path.exists():
        if load_matrix(path) != matrix:
            raise OutputError(f"{out} holds another experiment (see {path}): choose another folder")
        before = load_json(out / INPUTS)
        for name in inputs:
            if before.get(name) != inputs[name]:
                raise OutputError(f"{out} holds an experiment on another {name}: choose another folder")
        return
    if not empty:
        raise OutputError(f"{out} already holds something else: choose another folder")
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


def _checksum(path: Where) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class _StoryMaker:
    """Makes the stories of an experiment."""

    matrix: Matrix
    out: Where
    say: Say
    crew: Crew | None

    def stories(self) -> tuple[dict[str, ToldStories], dict[str, ToldStories]]:
        """Return the stories to train and to test on, by style; what is to be generated is generated."""
        matrix, trained, tested = self.matrix, {}, {}
        learnt = str(self._learn(matrix.wording)) if matrix.wording else None
        for style in matrix.style_names:
            trained[style] = tested[style] = self._told("data", style, matrix.data_in(style), learnt)
            if matrix.test is not None:
                tested[style] = self._told("test", style, [matrix.tested_in(style)], learnt)
        return trained, tested

    def _learn(self, files: str) -> Where:
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

    def _told(self, part: str, style: str, sources: Sequence[Source], learnt: str | None) -> ToldStories:
        """Return stories: made in a folder, each of several data sets in its own, or found where they are."""
        generated = [source for source in sources if isinstance(source, Generated)]
        if not generated:
            return ToldStories(
                where(str(sources[0])).absolute(), style, load_world(learnt) if learnt else None
            )
        folder, several = self.out / part / style, len(generated) > 1
        names = distinct([source.config.preset or source.world for source in generated])
        for source, name in zip(generated, names, strict=True):
            config = source.config
            count, in_style = len(config.k) * (config.train + config.test), f", {style}" if style else ""
            self.say(f"generating {count:,} stories, preset {config.preset}{in_style}")
            place = folder / name if several else folder
            generate_folder(Job(place, config, learnt or source.world), crew=self.crew)
        # The folder around several data sets does not say their world.
        return ToldStories(folder, style, load_world(learnt or generated[0].world) if several else None)


def _audit(
    matrix: Matrix, stories: Mapping[str, ToldStories], tests: Mapping[str, ToldStories], crew: Crew | None
) -> dict[str, Any]:
    """Return what the audit says of the stories that are tested on, with look-ups fitted on what is trained
    on."""
    cells, verdicts, audits = [], [], {}
    known = {style: questions(open_dataset(s.data, s.world), "train") for style, s in stories.items()}
    for style, test in tests.items():
        sets = {
            training_set(ks, trained): {one: times for one, times in every.items() if one.k in ks}
            for trained, every in known.items()
            if matrix.tests_style(trained, style)
            for ks in matrix.train
        }
        found = audit(open_dataset(test.data, test.world), training_sets=sets, crew=crew)
        cells += [{**cell, "test": test.subset(cell["test"])} for cell in found.matrix]
        verdicts += [test.subset(verdict) for verdict in found.verdicts]
        subsets = asdict(found)["subsets"]
        audits[style] = {"data": str(test.data), "world": found.world, "subsets": subsets}
    return {"matrix": cells, "verdicts": verdicts, "audits": audits}
