"""The thin measures: a file of Python for each SQL file whose functions only check their arguments and pass them on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc_sql.write import measure_words as words
from sdc_sql.write.measure_arguments import arguments
from sdc_sql.write.measure_examples import example

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.write.measure_arguments import Argument

# What a written file may call or name, and where it stands; the others are for types only.
_HOMES = {
    "dataclass": "dataclasses", "Literal": "typing",
    "resolve_columns_or_keys": "sdc_sql.compared", "resolve_further_columns": "sdc_sql.compared",
    "require_matching_keys": "sdc_sql.compared", "find_design_column": "sdc_sql.compared",
    "original_table": "sdc_sql.compared", "list_or_none": "sdc_sql.compared", "resolve_table": "sdc_sql.compared",
    "resolve_tables": "sdc_sql.compared",
    "name_weight": "sdc_sql.compared", "name_household": "sdc_sql.compared",
    "require_choice": "sdc_sql.db.catalogue.arguments", "require_number": "sdc_sql.db.catalogue.arguments",
    "require_flag": "sdc_sql.db.checks", "Result": "sdc_sql.db.showing.results",
    "Results": "sdc_sql.db.showing.results",
    "DrawnResults": "sdc_sql.pictures.drawn",
    "check_category": "sdc_sql.risk.sensitive", "list_categories": "sdc_sql.risk.sensitive",
}  # fmt: skip
_TYPED = {"Iterable": "collections.abc", "duckdb": "", "Described": "sdc_sql.compared", "Roles": "sdc_sql.roles"}
_FIELDS = {"BIGINT": "int", "INTEGER": "int", "DOUBLE": "float", "VARCHAR": "str", "BOOLEAN": "bool"}

WRITTEN = "# Written from sql/"  # how the first line of a written file begins


def written(declared: Iterable[Declaration]) -> dict[str, str]:
    """Return the text of each file, by its path in the clone."""
    files: dict[str, list[Declaration]] = {}
    for macro in declared:
        if macro.is_table:
            files.setdefault(macro.file, []).append(macro)
    return {
        f"sdc_sql/{macros[0].room}/{file.partition('/')[2].removesuffix('.sql')}.py": _file(file, macros)
        for file, macros in files.items()
        if any(macro.returned for macro in macros)
    }


def _file(file: str, macros: list[Declaration]) -> str:
    records = {macro.result.name: macro for macro in macros if not macro.result.is_relation}
    drawn = {macro.result.picture for macro in macros} - {""}
    body = "\n\n\n".join([*map(_record, records.values()), *map(_function, macros)])
    title = words.docstring(macros[0], _title(macros[0])).strip()
    head = f"{WRITTEN}{file} by python -m sdc_sql.write: change that file.\n{title}"
    return f"{head}\n\n{_imports(body, drawn)}\n\n\n{body}\n"


def _title(macro: Declaration) -> str:
    """Return the first sentence of the header."""
    paragraph = " ".join(macro.description.partition("\n\n")[0].split())
    return words.python_words(words.split_sentence(paragraph)[0])


def _imports(body: str, drawn: set[str]) -> str:
    """Return the imports of what the text names, and of the functions that draw."""
    code = re.sub(r'"""(?s:.*?)"""', "", body)
    called = _write_imports(
        {name: home for name, home in _HOMES.items() if re.search(rf"(?<![.\w]){name}[(\[)]", code)}
        | {"TYPE_CHECKING": "typing"}
        | {f"draw_{name}": f"sdc_sql.pictures.{name}" for name in drawn}
    )
    typed = _write_imports({name: home for name, home in _TYPED.items() if re.search(rf"(?<![.\w]){name}\b", code)})
    blocks = ["from __future__ import annotations", *called]
    indented = ["\n".join(f"    {line}" for line in block.splitlines()) for block in typed]
    return "\n\n".join(blocks) + "\n\nif TYPE_CHECKING:\n" + "\n\n".join(indented)


def _write_imports(names: Mapping[str, str]) -> list[str]:
    """Return the lines that import names: Python's own, what is installed, and ours."""
    lines: dict[int, list[str]] = {}
    for home in sorted({*names.values()}):
        its = sorted(
            (name for name, where in names.items() if where == home), key=lambda n: (n.upper() != n, n[0].islower(), n)
        )
        line = f"from {home} import {', '.join(its)}" if home else f"import {', '.join(its)}"
        lines.setdefault(1 if not home else 2 if home.startswith("sdc_sql") else 0, []).append(line)
    return ["\n".join(lines[kind]) for kind in sorted(lines)]


def _record(macro: Declaration) -> str:
    """Return the frozen record of a row."""
    its = macro.result
    said = re.sub(r"\bNULL(?= where| elsewhere)", "None", words.python_words(its.words, macro.given.names))
    fields = "\n".join(f"    {c.name}: {_field(c.type)}{' | None' if c.or_null else ''}" for c in macro.given.columns)
    return f"@dataclass(frozen=True)\nclass {its.name}(Result):\n{words.docstring(macro, said)}\n\n{fields}"


def _field(kind: str) -> str:
    return f"list[{_field(kind.removesuffix('[]'))}]" if kind.endswith("[]") else _FIELDS[kind]


def _function(macro: Declaration) -> str:
    """Return the function: its signature, its docstring and its call."""
    its = arguments(macro)
    given = [argument for argument in its if argument.is_given]
    required, optional = [a for a in given if a.default is None], [a for a in given if a.default is not None]
    star = ["*"] if len(optional) > 1 else []  # one alone may be given by its place as well
    takes = ["data: Roles", *(a.declared for a in required), *star, *(a.declared for a in optional)]
    head = _call(f"def {macro.verb}", takes, f" -> {_write_return(macro)}:", "")
    return f"{head}\n{_docstring(macro, its)}\n{_body(macro, its)}"


def _write_return(macro: Declaration) -> str:
    its = macro.result
    if its.is_relation:
        return "duckdb.DuckDBPyRelation"
    if macro.given.is_one:
        return its.name
    return f"{'DrawnResults' if its.picture else 'Results'}[{its.name}]"


def _docstring(macro: Declaration, its: tuple[Argument, ...]) -> str:
    given = [argument for argument in its if argument.is_given]
    notes = filter(None, [macro.result.notes, macro.source])
    sections = [
        words.parameters(sorted(given, key=lambda a: a.default is not None)) if given else "",
        words.write_returns(macro),
        words.write_raises(macro, its),
        words.section("Notes", [words.python_words(note) for note in notes]),
        example(macro, its),
    ]
    summary = f"Return {words.split_sentence(words.python_words(macro.summary))[0]}"
    return words.docstring(macro, summary, [section for section in sections if section])


def _body(macro: Declaration, its: tuple[Argument, ...]) -> str:
    result, passed = macro.result, [f'"{macro.name}"', *(argument.call for argument in its)]
    lines = ["    check_category(data)"] if result.refuses_wildcards and macro.room == "risk" else []
    one = f"    return {result.name}(**data.row({', '.join(passed)}))"
    if result.is_relation:
        lines.append(_call("    return data.relation", passed, "", "    "))
    elif not macro.given.is_one:
        lines.append(_call("    rows = data.rows", passed, "", "    "))
        if result.picture:
            found = f"({result.name}(**row) for row in rows)"
            lines.append(f"    return DrawnResults({found}, draw_{result.picture})")
        else:
            lines.append(f"    return Results({result.name}(**row) for row in rows)")
    elif len(one) <= words.WIDTH:
        lines.append(one)
    else:
        lines += [_call("    row = data.row", passed, "", "    "), f"    return {result.name}(**row)"]
    return "\n".join(lines)


def _call(head: str, passed: list[str], tail: str, indent: str) -> str:
    """Return a call or a signature as the formatter lays it out: in one line, inside brackets, or a line each."""
    inside = ", ".join(passed)
    if len(line := f"{head}({inside}){tail}") <= words.WIDTH:
        return line
    if len(f"{indent}    {inside}") <= words.WIDTH:
        return f"{head}(\n{indent}    {inside}\n{indent}){tail}"
    each = "".join(f"{indent}    {argument},\n" for argument in passed)
    return f"{head}(\n{each}{indent}){tail}"
