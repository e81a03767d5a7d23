"""Suppression to a limit of risk: held for every released record, by the cheapest keys, from every door."""

from __future__ import annotations

from itertools import product

import brute_force
import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.posterior import posterior_risk
from sdc_sql.udfs.suppression import functions
from sdc_sql.udfs.suppression.cells import Cells
from sdc_sql.udfs.suppression.risky import suppress_to_bearable

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import InputError, TableError

KEYS = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
WILD = "nulls := 'wildcard'"


def suppressed(record, keys):
    return tuple(None if key in keys else value for key, value in enumerate(record))


def risk_if(records, weights, record):
    """Return the risk of a record released so, the others as they are, NULL agreeing with every value."""
    alike = [brute_force.compatible(record, other, "wildcard") for other in records]
    population = sum(w for w, a in zip(weights, alike, strict=True) if a)
    return brute_force.posterior_risk(sum(alike), sum(alike) / population)


def cheapest(records, weights, place, most, costs):
    """Return what a record must lose if no other loses anything, by trying all sets of keys; None: nothing will do."""
    found = [
        sum(cost for cost, out, value in zip(costs, lost, records[place], strict=True) if out and value is not None)
        for lost in product([False, True], repeat=len(costs))
        if risk_if(records, weights, suppressed(records[place], np.flatnonzero(lost))) <= most
    ]
    return min(found, default=None)


def random_table(rng, trial):
    """Return cells by number and as records have them, NULL in some tables, and weights."""
    codes = rng.integers(trial % 2, 4, (int(rng.integers(6, 16)), 3))
    weights = rng.integers(1, 9, len(codes)) * [1.0, 1.37][trial % 3 == 0]
    records = [tuple(int(v) or None for v in row) for row in codes]
    cells, place = np.unique(codes, axis=0, return_inverse=True)
    place = place.ravel()
    return records, weights, cells, place, np.bincount(place), np.bincount(place, weights=weights)


def released(records, place, lost):
    return [
        suppressed(r, [key for key in range(3) if lost[at] >> key & 1]) for r, at in zip(records, place, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("costs", [[1, 1, 1], [3, 0.7, 1.3]])
def test_no_record_is_above_the_limit_and_none_loses_more_than_it_needs(costs):
    rng, reached = np.random.default_rng(5), set()
    for trial in range(40):
        records, weights, cells, place, counts, sums = random_table(rng, trial)
        most = float(rng.choice([0.03, 0.08, 0.15, 0.3]))
        needed = [cheapest(records, weights, at, most, costs) for at in range(len(records))]
        reached.add(None not in needed)
        if None in needed:
            with pytest.raises(ValueError, match=f"of {needed.count(None)} records is above"):
                suppress_to_bearable(Cells(cells, counts, costs), sums, most, 0b111)
            continue
        lost = suppress_to_bearable(Cells(cells, counts, costs), sums, most, 0b111)
        risks = brute_force.individual_risks(released(records, place, lost), weights, "wildcard")
        assert max(risks) <= most
        for at, least in zip(place, needed, strict=True):
            assert sum(c for key, c in enumerate(costs) if lost[at] >> key & 1) == pytest.approx(least)
    assert reached == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("only", [None, 1])
def test_no_household_is_above_the_limit_or_an_error_says_that_it_cannot_be_reached(only):
    rng, reached = np.random.default_rng(6), set()
    may = 0b111 if only is None else 1 << only
    keys = [key for key in range(3) if may >> key & 1]
    for trial in range(60):
        records, weights, cells, place, counts, sums = random_table(rng, trial)
        most = float(rng.choice([0.1, 0.2, 0.35, 0.5]))
        homes = np.unique(rng.integers(0, 6, len(records)), return_inverse=True)[1]
        pairs, row = np.unique(np.stack([homes, place], axis=1), axis=0, return_inverse=True)
        row = row.ravel()
        members = (pairs[:, 1], pairs[:, 0], np.bincount(row))
        before = brute_force.household_risks(brute_force.individual_risks(records, weights, "wildcard"), homes)
        lowest = brute_force.household_risks([risk_if(records, weights, suppressed(r, keys)) for r in records], homes)
        beyond = sum(b > most and r > most for b, r in zip(before, lowest, strict=True))
        reached.add(beyond == 0)
        if beyond:
            with pytest.raises(ValueError, match=f"household of {beyond} records is above"):
                suppress_to_bearable(Cells(cells, counts, [1, 1, 1]), sums, most, may, members)
            continue
        lost = suppress_to_bearable(Cells(cells, counts, [1, 1, 1]), sums, most, may, members)
        after = released(records, row, lost)
        risks = brute_force.household_risks(brute_force.individual_risks(after, weights, "wildcard"), homes)
        assert max(risks) <= most
        assert all(a == b for a, b, r in zip(after, records, before, strict=True) if r <= most)
        assert all(a[key] == b[key] for a, b in zip(after, records, strict=True) for key in {0, 1, 2} - {*keys})
    assert reached == {True, False}


@pytest.mark.parametrize("other", [2, 12])  # the other member is above its share, or below
def test_all_of_a_household_lose_the_key_where_one_member_cannot_come_down(other):
    records, weights = [(1, 1), (2, 1), (3, 2), (4, 2)], [2, 2, other, 100]
    homes, most = np.array([0, 1, 0, 2]), 0.451
    members = (np.arange(4), homes, np.ones(4, dtype=np.int64))
    lost = suppress_to_bearable(
        Cells(np.array(records), members[2], [1, 1]), np.array(weights, dtype=float), most, 1, members
    )
    assert lost.tolist() == [1, 1, 1, 0]
    after = [(None, y) if out else (x, y) for (x, y), out in zip(records, lost, strict=True)]
    assert max(brute_force.household_risks(brute_force.individual_risks(after, weights, "wildcard"), homes)) <= most
    first = risk_if(records, weights, (None, 1))
    assert 1 - (1 - first) * (1 - risk_if(records, weights, (3, 2))) > most  # by itself it would not do


def test_the_kernel_has_the_risk_of_the_macro(con):
    rng = np.random.default_rng(3)
    f = np.concatenate([[1, 4, 15, 16, 1, 7], rng.integers(1, 40, 300), rng.integers(90, 10**6, 100)]).astype(
        np.float64
    )
    population = f * np.concatenate([[1, 1, 2, 2, 1e9, 1e9], 10 ** rng.uniform(0, 5, 400)])
    call = "SELECT sdc_posterior_risk(f, least(f / w, 1)) FROM (SELECT unnest($f) AS f, unnest($w) AS w)"
    told = [r for (r,) in con.execute(call, {"f": f.tolist(), "w": population.tolist()}).fetchall()]
    assert posterior_risk(f, population) == pytest.approx(told, rel=1e-12)


@pytest.fixture
def couples(con, fixtures):
    con.execute(f"CREATE TABLE couples AS FROM '{fixtures / 'cps_couples.parquet'}' WHERE couple % 20 = 0")
    return sdc_sql.Microdata(con, "couples", keys=KEYS, weight="weight", id="couple")


def greatest(con, table):
    call = f"SELECT max(individual_risk) FROM sdc_individual_risk('{table}', {KEYS}, 'weight', {WILD})"
    return con.execute(call).fetchone()[0]


@pytest.mark.slow
def test_the_measure_finds_nothing_above_the_limit(couples):
    assert greatest(couples.con, "couples") > 0.004
    step = couples.mask.suppress_risky(0.004, into="released")
    assert greatest(couples.con, "released") == step.parameters["greatest_risk"] <= 0.004
    assert step.changed == step.parameters["above_before"] > 0


@pytest.mark.slow
def test_dear_keys_are_kept_and_a_named_key_alone_is_suppressed(couples):
    step = couples.mask.suppress_risky(0.004, into="released")
    dear = couples.mask.suppress_risky(0.004, importance={"Children_6_to_18": 9}, into="dear").parameters[
        "suppressions"
    ]
    assert dear["children_6_to_18"] < step.parameters["suppressions"]["children_6_to_18"]
    one = couples.mask.suppress_risky(0.02, variable="EDUCATION", keys=["region", "education"], into="one")
    assert one.parameters["suppressions"] == {"region": 0, "education": one.parameters["above_before"]}


@pytest.mark.slow
def test_households(couples):
    con = couples.con
    con.execute("ALTER TABLE couples ADD COLUMN home INTEGER")
    con.execute("UPDATE couples SET home = couple // 60")
    data = sdc_sql.Microdata(con, "couples", keys=KEYS, weight="weight", id="couple")
    step = data.mask.suppress_risky(0.004, household="Home")
    call = f"SELECT max(household_risk) FROM sdc_household_risk('couples', {KEYS}, 'weight', 'home', {WILD})"
    assert con.execute(call).fetchone()[0] == step.parameters["greatest_risk"] <= 0.004 < greatest(con, "couples") * 3
    con.execute("UPDATE couples SET home = NULL WHERE couple % 200 = 0")
    with pytest.raises(InputError, match="household number is NULL"):
        data.mask.suppress_risky(0.003, household="home", into="r")


@pytest.mark.slow
@pytest.mark.parametrize("named", [{}, {"household": "Select"}])
def test_odd_names_nulls_and_small_tables(con, named):
    con.execute('CREATE TABLE k (n INTEGER, f VARCHAR, "Select" INTEGER, "a""b" INTEGER)')
    call = "FROM sdc_suppress_risky('k', ['f'], 0.1, 'n', weight := 1)"
    with pytest.raises(duckdb.Error, match="no rows"):
        con.execute(call).fetchall()
    con.execute("INSERT INTO k VALUES (1, 'secret', 1, NULL)")
    data = sdc_sql.Microdata(con, "k", keys=["f", 'a"b'], weight=10, id="n")
    with pytest.raises(InputError, match=r"of 1 records is above 0\.1 even where all keys are suppressed") as told:
        data.mask.suppress_risky(0.1, **named)
    assert "secret" not in str(told.value)
    con.execute("INSERT INTO k VALUES (2, 'x', 2, 7), (3, 'x', 3, 7), (4, 'y', 4, 8), (5, NULL, 5, 8)")
    step = data.mask.suppress_risky(0.1, **named)
    assert step.parameters["greatest_risk"] <= 0.1
    # 1: alone by its first key, but for 5; (4 and 5 agree: r(2, 20) = 0.083)
    assert con.execute('SELECT n, f, "a""b" FROM k ORDER BY n').fetchall() == [
        (1, "secret", None), (2, "x", 7), (3, "x", 7), (4, "y", 8), (5, None, 8),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_risk_at_the_limit_is_low_enough(con):
    """Four of four in the population: the risk is 1/4, exactly."""
    con.execute("CREATE TABLE t AS SELECT i AS id, CASE WHEN i < 4 THEN 'a' ELSE 'b' END AS v FROM range(9) AS r(i)")
    data = sdc_sql.Microdata(con, "t", keys=["v"], weight=1, id="id")
    assert data.mask.suppress_risky(0.25, into="r").changed == 0
    assert data.mask.suppress_risky(0.24, into="s").changed == 4


def test_what_is_still_above_the_limit_is_an_error_and_nothing_is_written(couples, monkeypatch):
    monkeypatch.setattr(functions, "suppress_to_bearable", lambda cells, *_: np.zeros(cells.number, dtype=np.int64))
    with pytest.raises(TableError, match="released records are still above the limit of risk: nothing was written"):
        couples.mask.suppress_risky(0.004)
    unchanged = "SELECT count(*) FROM couples WHERE COLUMNS(lambda c: list_contains($keys, c)) IS NULL"
    assert couples.con.execute(unchanged, {"keys": KEYS}).fetchone() == (0,)


@pytest.mark.slow
def test_the_same_answer_in_any_order_of_rows_and_on_any_number_of_threads(couples):
    con, found = couples.con, set()
    con.execute("ALTER TABLE couples ADD COLUMN home INTEGER")
    con.execute("UPDATE couples SET home = couple // 60")
    con.execute("CREATE TABLE backwards AS FROM couples ORDER BY hash(couple)")
    for table, threads in (("couples", 1), ("backwards", 2)):
        con.execute(f"SET threads = {threads}")
        call = f"FROM sdc_suppress_risky('{table}', {KEYS}, 0.004, 'couple', weight := 'weight', household := 'home')"
        found |= set(
            con.execute(f"SELECT md5(string_agg(v::VARCHAR, ';' ORDER BY couple)) FROM ({call}) AS v").fetchall()
        )
    con.execute("RESET threads")
    assert len(found) == 1


@pytest.mark.slow
def test_on_the_command_line_a_file_goes_from_failing_to_passing(tmp_path, monkeypatch, capsys, fixtures):
    monkeypatch.chdir(tmp_path)
    keys, source = ["--keys", ",".join(KEYS)], str(fixtures / "cps_couples.parquet")
    limit = ["--weight", "weight", "--nulls", "wildcard", "--fail-if", "individual_risk.individual_risk > 0.001"]
    assert main(["risk", source, *keys, *limit]) == 3
    command = ["mask", "suppress_risky", source, "--id", "couple", "--columns", ",".join(KEYS), "--max-risk", "0.001",
               "--weight", "weight", "--output", "mended.parquet"]  # fmt: skip
    assert main(command) == 0
    assert main(["risk", "mended.parquet", *keys, *limit]) == 0
    capsys.readouterr()


@pytest.mark.slow
def test_wrong_arguments(couples):
    for wrong, words in (
        ({"max_risk": 0}, "between 0 and 1"),
        ({"max_risk": 1.2}, "between 0 and 1"),
        ({"max_risk": 1e-9}, "1113 records is above 1e-09 even where all keys are suppressed"),
        ({"variable": "race", "max_risk": 0.001}, "even where the variable is suppressed"),
        ({"variable": "hours"}, "none of the keys"),
        ({"variable": "nothing"}, "nothing"),
        ({"household": "nothing"}, "nothing"),
        ({"household": "race"}, "household and also a key"),
        ({"importance": [1, 2]}, "positive number for each"),
        ({"cost": "huge"}, "cost"),
    ):
        with pytest.raises(InputError, match=words):
            couples.mask.suppress_risky(**({"max_risk": 0.01} | wrong), into="r")
    with pytest.raises(InputError, match="weight"):
        sdc_sql.Microdata(couples.con, "couples", keys=KEYS, id="couple").mask.suppress_risky(0.01)
    for arguments, words in (
        ("NULL, 'couple', weight := 'weight'", "max_risk is NULL"),
        ("0.01, 'couple'", "A weight is needed"),
        ("0.01, 'couple', weight := 0.5", "sum to less than"),
        ("0.01, 'couple', weight := 'weight', variable := 'hours'", "none of the keys"),
        ("0.01, 'couple', weight := 'weight', importance := [1, -1, 1, 1, 1, 1]", "positive"),
        ("0.01, 'couple', weight := 'weight', cost := NULL", "cost"),
    ):
        with pytest.raises(duckdb.Error, match=words):
            couples.con.execute(f"FROM sdc_suppress_risky('couples', {KEYS}, {arguments})").fetchall()


def test_the_proof_gives_the_records_above_the_limit_and_the_greatest_risk(con):
    """Four of a and five of b, who are all: risks of 1/4 and 1/5; of a household of two of a 1 - (3/4)^2."""
    con.execute(
        "CREATE TABLE t AS SELECT i AS id, if(i < 4, 'a', 'b') AS v, [1, 1, 2, 3, 3, 4, 5, 5, 5][1 + i] AS h"
        " FROM range(9) r(i)"
    )
    con.execute(
        "CREATE TABLE same AS SELECT id, v FROM t; CREATE TABLE r AS SELECT id, if(v = 'a', NULL, v) AS v FROM t"
    )

    def proved(released, limit, household="NULL"):
        call = f"sdc__risk_proof('t', '{released}', ['v'], {limit}, 'id', 1, {household}, 'error')"
        return execute(con, f"SELECT suppressions, above_before, greatest_risk FROM {call}").fetchall()

    near = pytest.approx
    assert proved("same", 0.25) == [({"v": 0}, 0, near(0.25, rel=1e-12))]
    assert proved("r", 0.24) == [({"v": 4}, 4, near(1 / 9, rel=1e-12))]  # NULL agrees with all: nine are like each
    with pytest.raises(duckdb.Error, match="4 released records are still above the limit"):
        proved("same", 0.24)
    # households of 1/4 twice, 1/4, 1/4 and 1/5 (together 0.4), 1/5, and 1/5 three times
    assert proved("r", 0.4, "'h'") == [({"v": 4}, 5, near(1 - (8 / 9) ** 3, rel=1e-12))]
    with pytest.raises(duckdb.Error, match="3 released records are still above the limit"):
        proved("r", 0.297, "'h'")
