"""How good theta-hat is on a synthetic population of EU-SILC: see theta_study.py."""

from __future__ import annotations

import duckdb
import pytest
from theta_study import check, show, study

pytestmark = pytest.mark.slow


def test_theta_on_the_synthetic_eusilc_population(shared):
    with duckdb.connect() as con:
        con.execute(
            "CREATE TABLE population AS FROM read_parquet(?)", [str(shared / "data" / "eusilc_population.parquet")]
        )
        rows = study(con, ["region", "hsize", "age", "gender", "ecoStat", "citizenship"], "hid, pid")
    show("EU-SILC population, 58,654 persons", rows)
    check(rows)
