"""The mutants of a kernel: found in its syntax tree, and made in its text."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "//", ast.Pow: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<",
}  # fmt: skip
_FUNCTIONS = {
    "min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "any": "all", "all": "any", "floor": "ceil",
    "ceil": "floor", "argmin": "argmax", "argmax": "argmin", "sum": "max", "cumsum": "cumprod", "nansum": "nanmax",
}  # fmt: skip
_MISSING = {"isnan": "isinf", "nan_to_num": "asarray"}


def find_kernel_mutants(file: str, text: str) -> list[Mutant]:
    """Return every mutant of the functions of a kernel, in their order."""
    tree = ast.parse(text)
    spared = {id(inner) for node in _spared(tree) for inner in ast.walk(node)}
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = _Places(text, starts)
    found = []
    for node in ast.walk(tree):
        if id(node) not in spared:
            found += [Mutant(file, start, text[start:end], to, kind, node.lineno)  # type: ignore[attr-defined]
                      for start, end, to, kind in _changes(node, places)]  # fmt: skip
    return sorted({m for m in found if m.before != m.after and _is_python(m, text)})


def _is_python(mutant: Mutant, text: str) -> bool:
    if "(" not in mutant.before and ")" not in mutant.before:
        return True
    try:
        ast.parse(mutant.apply(text))
    except SyntaxError:  # of a sign before a parenthesis
        return False
    return True


class _Places:
    """Where a node of the tree stands in the text: the tree counts in bytes of a line."""

    def __init__(self, text: str, starts: list[int]) -> None:
        self.text, self.raw, self.starts = text, text.encode(), starts

    def start(self, node: ast.AST) -> int:
        return self._place(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def _place(self, line: int, column: int) -> int:
        return len(self.raw[: self.starts[line - 1] + column].decode())

    def of(self, node: ast.AST) -> str:
        return self.text[self.start(node) : self.end(node)]


def _spared(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield what is no part of a computation: annotations, what type checkers read, messages, lists of functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.If) and _name(node.test) == "TYPE_CHECKING"):
            yield node
        elif isinstance(node, ast.AnnAssign | ast.arg):
            yield from [node.annotation] if node.annotation else []
        elif isinstance(node, ast.FunctionDef):
            yield from [node.returns] if node.returns else []
        elif isinstance(node, ast.Assign) and "FUNCTIONS" in map(_name, node.targets):
            yield node


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _changes(node: ast.AST, at: _Places) -> Iterator[tuple[int, int, str, str]]:
    """Yield where a change of this node begins and ends, what is put there, and its kind."""
    if isinstance(node, ast.Compare):
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            kind = "missing values" if isinstance(operator, ast.Is | ast.IsNot) else "bounds"
            between = at.text[at.end(left) : at.start(right)]
            yield at.end(left), at.start(right), between.replace(_sign(between), _COMPARED[type(operator)], 1), kind
            left = right
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        between = at.text[at.end(node.left) : at.start(node.right)]
        yield (
            at.end(node.left),
            at.start(node.right),
            between.replace(_sign(between), _COMPUTED[type(node.op)], 1),
            "operators",
        )
    elif isinstance(node, ast.BoolOp):
        one, two = node.values[:2]
        between = at.text[at.end(one) : at.start(two)]
        other = between.replace(" and ", " or ") if isinstance(node.op, ast.And) else between.replace(" or ", " and ")
        yield at.end(one), at.start(two), other, "operators"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert | ast.USub):
        yield at.start(node), at.start(node.operand), "", "operators"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield at.start(node), at.end(node), str(not node.value), "constants"
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield at.start(node), at.end(node), str(node.value + 1), "constants"
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield at.start(node), at.end(node), repr(node.value * 2 or 1.0), "constants"
    elif isinstance(node, ast.Call):
        yield from _call(node, at)


def _sign(between: str) -> str:
    """Return the operator of what stands between two values: parentheses may stand there too."""
    return between.strip("() \n\t")


def _call(node: ast.Call, at: _Places) -> Iterator[tuple[int, int, str, str]]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    end = at.end(node.func)
    if name in _FUNCTIONS:
        yield end - len(name), end, _FUNCTIONS[name], "operators"
    if name in _MISSING:
        yield end - len(name), end, _MISSING[name], "missing values"
    if len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args[:2]):
        one, two = node.args[:2]
        between = at.text[at.end(one) : at.start(two)]
        yield at.start(one), at.end(two), at.of(two) + between + at.of(one), "order of arguments"
