"""theta within strata: theta of each stratum's own records. Skinner & Elliot (2002), section 7."""

from __future__ import annotations

import math
from fractions import Fraction

import duckdb
import pytest
from brute_force import frequency_counts, theta
from hypothesis import given
from hypothesis import strategies as st
from small_tables import PROPERTY, fetch, small_tables

import sdc_sql


@pytest.mark.slow
@PROPERTY
@given(
    table=small_tables(max_rows=20),
    north=st.sampled_from([0.01, 0.3]),
    south=st.sampled_from([0.01, 0.7]),
    other=st.sampled_from([0.2, 0.999]),
)
def test_each_stratum_equals_the_formulas_on_its_records(db, table, north, south, other):
    fractions = {"north": north, "south": south, None: other}
    table.store(db, "t")
    db.execute(
        "CREATE OR REPLACE TABLE u AS "
        "SELECT *, CASE region WHEN 'north' THEN ? WHEN 'south' THEN ? ELSE ? END::DOUBLE AS pi FROM t",
        [north, south, other],
    )
    rows = fetch(db, "FROM sdc_theta_by('u', ?, 'region', 'pi')", table.keys)
    assert {r["stratum"] for r in rows} == set(table.column("region"))
    assert len(rows) == len(set(table.column("region")))
    for row in rows:
        records = table.where("region", row["stratum"]).records
        counts = frequency_counts(records)
        estimate, variance = theta(counts[1], counts[2], counts[3], Fraction(fractions[row["stratum"]]))
        assert (row["records"], row["cells"]) == (len(records), sum(counts.values()))
        assert (row["n1"], row["n2"], row["n3"]) == (counts[1], counts[2], counts[3])
        assert row["sampling_fraction"] == fractions[row["stratum"]]
        assert row["theta"] == pytest.approx(float(estimate), rel=1e-14)
        assert row["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-13)


def test_one_stratum_gives_theta_of_the_file(persons):
    persons.execute("ALTER TABLE persons ADD COLUMN everywhere INTEGER")  # all NULL: a stratum of its own
    by = persons.execute(
        "SELECT * EXCLUDE (stratum, sampling_fraction) "
        "FROM sdc_theta_by('persons', ['age', 'sex'], 'everywhere', 0.1, confidence := 0.9)"
    )
    by = by.fetchall()
    assert by == persons.execute("FROM sdc_theta('persons', ['age', 'sex'], 0.1, confidence := 0.9)").fetchall()


def test_each_stratum_gives_theta_of_its_own_file(persons):
    by = persons.execute(
        "SELECT * EXCLUDE (sampling_fraction) FROM sdc_theta_by('persons', ['age', 'sex'], 'region', 0.1)"
    ).fetchall()
    for stratum, *rest in by:
        persons.execute("CREATE OR REPLACE TABLE part AS FROM persons WHERE region IS NOT DISTINCT FROM ?", [stratum])
        assert persons.execute("FROM sdc_theta('part', ['age', 'sex'], 0.1)").fetchall() == [tuple(rest)], stratum


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "DECIMAL(3,2)"])
def test_the_fraction_may_be_a_column_of_any_kind_of_number(persons, kind):
    persons.execute(f"ALTER TABLE persons ADD COLUMN pi {kind} DEFAULT 0.25")  # exact in binary
    number = persons.execute("FROM sdc_theta_by('persons', ['age', 'sex'], 'region', 0.25)").fetchall()
    assert persons.execute("FROM sdc_theta_by('persons', ['age', 'sex'], 'region', 'pi')").fetchall() == number


def test_the_stratum_must_not_be_among_the_keys(persons):
    for stratum in ("region", "REGION"):
        with pytest.raises(duckdb.Error, match=f'Column "{stratum}" is a key variable as well as the stratum'):
            persons.execute(f"FROM sdc_theta_by('persons', ['age', 'region'], '{stratum}', 0.25)").fetchall()
    # the typed function leaves it out: the cells within a stratum are the same
    both, one = (
        sdc_sql.Microdata(persons, "persons", keys=keys, stratum="region") for keys in (["age", "region"], ["age"])
    )
    assert both.risk.theta_by(sampling_fraction=0.25) == one.risk.theta_by(sampling_fraction=0.25)


def test_a_stratum_that_is_taken_whole(persons):
    """There every unique match is right, as the simulation of the same table says; a number 1 is refused by both."""
    persons.execute("ALTER TABLE persons ADD COLUMN pi DOUBLE; UPDATE persons SET pi = 0.25")
    persons.execute("UPDATE persons SET pi = 1 WHERE region = 'north'")
    rows = fetch(persons, "FROM sdc_theta_by('persons', ['age', 'sex'], 'region', 'pi')")
    (north,) = (row for row in rows if row["stratum"] == "north")
    found = [north[c] for c in ("n1", "sampling_fraction", "theta", "standard_error", "upper_bound")]
    assert found == [1, 1, 1, 0, 1]
    persons.execute("CREATE TABLE north AS FROM persons WHERE region = 'north'")
    (row,) = fetch(persons, "FROM sdc_data_intrusion_simulation('north', ['age', 'sex'], 'pi', repetitions := 50)")
    assert (row["theta"], row["closed_form"]) == (1, 1)
    for call in ("sdc_theta_by('persons', ['age', 'sex'], 'region', 1)", "sdc_theta('persons', ['age', 'sex'], 1)"):
        with pytest.raises(duckdb.Error, match="sampling fraction is 1"):
            persons.execute(f"FROM {call}").fetchall()


def test_every_figure_of_three_strata_by_hand(con):
    """(7) and (9) with D = pi n1 + 2 (1 - pi) n2: 4, 3, 2 at 1/2; 6, 1, 0 at 1/4; a pair and a triple of NULL."""
    con.execute("CREATE TABLE k (region VARCHAR, job VARCHAR, pi DOUBLE)")
    for region, pi, numbers in (("south", 0.25, (6, 1, 0)), (None, 0.5, (0, 1, 1)), ("north", 0.5, (4, 3, 2))):
        jobs = [f"{size} {i}" for size, number in enumerate(numbers, 1) for i in range(number) for _ in range(size)]
        con.executemany("INSERT INTO k VALUES (?, ?, ?)", [(region, job, pi) for job in jobs])
    north, south = 0.048**0.5, (42 / 576) ** 0.5  # as in test_theta.py
    for more, z in (("", 2.3263478740408408), (", confidence := 0.9", 1.2815515655446004)):
        rows = con.execute(f"FROM sdc_theta_by('k', ['job'], 'region', 'pi'{more})").fetchall()
        assert rows == [
            ("north", 16, 9, 4, 3, 2, 0.5, pytest.approx(0.4), pytest.approx(north), pytest.approx(0.4 + z * north)),
            ("south", 8, 7, 6, 1, 0, 0.25, *map(pytest.approx, (0.5, south, min(1, 0.5 + z * south)))),
            (None, 5, 2, 0, 1, 1, 0.5, 0, 0, 0),
        ]
    con.execute("UPDATE k SET pi = 0.26 WHERE job = '2 0' AND region = 'south'")
    with pytest.raises(duckdb.Error, match="sampling fraction varies within a stratum"):
        con.execute("FROM sdc_theta_by('k', ['job'], 'region', 'pi')").fetchall()
