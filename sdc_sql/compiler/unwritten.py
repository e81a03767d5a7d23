"""What is not written out for other engines, and why."""

from __future__ import annotations

from sdc_sql.errors import Unsupported
from sdc_sql.macros import help_entries

_CATEGORIES = (
    "its categories are compared as structs in which NULL is a value, which is not known to mean the same elsewhere: "
    "run it in DuckDB on a copy of the table"
)
_PLAYED = "it is a simulation, a check of sdc_theta, which is written out: play it in DuckDB on a copy of the table"
_RULES = (
    "it is one answer made of many tables: check the rules in DuckDB; sdc_threshold_rule, their core, is written out"
)
REASONS = {
    "sdc_theta_misclassified": _CATEGORIES,
    "sdc_theta_misclassified_crossing": _CATEGORIES,
    "sdc_pram_reversed": _CATEGORIES,
    "sdc_pram_reversed_crossing": _CATEGORIES,
    "sdc_data_intrusion_simulation": _PLAYED,
    "sdc_data_intrusion_misclassified": _PLAYED,
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
    file = next((entry.file for entry in help_entries() if entry.name == name), "")
    reason = REASONS.get(name, _MASKS if file.startswith("mask/") else None)
    if reason is not None:
        raise Unsupported(f"{name} is not written out: {reason}.")
