"""Faults put back, one by one, and the attack that catches each: it finds nothing where the series is as it is."""

from __future__ import annotations

import shutil
import warnings

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from series_world import CALLS, make_nights, measure
from ten_nights import release_in_series

import sdc_sql
from sdc_sql.errors import RepeatedReleaseWarning, SeriesError
from sdc_sql.series import kept_step, kept_values, series
from sdc_sql.series.kept_values import look_up

pytestmark = pytest.mark.slow  # whole releases, one after another


@pytest.fixture
def con(connect):
    with connect() as con, warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedReleaseWarning)
        con.execute("SET threads = 1")
        yield con


def count_moved(con, names: list[str], released: list[str], column: str) -> int:
    """Return how many values of persons that stayed as they were are released otherwise in another release."""
    parts = " UNION ALL ".join(
        f'SELECT o.id, o."{column}" AS v, r."{column}" AS m FROM "{n}" o JOIN "{r}" r USING (id)'
        for n, r in zip(names, released, strict=True)
    )
    query = f"SELECT count(*) FROM (SELECT 1 FROM ({parts}) GROUP BY id, v HAVING count(DISTINCT m) > 1)"
    ((moved,),) = con.execute(query).fetchall()
    return moved


@pytest.mark.parametrize("faulty", [False, True])
def test_by_record_instead_of_by_value(con, tmp_path, monkeypatch, faulty):
    """Everybody's rent changes each night, no income: kept by record, each night tells of the incomes anew."""
    read = kept_values.Place.read_digests

    def read_of_record(self, *given):
        own = read(self, *given)
        joined = [b"".join(row) for row in zip(*(own[f"sdc__d{j}"].to_pylist() for j in range(2)), strict=True)]
        for j in range(2):
            halves = pa.array([one[:8] + one[16:24] for one in joined], pa.binary(16))
            own = own.set_column(own.schema.get_field_index(f"sdc__d{j}"), f"sdc__d{j}", halves)
        return own

    if faulty:
        monkeypatch.setattr(kept_values.Place, "read_digests", read_of_record)
    names = make_nights(con, "column", 300, 6)
    released = release_in_series(con, names, "microaggregate, two columns", tmp_path)
    moved = count_moved(con, names, released, "income")
    gain = measure(con, names, released, ["income"])[0]["gain"]
    assert (moved > 100) is faulty
    assert (moved == 0) is not faulty
    assert (gain > 0.02) is faulty


@pytest.mark.parametrize("faulty", [False, True])
def test_the_last_state_only(con, tmp_path, monkeypatch, faulty):
    """Who changes and changes back joins once more: his average and his group are two equations of one value."""

    def look_up_last(ledger, own, step, columns):
        latest = ledger.values.group_by(["step", "place", "id"]).aggregate([("since", "max")])
        at = ledger.values.join(latest, ["step", "place", "id"])
        last = at.filter(pc.equal(at["since"], at["since_max"])).select(ledger.values.column_names)
        kept, ledger.values = ledger.values, last.cast(ledger.values.schema)
        try:
            return look_up(ledger, own, step, columns)
        finally:
            ledger.values = kept

    if faulty:
        monkeypatch.setattr(kept_step, "look_up", look_up_last)
    names = make_nights(con, "back", 600, 7)
    released = release_in_series(con, names, "microaggregate, one column", tmp_path)
    assert (count_moved(con, names, released, "income") > 0) is faulty


@pytest.mark.parametrize("faulty", [False, True])
def test_a_fresh_deviation_each_night(con, tmp_path, monkeypatch, faulty):
    if faulty:
        monkeypatch.setattr(series, "freeze_design", lambda _con, masking, *_: masking)
    names = make_nights(con, "churn", 300, 6)
    released = release_in_series(con, names, "noise, alpha", tmp_path)
    moved = count_moved(con, names, released, "income")
    assert (moved > 100) is faulty
    assert (moved == 0) is not faulty
    assert (measure(con, names, released, CALLS["noise, alpha"][0])[0]["gain"] > 0.01) is faulty


@pytest.mark.parametrize("faulty", [False, True])
def test_a_ledger_without_its_chain(con, tmp_path, monkeypatch, faulty):
    """A copy of the first night's ledger goes on another way, and an empty one in its place begins anew."""
    if faulty:
        monkeypatch.setattr(series, "check_chain", lambda *_: None)
    names = make_nights(con, "churn", 120, 3)

    def release(name: str, after: str) -> str:
        with sdc_sql.Series(tmp_path / "l", "l", name, after=after, disk_encrypted=True) as one:
            data = sdc_sql.Microdata(con, f'"{name}"', id="id", series=one)
            data.mask.microaggregate("income", 3, into=f"{name} out")
        con.execute(f'DROP TABLE "{name} out"')
        return one.head

    first = release(names[0], "")
    shutil.copy(tmp_path / "l", tmp_path / "copy")
    second = release(names[1], first)
    for place in ("copy", None):  # an older copy restored; none
        (tmp_path / "l").unlink()
        if place is not None:
            shutil.copy(tmp_path / place, tmp_path / "l")
        if faulty:
            assert release(names[2], second)
        else:
            with pytest.raises(SeriesError, match=r"does not end where|There is no ledger"):
                release(names[2], second)


def test_a_second_series_of_the_same_records_tells_more(con, tmp_path):
    """A full refresh, or a lost ledger, that begins anew: two groupings of the same values."""
    names = make_nights(con, "churn", 300, 4)
    once = release_in_series(con, names, "microaggregate, one column", tmp_path)
    (row,) = measure(con, names, once, ["income"])
    assert row["gain"] == 0
    twice = once[:2] + release_in_series(con, names[2:], "microaggregate, one column", tmp_path, ledger="anew")
    con.execute(f'CREATE OR REPLACE TABLE "{names[1]} released" AS FROM "{once[1]}"')
    (row,) = measure(con, names, twice, ["income"])
    assert row["gain"] > 0.01
    assert count_moved(con, names, twice, "income") > 50
