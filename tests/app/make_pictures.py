"""The pictures of the chapter: ``python tests/app/make_pictures.py``, with Playwright and Chromium.

The couples of the example, with two of their steps and with all of them, are opened as anybody opens a file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from sdc_sql.app.draft import format_release
from sdc_sql.app.kept import find_folder
from sdc_sql.write import ROOT

FOLDER = ROOT / ".github" / "pictures"
SIZE = {"width": 1280, "height": 900}
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
IDLE = "() => !document.querySelector('[aria-busy=true], .recalculating')"
LONG = 120_000  # milliseconds


def draw_pictures(folder: Path = FOLDER) -> None:
    """Write the three pictures to a folder."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra, of this script alone

    said = tomllib.loads((ROOT / "fixtures" / "cps_couples.toml").read_text(encoding="utf-8"))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=OPTIONS)
        with tempfile.TemporaryDirectory() as place:
            process, address = open_page({**said, "steps": said["steps"][:2]}, Path(place))
            try:
                page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type] # whole numbers
                page.set_default_timeout(LONG)
                page.goto(address)
                _show_protect(page, folder)
                _show_compare(page, folder)
            finally:
                process.terminate()
                process.wait(20)
        with tempfile.TemporaryDirectory() as place:
            process, address = open_page(said, Path(place))
            try:
                page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type] # whole numbers
                page.set_default_timeout(LONG)
                page.goto(address)
                page.click("#to-release")
                page.wait_for_selector("#release-limits")
                page.wait_for_function(IDLE)
                page.screenshot(path=str(folder / "app-release.png"))
            finally:
                process.terminate()
                process.wait(20)
        browser.close()


def open_page(said: dict[str, Any], place: Path) -> tuple[subprocess.Popen[str], str]:
    """Return a process that serves the page of the couples with a release file, and its address."""
    data = place / "cps_couples.parquet"
    shutil.copy(ROOT / "fixtures" / "cps_couples.parquet", data)
    state = place / "state"
    os.environ["XDG_STATE_HOME"] = str(state)
    kept = find_folder(data, None)
    kept.mkdir(parents=True)
    (kept / "release.toml").write_text(format_release({**said, "source": {"path": str(data)}}), encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "sdc_sql", "app", str(data)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    for line in process.stdout or ():
        if "http://" in line:
            return process, line.strip()
    raise RuntimeError("The page did not begin.")


def _show_protect(page: Any, folder: Path) -> None:
    page.click("#to-protect")
    page.wait_for_selector("#protect-now")
    page.select_option("#protect-columns", "experience")
    page.wait_for_function(IDLE)
    for i, value in enumerate((10, 20, 30, 40)):
        page.click("#protect-add")
        page.wait_for_selector(f"#protect-break-{i}")
        page.fill(f"#protect-break-{i}", str(value))
        page.keyboard.press("Tab")
        page.wait_for_timeout(500)
        page.wait_for_function(IDLE)
    page.wait_for_selector("#protect-risk")
    page.wait_for_function(IDLE)
    page.evaluate("document.activeElement.blur(); document.getElementById('protect-step-head').scrollIntoView()")
    page.screenshot(path=str(folder / "app-protect.png"))
    page.click("#protect-apply")
    page.wait_for_selector(".worksteps > li >> nth=2")
    page.wait_for_selector("#protect-now")
    page.wait_for_function(IDLE)


def _show_compare(page: Any, folder: Path) -> None:
    page.click("#protect-switch-0")
    page.wait_for_selector(".worksteps .off")
    page.wait_for_timeout(1000)
    page.wait_for_function(IDLE)
    page.click("#undo")
    page.wait_for_timeout(1000)
    page.wait_for_function(IDLE)
    page.click("#to-compare")
    page.wait_for_selector("#compare-tried")
    page.select_option("#compare-loss", index=2)
    page.wait_for_timeout(1000)
    page.wait_for_function(IDLE)
    page.evaluate("window.scrollTo(0, 0)")
    page.screenshot(path=str(folder / "app-compare.png"))


if __name__ == "__main__":
    draw_pictures()
