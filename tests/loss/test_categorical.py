"""Losses of categories: by hand, against plain Python on random tables, nothing lost, and columns permuted."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations, product
from typing import TYPE_CHECKING

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError, TableError

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["a", "b", "Select"]


def table(con: duckdb.DuckDBPyConnection, name: str, rows: list[tuple]) -> None:
    con.execute(f'CREATE OR REPLACE TABLE {name} (id INTEGER, a INTEGER, b VARCHAR, "Select" VARCHAR)')
    con.execute(
        f"INSERT INTO {name} VALUES {', '.join(['(?, ?, ?, ?)'] * len(rows))}", [v for row in rows for v in row]
    )


@pytest.fixture(params=range(2))
def files(request, con) -> tuple[duckdb.DuckDBPyConnection, list[tuple], list[tuple]]:
    """Return two random tables, `k` and `f`, with NULLs, and their rows by id."""
    draw = random.Random(request.param)  # noqa: S311 - a table for a test
    before = [(i, draw.choice([1, 2, 9, 10, None]), draw.choice("xyz"), draw.choice(["p'", "q"])) for i in range(60)]
    after = [
        (i, draw.choice([a, a, 2, None]), draw.choice([b, b, b, "x", "new"]), draw.choice([s, s, "q", None]))
        for i, a, b, s in before
    ]
    table(con, "k", before)
    table(con, "f", draw.sample(after, 60))
    return con, before, after


def rows(con: duckdb.DuckDBPyConnection, call: str) -> list[dict]:
    found = con.execute(f"SELECT * FROM {call}")
    names = [d[0] for d in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def columns_of(rows: list[tuple]) -> list[list]:
    return [list(column) for column in zip(*rows, strict=True)][1:]


def steps(before: list, after: list) -> list[float]:
    """Steps between categories, over those there are: (3.6) with the renumbering and substitution of 3.5.4."""
    order = sorted(set(before), key=lambda v: (v is not None, v if v is not None else 0))
    place = {v: i + 1 for i, v in enumerate(order)}
    merged: dict = {}
    for x, y in zip(before, after, strict=True):
        merged[y] = min(merged.get(y, 99), place[x])
    found = []
    for x, y in zip(before, after, strict=True):
        if y is None and x is not None:
            far = max(place[x] - 1, len(order) - place[x])
        else:
            far = abs(place[x] - place.get(y, merged[y]))
        found.append(far / len(order))
    return found


def test_direct_distance(files):
    con, before, after = files
    ordinal = rows(con, "sdc_direct_distance('k', 'f', ['a', 'b', 'Select'], 'id', ordinal := ['A', 'b'])")
    expected = []
    for name, x, y in zip(COLUMNS, columns_of(before), columns_of(after), strict=True):
        d = [float(v != w) for v, w in zip(x, y, strict=True)] if name == "Select" else steps(x, y)
        expected.append(sum(d) / 60)
    assert [r["variable"] for r in ordinal] == [None, *COLUMNS]
    assert [r["distance"] for r in ordinal] == pytest.approx([sum(expected) / 3, *expected])
    nominal = rows(con, "sdc_direct_distance('k', 'f', ['a', 'b'], 'id')")
    changed = [
        sum(v != w for v, w in zip(x, y, strict=True))
        for x, y in zip(columns_of(before), columns_of(after), strict=True)
    ]
    assert [r["changed"] for r in nominal] == [sum(changed[:2]), *changed[:2]]
    assert nominal[1]["distance"] == pytest.approx(changed[0] / 60)


def test_steps_of_a_recoding_by_hand(con):
    """The handbook at (3.11): 8 categories, 2 with 3 and 6 with 7: the new ones have the numbers 1, 2, 4, 5, 6, 8."""
    con.execute("CREATE TABLE before AS SELECT i AS id, i AS x FROM range(1, 9) t(i)")
    con.execute(
        "CREATE TABLE after AS SELECT id, CASE WHEN x IN (2, 3) THEN '2-3' WHEN x IN (6, 7) THEN '6-7' "
        "ELSE x::VARCHAR END AS x FROM before"
    )
    (_, row) = rows(con, "sdc_direct_distance('before', 'after', ['x'], 'id', ordinal := ['x'])")
    assert (row["changed"], row["distance"]) == (4, (1 + 1) / 8 / 8)  # 3 -> 2 and 7 -> 6


def test_order_of_an_enum_is_its_own(con):
    con.execute("CREATE TYPE size AS ENUM ('small', 'middle', 'large')")
    con.execute(
        "CREATE TABLE before AS SELECT i AS id, ['small', 'middle', 'large'][i]::size AS x FROM range(1, 4) t(i)"
    )
    con.execute(
        "CREATE TABLE after AS SELECT * REPLACE (CASE WHEN id = 1 THEN 'large' ELSE x::VARCHAR END AS x) FROM before"
    )
    assert rows(con, "sdc_direct_distance('before', 'after', ['x'], 'id', ordinal := ['x'])")[0]["distance"] == (
        pytest.approx(2 / 3 / 3)
    )


def test_contingency_distance(files):
    con, before, after = files
    found = rows(con, "sdc_contingency_distance('k', 'f', ['a', 'b', 'Select'], 2)")
    x, y = columns_of(before), columns_of(after)
    kinds = [len({*v, *w}) for v, w in zip(x, y, strict=True)]
    total = cells = 0
    for row, chosen in zip(found[1:], [c for d in (1, 2) for c in combinations(range(3), d)], strict=True):
        f = Counter(zip(*(x[j] for j in chosen), strict=True))
        g = Counter(zip(*(y[j] for j in chosen), strict=True))
        distance = sum(abs(f[c] - g[c]) for c in {*f, *g})
        size = math.prod(kinds[j] for j in chosen)
        assert row["columns"] == [COLUMNS[j] for j in chosen]
        assert (row["distance"], row["normalised"]) == (distance, pytest.approx(distance / size))
        assert row["share"] == pytest.approx(distance / 120)
        assert row["changed"] == sum(f[c] != g[c] for c in {*f, *g})
        total, cells = total + distance, cells + size
    assert found[0]["distance"] == total
    assert found[0]["normalised"] == pytest.approx(total / cells)


def test_twice_the_number_of_suppressions(con):
    """SDC handbook, section 3.5.2.2: "The distance between two contingency tables of dimension one"."""
    table(con, "k", [(i, i % 5, "x", "y") for i in range(50)])
    con.execute("CREATE TABLE f AS SELECT * REPLACE (CASE WHEN id % 7 > 0 THEN a END AS a) FROM k")
    suppressed = con.execute("SELECT count(*) - count(a) FROM f").fetchone()[0]
    assert rows(con, "sdc_contingency_distance('k', 'f', ['a'], 1)")[0]["distance"] == 2 * suppressed


def test_margins(files):
    con, before, after = files
    con.execute("CREATE OR REPLACE TABLE g AS SELECT k.* REPLACE (f.a AS a) FROM k JOIN f USING (id)")
    found = rows(con, "sdc_margins_kept('k', 'g', [['b', 'select'], ['A', 'b']])")
    assert [(r["columns"], r["changed"] > 0) for r in found] == [(["b", "select"], False), (["A", "b"], True)]
    assert [r["share"] for r in found] == [r["changed"] / r["cells"] for r in found]
    (sums,) = rows(con, "sdc_margins_kept('k', 'g', [['b']], total := 'a')")
    totals = [
        {c: sum(r[1] or 0 for r in side if r[2] == c) for c in "xyz"}
        for side in (before, [(*b[:1], a[1], *b[2:]) for b, a in zip(before, after, strict=True)])
    ]
    assert sums["greatest"] == max(abs(totals[0][c] - totals[1][c]) for c in "xyz")


def test_distribution_distance(files):
    con, before, after = files
    found = rows(con, "sdc_distribution_distance('k', 'f', ['a', 'b', 'Select'])")
    x, y = columns_of(before), columns_of(after)
    for row, chosen in zip(found, [(0, 1, 2), (0,), (1,), (2,)], strict=True):
        p = Counter(zip(*(x[j] for j in chosen), strict=True))
        q = Counter(zip(*(y[j] for j in chosen), strict=True))
        every = {*p, *q}
        assert row["hellinger"] == pytest.approx(
            math.sqrt(sum((math.sqrt(p[c] / 60) - math.sqrt(q[c] / 60)) ** 2 for c in every) / 2)
        )
        assert row["total_variation"] == pytest.approx(sum(abs(p[c] - q[c]) for c in every) / 120)
        entropies = [-sum(n / 60 * math.log(n / 60) for n in side.values()) for side in (p, q)]
        assert [row["entropy_before"], row["entropy_after"]] == pytest.approx(entropies)
        assert row["entropy_change"] == pytest.approx(entropies[1] - entropies[0])


def test_entropy_loss(files):
    con, before, after = files
    found = rows(con, "sdc_entropy_loss('k', 'f', ['a', 'b', 'Select'], 'id')")
    losses, most = [], []
    for x, y in zip(columns_of(before), columns_of(after), strict=True):
        joint, given, alone = Counter(zip(x, y, strict=True)), Counter(y), Counter(x)
        losses.append(-sum(n * math.log(n / given[w]) for (_, w), n in joint.items()))
        most.append(-sum(n * math.log(n / 60) for n in alone.values()))
    assert [r["loss"] for r in found] == pytest.approx([sum(losses), *losses])
    assert [r["share"] for r in found] == pytest.approx(
        [sum(losses) / sum(most), *(v / m for v, m in zip(losses, most, strict=True))]
    )


def test_pram_entropy_loss_by_bayes(con):
    """The handbook's gender of 110 and 90 with 0.9 on the diagonal (3.4.6), released as expected: 108 and 92."""
    con.execute("CREATE TABLE k AS SELECT i AS id, CASE WHEN i < 110 THEN 'm' ELSE 'f' END AS sex FROM range(200) t(i)")
    con.execute("CREATE TABLE f AS SELECT i AS id, CASE WHEN i < 108 THEN 'm' ELSE 'f' END AS sex FROM range(200) t(i)")
    con.execute(
        "CREATE TABLE m AS FROM (VALUES ('m', 'm', 0.9), ('m', 'f', 0.1), ('f', 'f', 0.9), ('f', 'm', 0.1)) "
        'AS t("from", "to", probability)'
    )
    (found,) = rows(con, "sdc_pram_entropy_loss('k', 'f', 'sex', 'm')")

    def uncertain(p: float) -> float:
        return -p * math.log(p) - (1 - p) * math.log(1 - p)

    expected = 108 * uncertain(99 / 108) + 92 * uncertain(11 / 92)
    assert found["loss"] == pytest.approx(expected)
    assert found["share"] == pytest.approx(expected / (200 * uncertain(0.55)))
    con.execute('UPDATE m SET probability = CASE WHEN "from" = "to" THEN 1 ELSE 0 END')
    assert rows(con, "sdc_pram_entropy_loss('k', 'f', 'sex', 'm')")[0]["loss"] == 0
    con.execute("UPDATE m SET probability = 0.6")
    with pytest.raises(duckdb.Error, match="do not sum to 1"):
        rows(con, "sdc_pram_entropy_loss('k', 'f', 'sex', 'm')")


def test_class_sizes(files):
    con, _, after = files
    (found,) = rows(con, "sdc_class_sizes('f', ['a', 'Select'])")
    classes = Counter((r[1], r[3]) for r in after)
    gone = classes.pop((None, None), 0)
    assert (found["classes"], found["suppressed"]) == (len(classes), gone)
    assert found["discernibility"] == sum(n * n for n in classes.values()) + 60 * gone
    assert found["average_class_size"] == pytest.approx((60 - gone) / len(classes))


def test_precision(con):
    con.execute("CREATE TABLE k AS FROM (VALUES (1, '30'), (2, '30-39'), (3, '*'), (4, NULL), (5, '41')) AS t(id, age)")
    con.execute("""
        CREATE TABLE levels AS
        SELECT 'AGE' AS variable, v AS value, l AS level, l AS level_name, b AS label
        FROM (VALUES ('30', 0, '30'), ('30', 1, '30-39'), ('30', 2, '*'),
                     ('41', 0, '41'), ('41', 1, '40-49'), ('41', 2, '*')) AS t(v, l, b)
    """)
    found = rows(con, "sdc_precision('k', ['age'], 'levels')")
    assert [r["loss"] for r in found] == pytest.approx([(0 + 0.5 + 1 + 1 + 0) / 5] * 2)
    con.execute("INSERT INTO k VALUES (6, '52')")
    with pytest.raises(duckdb.Error, match="a label at no level"):
        rows(con, "sdc_precision('k', ['age'], 'levels')")


CALLS = {
    "sdc_direct_distance('k', {f}, ['a', 'b'], 'id', ordinal := ['a'])": "distance",
    "sdc_contingency_distance('k', {f}, ['a', 'b'])": "distance",
    "sdc_margins_kept('k', {f}, [['a', 'b']])": "changed",
    "sdc_distribution_distance('k', {f}, ['a', 'b'])": "hellinger",
    "sdc_entropy_loss('k', {f}, ['a', 'b'], 'id')": "loss",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_lost_by_nothing(files, call):
    assert {row[CALLS[call]] for row in rows(files[0], call.format(f="'k'"))} == {0}


@pytest.mark.parametrize("call", CALLS)
def test_permuted_columns_lose_what_is_between_them(con, call):
    """a and b determine one another; after permuting, each is as it was and the two are independent."""
    table(con, "k", [(i, i % 4, "wxyz"[i % 4], "s") for i in range(64)])
    con.execute("CREATE TABLE p AS SELECT * REPLACE (id // 4 % 4 AS a) FROM k")
    found = [row[CALLS[call]] for row in rows(con, call.format(f="'p'"))]
    expected = {
        "sdc_direct": [(0.3125 + 0) / 2, 0.3125, 0],  # the mean of |i - j| / 4 over all pairs
        "sdc_contin": [96, 0, 0, 96],  # 4 cells of 16 - 4, 12 of 4
        "sdc_margin": [16],
        "sdc_distri": [math.sqrt((4 * (0.5 - 0.25) ** 2 + 12 * 0.25**2) / 2), 0, 0],
        "sdc_entrop": [64 * math.log(4), 64 * math.log(4), 0],
    }[call[:10]]
    assert found == pytest.approx(expected)


def test_pram_that_tells_nothing_loses_all(con):
    """A permuted column is PRAM by the shares of its categories: the posterior is the prior, all is lost."""
    table(con, "k", [(i, i % 4 // 2 + i % 2, "wxyz"[i % 4], "s") for i in range(64)])  # shares 1/4, 1/2, 1/4
    con.execute("CREATE TABLE f AS SELECT k.* REPLACE (o.a AS a) FROM k JOIN k AS o ON o.id = (k.id * 5 + 3) % 64")
    con.execute("""
        CREATE TABLE m AS SELECT x.a AS "from", y.a AS "to", y.n / 64 AS probability
        FROM (SELECT DISTINCT a FROM k) x, (SELECT a, count(*) AS n FROM k GROUP BY a) y
    """)
    (found,) = rows(con, "sdc_pram_entropy_loss('k', 'f', 'a', 'm')")
    assert found["loss"] == pytest.approx(64 * (0.5 * math.log(2) + 0.5 * math.log(4)))
    assert found["share"] == pytest.approx(1)
    con.execute("""UPDATE m SET probability = CASE WHEN "from" = "to" THEN 1 ELSE 0 END""")
    assert rows(con, "sdc_pram_entropy_loss('k', 'k', 'a', 'm')")[0]["share"] == 0


@pytest.mark.slow
def test_records_are_compared_by_their_ids(con):
    table(con, "k", [(i, i % 3, "x", "s") for i in range(9)])
    con.execute("CREATE TABLE few AS FROM k WHERE id < 5")
    found = rows(con, "sdc_direct_distance('k', 'few', ['a'], 'id')")[0]  # who is not released has lost all
    assert (found["records"], found["changed"], found["distance"]) == (9, 4, 4 / 9)
    for wrong, words in {
        "SELECT * FROM k UNION ALL FROM k LIMIT 10": "it must be unique",
        "SELECT * REPLACE (id + 5 AS id) FROM k": "5 records of the released table have an id",
        "SELECT * REPLACE (id + 50 AS id) FROM k": "9 records of the released table have an id",
        "SELECT * REPLACE (nullif(id, 3) AS id) FROM k": "is NULL on records",
        "SELECT * FROM k WHERE id > 99": "has no rows",
    }.items():
        con.execute(f"CREATE OR REPLACE TABLE wrong AS {wrong}")
        for call in ("sdc_direct_distance", "sdc_entropy_loss"):
            with pytest.raises(duckdb.Error, match=words):
                rows(con, f"{call}('k', 'wrong', ['a'], 'id')")


def test_odd_names_and_one_record(con):
    con.execute('CREATE TABLE "it\'s" AS SELECT 1 AS "i""d", NULL AS "a\'b", 2 AS f')
    found = rows(con, """sdc_direct_distance('"it''s"', '"it''s"', ['f', 'a''b'], 'i"d', ordinal := ['f'])""")
    assert [(r["variable"], r["distance"]) for r in found] == [(None, 0), ("a'b", 0), ("f", 0)]
    assert rows(con, """sdc_distribution_distance('"it''s"', '"it''s"', ['a''b'])""")[0]["hellinger"] == 0


def test_in_python(con):
    table(con, "k", [(i, i % 3, "xy"[i % 2], "s") for i in range(12)])
    con.execute("CREATE TABLE f AS SELECT * REPLACE (0 AS a) FROM k")
    before, after = Microdata(con, "k", id="id"), Microdata(con, "f", keys=["a", "b"], id="id")
    assert after.loss.direct_distance(before, ["A"])[0] == after.loss.direct_distance("k", ["a"])[0]
    assert after.loss.direct_distance(before, ["a"])[0].changed == 8
    assert after.loss.contingency_distance(before, ["a", "b"], dimension=1)[1].distance == 16
    assert after.loss.class_sizes().discernibility == 72
    with pytest.raises(ColumnError, match="not a column of f"):
        after.loss.direct_distance(before, ["c"])
    assert after.loss.direct_distance(before, "a") == after.loss.direct_distance(before, ["a"])
    with pytest.raises(ColumnError, match="must be a list"):
        after.loss.direct_distance(before, [])
    with pytest.raises(ColumnError, match="among the columns measured"):
        after.loss.direct_distance(before, ["a"], ordinal=["b"])
    with duckdb.connect() as other:
        other.execute("CREATE TABLE k AS SELECT 1 AS id, 1 AS a")
        with pytest.raises(TableError, match="another connection"):
            after.loss.direct_distance(Microdata(other, "k", id="id"), ["a"])


def test_figures_of_arx(shared: Path, con):
    """ARX 3.9.2 on adult at levels {1,0,1,1,3,2,2,0,1}: non-uniform entropy 255559.8546 bits, without suppression."""
    keys = [
        "sex",
        "age",
        "race",
        "marital-status",
        "education",
        "native-country",
        "workclass",
        "occupation",
        "salary-class",
    ]
    levels = dict(zip(keys, [1, 0, 1, 1, 3, 2, 2, 0, 1], strict=True))
    con.execute(f"CREATE TABLE k AS SELECT row_number() OVER () AS id, * FROM '{shared}/data/adult.parquet'")
    released = "FROM k"
    for place, (key, level) in enumerate(levels.items()):
        (path,) = (shared / "data" / "adult_hierarchies").glob(f"*{key}*.csv")
        con.execute(
            f"CREATE TABLE h{place} AS FROM read_csv('{path}', header = false, all_varchar = true, delim = ';')"
        )
        label = con.execute(f"SELECT column_name FROM (DESCRIBE h{place})").fetchall()[level][0]
        first = con.execute(f"SELECT column_name FROM (DESCRIBE h{place})").fetchall()[0][0]
        joined = f'({released}) r JOIN h{place} h ON h.{first} = r."{key}"::VARCHAR'
        released = f'SELECT r.* REPLACE (h.{label} AS "{key}") FROM {joined}'
    con.execute(f"CREATE TABLE f AS {released}")
    loss = con.execute(
        "SELECT loss / ln(2) FROM sdc_entropy_loss('k', 'f', ?, 'id') WHERE variable IS NULL", [keys]
    ).fetchone()[0]
    assert loss == pytest.approx(255559.8546, abs=1e-3)


def spread(before, after, ids, columns, recoded):
    """Hellinger, total variation and entropy, each released label spread over its values, by dictionaries."""
    label = {c: {before[i][c]: after[i][c] for i in ids if after[i][c] is not None} for c in recoded}
    values = {c: {y: [x for x in label[c] if label[c][x] == y] for y in label[c].values()} for c in recoded}
    p = Counter(tuple(before[i][c] for c in columns) for i in ids)
    q = Counter()
    for i in ids:
        options = [values[c].get(after[i][c], [after[i][c]]) if c in recoded else [after[i][c]] for c in columns]
        for cell in product(*options):
            q[cell] += 1 / math.prod(map(len, options))
    n = len(ids)
    cells = {*p, *q}
    return (
        math.sqrt(sum((math.sqrt(p[c] / n) - math.sqrt(q[c] / n)) ** 2 for c in cells) / 2),
        sum(abs(p[c] - q[c]) / n for c in cells) / 2,
        -sum(v / n * math.log(v / n) for v in q.values()),
    )


@pytest.mark.slow
def test_a_recoding_is_judged_by_the_spread(con):
    """By its labels it would lose everything (0.74), by the even spread hardly anything: at every door."""
    con.execute(
        'CREATE TABLE k AS SELECT range AS id, 15 + (range * 7919) % 70 AS f, range % 3 AS "Se\'x", '
        "(range * 31) % 7 AS j FROM range(900)"
    )
    con.execute("CREATE TABLE r AS SELECT * REPLACE (f // 5 * 5 AS f, if(id % 50 = 0, NULL, j // 2 * 2) AS j) FROM k")
    before, after = (
        {row[0]: dict(zip(("f", "s", "j"), row[1:], strict=True)) for row in con.execute(f"FROM {name}").fetchall()}
        for name in "kr"
    )
    call = "sdc_distribution_distance('k', 'r', ['f', 'Se''x', 'J'], recoded := ['F', 'j'], id := 'ID')"
    found = {tuple(row["columns"]): row for row in rows(con, call)}
    for columns, own in ((("f", "Se'x", "J"), "fsj"), (("f",), "f"), (("J",), "j"), (("Se'x",), "s")):
        row = found[columns]
        expected = spread(before, after, range(900), own, [c for c in own if c != "s"])
        assert (row["hellinger"], row["total_variation"], row["entropy_after"]) == pytest.approx(expected, abs=1e-9), (
            own
        )
    assert rows(con, "sdc_distribution_distance('k', 'r', ['f'])")[0]["hellinger"] > 0.7
    with pytest.raises(duckdb.Error, match="recoded needs an id"):
        rows(con, "sdc_distribution_distance('k', 'r', ['f'], recoded := ['f'])")
    # random rounding: one value became several, so that the variable is compared as it stands
    con.execute("CREATE TABLE v AS SELECT * REPLACE (f // 5 * 5 + 5 * (id // 70 % 2) AS f) FROM k")
    assert rows(con, "sdc_distribution_distance('k', 'v', ['f'], recoded := ['f'], id := 'id')")[0]["hellinger"] > 0.7
    data, released = (Microdata(con, name, keys=["f", "j"], id="id") for name in "kr")
    by_hand = released.loss.distribution_distance(data, ["f"], recoded=["f"])[0].hellinger
    assert by_hand == found[("f",)]["hellinger"] < 0.1
    losses = released.compare(data).to_dict()["distribution_distance"]
    assert {tuple(row["columns"]): row["hellinger"] for row in losses}[("f",)] == by_hand
    steps = [("round", {"columns": "f", "base": 5}), ("local_suppression", {"k": 3, "guarantee": "strong"})]
    swept = data.frontier(steps, "k_anonymity.2.records", ("distribution_distance.hellinger", {"columns": ["f"]}))
    assert swept[0].loss < 0.1


HALF = (
    "CREATE TABLE k AS SELECT range AS id, range % 5 AS a, range % 7 * 1.0 AS x, 10.0 + range % 2 AS w FROM range(60)",
    "CREATE TABLE r AS SELECT * REPLACE (3 * w AS w) FROM k WHERE id % 2 = 0",
)


def test_how_far_weights_are_from_those_before(con):
    """By hand: half of the records, of three times their weight; 30 of 10 and 30 of 11 before."""
    for statement in HALF:
        con.execute(statement)
    assert rows(con, "sdc_weight_distance('k', 'r', 'w', 'id')") == [
        {
            "records": 60, "released": 30, "unreleased_share": 0.5, "unreleased_weight": pytest.approx(330 / 630),
            "changed": 30, "total_before": 630, "total_after": 900, "total_change": pytest.approx(3 / 7),
            "mean_change": 2,
        }
    ]  # fmt: skip
    everybody = rows(con, "sdc_weight_distance('k', 'k', 'w', 'id')")[0]
    assert [everybody[f"unreleased_{of}"] for of in ("share", "weight")] == [0, 0]


@pytest.mark.slow
def test_deleted_records_and_other_weights_are_a_loss(con):
    """Half the records deleted, all weights tripled: risk falls to a third, and no distance saw it."""
    for statement in HALF:
        con.execute(statement)
    for call, figure, least in (
        ("sdc_direct_distance('k', 'r', ['a'], 'id')", "distance", 0.5),
        ("sdc_direct_distance('k', 'r', ['a'], 'id', ordinal := ['a'])", "distance", 0.25),
        ("sdc_entropy_loss('k', 'r', ['a'], 'id')", "share", 0.49),
        ("sdc_il1('k', 'r', ['x'], 'id')", "bounded", 0.5),
        ("sdc_lambda_loss('k', 'r', ['a'], 'id')", "loss", 0.5),
    ):
        assert rows(con, call)[0][figure] >= least, call
    assert rows(con, "sdc_il1('k', 'r', ['x'], 'id')")[0]["suppressed"] == 30
    data, released = (Microdata(con, name, keys=["a"], id="id", weight="w") for name in "kr")
    limits = released.check_limits(
        ["weight_distance.total_change <= 0.1", "direct_distance.distance <= 0.1"], original=data
    )
    assert [found.holds for found in limits] == [False, False]
    assert released.compare(data).to_dict()["direct_distance"][0]["changed"] == 30
    con.execute("CREATE TABLE heavy AS SELECT * REPLACE (if(a = 0, 9, 1) * w AS w) FROM k")
    assert rows(con, "sdc_distribution_distance('k', 'heavy', ['a'])")[0]["total_variation"] == 0
    assert rows(con, "sdc_distribution_distance('k', 'heavy', ['a'], weight := 'w')")[0]["total_variation"] > 0.4
    with pytest.raises(ParameterError, match="a column of weights"):
        Microdata(con, "r", id="id", weight=2).loss.weight_distance("k")
    con.execute("UPDATE r SET w = NULL WHERE id = 0")
    with pytest.raises(duckdb.Error, match="weight"):
        rows(con, "sdc_weight_distance('k', 'r', 'w', 'id')")


def test_every_figure_of_class_sizes_by_hand(con):
    """Two, one and one alike, three suppressed: 4 + 1 + 1 + 3 * 7 of 7^2; all suppressed; none."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES (1, 'x'), (1, 'x'), (1, NULL), (NULL, 'x'), (NULL, NULL), (NULL, NULL),
                                       (NULL, NULL)) AS t(a, "Select");
        CREATE TABLE gone AS FROM k WHERE a IS NULL AND "Select" IS NULL LIMIT 2;
        CREATE TABLE kept AS FROM k WHERE a IS NOT NULL""")
    names = ["records", "classes", "suppressed", "discernibility", "average_class_size", "share"]
    for table_name, expected in {
        "k": (7, 3, 3, 27, 4 / 3, 27 / 49),
        "gone": (2, 0, 2, 4, None, 1),
        "kept": (3, 2, 0, 5, 1.5, 5 / 9),
    }.items():
        (found,) = rows(con, f"sdc_class_sizes('{table_name}', ['select', 'a'])")
        assert [*found] == names
        assert [*found.values()] == pytest.approx([*expected]), table_name


CROSSED = """
    CREATE TABLE k AS FROM (VALUES (1, 'x', 'p', 10.0), (1, 'x', 'p', NULL), (1, 'y', 'p', 4.0), (2, 'x', 'p', 7.0),
                                   (NULL, 'y', 'p', 3.0)) AS t(a, b, c, v);
    CREATE TABLE f AS FROM (VALUES (10.5, 'p', 'x', 1), (4.0, 'p', 'y', 1), (NULL, 'p', 'y', 1), (7.0, 'p', NULL, 2),
                                   (3.0, 'p', 'y', 2)) AS t(v, c, b, a)"""


def test_every_figure_of_contingency_tables_by_hand(con):
    """Of a 3, 1, 1 become 3, 2, 0; of b 3, 2, 0 become 1, 3, 1; six cells of both differ by 1; c stays; no triples."""
    con.execute(CROSSED)
    expected = {
        ("a",): (3, 2, 2), ("b",): (3, 3, 4), ("c",): (1, 0, 0), ("a", "b"): (9, 6, 6), ("a", "c"): (3, 2, 2),
        ("b", "c"): (3, 3, 4),
    }  # fmt: skip
    every, *tables = rows(con, "sdc_contingency_distance('k', 'f', ['a', 'b', 'c'])")
    for found, (columns, (cells, changed, distance)) in zip(tables, expected.items(), strict=True):
        assert [*found.values()] == [[*columns], cells, changed, distance, *map(pytest.approx, (distance / cells,
                                     distance / 10))]  # fmt: skip
    assert [*every.values()] == [None, 22, 16, 18, pytest.approx(18 / 22), pytest.approx(18 / 60)]


def test_every_figure_of_margins_by_hand(con):
    """Sums of v by a are 14, 7, 3 and then 14.5, 10, 0; of nine digits and more, what differs by less is the same."""
    con.execute(CROSSED)
    found = rows(con, "sdc_margins_kept('k', 'f', [['a'], ['C'], ['b', 'a']])")
    expected = [(["a"], 3, 2, 1, 2 / 3), (["C"], 1, 0, 0, 0), (["b", "a"], 6, 6, 1, 1)]
    assert [tuple(row.values()) for row in found] == [(*row[:4], pytest.approx(row[4])) for row in expected]
    found = rows(con, "sdc_margins_kept('k', 'f', [['a'], ['c']], total := 'V')")
    assert [tuple(row.values()) for row in found] == [(["a"], 3, 3, 3, 1), (["c"], 1, 1, 0.5, 1)]
    con.execute("""
        CREATE TABLE large AS FROM (VALUES ('a', 1e9), ('b', -1e9), ('c', 1e9), ('d', 0), ('e', 5)) AS t(g, v);
        CREATE TABLE off AS FROM (VALUES ('a', 1e9 + 0.5), ('b', 0.5 - 1e9), ('c', 1e9 + 3), ('d', 0), ('e', 5))
                                 AS t(g, v)""")
    (row,) = rows(con, "sdc_margins_kept('large', 'off', [['g']], total := 'v')")
    assert [*row.values()] == [["g"], 5, 1, 3, 0.2]
    for wrong in ("['a']", "[]::VARCHAR[][]", "NULL", "[[1]]"):
        with pytest.raises(duckdb.Error, match=r"margins|column"):
            rows(con, f"sdc_margins_kept('k', 'f', {wrong})")


def test_distributions_of_weights_by_hand(con):
    """Weights of x, y and NULL are 3, 3 and 4 of ten; then x and y have 5 of ten each."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES ('x', 1), ('x', 2), ('y', 3), (NULL, 4)) AS t(a, w);
        CREATE TABLE f AS FROM (VALUES (5, 'x'), (3, 'y'), (2, 'y')) AS t(w, a)""")
    (found,) = rows(con, "sdc_distribution_distance('k', 'f', ['A'], weight := 'W')")
    before, after = -0.6 * math.log(0.3) - 0.4 * math.log(0.4), math.log(2)
    assert found.pop("columns") == ["A"]
    assert [*found.values()] == pytest.approx(
        [math.sqrt((2 * (math.sqrt(0.3) - math.sqrt(0.5)) ** 2 + 0.4) / 2), 0.4, before, after, after - before]
    )


def test_a_recoding_of_few_records_is_judged_by_the_spread(con):
    """Two recoded variables and one that is not, a value suppressed, by dictionaries; weights are repeated records."""
    before = {i: {"f": i * 7 % 6, "s": "uvw"[i % 3], "j": i * 5 % 4} for i in range(17)}
    after = {i: {"f": f"from {r['f'] // 3 * 3}", "s": r["s"], "j": None if i == 3 else r["j"] // 2 * 2}
             for i, r in before.items()}  # fmt: skip
    for name, side, kind in (("k", before, "INTEGER"), ("r", after, "VARCHAR")):
        con.execute(f"CREATE TABLE {name} (id INTEGER, f {kind}, s VARCHAR, j INTEGER, w INTEGER)")
        con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?, ?)",
                        [(i, *row.values(), 1 + i % 3) for i, row in side.items()])  # fmt: skip
    options = "['f', 's', 'j'], recoded := ['F', 'j'], id := 'ID'"
    found = rows(con, f"sdc_distribution_distance('k', 'r', {options})")
    for row, own in zip(found, ("fsj", "f", "s", "j"), strict=True):
        expected = spread(
            {i: {k: str(v) for k, v in r.items()} for i, r in before.items()},
            {i: {k: None if v is None else str(v) for k, v in r.items()} for i, r in after.items()},
            range(17), own, [c for c in own if c != "s"],
        )  # fmt: skip
        assert row["columns"] == [*own]
        assert (row["hellinger"], row["total_variation"], row["entropy_after"]) == pytest.approx(expected, abs=1e-9)
        cells = Counter(tuple(r[c] for c in own) for r in before.values())
        assert row["entropy_before"] == pytest.approx(-sum(n / 17 * math.log(n / 17) for n in cells.values()))
        assert row["entropy_change"] == pytest.approx(row["entropy_after"] - row["entropy_before"])
    for name in "kr":
        con.execute(f"CREATE TABLE {name}_many AS SELECT id * 10 + n AS id, * EXCLUDE (id, n) "
                    f"FROM (SELECT *, unnest(range(w)) AS n FROM {name})")  # fmt: skip
    weighed = rows(con, f"sdc_distribution_distance('k', 'r', {options}, weight := 'w')")
    many = rows(con, f"sdc_distribution_distance('k_many', 'r_many', {options})")
    for one, other in zip(weighed, many, strict=True):
        assert [*one.values()][1:] == pytest.approx([*other.values()][1:])
    assert weighed != found
    with pytest.raises(duckdb.Error, match="recoded needs an id"):
        rows(con, "sdc_distribution_distance('k', 'r', ['f'], recoded := ['f'])")


def test_pram_entropy_loss_of_a_matrix_with_missing_values_by_hand(con):
    """Of 5 a, 3 b and 2 missing: a shows 4 and 1, b 1 and 3, a missing value its own; nine are released."""
    con.execute("""
        CREATE TABLE k AS SELECT unnest(['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', NULL, NULL]) AS "it's";
        CREATE TABLE f AS SELECT unnest(['a', 'a', 'a', 'b', 'b', 'b', 'b', NULL, NULL]) AS "it's";
        CREATE TABLE m AS FROM (VALUES (0.8, 'a', 'a'), (0.2, 'b', 'a'), (1.0, 'b', 'b'), (0.0, 'a', 'b'),
                                       (0.5, NULL, NULL), (0.5, 'a', NULL), (0.3, 'c', 'c'))
                               AS t(probability, "to", "from")""")
    call = "sdc_pram_entropy_loss('k', 'f', 'it''s', 'm')"

    def uncertain(*shares: float) -> float:
        return -sum(p * math.log(p) for p in shares)

    lost = 3 * uncertain(0.8, 0.2) + 4 * uncertain(0.25, 0.75)
    (found,) = rows(con, call)
    assert [*found.values()] == [9, *map(pytest.approx, (lost, lost / 9, lost / 9 / uncertain(0.5, 0.3, 0.2)))]
    con.execute("UPDATE f SET \"it's\" = 'z' WHERE \"it's\" IS NULL")
    with pytest.raises(duckdb.Error, match="categories that the PRAM matrix does not lead to"):
        rows(con, call)
    con.execute("UPDATE m SET probability = 0.9 WHERE \"from\" = 'b' AND \"to\" = 'b'; UPDATE f SET \"it's\" = 'a'")
    with pytest.raises(duckdb.Error, match="do not sum to 1"):
        rows(con, call)


def test_precision_of_two_keys_by_hand(con):
    """Age at levels 0, 1 and 2 of 2, the last suppressed; sex at 0, 1 and 0 of 3, where a missing label stands."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES ('30', 'f'), ('30-39', NULL), (NULL, 'f')) AS t(age, "Select");
        CREATE TABLE levels AS SELECT variable, label AS value, level, label
        FROM (VALUES ('AGE', 0, '30'), ('AGE', 1, '30-39'), ('age', 2, '*'), ('age', 2, '30-39'), ('select', 0, 'f'),
                     ('select', 1, NULL), ('select', 2, '*'), ('select', 3, '**')) AS t(variable, level, label)""")
    every, *each = rows(con, "sdc_precision('k', ['select', 'Age'], 'levels')")
    assert [*every.values()] == [None, 3, *map(pytest.approx, (25 / 36, 11 / 36))]
    assert {row["variable"]: [*row.values()][1:] for row in each} == {
        "age": [3, pytest.approx(0.5), pytest.approx(0.5)],
        "Select": [3, pytest.approx(8 / 9), pytest.approx(1 / 9)],
    }
    for wrong in ("variable <> 'select'", "level = 0"):
        con.execute(f"CREATE OR REPLACE TABLE less AS FROM levels WHERE {wrong}")
        with pytest.raises(duckdb.Error, match="There is no hierarchy of"):
            rows(con, "sdc_precision('k', ['select'], 'less')")


def test_weights_that_fell_and_stayed_by_hand(con):
    """10 stays, 20 is halved, 30 is half as much again, 40 is gone: 65 of 100 are left."""
    con.execute("""
        CREATE TABLE k AS FROM (VALUES (1, 10), (2, 20), (3, 30), (4, 40)) AS t(id, w);
        CREATE TABLE r AS FROM (VALUES (45, 3), (10, 1), (10, 2)) AS t(w, id)""")
    (found,) = rows(con, "sdc_weight_distance('k', 'r', 'W', 'Id')")
    assert [*found.values()] == pytest.approx([4, 3, 0.25, 0.4, 2, 100, 65, 0.35, 1 / 3])
