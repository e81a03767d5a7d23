"""The names of figures before version 0.2.0 and those of now: for messages, and for certificates of then."""

from __future__ import annotations

AFTER_PRAM = "_misclassified"  # the names of figures of keys after PRAM end so

_MEASURES = {
    "attribute": "l_diversity, t_closeness or likeness",
    "crossing_distance": "distribution_distance",
    "data_intrusion": "data_intrusion_simulation",
    "frequencies": "frequency_summary",
    "household_risk": "household_global_risk",
    "suda": "suda_summary",
    "threshold_rule": "threshold_rule_summary",
}
_FIGURES = {
    **{("attribute", figure): f"l_diversity.{figure}" for figure in ("distinct_l", "entropy_l", "recursive_l")},
    ("attribute", "t"): "t_closeness.t",
    **{("attribute", figure): f"likeness.{figure}" for figure in ("alpha", "beta", "enhanced_beta", "delta")},
    ("individual_risk", "highest"): "individual_risk.individual_risk",
    ("individual_risk", "highest_misclassified"): "individual_risk_misclassified.individual_risk_misclassified",
    ("theta", "theta_misclassified"): "theta_misclassified.theta",
    ("riskiest_keys", "individual_risk"): "individual_risk.individual_risk",
    ("riskiest_keys", "sample_frequency"): "cells.sample_frequency",
}


def find_new_name(measure: str, figure: str = "") -> str:
    """Return the present name of an older figure or measure; nothing where it had no other name.

    Examples
    --------
    >>> find_new_name("attribute", "t"), find_new_name("suda"), find_new_name("suda", "records"), find_new_name("theta",
    ...     "theta")
    ('t_closeness.t', 'suda_summary', 'suda_summary.records', '')
    """
    if (measure, figure) in _FIGURES:
        return _FIGURES[measure, figure]
    if figure.endswith(AFTER_PRAM):
        of = {"household_risk": "household_global_risk"}.get(measure, measure)
        return f"{of}{AFTER_PRAM}.{figure}"
    if measure not in _MEASURES:
        return ""
    return f"{_MEASURES[measure]}.{figure}" if figure else _MEASURES[measure]
