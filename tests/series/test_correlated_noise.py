"""Correlated noise in a series: by value, what is new drawn given what stays; and what is told nevertheless."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from sdc_sql.series.kept_values import Known
from tests.series.test_kept_values import Nights

pytestmark = pytest.mark.slow  # whole releases, one after another

N = 1000


def make_nights(con, folder, columns=("x", "y"), **given) -> Nights:
    def call(mask, into):
        mask.noise(list(columns), 0.1, method="correlated", into=into, **given)

    return Nights(con, folder, call=call)


def draw_world(rng, y=None) -> dict[str, np.ndarray]:
    y = rng.lognormal(8, 0.5, N) if y is None else y
    return {"id": np.arange(N), "x": 0.3 * y * rng.lognormal(0, 0.3, N), "y": y}


def read_noise(shown: dict[int, tuple], world) -> np.ndarray:
    return np.array([[a - x, b - y] for (a, b), x, y in
                     zip([shown[i] for i in range(N)], world["x"], world["y"], strict=True)])  # fmt: skip


def run_nights(con, folder, nights: int = 6) -> tuple[list, list]:
    """Release a table of which everybody's x is another one each night, and no y; return worlds and releases."""
    rng = np.random.default_rng(1)
    worlds = [draw_world(rng)]
    worlds += [draw_world(rng, worlds[0]["y"]) for _ in range(nights - 1)]
    night = make_nights(con, folder)
    return worlds, [night.release(w) for w in worlds]


def within_a_tenth(worlds, shown) -> float:
    """Return of how many y the average of all releases is within a tenth of the noise's deviation."""
    noise = np.mean([read_noise(s, w)[:, 1] for s, w in zip(shown, worlds, strict=True)], axis=0)
    return float((np.abs(noise) < 0.1 * np.std(read_noise(shown[0], worlds[0])[:, 1])).mean())


def test_the_noise_of_what_stays_is_not_averaged(con, tmp_path, monkeypatch):
    """By value what one release tells (8 %); by record, the fault put back, what six do."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    worlds, shown = run_nights(con, tmp_path / "a")
    assert all(s[i][1] == shown[0][i][1] for s in shown for i in range(N))
    assert within_a_tenth(worlds, shown) < 0.08 + 4 * np.sqrt(0.08 * 0.92 / N)
    whole = Known.stack_missing
    monkeypatch.setattr(
        Known, "stack_missing", lambda k: np.repeat(whole(k).any(axis=1)[:, None], len(k.missing), axis=1)
    )
    assert within_a_tenth(*run_nights(con, tmp_path / "b")) > 0.14


def test_the_covariances_stay(con, tmp_path):
    """After every x was drawn anew given y, noise has the covariance alpha Sigma of the first release."""
    worlds, shown = run_nights(con, tmp_path, 3)
    wanted = 0.1 * np.cov(np.column_stack([worlds[0]["x"], worlds[0]["y"]]).T)
    for night in (0, 2):
        found = np.cov(read_noise(shown[night], worlds[night]).T)
        # the variance of a covariance of normal noise is (s_jj s_kk + s_jk^2) / n; coefficients are rounded up
        sd = np.sqrt((np.outer(np.diag(wanted), np.diag(wanted)) + wanted**2) / N)
        assert (np.abs(found - wanted) < 4.5 * sd + 0.02 * wanted).all(), (found, wanted)


def test_who_knows_the_column_that_changes_learns_of_the_other(con, tmp_path):
    """The correlation that is kept: the noise of y, given all that of x, is what the normal model says, no less."""
    worlds, shown = run_nights(con, tmp_path, 6)
    noises = [read_noise(s, w) for s, w in zip(shown, worlds, strict=True)]
    e_y = noises[0][:, 1]
    rho2 = np.corrcoef(noises[0].T)[0, 1] ** 2
    for nights in (1, 6):
        mean = np.mean([e[:, 0] for e in noises[:nights]], axis=0)
        left = np.var(e_y - mean * np.cov(mean, e_y)[0, 1] / np.var(mean)) / np.var(e_y)
        assert left == pytest.approx(1 / (1 + nights * rho2 / (1 - rho2)), rel=0.2)


def test_three_columns_bounds_whole_numbers_and_nulls(con, tmp_path):
    """Of one that changes in two the third stays; NULL beside it has no noise; bounds are those of each column."""
    rng = np.random.default_rng(2)
    columns = {"id": pa.array(range(200)), "x": pa.array(rng.lognormal(5, 0.5, 200)),
               "k": pa.array(rng.integers(5, 800, 200)), "Select": pa.array(rng.normal(50, 9, 200))}  # fmt: skip
    nights = make_nights(con, tmp_path, ("x", "k", "Select"), lower=[0, 5, None], upper=[None, 800, None])
    columns["k"] = pa.array([None if i == 7 else v for i, v in enumerate(columns["k"].to_pylist())])
    first = nights.release(columns)
    x, select = (columns[c].to_pylist() for c in ("x", "Select"))
    changed = {
        **columns, "x": pa.array([2 * v if i < 50 else v for i, v in enumerate(x)]),
        "Select": pa.array([v - 9 if i < 20 else v for i, v in enumerate(select)]),
    }  # fmt: skip
    second = nights.release(changed)
    for i in range(200):
        same = (i >= 50, True, i >= 20)
        assert [second[i][j] == first[i][j] for j in range(3) if i != 7 or j != 1] == [
            s for j, s in enumerate(same) if i != 7 or j != 1
        ]
        assert second[i][0] >= 0
        assert second[i][1] is None if i == 7 else 5 <= second[i][1] <= 800
    assert nights.release(columns) == first
