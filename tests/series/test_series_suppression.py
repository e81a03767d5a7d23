"""Whom an intruder with all releases cannot tell from a released id, counted pair by pair from the definition."""

from __future__ import annotations

import random

import pytest
from brute_force import posterior_risk

from sdc_sql.db.catalogue.load import execute

RELEASES, KEYS = 3, 3


def draw_live(con, seed, persons=40):
    """Write who stands in the last release; return person, stratum, cohort, standing, settled, lost, values, weight."""
    draw = random.Random(seed)  # noqa: S311 - a test
    rows = []
    for i in range(persons):
        values = [draw.choice(["a", "a", "b", ""]) if j else draw.choice("ab") for j in range(KEYS)]
        missing = sum(1 << j for j, v in enumerate(values) if not v)
        standing = draw.choice(["111", "101", "011", "001"])
        cohort = draw.choice([0, 0, 0, 3]) if standing == "001" else 0
        rows.append((i, draw.choice("pq"), cohort, standing, draw.choice([1, 1, 2, 3]),
                     missing | draw.choice([0, 0, 1, 2, 4, 6]), values, draw.choice([0.5, 1.0, 2.5])))  # fmt: skip
    con.execute("""CREATE OR REPLACE TABLE live (
        sdc__person INTEGER, sdc__part VARCHAR, sdc__cohort INTEGER, sdc__standing BIT, sdc__settled INTEGER,
        sdc__lost INTEGER, sdc__values BLOB[], sdc__weight DOUBLE)""")
    con.executemany("INSERT INTO live VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    [(*row[:6], [v.encode() for v in row[6]], row[7]) for row in rows])  # fmt: skip
    return rows


def count_alike(rows, guarantee, keys):
    """Return of each person how many, and of which weight, cannot be told from him by some keys (a bit each)."""
    found = {}
    for person, part, cohort, standing, _, lost, values, _ in rows:
        n, w = 0, 0.0
        for _, o_part, o_cohort, o_standing, o_settled, o_lost, o_values, o_weight in rows:
            shown = [j for j in range(KEYS) if keys >> j & 1 and not lost >> j & 1]
            alike = part == o_part and all(b == "1" for a, b in zip(standing, o_standing, strict=True) if a == "1")
            alike = alike and cohort in {0, o_cohort}
            if guarantee == "strong":
                alike = alike and o_settled <= standing.index("1") + 1 and all(values[j] == o_values[j] for j in shown)
            else:
                both = [j for j in shown if not o_lost >> j & 1]
                alike = alike and all(values[j] == o_values[j] for j in both)
                alike = alike and (guarantee == "wildcard" or lost == o_lost)
            n, w = n + alike, w + alike * o_weight
        found[person] = n, max(n, w)
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("guarantee", ["identical", "wildcard", "strong"])
@pytest.mark.parametrize("seed", [1, 2])
def test_support_is_counted_pair_by_pair(con, guarantee, seed):
    rows = draw_live(con, seed)
    sets = [65535] if guarantee == "identical" else [0b001, 0b110, 0b111]
    call = f"sdc__series_support('live', {sets}, '{guarantee}')"
    columns = (
        "sdc__part, sdc__cohort, sdc__standing::VARCHAR, sdc__settled, sdc__lost, sdc__values, sdc__set, sdc__f, sdc__w"
    )
    told = {
        (*row[:5], tuple(row[5]), row[6]): row[7:] for row in execute(con, f"SELECT {columns} FROM {call}").fetchall()
    }
    for keys in sets:
        alike = count_alike(rows, guarantee, keys)
        for person, part, cohort, standing, settled, lost, values, _ in rows:
            if guarantee != "strong":
                settled, values = 0, ["" if lost >> j & 1 else v for j, v in enumerate(values)]  # noqa: PLW2901
            cell = (part, cohort, standing, settled, lost, tuple(v.encode() for v in values), keys)
            assert told[cell] == pytest.approx(alike[person]), (person, keys)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("guarantee", "rule", "sets", "bounds"),
    [
        ("identical", "records", [65535], [3]), ("wildcard", "records", [0b011, 0b111], [9, 6]),
        ("strong", "above", [0b001, 0b111], [7.0, 2.5]), ("strong", "at least", [0b001, 0b111], [7.0, 2.5]),
        ("wildcard", "risk", [0b111], [0.125]), ("strong", "risk", [0b111], [0.125]),
    ],
)  # fmt: skip
def test_who_is_left_too_few(con, guarantee, rule, sets, bounds):
    rows = draw_live(con, 3)
    below = set()
    for keys, bound in zip(sets, bounds, strict=True):
        for person, (n, w) in count_alike(rows, guarantee, keys).items():
            few = {"records": n < bound, "above": w <= bound, "at least": w < bound}
            if n == 0 or (few[rule] if rule in few else posterior_risk(n, n / w) > bound * (1 + 1e-12)):
                below.add(person)
    call = f"sdc__series_below('live', {sets}, {bounds}, '{guarantee}', '{rule}')"
    assert {i for (i,) in execute(con, f"SELECT sdc__person FROM {call}").fetchall()} == below
    assert 2 < len(below) < 38


def test_too_little_is_nobody_below_k_at_a_threshold_or_above_a_risk(con):
    for given, few in (
        ("3, 9.0, 3, 'records'", False), ("2, 9.0, 3, 'records'", True), ("9, 3.0, 3, 'above'", True),
        ("9, 3.001, 3, 'above'", False), ("9, 3.0, 3, 'at least'", False), ("9, 2.999, 3, 'at least'", True),
        ("4, 4.0, 0.25, 'risk'", False), ("4, 4.0, 0.2499, 'risk'", True),
        *((f"0, 0.0, 0.9, '{rule}'", True) for rule in ("records", "above", "at least", "risk")),
    ):  # fmt: skip
        assert execute(con, f"SELECT sdc__is_too_little({given})").fetchone() == (few,), given


def test_bits_rows_and_given_ids(con):
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    blobs = "[''::BLOB, 'b'::BLOB, 'c'::BLOB, ''::BLOB]"
    found = execute(con, f"""SELECT sdc__missing_bits({blobs}), sdc__shown_values({blobs}, 4), sdc__is_lost(6, 1),
        sdc__is_lost(6, 2), sdc__is_lost(6, 3), sdc__is_lost(6, 4), sdc__joins_row({blobs}, [''::BLOB, 'b', '', '']),
        sdc__joins_row({blobs}, ['a'::BLOB, 'b', 'c', '']), sdc__shown_bytes(NULL::INTEGER)""").fetchone()  # fmt: skip
    assert found == (9, [b"", b"b", b"", b""], False, True, True, False, True, False, b"")
    given = ", ".join(
        f"sdc__given_id('7', 2, 's', 'step', '{kind}')" for kind in ("BIGINT", "HUGEINT", "UUID", "VARCHAR")
    )
    ((digest, *ids),) = execute(con, f"SELECT sdc__given_digest('7', 2, 's', 'step'), {given}").fetchall()
    number = str(-1 - int(digest[:15], 16))
    assert ids == [number, number, digest[:32], digest[:24]]
