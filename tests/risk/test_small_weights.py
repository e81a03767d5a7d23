"""Weights a little below 1, by calibration: refused, or a cell stands for at least its own records."""

from __future__ import annotations

import json
import math

import duckdb
import pytest
from decided import decided

from sdc_sql import (
    Microdata,
    ParameterError,
    ReleaseFileError,
    WeightError,
    propose_release,
    read_release,
    risk_report,
    run_release,
)
from sdc_sql.cli import main
from sdc_sql.release.certifying.verify import verify

OF_B = 0.25 * math.log(5)  # f = 1, F = 5: (p / q) ln(1 / p)
CELLS = [("a", 2, 2.0, 0.5), ("b", 1, 5.0, OF_B), ("c", 1, 1.0, 1.0)]
MACROS = {
    "sdc_cell_risk": "['k'], 'w'",
    "sdc_individual_risk": "['k'], 'w'",
    "sdc_global_risk": "['k'], 'w'",
    "sdc_risk_threshold": "['k'], 'w', 0.1",
    "sdc_household_risk": "['k'], 'w', 'h'",
    "sdc_household_global_risk": "['k'], 'w', 'h'",
    "sdc_cell_risk_misclassified": "['k'], 'w', 'truth'",
    "sdc_individual_risk_misclassified": "['k'], 'w', 'truth'",
    "sdc_global_risk_misclassified": "['k'], 'w', 'truth'",
    "sdc_household_risk_misclassified": "['k'], 'w', 'h', 'truth'",
    "sdc_household_global_risk_misclassified": "['k'], 'w', 'h', 'truth'",
    "sdc_threshold_rule": "['k', 'h'], 1.5, weight := 'w'",
    "sdc_threshold_rule_records": "['k', 'h'], 1.5, weight := 'w'",
    "sdc_threshold_rule_summary": "['k', 'h'], 1.5, weight := 'w'",
    "sdc_research_file_rules": "['k', 'h'], 'w', {'extremely': ['k'], 'very': ['h']}",
    "sdc_public_use_file_rules": "['k', 'h'], 'w'",
    "sdc_log_linear_risk": "['k'], 'w'",
    "sdc_log_linear_risk_records": "['k'], 'w'",
    "sdc_log_linear_fit": "['k'], 'w'",
    "sdc_log_linear_search": "['k'], 'w'",
    "sdc_suppress_risky": "['k', 'h'], 0.6, 'id', weight := 'w'",
    "sdc_suppress_combinations": "['k', 'h'], 1.5, 'id', weight := 'w'",
    "sdc_preview_recodings": "['k'], 'hierarchies', weight := 'w'",
}


@pytest.fixture
def small(con):
    """Return a connection with two records of cell a that weigh 1.85 together, one of b of 5 and one of c of 0.7."""
    rows = "(1, 'a', 0.9, 1), (2, 'a', 0.95, 1), (3, 'b', 5.0, 2), (4, 'c', 0.7, 2)"
    con.execute(f"CREATE TABLE t AS FROM (VALUES {rows}) t(id, k, w, h)")
    con.execute("CREATE TABLE truth AS FROM (VALUES ('a', 0.5), ('b', 0.5), ('c', 0.5)) t(k, true_probability)")
    labels = "('k', 'a', 'a'), ('k', 'b', 'b'), ('k', 'c', 'c'), ('h', '1', '1'), ('h', '2', '2')"
    con.execute(
        "CREATE TABLE hierarchies AS SELECT variable, value, level, 'level ' || level AS level_name, "
        "CASE level WHEN 0 THEN label ELSE '*' END AS label "
        f"FROM (VALUES {labels}) t(variable, value, label), range(2) r(level)"
    )
    return con


@pytest.mark.slow
def test_a_cell_stands_for_at_least_its_records(small):
    """By hand, (3.3): F = 2 for two records gives 1/2, F = 1 for one record 1; b is as it was."""
    data = Microdata(small, "t", keys=["k"], weight="w", household="h", small_weights="at_least_one")
    assert data.risk.cell_risk().order("k").fetchall() == [(*row[:3], pytest.approx(row[3])) for row in CELLS]
    assert [row[-1] for row in data.risk.individual_risk().order("id").fetchall()] == pytest.approx([0.5, 0.5, OF_B, 1])
    total = 1 + OF_B + 1
    assert data.risk.global_risk().expected_reidentifications == pytest.approx(total)
    assert data.risk.risk_threshold(0.1).rate == pytest.approx(total / 4)
    assert data.risk.household_global_risk().expected_reidentified_persons == pytest.approx(2 * 0.75 + 2 * 1)
    assert [row[5] for row in data.risk.household_risk().order("id").fetchall()] == pytest.approx([0.75, 0.75, 1, 1])
    assert risk_report(data).to_dict()["global_risk"]["expected_reidentifications"] == pytest.approx(total)
    assert data.weighing("w").small_weights == "at_least_one"


@pytest.mark.slow
@pytest.mark.parametrize("nulls", ["category", "wildcard"])
def test_the_threshold_rule_counts_at_least_the_records(small, nulls):
    """By hand: a has 2 persons, b 5, c 1; household 1 the two of a, household 2 the 5 + 1 of b and c."""
    data = Microdata(small, "t", keys=["k", "h"], weight="w", nulls=nulls, small_weights="at_least_one")
    found = [(c.columns, c.values, c.frequency) for c in data.risk.threshold_rule(2, inclusive=True)]
    both = ("k", "h")
    assert found == [
        (("k",), ("c",), 1), (("k",), ("a",), 2), (("h",), ("1",), 2), (both, ("c", "2"), 1), (both, ("a", "1"), 2),
    ]  # fmt: skip
    assert [row[-1] for row in data.risk.threshold_rule_records(2).order("id").fetchall()] == [3, 3, 0, 2]
    assert [(s.unsafe_combinations, s.least_frequency) for s in data.risk.threshold_rule_summary(2)] == [
        (2, 1),
        (1, 2),
        (2, 1),
    ]
    rules = data.risk.public_use_file_rules()
    assert next(r.found for r in rules if r.rule == 7).startswith("5 of 5 combinations are rarer; the rarest has 1.0")
    # without weights the records are counted, and there is nothing to be raised
    unweighted = Microdata(small, "t", keys=["k"], small_weights="at_least_one").risk.threshold_rule(1)
    assert [(c.values, c.frequency) for c in unweighted] == [(("b",), 1), (("c",), 1)]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("macro", MACROS)
def test_every_measure_takes_the_choice_and_its_error_names_it(small, macro):
    call = f"FROM {macro}('t', {MACROS[macro]}"
    assert small.execute(f"{call}, small_weights := 'at_least_one')").fetchall()
    for refused in (")", ", small_weights := 'error')"):
        with pytest.raises(duckdb.Error, match=r"WeightError: .*small_weights := 'at_least_one'"):
            small.execute(call + refused).fetchall()
    with pytest.raises(duckdb.Error, match="ParameterError: small_weights is"):
        small.execute(f"{call}, small_weights := 'zero')").fetchall()


def described(con, keys=("k", "h"), **given):
    return Microdata(con, "t", keys=[*keys], weight="w", id="id", small_weights="at_least_one", **given)


@pytest.mark.slow
def test_log_linear_models_are_fitted_to_the_weights_as_they_are(small):
    """By hand: b weighs 5 of 7.55, the second h 5.7: 5 x 5.7 / 7.55 are expected; c, drawn for certain, counts 1."""
    expected = 5 * 5.7 / 7.55
    x = 0.8 * expected
    data = described(small)
    found = data.risk.log_linear_risk(model="independence")
    assert (found.sample_uniques, found.tau1, found.tau2) == (
        2,
        pytest.approx(math.exp(-x) + 1),
        pytest.approx(-math.expm1(-x) / x + 1),
    )
    rows = data.risk.log_linear_risk_records(model="independence").order("id").fetchall()
    assert [row[-3] for row in rows] == pytest.approx(
        [1.85 * 1.85 / 7.55, 1.85 * 1.85 / 7.55, expected, 0.7 * 5.7 / 7.55]
    )
    assert rows[3][-2:] == (1, 1)
    # by numpy, over the whole crossing
    assert data.risk.log_linear_fit(model="independence").tau2 == pytest.approx(found.tau2)
    assert data.risk.log_linear_search()[0].tau1 == pytest.approx(found.tau1)
    # with both keys together the weight of the cell is what is expected there
    assert data.risk.log_linear_risk(model="two_way").tau1 == pytest.approx(math.exp(-4) + 1)
    assert data.risk.log_linear_risk(model="independence", smoothing="negative_binomial").tau2 <= 2


@pytest.mark.slow
def test_risky_records_lose_values_counted_with_the_choice(small):
    """By hand: two records of a have 1/2 at the least, b 0.402, c 1; with h alone c is one of 2 that weigh 5.7."""
    step = described(small).mask.suppress_risky(0.5, into="calm")
    assert (step.parameters["above_before"], step.parameters["greatest_risk"]) == (1, 0.5)
    assert small.execute("SELECT id, k, h FROM calm ORDER BY id").fetchall() == [
        (1, "a", 1), (2, "a", 1), (3, "b", 2), (4, None, 2),
    ]  # fmt: skip
    calm = Microdata(small, "calm", keys=["k", "h"], weight="w", nulls="wildcard", small_weights="at_least_one")
    assert max(row[-1] for row in calm.risk.individual_risk().fetchall()) == 0.5
    with pytest.raises(WeightError, match="small_weights := 'at_least_one'"):
        described(small).mask.suppress_risky(0.5, into="other", small_weights="error")
    with pytest.raises(ParameterError, match="small_weights is 'some'"):
        described(small).mask.suppress_risky(0.5, into="other", small_weights="some")
    # of the households that of b and c is the riskier: 1 in place of 1 - 1/4
    step = described(small, keys=("k",)).mask.suppress_risky(0.8, household="h", into="housed")
    assert small.execute("SELECT id FROM housed WHERE k IS NULL").fetchall() == [(4,)]


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["strong", "wildcard"])
def test_rare_combinations_are_counted_with_the_choice(small, guarantee):
    """By hand: 2 persons are a, 5 b and 1 c: c alone is below 2."""
    step = described(small).mask.suppress_combinations(2, inclusive=False, guarantee=guarantee, into="calm")
    assert step.parameters["suppressions"] == {"k": 1, "h": 0}
    assert small.execute("SELECT id FROM calm WHERE k IS NULL").fetchall() == [(4,)]


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["strong", "wildcard"])
def test_cells_put_together_stand_for_no_more_than_the_released_ones(con, guarantee):
    """By hand: (x, 1) weighs 0.7 and (x, 2) 5, 6 raised one by one; as (x, NULL) they are 5.7 and below 5.8."""
    rows = "(1, 'x', 1, 0.7), (2, 'x', 2, 5.0), (3, 'y', 1, 9.0), (4, 'y', 2, 9.0)"
    con.execute(f"CREATE TABLE t AS FROM (VALUES {rows}) t(id, k, h, w)")
    described(con).mask.suppress_combinations(5.8, inclusive=False, guarantee=guarantee, importance=[2, 1], into="calm")
    calm = Microdata(con, "calm", keys=["k", "h"], weight="w", nulls="wildcard", small_weights="at_least_one")
    assert not calm.risk.threshold_rule(5.8, inclusive=False)


def test_the_preview_counts_with_the_choice(small):
    """By hand: with one k the first h has 2 for 2 records, the second 5.7; q r_2 + p r_1 = p."""
    p = 2 / 5.7
    second = p / (1 - p) * (1 + p / (1 - p) * math.log(p))
    hierarchies = "hierarchies"
    found = described(small).mask.preview_recodings(hierarchies, [[0, 0], [1, 0]])
    assert found[0].expected_reidentifications == pytest.approx(2 + OF_B)
    assert found[1].expected_reidentifications == pytest.approx(1 + 2 * second)
    one = described(small).mask.preview_recodings(hierarchies, [[0, 0]], weight=0.9)
    assert one[0].expected_reidentifications == 3
    with pytest.raises(WeightError, match="at_least_one"):
        Microdata(small, "t", keys=["k", "h"], weight="w").mask.preview_recodings(hierarchies)


def test_weights_that_are_not_small_count_as_they_are(persons):
    for nulls in ("category", "wildcard"):
        call = f"FROM sdc_cell_risk('persons', ['age', 'sex'], 'weight', nulls := '{nulls}'"
        plain = persons.execute(f"{call}) ORDER BY ALL").fetchall()
        assert persons.execute(f"{call}, small_weights := 'at_least_one') ORDER BY ALL").fetchall() == plain
    with pytest.raises(duckdb.Error, match="WeightError"):  # what is no weight stays refused
        persons.execute("FROM sdc_global_risk('persons', ['sex'], 0, small_weights := 'at_least_one')").fetchall()


def test_python_refuses_and_names_the_choice(small):
    with pytest.raises(WeightError, match="small_weights := 'at_least_one'"):
        Microdata(small, "t", keys=["k"], weight="w").risk.individual_risk()
    for wrong in ("none", None, 1, ["error"]):
        with pytest.raises(ParameterError, match=r"small_weights is .* error, at_least_one"):
            Microdata(small, "t", keys=["k"], weight="w", small_weights=wrong)


RELEASE = """
[source]
path = "raw.parquet"
[roles]
id = "id"
weight = "w"
small_weights = "at_least_one"
[[scenarios]]
name = "neighbour"
keys = ["k", "h"]
nulls = "wildcard"
threshold = 1
limits = ["global_risk.expected_reidentifications <= 3", "threshold_rule_summary.unsafe_combinations <= 0",
          "log_linear_risk.tau2 <= 1.25"]
[[steps]]
mask = "suppress_combinations"
scenario = "neighbour"
threshold = 1
[[steps]]
mask = "suppress_risky"
scenario = "neighbour"
max_risk = 0.5
[output]
path = "released.parquet"
certificate = "certificate.json"
report = "internal.md"
"""


@pytest.mark.slow
def test_a_release_from_the_risk_to_the_file(small, tmp_path):
    """By hand: a and b are as they were, 2 x 1/2 and 0.402; c becomes (NULL, 2), which agrees with b: 2 for 5.7."""
    small.execute(f"COPY t TO '{tmp_path / 'raw.parquet'}'")
    file = tmp_path / "release.toml"
    file.write_text(RELEASE.replace('small_weights = "at_least_one"', ""))
    with pytest.raises(WeightError, match="at_least_one"):
        run_release(file)
    file.write_text(RELEASE)
    outcome = run_release(file)
    assert outcome.accepted, outcome.reasons
    before, after = (
        report.to_dict()["global_risk"]["expected_reidentifications"]
        for report in (outcome.scenarios[0].before, outcome.scenarios[0].after)
    )
    assert before == pytest.approx(2 + OF_B)
    p = 2 / 5.7
    assert after == pytest.approx(1 + 2 * p / (1 - p) * (1 + p / (1 - p) * math.log(p)))
    assert "counted as the records themselves" in (tmp_path / "internal.md").read_text()
    assert json.loads((tmp_path / "certificate.json").read_text())["roles"]["small_weights"] == "at_least_one"
    assert verify(tmp_path / "certificate.json", tmp_path / "released.parquet").holds
    for wrong, told in (("'none'", "one of error, at_least_one"), ("1", "a text")):
        file.write_text(RELEASE.replace('"at_least_one"', wrong))
        with pytest.raises(ReleaseFileError, match=rf"roles.small_weights: .*{told}"):
            read_release(file)
    file.write_text(RELEASE.replace('weight = "w"', "sampling_fraction = 0.5"))
    with pytest.raises(ReleaseFileError, match=r"roles\.small_weights: it goes with roles\.weight"):
        read_release(file)


@pytest.mark.slow
def test_release_files_that_are_written_say_it(con, tmp_path):
    rows = "SELECT range AS id, range % 3 AS sex, CASE range WHEN 5 THEN 0.9 ELSE 4 END AS survey_weight, 0.5 AS weight"
    con.execute(f"COPY ({rows} FROM range(60)) TO '{tmp_path / 'raw.parquet'}'")
    text = propose_release(tmp_path / "raw.parquet", tmp_path / "init.toml").read_text()
    assert read_release(decided(tmp_path / "init.toml")).roles.small_weights == "at_least_one"
    assert 'small_weights = "at_least_one"  # 1 records weigh less than 1: a cell stands' in text
    plain = f"SELECT * EXCLUDE (survey_weight) FROM ({rows} FROM range(60))"
    con.execute(f"COPY ({plain}) TO '{tmp_path / 'normal.parquet'}'")
    text = propose_release(tmp_path / "normal.parquet", tmp_path / "normal.toml").read_text()
    assert '# small_weights = "at_least_one"  # 60 records weigh less than 1: normalised?' in text
    data = Microdata(con, str(tmp_path / "raw.parquet"), keys=["sex"], weight="survey_weight", id="id",
                     small_weights="at_least_one")  # fmt: skip
    step = data.mask.suppress_combinations(2, into="masked")
    masked = Microdata(con, "masked", keys=["sex"], weight="survey_weight", id="id", small_weights="at_least_one")
    assert step.parameters["small_weights"] == "at_least_one"
    plan = read_release(masked.to_release_file(tmp_path / "session.toml", released_as_collected=["Weight"]))
    assert plan.roles.small_weights == plan.steps[0].arguments["small_weights"] == "at_least_one"


@pytest.mark.slow
def test_a_survey_with_small_weights(shared, con):
    """57 of 36,970 weights of the Ghana survey are below 1; those cells alone have another risk."""
    con.execute(f"CREATE TABLE survey AS FROM '{shared / 'data' / 'ghana_survey.parquet'}'")
    assert con.execute("SELECT count(*), count(*) FILTER (weight < 1) FROM survey").fetchall() == [(36_970, 57)]
    keys = ["region", "age", "sex", "relate", "ethnic"]
    with pytest.raises(WeightError, match="at_least_one"):
        Microdata(con, "survey", keys=keys, weight="weight").risk.global_risk()
    found = Microdata(con, "survey", keys=keys, weight="weight", small_weights="at_least_one").risk.global_risk()
    # each weight raised to 1 makes the other cells of these records larger: no risk is smaller than so
    con.execute("CREATE TABLE raised AS SELECT * REPLACE (greatest(weight, 1) AS weight) FROM survey")
    raised = Microdata(con, "raised", keys=keys, weight="weight").risk.global_risk()
    assert found.expected_reidentifications == pytest.approx(raised.expected_reidentifications, rel=1e-2)
    assert found.expected_reidentifications >= raised.expected_reidentifications


@pytest.mark.slow
def test_on_the_command_line(tmp_path, capsys):
    (tmp_path / "f.csv").write_text("k,w\na,0.9\na,0.95\nb,5\nc,0.7\n")
    arguments = ["risk", str(tmp_path / "f.csv"), "--keys", "k", "--weight", "w", "--json"]
    assert main(arguments) == 2
    assert "at_least_one" in capsys.readouterr().err
    assert main([*arguments, "--small-weights", "at_least_one"]) == 0
    found = json.loads(capsys.readouterr().out)["global_risk"]
    assert found["expected_reidentifications"] == pytest.approx(2 + OF_B)
    arguments = ["rules", *arguments[1:], "--threshold", "1", "--small-weights", "at_least_one"]
    assert main([*arguments, "--fail-if", "threshold_rule_summary.unsafe_combinations > 0"]) == 3
    assert json.loads(capsys.readouterr().out)[0]["least_frequency"] == 1
    (tmp_path / "h.csv").write_text("variable,value,level,level_name,label\n" + "".join(
        f"k,{v},0,k,{v}\nk,{v},1,all,*\n" for v in "abc"))  # fmt: skip
    file = str(tmp_path / "f.csv")
    preview = ["preview", file, "--keys", "k", "--weight", "w", "--hierarchies", str(tmp_path / "h.csv")]
    frontier = ["frontier", *preview[1:], "--risk", "reidentification_rate", "--loss", "hellinger"]
    mask = ["mask", "suppress_risky", file, "--make-id", "id", "--columns", "k", "--weight", "w", "--max-risk", "0.5",
            "--output", str(tmp_path / "o.csv")]  # fmt: skip
    combined = ["mask", "suppress_combinations", *mask[2:9], "--threshold", "1", *mask[11:]]
    for asked in (preview, frontier, mask, combined):
        assert main(asked) == 2
        assert "at_least_one" in capsys.readouterr().err
        assert main([*asked, "--small-weights", "at_least_one"]) == 0
        (tmp_path / "o.csv").unlink(missing_ok=True)
