"""The page of a function, from the header of its SQL file."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from sdc_docs import doors, sources
from sdc_docs.calls import run_example
from sdc_docs.markdown import capitalise, code, dropdown, escape, fence, table, tabs
from sdc_docs.prose import read_prose
from sdc_sql.db.catalogue.macros import definition, file_texts, index_catalogue, read_catalogue
from sdc_sql.db.catalogue.worked import MORE, read_worked_examples
from sdc_sql.db.showing.results import format_value

if TYPE_CHECKING:
    from sdc_docs.prose import Block
    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.worked import Drawn, Worked

SHOWN = 8  # so many rows of a result are shown
_WIDTH = 88
_LANGUAGES = {
    "SQL": "sql", "Python": "pycon", "Command line": "sh", "dbt": "jinja", "Release file": "toml", "Spark": "python",
}  # fmt: skip


def write_page(declaration: Declaration, picture: str = "") -> str:
    """Return the page; ``picture`` is Markdown that shows its result."""
    blocks = read_prose(declaration)
    first = next((i for i, b in enumerate(blocks) if b.kind != "text"), len(blocks))
    last = next((i for i, b in enumerate(blocks) if i >= first and b.kind not in {"formula", "list"}), len(blocks))
    rest = [b for b in blocks[last:] if b.kind != "worked"]
    parts = [
        _write_index_entries(declaration) + f"({declaration.name})=\n# {declaration.name}",
        f":::{{rst-class}} lead\n:::\n\n{escape(capitalise(declaration.summary))}",
        fence(_write_signature(declaration), "sql"),
        _write_badges(declaration),
        "## What it does" if declaration.is_step else "## What it measures",
        *(b.write() for b in blocks[:first]),
    ]
    parts += ["## Formula", *(b.write() for b in blocks[first:last])] if last > first else []
    parts += _write_worked(declaration, blocks)
    parts += ["## Arguments", _write_arguments(declaration)]
    parts += _write_result(declaration)
    parts += ["## From every door", _write_doors(declaration)]
    parts += ["## Picture", picture] if picture else []
    parts += _write_promises(declaration)
    parts += ["## What it rests on, and what it does not say", *(b.write() for b in rest)] if rest else []
    parts += _write_source(declaration) + _write_related(declaration)
    parts += [dropdown("The query", fence(definition(declaration.name), "sql"))]
    return "\n\n".join(parts) + "\n"


def _write_index_entries(declaration: Declaration) -> str:
    """Return entries of the index, by which the search finds a page first: its name in words, its verb, its sources."""
    name = declaration.name.removeprefix("sdc_")
    own = dict.fromkeys((name.replace("_", " "), name, declaration.verb))
    terms = [*own, *(term for cited in sources.list_cited(declaration.source) for term in cited.terms)]
    lines = "\n".join(f"   !single: {term}" for term in terms)
    return f"```{{eval-rst}}\n.. index::\n{lines}\n```\n\n"


def _write_signature(declaration: Declaration) -> str:
    """Return the call with all arguments, one a line where there are many."""
    if len(declaration.signature) <= _WIDTH:
        return declaration.signature
    lines = [""]
    for argument in declaration.arguments.split(", "):
        if len(lines[-1]) + len(argument) > _WIDTH - 6:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else ''}{argument},"
    return f"{declaration.name}(\n    " + "\n    ".join(lines).removesuffix(",") + "\n)"


def _write_badges(declaration: Declaration) -> str:
    said = ["mask" if declaration.is_step else "measure" if declaration.is_table else "scalar function"]
    said += ["draws: needs the secret key"] if declaration.needs_key else []
    said += ["calls numpy: needs Python"] if declaration.needs_python else []
    if declaration.scope is not None:
        said.append(f"scope: {declaration.scope}")
    return " ".join(f"{{bdg-secondary-line}}`{text}`" for text in said)


def _write_worked(declaration: Declaration, blocks: list[Block]) -> list[str]:
    """Return the small tables of the header, and what the function gives of them."""
    found = _read_worked(declaration.file)
    own = [w for w in found if w.macro == declaration.name]
    if not own and any(b.kind == "worked" for b in blocks):
        own = found[:1]
    return ["## A small table", *map(_write_one, own[:3])] if own else []


@cache
def _read_worked(file: str) -> list[Worked]:
    return read_worked_examples(file, file_texts()[file])


def _write_one(worked: Worked) -> str:
    used = [name for name in worked.tables if re.search(rf"'{re.escape(name)}'", worked.call)]
    drawn = [*((name, worked.tables[name]) for name in used), ("gives", worked.result)]
    grid = "\n".join(
        f":::{{grid-item}}\n:columns: auto\n\n**{escape(name)}**\n\n{_write_drawn(its)}\n:::" for name, its in drawn
    )
    return f"{fence(f'FROM {worked.call}', 'sql')}\n\n::::{{grid}}\n:gutter: 4\n\n{grid}\n::::"


def _write_drawn(drawn: Drawn) -> str:
    rows = [["..."] * len(drawn.columns) if row[0] == MORE else row for row in drawn.rows]
    return table(map(escape, drawn.columns), [map(escape, row) for row in rows])


def _write_arguments(declaration: Declaration) -> str:
    if not declaration.parameters:
        return "It takes none."
    rows = [
        [code(p.name), escape(p.kind), code(p.default) if p.default is not None else "required", escape(p.meaning)]
        for p in declaration.parameters
    ]
    return table(["argument", "type", "default", "what it is"], rows)


def _write_result(declaration: Declaration) -> list[str]:
    given = declaration.given
    if not given.columns:
        return ["## Result", escape(f"{capitalise(declaration.gives)}")] if declaration.gives else []
    rows = []
    for column in given.columns:
        bears = f"{'more' if column.more else 'less'} is more {column.bears}" if column.bears else ""
        kind = column.type + (" or NULL" if column.or_null else "")
        rows.append([code(column.name), escape(kind), bears, _write_words(declaration.words.get(column.name, ""))])
    said = f"A row for each {' and '.join(given.by)}." if given.by else "One row." if given.of_file else ""
    kept = [name for name in given.names if name not in {c.name for c in given.columns}]
    said += f" Beside {', '.join(kept)}:" if kept else ""
    return ["## Result", *([escape(said.strip())] if said else []),
            table(["column", "type", "direction", "what it is"], rows)]  # fmt: skip


def _write_words(text: str) -> str:
    """Return what a figure is; in braces stand the columns that tell the rows apart."""
    return re.sub(r"\{(\w+)\}", r"`\1`", escape(text))


def _write_doors(declaration: Declaration) -> str:
    pages = {
        "SQL": doors.write_sql(declaration),
        "Python": doors.write_python(declaration),
        "Command line": doors.write_shell(declaration),
        "dbt": doors.write_dbt(declaration),
        "Release file": doors.write_release(declaration),
        "Spark": doors.write_spark(declaration),
    }
    shown = [(name, fence(text, _LANGUAGES[name])) for name, text in pages.items() if text]
    shown[0] = "SQL", f"{shown[0][1]}\n\n{_write_rows(declaration)}"
    test = doors.write_dbt_test(declaration)
    if test:
        limit = "As a test, which fails the run where it does not hold:"
        shown = [(n, f"{t}\n\n{limit}\n\n{fence(test, 'yaml')}" if n == "dbt" else t) for n, t in shown]
    return f"The [tables of the examples](../example_tables.md) are small enough to be read.\n\n{tabs(shown, 'door')}"


def _write_rows(declaration: Declaration) -> str:
    """Return what the example gives, as far as a page has room."""
    columns, rows = run_example(declaration.example)
    wide = declaration.name == "sdc_help"
    shown = [[escape(_shorten(format_value(v), wide=wide)) for v in row] for row in rows[:SHOWN]]
    note = f"\n\n{len(rows) - SHOWN} more rows." if len(rows) > SHOWN else ""
    keyed = "\n\nBy the key of these pages; yours draws otherwise." if declaration.needs_key else ""
    return (
        table(map(escape, columns), shown) + note + keyed
        if rows
        else "No row: there is nothing to tell of these tables."
    )


def _shorten(text: str, *, wide: bool) -> str:
    longest = 40 if wide else 120
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _write_promises(declaration: Declaration) -> list[str]:
    """Return what a mask keeps, promises, and may be repeated."""
    if not declaration.is_step:
        return []
    effect = declaration.effect
    said = {
        "keeps": declaration.keeps,
        "guarantees": declaration.guarantees,
        "for users": effect.users,
        "released again": declaration.repeated,
        "in a series": f"{effect.series} ({effect.series.reason})" if effect.series.reason else str(effect.series),
        "households": str(effect.households),
        "masks": str(effect.values),
        "users are told": ", ".join(n for names in effect.told for n in names.names) or "nothing of its parameters",
    }
    rows = [[name, escape(capitalise(text))] for name, text in said.items() if text]
    return ["## What it keeps and promises", table(["of", "what holds"], rows)]


def _write_source(declaration: Declaration) -> list[str]:
    if not declaration.source:
        return []
    links = sources.write_links(declaration)
    more = f"\n\nBy the same sources: {links}." if links else ""
    return ["## Source", f"{escape(declaration.source)}{more}"]


@cache
def _index_mentions() -> dict[str, set[str]]:
    known = index_catalogue()
    return {
        d.name: {n for n in re.findall(r"\bsdc_[a-z0-9_]+", f"{d.description} {d.source}") if n in known} - {d.name}
        for d in read_catalogue()
    }


def _write_related(declaration: Declaration) -> list[str]:
    mentions = _index_mentions()
    same = [d.name for d in read_catalogue() if d.file == declaration.file and d.name != declaration.name]
    there = sorted(mentions[declaration.name])
    back = sorted(name for name, said in mentions.items() if declaration.name in said)
    names = [*dict.fromkeys([*same, *there, *back])][:12]
    if not names:
        return []
    known = index_catalogue()
    listed = "\n".join(f"- [`{n}`](#{n}): {escape(known[n].summary)}" for n in names)
    return ["## Related", listed]
