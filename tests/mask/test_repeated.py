"""Next month's table: what `Repeated: again` in a header promises, and what `once` keeps from.

Of a mask that may be released again what is released of a record that did not change is the same, whoever came, left or changed. Each of the
others releases such a record otherwise; where the total or the set of the values is kept, it gives the newcomer's exactly.
"""  # noqa: E501

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from every_mask import MASKS, masked_columns

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import example_tables
from sdc_sql.errors import RepeatedReleaseWarning
from tests import series_world

N = 240
MONTHS = ("one came", "one left", "one changed", "one came of another place", "a third left")
# the call of the header, where that shows what hangs on the file; else one that does
CALLS = {
    "sdc_generalise": "FROM sdc_generalise('persons', ['age', 'sex', 'region'], 'hierarchies', 'id', k := 9)",
    "sdc_local_suppression": "FROM sdc_local_suppression('persons', ['age', 'sex', 'region'], 11, 'id')",
    "sdc_suppress_combinations": "FROM sdc_suppress_combinations('persons', ['age', 'sex', 'region'], 10, 'id')",
    "sdc_suppress_risky": "FROM sdc_suppress_risky('persons', ['age', 'sex', 'region'], 0.006, 'id', weight := 'w')",
    "sdc_mondrian": "FROM sdc_mondrian('persons', ['sex', 'region'], 45, 'id')",
    "sdc_distort_sensitive": "FROM sdc_distort_sensitive('persons', 'region', ['age', 'sex'], 'id', l := 1.6)",
    "sdc_top_bottom_code": """
        FROM sdc_top_bottom_code('persons', 'income', 'value', 'id', top := 2500, replacement := 'mean')""",
    "sdc_restore_moments": """
        WITH noisy AS (FROM sdc_noise('persons', ['income'], 0.3, 'id'))
        FROM sdc_restore_moments('noisy', ['income'], 'persons', 'id')""",
    "sdc_calibrate": "FROM sdc_calibrate('persons', 'w', 'sums', 'id', margins := ['sex'])",
}  # fmt: skip
AGAIN = [name for name, mask in MASKS.items() if mask.repeated.startswith("again")]
ONCE = [name for name in MASKS if name not in AGAIN]


@pytest.fixture(scope="module")
def months(connect):
    """Return a connection with the tables of the examples, and a table in its first month and in others."""
    rng = np.random.default_rng(5)
    with connect() as con:
        con.execute(example_tables())
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        con.register("made", pa.table({
            "id": np.arange(N), "s": rng.integers(0, 2, N), "r": rng.integers(0, 2, N), "household": np.arange(N) // 3,
            "age": rng.choice([25, 30, 41, 52, 67], N), "w": rng.uniform(5, 30, N).round(1),
            "income": rng.lognormal(7.5, 0.6, N).astype(int),
        }))  # fmt: skip
        con.execute("""
            CREATE TABLE everyone AS SELECT id, age, ['f', 'm'][1 + s] AS sex, ['north', 'south'][1 + r] AS region, w,
                household, income, make_date(2024 - age, 1 + id % 12, 1 + id % 28) AS born,
                ['north', 'south'][1 + id % 2] AS birthplace FROM made;
            CREATE TABLE "the first" AS FROM everyone WHERE id < 237;
            CREATE TABLE "one came" AS FROM everyone WHERE id < 238;
            CREATE TABLE "one left" AS FROM everyone WHERE id < 237 AND id <> 6;
            CREATE TABLE "one changed" AS SELECT * REPLACE (
                CASE id WHEN 9 THEN 3 * income ELSE income END AS income, CASE id WHEN 9 THEN 67 ELSE age END AS age,
                CASE id WHEN 9 THEN 'f' ELSE sex END AS sex) FROM "the first";
            CREATE TABLE "one came of another place" AS
                SELECT * REPLACE (CASE id WHEN 237 THEN 'west' ELSE region END AS region) FROM "one came";
            CREATE TABLE "a third left" AS FROM "the first" WHERE id % 3 <> 0;
            CREATE TABLE sums AS FROM (VALUES ('sex', 'f', 2000), ('sex', 'm', 2100)) AS t(variable, value, total);
            INSERT INTO wider VALUES ('west', 'inland');
            INSERT INTO areas VALUES ('west', 'inland', '*');
        """)
        con.unregister("made")
        yield con


def release(con, name: str, month: str) -> dict[int, tuple[object, ...]]:
    """Return what is released of the masked columns, by id."""
    example = MASKS[name].example.replace("'persons'", f"'{month}'", 1).removesuffix(";")
    call = CALLS[name].replace("'persons'", f"'{month}'") if name in CALLS else example
    columns = ", ".join(f'"{c}"' for c in masked_columns(name))
    return {i: tuple(row) for i, *row in con.execute(f"SELECT id, {columns} FROM ({call})").fetchall()}


def list_months(name: str) -> list[str]:
    """Return the months that a call can mask: a matrix or a hierarchy that is given knows the places of its time."""
    knows_places = {"sdc_pram_crossing", "sdc_generalise", "sdc_recode_relative"}
    return [m for m in MONTHS if m != "one came of another place" or name not in knows_places]


@pytest.mark.one_in(18)
@pytest.mark.parametrize("name", AGAIN)
def test_what_is_released_of_a_record_that_did_not_change_stays(months, name):
    before = release(months, name, "the first")
    for month in list_months(name):
        after = release(months, name, month)
        stayed = before.keys() & after.keys() - {9}
        assert len(stayed) >= 150
        assert {i: after[i] for i in stayed} == {i: before[i] for i in stayed}, month


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", ONCE)
def test_of_the_others_it_changes(months, name):
    before = release(months, name, "the first")
    changed = {}
    for month in list_months(name):
        after = release(months, name, month)
        changed[month] = sum(after[i] != before[i] for i in before.keys() & after.keys() - {9})
    assert any(changed.values()), "it may be released again: the header says once"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ["sdc_rank_swap", "sdc_data_shuffling", "sdc_data_swap"])
def test_a_set_of_values_that_is_kept_gives_the_newcomers(months, name):
    (column,) = masked_columns(name)
    before, after = (Counter(release(months, name, month).values()) for month in ("the first", "one came"))
    (newcomer,) = months.execute(f'SELECT {column} FROM "one came" WHERE id = 237').fetchall()
    assert after - before == Counter([newcomer])
    assert not before - after


def test_a_total_that_is_kept_gives_the_newcomers_value(months):
    total = "SELECT sum(w) FROM sdc_microaggregate('{}', ['w', 'income'], 3, 'id')"
    before, after = (months.execute(total.format(month)).fetchone()[0] for month in ("the first", "one came"))
    (newcomer,) = months.execute('SELECT w FROM "one came" WHERE id = 237').fetchone()
    assert abs(after - before - newcomer) < 1e-5


def masked_month(con, month: str, **more: object) -> sdc_sql.Microdata:
    """Return the table of a month, masked under the name that it has each month."""
    con.execute(f'CREATE OR REPLACE TABLE survey AS FROM "{month}"')
    return sdc_sql.Microdata(con, "survey", keys=["age", "sex"], id="id", **more)


@pytest.mark.slow
def test_another_release_under_the_same_name_warns(months):
    masked_month(months, "the first").mask.microaggregate("income", 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        masked_month(months, "the first").mask.microaggregate("income", 3)  # the same release
        masked_month(months, "one came").mask.microaggregate("age", 3)  # another column
        masked_month(months, "one came").mask.round("income", 100)
        masked_month(months, "one left").mask.round("income", 100)  # each value by itself
    with pytest.warns(
        RepeatedReleaseWarning, match="income of survey: this is another release, since step .* one release"
    ):
        masked_month(months, "one came").mask.microaggregate("income", 3)
    months.execute("DROP TABLE IF EXISTS released")
    masked_month(months, "the first").mask.local_suppression(11, into="released")
    months.execute("DROP TABLE released")
    with pytest.warns(RepeatedReleaseWarning, match="of released: this is another release"):
        masked_month(months, "a third left").mask.local_suppression(11, into="released")


@pytest.mark.slow
def test_other_arguments_under_the_same_name_warn(months):
    """Two draws at two deviations, or two divisions, tell more than either, though each may be repeated as it is."""
    said = r"income of census: this is another release.*Its arguments were others \({}\).*more than either"
    calls = {
        "standard_deviation": lambda mask, other: mask.noise("income", standard_deviation=(1 + other) * 1e6),
        "base": lambda mask, other: mask.round("income", 700 + 200 * other),
        "size": lambda mask, other: mask.multiplicative_noise("income", 0.5 + 0.1 * other),
    }
    for name, call in calls.items():
        for month, other in (("the first", 0), ("one came", 0), ("the first", 1)):
            months.execute(f'CREATE OR REPLACE TABLE census AS FROM "{month}"')
            mask = sdc_sql.Microdata(months, "census", id="id").mask
            if other:
                with pytest.warns(RepeatedReleaseWarning, match=said.format(name)):
                    call(mask, other)
            else:  # next month's release of it, alike
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    call(mask, other)


def test_help_says_of_each_mask_whether_it_may_be_repeated(months):
    said = dict(months.execute("SELECT name, repeated FROM sdc_help() WHERE repeated <> ''").fetchall())
    assert said["sdc_noise_absolute"] == "again"
    assert said["sdc_multiplicative_noise"].startswith("again where method is 'plain', else once (")
    assert said["sdc_sample"].startswith("again where method is 'simple' or 'bernoulli', else once")
    assert {"sdc_theta", "sdc_il1"}.isdisjoint(said)
    assert MASKS.keys() <= said.keys()


def read_measured() -> dict[str, list[str]]:
    """Return the table of what ten releases tell, by the label of its rows."""
    text = (Path(sdc_sql.__file__).parent / "mask" / "README.md").read_text(encoding="utf-8")
    rows = [
        line.strip("| ").split(" | ") for line in text.split("<!-- series:")[1].splitlines() if line.startswith("|")
    ]
    return {row[0].rpartition(": ")[0]: row[1:] for row in rows[2:]}


def read_interval(cell: str) -> tuple[float, float]:
    low, high = re.search(r"\((.+) to (.+)\)", cell).groups()
    return float(low), float(high)


def test_the_words_of_the_headers_are_what_was_measured():
    """Who may be released again tells no more in ten nights than in one; where ten tell more the header says once."""
    measured, words = read_measured(), {}
    for label, (_, call) in series_world.CALLS.items():
        name = call.partition("(")[0]
        method = re.search(r"method := '(\w+)'", call)
        arguments = {p.name: str(p.default).strip("'") for p in MASKS[name].parameters if p.default is not None}
        words[label] = MASKS[name].effect.repeated.find_word(arguments | ({"method": method[1]} if method else {}))
        one, ten, changed, shown, newcomers = measured[label]
        more = any(read_interval(cell)[0] > read_interval(one)[1] for cell in (ten, changed))
        if more or shown != "-" or newcomers != "-":
            assert words[label] == "once", label
    assert measured.keys() == words.keys()
    assert {label for label, word in words.items() if word == "again"} == {
        "noise_absolute", "multiplicative_noise, plain", "round_at_random", "round", "recode_intervals",
        "recode_keep_first", "recode_date", "pram",
    }  # fmt: skip


def test_each_mask_says_why_it_is_for_one_release_and_help_shows_it(months):
    said = dict(months.execute("SELECT name, repeated FROM sdc_help() WHERE repeated <> ''").fetchall())
    for name, mask in MASKS.items():
        word = mask.effect.repeated
        assert "repeated" in {tag.lower() for tag in mask.effect.says}, name
        assert "once" not in {word.kind, word.otherwise} or len(word.reason.split()) >= 4, name  # a sentence, no slogan
        assert said[name] == mask.repeated, name
        assert word.reason in said[name], name


@pytest.mark.slow
@pytest.mark.filterwarnings("always::sdc_sql.RepeatedReleaseWarning")
def test_the_command_line_warns_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDC_KEY", "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U")
    file = str(tmp_path / "a.duckdb")
    for night in range(2):
        with duckdb.connect(file) as con:
            con.execute(f"CREATE OR REPLACE TABLE t AS SELECT range AS id, 1.5 * range AS x FROM range({60 + night})")
        for method, given in (("microaggregate", ["--k", "3"]), ("round", ["--base", "10"])):
            into = f"by_{method}"
            with duckdb.connect(file) as con:
                con.execute(f"DROP TABLE IF EXISTS {into}")
            call = ["mask", method, file, "--table", "t", "--id", "id", "--columns", "x", "--into", into, *given]
            assert not main(call)
            warned = "x of by_microaggregate: this is another release" in capsys.readouterr().err
            assert warned is (night == 1 and method == "microaggregate")
