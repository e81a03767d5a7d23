"""What a party does not answer, whatever was agreed: it is looked at in its own house, before anything is sent.

records       at least p + k,  p the columns of the model with its constant;  k for sums
columns       non-zero for at least k own records, and unlike their commonest value for none or at least k
              (of sums: none or at least k records in a cell, and with a value there)
combinations  none of fewer than k records, with all that was answered before (:mod:`sdc_sql.between.leverage`)
response      it does not follow from the regressors among the own records: whoever knows these would know it
parties       those of every earlier answer on the same records: what one set has more than another is a party's own
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sdc_sql.between.errors import RefusedError
from sdc_sql.between.leverage import find_dependent_columns, find_exposing_column
from sdc_sql.between.log import find_other_parties, gather_answers
from sdc_sql.between.own import compute_cross_sums

if TYPE_CHECKING:
    import duckdb
    import numpy.typing as npt

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.log import Answers
    from sdc_sql.between.own import Own

NOTHING = "Nothing was sent."


def judge_model(log: duckdb.DuckDBPyConnection, agreement: Agreement, own: Own) -> Answers:
    """Return what is answered now and was before, where it may be.

    Raises
    ------
    RefusedError
        Where it would tell too much of a few records: which column, and what to do. No value is shown.
    """
    k = int(agreement.terms["threshold"])
    is_model = agreement.terms["kind"] == "regression"
    coefficients = len(agreement.columns) if is_model else 0  # the constant in the place of the response
    if len(own.records) < coefficients + k:
        raise RefusedError(
            f"There are {len(own.records)} own records, fewer than the {coefficients + k} that {coefficients} "
            f"coefficients and the threshold {k} ask for. {NOTHING}"
        )
    for name, units in own.columns:
        _check_column(name, units, k, may_be_empty=not is_model)
    if digests := find_other_parties(log, agreement, own):
        raise RefusedError(
            f"Some of these records were answered for before, with other parties (agreement {digests[0][:16]}): the "
            f"difference of the two totals would be the own sums of who is a party of one only. {NOTHING} Agree "
            "with the same parties."
        )
    if is_model:
        _check_response(log, [units for _, units in own.columns])
    answers = gather_answers(log, own)
    gram = sum_products(log, answers.columns)
    place = find_exposing_column(answers.columns, gram, k)
    if place is not None:
        what = answers.names[place]
        raise RefusedError(
            f"With {'the column ' + what if what else 'the set of records'}, some combination of the columns that "
            f"were or would be answered may be of fewer than {k} own records, or a few dominate it (a leverage of 1 "
            f"/ {k - 1} or more). {NOTHING} Where it is new: leave the column out, or join categories, cap it, or "
            "take the records of the earlier answer; sdc-sql between log shows what was answered."
        )
    return answers


def sum_products(con: duckdb.DuckDBPyConnection, columns: list[npt.NDArray[np.int64]]) -> list[list[int]]:
    """Return the exact sums of products of columns in memory, by the macro by which those are that are shared."""
    con.register("sdc__columns", pa.table({f"sdc__u_{i}": column for i, column in enumerate(columns)}))
    try:
        return compute_cross_sums(con, "sdc__columns")[1:]
    finally:
        con.unregister("sdc__columns")


def _check_column(name: str, units: npt.NDArray[np.int64], k: int, *, may_be_empty: bool) -> None:
    there = int(np.count_nonzero(units))
    if there < k and not (may_be_empty and there == 0):
        raise RefusedError(
            f"The column {name} is non-zero for {there} own records, fewer than {k}: its sums would tell of them "
            f"alone. {NOTHING} Agree on a model without it, or with broader categories."
        )
    _, counts = np.unique(units, return_counts=True)
    others = len(units) - int(counts.max())
    if not may_be_empty and 0 < others < k:
        raise RefusedError(
            f"The column {name} has one value for all but {others} own records, fewer than {k}: the constant less "
            f"the column would tell of them alone. {NOTHING} Agree on a model without it, or with broader "
            "categories."
        )


def _check_response(log: duckdb.DuckDBPyConnection, columns: list[npt.NDArray[np.int64]]) -> None:
    if find_dependent_columns(sum_products(log, columns))[-1]:
        raise RefusedError(
            "The response follows exactly from the regressors among the own records: whoever knows somebody's "
            f"regressors would know it. {NOTHING}"
        )
