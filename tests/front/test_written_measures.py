"""The functions that are written from headers: what a header may say, and what measures have in common."""

from __future__ import annotations

import pytest

import sdc_sql
from sdc_sql.db.catalogue.functions import read_declarations
from sdc_sql.db.catalogue.headers import HeaderError
from sdc_sql.db.catalogue.macros import file_texts, index_catalogue, read_catalogue
from sdc_sql.db.catalogue.worked import read_worked_examples
from sdc_sql.db.showing.results import Results
from sdc_sql.errors import ParameterError
from sdc_sql.write import ROOMS, ROOT, measures

K_MAP = file_texts()["risk/k_map.sql"]


def written(text: str) -> str:
    """Return the function that is written from the header of k-map, changed."""
    (found,) = measures.written(read_declarations([("risk/k_map.sql", text)])).values()
    return found


def test_what_a_header_says_stands_in_the_function():
    text = written(K_MAP)
    assert text.startswith("# Written from sql/risk/k_map.sql by python -m sdc_sql.write: change that file.\n")
    for part in (
        "def k_map(data: Roles, population: str, k: int = 3) -> KMap:",
        "        The least number of persons of the population with the keys of a record, at least 2.",
        '        Where the table was described with ``nulls="wildcard"``, or ``k`` is out of its range.',
        "    A cell that does not occur in the population counts as 0 and is never dropped.",
        "    Sweeney (2001), Computational disclosure control",
    ):
        assert part in text


def test_a_column_that_may_be_null_is_none_in_python():
    assert "    least: int | None\n" in written(K_MAP.replace("least BIGINT", "least BIGINT or NULL"))


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("-- Result: KMap. ", "-- Result: KMap ", "Result is to be"),
        ("-- Wildcards: refused.", "-- Wildcards: taken.", "Wildcards is to be `refused.`"),
        ("-- Wildcards: refused.", "-- Picture: Pairs.", "Picture is to be `name.`"),
        ("-- Wildcards: refused.", "-- Raises: a TableError.", "is to be an error and when it is raised"),
        ("-- Result: KMap. The records", f"-- Result: KMap. The records {'that are shared ' * 9}", "too long"),
        (
            "  k           whole number in [2, ...)",
            "  k           value",
            "no function is written with k, of type value",
        ),
    ],
)
def test_what_cannot_be_written_is_told_of(was, now, told):
    text = K_MAP.replace(was, now, 1)
    assert text != K_MAP
    with pytest.raises(HeaderError, match=told):
        written(text)


def test_all_functions_of_a_file_are_written_or_none():
    text = file_texts()["risk/likeness.sql"].replace("-- Result: Likeness.", "-- Likeness.")
    with pytest.raises(HeaderError, match="all macros of a file do, or none"):
        measures.written(read_declarations([("risk/likeness.sql", text)]))


def test_what_is_drawn_as_null_is_declared_so():
    wrong = []
    for file, text in file_texts().items():
        for example in read_worked_examples(file, text):
            may_be_null = {c.name for c in index_catalogue()[example.macro].given.columns if c.or_null}
            for row in example.rows if index_catalogue()[example.macro].returned else ():
                nulls = {name for name, value in zip(example.result.columns, row, strict=True) if value == "NULL"}
                if not index_catalogue()[example.macro].returned.is_relation:
                    wrong += [f"{example.macro}: {name}" for name in nulls - may_be_null]
    assert wrong == []


@pytest.mark.slow
def test_a_file_of_a_thin_measure_is_written_wholly():
    said = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / "sdc_sql" / room).glob("*.py")
        if path.read_text(encoding="utf-8").startswith(measures.WRITTEN)
    }
    assert said == measures.written(read_catalogue()).keys()


def test_one_column_is_a_list_of_one():
    data = sdc_sql.example()
    measured = (
        (data.loss.il1, ("persons",), "w"),
        (data.loss.contingency_distance, ("persons",), "sex"),
        (data.linkage.distance_linkage, ("persons",), "sex"),
        (data.risk.constant_columns, (), "sex"),
        (data.risk.rejoined_households, (), "sex"),
    )
    assert [f.__name__ for f, others, name in measured if f(*others, name) != f(*others, [name])] == []


@pytest.mark.slow
@pytest.mark.whole
def test_several_rows_are_results():
    data = sdc_sql.example()
    found = (
        data.risk.suda_contributions(),
        data.risk.suda_value_contributions(),
        data.risk.threshold_rule(22),
        data.risk.threshold_rule_summary(22),
        data.risk.research_file_rules(),
        data.risk.public_use_file_rules(),
        data.risk.identifiers(),
        data.linkage.compatible_records("persons", 2),
    )
    assert all(isinstance(rows, Results) for rows in found)


def test_an_argument_by_its_name_of_before_is_told_the_new_one():
    data = sdc_sql.example()
    with pytest.raises(ParameterError, match="most of il1 is called max_term"):
        data.loss.il1("persons", ["w"], most=1)
    with pytest.raises(ParameterError, match="most_keys of log_linear_search is called max_keys"):
        data.risk.log_linear_search(most_keys=3)
    with pytest.raises(ParameterError, match="most of matrix_distance is called max_variation"):
        data.check_limits(
            ["x.X.mean_variation <= 1"], original="persons", figures={"x": ("matrix_distance", {"most": 1})}
        )
