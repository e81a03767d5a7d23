"""Columns named by the caller: a wrong one is an error, an odd one is not."""

from __future__ import annotations

import duckdb
import pytest
from every_macro import CALLS, WITH_WEIGHT, complaint, query, rounded_rows

HAVE = '"id", "age", "sex", "region", "weight", "household"'

# Names that stand for something else in SQL or in the macros: their arguments, the columns of their
# results, their lambdas' variables, aliases.
ODD = [
    *(
        "f",
        "fk",
        "k",
        "c",
        "r",
        "s",
        "p",
        "m",
        "n",
        "h",
        "z",
        "Select",
        "from",
        'we"ird',
        "it's",
        "größe",
        "with space",
    ),
    *("tbl", "keys", "weight", "household", "stratum", "nulls", "sample", "population", "confidence", "max_rate"),
    *("records", "cells", "n1", "theta", "rate", "threshold", "few", "many", "have", "named", "column_value", "rowid"),
    *("frequency", "tau1", "sample_uniques", "key", "value", "row", "unnest", "sdc", "sdc_f"),
]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CALLS)
def test_an_unknown_key_is_named_with_the_columns_there_are(people, name):
    message = complaint(people, query(name, keys="['age', 'sexe']"))
    assert f'Column "sexe" is not a column of the table, whose columns are {HAVE}; so "sexe"' in message


@pytest.mark.parametrize(
    ("side", "call"),
    [
        ("sample", "FROM sdc_population_risk('other', 'persons', ['age', 'sex'])"),
        ("population", "FROM sdc_population_risk('persons', 'other', ['age', 'sex'])"),
    ],
)
def test_a_key_unknown_on_one_side_only(persons, side, call):
    persons.execute("CREATE TABLE other AS SELECT id, age FROM persons")
    assert '"sex" is not a column of the table, whose columns are "id", "age"; so "sex"' in complaint(persons, call), (
        side
    )


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", WITH_WEIGHT)
def test_an_unknown_weight(people, name):
    message = complaint(people, query(name, weight="'w'"))
    assert f'Column "w" is not a column of the table, whose columns are {HAVE}; so "w"' in message


@pytest.mark.parametrize("name", [n for n in CALLS if "household" in n])
def test_an_unknown_household(people, name):
    message = complaint(people, query(name, household="'hh'"))
    assert f'Column "hh" is not a column of the table, whose columns are {HAVE}; so "hh"' in message


@pytest.mark.parametrize("name", [n for n in CALLS if "household" in n])
@pytest.mark.parametrize("inner", ["sdc__risk", "sdc__f", "sdc__w"])
def test_an_inner_column_is_no_household(people, name, inner):
    assert f'"{inner}" is not a column of the table' in complaint(people, query(name, household=f"'{inner}'"))


def test_an_unknown_stratum_or_fraction(people):
    message = complaint(people, "FROM sdc_theta_by('persons', ['age'], 'county', 0.1)")
    assert f'Column "county" is not a column of the table, whose columns are {HAVE}; so "county"' in message
    message = complaint(people, "FROM sdc_theta_by('persons', ['age'], 'region', 'pi')")
    assert f'Column "pi" is not a column of the table, whose columns are {HAVE}; so "pi"' in message


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("[]", "the list of columns is empty; name at least one"),
        ("NULL", "the list of columns is empty; name at least one"),
        ("['age', NULL]", "the list of columns holds a NULL where a name should be"),
        ("['age', 'age']", 'a column is named twice in "age", "age"'),
        ("['age', 'AGE']", 'a column is named twice in "age", "AGE"'),
    ],
)
def test_a_wrong_list_of_keys(people, name, keys, words):
    assert words in complaint(people, query(name, keys=keys))


def test_the_complaint_comes_before_a_row_is_read(persons):
    with pytest.raises(duckdb.BinderException):
        persons.execute("EXPLAIN FROM sdc_cells('persons', ['age', 'sexe'])")


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("reserved", ["sdc__x", "SDC__Risk"])
def test_reserved_column_names_are_refused(people, name, reserved):
    people.execute(f'CREATE OR REPLACE VIEW taken AS SELECT *, 1 AS "{reserved}" FROM persons')
    message = complaint(people, query(name, tbl="'taken'"))
    assert f'"{reserved}" has a name beginning with sdc__, which is reserved' in message


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("sdc_frequencies", "sample_frequency"),
        ("sdc_frequencies", "population_frequency"),
        ("sdc_frequencies wildcard", "Sample_Frequency"),
        ("sdc_individual_risk", "sample_frequency"),
        ("sdc_individual_risk", "population_frequency"),
        ("sdc_individual_risk", "individual_risk"),
        ("sdc_individual_risk wildcard", "INDIVIDUAL_RISK"),
        ("sdc_household_risk", "individual_risk"),
        ("sdc_household_risk", "household_risk"),
        ("sdc_household_risk", "household_size"),
        ("sdc_household_risk", "individual_threshold"),
    ],
)
def test_a_column_in_the_way_of_a_result_column(persons, name, result):
    persons.execute(f"ALTER TABLE persons ADD COLUMN {result} INTEGER DEFAULT 1")
    words = f'"{result}" is a column of the table and also the name of a result column'
    assert words in complaint(persons, query(name))


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("sdc_cells", "sample_frequency"),
        ("sdc_cells wildcard", "SAMPLE_frequency"),
        ("sdc_cell_risk", "sample_frequency"),
        ("sdc_cell_risk", "population_frequency"),
        ("sdc_cell_risk", "individual_risk"),
    ],
)
def test_a_key_in_the_way_of_a_result_column(persons, name, result):
    persons.execute(f"ALTER TABLE persons RENAME COLUMN sex TO {result}")
    words = f'"{result}" is a column of the table and also the name of a result column'
    assert words in complaint(persons, query(name, keys=f"['age', '{result}']"))
    persons.execute("ALTER TABLE persons ADD COLUMN sex VARCHAR DEFAULT 'f'")  # not a key: not in the way
    assert persons.execute(query(name, keys="['age', 'sex']")).fetchall()


@pytest.mark.parametrize(
    "name", ["sdc_theta", "sdc_theta_by", "sdc_population_risk", "sdc_global_risk", "sdc_k_anonymity"]
)
def test_a_key_named_as_a_result_elsewhere(persons, name):
    expected = persons.execute(query(name)).fetchall()
    persons.execute("ALTER TABLE persons RENAME COLUMN sex TO sample_frequency")
    assert persons.execute(query(name, keys="['age', 'sample_frequency']")).fetchall() == expected


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", CALLS)
def test_case_of_names_does_not_matter(people, name):
    spelled = {"keys": "['SEX', 'Age']", "weight": "'WEIGHT'", "household": "'HouseHold'", "stratum": "'Region'"}
    # (a name that a row tells is told as it was given)
    found, expected = ([row.lower() for row in rounded_rows(people, query(name, **roles))] for roles in (spelled, {}))
    assert sorted(found) == sorted(expected)


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", CALLS)
def test_odd_column_names(people, name):
    """The same numbers under odd names and under plain ones, in every role."""
    plain = [f"column_{n}" for n in range(len(ODD))]
    for table, names in (("plain", plain), ("odd", ODD)):
        columns = ", ".join(f"{n + 1} + i % {2 + n % 3} AS {quoted(name)}" for n, name in enumerate(names))
        people.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {columns} FROM range(11) t(i)")
    half, step = len(ODD) // 2, 8 if "threshold_rule" in name else 4  # (each subset of the keys is a query there)
    for start in (0, half):
        results = []
        for table, names in (("plain", plain), ("odd", ODD)):
            literals = ["'" + n.replace("'", "''") + "'" for n in names]
            roles = {
                "tbl": f"'{table}'",
                "keys": f"[{', '.join(literals[start : start + half : step])}]",
                "weight": literals[start + 2],
                "household": literals[start + 3],
                "stratum": literals[start + 5],
            }
            results.append(rounded_rows(people, query(name, **roles)))
        # some measures name the keys in their rows
        for name_of, odd in zip(plain, ODD, strict=True):
            results[0] = [row.replace(repr(name_of), repr(odd)) for row in results[0]]
        assert sorted(results[0]) == sorted(results[1]), roles


@pytest.mark.slow
def test_all_odd_names_at_once(con):
    columns = ", ".join(f"i % {2 + n % 3} AS {quoted(name)}" for n, name in enumerate(ODD))
    con.execute(f"CREATE TABLE odd AS SELECT {columns} FROM range(7) t(i)")
    # The remainders by 2, 3 and 4 tell the numbers 0 to 6 apart.
    for nulls in ("category", "wildcard"):
        result = con.execute(f"SELECT sample_frequency FROM sdc_cells('odd', ?, nulls := '{nulls}')", [ODD])
        assert result.fetchall() == [(1,)] * 7


def test_a_key_with_a_hyphen(con):
    con.execute("""CREATE TABLE t AS FROM (VALUES ('x'), ('x'), ('y')) AS t("marital-status")""")
    assert con.execute("FROM sdc_cells('t', ['marital-status']) ORDER BY 1").fetchall() == [("x", 2), ("y", 1)]


def test_keys_from_a_variable_or_a_parameter(persons):
    expected = sorted(persons.execute("FROM sdc_frequency_counts('persons', ['age', 'sex'])").fetchall())
    persons.execute("SET VARIABLE my_keys = ['age', 'sex']")
    assert (
        sorted(persons.execute("FROM sdc_frequency_counts('persons', getvariable('my_keys'))").fetchall()) == expected
    )
    parameters = ["persons", ["age", "sex"]]
    assert sorted(persons.execute("FROM sdc_frequency_counts(?, ?)", parameters).fetchall()) == expected
