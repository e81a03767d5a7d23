# Written from sql/linkage/replicated_uniques.sql by python -m sdc_sql.write: change that file.
"""How many records that are unique in the original, by the keys, are unique in the released file too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.compared import original_table, require_matching_keys
from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ReplicatedUniques(Result):
    """Shares of the original's records (``unique_released``: of the released ones), 0 to 1."""

    records: int
    in_released: float
    unique_original: float
    unique_released: float
    found: float
    replicated: float


def replicated_uniques(data: Roles, original: Described | str) -> ReplicatedUniques:
    """Return the share of the original's records that are unique in it and in the released file.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.

    Returns
    -------
    ReplicatedUniques

    Raises
    ------
    ParameterError
        Where the table was described with ``nulls="wildcard"``.
    TableError
        Where no value of a key occurs in both tables: they were not coded alike.

    Notes
    -----
    The records need not be the original's: files of synthetic records are compared too. What was recoded must be
    recoded alike in the original first; ``in_released`` is the share of its records whose keys the released file has.

    Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data, arXiv:2406.16826, section 3.2 and the
    appendix, (1) to (4) in the vignette of the R package synthpop 1.9; the paper itself was not at hand. The vignette
    prints UiS and UiOiS with other conditions in the appendix than it describes in section 3.2; they are here as
    described there, and as its function disclosure() reckons them.

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm'), (52, 'f')) AS t(age, sex)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (30, 'f'), (41, 'm'), (52, 'f'), (52, 'f')) AS t(age, sex)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", keys=["age", "sex"])
    >>> print(released.linkage.replicated_uniques("original"))
    ReplicatedUniques
      records          4
      in released      1
      unique original  0.5
      unique released  0.5
      found            0.5
      replicated       0.25
    """
    row = data.row("sdc_replicated_uniques", original_table(data, original), data.table, require_matching_keys(data))
    return ReplicatedUniques(**row)
