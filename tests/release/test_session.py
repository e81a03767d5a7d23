"""A session's steps: listed, undone, and written as a release file that gives the same content."""

from __future__ import annotations

import json
import stat
import tomllib

import duckdb
import pytest
from decided import decided

import sdc_sql
from sdc_sql import InputError, Microdata, ParameterError, TableError, run_release
from sdc_sql.session import toml

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
ROWS = """
    SELECT range AS id, range % 20 AS a, 'x' || range % 3 AS b, range % 5 AS c, (range * 7919 % 1000) / 3.0 AS x,
           range * 1.0 AS y, CASE WHEN range % 11 > 0 THEN range % 7 END AS "Select", '0' || (range % 40 + 100) AS f,
           'l' || range % 4 AS "it's", DATE '2000-01-01' + range::INTEGER AS born, range * 0.5 AS z,
           'N' || range AS name
    FROM range(200)
"""
# Each takes a session on: all that a log can tell is written, and read again.
METHODS = [
    lambda d: d.mask.drop_identifiers("name"),
    lambda d: d.mask.recode("f", keep_first=2),
    lambda d: d.mask.recode("born", period="month"),
    lambda d: d.mask.recode("a", breaks=[0, 5, 10, 15], ends="open", labels=["under", "a", "b", "c", "over"]),
    lambda d: d.mask.recode("it's", mapping={"l0": 'one "two"\n', "l1": "ü"}, others="label", label="r"),
    lambda d: d.mask.recode("c", mapping={0: 1, 1: 2}, others="keep"),
    lambda d: d.mask.top_bottom_code("y", "value", top=150, replacement="mean"),
    lambda d: d.mask.round("y", 5, at_random=True),
    lambda d: d.where("b = 'x1'").mask.multiplicative_noise("x", 0.05),
    lambda d: d.mask.noise(["x", "z"], 0.1, method="linear", release="second"),
    lambda d: d.mask.noise("x", standard_deviation=0.25, lower=-50.5),
    lambda d: d.mask.rank_swap("z", correlation=0.9, stratum="b"),
    lambda d: d.mask.data_swap(["z", "a"], 0.2, different=["b"]),
    lambda d: d.mask.record_swap(
        "it's", 0.3, household="id", risk_keys=["c"], k=4, profiles=[["b"], ["c"]], carry_along=["a"]
    ),
    lambda d: d.mask.resample("y", 3),
    lambda d: d.mask.microaggregate(["x", "z"], 3, method="vmdav"),
    lambda d: d.mask.pram("b", [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]], labels=["x0", "x1", "x2"]),
    lambda d: d.mask.pram("b", "of b"),
    lambda d: d.mask.pram_retention("b", 0.9),
    lambda d: d.mask.pram_guaranteed(0.8, keys=["b"]),
    lambda d: d.mask.microaggregate_categorical("c", 3),
    lambda d: d.mask.suppress_combinations(3, keys=["a", "b"], dimension=2),
    lambda d: d.mask.local_suppression(
        3, keys=["a", "b"], ghosts={"a": ["f"]}, importance={"a": 2}, max_share={"a": 0.9}, subset="x > 10"
    ),
]  # fmt: skip


@pytest.fixture
def raw(tmp_path):
    path = tmp_path / "raw.parquet"
    duckdb.sql(f"COPY ({ROWS}) TO '{path}'")
    return path


@pytest.fixture
def keyed(monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        yield con


def session(con, source, methods, into="k"):
    """Return a table after these methods, the first of which makes the copy."""
    con.execute(
        """CREATE TABLE "of b" AS SELECT f AS "from", t AS "to", CASE WHEN f = t THEN 0.75 ELSE 0.125 END AS probability
           FROM (VALUES ('x0'), ('x1'), ('x2')) AS a(f), (VALUES ('x0'), ('x1'), ('x2')) AS b(t)"""
    )
    con.execute(f"CREATE TABLE {into} AS FROM '{source}' LIMIT 0; DROP TABLE {into}")
    Microdata(con, str(source), id="id").mask.round("Select", 2, into=into)
    data = Microdata(con, into, keys=["a", "b"], id="id")
    for method in methods:
        method(data)
    return data


@pytest.mark.slow
@pytest.mark.parametrize("methods", [METHODS[4:15:5], METHODS])
def test_the_release_file_of_a_session_gives_its_content(keyed, raw, tmp_path, methods):
    data = session(keyed, raw, methods)
    file = decided(data.to_release_file(tmp_path / "release.toml", limits=["k_anonymity.2.records <= 1000"]))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert KEY not in file.read_text()
    with duckdb.connect() as con:
        outcome = run_release(file, con, write=False)
        assert [s.method for s in outcome.steps] == [s.method for s in data.steps]
        assert [s.stream for s in outcome.steps] == [s.stream for s in data.steps]
        assert outcome.released.risk.content_digest() == data.risk.content_digest()
        assert outcome.accepted
    said = tomllib.loads(file.read_text())
    assert said["source"] == {"path": "raw.parquet"}
    with pytest.raises(TableError, match="already"):
        data.to_release_file(file)


@pytest.mark.slow
def test_undo_is_the_table_without_its_last_step(keyed, raw):
    states = []
    data = session(keyed, raw, [])
    for method in [METHODS[0], METHODS[3], METHODS[8]]:
        states.append((data.risk.content_digest(), [s.method for s in data.steps]))
        method(data)
    ((mark,),) = keyed.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'k'").fetchall()
    keyed.execute(f"COMMENT ON TABLE k IS 'mine\n{mark}'")
    for digest, methods in reversed(states):
        undone = data.undo()
        assert (data.risk.content_digest(), [s.method for s in data.steps]) == (digest, methods), undone.method
    assert data.undo().method == "round"
    assert data.steps == []
    assert data.risk.content_digest() == Microdata(keyed, str(raw)).risk.content_digest()
    assert keyed.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'k'").fetchall() == [("mine",)]
    with pytest.raises(ParameterError, match="nothing to undo"):
        data.undo()


def everything(con, table="k"):
    return (
        con.execute(f"FROM {table} ORDER BY id").fetchall(),
        con.execute("FROM sdc_steps ORDER BY step").fetchall(),
        con.execute("SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY ALL").fetchall(),
    )


def refused(con, data, words, within=False):
    """Assert that a step is not undone, and nothing is changed."""
    before = everything(con)
    if within:
        con.begin()
    with pytest.raises(InputError, match=words):
        data.undo()
    assert everything(con) == before
    if within:
        con.commit()
        assert everything(con) == before


@pytest.mark.slow
def test_what_cannot_be_undone_says_why(keyed, raw):
    data = session(keyed, raw, [lambda d: d.mask.noise("x", 0.1), lambda d: d.mask.recode("f", keep_first=2)])
    keyed.execute("UPDATE k SET f = 'mine' WHERE id = 3")
    refused(keyed, data, "f of .* has changed since Step 3")
    keyed.execute("UPDATE k SET f = '01' WHERE id = 3")
    keyed.execute("UPDATE k SET c = 99 WHERE id = 3")
    refused(keyed, data, "c of .* no step has masked", within=True)
    keyed.execute("UPDATE k SET c = 3 WHERE id = 3")
    keyed.execute("CREATE INDEX i ON k (b)")
    refused(keyed, data, "index")
    keyed.execute("DROP INDEX i")
    keyed.execute("SET VARIABLE sdc_key = 'another-key-qWc3NhGu7JbSaEo9iRtM1xk4UxT0fQmXr2'")
    refused(keyed, data, "noise of x.*secret key", within=True)
    keyed.execute("SET VARIABLE sdc_key = ?", [KEY])
    raw.rename(raw.with_suffix(".gone"))
    refused(keyed, data, "no file .*raw.parquet")
    raw.with_suffix(".gone").rename(raw)
    assert data.undo().method == "recode_keep_first"


@pytest.mark.slow
def test_steps_of_an_earlier_version_name_it(keyed, raw):
    data = session(keyed, raw, [lambda d: d.mask.noise("x", standard_deviation=1), lambda d: d.mask.round("y", 5)])
    keyed.execute("UPDATE sdc_steps SET version = '0.1.9'")
    refused(keyed, data, r"noise_absolute of x\) was made by version 0\.1\.9, and .*sdc-sql==0\.1\.9")
    with pytest.raises(ParameterError, match=r"version 0\.1\.9"):
        data.to_release_file(raw.with_name("r.toml"))


@pytest.mark.slow
def test_a_table_masked_in_place_has_no_original(keyed, raw):
    keyed.execute(f"CREATE TABLE k AS FROM '{raw}'")
    data = Microdata(keyed, "k", keys=["a"], id="id")
    data.mask.recode("f", keep_first=2)
    refused(keyed, data, "masked in place.*to_release_file")
    with pytest.raises(TableError, match="Give source="):
        data.to_release_file(raw.with_name("r.toml"))
    file = decided(data.to_release_file(raw.with_name("r.toml"), source=raw))
    with duckdb.connect() as con:
        assert run_release(file, con, write=False).released.risk.content_digest() == data.risk.content_digest()
    data.mask.recode("f", keep_first=1, into="later")
    keyed.execute("DROP TABLE k; CREATE TABLE k AS SELECT 1 AS id")
    with pytest.raises(TableError):
        Microdata(keyed, "later", id="id").undo()


@pytest.mark.slow
def test_what_the_log_does_not_hold_is_named(keyed, raw):
    keyed.execute("CREATE TABLE m AS FROM (VALUES ('l0', 'x')) AS t(\"from\", \"to\")")
    levels = sdc_sql.tree_hierarchy({"all": ["0", "1", "2", "3", "4"]})
    keyed.execute(f"CREATE TABLE t AS SELECT * REPLACE (c::VARCHAR AS c) FROM '{raw}'")
    Microdata(keyed, "t", id="id").mask.recode("c", hierarchy=levels, into="k")
    data = Microdata(keyed, "k", keys=["a"], id="id")
    data.mask.recode("it's", mapping="m", others="keep")
    data.mask.noise(["x", "y"], 0.1, lower=[None, 0])
    with pytest.raises(ParameterError, match=r"(?s)recode_level.*hierarchy.*Python object.*mapping is m.*lower.*NULL"):
        data.to_release_file(raw.with_name("r.toml"), source=raw)
    assert not raw.with_name("r.toml").exists()
    refused(keyed, data, "hierarchy was given as a Python object")


@pytest.mark.slow
def test_a_table_of_a_database_file_is_its_source(raw, tmp_path):
    with duckdb.connect(tmp_path / "x.duckdb") as con:
        con.execute(f'CREATE SCHEMA "a b"; CREATE TABLE "a b".t AS FROM \'{raw}\'')
        Microdata(con, '"a b".t', id="id").mask.recode("f", keep_first=2, into="k")
        data = Microdata(con, "k", keys=["a"], id="id")
        file = data.to_release_file(tmp_path / "r.toml", limits="k_anonymity.2.records <= 1000")
        expected = data.risk.content_digest()
    decided(file)
    with duckdb.connect() as con:
        assert run_release(file, con, write=False).released.risk.content_digest() == expected


@pytest.mark.parametrize(
    "given",
    ["", 'a "b" \\ c', "line\nbreak\r\t\x00\x1f\x7f", "ünïcødé 😀 \u2028", 0, -3, 1e300, 0.1, True, [1, [2.5, "x"]],
     {"a.b": {"c d": []}, "": 'x"y', "ü\n": False}],
)  # fmt: skip
def test_toml_is_read_as_it_was_written(given):
    assert tomllib.loads(toml.format_line('a "key"\n', given, "said\nof\rit\x00")) == {'a "key"\n': given}


@pytest.mark.parametrize("given", [None, float("nan"), float("inf"), [None], {1: 2}, object()])
def test_what_toml_has_not_is_refused(given):
    with pytest.raises(ParameterError, match="TOML"):
        toml.format_line("a", given)


@pytest.mark.slow
def test_steps_are_those_of_the_log(keyed, raw):
    data = session(keyed, raw, METHODS[:2])
    numbers = [n for (n,) in keyed.execute("SELECT step FROM sdc_steps ORDER BY step").fetchall()]
    assert [s.step for s in data.steps] == numbers
    assert json.loads(data.where("b = 'x1'").steps[0].parameters) == {"base": 2}
    assert Microdata(keyed, str(raw)).steps == []
