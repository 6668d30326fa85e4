"""What a Parquet file unpacks to is known, and refused, before it is unpacked."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clutrr.data.source import check_size, open_parquet

TABLE = pa.table(
    {
        "text": ["one", "two", None, "two"] * 50,
        "words": [["a", "b"], [], None, ["c"] * 7] * 50,
        "people": [[{"name": "Ann", "born": 1.5}], [], [{"name": None, "born": None}] * 3, None] * 50,
    }
)


def written(table: pa.Table, **way) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file, **way)
    return file


def check(file: io.BytesIO, *columns: str) -> None:
    check_size(open_parquet(file), list(columns or TABLE.column_names), len(file.getbuffer()))


@pytest.mark.parametrize(
    "way",
    [
        {},
        {"compression": "zstd", "use_dictionary": False},
        {"data_page_version": "2.0", "row_group_size": 30},
        {"data_page_size": 200, "write_batch_size": 20, "compression": "gzip"},
        {"write_statistics": False, "write_page_index": True, "store_schema": False},
        {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
    ],
)
def test_files_of_every_kind_pass(way):
    check(written(TABLE, **way))


def test_a_long_run_in_a_few_bytes():
    """Ten million equal values in some hundred bytes are eighty megabytes and more."""
    many = pa.ListArray.from_arrays(pa.array([0, 10_000_000], pa.int32()), pa.repeat("Ann", 10_000_000))
    table = pa.table({"names": many, "number": [1]})
    file = written(table, data_page_size=1 << 30, write_batch_size=1 << 30)
    assert len(file.getbuffer()) < 1500
    check(file, "number")  # the others are not read
    with pytest.raises(ValueError, match="unpacks to more than 64 MB: set CLUTRR_LIMITS=10"):
        check(file, "names")


def test_a_repeated_text_that_is_packed_well():
    file = written(pa.table({"text": ["x" * 100_000_000]}), compression="zstd", use_dictionary=False)
    with pytest.raises(ValueError, match="unpacks to more than"):
        check(file, "text")
