"""The example of a function at each door that it has: what a header gives in SQL, as each of them spells it."""

from __future__ import annotations

import inspect
import json
import re
import shlex
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from sdc_docs import limits
from sdc_docs.calls import Call, read_call, run_example
from sdc_sql.errors import Unsupported
from sdc_sql.methods import Methods
from sdc_sql.release.reading.schema import NAME as SCHEMA

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

TARGETS = ("columns", "column_name", "keys")  # a mask of columns has one of these
_LONG = 92
_EXAMPLES = re.compile(r"^Examples\n-+\n(?P<code>.*?)(?=\n\n[A-Z]\w+\n-+\n|\Z)", re.DOTALL | re.MULTILINE)


def write_sql(declaration: Declaration) -> str:
    """Return the example in SQL, with a key before what draws."""
    key = "SET VARIABLE sdc_key = getenv('SDC_KEY');\n" if declaration.needs_key else ""
    return key + declaration.example


def write_python(declaration: Declaration) -> str:
    """Return the example of the docstring; nothing where the function is for SQL alone."""
    method = getattr(Methods, declaration.verb, None)
    if method is None:
        return ""
    found = _EXAMPLES.search(inspect.getdoc(inspect.unwrap(method)) or "")
    return found["code"].strip() if found else ""


def write_shell(declaration: Declaration) -> str:
    """Return the command; nothing where there is none."""
    if not declaration.is_table or declaration.name == "sdc_help":
        return ""
    call = read_call(declaration)
    if declaration.is_step:
        return _write_mask_command(call)
    first = declaration.parameters[0]
    if first.type != "table" or any(p.type == "tables" for p in call.parameters):
        return ""
    words = ["sdc-sql", "measure", declaration.name.removeprefix("sdc_"), f"{call.given[first.name]}.parquet"]
    for i, p in enumerate(call.parameters[1:], 1):
        text = _spell_for_shell(p, call.given[p.name])
        if text is None:
            return ""
        by_place = p.default is None and p.name == declaration.parameters[i].name
        words.append(text if by_place else f"{p.name}={text}")
    return _join_words(words)


def _lacks(call: Call) -> bool:
    """Whether the example leaves out, as NULL, what other doors ask for."""
    return any(call.given[p.name] is None for p in call.parameters if p.default is None)


def _write_mask_command(call: Call) -> str:
    if _lacks(call):
        return ""
    source, *_ = call.tables
    words = ["sdc-sql", "mask", call.declaration.verb, f"{source}.parquet"]
    options = {"id": ["--id", str(call.given["id"])]} if "id" in call.given else {}
    for p in call.parameters[1:]:
        value = call.given[p.name]
        if p.name == "id" or value is None:
            continue
        if p.type.startswith("truth value"):
            options[p.name] = [_name_option(p.name)] if value else []
            continue
        text = _spell_for_shell(p, value, option=True)
        if text is None:
            return ""
        options[p.name] = ["--columns" if p.name in TARGETS else _name_option(p.name), text]
    if call.declaration.switch:
        options["switch"] = [_name_option(call.declaration.switch)]
    words += [word for option in options.values() for word in option]
    return _join_words([*words, "--output", "masked.parquet"])


def _spell_for_shell(parameter: Parameter, value: Any, *, option: bool = False) -> str | None:  # noqa: ANN401
    """Return an argument as a word of the shell; None where it has no such form."""
    if parameter.type == "table":
        return f"{value}.parquet"
    if parameter.type in {"levels", "lists of columns"}:
        return json.dumps(value) if option else None
    if parameter.type == "combinations":
        return ";".join(",".join(names) for names in value) if option else None
    if isinstance(value, list):
        flat = all(not isinstance(v, list | dict) for v in value)
        return ",".join("" if v is None else str(v) for v in value) if flat else None
    if isinstance(value, bool):
        return str(value).lower()
    return None if isinstance(value, dict) else "NULL" if value is None else str(value)


def _name_option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _join_words(words: list[str]) -> str:
    """Return a command, its further lines indented where it is long."""
    lines = [""]
    for word in map(shlex.quote, words):
        if lines[-1].strip() and len(lines[-1]) + len(word) > _LONG and word.startswith("-"):
            lines[-1] += " \\"
            lines.append("   ")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def write_dbt(declaration: Declaration) -> str:
    """Return a model; nothing for what is no table."""
    if not declaration.is_table or declaration.name == "sdc_help":
        return ""
    call = read_call(declaration)
    given = [
        f"{'' if p.default is None else f'{p.name}='}{_write_jinja(p, call.given[p.name])}" for p in call.parameters
    ]
    config = "{{ config(materialized='table') }}"
    return f"{config}\n\nselect * from {{{{ sdc.{declaration.name.removeprefix('sdc_')}({', '.join(given)}) }}}}"


def write_dbt_test(declaration: Declaration) -> str:
    """Return the test that holds the figure of a measure below a limit; nothing where it has none."""
    if declaration.limit is None:
        return ""
    call = read_call(declaration)
    given = {p.name: call.given[p.name] for p in call.parameters[1:] if p.type != "table"}
    if len(given) < len(call.parameters) - 1:
        return ""
    columns, rows = run_example(declaration.example)
    if declaration.limit.figure not in columns:
        return ""
    worst = max(row[columns.index(declaration.limit.figure)] or 0 for row in rows)
    maximum = limits.go_above(worst)
    if maximum >= 1 and isinstance(worst, float):  # a share: no limit holds of the example
        return ""
    arguments = {**given, "maximum": maximum}
    listed = "\n".join(f"            {name}: {json.dumps(value)}" for name, value in arguments.items())
    name = declaration.limit.test
    return f"models:\n  - name: {call.tables[0]}\n    data_tests:\n      - sdc.{name}:\n          arguments:\n{listed}"


def _write_jinja(parameter: Parameter, value: Any) -> str:  # noqa: ANN401
    if parameter.type == "table" and value is not None:
        return f"ref('{value}')"
    if parameter.type == "tables":
        return f"[{', '.join(f'ref({name!r})' for name in value)}]"
    return _write_value(value)


def _write_value(value: Any) -> str:  # noqa: ANN401
    """Return a value as Jinja writes it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_write_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{n!r}: {_write_value(v)}' for n, v in value.items())}}}"
    return repr(value)


@cache
def _read_schema() -> dict[str, Any]:
    text = (files("sdc_sql.release.reading") / SCHEMA).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def write_release(declaration: Declaration) -> str:
    """Return what a release file says: a step, or a limit; nothing where it can say neither."""
    if declaration.is_step:
        return _write_step(read_call(declaration))
    return limits.write_limit(declaration)


def _write_step(call: Call) -> str:
    schema = _read_schema()["$defs"].get(f"step_{call.declaration.verb}")
    if schema is None or _lacks(call):
        return ""
    lines = ["[[steps]]", f'mask = "{call.declaration.verb}"']
    for p in call.parameters[1:]:
        value = call.given[p.name]
        if p.name in {"id", "weight"} or value is None:
            continue
        name = {"column_name": "column"}.get(p.name, p.name)
        if name not in schema["properties"]:
            return ""
        lines.append(f"{name} = {limits.write_toml(f'{value}.parquet' if p.type == 'table' else value)}")
    if call.declaration.switch:
        lines.append(f"{call.declaration.switch} = true")
    return "\n".join(lines)


def write_spark(declaration: Declaration) -> str:
    """Return the verb on Spark; nothing where it does not run there."""
    if not declaration.is_table or declaration.name == "sdc_help":
        return ""
    call = read_call(declaration)
    if declaration.masks:
        return _write_spark_mask(call)
    if declaration.not_compiled:
        return ""
    given = [f"{'' if p.default is None else f'{p.name}='}{_write_frame(call.given[p.name])}" for p in call.parameters]
    return f"sdc.{declaration.room}.{declaration.name.removeprefix('sdc_')}({', '.join(given)}).show()"


def _write_spark_mask(call: Call) -> str:
    taken = inspect.signature(inspect.unwrap(getattr(Methods, call.declaration.verb))).parameters
    by_place = [n for n, p in taken.items() if p.kind is not p.KEYWORD_ONLY and n != "data"]
    given: dict[str, str] = {}
    for p in call.parameters[1:]:
        if p.name == "id" or call.given[p.name] is None:
            continue
        name = next((n for n in _names_in_python(p.name) if n in taken), None)
        if name is None:
            return ""
        given[name] = _write_frame(call.given[p.name])
    if call.declaration.switch:
        given[call.declaration.switch] = "True"
    if _lacks(call) or not _masks_elsewhere(call, given):
        return ""
    needed = {n for n, p in taken.items() if p.default is p.empty and n != "data"}
    if not needed <= given.keys():
        return ""
    placed: list[str] = []
    for name in by_place:
        if name not in given:
            break
        placed.append(given.pop(name))
    words = [repr(call.tables[0]), *placed, *(f"{n}={v}" for n, v in given.items()), f"id={call.given['id']!r}"]
    return f"released = sdc.mask.{call.declaration.verb}({', '.join(words)})\nreleased.show()".replace("'", '"')


class _Elsewhere:
    """A table that is none of DuckDB's, of which nothing else is known."""


def _masks_elsewhere(call: Call, given: Mapping[str, str]) -> bool:
    """Whether a mask takes tables of Spark: those that do not say so at once."""
    method = inspect.unwrap(getattr(Methods, call.declaration.verb))
    if inspect.signature(method).parameters["data"].annotation != "Maskable":
        return False
    try:
        method(_Elsewhere(), **{name: call.given.get(name, call.given.get("keys")) for name in given})
    except Unsupported:
        return False
    except (AttributeError, TypeError, ValueError):  # it went on, and asked what is not known
        return True
    return True


def _names_in_python(name: str) -> tuple[str, ...]:
    return (name, "columns", "column") if name in TARGETS else (name,)


def _write_frame(value: Any) -> str:  # noqa: ANN401 - whatever an argument is
    """Return an argument of a verb on Spark, where a table is its name in Spark's catalogue."""
    return repr(value).replace("'", '"')
