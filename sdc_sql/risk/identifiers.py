"""Columns that may name a person by themselves (SDC handbook, 3.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ProposedIdentifier(Result):
    """Why a column may be a direct identifier.

    ``evidence``: its ``name``, the ``pattern`` of its values, or that they are ``unique``. ``share``: of its values
    that are not missing, those that look like it, or how many different ones there are to each; None for a name.
    """

    variable: str
    evidence: str
    reason: str
    share: float | None


def identifiers(data: Roles) -> Results[ProposedIdentifier]:
    """Return the columns that may be direct identifiers, each with its reasons; nothing is removed.

    By its name (in a dozen languages), by what its values look like (e-mail and web addresses, IBANs, telephone
    numbers, IP addresses, coordinates, national numbers with right check digits), or because (nearly) every value is
    another. Names of persons among the values are not recognised: look at the file, whatever is proposed.

    Returns
    -------
    Results of ProposedIdentifier
        In the order of the columns; one for each reason.

    See Also
    --------
    drop_identifiers : removes the columns that a person has chosen.

    Examples
    --------
    >>> import sdc_sql
    >>> con = sdc_sql.example().con
    >>> _ = con.execute("CREATE TABLE people AS FROM (VALUES (1, 'a@x.org'), (2, 'b@y.org')) AS t(age, contact)")
    >>> [(p.variable, p.reason, p.share) for p in sdc_sql.Microdata(con, "people").risk.identifiers()]
    [('contact', 'e-mail addresses', 1.0)]
    """
    return Results(ProposedIdentifier(**row) for row in data.rows("sdc_identifiers", data.table))
