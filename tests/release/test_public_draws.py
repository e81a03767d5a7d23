"""Of steps that exchange or draw records the users are told nothing by which the records are found again."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import duckdb
import pytest

from sdc_sql import read_release, run_release
from sdc_sql.release.certifying import certificate
from sdc_sql.release.reporting import public_loss
from sdc_sql.release.reporting.ddi import codebook
from sdc_sql.release.reporting.public_loss import list_withheld_columns
from sdc_sql.release.reporting.public_report import public_report

# where many records are at risk, record_swap says that it swaps nearly all
pytestmark = pytest.mark.filterwarnings("ignore:So many households are at risk")
KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
RELEASE = """
title = "Workers"
release = "MARKEDRELEASE"
[source]
path = "rawsecret.parquet"
[roles]
id = "person"
weight = "w"
household = "home"
[[scenarios]]
name = "MARKEDSCENARIO"
keys = ["region", "job"]
limits = ["k_anonymity.2.records <= 600"]
[[steps]]
mask = "record_swap"
columns = ["region"]
rate = 0.0717
risk_keys = ["riskkey", "job"]
k = 997
profiles = [["profile"]]
[[steps]]
mask = "data_swap"
columns = ["job"]
rate = 0.0613
equal = ["alike"]
different = ["job", "unlike"]
shortfall = "report"
stream = "MARKEDPASS"
[[steps]]
mask = "massc"
keys = ["sex", "region"]
bias = 0.0519
variance = 0.0417
[[steps]]
mask = "sample"
fraction = 0.5
method = "systematic"
order_by = "ordering"
stratum = "sex"
[output]
path = "released.parquet"
ids = "drop"
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """Return what is public: the report in both formats, the metadata, the certificate."""
    folder = tmp_path_factory.mktemp("release")
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        con.execute(f"""
            COPY (SELECT range AS person, range // 2 AS home, range // 2 % 4 AS region, range * 7 % 3 AS job,
                         range % 2 AS sex, range // 2 % 5 AS riskkey, range // 2 % 2 AS profile, range % 2 AS alike,
                         range * 3 % 4 AS unlike, range * 11 % 1009 AS ordering, 30.0 AS w
                  FROM range(600)) TO '{folder}/rawsecret.parquet'
        """)
        (folder / "release.toml").write_text(RELEASE)
        outcome = run_release(read_release(folder / "release.toml"), con=con, write=False)
        assert [step.method for step in outcome.steps] == ["record_swap", "data_swap", "massc", "sample"]
        yield {
            "html": public_report(outcome),
            "markdown": public_report(outcome, "markdown"),
            "ddi": ET.tostring(codebook(outcome), encoding="unicode"),
            "certificate": json.dumps(certificate.build_public(outcome)),
        }


@pytest.mark.slow
@pytest.mark.one_in(4)
@pytest.mark.parametrize("which", ["html", "markdown", "ddi", "certificate"])
def test_nothing_by_which_records_are_found_again(told, which):
    # columns of the file, which all may read: not what they are for
    named = ("order by ordering", "risk keys riskkey", "profiles profile", "equal alike", "different job")
    page = told[which]
    for secret in (
        KEY, "MARKEDSCENARIO", "MARKEDPASS", "rawsecret", "0.0717", "0.0613", "0.0519", "0.0417", "997",
        "order by", "order_by", "risk_keys", "risk keys", "stream", "shortfall",
        *named,
    ):  # fmt: skip
        assert secret not in page


@pytest.mark.slow
@pytest.mark.parametrize("which", ["html", "markdown"])
def test_the_design_of_a_sample_is_told(told, which):
    for said in ("fraction 0.5", "method systematic", "stratum sex"):
        assert said in told[which]


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("columns", "withheld"), [(["region"], {"region", "job"}), ([], set())])
def test_the_rate_of_a_swap_does_not_follow_from_a_loss(tmp_path, monkeypatch, columns, withheld):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT range AS person, range // 2 % 4 AS region, range * 7 % 3 AS job, range % 2 AS sex
                  FROM range(600)) TO '{tmp_path}/raw.parquet'
        """)
        swap = f"""[[steps]]\nmask = "data_swap"\ncolumns = {json.dumps([*columns, "job"])}\nrate = 0.2\n"""
        text = """
            [source]
            path = "raw.parquet"
            [roles]
            id = "person"
            [[scenarios]]
            name = "s"
            keys = ["region", "job"]
            limits = ["k_anonymity.2.records <= 600"]
            [loss]
            columns = ["region", "job", "sex"]
            limits = ["direct_distance.distance <= 1"]
            [[steps]]
            mask = "pram_retention"
            columns = ["sex"]
            retention = 0.9
        """
        (tmp_path / "release.toml").write_text(
            text + (swap if columns else "") + '[output]\npath = "released.parquet"\nids = "drop"\n'
        )
        outcome = run_release(read_release(tmp_path / "release.toml"), con=con, write=False)
        told = public_loss.list_told_losses(outcome)
        assert list_withheld_columns(outcome) == withheld
        assert "sex" in {loss["variables"] for loss in told}
        assert not withheld & {name for loss in told for name in loss["variables"].split(", ")}
        report = public_report(outcome, "markdown")
        changes = report.partition("Values that are not the original ones")[2]
        assert "sex" in changes
        rows = [line for line in changes.partition("\n## ")[0].splitlines() if line.startswith("| ")]
        assert not withheld & {line.split(" | ")[0].removeprefix("| ") for line in rows}
        assert ("Masked too, and how much is not told" in changes) == bool(withheld)
        collected = report.partition("Released as they were collected: ")[2].partition("\n")[0]
        assert ("job" in collected) != bool(withheld)


@pytest.mark.slow
def test_a_sample_without_weights_is_told(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        con.execute(f"COPY (SELECT range AS person, range % 4 AS region FROM range(600)) TO '{tmp_path}/raw.parquet'")
        (tmp_path / "release.toml").write_text("""
            [source]
            path = "raw.parquet"
            [roles]
            id = "person"
            [[scenarios]]
            name = "s"
            keys = ["region"]
            limits = ["k_anonymity.2.records <= 600"]
            [[steps]]
            mask = "sample"
            size = 300
            [output]
            path = "released.parquet"
            ids = "drop"
        """)
        outcome = run_release(read_release(tmp_path / "release.toml"), con=con, write=False)
        assert "| the records | sample |" in public_report(outcome, "markdown")
        assert "the records: sample: " in ET.tostring(codebook(outcome), encoding="unicode")


@pytest.mark.slow
def test_no_estimate_from_the_whole_file_is_corrected_for_a_part_of_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    duckdb.sql(f"""
        COPY (SELECT range AS person, range % 3 AS job, range * 1.5 AS pay, range * 2.5 AS rent FROM range(300))
        TO '{tmp_path}/raw.parquet'
    """)
    file = tmp_path / "release.toml"
    where = 'where = "person < 20"'
    text = """
        [source]
        path = "raw.parquet"
        [roles]
        id = "person"
        [[scenarios]]
        name = "intruder"
        keys = ["job"]
        limits = ["k_anonymity.2.records <= 0"]
        [[steps]]
        mask = "pram_retention"
        column = "job"
        retention = 0.9
        {where}
        [[steps]]
        mask = "noise"
        columns = ["pay"]
        standard_deviation = 1.5
        {where}
        [[steps]]
        mask = "noise"
        columns = ["rent"]
        method = "uncorrelated"
        alpha = 0.1
        {where}
        [output]
        path = "released.parquet"
    """
    told = {}
    for part in (where, ""):
        file.write_text(text.format(where=part))
        with duckdb.connect() as con:
            outcome = run_release(file, con=con, write=False)
            told[part] = public_report(outcome, "markdown") + ET.tostring(codebook(outcome), encoding="unicode")
    corrections = ("solving P", "ubtract the variance", "1.1 times the original", "of the noise that was", "2.25")
    assert [words in told[""] for words in corrections] == [True] * 5
    assert [words in told[where] for words in corrections] == [False] * 5
    for column in ("job", "pay", "rent"):
        assert f"{column}: only a part of the records was masked so" in told[where]
