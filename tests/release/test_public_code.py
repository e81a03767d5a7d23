"""The code of the public report runs, in Python and in R, and finds what an independent count does."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import duckdb
import numpy as np
import pytest

from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting import public_corrections
from sdc_sql.release.reporting.public_code import quote_text, write_stata
from sdc_sql.release.reporting.public_report import public_page, public_report
from sdc_sql.release.running.run import run_release

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
MATRIX = [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.05, 0.1, 0.85]]
# names that a Stata or SPSS file cannot hold
PLAIN = {'it""s': "its", 'it"s': "its", r"x\\y": "xy", r"x\y": "xy"}
RELEASE = """
[source]
path = "raw.parquet"
[roles]
id = "person"
weight = "f"
household = "home"
strata = ["k"]
released_as_collected = ["code", "count"]
[[scenarios]]
name = "s"
keys = ["k"]
limits = ["k_anonymity.2.records <= 0"]
[[steps]]
mask = "pram"
columns = ['it"s']
matrix = [[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.05, 0.1, 0.85]]
labels = ["NA", "b'c", "01"]
[[steps]]
mask = "pram_retention"
columns = ["Select"]
retention = 0.8
[[steps]]
mask = "pram_retention"
columns = ["b"]
retention = 0.7
[[steps]]
mask = "noise"
columns = ["x\\\\y"]
standard_deviation = 20
[[steps]]
mask = "noise"
columns = ["income"]
alpha = 0.25
method = "correlated"
[[steps]]
mask = "multiplicative_noise"
columns = ["rent"]
size = 0.2
method = "plain"
[output]
path = "released.ENDING"
"""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    """Return a function that releases the file in a format: its folder, its page, and that as Markdown."""
    made = {}

    def release(ending: str):
        if ending not in made:
            folder = tmp_path_factory.mktemp(ending)
            with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
                patch.setenv("SDC_KEY", KEY)
                con.execute(
                    spell(
                        f"""
                    COPY (SELECT range AS person, range // 2 AS home, range % 4 // 2 AS k, 10.5 + range % 7 AS f,
                                 ['NA', 'b''c', '01'][1 + range * 7 % 11 % 3] AS "it""s",
                                 range * 13 % 17 % 2 AS "Select", range % 3 = 0 AS b,
                                 if(range % 50 = 0, NULL, range * 37 % 1009 / 10) AS "x\\y",
                                 range * 41 % 2003 * 10.5 AS income, 5.0 + range * 3 % 97 AS rent,
                                 '0' || range % 9 AS code, range % 5 AS count
                          FROM range(6000)) TO '{folder}/raw.parquet'
                """,
                        ending,
                    )
                )
                (folder / "release.toml").write_text(spell(RELEASE.replace("ENDING", ending), ending), encoding="utf-8")
                outcome = run_release(read_release(folder / "release.toml"), con=con)
                assert outcome.accepted, outcome.reasons
                page = public_page(outcome)
                made[ending] = folder, page, public_report(outcome, "markdown")
        return made[ending]

    return release


def spell(text: str, ending: str) -> str:
    for name, plain in PLAIN.items() if ending in {"dta", "sav"} else ():
        text = text.replace(name, plain)
    return text


def find_code(page, language: str) -> str:
    blocks = [page.sections[2]]
    while blocks:
        block = blocks.pop()
        if getattr(block, "language", "") == language:
            return block.text
        blocks += getattr(block, "blocks", ())
    raise AssertionError(language)


def run(command: list[str], code: str, folder) -> str:
    (folder / "code").write_text(code, encoding="utf-8")
    found = subprocess.run(
        [*command, "code"], cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def find_figures(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"(?<![\w.'\"])-?\d+\.?\d*(?:e[-+]?\d+)?(?![\w.'\"])", text)]


def count_expected(folder, ending: str) -> dict[str, list[float]]:
    """Return the total with its error, the frequencies and the variances, from the released file by SQL and numpy."""
    raw = f"'{folder}/raw.parquet'"
    with duckdb.connect() as con:
        if ending == "duckdb":
            con.execute(f"ATTACH '{folder}/released.duckdb' AS r (READ_ONLY)")
            (name,) = con.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'r'").fetchone()
            con.execute(f'CREATE TABLE released AS FROM r."{name}"')
        elif ending in {"dta", "sav"}:
            pyreadstat = pytest.importorskip("pyreadstat")
            read = {"dta": pyreadstat.read_dta, "sav": pyreadstat.read_sav}[ending]
            frame = read(str(folder / f"released.{ending}"), output_format="polars")[0]
            con.register("frame", frame.to_arrow())
            con.execute("CREATE TABLE released AS FROM frame")
        elif ending == "csv":
            types = "{'it\"s': 'VARCHAR', 'code': 'VARCHAR'}"
            con.execute(f"CREATE TABLE released AS FROM read_csv('{folder}/released.csv', types = {types})")
        else:
            con.execute(f"CREATE TABLE released AS FROM '{folder}/released.parquet'")
        total = con.execute(
            spell(
                """
            WITH units AS (SELECT k, home, sum(f * coalesce("x\\y", 0)) AS z FROM released GROUP BY ALL),
            strata AS (SELECT sum(z) AS t, count(*) * var_samp(z) AS v FROM units GROUP BY k)
            SELECT sum(t), sqrt(sum(v)) FROM strata
        """,
                ending,
            )
        ).fetchone()
        found = {"total": [float(n) for n in total]}
        kept = [[0.8, 0.2], [0.2, 0.8]]
        for column, matrix, codes in (
            ('it"s', MATRIX, ["NA", "b'c", "01"]),
            ("Select", kept, [0, 1]),
            ("b", [[0.7, 0.3], [0.3, 0.7]], [False, True]),
        ):
            quoted = spell(column.replace('"', '""'), ending)
            held = dict(con.execute(f'SELECT "{quoted}", sum(f) FROM released GROUP BY 1').fetchall())
            released = [float(held[c]) for c in codes]
            found[column] = [*released, *np.linalg.inv(np.transpose(matrix)) @ released]
        noisy, income, mean, square, rent = con.execute(
            spell(
                'SELECT var_samp("x\\y"), var_samp(income), avg(rent), avg(rent * rent), var_samp(rent) FROM released',
                ending,
            )
        ).fetchone()
        found["noise"] = [noisy, noisy - 400]
        found["alpha"] = [income, income / 1.25]
        found["factors"] = [rent, square / 1.04 - mean**2]
        found["true"] = [
            float(n)
            for n in con.execute(
                spell(f'SELECT var_samp("x\\y"), var_samp(income), var_samp(rent) FROM {raw}', ending)
            ).fetchone()
        ]
    return found


def check(printed: str, expected: dict[str, list[float]]) -> None:
    figures = find_figures(printed)
    for name in ("total", 'it"s', "Select", "b", "noise", "alpha", "factors"):
        for value in expected[name]:
            assert any(np.isclose(value, figure, rtol=2e-5) for figure in figures), (name, value, printed)


@pytest.mark.parametrize("ending", ["csv", "parquet", "duckdb", "dta", "sav"])
@pytest.mark.one_in(3)
def test_python_code_runs(make, ending):
    if ending in {"dta", "sav"}:
        pytest.importorskip("pyreadstat")
    pytest.importorskip("pandas")
    folder, page, _ = make(ending)
    code = "import pandas\npandas.set_option('display.precision', 12)\n" + find_code(page, "python")
    expected = count_expected(folder, ending)
    check(run([sys.executable], code, folder), expected)


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_code_runs(make):
    has = subprocess.run(["Rscript", "-e", "library(survey)"], capture_output=True, check=False).returncode == 0
    if not has:
        pytest.skip("R has no package survey")
    folder, page, _ = make("csv")
    check(run(["Rscript"], "options(digits = 12)\n" + find_code(page, "r"), folder), count_expected(folder, "csv"))


def test_corrected_variances_are_near_the_true_ones(make):
    """The correction takes away what the noise added: within 4 per cent with 6,000 records."""
    folder, _, _ = make("csv")
    found = count_expected(folder, "csv")
    for name, true in zip(("noise", "alpha", "factors"), found["true"], strict=True):
        released, corrected = found[name]
        assert abs(corrected / true - 1) < 0.04 < released / true - 1, name


def test_the_page_shows_the_code_as_it_is(make):
    _, page, markdown = make("csv")
    for language in ("python", "r"):
        assert f"```{language}\n{find_code(page, language)}\n```" in markdown
    assert find_spec("pandas") is None or "colClasses" in find_code(page, "r")


def test_texts_are_quoted_for_both_languages():
    for text in ('a"b', "\\", "x\ny\u202e\U000e0001", "'", "${x}", "é"):
        assert eval(quote_text(text)) == text  # noqa: S307 - a literal of our own
    found = public_corrections.Corrections(
        "x\"`$(rm)'.csv", ".csv", (), "a b", None, None, "f", (), (public_corrections.Noisy("d d", 1.0),), ()
    )
    assert write_stata(found) == ""


@pytest.mark.parametrize(
    ("matrix", "solvable"),
    [([[0.81, 0.19, 0], [0.1, 0.9, 0], [1, 0, 0]], False), (MATRIX, True), ([[0.51, 0.49], [0.49, 0.51]], False)],
)
def test_a_singular_matrix_is_not_solved(matrix, solvable):
    assert public_corrections.is_solvable(matrix) == solvable
