"""Reports as a browser shows and prints them: axe-core finds nothing, no page scrolls sideways, paper is used."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
from browser import Browser, find_chromium, measure_fill
from household_and_firm import write_firms, write_households

from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting.internal_report import internal_report
from sdc_sql.release.reporting.public_report import public_report
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
# where .ci/run puts it; another copy is named by the variable
AXE = Path(os.environ.get("SDC_AXE", ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js"))
WIDTHS = (1100, 380)
REPORTS = ("internal", "public", "households", "firms")
LEAST = 0.6  # of each page but the last

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed"),
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    found = Browser(tmp_path_factory.mktemp("chromium"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, str]:
    """Return both reports of the couples, and the public ones of households and firms, run once for all tests."""
    with duckdb.connect() as con:
        plan = read_release(ROOT / "fixtures" / "cps_couples.toml", output_folder=tmp_path_factory.mktemp("released"))
        outcome = run_release(plan, con=con)
        found = {"internal": internal_report(outcome), "public": public_report(outcome)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM")
        for name, write in (("households", write_households), ("firms", write_firms)):
            with duckdb.connect() as con:
                file = write(tmp_path_factory.mktemp(name))
                found[name] = public_report(run_release(read_release(file), con=con, write=False))
    return found


@pytest.mark.parametrize("name", REPORTS)
def test_axe_finds_nothing(browser, reports, name):
    if not AXE.exists():
        pytest.skip(f"axe-core is not installed: npm install --prefix {ROOT / '.axe'} axe-core")
    script = AXE.read_text(encoding="utf-8")
    for dark in (False, True):
        browser.show(reports[name], dark=dark)
        browser.ask(script + "; true")
        found = browser.ask(
            "axe.run().then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target).slice(0, 3).join(' ')))"
        )
        assert found == [], f"{name}, {'dark' if dark else 'light'}"


@pytest.mark.parametrize("name", REPORTS)
def test_no_page_scrolls_sideways(browser, reports, name):
    for width in WIDTHS:
        browser.show(reports[name], width=width)
        assert browser.ask("document.documentElement.scrollWidth") <= width


def test_the_check_of_a_page_finds_what_is_wrong(browser):
    """A wrong page does not pass: neither the one that is too wide nor the one without a title."""
    wide = "<head><meta name='viewport' content='width=device-width, initial-scale=1'></head>"
    browser.show(
        f"<!DOCTYPE html><html>{wide}<body><main style='width: 900px'><img src='x'></main></body></html>", width=380
    )
    assert browser.ask("document.documentElement.scrollWidth") > 380
    if AXE.exists():
        browser.ask(AXE.read_text(encoding="utf-8") + "; true")
        assert {"image-alt", "document-title", "html-has-lang"} <= set(
            browser.ask("axe.run().then(r => r.violations.map(v => v.id))")
        )


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="no pdftoppm is installed (poppler-utils)")
@pytest.mark.parametrize("name", REPORTS)
def test_printed_pages_are_used(browser, reports, tmp_path, name):
    browser.show(reports[name])
    browser.print_pages(tmp_path / "report.pdf")
    fill = measure_fill(tmp_path / "report.pdf", tmp_path)
    assert len(fill) > 1
    assert [i for i, share in enumerate(fill[:-1], 1) if share < LEAST] == [], [f"{share:.0%}" for share in fill]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext is installed (poppler-utils)")
@pytest.mark.parametrize("name", REPORTS)
def test_no_printed_page_ends_with_a_heading(browser, reports, tmp_path, name):
    browser.show(reports[name])
    headings = set(browser.ask("[...document.querySelectorAll('h2, h3, h4, h5, figcaption')].map(e => e.textContent)"))
    browser.print_pages(tmp_path / "report.pdf")
    command = ["pdftotext", "-layout", tmp_path / "report.pdf", "-"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\f")
    pages = [[line.strip() for line in page.splitlines() if line.strip()] for page in printed if page.strip()]
    assert [lines.pop() for lines in pages] == [f"{i} of {len(pages)}" for i in range(1, len(pages) + 1)]
    title = browser.ask("document.title")[:90]
    assert [lines[0].startswith(title) for lines in pages[1:]] == [True] * (len(pages) - 1)
    last = [lines[-1] for lines in pages]
    assert len(last) > 1
    # a heading of several lines is not torn apart either
    assert [line for line in last if any(heading.startswith(line) for heading in headings)] == []
