"""Arguments of another kind in plain SQL, where no Python looks first: told in the words of each macro."""

from __future__ import annotations

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from sdc_sql.db.catalogue.macros import bundle, example_tables, read_catalogue
from sdc_sql.errors import SdcError, translate

TABLES = """
    CREATE TABLE persons AS SELECT i AS id, i % 5 AS age, ['f', 'm'][1 + i % 2] AS sex, ['n', 's'][1 + i % 2] AS region,
        1.5::DOUBLE + i % 7 AS w, 2e0 AS weight, i // 3 AS household, 100.5::DOUBLE * i AS income
        FROM range(60) AS r(i);
    CREATE TABLE released AS SELECT * REPLACE (income + 1 AS income) FROM persons;
"""
KEY = "Zk3vQ9xLw81-TgHs7_pRmYc2NbUe6aFd0JiOKXtV"
OF_FILES = {"answers", "hierarchies", "candidates", "sexes", "crossings", "truth"}  # that other tables are in


def _calls(kinds, value):
    """Return the example of each macro with a value in the place of each argument of some kinds."""
    for macro in read_catalogue():
        call = (
            sqlglot.parse_one(f"SELECT * {macro.example}", read="duckdb").find(exp.Anonymous)
            if macro.is_table
            else None
        )
        for parameter in macro.parameters if call else ():
            if parameter.type not in kinds:
                continue
            given = {}
            for declared_, argument in zip(macro.parameters, call.expressions, strict=False):
                named = isinstance(argument, exp.PropertyEQ)
                expression = argument.expression if named else argument
                given[argument.this.name if named else declared_.name] = expression.sql("duckdb")
            given[parameter.name] = value
            yield pytest.param(
                f"FROM {macro.name}({', '.join(f'{n} := {v}' for n, v in given.items())})",
                id=f"{macro.name} {parameter.name}",
            )


@pytest.fixture(scope="module")
def shell():
    with duckdb.connect() as con:
        con.execute(bundle())
        con.execute(TABLES)
        for name in OF_FILES:
            con.execute(f"CREATE TABLE {name} AS FROM persons")
        con.execute("SET VARIABLE sdc_key = $key", {"key": KEY})
        yield con


@pytest.mark.slow
@pytest.mark.parametrize("call", list(_calls({"columns", "names"}, "'age'")))
def test_a_text_for_a_list(shell, call):
    """It is refused by its name, as a column that nobody has, and never left out."""
    with pytest.raises(duckdb.Error) as raised:
        shell.execute(call).fetchall()
    assert isinstance(translate(raised.value), SdcError), raised.value


@pytest.mark.slow
@pytest.mark.parametrize("call", list(_calls({"number"}, "'abc'")))
def test_a_word_for_a_number(shell, call):
    """It is refused in the macro's words, or (a bound that no record comes near) plays no part."""
    said = ""
    try:
        shell.execute(call).fetchall()
    except duckdb.Error as error:
        said = str(translate(error) or f"DuckDB's: {error}")
    assert not said.startswith("DuckDB's: ")
    assert "A value" not in said  # DuckDB's too, without what it shows


@pytest.fixture(scope="module")
def loaded(connect):
    """The tables of the examples, where Python's kernels are."""
    with connect() as con:
        con.execute(example_tables())
        con.execute("SET VARIABLE sdc_key = $key", {"key": KEY})
        yield con


@pytest.mark.parametrize("keys", ["NULL", "[]", "[NULL]", "['age', 'AGE']"])
@pytest.mark.parametrize(
    "call", ["sdc_generalisations('persons', {}, 'hierarchies')", "sdc_preview_recodings('persons', {}, 'hierarchies')"]
)
def test_keys_that_are_none_where_they_stand_in_a_text_of_sql(loaded, call, keys):
    with pytest.raises(
        duckdb.InvalidInputException, match=r"ColumnError: (The list of columns|A column is named twice)"
    ):
        loaded.execute(f"FROM {call.format(keys)}").fetchall()


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            "sdc_population_uniqueness('persons', ['age'], 1000000, method := 'x')",
            "method is 'x': it must be one of dankar",
        ),
        (
            "sdc_probabilistic_linkage('persons', 'released', ['age', 'sex'], 'id')",
            "2 variables do not tell matched pairs",
        ),
        (
            "sdc_distance_linkage('persons', 'released', ['age'], 'id', scaling := NULL)",
            "scaling is NULL: it must be one of",
        ),
        (
            "sdc_probabilistic_linkage('persons', 'released', ['age', 'sex', 'region'], 'id', continuous := 'age')",
            'continuous names "age \\(no list: write',
        ),
        (
            "sdc_distance_linkage('persons', 'released', ['age', 'sex'], 'id', ordinal := ['age', 'AGE'])",
            "ordinal names a column twice",
        ),
        (
            "sdc_perceived_risk('persons', 'released', ['income', 'income'], 'id', 50)",
            'A column is named twice in "income"',
        ),
        ("sdc_microaggregate('persons', ['income'], 3, 'id', method := 'x')", "method is 'x': it must be one of mdav"),
        ("sdc_generalisations('persons', ['age'], 'hierarchies', t := 'abc')", "t is abc: it must be a number"),
    ],
)
def test_what_a_kernel_would_refuse_is_refused_before(loaded, call, said):
    """In plain SQL a kernel's own words have those of DuckDB before them."""
    with pytest.raises(duckdb.InvalidInputException, match=f"^Invalid Input Error: (Parameter|Column)Error: {said}"):
        loaded.execute(f"FROM {call}").fetchall()


@pytest.mark.parametrize(
    "call",
    [
        "sdc_alpha_k_anonymity('persons', 'age', 'income', 0.5, 2)",
        "sdc_t_closeness('persons', 'age', 'income')",
        "sdc_generalisations('persons', 'age', 'hierarchies')",
    ],
)
def test_a_text_for_the_keys_is_told_what_a_list_is(loaded, call):
    with pytest.raises(duckdb.Error, match=r"no list: write \['age'\]"):
        loaded.execute(f"FROM {call}").fetchall()


@pytest.mark.slow
def test_what_is_said(shell):
    said = []
    for call in (
        "FROM sdc_k_anonymity('persons', 'age', 3)",
        "FROM sdc_theta('persons', ['age'], 'abc')",
        "FROM sdc_round('persons', ['income'], 'abc', 'id')",
        "FROM sdc_interval_disclosure_records('persons', 'released', ['income'], NULL)",
    ):
        with pytest.raises(duckdb.Error) as raised:
            shell.execute(call).fetchall()
        said.append(str(translate(raised.value)))
    assert said[0].startswith(
        """Column "age (no list: write ['age'], or ['age', 'sex'])" is not a column of the table"""
    )
    assert said[1] == "The sampling fraction is abc: it must lie strictly between 0 and 1."
    assert said[2].startswith("The base is abc: it must be positive and finite")
    assert said[3] == "The id is NULL: name the column that identifies each record."
