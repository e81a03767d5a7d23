"""Targeted record swapping: who must be swapped, with whom, and what stays as it was, counted beside the macro."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pytest

import sdc_sql
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import InputError

# 600 households of 1 to 4 persons in 3 regions of 4 districts; a few ages that are rare in a district or a region
PERSONS = """
    CREATE TABLE persons AS
    SELECT row_number() OVER (ORDER BY h, m) AS id, h AS home, 'r' || (h * 7919 % 10007 % 3) AS region, h * 104729 % 20011 % 4 AS district,
           h * 31 % 97 % 3 AS tenure, (h * 7919 % 10007 % 3) * 1000 + h AS block,
           CASE WHEN (h * 5 + m) % 41 = 0 THEN 90 + h % 7 ELSE (h * 613 % 1009 + m * 37) % 5 END AS age, ['f', 'm'][1 + (h + m) % 2] AS sex
    FROM range(600) t(h), LATERAL (SELECT unnest(range(1 + h % 4)) AS m)
"""  # noqa: E501
AREAS = ["region", "district"]


def swapped(con, rate, **given):
    """Return the persons before and after, the partners, and the step."""
    data = sdc_sql.Microdata(con, "persons", id="id", household="home", keys=["age", "sex"])
    step = data.mask.record_swap(AREAS, rate, into="released", **given)
    given.pop("shortfall", None)
    partners = {h: (p, level) for h, p, level in data.mask.record_swap_partners(AREAS, rate, **given).fetchall()}
    before, after = (con.execute(f"FROM {t} ORDER BY id").fetchall() for t in ("persons", "released"))
    return before, after, partners, step


def homes(rows):
    """Return the members of each household."""
    found = defaultdict(list)
    for row in rows:
        found[row[1]].append(row)
    return found


def levels(rows, k):
    """Return the first level at which a household has a member in a cell of fewer than k, counted person by person."""
    need = {}
    for level in (1, 2):
        cells = Counter((row[2 : 2 + level], row[6:]) for row in rows)
        for row in rows:
            if cells[row[2 : 2 + level], row[6:]] < k:
                need.setdefault(row[1], level)
    return need


def assert_swap(before, after, partners):
    """No household twice, none into its own area, whole households, sizes in areas kept, nothing else changed."""
    old, new = homes(before), homes(after)
    for h, (p, level) in partners.items():
        place = {row[2:4] for row in new[h]}
        assert len(place) == 1
        if p is None:
            assert old[h] == new[h]
            continue
        assert p != h
        assert partners[p][0] == h
        assert place == {row[2:4] for row in old[p]}
        assert place != {row[2:4] for row in old[h]}
        assert len(old[h]) == len(old[p])
        if level == 1 or partners[p][1] == 1:  # at risk in the region: to another one
            assert old[h][0][2] != old[p][0][2]
    for width in (3, 4):
        sizes = [Counter((len(members), members[0][2:width]) for members in each.values()) for each in (old, new)]
        assert sizes[0] == sizes[1]
    assert [(*r[:2], r[4], *r[6:]) for r in before] == [(*r[:2], r[4], *r[6:]) for r in after]


@pytest.mark.slow
def test_those_at_risk_are_swapped_and_the_rate_is_kept(keyed):
    keyed.execute(PERSONS)
    before, after, partners, step = swapped(keyed, 0.5, k=3)
    need = levels(before, 3)
    assert {h: level for h, (_, level) in partners.items() if level} == need
    assert {1, 2} == {*need.values()}
    assert all(partners[h][0] is not None for h in need)
    assert_swap(before, after, partners)
    number = sum(p is not None for p, _ in partners.values())
    assert number == 300
    assert [step.parameters[n] for n in ("households", "asked", "swapped")] == [600, 300, 300]
    assert [r[5] for r in before] == [r[5] for r in after]  # what is not carried along stays


@pytest.mark.slow
def test_where_more_are_at_risk_than_the_rate_all_of_them_are_swapped(keyed):
    keyed.execute(PERSONS)
    with pytest.warns(UserWarning, match="nearly all were swapped"):
        before, after, partners, step = swapped(keyed, 0.01, k=25, shortfall="report")
    need = levels(before, 25)
    assert_swap(before, after, partners)
    assert len(need) > 300  # donors run out: they exchange with each other
    left = [h for h in need if partners[h][0] is None]
    assert len(left) <= 2
    assert step.parameters["at_risk"] == len(need)
    assert step.parameters["left_at_risk"] == len(left)
    assert step.parameters["swapped"] == sum(p is not None for p, _ in partners.values()) >= len(need) - len(left)


ORIGINS = """
    SELECT max(n) FROM (SELECT count(*) AS n FROM persons AS p JOIN released AS r USING (id)
                        WHERE p.area <> r.area GROUP BY r.area, p.area)
"""


def test_where_a_swapped_household_came_from_is_drawn(keyed):
    """Ten areas alike, all at risk: each other area is the origin of 1 in 9, whatever the key."""
    keyed.execute("CREATE TABLE persons AS SELECT i AS id, i AS home, i % 10 AS area, i AS age FROM range(2000) t(i)")
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home", keys=["age"])
    with pytest.warns(UserWarning, match="nearly all were swapped, whatever the rate"):
        step = data.mask.record_swap("area", 0.01, k=2, shortfall="report", into="released")
    assert step.parameters["swapped"] == 2000
    ((commonest,),) = keyed.execute(ORIGINS).fetchall()
    # of 200 in an area 200 / 9 from each other one; 90 such counts, each binomial: beyond 5 deviations once in 40,000
    assert commonest <= 200 / 9 + 5 * math.sqrt(200 * 8 / 81)


def test_as_many_at_risk_as_can_be_find_a_partner(keyed):
    """One at risk in area 0; in area 1 three at risk and a safe one, whom the one in area 0 must not take."""
    keyed.execute(
        "CREATE TABLE persons AS SELECT i * 2 + m AS id, i AS home, (i > 0)::INT AS area,"
        " CASE WHEN i < 4 THEN id END AS age FROM range(5) t(i), range(2) u(m)"
    )
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home", keys=["age"])
    step = data.mask.record_swap("area", 0.01, k=2, shortfall="report", into="released")
    assert [step.parameters[n] for n in ("at_risk", "left_at_risk", "swapped")] == [4, 2, 2]


@pytest.mark.slow
def test_profiles_are_tried_in_turn_and_kept_in_each_area(keyed):
    keyed.execute(PERSONS)
    before, after, partners, _ = swapped(keyed, 0.4, k=3, profiles=[["sex", "tenure"]], carry_along=["block"])
    assert_swap(before, after, partners)
    old = homes(before)
    for h, (p, _) in partners.items():
        if p is not None:
            like = [sorted((row[7], row[4]) for row in old[i]) for i in (h, p)]
            assert like[0] == like[1]
    for columns in ((2, 3, 4, 7), (2, 4), (2, 3, 7)):
        tables = [Counter(tuple(row[c] for c in columns) for row in rows) for rows in (before, after)]
        assert tables[0] == tables[1]
    assert Counter((*r[2:4], r[6]) for r in before) != Counter((*r[2:4], r[6]) for r in after)
    block = {h: rows[0][5] for h, rows in old.items()}
    assert {row[1]: row[5] for row in after} == {h: block[p if p is not None else h] for h, (p, _) in partners.items()}
    # no two households alike in the block: the second list takes over
    before, _, partners, _ = swapped_again(keyed, 0.4, profiles=[["block"], ["tenure"]])
    old = homes(before)
    assert all(old[h][0][4] == old[p][0][4] for h, (p, _) in partners.items() if p is not None)


def swapped_again(con, rate, **given):
    con.execute("DROP TABLE released")
    return swapped(con, rate, **given)


def test_a_given_risk_decides_by_level(keyed):
    keyed.execute(PERSONS)
    keyed.execute("ALTER TABLE persons ADD COLUMN narrow DOUBLE")
    keyed.execute("ALTER TABLE persons ADD COLUMN wide DOUBLE")
    keyed.execute("UPDATE persons SET wide = (id % 97 = 0)::INT, narrow = (id % 23 = 0)::INT")
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home")
    found = data.mask.record_swap_partners(AREAS, 0.01, risk=["wide", "narrow"], max_risk=0.5).fetchall()
    wide, narrow = ({h for (h,) in keyed.execute(f"SELECT home FROM persons WHERE {c} > 0.5").fetchall()}
                    for c in ("wide", "narrow"))  # fmt: skip
    assert {h: level for h, _, level in found if level} == dict.fromkeys(narrow, 2) | dict.fromkeys(wide, 1)
    assert all(p is not None for _, p, level in found if level)


@pytest.mark.slow
def test_fewer_swaps_than_asked_are_refused_or_reported(keyed):
    keyed.execute("CREATE TABLE persons AS SELECT i AS id, i AS home, i % 10 = 0 AS area, i AS age FROM range(50) t(i)")
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home", keys=["age"])
    with pytest.raises(InputError, match="40 households at risk found no partner"):
        data.mask.record_swap("area", 0.1, k=2)
    with pytest.raises(InputError, match="10 households found a partner, and 50 were asked"):
        data.mask.record_swap("area", 1)
    assert keyed.execute("SELECT count(*) FROM persons WHERE area").fetchone() == (5,)
    step = data.mask.record_swap("area", 0.1, k=2, shortfall="report", into="released")
    asked, done, risky, left = (step.parameters[n] for n in ("asked", "swapped", "at_risk", "left_at_risk"))
    assert (asked, done, risky, left) == (6, 10, 50, 40)  # 5 households live in the smaller area


def test_a_risky_area_of_one_kind_finds_its_partners_elsewhere(keyed):
    """All at risk live in one area, and nearly all others too: the few from elsewhere are found, each of them."""
    keyed.execute("""
        CREATE TABLE persons AS
        SELECT i AS id, i AS home, i < 960 AS area, CASE WHEN i < 40 THEN i ELSE -1 END AS age FROM range(1000) t(i)
    """)
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home", keys=["age"])
    found = data.mask.record_swap_partners("area", 0.001, k=2).fetchall()
    assert sorted(h for h, p, level in found if level and p is not None) == [*range(40)]
    assert all(p >= 960 for _, p, level in found if level)


@pytest.mark.slow
def test_who_stays_in_the_region_of_his_risk_is_left_at_risk(keyed):
    """One region: who is rare in it goes to another district at most, and the region still shows him."""
    keyed.execute(
        "CREATE TABLE persons AS "
        "SELECT i AS id, i AS home, 'r' AS region, i % 4 AS d, i // 4 AS age FROM range(40) t (i)"
    )
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home", keys=["age"])
    with pytest.raises(InputError, match="40 households at risk found no partner in another such area"):
        data.mask.record_swap(["region", "d"], 0.1, k=5)
    with pytest.warns(UserWarning, match="nearly all were swapped"):
        step = data.mask.record_swap(["region", "d"], 0.1, k=5, shortfall="report", into="released")
    assert [step.parameters[n] for n in ("swapped", "at_risk", "left_at_risk")] == [40, 40, 40]
    with pytest.warns(UserWarning, match="nearly all were swapped"):
        assert data.mask.record_swap("d", 0.1, k=2).parameters["swapped"] == 40  # at risk in the districts alone


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"k": 1}, "k is 1"), ({"k": 3, "risk_keys": ["region"]}, "region.*is swapped"), ({"rate": 0}, "rate is 0"),
        ({"risk": ["age"]}, "risk and max_risk go together"), ({"risk": ["age"], "max_risk": 1}, "one for each"),
        ({"risk": ["age", "sex"], "max_risk": 1}, "A risk is NULL, NaN or no number"),
        ({"profiles": ["tenure"]}, "a list of lists"), ({"risk_keys": ["age"]}, "k and risk_keys go together"),
        ({"carry_along": ["age"]}, 'differ in "region", "district", "age"'), ({"profiles": [["nowhere"]]}, "nowhere"),
        ({"household": "region"}, "region.*is swapped"), ({"shortfall": None}, "shortfall is None"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(keyed, given, words):
    keyed.execute(PERSONS)
    with pytest.raises(InputError, match=words):
        swapped(keyed, given.pop("rate", 0.1), **given)


def test_households_must_be_given_and_whole(keyed):
    keyed.execute(PERSONS)
    with pytest.raises(Exception, match="record swapping needs the column of household numbers"):
        keyed.execute("FROM sdc_record_swap('persons', ['region'], 0.1, 'id')").fetchall()
    keyed.execute("UPDATE persons SET home = NULL WHERE id = 7")
    with pytest.raises(Exception, match="household number is NULL"):
        keyed.execute("FROM sdc_record_swap('persons', ['region'], 0.1, 'id', household := 'home')").fetchall()


def test_odd_names(keyed):
    keyed.execute("""
        CREATE TABLE k AS
        SELECT i AS id, i // 2 AS "h""h", ['x''', 'X', NULL][1 + i // 2 % 3] AS "Select", i % 5 AS f
        FROM range(60) t(i)
    """)
    data = sdc_sql.Microdata(keyed, "k", id="id", household='h"h', keys=["F"])
    step = data.mask.record_swap("select", 0.4, k=4)
    assert step.parameters["swapped"] == 12
    assert keyed.execute('SELECT count(*) FROM k GROUP BY "Select"').fetchall() == [(20,)] * 3


@pytest.mark.slow
def test_a_part_of_the_records_is_of_whole_households(keyed):
    keyed.execute(PERSONS)
    data = sdc_sql.Microdata(keyed, "persons", id="id", household="home", keys=["age", "sex"])
    with pytest.raises(InputError, match="some members of 450 households"):
        data.where("sex = 'f'").mask.record_swap(AREAS, 0.1, into="released")
    data.where("tenure = 1").mask.record_swap(AREAS, 0.1, into="released")
    divided = "SELECT count(*) FROM (FROM released SELECT home GROUP BY home HAVING count(DISTINCT district) > 1)"
    assert keyed.execute(divided).fetchone() == (0,)
    changed = """SELECT count(*) FROM persons AS p JOIN released AS r USING (id)
                 WHERE (p.region, p.district) <> (r.region, r.district) AND p.tenure <> 1"""
    assert keyed.execute(changed).fetchone() == (0,)


def test_the_origins_of_a_survey_that_is_nearly_all_at_risk_are_drawn(keyed, shared):
    """EU-SILC, more than nine in ten of 2,500 households at risk: each region is an origin by its share of them."""
    path = shared / "data" / "eusilc_population.parquet"
    keyed.execute(f"CREATE TABLE survey AS FROM '{path}' WHERE hid % 10 = 3")
    keys = ["region", "age", "gender", "ecoStat", "citizenship", "eqsize"]
    data = sdc_sql.Microdata(keyed, "survey", id="id", household="hid", keys=keys)
    with pytest.warns(UserWarning, match="nearly all were swapped, whatever the rate"):
        step = data.mask.record_swap("region", 0.01, k=5, shortfall="report", into="released")
    assert step.parameters["at_risk"] > 0.9 * 2500
    homes = "SELECT DISTINCT hid, s.region AS was, r.region FROM survey AS s JOIN released AS r USING (id, hid)"
    share = dict(keyed.execute(f"SELECT was, count(*) / 2500 FROM ({homes}) GROUP BY was").fetchall())
    moved = keyed.execute(
        f"SELECT region, was, count(*), sum(count(*)) OVER (PARTITION BY region)::INTEGER FROM ({homes}) "
        "WHERE was <> region GROUP BY region, was"
    ).fetchall()
    assert sum(n for *_, n, _ in moved) > 0.9 * 2500
    for here, origin, n, swapped in moved:
        expected = swapped * share[origin] / (1 - share[here])
        assert n <= 1.15 * expected + 5 * math.sqrt(expected)  # as tests/udfs/test_exchange.py has it
    # (paired by places, the commonest origin covered two thirds of a region's)
    assert max(n / swapped for *_, n, swapped in moved) < 0.45


def test_what_is_seen_of_a_swap_by_hand(con):
    """Of five households one of three persons moves, one whose area was NULL, and one in the district alone."""
    con.execute("""CREATE TABLE before AS FROM (VALUES (1, 'a', 'n', 1), (2, 'a', 'n', 1), (3, 'a', 'n', 1),
        (4, 'b', NULL, 2), (5, 'c', 's', 3), (6, 'd', 's', 4), (7, 'e', 's', 4)) AS v(id, home, region, district)""")
    con.execute("""CREATE TABLE after AS FROM (VALUES (1, 's', 1), (2, 's', 1), (3, 's', 1), (4, 'n', 2), (5, 's', 4),
        (6, 's', 4), (7, 's', 4)) AS v(id, region, district)""")
    call = "sdc__record_swap_seen('before', 'after', ['region', 'district'], {}, 'id', 'home')"
    query = f"SELECT households, asked, swapped FROM {call}"
    assert execute(con, query.format(0.5)).fetchall() == [(5, 4, 3)]  # 1.25 pairs are two
    assert execute(con, query.format(0.4)).fetchall() == [(5, 2, 3)]


def test_at_risk_is_below_k_or_above_the_limit_and_by_the_widest_area(keyed):
    """Area 0 has ages 7 (three persons), 8 (two) and 9 (one); of two districts one each of 7 and 8 is apart."""
    keyed.execute("""CREATE TABLE persons AS FROM (VALUES
        (1, 1, 0, 0, 7, 0.2, 0.1), (2, 2, 0, 0, 7, 0.3, 0.1), (3, 3, 0, 1, 7, 0.1, 0.4), (4, 4, 0, 0, 8, 0.1, 0.3),
        (5, 5, 0, 1, 8, 0.1, 0.1), (6, 6, 0, 1, 9, 0.1, NULL), (7, 6, 0, 1, 7, 0.4, 0.4), (8, 7, 1, 2, 7, 0.3, 0.3),
        (9, 8, 1, 2, 7, 0.1, 0.5), (10, 9, 1, 3, 8, 0.3, 0.3), (11, 10, 1, 3, 8, 0.1, 0.1))
        AS v(id, home, area, district, age, wide, narrow)""")
    call = "sdc_record_swap_partners('persons', ['area', 'district'], 0.1, 'id', household := 'home'"
    query = "SELECT household, risk_level FROM {} ORDER BY household"
    found = keyed.execute(query.format(f"{call}, risk_keys := ['age'], k := 2)")).fetchall()
    # the only 9 of the area is in household 6; 8 of districts 0 and 1 are alone there, and so is no 7
    assert dict(found) == {1: None, 2: None, 3: None, 4: 2, 5: 2, 6: 1, 7: None, 8: None, 9: None, 10: None}
    keyed.execute("UPDATE persons SET narrow = 0.2 WHERE narrow IS NULL")
    found = keyed.execute(query.format(f"{call}, risk := ['wide', 'narrow'], max_risk := 0.3)")).fetchall()
    assert dict(found) == {1: None, 2: None, 3: 2, 4: None, 5: None, 6: 1, 7: None, 8: 2, 9: None, 10: None}
