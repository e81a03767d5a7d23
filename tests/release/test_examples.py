"""The release files in fixtures/: the last version is accepted, the first one refused, and their tables are as made."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path

import duckdb
import pytest

import sdc_sql

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NAMES = ("cps_couples", "lfs", "cis")
KEY = "Chie9eeN-ohv4Iez2-ooQu6aiw-eeXai7th"
# why the first version is refused: the limits that do not hold
REFUSED = {
    "cps_couples": [f"scenarios[{i}].limits[{j}]" for i, j in ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0))],
    "lfs": ["scenarios[1].limits[0]", "scenarios[1].limits[1]", "scenarios[2].limits[0]"],
    "cis": ["scenarios[0].limits[0]", "scenarios[0].limits[1]", "scenarios[1].limits[0]"],
}


def said(name):
    return tomllib.loads((FIXTURES / f"{name}.toml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_version_is_the_last_with_fewer_steps(name):
    first, last = said(f"{name}_first"), said(name)
    following = iter(last["steps"])
    assert all(step in following for step in first["steps"])  # in their order
    assert len(first.pop("steps")) < len(last.pop("steps"))
    early, late = (of["roles"].pop("released_as_collected", []) for of in (first, last))
    assert early == late or (name == "cis" and not late)  # what is not masked yet
    assert first == last


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_first_version_is_refused_for_the_stated_reason(name, tmp_path):
    folder = tmp_path / "released"
    outcome = sdc_sql.run_release(sdc_sql.read_release(FIXTURES / f"{name}_first.toml", output_folder=folder))
    assert [o.limit.path for o in outcome.limits if not o.holds] == REFUSED[name]
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_last_version_is_accepted(name, tmp_path):
    folder = tmp_path / "new" / "released"
    plan = sdc_sql.read_release(FIXTURES / f"{name}.toml", output_folder=folder)
    outcome = sdc_sql.run_release(plan)
    assert outcome.accepted, outcome.reasons
    assert {path.name for path in folder.iterdir()} == set(said(name)["output"].values())
    released = duckdb.read_parquet(str(plan.output.path))
    assert not {*released.columns} & {"couple", "person", "enterprise", *plan.roles.identifiers, "stratum"}
    if name == "cis":  # what section 3.8.2 asks of the perturbation, counted in the files themselves
        totals = """SELECT {nace} AS nace, {size} AS size, sum(turnover) AS total FROM '{file}' GROUP BY ALL"""
        raw = totals.format(
            nace="nace[:2]", size="CASE WHEN employees < 50 THEN '10-49' WHEN employees < 250 THEN '50-249' "
            "ELSE '250 and over' END", file=FIXTURES / "cis.parquet",
        )  # fmt: skip
        masked = totals.format(nace="nace", size="employees", file=plan.output.path)
        ((differ, cells),) = duckdb.sql(
            f"SELECT count(*) FILTER (abs(a.total - b.total) > 1e-3 * a.total), count(*) FROM ({raw}) a "
            f"JOIN ({masked}) b USING (nace, size)"
        ).fetchall()
        assert differ <= 2  # where a division was suppressed, the enterprise is missing
        assert cells > 100
        assert released.filter("exports > turnover + 1 OR innovation > turnover + 1").fetchall() == []


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["lfs", "cis"])
def test_the_surveys_are_as_they_are_made_on_any_version(name):
    make = runpy.run_path(str(FIXTURES / "make_surveys.py"))["make"]
    file = str(FIXTURES / f"{name}.parquet")
    with duckdb.connect() as con:
        make(con, name)
        sdc_sql.load(con)
        con.execute("CREATE TABLE written AS FROM read_parquet(?)", [file])
        assert con.execute(f"SELECT count(*) FROM (FROM written EXCEPT ALL FROM {name})").fetchone() == (0,)
        made, written = (sdc_sql.Microdata(con, table).risk.content_digest() for table in (name, "written"))
    assert made == written
    assert Path(file).stat().st_size < 300_000


def test_an_output_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    plan = sdc_sql.read_release(FIXTURES / "cis.toml", output_folder=tmp_path / "file" / "folder")
    with pytest.raises(sdc_sql.errors.ParameterError, match="cannot be made"):
        sdc_sql.run_release(plan)
