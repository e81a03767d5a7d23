"""Hierarchies as tables: the long one made of a wide one, what of either is refused, and labels."""

from __future__ import annotations

import duckdb
import pytest

TABLES = """
    CREATE TABLE ages AS SELECT i AS age, i // 5 * 5 AS five, i // 10 * 10 AS ten, '*' AS everyone FROM range(90) t(i);
    CREATE TABLE sexes AS FROM (VALUES ('f', '*'), ('m', '*')) t("Select", anyone);
    CREATE TABLE h AS FROM sdc_hierarchy('ages', 'age') UNION ALL FROM sdc_hierarchy('sexes', 'Select');
    CREATE TABLE k AS FROM (VALUES (1, 7, 'f'), (2, 7, 'm'), (3, 12, 'f'), (4, 89, 'm')) t(id, "Age", "Select");
    CREATE OR REPLACE TEMP MACRO labelled(tbl, keys, levels) AS TABLE
        WITH c AS MATERIALIZED (FROM sdc__hierarchies('h', keys)),
        l AS MATERIALIZED (FROM sdc__labels_at('c', keys, levels)),
        r AS MATERIALIZED (SELECT id AS sdc__id, COLUMNS(sdc__columns((*), keys)) FROM sdc__rows(tbl))
        FROM sdc__relabelled('r', keys, 'l') ORDER BY sdc__id ASC;
"""


@pytest.fixture
def h(con):
    return con.execute(TABLES)


def complaint(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    with pytest.raises(duckdb.Error) as raised:
        con.execute(sql).fetchall()
    return str(raised.value)


def test_the_long_table(h):
    rows = h.execute("FROM h WHERE value IN ('12', 'm') ORDER BY variable, level").fetchall()
    assert rows == [
        ("Select", "m", 0, "Select", "m"), ("Select", "m", 1, "anyone", "*"),
        ("age", "12", 0, "age", "12"), ("age", "12", 1, "five", "10"), ("age", "12", 2, "ten", "10"),
        ("age", "12", 3, "everyone", "*"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("(1, 1, 1), (2, 1, 2)", "one label at level b have several on the next"),
        ("(1, 1, 1), (2, 1, NULL)", "one label at level b have several on the next"),
        ("(1, 1, 1), (1, 1, 1)", "1 values stand more than once in the hierarchy of x"),
        ("(NULL, 1, 1), (NULL, 2, 1)", "1 values stand more than once"),
    ],
)
def test_a_wide_table_that_is_none(con, values, said):
    con.execute(f"CREATE TABLE t AS FROM (VALUES {values}) t(a, b, c)")
    assert said in complaint(con, "FROM sdc_hierarchy('t', 'x')")


def test_no_rows_and_no_name(h):
    h.execute("CREATE TABLE nothing AS FROM ages LIMIT 0")
    assert "has no rows" in complaint(h, "FROM sdc_hierarchy('nothing', 'age')")
    assert "NULL in the place of its variable" in complaint(h, "FROM sdc_hierarchy('ages', NULL)")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("level = 5 WHERE value = '3' AND level = 3", "have not every level"),
        ("level = -1 WHERE value = '3' AND level = 1", "have not every level"),
        ("level = NULL WHERE value = '3' AND level = 3", "have not every level"),
        ("label = 'x' WHERE value = 'f' AND level = 0", "is not the value itself"),
        ("level_name = NULL WHERE value = 'f' AND level = 1", "not one name each"),
        ("level_name = 'Select' WHERE variable = 'Select'", "not one name each"),
        ("level_name = '2' WHERE level_name = 'five'", "another level's number as its name"),
        (
            "value = '4', label = CASE level WHEN 0 THEN '4' ELSE label END WHERE value = '3'",
            "1 values stand more than",
        ),
        ("label = 'x' WHERE value = '3' AND level = 3", "one label at level ten have several"),
    ],
)
def test_a_long_table_that_is_none(h, change, said):
    h.execute(f"UPDATE h SET {change}")
    found = complaint(h, "FROM sdc__hierarchies('h', ['age', 'Select'])")
    assert said in found


def test_only_the_keys_that_are_asked_for_are_looked_at(h):
    h.execute("UPDATE h SET label = 'x' WHERE value = 'f'")
    assert h.execute("SELECT count(*) FROM sdc__hierarchies('h', ['AGE'])").fetchall() == [(360,)]
    assert "There is no hierarchy of region in h" in complaint(h, "FROM sdc__hierarchies('h', ['age', 'region'])")


def test_labels_by_name_or_number(h):
    rows = [(1, "5", "f"), (2, "5", "m"), (3, "10", "f"), (4, "85", "m")]
    assert h.execute("FROM labelled('k', ['age', 'Select'], ['five', '0'])").fetchall() == rows
    assert h.execute("FROM labelled('k', ['Select', 'age'], ['Select', '1'])").fetchall() == rows
    assert h.execute("SELECT sdc__id, Age FROM labelled('k', ['age'], [3])").fetchall() == [
        (i, "*") for i in range(1, 5)
    ]


def test_levels_that_are_none(h):
    found = complaint(h, "FROM labelled('k', ['age'], ['fve'])")
    assert "A level of age is fve: its hierarchy has the levels age, five, ten, everyone" in found
    assert "A level of Select is 2" in complaint(h, "FROM labelled('k', ['Select'], [2])")
    assert "There are 2 keys and 1 levels" in complaint(h, "FROM labelled('k', ['Select', 'age'], [0])")
    assert "There are 1 keys and NULL levels" in complaint(h, "FROM labelled('k', ['age'], NULL)")


def test_values_without_a_row_are_counted_and_not_shown(h):
    h.execute("INSERT INTO k VALUES (5, 4711, 'f'), (6, 4711, 'm'), (7, 4712, 'm'), (8, NULL, 'm')")
    found = complaint(h, "FROM labelled('k', ['Select', 'age'], [0, 0])")
    assert "3 values of age have no row in its hierarchy, the missing value (NULL) among them" in found
    assert "471" not in found


def test_the_missing_value_has_a_row_of_its_own(h):
    h.execute("INSERT INTO ages VALUES (NULL, NULL, NULL, '*')")
    h.execute("CREATE OR REPLACE TABLE h AS FROM sdc_hierarchy('ages', 'age')")
    h.execute("INSERT INTO k VALUES (8, NULL, 'm')")
    assert h.execute("SELECT age FROM labelled('k', ['age'], ['ten']) WHERE sdc__id = 8").fetchall() == [(None,)]
    assert h.execute("SELECT age FROM labelled('k', ['age'], [3]) WHERE sdc__id = 8").fetchall() == [("*",)]
