"""What the functions that DuckDB is given share: how they are declared, and how their arguments are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sdc_sql.udfs.arrow_function import TABLE, Function

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.udfs.arguments import Floats

TEXT, WHOLE, NUMBER = "VARCHAR", "BIGINT[]", "DOUBLE"
DRAWS: dict[str, Any] = {"x": TABLE, "normals": TABLE, "uniforms": TABLE}


def declare_function(
    name: str, kernel: Callable[..., Any], returns: str, *, by_stratum: bool = True, **parameters: str
) -> Function:
    """Return a function by its name without ``sdc__kernel_``, with its types; what is wrong names the stratum."""
    stratum = (("stratum", TEXT),) if by_stratum else ()
    return Function(name, (*stratum, *parameters.items()), returns, _name_stratum(kernel) if by_stratum else kernel)


def _name_stratum(function: Any) -> Any:  # noqa: ANN401
    """Return the function with the stratum named in its errors."""

    def call_in_stratum(stratum: str | None, *arguments: Any) -> Any:  # noqa: ANN401
        try:
            return function(stratum, *arguments)
        except ValueError as error:
            raise ValueError(str(error) if stratum is None else f"in a stratum, {error}") from None

    return call_in_stratum


def choose_function(method: str | None, methods: dict[str, Any]) -> Any:  # noqa: ANN401 - a function
    """Return the function of a method."""
    if method not in methods:
        raise ValueError(f"method is {method!r}: it must be one of {', '.join(methods)}")
    return methods[method]


def require_given(value: float | None, name: str) -> float:
    """Return a number that must be given."""
    if value is None:
        raise ValueError(f"{name} is NULL: give a number")
    return value


def keep_missing(masked: Floats, x: Floats) -> Floats:
    """Return masked values with missing ones as they were, NULL or NaN: kernels may turn one into the other."""
    return np.where(np.isnan(x), x, masked)
