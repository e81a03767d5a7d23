"""Who waits for a later release of a series: all steps agree, nothing of him is shown, and he is counted."""

from __future__ import annotations

import json
import re

import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import SeriesError
from tests.series_world import KEY

pytestmark = pytest.mark.slow  # whole releases, one after another


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("""
            CREATE TABLE t AS SELECT i AS id, 'a' || i % 5 AS a, 'b' || i % 7 AS b, i * 1.5 AS x, i % 2 AS s, i AS n
            FROM range(60) r(i)""")
        yield con


def release(con, folder, name: str, after: str = "", table: str = "t", **given) -> sdc_sql.Series:
    """Mask by four steps, two of which may let records wait; the copy is made by the first."""
    with sdc_sql.Series(folder / "l", "p", name, after=after, **given) as series:
        data = sdc_sql.Microdata(con, table, id="id", series=series)
        data.mask.noise("n", standard_deviation=5, into=name)
        data = sdc_sql.Microdata(con, name, id="id", series=series)
        data.mask.microaggregate("x", 3, stratum="s")
        data.mask.pram_guaranteed(0.8, keys=["a", "b"])
        data.mask.round("n", 2)
    return series


def read(con, name: str) -> dict[int, tuple]:
    return {row[0]: row[1:] for row in con.execute(f'FROM "{name}"').fetchall()}


def test_all_steps_leave_out_the_same_records(con, tmp_path):
    """One waits by his stratum, which leaves the other alone in his batch: both wait, of all steps, and come later."""
    one = release(con, tmp_path, "one")
    con.execute("INSERT INTO t VALUES (100, 'a1', 'b9', 7.5, 5, 100), (101, 'a9', 'b1', 7.5, 1, 101)")
    two = release(con, tmp_path, "two", one.head)
    assert two.counts["waiting"] == 2
    assert read(con, "two") == read(con, "one")
    con.execute("INSERT INTO t VALUES (102, 'a9', 'b3', 7.5, 0, 102)")
    three = release(con, tmp_path, "three", two.head)
    assert three.counts["waiting"] == 1
    assert set(read(con, "three")) == {*read(con, "one"), 101, 102}
    before = read(con, "two"), read(con, "three")
    con.execute("DROP TABLE two; DROP TABLE three")
    assert release(con, tmp_path, "three", two.head).head == three.head
    con.execute("DELETE FROM t WHERE id = 102")
    assert release(con, tmp_path, "two", one.head).head == two.head
    assert (read(con, "two"), read(con, "three")) == before


def test_one_who_changed_waits_and_is_no_stranger_when_he_is_back(con, tmp_path):
    one = release(con, tmp_path, "one")
    con.execute("UPDATE t SET a = 'new' WHERE id = 3")
    two = release(con, tmp_path, "two", one.head)
    assert set(read(con, "one")) - set(read(con, "two")) == {3}
    con.execute("UPDATE t SET a = 'a3' WHERE id = 3")
    release(con, tmp_path, "three", two.head)
    assert read(con, "three") == read(con, "one")


def test_in_place_and_erased(con, tmp_path):
    """In place who waits leaves the table; whoever is erased is forgotten as one who waited too."""
    one = release(con, tmp_path, "one")
    con.execute("INSERT INTO t VALUES (100, 'a1', 'b9', 7.5, 0, 100); CREATE TABLE u AS FROM t")
    with sdc_sql.Series(tmp_path / "l", "p", "two", after=one.head) as series:
        data = sdc_sql.Microdata(con, "u", id="id", series=series)
        step = data.mask.noise("n", standard_deviation=5)
        assert (step.records, con.execute("SELECT count(*) FROM u WHERE id = 100").fetchall()) == (60, [(0,)])
        data.mask.microaggregate("x", 3, stratum="s")
        step = data.mask.pram_guaranteed(0.8, keys=["a", "b"])
        shown = [v[:2] != (f"a{i % 5}", f"b{i % 7}") for i, v in read(con, "one").items()]
        assert (step.records, step.changed) == (60, sum(shown))
        data.mask.round("n", 2)
    assert read(con, "u") == read(con, "one")
    assert sdc_sql.Series(tmp_path / "l", "p", "x").erase(con, [100]) == 1
    with pytest.raises(SeriesError, match="erased since"):
        release(con, tmp_path, "two", one.head)


def test_a_step_behind_another_one_of_the_same_columns_is_no_surprise(con, tmp_path):
    """Who waits by values that an earlier step makes is not foreseen: an error, before anything is shown."""
    head = ""
    for name in ("one", "two"):
        series = sdc_sql.Series(tmp_path / "l", "p", name, after=head)
        data = sdc_sql.Microdata(con, "t", id="id", series=series)
        data.mask.recode("a", keep_first=2, into=name)
        data = sdc_sql.Microdata(con, name, id="id", series=series)
        if head:
            with pytest.raises(SeriesError, match="come first, or leave them out"):
                data.mask.pram_guaranteed(0.8, keys=["a", "b"])
            break
        data.mask.pram_guaranteed(0.8, keys=["a", "b"])
        series.record()
        head = series.head
        con.execute("INSERT INTO t VALUES (100, 'a1', 'b9', 7.5, 0, 100)")


FILE = """
release = "{name}"
[source]
path = "{name}.parquet"
[roles]
id = "id"
released_as_collected = ["x", "s", "n"]
[[scenarios]]
name = "neighbour"
keys = ["a", "b"]
limits = ["k_anonymity.2.records <= 60"]
[[steps]]
mask = "pram_guaranteed"
keys = ["a", "b"]
xi = 0.8
[series]
ledger = "s.ledger"
name = "persons"
{after}
[output]
path = "{name}.csv"
ids = "keep"
certificate = "{name}.json"
report = "{name}.md"
[loss]
limits = ["margin_distance.mean <= 1e9"]
"""


def test_release_files_and_the_command_count_who_waits(con, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDC_KEY", KEY)
    con.execute(f"COPY t TO '{tmp_path}/one.parquet'")
    con.execute(f"INSERT INTO t VALUES (100, 'a1', 'b9', 7.5, 5, 100); COPY t TO '{tmp_path}/two.parquet'")
    told: list[str] = []
    for name, after in (("one", ""), ("two", 'after = "one.json"')):
        path = tmp_path / f"{name}.toml"
        path.write_text(FILE.format(name=name, after=after).partition("[loss]")[0])
        outcome = sdc_sql.run_release(path, progress=told.append)
        assert outcome.accepted, outcome.reasons
    assert "records wait or go on otherwise: the internal report counts them" in told
    assert not any("wait" in line and "1" in line for line in told)
    assert json.loads((tmp_path / "two.json").read_text())["series"]["waiting"] == 1
    assert (tmp_path / "two.csv").read_bytes() == (tmp_path / "one.csv").read_bytes()
    assert "They wait for a later release" in (tmp_path / "two.md").read_text()
    found = sdc_sql.verify(tmp_path / "two.json", tmp_path / "two.csv", release=tmp_path / "two.toml")
    assert found.holds, found
    heads = [""]
    for name, counted in (("one", False), ("two", False), ("two", True)):
        head = heads[name == "two"]
        code = main([
            "mask", "pram_guaranteed", f"{tmp_path}/{name}.parquet", "--id", "id", "--columns", "a,b", "--xi", "0.8",
            "--output", f"{tmp_path}/{name} {counted}.parquet", "--ledger", f"{tmp_path}/c", "--series", "c",
            "--series-release", name, *(["--after", head] if head else []),
            *(["--series-counts", str(tmp_path / "counts.json")] if counted else []),
        ])  # fmt: skip
        said = capsys.readouterr().err
        assert code in {0, None}, said
        heads.append(said.split("--after ")[1].split()[0])
        assert ("records wait or go on otherwise" in said) == (name == "two" and not counted)
    assert json.loads((tmp_path / "counts.json").read_text())["waiting"] == 1


def test_no_error_says_how_many_wait_came_or_were_away(con, tmp_path):
    """Errors stand in logs that others read: the numbers are in the counts of the series, the house's own."""
    one = release(con, tmp_path, "one")
    con.execute("CREATE TABLE u AS SELECT * REPLACE (id + 1000 AS id) FROM t WHERE id < 47")
    con.execute("CREATE TABLE v AS FROM t WHERE id >= 13")
    two = release(con, tmp_path, "two", one.head, "v")
    for table, after, said, counted in (
        ("u", two.head, "More of the ids are new than most_new", {"records": 47, "new": 47, "returning": 0}),
        ("t", two.head, "Ids had left the series and are back", {"records": 60, "new": 0, "returning": 13}),
    ):
        series = sdc_sql.Series(tmp_path / "l", "p", "three", after=after)
        with pytest.raises(SeriesError, match=said) as told:
            sdc_sql.Microdata(con, table, id="id", series=series).mask.noise("n", standard_deviation=5, into="z")
        assert not {str(n) for n in counted.values() if n} & set(re.findall(r"\d+", str(told.value)))
        assert series.counts == counted


def test_nor_who_waits_where_it_is_seen_too_late(con, tmp_path):
    """The stratum of one step is masked by the one before: who comes there has no average, and it is seen only then."""

    def mask(name: str, after: str) -> str:
        with sdc_sql.Series(tmp_path / "l", "p", name, after=after) as series:
            sdc_sql.Microdata(con, "t", id="id", series=series).mask.round("s", 1, into=name)
            sdc_sql.Microdata(con, name, id="id", series=series).mask.microaggregate("x", 3, stratum="s")
        return series.head

    head = mask("one", "")
    con.execute("INSERT INTO t SELECT 100 + i, 'a', 'b', 7.5, 5, 100 FROM range(11) r(i)")
    with pytest.raises(SeriesError, match=r"^Some records have to wait for a later release") as told:
        mask("two", head)
    assert "11" not in str(told.value)


def test_a_later_release_logs_no_counts_of_the_whole_file(con, tmp_path):
    """Guaranteed PRAM draws a batch by its own counts; those of the whole file are of the first, which is one batch."""
    logged, head = [], ""
    for name in ("one", "two"):
        with sdc_sql.Series(tmp_path / "l", "p", name, after=head) as series:
            data = sdc_sql.Microdata(con, "t", id="id", series=series)
            data.mask.pram_guaranteed(0.8, keys=["a", "b"], into=name)
        head = series.head
        logged += con.execute("SELECT counts FROM sdc_steps ORDER BY step DESC LIMIT 1").fetchall()
        con.execute("INSERT INTO t SELECT 100 + i, 'a' || i % 5, 'b' || i % 7, 1, 0, 1 FROM range(9) r(i)")
    (first,), (later,) = logged
    assert sum(cell["count"] for cell in json.loads(first)) == 60
    assert later is None
    told = sdc_sql.Microdata(con, "two", keys=["a", "b"]).after_pram()
    assert "in a later release of a series records are drawn by batches" in told
