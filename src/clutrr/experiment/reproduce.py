"""From nothing to the records of a whole experiment: generate, audit, train, test.

    OUT/matrix.yaml       the experiment
    OUT/inputs.json       checksums of the files it is made from: given data, models that are not ours
    OUT/world/            the wording of the given files, if there are any
    OUT/data/             the stories to train on; one folder each, if there are several data sets or styles
    OUT/test/             the stories to test on, if they are not those of data/; laid out in the same way
    OUT/audit.json        what the audit says about the stories that are tested on, with look-ups
                          fitted on the training sets
    OUT/cells/NAME/       one training each: checkpoint and result.json

When the same command is run again, finished steps are not repeated.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import torch

from clutrr.auditor import audit, questions
from clutrr.auditor.rows import Asked
from clutrr.data import open_dataset
from clutrr.errors import ConfigError, DataError, OutputError
from clutrr.experiment.cells import CellJob, Show, Tests, run_cells
from clutrr.experiment.config import DEVICES, choose_device, reads_with_encoder
from clutrr.experiment.job import TrainJob
from clutrr.experiment.matrix import Folder, Generated, Matrix, Source, labels
from clutrr.experiment.matrix_file import CONTENT_OF, INPUTS, MATRIX, at_place, load_matrix, matrix_text
from clutrr.experiment.run import own_model
from clutrr.files import (
    MANIFEST,
    file_digest,
    is_empty,
    load_json,
    locked,
    replace_files,
    replace_text,
    writing,
)
from clutrr.generator.folder import Job, generate_folder
from clutrr.models import blueprint
from clutrr.models.text.encoder import encoder_digest
from clutrr.scoring import Result
from clutrr.storage import Where, where
from clutrr.wording.learning import learn, write_world
from clutrr.workers import Crew
from clutrr.world import World, load_world

AUDIT = "audit.json"
_LOCK = ".lock"


def reproduce(
    matrix: Matrix,
    out: Where,
    device: str,
    say: Callable[[str], None] = lambda text: None,
    show: Show = lambda progress: None,
    crew: Crew | None = None,
    command: str = "",
) -> Iterator[Result]:
    """Run the experiment; yield the result of each cell as it comes.

    - crew: who does the work, instead of local processes; its workers must see OUT
    - command: as it was typed, kept with each result
    """
    on = choose_device(device).type if crew is None else device_of(crew, device)
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out} is a file; an experiment is a folder")
    check_inputs(matrix)
    with writing(out), locked(out / _LOCK):
        _claim(matrix, out)
        if crew is not None:
            out = out.resolve()  # workers are elsewhere, with a current folder of their own
        stories = _stories(matrix, out, say, crew)
        _audit(matrix, stories, out, say, crew)
        jobs = _jobs(matrix, out, stories, on, crew is not None, command)
        say(f"training {len(jobs)} models on {on}")
        yield from run_cells(
            jobs, os.cpu_count() or 1, show, crew.needing({"GPU": 1}) if crew and on == "cuda" else crew
        )


def device_of(crew: Crew, device: str) -> str:
    """The device that workers train on: a GPU if one is asked for, or if there is any."""
    if device not in DEVICES:
        raise ConfigError(f"device: {device!r} is not one of {', '.join(DEVICES)}")
    if device == "cuda" and not crew.offers("GPU"):
        raise ConfigError("device: no worker offers a GPU: start workers with --resources GPU=1")
    return "cuda" if device == "cuda" or (device == "auto" and crew.offers("GPU")) else "cpu"


def _jobs(
    matrix: Matrix, out: Where, stories: "_ByStyle", device: str, elsewhere: bool, command: str
) -> list[CellJob]:
    """The cells to run. elsewhere: whether workers on other machines do it."""
    if elsewhere:
        stories = {style: found.to_send() for style, found in stories.items()}
    return [
        CellJob(
            cell.name,
            cell.train,
            TrainJob(
                stories[cell.style].data,
                out / "cells" / cell.name,
                matrix.training(cell),
                torch.device(device),
                world=stories[cell.style].world,
            ),
            tuple(
                tests
                for style in matrix.style_names
                if matrix.tests_style(cell.style, style)
                for tests in stories[style].tests
            ),
            command,
        )
        for cell in matrix.cells()
    ]


def check_inputs(matrix: Matrix) -> None:
    """Find what is bound to fail, before anything is written."""
    for model in matrix.models:
        blueprint(model, matrix.encoder if reads_with_encoder(model) else "")
    for style in matrix.style_names:
        for name, sources in (("data", matrix.data_in(style)), ("test", matrix.tested_in(style))):
            for source in sources:
                given = source.path if isinstance(source, Folder) else source.wording
                if given is not None and not where(given).exists():
                    first = f"; it is made by: {'; '.join(matrix.prepare)}" if matrix.prepare else ""
                    raise ConfigError(f"{name}: there is no {given}{first}")
                if isinstance(source, Generated) and source.wording is None:
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
    replace_files(out, content, own=True)


def _inputs(matrix: Matrix) -> dict[str, Any]:
    """The checksum of every file that the experiment is made from."""
    found: dict[str, Any] = {}
    for source in (*matrix.data, *matrix.test):
        given = source.path if isinstance(source, Folder) else source.wording
        if given is not None:
            files = {str(file.named): file.path for file, _ in open_dataset(given).files}
            found[f"{CONTENT_OF}{given}"] = {name: _checksum(path) for name, path in files.items()}
    for model in matrix.models:
        if file := own_model(model):
            found[f"{CONTENT_OF}{file}"] = _checksum(file)
    if encoder := encoder_digest(matrix.encoder):
        found[f"{CONTENT_OF}{matrix.encoder}"] = encoder
    return found


def _checksum(path: Where) -> str:
    try:
        return file_digest(path)
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from None


@dataclass(frozen=True)
class _Stories:
    """Where the stories to train on are, and those to test on. world: of the former, if their folder does not
    say."""

    data: Where
    world: str | World | None
    tests: tuple[Tests, ...]

    def to_send(self) -> "_Stories":
        """The same for other machines: worlds by value, paths from the root."""
        tests = tuple(
            replace(one, data=one.data.absolute(), world=_by_value(one.world)) for one in self.tests
        )
        return _Stories(self.data.absolute(), _by_value(self.world), tests)


def _by_value(world: str | World | None) -> World | None:
    return load_world(world) if isinstance(world, str) else world


_ByStyle = Mapping[str, _Stories]


def _stories(matrix: Matrix, out: Where, say: Callable[[str], None], crew: Crew | None) -> _ByStyle:
    """Generate what is to be generated."""
    learnt = None if matrix.wording is None else str(_learn(matrix.wording, out / "world", say))
    return {style: _in_style(matrix, style, out, learnt, say, crew) for style in matrix.style_names}


def _in_style(
    matrix: Matrix,
    style: str,
    out: Where,
    learnt: str | None,
    say: Callable[[str], None],
    crew: Crew | None,
) -> _Stories:
    folder = out / "data" / style
    data = _placed(matrix.data_in(style), style, folder, learnt, say, crew)
    # The folder around several data sets does not say their world.
    world = learnt or matrix.generated[0].world if len(data) > 1 else None
    tests = data
    if matrix.test:
        tests = _placed(matrix.tested_in(style), style, out / "test" / style, learnt, say, crew)
    return _Stories(folder if len(data) > 1 else data[0].data, world, tests)


def _learn(files: str, world: Where, say: Callable[[str], None]) -> Where:
    """The wording of files, as a world."""
    if not (world / MANIFEST).is_file():
        say(f"learning the wording of {files}")
        given = open_dataset(files)
        try:
            write_world(learn(given.puzzles(), "world", given.world), world)
        except OutputError:
            if not (world / MANIFEST).is_file():  # else another run has just written it
                raise
    return world


def _placed(
    sources: tuple[Source, ...],
    style: str,
    folder: Where,
    learnt: str | None,
    say: Callable[[str], None],
    crew: Crew | None,
) -> tuple[Tests, ...]:
    """The data sets, made in the folder or found where they are."""
    found = []
    for source, label in zip(sources, labels(sources), strict=True):
        if isinstance(source, Folder):
            found.append(Tests(where(source.path), label, learnt, source.k))
            continue
        config, there = source.config, folder / label
        count, in_style = len(config.k) * (config.train + config.test), f", {style}" if style else ""
        say(f"generating {count:,} stories, preset {config.preset}{in_style}")
        generate_folder(Job(there, config, learnt or source.world), crew=crew)
        found.append(Tests(there, style or label))
    return tuple(found)


def _audit(
    matrix: Matrix,
    stories: "_ByStyle",
    out: Where,
    say: Callable[[str], None] = lambda text: None,
    crew: Crew | None = None,
) -> None:
    if load_json(out / AUDIT):
        return
    say("auditing them")
    cells, verdicts, audits = [], [], {}
    known = {style: _known(matrix, style, stories[style]) for style in matrix.style_names}
    for style in matrix.style_names:
        sets = {
            name: found
            for trained in matrix.style_names
            if matrix.tests_style(trained, style)
            for name, found in known[trained].items()
        }
        for tests in stories[style].tests:
            found = audit(open_dataset(tests.data, tests.world), training_sets=sets, crew=crew)
            cells += [{**cell, "test": tests.subset(cell["test"])} for cell in found.matrix]
            verdicts += [tests.subset(verdict) for verdict in found.verdicts]
            subsets = asdict(found)["subsets"]
            audits[tests.label] = {"data": str(tests.data), "world": found.world, "subsets": subsets}
    content = {"matrix": cells, "verdicts": verdicts, "audits": audits}
    replace_text(out / AUDIT, json.dumps(content, indent=1) + "\n")


def _known(matrix: Matrix, style: str, stories: _Stories) -> dict[str, list[Asked]]:
    """The questions of the training sets of a style, by name."""
    every = questions(open_dataset(stories.data, stories.world), "train")
    return {
        trained.name: [question for question in every if question.puzzle.k in trained.k]
        for trained in matrix.training_sets
        if trained.style == style
    }
