"""A release that suppresses is refused where other released columns give the values back, and says how to mend it."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql

FILE = """
[source]
path = "k.parquet"
[roles]
id = "id"
{roles}
[[scenarios]]
name = "neighbour"
keys = ["Region", "sex"]
limits = ["k_anonymity.2.records <= 0"{limit}]
[[steps]]
mask = "local_suppression"
scenario = "neighbour"
k = 3
{step}
[output]
path = "released.csv"
"""
GHOSTS = """ghosts = { Region = ["di'strict"], sex = ["di'strict"] }"""
DROP = """[[steps]]\nmask = "drop_identifiers"\ncolumns = ["di'strict"]"""
AS_IT_IS = """released_as_collected = ["di'strict"]"""
SET = ', "derived_values_summary.exact_givers <= 1"'


@pytest.mark.slow
def test_an_exact_giver_refuses_and_the_message_says_how_to_mend(tmp_path):
    with duckdb.connect() as con:  # district decides both keys; two records of sex x are suppressed
        con.execute(f"""
            COPY (SELECT i AS id, 'd' || i % 40 AS "di'strict", 'r' || i % 40 // 8 AS "Region",
                         CASE WHEN i IN (3, 11) THEN 'x' ELSE 's' || i % 2 END AS sex FROM range(400) t(i))
            TO '{tmp_path}/k.parquet'
        """)

    def run(roles=AS_IT_IS, limit="", step=""):
        file = tmp_path / "release.toml"
        file.write_text(FILE.format(roles=roles, limit=limit, step=step))
        return sdc_sql.run_release(file, write=False)

    refused = run()
    (reason,) = refused.reasons
    assert reason.startswith(
        "what can be worked out: derived_values_summary.exact_givers <= 0: di'strict gives back 6 of"
    )
    assert (
        """take it along: roles.ghosts = { sex = ["di'strict"] }, for steps[0], or drop it (mask = "drop_""" in reason
    )
    assert refused.limits[-2].figures == {"derived_values_summary.exact_givers": 1}
    assert refused.limits[-1].figures == {"derived_values_summary.predicted_gain": 0.0}
    # what the message says mends it; so does a limit of the file's own
    assert [run(GHOSTS).reasons, run(roles="", step=DROP).reasons, run(limit=SET).reasons] == [(), (), ()]


@pytest.mark.slow
def test_a_giver_with_exceptions_refuses_where_it_tells_more_than_half(tmp_path):
    """Of 40 districts all have one region but the last: 1, and nearly all is told, or 30, and a quarter is."""
    told = []
    for mixed in (1, 30):
        with duckdb.connect() as con:  # two of each region have the sex of the others' regions, and lose the region
            con.execute(f"""
                COPY (SELECT *, CASE WHEN n < 3 THEN 't' ELSE 's' END AS sex FROM (
                          SELECT *, row_number() OVER (PARTITION BY "Region" ORDER BY id) AS n FROM (
                          SELECT i AS id, 'd' || i % 40 AS "di'strict",
                                 'r' || if(i % 40 >= 40 - {mixed}, i // 40 % 20, i % 40 // 2) AS "Region"
                          FROM range(2000) t(i))))
                TO '{tmp_path}/k.parquet'
            """)
        file = tmp_path / "release.toml"
        roles = """released_as_collected = ["di'strict", "n"]"""
        file.write_text(FILE.format(roles=roles, limit="", step="importance = { sex = 1000 }"))
        told.append(sdc_sql.run_release(file, write=False))
    (reason,) = told[0].reasons
    assert "derived_values_summary.predicted_gain <= 0.5: di'strict gives back 40 of 40 suppressed" in reason
    assert "% of them rightly): take it along: roles.ghosts" in reason
    assert told[0].limits[-1].figures["derived_values_summary.predicted_gain"] > 0.8
    assert told[1].reasons == ()
    assert 0 < told[1].limits[-1].figures["derived_values_summary.predicted_gain"] < 0.5


@pytest.mark.slow
def test_a_total_less_its_parts_and_households_without_numbers(tmp_path):
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT i AS id, i // 3 AS hh, i // 3 * 11 % 401 AS eq, 'r' || i // 3 % 5 AS "Region",
                         CASE WHEN i IN (30, 63, 96) THEN 'x' ELSE 's' || i % 2 END AS sex,
                         i * 7 % 91 AS rent, i * 5 % 83 AS food, rent + food AS total FROM range(600) t(i))
            TO '{tmp_path}/k.parquet'
        """)
    file = tmp_path / "release.toml"
    rounding = '[[steps]]\nmask = "round"\ncolumn = "total"\nbase = 10'
    file.write_text(FILE.format(roles='released_as_collected = ["hh", "eq", "rent", "food"]', limit="", step=rounding))
    (reason,) = (r for r in sdc_sql.run_release(file, write=False).reasons if "linear_relations" in r)
    assert "total is a sum of rent, food, which gives" in reason
    # a suppressed region stands in the records of the household, which another column joins where its number is
    # dropped: where the number has its role, suppression is by household, and there is nothing to give back
    others = 'released_as_collected = ["eq", "rent", "food", "total"]'
    known = FILE.format(roles=f'household = "hh"\n{others}', limit="", step="")
    told = []
    for text in (
        known.replace("[output]", '[output]\nhouseholds = "keep"'),
        known.replace("[output]", '[output]\nhouseholds = "drop"'),
        FILE.format(roles=f'drop = ["hh"]\n{others}', limit="", step=""),
    ):  # fmt: skip
        file.write_text(text)
        told.append(sum("eq gives back" in reason for reason in sdc_sql.run_release(file, write=False).reasons))
    assert told == [0, 0, 1]
