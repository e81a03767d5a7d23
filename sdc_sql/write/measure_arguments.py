"""The arguments of a written measure: what a person gives, and what the described table has by its roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from sdc_sql.db.catalogue.headers import HeaderError

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.headers import Parameter

MEASURED = ("tbl", "released", "sample")  # the names of the table that is described
_PYTHON = {"column_name": "column"}
_SPOKEN = {"sensitive": "sensitive variable", "others": "sensitive variable"}  # a message calls a column so
_DESIGN = ("weight", "strata", "cluster")  # of a measure of samples: given, or a role of the table
_TYPES = {
    "table": "str", "column": "str", "columns": "str | Iterable[str]", "number": "float", "whole number": "int",
    "number or numbers": "float | list[float]", "truth value": "bool", "values": "Iterable[object]", "text": "str",
    "tables": "Iterable[str]",
}  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """An argument of a macro: the name and the type that a person gives it by, and the expression that is passed on.

    A role of the described table has no type: nobody gives it here.
    """

    parameter: Parameter
    name: str
    type: str
    default: str | None
    passed: str

    @property
    def is_given(self) -> bool:
        """Whether it is an argument of the function."""
        return self.type != ""

    @property
    def declared(self) -> str:
        """Return the argument as a signature has it."""
        return f"{self.name}: {self.type}{'' if self.default is None else f' = {self.default}'}"

    @property
    def call(self) -> str:
        """Return the argument as the macro is given it."""
        return self.passed if self.parameter.default is None else f"{self.parameter.name}={self.passed}"


def arguments(macro: Declaration) -> tuple[Argument, ...]:
    """Return the arguments of a macro in their order.

    Examples
    --------
    >>> from sdc_sql.db.catalogue.macros import index_catalogue
    >>> [a.call for a in arguments(index_catalogue()["sdc_k_map"])]
    ['data.table', 'resolve_table(data, "population", population)', 'data.keys', 'k=require_number("k_map", "k", k)']
    """
    return tuple(_argument(macro, parameter) for parameter in macro.parameters)


def _argument(macro: Declaration, parameter: Parameter) -> Argument:
    role = _role(macro, parameter)
    if role is not None:
        return Argument(parameter, parameter.name, "", None, role)
    name = _PYTHON.get(parameter.name, parameter.name)
    if not parameter.choices and parameter.type not in _TYPES:
        raise HeaderError(
            macro.file, parameter.line, f"no function is written with {parameter.name}, of type {parameter.type}."
        )
    default = None if parameter.default is None else _literal(parameter.default)
    kind = f"Literal[{', '.join(map(_quoted, parameter.choices))}]" if parameter.choices else _TYPES[parameter.type]
    if parameter.name == "original":
        kind = "Described | str"
    kind += " | None" if default == "None" else ""
    of_design = parameter.name in _DESIGN and any(p.name == "cluster" for p in macro.parameters)
    design = f"find_design_column(data, {_quoted(name)}, {name})" if of_design else ""
    return Argument(parameter, name, kind, default, design or _pass_argument(macro, parameter, name))


def _role(macro: Declaration, parameter: Parameter) -> str | None:
    """Return the expression of what the described table has, None where a person gives the argument."""
    compared = any(p.name == "original" for p in macro.parameters)
    refused = macro.returned is not None and macro.returned.refuses_wildcards
    of_records = macro.returned is not None and macro.returned.is_relation
    required = parameter.default is None
    roles = dict.fromkeys(MEASURED, "data.table")
    roles |= {"keys": "require_matching_keys(data)" if compared and refused else "data.keys"}
    roles |= {"small_weights": "data.small_weights"}
    if required:
        roles |= {"id": 'data.require_role("id")', "household": 'data.require_role("household")'}
    if not compared:
        weight = "data.checked_weight()" if of_records else 'data.require_role("weight")'
        roles |= {"weight": weight if required else "data.weight"}
    if parameter.choices == ("category", "wildcard"):
        roles |= {"nulls": "data.nulls"}
    return roles.get(parameter.name)


def _pass_argument(macro: Declaration, parameter: Parameter, name: str) -> str:
    """Return the expression by which an argument is checked, and its columns spelled as the table spells them."""
    verb, optional = _quoted(macro.verb), parameter.default == "NULL"
    if parameter.name == "original":
        return "original_table(data, original)"
    compared = any(p.name == "original" for p in macro.parameters)
    if parameter.name == "weight" or (parameter.name == "household" and compared):
        return f"name_{name}({name})"
    words = _SPOKEN.get(name, name.replace("_", " ").removesuffix("s"))
    if parameter.type == "columns" and optional and name != "columns":
        # some of those columns: which they are is the macro's to check
        of_those = any(p.name == "columns" for p in macro.required)
        return f"list_or_none({name})" if of_those else f"resolve_further_columns(data, {name}, {_quoted(words)})"
    if parameter.type == "number or numbers":
        return name
    if parameter.type == "values":
        return f"list_categories({name})"
    role = "" if name == "columns" else f", {_quoted(words)}"
    checked = {
        "table": f"resolve_table(data, {_quoted(words)}, {name})",
        "tables": f"resolve_tables(data, {_quoted(name.replace('_', ' '))}, {name})",
        "column": f"data.spell_column({_quoted(words)}, {name})",
        "columns": f"resolve_columns_or_keys(data, {name}{role})",
        "truth value": f"require_flag({name}, {_quoted(name)})",
        "text": f"str({name})",
    }.get(parameter.type)
    if checked is None:
        what = "choice" if parameter.choices else "number"
        checked = f"require_{what}({verb}, {_quoted(parameter.name)}, {name})"
    of_columns = parameter.type in {"column", "columns"}
    return f"None if {name} is None else {checked}" if optional and of_columns else checked


def _literal(default: str) -> str:
    """Return the default of the CREATE line as Python writes it."""
    value = sqlglot.parse_one(default, read="duckdb")
    if isinstance(value, exp.Null):
        return "None"
    if isinstance(value, exp.Boolean):
        return str(bool(value.this))
    return _quoted(value.name) if value.is_string else value.sql()


def _quoted(text: str) -> str:
    return f'"{text}"'
