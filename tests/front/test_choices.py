"""The words that a header declares for a choice are those that SQL, its kernels and Python take, and no other."""

from __future__ import annotations

import re

import duckdb
import pytest
from argued import argued

import sdc_sql
from sdc_sql.db import checks
from sdc_sql.db.catalogue import arguments
from sdc_sql.db.catalogue.headers import parse_choices
from sdc_sql.db.catalogue.macros import example_tables, file_texts, read_catalogue
from sdc_sql.errors import ParameterError
from sdc_sql.roles import NULLS

KEY = "Zk3vQ9xLw81-TgHs7_pRmYc2NbUe6aFd0JiOKXtV"
DECLARED = [(d, p) for d in read_catalogue() for p in d.parameters if p.choices]
# What a text must agree with, or is looked at with alone.
NEEDED = {
    **{(d.name, "diversity"): {"sensitive": "'household'", "l": "2"} for d in read_catalogue()},
    **{(d.name, "distance"): {"sensitive": "'household'", "t": "0.9"} for d in read_catalogue() if "general" in d.name},
}


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        sdc_sql.load(con).execute(example_tables())
        con.execute("SET VARIABLE sdc_key = $key", {"key": KEY})
        yield con


def refusal(con, macro, parameter, word):
    """Return what SQL says of a word, '' where it says nothing."""
    call = argued(macro, {parameter.name: f"'{word}'", **NEEDED.get((macro.name, parameter.name), {})})
    try:
        con.execute(call).fetchall()
    except duckdb.Error as error:
        return f"{call}: {error}"
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("room", ["core", "risk", "linkage", "loss", "mask"])
def test_sql_takes_the_words_of_the_header_alone(con, room):
    found = []
    for macro, parameter in DECLARED:
        if not macro.file.startswith(room):
            continue
        said = refusal(con, macro, parameter, "elsewhere")
        if f"{parameter.name} is " not in said and "it must be" not in said:
            found.append(said or f"{macro.name} takes {parameter.name} := 'elsewhere'")
        with pytest.raises(ParameterError, match=f"{parameter.name} is 'elsewhere'"):
            arguments.check_arguments(macro.name.removeprefix("sdc_"), {parameter.name: "elsewhere"})
        refused = (refusal(con, macro, parameter, word) for word in parameter.choices)
        found += [said for said in refused if f"{parameter.name} is " in said and "it must be" in said]
    assert not found, "\n".join(found)


def test_the_lists_of_words_in_sql_are_those_of_the_headers():
    """What only a kernel would read, a macro looks at first."""
    listed = re.compile(r"sdc__checked_choice\((\w+), '\w+', \[([^\]]*)\]\)")
    of_file = {(d.file, p.name): p.choices for d, p in DECLARED}
    found = [
        (file, name, parse_choices(words))
        for file, text in file_texts().items()
        for name, words in listed.findall(text)
    ]
    assert len(found) > 10
    for file, name, words in found:
        assert {*words} == {*of_file[file, name]}, (file, name)


def test_the_words_of_the_roles():
    """A role holds for all measures: its words are those that most headers have."""
    assert {p.choices for _, p in DECLARED if p.name == "small_weights"} == {checks.SMALL_WEIGHTS}
    assert NULLS in {p.choices for _, p in DECLARED if p.name == "nulls"}
