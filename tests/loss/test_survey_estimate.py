"""Estimates by a survey's design: the figures of R's survey, closed forms, brute force, and the edges of the header."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import NormalDist

import numpy as np
import pytest

import sdc_sql
from sdc_sql.errors import ColumnError, InputError, ParameterError, TableError, WeightError

# 40 records in 20 clusters of two, the clusters in three strata.
SURVEY = """CREATE TABLE survey AS
    SELECT i, (i - 1) // 2 AS c, ((i - 1) // 2 * 7) % 3 AS h, 1 + (i * 5) % 7 AS w, ((i * 37) % 41) / 3 AS y,
           (i * 11) % 13 AS x, ['a', 'b', 'c'][1 + (i * i) % 3] AS g,
           CASE WHEN (i * 3) % 5 < 2 THEN 'n' ELSE 's' END AS r
    FROM range(1, 41) t(i)"""
DESIGN = {"strata": "h", "cluster": "c"}
# By svytotal, svyby, svymean, svyquantile (interval.type "mean", df = Inf) and svyglm of R 4.2.2 with survey 4.1-1: of
# svydesign(ids = ~c, strata = ~h, weights = ~w, nest = TRUE), and of svydesign(ids = ~1, weights = ~w).
BY_R = [
    ("total", "y", {}, 1133.0, 182.4264032222107, 149.1854330934943),
    ("mean", "y", {"domains": ["r"], "row": ("n", None)}, 7.0564102564102571, 1.1314584360279285, 1.0750153834110643),
    ("mean", "y", {"domains": ["r"], "row": ("s", None)}, 6.8114478114478114, 0.9929876853812244, 0.8932982838536681),
    ("share", "g", {"domains": ["r"], "row": ("n", "a")}, 0.2769230769230769, 0.1197042677843188, 0.1236530520790599),
    ("share", "g", {"domains": ["r"], "row": ("s", "b")}, 0.6262626262626263, 0.0957266131071888, 0.1119832516630702),
    ("count", "g", {"row": (None, "a")}, 55.0, 7.32575365861197, 14.44263631023587),
    ("count", "g", {"row": (None, "b")}, 109.0, 10.67083251984899, 16.13961522116248),
    ("quantile", "y", {}, 7.0, 1.870782675390398, 1.190498066157526),
    ("regression", "y", {"predictors": ["x"], "row": (None, "(intercept)")},
     6.956127979792664, 1.397953140348995, 1.267772643809597),
    ("regression", "y", {"predictors": ["x"], "row": (None, "x")},
     -0.008502166324615371, 0.190775640583638467, 0.193622110999540797),
    ("regression", "y", {"predictors": ["x"], "domains": ["r"], "row": ("n", "x")},
     -0.4775579371622240, 0.2227002745216159, 0.2091600676308818),
]  # fmt: skip


def estimated(data, statistic, variable, *, row=(None, None), **given):
    """Return the estimate and the standard error of a row."""
    found = {(e.domain, e.term): e for e in data.loss.survey_estimate(statistic, variable, **given)}
    return found[row].estimate, found[row].standard_error


@pytest.mark.slow
@pytest.mark.whole
def test_estimates_are_those_of_r_survey(con):
    con.execute(SURVEY)
    data, wrong = sdc_sql.Microdata(con, "survey", weight="w"), []
    for statistic, variable, given, estimate, by_design, by_records in BY_R:
        for design, error in ((DESIGN, by_design), ({}, by_records)):
            found = estimated(data, statistic, variable, **given, **design)
            if found != pytest.approx((estimate, error), rel=1e-9):
                wrong.append((statistic, given, design, found))
    assert wrong == []
    con.execute(
        "UPDATE survey SET h = 9 WHERE c = 3"
    )  # a stratum of one cluster: options(survey.lonely.psu = "adjust")
    assert estimated(data, "total", "y", **DESIGN)[1] == pytest.approx(179.5449391800983, rel=1e-12)
    assert estimated(data, "mean", "y", **DESIGN) == pytest.approx((6.9085365853658534, 0.9691349741746796), rel=1e-12)


def test_the_interval_of_a_quantile_is_that_of_r_survey(con):
    con.execute(SURVEY)
    data = sdc_sql.Microdata(con, "survey", weight="w")
    (by_design,), (by_records,) = (
        data.loss.survey_estimate("quantile", "y", **DESIGN),
        data.loss.survey_estimate("quantile", "y"),
    )
    assert (by_design.lower, by_design.upper) == pytest.approx((10 / 3, 32 / 3))  # 3.333333, 10.66667
    assert (by_records.lower, by_records.upper) == pytest.approx((5, 29 / 3))  # 5, 9.666667


def test_a_simple_sample_has_the_errors_of_textbooks(con):
    con.execute("CREATE TABLE t AS SELECT (i * i) % 17 AS y, ['a', 'b'][1 + (i % 3 = 0)::INT] AS g FROM range(50) t(i)")
    data = sdc_sql.Microdata(con, "t")
    y = np.array([(i * i) % 17 for i in range(50)])
    assert estimated(data, "mean", "y") == pytest.approx((y.mean(), y.std(ddof=1) / math.sqrt(50)))
    assert estimated(data, "total", "y") == pytest.approx((y.sum(), y.std(ddof=1) * math.sqrt(50)))
    p = 17 / 50
    assert estimated(data, "share", "g", row=(None, "b")) == pytest.approx((p, math.sqrt(p * (1 - p) / 49)))
    assert estimated(data, "share", "g", row=(None, "a")) == pytest.approx((1 - p, math.sqrt(p * (1 - p) / 49)))


def by_hand(rows, value):
    """Return the sum of w value(row) and its standard error: clusters drawn with replacement within strata."""
    sums = defaultdict(lambda: defaultdict(float))
    for row in rows:
        sums[row["h"]][row["c"]] += row["w"] * value(row)
    variance = 0.0
    for clusters in sums.values():
        z, n = list(clusters.values()), len(clusters)
        variance += n / (n - 1) * sum((v - sum(z) / n) ** 2 for v in z) if n > 1 else z[0] ** 2
    return sum(sum(c.values()) for c in sums.values()), math.sqrt(variance)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_files_by_hand(con, seed):
    random = np.random.default_rng(seed)
    rows = [
        {"h": int(random.integers(3)), "c": int(random.integers(6)), "w": float(random.integers(1, 9)) / 2,
         "y": None if random.random() < 0.2 else float(random.integers(10)), "d": str(random.integers(2)),
         "g": None if random.random() < 0.2 else "abc"[random.integers(3)]}
        for _ in range(40)
    ]  # fmt: skip
    con.execute("CREATE TABLE t (h INT, c INT, w DOUBLE, y DOUBLE, d VARCHAR, g VARCHAR)")
    con.executemany("INSERT INTO t VALUES ($h, $c, $w, $y, $d, $g)", rows)
    data, given = sdc_sql.Microdata(con, "t", weight="w"), {"domains": ["d"], **DESIGN}
    for d in "01":
        inside = [row for row in rows if row["d"] == d and row["y"] is not None]
        total = by_hand(rows, lambda r, d=d: (r["y"] or 0) * (r["d"] == d))
        assert estimated(data, "total", "y", row=(d, None), **given) == pytest.approx(total)
        whole = sum(row["w"] for row in inside)
        mean = sum(row["w"] * row["y"] for row in inside) / whole
        error = by_hand(
            rows, lambda r, d=d, m=mean, w=whole: (r["y"] - m) / w if r["d"] == d and r["y"] is not None else 0
        )
        assert estimated(data, "mean", "y", row=(d, None), **given) == pytest.approx((mean, error[1]))
        known = [row for row in rows if row["d"] == d and row["g"] is not None]
        whole = sum(row["w"] for row in known)
        for g in {row["g"] for row in known}:
            share = sum(row["w"] for row in known if row["g"] == g) / whole
            error = by_hand(
                rows,
                lambda r, d=d, g=g, p=share, w=whole: (
                    ((r["g"] == g) - p) / w if r["d"] == d and r["g"] is not None else 0
                ),
            )
            assert estimated(data, "share", "g", row=(d, g), **given) == pytest.approx((share, error[1]), abs=1e-12)
            count = by_hand(rows, lambda r, d=d, g=g: r["d"] == d and r["g"] == g)
            assert estimated(data, "count", "g", row=(d, g), **given) == pytest.approx(count)


def test_what_everybody_has_in_common_has_no_error(con):
    con.execute("CREATE TABLE t AS SELECT 'a' AS g, 7.3 AS y, i / 3 AS w, i // 2 AS c FROM range(1, 30) t(i)")
    data = sdc_sql.Microdata(con, "t", weight="w")
    assert estimated(data, "share", "g", row=(None, "a"), cluster="c") == (1, 0)
    assert estimated(data, "mean", "y") == pytest.approx((7.3, 0), abs=1e-14)


@pytest.mark.slow
def test_threads_and_order_change_no_bit(con):
    con.execute("CREATE TABLE t AS SELECT i, hash(i) % 1000 / 7 AS y, 1 + hash(i + 1) % 9 / 3 AS w, i // 3 AS c,"
                " i % 4 AS g FROM range(5000) t(i)")  # fmt: skip
    con.execute("CREATE TABLE turned AS FROM t ORDER BY hash(i + 7)")
    calls = [("total", "y", {}), ("share", "g", {}), ("mean", "y", {"domains": ["g"]}), ("quantile", "y", {}),
             ("regression", "y", {"predictors": ["w"]})]  # fmt: skip
    for statistic, variable, given in calls:
        found = []
        for table, threads in (("t", 1), ("turned", 4)):
            con.execute(f"SET threads = {threads}")
            data = sdc_sql.Microdata(con, table, weight="w")
            found.append([e.to_dict() for e in data.loss.survey_estimate(statistic, variable, cluster="c", **given)])
        assert found[0] == found[1]


def test_names_that_need_quotes_and_domains_that_are_missing(con):
    con.execute("""CREATE TABLE "k" AS SELECT 1 + i AS "Select", i % 2 AS "it's", ['a, b', 'c', NULL][1 + i % 3] AS f,
                   'x' AS "a ""b" FROM range(12) t(i)""")
    found = sdc_sql.Microdata(con, "k").loss.survey_estimate("total", "select", domains=["F", 'a "b'], cluster="it's")
    assert [(e.domain, e.term, e.records, e.estimate) for e in found] == [
        ("a, b, x", None, 4, 22),
        ("c, x", None, 4, 26),
    ]


def test_one_record_and_none(con):
    con.execute("CREATE TABLE one AS SELECT 5 AS y, 2 AS w, 'a' AS g")
    con.execute("CREATE TABLE none AS FROM one LIMIT 0")
    data = sdc_sql.Microdata(con, "one", weight="w")
    assert estimated(data, "total", "y") == (10, 10)  # a stratum of one: too much rather than too little
    (found,) = data.loss.survey_estimate("quantile", "y")
    assert (found.estimate, found.standard_error) == (5, 0)
    assert {e.estimate for e in data.loss.survey_estimate("regression", "y", predictors=["w"])} == {None}
    con.execute("INSERT INTO one VALUES (NULL, 1, NULL)")
    assert data.loss.survey_estimate("mean", "y")[0].records == 1
    con.execute("DELETE FROM one WHERE y IS NOT NULL")
    assert list(data.loss.survey_estimate("mean", "y")) == []
    with pytest.raises(TableError, match="has no rows"):
        sdc_sql.Microdata(con, "none").loss.survey_estimate("mean", "y")


@pytest.mark.slow
@pytest.mark.whole
def test_wrong_input_is_refused(con):
    con.execute(SURVEY)
    data = sdc_sql.Microdata(con, "survey", weight="w")
    with pytest.raises(ParameterError, match="statistic"):
        data.loss.survey_estimate("mode", "y")
    with pytest.raises(ParameterError, match="A regression needs predictors"):
        data.loss.survey_estimate("regression", "y")
    with pytest.raises(ParameterError, match="'regression' only"):
        data.loss.survey_estimate("mean", "y", predictors=["x"])
    for given in (("mean", "g"), ("quantile", "g")):
        with pytest.raises(ColumnError, match="The column g has type VARCHAR"):
            data.loss.survey_estimate(*given)
    with pytest.raises(ColumnError, match="The column g has type VARCHAR"):
        data.loss.survey_estimate("regression", "y", predictors=["g"])
    with pytest.raises(ColumnError, match="nosuch"):
        data.loss.survey_estimate("mean", "y", domains=["nosuch"])
    with pytest.raises(InputError, match="quantile"):
        data.loss.survey_estimate("quantile", "y", quantile=1)
    con.execute("UPDATE survey SET w = NULL WHERE i = 3")
    with pytest.raises(WeightError):
        data.loss.survey_estimate("mean", "y")


@pytest.mark.one_in(3)
@pytest.mark.whole
@pytest.mark.parametrize("statistic", ["total", "quantile", "regression"])
def test_no_collation_joins_domains(connect, statistic):
    """'north' and 'North' are two domains in a session that ignores case, too."""
    with connect() as con:
        con.execute("""
            CREATE TABLE k AS SELECT ['north', 'North'][1 + range % 2] AS "Select", range * range % 7 AS f, range AS g
            FROM range(40)""")
        call = f"""
            SELECT domain, records, estimate
            FROM sdc_survey_estimate('k', '{statistic}', 'f', domains := ['Select'],
                                     predictors := {"['g']" if statistic == "regression" else "NULL"})"""
        expected = con.execute(call).fetchall()
        con.execute("SET default_collation = 'nocase'")
        assert con.execute(call).fetchall() == expected
        assert {name for name, *_ in expected} == {"north", "North"}


def test_every_figure_of_a_file_with_gaps_by_hand(con):
    """Values, categories, domains, clusters and strata are missing: who is in no estimate is in the design as well.

    Without a stratum one is of one more stratum, without a cluster one by himself. Of domain 'b' the clusters of the
    whole file count, and a stratum of one cluster counts with its square.
    """
    rows = [
        {"h": h, "c": c, "w": w, "y": y, "g": g, "d": d}
        for h, c, w, y, g, d in [
            (1, 1, 2.0, 3, "p", "a"), (1, 1, 1.0, 8, "q", "b"), (1, 2, 3.0, None, "q", "b"),
            (1, None, 2.5, 4, "p", "b"), (1, None, 0.5, 6, None, "a"),
            (2, 1, 1.5, 7, "q", "b"), (2, 3, 4.0, 1, "p", "b"), (2, 3, 2.0, 9, "p", None),
            (3, 4, 1.0, 5, "q", "b"), (None, 5, 3.5, 2, "p", "b"), (None, 6, 1.0, 12, "q", "a"),
        ]
    ]  # fmt: skip
    con.execute('CREATE TABLE t (h INT, c INT, w DOUBLE, y DOUBLE, g VARCHAR, "D" VARCHAR)')
    con.executemany("INSERT INTO t VALUES ($h, $c, $w, $y, $g, $d)", rows)
    alone = [{**row, "c": row["c"] if row["c"] is not None else f"alone {i}"} for i, row in enumerate(rows)]
    given = "domains := ['d'], weight := 'w', strata := 'h', cluster := 'c', confidence := 0.9"
    z = NormalDist().inv_cdf(0.95)

    def expected(records, estimate, error):
        return (records, *map(pytest.approx, (estimate, error, estimate - z * error, estimate + z * error)))

    found = {}
    for statistic, variable in (("total", "y"), ("mean", "y"), ("count", "g"), ("share", "g")):
        call = f"FROM sdc_survey_estimate('t', '{statistic}', '{variable}', {given})"
        found[statistic] = {row[:2]: row[2:] for row in con.execute(call).fetchall()}

    for d in "ab":
        known = [r for r in alone if r["d"] == d and r["y"] is not None]
        total = by_hand(alone, lambda r, d=d: (r["y"] or 0) * (r["d"] == d))
        assert found["total"][d, None] == expected(len(known), *total)
        whole = sum(r["w"] for r in known)
        mean = sum(r["w"] * r["y"] for r in known) / whole
        _, error = by_hand(alone, lambda r, of=known, m=mean, w=whole: (r["y"] - m) / w if r in of else 0)
        assert found["mean"][d, None] == expected(len(known), mean, error)
        known = [r for r in alone if r["d"] == d and r["g"] is not None]
        whole = sum(r["w"] for r in known)
        for g in "pq":
            n = sum(r["g"] == g for r in known)
            assert found["count"][d, g] == expected(n, *by_hand(known_as(alone, known), lambda r, g=g: r["g"] == g))
            share = sum(r["w"] for r in known if r["g"] == g) / whole
            _, error = by_hand(
                alone, lambda r, of=known, g=g, p=share, w=whole: ((r["g"] == g) - p) / w if r in of else 0
            )
            assert found["share"][d, g] == expected(n, share, error)


def known_as(rows, known):
    """Return the records, those that are not known without a category."""
    return [row if row in known else {**row, "g": None} for row in rows]


def test_the_quantile_is_the_least_value_that_reaches_the_share(con):
    """Weights of 1, 2, 3 and 4 of ten: just 0.3 up to the second value; by Woodruff's interval, of each domain."""
    con.execute("CREATE TABLE t AS FROM (VALUES (30, 3, 'a'), (10, 1, 'a'), (40, 4, 'a'), (20, 2, 'a'), (7, 2, 'b')) "
                "AS t(y, w, d)")  # fmt: skip
    # F = 0.3 at 20; z of it w (1 - 0.3) / 10 and - w 0.3 / 10 about 0, of the five records of the file, one of them 0
    parts = [0.07, 0.14, -0.09, -0.12, 0]
    s = math.sqrt(5 / 4 * sum(v * v for v in parts))
    z = NormalDist().inv_cdf(0.75)
    call = (
        "FROM sdc_survey_estimate('t', 'quantile', 'y', domains := ['d'], weight := 'w', quantile := {}, "
        "confidence := 0.5)"
    )
    first, second = con.execute(call.format(0.3)).fetchall()
    # from F = 0.3 - 0.165 to 0.3 + 0.165: of the shares 0.1, 0.3, 0.6 and 1 the second and the third reach them
    assert 0.1 < 0.3 - z * s < 0.3 < 0.3 + z * s < 0.6
    assert first == ("a", None, 4, 20, pytest.approx((30 - 20) / (2 * z)), 20, 30)
    assert second == ("b", None, 1, 7, 0, 7, 7)
