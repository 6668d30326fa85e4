"""What docs/scale.md works out on paper follows from what was measured."""

import json
from pathlib import Path

import pytest

RECORD = json.loads((Path(__file__).parents[2] / "docs" / "results" / "scale.json").read_text())
TABLES = {name: table["rows"] for name, table in RECORD["tables"].items()}


def test_every_rate_is_rows_by_seconds():
    for rows in (RECORD["server"]["rows"], RECORD["loading"]["rows"], *RECORD["audit"].values()):
        for row in rows if isinstance(rows, list) else ():
            assert row["rows_per_s"] == pytest.approx(row["rows"] / row["seconds"], rel=0.01)


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
