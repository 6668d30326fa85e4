"""clutrr evaluate: what a trained model answers, and how often it is right."""

from collections import Counter
from typing import Annotated

from clutrr import api
from clutrr.cli.options import AsJson, Data, DataWorld, Device, Where, flag, option, place
from clutrr.cli.score import print_result
from clutrr.cli.show import command_line, print_json, print_table, say

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
    config, tested = trained.config, result.tested
    known, words = set(trained.vocabulary.relations), sum(part.unknown_words for part in answers)
    confusion: Counter[tuple[str, str]] = sum((part.confusion for part in answers), Counter())
    targets = sum(times for (target, _), times in confusion.items() if target not in known)
    if as_json:
        by_target: dict[str, dict[str, dict[str, int]]] = {part.subset: {} for part in answers}
        for part in answers:
            for (target, answer), times in sorted(part.confusion.items()):
                by_target[part.subset].setdefault(target, {})[answer] = times
        epochs = {"epochs": len(trained.epochs), "finished": trained.finished}
        figures = {
            "accuracy": {name: round(score.accuracy, 4) for name, score in tested.items()},
            "n": {name: score.rows for name, score in tested.items()},
            "interval": {name: [round(x, 4) for x in score.interval] for name, score in tested.items()},
            "confusion": by_target,
            "unknown": {"words": words, "targets": targets},
        }
        about = {"model": result.model, "trained_on": config.trained_on, **epochs}
        print_json({**about, **figures, "predictions": str(file)})
        return
    so_far = "" if trained.finished else f", {len(trained.epochs)} of {config.epochs} epochs"
    named = f"{config.model} trained on {', '.join(config.trained_on)}{so_far}"
    print_result(f"{named}, tested on {data}", result)
    wrong = [[*pair, times] for pair, times in confusion.most_common() if pair[0] != pair[1]]
    if wrong:
        columns = ["target", "answered", "stories"]
        print_table("Most frequent mistakes (--json lists all)", columns, wrong[:_SHOWN])
    if words or targets:
        say(
            f"The model never saw {words:,} of the words read, "
            f"nor the answers of {targets:,} stories, which count as wrong."
        )
    if so_far:
        say(f"The training is not finished: {len(trained.epochs)} of {config.epochs} epochs.")
    say(f"Every answer is in {file}.")
