"""The DuckDB shell that people have (PyPI's duckdb-cli): the printed bundle, and macros stored in a database file."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
ROWS = """
    FROM (VALUES
        (1, 30, 'f', 'north', 10.0, 1), (2, 30, 'f', 'north', 15.0, 1), (3, 41, 'm', 'north', 20.0, 1),
        (4, 41, 'm', 'south', 20.0, 2), (5, 41, 'm', 'south', 12.5, 2), (6, NULL, 'f', 'south', 30.0, 3),
        (7, 67, NULL, 'south', 8.0, 3), (8, 25, 'm', NULL, 11.0, 3)
    ) AS t(id, age, sex, region, weight, household)
"""
CALLS = [
    "FROM sdc_cells('{t}', ['age', 'sex']) ORDER BY ALL",
    "FROM sdc_frequencies('{t}', ['age', 'sex'], 'weight', nulls := 'wildcard') ORDER BY id",
    "FROM sdc_frequency_counts('{t}', ['age', 'sex'])",
    "FROM sdc_frequency_summary('{t}', ['age', 'sex'], nulls := 'wildcard')",
    "FROM sdc_sample_uniques('{t}', ['age', 'sex']) ORDER BY id",
    "FROM sdc_theta('{t}', ['age', 'sex'], 0.1)",
    "FROM sdc_theta_by('{t}', ['age', 'sex'], 'region', 0.1)",
    "FROM sdc_population_risk('{t}', '{t}', ['age', 'sex'])",
    "FROM sdc_individual_risk('{t}', ['age', 'sex'], 'weight') ORDER BY id",
    "FROM sdc_cell_risk('{t}', ['age', 'sex'], 'weight') ORDER BY ALL",
    "FROM sdc_global_risk('{t}', ['age', 'sex'], 'weight')",
    "FROM sdc_risk_threshold('{t}', ['age', 'sex'], 'weight', 0.05)",
    "FROM sdc_household_risk('{t}', ['age', 'sex'], 'weight', 'household', 0.1) ORDER BY id",
    "FROM sdc_household_global_risk('{t}', ['age', 'sex'], 'weight', 'household')",
    "FROM sdc_k_anonymity('{t}', ['age', 'sex'], 5)",
    "SELECT * EXCLUDE (columns) FROM sdc_threshold_rule_summary('{t}', ['age', 'sex'], [30, 60], weight := 'weight')",
    "FROM sdc_threshold_rule_records('{t}', ['age', 'sex', 'region'], 20, nulls := 'wildcard') ORDER BY id",
    "SELECT * EXCLUDE (violated) FROM sdc_public_use_file_rules('{t}', ['age', 'sex'], 9, household := 'household')",
]
# masking that is SQL throughout, with the matrices it takes
MATRICES = """
    CREATE TABLE matrix AS FROM (VALUES ('f', 'f', 0.5), ('f', 'm', 0.5), ('m', 'f', 0.5), ('m', 'm', 0.5))
        AS m("from", "to", probability);
    CREATE TABLE crossing AS SELECT {'sex': "from"} AS "from", {'sex': "to"} AS "to", probability FROM matrix;
"""
MASKS = [
    "FROM sdc_pram('{t}', 'sex', 'matrix', 'id') ORDER BY id",
    "FROM sdc_pram_crossing('{t}', ['sex'], 'crossing', 'id') ORDER BY id",
    "FROM sdc_pram_retention('{t}', ['age', 'sex'], 0.5, 'id') ORDER BY id",
    "FROM sdc_pram_guaranteed('{t}', ['age', 'sex'], 0.5, 'id') ORDER BY id",
    "FROM sdc_round('{t}', ['age', 'weight'], 5, 'id') ORDER BY id",
    "FROM sdc_round_at_random('{t}', ['age', 'weight'], 5, 'id') ORDER BY id",
    "FROM sdc_noise('{t}', ['age', 'weight'], 0.1, 'id') ORDER BY id",
    "FROM sdc_multiplicative_noise('{t}', ['age', 'weight'], 0.1, 'id') ORDER BY id",
]
KERNELS = {
    "FROM sdc_noise('persons', ['weight'], 0.1, 'id', method := 'linear')": "Correlated noise needs Python",
    "FROM sdc_multiplicative_noise('persons', ['age'], 0.1, 'id', method := 'hoehne')": (
        "Multiplicative noise needs Python"
    ),
    "FROM sdc_microaggregate('persons', ['weight'], 3, 'id')": "Microaggregation needs Python",
    "FROM sdc_microaggregate_categorical('persons', ['sex'], 3, 'id')": "Microaggregation needs Python",
    "FROM sdc_rank_swap('persons', 'weight', 50, 'id')": "Rank swapping needs Python",
    "FROM sdc_rank_swap_correlated('persons', 'weight', 0.5, 'id')": "Rank swapping needs Python",
    "FROM sdc_resample('persons', 'weight', 3, 'id')": "Resampling needs Python",
    "FROM sdc_pram_proof('persons', ['sex'], 0.8, 'id')": "The exact probability of a correct match needs Python",
    "FROM sdc_population_uniqueness('persons', ['sex'], 80)": "A model of the population needs Python",
    "WITH many AS (SELECT i FROM range(50) t(i)) FROM sdc_log_linear_risk('many', ['i'], 10)": (
        "A key of many values, or a known margin, in a log-linear model needs Python"
    ),
    "FROM sdc_pram_estimate('complete', 'sex', 'matrix')": "The correction for PRAM needs Python",
    "FROM sdc_pram_invariant('complete', 'sex', 'matrix')": "An invariant PRAM matrix needs Python",
}


@pytest.fixture(scope="module")
def shell() -> str:
    """Return the path of the DuckDB shell."""
    beside = Path(sys.executable).parent / "duckdb"
    found = str(beside) if beside.is_file() else shutil.which("duckdb")
    if found is None:
        pytest.skip("no DuckDB shell: neither beside the Python that runs nor on the path (pip install duckdb-cli)")
    return found


@pytest.fixture(scope="module")
def bundle(tmp_path_factory) -> str:
    """Return the path of what `sdc-sql macros` prints."""
    path = tmp_path_factory.mktemp("bundle") / "sdc.sql"
    printed = subprocess.run([sys.executable, "-m", "sdc_sql", "macros"], capture_output=True, check=True)
    path.write_bytes(printed.stdout)
    return str(path)


def run(shell: str, *arguments: str, sql: str) -> subprocess.CompletedProcess:
    # -init takes the place of the user's own ~/.duckdbrc; an empty one keeps a test from reading it
    init = () if "-init" in arguments else ("-init", "/dev/null")
    return subprocess.run(
        [shell, *init, *arguments, "-csv", "-nullvalue", "NULL"],
        input=sql, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


def tables(done: subprocess.CompletedProcess) -> list[list[list[str]]]:
    """Return the results that a shell printed, each with its header; they are set apart by a line of dashes."""
    assert done.returncode == 0, done.stderr
    return [list(csv.reader(io.StringIO(block.strip("\n")))) for block in done.stdout.split("----\n")]


def script(table: str, calls: list[str] = CALLS) -> str:
    return "\n.print ----\n".join(f"{call.format(t=table)};" for call in calls) + "\n"


def in_python(table: str, calls: list[str] = CALLS) -> list[list[list[object]]]:
    with duckdb.connect() as con:
        sdc_sql.load(con).execute(f"SET VARIABLE sdc_key = '{KEY}'; CREATE TABLE persons AS {ROWS}; {MATRICES}")
        results = []
        for call in calls:
            result = con.execute(call.format(t=table))
            results.append([[d[0] for d in result.description], *map(list, result.fetchall())])
        return results


def plain(value: object) -> object:
    """Return a figure as a number to twelve digits, so that 1, 1.0 and '1' are one."""
    if value is None:
        return "NULL"
    try:
        return f"{float(str(value)):.12g}"
    except ValueError:
        return str(value)


def assert_same(printed: list[list[list[str]]], computed: list[list[list[object]]], calls: list[str] = CALLS) -> None:
    for call, left, right in zip(calls, printed, computed, strict=True):
        assert [[plain(v) for v in row] for row in left] == [[plain(v) for v in row] for row in right], call


def version(shell: str) -> tuple[int, ...]:
    printed = subprocess.run([shell, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(int(part) for part in printed.split()[0].removeprefix("v").split("."))


@pytest.mark.slow
def test_the_bundle_over_a_parquet_file(shell, bundle, tmp_path):
    parquet = str(tmp_path / "persons.parquet")
    with duckdb.connect() as con:
        con.execute(f"COPY ({ROWS}) TO '{parquet}'")
    assert_same(tables(run(shell, "-init", bundle, sql=script(parquet))), in_python(parquet))


@pytest.mark.slow
def test_the_bundle_over_a_table(shell, bundle, tmp_path):
    database = str(tmp_path / "survey.duckdb")
    assert run(shell, database, sql=f"CREATE TABLE persons AS {ROWS};").returncode == 0
    assert_same(tables(run(shell, "-init", bundle, database, sql=script("persons"))), in_python("persons"))


@pytest.mark.slow
def test_macros_installed_into_a_database_that_the_shell_made(shell, tmp_path, capsys):
    database = str(tmp_path / "survey.duckdb")
    assert run(shell, database, sql=f"CREATE TABLE persons AS {ROWS};").returncode == 0
    assert main(["install", database]) == 0
    assert capsys.readouterr().err == ""
    assert_same(tables(run(shell, database, sql=script("persons"))), in_python("persons"))
    assert_same(tables(run(shell, "-readonly", database, sql=script("persons"))), in_python("persons"))


@pytest.mark.slow
def test_macros_installed_into_a_new_database(shell, tmp_path, capsys):
    # the shell may be older than the DuckDB of the Python that installs
    database = str(tmp_path / "new.duckdb")
    assert main(["install", database, "--create"]) == 0
    assert capsys.readouterr().err == ""
    made = run(shell, database, sql=f"CREATE TABLE persons AS {ROWS};")
    assert made.returncode == 0, made.stderr
    assert_same(tables(run(shell, database, sql=script("persons"))), in_python("persons"))


def test_a_database_that_the_shell_made_is_reported_on(shell, tmp_path, capsys):
    database = str(tmp_path / "survey.duckdb")
    assert run(shell, database, sql=f"CREATE TABLE persons AS {ROWS};").returncode == 0
    assert main(["risk", database, "--keys", "age,sex"]) == 0
    assert "sample uniques  3" in capsys.readouterr().out


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        (
            "FROM sdc_theta('persons', ['aeg'], 0.1);",
            '"aeg" is not a column of the table, whose columns are "id", "age"',
        ),
        ("FROM sdc_theta('persons', ['age'], 2);", "The sampling fraction is 2: it must lie strictly between 0 and 1."),
        ("FROM sdc_theta('persons', [], 0.1);", "the list of columns is empty"),
        ("FROM sdc_global_risk('persons', ['age', 'sex'], 0.5);", "not normalised ones"),
        ("FROM sdc_household_risk('persons', ['age'], 9, 'region');", "A household number is NULL"),
        ("FROM sdc_cells('nobody', ['age']);", "The table nobody has no rows"),
    ],
)
def test_a_shell_shows_the_complaint(shell, bundle, sql, words):
    tables_made = f"CREATE TABLE persons AS {ROWS}; CREATE TABLE nobody AS FROM persons LIMIT 0;"
    done = run(shell, "-bail", "-init", bundle, sql=f"{tables_made}\n{sql}")
    assert done.returncode != 0
    assert words in done.stderr
    assert done.stdout == ""


@pytest.mark.slow
def test_masks_that_are_sql_give_in_the_shell_what_they_give_in_python(shell, bundle, tmp_path):
    # from the bundle over a table, and from the macros that are stored in a database, over a Parquet file
    made = f"CREATE TABLE persons AS {ROWS}; {MATRICES}"
    key = f"SET VARIABLE sdc_key = '{KEY}';\n"
    done = run(shell, "-bail", "-init", bundle, sql=f"{made}\n{key}{script('persons', MASKS)}")
    masked = in_python("persons", MASKS)
    assert_same(tables(done), masked, MASKS)
    with duckdb.connect() as con:
        unmasked = con.execute(f"{ROWS} ORDER BY id").fetchall()
    assert [call for call, rows in zip(MASKS, masked, strict=True) if [tuple(r) for r in rows[1:]] == unmasked] == []

    database, parquet = str(tmp_path / "survey.duckdb"), str(tmp_path / "persons.parquet")
    assert run(shell, database, sql=f"{made} COPY persons TO '{parquet}';").returncode == 0
    assert main(["install", database]) == 0
    assert_same(tables(run(shell, database, sql=key + script(parquet, MASKS))), masked, MASKS)


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("installed", [False, True], ids=["bundle", "installed"])
def test_masks_over_numpy_say_in_one_line_that_they_need_python(shell, bundle, tmp_path, installed):
    database = str(tmp_path / "survey.duckdb")
    made = f"CREATE TABLE persons AS {ROWS}; CREATE TABLE complete AS FROM persons WHERE sex IS NOT NULL; {MATRICES}"
    assert run(shell, database, sql=made).returncode == 0
    if installed:
        assert main(["install", database]) == 0
    calls = "\n.print ----\n".join(f"{call};" for call in KERNELS)
    init = () if installed else ("-init", bundle)
    done = run(shell, *init, database, sql=f"SET VARIABLE sdc_key = '{KEY}';\n{calls}\n")
    said = [line for line in done.stderr.splitlines() if line.strip() and "-- Loading resources" not in line]
    assert len(said) == len(KERNELS), done.stderr
    for line, (call, words) in zip(said, KERNELS.items(), strict=True):
        assert f"{words}: in Python, sdc_sql.load(con) registers it; or use the command line" in line, call
    assert done.stdout.strip("-\n") == ""


@pytest.mark.slow
def test_a_mask_in_the_shell_needs_the_key(shell, bundle):
    done = run(
        shell, "-init", bundle, sql=f"CREATE TABLE persons AS {ROWS}; {MATRICES}\n{script('persons', MASKS[:1])}"
    )
    assert "No secret key is set" in done.stderr
    assert done.stdout == ""


def test_the_shell_is_one_that_is_supported(shell):
    assert version(shell) >= (1, 5)
