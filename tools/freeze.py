"""Freeze test sets: write their settings and checksums into the package.

    python tools/freeze.py [--check]

A set that is there is never frozen again: it would be another one.
"""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr._cli import main
from clutrr._cli.show import say
from clutrr._generate.blocks import Generator
from clutrr._generate.frozen import frozen_config, subset_checksums
from clutrr._version import VERSION
from clutrr._worlds import load_world
from clutrr.errors import DataError
from clutrr.theory import WORLDS

app = typer.Typer(add_completion=False)
_FILE = Path(__file__).parents[1] / "src/clutrr/_data/frozen.json"
# A variant of a world that tells the same stories under another convention needs no set of its own.
_WORLDS = [world for world in WORLDS if "by-marriage" not in world]
_CANARY = (
    "CLUTRR TEST DATA. DO NOT TRAIN ON IT. canary 3f1c6d0e-9b52-4a57-8d0b-5e6f1f0a7c92-clutrr-2026"
)
# A quarter of the questions cannot be told: whoever always commits to an answer is found out.
_SETTINGS = {
    "preset": "mixed",
    "k": list(range(2, 11)),
    "size": 100,
    "seed": 2026,
    "undetermined": 0.25,
    "distractors": 2,
    "noise": {"disconnected": 1},
}


def _frozen(world: str) -> dict[str, Any]:
    settings = {"world": world, **_SETTINGS}
    config, _ = frozen_config(settings)
    found = subset_checksums(Generator(config, load_world(world)))
    about = (
        f"World {world}: 2 to 10 facts between the two entities, 100 questions of each, one in four of "
        "which cannot be told."
    )
    return {"about": about, "settings": settings, "version": VERSION, "checksums": found}


@app.command()
def freeze(
    check: Annotated[
        bool, typer.Option("--check", help="Only compare, and write nothing.")
    ] = False,
) -> None:
    """Freeze the worlds that have no set yet, or compare all sets with what comes out now."""
    content = json.loads(_FILE.read_text(encoding="utf-8")) if _FILE.is_file() else {"sets": {}}
    known: dict[str, Any] = content["sets"]
    if check:
        changed = [
            name
            for name, one in known.items()
            if _frozen(one["settings"]["world"])["checksums"] != one["checksums"]
        ]
        if changed:
            raise DataError(f"come out otherwise than they were frozen: {', '.join(changed)}")
        say(f"{_FILE.name}: all {len(known)} sets come out as they were frozen.")
        return
    more = {name: world for world in _WORLDS if (name := f"clutrr-2026-{world}") not in known}
    sets = known | {name: _frozen(world) for name, world in more.items()}
    text = json.dumps({"canary": _CANARY, "sets": sets}, indent=1, ensure_ascii=False) + "\n"
    _FILE.write_text(text, encoding="utf-8")
    say(f"{_FILE.name}: {len(more)} sets frozen, {len(sets)} in all.")


if __name__ == "__main__":
    main(app)
