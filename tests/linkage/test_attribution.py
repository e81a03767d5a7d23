"""What the released file tells of the original by cells alone: by hand, brute force, identity, and columns permuted."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Row = tuple[Any, ...]

# the example of the headers
ORIGINAL = [(30, "f", "low"), (30, "f", "low"), (41, "m", "low"), (41, "m", "high"), (52, "f", "high")]
RELEASED = [(30, "f", "low"), (30, "f", "high"), (41, "m", "low"), (41, "m", "low"), (67, "f", "high")]


def table(con: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Row], columns: str = "age, sex, income") -> None:
    # in another order in each table: columns are found by their names
    marks = ", ".join([f"({', '.join(['?'] * len(rows[0]))})"] * len(rows))
    con.execute(
        f"CREATE OR REPLACE TABLE {name} AS FROM (VALUES {marks}) AS t({columns})", [v for row in rows for v in row]
    )


def found(con: duckdb.DuckDBPyConnection, call: str) -> list[dict[str, Any]]:
    relation = con.execute(f"SELECT * FROM {call}")
    names = [d[0] for d in relation.description]
    return [dict(zip(names, row, strict=True)) for row in relation.fetchall()]


@pytest.fixture
def example(con):
    table(con, "k", ORIGINAL)
    table(con, "f", [(i, a, s) for a, s, i in RELEASED], "income, age, sex")
    return con


def test_correct_attribution_by_hand(example):
    (row,) = found(example, "sdc_correct_attribution('k', 'f', ['age', 'sex'], ['income'])")
    assert row == {
        "target": "income",
        "records": 5,
        "in_released": 0.8,
        "target_in_released": 1,
        "baseline": pytest.approx((3 / 5) ** 2 + (2 / 5) ** 2),
        "cap_original": pytest.approx((1 + 1 + 1 / 2 + 1 / 2 + 1) / 5),
        "cap": pytest.approx((1 / 2 + 1 / 2 + 1 + 0 + 0) / 5),
        "cap_matched": pytest.approx((1 / 2 + 1 / 2 + 1 + 0) / 4),
        "weap": pytest.approx((1 / 2 + 1 / 2 + 1 + 1 + 1) / 5),
        "targeted": 3,
        "targeted_matched": 2,
        "tcap": 0.5,
        "tcap_original": 0.5,
    }
    # the released with WEAP of a half are the two of 30: both originals have a low income
    (row,) = found(example, "sdc_correct_attribution('k', 'f', ['age', 'sex'], ['income'], tau := 0.5)")
    assert (row["targeted"], row["targeted_matched"]) == (5, 4)
    assert (row["tcap"], row["tcap_original"]) == ((1 + 0 + 1 / 2 + 1 / 2) / 4, (2 + 0 + 1) / (2 + 2 + 2))


def test_disclosive_attributes_by_hand(example):
    (row,) = found(example, "sdc_disclosive_attributes('k', 'f', ['age', 'sex'], ['income'])")
    assert list(row.values()) == ["income", 5, 0.8, 0.6, 0.6, 0.4, 0.2, 0, 1]


def test_replicated_uniques_by_hand(con):
    table(con, "k", [(30, "f"), (30, "f"), (41, "m"), (52, "f")], "age, sex")
    table(con, "f", [("f", 30), ("m", 41), ("f", 52), ("f", 52)], "sex, age")
    (row,) = found(con, "sdc_replicated_uniques('k', 'f', ['age', 'sex'])")
    assert list(row.values()) == [4, 1, 0.5, 0.5, 0.5, 0.25]


def test_records_by_hand(example):
    caps = example.execute(
        "SELECT age, sex, income, matches, cap FROM sdc_correct_attribution_records('k', 'f', ['sex', 'age'], 'income')"
    ).fetchall()
    expected = [(*o, m, c) for o, m, c in zip(ORIGINAL, [2, 2, 2, 2, 0], [0.5, 0.5, 1, 0, None], strict=True)]
    assert sorted(caps) == sorted(expected)
    targeted = example.execute(
        "SELECT age, sex, income, weap, matches, tcap "
        "FROM sdc_targeted_attribution_records('k', 'f', ['age', 'sex'], 'income')"
    ).fetchall()
    rest = [(0.5, 2, 1), (0.5, 2, 0), (1, 2, 0.5), (1, 2, 0.5), (1, 0, None)]
    assert sorted(targeted) == sorted((*s, *more) for s, more in zip(RELEASED, rest, strict=True))


def mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def share(rows: list[Row], keep: Callable[[Row], bool]) -> float:
    return sum(map(keep, rows)) / len(rows)


def brute(before: list[Row], after: list[Row], tau: float) -> dict[str, Any]:
    """Return every figure from its definition, record against record; a row is (key, value)."""

    def same(rows: list[Row], key: Row) -> list[Any]:
        return [v for q, v in rows if q == key]

    def probability(rows: list[Row], record: Row) -> float | None:
        values = same(rows, record[0])
        return values.count(record[1]) / len(values) if values else None

    caps = [probability(after, r) for r in before]
    sure = [r for r in after if probability(after, r) >= tau - 1e-9]
    hits = [(q, v) for q, v in dict.fromkeys(sure) for _ in same(before, q)]
    right = [1 for q, v in dict.fromkeys(sure) for w in same(before, q) if v == w]
    told = {q: v for q, v in after if set(same(after, q)) == {v}}
    known = {q: v for q, v in before if set(same(before, q)) == {v}}
    return {
        "records": len(before),
        "in_released": share(before, lambda r: bool(same(after, r[0]))),
        "target_in_released": share(before, lambda r: r[1] in [v for _, v in after]),
        "baseline": mean([[v for _, v in before].count(r[1]) / len(before) for r in before]),
        "cap_original": mean([probability(before, r) for r in before]),
        "cap": mean([c or 0 for c in caps]),
        "cap_matched": mean([c for c in caps if c is not None]),
        "weap": mean([probability(after, r) for r in after]),
        "targeted": len(sure),
        "targeted_matched": sum(bool(same(before, q)) for q, _ in sure),
        "tcap": mean([p for p in (probability(before, r) for r in sure) if p is not None]),
        "tcap_original": len(right) / len(hits) if hits else None,
        "disclosive_original": share(before, lambda r: r[0] in known),
        "disclosive_released": share(after, lambda r: r[0] in told),
        "disclosive": share(before, lambda r: r[0] in told),
        "disco": share(before, lambda r: r[0] in told and told[r[0]] == r[1]),
        "disdio": share(before, lambda r: r[0] in told and r[0] in known and told[r[0]] == r[1]),
        "largest": max([0, *Counter(r for r in before if r[0] in told and told[r[0]] == r[1]).values()]),
    }


READINGS = {"category": slice(0, 1), "wildcard": slice(1, 2), "higher": slice(0, 2)}


def agrees(original: Row, released: Row) -> bool:
    return all(y is None or x == y for x, y in zip(original, released, strict=True))


def either(one: Row, other: Row) -> bool:
    return all(x is None or y is None or x == y for x, y in zip(one, other, strict=True))


def brute_wildcard(before: list[Row], after: list[Row], tau: float) -> dict[str, Any]:
    """Return the same where a released NULL agrees with every value."""
    seen = [[v for r, v in after if agrees(q, r)] for q, _ in before]
    own = [[v for r, v in before if r == q] for q, _ in before]
    beside = [[v for r, v in after if either(q, r)] for q, _ in after]
    true = [[v for q, v in before if agrees(q, r)] for r, _ in after]
    caps = [vs.count(t) / len(vs) if vs else None for (_, t), vs in zip(before, seen, strict=True)]
    weap = [vs.count(t) / len(vs) for (_, t), vs in zip(after, beside, strict=True)]
    sure = [(t, vs) for (_, t), vs, w in zip(after, true, weap, strict=True) if w >= tau - 1e-9]
    cells = {q: (d, s) for (q, _), d, s in zip(before, own, seen, strict=True)}
    tried = [(t, d) for d, s in cells.values() for t in set(s) if s.count(t) / len(s) >= tau - 1e-9]
    told = [len(set(s)) == 1 for s in seen]
    right = [len(set(s)) == 1 and t in s for (_, t), s in zip(before, seen, strict=True)]
    n = len(before)
    return {
        **brute(before, after, tau),
        "in_released": sum(map(bool, seen)) / n,
        "cap": mean([c or 0 for c in caps]),
        "cap_matched": mean([c for c in caps if c is not None]),
        "weap": mean(weap),
        "targeted": len(sure),
        "targeted_matched": sum(bool(vs) for _, vs in sure),
        "tcap": mean([vs.count(t) / len(vs) for t, vs in sure if vs]),
        "tcap_original": sum(d.count(t) for t, d in tried) / sum(len(d) for _, d in tried) if tried else None,
        "disclosive_released": mean([len(set(vs)) == 1 for vs in beside]),
        "disclosive": sum(told) / n,
        "disco": sum(right) / n,
        "disdio": sum(r and len(set(d)) == 1 for r, d in zip(right, own, strict=True)) / n,
        "largest": max([0, *Counter(r for r, yes in zip(before, right, strict=True) if yes).values()]),
    }


def unique(before: list[Row], after: list[Row]) -> list[float]:
    n, m = Counter(before), Counter(after)
    return [
        len(before),
        *(share(before, rule) for rule in (lambda q: m[q] > 0, lambda q: n[q] == 1)),
        share(after, lambda q: m[q] == 1),
        *(share(before, rule) for rule in (lambda q: n[q] == 1 and m[q] > 0, lambda q: n[q] == m[q] == 1)),
    ]


@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(8))
def test_brute_force(con, seed):
    """Two random tables with NULLs, of other sizes; two targets and a key with odd names."""
    draw = random.Random(seed)  # noqa: S311 - tables for a test

    def rows(n: int) -> list[Row]:
        def record() -> Row:
            a, b = draw.choice([1, 2, 3, 9, None]), draw.choice(["x", "X", "y'", None])
            return a, b, draw.choice([a, a, a, 1, None]), draw.choice(["p", "q", "q", None])

        # each value there is stands in both, so that no column is refused
        return [(1, "x", 1, "p"), *(record() for _ in range(n))]

    before, after = rows(draw.randint(5, 40)), rows(draw.randint(5, 40))
    table(con, "k", before, '"Select", f, a, "b\'"')
    table(con, "f", [(d, c, b, a) for a, b, c, d in after], '"b\'", a, f, "Select"')
    for tau in (1, 0.6, 0.3):
        for nulls in READINGS:
            common = f"'k', 'f', ['f', 'select'], ['a', 'b'''], nulls := '{nulls}'"
            call = f"sdc_correct_attribution({common}, tau := {tau})"
            both = found(con, call), found(con, f"sdc_disclosive_attributes({common})")
            for place, (cap, disclosive) in enumerate(zip(*both, strict=True)):
                sides = [[((a, b), (c, d)[place]) for a, b, c, d in side] for side in (before, after)]
                readings = [brute(*sides, tau), brute_wildcard(*sides, tau)]
                assert cap.pop("target") == disclosive.pop("target") == ["a", "b'"][place]
                for name, value in {**cap, **disclosive}.items():
                    known = [r[name] for r in readings[READINGS[nulls]] if r[name] is not None]
                    assert value == (pytest.approx(max(known)) if known else None), (nulls, name)
    (row,) = found(con, "sdc_replicated_uniques('k', 'f', ['f', 'SELECT'])")
    assert list(row.values()) == pytest.approx(unique([r[:2] for r in before], [r[:2] for r in after]))


def test_the_original_released_as_it_is(con):
    draw = random.Random(5)  # noqa: S311 - a table for a test
    table(con, "k", [(draw.randrange(9), draw.choice("fm"), draw.choice("abc")) for _ in range(60)])
    (cap,) = found(con, "sdc_correct_attribution('k', 'k', ['age', 'sex'], ['income'])")
    assert cap["in_released"] == cap["target_in_released"] == 1
    assert cap["cap"] == cap["cap_matched"] == cap["cap_original"] == cap["weap"] > cap["baseline"]
    assert cap["tcap"] == cap["tcap_original"] == 1
    (row,) = found(con, "sdc_disclosive_attributes('k', 'k', ['age', 'sex'], ['income'])")
    assert row["disclosive_original"] > 0
    assert {row[n] for n in ("disclosive_released", "disclosive", "disco", "disdio")} == {row["disclosive_original"]}
    (row,) = found(con, "sdc_replicated_uniques('k', 'k', ['age', 'sex', 'income'])")
    assert row["replicated"] == row["found"] == row["unique_released"] == row["unique_original"] > 0


def test_a_permuted_target_is_attributed_at_random(con):
    """The released target is a random permutation of the original's: its distribution tells as much.

    In cells that have one value each, CAP is the share of records whose value stays. Of n_a and n_b records with two
    values, those of a that stay are hypergeometric: their share has the mean sum p_t^2, the baseline, and the standard
    deviation 2 p_a p_b / sqrt(n - 1). Five of them are allowed.
    """
    values = ["a"] * 3000 + ["b"] * 1000
    random.Random(7).shuffle(values)  # noqa: S311 - a table for a test
    con.execute(
        "CREATE TABLE k AS SELECT i AS id, i // 4 AS age, if(i < 3000, 'a', 'b') AS income FROM range(4000) t(i)"
    )
    con.execute(
        "CREATE TABLE f AS SELECT k.* REPLACE (v AS income) FROM k "
        "JOIN (SELECT unnest(range(4000)) AS i, unnest($1) AS v) ON i = id",
        [values],
    )
    (row,) = found(con, "sdc_correct_attribution('k', 'f', ['age'], ['income'])")
    assert (row["in_released"], row["cap_original"], row["baseline"]) == (1, 1, 0.75**2 + 0.25**2)
    assert abs(row["cap"] - row["baseline"]) < 5 * 2 * 0.75 * 0.25 / math.sqrt(3999)
    (row,) = found(con, "sdc_disclosive_attributes('k', 'f', ['age'], ['income'])")
    # a cell of four tells with certainty a value v with the chance p_v^4, and rightly where its records are of v: p_v
    assert row["disco"] == pytest.approx(0.75**5 + 0.25**5, abs=5 * math.sqrt(0.25 / 1000))
    assert (row["disclosive_original"], row["in_released"]) == (1, 1)


CALLS = {
    "sdc_correct_attribution({o}, {r}, {k}, ['income'])": "correct_attribution",
    "sdc_disclosive_attributes({o}, {r}, {k}, ['income'])": "disclosive_attributes",
    "sdc_replicated_uniques({o}, {r}, {k})": "replicated_uniques",
    "sdc_correct_attribution_records({o}, {r}, {k}, 'income')": "correct_attribution_records",
    "sdc_targeted_attribution_records({o}, {r}, {k}, 'income')": "targeted_attribution_records",
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_coded_otherwise_is_an_error(example, call):
    """A risk that would look like none: recoded keys, another type, all suppressed; the message shows no value."""
    for wrong, words in {
        "age // 10 || '0s' AS age": "No value of age occurs in both tables",
        "age::DOUBLE AS age": "30 is not 30.0",
        "NULL AS sex": "No value of sex occurs in both",
        "upper(sex) AS sex": "No value of sex occurs in both",
        "income || '?' AS income": "No value of income occurs in both",
    }.items():
        # values suppressed in both are nothing in common
        example.execute(
            f"CREATE OR REPLACE TABLE r AS SELECT * REPLACE ({wrong}) FROM f UNION ALL BY NAME SELECT 1 AS n"
        )
        example.execute("CREATE OR REPLACE TABLE o AS FROM k UNION ALL BY NAME SELECT 1 AS n")
        if "income" in wrong and "uniques" in call:
            continue
        with pytest.raises(duckdb.Error, match=words) as raised:
            found(example, call.format(o="'o'", r="'r'", k="['age', 'sex']"))
        assert "41" not in str(raised.value)
        assert "low" not in str(raised.value).replace("below", "")
        with pytest.raises(duckdb.Error, match=words):
            found(example, call.format(o="'r'", r="'o'", k="['age', 'sex']"))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("call", CALLS)
def test_refused(example, call):
    example.execute("CREATE TABLE none AS FROM k LIMIT 0")
    for (o, r, k), words in {
        ("'none'", "'f'", "['age']"): "The table none has no rows",
        ("'k'", "'none'", "['age']"): "The table none has no rows",
        ("'k'", "'f'", "['agee']"): "agee",
        ("'k'", "'f'", "['age', 'AGE']"): "named twice",
        ("'k'", "'f'", "[]::VARCHAR[]"): "the list of columns is empty",
        ("'k'", "'f'", "['age', 'income']"): "named twice" if "income" in call else "",
    }.items():
        if words:
            with pytest.raises(duckdb.Error, match=words):
                found(example, call.format(o=o, r=r, k=k))


@pytest.mark.slow
def test_settings_that_are_none(example):
    for tau in ("0", "1.01", "'high'", "NULL", "'nan'::DOUBLE"):
        with pytest.raises(duckdb.Error, match=r"tau is .*: it must be above 0 and at most 1"):
            found(example, f"sdc_correct_attribution('k', 'f', ['age', 'sex'], ['income'], tau := {tau})")
    for targets in ("[]::VARCHAR[]", "NULL"):
        with pytest.raises(duckdb.Error, match="the list of columns is empty"):
            found(example, f"sdc_disclosive_attributes('k', 'f', ['age', 'sex'], {targets})")


def test_nothing_matched_is_told(con):
    """Each key has values in common, no combination has: that is a figure, not an error."""
    table(con, "k", [(1, "x", "a"), (2, "y", "b")])
    table(con, "f", [(1, "y", "a"), (2, "x", "b")])
    (row,) = found(con, "sdc_correct_attribution('k', 'f', ['age', 'sex'], ['income'])")
    assert [row[n] for n in ("in_released", "cap", "cap_matched", "tcap", "tcap_original")] == [0, 0, None, None, None]
    (row,) = found(con, "sdc_disclosive_attributes('k', 'f', ['age', 'sex'], ['income'])")
    assert [row[n] for n in ("disclosive", "disco", "disdio", "largest")] == [0, 0, 0, 0]


def test_one_record_and_only_nulls(con):
    con.execute("""CREATE TABLE "it's" AS SELECT NULL::INTEGER AS "a'b", 2 AS "f""d", 3 AS id""")
    (row,) = found(con, """sdc_correct_attribution('"it''s"', '"it''s"', ['a''b'], ['f"d'])""")
    assert (row["cap"], row["tcap"], row["baseline"]) == (1, 1, 1)


@pytest.mark.slow
def test_in_python(example):
    after = Microdata(example, "f", keys=["age", "sex"])
    before = Microdata(example, "k")
    (cap,) = after.linkage.correct_attribution(before, ["INCOME"], tau=0.5)
    assert (cap.cap, cap.targeted, cap.tcap_original) == (pytest.approx(0.4), 5, 0.5)
    assert after.linkage.disclosive_attributes("k", ["income"])[0].disco == 0.2
    assert after.linkage.replicated_uniques(before).unique_original == 0.2
    assert after.linkage.correct_attribution_records(before, "income").aggregate("sum(cap)").fetchall() == [(2.0,)]
    assert after.linkage.targeted_attribution_records("k", "Income").aggregate("sum(weap)").fetchall() == [(4.0,)]
    for wrong in (0, 2, "high", None, True):
        with pytest.raises(ParameterError, match=r"tau is .*above 0 and at most 1"):
            after.linkage.correct_attribution(before, ["income"], tau=wrong)
    with pytest.raises(ColumnError, match="named twice"):
        after.linkage.disclosive_attributes(before, ["age"])
    with pytest.raises(ColumnError, match="not a column of f"):
        after.linkage.correct_attribution_records(before, "incom")
    with pytest.raises(ParameterError, match="wildcard"):
        Microdata(example, "f", keys=["age"], nulls="wildcard").linkage.replicated_uniques(before)
    example.execute("CREATE TABLE r AS SELECT * REPLACE (age || ' years' AS age) FROM f")
    with pytest.raises(TableError, match="No value of age occurs in both tables"):
        Microdata(example, "r", keys=["age", "sex"]).linkage.replicated_uniques(before)


@pytest.mark.slow
def test_a_suppressed_key_hides_nothing_that_the_others_tell(con):
    """Region suppressed throughout one sex: by NULL as a value CAP falls; age and sex tell as much as before."""
    con.execute(
        "CREATE TABLE k AS SELECT i % 10 AS age, i % 2 AS sex, i % 3 AS region, i % 10 AS income FROM range(90) t(i)"
    )
    con.execute("CREATE TABLE f AS SELECT * REPLACE (if(age < 7, NULL, region) AS region) FROM k")
    keys = ["age", "sex", "region"]
    original, released = Microdata(con, "k", keys=keys), Microdata(con, "f", keys=keys, nulls="wildcard")
    by = {nulls: released.linkage.correct_attribution(original, ["income"], nulls=nulls)[0].cap for nulls in READINGS}
    assert by == {"category": pytest.approx(0.3), "wildcard": 1, "higher": 1}
    disco = {
        nulls: released.linkage.disclosive_attributes(original, ["income"], nulls=nulls)[0].disco for nulls in READINGS
    }
    assert disco == {"category": pytest.approx(0.3), "wildcard": 1, "higher": 1}
    limits = ["correct_attribution.cap <= 0.5", "disclosive_attributes.disco <= 0.5"]
    assert [found.holds for found in released.check_limits(limits, original=original, sensitive=["income"])] == [
        False,
        False,
    ]
    assert {row[-2:] for row in released.linkage.correct_attribution_records(original, "income").fetchall()} == {
        (9, 1.0),
        (3, 1.0),
    }
    with pytest.raises(ParameterError, match="must be one of higher, category, wildcard"):
        released.linkage.correct_attribution(original, ["income"], nulls="any")


def test_every_figure_of_replicated_uniques_by_hand(con):
    """Of 1, 1, 1, 2 and 3 alike, the first, the second and the fourth are released, as 1, 2 and 1, and two others."""
    con.execute("CREATE TABLE k AS SELECT unnest(['a', 'b', 'c', 'd', 'd', NULL, NULL, NULL]) AS \"it's\"")
    con.execute("CREATE TABLE f AS SELECT unnest(['x', 'a', 'b', 'b', 'd', 'y']) AS \"it's\"")
    (row,) = found(con, "sdc_replicated_uniques('k', 'f', ['IT''S'])")
    assert list(row.values()) == [8, 4 / 8, 3 / 8, pytest.approx(4 / 6), 2 / 8, 1 / 8]


GAPS = [
    ((1, "x"), "p"), ((1, "x"), "q"), ((1, "x"), "p"), ((1, "y"), "p"), ((2, "x"), "q"), ((2, "y"), None),
    ((2, "y"), "q"), ((3, "x"), "p"), ((3, "x"), "p"), ((None, "y"), "q"), ((4, "z"), "r"),
], [
    ((1, "x"), "p"), ((1, None), "p"), ((1, "y"), "q"), ((2, None), "q"), ((2, "y"), None), ((None, "y"), "q"),
    ((3, "x"), "p"), ((None, None), "r"), ((5, "x"), "q"),
]  # fmt: skip


def test_every_reading_of_suppressed_keys_by_brute_force(con):
    """Keys suppressed before and after, targets too: each figure, and those of each record."""
    before, after = GAPS
    table(con, "k", [(*q, v) for q, v in before])
    table(con, "f", [(v, *q[::-1]) for q, v in after], "income, sex, age")
    for nulls, tau in (("category", 0.5), ("wildcard", 0.5), ("higher", 1)):
        readings = [brute(before, after, tau), brute_wildcard(before, after, tau)][READINGS[nulls]]
        common = f"'k', 'f', ['Age', 'sex'], ['income'], nulls := '{nulls}'"
        figures = found(con, f"sdc_correct_attribution({common}, tau := {tau})") if nulls != "higher" else []
        figures += found(con, f"sdc_disclosive_attributes({common})") if nulls != "category" else []
        for name, value in [item for row in figures for item in row.items()]:
            known = [r[name] for r in readings if name != "target" and r[name] is not None]
            assert name == "target" or value == (pytest.approx(max(known)) if known else None), (nulls, name)
        if nulls == "category":
            continue
        by = {"category": [(lambda q, r: q == r, lambda q, r: q == r)], "wildcard": [(agrees, either)]}
        by["higher"] = by["category"] + by["wildcard"]

        def highest(values):
            return max((v for v in values if v is not None), default=None)

        def share(values, v):
            return values.count(v) / len(values) if values else None

        expected = []
        for q, v in before:
            seen = [[w for r, w in after if like(q, r)] for like, _ in by[nulls]]
            expected.append((*q, v, max(map(len, seen)), highest(share(s, v) for s in seen)))
        call = f"sdc_correct_attribution_records('k', 'f', ['age', 'sex'], 'income', nulls := '{nulls}')"
        rows = con.execute(f"SELECT age, sex, income, matches, cap FROM {call}").fetchall()
        assert sorted(rows, key=str) == sorted(expected, key=str), nulls
        expected = []
        for q, v in after:
            own = [[w for r, w in after if like(q, r)] for _, like in by[nulls]]
            true = [[w for r, w in before if like(r, q)] for like, _ in by[nulls]]
            figures = (highest(share(s, v) for s in own), max(map(len, true)), highest(share(s, v) for s in true))
            expected.append((*q, v, *figures))
        call = f"sdc_targeted_attribution_records('k', 'f', ['age', 'sex'], 'income', nulls := '{nulls}')"
        rows = con.execute(f"SELECT age, sex, income, weap, matches, tcap FROM {call}").fetchall()
        assert sorted(rows, key=str) == sorted(expected, key=str), nulls


def test_a_record_whose_cell_is_not_found_is_an_error(con):
    con.execute("CREATE TABLE k AS FROM (VALUES ('a', 1), ('b', 2)) t(f, v)")
    con.execute("CREATE TABLE other AS FROM (VALUES ('a', 1), ('c', 1)) t(f, v)")
    call = "SELECT f, sdc__matches FROM sdc__attributed('{}', 'k', 'k', ['f'], 'v', 'category', {})"
    for first in (True, False):
        assert sorted(execute(con, call.format("k", first)).fetchall()) == [("a", 1), ("b", 1)]
        with pytest.raises(duckdb.Error, match="TableError"):
            execute(con, call.format("other", first)).fetchall()
