"""What of a step must be the same in all releases of a series, and which steps have no place in one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.macros import find_effect, find_mask, read_catalogue
from sdc_sql.errors import SeriesError
from sdc_sql.series.records import digest_beside

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.db.masking.masking import Masking

TABLES = {"table", "tables"}


def refuse_method(method: str, arguments: Mapping[str, Any], data: Any, *, subset: bool) -> None:  # noqa: ANN401 - a table
    """Refuse what is not sound in a series, or not built for one.

    Raises
    ------
    SeriesError
        With the reason.
    """
    word = find_effect(method).series
    if word.find_word(dict(arguments)) == "refused":
        why = word.reason or "nothing is known of it"
        raise SeriesError(f"{method} is refused in a series of releases: {why}.")
    if method == "top_bottom_code" and arguments.get("stratum") is not None:
        raise SeriesError(
            "top_bottom_code by strata is refused in a series of releases: who moves to another stratum would be shown "
            "by its threshold. Leave the stratum out."
        )
    _refuse_others(method, arguments)
    if find_rule(method, arguments) == "values" and data.homes is not None:
        raise SeriesError(
            f"{method} of one record a household is refused in a series of releases: what was released is kept by the "
            "ids of persons. Who moves, or stands for a household in one release and not in the next, would show what "
            "was kept for him beside another household's, or another's beside his own. Mask the persons "
            "(household_columns=[] where no column is of the household)."
        )
    if data.part is not None or (data.homes is not None and data.homes.of.part is not None) or subset:
        raise SeriesError(
            f"{method} of some of the records (where) is refused in a series: who changes and is no more, or only "
            "then, one of them shows his original in another release. Mask all records."
        )


def _refuse_others(method: str, arguments: Mapping[str, Any]) -> None:
    """Refuse draws, and rounding, that hang on another column: who changes there would be masked for a second time."""
    if method == "generalise" and (arguments.get("suppression") or arguments.get("sensitive") is not None):
        raise SeriesError(
            "generalise with suppression, or by a sensitive variable, is refused in a series of releases: a record "
            "that is suppressed in one release would be shown in another, and levels that change with sensitive values "
            "tell them. Give suppression=0 and k alone."
        )
    if method == "pram_retention" and arguments.get("categories") is None:
        raise SeriesError(
            "pram_retention by the categories of a file is refused in a series of releases: a category that comes or "
            "goes would draw all records anew. Mask each column by a step of its own, and give categories, all that "
            "there may be: one matrix then holds for all releases."
        )
    columns = arguments.get("columns")
    if method == "round_points" and isinstance(columns, list | tuple) and len(columns) > 1:
        raise SeriesError(
            "round_points of several columns together is refused in a series of releases: who changes in one of them "
            "would be rounded otherwise in the others, and the releases intersect. Round each by points of its own."
        )


def find_rule(method: str, arguments: Mapping[str, Any]) -> str:
    """Return what of a step is kept: its parameters alone, or what was released of each value.

    Where a draw hangs on another column, a stratum or a household, who changes there would be drawn for again: then it
    is kept too.
    """
    word = find_effect(method).series.find_word(dict(arguments))
    hangs = arguments.get("stratum") is not None or arguments.get("unit") == "household"
    return "values" if word == "parameters" and method != "sample" and "stream" in arguments and hangs else word


def refuse_method_of(step: Any) -> None:  # noqa: ANN401 - a step of a release file
    """Refuse a step of a release file before any work, where all masks that it can mean are refused in a series.

    Raises
    ------
    SeriesError
        With the reason.
    """
    masks = [d for d in read_catalogue() if d.is_step and d.verb == step.verb]
    words = [d.effect.series for d in masks]
    if words and all(word.kind == "refused" and not word.parameter for word in words):
        raise SeriesError(f"{step.verb} is refused in a series of releases: {words[0].reason}.")
    if step.where is not None:
        raise SeriesError("a part of the records (where) is refused in a series of releases: mask all of them.")


def name_pass(masking: Masking, done: Sequence[Mapping[str, Any]]) -> Masking:
    """Return a step that names its pass of draws: by the steps of this release, whatever was masked before it.

    By the log of the table it would be another pass in the next release, where that stands beside the former one, and
    everybody would be drawn for a second time.
    """
    if "stream" not in masking.arguments or masking.arguments["stream"] is not None:
        return masking
    columns = {c.lower() for c in masking.columns}
    drawn = [f for f in done if "stream" in f["arguments"] and columns & {*f["columns"]}]
    whole = [f for f in done if "stream" in f["arguments"] and f["method"] == masking.macro]
    number = 1 + len(drawn if columns else whole)
    return replace(masking, arguments={**masking.arguments, "stream": str(number) if number > 1 else ""})


def describe_step_form(data: Any, masking: Masking) -> dict[str, Any]:  # noqa: ANN401 - a described table
    """Return what of a step is frozen: its method, columns and arguments, of a table what it holds.

    Where values or a design are kept also the order in which the table has the columns, by which these stand there.
    """
    declared = find_mask(masking.macro)
    of_type = {p.name: p.type for p in declared.parameters} if declared else {}
    arguments: dict[str, Any] = {}
    for name, value in masking.arguments.items():
        if name == "columns" or value is None:
            continue
        if of_type.get(name) in TABLES and isinstance(value, str):
            arguments[name] = f"content {digest_beside(data, value)}"
        else:  # a column is the same however its name is spelled
            arguments[name] = value.lower() if of_type.get(name) == "column" and isinstance(value, str) else value
    form = {"method": masking.macro, "columns": [c.lower() for c in masking.columns], "arguments": arguments}
    if masking.designed is not None or find_rule(masking.macro, masking.arguments) == "values":
        form["order"] = [c.lower() for c in data.read_columns() if c in masking.columns]
    plain: dict[str, Any] = json.loads(json.dumps(form, default=str, sort_keys=True))  # as it is read from a ledger
    return plain


def explain_difference(known: dict[str, Any], form: dict[str, Any]) -> str:
    """Return in which respect two steps differ."""
    for what in ("method", "columns"):
        if known[what] != form[what]:
            return f"its {what} is {_say(form[what])}, not {_say(known[what])}"
    if known.get("order") != form.get("order"):
        now, then = (_say(of.get("order", [])) for of in (form, known))
        return f"the table has its columns in the order {now}, not {then}, by which values are kept"
    before, now = known["arguments"], form["arguments"]
    names = sorted(n for n in before | now if before.get(n) != now.get(n))
    return f"its arguments differ ({', '.join(names)})"


def _say(value: Any) -> str:  # noqa: ANN401 - a text, or a list of texts
    return ", ".join(value) if isinstance(value, list) else str(value)
