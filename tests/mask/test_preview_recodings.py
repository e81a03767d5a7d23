"""A preview of recodings gives what the measures give on the recoded file."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from itertools import product

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.mask.hierarchies import Hierarchy, read_hierarchy

COLUMNS = "levels, records, cells, sample_uniques, below_k, theta, upper_bound, expected_reidentifications"
HIERARCHIES = {
    "Se'lect": Hierarchy((("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*"), (None, None, "*")), ("f", "two", "one")),
    "k": Hierarchy((("1", "low"), ("2", "low"), ("3", "high"), ("9", "high")), ("k", "half")),
    "f": Hierarchy((("x", "x", None, "*"), ("y", "z", None, "*"), ("z", "z", None, "*"), ("w", "w", "w", "*"))),
}


KEYS = list(HIERARCHIES)


@pytest.fixture
def small(con):
    """Return a connection with a table named k: columns k and f, NULL, weights that all differ."""
    draw = random.Random(3)  # noqa: S311 - a test
    con.execute('CREATE TABLE k (id INTEGER, f VARCHAR, k INTEGER, "Se\'lect" VARCHAR, w DOUBLE)')
    rows = [
        (i, draw.choice("xyzw"), draw.choice([1, 2, 3]), draw.choice(["a", "b", "c", None]), draw.uniform(1.0, 9.0))
        for i in range(45)
    ]
    con.executemany("INSERT INTO k VALUES (?, ?, ?, ?, ?)", rows)
    return con


def recode(con, levels):
    """Make the recoded table, value by value."""
    rows = con.execute('SELECT id, "Se\'lect", k, f, w FROM k').fetchall()
    columns = list(zip(*rows, strict=True))
    for place, (hierarchy, level) in enumerate(zip(HIERARCHIES.values(), levels, strict=True), 1):
        columns[place] = hierarchy.generalised(columns[place], level)
    con.execute('CREATE OR REPLACE TABLE recoded (id INTEGER, "Se\'lect" VARCHAR, k VARCHAR, f VARCHAR, w DOUBLE)')
    con.executemany("INSERT INTO recoded VALUES (?, ?, ?, ?, ?)", list(zip(*columns, strict=True)))


def measured(data, *, weight, pi, k):
    """Return what the measures say of a table."""
    theta, below = data.risk.theta(pi), data.risk.k_anonymity(k)[-1].records
    unique = data.risk.frequency_summary().sample_uniques
    data = sdc_sql.Microdata(data.con, data.table, keys=data.keys, weight=weight)
    risk = data.risk.global_risk()
    return (
        theta.records, theta.cells, unique, below, theta.theta, theta.upper_bound,
        pytest.approx(risk.expected_reidentifications, rel=1e-12), pytest.approx(risk.reidentification_rate, rel=1e-12),
        data.loss.class_sizes().discernibility,
    )  # fmt: skip


def figures(found):
    return (
        found.records, found.cells, found.sample_uniques, found.below_k, found.theta, found.upper_bound,
        found.expected_reidentifications, found.reidentification_rate, found.discernibility,
    )  # fmt: skip


def hellinger(con, levels):
    """Return the distance by its definition: over every combination of values, in the file or not."""
    combinations = list(product(*([row[0] for row in h.rows] for h in HIERARCHIES.values())))
    before = Counter(
        (a, None if b is None else str(b), c) for a, b, c in con.execute('SELECT "Se\'lect", k, f FROM k').fetchall()
    )
    coded = list(HIERARCHIES.values())
    cell = {
        values: tuple(h.generalised([v], level)[0] for h, v, level in zip(coded, values, levels, strict=True))
        for values in combinations
    }
    size = Counter(cell.values())
    after = Counter()
    for values, n in before.items():
        after[cell[values]] += n
    n = before.total()
    common = sum(math.sqrt(before[v] / n * after[cell[v]] / n / size[cell[v]]) for v in combinations)
    return math.sqrt(max(0.0, 1 - common))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("weight", "nodes"), [("w", slice(1, None, 7)), (2.5, slice(3, None, 9)), ("w", slice(0, None, 2))]
)
def test_the_figures_are_those_of_the_recoded_table(small, weight, nodes):
    data = sdc_sql.Microdata(small, "k", keys=KEYS)
    every = data.mask.preview_recodings(HIERARCHIES, "all", weight=weight, sampling_fraction=0.2, k=4)
    assert [p.levels for p in every] == [[a, b, c] for a in range(3) for b in range(2) for c in range(4)]
    for preview in every[nodes]:
        recode(small, preview.levels)
        after = sdc_sql.Microdata(small, "recoded", keys=KEYS)
        assert figures(preview) == measured(after, weight=weight, pi=0.2, k=4), preview.levels
        assert preview.hellinger == pytest.approx(hellinger(small, preview.levels), abs=1e-7), preview.levels
        assert preview.level_names == [h.names[n] for h, n in zip(HIERARCHIES.values(), preview.levels, strict=True)]


@pytest.mark.slow
def test_candidates(small):
    data = sdc_sql.Microdata(small, "k", keys=KEYS)
    alone = [p.levels for p in data.mask.preview_recodings(HIERARCHIES)]
    assert alone == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 2], [0, 0, 3]]
    asked = [["two", "half", "3"], {"F": 2}, [0, 0, 2], (1, 1, 3), ["one", "k", 0]]
    found = data.mask.preview_recodings(HIERARCHIES, asked)
    assert [p.levels for p in found] == [[1, 1, 3], [0, 0, 2], [2, 0, 0]]
    assert {p.theta for p in found} | {p.expected_reidentifications for p in found} == {None}
    assert data.mask.preview_recodings(HIERARCHIES, [[2, 1, 3]])[0].cells == 2
    assert data.mask.preview_recodings(HIERARCHIES, [[0, 0, 0]])[0].hellinger == 0  # exactly


def test_records_whose_keys_are_all_missing_are_suppressed(con):
    con.execute("CREATE TABLE t AS SELECT range % 3 AS f, range % 2 AS g FROM range(12)")
    gone = Hierarchy((("0", None), ("1", None), ("2", "c")))
    found = sdc_sql.Microdata(con, "t", keys=["f", "g"]).mask.preview_recodings(
        {"f": gone, "g": Hierarchy((("0", None), ("1", "d")))}, [[1, 1], [1, 0]]
    )
    # NULL and NULL 4 records, (c, NULL) 2, (NULL, d) 4, (c, d) 2; or with g as it was
    assert [p.discernibility for p in found] == [4 * 12 + 4 + 16 + 4, 16 + 16 + 4 + 4]


def test_a_table_of_one_record_and_sql_by_itself(con):
    con.execute("CREATE TABLE one AS SELECT 'x' AS f; CREATE TABLE fs AS SELECT 'x' AS f, '*' AS \"all\"")
    con.execute("CREATE TABLE hierarchies AS FROM sdc_hierarchy('fs', 'f')")
    for candidates in ("[['all'], ['f']]", "[[1], [0]]", "'[[1], [0]]'"):
        query = (
            "SELECT levels, level_names, cells, below_k, theta "
            f"FROM sdc_preview_recodings('one', ['F'], 'hierarchies', {candidates}, sampling_fraction := 0.5)"
        )
        assert con.execute(query).fetchall() == [([1], ["all"], 1, 1, 1.0), ([0], ["f"], 1, 1, 1.0)]


REFUSED = [
    ({"candidates": []}, ParameterError, "lists of levels"),
    ({"candidates": "some"}, ParameterError, "lists of levels, or 'all'"),
    ({"candidates": [[0, 0]]}, ParameterError, "2 levels and there are 3 keys"),
    ({"candidates": [[0, 0, 4]]}, ParameterError, "A level of f is 4"),
    ({"candidates": [[0, "third", 0]]}, ParameterError, "A level of k is third"),
    ({"candidates": [{"w": 1}]}, ParameterError, "w is no key"),
    ({"candidates": [{"nowhere": 1}]}, ColumnError, "nowhere"),
    ({"candidates": [3]}, ParameterError, "A candidate is 3"),
    ({"hierarchies": {k: h for k, h in HIERARCHIES.items() if k != "f"}}, ParameterError, "no hierarchy of f"),
    ({"hierarchies": HIERARCHIES | {"k": Hierarchy((("1",), ("2",)))}}, TableError, "1 values of k have no row"),
    ({"hierarchies": HIERARCHIES | {"Se'lect": Hierarchy((("a",), ("b",), ("c",)))}}, TableError, "the missing value"),
    ({"k": 1}, ParameterError, "at least 2"),
    ({"sampling_fraction": 1.5}, ParameterError, "strictly between 0 and 1"),
    ({"weight": -1}, sdc_sql.WeightError, "positive"),
    ({"weight": 0.1}, sdc_sql.WeightError, "sum to less than its records"),
]  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("changed", "error", "words"), REFUSED)
def test_what_cannot_be_previewed_is_refused(small, changed, error, words):
    data = sdc_sql.Microdata(small, "k", keys=KEYS)
    with pytest.raises(error, match=words):
        data.mask.preview_recodings(**{"hierarchies": HIERARCHIES} | changed)


def test_an_empty_table_and_too_many_nodes_are_refused(con):
    con.execute("CREATE TABLE nobody (f VARCHAR); CREATE TABLE one AS SELECT 'x' AS f, 'x' AS g")
    con.execute("CREATE TABLE hierarchies AS SELECT v AS variable, 'x' AS value, l AS level, 'l' || l AS level_name, "
                "'x' AS label FROM unnest(['f', 'g']) AS t(v), range(1001) AS u(l)")  # fmt: skip
    for query, words in (
        ("'nobody', ['f'], 'hierarchies'", "has no rows"),
        ("'one', ['f', 'g'], 'hierarchies', 'all'", "1,002,001 combinations of levels"),
    ):
        with pytest.raises(duckdb.Error, match=words):
            con.execute(f"FROM sdc_preview_recodings({query})").fetchall()


@pytest.mark.slow
def test_many_cells(con):
    """Lists of 150,000 cells were once copied over and over."""
    con.execute("CREATE TABLE many AS SELECT range // 400 AS f, range % 400 AS g FROM range(150000)")
    con.execute("CREATE TABLE fs AS SELECT DISTINCT f, f // 10 AS tens FROM many")
    con.execute("CREATE TABLE gs AS SELECT DISTINCT g, 0 AS one FROM many")
    con.execute("CREATE TABLE hierarchies AS FROM sdc_hierarchy('fs', 'f') UNION ALL FROM sdc_hierarchy('gs', 'g')")
    found = con.execute(
        "SELECT levels, cells, sample_uniques FROM sdc_preview_recodings('many', ['f', 'g'], 'hierarchies')"
    )
    assert found.fetchall() == [([0, 0], 150000, 150000), ([1, 0], 15200, 0), ([0, 1], 375, 0)]


@pytest.mark.slow
def test_adult(shared, con):
    """ARX's optimum of k = 5 and 4 % (../shared/reference/README.md): as few suppressed there as the search allows."""
    con.execute(f"CREATE TABLE adult AS FROM '{shared}/data/adult.parquet'")
    keys = [c for c, *_ in con.execute("DESCRIBE adult").fetchall()]
    hierarchies = {key: read_hierarchy(f"{shared}/data/adult_hierarchies/{key}.csv") for key in keys}
    data = sdc_sql.Microdata(con, "adult", keys=keys)
    every = data.mask.preview_recodings(hierarchies, "all", sampling_fraction=0.1, weight=10, k=5)
    assert len(every) == 12960
    by_levels = {tuple(p.levels): p for p in every}
    for optimum in (
        (1, 0, 1, 1, 3, 2, 2, 0, 1),
        (0, 3, 0, 1, 1, 1, 1, 2, 0),
    ):  # entropy, generalised
        assert by_levels[optimum].below_k <= 0.04 * 30162 < by_levels[(0,) * 9].below_k
    for levels, found in by_levels.items():
        for key in range(9):  # a coarser file has no more cells, and no higher risk
            coarser = by_levels.get((*levels[:key], levels[key] + 1, *levels[key + 1 :]), found)
            assert (coarser.cells, coarser.below_k) <= (found.cells, found.below_k)
            assert coarser.expected_reidentifications <= found.expected_reidentifications * (1 + 1e-12)


@pytest.mark.slow
def test_command_line(small, tmp_path, capsys):
    small.execute(f"COPY k TO '{tmp_path}/k.parquet'")
    rows = [
        f"{key};{row[0] or ''};{level};{hierarchy.names[level]};{row[level] or ''}"
        for key, hierarchy in HIERARCHIES.items()
        for row in hierarchy.rows
        for level in range(len(row))
    ]
    (tmp_path / "long.csv").write_text("\n".join(["variable;value;level;level_name;label", *rows]), encoding="utf-8")
    call = ["preview", f"{tmp_path}/k.parquet", "--keys", "Se'lect,k,f", "--hierarchies", f"{tmp_path}/long.csv"]
    assert (
        main([*call, "--weight", "w", "--sampling-fraction", "0.2", "--json", "--candidates", '[["two", 0, 1]]']) == 0
    )
    (found,) = json.loads(capsys.readouterr().out)
    data = sdc_sql.Microdata(small, "k", keys=KEYS, weight="w", sampling_fraction=0.2)
    assert found == data.mask.preview_recodings(HIERARCHIES, [[1, 0, 1]])[0].to_dict()
    assert main([*call, "--candidates", "all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 24
    assert main([*call, "--candidates", "[[9, 0, 0]]"]) == 2
    assert "A level of Se'lect is 9" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main([*call, "--candidates", "some"])


def test_each_key_alone_and_candidates_by_name_or_number(con):
    con.execute("CREATE TABLE t AS SELECT i % 3 AS f, i % 2 AS g FROM range(13) r(i)")
    f = Hierarchy((("0", "low", "*"), ("1", "low", "*"), ("2", "high", "*")), ("f", "half", "all"))
    data = sdc_sql.Microdata(con, "t", keys=["g", "f"])
    hierarchies = {"f": f, "g": Hierarchy((("0", "*"), ("1", "*")), ("g", "one"))}
    alone = data.mask.preview_recodings(hierarchies)
    assert [(p.levels, p.level_names, p.cells) for p in alone] == [
        ([0, 0], ["g", "f"], 6), ([1, 0], ["one", "f"], 3), ([0, 1], ["g", "half"], 4), ([0, 2], ["g", "all"], 2),
    ]  # fmt: skip
    # (0, 0) three times, the other five pairs twice
    first = alone[0]
    assert (first.records, first.sample_uniques, first.k, first.below_k, first.discernibility) == (13, 0, 3, 10, 29)
    assert (first.theta, first.upper_bound, first.expected_reidentifications, first.hellinger) == (None, None, None, 0)
    asked = [["one", 2], [0, "half"], [1, "all"], ["g", "1"], [0, 0]]
    found = data.mask.preview_recodings(hierarchies, asked, k=2)
    assert [(p.levels, p.below_k) for p in found] == [([1, 2], 0), ([0, 1], 0), ([0, 0], 0)]
