"""The macros that cannot be compiled for other engines: their headers say why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.compiler.definitions import load_definitions
from sdc_sql.compiler.known import compute_known_value
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.errors import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence


def refuse(name: str, arguments: Sequence[exp.Expression] = (), dialect: str = "") -> None:
    """Raise an error that says why, where a macro cannot be compiled.

    Examples
    --------
    >>> refuse("sdc_theta")
    >>> refuse("sdc_pram")
    Traceback (most recent call last):
    sdc_sql.errors.Unsupported: sdc_pram cannot be compiled: it masks records: on Spark use ...
    """
    if name not in index_catalogue():
        return
    if index_catalogue()[name].not_compiled:
        raise Unsupported(f"{name} cannot be compiled: {index_catalogue()[name].not_compiled}.")
    if index_catalogue()[name].masks and dialect == "duckdb":
        raise Unsupported(f"{name} is compiled for Spark and PostgreSQL: in DuckDB call the macro itself.")
    if name != "sdc_noise":
        return
    given = load_definitions()[name].bind(arguments)
    method = given["method"]
    if method != exp.Literal.string("uncorrelated"):
        raise Unsupported(
            f"{name} cannot be compiled with method := {method.sql('duckdb')}: it needs Python;"
            " only 'uncorrelated' is SQL alone."
        )
    # (its check stands in a branch that depends on the data)
    compute_known_value(exp.Anonymous(this="sdc__checked_alpha", expressions=[given["alpha"]]))
