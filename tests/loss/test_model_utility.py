"""The log-likelihood ratio of the best log-linear model: by hand, by all models, and for permuted columns."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sdc_sql.udfs.loss.log_linear import choose_best_model, fit_pairs

from sdc_sql import Microdata
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    import duckdb


def make(con: duckdb.DuckDBPyConnection, name: str, **columns: list) -> None:
    named = ", ".join(f'unnest(${i}) AS "{n}"' for i, n in enumerate(columns, 1))
    con.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {named}", [np.asarray(c).tolist() for c in columns.values()])


def test_by_hand(con):
    """p = 1/2 for each of two cells; 6 of 10 released records in them, 4 outside, where p = 0.5 / 10."""
    make(con, "k", a=["x"] * 5 + ["u"] * 5, b=["y"] * 5 + ["v"] * 5)
    make(con, "f", b=["y"] * 3 + ["v"] * 5 + ["y"] * 2, a=["x"] * 5 + ["u"] * 5)
    names = "interactions, parameters, criterion, log_likelihood_before, log_likelihood_after, utility, outside"
    found = con.execute(f"SELECT {names} FROM sdc_model_utility('k', 'f', ['a', 'b'])").fetchone()
    before, after = 10 * math.log(0.5), 6 * math.log(0.5) + 4 * math.log(0.05)
    assert found == (
        [["a", "b"]],
        3,
        *map(pytest.approx, (3 * math.log(10) - 2 * before, before, after, after - before)),
        4,
    )


def test_files_of_other_sizes_are_compared_by_record(con):
    """Independent halves and thirds of twelve: 1/6 a cell; of eight released records two have what none of them had."""
    make(con, "k", a=[*"xu"] * 6, b=[*"yyvvww"] * 2)
    make(con, "f", b=[*"yyvvwwyy"], a=[*"xuxuxuzz"])
    (found,) = con.execute("FROM sdc_model_utility('k', 'f', ['A', 'b'], criterion := 'aic')").fetchall()
    before, after = 12 * math.log(1 / 6), 6 * math.log(1 / 6) + 2 * math.log(0.5 / 12)
    assert found[0] == []
    assert found[1:] == pytest.approx(
        (3, -2 * before + 2 * 3, before, after, after - before, after / 8 - before / 12, 2)
    )


@pytest.mark.parametrize("seed", range(3))
def test_fit_has_the_margins_of_the_table(seed):
    """And, with all two-way interactions or fewer, a closed form where the model is decomposable."""
    table = np.random.default_rng(seed).integers(1, 30, (3, 4, 2)).astype(float)
    fit = fit_pairs(table, [(0, 1), (1, 2)])
    closed = table.sum(axis=2)[:, :, None] * table.sum(axis=0)[None] / table.sum(axis=(0, 2))[None, :, None]
    assert fit == pytest.approx(closed)
    circle = fit_pairs(table, [(0, 1), (1, 2), (0, 2)])
    for axis in range(3):
        assert circle.sum(axis=axis) == pytest.approx(table.sum(axis=axis), rel=1e-7)
    ratios = circle[1:, 1:] * circle[:1, :1] / (circle[1:, :1] * circle[:1, 1:])
    assert ratios[..., 0] == pytest.approx(ratios[..., 1], rel=1e-6)  # no interaction of three


@pytest.mark.parametrize("criterion", ["bic", "aic"])
def test_the_search_finds_the_best_of_all_models(criterion):
    draw = np.random.default_rng(11)
    a = draw.integers(0, 3, 3000)
    b = np.where(draw.random(3000) < 0.6, a, draw.integers(0, 3, 3000))
    c, d = draw.integers(0, 2, 3000), (draw.random(3000) < 0.3 + 0.3 * (b == 1)).astype(int)
    table = np.zeros((3, 3, 2, 2))
    np.add.at(table, (a, b, c, d), 1)
    price = math.log(3000) if criterion == "bic" else 2
    values = {}
    for number in range(7):
        for pairs in combinations(combinations(range(4), 2), number):
            fit = fit_pairs(table, list(pairs))
            parameters = 6 + sum((table.shape[i] - 1) * (table.shape[j] - 1) for i, j in pairs)
            values[pairs] = -2 * (table[table > 0] * np.log(fit[table > 0] / 3000)).sum() + price * parameters
    pairs, _, _, value = choose_best_model(table, criterion)
    assert value == pytest.approx(min(values.values()))
    assert tuple(pairs) == min(values, key=values.__getitem__)


def test_nothing_lost_and_permuted_columns(con):
    draw = np.random.default_rng(2)
    a = draw.integers(0, 4, 2000)
    b, c = np.where(draw.random(2000) < 0.8, a, 0), draw.integers(0, 3, 2000)
    make(con, "k", a=a, b=b, c=c)
    make(con, "p", a=a, b=draw.permutation(b), c=c)
    before = Microdata(con, "k")
    same, permuted = (
        before.loss.model_utility("k", ["a", "b", "c"]),
        Microdata(con, "p").loss.model_utility(before, ["a", "b", "c"]),
    )
    assert (same.utility, same.outside, same.interactions) == (0, 0, [["a", "b"]])
    assert permuted.mean_utility == pytest.approx(permuted.utility / 2000)
    assert permuted.utility < -1000
    with pytest.raises(ParameterError, match="criterion is 'BIC': it must be one of bic, aic"):
        before.loss.model_utility("k", ["a", "b"], criterion="BIC")
    with pytest.raises(ParameterError, match="at least two"):
        before.loss.model_utility("k", ["a"])


def test_the_search_over_five_variables(con):
    """A chain of five variables: its four interactions, among 1,024 models."""
    draw = np.random.default_rng(4)
    chain = [draw.integers(0, 2, 4000)]
    for _ in range(4):
        chain.append(np.where(draw.random(4000) < 0.8, chain[-1], 1 - chain[-1]))
    make(con, "k", **dict(zip("abcde", chain, strict=True)))
    found = Microdata(con, "k").loss.model_utility("k", list("abcde"))
    assert found.interactions == [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]]
