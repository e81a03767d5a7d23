"""The threshold rule: SDC handbook, 3.3.4, and the levels of identification of 3.7."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import duckdb
import pytest
from every_macro import complaint
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from small_tables import NULLS, PROPERTY, SmallTable, small_tables

import sdc_sql


def compatible(left, right, nulls):
    return all(a == b or (nulls == "wildcard" and None in (a, b)) for a, b in zip(left, right, strict=True))


def counted(table, names, weight, nulls):
    """Return each combination of the keys with its records and its frequency, by comparing all pairs of records."""
    records = list(zip(*([repr(v) if v is not None else None for v in table.column(n)] for n in names), strict=True))
    weights = table.column("weight") if weight else [1] * len(records)
    own = Counter(records)
    return {c: (own[c], sum(w for r, w in zip(records, weights, strict=True) if compatible(c, r, nulls))) for c in own}


def check_rule(db, table, thresholds, *, weight, inclusive, nulls):
    """Hold the three measures of a rule against the combinations that are counted."""
    named = "'weight'" if weight else "NULL"
    tail = f"?, ?, weight := {named}, inclusive := {inclusive}, nulls := '{nulls}')"
    given_now = [table.keys, thresholds]
    expected, sets, bearing = [], [], Counter()
    for size, threshold in enumerate(thresholds, 1):
        for names in combinations(table.keys, size) if threshold else ():
            cells = counted(table, names, weight, nulls)
            unsafe = {c: v for c, v in cells.items() if v[1] < threshold or (inclusive and v[1] == threshold)}
            expected += [(list(names), *v, threshold) for v in unsafe.values()]
            least = min(v[1] for v in cells.values())
            sets.append((list(names), threshold, len(cells), len(unsafe), sum(v[0] for v in unsafe.values()), least))
            for i, record in enumerate(zip(*(table.column(n) for n in names), strict=True)):
                bearing[i] += tuple(repr(v) if v is not None else None for v in record) in unsafe
    rows = db.execute(
        f"SELECT columns, records, frequency, threshold FROM sdc_threshold_rule('t', {tail}", given_now
    ).fetchall()
    assert sorted(rows, key=repr) == sorted(expected, key=repr)
    assert db.execute(f"FROM sdc_threshold_rule_summary('t', {tail}", given_now).fetchall() == sets
    found = db.execute(
        f"SELECT id, unsafe_combinations FROM sdc_threshold_rule_records('t', {tail}", given_now
    ).fetchall()
    assert dict(found) == {i: bearing[i] for i in range(len(table.rows))}


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("thresholds", "weight", "inclusive", "nulls"),
    [([2, None, 1], False, True, "category"), ([8, 6.5], True, False, "wildcard")],
)
def test_some_rules_on_one_table(db, thresholds, weight, inclusive, nulls):
    """Three keys with missing values, two equal records; frequencies on, below and above the thresholds."""
    keys = [(1, "NULL", False), (1, "NULL", False), (1, None, True), (None, "A", True), (0, "A", None), (1, "A", True)]
    weights = [1.5, 2, 3.25, 2, 1, 4]
    rows = [(*key, i, w, 1, None, True) for i, (key, w) in enumerate(zip(keys, weights, strict=True))]
    table = SmallTable(["age", "name", "employed"], rows)
    table.store(db, "t")
    check_rule(db, table, thresholds, weight=weight, inclusive=inclusive, nulls=nulls)


@pytest.mark.slow
@settings(PROPERTY, max_examples=6)  # three queries with a branch for each set of keys, in each example
@given(
    table=small_tables(max_rows=9),
    thresholds=st.lists(st.none() | st.integers(1, 60), min_size=1, max_size=4).filter(any),
    weight=st.booleans(),
    inclusive=st.booleans(),
    nulls=st.sampled_from(NULLS),
)
def test_every_unsafe_combination_and_no_other(db, table, thresholds, weight, inclusive, nulls):  # noqa: PLR0917
    table.store(db, "t")
    assume(any(thresholds[: len(table.keys)]))  # else nothing would be checked, which is refused
    asked, lightest = [t for t in thresholds[: len(table.keys)] if t], min(table.column("weight"))
    assume(not weight or all(t > lightest or (inclusive and t == lightest) for t in asked))  # else nothing can break it
    check_rule(db, table, thresholds, weight=weight, inclusive=inclusive, nulls=nulls)


def maximal_products(extremely, very, identifying):
    """Return the sets of E x (E u V) x (E u V u I) that lie in no larger one."""
    levels = [extremely, extremely + very, extremely + very + identifying]
    sets = {frozenset(t) for t in product(*(level for level in levels if level))}
    return {s for s in sets if not any(s < t for t in sets)}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("numbers", list(product(range(3), repeat=3))[1:])
def test_the_sets_of_levels(db, numbers):
    """3.7, researchers' rule 2: an extremely, a very and an identifying key; a higher level counts lower down."""
    names = iter("abcdefghi")
    extremely, very, identifying = ([next(names) for _ in range(n)] for n in numbers)
    keys = extremely + very + identifying
    ((found,),) = db.execute(
        "SELECT sdc__key_sets(?, 100, NULL, "
        "{'extremely': ?::VARCHAR[], 'very': ?::VARCHAR[], 'identifying': ?::VARCHAR[]})",
        [keys[::-1], extremely, very, identifying],
    ).fetchall()
    assert len(found) == len({frozenset(s) for s in found})
    assert {frozenset(s) for s in found} == maximal_products(extremely, very, identifying)


def test_the_example_of_the_header(con):
    con.execute(
        "CREATE TABLE persons AS FROM (VALUES (30, 'f', 'north'), (30, 'f', 'north'), "
        "(30, 'm', 'north'), (30, 'm', 'south')) AS t(age, sex, region)"
    )
    assert con.execute("FROM sdc_threshold_rule('persons', ['age', 'sex', 'region'], [1, 1])").fetchall() == [
        (["region"], ["south"], 1, 1.0, 1.0),
        (["age", "region"], ["30", "south"], 1, 1.0, 1.0),
        (["sex", "region"], ["m", "north"], 1, 1.0, 1.0),
        (["sex", "region"], ["m", "south"], 1, 1.0, 1.0),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "keys", "weight"),
    [
        ("testdata", ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"], "sampling_weight"),
        ("francdat", ["Key1", "Key2", "Key3", "Key4"], "w"),
    ],
)
def test_real_files_against_a_counter(shared, con, file, keys, weight):
    """../shared/data/README.md; each combination counted in Python, in records and in sums of weights."""
    con.execute(f"CREATE TABLE t AS FROM '{shared / 'data' / file}.parquet'")
    names = ", ".join(f'"{k}"' for k in keys)
    records = con.execute(f'SELECT {names}, "{weight}" FROM t').fetchall()
    for weighs, threshold in ((None, 3), (weight, 500)):
        expected = {}
        for size in (1, 2, 3):
            for places in combinations(range(len(keys)), size):
                cells: Counter = Counter()
                for record in records:
                    cells[tuple(record[i] for i in places)] += record[-1] if weighs else 1
                names_here = tuple(keys[i] for i in places)
                expected |= {(names_here, tuple(map(str, c))): n for c, n in cells.items() if n <= threshold}
        rows = con.execute(
            'SELECT columns, "values", frequency FROM sdc_threshold_rule(?, ?, ?, weight := ?)',
            ["t", keys, threshold, weighs],
        ).fetchall()
        found = {(tuple(c), tuple(str(x) for x in v)): n for c, v, n in rows}
        assert len(rows) == len(found)
        assert found == pytest.approx(expected)


ODD = ["Select", 'a"b', "it's", "values", "records"]


@pytest.mark.slow
def test_odd_names_are_reported_as_they_were_given(con):
    """The names stand in the text of a query: quotes in them must not end it."""
    columns = ", ".join('i % {} AS "{}"'.format(2 + n % 3, name.replace('"', '""')) for n, name in enumerate(ODD))
    con.execute(f"CREATE TABLE odd AS SELECT {columns} FROM range(12) t(i)")
    for nulls in NULLS:
        rows = con.execute("FROM sdc_threshold_rule_summary('odd', ?, 3, nulls := ?)", [ODD, nulls]).fetchall()
        assert [r[0] for r in rows] == [list(s) for n in (1, 2, 3) for s in combinations(ODD, n)]
    (found,) = con.execute("FROM sdc_threshold_rule('odd', ?, [3])", [["it's"]]).fetchall()[:1]
    assert found[:2] == (["it's"], ["0"])


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("weight", "threshold"), [(1.1, 3.3), (1.9, 5.7)])
def test_a_sum_of_weights_equals_the_threshold_but_for_its_last_digit(con, weight, threshold):
    """By hand 3 x 1.1 = 3.3 and 3 x 1.9 = 5.7; the sums of doubles are 3.3000000000000003 and 5.699999999999999."""
    con.execute("CREATE TABLE three AS SELECT 1 AS a, ?::DOUBLE AS w FROM range(3)", [weight])
    assert con.execute("SELECT sum(w) <> ?::DOUBLE FROM three", [threshold]).fetchall() == [(True,)]
    for inclusive in (True, False):
        call = "{}('three', ['a'], $t::DOUBLE, weight := 'w', inclusive := $inclusive)"
        given = {"t": threshold, "inclusive": inclusive}
        assert len(con.execute("FROM " + call.format("sdc_threshold_rule"), given).fetchall()) == inclusive
        records = call.format("sdc_threshold_rule_records")
        rows = con.execute("SELECT DISTINCT unsafe_combinations FROM " + records, given)
        assert rows.fetchall() == [(inclusive,)]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("[NULL, NULL, 5]", "no set of the 2 keys has a threshold"),
        ("0", "The threshold is 0"),
        ("NULL", "The threshold is NULL"),
        ("'many'", "The threshold is many"),
        ("'nan'::DOUBLE", "The threshold is nan"),
        ("[]", "The threshold is"),
        ("[NULL, NULL]", "The threshold is"),
        ("[3, -1]", "The threshold is"),
        ("3, dimension := 0", "dimension is 0"),
        ("3, dimension := 1.5", "dimension is 1.5"),
        ("[3, 3], dimension := 3", "a list of thresholds has one for each dimension"),
        ("3, inclusive := NULL", "inclusive is NULL"),
        ("3, levels := {'very': ['sex']}", 'The key "age" has no level of identification'),
        ("3, levels := {'very': ['sex', 'age'], 'identifying': ['AGE']}", 'The key "age" has several levels'),
        ("3, levels := {'very': ['sex', 'age', 'region']}", '"region" has a level of identification and is not among'),
        ("[3], levels := {'very': ['sex'], 'identifying': ['age']}", "give one threshold, or three"),
    ],
)
def test_what_is_given_wrong(persons, arguments, words):
    for macro in ("sdc_threshold_rule", "sdc_threshold_rule_summary", "sdc_threshold_rule_records"):
        assert words in complaint(persons, f"FROM {macro}('persons', ['age', 'sex'], {arguments})")


@pytest.mark.slow
def test_a_threshold_that_nothing_can_break_is_an_error(con):
    """20 was meant for records, of which each stands for 100 persons or more; what one record breaks is measured."""
    con.execute('CREATE TABLE k AS SELECT id % 3 AS f, id % 2 AS "it\'s", 100 + id AS w FROM range(9) t(id)')
    for macro in ("sdc_threshold_rule", "sdc_threshold_rule_summary", "sdc_threshold_rule_records"):
        for rule in ("20, weight := 'w'", "[NULL, 99], weight := 'w'", "100, weight := 'w', inclusive := false"):
            said = complaint(con, f"FROM {macro}('k', ['f', 'it''s'], {rule})")
            assert "less than what the record of the smallest weight stands for" in said, (macro, rule)
        for rule in ("20", "100, weight := 'w'", "101, weight := 'w', inclusive := false", "1, weight := 1"):
            assert con.execute(f"FROM {macro}('k', ['f', 'it''s'], {rule})").fetchall() is not None
    data = sdc_sql.Microdata(con, "k", keys=["f", "it's"], weight="w")
    with pytest.raises(sdc_sql.ParameterError, match="weight 1"):
        data.risk.threshold_rule_summary(20)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inclusive": None}, "inclusive is None"),
        ({"inclusive": "no"}, "inclusive is 'no'"),
        ({"levels": {"very": None}}, "each level has a list of keys"),
        ({"levels": {"very": ["sex", "SEX"], "identifying": ["age"]}}, "several levels of identification"),
    ],
)
def test_wrong_input_is_an_error_of_the_package(given, words):
    with pytest.raises(sdc_sql.ParameterError, match=words):
        sdc_sql.example().risk.threshold_rule_summary(3, **given)


@pytest.mark.slow
@pytest.mark.parametrize("levels", ["{'bogus': ['age']}", "{'extremely': ['age', 'sex'], 'bogus': ['region']}"])
def test_a_level_that_there_is_not_is_refused(persons, levels):
    calls = (
        f"sdc_threshold_rule('persons', ['age', 'sex'], 2, levels := {levels})",
        f"sdc_threshold_rule_records('persons', ['age', 'sex'], 2, levels := {levels})",
        f"sdc_research_file_rules('persons', ['age', 'sex'], 'weight', {levels})",
        f"sdc_research_file_rules('persons', ['age', 'sex'], 'weight', {levels}) WHERE rule = 4",
        f"sdc_research_file_rules('persons', ['age', 'sex'], 'weight', {levels}, panel := true) WHERE rule = 5",
    )
    for call in calls:
        with pytest.raises(duckdb.Error, match='levels has "bogus": the levels of identification are extremely, very'):
            persons.execute(f"FROM {call}").fetchall()


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "sets"),
    [
        ("3, NULL, NULL", [["a"], ["B"], ["c"], ["d"], ["a", "B"], ["a", "c"], ["a", "d"], ["B", "c"], ["B", "d"],
                           ["c", "d"], ["a", "B", "c"], ["a", "B", "d"], ["a", "c", "d"], ["B", "c", "d"]]),
        ("[NULL, NULL, 0.5], 3, NULL", [["a", "B", "c"], ["a", "B", "d"], ["a", "c", "d"], ["B", "c", "d"]]),
        ("[2, NULL, NULL, 7], NULL, NULL", [["a"], ["B"], ["c"], ["d"], ["a", "B", "c", "d"]]),
        ("[NULL, NULL, NULL, NULL, 7], NULL, NULL", []),
        # an extremely, a very and an identifying one; b of the second level stands for the third too
        ("3, NULL, {'extremely': ['A'], 'very': ['b', 'c'], 'identifying': ['d']}",
         [["a", "B", "c"], ["a", "B", "d"], ["a", "c", "d"]]),
        ("3, NULL, {'very': ['a', 'b'], 'identifying': ['c', 'd']}",
         [["a", "B"], ["a", "c"], ["a", "d"], ["B", "c"], ["B", "d"]]),
    ],
)  # fmt: skip
def test_the_sets_that_are_checked(db, arguments, sets):
    ((rule,),) = db.execute(f"SELECT sdc__key_rule(['a', 'B', 'c', 'd'], {arguments})").fetchall()
    assert rule["sets"] == sets
    given = {1: 2, 4: 7} if arguments.startswith("[2") else {3: 0.5 if "0.5" in arguments else 3}
    assert rule["limits"] == [given.get(len(s), 3) for s in sets]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("['a', 'b'], [3, -1], NULL, NULL", "it must be a positive number"),
        ("['a', 'b'], 'inf'::DOUBLE, NULL, NULL", "The threshold is inf"),
        ("['a', 'b'], [3, 3], 3, NULL", "The dimension is 3 and there are 2 thresholds"),
        ("['a', NULL], 3, NULL, NULL", "holds a NULL"),
        ("[]::VARCHAR[], 3, NULL, NULL", "the list of columns is empty"),
        ("['a', 'b'], 3, NULL, {'very': ['b', 'a'], 'identifying': ['A']}", 'The key "a" has several levels'),
        ("['a', 'b'], 3, NULL, {'very': ['b', 'a', 'c']}", '"c" has a level of identification and is not among'),
        ("['a', 'b'], 3, NULL, {'very': ['b', 'a'], 'vary': ['b']}", 'levels has "vary"'),
        ("['a', 'b'], [3, NULL, 3], NULL, {'very': ['b'], 'identifying': ['a']}", "give one threshold, or three"),
    ],
)
def test_sets_that_are_asked_wrongly(db, arguments, words):
    assert words in complaint(db, f"SELECT sdc__key_sets({arguments})")


def test_only_three_levels_are_known(db):
    assert 'levels has "vary"' in complaint(db, "SELECT sdc__are_levels({'very': ['b', 'a'], 'vary': ['b']})")
    for levels in ("{'VERY': ['a'], 'identifying': ['b'], 'extremely': ['c']}", "NULL"):
        assert db.execute(f"SELECT sdc__are_levels({levels})").fetchall() == [(True,)]


def test_combinations_that_are_listed(db):
    rule = "SELECT sdc__listed_rule(['a', 'B', 'c'], {})"
    ((found,),) = db.execute(rule.format("3, NULL, NULL, [['b', 'A'], ['C']]")).fetchall()
    assert (found["sets"], found["limits"]) == ([["a", "B"], ["c"]], [3, 3])
    ((found,),) = db.execute(rule.format("[NULL, 2], NULL, NULL, [['b', 'A'], ['C']]")).fetchall()
    assert (found["sets"], found["limits"]) == ([["c"]], [2])
    for arguments, words in (
        ("3, 1, NULL, [['a']]", "and a dimension would choose others"),
        ("3, NULL, {'very': ['a']}, [['a']]", "and levels would choose others"),
        ("0, NULL, NULL, [['a']]", "The threshold is 0"), ("3, NULL, NULL, []", "must be a list of lists"),
        ("3, NULL, NULL, [['a'], []]", "must be a list of lists"),
        ("3, NULL, NULL, [['a', NULL]]", "must be a list of lists"), ("3, NULL, NULL, NULL", "must be a list of lists"),
        ("3, NULL, NULL, [['a', 'x']]", 'combinations has "x"'),
        ("[3, 4], NULL, NULL, [['a']]", "There are 1 combinations and 2 thresholds"),
    ):  # fmt: skip
        assert words in complaint(db, rule.format(arguments)), arguments
