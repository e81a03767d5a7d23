"""The shell in a pipe and with -c, in process: odd input, errors in one line, dot commands."""

from __future__ import annotations

import io

import duckdb
import pytest

from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.shell.completion import candidates
from sdc_sql.shell.history import History, history_file
from sdc_sql.shell.messages import describe_function, list_help
from sdc_sql.shell.session import COMMANDS, Session
from sdc_sql.shell.statements import is_complete, is_harmless, strip_end

KEY = "a key that must not be seen"


@pytest.fixture(scope="module")
def loaded(connect):
    """Return a connection with the macros and the tables of the examples, for all sessions here."""
    with connect() as con:
        yield con


@pytest.fixture
def session(loaded):
    """Return a session whose complaints and history are lists."""
    complaints: list[str] = []
    kept: list[str] = []
    made = Session(loaded, complaints.append, kept.append)
    made.complaints, made.kept = complaints, kept
    return made


def said(session: Session, capsys, text: str) -> str:
    assert session.run_lines(text), session.complaints
    return capsys.readouterr().out


def refused(session: Session, text: str) -> str:
    assert not session.run_lines(text)
    assert not session.pending
    (complaint,) = session.complaints
    session.complaints.clear()
    assert "\n" not in complaint
    return complaint


# --- statements


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("SELECT 1;", True),
        ("SELECT 1; -- done; really", True),
        ("SELECT 1; /* done */ ", True),
        ("SELECT 'ü;ü';", True),
        (";", True),
        ("SELECT 1", False),
        ("SELECT 'a;", False),
        ('SELECT "a;', False),
        ("SELECT 'a'';", False),
        ("SELECT 1 -- ;", False),
        ("SELECT 1; /* ;", False),
        ("SELECT $$ ;", False),
        ("", False),
    ],
)
def test_where_a_statement_ends(text, complete):
    assert is_complete(text) is complete


def test_the_end_is_taken_off_and_no_more():
    assert strip_end("SELECT 'ü;' AS x ; -- c") == "SELECT 'ü;' AS x "
    assert strip_end("SELECT 1 -- c") == "SELECT 1 -- c"


@pytest.mark.parametrize(
    "text",
    [
        "SET VARIABLE sdc_key = 'x';",
        "set\n  variable\n  sdc_key='x'",
        "SET SESSION VARIABLE k = 'x'",
        'SET VARIABLE "SDC_KEY" = 1',
        "SELECT 1; set variable x = 2",
        "SETVARIABLE sdc_key 'x'",
        "SET VARIABLE sdckey = 'x'",
        ".key abc",
        "CREATE SECRET (TYPE s3, KEY_ID 'a', SECRET 'b')",
        "create or replace persistent secret s in local_file (type http, bearer_token 'b')",
        "ATTACH 'host=db user=u password=abc' AS s (TYPE postgres)",
        "ATTACH 'mysql:host=db passwd=abc' AS s",
        "attach 'postgresql://u:abc@db/x' AS s (TYPE postgres)",
        "ATTACH 'x.duckdb' AS s (ENCRYPTION_KEY 'abc')",
        "FROM postgres_scan('host=db PASSWORD=abc', 'public', 't')",
        "SET s3_secret_access_key = 'abc'",
        "SET motherduck_token = 'abc'",
        "  SECRET 'abc');",  # the second half of a statement that a semicolon has cut in two
        "secret\n $$abc$$",
        "PRAGMA add_parquet_key('k', 'abc')",
        "COPY t TO 'x.parquet' (ENCRYPTION_CONFIG {footer_key_value: 'abc'})",
        "FROM 'https://h/x.parquet?X-Amz-Signature=abc'",
        "FROM read_csv('az://h/x.csv?sv=1&sig=abc')",
        "ATTACH 'postgresql://u:a/c@db/x' AS s (TYPE postgres)",
    ],
)
def test_what_is_not_kept(text):
    assert not is_harmless(text)


@pytest.mark.parametrize(
    "text", ["FROM sdc_theta('t', ['a'], 0.1)", "SET threads = 2", "SELECT variable FROM t", "ATTACH 'x.duckdb' AS s"]
)
def test_what_is_kept(text):
    assert is_harmless(text)


# --- a session


def test_a_statement_over_several_lines_with_a_comment_and_a_semicolon_in_a_string(session, capsys):
    text = "SELECT 'a;b' AS x, -- not yet;\n  /* nor ; here */ 2 AS y\n; SELECT 3 AS z;\nSELECT 4 AS u"
    shown = said(session, capsys, text)
    assert [word in shown for word in ("a;b", " y ", " z ", " u ")] == [True] * 4
    assert session.kept == ["\n".join(text.splitlines()[:3]), "SELECT 4 AS u"]


def test_a_table_k_with_columns_f_and_select_and_a_quote_in_a_name(session, capsys):
    said(
        session, capsys, """CREATE TEMP TABLE k AS FROM (VALUES (1, 'x', NULL), (1, 'y', 2)) t(f, "Select", "a""b");"""
    )
    assert "2 │" in said(session, capsys, "SELECT f, sample_frequency FROM sdc_cells('k', ['f']);")
    shown = said(session, capsys, "FROM sdc_cells('k', ['Select', 'a\"b']);")
    assert 'a"b' in shown
    assert "NULL" in shown
    said(session, capsys, """CREATE TEMP TABLE "o""dd" AS SELECT 1 AS f;""")
    assert 'o"dd' in said(session, capsys, ".tables")


def test_an_empty_table_and_one_row(session, capsys):
    said(session, capsys, "CREATE TEMP TABLE none_yet(a INT); CREATE TEMP TABLE one AS SELECT 1 AS a;")
    assert "0 rows" in said(session, capsys, "FROM none_yet;")
    assert refused(session, "FROM sdc_cells('none_yet', ['a']);").startswith("The table none_yet has no rows")
    assert "1 │" in said(session, capsys, "FROM sdc_cells('one', ['a']);")


def test_errors_are_one_line_each(session):
    assert refused(session, "SELEC 1;") == 'Parser Error: syntax error at or near "SELEC"'
    assert refused(session, "SELECT 1\n  FROM FROM x;").endswith("(line 2)")
    assert "nobody" in refused(session, "FROM nobody;")
    assert "0.1" not in refused(session, "FROM sdc_theta('nobody', ['a'], 0.1);")
    assert refused(session, "SELECT 'unended")


def test_what_follows_an_error_is_not_run(session, capsys):
    refused(session, "SELECT 1/0 AS a, error('stop'); SELECT 'never' AS b;\nSELECT 'never' AS c;")
    assert "never" not in capsys.readouterr().out


def test_a_variable_of_the_program_is_no_table(session):
    assert refused(session, "FROM statement;")
    assert refused(session, "FROM result;")


@pytest.mark.parametrize("value", [f"'{KEY}' nonsense;", f"no_function('{KEY}');", f"'{KEY}"])
def test_no_error_repeats_the_key(session, value):
    assert KEY not in refused(session, f"SET VARIABLE sdc_key = {value}")


def test_plans_are_drawn_as_they_are(session, capsys):
    assert "\\n" not in said(session, capsys, "EXPLAIN SELECT 1;")


def test_what_changes_rows_says_how_many_and_what_sets_says_nothing(session, capsys):
    assert said(session, capsys, "SET VARIABLE x = 1; CREATE TEMP TABLE rows_of (a INT);") == ""
    # DuckDB 1.5 does not tell Python how many
    told = "2 rows\n" if duckdb.__version__ >= "2" else ""
    assert said(session, capsys, "INSERT INTO rows_of VALUES (1), (2);") == told
    assert "│     3 │" in said(session, capsys, "INSERT INTO rows_of VALUES (3) RETURNING a;")


# --- dot commands


def test_help_lists_every_function_with_its_arguments_and_an_example(session, capsys):
    shown = said(session, capsys, ".help")
    for entry in read_catalogue():
        assert f"  {entry.name}(" in shown
        assert entry.example in shown
    assert all(command in shown for command in COMMANDS)


@pytest.mark.parametrize("word", ["theta", "sdc_theta", "THETA", "sdc_theta()"])
def test_help_tells_all_of_one_function(word):
    shown = describe_function(word)
    assert shown.startswith("sdc_theta(tbl, keys, sampling_fraction, confidence := 0.99)")
    assert "Skinner & Elliot (2002)" in shown
    assert "theta^  = pi n_1 / (pi n_1 + 2 (1 - pi) n_2)" in shown
    assert shown.endswith("FROM sdc_theta('persons', ['age', 'sex'], 0.1);")


def test_help_on_several_and_on_none(session):
    assert all(
        f"  {name}(" in describe_function("round") for name in ("sdc_round", "sdc_round_at_random")
    ) or "sdc_round(" in describe_function("round")
    assert "sdc_household_global_risk(" in describe_function("household_")
    assert refused(session, ".help nothing-of-the-kind").startswith("There is no function for 'nothing-of-the-kind'")


@pytest.mark.slow
def test_help_is_what_the_macro_says(loaded):
    signatures = loaded.execute("SELECT name || '(' FROM sdc_help()").fetchall()
    assert all(name in list_help() for (name,) in signatures)


def test_the_tables_of_the_examples_can_be_made_twice(session, capsys):
    said(session, capsys, ".examples\n.examples\nFROM sdc_theta('persons', ['age', 'sex'], 0.1);")
    assert {"persons", "sexes"} <= set(said(session, capsys, ".tables").split())


def test_a_file_is_read_and_not_kept(session, capsys, tmp_path):
    file = tmp_path / "my queries.sql"
    file.write_text(".maxrows 40\nSELECT 'from a file' -- ;\nAS x;\nSELECT 2")
    assert "from a file" in said(session, capsys, f".read {file}")
    assert session.kept == [f".read {file}"]


def test_files_that_cannot_be_read(session, tmp_path):
    assert refused(session, ".read nowhere.sql") == "There is no file nowhere.sql."
    file = tmp_path / "itself.sql"
    file.write_text(f".read {file}")
    assert refused(session, f".read {file}").endswith("reads itself.")


@pytest.mark.parametrize("command", [".nonsense", ".", ".maxrows", ".maxrows many", ".read", ".tables all", ".key abc"])
def test_commands_that_cannot_be(session, command):
    assert refused(session, command)
    assert not any("abc" in line for line in session.kept if is_harmless(line))


def test_completion_puts_ours_first(loaded):
    assert candidates(loaded, "sdc_hel") == ["sdc_help"]
    assert candidates(loaded, ".ma", list(COMMANDS)) == [".maxrows"]
    assert "SELECT" in candidates(loaded, "SEL")
    assert candidates(loaded, "") == []
    assert not any(name.startswith("sdc__") for name in candidates(loaded, "sdc_"))


# --- history


def test_history_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    recalled: list[str] = []
    history = History(history_file(), recalled.append)
    history.load()
    history.keep("SELECT 1;")
    history.keep(f"SET VARIABLE sdc_key = '{KEY}';")
    history.keep("   ")
    assert recalled == ["SELECT 1;"]
    assert history_file().read_text() == "SELECT 1;\n"
    assert history_file().stat().st_mode & 0o77 == 0


def test_a_history_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    history = History(tmp_path / "file" / "history", lambda _: None)
    history.load()
    history.keep("SELECT 1;")


def test_a_long_history_is_cut(tmp_path):
    path = tmp_path / "history"
    path.write_text("".join(f"SELECT {i};\n" for i in range(5000)))
    recalled: list[str] = []
    History(path, recalled.append).load()
    assert len(recalled) == len(path.read_text().splitlines()) == 2000
    assert recalled[-1] == "SELECT 4999;"


# --- the command line


@pytest.mark.slow
def test_c_runs_and_leaves(capsys):
    assert main(["shell", "-c", "SELECT 1 AS a", "-c", ".quit", "-c", "SELECT 2 AS b"]) == 0
    out, err = capsys.readouterr()
    assert " a " in out
    assert " b " not in out
    assert err == ""


@pytest.mark.slow
def test_a_pipe_and_a_file(capsys, monkeypatch, tmp_path):
    database = str(tmp_path / "new.duckdb")
    monkeypatch.setattr("sys.stdin", io.StringIO("CREATE TABLE t AS SELECT 7 AS seven;\nFROM t"))
    assert main(["shell", database]) == 0
    assert "7 │" in capsys.readouterr().out
    assert main(["shell", database, "--read-only", "-c", "FROM sdc_cells('t', ['seven'])"]) == 0
    assert "1 │" in capsys.readouterr().out
    assert main(["shell", database, "--read-only", "-c", "DROP TABLE t"]) == 2
    assert capsys.readouterr().err.startswith("sdc-sql: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--read-only"], "--read-only needs a database file"),
        (["{}/none.duckdb", "--read-only"], "There is no file"),
        (["{}/a.csv"], "is a CSV file, not a database"),
        (["{}/none/x.duckdb"], "none"),
    ],
)
def test_databases_that_cannot_be_opened(capsys, tmp_path, arguments, words):
    (tmp_path / "a.csv").write_text("a\n1\n")
    assert main(["shell", *(a.format(tmp_path) for a in arguments), "-c", "SELECT 1"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert err.count("\n") == 1
