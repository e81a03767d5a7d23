"""Local recoding by Mondrian: k alike and every label true, the loss on a real file, odd values, and every door."""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.generalisation import mondrian as kernel

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import InputError, TableError
from sdc_sql.mask.hierarchies import Hierarchy

ADULT = [
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


def released(con, table: str, keys: list[str], k: int, more: str = "") -> list[tuple]:
    names = ", ".join(f'"{key}"' for key in keys)
    return con.execute(f"SELECT {names} FROM sdc_mondrian('{table}', {keys}, {k}, 'id'{more}) ORDER BY id").fetchall()


def holds(label: str | None, value: object, values: list) -> bool:
    """Return whether a label of a key without a hierarchy says what is true, read as a user of the file reads it."""
    if label == "*" or label == (None if value is None else str(value)):
        return True
    if label is None or value is None:
        return value is None and label is not None and label.endswith(" or NULL")
    label = label.removesuffix(" or NULL")
    if label.startswith("up to "):
        return value <= type(values[0])(label.removeprefix("up to "))
    if label.endswith(" and over"):
        return value >= type(values[0])(label.removesuffix(" and over"))
    low, _, high = label.partition(" to " if " to " in label else "-")
    return bool(high) and type(values[0])(low) <= value <= type(values[0])(high)


def test_the_example_of_the_header(persons_of_the_header):
    con = persons_of_the_header
    found = dict(zip(range(1, 9), released(con, "persons", ["age", "region"], 2), strict=True))
    assert [found[i] for i in (3, 4, 6)] == [("*", "north"), ("up to 41", "south"), ("52 and over", "south")]
    assert Counter(found.values()) == {("*", "north"): 4, ("up to 41", "south"): 2, ("52 and over", "south"): 2}


@pytest.fixture
def persons_of_the_header(con):
    con.execute(
        "CREATE TABLE persons AS FROM (VALUES (1, 30, 'north'), (2, 30, 'north'), (3, 41, 'north'), (4, 41, 'south'), "
        "(5, 41, 'south'), (6, 52, 'south'), (7, 67, 'south'), (8, 25, 'north')) AS v(id, age, region)"
    )
    return con


@pytest.fixture
def adult(con, shared):
    con.execute(f"CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM '{shared / 'data' / 'adult.parquet'}'")
    folder = shared / "data" / "adult_hierarchies"
    return con, {key: folder / f"{key}.csv" for key in ADULT}


def mean_share(path, labels: Counter, *, ranges: bool) -> float:
    """Return the mean share of a key's labels: (m - 1) / (M - 1) for m of the M leaves of its hierarchy."""
    with path.open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter=";"))
    sizes: dict[str, int] = {}
    for column in zip(*rows, strict=True):  # a label that stands on two levels stands for the same leaves
        sizes |= Counter(column)
    if ranges:
        sizes = {label: sum(holds(label, int(row[0]), [0]) for row in rows) for label in labels}
    total = sum((sizes[label] - 1) * n for label, n in labels.items())
    return total / (len(rows) - 1) / labels.total()


@pytest.mark.slow
@pytest.mark.parametrize("ranges", [True, False])
def test_the_loss_on_the_adult_data_is_less_than_half_of_the_best_of_full_domain(adult, ranges):
    con, paths = adult
    data = sdc_sql.Microdata(con, "t", keys=ADULT, id="id")
    step = data.mask.mondrian(5, hierarchies={k: p for k, p in paths.items() if not (ranges and k == "age")}, into="r")
    assert step.parameters["smallest"] >= 5
    of_key = [Counter(dict(con.execute(f'SELECT "{k}", count(*) FROM r GROUP BY ALL').fetchall())) for k in ADULT]
    mean = [
        mean_share(paths[key], labels, ranges=ranges and key == "age")
        for key, labels in zip(ADULT, of_key, strict=True)
    ]
    loss = math.prod(1 + share for share in mean) ** (1 / len(mean)) - 1
    assert loss < 0.07  # asked: 0.11; the best of full domain 0.266 where 4 % may be suppressed (ARX 3.9.2)
    for key, path in paths.items():
        if key != "age" or not ranges:
            with path.open(encoding="utf-8") as lines:
                rows = {row[0]: row for row in csv.reader(lines, delimiter=";")}
            pairs = con.execute(f'SELECT DISTINCT t."{key}", r."{key}" FROM t JOIN r USING (id)').fetchall()
            assert all(label in rows[str(value)] for value, label in pairs)


class ByHand:
    """Groups cut one by one, straight from the description in the SQL file and the formula in `splits`.

    A tree is a list for each level with the node of each value, level 0 first; None for a key in ranges.
    """

    def __init__(self, records: list[list[int]], k: int, sizes: list[int], trees: list) -> None:
        self.records, self.k, self.sizes, self.trees = records, k, sizes, trees

    def groups(self) -> list[list[int]]:
        waiting, done = [(list(range(len(self.records))), [(0, size - 1) for size in self.sizes])], []
        while waiting:
            group, runs = waiting.pop()
            cuts = [(self.in_node if tree else self.in_range)(j, group, runs[j]) for j, tree in enumerate(self.trees)]
            j = max(range(len(cuts)), key=lambda j: cuts[j][0])
            worth, parts = cuts[j]
            if worth == 0:
                done.append(sorted(group))
            else:
                waiting += [(part, [run if i == j else r for i, r in enumerate(runs)]) for part, run in parts]
        return sorted(done)

    def worth(self, j: int, parts: list[list[int]], gain: int) -> float:
        n = sum(map(len, parts))
        impurity = (n * n - sum(len(part) ** 2 for part in parts)) / n
        return gain / max(self.sizes[j] - 1, 1) / math.sqrt(impurity) if gain > 0 and impurity > 0 else 0.0

    def in_range(self, j: int, group: list[int], run: tuple[int, int]) -> tuple[float, list]:
        best: tuple[float, list] = (0.0, [])
        for below, above in pairwise(sorted({self.records[i][j] for i in group})):
            at = (below + above) // 2
            left, right = ([i for i in group if (self.records[i][j] > at) == side] for side in (False, True))
            if min(len(left), len(right)) >= self.k:
                worth = self.worth(j, [left, right], len(left) * (run[1] - at) + len(right) * (at + 1 - run[0]))
                if worth > best[0]:
                    best = worth, [(left, (run[0], at)), (right, (at + 1, run[1]))]
        return best

    def in_node(self, j: int, group: list[int], run: tuple[int, int]) -> tuple[float, list]:
        tree, places = self.trees[j], [self.records[i][j] for i in group]
        level = next(v for v in range(len(tree)) if len({tree[v][p] for p in places}) == 1)
        if level == 0:
            return 0.0, []
        children = defaultdict(list)
        for i in group:
            children[tree[level - 1][self.records[i][j]]].append(i)
        leave = {child: part for child, part in children.items() if len(part) >= self.k}
        rest = [i for child, part in children.items() if child not in leave for i in part]
        if 0 < len(rest) < self.k and leave:
            rest += leave.pop(min(leave, key=lambda child: (len(leave[child]), child)))
        whole = tree[level].count(tree[level][places[0]])
        gain = sum(len(part) * (whole - tree[level - 1].count(child)) for child, part in leave.items())
        parts = [part for part in (rest, *leave.values()) if part]
        return self.worth(j, parts, gain), [(part, run) for part in parts]


@pytest.mark.parametrize("seed", range(12))
def test_groups_are_those_that_are_found_one_by_one(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(5, 120)), int(rng.integers(2, 5))
    tree = [[0, 1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1, 1], [0] * 7]
    flat = [[0, 1, 2], [0, 0, 0]]
    records = np.stack(
        [rng.integers(0, 9, n), rng.integers(0, 7, n), rng.integers(0, 3, n), rng.integers(0, 4, n)], axis=1
    )
    cells, counts = np.unique(records, axis=0, return_counts=True)
    nodes = []
    for levels in (tree, flat):
        low = [[level.index(node) for node in level] for level in levels]
        high = [[len(level) - 1 - level[::-1].index(node) for node in level] for level in levels]
        nodes.append(kernel.Nodes(np.array(low), np.array(high)))
    of, low, high = kernel.mondrian(cells, counts, k, [9, *nodes, 4])
    assert np.bincount(of, counts).min() >= k
    assert (low[of] <= cells).all()
    assert (cells <= high[of]).all()
    by_hand = ByHand(np.repeat(cells, counts, axis=0).tolist(), k, [9, 7, 3, 4], [None, tree, flat, None])
    groups = defaultdict(list)
    for i, group in enumerate(np.repeat(of, counts).tolist()):
        groups[group].append(i)
    assert sorted(groups.values()) == by_hand.groups()


def test_a_range_tells_neither_the_extremes_of_its_group_nor_those_of_the_file(con):
    con.execute("CREATE TABLE t AS SELECT i AS id, [1, 2, 3, 50, 51, 52][1 + i // 4] AS x FROM range(24) AS r(i)")
    assert {x for (x,) in released(con, "t", ["x"], 9)} == {"up to 3", "50 and over"}
    places = np.array([[1, 0], [2, 0], [9, 0], [8, 0], *([i, 1] for i in range(12))])
    of, low, high = kernel.mondrian(places, np.full(16, 2), 4, [12, 2])  # of the first four the values 1, 2 and 8, 9
    ends = {(low[group, 0], high[group, 0]) for group in of[:4]}
    assert ends == {(0, 5), (6, 11)}


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("k", [2, 5])
def test_labels_hold_their_values_of_every_type_and_missing_ones(con, k):
    con.execute(
        '''CREATE TABLE "k" AS SELECT i AS id, CASE WHEN i % 5 > 0 THEN i * 7 % 23 - 4 END AS "Select",
        (i * 3 % 11)::DOUBLE / 4 AS f, CASE WHEN i % 3 > 0 THEN i % 2 = 0 END AS "it's",
        CASE WHEN i % 7 > 0 THEN ['a', 'b', 'c-d'][1 + i % 3] END AS "a ""b""" FROM range(60) AS r(i)'''
    )
    keys = ["Select", "f", "it's", 'a "b"']
    data = sdc_sql.Microdata(con, "k", keys=keys, id="id")
    before = con.execute('FROM "k" ORDER BY id').fetchall()
    assert data.mask.mondrian(k, into="r").parameters["smallest"] >= k
    after = con.execute("FROM r ORDER BY id").fetchall()
    columns = [*zip(*before, strict=True)]
    for old, new in zip(before, after, strict=True):
        assert old[0] == new[0]
        for value, label, column in zip(old[1:3], new[1:3], columns[1:3], strict=True):
            assert holds(label, value, [v for v in column if v is not None])
        for value, label in zip(old[3:], new[3:], strict=True):
            assert label == "*" or label == (None if value is None else str(value).lower())
    assert any(row[1] != "*" for row in after)
    assert min(Counter(row[1:] for row in after).values()) >= k


def test_dates_and_missing_values_in_ranges(con):
    day = "CASE WHEN i > 1 THEN DATE '2001-01-01' + (i // 2)::INTEGER END"
    con.execute(f"CREATE TABLE t AS SELECT i AS id, {day} AS day FROM range(24) AS r(i)")
    assert Counter(day for (day,) in released(con, "t", ["day"], 5)) == {
        "up to 2001-01-03 or NULL": 6, "2001-01-04 to 2001-01-06": 6, "2001-01-07 to 2001-01-09": 6,
        "2001-01-10 and over": 6,
    }  # fmt: skip
    assert Counter(day for (day,) in released(con, "t", ["day"], 2))[None] == 2


@pytest.mark.slow
def test_hierarchies_in_every_form(con, tmp_path):
    con.execute(
        "CREATE TABLE t AS SELECT i AS id, ['a1', 'a2', 'b1', NULL][1 + least(i // 3, 3)] AS x FROM range(12) r(i)"
    )
    rows = (("a1", "a", "*"), ("a2", "a", "*"), ("b1", "b", "*"), ("b2", "b", "*"), (None, "b", "*"))
    (tmp_path / "x.csv").write_text("\n".join(";".join(part or "" for part in row) for row in rows), encoding="utf-8")
    con.execute(
        "CREATE TABLE levels AS FROM (VALUES ('a1', 'a', '*'), ('a2', 'a', '*'), ('b1', 'b', '*'), ('b2', 'b', '*'), "
        "(NULL, 'b', '*')) AS v(code, letter, whole)"
    )
    con.execute("CREATE TABLE long AS FROM sdc_hierarchy('levels', 'X')")
    con.execute(f"COPY long TO '{tmp_path / 'long.parquet'}'")
    (tmp_path / "of_keys").mkdir()
    (tmp_path / "of_keys" / "x.csv").write_bytes((tmp_path / "x.csv").read_bytes())
    data = sdc_sql.Microdata(con, "t", keys=["x"], id="id")
    forms = [{"X": Hierarchy(rows)}, {"x": tmp_path / "x.csv"}, {"x": str(tmp_path / "x.csv")}, {"x": "levels"}, "long"]
    for number, given in enumerate([*forms, str(tmp_path / "long.parquet"), tmp_path / "of_keys"]):
        data.mask.mondrian(4, hierarchies=given, into=f"r{number}")
        assert Counter(v for (v,) in con.execute(f"SELECT x FROM r{number}").fetchall()) == {"a": 6, "b": 6}
    assert json.loads(con.execute("SELECT parameters FROM sdc_steps LIMIT 1").fetchone()[0])["hierarchies"] == ["X"]
    assert {x for (x,) in released(con, "t", ["x"], 3, ", hierarchies := 'long'")} == {"a1", "a2", "b1", None}


@pytest.mark.slow
def test_wrong_input_is_told_and_no_value_is_shown(con):
    con.execute("CREATE TABLE t AS SELECT i AS id, 'secret' || i % 3 AS x, [i] AS l FROM range(9) r(i)")
    data = sdc_sql.Microdata(con, "t", keys=["x"], id="id")
    one = Hierarchy((("secret0", "*"),))
    for given, words in (
        ({"k": 1}, "k is 1"),
        ({"k": 10}, "fewer than k = 10"),
        ({"k": 2, "keys": []}, "name at least one"),
        ({"k": 2, "hierarchies": {"y": one}}, "y"),
        ({"k": 2, "hierarchies": {"x": 3}}, "A hierarchy is"),
        ({"k": 2, "hierarchies": {"x": one}}, "2 values of x have no row"),
        ({"k": 2, "hierarchies": "nowhere"}, "nowhere"),
        ({"k": 2, "keys": ["l"]}, "in whose place no label can stand"),
        ({"k": 2, "keys": ["id"]}, "is the id"),
    ):
        with pytest.raises(InputError, match=words) as told:
            data.mask.mondrian(**given, into="r")
        assert "secret" not in str(told.value)
    for k in ("1", "NULL", "2.5"):
        with pytest.raises(duckdb.Error, match="k is"):
            con.execute(f"FROM sdc_mondrian('t', ['x'], {k}, 'id')").fetchall()


@pytest.mark.slow
def test_in_place_text_takes_the_place_of_numbers_and_what_is_not_proved_is_not_written(con, monkeypatch):
    con.execute("CREATE TABLE t AS SELECT i AS id, i AS x, i % 4 AS y FROM range(8) r(i)")
    data = sdc_sql.Microdata(con, "t", keys=["x"], id="id")
    before = con.execute("FROM t ORDER BY id").fetchall()
    honest = kernel.mondrian

    def each_alone(places, counts, _k, keys):
        return honest(places, counts, 1, keys)

    with monkeypatch.context() as faulty:
        faulty.setattr(kernel, "mondrian", each_alone)
        with pytest.raises(TableError, match="8 released records are not among k alike"):
            data.mask.mondrian(2)
    assert con.execute("FROM t ORDER BY id").fetchall() == before
    step = data.mask.mondrian(4)
    assert (step.changed, step.parameters["classes"], step.parameters["average_class"]) == (8, 2, 4)
    assert [row[1:] for row in con.execute("DESCRIBE t").fetchall()][1][0] == "VARCHAR"
    wanted = [(i, "up to 3" if i < 4 else "4 and over", y) for i, _, y in before]
    assert con.execute("FROM t ORDER BY id").fetchall() == wanted


def test_the_same_in_any_order_of_rows_and_on_any_number_of_threads(con):
    con.execute(
        "CREATE TABLE t AS SELECT i AS id, hash(i) % 50 AS x, 'c' || hash(i, 1) % 9 AS y, hash(i, 2) % 7 AS z "
        "FROM range(5000) AS r(i)"
    )
    con.execute("CREATE TABLE backwards AS FROM t ORDER BY hash(id, 3)")
    found = []
    for table, threads in (("t", 1), ("backwards", 4)):
        con.execute(f"SET threads = {threads}")
        found.append(released(con, table, ["x", "y", "z"], 3))
    con.execute("RESET threads")
    assert found[0] == found[1]
    assert len(set(found[0])) > 800


@pytest.mark.slow
def test_on_the_command_line(tmp_path, monkeypatch, capsys, con):
    monkeypatch.chdir(tmp_path)
    con.execute("COPY (SELECT i AS id, i // 2 AS age, '0' || i % 2 AS area FROM range(40) r(i)) TO 'in.csv'")
    con.execute("CREATE TABLE areas AS FROM (VALUES ('00', '0*'), ('01', '0*')) v(area, country)")
    con.execute("COPY (FROM sdc_hierarchy('areas', 'area')) TO 'hierarchies.csv'")
    command = ["mask", "mondrian", "in.csv", "--id", "id", "--columns", "age,area", "--k", "4", "--json"]
    assert main([*command, "--hierarchies", "hierarchies.csv", "--output", "out.parquet"]) == 0
    (step,) = json.loads(capsys.readouterr().out)
    assert step["parameters"]["smallest"] >= 4
    rows = con.execute("SELECT age, area FROM 'out.parquet'").fetchall()
    assert {area for _, area in rows} <= {"00", "01", "0*"}
    assert any(age.startswith("up to ") for age, _ in rows)


def test_what_was_released_is_counted_class_by_class(con):
    con.execute("CREATE TABLE r AS SELECT i AS id, CASE WHEN i > 1 THEN i // 5 END AS x, 'n' AS y FROM range(10) t(i)")
    found = execute(con, "SELECT classes, smallest, average_class FROM sdc__mondrian_proof('r', ['x', 'y'], 2)")
    assert found.fetchall() == [(3, 2, 10 / 3)]  # two are NULL, three are 0, five are 1
    with pytest.raises(duckdb.Error, match="2 released records are not among k alike"):
        execute(con, "FROM sdc__mondrian_proof('r', ['x', 'y'], 3)").fetchall()
