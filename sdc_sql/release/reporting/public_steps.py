"""What the users of a file are told of each step: what they need to compute with the file, and nothing that undoes it.

Told is what the header of the method says (`Told:`), and nothing else. Not told: Kim's alpha and the factors of
Höhne's noise (whoever knows them can undo the masking; nor a loss of those columns, from which they could be
reckoned), how far ranks were swapped, limits of risk and of k, which records were masked (``where``), release names,
tables and mappings (they list original categories), thresholds that are counts or shares of the records, the matrix of
a guaranteed PRAM (from it follows how many persons share each combination), the order of a systematic sample (whoever
knows one who is in it knows the others), and who may exchange with whom, and how many, in a swap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_effect, index_catalogue
from sdc_sql.document.blocks import Text
from sdc_sql.release.reporting import matrices

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc_sql.db.masking.steps import LoggedStep, MaskingStep
    from sdc_sql.document.blocks import Block

DIGITS = 3  # a probability has so many digits: exact ones of an invariant matrix would give the original counts away

_BY_HOUSEHOLD = "Drawn by household: members with the same value have the same released value."


def is_withheld(step: MaskingStep) -> bool:
    """Return whether not even a loss of its columns is told: from it would follow what undoes the step."""
    return find_effect(step.method).loss.find_word(step.parameters) != "published"


def list_told_parameters(step: MaskingStep) -> dict[str, Any]:
    """Return the parameters that users need, by name."""
    names = find_effect(step.method).list_told(step.parameters)
    return {name: step.parameters[name] for name in names if step.parameters.get(name) is not None}


def variances(step: MaskingStep) -> dict[str, float]:
    """Return the variance of the noise that was added to each column, where it is one number and may be told."""
    deviations: list[Any] = []
    if step.method == "noise_absolute":
        given = step.parameters["standard_deviation"]
        deviations = [given] * len(step.columns) if isinstance(given, int | float) else list(given)
    elif step.method == "noise" and step.parameters.get("method") == "uncorrelated":
        applied = step.parameters.get("applied") or []
        if len(applied) == 1 and applied[0].get("stratum") is None:
            found = dict(zip(applied[0]["columns"], applied[0]["standard_deviations"] or [], strict=False))
            deviations = [found.get(column) for column in step.columns]
    return {c: float(d) ** 2 for c, d in zip(step.columns, deviations, strict=False) if d is not None}


def round_told(value: float) -> float:
    """Return a variance as users are told it, wherever they are: with three digits.

    Examples
    --------
    >>> round_told(570025.3)
    570000.0
    """
    return float(f"{value:.{DIGITS}g}")


def describe_step(step: MaskingStep, *, part: bool = False) -> tuple[str, str]:
    """Return what was done, and what it keeps, in the words of the method's declaration, where it says what is told.

    ``part``: only some of the records were masked so.
    """
    macro = index_catalogue().get(f"sdc_{step.method}")
    said = macro is not None and "Told" in macro.effect.says
    summary = (macro.effect.publicly or macro.summary) if macro and said else step.method.replace("_", " ")
    keeps = _choose_words(macro.keeps, step) if macro and said else ""
    if is_by_household(step):
        summary += f" {_BY_HOUSEHOLD}"
    if part:
        summary += " In a part of the records."
    return summary, keeps


def _choose_words(text: str, step: MaskingStep) -> str:
    """Return what a declaration says of the step's own choice of a method, or of all of them."""
    parts = [part.split(": ") for part in text.rstrip(".").split("; ")]
    if "method" not in step.parameters or all(len(part) == 1 for part in parts):
        return text
    of = [p[1] for p in parts if len(p) > 1 and p[0] == step.parameters["method"]]
    return "; ".join(of or [p[0] for p in parts if len(p) == 1]) + "."


def describe_use(step: MaskingStep) -> str:
    """Return which estimates hold and which do not, in the words of the method's declaration."""
    return _choose_words(find_effect(step.method).users, step)


def is_by_household(step: MaskingStep) -> bool:
    """Return whether the step drew, ranked or grouped by household, and not by record."""
    gone = find_effect(step.method).suppresses.kind != "nothing"  # the unit of a suppression is what is counted
    return not gone and (step.parameters.get("unit") == "household" or "by_household" in step.parameters)


def show_public_matrix(
    step: MaskingStep,
    logged: LoggedStep | None,
    name: Callable[[object], str],
    name_stratum: Callable[[object], str],
) -> list[Block]:
    """Return the matrix by which estimates are corrected, rounded; of categories that are not in the file no name."""
    known = find_effect(step.method).matrix.kind
    if known == "by retention":
        kept = step.parameters["retention"]
        one, of = ("a category", "categories") if len(step.columns) == 1 else ("a combination", "combinations")
        told = f"{one} stays with probability {kept} and becomes each other one with probability (1 - {kept}) / (K - 1)"
        return [Text(f"{', '.join(step.columns)}: {told}, K the number of {of}.")]
    if known != "logged" or logged is None:
        return []
    return matrices.show_matrix(logged, digits=DIGITS, name=name, name_stratum=name_stratum)


def advice(
    step: MaskingStep, *, matrix: bool, part: bool, blurred: bool = False, masked_again: bool = False
) -> list[str]:
    """Return what to heed in estimates; of a step on a part of the records that these cannot be corrected.

    ``blurred``: the matrix is singular, or nearly, so that the original frequencies do not follow from it.
    ``masked_again``: another step changed a column of this one as well, so that neither tells what both did.
    """
    how, columns = step.parameters.get("method"), ", ".join(step.columns)
    said = ""
    if matrix and blurred:
        said = (
            f"{columns}: the original frequencies cannot be estimated: different ones give nearly the same released "
            "ones, by the matrix below."
        )
    elif matrix:
        said = (
            f"{columns}: estimate the original frequencies t by solving P' t = f, P the matrix (rows: original "
            "categories), f the released frequencies (SDC handbook, section 3.4.6)."
        )
    elif step.method == "noise" and "alpha" in list_told_parameters(step):
        of = "variances" if how == "uncorrelated" else "variances and covariances"
        ratio = 1 + float(step.parameters["alpha"])
        within = " within each stratum" if step.parameters.get("stratum") else ""
        said = (
            f"{columns}: {of} of the released values{within} are {ratio:g} times the original ones (1 + alpha), but "
            "for rounding. Means are kept in expectation."
        )
    elif step.method == "noise_absolute":
        said = f"{columns}: subtract the variance of the noise from that of the released values. Means are kept."
    elif step.method == "multiplicative_noise" and "size" in list_told_parameters(step):
        ratio = 1 + float(step.parameters["size"]) ** 2
        said = f"{columns}: the mean of the squares is {ratio:g} times the original one. Means are kept in expectation."
    if said and any(step.parameters.get(name) is not None for name in ("lower", "upper")):
        said = (
            f"{columns}: values were held within bounds, so that what was added depends on the value: variances cannot "
            "be corrected."
        )
    if said and masked_again and not part:
        said = f"{columns}: masked by another step too: no estimate can be corrected by this one alone."
    if said and part:
        said = (
            f"{columns}: only a part of the records was masked so, and which is not told: what is said of the masking "
            "holds in that part alone. No estimate from the whole file can be corrected by it."
        )
    if said and is_by_household(step):
        said += (
            " Drawn by household: a standard error that takes the draws of records for independent is too small, by up "
            "to the root of the number of members who share a value."
        )
    return [said] if said else []
