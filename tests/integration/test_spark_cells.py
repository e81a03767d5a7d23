"""Masking by cells on Spark: the records that DuckDB changes, each to what DuckDB makes of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from spark_sessions import MARKS, open_session

import sdc_sql
from sdc_sql import ColumnError, InputError, ParameterError, TableError, WeightError
from sdc_sql.db import query
from sdc_sql.spark.counted import is_of_cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [*MARKS, pytest.mark.filterwarnings("ignore::sdc_sql.RepeatedReleaseWarning")]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def spark(tmp_path_factory) -> Iterator[SparkSession]:
    with open_session(tmp_path_factory, {"spark.sql.ansi.enabled": "true"}) as session:
        yield session


@pytest.fixture(scope="module")
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        sdc_sql.load(connection)
        connection.execute(
            f"""
            CREATE TABLE couples AS
            SELECT couple, 'c' || couple AS code, region, race, education, experience, children_under_6, weight,
                   husband_income, region || race AS place, hours > 20 AS works
            FROM '{ROOT}/fixtures/cps_couples.parquet'
            """
        )
        # a population with cells that the file does not have, and without one that it has
        connection.execute(
            """
            CREATE TABLE persons AS SELECT upper(education) AS other, education AS "Education", region
            FROM couples, range(3) AS r(i) WHERE NOT (region = 'west' AND education = '16years')
            """
        )
        connection.execute(
            """
            CREATE TABLE k AS
            SELECT i AS id, CASE WHEN i % 7 = 0 THEN NULL ELSE i % 5 END AS f,
                   CASE WHEN i % 11 = 0 THEN NULL ELSE ['x', 'X', 'é', 'e'''][1 + i * 7 % 4] END AS "Select",
                   CASE WHEN i % 3 = 0 THEN '1e-9' WHEN i % 3 = 1 THEN '0' WHEN i % 50 = 2 THEN 'nan'
                        ELSE (i % 4)::VARCHAR END::DOUBLE AS "o'""`k",
                   DATE '2020-01-01' + (i * i % 6)::INTEGER AS "a day", (1 + i % 3) * 0.7 AS w,
                   CASE WHEN i = 3 THEN '-0' ELSE '0' END::DOUBLE AS zero
            FROM range(300) AS r(i)
            """
        )
        yield connection


@pytest.fixture(scope="module")
def frames(spark, con) -> dict[str, DataFrame]:
    spark.createDataFrame(con.table("persons").to_arrow_table()).createOrReplaceTempView("persons")
    return {
        name: spark.createDataFrame(con.table(name).to_arrow_table()).repartition(3).cache()
        for name in ("couples", "k")
    }


@pytest.fixture(scope="module")
def sdc(spark):
    from sdc_sql.spark import load  # noqa: PLC0415

    return load(spark)


IDS = {"couples": "couple", "k": "id"}
KEYS = ["region", "education", "experience", "children_under_6"]
ODD = ["f", "select", "O'\"`k", "a day"]
LETTERS = sdc_sql.Hierarchy(
    (("x", "a", "*"), ("X", "a", "*"), ("é", "b", "*"), ("e'", "b", "*"), (None, "b", "*")), ("value", "letter", "any")
)
LEVELS = {
    "region": sdc_sql.tree_hierarchy({"*": {"w": ["west", "midwest"], "e": ["northeast", "south"]}}),
    "education": sdc_sql.tree_hierarchy(
        {"*": {"school": ["<9years", "9-11years", "12years"], "more": ["13-15years", "16years", ">16years"]}}
    ),
}
CASES: dict[str, tuple[str, str, list[Any], dict[str, Any]]] = {
    "identical": ("couples", "local_suppression", [3], {"keys": KEYS}),
    "wildcard, by cost": (
        "couples",
        "local_suppression",
        [5],
        {"keys": KEYS, "guarantee": "wildcard", "importance": {"experience": 0.5}, "cost": "entropy", "id": "code"},
    ),
    "stratum, ghosts": (
        "couples",
        "local_suppression",
        [3],
        {"keys": KEYS[:3], "stratum": "race", "ghosts": {"region": ["place"]}},
    ),
    # (some records of a cell lose a value and others do not)
    "subset": ("couples", "local_suppression", [3], {"keys": KEYS, "subset": "works", "id": "code"}),
    "subset, strong": ("couples", "local_suppression", [3], {"keys": KEYS, "subset": "works", "guarantee": "strong"}),
    "shares": ("couples", "local_suppression", [3], {"keys": ["region", "education", "race"], "max_share": 0.05}),
    "odd": ("k", "local_suppression", [6], {"keys": ODD}),
    "odd, strong": ("k", "local_suppression", [9], {"keys": ODD[:3], "guarantee": "strong", "stratum": "a day"}),
    "odd, wildcard": ("k", "local_suppression", [9], {"keys": ODD, "guarantee": "wildcard"}),
    "combinations": (
        "couples",
        "suppress_combinations",
        [4],
        {"keys": KEYS, "dimension": 2, "importance": [1, 2, 1, 1]},
    ),
    "combinations, weights": (
        "couples",
        "suppress_combinations",
        [15000.0],
        {"keys": KEYS, "weight": "weight", "guarantee": "wildcard", "combinations": [KEYS[:3], KEYS[1:]]},
    ),
    "odd combinations": ("k", "suppress_combinations", [5], {"keys": ODD, "weight": 1.5, "inclusive": False}),
    "risky": ("couples", "suppress_risky", [0.001], {"keys": KEYS, "weight": "weight"}),
    "risky, one key": (
        "couples",
        "suppress_risky",
        [0.005],
        {"keys": KEYS[:3], "weight": "weight", "variable": "experience"},
    ),
    "odd, risky": ("k", "suppress_risky", [0.2], {"keys": ODD, "weight": "w", "small_weights": "at_least_one"}),
    "mondrian": ("couples", "mondrian", [10], {"keys": KEYS}),
    "mondrian, hierarchies": ("k", "mondrian", [7], {"keys": ODD, "hierarchies": {"select": LETTERS}}),
    "generalise": ("couples", "generalise", [LEVELS], {"keys": ["region", "education"], "k": 300, "suppression": 0.02}),
    "generalise, l and weights": (
        "couples",
        "generalise",
        [{"education": LEVELS["education"]}],
        {
            "keys": ["education"],
            "l": 2,
            "sensitive": "race",
            "t": 0.2,
            "weight": "weight",
            "threshold": 5e6,
            "suppression": 0.2,
            "loss": "records * records",
        },
    ),
    "generalise, population": (
        "couples",
        "generalise",
        [LEVELS],
        {"keys": ["region", "education"], "k": 20, "suppression": 0.2, "population": "persons", "population_k": 400},
    ),
    "odd, generalise": ("k", "generalise", [{"select": LETTERS}], {"keys": ["Select"], "k": 80, "suppression": 0.3}),
    "classes": ("couples", "recode", ["experience"], {"classes": 7, "method": "equal_count"}),
    "odd classes": ("k", "recode", ["f"], {"classes": 3}),
    "top value": (
        "couples",
        "top_bottom_code",
        ["experience", "value"],
        {"top": 40, "bottom": 2, "top_label": "over 40"},
    ),
    "top mean": (
        "couples",
        "top_bottom_code",
        ["experience", "quantile"],
        {"top": 0.95, "replacement": "mean", "weight": "weight", "stratum": "region"},
    ),
    "odd, bottom": (
        "k",
        "top_bottom_code",
        ["f", "count"],
        {"bottom": 20, "replacement": "median", "stratum": "select"},
    ),
    "odd, days": ("k", "top_bottom_code", ["a day", "count"], {"top": 120, "bottom": 120}),
}


def sort_rows(rows: list[Any]) -> list[str]:
    """Return the rows as text: NaN is NaN."""
    return sorted(repr(tuple(row)) for row in rows)


@pytest.mark.parametrize("case", CASES)
def test_the_records_that_duckdb_changes_are_changed_alike(sdc, frames, con, case):
    table, verb, given, named = CASES[case]
    identifier = named.get("id", IDS[table])
    released = getattr(sdc.mask, verb)(frames[table], *given, **{"id": identifier, **named})
    con.execute("DROP TABLE IF EXISTS released")
    named = {name: value for name, value in named.items() if name != "id"}
    step = getattr(sdc_sql.Microdata(con, table, id=identifier).mask, verb)(*given, into="released", **named)
    assert step.changed
    assert released.columns == con.table("released").columns
    assert sort_rows(released.collect()) == sort_rows(con.sql("FROM released").fetchall())


MEASURES: dict[str, tuple[str, str, str, list[Any], dict[str, Any]]] = {
    "theta": ("couples", "risk", "theta", [KEYS, 0.01], {}),
    "global risk": ("couples", "risk", "global_risk", [KEYS, "weight"], {"nulls": "wildcard"}),
    "risk of cells": ("k", "risk", "cell_risk", [ODD, 12.5], {}),
    "risk threshold": ("k", "risk", "risk_threshold", [ODD, "w", 0.01], {"small_weights": "at_least_one"}),
    "k-anonymity": ("k", "risk", "k_anonymity", [ODD], {"k": 4, "nulls": "wildcard"}),
    "suda": ("couples", "risk", "suda_summary", [KEYS], {}),
    "suda by variable": ("k", "risk", "suda_value_contributions", [ODD], {}),
    "log-linear": ("couples", "risk", "log_linear_risk", [KEYS[:3], "weight"], {}),
    "two-way": ("couples", "risk", "log_linear_risk", [KEYS[:3], "weight"], {"model": "two_way"}),
    "population uniqueness": ("couples", "risk", "population_uniqueness", [KEYS, 3_000_000], {}),
    "key uniques": ("k", "risk", "key_uniques", [ODD[:2]], {}),
    "threshold rule": ("couples", "risk", "threshold_rule", [KEYS, 20_000], {"weight": "weight"}),
    "threshold rule, wildcard": ("k", "risk", "threshold_rule_summary", [ODD, 3], {"nulls": "wildcard"}),
    "l-diversity": ("couples", "risk", "l_diversity", [KEYS[:2], "place"], {"others": ["children_under_6"]}),
    "t-closeness": ("couples", "risk", "t_closeness", [KEYS[:3], "husband_income"], {"distance": "ordered"}),
    "class sizes": ("k", "loss", "class_sizes", [ODD], {}),
    "preview": ("k", "mask", "preview_recodings", [["select"], "ladder"], {"candidates": "all", "weight": 2.5}),
}


@pytest.mark.parametrize("case", MEASURES)
def test_a_measure_of_counted_cells_is_duckdbs(sdc, spark, frames, con, case):
    table, room, verb, given, named = MEASURES[case]
    assert is_of_cells(f"sdc_{verb}")
    ladder = [("select", row[0], i, LETTERS.names[i], label) for row in LETTERS.rows for i, label in enumerate(row)]
    con.execute(
        "CREATE OR REPLACE TABLE ladder (variable TEXT, value TEXT, level INTEGER, level_name TEXT, label TEXT)"
    )
    con.executemany("INSERT INTO ladder VALUES (?, ?, ?, ?, ?)", ladder)
    spark.createDataFrame(con.table("ladder").to_arrow_table()).createOrReplaceTempView("ladder")
    found = getattr(getattr(sdc, room), verb)(frames[table], *given, **named)
    con.execute(query.write_sql(query.call_macro(f"sdc_{verb}", table, *given, **named)))
    assert found.columns == [name for name, *_ in con.description]
    expected, answers = (sort_rows(rows) for rows in (con.fetchall(), found.collect()))
    if verb == "log_linear_risk":  # the last digits of z1 and z2 hang on the order of the records, in DuckDB too
        expected, answers = (
            [re.sub(r"\d+\.\d{13,}", lambda n: f"{float(n[0]):.12g}", row) for row in rows]
            for rows in (expected, answers)
        )
    assert answers == expected


def test_a_measure_that_has_too_many_cells(spark, frames):
    from sdc_sql.spark import load  # noqa: PLC0415

    few, all_of_them = load(spark, most_cells=10), load(spark)
    by_spark, by_cells = (v.risk.k_anonymity(frames["couples"], KEYS, 4).collect() for v in (few, all_of_them))
    assert by_spark == by_cells
    with pytest.raises(ParameterError, match=r"combinations of values of region, education, .* 10 are the most"):
        few.risk.key_uniques(frames["couples"], KEYS)


def test_a_measure_of_cells_refuses_in_words(sdc, frames):
    frame = frames["k"]
    with pytest.raises(TableError, match="has no rows: there is nothing to measure"):
        sdc.risk.key_uniques(frame.where("false"), ["f"])
    with pytest.raises(ColumnError, match="'g' is not a column"):
        sdc.risk.key_uniques(frame, ["g"])
    with pytest.raises(ColumnError, match="give a list of columns"):
        sdc.risk.key_uniques(frame, [])
    with pytest.raises(ColumnError, match=r"a value is -0\.0, which SQL calls equal to 0\.0"):
        sdc.risk.theta(frame, ["f", "zero"], 0.1)
    with pytest.raises(ParameterError, match=r"call it as sdc_population_uniqueness\("):
        sdc.risk.population_uniqueness(frame, ["f"])
    with pytest.raises(WeightError, match="NaN, no number"):
        sdc.risk.global_risk(frame, ["f"], "f")
    (row,) = sdc.risk.theta(frame.limit(1), ["f", "Select"], 0.1).collect()
    assert (row.n1, row.n2) == (1, 0)


def test_too_many_cells_are_refused_with_their_number(spark, frames):
    from sdc_sql.spark import load  # noqa: PLC0415

    few = load(spark, most_cells=100)
    with pytest.raises(
        ParameterError, match=r"There are [\d,]{4,} combinations of values of region, .* 100 are the most"
    ):
        few.mask.local_suppression(frames["couples"], 3, keys=KEYS, id="couple")
    with pytest.raises(ParameterError, match="most_cells"):
        load(spark, most_cells=0)
    spark.conf.set("spark.sdc.mostCells", "100")
    try:
        with pytest.raises(ParameterError, match=r"100 are the most .* set spark\.sdc\.mostCells of the Spark session"):
            load(spark).mask.local_suppression(frames["couples"], 3, keys=KEYS, id="couple")
        spark.conf.set("spark.sdc.mostCells", "many")
        with pytest.raises(ParameterError, match=r"spark\.sdc\.mostCells"):
            load(spark)
    finally:
        spark.conf.unset("spark.sdc.mostCells")


def test_what_is_wrong_is_told_as_duckdb_tells_it(sdc, frames):
    frame = frames["k"]
    with pytest.raises(TableError, match="has no rows"):
        sdc.mask.local_suppression(frame.where("false"), 3, keys=["f"], id="id")
    with pytest.raises(InputError, match="fewer than k = 3"):
        sdc.mask.local_suppression(frame.limit(1), 3, keys=["f"], id="id")
    with pytest.raises(ColumnError, match="'g' is not a column"):
        sdc.mask.local_suppression(frame, 3, keys=["g"], id="id")
    with pytest.raises(ColumnError, match="must be a column of truth values"):
        sdc.mask.local_suppression(frame, 3, keys=["f"], subset="w", id="id")
    with pytest.raises(ColumnError, match="in a form that SQL calls equal to another one"):
        sdc.mask.local_suppression(frame, 3, keys=["zero"], id="id")
    with pytest.raises(ColumnError, match="'Select' is not a column of persons"):
        sdc.mask.generalise(frame, {"select": LETTERS}, keys=["Select"], population="persons", population_k=2, id="id")
    with pytest.raises(TableError, match="Spark has no table nowhere"):
        sdc.mask.generalise(frame, {"select": LETTERS}, keys=["Select"], population="nowhere", population_k=2, id="id")
    with pytest.raises(WeightError, match="NaN, no number"):
        sdc.mask.suppress_combinations(frame, 5, keys=["f"], weight="f", id="id")
    with pytest.raises(ParameterError, match="less than what the record of the smallest weight stands for"):
        sdc.mask.suppress_combinations(frame, 0.5, keys=["f"], weight="w", id="id")
    with pytest.raises(TableError, match="no row in its hierarchy"):
        sdc.mask.generalise(frame, {"f": LETTERS}, keys=["f"], id="id")
    with pytest.raises(ParameterError, match="needs keys"):
        sdc.mask.local_suppression(frame, 3, id="id")


def test_a_job_that_fails_leaves_no_table(sdc, spark, frames):
    failing = frames["k"].selectExpr("*", "CASE WHEN id = 299 THEN raise_error('gone') ELSE 1 END AS late")
    with pytest.raises(Exception, match="gone"):
        sdc.mask.local_suppression(failing, 6, keys=["f", "Select"], id="id", into="failed")
    assert not spark.catalog.tableExists("failed")


def test_a_collation_makes_nobody_alike(sdc, spark):
    letters = "CASE WHEN id % 4 = 0 THEN 'A' WHEN id % 4 = 1 THEN 'a' ELSE 'b' END"
    plain, collated = (spark.sql(f"SELECT id, {letters} {c} AS g FROM range(5)") for c in ("", "COLLATE UTF8_LCASE"))
    counted, alike = (sdc.risk.key_uniques(frame, ["g"]).collect() for frame in (plain, collated))
    assert counted == alike
    assert counted[0].sample_uniques == 1  # the record with 'a', who is beside two of 'A'
    assert sdc.risk.individual_risk(collated, ["g"], 2.0).where("g = 'a'").first().sample_frequency == 1
    masked = [sdc.mask.local_suppression(f, 2, keys=["g"], id="id").orderBy("id").collect() for f in (plain, collated)]
    assert masked[0] == masked[1]
    assert masked[1][1].g is None
