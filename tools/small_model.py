"""What examples/train_a_language_model.py wrote, as tables of experiments/results/small-model-learns.json, and as
a column of levels.json.

    python tools/small_model.py OUT experiments/results

Rows of stages that OUT does not have stay as they are.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr._cli import main

app = typer.Typer(add_completion=False)
STAGES = {"before": "nothing", "proofs": "proofs of k = 2 to 4", "rewards": "rewards, k = 4 to 8"}
SHARES = {
    "answers": ("right", "questions"),
    "right steps": ("right by right steps", "questions"),
    "wrong claims": ("wrong claims", "claims"),
}
COLUMN = "small model"


def share(row: Mapping[str, int], part: str, whole: str) -> float:
    return round(100 * row[part] / row[whole], 1)


@app.command()
def write(
    out: Annotated[Path, typer.Argument(help="The folder with the stages' files.")],
    results: Annotated[Path, typer.Argument(help="The folder with the results of the pages.")],
) -> None:
    """Bring the tables up to date."""
    found = {
        stage: json.loads((out / f"{stage}.json").read_text())
        for stage in STAGES
        if (out / f"{stage}.json").exists()
    }
    path = results / "small-model-learns.json"
    content: dict[str, Any] = json.loads(path.read_text())
    for name, (part, whole) in SHARES.items():
        table = content["tables"][name]
        kept = {row[0]: row for row in table["rows"]}
        for stage, run in found.items():
            rows = run["worlds"]["kinship"].values()
            kept[STAGES[stage]] = [STAGES[stage], *(share(row, part, whole) for row in rows)]
        table["rows"] = [kept[of] for of in STAGES.values() if of in kept]
    last = found["rewards"]
    content["rewards"] = last["steps"]
    content["time"] = {
        stage: run["worlds"]["time"] for stage, run in found.items() if "time" in run["worlds"]
    }
    path.write_text(json.dumps(content, indent=1) + "\n")

    path = results / "levels.json"
    content = json.loads(path.read_text())
    table = content["tables"]["levels"]
    if COLUMN not in table["columns"]:
        table["columns"].append(COLUMN)
    place = table["columns"].index(COLUMN)
    for row, (asked, right) in zip(table["rows"], last["levels"].values(), strict=True):
        row[place:] = [round(100 * right / asked, 1)]
    path.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main(app)
