"""MASSC: the rates against a search over all, substitution and subsampling against their probabilities."""

from __future__ import annotations

import itertools
import math

import duckdb
import pytest

import sdc_sql
from sdc_sql import InputError
from sdc_sql.cli import main
from sdc_sql.db.catalogue.load import execute

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
KEYS = ["Select", "f"]
N = 6_000


@pytest.fixture(scope="module")
def db(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        # cells of one, of two and of many, in a file whose weights go with neither
        con.execute(
            "CREATE TABLE k AS SELECT range AS id,"
            " CASE WHEN range < 1500 THEN range WHEN range < 3500 THEN 10000 + range // 2"
            ' ELSE 20000 + range % 9 END AS "Select",'
            f" 'it''s' AS f, 1 + range % 3 AS w, range % 4 AS o FROM range({N})"
        )
        yield con


def design(con, bias, variance, more=""):
    return con.execute(f"FROM sdc_massc_design('k', {KEYS}, {bias}, {variance}, 'id'{more})").fetchall()


@pytest.mark.parametrize(("bias", "variance"), [(0.1, 0.25), (0.3, 0.05), (0, 0.5), (0.6, 0), (0.05, 3)])
def test_the_rates_keep_the_bounds_and_no_others_are_better(db, bias, variance):
    rows = design(db, bias, variance)
    sizes = dict(db.execute('SELECT "Select", count(*) FROM k GROUP BY ALL').fetchall())
    strata = [[f for f in sizes.values() if low < f <= high] for low, high in ((0, 1), (1, 2), (2, N))]
    n = [sum(fs) for fs in strata]
    assert [row[1] for row in rows] == n
    risk = [len(fs) for fs in strata]  # 1 / f for each of f records
    assert [row[4] for row in rows] == pytest.approx(risk, rel=1e-12)
    psi, phi = [row[2] for row in rows], [row[3] for row in rows]
    a = [m / N for m in n]  # equal weights: W_s^2 / n_s is n_s
    slack = sum(1 / m for m in n) * 40  # of rounding to whole records, which may leave more risk, never more variance
    assert sum(p * m / N for p, m in zip(psi, n, strict=True)) <= bias + 1e-12
    assert sum(x * (1 / p - 1) for x, p in zip(a, phi, strict=True)) <= variance + 1e-9
    assert all(p >= 0.1 for p in phi)
    best = math.inf  # of all rates in steps of 1 %
    steps = [i / 100 for i in range(101)]
    for p in itertools.product(steps[:51:5], repeat=2):
        rest = min(0.5, max(0, (bias - sum(x * y for x, y in zip(p, a, strict=False))) / a[2]))
        if sum(x * y for x, y in zip((*p, rest), a, strict=True)) <= bias + 1e-12:
            best = min(best, sum(r * (1 - x) for r, x in zip(risk, (*p, rest), strict=True)))
    open_risk = [r * (1 - p) for r, p in zip(risk, psi, strict=True)]
    assert sum(open_risk) <= best + 1e-9
    best = math.inf
    for p in itertools.product(steps[1:], repeat=2):
        used = sum(x * (1 / y - 1) for x, y in zip(a, p, strict=False))
        if used <= variance:
            best = min(
                best, sum(r * x for r, x in zip(open_risk, (*p, 1 / (1 + (variance - used) / a[2])), strict=True))
            )
    assert sum(r * p for r, p in zip(open_risk, phi, strict=True)) <= best + slack * sum(open_risk)


def test_small_strata_keep_the_variance(con):
    """Rounding to the nearest record grew 0.25 to 0.33: of four, three stayed."""
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    for there, stay in ((4, 4), (7, 6), (9, 8)):  # 4 / 3 - 1 is 0.33, 7 / 5 - 1 is 0.4, 9 / 7 - 1 is 0.29
        con.execute(f"CREATE OR REPLACE TABLE few AS SELECT range AS id, range AS a, 1 AS w FROM range({there})")
        call = "SELECT records, staying FROM sdc_massc_design('few', ['a'], 0, 0.25, 'id')"
        ((n, phi),) = con.execute(call).fetchall()
        assert (n, round(n * phi)) == (there, stay)


def test_a_tenth_of_each_stratum_stays(con):
    """A stratum of light weights kept one of 400."""
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute(
        "CREATE TABLE light AS SELECT range AS id, least(range, 400) AS a, if(range < 400, 1.0, 1e4) AS w"
        " FROM range(800)"
    )
    rows = con.execute("FROM sdc_massc_design('light', ['a'], 0, 0.25, 'id', weight := 'w')").fetchall()
    assert (rows[0][1], round(rows[0][1] * rows[0][3])) == (400, 40)


def test_the_risk_after_is_that_of_the_definition(db):
    sizes = {f"{f}": f for f in (1, 2)}
    for frequencies, n, psi, phi, _, after in design(db, 0.1, 0.25)[:2]:
        f = sizes[frequencies]
        assert after == pytest.approx(n / f * (1 - psi + psi * f / n) * phi, rel=1e-12)


def within(found, p, n):
    return abs(found - n * p) <= 4.5 * math.sqrt(n * p * (1 - p))


def test_substitution_and_subsampling_happen_as_often_as_they_say(db):
    rates = {row[0]: row for row in design(db, 0.1, 0.25)}
    db.execute("CREATE OR REPLACE TABLE ones AS SELECT *, 1 AS one FROM k")
    call = f"sdc_massc('ones', {KEYS}, 0.1, 0.25, 'id', weight := 'one')"
    rows = db.execute(f'SELECT k."Select", m."Select", m.w FROM {call} m JOIN k USING (id)').fetchall()
    uniques = [row for row in rows if row[0] < 10_000]
    _, n, psi, phi, *_ = rates["1"]
    assert len(uniques) == round(n * phi)
    moved = sum(before != after for before, after, _ in uniques)
    assert within(moved, psi * (1 - 1 / n), len(uniques))
    assert all(after < 10_000 for _, after, _ in uniques)  # of its own stratum
    # equal weights within the stratum, and their sums are the records of before
    total = db.execute(f"SELECT sum(one) FROM {call}").fetchone()
    assert total == (pytest.approx(N),)


def test_the_totals_of_the_margins_are_kept(db):
    call = f"sdc_massc('k', {KEYS}, 0.1, 0.25, 'id', weight := 'w', margins := ['o', 'f'])"
    db.execute(f"CREATE OR REPLACE TABLE released AS FROM {call}")
    before, after = (db.execute(f"FROM sdc_totals('{t}', ['o', 'f'], 'w')").fetchall() for t in ("k", "released"))
    assert [row[:2] for row in after] == [row[:2] for row in before]
    assert [row[2] for row in after] == pytest.approx([row[2] for row in before], rel=1e-8)
    assert db.execute("DESCRIBE released").fetchall()[3][1] == "DOUBLE"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("change", "words"), [
    ({"bias": 1}, "bias is"), ({"bias": -0.1}, "bias is"), ({"variance": -1}, "variance is"),
    ({"strata": [2, 1]}, "ascending"), ({"strata": [0.5]}, "ascending"),
    ({"most_substituted": 2}, "most_substituted is"),
    ({"keys": ["nowhere"]}, "nowhere"), ({"keys": ["id"]}, "is the id"),
    ({"margins": ["o"]}, "name the column of weights"),
    ({"weight": "f"}, "weight"),
    ({"weight": "Select"}, "(?i)weight"), ({"margins": ["nowhere"], "weight": "w"}, "nowhere"),
])  # fmt: skip
def test_what_is_refused(db, change, words):
    given = {"keys": KEYS, "bias": 0.1, "variance": 0.25} | change
    keys, bias, variance = (given.pop(n) for n in ("keys", "bias", "variance"))
    more = "".join(f", {n} := {v!r}" for n, v in given.items())
    with pytest.raises(duckdb.Error, match=words):
        db.execute(f"FROM sdc_massc('k', {keys}, {bias}, {variance}, 'id'{more})").fetchall()
    with pytest.raises(InputError, match=words):
        sdc_sql.Microdata(db, "k", id="id").mask.massc(bias, variance, keys=keys, into="refused", **given)


@pytest.mark.slow
def test_in_place_undo_and_the_command_line(db, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    db.execute(f"COPY k TO '{tmp_path}/k.parquet'")
    sdc_sql.Microdata(db, f"{tmp_path}/k.parquet", id="id").mask.round("o", 2, into="masked")
    data = sdc_sql.Microdata(db, "masked", keys=KEYS, id="id", weight="w")
    before = db.execute("FROM masked ORDER BY id").fetchall()
    step = data.mask.massc(0.1, 0.25, in_place=True)
    assert step.parameters["risk_after"] < step.parameters["risk"]
    assert step.records == db.execute("SELECT count(*) FROM masked").fetchone()[0] < N
    assert sum(row["records"] for row in step.parameters["design"]) == N
    assert {"bias", "most_substituted", "design"} <= set(data.steps[-1].confidential)  # how often a match is true
    command = ["mask", "massc", f"{tmp_path}/k.parquet", "--id", "id", "--columns", "Select,f", "--bias", "0.1",
               "--variance", "0.25", "--weight", "w", "--output", f"{tmp_path}/o.parquet"]  # fmt: skip
    assert main(command) == 0
    written = db.execute(f"SELECT id, \"Select\", w FROM '{tmp_path}/o.parquet' ORDER BY id").fetchall()
    assert written == db.execute('SELECT id, "Select", w FROM masked ORDER BY id').fetchall()
    data.to_release_file(tmp_path / "r.toml", output=tmp_path / "r.parquet", limits=["k_anonymity.2.records < 99999"])
    sdc_sql.run_release(tmp_path / "r.toml")
    assert db.execute(f"SELECT count(*), sum(w) FROM '{tmp_path}/r.parquet'").fetchall() == [
        (len(written), pytest.approx(math.fsum(row[2] for row in written)))
    ]
    assert data.undo().method == "massc"
    assert db.execute("FROM masked ORDER BY id").fetchall() == before


def test_one_more_record_leaves_most_donors_as_they_were(db):
    """On nights when the substituted changed and the others did not, a value that stays would be known to be true."""
    db.execute(
        "CREATE OR REPLACE TABLE grown AS FROM k UNION ALL BY NAME (SELECT * REPLACE (10 ** 9 AS id) FROM k LIMIT 1)"
    )
    call = "sdc_massc('{}', ['Select', 'f'], 0.2, 0.25, 'id')"
    joined = f"FROM k JOIN {call.format('k')} AS a USING (id) JOIN {call.format('grown')} AS b USING (id)"
    ((many, few),) = db.execute(f"""
        SELECT count(*) FILTER ((k."Select", k.f) IS DISTINCT FROM (a."Select", a.f)),
               count(*) FILTER ((b."Select", b.f) IS DISTINCT FROM (a."Select", a.f)) {joined}
    """).fetchall()
    assert many > 100
    assert few < many / 10


FEW = """CREATE TABLE few AS SELECT row_number() OVER () AS id, w::DOUBLE AS w, a FROM (
    SELECT unnest(w) AS w, a FROM (VALUES ([2], 'a'), ([0.5], 'b'), ([3, 1], 'c'), ([1, 1, 1.5], 'd'),
    ([1, 1, 1, 1], NULL), ([1, 1, 1, 1, 2], 'f')) AS v(w, a))"""


def test_the_design_of_weighted_records_by_hand(con):
    """Shares of the weights 1/8, 1/5, 3/8, 3/10; risks 1/w of each record, 1 at most, as w is the sum of its cell.

    A record of weight 1/2 alone has the risk 1. Of the bias of 0.2, 0.5 / 8 go to those alone, the rest to the stratum
    that has the most risk by weight then, 3 to 4: (0.2 - 0.5 / 8) / (3 / 8) = 11 / 30. The variance may not grow.
    """
    con.execute(FEW)
    call = "('few', ['a'], 0.2, 0, 'id', weight := 'w')"
    p, risks = 11 / 30, [1 / 2 + 1, 2 / 4, 3 / 3.5 + 4 / 4, 5 / 6]
    # a substituted record is in its own cell again by chance: f of the n of its stratum
    after = [
        1.5 * (0.5 + 0.5 * 1 / 2), 0.5, 3 / 3.5 * (1 - p + p * 3 / 7) + 1 - p + p * 4 / 7, 5 / 6,
    ]  # fmt: skip
    rows = con.execute(f"FROM sdc_massc_design{call}").fetchall()
    assert [row[:2] for row in rows] == [("1", 2), ("2", 2), ("3 to 4", 7), ("5", 5)]
    assert [row[2] for row in rows] == pytest.approx([0.5, 0, p, 0], abs=1e-12)
    assert [row[3] for row in rows] == [1, 1, 1, 1]
    assert [row[4] for row in rows] == pytest.approx(risks, rel=1e-12)
    assert [row[5] for row in rows] == pytest.approx(after, rel=1e-12)
    figures = "sdc__massc_figures('few', ['a'], 0.2, 0, 'id', 'w', NULL, 0.5)"
    ((listed, risk, risk_after),) = execute(con, f"SELECT design, risk, risk_after FROM {figures}").fetchall()
    assert [tuple(row.values()) for row in listed] == rows
    assert (risk, risk_after) == (pytest.approx(sum(risks), rel=1e-12), pytest.approx(sum(after), rel=1e-12))
    # three strata, of at most 1, of 2 and of more; and at most a tenth substituted
    rows = con.execute(f"FROM sdc_massc_design{call[:-1]}, strata := [1, 2], most_substituted := 0.1)").fetchall()
    assert [row[:2] for row in rows] == [("1", 2), ("2", 2), ("3 to 5", 12)]
    assert [row[2] for row in rows] == pytest.approx([0.1, 0.1, 0.1], rel=1e-12)


@pytest.mark.parametrize("variance", [0.02, 0.3, 2])
def test_the_rates_of_weighted_strata_are_where_the_gradients_agree(con, variance):
    """Least risk for a variance: where 0.1 < phi < 1, phi = sqrt(lambda a / risk), by bisection of lambda."""
    con.execute(FEW)
    con.execute("INSERT INTO few SELECT 100 + i, 1 + i % 3, i // 4 % 5 FROM range(200) r(i)")
    con.execute("INSERT INTO few SELECT 1000 + i, 2, i + 1000 FROM range(40) r(i)")
    rows = con.execute(f"FROM sdc_massc_design('few', ['a'], 0, {variance}, 'id', weight := 'w')").fetchall()
    found = con.execute("""SELECT count(*), sum(w) FROM (SELECT w, count(*) OVER (PARTITION BY a) AS f FROM few)
                           GROUP BY CASE WHEN f < 3 THEN f WHEN f < 5 THEN 3 ELSE 5 END ORDER BY min(f)""").fetchall()
    assert [row[1] for row in rows] == [n for n, _ in found]
    total = sum(float(w) ** 2 / n for n, w in found)
    a = [float(w) ** 2 / n / total for n, w in found]
    risk = [row[4] for row in rows]
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        phi = [min(1.0, math.sqrt(middle * x / r)) for x, r in zip(a, risk, strict=True)]
        used = sum(x * (1 / p - 1) for x, p in zip(a, phi, strict=True)) if min(phi) > 0 else math.inf
        low, high = (middle, high) if used > variance else (low, middle)
    kept = [math.ceil(n * max(0.1, p) - 1e-6) for (n, _), p in zip(found, phi, strict=True)]
    assert [round(row[1] * row[3]) for row in rows] == kept
    assert len({*kept}) > 1
