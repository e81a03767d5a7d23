"""Where a statement ends, and whether it may be kept: by DuckDB's own tokens, not by a parser of this package."""

from __future__ import annotations

import re

import duckdb

# A statement that sets a variable may hold the secret key, also where its name is misspelled; others a password: of a
# secret (also where a semicolon has cut it in two), of ATTACH or a function that opens another database (in options, in
# text, in an address), of a setting; the key of an encrypted Parquet file; an address that is signed.
_SECRET = re.compile(
    r"sdc\W?_?key|\bset\b.*\bvariable|^\s*\.key|\bcreate\b.*\bsecret\b|\bsecret\W*['$]"
    r"|passw(or)?d|\bpwd\b|passphrase|token|encryption_(key|config)|(secret|access|parquet|footer)_?key|credential|key_id"
    r"|://\S*@|://\S*signature|[?&]sig=",
    re.IGNORECASE | re.DOTALL,
)


def _code(text: str) -> list[int]:
    """Return where each token begins that is no comment; none where a string or a comment has not ended."""
    try:
        tokens = duckdb.tokenize(f"{text}\nx")
    except duckdb.Error:
        return []
    # in a string or a comment, the x would be a part of it
    if not tokens or tokens[-1][0] != len(text.encode()) + 1:
        return []
    return [start for start, kind in tokens[:-1] if kind != duckdb.token_type.comment]


def is_complete(text: str) -> bool:
    """Return whether a text ends in a semicolon that is in no string and in no comment, but for comments after it.

    Examples
    --------
    >>> is_complete("SELECT 1; -- one"), is_complete("SELECT 'a;"), is_complete("SELECT 1 /* ; */")
    (True, False, False)
    """
    code = _code(text)
    return bool(code) and text.encode()[code[-1] :][:1] == b";"  # tokens are counted in bytes


def strip_end(statement: str) -> str:
    """Return one statement without its semicolon and what comes after it.

    Examples
    --------
    >>> strip_end("SELECT ';'; -- one")
    "SELECT ';'"
    """
    if not is_complete(statement):
        return statement
    return statement.encode()[: _code(statement)[-1]].decode()


def is_harmless(text: str) -> bool:
    """Return whether a statement may be kept in the history: not one that may hold the secret key or a password.

    Examples
    --------
    >>> is_harmless("FROM sdc_help();"), is_harmless("SET VARIABLE sdc_key = 'abc';")
    (True, False)
    >>> is_harmless("ATTACH 'survey.duckdb' AS s;"), is_harmless("ATTACH 'host=db password=abc' AS s (TYPE postgres);")
    (True, False)
    """
    return _SECRET.search(text) is None
