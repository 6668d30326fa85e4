"""Files that are broken or mean ill: one clear line that names the place, and nothing is run."""

import contextlib
import gzip
import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clutrr
from clutrr._data import open_dataset
from clutrr._table import SCHEMA, WIDE, from_table
from clutrr.errors import ClutrrError, DataError
from sample_files import CSV, HUB, JSONL, OWN, V01, V1, V13

EDGES, TYPES = "[(0, 1), (1, 2)]", "['aunt', 'son']"


def v1(old: str, new: str) -> str:
    return V1.replace(old, new, 1)


def own(**changes: object) -> str:
    return JSONL + json.dumps(OWN | changes) + "\n"


def v13(**changes: object) -> str:
    return json.dumps(json.loads(V13) | changes) + "\n"


BROKEN = {
    "empty": ("", "empty: no header and no row"),
    "blank": ("\n\n", "empty: no header and no row"),
    "only comments": ("# a\n# b\n", "empty: no header"),
    "prose": ("Once upon a time, there was a file.\n", "line 1: not a known kind of data file"),
    "binary": ("\x00\x01\x02", "line 1: a zero byte: this is not a text file"),
    "header twice": (
        V01.replace("story,summary", "story,story,summary"),
        "line 3: .*'story' appears twice",
    ),
    "v0.1 without summary": (
        V01.replace("story,summary", "story,other"),
        "line 3: not a known kind of data",
    ),
    "v1.0 without edges": (
        V1.replace(",story,query,", ",tale,asked,").replace("story_edges", "edges", 1),
        "line 1: not a known kind of data file",
    ),
    "short row": (V01 + "only a story\n", "line 6: 1 cells where the header has 2"),
    "open quote": (V01 + '"no end', "line 6: broken CSV: unexpected end of data"),
    "v0.1 name in no sentence": (
        V01 + "[Bea] is [Ann]'s daughter.,[Zoe] is [Ann]'s daughter.\n",
        r"line 6: \[Zoe\] is in no sentence",
    ),
    "v0.1 no path": (
        V01 + "[Bea] is [Ann]'s son. [Cid] is [Dan]'s son.,[Cid] is [Ann]'s son.\n",
        r"line 6: no facts that were read join \[Ann\] and \[Cid\]",
    ),
    "v0.1 no target": (
        V01 + "[Bea] is [Ann]'s son.,[Bea] likes [Ann].\n",
        "line 6: the summary .* states 0 facts",
    ),
    "v1.0 name in no sentence": (v1("[Carl].", "[Karl]."), r"line 2: \[Carl\] is in no sentence"),
    "v1.0 code": (
        v1(EDGES, "__import__('os').abort()"),
        "line 2: story_edges: .* is not a literal",
    ),
    "v1.0 depth": (v1(EDGES, "(" * 5000), "line 2: story_edges: .* is not a literal"),
    "v1.0 far edge": (
        v1("(1, 2)]", "(1, 9)]"),
        "line 2: story_edges, query_edge: not pairs of numbers below 3",
    ),
    "v1.0 back edge": (
        v1("(1, 2)]", "(1, -1)]"),
        "line 2: story_edges, query_edge: not pairs of numbers below 3",
    ),
    "v1.0 stray walk": (v1("(1, 2)]", "(0, 2)]"), "line 2: the edges with a type do not join"),
    "v1.0 relation": (v1(TYPES, "['aunt', 'boss']"), "line 2: edge_types: no relation 'boss'"),
    "v1.0 target": (v1(",nephew,", ",boss,"), "line 2: target: no relation 'boss'"),
    "v1.0 types": (
        v1(TYPES, "['aunt', 'son', 'son']"),
        "line 2: edge_types: not a list .* one for each of 2 story_edges",
    ),
    "v1.0 genders": (v1("Ann:female,Bea", "Ann:f,Bea"), "line 2: genders: not a list"),
    "v1.0 same name": (
        v1("Ann:female,Bea:", "Bea:female,Bea:"),
        "line 2: genders: not a list of different people",
    ),
    "v1.0 query": (
        v1("('Ann', 'Carl')", "('Carl', 'Ann')"),
        "line 2: query: not the people of query_edge",
    ),
    "v1.0 task": (v1("task_1.2", "task_../../x"), "line 2: task_name: .* is not like task_1.3"),
    "hub": (HUB.replace(",16,daughter", ",16,"), "line 2: target: no relation ''"),
    "json over lines": ('{\n "a": 1\n}\n', "row a: not a JSON object"),
    "jsonl cut": (JSONL + JSONL[:50], "line 2: the line is not JSON"),
    "jsonl list": (JSONL + "[1]\n", "line 2: not a JSON object"),
    "jsonl field": (JSONL + "{}\n", "line 2: id is missing"),
    "jsonl half a character": (
        JSONL + JSONL.replace("[Ann]", "\\ud800", 1),
        "line 2: the line holds half a character",
    ),
    "own number": (own(story=5), "line 2: story: 5 is not a valid story"),
    "own null": (own(story=None), "line 2: story is missing"),
    "own query": (own(query=["Ann"]), "line 2: query: not two names"),
    "own query null": (own(query=["Ann", None]), "line 2: something in query is missing"),
    "own fact": (own(facts=[["Ann", "son"]]), "line 2: facts: not a list of head, relation, tail"),
    "own fact null": (own(facts=[["Ann", "son", None]]), "line 2: something in facts is missing"),
    "own entity": (own(entities=[{"name": "Ann"}]), "line 2: a form in entities is missing"),
    "own k": (own(k=7), "line 2: k: differs from the length of pattern"),
    "own large k": (own(k=10**30), "line 2: k: 1000.* is not a valid k"),
    "own csv cell": (CSV.replace('"[""Ann"", ""Bob""]"', "Ann"), "line 2: query is not JSON"),
    "v1.3 path": (v13(resolution_path=[0, 2]), "line 1: the first named_edges do not lead"),
    "v1.3 relation": (v13(target_gender="boss"), "line 1: target_gender: no relation 'boss'"),
    "v1.3 names": (v13(name_map=[1]), "line 1: not the graph, names and edges"),
    "v1.3 person": (v13(resolution_path=[0, 1, 7]), "line 1: not the graph, names and edges"),
    "v1.3 story": (v13(text_story="[Ann] sang."), r"line 1: \[Bob\] is in no sentence"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_error_names_the_place(tmp_path: Path, case: str) -> None:
    text, message = BROKEN[case]
    path = tmp_path / "broken"
    path.write_bytes(text.encode())
    with pytest.raises(DataError, match=rf"(?s)^{path}.*{message}") as caught:
        clutrr.read(path)
    assert "\n" not in str(caught.value)


def test_code_in_a_cell_is_data(tmp_path: Path) -> None:
    """In a cell that is not read, code is text like any other; it is never run."""
    mark = tmp_path / "was-run"
    code = f"__import__('pathlib').Path('{mark}').touch()"
    (tmp_path / "a.csv").write_text(V1.replace(",[],aunt-son,", f',"{code}",aunt-son,'))
    assert len(clutrr.read(tmp_path / "a.csv")) == 2
    (tmp_path / "a.csv").write_text(V1.replace("['[Carl] is here.']", code))
    with pytest.raises(DataError, match=r"text_target: .* is not a literal"):
        clutrr.read(tmp_path / "a.csv")
    assert not mark.exists()


def test_place_behind_cells_of_several_lines(tmp_path: Path) -> None:
    text = V01 + "\"[Bea] is [Ann]'s son.\n\nIndeed.\",[Bea] is [Ann]'s son.\nonly a story\n"
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DataError, match="line 9: 1 cells"):
        clutrr.read(tmp_path / "a.csv")


def test_not_text(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(
        V01.encode() + "[Zoë] is [Ann]'s son.,x\n".encode("latin-1")
    )
    with pytest.raises(DataError, match=r"line 6: not UTF-8 text \(byte 4 of the line\)"):
        clutrr.read(tmp_path / "latin.csv")


def test_broken_gzip(tmp_path: Path) -> None:
    whole = gzip.compress(V01.encode() * 100)
    for broken in (
        whole[: len(whole) // 2],
        whole[:30] + b"broken" + whole[36:],
        b"\x1f\x8b rubbish",
    ):
        (tmp_path / "a.csv.gz").write_bytes(broken)
        with pytest.raises(DataError, match=r"gzip|CSV|cells|states|known"):
            clutrr.read(tmp_path / "a.csv.gz")


def test_broken_parquet(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_pylist([OWN], SCHEMA), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="broken Parquet"):
        clutrr.read(path)
    pq.write_table(pa.table({"id": ["a"], "story": ["b"]}), path)
    with pytest.raises(DataError, match="not a known kind of data file"):
        clutrr.read(path)
    wrong = pa.Table.from_pylist([OWN], SCHEMA)
    pq.write_table(wrong.set_column(SCHEMA.get_field_index("query"), "query", [["Ann"]]), path)
    with pytest.raises(DataError, match="not the columns of puzzles"):
        clutrr.read(path)
    pq.write_table(pa.Table.from_pylist([OWN, OWN | {"k": 3}], SCHEMA), path)
    with pytest.raises(DataError, match="row 2: k: differs from the length of pattern"):
        clutrr.read(path)


def attempt(content: bytes) -> None:
    """Reading gives puzzles or a clear error."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        for part in open_dataset(path, skip_bad=True).parts():  # all that is wrong can be left out
            list(from_table(part.table))
        with contextlib.suppress(ClutrrError):
            for part in open_dataset(path).parts():
                assert part.table.schema in (SCHEMA, WIDE)
                list(from_table(part.table))


@given(st.binary(max_size=200))
@example(b"PAR1")
@example(b"\x1f\x8b")
@example(b"{")
@example(b'{"a": 1}')
@example(b"\xef\xbb\xbfstory,summary\n")
@settings(max_examples=60)
def test_any_bytes(content: bytes) -> None:
    attempt(content)
