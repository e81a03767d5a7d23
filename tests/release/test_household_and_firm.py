"""A household file of Stata with labels and a file of firms, released: their public reports, each figure recomputed."""

from __future__ import annotations

import re
import subprocess
import sys

import duckdb
import pytest
from household_and_firm import write_firms, write_households

from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting.public_report import public_report
from sdc_sql.release.running.run import run_release

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[write_households, write_firms], ids=["households", "firms"])
def released(request, tmp_path_factory):
    """Return the folder, the outcome and the public report of a release, whose file is written."""
    if request.param is write_households:
        pytest.importorskip("pyreadstat")
        pytest.importorskip("polars")
    folder = tmp_path_factory.mktemp("release")
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        outcome = run_release(read_release(request.param(folder)), con=con)
        assert outcome.accepted, outcome.reasons
        yield folder, outcome, public_report(outcome, "markdown")


def read_rows(page: str, title: str) -> list[list[str]]:
    """Return the rows of a table of the page."""
    lines = page.partition(f"**{title}")[2].split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip().replace("\\", "") for cell in line.strip("|").split("|")])
    return table[2:]


def test_shares_are_those_of_a_count_record_by_record(released):
    _, outcome, page = released
    key = outcome.plan.roles.id
    before, after = (
        {row[key]: row for row in table.con.table(table.table).to_arrow_table().to_pylist()}
        for table in (outcome.original, outcome.released)
    )
    step = 1 if len(after) >= 1000 else 5
    rows = read_rows(page, "Values that are not the original ones")
    assert len(rows) >= 3
    for name, _, changed, suppressed in rows:
        different = sum(str(before[i][name]) != str(row[name]) for i, row in after.items())
        gone = sum(before[i][name] is not None and row[name] is None for i, row in after.items())
        assert abs(float(changed) - 100 * different / len(after)) <= step / 2
        assert abs(float(suppressed) - 100 * gone / len(after)) <= step / 2
    collected = page.partition("Released as they were collected: ")[2].partition(".\n")[0].split(", ")
    for name in collected:
        assert all(before[i][name] == row[name] for i, row in after.items()), name


def test_scenario_and_suppression_are_not_told_more_than_done(released):
    _, _, page = released
    for secret in (KEY, "MARKED", "dominated", "anonymity", "7.77", "0.0413", "max risk"):
        assert secret not in page
    lost = any("suppression" in row[1] for row in read_rows(page, "Methods"))
    assert ("Values were suppressed" in page) == lost


def test_labels_of_variables_stand_in_the_report(released):
    _, outcome, page = released
    labelled = outcome.plan.source.path.suffix == ".dta"
    assert ("Sex of the person" in page) == labelled
    assert "<or>" not in page


def test_the_code_of_the_report_runs(released):
    pytest.importorskip("pandas")
    folder, outcome, page = released
    (folder / "code.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "code.py"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert found.returncode == 0, found.stderr
    column = "income" if "tenure" in page else "turnover"
    (total,) = outcome.released.con.execute(
        f"SELECT sum(weight * {column}) FROM {outcome.released.table}"
    ).fetchone()  # fmt: skip
    printed = float(re.search(r"total (\S+)", found.stdout)[1])
    assert printed == pytest.approx(float(total), rel=1e-9)
    if column == "income":  # PRAM keeps the sum of the weights, and its correction too
        (weights,) = outcome.released.con.execute(f"SELECT sum(weight) FROM {outcome.released.table}").fetchone()
        rows = [line.split() for line in found.stdout.splitlines() if re.match(r"\d +\d", line)]
        assert sum(float(row[3]) for row in rows) == pytest.approx(weights, rel=1e-6)
        variance, corrected = map(float, re.search(r"variance (\S+) corrected (\S+)", found.stdout).groups())
        assert variance - corrected == pytest.approx(200**2, rel=1e-9)
