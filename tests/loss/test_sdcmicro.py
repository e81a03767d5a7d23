"""What sdcMicro answers of the loss between two tables of couples: fixtures/sdcmicro.json, with the call."""

from __future__ import annotations

import json

import pytest

import sdc_sql


@pytest.mark.slow
def test_measures_of_utility(con, fixtures):
    """IL1s and the eigenvalues are sums there and means here; dRisk is the share within 0.05 standard deviations."""
    entries = json.loads((fixtures / "sdcmicro.json").read_text(encoding="utf-8"))["entries"]
    figures = entries["couples_utility"]["result"]
    columns = figures["columns"]
    file = fixtures / "cps_couples.parquet"
    values = ", ".join(f"{c}::DOUBLE AS {c}" for c in columns)
    read = f"read_parquet('{file}', file_row_number = true)"
    con.execute(f"CREATE TABLE original AS SELECT file_row_number + 1 AS i, {values} FROM {read}")
    masked = ", ".join(
        f"{c} * (1 + 0.01 * ((i + {j}) % 7 - 3))"
        f" + 0.001 * (SELECT stddev_samp({c}) FROM original) * ((i * {j}) % 5 - 2) AS {c}"
        for j, c in enumerate(columns, 1)
    )
    con.execute(f"CREATE TABLE released AS SELECT i, {masked} FROM original")
    data = sdc_sql.Microdata(con, "released", id="i")

    il1 = data.loss.il1("original", columns)[0]  # of all variables together
    assert il1.il1 * il1.values == pytest.approx(figures["IL1s"], rel=1e-12)
    eigenvalues = data.loss.eigenvalue_distance("original", columns)[0]
    assert eigenvalues.variation * len(columns) == pytest.approx(figures["eigen"], rel=1e-9)
    assert data.loss.gamma_loss("original", columns).gamma == pytest.approx(figures["IL_correl"], rel=1e-9)
    disclosed = data.linkage.interval_disclosure("original", columns, width=0.05)[0]
    assert disclosed.share == pytest.approx(figures["dRisk_0.05"], rel=1e-12)
