"""A scenario's continuous keys: measured before and after, limited, told in reports, in the certificate."""

from __future__ import annotations

import json

import pytest

import sdc_sql
from sdc_sql.cli import main

FILE = """
[source]
path = "firms.csv"
[roles]
id = "id"
[[scenarios]]
name = "register"
keys = ["sector"]
neighbourhood = { columns = ["turnover"], width = 0.1, k = 2 }
limits = ["neighbourhood.below_k <= 0"]
[[steps]]
mask = "microaggregate"
columns = ["turnover"]
k = K
[output]
path = "released.csv"
certificate = "certificate.json"
report = "internal.html"
"""


@pytest.fixture
def written(tmp_path):
    rows = [f"{i},{'ab'[i % 2]},{10 * 1.2**i:.2f}" for i in range(12)]
    (tmp_path / "firms.csv").write_text("\n".join(["id,sector,turnover", *rows]))

    def file(k):
        path = tmp_path / "release.toml"
        path.write_text(FILE.replace("K", str(k)))
        return path

    return file


@pytest.mark.slow
def test_it_is_refused_until_nobody_is_alone(written, tmp_path, capsys):
    refused = sdc_sql.run_release(sdc_sql.read_release(written(2)))
    assert not refused.accepted
    (limit,) = refused.limits
    # neighbours by turnover are of two sectors: each is alone in its own
    assert (limit.before, limit.figures) == ({"neighbourhood.below_k": 12}, {"neighbourhood.below_k": 12})
    assert main(["release", str(written(4)), "--plan"]) == 0
    assert "Scenario register: sector; about turnover (width 0.1)" in capsys.readouterr().out
    outcome = sdc_sql.run_release(sdc_sql.read_release(written(4)))
    assert outcome.accepted, outcome.reasons
    report = (tmp_path / "internal.html").read_text(encoding="utf-8")
    assert "sector; about turnover (width 0.1)" in report


@pytest.mark.slow
def test_its_certificate_is_checked_from_the_released_file(written, tmp_path, capsys):
    sdc_sql.run_release(sdc_sql.read_release(written(4)))
    certificate = tmp_path / "certificate.json"
    said = json.loads(certificate.read_text())
    asked = {"columns": ["turnover"], "width": 0.1, "k": 2}
    assert said["scenarios"][0]["neighbourhood"] == asked
    assert main(["verify", str(certificate), "--released", str(tmp_path / "released.csv")]) == 0
    assert "limits" in capsys.readouterr().out
