"""The JSON Schema of one value of a release file: by the type, choices and range of its parameter in a header."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.headers import NUMBERS
from sdc_sql.release.reading.step_values import BY_KEY, TABLES
from sdc_sql.write.dbt_yaml import sentence

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.headers import Parameter
    from sdc_sql.db.catalogue.ranges import Range

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
COLUMNS: Schema = {"type": "array", "items": TEXT, "uniqueItems": True}
_NAMES_OF_JSON = {dict: "object", list: "array"}
_GREATEST = 2**63  # every whole number of DuckDB's is smaller
_EXACT = 2**53  # a whole end of a range is written as a whole number up to here
_BY_TYPE: dict[str, Schema] = {
    "column": TEXT,
    "columns": COLUMNS,
    "names": {"type": "array", "items": TEXT},
    "truth value": {"type": "boolean"},
    "truth value or truth values": {"type": ["boolean", "array"], "items": {"type": "boolean"}},
    "text": TEXT,
    "value": {"type": ["string", "number"]},  # JSON writes a date as a text
    "levels": {"type": "object", "additionalProperties": COLUMNS},
    "lists of columns": {"type": "object", "additionalProperties": COLUMNS},
    "combinations": {"type": "array", "items": COLUMNS},
}


def define_parameter(parameter: Parameter) -> Schema:
    """Return the schema of a parameter, with its meaning, and its default where that is a value.

    Examples
    --------
    >>> from sdc_sql.db.catalogue.macros import index_catalogue
    >>> k = define_parameter(index_catalogue()["sdc_local_suppression"].parameters[2])
    >>> k["type"], k["minimum"]
    ('integer', 2)
    """
    found = dict(_define_kind(parameter))
    found["description"] = _describe_parameter(parameter)
    default = _convert_default(parameter.default)
    if default is not None:
        found["default"] = default
    return found


def define_range(number: Schema, asked: Range | None) -> Schema:
    """Return the schema of a number that lies in a range."""
    if asked is None:
        return number
    ends = {}
    if math.isfinite(asked.low):
        ends["minimum" if asked.with_low else "exclusiveMinimum"] = _simplify_number(asked.low)
    if math.isfinite(asked.high):
        ends["maximum" if asked.with_high else "exclusiveMaximum"] = _simplify_number(asked.high)
    return {**number, **ends}


def _define_kind(parameter: Parameter) -> Schema:
    if parameter.choices:
        return {"enum": list(parameter.choices)}
    if parameter.type in NUMBERS:
        return _define_numbers(parameter)
    if parameter.type == "table":
        return _define_table(parameter.name)
    if parameter.name == "level" and parameter.type == "text":
        return {"type": ["string", "integer"]}
    return _BY_TYPE.get(parameter.type, {})


def _define_numbers(parameter: Parameter) -> Schema:
    kind = "integer" if parameter.type == "whole number" else "number"
    one = define_range({"type": kind}, parameter.range)
    if kind == "integer" and not {"maximum", "exclusiveMaximum"} & one.keys():
        one["exclusiveMaximum"] = _GREATEST
    several = {"type": "array", "items": one, "minItems": 1}
    if parameter.type == "numbers":
        return several
    if parameter.type == "column or number":
        return {"anyOf": [TEXT, one]}
    if parameter.type != "number or numbers":
        return one
    ways = [one, several]
    if parameter.name in BY_KEY:
        ways.append({"type": "object", "additionalProperties": one})
    return {"anyOf": ways}


def _define_table(name: str) -> Schema:
    """Return what a table may be: the path of a file, or what the method takes instead of one."""
    if name not in TABLES:
        return TEXT
    kind = _NAMES_OF_JSON[TABLES[name]]
    found: Schema = {"type": ["string", kind]}
    if name == "hierarchies":  # each key has a file
        found["additionalProperties"] = TEXT
    return found


def _describe_parameter(parameter: Parameter) -> str:
    said = sentence(parameter.meaning)
    if parameter.choices or parameter.range:
        said = f"{said} {sentence(parameter.kind)}"
    if parameter.type == "table":
        said = f"{said} The path of a file, relative to the release file."
    return said


def _convert_default(written: str | None) -> str | float | bool | None:
    """Return a default of a macro as a value, None where it has none or SQL alone can say it."""
    if written in {"true", "false"}:
        return written == "true"
    if written is None or written == "NULL":
        return None
    if written.startswith("'"):
        return written.strip("'") or None
    try:
        return _simplify_number(float(written))
    except ValueError:
        return None


def _simplify_number(number: float) -> float:
    return int(number) if number == int(number) and abs(number) <= _EXACT else number
