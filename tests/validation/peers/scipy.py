"""scipy on the couples and their moved values: distances of distributions."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
import numpy as np
from scipy.stats import contingency, entropy, ks_2samp, wasserstein_distance

from validation.peers.written import write
from validation.tables import make_tables


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    before, after = (con.sql(f"FROM {table} ORDER BY couple").df() for table in ("couples", "moved"))
    figures: dict[str, dict[str, float]] = {}
    for column in ("hours", "husband_income"):
        x, y = before[column].to_numpy(float), after[column].to_numpy(float)
        figures[column] = {
            "ks_2samp(before, after).statistic": float(ks_2samp(x, y).statistic),
            "wasserstein_distance(before, after) / std(before)": float(wasserstein_distance(x, y) / np.std(x)),
        }
    for column in ("region", "education"):
        p, q = (table[column].value_counts(normalize=True).sort_index().to_numpy() for table in (before, after))
        figures[column] = {
            "norm(sqrt(p) - sqrt(q)) / sqrt(2)": float(np.linalg.norm(np.sqrt(p) - np.sqrt(q)) / np.sqrt(2)),
            "abs(p - q).sum() / 2": float(np.abs(p - q).sum() / 2),
            "entropy(p)": float(entropy(p)),
            "entropy(q)": float(entropy(q)),
        }
    for name, table in (("before", before), ("after", after)):
        crossed = contingency.crosstab(table["region"], table["education"]).count
        figures.setdefault("region x education", {})[f"association({name}, 'cramer')"] = float(
            contingency.association(crossed, method="cramer")
        )
    write("scipy", {"scipy": version("scipy"), "numpy": version("numpy")}, figures)


if __name__ == "__main__":
    main()
