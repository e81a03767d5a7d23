"""Ranks: ascending values, ties by their draws, nothing missing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.ranks import sort_columns, sort_places


@given(st.lists(st.one_of(st.integers(0, 3).map(float), st.just(np.nan)), max_size=30), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_the_order_is_that_of_value_and_draw(values, seed):
    breakers = np.random.default_rng(seed).random(len(values))
    expected = sorted(
        (v, b, i) for i, (v, b) in enumerate(zip(values, breakers.tolist(), strict=True)) if not np.isnan(v)
    )
    assert sort_places(np.array(values), breakers).tolist() == [i for _, _, i in expected]


@pytest.mark.parametrize("least", [-3, 0, 0.5])
def test_breakers_of_any_size_are_sorted_as_they_are(least):
    """As normal draws are, by which the greatest of equal values are found."""
    generator = np.random.default_rng(1)
    for _ in range(40):
        values, breakers = generator.integers(-5, 5, 200).astype(float), least + generator.standard_normal(200)
        assert sort_places(values, breakers).tolist() == np.lexsort((breakers, values)).tolist()
    assert sort_places(np.array([0.0, 1.0]), np.array([1.0, 0.0])).tolist() == [0, 1]


@pytest.mark.parametrize("apart", [2.0**-53, 2.0**-20, 0.0])  # the draws of two equal values
def test_draws_that_begin_alike_tell_the_order_too(apart):
    """Of five thousand values 51 bits of a draw have room beside the value's number, and 53 do not."""
    generator = np.random.default_rng(int(apart > 0))
    values = np.repeat(generator.permutation(5_000), 2).astype(float)
    breakers = np.tile([0.25 + apart, 0.25], 5_000)
    found = sort_columns(None, values, breakers)
    if apart:
        assert (found - 1).tolist() == np.lexsort((breakers, values)).tolist()
    else:
        assert found is None


@given(st.lists(st.sampled_from([-1.0, -0.0, 0.0, 2.0, 2.0**53, -(2.0**53)]), max_size=12), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_places_are_told_where_values_and_draws_tell_them_apart(values, seed):
    breakers = np.random.default_rng(seed).integers(0, 8, len(values)) / 8
    pairs = list(zip(values, breakers.tolist(), strict=True))
    found = sort_columns(None, np.array(values), breakers)
    if len(set(pairs)) < len(pairs) or max(map(abs, values), default=0) >= 2.0**53:
        assert found is None
    else:
        assert [pairs[i - 1] for i in found] == sorted(pairs)


@pytest.mark.parametrize(
    "kind", ["TINYINT", "BIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL(15, 2)", "DECIMAL(16, 2)", "VARCHAR", "DATE"]
)
def test_the_order_is_duckdb_s_whatever_the_type_of_the_values(con, kind):
    values = "DATE '2000-01-01' + (v % 50)::INTEGER" if kind == "DATE" else f"(v % 50)::{kind}"
    con.execute(f"""
        CREATE TEMP TABLE entries AS SELECT list({{'x': {values}, 'u': (v * 7 % 20) / 20e0, 'id': v}}) AS e FROM (SELECT (range * 37 % 101)::BIGINT AS v FROM range(101))
    """)  # noqa: E501
    found, expected = con.execute("""
        SELECT sdc__ascending(NULL, list_transform(e, lambda v: v.x), list_transform(e, lambda v: v.u), e), list_grade_up(e, 'ASC', 'NULLS LAST') FROM entries
    """).fetchone()  # noqa: E501
    assert found == expected


@pytest.mark.parametrize(
    "entries",
    [
        "[{'x': 9007199254740993, 'u': 0.5e0, 'id': 1}, {'x': 9007199254740992, 'u': 0.6e0, 'id': 2}]",  # one DOUBLE
        "[{'x': 5, 'u': 0.5e0, 'id': 'b'}, {'x': 5, 'u': 0.5e0, 'id': 'a'}]",  # one draw
    ],
)
def test_what_doubles_and_draws_do_not_tell_apart_is_ordered_all_the_same(con, entries):
    ordered = "sdc__ascending(NULL, list_transform(e, lambda v: v.x), list_transform(e, lambda v: v.u), e)"
    assert con.execute(f"SELECT {ordered} FROM (SELECT {entries} AS e)").fetchone() == ([2, 1],)


@pytest.mark.parametrize("steps", [2, 3, 2**20, 2**53])  # so many draws there are: of a thousand records some are equal
@pytest.mark.parametrize("most", [1, 30, 10**6, 10**12, 2**53 - 1])
@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("records", [4, 40, 1_000])
def test_whole_and_broken_numbers_far_and_near_are_sorted_as_by_both(steps, most, unit, records):
    generator = np.random.default_rng(most)
    ends = [-most, most, most - 1, most - 2]  # numbers that a difference to the least would round to one
    values = np.append(generator.integers(-most, most, records - 4), ends) * unit
    breakers = generator.integers(0, steps, records) / steps
    _compare_with_a_sort_by_both(values, breakers)
    _compare_with_a_sort_by_both(values, breakers * steps / max(steps - 1, 1))  # the greatest draw may be 1


def _compare_with_a_sort_by_both(values, breakers):
    expected = np.lexsort((breakers, values))
    assert sort_places(values, breakers).tolist() == expected.tolist()
    found = sort_columns(None, values, breakers)
    different = len(set(zip(values.tolist(), breakers.tolist(), strict=True)))
    assert (found is None) if different < len(values) else (found - 1).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "values", [[np.inf, np.inf, 5.0], [-np.inf, 3.0, -np.inf], [1e308, -1e308, 5.0], [-(2.0**60), 1.0, 2.0]]
)
def test_infinite_and_huge_numbers_are_sorted_too(values):
    breakers = np.array([0.9, 0.3, 0.1])
    assert sort_places(np.array(values), breakers).tolist() == np.lexsort((breakers, values)).tolist()
