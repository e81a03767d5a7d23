"""The JSON Schema of the steps and figures of a release file, each by the method or measure that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.figures.registry import list_all_measures
from sdc_sql.frontier.figures import list_frontier_masks as masks_of_frontier
from sdc_sql.release.reading.step_fields import (
    LEFT_OUT,
    find_target,
    index_methods,
    list_own_parameters,
    list_step_fields,
)
from sdc_sql.write import schema_values
from sdc_sql.write.dbt_yaml import sentence
from sdc_sql.write.schema_values import TEXT, Schema
from sdc_sql.write.schema_words import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter
    from sdc_sql.figures.registry import Measure

REFERENCE = "#/$defs/"
_ONE_OR_MORE: Schema = {"type": ["string", "array"], "items": TEXT, "uniqueItems": True, "minItems": 1}
_FILES: Schema = {"type": "array", "items": TEXT, "minItems": 1}


def step(*, of_candidate: bool = False) -> Schema:
    """Return the schema of a step: the fields of each method, where it is named; fewer may be steps of a candidate."""
    chosen = [m for m in _methods() if not of_candidate or {d.verb for d in _methods()[m]} & masks_of_frontier()]
    cases = [
        {"if": _name_method(method), "then": {"$ref": f"{REFERENCE}{_name_definition(method)}"}} for method in chosen
    ]
    found: Schema = {
        "type": "object",
        "description": MEANINGS["step"]["step"],
        "properties": {"mask": {"description": MEANINGS["step"]["mask"], "enum": chosen}},
        "required": ["mask"],
        "allOf": cases,
    }
    if of_candidate:
        found["properties"] |= {"where": False, "by_household": False}
    return found


def define_methods() -> dict[str, Schema]:
    """Return what is referred to: the fields of each method."""
    return {_name_definition(method): _fields(method, masks) for method, masks in _methods().items()}


def define_figure() -> Schema:
    """Return the schema of one of ``[figures]``: a measure, and the arguments that it takes."""
    cases = [
        {"if": {"properties": {"measure": {"const": name}}, "required": ["measure"]}, "then": _define_arguments(its)}
        for name, its in list_all_measures().items()
    ]
    measured = {"description": MEANINGS["figures"]["measure"], "enum": list(list_all_measures())}
    return {"type": "object", "required": ["measure"], "properties": {"measure": measured}, "allOf": cases}


def _methods() -> dict[str, list[Declaration]]:
    return {name: masks for name, masks in sorted(index_methods().items()) if name not in LEFT_OUT}


def _name_definition(method: str) -> str:
    return f"step_{method}"


def _name_method(method: str) -> Schema:
    """Return the condition that a step names the method."""
    return {"required": ["mask"], "properties": {"mask": {"const": method}}}


def _fields(method: str, masks: Sequence[Declaration]) -> Schema:
    own = {p.name: p for mask in masks for p in list_own_parameters(mask)}
    targets = {find_target(mask.verb) for mask in masks}
    fields: dict[str, Schema] = {"mask": {}}
    for name in sorted(list_step_fields(masks) - {"column", "columns", "keys"}):
        fields[name] = _define_field(name, own.get(name), masks)
    taken = [] if None in targets else ["columns", "column", "keys"]
    fields |= {name: {**_ONE_OR_MORE, "description": MEANINGS["step"][name]} for name in taken}
    if "keys" in targets:
        fields["scenario"] = {**TEXT, "description": MEANINGS["step"]["scenario"]}
        taken.append("scenario")
    elif "drawn" in fields:
        fields["scenario"] = {**TEXT, "description": "The scenario by whose keys a figure of the records is asked."}
    if any(mask.masks for mask in masks):
        fields["where"] = {**TEXT, "description": MEANINGS["step"]["where"]}
    if any(mask.effect.households.kind != "checked" for mask in masks):
        fields["by_household"] = {**TEXT, "description": MEANINGS["step"]["by_household"]}
    found: Schema = {
        "title": method,
        "description": sentence(masks[0].summary),
        "properties": fields,
        "additionalProperties": False,
    }
    rules: list[Schema] = [{"oneOf": [{"required": [name]} for name in taken]}] if taken else []
    rules += _list_field_ways(masks)
    return {**found, "allOf": rules} if rules else found


def _define_field(name: str, parameter: Parameter | None, masks: Sequence[Declaration]) -> Schema:
    if name in {mask.switch for mask in masks}:
        return {"type": "boolean", "description": MEANINGS["step"]["switch"]}
    if name == "subset":
        return {**TEXT, "description": MEANINGS["step"]["subset"]}
    return {} if parameter is None else schema_values.define_parameter(parameter)


def _list_needed_fields(mask: Declaration) -> tuple[str, ...]:
    return tuple(p.name for p in list_own_parameters(mask) if p.default is None)


def _list_field_ways(masks: Sequence[Declaration]) -> list[Schema]:
    """Return what must be given, where several masks are called alike one of their ways; and what goes with which."""
    ways = list(dict.fromkeys(map(_list_needed_fields, masks)))
    if len(ways) == 1:
        rules: list[Schema] = [{"required": list(ways[0])}] if ways[0] else []
        return rules + _switch_fields(masks)
    rules = [{"oneOf": [{"required": list(way)} for way in ways]}]
    by_way = {
        way: {p.name for mask in masks if _list_needed_fields(mask) == way for p in list_own_parameters(mask)}
        for way in ways
    }
    for name in sorted(set().union(*by_way.values()) - {n for way in ways for n in way}):
        having = [way for way in ways if name in by_way[way]]
        if len(having) < len(ways):
            then = {"anyOf": [{"required": list(way)} for way in having]}
            rules.append({"if": {"required": [name]}, "then": then})
    return rules


def _switch_fields(masks: Sequence[Declaration]) -> list[Schema]:
    """Return which fields a switch leaves out, turned on and off."""
    switch = next((mask.switch for mask in masks if mask.switch), None)
    if switch is None:
        return []
    on, off = (
        {p.name for m in masks if bool(m.switch) == is_on for p in list_own_parameters(m)} for is_on in (True, False)
    )
    return [
        {
            "if": {"properties": {switch: {"const": True}}, "required": [switch]},
            "then": {"properties": dict.fromkeys(sorted(off - on), False)},
            "else": {"properties": dict.fromkeys(sorted(on - off), False)},
        }
    ]


def _define_arguments(its: Measure) -> Schema:
    return {
        "description": sentence(its.declaration.summary),
        "properties": {"measure": {}, **{name: _argument(its, name) for name in its.arguments}},
        "additionalProperties": False,
    }


def _argument(its: Measure, name: str) -> Schema:
    parameter = its.parameter(name)
    if its.takes_tables(name) and (parameter is None or parameter.type == "tables"):
        by_key = {"type": "object", "additionalProperties": TEXT, "minProperties": 1}
        return by_key if name == "matrices" else _FILES
    return {} if parameter is None else schema_values.define_parameter(parameter)
