"""The page of sdc-sql app as a process of its own, and one browser that is driven through it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest
from driven_page import CHROMIUM, KEY, OPTIONS, App


@pytest.fixture
def start(tmp_path):
    """Return what starts sdc-sql app on a file; every one is ended."""
    pytest.importorskip("shiny", reason="the extra app is not installed")
    started = []

    def begin(path, *options):
        environment = {
            **os.environ, "SDC_KEY": KEY, "XDG_STATE_HOME": str(tmp_path / "state"), "PYTHONUNBUFFERED": "1",
        }  # fmt: skip
        process = subprocess.Popen(
            [sys.executable, "-m", "sdc_sql", "app", str(path), *options], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=tmp_path,
        )  # fmt: skip
        app = App(process)
        reading = threading.Thread(target=app.read, daemon=True)
        reading.start()
        started.append((app, reading))
        return app

    yield begin
    for app, reading in started:
        app.process.terminate()
        try:
            app.process.wait(15)
        finally:
            app.process.kill()
            reading.join(5)
            app.process.stdin.close()
            app.process.stdout.close()


@pytest.fixture(scope="session")
def browser():
    """Return one browser for all tests."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield found
        found.close()


@pytest.fixture
def visit(browser):
    """Return what opens an address in a window of a user of his own; what the page complains of is kept."""
    opened = []

    def go(address, **how):
        context = browser.new_context(viewport={"width": 1200, "height": 900}, **how)
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(90_000)
        page.complaints = []
        page.frames_seen = []
        page.on("console", lambda said: page.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("websocket", lambda found: found.on("framereceived", lambda frame: page.frames_seen.append(frame)))  # noqa: PLW0108 - a method cannot be marked
        page.goto(address)
        page.wait_for_selector("#heading")
        return page

    yield go
    for context in opened:
        context.close()
