"""clutrr evaluate: what a trained model answers, and how often it is right."""

from typing import TYPE_CHECKING, Annotated

from clutrr import api
from clutrr.cli.options import AsJson, Data, DataWorld, Device, Where, flag, option, place
from clutrr.cli.score import print_result
from clutrr.cli.show import command_line, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clutrr.experiment.evaluate import Answers
    from clutrr.experiment.run import Run
    from clutrr.scoring import Result

_SHOWN = 5  # pairs of target and answer


def evaluate(
    run: Annotated[Where, place("The folder of a training.")],
    data: Data,
    split: Annotated[str, option("The split to test on, where the data has splits.")] = "test",
    world: DataWorld = None,
    device: Device = "auto",
    trust: Annotated[
        bool, flag("--trust", "Run the program RUN/model.py, if the model is not one of ours.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Test a trained model on every subset of the data, and write its answers with the result.

    Intervals are 95 % (Wilson). Relations that the model never saw count as wrong. A training that is
    not finished is tested as it is, and the output says so. The run of a model of your own holds a
    program, which is run only with --trust.
    """
    from dataclasses import replace

    import torch

    from clutrr.experiment.evaluate import check_answers, write_answers
    from clutrr.scoring import PREDICTIONS

    torch.set_num_threads(1)
    file = run / PREDICTIONS
    check_answers(file)
    answers = api.evaluate(run, data, split=split, device=device, world=world, trust=trust)
    trained, result = answers.run, replace(answers.result, command=command_line())
    write_answers(answers, result, file)
    if as_json:
        print_json(_content(trained, result, answers, file))
        return
    _print(trained, result, answers, f", tested on {data}")
    say(f"Every answer is in {file}.")


def _content(
    trained: "Run", result: "Result", answers: "Sequence[Answers]", file: Where
) -> dict[str, object]:
    return {
        "model": result.model,
        "trained_on": trained.config.trained_on,
        "epochs": len(trained.epochs),
        "finished": trained.finished,
        "accuracy": {name: round(score.accuracy, 4) for name, score in result.tested.items()},
        "n": {name: score.rows for name, score in result.tested.items()},
        "interval": {name: [round(x, 4) for x in score.interval] for name, score in result.tested.items()},
        "confusion": {part.subset: part.confusion() for part in answers},
        "unknown": {
            "words": sum(part.unknown_words for part in answers),
            "targets": sum(part.unknown_targets for part in answers),
        },
        "predictions": str(file),
    }


def _print(trained: "Run", result: "Result", answers: "Sequence[Answers]", how: str) -> None:
    config = trained.config
    so_far = "" if trained.finished else f", {len(trained.epochs)} of {config.epochs} epochs"
    print_result(f"{config.model} trained on {', '.join(config.trained_on)}{so_far}{how}", result)
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
