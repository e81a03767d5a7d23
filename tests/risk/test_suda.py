"""Minimal sample uniques, SUDA and DIS-SUDA scores, contributions."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_tables import PROPERTY, fetch, small_tables

import sdc_sql

GUIDE = ["Residence", "Gender", "Educ", "Labor"]
KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def minimal_uniques(records, nulls, most):
    """Return the minimal sample uniques of each record, as sets of positions, straight from the definition."""
    m = len(records[0])
    sets = [frozenset(c) for k in range(1, m + 1) for c in itertools.combinations(range(m), k)]
    counts = {s: Counter(tuple(r[i] for i in sorted(s)) for r in records) for s in sets}
    found = []
    for r in records:
        unique = {
            s
            for s in sets
            if counts[s][tuple(r[i] for i in sorted(s))] == 1
            and (nulls == "category" or all(r[i] is not None for i in s))
        }
        found.append([s for s in unique if len(s) <= most and not any(t < s for t in unique)])
    return found


@PROPERTY
@given(table=small_tables(), nulls=st.sampled_from(["category", "excluded"]), most=st.integers(1, 5) | st.none())
def test_minimal_sample_uniques_and_scores_equal_brute_force(db, table, nulls, most):
    table.store(db, "t")
    expected = minimal_uniques(table.records, nulls, 99 if most is None else most)
    rows = fetch(db, "FROM sdc_minimal_sample_uniques('t', ?, ?, ?)", table.keys, most, nulls)
    named = {(r["id"], frozenset(r["columns"])) for r in rows}
    assert len(named) == len(rows)
    assert all(r["size"] == len(r["columns"]) for r in rows)
    assert named == {(i, frozenset(table.keys[c] for c in s)) for i, sets in enumerate(expected) for s in sets}
    m = len(table.keys)
    rows = fetch(db, "FROM sdc_suda('t', ?, ?, nulls := ?)", table.keys, most, nulls)
    found = {r["id"]: (r["msu_count"], r["suda_score"]) for r in rows}
    assert found == {
        i: (len(sets), pytest.approx(sum(factorial(m - len(s)) for s in sets))) for i, sets in enumerate(expected)
    }


def test_the_example_of_the_header(db):
    db.execute("CREATE OR REPLACE TABLE p AS FROM (VALUES (30, 'f'), (30, 'm'), (30, 'f'), (41, 'f')) AS t(age, sex)")
    found = db.execute("FROM sdc_minimal_sample_uniques('p', ['age', 'sex'])").fetchall()
    assert sorted(found) == [(30, "m", 1, ["sex"]), (41, "f", 1, ["age"])]
    # by hand: P = 2, Q = 1.3, two scores of 1: 1 / (1 + 2 * 99 / 2) = 0.01
    found = db.execute("FROM sdc_suda('p', ['age', 'sex'])").fetchall()
    assert sorted(found)[2:] == [(30, "m", 1, 1.0, pytest.approx(0.01)), (41, "f", 1, 1.0, pytest.approx(0.01))]


@pytest.mark.parametrize(("max_msu", "msus"), [(2, 1206), (3, 16096)])
def test_adult(shared, db, max_msu, msus):
    """Two independent implementations agree: ../shared/reference/README.md (sizes <= 4: 42,125; all: 62,809)."""
    path = str(shared / "data" / "adult.parquet")
    keys = db.execute(f"SELECT list(column_name) FROM (DESCRIBE FROM '{path}')").fetchall()[0][0]
    assert sdc_sql.Microdata(db, path, keys=keys).suda_summary(max_msu).msus == msus


def reference(shared, name):
    entries = json.loads((shared / "reference" / "sdcmicro_suda2.json").read_text())["entries"]
    return entries[name]["result"]


@pytest.mark.parametrize("fraction", [0.01, 0.05])
@pytest.mark.parametrize("nulls", ["category", "excluded"])  # no value is missing here
@pytest.mark.parametrize(
    "case",
    [
        ("guide10_osTRUE", "suda_guide10", GUIDE, "factorial"),
        ("guide10_osFALSE", "suda_guide10", GUIDE, "superset"),
        ("testdata_kv7", "testdata", KV7, "factorial"),
        ("testdata_kv7_origF", "testdata", KV7, "superset"),
        ("testdata_kv5", "testdata", KV7[:5], "factorial"),
    ],
)
def test_scores_of_sdcmicro(shared, db, case, fraction, nulls):
    """sdcMicro 5.8.1: ../shared/reference/sdcmicro_suda2.json; its DIS scores differ from the formula by up to 3e-7."""
    name, table, keys, scoring = case
    theirs = reference(shared, f"{name}_f{fraction}")
    path = str(shared / "data" / f"{table}.parquet")
    ours = db.execute(
        "SELECT sum(suda_score), max(suda_score), sum(dis_suda), max(dis_suda), count(*) FILTER (suda_score > 0) "
        "FROM sdc_suda(?, ?, NULL, ?, ?, ?)",
        [path, keys, fraction, scoring, nulls],
    ).fetchall()[0]
    score, dis = theirs["score"], theirs["disScore"]
    assert ours[:2] == pytest.approx((score["sum"], score["max"]), rel=1e-12)
    assert ours[2:4] == pytest.approx((dis["sum"], dis["max"]), rel=1e-6)
    assert ours[4] == theirs["n_score_gt0"]


def test_contributions_of_sdcmicro(shared, db):
    """The same file, guide10_osTRUE_f0.01: attribute_contributions and attribute_level_contributions."""
    theirs = reference(shared, "guide10_osTRUE_f0.01")
    data = sdc_sql.Microdata(db, str(shared / "data" / "suda_guide10.parquet"), keys=GUIDE)
    ours = {c.variable: c.contribution for c in data.suda_contributions(None)}
    assert ours == pytest.approx({c["variable"]: c["contribution"] for c in theirs["attribute_contributions"]})
    values = {(c.variable, c.value): c.contribution for c in data.suda_value_contributions(None)}
    level = theirs["attribute_level_contributions"]
    assert values == pytest.approx({(c["variable"], c["attribute"]): c["contribution"] for c in level})


def test_odd_names(db):
    db.execute('CREATE OR REPLACE TABLE k AS FROM (VALUES (30, 1), (30, 2), (30, 1), (41, 1)) AS t("Select", "a""b")')
    found = db.execute("""FROM sdc_minimal_sample_uniques('k', ['a"b', 'SELECT'])""").fetchall()
    assert sorted(found) == [(30, 2, 1, ['a"b']), (41, 1, 1, ["SELECT"])]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("['age'], 0", "max_msu is 0"),
        ("['age'], 1.5", "max_msu is 1.5"),
        ("['age'], 'x'", "max_msu is x"),
        ("['age'], dis_fraction := 1", "DIS fraction is 1"),
        ("['age'], scoring := 'x'", "scoring is x"),
        ("['age'], nulls := 'wildcard'", "nulls is wildcard"),
        ("['age', 'nope']", '"nope" is not a column'),
        ("[]", "the list of columns is empty"),
    ],
)
def test_wrong_arguments(db, call, words):
    db.execute("CREATE OR REPLACE TABLE p AS FROM (VALUES (30), (30)) AS t(age)")  # no unique: nothing hides the error
    with pytest.raises(Exception, match=words):
        db.execute(f"FROM sdc_suda('p', {call})").fetchall()


def test_too_many_sets_are_refused(db):
    columns = [f"c{i}" for i in range(24)]
    db.execute("CREATE OR REPLACE TABLE wide AS SELECT " + ", ".join(f"1 AS {c}" for c in columns))
    with pytest.raises(Exception, match="more than 3,000 sets of 24"):
        db.execute("FROM sdc_suda('wide', ?, NULL)", [columns]).fetchall()


def test_wildcards_are_refused():
    example = sdc_sql.example()
    data = sdc_sql.Microdata(example.con, example.table, keys=example.keys, nulls="wildcard")
    with pytest.raises(sdc_sql.ParameterError, match="nulls is 'wildcard'"):
        data.suda()
    assert data.suda_summary(nulls="excluded").records == 3
