"""Local recoding in a series: boxes of the whole space, merged for all where too few stay, and never cut again."""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.generalisation import splits
from sdc_sql.udfs.generalisation.boxes import ENDED, make_questions
from sdc_sql.udfs.generalisation.mondrian import mondrian

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import SeriesError, TableError
from tests.series.test_kept_values import Nights
from tests.series_world import KEY

K = 4
RANGE = re.compile(r"(?:over (?P<low>\S+?))?(?: ?(?:to|up to) (?P<high>\S+?))?(?P<null> or NULL)?")


@functools.cache
def holds(label: str | None, value: float | None) -> bool:
    """Return whether a range holds a value, by what its label says to who reads it."""
    if label is None or value is None:
        return value is None and (label in {None, "*"} or label.endswith("or NULL"))
    found = RANGE.fullmatch(label)
    if label == "*" or found is None:
        return label == "*"
    low, high = found["low"], found["high"]
    return (low is None or float(low) < value) and (high is None or value <= float(high))


@pytest.mark.parametrize("seed", range(6))
def test_every_point_lies_in_one_box_and_the_groups_are_those_of_mondrian(seed):
    """By brute force over the whole space: questions part the records as the groups do, and runs hold their boxes."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 120)), int(rng.integers(2, 5))
    tree = [[0, 1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 1, 2, 2], [0, 0, 0, 0, 0, 1, 1], [0] * 7]
    low = np.array([[level.index(node) for node in level] for level in tree])
    high = np.array([[len(level) - 1 - level[::-1].index(node) for node in level] for level in tree])
    records = np.stack([rng.integers(0, 9, n), rng.integers(0, 7, n)], axis=1)
    cells, counts = np.unique(records, axis=0, return_counts=True)
    keys = [9, splits.Nodes(low, high)]
    questions, (of, _, _) = make_questions(cells, counts, k, keys), mondrian(cells, counts, k, keys)
    box = questions.find_boxes(cells)
    assert len({*zip(box.tolist(), of.tolist(), strict=True)}) == len({*box.tolist()}) == len({*of.tolist()})
    space = np.array([(a, b) for a in range(9) for b in range(7)])
    lows, highs = questions.find_runs([(0, 8), (0, 6)], [True, False])
    found = questions.find_boxes(space)
    assert (questions.key[found] == ENDED).all()
    assert ((lows[found] <= space) & (space <= highs[found])).all()


def make_people(n: int, seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        "id": np.arange(n), "age": rng.integers(18, 91, n), "x": rng.lognormal(3, 1, n).round(1),
        "r": np.array([f"r{i:02d}" for i in rng.geometric(0.15, n).clip(1, 12)]),
        "m": np.array([None if v < 2 else v for v in rng.integers(0, 9, n).tolist()], dtype=object),
    }  # fmt: skip


def mask_boxes(mask, into: str) -> None:
    mask.mondrian(K, keys=["age", "x", "r", "m"], into=into)


def take(people, rows, **changed):
    return {name: pa.array(changed.get(name, column)[rows].tolist()) for name, column in people.items()}


def count_classes(released) -> Counter:
    return Counter(released.values())


def lies_in(box, people, rows) -> np.ndarray:
    """Return which persons have values that the labels of a box hold."""
    inside = np.isin(people["r"][rows], [box[2]]) | (box[2] == "*")
    for label, name in zip((box[0], box[1], box[3]), ("age", "x", "m"), strict=True):
        inside &= np.array([holds(label, v) for v in people[name][rows].tolist()])
    return inside


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        yield con


@pytest.mark.slow
def test_ten_nights(con, tmp_path):
    """Each label holds its value and k records show it; of an unchanged record each night's box lies within the next.

    So all nights together tell what the first tells: of each box that a record was in, k that were in it that night.
    """
    people, rng = make_people(200, 3), np.random.default_rng(4)
    nights = Nights(con, tmp_path, call=mask_boxes)
    shown: dict[int, list] = defaultdict(list)
    coarser = 0
    for night in range(10):
        rows = np.arange(4 * night, 160 + 4 * night)
        if night:
            moved = rng.choice(rows[:-4], 4, replace=False)
            people["age"][moved] = rng.integers(18, 91, 4)
            people["r"][moved[:2]] = "new"
        released = nights.release(take(people, rows))
        assert len(released) > 0.98 * len(rows) - 4 * night  # those who moved wait
        assert min(count_classes(released).values()) >= K
        for i, (age, x, r, m) in released.items():
            assert holds(age, people["age"][i])
            assert holds(x, people["x"][i])
            assert holds(m, people["m"][i])
            assert r in {"*", people["r"][i]}
            own = people["age"][i], people["x"][i], people["r"][i], people["m"][i]
            if shown[i] and shown[i][-1][0] == own:
                before = shown[i][-1][1]
                if before != (age, x, r, m):  # whoever lies in the box of the night before lies in this one
                    coarser += 1
                    inside = lies_in(before, people, rows)
                    assert (inside <= lies_in((age, x, r, m), people, rows)).all()
                    assert inside.any()
            shown[i].append((own, (age, x, r, m)))
    assert coarser  # boxes were merged


@pytest.mark.slow
def test_newcomers_beyond_everything_and_alone_among_values(con, tmp_path):
    """Older than all, younger than all, of a region that nobody had, without a value: each has a label that holds him.

    No label tells of who is there: those of the others stay as they were.
    """
    people = make_people(300, 5)
    more = {"id": [900, 901, 902, 903], "age": [120, 1, 40, None], "x": [1e9, 0.0, 20.0, None]}
    more |= {"r": ["nowhere", "r01", None, "r01"], "m": [99, -5, None, 3]}
    nights = Nights(con, tmp_path, call=mask_boxes)
    first = nights.release(take(people, np.arange(300)))
    second = nights.release({name: pa.array(column.tolist() + more[name]) for name, column in people.items()})
    assert {i: second[i] for i in first} == first
    for i in {900, 901, 902, 903} & {*second}:
        place = i - 900
        for label, value in zip(second[i], (more[name][place] for name in ("age", "x", "r", "m")), strict=True):
            assert label == value if isinstance(value, str) and label != "*" else holds(label, value)


def boxes_of_one_key(con, tmp_path, ages):
    """Release persons by age alone, one release for each list, and return what each shows."""
    nights = Nights(con, tmp_path, call=lambda mask, into: mask.mondrian(3, keys=["age"], into=into))
    tables = ({"id": [*some], "age": [*some.values()]} for some in ages)
    shown = [nights.release(table, most_new=1.0, returning=True) for table in tables]
    return [{i: label for i, (label,) in released.items()} for released in shown]


@pytest.mark.slow
def test_boxes_with_too_few_who_stay_are_merged_for_all_and_stay_merged(con, tmp_path):
    """By hand: of three boxes the middle one loses a person, and joins the neighbour that costs least."""
    start = dict(enumerate([20, 20, 20, 40, 40, 40, 90, 90, 90]))
    gone = {i: age for i, age in start.items() if i != 4}
    later = gone | {20: 40}  # a newcomer in the box does not stand for the one who left
    one, two, three, four = boxes_of_one_key(con, tmp_path, [start, later, later | {21: 40, 22: 40}, start | {20: 40}])
    assert count_classes(one) == {"up to 20 or NULL": 3, "over 20 to 40": 3, "over 40": 3}
    # of three places each box has one: with either neighbour the merged one has two, and the first one is taken
    assert count_classes(two) == {"up to 40 or NULL": 6, "over 40": 3}
    assert {two[i] for i in (0, 1, 2, 3, 5, 20)} == {"up to 40 or NULL"}
    assert {i: three[i] for i in two} == two  # and stay so, though three more came
    assert {i: four[i] for i in two} == two


@pytest.mark.slow
def test_where_nobody_stood_newcomers_wait_for_k(con, tmp_path):
    """All of a box leave: it is empty. Two who come to it wait, a third opens it; nobody else's label tells of them."""
    start = dict(enumerate([20, 20, 20, 40, 40, 40, 90, 90, 90]))
    rest = {i: age for i, age in start.items() if age < 90}
    two = rest | {10: 95, 11: 96}
    one, left, waiting, opened = boxes_of_one_key(con, tmp_path, [start, rest, two, two | {12: 97}])
    assert {i: one[i] for i in rest} == left == waiting
    assert {opened[i] for i in (10, 11, 12)} == {"over 40"}
    assert {i: opened[i] for i in rest} == left


@pytest.mark.slow
def test_who_moves_to_where_nobody_stood_waits(con, tmp_path):
    """Were boxes merged for him, the merging would tell where he is: he was seen elsewhere, and all others stayed."""
    start = dict(enumerate([20, 20, 20, 20, 40, 40, 40, 90, 90, 90]))
    rest = {i: age for i, age in start.items() if age < 90}
    one, left, moved = boxes_of_one_key(con, tmp_path, [start, rest, rest | {3: 95}])
    assert left[3] == one[3]
    assert 3 not in moved
    assert moved == {i: label for i, label in left.items() if i != 3}


@pytest.mark.slow
def test_repeating_gives_the_bits_and_too_few_are_refused(con, tmp_path):
    people = make_people(200, 6)
    nights = Nights(con, tmp_path, call=mask_boxes)
    tables = [take(people, np.arange(20 * n, 120 + 20 * n)) for n in range(3)]
    released = [nights.release(table) for table in tables]
    heads = [""]
    for n, table in enumerate(tables):
        con.register("given", pa.table(table))
        con.execute("CREATE OR REPLACE TABLE tonight AS FROM given")
        con.unregister("given")
        con.execute("DROP TABLE IF EXISTS again")
        with sdc_sql.Series(tmp_path / "s.ledger", "p", f"night {n + 1}", after=heads[-1]) as series:
            mask_boxes(sdc_sql.Microdata(con, "tonight", id="id", series=series).mask, "again")
        heads.append(series.head)
        assert {i: tuple(row) for i, *row in con.execute("FROM again").fetchall()} == released[n]
    with pytest.raises(SeriesError, match=f"No box has k = {K} records"):
        nights.release(take(people, np.arange(199, 200)), most_new=1.0)


@pytest.mark.slow
def test_along_hierarchies(con, tmp_path):
    """Values that nobody had lie in a box by their hierarchy; merged boxes have the label of a node that holds both."""
    groups = {f"r{i}": (f"r{i}", f"g{i // 3}", "*") for i in range(9)}
    levels = sdc_sql.Hierarchy(tuple(groups.values()))
    con.execute("CREATE TABLE here AS SELECT i AS id, 'r' || (i % 8) AS r, i // 8 AS age FROM range(160) t(i)")

    def mask(mask, into: str) -> None:
        mask.mondrian(5, keys=["r", "age"], hierarchies={"r": levels}, into=into)

    nights = Nights(con, tmp_path, call=mask)
    nights.release("here")
    con.execute("INSERT INTO here VALUES (200, 'r8', 3), (201, 'r8', 19)")
    for gone in ("id % 40 = 7", "id % 40 = 8", "r = 'r2' AND id > 90"):
        con.execute(f"DELETE FROM here WHERE {gone}")
        released = nights.release("here")
        assert min(count_classes(released).values()) >= 5
        for i, r, age in con.execute("FROM here").fetchall():
            assert i >= 200 or i in released
            if i in released:
                assert released[i][0] in groups[r]
                assert holds(released[i][1], age)
    con.execute("INSERT INTO here VALUES (300, 'elsewhere', 3)")
    with pytest.raises(TableError, match="1 records have a value of r that has no row in its hierarchy"):
        nights.release("here")


@pytest.mark.slow
def test_what_is_refused(con, tmp_path):
    people = make_people(200, 7)
    nights = Nights(con, tmp_path, call=mask_boxes)
    table = take(people, np.arange(200))
    nights.release(table)
    nights.call = lambda mask, into: mask.mondrian(K + 1, keys=["age", "x", "r", "m"], into=into)
    with pytest.raises(SeriesError, match=r"its arguments differ \(k\)"):
        nights.release(table)
    nights.call = mask_boxes
    with pytest.raises(SeriesError, match="age has the type DOUBLE, and had BIGINT in the first release"):
        nights.release(table | {"age": pa.array(people["age"] * 1.5)})
    con.execute("CREATE TABLE two_ways AS SELECT i AS id, i % 5 AS a, i % 3 AS b FROM range(60) t(i)")
    series = sdc_sql.Series(tmp_path / "b", "b", "1")
    data = sdc_sql.Microdata(con, "two_ways", id="id", keys=["b"], series=series)
    data.mask.mondrian(3, keys=["a"])
    for call in (lambda: data.mask.local_suppression(3), lambda: data.mask.mondrian(3, keys=["b"])):
        with pytest.raises(SeriesError, match="Use one of them, for all keys"):
            call()


@pytest.mark.slow
def test_who_waits_by_one_step_is_in_none_and_counts_in_no_box(con, tmp_path):
    """A newcomer in a stratum without an average waits; boxes of the same release are counted without him."""
    con.execute("CREATE TABLE t AS SELECT i AS id, 'a' AS s, (i * i)::DOUBLE AS x, i // 6 AS age FROM range(24) r(i)")
    head = ""
    for name in ("one", "two"):
        with sdc_sql.Series(tmp_path / "l", "p", name, after=head) as series:
            data = sdc_sql.Microdata(con, "t", id="id", series=series)
            data.mask.microaggregate("x", 3, stratum="s", into=f"half {name}")
            half = sdc_sql.Microdata(con, f'"half {name}"', id="id", series=series)
            half.mask.mondrian(3, keys=["age"], into=name)
        head = series.head
        con.execute("DELETE FROM t WHERE id IN (0, 1, 2, 3)")  # two stay, and one comes who waits
        con.execute("INSERT INTO t VALUES (99, 'b', 7.0, 0)")
    found = dict(con.execute("SELECT age, count(*) FROM two GROUP BY age").fetchall())
    assert con.execute("SELECT count(*) FROM two WHERE id = 99").fetchone() == (0,)
    assert series.counts["waiting"] == 1
    assert min(found.values()) >= 3
    assert len(found) == 3  # of four boxes; with him the first one would have stood


@pytest.mark.slow
def test_other_doors(con, tmp_path, monkeypatch, capsys):
    """On the command line a release each, and a release file with the certificate of the one before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDC_KEY", KEY)
    people = make_people(200, 8)
    head: list[str] = []
    for n in range(2):
        con.register("given", pa.table(take(people, np.arange(10 * n, 150 + 10 * n))))
        con.execute(f"COPY (SELECT id, age, r FROM given) TO 'in{n}.parquet'")
        con.unregister("given")
        command = ["mask", "mondrian", f"in{n}.parquet", "--id", "id", "--columns", "age,r", "--k", "4"]
        command += ["--ledger", "l", "--series", "s", "--series-release", f"n{n}", "--output", f"out{n}.parquet", *head]
        assert main(command) == 0
        told = capsys.readouterr().err
        head = ["--after", re.search(r"--after (\w+)", told)[1]]
    moved = con.execute("""
        SELECT count(*) FILTER (a.age <> b.age AND NOT starts_with(b.age, 'over')), count(*)
        FROM 'out0.parquet' a JOIN 'out1.parquet' b USING (id)""").fetchone()
    assert moved[1] >= 130
    ((least,),) = con.execute("SELECT min(n) FROM (SELECT count(*) n FROM 'out1.parquet' GROUP BY age, r)").fetchall()
    assert least >= 4


FILE = """
release = "{release}"
[source]
path = "{release}.parquet"
[roles]
id = "id"
[[scenarios]]
name = "neighbour"
keys = ["age", "r"]
limits = ["k_anonymity.4.records <= 0"]
nulls = "category"
[[steps]]
mask = "mondrian"
keys = ["age", "r"]
k = 4
[series]
ledger = "s.ledger"
name = "persons"
disk_encrypted = true
{after}
[output]
path = "{release}.csv"
ids = "keep"
certificate = "{release}.json"
"""


@pytest.mark.slow
def test_release_files(con, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    people, after = make_people(160, 9), ""
    for n, name in enumerate(("one", "two")):
        con.register("given", pa.table(take(people, np.arange(8 * n, 140 + 8 * n))))
        con.execute(f"COPY (SELECT id, age, r FROM given) TO '{tmp_path}/{name}.parquet'")
        con.unregister("given")
        (tmp_path / f"{name}.toml").write_text(FILE.format(release=name, after=after), encoding="utf-8")
        assert sdc_sql.run_release(tmp_path / f"{name}.toml").accepted
        after = f'after = "{name}.json"'
    assert sdc_sql.verify(tmp_path / "two.json", tmp_path / "two.csv", release=tmp_path / "two.toml").holds
    stayed = con.execute(f"""
        SELECT count(*), count(*) FILTER ((a.age, a.r) IS NOT DISTINCT FROM (b.age, b.r))
        FROM '{tmp_path}/one.csv' a JOIN '{tmp_path}/two.csv' b USING (id)""").fetchone()
    assert stayed[0] == 132
    assert stayed[1] > 60
