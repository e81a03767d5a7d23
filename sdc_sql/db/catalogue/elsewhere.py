"""Which masks run on Spark with the values of DuckDB.

By what a method must know to mask one record (``Scope``), and whether each stratum is masked by itself (``Strata``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration

# what Spark runs on all its records at once: each by itself, or by the table of cells, which alone is brought together
ON_SPARK = ("record", "cells")
# what asks for who lives with whom, which is in no cell
OF_HOUSEHOLDS = ("household", "household_columns", "whole")
IN_ONE_TASK = "by households, which no cell tells: all records in the memory of one task"
WHY_NOT = {
    "moments": "it takes the moments of all records, which Spark adds in an order of its own: last digits would differ",
    "table": "it compares all records with one another, and one task of Spark's would have to hold them all",
}


def explain_not_on_spark(mask: Declaration, arguments: Mapping[str, object]) -> str:
    """Return why a step with these arguments does not run on Spark, in words; nothing where it does.

    Examples
    --------
    >>> from sdc_sql.db.catalogue.macros import index_catalogue
    >>> explain_not_on_spark(index_catalogue()["sdc_round"], {"base": 5})
    ''
    >>> explain_not_on_spark(index_catalogue()["sdc_rank_swap"], {"p": 5}).partition(",")[0]
    'it compares all records with one another'
    >>> explain_not_on_spark(index_catalogue()["sdc_rank_swap"], {"p": 5, "stratum": "region"})
    ''
    """
    if mask.effect.records.kind != "stay":
        return "records leave the table by it, or change their order, which masks on Spark do not"
    scope = find_scope(mask, arguments)
    if scope in ON_SPARK:
        return ""
    if mask.effect.strata.kind != "apart":
        return WHY_NOT[scope]
    return "" if arguments.get("stratum") else f"{WHY_NOT[scope]} (with a stratum = it runs, a task for each stratum)"


def asks_for_households(arguments: Mapping[str, object]) -> bool:
    """Return whether a step looks at who lives with whom.

    Examples
    --------
    >>> asks_for_households({"household": None, "unit": "record"}), asks_for_households({"whole": "home"})
    (False, True)
    """
    return arguments.get("unit") == "household" or any(arguments.get(name) for name in OF_HOUSEHOLDS)


def find_scope(mask: Declaration, arguments: Mapping[str, object]) -> str:
    """Return what a method must know to mask one record, with the choices that hold where none is given."""
    choices = {p.name: p.default.strip("'") for p in mask.parameters if p.choices and p.default is not None}
    given = {name: value for name, value in arguments.items() if value is not None}
    return "table" if mask.scope is None else mask.scope.find_word({**choices, **given})
