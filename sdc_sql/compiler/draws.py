"""Keyed draws (sql/core/draws.sql) on another engine: ids, the key, digests and their bits, digit for digit.

All engines share this module: the words that one alone has stand in its own module.

What the macros ask of types is asked there when the query runs. Values of types whose texts or roundings may differ
from DuckDB's are refused.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compiler.definitions import read_definitions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.compiler.definitions import Definition

# Macros that have another body in a compiled query. Masked values stay DOUBLEs, since the types of columns are not
# known; ids are counted, since other engines keep no order of rows, and have a memory of their own; a value without
# noise is none, not the original; only the length of a key is judged.
_MACROS = """
CREATE OR REPLACE MACRO sdc__ascends(tbl, id) AS TABLE SELECT false AS sdc__ascending;
CREATE OR REPLACE MACRO sdc__identified_at_once(tbl, id, bytes, codes := NULL, compared := NULL) AS TABLE
    FROM sdc__identified(tbl, id, codes := codes, compared := compared);
CREATE OR REPLACE MACRO sdc__typed(tbl, columns, values_of) AS TABLE
    SELECT sdc__id, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) FROM query_table(values_of);
CREATE OR REPLACE MACRO sdc__decimal_unit(type) AS CASE WHEN sdc__is_whole(type) THEN 1e0 END;
CREATE OR REPLACE MACRO sdc__fitted_noise(c, low, high, widths, bounded, steps, names) AS
    struct_pack(v := sdc__fitted(struct_extract(c, 'x') + struct_extract(c, 'e'), struct_extract(c, 'x'),
                                 sdc__of_column(low, bounded, c), sdc__of_column(high, bounded, c)),
                s := sdc__step_between(sdc__of_column(steps, names, c), sdc__of_column(widths, bounded, c)));
CREATE OR REPLACE MACRO sdc__checked_id(id) AS CASE
    WHEN typeof(id) NOT IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'VARCHAR')
        THEN error('ColumnError: The id has type ' || typeof(id)
                   || ': in a compiled query it must be a whole number or a text, which are written alike everywhere.')
    WHEN id IS NULL THEN error('ColumnError: The id of a record is NULL: keyed draws need an id for every record.')
    ELSE id::VARCHAR
END;
CREATE OR REPLACE MACRO sdc__number(v) AS CASE
    WHEN typeof(v) IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'DOUBLE') THEN TRY_CAST(v AS DOUBLE)
    ELSE error('ColumnError: The column ' || alias(v) || ' has type ' || typeof(v)
               || ': a compiled query masks whole numbers and DOUBLEs; cast the column first.')
END;
CREATE OR REPLACE MACRO sdc__in_units(x, unit) AS CASE
    WHEN unit = 0 OR x IS NULL OR isnan(x) OR abs(x) = 'infinity'::DOUBLE THEN ''
    WHEN abs(x / unit * 1e6) >= 9e18
        THEN error('ColumnError: A value is more than 9e12 times the standard deviation of its noise:'
                   || ' a compiled query cannot write it as DuckDB does; give more noise.')
    ELSE sdc__nearest_text(x / unit * 1e6)
END;
CREATE OR REPLACE MACRO sdc__nearest_text(v) AS
    (sign(v) * (floor(abs(v)) + CASE WHEN abs(v) - floor(abs(v)) >= 0.5 THEN 1 ELSE 0 END))::BIGINT::VARCHAR;
CREATE OR REPLACE MACRO sdc__figure_text(v) AS CASE
    WHEN v >= 1e15
        THEN error('ParameterError: The standard deviation of the noise is 1e15 or more: rescale the column first.')
    WHEN v = floor(v) THEN floor(v)::BIGINT::VARCHAR
    ELSE sdc__fraction_text(v)
END;
CREATE OR REPLACE MACRO sdc__mapping_text(v) AS CASE
    WHEN typeof(v) IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'VARCHAR') THEN v::VARCHAR
    ELSE error('ColumnError: A column of type ' || typeof(v)
               || ' is to be recoded: a compiled query recodes texts and whole numbers; cast it first.')
END;
CREATE OR REPLACE MACRO sdc__label_as(label, like_that) AS label;
CREATE OR REPLACE MACRO sdc__is_guessable(key) AS length(key) < 32;
"""
OWN_WORDS = ("sdc__uniform_of", "sdc__fraction_text")
# These macros are dear and used more than once: PostgreSQL would compute them in each place.
ONCE = (
    "sdc__uniforms_of", "sdc__reduced_of", "sdc__normals_of", "sdc__places_of", "sdc__sums_of", "sdc__multiples_of",
)  # fmt: skip


@cache
def list_draw_macros() -> Mapping[str, Definition]:
    """Return the macros that have a body of their own in a compiled query."""
    return read_definitions([_MACROS])


def make_call(name: str, *parts: exp.Expression | str | int) -> exp.Anonymous:
    """Return a call of a function by its name."""
    return exp.Anonymous(this=name, expressions=[exp.convert(part, copy=True) for part in parts])


def match_call(node: exp.Expression, name: str) -> list[Any]:
    """Return the arguments of a call of this function; none of anything else."""
    return node.expressions if isinstance(node, exp.Anonymous) and node.name == name else []


def write_digits(digest: exp.Expression, place: exp.Expression) -> exp.Expression:
    """Return the 13 hexadecimal digits of a digest from which a uniform variate is made."""
    start = 13 * int(place.this) - 12
    return make_call("SUBSTR", digest, start, 13)


def write_uniform(whole: exp.Expression) -> exp.Expression:
    """Return a whole number of 52 bits as a uniform variate."""
    return exp.Div(this=exp.cast(whole, "double"), expression=exp.Literal.number("4503599627370496e0"), typed=True)


def replace_shared_function(node: exp.Expression) -> exp.Expression | None:
    """Write a function under the name by which both engines know it."""
    if isinstance(node, exp.Concat):
        return make_call("CONCAT", *node.expressions)
    if isinstance(node, exp.Length):
        return make_call("LENGTH", node.this)
    if isinstance(node, exp.Substring):
        return make_call("SUBSTR", node.this, node.args["start"], node.args["length"])
    if isinstance(node, exp.Log) and node.expression and node.this == exp.Literal.number(10):
        return make_call("LOG10", node.expression)
    return None
