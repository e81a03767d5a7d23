"""What a party computes in its own house: its values in whole units, and their sums, by ``sql/between``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlglot import exp

from sdc_sql.between.errors import RefusedError
from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, ParameterError, translate_errors

if TYPE_CHECKING:
    import duckdb
    import numpy.typing as npt

    from sdc_sql.between.agreement import Agreement

MOST_RECORDS = 1 << 27  # products of two units, 2^100, so often are within 127 bits
LEAST_UNITS = 1 << 30  # of a deviation: an estimate is then kept to 3e-10, and better with more records
UNITS, CELLS, BOTH = "sdc__between_units", "sdc__between_cells", "sdc__between_both"


@dataclass(frozen=True)
class Own:
    """A party's own records: their ids, what is summed over them, column by column, and the sums that are agreed.

    ``columns`` has the names and units of whatever the sums are of: the columns of a model, or for each cell whether a
    record lies in it and its values there, each with a name for messages, which several may have.
    """

    records: list[str]
    columns: list[tuple[str, npt.NDArray[np.int64]]]
    sums: list[int]


def compute_own(con: duckdb.DuckDBPyConnection, table: str, record: str, agreement: Agreement) -> Own:
    """Return what a party has to add.

    Parameters
    ----------
    con, table
        The party's table.
    record
        The column that identifies each record; it stays in the house, in the log.
    agreement
        What was agreed.

    Raises
    ------
    ColumnError
        Where a column is missing, no number, NULL or beyond its size; where the id is not unique.
    TableError
        Where there is no such table.
    """
    with translate_errors():
        if agreement.terms["kind"] == "regression":
            return _compute_model(con, table, record, agreement)
        return _compute_cells(con, table, record, agreement)


def compute_cross_sums(con: duckdb.DuckDBPyConnection, table: str) -> list[list[int]]:
    """Return all sums of products of the columns ``sdc__u_...`` of a table and of the constant, which comes first."""
    rows = execute(con, query.call_macro("sdc__cross_sums", table)).fetchall()
    return [[int(row[1 + j]) for j in range(len(row) - 1)] for row in rows]


def _create(con: duckdb.DuckDBPyConnection, name: str, select: exp.Select) -> None:
    execute(
        con,
        exp.Create(
            this=exp.to_table(name),
            kind="TABLE",
            replace=True,
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
            expression=select,
        ),
    )


def _make_units(con: duckdb.DuckDBPyConnection, table: str, record: str, agreement: Agreement) -> None:
    sizes = [float(agreement.terms["sizes"][column]) for column in agreement.columns]
    _create(con, UNITS, query.call_macro("sdc__units", table, record, agreement.columns, sizes, agreement.bits))


def _check_records(records: list[str | None]) -> list[str]:
    known = [r for r in records if r is not None]
    if len(known) < len(records) or len(set(known)) < len(known):
        raise ColumnError(
            "The id is NULL or not unique: name the column that identifies each record, in every run the same."
        )
    if not known:
        raise RefusedError(
            "The table has no records: a party without records would leave the others one fewer to hide among."
        )
    if len(known) > MOST_RECORDS:
        raise ColumnError(f"The table has {len(known):,} records: sums are exact for {MOST_RECORDS:,} at most.")
    return known


def _list_texts(column: Any) -> list[str | None]:  # noqa: ANN401 - an array, masked where it has NULLs
    return [None if text is None else str(text) for text in column.tolist()]


def _select_units(agreement: Agreement, names: list[str]) -> list[exp.Column]:
    """Return the columns of units in the order of the agreement, whatever their order and spelling in the table."""
    spelled = {name.lower(): name for name in names if name.startswith("sdc__u_")}
    return [exp.column(spelled[f"sdc__u_{column}".lower()], quoted=True) for column in agreement.columns]


def _list_names(con: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    return [str(name) for name, *_ in execute(con, exp.select("*").from_(table).limit(0)).description or ()]


def _check_sizes(agreement: Agreement, extents: list[float]) -> None:
    """Refuse a size so far beyond the values that too few of their digits are left in the units."""
    for column, extent in zip(agreement.columns, extents, strict=True):
        if 0 < extent < LEAST_UNITS:
            raise ParameterError(
                f"The size that was agreed for {column}, {agreement.terms['sizes'][column]:g}, is so far beyond the "
                "own values that their digits would be lost: agree on the greatest value that can be, not on a "
                "greater one."
            )


def _compute_model(con: duckdb.DuckDBPyConnection, table: str, record: str, agreement: Agreement) -> Own:
    _make_units(con, table, record, agreement)
    units = _select_units(agreement, _list_names(con, UNITS))
    places = (exp.alias_(u, f"sdc__u_{i}", quoted=True) for i, u in enumerate(units))
    _create(con, BOTH, exp.select("sdc__record", *places).from_(UNITS))
    found = execute(con, exp.select("*").from_(BOTH)).fetchnumpy()
    records = _check_records(_list_texts(found["sdc__record"]))
    columns = [(name, np.asarray(found[f"sdc__u_{i}"])) for i, name in enumerate(agreement.columns)]
    _check_sizes(agreement, [float(np.std(column)) for _, column in columns])
    sums = compute_cross_sums(con, BOTH)
    full = [[len(records), *sums[0]], *([sums[0][i], *row] for i, row in enumerate(sums[1:]))]
    upper = [full[i][j] for i in range(len(full)) for j in range(i, len(full))]
    return Own(records, [("", np.ones(len(records), dtype=np.int64)), *columns], upper)


def _compute_cells(con: duckdb.DuckDBPyConnection, table: str, record: str, agreement: Agreement) -> Own:
    terms = agreement.terms
    _create(con, CELLS, query.call_macro("sdc__agreed_cells", table, record, terms["by"], terms["cells"]))
    # before the join, in which a record without an id would be lost
    _check_records(_list_texts(execute(con, exp.select("sdc__record").from_(CELLS)).fetchnumpy()["sdc__record"]))
    joined = exp.select(
        "sdc__cell", "sdc__record", exp.alias_(exp.cast(exp.Literal.number(1), "BIGINT"), "sdc__u_", quoted=True)
    )
    if agreement.columns:
        _make_units(con, table, record, agreement)
        units = _select_units(agreement, _list_names(con, UNITS))
        joined = joined.select(*(exp.alias_(u, f"sdc__u_{i}", quoted=True) for i, u in enumerate(units)))
        joined = joined.from_(CELLS).join(UNITS, using=["sdc__record"])
    else:
        joined = joined.from_(CELLS)
    _create(con, BOTH, joined)
    rows = execute(con, query.call_macro("sdc__cell_sums", BOTH)).fetchall()
    width = 1 + len(agreement.columns)
    by_cell = {int(cell): [int(total) for total in totals] for cell, *totals in rows}
    sums = [total for c in range(1, len(terms["cells"]) + 1) for total in by_cell.get(c, [0] * width)]
    found = execute(con, exp.select("*").from_(BOTH)).fetchnumpy()
    _check_sizes(agreement, [float(np.abs(found[f"sdc__u_{i}"]).max()) for i in range(len(agreement.columns))])
    names = ["", *agreement.columns]
    keys = ["sdc__u_", *(f"sdc__u_{i}" for i in range(len(agreement.columns)))]
    columns = [
        (
            f"{name} in {' x '.join(cell)}".strip(),
            np.where(np.asarray(found["sdc__cell"]) == c, np.asarray(found[key]), 0).astype(np.int64),
        )
        for c, cell in enumerate(terms["cells"], 1)
        for name, key in zip(names, keys, strict=True)
    ]
    return Own(_check_records(_list_texts(found["sdc__record"])), columns, sums)
