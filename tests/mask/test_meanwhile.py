"""What another connection does to a table while it is masked: its records are masked too, or the step fails."""

from __future__ import annotations

import duckdb
import pytest

import sdc_sql
from sdc_sql import TableError
from sdc_sql.db.masking.log import Log
from sdc_sql.session import undo

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
N = 50
STEPS = {
    "noise": lambda data: data.mask.noise("f", 5.0),
    "round": lambda data: data.mask.round("f", 1000),  # by value, without a join
    "suppress": lambda data: data.mask.local_suppression(2, keys=["Select"]),  # few records are updated
    "sample": lambda data: data.mask.sample(fraction=0.5, in_place=True),
    "where": lambda data: data.where("id < 30").mask.round("f", 1000),
}
CHANGES = {
    "inserted": "INSERT INTO k VALUES (1000, 77.123, 'alone')",
    "updated": """UPDATE k SET f = 77.123, "Select" = 'alone' WHERE id = 7""",
    "deleted": "DELETE FROM k WHERE id = 7",
}


@pytest.fixture
def data(monkeypatch) -> sdc_sql.Microdata:
    monkeypatch.setenv("SDC_KEY", KEY)
    con = duckdb.connect(config={"threads": 1})
    con.execute(
        f"""CREATE TABLE k AS SELECT i AS id, i + 0.5e0 AS f, 'v' || i % 2 AS "Select" FROM range({N}) AS t(i)"""
    )
    return sdc_sql.Microdata(con, "k", id="id")


@pytest.fixture
def struck(data, monkeypatch):
    """Let another connection commit a change while the table is masked, as often as told."""

    def by(change: str, times: int) -> None:
        its, done = Log.__init__, []

        def begun(self: Log, *given: object, **named: object) -> None:
            its(self, *given, **named)
            if len(done) < times:
                with data.con.cursor() as other:
                    other.execute(change.replace("1000", str(1000 + len(done))))
                done.append(change)

        monkeypatch.setattr(Log, "__init__", begun)

    return by


CHEAP = {("round", "inserted")}
CASES = [
    pytest.param(step, change, marks=() if (step, change) in CHEAP else pytest.mark.slow)
    for step in STEPS
    for change in CHANGES
]


@pytest.mark.slow
@pytest.mark.parametrize(("step", "change"), CASES)
def test_what_another_connection_commits_meanwhile_is_masked_too(data, struck, step, change):
    struck(CHANGES[change], 1)
    STEPS[step](data)
    if step in {"noise", "round"}:
        assert data.con.execute("SELECT count(*) FROM k WHERE f IN (77.123, id + 0.5)").fetchall() == [(0,)]
    if step == "suppress":
        assert data.con.execute("SELECT count(*) FROM k WHERE \"Select\" = 'alone'").fetchall() == [(0,)]
    there = N + (change == "inserted") - (change == "deleted")
    assert [(s.method, s.records) for s in data.steps] == [
        (data.steps[0].method, data.con.execute("SELECT count(*) FROM k").fetchall()[0][0])
    ]
    assert step == "sample" or data.steps[0].records == there


@pytest.mark.slow
def test_a_table_that_never_rests_is_left_as_it_is(data, struck, monkeypatch):
    monkeypatch.setattr("sdc_sql.db.transaction.TRIES", 2)
    struck(CHANGES["inserted"], 9)
    with pytest.raises(TableError, match="Another connection is changing the same table"):
        data.mask.round("f", 1000)
    assert data.con.execute("SELECT count(*), bool_and(f % 1000 > 0) FROM k").fetchall() == [(N + 2, True)]
    assert not data.steps


@pytest.mark.slow
def test_several_steps_in_a_transaction_of_the_callers(data, struck):
    """Own changes are no other's; and what another commits during a step is told, as it cannot be repeated here."""
    con = data.con
    con.begin()
    con.execute("DELETE FROM k WHERE id = 49")
    con.execute("INSERT INTO k VALUES (60, 60.5, 'v0')")
    data.mask.round("f", 5)
    data.mask.round("f", 10)
    struck(CHANGES["inserted"], 1)
    with pytest.raises(TableError, match="Roll your transaction back"):
        data.mask.round("f", 50)
    con.rollback()
    assert not data.steps
    con.begin()
    con.execute("CREATE TABLE made AS FROM k")
    sdc_sql.Microdata(con, "made", id="id").mask.round("f", 5)
    sdc_sql.Microdata(con, "made", id="id").mask.round("f", 10)
    con.commit()
    assert [step.method for step in sdc_sql.Microdata(con, "made").steps] == ["round", "round"]


@pytest.mark.slow
def test_what_was_inserted_since_the_callers_transaction_began_is_told_from_what_is_its_own(data):
    """The transaction does not see the record, which would stand in the table unmasked, and the step be logged."""
    con = data.con
    data.mask.round("f", 5, into="first")  # the macros are there, and stay
    for own in (
        "DELETE FROM k WHERE id > 45",
        "INSERT INTO k VALUES (77, 77.5, 'v0')",
        "ALTER TABLE k ADD COLUMN z INT",
    ):
        con.begin()
        con.execute("FROM k").fetchall()
        with con.cursor() as other:
            other.execute(CHANGES["inserted"])
        con.execute(own)
        with pytest.raises(TableError, match="Roll your transaction back, and repeat it"):
            data.mask.round("f", 1000)
        con.rollback()
        con.execute(CHANGES["inserted"].replace("INSERT INTO k VALUES", 'DELETE FROM k WHERE (id, f, "Select") ='))
        con.begin()
        con.execute(own)
        data.mask.round("f", 1000)
        con.rollback()
    assert con.execute("SELECT count(*) FROM k WHERE f = id + 0.5").fetchall() == [(N,)]


@pytest.mark.slow
def test_records_of_a_table_that_another_table_refers_to_are_told_apart_too(data):
    con = data.con
    con.execute("""CREATE TABLE p ("rowid" INTEGER PRIMARY KEY, x DOUBLE); INSERT INTO p VALUES (1, 0.5), (2, 1.5);
                   CREATE TABLE c (id INTEGER PRIMARY KEY, x DOUBLE); INSERT INTO c VALUES (1, 0.5), (2, 1.5);
                   CREATE TABLE of_c (c INTEGER REFERENCES c)""")
    for table, key in (("c", "id"), ("p", "rowid")):
        named = sdc_sql.Microdata(con, table, id=key)
        named.mask.round("x", 10, into=f"of_{table}_rounded")
        con.begin()
        con.execute(f"FROM {table}").fetchall()
        with con.cursor() as other:
            other.execute(f"INSERT INTO {table} VALUES (3, 2.5)")
            if table == "c":
                other.execute("INSERT INTO of_c VALUES (3)")
        with pytest.raises(TableError, match="Roll your transaction back"):
            named.mask.round("x", 10)
        con.rollback()
        con.begin()
        named.mask.round("x", 10)
        con.commit()
        assert con.execute(f"SELECT count(*), max(x % 10) FROM {table}").fetchall() == [(3, 0)]


@pytest.mark.slow
def test_what_has_no_equal_is_no_change(data):
    """NaN, NULL and -0.0 are the same when they are read twice."""
    data.con.execute("UPDATE k SET f = CASE id % 3 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN -0.0 END")
    data.con.execute("CREATE TEMP TABLE own AS FROM k")
    assert data.mask.local_suppression(2, keys=["Select"]).records == N
    assert sdc_sql.Microdata(data.con, "temp.own", id="id").mask.local_suppression(2, keys=["Select"]).records == N


@pytest.mark.slow
def test_undoing_loses_no_record_of_another_connection(data, monkeypatch):
    """The table is made anew and takes the place of the old one, where what is inserted meanwhile would stand."""
    data.mask.round("f", 5, into="masked")
    masked = sdc_sql.Microdata(data.con, "masked", id="id")
    masked.mask.round("f", 10)
    its, done = undo._refuse_changed_rest, []

    def checked(*given: object) -> None:
        its(*given)
        if not done:
            with data.con.cursor() as other:
                other.execute(CHANGES["inserted"].replace("INTO k", "INTO masked"))
            done.append("inserted")

    monkeypatch.setattr(undo, "_refuse_changed_rest", checked)
    with pytest.raises(sdc_sql.SdcError):  # the second try finds a record that is none of the original
        masked.undo()
    assert data.con.execute("SELECT count(*) FROM masked WHERE id = 1000").fetchall() == [(1,)]
    assert len(sdc_sql.Microdata(data.con, "masked").steps) == 2
