"""Keyed draws (sql/core/draws.sql) on another engine: ids, the key, digests and their bits, digit for digit.

What the macros ask of types is asked there when the query runs. Values of types whose texts or roundings may differ
from DuckDB's are refused.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.compiler.definitions import pasted, read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.compiler.definitions import Definition

# Macros that have another body in a compiled query. Masked values stay DOUBLEs, since the types of columns are not
# known; ids are counted, since other engines keep no order of rows; a value without noise is none, not the original;
# of a key only the length is judged.
_MACROS = """
CREATE OR REPLACE MACRO sdc__ascends(tbl, id) AS TABLE SELECT false AS sdc__ascending;
CREATE OR REPLACE MACRO sdc__typed(tbl, columns, values_of) AS TABLE
    SELECT sdc__id, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) FROM query_table(values_of);
CREATE OR REPLACE MACRO sdc__fitted_noise(c, low, high, whole, names) AS
    sdc__fitted(struct_extract(c, 'x') + struct_extract(c, 'e'), struct_extract(c, 'x'),
        sdc__of_column(low, names, c), sdc__of_column(high, names, c), sdc__of_column(whole, names, c));
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
# What is dear and used more than once: PostgreSQL would compute it in each place.
ONCE = ("sdc__uniforms_of", "sdc__reduced_of", "sdc__normals_of", "sdc__places_of")


@cache
def macros() -> Mapping[str, Definition]:
    """Return the macros that have a body of their own in a compiled query."""
    return read([_MACROS])


def _called(name: str, *parts: exp.Expression | str | int) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[exp.convert(part, copy=True) for part in parts])


def _arguments(node: exp.Expression, name: str) -> list[Any]:
    return node.expressions if isinstance(node, exp.Anonymous) and node.name == name else []


def _digits(digest: exp.Expression, place: exp.Expression) -> exp.Expression:
    start = 13 * int(place.this) - 12
    return _called("SUBSTR", digest, start, 13)


def _uniform(whole: exp.Expression) -> exp.Expression:
    return exp.Div(this=exp.cast(whole, "double"), expression=exp.Literal.number("4503599627370496e0"), typed=True)


def spark_words(node: exp.Expression) -> exp.Expression:
    """Say the words of draws on Spark."""
    if parts := _arguments(node, "sdc__uniform_of"):
        return exp.Paren(this=_uniform(_called("CONV", _digits(*parts), 16, 10)))
    if parts := _arguments(node, "sdc__fraction_text"):  # 12.3, 0.000123, 1.23e-05
        (figure,) = parts
        plain = _called("REGEXP_REPLACE", _called("FORMAT_STRING", "%.10f", figure), "0+$", "")
        power: exp.Expression = exp.cast(figure.copy(), "text")
        for old, new in (("[.]0E", "E"), ("E-([0-9])$", "e-0$1"), ("E", "e")):
            power = _called("REGEXP_REPLACE", power, old, new)
        small = exp.LT(this=pasted(figure), expression=exp.Literal.number("1e-4"))
        return exp.Case(ifs=[exp.If(this=small, true=power)], default=plain)
    if _arguments(node, "getvariable"):  # an aggregate: there is a row, of a NULL, whatever the view holds
        key = exp.column("sdc_key", quoted=True)
        return exp.Subquery(this=exp.select(exp.Max(this=key)).from_(exp.to_table("sdc_key")))
    return node


def postgres_words(node: exp.Expression) -> exp.Expression:
    """Say the words of draws on PostgreSQL."""
    if parts := _arguments(node, "sdc__uniform_of"):
        bits = exp.cast(_called("CONCAT", "x", _digits(*parts)), "bit(52)")
        return exp.Paren(this=_uniform(exp.cast(bits, "bigint")))
    if parts := _arguments(node, "sdc__fraction_text"):
        return exp.cast(parts[0].copy(), "text")
    if _arguments(node, "getvariable"):
        return exp.Anonymous(this="CURRENT_SETTING", expressions=[exp.Literal.string("sdc.key"), exp.true()])
    return node


def _function(node: exp.Expression) -> exp.Expression | None:
    """Say a function by the name that both engines know it by."""
    if isinstance(node, exp.Concat):
        return _called("CONCAT", *node.expressions)
    if isinstance(node, exp.Length):
        return _called("LENGTH", node.this)
    if isinstance(node, exp.Substring):
        return _called("SUBSTR", node.this, node.args["start"], node.args["length"])
    if isinstance(node, exp.Log) and node.expression and node.this == exp.Literal.number(10):
        return _called("LOG10", node.expression)
    return None


_SPARK: dict[type[exp.Expression], str] = {exp.ToBase64: "BASE64", exp.Unhex: "UNHEX", exp.IsNan: "ISNAN"}


def spark_functions(node: exp.Expression) -> exp.Expression:
    """Say functions of texts and numbers on Spark."""
    if type(node) in _SPARK:
        return _called(_SPARK[type(node)], node.this)
    if isinstance(node, exp.SHA2):
        return _called("SHA2", node.this, 256)
    if isinstance(node, exp.Left):
        return _called("SUBSTR", node.this, 1, node.expression)
    if parts := _arguments(node, "round_even"):
        return _called("RINT", parts[0])
    return _function(node) or node


def postgres_functions(node: exp.Expression) -> exp.Expression:
    """Say functions of texts and numbers on PostgreSQL."""
    if isinstance(node, exp.SHA2):
        return _called("ENCODE", _called("SHA256", _called("CONVERT_TO", node.this, "UTF8")), "hex")
    if isinstance(node, exp.ToBase64):
        return _called("ENCODE", node.this, "base64")
    if isinstance(node, exp.Unhex):
        return _called("DECODE", node.this, "hex")
    if isinstance(node, exp.IsNan):
        return exp.EQ(this=pasted(node.this), expression=exp.cast(exp.Literal.string("NaN"), "double"))
    if parts := _arguments(node, "round_even"):
        return _called("ROUND", parts[0])
    return _function(node) or node
