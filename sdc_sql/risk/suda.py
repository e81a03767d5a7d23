"""Special uniques: minimal sample uniques, SUDA and DIS-SUDA scores (Elliot et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.pictures.drawn import DrawnResults
from sdc_sql.pictures.suda import draw_contributions, draw_value_contributions
from sdc_sql.risk.special_uniques import measure_special_uniques, store_record_measure

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.roles import Roles


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
    """The percentage of a variable's contribution that is due to one of its values (as text)."""

    variable: str
    value: str | None
    msus: int
    contribution: float


def suda(
    data: Roles,
    max_msu: int | None = 3,
    *,
    dis_fraction: float = 0.01,
    scoring: Literal["factorial", "superset"] = "factorial",
    nulls: Literal["category", "excluded"] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return every record with ``msu_count``, ``suda_score`` and ``dis_suda``.

    Computed when it is called, into a temporary table of the connection.

    Parameters
    ----------
    max_msu
        The largest size of a minimal sample unique to look for; None for every size. A smaller one finds
        fewer, and scores are lower.
    dis_fraction
        The DIS fraction, in (0, 1): usually the sampling fraction.
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
    >>> sdc_sql.example().risk.suda().order("id").fetchall()[2]
    (3, 41, 'm', 20.0, 2, 2, 2.0, 0.005025125628140704)
    """
    return store_record_measure(
        data,
        "sdc__suda",
        max_msu,
        nulls,
        require_number("suda", "dis_fraction", dis_fraction),
        require_choice("suda", "scoring", scoring),
    )


def suda_summary(
    data: Roles,
    max_msu: int | None = 3,
    *,
    dis_fraction: float = 0.01,
    scoring: Literal["factorial", "superset"] = "factorial",
    nulls: Literal["category", "excluded"] | None = None,
) -> SudaSummary:
    """Return SUDA of the file in one row.

    Parameters
    ----------
    max_msu
        The largest size of a minimal sample unique to look for; None for every size.
    dis_fraction
        The DIS fraction, in (0, 1): usually the sampling fraction.
    scoring
        ``"factorial"``: (m - k)! for each; ``"superset"``: (2^(m - k) - 1) k! (m - k)! / m!.
    nulls
        ``"category"``: NULL is a value of its own; ``"excluded"``: no minimal sample unique uses one.

    Examples
    --------
    >>> import sdc_sql
    >>> sdc_sql.example().risk.suda_summary().msus
    2
    """
    row = measure_special_uniques(
        data,
        "sdc__suda_summary",
        max_msu,
        nulls,
        require_number("suda", "dis_fraction", dis_fraction),
        require_choice("suda", "scoring", scoring),
    )[0]
    return SudaSummary(**row)


def suda_contributions(
    data: Roles,
    max_msu: int | None = 3,
    *,
    scoring: Literal["factorial", "superset"] = "factorial",
    nulls: Literal["category", "excluded"] | None = None,
) -> DrawnResults[SudaContribution]:
    """Return for each key the percentage of the total score due to it; the percentages sum to more than 100.

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
    >>> [(c.variable, c.contribution) for c in sdc_sql.example().risk.suda_contributions()]
    [('age', 50.0), ('sex', 50.0)]
    """
    rows = measure_special_uniques(
        data, "sdc__suda_contributions", max_msu, nulls, require_choice("suda", "scoring", scoring)
    )
    return DrawnResults((SudaContribution(**row) for row in rows), draw_contributions)


def suda_value_contributions(
    data: Roles,
    max_msu: int | None = 3,
    *,
    scoring: Literal["factorial", "superset"] = "factorial",
    nulls: Literal["category", "excluded"] | None = None,
) -> DrawnResults[SudaValueContribution]:
    """Return for each value of each key the percentage of the key's contribution that is due to the value.

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
    >>> [(c.variable, c.value, c.contribution) for c in sdc_sql.example().risk.suda_value_contributions()][:2]
    [('age', '30', 0.0), ('age', '41', 100.0)]
    """
    rows = measure_special_uniques(
        data, "sdc__suda_value_contributions", max_msu, nulls, require_choice("suda", "scoring", scoring)
    )
    return DrawnResults((SudaValueContribution(**row) for row in rows), draw_value_contributions)
