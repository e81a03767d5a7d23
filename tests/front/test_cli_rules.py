"""``sdc-sql rules``: the answers, and the exit code that a pipeline sees."""

from __future__ import annotations

import json

import duckdb
import pytest

from sdc_sql.cli import main


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Return a Parquet file of 1,200 records: two regions, two sexes, ten jobs."""
    path = str(tmp_path_factory.mktemp("rules") / "f.parquet")
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT 'r' || i % 2 AS region, CASE WHEN i % 4 < 2 THEN 'f' ELSE 'm' END AS sex, i % 10 AS job,
                         20000 AS people,
                         2000e0 AS w FROM range(1200) t(i)) TO '{path}'
        """)
    return path


RESEARCH = ["--for", "research", "--keys", "region,sex,job", "--weight", "w"]
LEVELS = ["--extremely", "region", "--very", "sex", "--identifying", "job"]


def test_research(file, capsys):
    full = [*RESEARCH, *LEVELS, "--inhabitants", "people", "--no-panel", "--direct-identifiers", "name"]
    assert main(["rules", file, *full]) == 3  # rule 3 is for a person
    assert "  3  look      occupation" in capsys.readouterr().out
    assert main(["rules", file, *full, "--looked-at", "3"]) == 0
    assert "  2  kept      each combination" in capsys.readouterr().out
    assert main(["rules", file, *full[:-1], "sex", "--looked-at", "1,3"]) == 3
    assert '  1  VIOLATED  no direct identifiers: in the table: "sex"' in capsys.readouterr().out


def test_public(file, capsys):
    arguments = ["rules", file, "--for", "public", "--keys", "sex,job", "--weight", "w", "--withheld", "", "--json"]
    assert main([*arguments, "--looked-at", "1,3,5,9,10"]) == 0
    answers = json.loads(capsys.readouterr().out)
    assert {a["rule"]: a["violated"] for a in answers if a["violated"] is not None} == {
        2: False,
        4: False,
        6: False,
        7: False,
        8: False,
    }
    assert main(arguments) == 3


def test_thresholds(file, capsys):
    arguments = ["rules", file, "--keys", "region,sex,job"]
    limit = ["--fail-if", "threshold_rule.unsafe_combinations > 0"]
    assert main([*arguments, "--threshold", "119,59", *limit]) == 0
    assert main([*arguments, "--threshold", "120,59", *limit]) == 3
    printed = capsys.readouterr()
    assert "job: 10 of 10 combinations unsafe (threshold 120), 1,200 records" in printed.out
    assert "limit exceeded" in printed.err
    assert main([*arguments, "--threshold", ",60", *limit]) == 3
    assert main([*arguments, "--threshold", "59", *LEVELS, *limit]) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--for", "research", "--keys", "aeg"], "'aeg' is not a column"),
        (["--threshold", "x", "--keys", "sex"], "is no list of numbers"),
        (["--threshold", "0", "--keys", "sex"], "must be a positive number"),
        (["--for", "public", "--keys", "sex", "--fail-if", "a > 1"], "--fail-if goes with --threshold"),
        ([*RESEARCH, "--very", "sex"], "has no level"),
        (["--keys", "sex"], "one of the arguments"),
    ],
)
def test_bad_input_is_one_line(file, capsys, arguments, words):
    try:
        code = main(["rules", file, *arguments])
    except SystemExit as left:
        code = left.code
    assert code == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_theta_with_misclassified_keys(tmp_path, capsys):
    """Skinner & Elliot 2002, (12), by hand: f f m, of f 0.9 kept, of m 0.8: 0.4 / (0.4 + 0.9 + 0.2)."""
    (tmp_path / "f.csv").write_text("sex,other\nf,1\nf,1\nm,1\n")
    (tmp_path / "m.csv").write_text("from,to,probability\nf,f,0.9\nf,m,0.1\nm,f,0.2\nm,m,0.8\n")
    base = ["risk", str(tmp_path / "f.csv"), "--keys", "sex", "--sampling-fraction", "0.5", "--misclassified"]
    given = f"sex={tmp_path / 'm.csv'}"
    assert main([*base, given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["theta_misclassified"]
    assert found["theta"] == pytest.approx(0.4 / 1.5)
    assert main([*base, given, "--fail-if", "theta_misclassified.theta > 0.2"]) == 3
    assert "theta with misclassified keys: 0.266667" in capsys.readouterr().out
    for wrong, words in (
        ([f"sex={tmp_path / 'none.csv'}"], "There is no file"),
        ([f"other={tmp_path / 'm.csv'}"], "not among the keys"),
        ([given, "--misclassified", given], "several matrices"),
    ):
        assert main([*base, *wrong]) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*base, "sex"])
    assert "names no matrix of a key" in capsys.readouterr().err
