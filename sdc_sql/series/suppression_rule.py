"""What a suppressing mask counts of each released row, and how much is too little."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

EVERY = 65535  # all keys


@dataclass(frozen=True)
class SuppressionRule:
    """Sets of keys, a bit each, and the bound of each; what is counted, and how it is compared with the bound."""

    guarantee: str
    sets: tuple[int, ...]
    bounds: tuple[float, ...]
    compares: str


def find_suppression_rule(con: duckdb.DuckDBPyConnection, macro: str, arguments: Mapping[str, Any]) -> SuppressionRule:
    """Return the rule of a step; refuse what cannot be kept.

    Raises
    ------
    SeriesError
        Of what hangs on other members of a household, or on shares of a file.
    """
    _refuse_of_households(macro, arguments)
    if macro == "local_suppression":
        if arguments.get("max_share") is not None:
            raise SeriesError(
                "max_share is refused in a series of releases: what was suppressed is out, and the newcomers alone "
                "would have to make up for it. Give the keys an importance instead."
            )
        return SuppressionRule(str(arguments["guarantee"]), (EVERY,), (float(arguments["k"]),), "records")
    if macro == "suppress_risky":
        return SuppressionRule("strong", (EVERY,), (float(arguments["max_risk"]),), "risk")
    names = ("columns", "threshold", "dimension", "levels", "combinations")
    call = exp.Anonymous(
        this="sdc__suppression_rule", expressions=[query.make_text_literal(arguments[name]) for name in names]
    )
    with translate_errors():
        ((rule,),) = execute(con, exp.select(exp.alias_(call, "rule"))).fetchall()
    folded = [str(key).lower() for key in arguments["columns"]]
    found = {
        sum(1 << folded.index(str(name).lower()) for name in names): float(limit)
        for names, limit in sorted(zip(rule["sets"], rule["limits"], strict=True), key=lambda one: float(one[1]))
    }
    compares = "above" if arguments["inclusive"] else "at least"
    return SuppressionRule("strong", tuple(found), tuple(found.values()), compares)


def _refuse_of_households(macro: str, arguments: Mapping[str, Any]) -> None:
    by = "whole" if "whole" in arguments else "household"
    if arguments.get("household_columns"):
        raise SeriesError(
            f"{macro} of keys of the household is refused in a series of releases: who moves to another household "
            f"shows there what was suppressed for the former one. Give household_columns=[], where no key is of the "
            f"household."
        )
    if arguments.get("unit") == "household" or (by == "whole" and arguments.get("household") is not None):
        raise SeriesError(
            f"{macro} that counts households is refused in a series of releases: who moves to another household "
            f"changes what is counted for the rows that are out. Count records."
        )
