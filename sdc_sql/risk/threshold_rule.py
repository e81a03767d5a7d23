"""The threshold rule of ARGUS: combinations of values of a few keys that are shared by too few persons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import require_flag, require_thresholds
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class UnsafeCombination(Result):
    """A combination of values shared by too few persons: its records in the file, its frequency, its threshold."""

    columns: tuple[str, ...]
    values: tuple[str | None, ...]
    records: int
    frequency: float
    threshold: float


@dataclass(frozen=True)
class ThresholdSummary(Result):
    """The result for one set of keys."""

    columns: tuple[str, ...]
    threshold: float
    combinations: int
    unsafe_combinations: int
    unsafe_records: int
    least_frequency: float


def threshold_rule(
    data: Roles,
    threshold: float | Sequence[float | None],
    *,
    dimension: int | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    inclusive: bool = True,
) -> Results[UnsafeCombination]:
    """Return every unsafe combination of values of up to ``dimension`` keys.

    Parameters
    ----------
    threshold
        In persons of the population where the table has a weight, else in records of the file; or a list, one for each
        dimension (None: that dimension is not checked). One that a single record of the smallest weight does not break
        is an error.
    dimension
        How many keys are combined at most; 3 by default.
    levels
        The keys' levels of identification, ``{"extremely": [...], "very": [...], "identifying": [...]}``: only the
        combinations of one key of each level are checked; a key of a higher level counts in the lower ones too.
    inclusive
        Whether a frequency equal to the threshold is unsafe.

    Returns
    -------
    Results of UnsafeCombination
        Smaller sets first, rarest first; values as text.

    Raises
    ------
    ParameterError
        Where a threshold is not positive, or less than what the record of the smallest weight stands for (nothing could
        break it: it was meant for records), or a key has no level.

    Notes
    -----
    SDC handbook, section 3.3.4; the levels of section 3.7.

    Examples
    --------
    >>> import sdc_sql
    >>> [(c.values, c.frequency) for c in sdc_sql.example().risk.threshold_rule([22, 30])]
    [(('41',), 20.0), (('m',), 20.0), (('41', 'm'), 20.0), (('30', 'f'), 25.0)]
    """
    rows = data.rows(
        "sdc_threshold_rule",
        *_require_arguments(data, threshold),
        **_list_named_arguments(data, dimension, levels, inclusive=inclusive),
    )
    return Results(
        UnsafeCombination(**{**r, "columns": tuple(r["columns"]), "values": tuple(r["values"])}) for r in rows
    )


def threshold_rule_summary(
    data: Roles,
    threshold: float | Sequence[float | None],
    *,
    dimension: int | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    inclusive: bool = True,
) -> Results[ThresholdSummary]:
    """Return, for each set of keys that is checked, its combinations and the unsafe ones; see :func:`threshold_rule`.

    Parameters
    ----------
    threshold
        As in :func:`threshold_rule`.
    dimension
        How many keys are combined at most; 3 by default.
    levels
        The keys' levels of identification.
    inclusive
        Whether a frequency equal to the threshold is unsafe.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.threshold_rule_summary(22)
    >>> [(s.columns, s.unsafe_combinations, s.unsafe_records) for s in found]
    [(('age',), 1, 1), (('sex',), 1, 1), (('age', 'sex'), 1, 1)]
    """
    named = _list_named_arguments(data, dimension, levels, inclusive=inclusive)
    rows = data.rows("sdc_threshold_rule_summary", *_require_arguments(data, threshold), **named)
    return Results(ThresholdSummary(**{**r, "columns": tuple(r["columns"])}) for r in rows)


def threshold_rule_records(
    data: Roles,
    threshold: float | Sequence[float | None],
    *,
    dimension: int | None = None,
    levels: Mapping[str, Sequence[str]] | None = None,
    inclusive: bool = True,
) -> duckdb.DuckDBPyRelation:
    """Return every record with ``unsafe_combinations``, how many it has; see :func:`threshold_rule`.

    Parameters
    ----------
    threshold
        As in :func:`threshold_rule`.
    dimension
        How many keys are combined at most; 3 by default.
    levels
        The keys' levels of identification.
    inclusive
        Whether a frequency equal to the threshold is unsafe.

    Examples
    --------
    >>> import sdc_sql
    >>> [r[5] for r in sdc_sql.example().risk.threshold_rule_records(22).order("id").fetchall()]
    [0, 0, 3]
    """
    named = _list_named_arguments(data, dimension, levels, inclusive=inclusive)
    return data.relation("sdc_threshold_rule_records", *_require_arguments(data, threshold), **named)


def _require_arguments(data: Roles, threshold: float | Sequence[float | None]) -> tuple[Any, ...]:
    """Return the table, its keys and the thresholds, once these are checked to be positive numbers."""
    return data.table, data.keys, require_thresholds(threshold)


def _list_named_arguments(
    data: Roles, dimension: int | None, levels: Mapping[str, Sequence[str]] | None, *, inclusive: bool
) -> dict[str, Any]:
    return {
        "weight": data.weight,
        "dimension": None if dimension is None else require_number("threshold_rule", "dimension", dimension),
        "levels": None if levels is None else data.checked_levels(levels),
        "inclusive": require_flag(inclusive, "inclusive"),
        **data.counting,
    }
