"""A release file is run: accepted and written whole, or refused with its reasons and nothing written."""

from __future__ import annotations

import os
import signal
import stat
import tempfile
from pathlib import Path

import duckdb
import pytest
from decided import decided
from sqlglot import exp

import sdc_sql
from sdc_sql import ParameterError, SdcError, TableError, run_release
from sdc_sql.cli import main
from sdc_sql.db import query
from sdc_sql.db.catalogue.load import load
from sdc_sql.release.running import run as running
from sdc_sql.release.running.households import renumber_households

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
WORKERS = """
[source]
path = "{source}"
[roles]
released_as_collected = ["earnings"]
id = "person"
sampling_fraction = 0.0006
[[scenarios]]
name = "neighbour"
keys = ["region", "sex", "age", "education"]
limits = ["k_anonymity.3.records <= 0", "theta.upper_bound <= 0.05"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 17, 19, 21, 30, 40, 50, 60, 79]
ends = "open"
[[steps]]
mask = "local_suppression"
scenario = "neighbour"
k = 3
[loss]
columns = ["region", "sex"]
limits = ["direct_distance.distance < 0.01"]
[output]
path = "released.parquet"
"""
SMALL = """
[source]
{source}
[roles]
id = "id"
{roles}
[[scenarios]]
name = "neighbour"
keys = {keys}
{nulls}
limits = {limits}
{steps}
[output]
{output}
"""


@pytest.fixture
def workers(tmp_path, fixtures):
    file = tmp_path / "release.toml"
    file.write_text(WORKERS.format(source=fixtures / "cps_workers.parquet"))
    return file


@pytest.fixture
def small(tmp_path):
    """Write a release file of a small table in CSV."""

    def written(rows="1,30,f,1.50\n2,30,f,2\n3,41,,3\n4,NaN,m,4\n", head="id,age,Select,it's", **changed):
        (tmp_path / "raw.csv").write_text(f"{head}\n{rows}")
        given = {
            "source": 'path = "raw.csv"', "roles": "", "nulls": 'nulls = "wildcard"', "keys": '["age", "Select"]',
            "limits": '["k_anonymity.2.records <= 0"]', "output": 'path = "released.csv"',
            "steps": '[[steps]]\nmask = "local_suppression"\nscenario = "neighbour"\nk = 2',
        }  # fmt: skip
        file = tmp_path / "release.toml"
        file.write_text(SMALL.format(**given | changed))
        return decided(file)

    return written


def files(folder):
    return {p.name for p in folder.iterdir()} - {"release.toml", "raw.csv"}


@pytest.mark.slow
def test_a_release_is_accepted_and_written(workers, con, tmp_path):
    outcome = run_release(workers, con)
    assert outcome.accepted
    assert outcome.reasons == ()
    assert outcome.written == (tmp_path / "released.parquet",)
    # counted without us: NULL is a value of its own, as the step guarantees
    released = f"SELECT region, sex, age, education, count(*) AS f FROM '{outcome.written[0]}' GROUP BY ALL"
    assert con.execute(f"SELECT min(f) >= 3, sum(f) FROM ({released})").fetchall() == [(True, 61395)]
    assert outcome.records_before == outcome.records_after == 61395
    (scenario,) = outcome.scenarios
    assert (scenario.nulls_before, scenario.nulls_after) == ("category", "wildcard")
    assert scenario.before.k_anonymity[1].records > 0
    assert outcome.columns_after == ("person", "age", "sex", "region", "education", "earnings")
    assert "person" not in duckdb.from_parquet(str(outcome.written[0])).columns
    assert stat.S_IMODE(outcome.written[0].stat().st_mode) == 0o600


@pytest.mark.slow
def test_the_order_of_the_records_is_that_of_their_values(small, con):
    outcome = run_release(small(rows="".join(f"{i},{i * 7 % 5},f,{-i}\n" for i in range(40))), con)
    rows = duckdb.read_csv(str(outcome.written[0])).fetchall()
    assert rows == sorted(rows)
    assert len(rows) == 40


@pytest.mark.slow
@pytest.mark.parametrize("collation", ["C", "NOCASE"])
def test_the_order_of_the_source_shows_nowhere(tmp_path, collation):
    """Of the same records in two orders, on one thread and two, the file has the same bytes: a place tells no more.

    Under a collation that calls a and A equal their order would be that of the source, as would that of 0.0 and -0.0.
    """
    rows = """SELECT range AS id, ['a', 'A', 'b'][1 + range % 3] AS x, [0e0, -0e0, 1.5e0][1 + range % 7 % 3] AS y,
        [['a', 'A'][1 + range % 2]] AS z FROM range(5000)"""
    written = []
    for order, threads in (("id", 1), ("hash(id)", 2)):
        with duckdb.connect(tmp_path / f"{threads}.duckdb") as con:
            con.execute(f"SET default_collation = '{collation}'")
            con.execute(f"CREATE TABLE p (id BIGINT, x VARCHAR COLLATE {collation}, y DOUBLE, z VARCHAR[])")
            con.execute(f"INSERT INTO p FROM ({rows}) ORDER BY {order}")
        file = tmp_path / "release.toml"
        file.write_text(f"""
            [source]
            database = "{threads}.duckdb"
            table = "p"
            [roles]
            id = "id"
            released_as_collected = ["x", "y", "z"]
            [[scenarios]]
            name = "all"
            keys = ["x"]
            limits = ["k_anonymity.2.records <= 0"]
            [output]
            path = "{threads}.parquet"
        """)
        outcome = run_release(file, threads=threads)
        written.append(outcome.written[0].read_bytes())
        assert {x for x, *_ in duckdb.read_parquet(str(outcome.written[0])).fetchall()} == {"a", "A", "b"}
    assert written[0] == written[1]


@pytest.mark.slow
def test_a_release_is_refused_for_a_stated_reason(small, tmp_path, capsys):
    assert main(["release", str(small(steps=""))]) == 3
    out, err = capsys.readouterr()
    assert "scenario 'neighbour': k_anonymity.2.records <= 0 does not hold: k_anonymity.2.records is 2" in err
    assert "scenarios[0].limits[0]" in err
    assert "refused: nothing is released" in out
    assert files(tmp_path) == set()


def test_the_plan_is_shown_and_nothing_is_done(small, tmp_path, capsys):
    assert main(["release", str(small(roles='identifiers = ["it\'s"]')), "--plan"]) == 0
    out = capsys.readouterr().out
    assert "Step 1: local_suppression age, Select: k 2" in out
    assert "Not read, direct identifiers: it's" in out
    assert files(tmp_path) == set()


def test_the_errors_of_a_file_are_lines_and_the_exit_code_2(small, capsys):
    assert main(["release", str(small(limits='["k_anonymity.2.record <= 0", 1]', roles="weight = 0"))]) == 2
    assert [line.split(":")[0].strip() for line in capsys.readouterr().err.splitlines()] == [
        "sdc-sql", "roles.weight", "scenarios[0].limits",
    ]  # fmt: skip


@pytest.mark.slow
def test_direct_identifiers_are_never_read(small, con):
    outcome = run_release(small(roles='identifiers = ["IT\'S"]'), con)
    assert outcome.columns_before == ("id", "age", "Select")
    assert duckdb.read_csv(str(outcome.written[0])).columns == ["age", "Select"]


@pytest.mark.slow
def test_codes_of_a_csv_file_stay_as_they_are_written(small, con):
    outcome = run_release(small(rows="1,030,f,1.50\n2,030,f,2\n"), con)
    assert outcome.written[0].read_text().splitlines() == ["age,Select,it's", "030,f,1.50", "030,f,2"]


@pytest.mark.slow
def test_ids_are_kept_where_asked(small, con):
    outcome = run_release(small(output='path = "released.csv"\nids = "keep"'), con)
    assert duckdb.read_csv(str(outcome.written[0])).columns == ["id", "age", "Select", "it's"]


HOUSEHOLDS = "1,030,f,907\n2,030,f,907\n3,041,m,15\n4,041,m,15\n5,041,m,22\n6,030,f,22\n"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("", {1, 2, 3}),
        ('\nhouseholds = "recode"', {1, 2, 3}),
        ('\nhouseholds = "keep"', {907, 15, 22}),
        ('\nhouseholds = "drop"', None),
    ],
)
def test_households_are_numbered_anew_unless_asked_otherwise(small, con, said, numbers):
    given = {"head": "id,age,Select,Home", "roles": 'household = "home"', "steps": ""}
    others = (
        HOUSEHOLDS.replace("907", "4").replace("22", "901").replace("15", "3")
    )  # the same households by other numbers
    found = []
    for rows in (HOUSEHOLDS, others):
        outcome = run_release(small(rows, output='path = "released.parquet"' + said, **given), con)
        (path,) = outcome.written
        released = duckdb.read_parquet(str(path)).fetchall()
        found.append(released)
        assert len(released[0]) == 2 + (numbers is not None)
        path.unlink()
        con.execute("DROP TABLE IF EXISTS sdc_original; DROP TABLE IF EXISTS sdc_release")
    if numbers is None:
        return
    together = [sorted(age for age, _, n in found[0] if n == number) for number in numbers]
    assert sorted(together) == [["030", "030"], ["030", "041"], ["041", "041"]]
    assert (found[0] == found[1]) is ("keep" not in said)


@pytest.mark.parametrize("kind", ["VARCHAR COLLATE NOCASE", "VARCHAR"])
def test_every_record_keeps_to_its_household_or_to_none(con, kind):
    """'a' and 'A' are two households, whatever the collation; NULL is none, and none of its records is lost."""
    load(con)
    con.execute(f"CREATE TABLE of_survey (h {kind}, a INTEGER)")
    con.execute("INSERT INTO of_survey VALUES ('A', 1), ('a', 2), ('A', 3), (NULL, 4), (NULL, 5), ('', 6)")
    found = con.execute(query.write_sql(renumber_households(exp.select("h", "a").from_("of_survey"), "H"))).fetchall()
    number = {a: h for h, a in found}
    assert sorted(a for _, a in found) == [1, 2, 3, 4, 5, 6]
    assert number[4] is number[5] is None
    assert number[1] == number[3]
    assert {number[1], number[2], number[6]} == {1, 2, 3}


def test_households_that_are_none_are_not_said_to_be_released(small, capsys):
    file = small(output='path = "released.csv"\nhouseholds = "all"')
    assert main(["release", str(file)]) == 2
    assert capsys.readouterr().err.splitlines()[1:] == [
        "  output.households: it is 'all': one of keep, drop, recode.",
        "  output.households: it goes with roles.household, which is missing.",
    ]


@pytest.mark.slow
def test_a_table_of_a_database_and_a_fresh_database_as_output(small, con, tmp_path):
    with duckdb.connect(tmp_path / "o'hara.duckdb") as raw:
        raw.execute('CREATE TABLE "my ""table" AS FROM (VALUES (1, 3, 3), (2, 3, 3)) AS t(id, age, "Select")')
        raw.execute("CREATE TABLE other AS SELECT 1 AS x")
    file = small(source="database = \"o'hara.duckdb\"\ntable = 'my \"table'", output='path = "it\'s.duckdb"')
    run_release(file, con)
    with duckdb.connect(tmp_path / "it's.duckdb") as released:
        assert released.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [('my "table',)]
        assert released.execute('FROM "my ""table"').fetchall() == [(3, 3), (3, 3)]
    assert b"sdc_steps" not in (tmp_path / "it's.duckdb").read_bytes()


@pytest.mark.slow
def test_a_limit_on_a_figure_that_is_null_does_not_hold(small, con):
    file = small(output='path = "released.csv"\n[loss]\ncolumns = ["Select"]\nlimits = ["il1.il1 <= 1"]')
    outcome = run_release(file, con)
    assert outcome.reasons == ("loss: il1.il1 <= 1 does not hold: il1.il1 is NULL (loss.limits[0])",)


@pytest.mark.slow
def test_the_share_linked_is_held_below_a_limit(small, con):
    """Each record is nearest to its own where nothing is masked; the numbers of `continuous` by distance and rank."""
    limits = '["distance_linkage.rate <= 0.5", "ranks.rate <= 1"]'
    linkage = 'measure = "distance_linkage"\ncolumns = ["Select", "it\'s"]\ncontinuous = ["it\'s"]'
    ranks = 'measure = "rank_linkage"\ncolumns = ["it\'s"]'
    figures = f"[figures.distance_linkage]\n{linkage}\n[figures.ranks]\n{ranks}"
    rows = "1,30,f,1\n2,30,f,2\n3,30,m,3\n4,30,m,3\n"
    outcome = run_release(small(rows=rows, limits=limits, steps=figures), con)
    assert [dict(limit.figures) for limit in outcome.limits] == [
        {"distance_linkage.rate": 0.75},
        {"ranks.rate": 0.75},
    ]
    assert outcome.reasons == (
        (
            "scenario 'neighbour': distance_linkage.rate <= 0.5 does not hold: distance_linkage.rate is 0.75 "
            "(scenarios[0].limits[0])"
        ),
    )


def test_an_empty_table_is_an_error_and_leaves_nothing(small, con, tmp_path):
    with pytest.raises(TableError, match="no rows"):
        run_release(small(rows=""), con)
    assert files(tmp_path) == set()
    assert con.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'sdc_%'").fetchall() == [(0,)]


def test_one_record_is_refused_by_its_step_with_the_place(small, con, tmp_path):
    with pytest.raises(SdcError, match=r"steps\[0\] \(local_suppression\): "):
        run_release(small(rows="1,3,f,1\n"), con)
    assert files(tmp_path) == set()


def test_a_step_that_draws_needs_the_key_before_any_work(small, con, monkeypatch):
    file = small(steps='[[steps]]\nmask = "pram_retention"\ncolumns = ["Select"]\nretention = 0.9')
    monkeypatch.setattr(running, "_measure_release", lambda *_: pytest.fail("worked before the key was asked for"))
    con.execute("RESET VARIABLE sdc_key")
    with pytest.raises(SdcError, match="No secret key is set"):
        run_release(file, con)


@pytest.mark.slow
def test_pram_is_taken_into_account_and_drawn_alike(small, con, tmp_path):
    rows = "".join(f"{i},{i % 7},{'fm'[i % 2]},1\n" for i in range(200))
    file = small(
        rows=rows, roles="sampling_fraction = 0.1", limits='["theta_misclassified.theta <= 1"]',
        steps='[[steps]]\nmask = "pram_retention"\ncolumn = "Select"\nretention = 0.9',
    )  # fmt: skip
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    outcome = run_release(file, con)
    assert "went through PRAM" in (outcome.scenarios[0].after.pram or "")
    once = (tmp_path / "released.csv").read_bytes()
    (tmp_path / "released.csv").unlink()
    con.execute("DROP TABLE sdc_original; DROP TABLE sdc_release")
    run_release(file, con)
    assert (tmp_path / "released.csv").read_bytes() == once


def test_an_output_that_is_there_is_never_replaced(small, con, tmp_path):
    file = small()
    (tmp_path / "released.csv").write_text("mine")
    with pytest.raises(TableError, match="already"):
        run_release(file, con)
    assert (tmp_path / "released.csv").read_text() == "mine"


def test_a_failure_while_outputs_are_placed_leaves_none(tmp_path, monkeypatch):
    from sdc_sql.release.running.place import place_outputs  # noqa: PLC0415

    targets = [tmp_path / "a.csv", tmp_path / "b.csv"]
    replaced = os.replace

    def failing(part, target):
        if target == targets[1]:
            raise OSError("no space")
        replaced(part, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="no space"):
        place_outputs([(target, lambda part: part.write_text("x") and None) for target in targets])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_writer_that_fails_leaves_nothing(small, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "write_released_file", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        run_release(small(rows="1,3,f,1\n2,3,f,1\n"))
    assert files(tmp_path) == set()


def test_the_work_is_done_in_a_folder_of_the_owner_that_is_gone(small, tmp_path, tmp_path_factory, monkeypatch):
    seen = []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))

    def look(*_):
        assert not list(tmp_path.glob(".sdc-sql-*"))  # beside what is given away no raw data stand, at any time
        (folder,) = Path(tempfile.gettempdir()).iterdir()
        seen.append((stat.S_IMODE(folder.stat().st_mode), [stat.S_IMODE(p.stat().st_mode) for p in folder.iterdir()]))
        raise TableError("enough")

    monkeypatch.setattr(running, "_measure_release", look)
    with pytest.raises(TableError, match="enough"):
        run_release(small())
    assert seen[0][0] == 0o700
    assert {*seen[0][1]} <= {0o600, 0o700}
    assert files(tmp_path) == set()
    assert not list(Path(tempfile.gettempdir()).iterdir())


@pytest.mark.slow
def test_where_changes_only_those_records(small, con):
    steps = '[[steps]]\nmask = "local_suppression"\nscenario = "neighbour"\nk = 2\nwhere = "\\"Select\\" = \'m\'"'
    rows = "1,30,f,1\n2,31,f,1\n3,41,m,1\n4,42,m,1\n"
    outcome = run_release(small(rows=rows, steps=steps), con)
    assert not outcome.accepted
    assert con.execute("SELECT id FROM sdc_release WHERE age IS NULL ORDER BY id").fetchall() == [(3,), (4,)]
    assert con.execute("SELECT age FROM sdc_release WHERE \"Select\" = 'f' ORDER BY id").fetchall() == [(30,), (31,)]


@pytest.mark.slow
def test_plan_and_path_give_the_same(small, con):
    plan = sdc_sql.read_release(small())
    assert run_release(plan, con, write=False).accepted


def test_a_signal_that_ends_the_program_leaves_nothing(small, tmp_path, capsys, monkeypatch):
    def stopped(*_):
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(running, "_measure_release", stopped)
    before = signal.getsignal(signal.SIGTERM)
    assert main(["release", str(small())]) == 128 + signal.SIGTERM
    assert capsys.readouterr().err == "sdc-sql: ended by SIGTERM\n"
    assert files(tmp_path) == set()
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.slow
def test_what_takes_no_wildcards_takes_null_as_a_value(small, con):
    rows = "".join(f"{i},{i % 7},{'fm'[i % 2]},{i % 3}\n" for i in range(60)) + "60,9,x,1\n"
    file = small(
        rows=rows, roles='sensitive = ["it\'s"]',
        limits='["suda_summary.max_score <= 0", "l_diversity.distinct_l >= 1"]',
    )  # fmt: skip
    outcome = run_release(file, con)
    assert outcome.scenarios[0].nulls_after == "wildcard"
    assert outcome.accepted


@pytest.mark.slow
def test_where_of_a_method_that_masks_numbers(small, con):
    steps = '[[steps]]\nmask = "round"\ncolumns = ["id2"]\nbase = 10\nwhere = "age > 30"'
    file = small(rows="1,30,f,1\n2,30,f,2\n3,41,m,3\n4,41,m,14\n", head="id,age,Select,id2", steps=steps)
    run_release(file, con)
    assert con.execute("SELECT id2 FROM sdc_release ORDER BY id").fetchall() == [(1,), (2,), (0,), (10,)]


@pytest.mark.slow
def test_subset_counts_all_records(small, con):
    steps = '[[steps]]\nmask = "local_suppression"\nkeys = ["age"]\nk = 2\nsubset = "id > 2"'
    run_release(small(rows="1,30,f,1\n2,31,f,1\n3,31,m,1\n4,42,m,1\n5,43,m,1\n", steps=steps), con)
    ages = con.execute("SELECT list(age ORDER BY id) FROM sdc_release").fetchall()
    assert ages == [([30, 31, 31, None, None],)]


@pytest.mark.slow
def test_a_step_that_suppresses_nothing_leaves_null_a_value_of_its_own(small, con):
    """Else a step without effect would make every missing value agree with all: fewer records at risk, none safer."""
    rows = "1,30,f,1\n2,30,,2\n3,41,f,3\n4,41,,4\n"
    steps = '[[steps]]\nmask = "local_suppression"\nkeys = ["age"]\nk = 2'
    outcome = run_release(small(rows=rows, steps=steps, nulls=""), con)
    assert [step.changed for step in outcome.steps] == [0]
    assert outcome.scenarios[0].nulls_after == "category"
    assert dict(outcome.limits[0].figures) == {"k_anonymity.2.records": 4}
    assert not outcome.accepted


@pytest.mark.slow
@pytest.mark.parametrize(
    "step", ['mask = "drop_identifiers"', 'mask = "recode"\nbreaks = [0, 2, 9]'], ids=["dropped", "made text"]
)
def test_a_loss_that_cannot_be_measured_of_a_column_is_not_that_of_the_others(small, con, step):
    loss = '[loss]\ncolumns = ["age", "it\'s"]\ncontinuous = ["age", "it\'s"]\nlimits = ["il1.il1 < 1"]'
    rows = "1,30,f,1\n2,30,f,2\n3,41,m,3\n4,41,m,4\n"
    outcome = run_release(small(rows=rows, steps=f'[[steps]]\ncolumns = ["it\'s"]\n{step}\n{loss}'), con)
    assert dict(outcome.limits[1].figures) == {"il1.il1": None}
    assert not outcome.accepted


@pytest.mark.slow
def test_values_missing_before_are_no_wildcards_unless_the_file_says_so(small, con):
    """A missing value that agrees with all would hide uniques: the file must say how NULL counts."""
    rows = "1,30,f,1\n2,30,f,2\n3,41,f,3\n4,,f,4\n5,,f,5\n"
    steps = '[[steps]]\nmask = "local_suppression"\nkeys = ["age"]\nk = 2'
    with pytest.raises(ParameterError, match=r"scenarios\[0\]\.nulls: values of age are missing in the source"):
        run_release(small(rows=rows, steps=steps, nulls=""), con)
