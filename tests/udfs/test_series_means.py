"""What the means of a series give of the values in them: by hand, and by dense least squares."""

from __future__ import annotations

import numpy as np
import pytest
from sdc_sql.udfs.series_means import solve_means


def test_who_is_alone_has_the_average_of_what_was_said():
    """0 was released as 1 and 4, 2 as 7; of 1 nothing was."""
    found = solve_means(np.array([0.0, 2, 0]), np.array([0.0, 1, 2]), np.array([1.0, 7, 4]))
    assert found.tolist() == pytest.approx([2.5, np.nan, 7], nan_ok=True)
    assert solve_means(np.array([]), np.array([]), np.array([])).tolist() == []


def test_equations_that_determine_the_values_give_them():
    """Of 5, 9 and 40 each two are averaged, in three releases, far from 0; of the fourth value nothing was released."""
    values, pairs = [1e6 + v for v in (5.0, 9, 0, 40)], [(0, 1), (1, 3), (0, 3)]
    states = [of for pair in pairs for of in pair]
    amounts = [sum(values[of] for of in pair) / 2 for pair in pairs for _ in pair]
    found = solve_means(np.array(states, dtype=float), np.repeat([0.0, 1, 2], 2), np.array(amounts))
    assert found.tolist() == pytest.approx([values[0], values[1], np.nan, values[3]], nan_ok=True, abs=1e-7)


def test_of_all_solutions_it_is_the_nearest_to_the_averages():
    """A group of three, two of whom are known besides, said twice and once: against a dense solution."""
    states = np.array([0.0, 1, 2, 0, 0, 1, 3, 4, 3])
    groups = np.array([0.0, 0, 0, 1, 2, 3, 4, 4, 5])
    amounts = np.array([10.0, 10, 10, 4, 6, 13, 20, 20, 17])
    said = np.bincount(states.astype(int))
    average = np.bincount(states.astype(int), amounts) / said
    sizes = np.bincount(groups.astype(int))
    design = np.zeros((6, 5))
    for s, g in zip(states.astype(int), groups.astype(int), strict=True):
        design[g, s] = 1 / np.sqrt(sizes[g])
    means = np.array([amounts[groups == g].mean() for g in range(6)]) * np.sqrt(sizes)
    often = said**-0.5  # a value that was said often counts for more, as the averages have it
    expected = average + often * np.linalg.lstsq(design * often, means - design @ average, rcond=None)[0]
    assert solve_means(states, groups, amounts).tolist() == pytest.approx(expected.tolist(), abs=1e-9)
