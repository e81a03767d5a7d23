"""PRAM without a matrix: retention, Nayak's guaranteed design, and the proof that goes with it."""

from __future__ import annotations

import itertools
import math

import duckdb
import pytest

import sdc_sql
from sdc_sql.db.catalogue.load import execute


@pytest.fixture
def keyed(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    return con


def cells(con, frequencies, copies=1, name="t"):
    """Write copies of a table with a cell for each frequency; ids are unique, so that copies are repetitions."""
    rows = ", ".join(f"({i}, {t})" for i, t in enumerate(frequencies))
    con.execute(f"""CREATE OR REPLACE TABLE {name} AS
        SELECT row_number() OVER (ORDER BY c, x, i) AS id, c AS copy, x, 'kept' AS other
        FROM (VALUES {rows}) AS v(x, n), range(n) r(i), range({copies}) s(c)""")


def flows(con, released, column="x", table="t"):
    found = con.execute(
        f"SELECT o.{column}, r.{column}, count(*) FROM {table} AS o JOIN {released} AS r USING (id) GROUP BY ALL"
    ).fetchall()
    return {(a, b): n for a, b, n in found}


def assert_flows(observed, expected):
    """Assert chi-square of {(from, to): expected count} at most df + 5 sqrt(2 df); nothing else occurs."""
    assert set(observed) <= set(expected)
    chi_square = sum((observed.get(k, 0) - e) ** 2 / e for k, e in expected.items())
    df = len(expected) - len({a for a, _ in expected})
    assert chi_square <= df + 5 * math.sqrt(2 * df)


def solved(xi):
    """Return the root theta in (0, 2/3] of (1 - theta) / (1 - theta + theta^2) = xi, by bisection."""
    low, high = 0.0, 2 / 3
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if (1 - middle) / (1 - middle + middle**2) > xi else (low, middle)
    return (low + high) / 2


# -- retention: p_ii = retention, p_ji = (1 - retention) / (k - 1)


def test_retention_stays_or_moves_to_any_other_alike(keyed):
    frequencies = [20_000, 10_000, 5_000, 15_000]
    cells(keyed, frequencies)
    keyed.execute("INSERT INTO t SELECT 1_000_000 + i, 0, NULL, 'kept' FROM range(500) r(i)")
    found = flows(keyed, "sdc_pram_retention('t', ['x'], 0.7, 'id')")
    assert found.pop((None, None)) == 500  # NULL stays, and nobody moves to it
    assert_flows(found, {(i, j): t * (0.7 if i == j else 0.1) for i, t in enumerate(frequencies) for j in range(4)})
    # 1: nobody moves, 0: all do
    assert all(a == b for a, b in flows(keyed, "sdc_pram_retention('t', ['x'], 1, 'id')"))
    assert all(a != b or a is None for a, b in flows(keyed, "sdc_pram_retention('t', ['x'], 0, 'id')"))


def test_retention_by_stratum_keeps_to_the_categories_of_the_stratum(keyed):
    # two categories in stratum 0, three in 1, two in NULL, which is a stratum like any other
    keyed.execute("""CREATE TABLE t AS SELECT i AS id, [0, 1, NULL][1 + i % 3] AS region,
        CASE i % 3 WHEN 0 THEN i // 3 % 2 WHEN 1 THEN 10 + i // 3 % 3 ELSE 20 + i // 3 % 2 END AS x
        FROM range(36_000) r(i)""")
    found = flows(keyed, "sdc_pram_retention('t', ['x'], 0.6, 'id', stratum := 'region')")
    groups = [[0, 1], [10, 11, 12], [20, 21]]
    expected = {(a, b): 12_000 / len(g) * (0.6 if a == b else 0.4 / (len(g) - 1)) for g in groups for a in g for b in g}
    assert_flows(found, expected)
    step = sdc_sql.Microdata(keyed, "t", id="id").mask.pram_retention("x", 0.6, stratum="region", into="released")
    assert flows(keyed, "released") == found
    assert step.changed == sum(n for (a, b), n in found.items() if a != b)


def test_retention_of_a_crossing_moves_between_combinations_that_occur(keyed):
    keyed.execute("""CREATE TABLE t AS SELECT i AS id, ['a', 'a', 'b', NULL, 'b'][1 + i % 5] AS x,
                     ['u', 'v', 'u', 'u', NULL][1 + i % 5] AS y FROM range(20_000) r(i)""")
    found = flows(keyed, "(SELECT id, (x, y) AS x FROM sdc_pram_retention('t', ['x', 'y'], 0.5, 'id'))", "x",
                  "(SELECT id, (x, y) AS x FROM t)")  # fmt: skip
    assert found.pop(((None, "u"), (None, "u"))) == 4000
    assert found.pop((("b", None), ("b", None))) == 4000
    full = [("a", "u"), ("a", "v"), ("b", "u")]
    assert_flows(found, {(a, b): 4000 * (0.5 if a == b else 0.25) for a in full for b in full})


def test_a_retention_that_is_none_is_refused(keyed):
    cells(keyed, [3, 4])
    data = sdc_sql.Microdata(keyed, "t", id="id")
    for retention in (-0.1, 1.1, float("nan")):
        with pytest.raises(sdc_sql.ParameterError, match=r"retention is|must be finite"):
            data.mask.pram_retention("x", retention)
    with pytest.raises(duckdb.Error, match="retention is nan"):
        keyed.execute("FROM sdc_pram_retention('t', ['x'], 'nan'::DOUBLE, 'id')").fetchall()
    with pytest.raises(duckdb.Error, match="retention is NULL"):
        keyed.execute("FROM sdc_pram_retention('t', ['x'], NULL, 'id')").fetchall()
    with pytest.raises(sdc_sql.ParameterError, match="one cell only"):
        data.mask.pram_retention("other", 0.5)
    with pytest.raises(sdc_sql.ParameterError, match=r'Groups of one cell.* 2 groups of "x"'):
        data.mask.pram_retention("other", 0.5, stratum="x")
    assert keyed.execute("SELECT count(*) FROM t WHERE other <> 'kept'").fetchall() == [(0,)]


# -- theta: Nayak, Result 1 and the text after it


def test_theta_has_the_papers_values(keyed):
    for theta, printed in [(0.40, 0.789), (0.25, 0.923), (2 / 3, 3 / 7)]:
        xi = (1 - theta) / (1 - theta + theta * theta)
        assert xi == pytest.approx(printed, abs=5e-4)
        ((found,),) = keyed.execute("SELECT sdc_pram_theta(?::DOUBLE)", [xi]).fetchall()
        assert found == pytest.approx(theta, rel=1e-12)
    for xi in (0.43, 0.5, 0.75, 0.8, 0.9, 0.999):
        ((found,),) = keyed.execute(f"SELECT sdc_pram_theta({xi})").fetchall()
        assert found == pytest.approx(solved(xi), rel=1e-10)


@pytest.mark.slow
def test_xi_out_of_range_is_refused(keyed):
    cells(keyed, [1, 2, 3])
    data = sdc_sql.Microdata(keyed, "t", id="id", keys=["x"])
    for xi in (0.42, 0, 1, 1.5, -1, float("nan")):
        with pytest.raises(sdc_sql.ParameterError, match=r"3/7|must be (a )?finite"):
            data.mask.pram_guaranteed(xi)
        with pytest.raises(sdc_sql.ParameterError, match=r"3/7|must be (a )?finite"), sdc_sql.errors.translate_errors():
            data.mask.pram_proof(xi).fetchall()
    for xi in ("NULL", "'nan'::DOUBLE"):
        with pytest.raises(duckdb.Error, match="3/7"):
            keyed.execute(f"SELECT sdc_pram_theta({xi})").fetchall()


# -- the guaranteed design: p_ii = 1 - theta / T_i, p_ji = theta / ((k - 1) T_i)


def test_frequencies_are_kept_and_theta_leave_each_cell(keyed):
    frequencies, copies, xi = [1, 2, 5, 12], 3000, 0.75
    theta = solved(xi)
    cells(keyed, frequencies, copies)
    call = f"sdc_pram_guaranteed('t', ['copy', 'x'], {xi}, 'id', within := ['copy'])"
    found = flows(keyed, call)
    expected = {
        (i, j): copies * (t - theta if i == j else theta / 3) for i, t in enumerate(frequencies) for j in range(4)
    }
    assert_flows(found, expected)
    for i, t in enumerate(frequencies):
        left = sum(n for (a, b), n in found.items() if a == i != b)
        assert abs(left / copies - theta) <= 5 * math.sqrt(theta * (1 - theta / t) / copies)
        # invariant: E(S_i) = T_i (Nayak, section 4)
        released = sum(n for (_, b), n in found.items() if b == i)
        arrivals = sum(theta / 3 * (1 - theta / 3 / u) for j, u in enumerate(frequencies) if j != i)
        assert abs(released / copies - t) <= 5 * math.sqrt((theta * (1 - theta / t) + arrivals) / copies)
    moved = keyed.execute(f"SELECT count(*) FROM {call} AS r JOIN t USING (id) WHERE r.copy <> t.copy").fetchall()
    assert moved == [(0,)]


@pytest.mark.slow
def test_over_streams_too(keyed):
    frequencies, streams = [1, 3, 8], 60
    theta = solved(0.6)
    cells(keyed, frequencies)
    released, left = [0, 0, 0], [0, 0, 0]
    for s in range(streams):
        for (a, b), n in flows(keyed, f"sdc_pram_guaranteed('t', ['x'], 0.6, 'id', stream := 's{s}')").items():
            released[b] += n
            left[a] += n * (a != b)
    for i, t in enumerate(frequencies):
        assert abs(left[i] / streams - theta) <= 5 * math.sqrt(theta * (1 - theta / t) / streams)
        assert abs(released[i] / streams - t) <= 5 * math.sqrt(2 * theta / streams)


@pytest.mark.slow
def test_within_a_key_keeps_its_counts(keyed):
    keyed.execute("""CREATE TABLE t AS SELECT i AS id, i % 7 AS age, ['f', 'm', NULL][1 + i % 3] AS sex, i % 11 // 3
                     AS region FROM range(5000) r(i)""")
    data = sdc_sql.Microdata(keyed, "t", id="id", keys=["age", "sex", "region"])
    step = data.mask.pram_guaranteed(0.75, within=["sex"], into="released")
    ((changed, moved),) = (
        keyed.execute("""SELECT count(*) FILTER ((r.age, r.region) IS DISTINCT FROM (t.age, t.region)),
        count(*) FILTER (r.sex IS DISTINCT FROM t.sex) FROM t JOIN released AS r USING (id)""").fetchall()
    )
    assert moved == 0  # sex is as it was, so that its counts are (Nayak, section 5)
    assert step.changed == changed > 0
    assert step.columns == ("age", "sex", "region")
    by_sql = (
        "FROM sdc_pram_guaranteed('t', ['age', 'sex', 'region'], 0.75, 'id', within := ['sex']) EXCEPT FROM released"
    )
    assert keyed.execute(by_sql).fetchall() == []
    data.mask.pram_guaranteed(0.75, within=["sex"])
    assert keyed.execute("FROM t EXCEPT FROM released").fetchall() == []


def test_within_a_column_that_is_constant_in_each_cell(keyed):
    # towns move inside their province; the province, no key, stays true of them
    keyed.execute("CREATE TABLE t AS SELECT i AS id, i % 12 AS town, i % 12 % 3 AS province FROM range(120) r(i)")
    keyed.execute("FROM sdc_pram_guaranteed('t', ['town'], 0.5, 'id', within := ['province'])")
    found = keyed.execute("""SELECT count(*) FILTER (r.town % 3 <> r.province), count(*) FILTER (r.town <> t.town)
        FROM sdc_pram_guaranteed('t', ['town'], 0.5, 'id', within := ['province']) AS r
        JOIN t USING (id)""").fetchall()[0]
    assert found[0] == 0
    assert found[1] > 0
    keyed.execute("UPDATE t SET province = 1 WHERE id = 5")
    with pytest.raises(sdc_sql.ParameterError, match="lies in several groups"):
        sdc_sql.Microdata(keyed, "t", id="id", keys=["town"]).mask.pram_guaranteed(0.5, within=["province"])


def test_groups_of_one_cell_are_counted(keyed):
    keyed.execute(
        """CREATE TABLE t AS FROM (VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, 'c', 2), (5, NULL, 3))
           AS v(id, g, x)"""
    )
    data = sdc_sql.Microdata(keyed, "t", id="id", keys=["g", "x"])
    with pytest.raises(sdc_sql.ParameterError, match='3 groups of "g"'):
        data.mask.pram_guaranteed(0.8, within=["g"])
    with pytest.raises(sdc_sql.ParameterError, match='3 groups of "g"'), sdc_sql.errors.translate_errors():
        data.mask.pram_proof(0.8, within=["g"]).fetchall()
    with pytest.raises(sdc_sql.ColumnError, match="nope"):
        data.mask.pram_guaranteed(0.8, within=["nope"])


@pytest.mark.slow
def test_below_one_half_a_group_needs_three_cells(keyed):
    # Nayak, Result 2: 3/7 <= xi < 1/2 needs k >= 3; 1/2 does not
    cells(keyed, [4, 5])
    data = sdc_sql.Microdata(keyed, "t", id="id", keys=["x"])
    with pytest.raises(sdc_sql.ParameterError, match="three cells"):
        data.mask.pram_guaranteed(0.49)
    with pytest.raises(sdc_sql.ParameterError, match="three cells"), sdc_sql.errors.translate_errors():
        data.mask.pram_proof(0.49).fetchall()
    assert data.mask.pram_guaranteed(0.5, into="half").records == 9
    cells(keyed, [4, 5, 1])
    assert data.mask.pram_guaranteed(0.43, into="less").records == 10


def test_null_is_a_category_of_a_key(keyed):
    keyed.execute("CREATE TABLE t AS SELECT i AS id, [NULL, 1, 2][1 + i % 3] AS x FROM range(30_000) r(i)")
    keyed.execute("CREATE TABLE copies AS SELECT id, id // 3 AS copy, x FROM t")
    found = flows(keyed, "sdc_pram_guaranteed('copies', ['copy', 'x'], 0.75, 'id', within := ['copy'])", table="copies")
    theta = solved(0.75)
    values = [None, 1, 2]
    assert_flows(found, {(a, b): 10_000 * (1 - theta if a == b else theta / 2) for a in values for b in values})


@pytest.mark.slow
def test_300_000_cells(keyed):
    # a k x k matrix would have 9e10 entries
    keyed.execute(
        """CREATE TABLE big AS SELECT i AS id, (i // 1000)::INTEGER AS x, (i % 1000)::SMALLINT AS y
           FROM range(300_000) r(i)"""
    )
    ((records, moved, places),) = (
        keyed.execute("""SELECT count(*), count(*) FILTER ((r.x, r.y) <> (b.x, b.y)), count(DISTINCT r.x * 1000 + r.y)
        FROM sdc_pram_guaranteed('big', ['x', 'y'], 0.8, 'id') AS r JOIN big AS b USING (id)""").fetchall()
    )
    theta = solved(0.8)
    assert records == 300_000
    assert abs(moved - theta * records) <= 5 * math.sqrt(theta * (1 - theta) * records)
    # stayers and arrivals by cell: Poisson(theta) arrive, so that theta exp(-theta) of the cells are empty
    empty = records * theta * math.exp(-theta)
    assert abs(records - places - empty) <= 5 * math.sqrt(empty)
    ((rows, highest),) = keyed.execute(
        "SELECT count(*), max(correct_match) FROM sdc_pram_proof('big', ['x', 'y'], 0.8, 'id', most := 1)"
    ).fetchall()
    assert rows == 300_000
    assert highest <= 0.8


@pytest.mark.slow
def test_the_same_for_any_threads_and_order(keyed):
    n = 150_000
    keyed.execute(f"CREATE TABLE t AS SELECT i AS id, (i * i % 1009)::INTEGER AS x, i % 2 AS s FROM range({n}) r(i)")
    keyed.execute("CREATE TABLE reversed AS FROM t ORDER BY id DESC")
    for call in (
        "sdc_pram_guaranteed('{}', ['x'], 0.75, 'id')",
        "sdc_pram_retention('{}', ['x'], 0.6, 'id', stratum := 's')",
    ):
        seen = set()
        for threads, table in [(1, "t"), (2, "t"), (8, "reversed")]:
            keyed.execute(f"SET threads = {threads}")
            seen.add(
                keyed.execute(f"SELECT count(*), sum(hash(id, x)::HUGEINT) FROM {call.format(table)}").fetchall()[0]
            )
        assert len(seen) == 1
        assert next(iter(seen))[0] == n


@pytest.mark.slow
def test_what_cannot_be_masked_is_refused_and_nothing_changes(keyed, monkeypatch):
    monkeypatch.delenv("SDC_KEY", raising=False)
    cells(keyed, [2, 3])
    data = sdc_sql.Microdata(keyed, "t", id="id", keys=["x"])
    keyed.execute("CREATE TABLE before AS FROM t")
    with pytest.raises(sdc_sql.ColumnError, match='"id" is the id'):
        data.mask.pram_guaranteed(0.8, keys=["x", "id"])
    keyed.execute("INSERT INTO t VALUES (1, 0, 1, 'kept')")
    for call in (lambda: data.mask.pram_guaranteed(0.8), lambda: data.mask.pram_retention("x", 0.8)):
        with pytest.raises(sdc_sql.InputError, match="is the same on 2 records"):
            call()
    keyed.execute("DELETE FROM t")
    for call in (lambda: data.mask.pram_guaranteed(0.8), lambda: data.mask.pram_retention("x", 0.8)):
        with pytest.raises(sdc_sql.TableError, match="has no rows"):
            call()
    keyed.execute("INSERT INTO t FROM before LIMIT 1")  # one record has nowhere to go
    for call in (lambda: data.mask.pram_guaranteed(0.8), lambda: data.mask.pram_retention("x", 0.8)):
        with pytest.raises(sdc_sql.ParameterError, match="one cell only"):
            call()
    keyed.execute("INSERT INTO t FROM before OFFSET 1")
    keyed.execute("RESET VARIABLE sdc_key")
    for call in (lambda: data.mask.pram_guaranteed(0.8), lambda: data.mask.pram_retention("x", 0.8)):
        with pytest.raises(sdc_sql.ParameterError, match="No secret key"):
            call()
    assert keyed.execute("FROM t EXCEPT FROM before").fetchall() == []


@pytest.mark.slow
def test_odd_names(keyed):
    keyed.execute("""CREATE TABLE k AS SELECT i AS "Select", i % 3 AS f, ['a', 'b'][1 + i % 2] AS "we""ird", i % 2
                     AS "sdc x"
                     FROM range(60) r(i)""")
    data = sdc_sql.Microdata(keyed, "k", id="Select", keys=["F", 'we"ird'])
    step = data.mask.pram_guaranteed(0.5, within=['WE"ird'], into="released")
    assert step.columns == ("f", 'we"ird')
    assert data.mask.pram_proof(0.5, within=["sdc x"], most=1).columns[:2] == ["f", 'we"ird']
    assert keyed.execute(
        'SELECT count(*) FROM k JOIN released r USING ("Select") WHERE r."we""ird" <> k."we""ird"'
    ).fetchall() == [(0,)]
    assert data.mask.pram_retention('we"ird', 0.0, stratum="f").changed == 60
    with pytest.raises(sdc_sql.ParameterError, match='2 groups of "we"ird"'):
        data.mask.pram_guaranteed(0.5, keys=['we"ird'], within=['we"ird'])


# -- the proof: P(CM | S = a, T)


def enumerated(frequencies, theta, target, most):
    """Return P(CM | S = a) of a record of cell `target` over every way to release the records, as of (8)."""
    k = len(frequencies)
    records = [c for c, t in enumerate(frequencies) for _ in range(t)]
    at = records.index(target)
    matched, seen = [0.0] * (most + 1), [0.0] * (most + 1)
    for released in itertools.product(range(k), repeat=len(records)):
        a = released.count(target)
        if not 1 <= a <= most:
            continue
        p = 1.0
        for c, d in zip(records, released, strict=True):
            p *= 1 - theta / frequencies[c] if c == d else theta / ((k - 1) * frequencies[c])
        seen[a] += p
        matched[a] += p / a * (released[at] == target)
    return [m / s if s else None for m, s in zip(matched[1:], seen[1:], strict=True)]


@pytest.mark.one_in(4)
@pytest.mark.whole
@pytest.mark.parametrize(("frequencies", "xi"), [([1, 1], 0.8), ([1, 2, 3], 0.75), ([2, 1, 1, 2], 0.45), ([3, 3], 0.5)])
def test_the_proof_is_what_enumeration_gives(keyed, frequencies, xi):
    cells(keyed, frequencies)
    keyed.execute("UPDATE t SET x = NULL WHERE x = 0")  # a NULL key is a cell
    theta, most = solved(xi), 7
    data = sdc_sql.Microdata(keyed, "t", id="id", keys=["x", "other"])
    proof = data.mask.pram_proof(xi, most=most)
    assert proof.columns == [
        "x", "other", "frequency", "cells", "theta", "probability_to_stay", "bound", "maximum", "released_frequency",
        "correct_match",
    ]  # fmt: skip
    rows = proof.fetchall()
    assert len(rows) == most * len(frequencies)
    for i, t in enumerate(frequencies):
        expected = enumerated(frequencies, theta, i, most)
        here = sorted((r for r in rows if r[0] == (i or None)), key=lambda r: r[8])
        assert [r[8] for r in here] == list(range(1, most + 1))
        for r, e in zip(here, expected, strict=True):
            assert r[1:4] == ("kept", t, len(frequencies))
            assert r[4] == pytest.approx(theta, rel=1e-10)
            assert r[5] == pytest.approx(1 - theta / t, rel=1e-10)
            assert r[6] == pytest.approx((t - theta) / (t * (t - theta) + theta**2), rel=1e-10)  # (10)
            assert r[7] == pytest.approx(max(e for e in expected if e is not None), rel=1e-10)
            assert e is None or r[9] == pytest.approx(e, rel=1e-10)
        assert here[0][9] <= here[0][6] + 1e-12  # (10) bounds the exact value at a = 1
        assert here[0][7] <= xi + 1e-12  # Result 2


def test_no_probability_where_no_release_has_so_many(keyed):
    # header of pram_cells.sql: 0 where no release has a records there; two records cannot be three
    cells(keyed, [1, 1])
    found = keyed.execute(
        "SELECT released_frequency, correct_match = 0 FROM sdc_pram_proof('t', ['x'], 0.8, 'id', most := 4)"
    ).fetchall()
    assert sorted(set(found)) == [(1, False), (2, False), (3, True), (4, True)]


@pytest.mark.slow
def test_no_match_is_right_with_more_than_xi(keyed):
    keyed.execute(
        """CREATE TABLE t AS SELECT i AS id, floor(sqrt(i))::INTEGER % 40 AS x, i % 3 AS y, i % 2 AS s
           FROM range(900) r(i)"""
    )
    for xi in (0.43, 0.5, 0.75, 0.9):
        for within in ("NULL", "['s']"):
            rows = keyed.execute(
                f"""SELECT correct_match, released_frequency, bound, maximum
                    FROM sdc_pram_proof('t', ['x', 'y', 's'], {xi}, 'id', within := {within}, most := 6)"""
            ).fetchall()
            assert max(r[3] for r in rows) <= xi + 1e-12
            assert all(r[0] <= 1 / r[1] + 1e-12 for r in rows if r[0] is not None)
            assert all(r[0] <= r[2] + 1e-12 for r in rows if r[1] == 1)


def test_groups_are_proved_on_their_own(keyed):
    # a group's records never leave it, so that its proof is that of a table of its own
    keyed.execute("""CREATE TABLE t AS SELECT i AS id, CASE WHEN i < 10 THEN 0 ELSE 1 END AS g,
                     CASE WHEN i < 10 THEN i % 2 ELSE i % 5 END AS x FROM range(40) r(i)""")
    both = keyed.execute("FROM sdc_pram_proof('t', ['g', 'x'], 0.8, 'id', within := ['g']) ORDER BY ALL").fetchall()
    alone = []
    for g in (0, 1):
        keyed.execute(f"CREATE OR REPLACE TABLE one AS FROM t WHERE g = {g}")
        alone += keyed.execute("FROM sdc_pram_proof('one', ['g', 'x'], 0.8, 'id') ORDER BY ALL").fetchall()
    assert len(both) == len(alone) == 7 * 5
    for a, b in zip(both, alone, strict=True):
        assert a == pytest.approx(b, rel=1e-12)


@pytest.mark.slow
def test_the_proof_is_what_an_intruder_meets(keyed):
    # 4,000 releases of one table. The intruder picks one of the a records of the target's cell: the share of right
    # picks among the releases with S = a is (is the target there?) / a on average, and P(CM | S = a, T) in (8)
    frequencies, copies = [1, 1, 2, 3], 4000
    cells(keyed, frequencies, copies)
    cells(keyed, frequencies, name="once")
    for xi in (0.5, 0.8):
        proof = {
            (x, a): p
            for x, a, p in keyed.execute(
                f"SELECT x, released_frequency, correct_match FROM sdc_pram_proof('once', ['x'], {xi}, 'id', most := 4)"
            ).fetchall()
        }
        found = keyed.execute(f"""
            WITH released AS (FROM sdc_pram_guaranteed('t', ['copy', 'x'], {xi}, 'id', within := ['copy'])),
            sizes AS (SELECT copy, x, count(*) AS a FROM released GROUP BY ALL),
            targets AS (SELECT copy, x, min(id) AS id FROM t GROUP BY ALL)
            SELECT o.x, s.a, count(*), count(*) FILTER (r.x = o.x)
            FROM targets AS o JOIN sizes AS s ON s.copy = o.copy AND s.x = o.x JOIN released AS r ON r.id = o.id
            WHERE s.a <= 4 GROUP BY ALL""").fetchall()
        compared = 0
        for x, a, n, there in found:
            if n >= 100:
                stays = a * proof[x, a]
                assert abs(there / n - stays) <= 5 * math.sqrt(stays * (1 - stays) / n) + 1e-9
                assert there / n / a <= xi + 5 * math.sqrt(0.25 / n) / a
                compared += 1
        assert compared >= 10


# -- declared categories, and batches of a series


def test_the_matrix_of_declared_categories_by_hand(con):
    call = "FROM sdc__pram_declared_matrix({}, {}) ORDER BY ALL"
    found = execute(con, call.format("['b', 'a', 'c', 'd']", 0.4)).fetchall()
    assert found == [(a, b, 0.4 if a == b else pytest.approx(0.2)) for a in "abcd" for b in "abcd"]
    for retention in (0, 1):
        found = execute(con, call.format("['a', 'b']", retention)).fetchall()
        assert all(p == (retention if a == b else 1 - retention) for a, b, p in found)
    for retention, told in ((1.01, "1.01"), (-0.01, "-0.01"), ("NULL", "NULL")):
        with pytest.raises(duckdb.Error, match=f"The retention is {told}"):
            execute(con, call.format("['a', 'b']", retention)).fetchall()
    checked = "SELECT sdc__checked_categories({}, ['x'{}], {})"
    for categories in ("['a']", "['a', 'b', 'a']", "['a', 'b', NULL]"):
        with pytest.raises(duckdb.Error, match="categories must be two or more, each of them once"):
            execute(con, checked.format(categories, "", "NULL")).fetchall()
    for more, stratum in ((", 'y'", "NULL"), ("", "'s'")):
        with pytest.raises(duckdb.Error, match="categories are those of one column, without a stratum"):
            execute(con, checked.format("['a', 'b']", more, stratum)).fetchall()
    assert execute(con, checked.format("['a', 'b']", "", "NULL")).fetchall() == [(["a", "b"],)]


def test_a_batch_is_drawn_among_those_with_the_same_new_columns_and_the_same_released_others(keyed):
    """Groups by what changed, what was released of the rest, and the columns within; cells by the new values."""
    rows = [(1, "u", "p", 7, "11", None, None), (2, "u", "q", 7, "11", None, None), (3, "v", "p", 7, "11", None, None),
            (4, "u", "p", 8, "11", None, None), (5, "u", "p", 7, "10", None, "p"), (6, "v", "q", 7, "10", None, "p"),
            (7, "v", "q", 7, "10", None, "q"), (8, "u", "p", 7, "01", "u", None), (9, None, "p", 7, "11", None, None),
            (10, "v", "r", 7, "10", None, "p")]  # fmt: skip
    keyed.execute("CREATE TABLE t (id INTEGER, f VARCHAR, g VARCHAR, w INTEGER)")
    keyed.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", [row[:4] for row in rows])
    keyed.execute("CREATE TABLE given_ (sdc_id INTEGER, sdc_place INTEGER, sdc_changed VARCHAR, sdc_kept VARCHAR[])")
    keyed.executemany(
        "INSERT INTO given_ VALUES (?, ?, ?, ?)", [(i, 50 - i, c, [f, g]) for i, _, _, _, c, f, g in rows]
    )
    execute(keyed, "CREATE TABLE batch AS FROM sdc__pram_batch('t', 'id', 'given_', ['f', 'g'], ['w'])")
    found = {row[0]: row[1:] for row in keyed.execute("FROM batch").fetchall()}
    assert {i: row[:2] for i, row in found.items()} == {row[0]: (50 - row[0], row[4]) for row in rows}
    groups = {row[0]: (row[3], *row[4:]) for row in rows}
    cells = {row[0]: tuple(v for v, c in zip(row[1:3], row[4], strict=True) if c == "1") for row in rows}
    for i, j in itertools.combinations(found, 2):
        assert (found[i][2] == found[j][2]) == (groups[i] == groups[j]), (i, j)
        if groups[i] == groups[j]:
            assert (found[i][3] == found[j][3]) == (cells[i] == cells[j]), (i, j)
    # of those with a new f and a released p, within w = 7: one of u and two of v
    keyed.execute("CREATE TABLE part AS FROM batch WHERE sdc_id IN (5, 6, 10)")
    drawn = set()
    for stream in range(4):
        call = f"sdc__pram_batch_drawn('t', 'id', 'part', ['f'], 0.6, '{stream}', '')"
        new = dict(execute(keyed, f"SELECT sdc__id, f FROM {call}").fetchall())
        assert new.keys() == {5, 6, 10}
        drawn |= {*new.items()}
    assert drawn <= {(i, v) for i in (5, 6, 10) for v in "uv"}
    assert len(drawn) > 3  # and some moved
