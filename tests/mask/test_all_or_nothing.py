"""Masking in place is all or nothing, in the user's own transaction too, and touches no table but the one named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from masked_tables import N, differing, made, open_steps, rows, shape, steps

import sdc_sql
from sdc_sql.errors import ColumnError, InputError, ParameterError, SdcError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.db.masking.steps import MaskingStep


@pytest.mark.one_in(12)
@pytest.mark.parametrize(
    "column", ["f", "Select", 'we"ird', "my column", "t", "v", "id2", "masked", "a.b", "columns", "x y"]
)
def test_columns_and_ids_of_any_name(keyed, column):
    name = '"' + column.replace('"', '""') + '"'
    keyed.execute(
        f"CREATE TABLE t AS SELECT range AS id, range::DOUBLE AS {name}, 'c' || range % 3 AS c FROM range(50)"
    )
    before = rows(keyed)
    step = sdc_sql.Microdata(keyed, "t", id="id").mask.noise(column, 0.1)
    assert step.changed == differing(before, rows(keyed)) > 0
    sdc_sql.Microdata(keyed, "t", id="id").mask.pram_retention([column, "c"], 0.5)
    # and as the id
    keyed.execute(f"CREATE TABLE u AS SELECT range AS {name}, range::DOUBLE AS x FROM range(50)")
    assert sdc_sql.Microdata(keyed, "u", id=column).mask.noise("x", 0.1).changed == 50


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["VARCHAR", "INTEGER", "UUID", "DATE", "HUGEINT"])
def test_ids_of_any_type(keyed, kind):
    value = {
        "UUID": "('00000000-0000-0000-0000-' || lpad(range::VARCHAR, 12, '0'))",
        "DATE": "(DATE '2000-01-01' + range::INTEGER)",
    }
    keyed.execute(
        f"CREATE TABLE t AS SELECT {value.get(kind, 'range')}::{kind} AS id, range::DOUBLE AS x FROM range(50)"
    )
    before = rows(keyed)
    assert sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1).changed == differing(before, rows(keyed)) == 50


def test_an_attached_database(keyed, tmp_path):
    path = tmp_path / "other.duckdb"
    keyed.execute(f"ATTACH '{path}' AS other")
    made(keyed, "other.t")
    made(keyed, "t")
    mine, before = rows(keyed), rows(keyed, "other.t")
    step = sdc_sql.Microdata(keyed, "other.t", id="id").mask.noise("x", 0.1)
    assert step.changed == differing(before, rows(keyed, "other.t")) > 0
    # the table of the same name here is another one, and the steps stand beside what they tell of
    assert rows(keyed) == mine
    assert len(steps(keyed, "other.sdc_steps")) == open_steps(keyed) == 1
    after = rows(keyed, "other.t")
    keyed.execute("DETACH other")
    with duckdb.connect(path) as again:
        assert rows(again) == after


def test_a_temporary_table_in_front_of_a_table(keyed):
    made(keyed)
    made(keyed, kind="TEMP")
    permanent = rows(keyed, "memory.main.t")
    before = rows(keyed)
    sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1)
    assert rows(keyed, "memory.main.t") == permanent
    assert differing(before, rows(keyed, "temp.t")) > 0


@pytest.mark.parametrize("how", ["temporary view", "registered"])
def test_a_view_in_front_of_a_table_is_not_the_table(keyed, how):
    # the name reads the view: its values must never be written over the table's
    made(keyed)
    if how == "registered":
        keyed.register("t", keyed.sql("SELECT range AS id, -range::DOUBLE AS x FROM range(10)").to_arrow_table())
    else:
        keyed.execute("CREATE TEMP VIEW t AS SELECT range AS id, -range::DOUBLE AS x FROM range(10)")
    before = rows(keyed, "memory.main.t")
    with pytest.raises(TableError, match="into"):
        sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1)
    assert rows(keyed, "memory.main.t") == before


def test_a_table_and_a_schema_of_one_name(keyed):
    # "apart.t" is the table t of the schema, also where there is a database of that name with a table t
    keyed.execute("CREATE SCHEMA apart")
    keyed.execute("CREATE TABLE apart.t AS SELECT range AS id, range::DOUBLE AS x FROM range(50)")
    keyed.execute("CREATE TABLE t AS FROM apart.t")
    before = rows(keyed)
    sdc_sql.Microdata(keyed, "apart.t", id="id").mask.noise("x", 0.1)
    assert rows(keyed) == before != rows(keyed, "apart.t")
    assert len(steps(keyed, "apart.sdc_steps")) == 1


def test_a_view_apart_is_no_obstacle_and_the_same_name_apart_no_table(keyed):
    # what stands in another schema or database is another thing, whatever its name
    made(keyed)
    keyed.execute("CREATE SCHEMA apart; CREATE VIEW apart.t AS SELECT 1 AS id, 2.0e0 AS x")
    keyed.execute("ATTACH ':memory:' AS other; CREATE VIEW other.t AS SELECT 1 AS id, 2.0e0 AS x")
    before = rows(keyed)
    assert sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1).changed == differing(before, rows(keyed)) > 0
    for view in ("apart.t", "other.t", "other.main.t"):
        with pytest.raises(TableError, match="is a view"):
            sdc_sql.Microdata(keyed, view, id="id").mask.noise("x", 0.1)


def sources(con: duckdb.DuckDBPyConnection, tmp_path: Any) -> dict[str, str]:
    made(con)
    con.execute("CREATE VIEW seen AS FROM t")
    for kind in ("parquet", "csv"):
        con.execute(f"COPY t TO '{tmp_path / 'persons'}.{kind}'")
    con.register("handed", con.sql("FROM t").to_arrow_table())
    return {
        "view": "seen",
        "parquet": f"{tmp_path / 'persons.parquet'}",
        "csv": f"{tmp_path / 'persons.csv'}",
        "arrow": "handed",
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["view", "parquet", "csv", "arrow"])
def test_what_is_no_table_is_masked_into_one_only(keyed, kind, tmp_path):
    source = sources(keyed, tmp_path)[kind]
    data = sdc_sql.Microdata(keyed, source, id="id")
    before, shaped = rows(keyed), shape(keyed)
    with pytest.raises(TableError, match="into="):
        data.mask.noise("x", 0.1)
    assert (rows(keyed), shape(keyed), open_steps(keyed)) == (before, shaped, 0)
    assert (
        data.mask.noise("x", 0.1, into="released").changed == differing(before, rows(keyed, "released"))
        or kind == "csv"
    )
    assert len(rows(keyed, "released")) == N
    assert rows(keyed) == before


@pytest.mark.parametrize(
    "name", ["(FROM t)", "t AS u", "range(10)", "sdc__rows", "sdc__drawn", "sdc__done", "sdc__records"]
)
def test_what_a_query_could_take_for_something_else_is_refused(keyed, name):
    # the names of the macros' own common table expressions among them: not in the database, so no such table
    made(keyed)
    before, shaped = rows(keyed), shape(keyed)
    with pytest.raises((SdcError, duckdb.Error)):
        sdc_sql.Microdata(keyed, name, id="id").mask.noise("x", 0.1)
    assert (rows(keyed), shape(keyed), open_steps(keyed)) == (before, shaped, 0)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    "taken", ["t", "T", "other", "seen", "memory.main.t", "memory.t", "main.other", "temp.passing"]
)
def test_into_never_replaces(keyed, taken, tmp_path):
    sources(keyed, tmp_path)
    keyed.execute("CREATE TABLE other AS SELECT 1 AS id")
    keyed.execute("CREATE TEMP TABLE passing AS SELECT 1 AS id")
    before, shaped = rows(keyed), shape(keyed)
    with pytest.raises(TableError, match="already"):
        sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1, into=taken)
    assert (rows(keyed), shape(keyed), open_steps(keyed)) == (before, shaped, 0)


def test_into_may_have_the_name_of_a_view_of_another_schema(keyed):
    made(keyed)
    keyed.execute("CREATE SCHEMA apart")
    keyed.execute("CREATE VIEW apart.released AS FROM t")
    assert sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1, into="released").records == N


@pytest.mark.parametrize("into", ["", 3, "nowhere.released", "a.b.c.d"])
def test_into_that_cannot_be_is_refused(keyed, into):
    made(keyed)
    before, shaped = rows(keyed), shape(keyed)
    with pytest.raises((SdcError, duckdb.Error)):
        sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1, into=into)
    assert (rows(keyed), shape(keyed), open_steps(keyed)) == (before, shaped, 0)


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("into", [None, "released"])
@pytest.mark.parametrize("described", ["before", "within"])
def test_inside_a_transaction_of_the_users(keyed, described, into):
    made(keyed)
    before, shaped = rows(keyed), shape(keyed)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    for end in ("ROLLBACK", "COMMIT"):
        keyed.execute("BEGIN")
        if described == "within":
            data = sdc_sql.Microdata(keyed, "t", id="id")
        data.mask.noise("x", 0.1, into=into)
        data.mask.pram_retention("cat", 0.5, into=into and "again")
        masked = rows(keyed, into or "t")
        assert masked != before
        assert len(steps(keyed)) == 2
        keyed.execute(end)
        if end == "ROLLBACK":
            assert (rows(keyed), shape(keyed), open_steps(keyed)) == (before, shaped, 0)
    assert rows(keyed, into or "t") == masked
    assert len(steps(keyed)) == 2


@pytest.mark.slow
def test_where_the_macros_were_loaded_in_a_transaction_that_was_rolled_back():
    with duckdb.connect() as con:
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        made(con)
        con.execute("BEGIN")
        data = sdc_sql.Microdata(con, "t", id="id")
        data.mask.noise("x", 0.1)
        con.execute("ROLLBACK")
        assert data.mask.noise("x", 0.1).changed > 0


# each fails where another part of the work is done already; the columns of a table of steps that is the user's
# own are found out last of all, when the table is masked
FAILURES: dict[str, tuple[str, Callable[[sdc_sql.Microdata], MaskingStep]]] = {
    "bound": ("", lambda data: data.mask.noise("x", -1)),
    "macro": ("", lambda data: data.mask.pram_retention("cat", 1.5)),
    "type": ("", lambda data: data.mask.noise("cat", 0.1)),
    "method": ("", lambda data: data.mask.noise("x", 0.1, method="nonsense")),
    "matrix": ("", lambda data: data.mask.pram("cat", [[0.5, 0.5], [0.5, 0.5]], labels=["a", "z"])),
    "check": ("", lambda data: data.mask.noise("y", 10)),
    "steps": ("CREATE TABLE sdc_steps AS SELECT 1 AS mine", lambda data: data.mask.noise("x", 0.1)),
    "steps into": (
        "CREATE TABLE sdc_steps AS SELECT 1 AS mine",
        lambda data: data.mask.noise("x", 0.1, into="released"),
    ),
    "small groups": ("", lambda data: data.mask.microaggregate("x", 200, stratum="cat")),
}


@pytest.mark.one_in(18)
@pytest.mark.parametrize("within", [False, True], ids=["own", "within"])
@pytest.mark.parametrize("failure", FAILURES)
def test_an_error_leaves_everything_as_it_was(keyed, failure, within):
    first, mask = FAILURES[failure]
    made(keyed)
    keyed.execute("ALTER TABLE t ADD COLUMN y0 DOUBLE")
    keyed.execute("CREATE TABLE u (id BIGINT, x DOUBLE, cat VARCHAR, y DOUBLE CHECK (y BETWEEN 0 AND 100))")
    keyed.execute("INSERT INTO u SELECT id, x, cat, id % 101 FROM t")
    if first:
        keyed.execute(first)
    before, shaped, known = rows(keyed, "u"), shape(keyed), open_steps(keyed)
    data = sdc_sql.Microdata(keyed, "u", id="id")
    if within:
        keyed.execute("BEGIN")
    with pytest.raises((SdcError, duckdb.Error)):
        mask(data)
    if within:
        keyed.execute("ROLLBACK")
    assert (rows(keyed, "u"), shape(keyed), open_steps(keyed)) == (before, shaped, known)
    # the connection is as good as before
    if not first:
        assert data.mask.noise("x", 0.1).changed > 0


def test_no_transaction_stays_open_after_an_error(keyed):
    made(keyed)
    with pytest.raises(ParameterError):
        sdc_sql.Microdata(keyed, "t", id="id").mask.pram_retention("cat", 2)
    keyed.execute("BEGIN")
    keyed.execute("ROLLBACK")


def test_a_users_table_of_the_name_of_the_passing_one_is_kept(keyed):
    # the values are set aside in a temporary table: a table of the database of that name is not it
    made(keyed)
    keyed.execute("CREATE TABLE sdc_masked_values AS SELECT 1 AS mine")
    sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1)
    assert keyed.execute("FROM memory.main.sdc_masked_values").fetchall() == [(1,)]


def test_the_id_cannot_be_masked(keyed):
    # its values name the draws; and masked ids could not be joined back
    made(keyed)
    before = rows(keyed)
    for mask in (
        lambda d: d.mask.noise("id", 0.1),
        lambda d: d.mask.noise(["x", "ID"], 0.1),
        lambda d: d.mask.rank_swap("id", 5),
    ):
        with pytest.raises(ColumnError, match="is the id"):
            mask(sdc_sql.Microdata(keyed, "t", id="id"))
    assert (rows(keyed), open_steps(keyed)) == (before, 0)


def test_an_id_is_needed(keyed):
    made(keyed)
    with pytest.raises(InputError, match="id="):
        sdc_sql.Microdata(keyed, "t").mask.noise("x", 0.1)
    with pytest.raises(ColumnError, match="Did you mean 'id'"):
        sdc_sql.Microdata(keyed, "t", id="idd")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"), [("SET id = 1 WHERE id = 2", "unique"), ("SET id = NULL WHERE id = 2", "NULL")]
)
def test_an_id_that_is_no_longer_one_is_refused(keyed, change, words):
    # found out when the table is described, and again when it is masked: it may have changed since
    made(keyed)
    described = sdc_sql.Microdata(keyed, "t", id="id")
    keyed.execute(f"UPDATE t {change}")
    before = rows(keyed)
    with pytest.raises(ColumnError, match=words):
        sdc_sql.Microdata(keyed, "t", id="id")
    for mask in (
        lambda: described.mask.noise("x", 0.1),
        lambda: described.mask.round("n", 5),
        lambda: described.mask.pram_retention("cat", 0.5),
        lambda: described.mask.noise("x", 0.1, into="released"),
    ):
        with pytest.raises(ColumnError, match=r"id .*(NULL|unique)"):
            mask()
    assert (rows(keyed), open_steps(keyed)) == (before, 0)


def test_columns_that_are_not_there(keyed):
    made(keyed)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    with pytest.raises(ColumnError, match="Did you mean 'price'"):
        data.mask.noise(["x", "prize"], 0.1)
    with pytest.raises(ColumnError, match="empty"):
        data.mask.noise([], 0.1)
    with pytest.raises(ColumnError, match="twice"):
        data.mask.noise(["x", "X"], 0.1)
    assert open_steps(keyed) == 0


@pytest.mark.slow
def test_a_database_that_is_read_only(tmp_path):
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as con:
        made(con)
    with duckdb.connect(path, read_only=True) as con:
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        data = sdc_sql.Microdata(con, "t", id="id")
        before = rows(con)
        for into in (None, "released"):
            with pytest.raises((TableError, duckdb.Error), match=r"(?i)read-only"):
                data.mask.noise("x", 0.1, into=into)
        # what it can do without the database
        assert data.mask.noise("x", 0.1, into="temp.released").changed == differing(before, rows(con, "temp.released"))
        assert rows(con) == before


@pytest.mark.one_in(3)
@pytest.mark.parametrize("constraint", ["UNIQUE", "PRIMARY KEY", "CREATE UNIQUE INDEX"])
@pytest.mark.parametrize(
    "mask",
    [lambda d: d.mask.rank_swap("u", 20), lambda d: d.mask.microaggregate("u", 3), lambda d: d.mask.noise("u", 0.5)],
    ids=["swap", "microaggregate", "noise"],
)
def test_a_unique_column_is_masked_or_left_as_it_was(keyed, constraint, mask):
    # swapping keeps values unique, but DuckDB may refuse the update; groups of equal values must be refused
    within = "" if constraint.startswith("CREATE") else constraint
    keyed.execute(f"CREATE TABLE t (id BIGINT, u BIGINT {within}, c VARCHAR)")
    keyed.execute("INSERT INTO t SELECT range, range * 10, 'c' FROM range(200)")
    if not within:
        keyed.execute("CREATE UNIQUE INDEX of_u ON t (u)")
    before, shaped = rows(keyed), shape(keyed)
    try:
        step = mask(sdc_sql.Microdata(keyed, "t", id="id"))
    except (SdcError, duckdb.ConstraintException):
        assert (rows(keyed), open_steps(keyed)) == (before, 0)
    else:
        assert step.changed == differing(before, rows(keyed))
    assert shape(keyed) == shaped
    assert keyed.execute("SELECT count(DISTINCT u) FROM t").fetchall() == [(200,)]
