"""The table of steps: it reproduces a release, counts the passes of draws, and knows which table is which."""

from __future__ import annotations

import json
import threading

import duckdb
import numpy as np
import pytest
from masked_tables import KEY, open_steps

import sdc_sql
from sdc_sql import ParameterError, TableError
from sdc_sql.cli import main
from sdc_sql.db.masking.step_table import FIRST, FORM
from sdc_sql.db.masking.steps import list_steps

N = 2_000
FIRST_FORM = """
    CREATE TABLE sdc_steps (step BIGINT, "at" TIMESTAMP, target VARCHAR, method VARCHAR, columns VARCHAR[],
                            parameters VARCHAR, records BIGINT, changed BIGINT, sse_sst DOUBLE)
"""
FIRST_ROWS = """
    INSERT INTO sdc_steps VALUES
        (1, '2025-03-01 10:00:00', 't', 'noise', ['x'], '{"alpha": 0.1, "stream": "noise"}', 2000, 2000, 0.09),
        (1, '2025-03-01 10:00:01', 't', 'microaggregate', ['y'], '{"k": 3}', 2000, 1990, 0.01),
        (2, '2025-03-01 10:00:02', 'gone', 'pram_retention', ['sex'], '{"stream": "pram"}', 50, 5, NULL)
"""


@pytest.fixture
def survey(keyed):
    keyed.execute(
        f"CREATE TABLE t AS SELECT range AS id, range * 37 % 101 / 7e0 AS x, range % 89 / 3e0 AS y, "
        f"['f', 'm'][1 + range % 2] AS sex, range % 5 AS region FROM range({N})"
    )
    return keyed


def of(con, table="t"):
    return sdc_sql.Microdata(con, table, id="id", keys=["sex", "region"])


def streams(con, table="t"):
    return [step.stream for step in list_steps(con, table)]


# --- passes


@pytest.mark.slow
def test_a_second_step_on_a_column_takes_the_next_pass(survey):
    data = of(survey)
    assert [data.mask.noise("x", 0.1).stream for _ in range(3)] == ["", "2", "3"]
    assert data.mask.noise("y", 0.1).stream == ""
    assert data.mask.rank_swap("Y", 5).stream == "2"  # by whatever method
    assert data.mask.noise(["y", "x"], 0.1).stream == "6"  # five steps drew on the one or the other
    assert data.mask.microaggregate("x", 3).stream is None
    assert data.mask.round("region", 2).stream is None
    assert data.mask.round("region", 3, at_random=True).stream == ""


@pytest.mark.slow
def test_the_pass_goes_on_along_a_chain_of_copies_and_copies_of_one_source_have_the_same(survey):
    assert of(survey).mask.noise("x", 0.1, into="a").stream == ""
    assert of(survey).mask.noise("x", 0.1, into="a2").stream == ""
    assert survey.execute("SELECT count(*) FROM a JOIN a2 USING (id, x)").fetchall() == [(N,)]
    assert of(survey, "a").mask.noise("x", 0.1, into="b").stream == "2"
    assert of(survey, "a").mask.noise("x", 0.1).stream == "2"
    assert survey.execute("SELECT count(*) FROM a JOIN b USING (id, x)").fetchall() == [(N,)]
    assert of(survey, "b").mask.noise("x", 0.1).stream == "3"
    assert of(survey).mask.noise("x", 0.1).stream == ""  # what was done to the copies was not done to the table
    assert survey.execute("SELECT count(*) FROM t JOIN a2 USING (id, x)").fetchall() == [(N,)]
    # b was made before the second step on a
    assert [(s.source, s.target, s.stream) for s in list_steps(survey, "b")] == [
        ('"memory"."main"."t"', "a", ""), ('"memory"."main"."a"', "b", "2"), ('"memory"."main"."b"', "b", "3"),
    ]  # fmt: skip


@pytest.mark.slow
def test_a_stream_that_is_named_is_taken_as_given_and_never_taken_again(survey):
    data = of(survey)
    assert data.mask.noise("x", 0.1, stream="2").stream == "2"
    assert data.mask.noise("x", 0.1).stream == "3"
    assert data.mask.noise("x", 0.1, stream="3", release="r").stream == "3"
    assert (data.mask.noise("x", 0.1).stream, streams(survey)) == ("4", ["2", "3", "3", "4"])


@pytest.mark.slow
def test_noise_twice_is_the_sum_of_two_independent_ones(survey):
    before = survey.execute("SELECT x FROM t ORDER BY id").fetchnumpy()["x"]
    data = of(survey)
    data.mask.noise("x", 0.1)
    data.mask.noise("x", 0.1)
    after = survey.execute("SELECT x FROM t ORDER BY id").fetchnumpy()["x"]
    # 0.1 and 0.1 of 1.1; the same draw twice would give 0.42. The s.d. of a variance is sqrt(2 / N) of it
    assert np.var(after - before) / np.var(before) == pytest.approx(0.21, rel=4 * np.sqrt(2 / N))


@pytest.mark.slow
def test_pram_twice_is_the_matrix_squared(survey):
    survey.execute("CREATE TABLE before AS FROM t")
    data = of(survey)
    for _ in range(2):
        data.mask.pram("sex", [[0.9, 0.1], [0.1, 0.9]], labels=["f", "m"])
    ((kept,),) = survey.execute("SELECT count(*) FROM t JOIN before USING (id, sex)").fetchall()
    p = 0.9**2 + 0.1**2
    assert abs(kept - p * N) < 4 * np.sqrt(N * p * (1 - p))


CHANGES = ["TRUNCATE t; INSERT INTO t FROM original", "INSERT INTO t SELECT * REPLACE (-1 AS id) FROM t LIMIT 1"]


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("change", CHANGES, ids=["anew", "more"])
def test_a_table_that_was_filled_anew_is_not_silently_drawn_another_time(survey, change):
    survey.execute("CREATE TABLE original AS FROM t")
    of(survey).mask.noise("x", 0.1)
    of(survey).mask.microaggregate("x", 3)
    survey.execute("CREATE TABLE first AS FROM t")
    survey.execute(change)
    before = survey.execute("FROM t ORDER BY id").fetchall()
    for into in (None, "released"):
        with pytest.raises(ParameterError, match=r"x of t has changed since step 2 .*stream=''.*stream='2'"):
            of(survey).mask.noise(["y", "x"], 0.1, into=into)
    assert survey.execute("FROM t ORDER BY id").fetchall() == before
    assert of(survey).mask.noise("y", 0.1).stream == ""
    assert of(survey).mask.noise("x", 0.1, stream="").stream == ""
    if change.startswith("TRUNCATE"):
        of(survey).mask.microaggregate("x", 3)
        assert survey.execute("SELECT count(*) FROM t JOIN first USING (id, x)").fetchall() == [(N,)]
    assert of(survey).mask.noise("x", 0.1).stream == "3"


# --- what stands in a row


@pytest.mark.slow
def test_no_name_needs_quotes_and_the_row_tells_all_that_reproduces_the_step(survey):
    step = of(survey).mask.noise("x", 0.25, lower=0, release="2026", into="released")
    names = ", ".join(FORM)
    (found,) = survey.execute(f"SELECT {names} FROM sdc_steps").fetchall()
    row = dict(zip(FORM, found, strict=True))
    assert (row["step"], row["version"], row["id"], row["method"]) == (1, sdc_sql.__version__, "id", "noise")
    assert (row["source"], row["source_id"], row["source_step"]) == ('"memory"."main"."t"', None, None)
    assert (
        (row["target"], row["release"], row["stream"])
        == ("released", "2026", "")
        == ("released", step.release, step.stream)
    )
    assert (row["records"], row["changed"], row["sse_sst"]) == (N, step.changed, step.sse_sst)
    # the step again, from the row alone
    verb, given = getattr(of(survey).mask, row["method"]), json.loads(row["parameters"])
    assert given.pop("applied")[0]["standard_deviations"][0] > 0
    verb(row["columns"], **given, release=row["release"], stream=row["stream"], into="again")
    assert survey.execute("SELECT count(*) FROM released JOIN again USING (id, x)").fetchall() == [(N,)]


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(("method", "hidden"), [("linear", ["alpha", "applied"]), ("correlated", [])])
def test_what_must_not_be_published_is_marked(survey, method, hidden):
    of(survey).mask.noise(["x", "y"], 0.1, method=method)
    assert survey.execute("SELECT confidential FROM sdc_steps").fetchall() == [(hidden,)]


@pytest.mark.slow
def test_pram_keeps_the_matrix_as_applied_and_the_original_counts(survey):
    counts = dict(survey.execute("SELECT sex, count(*) FROM t GROUP BY sex").fetchall())
    survey.execute("UPDATE t SET sex = NULL WHERE id = 7")
    counts |= {"m": counts["m"] - 1, None: 1}
    rows = [("f", "f", 0.75), ("f", "m", 0.25), ("m", "f", 0.5), ("m", "m", 0.5)]
    survey.execute("""CREATE TABLE matrix ("from" VARCHAR, "to" VARCHAR, probability DOUBLE, remark VARCHAR)""")
    survey.executemany("INSERT INTO matrix VALUES (?, ?, ?, 'mine')", rows)
    data = of(survey)
    data.mask.pram("sex", "matrix", into="a")
    data.mask.pram("sex", [[0.75, 0.25], [0.5, 0.5]], labels=["f", "m"], into="b")
    for matrix, kept, hidden in survey.execute("SELECT matrix, counts, confidential FROM sdc_steps").fetchall():
        assert [tuple(row.values()) for row in json.loads(matrix)] == rows
        assert [list(row) for row in json.loads(matrix)] == [["from", "to", "probability"]] * 4
        assert {row["category"]: row["count"] for row in json.loads(kept)} == counts
        assert hidden == ["matrix", "counts"]
    assert "0.75" not in repr(list_steps(survey, "a"))  # nor is it printed by chance


@pytest.mark.slow
def test_the_counts_of_a_crossing_and_of_strata(survey):
    data = of(survey)
    data.mask.pram_retention(["sex", "region"], 0.5, into="a")
    data.mask.pram_guaranteed(0.8, within=["sex"], into="b")
    data.mask.pram_retention("sex", 0.5, stratum="region", into="c")
    crossing, within, stratum = (
        json.loads(row[0]) for row in survey.execute("SELECT counts FROM sdc_steps ORDER BY step").fetchall()
    )
    expected = survey.execute("SELECT sex, region, count(*) FROM t GROUP BY ALL ORDER BY ALL").fetchall()
    assert sorted((r["category"]["sex"], r["category"]["region"], r["count"]) for r in crossing) == expected
    assert sorted((r["stratum"], r["category"]["region"], r["count"]) for r in within) == expected
    assert sorted((r["category"], r["stratum"], r["count"]) for r in stratum) == expected


@pytest.mark.slow
def test_the_source_may_be_a_view_or_a_file(survey, tmp_path):
    survey.execute(f"CREATE VIEW seen AS FROM t; COPY t TO '{tmp_path / 't.parquet'}'")
    for i, source in enumerate(["seen", f"{tmp_path / 't.parquet'}"]):
        assert of(survey, source).mask.noise("x", 0.1, into=f"a{i}").stream == ""
        assert list_steps(survey, source) == []
    sources = survey.execute("SELECT source FROM sdc_steps ORDER BY step").fetchall()
    assert sources == [('"memory"."main"."seen"',), (f"{tmp_path / 't.parquet'}",)]


# --- the user's own table, and that of version 0.1


@pytest.mark.one_in(4)
@pytest.mark.parametrize("into", [None, "released"])
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("mine", ["TABLE sdc_steps AS SELECT 1 AS mine", "VIEW SDC_Steps AS SELECT 1 AS mine"])
def test_a_table_of_the_users_is_refused_before_anything_is_changed(survey, mine, within, into):
    survey.execute(f"CREATE {mine}")
    before = survey.execute("SELECT * FROM t ORDER BY id").fetchall()
    tables = survey.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()
    if within:
        survey.begin()
    with pytest.raises(TableError, match=r"of yours, with the columns mine.*rename yours first"):
        of(survey).mask.noise("x", 0.1, into=into)
    if within:
        survey.commit()
    assert survey.execute("SELECT * FROM t ORDER BY id").fetchall() == before
    assert survey.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == tables
    assert survey.execute("SELECT mine FROM sdc_steps").fetchall() == [(1,)]


@pytest.mark.slow
def test_a_table_of_version_0_1_is_brought_into_the_present_form(survey):
    survey.execute(FIRST_FORM + ";" + FIRST_ROWS)
    assert [(s.step, s.method, s.stream) for s in list_steps(survey, "t")] == [
        (1, "noise", "noise"),
        (2, "microaggregate", None),
    ]
    assert of(survey).mask.noise("y", 0.1).stream == ""
    rows = survey.execute(
        "SELECT step, version, target, method, stream, records, sse_sst FROM sdc_steps ORDER BY step"
    ).fetchall()
    assert rows[:3] == [
        (1, FIRST, "t", "noise", "noise", 2000, 0.09), (2, FIRST, "t", "microaggregate", None, 2000, 0.01),
        (3, FIRST, "gone", "pram_retention", "pram", 50, None),
    ]  # fmt: skip
    assert rows[3][:4] == (4, sdc_sql.__version__, "t", "noise")
    assert str(survey.execute("SELECT min(masked_at) FROM sdc_steps").fetchone()[0]) == "2025-03-01 10:00:00"
    assert of(survey).mask.noise("y", 0.1).stream == "2"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("into", [None, "released"])
def test_what_version_0_1_drew_is_not_silently_drawn_again(survey, into):
    survey.execute(FIRST_FORM + ";" + FIRST_ROWS)
    before = survey.execute("FROM t ORDER BY id").fetchall()
    for mask in (
        lambda **n: of(survey).mask.noise(["y", "X"], 0.1, **n),
        lambda **n: of(survey).mask.rank_swap("x", 5, **n),
    ):
        with pytest.raises(ParameterError, match=r"Version 0.1 has masked x of t by noise.*release='second'"):
            mask(into=into)
    assert survey.execute("FROM t ORDER BY id").fetchall() == before
    assert survey.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == [("sdc_steps",), ("t",)]
    # what draws nothing, or on another column, or is said to be a second draw
    of(survey).mask.microaggregate("x", 3, into="a")
    of(survey).mask.noise("y", 0.1, into="b")
    assert of(survey).mask.noise("x", 0.1, release="second", into=into).stream == "2"


@pytest.mark.slow
def test_a_second_draw_is_found_by_the_target_and_by_a_copy_of_version_0_1(survey):
    survey.execute(FIRST_FORM + ";" + FIRST_ROWS.replace("'t'", "'released'"))
    with pytest.raises(ParameterError, match="of released by noise"):
        of(survey).mask.noise("x", 0.1, into="Released")
    of(survey).mask.round("y", 1, into="other")
    assert of(survey).mask.noise("x", 0.1, into="again").stream == ""  # nothing tells that it was this table
    survey.execute("CREATE TABLE released AS FROM t")  # the copy that version 0.1 made is still there
    with pytest.raises(ParameterError, match="of released by noise"):
        of(survey).mask.noise("x", 0.1, into="once_more")
    survey.execute("ALTER TABLE released DROP y")  # another table
    assert of(survey).mask.noise("x", 0.1, into="once_more").stream == ""


# --- which table is which


@pytest.mark.slow
def test_steps_of_a_table_that_was_dropped_or_replaced_are_not_its_successors(survey):
    survey.execute("CREATE TABLE original AS FROM t")
    for again in ("DROP TABLE t; CREATE TABLE t AS FROM original", "CREATE OR REPLACE TABLE t AS FROM original"):
        assert of(survey).mask.noise("x", 0.1).stream == ""
        survey.execute("CREATE OR REPLACE TABLE before AS FROM t")
        survey.execute(again)
        assert list_steps(survey, "t") == []
        assert of(survey).mask.noise("x", 0.1).stream == ""
        assert survey.execute("SELECT count(*) FROM t JOIN before USING (id, x)").fetchall() == [(N,)]
        survey.execute("CREATE OR REPLACE TABLE t AS FROM original")


@pytest.mark.slow
def test_steps_of_a_table_that_is_renamed_or_altered_stay_with_it(survey):
    of(survey).mask.noise("x", 0.1)
    survey.execute("ALTER TABLE t ADD COLUMN z INTEGER; ALTER TABLE t RENAME TO u; CREATE TABLE t AS FROM u")
    assert (streams(survey, "u"), streams(survey, "t")) == ([""], [])
    assert of(survey, "u").mask.noise("x", 0.1).stream == "2"


@pytest.mark.slow
def test_a_comment_of_the_users_is_kept(survey):
    survey.execute("COMMENT ON TABLE t IS 'what I say''s \"so\"'")
    of(survey).mask.noise("x", 0.1)
    of(survey).mask.noise("x", 0.1)
    ((comment,),) = survey.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 't'").fetchall()
    mine, mark = comment.split("\n")
    assert mine == 'what I say\'s "so"'
    assert mark == f"[sdc_steps {list_steps(survey, 't')[0].target_id}]"
    survey.begin()
    of(survey).mask.noise("x", 0.1, into="a")
    survey.rollback()
    assert (streams(survey), open_steps(survey)) == (["", "2"], 1)


@pytest.mark.slow
@pytest.mark.one_in(3)
@pytest.mark.parametrize("where", ["temp.t", "apart.t", "other.t", "other.apart.t", '"o.d d"."o.d d"'])
def test_temporary_attached_and_odd_tables(survey, where):
    survey.execute(
        "ATTACH ':memory:' AS other; CREATE SCHEMA other.apart; CREATE SCHEMA apart; CREATE SCHEMA \"o.d d\""
    )
    survey.execute(
        f"ALTER TABLE t RENAME TO original; CREATE {'TEMP' if where == 'temp.t' else ''} TABLE {where} AS FROM original"
    )
    assert [of(survey, where).mask.noise("x", 0.1).stream for _ in range(2)] == ["", "2"]
    # a copy into another place goes on where its source was
    assert of(survey, where).mask.noise("x", 0.1, into="released").stream == "3"
    assert of(survey, "released").mask.noise("x", 0.1, into="temp.last").stream == "4"
    assert streams(survey, "temp.last") == ["", "2", "3", "4"]


@pytest.mark.slow
def test_a_database_that_is_opened_again_or_copied(survey, tmp_path):
    path = tmp_path / "survey.duckdb"
    survey.execute(f"ATTACH '{path}' AS other; CREATE TABLE other.t AS FROM t")
    of(survey, "other.t").mask.noise("x", 0.1)
    survey.execute(
        f"DETACH other; ATTACH '{path}' AS other; ATTACH ':memory:' AS copied; COPY FROM DATABASE other TO copied"
    )
    assert of(survey, "copied.t").mask.noise("x", 0.1).stream == "2"
    assert of(survey, "other.t").mask.noise("x", 0.1, into="released").stream == "2"
    survey.execute("DETACH other; DETACH copied")
    with pytest.raises(TableError, match=r"whose steps are not here.*stream="):
        of(survey, "released").mask.noise("x", 0.1)
    assert of(survey, "released").mask.noise("x", 0.1, stream="3").stream == "3"


# --- several writers


def masks(con, names, outcomes):
    """Return threads that mask one table each, by connections of their own, at the same moment."""
    barrier = threading.Barrier(len(names))

    def mask(name):
        own = con.cursor()
        try:
            sdc_sql.load(own).execute("SET VARIABLE sdc_key = ?", [KEY])
            data = of(own, name)
            barrier.wait(timeout=20)
            outcomes.append(data.mask.noise("x", 0.1).stream)
        except Exception as error:  # noqa: BLE001 - looked at below
            outcomes.append(error)
        finally:
            own.close()

    return [threading.Thread(target=mask, args=(name,), daemon=True) for name in names]


@pytest.mark.slow
@pytest.mark.parametrize("same", [False, True], ids=["each its own", "the same"])
def test_numbers_are_unique_whoever_writes_at_the_same_time(tmp_path, same):
    with duckdb.connect(tmp_path / "survey.duckdb") as con:
        names = ["t0"] * 2 if same else ["t0", "t1"]
        for name in set(names):
            con.execute(
                f"CREATE TABLE {name} AS SELECT range AS id, range / 3e0 AS x, 'f' AS sex, 1 AS region FROM range(50)"
            )
        outcomes: list[object] = []
        for _ in range(2):  # the very first use, and a later one
            threads = masks(con, names, outcomes)
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(timeout=60)
        assert not [o for o in outcomes if isinstance(o, Exception)], outcomes
        numbers = [n for (n,) in con.execute("SELECT step FROM sdc_steps").fetchall()]
        assert len(numbers) == len(set(numbers)) == 2 * len(names)
        assert sorted(outcomes) == (["", "2", "3", "4"] if same else ["", "", "2", "2"])


@pytest.mark.slow
def test_the_first_use_in_two_transactions_of_the_users_is_an_error_of_ours(tmp_path):
    with duckdb.connect(tmp_path / "survey.duckdb") as con, con.cursor() as other:
        for name in "tu":
            con.execute(
                f"CREATE TABLE {name} AS SELECT range AS id, range / 3e0 AS x, 'f' AS sex, 1 AS region FROM range(50)"
            )
        for own in (con, other):
            sdc_sql.load(own).execute("SET VARIABLE sdc_key = ?", [KEY])
            own.begin()
        of(con).mask.noise("x", 0.1)
        with pytest.raises(TableError, match="Another connection is changing"):
            of(other, "u").mask.noise("x", 0.1)
        other.rollback()
        con.commit()
        assert of(other, "u").mask.noise("x", 0.1).stream == ""
        assert con.execute("SELECT list(step ORDER BY step) FROM sdc_steps").fetchall() == [([1, 2],)]


# --- from the command line


@pytest.mark.slow
def test_the_command_line_counts_passes_and_takes_stream_and_release(survey, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDC_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    survey.execute("ATTACH 'survey.duckdb' AS other; CREATE TABLE other.t AS FROM t; DETACH other")
    call = ["mask", "noise", "survey.duckdb", "--id", "id", "--columns", "x", "--alpha", "0.1"]
    done = []
    for more in ([], [], ["--release", "r"], ["--stream", "mine"], ["--into", "u"]):
        assert main([*call, "--json", "--table", "t", *more]) == 0
        done += [(s["release"], s["stream"]) for s in json.loads(capsys.readouterr().out)]
    assert done == [("", ""), ("", "2"), ("r", "3"), ("", "mine"), ("", "5")]
    monkeypatch.setenv("SDC_KEY", "password" * 4)
    assert main([*call, "--table", "t"]) == 2
    told = capsys.readouterr().err
    assert "can be guessed" in told
    assert "password" not in told
