"""Records in random order: a permutation that the key alone tells, and bytes that tell nothing of the source."""

from __future__ import annotations

import math
import struct

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql import ParameterError, ReleaseFileError
from sdc_sql.cli import main

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 3_000
FIRST = 7_000_000_001  # ids that are found in bytes


@pytest.fixture
def k(con):
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute(
        f'CREATE TABLE k AS SELECT range AS f, {FIRST} + 3 * range AS "it\'s", range % 7 AS "Select" FROM range({N})'
    )
    return con


def order(con, release="a", table="k"):
    """Return the places in the source of the records, in their new order."""
    rows = con.execute(f"SELECT f, \"it's\" FROM sdc_renumber('{table}', 'it''s', '{release}') ORDER BY 2").fetchall()
    assert [i for _, i in rows] == list(range(1, N + 1))  # a bijection to 1, ..., n
    return [f for f, _ in rows]


def test_a_permutation_that_the_key_and_the_release_tell(k):
    first = order(k)
    assert sorted(first) == list(range(N))
    k.execute("CREATE TABLE again AS FROM k ORDER BY hash(f)")
    k.execute("SET threads = 1")
    assert order(k, table="again") == first
    others = [order(k, "b")]
    k.execute("SET VARIABLE sdc_key = ?", [KEY[::-1]])
    others.append(order(k))
    for other in (*others, list(range(N))):
        # ranks of two random orders: the correlation has s.d. 1 / sqrt(n - 1); fixed points are Poisson with mean 1
        assert abs(np.corrcoef(np.argsort(first), np.argsort(other))[0, 1]) < 4.5 / math.sqrt(N - 1)
        assert sum(a == b for a, b in zip(first, other, strict=True)) < 12


@pytest.mark.slow
def test_in_place_the_records_stand_in_their_new_order(k):
    data = sdc_sql.Microdata(k, "k", id="it's")
    data.mask.noise("f", 0.1)
    step = data.mask.renumber("a")
    assert (step.records, step.columns, step.stream, step.release) == (N, ("it's",), "", "a")
    rows = k.execute('SELECT "it\'s", f FROM k').fetchall()
    assert [i for i, _ in rows] == list(range(1, N + 1))
    assert data.mask.renumber("a").stream == "2"  # drawn anew
    assert k.execute("SELECT f FROM k").fetchall() != [(f,) for _, f in rows]
    assert data.mask.noise("f", 0.1).stream == "2"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["parquet", "csv", "duckdb"])
def test_nothing_of_order_and_ids_is_in_the_bytes(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect(tmp_path / "source.duckdb") as con:
        con.execute(f"CREATE TABLE k AS SELECT {FIRST} + 3 * range AS id, range AS f FROM range({N})")
        data = sdc_sql.Microdata(con, "k", id="id")
        data.mask.renumber("a")
        data.write(tmp_path / f"o.{kind}")
    held = (tmp_path / f"o.{kind}").read_bytes()
    ids = [FIRST + 3 * i for i in range(N)]
    assert not any(struct.pack("<q", i) in held or str(i).encode() in held for i in ids)
    with duckdb.connect(tmp_path / "o.duckdb" if kind == "duckdb" else ":memory:") as con:
        table = "k" if kind == "duckdb" else f"'{tmp_path}/o.{kind}'"
        places = [f for (f,) in con.execute(f"SELECT f FROM {table}").fetchall()]
    assert abs(np.corrcoef(places, range(N))[0, 1]) < 4.5 / math.sqrt(N - 1)


@pytest.mark.slow
def test_the_command_line_and_what_is_refused(k, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDC_KEY", KEY)
    k.execute(f"COPY k TO '{tmp_path}/k.parquet'")
    command = ["mask", "renumber", f"{tmp_path}/k.parquet", "--id", "it's", "--output", f"{tmp_path}/o.parquet"]
    assert main([*command, "--release", "a"]) == 0
    found = k.execute(f"SELECT f FROM '{tmp_path}/o.parquet'").fetchall()
    assert [f for (f,) in found] == order(k)
    capsys.readouterr()
    for release in ("", None):
        with pytest.raises(ParameterError, match="name of a release"):
            sdc_sql.Microdata(k, "k", id="it's").mask.renumber(release)
        with pytest.raises(duckdb.Error, match="name of a release"):
            k.execute("FROM sdc_renumber('k', 'it''s', ?)", [release]).fetchall()
    with pytest.raises(duckdb.Error, match="not a column"):
        k.execute("FROM sdc_renumber('k', 'nowhere', 'a')").fetchall()
    with pytest.raises(duckdb.Error, match="the same on"):
        k.execute("FROM sdc_renumber('k', 'Select', 'a')").fetchall()
    k.execute("CREATE TABLE none AS FROM k LIMIT 0; CREATE TABLE one AS FROM k LIMIT 1")
    with pytest.raises(duckdb.Error, match="no rows"):
        k.execute("FROM sdc_renumber('none', 'f', 'a')").fetchall()
    assert k.execute("SELECT f FROM sdc_renumber('one', 'f', 'a')").fetchall() == [(1,)]


def test_a_release_file_orders_and_recodes_by_itself(k, tmp_path):
    k.execute(f"COPY (SELECT \"it's\" AS id, f FROM k) TO '{tmp_path}/k.csv'")
    (tmp_path / "r.toml").write_text(
        '[source]\npath = "k.csv"\n[roles]\nid = "id"\n[[scenarios]]\nname = "a"\nkeys = ["f"]\n'
        'limits = ["k_anonymity.2.records <= 9999"]\n[[steps]]\nmethod = "renumber"\nrelease = "a"\n'
        '[output]\npath = "o.csv"\n'
    )
    with pytest.raises(ReleaseFileError, match=r"steps\[0\].*ids = \"recode\""):
        sdc_sql.read_release(tmp_path / "r.toml")


def test_ids_that_are_texts_become_numbers(k):
    k.execute("CREATE TABLE texts AS SELECT 'p''' || f AS \"it's\", f FROM k")
    data = sdc_sql.Microdata(k, "texts", id="it's")
    steps = [data.mask.renumber("a", into="copy"), data.mask.renumber("a")]
    assert [(step.records, step.changed) for step in steps] == [(N, N), (N, N)]
    assert k.execute("FROM texts").fetchall() == k.execute("FROM copy").fetchall()
    assert k.execute('SELECT min("it\'s"), max("it\'s"), count(DISTINCT f) FROM texts').fetchall() == [(1, N, N)]
    assert k.execute("SELECT column_type FROM (DESCRIBE texts) WHERE column_name = 'it''s'").fetchall() == [("BIGINT",)]
