"""The public report, the metadata and the public certificate do not tell the scenarios by their suppressions."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import duckdb
import pytest

from sdc_sql.release.certifying import certificate
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting.ddi import codebook
from sdc_sql.release.reporting.public_facts import list_columns_as_collected, list_suppressed_columns
from sdc_sql.release.reporting.public_report import public_report
from sdc_sql.release.running.run import run_release

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
RELEASE = """
[source]
path = "raw.parquet"
[roles]
id = "person"
[[scenarios]]
name = "register"
keys = ["k", "Select", "f"]
nulls = "category"
limits = ["k_anonymity.2.records <= 0"]
[[scenarios]]
name = "neighbour"
keys = ["k", "it's"]
limits = ["k_anonymity.2.records <= 0"]
[[steps]]
mask = "local_suppression"
scenario = "register"
k = 2
importance = [1, 100, 100]
[[steps]]
mask = "local_suppression"
scenario = "neighbour"
k = 2
importance = [100, 1]
[output]
path = "released.parquet"
ids = "drop"
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """Return a release of which four records lose k, two others "it's", and nobody Select or f, whatever is missing."""
    folder = tmp_path_factory.mktemp("release")
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        con.execute(f"""
            COPY (SELECT range AS person, if(range < 4, 90 + range, range // 8 % 2) AS k, range % 2 AS "Select",
                         if(range >= 100, NULL, range // 4 % 2) AS f,
                         if(range IN (117, 119), 'rare' || range, ['a', 'b'][1 + range // 2 % 2]) AS "it's"
                  FROM range(120)) TO '{folder}/raw.parquet'
        """)
        (folder / "release.toml").write_text(RELEASE, encoding="utf-8")
        yield run_release(read_release(folder / "release.toml"), con=con, write=False)


def test_all_suppressions_are_told_as_one(outcome):
    assert outcome.accepted, outcome.reasons
    assert list_suppressed_columns(outcome) == ["k", "it's"]
    assert list_columns_as_collected(outcome) == ["Select", "f"]


@pytest.mark.one_in(4)
@pytest.mark.whole
@pytest.mark.parametrize("format_", ["html", "markdown", "ddi", "certificate"])
def test_no_keys_of_a_scenario_stand_together(outcome, format_):
    told = {
        "ddi": lambda: ET.tostring(codebook(outcome), encoding="unicode"),
        "certificate": lambda: json.dumps(certificate.build_public(outcome)["methods"]),
    }.get(format_, lambda: public_report(outcome, format_))()
    told = told.replace("collected: Select, f", "").replace("k, Select, f, it", "")
    for keys in ("k, Select", "Select, f"):
        assert keys not in told.replace('"', "")
    assert "local" not in told, "which suppression it was tells what was held"
