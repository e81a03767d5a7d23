"""Numbers that are sums of others: planted relations found with their coefficients, nothing where there is none."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sdc_sql.udfs.linear_relation import linear_relation

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, TableError


def planted(con, wrong=0, hide=20):
    """A total of parts (many of them 0, some missing), an age and a year; a few records are miscoded."""
    draw = random.Random(3)  # noqa: S311 - a table for a test
    rows = []
    for i in range(800):
        a, b = draw.randrange(5000), draw.choice([0, 0, 0, draw.randrange(400)])
        c = None if draw.random() < 0.1 else draw.randrange(900) / 4
        total = a + b - 0.5 * (c or 0) + (1000 if i in range(100, 100 + wrong) else 0)
        age = draw.randrange(90)
        rows.append((i, a, b, c, total, age, 2010 - age, draw.randrange(10**6) / 7))
    con.execute(
        'CREATE TABLE f (id INTEGER, "Se\'lect" DOUBLE, b INTEGER, c DOUBLE, k DOUBLE, age INTEGER, born INTEGER, '
        "z DOUBLE)"
    )
    con.executemany("INSERT INTO f VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    con.execute(
        f"CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id % {hide} > 0 THEN k END AS k, age // 10 * 10 AS age) FROM f"
    )
    return rows


@pytest.mark.slow
def test_a_total_and_a_year(con):
    rows = planted(con)
    found = {one.variable: one for one in Microdata(con, "k", id="id").linkage.linear_relations("f")}
    total, age = found["k"], found["age"]
    assert dict(zip(total.givers, total.coefficients, strict=True)) == pytest.approx({"Se'lect": 1, "b": 1, "c": -0.5})
    hidden = [row for row in rows if row[0] % 20 == 0]
    assert (total.suppressed, total.changed, total.contradictions, total.share_right) == (len(hidden), 0, 0, 1)
    assert total.given_back == sum(row[3] is not None for row in hidden)
    assert (age.givers, age.coefficients, age.constant, age.share_right) == (["born"], [-1], 2010, 1)
    assert age.given_back == age.changed == sum(row[5] % 10 > 0 for row in rows)
    assert [found[name].given_back for name in ("Se'lect", "b", "c", "born", "z")] == [0] * 5
    # of the columns that are named alone
    assert [one.given_back for one in Microdata(con, "k", id="id").linkage.linear_relations("f", ["k", "b", "z"])] == [
        0
    ] * 3


def test_one_coding_error_hides_no_sum(con):
    con.execute(
        "CREATE TABLE f AS SELECT i AS id, i * 7 % 31 AS a, i * 5 % 23 AS b, "
        "a + b + CASE i WHEN 5 THEN 50 ELSE 0 END AS t FROM range(3000) t(i)"
    )
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id % 9 > 3 THEN t END AS t) FROM f")
    *_, found = Microdata(con, "k", id="id").linkage.linear_relations("f")
    assert (found.givers, found.coefficients, found.share_right) == (["a", "b"], [1, 1], 1)
    con.execute(
        "UPDATE f SET t = t + id % 2; UPDATE k SET t = t + id % 2 WHERE t IS NOT NULL"
    )  # in every second record: no relation
    assert [one.given_back for one in Microdata(con, "k", id="id").linkage.linear_relations("f")] == [0] * 3


def test_what_is_none():
    """Constants, columns of few records, as many columns as records, noise: nothing."""
    draw = np.random.default_rng(1)
    x = draw.normal(size=(60, 4))
    nothing = [
        (x[:, 0], x, 4, 0), (np.full(60, 3.0), np.column_stack([np.full(60, 3.0), x]), 5, 0),
        (x[:10].sum(axis=1), np.column_stack([x[:10].sum(axis=1), x[:10]]), 5, 0),
    ]  # fmt: skip
    assert [len(linear_relation(t, m.ravel(), p, j)) for t, m, p, j in nothing] == [0] * 3
    total = x @ [2.0, 0, 0, -1] + 4
    found = linear_relation(total, np.column_stack([total, x]).ravel(), 5, 0)
    assert found[2:] == pytest.approx([4, 0, 2, 0, 0, -1])


def test_refused(con):
    con.execute("CREATE TABLE f AS FROM (VALUES (1, 2.0, 'x'), (2, 3.0, 'y')) t(id, a, b)")
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE id WHEN 1 THEN a END AS a) FROM f")
    con.execute("CREATE TABLE strange AS SELECT * REPLACE (id + 5 AS id) FROM k")
    con.execute("CREATE TABLE texts AS SELECT id, b FROM f")
    data = Microdata(con, "k", id="id")
    assert [one.given_back for one in data.linkage.linear_relations("f")] == [0]
    for call, error, words in (
        (lambda: Microdata(con, "k").linkage.linear_relations("f"), ParameterError, "id"),
        (
            lambda: Microdata(con, "strange", id="id").linkage.linear_relations("f"),
            TableError,
            "no record of the original",
        ),
        (lambda: Microdata(con, "texts", id="id").linkage.linear_relations("f"), ColumnError, "number in both"),
        (lambda: data.linkage.linear_relations("f", ["nowhere"]), ColumnError, "nowhere"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_every_figure_of_a_hidden_sum_by_hand(con):
    """t = a + 2 b + 7 is hidden of six of forty records, of one of which b is too; of those known 9 is the commonest.

    The support is the 34 records that know t and both parts, less the 4 whose t is the commonest, less 2 coefficients.
    """
    con.execute("""
        CREATE TABLE f AS SELECT range AS id, CASE WHEN range % 10 = 3 THEN 2 ELSE 3 * range % 29 END AS a,
                                 CASE WHEN range % 10 = 3 THEN 0 ELSE range * range % 31 END AS b, a + 2 * b + 7 AS t
                          FROM range(40);
        CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id IN (1, 2, 4, 5, 6, 8) THEN NULL ELSE t END AS t,
                                            CASE WHEN id = 8 THEN NULL ELSE b END AS b) FROM f""")
    rows = con.execute("SELECT id, a, b, t FROM f").fetchall()
    known = [row for row in rows if row[0] not in {1, 2, 4, 5, 6, 8}]
    often = max((t for *_, t in known), key=[t for *_, t in known].count)
    support = sum(t != often for *_, t in known) - 2
    assert (often, support) == (9, 28)
    found = con.execute("FROM sdc_linear_relations('f', 'k', 'id', ['a', 'b', 't'])").fetchall()
    near = pytest.approx
    assert found[2] == ("t", 6, 0, ["a", "b"], near([1, 2]), near(7), 5, 1, 28, 0)
    assert found[0][:3] == ("a", 0, 0)
    assert found[1][:3] == ("b", 1, 0)


@pytest.mark.parametrize("order", ["ASC", "DESC"])
def test_the_order_of_the_records_decides_nothing(con, order):
    """The records that contradict stand beside each other, first or last, and have the lowest ids."""
    con.execute(
        "CREATE TABLE f AS SELECT i AS id, i * 7919 % 1009 AS a, i * 31 % 503 AS b, "
        f"a + b + CASE WHEN i < 18 THEN 50 + i ELSE 0 END AS t FROM range(20000) t(i) ORDER BY i {order}"
    )
    con.execute("CREATE TABLE k AS SELECT * REPLACE (CASE WHEN id % 9 > 3 THEN t END AS t) FROM f")
    *_, found = Microdata(con, "k", id="id").linkage.linear_relations("f")
    assert (found.givers, found.contradictions) == (["a", "b"], 10)
