"""Every door once, with true figures: what is also run on the lowest version of every dependency.

22,272 couples of a survey: 971 cells, 309 sample uniques and 136 cells of two on six keys (fixtures/README.md).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
COUPLES = str(ROOT / "fixtures" / "cps_couples.parquet")
KEYS = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
FRACTION = 0.0006
# theta by (7) of Skinner & Elliot (2002): n1 pi / (n1 pi + 2 (1 - pi) n2)
THETA = 309 * FRACTION / (309 * FRACTION + 2 * (1 - FRACTION) * 136)
# sdcMicro's, an approximation from above by at most 0.44 % (fixtures/sdcmicro.json)
REIDENTIFICATIONS = 3.01673121028104
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"


def command(*arguments: str) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        [sys.executable, "-m", "sdc_sql", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SDC_KEY": KEY},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_shells_bundle_in_a_plain_duckdb():
    with duckdb.connect() as con:
        con.execute(sdc_sql.bundle())
        assert con.execute("SELECT count(*) FROM sdc_cells(?, ?)", [COUPLES, KEYS]).fetchone() == (971,)
        theta = con.execute("SELECT theta FROM sdc_theta(?, ?, ?)", [COUPLES, KEYS, FRACTION]).fetchone()
    assert theta == pytest.approx((THETA,))


@pytest.mark.slow
def test_python_measures_and_masks(con):
    con.execute(f"CREATE TABLE couples AS FROM '{COUPLES}'")
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    data = sdc_sql.Microdata(con, "couples", keys=KEYS, weight="weight", id="couple")
    assert data.risk.theta(FRACTION).theta == pytest.approx(THETA)
    risk = data.risk.global_risk().expected_reidentifications
    assert REIDENTIFICATIONS * (1 - 0.0044) < risk <= REIDENTIFICATIONS
    step = data.mask.noise("husband_income", 0.1)
    assert (step.records, step.sse_sst) == (22_272, pytest.approx(0.1, rel=0.05))
    assert data.mask.microaggregate(["experience", "hours"], 3, into="released").records == 22_272
    assert con.execute(
        "SELECT min(n) FROM (SELECT count(*) AS n FROM released GROUP BY experience, hours)"
    ).fetchone() >= (3,)
    assert con.execute("SELECT list(method ORDER BY step) FROM sdc_steps").fetchone() == (["noise", "microaggregate"],)
    assert sdc_sql.risk_report(data).to_dict()["frequency_summary"]["sample_uniques"] == 309


@pytest.mark.slow
def test_the_command_line_measures_and_masks_a_file(tmp_path):
    keys = ("--keys", ",".join(KEYS), "--weight", "weight", "--sampling-fraction", str(FRACTION))
    report = json.loads(command("risk", COUPLES, *keys, "--json"))
    assert report["frequency_summary"]["sample_uniques"] == 309
    assert report["theta"]["theta"] == pytest.approx(THETA)
    released = tmp_path / "released.parquet"
    command(
        "mask",
        "noise",
        COUPLES,
        "--id",
        "couple",
        "--columns",
        "husband_income",
        "--alpha",
        "0.1",
        "--output",
        str(released),
    )
    moments = "SELECT count(*), avg(husband_income), var_pop(husband_income) FROM read_parquet(?)"
    with duckdb.connect() as con:
        before, after = (con.execute(moments, [str(file)]).fetchone() for file in (COUPLES, released))
    assert after == pytest.approx((before[0], before[1], before[2] * 1.1), rel=0.02)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("engine", ["duckdb", "spark", "postgres"])
def test_the_command_line_compiles(engine):
    columns = ",".join(["couple", *KEYS, "weight"])
    sql = command(
        "compile", "theta", "couples", ",".join(KEYS), str(FRACTION), "--dialect", engine, "--columns", columns
    )
    if engine == "duckdb":
        with duckdb.connect() as con:
            con.execute(f"CREATE TABLE couples AS FROM '{COUPLES}'")
            found = con.execute(sql).fetchone()
            column = [name for name, *_ in con.description].index("theta")
        assert found[column] == pytest.approx(THETA)
    else:
        assert "GROUP BY" in sql
        assert "COLUMNS(" not in sql


@pytest.mark.slow
def test_macros_stored_in_a_database_file(tmp_path):
    database = tmp_path / "my.duckdb"
    command("install", str(database), "--create")
    with duckdb.connect(str(database), read_only=True) as con:
        row = con.execute(
            "SELECT expected_reidentifications FROM sdc_global_risk(?, ?, 'weight')", [COUPLES, KEYS]
        ).fetchone()
    assert REIDENTIFICATIONS * (1 - 0.0044) < row[0] <= REIDENTIFICATIONS


@pytest.mark.slow
def test_dbts_plugin():
    pytest.importorskip("dbt.adapters.duckdb", reason="no dbt: pip install 'sdc-sql[dbt]'")
    from dbt.adapters.duckdb.credentials import DuckDBCredentials  # noqa: PLC0415 - an optional extra

    from sdc_sql.dbt import Plugin  # noqa: PLC0415

    credentials = DuckDBCredentials.from_dict({"schema": "main", "path": ":memory:"})
    with duckdb.connect() as connection:
        plugin = Plugin(name="dbt", plugin_config={}, credentials=credentials)
        plugin.configure_connection(connection)
        with connection.cursor() as cursor:
            plugin.configure_cursor(cursor)
            assert cursor.execute("SELECT count(*) FROM sdc_cells(?, ?)", [COUPLES, KEYS]).fetchone() == (971,)
