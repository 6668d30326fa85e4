"""Write sample stories of every preset and world, and the picture of the worlds.

python tools/gallery.py [FOLDER]
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from clutrr import generate
from clutrr._cli import main
from clutrr._cli.options import local_path
from clutrr._cli.show import say
from clutrr._io.files import replace_files
from clutrr._io.locations import Location
from clutrr._io.manifests import check_file_kind
from clutrr._lexicon import builtin_world
from clutrr._puzzle import Puzzle
from five_worlds import picture

SEED = 2018
_SOME = 30  # stories, of which the first is shown whose answer `kinship` has no word for
_NOISE = {"supporting": 2, "irrelevant": 2, "disconnected": 2}
_TITLE = "# Sample stories"
_PROSE: dict[str, Any] = {
    "style": "prose",
    "brackets": False,
    "distractors": 3,
    "order": "inserted",
}
app = typer.Typer(add_completion=False)
_LENGTHS = {
    "published": (3, 6),
    "described": (3,),
    "sound": (1, 3, 6),
    "strict": (4,),
    "mixed": (3,),
}
# Of each other world, what to call a sample and its settings.
_WORLDS: list[tuple[str, str, dict[str, Any]]] = [
    ("kinship-v1", "`--world kinship-v1`", {"k": 3}),
    ("kinship-v1-by-marriage", "`--world kinship-v1-by-marriage`", {"k": 3}),
    ("order", "`--world order`", {"k": 4}),
    ("time", "`--world time`", {"k": 3}),
    (
        "time",
        "`--world time --routes 2 --style prose --no-brackets`",
        {"k": 2, "routes": (2,)} | _PROSE,
    ),
    ("time", "`--world time --preset mixed`", {"k": 2, "preset": "mixed", "undetermined": 1.0}),
    ("regions", "`--world regions --routes 2`", {"k": 2, "routes": (2,)}),
    ("directions", "`--world directions`", {"k": 3}),
    (
        "directions",
        "`--world directions --assume unit --style prose --no-brackets`",
        {"k": 4, "assume": "unit"} | _PROSE,
    ),
]


@app.command()
def gallery(
    folder: Annotated[
        Path, typer.Argument(help="Where to write the two files.", parser=local_path)
    ] = Path("docs"),
) -> None:
    """Write gallery.md and five-worlds.svg."""
    for path in write_gallery(folder):
        say(path)


def write_gallery(folder: Path) -> list[Location]:
    """Write gallery.md and five-worlds.svg into the folder, over a page of samples alone."""
    check_file_kind(
        folder / "gallery.md",
        "page of samples",
        lambda file: file.readline(99).decode().strip() == _TITLE,
    )
    return replace_files(folder, {"gallery.md": gallery_page(), "five-worlds.svg": picture()})


def gallery_page() -> str:
    """The page of samples, in Markdown."""
    kinship = builtin_world("kinship")
    lines = [
        _TITLE,
        "",
        f"The first story of each sort with seed {SEED}, as `python tools/gallery.py` writes them. They have",
        "one distractor for each person instead of eight, to be easy to read.",
    ]
    for preset, lengths in _LENGTHS.items():
        lines += ["", f"## `{preset}`", "", f"{kinship.theory.preset(preset).about.capitalize()}."]
        for k in lengths:
            lines += ["", *_sample(generate(preset, k=k, size=1, seed=SEED, distractors=1)[0])]
    options = ",".join(f"{role}={facts}" for role, facts in _NOISE.items())
    lines += ["", "## Facts beyond the path", "", f"Two facts of each role: `--noise {options}`."]
    lines += [
        "",
        *_sample(generate("sound", k=3, size=1, seed=SEED, distractors=1, noise=_NOISE)[0]),
    ]
    lines += ["", "## Prose", "", "`--style prose --no-brackets --order inserted --distractors 3`."]
    lines += ["", *_sample(generate("sound", k=4, size=1, seed=SEED, **_PROSE)[0])]
    lines += ["", "## Other worlds", ""]
    lines += [
        "More kinds of relatives, ages, events, regions and places ([about them](worlds.md))."
    ]
    for name, title, settings in _WORLDS:
        chosen: dict[str, Any] = {"preset": "strict", "distractors": 1} | settings
        made = generate(world=builtin_world(name), size=_SOME, seed=SEED, **chosen)
        puzzle = next(one for one in made if one.target not in kinship.relations)
        lines += ["", *_sample(puzzle, f"{title}: ")]
    return "\n".join(lines) + "\n"


def _sample(puzzle: Puzzle, title: str = "") -> Iterator[str]:
    yield f"### {title or f'`{puzzle.id}`: '}{' - '.join(puzzle.pattern)}"
    yield ""
    yield f"> {puzzle.story}"
    yield ""
    answer = (
        f"**{puzzle.target}**: {puzzle.abstract}" if puzzle.abstract else f"**{puzzle.target}**"
    )
    yield f"{puzzle.question} {answer}"


if __name__ == "__main__":
    main(app)
