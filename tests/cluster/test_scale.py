"""The tables of docs/scale.md follow from what was measured, which stands beside them."""

import json
from pathlib import Path

import pytest

RECORD = json.loads((Path(__file__).parents[2] / "docs" / "results" / "scale.json").read_text())
TABLES = {name: table["rows"] for name, table in RECORD["tables"].items()}


def measured(rows: list[dict], work: str, by: str, workers: int) -> dict | None:
    found = [row for row in rows if (row["work"], row["by"], row["workers"]) == (work, by, workers)]
    assert len(found) <= 1
    return found[0] if found else None


def test_every_rate_is_rows_by_seconds():
    for rows in (RECORD["server"]["rows"], RECORD["loading"]["rows"], *RECORD["audit"].values()):
        for row in rows if isinstance(rows, list) else ():
            assert row["rows_per_s"] == pytest.approx(row["rows"] / row["seconds"], rel=0.01)


def test_generating():
    rows = RECORD["server"]["rows"]
    assert [line[0] for line in TABLES["generate"]] == [1, 2, 4, 8, 16]
    for workers, *rates in TABLES["generate"]:
        both = [measured(rows, "generate", by, workers) for by in ("processes", "dask")]
        assert rates[:2] == [row["rows_per_s"] for row in both]
        cpu = [1e6 * row["cpu_seconds"] / row["rows"] for row in both]
        assert rates[2:4] == pytest.approx(cpu, abs=0.06)
        more = float(rates[4].removesuffix(" %"))
        assert more == pytest.approx(100 * (cpu[1] / cpu[0] - 1), abs=1)
        assert more <= 10


def test_auditing():
    for workers, size, *rates in TABLES["audit"]:
        both = [measured(RECORD["server"]["rows"], "audit", by, workers) for by in ("processes", "dask")]
        assert rates == [None if row is None else row["rows_per_s"] for row in both]
        assert {row["rows"] for row in both if row is not None} == {size}
    for name, *seconds in TABLES["travel"]:
        workers, by = int(name[0]), "dask" if "Dask" in name else "processes"
        found = [measured(RECORD["audit"][when], "audit", by, workers) for when in ("before", "after")]
        assert seconds == [row["cpu_seconds"] for row in found]


def test_on_paper():
    cpu = TABLES["generate"][-1][4]  # seconds a million, with 16 workers of Dask
    hours, rates = (line[1:] for line in TABLES["billion"])
    for cores, told, rate in zip((10, 100, 1000), hours, rates, strict=True):
        assert float(told.partition(",")[0]) == pytest.approx(cpu * 1000 / 3600 / cores, rel=0.03)
        assert float(rate.removesuffix(" GB")) == pytest.approx(cores / cpu * 1e6 * 401 / 1e9, rel=0.05)
    full = {(row["model"], row["k"]): row["full_s"] for row in RECORD["train"]}
    seed = sum(2 * seconds for seconds in full.values()) / 3600  # four lengths, the mean of two for each
    first, second, _ = TABLES["table-1"][0][1:]
    assert float(first) == pytest.approx(10 * seed, abs=0.5)
    assert float(second) == pytest.approx(seed, abs=0.05)
