"""Local recoding in a series: boxes of the whole space, merged for all where too few stay, and never cut again."""

from __future__ import annotations

import json
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
from sdc_sql.errors import SdcError, SeriesError, TableError
from tests.series.test_kept_values import Nights
from tests.series_world import KEY

K = 4
RANGE = re.compile(r"(?:over (?P<low>\S+?))?(?: ?(?:to|up to) (?P<high>\S+?))?(?P<null> or NULL)?")


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
    """By brute force over the whole space: the questions part the records as the groups do, and runs hold their boxes."""
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
    people, rng = make_people(700, 3), np.random.default_rng(4)
    nights = Nights(con, tmp_path, call=mask_boxes)
    shown: dict[int, list] = defaultdict(list)
    coarser = 0
    for night in range(10):
        rows = np.arange(8 * night, 620 + 8 * night)
        if night:
            moved = rng.choice(rows[:-8], 6, replace=False)
            people["age"][moved] = rng.integers(18, 91, 6)
            people["r"][moved[:3]] = "new"
        released = nights.release(take(people, rows))
        assert len(released) > 0.98 * len(rows)
        assert min(count_classes(released).values()) >= K
        for i, (age, x, r, m) in released.items():
            assert holds(age, people["age"][i])
            assert holds(x, people["x"][i])
            assert holds(m, people["m"][i])
            assert r in {"*", people["r"][i]}
            own = people["age"][i], people["x"][i], people["r"][i], people["m"][i]
            if shown[i] and shown[i][-1][0] == own:
                before = shown[i][-1][1]
                coarser += before != (age, x, r, m)
                # whoever lies in the box of the night before lies in this one: nothing is cut
                for j in rows.tolist():
                    inside = holds(before[0], people["age"][j]) and holds(before[1], people["x"][j])
                    inside = inside and holds(before[3], people["m"][j]) and before[2] in {"*", people["r"][j]}
                    wide = holds(age, people["age"][j]) and holds(x, people["x"][j]) and holds(m, people["m"][j])
                    assert not inside or (wide and r in {"*", people["r"][j]})
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
    second = nights.release(
        {name: pa.array(column.tolist() + more[name]) for name, column in people.items()}
    )
    assert {i: second[i] for i in first} == first
    for i in {900, 901, 902, 903} & {*second}:
        place = i - 900
        for label, value in zip(second[i], (more[name][place] for name in ("age", "x", "r", "m")), strict=True):
            assert label == value if isinstance(value, str) and label != "*" else holds(label, value)


def boxes_of_one_key(con, tmp_path, ages):
    """Release persons by age alone, one release for each list, and return what each shows."""
    nights = Nights(con, tmp_path, call=lambda mask, into: mask.mondrian(3, keys=["age"], into=into))
    shown = []
    for some in ages:
        shown.append({i: label for i, (label,) in nights.release({"id": [*some], "age": [*some.values()]}, most_new=1.0).items()})
    return shown


@pytest.mark.slow
def test_boxes_with_too_few_who_stay_are_merged_for_all_and_stay_merged(con, tmp_path):
    """By hand: of three boxes the middle one loses a person, and joins the neighbour that costs least, whoever comes."""
    start = dict(enumerate([20, 21, 22, 40, 41, 42, 90, 91, 92]))
    gone = {i: age for i, age in start.items() if i != 4}
    later = gone | {20: 41}  # a newcomer in the box does not stand for the one who left
    one, two, three, four = boxes_of_one_key(con, tmp_path, [start, later, later | {21: 41, 22: 41}, start | {20: 41}])
    assert count_classes(one) == {"up to 22 or NULL": 3, "over 22 to 42": 3, "over 42": 3}
    merged = one[0] if two[3] == two[0] else one[8]
    assert {two[3], two[5], two[20]} < {*two.values()}
    assert two[3] == two[5] == two[20]
    assert two[3] in {"up to 42 or NULL", "over 22"}
    assert len({*two.values()}) == 2
    assert merged not in {*two.values()}
    assert {i: three[i] for i in two} == two  # and stay so, though three more came
    assert {i: four[i] for i in two} == two


@pytest.mark.slow
def test_where_nobody_stood_newcomers_wait_for_k(con, tmp_path):
    """All of a box leave: it is empty. Two who come to it wait, a third opens it; nobody else's label tells of them."""
    start = dict(enumerate([20, 21, 22, 40, 41, 42, 90, 91, 92]))
    rest = {i: age for i, age in start.items() if age < 90}
    two = rest | {10: 95, 11: 96}
    one, left, waiting, opened = boxes_of_one_key(con, tmp_path, [start, rest, two, two | {12: 97}])
    assert {i: one[i] for i in rest} == left == waiting
    assert {opened[i] for i in (10, 11, 12)} == {"over 42"}
    assert {i: opened[i] for i in rest} == left


@pytest.mark.slow
def test_who_moves_to_where_nobody_stood_waits(con, tmp_path):
    """Were boxes merged for him, the merging would tell where he is: he was seen elsewhere, and all others stayed."""
    start = dict(enumerate([20, 21, 22, 23, 40, 41, 42, 90, 91, 92]))
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
    heads = ["", *json.loads("[]")]
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
    """Values of the hierarchy that nobody had fall into a box; merged boxes have a node that holds both, by its label."""
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
    con.execute("CREATE TABLE both AS SELECT i AS id, i % 5 AS a, i % 3 AS b FROM range(60) t(i)")
    with pytest.raises(SeriesError, match="Use one of them"), sdc_sql.Series(tmp_path / "b", "b", "1") as series:
        data = sdc_sql.Microdata(con, "both", id="id", keys=["b"], series=series)
        data.mask.mondrian(3, keys=["a"])
        data.mask.local_suppression(3)


@pytest.mark.slow
def test_who_waits_by_one_step_is_in_none_and_counts_in_no_box(con, tmp_path):
    """A newcomer in a stratum without an average waits; in the boxes of the same release k are counted without him."""
    start = {"id": [*range(30)], "s": ["a"] * 30, "x": [float(i * i) for i in range(30)], "age": [i // 3 for i in range(30)]}

    def mask(mask, into: str) -> None:
        mask.microaggregate("x", 3, stratum="s", into="half")
        sdc_sql.Microdata(con, "half", id="id", series=mask.data.series).mask.mondrian(3, keys=["age"], into=into)

    nights = Nights(con, tmp_path, call=mask)
    try:
        nights.release(start)
    finally:
        con.execute("DROP TABLE IF EXISTS half")


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
    assert SdcError
