"""What the ledger has of released ids after a release, row by row."""

from __future__ import annotations

import hashlib

from sdc_sql.db.catalogue.load import execute

LEDGER = """CREATE TABLE ledger AS SELECT * REPLACE (row_digest::BLOB AS row_digest, whole::BLOB AS whole) FROM (VALUES
    ('stays', 1, 1, NULL, 'r1', 'w1', 0, '11', 1), ('moves', 1, 1, NULL, 'r2', 'w2', 1, '11', 1),
    ('ended', 1, 1, 2, 'r3', 'w3', 0, '10', 1), ('away', 1, 2, NULL, 'r4', 'w4', 0, '01', 2),
    ('again', 1, 1, NULL, 'r5', 'w5', 0, '11', 1), ('waits', 1, 1, NULL, 'r6', 'w6', 0, '11', 1))
    AS t(id, number, since, ended, row_digest, whole, lost, standing, settled)"""
# of the third release: who goes on as he was, or with another value of a lost key; who has a row anew; who is new; who
# is left too few
ROWS = """CREATE TABLE rows AS FROM (VALUES ('stays', 0, 1, false, true, true), ('moves', 1, 1, false, true, false),
    ('again', 2, 2, true, true, false), ('new', 1, 1, true, true, false), ('waits', 0, 1, false, false, false))
    AS t(sdc__person, sdc__lost, sdc__number, sdc__placed, sdc__stands, sdc__unchanged)"""
NOW = "CREATE TABLE now_ AS SELECT sdc__person, ['d1'::BLOB, sdc__person::BLOB] AS sdc__digests FROM rows"


def digest(person, lost):
    """Half a SHA-256 of the keys that are lost, a bit each, and the digests of the others."""
    shown = [d.encode().hex().upper() for i, d in enumerate(["d1", person]) if not lost >> i & 1]
    return hashlib.sha256(f"{lost}:{','.join(shown)}".encode()).digest()[:16]


def test_what_stands_in_the_ledger_after_a_release(con):
    for statement in (LEDGER, ROWS, NOW):
        con.execute(statement)
    found = execute(con, "FROM sdc__series_identities('ledger', 'rows', 'now_', 3) ORDER BY id, number").fetchall()
    assert found == [
        ("again", 1, 1, 3, b"r5", b"w5", 0, "110", 1),  # his row ended
        ("again", 2, 3, None, digest("again", 2), digest("again", 0), 2, "001", 3),
        ("away", 1, 2, None, b"r4", b"w4", 0, "010", 2),
        ("ended", 1, 1, 2, b"r3", b"w3", 0, "100", 1),
        ("moves", 1, 1, None, b"r2", digest("moves", 0), 1, "111", 3),
        ("new", 1, 3, None, digest("new", 1), digest("new", 0), 1, "001", 3),
        ("stays", 1, 1, None, b"r1", digest("stays", 0), 0, "111", 1),
        ("waits", 1, 1, 3, b"r6", b"w6", 0, "110", 1),
    ]
