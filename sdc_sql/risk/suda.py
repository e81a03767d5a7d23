"""Special uniques: minimal sample uniques, SUDA and DIS-SUDA scores (Elliot et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql import query
from sdc_sql.checks import fraction, whole
from sdc_sql.errors import ParameterError
from sdc_sql.results import Result
from sdc_sql.suda_search import searched, stored

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.query import Value
    from sdc_sql.roles import Roles

SCORINGS = ("factorial", "superset")
NULLS = ("category", "excluded")


@dataclass(frozen=True)
class SudaSummary(Result):
    """SUDA of the file: records with a minimal sample unique (MSU), the MSUs, scores and DIS-SUDA."""

    records: int
    records_with_msu: int
    msus: int
    total_score: float
    max_score: float
    max_dis_suda: float
    mean_dis_suda: float


@dataclass(frozen=True)
class SudaContribution(Result):
    """The percentage of the file's total score that is due to minimal sample uniques with a variable."""

    variable: str
    msus: int
    contribution: float


@dataclass(frozen=True)
class SudaValueContribution(Result):
    """The percentage of what is due to a variable that is due to one of its values (as text)."""

    variable: str
    value: str | None
    msus: int
    contribution: float


def _size(max_msu: int | None) -> int | None:
    return None if max_msu is None else whole(max_msu, "max_msu", least=1)


def _choice(name: str, value: str, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ParameterError(f"{name} is {value!r}: it must be {known[0]!r} or {known[1]!r}.")
    return value


def _treatment(data: Roles, nulls: str | None) -> str:
    """Return how NULL takes part; a NULL that agrees with every value makes no record unique on a set of keys."""
    if nulls is None and data.nulls == "wildcard":
        raise ParameterError(
            "nulls is 'wildcard' for this table: SUDA knows no wildcards; say nulls='excluded' (no minimal sample "
            "unique uses a NULL) or nulls='category' (NULL is a value of its own)."
        )
    return _choice("nulls", "category" if nulls is None else nulls, NULLS)


def _rows(data: Roles, macro: str, max_msu: int | None, nulls: str | None, **named: Value) -> list[dict[str, Any]]:
    treatment = _treatment(data, nulls)
    with searched(data, _size(max_msu), treatment) as found:
        return data.rows(macro, data.table, data.keys, found, nulls=treatment, **named)


def _table(data: Roles, macro: str, max_msu: int | None, nulls: str | None, **named: Value) -> duckdb.DuckDBPyRelation:
    """Store a measure of records: what was found holds for the records as they are now, and for no later ones."""
    treatment = _treatment(data, nulls)
    with searched(data, _size(max_msu), treatment) as found:
        name = stored(data, query.call(macro, data.table, data.keys, found, nulls=treatment, **named))
    return data.con.table(name)


def minimal_sample_uniques(
    data: Roles, max_msu: int | None = 3, *, nulls: str | None = None
) -> duckdb.DuckDBPyRelation:
    """Return a row for each minimal sample unique of each record: every column, ``size`` and ``columns``.

    Computed when it is called, into a temporary table of the connection.

    Parameters
    ----------
    max_msu
        The largest size to look for; None for every size.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Examples
    --------
    >>> import sdc_sql
    >>> sorted(row[0:3] + row[-2:] for row in sdc_sql.example().minimal_sample_uniques().fetchall())
    [(3, 41, 'm', 1, ['age']), (3, 41, 'm', 1, ['sex'])]
    """
    return _table(data, "sdc_minimal_sample_uniques", max_msu, nulls)


def suda(
    data: Roles,
    max_msu: int | None = 3,
    *,
    dis_fraction: float = 0.01,
    scoring: str = "factorial",
    nulls: str | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return every record with ``msu_count``, ``suda_score`` and ``dis_suda``.

    Computed when it is called, into a temporary table of the connection.

    Parameters
    ----------
    max_msu
        The largest size of a minimal sample unique to look for; None for every size. Smaller looks less far, and
        scores are smaller.
    dis_fraction
        The DIS fraction, in (0, 1): as a rule the sampling fraction.
    scoring
        ``"factorial"``: (m - k)! for each; ``"superset"``: (2^(m - k) - 1) k! (m - k)! / m!.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Notes
    -----
    Elliot, Manning, Mayes, Gurd & Bane (2005); SDC handbook, section 3.3.7.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().suda().order("id").fetchall()[2]
    (3, 41, 'm', 20.0, 2, 2, 2.0, 0.005025125628140704)
    """
    return _table(
        data,
        "sdc_suda",
        max_msu,
        nulls,
        dis_fraction=fraction(dis_fraction, "DIS fraction"),
        scoring=_choice("scoring", scoring, SCORINGS),
    )


def suda_summary(
    data: Roles,
    max_msu: int | None = 3,
    *,
    dis_fraction: float = 0.01,
    scoring: str = "factorial",
    nulls: str | None = None,
) -> SudaSummary:
    """Return SUDA of the file in one row.

    Parameters
    ----------
    max_msu
        The largest size of a minimal sample unique to look for; None for every size.
    dis_fraction
        The DIS fraction, in (0, 1): as a rule the sampling fraction.
    scoring
        ``"factorial"``: (m - k)! for each; ``"superset"``: (2^(m - k) - 1) k! (m - k)! / m!.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().suda_summary().msus
    2
    """
    row = _rows(
        data,
        "sdc_suda_summary",
        max_msu,
        nulls,
        dis_fraction=fraction(dis_fraction, "DIS fraction"),
        scoring=_choice("scoring", scoring, SCORINGS),
    )[0]
    return SudaSummary(**row)


def suda_contributions(
    data: Roles, max_msu: int | None = 3, *, scoring: str = "factorial", nulls: str | None = None
) -> list[SudaContribution]:
    """Return for each key the percentage of the total score due to it; they sum to more than 100.

    Parameters
    ----------
    max_msu
        The largest size of a minimal sample unique to look for; None for every size.
    scoring
        ``"factorial"``: (m - k)! for each; ``"superset"``: (2^(m - k) - 1) k! (m - k)! / m!.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Examples
    --------
    >>> import sdc_sql
    >>> [(c.variable, c.contribution) for c in sdc_sql.example().suda_contributions()]
    [('age', 50.0), ('sex', 50.0)]
    """
    rows = _rows(data, "sdc_suda_contributions", max_msu, nulls, scoring=_choice("scoring", scoring, SCORINGS))
    return [SudaContribution(**row) for row in rows]


def suda_value_contributions(
    data: Roles, max_msu: int | None = 3, *, scoring: str = "factorial", nulls: str | None = None
) -> list[SudaValueContribution]:
    """Return for each value of each key the percentage of what is due to the key that is due to the value.

    Parameters
    ----------
    max_msu
        The largest size of a minimal sample unique to look for; None for every size.
    scoring
        ``"factorial"``: (m - k)! for each; ``"superset"``: (2^(m - k) - 1) k! (m - k)! / m!.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Examples
    --------
    >>> import sdc_sql
    >>> [(c.variable, c.value, c.contribution) for c in sdc_sql.example().suda_value_contributions()][:2]
    [('age', '30', 0.0), ('age', '41', 100.0)]
    """
    rows = _rows(data, "sdc_suda_value_contributions", max_msu, nulls, scoring=_choice("scoring", scoring, SCORINGS))
    return [SudaValueContribution(**row) for row in rows]
