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
