"""Minimal sample uniques, SUDA and DIS-SUDA scores, contributions."""

from __future__ import annotations

import gc
import itertools
import signal
import time
from collections import Counter
from math import factorial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sdc_sql.udfs.suda import special_uniques
from small_tables import PROPERTY, fetch, small_tables

import sdc_sql

GUIDE = ["Residence", "Gender", "Educ", "Labor"]
KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def minimal_uniques(records, nulls, most):
    """Return the minimal sample uniques of each record, as sets of positions, straight from the definition."""
    m = len(records[0])
    sets = [frozenset(c) for k in range(1, m + 1) for c in itertools.combinations(range(m), k)]
    counts = {s: Counter(tuple(r[i] for i in sorted(s)) for r in records) for s in sets}
    found = []
    for r in records:
        unique = {
            s
            for s in sets
            if counts[s][tuple(r[i] for i in sorted(s))] == 1
            and (nulls == "category" or all(r[i] is not None for i in s))
        }
        found.append([s for s in unique if len(s) <= most and not any(t < s for t in unique)])
    return found


@pytest.mark.slow
@PROPERTY
@given(table=small_tables(), nulls=st.sampled_from(["category", "excluded"]), most=st.integers(1, 5) | st.none())
def test_minimal_sample_uniques_and_scores_equal_brute_force(db, table, nulls, most):
    table.store(db, "t")
    expected = minimal_uniques(table.records, nulls, 99 if most is None else most)
    rows = fetch(db, "FROM sdc_minimal_sample_uniques('t', ?, ?, ?)", table.keys, most, nulls)
    named = {(r["id"], frozenset(r["columns"])) for r in rows}
    assert len(named) == len(rows)
    assert all(r["size"] == len(r["columns"]) for r in rows)
    assert named == {(i, frozenset(table.keys[c] for c in s)) for i, sets in enumerate(expected) for s in sets}
    m = len(table.keys)
    rows = fetch(db, "FROM sdc_suda('t', ?, ?, nulls := ?)", table.keys, most, nulls)
    found = {r["id"]: (r["msu_count"], r["suda_score"]) for r in rows}
    assert found == {
        i: (len(sets), pytest.approx(sum(factorial(m - len(s)) for s in sets))) for i, sets in enumerate(expected)
    }


def dropped(db):
    """Drop the temporary tables that results are stored in."""
    for (name,) in db.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall():
        assert name.startswith("sdc__suda_rows_")  # the tables of the search itself are gone
        db.execute(f'DROP TABLE "{name}"')


@pytest.mark.slow
@PROPERTY
@given(table=small_tables(), nulls=st.sampled_from(["category", "excluded"]), most=st.integers(1, 5) | st.none())
def test_the_search_size_by_size_finds_what_brute_force_finds(db, table, nulls, most):
    table.store(db, "t")
    expected = minimal_uniques(table.records, nulls, 99 if most is None else most)
    data = sdc_sql.Microdata(db, "t", keys=table.keys)
    result = data.risk.minimal_sample_uniques(most, nulls=nulls)
    at, columns = result.columns.index("id"), result.columns.index("columns")
    found = [(row[at], frozenset(row[columns])) for row in result.fetchall()]
    assert len(found) == len(set(found))
    assert set(found) == {(i, frozenset(table.keys[c] for c in s)) for i, sets in enumerate(expected) for s in sets}
    dropped(db)


@pytest.mark.slow
def test_the_search_equals_the_macro_with_many_keys(db):
    # 8 keys, of which one is constant, one the copy of another and one follows from a third; 600 records
    db.execute("""CREATE OR REPLACE TABLE r AS SELECT
        i, hash(i, 1) % 4 AS a, hash(i, 2) % 3 AS b, CASE WHEN hash(i, 3) % 5 > 0 THEN hash(i, 3) % 5 END AS c,
        1 AS d, hash(i, 2) % 3 AS e, (hash(i, 1) % 4) // 2 AS f, hash(i, 4) % 30 AS g, (hash(i, 5) % 7)::VARCHAR AS h
        FROM range(600) AS t(i)""")
    keys = list("abcdefgh")
    data = sdc_sql.Microdata(db, "r", keys=keys)
    for nulls in ("category", "excluded"):
        for most in (2, None):
            theirs = db.execute("FROM sdc_suda('r', ?, ?, nulls := ?) ORDER BY i", [keys, most, nulls]).fetchall()
            ours = data.risk.suda(most, nulls=nulls).order("i").fetchall()
            assert [row[:-1] for row in ours] == [row[:-1] for row in theirs]
            assert [row[-1] for row in ours] == pytest.approx([row[-1] for row in theirs])
            (summary,) = fetch(db, "FROM sdc_suda_summary('r', ?, ?, nulls := ?)", keys, most, nulls)
            assert data.risk.suda_summary(most, nulls=nulls).to_dict() == pytest.approx(summary)
    theirs = fetch(db, "FROM sdc_suda_contributions('r', ?, NULL)", keys)
    assert [c.to_dict() for c in data.risk.suda_contributions(None)] == [pytest.approx(c) for c in theirs]
    dropped(db)


def test_more_sets_than_the_macro_takes(db):
    # 24 keys: 12,950 sets of at most 4; three records that differ in one key each
    columns = [f"c{i}" for i in range(24)]
    listed = ", ".join(f"(i = {n})::INT AS {c}" for n, c in enumerate(columns))
    db.execute(f"CREATE OR REPLACE TABLE wide AS SELECT {listed} FROM (SELECT unnest([0, 5, 23, 99, 99]) AS i)")
    data = sdc_sql.Microdata(db, "wide", keys=columns)
    assert sorted(row[-2:] for row in data.risk.minimal_sample_uniques(4).fetchall()) == [
        (1, ["c0"]),
        (1, ["c23"]),
        (1, ["c5"]),
    ]
    # 16,777,215 sets of any size: few are looked at, for little is found
    assert data.risk.suda_summary(None).msus == 3
    dropped(db)


def crossings(records, keys, seed):
    """Return the codes of cells that are strongly dependent: of each of some kinds the crossing of a few keys."""
    generator = np.random.default_rng(seed)
    made = []
    while sum(len(m) for m in made) < records:
        kind = np.tile(generator.integers(0, 6, keys), (generator.choice([16, 64, 256]), 1))
        rest = np.arange(len(kind))
        for key in generator.permutation(keys)[: len(rest).bit_length() - 1]:
            kind[:, key] = rest % 2
            rest //= 2
        made.append(kind)
    return np.unique(np.concatenate(made), axis=0)[:records]


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("nulls", ["category", "excluded"])
def test_all_sizes_of_many_keys(db, nulls):
    # 22 keys are 4,194,303 sets; each minimal unique that is found is checked, and that none is missing of 15 records
    codes = crossings(2000, 22, 7)
    columns = {f"k{i}": c for i, c in enumerate(codes.T)}
    columns["k3"] = pa.array(columns["k3"], mask=columns["k3"] == 5)
    db.register("crossings", pa.table({"i": np.arange(len(codes)), **columns}))
    keys = list(columns)
    data = sdc_sql.Microdata(db, "crossings", keys=keys)
    found = data.risk.minimal_sample_uniques(None, nulls=nulls).select("i", "columns").fetchall()
    db.unregister("crossings")
    sets = {}
    for i, names in found:
        sets.setdefault(i, set()).add(frozenset(keys.index(n) for n in names))
    assert all(len(s) == len({*s}) for s in sets.values())
    for i in range(0, len(codes), len(codes) // 15):
        unusable = {3} if nulls == "excluded" and codes[i, 3] == 5 else set()
        differences = [frozenset(np.flatnonzero(d)) - unusable for d in np.delete(codes, i, 0) != codes[i]]
        assert sets.get(i, set()) == transversals(differences)
    dropped(db)


def transversals(differences):
    """Return the minimal sets that meet every one of some sets, one after the other."""
    minimal = {frozenset()}
    for d in sorted(set(differences), key=len):
        met = {s for s in minimal if s & d}
        larger = {s | {k} for s in minimal - met for k in d}
        minimal = met | {s for s in larger if not any(t <= s for t in met)}
    return minimal


def test_a_search_that_grows_too_large_is_refused(db, monkeypatch):
    db.execute("CREATE OR REPLACE TABLE r AS SELECT hash(i, 1) % 9 AS a, hash(i, 2) % 9 AS b, i FROM range(99) AS t(i)")
    data = sdc_sql.Microdata(db, "r", keys=["a", "b", "i"])
    monkeypatch.setattr(special_uniques, "MOST_WORK", 250)
    with pytest.raises(sdc_sql.ParameterError, match="Give a smaller max_msu or fewer keys") as told:
        data.risk.suda(None)
    assert "up to 3 of 3 keys" in str(told.value)
    keys = [f"k{i}" for i in range(63)]
    db.execute(f"CREATE OR REPLACE TABLE r AS SELECT {', '.join(f'1 AS {k}' for k in keys)}")
    with pytest.raises(sdc_sql.ParameterError, match="63 keys are named"):
        sdc_sql.Microdata(db, "r", keys=keys).risk.suda()
    dropped(db)


def test_codes_too_many_for_one_number(db):
    # 5 keys of 20,000 values each are more than 2^63 combinations; no record is alone on fewer than 5
    db.execute("""CREATE OR REPLACE TABLE long AS SELECT i % 20000 AS a, i % 20000 AS b, i % 20000 AS c, i % 20000 AS d,
        i % 20000 AS e FROM range(40000) AS t(i)""")
    db.execute("UPDATE long SET a = 1, b = 2 WHERE a = 0 AND rowid = 0")
    found = sdc_sql.Microdata(db, "long", keys=list("abcde")).risk.minimal_sample_uniques(None).fetchall()
    # record 0 is (1, 2, 0, 0, 0), and of its pair (0, 0, 0, 0, 0) is left
    sets = {tuple(row[-1]) for row in found if row[0] == 1 and row[1] == 2}
    assert sets == {("a", "b"), ("a", "c"), ("a", "d"), ("a", "e"), ("b", "c"), ("b", "d"), ("b", "e")}
    sets = {tuple(row[-1]) for row in found if row[0] == 0}
    assert sets == {("a",), ("b",)}
    dropped(db)


def test_the_example_of_the_header(db):
    db.execute("CREATE OR REPLACE TABLE p AS FROM (VALUES (30, 'f'), (30, 'm'), (30, 'f'), (41, 'f')) AS t(age, sex)")
    found = db.execute("FROM sdc_minimal_sample_uniques('p', ['age', 'sex'])").fetchall()
    assert sorted(found) == [(30, "m", 1, ["sex"]), (41, "f", 1, ["age"])]
    # by hand: P = 2, Q = 1.3, two scores of 1: 1 / (1 + 2 * 99 / 2) = 0.01
    found = db.execute("FROM sdc_suda('p', ['age', 'sex'])").fetchall()
    assert sorted(found)[2:] == [(30, "m", 1, 1.0, pytest.approx(0.01)), (41, "f", 1, 1.0, pytest.approx(0.01))]


@pytest.mark.parametrize(("max_msu", "msus"), [(2, 1206), (3, 16096), (4, 42125), (None, 62809)])
def test_adult(shared, db, max_msu, msus):
    """Two independent implementations agree: ../shared/reference/README.md."""
    path = str(shared / "data" / "adult.parquet")
    keys = db.execute(f"SELECT list(column_name) FROM (DESCRIBE FROM '{path}')").fetchall()[0][0]
    assert sdc_sql.Microdata(db, path, keys=keys).risk.suda_summary(max_msu).msus == msus


def test_fars(shared, db):
    """The same page: all sizes 175,271."""
    path = str(shared / "data" / "fars_coded.parquet")
    keys = db.execute(f"SELECT list(column_name) FROM (DESCRIBE FROM '{path}')").fetchall()[0][0]
    assert sdc_sql.Microdata(db, path, keys=keys).risk.suda_summary(None).msus == 175271


@pytest.mark.one_in(5)
@pytest.mark.parametrize("fraction", [0.01, 0.05])
@pytest.mark.parametrize("nulls", ["category", "excluded"])  # no value is missing here
@pytest.mark.parametrize(
    "case",
    [
        ("guide10_osTRUE", "suda_guide10", GUIDE, "factorial"),
        ("guide10_osFALSE", "suda_guide10", GUIDE, "superset"),
        ("testdata_kv7", "testdata", KV7, "factorial"),
        ("testdata_kv7_origF", "testdata", KV7, "superset"),
        ("testdata_kv5", "testdata", KV7[:5], "factorial"),
    ],
)
def test_scores_of_sdcmicro(shared, sdcmicro, db, *, case, fraction, nulls):
    """sdcMicro 5.8.1: fixtures/sdcmicro_testdata.json; its DIS scores differ from the formula by up to 3e-7."""
    name, table, keys, scoring = case
    theirs = sdcmicro[f"suda_{name}_f{fraction}"]
    path = str(shared / "data" / f"{table}.parquet")
    ours = db.execute(
        "SELECT sum(suda_score), max(suda_score), sum(dis_suda), max(dis_suda), count(*) FILTER (suda_score > 0) "
        "FROM sdc_suda(?, ?, NULL, ?, ?, ?)",
        [path, keys, fraction, scoring, nulls],
    ).fetchall()[0]
    score, dis = theirs["score"], theirs["disScore"]
    assert ours[:2] == pytest.approx((score["sum"], score["max"]), rel=1e-12)
    assert ours[2:4] == pytest.approx((dis["sum"], dis["max"]), rel=1e-6)
    assert ours[4] == theirs["n_score_gt0"]


def test_contributions_of_sdcmicro(shared, sdcmicro, db):
    """The same file, guide10_osTRUE_f0.01: attribute_contributions and attribute_level_contributions."""
    theirs = sdcmicro["suda_guide10_osTRUE_f0.01"]
    data = sdc_sql.Microdata(db, str(shared / "data" / "suda_guide10.parquet"), keys=GUIDE)
    ours = {c.variable: c.contribution for c in data.risk.suda_contributions(None)}
    assert ours == pytest.approx({c["variable"]: c["contribution"] for c in theirs["attribute_contributions"]})
    values = {(c.variable, c.value): c.contribution for c in data.risk.suda_value_contributions(None)}
    level = theirs["attribute_level_contributions"]
    assert values == pytest.approx({(c["variable"], c["attribute"]): c["contribution"] for c in level})


def test_odd_names(db):
    db.execute('CREATE OR REPLACE TABLE k AS FROM (VALUES (30, 1), (30, 2), (30, 1), (41, 1)) AS t("Select", "a""b")')
    found = db.execute("""FROM sdc_minimal_sample_uniques('k', ['a"b', 'SELECT'])""").fetchall()
    assert sorted(found) == [(30, 2, 1, ['a"b']), (41, 1, 1, ["SELECT"])]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("['age'], 0", "max_msu is 0"),
        ("['age'], 1.5", "max_msu is 1.5"),
        ("['age'], 'x'", "max_msu is x"),
        ("['age'], dis_fraction := 1", "DIS fraction is 1"),
        ("['age'], scoring := 'x'", "scoring is x"),
        ("['age'], scoring := NULL", "scoring is NULL"),
        ("['age'], nulls := NULL", "nulls is NULL"),
        ("['age'], dis_fraction := NULL", "DIS fraction is NULL"),
        ("['age'], dis_fraction := 0", "DIS fraction is 0"),
        ("['age'], nulls := 'wildcard'", "nulls is wildcard"),
        ("['age', 'nope']", '"nope" is not a column'),
        ("[]", "the list of columns is empty"),
    ],
)
def test_wrong_arguments(db, call, words):
    db.execute("CREATE OR REPLACE TABLE p AS FROM (VALUES (30), (30)) AS t(age)")  # no unique: nothing hides the error
    with pytest.raises(Exception, match=words):
        db.execute(f"FROM sdc_suda('p', {call})").fetchall()


@pytest.mark.slow
def test_too_many_sets_are_refused(db):
    columns = [f"c{i}" for i in range(24)]
    db.execute("CREATE OR REPLACE TABLE wide AS SELECT " + ", ".join(f"1 AS {c}" for c in columns))
    with pytest.raises(Exception, match=r"more than 1,100 sets of 24 keys.*: use Microdata\.suda"):
        db.execute("FROM sdc_suda('wide', ?)", [columns]).fetchall()  # 2,324 sets of at most 3
    assert db.execute("SELECT msus FROM sdc_suda_summary('wide', ?, 2)", [columns]).fetchall() == [(24,)]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on Windows")
@pytest.mark.parametrize("records", [400, 4000])  # records' differences; set by set, the records being too many for FEW
def test_ctrl_c_ends_the_search(db, monkeypatch, records):
    columns = [f"c{i}" for i in range(30)]
    listed = ", ".join(f"hash(i, {n}) % 3 AS {c}" for n, c in enumerate(columns))
    db.execute(f"CREATE OR REPLACE TABLE wide AS SELECT {listed} FROM range({records}) AS t(i)")
    data = sdc_sql.Microdata(db, "wide", keys=columns)
    monkeypatch.setattr(special_uniques, "FEW", 10**9 if records == 400 else 10**20)
    begun = []

    def pressed(*_):
        begun.append(time.process_time())  # of this process: others may keep it waiting
        signal.raise_signal(signal.SIGINT)  # Ctrl-C itself, which is heard within DuckDB too

    before = signal.signal(signal.SIGALRM, pressed)
    # Python drops what is raised while it collects garbage (hypothesis has a callback there): the search would go on
    collecting = gc.isenabled()
    gc.disable()
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        with pytest.raises(KeyboardInterrupt):
            data.risk.suda_summary(None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if collecting:
            gc.enable()
    assert time.process_time() - begun[0] < 2
    dropped(db)


def test_wildcards_are_refused():
    example = sdc_sql.example()
    data = sdc_sql.Microdata(example.con, example.table, keys=example.keys, nulls="wildcard")
    with pytest.raises(sdc_sql.ParameterError, match="nulls is 'wildcard'"):
        data.risk.suda()
    assert data.risk.suda_summary(nulls="excluded").records == 3


def suda_by_definition(records, found, *, fraction, scoring):
    """Return of each record its number of MSUs, score and DIS-SUDA (the formulas of the header of suda.sql)."""
    m = len(records[0])

    def weigh(k):
        if scoring == "factorial":
            return factorial(m - k)
        return (2 ** (m - k) - 1) * factorial(k) * factorial(m - k) / factorial(m)

    scores = [sum(weigh(len(s)) for s in sets) for sets in found]
    pairs = sum(n == 2 for n in (Counter(records)[r] for r in records))
    q = 1 + (8 - m) / 20
    whole = sum(s**-q for s in scores if s > 0)
    chances = [1 / (1 + pairs * (1 - fraction) / fraction / (s**q * whole)) if s > 0 else 0 for s in scores]
    return weigh, [(len(sets), s, d) for sets, s, d in zip(found, scores, chances, strict=True)]


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("nulls", "most", "fraction", "scoring"),
    [("category", 3, 0.01, "factorial"), ("excluded", None, 0.25, "superset")],  # the first by default
)
def test_every_figure_by_the_definition(db, nulls, most, fraction, scoring):
    """Sixteen records, pairs among them, with minimal uniques of one key to four: records, keys and values."""
    keys = [*"abcd"]
    draw = np.random.default_rng(18)
    values = [1, 2, None]
    records = [tuple(values[v] for v in row) for row in draw.choice(3, size=(14, 4), p=[0.5, 0.4, 0.1])]
    records += records[:2]
    found = minimal_uniques(records, nulls, most or 4)
    every = minimal_uniques(records, "category", 4)
    assert {len(s) for sets in every for s in sets} == {1, 2, 3, 4}
    assert [len(sets) for sets in found] != [len(sets) for sets in every]
    weigh, expected = suda_by_definition(records, found, fraction=fraction, scoring=scoring)
    db.execute("CREATE OR REPLACE TABLE s (i INTEGER, a INTEGER, b INTEGER, c INTEGER, d INTEGER)")
    db.executemany("INSERT INTO s VALUES (?, ?, ?, ?, ?)", [(i, *row) for i, row in enumerate(records)])
    given = "" if most else f", {most or 'NULL'}, scoring := '{scoring}', nulls := '{nulls}'"
    call = f"('s', {keys}{given}"
    scored = call if most else f"{call}, dis_fraction := {fraction}"
    rows = db.execute(f"SELECT msu_count, suda_score, dis_suda FROM sdc_suda{scored}) ORDER BY i").fetchall()
    assert rows == [pytest.approx(row) for row in expected]
    number, score, chance = zip(*expected, strict=True)
    assert len({round(c, 9) for c in chance}) > 3
    summary = (16, sum(n > 0 for n in number), sum(number), sum(score), max(score), max(chance), sum(chance) / 16)
    assert db.execute(f"FROM sdc_suda_summary{scored})").fetchall() == [pytest.approx(summary)]
    held = {k: [(r[k], s) for r, sets in zip(records, found, strict=True) for s in sets if k in s] for k in range(4)}
    of = {k: sum(weigh(len(s)) for _, s in held[k]) for k in range(4)}
    rows = db.execute(f"FROM sdc_suda_contributions{call})").fetchall()
    assert rows == [(keys[k], len(held[k]), pytest.approx(100 * of[k] / sum(score))) for k in range(4)]
    parts = {(keys[k], r[k] and str(r[k])): (0, 0) for r in records for k in range(4)}
    for k in range(4):
        for value, s in held[k]:
            n, part = parts[keys[k], value and str(value)]
            parts[keys[k], value and str(value)] = (n + 1, part + 100 * weigh(len(s)) / of[k])
    rows = db.execute(f"FROM sdc_suda_value_contributions{call})").fetchall()
    assert {row[:2]: row[2:] for row in rows} == {name: pytest.approx(part) for name, part in parts.items()}
    assert [row[:2] for row in rows] == sorted(parts, key=lambda name: (name[0], name[1] is None, name[1]))
    listed = sorted((i, len(s), tuple(keys[k] for k in sorted(s))) for i, sets in enumerate(found) for s in sets)
    rows = db.execute(f"SELECT i, size, columns FROM sdc_minimal_sample_uniques('s', {keys}"
                      f"{'' if most else ', NULL, nulls := ' + repr(nulls)})").fetchall()  # fmt: skip
    assert sorted((i, size, tuple(columns)) for i, size, columns in rows) == listed


def test_without_a_unique_there_is_no_score(db):
    db.execute("CREATE OR REPLACE TABLE twins AS SELECT range // 2 AS a, range // 4 AS b FROM range(8)")
    call = "('twins', ['a', 'b'])"
    assert db.execute(f"FROM sdc_suda_summary{call}").fetchall() == [(8, 0, 0, 0, 0, 0, 0)]
    found = db.execute(f"FROM sdc_suda_value_contributions{call}").fetchall()
    assert found == [(k, str(v), 0, 0) for k, n in (("a", 4), ("b", 2)) for v in range(n)]
    # an MSU of all keys weighs nothing by 'superset', and is one
    db.execute("CREATE OR REPLACE TABLE crossed AS SELECT range % 2 AS a, range // 2 AS b FROM range(4)")
    found = db.execute("FROM sdc_suda_summary('crossed', ['a', 'b'], scoring := 'superset')").fetchall()
    assert found == [(4, 4, 4, 0, 0, 0, 0)]
