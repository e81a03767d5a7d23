"""What stands beside the code is of its version, and what publishes it trusts only what it must."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import sdc_sql

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
# the fields of https://github.com/citation-file-format/citation-file-format/blob/1.2.0/schema.json that are used
FIELDS = {"cff-version", "message", "type", "title", "abstract", "authors", "version", "license", "keywords"}


def read(file):
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def test_the_top_level_is_what_the_plan_says():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("no clone, so that nothing says what belongs to the project")
    top = {name.partition("/")[0] for name in listed.stdout.splitlines()}
    plan = {"pyproject.toml", "README.md", "LICENSE", "sdc_sql", "sql", "udfs", "tests", "fixtures"}
    assert {name for name in top if not name.startswith(".")} == plan


def test_the_citation_is_of_this_version():
    cited = read(GITHUB / "CITATION.cff")
    assert cited["version"] == PROJECT["version"] == sdc_sql.__version__
    assert cited["license"] == PROJECT["license"]
    assert cited["authors"] == [{"name": "The sdc-sql authors"}]
    assert {"cff-version", "message", "title", "authors"} <= set(cited) <= FIELDS  # the first are required
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert cited["keywords"] == PROJECT["keywords"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_actions_are_pinned_by_their_full_version(file):
    used = re.findall(r"uses: (\S+)", file.read_text(encoding="utf-8"))
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@v\d+\.\d+\.\d+", action)] == []


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_may_read_alone_but_for_a_job_that_signs(file):
    said = read(file)
    assert said["permissions"] == {"contents": "read"}
    granted = {name: set(job["permissions"]) for name, job in said["jobs"].items() if "permissions" in job}
    signs = {"attest": {"id-token", "attestations"}, "publish": {"id-token"}}
    more = {"release": signs, "docs": {"publish": {"pages", "id-token"}}}
    assert granted == more.get(file.stem, {})
    for name in granted:  # no code of the project, or of a package of it, runs where a token can be had
        assert not [step for step in said["jobs"][name]["steps"] if "run" in step or "checkout" in step["uses"]]


def test_only_an_approved_tag_is_published():
    said = read(GITHUB / "workflows" / "release.yml")
    assert said[True] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}  # YAML takes `on` for true
    assert said["jobs"]["publish"]["environment"]["name"] == "pypi"
    assert set(said["jobs"]["publish"]["needs"]) == {"build", "attest"}
