"""Attribute disclosure: the papers' examples, sdcMicro's records, and counts in plain Python."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict

import duckdb
import pytest

import sdc_sql
from sdc_sql.limits import exceeded

SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]


@pytest.fixture(scope="module")
def examples(db):
    """Li et al. (2007), table 3: three cells of three; salaries in thousands."""
    illness = ["gastric ulcer", "gastritis", "stomach cancer", "gastritis", "flu", "bronchitis",
               "bronchitis", "pneumonia", "stomach cancer"]  # fmt: skip
    db.execute("CREATE TABLE li (cell INTEGER, salary INTEGER, illness VARCHAR)")
    db.executemany(
        "INSERT INTO li VALUES (?, ?, ?)",
        [(i // 3, s, d) for i, (s, d) in enumerate(zip(SALARIES, illness, strict=True))],
    )
    draw = random.Random(1)  # noqa: S311 - a table, not a secret
    db.execute("CREATE TABLE r (a INTEGER, b VARCHAR, s INTEGER)")
    rows = [(draw.choice([1, 2, None]), draw.choice("xyz"), draw.choice([1, 1, 1, 2, 3, 7])) for _ in range(150)]
    db.executemany("INSERT INTO r VALUES (?, ?, ?)", rows)
    return db, rows


def test_ordered_distance_of_the_salaries(examples):
    """Li et al. (2007), section 4.3: 0.375 for {3k, 4k, 5k}, 0.167 for {6k, 8k, 11k}."""
    con, _ = examples
    rows = con.execute(
        "FROM sdc_t_closeness_cells('li', ['cell'], 'salary', distance := 'ordered') ORDER BY cell"
    ).fetchall()
    assert [t for _, _, t in rows][:2] == pytest.approx([0.375, 1 / 6])


def test_brute_force(examples):
    con, records = examples
    whole, n = Counter(s for _, _, s in records), len(records)
    cells = defaultdict(Counter)
    for a, b, s in records:
        cells[a, b][s] += 1
    values = sorted(whole)

    def rows(sql):
        return {row[:2]: row[3:] for row in con.execute(sql).fetchall()}

    diversity = rows("FROM sdc_l_diversity_cells('r', ['a', 'b'], 's', c := 0.8)")
    equal = rows("FROM sdc_t_closeness_cells('r', ['a', 'b'], 's')")
    ordered = rows("FROM sdc_t_closeness_cells('r', ['a', 'b'], 's', distance := 'ordered')")
    likeness = rows("FROM sdc_likeness_cells('r', ['a', 'b'], 's')")
    assert set(diversity) == set(equal) == set(ordered) == set(likeness) == set(cells)
    for cell, counts in cells.items():
        f = counts.total()
        p, q = [counts[v] / f for v in values], [whole[v] / n for v in values]
        r = sorted(counts.values(), reverse=True)
        recursive = max((i + 1 for i in range(len(r)) if r[0] < 0.8 * sum(r[i:])), default=0)
        entropy = math.exp(-sum(x * math.log(x) for x in p if x))
        assert diversity[cell] == (len(r), pytest.approx(entropy), recursive)
        assert equal[cell][0] == pytest.approx(sum(abs(x - y) for x, y in zip(p, q, strict=True)) / 2)
        emd = sum(abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(len(values))) / (len(values) - 1)
        assert ordered[cell][0] == pytest.approx(emd)
        delta = max(abs(math.log(x / y)) if x else math.inf for x, y in zip(p, q, strict=True))
        beta = max((x - y) / y for x, y in zip(p, q, strict=True))
        # Cao & Karras (2012): enhanced beta-likeness bounds the gain by min(beta, -ln q)
        held = all((x - y) / y <= -math.log(y) for x, y in zip(p, q, strict=True) if x > y)
        enhanced = max(beta, 0) if held else math.inf
        assert likeness[cell] == pytest.approx((max(p), max(beta, 0), enhanced, delta))


def test_k_map_counts_what_the_population_lacks_as_nothing(examples):
    con, _ = examples
    con.execute("CREATE OR REPLACE TABLE pop AS SELECT unnest([0, 0, 0, 1]) AS cell")
    assert con.execute("FROM sdc_k_map('li', 'pop', ['cell'], 2)").fetchall() == [(2, 6, 2, 3, 0)]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("FROM sdc_l_diversity('li', ['cell'], 'cell')", "as well as the sensitive"),
        ("FROM sdc_l_diversity('li', ['cell'], 'salry')", "salry"),
        ("FROM sdc_l_diversity('li', ['cell'], 'salary', c := 0)", "positive"),
        ("FROM sdc_t_closeness('li', ['cell'], 'salary', distance := 'far')", "distance is far"),
        ("FROM sdc_k_map('li', 'li', ['cell'], 1)", "at least 2"),
    ],
)
def test_wrong_input(examples, sql, message):
    with pytest.raises(duckdb.Error, match=message):
        examples[0].execute(sql).fetchall()


@pytest.mark.parametrize("sensitive", ["electcon", "relat"])
def test_sdcmicro_on_testdata(shared, db, sensitive):
    """sdcMicro 5.8.1: ../shared/reference/sdcmicro_ldiversity.json, ldiv_2 (c = 2, its default)."""
    theirs = json.loads((shared / "reference" / "sdcmicro_ldiversity.json").read_text())["entries"]["ldiv_2"]["result"]
    keys = ["urbrur", "roof", "walls", "water", "sex"]
    source = str(shared / "data" / "testdata.parquet")
    sums = db.execute(
        "SELECT sum(distinct_l), sum(entropy_l), sum(recursive_l) FROM sdc_l_diversity_records(?, ?, ?)",
        [source, keys, sensitive],
    ).fetchone()
    assert sums == pytest.approx(
        [theirs[f"{sensitive}_{m}_Ldiversity"]["sum"] for m in ("Distinct", "Entropy", "Recursive")]
    )


def test_a_limit_on_attribute_disclosure(examples):
    """By hand: each cell of three has three salaries; the least l of the file is 3."""
    data = sdc_sql.Microdata(examples[0], "li", keys=["cell"])
    report = sdc_sql.risk_report(data, sensitive=["salary"]).to_dict()
    assert exceeded("attribute.distinct_l < 4", report)
    assert not exceeded("attribute.distinct_l < 3", report)


def test_wildcards_are_refused_not_ignored(examples):
    data = sdc_sql.Microdata(examples[0], "li", keys=["cell"], nulls="wildcard")
    with pytest.raises(sdc_sql.ParameterError, match="wildcard"):
        data.l_diversity("salary")
