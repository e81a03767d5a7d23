"""A release file is proposed from the data: once decided it is run, and it shows no value of anybody."""

from __future__ import annotations

import tomllib

import duckdb
import pytest
from decided import decided

from sdc_sql import TableError, propose_release, read_release, run_release
from sdc_sql.cli import main

ODD = """
    SELECT range AS person_id, 'Person ' || range AS surname, range % 60 + 18 AS age,
           CASE WHEN range % 9 > 0 THEN ['m', 'f'][1 + range % 2] END AS "Se\nx ""of"" it's [[x]]",
           CASE WHEN range = 7 THEN 'Prince' ELSE 'other' END AS occupation, 1.5 + range AS survey_weight,
           range // 3 AS hhid,
           (range % 40 + 100)::VARCHAR AS region, [range] AS tags, (range * 7919 % 1000) / 3.0 AS income,
           DATE '2000-01-01' + (range * 3)::INTEGER AS moved, NULL::INTEGER AS k, 'x' AS f
    FROM range(300)
"""


@pytest.fixture
def proposed(tmp_path):
    """Propose a release file for the rows of a query, as a Parquet file."""

    def made(rows, ending="parquet"):
        duckdb.sql(f"COPY ({rows}) TO '{tmp_path}/raw.{ending}'")
        return propose_release(tmp_path / f"raw.{ending}", tmp_path / "release.toml")

    return made


@pytest.mark.slow
def test_the_figures_are_those_of_the_workers(fixtures, tmp_path, capsys):
    file = tmp_path / "w.toml"
    assert main(["release", "--init", str(fixtures / "cps_workers.parquet"), str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    text = file.read_text()
    assert "566 sample uniques" in text  # the README's, of region, sex, age and education
    assert main(["release", str(file), "--plan"]) == 2
    assert "to_decide: the file is a proposal" in capsys.readouterr().err
    said = tomllib.loads(text)
    assert said["roles"] == {"id": "person"}
    age, _ = said["steps"]
    limits = [-1, *age["breaks"], 1000]
    classes = " + ".join(f"(age >= {limit})::INT" for limit in limits)
    rows = f"SELECT count(*) AS n FROM '{fixtures / 'cps_workers.parquet'}' GROUP BY region, sex, education, {classes}"
    (uniques,) = duckdb.sql(f"SELECT count(*) FILTER (WHERE n = 1) FROM ({rows})").fetchall()[0]
    assert f"so: {uniques} sample uniques" in text
    assert main(["release", "--init", str(fixtures / "cps_workers.parquet"), str(file)]) == 2
    assert "already" in capsys.readouterr().err
    assert file.read_text() == text
    assert main(["release", str(decided(file)), "--plan"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_odd_columns_are_proposed_read_and_run(proposed, ending):
    rows = ODD if ending == "parquet" else ODD.replace("[range] AS tags, ", "")
    file = proposed(rows, ending)
    text = file.read_text()
    plan = read_release(decided(file))
    assert plan.roles.id == "person_id"
    assert {*plan.roles.identifiers} - {"tags"} == {"surname"}  # every list is another, too
    assert plan.roles.household == "hhid"
    assert plan.roles.weight == "survey_weight"
    assert {"age", "occupation", 'Se\nx "of" it\'s [[x]]', "region"} <= {*plan.scenarios[0].keys}
    assert "Prince" not in text
    assert "Person " not in text
    assert "income" in text
    if ending == "parquet":
        outcome = run_release(plan, write=False)
        assert outcome.accepted, outcome.reasons


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "rows",
    [
        "SELECT 1 AS age", "SELECT 'a' AS name", "SELECT NULL::INTEGER AS k, 1 AS id", "SELECT 1.5 AS x, 2.5 AS y",
        "SELECT 'NaN'::DOUBLE AS age, range AS id FROM range(40)", "SELECT 1 AS a, 1 AS b FROM range(9)",
        "SELECT NULL::INTEGER AS user_id, NULL::INTEGER AS weight FROM range(3)",
        "SELECT range * 1e12 AS age, range AS id FROM range(50)",
    ],
)  # fmt: skip
def test_small_and_empty_tables_are_proposed_and_read(proposed, rows):
    assert read_release(decided(proposed(rows))).scenarios[0].keys


def test_a_weight_by_a_word_of_two_meanings_is_a_comment(proposed):
    text = proposed("SELECT range AS id, range % 5 AS sex, 60.5 + range AS weight FROM range(50)").read_text()
    assert '# weight = "weight"' in text
    assert "weight" not in tomllib.loads(text)["roles"]


@pytest.mark.slow
def test_an_amount_is_no_id_and_no_id_at_all_is_told(proposed, tmp_path):
    rows = "SELECT range % 2 AS sex, (range * 31)::{} AS {} FROM range(60)"
    for kind in ("DOUBLE", "BIGINT"):
        said = tomllib.loads(proposed(rows.format(kind, "expenditure")).read_text())
        assert "id" not in said["roles"]
        assert any(line.startswith('"expenditure": numbers, 60 values') for line in said["to_decide"])
        (tmp_path / "release.toml").unlink()
    assert 'id = "person_id"' in proposed(rows.format("DOUBLE", "person_id")).read_text()
    (tmp_path / "release.toml").unlink()
    assert "row_number() OVER () AS record" in proposed("SELECT range % 2 AS sex FROM range(60)").read_text()


@pytest.mark.slow
def test_what_cannot_be_proposed_is_refused(proposed, tmp_path):
    with pytest.raises(TableError, match="no records"):
        proposed("SELECT 1 AS a WHERE false")
    with pytest.raises(TableError, match="no file"):
        propose_release(tmp_path / "none.csv", tmp_path / "r.toml")
    with duckdb.connect(tmp_path / "x.duckdb") as con:
        con.execute(f'CREATE TABLE "t\'s" AS {ODD}')
    with pytest.raises(TableError, match="name its table"):
        propose_release(tmp_path / "x.duckdb", tmp_path / "r.toml")
    assert not (tmp_path / "r.toml").exists()
    file = decided(propose_release(tmp_path / "x.duckdb", tmp_path / "r.toml", table="t's"))
    assert read_release(file).source.table == "t's"
