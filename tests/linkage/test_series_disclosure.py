"""The intruder over all releases of a series, against one written in Python: dense least squares, lists and sets."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest

from sdc_sql import Microdata
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import ColumnError, ParameterError, SdcError, TableError

TABLES = ('"o 1"', '"Select"', "k"), ('"r\'1"', "f", '"r 3"')  # the originals, and what was released of them


def attack(nights, width=0.1):
    """Return what an intruder makes of the released numbers of a column: nights are (originals, released) by person.

    Written from the definitions alone: values by their states, groups by their number, everything dense.
    """
    errors = [abs(y[p] - x[p]) for x, y in nights for p in y if y[p] is not None and y[p] != x[p]]
    within = width * float(np.median(errors)) if errors else 0.0
    said = defaultdict(list)
    for x, y in nights:
        for p, v in y.items():
            said[p, x[p]].append(v)
    states = sorted(said)
    known = {s: [v for v in said[s] if v is not None] for s in states}
    rows, means = [], []
    for x, y in nights:
        for value in {v for v in y.values() if v is not None}:
            those = [states.index((p, x[p])) for p in y if y[p] == value]
            rows.append([1 / len(those) if i in those else 0.0 for i in range(len(states))])
            means.append(value)
    begin = np.array([np.mean(known[s]) if known[s] else 0.0 for s in states])
    # each value is weighed by how often it was released, each equation by the root of its size
    often = np.array([max(len(known[s]), 1) for s in states], dtype=float) ** -0.5
    size = np.array([1 / max(r) for r in rows]) ** 0.5
    design = np.array(rows) * size[:, None]
    solved = begin + often * np.linalg.lstsq(design * often, np.array(means) * size - design @ begin, rcond=1e-9)[0]
    found = {
        "equations": {s for i, s in enumerate(states) if known[s] and abs(solved[i] - s[1]) <= within},
        "midpoint": {s for s in states if known[s] and abs((min(known[s]) + max(known[s])) / 2 - s[1]) <= within},
        "mode": {
            s for s in states if known[s] and abs(max(known[s], key=Counter(known[s]).__getitem__) - s[1]) <= within
        },
    }
    one = {s for s in states if said[s][0] is not None and abs(said[s][0] - s[1]) <= within}
    hidden = {s for s in states if None in said[s]}
    return within, states, one, found, hidden, {s for s in hidden if known[s]}


def make_nights(seed):
    """Return three nights of a small table whose groups of three are averaged, with some suppressed."""
    rng = np.random.default_rng(seed)
    people = {p: int(v) for p, v in enumerate(rng.integers(100, 9000, 12))}
    nights = []
    for night in range(3):
        if night:
            del people[int(rng.choice(list(people)))]
            people[20 + night] = int(rng.integers(100, 9000))
            people[int(rng.choice(list(people)))] = int(rng.integers(100, 9000))
        order = sorted(people, key=lambda p: people[p] + float(rng.normal(0, 900)))
        released = {}
        for at in range(0, len(order), 3):
            those = order[at : at + 3]
            released |= dict.fromkeys(those, sum(people[p] for p in those) / len(those))
        released[order[int(rng.integers(len(order)))]] = None
        nights.append((dict(people), released))
    return nights


def store(con, nights, column='"it\'s"'):
    for (x, y), before, after in zip(nights, *TABLES, strict=True):
        for values, table in ((x, before), (y, after)):
            con.execute(f"CREATE OR REPLACE TABLE {table} (id BIGINT, {column} DOUBLE)")
            con.executemany(f"INSERT INTO {table} VALUES (?, ?)", [*values.items()])
    return ("k", "r 3", ["it's"], "id", ['"o 1"', "Select"], ['"r\'1"', "f"])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [1, 2])
def test_against_dense_least_squares(con, seed):
    nights = make_nights(seed)
    given = store(con, nights)
    within, states, one, found, hidden, shown = attack(nights)
    (row,) = Microdata(con, "r 3", id="id").linkage.series_disclosure("k", ["it's"], [*given[4]], [*given[5]])
    best = max(found, key=lambda name: len(found[name]))
    assert row.variable == "it's"
    assert (row.releases, row.values, row.one, row.suppressed, row.shown) == (
        3, len(states), len(one), len(hidden), len(shown),
    )  # fmt: skip
    assert row.within == pytest.approx(within)
    assert row.together == max(len(found[best]), len(one))
    assert row.gain == pytest.approx(max(len(found[best]) - len(one), 0) / (len(states) - len(one)))
    records = con.execute("SELECT * FROM sdc_series_disclosure_records(?, ?, ?, ?, ?, ?)", given).fetchall()
    expected = found[best] if row.attack != "none" else one
    assert sorted((int(i), together) for i, _, _, together in records) == sorted(
        Counter({p: sum((q, v) in expected for q, v in states if q == p) for p, _ in states}).items()
    )


def test_what_is_kept_tells_no_more(con):
    """The same noise each time, also for who went back, or left and came again: nothing is gained."""
    rng = np.random.default_rng(3)
    noise = defaultdict(lambda: float(rng.normal(0, 50)))
    values = [{1: 10, 2: 20, 3: 30}, {1: 11, 3: 30, 4: 40}, {1: 10, 2: 20, 4: 40, 5: 50}]
    nights = [(x, {p: v + noise[p, v] for p, v in x.items()}) for x in values]
    (row,) = con.execute("FROM sdc_series_disclosure(?, ?, ?, ?, ?, ?)", store(con, nights)).fetchall()
    assert row[6:8] == (0.0, "none")
    assert row[11:] == (0, 0)
    change = con.execute("FROM sdc_series_changes(?, ?, ?, ?, ?, ?)", store(con, nights)).fetchone()
    assert change[1:6] == (2, 2, 2, 0, 1.0)  # a new value shows a change, and nothing else does


@pytest.mark.slow
def test_midpoint_of_two_signs(con):
    """Plus and minus the same: the midpoint is the original, the average of three is not."""
    signs = [{1: 1, 2: -1, 3: 1, 4: -1}, {1: -1, 2: -1, 3: 1, 4: 1}, {1: 1, 2: 1, 3: -1, 4: 1}]
    nights = [({p: 100 * p for p in s}, {p: 100 * p + 7.0 * d for p, d in s.items()}) for s in signs]
    row = con.execute("FROM sdc_series_disclosure(?, ?, ?, ?, ?, ?)", store(con, nights)).fetchone()
    assert row[4:8] == (0, 4, 1.0, "midpoint")


def test_sets_and_totals_give_who_moves(con):
    con.execute("""
        CREATE TABLE before AS SELECT i AS id, 100 * i * i AS x, ['a', 'b', 'c'][1 + i % 3] AS c FROM range(1, 13) t(i);
        CREATE TABLE swapped AS SELECT id, x + CASE id % 2 WHEN 0 THEN 90 ELSE -90 END AS x,
            lead(c, 1, 'b') OVER (ORDER BY id) AS c FROM before;
        CREATE TABLE after AS FROM before UNION ALL SELECT 13, 77777, 'z';
        CREATE TABLE swapped_after AS SELECT id, x + CASE WHEN id = 13 THEN -300 WHEN id < 4 THEN 100 ELSE 0 END AS x,
            CASE id WHEN 13 THEN 'a' WHEN 3 THEN 'z' ELSE c END AS c FROM after""")
    numbers, categories = con.execute(
        "FROM sdc_series_disclosure('after', 'swapped_after', ['x', 'c'], 'id', ['before'], ['swapped'])"
    ).fetchall()
    assert numbers[10:] == (1, 1, 1)  # the totals are kept: the newcomer's is the difference
    assert categories[10:] == (1, 1, 1)  # so is the set, although the newcomer's own record shows another value


@pytest.mark.slow
def test_labels_of_classes_are_intersected(con):
    con.execute("""
        CREATE TABLE ages AS SELECT i AS id, i AS age, 'r' || i AS region FROM range(20, 60) t(i);
        CREATE TABLE tens AS SELECT id, format('{} to {}', age // 10 * 10, age // 10 * 10 + 9) AS age,
            'area ' || id % 6 AS region FROM ages;
        CREATE TABLE shifted AS SELECT id, format('from {}', (age + 5) // 10 * 10 - 5) AS age,
            'zone ' || id // 10 AS region FROM ages""")
    age, region = con.execute(
        "FROM sdc_series_disclosure('ages', 'shifted', ['age', 'region'], 'id', ['ages'], ['tens'])"
    ).fetchall()
    assert age[7] == region[7] == "classes"
    # of the classes of five that two of ten leave the middle is nearer; of regions those that area and zone leave alone
    zones = Counter((i % 6, i // 10) for i in range(20, 60))
    assert region[5] == sum(n == 1 for n in zones.values())
    (same,) = con.execute("FROM sdc_series_disclosure('ages', 'tens', ['age'], 'id', ['ages'], ['tens'])").fetchall()
    assert same[6:8] == (0.0, "none")  # the same classes again


def test_suppressed_and_shown(con):
    con.execute("""
        CREATE TABLE one AS SELECT i AS id, 'v' || i AS c FROM range(10) t(i);
        CREATE TABLE first AS SELECT id, CASE WHEN id > 3 THEN c END AS c FROM one;
        CREATE TABLE second AS SELECT id, CASE WHEN id > 0 AND id < 8 THEN c END AS c FROM one""")
    row = con.execute("FROM sdc_series_disclosure('one', 'second', ['c'], 'id', ['one'], ['first'])").fetchone()
    assert row == ("c", 2, 10, 0.0, 6, 9, 0.75, "mode", 6, 5, 0, 0, 0)


@pytest.mark.slow
def test_wrong_input(con):
    con.execute("""
        CREATE TABLE one AS SELECT i AS id, i AS x FROM range(4) t(i);
        CREATE TABLE more AS SELECT i AS id, i AS x FROM range(5) t(i);
        CREATE TABLE twice AS FROM one UNION ALL FROM one;
        CREATE TABLE nobody AS SELECT nullif(id, 2) AS id, x FROM one;
        CREATE TABLE others AS SELECT id + 100 AS id, x FROM one;
        CREATE TABLE nothing AS FROM one WHERE false;
        CREATE TABLE wide AS SELECT id, 'infinity'::DOUBLE AS x FROM one""")
    data = Microdata(con, "one", id="id")
    for (originals, releases), kind, words in (
        ((["one"], ["more"]), TableError, "1 records of a release have an id"),
        ((["twice"], ["twice"]), ColumnError, "same on 2 records"),
        ((["nobody"], ["nobody"]), ColumnError, "is NULL on records"),
        ((["others"], ["others"]), ColumnError, "No id .* occurs in another"),
        ((["nothing"], ["nothing"]), TableError, "no rows"),
        ((["one", "one"], ["one"]), ParameterError, "lists of as many tables"),
        (([], []), TableError, "must be a list of tables"),
        (("one", "one"), TableError, "must be a list of tables"),
        ((["one"], [None]), TableError, "must be the name"),
        ((["wide"], ["one"]), ColumnError, "infinite"),
    ):
        with pytest.raises(kind, match=words):
            data.linkage.series_disclosure("one", "x", originals, releases)
    for width in (0, -1, None, float("nan")):
        with pytest.raises(SdcError, match="width"):
            data.linkage.series_disclosure("one", "x", ["one"], ["one"], width=width)
    (same,) = data.linkage.series_disclosure("one", "x", ["one"], ["one"])
    assert (same.one, same.together, same.gain) == (4, 4, 0.0)
    con.execute("CREATE TABLE single AS FROM one WHERE id = 1")
    (alone,) = Microdata(con, "single", id="id").linkage.series_disclosure("single", "x", ["one"], ["single"])
    assert (alone.values, alone.gain) == (1, 0.0)


def test_as_a_limit(con):
    con.execute("CREATE TABLE one AS SELECT i AS id, 10 * i AS x FROM range(9) t(i)")
    con.execute("CREATE TABLE hidden AS SELECT id, CASE WHEN id < 3 THEN x END AS x FROM one")
    data = Microdata(con, "one", id="id")
    earlier = {"earlier_originals": ["one"], "earlier_releases": ["hidden"]}
    asked = {"s": ("series_disclosure", {"columns": ["x"], **earlier})}
    limits = ["s.gain <= 0.5", "s.gain <= 1", "s.x.given_alone <= 0"]
    assert [limit.holds for limit in data.check_limits(limits, original="one", figures=asked)] == [False, True, True]


def test_every_figure_of_changes_by_hand(con):
    """Of eight errors that there are the median is 4: with a width of a half a level is known to within 2, just so too.

    The levels of the five who are there twice are 10, 22.5, 30, 42 and 63; first they show 13, 20, 36, 41 and 60, in
    the mean 13.5, 20, 36, 44 and 65: 42 is known first, and 63 too by both.
    """
    con.execute("""
        CREATE TABLE one AS FROM (VALUES (1, 10, 'a'), (2, 20, 'a'), (3, 30, 'b'), (4, 40, 'c'), (6, 60, 'a'))
                            AS t(id, x, "it's");
        CREATE TABLE shown AS FROM (VALUES (13, 1, 'a'), (20, 2, NULL), (36, 3, 'b'), (41, 4, 'c'), (60, 6, 'a'))
                              AS t(x, id, "it's");
        CREATE TABLE two AS FROM (VALUES (1, 10, 'a'), (2, 25, 'b'), (3, 30, 'b'), (4, 44, 'a'), (5, 50, 'a'),
                                         (6, 66, 'c')) AS t(id, x, "it's");
        CREATE TABLE again AS FROM (VALUES (1, 14, 'a'), (2, 20, 'b'), (3, 36, NULL), (4, 47, 'c'), (5, 50, 'a'),
                                           (6, 70, 'a')) AS t(id, x, "it's")""")
    call = "FROM sdc_series_changes('two', 'again', ['it''s', 'X'], 'Id', ['one'], ['shown']{})"
    numbers, categories = con.execute(call.format(", width := 0.5")).fetchall()
    # 2 changes and is shown, 4 and 6 change and show the same; 1 stays, and so does 3, who is shown to change
    assert categories == ("it's", 3, 1, 2, 1, 1 / 2, 0, 0, 0, 0)
    # 4 and 6 change and are shown, 2 is not; 3 stays, and so does 1, who is shown to change
    assert numbers == ("x", 3, 2, 2, 1, pytest.approx(2 / 3), 5, 1, 2, 1 / 4)
    assert con.execute(call.format("")).fetchall()[0][6:] == (5, 0, 0, 0)


def test_two_who_come_are_given_together_and_nobody_alone(con):
    """Values are exchanged, and the total and the set stay: who knows one of the two who came has the other."""
    con.execute("""
        CREATE TABLE one AS SELECT unnest([1, 2, 3, 4]) AS id, unnest([10, 20, 30, 40]) AS x;
        CREATE TABLE shown AS SELECT unnest([1, 2, 3, 4]) AS id, unnest([20, 10, 40, 30]) AS x;
        CREATE TABLE two AS FROM one UNION ALL FROM (VALUES (5, 50), (6, 70));
        CREATE TABLE again AS FROM shown UNION ALL FROM (VALUES (5, 70), (6, 50))""")
    call = "FROM sdc_series_disclosure('two', '{}', ['x'], 'id', ['one'], ['shown'])"
    assert con.execute(call.format("again")).fetchall() == [("x", 2, 6, 1, 0, 0, 0, "none", 0, 0, 2, 2, 0)]
    # the total of the released values is off by 5, a median error is 10: nobody is given
    con.execute("CREATE TABLE other AS SELECT * REPLACE (CASE id WHEN 6 THEN 55 ELSE x END AS x) FROM again")
    assert con.execute(call.format("other")).fetchall() == [("x", 2, 6, 1, 0, 0, 0, "none", 0, 0, 2, 0, 0)]


def test_each_attack_by_hand_and_values_that_are_just_within(con):
    """Half the median error of 4 is 2. 104, 102, 102 for 100: the commonest is just within, the first, the middle (103)
    and the mean (102.67) are not; of 402, 404, 408 each is there once, and the first counts. 112, 84, 112 for 100: the
    middle 98 is just within, the mean 102.67 is not. Four others are off by 4 each time, in m three of them.
    """
    shown = {
        "m": [(104, 102, 102), (206, 202, 202), (304, 304, 310), (402, 404, 408)],
        "p": [(112, 84, 112), (212, 184, 212), (312, 290, 312), (404, 404, 404)],
    }
    con.execute("CREATE TABLE k AS SELECT i AS id, 100 * i AS m, 100 * i AS p FROM range(1, 8) t(i)")
    for night in range(3):
        m, p = ([of[night] for of in shown[c]] + [504, 604, 704] for c in "mp")
        con.execute(
            f"CREATE TABLE r{night} AS SELECT unnest(range(1, 8)) AS id, unnest(?) AS p, unnest(?) AS m", [p, m]
        )
    call = "FROM sdc_series_disclosure{}('k', 'r2', ['m', 'p'], 'id', ['k', 'k'], ['r0', 'r1'], width := 0.5)"
    assert con.execute(call.format("")).fetchall() == [
        ("m", 3, 7, 2, 1, 3, pytest.approx(2 / 6), "mode", 0, 0, 0, 0, 0),
        ("p", 3, 7, 2, 0, 3, pytest.approx(3 / 7), "midpoint", 0, 0, 0, 0, 0),
    ]
    found = con.execute(call.format("_records")).fetchall()
    assert sorted(found) == [("1", 2, 0, 2), ("2", 2, 0, 2), ("3", 2, 0, 1), ("4", 2, 1, 1)] + [
        (str(i), 2, 0, 0) for i in (5, 6, 7)
    ]


def test_what_a_label_stands_for(con):
    """One original value, from the least to the greatest of several, or itself where it is an original value."""
    con.execute("CREATE TABLE pairs (sdc__name VARCHAR, sdc__yv VARCHAR, sdc__xv VARCHAR, sdc__x DOUBLE)")
    labels = {"low": [5, 5], "high": [7, 9], "8": [8, 6]}
    con.executemany(
        "INSERT INTO pairs VALUES ('k', ?, ?, ?)", [(y, str(x), x) for y, values in labels.items() for x in values]
    )
    rows = execute(con, "FROM sdc__series_labels('pairs') ORDER BY sdc__yv").fetchall()
    assert rows == [("k", "8", "8", 8, 8), ("k", "high", None, 7, 9), ("k", "low", "5", 5, 5)]


@pytest.mark.parametrize(("third", "given"), [("ba", [1, 1, 1, 1, 0, 0]), ("aa", [0, 0, 0, 0, 0, 0])])
def test_sets_that_are_right_in_half_of_the_releases_tell(con, third, given):
    """Two come in each of three releases, a and b: of the released sets two of three are right, or one by chance."""
    con.execute("""CREATE TABLE said (sdc__name VARCHAR, sdc__state INTEGER, sdc__xv VARCHAR, sdc__yv VARCHAR,
        sdc__x DOUBLE, sdc__y DOUBLE, sdc__kind VARCHAR, sdc__t INTEGER)""")
    released = {1: "ab", 2: "ba", 3: third, 4: "bb"}
    for since, values in released.items():
        for t in range(since, 5):
            for i in (0, 1):
                row = [2 * since + i, "ab"[i], values[i], t]
                con.execute("INSERT INTO said VALUES ('k', $1, $2, $3, NULL, NULL, 'categories', $4)", row)
    con.execute("""CREATE TABLE states AS
        SELECT DISTINCT sdc__name, sdc__state, NULL::DOUBLE AS sdc__within, false AS sdc__one FROM said""")
    rows = execute(con, "FROM sdc__series_moved('said', 'states') ORDER BY sdc__state").fetchall()
    assert rows == [("k", s // 2, s, 2, bool(g)) for s, g in zip(range(4, 10), given, strict=True)]
