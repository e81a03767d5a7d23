"""Descriptions of dbt's macros and tests, as YAML."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.catalogue.headers import Parameter

NOTE = "Written from the headers of sql/ by python -m sdc_sql.write."
# dbt knows these types of arguments, which stand for ours. Any other would refuse the whole project.
TYPES = {
    "table": "relation", "tables": "list[relation]", "column": "string", "columns": "list[string]",
    "column or number": "any", "names": "list[string]", "number": "float", "numbers": "list[float]",
    "number or numbers": "any", "whole number": "integer", "truth value": "bool", "truth value or truth values": "any",
    "text": "string", "choice": "string", "date": "string", "value": "any", "values": "list[any]",
    "levels": "dict[string, list[string]]", "lists of columns": "dict[string, list[string]]",
    "combinations": "list[any]",
}  # fmt: skip


def write_entry(name: str, description: str, parameters: Iterable[Parameter]) -> str:
    """Return what documents a macro: its name, what it is for, and its arguments."""
    lines = [f"- name: {name}", f"  description: {_quote_text(description)}", "  arguments:"]
    for parameter in parameters:
        lines += [
            f"  - name: {parameter.name}",
            f"    type: {TYPES[parameter.type]}",
            f"    description: {_quote_text(_describe_argument(parameter))}",
        ]
    return "\n".join(lines)


def sentence(text: str) -> str:
    """Return a text as a sentence."""
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."


def _describe_argument(parameter: Parameter) -> str:
    said = sentence(parameter.meaning)
    if parameter.type == "table":
        said += " A ref or source, or the name of a common table expression."
    if parameter.choices or parameter.range:
        said = f"{said} {parameter.kind}."
    if parameter.default not in {None, "NULL"}:
        said = f"{said} Where it is left out: {parameter.default}."
    return said


def _quote_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def document(entries: Iterable[str]) -> str:
    """Return a file of entries."""
    return f"# {NOTE}\nmacros:\n" + "\n".join(entries) + "\n"
