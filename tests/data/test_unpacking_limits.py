"""What a file unpacks to is counted while it is read, and refused where it is too much for its size."""

import gzip
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clutrr
from clutrr._data.source import DataFile
from clutrr._generate import Config
from clutrr._generate.folder import Job, generate_folder
from clutrr.errors import DataError

TABLE = pa.table(
    {
        "text": ["one", "two", None, "two"] * 50,
        "words": [["a", "b"], [], None, ["c"] * 7] * 50,
        "people": [[{"name": "Ann", "born": 1.5}], [], [{"name": None, "born": None}] * 3, None]
        * 50,
        "ages": pa.array([{"Ann": 3}, {}, None, {"Bob": 1, "Dan": 2}] * 50, pa.map_(pa.string(), pa.int8())),
    }
)  # fmt: skip
TOO_MUCH = r"unpacks to more than \d+ MB: set CLUTRR_LIMITS=10"
# One page, one dictionary, however large: what a writer does that means ill.
WHOLE = {"data_page_size": 1 << 30, "write_batch_size": 1 << 30, "row_group_size": 1 << 30,
         "dictionary_pagesize_limit": 1 << 30, "store_schema": False}  # fmt: skip


def written(tmp_path: Path, table: pa.Table, **way) -> DataFile:
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, **{"compression": "zstd", **way})
    return DataFile(path, path.name)


def read(file: DataFile, *columns: str, rows: int = 512) -> list[pa.RecordBatch]:
    return list(file.batches(rows, columns or None))


def refused_soon(file: DataFile) -> None:
    """It ends after seconds, whatever the file would come to."""
    started = time.process_time()
    with pytest.raises(DataError, match=TOO_MUCH):
        for _ in file.batches(512):
            pass
    assert time.process_time() - started < 10


def numbered(entries: int, text: str, numbers: "np.ndarray") -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.repeat(text, entries))


@pytest.mark.parametrize("rows", [1, 7, 512])
@pytest.mark.parametrize(
    "way",
    [
        {},
        {"compression": "snappy"},
        {"compression": "zstd", "use_dictionary": False},
        {"data_page_version": "2.0", "row_group_size": 30},
        {"row_group_size": 1},
        {"data_page_size": 200, "write_batch_size": 20, "compression": "gzip"},
        {"write_statistics": False, "write_page_index": True, "store_schema": False},
    ],
)
def test_files_of_every_kind_pass(tmp_path, way, rows):
    batches = read(written(tmp_path, TABLE, **way), rows=rows)
    assert max(map(len, batches)) <= rows
    found = [row for batch in batches for row in batch.select(TABLE.column_names).to_pylist()]
    assert found == TABLE.to_pylist()


def test_texts_that_build_on_each_other_are_refused(tmp_path):
    """A few bytes of each can stand for any number, and pyarrow does not number them."""
    way = {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}}
    file = written(tmp_path, TABLE, **way)
    assert len(read(file, "people")) == 1
    with pytest.raises(DataError, match="broken Parquet: Not yet implemented"):
        read(file, "text")


def test_a_large_dictionary_is_unpacked_a_few_times(tmp_path):
    """Rows come in their order, whatever the size of the batches that they are unpacked in."""
    texts = [f"a text with the number {i}" for i in range(20_000)]
    table = pa.table({"text": [*texts, *reversed(texts)], "number": range(40_000)})
    for way in ({}, {"row_group_size": 700}, {"row_group_size": 15_000}):
        batches = read(written(tmp_path, table, **way), rows=100)
        assert max(map(len, batches)) == 100
        assert pa.Table.from_batches(batches).select(table.column_names).equals(table)


def test_a_long_run_in_a_few_bytes(tmp_path):
    """Ten million equal values in some hundred bytes are eighty megabytes and more."""
    many = pa.ListArray.from_arrays(
        pa.array([0, 10_000_000], pa.int32()), pa.repeat("Ann", 10_000_000)
    )
    table = pa.table({"names": many, "number": [1]})
    file = written(tmp_path, table, data_page_size=1 << 30, write_batch_size=1 << 30)
    assert file.path.stat().st_size < 1500
    read(file, "number")  # the others are not read
    with pytest.raises(DataError, match="unpacks to more than 64 MB: set CLUTRR_LIMITS=10"):
        read(file, "names")


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip"])
def test_a_repeated_text_that_is_packed_well(tmp_path, compression):
    table = pa.table({"text": ["x" * 100_000_000]})
    file = written(tmp_path, table, compression=compression, use_dictionary=False)
    with pytest.raises(DataError, match=r"unpacks to more than|a row of more than"):
        read(file, "text")


def test_a_dictionary_that_repeats_one_text(tmp_path):
    """A few kilobytes, and fifty megabytes to unpack; it is done once, not for each of many batches."""
    column = numbered(7_000_000, "son", np.zeros(1_000_000, np.int32))
    file = written(tmp_path, pa.table({"text": column}), **WHOLE)
    assert file.path.stat().st_size < 10_000
    started = time.process_time()
    assert {text for batch in read(file) for text in batch["text"].unique().to_pylist()} == {"son"}
    assert time.process_time() - started < 10


def test_a_dictionary_of_one_long_text(tmp_path):
    """A hundred thousand rows of the same megabyte."""
    column = numbered(1, "x" * 1_000_000, np.zeros(100_000, np.int32))
    refused_soon(written(tmp_path, pa.table({"text": column}), **WHOLE))


def test_dictionaries_within_lists(tmp_path):
    names = numbered(1, "x" * 100_000, np.zeros(1_000_000, np.int32))
    people = pa.StructArray.from_arrays([names], ["name"])
    lists = pa.ListArray.from_arrays(pa.array(range(0, 1_000_001, 20), pa.int32()), people)
    refused_soon(written(tmp_path, pa.table({"people": lists}), **WHOLE))


def test_columns_of_one_value(tmp_path):
    """Run lengths: twenty million rows take a few hundred bytes."""
    refused_soon(written(tmp_path, pa.table({"k": pa.repeat(3, 20_000_000)}), **WHOLE))
    refused_soon(written(tmp_path, pa.table({"k": pa.nulls(20_000_000, pa.string())}), **WHOLE))


def test_many_small_groups_of_rows(tmp_path):
    """What they unpack to is counted together."""
    table = pa.table({"text": ["x" * 1_000_000] * 2})
    with pq.ParquetWriter(tmp_path / "x.parquet", table.schema, compression="zstd") as out:
        for _ in range(1_000):
            out.write_table(table)
    refused_soon(DataFile(tmp_path / "x.parquet", "x.parquet"))


LINES = {
    "comments": (b"# one comment that says nothing, and says it a million times\n" * 100, TOO_MUCH),
    "long comments": (b"# " + b"x" * 1_000_000 + b"\n", TOO_MUCH),
    "rows": (b'story,query,target\n"[Ann] has a son, [Bob].","(Ann, Bob)",son\n', TOO_MUCH),
    "objects": (b'{"story": "' + b"x" * 1_000 + b'"}\n', TOO_MUCH),
    "one line": (b"x" * 1_000, "a line of more than 4 MB"),
    "one list": (b"[" * 1_000, "a line of more than 4 MB"),
    "blank lines": (b"\n" * 1_000, "blank lines of more than 4 MB"),
}


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_what_was_zipped_is_counted(tmp_path, kind, suffix):
    """Some hundred kilobytes unpack to three hundred megabytes."""
    part, said = LINES[kind]
    path = tmp_path / f"x.{suffix}.gz"
    with gzip.open(path, "wb", 9) as file:
        block = part * (3_000_000 // len(part))
        for _ in range(100):
            file.write(block)
    assert path.stat().st_size < 1_500_000
    started = time.process_time()
    with pytest.raises(DataError, match=said):
        for _ in DataFile(path, path.name).lines():
            pass
    assert time.process_time() - started < 10


def test_a_limit_can_be_raised(tmp_path, monkeypatch):
    file = written(tmp_path, pa.table({"k": pa.repeat(3, 10_000_000)}), **WHOLE)
    with pytest.raises(DataError, match=TOO_MUCH):
        read(file)
    monkeypatch.setenv("CLUTRR_LIMITS", "2")
    assert sum(map(len, file.batches(1 << 20))) == 10_000_000


def test_our_own_data_is_far_below_the_limit(tmp_path, monkeypatch):
    """However often its texts repeat: a twentieth of what is allowed would do."""
    generate_folder(Job(tmp_path / "data", Config(k=(2,), train=2_000, test=0)))
    monkeypatch.setattr("clutrr._io.limits.UNPACKED", 0)
    monkeypatch.setattr("clutrr._io.limits.UNPACKED_RATIO", 20)
    assert len(clutrr.read(tmp_path / "data")) == 2_000
    for form in ("csv", "jsonl"):
        clutrr.write(tmp_path / "data", tmp_path / f"x.{form}")
        (tmp_path / f"x.{form}.gz").write_bytes(
            gzip.compress((tmp_path / f"x.{form}").read_bytes(), 9)
        )
        assert len(clutrr.read(tmp_path / f"x.{form}.gz")) == 2_000
