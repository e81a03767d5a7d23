"""One call of every table macro, for what must hold of them all."""

from __future__ import annotations

import duckdb
import pytest

_ROLES = {
    "tbl": "'persons'",
    "keys": "['age', 'sex']",
    "weight": "'weight'",
    "household": "'household'",
    "stratum": "'region'",
}

# By name, for ids that read well. Both treatments of NULL where there are two.
_CATEGORY = {
    "sdc_cells": "FROM sdc_cells({tbl}, {keys})",
    "sdc_frequencies": "FROM sdc_frequencies({tbl}, {keys}, {weight})",
    "sdc_frequency_counts": "FROM sdc_frequency_counts({tbl}, {keys})",
    "sdc_frequency_summary": "FROM sdc_frequency_summary({tbl}, {keys})",
    "sdc_sample_uniques": "FROM sdc_sample_uniques({tbl}, {keys})",
    "sdc_cell_risk": "FROM sdc_cell_risk({tbl}, {keys}, {weight})",
    "sdc_individual_risk": "FROM sdc_individual_risk({tbl}, {keys}, {weight})",
    "sdc_global_risk": "FROM sdc_global_risk({tbl}, {keys}, {weight})",
    "sdc_risk_threshold": "FROM sdc_risk_threshold({tbl}, {keys}, {weight}, 0.05)",
    "sdc_household_risk": "FROM sdc_household_risk({tbl}, {keys}, {weight}, {household}, 0.1)",
    "sdc_household_global_risk": "FROM sdc_household_global_risk({tbl}, {keys}, {weight}, {household})",
    "sdc_k_anonymity": "FROM sdc_k_anonymity({tbl}, {keys}, 3)",
    # without the names of the keys, which are told as they were given
    "sdc_threshold_rule": (
        'SELECT * EXCLUDE (columns, "values") FROM sdc_threshold_rule({tbl}, {keys}, 40, weight := {weight})'
    ),
    "sdc_threshold_rule_summary": (
        "SELECT * EXCLUDE (columns) FROM sdc_threshold_rule_summary({tbl}, {keys}, 40, weight := {weight})"
    ),
    "sdc_threshold_rule_records": "FROM sdc_threshold_rule_records({tbl}, {keys}, 40, weight := {weight})",
}
CALLS = {
    "sdc_minimal_sample_uniques": "FROM sdc_minimal_sample_uniques({tbl}, {keys})",
    "sdc_suda": "FROM sdc_suda({tbl}, {keys})",
    "sdc_suda_summary": "FROM sdc_suda_summary({tbl}, {keys})",
    "sdc_suda_contributions": "FROM sdc_suda_contributions({tbl}, {keys})",
    "sdc_suda_value_contributions": "FROM sdc_suda_value_contributions({tbl}, {keys})",
    "sdc_theta": "FROM sdc_theta({tbl}, {keys}, 0.1)",
    "sdc_theta_by": "FROM sdc_theta_by({tbl}, {keys}, {stratum}, 0.1)",
    "sdc_population_risk": "FROM sdc_population_risk({tbl}, {tbl}, {keys})",
    "sdc_k_map": "FROM sdc_k_map({tbl}, {tbl}, {keys}, 3)",
    "sdc_l_diversity": "FROM sdc_l_diversity({tbl}, {keys}, {stratum})",
    "sdc_l_diversity_cells": "FROM sdc_l_diversity_cells({tbl}, {keys}, {stratum})",
    "sdc_l_diversity_records": "FROM sdc_l_diversity_records({tbl}, {keys}, {stratum})",
    "sdc_t_closeness": "FROM sdc_t_closeness({tbl}, {keys}, {stratum})",
    "sdc_t_closeness_cells": "FROM sdc_t_closeness_cells({tbl}, {keys}, {stratum})",
    "sdc_likeness": "FROM sdc_likeness({tbl}, {keys}, {stratum})",
    "sdc_likeness_cells": "FROM sdc_likeness_cells({tbl}, {keys}, {stratum})",
    "sdc_alpha_k_anonymity": "FROM sdc_alpha_k_anonymity({tbl}, {keys}, {stratum}, 0.5, 2)",
    **_CATEGORY,
    **{f"{name} wildcard": call[:-1] + ", nulls := 'wildcard')" for name, call in _CATEGORY.items()},
}
# These need tables of matrices, levels for the keys or a secret key besides: what holds of all is tested with them.
APART = {
    "sdc_theta_misclassified",
    "sdc_theta_misclassified_crossing",
    "sdc_pram_reversed",
    "sdc_pram_reversed_crossing",
    "sdc_data_intrusion_simulation",
    "sdc_data_intrusion_misclassified",
    "sdc_research_file_rules",
    "sdc_public_use_file_rules",
}
WITH_NULLS = [name for name in CALLS if name.endswith("wildcard")]
WITH_WEIGHT = [name for name, call in CALLS.items() if "{weight}" in call]
# Between them these read a table in every way that the macros do.
READERS = ["sdc_theta", "sdc_theta_by", "sdc_population_risk", "sdc_frequencies wildcard", "sdc_household_risk"]


def query(name: str, **roles: str) -> str:
    """Return the call of a macro on `persons`, or with other arguments (SQL text) in some roles."""
    return CALLS[name].format(**_ROLES | roles)


def complaint(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    """Return the message of the error that a query must end in."""
    with pytest.raises(duckdb.Error) as raised:
        con.execute(sql).fetchall()
    return str(raised.value)


def rounded_rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    """Return the rows in an order of their own, numbers to 13 digits: sums may differ in the last ones."""
    rows = con.execute(sql).fetchall()
    return sorted(repr([float(f"{v:.13g}") if isinstance(v, float) else v for v in row]) for row in rows)
