"""Several releases of the same people: by hand, and against all pairs of persons on random tables."""

from __future__ import annotations

import random

import duckdb
import pytest

from sdc_sql import Microdata
from sdc_sql.errors import ColumnError, ParameterError

NAMES = ("records", "uniques", "below_k", "exposed")


def agree(one: tuple | None, other: tuple | None, nulls: str) -> bool:
    """Do two records of a release agree? Who is missing agrees with who is missing."""
    if one is None or other is None:
        return one is other
    return all(x == y or (nulls == "wildcard" and None in (x, y)) for x, y in zip(one, other, strict=True))


def by_pairs(releases: list[dict], nulls: str) -> dict[int, tuple[list, int]]:
    """Of each person: the frequency in each release (None where missing), and that in all together."""
    people = sorted({i for r in releases for i in r})
    alone = {
        i: [sum(agree(r[i], other, nulls) for other in r.values()) if i in r else None for r in releases]
        for i in people
    }
    joint = {i: sum(all(agree(r.get(i), r.get(j), nulls) for r in releases) for j in people) for i in people}
    return {i: (alone[i], joint[i]) for i in people}


@pytest.fixture(params=range(3))
def releases(request, con) -> tuple[duckdb.DuckDBPyConnection, list[dict]]:
    """Return three releases with NULLs, each without some of the persons: `k`, `f` and `r's`."""
    draw = random.Random(request.param)  # noqa: S311 - a table for a test
    kinds = ([[1, 2, None], ["x", "y"]], [["p'", "q", None]], [[1, 2, 3], ["u", None]])
    found = []
    for name, columns in zip(("k", "f", "r's"), kinds, strict=True):
        rows = {i: tuple(draw.choice(values) for values in columns) for i in range(40) if draw.random() < 0.9}
        types = [
            f'"{c}" {"INTEGER" if 1 in v else "VARCHAR"}' for c, v in zip(("Age", "Select"), columns, strict=False)
        ]
        con.execute(f'CREATE TABLE "{name}" (id INTEGER, {", ".join(types)})')
        marks = ", ".join(["?"] * (len(columns) + 1))
        con.execute(
            f'INSERT INTO "{name}" VALUES {", ".join([f"({marks})"] * len(rows))}',
            [v for i, row in rows.items() for v in (i, *row)],
        )
        found.append(rows)
    return con, found


@pytest.mark.one_in(6)
@pytest.mark.parametrize("nulls", ["category", "wildcard"])
def test_against_all_pairs(releases, nulls):
    con, found = releases
    expected = by_pairs(found, nulls)
    tables, keys = ["k", "f", '"r\'s"'], [["select", "age"], ["Age"], ["Age", "Select"]]
    rows = con.execute("SELECT * FROM sdc_joint_releases_records(?, ?, 'id', nulls := ?)", [tables, keys, nulls])
    records = {int(i): (least, together) for i, least, together in rows.fetchall()}
    assert records == {i: (min(f for f in alone if f is not None), n) for i, (alone, n) in expected.items()}
    data = Microdata(con, "k", id="id", nulls=nulls)
    for place, row in enumerate(data.risk.joint_releases(["k", "f", "r's"], keys, k=4)):
        assert (row.release, row.tbl) == ((place, tables[place - 1].strip('"')) if place else (None, None))
        own = [(n if not place else a[place - 1], n, a) for a, n in expected.values()]
        own = [v for v in own if v[0] is not None]
        safe = [n for f, n, a in own if (f >= 4 if place else min(x for x in a if x is not None) >= 4)]
        counts = (len(own), sum(f == 1 for f, *_ in own), sum(f < 4 for f, *_ in own), sum(n < 4 for n in safe))
        assert tuple(getattr(row, name) for name in NAMES) == counts
        assert row.expected_correct_matches == pytest.approx(sum(1 / f for f, *_ in own))
        assert row.rate == pytest.approx(row.expected_correct_matches / len(own))


def test_the_header_by_hand(con):
    con.execute("CREATE TABLE public AS FROM (VALUES (1, 'f'), (2, 'f'), (3, 'm'), (4, 'm')) t(id, sex)")
    con.execute(
        "CREATE TABLE research AS FROM (VALUES (1, 'north'), (2, 'south'), (3, 'north'), (4, 'south')) t(id, region)"
    )
    rows = con.execute(
        "FROM sdc_joint_releases(['public', 'research'], [['sex'], ['region']], 'id', k := 2)"
    ).fetchall()
    assert rows == [
        (None, None, 4, 4, 4, 4.0, 1.0, 4),
        (1, "public", 4, 0, 0, 2.0, 0.5, 4),
        (2, "research", 4, 0, 0, 2.0, 0.5, 4),
    ]


def test_relative_geography_beside_absolute_gives_the_other_place(con):
    """Handbook, 3.2.2: region of residence and where the work lies from it; elsewhere the region of work."""
    con.execute("""
        CREATE TABLE people AS SELECT row_number() OVER () AS id, home, work FROM
            (VALUES ('A', 'A'), ('A', 'A'), ('A', 'B'), ('A', 'C'), ('B', 'B'), ('B', 'B'), ('B', 'A'), ('B', 'C'),
                    ('C', 'C'), ('C', 'C')) t(home, work);
        CREATE TABLE one AS SELECT id, home, CASE WHEN home = work THEN 'same' ELSE 'another' END AS work FROM people;
        CREATE TABLE two AS SELECT id, work FROM people""")
    together, one, two = Microdata(con, "people", id="id").risk.joint_releases(
        ["one", "two"], [["home", "work"], ["work"]], k=2
    )
    # (home, another): two each; together the pair of regions, which four persons have alone
    assert (one.uniques, two.uniques, together.uniques, together.exposed) == (0, 0, 4, 4)
    whole = Microdata(con, "people", keys=["home", "work"], id="id")
    assert whole.risk.frequency_summary().sample_uniques == together.uniques


def test_classifications_that_cut_differently_leave_their_crossing(con):
    con.execute("""
        CREATE TABLE tens AS SELECT i AS id, i // 10 AS age FROM range(20, 60) t(i);
        CREATE TABLE fives AS SELECT i AS id, (i + 5) // 10 AS age FROM range(20, 60) t(i)""")
    together, tens, fives = con.execute(
        "FROM sdc_joint_releases(['tens', 'fives'], [['age'], ['age']], 'id', k := 6)"
    ).fetchall()
    assert (together[5], tens[5], fives[5]) == pytest.approx((8, 4, 5))  # 5-year cells: 8, of 10 years 4 and 5
    assert (together[4], tens[4], fives[4]) == (40, 0, 10)


def test_the_same_file_twice_tells_no_more(persons):
    persons.execute("CREATE TABLE filled AS SELECT * FROM persons")
    rows = persons.execute(
        "FROM sdc_joint_releases(['persons', 'filled'], [['age', 'sex'], ['age', 'sex']], 'id')"
    ).fetchall()
    assert rows[0][2:7] == rows[1][2:7] == rows[2][2:7]
    assert [r[7] for r in rows] == [0, 0, 0]


@pytest.mark.slow
def test_wrong_arguments(persons):
    data = Microdata(persons, "persons", id="id")
    for tables, keys in [
        (["persons"], [["age"]]),
        (["persons", "persons"], [["age"]]),
        (["persons", "persons"], ["age", "sex"]),
        (["persons", "persons"], [["age"], []]),
        ("persons", [["age"], ["sex"]]),
        (["persons", None], [["age"], ["sex"]]),
    ]:
        with pytest.raises(ParameterError, match="two tables or more"):
            data.risk.joint_releases(tables, keys)
        with pytest.raises(ParameterError, match="two tables or more"):
            data.risk.joint_releases_records(tables, keys)
    for given in ("['persons'], [['age']]", "['persons', NULL], [['age'], ['sex']]", "['persons', 'persons'], ['age']"):
        with pytest.raises(duckdb.Error, match="two tables or more"):
            persons.execute(f"FROM sdc_joint_releases({given}, 'id')")
    with pytest.raises(ColumnError, match="color"):
        data.risk.joint_releases(["persons", "persons"], [["age"], ["color"]])
    with pytest.raises(ParameterError, match="k is 1"):
        data.risk.joint_releases(["persons", "persons"], [["age"], ["sex"]], k=1)
    with pytest.raises(ParameterError, match="nulls is no"):
        data.risk.joint_releases(["persons", "persons"], [["age"], ["sex"]], nulls="no")
    persons.execute("CREATE TABLE twice AS FROM persons UNION ALL FROM persons")
    persons.execute("CREATE TABLE nobody AS SELECT * REPLACE (nullif(id, 3) AS id) FROM persons")
    for name, words in (("twice", "must be unique"), ("nobody", "is NULL on records")):
        for measure in ("sdc_joint_releases", "sdc_joint_releases_records"):
            with pytest.raises(duckdb.Error, match=words):
                persons.execute(f"SELECT * FROM {measure}(['persons', '{name}'], [['age'], ['sex']], 'id')").fetchall()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("other", ["id::DOUBLE", "lpad(id::VARCHAR, 3, '0')", "id + 4"])
def test_releases_whose_ids_join_nothing_are_no_risk_of_none(con, other):
    """Each would look like other people, and what the releases give together would be measured nowhere."""
    con.execute("CREATE TABLE k AS SELECT i AS id, i % 2 AS a FROM range(4) t(i)")
    con.execute('CREATE TABLE "r\'s" AS SELECT id, a AS "Select" FROM k')
    con.execute(f"CREATE TABLE f AS SELECT {other} AS id, a FROM k")
    for tables, keys in (("'k', 'f'", "['a'], ['a']"), ("'k', '\"r''s\"', 'f'", "['a'], ['Select'], ['a']")):
        for macro in ("sdc_joint_releases", "sdc_joint_releases_records"):
            with pytest.raises(duckdb.Error, match=r"ColumnError: No id \(id\) of [kf] occurs in another release"):
                con.execute(f"FROM {macro}([{tables}], [{keys}], 'id')").fetchall()
    data = Microdata(con, "k", id="id")
    with pytest.raises(ColumnError, match="occurs in another release"):
        data.risk.joint_releases(["k", "f"], [["a"], ["a"]])
    assert len(data.risk.joint_releases(["k", '"r\'s"'], [["a"], ["Select"]])) == 3


@pytest.mark.slow
def test_ids_that_differ_in_writing_are_an_error(con):
    """Half of the persons would not be joined: 1 to 99 of 199."""
    con.execute("CREATE TABLE a AS SELECT range + 1 AS id, range % 9 AS age FROM range(199)")
    con.execute("CREATE TABLE b AS SELECT lpad(id::VARCHAR, 3, '0') AS id, age % 5 AS sex FROM a")
    con.execute("CREATE TABLE d AS SELECT if(id < 9, id::DOUBLE::VARCHAR, id::VARCHAR) AS id, age % 5 AS sex FROM a")
    for other in "bd":
        with pytest.raises(duckdb.Error, match="written in one way in one release, and in another way"):
            con.execute(f"FROM sdc_joint_releases(['a', '{other}'], [['age'], ['sex']], 'id')").fetchall()
    # where one release has 1 and 001, they are two persons
    con.execute("CREATE TABLE two AS SELECT unnest(['1', '001', '2', '3']) AS id, unnest([1, 1, 1, 2]) AS age")
    found = con.execute("SELECT records, uniques FROM sdc_joint_releases(['two', 'two'], [['age'], ['age']], 'id')")
    assert set(found.fetchall()) == {(4, 1)}


def test_without_a_k_it_is_three(con):
    """By hand: six persons, of whom the second release lacks one; of sexes 4 and 2, of regions 3 and 2."""
    con.execute(
        "CREATE TABLE one AS SELECT i AS id, CASE WHEN i <= 4 THEN 'f' ELSE 'm' END AS sex FROM range(1, 7) t(i)"
    )
    con.execute("CREATE TABLE two AS FROM (VALUES (1, 'n'), (2, 'n'), (5, 'n'), (4, 's'), (6, 's')) t(id, region)")
    call = "FROM sdc_joint_releases(['one', 'two'], [['sex'], ['region']], 'id'{})"
    # together (f, n) has two persons, all others are alone; exposed are 1 and 2, and 3, whom the second lacks
    assert con.execute(call.format("")).fetchall() == [
        (None, None, 6, 4, 6, 5, pytest.approx(5 / 6), 3),
        (1, "one", 6, 0, 2, 2, pytest.approx(2 / 6), 4),
        (2, "two", 5, 0, 2, 2, pytest.approx(2 / 5), 3),
    ]
    con.execute("UPDATE two SET region = NULL WHERE id = 4")
    found = con.execute(call.format(", k := 2, nulls := 'wildcard'")).fetchall()
    # 4 agrees in region with all five: of two the frequencies are 4, 4, 4, 2 and 5; together 3, 3, 1, 3, 1, 1
    assert found == [
        (None, None, 6, 3, 3, 4, pytest.approx(4 / 6), 3),
        (1, "one", 6, 0, 0, 2, pytest.approx(2 / 6), 3),
        (2, "two", 5, 0, 0, pytest.approx(0.75 + 0.5 + 0.2), pytest.approx(0.29), 2),
    ]
