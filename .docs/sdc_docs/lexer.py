"""SQL as DuckDB reads it: with structs in braces, which the lexer of plain SQL does not know."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import inherit
from pygments.lexers.sql import SqlLexer
from pygments.token import Operator, Punctuation, String


class DuckDbLexer(SqlLexer):
    """Plain SQL, braces, names in double quotes, and the signs of DuckDB."""

    name = "DuckDB SQL"
    aliases: ClassVar = ["sql", "duckdb"]
    tokens: ClassVar = {
        "root": [
            (r'"(""|[^"])*"', String.Symbol),
            (r"[{}?]", Punctuation),
            (r"[\\^&|@#$!]", Operator),
            inherit,
        ],
    }
