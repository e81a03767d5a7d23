"""The table of variables: what it shows of values is what both files have, whatever they are."""

from __future__ import annotations

from types import SimpleNamespace

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.release.reporting.internal.values import compare_values


@pytest.fixture
def compare():
    with duckdb.connect() as con:
        con.execute("""CREATE TABLE k AS SELECT i AS id, i % 3 AS "Select", (i * i)::DOUBLE AS f,
            'a"' || i % 20 AS "q""t",
            CASE WHEN i % 4 > 0 THEN i % 2 END AS n, [i % 2, 1] AS list, NULL::INTEGER AS nothing, 'x' AS one,
            CASE WHEN i = 0 THEN 'inf'::DOUBLE ELSE i / 7 END AS wide, DATE '2020-01-01' + (i % 40)::INT AS day
            FROM range(1000) t(i)""")
        con.execute("""CREATE TABLE released AS SELECT * REPLACE ('[' || (f // 1000) || ']' AS f,
            CASE WHEN "Select" > 0 THEN "Select" END AS "Select", wide + 1 AS wide) FROM k""")
        data = {name: Microdata(con, name) for name in ("k", "released")}
        yield lambda name, before="k", after="released": compare_values(
            SimpleNamespace(original=data[before], released=data[after]), name
        )


@pytest.mark.parametrize("name", ["Select", "f", 'q"t', "n", "list", "one", "wide", "day"])
def test_shares_of_each_side_are_of_all_its_records(compare, name):
    found = compare(name)
    for side in (found.before, found.after):
        assert sum(side.shares) + side.missing == pytest.approx(1)
        assert len(side.labels) == len(side.shares)


def test_shares_are_those_of_a_count(compare):
    few = compare("Select")
    assert few.before.labels == few.after.labels == ("0", "1", "2")
    assert few.before.shares == pytest.approx((0.334, 0.333, 0.333))
    assert (few.after.shares, few.after.missing) == (pytest.approx((0, 0.333, 0.333)), pytest.approx(0.334))
    many = compare('q"t')
    assert many.before.labels[-1] == "others"
    assert many.before.shares[-1] == pytest.approx(12 / 20)
    recoded = compare("f")  # squares: of classes of one width the first has most
    assert recoded.before.ends
    assert recoded.before.shares[0] == max(recoded.before.shares)
    assert not recoded.after.ends


def test_a_column_without_values_has_no_picture(compare):
    assert compare("nothing") is None
