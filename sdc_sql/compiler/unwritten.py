"""What is not written out for other engines, and why."""

from __future__ import annotations

from sdc_sql.db.macros import declared
from sdc_sql.errors import Unsupported

_MATRIX = "a matrix is cast to the types of its table's columns, which are not known when the query is written"
_DRAWS = "its keyed draws are DuckDB's own; the measure that it checks, sdc_theta, is written out"
_RULES = "its rows are sentences made of dates and of numbers as DuckDB writes them; check the rules in DuckDB"
REASONS = {
    "sdc_theta_misclassified": _MATRIX,
    "sdc_theta_misclassified_crossing": _MATRIX,
    "sdc_pram_reversed": _MATRIX,
    "sdc_pram_reversed_crossing": _MATRIX,
    "sdc_data_intrusion_simulation": _DRAWS,
    "sdc_data_intrusion_misclassified": _DRAWS,
    "sdc_research_file_rules": _RULES,
    "sdc_public_use_file_rules": _RULES,
    "sdc_help": "it tells of the macros, which other engines have not",
}
_MASKS = "it masks records: on Spark use sdc_sql.spark.load(spark), for other engines mask the table in DuckDB"


def refuse_unwritten(name: str) -> None:
    """Raise an error that says why, where a macro is not written out.

    Examples
    --------
    >>> refuse_unwritten("sdc_theta")
    >>> refuse_unwritten("sdc_noise")
    Traceback (most recent call last):
    sdc_sql.errors.Unsupported: sdc_noise is not written out: it masks records: on Spark use ...
    """
    file = next((entry.file for entry in declared() if entry.name == name), "")
    reason = REASONS.get(name, _MASKS if file.startswith("mask/") else None)
    if reason is not None:
        raise Unsupported(f"{name} is not written out: {reason}.")
