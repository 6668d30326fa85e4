"""The manifest and the data set card of a converted folder."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pyarrow.compute as pc

from clutrr.data.card import COLUMNS, front_matter, table
from clutrr.data.dataset import Dataset
from clutrr.data.formats import FORMATS
from clutrr.data.part import UNSPLIT, Part
from clutrr.measure import natural
from clutrr.puzzle import EXTRA
from clutrr.version import VERSION
from clutrr.world import World


class Converted:
    """Counts what is written, file by file, and describes it."""

    def __init__(self, data: Dataset, world: World, form: str) -> None:
        self._data, self._world, self._form = data, world, form
        self._files: dict[tuple[str, str], str] = {}
        self._rows: Counter[tuple[str, str]] = Counter()
        self._labels: dict[tuple[str, str], Counter[str]] = {}
        self._extra = False

    def add(self, name: str, part: Part) -> None:
        """Note a part that was written to a file of this name."""
        key = part.subset, part.split or UNSPLIT
        self._files[key] = name
        self._rows[key] += len(part.table)
        self._extra |= EXTRA.name in part.table.column_names
        labels = self._labels.setdefault(key, Counter())
        for count in pc.value_counts(part.table["target"]).to_pylist():
            labels[count["values"]] += count["counts"]

    def manifest(self, assume: str | None, kept: Mapping[str, str]) -> dict[str, Any]:
        """Return the manifest of the folder."""
        subsets: dict[str, Any] = {}
        for subset, split in self._keys():
            subsets.setdefault(subset, {})[split] = {
                "rows": self._rows[subset, split],
                "labels": dict(sorted(self._labels[subset, split].items())),
                "files": [self._files[subset, split]],
            }
        return {
            "world": {"name": self._world.name, "sha256": self._world.digest},
            "assume": assume,
            "format": self._form,
            "converted_from": ", ".join(sorted({form.name for _, form in self._data.files})),
            **({"kept": dict(kept)} if kept else {}),
            "skipped": len(self._data.notes.skipped),
            "spelt": {f"{word}: {means}": n for (word, means), n in self._data.notes.spelt.items()},
            "subsets": subsets,
        }

    def card(self, manifest: Mapping[str, Any]) -> str:
        """Return the folder's README.md, which the Hugging Face hub understands."""
        configs: dict[str, dict[str, str]] = {}
        for subset, split in self._keys():
            configs.setdefault(subset, {})[split] = self._files[subset, split]
        made_here = "config" in self._data.manifest  # generated data is CC0
        head = front_matter(
            self._world.lexicon.language, sum(self._rows.values()), configs, "cc0-1.0" if made_here else None
        )
        splits = list(dict.fromkeys(split for _, split in self._keys()))
        rows = [[subset, *(self._rows[subset, split] for split in splits)] for subset in configs]
        lines = [
            head,
            f"# Kinship stories, converted from {manifest['converted_from']}",
            "",
            f"A story states family relations; the question is what the second person of `query` is to the "
            f"first. World: `{self._world.name}`. "
            + (f"Assumption: `{manifest['assume']}`." if manifest["assume"] else "No assumption is known."),
            "",
            *table(["subset", *splits], rows),
            "",
            *self._said(manifest),
            "## Columns",
            "",
            COLUMNS if self._form in FORMATS else f"Those of CLUTRR {self._form}.",
        ]
        if self._extra and self._form in FORMATS:
            lines[-1] += " `extra` (JSON): what the file that this was converted from said besides."
        lines += ["", f"By `clutrr convert` {VERSION}; `manifest.json` has checksums."]
        return "\n".join(lines) + "\n"

    def _said(self, manifest: Mapping[str, Any]) -> list[str]:
        lines = []
        if kept := manifest.get("kept"):
            lines.append(
                f"Only part of the data: {', '.join(f'{name} {what}' for name, what in kept.items())}."
            )
        if skipped := manifest["skipped"]:
            lines.append(f"Left out because they could not be read: {skipped:,}.")
        for spelling, rows in manifest["spelt"].items():
            word, _, means = spelling.partition(": ")
            lines.append(f"`{word}` was read as `{means}` in {rows:,} rows.")
        return [*lines, ""] if lines else []

    def _keys(self) -> list[tuple[str, str]]:
        order = {"train": 0, "validation": 1, "test": 2}
        return sorted(self._files, key=lambda key: (natural(key[0]), order.get(key[1], 3)))
