"""Correlated noise in a series: what stays keeps its noise, and what changes beside it is drawn given that."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.noise.given import give_noise
from series_world import wilson

import sdc_sql


@pytest.mark.parametrize("seed", range(3))
def test_the_conditional_distribution(seed):
    """By another way: the inverse of a covariance matrix has the conditional one in it, and the slopes."""
    rng = np.random.default_rng(seed)
    root = np.tril(rng.normal(size=(5, 5)))
    s = root @ root.T
    new, kept = [1, 4], [0, 3]
    found = np.array(give_noise(root.tolist(), [0, 1, -1, 0, 1]))
    inverse = np.linalg.inv(s[np.ix_(new + kept, new + kept)])
    conditional = np.linalg.inv(inverse[:2, :2])
    assert found[:, 1:3] == pytest.approx(-conditional @ inverse[:2, 2:], rel=1e-6, abs=1e-8)
    drawn = found[:, 3:]
    assert drawn @ drawn.T == pytest.approx(conditional, rel=1e-6)
    assert found[:, 0] == pytest.approx(np.sqrt(np.diag(conditional) / np.diag(s)[new]), rel=1e-6)


def test_a_column_that_the_others_determine_has_nothing_to_draw():
    assert give_noise([[1.0, 0.0], [2.0, 0.0]], [1, 0]) == [[0.0, 0.5, 0.0]]
    assert give_noise([[2.0, 0.0], [1.0, 1.0]], [1, -1]) == [[1.0, 2.0]]


def release(con, folder, name, after, table, call=None, **given):  # noqa: PLR0917 - what a release is
    """Release a table in a series; return the head, who waited, and the released values by the id."""
    con.register("given", pa.table(table))
    con.execute("CREATE OR REPLACE TABLE tonight AS FROM given; DROP TABLE IF EXISTS released")
    con.unregister("given")
    call = call or (lambda mask: mask.noise(["x", "y"], 0.1, method="correlated", into="released"))
    with sdc_sql.Series(folder / "l", "p", name, after=after, **given) as series:
        call(sdc_sql.Microdata(con, "tonight", id="id", series=series).mask)
    rows = con.execute("SELECT COLUMNS(['id', 'x', 'y']) FROM released ORDER BY id").fetchnumpy()
    return series.head, series.counts["waiting"], {c: np.ma.filled(v.astype(float), np.nan) for c, v in rows.items()}


def draw_world(n, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.normal(0, 100, n)
    return rng, {"id": np.arange(n), "x": 0.8 * y + rng.normal(0, 60, n), "y": y}


def share_within(deviation):
    """Return the chance that an error of some deviation, in units of the noise's, is within a tenth of a unit."""
    return erf(0.1 / deviation / sqrt(2))


@pytest.mark.slow
def test_ten_nights_in_which_one_column_changes(con, tmp_path):
    """Of y, that never changes, ten nights tell what one tells; drawn anew beside each x its noise would average out.

    Within a tenth of the noise: by one draw 0.080, by the mean of ten 0.248. Who knows x in each night knows its noise,
    and learns of that of y: of correlation r, its variance given m of them is (1 - r^2) / (1 + (m - 1) r^2).
    """
    n, nights, r = 1200, 10, 0.8
    rng, table = draw_world(n)
    head, kept, anew, of_x = "", [], [], []
    for night in range(nights):
        if night:
            table["x"] = rng.normal(0, 100, n)
        head, _, released = release(con, tmp_path, str(night), head, table)
        kept.append(released["y"] - table["y"])
        of_x.append(released["x"] - table["x"])
        con.execute("CREATE OR REPLACE TABLE fresh AS FROM sdc_noise('tonight', ['x', 'y'], 0.1, 'id', "
                    "method := 'correlated')")  # fmt: skip
        anew.append(np.array(con.execute("SELECT y FROM fresh ORDER BY id").fetchall())[:, 0] - table["y"])
    unit = sqrt(0.1) * 100
    assert all((e == kept[0]).all() for e in kept)
    for errors, expected in ((kept, share_within(1)), (anew, share_within(1 / sqrt(nights)))):
        low, high = wilson(int((np.abs(np.mean(errors, axis=0)) < 0.1 * unit).sum()), n)
        assert low - 0.01 <= expected <= high + 0.01, expected
    # each night is as correlated as the first, in which x and y are
    for e in of_x:
        assert np.arctanh(np.corrcoef(e, kept[0])[0, 1]) == pytest.approx(np.arctanh(r), abs=4 / sqrt(n) + 0.02)
        assert e.std() == pytest.approx(unit, rel=4 / sqrt(2 * n) + 0.05)
    # the noise of two nights is independent, but for what y tells of it
    rest = [e - r * kept[0] for e in of_x]
    assert abs(np.corrcoef(rest[1], rest[2])[0, 1]) < 4 / sqrt(n)
    # what remains
    guess = r / (1 + (nights - 1) * r * r) * np.sum(of_x, axis=0)
    low, high = wilson(int((np.abs(kept[0] - guess) < 0.1 * unit).sum()), n)
    assert low - 0.03 <= share_within(sqrt((1 - r * r) / (1 + (nights - 1) * r * r))) <= high + 0.03


@pytest.mark.slow
def test_values_that_come_back_bounds_nulls_and_strata(con, tmp_path):
    """A value that comes back has what it had; NULL beside it gives no condition; each column has its bounds."""
    rng, table = draw_world(300, 2)
    table["s"] = np.where(table["id"] < 150, "one", "two")
    table["x"], table["y"] = np.abs(table["x"]), np.where(table["s"] == "two", 50 * table["y"], table["y"])

    def call(mask):
        mask.noise(["x", "y"], 0.3, method="correlated", lower=[0, None], stratum="s", into="released")

    head, _, first = release(con, tmp_path, "one", "", table, call)
    x, y = table["x"].copy(), table["y"].copy()
    table["x"] = np.where(table["id"] % 2 == 0, rng.uniform(0, 50, 300), x)
    table["y"] = pa.array(np.where(table["id"] % 5 == 0, -y, y), mask=table["id"] % 7 == 0)
    table["s"] = np.where(table["id"] == 1, "two", table["s"])
    head, _, second = release(con, tmp_path, "two", head, table, call)
    odd = (table["id"] % 2 == 1) & (table["id"] % 5 > 0) & (table["id"] % 7 > 0)
    assert (second["x"][odd] == first["x"][odd]).all()
    assert (second["y"][odd] == first["y"][odd]).all()
    changed = table["id"] % 2 == 0
    assert (second["y"][changed & (table["id"] % 5 > 0) & (table["id"] % 7 > 0)]
            == first["y"][changed & (table["id"] % 5 > 0) & (table["id"] % 7 > 0)]).all()  # fmt: skip
    assert (second["x"] >= 0).all()
    assert np.isnan(second["y"]).sum() == (table["id"] % 7 == 0).sum()
    table["x"], table["y"] = x, y
    head, _, third = release(con, tmp_path, "three", head, table, call)
    assert all((third[c] == first[c]).all() for c in "xy")
    table["s"] = np.where(table["id"] == 9, "three", table["s"])
    table["x"] = np.where(table["id"] == 9, 3.0, x)
    _, waiting, fourth = release(con, tmp_path, "four", head, table, call)
    assert waiting == 1
    assert 9 not in fourth["id"]


@pytest.mark.slow
def test_a_change_that_the_others_would_show_waits(con, tmp_path):
    """A total and its parts: a part that changes alone has the noise of the others, and shows its change."""
    _, table = draw_world(200, 3)
    table["x"] = 2 * table["y"]
    head, _, first = release(con, tmp_path, "one", "", table)
    table["x"] = np.where(table["id"] < 5, 7.0, table["x"])
    head, waiting, second = release(con, tmp_path, "two", head, table)
    assert waiting == 5
    table["x"], table["y"] = (np.where(table["id"] < 5, v, table[c]) for c, v in (("x", 14.0), ("y", 7.0)))
    _, waiting, third = release(con, tmp_path, "three", head, table, returning=True)
    assert waiting == 0
    assert third["x"][:5] - 14 == pytest.approx(2 * (third["y"][:5] - 7), abs=0.01)
    assert (third["x"][5:] == first["x"][5:]).all()
    assert len(second["x"]) == 195
