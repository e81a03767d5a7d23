"""A masking or recoding swept over its parameters: risk and loss of each candidate, the frontier and the choice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.functions import explain_new_name
from sdc_sql.db.catalogue.macros import index_former_names
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.frontier.figures import (
    add_recoded_columns,
    call_method,
    find_coarsened_columns,
    format_figure_name,
    list_frontier_masks,
    measure_figure,
)
from sdc_sql.frontier.found import Frontier, FrontierCandidate
from sdc_sql.frontier.projection import project_table
from sdc_sql.mask.loss_expression import arithmetic

if TYPE_CHECKING:
    from sdc_sql.frontier.figures import Figure
    from sdc_sql.roles import Roles

    Step: TypeAlias = "tuple[str, Mapping[str, Any]]"
    Candidates: TypeAlias = "Iterable[Step | list[Step]] | Iterable[Result]"

GIVEN, MEASURED = "sdc_candidates_given", "sdc_candidates_measured"
FORM = (
    "a candidate is a step, ('pram_retention', {'column': 'sex', 'retention': 0.9}), a list of steps, or a result that "
    "was measured, as those of preview_recodings"
)


def frontier(
    data: Roles,
    candidates: Candidates,
    risk: Figure,
    loss: Figure,
    *,
    max_risk: float | None = None,
    utility: str | None = None,
) -> Frontier:
    """Return the risk and the loss of candidate releases, which of them are undominated, and the one to choose.

    Nothing is masked: a candidate is measured as a view, in which its masked columns stand in the place of their own.

    Parameters
    ----------
    candidates
        For each the name of a masking method with its arguments, or a list of such steps, in their order. Or what was
        measured already: what ``preview_recodings`` gives.
    risk
        The figure of the disclosure risk, ``"theta.upper_bound"``, of any method that measures, the lower the better;
        with the method's arguments ``("alpha_k_anonymity.alpha", {"sensitive": "income"})``. A measure that compares
        with the original is given it, and the keys as its columns. Of what was measured already the name of a field.
    loss
        The figure of what is lost, likewise.
    max_risk
        The most risk that is allowed: of the candidates within it that of the least loss is chosen.
    utility
        What a release is worth, an expression in SQL of ``risk`` and ``loss``, as in ``"-loss - 2 * risk"``: of the
        undominated candidates (within ``max_risk``, if it is given) that of the highest is chosen.

    Returns
    -------
    Frontier
        In the order of the candidates.

    Raises
    ------
    InputError
        Where a step, a figure or an argument cannot be used.

    Notes
    -----
    Karr & Sanil (2004), (4) and (5). A measure that takes ``recoded``, as the risk of true re-identification and the
    distance of distributions do, is told which columns a candidate recodes. The draws are those of the release: masked
    likewise, the table has these figures. Measures of one table take the keys as they stand. After noise, PRAM or a
    swap few of them are true, and a measure that compares with the original tells more.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data = sdc_sql.Microdata(data.con, "persons", keys=["age"], id="id")
    >>> steps = [("round", {"columns": "age", "base": base}) for base in (1, 7, 50)]
    >>> found = data.frontier(steps, "k_anonymity.2.records", "il1.il1", max_risk=0)
    >>> [(c.risk, round(c.loss, 3), c.undominated) for c in found], found.chosen.candidate
    ([(1.0, 0.0, True), (1.0, 0.186, False), (0.0, 1.819, True)], "round(columns='age', base=50)")
    """
    if isinstance(candidates, (str, Mapping)) or not isinstance(candidates, Iterable):
        raise ParameterError(f"candidates is {text_for_message(candidates)}: give a list; {FORM}.")
    given = list(candidates)
    if not given:
        raise ParameterError(f"The list of candidates is empty; {FORM}.")
    if max_risk is not None and (not is_number(max_risk) or not math.isfinite(max_risk)):
        raise ParameterError(
            f"max_risk is {text_for_message(max_risk)}: it must be a finite number, the most risk that is allowed."
        )
    worth = utility and arithmetic(utility, ("risk", "loss"), f"The utility is {text_for_message(utility)}: it must be")
    if isinstance(given[0], Result):
        names = [_name_field(given, asked, role) for asked, role in ((risk, "risk"), (loss, "loss"))]
        figures = [tuple(getattr(result, name) for name in names) for result in given]
        labels = [_name_levels(data, result, place) for place, result in enumerate(given)]
    else:
        names = [format_figure_name(asked, role) for asked, role in ((risk, "risk"), (loss, "loss"))]
        steps = [_resolve_steps(candidate) for candidate in given]
        figures = [_measure_candidate(data, of_one, risk, loss) for of_one in steps]
        labels = ["; ".join(map(_format_step, of_one)) for of_one in steps]
    rows = _rank_candidates(data, figures, max_risk, worth or None)
    found = (FrontierCandidate(candidate=labels[row["place"]], **row) for row in rows)
    return Frontier(found, risk=names[0], loss=names[1], max_risk=max_risk)


def _name_field(given: list[Any], asked: Figure, role: str) -> str:
    """Return the name of a field of results."""
    if not all(isinstance(result, type(given[0])) for result in given):
        raise ParameterError(f"The candidates are of several kinds; {FORM}.")
    fields = given[0].to_dict()
    if not isinstance(asked, str) or asked not in fields:
        raise ParameterError(
            f"{role} is {text_for_message(asked)}: of these candidates it must be one of {', '.join(fields)}."
        )
    if not all(is_number(getattr(result, asked, None)) or getattr(result, asked) is None for result in given):
        raise ParameterError(f"{role} is {text_for_message(asked)}, which is no number.")
    return asked


def _resolve_steps(candidate: Any) -> list[Step]:  # noqa: ANN401 - whatever was given
    """Return the steps of a candidate, each the name of a mask with its arguments."""
    steps = candidate if isinstance(candidate, list) else [candidate]
    for step in steps:
        if not isinstance(step, tuple) or len(step) != 2 or not isinstance(step[1], Mapping):  # noqa: PLR2004 - a pair
            raise ParameterError(f"A candidate is {text_for_message(step)}: {FORM}.")
        if step[0] in index_former_names():
            raise ParameterError(explain_new_name(step[0], index_former_names()[step[0]]))
        if step[0] not in list_frontier_masks():
            raise ParameterError(
                f"{text_for_message(step[0])} is no masking method; there are "
                f"{', '.join(sorted(list_frontier_masks()))}."
            )
        if "into" in step[1]:
            raise ParameterError("A candidate's step writes nowhere: leave out into.")
    return steps


def _measure_candidate(data: Roles, steps: list[Step], risk: Figure, loss: Figure) -> tuple[float | None, float | None]:
    with project_table(data) as candidate:
        for method, arguments in steps:
            call_method(candidate, method, arguments)
        of = data.table, data.keys
        if data.id is not None:
            # the intruder and the user of the file both ask which values a label stands for
            recoded = find_coarsened_columns(steps, data.keys)
            risk, loss = add_recoded_columns(risk, recoded, data.keys), add_recoded_columns(loss, recoded, data.keys)
        return measure_figure(candidate, *of, risk, "risk"), measure_figure(candidate, *of, loss, "loss")


def _rank_candidates(
    data: Roles, figures: list[tuple[Any, ...]], max_risk: float | None, worth: exp.Expr | None
) -> list[dict[str, Any]]:
    """Return the candidates by their places, as the macro compares them."""
    import pyarrow as pa  # noqa: PLC0415 - an import takes longer than most measures

    risks, losses = zip(*figures, strict=True)
    columns = [list(range(len(figures))), pa.array(risks, type=pa.float64()), pa.array(losses, type=pa.float64())]
    data.con.register(GIVEN, pa.table(columns, names=["place", "risk", "loss"]))
    value = [] if worth is None else [exp.alias_(worth, "utility")]
    measured = exp.select("*", *value).from_(exp.table_(GIVEN, quoted=True))
    named_so = None if worth is None else "utility"
    call = query.call_macro("sdc_frontier", MEASURED, "risk", "loss", max_risk=max_risk, utility=named_so)
    try:
        rows = data.select(call.with_(exp.to_identifier(MEASURED), as_=measured))
    finally:
        data.con.unregister(GIVEN)
    return sorted(rows, key=lambda row: row["place"])


def _format_step(step: Step) -> str:
    method, arguments = step
    return f"{method}({', '.join(f'{name}={_format_argument(value)}' for name, value in arguments.items())})"


def _format_argument(value: object) -> str:
    plain = isinstance(value, (list, tuple)) and all(isinstance(v, str) or is_number(v) for v in value)
    return f"[{', '.join(map(repr, value))}]" if plain and isinstance(value, (list, tuple)) else text_for_message(value)


def _name_levels(data: Roles, result: Any, place: int) -> str:  # noqa: ANN401 - a result
    names = getattr(result, "level_names", ())
    return ", ".join(f"{key}: {name}" for key, name in zip(data.keys, names, strict=False)) or str(place)
