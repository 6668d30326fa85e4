"""Frames of any library as data: of polars, with its own types of texts, lists and categories."""

from collections import Counter

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


def test_what_is_read_keeps_its_splits_when_it_is_written(tmp_path):
    rows = [
        {**row, "answer": answer, "split": split}
        for split in ("train", "test", "valid")
        for row, answer in zip(ROWS, ANSWERS, strict=True)
    ]
    for read in (clutrr.read(rows), clutrr.read(rows).filter(lambda one: one.target == "son")):
        clutrr.write(read, tmp_path / "out", force=True)
        found = Counter()
        for splits in clutrr.info(tmp_path / "out").figures.subsets.values():
            found.update(splits)
        each = len(read) // 3
        assert found == {"train": each, "test": each, "validation": each}
    half = clutrr.read(tmp_path / "out")[:2]
    assert len(half.places) == 2


def test_the_card_names_source_licence_and_what_was_not_read(tmp_path):
    rows = [{**row, "answer": answer} for row, answer in zip(ROWS, ANSWERS, strict=True)]
    rows[0]["story"] += " Carl is a frobbish brother of Zed."
    rows.append({**rows[1], "question": "What is Zoe to Flo?"})
    out = tmp_path / "out"
    clutrr.convert(rows, out, skip_bad=True)
    card = (out / "README.md").read_text()
    assert "Left out because they could not be read: 1." in card
    assert "Some of the text was not understood in 1 rows" in card
    assert "Source: `rows`. Licence: that of the source" in card
    generated = tmp_path / "generated"
    clutrr.generate(k=2, out=generated, train=5, test=5)
    clutrr.convert(generated, tmp_path / "own", to="csv")
    card = (tmp_path / "own/README.md").read_text()
    assert "Source: `generated`. Licence: cc0-1.0." in card


def test_repairs_in_python(tmp_path):
    """What `clutrr convert` does, as a function: only some rows, targets put right."""
    rows = [
        {**row, "answer": answer} for row, answer in zip(ROWS, ["daughter", "husband"], strict=True)
    ]
    kept = clutrr.convert(rows, tmp_path / "kept.jsonl", only="proved")
    assert (kept.rows, kept.kept["only"]) == (1, "proved")
    put_right = clutrr.convert(rows, tmp_path / "right.jsonl", relabel=True)
    assert put_right.kept["relabelled"] == "1 (1 from daughter to son)"
    assert [one.target for one in clutrr.read(tmp_path / "right.jsonl")] == ANSWERS
