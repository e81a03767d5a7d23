"""Rank swapping in a series: with how many a record of a batch may exchange, and who waits."""

from __future__ import annotations

import pytest

from sdc_sql.db.catalogue.load import execute


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (10, {1: (100, 10, False), 2: (99, 9, True), None: (205, 20, False), 3: (11, 1, True)}),
        (100, {1: (100, 99, False), 2: (99, 98, False), None: (205, 204, False), 3: (11, 10, False)}),
    ],
)
def test_a_window_of_fewer_than_ten_ranks_waits(keyed, p, expected):
    """The floor of p n / 100 ranks, and never all n; of what is not NULL, in each stratum."""
    keyed.execute("""CREATE TABLE t AS SELECT row_number() OVER () AS id, s, if(i < n, i * 7 % 13, NULL) AS x
                     FROM (VALUES (1, 100, 100), (2, 99, 120), (NULL, 205, 205), (3, 11, 11))
                     AS v(s, n, m), range(m) r(i)""")
    call = f"sdc__rank_swap_batch('t', ['x'], 'id', {p}, NULL, 's', NULL, '')"
    rows = execute(
        keyed, f"SELECT s, records, partners, waits, count(*) FROM {call} JOIN t ON id = sdc__id GROUP BY ALL"
    )
    found = {row[0]: row[1:] for row in rows.fetchall()}
    assert found == {s: (*figures, figures[0]) for s, figures in expected.items()}


def test_by_a_correlation_the_window_is_that_of_the_swap_and_none_where_nothing_leaves_it(keyed):
    """No value goes further than the ranks that are told, one goes nearly as far, and of equal values none may go."""
    keyed.execute("""CREATE TABLE t AS SELECT row_number() OVER () AS id, s, if(s < 3, (i * 37 % n)::DOUBLE, 7.0) AS x
                     FROM (VALUES (1, 400), (2, 50), (3, 20)) AS v(s, n), range(n) r(i)""")
    call = "sdc__rank_swap_batch('t', ['x'], 'id', NULL, 0.95, 's', NULL, '')"
    told = execute(keyed, f"SELECT DISTINCT s, partners, waits FROM {call} JOIN t ON id = sdc__id").fetchall()
    windows = {s: partners for s, partners, _ in told}
    assert {s: waits for s, _, waits in told} == {s: partners < 10 for s, partners in windows.items()}
    assert windows.pop(3) == 0
    keyed.execute("CREATE VIEW can_be_swapped AS FROM t WHERE s < 3")
    moved = keyed.execute("""SELECT s, max(abs(m.x - t.x)), corr(m.x, t.x)
        FROM sdc_rank_swap_correlated('can_be_swapped', 'x', 0.95, 'id', stratum := 's') m JOIN t USING (id, s)
        GROUP BY s""")
    swapped = moved.fetchall()
    assert {s for s, *_ in swapped} == windows.keys() == {1, 2}
    for s, furthest, r in swapped:  # the values are 0 to n - 1: a rank each
        assert windows[s] / 2 <= furthest <= windows[s]
        assert r >= 0.95
