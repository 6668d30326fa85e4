"""A world in another language.

A world is a folder of data: relations by what they mean, their words, sentences, attributes, names. The
folder `spanish` beside this script is one. Meaning is given by steps (a grandchild is a child of a child),
so everything that is proved for English stories is proved for Spanish ones: no rule mentions a word.

    python examples/spanish_world.py OUT
"""

import sys
from pathlib import Path

import clutrr

WORLD = Path(__file__).parent / "spanish"
STORY = "Diego es el esposo de Carmen. La hija de Carmen es Inés. Diego tiene un padre que se llama Hugo."


def main(out: Path) -> None:
    world = clutrr.load_world(WORLD)
    print(f"{world.name}: {', '.join(world.relations)}")

    # The solver reads stories in the sentences of the world, and answers in its words.
    solution = clutrr.solve(STORY, ("Hugo", "Inés"), world)
    print(f"\n{STORY}\n{solution}")

    # Stories, questions and proved answers; the folder carries its world, so no later command needs --world.
    puzzles = clutrr.generate("strict", k=3, size=200, seed=1, distractors=1, world=world)
    clutrr.write(puzzles, out, world=world)
    print(f"\n{puzzles[0].story}\n¿{puzzles[0].query}? {puzzles[0].target}")

    found = clutrr.audit(out).subsets["M3"]["train"]
    print(f"\n{out}: {found.rows} stories, {found.soundness['open']['entailed']} % entailed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(
            "usage: python examples/spanish_world.py OUT (a folder that does not exist yet)"
        )
    main(Path(sys.argv[1]))
