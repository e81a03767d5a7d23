"""How probably an intruder reads a true sensitive value from the released file (CAP, WEAP, TCAP)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING

from sdc_sql.compared import columns_of, original_table
from sdc_sql.db.catalogue.arguments import checked_choice
from sdc_sql.db.checks import is_number, told
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class CorrectAttribution(Result):
    """Of a target, probabilities of a right attribution, over the original's records; WEAP and TCAP of released ones.

    None where no record is matched (``cap_matched``) or targeted (``tcap``, ``tcap_original``).
    """

    target: str
    records: int
    in_released: float
    target_in_released: float
    baseline: float
    cap_original: float
    cap: float
    cap_matched: float | None
    weap: float
    targeted: int
    targeted_matched: int
    tcap: float | None
    tcap_original: float | None


def _tau(value: object) -> float:
    if isinstance(value, Real | Decimal) and is_number(value) and 0 < float(value) <= 1:
        return float(value)
    raise ParameterError(f"tau is {told(value)}: it must be above 0 and at most 1.")


def correct_attribution(
    data: Roles, original: Described | str, targets: Iterable[str], *, tau: float = 1.0, nulls: str = "higher"
) -> Results[CorrectAttribution]:
    """Return how probably a sensitive value that an intruder reads from the released file is the true one.

    The records need not be the original's: files of synthetic records are compared too. What was recoded must be
    recoded alike in the original first; ``in_released`` is the share of its records whose keys the released file has.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    targets
        The sensitive variables, each measured by itself.
    tau
        The least WEAP of a record that the intruder would go by, above 0 and at most 1.
    nulls
        A NULL in a released key is a value of its own (``"category"``), or agrees with every value (``"wildcard"``); of
        each figure the higher of both (``"higher"``).

    Returns
    -------
    list of CorrectAttribution
        One a target.

    Raises
    ------
    TableError
        Where no value of a key or a target occurs in both tables: they were not coded alike.

    Notes
    -----
    Elliot (2014); Taub, Elliot, Pampaka & Smith (2018); Taub & Elliot (2019). The table needs keys.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.linkage.correct_attribution(data, ["w"])[0]
    >>> round(found.baseline, 3), round(found.cap, 3), found.tcap
    (0.333, 0.667, 1.0)
    """
    found = data.rows(
        "sdc_correct_attribution", original_table(data, original), data.table, data.keys,
        columns_of(data, targets, "target"), tau=_tau(tau),
        nulls=checked_choice("correct_attribution", "nulls", nulls),
    )  # fmt: skip
    return Results(CorrectAttribution(**row) for row in found)


def correct_attribution_records(
    data: Roles, original: Described | str, target: str, *, nulls: str = "higher"
) -> duckdb.DuckDBPyRelation:
    """Return every record of the original, and how probably the released file attributes its true value to it.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    target
        The sensitive variable.
    nulls
        A NULL in a released key is a value of its own (``"category"``), or agrees with every value (``"wildcard"``); of
        each figure the higher of both (``"higher"``).

    Returns
    -------
    duckdb.DuckDBPyRelation
        The original's columns, ``matches`` (the released records with its keys) and ``cap`` (NULL where there is none).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [row[-2:] for row in data.linkage.correct_attribution_records(data, "w").order("id").fetchall()]
    [(2, 0.5), (2, 0.5), (1, 1.0)]
    """
    table, column = original_table(data, original), data.found("target", target)
    nulls = checked_choice("correct_attribution_records", "nulls", nulls)
    return data.relation("sdc_correct_attribution_records", table, data.table, data.keys, column, nulls=nulls)


def targeted_attribution_records(
    data: Roles, original: Described | str, target: str, *, nulls: str = "higher"
) -> duckdb.DuckDBPyRelation:
    """Return every released record, how sure an intruder is of its value, and how probably that is the original one.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    target
        The sensitive variable.
    nulls
        A NULL in a released key is a value of its own (``"category"``), or agrees with every value (``"wildcard"``); of
        each figure the higher of both (``"higher"``).

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``weap``, ``matches`` (the original's records with its keys), ``tcap`` (NULL where there is none).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> [row[-3:] for row in data.linkage.targeted_attribution_records(data, "w").order("id").fetchall()]
    [(0.5, 2, 0.5), (0.5, 2, 0.5), (1.0, 1, 1.0)]
    """
    table, column = original_table(data, original), data.found("target", target)
    nulls = checked_choice("targeted_attribution_records", "nulls", nulls)
    return data.relation("sdc_targeted_attribution_records", table, data.table, data.keys, column, nulls=nulls)
