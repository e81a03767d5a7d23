"""scipy: ks_2samp and wasserstein_distance; the total variation by pandas."""

from scipy.stats import ks_2samp, wasserstein_distance
from theirs import read_both

PACKAGE = "scipy"
read = read_both


def work(frames):
    before, after = frames
    found = {}
    for column in ("age", "income"):
        x, y = before[column].to_numpy(float), after[column].to_numpy(float)
        found[f"{column} ks"] = ks_2samp(x, y, method="asymp").statistic
        found[f"{column} wasserstein"] = wasserstein_distance(x, y) / x.std()
    for column in ("region", "economic_status"):
        p, q = (frame[column].value_counts(normalize=True) for frame in frames)
        found[f"{column} tv"] = p.sub(q, fill_value=0).abs().sum() / 2
    return found


def answer(_, done):
    return done
