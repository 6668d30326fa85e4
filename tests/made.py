"""Puzzles for tests, straight from the generator; worlds with other words; what a folder holds."""

from dataclasses import replace

from clutrr import load_world
from clutrr._data import PuzzleSequence
from clutrr._generate import Config, Generator, Puzzles
from clutrr._puzzle import Entity, Fact, Puzzle


def made(preset=None, *, k=3, size=1000, seed=0, split="train", world="kinship", **settings):
    """The first puzzles of a subset and split."""
    config = Config(
        preset=preset, k=(k,), train=max(size, 1), test=max(size, 1), seed=seed, **settings
    )
    told = load_world(world)
    return PuzzleSequence([Puzzles(Generator(config, told), split, k, size)], told, config.assume)


def told(story, facts, target="son", **others):
    """A puzzle that asks for the last of the facts' entities, seen from the first."""
    facts = tuple(Fact(*fact) for fact in facts)
    usual = {
        "id": "x",
        "abstract": "",
        "query": (facts[0].head, facts[-1].tail),
        "k": len(facts),
        "pattern": ("child",) * len(facts),
        "entities": tuple(
            Entity(name, "") for name in dict.fromkeys(n for f in facts for n in f[::2])
        ),
        "scene": "",
    }
    return Puzzle(story=story, facts=facts, target=target, **usual | others)


def reworded(world, words, language="en"):
    """The world with other words for its kinds."""
    kinds = [(kind.words, words[kind.name]) for kind in world.kinds]
    labels = {old: new for before, after in kinds for old, new in zip(before, after, strict=True)}
    templates = {labels[label]: found for label, found in world.lexicon.templates.items()}
    lexicon = replace(world.lexicon, words=words, templates=templates, language=language)
    return replace(world, lexicon=lexicon)


def contents(folder):
    """Every file of a folder."""
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }
