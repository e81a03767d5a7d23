# Written from sql/linkage/disclosive_attributes.sql by python -m sdc_sql.write: change that file.
"""How many original records have a sensitive value that the released file tells with certainty, and rightly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DisclosiveAttributes(Result):
    """Of a target, shares of the original's records (``disclosive_released``: of the released ones), 0 to 1."""

    target: str
    records: int
    in_released: float
    disclosive_original: float
    disclosive_released: float
    disclosive: float
    disco: float
    disdio: float
    largest: int


def disclosive_attributes(
    data: Roles,
    original: Described | str,
    targets: str | Iterable[str],
    nulls: Literal["higher", "category", "wildcard"] = "higher",
) -> Results[DisclosiveAttributes]:
    """Return the share of the original's records whose sensitive value the released file tells with certainty.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    targets
        The sensitive variables, each by itself; NULL in them is a value of its own.
    nulls
        NULL in a released key is a value of its own ('category'), or agrees with every value ('wildcard'); of each
        figure the higher of both ('higher').

    Returns
    -------
    Results of DisclosiveAttributes
        One for each target.

    Raises
    ------
    TableError
        Where no value of a key or a target occurs in both tables: they were not coded alike.

    Notes
    -----
    The records need not be the original's: files of synthetic records are compared too. What was recoded must be
    recoded alike in the original first; ``in_released`` is the share of its records whose keys the released file has.

    Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data, arXiv:2406.16826, section 3.3 and the
    appendix, as the vignette of the R package synthpop 1.9 has them (equations of Dorig to DiSDiO) and its function
    disclosure(), without its exclusions. The paper itself was not at hand.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'low'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'high'), (52, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'high'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'low'), (67, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", keys=["age", "sex"])
    >>> print(released.linkage.disclosive_attributes("original", ["income"]))
    DisclosiveAttributes
      target  records  in released  disclosive original  disclosive released  disclosive  disco  disdio  largest
      income        5          0.8                  0.6                  0.6         0.4    0.2       0        1
    """
    rows = data.rows(
        "sdc_disclosive_attributes",
        original_table(data, original),
        data.table,
        data.keys,
        resolve_columns_or_keys(data, targets, "target"),
        nulls=require_choice("disclosive_attributes", "nulls", nulls),
    )
    return Results(DisclosiveAttributes(**row) for row in rows)
