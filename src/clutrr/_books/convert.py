"""Books in other formats: a folder of JSON lines, CSV or Parquet files."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from clutrr._books.load import KINDS, OpenBook
from clutrr._books.table import articles_table, questions_table
from clutrr._data.own import FORMATS
from clutrr._io.files import replace_text
from clutrr._io.locations import Location
from clutrr._io.manifests import seals, write_manifest
from clutrr._io.staging import staged_folder
from clutrr.errors import ConfigError

CONVERTED = "converted_from"


def convert_book(book: OpenBook, out: Location, to: str | None, force: bool) -> dict[str, int]:
    """Write articles and questions to a folder, a file each; return how many there are.

    In CSV, lists stand as JSON.
    """
    form = to or FORMATS[0]
    if form not in FORMATS:
        raise ConfigError(f"of a book is not one of {', '.join(FORMATS)}", setting="to", value=form)
    tables = {
        "articles": articles_table(book.articles),
        "questions": questions_table(book.questions),
    }
    plan = {"book": book.config.to_dict(), CONVERTED: str(book.path), "format": form}
    with staged_folder(out, plan, force) as folder:
        for kind in KINDS:
            file = folder / f"{kind}.{form}"
            if form == "parquet":
                pq.write_table(tables[kind], file, compression="zstd")
            else:
                _write_rows(file, tables[kind].to_pylist(), form)
        about = {CONVERTED: str(book.path), "format": form, "canary": book.manifest.get("canary")}
        write_manifest(folder, about, seals(folder))
    return {kind: len(tables[kind]) for kind in KINDS}


def _write_rows(file: Path, rows: list[dict[str, Any]], form: str) -> None:
    if form == "jsonl":
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        replace_text(file, "\n".join((*lines, "")))
        return
    with file.open("w", encoding="utf-8", newline="") as written:
        writer = csv.DictWriter(written, list(rows[0]) if rows else ["id"])
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {
                    name: value
                    if isinstance(value, str | int)
                    else json.dumps(value, ensure_ascii=False)
                    for name, value in row.items()
                }
            )
