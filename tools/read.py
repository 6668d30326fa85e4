"""How well texts are read, against gold labels: python tools/read.py [FILE.jsonl ...] [--show]

A file holds a text a line: `id, world, text, names, facts`, and `kind`. A fact is [head, relation, tail], its relation
may be several, "north of|north-east of". A text is overstated if it is read as saying what its facts do not.
Facts that a text states in a kind of the theory are found whatever the form, and from either side.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clutrr._lexicon import World, builtin_world
from clutrr._reading import statements
from clutrr._statement import Statement, Status

OWN = Path(__file__).parents[1] / "tests" / "reading" / "stories.jsonl"
Said = tuple[str, frozenset[str], str]  # head, relations, tail


def kinds(world: World, relations: Iterable[str]) -> frozenset[str]:
    return frozenset(world.meaning[one].kind.name for one in relations)


def converse(world: World, relations: Iterable[str]) -> frozenset[str]:
    return frozenset(world.meaning[one].kind.converse for one in relations)


def fits(world: World, said: Said, gold: Said) -> bool:
    """Whether what is said is no stronger than the gold, on the same pair."""
    (head, relations, tail), (owner, told, other) = said, gold
    if (head, tail) == (owner, other):
        same = kinds(world, relations) == kinds(world, told) and len(relations) >= len(told)
        return told <= relations or same
    return (head, tail) == (other, owner) and converse(world, told) <= kinds(world, relations)


def finds(world: World, said: Said, gold: Said) -> bool:
    """Whether what is said is the gold, but for the form."""
    (head, relations, tail), (owner, told, other) = said, gold
    if (head, tail) == (owner, other):
        return kinds(world, relations) == kinds(world, told)
    turned = converse(world, told) == kinds(world, relations)
    return (head, tail) == (other, owner) and turned


def gold_facts(row: dict[str, Any]) -> list[Said]:
    return [(head, frozenset(relation.split("|")), tail) for head, relation, tail in row["facts"]]


def asserted(found: Iterable[Statement]) -> list[Said]:
    return [
        (one.head, frozenset(one.relations), one.tail)
        for one in found
        if one.status is Status.ASSERTED and one.tail
    ]


def measure(rows: Sequence[dict[str, Any]], show: bool) -> None:
    """Print the figures of some texts."""
    want, got, over, texts = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        world = builtin_world(row["world"])
        found = statements(row["text"], world, row["names"])
        said, gold = asserted(found), gold_facts(row)
        false = [one for one in said if not any(fits(world, one, fact) for fact in gold)]
        missed = [fact for fact in gold if not any(finds(world, one, fact) for one in said)]
        for group in (row["world"], f"  {row.get('kind', '')}"):
            texts[group] += 1
            over[group] += bool(false)
            want[group] += len(gold)
            got[group] += len(gold) - len(missed)
        if show and (false or missed):
            print(row["id"], row["text"])
            print("   overstated:", *false) if false else None
            print("   missed:", *missed, *found.unread) if missed else None
    for group in texts:
        print(
            f"{group:42} {texts[group]:4} texts  {over[group]:3} overstated  {got[group]:4} of {want[group]:4} facts"
        )
    print(f"{sum(over[w] for w in over if w[0] != ' ')} of {len(rows)} texts are overstated")


def main(arguments: Sequence[str]) -> None:
    for file in [one for one in arguments if one[0] != "-"] or [str(OWN)]:
        lines = Path(file).read_text("utf-8").splitlines()
        started = time.process_time()
        measure([json.loads(line) for line in lines], "--show" in arguments)
        print(f"{file}: {time.process_time() - started:.1f} CPU-seconds")


if __name__ == "__main__":
    main(sys.argv[1:])
