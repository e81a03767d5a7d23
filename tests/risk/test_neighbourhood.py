"""The neighbourhood of continuous keys: the header's example, its definition on random tables, odd input, the doors."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sdc_sql.udfs.neighbourhood import boxes
from sdc_sql.udfs.neighbourhood.functions import neighbourhood

from sdc_sql import Microdata
from sdc_sql.cli import main
from sdc_sql.errors import InputError

SCALES = {"relative": 0.3, "standardised": 0.4, "range": 0.1, "none": 3.0}


def defined(x, cells, width, scaling):
    """Whether each record lies in the neighbourhood of each: a matrix. x: (variables, records)."""
    near = cells[:, None] == cells
    for values, most in zip(x, width, strict=True):
        gone = np.isnan(values)
        scale = {
            "relative": np.abs(values), "standardised": np.nanstd(values, ddof=1),
            "range": np.nanmax(values) - np.nanmin(values), "none": 1.0,
        }[scaling]  # fmt: skip
        far = np.broadcast_to(most * scale, values.shape)[:, None]
        about = np.abs(values[:, None] - values) <= far * (1 + 1e-9)
        near &= np.where(gone[:, None] | gone, gone[:, None] & gone, about)
    return near


def test_the_header_s_example(con):
    con.execute("CREATE TABLE firms AS FROM (VALUES (1, 100), (2, 108), (3, 150), (4, 500)) AS t(id, x)")
    found = con.execute("FROM sdc_neighbourhood_records('firms', ['x'], 'id', width := 0.1) ORDER BY id").fetchall()
    assert found == [(1, 2, None), (2, 2, None), (3, 1, None), (4, 1, None)]
    (row,) = con.execute("FROM sdc_neighbourhood('firms', ['x'], k := 2)").fetchall()
    assert row == (4, 2, 2, 2, 0.5, None, 3.0, 0.75)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("scaling", SCALES)
@pytest.mark.parametrize("variables", [1, 2, 3, 4])
def test_it_is_what_is_defined(con, variables, scaling, monkeypatch):
    monkeypatch.setattr(boxes, "BLOCK", 16)
    monkeypatch.setattr(boxes, "FEW", 4)
    monkeypatch.setattr(boxes, "PAIRS", 100)
    draw = np.random.default_rng(variables)
    x = np.round(draw.normal(size=(variables, 300)) * 10)
    x[0, :9] = np.nan
    cells, weights = draw.integers(0, 3, 300), np.round(draw.uniform(1, 9, 300), 3)
    names = ["x", "y'", "f", "Select"][:variables]
    quoted = ", ".join(f'"{name}" DOUBLE' for name in names)
    con.execute(f'CREATE TABLE k (id INTEGER, "Group" VARCHAR, w DOUBLE, {quoted})')
    rows = zip(range(300), [None if c == 2 else f"c{c}" for c in cells], weights.tolist(), *x.tolist(), strict=True)
    rows = [tuple(None if v != v else v for v in row) for row in rows]  # noqa: PLR0124 - NaN
    con.executemany(f"INSERT INTO k VALUES ({', '.join('?' * (3 + variables))})", rows)
    width = [SCALES[scaling]] * variables
    near = defined(x, cells, width, scaling)
    data = Microdata(con, "k", keys=["Group"], weight="w", id="id")
    backwards = data.risk.neighbourhood_records(names[::-1], width=width[::-1], scaling=scaling).order("id").fetchall()
    assert [n for _, n, _ in backwards] == near.sum(axis=1).tolist()
    assert [w for *_, w in backwards] == pytest.approx((near @ weights).tolist(), rel=1e-12)
    found = data.risk.neighbourhood(names, width=SCALES[scaling], scaling=scaling, k=5)
    few = near.sum(axis=1) < 5
    assert (found.records, found.alone, found.below_k) == (300, np.sum(near.sum(axis=1) == 1), np.sum(few))
    assert found.population_below_k == np.sum(near @ weights < 5)
    assert found.expected_correct_matches == pytest.approx(np.sum(1 / near.sum(axis=1)), rel=1e-12)


@pytest.mark.parametrize("scaling", SCALES)
@pytest.mark.parametrize("variables", [1, 2, 3])
def test_each_record_s_box_against_its_definition(variables, scaling, monkeypatch):
    """Ties, missing values and negative ones, values just a width away, cells, and weights with decimals."""
    for name, size in (("BLOCK", 16), ("FEW", 4), ("PAIRS", 100)):
        monkeypatch.setattr(boxes, name, size)
    draw = np.random.default_rng(7 * variables)
    x = np.round(draw.normal(size=(variables, 120)) * 10)
    x[draw.random(x.shape) < 0.1] = np.nan
    cells, weights = draw.integers(0, 3, 120).astype(float), np.round(draw.uniform(1, 9, 120), 3)
    width = np.array([SCALES[scaling] * (1 + j) for j in range(variables)])
    near = defined(x, cells, width, scaling)
    counts, sums = neighbourhood(x, cells, weights, width, scaling)
    assert counts.tolist() == near.sum(axis=1).tolist()
    assert sums.tolist() == pytest.approx((near @ weights).tolist(), rel=1e-12)
    alone, none = neighbourhood(x, cells, None, width, scaling)
    assert (alone.tolist(), none.tolist()) == (counts.tolist(), [])


def test_with_no_width_it_is_the_sample_frequency(persons):
    data = Microdata(persons, "persons", keys=["sex", "age"], id="id")
    found = dict(data.risk.neighbourhood_records(["age"], width=0).project("id, neighbours").fetchall())
    assert found == dict(data.risk.frequencies().project("id, sample_frequency").fetchall())
    whole = data.risk.neighbourhood(["age"], ["sex"], width=0, k=3)
    assert (whole.below_k, whole.alone) == (
        data.risk.k_anonymity(3)[1].records,
        data.risk.frequency_summary().sample_uniques,
    )


@pytest.mark.slow
def test_distances_are_compared_to_nine_digits_and_hold_at_any_size(con):
    con.execute("CREATE TABLE t AS FROM (VALUES (0.1), (0.2), (0.3), (1e15), (1e15 + 1), (-0.2)) AS t(x)")
    data = Microdata(con, "t")
    assert data.risk.neighbourhood(["x"], width=0.1, scaling="none", k=2).alone == 3
    assert data.risk.neighbourhood(["x"], width=1, scaling="none", k=2).alone == 0
    con.execute("CREATE TABLE one AS SELECT 5 AS x, NULL::DOUBLE AS y")
    for columns in (["x"], ["x", "y"], ["y"]):
        for scaling in SCALES:
            assert Microdata(con, "one").risk.neighbourhood(columns, scaling=scaling).alone == 1


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"scaling": "sd"}, "scaling is 'sd': it must be one of relative, standardised"),
        ({"width": -1}, "width must be numbers of at least 0"),
        ({"width": [0.1, 0.2, 0.3]}, "must be one value, or one for each of the columns"),
        ({"k": 1}, "at least 2"),
        ({"continuous": ["sex"]}, "give a numeric column"),
        ({"continuous": ["income"]}, "is not a column"),
        ({"continuous": []}, "it must be a list of column names"),
        ({"keys": ["gender"]}, "is not a column"),
    ],
)
def test_what_is_refused(persons, asked, told):
    with pytest.raises(InputError, match=told):
        Microdata(persons, "persons").risk.neighbourhood(**{"continuous": ["weight"], **asked})


def test_a_value_that_is_no_number_is_refused(con):
    con.execute("CREATE TABLE t AS FROM (VALUES (1.0), ('nan'::DOUBLE)) AS t(x)")
    with pytest.raises(InputError, match="NaN"):
        Microdata(con, "t").risk.neighbourhood(["x"])


@pytest.mark.slow
def test_the_command_line_offers_it_and_limits_it(tmp_path, con, capsys):
    file = tmp_path / "firms.parquet"
    con.execute(
        f"COPY (FROM (VALUES (1, 'a', 100), (2, 'a', 108), (3, 'a', 150)) AS t(id, g, x)) TO '{file}' (FORMAT parquet)"
    )
    asked = ["risk", str(file), "--keys", "g", "--continuous", "x", "--width", "0.1", "--k", "2", "--json"]
    assert main([*asked, "--fail-if", "neighbourhood.below_k > 1"]) == 0
    assert json.loads(capsys.readouterr().out)["neighbourhood"]["alone"] == 1
    assert main([*asked, "--fail-if", "neighbourhood.below_k > 0"]) == 3
    assert main([*asked[:4], "--width", "0.1"]) == 2
    assert "--width goes with --continuous" in capsys.readouterr().err


def test_every_figure_with_weights_by_hand(con):
    """100 and 108 are near one another; their weights sum to 3, those of the others are 5 and 1."""
    con.execute("CREATE TABLE firms AS FROM (VALUES (1, 100, 2), (2, 108, 1), (3, 150, 5), (4, 500, 1)) t(id, x, w)")
    found = con.execute("FROM sdc_neighbourhood_records('firms', ['x'], 'id', weight := 'w') ORDER BY id").fetchall()
    assert found == [(1, 2, 3), (2, 2, 3), (3, 1, 5), (4, 1, 1)]
    # fewer than three are near to each; that are fewer than three of the population one alone
    assert con.execute("FROM sdc_neighbourhood('firms', ['x'], weight := 'w')").fetchall() == [
        (4, 2, 3, 4, 1, 1, 3, 0.75)
    ]
    found = con.execute("FROM sdc_neighbourhood('firms', ['x'], width := 0.5, weight := 'w', k := 2)").fetchall()
    # 50 to 150, 54 to 162, 75 to 225: three each
    assert found == [(4, 1, 2, 1, 0.25, 1, 2, 0.5)]
    # in a region of its own 108 is near to nobody, and NULL is a region
    con.execute("ALTER TABLE firms ADD COLUMN region VARCHAR; UPDATE firms SET region = 'a' WHERE id = 2")
    assert con.execute("FROM sdc_neighbourhood('firms', ['x'], ['region'], width := 0.5, k := 3)").fetchall() == [
        (4, 2, 3, 4, 1, None, 3, 0.75)
    ]
    found = con.execute("FROM sdc_neighbourhood_records('firms', ['x'], 'id', ['region'], 50, 'none') ORDER BY id")
    assert found.fetchall() == [(1, 2, None), (2, 1, None), (3, 2, None), (4, 1, None)]
