"""Top and bottom coding: the definition by brute force, the types it keeps, and what it refuses."""

from __future__ import annotations

import datetime as dt
import random
from fractions import Fraction
from statistics import median

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute


def coded(table, call):
    """Return the call of the macro; the unit stands before a bar, where it is none of values."""
    unit, _, rest = call.rpartition(" | ")
    named = {"NULL": "NULL", "": "'value'"}.get(unit, f"'{unit}'")
    return f"sdc_top_bottom_code('{table}', 'x', {named}, 'id', {rest})"


def released(con, table, call):
    return dict(con.execute(f"SELECT id, x FROM {coded(table, call)}").fetchall())


def made(con, values, kind="DOUBLE", name="t"):
    con.execute(f"CREATE OR REPLACE TABLE {name} (id INTEGER, x {kind})")
    con.executemany(f"INSERT INTO {name} VALUES (?, ?)", list(enumerate(values)))


def limits(rows, unit, top, bottom):
    """Return the lower and the upper threshold of pairs of a value and its weight, by the definitions of the header."""
    values = sorted({x for x, _ in rows})
    total = sum(w for _, w in rows)
    if unit == "quantile":
        upper = top and min(q for q in values if sum(w for x, w in rows if x <= q) >= Fraction(top) * total)
        lower = bottom and max(q for q in values if sum(w for x, w in rows if x < q) <= Fraction(bottom) * total)
        return lower, upper
    if unit == "count":
        ordered = sorted(x for x, _ in rows)
        return bottom and ordered[bottom - 1], top and ordered[-top]
    return bottom, top


def expected(rows, unit, top, bottom, replacement):
    lower, upper = limits(rows, unit, top, bottom)
    equal = unit == "count"
    sides = [
        (lambda x: upper is not None and (x > upper or (equal and x == upper)), upper),
        (lambda x: lower is not None and (x < lower or (equal and x == lower)), lower),
    ]
    new = [x for x, _ in rows]
    for beyond, threshold in sides:
        coded = [(x, w) for x, w in rows if beyond(x)]
        if replacement == "mean" and coded:
            value = sum(x * w for x, w in coded) / sum(w for _, w in coded)
        elif replacement == "median" and coded:
            half = sum(w for _, w in coded) / 2
            value = (
                min(q for q, _ in coded if sum(w for x, w in coded if x <= q) >= half)
                + max(q for q, _ in coded if sum(w for x, w in coded if x >= q) >= half)
            ) / 2
        else:
            value = threshold
        new = [float(value) if beyond(x) else old for (x, _), old in zip(rows, new, strict=True)]
    return new


@pytest.mark.one_in(10)
@pytest.mark.parametrize("replacement", ["threshold", "mean", "median"])
@pytest.mark.parametrize(
    ("unit", "top", "bottom"),
    [("value", 7, 3), ("quantile", "0.75", "0.3"), ("count", 4, 5), ("value", None, 4), ("quantile", "0.6", None)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_brute_force(con, unit, top, bottom, replacement, weighted):  # noqa: PLR0917 - of parametrize
    draw = random.Random(7)  # noqa: S311 - a test
    for stratum in range(3):  # of many equal values, NULL among them
        rows = [(draw.choice([None, *range(1, 11)]), draw.choice([1, 2, 5])) for _ in range(40 + stratum)]
        con.execute("CREATE TABLE IF NOT EXISTS f (id INTEGER, s INTEGER, x DOUBLE, w DOUBLE)")
        listed = [{"id": 100 * stratum + i, "s": stratum, "x": x, "w": w} for i, (x, w) in enumerate(rows)]
        con.execute(
            "INSERT INTO f SELECT unnest(?::STRUCT(id INTEGER, s INTEGER, x DOUBLE, w DOUBLE)[], recursive := true)",
            [listed],
        )
    rows = con.execute("FROM f").fetchall()
    weight = ", weight := 'w'" if weighted else ""
    call = f"{unit} | replacement := '{replacement}', top := {top or 'NULL'}, bottom := {bottom or 'NULL'}"
    by_stratum = released(con, "f", f"{call}, stratum := 's'{weight}")
    together = released(con, "f", call + weight)
    for found, groups in ((by_stratum, (0, 1, 2)), (together, (None,))):
        for group in groups:
            own = [(i, x, w if weighted else 1) for i, s, x, w in rows if group in (s, None) and x is not None]
            wanted = expected([(Fraction(x), Fraction(w)) for _, x, w in own], unit, top, bottom, replacement)
            assert [found[i] for i, *_ in own] == pytest.approx(list(map(float, wanted)), rel=2**-32)
    assert all(by_stratum[i] is None and together[i] is None for i, _, x, _ in rows if x is None)


def test_sdcmicro_codes_what_lies_above(shared, sdcmicro, con):
    """sdcMicro 5.8.1, topBotCoding(value = 60 and 5), put to the threshold: fixtures/sdcmicro_testdata.json."""
    figures = sdcmicro["topBotCoding"]
    con.execute(f"CREATE TABLE t AS SELECT row_number() OVER () AS id, age AS x FROM '{shared}/data/testdata.parquet'")
    top, bottom = released(con, "t", "top := 60"), released(con, "t", "bottom := 5")
    ((above,),) = con.execute("SELECT count(*) FROM t WHERE x > 60").fetchall()
    assert sum(top.values()) + 2 * above == figures["top"]["sum"]  # there 62 in the place of 60
    assert (sum(bottom.values()), min(bottom.values())) == (figures["bot"]["sum"], figures["bot"]["min"])
    ages = con.execute("SELECT greatest(x, 5) FROM t ORDER BY id").fetchall()
    assert [x for _, x in sorted(bottom.items())] == [x for (x,) in ages]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("kind", "values", "call", "wanted"),
    [
        ("DATE", ["1930-01-02", "1950-05-05", None], "bottom := '1935-01-01'", ["1935-01-01", "1950-05-05", None]),
        ("DATE", ["1930-01-02", "1950-05-05"], "bottom := DATE '1935-01-01'", ["1935-01-01", "1950-05-05"]),
        ("ENUM('low', 'mid', 'high')", ["high", "low", "mid"], "top := 'mid'", ["mid", "low", "mid"]),
        ("ENUM('low', 'mid', 'high')", ["high", "low"], "top := 'low', top_label := 'more'", ["more", "low"]),
        ("ENUM('z', 'b', 'c')", ["z", "z", "b", "c"], "count | top := 2", ["z", "z", "b", "b"]),
        ("DECIMAL(9, 2)", [1.25, 2.5, 9.99], "top := 2.55", ["1.25", "2.50", "2.55"]),
        ("DECIMAL(9, 2)", [1, 1.01, 1.01], "count | bottom := 3, replacement := 'mean'", ["1.01"] * 3),
        ("INTEGER", [1, 5, 6, 8], "top := 4, replacement := 'mean'", ["1", "6", "6", "6"]),  # 19 / 3
        ("INTEGER", [1, 5], "top := 4, top_label := '5+'", ["1", "5+"]),
        ("INTEGER", [1, 9, 5], "top := 8, bottom := 2, bottom_label := '-'", ["-", "8", "5"]),
        ("INTEGER", [-7, -1], "top := -5, bottom := -6", ["-6", "-5"]),
        ("DOUBLE", ["nan", "inf", "-inf", 3], "top := 4, bottom := 2", ["nan", "4.0", "2.0", "3.0"]),
        ("DOUBLE", ["nan", "nan", 1, 2, 3], "count | top := 2", ["nan", "nan", "1.0", "2.0", "2.0"]),
        ("FLOAT", [0.1, 0.2, 0.3], "top := 0.2", ["0.1", "0.2", "0.2"]),
        ("BIGINT", [2**60, 2**60 + 1, 3], f"top := {2**60}", [str(2**60), str(2**60), "3"]),
        ("INTEGER", [4, 4, 4], "quantile | top := 0.9, bottom := 0.1", ["4", "4", "4"]),
        ("INTEGER", [None, None], "quantile | top := 0.9", [None, None]),
        ("INTEGER", [7], "top := 5", ["5"]),
        ("TIME", ["10:00:00", "23:00:00", None], "top := '20:30:00'", ["10:00:00", "20:30:00", None]),
    ],
)  # fmt: skip
def test_types(con, kind, values, call, wanted):
    made(con, values, kind)
    query = f"SELECT x::VARCHAR, typeof(x) FROM (FROM {coded('t', call)}) ORDER BY id"
    found = con.execute(query).fetchall()
    assert [text for text, _ in found] == wanted
    assert {told for _, told in found} == {"VARCHAR" if "label" in call else kind.replace("9, 2", "9,2")}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("kind", "values", "call", "words"),
    [
        ("INTEGER", [1, 2], "top := NULL", "Neither top nor bottom"),
        ("INTEGER", [1, 2], "top := 1, bottom := 2", "bottom threshold lies above the top one"),
        ("INTEGER", [1, 2], "top := 1.5", "no value of a column of type INTEGER"),
        ("INTEGER", [1, 2], "top := 'many'", "no value of a column of type INTEGER"),
        ("INTEGER", [1, 2], "top := 3000000000", "no value of a column of type INTEGER"),
        ("DOUBLE", [1, 2], "top := 'nan'::DOUBLE", "no value of a column of type DOUBLE"),
        ("DOUBLE", [1, 2], "top := 'infinity'", "no value of a column of type DOUBLE"),
        ("DATE", ["2020-01-01"], "top := 60", "no value of a column of type DATE"),
        ("DATE", ["2020-01-01"], "top := '2019-01-01', replacement := 'mean'", "has no numbers"),
        ("ENUM('a', 'b')", ["a"], "top := 'c'", "no value of a column of type ENUM: "),
        ("ENUM('a', 'b')", ["a"], "top := 'a', replacement := 'median'", "has no numbers"),
        ("VARCHAR", ["a"], "top := 'b'", "has type VARCHAR, whose order has no meaning"),
        ("BOOLEAN", [True], "top := false", "has type BOOLEAN, whose order"),
        ("INTEGER", [1, 2], "percent | top := 1", "unit is percent"),
        ("INTEGER", [1, 2], "NULL | top := 1", "unit is NULL"),
        ("INTEGER", [1, 2], "top := 1, replacement := 'mode'", "replacement is mode"),
        ("INTEGER", [1, 2], "top := 1, bottom_label := 'x'", "label is given for a side that is not coded"),
        ("INTEGER", [1, 2], "quantile | top := 1", "top quantile is 1"),
        ("INTEGER", [1, 2], "quantile | bottom := 0", "bottom quantile is 0"),
        ("INTEGER", [1, 2], "quantile | top := 0.2, bottom := 0.3", "bottom is the quantile 0.3 and top 0.2"),
        ("INTEGER", [1, 2], "count | top := 1", "top is 1: it must be a whole number of at least 2"),
        ("INTEGER", [1, 2], "count | top := 2.5", "top is 2.5"),
        ("INTEGER", [1, 2, None], "count | top := 3", "there are fewer values"),
        ("INTEGER", [1, 2, 2, 3], "count | top := 2, bottom := 2", "bottom threshold lies above the top one"),
        ("INTEGER", [1, 8, 9], "top := 5, replacement := 'mean'", "Fewer than 3 values"),
        ("INTEGER", [1, 8, 9], "top := 5, replacement := 'median'", "Fewer than 3 values"),
        ("DOUBLE", [7, 8, "inf"], "top := 5, replacement := 'mean'", "infinite"),
        ("INTEGER", [1, 2], "quantile | top := 1, weight := -1", "sampling weight"),
    ],
)  # fmt: skip
def test_what_cannot_be_coded_is_refused(con, kind, values, call, words):
    made(con, values, kind)
    with pytest.raises(duckdb.Error, match=words):
        released(con, "t", call)


def test_a_mean_keeps_the_total_and_depends_on_no_order(con):
    """Values of sixteen orders of magnitude: sums of DOUBLE differ by the order of the records."""
    con.execute(
        "CREATE TABLE t AS SELECT range AS id, pow(10e0, range * 7 % 17 - 8) * (1 + range % 89) AS x FROM range(5000)"
    )
    con.execute("CREATE TABLE shuffled AS FROM t ORDER BY id * 7919 % 5000")
    call = "quantile | top := 0.9, bottom := 0.1, replacement := 'mean'"
    found = []
    for threads, table in ((1, "t"), (4, "shuffled")):
        con.execute(f"SET threads = {threads}")
        found.append(released(con, table, call))
    assert found[0] == found[1]
    original = dict(con.execute("SELECT id, x FROM t").fetchall())
    assert sum(map(Fraction, found[0].values())) == pytest.approx(sum(map(Fraction, original.values())), rel=2**-32)
    assert median(found[0].values()) == median(original.values())


@pytest.mark.slow
@pytest.mark.parametrize("into", [None, "copy"])
def test_python_in_place_and_in_a_copy(con, into):
    made(con, [1, 5, 6, 8, None], "INTEGER")
    data = sdc_sql.Microdata(con, "t", id="ID")
    step = data.mask.top_bottom_code("X", "value", top=4, replacement="mean", into=into)
    assert (step.changed, step.parameters["coded_top"], step.parameters["coded_bottom"]) == (2, 3, 0)
    assert step.parameters["total_moved"] == -1  # 6 + 6 + 6 in the place of 5 + 6 + 8
    data.mask.top_bottom_code("x", "value", bottom=2, bottom_label="under 2", into="labelled")
    assert con.execute("SELECT x FROM labelled WHERE id = 0").fetchall() == [("under 2",)]
    assert con.execute(f"SELECT x FROM {into or 't'} ORDER BY id").fetchall() == [(1,), (6,), (6,), (6,), (None,)]


def test_python_makes_labels_in_place_and_takes_dates(con):
    con.execute('CREATE TABLE k (id INTEGER, "Se\'lect" INTEGER, born DATE, PRIMARY KEY (id))')
    con.execute("INSERT INTO k VALUES (1, 70, '1950-01-01'), (2, 20, '2000-01-01')")
    data = sdc_sql.Microdata(con, "k", id="id")
    data.mask.top_bottom_code("Se'lect", "value", top=64, top_label="65 and over")
    data.mask.top_bottom_code("born", "value", bottom=dt.date(1960, 1, 1))
    assert con.execute("FROM k ORDER BY id").fetchall() == [
        (1, "65 and over", dt.date(1960, 1, 1)), (2, "20", dt.date(2000, 1, 1)),
    ]  # fmt: skip


def test_python_refuses(con):
    made(con, [1, 2, 3], "INTEGER")
    data = sdc_sql.Microdata(con, "t", id="id")
    with pytest.raises(ParameterError, match="one column, not 2"):
        data.mask.top_bottom_code(["x", "id"], "value", top=1)
    with pytest.raises(ColumnError, match="nowhere"):
        data.mask.top_bottom_code("nowhere", "value", top=1)
    with pytest.raises(ParameterError, match="Neither top nor bottom"):
        data.mask.top_bottom_code("x", "value")
    with pytest.raises(TableError, match="Fewer than 3 values"):
        data.mask.top_bottom_code("x", "value", top=2, replacement="mean")
    assert con.execute("SELECT x FROM t ORDER BY id").fetchall() == [(1,), (2,), (3,)]


@pytest.mark.slow
def test_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("k.duckdb") as con:
        con.execute(
            "CREATE TABLE k AS SELECT range AS id, range * 10 AS f, DATE '2000-01-01' + range::INTEGER AS day "
            "FROM range(9)"
        )
        con.execute("COPY k TO 'k.csv'")
    options = ["--id", "id", "--columns", "f"]
    quantile = [*options, "--unit", "quantile", "--top", "0.5", "--bottom-label", "few", "--bottom", "0.2"]
    assert main(["mask", "top_bottom_code", "k.duckdb", *quantile]) == 0
    assert "coded_top" in capsys.readouterr().out
    dates = ["--id", "id", "--columns", "day", "--unit", "value", "--top", "2000-01-03", "--output", "out.csv"]
    assert main(["mask", "top_bottom_code", "k.csv", *dates]) == 0
    with duckdb.connect("k.duckdb", read_only=True) as con:
        found = [f for (f,) in con.execute("SELECT f FROM k ORDER BY id").fetchall()]
        assert found == ["few", "10", "20", "30", "40", "40", "40", "40", "40"]
        assert con.execute("SELECT max(day) FROM 'out.csv'").fetchall() == [(dt.date(2000, 1, 3),)]
    assert main(["mask", "top_bottom_code", "k.csv", *options, "--unit", "value", "--output", "none.csv"]) == 2
    assert "Neither top nor bottom" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "moved"),
    [
        ("'mean', NULL, NULL, 'w', NULL", 3 - 1),
        ("'mean', 'many', NULL, 'w', NULL", 3),
        ("'mean', NULL, 'few', 'w', NULL", -1),
        ("'mean', NULL, NULL, NULL, NULL", -1),
        ("'threshold', NULL, NULL, 'w', NULL", None),
    ],
)
def test_what_the_log_has_of_coded_values_by_hand(con, given, moved):
    """By weight below 10: 1, 2, 4, 6 of 1, 2, 2, 2 are 25 / 7, so 4, for 28 in all; above 40: 355 / 6, so 59, for 354.

    Without weights: 13 / 4, so 3, for 12; and 183 / 3 = 61. What stands at a threshold is not coded.
    """
    con.execute(
        "CREATE TABLE t AS FROM (VALUES (1, 1, 1), (2, 2, 2), (3, 4, 2), (4, 6, 2), (5, 10, 9), (6, 20, 1), (7, 40, 9),"
        " (8, 50, 3), (9, 61, 1), (10, 72, 2), (11, NULL, 5)) AS v(id, x, w)"
    )
    call = f"sdc__top_bottom_counts('t', ['x'], 'value', 'id', 40, 10, {given})"
    assert execute(con, f"SELECT coded_top, coded_bottom, total_moved FROM {call}").fetchall() == [(3, 4, moved)]
