"""Write sample stories of every preset, and a picture of how one is made.

python tools/gallery.py [FOLDER]
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr.api import generate
from clutrr.cli import main
from clutrr.cli.options import local_path
from clutrr.cli.show import say
from clutrr.files import Where, replace_files
from clutrr.puzzle import Puzzle
from clutrr.world import builtin_world
from pipeline import pipeline_svg

SEED = 2018
_NOISE = {"supporting": 2, "irrelevant": 2, "disconnected": 2}
_PROSE: dict[str, Any] = {"style": "prose", "brackets": False, "distractors": 3, "order": "inserted"}
app = typer.Typer(add_completion=False)
_LENGTHS = {"published": (3, 6), "described": (2, 4), "sound": (1, 3, 6, 10), "strict": (4,), "mixed": (3,)}


@app.command()
def gallery(
    folder: Annotated[Path, typer.Argument(help="Where to write the two files.", parser=local_path)] = Path(
        "docs"
    ),
) -> None:
    """Write gallery.md and pipeline.svg."""
    for path in write_gallery(folder):
        say(path)


def write_gallery(folder: Path) -> list[Where]:
    """Write gallery.md and pipeline.svg into the folder."""
    picture = pipeline_svg(pipeline_example(), builtin_world("kinship"))
    return replace_files(folder, {"gallery.md": gallery_page(), "pipeline.svg": picture})


def pipeline_example() -> Puzzle:
    """The puzzle of the picture."""
    return generate("strict", k=3, size=6, seed=5, distractors=1, order="inserted")[2]


def gallery_page() -> str:
    """The page of samples, in Markdown."""
    kinship = builtin_world("kinship")
    lines = [
        "# Sample stories",
        "",
        f"The first story of each kind with seed {SEED}, as `python tools/gallery.py` writes them; with one",
        "distractor for each person instead of eight, so that they are easy to read.",
    ]
    for preset, lengths in _LENGTHS.items():
        lines += ["", f"## `{preset}`", "", f"{kinship.theory.preset(preset).about.capitalize()}."]
        for k in lengths:
            lines += ["", *_sample(generate(preset, k=k, size=1, seed=SEED, distractors=1)[0])]
    options = ",".join(f"{role}={facts}" for role, facts in _NOISE.items())
    lines += ["", "## Facts beyond the path", "", f"Two facts of each role: `--noise {options}`."]
    lines += ["", *_sample(generate("sound", k=3, size=1, seed=SEED, distractors=1, noise=_NOISE)[0])]
    lines += ["", "## Prose", "", "`--style prose --no-brackets --order inserted --distractors 3`."]
    for k in (2, 3, 4, 5):
        lines += ["", *_sample(generate("sound", k=k, size=1, seed=SEED, **_PROSE)[0])]
    return "\n".join(lines) + "\n"


def _sample(puzzle: Puzzle) -> Iterator[str]:
    first, last = puzzle.query
    yield f"### `{puzzle.id}`: {' - '.join(puzzle.pattern)}"
    yield ""
    yield f"> {puzzle.story}"
    yield ""
    answer = f"**{puzzle.target}**: {puzzle.abstract}" if puzzle.abstract else f"**{puzzle.target}**"
    yield f"What is {last} to {first}? {answer}"


if __name__ == "__main__":
    main(app)
