"""The risk of sample uniques under Poisson log-linear models (Skinner & Shlomo 2008; SDC handbook, section 3.3.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.risk.sensitive import check_category

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.roles import Roles

MODELS = ("tree", "independence", "two_way")
PERSONS = ("persons",)  # these columns of known margins in a CSV file are no categories


@dataclass(frozen=True)
class LogLinearRisk(Result):
    """The model's interactions, and tau1 and tau2 of the sample uniques with their rates.

    ``tau1`` is the expected number of sample uniques that are unique in the population, ``tau2`` that of correct
    matches with sample uniques; a rate is by their number. ``z1`` and ``z2`` are those of :class:`LogLinearFit`: far
    above 0 the risk is too high, far below too low (None where the model has too many cells to go through). ``reason``
    says why there is no tau1 or tau2 (None), which holds no limit.
    """

    interactions: list[list[str]]
    records: int
    sample_uniques: int
    tau1: float | None
    tau1_rate: float | None
    tau2: float | None
    tau2_rate: float | None
    z1: float | None
    z2: float | None
    reason: str | None


def require_model(data: Roles, model: str | Sequence[Sequence[str]]) -> str | list[list[str]]:
    """Return a model: its name, or its interactions with the keys as the table spells them."""
    form = (
        f"model is {text_for_message(model)}: it must be one of {', '.join(MODELS)}, or a list of interactions, each a "
        "list of "
        "keys, as in [['age', 'sex'], ['region']]."
    )
    if isinstance(model, str):
        if model not in MODELS:
            raise ParameterError(form)
        return model
    if not isinstance(model, list | tuple) or not model:
        raise ParameterError(form)
    if not all(isinstance(g, list | tuple) and g and all(isinstance(name, str) for name in g) for g in model):
        raise ParameterError(form)
    found = [[data.spell_column("key variable", name) for name in g] for g in model]
    strange = [name for g in found for name in g if name not in data.keys]
    if strange:
        raise ParameterError(f"{strange[0]} is in the model and not among the keys, {', '.join(data.keys)}.")
    if any(len({*g}) < len(g) for g in found):
        raise ParameterError("A key is named twice in an interaction of the model.")
    return found


def choose_weight(data: Roles) -> str | float:
    """Return the weight, or 1 / the sampling fraction where only that is known: NULL is a category of its own."""
    check_category(data)
    if data.weight is None and isinstance(data.sampling_fraction, int | float):
        return 1 / data.sampling_fraction
    return data.checked_weight()


def _read_margins(data: Roles, margins: str | None) -> str | None:
    """Return the table of known margins, as a macro takes it."""
    if margins is None:
        return None
    if not isinstance(margins, str) or not margins:
        raise ParameterError(
            f"margins is {text_for_message(margins)}: it must be the name of a table or a file with the columns key, "
            "value and "
            "persons."
        )
    return data.read_table(margins, PERSONS)


def log_linear_risk(
    data: Roles,
    *,
    model: str | Sequence[Sequence[str]] = "tree",
    smoothing: Literal["none", "negative_binomial"] = "none",
    margins: str | None = None,
) -> LogLinearRisk:
    """Return how many sample uniques are unique in the population, and how many matches with them are correct.

    The table needs a weight, or a sampling fraction pi (a record then stands for 1 / pi persons).

    Parameters
    ----------
    model
        ``"tree"`` (the strongest associations of two keys that close no circle), ``"independence"``, ``"two_way"``
        (all interactions of two keys), or a list of interactions, each a list of keys. Too simple a model gives too
        high a risk, too rich a one too low; :func:`log_linear_search` finds one that is right.
    smoothing
        ``"none"``, or ``"negative_binomial"``: the counts vary more than Poisson's, by a variance that is estimated.
    margins
        A table, or file, of the persons of the population by value of a key, or of several: the columns ``key``,
        ``value`` and ``persons``. It must have every value that the file has of that key.

    Returns
    -------
    LogLinearRisk
        Without tau1 or tau2, and with the reason, where a key has too many values for its counts to tell how many
        persons share one (a standard error of 10 % of the figure is the most).

    Raises
    ------
    ParameterError
        Where neither a weight nor a sampling fraction was given, or the model is none of these keys.
    InputError
        Where a model that is no forest is to be fitted over too large a crossing of the keys.

    Notes
    -----
    SDC handbook, section 3.3.6; Skinner & Shlomo (2008). Of a key of many values the risk is a mean over what its
    counts of counts say of the population (`udfs/log_linear/margins.py`).

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.log_linear_risk(model="independence")
    >>> found.sample_uniques, round(found.tau2, 6)
    (1, 0.118396)
    """
    row = data.row(
        "sdc_log_linear_risk", data.table, data.keys, choose_weight(data), model=require_model(data, model),
        smoothing=require_choice("log_linear_risk", "smoothing", smoothing), small_weights=data.small_weights,
        margins=_read_margins(data, margins),
    )  # fmt: skip
    return LogLinearRisk(**row)


def log_linear_risk_records(
    data: Roles,
    *,
    model: str | Sequence[Sequence[str]] = "tree",
    smoothing: Literal["none", "negative_binomial"] = "none",
    margins: str | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return every record with the risk of a sample unique under a log-linear model.

    Parameters
    ----------
    model
        ``"tree"``, ``"independence"``, ``"two_way"``, or a list of interactions, each a list of keys.
    smoothing
        ``"none"`` or ``"negative_binomial"``.
    margins
        A table of known margins (``key``, ``value``, ``persons``).

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``sample_frequency``, ``expected_frequency`` (the persons of the population that the model expects
        in the cell), ``pr_population_unique`` and ``log_linear_risk``, both NULL for what is no sample unique,
        and where :func:`log_linear_risk` has no figure.

    Notes
    -----
    SDC handbook, section 3.3.6; Skinner & Shlomo (2008).

    Examples
    --------
    >>> import sdc_sql
    >>> risks = sdc_sql.example().risk.log_linear_risk_records(model="independence")
    >>> round(risks.order("id").fetchall()[2][-1], 6)
    0.118396
    """
    return data.relation(
        "sdc_log_linear_risk_records", data.table, data.keys, choose_weight(data), model=require_model(data, model),
        smoothing=require_choice("log_linear_risk", "smoothing", smoothing), small_weights=data.small_weights,
        margins=_read_margins(data, margins),
    )  # fmt: skip
