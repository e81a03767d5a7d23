"""The mutants of a SQL file: found in its tokens, so that comments, texts and the rest of the file stay as they are."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from mutant import Mutant
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokens import TokenType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlglot.tokens import Token

# each is the other's slip
BOUNDS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "<>", "<>": "=", "!=": "="}
OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "/", "%": "//", "AND": "OR", "OR": "AND"}
CONSTANTS = {"TRUE": "false", "FALSE": "true"}
FUNCTIONS = {
    "min": "max", "max": "min", "sum": "max", "greatest": "least", "least": "greatest", "floor": "ceil",
    "ceil": "floor", "bool_and": "bool_or", "bool_or": "bool_and", "count_if": "count", "first": "last",
    "last": "first", "fsum": "max",
    "row_number": "rank", "dense_rank": "rank", "arg_min": "arg_max", "arg_max": "arg_min",
}  # fmt: skip
ORDERS = {"ASC": "DESC", "DESC": "ASC"}
_OPERANDS = {
    TokenType.VAR, TokenType.NUMBER, TokenType.STRING, TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.IDENTIFIER,
    TokenType.END, TokenType.TRUE, TokenType.FALSE, TokenType.NULL,
}  # fmt: skip
_PHRASES: dict[tuple[str, ...], tuple[str, str]] = {
    ("IS", "NOT", "NULL"): ("IS NULL", "missing values"),
    ("IS", "NULL"): ("IS NOT NULL", "missing values"),
    ("IS", "NOT", "DISTINCT", "FROM"): ("=", "missing values"),
    ("IS", "DISTINCT", "FROM"): ("<>", "missing values"),
    ("LEFT", "JOIN"): ("JOIN", "joins"),
    ("SEMI", "JOIN"): ("ANTI JOIN", "joins"),
    ("ANTI", "JOIN"): ("SEMI JOIN", "joins"),
    ("UNION", "ALL"): ("UNION", "joins"),
}
_TOKENS = DuckDB()


def find_sql_mutants(file: str, text: str) -> list[Mutant]:
    """Return every mutant of the macros of a SQL file, in their order."""
    tokens = _TOKENS.tokenize(text)
    found = [*_single(file, text, tokens), *_phrases(file, text, tokens), *_calls(file, text, tokens)]
    return sorted({(m.start, m.before, m.after): m for m in found}.values())


def _words(text: str, tokens: Sequence[Token]) -> list[str]:
    return [text[t.start : t.end + 1].upper() for t in tokens]


def _single(file: str, text: str, tokens: Sequence[Token]) -> Iterator[Mutant]:  # noqa: C901
    words = _words(text, tokens)
    between = 0  # the AND of a BETWEEN is none of its own
    for place, (token, word) in enumerate(zip(tokens, words, strict=True)):
        before, after = tokens[place - 1] if place else None, words[place + 1] if place + 1 < len(words) else ""
        written = text[token.start : token.end + 1]

        def change(to: str, kind: str, token: Token = token, written: str = written) -> Mutant:
            return Mutant(file, token.start, written, to, kind, token.line)

        if word == "BETWEEN":
            between += 1
        elif word == "AND" and between:
            between -= 1
        elif word in BOUNDS and token.token_type is not TokenType.STRING:
            yield change(BOUNDS[word], "bounds")
        elif word in OPERATORS and after != "REPLACE" and _is_binary(before, token, after):
            yield change(OPERATORS[word], "operators")
        elif token.token_type is TokenType.NUMBER:
            yield change(_next_number(written), "constants")
        elif word in CONSTANTS:
            yield change(CONSTANTS[word], "constants")
        elif word in ORDERS:
            yield change(ORDERS[word], "operators")
        elif word == "NOT" and words[place - 1] != "IS" and after not in {"NULL", "EXISTS"}:
            yield change("", "operators")
        elif word.lower() in FUNCTIONS and after == "(":
            yield change(FUNCTIONS[word.lower()], "operators")
        elif word == "DISTINCT" and words[place - 1] == "(":
            yield change("", "operators")
        elif word == "JOIN" and words[place - 1] not in {"LEFT", "SEMI", "ANTI", "CROSS", "POSITIONAL", "ASOF", "FULL"}:
            yield change("LEFT JOIN", "joins")


def _is_binary(before: Token | None, token: Token, after: str) -> bool:
    """Return whether an operator stands between two values: it is neither a sign nor the star of all columns."""
    if token.text.upper() in {"AND", "OR"}:
        return True
    starred = token.text == "*" and after in {")", ",", "FROM", "EXCLUDE", "REPLACE", "RENAME", "", ";"}
    return before is not None and before.token_type in _OPERANDS and not starred


def _next_number(written: str) -> str:
    return str(int(written) + 1) if written.isdigit() else str(float(written) * 2)


def _phrases(file: str, text: str, tokens: Sequence[Token]) -> Iterator[Mutant]:
    words = _words(text, tokens)
    for place in range(len(words)):
        for phrase, (to, kind) in _PHRASES.items():
            if tuple(words[place : place + len(phrase)]) == phrase and words[place - 1] != "IS":
                start, end = tokens[place].start, tokens[place + len(phrase) - 1].end + 1
                yield Mutant(file, start, text[start:end], to, kind, tokens[place].line)


def _calls(file: str, text: str, tokens: Sequence[Token]) -> Iterator[Mutant]:
    """Yield calls with their first two arguments exchanged, and coalesce without what stands in for a missing value."""
    words = _words(text, tokens)
    for place, (name, opened) in enumerate(pairwise(words)):
        declared = words[place - 1] in {"MACRO", "FUNCTION"}  # the arguments of a macro, where it is made
        if opened != "(" or declared or (tokens[place].token_type is not TokenType.VAR and name != "COALESCE"):
            continue
        arguments = _arguments(text, tokens, words, place + 1)
        if len(arguments) < 2:
            continue
        (one, one_end), (two, two_end) = arguments[:2]
        first, second = text[one:one_end], text[two:two_end]
        if ":=" not in first + second and first.strip() != second.strip():
            exchanged = second.strip() + text[one_end:two] + first.strip()
            yield Mutant(file, one, text[one:two_end], exchanged, "order of arguments", tokens[place].line)
        if name == "COALESCE":
            whole = text[one : arguments[-1][1]]
            yield Mutant(file, one, whole, first, "missing values", tokens[place].line)


def _arguments(text: str, tokens: Sequence[Token], words: Sequence[str], opened: int) -> list[tuple[int, int]]:
    """Return where the arguments of a call begin and end in the text; none where there is a clause among them."""
    depth, starts, found = 0, tokens[opened].end + 1, []
    for token, word in zip(tokens[opened:], words[opened:], strict=True):
        depth += word in {"(", "[", "{"}
        depth -= word in {")", "]", "}"}
        if word in {"SELECT", "FROM"} and depth == 1 and not found:
            return []  # a subquery, or a cast
        if (depth == 1 and word == ",") or depth == 0:
            if text[starts : token.start].strip():
                lead = len(text[starts : token.start]) - len(text[starts : token.start].lstrip())
                found.append((starts + lead, starts + len(text[starts : token.start].rstrip())))
            starts = token.end + 1
        if depth == 0:
            return found
    return []
