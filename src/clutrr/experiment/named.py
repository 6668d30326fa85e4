"""The commands that run an experiment: by the name of a matrix that ships, if there is one."""

import re
import shlex
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePath

from clutrr.errors import ConfigError
from clutrr.experiment.matrix import Folder, Matrix, Source
from clutrr.experiment.matrix_file import find_matrix, seeds_text, shipped
from clutrr.world.load import BUILTIN, builtin_worlds

_ON_HUB = re.compile(r"\w[\w.-]*/[\w.-]+")  # the name of an encoder there: whose it is, and its own


@dataclass(frozen=True)
class Named:
    """name: of the matrix; empty if none that ships is meant. commands: what to run, one after the other."""

    name: str
    commands: tuple[str, ...]


def named(matrix: Matrix) -> Named:
    """The name with the fewest options. An experiment without a name is run from its settings in a file."""
    found = [Named(name, commands) for name in shipped() for commands in _as(name, matrix)]
    own = Named("", (*matrix.prepare, "clutrr reproduce OUT --matrix FILE"))
    return min(found, key=lambda each: len(each.commands[-1].split(" --")), default=own)


def as_named(matrix: Matrix) -> Matrix:
    """The same as the matrix of its name says it: its models in that order, and their settings."""
    if not (name := named(matrix).name):
        return matrix
    ours = find_matrix(f"{BUILTIN}{name}")
    models = sorted(matrix.models, key=lambda model: (*ours.models, model).index(model))
    there = ours.on_models(tuple(models))
    return replace(
        matrix,
        models=there.models,
        epochs=there.epochs,
        batch=there.batch,
        learning_rate=there.learning_rate,
        about=there.about,
    )


def _as(name: str, matrix: Matrix) -> Iterator[tuple[str, ...]]:
    """The commands, if this matrix is the one of that name, on given files or with other models or seeds."""
    start = find_matrix(f"{BUILTIN}{name}")
    files = given_files(matrix)
    for base in (*_on_files(start, files), start):
        if not _alike(base, matrix):
            continue
        options = []
        if files and files != given_files(start):
            options += ["--data", files]
        if set(matrix.models) != set(base.models):
            options += ["--models", ",".join(matrix.models)]
        if set(matrix.seeds) != set(base.seeds):
            options += ["--seeds", str(seeds_text(matrix.seeds))]
        if matrix.encoder:
            options += ["--encoder", matrix.encoder]
        yield *base.prepare, shlex.join(["clutrr", "reproduce", "OUT", "--matrix", name, *options])
        return


def _on_files(start: Matrix, files: str) -> list[Matrix]:
    try:
        return [start.on_files(files)] if files else []
    except ConfigError:  # stories in several styles cannot be those of files
        return []


def _alike(one: Matrix, other: Matrix) -> bool:
    """Whether they differ at most in models and seeds, and in where their files are."""
    here, there = anywhere(one), anywhere(other)
    stories = ("data", "train", "test", "styles")
    return all(getattr(here, part) == getattr(there, part) for part in stories) and all(
        here.training(cell) == there.training(cell) for cell in there.cells()
    )


def given_files(matrix: Matrix) -> str:
    """The folder or files that the experiment is about, if its stories are not made from nothing."""
    if matrix.wording is not None:
        return matrix.wording
    return next((source.path for source in matrix.data if isinstance(source, Folder)), "")


def portable(matrix: Matrix, inputs: Container[str] = ()) -> Matrix:
    """The same with the names of its files and of its encoder, without where they are on this machine.

    inputs: the names of those whose checksums are known. An encoder of the hub is not among them: it keeps
    its whole name.
    """
    encoder, name = matrix.encoder, PurePath(matrix.encoder).name
    if name in inputs or not _ON_HUB.fullmatch(encoder):
        encoder = name
    return replace(_moved(matrix, lambda path: PurePath(path).name), encoder=encoder)


def anywhere(matrix: Matrix) -> Matrix:
    """The same for all places that its files may have."""
    return replace(_moved(matrix, lambda path: "files"), encoder="")


def _moved(matrix: Matrix, place: Callable[[str], str]) -> Matrix:
    """The same with its files elsewhere; worlds keep their names."""

    def moved(source: Source) -> Source:
        if isinstance(source, Folder):
            return replace(source, path=place(source.path))
        if source.wording is not None:
            return replace(source, wording=place(source.wording))
        if source.world.removeprefix(BUILTIN) in builtin_worlds():
            return source
        return replace(source, world=f"./{PurePath(source.world).name}")

    data, test = (tuple(map(moved, sources)) for sources in (matrix.data, matrix.test))
    return replace(matrix, data=data, test=test)
