"""Household numbers that are dropped: the file is judged as it leaves, and other columns may join members again."""

from __future__ import annotations

import pytest

import sdc_sql

FILE = """
[source]
path = "survey.parquet"
[roles]
id = "id"
household = "hh"
household_columns = ["region"]
released_as_collected = ["age", "region"{also}]
[[scenarios]]
name = "neighbour"
keys = ["region", "age"]
limits = ["k_anonymity.3.records <= 0"{limits}]
[output]
path = "released.csv"
certificate = "certificate.json"
households = "{households}"
"""


@pytest.fixture
def release(con, tmp_path):
    """Forty pairs in two regions, a young and an old one; the region of one of the young is what is given."""

    def written(*, seventh: str | None, income: bool = False, **given: str):
        con.execute(
            "CREATE OR REPLACE TABLE survey AS SELECT i AS id, i // 2 AS hh, CASE WHEN i = 14 THEN $1 WHEN hh % 2 = 0 "
            "THEN 'south' ELSE 'north' END AS region, CASE i % 2 WHEN 0 THEN 'young' ELSE 'old' END AS age, "
            "hh * 100 AS income FROM range(80) t(i)",
            [seventh],
        )
        con.execute(
            f"COPY (SELECT * {'' if income else 'EXCLUDE (income)'} FROM survey) TO '{tmp_path}/survey.parquet'"
        )
        file = tmp_path / "release.toml"
        file.write_text(FILE.format(**{"also": ', "income"' if income else "", "limits": "", **given}))
        return file

    return written


@pytest.mark.slow
def test_nothing_is_completed_that_no_reader_can_complete(release):
    """(NULL, young) stands once in the file: the number that told its region is not there."""
    kept = sdc_sql.run_release(release(seventh=None, households="keep"), write=False)
    assert kept.accepted
    dropped = sdc_sql.run_release(release(seventh=None, households="drop"))
    (reason,) = dropped.reasons
    assert "k_anonymity.3.records is 1" in reason
    assert not dropped.written


@pytest.mark.slow
def test_a_certificate_without_numbers_verifies(release, tmp_path):
    file = release(seventh="north", households="drop", limits=', "household_k_anonymity.2.records <= 0"')
    assert sdc_sql.run_release(file).accepted
    alone, again = (
        sdc_sql.verify(tmp_path / "certificate.json", tmp_path / "released.csv", release=given)
        for given in (None, file)
    )
    assert alone.holds
    (unchecked,) = (c for c in alone.checks if "household_k_anonymity" in c.told and c.holds is None)
    assert "numbers of the households, which are not released" in unchecked.told
    assert again.holds
    assert again.only_read == ()


@pytest.mark.slow
def test_columns_that_join_a_household_again(release):
    (reason,) = sdc_sql.run_release(release(seventh="south", income=True, households="drop"), write=False).reasons
    assert "rejoined_households.records <= 0: 80 members of 40 households" in reason
    own = release(seventh="south", income=True, households="drop", limits=', "rejoined_households.share <= 1"')
    assert sdc_sql.run_release(own, write=False).accepted


@pytest.mark.slow
def test_rules_are_judged_where_numbers_are_dropped(release):
    file = release(seventh="north", households="drop")
    rules = '[rules]\nname = "nl-public"\nhousehold_variables = ["region"]\n'
    file.write_text(file.read_text().replace("[roles]", "[roles]\nweight = 50") + rules)
    outcome = sdc_sql.run_release(file, write=False)
    assert any("rule 9" in limit.limit.path and limit.holds for limit in outcome.limits)
