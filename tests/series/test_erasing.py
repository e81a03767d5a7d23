"""Who is erased from a ledger, or forgotten after a time: no trace of him is left in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.errors import ParameterError, SeriesError
from sdc_sql.series.ledger import read_ledger
from sdc_sql.series.sealed_file import read_sealed
from tests.series_world import KEY

N, GONE = 240, 17
CALLS = {
    "microaggregate": lambda mask, into: mask.microaggregate(["x", "y"], 3, into=into),
    "by stratum": lambda mask, into: mask.noise("x", 0.1, stratum="s", into=into),
    "correlated": lambda mask, into: mask.noise(["x", "y"], 0.1, method="correlated", into=into),
    "pram_guaranteed": lambda mask, into: mask.pram_guaranteed(0.8, keys=["s", "g"], into=into),
    "rank_swap": lambda mask, into: mask.rank_swap("x", 20, into=into),
    "local_suppression": lambda mask, into: mask.local_suppression(3, keys=["s", "g"], into=into),
    "round_at_random": lambda mask, into: mask.round("x", 50, at_random=True, into=into),
}  # fmt: skip


def make_table(con, n: int = N, seed: int = 2) -> None:
    rng = np.random.default_rng(seed)
    con.register("made", pa.table({
        "id": [f"p{i}" for i in range(n)], "x": rng.lognormal(7, 1, n).round(2), "y": rng.normal(50, 9, n).round(1),
        "s": [f"s{i}" for i in rng.integers(0, 4, n)], "g": [f"g{i}" for i in rng.integers(0, 3, n)],
    }))  # fmt: skip
    con.execute("CREATE OR REPLACE TABLE t AS FROM made")
    con.unregister("made")


def release(con, folder: Path, name: str, after: str = "", method: str = "microaggregate", **given) -> sdc_sql.Series:
    con.execute(f'DROP TABLE IF EXISTS "{name}"')
    with sdc_sql.Series(folder / "l", "p", name, after=after, **given) as series:
        CALLS[method](sdc_sql.Microdata(con, "t", id="id", series=series).mask, name)
    return series


def erase(con, folder: Path, ids, **given) -> int:
    return sdc_sql.Series(folder / "l", "p", "erased", **given).erase(con, ids)


def read(con, name: str) -> dict[str, tuple]:
    return {i: tuple(row) for i, *row in con.execute(f'FROM "{name}"').fetchall()}


def open_body(con, folder: Path) -> bytes:
    ((key,),) = con.execute("SELECT sdc__series_key('p', 'file')").fetchall()
    return read_sealed(folder / "l", bytes.fromhex(key))[1]


def read_states(con) -> list[dict[str, object]]:
    return con.sql(f"SELECT x, y, s, g FROM t WHERE id = 'p{GONE}'").to_arrow_table().to_pylist()


def list_digests(con, states: list[dict[str, object]]) -> list[bytes]:
    """Return the digests of a person's id and of each value that he had, in each column under each step."""
    found = [con.execute("SELECT sdc__series_id(?, 'p')", [f"p{GONE}"]).fetchall()[0][0]]
    for state in states:
        for column, value in state.items():
            kind = "DOUBLE" if column in "xy" else "VARCHAR"
            text = f"SELECT sdc__series_value(sdc__checked_id(?), ?::{kind}, 'p', ?, ?)"
            found += [con.execute(text, [f"p{GONE}", value, step, column]).fetchall()[0][0] for step in "01"]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("method", CALLS)
def test_no_digest_of_who_was_erased_is_left_and_the_others_keep_what_they_have(con, tmp_path, method):
    """In the bytes of the body, in whatever else stands in the folder; and the next release is not disturbed."""
    make_table(con)
    one = release(con, tmp_path, "one", method=method)
    states = read_states(con)
    con.execute("UPDATE t SET x = 999.25, s = 's1' WHERE id = ?", [f"p{GONE}"])
    con.execute("UPDATE t SET x = 998.25, s = 's1' WHERE id = 'p18'")
    con.execute("INSERT INTO t SELECT 'n' || range, 500 + range, 50, 's' || range % 4, 'g' || range % 3 FROM range(60)")
    two = release(con, tmp_path, "two", one.head, method)
    states += read_states(con)
    traces = list_digests(con, states)
    content = read_ledger(tmp_path / "l", key(con))[0].releases[-1]["content"]
    body = open_body(con, tmp_path)
    held = [trace for trace in traces if trace in body]
    assert held
    assert method == "round_at_random" or len(held) > 1
    assert content.encode() in body
    before = read(con, "two")
    assert erase(con, tmp_path, f"p{GONE}") == 1
    body = open_body(con, tmp_path)
    assert not [trace for trace in traces if trace in body]
    assert content.encode() not in body  # of the table with him: who knows all others could try him
    assert {f.name for f in tmp_path.iterdir()} == {"l", ".l.lock"}
    assert erase(con, tmp_path, [f"p{GONE}"]) == 0
    for name, after in (("one", ""), ("two", one.head)):
        with pytest.raises(SeriesError, match="have been erased since"):
            release(con, tmp_path, name, after, method)
    con.execute("DELETE FROM t WHERE id = ?", [f"p{GONE}"])
    three = release(con, tmp_path, "three", two.head, method)
    after = read(con, "three")
    stayed = before.keys() & after.keys()
    assert len(stayed) > N * 0.8
    assert {i: after[i] for i in stayed} == {i: before[i] for i in stayed}
    assert three.counts["new"] == 0


def test_who_returns_after_he_was_erased_is_new(con, tmp_path):
    """He joins another average than his group's, and two of them tell more than one. He is counted."""
    make_table(con)
    one = release(con, tmp_path, "one")
    first = read(con, "one")
    ledger = read_ledger(tmp_path / "l", key(con))[0]
    averages = ledger.fixed["groups 0"]
    assert erase(con, tmp_path, [f"p{i}" for i in range(40)]) == 40
    assert read_ledger(tmp_path / "l", key(con))[0].fixed["groups 0"].equals(averages)  # published, of k and more
    two = release(con, tmp_path, "two", one.head)
    second = read(con, "two")
    assert two.counts["new"] == 40
    assert two.counts["returning"] == 0
    others = [i for i in first if int(i[1:]) >= 40]
    assert all(second[i] == first[i] for i in others)
    assert sum(second[i] != first[i] for i in first if i not in others) > 3
    shown = {row[:2] for row in first.values()}
    assert {row[:2] for row in second.values()} <= shown  # no average that was not published


def key(con) -> bytes:
    return bytes.fromhex(con.execute("SELECT sdc__series_key('p', 'file')").fetchall()[0][0])


def test_who_has_the_ledger_but_not_the_key_erases_nobody(con, tmp_path):
    make_table(con)
    one = release(con, tmp_path, "one")
    kept = (tmp_path / "l").read_bytes()
    con.execute("SET VARIABLE sdc_key = 'Jm8-2rTqVx5NzBp1_KdXf7LhCu4GwSaEo6iYtQ3xk9W'")
    with pytest.raises(SeriesError, match="another secret key"):
        erase(con, tmp_path, "p1")
    con.execute("RESET VARIABLE sdc_key")
    with pytest.raises(sdc_sql.InputError, match="key"):
        erase(con, tmp_path, "p1")
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    with pytest.raises(SeriesError, match="series"):
        sdc_sql.Series(tmp_path / "l", "another", "x").erase(con, "p1")
    with pytest.raises(SeriesError, match="cannot be read"):
        sdc_sql.Series(tmp_path / "nobody's", "p", "x").erase(con, "p1")
    with pytest.raises(ParameterError, match="An id is None"):
        erase(con, tmp_path, ["p1", None])
    with pytest.raises(SeriesError, match="does not have that release"):
        erase(con, tmp_path, "p1", after="0" * 64)
    assert (tmp_path / "l").read_bytes() == kept
    assert erase(con, tmp_path, [], after=one.head) == 0
    assert erase(con, tmp_path, ["nobody", "p1", "p1", "p2"], after=one.head) == 2


def test_forgotten_ids_leave_no_trace_and_return_as_new(con, tmp_path):
    """Two releases after he left he is erased; before that he is a stranger who must be said to be the same."""
    make_table(con)
    traces = list_digests(con, read_states(con))
    con.execute("CREATE TABLE every AS FROM t")
    head = release(con, tmp_path, "1", forget_after=2).head
    con.execute("DELETE FROM t WHERE id = ?", [f"p{GONE}"])
    for name, forgotten in (("2", 0), ("3", 1)):
        series = release(con, tmp_path, name, head, forget_after=2)
        head = series.head
        assert series.counts["erased"] == forgotten
        body = open_body(con, tmp_path)
        assert any(trace in body for trace in traces) is (not forgotten)
        con.execute("CREATE OR REPLACE TABLE without AS FROM t; CREATE OR REPLACE TABLE t AS FROM every")
        if not forgotten:
            with pytest.raises(SeriesError, match="had left the series and are back"):
                release(con, tmp_path, "4", head)
            con.execute("CREATE OR REPLACE TABLE t AS FROM without")
    series = release(con, tmp_path, "4", head)
    assert (series.counts["new"], series.counts["returning"]) == (1, 0)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("encrypted", [True, False])
def test_a_run_that_is_killed_leaves_the_ledger_whole(con, tmp_path, monkeypatch, encrypted):
    """Killed before the file takes its place, he is there; after it he is not. Parts that are left are removed."""

    class Killed(BaseException):
        """Nothing cleans up after a process that is killed."""

    make_table(con)
    one = release(con, tmp_path, "one", disk_encrypted=not encrypted)
    before = hashlib.sha256((tmp_path / "l").read_bytes()).hexdigest()
    (trace,) = con.execute("SELECT sdc__series_id(?, 'p')", [f"p{GONE}"]).fetchall()[0]
    place = Path.replace

    def kill_before(part, _):
        raise Killed(part)

    def kill_after(part, path):
        place(part, path)
        raise Killed(part)

    monkeypatch.setattr(Path, "replace", kill_before)
    with pytest.raises(Killed):
        erase(con, tmp_path, f"p{GONE}")
    assert hashlib.sha256((tmp_path / "l").read_bytes()).hexdigest() == before
    with pytest.raises(Killed):  # a release: its part holds everybody
        release(con, tmp_path, "two", one.head, disk_encrypted=not encrypted)
    parts = [f for f in tmp_path.iterdir() if f.suffix == ".part"]
    assert len(parts) == 2
    assert encrypted or any(trace in part.read_bytes() for part in parts)
    (tmp_path / ".l.b.0123abcd.part").touch()  # another ledger's, l.b
    monkeypatch.setattr(Path, "replace", kill_after)
    with pytest.raises(Killed):
        erase(con, tmp_path, f"p{GONE}")
    assert trace not in open_body(con, tmp_path)
    monkeypatch.undo()
    assert erase(con, tmp_path, f"p{GONE}") == 0
    assert sorted(f.name for f in tmp_path.iterdir()) == [".l.b.0123abcd.part", ".l.lock", "l"]
    two = release(con, tmp_path, "two", one.head, disk_encrypted=not encrypted)
    assert two.counts["new"] == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("kind", "ids"),
    [
        ("BIGINT", [3, "4", 5.0]),
        ("DOUBLE", [3, "4", 5.0]),
        ("DECIMAL(9, 2)", [3, "4", 5.0]),
        ("VARCHAR", [3, "4", "5"]),
    ],
)
def test_ids_may_be_spelled_as_the_table_or_as_python_has_them(con, tmp_path, kind, ids):
    make_table(con, 30)
    con.execute(f"CREATE OR REPLACE TABLE t AS SELECT substr(id, 2)::{kind} AS id, * EXCLUDE (id) FROM t")
    release(con, tmp_path, "one")
    assert erase(con, tmp_path, np.array(ids, dtype=object)) == 3
