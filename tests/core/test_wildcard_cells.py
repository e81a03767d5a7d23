"""Frequencies where NULL agrees with every value."""

from __future__ import annotations

from itertools import product

import pytest
from brute_force import plain, population_frequencies, sample_frequencies
from hypothesis import assume, given
from hypothesis import strategies as st
from small_tables import PROPERTY, fetch, small_tables


def stored(db, rows, width):
    columns = ", ".join(f"k{i} INTEGER" for i in range(width))
    db.execute(f"CREATE OR REPLACE TABLE t (id INTEGER, {columns}, weight DOUBLE)")
    db.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (width + 2))})", rows)


def check(db, records, weights):
    width = len(records[0])
    stored(db, [(i, *r, w) for i, (r, w) in enumerate(zip(records, weights, strict=True))], width)
    keys = [f"k{i}" for i in range(width)]
    rows = fetch(db, "FROM sdc_frequencies('t', ?, 'weight', nulls := 'wildcard') ORDER BY id", keys)
    assert [r["sample_frequency"] for r in rows] == sample_frequencies(records, "wildcard")
    assert [r["population_frequency"] for r in rows] == population_frequencies(records, weights, "wildcard")


@PROPERTY
@given(data=st.data(), width=st.integers(1, 5))
def test_many_nulls_equal_a_count_over_all_pairs(db, data, width):
    value = st.sampled_from([None, None, 1, 2])
    records = data.draw(st.lists(st.tuples(*[value] * width), min_size=1, max_size=20))
    weights = data.draw(st.lists(st.integers(4, 99).map(lambda q: q / 4), min_size=len(records), max_size=len(records)))
    check(db, records, weights)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_every_pattern_at_once(con, width):
    """All combinations of NULL, 1 and 2, each with a weight of its own."""
    records = list(product([None, 1, 2], repeat=width))
    check(con, records, [1 + i / 4 for i in range(len(records))])


def of_three_bits(width, records):
    """Return records whose keys have four to six values each: three bits a key, with NULL and one value more."""
    return [tuple(None if (i + j) % 4 == 0 else (i + j) % 6 for j in range(width)) for i in range(records)]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "bits"), [(42, 126), (43, 129)])
def test_keys_that_just_fit_one_number_and_one_key_more(con, width, bits):
    """Up to 126 bits cells are numbers, from there on bit strings."""
    records = of_three_bits(width, 12)
    records += [(*records[0][:-1], None), (*records[1][:-1], 9), records[1]]
    check(con, records, [1 + i / 4 for i in range(len(records))])
    keys = [f"k{i}" for i in range(width)]
    con.execute("CREATE OR REPLACE TEMP TABLE ranked AS FROM sdc__ranked_cells('t', ?, NULL)", [keys])
    assert con.execute("SELECT sdc__before[-1] FROM sdc__bits_of_keys('ranked')").fetchall() == [(bits,)]
    one, other = (
        con.execute(f"FROM {macro}('t', ?, 'weight') ORDER BY ALL", [keys]).fetchall()
        for macro in ("sdc__wildcard_cells", "sdc__wildcard_cells_by_lists")
    )
    assert one == other
    assert len(one) == len(set(records))


def test_all_null_records_count_for_everybody(con):
    """By hand. Ours differs from sdcMicro on purpose.

    It leaves records whose keys are all NULL out of the others' counts (../shared/reference/README.md): 1, 1, 3.
    """
    check(con, [(1, 1), (2, 2), (None, None)], [1.0, 10.0, 100.0])
    rows = con.execute(
        "SELECT sample_frequency, population_frequency "
        "FROM sdc_frequencies('t', ['k0', 'k1'], 'weight', nulls := 'wildcard') ORDER BY id"
    )
    assert rows.fetchall() == [(2, 101.0), (2, 110.0), (3, 111.0)]


def test_only_all_null_records(con):
    check(con, [(None, None)] * 3, [1.0, 2.0, 4.0])


def test_compatibility_is_not_transitive(con):
    """By hand: (1, NULL) agrees with (1, 2) and (NULL, 3) each, which do not agree with each other."""
    records = [(1, None), (1, 2), (None, 3)]
    assert sample_frequencies(records, "wildcard") == [3, 2, 2]
    check(con, records, [1.0, 1.0, 1.0])


def test_the_example_of_the_header(con):
    con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f'), (41, 'm'), (NULL, 'f')) AS t(age, sex)")
    rows = con.execute("FROM sdc_cells('persons', ['age', 'sex'], nulls := 'wildcard')").fetchall()
    assert sorted(rows, key=repr) == sorted([(30, "f", 2), (41, "m", 1), (None, "f", 2)], key=repr)


def test_sdcmicros_rule_for_partly_missing_records(con):
    """sdcMicro 5.8.1, alpha = 1, as ../shared/reference/README.md states it, on records none of which is all NULL.

    A complete record counts the identical complete ones and the compatible partly-NULL ones; a
    partly-NULL record its identical pattern and every compatible record.
    """
    records = con.execute("""
        SELECT CASE WHEN i % 7 > 0 THEN i * 5 % 3 END, CASE WHEN i % 5 > 0 THEN i * 7 % 4 END, i % 2
        FROM range(120) t(i)
    """).fetchall()
    complete = [r for r in records if None not in r]

    def agree(a, b):
        return all(x == y for x, y in zip(a, b, strict=True) if x is not None and y is not None)

    expected = []
    for r in records:
        partly = [s for s in records if None in s and agree(r, s)]
        expected.append(len(partly) + (complete.count(r) if r in complete else sum(agree(r, s) for s in complete)))
    stored(con, [(i, *r, 1.0) for i, r in enumerate(records)], 3)
    rows = con.execute(
        "SELECT sample_frequency FROM sdc_frequencies('t', ['k0', 'k1', 'k2'], nulls := 'wildcard') ORDER BY id"
    )
    assert [f for (f,) in rows.fetchall()] == expected


@pytest.mark.slow
@PROPERTY
@given(table=small_tables())
def test_without_nulls_both_treatments_agree(db, table):
    table.store(db, "with_nulls")
    known = " AND ".join(f'"{k}" IS NOT NULL' for k in table.keys)
    db.execute(f"CREATE OR REPLACE TABLE t AS FROM with_nulls WHERE {known}")
    assume(db.execute("SELECT count(*) FROM t").fetchall() != [(0,)])
    both = [
        db.execute("FROM sdc_cells('t', ?, nulls := ?)", [table.keys, n]).fetchall() for n in ("category", "wildcard")
    ]
    category, wildcard = ({plain(r[:-1]): r[-1] for r in rows} for rows in both)
    assert category == wildcard


def test_many_keys(con):
    """Forty keys: the bit strings are long, the patterns many."""
    records = [tuple(None if (i * j) % 11 == 1 else (i * i * j) % 2 for j in range(40)) for i in range(60)]
    check(con, records, [1 + i / 4 for i in range(60)])


def test_values_of_many_kinds(con):
    """A column of 70,000 values, so that numbered values need more than 16 bits."""
    con.execute("""
        CREATE TABLE t AS
        SELECT i AS id, CASE WHEN i < 70_000 THEN i END AS a, i % 2 AS b FROM range(70_002) t(i)
    """)
    rows = con.execute(
        "SELECT id, sample_frequency FROM sdc_frequencies('t', ['a', 'b'], nulls := 'wildcard') ORDER BY id"
    ).fetchall()
    # each record with a value agrees with itself and the one without that has its b; those two with half the table
    assert [f for _, f in rows[:70_000]] == [2] * 70_000
    assert [f for _, f in rows[70_000:]] == [35_001, 35_001]
