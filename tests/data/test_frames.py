"""Frames of any library as data: of polars, with its own types of texts, lists and categories."""

import pyarrow as pa
import pytest

import clutrr

ROWS = [
    {"story": "Bob is Ann's son. Carl is Bob's brother.", "question": "What is Carl to Ann?"},
    {"story": "Dan is Eve's brother. Flo is Dan's wife.", "question": "What is Dan to Flo?"},
]
ANSWERS = ["son", "husband"]


def as_polars_has_it(table):
    """A table with the types that polars hands over: views of texts, large lists of them."""

    def kind(of):
        if pa.types.is_string(of):
            return pa.string_view()
        if pa.types.is_list(of):
            return pa.large_list(kind(of.value_type))
        if pa.types.is_struct(of):
            return pa.struct([(one.name, kind(one.type)) for one in of])
        return of

    columns = {
        one.name: pa.array(table[one.name].to_pylist(), kind(one.type)) for one in table.schema
    }
    return pa.table(columns)


def test_tables_with_the_types_of_polars(tmp_path):
    rows = [{**row, "answer": answer} for row, answer in zip(ROWS, ANSWERS, strict=True)]
    table = as_polars_has_it(pa.Table.from_pylist(rows))
    assert [one.target for one in clutrr.read(table)] == ANSWERS
    puzzles = clutrr.generate(k=(2, 3), size=4)
    clutrr.write(puzzles, tmp_path / "own.parquet")
    own = as_polars_has_it(pa.parquet.read_table(tmp_path / "own.parquet"))
    assert list(clutrr.read(own)) == list(puzzles)


def test_polars(tmp_path):
    pl = pytest.importorskip("polars", reason="polars is not installed")
    rows = [{**row, "answer": answer} for row, answer in zip(ROWS, ANSWERS, strict=True)]
    frame = pl.DataFrame(rows)
    for one in (frame, frame.with_columns(pl.col("answer").cast(pl.Categorical))):
        assert [puzzle.target for puzzle in clutrr.read(one)] == ANSWERS
        assert clutrr.audit(one).subsets
    puzzles = clutrr.generate(k=(2, 3), size=4)
    clutrr.write(puzzles, tmp_path / "own.parquet")
    own = pl.read_parquet(tmp_path / "own.parquet")
    assert list(clutrr.read(own)) == list(puzzles)
    own.write_parquet(tmp_path / "theirs.parquet")
    assert list(clutrr.read(tmp_path / "theirs.parquet")) == list(puzzles)
