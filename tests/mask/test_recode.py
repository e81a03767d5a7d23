"""Recoding: mappings, intervals, classes, codes, levels of hierarchies, dates and relative places, from every door."""

from __future__ import annotations

import bisect
import datetime as dt
import json
import math
import random
import re

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql import ColumnError, ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.mask.hierarchies import Hierarchy

# A table named as an alias of the macros, columns named as keywords, with a quote, in another case.
PEOPLE = """CREATE TABLE k AS FROM (VALUES
    (1, 30, 'f', 'north', '0111', 0.5, DATE '1984-08-17', 'north'), (2, 41, 'm', 'south', '2511', 2.5, DATE '1990-02-01', 'north'),
    (3, 67, NULL, 'centre', '0112', 7.5, DATE '1957-12-31', 'south'), (4, NULL, 'f', NULL, NULL, NULL, NULL, 'north')
    ) AS t(id, age, "Select", "re""gion", nace, f, born, home)"""  # noqa: E501


@pytest.fixture
def people(con):
    return con.execute(PEOPLE)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def become(con, call, column="n"):
    """Return the values of a column by the order of the ids."""
    return [value for (value,) in con.execute(f"SELECT {quoted(column)} FROM {call} ORDER BY id").fetchall()]


def refused(con, call):
    with pytest.raises(duckdb.Error) as raised:
        con.execute(f"FROM {call}").fetchall()
    return str(raised.value)


def numbers(con, values, kind="DOUBLE"):
    """Make the table t of these numbers."""
    con.execute("CREATE OR REPLACE TABLE t (id INTEGER, n " + kind + ")")
    con.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))


# Mappings


def test_a_mapping_says_what_each_value_becomes(people):
    people.execute(
        """CREATE TABLE m AS FROM (VALUES ('north', 1, 'x'), ('south', 1, 'y'), ('centre', 2, 'z'), ('west', 3, NULL)) AS t("FROM", "to", note)"""  # noqa: E501
    )
    call = "sdc_recode('k', 'RE\"gion', 'm', 'ID')"
    assert become(people, call, 're"gion') == [1, 1, 2, None]
    described = [row[:2] for row in people.execute(f"DESCRIBE FROM {call}").fetchall()]
    wanted = [row[:2] for row in people.execute("DESCRIBE k").fetchall()]
    assert described == [(n, "INTEGER" if n == 're"gion' else kind) for n, kind in wanted]


def test_a_value_is_found_by_what_it_is(people):
    people.execute(
        """CREATE TABLE m AS FROM (VALUES (30.0, 'a'), (41, NULL), (67, 'c'), (NULL, 'none')) AS t("from", "to")"""
    )
    assert become(people, "sdc_recode('k', 'age', 'm', 'id')", "age") == ["a", None, "c", "none"]
    people.execute("""CREATE OR REPLACE TABLE m AS FROM (VALUES ('111', 'a')) AS t("from", "to")""")
    assert "has no row for 3 of the values" in refused(people, "sdc_recode('k', 'nace', 'm', 'id')")  # 0111 is not 111


@pytest.mark.slow
def test_values_that_are_not_listed(people):
    people.execute("""CREATE TABLE m AS FROM (VALUES (30, 'young')) AS t("from", "to")""")
    call = "sdc_recode('k', 'age', 'm', 'id'{})"
    for part in ("*", "count(*)", "id"):
        with pytest.raises(
            duckdb.Error, match="has no row for 2 of the values of the column: give each one, or say"
        ) as e:
            people.execute(f"SELECT {part} FROM {call.format('')} WHERE id = 1").fetchall()
        assert "67" not in str(e.value)
    assert become(people, call.format(", others := 'keep'"), "age") == ["young", "41", "67", None]
    labelled = call.format(", others := 'label', label := 'other'")
    assert become(people, labelled, "age") == ["young", "other", "other", None]
    people.execute("""UPDATE m SET "to" = '3'; ALTER TABLE m ALTER "to" TYPE INTEGER""")
    assert become(people, call.format(", others := 'keep'"), "age") == [3, 41, 67, None]
    assert "The label other has no place" in refused(people, labelled)
    for more, words in (
        ("others := 'label'", "there is none"), ("label := 'x'", "A label is given and others is 'error'"),
        ("others := 'x'", "it must be 'error', 'keep' or 'label'"), ("others := NULL", "others is NULL"),
    ):  # fmt: skip
        assert words in refused(people, call.format(f", {more}"))


def test_a_mapping_that_says_two_things(people):
    for rows in ("(30, 'a'), (30, 'a')", "(30, 'a'), (30.0, 'b')", "(NULL, 'a'), (NULL, 'b'), (30, 'a')"):
        people.execute(
            f"""CREATE OR REPLACE TABLE m AS FROM (VALUES {rows}, (41, 'b'), (67, 'c')) AS t("from", "to")"""
        )
        assert "lists 1 values more than once" in refused(people, "sdc_recode('k', 'age', 'm', 'id')")
    assert '"from" is not a column' in refused(people, "sdc_recode('k', 'age', 'k', 'id')")
    people.execute("CREATE OR REPLACE TABLE m AS FROM m LIMIT 0")
    assert "no rows" in refused(people, "sdc_recode('k', 'age', 'm', 'id')")


# Intervals


def test_intervals_by_brute_force(con):
    draw = random.Random(7)  # noqa: S311
    values = [draw.choice([draw.uniform(-30, 30), draw.randrange(-30, 30), None, -1e300, 1e300]) for _ in range(400)]
    values += [math.inf, -math.inf, -0.0, 0.0, -20.0, 20.0]
    numbers(con, values)
    breaks = [-20, -2.5, 0, 7.25, 20]
    labels = ["below -20", "[-20, -2.5)", "[-2.5, 0)", "[0, 7.25)", "[7.25, 20)", "20 and over"]
    wanted = [None if v is None else labels[bisect.bisect_right(breaks, v)] for v in values]
    assert become(con, f"sdc_recode_intervals('t', 'n', {breaks}, 'id', ends := 'open')") == wanted
    named = [None if label is None else "abcdef"[labels.index(label)] for label in wanted]
    call = f"sdc_recode_intervals('t', 'n', {breaks}, 'id', ends := 'open', labels := ['a', 'b', 'c', 'd', 'e', 'f'])"
    assert become(con, call) == named


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("ends", "inside"),
    [("closed", [0, 9]), ("open_below", [-5, 0, 9]), ("open_above", [0, 9, 10]), ("open", [-5, 0, 9, 10])],
)
def test_ends(con, ends, inside):
    for value in (-5, 0, 9, 10):
        numbers(con, [value], "INTEGER")
        call = f"sdc_recode_intervals('t', 'n', [0, 5, 10], 'id', ends := '{ends}')"
        if value in inside:
            assert become(con, call) == [{-5: "below 0", 0: "0-4", 9: "5-9", 10: "10 and over"}[value]]
        else:
            said = refused(con, call)
            assert "Values lie outside the breaks, which go from 0 to below 10" in said
            assert "-5" not in said


def test_labels_of_whole_numbers(con):
    numbers(con, [-7, -1, 0, 1, 9], "BIGINT")
    call = "sdc_recode_intervals('t', 'n', [-10, -1, 0, 1, 10], 'id')"
    assert become(con, call) == ["-10 to -2", "-1", "0", "1-9", "1-9"]
    assert become(con, call.replace("[-10", "[-10.5"))[0] == "[-10.5, -1)"  # not all breaks are whole
    numbers(con, [3], "DECIMAL(9, 2)")
    assert become(con, "sdc_recode_intervals('t', 'n', [0, 10], 'id')") == ["[0, 10)"]


@pytest.mark.slow
def test_intervals_that_cannot_be(con):
    numbers(con, [1.0, math.nan])
    call = "sdc_recode_intervals('t', 'n', {}, 'id'{})"
    for breaks, more, words in (
        ("[0, 5]", ", ends := 'open'", "holds NaN"), ("[5, 0]", "", "do not ascend"),
        ("[0, 0, 5]", "", "do not ascend"),
        ("[0, NULL]", "", "NULL, NaN or infinite"), ("[0, 'nan'::DOUBLE]", "", "NULL, NaN or infinite"),
        ("[0, 'inf'::DOUBLE]", "", "NULL, NaN or infinite"), ("[0]", "", "There are 1 breaks: give 2 or more"),
        ("[]", ", ends := 'open'", "There are 0 breaks: give 1"), ("NULL", "", "0 breaks"),
        ("[0, 5]", ", ends := 'wide'", "ends is wide"), ("[0, 5]", ", ends := NULL", "ends is NULL"),
        ("[0, 5, 9]", ", labels := ['a']", "1 labels and 2 intervals"),
        ("[0, 5]", ", labels := ['a', 'b']", "2 labels and 1 intervals"),
        ("[0, 5, 9]", ", labels := ['a', NULL]", "A label is NULL"),
    ):  # fmt: skip
        assert words in refused(con, call.format(breaks, more)), (breaks, more)
    con.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 'x' AS n")
    assert "The column n has type VARCHAR: this method masks numbers" in refused(con, call.format("[0, 5]", ""))


# Classes


def limits(con, n, method):
    ((found,),) = con.execute(f"FROM sdc__recode_applied('t', 'n', {n}, 'id', '{method}')").fetchall()
    return found


def in_its_label(value, label):
    """Whether a number lies where its label says."""
    if label.startswith("below "):
        return value < float(label[6:])
    if label.endswith(" and over"):
        return value >= float(label[:-9])
    low, high = map(float, re.fullmatch(r"\[(\S+), (\S+)\)", label).groups())
    return low <= value < high


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["equal_width", "logarithmic"])
def test_classes_are_those_of_numpy(con, method):
    rng = np.random.default_rng(11)
    for size, n in ((3, 2), (500, 7), (40, 30)):
        values = np.exp(rng.normal(3, 2, size)).round(3)
        numbers(con, values.tolist())
        space = np.linspace if method == "equal_width" else np.geomspace
        wanted = np.digitize(values, space(values.min(), values.max(), n + 1)[1:-1])
        found = become(con, f"sdc_recode_classes('t', 'n', {n}, 'id', method := '{method}')")
        assert all(in_its_label(v, label) for v, label in zip(values, found, strict=True))
        # one label a class
        assert len(set(zip(found, wanted.tolist(), strict=True))) == len(set(found)) == len(set(wanted.tolist()))


@pytest.mark.slow
def test_classes_of_equal_count(con):
    draw = random.Random(5)  # noqa: S311
    for n, size, distinct in ((4, 400, 10**9), (7, 100, 10**9), (5, 300, 8), (3, 50, 2), (10, 20, 6)):
        values = [draw.randrange(distinct) / 8 for _ in range(size)]
        numbers(con, values)
        found = become(con, f"sdc_recode_classes('t', 'n', {n}, 'id', method := 'equal_count')")
        assert all(in_its_label(v, label) for v, label in zip(values, found, strict=True))
        # the formula of the header: floor(n (c + t / 2) / N)
        below, tied = ([sum(f(w, v) for w in values) for v in values] for f in (float.__lt__, float.__eq__))
        wanted = [n * (2 * c + t) // (2 * size) for c, t in zip(below, tied, strict=True)]
        assert len(set(zip(found, wanted, strict=True))) == len(set(found)) == len(set(wanted))
        if len(set(values)) == size:
            counts = [found.count(label) for label in set(found)]
            assert len(counts) == n
            assert max(counts) - min(counts) <= 1


def test_limits_are_round_numbers_and_no_ends(con):
    numbers(con, [17, 22, 29, 30, 41, 58, 60, 93], "SMALLINT")
    assert limits(con, 2, "equal_count") == [40]  # of those above 30 and at most 41
    assert limits(con, 4, "equal_width") == [36, 55, 74]  # 17 + 19, 38, 57
    assert become(con, "sdc_recode_classes('t', 'n', 2, 'id')") == ["below 55"] * 5 + ["55 and over"] * 3
    numbers(con, [0.123456, 0.1934567, 0.2234567, 0.34567])
    assert limits(con, 2, "equal_count") == [0.2]
    numbers(con, [-31, -30, None], "INTEGER")
    assert become(con, "sdc_recode_classes('t', 'n', 2, 'id')") == ["below -30", "-30 and over", None]
    numbers(con, [1.0, math.nextafter(1, 2)])
    assert limits(con, 2, "equal_count") == [math.nextafter(1, 2)]


@pytest.mark.slow
def test_classes_that_cannot_be(con):
    call = "sdc_recode_classes('t', 'n', {}, 'id'{})"
    for values, more, words in (
        ([1, 1, None], "", "one value only"), ([None], "", "holds no value"), ([1, math.nan], "", "NaN or infinite"),
        ([1, -math.inf], "", "NaN or infinite"), ([0, 1], ", method := 'logarithmic'", "zero or negative"),
        ([1, 2], ", method := 'x'", "method is x"), ([1, 2], ", labels := ['a']", "1 labels and 2 intervals"),
        ([1, 1, 1, 1, 1, 2], ", method := 'equal_count', labels := ['a', 'b', 'c']", "3 labels"),
    ):  # fmt: skip
        numbers(con, values)
        assert words in refused(con, call.format(2, more)), (values, more)
    for n in (1, 0, 1001, 2.5, "NULL"):
        assert "classes is" in refused(con, call.format(n, ""))


@pytest.mark.slow
def test_neither_order_nor_threads_change_a_class(con):
    con.execute("CREATE TABLE t AS SELECT range AS id, (range * 7919 % 10007) / 7e0 AS n FROM range(20000)")
    con.execute("CREATE TABLE back AS FROM t ORDER BY id DESC")
    for method in ("equal_width", "equal_count", "logarithmic"):
        digests = set()
        for table in ("t", "back"):
            for threads in (1, 3):
                con.execute(f"SET threads = {threads}; UPDATE {table} SET n = n + 1 WHERE n = 0")
                call = f"sdc_recode_classes('{table}', 'n', 7, 'id', method := '{method}')"
                digests.add(
                    str(con.execute(f"SELECT n, count(*), sum(id) FROM {call} GROUP BY n ORDER BY n").fetchall())
                )
        assert len(digests) == 1


# Codes


def test_codes_are_cut_off(con):
    con.execute("CREATE TABLE t AS FROM (VALUES (1, '25.11'), (2, '01'), (3, 'A'), (4, NULL), (5, 'éñ1')) AS t(id, n)")
    assert become(con, "sdc_recode_keep_first('t', 'n', 2, 'id')") == ["25", "01", "A", None, "éñ"]
    con.execute("DELETE FROM t WHERE id = 3")
    assert become(con, "sdc_recode_drop_last('t', 'n', 1, 'id')") == ["25.1", "0", None, "éñ"]
    said = refused(con, "sdc_recode_drop_last('t', 'n', 2, 'id')")
    assert "A code has no more than 2 characters" in said
    con.execute("CREATE OR REPLACE TABLE t AS SELECT 1 AS id, 'ab'::ENUM ('ab', 'b') AS n")
    assert become(con, "sdc_recode_keep_first('t', 'n', 1, 'id')") == ["a"]


def test_whole_numbers_have_lost_their_leading_zeros(con):
    numbers(con, [111, 2511, None, 7], "INTEGER")
    assert become(con, "sdc_recode_keep_first('t', 'n', 2, 'id', digits := 4)") == ["01", "25", None, "00"]
    assert become(con, "sdc_recode_drop_last('t', 'n', 2, 'id', digits := 4)") == ["01", "25", None, "00"]
    assert "give digits" in refused(con, "sdc_recode_keep_first('t', 'n', 2, 'id')")
    assert "has more digits than 3" in refused(con, "sdc_recode_keep_first('t', 'n', 2, 'id', digits := 3)")
    assert "nothing would be left" in refused(con, "sdc_recode_drop_last('t', 'n', 2, 'id')")  # of 7
    con.execute("DELETE FROM t WHERE n = 7")
    assert become(con, "sdc_recode_drop_last('t', 'n', 2, 'id')") == ["1", "25", None]
    numbers(con, [-11], "INTEGER")
    assert "below zero" in refused(con, "sdc_recode_drop_last('t', 'n', 1, 'id')")


@pytest.mark.slow
def test_codes_that_cannot_be(people):
    for call, words in (
        ("sdc_recode_keep_first('k', 'nace', 0, 'id')", "keep_first is 0"),
        ("sdc_recode_drop_last('k', 'nace', 1.5, 'id')", "drop_last is 1.5"),
        ("sdc_recode_keep_first('k', 'nace', 1, 'id', digits := 4)", "digits is given and the column nace has no"),
        ("sdc_recode_keep_first('k', 'age', 1, 'id', digits := 0)", "digits is 0"),
        ("sdc_recode_keep_first('k', 'f', 1, 'id')", "codes are texts or whole numbers"),
        ("sdc_recode_drop_last('k', 'born', 1, 'id')", "codes are texts or whole numbers"),
    ):  # fmt: skip
        assert words in refused(people, call), call


# Levels of hierarchies

AREAS = """CREATE TABLE areas AS FROM (VALUES ('north', 'coast', '*'), ('south', 'coast', '*'), ('centre', 'inland', '*'), ('far', 'inland', '*'))
    AS t(region, "macro region", country)"""  # noqa: E501


def test_a_level_by_its_name_and_its_number(people):
    people.execute(AREAS)
    for level in ("1", "'macro region'"):
        call = f"sdc_recode_level('k', 're\"gion', 'areas', 'id', level := {level})"
        assert become(people, call, 're"gion') == ["coast", "coast", "inland", None]


@pytest.mark.slow
def test_levels_by_name_and_number(people):
    people.execute(AREAS)
    call = "sdc_recode_level('k', 're\"gion', 'areas', 'id', level := {})"
    for levels, wanted in (
        (("0", "'region'"), ["north", "south", "centre", None]),
        (("'1'", "'macro region'"), ["coast", "coast", "inland", None]),
        (("2",), ["*", "*", "*", None]),
    ):  # fmt: skip
        for level in levels:
            assert become(people, call.format(level), 're"gion') == wanted
    for level in ("3", "'town'"):
        assert "its hierarchy has the levels region, macro region, country" in refused(people, call.format(level))
    people.execute("DELETE FROM areas WHERE region = 'south'")
    said = refused(people, call.format(1))
    assert "has no row for 1 of the values" in said
    assert "south" not in said
    people.execute("INSERT INTO areas VALUES ('south', 'coast', 'other')")
    assert "what is put together must stay so" in refused(people, call.format(1))
    people.execute("DELETE FROM areas; INSERT INTO areas SELECT age, age // 10, '*' FROM k")  # NULL has a row
    assert become(people, "sdc_recode_level('k', 'age', 'areas', 'id', level := 'country')", "age") == ["*"] * 4


@pytest.mark.slow
def test_hierarchies_of_python(people, tmp_path):
    data = sdc_sql.Microdata(people, "k", id="id")
    ages = Hierarchy((("30", "young", "*"), ("41", "old", "*"), ("67", "old", "*")), ("age", "group", "any"))
    step = data.mask.recode("AGE", hierarchy=ages, level="group", into="one")
    assert step.parameters == {"hierarchy": {"levels": ["age", "group", "any"], "values": 3}, "level": "group"}
    file = tmp_path / "ages.csv"
    file.write_text("30;young;*\n41;old;*\n67;old;*\n")
    data.mask.recode("age", hierarchy=str(file), into="two")
    data.mask.recode("age", hierarchy=file, level=2, into="three")
    assert become(people, "one", "age") == become(people, "two", "age") == ["young", "old", "old", None]
    assert become(people, "three", "age") == ["*", "*", "*", None]
    assert people.execute("SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'sdc_recode%'").fetchall() == []
    for wrong in ({"a": 1}, 7, tmp_path / "none.csv"):
        with pytest.raises(ParameterError, match="hierarchy"):
            data.mask.recode("age", hierarchy=wrong)


# Dates


def test_dates_become_the_first_day_of_their_period(con):
    first = dt.date(1899, 12, 25)
    days = [first + dt.timedelta(days=37 * i) for i in range(1500)]
    con.execute("CREATE TABLE t AS SELECT range AS id, DATE '1899-12-25' + (37 * range)::INTEGER AS n FROM range(1500)")
    con.execute("CREATE TABLE ts AS SELECT id, n + INTERVAL '23:59:59' AS n FROM t")
    for period, wanted in {
        "week": [d - dt.timedelta(days=d.weekday()) for d in days],
        "month": [d.replace(day=1) for d in days],
        "quarter": [d.replace(month=(d.month - 1) // 3 * 3 + 1, day=1) for d in days],
        "year": [d.replace(month=1, day=1) for d in days],
        "decade": [dt.date(d.year // 10 * 10, 1, 1) for d in days],
    }.items():
        for table in ("t", "ts"):
            assert become(con, f"sdc_recode_date('{table}', 'n', '{period}', 'id')") == wanted


@pytest.mark.parametrize("kind", ["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS"])
def test_times_of_any_precision_have_a_date(con, kind):
    con.execute(f"CREATE TABLE t AS SELECT 1 AS id, '1999-12-31 23:59:59'::{kind} AS n")
    assert become(con, "sdc_recode_date('t', 'n', 'quarter', 'id')") == [dt.date(1999, 10, 1)]


@pytest.mark.slow
def test_dates_that_are_none(people):
    assert become(people, "sdc_recode_date('k', 'born', 'year', 'id')", "born")[3] is None
    people.execute("CREATE TABLE t AS SELECT 1 AS id, 'infinity'::DATE AS d, now() AS tz, '2020-01-01' AS text")
    assert people.execute("SELECT d = 'infinity'::DATE FROM sdc_recode_date('t', 'd', 'year', 'id')").fetchall() == [
        (True,)
    ]
    for column, period, words in (
        ("tz", "year", "time zone of the session"), ("text", "year", "has type VARCHAR: this recodes dates"),
        ("d", "day", "period is day"), ("d", "Year", "period is Year"),
    ):  # fmt: skip
        assert words in refused(people, f"sdc_recode_date('t', '{column}', '{period}', 'id')")
    assert "period is NULL" in refused(people, "sdc_recode_date('t', 'd', NULL, 'id')")


# Relative places


def test_relative_places_as_the_handbook_says(people):
    # 3.2.2: "region of work same as region of residence, different region but same macroregion, different macroregion"
    people.execute(AREAS.replace("areas", "places").replace('"macro region"', "macroregion"))
    people.execute("ALTER TABLE places DROP country")
    call = "sdc_recode_relative('k', 're\"gion', 'home', 'id'{})"
    found = become(people, call.format(", geography := 'places'"), 're"gion')
    assert found == ["same region", "same macroregion", "different macroregion", None]
    named = call.format(", geography := 'places', labels := ['here', 'near', 'far']")
    assert become(people, named, 're"gion') == ["here", "near", "far", None]
    assert become(people, call.format(""), 're"gion') == ["same home", "different home", "different home", None]


@pytest.mark.slow
def test_relative_places_that_cannot_be(people):
    people.execute(
        "CREATE TABLE places AS FROM (VALUES ('north', 'coast'), ('south', 'coast')) AS t(region, macroregion)"
    )
    call = "sdc_recode_relative('k', 're\"gion', '{}', 'id'{})"
    for other, more, words in (
        ("home", ", geography := 'places'", "The geography has no row for 1 of the values"), ("nowhere", "", "nowhere"),
        ('re""gion', "", "is not a column"), ('Re"gion', "", "is the column that is recoded"),
        ("age", "", "have the types VARCHAR and INTEGER"), ("home", ", labels := ['a']", "1 labels for 1 levels"),
    ):  # fmt: skip
        assert words in refused(people, call.format(other, more)), other


# The doors


def test_ages_of_workers_in_ten_year_classes(con, fixtures):
    file = str(fixtures / "cps_workers.parquet")
    call = f"sdc_recode_intervals('{file}', 'age', range(20, 80, 10), 'person')"
    wanted = f"SELECT printf('%d-%d', age // 10 * 10, age // 10 * 10 + 9), count(*) FROM '{file}' GROUP BY 1 ORDER BY 1"
    found = con.execute(f"SELECT age, count(*) FROM {call} GROUP BY 1 ORDER BY 1").fetchall()
    assert found == con.execute(wanted).fetchall()
    assert [label for label, _ in found] == ["20-29", "30-39", "40-49", "50-59", "60-69"]
    workers = sdc_sql.Microdata(con, file, keys=["age", "sex", "region"], id="person")
    step = workers.mask.recode("age", breaks=range(20, 80, 10), into="released")
    assert (step.method, step.columns, step.stream) == ("recode_intervals", ("age",), None)
    assert step.parameters == {"breaks": [20, 30, 40, 50, 60, 70], "ends": "closed"}
    assert (step.records, step.changed) == (61395, 61395)
    assert con.execute("SELECT age, count(*) FROM released GROUP BY 1 ORDER BY 1").fetchall() == found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "Say how to recode by one of mapping, breaks, classes"),
        ({"mapping": {30: "a"}, "breaks": [1]}, r"one of .* \(mapping, breaks are given\)"),
        ({"others": "keep"}, "Say how to recode"),
        ({"breaks": [1, 2], "others": "keep"}, "others goes with mapping, and breaks is given"),
        (
            {"keep_first": 2, "labels": ["a"]},
            "labels goes with breaks or classes or relative_to, and keep_first is given",
        ),
        ({"breaks": "20,30"}, r"give a list, as in \[20, 40, 60\]"),
        ({"breaks": []}, "give a list"),
        ({"breaks": [20, "x"]}, "breaks is a list of 2: give a list, as in"),
        ({"breaks": [20, math.nan]}, "must be finite"),
        ({"classes": 3, "labels": "abc"}, "labels is 'abc': give a list"),
        ({"mapping": {}}, "mapping is a dict of 0"),
        ({"mapping": {30: "a", "x": "b"}}, "several types"),
        ({"mapping": [("a", "b")]}, "mapping is a list of 1"),
        ({"relative_to": "nowhere"}, "nowhere"),
        ({"mapping": {30: "Ann"}}, "has no row for 2 of the values"),
    ],
)
def test_what_python_refuses(people, given, words):
    before = people.execute("FROM k").fetchall()
    data = sdc_sql.Microdata(people, "k", id="id")
    with pytest.raises(sdc_sql.InputError, match=words) as raised:
        data.mask.recode("age", **given)
    assert "Ann" not in str(raised.value)
    assert people.execute("FROM k").fetchall() == before


@pytest.mark.slow
def test_in_place_the_column_takes_the_type_of_its_labels(people):
    data = sdc_sql.Microdata(people, "k", id="id")
    step = data.mask.recode("age", mapping={30: "young", 41: "old", 67: None, None: "unknown"})
    assert become(people, "k", "age") == ["young", "old", None, "unknown"]
    assert step.parameters == {
        "mapping": {"from": [30, 41, 67, None], "to": ["young", "old", None, "unknown"]},
        "others": "error",
    }
    data.mask.recode("f", classes=2, method="equal_count", labels=["low", "high"])
    assert become(people, "k", "f") == ["low", "high", "high", None]  # of 2.5: 2 (1 + 1/2) / 3 = 1
    data.mask.recode("born", period="decade")
    data.mask.recode("nace", keep_first=2)
    assert people.execute("SELECT nace, born FROM k ORDER BY id LIMIT 1").fetchall() == [("01", dt.date(1980, 1, 1))]
    kinds = dict(row[:2] for row in people.execute("DESCRIBE k").fetchall())
    assert (kinds["age"], kinds["f"], kinds["born"]) == ("VARCHAR", "VARCHAR", "DATE")
    logged = people.execute("SELECT method, parameters FROM sdc_steps ORDER BY step").fetchall()
    assert [method for method, _ in logged] == ["recode", "recode_classes", "recode_date", "recode_keep_first"]
    assert json.loads(logged[1][1])["breaks"] == [2]
    people.execute(
        "CREATE TABLE checked (id INTEGER, age INTEGER CHECK (age > 0)); INSERT INTO checked VALUES (1, 30), (2, 40)"
    )
    with pytest.raises(ColumnError, match="becomes VARCHAR"):
        sdc_sql.Microdata(people, "checked", id="id").mask.recode("age", breaks=[0, 100])


def test_one_record_and_none(con):
    con.execute("CREATE TABLE one AS SELECT 1 AS id, 30 AS age; CREATE TABLE none AS FROM one LIMIT 0")
    sdc_sql.Microdata(con, "one", id="id").mask.recode("age", breaks=[18, 65], ends="open")
    assert con.execute("FROM one").fetchall() == [(1, "18-64")]
    with pytest.raises(TableError, match="no rows"):
        sdc_sql.Microdata(con, "none", id="id").mask.recode("age", breaks=[18, 65])


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        (["--columns", "age", "--breaks", "30,40", "--ends", "open"], ["30-39", "40 and over"]),
        (["--columns", "age", "--classes", "2", "--labels", "young,old"], ["young", "old"]),
        (["--columns", "nace", "--keep-first", "2"], ["01", "25"]),
        (["--columns", "nace", "--mapping", "{}/map.csv"], ["farm", "metal"]),
        (["--columns", "nace", "--hierarchy", "{}/levels.csv", "--level", "2"], ["*", "*"]),
        (["--columns", "born", "--period", "decade"], ["1980-01-01", "1990-01-01"]),
        (["--columns", "home", "--relative-to", "nace"], ["different nace", "different nace"]),
    ],
)
def test_the_command_line(tmp_path, capsys, options, wanted):
    (tmp_path / "a.csv").write_text("id,age,nace,born,home\n1,30,0111,1984-08-17,north\n2,41,2511,1990-02-01,0111\n")
    (tmp_path / "map.csv").write_text("from,to\n0111,farm\n2511,metal\n")
    (tmp_path / "levels.csv").write_text("0111;01;*\n2511;25;*\n")
    options = [option.format(tmp_path) for option in options]
    arguments = ["mask", "recode", str(tmp_path / "a.csv"), "--id", "id", *options, "--output", str(tmp_path / "b.csv")]
    assert main(arguments) == 0, capsys.readouterr()
    with duckdb.connect() as con:
        rows = con.execute(
            f"SELECT {options[1]} FROM read_csv(?, all_varchar := true) ORDER BY id", [str(tmp_path / "b.csv")]
        )
        assert [value for (value,) in rows.fetchall()] == wanted


@pytest.mark.slow
def test_the_command_line_refuses_options_of_another_way(tmp_path, capsys):
    (tmp_path / "a.csv").write_text("id,age\n1,30\n2,41\n")
    begin = [
        "mask",
        "recode",
        str(tmp_path / "a.csv"),
        "--id",
        "id",
        "--columns",
        "age",
        "--output",
        str(tmp_path / "b.csv"),
    ]
    assert main([*begin, "--keep-first", "1", "--ends", "open"]) == 2
    assert "--ends goes with --breaks only" in capsys.readouterr().err
    assert not (tmp_path / "b.csv").exists()
