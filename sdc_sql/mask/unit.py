"""Whose draws a mask takes: each record's own, or one for a household, whose members then go on sharing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.db.masking.apply import Maskable


def resolve_draw_unit(data: Maskable, unit: str, household: str | None = None) -> dict[str, str | None]:
    """Return the arguments of a macro that say whose the draws are.

    Raises
    ------
    ParameterError
        Where the unit is another, a household is named for draws by record, or none is known for draws by household.

    Examples
    --------
    >>> import sdc_sql
    >>> resolve_draw_unit(sdc_sql.example()._roles, "household")
    {'unit': 'household', 'household': 'household'}
    """
    require_choice("noise", "unit", unit)
    if unit == "record":
        if household is not None:
            raise ParameterError(
                "A household is given, and unit is record: give unit='household' for draws by household."
            )
        return {"unit": unit, "household": None}
    return {"unit": unit, "household": data.spell_column("household", data.require_role("household", household))}
