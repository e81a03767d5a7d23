"""Estimates before and after: the two files' own, their difference and the overlap of their intervals."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

import sdc_sql
from sdc_sql.errors import ColumnError, ParameterError


@pytest.fixture
def files(con):
    con.execute("CREATE TABLE original AS SELECT i AS id, i % 3 AS g, (i * 7) % 11 AS y, i % 5 AS x, 2 AS w,"
                " i // 2 AS c FROM range(60) t(i)")  # fmt: skip
    con.execute(
        "CREATE TABLE released AS SELECT w, * EXCLUDE (w) REPLACE (CASE WHEN id > 5 THEN y END AS y) FROM original"
    )
    return sdc_sql.Microdata(con, "original", weight="w"), sdc_sql.Microdata(con, "released", weight="w")


@pytest.mark.slow
def test_each_side_is_the_estimate_of_its_file(files):
    original, released = files
    for call in (("mean", "y"), ("quantile", "y"), ("share", "g")):
        given = {"domains": ["g", "x"], "cluster": "c"}
        found = released.loss.estimate_change(original, *call, weight="w", **given)
        before, after = (
            {(e.domain, e.term): e for e in side.loss.survey_estimate(*call, **given)} for side in (original, released)
        )
        assert len(found) == len(before) == 15
        for row in found:
            one, other = before[row.domain, row.term], after[row.domain, row.term]
            assert (row.before, row.error_before, row.records_before) == (one.estimate, one.standard_error, one.records)
            assert (row.after, row.error_after, row.records_after) == (
                other.estimate,
                other.standard_error,
                other.records,
            )
            assert row.difference == other.estimate - one.estimate


def test_the_overlap_is_that_of_the_intervals(files):
    original, released = files
    (row,) = released.loss.estimate_change(original, "total", "y", weight="w", confidence=0.9)
    (one,), (other,) = (side.loss.survey_estimate("total", "y", confidence=0.9) for side in (original, released))
    common = min(one.upper, other.upper) - max(one.lower, other.lower)
    assert row.overlap == pytest.approx((common / (one.upper - one.lower) + common / (other.upper - other.lower)) / 2)
    assert row.relative_change == pytest.approx(abs(row.difference) / row.before)
    assert row.shift == pytest.approx(abs(row.difference) / row.error_before)


def test_of_whole_files_a_regression_is_that_of_confidence_overlap(con, files):
    original, _ = files
    con.execute("CREATE TABLE noisy AS SELECT * REPLACE (y + id % 4 AS y) FROM original")
    noisy = sdc_sql.Microdata(con, "noisy", weight="w")
    found = {r.term: r for r in noisy.loss.estimate_change(original, "regression", "y", predictors=["x"], weight="w")}
    for row in noisy.loss.confidence_overlap(original, "y", ["x"], weight="w")[1:]:
        mine = found[row.coefficient]
        assert (mine.before, mine.error_before, mine.after, mine.error_after, mine.overlap) == pytest.approx(
            (row.before, row.error_before, row.after, row.error_after, row.overlap)
        )


def test_what_one_file_lacks_has_no_change_and_holds_no_limit(con, files):
    original, released = files
    con.execute("UPDATE released SET g = 7 WHERE g = 2")
    rows = {r.term: r for r in released.loss.estimate_change(original, "count", "g", weight="w")}
    assert (rows["2"].after, rows["2"].overlap, rows["7"].before, rows["7"].overlap) == (None, None, None, None)
    asked = {"by_g": ("estimate_change", {"statistic": "count", "variable": "g", "weight": "w"})}
    (judged,) = released.check_limits(["by_g.overlap >= 0"], original=original, figures=asked)
    assert not judged.holds


@pytest.mark.slow
@pytest.mark.whole
def test_a_file_that_did_not_change_holds_every_limit(files):
    original, _ = files
    asked = {"mean_y": ("estimate_change", {"statistic": "mean", "variable": "y", "domains": ["g"], "weight": "w"}),
             "shares": ("estimate_change", {"statistic": "share", "variable": "c", "domains": ["c"]})}  # fmt: skip
    limits = ["mean_y.overlap = 1", "mean_y.relative_change <= 0", 'mean_y."1".shift <= 0', "shares.overlap >= 1"]
    assert all(j.holds for j in original.check_limits(limits, original="original", figures=asked))


def test_a_column_that_is_not_released_is_an_error(con, files):
    original, released = files
    con.execute("ALTER TABLE released DROP c")
    with pytest.raises(ColumnError, match="c"):
        released.loss.estimate_change(original, "mean", "y", cluster="c")


@pytest.mark.slow
@pytest.mark.whole
def test_a_limit_names_a_row_by_its_domain_and_term(files):
    original, released = files
    asked = {"table": ("estimate_change", {"statistic": "share", "variable": "x", "domains": ["g"], "weight": "w"}),
             "means": ("estimate_change", {"statistic": "mean", "variable": "y", "domains": ["g"], "weight": "w"}),
             "mean_y": ("estimate_change", {"statistic": "mean", "variable": "y"})}  # fmt: skip
    limits = ['table."1, 4".overlap >= 0.5', 'means."1".shift <= 9', "mean_y.all.shift <= 9"]
    judged = released.check_limits(limits, original=original, figures=asked)
    one = {
        (r.domain, r.term): r for r in released.loss.estimate_change(original, "share", "x", domains=["g"], weight="w")
    }
    assert judged[0].figures == {"table.1, 4.overlap": one["1", "4"].overlap}
    assert [j.holds for j in judged] == [True, True, True]
    with pytest.raises(ParameterError, match=r"names the row '8'.*it has 0, 1, 2"):
        released.check_limits(['means."8".shift <= 9'], original=original, figures=asked)


@pytest.mark.slow
@pytest.mark.whole
def test_the_design_is_that_of_the_table_by_its_roles(con, files):
    original, _ = files
    described = sdc_sql.Microdata(con, "released", weight="w", household="c", stratum="g")
    found = described.loss.estimate_change(original, "mean", "y")
    assert found == described.loss.estimate_change(original, "mean", "y", weight="w", strata="g", cluster="c")
    (alone,) = described.loss.survey_estimate("mean", "y")
    assert (found[0].after, found[0].error_after) == (alone.estimate, alone.standard_error)
    bare = sdc_sql.Microdata(con, "released")
    assert bare.loss.estimate_change(original, "mean", "y")[0].error_after != found[0].error_after
    tenfold = sdc_sql.Microdata(con, "released", weight=10)  # a number is no column that the original has
    assert (
        tenfold.loss.estimate_change(original, "total", "y")[0].after
        == bare.loss.survey_estimate("total", "y")[0].estimate
    )


def test_every_figure_by_hand(con):
    """Means of three domains, of which either file lacks one, and of records without a domain, which count nowhere.

    Of a: 1 and 5 about 3 become 2, 2 and 8 about 4. Deviations of the other records of a file are 0, and it has six.
    """
    con.execute("""
        CREATE TABLE original AS FROM (VALUES ('a', 1), ('a', 5), ('b', 4), ('b', 6), ('c', 7), (NULL, 9)) AS t(d, y);
        CREATE TABLE released AS FROM (VALUES (2, 'a'), (2, 'a'), (8, 'a'), (4, 'b'), (6, 'b'), (1, 'z')) AS t(y, d)""")
    found = con.execute(
        "FROM sdc_estimate_change('original', 'released', 'mean', 'y', domains := ['D'], confidence := 0.5)"
    ).fetchall()
    z = NormalDist().inv_cdf(0.75)
    before, after = math.sqrt(6 / 5 * (1 + 1)), math.sqrt(6 / 5 * (4 + 4 + 16) / 9)
    common = min(3 + z * before, 4 + z * after) - max(3 - z * before, 4 - z * after)
    overlap = (common / (2 * z * before) + common / (2 * z * after)) / 2
    same = math.sqrt(6 / 5 / 2)
    assert found == [
        ("a", None, 2, 3, 3, pytest.approx(before), 4, pytest.approx(after), 1, pytest.approx(1 / 3),
         pytest.approx(1 / before), pytest.approx(overlap)),
        ("b", None, 2, 2, 5, pytest.approx(same), 5, pytest.approx(same), 0, 0, 0, 1),
        ("c", None, 1, None, 7, 0, None, None, None, None, None, None),
        ("z", None, None, 1, None, None, 1, 0, None, None, None, None),
    ]  # fmt: skip


def test_a_change_of_nothing_is_no_part_of_it(con):
    """From 0, which has no error, to 2: no relative change and no shift; from -4 to -1 three quarters of the size.

    The error before is by -1, 1 and twice 0, of four records: the root of 4 / 3 * 2.
    """
    con.execute("CREATE TABLE k AS SELECT unnest(['a', 'a', 'b', 'b']) AS d, unnest([0, 0, -2, -6]) AS y")
    con.execute("CREATE TABLE r AS SELECT unnest(['a', 'a', 'b', 'b']) AS d, unnest([1, 3, -1, -1]) AS y")
    names = "difference, relative_change, shift, overlap"
    found = con.execute(f"SELECT {names} FROM sdc_estimate_change('k', 'r', 'mean', 'y', domains := ['d'])").fetchall()
    assert found == [(2, None, None, None), (3, 0.75, pytest.approx(3 / math.sqrt(8 / 3)), None)]
