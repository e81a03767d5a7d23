"""Reports, metadata and certificates belong to one file: its digest and the date in each, theirs in certificates."""

from __future__ import annotations

import hashlib
import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.release.certifying import sealed
from sdc_sql.release.running.run import run_release

KEY = "ahV5eib9-Ohg2-uoX4ien-ooSh3iep-Quo7ma"
FORMER = Path(__file__).resolve().parents[2] / "fixtures" / "certificate_2"
RELEASE = """
    title = "Incomes"
    [source]
    path = "persons.parquet"
    [roles]
    id = "id"
    released_as_collected = ["income"]
    [[scenarios]]
    name = "neighbour"
    keys = ["age"]
    limits = ["k_anonymity.2.records <= LIMIT"]
    [[steps]]
    mask = "recode"
    column = "age"
    breaks = [20, 40, 60, 80]
    [output]
    certificate = "certificate.json"
    public_certificate = "public.json"
    path = "released.parquet"
    report = "internal.html"
    public_report = "users.md"
    ddi = "release.xml"
"""
DOCUMENTS = ("internal.html", "users.md", "release.xml")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    with duckdb.connect() as con:
        con.execute(f"COPY (SELECT i AS id, 20 + i % 60 AS age, i * 7 AS income FROM range(120) t(i))"
                    f" TO '{folder}/persons.parquet'")  # fmt: skip
    (folder / "release.toml").write_text(RELEASE.replace("LIMIT", "0"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        assert run_release(folder / "release.toml").accepted
    return folder


def read(folder, name="certificate"):
    return json.loads((folder / f"{name}.json").read_text())


def test_every_document_carries_the_digest_of_the_file_and_the_day(made):
    digest, day = read(made)["output"]["digest"], read(made)["date"]
    assert sdc_sql.Microdata(duckdb.connect(), str(made / "released.parquet")).risk.content_digest().digest == digest
    assert (datetime.now(UTC).date() - datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).date()).days in {0, 1}
    assert read(made, "public")["date"] == day
    for name in DOCUMENTS:
        text = (made / name).read_text()
        assert digest in text, name
        assert day in text, name


def test_certificates_carry_the_digests_of_the_documents(made):
    every = [(row["name"], row["sha256"]) for row in read(made)["documents"]]
    assert every == [(name, hashlib.sha256((made / name).read_bytes()).hexdigest()) for name in DOCUMENTS]
    # users learn nothing of the internal report, not even that there is one
    assert [(row["name"], row["sha256"]) for row in read(made, "public")["documents"]] == every[1:]
    assert "internal" not in (made / "public.json").read_text().replace('"certificate": "internal"', "")


def test_verifying_finds_a_changed_report_and_names_it(made, tmp_path):
    for file in made.iterdir():
        shutil.copy(file, tmp_path)
    given = tmp_path / "certificate.json", tmp_path / "released.parquet"
    found = sdc_sql.verify(*given)
    assert found.holds
    assert [c.field for c in found.checks if c.field.startswith("documents[")] == [
        f"documents[{i}].sha256" for i in range(3)
    ]
    assert [field for field in found.only_read if field.startswith("documents")] == ["documents"]  # which there were
    (tmp_path / "users.md").write_text((tmp_path / "users.md").read_text().replace("Incomes", "Income"))
    found = sdc_sql.verify(*given)
    assert found.failed == ("documents[1].sha256",)
    assert "users.md" in str(found)
    (tmp_path / "users.md").unlink()
    found = sdc_sql.verify(*given)
    assert found.holds
    assert "documents[1].sha256" in found.only_read
    assert sdc_sql.verify(*given, documents=made).holds


def test_a_document_sealed_away_is_only_as_good_as_the_seal(made):
    """Who reseals a certificate without its documents is found by nothing but the word of who published it."""
    said = read(made)
    without = {n: v for n, v in said.items() if n != "documents"}
    (made / "other.json").write_text(json.dumps(without))
    found = sdc_sql.verify(made / "other.json", made / "released.parquet")
    assert found.failed == ("documents",)
    assert "was taken away" in str(found)
    hostile = {n: v for n, v in said.items() if n not in {"marks", "digest"}}
    hostile["documents"] = [{"document": "report", "name": "../" * 9 + "etc/passwd", "sha256": "0" * 64}]
    (made / "other.json").write_text(json.dumps(sealed.seal_fields(hostile)))
    found = sdc_sql.verify(made / "other.json", made / "released.parquet")
    assert "documents[0].sha256" in found.only_read  # no other folder is looked into


@pytest.mark.slow
def test_a_document_that_was_left_out_is_found_by_running_the_release_again(made, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    for name, left in (("certificate", "public_report"), ("public", "ddi")):
        said = {n: v for n, v in read(made, name).items() if n not in {"marks", "digest"}}
        said["documents"] = [row for row in said["documents"] if row["document"] != left]
        (made / "other.json").write_text(json.dumps(sealed.seal_fields(said)))
        alone = sdc_sql.verify(made / "other.json", made / "released.parquet")
        assert alone.holds
        assert "documents" in alone.only_read
        found = sdc_sql.verify(made / "other.json", made / "released.parquet", release=made / "release.toml")
        assert found.failed == ("(run again)", "documents (run again)")
        assert f"{left} is named in the release file" in str(found)


@pytest.mark.slow
@pytest.mark.whole
def test_the_command_line_names_what_was_only_read(made, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    for name in ("certificate.json", "released.parquet"):
        shutil.copy(made / name, tmp_path)
    given = ["verify", str(tmp_path / "certificate.json"), "--released", str(tmp_path / "released.parquet")]
    assert main(given) == 0
    shown = capsys.readouterr().out
    assert "internal.html is not in" in shown
    closing = shown.splitlines()[-1]
    for field in ("date", "scenarios", "limits", "steps", "input", "documents[0].sha256"):
        assert field in closing
    assert main([*given, "--documents", str(made), "--release", str(made / "release.toml")]) == 0
    assert capsys.readouterr().out.endswith("\nverified\n")


@pytest.mark.slow
@pytest.mark.whole
def test_a_refused_report_has_the_day_and_no_digest_of_a_file(made, tmp_path):
    shutil.copy(made / "persons.parquet", tmp_path)
    (tmp_path / "release.toml").write_text(
        RELEASE.replace("records <= LIMIT", "cells <= -1").replace("public_cert", "# cert")
    )
    outcome = run_release(tmp_path / "release.toml", refused_report=tmp_path / "refused.md")
    text = (tmp_path / "refused.md").read_text()
    assert not outcome.accepted
    assert f"| when | {outcome.date} |" in text
    assert "SHA-256 of what it holds" not in text
    assert "SHA-256 of what it holds" in (made / "internal.html").read_text()


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize("name", ["certificate", "public"])
def test_a_certificate_of_format_2_verifies(name, tmp_path):
    found = sdc_sql.verify(FORMER / f"{name}.json", FORMER / "released.csv")
    assert found.holds, str(found)
    assert "documents" not in str(found)
    said = json.loads((FORMER / f"{name}.json").read_text()) | {"format": 3}
    fields = {n: v for n, v in said.items() if n not in {"marks", "digest"}}
    (tmp_path / "c.json").write_text(json.dumps(sealed.seal_fields(fields)))
    assert sdc_sql.verify(tmp_path / "c.json", FORMER / "released.csv").failed == ("date", "documents")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["certificate", "public"])
def test_a_certificate_of_format_2_verifies_where_it_is_run_again(name, monkeypatch):
    monkeypatch.setenv("SDC_KEY", "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U")
    found = sdc_sql.verify(FORMER / f"{name}.json", FORMER / "released.csv", release=FORMER / "release.toml")
    assert found.holds, str(found)
