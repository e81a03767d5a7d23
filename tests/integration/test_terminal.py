"""Both shells at a real terminal, typed at as a person types: ours, and DuckDB's own with the bundle."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminal import Pty, Tmux, opened

SHELL = [sys.executable, "-m", "sdc_sql", "shell"]
PROMPT = "sdc> "
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"


@contextmanager
def ours(kind: type, state: Path, *arguments: str):
    """Yield `sdc-sql shell` at a terminal, at its first prompt."""
    session = opened(kind, [*SHELL, *arguments], XDG_STATE_HOME=str(state))
    terminal = next(session)
    try:
        terminal.until(PROMPT)
        yield terminal
    finally:
        session.close()


def say(terminal: Pty, line: str, then: str = PROMPT) -> str:
    terminal.type(f"{line}\n")
    return terminal.until(then)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory) -> str:
    """Return the path of what `sdc-sql macros` prints."""
    path = tmp_path_factory.mktemp("bundle") / "sdc.sql"
    path.write_bytes(subprocess.run([*SHELL[:-1], "macros"], capture_output=True, check=True).stdout)
    return str(path)


@pytest.fixture(scope="module")
def duckdb_shell() -> str:
    """Return the path of DuckDB's shell."""
    beside = Path(sys.executable).parent / "duckdb"
    found = str(beside) if beside.is_file() else shutil.which("duckdb")
    if found is None:
        pytest.skip("no DuckDB shell: neither beside the Python that runs nor on the path (pip install duckdb-cli)")
    return found


@pytest.mark.slow
def test_a_session_of_ours(tmp_path):
    with ours(Pty, tmp_path, str(tmp_path / "survey.duckdb")) as terminal:
        say(terminal, ".examples")
        say(terminal, "FROM sdc_theta('persons',  -- a comment; with a semicolon", "...> ")
        say(terminal, "    ['age', 'sex'],", "...> ")
        assert "0.1428" in say(terminal, "    0.1);")
        assert "a;b" in say(terminal, "SELECT 'a;b' AS x;")
        wrong = say(terminal, "SELEC 1;")
        assert 'Parser Error: syntax error at or near "SELEC"' in wrong
        assert "Traceback" not in wrong
        assert '"aeg" is not a column of the table' in say(terminal, "FROM sdc_theta('persons', ['aeg'], 0.1);")
        # noise needs Python: here it is
        assert "income" in say(terminal, "FROM sdc_noise('persons', ['income'], 0.1, 'id') LIMIT 2;")
        assert "8 rows" in say(terminal, "CREATE TABLE kept AS FROM persons;")
        terminal.type("\x04")
        assert terminal.ends() == 0
    assert (tmp_path / "survey.duckdb").exists()


@pytest.mark.slow
def test_the_tab_key_and_ctrl_c_at_the_prompt(tmp_path):
    with ours(Pty, tmp_path) as terminal:
        terminal.type("FROM sdc_k_an\t")
        terminal.until("sdc_k_anonymity")
        time.sleep(1)  # Python's readline does not see a signal that comes while it draws
        terminal.type("\x03")
        terminal.until(PROMPT)
        say(terminal, "SELECT 'this is", "...> ")
        time.sleep(1)
        terminal.type("\x03")
        terminal.until(PROMPT)
        assert "│    42 │" in say(terminal, "SELECT 42 AS x;")
        terminal.type(".quit\n")
        assert terminal.ends() == 0


@pytest.mark.slow
@pytest.mark.parametrize("head", ["", "CREATE TABLE much AS "])
def test_ctrl_c_stops_a_query_and_not_the_shell(tmp_path, head):
    with ours(Pty, tmp_path) as terminal:
        terminal.type(f"{head}SELECT count(*) FROM range(1000000000) a, range(100000) b WHERE a.range * b.range = 7;\n")
        time.sleep(1)
        terminal.type("\x03")
        assert "interrupted" in terminal.until(PROMPT)
        assert "five" in say(terminal, "SELECT 5 AS five;")


@pytest.mark.slow
def test_the_history_holds_statements_and_never_the_key(tmp_path):
    with ours(Pty, tmp_path) as terminal:
        say(terminal, "SELECT 1 AS one;")
        say(terminal, "SET VARIABLE sdc_key = 'top secret 1';")
        say(terminal, "SET VARIABLE", "...> ")
        say(terminal, "sdc_key =", "...> ")
        say(terminal, "'top secret 2';")
        say(terminal, "SELECT 2 AS two; SET VARIABLE sdc_key = 'top secret 3' nonsense;")
        say(terminal, "SET VARIABLE sdckey = 'top secret 4';")
        say(terminal, ".key", "secret key: ")
        assert "can be guessed" in say(terminal, "top secret 5")
        say(terminal, ".key", "secret key: ")
        assert KEY not in say(terminal, KEY)
        assert "0." in say(terminal, "SELECT sdc_uniform('noise', 1) AS u;")
    file = tmp_path / "sdc-sql" / "history"
    assert file.read_text() == "SELECT 1 AS one;\nSELECT sdc_uniform('noise', 1) AS u;\n"
    assert stat.S_IMODE(file.stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    kept = [p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()]
    assert not [b for b in kept if b"top secret" in b or KEY.encode() in b]
    with ours(Pty, tmp_path) as terminal:  # the next session: two arrows up
        terminal.type("\x1b[A\x1b[A")
        assert "│     1 │" in say(terminal, "")


@pytest.mark.slow
def test_a_wide_table_fits_the_terminal(tmp_path):
    with ours(Pty, tmp_path) as terminal:
        columns = ", ".join(f"{i} AS a_column_with_a_long_name_{i}" for i in range(30))
        shown = say(terminal, f"CREATE TABLE wide AS SELECT {columns}; FROM wide;")
        drawn = [line for line in shown.splitlines() if line.startswith(("┌", "│", "└"))]
        assert drawn
        assert all(len(line) <= 140 for line in drawn)
        assert "30 columns" in shown


@pytest.mark.slow
def test_ours_in_tmux(tmp_path):
    with ours(Tmux, tmp_path) as terminal:
        terminal.type(".examples\nFROM sdc_k_an\t('persons', ['age', 'sex'], 3);\n")
        screen = terminal.until(PROMPT)
        while "│     3 │" not in screen:
            screen = terminal.until(PROMPT)
        assert "│     2 │       3 │     3 │" in screen


@pytest.mark.slow
def test_the_duckdb_shell_with_the_bundle(duckdb_shell, bundle, tmp_path):
    session = opened(Pty, [duckdb_shell, "-init", bundle], HOME=str(tmp_path))
    terminal = next(session)
    try:
        terminal.type(
            "CREATE TABLE persons AS FROM (VALUES (1, 30, 'f'), (2, 30, 'f'), (3, 41, 'm')) t(id, age, sex);\n"
        )
        terminal.type("SELECT records, cells FROM sdc_k_anonymity('persons', ['age', 'sex'], 2);\n")
        terminal.until("records")
        terminal.type("SELECT name FROM sdc_help('sdc_k_anon');\n")
        terminal.until("sdc_k_anonymity │")
        terminal.type(f"SET VARIABLE sdc_key = '{KEY}'; FROM sdc_rank_swap('persons', 'age', 5, 'id');\n")
        terminal.until("Rank swapping needs Python")
        terminal.type(".quit\n")
        terminal.ends()
    finally:
        session.close()


@pytest.mark.slow
def test_the_duckdb_shell_in_tmux(duckdb_shell, bundle, tmp_path):
    session = opened(Tmux, [duckdb_shell, "-init", bundle], HOME=str(tmp_path))
    terminal = next(session)
    try:
        terminal.until("D")
        terminal.type("SELECT count(*) AS n FROM sdc_help() WHERE NOT needs_python AND name = 'sdc_theta';\n")
        screen = ""
        while "│     1 │" not in screen:
            screen = terminal.until("D")
    finally:
        session.close()
