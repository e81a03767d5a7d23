"""A limit of a release file on a figure of a measure, with the arguments of its example: one that the example meets."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from sdc_docs.calls import read_call, run_example
from sdc_sql.figures.registry import ROLES, list_all_measures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.gives import Column
    from sdc_sql.figures.registry import Measure

LOSS_FIELDS = ("columns", "ordinal", "continuous", "domains", "dimension")  # these stand in [loss] of a release file
_LEAST = 0.01
_MANY = 1e6
_KEYS = ["age", "sex"]
_OF_PERSONS = {"persons", "released"}


def write_limit(declaration: Declaration) -> str:
    """Return the sections that say it; nothing where no limit can name the measure."""
    its = list_all_measures().get(declaration.name.removeprefix("sdc_"))
    if its is None or its.declaration is not declaration or its.joins:
        return ""
    figure = _choose_figure(its, declaration)
    bound = _bound(declaration, figure) if figure else ""
    given = _sort_arguments(its, declaration)
    if not (figure and bound and given):
        return ""
    roles, arguments, keys = given
    return _write_sections(its, figure, bound, roles=roles, arguments=arguments, keys=keys)


def _choose_figure(its: Measure, declaration: Declaration) -> Column | None:
    """Return the figure that a test of dbt limits, else the last one that bears risk or loss."""
    bearing = [c for c in its.figures.values() if c.bears]
    limited = declaration.limit.figure if declaration.limit else ""
    return next((c for c in bearing if c.name == limited), bearing[-1] if bearing else None)


def _bound(declaration: Declaration, figure: Column) -> str:
    """Return the bound that the worst value of the example meets."""
    columns, rows = run_example(declaration.example)
    values = [v for row in rows if isinstance(v := row[columns.index(figure.name)], int | float)]
    if not values or not all(map(math.isfinite, values)):
        return ""
    worst = max(values) if figure.more else min(values)
    if figure.type == "DOUBLE" and figure.more:
        worst = max(worst, _LEAST)  # a bound that a release can meet
    return f"<= {round_up(worst)}" if figure.more else f">= {-round_up(-worst)}"


def _sort_arguments(its: Measure, declaration: Declaration) -> tuple[dict[str, Any], dict[str, Any], list[str]] | None:
    """Return the roles, the measure's own arguments and the keys; None where a release file cannot say them."""
    call = read_call(declaration)
    keys = call.given.get("keys")
    if keys is None and call.tables[0] not in _OF_PERSONS:
        return None  # what is measured is no file of persons
    roles: dict[str, Any] = {}
    arguments: dict[str, Any] = {}
    for p in call.parameters:
        value = call.given[p.name]
        if p.name in ROLES and p.name != "keys":
            roles |= {"strata": [value]} if p.name == "stratum" else {p.name: value}
        elif p.name in its.arguments and p.type != "tables":
            arguments[p.name] = f"{value}.parquet" if p.type == "table" else value
        elif p.name not in {"keys", "released", "nulls"} and p is not call.parameters[0]:
            return None
    return roles, arguments, keys if isinstance(keys, list) else _KEYS


def _write_sections(
    its: Measure, figure: Column, bound: str, *, roles: Mapping[str, Any], arguments: dict[str, Any], keys: list[str]
) -> str:
    of_loss = figure.bears == "loss"
    over = {n: arguments.pop(n) for n in LOSS_FIELDS if n in arguments} if of_loss else {}
    own = f"{its.name}_of_it" if arguments else its.name
    lines = ["[roles]", *_write_lines(roles), ""] if roles else []
    lines += [f"[figures.{own}]", f'measure = "{its.name}"', *_write_lines(arguments), ""] if arguments else []
    if of_loss:
        lines += ["[loss]", *_write_lines({"columns": [arguments.get("variable", keys[0])]} | over)]
    else:
        lines += ["[[scenarios]]", 'name = "neighbour"', *_write_lines({"keys": keys})]
    return "\n".join([*lines, f'limits = ["{own}.{figure.name} {bound}"]'])


def _write_lines(given: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {write_toml(value)}" for name, value in given.items()]


def round_up(value: float) -> float:
    """Return a number of two digits that is not below another."""
    if value == int(value) and abs(value) < _MANY:
        return int(value)
    rounded = float(f"{value:.2g}")
    step = 10.0 ** (len(f"{int(abs(value))}") - 2) if abs(value) >= 1 else float(f"1e{int(f'{value:.1e}'[-3:]) - 1}")
    return rounded if rounded >= value else float(f"{rounded + step:.6g}")


def go_above(value: float) -> float:
    """Return a number of two digits that is above another.

    Examples
    --------
    >>> go_above(0.25), go_above(0.1957), go_above(3)
    (0.26, 0.2, 4)
    """
    if value == int(value) and abs(value) < _MANY:
        return int(value) + 1
    above = round_up(value)
    return above if above > value else round_up(value * 1.001)


def write_toml(value: Any) -> str:  # noqa: ANN401 - whatever an argument is
    """Return a value as TOML writes it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(n)} = {write_toml(v)}' for n, v in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(write_toml, value))}]"
    return json.dumps(value)
