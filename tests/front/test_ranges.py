"""The range that a header declares of a number holds in SQL and in Python alike, to its very ends."""

from __future__ import annotations

import math
import re

import duckdb
import pytest
from argued import argued

import sdc_sql
from sdc_sql.db.catalogue import arguments, ranges
from sdc_sql.db.catalogue.macros import example_tables, read_catalogue
from sdc_sql.errors import ParameterError

KEY = "Zk3vQ9xLw81-TgHs7_pRmYc2NbUe6aFd0JiOKXtV"
DECLARED = [(d, p) for d in read_catalogue() for p in d.parameters if p.range is not None and not p.range.below]


def ends(parameter):
    """Return the numbers at the ends that belong to the range, and those just outside of it."""
    within, step = parameter.range, 1 if parameter.type == "whole number" else 1e-6
    inside, outside = [], []
    for end, belongs, away in ((within.low, within.with_low, -step), (within.high, within.with_high, step)):
        if math.isfinite(end):
            inside += [end] if belongs else []
            outside.append(end + away * max(1, abs(end) if step < 1 else 1) if belongs else end)
    return inside, outside


def sql_of(macro, parameter, value):
    """Return the example of a macro with another number in the place of an argument."""
    written = repr(int(value) if parameter.type == "whole number" else float(value))
    number = f"[{written}]" if parameter.type == "numbers" else written
    more = NEEDED.get((macro.name.removeprefix("sdc_"), parameter.name), {})
    return argued(macro, {parameter.name: number, **more})


COSTLY = 1e5  # an upper end that stands for hours of work
# What another argument must be, for a number to be looked at.
NEEDED = {
    ("multiplicative_noise", "spread"): {"method": "'hoehne'"},
    ("noise", "threshold"): {"method": "'outliers'"},
    ("microaggregate", "gamma"): {"method": "'vmdav'"},
    ("estimate_change", "quantile"): {"statistic": "'quantile'"},
    ("survey_estimate", "quantile"): {"statistic": "'quantile'"},
    **{
        (macro, name): more
        for macro in ("generalise", "generalisations")
        for name, more in {
            "l": {"sensitive": "'household'"},
            "c": {"sensitive": "'household'", "l": "2", "diversity": "'recursive'"},
            "t": {"sensitive": "'household'"},
            "population_k": {"population": "'population'"},
            "threshold": {"weight": "'w'"},
        }.items()
    },
}


# Of which the data say more: no fewer persons than records, a cell that its margins allow.
BY_DATA = {("population_uniqueness", "population_size"), ("swap_posterior", "released")}


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        sdc_sql.load(con).execute(example_tables())
        con.execute("SET VARIABLE sdc_key = $key", {"key": KEY})
        yield con


def refusal(con, sql):
    """Return what SQL says of the arguments, '' where it says nothing of them."""
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as error:
        return str(error)
    return ""


LONG = [pytest.mark.slow, pytest.mark.whole]  # five to twenty seconds


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("room", ["loss", *(pytest.param(room, marks=LONG) for room in ("risk", "linkage", "mask"))])
def test_sql_and_python_refuse_what_lies_just_outside(con, room):
    assert {macro.file.split("/")[0] for macro, _ in DECLARED} == {"risk", "loss", "linkage", "mask"}
    found = []
    for macro, parameter in DECLARED:
        if not macro.file.startswith(room):
            continue
        inside, outside = ends(parameter)
        for value in outside:
            said = refusal(con, sql := sql_of(macro, parameter, value))
            if not re.search(r"(Parameter|Weight|Value)Error: ", said) or parameter.name.split("_")[-1] not in said:
                found.append(f"{sql}: {said.splitlines()[0] if said else 'accepted'}")
            with pytest.raises(ParameterError, match=rf"{parameter.name} is "):
                arguments.check_arguments(macro.name.removeprefix("sdc_"), {parameter.name: value})
        for value in inside:
            if value > COSTLY or (macro.name.removeprefix("sdc_"), parameter.name) in BY_DATA:
                continue
            said = refusal(con, sql := sql_of(macro, parameter, value))
            if re.search(rf"{parameter.name.split('_')[-1]} is {value:g}(\\.0)?:", said):
                found.append(f"{sql}: {said}")
            arguments.check_arguments(macro.name.removeprefix("sdc_"), {parameter.name: value})
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["(1, 0]", "[..., 1]", "(0, x y)", "0, 1", "[a, 1]", "[0, ...]"])
def test_what_is_no_range(text):
    assert ranges.parse_range(text) is None


def test_a_default_lies_in_the_range():
    for macro, parameter in DECLARED:
        default = parameter.default
        if default not in {None, "NULL"}:
            assert float(default) in parameter.range, (macro.name, parameter.name)
