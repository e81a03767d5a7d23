"""A DuckDB function over a numpy kernel: its name, its types, and how lists become arrays and back.

DuckDB hands over Arrow arrays of up to 2,048 rows; a row is a stratum, with its records as lists. NULL in a list of
numbers becomes NaN, and a masked value is NULL again where the original was. What a kernel refuses is handed back as a
text beside its answer, since DuckDB would put words of its own before an error that Python raises.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from sdc_sql.udfs.declared_function import DeclaredFunction
from sdc_sql.udfs.interruption import run_stoppable

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS, TABLE = "DOUBLE[]", "DOUBLE[][]"
WHOLES, WHOLE_TABLE = "BIGINT[]", "BIGINT[][]"
DIGESTS = "BLOB[]"
ROWS = "FLOAT8[][]"  # as a table, a list a record, of which columns are read one by one

_TYPES = {
    NUMBERS: pa.list_(pa.float64()),
    TABLE: pa.list_(pa.list_(pa.float64())),
    WHOLES: pa.list_(pa.int64()),
}  # the types of an answer; any other is lists of texts


@dataclass(frozen=True)
class Function(DeclaredFunction):
    """A kernel and the types of its arguments and of its answer, as DuckDB writes them."""

    kernel: Callable[..., Any]

    def __call__(self, *arguments: pa.Array) -> pa.Array:
        """Return the results of a chunk of rows."""
        columns = [a.combine_chunks() if isinstance(a, pa.ChunkedArray) else a for a in arguments]
        types = [t for _, t in self.parameters]
        rows = (
            self.kernel(*(_convert_scalar(column[i], kind) for column, kind in zip(columns, types, strict=True)))
            for i in range(len(columns[0]))
        )
        with run_stoppable():
            try:
                answers = pa.concat_arrays([_make_answer(row, self.returns) for row in rows])
                complaint = None
            except ValueError as error:
                answers = pa.nulls(len(columns[0]), _TYPES.get(self.returns, pa.list_(pa.list_(pa.string()))))
                complaint = str(error)
        complaints = pa.array([complaint] * len(answers), type=pa.string())
        return pa.StructArray.from_arrays([answers, complaints], names=["answer", "complaint"])


def _convert_scalar(scalar: Any, kind: str) -> Any:  # noqa: ANN401 - whatever the declared type is
    """Return an Arrow scalar as Python or numpy has it: (n,) or (n, p) floats, or integers, for lists of numbers."""
    if not scalar.is_valid:
        return None
    return _READ[kind](scalar.values) if kind in _READ else scalar.as_py()


def _bytes(array: pa.Array) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return bytes, as many for each record, as (n, length), without a copy."""
    _, ends, data = array.buffers()
    width = np.int64 if pa.types.is_large_binary(array.type) else np.int32
    first, last = np.frombuffer(ends, width)[[array.offset, array.offset + len(array)]]
    return np.frombuffer(data, np.uint8)[first:last].reshape(len(array), -1)


def _floats(array: pa.Array) -> np.ndarray[Any, np.dtype[np.float64]]:
    # NULL becomes NaN, in a copy
    found: np.ndarray[Any, np.dtype[np.float64]] = array.to_numpy(zero_copy_only=False)
    if found.dtype != np.float64 or not found.flags.writeable:
        found = found.astype(np.float64)
    if array.null_count:
        # NULL and NaN are told apart again in the result
        found[array.is_null().to_numpy(zero_copy_only=False)] = NULL
    return found


class Rows:
    """The numbers of records as Arrow holds them, of which a column is read without a copy of them all."""

    def __init__(self, records: pa.ListArray) -> None:
        values = records.flatten()
        bits, data = values.buffers()
        first, self.records = values.offset, len(records)
        shape = (self.records, len(values) // self.records)
        self._data = np.frombuffer(data, np.float64)[first : first + len(values)].reshape(shape)
        self._bits = np.frombuffer(bits, np.uint8) if values.null_count else None
        self._first, self._width = first, shape[1]

    def read_column(self, j: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the numbers of a column; NULL is the NaN that stands for it."""
        column = self._data[:, j].copy()
        if self._bits is not None:
            places = np.arange(self._first + j, self._first + j + self.records * self._width, self._width)
            column[(self._bits[places >> 3] >> (places & 7).astype(np.uint8)) & 1 == 0] = NULL
        return column


# Lists of lists are of one length, one per record; whole numbers and bytes without NULL.
_READ: dict[str, Callable[[pa.Array], Any]] = {
    NUMBERS: _floats,
    TABLE: lambda values: _floats(values.flatten()).reshape(len(values), -1),
    WHOLES: lambda values: values.to_numpy(),
    WHOLE_TABLE: lambda values: values.flatten().to_numpy().reshape(len(values), -1),
    DIGESTS: _bytes,
    ROWS: Rows,
}


# A NaN with a payload: NULL on its way through numpy, which keeps the bits of what it only moves.
NULL = np.frombuffer(np.uint64(0x7FF8_0000_0000_5DC0).tobytes(), dtype=np.float64)[0]


def is_null(values: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return where values are NULL and not merely NaN."""
    bits: np.ndarray[Any, np.dtype[np.uint64]] = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.asarray(bits == np.float64(NULL).view(np.uint64))


def _make_answer(row: Any, kind: str) -> pa.Array:  # noqa: ANN401 - arrays or lists of arrays
    """Return one row of the result as an Arrow array of length 1."""
    if kind == "BIGINT[]":
        if row is None:
            return pa.nulls(1, pa.list_(pa.int64()))
        return _wrap_list(pa.array(np.asarray(row, dtype=np.int64)))
    if kind == NUMBERS:
        return _wrap_list(_make_numbers(np.asarray(row, dtype=np.float64)))
    if kind == TABLE:
        return _wrap_list(_make_lists([_make_numbers(np.asarray(column, dtype=np.float64)) for column in row]))
    return _wrap_list(_make_lists([pa.array(column, type=pa.string()) for column in row]))


def _make_numbers(values: np.ndarray[Any, Any]) -> pa.Array:
    missing = np.isnan(values)
    return pa.array(values, mask=missing & is_null(values)) if missing.any() else pa.array(values)


def _make_lists(columns: list[pa.Array]) -> pa.Array:
    offsets = np.cumsum([0, *(len(c) for c in columns)])
    return pa.LargeListArray.from_arrays(pa.array(offsets, type=pa.int64()), pa.concat_arrays(columns)).cast(
        pa.list_(columns[0].type)
    )


def _wrap_list(values: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array([0, len(values)], type=pa.int32()), values)
