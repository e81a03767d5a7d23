"""recordlinkage on every 37th couple: m and u of Fellegi and Sunter by its EM algorithm, of all pairs of two files."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
import recordlinkage

from validation.peers.written import write
from validation.tables import make_tables

COLUMNS = ["region", "education", "children_under_6", "children_6_to_18", "experience"]


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    before, after = (
        con.sql(f"FROM {table} WHERE couple % 37 = 1 ORDER BY couple").df().set_index("couple")
        for table in ("couples", "moved")
    )
    index = recordlinkage.Index()
    index.full()
    compare = recordlinkage.Compare()
    for column in COLUMNS:
        compare.exact(column, column, label=column)
    features = compare.compute(index.index(before, after), before, after)
    model = recordlinkage.ECMClassifier(atol=1e-12, max_iter=10_000)
    model.fit(features)
    figures = {
        "ECMClassifier(atol=1e-12).m_probs": {c: float(p[1]) for c, p in model.m_probs.items()},
        "ECMClassifier(atol=1e-12).u_probs": {c: float(p[1]) for c, p in model.u_probs.items()},
        "ECMClassifier(atol=1e-12).p": {"p": float(model.p)},
        "len(features)": {"pairs": len(features)},
    }
    versions = {"recordlinkage": version("recordlinkage"), "pandas": version("pandas")}
    write("recordlinkage", versions, figures)


if __name__ == "__main__":
    main()
