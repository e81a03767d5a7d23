"""Every measure of the headers is a figure at hand: its rows are those of its macro, by one name."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot
from sqlglot import exp

import sdc_sql
from sdc_sql.db.catalogue.macros import example_tables, index_catalogue, read_catalogue
from sdc_sql.errors import ParameterError
from sdc_sql.figures.asked import Asked, list_measures
from sdc_sql.figures.condition import check_side, list_named_figures
from sdc_sql.figures.given import name_figures
from sdc_sql.figures.measured import Beside, LackingError, measure_rows
from sdc_sql.figures.registry import ROLES, find_measure, list_all_measures, list_limitable
from sdc_sql.figures.written import parse_figure

KEY = "Zk3vQ9xLw81-TgHs7_pRmYc2NbUe6aFd0JiOKXtV"
# What stands in a header's example and is called otherwise in Python, or is a table made for it.
PYTHON = {
    "pram_entropy_loss": {"column": "sex", "matrix": "sexes"},
    "theta_misclassified": {"matrices": {"sex": "sexes"}},
    "subdomain_moments": {"columns": ["age"], "domains": ["sex"]},
}


@pytest.fixture(scope="module")
def tables():
    with duckdb.connect() as con:
        sdc_sql.load(con).execute(example_tables())
        con.execute("SET VARIABLE sdc_key = $key", {"key": KEY})
        yield con


def call_of(name):
    """Return the arguments of a macro's example by name, as Python values."""
    macro = index_catalogue()[f"sdc_{name}"]
    call = sqlglot.parse_one(f"SELECT * {macro.example}", read="duckdb")
    call = next(c for c in call.find_all(exp.Anonymous) if c.name == macro.name)
    found = {}
    for p, argument in zip(macro.parameters, call.expressions, strict=False):
        is_named = isinstance(argument, exp.PropertyEQ)
        value = argument.args["expression"] if is_named else argument
        text = value.sql("duckdb")
        with duckdb.connect() as con:
            found[argument.this.name if is_named else p.name] = con.execute(f"SELECT {text}").fetchone()[0]
    return found


def measured(con, name):
    """Return the rows of a figure with the arguments of its macro's example."""
    found, given = list_all_measures()[name], call_of(name)
    table = given.pop("released", None) or given.pop("tbl", None) or given.pop("sample", None) or "persons"
    original = given.pop("original", None)
    roles = {role: given.pop(role) for role in ROLES if role in given and role not in found.arguments}
    if found.joins:  # the table that is measured is the first
        (table, *given["releases"]), (roles["keys"], *given["keys"]) = given["releases"], given["keys"]
    there = [column for column, *_ in con.execute(f"DESCRIBE {table}").fetchall()]
    roles = {
        role: value for role, value in [("id", "id" if "id" in there else None), *roles.items()] if value is not None
    }
    data = sdc_sql.Microdata(con, table, nulls=given.pop("nulls", None) or "category", **roles)
    arguments = {n: v for n, v in given.items() if n in found.arguments and v is not None} | PYTHON.get(name, {})
    return measure_rows(Asked(name, found, arguments), data._roles, Beside(original))


def test_every_measure_that_gives_figures_is_at_hand():
    """What is not is a macro whose method of Microdata has another name: the one that computes it."""
    missing = [
        d
        for d in read_catalogue()
        if d.is_table and list_limitable(d) and d.name.removeprefix("sdc_") not in list_all_measures()
    ]
    methods = {"data_intrusion_misclassified", "theta_misclassified_crossing", "true_probability",
               "true_probability_crossing"}  # fmt: skip
    assert {d.name.removeprefix("sdc_") for d in missing} == methods


@pytest.mark.slow
def test_figures_are_those_of_the_macro(tables):
    wrong = []
    for name, found in list_all_measures().items():
        if name.endswith("_misclassified") and found.verb != name:  # after PRAM only, see tests/risk
            continue
        if "stream" in found.arguments:  # a simulation
            continue
        try:
            rows = measured(tables, name)
        except (sdc_sql.SdcError, duckdb.Error) as error:
            wrong.append(f"{name}: {type(error).__name__}: {error}")
            continue
        result = tables.execute(index_catalogue()[f"sdc_{name}"].example)
        columns = [c for c, *_ in result.description]
        macro = [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
        figures = {
            figure: sorted(str(_rounded(row[figure])) for row in macro)
            if found.of_file
            else [str(_rounded(_worst([row[figure] for row in macro], c.more)))]
            for figure, c in found.figures.items()
        }
        ours = {figure: sorted(str(_rounded(row[figure])) for row in rows) for figure in found.figures}
        if name not in PYTHON and ours != figures:
            different = {f: (ours[f], figures[f]) for f in figures if ours[f] != figures[f]}
            wrong.append(f"{name}: {different}")
    assert wrong == [], "\n".join(wrong)


def _worst(values, more):
    return None if None in values or not values else (max if more else min)(values)


def _rounded(value):
    return float(f"{value:.9g}") if isinstance(value, int | float) and not isinstance(value, bool) else value


def test_what_a_figure_needs_is_named():
    data = sdc_sql.example()
    bare = sdc_sql.Microdata(data.con, "persons")
    for label, words in {
        "theta": "keys, sampling fraction", "k_map": "keys, population", "t_closeness": "keys, sensitive",
        "il1": "id, columns, original", "household_global_risk": "keys, weight, household",
    }.items():  # fmt: skip
        with pytest.raises(LackingError, match=f"^{label} needs {words}\\.$"):
            measure_rows(list_measures()[label], bare._roles, Beside())


def test_a_figure_has_a_name_of_its_own():
    found = name_figures({"register": ("k_map", {"population": "p"})})
    assert (found["register"].measure, found["register"].tables) == (list_all_measures()["k_map"], ("population",))
    for given, words in (
        ({"theta": ("k_map", {})}, "theta is a measure: give it another name"),
        ({"a b": ("k_map", {})}, "must be a word"),
        ({"x": ("k_mop", {})}, "did you mean k_map"),
        ({"x": ("k_map", {"populace": "p"})}, "k_map takes no populace: it takes population, k"),
        ({"x": ("suda_sumary", {})}, "did you mean suda_summary"),
    ):
        with pytest.raises(ParameterError, match=words):
            name_figures(given)
    with pytest.raises(ParameterError, match=r"write l_diversity, t_closeness or likeness\.$"):
        find_measure("attribute")


def test_a_figure_is_written_on_the_command_line():
    assert parse_figure("r = k_map(population='a, b.csv', k=5)") == ("r", ("k_map", {"population": "a, b.csv", "k": 5}))
    assert parse_figure("x=theta()") == parse_figure("x=theta") == ("x", ("theta", {}))
    call = parse_figure('x=il1(columns=["a ""b""", Select], max_term=0.5)')
    assert call == ("x", ("il1", {"columns": ['a "b"', "Select"], "max_term": 0.5}))
    for wrong in (
        "", "k_map", "x=", "x=k_map(population", "x=k_map(population)", "x y=k_map()", "=k_map()",
        "x=k_map(population='a, k=5)",
    ):  # fmt: skip
        with pytest.raises(ParameterError, match="cannot be read"):
            parse_figure(wrong)


def test_a_row_may_be_a_word_of_sql():
    (found,) = list_named_figures("before.theta_by.Select.theta < 0.1")
    assert found == ("before", "theta_by", "Select", "theta")
    with pytest.raises(ParameterError, match=r"Write theta_by\.Select\.theta <= 0\.1\.$"):
        check_side("theta_by.Select.theta > 0.1", list_measures(), holds=True)


@pytest.mark.slow
def test_limits_from_python(persons):
    """With odd names: a table k, columns f and Select, a quote, NULL in the keys."""
    persons.execute('CREATE TABLE k AS SELECT id, age AS f, sex AS "Select", weight AS "it\'s ""w""" FROM persons')
    data = sdc_sql.Microdata(persons, "k", keys=["f", "SELECT"], weight='it\'s "w"', id="id")
    persons.execute("CREATE TABLE masked AS SELECT * REPLACE (f // 10 * 10 AS f) FROM k")
    released = sdc_sql.Microdata(persons, "masked", keys=["f", "Select"], weight='it\'s "w"', id="id")
    found = released.check_limits(
        ["k_anonymity.3.records <= 0", "il1.f.il1 <= 2", "il1.all.il1 <= 2", "register.records <= 8",
         "t_closeness.t <= 1", "distance_linkage.rate <= 1"],
        original=data, figures={"register": ("k_map", {"population": "k", "k": 2})}, columns=["f"], sensitive=["id"],
    )  # fmt: skip
    assert [limit.holds for limit in found] == [False, True, True, True, True, True]
    assert found[0].figures == {"k_anonymity.3.records": data_below(persons)}
    with pytest.raises(ParameterError, match="give a list of limits"):
        data.check_limits("k_anonymity.3.records <= 0")


def data_below(con):
    return con.execute(
        'SELECT sum(n) FROM (SELECT count(*) AS n FROM masked GROUP BY f, "Select") WHERE n < 3'
    ).fetchone()[0]
