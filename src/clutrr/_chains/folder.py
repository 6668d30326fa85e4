"""Chains as a folder that the Hugging Face hub understands; and in the formats of others.

processbench            `id, generator, problem, steps, final_answer_correct, label`: label is the number of the
                        first wrong step, -1 if there is none
stepwise_preference     `prompt, completions, labels`: a label for each step, as trainers of TRL take them
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clutrr._chains.chain import SCHEMA, Chain
from clutrr._chains.make import ChainMaker, LeftOut, Tally
from clutrr._data.about import front_matter, rendered
from clutrr._data.dataset import WORLD, Dataset
from clutrr._data.part import UNSPLIT
from clutrr._io.files import replace_text
from clutrr._io.locations import Location
from clutrr._io.manifests import seals, write_manifest
from clutrr._io.staging import staged_folder
from clutrr._lexicon import save_world
from clutrr._measure import natural
from clutrr._sentences import unbracketed
from clutrr.errors import ConfigError, DataError

KIND = "chains"
PROCESSBENCH, PREFERENCE = "processbench", "stepwise_preference"
FORMATS = ("parquet", "jsonl")
_AT_ONCE = 1000  # rows that are written together
_TEXT, _TEXTS = pa.string(), pa.list_(pa.string())
_SCHEMAS = {
    None: SCHEMA,
    PROCESSBENCH: pa.schema(
        [
            ("id", _TEXT),
            ("generator", _TEXT),
            ("problem", _TEXT),
            ("steps", _TEXTS),
            ("final_answer_correct", pa.bool_()),
            ("label", pa.int32()),
        ]
    ),
    PREFERENCE: pa.schema(
        [("prompt", _TEXT), ("completions", _TEXTS), ("labels", pa.list_(pa.bool_()))]
    ),
}
_COLUMNS = """\
`id`; `puzzle` (its id); `world`; `story`, `question`, `query`, `target`, `k`, `facts`, `statements` (of the puzzle);
`steps` (texts); `right` (of each step: whether the story alone entails it); `verdicts` (stated, entailed, possible or
contradicted); `supported` (whether the step follows by one composition from what it cites); `claims` (of each step: head,
relations, tail); `premises` (the numbers of the earlier steps that it cites, from 0); `behind` (the numbers of what it
rests on: facts, and then statements); `first_error` (the number of the first step that is not right, from 0; -1 if there is
none); `error` (its kind, "" if there is none; a chain of the kind `skipped` has no wrong step, but one that is not
supported); `style`; `order`; `answer`; `answer_right`."""
_ABOUT = {
    None: _COLUMNS,
    PROCESSBENCH: "`id`, `generator`, `problem`, `steps`, `final_answer_correct`, `label`, as in ProcessBench.",
    PREFERENCE: "`prompt`, `completions`, `labels`: the type `stepwise_preference` of TRL.",
}


def problem(chain: Chain) -> str:
    """Return what a chain solves, as a text: the story and the question."""
    return f"{unbracketed(chain.story).strip()}\n\n{unbracketed(chain.question)}"


def row_of(chain: Chain, to: str | None) -> dict[str, Any]:
    """Return a chain as a row of a format."""
    if to is None:
        return chain.to_dict()
    texts = [step.text for step in chain.steps]
    if to == PREFERENCE:
        right = [step.right for step in chain.steps]
        return {"prompt": problem(chain), "completions": texts, "labels": right}
    return {
        "id": chain.id,
        "generator": "clutrr",
        "problem": problem(chain),
        "steps": texts,
        "final_answer_correct": chain.answer_right,
        "label": chain.first_error,
    }


def write_chains(
    data: Dataset,
    maker: ChainMaker,
    out: Location,
    to: str | None,
    form: str,
    force: bool,
    tick: Callable[[int], None],
) -> dict[str, Any]:
    """Write the chains of a data set, a file for each subset and split, and return the manifest."""
    if to not in _SCHEMAS:
        raise ConfigError(f"is not one of {PROCESSBENCH}, {PREFERENCE}", setting="to", value=to)
    if form not in FORMATS:
        raise ConfigError(f"is not one of {', '.join(FORMATS)}", setting="format", value=form)
    plan = {"chains of": str(data.path), "to": to, "format": form, "config": _config(maker)}
    with staged_folder(out, plan, force) as folder:
        tallies, left_out = _write(data, maker, folder, to, form, tick)
        if not tallies:
            why = f": {max(left_out.reasons)}" if left_out.reasons else ""
            raise DataError(f"no chain can be made of its puzzles{why}", place=data.path)
        about = _manifest(data, maker, to, form, tallies, left_out)
        if to is None:
            save_world(maker.world, folder / WORLD)
        replace_text(folder / "README.md", _card(maker, about, to))
        return write_manifest(folder, about, seals(folder))


_Tallies = dict[tuple[str, str], Tally]


def _write(
    data: Dataset,
    maker: ChainMaker,
    folder: Path,
    to: str | None,
    form: str,
    tick: Callable[[int], None],
) -> tuple[_Tallies, LeftOut]:
    """Write the files; return what is in each, and which puzzles are in none."""
    tallies: _Tallies = {}
    left_out = LeftOut()
    with ExitStack() as stack:
        writers: dict[tuple[str, str], Callable[[Sequence[Mapping[str, Any]]], None]] = {}
        for part in data.parts():
            key = part.subset, part.split or UNSPLIT
            waiting: list[dict[str, Any]] = []
            for puzzle in part.puzzles:
                for chain in maker.chains([puzzle], left_out):
                    if key not in writers:
                        path = folder / file_of(*key, form)
                        path.parent.mkdir(parents=True, exist_ok=True)
                        writers[key] = stack.enter_context(_writer(path, form, _SCHEMAS[to]))
                    tallies.setdefault(key, Tally()).add(chain)
                    waiting.append(row_of(chain, to))
                tick(1)
                if len(waiting) >= _AT_ONCE:
                    writers[key](waiting)
                    waiting = []
            if waiting:
                writers[key](waiting)
    return tallies, left_out


def file_of(subset: str, split: str, form: str) -> str:
    """Return where the chains of a subset and split lie in their folder."""
    return f"data/{subset}/{split}-00000-of-00001.{form}"


@contextmanager
def _writer(
    path: Path, form: str, schema: pa.Schema
) -> Iterator[Callable[[Sequence[Mapping[str, Any]]], None]]:
    """Yield what writes rows to a new file, one batch after the other."""
    if form == "parquet":
        with pq.ParquetWriter(path, schema, compression="zstd") as file:
            yield lambda rows: file.write_table(pa.Table.from_pylist(list(rows), schema))
    else:
        with path.open("w", encoding="utf-8") as lines:
            yield lambda rows: lines.writelines(
                f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows
            )


def _config(maker: ChainMaker) -> dict[str, Any]:
    config = maker.config
    return {
        "wrong": config.wrong,
        "errors": dict(config.errors),
        "styles": dict(config.styles) or "all",
        "per": config.per,
        "seed": config.seed,
    }


def _manifest(
    data: Dataset,
    maker: ChainMaker,
    to: str | None,
    form: str,
    tallies: _Tallies,
    left_out: LeftOut,
) -> dict[str, Any]:
    subsets: dict[str, dict[str, Any]] = {}
    for subset, split in sorted(tallies, key=lambda key: (natural(key[0]), key[1] != "train")):
        tally = tallies[subset, split]
        files = [file_of(subset, split, form)]
        subsets.setdefault(subset, {})[split] = {
            "rows": tally.chains,
            **tally.to_json(),
            "files": files,
        }
    every = Tally()
    for tally in tallies.values():
        every.join(tally)
    return {
        "kind": KIND,
        "world": {"name": maker.world.name, "sha256": maker.world.digest},
        "assume": maker.assume,
        "format": form,
        "to": to,
        "puzzles_of": data.made_as,
        "config": _config(maker),
        "left_out": dict(left_out.reasons.most_common()),
        "all": every.to_json(),
        "subsets": subsets,
    }


def _card(maker: ChainMaker, about: Mapping[str, Any], to: str | None) -> str:
    subsets: Mapping[str, Mapping[str, Any]] = about["subsets"]
    files = {
        name: {split: one["files"][0] for split, one in splits.items()}
        for name, splits in subsets.items()
    }
    splits = list(dict.fromkeys(split for one in subsets.values() for split in one))
    return rendered(
        "clutrr._chains",
        "card.md.jinja",
        head=front_matter(maker.world.lexicon.language, files, "cc0-1.0"),
        about=about,
        all=about["all"],
        splits=splits,
        left_out=sum(Counter(about["left_out"]).values()),
        columns=_ABOUT[to],
        assumption=maker.world.theory.assumption(maker.assume).about,
        config=json.dumps(about["config"]),
    )
