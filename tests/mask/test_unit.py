"""Draws by household: members who share a value go on sharing it, and nothing else of the draws changes."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import duckdb
import pytest
from decided import decided

import sdc_sql
from sdc_sql import ColumnError, ParameterError
from sdc_sql.cli import main

HOUSEHOLDS = 1_000
# one to five members; what all share, and x, which each has of his own
SURVEY = f"""
    SELECT row_number() OVER (ORDER BY h, m) AS id, h AS hh, m, 900 + h * 7919 % 1013 / 7.0::DOUBLE AS income,
           ['rent', 'own', 'free', NULL][1 + (h * 31 % 37 % 4)::INTEGER] AS tenure,
           (['north', 'south'][1 + (h * 17 % 23 % 2)::INTEGER]) AS region, 1000 + h + m / 8 AS x
    FROM range({HOUSEHOLDS}) AS t(h), range(5) AS u(m) WHERE m <= h * 13 % 17 % 5
"""
MASKS = {
    "noise": lambda d, **u: d.mask.noise("income", 0.1, **u),
    "noise, stratum": lambda d, **u: d.mask.noise("income", 0.1, stratum="region", lower=0, **u),
    "noise, absolute": lambda d, **u: d.mask.noise("income", standard_deviation=5, **u),
    "multiplicative": lambda d, **u: d.mask.multiplicative_noise("income", 0.05, **u),
    "random rounding": lambda d, **u: d.mask.round("income", 10, at_random=True, **u),
    "pram": lambda d, **u: d.mask.pram("region", [[0.6, 0.4], [0.4, 0.6]], labels=["north", "south"], **u),
    "pram, crossing": lambda d, **u: d.mask.pram(
        ["region", "sex"],
        [[0.7 if i == j else 0.1 for j in range(4)] for i in range(4)],
        labels=[(r, s) for r in ("north", "south") for s in ("f", "m")],
        **u,
    ),
    "pram, retention": lambda d, **u: d.mask.pram_retention("tenure", 0.5, **u),
    "pram, retention, stratum": lambda d, **u: d.mask.pram_retention("tenure", 0.5, stratum="region", **u),
}
COLUMN = {"noise": "income", "multiplicative": "income", "random rounding": "income", "pram": "region"}


@pytest.fixture
def survey(keyed: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection with a survey of 1,000 households."""
    return keyed.execute(f"CREATE TABLE survey AS SELECT *, 'f' AS sex FROM ({SURVEY})")


def described(con, table="survey", **roles):
    return sdc_sql.Microdata(con, table, **({"id": "id", "household": "hh"} | roles))


def torn(con, column, table="survey"):
    ((number,),) = con.execute(
        f"SELECT count(*) FROM (SELECT hh FROM {table} GROUP BY hh HAVING count(DISTINCT {column}) > 1)"
    ).fetchall()
    return number


@pytest.mark.one_in(9)
@pytest.mark.parametrize("mask", MASKS)
def test_no_household_is_torn_and_by_record_many_are(survey, mask):
    column = "tenure" if "retention" in mask else COLUMN[mask.partition(",")[0]]
    assert torn(survey, column) == 0
    MASKS[mask](described(survey, household_columns=[]), into="by_record")
    assert torn(survey, column, "by_record") > 100
    step = MASKS[mask](described(survey), unit="household")
    assert torn(survey, column) == 0
    assert step.changed > 100
    assert (step.parameters["unit"], step.parameters["household"]) == ("household", "hh")


def test_members_with_different_values_have_draws_of_their_own(survey):
    described(survey).mask.noise("x", standard_deviation=5, unit="household", into="r")
    noises = survey.execute("SELECT r.hh, r.x - s.x AS e FROM r JOIN survey AS s USING (id)").fetchall()
    assert len({e for _, e in noises}) == len(noises)
    # two members of one household: n products of independent normal draws, of mean 0 and s.d. 25 / sqrt(n)
    ((mean, n),) = survey.execute("""
        SELECT avg((a.x - s.x) * (b.x - t.x)), count(*) FROM r AS a JOIN survey AS s USING (id)
        JOIN r AS b ON a.hh = b.hh AND a.m = 0 AND b.m = 1 JOIN survey AS t ON b.id = t.id
    """).fetchall()
    assert n > 500
    assert abs(mean) < 4 * 25 / math.sqrt(n)


@pytest.mark.slow
def test_each_household_draws_once_from_the_distribution(survey):
    described(survey).mask.noise("income", standard_deviation=5, unit="household", into="r")
    ((squares,),) = survey.execute(
        "SELECT sum(((r.income - s.income) / 5) ** 2) FROM r JOIN survey AS s USING (id) WHERE s.m = 0"
    ).fetchall()
    assert abs(squares - HOUSEHOLDS) < 4 * math.sqrt(2 * HOUSEHOLDS)  # chi squared
    described(survey).mask.pram(
        "region", [[0.7, 0.3], [0.2, 0.8]], labels=["north", "south"], unit="household", into="p"
    )
    for region, stay in (("north", 0.7), ("south", 0.8)):
        ((homes, kept, records, kept_records, squared),) = survey.execute(
            """
            SELECT count(*), count(*) FILTER (WHERE stays), sum(n), sum(n) FILTER (WHERE stays), sum(n * n)
            FROM (SELECT s.hh, count(*) AS n, bool_and(p.region = s.region) AS stays
                  FROM p JOIN survey AS s USING (id) WHERE s.region = ? GROUP BY s.hh)
            """,
            [region],
        ).fetchall()
        assert abs(kept - homes * stay) < 4 * math.sqrt(homes * stay * (1 - stay))
        # the variance of the records that stay: p (1 - p) times the sum of squared sizes, not of the sizes
        assert abs(kept_records - records * stay) < 4 * math.sqrt(float(squared) * stay * (1 - stay))


@pytest.mark.slow
def test_a_household_draws_apart_from_the_record_of_its_number(survey):
    survey.execute("CREATE TABLE alone AS SELECT id, id AS hh, income FROM survey")
    described(survey, "alone").mask.noise("income", standard_deviation=5, into="a")
    described(survey, "alone").mask.noise("income", standard_deviation=5, unit="household", into="b")
    assert survey.execute("SELECT count(*) FROM a JOIN b USING (id) WHERE a.income = b.income").fetchall() == [(0,)]


def test_odd_names_and_codes(keyed):
    keyed.execute("""
        CREATE TABLE k AS SELECT i AS f, ['017', '17', '17.0'][1 + i % 3] AS "Select", 5.0::DOUBLE AS "a""b"
        FROM range(30) AS t(i)
    """)
    data = sdc_sql.Microdata(keyed, "k", id="F")
    data.mask.noise('a"b', standard_deviation=1, unit="household", household="SELECT")
    # three texts are three households
    assert keyed.execute('SELECT count(DISTINCT "a""b"), count(DISTINCT ("Select", "a""b")) FROM k').fetchall() == [
        (3, 3)
    ]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (
            lambda d: d.mask.noise("income", 0.1, unit="dwelling"),
            "unit is 'dwelling': it must be one of record, household",
        ),
        (lambda d: d.mask.noise("income", 0.1, unit=None), "unit is None"),
        (lambda d: d.mask.noise("income", 0.1, household="hh"), "give unit='household'"),
        (lambda d: d.mask.noise(["income", "x"], 0.1, method="correlated", unit="household"), "'uncorrelated' only"),
        (lambda d: d.mask.noise("income", 0.1, method="nonlinear", unit="household"), "'uncorrelated' only"),
        (lambda d: d.mask.multiplicative_noise("income", 0.1, method="hoehne", unit="household"), "'plain' only"),
        (lambda d: d.mask.noise(["income", "hh"], 0.1, unit="household"), "cannot be masked themselves"),
        (lambda d: d.mask.pram_guaranteed(0.8, keys=["region"], unit="household"), r"\(8\) of Nayak"),
        (lambda d: d.mask.round("income", 10, unit="dwelling"), "unit is 'dwelling'"),
    ],
)
def test_what_has_no_unit_says_why(survey, mask, words):
    with pytest.raises(ParameterError, match=words):
        mask(described(survey))
    assert survey.execute(f"SELECT count(*) FROM (FROM survey EXCEPT SELECT *, 'f' FROM ({SURVEY}))").fetchall() == [
        (0,)
    ]


def test_without_a_household_or_with_a_null_one(survey):
    with pytest.raises(ParameterError, match="needs a household: give household="):
        described(survey, household=None).mask.noise("income", 0.1, unit="household")
    survey.execute("UPDATE survey SET hh = NULL WHERE id = 5")
    with pytest.raises(ColumnError, match="household of a record is NULL"):
        described(survey, household=None).mask.noise("income", 0.1, unit="household", household="hh")


@pytest.mark.one_in(4)
@pytest.mark.whole
@pytest.mark.parametrize(
    "call",
    [
        "sdc_noise('survey', ['income'], 0.1, 'id', unit := 'household')",
        "sdc_pram_retention('survey', ['tenure'], 0.5, 'id', household := 'hh')",
        "sdc_round_at_random('survey', ['income'], 5, 'id', unit := NULL)",
        "sdc_pram_guaranteed('survey', ['region'], 0.8, 'id', unit := 'household')",
    ],
)
def test_sql_refuses_likewise(survey, call):
    with pytest.raises(duckdb.Error, match=r"ParameterError: .*(unit|household)"):
        survey.sql(f"FROM {call}").fetchall()


@pytest.mark.slow
def test_sql_gives_what_the_verb_gives(survey):
    described(survey).mask.noise("income", standard_deviation=5, unit="household", into="r")
    call = "sdc_noise_absolute('survey', ['income'], 5, 'id', unit := 'household', household := 'hh')"
    assert survey.execute(f"FROM {call} EXCEPT FROM r").fetchall() == []


@pytest.mark.slow
def test_undone_and_written_as_a_release_file(survey, tmp_path):
    survey.execute(f"COPY survey TO '{tmp_path}/survey.parquet'")
    data = described(survey, f"{tmp_path}/survey.parquet")
    data.mask.noise("income", standard_deviation=5, unit="household", into="masked")
    before = survey.execute("FROM masked ORDER BY id").fetchall()
    masked = described(survey, "masked", household=None, keys=["region", "tenure"])
    masked.mask.pram_retention("tenure", 0.5, unit="household", household="hh")
    decided(masked.to_release_file(tmp_path / "release.toml"))
    assert [s.arguments["unit"] for s in sdc_sql.read_release(tmp_path / "release.toml").steps] == ["household"] * 2
    masked.undo()  # the noise is replayed
    assert survey.execute("FROM masked ORDER BY id").fetchall() == before
    assert torn(survey, "income", "masked") == 0


@pytest.mark.slow
def test_risk_after_pram_says_that_households_drew(survey):
    data = described(survey, keys=["region", "tenure"], weight=None)
    described(survey, household_columns=[]).mask.pram_retention("tenure", 0.5)
    assert "household" not in data.after_pram()
    data.mask.pram_retention("region", 0.5, unit="household")
    assert "step 2 drew by household" in data.after_pram()


@pytest.mark.slow
def test_at_the_command_line(survey, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDC_KEY", "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U")
    survey.execute("COPY survey TO 'survey.csv'")
    call = ["mask", "noise", "survey.csv", "--id", "id", "--columns", "income", "--standard-deviation", "5"]
    assert main([*call, "--unit", "household", "--household", "hh", "--output", "r.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["parameters"]["unit"] == "household"
    with Path("r.csv").open() as file:
        found = {(row["hh"], row["income"]) for row in csv.DictReader(file)}
    assert len(found) == HOUSEHOLDS
    assert main([*call, "--unit", "household", "--output", "s.csv"]) == 2
    assert "household=" in capsys.readouterr().err
    guaranteed = ["mask", "pram_guaranteed", "survey.csv", "--id", "id", "--columns", "region", "--xi", "0.8"]
    assert main([*guaranteed, "--unit", "household", "--output", "s.csv"]) == 2
    assert "Nayak" in capsys.readouterr().err
