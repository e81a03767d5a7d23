"""A reader sees a line of SQL whole: no line is longer than a page of code is wide."""

from __future__ import annotations

from pathlib import Path

SQL = Path(__file__).parents[2] / "sql"
WIDTH = 140


def test_no_line_of_sql_is_longer_than_a_reader_sees():
    """What is longer goes on in an indented line: a tag, code, a literal (in pieces joined by ||), a table below."""
    long = [
        f"{file.relative_to(SQL.parent)}:{number}: {len(line)} characters"
        for file in sorted(SQL.rglob("*.sql"))
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDTH
    ]
    assert not long, "\n".join(long)
