"""What sdcMicro answers on the couples of fixtures/: fixtures/sdcmicro.json, with each call."""

from __future__ import annotations

import json

import pytest

import sdc_sql

COLUMNS = ["experience", "hours", "husband_income"]


@pytest.mark.slow
def test_mdav(keyed, fixtures):
    """Many couples are at equal distances, and which is taken first is open: partitions differ, the loss by 0.03 %."""
    entries = json.loads((fixtures / "sdcmicro.json").read_text(encoding="utf-8"))["entries"]
    figures = entries["couples_mdav_3"]["result"]
    file = fixtures / "cps_couples.parquet"
    # whole hours would be rounded to whole hours again
    keyed.execute(f"CREATE TABLE couples AS SELECT * REPLACE (hours::DOUBLE AS hours) FROM '{file}'")
    step = sdc_sql.Microdata(keyed, "couples", id="couple").mask.microaggregate(COLUMNS, 3, into="released")
    assert step.sse_sst == pytest.approx(figures["SSE_SST_standardised"], rel=1e-3)
    # means are released with 32 bits
    for column, total in figures["colSums"].items():
        assert keyed.execute(f"SELECT sum({column}) FROM released").fetchone()[0] == pytest.approx(total, rel=2**-32)
