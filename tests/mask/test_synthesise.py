"""Files drawn anew column by column: what is kept, what no record gets, rules, parts, copies, and odd columns."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.synthesis import candidates

import sdc_sql
from sdc_sql import Microdata

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 1500
COLUMNS = ["Select", "f", "it's", "born", "job", "grade"]
RULES = ['f >= 16 OR "it\'s" IS NULL', "f >= 16 OR job IS NULL"]


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table `k`: ages `f`, incomes `it's` of those of 16 and more, texts, dates, codes."""
    rng = np.random.default_rng(5)
    age = rng.integers(0, 90, N)
    sex = rng.integers(0, 2, N)
    works = age >= 16
    income = np.where(rng.random(N) < 0.2, 0, np.round(np.exp(rng.normal(9 + 0.6 * sex, 0.5, N)), 2))
    columns = {
        "id": np.arange(N) * 7, "Select": np.array(["f", "m"])[sex], "f": age,
        "it's": pa.array(income, mask=~works), "days": rng.integers(0, 3000, N),
        "job": pa.array(rng.integers(1, 9, N) + 10 * sex, mask=~works),
        "grade": np.array(["low", "high", None], dtype=object)[np.where(age > 60, 2, sex)],
        "region": np.array(["n", "s"])[rng.integers(0, 2, N)],
    }  # fmt: skip
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table(columns))
        con.execute("""
            CREATE TABLE k AS SELECT * EXCLUDE (days, grade), grade::ENUM ('low', 'high') AS grade,
                                     DATE '1999-01-01' + days::INTEGER AS born FROM made""")
        con.unregister("made")
        yield con


def fresh(con):
    """Return the name of a table that is not there."""
    con.execute("DROP TABLE IF EXISTS drawn")
    return "drawn"


def share(con, table, condition):
    (found,) = con.execute(f"SELECT avg(({condition})::INTEGER) FROM {table}").fetchone()
    return float(found)


def test_relations_types_heaps_and_rules_stay_and_rare_values_do_not(k):
    Microdata(k, "k", id="id").mask.synthesise(COLUMNS, codes="JOB", rules=RULES, into=fresh(k))
    assert k.table("drawn").types == k.table("k").types
    assert k.table("drawn").columns == k.table("k").columns
    for condition in (
        "\"Select\" = 'm'", "f < 16", "\"it's\" = 0", "\"Select\" = 'm' AND \"it's\" > 15000", "grade IS NULL",
        "job > 10", "\"Select\" = 'f' AND grade = 'low'", "f BETWEEN 30 AND 40 AND \"it's\" IS NULL",
    ):  # fmt: skip
        before, after = (share(k, table, f"coalesce(({condition}), false)") for table in ("k", "drawn"))
        assert abs(after - before) < 4.5 * math.sqrt(max(before * (1 - before), 1 / N) / N), condition
    for rule in (*RULES, "(\"Select\" = 'm') = (job > 10) OR job IS NULL", "f <= 60 OR grade IS NULL"):
        assert share(k, "drawn", f"coalesce(({rule}), false)") == 1
    # what fewer than 5 persons have is released of nobody but by chance: of 2,000 among some million cents a few
    (copied,) = k.execute("""
        SELECT count(*) FROM drawn
        WHERE "it's" IN (SELECT "it's" FROM k GROUP BY ALL HAVING count(*) < 5)""").fetchone()
    assert copied < 25
    assert share(k, "drawn", '"it\'s" IS NULL OR round("it\'s", 2) = "it\'s"') == 1
    highest = '(SELECT list_avg(list("it\'s" ORDER BY "it\'s" DESC)[1:5]) FROM k)'
    assert share(k, "drawn", f'coalesce("it\'s" <= {highest} + 0.01, true)') == 1


def test_a_drawn_record_is_nobodys(k):
    k.execute("CREATE OR REPLACE TABLE drawn AS FROM sdc_synthesise('k', ['f', 'it''s', 'born', 'job'], 'id')")
    (same,) = k.execute("""
        SELECT count(*) FROM k JOIN drawn USING (f, "it's", born, job) WHERE "it's" > 0""").fetchone()
    assert same < 3
    own = k.execute("SELECT corr(k.f, drawn.f) FROM k JOIN drawn USING (id)").fetchone()[0]
    assert abs(own) < 4.5 / math.sqrt(N)


@pytest.mark.slow
@pytest.mark.whole
def test_a_record_more_another_copy_and_another_key_draw_everybody_anew(k):
    k.execute("CREATE OR REPLACE TABLE more AS FROM k UNION ALL SELECT * REPLACE (99999 AS id) FROM k LIMIT 1501")
    call = "sdc_synthesise('{}', ['f'], 'id'{})"

    def ages(table, more=""):
        found = k.execute(f"SELECT f FROM {call.format(table, more)} WHERE id < {7 * N} ORDER BY id").fetchnumpy()["f"]
        return np.asarray(found, dtype=float)

    first = ages("k")
    k.execute("CREATE OR REPLACE TABLE backwards AS FROM k ORDER BY id DESC")
    assert (first == ages("backwards")).all()
    for other in (ages("more"), ages("k", ", copy := 2"), ages("k", ", release := 'b'"), ages("k", ", k := 6")):
        assert abs(np.corrcoef(first, other)[0, 1]) < 4.5 / math.sqrt(N)


@pytest.mark.slow
def test_methods_by_column(k):
    methods = {"f": "sample", "it's": "predictive_mean", "job": "table", "Select": "table", "grade": "multinomial"}
    data = Microdata(k, "k", id="id")
    step = data.mask.synthesise(COLUMNS, codes="job", methods=methods, into=fresh(k))
    assert list(step.parameters["methods"]) == ["table", "sample", "predictive_mean", "trees", "table", "multinomial"]
    listed = "['table', 'sample', 'predictive_mean', 'trees', 'table', 'multinomial']"
    names = "['Select', 'f', 'it''s', 'born', 'job', 'grade']"
    call = f"sdc_synthesise('k', {names}, 'id', codes := ['job'], methods := {listed})"
    assert k.execute(f"FROM {call} ORDER BY id").fetchall() == k.execute("FROM drawn ORDER BY id").fetchall()
    for condition in ("\"Select\" = 'm'", '"it\'s" = 0', "job > 10", "grade = 'low'"):
        before, after = (share(k, table, f"coalesce(({condition}), false)") for table in ("k", "drawn"))
        assert abs(after - before) < 6 * math.sqrt(before * (1 - before) / N), condition
    data.mask.synthesise(["Select", "it's"], given="f", methods=["logistic", "normal_scores"], into=fresh(k))
    high = 'avg("it\'s") FILTER ("Select" = \'m\') / avg("it\'s") FILTER ("Select" = \'f\')'
    before, after = (k.execute(f"SELECT {high} FROM {table}").fetchone()[0] for table in ("k", "drawn"))
    assert abs(after / before - 1) < 0.25
    assert k.execute("SELECT count(*) FROM k JOIN drawn USING (id, f)").fetchone() == (N,)


def test_records_at_risk_alone_are_drawn_and_models_fit_to_those_named(k):
    k.execute("CREATE OR REPLACE TABLE marked AS SELECT *, f > 80 AS old, region = 'n' AS asked FROM k")
    data = Microdata(k, "marked", id="id")
    data.mask.synthesise(["it's", "f"], drawn="OLD", given="Select", into=fresh(k))
    assert share(k, "drawn d JOIN marked m USING (id)", 'd."it\'s" IS NOT DISTINCT FROM m."it\'s" OR m.old') == 1
    assert share(k, "drawn d JOIN marked m USING (id)", "d.f = m.f OR m.old") == 1
    assert share(k, "(SELECT d.f = m.f AS same FROM drawn d JOIN marked m USING (id) WHERE m.old)", "same") < 0.2
    # nothing of those who were not asked is in what is drawn
    k.execute("CREATE OR REPLACE TABLE blind AS SELECT * REPLACE (CASE WHEN asked THEN f ELSE -9 END AS f) FROM marked")
    Microdata(k, "blind", id="id").mask.synthesise("f", given="Select", fitted="asked", into=fresh(k))
    assert share(k, "drawn", "f >= 0") == 1


def test_records_whose_figure_is_risky_are_drawn(k):
    data = Microdata(k, "k", id="id", keys=["f", "Select"], weight=10)
    step = data.mask.synthesise(["f", "it's"], drawn="individual_risk.sample_frequency < 6", into=fresh(k))
    assert step.parameters["drawn"] == "individual_risk.sample_frequency < 6"
    stays = 'sum(1) OVER (PARTITION BY f, "Select") >= 6 AS stays'
    of = f'drawn d JOIN (SELECT id, f, "it\'s", {stays} FROM k) m USING (id)'
    assert share(k, of, 'NOT stays OR (d.f = m.f AND d."it\'s" IS NOT DISTINCT FROM m."it\'s")') == 1
    assert 0.02 < share(k, of, "NOT stays") < 0.5
    assert share(k, f"(SELECT d.f = m.f AS same FROM {of} WHERE NOT stays)", "same") < 0.2
    data.mask.synthesise("f", drawn="f > 80 AND region = 'n'", into=fresh(k))
    assert share(k, "drawn d JOIN k m USING (id)", "d.f = m.f OR (m.f > 80 AND m.region = 'n')") == 1
    for drawn in ("individual_risk.harm > 3", "theta.theta > 1", "household_risk.household_risk > 0.1"):
        with pytest.raises(sdc_sql.InputError, match=r"names no figure of records|needs household"):
            data.mask.synthesise("f", drawn=drawn, into="refused")


def test_what_members_show_is_known_where_a_figure_is_asked(k):
    """Thirty whose region is missing are alike; each is alone with the region that another member shows."""
    k.execute("""
        CREATE OR REPLACE TABLE pairs AS
        SELECT range AS id, range // 2 AS hh, CASE WHEN range % 2 = 0 THEN 'r' || range // 2 END AS region,
               ['young', 'old'][1 + range % 2] AS age, range % 7 AS x FROM range(60)""")
    roles = {"keys": ["region", "age"], "household": "hh", "weight": 10}
    for columns, drawn in ((["region"], 30), ([], 0)):
        data = Microdata(k, "pairs", id="id", household_columns=columns, **roles)
        data.mask.synthesise("x", given="age", drawn="individual_risk.sample_frequency < 2", into=fresh(k))
        changed = "SELECT count(*) FROM drawn d JOIN pairs m USING (id) WHERE m.age = 'old' AND d.x <> m.x"
        (found,) = k.execute(changed).fetchone()
        assert (found > drawn / 2) if drawn else found == 0


def test_odd_columns(k):
    k.execute("""
        CREATE OR REPLACE TABLE odd AS
        SELECT range AS id, 7 AS one, NULL::INTEGER AS none, range % 2 = 0 AS yes, range::VARCHAR AS name,
               TIMESTAMP '2020-01-01' + to_seconds(range * 61) AS moment, (range * 1.01)::DECIMAL(9, 2) AS d,
               CASE WHEN range % 3 = 0 THEN 'nan'::DOUBLE WHEN range % 3 = 1 THEN NULL ELSE range / 7e0 END AS x,
               uuid() AS u, [range % 2] AS l
        FROM range(60)""")
    k.execute("""CREATE OR REPLACE TABLE drawn AS
        FROM sdc_synthesise('odd', ['one', 'none', 'yes', 'moment', 'd', 'x', 'l'], 'id', k := 3)""")
    assert k.table("drawn").types == k.table("odd").types
    shown = k.execute("""
        SELECT min(one), max(one), count(none), count(DISTINCT yes), count(l), min(d) >= 0, max(d) < 59,
               min(moment) > '2020-01-01', count(*) FILTER (isnan(x)) BETWEEN 8 AND 32,
               count(*) FILTER (x IS NULL) BETWEEN 8 AND 32
        FROM drawn""").fetchone()
    assert shown == (7, 7, 0, 2, 60, True, True, True, True, True)
    assert share(k, "drawn", "epoch(moment) = round(epoch(moment))") == 1
    for column in ("name", "u"):
        with pytest.raises(sdc_sql.InputError, match=f"{column}: 60 of 60 records have a name that fewer than k = 5"):
            Microdata(k, "odd", id="id").mask.synthesise(column, into=fresh(k))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("where", "call", "message"),
    [
        ("true", {"k": 1}, "k is 1"),
        ("true", {"methods": "forest"}, "methods is 'forest': it must be one of trees"),
        ("true", {"methods": ["trees", "table"]}, "methods are 2"),
        ("true", {"methods": {"region": "trees"}}, "methods names region"),
        ("true", {"methods": {"Select": "normal_scores"}}, "normal_scores draws numbers"),
        ("true", {"methods": {"f": "logistic"}}, "logistic draws names and codes"),
        ("true", {"methods": {"job": "logistic"}, "codes": "job"}, "a logistic regression tells 2 apart"),
        ("true", {"given": "f"}, "which is drawn anew"),
        ("true", {"codes": "region"}, "neither drawn nor given"),
        ("true", {"columns": ["id"]}, "is the id"),
        ("true", {"drawn": "region"}, "must be of truth values"),
        ("true", {"rules": "f > 50"}, "A rule does not hold for"),
        ("true", {"rules": "f > (SELECT 1)"}, "a condition"),
        ("id < 60", {}, "9 records; expected at least 10"),
        ("id < 0", {}, "has no rows"),
        ("id = 7", {}, "1 records; expected at least 10"),
    ],
)
def test_refused(k, where, call, message):
    k.execute(f"CREATE OR REPLACE TABLE few AS FROM k WHERE {where}")
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(k, "few", id="id").mask.synthesise(**{"columns": COLUMNS, "into": "refused", **call})


def test_long_numbers_are_codes(k):
    k.execute("CREATE OR REPLACE TABLE long AS SELECT id, 9007199254740993 + id % 2 AS n FROM k")
    with pytest.raises(sdc_sql.InputError, match="more than 15 digits"):
        Microdata(k, "long", id="id").mask.synthesise("n", into=fresh(k))
    Microdata(k, "long", id="id").mask.synthesise("n", codes="n", into=fresh(k))
    assert k.execute("SELECT DISTINCT n FROM drawn ORDER BY n").fetchall() == [(9007199254740993,), (9007199254740994,)]


@pytest.fixture(scope="module")
def homes(k):
    """Return a table of 700 households of 1 to 4: a couple of about one age, and children of 20 to 40 years less."""
    k.execute("""
        CREATE OR REPLACE TABLE homes AS
        WITH houses AS (
            SELECT range AS hh, 1 + range % 4 AS size, 20 + hash(range) % 60 AS age, hash(range, 1) % 2 AS sex,
                   ['n', 's'][1 + (hash(range, 2) % 2)::INTEGER] AS region
            FROM range(700)
        )
        SELECT hh * 10 + place AS "ID", hh AS "it's", region, size,
               CASE place WHEN 1 THEN age WHEN 2 THEN age + (hash(hh, 3) % 5)::INTEGER - 2
                          ELSE greatest(0, age - 20 - (hash(hh, place) % 20)::INTEGER) END AS f,
               ['f', 'm'][1 + ((sex + place) % 2)::INTEGER] AS sex,
               CASE WHEN f >= 16 THEN 1 + hash("ID") % 3 END AS "Select"
        FROM houses, range(1, 5) AS places(place) WHERE place <= size""")
    return Microdata(k, "homes", id="id")


HOMES = {"household": "IT'S", "household_columns": "region", "structure": ["sex", "f"]}


@pytest.mark.slow
@pytest.mark.whole
def test_households_keep_their_sizes_and_their_persons_fit_one_another(k, homes):
    columns = ["region", "sex", "f", "Select"]
    homes.mask.synthesise(columns, codes="Select", rules='f >= 16 OR "Select" IS NULL', **HOMES, into=fresh(k))
    names = "['region', 'sex', 'f', 'Select'], 'id', codes := ['Select'], household := 'it''s'"
    call = f"sdc_synthesise('homes', {names}, household_columns := ['region'], structure := ['sex', 'f'])"
    assert k.execute(f"FROM {call} ORDER BY id").fetchall() == k.execute("FROM drawn ORDER BY id").fetchall()
    told = """
        SELECT count(*), max(regions), avg(regions), corr(first, second), corr(first, third), avg(alike::INTEGER)
        FROM (SELECT "it's", count(DISTINCT region) AS regions, any_value(f) FILTER (id % 10 = 1) AS first,
                     any_value(f) FILTER (id % 10 = 2) AS second, any_value(f) FILTER (id % 10 = 3) AS third,
                     any_value(sex) FILTER (id % 10 = 1) = any_value(sex) FILTER (id % 10 = 2) AS alike
              FROM {} GROUP BY ALL)"""
    before, after = (k.execute(told.format(table)).fetchone() for table in ("homes", "drawn"))
    assert before[:3] == after[:3] == (700, 1, 1)
    assert before[3] > 0.99 > after[3] > 0.9
    assert abs(before[4] - after[4]) < 0.1
    assert after[5] == before[5] == 0  # the second is of the other sex
    sizes = 'SELECT "it\'s", count(*) FROM {} GROUP BY ALL ORDER BY ALL'
    assert k.execute(sizes.format("homes")).fetchall() == k.execute(sizes.format("drawn")).fetchall()


@pytest.mark.usefixtures("homes")
def test_published_margins_are_kept_by_weights(k):
    """What the file is to add up to stands in the totals: those of the source, or of a census."""
    k.execute("CREATE OR REPLACE TABLE weighted AS SELECT *, 12.5 AS w FROM homes")
    columns = ["region", "sex", "f", "Select"]
    Microdata(k, "weighted", id="id").mask.synthesise(columns, codes="Select", **HOMES, into=fresh(k))
    k.execute("""
        CREATE OR REPLACE TABLE published AS
        SELECT 'sex' AS variable, sex AS value, sum(w) AS total FROM weighted GROUP BY ALL
        UNION ALL SELECT 'region', region, sum(w) FROM weighted GROUP BY ALL""")
    drawn = Microdata(k, "drawn", id="id", weight="w")
    margins = "SELECT sum(w) FROM {} GROUP BY {} ORDER BY {}"
    before = [k.execute(margins.format("weighted", c, c)).fetchall() for c in ("sex", "region")]
    assert [k.execute(margins.format("drawn", c, c)).fetchall() for c in ("sex", "region")] != before
    drawn.mask.calibrate("w", "published")
    for c, wanted in zip(("sex", "region"), before, strict=True):
        assert np.array(k.execute(margins.format("drawn", c, c)).fetchall()) == pytest.approx(np.array(wanted, float))


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"household": None}, "go with a household"),
        ({"household_columns": "f", "structure": "sex"}, "f is of the household, and [0-9]+ persons have another"),
        ({"drawn": "small"}, "do not go with a household"),
        ({"household": "region", "household_columns": None}, "it says who lives with whom, and stays"),
        ({"structure": "size"}, "name a column that is not drawn"),
    ],
)
@pytest.mark.usefixtures("homes")
def test_refused_of_households(k, call, message):
    k.execute("CREATE OR REPLACE TABLE marked_homes AS SELECT *, f < 3 AS small FROM homes")
    data = Microdata(k, "marked_homes", id="id")
    with pytest.raises(sdc_sql.InputError, match=message):
        data.mask.synthesise(["region", "sex", "f"], **(HOMES | call), into=fresh(k))


@pytest.mark.slow
def test_candidates_of_a_large_file_are_chosen_by_all_its_records(connect, monkeypatch):
    """A regression on 1,000 of 40,000 records alone moves means by its own chance: a ratio of 20 and more."""
    monkeypatch.setattr(candidates, "RECORDS", 1000)
    rng = np.random.default_rng(3)
    n = 40_000
    a, z = rng.integers(0, 4, n), rng.normal(size=n)
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        x = np.rint(10 * (z + 0.3 * a)).astype(int)
        columns = {
            "id": np.arange(n),
            "a": np.array(list("nesw"))[a],
            "x": x,
            "y": np.rint(5 * z + 3 * rng.normal(size=n)).astype(int),
        }
        con.register("made", pa.table(columns))
        con.execute("CREATE TABLE k AS FROM made")
        Microdata(con, "k", id="id").mask.synthesise(["a", "x", "y"], into="drawn")
        released = Microdata(con, "drawn")
        for pairs in (False, True):
            assert released.loss.propensity("k", ["a", "x", "y"], continuous=["x", "y"], pairs=pairs).ratio < 4
