"""The models of population uniqueness: ARX's figures, and each model worked out again by its definition."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from math import comb

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdc_sql.udfs.population_uniqueness import _shlosser, harmonic, pitman, population_uniques, snb, zayatz
from small_tables import PROPERTY, fetch

from sdc_sql import Microdata, ParameterError
from sdc_sql.cli import main

USA = 317_238_626
LONG_TAIL = {1: 60, 2: 14, 3: 6, 4: 3, 5: 2, 9: 1, 20: 1, 55: 1}


def arrays(frequencies: dict[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the sizes of cells, ascending, and how many have them."""
    sizes = sorted(frequencies)
    return np.array(sizes, dtype=float), np.array([frequencies[s] for s in sizes], dtype=float)


def table(con: duckdb.DuckDBPyConnection, name: str, frequencies: dict[int, int]) -> None:
    """Store a table with a column `Select` that has so many cells of each size."""
    con.execute(f'CREATE TABLE {name} ("Select" VARCHAR, f INTEGER)')
    for size, cells in frequencies.items():
        con.execute(f"INSERT INTO {name} SELECT '{size} ' || c, r FROM range({cells}) a(c), range({size}) b(r)")


def by_bayes(frequencies: dict[int, int], population: int) -> Fraction:
    """Return Zayatz's population uniques in fractions: the hypergeometric probabilities as they are."""
    n = sum(size * cells for size, cells in frequencies.items())
    once = {s: Fraction(s * comb(population - s, n - 1), comb(population, n)) for s in frequencies}
    return frequencies[1] ** 2 * once[1] / sum(c * once[s] for s, c in frequencies.items()) * Fraction(population, n)


def by_likelihood(frequencies: dict[int, int], population: int) -> float:
    """Return Pitman's population uniques by the likelihood itself, on finer and finer grids."""
    n, u = sum(s * c for s, c in frequencies.items()), sum(frequencies.values())

    def likelihood(theta: float, alpha: float) -> float:
        return (
            sum(math.log(theta + i * alpha) for i in range(1, u))
            - sum(math.log(theta + i) for i in range(1, n))
            + sum(c * math.log(i - alpha) for s, c in frequencies.items() for i in range(1, s))
        )

    theta, alpha, wide = 10.0, 0.5, 1.0
    for _ in range(45):
        near = [
            (theta * math.exp(a * wide), min(max(alpha + b * wide / 4, 1e-6), 1 - 1e-6))
            for a in (-1, -0.5, 0, 0.5, 1) for b in (-1, -0.5, 0, 0.5, 1)
        ]  # fmt: skip
        theta, alpha = max(near, key=lambda point: likelihood(*point))
        wide *= 0.7
    return math.gamma(theta + 1) / math.gamma(theta + alpha) * population**alpha


def by_ewens(frequencies: dict[int, int], population: int) -> float:
    """Return Ewens' population uniques by his likelihood itself, u log theta - sum_i log(theta + i), on finer grids."""
    n, u = sum(s * c for s, c in frequencies.items()), sum(frequencies.values())
    log_theta, wide = 0.0, 8.0
    for _ in range(60):
        near = [log_theta + step * wide for step in (-1, -0.5, 0, 0.5, 1)]
        log_theta = max(near, key=lambda x: u * x - sum(math.log(math.exp(x) + i) for i in range(n)))
        wide *= 0.7
    return population * math.exp(log_theta) / (population + math.exp(log_theta) - 1)


def expected_cells(k: float, alpha: float, beta: float, pi: float, j: int) -> float:
    """Return E s_j of the slide negative binomial model as a sum over the sizes F of the population's cells."""
    total, share = 0.0, beta**alpha  # Pr(F - 1 = 0)
    for size in range(1, 3_000):
        total += share * comb(size, j) * pi**j * (1 - pi) ** (size - j)
        share *= (alpha + size - 1) / size * (1 - beta)
    return k * total


@pytest.mark.parametrize(("model", "share"), [("pitman", 0.0388962), ("dankar", 0.0388962), ("zayatz", 0.264565)])
def test_the_figures_of_arx(shared, con, model, share):
    """ARX 3.9.2 on adult with the population of the USA: ../shared/reference/README.md, to the digits printed."""
    con.execute(f"CREATE TABLE adult AS FROM '{shared / 'data' / 'adult.parquet'}'")
    keys = [name for name, *_ in con.execute("DESCRIBE adult").fetchall()]
    found = Microdata(con, "adult", keys=keys).risk.population_uniqueness(USA, method=model)
    assert float(f"{found.pr_pu:.6g}") == share
    assert (found.model, found.cells) == ("zayatz" if model == "zayatz" else "pitman", 19_502)
    assert found.sample_uniques / found.records == pytest.approx(0.514290, abs=5e-7)
    assert found.population_uniques == pytest.approx(found.pr_pu * USA)
    assert found.sample_and_population_uniques == pytest.approx(found.pr_pu * found.records)


def test_harmonic_sums_by_adding():
    for x in (1e-6, 0.3, 1.0, 40.0, 1e12):
        assert harmonic(x, [0, 1, 5, 16, 17, 300]) == pytest.approx(
            [math.fsum(1 / (x + i) for i in range(m)) for m in (0, 1, 5, 16, 17, 300)], rel=1e-13
        )


@PROPERTY
@given(
    frequencies=st.dictionaries(st.integers(2, 12), st.integers(1, 6), min_size=1, max_size=4),
    ones=st.integers(1, 9), more=st.integers(1, 2_000),
)  # fmt: skip
def test_zayatz_by_bayes_in_fractions(frequencies, ones, more):
    frequencies = {1: ones, **frequencies}
    population = sum(s * c for s, c in frequencies.items()) + more
    assert zayatz(*arrays(frequencies), population) == pytest.approx(
        float(by_bayes(frequencies, population)), rel=1e-12
    )


def test_zayatz_of_a_cell_larger_than_a_block(monkeypatch):
    monkeypatch.setattr("sdc_sql.udfs.population_uniqueness.BLOCK", 7)
    assert zayatz(*arrays(LONG_TAIL), 5_000) == pytest.approx(float(by_bayes(LONG_TAIL, 5_000)), rel=1e-12)


def test_pitman_where_the_likelihood_is_greatest():
    assert pitman(*arrays(LONG_TAIL), 50_000) == pytest.approx(by_likelihood(LONG_TAIL, 50_000), rel=1e-4)


@pytest.mark.parametrize(("alpha", "beta", "pi"), [(0.1, 0.05, 0.3), (1, 0.2, 0.05), (3, 0.5, 0.7), (0.3, 0.8, 0.3)])
def test_snb_finds_the_model_that_the_cells_came_of(monkeypatch, alpha, beta, pi):
    """E s_1 and E s_2 by their definition, K known: then alpha and beta are what they were, and so is K beta^alpha."""
    monkeypatch.setattr("sdc_sql.udfs.population_uniqueness._shlosser", lambda *_: 1_000)
    sizes, cells = (
        np.array([1.0, 2.0, 3.0]),
        np.array([*(expected_cells(1_000, alpha, beta, pi, j) for j in (1, 2)), 10.0]),
    )
    assert snb(sizes, cells, float(sizes @ cells) / pi) == pytest.approx(1_000 * beta**alpha, rel=1e-9)


def test_shlosser_by_its_formula():
    u, pi = 88, Fraction(1, 5)
    assert sum(LONG_TAIL.values()) == u
    first = sum(i * pi**2 * (1 - pi**2) ** (i - 1) * s for i, s in LONG_TAIL.items())
    second = sum((1 - pi) ** i * ((1 + pi) ** i - 1) * s for i, s in LONG_TAIL.items())
    third = sum((1 - pi) ** i * s for i, s in LONG_TAIL.items())
    fourth = sum(i * pi * (1 - pi) ** (i - 1) * s for i, s in LONG_TAIL.items())
    cells = u + LONG_TAIL[1] * first / second * (third / fourth) ** 2
    assert _shlosser(*arrays(LONG_TAIL), float(pi)) == pytest.approx(float(cells), rel=1e-12)


def test_the_rule_of_dankar():
    """By its words: up to 0.1 Pitman, Zayatz where that has no solution; above the lesser of Zayatz and SNB."""
    equal, sizes = {1: 20, 2: 30, 3: 12}, arrays(LONG_TAIL)
    n = int(sizes[0] @ sizes[1])
    assert population_uniques(*sizes, 10 * n, "dankar")[:2].tolist() == [pitman(*sizes, 10 * n), 1]
    both = [snb(*sizes, 3 * n), zayatz(*sizes, 3 * n)]
    assert both[0] < both[1]
    assert population_uniques(*sizes, 3 * n, "dankar")[:2].tolist() == [both[0], 3]
    no_pairs = arrays({1: 20, 3: 5})
    assert math.isnan(snb(*no_pairs, 50))
    assert population_uniques(*no_pairs, 50, "dankar")[:2].tolist() == [zayatz(*no_pairs, 50), 2]
    assert math.isnan(pitman(*arrays(equal), 5_000))
    assert population_uniques(*arrays(equal), 5_000, "dankar")[:2].tolist() == [zayatz(*arrays(equal), 5_000), 2]


def test_the_example_of_the_header(con):
    """By hand: 3 / (3 + 2 * 2 * 90/99 + 3 * 90 * 89 / (99 * 98)) = 0.3292; times 3 of 10 in a population of 100."""
    table(con, "t", {1: 3, 2: 2, 3: 1})
    (row,) = fetch(con, "FROM sdc_population_uniqueness('t', ['select'], 100, method := 'zayatz')")
    share = 3 / (3 + 4 * 90 / 99 + 3 * 90 * 89 / (99 * 98))
    assert row == pytest.approx({
        "model": "zayatz", "records": 10, "cells": 6, "sample_uniques": 3, "population_size": 100,
        "population_uniques": 30 * share, "pr_pu": 0.3 * share, "sample_and_population_uniques": 3 * share,
        "pr_pu_given_su": share,
        "ewens_uniques": pytest.approx(by_ewens({1: 3, 2: 2, 3: 1}, 100), rel=1e-4),
    })  # fmt: skip
    assert (round(row["population_uniques"], 4), round(share, 4)) == (9.8758, 0.3292)


@pytest.mark.parametrize("model", ["pitman", "zayatz", "snb", "dankar"])
def test_a_census_is_counted_and_without_uniques_there_are_none(con, model):
    table(con, "k", {1: 4, 2: 3})
    table(con, '"it\'s"', {2: 3})
    macro = f"sdc_population_uniqueness(?, ['Select'], ?, method := '{model}')"
    figures = "population_uniques, pr_pu, sample_and_population_uniques, pr_pu_given_su"
    assert con.execute(f"SELECT {figures} FROM {macro}", ["k", 10]).fetchall() == [(4, 0.4, 4, 1)]
    assert con.execute(f"SELECT {figures} FROM {macro}", ["it's", 900]).fetchall() == [(0, 0, 0, 0)]


def test_ewens_stands_where_alpha_is_0_and_the_higher_is_judged(con):
    """Nearly equal cells, half of the population: SNB says less than Ewens; with a long tail alpha is above 0."""
    equal = {1: 9, 2: 12, 3: 7, 4: 3, 5: 4, 6: 4, 7: 1}
    table(con, "t", equal)
    table(con, "long", LONG_TAIL)
    (row,) = fetch(con, "FROM sdc_population_uniqueness('t', ['Select'], 211, method := 'snb')")
    assert row["ewens_uniques"] == pytest.approx(by_ewens(equal, 211), rel=1e-4)
    assert snb(*arrays(equal), 211) < row["ewens_uniques"]
    assert (row["model"], row["population_uniques"]) == ("ewens", row["ewens_uniques"])
    assert row["pr_pu"] == pytest.approx(row["ewens_uniques"] / 211)
    (row,) = fetch(con, "FROM sdc_population_uniqueness('t', ['Select'], 50_000)")
    assert row["model"] == "zayatz"  # the higher one
    assert row["population_uniques"] > row["ewens_uniques"] > 0
    (row,) = fetch(con, "FROM sdc_population_uniqueness('long', ['Select'], 50_000)")
    assert (row["model"], row["ewens_uniques"]) == ("pitman", None)


def test_null_is_a_category(con):
    con.execute("CREATE TABLE t AS SELECT unnest([NULL, 1, 1, 2, 2, 2]) AS x")
    (row,) = fetch(con, "FROM sdc_population_uniqueness('t', ['x'], 60)")
    assert (row["sample_uniques"], row["records"], row["cells"]) == (1, 6, 3)


def test_no_more_uniques_than_the_sample_has(con):
    """Pitman's formula gives 63 population uniques in a sample of 212 of 213, which has 60 uniques."""
    table(con, "t", LONG_TAIL)
    (row,) = fetch(con, "FROM sdc_population_uniqueness('t', ['Select'], 213, method := 'pitman')")
    assert row["population_uniques"] == pytest.approx(pitman(*arrays(LONG_TAIL), 213))
    assert row["population_uniques"] * 212 / 213 > 60
    assert (row["sample_and_population_uniques"], row["pr_pu_given_su"]) == (60, 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("59", "population_size is 59: it must be a whole number of at least 60"),
        ("NULL", "population_size is NULL"),
        ("'many'", "population_size is many"),
        ("0.1", "population_size is 0.1"),
        ("600, method := 'Pitman'", "it must be one of dankar, pitman, zayatz, snb"),
        ("600, method := NULL", "it must be one of dankar, pitman, zayatz, snb"),
        # every record unique; or no cell of two records: there is no greatest likelihood, no equation
        ("600, method := 'pitman'", "Pitman's model has no solution"),
        ("600, method := 'snb'", "slide negative binomial model has no solution"),
    ],
)
def test_what_is_refused(con, call, words):
    table(con, "t", {1: 60})
    with pytest.raises(duckdb.Error, match=words):
        con.execute(f"FROM sdc_population_uniqueness('t', ['Select'], {call})").fetchall()


def test_what_python_refuses(con):
    table(con, "t", {1: 60})
    data = Microdata(con, "t", keys=["Select"])
    for size, model, words in (
        (59, "dankar", "of at least 60"),
        (0, "dankar", "of at least 1"),
        (600.5, "dankar", "a whole number"),
        (600, "snb", "has no solution for the frequencies of this file"),
        (600, ["pitman"], "must be one of dankar"),
    ):
        with pytest.raises(ParameterError, match=words):
            data.risk.population_uniqueness(size, method=model)
    with pytest.raises(ParameterError, match="models of the population do not support"):
        Microdata(con, "t", keys=["Select"], nulls="wildcard").risk.population_uniqueness(600)
    assert data.risk.population_uniqueness(600).model == "zayatz"  # the rule goes on to what has a solution


@pytest.mark.slow
def test_on_the_command_line(tmp_path, capsys):
    """The header's example again; a limit on it; a model without a solution ends the run, and no limit passes."""
    (tmp_path / "f.csv").write_text("code\n" + "\n".join("1112233456"))
    (tmp_path / "unique.csv").write_text("code\n1\n2\n3\n")
    base = ["risk", str(tmp_path / "f.csv"), "--keys", "code", "--population-size", "100"]
    limit = ["--fail-if", "population_uniqueness.pr_pu_given_su > 0.3"]
    assert main([*base, "--population-model", "zayatz", "--json", *limit]) == 3
    found = json.loads(capsys.readouterr().out)["population_uniqueness"]
    assert (found["model"], round(found["pr_pu_given_su"], 4)) == ("zayatz", 0.3292)
    base[1] = str(tmp_path / "unique.csv")
    assert main([*base, "--population-model", "pitman", *limit]) == 2
    assert "Pitman's model has no solution" in capsys.readouterr().err
    assert main([*base[:-2], "--population-model", "pitman"]) == 2
    assert "--population-model needs --population-size" in capsys.readouterr().err
