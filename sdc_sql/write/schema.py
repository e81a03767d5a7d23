"""The JSON Schema of a release file, by which editors complete and check it: of the declarations of its reader."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import list_choices
from sdc_sql.db.checks import SMALL_WEIGHTS
from sdc_sql.db.files.released_file import FORMATS, IDS
from sdc_sql.db.files.source import ELSEWHERE
from sdc_sql.release.reading import density, estimates, frontier_fields, governance, read, rules, serial_fields
from sdc_sql.release.reading.problems import TEXTS
from sdc_sql.release.running import formats
from sdc_sql.release.running.documents import DOCUMENTS
from sdc_sql.roles import LEVELS, NULLS
from sdc_sql.write import schema_steps
from sdc_sql.write.schema_words import MEANINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.release.reading.problems import Kind
    from sdc_sql.write.schema_values import Schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NOTE = "Written from the headers of sql/ and the fields of the reader by python -m sdc_sql.write."
# these lists of texts may name one twice
_NO_COLUMNS = {"limits", "to_decide", "withheld", "direct_identifiers", "sensitive"}
_FACTS = {name: kind for facts in rules.FACTS.values() for name, kind in facts.items()}
_HERE: Schema = {"not": {"pattern": f"^{ELSEWHERE.pattern}"}}  # a path of this machine is no address
_LEAST: Schema = {"minimum": 2}


def generate_schema() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def schema() -> Schema:
    """Return the schema, of a whole release file."""
    return {
        "$schema": DIALECT,
        "title": "Release file of sdc-sql",
        "description": MEANINGS["file"]["file"],
        "$comment": NOTE,
        **_define_section("file", read.FILE, {
            "source": _define_source(), "roles": _define_roles(), "rules": _define_rules(),
            "frontier": _define_frontier(), "output": _define_output(),
            "estimates": {"items": _define_estimate()},
            "intruder": _define_section("intruder", read.INTRUDER, {}),
            "governance": _define_section(
                "governance", governance.FIELDS, {"access": {"enum": list(governance.ACCESS)}}
            ),
            "series": _define_section("series", serial_fields.SERIES, {"forget_after": {"minimum": 1}})
            | {"required": ["ledger", "name"]},
            "loss": _define_section("loss", read.LOSS, {}, [_bind_to("limits", "columns", having={"minItems": 1})]),
            "figures": {"additionalProperties": schema_steps.define_figure()},
            "scenarios": {"minItems": 1, "items": _define_scenario()},
            "steps": {"items": {"$ref": "#/$defs/step"}},
        }, _relate_sections()),
        "required": ["source", "scenarios", "output"],
        "$defs": {"step": schema_steps.step(), "step_of_candidate": schema_steps.step(of_candidate=True),
                  **schema_steps.define_methods()},
    }  # fmt: skip


def _define_section(
    section: str, kinds: Mapping[str, Kind], more: Mapping[str, Schema], conditions: Iterable[Schema] = ()
) -> Schema:
    """Return the schema of a table: each field of the reader with its meaning, and what else holds of some."""
    strange = more.keys() - kinds.keys()
    if strange:
        raise ValueError(f"{section} has no field {', '.join(sorted(strange))}.")
    fields = {}
    for name, kind in kinds.items():
        unique = {"uniqueItems": True} if kind is TEXTS and name not in _NO_COLUMNS else {}
        fields[name] = {"description": MEANINGS[section][name], **kind.schema, **unique, **more.get(name, {})}
    found: Schema = {"type": "object", "properties": fields, "additionalProperties": False}
    conditions = [*conditions]
    return {**found, "allOf": conditions} if conditions else found


def _bind_to(name: str, other: str, *, having: Schema | None = None) -> Schema:
    """Return the condition that a field goes with another one only."""
    given: Schema = {"required": [name]}
    if having is not None:
        given["properties"] = {name: having}
    return {"if": given, "then": {"required": [other]}}


def _require_section(section: str, **fields: Schema) -> Schema:
    """Return the condition that a section has such fields."""
    inner: Schema = {"required": [*fields], "properties": fields}
    return {"required": [section], "properties": {section: inner}}


def _define_source() -> Schema:
    alone = {"required": ["table"], "not": {"required": ["database"]}}  # a table of Spark's
    one_of = {"oneOf": [{"required": ["path"]}, {"required": ["database"]}, alone]}
    return _define_section("source", read.SOURCE, {"path": _HERE, "database": _HERE}, [one_of])


def _define_roles() -> Schema:
    more: dict[str, Schema] = {
        "weight": {"minimum": 1e-9, "maximum": 1e15},  # sql/core/checks.sql has the same bounds
        "sampling_fraction": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "small_weights": {"enum": list(SMALL_WEIGHTS)},
        "strata": {"maxItems": 1},
    }
    goes = [("small_weights", "weight"), ("household_columns", "household")]
    return _define_section("roles", read.ROLES, more, [_bind_to(name, other) for name, other in goes])


def _define_rules() -> Schema:
    table = _define_section("rules", {**rules.SECTION, **_FACTS}, {"levels": {"propertyNames": {"enum": list(LEVELS)}}})
    return {"if": {"type": "object"}, "then": {**table, "required": ["name"]}}


def _define_scenario() -> Schema:
    scaling = {"enum": list(list_choices("neighbourhood", "scaling"))}
    width = {"minimum": 0, "items": {"type": "number", "minimum": 0}}
    near = _define_section(
        "neighbourhood", density.FIELDS, {"columns": {"minItems": 1}, "width": width, "scaling": scaling, "k": _LEAST}
    )
    more: dict[str, Schema] = {
        "name": {"minLength": 1}, "keys": {"minItems": 1}, "nulls": {"enum": list(NULLS)}, "k": _LEAST,
        "neighbourhood": {**near, "required": ["columns"]},
    }  # fmt: skip
    return {**_define_section("scenario", read.SCENARIO, more), "required": ["name", "keys"]}


def _define_frontier() -> Schema:
    steps = {"items": {"$ref": "#/$defs/step_of_candidate"}}
    its = _define_section("candidate", frontier_fields.CANDIDATE, {"name": {"minLength": 1}, "steps": steps})
    several = {"minItems": 1, "items": {**its, "required": [*frontier_fields.CANDIDATE]}}
    found = _define_section("frontier", frontier_fields.FRONTIER, {"candidates": several})
    return {**found, "required": ["risk", "loss", "candidates"]}


def _define_estimate() -> Schema:
    open_range: Schema = {"exclusiveMinimum": 0, "exclusiveMaximum": 1}
    more: dict[str, Schema] = {
        "name": {"minLength": 1}, "statistic": {"enum": list(list_choices(estimates.MEASURE, "statistic"))},
        "quantile": open_range, "confidence": open_range, "predictors": {"minItems": 1},
    }  # fmt: skip
    is_regression: Schema = {"required": ["statistic"], "properties": {"statistic": {"const": "regression"}}}
    only: list[Schema] = [
        {"if": is_regression, "then": {"required": ["predictors"]}, "else": {"properties": {"predictors": False}}}
    ]
    return {
        **_define_section("estimate", estimates.ESTIMATE, more, only),
        "required": ["name", "statistic", "variable"],
    }


def _define_output() -> Schema:
    more: dict[str, Schema] = {"path": _require_ending(*FORMATS, *formats.FORMATS), "ids": {"enum": list(IDS)},
                               "households": {"enum": list(IDS)}}  # fmt: skip
    more |= {name: _require_ending(*document.endings) for name, document in DOCUMENTS.items()}
    return {**_define_section("output", read.OUTPUT, more), "required": ["path"]}


def _require_ending(*endings: str) -> Schema:
    """Return what a path on this machine ends in, in capitals or not."""
    either = "|".join("".join(f"[{c}{c.upper()}]" if c.isalpha() else re.escape(c) for c in e) for e in endings)
    return {"pattern": f"({either})$", **_HERE}


def _relate_sections() -> list[Schema]:
    """Return what one section asks of another: an id, a name of the release, a limit."""
    some_limit = {
        "properties": {"scenarios": {"contains": {"required": ["limits"], "properties": {"limits": {"minItems": 1}}}}}
    }
    has_id = _require_section("roles", id={})
    asks: list[tuple[Schema, Schema]] = [
        ({"required": ["steps"], "properties": {"steps": {"minItems": 1}}}, has_id),
        (_require_section("loss", limits={"minItems": 1}), has_id),
        (_require_section("output", ids={}), has_id),
        (_require_section("output", households={}), _require_section("roles", household={})),
        (
            _require_section("output", ids={"const": "recode"}),
            {"required": ["release"], "properties": {"release": {"minLength": 1}}},
        ),
        ({"not": {"required": ["rules"]}}, some_limit),
        (
            {"required": ["engine"], "properties": {"engine": {"const": "spark"}}},
            {"not": {"anyOf": [_require_section("source", database={}), {"required": ["series"]}]}},
        ),
        (
            {"not": {"required": ["engine"], "properties": {"engine": {"const": "spark"}}}},
            {"properties": {"source": {"anyOf": [{"not": {"required": ["table"]}}, {"required": ["database"]}]}}},
        ),
    ]
    return [{"if": given, "then": then} for given, then in asks]
