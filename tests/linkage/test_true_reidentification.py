"""What an intruder with the original keys finds in the released file: by hand, and against all pairs of records."""

from __future__ import annotations

import random
from fractions import Fraction

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError

MEASURES = ("sdc_true_reidentification", "sdc_true_reidentification_records")
KEYS = ["a", "b", "Select"]
COLUMNS = ("records", "unmatched", "unique_correct", "unique_wrong", "own_among_matches", "k", "below_k", "own_below_k")


def table(con: duckdb.DuckDBPyConnection, name: str, rows: list[tuple], kinds: str = "INTEGER") -> None:
    con.execute(f'CREATE OR REPLACE TABLE "{name}" (f INTEGER, a {kinds}, b VARCHAR, "Select" VARCHAR)')
    values = [v for row in rows for v in row]
    con.execute(f'INSERT INTO "{name}" VALUES {", ".join(["(?, ?, ?, ?)"] * len(rows))}', values)


def agree(old: tuple, new: tuple, nulls: str) -> bool:
    return all((y is None and nulls == "wildcard") or x == y for x, y in zip(old[1:], new[1:], strict=True))


def by_pairs(before: list[tuple], after: list[tuple], nulls: str) -> list[tuple]:
    """Id, matches, whether its own is one, probability: each original against each released record."""
    known, found = {row[0]: row for row in before}, []
    for own in after:
        matches = [new[0] for new in after if agree(known[own[0]], new, nulls)]
        right = own[0] in matches
        found.append((own[0], len(matches), right, 1 / len(matches) if right else 0.0))
    return sorted(found)


def of_file(records: list[tuple], k: int) -> tuple:
    few = [r for r in records if r[1] < k]
    ones = [r[2] for r in records if r[1] == 1]
    none = sum(r[1] == 0 for r in records)
    own = sum(r[2] for r in records)
    return len(records), none, sum(ones), len(ones) - sum(ones), own, k, len(few), sum(r[2] for r in few)


@pytest.fixture(params=range(3))
def files(request, con) -> tuple[duckdb.DuckDBPyConnection, list[tuple], list[tuple]]:
    """Return an original `k` and a released table `f'`, shuffled, one record left out, with NULLs in both."""
    draw = random.Random(request.param)  # noqa: S311 - a table for a test
    before = [(i, draw.choice([1, 2, 30, None]), draw.choice("xyz"), draw.choice(["p'", "q", None])) for i in range(40)]
    after = [
        (i, draw.choice([a, a, 2, None]), draw.choice([b, b, b, "new"]), draw.choice([s, s, s, "q", None]))
        for i, a, b, s in before[1:]
    ]
    table(con, "k", before)
    table(con, "f'", draw.sample(after, 39))
    return con, before, after


@pytest.mark.one_in(2)
@pytest.mark.parametrize("nulls", ["wildcard", "category"])
def test_against_all_pairs(files, nulls):
    con, before, after = files
    keys = ["A", "b", "Select"]
    options = [keys, nulls]
    found = con.execute(
        "SELECT * FROM sdc_true_reidentification_records('k', '\"f''\"', ?, 'f', nulls := ?)", options
    ).fetchall()
    expected = by_pairs(before, after, nulls)
    assert sorted(found) == expected
    whole = con.execute("FROM sdc_true_reidentification('k', '\"f''\"', ?, 'f', k := 4, nulls := ?)", options)
    names = [d[0] for d in whole.description]
    row = dict(zip(names, whole.fetchone(), strict=True))
    assert tuple(row[name] for name in COLUMNS) == of_file(expected, 4)
    probable = sum(Fraction(1, r[1]) for r in expected if r[2])
    assert row["expected_correct_matches"] == pytest.approx(float(probable))
    assert row["rate"] == pytest.approx(float(probable / 39))


def example(con) -> None:
    con.execute(
        "CREATE TABLE original AS FROM (VALUES (1, 'f', 'north'), (2, 'f', 'north'), (3, 'm', 'north'), "
        "(4, 'm', 'south')) t(id, sex, region)"
    )
    con.execute(
        "CREATE TABLE released AS FROM (VALUES (1, 'f', 'north'), (2, NULL, 'north'), (3, 'm', 'south'), "
        "(4, 'm', 'south')) t(id, sex, region)"
    )


def test_the_header_by_hand(con):
    example(con)
    data = Microdata(con, "released", keys=["sex", "region"], id="id")
    found = data.linkage.true_reidentification_records("original").order("id").fetchall()
    assert found == [(1, 2, True, 0.5), (2, 2, True, 0.5), (3, 1, False, 0), (4, 2, True, 0.5)]
    whole = data.linkage.true_reidentification("original")
    assert (whole.own_among_matches, whole.unique_correct, whole.unique_wrong) == (3, 0, 1)
    assert (whole.expected_correct_matches, whole.rate, whole.below_k, whole.own_below_k) == (1.5, 0.375, 4, 3)


def test_nothing_masked_is_as_many_correct_matches_as_there_are_cells(files):
    con, before, _ = files
    row = con.execute("FROM sdc_true_reidentification('k', 'k', ?, 'f', nulls := 'category')", [KEYS]).fetchone()
    assert row[8] == pytest.approx(len({r[1:] for r in before}))
    assert (row[1], row[3], row[4]) == (0, 0, 40)


def test_permuted_uniques_are_links_all_unique_and_wrong(con):
    con.execute("CREATE TABLE before AS SELECT i AS id, i AS x FROM range(50) t(i)")
    con.execute("CREATE TABLE after AS SELECT id, (x + 7) % 50 AS x FROM before")
    row = con.execute("FROM sdc_true_reidentification('before', 'after', ['x'], 'id')").fetchone()
    assert row == (50, 0, 0, 50, 0, 3, 50, 0, 0.0, 0.0)


def test_a_recoded_key_is_compared_by_its_labels(con):
    """Ages in tens, one suppressed: as with the original recoded alike, but for the age that has no label left."""
    con.execute("CREATE TABLE before AS SELECT i AS id, 20 + i AS age, i % 3 AS sex FROM range(30) t(i)")
    con.execute(
        "CREATE TABLE after AS SELECT id, CASE WHEN id <> 5 THEN (age // 10 * 10) || '+' END AS age, sex FROM before"
    )
    con.execute("CREATE TABLE alike AS SELECT * REPLACE ((age // 10 * 10) || '+' AS age) FROM before")
    call = "SELECT * FROM sdc_true_reidentification_records('{}', 'after', ['age', 'sex'], 'id'{}) ORDER BY id"
    recoded = con.execute(call.format("before", ", recoded := ['AGE']")).fetchall()
    alike = con.execute(call.format("alike", "")).fetchall()
    assert [r for r in recoded if r[0] != 5] == [r for r in alike if r[0] != 5]
    assert recoded[5] == (5, 1, True, 1.0)  # its only match that is certain: never a smaller risk
    assert alike[5] == (5, 3, True, pytest.approx(1 / 3))
    data = Microdata(con, "after", keys=["age", "sex"], id="id")
    assert data.linkage.true_reidentification("before", recoded=["age"]).unmatched == 0
    with pytest.raises(ColumnError, match='No released value of the key "age" occurs in the original'):
        data.linkage.true_reidentification("before")


def test_several_labels_of_a_value_are_refused_without_showing_it(files):
    con, *_ = files
    with pytest.raises(ParameterError, match='recoded names "a", and a value of it was released under') as raised:
        Microdata(con, "f'", keys=KEYS, id="f").linkage.true_reidentification("k", recoded=["a"])
    assert "30" not in str(raised.value)


@pytest.mark.slow
def test_what_cannot_be_paired_is_an_error(con):
    example(con)
    con.execute("CREATE TABLE doubled AS FROM released UNION ALL FROM released")
    con.execute("CREATE TABLE strange AS SELECT * REPLACE (id + 1 AS id) FROM released")
    con.execute("CREATE TABLE nobody AS SELECT * REPLACE (nullif(id, 2) AS id) FROM released")
    for original, released, words in [
        ("original", "doubled", "must be unique"),
        ("doubled", "released", "must be unique"),
        ("original", "strange", "no record of the original has"),
        ("original", "nobody", "is NULL on records"),
    ]:
        for measure in MEASURES:
            with pytest.raises(duckdb.Error, match=words):
                con.execute(f"SELECT * FROM {measure}('{original}', '{released}', ['sex', 'region'], 'id')").fetchall()


def test_wrong_arguments(con):
    example(con)
    data = Microdata(con, "released", keys=["sex", "region"], id="id")
    for wrong, error, words in [
        ({"k": 1}, ParameterError, "k is 1"),
        ({"nulls": "no"}, ParameterError, "nulls is no"),
        ({"recoded": ["income"]}, ColumnError, 'recoded names "income"'),
        ({"keys": ["sec"]}, ColumnError, "sec"),
    ]:
        with pytest.raises(error, match=words):
            data.linkage.true_reidentification("original", **wrong)
    con.execute("CREATE TABLE named AS SELECT id AS Matches, sex FROM original")
    with pytest.raises(duckdb.Error, match="has the name of a column of the result"):
        con.execute("FROM sdc_true_reidentification_records('named', 'named', ['sex'], 'Matches')")
    con.execute("CREATE TABLE nobody AS SELECT * FROM original LIMIT 0")
    with pytest.raises(duckdb.Error, match="has no rows"):
        con.execute("FROM sdc_true_reidentification('original', 'nobody', ['sex'], 'id')").fetchall()


def test_one_record_and_keys_all_suppressed(con):
    con.execute("CREATE TABLE one AS SELECT 1 AS id, 'x' AS a; CREATE TABLE two AS SELECT 1 AS id, NULL AS a")
    row = con.execute("FROM sdc_true_reidentification('one', 'two', ['a'], 'id', nulls := 'wildcard')").fetchone()
    assert row == (1, 0, 1, 0, 1, 3, 1, 1, 1.0, 1.0)
    assert con.execute("FROM sdc_true_reidentification('one', 'two', ['a'], 'id', nulls := 'category')").fetchone() == (
        (1, 1, 0, 0, 0, 3, 1, 0, 0.0, 0.0)
    )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("recoding", ["a // 10 * 10", "least(a, 40)", "CASE WHEN a < 30 THEN 20 ELSE a END"])
def test_a_recoding_whose_labels_are_original_values_is_told(con, recoding):
    """Rounded or top-coded, the labels agree with some originals: the others would find nothing, and look safe."""
    con.execute('CREATE TABLE k AS SELECT i AS f, 20 + i % 30 AS a, i % 7 AS "Select" FROM range(120) t(i)')
    con.execute(f'CREATE TABLE "f\'" AS SELECT * REPLACE ({recoding} AS a) FROM k')
    for measure in MEASURES:
        with pytest.raises(duckdb.Error, match='Each original value of the key "a" was released as one value'):
            con.execute(f"FROM {measure}('k', 'f''', ['a', 'Select'], 'f')").fetchall()
    (found,) = con.execute(
        "SELECT rate FROM sdc_true_reidentification('k', 'f''', ['a', 'Select'], 'f', recoded := ['A'])"
    ).fetchone()
    con.execute(f"CREATE TABLE alike AS SELECT * REPLACE ({recoding} AS a) FROM k")
    same = con.execute("SELECT rate FROM sdc_true_reidentification('alike', 'f''', ['a', 'Select'], 'f')").fetchone()
    assert found == same[0] > 0


@pytest.mark.slow
def test_numbers_that_keep_their_order_are_no_other_numbers(con):
    """Rounded to 100 or microaggregated, no value twice: by the values 1 in 100 is found, by their places all are."""
    con.execute("CREATE TABLE o AS SELECT range AS id, 500 + range * 137 AS income FROM range(200)")
    con.execute("CREATE TABLE r AS SELECT * REPLACE (round(income, -2)::BIGINT AS income) FROM o")
    con.execute("CREATE TABLE c AS SELECT * REPLACE (income - 137 * (id % 3 - 1) * (id < 198)::INT AS income) FROM o")
    con.execute("CREATE TABLE texts AS SELECT id, 'NL' || (1000 + id * 7) AS postcode FROM o")
    con.execute("CREATE TABLE cut AS SELECT id, left(postcode, 5) || '0' AS postcode FROM texts")
    for original, released, key in (("o", "r", "income"), ("o", "c", "income"), ("texts", "cut", "postcode")):
        data, before = (Microdata(con, name, keys=[key], id="id") for name in (released, original))
        with pytest.raises(ColumnError, match=f'"{key}".*Name it in recoded'):
            data.linkage.true_reidentification(before)
    data, before = (Microdata(con, name, keys=["income"], id="id") for name in "ro")
    assert data.linkage.true_reidentification(before, recoded=["income"]).rate == 1
    steps = [("round", {"columns": "income", "base": 100})]
    assert before.frontier(steps, "true_reidentification.rate", "il1.il1")[0].risk == 1
    con.execute("CREATE TABLE n AS SELECT * REPLACE (income + (id * 7919 % 3001) - 1500 AS income) FROM o")
    con.execute("UPDATE n SET income = 500 WHERE id = 0")
    assert Microdata(con, "n", keys=["income"], id="id").linkage.true_reidentification("o").rate < 0.1
