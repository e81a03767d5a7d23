"""The motivated intruder of a release: in the internal report by default, by each linkage that fits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql
from sdc_sql.errors import ReleaseFileError
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ahV5eib9-Ohg2-uoX4ien-ooSh3iep-Quo7ma"
RELEASE = """
    [source]
    path = "persons.parquet"
    [roles]
    id = "id"
    released_as_collected = ["sex"]
    [[scenarios]]
    name = "neighbour"
    keys = ["age"]
    limits = ["k_anonymity.2.records <= 0"]
    neighbourhood = { columns = ["income"], width = 0.1 }
    [[steps]]
    mask = "recode"
    column = "age"
    breaks = [20, 40, 60, 80]
    [[steps]]
    mask = "round"
    column = "income"
    base = 50
    [output]
    path = "released.parquet"
    report = "internal.md"
"""


def write(folder: Path, **changed: str) -> Path:
    with duckdb.connect() as con:
        con.execute(f"COPY (SELECT i AS id, 20 + (i * 7) % 60 AS age, i * 7e0 AS income, ['f', 'm'][1 + i % 2] AS sex"
                    f" FROM range(150) t(i)) TO '{folder}/persons.parquet'")  # fmt: skip
    text = RELEASE
    for old, new in changed.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "release.toml").write_text(text)
    return folder / "release.toml"


def told(folder: Path, **changed: str) -> str:
    run_release(write(folder, **changed))
    text = (folder / "internal.md").read_text()
    found = re.search(r"### A motivated intruder\n(.*?)\n### ", text, re.DOTALL)
    return found[1] if found else ""


@pytest.mark.slow
def test_all_persons_are_looked_for_in_the_classes_of_the_release(tmp_path, monkeypatch):
    """Recoded ages agree with their classes; an income is within the nearest 50 of seven others."""
    monkeypatch.setenv("SDC_KEY", KEY)
    text = told(tmp_path, **{"[output]": '[intruder]\nrecords = "all"\n[output]'})
    assert "All persons of the source were looked for" in text
    assert "What he knows: age, income." in text
    rows = {row[0].partition(":")[0]: row for row in re.findall(r"\| (.*?) \| (\d+) \| (\d+) \| ([\d.]+) \|", text)}
    assert set(rows) == {"by one of them at least", "keys", "distance", "ranks"}
    assert {int(row[2]) for row in rows.values()} == {150}
    with duckdb.connect() as con:  # the same measure, of the original that is recoded by hand
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"CREATE TABLE released AS SELECT row_number() OVER (ORDER BY income, age) AS place, * FROM"
                    f" '{tmp_path}/released.parquet'")  # fmt: skip
        con.execute(f"CREATE TABLE original AS SELECT * REPLACE (CASE WHEN age < 40 THEN '20-39' WHEN age < 60 THEN"
                    f" '40-59' ELSE '60-79' END AS age) FROM '{tmp_path}/persons.parquet'")  # fmt: skip
        con.execute("CREATE TABLE masked AS SELECT * REPLACE (round(income / 50) * 50 AS income) FROM original")
        found = sdc_sql.Microdata(con, "masked", id="id").linkage.motivated_intruder(
            "original", ["age", "income"], continuous=["income"], records=150
        )
    by_hand = {row.linkage or "by one of them at least": row.found for row in found}
    assert {name: int(row[1]) for name, row in rows.items()} == by_hand
    assert by_hand["distance"] > by_hand["keys"]


@pytest.mark.slow
def test_by_default_a_thousand_persons_or_all(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    assert sdc_sql.read_release(write(tmp_path)).intruder == 1000
    text = told(tmp_path, **{'"income"], width': '"income"], k = 2, width'})
    assert "1,000 persons of the source, or all, were looked for" in text
    assert "| 150 |" in text


@pytest.mark.slow
def test_a_scenario_limits_whom_he_finds(tmp_path, monkeypatch):
    """By keys in the released classes alone: each of fifty who are alike is taken with a probability of 1 / 50."""
    monkeypatch.setenv("SDC_KEY", KEY)
    limits = '"k_anonymity.2.records <= 0", "motivated_intruder.keys.rate <= 0.1", "motivated_intruder.rate <= 0.0001"'
    file = write(tmp_path, **{'"k_anonymity.2.records <= 0"': limits})
    outcome = run_release(file, write=False)
    assert [limit.holds for limit in outcome.limits][:3] == [True, True, False]
    assert 0 < outcome.limits[1].figures["motivated_intruder.keys.rate"] < 0.1


@pytest.mark.slow
def test_it_says_why_nobody_was_looked_for(tmp_path, monkeypatch):
    monkeypatch.delenv("SDC_KEY", raising=False)
    assert "there is no secret key (SDC_KEY)" in told(tmp_path)


@pytest.mark.slow
def test_none_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    assert told(tmp_path, **{"[output]": "[intruder]\nrecords = 0\n[output]"}) == ""
    for wrong in ("-1", '"some"', "1.5", "true"):
        with pytest.raises(ReleaseFileError, match=r"intruder.records: it is .*a whole number, 0 for none"):
            sdc_sql.read_release(write(tmp_path, **{"[output]": f"[intruder]\nrecords = {wrong}\n[output]"}))
