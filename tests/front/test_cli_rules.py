"""``sdc-sql rules``: the answers, and the exit code that a pipeline sees."""

from __future__ import annotations

import json
import re

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


@pytest.mark.slow
def test_research(file, capsys):
    full = [*RESEARCH, *LEVELS, "--inhabitants", "people", "--no-panel", "--direct-identifiers", "name"]
    assert main(["rules", file, *full]) == 3  # rule 3 is for a person
    assert "  3  look      occupation" in capsys.readouterr().out
    assert main(["rules", file, *full, "--looked-at", "3"]) == 0
    assert "  2  kept      each combination" in capsys.readouterr().out
    assert main(["rules", file, *full[:-1], "sex", "--looked-at", "1,3"]) == 3
    assert '  1  VIOLATED  no direct identifiers: in the table: "sex"' in capsys.readouterr().out


@pytest.mark.slow
def test_what_is_lacking_is_asked_for_by_the_options(file, capsys):
    assert main(["rules", file, "--for", "research", "--keys", "sex"]) == 3
    out = capsys.readouterr().out
    assert "not measured: give --direct-identifiers, the names of columns" in out
    assert "not measured: give --weight and the levels, --extremely, --very and --identifying" in out
    assert "not measured: say --panel or --no-panel, give --extremely, the regional columns" in out
    assert main(["rules", file, "--for", "public", "--keys", "sex", "--indirect-regions", "region"]) == 3
    out = capsys.readouterr().out
    assert "give --municipality, the column of municipalities, and --weight" in out
    assert "give --household, the column of household numbers, and --household-variables" in out
    assert not re.search(r"give [a-z_]+(,|$)|[a-z]_[a-z]", out, re.MULTILINE)


@pytest.mark.slow
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


@pytest.mark.slow
def test_thresholds(file, capsys):
    arguments = ["rules", file, "--keys", "region,sex,job"]
    limit = ["--fail-if", "threshold_rule_summary.unsafe_combinations > 0"]
    assert main([*arguments, "--threshold", "119,59", *limit]) == 0
    assert main([*arguments, "--threshold", "120,59", *limit]) == 3
    printed = capsys.readouterr()
    assert "job: 10 of 10 combinations unsafe (threshold 120), 1,200 records" in printed.out
    assert "limit exceeded" in printed.err
    assert main([*arguments, "--threshold", ",60", *limit]) == 3
    assert main([*arguments, "--threshold", "59", *LEVELS, *limit]) == 0


@pytest.mark.slow
def test_thresholds_that_equal_a_frequency_and_the_combinations(file, capsys):
    """By hand: 120 records a job, 60 a region, sex and job (region and job share their parity)."""
    arguments = ["rules", file, "--keys", "region,sex,job", "--threshold", ",,60"]
    limit = ["--fail-if", "threshold_rule_summary.unsafe_combinations > 0"]
    assert main([*arguments, *limit]) == 3
    assert main([*arguments, *limit, "--at-least"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--combinations", "3"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("region x sex x job: 20 of 20 combinations unsafe")
    assert out[1] == "  region = r0, sex = f, job = 0: 60 (threshold 60), 60 records"
    assert len(out) == 4
    assert main([*arguments, "--combinations", "3", "--json"]) == 0
    assert [c["frequency"] for c in json.loads(capsys.readouterr().out)] == [60, 60, 60]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--for", "research", "--keys", "aeg"], "'aeg' is not a column"),
        (["--threshold", "x", "--keys", "sex"], "is not a list of numbers"),
        (["--threshold", "0", "--keys", "sex"], "must be a positive number"),
        (["--for", "public", "--keys", "sex", "--fail-if", "a > 1"], "--fail-if and --require go with --threshold"),
        ([*RESEARCH, "--very", "sex"], "has no level"),
        (["--keys", "sex"], "one of the arguments"),
        (["--threshold", ",5", "--keys", "sex"], "nothing would be checked"),
        (["--threshold", "5", "--keys", "sex", "--combinations", "-1"], "--combinations is -1"),
        (["--for", "public", "--keys", "sex", "--at-least"], "go with --threshold"),
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


@pytest.mark.slow
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
    out = capsys.readouterr().out
    assert "theta with misclassified keys\n  records        3\n" in out
    assert "  theta          0.266667\n" in out
    for wrong, words in (
        ([f"sex={tmp_path / 'none.csv'}"], "There is no file"),
        ([f"other={tmp_path / 'm.csv'}"], "not among the keys"),
        ([given, "--misclassified", given], "several matrices"),
    ):
        assert main([*base, *wrong]) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*base, "sex"])
    assert "does not name the matrix of a key" in capsys.readouterr().err


@pytest.mark.slow
def test_keys_misclassified_together(tmp_path, capsys):
    """The same by hand with a second key that does not change: a matrix of the crossing, with structs, in Parquet."""
    (tmp_path / "f.csv").write_text("sex,one\nf,1\nf,1\nm,1\n")
    rows = "('f', 'f', 0.9), ('f', 'm', 0.1), ('m', 'f', 0.2), ('m', 'm', 0.8)"
    with duckdb.connect() as con:
        con.execute(f"""COPY (SELECT {{'sex': f, 'one': 1}} AS "from", {{'sex': t, 'one': 1}} AS "to", probability
                        FROM (VALUES {rows}) AS m(f, t, probability)) TO '{tmp_path / "joint.parquet"}'""")
    base = ["risk", str(tmp_path / "f.csv"), "--keys", "sex,one", "--sampling-fraction", "0.5", "--json"]
    joint = ["--misclassified", f"sex,one={tmp_path / 'joint.parquet'}"]
    assert main([*base, *joint]) == 0
    assert json.loads(capsys.readouterr().out)["theta_misclassified"]["theta"] == pytest.approx(0.4 / 1.5)
    for wrong, words in (
        ([*joint, "--misclassified", joint[1].replace("sex,one", "SEX")], "several matrices"),
        ([*joint, "--simulate", "10"], "one matrix for each key"),
    ):
        assert main([*base, *wrong]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.slow
def test_the_search_played(tmp_path, capsys):
    """Skinner & Elliot 2002, (6) and (7): f f m at 0.5 tends to 0.5 / (0.5 + 1) = 1/3, misclassified to 0.4 / 1.5."""
    (tmp_path / "f.csv").write_text("sex\nf\nf\nm\n")
    (tmp_path / "m.csv").write_text("from,to,probability\nf,f,0.9\nf,m,0.1\nm,f,0.2\nm,m,0.8\n")
    base = [
        "risk",
        str(tmp_path / "f.csv"),
        "--keys",
        "sex",
        "--sampling-fraction",
        "0.5",
        "--simulate",
        "20000",
        "--json",
    ]
    for more, limit in (([], 1 / 3), (["--misclassified", f"sex={tmp_path / 'm.csv'}"], 0.4 / 1.5)):
        assert main([*base, *more]) == 0
        found = json.loads(capsys.readouterr().out)["data_intrusion_simulation"]
        assert found["closed_form"] == pytest.approx(limit)
        assert abs(found["theta"] - limit) < 4.5 * found["standard_error"]
    assert main([*base, "--fail-if", "data_intrusion_simulation.theta > 0.2"]) == 3
    assert main([*base[:-2], "0"]) == 2


@pytest.mark.slow
def test_what_special_uniques_are_due_to(tmp_path, capsys):
    """By hand: (1, a), (1, b), (2, a), (2, b) twice: no value is unique, the first three pairs are: score 0! each.

    Each pair holds both keys: 100 % of the scores is due to either, and 2 of 3 of that to age 1 and to sex a.
    """
    (tmp_path / "f.csv").write_text("age,sex\n1,a\n1,b\n2,a\n2,b\n2,b\n")
    base = ["risk", str(tmp_path / "f.csv"), "--keys", "age,sex", "--suda", "--contributions"]
    assert main([*base, "--json", "--max-msu", "all"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["suda_summary"]["msus"] == 3
    assert [(c["variable"], c["contribution"]) for c in found["suda_contributions"]] == [("age", 100), ("sex", 100)]
    values = {(c["variable"], c["value"]): c["contribution"] for c in found["suda_value_contributions"]}
    assert values == pytest.approx(
        {("age", "1"): 200 / 3, ("age", "2"): 100 / 3, ("sex", "a"): 200 / 3, ("sex", "b"): 100 / 3}
    )
    assert main([*base, "--fail-if", "suda_contributions.contribution > 99"]) == 3
    assert "  age: 100\n    1: 66.6667\n    2: 33.3333\n" in capsys.readouterr().out
    assert main([*base, "--json", "--max-msu", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["suda_summary"]["msus"] == 0
    for wrong in (["--max-msu", "0"], ["--max-msu", "few"]):
        try:
            code = main([*base, *wrong])
        except SystemExit as left:
            code = left.code
        assert code == 2
    base.remove("--suda")
    assert main(base) == 2
    assert "--contributions goes with --suda" in capsys.readouterr().err


@pytest.mark.slow
def test_a_known_population(tmp_path, capsys):
    """By hand, k = 3: f is borne by three of the population, m by two, x by none."""
    (tmp_path / "f.csv").write_text("sex\nf\nf\nm\nx\n")
    (tmp_path / "population.csv").write_text("sex,more\nf,1\nf,2\nf,3\nm,4\nm,5\n")
    options = ["--keys", "sex", "--k", "3", "--json", "--population"]
    for source in ("f.csv", "both.duckdb"):
        if source == "both.duckdb":
            with duckdb.connect(tmp_path / source) as con:
                for name in ("f", "population"):
                    con.execute(f"CREATE TABLE {name} AS FROM '{tmp_path / name}.csv'")
            options = ["--table", "f", *options]
        base = ["risk", str(tmp_path / source), *options]
        population = "population" if source == "both.duckdb" else str(tmp_path / "population.csv")
        assert main([*base, population, "--fail-if", "k_map.records > 1"]) == 3
        found = json.loads(capsys.readouterr().out)["k_map"]
        assert found == {"k": 3, "records": 2, "cells": 2, "absent_records": 1, "least": 0}
        assert main([*base, "nowhere"]) == 2
    assert main([*base, str(tmp_path / "both.duckdb")]) == 2
    assert "give the population as" in capsys.readouterr().err


@pytest.mark.slow
def test_several_sensitive_variables(tmp_path, capsys):
    """By hand: a cell of (x, 1), (y, 2), (x, 3): a has two values, and one where b is known."""
    (tmp_path / "f.csv").write_text("key,a,b\n1,x,1\n1,y,2\n1,x,3\n")
    base = ["risk", str(tmp_path / "f.csv"), "--keys", "key", "--json", "--sensitive", "a,b"]
    limit = ["--fail-if", "l_diversity.distinct_l < 2"]
    assert main([*base, *limit]) == 0
    assert main([*base, *limit, "--together"]) == 3
    capsys.readouterr()
    # Li et al. (2007), 4.3: the salaries of table 3, 0.375 by the ordered distance; 2/3 by the equal one
    salaries = "\n".join(f"{i // 3},{s}" for i, s in enumerate([3, 4, 5, 6, 11, 8, 7, 9, 10]))
    (tmp_path / "li.csv").write_text(f"cell,salary\n{salaries}\n")
    base = ["risk", str(tmp_path / "li.csv"), "--keys", "cell", "--json", "--sensitive", "salary"]
    for more, t in (([], 2 / 3), (["--ordered", "SALARY"], 0.375)):
        assert main([*base, *more]) == 0
        assert json.loads(capsys.readouterr().out)["t_closeness"][0]["t"] == pytest.approx(t)
    for wrong, words in (
        (["--ordered", "cell"], "cell is given as ordered, not among"),
        (["--together"], "at least two"),
    ):
        assert main([*base, *wrong]) == 2
        assert words in capsys.readouterr().err
