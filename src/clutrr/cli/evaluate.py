"""clutrr evaluate: what a trained model answers, and how often it is right."""

from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Cluster, DataWorld, Device, Trust, Where, path_or_url
from clutrr.cli.show import print_json, print_table, say
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from clutrr.experiment.evaluate import Answers

_SHOWN = 20  # pairs of target and answer


def evaluate(
    run: Annotated[
        Where, typer.Argument(help="The folder of a training.", show_default=False, parser=path_or_url)
    ],
    data: Annotated[
        Where,
        typer.Argument(
            help="A data set, or any file that can be read.", show_default=False, parser=path_or_url
        ),
    ],
    split: Annotated[str, typer.Option(help="The split to test on, where the data has splits.")] = "test",
    world: DataWorld = None,
    seed: Annotated[int, typer.Option(help="Seed of the entities' random vectors.")] = 0,
    device: Device = "auto",
    predictions: Annotated[
        Where | None,
        typer.Option(
            help="The Parquet file to write the answers to.",
            show_default="RUN/predictions.parquet",
            parser=path_or_url,
        ),
    ] = None,
    readings: Annotated[
        bool,
        typer.Option(
            "--readings",
            help="Write what pairs read to RUN/readings.jsonl, for explore; count its errors by cause.",
        ),
    ] = False,
    composer: Annotated[
        Where | None,
        typer.Option(
            help="The run of a composer whose learnt table the model pairs composes by.",
            show_default=False,
            parser=path_or_url,
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            help="What pairs composes by: counted, learnt (with --composer), or both.",
            show_default="counted; with --composer learnt",
        ),
    ] = None,
    readers: Annotated[
        list[Where] | None,
        typer.Option(
            "--with",
            help="Another run of pairs that reads beside this one; may be given several times.",
            show_default=False,
            parser=path_or_url,
        ),
    ] = None,
    agree: Annotated[
        bool,
        typer.Option(
            "--agree",
            help="Let pairs learn from all these stories, without their answers, which wordings tell a fact "
            "the wrong way round.",
        ),
    ] = False,
    trust: Trust = False,
    confusion: Annotated[
        bool, typer.Option("--confusion", help="Print which targets were taken for which.")
    ] = False,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Test a trained model on every subset of the data.

    Intervals are 95 % (Wilson). Relations that the model never saw count as wrong. A training that is
    not finished is tested as it is, and the output says so. The run of a model of your own holds a
    program, which is run only with --trust.
    """
    import torch

    from clutrr.data import open_dataset
    from clutrr.experiment.config import choose_device
    from clutrr.experiment.ensemble import Ensemble, as_pairs, let_agree
    from clutrr.experiment.evaluate import check_predictions, write_predictions
    from clutrr.experiment.evaluate import evaluate as test
    from clutrr.experiment.readings import ONLY_PAIRS, write_readings
    from clutrr.experiment.run import PREDICTIONS, load_run
    from clutrr.experiment.spread import evaluate_on
    from clutrr.models.text.causes import CAUSES
    from clutrr.scoring import READINGS
    from clutrr.workers import maybe_crew

    if readings and predictions:
        raise ConfigError(
            "--readings belongs to the answers in RUN, so it cannot be combined with --predictions"
        )
    torch.set_num_threads(1)
    file = predictions or run / PREDICTIONS
    check_predictions(file)
    trained, made_from, model = load_run(run, trust)
    if readings:
        as_pairs(model, ONLY_PAIRS)
    ensemble = Ensemble(composer, table, tuple(readers or ()))
    ensemble.join(trained, model)
    if agree and cluster:
        raise ConfigError("--agree needs all stories in one place; leave out --cluster")
    tables = open_dataset(data, world).split(split)
    if agree:
        let_agree(model.to(choose_device(device)), trained.vocabulary, tables)
    with maybe_crew(cluster) as crew:
        if crew is not None:
            answers = evaluate_on(crew, run, tables, device, seed, trust, ensemble)
        else:
            answers = test(model, made_from, trained.vocabulary, tables, choose_device(device), seed)
    write_predictions(answers, file)
    wrong: dict[str, int] = {}
    if readings:
        wrong = write_readings(model, trained.vocabulary, answers, run / READINGS)
    elif file == run / PREDICTIONS:
        (run / READINGS).unlink(missing_ok=True)  # those of an evaluation before
    config = trained.config
    unknown_words = sum(part.unknown_words for part in answers)
    unknown_targets = sum(part.unknown_targets for part in answers)
    if as_json:
        print_json(
            {
                "model": config.model,
                "trained_on": config.trained_on,
                "epochs": len(trained.epochs),
                "finished": trained.finished,
                **({} if composer is None else {"table": ensemble.folded_by}),
                **({"agreed": True} if agree else {}),
                **({"readers": len(ensemble.readers) + 1} if readers else {}),
                "accuracy": {part.subset: round(part.accuracy, 4) for part in answers},
                "n": {part.subset: part.n for part in answers},
                "interval": {part.subset: [round(x, 4) for x in part.interval] for part in answers},
                "confusion": {part.subset: part.confusion() for part in answers},
                **({"causes": {cause: wrong.get(cause, 0) for cause in CAUSES}} if readings else {}),
                "unknown": {"words": unknown_words, "targets": unknown_targets},
                "predictions": str(file),
            }
        )
        return
    name = f"{config.model}{ensemble.name}{', agreed' if agree else ''}"
    so_far = "" if trained.finished else f", {len(trained.epochs)} of {config.epochs} epochs"
    print_table(
        f"{name} trained on {', '.join(config.trained_on)}{so_far}, tested on {data}",
        ["subset", "stories", "accuracy %", "95 % interval"],
        [[a.subset, a.n, round(a.accuracy, 1), "{:.1f} to {:.1f}".format(*a.interval)] for a in answers],
    )
    for part in answers if confusion else ():
        _print_confusion(part)
    if readings:
        print_table(
            "Wrong answers by cause",
            ["cause", "stories"],
            [[cause, wrong.get(cause, 0)] for cause in CAUSES],
        )
    if unknown_words or unknown_targets:
        say(
            f"The model never saw {unknown_words:,} of the words read, "
            f"nor the answers of {unknown_targets:,} stories, which count as wrong."
        )
    if not trained.finished:
        say(f"The training is not finished: {len(trained.epochs)} of {config.epochs} epochs.")
    say(f"Every answer is in {file}.")


def _print_confusion(part: "Answers") -> None:
    """The wrong answers, most frequent first. A square table of all relations would not fit a terminal."""
    wrong = [
        (target, answer, count)
        for target, row in part.confusion().items()
        for answer, count in row.items()
        if answer != target
    ]
    wrong.sort(key=lambda row: -row[2])
    print_table(f"{part.subset}: wrong answers", ["target", "answered", "stories"], wrong[:_SHOWN])
    if len(wrong) > _SHOWN:
        say(f"... and {len(wrong) - _SHOWN:,} rarer pairs (--json lists all)")
