"""A DuckDB function by its name and types alone: what computes it is imported when it is called.

A connection gets all functions, and most programs call few of them or none: pyarrow and the modules of all kernels take
as long to import as all macros to create.
"""

from __future__ import annotations

from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class DeclaredFunction:
    """The types of a kernel's arguments and of its answer, as DuckDB writes them."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    returns: str

    @property
    def __signature__(self) -> Signature:
        """Return a signature with one parameter per argument: DuckDB counts them."""
        return Signature([Parameter(name, Parameter.POSITIONAL_ONLY) for name, _ in self.parameters])

    @property
    def result(self) -> str:
        """The type of a row of the result: the answer, or what is wrong with the arguments."""
        return f"STRUCT(answer {self.returns}, complaint VARCHAR)"

    def __call__(self, *arguments: pa.Array) -> pa.Array:
        """Return the results of a chunk of rows."""
        from sdc_sql.udfs.registry import FUNCTIONS  # noqa: PLC0415 - with all kernels

        return FUNCTIONS[self.name](*arguments)
