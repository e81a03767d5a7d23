"""PostgreSQL runs what `compile` writes, and answers as DuckDB does."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import engines
import masked_elsewhere
import pytest
from compiled import (
    EMPTY_VIEWS,
    EVERY,
    ODD,
    ODD_KEYS,
    ODD_TABLES,
    READERS,
    TABLES,
    TELLS_NAMES,
    WRONG,
    answer,
    assert_answers_as_duckdb,
    assert_same,
    call,
    commanded,
    filtered,
    reference,
)

import sdc_sql
from sdc_sql.db import query

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow
_TYPES = {"INTEGER": "INTEGER", "BIGINT": "BIGINT", "DOUBLE": "DOUBLE PRECISION", "VARCHAR": "TEXT"}


def programs() -> Path:
    """Return the folder of PostgreSQL's own programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    initdb = shutil.which("initdb") or (str(found[-1]) if found else None)
    if initdb is None:
        pytest.skip("no PostgreSQL on this machine: apt-get install postgresql")
    return Path(initdb).parent


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """Return a connection to a PostgreSQL of our own, on a socket in a folder of its own."""
    psycopg = pytest.importorskip("psycopg", reason="no psycopg: pip install 'psycopg[binary]'")
    bin_ = programs()
    folder = Path(tempfile.mkdtemp(prefix="sdc-pg-"))
    as_owner = []
    if os.geteuid() == 0:  # it refuses to run as root
        owner = "postgres" if "postgres" in {u.pw_name for u in pwd.getpwall()} else "nobody"
        shutil.chown(folder, owner)
        as_owner = ["runuser", "-u", owner, "--"]

    def run(*command: str) -> None:
        done = subprocess.run(
            [*as_owner, *command], cwd=folder, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr

    data = str(folder / "data")
    run(str(bin_ / "initdb"), "-D", data, "-U", "sdc", "-A", "trust", "-E", "UTF8", "--no-sync")
    options = f"-k {folder} -c listen_addresses= -c fsync=off"
    run(str(bin_ / "pg_ctl"), "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start")
    try:
        with psycopg.connect(host=str(folder), user="sdc", dbname="postgres", autocommit=True) as connection:
            yield connection
    finally:
        run(str(bin_ / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def stored(server: Any, table: str, rows: str) -> None:
    """Store DuckDB's rows as a table."""
    relation = reference().cursor().sql(rows)  # an answer of the connection may not have been read to its end
    columns = ", ".join(
        f"{_quoted(name)} {_TYPES[str(kind)]}" for name, kind in zip(relation.columns, relation.types, strict=True)
    )
    server.execute(f"CREATE TABLE {_quoted(table)} ({columns})")
    with server.cursor().copy(f"COPY {_quoted(table)} FROM STDIN") as copy:
        for row in relation.fetchall():
            copy.write_row(row)


@pytest.fixture(scope="module")
def run(server: Any) -> Callable[[str], tuple[list[str], list[Any]]]:
    """Return what runs a query on the server, with the tables there."""
    for name in TABLES:
        stored(server, name, f"FROM {name}")
    for view in EMPTY_VIEWS:
        server.execute(view)

    def ask(sql: str) -> tuple[list[str], list[Any]]:
        cursor = server.execute(sql)
        return [column.name for column in cursor.description], cursor.fetchall()

    return ask


@pytest.fixture(scope="module")
def answered() -> dict[str, bool]:
    """Return what is known of the calls that were made: whether PostgreSQL answered as DuckDB does."""
    return {}


@pytest.mark.parametrize("name", EVERY)
def test_it_answers_as_duckdb(run, answered, name):
    answered[name] = False
    assert_answers_as_duckdb(run, answer(name, "postgres"), call(name))
    answered[name] = True


def test_the_table_in_the_readme_says_which_it_answers_as_duckdb(answered):
    engines.check("PostgreSQL", answered)


@pytest.mark.parametrize("name", EVERY)
def test_a_real_file_is_measured_as_in_duckdb(run, name):
    made = call(name, "many")
    assert_answers_as_duckdb(run, made.compiled("postgres", reference()), made)


@pytest.mark.parametrize("name", ["sdc_household_risk", "sdc_individual_risk", "sdc_l_diversity_records"])
def test_the_planner_expects_the_records_that_there_are(run, server, name):
    """Else it expects them times the cells, and its JIT takes longer than the query."""
    server.execute("ANALYZE many")
    _, (((plan, *_),),) = run(f"EXPLAIN (FORMAT JSON) {call(name, 'many').compiled('postgres', reference())}")

    def expected(node):
        return max([node["Plan Rows"], *(expected(child) for child in node.get("Plans", []))])

    assert expected(plan["Plan"]) <= 22_272 + 16  # and the branches of the checks, which give no rows


@pytest.mark.parametrize("name", EVERY)
def test_an_empty_table_is_an_error(run, name):
    tables = ("nobody", "none") if name in READERS else ("nobody",)
    for sql in [sql for table in tables for sql in filtered(name, table, "postgres")]:
        with pytest.raises(Exception, match=r"The table (nobody|none)(_masked)? has no rows: there is nothing to meas"):
            run(sql)


@pytest.mark.parametrize(("name", "table", "complaint"), WRONG)
def test_wrong_data_are_an_error_in_the_macros_words(run, name, table, complaint):
    made = call(name, table)
    with pytest.raises(duckdb.Error, match=complaint):
        reference().execute(made.sql).fetchall()
    with pytest.raises(Exception, match=complaint):
        run(made.compiled("postgres", reference()))


@pytest.mark.parametrize(
    ("kind", "values", "way_out"),
    [
        ("DOUBLE PRECISION", ("0.0", "-0.0"), "x + 0"),
        ("REAL", ("0.0", "-0.0"), "x + 0"),
        ("INTERVAL", ("1 month", "30 days"), "justify_interval(x)"),
        ("NUMERIC", ("1.0", "1.00"), "trim_scale(x)"),
    ],
)
def test_values_that_it_calls_equal_and_a_file_tells_apart_are_an_error(server, run, kind, values, way_out):
    """Three records of one and one of the other are a cell of four to it."""
    server.execute("DROP TABLE IF EXISTS equal_values")
    server.execute(f"CREATE TABLE equal_values (x {kind}, s TEXT)")
    for value in (values[0], *values, values[0], None):
        server.execute(f"INSERT INTO equal_values VALUES (CAST(%s AS {kind}), '-0')", [value])
    assert run("SELECT count(*) FROM equal_values GROUP BY x ORDER BY 1")[1] == [(1,), (4,)]
    texts = run("SELECT count(*) FROM equal_values GROUP BY CAST(x AS TEXT) ORDER BY 1")[1]
    assert texts == [(1,), (1,), (3,)]
    for nulls in ("category", "wildcard"):
        sql = sdc_sql.compile("cells", "equal_values", ["x", "s"], dialect="postgres", columns=["x", "s"], nulls=nulls)
        with pytest.raises(Exception, match=r"The column x of .* a file tells apart"):
            run(sql)
    server.execute(f"UPDATE equal_values SET x = {way_out}")
    sql = sdc_sql.compile("cells", "equal_values", ["x", "s"], dialect="postgres", columns=["x", "s"])
    assert sorted(n for *_, n in run(sql)[1]) == [1, 4]


def test_texts_that_a_collation_calls_equal_are_an_error(server, run):
    """Three records of 'a' and one of 'A' are a cell of four to it; of another column, or without the collation, no."""
    server.execute("CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
    server.execute("CREATE TABLE collated (x TEXT COLLATE blind, y TEXT)")
    server.execute("INSERT INTO collated VALUES ('a', 'a'), ('a', 'A'), ('A', 'a'), ('a', NULL), (NULL, 'A')")
    assert run("SELECT count(*) FROM collated GROUP BY x ORDER BY 1")[1] == [(1,), (4,)]

    def count(keys):
        sql = sdc_sql.compile("cells", "collated", keys, dialect="postgres", columns=["x", "y"])
        return sorted(n for *_, n in run(sql)[1])

    with pytest.raises(Exception, match=r"The column x of .* a file tells apart"):
        count(["x", "y"])
    assert count(["y"]) == [1, 2, 2]
    server.execute("UPDATE collated SET x = lower(x)")
    assert count(["x"]) == [1, 4]
    # each table has one form, and not the same: nobody of the population is who the engine takes him for
    server.execute("CREATE TABLE others AS SELECT upper(x) AS x FROM collated")
    mapped = sdc_sql.compile("k_map", "collated", "others", ["x"], 3, dialect="postgres", columns=["x"])
    with pytest.raises(Exception, match=r"The column x of .*collated.* and .*others.* a file tells apart"):
        run(mapped)
    server.execute("UPDATE others SET x = lower(x)")
    assert run(mapped)[1] == [(3, 1, 1, 0, 1)]
    server.execute("DROP TABLE others")
    server.execute("DROP TABLE collated")
    server.execute("DROP COLLATION blind")


@pytest.mark.parametrize(("name", "arguments", "named"), ODD)
def test_odd_names(run, name, arguments, named):
    call = query.call_macro(name, "odd", *arguments, **named)
    con = reference()
    expected = con.execute(query.write_sql(call)).fetchall()
    names = [column for column, *_ in con.description]
    others = [
        [c.swapcase() for c in keys] if isinstance(keys, list) and keys[0] == 'a"b' else keys for keys in arguments
    ]
    told = others if name not in TELLS_NAMES else arguments
    found, rows = run(sdc_sql.compile(name, "odd", *told, dialect="postgres", con=con, **named))
    assert found == names
    assert_same(rows, expected, names)


@pytest.mark.parametrize("table", ODD_TABLES)
def test_a_table_with_an_odd_name_on_the_command_line(run, server, table):
    expected = reference().sql(f"FROM sdc_k_anonymity('odd', {ODD_KEYS}, 3)").fetchall()
    stored(server, table, "FROM odd")
    _, rows = run(commanded("k_anonymity", table, ",".join(ODD_KEYS), "3", dialect="postgres"))
    assert rows == expected


@pytest.fixture(scope="module")
def masked(server: Any) -> Callable[[str], tuple[list[str], list[Any]]]:
    """Return what runs a query on a server with a secret key and a table to be masked."""
    for table, found in masked_elsewhere.TABLES.items():
        reference().execute(f"CREATE OR REPLACE TABLE {table} AS {found}")
        stored(server, table, f"FROM {table}")
    server.execute("SET jit = off")

    def ask(sql: str, key: str = masked_elsewhere.KEY) -> tuple[list[str], list[Any]]:
        server.execute("SELECT set_config('sdc.key', %s, false)", [key])
        cursor = server.execute(sql)
        return [column.name for column in cursor.description], cursor.fetchall()

    return ask


@pytest.mark.parametrize("name", masked_elsewhere.CALLS)
def test_masked_values_are_those_of_duckdb(masked, name):
    masked_elsewhere.assert_alike(masked, name, "postgres")


@pytest.mark.parametrize(
    ("words", "table", "column"),
    [
        ("The id has type DOUBLE", "SELECT * REPLACE (id::DOUBLE AS id) FROM workers", "age"),
        ("The id .id. is the same on 2 records", "FROM workers UNION ALL FROM workers", "age"),
        ("The id .* is NULL", "SELECT * REPLACE (nullif(id, 7) AS id) FROM workers", "age"),
        ("The column region has type VARCHAR", "FROM workers", "region"),
        ("Values lie outside their bounds, from -99", "SELECT * REPLACE (-100 AS age) FROM workers", "age"),
        ("more than 9e12 times", "SELECT * REPLACE (1e14 AS income) FROM workers", "income"),
        ("has no rows", "FROM workers LIMIT 0", "age"),
    ],
)
def test_noise_is_refused_in_the_words_of_the_macros(masked, server, words, table, column):
    server.execute("DROP TABLE IF EXISTS wrong")
    stored(server, "wrong", table)
    bound = {"lower": -99} if column == "age" else {}
    columns = masked_elsewhere.COLUMNS
    sql = sdc_sql.compile("noise_absolute", "wrong", [column], 1, "id", dialect="postgres", columns=columns, **bound)
    with pytest.raises(Exception, match=words):
        masked(sql)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("The mapping has no row for 300 of the values", ("recode", ["name", "groups", "id"])),
        ("to be recoded: a compiled query recodes texts", ("recode", ["income", "groups", "id"])),
        ("The mapping lists 1 values more than once", ("recode", ["region", "doubled", "id"])),
        ("Values lie outside the breaks, which go from 0 to below 50", ("recode_intervals", ["age", [0, 50], "id"])),
        ("The column holds NaN", ("recode_intervals", ["income", [0], "id", "open"])),
        ("nothing would be left of it", ("recode_drop_last", ["region", 2, "id"])),
        ("has whole numbers, whose leading zeros are lost", ("recode_keep_first", ["age", 2, "id"])),
    ],
)
def test_recoding_is_refused_in_the_words_of_the_macros(masked, server, words, call):
    server.execute("DROP TABLE IF EXISTS doubled")
    stored(server, "doubled", "FROM groups UNION ALL FROM groups WHERE \"from\" = 'r1'")
    columns = {"workers": masked_elsewhere.COLUMNS, "groups": ["from", "to"], "doubled": ["from", "to"]}
    macro, arguments = call
    with pytest.raises(Exception, match=words) as raised:
        masked(sdc_sql.compile(macro, "workers", *arguments, dialect="postgres", columns=columns))
    assert "name 7" not in str(raised.value)


@pytest.mark.parametrize(("key", "words"), [("", "No secret key"), ("k7Q-92hbnSxvE4t", "can be guessed")])
def test_noise_needs_a_key(masked, key, words):
    with pytest.raises(Exception, match=words) as raised:
        masked(masked_elsewhere.compiled("rounded", "postgres"), key)
    assert not key or key not in str(raised.value)
