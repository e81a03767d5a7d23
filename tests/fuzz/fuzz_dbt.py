"""The same calls as macros of the dbt package: each must come out as the query that was asked for, nothing else."""

from __future__ import annotations

import inspect
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import jinja2

import sdc_sql.dbt

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb
    from fuzz_calls import Call

PACKAGE = Path(inspect.getfile(sdc_sql.dbt)).parent / "package" / "macros"


class Refused(Exception):  # noqa: N818
    """What the package refuses."""


class _Returned(Exception):  # noqa: N818
    pass


def _return(value: object) -> None:
    raise _Returned(value)


def _refuse(message: str) -> None:
    raise Refused(message)


def _function(macro: Callable[..., Any]) -> Callable[..., Any]:
    def called(*arguments: object, **named: object) -> object:
        try:
            return macro(*arguments, **named)
        except _Returned as returned:
            return returned.args[0]

    return called


@cache
def package() -> SimpleNamespace:
    """Return the macros as functions, as dbt calls them: what `return` is given comes back as it is."""
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])  # noqa: S701 - SQL, not HTML
    sdc = SimpleNamespace()
    context = {
        "return": _return, "sdc": sdc, "execute": True, "exceptions": SimpleNamespace(raise_compiler_error=_refuse),
        "is_incremental": lambda: False, "graph": SimpleNamespace(nodes={}),
        "target": SimpleNamespace(type="duckdb", name="dev"),
    }  # fmt: skip
    for path in PACKAGE.rglob("*.sql"):
        if path.parent.name != "tests":
            module = environment.from_string(path.read_text("utf-8"), globals=context).module
            for name, macro in vars(module).items():
                if isinstance(macro, jinja2.runtime.Macro):
                    setattr(sdc, name, _function(macro))
    return sdc


def _tree(con: duckdb.DuckDBPyConnection, sql: str) -> str:
    ((tree,),) = con.execute("SELECT json_serialize_sql($sql)", {"sql": sql}).fetchall()
    return re.sub(r'"query_location":\d+', "", tree)


def fault_of_dbt(con: duckdb.DuckDBPyConnection, call: Call) -> str | None:
    """Render a call; return what is wrong with it."""
    first = [p.name for p in call.macro.required]
    named = {n: v for n, v in call.arguments.items() if n not in first and v is not None}
    given = [call.arguments[n] for n in first]
    try:
        text = getattr(package(), call.macro.name[4:])(*given, **named)
    except Refused as error:
        return None if str(error).startswith("sdc: ") and "\n" not in str(error) else f"refused in other words: {error}"
    wanted = type(call)(
        call.macro, {n: v for n, v in call.arguments.items() if n in first or v is not None}, call.spoilt
    )
    rendered = text.strip().removeprefix("(").removesuffix(")")
    if _tree(con, rendered) != _tree(con, wanted.sql):
        return f"another query: {rendered[:200]}"
    return None
