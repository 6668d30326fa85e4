"""What language models answer: the prompts of a board, and its figures.

    python experiments/board.py prompts WORK                           # data and prompts, from seeds
    python experiments/reply.py MODEL WORK/prompts/A.jsonl=WORK/replies/NAME/A.jsonl ...   # on a GPU
    python experiments/board.py figures WORK experiments/results/board.json

WORK is a folder for data, prompts and replies. Nothing here is chosen by what a model answers.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import clutrr

WORLDS = ("kinship", "time", "regions", "directions", "order")
LANGUAGES = ("de", "fr", "es", "ru", "zh", "tr")
SEED = 53  # of all data here that is not frozen


@dataclass(frozen=True)
class Case:
    """A set of prompts.

    Args:
        name: of its files.
        data: the folder of its data, below WORK/data.
        made: how that is made, as `clutrr.generate` takes it; as `clutrr.chains` does for chains.
        prompts: how it is asked, as `clutrr.prompts` takes it.
    """

    name: str
    data: str
    made: dict[str, Any]
    prompts: dict[str, Any] = field(default_factory=dict)


def cases() -> Iterator[Case]:
    """Yield all cases of the board."""
    for world in WORLDS:
        frozen = {"set": f"clutrr-2026-{world}"}
        yield Case(f"{world}-reasons", world, frozen, {"limit": 270})
        yield Case(f"{world}-direct", world, frozen, {"limit": 270, "direct": True})
    for form in ("choice", "yes-no"):
        frozen = {"set": "clutrr-2026-kinship"}
        yield Case(f"kinship-{form}", "kinship", frozen, {"limit": 270, "form": form})
    short = {"k": (2, 3, 4, 5), "train": 40, "test": 40, "seed": SEED, "distractors": 2}
    plain = {**short, "preset": "sound"}
    yield Case("plain-reasons", "plain", plain)
    yield Case("plain-shots", "plain", plain, {"shots": 2})
    yield Case("plain-direct-shots", "plain", plain, {"shots": 2, "direct": True})
    yield Case("prose-reasons", "prose", {**plain, "style": "prose"})
    yield Case("noise-reasons", "noise", {**plain, "supporting": 1, "irrelevant": 2})
    yield Case("off-path-reasons", "off-path", {**plain, "off_path": 1})
    yield Case(
        "time-shots", "time-plain", {**short, "world": "time", "preset": "strict"}, {"shots": 2}
    )
    yield Case("time-reasons-too", "time-plain", {**short, "world": "time", "preset": "strict"})
    for code in LANGUAGES:
        made = {**plain, "world": f"kinship-{code}"}
        yield Case(f"{code}-reasons", f"kinship-{code}", made)
        yield Case(f"{code}-in-english", f"kinship-{code}", made, {"prompt_language": "en"})
    yield Case("chains", "chains", {"of": "plain", "per": 2, "seed": SEED}, {"limit": 300})


def make(case: Case, work: Path) -> Path:
    """Return the folder of the data of a case; it is made if it is not there."""
    folder = work / "data" / case.data
    if folder.exists():
        return folder
    settings = dict(case.made)
    if "of" in settings:
        clutrr.chains(work / "data" / settings.pop("of"), out=folder, **settings)
    else:
        clutrr.generate(out=folder, **settings)
    return folder


def write_prompts(work: Path) -> None:
    """Write the prompts of all cases that are not there yet."""
    (work / "prompts").mkdir(parents=True, exist_ok=True)
    for case in cases():
        file = work / "prompts" / f"{case.name}.jsonl"
        if file.exists():
            continue
        asked = clutrr.prompts(make(case, work), **case.prompts)
        lines = [json.dumps(prompt.to_dict(), ensure_ascii=False) for prompt in asked]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{file}: {len(lines)} prompts", flush=True)


def figures(work: Path, out: Path) -> None:
    """Write the figures of all replies that are there, by model and case."""
    found: dict[str, Any] = {}
    for folder in sorted((work / "replies").iterdir()):
        for case in cases():
            file = folder / f"{case.name}.jsonl"
            if not file.exists():
                continue
            scored = clutrr.score(make(case, work), file)
            about = scored.to_json()
            for detail in ("unread_answers", "by_pattern", "tested", "samples"):
                about.pop(detail, None)
            found.setdefault(folder.name, {})[case.name] = about
            print(folder.name, case.name, about.get("accuracy", about.get("f1")), flush=True)
    commands = [
        "python experiments/board.py prompts WORK",
        "python experiments/reply.py MODEL WORK/prompts/CASE.jsonl=WORK/replies/NAME/CASE.jsonl ... --tokens 320",
        f"python experiments/board.py figures WORK {out.name}",
    ]
    about = "Language models on the frozen sets, and on other questions from seeds."
    told = {"about": about, "commands": commands, "models": found}
    out.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=("prompts", "figures"))
    parser.add_argument("work", type=Path)
    parser.add_argument("out", type=Path, nargs="?", default=Path("board.json"))
    given = parser.parse_args()
    if given.what == "prompts":
        write_prompts(given.work)
    else:
        figures(given.work, given.out)


if __name__ == "__main__":
    main()
