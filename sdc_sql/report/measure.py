"""The measures of a described table, for its report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.checks import require_whole_number
from sdc_sql.db.table import spell_column
from sdc_sql.errors import ParameterError, translate_errors
from sdc_sql.report.distribution import measure_distributions
from sdc_sql.report.report import RiskReport
from sdc_sql.risk.many_uniques import tell_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.microdata import Microdata
    from sdc_sql.risk.global_risk import GlobalRisk
    from sdc_sql.risk.household_risk import HouseholdGlobalRisk
    from sdc_sql.risk.suda import SudaSummary
    from sdc_sql.risk.theta import Theta
    from sdc_sql.risk.theta_by import StratumTheta


Rows = tuple[dict[str, Any], ...]
Kind = TypeVar("Kind", "Theta | None", "StratumTheta", "GlobalRisk | None", "HouseholdGlobalRisk | None")


def _riskiest(data: Microdata, weight: str | float | None, top: int) -> tuple[dict[str, Any], ...]:
    """Return the cells of highest individual risk, or of lowest frequency where there is no weight."""
    cells = data.risk.cells() if weight is None else data.risk.cell_risk()
    first = exp.Ordered(this=exp.column("sample_frequency"), desc=False)
    if weight is not None:
        first = exp.Ordered(this=exp.column("individual_risk"), desc=True)
    # the keys come next, so that the same file always gives the same page
    keys = [exp.Ordered(this=exp.column(k, quoted=True), desc=False, nulls_first=False) for k in data.keys]
    with translate_errors():
        found = cells.order(", ".join(query.write_sql(part) for part in [first, *keys])).limit(top)
        return tuple(dict(zip(found.columns, row, strict=True)) for row in found.fetchall())


@tell_beside()  # the report says it once
def risk_report(
    data: Microdata,
    *,
    k: int = 5,
    top: int = 10,
    confidence: float = 0.99,
    sensitive: Sequence[str] = (),
    ordered: Sequence[str] = (),
    together: bool = False,
    suda: bool = False,
    max_msu: int | None = 3,
    progress: Callable[[str], None] = lambda _: None,
) -> RiskReport:
    """Compute every measure that the roles of the table allow.

    theta needs a sampling fraction; individual and global risk a weight, or else a sampling fraction pi
    (every record then weighs 1/pi); household risk a household besides; theta by stratum a stratum.

    Parameters
    ----------
    data
        The described table.
    k
        k-anonymity is shown for 2 .. k.
    top
        How many of the riskiest keys are shown.
    confidence
        Of theta's one-sided interval.
    sensitive
        The sensitive variables: l-diversity, t-closeness (equal distance), alpha, beta and delta of each.
    ordered
        Those of them that are numbers or ordered: t-closeness by the ordered distance.
    together
        Whether l-diversity of each is computed with the others counted as keys, as the definition for several sensitive
        variables asks (Machanavajjhala et al. 2007, section 4.3). A variable by itself looks more diverse.
    suda
        Whether to look for special uniques, with the sampling fraction, where it is a number, as the DIS fraction (else
        0.01).
    max_msu
        The largest number of keys in a minimal sample unique, or None for no limit: a lower one gives lower scores.
    progress
        Called with the name of each measure before it is computed.

    Returns
    -------
    RiskReport

    Examples
    --------
    >>> import sdc_sql
    >>> report = sdc_sql.risk_report(sdc_sql.example())
    >>> report.frequency_summary.sample_uniques, report.theta is None, report.household_global_risk.households
    (1, True, 2)
    """
    k, top = require_whole_number(k, "k", least=2), require_whole_number(top, "top", least=1)
    fraction = data.sampling_fraction
    weight = data.weight
    if weight is None and isinstance(fraction, int | float):
        weight = 1 / fraction
        data = data.weighing(weight)
    progress("frequencies")
    frequencies = data.risk.frequency_summary()
    progress("k-anonymity")
    violations = tuple(data.risk.k_anonymity(k))
    progress("theta")
    theta = data.risk.theta(confidence=confidence) if isinstance(fraction, int | float) else None
    # where the stratum is the only key, no key is left to tell records apart
    by_stratum = data.stratum and fraction is not None and set(data.keys) != {data.stratum}
    by = tuple(data.risk.theta_by(confidence=confidence)) if by_stratum else ()
    progress("global risk")
    overall = None if weight is None else data.risk.global_risk()
    progress("household risk")
    household = data.risk.household_global_risk() if data.household and weight is not None else None
    progress("distributions")
    by_frequency, by_risk = measure_distributions(data, weight)
    progress("riskiest keys")
    riskiest = _riskiest(data, weight, top)
    if sensitive:
        progress("attribute disclosure")
    of_sensitive = attributes(data, sensitive, ordered, together=together)
    special = None
    if suda:
        progress("special uniques")
        special = summarise_special_uniques(data, max_msu)
    return RiskReport(
        data.table,
        data.keys,
        weight,
        frequencies,
        violations,
        _leave_out_pram(theta),
        tuple(_leave_out_pram(stratum) for stratum in by),
        _leave_out_pram(overall),
        _leave_out_pram(household),
        riskiest,
        *of_sensitive,
        special,
        data.after_pram(),
        describe_completion(data),
        by_frequency,
        by_risk,
    )


def describe_completion(data: Microdata) -> str | None:
    """Return which keys are missing for some persons and known by their households, None where there are none."""
    roles = data._roles  # noqa: SLF001 - as its methods take them
    names = roles.select_household_columns(data.keys, missing=True)
    if not names:
        return None
    found = {column.name: str(column) for column in roles.list_found_columns(names)}
    said = ", ".join(found.get(name, name) for name in names)
    return f"where another member of the household shows it, NULL counts as known: {said}"


def _leave_out_pram(result: Kind) -> Kind:
    """Return a result without what the page says once about PRAM."""
    return result and replace(result, pram=None)


def summarise_special_uniques(data: Microdata, max_msu: int | None = 3) -> SudaSummary:
    """Return the summary of special uniques, with the sampling fraction, where it is a number, as the DIS fraction."""
    fraction = data.sampling_fraction
    return data.risk.suda_summary(max_msu, dis_fraction=fraction if isinstance(fraction, int | float) else 0.01)


def attributes(
    data: Microdata, sensitive: Sequence[str], ordered: Sequence[str], *, together: bool = False
) -> tuple[Rows, Rows, Rows]:
    """Return l-diversity, t-closeness and likeness of each sensitive variable, as :func:`risk_report` shows them."""
    columns = [spell_column(data.table, data.columns, "sensitive variable", name) for name in sensitive]
    by_order = {spell_column(data.table, data.columns, "ordered sensitive variable", name) for name in ordered}
    if not by_order <= set(columns):
        raise ParameterError(
            f"{', '.join(sorted(by_order - set(columns)))} is given as ordered, not among the sensitive variables."
        )
    if together and len(columns) < 2:  # noqa: PLR2004 - two or more
        raise ParameterError("l-diversity of sensitive variables together needs several: name at least two.")
    others = {name: [other for other in columns if together and other != name] for name in columns}
    distance: dict[str, Literal["ordered", "equal"]] = {
        name: "ordered" if name in by_order else "equal" for name in columns
    }
    return (
        tuple({"sensitive": n, **data.risk.l_diversity(n, others=others[n]).to_dict()} for n in columns),
        tuple({"sensitive": n, **data.risk.t_closeness(n, distance=distance[n]).to_dict()} for n in columns),
        tuple({"sensitive": n, **data.risk.likeness(n).to_dict()} for n in columns),
    )
