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


def rows(con, call, columns="*", order="ALL"):
    return execute(con, f"SELECT {columns} FROM {call} ORDER BY {order}").fetchall()


def test_what_becomes_of_each_record_by_what_the_ledger_has(con):
    """A row that is shown stays where what is hidden changes; who was given an id anew is of that release's cohort."""
    people = ("new", "ended", "same", "drift", "moved", "again", "twice")
    con.execute("CREATE TABLE now_ (sdc__person VARCHAR, sdc__digests BLOB[])")
    con.executemany("INSERT INTO now_ VALUES (?, ?)", [(p, [b"d1", p.encode()]) for p in people])
    con.execute("""CREATE TABLE ledger (id VARCHAR, number INTEGER, since INTEGER, ended INTEGER, row_digest BLOB,
                   whole BLOB, lost INTEGER, standing VARCHAR, settled INTEGER)""")
    con.executemany("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", [
        ("ended", 1, 1, 2, b"r", b"w", 0, "10", 1),
        ("same", 1, 1, None, digest("same", 1), digest("same", 0), 1, "11", 1),
        ("drift", 1, 2, None, digest("drift", 1), b"w", 1, "01", 2), ("moved", 1, 1, None, b"r", b"w", 2, "11", 1),
        ("again", 1, 1, 2, b"r", b"w", 0, "10", 1), ("again", 2, 2, None, digest("again", 2), b"w", 2, "01", 2),
        ("twice", 1, 1, 2, b"r", b"w", 0, "10", 1), ("twice", 2, 2, 3, b"r", b"w", 0, "010", 2),
    ])  # fmt: skip
    columns = "sdc__person, sdc__number, sdc__cohort, sdc__lost, sdc__before, sdc__settled, sdc__unchanged, sdc__fate"
    assert rows(con, "sdc__series_found('now_', 'ledger')", columns) == [
        ("again", 2, 2, 2, "01", 2, False, "stays"), ("drift", 1, 0, 1, "01", 2, False, "stays"),
        ("ended", 1, 0, None, None, None, False, "ended"), ("moved", 1, 0, 2, "11", 1, False, "changed"),
        ("new", 0, 0, None, None, None, False, "new"), ("same", 1, 0, 1, "11", 1, True, "stays"),
        ("twice", 2, 0, None, None, None, False, "ended"),
    ]  # fmt: skip
    # whose id is shown in the second release and has the number that it had
    columns = "sdc__id, sdc__lost, sdc__number, sdc__stands"
    con.execute("ALTER TABLE now_ ADD COLUMN sdc__id VARCHAR; UPDATE now_ SET sdc__id = upper(sdc__person)")
    assert rows(con, "sdc__series_repeated_rows('now_', 'ledger', 2, 7)", columns) == [
        ("AGAIN", 2, 2, True), ("DRIFT", 1, 1, True), ("ENDED", 7, 0, False), ("MOVED", 2, 1, True),
        ("NEW", 7, 0, False), ("SAME", 1, 1, True), ("TWICE", 0, 2, True),
    ]  # fmt: skip


FOUND = """CREATE TABLE found AS
    SELECT *, sdc__person || ' id' AS sdc__id, 'p'::BLOB AS sdc__part, 1.5 AS sdc__weight FROM (VALUES
    ('stay', 1, 0, 'stays', true, 1, '11', 2, ['a'::BLOB, 'x', 'm'], ['da'::BLOB, 'dx', 'dm']),
    ('drift', 2, 2, 'stays', false, 2, '01', 2, ['a'::BLOB, 'y', 'm'], ['da'::BLOB, 'dy', 'dm']),
    ('moved', 1, 0, 'changed', false, 1, '11', 1, ['b'::BLOB, 'x', ''], ['db'::BLOB, 'dx', 'd-']),
    ('ended', 1, 0, 'ended', false, NULL, NULL, NULL, ['b'::BLOB, 'y', 'm'], ['db'::BLOB, 'dy', 'dm']),
    ('new', 0, 0, 'new', false, NULL, NULL, NULL, ['c'::BLOB, '', 'm'], ['dc'::BLOB, 'd-', 'dm']))
    AS t(sdc__person, sdc__number, sdc__cohort, sdc__fate, sdc__unchanged, sdc__lost, sdc__before, sdc__settled,
         sdc__values, sdc__digests)"""
STATES = """CREATE TABLE states AS FROM (VALUES
    ('moved', 'dx'::BLOB, 1, 'suppressed'), ('moved', 'dx', 1, 'shown'), ('moved', 'db', 0, 'shown'),
    ('ended', 'db', 0, 'suppressed'), ('ended', 'dm', 2, 'suppressed'), ('ended', 'dm', 2, 'suppressed'),
    ('ended', 'dy', 0, 'suppressed'), ('new', 'dc', 0, 'suppressed')) AS t(id, digest, place, released)"""


def test_who_goes_on_and_who_is_given_a_row(con):
    con.execute(FOUND)
    con.execute(STATES)
    columns = "sdc__person, sdc__cohort, sdc__standing::VARCHAR, sdc__settled, sdc__lost"
    assert rows(con, "sdc__series_live('found', 3)", columns) == [("drift", 2, "011", 3, 2), ("stay", 0, "111", 2, 1)]
    # hidden before: of moved the second key, and the third is missing; of ended the first and the third
    free, columns = "sdc__series_free('found', 'states', {})", "sdc__person, sdc__always"
    assert rows(con, free.format("false"), columns) == [("new", 2)]
    assert rows(con, free.format("true"), columns) == [("ended", 5), ("moved", 6), ("new", 2)]
    execute(con, "CREATE TABLE live AS FROM sdc__series_live('found', 3)")
    execute(con, f"CREATE TABLE free AS FROM {free.format('true')}")
    columns = "sdc__person, sdc__free, sdc__shown"
    known = [("drift", False, [b"a", b"", b"m"]), ("new", True, [b"c", b"", b"m"]), ("stay", False, [b"", b"x", b"m"])]
    assert rows(con, "sdc__series_beside('live', 'free', 'identical', false)", columns) == known
    whole = [("drift", False, [b"a", b"y", b"m"]), known[1], ("stay", False, [b"a", b"x", b"m"])]
    assert rows(con, "sdc__series_beside('live', 'free', 'strong', false)", columns) == whole
    anew = [("ended", True, [b"", b"y", b""]), ("moved", True, [b"b", b"", b""])]
    assert rows(con, "sdc__series_beside('live', 'free', 'strong', true)", columns) == anew
    # of the keys two values, or more; two that are shown alone are two
    assert rows(con, "sdc__series_categories('found', 'live')") == [(1, 3, 3), (2, 2, 2), (3, 1, 1)]
    con.execute(
        "CREATE TABLE two AS SELECT [v::BLOB, 'x', 'm'] AS sdc__values, 0 AS sdc__lost FROM unnest(['a', 'b']) AS s(v)"
    )
    assert rows(con, "sdc__series_categories('found', 'two')") == [(1, 2, 3), (2, 2, 2), (3, 1, 1)]
    # a row that is put together
    execute(con, "CREATE TABLE placed AS SELECT *, sdc__always AS sdc__lost FROM free WHERE sdc__person <> 'ended'")
    columns = "sdc__person, sdc__cohort, sdc__standing::VARCHAR, sdc__settled, sdc__lost"
    standing = rows(con, "sdc__series_standing('live', 'placed', 3)", columns)
    assert standing == [
        ("drift", 2, "011", 3, 2), ("moved", 3, "001", 3, 6), ("new", 0, "001", 3, 2), ("stay", 0, "111", 2, 1),
    ]  # fmt: skip
    con.execute("CREATE TABLE below AS SELECT 'drift' AS sdc__person")
    execute(con, "CREATE TABLE left_ AS FROM sdc__series_without('live', 'below')")
    assert rows(con, "left_", "sdc__person") == [("stay",)]
    assert rows(con, "sdc__series_weakened('found', 'left_')", "sdc__person, sdc__fate") == [
        ("drift", "weakened"), ("ended", "ended"), ("moved", "changed"), ("new", "new"), ("stay", "stays"),
    ]  # fmt: skip


def test_rows_states_and_counts_of_a_release(con):
    con.execute(FOUND)
    con.execute(STATES)
    con.execute("ALTER TABLE found RENAME sdc__lost TO sdc__old")
    con.execute("UPDATE found SET sdc__fate = 'weakened' WHERE sdc__person = 'drift'")
    con.execute("""CREATE TABLE live AS
        SELECT * EXCLUDE (sdc__old), '001'::BIT AS sdc__standing,
               CASE sdc__person WHEN 'stay' THEN 1 WHEN 'moved' THEN 6 ELSE 2 END AS sdc__lost
        FROM found WHERE sdc__person IN ('stay', 'moved', 'new')""")
    con.execute("CREATE TABLE now_ AS SELECT sdc__person, sdc__digests FROM found")
    con.execute("CREATE TABLE placed AS FROM live WHERE sdc__person <> 'stay'")
    execute(con, "CREATE TABLE rows AS FROM sdc__series_rows('found', 'live', 'placed', 7)")
    columns = "sdc__id, sdc__lost, sdc__number, sdc__placed, sdc__stands, sdc__fate, sdc__unchanged"
    assert rows(con, "rows", columns) == [
        ("drift id", 7, 2, False, False, "weakened", False), ("ended id", 7, 1, False, False, "ended", False),
        ("moved id", 6, 2, True, True, "changed", False), ("new id", 2, 1, True, True, "new", False),
        ("stay id", 1, 1, False, True, "stays", True),
    ]  # fmt: skip
    # what is new of two keys: of moved the second was suppressed once already, and the first shown
    states = rows(con, "sdc__series_value_states('rows', 'now_', 'states', 3, 9, 2)")
    assert states == [(9, 0, "new", b"dc", 3, "shown"), (9, 1, "new", b"d-", 3, "suppressed")]
    columns = "rows_changed, weakened, new_ids, left_out, waiting_for_others, suppressed_later, apart_by_presence"
    call = "sdc__series_counts('rows', 'now_', 'states', 'live', {}, 3, {})"
    # the second value of moved was shown before; drift and ended have no row; each of the three is by himself
    assert rows(con, call.format("false", 2), columns) == [(1, 1, 1, 2, 0, 1, 3)]
    assert rows(con, call.format("true", 1), columns) == [(1, 1, 1, 0, 2, 1, 0)]
    con.execute("DELETE FROM states WHERE id = 'moved' AND released = 'shown'")
    con.execute("UPDATE rows SET sdc__unchanged = false")
    states = rows(con, "sdc__series_value_states('rows', 'now_', 'states', 3, 9, 2)", "place, id, released")
    assert states == [
        (0, "moved", "shown"), (0, "new", "shown"), (0, "stay", "suppressed"), (1, "new", "suppressed"),
        (1, "stay", "shown"),
    ]  # fmt: skip


def test_who_waits_for_others_and_whose_hidden_value_is_certain(con):
    con.execute("""CREATE TABLE beside AS SELECT sdc__person, sdc__part::BLOB AS sdc__part, sdc__free,
        [sdc__a::BLOB, sdc__b::BLOB] AS sdc__shown, NULL::DOUBLE AS sdc__weight FROM (VALUES
        (1, 'few', true, 'a', 'x'), (2, 'few', false, 'a', 'x'), (3, 'two', true, 'a', 'x'),
        (4, 'two', true, 'b', 'x'), (5, 'two', false, 'a', ''), (6, 'three', true, 'a', 'x'),
        (7, 'three', true, 'b', 'y'), (8, 'three', true, 'c', ''))
        AS t(sdc__person, sdc__part, sdc__free, sdc__a, sdc__b)""")
    call = "sdc__series_waiting('beside', 3, '{}', 'records')"
    assert rows(con, call.format("identical")) == [(1,), (4,)]  # 3 shows all that 5 shows
    assert rows(con, call.format("strong")) == [(1,)]
    found = execute(con, """SELECT list(sdc__with_partner(l, a, [1, 4], [2, 8]) ORDER BY i)
        FROM (VALUES (1, 1, 0), (2, 1, 1), (3, 4, 1), (4, 5, 0), (5, 2, 0), (6, 0, 0))
        AS t(i, l, a)""").fetchone()  # fmt: skip
    assert found == ([3, 1, 12, 5, 2, 0],)
    # a, b and c occur: of (?, x) b and c are shown, so it is a; of (?, y) c alone is shown
    con.execute("""CREATE TABLE all_ AS SELECT 'p'::BLOB AS sdc__part, [v::BLOB, w::BLOB] AS sdc__values
                   FROM unnest(['a', 'b', 'c', '']) AS s(v), unnest(['x', 'y', 'z']) AS t(w)""")
    con.execute("""CREATE TABLE live AS
        SELECT 'p'::BLOB AS sdc__part, [v::BLOB, w::BLOB] AS sdc__values, l AS sdc__lost
        FROM (VALUES ('b', 'x', 0), ('c', 'x', 0), ('c', 'y', 0), ('b', 'y', 1), ('c', 'z', 2)) AS t(v, w, l)""")
    con.execute("""CREATE TABLE placed AS
        SELECT i AS sdc__person, 'p'::BLOB AS sdc__part, [v::BLOB, w::BLOB] AS sdc__values, l AS sdc__lost,
               n AS sdc__number
        FROM (VALUES (1, 'a', 'x', 1, 0), (2, 'a', 'y', 1, 0), (3, 'a', 'x', 1, 1),
              (4, 'a', 'x', 3, 0), (5, 'a', 'x', 0, 0), (6, '', 'x', 1, 0)) AS t(i, v, w, l, n)""")
    assert rows(con, "sdc__series_certain('all_', 'live', 'placed')") == [(1,)]
