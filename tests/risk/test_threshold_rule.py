"""The threshold rule: SDC handbook, 3.3.4, and the levels of identification of 3.7."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_tables import NULLS, PROPERTY, small_tables



    """Return the column as DuckDB writes it, in the order of the rows."""
    return [v for (v,) in db.execute(f'SELECT "{key}"::VARCHAR FROM t ORDER BY id').fetchall()]


def compatible(left, right, nulls):
    return all(a == b or (nulls == "wildcard" and None in (a, b)) for a, b in zip(left, right, strict=True))


def counted(table, names, weight, nulls):
    """Return each combination of the keys with its records and its frequency, by comparing all pairs of records."""
    records = list(zip(*([repr(v) if v is not None else None for v in values(table, n)] for n in names), strict=True))
    weights = table.column("weight") if weight else [1] * len(records)
    own = Counter(records)
    return {
        c: (own[c], sum(w for r, w in zip(records, weights, strict=True) if compatible(c, r, nulls))) for c in own
    }


def values(table, name):
    """Return a column where 0.0 and -0.0 are one value."""
    return [v + 0.0 if isinstance(v, float) else v for v in table.column(name)]


@PROPERTY
@given(
    table=small_tables(),
    thresholds=st.lists(st.none() | st.integers(1, 60), min_size=1, max_size=4).filter(any),
    weight=st.booleans(),
    inclusive=st.booleans(),
    nulls=st.sampled_from(NULLS),
)
def test_every_unsafe_combination_and_no_other(db, table, thresholds, weight, inclusive, nulls):
    table.store(db, "t")
    arguments = f"{'weight' if weight else None!r}".replace("None", "NULL")
    tail = f"?, ?, weight := {arguments}, inclusive := {inclusive}, nulls := '{nulls}')"
    given_now = [table.keys, thresholds]
    expected, sets, bearing = [], [], Counter()
    for size, threshold in enumerate(thresholds, 1):
        for names in combinations(table.keys, size) if threshold else ():
            cells = counted(table, names, weight, nulls)
            unsafe = {c: v for c, v in cells.items() if v[1] < threshold or (inclusive and v[1] == threshold)}
            expected += [(list(names), *v, threshold) for v in unsafe.values()]
            least = min(v[1] for v in cells.values())
            sets.append((list(names), threshold, len(cells), len(unsafe), sum(v[0] for v in unsafe.values()), least))
            for i, record in enumerate(zip(*(values(table, n) for n in names), strict=True)):
                bearing[i] += tuple(repr(v) if v is not None else None for v in record) in unsafe
    rows = db.execute(
        f"SELECT columns, records, frequency, threshold FROM sdc_threshold_rule('t', {tail}", given_now
    ).fetchall()
    assert sorted(rows, key=repr) == sorted(expected, key=repr)
    assert db.execute(f"FROM sdc_threshold_rule_summary('t', {tail}", given_now).fetchall() == sets
    found = db.execute(
        f"SELECT id, unsafe_combinations FROM sdc_threshold_rule_records('t', {tail}", given_now
    ).fetchall()
    assert dict(found) == {i: bearing[i] for i in range(len(table.rows))}


def maximal_products(extremely, very, identifying):
    """Return the sets of E x (E u V) x (E u V u I) that lie in no larger one."""
    levels = [extremely, extremely + very, extremely + very + identifying]
    sets = {frozenset(t) for t in product(*(level for level in levels if level))}
    return {s for s in sets if not any(s < t for t in sets)}


@pytest.mark.parametrize("numbers", list(product(range(4), repeat=3))[1:])
def test_the_sets_of_levels(db, numbers):
    """3.7, researchers' rule 2: each extremely, very and identifying key together; a higher level counts lower down."""
    names = iter("abcdefghi")
    extremely, very, identifying = ([next(names) for _ in range(n)] for n in numbers)
    keys = extremely + very + identifying
    ((found,),) = db.execute(
        "SELECT sdc__key_sets(?, 100, NULL, {'extremely': ?::VARCHAR[], 'very': ?::VARCHAR[], 'identifying': ?::VARCHAR[]})",
        [keys[::-1], extremely, very, identifying],
    ).fetchall()
    assert len(found) == len({frozenset(s) for s in found})
    assert {frozenset(s) for s in found} == maximal_products(extremely, very, identifying)


def test_the_example_of_the_header(con):
    con.execute(
        "CREATE TABLE persons AS FROM (VALUES (30, 'f', 'north'), (30, 'f', 'north'), (30, 'm', 'north'), (30, 'm', 'south'))"
        " AS t(age, sex, region)"
    )
    assert con.execute("FROM sdc_threshold_rule('persons', ['age', 'sex', 'region'], [1, 1])").fetchall() == [
        (["region"], ["south"], 1, 1.0, 1.0),
        (["age", "region"], ["30", "south"], 1, 1.0, 1.0),
        (["sex", "region"], ["m", "north"], 1, 1.0, 1.0),
        (["sex", "region"], ["m", "south"], 1, 1.0, 1.0),
    ]
