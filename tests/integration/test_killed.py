"""Masking in place and the death of its process: the file holds the table before or the table after, nothing between.

A table half masked is the worst outcome there is: it looks masked, and some of its records are the original ones.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import duckdb
import pytest

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = 50_000
AT_A_TIME = 2
TRIALS = 24  # four times of death, each of the three ways, twice

# The server has imported everything and opened nothing when it forks a child, the one that is killed.
# "own": the masking's own transaction, and the file is closed afterwards (which writes the log into the file).
# "copy": the same, of a copy. "joined": two steps in a transaction of the user's; the file stays open, so what
# was committed is in the log. Then the child waits to be killed.
SERVER = """
import os, sys, time
import duckdb, numpy, pyarrow, sdc_sql
import sdc_sql.db.masking.places, sdc_sql.udfs.registry

sdc_sql.db.masking.places.RUN = 10_000  # records: values are read and written in several runs, as of a large table

def say(*words):
    print(*words, flush=True)

def mask(path, how):
    con = duckdb.connect(path, config={"threads": 1})
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    con.execute("SET enable_progress_bar = false")  # it would stand between the words that are said
    data = sdc_sql.Microdata(con, "persons", id="id")
    say("ready", os.getpid())
    if how == "joined":
        con.begin()
        data.mask.pram_retention("sex", 0.8)
        data.mask.multiplicative_noise("y", 0.1)
        say("committing")
        con.commit()
        say("committed")
    else:
        if how == "own":
            data.mask.noise(["x", "y"], 0.1)
        else:
            data.mask.rank_swap("x", 5, into="released")
        say("committed")
        con.close()
    say("done")
    time.sleep(600)

for line in sys.stdin:
    pid = os.fork()
    if not pid:
        mask(*line.rstrip("\\n").split("\\t"))
    _, status = os.waitpid(pid, 0)
    say("ended", os.WTERMSIG(status) if os.WIFSIGNALED(status) else -1)
"""
WAYS = ("own", "joined", "copy")


@dataclass(frozen=True)
class Trial:
    """When to kill: so many seconds after the child said a word."""

    how: str
    word: str
    seconds: float


class Server:
    """A process that starts a child for each line it is given, and what the child says."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )

    def start(self, path: Path, how: str) -> int:
        """Start a child; return its process id once it is about to mask."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}\t{how}\n")
        self.process.stdin.flush()
        return int(self.heard("ready")[-1][1])

    def heard(self, word: str) -> list[list[str]]:
        """Wait for a word, and return all that was said up to it."""
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line.split())
            if said[-1][0] == word:
                return said
            assert said[-1][0] != "ended", said
        return pytest.fail(f"the server ended before a child said {word!r}")

    def kill(self, pid: int) -> tuple[bool, bool]:
        """Kill a child; return whether it died of that, and whether it had said that it committed."""
        os.kill(pid, signal.SIGKILL)
        said = self.heard("ended")
        return said[-1] == ["ended", str(int(signal.SIGKILL))], ["committed"] in said

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def measured(server: Server, path: Path, how: str) -> dict[str, float]:
    """Return when a child said what, in seconds since it was ready; it is killed when it is done."""
    pid = server.start(path, how)
    begun = time.monotonic()
    times = {}
    for word in (("committing",) if how == "joined" else ()) + ("committed", "done"):
        server.heard(word)
        times[word] = time.monotonic() - begun
    server.kill(pid)
    return times


def state(path: Path) -> dict[str, object]:
    """Return a digest of each whole table, and the steps that were written down; temporary tables are never there."""
    with duckdb.connect(path) as con:
        found: dict[str, object] = {}
        for (name,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
            columns = "step, target, method, columns, records, changed" if name == "sdc_steps" else "id, x, y, sex"
            digest = f"SELECT count(*), bit_xor(hash({columns})), sum(hash({columns})) FROM {name}"
            found[name] = con.execute(digest).fetchall()
        return found


def restored(original: Path, path: Path) -> None:
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
    shutil.copyfile(original, path)


def tried(server: Server, path: Path, trial: Trial) -> tuple[bool, bool]:
    """Kill a child as told; return whether that was its death, and whether it had said that it committed."""
    pid = server.start(path, trial.how)
    if trial.word != "ready":
        server.heard(trial.word)
    time.sleep(trial.seconds)
    killed, committed = server.kill(pid)
    return killed, committed or trial.word == "committed"


@pytest.mark.slow
def test_a_killed_masking_leaves_the_table_before_or_the_table_after(tmp_path):
    original = tmp_path / "original.duckdb"
    with duckdb.connect(original) as con:
        con.execute(
            f"""
            CREATE TABLE persons AS
            SELECT range AS id, (range * 7919 % 10007) / 7 AS x, (range * 104729 % 20011) / 3 AS y,
                   ['f', 'm'][1 + range % 2] AS sex
            FROM range({RECORDS})
            """
        )
    before = state(original)
    after, times = {}, {}
    with Server() as server:
        for how in WAYS:
            path = tmp_path / f"{how}.duckdb"
            restored(original, path)
            times[how] = measured(server, path, how)
            after[how] = state(path)
            assert sorted(after[how]) == ["persons", *(["released"] if how == "copy" else []), "sdc_steps"]
            assert (after[how]["persons"] == before["persons"]) == (how == "copy")

    # a quarter over the whole of each way and a quarter around the commit; as a busy machine moves both, a quarter
    # surely before it and a quarter surely after it
    chance = random.Random(20)  # noqa: S311 - times to kill at, no secret
    trials = []
    for i in range(TRIALS):
        how, kind = WAYS[i // 4 % 3], i % 4
        whole, committed = times[how]["done"], times[how]["committed"]
        if kind == 0:
            trials.append(Trial(how, "ready", chance.uniform(0, 1.2 * whole)))
        elif kind == 1 and how == "joined":
            trials.append(Trial(how, "committing", chance.uniform(0, 1.5 * (committed - times[how]["committing"]))))
        elif kind == 1:
            trials.append(Trial(how, "ready", chance.uniform(0.8 * committed, 1.1 * whole)))
        elif kind == 2:
            trials.append(Trial(how, "ready", chance.uniform(0, 0.1 * committed)))
        else:
            trials.append(Trial(how, "committed", chance.uniform(0, whole - committed)))

    def worked(worker: int) -> list[tuple[Trial, bool, bool, str]]:
        path = tmp_path / f"worker{worker}.duckdb"
        restored(original, path)
        found = []
        with Server() as server:
            for trial in trials[worker::AT_A_TIME]:
                killed, committed = tried(server, path, trial)
                now = state(path)
                outcome = "before" if now == before else "after" if now == after[trial.how] else "between"
                found.append((trial, killed, committed, outcome))
                if outcome != "before":  # else the next trial goes on with this file and its log
                    restored(original, path)
        return found

    with ThreadPoolExecutor(AT_A_TIME) as workers:
        found = [one for some in workers.map(worked, range(AT_A_TIME)) for one in some]

    assert sum(killed for _, killed, _, _ in found) == TRIALS
    assert [one for one in found if one[3] == "between"] == []
    # what was said to be committed is kept
    assert [one for one in found if one[2] and one[3] == "before"] == []
    outcomes = [outcome for *_, outcome in found]
    assert min(outcomes.count("before"), outcomes.count("after")) >= TRIALS // 4
