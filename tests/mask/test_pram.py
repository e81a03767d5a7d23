"""PRAM by a matrix: transition counts against the probabilities, NULL, strata, crossings, refusals, odd names."""

from __future__ import annotations

import math

import duckdb
import numpy as np
import pytest

import sdc_sql

N = 50_000
GENDER = {("f", "f"): 0.9, ("f", "m"): 0.1, ("m", "f"): 0.1, ("m", "m"): 0.9}
# Six categories: one that is always left (0), one that never is (5), and many changes barred
SIX = np.array(
    [
        [0.0, 0.5, 0.0, 0.25, 0.0, 0.25],
        [0.1, 0.8, 0.1, 0.0, 0.0, 0.0],
        [0.0, 0.2, 0.6, 0.2, 0.0, 0.0],
        [0.05, 0.0, 0.15, 0.7, 0.1, 0.0],
        [0.3, 0.0, 0.0, 0.0, 0.7, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    ]
)


@pytest.fixture
def keyed(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    return con


def literal(value: object) -> str:
    return "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def matrix(con, probabilities, name="matrix"):
    """Write {(from, to): p} as a table that sdc_pram takes."""
    rows = ", ".join(f"({literal(a)}, {literal(b)}, {p})" for (a, b), p in probabilities.items())
    con.execute(f'CREATE OR REPLACE TABLE {name} AS FROM (VALUES {rows}) AS v("from", "to", probability)')


def gender(con, n=N):
    con.execute(
        f"""CREATE OR REPLACE TABLE t AS SELECT i AS id, CASE WHEN i % 200 < 110 THEN 'm' ELSE 'f' END AS sex
            FROM range({n}) r(i)"""
    )
    matrix(con, GENDER)


def moved(con, call, column, table="t", by=""):
    """Count records by what they were and what they became."""
    first = f"o.{by}, " if by else ""
    rows = con.execute(
        f"SELECT {first}o.{column}, r.{column}, count(*) FROM {table} AS o JOIN {call} AS r USING (id) GROUP BY ALL"
    ).fetchall()
    return {row[:-1]: row[-1] for row in rows}


def assert_as_expected(observed, probabilities, before):
    """Assert counts against `before[k] p_kl`: probability 0 never occurs, chi-square <= df + 5 sqrt(2 df)."""
    chi_square, df = 0.0, 0
    for (a, b), p in probabilities.items():
        n, expected = observed.get((a, b), 0), before[a] * p
        if p == 0:
            assert n == 0, (a, b)
        else:
            chi_square += (n - expected) ** 2 / expected
            df += 1
    df -= len({a for (a, _), p in probabilities.items() if p > 0})
    assert sum(observed.values()) == sum(before.values())
    assert chi_square <= df + 5 * math.sqrt(2 * df) if df else chi_square == 0


def totals(observed):
    before = {}
    for (a, _), n in observed.items():
        before[a] = before.get(a, 0) + n
    return before


def six():
    return {(i, j): SIX[i, j] for i in range(6) for j in range(6)}


# -- transition counts: P(X = l | xi = k) = p_kl, handbook 3.4.6.1


def test_two_categories_move_with_their_probabilities(keyed):
    gender(keyed)
    found = moved(keyed, "sdc_pram('t', 'sex', 'matrix', 'id')", "sex")
    assert_as_expected(found, GENDER, {"m": 27_500, "f": 22_500})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["INTEGER", "UTINYINT", "VARCHAR", "ENUM ('0', '1', '2', '3', '4', '5')", "DOUBLE"])
def test_six_categories_of_any_type_and_zeros_never_occur(keyed, kind):
    keyed.execute(f"CREATE TABLE t AS SELECT i AS id, (i % 6)::VARCHAR::{kind} AS x FROM range({N}) r(i)")
    matrix(keyed, {(str(a), str(b)): p for (a, b), p in six().items()})
    found = moved(keyed, "sdc_pram('t', 'x', 'matrix', 'id')", "x")
    found = {(int(float(a)), int(float(b))): n for (a, b), n in found.items()}
    before = keyed.execute(
        "SELECT x::DOUBLE::INTEGER, count(*) FROM (SELECT x::VARCHAR AS x FROM t) GROUP BY 1"
    ).fetchall()
    assert_as_expected(found, six(), dict(before))
    described = keyed.execute("DESCRIBE FROM sdc_pram('t', 'x', 'matrix', 'id')").fetchall()
    assert described == keyed.execute("DESCRIBE t").fetchall()


@pytest.mark.slow
def test_an_array_with_labels_is_the_same_as_a_table(keyed):
    keyed.execute(f"CREATE TABLE t AS SELECT i AS id, (i % 6)::INTEGER AS x, 'k' AS kept FROM range({N}) r(i)")
    matrix(keyed, six())
    step = sdc_sql.Microdata(keyed, "t", id="id").mask.pram("x", SIX, labels=list(range(6)), into="released")
    assert (
        keyed.execute(
            "SELECT id, x FROM released EXCEPT SELECT id, x FROM sdc_pram('t', 'x', 'matrix', 'id')"
        ).fetchall()
        == []
    )
    found = moved(keyed, "released", "x")
    assert_as_expected(found, six(), totals(found))
    assert step.records == N
    assert step.changed == sum(n for (a, b), n in found.items() if a != b)


def test_changes_not_listed_never_occur(keyed):
    gender(keyed)
    matrix(keyed, {("f", "f"): 1.0, ("m", "x"): 0.25, ("m", "m"): 0.75})
    found = moved(keyed, "sdc_pram('t', 'sex', 'matrix', 'id')", "sex")
    assert set(found) == {("f", "f"), ("m", "m"), ("m", "x")}
    assert found["f", "f"] == 22_500
    assert abs(found["m", "x"] - 27_500 / 4) <= 5 * math.sqrt(27_500 * 3 / 16)


def test_a_sum_within_rounding_of_one_is_taken(keyed):
    # 1 within 1e-9; the last category takes what rounding left, nobody is lost
    keyed.execute("CREATE TABLE t AS SELECT i AS id, i % 3 AS x FROM range(3000) r(i)")
    third = 0.3333333333
    matrix(keyed, {(i, j): third for i in range(3) for j in range(3)})
    found = moved(keyed, "sdc_pram('t', 'x', 'matrix', 'id')", "x")
    assert_as_expected(found, {(i, j): 1 / 3 for i in range(3) for j in range(3)}, dict.fromkeys(range(3), 1000))


def test_the_handbooks_gender_example(keyed):
    # 3.4.6.1: of 110 males and 90 females 108 and 92 in expectation; 9 males were female, 11 females male.
    # A draw hangs on the id, so that copies of the file with other ids are repetitions
    copies = 1000
    gender(keyed, 200 * copies)
    found = moved(keyed, "sdc_pram('t', 'sex', 'matrix', 'id')", "sex")
    males = found["m", "m"] + found["f", "m"]
    for count, expected, variance in [
        (males, 108, 18), (200 * copies - males, 92, 18), (found["f", "m"], 9, 8.1), (found["m", "f"], 11, 9.9),
    ]:  # fmt: skip
        assert abs(count / copies - expected) <= 5 * math.sqrt(variance / copies)


@pytest.mark.slow
def test_other_streams_are_other_draws(keyed):
    # the same 200 records over some streams: means as in the handbook, and no record hangs on its draw in another
    streams = 12
    gender(keyed, 200)
    keyed.execute("CREATE TABLE seen (stream INTEGER, id BIGINT, sex VARCHAR)")
    for s in range(streams):
        keyed.execute(
            f"INSERT INTO seen SELECT {s}, id, sex FROM sdc_pram('t', 'sex', 'matrix', 'id', stream := 's{s}')"
        )
    males, mf, fm = keyed.execute("""
        SELECT count(*) FILTER (seen.sex = 'm'), count(*) FILTER (t.sex = 'm' AND seen.sex = 'f'),
               count(*) FILTER (t.sex = 'f' AND seen.sex = 'm') FROM seen JOIN t USING (id)""").fetchall()[0]
    for count, expected, variance in [(males, 108, 18), (mf, 11, 9.9), (fm, 9, 8.1)]:
        assert abs(count / streams - expected) <= 5 * math.sqrt(variance / streams)
    # moves of a record over streams: binomial(12, 0.1); the variance over 200 records, with a s.e.
    ((spread,),) = keyed.execute(
        """SELECT var_samp(n) FROM (SELECT count(*) FILTER (seen.sex <> t.sex) AS n
                                    FROM seen JOIN t USING (id) GROUP BY id)"""
    ).fetchall()
    wanted = streams * 0.1 * 0.9
    assert abs(spread / wanted - 1) <= 5 * math.sqrt(2 / 199 + 1 / (200 * wanted))


def test_two_variables_have_draws_of_their_own(keyed):
    # stream and variable name the draw: moves of a and of b are independent, chi-square with 1 df
    keyed.execute(f"CREATE TABLE t AS SELECT i AS id, 'f' AS a, 'f' AS b FROM range({N}) r(i)")
    matrix(keyed, GENDER)
    both = keyed.execute("""
        SELECT count(*) FILTER (x.a = 'm'), count(*) FILTER (y.b = 'm'), count(*) FILTER (x.a = 'm' AND y.b = 'm')
        FROM sdc_pram('t', 'a', 'matrix', 'id') AS x
        JOIN sdc_pram('t', 'b', 'matrix', 'id') AS y USING (id)""").fetchall()[0]
    a, b, ab = both
    assert abs(ab - a * b / N) <= 5 * math.sqrt(N * 0.1 * 0.1 * 0.9 * 0.9)


# -- strata, crossings, NULL


@pytest.mark.slow
def test_each_stratum_has_its_own_probabilities(keyed):
    keyed.execute(f"""CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
                      [1, 2, NULL][1 + i % 3] AS region FROM range({N}) r(i)""")
    strata = {1: 0.95, 2: 0.6, None: 0.3}
    rows = ", ".join(
        f"({literal(s)}, '{a}', '{b}', {p if a == b else 1 - p})" for s, p in strata.items() for a in "fm" for b in "fm"
    )
    keyed.execute(f'CREATE TABLE matrix AS FROM (VALUES {rows}) AS v(region, "from", "to", probability)')
    found = moved(keyed, "sdc_pram('t', 'sex', 'matrix', 'id', stratum := 'region')", "sex", by="region")
    for s, p in strata.items():
        here = {key[1:]: n for key, n in found.items() if key[0] == s}
        assert_as_expected(here, {(a, b): p if a == b else 1 - p for a in "fm" for b in "fm"}, totals(here))
    data = sdc_sql.Microdata(keyed, "t", id="id")
    data.mask.pram("sex", "matrix", stratum="region", into="released")
    assert moved(keyed, "released", "sex", by="region") == found
    keyed.execute("DELETE FROM matrix WHERE region = 2")
    with pytest.raises(sdc_sql.InputError, match="A category of a stratum is not in the PRAM matrix"):
        data.mask.pram("sex", "matrix", stratum="region")


CROSSED = [("f", "none"), ("f", "ovarian"), ("m", "none")]
NO_ILLOGICAL = np.array([[0.7, 0.1, 0.2], [0.3, 0.7, 0.0], [0.2, 0.05, 0.75]])


def crossed(con):
    # the handbook's gender and disease: nobody becomes (m, ovarian)
    con.execute(f"""CREATE TABLE t AS SELECT id, x.sex AS sex, x.disease AS disease FROM (SELECT i AS id,
        [{{'sex': 'f', 'disease': 'none'}}, {{'sex': 'f', 'disease': 'ovarian'}}, {{'sex': 'm', 'disease': 'none'}}]
        [1 + i % 3] AS x
        FROM range({N}) r(i))""")


@pytest.mark.slow
def test_a_crossing_bars_illogical_changes(keyed):
    crossed(keyed)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    data.mask.pram(["sex", "disease"], NO_ILLOGICAL, labels=CROSSED, into="released")
    found = moved(
        keyed, "(SELECT id, (sex, disease) AS x FROM released)", "x", "(SELECT id, (sex, disease) AS x FROM t)"
    )
    expected = {(a, b): NO_ILLOGICAL[i, j] for i, a in enumerate(CROSSED) for j, b in enumerate(CROSSED)}
    assert_as_expected(found, expected, totals(found))
    rows = ", ".join(
        f"({{'sex': '{a[0]}', 'disease': '{a[1]}'}}, {{'sex': '{b[0]}', 'disease': '{b[1]}'}}, {p})"
        for (a, b), p in expected.items()
    )
    keyed.execute(f'CREATE TABLE matrix AS FROM (VALUES {rows}) AS v("from", "to", probability)')
    same = (
        "SELECT id, sex, disease FROM sdc_pram_crossing('t', ['sex', 'disease'], 'matrix', 'id') EXCEPT FROM released"
    )
    assert keyed.execute(same).fetchall() == []


def test_a_crossing_with_null_in_part_of_it_must_be_listed(keyed):
    keyed.execute("CREATE TABLE t AS FROM (VALUES (1, 'f', NULL), (2, NULL, NULL), (3, 'm', 'x')) AS v(id, a, b)")
    data = sdc_sql.Microdata(keyed, "t", id="id")
    with pytest.raises(sdc_sql.InputError, match="is not in the PRAM matrix"):
        data.mask.pram(["a", "b"], [[1.0]], labels=[("m", "x")], into="released")
    data.mask.pram(["a", "b"], [[0.0, 1.0], [1.0, 0.0]], labels=[("m", "x"), ("f", None)], into="released")
    assert keyed.execute("FROM released ORDER BY id").fetchall() == [(1, "m", "x"), (2, None, None), (3, "f", None)]


def test_null_as_a_category_and_as_a_destination(keyed):
    keyed.execute(f"CREATE TABLE t AS SELECT i AS id, ['f', 'm', NULL][1 + i % 3] AS sex FROM range({N}) r(i)")
    probabilities = {
        ("f", "f"): 0.7, ("f", None): 0.3, ("f", "m"): 0.0, ("m", "f"): 0.2, ("m", "m"): 0.8, (None, None): 0.5,
        (None, "f"): 0.1, (None, "m"): 0.4,
    }  # fmt: skip
    matrix(keyed, probabilities)
    found = moved(keyed, "sdc_pram('t', 'sex', 'matrix', 'id')", "sex")
    assert_as_expected(found, probabilities, totals(found))


def test_null_that_is_not_listed_stays(keyed):
    keyed.execute("CREATE TABLE t AS SELECT i AS id, ['f', 'm', NULL][1 + i % 3] AS sex FROM range(3000) r(i)")
    matrix(keyed, {("f", "m"): 1.0, ("m", "f"): 1.0})
    found = moved(keyed, "sdc_pram('t', 'sex', 'matrix', 'id')", "sex")
    assert found == {("f", "m"): 1000, ("m", "f"): 1000, (None, None): 1000}


# -- in place and in a copy


@pytest.mark.slow
def test_in_place_and_into_do_the_same_and_write_it_down(keyed):
    gender(keyed, 2000)
    keyed.execute("ALTER TABLE t ADD COLUMN other DOUBLE DEFAULT 1.5")
    keyed.execute("CREATE TABLE before AS FROM t")
    expected = keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id') ORDER BY id").fetchall()
    data = sdc_sql.Microdata(keyed, "t", id="id")
    copied = data.mask.pram("sex", "matrix", into="released")
    assert keyed.execute("FROM released ORDER BY id").fetchall() == expected
    assert keyed.execute("FROM t EXCEPT FROM before").fetchall() == []
    changed = data.mask.pram("SEX", "matrix")
    assert keyed.execute("FROM t ORDER BY id").fetchall() == expected
    (differ,) = keyed.execute("SELECT count(*) FROM t JOIN before AS b USING (id) WHERE t.sex <> b.sex").fetchall()
    assert (copied.changed, changed.changed) == (differ[0], differ[0])
    assert changed.columns == ("sex",)
    log = keyed.execute(
        "SELECT target, method, columns, parameters, records, changed FROM sdc_steps ORDER BY step"
    ).fetchall()
    assert [row[0] for row in log] == ["released", "t"]
    assert log[1][1:3] == ("pram", ["sex"])
    assert log[1][4:] == (2000, differ[0])
    assert "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U" not in str(log)


@pytest.mark.slow
def test_the_same_for_any_threads_and_order(keyed):
    n = 150_000
    keyed.execute(f"CREATE TABLE t AS SELECT i AS id, (i % 6)::INTEGER AS x FROM range({n}) r(i)")
    keyed.execute("CREATE TABLE reversed AS FROM t ORDER BY id DESC")
    matrix(keyed, six())
    seen = set()
    for threads, table in [(1, "t"), (2, "t"), (8, "t"), (8, "reversed"), (1, "reversed")]:
        keyed.execute(f"SET threads = {threads}")
        call = f"sdc_pram('{table}', 'x', 'matrix', 'id')"
        seen.add(keyed.execute(f"SELECT count(*), sum(hash(id, x)::HUGEINT) FROM {call}").fetchall()[0])
    assert len(seen) == 1
    assert next(iter(seen))[0] == n


def test_the_order_of_the_matrix_does_not_matter(keyed):
    gender(keyed, 5000)
    first = keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id') ORDER BY id").fetchall()
    matrix(keyed, dict(reversed(GENDER.items())))
    assert keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id') ORDER BY id").fetchall() == first


# -- refusals

GOOD = "('f', 'f', 0.9), ('f', 'm', 0.1), ('m', 'm', 1.0)"


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("('f', 'f', 0.9), ('f', 'm', 0.2), ('m', 'm', 1.0)", r"row of the PRAM matrix sums to 1\.1"),
        ("('f', 'f', 0.9), ('m', 'm', 1.0)", r"row of the PRAM matrix sums to 0\.9"),
        (GOOD + ", ('x', 'x', 0.5)", r"row of the PRAM matrix sums to 0\.5"),  # of a category that no record has
        ("('f', 'f', 0.9), ('f', 'm', 0.1)", "A category is not in the PRAM matrix"),
        ("('f', 'f', 1.1), ('f', 'm', -0.1), ('m', 'm', 1.0)", r"PRAM probability is (1\.1|-0\.1)"),
        ("('f', 'f', 1.0), ('f', 'm', NULL), ('m', 'm', 1.0)", "PRAM probability is NULL"),
        ("('f', 'f', 1.0), ('f', 'm', 'nan'::DOUBLE), ('m', 'm', 1.0)", "PRAM probability is nan"),
        ("('f', 'f', 'inf'::DOUBLE), ('m', 'm', 1.0)", "PRAM probability is inf"),
        (
            "('f', 'f', 0.9), ('f', 'm', 0.05), ('f', 'm', 0.05), ('m', 'm', 1.0)",
            r"lists a change \(a from and a to\) twice",
        ),
        ("('f', 'f', 0.9), ('f', 'f', 0.1), ('m', 'm', 1.0)", r"lists a change \(a from and a to\) twice"),
    ],
)
def test_a_matrix_that_is_none_is_refused_and_nothing_changes(keyed, rows, message):
    gender(keyed, 200)
    keyed.execute("CREATE TABLE before AS FROM t")
    keyed.execute(f'CREATE OR REPLACE TABLE matrix AS FROM (VALUES {rows}) AS v("from", "to", probability)')
    with pytest.raises(duckdb.Error, match=message):
        keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id')").fetchall()
    data = sdc_sql.Microdata(keyed, "t", id="id")
    for into in (None, "released"):
        with pytest.raises(sdc_sql.InputError, match=message):
            data.mask.pram("sex", "matrix", into=into)
    assert keyed.execute("FROM t EXCEPT FROM before").fetchall() == []
    names = {row[0] for row in keyed.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert not names & {"released", "sdc_steps"}


@pytest.mark.parametrize("lacking", ["from", "to", "probability"])
def test_a_matrix_without_one_of_its_columns_is_refused(keyed, lacking):
    gender(keyed, 200)
    keyed.execute(f'ALTER TABLE matrix DROP COLUMN "{lacking}"')
    with pytest.raises(sdc_sql.ColumnError, match=lacking):
        sdc_sql.Microdata(keyed, "t", id="id").mask.pram("sex", "matrix")


def test_a_matrix_that_is_not_there_or_empty_is_refused(keyed):
    gender(keyed, 200)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    with pytest.raises(sdc_sql.TableError, match="nowhere"):
        data.mask.pram("sex", "nowhere")
    keyed.execute("DELETE FROM matrix")
    with pytest.raises(sdc_sql.TableError, match="has no rows"):
        data.mask.pram("sex", "matrix")


def test_a_matrix_without_the_stratum_is_refused(keyed):
    gender(keyed, 200)
    keyed.execute("ALTER TABLE t ADD COLUMN region INTEGER DEFAULT 1")
    with pytest.raises(sdc_sql.ColumnError, match="region"):
        sdc_sql.Microdata(keyed, "t", id="id").mask.pram("sex", "matrix", stratum="region")


@pytest.mark.parametrize(
    ("given", "labels"), [([[1.0]], ["f", "m"]), ([[0.9, 0.1], [0.1, 0.9]], None), ([0.9, 0.1], ["f", "m"])]
)
def test_an_array_needs_a_label_a_row(keyed, given, labels):
    gender(keyed, 200)
    with pytest.raises(sdc_sql.ParameterError, match="label"):
        sdc_sql.Microdata(keyed, "t", id="id").mask.pram("sex", given, labels=labels)


def test_a_category_that_is_none_of_the_columns_type_is_refused(keyed):
    keyed.execute("CREATE TABLE t AS SELECT i AS id, (i % 2)::INTEGER AS x FROM range(10) r(i)")
    matrix(keyed, {("0", "one"): 1.0, ("1", "1"): 1.0})
    with pytest.raises(
        sdc_sql.InputError, match=r"A category of the PRAM matrix cannot be converted to STRUCT\(.*INTEGER"
    ):
        sdc_sql.Microdata(keyed, "t", id="id").mask.pram("x", "matrix")


def test_no_key_no_draws(con, monkeypatch):
    monkeypatch.delenv("SDC_KEY", raising=False)
    con.execute("RESET VARIABLE sdc_key")  # a key of the environment came with the macros
    gender(con, 200)
    with pytest.raises(duckdb.Error, match="No secret key"):
        con.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id')").fetchall()
    with pytest.raises(sdc_sql.InputError, match="No secret key"):
        sdc_sql.Microdata(con, "t", id="id").mask.pram("sex", "matrix")


@pytest.mark.parametrize(("number", "message"), [("7", "is the same on 2 records"), ("NULL", "(is|record is) NULL")])
def test_every_record_needs_an_id_of_its_own(keyed, number, message):
    gender(keyed, 200)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    keyed.execute(f"INSERT INTO t VALUES ({number}, 'f')")
    before = keyed.execute("FROM t ORDER BY ALL").fetchall()
    with pytest.raises(duckdb.Error, match=message):
        keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id')").fetchall()
    with pytest.raises(sdc_sql.InputError, match=message):
        data.mask.pram("sex", "matrix")
    assert keyed.execute("FROM t ORDER BY ALL").fetchall() == before


def test_the_id_and_unknown_columns_are_refused(keyed):
    gender(keyed, 200)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    with pytest.raises(sdc_sql.ColumnError, match='"id" is the id'):
        data.mask.pram("id", "matrix")
    with pytest.raises(sdc_sql.ColumnError, match="nope"):
        data.mask.pram("nope", "matrix")
    with pytest.raises(sdc_sql.ColumnError, match="empty"):
        data.mask.pram([], np.eye(1), labels=["f"])


# -- odd names, few records


@pytest.mark.slow
def test_odd_names(keyed):
    expected = [(i, "mf"[i % 2], i) for i in range(100)]
    matrix(keyed, {("f", "m"): 1.0, ("m", "f"): 1.0}, "m")
    for column in ("f", "Select", 'we"ird', "from", "stream", "u", "it's", "größe", "sex, x"):
        quoted = '"' + column.replace('"', '""') + '"'
        keyed.execute(f"""CREATE OR REPLACE TABLE k AS SELECT i AS "I d", ['f', 'm'][1 + i % 2] AS {quoted}, i AS p
                          FROM range(100) r(i)""")
        name = column.replace("'", "''")
        assert keyed.execute(f"FROM sdc_pram('k', '{name}', 'm', 'I d') ORDER BY p").fetchall() == expected
        step = sdc_sql.Microdata(keyed, "k", id="I d").mask.pram(column, "m")
        assert keyed.execute("FROM k ORDER BY p").fetchall() == expected
        assert (step.changed, step.columns) == (100, (column,))


@pytest.mark.slow
def test_odd_names_of_strata_and_crossings(keyed):
    keyed.execute(
        """CREATE TABLE k AS FROM (VALUES (1, 'a', 'x', 1), (2, 'b', 'y', 2)) AS v("Select", f, "we""ird", "group")"""
    )
    data = sdc_sql.Microdata(keyed, "k", id="Select")
    data.mask.pram(["f", 'we"ird'], [[0, 1], [1, 0]], labels=[("a", "x"), ("b", "y")], into="swapped")
    assert keyed.execute("FROM swapped ORDER BY 1").fetchall() == [(1, "b", "y", 1), (2, "a", "x", 2)]
    keyed.execute(
        """CREATE TABLE "a matrix" AS FROM (VALUES (1, 'a', 'c', 1.0), (2, 'b', 'd', 1.0))
           AS v("group", "from", "to", probability)"""
    )
    data.mask.pram("f", '"a matrix"', stratum="group")
    assert keyed.execute("SELECT f FROM k ORDER BY ALL").fetchall() == [("c",), ("d",)]


def test_one_record_and_none(keyed):
    gender(keyed, 1)
    matrix(keyed, {("m", "f"): 1.0})
    assert keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id')").fetchall() == [(0, "f")]
    keyed.execute("DELETE FROM t")
    with pytest.raises(duckdb.Error, match="has no rows"):
        keyed.execute("FROM sdc_pram('t', 'sex', 'matrix', 'id')").fetchall()


# -- sdc_category


@pytest.mark.parametrize("probabilities", [[0.9, 0.1], [0.0, 0.25, 0.0, 0.5, 0.25, 0.0], [1.0], [0.1] * 10])
def test_a_drawn_category_has_its_probability(keyed, probabilities):
    names = list("abcdefghij")[: len(probabilities)]
    rows = keyed.execute(
        f"""SELECT c, count(*) FROM (SELECT sdc_category('colour', i, $names::VARCHAR[], $p::DOUBLE[]) AS c
            FROM range({N}) r(i)) GROUP BY 1""",
        {"names": names, "p": probabilities},
    ).fetchall()
    assert_as_expected(
        {("", c): n for c, n in rows}, {("", c): p for c, p in zip(names, probabilities, strict=True)}, {"": N}
    )


def test_a_drawn_category_is_that_of_the_uniform_draw(keyed):
    # header of draws.sql: categories[i] where u lies in [p_1 + .. + p_(i-1), p_1 + .. + p_i)
    ((differ,),) = keyed.execute("""SELECT count(*) FROM range(5000) r(i)
        WHERE sdc_category('s', i, [1, NULL, 3], [0.25, 0.5, 0.25])
        IS DISTINCT FROM CASE WHEN sdc_uniform('s', i) < 0.25 THEN 1
        WHEN sdc_uniform('s', i) >= 0.75 THEN 3 END""").fetchall()
    assert differ == 0


@pytest.mark.parametrize(
    "arguments",
    [
        "['x', 'y'], [0.5, 0.4]", "['x', 'y'], [0.5, NULL]", "['x', 'y'], [1.5, -0.5]", "['x'], [0.5, 0.5]",
        "['x', 'y'], ['nan'::DOUBLE, 1]", "NULL, [1]", "['x'], NULL", "[], []",
    ],
)  # fmt: skip
def test_what_is_no_distribution_is_refused(keyed, arguments):
    with pytest.raises(duckdb.Error, match="must be one for each, none negative, and sum to 1"):
        keyed.execute(f"SELECT sdc_category('s', 1, {arguments})").fetchall()
