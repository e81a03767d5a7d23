"""The section of the internal report on what users will compute: each estimate before and after, with its errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sdc_sql.document.blocks import Section, Table, Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.document.blocks import Block
    from sdc_sql.release.reading.plan import Estimate
    from sdc_sql.release.running.outcome import EstimateOutcome, Outcome

TITLE = "What users compute, before and after"
_FIGURES = {
    "records_before": "records before", "records_after": "after", "before": "estimate before",
    "error_before": "standard error", "after": "estimate after", "error_after": "standard error",
    "relative_change": "change, per cent", "overlap": "overlap of the intervals",
}  # fmt: skip
_ERRORS = {"before": "error_before", "after": "error_after", "error_before": "error_before",
           "error_after": "error_after"}  # fmt: skip
_WORDS = {
    "total": "Total of {variable}", "mean": "Mean of {variable}", "quantile": "Quantile {quantile} of {variable}",
    "count": "Records by {variable}", "share": "Shares of {variable}",
    "regression": "Regression of {variable} on {predictors}",
}  # fmt: skip


def list_estimate_sections(outcome: Outcome) -> list[Section]:
    """Return the section on the estimates of the release file; none where it names none."""
    if not outcome.estimates:
        return []
    return [Section(TITLE, tuple(list_estimate_blocks(outcome.estimates)))]


def list_estimate_blocks(estimates: Sequence[EstimateOutcome]) -> list[Block]:
    """Return the answer, and a table of each estimate before and after."""
    return [Text(_summarise(estimates)), *(_write_estimate(one) for one in estimates)]


def _summarise(estimates: Sequence[EstimateOutcome]) -> str:
    """Return the answer in a sentence: how far the worst interval still overlaps."""
    rows = [(one, row) for one in estimates for row in one.rows]
    known = [(row["overlap"], one, row) for one, row in rows if row.get("overlap") is not None]
    unknown = len(rows) - len(known)
    told = f"{len(rows):,} estimates were made in the original and in the released file"
    if known:
        overlap, one, row = min(known, key=lambda found: found[0])
        place = ", ".join(str(row[name]) for name in ("domain", "term") if row.get(name) is not None)
        of = f"{one.estimate.title or describe_estimate(one.estimate)}{f' ({place})' if place else ''}"
        told += (
            f". Their intervals overlap by {overlap:.2f} at the least, in {of}; 1 is the same interval, 0 intervals "
            "that touch"
        )
    if unknown:
        told += f". Of {unknown:,} one of the files gives no estimate, or no interval"
    return told + "."


def describe_estimate(estimate: Estimate) -> str:
    """Return what is estimated, in words.

    Examples
    --------
    >>> from sdc_sql.release.reading.plan import Estimate
    >>> asked = {"statistic": "mean", "variable": "income", "domains": ["region", "sex"]}
    >>> describe_estimate(Estimate("estimates[0]", "x", "", asked))
    'Mean of income by region and sex'
    """
    asked = estimate.arguments
    given = {**asked, "quantile": asked.get("quantile", 0.5), "predictors": _join(asked.get("predictors"))}
    by = f" by {_join(asked.get('domains'))}" if asked.get("domains") else ""
    is_median = asked["statistic"] == "quantile" and given["quantile"] == 0.5  # noqa: PLR2004 - by definition
    words = "Median of {variable}" if is_median else _WORDS[asked["statistic"]]
    return words.format(**given) + by


def describe_errors(arguments: Mapping[str, Any]) -> str:
    """Return how the standard errors are computed.

    Examples
    --------
    >>> describe_errors({"weight": "w", "strata": "region"})
    'Weighted by w. Standard errors by Taylor linearisation, records drawn with replacement within strata (region).'
    """
    units = f"clusters ({arguments['cluster']})" if arguments.get("cluster") else "records"
    within = f" within strata ({arguments['strata']})" if arguments.get("strata") else ""
    weighed = f"Weighted by {arguments['weight']}." if arguments.get("weight") else "Without weights."
    return f"{weighed} Standard errors by Taylor linearisation, {units} drawn with replacement{within}."


def _write_estimate(one: EstimateOutcome) -> Section:
    words = describe_estimate(one.estimate)
    if one.lacks:
        text = f"{words}. It was not estimated: {one.lacks}."
        return Section(one.estimate.title or words, (Text(text),))
    labels = [name for name in ("domain", "term") if any(row.get(name) is not None for row in one.rows)]
    rows = tuple((*(_label(row.get(n)) for n in labels), *(_figure(row, n) for n in _FIGURES)) for row in one.rows)
    table = Table("", (*(_name_label(one, name) for name in labels), *_FIGURES.values()), rows)
    title = one.estimate.title or words
    said = "" if title == words else f"{words}. "
    return Section(title, (Text(f"{said}{describe_errors(one.estimate.arguments)}"), table))


def _figure(row: Mapping[str, Any], name: str) -> object:
    """Return a figure as it is shown: an estimate to the third digit of its standard error, a change in per cent."""
    value = row.get(name)
    if value is None or name.startswith("records"):
        return value
    if name in _ERRORS:
        return round_to_error(value, row.get(_ERRORS[name]))
    return round(100 * value, 2) if name == "relative_change" else round(value, 2)


def round_to_error(value: float, error: float | None) -> float:
    """Return an estimate, or the error itself, to the third digit of the error.

    Examples
    --------
    >>> round_to_error(2757.6896, 107.098), round_to_error(0.32233877, 0.0241185), round_to_error(1.0, 0.0)
    (2758.0, 0.3223, 1.0)
    """
    return value if not error else round(value, 2 - math.floor(math.log10(abs(error))))


def _label(value: object) -> str:
    return "all" if value is None else str(value)


def _name_label(one: EstimateOutcome, name: str) -> str:
    asked = one.estimate.arguments
    if name == "domain":
        return ", ".join(asked.get("domains") or ())
    return "coefficient" if asked["statistic"] == "regression" else str(asked["variable"])


def _join(names: Any) -> str:  # noqa: ANN401 - of the release file
    several = list(names or ())
    return " and ".join([", ".join(several[:-1]), several[-1]] if len(several) > 1 else several)
