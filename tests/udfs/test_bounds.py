"""Reflection stays inside, leaves what is inside, and has the bias that it is said to have."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdc_sql.udfs.noise.bounds import fit_to_bounds, reflect_at_bounds


def mirror(value, lower, upper):
    """Reflect step by step."""
    while not lower <= value <= upper:
        value = 2 * lower - value if value < lower else 2 * upper - value
    return value


@given(
    values=st.lists(st.floats(-100, 100), min_size=1, max_size=20),
    lower=st.floats(-10, 0),
    width=st.floats(0.5, 20),
    sides=st.sampled_from(["both", "lower", "upper", "none"]),
)
@settings(deadline=None)
def test_reflection_agrees_with_mirroring_step_by_step(values, lower, width, sides):
    low = lower if sides in {"both", "lower"} else -np.inf
    high = lower + width if sides in {"both", "upper"} else np.inf
    masked = np.array(values)[:, np.newaxis]
    found = reflect_at_bounds(masked, np.array([low]), np.array([high]))[:, 0]
    np.testing.assert_allclose(found, [mirror(v, low, high) for v in values], atol=1e-9)
    assert (found >= low).all()
    assert (found <= high).all()
    inside = (masked[:, 0] >= low) & (masked[:, 0] <= high)
    np.testing.assert_array_equal(found[inside], masked[inside, 0])


@pytest.mark.parametrize("distance", [0.0, 1.0, 3.0])
def test_the_bias_of_reflection_is_that_of_a_folded_normal(distance):
    n = 200_000
    masked = distance + np.random.default_rng(1).normal(size=(n, 1))
    found = reflect_at_bounds(masked, np.array([0.0]), np.array([np.inf]))
    density = np.exp(-(distance**2) / 2) / np.sqrt(2 * np.pi)
    tail = {0.0: 0.5, 1.0: 0.158655253931457, 3.0: 0.00134989803163009}[distance]
    bias = 2 * (density - distance * tail)  # E|d + N| - d
    variance = distance**2 + 1 - (distance + bias) ** 2
    assert abs(found.mean() - distance - bias) < 4.5 * np.sqrt(variance / n)
    assert bias == pytest.approx({0.0: 0.7978846, 1.0: 0.1666309, 3.0: 0.000764}[distance], rel=1e-3)


def test_whole_numbers_stay_between_bounds_that_are_not_whole():
    x = np.array([[1.0], [2.0], [2.0]])
    found = fit_to_bounds(x + 0.49, x, 0.6, 2.4, rounded=True)
    assert set(found.ravel()) <= {1.0, 2.0}


def test_columns_may_have_bounds_of_their_own():
    x = np.zeros((2, 2))
    found = fit_to_bounds(np.array([[-1.2, -1.2], [1.7, 1.7]]), x, [0, -np.inf], [1.5, np.inf], rounded=[False, True])
    np.testing.assert_allclose(found, [[1.2, -1.0], [1.3, 2.0]])


@pytest.mark.parametrize(
    ("lower", "upper", "rounded", "message"),
    [
        (1, 1, False, "lower is 1 and upper 1 for column 0; expected lower < upper"),
        (0.5, None, False, r"1 values of column 0 lie outside \[0.5, inf\]"),
        (None, 0.5, False, r"2 values of column 1 lie outside \[-inf, 0.5\]"),
        ([0, 0, 0], None, False, r"lower has shape \(3,\); expected one number, or one for each of 2 columns"),
        (np.nan, None, False, "lower holds NaN"),
    ],
)
def test_wrong_bounds_are_refused(lower, upper, rounded, message):
    x = np.array([[0.0, 1.0], [0.5 if upper == 0.5 else 1.0, 1.0]])
    with pytest.raises(ValueError, match=message):
        fit_to_bounds(x, x, lower, upper, rounded)


def test_a_range_without_a_whole_number_is_refused():
    x = np.array([[0.5]])
    with pytest.raises(ValueError, match="no whole number lies in"):
        fit_to_bounds(x, x, 0.2, 0.8, rounded=True)
