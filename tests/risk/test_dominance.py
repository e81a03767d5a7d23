"""Dominance: the (n, k) and the p% rule by brute force, with weights, and the doors."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, TableError

FIRMS = [
    ("food", 900),
    ("food", 60),
    ("food", 25),
    ("food", 15),
    ("wood", 40),
    ("wood", 35),
    ("wood", 30),
    ("mines", 70),
]


@pytest.fixture
def firms(con):
    con.execute("CREATE TABLE firms (activity VARCHAR, turnover DOUBLE)")
    con.executemany("INSERT INTO firms VALUES (?, ?)", FIRMS)
    return con


def judge(units, n, share, p):
    """Return whether the units (contribution, times) are dominated, and whether the greatest is estimable."""
    each = sorted((Fraction(x) for x, times in units for _ in range(times)), reverse=True)
    total = sum(each)
    dominated = total > 0 and sum(each[:n]) > Fraction(share) * total
    return dominated, total > 0 and total - sum(each[:2]) < Fraction(p) * each[0]


def test_rules_by_hand(firms):
    data = Microdata(firms, "firms", keys=["activity"])
    found = data.risk.dominance("turnover", n=1, share=0.8, p=0.1)
    assert (found.records, found.cells, found.dominated, found.estimable, found.unsafe) == (8, 3, 2, 2, 2)
    assert found.unsafe_records == 5
    assert data.risk.dominance("turnover", n=2, share=0.5).dominated == 3  # of wood 75 of 105
    (limit,) = data.check_limits(["dominance.unsafe <= 0"], figures={"dominance": ("dominance", {"value": "turnover"})})
    assert not limit.holds
    with pytest.raises(ParameterError, match="name of a measure and its arguments"):
        data.check_limits(["d.unsafe <= 0"], figures={"d": {"value": "turnover"}})


def test_a_share_that_is_met_is_no_excess(con):
    con.execute("CREATE TABLE k AS SELECT 1 AS f, unnest([85, 10, 5]) AS x")
    data = Microdata(con, "k", keys=["f"])
    assert data.risk.dominance("x", n=1, share=0.85, p=0.05).unsafe == 0  # 5 is more than a twentieth of 85
    assert data.risk.dominance("x", n=1, share=0.8499, p=0.05).dominated == 1
    con.execute("CREATE TABLE tie AS SELECT 1 AS f, unnest([100, 20, 10]) AS x")
    assert Microdata(con, "tie", keys=["f"]).risk.dominance("x", n=1, share=0.9, p=0.1).estimable == 0
    assert Microdata(con, "tie", keys=["f"]).risk.dominance("x", n=1, share=0.9, p=0.1001).estimable == 1


def test_a_record_that_stands_for_several_contributes_as_many_times(con):
    """Two records, 100 and 10, for 4 and 7 units: the three greatest of 470 are 100 each."""
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 100, 4), (1, 10, 7)) t(f, x, w)")
    (cell,) = Microdata(con, "k", keys=["f"], weight="w").risk.dominance_cells("x", n=3).fetchall()
    assert cell[1:5] == (2, 470.0, pytest.approx(300 / 470), pytest.approx(2.7))


def test_by_brute_force(con):
    sdc_sql.load(con)
    draw, wrong = random.Random(3), []  # noqa: S311
    for _ in range(8):
        rows = [
            (
                draw.choice([1, 2, 3, None]),
                draw.choice("ab"),
                draw.choice([None, 0, 0, 1, 5, 20, 100]),
                draw.choice([1, 1, 2, 5]),
            )
            for _ in range(draw.randint(5, 40))
        ]
        con.execute("""CREATE OR REPLACE TABLE k (f INTEGER, "Se""lect" VARCHAR, "x'" DOUBLE, w INTEGER)""")
        con.executemany("INSERT INTO k VALUES (?, ?, ?, ?)", rows)
        n, share, p = draw.randint(1, 3), draw.choice([0.5, 0.75, 0.9]), draw.choice([0.125, 0.25, 0.5])
        cells = {}
        for f, s, x, w in rows:
            if x is not None:
                cells.setdefault((f, s), []).append((x, w))
        expected = {cell: judge(units, n, share, p) for cell, units in cells.items()}
        call = f"""('k', ['F', 'se"lect'], 'x''', {n}, {share}, {p}, 'w')"""
        found = con.execute(f'SELECT f, "Se""lect", dominated, estimable FROM sdc_dominance_cells{call}').fetchall()
        if {(f, s): tuple(judged) for f, s, *judged in found} != expected:
            wrong.append(rows)
        unsafe = [cell for cell, judged in expected.items() if any(judged)]
        counted = (
            len(cells), *(sum(judged[i] for judged in expected.values()) for i in (0, 1)),
            len(unsafe), sum(len(cells[cell]) for cell in unsafe),
        )  # fmt: skip
        (row,) = con.execute(f"FROM sdc_dominance{call}").fetchall()
        wrong += [] if row[1:6] == counted else [row]
    assert wrong == []


def test_refused(firms):
    data = Microdata(firms, "firms", keys=["activity"])
    for given, error, said in (
        ({"value": "activity"}, ColumnError, "activity"), ({"value": "turnove"}, ColumnError, "turnove"),
        ({"value": "turnover", "n": 0}, ParameterError, "n is 0"),
        ({"value": "turnover", "share": 1}, ParameterError, "share"),
        ({"value": "turnover", "p": 0}, ParameterError, "p is 0"),
    ):  # fmt: skip
        with pytest.raises(error, match=said):
            data.risk.dominance(**given)
    firms.execute("UPDATE firms SET turnover = -1 WHERE turnover = 25")
    with pytest.raises(ColumnError, match="below 0"):
        data.risk.dominance("turnover")
    firms.execute("CREATE TABLE none AS FROM firms LIMIT 0")
    for name in ("sdc_dominance", "sdc_dominance_cells"):
        with pytest.raises(Exception, match="The table none has no rows"):
            firms.execute(f"FROM {name}('none', ['activity'], 'turnover')").fetchall()
    firms.execute("UPDATE firms SET turnover = NULL")
    with pytest.raises(TableError, match="no total"):
        data.risk.dominance("turnover")


def test_every_figure_of_the_cells_by_hand(firms):
    """Of food 1,000, of wood 105, of the one mine 70; of a total of 0 there are no shares, of NULL no total."""
    firms.execute("INSERT INTO firms VALUES ('peat', 0), ('peat', 0), ('ice', NULL), (NULL, 4), (NULL, 3), (NULL, 2)")
    call = "FROM sdc_dominance_cells('firms', ['activity'], 'turnover'{}) ORDER BY activity NULLS LAST"
    assert firms.execute(call.format("")).fetchall() == [
        ("food", 4, 1000, pytest.approx(0.96), pytest.approx(40 / 900), True, True),
        ("mines", 1, 70, 1, 0, True, True),
        ("peat", 2, 0, 0, None, False, False),
        ("wood", 3, 105, pytest.approx(75 / 105), pytest.approx(30 / 40), False, False),
        (None, 3, 9, pytest.approx(7 / 9), pytest.approx(2 / 4), False, False),
    ]
    assert firms.execute("FROM sdc_dominance('firms', ['activity'], 'turnover')").fetchall() == [(13, 5, 2, 2, 2, 5)]
    # each rule alone: of three units all is the share of three; half of 4 is not less than 1/2 of it
    given = ", n := 3, share := 0.99, p := 0.5"
    judged = [row[5:] for row in firms.execute(call.format(given)).fetchall()]
    assert judged == [(False, True), (True, True), (False, False), (True, False), (True, False)]
    found = firms.execute(f"FROM sdc_dominance('firms', ['activity'], 'turnover'{given})").fetchall()
    assert found == [(13, 5, 3, 2, 4, 11)]


def test_a_record_that_stands_for_less_than_two_and_more_than_one(con):
    """Contributions 8 (times 1.5), 4 (times 1.5) and 1 (times 4): the two greatest units give 12 + 0.5 * 4 of 22."""
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 8, 1.5), (1, 4, 1.5), (1, 1, 4), (1, NULL, 9)) t(f, x, w)")
    call = "FROM sdc_dominance_cells('k', ['f'], 'x', n := {}, weight := 'w')"
    for n, top in ((1, 8), (2, 14), (3, 18), (4, 19), (7, 22), (100, 22)):
        (cell,) = con.execute(call.format(n)).fetchall()
        assert cell[1:5] == (3, 22, pytest.approx(top / 22), pytest.approx((22 - 14) / 8))
