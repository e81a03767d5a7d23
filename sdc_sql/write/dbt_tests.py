"""The generic tests of the dbt package: those of a declared limit, and the documentation of all."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.headers import Parameter, read_comment
from sdc_sql.figures.registry import list_limitable
from sdc_sql.write.dbt_yaml import NOTE, document, write_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.gives import Column

# A test by hand: the comment above it says what it fails on, and declares the arguments that are the test's alone.
_TEST = re.compile(
    r"\{#-(?P<comment>(?:(?!-#\}).)*)-#\}\n"
    r"\{% test (?P<name>\w+)\((?P<arguments>[^)]*)\) %\}(?P<body>.*?)\{% endtest %\}",
    re.DOTALL,
)
LIMITS = "limits.sql"
FIGURES = "figures.sql"
WRITTEN = (LIMITS, FIGURES)
MODEL = Parameter("model", "table", "the tested model")
FITTED = {"model": "fitted_model"}  # a measure has a model of its own, where dbt calls the tested table so
MAXIMUM = Parameter("maximum", "number", "the limit, strictly between 0 and 1; the figure must be below it")
MAXIMUM_COUNT = Parameter(
    "maximum", "number", "the limit, above 0; the figure, a count, must be below it: 1 allows none"
)


def generate_tests(declared: Iterable[Declaration], by_hand: Iterable[str]) -> dict[str, str]:
    """Return the files: the tests of declared limits, and the documentation of these and of those by hand."""
    known = {declaration.name: declaration for declaration in declared}
    limited = [declaration for declaration in known.values() if declaration.limit]
    entries = [_write_entry(declaration) for declaration in limited]
    entries += [_write_entry_by_hand(test, known) for text in by_hand for test in _TEST.finditer(text)]
    return {
        LIMITS: f"{{#- {NOTE} -#}}\n\n" + "\n".join(map(_test, limited)),
        FIGURES: _write_figures(known.values()),
        "tests.yml": document(entries),
    }


def _write_figures(declared: Iterable[Declaration]) -> str:
    """Return the macro that says what a limit can name: arguments, rows and the directions of figures."""
    rows = "".join(
        f"        '{d.name[4:]}': {_write_measure(d)},\n" for d in declared if d.is_table and list_limitable(d)
    )
    return (
        f"{{#- {NOTE}\n\n"
        "    Each measure with its arguments, the columns that tell its rows apart, and its figures: what they bear,\n"
        "    whether more is worse, and the best value.\n"
        f"-#}}\n{{%- macro sdc__figures() -%}}\n    {{{{ return({{\n{rows}    }}) }}}}\n{{%- endmacro -%}}\n"
    )


def _write_measure(declaration: Declaration) -> str:
    required, optional = [p.name for p in declaration.required], [p.name for p in declaration.optional]
    tables = [p.name for p in declaration.required if p.type == "table"]
    # where there are several tables, each has a name of its own
    tested = "released" if "released" in tables else next(iter(tables), "")
    figures = ", ".join(map(_write_figure, list_limitable(declaration)))
    parts = {"required": required, "optional": optional, "by": list(declaration.given.by)}
    said = ", ".join(f"'{name}': {value}" for name, value in parts.items())
    as_it_stands = "" if declaration.completed else "'completed': false, "
    return f"{{'tested': '{tested}', {as_it_stands}{said}, 'figures': {{{figures}}}}}"


def _write_figure(column: Column) -> str:
    best = "none" if column.best is None or not column.bears else f"{column.best:g}"
    return f"'{column.name}': ['{column.bears}', {str(column.more).lower()}, {best}]"


def _list_arguments(declaration: Declaration) -> list[Parameter]:
    optional = (replace(p, name=FITTED.get(p.name, p.name)) for p in declaration.optional)
    maximum = MAXIMUM_COUNT if _counts(declaration) else MAXIMUM
    return [MODEL, *_list_test_arguments(declaration, original=True), maximum, *optional]


def _counts(declaration: Declaration) -> bool:
    """Return whether the figure of the limit is a number of records or of others, and no share."""
    figure = declaration.limit and declaration.limit.figure
    return any(column.name == figure and column.type == "BIGINT" for column in declaration.given.columns)


def _list_test_arguments(declaration: Declaration, *, original: bool = False) -> list[Parameter]:
    """Return what is given beside the tested model: of two tables that is the released one."""
    compares = any(p.name == "released" for p in declaration.required)
    others = [p for p in declaration.required if p.name != "released"] if compares else list(declaration.required)
    return others if compares and original else others[1:]


def _test(declaration: Declaration) -> str:
    limit, named = declaration.limit, {FITTED.get(p.name, p.name): p.name for p in declaration.optional}
    assert limit is not None  # noqa: S101 - for the type checker: those without one have no test
    given = ", ".join(p.name for p in _list_test_arguments(declaration))
    original = ", original" if any(p.name == "original" for p in declaration.required) else ""
    counts = ", counts=true" if _counts(declaration) else ""
    signature = ", ".join(f"{p.name}=none" if p.name in named else p.name for p in _list_arguments(declaration))
    options = ", ".join(f"'{name}': {argument}" for argument, name in named.items())
    meaning = limit.meaning.replace("'", "\\'")
    measure = f"'{declaration.name}', [{given}], {{{options}}}, '{limit.figure}'"
    return (
        f"{{% test {limit.test}({signature}) %}}\n"
        f"    {{{{ sdc.sdc__only('{limit.test}', kwargs, {[p.name for p in _list_arguments(declaration)[1:]]}) }}}}\n"
        f"    {{{{ sdc.sdc__not_below(model, {measure}, maximum,\n        '{meaning}'{original}{counts}) }}}}\n"
        "{% endtest %}\n"
    )


def _write_entry(declaration: Declaration) -> str:
    limit = declaration.limit
    assert limit is not None  # noqa: S101 - as above
    meaning = limit.meaning[0].lower() + limit.meaning[1:]
    description = f"Fails where {limit.figure}, {meaning}, is not below the maximum."
    return write_entry(f"test_{limit.test}", description, _list_arguments(declaration))


def _write_entry_by_hand(test: re.Match[str], known: Mapping[str, Declaration]) -> str:
    """Return the documentation of a test: an argument that is not its own is that of a macro which it calls."""
    said, _, own = test["comment"].partition("Parameters:\n")
    lines = ["-- Parameters:", *(f"--   {line.strip()}" for line in own.splitlines() if line.strip())]
    arguments = {"model": MODEL, "maximum": MAXIMUM} | read_comment(f"dbt ({test['name']})", 1, lines).parameters
    _only, _, body = test["body"].partition("}}\n")
    for name in re.findall(r"'(sdc_[a-z]\w*)'", body):
        arguments = {p.name: p for p in known[name].parameters} | arguments
    taken = [argument.partition("=")[0] for argument in test["arguments"].split(", ")]
    return write_entry(f"test_{test['name']}", " ".join(said.split()), [arguments[name] for name in taken])
