"""The README.md of a generated data set: a data set card that the Hugging Face hub understands."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from clutrr._data.about import COLUMNS, STATEMENT_COLUMN, front_matter, rendered
from clutrr._generate import Generator
from clutrr._generate.shards import Shard, Written
from clutrr._puzzle import SPLITS

_SHOWN = 12  # patterns in a table


def card(
    generator: Generator,
    manifest: dict[str, Any],
    written: Mapping[Shard, Written],
    checked: Sequence[str],
) -> str:
    """Return the card, from what the generator was asked for and what is known of the files.

    checked: what was found out about a theory that does not come with the package.
    """
    config, world = generator.config, generator.world
    subsets = [
        _subset(k, manifest["subsets"][f"M{k}"], {s: one for s, one in written.items() if s.k == k})
        for k in config.k
    ]
    specs = config.specs(world.theory)
    settings = {spec.k: world.theory.scene_settings(spec) for spec in specs}
    for subset in subsets:
        subset["scene"] = list(settings[subset["k"]].values())
    splits = [split for split in SPLITS if config.size(split)]
    files = {
        subset["name"]: {
            split: f"data/{subset['name']}/{split}-*.{manifest['format']}" for split in splits
        }
        for subset in subsets
    }
    return rendered(
        "clutrr._generate",
        "card.md.jinja",
        head=front_matter(world.lexicon.language, files, "cc0-1.0"),
        columns=COLUMNS,
        statements=STATEMENT_COLUMN if config.judged_whole else "",
        kinds=_kinds(written),
        config=config,
        shown={
            **manifest["config"],
            **({"families": "in manifest.json"} if config.families else {}),
        },
        preset=world.theory.preset(config.preset),
        world=world,
        manifest={"set": None, **manifest},
        subsets=subsets,
        notes=[*generator.notes(), *checked],
        scene=list(settings[config.k[0]]),
        sampling=world.theory.sampling(specs),
        assumption=world.theory.assumption(config.assume).about,
    )


def _kinds(written: Mapping[Shard, Written]) -> list[tuple[str, str]]:
    """Return the share of each kind of statement that is no fact, by what it is for, in percent."""
    counted: Counter[str] = Counter()
    for one in written.values():
        counted.update(one.statements)
    total = counted.total() or 1
    return [(kind, f"{100 * size / total:.1f}") for kind, size in counted.most_common()]


def _subset(k: int, splits: Mapping[str, Any], written: Mapping[Shard, Written]) -> dict[str, Any]:
    """Return what the card shows of a subset. splits: what the manifest says of each."""
    labels = {split: splits[split]["labels"] if split in splits else {} for split in SPLITS}
    patterns: dict[str, Counter[str]] = {split: Counter() for split in SPLITS}
    for shard, one in written.items():
        patterns[shard.split].update(one.patterns)
    together = patterns["train"] + patterns["test"]
    common = sorted(together, key=lambda pattern: (-together[pattern], pattern))[:_SHOWN]
    every = sorted({label for known in labels.values() for label in known})
    return {
        "name": f"M{k}",
        "k": k,
        "rows": {split: sum(labels[split].values()) for split in SPLITS},
        "labels": [(label, [labels[split].get(label, 0) for split in SPLITS]) for label in every],
        "patterns": [
            (pattern, [patterns[split][pattern] for split in SPLITS]) for pattern in common
        ],
        "distinct": {split: len(patterns[split]) for split in SPLITS},
        "sample": next(iter(written.values())).sample,
    }
