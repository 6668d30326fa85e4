"""A Parquet file's own headers, read before anything is unpacked."""

import contextlib
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clutrr.data.pages import check_content

TABLE = pa.table(
    {
        "text": ["one", "two", None, "two"] * 500,
        "words": [["a", "b"], [], None, ["c"] * 7] * 500,
        "number": list(range(2000)),
        "people": [[{"name": "Ann", "born": 1.5}], [], [{"name": None, "born": None}] * 3, None] * 500,
        "yes": [True, False, None, True] * 500,
    }
)
WAYS = [
    {},
    {"compression": "zstd", "use_dictionary": False},
    {"data_page_version": "2.0", "row_group_size": 300},
    {"data_page_size": 200, "write_batch_size": 20, "compression": "gzip"},
    {"write_statistics": False, "write_page_index": True, "store_schema": False},
]


def written(table: pa.Table, **way) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(table, file, **way)
    return file


def least(file: io.BytesIO) -> int:
    """What the file is found to unpack to: the least that it is not refused for."""
    low, high = -1, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        try:
            check_content(file, middle)
        except ValueError:
            low = middle
        else:
            high = middle
    return high


@pytest.mark.parametrize("way", WAYS)
def test_it_finds_what_pyarrow_knows(way):
    file = written(TABLE, **way)
    metadata = pq.ParquetFile(file).metadata
    columns = [
        metadata.row_group(g).column(c)
        for g in range(metadata.num_row_groups)
        for c in range(metadata.num_columns)
    ]
    values = sum(column.num_values for column in columns)
    found = least(file)
    # Besides the values, what pyarrow counts: the pages, but for their headers; and the dictionaries' texts.
    assert values * 8 < found <= values * 8 + sum(c.total_uncompressed_size for c in columns) + 8 * 4000
    check_content(file, found)


def test_a_long_run_in_a_few_bytes():
    """Five million equal values in two hundred bytes are forty megabytes and more."""
    many = pa.ListArray.from_arrays(pa.array([0, 5_000_000], pa.int32()), pa.repeat("Ann", 5_000_000))
    file = written(pa.table({"names": many}), data_page_size=1 << 30, write_batch_size=1 << 30)
    assert len(file.getbuffer()) < 1000
    assert least(file) > 40_000_000


def test_a_table_of_contents_that_lies():
    """The number of values that counts is that of the pages."""
    file = written(pa.table({"n": pa.repeat(7, 3000)}), compression="none")
    content = file.getvalue()
    honest = least(file)
    start = content.rindex(b"\xf0\x2e")  # 3000, as it stands in the table of contents
    for lie in (b"\x82\x00", b"\xf2\x2e"):  # 1, and 3001
        lying = io.BytesIO(content[:start] + lie + content[start + 2 :])
        assert least(lying) == honest


def test_texts_told_by_what_they_share():
    """Each text may be as long as its whole page."""
    texts = pa.table({"t": ["x" * n for n in range(2000)]})
    file = written(texts, use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")
    assert len(file.getbuffer()) < 20_000
    assert least(file) > texts.nbytes


def test_broken_headers():
    content = written(TABLE.slice(0, 20)).getvalue()
    for wrong in (b"", b"PAR1", content[:-4], content[:-8] + b"\xff\xff\xff\x7fPAR1"):
        with pytest.raises(ValueError, match="table of contents"):
            check_content(io.BytesIO(wrong), 1 << 40)
    for at in range(4, len(content), 7):  # whatever is spoiled, it is said, or found to be no matter
        spoiled = bytearray(content)
        spoiled[at] ^= 0xFF
        with contextlib.suppress(ValueError):
            check_content(io.BytesIO(spoiled), 1 << 40)
