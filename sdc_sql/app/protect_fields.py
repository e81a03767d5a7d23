"""The fields of a step: what is masked, and each argument with what the header of its method says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, tags

from sdc_sql.app.protect_forms import (
    NUMBERS,
    SCENARIO,
    TARGET,
    WHERE,
    order_columns,
    takes_keys,
    takes_several,
)
from sdc_sql.app.protect_words import describe_field, name_field, say_choice
from sdc_sql.app.show import act, show_problem
from sdc_sql.release.reading.step_fields import find_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.state import State
    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

_NUMERIC = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "REAL")


def list_numbers(state: State) -> set[str]:
    """Return the columns that are numbers."""
    return {name for name, kind in state.columns.items() if any(word in kind for word in _NUMERIC)}


def write_about(mask: Declaration) -> Tag:
    """Return what a method keeps and guarantees, and where it is from, to be opened."""
    said = [("Keeps", mask.keeps), ("Guarantees", mask.guarantees), ("Source", mask.source)]
    released = str(mask.effect.repeated)
    said.append(("A table that is released again", f"{released}. {mask.effect.repeated.reason}".strip()))
    return tags.details(
        tags.summary("What it keeps, and where it is from"),
        tags.dl(*(part for word, text in said if text for part in (tags.dt(word), tags.dd(text)))),
        class_="help", id="protect-about",
    )  # fmt: skip


def write_target(state: State, release: Mapping[str, Any], mask: Declaration, form: Mapping[str, Any]) -> Tag:
    """Return the field of what is masked: a scenario's keys, columns, or one column."""
    if find_target(mask.verb) is None:
        return tags.p("It is of whole records: there is no column to choose.", class_="hint")
    roles = release.get("roles", {})
    gone = {*roles.get("identifiers", []), *roles.get("drop", []), roles.get("id")}
    columns = order_columns([name for name in state.columns if name not in gone], list_numbers(state), mask)
    chosen = [*(form.get(TARGET) or [])]
    problem = f"protect-{TARGET}"
    if not takes_several(mask):
        options = [tags.option("choose a column", value="", selected="" if not chosen else None)]
        options += [tags.option(name, value=name, selected="" if chosen[:1] == [name] else None) for name in columns]
        select = tags.select(*options, act("protect_field", field=TARGET, place=problem), id="protect-columns")
        return tags.div(tags.label("Column", for_="protect-columns"), select)
    keys = takes_keys(mask)
    boxes = [
        tags.label(
            tags.input(
                act("protect_column", column=name, place=problem),
                type="checkbox",
                id=f"protect-column-{i}",
                checked="" if name in chosen else None,
            ),
            name,
        )
        for i, name in enumerate(columns)
    ]
    box = tags.fieldset(tags.legend("Keys" if keys else "Columns"), tags.div(*boxes, class_="chips"), class_="wider")
    scenarios = [s["name"] for s in release.get("scenarios", [])]
    if not keys or not scenarios:
        return box
    now = form.get(SCENARIO, "")
    options = [tags.option("chosen below", value="", selected="" if not now else None)]
    options += [tags.option(name, value=name, selected="" if name == now else None) for name in scenarios]
    select = tags.select(*options, act("protect_field", field=SCENARIO, place=problem), id="protect-scenario")
    return tags.div(tags.label("The keys of", for_="protect-scenario"), select, None if now else box, class_="wider")


def write_field(desk: Desk, parameter: Parameter, form: Mapping[str, Any]) -> Tag:
    """Return the field of an argument, with what its header says of it."""
    name, given = parameter.name, form.get(parameter.name)
    place = f"protect-{name}"
    does = act("protect_field", field=name, place=place)
    default = None if parameter.default in {None, "NULL"} else str(parameter.default).strip("'")
    same: dict[str, Any] = {"id": place, "aria_describedby": f"{place}-why"}
    if parameter.choices or parameter.type == "truth value":
        choices = [*parameter.choices] or ["true", "false"]
        now = str(given).lower() if isinstance(given, bool) else given if given not in {None, ""} else default
        options = [] if default or (parameter.choices and not parameter.default) else [tags.option("", value="")]
        options += [tags.option(say_choice(one), value=one, selected="" if one == now else None) for one in choices]
        field = tags.select(*options, does, **same)
    elif parameter.type == "column":
        options = [tags.option("none", value="", selected="" if not given else None)]
        options += [tags.option(one, value=one, selected="" if one == given else None) for one in desk.state.columns]
        field = tags.select(*options, does, **same)
    else:
        numeric = parameter.type in {*NUMBERS, "numbers", "number or numbers"}
        field = tags.input(
            does, type="text", inputmode="decimal" if numeric else None, value="" if given is None else str(given),
            placeholder=default, autocomplete="off", **same,
        )  # fmt: skip
    return tags.div(
        tags.label(name_field(parameter), for_=place),
        field,
        tags.p(describe_field(parameter), id=f"{place}-why", class_="hint"),
        show_problem(desk, place),
    )


def write_where(desk: Desk, form: Mapping[str, Any]) -> Tag:
    """Return the field of the records that are masked."""
    place = f"protect-{WHERE}"
    return tags.div(
        tags.label("Only where", for_=place),
        tags.input(
            act("protect_field", field=WHERE, place=place), type="text", id=place, value=form.get(WHERE, ""),
            autocomplete="off", aria_describedby=f"{place}-why",
        ),
        tags.p("A condition of the records that are masked, in SQL, as in age > 80 AND region = 'north'",
               id=f"{place}-why", class_="hint"),
        show_problem(desk, place),
    )  # fmt: skip
