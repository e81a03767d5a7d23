"""Risk after PRAM: the posterior by fractions and by enumeration, every door, and where it cannot be told."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import product

import duckdb
import pytest

import sdc_sql
from sdc_sql import ColumnError, Microdata, ParameterError, risk_report
from sdc_sql.cli import main
from sdc_sql.risk import pram_passes

KEYS = ["f", 'we"ird']
ROLES = {"keys": KEYS, "weight": "w", "household": "Select", "id": "id", "sampling_fraction": 0.1}
TENTHS = {("x", "x"): 7, ("x", "y"): 2, ("x", "z"): 1, ("y", "y"): 9, ("y", "z"): 1, ("z", "x"): 5, ("z", "z"): 5}


@pytest.fixture
def k(con):
    """Return a connection with a table of odd names: k, with the keys f and we"ird, 60 records."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    con.execute("""
        CREATE TABLE k AS SELECT i AS id, CASE WHEN i % 11 > 0 THEN ['x', 'y', 'z', 'x', 'x'][1 + i % 5] END AS f,
               DATE '2020-02-29' + (i * i % 17)::INTEGER AS "we""ird", 8.0 + i % 7 AS w, i // 3 AS "Select",
               ['north', 'south'][1 + (i % 4 = 0)::INTEGER] AS region
        FROM range(60) t(i)
    """)
    return con


def matrix(con, tenths=TENTHS, name="m"):
    con.execute(f'CREATE OR REPLACE TABLE {name} ("from" VARCHAR, "to" VARCHAR, probability DOUBLE)')
    con.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [(*pair, p / 10) for pair, p in tenths.items()])
    return name


def described(con, table="k", **roles):
    return Microdata(con, table, **ROLES | roles)


def counts(con, columns, table="k"):
    quoted = ", ".join('"' + c.replace('"', '""') + '"' for c in columns)
    return {
        tuple(r[:-1]): r[-1] for r in con.execute(f"SELECT {quoted}, count(*) FROM {table} GROUP BY ALL").fetchall()
    }


# -- transitions of one pass, as functions p(from, to) of cells


def by_matrix(tenths):
    return lambda a, b: Fraction(tenths.get((a[0], b[0]), 0), 10) * (a[1:] == b[1:]) if a[0] else Fraction(a == b)


def by_retention(cells, retention, full):
    """Return p within strata, which follow the first `full` values of a cell; NULL in one of these stays."""

    def p(a, b):
        if None in a[:full] or None in b[:full]:
            return Fraction(a == b)
        others = [c for c in cells if c[full:] == a[full:] and None not in c[:full] and c != a]
        return retention if a == b else Fraction(b in others) * (1 - retention) / len(others)

    return p


def by_guarantee(cells, xi):
    theta = 2 * (1 - xi) / ((1 - xi) + math.sqrt((1 - xi) ** 2 + 4 * xi * (1 - xi)))
    return lambda a, b: 1 - theta / cells[a] if a == b else theta / cells[a] / (len(cells) - 1)


def posterior(cells, *passes, keys=slice(None)):
    """Return P(true | released) of each released key, by adding up T_k p_kl over all ways."""
    every = list(cells)
    weights = {(a, a): Fraction(n) for a, n in cells.items()}
    for p in passes:
        following = Counter()
        for (a, b), w in weights.items():
            for c in every:
                following[a, c] += w * p(b, c)
        weights = following
    right, whole = Counter(), Counter()
    for (a, b), w in weights.items():
        right[b[keys]] += w * (a[keys] == b[keys])
        whole[b[keys]] += w
    return {cell: float(right[cell] / whole[cell]) for cell in whole if whole[cell]}


def truths(data, columns):
    """Return the probabilities that the measure of records gives, by the values of columns."""
    found = {}
    rows = data.risk.individual_risk()
    places = [rows.columns.index(c) for c in columns]
    for row in rows.fetchall():
        found.setdefault(tuple(row[i] for i in places), set()).add(row[rows.columns.index("true_probability")])
    assert all(len(values) == 1 for values in found.values())
    return {cell: values.pop() for cell, values in found.items()}


def assert_truths(data, columns, expected):
    found = truths(data, columns)
    assert found == pytest.approx({cell: expected[cell] for cell in found}, rel=1e-12)


# -- the macros


@pytest.mark.slow
def test_the_example_of_the_header():
    data = sdc_sql.example()
    sdc_sql.load(data.con)
    data.con.execute("""CREATE TABLE reversed AS FROM (VALUES ('f', 'f', 0.9), ('f', 'm', 0.1), ('m', 'f', 0.2),
                        ('m', 'm', 0.8)) AS t("from", "to", probability)""")
    data.con.execute(
        "CREATE TABLE truth AS FROM sdc_true_probability('persons', ['age', 'SEX'], ['sex'], ['reversed'])"
    )
    assert sorted(data.con.execute("FROM truth").fetchall()) == [(30, "f", 0.9), (41, "m", 0.8)]
    call = "sdc_individual_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth')"
    rows = data.con.execute(f"SELECT individual_risk, individual_risk_misclassified FROM {call} ORDER BY id").fetchall()
    assert rows[2] == pytest.approx((0.157670, 0.126136), abs=1e-6)
    expected = [r for r, *_ in rows], [p for _, p in rows]
    call = "sdc_household_risk_misclassified('persons', ['age', 'sex'], 'w', 'household', 'truth')"
    found = data.con.execute(f"SELECT household_risk, household_risk_misclassified FROM {call} ORDER BY id").fetchall()
    for i, risks in enumerate(expected):
        both = 1 - (1 - risks[0]) * (1 - risks[1])
        assert [row[i] for row in found] == pytest.approx([both, both, risks[2]], rel=1e-12)
    (row,) = data.con.execute("FROM sdc_global_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth')").fetchall()
    assert row[1::3] == pytest.approx([sum(risks) for risks in expected], rel=1e-12)


def test_every_figure_beside_that_of_the_file_by_hand(con):
    """Closed forms of E(1/F) for f = 1 and 2; the cell of two is the true one in 9 of 10 cases, the other in 8."""
    con.execute("""
        CREATE TABLE persons AS FROM
            (VALUES (30, 'f', 10e0, 1), (30, 'f', 15, 1), (41, 'm', 20, 2)) t(age, sex, w, household);
        CREATE TABLE truth AS FROM (VALUES (41, 'm', 0.8), (30, 'f', 0.9)) t(age, sex, true_probability)
    """)
    two, one = 0.08 / 0.92 * (1 - 0.08 / 0.92 * math.log(12.5)), math.log(20) / 19
    pair, less = 1 - (1 - two) ** 2, 1 - (1 - 0.9 * two) ** 2

    def rows(macro, given, more=""):
        found = con.execute(
            f"FROM sdc_{macro}_misclassified('persons', ['age', 'sex'], 'w', {given}) {more}"
        ).fetchall()
        return [pytest.approx(row) for row in found]

    cells = [(30, "f", 2, 25, two, 0.9, 0.9 * two), (41, "m", 1, 20, one, 0.8, 0.8 * one)]
    assert rows("cell_risk", "'truth'", "ORDER BY age") == cells
    records = [(10, 1, cells[0]), (15, 1, cells[0]), (20, 2, cells[1])]
    found = rows("individual_risk", "'truth'", "ORDER BY w")
    assert found == [(*cell[:2], w, home, *cell[2:]) for w, home, cell in records]
    assert rows("global_risk", "'truth'") == [
        (3, 2 * two + one, (2 * two + one) / 3, (2 * two + one) / 3 * 100, 1.8 * two + 0.8 * one,
         (1.8 * two + 0.8 * one) / 3)
    ]  # fmt: skip
    found = rows("household_risk", "'household', 'truth', 0.1", "ORDER BY w")
    assert found == [
        (30, "f", 10, 1, two, pair, 2, 0.05, 0.9, 0.9 * two, less),
        (30, "f", 15, 1, two, pair, 2, 0.05, 0.9, 0.9 * two, less),
        (41, "m", 20, 2, one, one, 1, 0.1, 0.8, 0.8 * one, 0.8 * one),
    ]
    found = con.execute("""SELECT DISTINCT individual_threshold FROM
        sdc_household_risk_misclassified('persons', ['age', 'sex'], 'w', 'household', 'truth')""").fetchall()
    assert found == [(None,)]
    persons, homes, fewer = 2 * pair + one, pair + one, less + 0.8 * one
    assert rows("household_global_risk", "'household', 'truth'") == [
        (3, 2, persons, homes, persons / 3, persons / 3 * 100, homes / 2, less + fewer, fewer, (less + fewer) / 3,
         fewer / 2)
    ]  # fmt: skip


def test_the_columns_of_truth_in_any_order_and_its_faults(persons):
    keys = "['sex', 'household']"
    persons.execute("CREATE TABLE truth AS SELECT DISTINCT household, sex, 0.5 AS true_probability FROM persons")
    call = (
        f"SELECT expected_reidentifications_misclassified FROM sdc_global_risk_misclassified('persons', {keys}, 9, 't')"
    )
    persons.execute("CREATE VIEW t AS FROM truth")
    ((found,),) = persons.execute(call).fetchall()
    ((naive,),) = persons.execute(
        f"SELECT expected_reidentifications FROM sdc_global_risk('persons', {keys}, 9)"
    ).fetchall()
    assert found == pytest.approx(naive / 2, rel=1e-12)
    for rows, words in (
        ("FROM truth UNION ALL FROM truth", "A cell has two rows in t"),
        ("FROM truth WHERE sex = 'f'", "A cell of the keys has no row in t"),
        ("SELECT * REPLACE (1.5 AS true_probability) FROM truth", r"A PRAM probability is 1\.5"),
        ("SELECT * EXCLUDE (true_probability) FROM truth", "true_probability"),
    ):
        persons.execute(f"CREATE OR REPLACE VIEW t AS {rows}")
        with pytest.raises(duckdb.Error, match=words):
            persons.execute(call).fetchall()


def test_matrices_of_several_keys_and_of_their_crossing(k):
    """Independent changes: a crossing has the product of the diagonals; 0 where it is never true."""
    k.execute("""CREATE TABLE a AS FROM (VALUES ('x', 'x', 0.5), ('x', 'y', 0.5), ('y', 'x', 1), ('z', 'z', 1),
                 (NULL, NULL, 0.75), (NULL, 'x', 0.25)) AS t("from", "to", probability)""")
    k.execute("""CREATE TABLE b AS FROM (VALUES ('north', 'north', 0.25), ('north', 'south', 0.75),
                 ('south', 'south', 1)) AS t("from", "to", probability)""")
    k.execute("""CREATE TABLE crossed AS SELECT {'region': b."from", 'f': a."from"} AS "from",
                 {'region': b."to", 'f': a."to"} AS "to", a.probability * b.probability AS probability FROM a, b""")
    stays = {"x": 0.5, "y": 0, "z": 1, None: 0.75}
    expected = {(f, r): stays[f] * {"north": 0.25, "south": 1}[r] for f, r in counts(k, ["f", "region"])}
    for call in (
        "sdc_true_probability('k', ['f', 'region'], ['region', 'f'], ['b', 'a'])",
        "sdc_true_probability_crossing('k', ['f', 'region'], ['f', 'region'], 'crossed')",
    ):
        assert {(f, r): p for f, r, p in k.execute(f"FROM {call}").fetchall()} == expected


# -- the steps of a table


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("into", [None, "released"])
def test_pram_by_a_matrix(k, into):
    before, table = counts(k, ["f"]), into or "k"
    described(k).mask.pram("f", matrix(k), into=into)
    data = described(k, table)
    assert_truths(data, ["f"], posterior(before, by_matrix(TENTHS)))
    assert truths(data, ["f"])[None,] == 1
    rows = data.risk.individual_risk()
    *_, naive, probability, risk = rows.columns
    assert (naive, probability, risk) == ("individual_risk", "true_probability", "individual_risk_misclassified")
    assert all(row[-1] == row[-3] * row[-2] for row in rows.fetchall())
    assert "f went through PRAM (step 1)" in data.risk.global_risk().pram
    assert "exact where what changed is independent of the other keys" in data.after_pram()
    assert "exact where" not in described(k, table, keys=["f"]).after_pram()


@pytest.mark.slow
def test_the_mean_over_all_releases(con):
    """Five records, all 3^5 releases: of the records released as l, the share that is l is the figure, exactly."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    values = ["x", "x", "y", "z", "x"]
    con.execute("CREATE TABLE k (id INTEGER, f VARCHAR)")
    con.executemany("INSERT INTO k VALUES (?, ?)", list(enumerate(values)))
    right, whole = Counter(), Counter()
    for release in product("xyz", repeat=5):
        chance = math.prod(Fraction(TENTHS.get(pair, 0), 10) for pair in zip(values, release, strict=True))
        for true, released in zip(values, release, strict=True):
            whole[released] += chance
            right[released] += chance * (true == released)
    data = Microdata(con, "k", keys=["f"], weight=4, id="id")
    data.mask.pram("f", matrix(con))
    for (released,), found in truths(data, ["f"]).items():
        assert found == pytest.approx(float(right[released] / whole[released]), rel=1e-12)


@pytest.mark.slow
def test_two_passes(k):
    before = counts(k, ["f"])
    second = {("x", "x"): 6, ("x", "z"): 4, ("y", "y"): 10, ("z", "z"): 8, ("z", "y"): 2}
    described(k).mask.pram("f", matrix(k), into="once")
    described(k, "once").mask.pram("f", matrix(k, second))
    assert_truths(described(k, "once"), ["f"], posterior(before, by_matrix(TENTHS), by_matrix(second)))
    between = counts(k, ["f"], "once")
    described(k, "once").mask.pram_retention("F", 0.75)
    passes = by_matrix(TENTHS), by_matrix(second), by_retention(between, Fraction(3, 4), 1)
    assert_truths(described(k, "once"), ["f"], posterior(before, *passes))
    assert "(steps 1, 2, 3)" in described(k, "once").after_pram()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("keys", [["f", "region"], ["f"]])
def test_strata(k, keys):
    """Of an intruder who knows the stratum, by stratum; of one who does not, of the file as a whole."""
    before, which = counts(k, ["f", "region"]), slice(len(keys))
    described(k).mask.pram_retention("f", 0.5, stratum="region", into="retained")
    half = by_retention(before, Fraction(1, 2), 1)
    assert_truths(described(k, "retained", keys=keys), keys, posterior(before, half, keys=which))

    matrix(k)
    k.execute("""CREATE TABLE mm AS SELECT *, 'north' AS region FROM m UNION ALL
                 SELECT a, a, 1, 'south' FROM (VALUES ('x'), ('y'), ('z')) AS t(a)""")
    described(k).mask.pram("f", "mm", stratum="region")
    north = by_matrix(TENTHS)
    kept = posterior(before, lambda a, b: north(a, b) if a[1] == "north" else Fraction(a == b), keys=which)
    assert_truths(described(k, keys=keys), keys, kept)


@pytest.mark.slow
def test_crossings(k):
    before = counts(k, KEYS)
    described(k).mask.pram_retention(KEYS[::-1], 0.9, into="retained")
    assert_truths(described(k, "retained"), KEYS, posterior(before, by_retention(before, Fraction(9, 10), 2)))
    only = posterior(before, by_retention(before, Fraction(9, 10), 2), keys=slice(1))
    assert_truths(described(k, "retained", keys=["f"]), ["f"], only)
    described(k).mask.pram_guaranteed(0.8, into="guaranteed")
    assert_truths(described(k, "guaranteed"), KEYS, posterior(before, by_guarantee(before, 0.8)))
    described(k, keys=["f", "region"]).mask.pram_guaranteed(0.8, within=["region"], into="within")
    before = counts(k, ["f", "region"])
    parts = {r: {c: n for c, n in before.items() if c[1] == r} for r in ("north", "south")}
    kept = posterior(before, lambda a, b: by_guarantee(parts[a[1]], 0.8)(a, b) if a[1] == b[1] else 0)
    assert_truths(described(k, "within", keys=["f", "region"]), ["f", "region"], kept)


@pytest.mark.slow
def test_keys_that_changed_apart(k):
    before = counts(k, ["f"]), counts(k, [KEYS[1]])
    described(k).mask.pram("f", matrix(k))
    described(k).mask.pram_retention(KEYS[1], 0.8)
    f, other = posterior(before[0], by_matrix(TENTHS)), posterior(before[1], by_retention(before[1], Fraction(4, 5), 1))
    expected = {(a, b): f[a,] * other[b,] for a, b in product([a for (a,) in f], [b for (b,) in other])}
    assert_truths(described(k), KEYS, expected)


# -- theta


@pytest.mark.slow
def test_theta_is_that_of_the_reversed_matrices(k):
    k.execute("CREATE TABLE o AS FROM k")
    described(k).mask.pram("f", matrix(k))
    k.execute("CREATE TABLE back AS FROM sdc_pram_reversed('o', 'f', 'm')")
    expected = described(k).risk.theta_misclassified({"f": "back"}).theta
    assert 0 < expected < described(k).risk.theta().theta
    assert described(k).risk.theta().theta_misclassified == pytest.approx(expected, rel=1e-12)
    k.execute("""CREATE TABLE n AS FROM sdc_pram_retention_matrix('o', 'we"ird', 0.8)""")
    described(k).mask.pram_retention(KEYS[1], 0.8)
    k.execute("""CREATE TABLE too AS FROM sdc_pram_reversed('o', 'we"ird', 'n')""")
    expected = described(k).risk.theta_misclassified({"f": "back", KEYS[1]: "too"}).theta
    assert described(k).risk.theta().theta_misclassified == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("keys", [[*KEYS, "region"], KEYS, ["f"]])
def test_theta_of_cells_needs_no_matrix(k, keys, monkeypatch):
    """The same with the matrix written out; and it is a matrix no more where there are many cells."""
    described(k).mask.pram_retention(KEYS, 0.9)
    data = described(k, keys=keys)
    found = data.risk.theta().theta_misclassified, truths(data, keys)
    assert 0 < found[0] < 1 or keys == ["f"]
    monkeypatch.setattr(pram_passes.Changed, "by_cells", False)
    assert (data.risk.theta().theta_misclassified, truths(data, keys)) == (
        pytest.approx(found[0]),
        pytest.approx(found[1]),
    )
    monkeypatch.undo()
    monkeypatch.setattr(pram_passes, "MOST_CELLS", 3)
    assert (data.risk.theta().theta_misclassified, truths(data, keys)) == found
    described(k).mask.pram_retention("region", 0.9)
    if "region" in keys:
        assert data.risk.theta().theta_misclassified is None
        assert "There is no theta of these" in data.risk.theta().pram
    described(k).mask.pram_retention(KEYS, 0.9)
    assert "several passes, of more than 300 cells" in data.after_pram()


# -- what is shown


@pytest.mark.slow
def test_the_naive_risk_rises_and_the_other_falls(con, fixtures):
    """PRAM makes rare cells of common ones: what is computed as if nothing had happened goes up."""
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    roles = {"keys": ["region", "race", "hispanic", "education"], "weight": "weight", "id": "couple"}
    data = Microdata(con, str(fixtures / "cps_couples.parquet"), **roles)
    before = data.risk.global_risk()
    data.mask.pram_retention("education", 0.8, into="released")
    after = Microdata(con, "released", **roles).risk.global_risk()
    assert after.reidentification_rate > before.reidentification_rate > after.reidentification_rate_misclassified


@pytest.mark.slow
def test_households_and_thresholds(k):
    described(k).mask.pram("f", matrix(k))
    data = described(k)
    rows = data.risk.household_risk()
    place = {name: i for i, name in enumerate(rows.columns)}
    members = {}
    for row in rows.fetchall():
        members.setdefault(row[place["Select"]], []).append(row)
    once = 0
    for people in members.values():
        none = math.prod(1 - row[place["individual_risk_misclassified"]] for row in people)
        assert all(row[place["household_risk_misclassified"]] == pytest.approx(1 - none, rel=1e-10) for row in people)
        once += 1 - none
    found = data.risk.household_global_risk()
    assert found.expected_reidentified_households_misclassified == pytest.approx(once, rel=1e-10)
    assert found.expected_reidentified_households_misclassified < found.expected_reidentified_households
    assert "f went through PRAM" in data.risk.risk_threshold(0.01).pram
    assert all("f went through PRAM" in stratum.pram for stratum in data.risk.theta_by("region"))
    assert data.risk.cell_risk().columns[-2:] == ["true_probability", "individual_risk_misclassified"]


@pytest.mark.slow
def test_the_report_says_so(k):
    plain = risk_report(described(k))
    assert "PRAM" not in f"{plain}{plain.to_dict()}{plain._repr_html_()}"
    assert "misclassified" not in f"{plain}{plain.to_dict()}{plain._repr_html_()}"
    described(k).mask.pram("f", matrix(k))
    report = risk_report(described(k))
    text = str(report).splitlines()
    assert text[2].startswith("f went through PRAM (step 1). The figures take every record's keys as they stand; those")
    assert str(report).count("went through PRAM") == 1
    figures = report.to_dict()
    assert figures["pram"] == text[2]
    assert 0 < figures["theta_misclassified"]["theta"] < figures["theta"]["theta"]
    for measure in ("global_risk", "household_global_risk"):
        after = figures[f"{measure}_misclassified"]["reidentification_rate_misclassified"]
        rates = after, figures[measure]["reidentification_rate"]
        assert 0 < rates[0] < rates[1]
    assert "reidentification rate misclassified" in str(report)
    assert "f went through PRAM (step 1)" in report._repr_html_()
    assert "individual risk misclassified" in report._repr_html_()


@pytest.mark.slow
def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "released.duckdb"
    with duckdb.connect(str(path)) as con:
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        con.execute(
            "CREATE TABLE k AS SELECT i AS id, ['x', 'y', 'z'][1 + i % 3] AS f, i % 7 AS age FROM range(60) t(i)"
        )
        Microdata(con, "k", id="id").mask.pram_retention("f", 0.5)
    asked = ["risk", str(path), "--table", "k", "--keys", "f,age", "--weight", "10", "--sampling-fraction", "0.1"]
    limit = "global_risk_misclassified.reidentification_rate_misclassified > 0"
    assert main([*asked, "--json", "--fail-if", limit]) == 3
    figures = json.loads(capsys.readouterr().out)
    assert "f went through PRAM (step 1)" in figures["pram"]
    assert figures["exceeded"] == [limit]
    assert main([*asked, "--fail-if", "global_risk_misclassified.reidentification_rate_misclassified >= 0.9"]) == 0
    assert "f went through PRAM (step 1)" in capsys.readouterr().out


@pytest.mark.slow
def test_without_steps_nothing_changes(k):
    data = described(k)
    assert data.after_pram() is None
    k.execute("CREATE TABLE o AS FROM k")
    described(k, "o").mask.pram("f", matrix(k))
    described(k).mask.noise("w", 0.01)  # a step, and none of PRAM
    for result in (
        data.risk.global_risk(),
        data.risk.theta(),
        data.risk.household_global_risk(),
        data.risk.risk_threshold(0.01),
    ):
        assert "misclassified" not in f"{result}{result.to_dict()}{result._repr_html_()}"
        assert "pram" not in f"{result}{result.to_dict()}{result._repr_html_()}"
    assert data.risk.individual_risk().columns[-1] == "individual_risk"
    assert data.risk.household_risk().columns[-1] == "individual_threshold"
    described(k).mask.pram_retention("region", 0.9)  # no key
    assert data.after_pram() is None


def test_a_table_of_steps_of_the_users_own(k):
    k.execute("CREATE TABLE sdc_steps AS SELECT 1 AS mine")
    assert described(k).risk.global_risk().pram is None


@pytest.mark.slow
def test_nothing_is_stored_and_no_category_is_told(k):
    described(k).mask.pram("f", matrix(k))
    rows = described(k).risk.individual_risk()
    tables = k.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()
    assert tables == []
    k.execute("CREATE TABLE later AS SELECT 1")
    assert len(rows.fetchall()) == 60  # a relation is computed when it is read
    assert "north" not in rows.explain()
    assert "0.7" not in rows.explain()
    k.execute("UPDATE sdc_steps SET counts = replace(counts, 'x', 'nobody'), matrix = '{'")
    for said in (described(k).after_pram(), str(described(k).risk.global_risk())):
        assert "its log does not fit the table" in said
        assert "nobody" not in said


@pytest.mark.slow
def test_in_a_transaction_of_the_caller(k):
    k.execute("BEGIN")
    described(k).mask.pram("f", matrix(k))
    assert described(k).risk.global_risk().reidentification_rate_misclassified
    k.execute("ROLLBACK")
    assert described(k).risk.global_risk().pram is None


@pytest.mark.slow
def test_a_table_in_another_place(k, tmp_path):
    """The steps go with the table: renamed, masked into another database, and that detached."""
    described(k).mask.pram("f", matrix(k))
    expected = truths(described(k), ["f"])
    k.execute("ALTER TABLE k RENAME TO 'my table'")
    assert truths(described(k, '"my table"'), ["f"]) == expected
    k.execute(f"ATTACH '{tmp_path}/other.duckdb' AS other")
    described(k, '"my table"').mask.noise("w", 0.01, into="other.main.k")
    assert truths(described(k, "other.main.k"), ["f"]) == expected
    k.execute(f"ATTACH '{tmp_path}/third.duckdb' AS third")
    described(k, "other.main.k").mask.pram(
        "region", matrix(k, {("north",) * 2: 10, ("south",) * 2: 10}), into="third.k"
    )
    k.execute("DETACH other")
    said = described(k, "third.k").after_pram()
    assert "Whether a key went through PRAM is not known" in said
    assert "attach their database" in said
    k.execute("DETACH third")


# -- no figure rather than a wrong one


SINCE = {
    "masked otherwise": (
        lambda d: d.mask.pram_retention(["f", "region"], 0.9),
        "f, region went through pram_retention after",
    ),
    "its stratum masked": (
        lambda d: d.mask.pram_retention("region", 0.9),
        "region went through pram_retention after it",
    ),
    "recoded": (lambda d: d.con.execute("UPDATE k SET f = 'x' WHERE f = 'y'"), "f has changed since"),
    "records lost": (lambda d: d.con.execute("DELETE FROM k WHERE id = 7"), "f has changed since"),
    "another type": (
        lambda d: d.con.execute("ALTER TABLE k ALTER f TYPE VARCHAR[] USING [f]"),
        "does not fit the table",
    ),
    "no id": (lambda d: d.con.execute("ALTER TABLE k DROP COLUMN id"), "or the id id is gone"),
    "no stratum": (
        lambda d: d.con.execute("ALTER TABLE k DROP COLUMN region"),
        "no column region any more, the stratum",
    ),
    "version 0.1": (
        lambda d: d.con.execute("UPDATE sdc_steps SET matrix = NULL, counts = NULL"),
        "step 1 kept no matrix and no counts",
    ),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("since", SINCE)
def test_what_happened_since(k, since):
    described(k).mask.pram_retention("f", 0.8, stratum="region")
    assert described(k).risk.global_risk().reidentification_rate_misclassified
    act, words = SINCE[since]
    act(described(k))
    data = described(k, id=None)
    found = data.risk.global_risk()
    assert found.reidentification_rate_misclassified is None
    assert "f went through PRAM (step" in found.pram
    assert words in found.pram
    assert data.risk.theta().theta_misclassified is None
    assert data.risk.individual_risk().fetchall()[0][-2:] == (None, None)
    assert data.risk.household_risk().fetchall()[0][-3:] == (None, None, None)


@pytest.mark.slow
def test_the_report_says_why_not(k):
    described(k).mask.pram("f", matrix(k))
    k.execute("UPDATE k SET f = 'x' WHERE id = 1")
    report = risk_report(described(k))
    assert "there are none with the true ones, since f has changed since" in str(report)
    assert set(report.riskiest_keys[0].values()) >= {None}


@pytest.mark.slow
def test_a_number_rounded_after_pram(k):
    k.execute("CREATE TABLE o AS SELECT *, id % 6 AS age FROM k")
    data = described(k, "o", keys=["f", "age"])
    data.mask.pram_retention("age", 0.8)
    data.mask.round("age", 2)
    assert "age went through round after it (step 2)" in data.after_pram()
    assert data.risk.global_risk().reidentification_rate_misclassified is None


@pytest.mark.slow
def test_a_column_renamed(k):
    described(k).mask.pram("f", matrix(k))
    k.execute("ALTER TABLE k RENAME COLUMN f TO g")
    for keys in (["g", "region"], ["region"]):
        said = described(k, keys=keys).risk.global_risk().pram
        assert "f went through PRAM (step 1)" in said
        assert "the table has no column f any more, perhaps renamed to a key" in said


@pytest.mark.slow
def test_wildcards_and_zeros(k):
    """A category that is always left is never the true one: risk 0, not NULL."""
    tenths = {("x", "y"): 10, ("y", "x"): 10, ("z", "z"): 10}
    described(k).mask.pram("f", matrix(k, tenths))
    data = described(k, nulls="wildcard")
    assert truths(data, ["f"]) == {("x",): 0, ("y",): 0, ("z",): 1, (None,): 1}
    assert (
        0 < data.risk.global_risk().reidentification_rate_misclassified < data.risk.global_risk().reidentification_rate
    )


@pytest.mark.slow
def test_a_column_in_the_way(k):
    k.execute("ALTER TABLE k ADD COLUMN true_probability DOUBLE")
    assert described(k).risk.individual_risk().columns[-1] == "individual_risk"
    described(k).mask.pram("f", matrix(k))
    with pytest.raises(ColumnError, match='"true_probability" is a column of the table and also the name of a result'):
        described(k).risk.individual_risk()
    with pytest.raises(ParameterError, match="needs a household"):
        described(k, household=None).risk.household_risk()
