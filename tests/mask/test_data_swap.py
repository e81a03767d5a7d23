"""Data swapping: what is kept exactly, who pairs with whom, and the risk that is left (Karr & Sanil, section 3)."""

from __future__ import annotations

from collections import Counter

import pytest

import sdc_sql
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import InputError

PERSONS = """
    CREATE TABLE persons AS
    SELECT i AS id, ['f', 'm', NULL][1 + i * 7919 % 10007 % 3] AS sex, i * 104729 % 20011 % 9 AS age,
           'r' || (i * 31 % 97 % 5) AS region, i * 613 % 1009 % 4 AS job
    FROM range(1, 802) t(i)
"""


def pairs(con, **given):
    """Return the partner of each record, None where it has none."""
    data = sdc_sql.Microdata(con, "persons", id="id")
    return {
        i: p for i, p, _ in data.mask.data_swap_partners(["region", "job"], given.pop("rate", 0.2), **given).fetchall()
    }


def table(rows, *columns):
    """Return the joint table of columns by their places."""
    return Counter(tuple(row[c] for c in columns) for row in rows)


def both(con, **given):
    """Return the records before and after, by id."""
    data = sdc_sql.Microdata(con, "persons", id="id")
    step = data.mask.data_swap(["region", "job"], given.pop("rate", 0.2), into="released", **given)
    before, after = (con.execute(f"FROM {t} ORDER BY id").fetchall() for t in ("persons", "released"))
    return before, after, step


@pytest.mark.one_in(3)
@pytest.mark.parametrize("given", [{}, {"equal": ["sex"]}, {"different": ["age", "region"], "rate": 0.9}])
def test_the_tables_of_the_swapped_and_of_the_unswapped_are_kept_and_those_between_are_not(keyed, given):
    keyed.execute(PERSONS)
    before, after, step = both(keyed, **given)
    partner = pairs(keyed, **given)
    rows = {row[0]: row for row in before}
    assert after == [(*row[:3], *rows[partner[row[0]] or row[0]][3:]) for row in before]
    assert table(after, 3, 4) == table(before, 3, 4)  # the swapped, jointly
    assert table(after, 0, 1, 2) == table(before, 0, 1, 2)
    assert table(after, 2, 3) != table(before, 2, 3)
    if "equal" in given:
        assert table(after, 1, 3, 4) == table(before, 1, 3, 4)
    asked = 722 if given.get("rate") == 0.9 else 162  # 720.9 and 160.2 records, in whole pairs
    assert (step.parameters["asked"], step.parameters["swapped"]) == (asked, asked)
    assert sum(p is not None for p in partner.values()) == asked
    assert step.changed == sum(o != r for o, r in zip(before, after, strict=True))


def test_partners_are_pairs_and_agree_or_differ_as_asked(keyed):
    keyed.execute(PERSONS)
    rows = {row[0]: row for row in keyed.execute("FROM persons").fetchall()}
    partner = pairs(keyed, equal=["sex"], different=["age", "region"], rate=0.9)
    swapped = {i: p for i, p in partner.items() if p is not None}
    assert len(swapped) >= 0.9 * 801
    for i, p in swapped.items():
        assert partner[p] == i != p
        assert rows[i][1] == rows[p][1]  # NULL is a value
        assert rows[i][2] != rows[p][2]
        assert rows[i][3] != rows[p][3]


@pytest.mark.slow
def test_too_few_partners_are_refused_or_reported_and_never_silent(keyed):
    # three quarters of the records share a value: of pairs that differ there are as many as the others are, 25
    keyed.execute("CREATE TABLE persons AS SELECT i AS id, i % 4 = 0 AS region, i AS job FROM range(100) t(i)")
    data = sdc_sql.Microdata(keyed, "persons", id="id")
    with pytest.raises(InputError, match="50 records found a partner, and 100 were asked"):
        data.mask.data_swap("job", 1, different=["region"])
    assert not keyed.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'sdc_steps'").fetchall()
    step = data.mask.data_swap("job", 1, different=["region"], shortfall="report", into="released")
    assert (step.parameters["asked"], step.parameters["swapped"], step.changed) == (100, 50, 50)
    with pytest.raises(Exception, match="shortfall := 'report'"):
        keyed.execute("FROM sdc_data_swap('persons', ['job'], 1, 'id', different := ['region'])").fetchall()
    found = data.mask.data_swap_partners("job", 1, different=["region"]).filter("partner IS NOT NULL").shape[0]
    assert found == 50


def test_odd_groups_leave_one_record_and_no_more(keyed):
    keyed.execute("CREATE TABLE persons AS SELECT i AS id, i % 7 AS region, i AS job FROM range(61) t(i)")
    data = sdc_sql.Microdata(keyed, "persons", id="id")  # groups of 9, 9, 9, 9, 9, 8, 8
    step = data.mask.data_swap("job", 1, equal=["region"], shortfall="report", into="released")
    assert step.parameters["swapped"] == 56
    assert data.mask.data_swap("job", 56 / 61, equal=["region"], into="exactly").parameters["swapped"] == 56


@pytest.mark.slow
def test_the_risk_that_is_left(keyed):
    """Karr & Sanil, (1), counted by the partners that the data holder has: beside sdc_swapping_risk, which has none."""
    keyed.execute(PERSONS)
    before, after, _ = both(keyed, rate=0.3)
    partner = pairs(keyed, rate=0.3)
    cells = table(after, 1, 2, 3, 4)
    rows = {row[0]: row for row in before}
    # a partner like oneself leaves what is true
    true = [r for r in after if partner[r[0]] is None or rows[partner[r[0]]][3:] == rows[r[0]][3:]]
    small = sum(cells[r[1:]] <= 2 for r in true)
    released = sdc_sql.Microdata(keyed, "released", id="id")
    found = released.linkage.swapping_risk("persons", ["sex", "age", "region", "job"], swapped=["region", "job"])
    assert (found.unswapped, found.unswapped_in_small) == (len(true), small)
    assert found.risk == small / len(true) > 0


def test_the_risk_report_says_that_swapped_keys_are_taken_as_they_stand(keyed):
    keyed.execute(PERSONS)
    data = sdc_sql.Microdata(keyed, "persons", id="id", keys=["sex", "region"])
    assert data.after_pram() is None
    data.mask.data_swap("job", 0.1)
    assert data.after_pram() is None  # no key
    data.mask.data_swap("region", 0.1)
    assert data.after_pram() == (
        "region went through swapping (step 2). The figures take every record's keys as they stand; there are none "
        "with the true ones, since who was swapped is not in the log (swapping_risk compares with the original)."
    )


@pytest.mark.slow
def test_another_rate_value_release_or_constraint_draws_other_pairs(keyed):
    keyed.execute(PERSONS)
    first = pairs(keyed)
    again = pairs(keyed, stream="", release="")
    assert first == again
    for other in ({"rate": 0.21}, {"release": "b"}, {"stream": "2"}, {"different": ["age"]}):
        found = pairs(keyed, **other)
        # of independent fifths a fifth in common, give or take four standard errors
        common = sum(p is not None and found[i] is not None for i, p in first.items())
        assert common < 162 * 0.2 + 4 * (162 * 0.2 * 0.8) ** 0.5, other


def test_a_new_record_leaves_the_others_swapped_or_not(keyed):
    """Nightly: nearly the same records are swapped each night, or the true values would be the most frequent."""
    keyed.execute(PERSONS)
    first = {i for i, p in pairs(keyed).items() if p is not None}
    keyed.execute("DELETE FROM persons WHERE id <= 8")
    keyed.execute("INSERT INTO persons SELECT id + 10000, sex, age, region, job FROM persons LIMIT 8")
    second = {i for i, p in pairs(keyed).items() if p is not None}
    assert len(first & second) > 0.95 * len(first)


@pytest.mark.slow
def test_ten_nights_show_who_is_not_swapped_and_not_the_values_of_those_who_are(keyed):
    """1 % of the records new each night, rate 10 %: sdc_sql/mask/README.md gives these figures."""
    keyed.execute("CREATE TABLE everyone AS SELECT i AS id, i AS x, i % 6 AS size FROM range(2400) t(i)")
    seen: dict[int, list[int]] = {}
    for night in range(10):
        these = f"FROM everyone WHERE id >= {20 * night} AND id < {2000 + 20 * night}"
        keyed.execute(f"CREATE OR REPLACE TABLE night AS {these}")
        for i, x in keyed.execute("SELECT id, x FROM sdc_data_swap('night', ['x'], 0.1, 'id')").fetchall():
            seen.setdefault(i, []).append(x)
    always = {i: values for i, values in seen.items() if len(values) == 10}
    swapped = [i for i, values in always.items() if values[0] != i]
    found = sum(Counter(always[i]).most_common(1)[0][0] == i for i in swapped)
    assert found < 0.1 * len(swapped)
    constant = [i for i, values in always.items() if len({*values}) == 1]
    true = sum(always[i][0] == i for i in constant)
    assert true > 0.98 * len(constant)  # 0.90 by one release
    assert abs(len(constant) / len(always) - 0.9) < 0.03


@pytest.mark.slow
def test_swapping_twice_does_not_give_the_original_back(keyed):
    keyed.execute(PERSONS)
    before, _, _ = both(keyed, rate=1)
    twice = sdc_sql.Microdata(keyed, "released", id="id")
    twice.mask.data_swap(["region", "job"], 1, stream="", into="again")
    same = keyed.execute("SELECT count(*) FROM persons JOIN again USING (id, region, job)").fetchone()[0]
    assert same < 0.2 * len(before)  # by chance 1 in 20


@pytest.mark.slow
def test_odd_names_values_and_small_tables(keyed):
    keyed.execute("""
        CREATE TABLE k AS
        SELECT i AS "the ""id", ['a''b', 'A', NULL][1 + i % 3] AS "Select", i % 2 AS f FROM range(40) t(i)
    """)
    data = sdc_sql.Microdata(keyed, "k", id='the "id')
    step = data.mask.data_swap("select", 0.5, equal=["F"], into="out")
    assert step.columns == ("Select",)
    assert step.parameters["swapped"] == 20
    keyed.execute("CREATE TABLE one AS SELECT 1 AS id, 'x' AS a")
    with pytest.raises(InputError, match="one record only"):
        sdc_sql.Microdata(keyed, "one", id="id").mask.data_swap("a", 1, into="n1")
    keyed.execute("CREATE TABLE two AS FROM (VALUES (1, 'x'), (2, 'y')) AS t(id, a)")
    sdc_sql.Microdata(keyed, "two", id="id").mask.data_swap("a", 0.01)
    assert keyed.execute("FROM two ORDER BY id").fetchall() == [(1, "y"), (2, "x")]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rate": 0}, "rate is 0"), ({"rate": 1.5}, "rate is 1.5"), ({"rate": "x"}, "rate is 'x'"),
        ({"equal": ["region"]}, "region.*is swapped"),
        ({"equal": ["age"], "different": ["AGE"]}, "both agree and differ"),
        ({"shortfall": "no"}, "shortfall is 'no'"), ({"equal": ["nowhere"]}, "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(keyed, given, words):
    keyed.execute(PERSONS)
    with pytest.raises(InputError, match=words):
        both(keyed, **given)


def test_who_may_exchange_with_how_many_and_who_waits(keyed):
    """Of a cell each has n - 1 others, or n less those who are like him in what must differ; ten are enough."""
    keyed.execute("""CREATE TABLE t AS SELECT row_number() OVER () AS id, g, d, e, 0 AS v FROM (VALUES
        ('a', 1, 1, 11), ('b', 1, 1, 10), (NULL, 1, 1, 14),
        ('two', 1, 1, 28), ('two', 2, 2, 12), ('rest', 1, 1, 17), ('rest', 2, 1, 3), ('rest', 3, 2, 4))
        AS w(g, d, e, n), range(n)""")

    def batch(where, rate, equal, different, shortfall="refuse"):
        keyed.execute(f"CREATE OR REPLACE VIEW part AS FROM t WHERE {where}")
        call = f"sdc__data_swap_batch('part', ['v'], {rate}, 'id', {equal}, {different}, '{shortfall}', NULL, '')"
        found = execute(keyed, f"SELECT g, records, partners, waits, count(*) FROM {call} JOIN part ON id = sdc__id"
                               " GROUP BY ALL ORDER BY g NULLS LAST").fetchall()  # fmt: skip
        return [row[:4] for row in found if row[4] == row[1]]

    few = "g IN ('a', 'b') OR g IS NULL"
    assert batch(few, 1, "['g']", "NULL") == [
        ("a", 11, 10, False), ("b", 10, 9, True), (None, 14, 13, False),
    ]  # fmt: skip
    # 28 and 12 who must differ: 12 pairs at most, of 13 less one at a rate of 0.65, and of 14 less one at 0.66
    assert batch("g = 'two'", 0.65, "NULL", "['d']") == [("two", 40, 12, False)]
    assert batch("g = 'two'", 0.66, "NULL", "['d']") == [("two", 40, 12, True)]
    # alike in one or the other: 17 and 20 of 24 are more than there are
    assert batch("g = 'rest'", 0.1, "['g']", "['d', 'e']") == [("rest", 24, 0, True)]
    with pytest.raises(Exception, match="shortfall must be 'refuse'"):
        batch("g = 'a'", 1, "NULL", "NULL", "report")


def test_what_was_asked_and_what_was_swapped_are_counted(keyed):
    """Eleven at 0.3 are two pairs, 1.65 rounded up; at 1 five are asked, and two beside nine make two that differ."""
    keyed.execute("CREATE TABLE t AS SELECT i AS id, i > 1 AS d, i AS v FROM range(11) r(i)")
    assert execute(keyed, "SELECT asked, swapped FROM sdc__data_swap_asked('t', 0.3)").fetchall() == [(4, 4)]
    call = "SELECT asked, swapped FROM sdc__data_swap_counts('t', ['v'], {}, 'id', NULL, ['d'], NULL, '')"
    assert execute(keyed, call.format(1)).fetchall() == [(10, 4)]
    rows = keyed.execute("FROM sdc_data_swap_partners('t', ['d'], 1, 'id', different := ['d']) ORDER BY id").fetchall()
    assert [row[0] for row in rows if row[1] is not None and row[2]] == [
        0, 1, *sorted(row[1] for row in rows[:2]),
    ]  # fmt: skip
    assert {row[2] for row in rows if row[1] is None} == {False}
