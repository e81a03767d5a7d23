"""A stolen ledger: without the key it tells nothing of originals; with it it is a pseudonymised copy of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.series.ledger import read_ledger

KEY, OTHER = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U", "qB7-8hRkWs3MxJn1_ZeVd4PiFt6LcTbDp0jSuN2yl5A"
WARDS = ["oncology", "psychiatry", "virology"]
N, FIRST = 90, 7_000_000_000  # ids of ten digits: some of four digits stand in a cipher by chance
WITHOUT_ID = """CREATE OR REPLACE MACRO sdc__series_value(id, value, series, step, column_name) AS
    sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, step, 'series', '', column_name)), '',
                                sdc__part(sdc__canonical(value))))"""


def record(con, folder, *, encrypted: bool = False):
    """Return the ledger of one release, of which ages and their wards are masked, and its table."""
    rng = np.random.default_rng(3)
    made = pa.table(
        {"id": np.arange(FIRST, FIRST + N), "age": rng.integers(40, 52, N), "ward": np.repeat(WARDS, N // 3)}
    )
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.register("made", made)
    con.execute("CREATE OR REPLACE TABLE patients AS FROM made")
    con.unregister("made")
    path = folder / "patients.ledger"
    with sdc_sql.Series(path, "patients", "one", disk_encrypted=not encrypted) as series:
        data = sdc_sql.Microdata(con, "patients", id="id", series=series)
        data.mask.microaggregate("age", 3, stratum="ward", into="released")
    con.execute("DROP TABLE released")
    return path, made


def open_ledger(con, path):
    ((key,),) = con.execute("SELECT sdc__series_key('patients', 'file')").fetchall()
    return read_ledger(path, bytes.fromhex(key))[0]


def try_all(con, ids, values) -> dict[bytes, int]:
    """Return by its digest each possible value of each record, under the key of the connection."""
    rows = con.execute(
        "SELECT sdc__series_value(sdc__checked_id(i), v, 'patients', '0', 'age'), v "
        "FROM unnest(?::BIGINT[]) a(i), unnest(?::INTEGER[]) b(v)",
        [ids, values],
    ).fetchall()
    return dict(rows)


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("encrypted", [True, False])
def test_no_id_no_value_and_no_stratum_stands_in_its_bytes(connect, tmp_path, encrypted):
    with connect() as con:
        path, _ = record(con, tmp_path, encrypted=encrypted)
    read = path.read_bytes()
    assert not [ward for ward in WARDS if ward.encode() in read]
    assert not [i for i in range(FIRST, FIRST + N) if str(i).encode() in read]
    # The steps of one on an encrypted disk are to be read, and this test looks.
    assert (b"microaggregate" in read) is not encrypted


def test_with_the_key_it_is_a_pseudonymised_copy_and_without_it_none(connect, tmp_path):
    """Who has it tries all values: all ages of all records are found; under another key not one is."""
    with connect() as con:
        path, made = record(con, tmp_path)
        ledger = open_ledger(con, path)
        digests = ledger.values["digest"].to_pylist()
        ids, truth = made["id"].to_pylist(), made["age"].to_pylist()
        found = try_all(con, ids, [*range(18, 91)])
        assert sorted(found[d] for d in digests) == sorted(truth)
        strata = ledger.fixed["groups 0"]["sdc__stratum"].to_pylist()
        named = dict(
            con.execute("SELECT sdc__series_stratum(w, 'patients', '0'), w FROM unnest(?) t(w)", [WARDS]).fetchall()
        )
        assert {named[s] for s in strata} == {*WARDS}
        con.execute("SET VARIABLE sdc_key = ?", [OTHER])
        assert not set(try_all(con, ids, [*range(18, 91)])) & {*digests}
        others = {
            s
            for (s,) in con.execute(
                "SELECT sdc__series_stratum(w, 'patients', '0') FROM unnest(?) t(w)", [WARDS]
            ).fetchall()
        }
        assert not others & {*strata}


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("faulty", [False, True])
def test_how_often_a_value_occurs_is_not_seen_in_its_digests(connect, tmp_path, faulty):
    """With digests of values alone their frequencies are those of the values, and tell which is which."""
    with connect() as con:
        sdc_sql.load(con)
        if faulty:
            con.execute(WITHOUT_ID)
        path, made = record(con, tmp_path)
        digests = Counter(open_ledger(con, path).values["digest"].to_pylist())
    frequencies = sorted(digests.values())
    of_ages = sorted(Counter(made["age"].to_pylist()).values())
    assert frequencies == (of_ages if faulty else [1] * N)
