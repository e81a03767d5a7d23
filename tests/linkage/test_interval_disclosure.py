"""Interval disclosure: the header's example, against its definition on random tables, sdcMicro's figures, odd input."""

from __future__ import annotations

import numpy as np
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import InputError

COLUMNS = ["x", "y'", "Select"]


def defined(before, after, intervals, width):
    """Whether each original value lies in its interval: None where it or the released one is missing."""
    inside = np.full(before.shape, None, dtype=object)
    for j, (x, y) in enumerate(zip(before.T, after.T, strict=True)):
        known = np.sort(y[~np.isnan(y)])
        h = int(width * len(known) + 1e-9)
        for i in np.flatnonzero(~np.isnan(x) & ~np.isnan(y)):
            if intervals == "rank":
                first, last = np.flatnonzero(known == y[i])[[0, -1]]
                inside[i, j] = known[max(first - h, 0)] <= x[i] <= known[min(last + h, len(known) - 1)]
            else:
                inside[i, j] = abs(x[i] - y[i]) <= width * known.std(ddof=1)
    return inside


@pytest.fixture(params=range(2))
def files(request, con):
    draw = np.random.default_rng(request.param)
    before = np.round(draw.normal(size=(60, 3)) * [10, 3, 1e4])  # of whole numbers many are equal
    after = np.round(before + draw.normal(size=(60, 3)) * [2, 1, 1e3])
    after[:7, 0] = before[5:9, 1] = np.nan
    after[20] = np.nan
    for name, values in (("k", before), ("f", after)):
        rows = [[i, *(None if np.isnan(v) else float(v) for v in row)] for i, row in enumerate(values)]
        con.execute(f'CREATE TABLE {name} (id INTEGER, x DOUBLE, "y\'\'" DOUBLE, "Select" DOUBLE)'.replace("''", "'"))
        con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", rows)
    return con, before, after


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("intervals", "width"), [("sd", 0.05), ("sd", 0.4), ("rank", 0.05), ("rank", 0.3)])
def test_it_is_what_is_defined(files, intervals, width):
    con, before, after = files
    inside = defined(before, after, intervals, width)
    data = Microdata(con, "f", id="id")
    records, *variables = data.linkage.interval_disclosure("k", COLUMNS, intervals=intervals, width=width)
    for found, its, x in zip(variables, inside.T, before.T, strict=True):
        compared = [v for v in its if v is not None]
        assert (found.values, found.disclosed) == (len(compared), sum(compared))
        assert found.suppressed == np.sum(~np.isnan(x)) - len(compared)
        assert found.share == sum(compared) / len(compared)
    of_records = [[v for v in row if v is not None] for row in inside]
    assert (records.variable, records.values) == (None, sum(map(bool, of_records)))
    assert records.disclosed == sum(all(row) for row in of_records if row)
    had = (~np.isnan(before)).any(axis=1)
    assert records.suppressed == sum(there and not row for there, row in zip(had, of_records, strict=True)) > 0
    assert records.share == records.disclosed / records.values
    rows = (
        data.linkage.interval_disclosure_records("k", COLUMNS, intervals=intervals, width=width).order("id").fetchall()
    )
    assert rows == [(i, len(row), sum(row), sum(row) / len(row) if row else None) for i, row in enumerate(of_records)]


def test_the_header_s_example(con):
    con.execute("CREATE TABLE o AS FROM (VALUES (1, 1), (2, 4), (3, 3), (4, 9)) AS t(id, x)")
    con.execute("CREATE TABLE r AS FROM (VALUES (1, 2), (2, 3), (3, 5), (4, 8)) AS t(id, x)")
    call = "FROM sdc_interval_disclosure('o', 'r', ['x'], 'id', intervals := 'rank', width := 0.25)"
    assert con.execute(call).fetchall() == [(None, 4, 0, 2, 0.5), ("x", 4, 0, 2, 0.5)]
    # a sample of the records: what is not released is not disclosed, and counts nowhere
    con.execute("DELETE FROM r WHERE id = 1")
    (found, _) = con.execute("FROM sdc_interval_disclosure('o', 'r', ['x'], 'id')").fetchall()
    assert found[1] == 3


@pytest.mark.parametrize("width", [0.05, 0.01])
@pytest.mark.parametrize(("entry", "columns"), [("Tarragona", 13), ("Tarragona_4", 4), ("CASCrefmicrodata", 13)])
def test_the_share_of_records_is_drisk_of_sdcmicro(con, shared, sdcmicro, *, entry, columns, width):
    for table, end in (("o", ""), ("r", "_perturbed")):
        file = shared / "data" / f"{entry.removesuffix('_4').lower()}{end}.parquet"
        con.execute(f"CREATE TABLE {table} AS SELECT row_number() OVER () AS id, * FROM '{file}'")
    names = [name for name, *_ in con.execute("DESCRIBE o").fetchall()][1 : columns + 1]
    found = Microdata(con, "r", id="id").linkage.interval_disclosure("o", names, width=width)
    assert found[0].share == pytest.approx(sdcmicro[f"util_{entry}"][f"dRisk_k{width}"], abs=1e-12)


def test_nothing_is_lost_at_its_edges(con):
    con.execute("CREATE TABLE o AS SELECT i AS id, 5e0 AS x, NULL::INTEGER AS gone FROM range(9) AS t(i)")
    found = Microdata(con, "o", id="id").linkage.interval_disclosure("o", ["x", "gone"])
    assert [(row.values, row.suppressed, row.share) for row in found] == [(9, 0, 1), (9, 0, 1), (0, 0, None)]
    con.execute("CREATE TABLE one AS FROM o WHERE id = 1")
    assert Microdata(con, "one", id="id").linkage.interval_disclosure("one", ["x"])[0].share == 1
    assert Microdata(con, "one", id="id").linkage.interval_disclosure("one", ["x"], intervals="rank")[0].share == 1


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"intervals": "sds"}, "intervals is 'sds': it must be one of sd, rank"),
        ({"width": 0}, "width"),
        ({"intervals": "rank", "width": 5}, "width is 5.*a share of the values, below 1"),
        ({"columns": ["sex"]}, "give a numeric column"),
        ({"columns": ["income"]}, "is not a column"),
    ],
)
def test_what_is_refused(persons, asked, told):
    data = Microdata(persons, "persons", id="id")
    with pytest.raises(InputError, match=told):
        data.linkage.interval_disclosure("persons", **{"columns": ["weight"], **asked})


def test_what_is_no_number_and_has_no_original_is_refused(persons):
    data = Microdata(persons, "persons", id="id")
    persons.execute("CREATE TABLE f AS SELECT * REPLACE ('nan'::DOUBLE AS weight) FROM persons")
    with pytest.raises(InputError, match="NaN"):
        data.linkage.interval_disclosure("f", ["weight"])
    persons.execute("CREATE TABLE few AS FROM persons WHERE id > 2")
    with pytest.raises(InputError, match="2 records of the released table"):
        data.linkage.interval_disclosure("few", ["weight"])
