"""Suppression by a threshold rule: the optimum, and a file that the rule finds nothing in, from every door."""

from __future__ import annotations

import json
from itertools import combinations, product

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.suppression import functions
from sdc_sql.udfs.suppression.cells import Cells
from sdc_sql.udfs.suppression.combinations import choose_least_frequencies, keep_frequent
from sdc_sql.udfs.suppression.compatible_combinations import compatible_combinations

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import InputError, TableError

KEYS = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
LEVELS = {"extremely": ["region"], "very": ["race", "hispanic"], "identifying": KEYS[3:]}


@pytest.fixture
def couples(con, fixtures):
    con.execute(f"CREATE TABLE couples AS FROM '{fixtures / 'cps_couples.parquet'}'")
    return sdc_sql.Microdata(con, "couples", keys=KEYS, weight="weight", id="couple")


def fewest(records: np.ndarray, sets: list[list[int]], limits: list[float], amounts: np.ndarray) -> int:
    """Return the fewest suppressions by trying all sets of keys for each record."""

    def enough(record, kept):
        for keys, limit in zip(sets, limits, strict=True):
            left = [key for key in keys if kept[key] and record[key]]
            if amounts[(records[:, left] == record[left]).all(axis=1)].sum() <= limit:
                return False
        return True

    every = list(product([False, True], repeat=records.shape[1]))
    return sum(
        min(
            sum(not keeps and v > 0 for keeps, v in zip(kept, record, strict=True))
            for kept in every
            if enough(record, kept)
        )
        for record in records
    )


@pytest.mark.slow
@pytest.mark.parametrize("nulls", [False, True])
def test_no_fewer_suppressions_would_do(nulls):
    rng = np.random.default_rng(7)
    for _ in range(150):
        keys = int(rng.integers(2, 5))
        records = rng.integers(0 if nulls else 1, 4, (int(rng.integers(6, 14)), keys))
        amounts = rng.integers(1, 4, len(records)).astype(np.float64)
        sets = [list(s) for size in (1, 2) for s in combinations(range(keys), size)]
        limits = [{1: 4.0, 2: 2.0}[len(s)] for s in sets]
        codes, place = np.unique(records, axis=0, return_inverse=True)
        counts, sums = np.bincount(place.ravel()), np.bincount(place.ravel(), weights=amounts)
        cells = Cells(codes, counts, [1.0] * keys)
        lost = keep_frequent(
            cells, choose_least_frequencies([sum(1 << k for k in s) for s in sets], limits, inclusive=True), sums
        )
        found = sum(int(cells.cost(int(d))) * n for d, n in zip(lost, counts, strict=True))
        assert found == fewest(records, sets, limits, amounts)


def compatible(records: np.ndarray, one: np.ndarray, keys: list[int]) -> np.ndarray:
    """Return which records agree with one on some keys, 0 agreeing with every value."""
    return ((records[:, keys] == one[keys]) | (records[:, keys] == 0) | (one[keys] == 0)).all(axis=1)


def needed_alone(records: np.ndarray, place: int, rule: list[tuple[list[int], float]], amounts, costs) -> float:
    """Return what a record must lose if no other is suppressed, by trying all sets of keys."""
    found = []
    for kept in product([False, True], repeat=records.shape[1]):
        one = np.where(kept, records[place], 0)
        if all(amounts[compatible(records, one, keys)].sum() >= t * (1 - 1e-12) for keys, t in rule):
            found.append(sum(c for c, k, v in zip(costs, kept, records[place], strict=True) if v and not k))
    return min(found)


@pytest.mark.slow
@pytest.mark.parametrize("costs", [[1, 1, 1, 1], [3, 0.7, 1.3, 2]])
def test_wildcard_holds_and_no_record_loses_more_than_it_needs_by_itself(costs):
    """Against brute force, on random tables with and without NULL, counted or weighted."""
    rng = np.random.default_rng(11)
    for trial in range(60):
        records = rng.integers(trial % 2, 4, (int(rng.integers(8, 30)), 4))
        codes, place = np.unique(records, axis=0, return_inverse=True)
        counts = np.bincount(place.ravel())
        amounts = np.bincount(place.ravel(), weights=rng.integers(1, 4, len(records)) * [1.0, 0.37][trial % 3 == 0])
        rule = [(list(s), [4.0, 3.0, 2.0][len(s) - 1]) for size in (1, 2, 3) for s in combinations(range(4), size)]
        limits = choose_least_frequencies(
            [sum(1 << k for k in s) for s, _ in rule], [t for _, t in rule], inclusive=False
        )
        if amounts.sum() < max(limits.values()):
            continue
        lost = compatible_combinations(Cells(codes, counts, costs), limits, amounts)
        released = np.where(lost[:, np.newaxis] >> np.arange(4) & 1, 0, codes)
        for keys, t in rule:
            assert all(amounts[compatible(released, r, keys)].sum() >= t * (1 - 1e-12) for r in released)
        for cell in np.flatnonzero(lost):
            own = sum(c for key, c in enumerate(costs) if lost[cell] >> key & 1)
            assert own <= needed_alone(codes, cell, rule, amounts, costs) + 1e-9


@pytest.fixture
def counted(con, fixtures):
    con.execute(f"CREATE TABLE couples AS FROM '{fixtures / 'cps_couples.parquet'}'")
    return sdc_sql.Microdata(con, "couples", keys=KEYS, id="couple")


@pytest.fixture
def few(con, fixtures):
    con.execute(f"CREATE TABLE couples AS FROM '{fixtures / 'cps_couples.parquet'}' WHERE couple % 80 = 0")
    return sdc_sql.Microdata(con, "couples", keys=KEYS, weight="weight", id="couple")


def total(step) -> int:
    return sum(step.parameters["suppressions"].values())


@pytest.mark.slow
def test_fewer_suppressions_than_sdcmicro_in_its_reading(counted, fixtures):
    """All pairs with k = 20, all triples with k = 10 (kAnon(combs = c(2, 3), k = c(20, 10)))."""
    entries = json.loads((fixtures / "sdcmicro.json").read_text(encoding="utf-8"))["entries"]
    theirs = entries["couples_kanon_combs"]["result"]["suppressions"]
    step = counted.mask.suppress_combinations([None, 20, 10], inclusive=False, guarantee="wildcard", into="released")
    assert total(step) <= 0.85 * theirs == 0.85 * 410
    assert step.parameters["below_wildcard"] == 0 < step.parameters["below_strong"]
    assert step.parameters["below_identical"] > 0 < step.parameters["compatible_below"]
    released = sdc_sql.Microdata(counted.con, "released", keys=KEYS, nulls="wildcard")
    assert (
        sum(r.unsafe_combinations for r in released.risk.threshold_rule_summary([None, 20, 10], inclusive=False)) == 0
    )


@pytest.mark.slow
def test_fewer_suppressions_than_sdcmicro_on_testdata(con, shared):
    """All sets of five, four and three of seven keys with k = 10, 20, 30: sdcMicro 5.8.1 needs 803."""
    con.execute(f"CREATE TABLE t AS SELECT row_number() OVER () AS id, * FROM '{shared / 'data' / 'testdata.parquet'}'")
    data = sdc_sql.Microdata(con, "t", keys=["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"], id="id")
    thresholds = [None, None, 30, 20, 10]
    assert total(data.mask.suppress_combinations(thresholds, inclusive=False, guarantee="wildcard", into="w")) <= 670
    assert (
        total(data.mask.suppress_combinations(thresholds, inclusive=False, into="s")) == 1024
    )  # the optimum, once searched


LISTED = [["REGION", "education"], ["race", "hispanic", "children_under_6"]]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("guarantee", ["strong", "wildcard"])
def test_listed_combinations_each_with_its_threshold(counted, guarantee):
    counted.mask.suppress_combinations([400, 100], combinations=LISTED, inclusive=False, guarantee=guarantee, into="r")
    for names, t in ((LISTED[0], 400), (LISTED[1], 100)):
        agree = " AND ".join(f"(a.{n} = b.{n} OR a.{n} IS NULL OR b.{n} IS NULL)" for n in names)
        cells = f"SELECT {', '.join(names)}, count(*) AS n FROM {{}} GROUP BY ALL"
        counts = f"SELECT sum(b.n) AS f FROM ({cells}) AS a JOIN ({cells}) AS b ON {agree} GROUP BY a"
        below = f"SELECT count(*) FROM ({counts}) WHERE f < {t}"
        assert counted.con.execute(below.format("r", "r")).fetchone() == (0,)
        assert counted.con.execute(below.format("couples", "couples")).fetchone() > (0,)
    others = [k for k in KEYS if k.casefold() not in {n.casefold() for names in LISTED for n in names}]
    kept = "SELECT count(*) FROM r JOIN couples AS c USING (couple) WHERE "
    changed = " OR ".join(f"r.{k} IS DISTINCT FROM c.{k}" for k in others)
    assert counted.con.execute(kept + changed).fetchone() == (0,)


@pytest.mark.slow
def test_all_pairs_listed_are_all_pairs(counted):
    listed = [list(s) for s in combinations(KEYS[:4], 2)]
    one = counted.mask.suppress_combinations(20, combinations=listed, keys=KEYS[:4], into="a")
    other = counted.mask.suppress_combinations([None, 20], keys=KEYS[:4], into="b")
    assert one.parameters["suppressions"] == other.parameters["suppressions"]
    assert total(one) > 0


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["strong", "wildcard"])
def test_dear_keys_are_kept(few, guarantee):
    plain_few = sdc_sql.Microdata(few.con, "couples", keys=KEYS, id="couple")

    def lost(into, **named):
        step = plain_few.mask.suppress_combinations([None, 5], guarantee=guarantee, into=into, **named)
        return step.parameters["suppressions"]

    plain, dear = lost("a"), lost("b", importance={"Children_6_to_18": 9})
    assert dear["children_6_to_18"] < plain["children_6_to_18"]
    assert dear == lost("c", importance=[1, 1, 1, 1, 1, 9])
    assert lost("d", cost="entropy") != plain


@pytest.mark.one_in(2)
@pytest.mark.parametrize("guarantee", ["strong", "wildcard"])
def test_odd_names_nulls_and_small_tables(con, guarantee):
    con.execute('CREATE TABLE k (n INTEGER, f VARCHAR, "Select" VARCHAR, "a""b" INTEGER)')
    with pytest.raises(duckdb.Error, match="no rows"):
        con.execute("FROM sdc_suppress_combinations('k', ['f'], 1, 'n', guarantee := $g)", {"g": guarantee}).fetchall()
    con.execute("INSERT INTO k VALUES (1, 'x', NULL, 1)")
    data = sdc_sql.Microdata(con, "k", keys=["f", "Select", 'a"b'], id="n")
    with pytest.raises(InputError, match="all records together are 1, too few"):
        data.mask.suppress_combinations(1, guarantee=guarantee)
    con.execute("INSERT INTO k VALUES (2, 'x', 'y', 2), (3, 'x', 'y', 2), (4, 'z', 'y', 2), (5, NULL, NULL, NULL)")
    rule = {"guarantee": guarantee, "combinations": [["F", "select"], ["select", 'A"B']]}
    step = data.mask.suppress_combinations(1, **rule)
    assert step.parameters["below_wildcard"] == 0
    kept = con.execute('SELECT f, "Select", "a""b" FROM k ORDER BY n').fetchall()
    assert kept[1:3] == [("x", "y", 2)] * 2
    # strong: a NULL of the original agrees with nobody; wildcard: record 5 agrees with every one
    assert kept[3] == ((None, "y", 2) if guarantee == "strong" else ("z", "y", 2))
    assert kept[0] == (("x", None, None) if guarantee == "strong" else ("x", None, 1))


@pytest.mark.slow
def test_the_same_answer_in_any_order_of_rows_and_on_any_number_of_threads(counted):
    con = counted.con
    con.execute("CREATE TABLE backwards AS FROM couples ORDER BY hash(couple)")
    released = f"sdc_suppress_combinations('{{}}', {KEYS}, [NULL, 20], 'couple', guarantee := 'wildcard')"
    call = f"SELECT md5(string_agg(v::VARCHAR, ';' ORDER BY couple)) FROM (FROM {released}) AS v"
    found = set()
    for table, threads in (("couples", 1), ("backwards", 2)):
        con.execute(f"SET threads = {threads}")
        found |= set(con.execute(call.format(table)).fetchall())
    con.execute("RESET threads")
    assert len(found) == 1


@pytest.mark.slow
def test_the_rule_finds_nothing_in_the_released_file(couples):
    rules = {"levels": LEVELS, "inclusive": False}
    assert sum(r.unsafe_combinations for r in couples.risk.threshold_rule_summary(20_000, **rules)) > 0
    step = couples.mask.suppress_combinations(20_000, **rules, into="released")
    released = sdc_sql.Microdata(couples.con, "released", keys=KEYS, weight="weight", nulls="wildcard")
    assert sum(r.unsafe_combinations for r in released.risk.threshold_rule_summary(20_000, **rules)) == 0
    assert sum(step.parameters["suppressions"].values()) > 0
    assert couples.con.execute("SELECT parameters->>'weight' FROM sdc_steps").fetchall() == [("weight",)]


@pytest.mark.slow
def test_the_rules_for_researchers_pass_on_the_mended_file(couples):
    rest = {"levels": LEVELS, "panel": False, "direct_identifiers": []}
    heavy = couples.weighing(2)
    heavy.mask.suppress_combinations(100, levels=LEVELS, inclusive=False, into="mended")
    mended = sdc_sql.Microdata(couples.con, "mended", keys=KEYS, weight=2, nulls="wildcard")
    assert heavy.risk.research_file_rules(**rest)[1].violated
    assert mended.risk.research_file_rules(**rest)[1].violated is False


@pytest.mark.slow
def test_each_size_has_its_own_threshold(couples):
    """As the combinations of mu-ARGUS: pairs at least 20 times, triples at least 10 times in the file."""
    plain = sdc_sql.Microdata(couples.con, "couples", keys=KEYS, id="couple")
    step = plain.mask.suppress_combinations([None, 20, 10], inclusive=False, into="released")
    released = sdc_sql.Microdata(couples.con, "released", keys=KEYS, nulls="wildcard")
    found = released.risk.threshold_rule_summary([None, 20, 10], inclusive=False)
    assert {len(r.columns) for r in found} == {2, 3}
    assert sum(r.unsafe_combinations for r in found) == 0
    assert sum(step.parameters["suppressions"].values()) == 604  # the optimum, once searched


@pytest.mark.one_in(2)
@pytest.mark.parametrize("guarantee", ["strong", "wildcard"])
def test_what_the_rule_still_finds_is_an_error_and_nothing_is_written(few, monkeypatch, guarantee):
    monkeypatch.setitem(functions._OF_COMBINATIONS, guarantee, lambda cells, *_: np.zeros(cells.number, dtype=np.int64))
    with pytest.raises(TableError, match="combinations that are still below the threshold: nothing was written"):
        few.mask.suppress_combinations(20_000, dimension=2, guarantee=guarantee)
    unchanged = "SELECT count(*) FROM couples WHERE COLUMNS(lambda c: list_contains($keys, c)) IS NULL"
    assert few.con.execute(unchanged, {"keys": KEYS}).fetchone() == (0,)


@pytest.mark.slow
def test_on_the_command_line_a_file_goes_from_failing_to_passing(tmp_path, monkeypatch, capsys, fixtures):
    monkeypatch.chdir(tmp_path)
    keys, weight = ",".join(KEYS), ["--weight", "weight"]
    rules = ["--threshold", "20000", "--at-least", "--extremely", "region", "--very", "race,hispanic", "--identifying",
             ",".join(KEYS[3:]), *weight, "--fail-if", "threshold_rule_summary.unsafe_combinations > 0"]  # fmt: skip
    source = str(fixtures / "cps_couples.parquet")
    assert main(["rules", source, "--keys", keys, *rules]) == 3
    command = ["mask", "suppress_combinations", source, "--id", "couple", "--columns", keys, "--threshold", "20000",
               "--levels", json.dumps(LEVELS), *weight, "--output", "mended.parquet"]  # fmt: skip
    assert main(command) == 0
    assert main(["rules", "mended.parquet", "--keys", keys, *rules, "--nulls", "wildcard"]) == 0
    capsys.readouterr()


@pytest.mark.slow
def test_listed_combinations_on_the_command_line(tmp_path, monkeypatch, capsys, fixtures):
    monkeypatch.chdir(tmp_path)
    command = ["mask", "suppress_combinations", str(fixtures / "cps_couples.parquet"), "--id", "couple", "--columns",
               ",".join(KEYS), "--threshold", "200,60", "--combinations", ";".join(",".join(s) for s in LISTED),
               "--guarantee", "wildcard", "--cost", "entropy", "--output", "r.parquet", "--json"]  # fmt: skip
    assert main(command) == 0
    (step,) = json.loads(capsys.readouterr().out)
    assert total(sdc_sql.MaskingStep(**step)) > 0 == step["parameters"]["below_wildcard"]


@pytest.mark.slow
def test_wrong_arguments(few):
    listed = {"threshold": 3, "combinations": [["race", "hispanic"]]}
    for wrong, words in (
        ({"threshold": 0}, "positive number"),
        ({"threshold": 20, "levels": {"very": ["race"]}}, "no level"),
        ({"threshold": 1e12}, "too few for a threshold"),
        ({"threshold": [None, None]}, "positive number"),
        ({"threshold": 3, "guarantee": "identical"}, "strong, wildcard"),
        ({"threshold": 3, "importance": [1, 2]}, "positive number for each"),
        ({"threshold": 3, "cost": "huge"}, "cost"),
        (listed | {"dimension": 2}, "combinations are listed, and a dimension"),
        (listed | {"levels": LEVELS}, "combinations are listed, and levels"),
        (listed | {"threshold": [3, 4]}, "1 combinations and 2 thresholds"),
        (listed | {"threshold": [None]}, "positive number"),
        (listed | {"combinations": ["race"]}, "list of lists"),
        (listed | {"combinations": "race"}, "list of lists"),
        (listed | {"combinations": []}, "list of lists"),
        (listed | {"combinations": [[]]}, "list of lists"),
        (listed | {"combinations": [["weight"]]}, "not among the keys"),
        (listed | {"combinations": [["nothing"]]}, "nothing"),
    ):
        with pytest.raises(InputError, match=words):
            few.mask.suppress_combinations(**wrong, into="r")
    for arguments, words in (
        ("3, 'couple', inclusive := NULL", "inclusive is NULL"),
        ("3, 'couple', guarantee := 'identical'", "identical"),
        ("3, 'couple', guarantee := NULL", "guarantee"),
        ("3, 'couple', combinations := ['race']", "list of lists"),
        ("3, 'couple', combinations := [['race', NULL]]", "list of lists"),
        ("3, 'couple', combinations := [['race'], NULL]", "list of lists"),
        ("3, 'couple', combinations := 7", "list of lists"),
        ("3, 'couple', combinations := [['rase']]", "rase.*not among the keys"),
        ("[3, 4], 'couple', combinations := [['race']]", "1 combinations and 2 thresholds"),
        ("3, 'couple', importance := [1, -1, 1, 1, 1, 1]", "positive"),
    ):
        with pytest.raises(duckdb.Error, match=words):
            few.con.execute(f"FROM sdc_suppress_combinations('couples', {KEYS}, {arguments})").fetchall()


@pytest.mark.slow
def test_a_threshold_that_nothing_can_break_is_an_error(con):
    """Of 3 with weights of 100 nothing was suppressed, silently."""
    con.execute(
        'CREATE TABLE k AS SELECT range AS id, range % 7 AS f, (range + range // 7) % 5 AS "Select", 100.0 AS w '
        "FROM range(60)"
    )
    data = sdc_sql.Microdata(con, "k", keys=["f", "Select"], id="id", weight="w")
    words = r"A threshold \(3.*less than what the record of the smallest weight stands for.*weight 1"
    for attempt in (
        lambda: data.mask.suppress_combinations([None, 3], into="r"),
        lambda: data.mask.suppress_combinations(3, weight=100, into="r"),
        lambda: data.mask.suppress_combinations([3], combinations=[["f", "Select"]], into="r"),
    ):
        with pytest.raises(InputError, match=words):
            attempt()
    with pytest.raises(duckdb.Error, match=words):
        con.execute("FROM sdc_suppress_combinations('k', ['f', 'select'], 3, 'id', weight := 'w')").fetchall()
    with pytest.raises(InputError, match=r"A threshold \(100"):
        data.mask.suppress_combinations(100, inclusive=False, into="r")
    assert data.risk.threshold_rule_summary(100)[0].unsafe_combinations == 0  # one of a single record would be
    step = data.mask.suppress_combinations([None, 300], into="persons")
    alone = data.mask.suppress_combinations([None, 3], weight=1, into="records")
    assert (step.parameters["counted"], alone.parameters["counted"]) == ("sums of weights: w", "sums of weights: 1")
    assert step.parameters["suppressions"] == alone.parameters["suppressions"] != {"Select": 0, "f": 0}
    bare = sdc_sql.Microdata(con, "k", keys=["f", "Select"], id="id").mask.suppress_combinations([None, 3], into="bare")
    assert bare.parameters["counted"] == "records"


def test_what_one_loses_of_a_key_of_the_household_all_lose(con):
    """By hand: the region of 1, alone with it and his age, is lost, so that of 2, his household, is; nobody else's."""
    con.execute("""CREATE TABLE homes AS FROM (VALUES
        (1, 10, 'south', 'old'), (2, 10, 'south', 'young'), (3, 11, 'south', 'young'), (4, 12, 'north', 'old'),
        (5, 13, 'north', 'old'), (6, NULL, 'south', 'young')) AS t("Id", "house's", region, age)""")
    alone = "FROM sdc_suppress_combinations('homes', ['region', 'age'], 1, 'Id', importance := [1, 9]{})"
    together = alone.format(""", whole := 'house''s', household_columns := ['REGION']""")
    lost = 'SELECT "Id" {} WHERE region IS NULL ORDER BY "Id"'
    assert con.execute(lost.format(alone.format(""))).fetchall() == [(1,)]
    assert con.execute(lost.format(together)).fetchall() == [(1,), (2,)]
    assert con.execute(f"SELECT count(age), count(*) {together}").fetchall() == [(6, 6)]


def test_a_released_combination_that_no_original_has_is_rare(con):
    """By hand, of pairs with one original or none: (1, z), both (2, y) and (9, NULL), whose NULLs no original has."""
    con.execute("CREATE TABLE before AS FROM (VALUES (1, 'x'), (1, 'x'), (1, 'x'), (2, 'y')) AS t(a, b)")
    con.execute("CREATE TABLE after AS FROM (VALUES (1, 'z'), (1, NULL), (2, 'y'), (2, 'y'), (9, NULL)) AS t(a, b)")
    rule = "sdc__suppression_rule(['a', 'b'], 1, NULL, NULL, [['a', 'b']])"
    call = f"sdc__rare_records('before', 'after', ['a', 'b'], {rule}, NULL, true, 'error')"
    found = con.execute(f"SELECT sdc__before, sdc__after FROM {call} WHERE sdc__guarantee = 'strong'").fetchall()
    assert found == [(1, 4)]


BITS = np.arange(3)


def few_rare(rng, trial, size):
    """Return cells of three keys, their records and amounts, and a rule of singles and pairs."""
    records = rng.integers(trial % 2, 4, (size, 3))
    codes, place = np.unique(records, axis=0, return_inverse=True)
    counts = np.bincount(place.ravel())
    amounts = np.bincount(place.ravel(), weights=rng.integers(1, 4, size) * [1.0, 0.37][trial % 3 == 0])
    rule = [(list(s), [3.0, 2.0][len(s) - 1]) for size in (1, 2) for s in combinations(range(3), size)]
    return codes, counts, amounts, rule


def frequent(codes, amounts, rule, lost):
    """Return whether all that is released is frequent enough, NULL agreeing with every value."""
    released = np.where(lost[:, np.newaxis] >> BITS & 1, 0, codes)
    return all(amounts[compatible(released, r, keys)].sum() >= t * (1 - 1e-12) for keys, t in rule for r in released)


def suppress_wildcard(codes, counts, amounts, rule, costs):
    limits = choose_least_frequencies([sum(1 << k for k in s) for s, _ in rule], [t for _, t in rule], inclusive=False)
    return compatible_combinations(Cells(codes, counts, costs), limits, amounts)


@pytest.mark.parametrize("costs", [[1, 1, 1], [3, 0.7, 1.3]])
def test_wildcard_on_a_few_tables_loses_nothing_in_vain(costs):
    rng, some = np.random.default_rng(5), 0
    for trial in range(8):
        codes, counts, amounts, rule = few_rare(rng, trial, 9 + trial)
        lost = suppress_wildcard(codes, counts, amounts, rule, costs)
        some += bool(lost.any())
        assert frequent(codes, amounts, rule, lost)
        assert not (lost[:, np.newaxis] >> BITS & (codes == 0)).any()  # what is missing cannot be lost
        for cell in np.flatnonzero(lost):
            own = sum(c for key, c in enumerate(costs) if lost[cell] >> key & 1)
            assert own <= needed_alone(codes, cell, rule, amounts, costs) + 1e-9
            for key in np.flatnonzero(lost[cell] >> BITS & 1):
                fewer = lost.copy()
                fewer[cell] -= 1 << key
                assert not frequent(codes, amounts, rule, fewer)
    assert some > 4


@pytest.mark.parametrize("costs", [[1, 1, 1], [3, 0.7, 1.3]])
def test_wildcard_on_tiny_tables_is_near_the_optimum(costs):
    """Of tables of four cells by all that could be lost, the cheapest first: a fifth more in all, at the most."""
    rng, found, best = np.random.default_rng(7), 0.0, 0.0
    every = np.array([*product(range(8), repeat=4)])
    for trial in range(12):
        codes, counts, amounts, rule = few_rare(rng, trial, 4)
        if len(codes) < 4 or amounts.sum() < 3:
            continue
        own = ((every[:, :, np.newaxis] >> BITS & 1) * (codes > 0)) @ np.array(costs, dtype=float) @ counts
        ways = (every[place] for place in np.argsort(own, kind="stable"))
        best += own[(every == next(way for way in ways if frequent(codes, amounts, rule, way))).all(axis=1)][0]
        found += own[(every == suppress_wildcard(codes, counts, amounts, rule, costs)).all(axis=1)][0]
    assert 0 < best <= found <= 1.2 * best


# of each record its values, its weight, and those that it has lost
RELEASED = {
    "strong": "y12fg x21g x21 x11 x11f x11 y23f x23g x22 x21",
    "wildcard": "z21 y11 z11g x13g x23 x11 x13 x13g y-3 x11",
    "weighted": "z11 x11 y11fg x11f x21 x22 x13 z21fg x11 z12",
}


@pytest.mark.parametrize(
    ("case", "threshold", "inclusive"), [("strong", 2, True), ("wildcard", 2, False), ("weighted", 3, True)]
)
def test_the_proof_counts_rare_records_pair_by_pair(con, case, threshold, inclusive):
    """As the released records are, as they could be, and as those of the original are: by every set of one or two."""
    texts = [*enumerate(RELEASED[case].split())]
    old = [(i, text[0], None if text[1] == "-" else int(text[1]), int(text[2])) for i, text in texts]
    new = [(i, *(None if "fg"[j] in texts[i][1][3:] else v for j, v in enumerate(row)), w) for i, *row, w in old]
    con.execute("CREATE TABLE t (id INTEGER, f VARCHAR, g INTEGER, w DOUBLE)")
    con.execute("CREATE TABLE r (id INTEGER, f VARCHAR, g INTEGER, w DOUBLE)")
    con.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", old)
    con.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", new)

    def count_rare(records, others, wild):
        def agree(a, b):
            return a == b or (wild and None in {a, b})

        def is_rare(record):
            sums = (
                sum(o[3] if case == "weighted" else 1 for o in others if all(agree(record[j], o[j]) for j in keys))
                for keys in ((1,), (2,), (1, 2))
            )
            return any(found <= threshold if inclusive else found < threshold for found in sums)

        return sum(map(is_rare, records))

    figures = {
        "below_identical": count_rare(new, new, wild=False), "below_strong": count_rare(new, old, wild=True),
        "below_wildcard": 0, "compatible_below": count_rare(old, new, wild=True),
    }  # fmt: skip
    assert count_rare(new, new, wild=True) == 0
    assert len({*figures.values()}) >= 3
    weight, counted = ("'w'", "sums of weights: w") if case == "weighted" else ("NULL", "records")
    guarantee = "strong" if case == "strong" else "wildcard"
    given = f"['f', 'g'], {threshold}, 'id', {weight}, 2, NULL, {inclusive}, '{guarantee}', NULL, 'error'"
    ((lost, by, *found),) = execute(con, f"FROM sdc__combinations_proof('t', 'r', {given})").fetchall()
    assert lost == {key: sum(key in text[3:] for _, text in texts) for key in "fg"}
    assert by == counted
    assert found == [*figures.values()]


READINGS = [("identical", "after", False), ("wildcard", "after", True), ("strong", "before", True)]


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("weight", ["w", None])
def test_rare_records_of_random_files_are_those_of_every_pair(con, weight):
    """Of two files that need not be of the same records, each set with its threshold; NULL stands in both."""
    rng = np.random.default_rng(11)
    keys, sets, limits = ['F"', "g", "k"], [['F"'], ["g", "k"], ["k", 'F"', "g"]], [4.0, 2.5, 1.0]
    rule = f"sdc__suppression_rule({keys}, {limits}, NULL, NULL, {sets})"
    counted = "'w'" if weight else "NULL"
    call = f"sdc__rare_records('before', 'after', {keys}, {rule}, {counted}, true, 'error')"
    asked = [([keys.index(key) for key in of], limit) for of, limit in zip(sets, limits, strict=True)]

    def count_rare(records, others, wild):
        def find_frequency(record, of):
            return sum(
                o[3] if weight else 1
                for o in others
                if all(record[j] == o[j] or (wild and None in {record[j], o[j]}) for j in of)
            )

        return sum(any(find_frequency(record, of) <= limit for of, limit in asked) for record in records)

    for _ in range(6):
        files = {}
        for name in ("before", "after"):
            codes = rng.integers(-1 if name == "before" else -2, 3, (rng.integers(6, 14), 3))
            files[name] = [(*(None if c < 0 else int(c) for c in row), float(rng.integers(4, 9)) / 4) for row in codes]
            con.execute(f'CREATE OR REPLACE TABLE {name} ("F""" INTEGER, g INTEGER, k INTEGER, w DOUBLE)')
            con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?, ?)", files[name])
        expected = {}
        for guarantee, others, wild in READINGS:
            both = tuple(count_rare(files[name], files[others], wild) for name in ("before", "after"))
            expected |= {guarantee: both} if any(both) else {}
        assert {name: tuple(counts) for name, *counts in execute(con, f"FROM {call}").fetchall()} == expected
