"""The pages of the documentation that are written by hand: each is typed from its first line to its last."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from pages import FENCED, OTHERS, QUOTED, ROOT, SITE, find_differences, list_site_pages, read

from sdc_sql.db.catalogue.macros import index_catalogue

RUN = {"sh", "sql", "python", "text", *QUOTED}
SHOWN = {"console", *OTHERS}  # by hand, or by another program
DIRECTIVES = re.compile(r"^```\{\w+\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OTHER_NAMES = {"sdc_steps", "sdc_key", "sdc_sql", "sdc_household"}  # a table, variables, what dbt is told
PROGRAMS = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # those of this environment first
DBT_TESTS = ROOT / "sdc_sql" / "dbt" / "package" / "macros" / "tests"


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("page", list_site_pages(), ids=lambda page: f"{page.parent.name}/{page.stem}".lstrip("."))
def test_a_page_prints_what_it_shows(page, tmp_path):
    text = read(page)
    if not shutil.which("dbt", path=PROGRAMS) and ("\ndbt " in text or "&& dbt " in text):
        pytest.skip("no dbt: pip install 'sdc-sql[dbt]'")
    assert find_differences(page, tmp_path) == []


def test_no_block_is_hidden_from_these_tests():
    for page in list_site_pages():
        text = DIRECTIVES.sub("", read(page))
        assert text.count("```") == 2 * len(FENCED.findall(text)), page
        assert {language for language, _ in FENCED.findall(text)} <= RUN | SHOWN, page


def test_each_tutorial_shows_what_is_printed():
    for page in [SITE / "start.md", *(p for p in list_site_pages("tutorials") if p.stem != "index")]:
        languages = [language for language, _ in FENCED.findall(read(page))]
        assert languages.count("text") >= 3, page


def test_functions_that_pages_name_are_there():
    named = {(page.name, name) for page in list_site_pages() for name in re.findall(r"\bsdc_\w+\b", read(page))}
    dbt = {name for path in DBT_TESTS.glob("*.sql") for name in re.findall(r"\btest (sdc_\w+)\(", read(path))}
    there = index_catalogue().keys() | dbt | OTHER_NAMES
    assert {(page, name) for page, name in named if name not in there} == set()
    assert len(named) > 50


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n", []),
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", ["shown:\n3\nprinted:\n2\n"]),
        ("```sh\necho one\nfalse\n```\n", ["echo one\nfalse\nfails: AssertionError: one\n"]),
        ("```text\n2\n```\n", ["nothing stands above that prints: 2"]),
        ('```toml\n# fixtures/cis.toml\nversion = "1"\n```\n', []),
        ('```toml\n# fixtures/cis.toml\nversion = "7"\n```\n', ['fixtures/cis.toml does not hold:\nversion = "7"']),
    ],
)
def test_what_a_page_shows_otherwise_is_found(page, found, tmp_path):
    (tmp_path / "page.md").write_text(page)
    here = tmp_path / "here"
    here.mkdir()
    differences = find_differences(tmp_path / "page.md", here)
    assert len(differences) == len(found)
    assert all(map(str.startswith, differences, found))
