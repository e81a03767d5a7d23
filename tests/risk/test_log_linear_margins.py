"""Log-linear risk with keys of many values, known margins and nested keys: populations that are drawn here."""

from __future__ import annotations

import inspect
import json
import math

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.log_linear.margins import Margin, log_gamma, unique_by_persons

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.figures.limits import holds_limit, is_exceeded
from sdc_sql.methods import Methods

RISK = "SELECT tau1, tau2, sample_uniques, reason, z1, z2, interactions, tau2_rate FROM sdc_log_linear_risk"


def shares(kind: str, persons: int, rng: np.random.Generator) -> np.ndarray:
    """Return a value for each person, from a margin of many."""
    many = persons // 100
    if kind == "incomes":  # lognormal, in whole units: what few share is drawn as finely as what many do
        return np.round(np.exp(10 + 0.6 * rng.standard_normal(persons)) / 10)
    weights = {
        "lognormal": np.exp(1.2 * rng.standard_normal(many)),
        "Zipf": 1 / np.arange(1, 4 * many + 1.0),
        "Pareto": rng.pareto(1.2, many) + 1,
        "uniform": np.ones(persons // 4),
    }[kind]
    return rng.choice(len(weights), persons, p=weights / weights.sum())


def draw(con: duckdb.DuckDBPyConnection, columns: dict[str, np.ndarray], fraction: float, rng: np.random.Generator):
    """Store a population and a Bernoulli sample of it, the table `k`."""
    drawn = rng.random(len(next(iter(columns.values())))) < fraction
    for name, rows in (("population", slice(None)), ("k", drawn)):
        read = pa.table({column: values[rows] for column, values in columns.items()})  # noqa: F841 - DuckDB finds it
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM read")


def truth(con: duckdb.DuckDBPyConnection, keys: list[str]) -> tuple[float, float]:
    """Return the truth of tau1 and tau2."""
    call = "SELECT sample_and_population_uniques, tau2 FROM sdc_population_risk('k', 'population', ?)"
    return con.execute(call, [keys]).fetchone()


def ages(persons: int, rng: np.random.Generator) -> np.ndarray:
    return np.minimum(np.abs(rng.normal(0, 40, persons)).astype(int), 99)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("kind", ["lognormal", "Zipf", "Pareto", "uniform", "incomes"])
def test_a_figure_is_near_the_truth_or_there_is_none(con, kind):
    """Within 0.8 to 1.3 of tau1 and tau2 (where 30 or more are expected), or NULL with the reason; most are figures."""
    rng = np.random.default_rng(11)
    wrong, given, all_of_them = [], 0, 0
    for persons, fraction, keys in (
        (60_000, 0.1, ["f"]),
        (200_000, 0.01, ["f", "Select"]),
        (200_000, 0.05, ["f", "Select"]),
    ):
        sex = rng.integers(0, 2, persons)
        columns = {"it's": shares(kind, persons, rng), "f": sex, "Select": ages(persons, rng)}
        draw(con, columns, fraction, rng)
        *taus, _, reason, z1, z2, model, rate = con.execute(f"{RISK}('k', ?, ?)", [keys, 1 / fraction]).fetchone()
        for name, found, true in zip(("tau1", "tau2"), taus, truth(con, keys), strict=True):
            if true < 30:
                continue
            all_of_them += 1
            given += found is not None
            if found is None and f"{name}" not in (reason or ""):
                wrong.append(f"{kind} {fraction} {keys}: no {name} and no reason")
            if found is not None and not 0.8 <= found / true <= 1.3:
                wrong.append(f"{kind} {fraction} {keys}: {name} {found:.1f}, truth {true:.1f}")
        if not max(abs(z1), abs(z2)) < 4 or model or (rate is None) != (taus[1] is None):
            wrong.append(f"{kind} {fraction} {keys}: z {z1}, {z2}, model {model}, rate {rate}")
    assert not wrong
    assert given >= all_of_them / 2


@pytest.mark.slow
def test_too_few_records_tell_nothing_and_hold_no_limit(con, tmp_path, capsys):
    """600 records, all but six values seen once: 3e-19 and 10.5 where truth is 150 and 300 is what must not be said."""
    rng = np.random.default_rng(5)
    draw(con, {"income": rng.integers(0, 20_000, 60_000), "sex": rng.integers(0, 2, 60_000)}, 0.01, rng)
    data = sdc_sql.Microdata(con, "k", keys=["income", "sex"], sampling_fraction=0.01)
    found = data.risk.log_linear_risk()
    assert found.tau1 is None
    assert found.tau1_rate is None
    assert "tau1" in found.reason
    assert "income" in found.reason
    report = {"log_linear_risk": found.to_dict()}
    assert is_exceeded("log_linear_risk.tau1_rate > 0.99", report)
    assert not holds_limit("log_linear_risk.tau1_rate <= 1", report)
    two_way = data.risk.log_linear_risk(model="two_way")
    assert (two_way.tau1, two_way.tau2) == (None, None)
    assert '"income" with "sex"' in two_way.reason
    assert all(
        row[-1] is None and row[-2] is None for row in data.risk.log_linear_risk_records(model="two_way").fetchall()
    )
    fit = data.risk.log_linear_fit(model="two_way")
    assert (fit.tau2, fit.reason) == (None, two_way.reason)
    # the search does not add what the counts cannot bear, and its figures are those of the risk
    (step,) = data.risk.log_linear_search()
    assert (step.interactions, step.tau1, step.reason) == ([], None, found.reason)
    assert step.z2 == pytest.approx(found.z2, rel=1e-6)
    assert abs(found.z2) < 3
    con.execute(f"COPY k TO '{tmp_path / 'k.csv'}'")
    call = ["risk", str(tmp_path / "k.csv"), "--keys", "income,sex", "--sampling-fraction", "0.01", "--log-linear"]
    assert main([*call, "--json", "--fail-if", "log_linear_risk.tau1_rate > 0.99"]) == 3
    assert json.loads(capsys.readouterr().out)["log_linear_risk"]["tau1"] is None


@pytest.mark.slow
def test_a_key_that_determines_another_makes_cells_impossible(con):
    """Municipality, district and region are the municipality alone; a value that is seen once determines nothing."""
    rng = np.random.default_rng(2)
    town = shares("lognormal", 60_000, rng)
    columns = {"town": town, "district": town % 61, "region": town % 61 % 7, "age": ages(60_000, rng)}
    columns |= {"income": np.arange(60_000) // 3}
    draw(con, columns, 0.04, rng)
    alone = con.execute(f"{RISK}('k', ['town', 'age'], 25)").fetchone()
    for model in ("tree", [["town", "region"]]):
        keys = ["town", "district", "region", "age"]
        found = con.execute(f"{RISK}('k', ?, 25, model := {model!r})", [keys]).fetchone()
        assert found[:2] == pytest.approx(alone[:2], rel=1e-9)
        assert {"town", "district", "region"} == {key for pair in found[6] for key in pair}
    assert alone[6] == []
    nested = con.execute(f"{RISK}('k', ['district', 'region', 'age'], 25)").fetchone()
    assert nested[:2] == pytest.approx(con.execute(f"{RISK}('k', ['district', 'age'], 25)").fetchone()[:2], rel=1e-9)
    assert con.execute(f"{RISK}('k', ['income', 'age'], 25)").fetchone()[6] == []
    # a coding error in a thousand does not hide the rule
    con.execute("UPDATE k SET region = 8 WHERE rowid = 17")
    assert con.execute(f"{RISK}('k', ['district', 'region', 'age'], 25)").fetchone()[6] == [["district", "region"]]


@pytest.mark.slow
def test_known_margins(con):
    """By hand: of 30 persons of value b, one is in the sample; (1 - p)^29 and (1 - (1 - p)^30) / (30 p), p = 1 / 5."""
    con.execute("""CREATE TABLE k AS FROM (VALUES ('a', 'm'), ('a', 'm'), ('a', 'm'), ('a', 'm'), ('b', 'f'))
        AS t("Select", f)""")
    con.execute(
        "CREATE TABLE \"m's\" AS FROM (VALUES ('SELECT', 'a', 70), ('select', 'b', 30)) AS t(\"key\", value, persons)"
    )
    data = sdc_sql.Microdata(con, "k", keys=["Select", "f"], weight=20)
    found = data.risk.log_linear_risk(model="independence", margins="m's")
    assert (found.tau1, found.tau2) == pytest.approx((0.8**29, (1 - 0.8**30) / (30 * 0.2)))
    assert found.reason is None
    records = data.risk.log_linear_risk_records(model="independence", margins="m's").fetchall()
    assert sum(row[-1] or 0 for row in records) == pytest.approx(found.tau2)
    wrong = {
        "('f', 'm', 9), ('f', 'm', 9)": "twice", "('f', 'm', 0)": "no number above 0", "('f', NULL, NULL)": "no number",
        "('x', 'm', 9)": "name the key x", "('f', 'm', 90)": "lack a value that the file has of f",
        "('f', 'm', 90), ('f', 'f', 0.5)": "fewer persons",
    }  # fmt: skip
    for rows, words in wrong.items():
        con.execute(f"CREATE OR REPLACE TABLE bad AS FROM (VALUES {rows}) AS t(key, value, persons)")
        with pytest.raises(duckdb.Error, match=words):
            con.execute("FROM sdc_log_linear_risk('k', ['Select', 'f'], 20, margins := 'bad')").fetchall()
    with pytest.raises(duckdb.Error, match='"key" is not a column'):
        con.execute("FROM sdc_log_linear_risk('k', ['f'], 20, margins := 'k')").fetchall()
    with pytest.raises(sdc_sql.ParameterError, match="margins is 3"):
        data.risk.log_linear_risk(margins=3)


def test_known_margins_tell_what_the_counts_do_not(con):
    rng = np.random.default_rng(5)
    draw(con, {"income": rng.integers(0, 20_000, 60_000), "sex": rng.integers(0, 2, 60_000)}, 0.02, rng)
    con.execute(
        "CREATE TABLE m AS SELECT 'income' AS key, income AS value, count(*) AS persons FROM population GROUP BY ALL"
    )
    found = con.execute(f"{RISK}('k', ['income', 'sex'], 50, margins := 'm')").fetchone()
    assert found[:2] == pytest.approx(truth(con, ["income", "sex"]), rel=0.15)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("keys", [["a", "b", "c"], ["a", "b"]], ids=["many values", "few"])
@pytest.mark.parametrize("weight", ["10", "'w'"])
@pytest.mark.parametrize("model", ["tree", "independence"])
def test_z_of_a_forest_is_that_of_the_fit_over_the_crossing(con, keys, weight, model):
    """The risk goes through a forest by its branches, the fit through every cell; with weights and NULL."""
    rng = np.random.default_rng(7)
    a = rng.integers(0, 9, 900)
    columns = {"a": a, "b": a + rng.integers(0, 3, 900), "c": rng.integers(0, 300, 900), "w": rng.integers(9, 15, 900)}
    read = pa.table(columns)  # noqa: F841 - DuckDB finds it
    con.execute("CREATE TABLE k AS FROM read")
    con.execute("UPDATE k SET b = NULL WHERE b = 2")
    call = f"('k', {keys}, {weight}, model := '{model}')"
    risk = con.execute(f"SELECT z1, z2, tau1, tau2, reason FROM sdc_log_linear_risk{call}").fetchone()
    fit = con.execute(f"SELECT z1, z2, tau1, tau2, reason FROM sdc_log_linear_fit{call}").fetchone()
    assert risk[4] == fit[4]
    # (the fit over the crossing reaches its margins to a hundredth of a record)
    assert risk[:4] == pytest.approx(fit[:4], rel=1e-3, abs=1e-3)


def test_fit_and_risk_have_one_default():
    signatures = [
        d.signature for d in read_catalogue() if d.name.startswith("sdc_log_linear") and "model :=" in d.signature
    ]
    assert len(signatures) == 3
    assert all("model := 'tree'" in signature for signature in signatures)
    for verb in ("log_linear_risk", "log_linear_risk_records", "log_linear_fit"):
        assert inspect.signature(getattr(Methods, verb)).parameters["model"].default == "tree"


def test_independence_is_no_upper_bound(con):
    """Two keys that agree but for four in a hundred: the uniques do not, where it expects many."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 8, 60_000)
    b = np.where(rng.random(60_000) < 0.04, rng.integers(0, 8, 60_000), a)
    draw(con, {"a": a, "b": b, "c": rng.integers(0, 40, 60_000)}, 0.1, rng)
    independent = "SELECT tau2 FROM sdc_log_linear_risk('k', ['a', 'b', 'c'], 10, model := 'independence')"
    assert con.execute(independent).fetchone()[0] < truth(con, ["a", "b", "c"])[1] / 5


@pytest.mark.slow
def test_keys_that_are_equal_but_for_few_records_have_no_figure(con):
    """Four in a thousand differ, and are unique: every model was an eighth of the truth or less, at z = -0.5."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 31, 60_000)
    b = np.where(rng.random(60_000) < 0.004, rng.integers(0, 31, 60_000), a)
    draw(con, {"it's": a, "Select": b, "f": rng.integers(0, 2, 60_000)}, 0.1, rng)
    for model in ("tree", "independence"):
        found = con.execute(RISK + "('k', ['it''s', 'Select', 'f'], 10, model := ?)", [model]).fetchone()
        assert found[:2] == (None, None)
        assert 'one of the keys "it\'s" and "Select" nearly determines the other' in found[3]
    steps = "SELECT tau2, reason FROM {}('k', ['it''s', 'Select', 'f'], 10)"
    for name in ("sdc_log_linear_fit", "sdc_log_linear_search"):
        assert all(
            row[0] is None and "nearly determines" in row[1] for row in con.execute(steps.format(name)).fetchall()
        )
    assert con.execute(RISK + "('k', ['it''s', 'f'], 10)").fetchone()[3] is None


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["uniform", "Zipf"])
def test_unequal_weights_tell_nothing_of_many_values_but_by_the_stratum(con, kind):
    """Two strata, of rates 0.02 and 0.2: 1.7 to 3.3 times tau1; within 0.8 to 1.3 where the stratum is a key."""
    rng = np.random.default_rng(3)
    n = 60_000
    high = rng.random(n) < 0.3
    weights = 1 / np.arange(1, 2_001) if kind == "Zipf" else np.ones(3_000)
    columns = {"x": rng.choice(weights.size, n, p=weights / weights.sum()), "f": rng.integers(0, 8, n), "s": high * 1}
    drawn = rng.random(n) < np.where(high, 0.2, 0.02)
    for name, rows in (("population", slice(None)), ("k", drawn)):
        read = pa.table({**{c: v[rows] for c, v in columns.items()}, "w": np.where(high, 5, 50)[rows]})  # noqa: F841
        con.execute(f"CREATE OR REPLACE TABLE {name} AS FROM read")
    found = con.execute(RISK + "('k', ['x', 'f'], 'w')").fetchone()
    assert found[:2] == (None, None)
    assert 'the weights differ among sample uniques that are alike but for "x"' in found[3]
    found = con.execute(RISK + "('k', ['x', 'f', 's'], 'w')").fetchone()
    for figure, true in zip(found[:2], truth(con, ["x", "f", "s"]), strict=True):
        assert 0.8 <= figure / true <= 1.3
    con.execute("CREATE TABLE known AS SELECT 'x' AS key, x AS value, count(*) AS persons FROM population GROUP BY ALL")
    assert con.execute(RISK + "('k', ['x', 'f'], 'w', margins := 'known')").fetchone()[1] is not None


def test_the_figures_of_whole_persons():
    """Of M others, each in the cell with probability p: by adding up the binomial distribution."""
    for m, p in ((0, 0.3), (1, 0.5), (7, 0.2), (40, 0.01), (3, 1.0)):
        chances = [math.comb(m, i) * p**i * (1 - p) ** (m - i) for i in range(m + 1)]
        found = unique_by_persons(np.array([p]), np.array([float(m)]), np.array([0.9]), 0.0)
        assert [float(h[0]) for h in found] == pytest.approx(
            [chances[0], sum(c / (i + 1) for i, c in enumerate(chances))], abs=1e-12
        )
    assert log_gamma(np.array([0.5, 3.0, 80.0, 1e6])) == pytest.approx([math.lgamma(x) for x in (0.5, 3.0, 80.0, 1e6)])


def test_what_the_counts_say_of_one_size():
    """Values of 40 persons each, a quarter sampled, in expectation: the posterior is about 40."""
    sizes = np.arange(1.0, 25)
    chances = np.array([math.comb(40, int(f)) * 0.25**f * 0.75 ** (40 - f) for f in sizes])
    margin = Margin(sizes, 2_000 * chances, 0.25)
    mean = margin.posterior @ margin.persons
    assert mean[2:16] == pytest.approx(40, rel=0.1)
    assert margin.posterior.sum(axis=1) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.01, 0.1])
def test_real_incomes(shared, con, fraction, capsys):
    """EU-SILC's incomes, one to a household, and gender: the figures are printed beside the truth."""
    con.execute(
        "CREATE TABLE all_of_them AS FROM read_parquet(?)", [str(shared / "data" / "eusilc_population.parquet")]
    )
    columns = con.execute('SELECT "eqIncome" AS income, gender FROM all_of_them').fetchnumpy()
    columns["gender"] = (np.asarray(columns["gender"]) == "male").astype(int)
    draw(con, {name: np.asarray(c) for name, c in columns.items()}, fraction, np.random.default_rng(3))
    found = con.execute(f"{RISK}('k', ['income', 'gender'], ?)", [1 / fraction]).fetchone()
    with capsys.disabled():
        print(f"\n{fraction}: {found[:3]}, z {found[4:6]}, truth {truth(con, ['income', 'gender'])}; {found[3]}")
    for tau, true in zip(found, truth(con, ["income", "gender"]), strict=False):
        assert tau is None or 0.7 <= tau / true <= 1.3


def test_what_counts_as_a_key_of_many_values(con):
    """Ten values of more than one to five records, fifty of more than one to ten, or ten of one record each."""
    cases = {
        (10, 0, 49, 9): True, (10, 0, 50, 9): False, (9, 0, 9, 9): False, (50, 0, 499, 9): True, (50, 0, 500, 9): False,
        (49, 0, 489, 9): False, (12, 10, 900, 499): True, (12, 10, 900, 500): False, (12, 9, 900, 100): False,
    }  # fmt: skip
    found = [con.execute(f"SELECT sdc__has_many{case}").fetchall()[0][0] for case in cases]
    assert dict(zip(cases, found, strict=True)) == cases


def test_what_counts_as_a_key_that_determines_another(con):
    """No exception by chance: s^n below 1 / (1000 m (m - 1)) of n records; of one in 1,000 by the bound of Chernoff."""
    cases = {
        # log2 2000 = 10.97, log2 6000 = 12.55
        (11, 0, 0.5, 2): True, (10, 0, 0.5, 2): False, (13, 0, 0.5, 3): True, (12, 0, 0.5, 3): False,
        (1000, 1, 0.5, 2): True, (999, 1, 0.5, 2): False, (0, 0, 0.5, 2): False, (1000, 2, 0.5, 2): False,
        # 999 ln(0.999 / 0.99) + ln(0.001 / 0.01) = 6.7 and with 0.988 8.6; ln 2000 = 7.6
        (1000, 1, 0.99, 2): False, (1000, 1, 0.988, 2): True,
        # as many exceptions as there are by chance, or more
        (1000, 1, 0.999, 2): False, (5000, 5, 0.9999, 2): False,
    }  # fmt: skip
    found = [
        con.execute("SELECT sdc__is_rule({}::DOUBLE, {}, {}::DOUBLE, {})".format(*case)).fetchall()[0][0]
        for case in cases
    ]
    assert dict(zip(cases, found, strict=True)) == cases


def test_the_interactions_of_a_model(con):
    """Places of the keys, each interaction once and in order; of pairs those that close no circle are a forest."""
    call = "SELECT sdc__interactions(['a', 'B', 'c'], {})"
    for model, places in (
        ("'tree'", None), ("'independence'", []), ("'two_way'", [[1, 2], [1, 3], [2, 3]]),
        ("[['c', 'A'], ['b'], ['a', 'C'], ['c', 'b', 'a']]", [[1, 2, 3], [1, 3]]),
    ):  # fmt: skip
        assert con.execute(call.format(model)).fetchall() == [(places,)]
    for model in ("[['a', 'x']]", "[['a', 'A']]", "[['a'], []]", "['a']", "[['a', NULL]]", "'loops'", "NULL"):
        with pytest.raises(duckdb.Error, match="model is"):
            con.execute(call.format(model)).fetchall()
    (row,) = con.execute("""SELECT sdc__spanned(4, [[1, 2], [3, 4], [1, 3], [2, 4], [2, 3]]),
        sdc__is_forest(3, [[1, 2], [2, 3]]), sdc__is_forest(3, [[1, 2], [1, 3], [2, 3]]),
        sdc__is_forest(3, [[1, 2, 3]]),
        sdc__is_forest(3, NULL::BIGINT[][]), sdc__is_forest(3, []::BIGINT[][])""").fetchall()
    assert row == ([1002, 3004, 1003], True, False, False, True, True)


def test_the_table_of_known_margins(con):
    con.execute(
        "CREATE TABLE m AS FROM (VALUES ('AGE', 'x', 7e0), ('age', NULL, 0.5), ('sex', 'x', 2)) t(key, value, persons)"
    )
    call = "FROM sdc__known_margins('m', ['Age', 'sex']) ORDER BY ALL"
    assert con.execute(call).fetchall() == [("age", "x", 7), ("age", None, 0.5), ("sex", "x", 2)]
    assert con.execute("FROM sdc__known_margins(NULL, ['age'])").fetchall() == []
    for row, words in (
        ("'Age', 'x', 1", "(?i)name a value of age twice"), ("'job', 'x', 1", "name the key job, which is not among"),
        ("'age', 'y', 0", "a value of age whose persons are no number above 0"),
        ("'age', 'y', NULL", "no number above 0"),
        ("'age', 'y', 'inf'", "no number above 0"), ("NULL, 'y', 1", "name the key NULL"),
    ):  # fmt: skip
        con.execute(f"CREATE OR REPLACE TABLE n AS FROM m UNION ALL VALUES ({row})")
        with pytest.raises(duckdb.Error, match=words):
            con.execute("FROM sdc__known_margins('n', ['Age', 'sex'])").fetchall()
    assert con.execute("SELECT sdc__known_persons(3, 'age')").fetchall() == [(3,)]
    with pytest.raises(duckdb.Error, match="lack a value that the file has of age"):
        con.execute("SELECT sdc__known_persons(NULL, 'age')").fetchall()
