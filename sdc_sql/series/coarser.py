"""A recoding may become coarser in a later release of a series, and then for all: what it gives follows from before.

Each new class is made of whole former ones, so that the later release tells nothing that the former has not. That it is
so is seen from the arguments of the two steps alone; what cannot be seen from them is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# each of them is made of whole ones of the former: a week is not of one month, but a year of four quarters
PERIODS = ("month", "quarter", "year", "decade")


def is_coarser(known: Mapping[str, Any], form: Mapping[str, Any]) -> bool:
    """Return whether a step is that of the releases before, made coarser.

    Examples
    --------
    >>> step = {"method": "recode_intervals", "columns": ["age"]}
    >>> before = {**step, "arguments": {"breaks": [20, 40, 60], "ends": "open"}}
    >>> is_coarser(before, {**step, "arguments": {"breaks": [20, 60], "ends": "open"}})
    True
    >>> is_coarser(before, {**step, "arguments": {"breaks": [20, 50], "ends": "open"}})
    False
    """
    rule = _RULES.get(known["method"])
    if rule is None or any(known[what] != form[what] for what in ("method", "columns")):
        return False
    nests, may_differ = rule
    before, now = known["arguments"], form["arguments"]
    same = all(before.get(name) == now.get(name) for name in {*before, *now} - may_differ)
    return same and nests(before, now)


def _are_breaks_nested(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    labels = before.get("labels") or []  # a label that stood for several classes must not be parted
    return {*now["breaks"]} <= {*before["breaks"]} and len({*labels}) == len(labels)


def _are_fewer_kept(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return bool(now["keep_first"] <= before["keep_first"])


def _are_more_dropped(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return bool(now["drop_last"] >= before["drop_last"])


def _are_periods_nested(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    periods = before["period"], now["period"]
    return {*periods} <= {*PERIODS} and PERIODS.index(periods[0]) <= PERIODS.index(periods[1])


def _are_levels_higher(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return len(before["levels"]) == len(now["levels"]) and all(
        a <= b for a, b in zip(before["levels"], now["levels"], strict=True)
    )


def _are_thresholds_nearer(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether more is coded, to either side that was, by thresholds that are given as numbers."""
    if (before.get("unit"), before.get("replacement")) != ("value", "threshold"):
        return False
    if not _are_labels_apart(before, now):
        return False
    for side, sign in (("top", -1), ("bottom", 1)):
        was, is_ = before.get(side), now.get(side)
        if was is None and is_ is None:
            continue
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (was, is_))
        if not numbers or sign * is_ < sign * was:  # type: ignore[operator] # they are numbers
            return False
    return True


def _are_labels_apart(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Return whether labels stay or, where they become others, stood for nothing but what was coded to one side."""
    names = ("top_label", "bottom_label")
    if all(before.get(name) == now.get(name) for name in names):
        return True
    labels = [str(before[name]) for name in names if before.get(name) is not None]
    return len({*labels}) == len(labels) and not any(_is_number(label) for label in labels)


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


# of each method: whether the classes are nested, and which arguments may differ
_RULES: dict[str, tuple[Callable[[Mapping[str, Any], Mapping[str, Any]], bool], set[str]]] = {
    "recode_intervals": (_are_breaks_nested, {"breaks", "labels"}),
    "recode_keep_first": (_are_fewer_kept, {"keep_first"}),
    "recode_drop_last": (_are_more_dropped, {"drop_last"}),
    "generalise": (_are_levels_higher, {"levels"}),
    "recode_date": (_are_periods_nested, {"period"}),
    "top_bottom_code": (_are_thresholds_nearer, {"top", "bottom", "top_label", "bottom_label"}),
}
