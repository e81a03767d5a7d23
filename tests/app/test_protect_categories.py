"""Categories that are merged by typing: the step does what was typed, and the release file alone holds it."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import replace

import duckdb
import pytest

from sdc_sql.app.preview_cells import Cells, preview_exactly
from sdc_sql.app.protect_categories import MAPPING, Categories, change_mapping, read_mapping
from sdc_sql.app.protect_forms import METHOD, TARGET, fill_form, make_step
from sdc_sql.app.protect_kept import check_step, read_before
from sdc_sql.app.state import State
from sdc_sql.app.worked import Worked
from sdc_sql.errors import ParameterError
from sdc_sql.release.reading.plan import ORIGINAL, RELEASED
from sdc_sql.release.reporting.internal.values import count_categories
from sdc_sql.session.toml import format_toml_value

HURT = """<img src=x onerror="w=1">'"""
ODD = ["a", "A", " b", "", HURT, "{ x = 1 }", "line\nend", "1", "1.0", None]
WORKED = Worked()


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    path = tmp_path_factory.mktemp("given") / "k.parquet"
    with duckdb.connect() as con:
        con.execute('CREATE TABLE k (id INTEGER, f VARCHAR, "Select" TINYINT, d DOUBLE)')
        con.executemany(
            "INSERT INTO k VALUES (?, ?, ?, ?)",
            [(i, ODD[i % len(ODD)], None if i % 7 == 0 else i % 4, i % 60 / 4) for i in range(120)],
        )
        con.execute(f"COPY k TO '{path}'")
    scenario = {"name": "one", "keys": ["f", "Select"]}
    with State(path) as state:
        state.change("all", lambda release: release.update(roles={"id": "id"}, scenarios=[scenario]))
        yield state


@pytest.fixture
def cursor(state):
    found = state.cursor()
    yield found
    found.close()


def count(state, cursor, column, most=50):
    with WORKED.open(cursor, read_before(state)) as sides:
        return count_categories(sides.describe(RELEASED), column, most)


def recode(state, cursor, column, typed, *, numbers):
    """Return the values of a column beside those that a step makes of what is typed, and the step as it is run."""
    found = Categories(column, count(state, cursor, column), numbers)
    mapping = {}
    for value, becomes in typed.items():
        mapping = change_mapping(mapping, found, value, becomes)
    form = {METHOD: "sdc_recode", TARGET: [column], MAPPING: format_toml_value(mapping)}
    step = make_step(form)
    assert step == {"mask": "recode", "column": column, MAPPING: mapping}
    assert make_step(fill_form(step)) == step
    assert read_mapping(fill_form(step)) == mapping
    (plan, asked), problems = check_step(state, step)
    assert problems == []
    state.change("step", lambda release: release.update(steps=[step]))
    assert tomllib.loads(state.file.read_text())["steps"][0][MAPPING] == mapping  # without a file beside
    state.undo()
    with WORKED.open(cursor, replace(plan, steps=(*plan.steps, asked))) as sides:
        values = [dict(sides.con.table(table).select("id", f'"{column}"').fetchall()) for table in (ORIGINAL, RELEASED)]
    return *values, (plan, asked)


def test_categories_are_counted_by_the_text_that_finds_them(state, cursor):
    found = count(state, cursor, "f")
    assert found == dict.fromkeys(ODD, 12)
    assert count(state, cursor, "Select") == {"0": 25, "1": 26, "2": 26, "3": 25, None: 18}
    assert count(state, cursor, "d") is None  # of more than 50
    assert len(count(state, cursor, "d", 60)) == 60


def test_what_is_typed_is_what_the_step_does_whatever_the_names_are(state, cursor):
    typed = {"a": "letter", "A": "letter", HURT: f"{HURT} too", "1": "one", "": "empty"}
    before, after, asked = recode(state, cursor, "f", typed, numbers=False)
    assert {i: typed.get(value, value) for i, value in before.items()} == after
    preview = preview_exactly(WORKED, cursor, Cells(state), asked)
    assert preview.kind == "exact"
    rare = next(one for one in preview.risk if one.words.lower().startswith("records that violate 3-anonymity"))
    assert (rare.before, rare.after) == (count_rare(before), count_rare(after))


def count_rare(values):
    """Return how many records fewer than 3 share both keys with, counted by itself."""
    cells = Counter((value, None if i % 7 == 0 else i % 4) for i, value in values.items())
    return sum(n for n in cells.values() if n < 3)


def test_numbers_stay_numbers_where_all_are(state, cursor):
    before, after, _ = recode(state, cursor, "Select", {"3": "2"}, numbers=True)
    assert {i: 2 if value == 3 else value for i, value in before.items()} == after
    found = Categories("f", {"0": 1, "1": 1, None: 1}, numbers=True)
    assert change_mapping({}, found, "1", "1 or more") == {"0": "0", "1": "1 or more"}
    assert change_mapping({"0": 0, "1": 1}, found, "0", "0.5") == {"0": 0.5, "1": 1.0}


def test_what_is_emptied_is_itself_again_and_what_is_gone_is_an_error():
    found = Categories("f", {"n": 1, "s": 2}, numbers=False)
    once = change_mapping({}, found, "n", "coast")
    assert change_mapping(once, found, "n", "  ") == {"n": "n", "s": "s"}
    for gone in ("x", None):
        with pytest.raises(ParameterError, match="no such category"):
            change_mapping(once, found, gone, "coast")


def test_a_mapping_that_cannot_be_read_is_of_no_fields():
    assert read_mapping({MAPPING: "{ x"}) is None
    assert read_mapping({MAPPING: "regions.csv"}) is None
    assert read_mapping({MAPPING: "  "}) == {}
