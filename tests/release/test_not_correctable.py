"""No correction is told where none holds: within bounds, by strata, after a later step, of draws by household."""

from __future__ import annotations

import duckdb
import pytest

from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting.public_report import public_report
from sdc_sql.release.running.run import run_release

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
RELEASE = """
[source]
path = "raw.parquet"
[roles]
id = "id"
household = "hh"
released_as_collected = ["st", "c", "x"]
[[scenarios]]
name = "s"
keys = ["st"]
limits = ["k_anonymity.2.records <= 0"]
{steps}
[output]
path = "released.parquet"
public_report = "public.md"
"""
NOISE = '[[steps]]\nmask = "noise"\ncolumns = ["x"]\n'
PRAM = '[[steps]]\nmask = "pram_retention"\ncolumns = ["c"]\nretention = 0.7\n'
STEPS = {
    "none": NOISE + "alpha = 0.5\n",
    "absolute": NOISE + "standard_deviation = 50\n",
    "stratum": NOISE + 'alpha = 0.5\nstratum = "st"\n',
    "bounds": NOISE + "alpha = 0.5\nlower = 0\n",
    "absolute bounds": NOISE + "standard_deviation = 50\nlower = 0\n",
    "later": NOISE + 'alpha = 0.5\n[[steps]]\nmask = "top_bottom_code"\ncolumn = "x"\nunit = "quantile"\ntop = 0.9\n',
    "pram": PRAM,
    "pram twice": PRAM + PRAM + 'stream = "again"\n',
    "pram by household": PRAM,
}
TOLD = {  # what is said, and whether the code corrects
    "none": ("variances of the released values are 1.5 times", True),
    "absolute": ("subtract the variance of the noise", True),
    "stratum": ("within each stratum are 1.5 times", False),
    "bounds": ("held within bounds, so that what was added depends on the value", False),
    "absolute bounds": ("held within bounds, so that what was added depends on the value", False),
    "later": ("x: masked by another step too: no estimate can be corrected", False),
    "pram": ("estimate the original frequencies t by solving", True),
    "pram twice": ("c: masked by another step too: no estimate can be corrected", False),
    "pram by household": ("Drawn by household", False),
}

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", STEPS)
def test_what_is_told_and_corrected(case, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        con.execute(f"""COPY (SELECT i AS id, i // 5 AS hh, i % 2 AS st, ['a', 'b', 'c'][1 + i // 5 * 7 % 3] AS c,
            exp((i * 37 % 1009) / 200.0) * 10 AS x FROM range(2000) t(i)) TO '{tmp_path}/raw.parquet'""")
        masked = "c" if "pram" in case else "x"
        text = RELEASE.format(steps=STEPS[case]).replace(f', "{masked}"', "")
        if "household" not in case:  # where one is named, categories are drawn by household
            text = text.replace('household = "hh"', "").replace('["st"', '["hh", "st"', 1)
        (tmp_path / "release.toml").write_text(text, encoding="utf-8")
        outcome = run_release(read_release(tmp_path / "release.toml"), con=con)
        assert outcome.accepted, outcome.reasons
        page = public_report(outcome, "markdown")
    said, corrects = TOLD[case]
    assert said in page
    assert ("corrected = values.var() - noise" in page or "P = np.array" in page) == corrects
    if "another step" not in said and not corrects and case != "pram by household":
        assert "subtract the variance" not in page


def test_a_variance_without_noise_is_near_the_original_one_only_where_it_is_told(tmp_path, monkeypatch):
    """The corrections that are left out would have been wrong by a third; the one that is told is not."""
    monkeypatch.setenv("SDC_KEY", KEY)
    found = {}
    for case in ("none", "bounds"):
        with duckdb.connect() as con:
            con.execute(f"""COPY (SELECT i AS id, i // 5 AS hh, i % 2 AS st, 'a' AS c,
                -1000 * ln((i + 0.5) / 5000) AS x FROM range(5000) t(i)) TO '{tmp_path}/raw.parquet'""")
            text = RELEASE.format(steps=STEPS[case]).replace(', "x"', "")
            (tmp_path / "release.toml").write_text(text, encoding="utf-8")
            outcome = run_release(read_release(tmp_path / "release.toml"), con=con, write=False)
            before, after = (
                con.sql(f"SELECT var_samp(x) FROM {data.table}").fetchall()[0][0]
                for data in (outcome.original, outcome.released)
            )
            found[case] = after / 1.5 / before
    assert found["none"] == pytest.approx(1, abs=0.1)
    assert found["bounds"] < 0.85


def test_a_category_that_left_has_no_name_also_where_a_stratum_has_its_code(tmp_path, monkeypatch):
    """Of code 7 one record had it, and PRAM took it away; a stratum is called 7 too."""
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        con.execute(f"""COPY (SELECT i AS id, i // 5 AS hh, 7 + i % 2 AS st, CASE WHEN i = 0 THEN 7 ELSE i % 3 END AS c,
            1.5 AS x FROM range(2000) t(i)) TO '{tmp_path}/raw.parquet'""")
        moves = {0: (0.8, 0.1, 0.1), 1: (0.1, 0.8, 0.1), 2: (0.1, 0.1, 0.8), 7: (0.4, 0.3, 0.3)}
        lines = [f"{st},{c},{to},{p}" for st in (7, 8) for c, of in moves.items() for to, p in enumerate(of)]
        (tmp_path / "matrix.csv").write_text("\n".join(["st,from,to,probability", *lines]))
        step = '[[steps]]\nmask = "pram"\ncolumns = ["c"]\nstratum = "st"\nmatrix = "matrix.csv"\n'
        text = (
            RELEASE.format(steps=step).replace(', "c"', "").replace('household = "hh"', "").replace('["st"', '["hh"', 1)
        )
        (tmp_path / "release.toml").write_text(text.replace('keys = ["hh"]', 'keys = ["st"]'), encoding="utf-8")
        outcome = run_release(read_release(tmp_path / "release.toml"), con=con)
        page = public_report(outcome, "markdown")
    assert "7" not in {
        str(v) for (v,) in duckdb.sql(f"SELECT DISTINCT c FROM '{tmp_path}/released.parquet'").fetchall()
    }
    assert "where the stratum is 7" in page
    assert "| (not in the file) |" in page
    assert "| 7 |" not in page
