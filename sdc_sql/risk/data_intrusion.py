"""The data intrusion simulation (Skinner & Elliot 2002, section 3): a check of the closed forms of theta."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.risk.misclassification import list_misclassified_keys, require_one_fraction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class DataIntrusion(Result):
    """theta-hat(K) (6), the standard error of the simulation alone, and the closed form that it tends to."""

    repetitions: int
    unique_matches: int
    correct_matches: int
    theta: float | None
    standard_error: float | None
    closed_form: float


def data_intrusion_simulation(
    data: Roles,
    sampling_fraction: float | str | None = None,
    *,
    matrices: Mapping[str | tuple[str, ...], str] | None = None,
    repetitions: int = 10_000,
    stream: str = "data intrusion",
) -> DataIntrusion:
    """Run a Monte Carlo simulation of an intruder's search: a check of the closed forms of theta.

    Parameters
    ----------
    sampling_fraction
        A number in (0, 1), or the column of the records' inclusion probabilities (section 5.3).
    matrices
        As in :func:`theta_misclassified` (one for each key).
    repetitions
        How many records are removed.
    stream
        Another stream gives independent draws.

    Returns
    -------
    DataIntrusion

    Notes
    -----
    Skinner & Elliot (2002), equation (6), with sections 4 and 5.3. Nothing is masked: no secret
    key is needed, and a run is repeated by its stream.

    Examples
    --------
    >>> import sdc_sql
    >>> simulated = sdc_sql.example().risk.data_intrusion_simulation(0.5, repetitions=2000)
    >>> round(simulated.closed_form, 6), abs(simulated.theta - simulated.closed_form) < 5 * simulated.standard_error
    (0.333333, True)
    """
    repetitions = require_number("data_intrusion_simulation", "repetitions", repetitions)
    draws: dict[str, Any] = {"repetitions": repetitions, "stream": str(stream)}
    if matrices is not None:
        pi = require_one_fraction(data, sampling_fraction)
        if hasattr(matrices, "items") and any(isinstance(names, tuple) for names in matrices):
            raise ParameterError("The simulation takes one matrix for each key, not one for several together.")
        changing = list_misclassified_keys(data, matrices)
        return DataIntrusion(
            **data.row("sdc_data_intrusion_misclassified", data.table, data.keys, pi, *changing, **draws)
        )
    given = data.require_role("sampling_fraction", sampling_fraction)
    given = (
        data.spell_column("inclusion probability", given)
        if isinstance(given, str)
        else require_number("data_intrusion_simulation", "sampling_fraction", given)
    )
    return DataIntrusion(**data.row("sdc_data_intrusion_simulation", data.table, data.keys, given, **draws))
