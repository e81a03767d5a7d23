"""A released table beside its original: each figure is that of the measure by itself, on the table that it is of."""

from __future__ import annotations

import json

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.figures.limits import collect_figures, holds_limit, is_exceeded

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
ORIGINAL = """
    SELECT i AS id, ['north', 'south', 'e''ast'][1 + i % 3] AS "Select", i * 7 % 5 AS f,
           CASE WHEN i % 11 = 0 THEN NULL ELSE i % 2 END AS sex, (i * 37 % 101)::DOUBLE AS income, 4.0 + i % 3 AS w,
           i // 3 AS home
    FROM range(60) t(i)
"""
ROLES = {"keys": ["Select", "f", "sex"], "weight": "w", "household": "home", "id": "id", "sampling_fraction": 0.2}


@pytest.fixture
def tables(con):
    """Return a connection with `k`, the original, and `r`, some values of its keys suppressed, incomes changed."""
    con.execute(f"CREATE TABLE k AS {ORIGINAL}")
    con.execute("""
        CREATE TABLE r AS SELECT * REPLACE (CASE WHEN id % 4 > 0 THEN f END AS f, income + id % 2 AS income) FROM k
    """)
    return con


def described(con, table, **roles) -> Microdata:
    return Microdata(con, table, **{**ROLES, **roles})


def few(con, table, **roles) -> Microdata:
    """Describe a table with few roles, which takes a fifth of the time."""
    return Microdata(con, table, **{"keys": ["f", "sex"], "id": "id", **roles})


@pytest.mark.slow
def test_each_figure_is_that_of_the_measure(tables):
    before, after = described(tables, "k"), described(tables, "r")
    found = after.compare(before, sensitive=["income"], ordered=["Income"]).to_dict()
    for side, data in ((found["before"], before), (found, after)):
        assert side["frequency_summary"] == data.risk.frequency_summary().to_dict()
        assert side["k_anonymity"] == [v.to_dict() for v in data.risk.k_anonymity(5)]
        assert side["theta"] == data.risk.theta().to_dict()
        assert side["global_risk"] == data.risk.global_risk().to_dict()
        assert side["household_global_risk"] == data.risk.household_global_risk().to_dict()
        risks = [row[-1] for row in data.risk.individual_risk().fetchall()]
        assert side["individual_risk"] == {"individual_risk": max(risks)}
        assert side["t_closeness"][0]["t"] == data.risk.t_closeness("income", distance="ordered").t
    categories = ["Select", "f", "sex"]
    assert found["categorical"] == categories
    assert found["continuous"] == ["income"]
    assert found["direct_distance"] == [v.to_dict() for v in after.loss.direct_distance(before, categories)]
    assert found["entropy_loss"] == [v.to_dict() for v in after.loss.entropy_loss(before, categories)]
    assert found["il1"] == [v.to_dict() for v in after.loss.il1(before, ["income"])]
    crossing, *each = (v.to_dict() for v in after.loss.distribution_distance(before, categories))
    assert found["distribution_distance"] == [*each, after.loss.distribution_distance(before, after.keys)[0].to_dict()]
    assert crossing["columns"] == categories
    assert [found[name] for name in ("propensity", "distance_linkage", "rank_linkage")] == [None] * 3


@pytest.mark.slow
def test_the_propensity_score_is_that_of_the_measure(tables):
    before, after = few(tables, "k"), few(tables, "r")
    found = after.compare(before, columns=["f", "income"], propensity=True, pairs=False).loss["propensity"]
    assert found == after.loss.propensity(before, ["f", "income"], continuous=["income"], pairs=False).to_dict()
    assert found["pmse"] > 0


@pytest.mark.slow
def test_suppressed_keys_are_read_both_ways(tables):
    """By hand: 15 values of f suppressed; the original misses sex, so that it too is read both ways."""
    found = few(tables, "r", weight="w", household="home").compare("k")
    for name, table in (("wildcard", "r"), ("before_wildcard", "k")):
        data = few(tables, table, weight="w", household="home", nulls="wildcard")
        assert found.risk[name]["k_anonymity"] == [v.to_dict() for v in data.risk.k_anonymity(5)]
        assert found.risk[name]["global_risk"] == data.risk.global_risk().to_dict()
        assert found.risk[name]["household_global_risk"] == data.risk.household_global_risk().to_dict()
    assert any("f (15)" in note for note in found.notes)
    # the reading that is asked for has the plain names, the other its own: neither is lost
    other = few(tables, "r", nulls="wildcard").compare("k", k=20)
    assert other.risk["after"]["k_anonymity"][:4] == found.risk["wildcard"]["k_anonymity"]
    assert other.risk["category"]["k_anonymity"][:4] == found.risk["after"]["k_anonymity"]
    low, high = (other.risk[name]["k_anonymity"][-1]["records"] for name in ("after", "category"))
    assert low < high


@pytest.mark.slow
def test_without_suppression_there_is_one_reading(tables):
    tables.execute("CREATE OR REPLACE TABLE r AS SELECT * REPLACE (f // 2 AS f) FROM k")
    found = few(tables, "r").compare("k")
    assert set(found.risk) == {"before", "after"}  # sex is NULL in both
    # without an id the pairs are not known, so that every NULL may be a suppressed one
    found = Microdata(tables, "r", keys=["f", "sex"]).compare("k")
    assert "wildcard" in found.risk
    assert (found.loss["direct_distance"], found.loss["il1"]) == (None, None)
    assert any("Without an id" in note for note in found.notes)


@pytest.mark.slow
def test_nothing_masked(tables):
    found = few(tables, "k", weight="w", sampling_fraction=0.2).compare("k", propensity=True)
    for measure in ("frequency_summary", "k_anonymity", "theta", "global_risk"):
        assert found.risk["before"][measure] == found.risk["after"][measure]
    lost = [row for row in found.rows if row.measure in found.loss and not row.figure.startswith("entropy")]
    assert {row.after for row in lost if row.measure == "interval_disclosure"} == {1}
    lost = [row.after for row in lost if row.measure != "interval_disclosure"]
    assert set(lost) == {0}
    assert len(lost) > 10


@pytest.mark.slow
def test_keys_and_roles_are_those_of_either_table(tables):
    """A key that the release dropped counts before only; a column of one table is listed."""
    tables.execute('CREATE OR REPLACE TABLE r AS SELECT * EXCLUDE ("Select", w), 1 AS new FROM k')
    with pytest.raises(ColumnError, match="was a key renamed"):
        Microdata(tables, "r", keys=["F"]).compare(described(tables, "k"))
    found = Microdata(tables, "r", keys=["F"]).compare(described(tables, "k"), dropped=["Select"])
    assert (found.keys_before, found.keys) == (("f", "Select", "sex"), ("f", "sex"))
    assert (found.only_original, found.only_released) == (("Select", "w"), ("new",))
    assert (
        found.risk["before"]["global_risk"]
        == described(tables, "k", keys=["f", "Select", "sex"]).risk.global_risk().to_dict()
    )
    assert any("Select: a key before" in note for note in found.notes)
    assert any("weight before only" in note for note in found.notes)
    # with a fraction and no weight every record weighs 1 / pi, as in the report
    expected = sdc_sql.risk_report(Microdata(tables, "r", keys=["f", "sex"], sampling_fraction=0.2)).global_risk
    assert found.risk["after"]["global_risk"] == expected.to_dict()


@pytest.mark.slow
def test_which_columns_are_numbers(tables):
    tables.execute("CREATE TABLE t AS SELECT * REPLACE (id::VARCHAR AS income, f::DOUBLE AS f) FROM k")
    tables.execute("CREATE TABLE o AS SELECT *, 1.5 AS d, DATE '2020-01-01' AS day FROM k")
    tables.execute("CREATE TABLE s AS SELECT *, 1.5 AS d, DATE '2020-01-01' AS day FROM t")
    data = Microdata(tables, "s", keys=["f", "sex", "d"], id="id", weight="w", household="home")
    found = data.compare("o")
    assert found.continuous == ("f", "d")  # a key of other than whole numbers
    assert found.categorical == ("Select", "sex", "income", "day")  # text in one of the tables
    chosen = data.compare("o", columns=["Select"], categorical=["F"], continuous=["sex"])
    assert (chosen.categorical, chosen.continuous) == (("Select", "f"), ("sex",))
    with pytest.raises(ParameterError, match="as categorical and as continuous"):
        data.compare("o", categorical=["f"], continuous=["F"])
    with pytest.raises(ColumnError, match="not a column of s"):
        data.compare("o", columns=["nothing"])
    with pytest.raises(ColumnError, match="both tables"):
        few(tables, "s").compare("k", columns=["day"])


PRAMMED = {"keys": ["Select", "sex"], "weight": "w", "household": "home", "sampling_fraction": 0.2}


@pytest.fixture
def masked(tables):
    """Return the released table whose sex and region went through PRAM, with its steps."""
    tables.execute("SET VARIABLE sdc_key = ?", [KEY])
    few(tables, "k").mask.pram_retention("Select", 0.6, into="p")
    yield few(tables, "p", **PRAMMED)
    tables.execute("RESET VARIABLE sdc_key")


@pytest.mark.slow
def test_pram_by_the_steps_and_by_a_matrix(masked):
    """A file has no steps: with PRAM's matrix its figures are those that the steps lead to."""
    con = masked.con
    known = masked.compare("k")
    assert known.risk["after"]["global_risk_misclassified"] == {
        n: v for n, v in masked.risk.global_risk().to_dict().items() if n != "pram"
    }
    assert known.risk["after"]["theta_misclassified"]["theta"] == masked.risk.theta().theta_misclassified
    assert any("went through PRAM (step 1)" in note for note in known.notes)
    con.execute("CREATE TABLE m AS FROM sdc_pram_retention_matrix('k', 'Select', 0.6)")
    con.execute("CREATE TABLE copy AS FROM p")
    without = few(con, "copy", keys=["Select"]).compare("k")
    assert any("In Select one category became several" in note for note in without.notes)
    assert not any("became several" in note for note in known.notes)
    given = few(con, "copy", **PRAMMED).compare("k", pram={"select": "m"})
    assert not any("became several" in note for note in given.notes)
    measures = [f"{m}{end}" for m in ("global_risk", "household_global_risk", "individual_risk", "theta")
                for end in ("", "_misclassified")]  # fmt: skip
    for measure in measures:
        assert given.risk["after"][measure] == pytest.approx(known.risk["after"][measure], rel=1e-9)
    assert (
        given.to_dict()["global_risk_misclassified"]["expected_reidentifications_misclassified"]
        < (given.to_dict()["global_risk"]["expected_reidentifications"])
    )
    with pytest.raises(ParameterError, match="leave out pram"):
        masked.compare("k", pram={"Select": "m"})
    with pytest.raises(ParameterError, match="not among the keys"):
        few(con, "copy").compare("k", pram={"income": "m"})


@pytest.mark.slow
def test_limits(tables):
    figures = few(tables, "r", sampling_fraction=0.2).compare("k", k=20).to_dict()
    before = figures["before"]["k_anonymity"][18]
    assert before["k"] == 20
    assert is_exceeded(f"before.theta.theta >= 0 AND before.k_anonymity.20.records >= {before['records']}", figures)
    assert not is_exceeded(f"before.k_anonymity.20.records > {before['records']}", figures)
    assert not is_exceeded(f"wildcard.k_anonymity.20.records >= {figures['k_anonymity'][18]['records']}", figures)
    # the worst variable counts
    assert is_exceeded("direct_distance.distance >= 0.25", figures)
    assert not is_exceeded("direct_distance.distance > 0.25", figures)
    for unmeasured in ("before.t_closeness.t > 1", "propensity.share > 0", "category.theta.theta > 0"):
        with pytest.raises(ParameterError, match="was not measured"):
            is_exceeded(unmeasured, figures)
    for unread in ("before.theta > 1", "before > 1", "before.theta.nothing > 1", "keys.f > 1", "notes.f > 1"):
        with pytest.raises(ParameterError):
            is_exceeded(unread, figures)


def test_conditions_that_must_hold():
    """The limits of a release file read the same figures; by hand, of two variables and two k."""
    figures = {
        "k_anonymity": [{"k": 2, "records": 1}, {"k": 3, "records": 4}],
        "theta": {"theta": 0.1, "upper_bound": None},
        "before": {"k_anonymity": [{"k": 2, "records": 5}, {"k": 3, "records": 9}], "theta": None},
        "wildcard": {"k_anonymity": [{"k": 2, "records": 0}, {"k": 3, "records": 0}]},
        "il1": [{"variable": "age", "il1": 0.2}, {"variable": None, "il1": 0.5}],
    }
    assert holds_limit("wildcard.k_anonymity.records <= 0 AND before.k_anonymity.3.records <= 9", figures)
    assert not holds_limit("before.k_anonymity.records <= 5", figures)  # of every k
    assert not holds_limit("theta.upper_bound < 1", figures)  # NULL, not a figure that was not measured
    assert collect_figures("before.k_anonymity.records <= 5", figures) == {"before.k_anonymity.records (3)": 9}
    assert collect_figures("before.k_anonymity.2.records <= 5", figures) == {"before.k_anonymity.2.records": 5}
    assert not is_exceeded("before.k_anonymity.3.records > 9", figures)
    with pytest.raises(ParameterError, match="theta, which was not measured"):
        holds_limit("before.theta.theta < 1", figures)
    with pytest.raises(ParameterError, match="names no k"):
        is_exceeded("before.k_anonymity.records > 9", figures)
    assert is_exceeded("theta.upper_bound > 1", figures)  # NULL
    with pytest.raises(ParameterError, match="with a row and without"):
        holds_limit("before.k_anonymity.records < 9 OR before.k_anonymity.2.records < 9", figures)


@pytest.mark.slow
def test_as_text_and_html_and_rows(tables):
    tables.execute("""ALTER TABLE k RENAME "Select" TO "<b>" """)
    tables.execute("""ALTER TABLE r RENAME "Select" TO "<b>" """)
    found = few(tables, "r", keys=["<b>", "f"], weight="w").compare("k")
    text, html = str(found), found._repr_html_()
    assert text.startswith("r beside k\nkey variables: <b>, f; weight: w; id: id\n")
    assert "after, NULL agrees" in text
    assert "before, NULL agrees" not in text  # the original has no NULL in these keys
    assert html.count("<table>") == 1
    assert "<b>" not in html
    rows = {(r.measure, r.of, r.figure): (r.before, r.after) for r in found.rows}
    figures = found.to_dict()
    assert rows["k_anonymity", "3", "records"] == (
        figures["before"]["k_anonymity"][1]["records"], figures["k_anonymity"][1]["records"]
    )  # fmt: skip
    assert rows["direct_distance", "f", "distance"] == (None, 0.25)
    json.dumps(figures)


@pytest.mark.slow
def test_what_cannot_be_compared(tables):
    with pytest.raises(ColumnError, match="needs the key variables"):
        Microdata(tables, "r", id="id").compare("k")
    for one, other in ((few(tables, "r").where("f > 1"), "k"), (few(tables, "r"), few(tables, "k").where("f > 1"))):
        with pytest.raises(ParameterError, match="whole tables"):
            one.compare(other)
    with pytest.raises(ColumnError, match="has none of them"):
        few(tables, "r").compare(_other(tables))
    with duckdb.connect() as con:
        con.execute("CREATE TABLE k AS SELECT 1 AS f")
        with pytest.raises(TableError, match="another connection"):
            few(tables, "r").compare(Microdata(con, "k"))
    tables.execute("CREATE TABLE strange AS SELECT * REPLACE (id + 5 AS id) FROM k")
    with pytest.raises(TableError, match="that no record of the original has"):
        few(tables, "strange").compare("k")
    with pytest.raises(ParameterError, match="True or False"):
        few(tables, "r").compare("k", propensity="yes")
    with pytest.raises(ParameterError, match="True or False"):
        few(tables, "r").compare("k", linkage="yes")
    with pytest.raises(ColumnError, match="sensitive variable 'nothing'"):
        few(tables, "r").compare("k", sensitive=["nothing"])
    with pytest.raises(ParameterError, match="not among the sensitive"):
        few(tables, "r").compare("k", ordered=["income"])


def _other(con) -> str:
    con.execute("CREATE TABLE other AS SELECT 1 AS id, 2 AS x")
    return "other"


@pytest.mark.slow
def test_one_record(con):
    con.execute("CREATE TABLE k AS SELECT 1 AS id, 'a' AS f, 5 AS x")
    con.execute("CREATE TABLE r AS SELECT 1 AS id, NULL AS f, 6 AS x")
    found = Microdata(con, "r", keys=["f"], id="id", weight=10).compare("k")
    assert found.risk["after"]["frequency_summary"]["sample_uniques"] == 1
    assert found.loss["direct_distance"][1]["distance"] == 1
    assert found.loss["il1"][0]["il1"] is None
    assert "r beside k" in str(found)


@pytest.fixture
def files(tables, tmp_path) -> dict[str, str]:
    """Return the paths of the tables as files of each kind."""
    for table in ("k", "r"):
        tables.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
        tables.execute(f"COPY {table} TO '{tmp_path}/{table}.csv'")
    with duckdb.connect(f"{tmp_path}/both.duckdb") as con:
        for table in ("k", "r"):
            con.execute(f"CREATE TABLE {table} AS FROM '{tmp_path}/{table}.parquet'")
    return {path.name: str(path) for path in tmp_path.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        ["k.csv", "both.duckdb", "--table", "r"],
        ["both.duckdb", "both.duckdb", "--original-table", "k", "--table", "r"],
        ["both.duckdb", "r.csv", "--original-table", "k"],
    ],
)
def test_files_of_each_kind(tables, files, capsys, given):
    """Also a database beside a database, of which one is attached."""
    options = ["--keys", "f,sex", "--id", "id", "--weight", "w", "--json"]
    expected = few(tables, "r", weight="w").compare("k").to_dict()
    assert main(["compare", files[given[0]], files[given[1]], *given[2:], *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.pop("exceeded") == []
    same = {n: v for n, v in expected.items() if n not in {"table", "original"}}
    assert {n: found[n] for n in same} == json.loads(json.dumps(same))


@pytest.mark.slow
def test_linkage_is_that_of_the_measures(tables, files, capsys):
    before, after = few(tables, "k"), few(tables, "r")
    names = ["f", "Select", "income"]
    found = after.compare(before, columns=names, linkage=True)
    by_distance = after.linkage.distance_linkage(before, names, continuous=["income"])
    assert found.loss["distance_linkage"] == by_distance.to_dict()
    assert found.loss["rank_linkage"] == after.linkage.rank_linkage(before, ["income"]).to_dict()
    assert "Record linkage: the nearest original record is their own" in str(found)
    assert 0 < by_distance.rate < 1
    options = ["--keys", "f,sex", "--id", "id", "--columns", "f,Select,income", "--linkage"]
    limits = ["--fail-if", "distance_linkage.rate > 0", "--fail-if", "rank_linkage.rate > 1"]
    assert main(["compare", files["k.parquet"], files["r.parquet"], *options, *limits]) == 3
    assert capsys.readouterr().err.endswith("sdc-sql: limit exceeded: distance_linkage.rate > 0\n")
    with pytest.raises(ParameterError, match="linkage needs an id"):
        few(tables, "r", id=None).compare(few(tables, "k", id=None), linkage=True)


@pytest.mark.slow
def test_probabilistic_record_linkage_is_that_of_the_measure(tables):
    before, after = few(tables, "k"), few(tables, "r")
    found = after.compare(
        before, columns=["f"], probabilistic_linkage={"Select": None, "sex": None, "income": 1, "f": None}
    )
    expected = after.linkage.probabilistic_linkage(
        before, ["Select", "sex", "income", "f"], continuous=["income"], tolerance=1
    )
    assert found.to_dict()["probabilistic_linkage"] == expected.to_dict()
    assert "Probabilistic record linkage" in str(found)
    with pytest.raises(ParameterError, match="probabilistic_linkage is"):
        after.compare(before, probabilistic_linkage=["Select", "sex", "f"])
    with pytest.raises(ColumnError, match="needs an id in both"):
        few(tables, "r", id=None).compare("k", probabilistic_linkage={"Select": None, "sex": None, "f": None})


@pytest.mark.slow
def test_probabilistic_record_linkage_on_the_command_line(files, capsys):
    given = ["compare", files["k.parquet"], files["r.parquet"], "--keys", "f", "--columns", "f", "--id", "id"]
    limit = ["--json", "--fail-if", "probabilistic_linkage.rate > 0.01"]
    assert main([*given, *limit, "--probabilistic-linkage", "Select,sex,f,income=1"]) == 3
    assert json.loads(capsys.readouterr().out)["probabilistic_linkage"]["pairs"] == 3600
    assert main([*given, *limit]) == 2  # by f alone
    assert "name three or more" in capsys.readouterr().err
    assert main([*given, "--probabilistic-linkage", "Select,sex,f=x"]) == 2
    assert "'f=x' is not a column" in capsys.readouterr().err


@pytest.mark.slow
def test_two_databases(tmp_path, capsys):
    for table in ("k", "r"):
        with duckdb.connect(f"{tmp_path}/{table}.duckdb") as con:
            con.execute(f"CREATE TABLE same AS {ORIGINAL if table == 'k' else 'SELECT 1 AS id, 2 AS f'}")
    command = ["compare", f"{tmp_path}/k.duckdb", f"{tmp_path}/r.duckdb", "--keys", "f", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["before"]["frequency_summary"]["records"], found["frequency_summary"]["records"]) == (60, 1)


@pytest.mark.slow
def test_limits_and_wrong_options_on_the_command_line(files, capsys):
    given = [files["k.parquet"], files["r.parquet"]]
    options = ["--keys", "f", "--id", "id", "--columns", "f"]
    limits = ["--fail-if", "direct_distance.distance > 0.2", "--fail-if", "before.frequency_summary.records > 60"]
    assert main(["compare", *given, *options, *limits]) == 3
    printed = capsys.readouterr()
    assert printed.err == "sdc-sql: limit exceeded: direct_distance.distance > 0.2\n"
    assert printed.out.startswith(f"{given[1]} beside {given[0]}\n")
    for wrong, words in {
        ("--keys", "f,nothing"): "'nothing' is a column of neither file",
        ("--weight", "nothing"): "weight 'nothing' is a column of neither",
        ("--table", "r"): "leave the table out",
        ("--fail-if", "before.propensity.share > 1"): "propensity needs columns, original",
        ("--pram", "f,sex=m.csv"): "no file m.csv",
    }.items():
        assert main(["compare", *given, *options, *wrong]) == 2
        assert words in capsys.readouterr().err


@pytest.mark.slow
def test_a_key_that_may_have_been_renamed_is_an_error(con):
    """Else all that it tells would count before masking, and nothing of it after."""
    con.execute("CREATE TABLE k AS SELECT range AS id, range % 40 AS education, range % 2 AS sex FROM range(60)")
    con.execute("CREATE TABLE r AS SELECT id, education AS educ, sex FROM k")
    released = Microdata(con, "r", keys=["sex"], id="id")
    original = Microdata(con, "k", keys=["sex", "education"], id="id")
    with pytest.raises(ColumnError, match="no key education, and the original none of educ: was a key renamed"):
        released.compare(original)
    found = released.compare(original, dropped=["Education"]).to_dict()
    assert (found["before"]["frequency_summary"]["sample_uniques"], found["frequency_summary"]["sample_uniques"]) == (
        20,
        0,
    )
    for wrong, words in ({"educ": "is in the released table", "nothing": "is no column of the original"}).items():
        with pytest.raises(ColumnError, match=words):
            released.compare(original, dropped=[wrong])
    con.execute("CREATE TABLE less AS SELECT id, sex FROM k")
    assert "education: a key before" in str(Microdata(con, "less", keys=["sex"], id="id").compare(original))
