"""Numbers and types as both engines understand them: quotients, decimals and NULLs are DOUBLEs."""

from __future__ import annotations

from sqlglot import exp

# Macros of exact sums (sql/core/sums.sql), for which the engines have sums of DOUBLEs: Spark's widest whole number has
# 38 digits, less than 2^127, and PostgreSQL makes a numeric of the first 15 digits of a DOUBLE only.
SUMS = ("sdc__fixed", "sdc__unfixed", "sdc__shift")


def make_double(tree: exp.Expression) -> exp.Expression:
    """Return an expression as a DOUBLE."""
    return tree if isinstance(tree, exp.Cast) and tree.to.this == exp.DataType.Type.DOUBLE else exp.cast(tree, "double")


def is_decimal(node: exp.Expression) -> bool:
    """Say whether a node is a number with a point or an exponent."""
    return isinstance(node, exp.Literal) and not node.is_string and not str(node.this).isdigit()


def make_number(text: str) -> exp.Expression:
    """Return a number with an exponent."""
    written = repr(float(text))
    return exp.Literal.number(written if "e" in written else f"{written}e0")


def strip_parentheses(tree: exp.Expression) -> exp.Expression:
    """Return an expression without the parentheses around it."""
    return tree.this if isinstance(tree, exp.Paren) else tree


def replace_quotient(node: exp.Expression) -> exp.Expression:
    """Write a quotient as one of DOUBLEs, which it is in DuckDB."""
    if isinstance(node, exp.Div):
        left, right = node.this.copy(), node.expression.copy()
        if not (_is_double(left) or _is_double(right)):
            left = make_double(strip_parentheses(left))
        return exp.Div(this=left, expression=right, typed=True)
    return node


def _is_double(node: exp.Expression) -> bool:
    """Say whether an expression is known to be a DOUBLE: a number with a point, or one that it makes a DOUBLE."""
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return _is_double(node.this) or _is_double(node.expression)
    if isinstance(node, exp.Paren):
        return _is_double(node.this)
    return is_decimal(node) or isinstance(node, exp.Div) or (isinstance(node, exp.Cast) and node.to.is_type("double"))


def replace_sum(node: exp.Expression) -> exp.Expression:
    """Sum DOUBLEs as they are: there is no scale, nothing to bring back, and the size stays."""
    if not (isinstance(node, exp.Anonymous) and node.name in SUMS):
        return node
    return make_number("1") if node.name == "sdc__shift" else make_double(node.expressions[0].copy())


def replace_null(node: exp.Expression) -> exp.Expression:
    """Give a NULL that is a column, or what is summed, a type."""
    if isinstance(node, exp.Null) and isinstance(node.parent, exp.AggFunc | exp.Select | exp.Alias):
        return exp.cast(exp.null(), "double")
    return node


def replace_any_value(node: exp.Expression) -> exp.Expression:
    """Take the least for any value that is not NULL."""
    if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.AnyValue):
        return exp.Min(this=node.this.this.copy())
    return node


def type_name(name: exp.Expression, known: dict[str, str]) -> exp.Expression:
    """Return DuckDB's name of a type: some are known here, and the rest have the same name in capitals."""
    ifs = [
        exp.If(this=exp.Literal.string(theirs), true=exp.Literal.string(duckdbs)) for theirs, duckdbs in known.items()
    ]
    return exp.Case(this=name, ifs=ifs, default=exp.Upper(this=name.copy()))
