"""A number, or a list, where the name of a column must stand: refused, since another column stood in for it."""

from __future__ import annotations

import duckdb
import pytest

from sdc_sql.db.catalogue.macros import example_tables, read_catalogue

# a number is a weight of all records alike, and so many inhabitants of all regions; the rest is not read by the example
NUMBERS = {"weight", "inhabitants"}
UNREAD = {
    ("sdc_distribution_distance", "id"), ("sdc_suppress_combinations", "whole"), ("sdc_suppress_risky", "whole"),
    ("sdc_multiplicative_noise", "stratum"), ("sdc_multiplicative_noise", "household"),
}  # fmt: skip
CALLS = {
    f"{of.name} {p.name}": f"{of.example.rstrip(';')[:-1]}, {p.name} := {{}})"
    for of in read_catalogue()
    for p in of.parameters
    if p.kind == "column" and p.name not in NUMBERS and (of.name, p.name) not in UNREAD
    if of.example.startswith("FROM") and of.example.endswith(");") and f"{p.name} :=" not in of.example
    if p.default is not None
}


@pytest.fixture(scope="module")
def db(connect):
    with connect() as con:
        con.execute(example_tables())
        yield con


def test_many_calls_were_found():
    assert len(CALLS) > 50


@pytest.mark.one_in(15)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_name_of_a_column_is_refused(db, call):
    for wrong in ("3", "['sex']"):
        with pytest.raises(duckdb.Error):
            db.execute(CALLS[call].format(wrong)).fetchall()
