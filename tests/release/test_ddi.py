"""The metadata of a release is a DDI Codebook in the order of its schema, and tells what the public report tells."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import duckdb
import pytest
from ddi_model import NAMESPACE, faults, root_of, said, variables
from decided import decided

from sdc_sql import ParameterError, read_release, run_release
from sdc_sql.release.reporting.ddi import write_ddi
from sdc_sql.release.reporting.public_report import public_report

pytestmark = pytest.mark.slow  # a release with kernels

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
HOSTILE = ("Select", 'a"b<&>', "x\ny", "a\x01b", "V1", "été", "1 2")
RELEASE = """
title = "Workers <b> & \\u0001 ]]>"
producer = "Office of Figures"
version = "2nd"
description = "All who work."
population = "adults in work"
release = "MARKEDRELEASE"
[source]
path = "rawsecret.parquet"
[roles]
id = "person"
weight = "f"
sampling_fraction = 0.0123
identifiers = ["surname"]
[[scenarios]]
name = "MARKEDSCENARIO"
keys = ["age", "Select"]
limits = ["k_anonymity.2.records <= 0", "global_risk.expected_reidentifications <= 98.7654"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 40, 60, 90]
[[steps]]
mask = "noise"
method = "linear"
columns = ["pay"]
alpha = 0.0717
[[steps]]
mask = "noise"
columns = ["hours"]
standard_deviation = 1.5
[[steps]]
mask = "local_suppression"
scenario = "MARKEDSCENARIO"
k = 2
where = "age <> 'nowhere'"
[loss]
columns = ["hours"]
limits = ["il1.il1 <= 5"]
[output]
path = "released & more.parquet"
public_report = "users.html"
ddi = "release.xml"
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    names = ", ".join(f"{i} + range % 2 AS {quoted}" for i, quoted in enumerate(map(quote, HOSTILE)))
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        con.execute(f"""
            COPY (SELECT range AS person, 'name' || range AS surname, if(range < 4, 75, 20 + range % 40) AS age,
                         30.0 + range % 5 AS f, 1000.123 + range * 1.37 AS pay, 20.5 + range * 37 % 101 AS hours,
                         DATE '2020-01-01' + range::INT AS born, {names}
                  FROM range(200)) TO '{folder}/rawsecret.parquet'
        """)
        (folder / "release.toml").write_text(RELEASE, encoding="utf-8")
        yield run_release(read_release(decided(folder / "release.toml")), con=con, write=False)


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def written(outcome, tmp_path_factory):
    path = tmp_path_factory.mktemp("ddi") / "release.xml"
    write_ddi(outcome, path)
    return path


def test_the_document_is_as_the_schema_has_it(written):
    root = root_of(written)
    assert root.tag == f"{NAMESPACE}codeBook"
    assert faults(root) == []


@pytest.mark.parametrize(
    ("tag", "change"),
    [
        ("method", lambda e: e.append(ET.Element(f"{NAMESPACE}notes"))),
        ("citation", lambda e: e.remove(e[0])),
        ("var", lambda e: e.attrib.pop("name")),
        ("var", lambda e: e.set("ID", "V2")),
        ("var", lambda e: e.set("ID", "1 2")),
        ("var", lambda e: e.set("files", "F9")),
        ("var", lambda e: e.set("wgt", "yes")),
        ("useStmt", lambda e: setattr(e, "text", "words")),
    ],
)
def test_what_is_not_as_the_schema_has_it_is_found(written, tag, change):
    root = root_of(written)
    change(next(root.iter(NAMESPACE + tag)))
    assert faults(root)


def test_the_document_is_valid_against_the_schema(written):
    """Set DDI_SCHEMA to codebook.xsd of DDI Codebook 2.5, with those that it imports beside it."""
    etree = pytest.importorskip("lxml.etree")
    schema = os.environ.get("DDI_SCHEMA")
    if not schema:
        pytest.skip("DDI_SCHEMA does not say where codebook.xsd of DDI Codebook 2.5 is")
    etree.XMLSchema(etree.parse(schema)).assertValid(etree.parse(str(written)))


def test_it_tells_nothing_that_the_public_report_does_not_tell(written, outcome):
    text = written.read_text(encoding="utf-8")
    for secret in (
        KEY, "MARKED", "98.76", "theta", "anonymity", "reidentif", "0.0717", "1.0717", "rawsecret", "nowhere", "0.0123",
        "alpha", "k 2",
    ):  # fmt: skip
        assert secret not in text
    assert not {"catStat", "sumStat", "valrng", "invalrng", "TotlResp"} & {
        e.tag.removeprefix(NAMESPACE) for e in root_of(written).iter()
    }
    # no count of records but that of all, and no figure that the report does not have
    own = {"caseQnty", "varQnty", "catValu", "labl"}
    words = " ".join(
        e.text or "" for e in root_of(written).iter() if e.tag.removeprefix(NAMESPACE) not in own and e.text
    )
    numbers = set(re.findall(r"\d+(?:\.\d+)?", words.replace("10 records or more", "")))
    assert numbers <= set(re.findall(r"\d+(?:\.\d+)?", public_report(outcome, "markdown")))


def test_study_file_and_treatment(written):
    root = root_of(written)
    assert said(root, "titl") == [f"Workers <b> & \ufffd ]]>{end}" for end in (": metadata", "")]
    assert said(root, "producer") == ["Office of Figures"] * 2
    assert said(root, "abstract") == ["All who work."]
    assert said(root, "universe") == ["adults in work"]
    assert said(root, "fileName") == ["released & more.parquet"]
    assert said(root, "caseQnty") == ["200"]
    assert said(root, "varQnty") == [str(5 + len(HOSTILE))]
    assert said(root, "complete") == ["Not released: surname, person."]
    assert [e.get("URI") for e in root.iter(f"{NAMESPACE}otherMat")] == ["users.html"]
    done = said(root, "dataProcessing")
    assert [line.split(": ")[0] for line in done] == ["age", "pay", "hours"]  # nothing had to be suppressed
    assert "breaks 0, 40, 60, 90" in done[0]
    assert "method linear" in done[1]
    found = variables(root)
    assert found["age"].get("methrefs") == "M1"
    assert found["pay"].get("methrefs") == "M2"
    assert found["age"].find(f"{NAMESPACE}security").text.startswith("Changed to protect confidentiality: recode")
    assert found["V1"].find(f"{NAMESPACE}security").text == "Released as it was collected."
    assert "methrefs" not in found["V1"].attrib
    assert any("variance of the noise that was added is 2.25" in line for line in said(root, "dataAppr"))
    assert any(line.startswith("il1, il1, hours: ") for line in said(root, "dataAppr"))


def test_names_can_be_anything(written):
    names = [name for name in variables(root_of(written)) if name not in {"age", "f", "pay", "hours", "born"}]
    assert names == [name.replace("\x01", "\ufffd") for name in HOSTILE]


def test_the_weight_is_one_and_the_others_name_it(written):
    found = variables(root_of(written))
    weight = found.pop("f")
    assert weight.get("wgt") == "wgt"
    assert {var.get("wgt-var") for var in found.values()} == {weight.get("ID")}
    assert {var.get("wgt") for var in found.values()} == {None}
    assert "weighted by f" in said(root_of(written), "weight")[0]


def test_classes_are_listed_where_enough_records_hold_them(written):
    age = variables(root_of(written))["age"]
    # 4 records are 75: their class is in the file, and not here
    assert [c.find(f"{NAMESPACE}catValu").text for c in age.iter(f"{NAMESPACE}catgry")] == ["0-39", "40-59"]
    assert age.get("representationType") == "code"
    others = [var for name, var in variables(root_of(written)).items() if name != "age"]
    assert not any(var.find(f"{NAMESPACE}catgry") is not None for var in others)


def test_types(written):
    found = variables(root_of(written))
    forms = {name: found[name].find(f"{NAMESPACE}varFormat").attrib for name in found}
    assert forms["born"] == {"type": "character", "category": "date"}
    assert forms["pay"] == forms["V1"] == {"type": "numeric"}
    assert forms["age"] == {"type": "character"}
    assert (found["born"].get("representationType"), found["pay"].get("intrvl")) == ("datetime", "contin")


def test_a_refused_release_has_no_metadata(outcome, tmp_path):
    refused = replace(outcome, limits=(replace(outcome.limits[0], holds=False), *outcome.limits[1:]))
    with pytest.raises(ParameterError, match="refused"):
        write_ddi(refused, tmp_path / "release.xml")
    assert list(tmp_path.iterdir()) == []
