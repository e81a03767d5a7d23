"""The reference of release files, from their JSON Schema: a page of the file, and one of the steps."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from sdc_docs.markdown import capitalise, code, escape, table
from sdc_sql.release.reading.schema import NAME

Schema = dict[str, Any]
_STEPS = "steps"
_DEEPEST = 3  # so deep are the headings
_OF_FILE = (
    "Every field of a release file, from the schema that `sdc-sql release --schema` prints and by which editors check "
    "a file while it is written. What they mean together is told in the chapter on "
    "[release files](../../chapters/sdc_sql_release.md)."
)
_IN_EVERY_STEP = ("mask", "columns", "column", "keys", "where", "by_household", "scenario", "subset")


def write_release_file() -> dict[str, str]:
    """Return the text of each page by its path below reference/release_file/."""
    schema: Schema = json.loads((files("sdc_sql.release.reading") / NAME).read_text(encoding="utf-8"))
    plain = {n: s for n, s in schema["properties"].items() if not _fields(s) and n != _STEPS}
    parts = [
        "# Release file",
        _OF_FILE,
        f"Required: {', '.join(code(n) for n in schema.get('required', ()))}.",
        "## Of the file",
        _write_fields(plain, schema.get("required", ())),
    ]
    for name, its in schema["properties"].items():
        if _fields(its):
            parts += _write_section(name, its)
    parts += ["## `[[steps]]`", "The masking steps, in their order: [the fields of each](steps.md).",
              "```{toctree}\n:hidden:\n\nsteps\n```"]  # fmt: skip
    return {"index.md": "\n\n".join(parts) + "\n", "steps.md": _write_steps(schema)}


def _fields(schema: Schema) -> Schema:
    """Return the fields of a table, or of each table of a list."""
    for its in (schema, schema.get("items", {}), schema.get("then", {})):
        if isinstance(its, dict) and its.get("properties"):
            found: Schema = its["properties"]
            return found
    return {}


def _write_section(name: str, schema: Schema, level: int = 2) -> list[str]:
    several = "items" in schema
    heading = f"{'#' * level} `{'[[' if several else '['}{name}{']]' if several else ']'}`"
    required = schema.get("items", schema).get("required", ())
    parts = [heading, escape(schema.get("description", "")), _write_fields(_fields(schema), required)]
    for inner, its in _fields(schema).items():
        if _fields(its) and level < _DEEPEST:
            parts += _write_section(f"{name}.{inner}", its, level + 1)
    return parts


def _write_fields(fields: Schema, required: Any) -> str:  # noqa: ANN401 - a list of JSON
    rows = [
        [
            code(name),
            escape(_name_type(its)),
            "required" if name in required else "",
            escape(its.get("description", "")),
        ]
        for name, its in fields.items()
    ]
    return table(["field", "type", "", "what it says"], rows)


def _name_type(schema: Schema) -> str:
    """Return the type of a field in words."""
    if "enum" in schema:
        return " or ".join(json.dumps(v) for v in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(dict.fromkeys(_name_type(s) for s in schema.get("anyOf", schema.get("oneOf"))))
    kinds = schema.get("type", "")
    said = [_WORDS.get(kind, kind) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    bounds = [f"{word} {schema[key]}" for key, word in _BOUNDS.items() if key in schema]
    items = schema.get("items", {})
    if "a list" in said and isinstance(items, dict) and items.get("type"):
        said[said.index("a list")] = f"a list of {_MANY.get(str(items['type']), 'values')}"
    return " or ".join(filter(None, said)) + (f", {' and '.join(bounds)}" if bounds else "")


_WORDS = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}
_MANY = {"string": "texts", "integer": "whole numbers", "number": "numbers", "object": "tables", "array": "lists"}
_BOUNDS = {"minimum": "at least", "maximum": "at most", "exclusiveMinimum": "above", "exclusiveMaximum": "below"}


def _write_steps(schema: Schema) -> str:
    steps = {n.removeprefix("step_"): s for n, s in schema["$defs"].items() if n.startswith("step_") and s.get("title")}
    common: Schema = {}
    for its in steps.values():
        common |= {n: f for n, f in its["properties"].items() if n in _IN_EVERY_STEP and f.get("description")}
    parts = [
        "# Steps of a release file",
        "`mask` names the method; the other fields are its arguments. These stand in many of them:",
        _write_fields(common, ()),
    ]
    for name, its in steps.items():
        own = {n: f for n, f in its["properties"].items() if n not in _IN_EVERY_STEP and f.get("description")}
        needed = {n for rule in its.get("allOf", ()) for n in rule.get("required", ())}
        parts += [f'## `mask = "{name}"`', escape(capitalise(its.get("description", "")))]
        parts += [f"The function: [`sdc_{name}`](#sdc_{name})."] if f"sdc_{name}" in _macros() else []
        parts += [_write_fields(own, needed)] if own else []
    return "\n\n".join(parts) + "\n"


def _macros() -> Any:  # noqa: ANN401
    from sdc_sql.db.catalogue.macros import index_catalogue  # noqa: PLC0415

    return index_catalogue()
