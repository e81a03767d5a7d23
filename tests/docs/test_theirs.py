"""The blocks of other tools on the pages *Coming from*: they run where the tool is, and the site says so where not."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from pages import FENCED, OTHERS, find_differences, list_site_pages, read

pytest.importorskip("sphinx")  # as where the site is built
from sdc_docs import theirs

SITE = Path(__file__).resolve().parents[2] / ".docs"
PAGES = [p for p in list_site_pages("coming_from") if OTHERS & {language for language, _ in FENCED.findall(read(p))}]


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_theirs_print_what_the_page_shows(page, tmp_path):
    languages = OTHERS & {language for language, _ in FENCED.findall(read(page))}
    found = {language: theirs.find_tool(language, read(page)) for language in languages}
    for tool in found.values():
        if isinstance(tool, theirs.Missing):
            pytest.skip(tool.reason)
    assert find_differences(page, tmp_path, {language: tool.run for language, tool in found.items()}) == []


def mark(page, monkeypatch, tool):
    monkeypatch.setattr(theirs, "find_tool", lambda *_: tool)
    source = [read(page)]
    theirs.mark_blocks(SimpleNamespace(srcdir=str(SITE)), f"coming_from/{page.stem}", source)
    return source[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_block_that_is_not_run_says_so(page, monkeypatch):
    marked = mark(page, monkeypatch, theirs.Missing("R is not installed"))
    said = "```\n\n*Shown, not run: R is not installed where this page was built.*\n"
    assert marked.count(said) == len(re.findall(r"^```(?:r|java)$", read(page), re.MULTILINE)) >= 1
    assert marked.replace(said[3:], "\n") == read(page)


def test_a_block_that_prints_something_else_is_a_warning_of_the_build(monkeypatch, tmp_path):
    page = tmp_path / "coming_from" / "x.md"
    page.parent.mkdir()
    page.write_text("```r\nlibrary(x)\n```\n\n```text\n1\n```\n")
    told = []
    monkeypatch.setattr(theirs.LOGGER, "warning", lambda *words: told.append(words))
    for printed in ("1\n", "2\n"):
        tool = theirs.Tool("x 1.0", lambda *_, printed=printed: printed)
        monkeypatch.setattr(theirs, "find_tool", lambda *_, tool=tool: tool)
        source = [read(page)]
        theirs.mark_blocks(SimpleNamespace(srcdir=str(tmp_path)), "coming_from/x", source)
        assert "*Run by x 1.0 while this page was built.*" in source[0]
    assert [words[-1] for words in told] == ["shown:\n1\nprinted:\n2\n"]


def test_what_is_not_installed_is_named(monkeypatch):
    for cached in (theirs.find_r, theirs._find_arx):
        cached.cache_clear()
    monkeypatch.setattr(theirs.shutil, "which", lambda _: None)
    assert theirs.find_tool("r", "```r\nlibrary(sdcMicro)\n```\n").reason == "R is not installed"
    monkeypatch.delenv(theirs.CLASS_PATH, raising=False)
    assert theirs.find_tool("java", "").reason == "the variable SDC_ARX names no jar of ARX"
    for cached in (theirs.find_r, theirs._find_arx):
        cached.cache_clear()
