"""Minimal sample uniques over the cells as numbers in memory.

The macro computes the same in one query, with a GROUP BY of every cell for each set of keys. Here DuckDB makes the
cells and numbers the categories of each key; a kernel (udfs/suda/special_uniques.py) searches them. What it finds goes
back into a table, some millions of rows at a time.
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import duckdb
import numpy as np
import pyarrow as pa
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ParameterError, translate_errors
from sdc_sql.udfs.suda.special_uniques import special_uniques
from sdc_sql.udfs.suda.work import MOST_BYTES, MOST_WORK, TooMuchWorkError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from sdc_sql.roles import Roles

MOST_KEYS = 62  # a set is stored in the bits of a BIGINT
BATCH = 4_000_000  # rows found that are held before they are stored
_ID, _RECORDS, _MASK = ("sdc__id", "sdc__records", "sdc__mask")
_CODE, _VALUE = ("sdc__code", "sdc__category")
_numbers = itertools.count(1)


def _quote_column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _create(name: str, select: exp.Expression) -> str:
    return query.write_sql(
        exp.Create(
            this=exp.to_table(name),
            kind="TABLE",
            expression=select,
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )
    )


def _drop(name: str) -> str:
    return f"DROP TABLE IF EXISTS {exp.to_table(name).sql('duckdb')}"


def store_query(data: Roles, select: exp.Select) -> str:
    """Store the rows of a query in a temporary table; return its name."""
    name = f"sdc__suda_rows_{next(_numbers)}"
    with translate_errors():
        execute(data.con, _create(name, select)).fetchall()
    return name


def _code_key(cells: str, key: str) -> str:
    """Return the query of the category of each cell, by number: NULL is 0, the others follow in no order."""
    number = exp.Window(this=exp.RowNumber())
    code = exp.Case(
        ifs=[exp.If(this=_quote_column(key).is_(exp.null()), true=query.make_text_literal(0))], default=number
    )
    values = exp.select(exp.alias_(_quote_column(key), _VALUE), exp.alias_(exp.cast(code, "INTEGER"), _CODE))
    values = values.from_(exp.to_table(cells)).group_by(_quote_column(key))
    same = exp.NullSafeEQ(this=_quote_column(key, "c"), expression=_quote_column(_VALUE, "v"))
    coded = exp.select(_quote_column(_ID, "c"), _quote_column(_CODE, "v")).from_(exp.to_table(cells).as_("c"))
    return query.write_sql(coded.join(values.subquery("v"), on=same))


def _fetch_cell_numbers(con: duckdb.DuckDBPyConnection, select: str) -> NDArray[np.integer]:
    """Return a number of each cell in the order of their ids, 1 to n, in as few bytes as it takes."""
    ids, values = (np.asarray(v) for v in execute(con, select).fetchnumpy().values())
    result = np.empty(len(ids), dtype=np.min_scalar_type(int(values.max(initial=0))))
    result[ids - 1] = values
    return result


def _store(con: duckdb.DuckDBPyConnection, name: str, found: list[tuple[int, NDArray[np.int64]]]) -> None:
    ids = np.concatenate([cells for _, cells in found]) + 1
    masks = np.repeat(np.array([keys for keys, _ in found], dtype=np.int64), [len(cells) for _, cells in found])
    rows = f"{name}_rows"
    con.register(rows, pa.table({_ID: ids, _MASK: masks}))
    try:
        select = exp.select(_quote_column(_ID), _quote_column(_MASK)).from_(exp.to_table(rows))
        execute(con, exp.insert(select, exp.to_table(name), dialect="duckdb")).fetchall()
    finally:
        con.unregister(rows)


def _search(data: Roles, name: str, most: int, nulls: str) -> None:
    con, cells = data.con, f"{name}_cells"
    numbered = query.call_macro("sdc__category_cells", data.table, data.keys, None)
    execute(con, _create(cells, numbered.select(exp.alias_(exp.Window(this=exp.RowNumber()), _ID)))).fetchall()
    empty = exp.select(*(exp.alias_(exp.cast(exp.null(), "BIGINT"), column) for column in (_ID, _MASK))).limit(0)
    execute(con, _create(name, empty)).fetchall()
    records = exp.select(_quote_column(_ID), _quote_column(_RECORDS)).from_(exp.to_table(cells))
    single = _fetch_cell_numbers(con, query.write_sql(records)) == 1
    codes = [_fetch_cell_numbers(con, _code_key(cells, key)) for key in data.keys]
    found: list[tuple[int, NDArray[np.int64]]] = []
    held = 0
    for keys, places in special_uniques(codes, single, most, zero_is_null=nulls == "excluded"):
        found.append((keys, places))
        held += len(places)
        if held >= BATCH:
            _store(con, name, found)
            found, held = [], 0
    if found:
        _store(con, name, found)


@contextmanager
def search_uniques(data: Roles, max_msu: int | None, nulls: str) -> Iterator[tuple[str, str]]:
    """Yield the names of two temporary tables, the cells and what was found, for sql/risk/found_uniques.sql."""
    m = len(data.keys)
    most = m if max_msu is None else min(max_msu, m)
    if m > MOST_KEYS:
        raise ParameterError(
            f"{m} keys are named: special uniques are looked for among at most {MOST_KEYS}; name fewer."
        )
    name = f"sdc__suda_{next(_numbers)}"
    try:
        try:
            with translate_errors():
                _search(data, name, most, nulls)
        except TooMuchWorkError:
            raise ParameterError(
                f"max_msu asks for special uniques of up to {most} of {m} keys, and they, or the sets to look at, are "
                f"too many: more than {MOST_WORK:,} looks at a cell, or {MOST_BYTES:,} bytes to hold. Give a smaller "
                "max_msu or fewer keys, or recode the keys of many categories first."
            ) from None
        yield f"{name}_cells", name
    finally:
        for table in (name, f"{name}_cells"):
            with suppress(duckdb.Error):  # in a transaction that has failed the first error is the one to report
                execute(data.con, _drop(table)).fetchall()
