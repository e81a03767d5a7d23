"""The design of noise: deviations rounded up, the grid, and who waits for a change that others would show."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdc_sql.db.catalogue.load import execute


def grid(deviation):
    """Return a millionth of a deviation, about: a power of two."""
    return 2.0 ** (round(math.log2(deviation)) - 20)


def test_deviations_are_rounded_up_to_three_digits_in_each_stratum(con):
    """0.3 of 1.291, 17.32, 2, 3, 1.414 and 5.657: what has three digits stays; without values there is none."""
    con.execute("""CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM (VALUES
        ('a', 1, 10), ('a', 2, 10), ('a', 3, 40), ('a', 4, NULL), ('b', 0, 1), ('b', 2, 4), ('b', 4, 7),
        (NULL, 5, 0), (NULL, 7, 8), ('d', 3, NULL), ('d', 3, NULL)) AS v(s, y, x)""")
    call = "sdc__noise_design('t', ['y', 'X'], 0.09, 'id', 'uncorrelated', 's')"
    columns = "sdc__stratum, sdc__names, sdc__means, sdc__sds, sdc__root, sdc__steps"
    found = execute(con, f"SELECT {columns} FROM {call} ORDER BY sdc__stratum NULLS LAST").fetchall()
    deviations = [[0.388, 5.2], [0.6, 0.9], [0, 0], [0.425, 1.7]]
    assert [row[0] for row in found] == ["a", "b", "d", None]
    assert [[name.lower() for name in row[1]] for row in found] == [["y", "x"]] * 4
    assert [row[2] for row in found] == [[2.5, 20], [2, 4], [3, None], [6, 4]]
    assert [row[3] for row in found] == deviations
    assert {row[4] for row in found} == {None}
    assert [row[5] for row in found] == [[grid(s) if s else 0 for s in own] for own in deviations]
    execute(con, f"CREATE TABLE design AS FROM {call}")
    ((applied,),) = execute(con, "SELECT applied FROM sdc__noise_applied('design')").fetchall()
    assert [(row["stratum"], row["standard_deviations"], row["coefficients"]) for row in applied] == [
        (stratum, own, None) for (stratum, *_), own in zip(found, deviations, strict=True)
    ]
    con.execute("DELETE FROM t WHERE id = 8")
    with pytest.raises(Exception, match="has 1 value: a single one would stay"):
        execute(con, f"FROM {call}").fetchall()


def test_correlated_noise_has_the_covariances_and_a_change_that_others_show_waits(con):
    """Of z given x and y there is left the root of 1 less the multiple correlation: in stratum a half, in b nothing."""
    rng = np.random.default_rng(3)
    x, y, e = rng.normal(size=(3, 120))
    rows = [(i, "ab"[i % 2], float(x[i]), float(y[i]), float(x[i] - y[i] + e[i] * (2.4 if i % 2 == 0 else 0.05)))
            for i in range(120)]  # fmt: skip
    con.execute("CREATE TABLE t (id INTEGER, s VARCHAR, x DOUBLE, y DOUBLE, z DOUBLE)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", rows)
    call = "sdc__noise_design('t', ['z', 'x', 'y'], 0.25, 'id', 'correlated', 's')"
    execute(con, f"CREATE TABLE design AS FROM {call}")
    designed = execute(
        con, "SELECT sdc__stratum, sdc__names, sdc__means, sdc__root, sdc__steps FROM design ORDER BY ALL"
    )
    for stratum, names, means, root, steps in designed.fetchall():
        own = np.array([row[2:] for row in rows if row[1] == stratum])
        assert names == ["x", "y", "z"]
        np.testing.assert_allclose(means, own.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(np.array(root) @ np.transpose(root), np.cov(own.T) / 4, rtol=0.03, atol=0.02)
        assert steps == [grid(s / 2) for s in own.std(axis=0, ddof=1)]
    con.execute("INSERT INTO t VALUES (1000, 'c', 1, 1, 1), (1001, 'a', NULL, 1, 1)")
    batch = "sdc__noise_batch('t', {}, {}, 'id', 's', 'design')"
    query = "SELECT s, bool_and(waits), bool_or(waits) FROM {} JOIN t ON id = sdc__id GROUP BY ALL ORDER BY s"
    assert execute(con, query.format(batch.format("['z']", "['x', 'y']"))).fetchall() == [
        ("a", False, False), ("b", True, True), ("c", True, True),
    ]  # fmt: skip
    assert execute(con, query.format(batch.format("['z', 'x']", "['y']"))).fetchall() == [
        ("a", False, False), ("b", False, False), ("c", True, True),
    ]  # fmt: skip
