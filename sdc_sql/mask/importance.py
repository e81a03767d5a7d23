"""What a suppressed value of each key costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.masking.apply import Maskable

LEAST, MOST = 1e-9, 1e9  # a search can add up numbers in this range


def list_importance(
    data: Maskable, keys: tuple[str, ...], importance: Mapping[str, float] | Sequence[float] | float | None
) -> list[float] | None:
    """Return a number for each key, in their order; None: all alike.

    Raises
    ------
    ParameterError
        Where a number is not positive, a name is none of the keys, or there are more or fewer than keys.
    """
    if isinstance(importance, Mapping):
        by_name = {data.spell_column("key variable", name): number for name, number in importance.items()}
        strange = sorted(by_name.keys() - {*keys})
        if strange:
            raise ParameterError(
                f"importance names {', '.join(strange)}: give numbers for the keys, {', '.join(keys)}."
            )
        given = [by_name.get(key, 1.0) for key in keys]
    elif importance is None:
        return None
    else:
        given = [importance] * len(keys) if isinstance(importance, (int, float)) else list(importance)
    positive = [isinstance(n, (int, float)) and not isinstance(n, bool) and LEAST <= n <= MOST for n in given]
    if len(given) != len(keys) or not all(positive):
        raise ParameterError(
            f"importance is {text_for_message(importance)}: it must be a positive number for each of the keys, "
            f"{', '.join(keys)}, from 1e-9 to 1e9."
        )
    return [float(number) for number in given]
