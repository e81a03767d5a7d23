"""theta where the intruder's data differ from the file (Skinner & Elliot 2002, section 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.checks import fraction, whole
from sdc_sql.errors import ParameterError
from sdc_sql.results import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class MisclassifiedTheta(Result):
    """theta-hat (12).

    ``kept_uniques``, ``kept_pairs``: the sums of M_jj over sample uniques and pairs; ``false_matches``: n A.
    ``most_theta`` is (12) without A: what the diagonals alone can tell.
    """

    records: int
    cells: int
    n1: int
    n2: int
    kept_uniques: float
    kept_pairs: float
    false_matches: float
    theta: float
    most_theta: float


@dataclass(frozen=True)
class DataIntrusion(Result):
    """theta-hat(K) (6), the standard error of the simulation alone, and the closed form that it tends to."""

    repetitions: int
    unique_matches: int
    correct_matches: int
    theta: float | None
    standard_error: float | None
    closed_form: float


def theta_misclassified(
    data: Roles, matrices: Mapping[str | tuple[str, ...], str], sampling_fraction: float | None = None
) -> MisclassifiedTheta:
    """Return the probability that a unique match is correct, where keys are misclassified.

    Parameters
    ----------
    matrices
        For each misclassified key the table of its matrix, with columns ``from`` (the file's category), ``to`` (the
        intruder's) and ``probability``; keys that are not named agree. Or one matrix for several keys together,
        ``{("age", "sex"): "joint"}``, with structs as categories. PRAM's matrix goes from the original to the released
        category: where the file is released, ``sdc_pram_reversed`` turns it round.
    sampling_fraction
        In (0, 1); by default the one given with the table.

    Returns
    -------
    MisclassifiedTheta

    Raises
    ------
    ParameterError
        Where a matrix's rows do not sum to 1, lacks a category of the file, or is of a column that is no key.

    Notes
    -----
    Skinner & Elliot (2002), equations (11) to (13). The paper gives no standard error for it.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE m AS FROM sdc_pram_retention_matrix('persons', 'sex', 0.75)")
    >>> print(round(data.theta_misclassified({"sex": "m"}, 0.5).theta, 6))
    0.333333
    """
    pi = _one_fraction(data, sampling_fraction)
    joint = [names for names in matrices if isinstance(names, tuple)] if hasattr(matrices, "items") else []
    if joint:
        if len(matrices) > 1:
            raise ParameterError("A matrix for several keys together must be the only one.")
        columns = [_key(data, n) for n in joint[0]]
        macro, last = "sdc_theta_misclassified_crossing", (columns, matrices[joint[0]])
        return MisclassifiedTheta(**data.row(macro, data.table, data.keys, pi, *last))
    columns, tables = _changed(data, matrices)
    return MisclassifiedTheta(**data.row("sdc_theta_misclassified", data.table, data.keys, pi, columns, tables))


def data_intrusion_simulation(
    data: Roles,
    sampling_fraction: float | str | None = None,
    *,
    matrices: Mapping[str | tuple[str, ...], str] | None = None,
    repetitions: int = 10_000,
    stream: str = "data intrusion",
) -> DataIntrusion:
    """Play the intruder's search with the file itself: a check of the closed forms of theta.

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
    >>> played = sdc_sql.example().data_intrusion_simulation(0.5, repetitions=2000)
    >>> round(played.closed_form, 6), abs(played.theta - played.closed_form) < 5 * played.standard_error
    (0.333333, True)
    """
    repetitions = whole(repetitions, "repetitions", least=1, most=100_000_000)
    draws: dict[str, Any] = {"repetitions": repetitions, "stream": str(stream)}
    if matrices is not None:
        pi = _one_fraction(data, sampling_fraction)
        if hasattr(matrices, "items") and any(isinstance(names, tuple) for names in matrices):
            raise ParameterError("The simulation takes one matrix for each key, not one for several together.")
        changed = _changed(data, matrices)
        return DataIntrusion(
            **data.row("sdc_data_intrusion_misclassified", data.table, data.keys, pi, *changed, **draws)
        )
    given = data.required("sampling_fraction", sampling_fraction)
    given = (
        data.found("inclusion probability", given) if isinstance(given, str) else fraction(given, "sampling fraction")
    )
    return DataIntrusion(**data.row("sdc_data_intrusion_simulation", data.table, data.keys, given, **draws))


def _one_fraction(data: Roles, given: float | str | None) -> float:
    pi = data.required("sampling_fraction", given)
    if isinstance(pi, str):
        raise ParameterError(
            f"The sampling fraction is the column {pi!r}: with misclassification it must be one number."
        )
    return fraction(pi, "sampling fraction")


def _key(data: Roles, name: str) -> str:
    found = data.found("misclassified key", name)
    if found not in data.keys:
        raise ParameterError(
            f"{name!r} has a misclassification matrix and is not among the keys, {', '.join(data.keys)}."
        )
    return found


def _changed(data: Roles, matrices: Mapping[str | tuple[str, ...], str]) -> tuple[list[str], list[str]]:
    """Return the keys that are misclassified, and the tables of their matrices."""
    if (
        not hasattr(matrices, "items")
        or not matrices
        or not all(isinstance(t, str) for pair in matrices.items() for t in pair)
    ):
        raise ParameterError(
            f"matrices is {matrices!r}: it must give the name of a table for each key, as in {{'sex': 'm'}}."
        )
    return [_key(data, str(n)) for n in matrices], list(matrices.values())
