"""The records that each key makes unique, counted again by brute force; and the picture of them."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import sdc_sql

SVG = "{http://www.w3.org/2000/svg}"
KEYS = ["f", "Select", "<img src=x onerror=alert(1)>'\"&"]


def count_uniques(rows, places):
    counts = Counter(tuple(row[i] for i in places) for row in rows)
    return sum(n == 1 for n in counts.values())


def make_table(con, rows, width=3):
    quoted = [f'"{n.replace(chr(34), chr(34) * 2)}"' for n in KEYS[:width]]
    con.execute(f"CREATE TABLE k ({', '.join(f'{n} VARCHAR' for n in quoted)})")
    con.executemany(f"INSERT INTO k VALUES ({', '.join('?' * width)})", rows)
    return sdc_sql.Microdata(con, "k", keys=KEYS[:width])


@pytest.mark.parametrize("seed", range(4))
def test_each_key_is_left_out_in_turn(con, seed):
    rng = np.random.default_rng(seed)
    values = [None, "a", "b", "NULL", "a,b", ""]
    rows = [tuple(values[i] for i in rng.integers(0, 6, 3)) for _ in range(60)]
    found = make_table(con, rows).risk.key_uniques()
    every = count_uniques(rows, range(3))
    for i, row in enumerate(found):
        without = count_uniques(rows, [j for j in range(3) if j != i])
        assert row.to_dict() == {
            "variable": KEYS[i], "sample_uniques": every, "without": without, "made_unique": every - without,
        }  # fmt: skip
    picture = found.plot()
    root = ET.fromstring(picture.to_svg())  # noqa: S314 - a picture of our own
    bars = [float(e.attrib["width"].strip("%")) for e in root.iter(f"{SVG}rect") if e.get("class") == "after"]
    counts = sorted((row.made_unique for row in found if row.made_unique), reverse=True)
    assert bars == pytest.approx([84 * n / counts[0] for n in counts], abs=0.02)
    assert "<img" not in picture.to_svg()


def test_one_key_or_one_record(con):
    (row,) = make_table(con, [("a",), ("a",), (None,)], 1).risk.key_uniques()
    assert (row.sample_uniques, row.without, row.made_unique) == (1, 0, 1)
    con.execute("DELETE FROM k WHERE f = 'a'")
    (row,) = sdc_sql.Microdata(con, "k", keys=["f"]).risk.key_uniques()
    assert (row.sample_uniques, row.without, row.made_unique) == (1, 1, 0)
    con.execute("DELETE FROM k")
    with pytest.raises(sdc_sql.TableError, match="has no rows"):
        sdc_sql.Microdata(con, "k", keys=["f"]).risk.key_uniques()


def test_a_table_with_wildcards_is_refused(con):
    make_table(con, [("a",), (None,)], 1)
    with pytest.raises(sdc_sql.InputError, match="wildcard"):
        sdc_sql.Microdata(con, "k", keys=["f"], nulls="wildcard").risk.key_uniques()
