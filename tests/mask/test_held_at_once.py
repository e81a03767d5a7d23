"""Masks that hold all records at once say before they begin that the memory cannot hold them, and how much can."""

from __future__ import annotations

import re

import duckdb
import pytest
from every_mask import MASKS, call

import sdc_sql
from sdc_sql.db.catalogue.macros import example_tables, list_needed_macros

MACRO = "sdc__identified_at_once"
EXAMPLES = {
    name: call(name, "crowd") for name in MASKS if MACRO in list_needed_macros(f"FROM {name}()")
} | {
    # those of the header mask each record by itself, or compare each record with all others
    "sdc_noise": "FROM sdc_noise('crowd', ['age', 'income'], 0.1, 'id', method := 'nonlinear', threshold := 1)",
    "sdc_microaggregate": "FROM sdc_microaggregate('crowd', ['age', 'income'], 3, 'id', blocks := 2000)",
    "sdc_multiplicative_noise": "FROM sdc_multiplicative_noise('crowd', ['income'], 0.1, 'id', method := 'hoehne')",
}  # fmt: skip
EACH = pytest.mark.parametrize("name", EXAMPLES)


def make_table(con: duckdb.DuckDBPyConnection, records: int) -> None:
    """Make the persons of the examples so many, one after the other, with other ids."""
    con.execute(example_tables())
    con.execute(
        "CREATE TABLE crowd AS SELECT p.* EXCLUDE (place) REPLACE (r.n AS id) "
        f"FROM (SELECT *, row_number() OVER () AS place FROM persons) AS p, range({records}) AS r(n) "
        "WHERE p.place = 1 + r.n % (SELECT count(*) FROM persons) ORDER BY r.n"
    )


def refuse(con: duckdb.DuckDBPyConnection, name: str) -> str:
    with pytest.raises(duckdb.Error, match="This method holds all records at once") as caught:
        con.execute(EXAMPLES[name]).fetchall()
    return str(caught.value)


@pytest.fixture(scope="module")
def many(connect, tmp_path_factory):
    """Return a connection with a few hundred thousand persons and a little memory."""
    with connect(str(tmp_path_factory.mktemp("held") / "many.duckdb")) as con:
        make_table(con, 200_000)
        con.execute("CHECKPOINT")
        con.execute("SET memory_limit = '24MB'")
        yield con


def test_masks_were_found():
    assert {"sdc_rank_swap", "sdc_microaggregate", "sdc_data_swap", "sdc_synthesise", "sdc_bootstrap"} <= set(EXAMPLES)


@pytest.mark.one_in(5)
@EACH
def test_too_many_records_are_refused_before_they_are_read(many, name):
    said = refuse(many, name)
    assert re.search(r"about \d+ MB for 200,000 records, and memory_limit is 22.8 MiB: raise it", said), said


def test_a_verb_refuses_them_and_the_table_stays_as_it_was(many):
    before = many.execute("SELECT sum(hash(crowd)) FROM crowd").fetchall()
    with pytest.raises(sdc_sql.TableError, match="holds all records at once"):
        sdc_sql.Microdata(many, "crowd", id="id").mask.rank_swap("income", 5)
    assert many.execute("SELECT sum(hash(crowd)) FROM crowd").fetchall() == before


# (of the two that are left out the examples do not fit a crowd; they hold the lists of sdc_hybrid)
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - {"sdc_hybrid_masking", "sdc_restore_moments"}))
def test_under_the_limit_that_is_asked_for_a_million_records_are_masked(connect, tmp_path, name):
    with connect(str(tmp_path / "million.duckdb")) as con:
        make_table(con, 1_000_000)
        con.execute("CHECKPOINT")
        con.execute("SET memory_limit = '100MB'")
        asked = re.search(r"SET memory_limit = '(\d+MB)'", refuse(con, name))[1]
        con.execute("SET threads = 2")
        con.execute(f"SET memory_limit = '{asked}'")
        con.execute(f"CREATE TEMPORARY TABLE masked AS {EXAMPLES[name]}")
        assert con.execute("SELECT count(*) FROM masked").fetchone() == (1_000_000,)
