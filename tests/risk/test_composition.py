"""Whole households looked for by the keys of all members: lists in plain Python, populations that are drawn from."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest
from brute_force import posterior_risk, theta
from sdc_sql.udfs.population_cells import expect_ewens_cells, expect_given_sample, population_cells

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, TableError, WeightError


def households(rows, names=("Select", "f")):
    """Return of each household the sorted keys of its members; None sorts last."""
    found = defaultdict(list)
    for row in rows:
        found[row["k"]].append(tuple(row[n] for n in names))
    return {h: tuple(sorted(m, key=lambda v: [(x is None, str(x)) for x in v])) for h, m in found.items()}


def people(seed, n):
    """Return records of households of one to four; the household number is called `k`, as a table is."""
    draw = random.Random(seed)  # noqa: S311 - a table for a test
    rows = []
    for h in range(n):
        for _ in range(draw.randrange(1, 4)):
            rows.append({"id": len(rows), "k": h, "Select": draw.choice([1, 2, None]), "f": draw.choice(["a'", "B"])})
    draw.shuffle(rows)
    return rows


def store(con, name, rows, factor=5.0):
    con.execute(f'CREATE OR REPLACE TABLE "{name}" (id INTEGER, k INTEGER, "Select" INTEGER, f VARCHAR, w DOUBLE)')
    values = [(*row.values(), factor * (1 + row["k"] % 2)) for row in rows]
    con.executemany(f'INSERT INTO "{name}" VALUES (?, ?, ?, ?, ?)', values)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_every_count_by_lists(con, seed):
    rows, population = people(seed, 60), people(seed + 10, 150)
    store(con, "k", rows)
    store(con, "f's", population)
    data = Microdata(con, "k", keys=["select", "F"], household="K", weight="w")
    of, everyone = households(rows), Counter(households(population).values())
    f, size = Counter(of.values()), Counter(row["k"] for row in rows)
    weight = {h: 5.0 * (1 + h % 2) for h in of}
    big = {c: math.fsum(weight[h] for h in of if of[h] == c) for c in f}
    records = {r[0]: r[5:] for r in data.risk.composition_frequencies().fetchall()}
    assert records == {row["id"]: (f[of[row["k"]]], big[of[row["k"]]]) for row in rows}
    summary = data.risk.composition_summary(4)
    below = [h for h in of if f[of[h]] < 4]
    uniques = [h for h in of if f[of[h]] == 1]
    assert summary.to_dict() == {
        "records": len(rows), "households": len(of), "k": 4, "cells": len(f), "unique_households": len(uniques),
        "persons_in_unique_households": sum(size[h] for h in uniques), "households_below_k": len(below),
        "persons_below_k": sum(size[h] for h in below),
    }  # fmt: skip
    mapped = data.risk.composition_k_map("f's", 3)
    few = [h for h in of if everyone[of[h]] < 3]
    assert (mapped.households, mapped.persons) == (len(few), sum(size[h] for h in few))
    assert mapped.absent_households == sum(everyone[c] == 0 for c in of.values())
    assert mapped.population_uniques == sum(everyone[c] == 1 for c in of.values())
    assert mapped.least == min(everyone[c] for c in of.values())
    assert mapped.expected_reidentified_households == pytest.approx(sum(1 / max(everyone[c], 1) for c in of.values()))
    n1, n2, n3 = (sum(v == j for v in f.values()) for j in (1, 2, 3))
    found = data.risk.composition_theta(0.25)
    assert (found.households, found.cells, found.n1, found.n2, found.n3) == (len(of), len(f), n1, n2, n3)
    assert len({n1, n2, n3, len(f)}) == 4
    assert found.theta == pytest.approx(float(theta(n1, n2, n3, 0.25)[0]))
    risk = data.risk.composition_risk()
    n, population_size = len(of), sum(weight.values())
    pi = n / population_size
    cells = population_cells(
        np.array(sorted({*f.values()}), float),
        np.array([c for _, c in sorted(Counter(f.values()).items())], float),
        population_size,
    )[0]
    assert risk.population_cells == pytest.approx(cells)
    assert risk.expected_reidentified_households == pytest.approx(pi * cells)
    assert risk.chao_lin == pytest.approx(pi * (len(f) + n1**2 / (2 * n2 * n / (n - 1) + n1 * pi / (1 - pi))))
    by_weights = sum(f[c] * float(posterior_risk(f[c], f[c] / big[c])) for c in f)
    assert risk.by_weights == (pytest.approx(by_weights, rel=1e-9) if n >= 2 * cells else None)
    assert risk.expected_reidentified_households <= risk.cells == len(f)


@pytest.fixture
def known(con):
    """Return a file and its population, of households of four kinds.

    Of the kinds ab (two persons), bb (two), b (one) and ccd (three) the file has 2, 2, 1 and 2 households, the
    population 3, 1, none and 2 (and of a fifth kind 1).
    """
    kinds = {"ab": (2, 3), "bb": (2, 1), "b": (1, 0), "ccd": (2, 2), "aaaa": (0, 1)}
    for place, name in enumerate(("file", "everyone")):
        con.execute(f"CREATE TABLE {name} (hh INTEGER, sex VARCHAR)")
        homes = [kind for kind, numbers in kinds.items() for _ in range(numbers[place])]
        rows = [(hh, sex) for hh, kind in enumerate(homes) for sex in (kind if hh % 2 else kind[::-1])]
        con.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)
    return con


def test_every_figure_of_the_k_map_of_households_by_hand(known):
    """Exactly k = 3 is enough, so ab is safe; an absent kind counts as 1 / 1, and each person as his household."""
    call = "FROM sdc_composition_k_map('file', 'everyone', ['sex'], 'hh'{})"
    (row,) = known.execute(call.format("")).fetchall()
    # households 2 + 1 + 2, persons 4 + 1 + 6; 2/3 + 2/1 + 1/1 + 2/2 of households, 4/3 + 4 + 1 + 6/2 of persons
    assert row == (3, 5, 11, 3, 1, 0, 2, pytest.approx(14 / 3), pytest.approx(28 / 3))
    (row,) = known.execute(call.format(", k := 2")).fetchall()
    assert row[:4] == (2, 3, 5, 2)
    safe = known.execute("FROM sdc_composition_k_map('everyone', 'everyone', ['sex'], 'hh', k := 2)").fetchall()
    # of the population itself each kind is one match
    assert safe == [(2, 2, 6, 2, 0, 1, 2, 4.0, pytest.approx(2 + 2 + 3 + 4))]


def test_theta_of_households_with_its_error_and_bound(con):
    """Skinner & Elliot (2002), (7) and (9), of 4 households alone, 3 pairs and 2 triples: see test_theta.py."""
    kinds = [f"u{i}" for i in range(4)] + [f"p{i // 2}" for i in range(6)] + [f"t{i // 3}" for i in range(6)]
    con.execute("CREATE TABLE k AS SELECT unnest(range(16)) AS hh, unnest(?::VARCHAR[]) AS a", [kinds])
    con.execute("INSERT INTO k SELECT hh, 'one more' FROM k")
    error = math.sqrt(0.048)  # pi = 1/2: theta = 4 / 10, and 0.16 * 0.3 is the variance
    for given, z in (("", NormalDist().inv_cdf(0.99)), (", confidence := 0.6", NormalDist().inv_cdf(0.6))):
        (row,) = con.execute(f"FROM sdc_composition_theta('k', ['a'], 'hh', 0.5{given})").fetchall()
        assert row[:5] == (16, 9, 4, 3, 2)
        assert row[5:] == pytest.approx((0.4, error, min(1, 0.4 + z * error)))


def test_every_figure_of_the_risk_of_households(con):
    """Twenty households of one person: kinds of 12, 5, 2 and 1, each household for 10."""
    homes = [kind for kind, number in (("a", 12), ("b", 5), ("c", 2), ("d", 1)) for _ in range(number)]
    con.execute("CREATE TABLE k AS SELECT unnest(range(20)) AS hh, unnest(?::VARCHAR[]) AS a, 10 AS w", [homes])
    (row,) = con.execute("FROM sdc_composition_risk('k', ['a'], 'w', 'hh')").fetchall()
    assert row[:4] == (20, 200, 4, 1)
    ((cells, *_),) = [population_cells(np.array([1.0, 2, 5, 12]), np.ones(4), 200.0)]
    assert 4 < cells <= 10
    assert row[4] == pytest.approx(cells)
    by_weights = sum(f * float(posterior_risk(f, 0.1)) for f in (1, 2, 5, 12))
    # Chao & Lin: f_1 = f_2 = 1, n = 20, pi = 1/10
    chao_lin = (4 + 1 / (2 * 20 / 19 + 0.1 / 0.9)) / 10
    assert row[5:] == pytest.approx((by_weights, chao_lin, cells / 10, cells / 200))
    # a census: each kind is re-identified once, and nothing is missing
    (row,) = con.execute("FROM sdc_composition_risk('k', ['a'], 1, 'hh')").fetchall()
    assert row == pytest.approx((20, 20, 4, 1, 4, 4, 4, 4, 4 / 20))
    # no household alone: Chao & Lin see no kind missing
    con.execute("DELETE FROM k WHERE a = 'd'")
    (row,) = con.execute("FROM sdc_composition_risk('k', ['a'], 'w', 'hh')").fetchall()
    assert (row[3], row[6]) == (0, pytest.approx(3 / 10))


def test_the_header_by_hand(con):
    """Households 1 and 2 are alike in whatever order; of the third the mean of its members' weights counts."""
    con.execute("""CREATE TABLE persons AS FROM (VALUES (1, 30, 'f', 10), (1, 41, 'm', 10), (2, 41, 'm', 20),
        (2, 30, 'f', 20), (3, 30, 'f', 14), (3, 30, 'f', 16), (4, 30, 'f', 7)) t(household, age, sex, weight)""")
    (row,) = con.execute("FROM sdc_composition_summary('persons', ['age', 'sex'], 'household', 2)").fetchall()
    assert row == (7, 4, 2, 3, 2, 3, 2, 3)
    (row,) = con.execute("FROM sdc_composition_summary('persons', ['age', 'sex'], 'household')").fetchall()
    assert row == (7, 4, 3, 3, 2, 3, 4, 7)
    call = "FROM sdc_composition_frequencies('persons', ['age', 'sex'], 'household'{}) ORDER BY ALL"
    found = con.execute(call.format(", 'weight'")).fetchall()
    assert [row[4:] for row in found] == [(2, 30)] * 4 + [(1, 15)] * 2 + [(1, 7)]
    assert [row[4:] for row in con.execute(call.format("")).fetchall()] == [(2, None)] * 4 + [(1, None)] * 3


def test_the_models_of_the_cells():
    """The product written out; Ewens is its limit at alpha 0; borders."""
    n, u, size, t, a = 50, 20, 400, 3.0, 0.4
    product = math.prod((i + t + a) / (i + t) for i in range(n, size))
    assert expect_given_sample(n, u, size, t, a) == pytest.approx(u + (u + t / a) * (product - 1))
    one, two, counts = np.array([1.0, 2.0, 40.0]), np.array([2.0, 2.0, 5.0]), 206.0
    found = expect_ewens_cells(counts, 9.0, 5000.0)
    low, high = 1e-9, 1e4  # the likelihood's equation by bisection
    for _ in range(200):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if sum(middle / (middle + i) for i in range(206)) < 9 else (low, middle)
    assert found == pytest.approx(9 + sum(low / (low + i) for i in range(206, 5000)), rel=1e-6)
    assert population_cells(one, two, counts)[0] == 9  # a census
    assert population_cells(np.array([1.0]), np.array([7.0]), 100.0)[0] == 100  # every household unlike
    assert population_cells(np.array([5.0]), np.array([1.0]), 100.0)[0] == 1


def simulated(draw, size, bands):
    """Return a population of households: partners of like age, children, people alone."""
    rows = []
    for h in range(size):
        age, region = min(int(draw.expovariate(0.06)), 60), int(draw.expovariate(0.8)) % 6
        members = [(age, h % 2)] + [(max(age - draw.randrange(6), 0), (h + 1) % 2)] * (draw.random() < 0.55)
        members += [(-20 + draw.randrange(20), draw.randrange(2)) for _ in range(int(draw.expovariate(1.2)))]
        rows += [(h, region, (a + 20) * bands // 81, s) for a, s in members]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("bands", [2, 6, 40])
def test_on_populations_that_are_drawn_from(con, bands):
    """Households sampled whole: Pitman's near or above the truth, the cells above; by_weights only where it is near."""
    draw = random.Random(bands)  # noqa: S311 - a table for a test
    rows = simulated(draw, 4000, bands)
    con.execute("CREATE TABLE everyone (hh INTEGER, region INTEGER, age INTEGER, sex INTEGER)")
    columns = map(list, zip(*rows, strict=True))
    con.register("stored", pa.table(dict(zip(("hh", "region", "age", "sex"), columns, strict=True))))
    con.execute("INSERT INTO everyone FROM stored")
    con.unregister("stored")
    wrong = []
    for pi in (0.05, 0.2):
        ratios, weighed = [], []
        for _ in range(3):
            chosen = draw.sample(range(4000), int(4000 * pi))
            con.execute(
                "CREATE OR REPLACE TABLE k AS SELECT * FROM everyone WHERE list_contains(?::INTEGER[], hh)", [chosen]
            )
            data = Microdata(con, "k", keys=["region", "age", "sex"], household="hh", weight=1 / pi)
            found, truth = (
                data.risk.composition_risk(),
                data.risk.composition_k_map("everyone").expected_reidentified_households,
            )
            ratios.append(found.expected_reidentified_households / truth)
            weighed += [found.by_weights / truth] if found.by_weights is not None else []
            if not found.chao_lin <= found.expected_reidentified_households <= found.cells or found.cells < truth:
                wrong.append((pi, found))
        if not (0.65 if pi < 0.1 else 0.9) <= sum(ratios) / 3 <= 2.1 or any(not 0.75 <= w <= 1.35 for w in weighed):
            wrong.append((pi, ratios, weighed))
        if bands == 40 and weighed:
            wrong.append((pi, "most compositions are unique", weighed))
    assert wrong == []


@pytest.mark.parametrize("keys", [["region", "band", "gender"], ["region", "band", "gender", "citizenship", "ecoStat"]])
def test_on_the_population_of_eu_silc(con, shared, keys):
    path = shared / "data" / "eusilc_population.parquet"
    con.execute(
        f"CREATE TABLE everyone AS SELECT *, least(age::INTEGER // 15, 5) AS band, age >= 18 AS adult FROM '{path}'"
    )
    con.execute("CREATE TABLE k AS FROM everyone WHERE hid % 10 = 3")
    data = Microdata(con, "k", keys=keys, household="hid", weight=10)
    found, truth = (
        data.risk.composition_risk(),
        data.risk.composition_k_map("everyone").expected_reidentified_households,
    )
    assert found.chao_lin < truth < found.expected_reidentified_households * 1.1
    assert found.expected_reidentified_households < 1.9 * truth
    assert truth > 2 * data.risk.household_global_risk().expected_reidentified_households or len(keys) > 3
    assert found.by_weights is None  # as too many are unlike all others
    # coarser keys are common ones: two bands of age, by which the weights do
    coarse = Microdata(con, "k", keys=["adult", "gender"], household="hid", weight=10)
    found, truth = (
        coarse.risk.composition_risk(),
        coarse.risk.composition_k_map("everyone").expected_reidentified_households,
    )
    assert 0.75 < found.by_weights / truth < 1.25


def test_refused(con):
    con.execute("CREATE TABLE k AS FROM (VALUES (1, 1, 2.0), (NULL, 1, 2.0)) t(hh, a, w)")
    con.execute("CREATE TABLE one AS FROM k LIMIT 1")
    con.execute("CREATE TABLE light AS SELECT * REPLACE (0.3 AS w) FROM one")
    one = Microdata(con, "one", keys=["a"], household="hh", weight="w")
    risk = one.risk.composition_risk()
    assert (risk.cells, risk.expected_reidentified_households, risk.reidentification_rate) == (1, 0.5, 0.5)
    for call, error, words in (
        (Microdata(con, "one", keys=["a"]).risk.composition_summary, ParameterError, "household"),
        (
            lambda: con.execute("FROM sdc_composition_summary('k', ['a'], 'hh')").fetchall(),
            Exception,
            "household number is NULL",
        ),
        (
            Microdata(con, "one", keys=["a"], household="hh", nulls="wildcard").risk.composition_summary,
            ParameterError,
            "wildcard",
        ),
        (lambda: one.risk.composition_summary(1), ParameterError, "at least 2|k is 1"),
        (lambda: one.risk.composition_theta(1.5), ParameterError, "between 0 and 1"),
        (lambda: one.risk.composition_k_map(None), TableError, "population"),
        (
            Microdata(con, "light", keys=["a"], household="hh", weight="w").risk.composition_risk,
            WeightError,
            "less than",
        ),
        (
            lambda: con.execute("FROM sdc_composition_summary('one', ['nowhere'], 'hh')").fetchall(),
            Exception,
            "nowhere",
        ),
    ):
        with pytest.raises(error, match=words):
            call()
    with pytest.raises(ColumnError):
        Microdata(con, "k", keys=["a"], household="hh")
