"""A mask that is named by its macro, as in dbt, and done by its verb on a described table."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_mask
from sdc_sql.errors import ParameterError
from sdc_sql.methods import Methods
from sdc_sql.microdata import call_method
from sdc_sql.session.calls import TARGETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.microdata import Microdata


def mask_by_macro(
    data: Microdata, method: str, columns: str | Sequence[str], parameter: Any, options: Mapping[str, Any]  # noqa: ANN401 - any value
) -> MaskingStep:  # fmt: skip
    """Mask as a macro does: by its name without ``sdc_``, its columns, its third argument, and its options.

    Examples
    --------
    >>> import sdc_sql
    >>> mask_by_macro(sdc_sql.example(), "recode_intervals", "age", [0, 35, 100], {}).method
    'recode_intervals'
    """
    mask = find_mask(method)
    if mask is None or not mask.is_step:
        raise ParameterError(f"There is no mask {method}.")
    taken = inspect.signature(getattr(Methods, mask.verb)).parameters
    given: dict[str, Any] = dict(options)
    third = [p.name for p in mask.parameters[2:3] if p.name != "id"]
    if third and parameter is not None:
        given[third[0]] = parameter
    if mask.switch:
        given[mask.switch] = True
    unknown = sorted(given.keys() - taken.keys())
    if unknown:
        raise ParameterError(f"{method} has no option {unknown[0]} here: it has {', '.join(taken)}.")
    target = next((name for name in TARGETS if name in taken), None)
    several = [columns] if isinstance(columns, str) else list(columns)
    if target is not None:
        given[target] = several[0] if target == "column" and len(several) == 1 else several
    masked: MaskingStep = call_method(data, mask.verb, **given)
    return masked
