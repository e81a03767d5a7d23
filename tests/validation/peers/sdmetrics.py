"""sdmetrics on the couples and their moved values: how alike distributions are, and correct attribution."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
from sdmetrics.column_pairs import ContingencySimilarity
from sdmetrics.single_column import KSComplement, TVComplement
from sdmetrics.single_table import CategoricalGeneralizedCAP, CategoricalZeroCAP

from validation.peers.written import write
from validation.tables import make_tables

KEYS = ["region", "education", "children_under_6"]
TARGETS = ["race", "own_insurance"]


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    before, after = (con.sql(f"FROM {table} ORDER BY couple").df() for table in ("couples", "moved"))
    figures: dict[str, dict[str, float]] = {"TVComplement.compute": {}, "KSComplement.compute": {}}
    for column in ("region", "education"):
        figures["TVComplement.compute"][column] = float(TVComplement.compute(before[column], after[column]))
    for column in ("hours", "husband_income"):
        figures["KSComplement.compute"][column] = float(KSComplement.compute(before[column], after[column]))
    pair = ["region", "education"]
    figures["ContingencySimilarity.compute"] = {
        "region, education": float(ContingencySimilarity.compute(before[pair], after[pair]))
    }
    # of strangers: the released file has none of the records that are asked for
    asked, known = before[before.couple % 40 == 0], after[after.couple % 20 == 1]
    for measure in (CategoricalZeroCAP, CategoricalGeneralizedCAP):
        figures[f"{measure.__name__}.compute"] = {
            target: float(
                measure.compute(
                    asked[[*KEYS, target]].astype(str), known[[*KEYS, target]].astype(str), key_fields=KEYS,
                    sensitive_fields=[target],
                )
            )
            for target in TARGETS
        }  # fmt: skip
    write("sdmetrics", {"sdmetrics": version("sdmetrics"), "pandas": version("pandas")}, figures)


if __name__ == "__main__":
    main()
