"""What is known of a column that nobody has decided about: its values, whom it singles out, what it looks like."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.files import work
from sdc_sql.errors import SdcError
from sdc_sql.release.running import raw
from sdc_sql.session import toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.reading.plan import Source

NAME = "sdc_undecided"
FEW = 30  # a text with so few values is a code or a category, and none of them is a name
MOST_NUMBERS = 0.95  # a column whose texts are numbers in this share holds numbers: the others are marks
CALLED_NAME = re.compile(r"(name|nom|naam|nombre|navn|namn)s?_?\d*$", re.IGNORECASE)
_NUMBER = r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*"
_CODE = r"\s*0\d.*"  # nobody writes an amount as 017
# it matches Alabama Power Co, SMITH, JOHN
_WORDS = r"\p{Lu}[\p{L}'\x{2019}.&-]*([ ,]+[\p{Lu}&][\p{L}'\x{2019}.&-]*)+"
_KINDS = (
    (re.compile(r"VARCHAR|ENUM.*|UUID"), "texts"), (re.compile(r"BOOLEAN"), "truth values"),
    (re.compile(r"DATE|TIME.*"), "dates or times"),
    (re.compile(r"(U?(TINY|SMALL|BIG|HUGE)?(INT|INTEGER)|DOUBLE|FLOAT|DECIMAL.*)"), "numbers"),
)  # fmt: skip


@dataclass(frozen=True)
class Facts:
    """A column: its different values, the records whose value no other record has, and what its values look like."""

    name: str
    type: str
    records: int = 0
    values: int = 0
    alone: int = 0
    like_names: bool = False
    numbers: bool = False  # the texts are numbers, written in several ways: 57800000 beside 116258.5
    strays: int = 0  # in so many of these records the text is no number
    missing: int = 0  # so many records have no value
    commas: bool = False  # some are written with a decimal comma, and are not read as numbers

    def __str__(self) -> str:
        """Return the facts in a line, without any value."""
        said = next((words for kind, words in _KINDS if kind.fullmatch(self.type)), self.type)
        if not self.records:
            return f"{toml.format_toml_value(self.name)}: {said}"
        lone = "in no record"
        if self.alone:
            # the share is rounded down: only all records are 100 %
            share = int(1000 * self.alone / self.records) / 10
            told = f"{share:g} %" if share else "less than 0.1 %"
            lone = f"in {self.alone:,} of {self.records:,} records ({told})"
        parts = [f"{toml.format_toml_value(self.name)}: {said}, {self.values:,} value{'s' * (self.values != 1)}"]
        parts.append(f"unique by itself {lone}")
        if self.like_names:
            parts.append("looks like a name")
        if self.numbers:
            but = f", but for {self.strays:,} record{'s' * (self.strays != 1)}" if self.strays else ""
            parts.append(f"numbers read as text{', with a decimal comma' * self.commas}{but}")
        return "; ".join(parts)


def find_source_facts(
    source: Source, columns: Mapping[str, str], con: duckdb.DuckDBPyConnection | None = None
) -> list[Facts]:
    """Return what is known of some columns of a source; where it cannot be read now, their types alone.

    Parameters
    ----------
    source
        The source; a relation is one of ``con``.
    columns
        The columns with their types.
    con
        The connection of a relation.
    """
    try:
        if source.relation is not None and con is not None:
            return find_row_facts(con, query.call_macro("query_table", source.relation), columns)
        with work.open_work_database() as own:
            set_key(own)
            raw.read_source(own, source, NAME, columns, ())
            return find_row_facts(own, query.call_macro("query_table", NAME))
    except (SdcError, duckdb.Error):  # another process has the database open: undecided columns are told all the same
        return [Facts(name, kind) for name, kind in columns.items()]


def find_row_facts(
    con: duckdb.DuckDBPyConnection, rows: exp.Select, columns: Mapping[str, str] | None = None
) -> list[Facts]:
    """Return what is known of the columns of a query."""
    if columns is None:
        described = execute(con, rows.copy().limit(0)).description or ()
        columns = {str(name): str(kind) for name, kind, *_ in described}
    return [_find_column_facts(con, rows, name, kind) for name, kind in columns.items()]


def _find_column_facts(con: duckdb.DuckDBPyConnection, rows: exp.Select, name: str, kind: str) -> Facts:
    value, n = exp.column("sdc__value"), exp.column("sdc__n")
    cells = exp.select(
        exp.alias_(exp.column(name, quoted=True), "sdc__value"), exp.alias_(exp.Count(this=exp.Star()), "sdc__n")
    ).from_(rows.copy().subquery("r"))
    cells = cells.group_by(exp.column(name, quoted=True))
    known = exp.not_(value.copy().is_(exp.null()))
    text = kind == "VARCHAR"
    figures: list[exp.Expr] = [
        exp.func("sum", n.copy()), _sum_where(known), _sum_where(exp.and_(known.copy(), n.copy().eq(1))),
        _sum_where(known, n) if text else exp.null(),
        *((_sum_where(_match(pattern), n) for pattern in (_NUMBER, _CODE)) if text else (exp.null(), exp.null())),
        *((_sum_where(_match(p)) for p in (_WORDS, r"\s*[-+]?\d+\s*", "[^,]*,[^,]*")) if text else (exp.null(),) * 3),
        _lengths() if text else exp.null(), _sum_where(value.copy().is_(exp.null()), n),
    ]  # fmt: skip
    try:
        (found,) = execute(con, exp.select(*figures).from_(cells.subquery("c"))).fetchall()
    except duckdb.Error:  # values of this type cannot be grouped
        return Facts(name, kind)
    records, values, alone, there, numbers, codes, names, whole, commas, lengths, missing = (int(v or 0) for v in found)
    measured = text and values > 0 and numbers >= MOST_NUMBERS * there and not codes
    # whole numbers of one length, or few of them, are codes
    measured = measured and (whole < values - (there > numbers) or (values > FEW and lengths > 1))
    called = text and values > 2 and bool(CALLED_NAME.search(name))  # noqa: PLR2004 - yes and no
    like_names = not measured and (called or (values > FEW and names >= values / 2))
    return Facts(name, kind, records, values, alone, like_names, measured, there - numbers if measured else 0,
                 missing, commas=measured and commas > 0)  # fmt: skip


def _match(pattern: str) -> exp.Expr:
    return exp.Anonymous(this="regexp_full_match", expressions=[exp.column("sdc__value"), exp.Literal.string(pattern)])


def _sum_where(condition: exp.Expr, n: exp.Expr | None = None) -> exp.Expr:
    """Return the sum of n, or the number of cells, where a condition holds."""
    one = exp.Literal.number(1) if n is None else n.copy()
    return exp.func("sum", exp.If(this=condition.copy(), true=one, false=exp.Literal.number(0)))


def _lengths() -> exp.Expr:
    return exp.Count(this=exp.Distinct(expressions=[exp.Length(this=exp.column("sdc__value"))]))
