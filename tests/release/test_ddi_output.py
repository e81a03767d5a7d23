"""The metadata as an output of a release file: small releases."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from ddi_model import NAMESPACE, faults, root_of, said, variables

from sdc_sql import run_release
from sdc_sql.release.reporting.ddi import codebook
from sdc_sql.release.reporting.public_report import public_report

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
SMALL = """
[source]
path = "raw{ending}"
[roles]
id = "id"
[[scenarios]]
name = "s"
keys = ["k"]
limits = ["k_anonymity.2.records <= 0"]
[output]
path = "out.csv"
ddi = "out.xml"
"""


def test_it_is_an_output_of_a_release_file(tmp_path, con):
    (tmp_path / "raw.csv").write_text("id,k\n1,a\n2,a\n", encoding="utf-8")
    (tmp_path / "release.toml").write_text(SMALL.format(ending=".csv"), encoding="utf-8")
    assert tmp_path / "out.xml" in run_release(tmp_path / "release.toml", con).written
    root = root_of(tmp_path / "out.xml")
    assert faults(root) == []
    assert said(root, "titl") == ["out.csv: metadata", "out.csv"]
    assert said(root, "caseQnty") == ["2"]
    assert list(variables(root)) == ["k"]


def test_recoded_ids_are_not_as_they_were_collected(tmp_path, con, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    (tmp_path / "raw.csv").write_text("id,k\n1,a\n2,a\n", encoding="utf-8")
    file = tmp_path / "release.toml"
    file.write_text('release = "r"\n' + SMALL.format(ending=".csv") + 'ids = "recode"\n', encoding="utf-8")
    done = run_release(file, con)
    security = {n: v.find(f"{NAMESPACE}security").text for n, v in variables(root_of(tmp_path / "out.xml")).items()}
    assert security["id"].startswith("Recoded:")
    assert security["k"] == "Released as it was collected."
    assert "Released as they were collected: k." in public_report(done, "markdown")


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_labels_of_variables_and_values(tmp_path, con, ending):
    pyreadstat, polars = pytest.importorskip("pyreadstat"), pytest.importorskip("polars")
    frame = polars.DataFrame({"id": range(60), "k": [1, 2] * 30, "job": [1] * 50 + [2] * 5 + [3] * 5})
    getattr(pyreadstat, f"write_{ending[1:]}")(
        frame, str(tmp_path / f"raw{ending}"), column_labels={"k": "a <label>"},
        variable_value_labels={"k": {1: "yes", 2: "no", 3: "gone"}, "job": {1: "clerk", 2: "king"}},
    )  # fmt: skip
    text = SMALL.format(ending=ending).replace('id = "id"', 'id = "id"\nreleased_as_collected = ["job"]')
    (tmp_path / "release.toml").write_text(text, encoding="utf-8")
    root = ET.fromstring(ET.tostring(codebook(run_release(tmp_path / "release.toml", con))))  # noqa: S314 - our own
    assert faults(root) == []
    found = variables(root)
    assert found["k"].find(f"{NAMESPACE}labl").text == "a <label>"
    assert {name: {c[0].text: c[1].text for c in var.iter(f"{NAMESPACE}catgry")} for name, var in found.items()} == {
        "k": {"1": "yes", "2": "no"},
        "job": {"1": "clerk"},
    }
