"""What Python users call: the same nouns as the commands."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clutrr.errors import ConfigError, extras_named
from clutrr.puzzle import Puzzle
from clutrr.storage import Where, where
from clutrr.world import World, load_world

if TYPE_CHECKING:
    from clutrr.auditor import Audit
    from clutrr.experiment.evaluate import Answers
    from clutrr.experiment.run import Run
    from clutrr.scoring import Result
    from clutrr.solver import Solution

_Place = str | Where
_WorldLike = str | Path | World


def generate(
    preset: str = "sound",
    k: int = 3,
    size: int = 1000,
    seed: int = 0,
    *,
    split: str = "train",
    levels: int | None = None,
    children: int | tuple[int, int] = 3,
    distractors: int = 8,
    order: str | None = None,
    assume: str | None = None,
    undetermined: float | None = None,
    supporting: int = 0,
    irrelevant: int = 0,
    disconnected: int = 0,
    style: str = "sentences",
    brackets: bool = True,
    world: _WorldLike = "kinship",
) -> Sequence[Puzzle]:
    """Puzzles of one subset, as a sequence that is made a block at a time.

    With the same seed, `clutrr generate` writes the same puzzles; a larger size only adds to them.

    >>> puzzles = generate(preset="sound", k=4, size=100, seed=7)
    >>> len(puzzles), puzzles[0].query, puzzles[0].target
    (100, ('Gertrude', 'Lamar'), 'brother')
    """
    from clutrr.generator import SPLITS, Config
    from clutrr.generator import puzzles as made

    if split not in SPLITS:
        raise ConfigError(f"split: {split!r} is not one of {', '.join(SPLITS)}")
    if size < 0:
        raise ConfigError(f"size: {size} is below 0")
    config = Config(
        preset=preset,
        k=(k,),
        train=max(size, 1),
        test=max(size, 1),
        seed=seed,
        levels=levels,
        children=(children, children) if isinstance(children, int) else children,
        distractors=distractors,
        order=order,
        assume=assume,
        undetermined=undetermined,
        supporting=supporting,
        irrelevant=irrelevant,
        disconnected=disconnected,
        style=style,
        brackets=brackets,
    )
    return made(config, _loaded(world), split, size)


def read(path: _Place, *, world: _WorldLike | None = None) -> Sequence[Puzzle]:
    """The puzzles of a file or folder: any format that is known, gzipped or not.

    world: the one to read it with, if the data does not carry its own.

    >>> write(generate(k=2, size=3), "three.jsonl")
    3
    >>> [puzzle.k for puzzle in read("three.jsonl")]
    [2, 2, 2]
    """
    from clutrr.data import open_dataset

    return list(open_dataset(path, world).puzzles())


def write(
    puzzles: Sequence[Puzzle],
    out: _Place,
    *,
    world: _WorldLike = "kinship",
    to: str | None = None,
    force: bool = False,
) -> int:
    """Write puzzles to a file (.parquet, .csv, .jsonl) or to a folder that carries its world.

    Returns how many there were. world: the world of their stories. to: another format, as for
    `clutrr convert --to`.

    >>> write(generate(k=2, size=3), "three.parquet")
    3
    """
    from clutrr.data.convert import Target, convert
    from clutrr.data.dataset import dataset_of

    return convert(dataset_of(puzzles, _loaded(world)), Target.of(where(out), to), force)


def solve(
    story: str, query: tuple[str, str], world: _WorldLike = "kinship", assume: str = "open"
) -> "Solution":
    """What the second person of the query can be to the first, with a proof: `print` it.

    assume: which families are possible, `tree` or `open` (docs/assumptions.md).

    >>> solve("Bob is Ann's son. Carl is Bob's brother.", ("Ann", "Carl")).answer
    'son'
    """
    from clutrr.solver import solve_story

    first, second = query
    return solve_story(story, (first, second), _loaded(world), assume)


def audit(data: _Place, *, world: _WorldLike | None = None, facts: bool = False) -> "Audit":
    """Examine a data set: soundness, balance, leaks, shortcuts, ceilings.

    facts: judge by the facts column, whether or not the text was seen to state it.

    >>> write(generate(k=2, size=50), "fifty")
    50
    >>> audit("fifty").subsets["M2"]["train"].soundness["tree"]["proved"]
    100.0
    """
    from clutrr.auditor import audit as examine
    from clutrr.data import open_dataset

    return examine(open_dataset(data, world), facts)


def train(
    data: _Place,
    run: _Place,
    *,
    model: str = "gnn",
    k: int | Sequence[int] = 3,
    seed: int = 0,
    epochs: int = 60,
    batch: int = 100,
    learning_rate: float = 0.001,
    validation: float = 0.0,
    patience: int = 0,
    device: str = "auto",
    world: _WorldLike | None = None,
    force: bool = False,
) -> "Run":
    """Train a model on the training stories of some lengths, and return the record of the run.

    Called again, it continues a training that was killed.

    >>> write(generate(k=2, size=20), "twenty")
    20
    >>> train("twenty", "run", model="gnn", k=2, epochs=1, device="cpu").finished
    True
    """
    with extras_named():
        from clutrr.experiment.config import TrainConfig, choose_device
        from clutrr.experiment.job import TrainJob
        from clutrr.experiment.job import train as run_training

        lengths = (k,) if isinstance(k, int) else tuple(k)
        config = TrainConfig(model, lengths, seed, epochs, batch, learning_rate, validation, patience)
        on = choose_device(device)
        return run_training(TrainJob(where(data), where(run), config, on, force, world))


def evaluate(
    run: _Place,
    data: _Place,
    *,
    split: str = "test",
    device: str = "auto",
    seed: int = 0,
    world: _WorldLike | None = None,
    trust: bool = False,
) -> Sequence["Answers"]:
    """What a trained model answers, subset by subset: `accuracy` in percent, `interval`, `answers`.

    trust: whether to run the program in the run's folder, if the model is not one of ours.

    >>> write(generate(k=2, size=20, split="test"), "tested")
    20
    >>> [(part.subset, part.n) for part in evaluate("run", "tested", device="cpu")]
    [('M2', 20)]
    """
    with extras_named():
        from clutrr.data import open_dataset
        from clutrr.experiment.config import choose_device
        from clutrr.experiment.evaluate import evaluate as test
        from clutrr.experiment.run import load_run

        on = choose_device(device)
        trained, made_from, model = load_run(where(run), trust)
        tables = open_dataset(data, world).split(split)
        return test(model, made_from, trained.vocabulary, tables, on, seed)


def score(
    data: _Place,
    answers: _Place | Mapping[str, str],
    *,
    split: str | None = None,
    world: _WorldLike | None = None,
) -> "Result":
    """Score anybody's answers: a file as for `clutrr score`, or answers by id.

    >>> puzzles = generate(k=2, size=10)
    >>> write(puzzles, "ten")
    10
    >>> score("ten", {puzzle.id: puzzle.target for puzzle in puzzles}).total.accuracy
    100.0
    """
    from clutrr.data import open_dataset
    from clutrr.scoring import Answer, Predictions, read_predictions
    from clutrr.scoring import score as scored

    if isinstance(answers, Mapping):
        given = {("", number): (Answer(text),) for number, text in answers.items()}
        return scored(open_dataset(data, world), Predictions(Path("answers"), given), split)
    return scored(open_dataset(data, world), read_predictions(where(answers)), split)


def _loaded(world: _WorldLike) -> World:
    return world if isinstance(world, World) else load_world(world)
