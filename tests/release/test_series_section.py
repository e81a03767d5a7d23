"""A release beside the earlier ones of its table: limits on what the series tells, and its section."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from sdc_sql.document.blocks import Page
from sdc_sql.document.files import format_page
from sdc_sql.release.reporting.series_section import write_series_section
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ahV5eib9-Ohg2-uoX4ien-ooSh3iep-Quo7ma"
RELEASE = """
    [source]
    path = "k.parquet"
    [roles]
    id = "id"
    [figures.f]
    measure = "series_disclosure"
    columns = ["Select", "it's"]
    earlier_originals = ["january.parquet"]
    earlier_releases = ["january_released.parquet"]
    [[scenarios]]
    name = "neighbour"
    keys = ["it's"]
    limits = ["f.Select.gain <= 0.01", "f.given_alone <= 0"]
    [[steps]]
    mask = "MASK"
    columns = ["Select"]
    PARAMETER
    [output]
    path = "released.parquet"
    ids = "keep"
"""
LIMITS, ALONE = '["f.Select.gain <= 0.01", "f.given_alone <= 0"]', '["k_anonymity.2.records <= 0"]'


def run(con, folder: Path, monkeypatch, step: tuple[str, str], text: str = RELEASE):
    """Release a table in January, and with one person more in February."""
    monkeypatch.setenv("SDC_KEY", KEY)
    people = """
        SELECT i AS id, 100.0 * ((i * 37) % 101) + i AS "Select", ['a', 'b'][1 + i % 2] AS "it's" FROM range({}) t(i)"""
    con.execute(f"COPY ({people.format(100)}) TO '{folder}/k.parquet'")
    first = text.replace("MASK", step[0]).replace("PARAMETER", step[1])
    alone = first[: first.index("[figures.f]")] + first[first.index("[[scenarios]]") :]
    (folder / "january.toml").write_text(alone.replace(LIMITS, ALONE))
    run_release(folder / "january.toml")
    (folder / "released.parquet").rename(folder / "january_released.parquet")
    (folder / "k.parquet").rename(folder / "january.parquet")
    con.execute(f"COPY ({people.format(101)}) TO '{folder}/k.parquet'")
    (folder / "february.toml").write_text(first)
    return run_release(folder / "february.toml", con)


def show(outcome) -> str:
    section = write_series_section(outcome)
    return format_page(Page("", (), (section,)), "markdown") if section else ""


@pytest.mark.slow
def test_averages_give_the_newcomer_and_are_refused(con, tmp_path, monkeypatch):
    outcome = run(con, tmp_path, monkeypatch, ("microaggregate", "k = 3"))
    held = {o.limit.text: o for o in outcome.limits}
    assert not outcome.accepted
    assert not held["f.given_alone <= 0"].holds
    assert max(held["f.given_alone <= 0"].figures.values()) == 1
    text = show(outcome)
    assert "1 values of records that came or left alone are the difference of two releases." in text
    assert "| Select | 101 |" in text
    assert "Keys of neighbour in all releases" in text
    assert "| all together | 101 |" in text


@pytest.mark.slow
def test_what_stays_holds(con, tmp_path, monkeypatch):
    outcome = run(con, tmp_path, monkeypatch, ("noise", "standard_deviation = 40"))
    assert outcome.accepted, outcome.reasons
    text = show(outcome)
    assert "The releases together tell no value that the first with it hides." in text
    assert "one release tells as much" in text


@pytest.mark.slow
def test_without_earlier_releases_there_is_no_section(tmp_path, monkeypatch):
    plain = RELEASE[: RELEASE.index("[figures.f]")] + RELEASE[RELEASE.index("[[scenarios]]") :]
    (tmp_path / "r.toml").write_text(
        plain.replace(LIMITS, ALONE).replace("MASK", "round").replace("PARAMETER", "base = 50")
    )
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        con.execute(
            f"""COPY (SELECT i AS id, i AS "Select", 'a' AS "it's" FROM range(9) t(i)) TO '{tmp_path}/k.parquet'"""
        )
    assert write_series_section(run_release(tmp_path / "r.toml")) is None


@pytest.mark.slow
def test_releases_without_the_id_are_told_and_not_passed_over(con, tmp_path, monkeypatch):
    with pytest.raises(Exception, match="id"):
        run(con, tmp_path, monkeypatch, ("round", "base = 50"), RELEASE.replace('ids = "keep"', 'ids = "drop"'))
