"""The make-up of households in a release file: limits judge Pitman's, NULL passes none, a refusal says what helps."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql

FILE = """
[source]
path = "k.parquet"
[roles]
id = "id"
household = "hh"
weight = "w"
[[scenarios]]
name = "neighbours"
keys = ["age", "sex"]
limits = ["{limit}"]
[output]
path = "released.csv"
"""


@pytest.mark.slow
def test_limits(tmp_path):
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT i AS id, i // 3 AS hh, 10.0 AS w, (i * 7 % 11 + i // 40) % 9 AS age, i % 2 AS sex
                  FROM range(300) t(i))
            TO '{tmp_path}/k.parquet'
        """)
    file, found = tmp_path / "release.toml", {}
    for limit in (
        "risk.expected_reidentified_households <= 1",
        "risk.by_weights <= 1000",
        "risk.cells <= 1000",
        "summary.unique_households <= 0",
    ):
        file.write_text(FILE.format(limit=f"composition_{limit}"))
        found[limit] = sdc_sql.run_release(file, write=False)
    pitman, weights, cells, uniques = found.values()
    assert [one.accepted for one in found.values()] == [False, False, True, False]
    assert "by_weights is NULL" in weights.reasons[0]
    assert all("coarser keys" in one.reasons[0] for one in (pitman, weights, uniques))
    value = pitman.limits[0].figures["composition_risk.expected_reidentified_households"]
    assert 1 < value <= cells.limits[0].figures["composition_risk.cells"]
