"""A ledger that an earlier version wrote, an archive with digests of tables by record, is repeated and gone on with."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import zipfile

import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.errors import SeriesError
from sdc_sql.series.ledger import read_ledger


def write_former(con, path) -> str:
    """Write a ledger of one release as the first format had it; return its head."""
    ((key,),) = con.execute("SELECT sdc__series_key('p', 'file')").fetchall()
    ((chain,),) = con.execute("SELECT sdc__series_key('p', 'chain')").fetchall()
    ((content,),) = con.execute("SELECT digest FROM sdc_content_digest('t')").fetchall()
    ledger, _ = read_ledger(path, bytes.fromhex(key))
    ledger.releases.clear()
    head = ledger.extend_chain(bytes.fromhex(chain), "one", content, records=60, shown="0" * 64)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        about = {"series": "p", "releases": ledger.releases, "steps": ledger.steps}
        file.writestr("ledger.json", json.dumps(about))
        fixed = {f"fixed/{name}": table for name, table in ledger.fixed.items()}
        for name, table in {"ids": ledger.ids, "values": ledger.values, **fixed}.items():
            sink = io.BytesIO()
            with pa.ipc.new_stream(sink, table.schema) as stream:
                stream.write_table(table)
            file.writestr(f"{name}.arrow", sink.getvalue())
    line = json.dumps({"encrypted": False, "file": "sdc-sql ledger", "format": 1, "releases": 1}).encode() + b"\n"
    code = hmac.new(bytes.fromhex(key), line + packed.getvalue(), hashlib.sha256).digest()
    path.write_bytes(line + code + packed.getvalue())
    return head


def release(con, path, name: str, after: str = "") -> str:
    with sdc_sql.Series(path, "p", name, after=after, disk_encrypted=True) as series:
        sdc_sql.Microdata(con, "t", id="id", series=series).mask.microaggregate(["x", "y"], 3, into=name)
    return series.head


@pytest.mark.slow
@pytest.mark.whole
def test_it_is_repeated_and_gone_on_with(con, tmp_path):
    con.execute("CREATE TABLE t AS SELECT i AS id, (i * 7) % 61 + 0.5 AS x, i * i % 97 AS y FROM range(60) r(i)")
    path = tmp_path / "l"
    release(con, path, "one")
    head = write_former(con, path)
    before = path.read_bytes()
    con.execute("ALTER TABLE one RENAME TO released")
    assert release(con, path, "one") == head  # by record, as it was digested then
    assert con.execute("FROM one EXCEPT FROM released").fetchall() == []
    assert path.read_bytes() == before
    con.execute("UPDATE t SET y = 1000 WHERE id = 9; DROP TABLE one")
    with pytest.raises(SeriesError, match="was of another table"):
        release(con, path, "one")
    two = release(con, path, "two", head)
    same = con.execute(
        "SELECT count(*) FROM two JOIN released USING (id) WHERE (two.x, two.y) = (released.x, released.y)"
    )
    assert same.fetchall()[0][0] >= 59  # the new value may join the average that it had
    assert json.loads(path.read_bytes().partition(b"\n")[0])["format"] == 2
    assert release(con, path, "three", two) not in {two, head}


def test_of_a_later_version_it_is_refused(con, tmp_path):
    con.execute("CREATE TABLE t AS SELECT i AS id, i * 1.5 AS x, i AS y FROM range(20) r(i)")
    (tmp_path / "l").write_bytes(b'{"file": "sdc-sql ledger", "format": 3, "encrypted": false}\n' + b"0" * 64)
    with pytest.raises(SeriesError, match="of format 3, and this version reads 1 to 2"):
        release(con, tmp_path / "l", "one", "00")
