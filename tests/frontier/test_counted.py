"""What a recoding would do, from the cells: the figures are those of the measures on the masked table."""

from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.errors import InputError
from sdc_sql.figures.asked import list_measures
from sdc_sql.figures.measured import Beside, measure_rows
from sdc_sql.frontier.counted import CountedCells, NotOfCellsError
from sdc_sql.microdata import call_method

FIXTURES = Path(__file__).parents[2] / "fixtures"
OF_CELLS = ("k_anonymity", "theta", "global_risk", "frequency_summary", "class_sizes")
SLOW = ("suda", "suda_summary", "minimal_sample_uniques", "log_linear_risk")  # they search or fit
COUPLES = {"keys": ["region", "race", "education", "children_under_6"], "id": "couple", "weight": "weight"}
WORKERS = {"keys": ["age", "sex", "region", "education"], "id": "person", "weight": 1 / 0.0007}
STEPS = [
    ("couples", "recode", {"column": "children_under_6", "breaks": [0, 1, 2], "ends": "open_above"}),
    ("couples", "top_bottom_code", {"column": "children_under_6", "unit": "value", "top": 2, "top_label": "2 or more"}),
    ("workers", "round", {"columns": ["age"], "base": 5}),
    ("workers", "recode", {"column": "age", "breaks": [20, 35, 50], "ends": "open"}),
    (
        "workers",
        "top_bottom_code",
        {"column": "age", "unit": "quantile", "top": 0.95, "bottom": 0.1, "replacement": "median"},
    ),
    ("workers", "top_bottom_code", {"column": "age", "unit": "count", "top": 500}),
    ("workers", "recode", {"column": "age", "classes": 4, "method": "equal_count"}),
]
CHILDREN = {"column": "children_under_6", "breaks": [0, 1, 2], "ends": "open_above"}
TOP = {"column": "age", "unit": "quantile", "top": 0.95, "replacement": "median"}
PARTS = [
    ("couples", "recode", CHILDREN, "race = 'black' AND (children_under_6 < 3 OR region = 'south')"),
    ("workers", "top_bottom_code", TOP, "sex = 'female' AND education IS NOT NULL"),  # of their own distribution
    ("workers", "round", {"columns": ["age"], "base": 5}, "age > 60"),
]


@pytest.fixture(scope="module")
def files():
    con = duckdb.connect()
    found = {}
    for name, roles in (("couples", COUPLES), ("workers", WORKERS)):
        con.execute(f"CREATE TABLE {name} AS FROM '{FIXTURES}/cps_{name}.parquet'")
        data = sdc_sql.Microdata(con, name, **roles, sampling_fraction=0.0007)
        found[name] = data, CountedCells(data._roles, name)
    return found


def assert_alike(row, its, name):
    assert row.keys() == its.keys()
    for figure, value in its.items():
        wanted = pytest.approx(value, rel=1e-12, nan_ok=True) if isinstance(value, float) else value
        assert row[figure] == wanted, (name, figure)


def measure_figures(measure):
    return {name: measure(list_measures()[name]) for name in OF_CELLS}


@pytest.mark.parametrize(("file", "verb", "arguments", "where"), [*((*step, None) for step in STEPS), *PARTS])
@pytest.mark.one_in(21)
def test_a_candidate_has_the_figures_of_the_masked_table(files, file, verb, arguments, where):
    data, cells = files[file]
    before = measure_figures(cells.measure)
    with cells.recode(verb, arguments, where=where) as candidate:
        found, lost = measure_figures(candidate.measure), candidate.measure_losses()
    part = data if where is None else data.where(where)
    call_method(part.mask, verb, **arguments, into="masked")
    masked = sdc_sql.Microdata(
        data.con, "masked", **(COUPLES if file == "couples" else WORKERS), sampling_fraction=0.0007
    )
    wanted = measure_figures(lambda asked: measure_rows(asked, masked._roles, Beside()))
    (column,) = arguments.get("columns") or [arguments["column"]]
    loss = {one.variable: one for one in masked.loss.entropy_loss(data, [column])}[column]
    data.con.execute("DROP TABLE masked")
    assert found != before
    for name in OF_CELLS:
        for row, its in zip(found[name], wanted[name], strict=True):
            assert_alike(row, its, name)
    assert [one.variable for one in lost] == [column]
    assert (lost[0].loss, lost[0].mean_loss, lost[0].share) == pytest.approx(
        (loss.loss, loss.mean_loss, loss.share), rel=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "where"),
    [(CHILDREN, "hours > 20"), ({"columns": ["children_under_6", "education"], "base": 2}, "children_under_6 > 1")],
)
def test_a_condition_on_what_is_no_key_is_not_of_cells(files, arguments, where):
    _, cells = files["couples"]
    verb = "round" if "base" in arguments else "recode"
    with pytest.raises(NotOfCellsError, match="condition"), cells.recode(verb, arguments, where=where):
        pass


def test_cells_are_measured_with_null_as_a_wildcard(files):
    data, _ = files["couples"]
    data.con.execute(
        "CREATE TABLE holes AS SELECT * REPLACE (CASE WHEN couple % 7 <> 0 THEN region END AS region) FROM couples"
    )
    holes = sdc_sql.Microdata(data.con, "holes", **COUPLES, nulls="wildcard")
    cells = CountedCells(holes._roles, "holes")
    for name in ("k_anonymity", "global_risk"):
        asked = list_measures()[name]
        for row, its in zip(cells.measure(asked), measure_rows(asked, holes._roles, Beside()), strict=True):
            assert_alike(row, its, name)


@pytest.mark.slow
def test_every_measure_has_its_figures_of_the_records_or_refuses(files):
    data, cells = files["couples"]
    same, refused = [], []
    for name, asked in list_measures().items():
        if asked.measure.compares or asked.measure.required or name in SLOW:
            continue
        try:
            found = cells.measure(asked)
        except InputError:
            refused.append(name)
            continue
        for row, its in zip(found, measure_rows(asked, data._roles, Beside()), strict=True):
            assert_alike(row, its, name)
        same.append(name)
    assert {*OF_CELLS, "cell_risk"} <= {*same}
    assert "individual_risk" in refused


def test_measures_count_records_again_afterwards(files):
    data, cells = files["workers"]
    with cells.recode("round", {"columns": ["age"], "base": 10}) as candidate:
        candidate.measure(list_measures()["theta"])
    assert data.risk.frequency_summary().records == 61_395


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("local_suppression", {"k": 3}),
        ("mondrian", {"k": 3}),
        ("round", {"columns": ["age"], "base": 5, "at_random": True}),
        ("pram_retention", {"column": "sex", "retention": 0.9}),
        ("recode", {"column": "age", "relative_to": "region"}),
        ("top_bottom_code", {"column": "age", "unit": "quantile", "top": 0.9, "stratum": "region"}),
    ],
)
def test_what_hangs_on_more_than_the_value_is_refused(files, verb, arguments):
    _, cells = files["workers"]
    with pytest.raises(InputError), cells.recode(verb, arguments):
        pass


def test_values_that_others_of_a_household_show_are_not_counted():
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE p AS SELECT i AS id, i // 2 AS home, CASE WHEN i % 2 = 0 THEN i END AS town FROM range(9) t(i)"
    )
    data = sdc_sql.Microdata(con, "p", keys=["town"], id="id", household="home", household_columns=["town"])
    with pytest.raises(NotOfCellsError, match="household"):
        CountedCells(data._roles)


def test_odd_names_are_columns_as_any_other():
    con = duckdb.connect()
    con.execute(
        """CREATE TABLE k AS SELECT i AS "Select", i % 5 AS value_number, i % 3 AS "va""lue" FROM range(60) r(i)"""
    )
    data = sdc_sql.Microdata(con, "k", keys=["value_number", 'va"lue'], id="Select")
    cells = CountedCells(data._roles)
    with cells.recode("recode", {"column": "value_number", "breaks": [0, 3], "ends": "open"}) as candidate:
        assert candidate.measure(list_measures()["frequency_summary"])[0]["cells"] == 6
        assert candidate.measure_losses()[0].variable == "value_number"
