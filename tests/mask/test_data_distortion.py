"""Data distortion: what is kept, what is drawn, what two releases and extremes tell, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.distributions.continuous import CONTINUOUS
from sdc_sql.udfs.distributions.goodness import Fit

import sdc_sql
from sdc_sql import InputError, Microdata
from sdc_sql.cli import main
from sdc_sql.release.reporting.public_steps import list_told_parameters

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 1000


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table of a normal and a lognormal column of odd names, and counts."""
    rng = np.random.default_rng(4)
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        names = ("id", "it's", "Select", "n", "part")
        columns = (
            np.arange(N),
            rng.normal(50, 9, N),
            np.exp(rng.normal(3, 1, N)),
            rng.poisson(40, N),
            np.arange(N) % 2,
        )
        con.register("made", pa.table(dict(zip(names, columns, strict=True))))
        con.execute("CREATE TABLE k AS SELECT * REPLACE (id::INTEGER AS id, n::INTEGER AS n) FROM made")
        yield con


def values(con, call, column="f"):
    return np.array(con.execute(f'SELECT "{column}" FROM {call} ORDER BY id').fetchall(), dtype=float).ravel()


def apart(one, other):
    """Return the two-sample statistic of Smirnov, times sqrt(n m / (n + m)): below 0.3 once in 100,000 times."""
    every = np.concatenate([one, other])
    shares = [np.searchsorted(np.sort(v), every, side="right") / len(v) for v in (one, other)]
    return np.abs(shares[0] - shares[1]).max() * math.sqrt(len(one) * len(other) / len(every))


@pytest.mark.slow
@pytest.mark.whole
def test_ranks_are_kept_and_values_are_of_the_distribution_and_of_nobody(k):
    step = Microdata(k, "k", id="id").mask.data_distortion(["it's", "select", "n"], into="drawn")
    explained = step.parameters["explained"]
    taken = {e["column"]: e for e in explained if e["verdict"] == "taken"}
    assert [taken[c]["family"] for c in ("it's", "Select")] == ["normal", "lognormal"]
    for name, family in (("it's", "normal"), ("Select", "lognormal")):
        old, new = values(k, "k", name), values(k, "drawn", name)
        assert (np.argsort(old) == np.argsort(new)).all()
        assert not {*old} & {*new}
        logs = np.log(old) if family == "lognormal" else old
        one = Fit(CONTINUOUS[family], (logs.mean(), logs.std()), 0.0)
        assert taken[name]["parameters"].endswith(f" {logs.std():.6g}")
        u = CONTINUOUS[family].cdf(np.sort(new), *one.parameters)
        distance = np.abs(u - (np.arange(N) + 0.5) / N).max() + 0.5 / N
        assert distance * math.sqrt(N) < 2.5  # Massart (1990): 2 exp(-2 z^2) = 7e-6
    old, new = values(k, "k", "n"), values(k, "drawn", "n")
    assert (np.diff(new[np.argsort(old, kind="stable")][:: N - 1]) > 0).all()
    assert (new == np.round(new)).all()
    assert abs(new.mean() - old.mean()) < 4.5 * old.std() / math.sqrt(N)
    assert k.table("drawn").types == k.table("k").types
    # of those that are nearer, each is rejected; of those that are farther, none is asked
    for column, own in taken.items():
        lines = [e for e in explained if e["column"] == column]
        nearer = [e for e in lines if e["statistic"] < own["statistic"]]
        assert all(e["verdict"] == "rejected" and e["p_value"] <= 0.05 for e in nearer)
        assert all(e["verdict"] == "farther" and e["p_value"] is None for e in lines if e not in [*nearer, own])


@pytest.mark.slow
def test_a_record_more_redraws_everybody_and_its_value_is_not_the_difference_of_means(k):
    """With the same uniform numbers the newcomer's value is (n + 1) mean - n mean, nearly; drawn anew it is lost."""
    k.execute("CREATE OR REPLACE TEMP TABLE more AS FROM k UNION ALL SELECT 5000, 61.25, 3, 7, 0")
    call = "sdc_data_distortion('{}', ['it''s'], ['normal'], 'id')"
    before, after = (values(k, call.format(t), "it's") for t in ("k", "more"))
    assert apart(before, after[:N]) > 0.3
    error = (N + 1) * after.mean() - N * before.mean() - 61.25
    assert abs(error) < 4.5 * before.std() * math.sqrt(2 * N)  # theory: an intruder errs by sd sqrt(2 n)
    assert abs(error) > 0.001 * before.std() * math.sqrt(2 * N)  # once in a thousand it would be nearer


@pytest.mark.slow
def test_what_the_parameters_give_away_and_that_the_least_change_redraws(k):
    k.execute("CREATE OR REPLACE TEMP TABLE more AS FROM k UNION ALL SELECT 5000, 61.25, 3, 7, 0")
    call = "sdc_data_distortion('{}', ['it''s'], ['normal'], 'id')"
    before = values(k, call.format("k"), "it's")
    # what the header says of the parameters: with those of both files the value is there
    data = [Microdata(k, t, id="id") for t in ("k", "more")]
    means = [float(d.mask.data_distortion("it's", families="normal", into=f"of_{d.table}").parameters["explained"][0]
                   ["parameters"].split(",")[0].removeprefix("mean ")) for d in data]  # fmt: skip
    assert abs((N + 1) * means[1] - N * means[0] - 61.25) < 0.1
    # one value changed by a millionth, and another stratum: all are drawn anew
    k.execute(
        "CREATE OR REPLACE TEMP TABLE nudged AS"
        ' SELECT * REPLACE (CASE WHEN id = 7 THEN "it\'s" + 1e-6 ELSE "it\'s" END AS "it\'s") FROM k'
    )
    assert apart(before, values(k, call.format("nudged"), "it's")) > 0.3


@pytest.mark.slow
def test_many_releases_tell_the_rank_and_not_the_value_of_the_greatest(k):
    k.execute(
        'CREATE OR REPLACE TEMP TABLE rich AS SELECT id, "it\'s" + CASE WHEN id = 3 THEN 400 ELSE 0 END AS f FROM k'
    )
    old = values(k, "rich")
    call = "sdc_data_distortion('rich', ['f'], {}, 'id', significance := 1e-9, release := 'r{}')"
    highest = [values(k, call.format("['normal', 'logistic']", r))[3] for r in range(6)]
    # of the greatest value 400 above the others the greatest draws tell nothing: they are those of n normal variates
    assert max(highest) < old.mean() + 7 * old.std() < old.max() - 200
    by_intervals = [
        values(k, f"sdc_data_distortion('rich', ['f'], ['uniform'], 'id', release := '{r}')")[3] for r in range(4)
    ]
    assert len({*by_intervals}) == 4
    assert old.max() not in by_intervals
    one, other = (values(k, call.format("['normal']", r)) for r in (0, 1))
    assert (np.argsort(one) == np.argsort(old)).all()  # ranks, exactly
    assert apart(one, other) > 0.3  # but independent draws


@pytest.mark.slow
def test_frequencies_are_imposed_where_all_families_are_rejected(k):
    k.execute(
        'CREATE OR REPLACE TEMP TABLE two AS SELECT id, "it\'s" + 500 * part AS f, part FROM k;'
        "CREATE OR REPLACE TABLE three AS FROM two"
    )
    step = Microdata(k, "three", id="id").mask.data_distortion("f", intervals=8, into="imposed")
    first, *others = step.parameters["explained"]
    assert (first["family"], first["parameters"], first["verdict"]) == ("intervals", "8 intervals", "taken")
    assert all(e["verdict"] == "rejected" for e in others)
    old, new = values(k, "two"), values(k, "imposed")
    assert (np.argsort(old) == np.argsort(new)).all()
    for share in (1, 2, 4, 6, 7):  # eighths, to the roundness of their ends
        end = (np.sort(old)[N * share // 8 - 1] + np.sort(old)[N * share // 8]) / 2
        assert abs((new <= end).mean() - share / 8) < 0.02
    assert ((new > 150) & (new < 400)).sum() <= 2 * N // 8  # the gap is in two intervals at most
    # by stratum both are normal
    step = Microdata(k, "three", id="id").mask.data_distortion("f", stratum="part", into="parted")
    found = {(e["stratum"], e["family"]) for e in step.parameters["explained"] if e["verdict"] == "taken"}
    assert {s for s, _ in found} == {"0", "1"}
    assert "intervals" not in {f for _, f in found}
    assert not ((values(k, "parted") > 150) & (values(k, "parted") < 400)).any()


@pytest.mark.slow
def test_nulls_ties_types_and_the_macro(k):
    k.execute(
        'CREATE OR REPLACE TABLE t AS SELECT id, CASE WHEN id % 5 > 0 THEN "it\'s"::DECIMAL(9, 2) END AS d,'
        " CASE WHEN id % 5 > 0 THEN \"it's\"::FLOAT WHEN id % 10 = 0 THEN 'nan'::FLOAT END AS x,"
        " 9007199254740992 + n AS b, n % 7 AS heap FROM k WHERE id < 300"
    )
    before = k.execute("FROM t ORDER BY id").fetchall()
    call = "FROM sdc_data_distortion('t', ['X', 'd'], NULL, 'id') ORDER BY id"
    after = k.execute(call).fetchall()
    assert k.execute(f"DESCRIBE {call}").fetchall() == k.execute("DESCRIBE t").fetchall()
    assert all(str(r[1:3]) == str(a[1:3]) for r, a in zip(before, after, strict=True) if r[0] % 5 == 0)
    assert sum(a[2] != r[2] for a, r in zip(after, before, strict=True)) >= 240
    assert [r[3:] for r in before] == [a[3:] for a in after]
    # equal values are ranked by draws: within a value of the other column there is no order of ids
    drawn = values(k, "sdc_data_distortion('k', ['n'], ['normal'], 'id', significance := 1e-6)", "n")
    old = values(k, "k", "n")
    ids = np.arange(N)
    pairs = [(i, j) for w in {*old} for j, i in zip(ids[old == w][::2], ids[old == w][1::2], strict=False)]
    signs = [np.sign(drawn[i] - drawn[j]) for j, i in pairs]
    assert len(signs) > 300
    assert abs(np.mean(signs)) < 4.5 / math.sqrt(len(signs))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("rows", "more", "words"), [
    ("SELECT 1 AS id, 2.0 AS x", {}, "it has 1 values"),
    ("SELECT range AS id, 5 AS x FROM range(50)", {}, "1 are different"),
    ("SELECT range AS id, range % 2 AS x FROM range(50)", {}, "2 are different"),
    ("SELECT range AS id, CASE WHEN range < 50 THEN 0 ELSE range * range % 777 END AS x FROM range(100)", {},
     "none that an eighth of the records share"),
    ("SELECT range AS id, range::VARCHAR AS x FROM range(50)", {}, "this method masks numbers"),
    ("SELECT range AS id, 1e200 * range AS x FROM range(50)", {}, "beyond 1e\\+?150"),
    ("SELECT range AS id, range * 7.5 AS x FROM range(50)", {"families": ["gauss"]}, "families"),
    ("SELECT range AS id, range * 7.5 AS x FROM range(50)", {"significance": 1.0}, "significance"),
    ("SELECT range AS id, range * 7.5 AS x FROM range(50)", {"intervals": 7}, "intervals"),
    ("SELECT range AS id, range * 7.5 AS x, range AS own FROM range(50)", {"stratum": "own"},
     "in a stratum, x cannot be"),
])  # fmt: skip
def test_what_is_refused(k, rows, more, words):
    k.execute(f"CREATE OR REPLACE TABLE wrong AS {rows}")
    before = str(k.execute("FROM wrong ORDER BY id").fetchall())
    with pytest.raises(InputError, match=words):
        Microdata(k, "wrong", id="id").mask.data_distortion("x", **more)
    options = "".join(f", {name} := {value!r}" for name, value in more.items() if name != "families")
    families = more.get("families", "NULL")
    with pytest.raises(Exception, match=words):
        k.execute(f"FROM sdc_data_distortion('wrong', ['x'], {families}, 'id'{options})").fetchall()
    assert str(k.execute("FROM wrong ORDER BY id").fetchall()) == before


def test_nothing_but_missing_values_stays(k):
    k.execute("CREATE OR REPLACE TABLE none AS SELECT range AS id, NULL::DOUBLE AS x FROM range(9)")
    assert Microdata(k, "none", id="id").mask.data_distortion("x", into="still").parameters.get("explained") is None
    assert k.execute("SELECT count(x), count(*) FROM still").fetchone() == (0, 9)


@pytest.mark.slow
def test_in_place_by_the_command_line_and_by_release_files(k, tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    wanted = values(k, "sdc_data_distortion('k', ['it''s', 'Select'], ['normal', 'lognormal'], 'id')", "Select")
    k.execute("CREATE OR REPLACE TABLE in_place AS FROM k")
    data = sdc_sql.Microdata(k, "in_place", id="id")
    step = data.mask.data_distortion(["it's", "select"], families=["lognormal", "normal"])
    assert (wanted == values(k, "in_place", "Select")).all()
    k.execute(f"COPY k TO '{tmp_path}/k.parquet'")
    assert main(["mask", "data_distortion", f"{tmp_path}/k.parquet", "--id", "id", "--columns", "it's,Select",
                 "--families", "normal,lognormal", "--output", f"{tmp_path}/o.parquet"]) == 0  # fmt: skip
    assert (wanted == values(k, f"'{tmp_path}/o.parquet'", "Select")).all()
    # the parameters are not for publication
    assert {*list_told_parameters(step)} == {"significance", "intervals"}
