"""Samples of persons and households (SDC handbook, 3.4.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.masking.replaced import check_place, refuse_fixed_roles, replace_records
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.roles import Roles


def sample(
    data: Roles,
    *,
    fraction: str | float | None = None,
    size: int | None = None,
    method: Literal["simple", "bernoulli", "systematic"] = "simple",
    weight: str | None = None,
    sampling_fraction: str | None = None,
    stratum: str | None = None,
    household: str | None = None,
    order_by: str | None = None,
    neyman: str | None = None,
    least: int | None = None,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
    in_place: bool = False,
) -> MaskingStep:
    """Keep a sample of the persons, or of whole households, with their weights adjusted, in place or in a copy.

    The weights of those that stay are divided by the probability with which they were drawn, and become DOUBLE. A
    draw depends on the secret key, the release, the pass and the id alone: of two simple or Bernoulli samples of one
    design (the same strata, the same unit) the smaller one lies within the larger. Samples of two designs, and
    systematic ones, do not lie within each other: together they tell more than each of them.

    Parameters
    ----------
    fraction
        The share of the units that is drawn, strictly between 0 and 1; or the name of a column of such numbers, equal
        within a stratum (of a Bernoulli sample one for each unit), where 1 takes all. Of each stratum at least one.
    size
        In its place: how many units are drawn, shared among the strata in proportion to their units.
    method
        ``"simple"`` random sampling and ``"systematic"`` sampling draw a fixed number of units from each stratum,
        ``"bernoulli"`` sampling each unit by itself.
    weight
        The column of sampling weights; by default that of the table. Without one no weight is adjusted.
    sampling_fraction
        The column of the records' sampling fractions, which are multiplied by the probability; by default that of the
        table.
    stratum
        A column within each of whose values a sample is drawn.
    household
        Draws whole households, by this column; without it, persons.
    order_by
        Of a systematic sample, the column by whose order every so-many-th unit is drawn.
    neyman
        Of a size and strata: a numeric column; the size is shared so that the variance of its estimated total is the
        least (near N_h S_h, Neyman; of a household the sum of its members). The weights then tell of its deviations.
    least
        Of a size and strata: how many units of each stratum are drawn at the least, or all where it has fewer.
    stream
        Names the pass of draws; by default the next one of samples of the table, by its steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the sample.
    in_place
        In its place: delete the others from the table itself; a database file then keeps them in its bytes: hand over
        what ``write`` writes.

    Returns
    -------
    MaskingStep
        ``records`` are those that stay, ``changed`` those of them whose weight changed; its parameters have
        ``records_before``.

    Raises
    ------
    InputError
        Where neither ``into`` nor ``in_place`` is given, the design asks
        for what cannot be drawn, or a weight is no positive number. Nothing is removed then.
    ColumnError
        Where the table's weight or sampling fraction is one number: the sample has others, and needs a column.

    Notes
    -----
    Cochran (1977), Sampling Techniques; Ohlsson (1995) on samples by permanent random numbers. A sample hides who is in
    the file, and nothing of those that are: a value that is unique in the population still is, a continuous one nearly
    always (SDC handbook, 3.4.3.1).

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.sample(size=2, into="sampled")
    >>> step.records, step.parameters["records_before"]
    (2, 3)
    """
    check_place("sample", into, in_place=in_place)
    method = require_choice("sample", "method", method)
    if (fraction is None) == (size is None):
        raise ParameterError("A sample needs either a fraction (between 0 and 1) or a size (how many units): give one.")
    if fraction is not None and not isinstance(fraction, str):
        fraction = require_number("sample", "fraction", fraction)
    refuse_fixed_roles(data, *(name for name, given in _list_role_columns(weight, sampling_fraction) if given is None))
    named = {
        "weight": weight if weight is not None else data.weight,
        "sampling_fraction": sampling_fraction if sampling_fraction is not None else data.sampling_fraction,
        "stratum": stratum, "household": household, "order_by": order_by, "neyman": neyman,
    }  # fmt: skip
    found = {n: None if c is None else data.spell_column(n.replace("_", " "), str(c)) for n, c in named.items()}
    arguments = {
        "id": data.require_role("id"),
        "fraction": data.spell_column("fraction", fraction) if isinstance(fraction, str) else fraction,
        "size": None if size is None else require_number("sample", "size", size),
        "method": method, **found, "least": None if least is None else require_number("sample", "least", least),
        "stream": stream, "release": release,
    }  # fmt: skip
    changed = tuple(c for c in (found["weight"], found["sampling_fraction"]) if c is not None)
    return replace_records(data, Masking("sample", changed, arguments), into=into)


def _list_role_columns(weight: str | None, sampling_fraction: str | None) -> list[tuple[str, str | None]]:
    return [("weight", weight), ("sampling_fraction", sampling_fraction)]
