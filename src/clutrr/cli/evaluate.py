"""clutrr evaluate: what a trained model answers, and how often it is right."""

from typing import TYPE_CHECKING, Annotated

import typer

from clutrr.cli.options import AsJson, Cluster, DataWorld, Device, Trust, Where, path_or_url
from clutrr.cli.show import command_line, print_json, print_table, say
from clutrr.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clutrr.experiment.evaluate import Answers
    from clutrr.experiment.run import Run
    from clutrr.scoring import Result

_SHOWN = 5  # pairs of target and answer


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
    agree: Annotated[
        bool,
        typer.Option(
            "--agree",
            help="Let pairs learn from all these stories, without their answers, which wordings tell a fact "
            "the wrong way round.",
        ),
    ] = False,
    trust: Trust = False,
    cluster: Cluster = None,
    as_json: AsJson = False,
) -> None:
    """Test a trained model on every subset of the data, and write its answers with the result.

    Intervals are 95 % (Wilson). Relations that the model never saw count as wrong. A training that is
    not finished is tested as it is, and the output says so. The run of a model of your own holds a
    program, which is run only with --trust.
    """
    from dataclasses import replace

    import torch

    from clutrr.data import open_dataset
    from clutrr.experiment.config import choose_device
    from clutrr.experiment.evaluate import check_answers, result_of, write_answers
    from clutrr.experiment.evaluate import evaluate as test
    from clutrr.experiment.readings import ONLY_PAIRS, as_pairs, let_agree, write_readings
    from clutrr.experiment.run import load_run
    from clutrr.experiment.spread import evaluate_on
    from clutrr.scoring import PREDICTIONS, READINGS
    from clutrr.workers import maybe_crew

    if readings and predictions:
        raise ConfigError(
            "--readings belongs to the answers in RUN, so it cannot be combined with --predictions"
        )
    if agree and cluster:
        raise ConfigError("--agree needs all stories in one place; leave out --cluster")
    torch.set_num_threads(1)
    file = predictions or run / PREDICTIONS
    check_answers(file)
    trained, made_from, model = load_run(run, trust)
    if readings:
        as_pairs(model, ONLY_PAIRS)
    opened = open_dataset(data, world)
    tables = opened.split(split)
    if agree:
        let_agree(model.to(choose_device(device)), trained.vocabulary, tables)
    with maybe_crew(cluster) as crew:
        if crew is not None:
            answers = evaluate_on(crew, run, tables, device, trust=trust)
        else:
            answers = test(model, made_from, trained.vocabulary, tables, choose_device(device))
    result = replace(
        result_of(trained, answers, trained.device),
        questions={"data": str(data), "split": split, "world": opened.world.name},
        command=command_line(),
    )
    write_answers(answers, result, file)
    causes: Mapping[str, int] = {}
    if readings:
        causes = write_readings(model, trained.vocabulary, answers, run / READINGS)
    elif file == run / PREDICTIONS:
        (run / READINGS).unlink(missing_ok=True)  # those of an evaluation before
    if as_json:
        print_json(_content(trained, result, answers, causes if readings else None, file))
        return
    _print(trained, result, answers, f"{', agreed' if agree else ''}, tested on {data}")
    if readings:
        _print_causes(causes)
    say(f"Every answer is in {file}.")


def _content(
    trained: "Run",
    result: "Result",
    answers: "Sequence[Answers]",
    causes: "Mapping[str, int] | None",
    file: Where,
) -> dict[str, object]:
    from clutrr.models.text.causes import CAUSES

    return {
        "model": result.model,
        "trained_on": trained.config.trained_on,
        "epochs": len(trained.epochs),
        "finished": trained.finished,
        "accuracy": {name: round(score.accuracy, 4) for name, score in result.tested.items()},
        "n": {name: score.rows for name, score in result.tested.items()},
        "interval": {name: [round(x, 4) for x in score.interval] for name, score in result.tested.items()},
        "confusion": {part.subset: part.confusion() for part in answers},
        **({} if causes is None else {"causes": {cause: causes.get(cause, 0) for cause in CAUSES}}),
        "unknown": {
            "words": sum(part.unknown_words for part in answers),
            "targets": sum(part.unknown_targets for part in answers),
        },
        "predictions": str(file),
    }


def _print(trained: "Run", result: "Result", answers: "Sequence[Answers]", how: str) -> None:
    config = trained.config
    so_far = "" if trained.finished else f", {len(trained.epochs)} of {config.epochs} epochs"
    print_table(
        f"{config.model} trained on {', '.join(config.trained_on)}{so_far}{how}",
        ["subset", "stories", "accuracy %", "95 % interval"],
        [
            [name, score.rows, round(score.accuracy, 1), "{:.1f} to {:.1f}".format(*score.interval)]
            for name, score in result.tested.items()
        ],
    )
    wrong: dict[tuple[str, str], int] = {}
    for part in answers:
        for target, row in part.confusion().items():
            for answer, count in row.items():
                if answer != target:
                    wrong[target, answer] = wrong.get((target, answer), 0) + count
    if wrong:
        most = sorted(wrong.items(), key=lambda pair: -pair[1])[:_SHOWN]
        rows = [[target, answer, count] for (target, answer), count in most]
        print_table("Most frequent mistakes (--json lists all)", ["target", "answered", "stories"], rows)
    words, targets = (sum(getattr(p, n) for p in answers) for n in ("unknown_words", "unknown_targets"))
    if words or targets:
        say(
            f"The model never saw {words:,} of the words read, "
            f"nor the answers of {targets:,} stories, which count as wrong."
        )
    if not trained.finished:
        say(f"The training is not finished: {len(trained.epochs)} of {config.epochs} epochs.")


def _print_causes(causes: "Mapping[str, int]") -> None:
    from clutrr.models.text.causes import CAUSES

    rows = [[cause, causes.get(cause, 0)] for cause in CAUSES]
    print_table("Wrong answers by cause", ["cause", "stories"], rows)
