"""anonymeter on three files of couples: attacks by singling out and by inference, on the source and on others."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import duckdb
from anonymeter.evaluators import InferenceEvaluator, SinglingOutEvaluator

from validation.peers.written import write
from validation.tables import ATTACKED, make_tables

GUESSES = 705  # so many it can make of one column each
# by their weights two records are equally near to next to nobody: of such it takes any one
KNOWN, SECRET = ["region", "education", "weight"], "own_insurance"


def tell(evaluator: Any) -> dict[str, float]:
    """Return the rates of an attack on the source and on the others, with the risk."""
    found = evaluator.results(confidence_level=0.95)
    risk = evaluator.risk(confidence_level=0.95)
    return {
        "attack rate": found.attack_rate.value, "its error": found.attack_rate.error,
        "control rate": found.control_rate.value, "risk": risk.value,
    }  # fmt: skip


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    source, released, others = (con.sql(f"SELECT * EXCLUDE (couple) FROM ({ATTACKED[name]}) ORDER BY couple").df()
                                for name in ("source", "released", "others"))  # fmt: skip
    for table in (source, released, others):
        for column in table.select_dtypes("str"):
            table[column] = table[column].astype(object)
    files = {"ori": source, "syn": released, "control": others}
    attacks = {
        "SinglingOutEvaluator, univariate":
            SinglingOutEvaluator(**files, n_attacks=GUESSES).evaluate(mode="univariate"),
        "InferenceEvaluator": InferenceEvaluator(
            **files, aux_cols=KNOWN, secret=SECRET, n_attacks=len(source)).evaluate(n_jobs=1),
    }  # fmt: skip
    figures = {call: tell(evaluator) for call, evaluator in attacks.items()}
    versions = {name: version(name) for name in ("anonymeter", "pandas", "polars", "numpy")}
    write("anonymeter", versions, figures)


if __name__ == "__main__":
    main()
