"""The propensity score's regression: its sums against a whole design, its end against a long run, no order of rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from sdc_sql.udfs.loss import propensity as kernel
from sdc_sql.udfs.loss import propensity_design, propensity_rows
from sdc_sql.udfs.loss.propensity import propensity
from sdc_sql.udfs.loss.propensity_design import Design
from sdc_sql.udfs.loss.propensity_rows import Rows


def split(codes: np.ndarray, numbers: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of records, in any order, and the numbers with the cell of each."""
    of = np.zeros(max(codes.shape[1], numbers.shape[1]), dtype=np.int64)
    found = np.zeros((0, 1))
    if len(codes):
        found, of = np.unique(codes, axis=1, return_inverse=True)
    cells = np.vstack([np.arange(1.0, found.shape[1] + 1), found + 1])[:, draw.permutation(found.shape[1])]
    return cells, np.vstack([of.ravel() + 1.0, numbers])


def files(sizes: tuple[int, ...], numbers: int, n: int, missing: float = 0.1) -> tuple[np.ndarray, ...]:
    """Return codes of variables with so many categories, numbers, and how many records of either file there are."""
    draw = np.random.default_rng([*sizes, numbers, n])
    codes = np.array([np.append(np.arange(c), draw.integers(0, c, n - c)) for c in sizes]).reshape(len(sizes), n)
    x = np.round(draw.normal(size=(numbers, n)), 1)
    after = draw.binomial(3, 0.3 + 0.3 * (codes[0] == 1) if sizes else 0.4, n).astype(float)
    return codes, np.where(draw.random((numbers, n)) < missing, np.nan, x), 3 - after, after


def whole_design(codes: np.ndarray, numbers: np.ndarray, counts: np.ndarray, *, pairs: bool) -> np.ndarray:
    """Return the terms of the model, a column each."""
    main = []
    for c in codes:
        most = np.bincount(c, counts).argmax()
        main.append([(c == k).astype(float) for k in range(c.max() + 1) if k != most])
    for x in numbers:
        gone = np.isnan(x)
        mean = np.average(x[~gone], weights=counts[~gone])
        z = (x - mean) / np.sqrt(np.average((x[~gone] - mean) ** 2, weights=counts[~gone]))
        main.append([np.where(gone, 0, z), *([gone.astype(float)] if gone.any() else [])])
    terms = [np.ones(len(counts)), *(t for of in main for t in of)]
    if pairs:
        terms += [s * t for i, j in combinations(range(len(main)), 2) for s in main[i] for t in main[j]]
    return np.column_stack(terms)


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("pairs", [True, False])
@pytest.mark.parametrize(
    ("sizes", "numbers"), [((3, 2, 4), 2), ((7, 6), 1), ((2,) * 9, 1), ((3, 3, 3, 2, 2), 0), ((2,), 3), ((), 4)]
)
def test_the_sums_are_those_of_the_whole_design(monkeypatch, sizes, numbers, pairs):
    """In pieces of 37 rows kinds are in several; many parameters are summed by counting slots, few by products."""
    monkeypatch.setattr(propensity_rows, "ROWS", 37)
    monkeypatch.setattr(propensity_design, "_DOUBLES", 2000)
    draw = np.random.default_rng(1)
    codes, x, before, after = files(sizes, numbers, 600)
    weights, slopes = draw.random(600), draw.normal(size=600)
    # what is summed of each row is given as counts, so that it is put in order with the rows
    rows = Rows(*split(codes, x, draw), before, after)
    back = Rows(*split(codes, x, draw), weights, slopes)
    whole = whole_design(codes, x, before + after, pairs=pairs)
    design = Design(rows, pairs=pairs)
    assert design.number == whole.shape[1]
    for counted in (True, False):
        monkeypatch.setattr(Design, "_is_counting_faster", lambda *_, counted=counted, **__: counted)
        design = Design(rows, pairs=pairs)
        expected = whole.T @ (whole * weights[:, None])
        assert design.information(back.before) == pytest.approx(expected, rel=1e-10, abs=1e-9)
    beta, sums = draw.normal(size=design.number), design.zeros()
    of_kinds = design.coefficients_of_kinds(beta)
    for piece in rows.pieces:
        design.add_slopes(sums, piece, back.after[piece.rows])
    assert design.score(sums) == pytest.approx(whole.T @ slopes, rel=1e-10, abs=1e-9)
    predicted = np.concatenate([design.predict(piece, of_kinds) for piece in rows.pieces])
    assert np.sort(predicted) == pytest.approx(np.sort(whole @ beta), rel=1e-10, abs=1e-10)


def test_the_way_that_is_faster_is_taken():
    few, many = files((), 8, 3000), files((7, 6), 1, 3000)
    for of, counted in ((few, False), (many, True)):
        rows = Rows(*split(of[0], of[1], np.random.default_rng(1)), *of[2:])
        assert Design(rows, pairs=True).counted is counted


def told_apart(draw: np.random.Generator) -> dict[str, tuple[np.ndarray, ...]]:
    """Return files that are alike, differ, and can be told apart in all, some or one of their records."""
    n = 2000
    codes, x = np.array([draw.integers(0, c, n) for c in (5, 3)]), draw.normal(size=(2, n))
    x[1] = np.exp(x[1])
    noise, gone = x.copy(), x.copy()
    noise[0] += draw.normal(size=n)
    gone[0, draw.random(n) < 0.3] = np.nan
    outlier = x.copy()
    outlier[1, 7] = 1e5
    other = np.array([codes[0], draw.permutation(codes[1])])
    return {
        "the same": (codes, x, codes, x),
        "nearly": (codes, x, codes, x + 1e-6),
        "noise": (codes, x, other, noise),
        "few": (codes[:, :30], x[:, :30], codes[:, 30:70], x[:, 30:70]),
        "all": (codes, x, codes, x + 100),
        "some": (codes, x, codes, np.where(codes[0] == 1, 50.0, x)),
        "missing": (codes, x, codes, gone),
        "one": (codes, x, other, outlier),
        "collinear": (codes, np.array([x[0], 2 * x[0] + 1]), other, np.array([x[0] + 0.1, 2 * (x[0] + 0.1) + 1])),
    }


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", [*told_apart(np.random.default_rng(2))])
def test_the_steps_end_where_many_more_change_nothing(monkeypatch, name):
    """As many as 300 Newton steps, of which none is the last, move pMSE by less than 1e-8 of it."""
    draw = np.random.default_rng(2)
    codes, x, codes2, x2 = told_apart(draw)[name]
    kinds = split(np.hstack([codes, codes2]), np.hstack([x, x2]), draw)
    before = np.repeat([1.0, 0.0], [x.shape[1], x2.shape[1]])
    fits: list[kernel.Fit] = []

    class Seen(kernel.Fit):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments)
            fits.append(self)

    monkeypatch.setattr(kernel, "Fit", Seen)
    found = propensity(*kinds, before, 1 - before, 1.0)
    assert len(fits) <= 32
    monkeypatch.setattr(kernel, "STEPS", 300)
    monkeypatch.setattr(kernel, "SETTLED", -1.0)
    assert found[2] == pytest.approx(propensity(*kinds, before, 1 - before, 1.0)[2], rel=1e-8, abs=1e-15)


def test_no_order_of_rows_or_cells_changes_a_bit():
    draw = np.random.default_rng(4)
    codes, x, before, after = files((4, 3), 2, 3000)
    # rows alike in all are one: their order says nothing
    _, first = np.unique(np.vstack([codes, np.nan_to_num(x, nan=99.0)]), axis=1, return_index=True)
    codes, x, before, after = codes[:, first], x[:, first], before[first], after[first]
    results = set()
    for _ in range(3):
        order = draw.permutation(len(before))
        cells, kinds = split(codes[:, order], x[:, order], draw)
        renamed = draw.permutation(cells.shape[1]) + 1.0
        cells[0], kinds[0] = renamed[cells[0].astype(int) - 1], renamed[kinds[0].astype(int) - 1]
        results.add(propensity(cells, kinds, before[order], after[order], 1.0).tobytes())
    assert len(results) == 1


@pytest.mark.slow
@pytest.mark.whole
def test_no_number_of_threads_and_no_order_of_records_changes_a_bit(con):
    con.execute("""CREATE TABLE k AS SELECT CASE WHEN i % 11 > 0 THEN chr(97 + (i % 5)::INT) END AS "K",
                          CASE WHEN i % 7 > 0 THEN sqrt(i) END AS "a ""b", i % 3 AS f FROM range(130000) t(i)""")
    con.execute('CREATE TABLE o AS SELECT * REPLACE (1.01 * "a ""b" AS "a ""b", (f * 7) % 3 AS f) FROM k')
    call = """FROM sdc_propensity('k', 'o', ['k', 'a "b', 'f'], continuous := ['A "b'])"""
    results = set()
    for threads, order in ((1, "hash(f)"), (4, 'hash("K")'), (3, '"a ""b" DESC')):
        con.execute(f"SET threads = {threads}; CREATE OR REPLACE TABLE k AS FROM k ORDER BY {order}")
        con.execute(f'CREATE OR REPLACE TABLE o AS FROM o ORDER BY {order}, "K"')
        results.add(con.execute(call).fetchone())
    assert len(results) == 1
    ((records, parameters, *_),) = results
    assert (records, parameters) == (260_000, 1 + 5 + 2 + 2 + 5 * 2 + 5 * 2 + 2 * 2)


@pytest.mark.parametrize("continuous", [["x", "y"], ["x"], []])
def test_numbers_alone_categories_alone_and_both(con, continuous):
    """The kernel is given what there is: no category is one cell, and without numbers the cells are the kinds."""
    draw = np.random.default_rng(6)
    codes = draw.integers(0, 4, (2, 400))
    con.execute("CREATE TABLE k AS SELECT unnest($1) AS first, unnest($2) AS x, unnest($3) AS y",
                [["z"] * 200, *codes[:, :200].tolist()])  # fmt: skip
    con.execute("CREATE TABLE o AS SELECT unnest($1) AS y, unnest($2) AS x", codes[::-1, 200:].tolist())
    found = con.execute(f"FROM sdc_propensity('k', 'o', ['x', 'y'], continuous := {continuous or 'NULL'})").fetchone()
    kinds = split(codes[len(continuous) :], codes[: len(continuous)].astype(float), draw)
    if continuous == ["x"]:
        kinds = split(codes[1:], codes[:1].astype(float), draw)
    before = np.repeat([1.0, 0.0], 200)
    assert found[:3] == pytest.approx(propensity(*kinds, before, 1 - before, 1.0)[:3], rel=1e-9)
