"""What local suppression took away, of two files: by hand, by Python, and given the wrong way round."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.catalogue.load import execute
from sdc_sql.microdata import call_method

K = 3


@pytest.fixture
def files(con):
    """Return the header's two files: the second loses one value of b."""
    con.execute("CREATE TABLE original AS FROM (VALUES (1, 'x'), (1, 'y'), (1, 'y')) AS t(a, b)")
    con.execute("CREATE TABLE released AS FROM (VALUES (1, NULL), (1, 'y'), (1, 'y')) AS t(a, b)")
    return con


def test_the_released_table_is_asked_and_the_original_given(files):
    original = sdc_sql.Microdata(files, "original", keys=["a", "b"])
    released = sdc_sql.Microdata(files, "released", keys=["a", "b"])
    for given in (original, "original"):
        found = released.linkage.suppression_report(given, 2)
        assert found.suppressions == {"a": 0, "b": 1}
        assert (found.below_identical, found.complete_below_k, found.compatible_with_one) == (1, 0, 1)
        assert [(r.compatible, r.records) for r in released.linkage.compatible_records(given, 2)] == [(1, 1)]


@pytest.mark.parametrize("measure", ["suppression_report", "compatible_records"])
def test_the_wrong_way_round_is_an_error(files, measure):
    original = sdc_sql.Microdata(files, "original", keys=["a", "b"])
    with pytest.raises(sdc_sql.TableError, match=r'1 values of "b" more than the original one.*the wrong way round'):
        call_method(original, measure, "released", 2)
    with pytest.raises(duckdb.Error, match="In SQL the original comes first"):
        files.execute(f"FROM sdc_{measure}('released', 'original', ['a', 'b'], 2)").fetchall()


@pytest.mark.parametrize("seed", range(4))
def test_the_counts_are_those_of_every_pair(con, seed):
    """By Python, pair by pair: records are compatible where all that the released one has agrees."""
    draw = random.Random(seed)  # noqa: S311
    original = [(draw.randint(1, 3), draw.choice("xyz")) for _ in range(14)]
    released = [tuple(None if draw.random() < 0.3 else value for value in row) for row in original]
    for name, rows in (("original", original), ("released", released)):
        con.execute(f"CREATE TABLE {name} (a INTEGER, b VARCHAR)")
        con.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)

    def agrees(old, new):
        return all(y is None or x == y for x, y in zip(old, new, strict=True))

    compatible = [sum(agrees(old, new) for new in released) for old in original]
    found = sdc_sql.Microdata(con, "released", keys=["a", "b"]).linkage.suppression_report("original", K)
    assert found.suppressions == {key: sum(row[n] is None for row in released) for n, key in enumerate("ab")}
    assert found.below_identical == sum(released.count(row) < K for row in released)
    assert found.complete_below_k == sum(released.count(row) < K for row in released if None not in row)
    assert found.below_strong == sum(sum(agrees(old, new) for old in original) < K for new in released)
    assert found.compatible_below_k == sum(n < K for n in compatible)
    assert found.compatible_with_one == compatible.count(1)
    assert found.k == K
    # in groups from the fewest on; who fits no released record was changed otherwise, and has none
    con.execute("INSERT INTO original VALUES (9, 'x'); INSERT INTO released VALUES (8, 'z')")
    groups = Counter([*compatible, sum(agrees((9, "x"), new) for new in [*released, (8, "z")])])
    rows = con.execute("FROM sdc_compatible_records('original', 'released', ['b', 'A'], 5)").fetchall()
    assert rows == sorted((n, records) for n, records in groups.items() if n < 5)


@pytest.mark.slow
def test_keys_of_other_types_and_of_more_bits_are_counted_alike(con):
    """The same rows with values that are lists, NaN and structs of NULL, and with more keys than a number holds."""
    draw = random.Random(7)  # noqa: S311
    original = [(number, draw.randint(1, 3), draw.choice("xyz")) for number in range(20)]
    released = [(n, *(None if draw.random() < 0.3 else value for value in row)) for n, *row in original]
    for name, rows in (("original", original), ("released", released)):
        con.execute(f"CREATE TABLE {name} (n INTEGER, a INTEGER, b VARCHAR)")
        con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", rows)
    odd = """CASE WHEN a = 3 THEN 'nan'::DOUBLE ELSE a END AS "a ""of"" k",
             CASE WHEN b > 'x' THEN {'v': [b, NULL], 'w': NULL} WHEN b > '' THEN {'v': NULL, 'w': NULL} END AS "F" """
    many = ", ".join(["a", "b", *(f"{key} AS {key}{i}" for i in range(31) for key in "ab")])
    found = []
    for name, columns in (("plain", "a, b"), ("odd", odd), ("many", many)):
        for of in ("original", "released"):
            con.execute(f"CREATE TABLE {of}_{name} AS SELECT {columns} FROM {of} ORDER BY random()")
        keys = con.table(f"released_{name}").columns
        data = sdc_sql.Microdata(con, f"released_{name}", keys=keys)
        report = data.linkage.suppression_report(f"original_{name}", K)
        certain = data.linkage.certain_matches(f"original_{name}", K)
        rows = data.linkage.compatible_records(f"original_{name}", K)
        share = sum(report.suppressions.values()) / len(keys)
        found.append((share, replace(report, suppressions={}), certain, rows))
    assert found[1:] == found[:1] * 2
    assert found[0][1].below_strong > 0


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("copies", [1, 33])
def test_below_k_where_null_agrees_with_every_value(con, copies):
    """What the proof counts from these cells, pair by pair: with few keys, and with more than a number holds."""
    draw = random.Random(1)  # noqa: S311
    original = [(draw.randint(1, 3), draw.choice("xyz")) for _ in range(12)]
    released = [tuple(None if draw.random() < 0.15 else value for value in row) for row in original]
    keys = [f"{key}{i}" for i in range(copies) for key in "ab"]
    for name, rows in (("original", original), ("released", released)):
        con.execute(f"CREATE TABLE {name} ({', '.join(f'{key} VARCHAR' for key in keys)})")
        con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(keys))})", [row * copies for row in rows])

    def count_compatible(row):
        return sum(all(None in {x, y} or x == y for x, y in zip(row, other, strict=True)) for other in released)

    cells = f"WITH cells AS MATERIALIZED (FROM sdc__both_cells('original', 'released', {keys}))"
    found = execute(con, f"{cells} FROM sdc__below_wildcard_of('cells', {K})").fetchall()
    assert found == [(sum(count_compatible(row) < K for row in released),)]
    assert found[0][0] > 0
