"""The disclosure risk of a file on one page."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.checks import whole
from sdc_sql.db.results import Result, html_table, shown
from sdc_sql.db.table import spelled
from sdc_sql.errors import ParameterError, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.microdata import Microdata
    from sdc_sql.risk.global_risk import GlobalRisk
    from sdc_sql.risk.household_risk import HouseholdGlobalRisk
    from sdc_sql.risk.k_anonymity import KViolations
    from sdc_sql.risk.suda import SudaSummary
    from sdc_sql.risk.theta import Theta
    from sdc_sql.risk.theta_by import StratumTheta
    from sdc_sql.risk.uniqueness import FrequencySummary


Kind = TypeVar("Kind", "Theta | None", "StratumTheta", "GlobalRisk | None", "HouseholdGlobalRisk | None")
SUDA = "Special uniques (SUDA)"


@dataclass(frozen=True)
class RiskReport:
    """The measures that the described table allows, in the order in which they are shown."""

    table: str
    keys: tuple[str, ...]
    weight: str | float | None
    frequencies: FrequencySummary
    k_anonymity: tuple[KViolations, ...]
    theta: Theta | None
    theta_by: tuple[StratumTheta, ...]
    global_risk: GlobalRisk | None
    household_risk: HouseholdGlobalRisk | None
    riskiest_keys: tuple[dict[str, Any], ...]
    attribute: tuple[dict[str, Any], ...] = ()
    suda: SudaSummary | None = None
    pram: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, for JSON; what was not measured is None."""
        return {
            "table": self.table,
            **({"pram": self.pram} if self.pram else {}),
            "keys": list(self.keys),
            "weight": self.weight,
            "frequencies": self.frequencies.to_dict(),
            "k_anonymity": [v.to_dict() for v in self.k_anonymity],
            "theta": self.theta.to_dict() if self.theta else None,
            "theta_by": [t.to_dict() for t in self.theta_by] or None,
            "global_risk": self.global_risk.to_dict() if self.global_risk else None,
            "household_risk": self.household_risk.to_dict() if self.household_risk else None,
            "riskiest_keys": list(self.riskiest_keys),
            "attribute": list(self.attribute) or None,
            "suda": self.suda.to_dict() if self.suda else None,
        }

    def __str__(self) -> str:
        """Return the report as text."""
        weight = "none" if self.weight is None else shown(self.weight)
        about = [
            f"Disclosure risk of {self.table}",
            f"key variables: {', '.join(self.keys)}; weight: {weight}",
            self.pram,
        ]
        parts = [
            "\n".join(line for line in about if line),
            _listed("Frequencies", self.frequencies),
            _table("k-anonymity: records and cells with fewer than k records", [v.to_dict() for v in self.k_anonymity]),
        ]
        if self.theta:
            parts.append(_listed("theta: the probability that a unique match is correct", self.theta))
        if self.theta_by:
            strata = [{**t.to_dict(), "stratum": _label(t.stratum)} for t in self.theta_by]
            parts.append(_table("theta by stratum", strata))
        if self.global_risk:
            parts.append(_listed("Global risk", self.global_risk))
        if self.household_risk:
            parts.append(_listed("Global risk with households", self.household_risk))
        if self.attribute:
            parts.append(_table("Attribute disclosure: the worst cell of each variable", list(self.attribute)))
        if self.suda:
            parts.append(_listed(SUDA, self.suda))
        parts.append(_table("The riskiest keys", self._labelled()))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        """Return the report as HTML tables, for a notebook."""
        weight = "none" if self.weight is None else shown(self.weight)
        about = [f"key variables: {', '.join(self.keys)}; weight: {weight}", *([self.pram] if self.pram else [])]
        single = {
            "Frequencies": self.frequencies,
            "theta: the probability that a unique match is correct": self.theta,
            "Global risk": self.global_risk,
            "Global risk with households": self.household_risk,
            SUDA: self.suda,
        }
        several = {
            "k-anonymity: records and cells with fewer than k records": [v.to_dict() for v in self.k_anonymity],
            "theta by stratum": [{**t.to_dict(), "stratum": _label(t.stratum)} for t in self.theta_by],
            "Attribute disclosure: the worst cell of each variable": list(self.attribute),
            "The riskiest keys": self._labelled(),
        }
        tables = {title: [result.to_dict()] for title, result in single.items() if result} | several
        head = f"<h3>Disclosure risk of {html.escape(self.table)}</h3>"
        return (
            head
            + "".join(f"<p>{html.escape(line)}</p>" for line in about)
            + "".join(
                html_table(title, [name.replace("_", " ") for name in rows[0]], [list(row.values()) for row in rows])
                for title, rows in tables.items()
                if rows
            )
        )

    def _labelled(self) -> list[dict[str, Any]]:
        """Return the riskiest keys; a value of a key is a label, even where it is a number."""
        return [{n: _label(v) if n in self.keys else v for n, v in row.items()} for row in self.riskiest_keys]


def _label(value: object) -> str:
    return "NULL" if value is None else str(value)


def _listed(title: str, result: Result) -> str:
    """Format one result, one line per figure."""
    return "\n".join([title, *str(result).splitlines()[1:]])


def _table(title: str, rows: Sequence[dict[str, Any]]) -> str:
    """Format rows as a table under a title: numbers aligned to the right, text to the left."""
    cells = [[name.replace("_", " ") for name in rows[0]], *([shown(v) for v in row.values()] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    numeric = [
        all(isinstance(v, int | float) for v in column) for column in zip(*(r.values() for r in rows), strict=True)
    ]
    lines = [
        "  ".join(
            c.rjust(w) if right else c.ljust(w) for c, w, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in cells
    ]
    return "\n".join([title, *(f"  {line}" for line in lines)])


def _riskiest(data: Microdata, weight: str | float | None, top: int) -> tuple[dict[str, Any], ...]:
    """Return the cells of highest individual risk, or of lowest frequency where there is no weight."""
    cells = data.cells() if weight is None else data.cell_risk()
    first = exp.Ordered(this=exp.column("sample_frequency"), desc=False)
    if weight is not None:
        first = exp.Ordered(this=exp.column("individual_risk"), desc=True)
    # then by the keys, so that the same file always gives the same page
    keys = [exp.Ordered(this=exp.column(k, quoted=True), desc=False, nulls_first=False) for k in data.keys]
    with translated():
        found = cells.order(", ".join(query.text(part) for part in [first, *keys])).limit(top)
        return tuple(dict(zip(found.columns, row, strict=True)) for row in found.fetchall())


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
    >>> report.frequencies.sample_uniques, report.theta is None, report.household_risk.households
    (1, True, 2)
    """
    k, top = whole(k, "k", least=2), whole(top, "top", least=1)
    fraction = data.sampling_fraction
    weight = data.weight
    if weight is None and isinstance(fraction, int | float):
        weight = 1 / fraction
        data = data.weighing(weight)
    progress("frequencies")
    frequencies = data.frequency_summary()
    progress("k-anonymity")
    violations = tuple(data.k_anonymity(k))
    progress("theta")
    theta = data.theta(confidence=confidence) if isinstance(fraction, int | float) else None
    # a stratum that is the only key leaves nothing to tell records apart by
    by_stratum = data.stratum and fraction is not None and set(data.keys) != {data.stratum}
    by = tuple(data.theta_by(confidence=confidence)) if by_stratum else ()
    progress("global risk")
    overall = None if weight is None else data.global_risk()
    progress("household risk")
    household = data.household_global_risk() if data.household and weight is not None else None
    progress("riskiest keys")
    riskiest = _riskiest(data, weight, top)
    if sensitive:
        progress("attribute disclosure")
    attribute = attributes(data, sensitive, ordered, together=together)
    special = None
    if suda:
        progress("special uniques")
        special = special_uniques(data, max_msu)
    return RiskReport(
        data.table,
        data.keys,
        weight,
        frequencies,
        violations,
        _silent(theta),
        tuple(_silent(stratum) for stratum in by),
        _silent(overall),
        _silent(household),
        riskiest,
        attribute,
        special,
        data.after_pram(),
    )


def _silent(result: Kind) -> Kind:
    """Return a result without what the page says once, of PRAM."""
    return result and replace(result, pram=None)


def special_uniques(data: Microdata, max_msu: int | None = 3) -> SudaSummary:
    """Return the summary of special uniques, with the sampling fraction, where it is a number, as the DIS fraction."""
    fraction = data.sampling_fraction
    return data.suda_summary(max_msu, dis_fraction=fraction if isinstance(fraction, int | float) else 0.01)


def attributes(
    data: Microdata, sensitive: Sequence[str], ordered: Sequence[str], *, together: bool = False
) -> tuple[dict[str, Any], ...]:
    """Return the worst figures of attribute disclosure of each sensitive variable."""
    columns = [spelled(data.table, data.columns, "sensitive variable", name) for name in sensitive]
    by_order = {spelled(data.table, data.columns, "ordered sensitive variable", name) for name in ordered}
    if not by_order <= set(columns):
        raise ParameterError(
            f"{', '.join(sorted(by_order - set(columns)))} is given as ordered, not among the sensitive variables."
        )
    if together and len(columns) < 2:  # noqa: PLR2004 - two or more
        raise ParameterError("l-diversity of sensitive variables together needs several: name at least two.")
    return tuple(
        _attribute(
            data,
            name,
            others=[other for other in columns if together and other != name],
            distance="ordered" if name in by_order else "equal",
        )
        for name in columns
    )


def _attribute(data: Microdata, name: str, *, others: Sequence[str], distance: str) -> dict[str, Any]:
    found = {
        **data.l_diversity(name, others=others).to_dict(),
        **data.t_closeness(name, distance=distance).to_dict(),
        **data.likeness(name).to_dict(),
    }
    figures = ("distinct_l", "entropy_l", "recursive_l", "t", "alpha", "beta", "enhanced_beta", "delta")
    return {"sensitive": name, **{figure: found[figure] for figure in figures}}
