"""The JSON Schema of the steps and figures of a release file, each by the method or measure that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.figures.registry import measures
from sdc_sql.frontier.figures import masks as masks_of_frontier
from sdc_sql.release.reading.step_fields import LEFT_OUT, fields_of, known_methods, own_of, target_of
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
    cases = [{"if": _is(method), "then": {"$ref": f"{REFERENCE}{_definition(method)}"}} for method in chosen]
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


def definitions() -> dict[str, Schema]:
    """Return what is referred to: the fields of each method."""
    return {_definition(method): _fields(method, masks) for method, masks in _methods().items()}


def figure() -> Schema:
    """Return the schema of one of ``[figures]``: a measure, and the arguments that it takes."""
    cases = [
        {"if": {"properties": {"measure": {"const": name}}, "required": ["measure"]}, "then": _arguments(its)}
        for name, its in measures().items()
    ]
    measured = {"description": MEANINGS["figures"]["measure"], "enum": list(measures())}
    return {"type": "object", "required": ["measure"], "properties": {"measure": measured}, "allOf": cases}


def _methods() -> dict[str, list[Declaration]]:
    return {name: masks for name, masks in sorted(known_methods().items()) if name not in LEFT_OUT}


def _definition(method: str) -> str:
    return f"step_{method}"


def _is(method: str) -> Schema:
    """Return the condition that a step names the method."""
    return {"required": ["mask"], "properties": {"mask": {"const": method}}}


def _fields(method: str, masks: Sequence[Declaration]) -> Schema:
    own = {p.name: p for mask in masks for p in own_of(mask)}
    targets = {target_of(mask.verb) for mask in masks}
    fields: dict[str, Schema] = {"mask": {}}
    for name in sorted(fields_of(masks) - {"column", "columns", "keys"}):
        fields[name] = _field(name, own.get(name), masks)
    taken = [] if None in targets else ["columns", "column", "keys"]
    fields |= {name: {**_ONE_OR_MORE, "description": MEANINGS["step"][name]} for name in taken}
    if "keys" in targets:
        fields["scenario"] = {**TEXT, "description": MEANINGS["step"]["scenario"]}
        taken.append("scenario")
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
    rules += _ways(masks)
    return {**found, "allOf": rules}


def _field(name: str, parameter: Parameter | None, masks: Sequence[Declaration]) -> Schema:
    if name in {mask.switch for mask in masks}:
        return {"type": "boolean", "description": MEANINGS["step"]["switch"]}
    if name == "subset":
        return {**TEXT, "description": MEANINGS["step"]["subset"]}
    return {} if parameter is None else schema_values.of(parameter)


def _needed(mask: Declaration) -> tuple[str, ...]:
    return tuple(p.name for p in own_of(mask) if p.default is None)


def _ways(masks: Sequence[Declaration]) -> list[Schema]:
    """Return what must be given, where several masks are called alike one of their ways; and what goes with which."""
    ways = list(dict.fromkeys(map(_needed, masks)))
    if len(ways) == 1:
        rules: list[Schema] = [{"required": list(ways[0])}] if ways[0] else []
        return rules + _switched(masks)
    rules = [{"oneOf": [{"required": list(way)} for way in ways]}]
    by_way = {way: {p.name for mask in masks if _needed(mask) == way for p in own_of(mask)} for way in ways}
    for name in sorted(set().union(*by_way.values()) - {n for way in ways for n in way}):
        having = [way for way in ways if name in by_way[way]]
        if len(having) < len(ways):
            then = {"anyOf": [{"required": list(way)} for way in having]}
            rules.append({"if": {"required": [name]}, "then": then})
    return rules


def _switched(masks: Sequence[Declaration]) -> list[Schema]:
    """Return which fields a switch leaves out, turned on and off."""
    switch = next((mask.switch for mask in masks if mask.switch), None)
    if switch is None:
        return []
    on, off = ({p.name for m in masks if bool(m.switch) == is_on for p in own_of(m)} for is_on in (True, False))
    return [
        {
            "if": {"properties": {switch: {"const": True}}, "required": [switch]},
            "then": {"properties": dict.fromkeys(sorted(off - on), False)},
            "else": {"properties": dict.fromkeys(sorted(on - off), False)},
        }
    ]


def _arguments(its: Measure) -> Schema:
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
    return {} if parameter is None else schema_values.of(parameter)
