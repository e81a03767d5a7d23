"""Samples of persons and households: sizes, probabilities and weights as the design says (SDC handbook, 3.4.3.1)."""

from __future__ import annotations

import itertools
import json
import math

import duckdb
import pytest
from decided import decided

import sdc_sql
from sdc_sql import ColumnError, InputError, ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.release.running import sampled

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N, UNITS = 12_000, 6  # records, and how many of them are in each small stratum


@pytest.fixture(scope="module")
def db(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(
            f'CREATE TABLE k AS SELECT range AS id, range // {UNITS} AS "Select", range // 3 AS f, 2 AS "it\'s",'
            " CASE WHEN range % 10 <> 7 THEN ['a', 'b', 'c'][1 + range % 10 // 4] END AS s, 1 + range % 4 AS p,"
            f" 0.5 AS share FROM range({N})"
        )
        yield con


def ids(con, design, columns="id", table="k"):
    return con.execute(f"SELECT {columns} FROM sdc_sample('{table}', 'id', {design}) ORDER BY id").fetchall()


def within(found, p, n):
    """Return whether a binomial count lies within 4.5 standard deviations: once in 150,000 it does not."""
    return abs(found - n * p) <= 4.5 * math.sqrt(n * p * (1 - p))


def test_simple_sampling_draws_every_set_alike(db):
    # of each of 2,000 strata of 6 units 2: each unit with probability 1/3, each of the 15 pairs with 1/15
    rows = db.execute(
        f'SELECT "Select", list(id % {UNITS} ORDER BY id)'
        " FROM sdc_sample('k', 'id', fraction := 0.3, stratum := 'select') GROUP BY ALL"
    ).fetchall()
    assert len(rows) == N // UNITS
    assert {len(drawn) for _, drawn in rows} == {2}  # round(0.3 * 6)
    pairs = [tuple(drawn) for _, drawn in rows]
    for pair in {(i, j) for i in range(UNITS) for j in range(i)}:
        assert within(pairs.count(pair[::-1]), 1 / 15, len(pairs)), pair


@pytest.mark.parametrize("method", ["simple", "bernoulli", "systematic"])
def test_weights_are_divided_by_the_probability(db, method):
    more = ", order_by := 's'" if method == "systematic" else ""
    rows = ids(db, f"fraction := 0.3, method := '{method}', weight := 'IT''S', sampling_fraction := 'share'{more}",
               "\"it's\", share, typeof(\"it's\"), typeof(share)")  # fmt: skip
    assert {row[2:] for row in rows} == {("DOUBLE", "DOUBLE")}
    assert all(w == pytest.approx(2 / 0.3, rel=1e-15) and f == pytest.approx(0.15, rel=1e-15) for w, f, *_ in rows)
    if method == "bernoulli":
        assert within(len(rows), 0.3, N)
    else:
        assert len(rows) == 0.3 * N
        assert math.fsum(row[0] for row in rows) == pytest.approx(2 * N, rel=1e-12)  # the total is kept


def largest_remainders(sizes, n):
    quotas = {s: divmod(n * size, sum(sizes.values())) for s, size in sizes.items()}
    found = {s: base for s, (base, _) in quotas.items()}
    for s in sorted(quotas, key=lambda s: -quotas[s][1])[: n - sum(found.values())]:
        found[s] += 1
    return found


@pytest.mark.parametrize("size", [10, 37, 11_999])
def test_a_size_is_shared_in_proportion(db, size):
    sizes = dict(db.execute("SELECT s, count(*) FROM k GROUP BY ALL").fetchall())  # one of them is NULL
    drawn = f"sdc_sample('k', 'id', size := {size}, stratum := 's')"
    found = dict(db.execute(f"SELECT s, count(*) FROM {drawn} GROUP BY ALL").fetchall())
    assert found == largest_remainders(sizes, size)


def test_a_stratum_of_which_nobody_would_be_drawn_is_an_error_or_has_one(db):
    with pytest.raises(duckdb.Error, match="1990 strata none would be drawn"):
        ids(db, "size := 10, stratum := 'Select'")
    assert len(ids(db, "fraction := 0.01, stratum := 'Select'")) == N // UNITS


def test_fractions_of_a_column(db):
    db.execute(
        "CREATE OR REPLACE TABLE fractions AS"
        " SELECT id, s, 1 AS w, CASE s WHEN 'a' THEN 1 WHEN 'b' THEN 0.1 ELSE 0.5 END AS f FROM k"
    )
    sizes = dict(db.execute("SELECT s, count(*) FROM k GROUP BY ALL").fetchall())
    shares = {"a": 1, "b": 0.1, "c": 0.5, None: 0.5}
    for method, exact in (("simple", True), ("bernoulli", False)):
        stratum = ", stratum := 's'" if exact else ""
        drawn = f"sdc_sample('fractions', 'id', fraction := 'f', method := '{method}', weight := 'w'{stratum})"
        for s, n, w in db.execute(f"SELECT s, count(*), any_value(w) FROM {drawn} GROUP BY ALL").fetchall():
            assert w == pytest.approx(1 / shares[s], rel=1e-12)
            assert n == shares[s] * sizes[s] if exact or s == "a" else within(n, shares[s], sizes[s]), (method, s)
    with pytest.raises(duckdb.Error, match="stratum has several fractions"):
        ids(db, "fraction := 'f'", table="fractions")


@pytest.mark.slow
def test_systematic_sampling_takes_every_so_many_th(db):
    found = [i for (i,) in ids(db, "size := 1200, method := 'systematic', order_by := 'id'")]
    assert found == list(range(found[0], N, 10))
    found = [i for (i,) in ids(db, "size := 700, method := 'systematic', order_by := 'id'")]
    assert len(found) == 700
    assert {b - a for a, b in itertools.pairwise(found)} <= {17, 18}  # 12,000 / 700 = 17.14
    # of each stratum (6 units, 2 of them) one of three starts; those of 2,000 strata are drawn apart
    rows = ids(db, "fraction := 0.3, method := 'systematic', order_by := 'id', stratum := 'Select'")
    starts = [i % 3 for (i,) in rows[::2]]
    assert all(b - a == 3 for (a,), (b,) in zip(rows[::2], rows[1::2], strict=True))
    assert all(within(starts.count(j), 1 / 3, len(starts)) for j in range(3))
    # equal values of the order stand at random: the places within them are not the file's
    tied = [i for (i,) in ids(db, "size := 1200, method := 'systematic', order_by := 's'")]
    assert len({b - a for a, b in itertools.pairwise(tied)}) > 10


def test_households_are_drawn_whole(db):
    rows = ids(db, "size := 400, household := 'f', weight := 'it''s'", 'f, "it\'s"')
    assert len(rows) == 1200
    assert len({h for h, _ in rows}) == 400
    assert {w for _, w in rows} == {20.0}
    # several strata within a household
    with pytest.raises(duckdb.Error, match="several strata"):
        ids(db, "size := 400, household := 'f', stratum := 's'")
    db.execute("CREATE OR REPLACE TABLE alone AS SELECT * REPLACE (nullif(f, 1) AS f) FROM k")
    with pytest.raises(duckdb.Error, match="no household"):
        ids(db, "size := 400, household := 'f'", table="alone")


@pytest.mark.slow
def test_the_smaller_of_two_samples_lies_within_the_larger(db):
    for method in ("simple", "bernoulli"):
        small, large = ({*ids(db, f"fraction := {f}, method := '{method}'")} for f in (0.1, 0.3))
        assert small < large
        other = {*ids(db, f"fraction := 0.3, method := '{method}', release := 'other'")}
        assert within(len(large & other), 0.09, N)  # independent
        assert within(len(large & {*ids(db, f"fraction := 0.3, method := '{method}', stream := '2'")}), 0.09, N)


BAD = [
    ({}, "either a fraction"),
    ({"fraction": 0.1, "size": 3}, "either a fraction"),
    ({"fraction": 0}, "strictly between 0 and 1"),
    ({"fraction": 1}, "strictly between 0 and 1"),
    ({"fraction": "s"}, "strictly between 0 and 1"),
    ({"fraction": "nowhere"}, "nowhere"),
    ({"size": 0}, "whole number"),
    ({"size": 2.5}, "whole number"),
    ({"size": N}, "less than the number of units"),
    ({"fraction": 0.1, "method": "cluster"}, "method is"),
    ({"size": 9, "method": "bernoulli"}, "size of a Bernoulli sample"),
    ({"size": 9, "method": "systematic"}, "order_by"),
    ({"size": 9, "order_by": "s"}, "order_by"),
    ({"fraction": 1e-9, "method": "bernoulli"}, "No unit was drawn"),
    ({"size": 9, "weight": "s"}, "weight"),
    ({"size": 9, "weight": "id"}, "is the id|weight"),
    ({"size": 9, "stratum": "nowhere"}, "nowhere"),
    ({"size": 9, "household": "nowhere"}, "nowhere"),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("design", "words"), BAD)
def test_what_is_refused(db, design, words):
    given = ", ".join(f"{n} := {v!r}" for n, v in design.items()) or "stratum := NULL"
    with pytest.raises(duckdb.Error, match=words):
        ids(db, given, "*")
    with pytest.raises(InputError, match=words):
        sdc_sql.Microdata(db, "k", id="id").mask.sample(**design, into="refused")
    assert not db.execute(
        "SELECT 1 FROM duckdb_tables() WHERE table_name IN ('refused', 'sdc_replaced_records')"
    ).fetchall()


def test_an_empty_table_and_one_row(db):
    db.execute("CREATE OR REPLACE TABLE none AS FROM k LIMIT 0; CREATE OR REPLACE TABLE one AS FROM k LIMIT 1")
    with pytest.raises(duckdb.Error, match="no rows"):
        ids(db, "fraction := 0.5", table="none")
    assert ids(db, "fraction := 0.5", table="one") == [(0,)]  # at least one


@pytest.mark.slow
def test_in_place_the_table_keeps_its_shape_and_the_log_knows(db):
    db.execute(
        "CREATE OR REPLACE TABLE shaped"
        " (id INTEGER PRIMARY KEY, f INTEGER CHECK (f >= 0), w DOUBLE NOT NULL, x DOUBLE DEFAULT 3)"
    )
    db.execute("INSERT INTO shaped SELECT id, f, 2, id / 7 FROM k ORDER BY id DESC")
    before = db.execute("SELECT sql FROM duckdb_tables() WHERE table_name = 'shaped'").fetchall()
    data = sdc_sql.Microdata(db, "shaped", id="id", weight="w", household="f")
    data.mask.noise("x", 0.1)
    step = data.mask.sample(fraction=0.5, in_place=True)
    assert (step.records, step.changed, step.columns, step.stream) == (N // 2, N // 2, ("w",), "")
    assert db.execute("SELECT sql FROM duckdb_tables() WHERE table_name = 'shaped'").fetchall() == before
    assert db.execute("SELECT count(*), sum(w) FROM shaped").fetchall() == [(N // 2, 2 * N)]
    # drawn anew: with the first draws the same half would be drawn again
    again = data.mask.sample(fraction=0.5, in_place=True)
    assert (again.records, again.stream, again.parameters["records_before"]) == (N // 4, "2", N // 2)
    assert data.mask.noise("x", 0.1).stream == "2"  # the noise knows its column as it was left
    db.execute("UPDATE shaped SET x = 0 WHERE id = (SELECT min(id) FROM shaped)")
    with pytest.raises(ParameterError, match="has changed since"):
        data.mask.noise("x", 0.1)


def test_a_weight_that_is_one_number_has_to_become_a_column(db):
    for roles in ({"weight": 3}, {"sampling_fraction": 0.1}):
        with pytest.raises(ColumnError, match="make a column of it"):
            sdc_sql.Microdata(db, "k", id="id", **roles).mask.sample(size=5, into="refused")


def test_what_the_table_forbids(db):
    db.execute('CREATE OR REPLACE TABLE whole AS FROM k; CREATE INDEX by_w ON whole ("it\'s")')
    data = sdc_sql.Microdata(db, "whole", id="id", weight="it's")
    with pytest.raises(TableError, match="into="):  # its type would change
        data.mask.sample(size=5, in_place=True)
    assert db.execute("SELECT count(*) FROM whole").fetchone() == (N,)
    with pytest.raises(ParameterError, match="takes no where"):
        data.where("s = 'a'").mask.sample(size=5, in_place=True)


@pytest.mark.slow
def test_undo_and_a_release_file_of_the_session(db, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    db.execute(f"COPY (SELECT id, s, p, \"it's\"::DOUBLE AS w FROM k) TO '{tmp_path}/k.parquet'")
    sdc_sql.Microdata(db, f"{tmp_path}/k.parquet", id="id", weight="w").mask.sample(
        fraction=0.25, stratum="s", into="drawn"
    )
    data = sdc_sql.Microdata(db, "drawn", id="id", weight="w", keys=["s"])
    data.mask.sample(size=90, in_place=True)
    data.mask.pram_retention("s", 0.5)
    data.to_release_file(
        tmp_path / "r.toml",
        output=tmp_path / "released.parquet",
        limits=["k_anonymity.2.records < 99"],
        released_as_collected=["p"],
    )
    found = db.execute("SELECT s, p, w FROM drawn ORDER BY ALL").fetchall()
    outcome = sdc_sql.run_release(tmp_path / "r.toml")
    assert outcome.accepted
    assert db.execute(f"SELECT s, p, w FROM '{tmp_path}/released.parquet' ORDER BY ALL").fetchall() == found
    data.undo()
    data.undo()
    assert db.execute("SELECT count(*), sum(w) FROM drawn").fetchall() == [(N / 4, pytest.approx(2 * N))]


RELEASE = """
[source]
path = "k.csv"
[roles]
id = "id"
{roles}
[[scenarios]]
name = "neighbour"
keys = ["s", "p"]
limits = [{limit!r}]
[[steps]]
{step}
[output]
path = "released.csv"
certificate = "certificate.json"
"""


def written(db, folder, roles, limit, step):
    db.execute(f"COPY (SELECT id, s, p, 10 AS w, 0.1 AS part, f FROM k) TO '{folder}/k.csv'")
    step = step if step.startswith("mask") else f'mask = "sample"\n{step}'
    (folder / "r.toml").write_text(RELEASE.format(roles=roles, limit=limit, step=step))
    return decided(folder / "r.toml")


@pytest.mark.slow
def test_a_release_is_measured_with_the_weights_of_the_sample(db, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    limit = "global_risk.expected_reidentifications < 1e9"
    outcome = sdc_sql.run_release(written(db, tmp_path, 'weight = "w"', limit, "fraction = 0.01"))
    report = outcome.scenarios[0].after.to_dict()
    released = sdc_sql.Microdata(db, f"{tmp_path}/released.csv", keys=["s", "p"], weight="w")
    assert db.execute(f"SELECT DISTINCT w FROM '{tmp_path}/released.csv'").fetchall() == [(1000,)]
    expected = released.risk.global_risk().to_dict()["expected_reidentifications"]
    assert report["global_risk"]["expected_reidentifications"] == pytest.approx(expected, rel=1e-9)
    command = ["verify", str(tmp_path / "certificate.json"), "--released", str(tmp_path / "released.csv")]
    assert main(command) == 0


@pytest.mark.slow
def test_a_sampling_fraction_that_is_one_number_is_that_of_the_sample(db, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    outcome = sdc_sql.run_release(
        written(db, tmp_path, "sampling_fraction = 0.1", "theta.theta <= 1", "fraction = 0.0025")
    )
    released = sdc_sql.Microdata(db, f"{tmp_path}/released.csv", keys=["s", "p"])
    assert outcome.records_after == 30
    found = outcome.scenarios[0].after.to_dict()["theta"]["theta"]
    assert found == pytest.approx(released.risk.theta(0.1 * 0.0025).theta, rel=1e-12)
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["roles"]["sampling_fraction"] == pytest.approx(0.1 * 0.0025)
    command = ["verify", str(tmp_path / "certificate.json"), "--released", str(tmp_path / "released.csv")]
    assert main(command) == 0


@pytest.mark.one_in(3)
@pytest.mark.whole
@pytest.mark.parametrize("step", ['fraction = 0.01\nhousehold = "f"', 'fraction = 0.01\nstratum = "s"',
                                  'mask = "sample"\nsize = 50\nmethod = "systematic"\norder_by = "f"'])  # fmt: skip
def test_theta_is_not_reckoned_for_samples_that_it_does_not_hold_for(db, tmp_path, step):
    plan = sdc_sql.read_release(written(db, tmp_path, "sampling_fraction = 0.1", "theta.theta <= 1", step))
    with pytest.raises(InputError, match=r"steps\[0\].*make a column of it"):
        sampled.remove_fixed_roles(plan, plan.steps[0])


@pytest.mark.slow
@pytest.mark.parametrize("first", ["simple", "bernoulli"])
def test_a_sample_of_a_sample_by_the_same_draws_is_refused_where_it_would_keep_too_many(db, first):
    sample = "FROM sdc_sample('{}', 'id', fraction := 0.3, method := '{}', weight := 'w', stream := {})"
    db.execute("CREATE OR REPLACE TABLE all_of_them AS SELECT id, 10 AS w FROM k")
    db.execute(
        f"CREATE OR REPLACE TABLE once AS {sample.format('all_of_them', first, 'NULL')}"
    )  # as a file without its steps
    with pytest.raises(duckdb.Error, match=r"sampled before with the same draws.*stream := '2'"):
        db.execute(sample.format("once", "bernoulli", "NULL")).fetchall()
    second = sample.format("once", "bernoulli", "'2'")
    ((kept, total),) = db.execute(f"SELECT count(*), sum(w) {second}").fetchall()
    assert kept == pytest.approx(0.09 * N, abs=5 * math.sqrt(0.09 * N))
    assert total == pytest.approx(kept * 10 / 0.09, rel=0.1)
    assert len(db.execute(sample.format("once", "simple", "NULL")).fetchall()) == pytest.approx(0.09 * N, rel=0.1)


@pytest.mark.slow
def test_the_command_line(db, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDC_KEY", KEY)
    db.execute(f"COPY (SELECT id, s, \"it's\" AS w FROM k) TO '{tmp_path}/k.csv'")
    command = ["mask", "sample", f"{tmp_path}/k.csv", "--id", "id", "--weight", "w", "--output", f"{tmp_path}/o.csv"]
    assert main([*command, "--size", "30", "--method", "systematic", "--order-by", "s"]) == 0
    assert "records     30" in capsys.readouterr().out
    assert db.execute(f"SELECT count(*), sum(w) FROM '{tmp_path}/o.csv'").fetchall() == [(30, 2 * N)]
    assert main([*command[:-1], f"{tmp_path}/p.csv"]) == 2
    assert "either a fraction" in capsys.readouterr().err
    assert main([*command, "--where", "s = 'a'", "--size", "3"]) == 2


def variance(sizes, strata):
    """Return the variance of the estimated total of simple samples within strata (Cochran 1977, (5.6))."""
    return sum(n * n * s * s * (1 / m - 1 / n) for m, (n, s) in zip(sizes, strata, strict=True))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by_household", [False, True])
def test_neyman_allocation_has_the_least_variance(db, by_household):
    # strata of 12, 5, 9 and 1 units with deviations far apart; NULL is a stratum; a household has two members
    db.execute(
        "CREATE OR REPLACE TABLE n AS SELECT range AS id, range // 2 AS hh, CASE WHEN range < 24 THEN 'a'"
        " WHEN range < 34 THEN 'b' WHEN range < 52 THEN 'c' END AS \"Select\","
        ' (range * 7 % 11) * CASE WHEN range < 24 THEN 1 WHEN range < 34 THEN 90 ELSE 4 END AS "y\'s" FROM range(54)'
    )
    unit = "hh" if by_household else "id"
    strata = db.execute(
        f'SELECT "Select", count(*), coalesce(stddev_samp(y), 0) FROM (SELECT "Select", {unit}, sum("y\'s") AS y FROM n'
        ' GROUP BY ALL) GROUP BY ALL ORDER BY "Select"'
    ).fetchall()
    more = ", household := 'hh'" if by_household else ""
    for size, least in ((9, 1), (14, 2), (20, 3)):
        every = itertools.product(*(range(min(least, n), min(n, size) + 1) for _, n, _ in strata))
        best = min(variance(m, [s[1:] for s in strata]) for m in every if sum(m) == size)
        design = f"size := {size}, stratum := 'select', neyman := 'Y''s', least := {least}{more}"
        drawn = dict(db.execute(
            f'SELECT "Select", count(DISTINCT {unit}) FROM sdc_sample(\'n\', \'id\', {design}) GROUP BY ALL'
        ).fetchall())  # fmt: skip
        found = [drawn[name] for name, *_ in strata]
        assert sum(found) == size
        assert variance(found, [s[1:] for s in strata]) == pytest.approx(best, rel=1e-12)


@pytest.mark.slow
def test_neyman_allocation_in_closed_form_and_by_python(db, tmp_path, monkeypatch):
    # N S in the ratio 3 : 2 : 1, so that n N S / sum N S are whole numbers (Cochran 1977, (5.26))
    db.execute(
        "CREATE OR REPLACE TABLE n AS SELECT range AS id, range // 100 AS s, (range % 2) * (3 - range // 100) AS y,"
        " 1.0 AS w FROM range(300)"
    )
    db.execute("DROP TABLE IF EXISTS drawn")
    step = sdc_sql.Microdata(db, "n", id="id").mask.sample(size=60, stratum="s", neyman="y", weight="w", into="drawn")
    assert step.parameters["neyman"] == "y"
    found = db.execute("SELECT s, count(*), any_value(w) FROM drawn GROUP BY ALL ORDER BY ALL").fetchall()
    assert found == [(0, 30, 100 / 30), (1, 20, 5.0), (2, 10, 10.0)]
    monkeypatch.setenv("SDC_KEY", KEY)
    db.execute(f"COPY n TO '{tmp_path}/n.parquet'")
    command = [
        "mask",
        "sample",
        f"{tmp_path}/n.parquet",
        "--id",
        "id",
        "--size",
        "60",
        "--stratum",
        "s",
        "--neyman",
        "y",
    ]
    assert main([*command, "--output", f"{tmp_path}/o.parquet"]) == 0
    assert db.execute(f"SELECT count(*) FROM '{tmp_path}/o.parquet' ANTI JOIN drawn USING (id)").fetchall() == [(0,)]
    for more, words in (
        ("fraction := 0.5, stratum := 's', neyman := 'y'", "give a size and a stratum too"),
        ("size := 20, least := 2", "give a size and a stratum too"),
        ("size := 20, stratum := 's', least := 7", "are 21 units together already"),
        ("size := 20, stratum := 's', neyman := 'w'", "does not vary in any stratum"),
        ("size := 20, stratum := 's', neyman := 'gone'", "gone"),
    ):
        with pytest.raises(duckdb.Error, match=words):
            ids(db, more, table="n")
    db.execute("UPDATE n SET y = NULL WHERE id = 7")
    with pytest.raises(InputError, match="A record has no y"):
        sdc_sql.Microdata(db, "n", id="id").mask.sample(size=60, stratum="s", neyman="y", in_place=True)


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("delete", [lambda d, **w: d.mask.sample(size=1, **w), lambda d, **w: d.mask.massc(0, 1, **w)])
def test_records_are_deleted_only_where_it_is_said(delete):
    data = sdc_sql.example()
    for wrong, said in (
        ({}, "deletes records: give into='name' for a new table .* or in_place=True"),
        ({"into": "o", "in_place": True}, "give one of them"),
        ({"in_place": "o"}, "in_place is 'o': it must be True or False"),
    ):
        with pytest.raises(sdc_sql.ParameterError, match=said):
            delete(data, **wrong)
    assert data.con.execute("SELECT count(*) FROM persons").fetchall() == [(3,)]
    step = delete(data, into="o")
    assert (data.con.table("persons").shape[0], data.con.table("o").shape[0]) == (3, step.records)
    assert delete(data, in_place=True).records == data.con.table("persons").shape[0]


def test_a_few_units_by_hand(db):
    """Every fourth of 24 in the order, NULL behind; 5 of 3, 3 and 4 are 2, 1 and 2."""
    db.execute("CREATE OR REPLACE TABLE f AS SELECT i AS id, CASE WHEN i > 2 THEN 100 - i END AS o FROM range(24) t(i)")
    found = [i for (i,) in ids(db, "size := 6, method := 'systematic', order_by := 'o'", table="f")]
    places = sorted(23 - i for i in found if i > 2)  # the first in the order is 23
    assert len(found) == 6
    assert {b - a for a, b in itertools.pairwise(places)} == {4}
    assert len(places) == 6 - (places[0] + 20 > 20)  # the sixth of who begin after the first is NULL
    db.execute(
        "CREATE OR REPLACE TABLE f AS SELECT i AS id, ['a', 'a', 'a', 'b', 'b', 'b'][1 + i] AS s FROM range(10) t(i)"
    )
    counts = "SELECT s, count(*) FROM sdc_sample('f', 'id', size := 5, stratum := 's') GROUP BY ALL"
    assert dict(db.execute(counts).fetchall()) == {"a": 2, "b": 1, None: 2}
