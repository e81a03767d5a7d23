"""Ids of two tables are counted, or known to be unique from the order in which they stand: the same is told."""

from __future__ import annotations

import random
from collections import Counter

import duckdb
import pyarrow as pa
import pytest

import sdc_sql

KINDS = {"whole numbers": pa.int64(), "numbers": pa.float64(), "texts": pa.string()}


@pytest.fixture(scope="module")
def con() -> duckdb.DuckDBPyConnection:
    return sdc_sql.load(duckdb.connect(), "sdc__counted_ids")


def count_ids(con: duckdb.DuckDBPyConnection, before: list[object], after: list[object], kind: pa.DataType) -> tuple:
    con.register("originals", pa.table({"sdc__person": pa.array(before, kind)}))
    con.register("released", pa.table({"sdc__person": pa.array(after, kind)}))
    con.execute(
        "CREATE OR REPLACE TEMP VIEW sides AS SELECT true AS sdc__first, * FROM originals "
        "UNION ALL SELECT false, * FROM released"
    )
    (row,) = con.execute("FROM sdc__counted_ids('sides')").fetchall()
    most, copies, *rest = row
    return most or 0, copies or 0, *rest


def count_plainly(before: list[object], after: list[object]) -> tuple[int, ...]:
    old, new = Counter(before), Counter(after)
    both = [one for one in new if one in old]
    nobody = int(None in old or None in new)
    strange = len([one for one in new if one not in old])
    return max(old.values(), default=0), max(new.values(), default=0), nobody, strange, len(both)


def check(con: duckdb.DuckDBPyConnection, before: list[object], after: list[object], kind: pa.DataType) -> None:
    most, copies, *rest = count_ids(con, before, after, kind)
    plain_most, plain_copies, *plain = count_plainly(before, after)
    assert rest == plain, (before, after)
    assert (most > 1, copies > 1) == (plain_most > 1, plain_copies > 1), (before, after)
    if most > 1:
        assert most == plain_most
    if copies > 1:
        assert copies == plain_copies


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_counted_as_one_by_one(con: duckdb.DuckDBPyConnection, kind: str) -> None:
    """Among them: the same in one order, few of many, one twice, one missing first and last, one of no original."""
    drawn = random.Random(20)  # noqa: S311 - no secret is drawn

    def spell(ids: list[int | None]) -> list[object]:
        return [one if one is None or kind != "texts" else f"{one:03}" for one in ids]

    line: list[int | None] = [*range(1, 41)]
    cases = [
        (line, line), (line, line[:3]), (line, line[:9]), (line, line[:10]), (line, [*line[:3], 99]), (line, [7, 7]),
        (line, [None]), ([None, *line], [3]), ([*line, None], [3]), ([None, *line], [None, *line]),
        ([*line, None], [*line, None]), ([5, *line], [3]), ([*line, 40], [*line, 40]), (line, line[::-1]),
        (line[::-1], line[::-1]), (line, [*line, 41]), ([*line, 41], line), ([1], [1]), ([1], [2]), ([1], []),
        ([], [1]), ([], []), ([None], [None]), (line, []), ([2, *line[2:], 2], [2]), ([*line[:20], 7, *line[20:]], [7]),
        (line, [40, 1]), ([1, 1, 2, 3, 4, 5, 6, 7, 8], [1]),
    ]  # fmt: skip
    for before, after in cases:
        check(con, spell(before), spell(after), KINDS[kind])
    for _ in range(40):
        old: list[int | None] = sorted(drawn.sample(range(1, 60), drawn.randint(1, 40)))
        new = drawn.choice([old[:], sorted(drawn.sample(old, drawn.randint(1, len(old))))])
        for side in (old, new):
            if drawn.random() < 0.3:
                side.insert(drawn.randint(0, len(side)), drawn.choice([None, drawn.choice(line), side[0]]))
        check(con, spell(old), spell(new), KINDS[kind])


def test_a_million_in_one_line_are_told_of(con: duckdb.DuckDBPyConnection) -> None:
    """Read by several threads: of a table of many row groups one id twice, far apart, is found in each place."""
    con.execute("SET threads = 2")
    con.execute("CREATE TABLE line AS SELECT range AS sdc__person FROM range(1_000_000)")
    for released, expected in (
        ("FROM line", (0, 0, 0, 1_000_000)),
        (
            "SELECT CASE sdc__person WHEN 900000 THEN 5 ELSE sdc__person END AS sdc__person FROM line",
            (2, 0, 0, 999_999),
        ),
        ("FROM line WHERE sdc__person % 100 = 0", (0, 0, 0, 10_000)),
        ("FROM line ORDER BY hash(sdc__person)", (0, 0, 0, 1_000_000)),
    ):
        sides = f"SELECT true AS sdc__first, * FROM line UNION ALL SELECT false, * FROM ({released})"
        con.execute(f"CREATE OR REPLACE TEMP VIEW sides AS {sides}")
        ((_, copies, nobody, strange, shared),) = con.execute("FROM sdc__counted_ids('sides')").fetchall()
        assert (copies if (copies or 0) > 1 else 0, nobody, strange, shared) == expected, released
