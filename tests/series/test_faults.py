"""Faults put back, one by one, and the attack that catches each: it finds nothing where the series is as it is."""

from __future__ import annotations

import shutil
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from series_world import CALLS, KEY, make_nights, measure
from ten_nights import release_in_series

import sdc_sql
from sdc_sql.errors import RepeatedReleaseWarning, SeriesError
from sdc_sql.series import boxed_step, kept_step, kept_values, series
from sdc_sql.series.boxes import Boxes
from sdc_sql.series.kept_values import look_up
from tests.series.test_boxes import holds
from tests.series.test_kept_values import Nights

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


@pytest.mark.parametrize("faulty", ["", "newcomers count", "moved ones merge"])
def test_boxes_that_are_merged_tell_of_who_came(con, tmp_path, monkeypatch, faulty):
    """Two worlds that differ in the age of one newcomer, or of one who moved: the others must be released alike.

    Else who knows all others finds by their labels where he is, though he is not shown there by himself.
    """
    count = Boxes._count_stayed

    def count_faultily(self, places, before):
        box, stayed = count(self, places, before)
        stays = np.bincount(box, minlength=len(stayed))
        return box, stays if faulty == "moved ones merge" else np.where(stayed > 0, stays, 0)

    if faulty:
        monkeypatch.setattr(Boxes, "_count_stayed", count_faultily)
    start = {i: age for age, group in ((20, range(4)), (40, range(4, 7)), (90, range(7, 10))) for i in group}
    left = {i: age for i, age in start.items() if i not in {4, 7, 8, 9}}  # of 40 too few stay, of 90 nobody
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    seen = []
    for n, (age, moved) in enumerate([(20, 20), (40, 20), (20, 90)]):
        nights = Nights(con, tmp_path, call=lambda mask, into: mask.mondrian(3, keys=["age"], into=into))
        nights.ledger = tmp_path / f"{n}.ledger"
        worlds = (start, left | {3: moved, 99: age})
        *_, last = [nights.release({"id": [*w], "age": [*w.values()]}, most_new=1.0) for w in worlds]
        seen.append({i: last.get(i) for i in (0, 1, 2, 5, 6)})
    assert (seen[0] != seen[1]) is bool(faulty)
    assert (seen[0] != seen[2]) is (faulty == "moved ones merge")


@pytest.mark.parametrize("faulty", [False, True])
def test_boxes_that_are_cut_anew(con, tmp_path, monkeypatch, faulty):
    """Of an unchanged person the boxes of two nights intersect in one of fewer than k who were there both times."""
    if faulty:
        monkeypatch.setattr(boxed_step, "read_tables", lambda *_: None)
        monkeypatch.setattr(boxed_step, "find_before", lambda _ledger, _step, persons: np.full(len(persons), -1))
        monkeypatch.setattr(boxed_step, "hold_what_was_shown", lambda _boxes, places, _: places[:, 0] > -9)
        monkeypatch.setattr(kept_step, "cuts_boxes", lambda _: False)
        monkeypatch.setattr(kept_step, "suppresses_values", lambda _: True)
    names = make_nights(con, "churn", 300, 3)
    released = release_in_series(con, names, "mondrian", tmp_path)
    parts = " JOIN ".join(f'"{r}" r{n} USING (id)' if n else f'"{r}" r{n}' for n, r in enumerate(released))
    query = f"""SELECT count(*) FROM (SELECT DISTINCT age, region FROM (SELECT r0.age, r0.region FROM {parts})) a
        JOIN (SELECT r0.age, r0.region, count(DISTINCT (r2.age, r2.region)) AS n FROM {parts} GROUP BY ALL) b
            USING (age, region) WHERE n > 1"""
    ((parted,),) = con.execute(query).fetchall()
    assert (parted > 0) is faulty


@pytest.mark.parametrize("faulty", [False, True])
def test_boxes_of_who_moves_in_one_key(con, tmp_path, monkeypatch, faulty):
    """Some move to another region each night: the labels of their ages would intersect, night by night."""
    if faulty:
        monkeypatch.setattr(boxed_step, "hold_what_was_shown", lambda _boxes, places, _: places[:, 0] > -9)
    names = make_nights(con, "move", 300, 4)
    released = release_in_series(con, names, "mondrian", tmp_path)
    narrower, first = 0, {}
    for name in released:
        for i, label in con.execute(f'SELECT id, age FROM "{name}"').fetchall():
            before = {age for age in range(18, 91) if holds(first.setdefault(i, label), age)}
            narrower += not before <= {age for age in range(18, 91) if holds(label, age)}
    assert (narrower > 0) is faulty


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
