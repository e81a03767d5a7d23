"""scikit-learn on the couples: what is uncertain of a value once the released one is known, and closest records."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
import numpy as np
from sklearn.metrics import mutual_info_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from validation.peers.written import write
from validation.tables import make_tables

NUMBERS = ["experience", "hours", "husband_income"]


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    before, after = (con.sql(f"FROM {table} ORDER BY couple").df() for table in ("couples", "moved"))
    figures: dict[str, dict[str, float]] = {}
    for column in ("region", "education"):
        own = mutual_info_score(before[column], before[column])
        known = mutual_info_score(before[column], after[column])
        figures[column] = {
            "mutual_info_score(before, before) - mutual_info_score(before, after)": float(own - known),
            "1 - mutual_info_score(before, after) / mutual_info_score(before, before)": float(1 - known / own),
        }
    # each 37th couple, released, among those whose number leaves 1 when divided by 5; n - 1 in the deviation
    some = before[before.couple % 5 == 1][NUMBERS].to_numpy(float)
    scaler = StandardScaler().fit(some)
    shrink = np.sqrt((len(some) - 1) / len(some))
    near, _ = (
        NearestNeighbors(n_neighbors=2, algorithm="brute")
        .fit(scaler.transform(some))
        .kneighbors(scaler.transform(after[after.couple % 37 == 2][NUMBERS].to_numpy(float)))
    )
    near = np.round(near * shrink, 12)
    ratio = np.where(near[:, 1] == 0, 1, near[:, 0] / np.where(near[:, 1] == 0, 1, near[:, 1]))
    figures["closest"] = {
        "median of kneighbors()[0][:, 0]": float(np.median(near[:, 0])),
        "mean of kneighbors()[0][:, 0]": float(near[:, 0].mean()),
        "5th percentile of kneighbors()[0][:, 0]": float(np.percentile(near[:, 0], 5)),
        "mean of the ratio of the first to the second": float(ratio.mean()),
    }
    write("scikit_learn", {"scikit-learn": version("scikit-learn"), "numpy": version("numpy")}, figures)


if __name__ == "__main__":
    main()
