"""A compiled query as text: a comment that says what it is, then lines of at most 120 letters where they can be cut."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

from sqlglot import ErrorLevel, TokenType, exp, tokenize

from sdc_sql.compiler.engines import ENGINES
from sdc_sql.db import query
from sdc_sql.db.catalogue.macros import index_catalogue
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH = 120
_TYPES = "Masked columns are DOUBLEs, whole where they were whole numbers: cast them to their types to store them."
_OPEN, _CLOSE = (TokenType.L_PAREN, TokenType.CASE), (TokenType.R_PAREN, TokenType.END)


def format_query(tree: exp.Query, call: exp.Expression, dialect: str) -> str:
    """Return a query as text, with a comment that names the call of the macro that it stands for."""
    # (sqlglot 30.0 indents a name of several lines with the rest)
    of_one_line = not any("\n" in str(name.this) for name in tree.find_all(exp.Identifier))
    sql = tree.sql(
        dialect=dialect,
        identify=True,
        pretty=of_one_line,
        max_text_width=WIDTH,
        unsupported_level=ErrorLevel.RAISE,
        normalize_functions=False,
    )
    if not any("\n" in str(literal.this) for literal in tree.find_all(exp.Literal, exp.Identifier)):
        sql = re.sub(r"FILTER\(WHERE\n\s+", "FILTER(WHERE ", sql)
        sql = "\n".join(part for line in _join_short_lines(sql.split("\n")) for part in _cut_line(line, dialect))
    return f"{_write_comment(call, dialect)}\n{sql}"


def _write_comment(call: exp.Expression, dialect: str) -> str:
    declared = index_catalogue().get(call.name)
    said = [query.write_sql(call.transform(_shorten_number)), f"Compiled by sdc-sql {VERSION} for {dialect}."]
    said += [f"Source: {declared.source}"] if declared and declared.source else []
    said += [ENGINES[dialect].key, _TYPES] if declared and declared.masks and declared.needs_key else []
    said += ENGINES[dialect].notes if dialect in ENGINES else ()
    lines = [
        line
        for text in said
        for line in textwrap.wrap(
            _harmless(text), WIDTH - 6, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    ]
    return "/* " + "\n   ".join(lines) + " */"


def _shorten_number(node: exp.Expression) -> exp.Expression:
    """Write 0.1e0 as 0.1, as it was given."""
    if isinstance(node, exp.Literal) and not node.is_string and str(node.this).endswith("e0"):
        return exp.Literal.number(str(node.this).removesuffix("e0"))
    return node


def _harmless(text: str) -> str:
    """Return a text that neither ends a comment, nor begins one within it, nor hides in it what follows."""
    visible = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return re.sub(r"(?<=\*)(?=/)|(?<=/)(?=\*)", " ", visible)


def _join_short_lines(lines: Iterable[str]) -> list[str]:
    """Write what stands alone between two parentheses on their line, where it fits."""
    done: list[str] = []
    for line in lines:
        done.append(line)
        if line.lstrip().startswith(")") and len(done) > 2 and done[-3].endswith("("):  # noqa: PLR2004
            joined = done[-3] + done[-2].strip() + line.strip()
            if len(joined) <= WIDTH:
                done[-3:] = [joined]
    return done


def _cut_line(line: str, dialect: str) -> Iterator[str]:
    """Cut a line that is too long: where the fewest parentheses are open, and there as late as possible."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    while len(line) > WIDTH and (place := _find_cut(line, len(indent) + 10, dialect)):
        yield line[:place].rstrip()
        line = indent + line[place:]
    yield line


def _find_cut(line: str, first: int, dialect: str) -> int | None:
    """Return where to cut a line, not before a place."""
    depth, best = 0, None
    for token in tokenize(line, read=dialect):
        depth -= token.token_type in _CLOSE
        if token.start > first and line[token.start - 1] == " " and (best is None or token.start <= WIDTH):
            best = min(best or (depth, -token.start), (depth, -token.start))
        depth += token.token_type in _OPEN
    return -best[1] if best else None
