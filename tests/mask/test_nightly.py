"""Ten nightly releases under one release name, attacked: methods whose draws hang on the parameters of the user alone.

The draw of a record stays while the other records come and go, but what is made of it may not: rank swapping draws anew,
resampling and Sullivan's noise move a little, noise on outliers is drawn anew where its rounded size changes. Each night 1 % of the records leave and 1 % are new. For the records of all
nights: the share whose value is known within p/10 by the best guess of ten nights, beside one release and ten independent ones.

- rank swapping: p is the range; a place within p/10 percent of the true one;
- resampling: p is the root mean square of the change of one release, in places of the file;
- Sullivan's noise: p is the standard deviation of the noise, sqrt(alpha), on the scale of normal scores;
- outliers: p is the standard deviation of the noise, sqrt(alpha) sigma, of the records that are masked on every night.

`python -m pytest -m slow -s tests/mask/test_nightly.py` prints the figures that the headers of sql/mask/ and sdc_sql/mask/README.md give.
"""  # noqa: E501 - a command

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest

NIGHTS = 10
ALPHA, P, SAMPLES = 0.1, 5, 3
CALLS = {
    "rank swapping": f"sdc_rank_swap('night', 'x', {P}, 'id', release := '{{r}}')",
    "resampling": f"sdc_resample('night', 'x', {SAMPLES}, 'id', release := '{{r}}')",
    "nonlinear": f"sdc_noise('night', ['x'], {ALPHA}, 'id', method := 'nonlinear', release := '{{r}}')",
    "outliers": f"sdc_noise('night', ['x'], {ALPHA}, 'id', method := 'outliers', release := '{{r}}')",
}
NORMAL = NormalDist()
# the share of normal errors below a tenth of the noise's deviation, after the mean of m independent releases
ONE, TEN = (2 * NORMAL.cdf(0.1 * sqrt(m)) - 1 for m in (1, NIGHTS))


def within(share: float, n: int) -> float:
    """Return four standard errors of a share of n records."""
    return 4 * sqrt(share * (1 - share) / n)


class Nights:
    """A file of n incomes, of which 1 % are others each night, and its releases."""

    def __init__(self, con, n, nights=NIGHTS):
        self.con, self.n, self.nights, new = con, n, nights, n // 100
        self.x = np.round(np.exp(np.random.default_rng(7).normal(10, 0.8, n + nights * new)), 2)
        con.register("incomes", pa.table({"id": np.arange(self.x.size), "x": self.x}))
        con.execute("CREATE TABLE everyone AS FROM incomes")
        con.unregister("incomes")
        self.first = [t * new for t in range(nights)]
        self.ids = np.arange(self.first[-1], n)  # those of all nights
        self.true = self.x[self.ids]

    def originals(self, night):
        return np.sort(self.x[self.first[night] : self.first[night] + self.n])

    def release(self, call, first, n):
        self.con.execute(f"CREATE OR REPLACE TABLE night AS FROM everyone WHERE id >= {first} AND id < {first + n}")
        return np.array([x for (x,) in self.con.execute(f"SELECT x FROM {call} ORDER BY id").fetchall()])

    def released(self, method, *, independent=False):
        """Return the released values of the records of all nights, a row a night."""
        rows = []
        for night, first in enumerate(self.first):
            call = CALLS[method].format(r=night if independent else "")
            rows.append(self.release(call, first, self.n)[self.ids - first])
        return np.array(rows)

    def places(self, values, night):
        """Return the share of the night's records below a value."""
        return (np.searchsorted(self.originals(night), values) + 0.5) / self.n

    def scores(self, values, night):
        places = np.clip(self.places(values, night), 0.5 / self.n, 1 - 0.5 / self.n)
        return np.array([NORMAL.inv_cdf(place) for place in places])


def errors(file, method, z):
    """Return by attack the errors of its guesses, in p; `one` is the first release alone."""
    if method == "outliers":
        masked = (z != file.true).all(axis=0)
        z, true = z[:, masked], file.true[masked]
        size = sqrt(ALPHA) * file.originals(0).std(ddof=1)
    elif method == "nonlinear":
        z = sqrt(1 + ALPHA) * np.array([file.scores(row, t) for t, row in enumerate(z)])
        true, size = file.scores(file.true, 0), sqrt(ALPHA)
    else:
        z = np.array([file.places(row, t) for t, row in enumerate(z)])
        true = np.mean([file.places(file.true, t) for t in range(file.nights)], axis=0)
        size = P / 100 if method == "rank swapping" else sqrt(((z[0] - true) ** 2).mean())
    guesses = {"one": z[0], "mean": z.mean(axis=0), "median": np.median(z, axis=0)}
    if method == "rank swapping":  # each night the true place lies within p of the released one
        guesses["intersection"] = ((z - size).max(axis=0) + (z + size).min(axis=0)) / 2
    return {attack: np.abs(guess - true) / size for attack, guess in guesses.items()}


def known(file, method, *, independent=False):
    """Return by attack the share of values that are known within p/10, and how many records there are."""
    found = errors(file, method, file.released(method, independent=independent))
    return {attack: float((e < 0.1).mean()) for attack, e in found.items()}, found["one"].size


@pytest.mark.slow
@pytest.mark.parametrize("method", CALLS)
def test_ten_nights_tell_no_more_than_ten_independent_releases(keyed, method):
    file = Nights(keyed, 4_000)
    nightly, n = known(file, method)
    independent, _ = known(file, method, independent=True)
    print(f"\n{method}: {n:,} records, share known within p/10")
    for attack, share in nightly.items():
        print(f"  {attack:12} nightly {share:.3f}   independent {independent[attack]:.3f}")
    best = max(independent.values())
    assert max(nightly.values()) < best + within(best, n)
    if method in ("nonlinear", "outliers"):  # normal errors: the bound of theory as well
        assert nightly["one"] < ONE + within(ONE, n)
        assert nightly["mean"] < TEN + within(TEN, n)
    if method == "rank swapping":  # the distance of two swapped ranks is t L with density ln 2 2^t: P(t < 1/10)
        assert abs(nightly["one"] - (2**0.1 - 1)) < within(2**0.1 - 1, n)


def difference(z, deviations):
    """Return the values of outliers from the two nights whose noise differs most in size: two equations of x and e."""
    a, b = int(np.argmin(deviations)), int(np.argmax(deviations))
    return (deviations[b] * z[a] - deviations[a] * z[b]) / (deviations[b] - deviations[a])


def test_the_noise_of_an_outlier_does_not_follow_the_file(keyed):
    file = Nights(keyed, 1_000, nights=2)
    z = file.released("outliers")
    masked = (z != file.true).all(axis=0)
    guess = difference(z, [file.originals(t).std(ddof=1) for t in range(2)])
    size = sqrt(ALPHA) * file.originals(0).std(ddof=1)
    share = (np.abs(guess - file.true)[masked] < size / 10).mean()
    print(f"\noutliers, two nights and their deviations: {share:.3f} known within p/10")
    assert share < TEN + within(TEN, masked.sum())


@pytest.mark.slow
def test_of_nonlinear_noise_the_differences_tell_who_knows_the_distribution(keyed):
    """The noise of a score stays, its score moves by the records that came and went below it: known to an insider."""
    file = Nights(keyed, 1_000)
    places = (np.arange(file.n) + 0.5) / file.n
    ends = 0.25 / file.n

    def scores(values, night):  # as the method has them: linear between the values
        found = np.interp(values, file.originals(night), places)
        return np.array([NORMAL.inv_cdf(u) for u in np.clip(found, ends, 1 - ends)])

    z = np.array([scores(row, t) for t, row in enumerate(file.released("nonlinear"))])
    candidates = file.originals(0)
    moved = np.array([scores(candidates, t) for t in range(NIGHTS)])
    apart = np.abs((moved[1:] - moved[0])[:, :, None] - sqrt(1 + ALPHA) * (z[1:] - z[0])[:, None, :]).max(axis=0)
    exact = (candidates[apart.argmin(axis=0)] == file.true).mean()
    print(f"\nnonlinear, ten nights, everybody else's values known: {exact:.3f} known exactly")
    assert exact > TEN  # more than independent noise would tell: the header says so, and to release once


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["rank swapping", "nonlinear", "resampling", "outliers"])
def test_one_new_record(keyed, method):
    """Rank swapping goes from the top down and draws anew below a new value; the others move a little."""
    file = Nights(keyed, 1_000)
    before, after = (file.release(CALLS[method].format(r=""), 0, file.n + new)[: file.n] for new in (0, 1))
    x, value = file.x[: file.n], file.x[file.n]
    moved, masked = np.abs(after - before), np.abs(before - x)
    print(f"\n{method}, one new record: {(moved > 0).mean():.3f} of the values change")
    if method == "rank swapping":
        place, reach = np.searchsorted(np.sort(x), value), 1 + file.n * P // 100
        assert not moved[x > np.sort(x)[place + reach]].any()
        assert (moved[x < np.sort(x)[place - reach]] > 0).mean() > 1 / 2
    else:
        size = np.median(moved[masked > 0]) / np.median(masked[masked > 0])
        print(f"  by {size:.2g} of the masking (medians)")
        assert size < 0.1  # nobody is drawn anew: far less than sqrt(2), the size of two independent drawings
