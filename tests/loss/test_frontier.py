"""The risk-utility frontier (Karr & Sanil 2004, (4) and (5)) against all pairs of candidates."""

from __future__ import annotations

import math
import random

import duckdb
import pytest

HEADER = [(1.0, 0.3, 0.0), (0.9, 0.2, 0.04), (0.8, 0.2, 0.06), (0.7, 0.1, 0.09)]


def candidates(con, rows):
    con.execute('CREATE OR REPLACE TABLE k (f INTEGER, "Sel\'ect" DOUBLE, "Loss" DOUBLE, u DOUBLE)')
    con.executemany("INSERT INTO k VALUES (?, ?, ?, ?)", rows)


def known(*figures):
    return all(f is not None and not math.isnan(f) for f in figures)


def beats(a, b):
    """Whether a is preferred to b by (5): no more risk, no more loss, and not the same."""
    return a[0] <= b[0] and a[1] <= b[1] and a != b


def by_all_pairs(rows, max_risk, *, utility):
    """Return (undominated, chosen) of each row, comparing each with each."""
    points = [(r, x) for _, r, x, _ in rows if known(r, x)]
    marks = [not any(beats(p, (r, x)) for p in points) if known(r, x) else None for _, r, x, _ in rows]
    may = [
        bool(mark) and (max_risk is None or r <= max_risk) and (not utility or known(u))
        for mark, (_, r, _, u) in zip(marks, rows, strict=True)
    ]
    if max_risk is None and not utility:
        may = [False] * len(rows)
    worth = [(-u if utility else x, r, x) if ok else None for ok, (_, r, x, u) in zip(may, rows, strict=True)]
    best = min((w for w in worth if w is not None), default=None)
    return list(zip(marks, [w is not None and w == best for w in worth], strict=True))


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("seed", range(6))
def test_the_frontier_is_that_of_all_pairs(con, seed):
    draw = random.Random(seed)  # noqa: S311 - a test
    figures = [0.0, 0.1, 0.2, 0.3, 0.5, 1.0, *([None, math.nan] if seed % 2 else [])]
    rows = [(i, draw.choice(figures), draw.choice(figures), draw.choice(figures)) for i in range(draw.randint(1, 40))]
    candidates(con, rows)
    for max_risk, utility in ((None, False), (0.25, False), (0, False), (None, True), (0.3, True)):
        bound, worth = "NULL" if max_risk is None else max_risk, "'U'" if utility else "NULL"
        found = con.execute(
            f"SELECT undominated, chosen FROM sdc_frontier('k', 'sel''ect', 'LOSS', {bound}, {worth}) ORDER BY f"
        ).fetchall()
        assert found == by_all_pairs(rows, max_risk, utility=utility), (max_risk, utility)


def test_the_choice_by_a_bound_is_the_least_loss_within_it(con):
    """(4) read word for word: of all candidates within the bound, whether or not another one is better elsewhere."""
    draw = random.Random(8)  # noqa: S311 - a test
    rows = [(i, draw.random(), draw.random(), None) for i in range(60)]
    candidates(con, rows)
    for alpha in (0.05, 0.3, 0.9):
        found = con.execute(f"SELECT f FROM sdc_frontier('k', 'Sel''ect', 'Loss', {alpha}) WHERE chosen").fetchall()
        assert found == [(min((x, i) for i, r, x, _ in rows if r <= alpha)[1],)]


def test_the_example_of_the_header(con):
    con.execute("CREATE TABLE candidates (retention DOUBLE, risk DOUBLE, loss DOUBLE)")
    con.executemany("INSERT INTO candidates VALUES (?, ?, ?)", HEADER)
    found = con.execute("FROM sdc_frontier('candidates', 'risk', 'loss', max_risk := 0.2)").fetchall()
    assert found == [(0.7, 0.1, 0.09, True, False), (0.9, 0.2, 0.04, True, True), (0.8, 0.2, 0.06, False, False),
                     (1.0, 0.3, 0.0, True, False)]  # fmt: skip


def test_none_within_the_bound_none_is_chosen(con):
    candidates(con, [(1, 0.5, 0.0, None), (2, 0.4, 0.1, None)])
    assert con.execute("SELECT chosen FROM sdc_frontier('k', 'Sel''ect', 'Loss', 0.1)").fetchall() == [(False,)] * 2


REFUSED = [
    ("'k', 'nowhere', 'Loss'", "nowhere"),
    ("'k', 5, 'Loss'", "not a column"),
    ("'k', NULL, 'Loss'", "NULL"),
    ("'k', 'Loss', 'words'", "is no number"),
    ("'k', 'Loss', 'Loss', utility := 'words'", "is no number"),
    ("'k', 'Loss', 'Loss', max_risk := 'low'", "max_risk is low"),
    ("'k', 'Loss', 'Loss', max_risk := 'nan'::DOUBLE", "finite"),
    ("'nobody', 'Loss', 'Loss'", "no rows"),
    ("'marked', 'Loss', 'Loss'", "result column"),
]


@pytest.mark.parametrize(("arguments", "words"), REFUSED)
def test_what_cannot_be_compared_is_refused(con, arguments, words):
    con.execute('CREATE TABLE k AS SELECT 0.5 AS "Loss", \'secret\' AS words; CREATE TABLE nobody ("Loss" DOUBLE)')
    con.execute('CREATE TABLE marked AS SELECT 0.5 AS "Loss", true AS chosen')
    with pytest.raises(duckdb.Error, match=words) as raised:
        con.execute(f"FROM sdc_frontier({arguments})").fetchall()
    assert "secret" not in str(raised.value)
