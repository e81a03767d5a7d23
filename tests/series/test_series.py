"""A series of releases: what its ledger refuses, what it gives again, and that nothing else is told by two releases."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.errors import MissingPackageError, ParameterError, SeriesError

if TYPE_CHECKING:
    from pathlib import Path

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 60


@pytest.fixture
def con(connect):
    """Return a connection with a table in three months: one changes in the second, some come and leave."""
    rng = np.random.default_rng(7)
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table({
            "id": np.arange(N), "income": rng.lognormal(7.5, 0.6, N).astype(int), "age": rng.integers(18, 90, N),
            "sex": rng.choice(["f", "m"], N),
        }))  # fmt: skip
        con.execute("""
            CREATE TABLE first AS FROM made WHERE id < 50;
            CREATE TABLE second AS SELECT * REPLACE (CASE id WHEN 9 THEN 2 * income ELSE income END AS income) FROM made
                WHERE id BETWEEN 5 AND 52;
            CREATE TABLE third AS FROM made WHERE id BETWEEN 3 AND 55;
        """)
        con.unregister("made")
        yield con


def open_series(folder: Path, release: str, after: str = "", **given) -> sdc_sql.Series:
    return sdc_sql.Series(folder / "s.ledger", "persons", release, after=after, **given)


def mask(con, series, table: str, into: str | None = None, columns="income", **given):
    data = sdc_sql.Microdata(con, table, id="id", series=series)
    return data.mask.noise(columns, standard_deviation=100, into=into or f"{series.release}", **given)


def release(con, folder: Path, name: str, table: str, after: str = "", **given) -> str:
    with open_series(folder, name, after, **given) as series:
        mask(con, series, table, name)
    return series.head


def read(con, table: str) -> dict[int, int]:
    return dict(con.execute(f'SELECT id, income FROM "{table}"').fetchall())


def test_who_did_not_change_is_released_as_before(con, tmp_path):
    head = release(con, tmp_path, "one", "first")
    release(con, tmp_path, "two", "second", head)
    one, two = read(con, "one"), read(con, "two")
    assert {i for i in one if i in two and one[i] != two[i]} == {9}


def test_the_chain(con, tmp_path):
    """A ledger that ends elsewhere: older, of another way, lost, none named; each refusal tells which."""
    ledger, copy = tmp_path / "s.ledger", tmp_path / "copy"
    one = release(con, tmp_path, "one", "first")
    shutil.copy(ledger, copy)
    two = release(con, tmp_path, "two", "second", one)
    assert len({"", one, two}) == 3
    for after, said in (
        (one, "goes on after that"),
        ("", "say which was the last"),
        ("ab", "older"),
    ):
        with pytest.raises(SeriesError, match=said):
            release(con, tmp_path, "three", "second", after)
    shutil.copy(copy, ledger)
    with pytest.raises(SeriesError, match="older copy, or went another way"):
        release(con, tmp_path, "three", "second", two)
    other = release(con, tmp_path, "the other two", "second", one)  # a fork: its head is no other's
    with pytest.raises(SeriesError, match="went another way"):
        release(con, tmp_path, "three", "second", two)
    assert other != two
    ledger.unlink()
    with pytest.raises(SeriesError, match="There is no ledger"):
        release(con, tmp_path, "three", "second", two)


@pytest.mark.slow
def test_a_recorded_release_gives_its_bits_again(con, tmp_path):
    one = release(con, tmp_path, "one", "first")
    release(con, tmp_path, "two", "second", one)
    for name, table, after in (("one", "first", ""), ("two", "second", one)):
        before, written = read(con, name), (tmp_path / "s.ledger").read_bytes()
        con.execute(f'DROP TABLE "{name}"')
        release(con, tmp_path, name, table, after)
        assert (read(con, name), (tmp_path / "s.ledger").read_bytes()) == (before, written)
    with pytest.raises(SeriesError, match="was of another table"):
        release(con, tmp_path, "two", "first", one)
    with pytest.raises(SeriesError, match="after another one"):
        release(con, tmp_path, "two", "second", "")


@pytest.mark.slow
def test_another_key_another_series_and_a_changed_byte(con, tmp_path):
    one = release(con, tmp_path, "one", "first")
    ledger = tmp_path / "s.ledger"
    whole = ledger.read_bytes()
    for place in (20, len(whole) // 2, len(whole) - 1):
        changed = bytearray(whole)
        changed[place] ^= 1
        ledger.write_bytes(changed)
        with pytest.raises(SeriesError, match=r"no ledger|another secret key|format"):
            release(con, tmp_path, "two", "second", one)
    ledger.write_bytes(whole[:-30])
    with pytest.raises(SeriesError, match="another secret key"):
        release(con, tmp_path, "two", "second", one)
    ledger.write_bytes(whole)
    with (
        pytest.raises(SeriesError, match="another series"),
        sdc_sql.Series(ledger, "firms", "two", after=one) as series,
    ):
        mask(con, series, "second")
    con.execute("SET VARIABLE sdc_key = ?", [KEY[::-1]])
    with pytest.raises(SeriesError, match="another secret key"):
        release(con, tmp_path, "two", "second", one)


def test_no_original_and_no_id_stands_in_the_ledger(con, tmp_path):
    """Encrypted nothing is seen; else no id, value or key stands there, and a changed byte is missed."""
    con.execute("CREATE TABLE texts AS SELECT 'person number ' || id AS id, income + 123456789 AS income FROM first")
    for encrypted, folder in ((True, tmp_path / "a"), (False, tmp_path / "b")):
        folder.mkdir()
        release(con, folder, f"of {folder.name}", "texts", disk_encrypted=not encrypted)
        content = (folder / "s.ledger").read_bytes()
        assert (b'"releases": [' in content) is not encrypted
        assert not any(part in content for part in (b"person number", b"1234", KEY.encode()))
        assert (folder / "s.ledger").stat().st_mode & 0o77 == 0
        (folder / "s.ledger").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(SeriesError, match="was changed"):
            release(con, folder, "next", "texts", "00", disk_encrypted=not encrypted)


def test_a_step_is_that_of_the_releases_before(con, tmp_path):
    one = release(con, tmp_path, "one", "first")
    wrong = (
        (lambda d: d.mask.noise("income", standard_deviation=50, into="x"), "standard_deviation"),
        (lambda d: d.mask.noise("age", standard_deviation=100, into="x"), "columns is age, not income"),
        (lambda d: d.mask.noise("income", standard_deviation=100, release="other", into="x"), "release"),
        (lambda d: d.mask.round("income", 100, into="x"), "method is round, not noise_absolute"),
    )
    for masks, said in wrong:
        series = open_series(tmp_path, "two", one)
        with pytest.raises(SeriesError, match=said):
            masks(sdc_sql.Microdata(con, "second", id="id", series=series))
    with open_series(tmp_path, "two", one) as series:
        mask(con, series, "second")
        with pytest.raises(SeriesError, match="step 2 of this release"):
            sdc_sql.Microdata(con, "two", id="id", series=series).mask.round("age", 5)
    with pytest.raises(SeriesError, match="is recorded"):
        mask(con, series, "second", "y")


@pytest.mark.slow
def test_a_release_that_lacks_a_step_is_not_recorded(con, tmp_path):
    def both(series, table, steps=2):
        mask(con, series, table)
        data = sdc_sql.Microdata(con, series.release, id="id", series=series)
        if steps == 2:
            data.mask.round("age", 5)

    with open_series(tmp_path, "one") as one:
        both(one, "first")
    with (
        pytest.raises(SeriesError, match="lacks step 2 of the releases before, round of age"),
        open_series(tmp_path, "two", one.head) as two,
    ):
        both(two, "second", steps=1)
    assert not two.recorded
    with pytest.raises(SeriesError, match="Nothing was masked"), open_series(tmp_path, "two", one.head):
        pass


@pytest.mark.slow
def test_tables_that_a_step_reads_are_held_by_what_they_hold(con, tmp_path):
    """A matrix of the same name with other probabilities is another matrix."""

    def pram(series, table, into, matrix):
        sdc_sql.Microdata(con, table, id="id", series=series).mask.pram("sex", matrix, labels=["f", "m"], into=into)

    with open_series(tmp_path, "one") as one:
        pram(one, "first", "one", [[0.9, 0.1], [0.2, 0.8]])
    with (
        pytest.raises(SeriesError, match=r"arguments differ \(matrix\)"),
        open_series(tmp_path, "two", one.head) as two,
    ):
        pram(two, "second", "two", [[0.9, 0.1], [0.3, 0.7]])
    with open_series(tmp_path, "two", one.head) as two:
        pram(two, "second", "two", [[0.9, 0.1], [0.2, 0.8]])
    differ = con.execute("SELECT count(*) FROM one JOIN two USING (id) WHERE one.sex <> two.sex").fetchone()
    assert differ == (0,)


@pytest.mark.slow
def test_ids(con, tmp_path):
    """Numbered anew, returning, erased after a time, erased by name."""
    one = release(con, tmp_path, "one", "first")
    con.execute("CREATE TABLE renumbered AS SELECT * REPLACE (id + 1000 AS id) FROM second")
    with pytest.raises(SeriesError, match=r"More of the ids are new than most_new = 0\.5"):
        release(con, tmp_path, "two", "renumbered", one)
    two = release(con, tmp_path, "two", "second", one)
    with pytest.raises(SeriesError, match=r"^Ids had left the series and are back"):
        release(con, tmp_path, "three", "third", two)
    three = release(con, tmp_path, "three", "third", two, returning=True)
    assert all(read(con, "three")[i] == read(con, "one")[i] for i in (3, 4))
    assert open_series(tmp_path, "no matter").erase(con, [0, 1, 777]) == 2
    with open_series(tmp_path, "four", three, forget_after=1) as four:
        mask(con, four, "third")
    assert four.counts["erased"] == 1  # id 2 left after the first release; 0 and 1 are erased already


@pytest.mark.slow
@pytest.mark.whole
def test_a_release_of_persons_who_were_erased_is_not_repeated(con, tmp_path):
    """What was kept of them is gone: they would have other values. A release after they had left is repeated."""
    one = release(con, tmp_path, "one", "first")
    two = release(con, tmp_path, "two", "second", one)
    con.execute("DROP TABLE one")
    assert release(con, tmp_path, "one", "first") == one
    assert open_series(tmp_path, "no matter").erase(con, [2]) == 1  # he is in the first alone
    con.execute("DROP TABLE one; DROP TABLE two")
    assert release(con, tmp_path, "two", "second", one) == two
    with pytest.raises(SeriesError, match="persons of it have been erased since"):
        release(con, tmp_path, "one", "first")


def test_each_mask_that_is_not_for_a_series_is_refused_with_its_reason():
    """The word of each header is given with its reason wherever it refuses."""
    for d in read_catalogue():
        if d.is_step and "refused" in {d.effect.series.kind, d.effect.series.otherwise}:
            assert d.effect.series.reason, d.name


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda d: d.mask.data_shuffling("income", ["age"], into="x"), "difference of two releases' sets"),
        (lambda d: d.mask.local_suppression(3, keys=["age", "sex"], max_share=0.5), "newcomers alone"),
        (lambda d: d.mask.suppress_combinations(2, keys=["age", "sex"], guarantee="wildcard"), "hangs on all records"),
        (lambda d: d.mask.sample(fraction=0.5, into="x"), "would not stay drawn"),
        (lambda d: d.mask.renumber("r", into="x"), "by its id"),
        (lambda d: d.mask.massc(0.5, 0.5, keys=["sex"], into="x"), "hangs on the other records"),
        (lambda d: d.mask.top_bottom_code("income", "count", top=5, stratum="sex"), "by strata is refused"),
        (lambda d: d.where("age > 30").mask.round("income", 100), "some of the records"),
        (lambda d: d.add_id("n"), "ids that stay"),
        (lambda d: d.write("x.csv"), "The ledger comes first"),
    ],
)  # fmt: skip
def test_what_is_refused(con, tmp_path, call, said):
    data = sdc_sql.Microdata(con, "first", id="id", series=open_series(tmp_path, "one"))
    before = con.execute("FROM first ORDER BY id").fetchall()
    with pytest.raises(SeriesError, match=said):
        call(data)
    assert con.execute("FROM first ORDER BY id").fetchall() == before
    assert not (tmp_path / "s.ledger").exists()


def test_a_table_that_is_filled_anew_is_drawn_for_as_before(con, tmp_path):
    """The log of the table beside it counts passes: a series counts its own, so nobody is drawn for twice."""
    con.execute("CREATE TABLE t AS FROM first")
    with open_series(tmp_path, "one") as one:
        sdc_sql.Microdata(con, "t", id="id", series=one).mask.noise("income", standard_deviation=100)
    before = read(con, "t")
    con.execute("UPDATE t SET income = f.income FROM first f WHERE f.id = t.id")
    with open_series(tmp_path, "two", one.head) as two:
        sdc_sql.Microdata(con, "t", id="id", series=two).mask.noise("income", standard_deviation=100)
    assert read(con, "t") == before
    data = sdc_sql.Microdata(con, "first", id="id", series=(three := open_series(tmp_path, "three", two.head)))
    data.mask.noise("income", standard_deviation=100, into="x")
    with pytest.raises(SeriesError, match="Records of second were not in the table"):
        sdc_sql.Microdata(con, "second", id="id", series=three).mask.round("age", 5, into="y")


def test_without_the_package_nothing_is_begun(con, tmp_path, monkeypatch):
    """Neither a ledger nor a table is made; the message says what else can be done, and that works."""
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with pytest.raises(MissingPackageError, match="disk_encrypted=True"):
        release(con, tmp_path, "one", "first")
    assert not (tmp_path / "s.ledger").exists()
    release(con, tmp_path, "one", "first", disk_encrypted=True)
    assert len(read(con, "one")) == 50


def test_two_runs_at_a_time(con, tmp_path):
    """Both begin after the same release: the second one to end is not recorded."""
    one = release(con, tmp_path, "one", "first")
    two, three = open_series(tmp_path, "two", one), open_series(tmp_path, "three", one)
    mask(con, two, "second")
    mask(con, three, "third")
    two.record()
    with pytest.raises(SeriesError, match="by another run meanwhile"):
        three.record()


def test_an_erasure_during_a_run_stays(con, tmp_path):
    """The run began with the person in its ledger, and would write him there again."""
    one = release(con, tmp_path, "one", "first")
    two = open_series(tmp_path, "two", one)
    mask(con, two, "second")
    assert open_series(tmp_path, "no matter").erase(con, [0]) == 1
    with pytest.raises(SeriesError, match="written by another run meanwhile"):
        two.record()
    assert open_series(tmp_path, "no matter").erase(con, [0]) == 0


def test_arguments(con, tmp_path):
    for given in ({"name": ""}, {"release": " "}, {"after": 3}, {"most_new": 2}, {"forget_after": 0}, {"ledger": None},
                  {"ledger": 5}, {"disk_encrypted": "false"}, {"returning": "no"}):  # fmt: skip
        with pytest.raises(ParameterError):
            sdc_sql.Series(**({"ledger": tmp_path / "x", "name": "p", "release": "1"} | given))
    with pytest.raises(ParameterError, match="must be a Series"):
        sdc_sql.Microdata(con, "first", id="id", series="persons.ledger")


def test_odd_names(con, tmp_path):
    """A table named k, an id with a quote, a column named Select; one row; no rows are refused."""
    con.execute("""CREATE TABLE k AS SELECT id AS "i'd", income AS "Select", age AS f FROM first LIMIT 1""")
    head = ""
    for name in ("one", "two"):
        with open_series(tmp_path, f"it's {name}", head) as series:
            data = sdc_sql.Microdata(con, "k", id="i'd", series=series)
            data.mask.noise(["Select", "f"], standard_deviation=10, into=f"r'{name}")
        head = series.head
    assert con.execute("""FROM "r'one" EXCEPT FROM "r'two" """).fetchall() == []


FILE = """
release = "{release}"
[source]
path = "{source}.parquet"
[roles]
id = "id"
released_as_collected = ["age", "sex"]
[[scenarios]]
name = "neighbour"
keys = ["sex"]
limits = ["k_anonymity.2.records <= 0"]
[[steps]]
mask = "{mask}"
{arguments}
[series]
ledger = "s.ledger"
name = "persons"
{after}
[output]
path = "{release}.csv"
ids = "keep"
certificate = "{release}.json"
"""
NOISE = 'columns = ["income"]\nstandard_deviation = 100'


def run(folder: Path, release: str, source: str, after: str = "", step=("noise", NOISE)):
    path = folder / f"{release}.toml"
    told = f'after = "{after}"' if after else ""
    path.write_text(FILE.format(release=release, source=source, mask=step[0], arguments=step[1], after=told))
    return sdc_sql.run_release(path)


@pytest.mark.slow
def test_release_files(con, tmp_path, monkeypatch):
    """The certificate names where the ledger ends; a run that was cut after the ledger is completed by another."""
    monkeypatch.setenv("SDC_KEY", KEY)
    for table in ("first", "second"):
        con.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")
    assert run(tmp_path, "one", "first").accepted
    one, certificate = (tmp_path / "one.csv").read_bytes(), json.loads((tmp_path / "one.json").read_text())
    assert {**certificate["series"]}.keys() == {"name", "release", "head"}
    (tmp_path / "one.csv").unlink()
    (tmp_path / "one.json").unlink()
    run(tmp_path, "one", "first")  # as after a crash
    assert (tmp_path / "one.csv").read_bytes() == one
    assert json.loads((tmp_path / "one.json").read_text())["series"] == certificate["series"]
    run(tmp_path, "two", "second", "one.json")
    rows = con.execute(f"""SELECT a.id FROM '{tmp_path}/one.csv' a JOIN '{tmp_path}/two.csv' b USING (id)
                           WHERE a.income <> b.income""").fetchall()
    assert rows == [(9,)]
    with pytest.raises(SeriesError, match="goes on after that release"):
        run(tmp_path, "three", "second", "one.json")
    assert not (tmp_path / "three.csv").exists()
    with pytest.raises(sdc_sql.ReleaseFileError, match="resample is refused in a series"):
        run(tmp_path, "four", "second", "two.json", ("resample", 'columns = ["income"]\nsamples = 20'))
    with pytest.raises(sdc_sql.ReleaseFileError, match="no certificate of a release of a series"):
        run(tmp_path, "four", "second", "second.parquet")
    found = sdc_sql.verify(tmp_path / "two.json", tmp_path / "two.csv", release=tmp_path / "two.toml")
    assert found.holds, found


@pytest.mark.slow
def test_the_command(con, tmp_path, monkeypatch, capsys):
    from sdc_sql.cli import main  # noqa: PLC0415

    monkeypatch.setenv("SDC_KEY", KEY)
    for table in ("first", "second"):
        con.execute(f"COPY {table} TO '{tmp_path}/{table}.parquet'")

    def command(table: str, release: str, *more: str, identified=("--id", "id")) -> str:
        asked = [
            "mask", "noise", f"{tmp_path}/{table}.parquet", *identified, "--columns", "income",
            "--standard-deviation", "100", "--output", f"{tmp_path}/{release}.parquet", *more,
        ]  # fmt: skip
        series = ["--ledger", f"{tmp_path}/s.ledger", "--series", "persons", "--series-release", release]
        code = main([*asked, *series])
        told = capsys.readouterr().err
        return f"{code} {told}"

    assert "--make-id numbers rows" in command("first", "one", "--make-id", "n", identified=())
    head = command("first", "one").split("--after ")[1].split()[0]
    assert "say which was the last" in command("second", "two")
    assert command("second", "two", "--after", head).startswith("0 ")
    rows = con.execute(f"""SELECT a.id FROM '{tmp_path}/one.parquet' a JOIN '{tmp_path}/two.parquet' b USING (id)
                           WHERE a.income <> b.income""").fetchall()
    assert rows == [(9,)]


def test_two_first_releases_of_one_table_are_a_fork(con, tmp_path):
    """By other arguments the same table is released otherwise: the head of the one is not that of the other."""
    heads = []
    for k in (3, 4):
        with sdc_sql.Series(tmp_path / f"{k}", "persons", "one") as series:
            sdc_sql.Microdata(con, "first", id="id", series=series).mask.microaggregate("income", k, into=f"of {k}")
        heads.append(series.head)
    assert heads[0] != heads[1]
    with (
        pytest.raises(SeriesError, match="went another way"),
        sdc_sql.Series(tmp_path / "4", "persons", "two", after=heads[0]) as series,
    ):
        sdc_sql.Microdata(con, "first", id="id", series=series).mask.microaggregate("income", 4, into="z")


def test_a_column_is_grouped_once_in_a_release(con, tmp_path):
    data = sdc_sql.Microdata(con, "first", id="id", series=open_series(tmp_path, "one"))
    data.mask.microaggregate("income", 3, into="a")
    with pytest.raises(SeriesError, match="a second step in this release"):
        data.mask.microaggregate(["age", "Income"], 4, into="b")


def test_a_ledger_by_a_link_is_the_ledger_itself(con, tmp_path):
    """Else the link would be replaced by a file of its own, and the two go different ways."""
    (tmp_path / "shared").mkdir()
    one = release(con, tmp_path / "shared", "one", "first")
    (tmp_path / "s.ledger").symlink_to(tmp_path / "shared" / "s.ledger")
    release(con, tmp_path, "two", "second", one)
    assert (tmp_path / "s.ledger").is_symlink()
    with pytest.raises(SeriesError, match="goes on after that"):
        release(con, tmp_path / "shared", "three", "second", one)


def test_an_id_that_is_spelled_otherwise_is_the_same(con, tmp_path):
    one = release(con, tmp_path, "one", "first")
    with open_series(tmp_path, "two", one) as two:
        sdc_sql.Microdata(con, "second", id="ID", series=two).mask.noise("income", standard_deviation=100, into="two")
    assert two.recorded


def test_one_id_is_erased_and_a_folder_is_missed_before_any_work(con, tmp_path):
    release(con, tmp_path, "one", "first")
    assert open_series(tmp_path, "no matter").erase(con, 3) == 1
    with pytest.raises(ParameterError, match="There is no folder"):
        sdc_sql.Series(tmp_path / "nowhere" / "ledger", "persons", "one")
