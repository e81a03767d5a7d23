"""Ctrl-C, sent to a process that runs a method: it ends within two seconds, and the table is whole."""

from __future__ import annotations

import ctypes
import hashlib
import operator
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from functools import partial

import duckdb
import pytest
from sdc_sql.udfs.interruption import run_stoppable

from sdc_sql.db.interruption import _is_of_duckdb, allow_interruption
from sdc_sql.db.transaction import transaction

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no Ctrl-C is sent to a process on Windows"),
]
SOON = 5  # seconds: two on a machine of one's own, and ten at the least where Ctrl-C is not heard
AS_SLOW = 4  # times what its start took, for a machine that is slow: a second or so on one that is not
TABLE = """CREATE TABLE t AS SELECT i AS id, hash(i, 1) % 90 AS age, 'r' || (hash(i, 2) % 40) AS region,
    'o' || (hash(i, 3) % 150) AS occupation, hash(i, 4) % 1000000 / 7 AS x, hash(i, 5) % 1000000 / 3 AS y
    FROM range(300000) AS r(i)"""
WHOLE = "SELECT count(*), sum(hash(t)::HUGEINT) FROM t"
CHILD = """
import sys, duckdb, sdc_sql
data = sdc_sql.Microdata(duckdb.connect(sys.argv[1]), "t", keys=["age", "region", "occupation"], id="id")
sdc_sql.load(data.con)
print("begun", flush=True)
try:
    eval(sys.argv[2])
except KeyboardInterrupt:
    print("KeyboardInterrupt", flush=True)
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupted") / "t.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute(TABLE)
        whole = con.execute(WHOLE).fetchall()
    yield path
    with duckdb.connect(str(path)) as con:
        assert con.execute(WHOLE).fetchall() == whole
        assert con.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("t",)]


def interrupted(process, started):
    """Send Ctrl-C after a second of work; return whether the process ended soon, and what it said."""
    allowed = max(SOON, AS_SLOW * (time.monotonic() - started))
    time.sleep(1)
    assert process.poll() is None, "it had ended already"
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    return time.monotonic() - start < allowed, out, err


@pytest.fixture(autouse=True)
def _keep_handler():
    """Let Ctrl-C do what it does in a program of its own: a session of Spark's leaves its handler in the process."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    "call",
    [
        "data.mask.microaggregate(['x', 'y'], k=3)",  # a kernel that is called by DuckDB, on any of its threads
        "data.mask.local_suppression(3, guarantee='wildcard')",  # a search in Python
        "data.linkage.distance_to_closest('t', ['x', 'y'])",
    ],
)
def test_ctrl_c_is_raised_as_such_and_leaves_the_table(database, call):
    started = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, str(database), call], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "begun\n"
        soon, out, _ = interrupted(child, started)
    assert out == "KeyboardInterrupt\n"
    assert soon


@pytest.mark.parametrize("output", [[], ["--output", "masked.parquet"]])
def test_the_command_says_so_in_one_line(database, tmp_path, output):
    command = [
        sys.executable,
        "-m",
        "sdc_sql",
        "mask",
        "microaggregate",
        str(database),
        "--columns",
        "x,y",
        "--id",
        "id",
    ]
    started = time.monotonic()
    child = subprocess.Popen(
        [*command, "--id", "id", "--k", "3", "--progress", *output], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    while "microaggregate x y" not in child.stderr.readline():
        assert child.poll() is None
    soon, out, err = interrupted(child, started)
    assert (child.returncode, out, err) == (130, "", "sdc-sql: interrupted\n")
    assert soon
    assert [file.name for file in database.parent.iterdir()] == [database.name]
    assert not list(tmp_path.iterdir())


SQL_CHILD = """
import sys, duckdb, sdc_sql
con = duckdb.connect(sys.argv[1])
sdc_sql.load(con)
print("begun", flush=True)
try:
    con.sql(sys.argv[2]).fetchall()
except BaseException as error:
    print(type(error).__name__, error, flush=True)
"""


def test_a_kernel_in_a_query_of_the_users_own_is_stopped(database):
    """The error is DuckDB's, in one of its two forms: by the thread that it had given the kernel to."""
    query = "FROM sdc_microaggregate('t', ['x', 'y', 'age'], 3, 'id')"
    with subprocess.Popen(
        [sys.executable, "-c", SQL_CHILD, str(database), query], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "begun\n"
        seconds, out, _ = interrupted(child, 2)
    assert "interrupted" in out or "KeyboardInterrupt" in out
    assert seconds < SOON


def test_a_kernel_on_a_thread_that_nobody_tells_listens_for_itself():
    begun, ended = threading.Event(), []

    def kernel():
        try:
            with run_stoppable():
                begun.set()
                for _ in range(1_000):
                    time.sleep(0.01)
        except KeyboardInterrupt:
            ended.append("stopped")

    handler = signal.getsignal(signal.SIGINT)
    threads = [threading.Thread(target=kernel) for _ in range(2)]
    for thread in threads:
        thread.start()
    begun.wait()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the signal is handled between two steps
        signal.raise_signal(signal.SIGINT)
        time.sleep(1)
    for thread in threads:
        thread.join(SOON)
    assert ended == ["stopped", "stopped"]
    assert signal.getsignal(signal.SIGINT) is handler


def test_no_kernel_begins_after_ctrl_c():
    """One that DuckDB is about to call when Ctrl-C comes has heard nothing: it does not begin, and a later one does."""
    ended = []

    def kernel():
        try:
            with run_stoppable():
                ended.append("ran")
        except KeyboardInterrupt:
            ended.append("stopped")

    def called():
        thread = threading.Thread(target=kernel)
        thread.start()
        thread.join()

    with pytest.raises(KeyboardInterrupt), allow_interruption():  # noqa: PT012 - as above
        try:
            signal.raise_signal(signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            time.sleep(0.5)  # a thread of its own stops kernels
        called()
    called()
    assert ended == ["stopped", "ran"]


def test_a_query_ends_at_once_and_its_transaction_is_rolled_back():
    """Python's thread works at the query too: DuckDB would look for signals when its share is done."""
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS x")
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt), allow_interruption(con=con), transaction(con):  # noqa: PT012
            con.execute("INSERT INTO t VALUES (2)")
            con.execute("SELECT sum(length(sha256(i::VARCHAR || j))) FROM range(20000) a(i), range(20000) b(j)")
        assert time.monotonic() - start < SOON
        assert con.execute("FROM t").fetchall() == [(1,)]
        with allow_interruption(con=con):  # the connection is sound
            assert con.execute("SELECT count(*) FROM range(1000)").fetchall() == [(1000,)]


class Forgetful:
    """A connection that forgets some interruptions, as DuckDB does when they come while a query begins."""

    def __init__(self, con, forgets):
        self.con, self.forgets = con, forgets
        self.interruptions = 0

    def interrupt(self):
        self.interruptions += 1
        if not self.forgets(self.interruptions):
            self.con.interrupt()


@pytest.mark.parametrize(
    "forgets",
    [
        lambda number: number == 1,
        # those of the thread that listens: the handler's is not forgotten, since DuckDB calls it when a query has begun
        lambda _: threading.current_thread() is not threading.main_thread(),
    ],
)
def test_a_query_that_was_just_beginning_ends_too(forgets):
    with duckdb.connect() as con:
        forgetful = Forgetful(con, forgets)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt), allow_interruption(con=forgetful), transaction(con):
            con.execute("SELECT sum(length(sha256(i::VARCHAR || j))) FROM range(20000) a(i), range(20000) b(j)")
        assert time.monotonic() - start < SOON
        assert forgetful.interruptions > 1
        assert con.execute("SELECT 1").fetchall() == [(1,)]


def test_a_query_is_interrupted_again_until_the_handler_runs():
    with duckdb.connect() as con:
        forgetful = Forgetful(con, lambda _: True)
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt), allow_interruption(con=forgetful):
            hashlib.pbkdf2_hmac("sha256", b"", b"", 5_000_000)  # does not ask whether a signal has come
        came = forgetful.interruptions
        time.sleep(0.5)
        assert forgetful.interruptions == came > 3


def _raise_beside_another(*_):
    """As Spark's handler does where its session has ended."""
    try:
        raise AttributeError
    finally:
        raise KeyboardInterrupt


# a signal may come while an object is freed: Python warns of what its handler raises there; it is raised again later
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("handler", [signal.default_int_handler, _raise_beside_another])
@pytest.mark.parametrize("error", [duckdb.InterruptException, duckdb.InvalidInputException])
def test_a_transaction_is_rolled_back_before_the_signal_is_raised(error, handler):
    """A query that is ended, or whose kernel is (the other error), raises while the signal waits for its handler."""
    signal.signal(signal.SIGINT, handler)
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS x")
        with pytest.raises(KeyboardInterrupt), allow_interruption(con=con), transaction(con):  # noqa: PT012
            con.execute("INSERT INTO t VALUES (2)")
            _interrupt_and_raise(error("ended"))
        con.execute("BEGIN")  # none is open
        assert con.execute("FROM t").fetchall() == [(1,)]


def test_an_error_that_was_made_of_duckdb_s_is_cleaned_up_after_first():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS x")
        with pytest.raises(KeyboardInterrupt), allow_interruption(con=con), transaction(con):  # noqa: PT012
            con.execute("INSERT INTO t VALUES (2)")
            try:
                con.execute("FROM nothing")
            except duckdb.CatalogException as error:
                made = ValueError("of the other")
                made.__context__ = error
            _interrupt_and_raise(made)
        con.execute("BEGIN")  # none is open
        assert con.execute("FROM t").fetchall() == [(1,)]


def test_errors_that_are_a_circle_are_looked_at_once():
    one, other = ValueError(), KeyError()
    one.__context__, other.__context__ = other, one
    assert not _is_of_duckdb(one, None)


def _interrupt_and_raise(error):
    """Do both in one call of C: no step of Python's is between them, where the handler would run."""
    interrupt, broken = ctypes.PyDLL(None).PyErr_SetInterrupt, (_ for _ in ())
    interrupt.restype = None
    deque(map(operator.call, [interrupt, partial(broken.throw, error)]), maxlen=0)


def test_a_signal_is_raised_at_once_where_duckdb_s_error_was_there_before():
    """It is the caller's, who does something else for it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    after = []
    with duckdb.connect() as con:
        try:
            con.execute("FROM nothing")
        except duckdb.CatalogException:
            with pytest.raises(KeyboardInterrupt), allow_interruption(con=con):  # noqa: PT012
                signal.raise_signal(signal.SIGINT)
                after.append("more")
    assert not after


def test_the_event_loop_of_a_caller_is_woken_too():
    ear, mouth = os.pipe()
    os.set_blocking(mouth, False)
    before = signal.set_wakeup_fd(mouth)
    try:
        with duckdb.connect() as con:
            with pytest.raises(KeyboardInterrupt), allow_interruption(con=con):  # noqa: PT012
                signal.raise_signal(signal.SIGINT)
                time.sleep(5)
            assert signal.set_wakeup_fd(mouth) == mouth
    finally:
        signal.set_wakeup_fd(before)
    assert os.read(ear, 10) == bytes([signal.SIGINT])
    os.close(ear)
    os.close(mouth)


def test_a_handler_that_does_not_raise_lets_a_query_go_on(monkeypatch):
    """As that of asyncio, which cancels a task: the caller's handler says what a signal does."""
    came = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        with duckdb.connect() as con, allow_interruption(con=con):
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            rows = con.execute("SELECT count(sha256(i::VARCHAR)) FROM range(3000000) t(i)").fetchall()
            time.sleep(0.3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (rows, came) == ([(3000000,)], [signal.SIGINT])
    monkeypatch.delattr(signal, "pthread_sigmask")  # as on Windows: nothing but the handlers
    with duckdb.connect() as con, allow_interruption(con=con):
        assert signal.set_wakeup_fd(-1) == -1
        assert con.execute("SELECT 1").fetchall() == [(1,)]
