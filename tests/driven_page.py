"""A page of sdc-sql app that a browser is driven through: the process, and what is done in the page."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess

ROOT = Path(__file__).resolve().parents[1]
AXE = ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
KEY = "a-key-of-these-tests-that-no-page-may-show-0123456789"
CHROMIUM = next((found for name in ("chromium", "chromium-browser") if (found := shutil.which(name))), None)
OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


@dataclass
class App:
    """A running sdc-sql app: what it printed, and the address that it printed last."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def read(self) -> None:
        for stream in (self.process.stdout,):
            for line in stream:
                with self.changed:
                    self.lines.append(line)
                    self.changed.notify_all()

    def wait_for_address(self, number: int = 1) -> str:
        """Return the address that is printed as this one."""

        def there() -> list[str]:
            return re.findall(r"http://\S+", "".join(self.lines))

        with self.changed:
            self.changed.wait_for(lambda: len(there()) >= number or self.process.poll() is not None, timeout=30)
        assert len(there()) >= number, "".join(self.lines)
        return there()[number - 1]

    @property
    def port(self) -> int:
        return int(re.search(r":(\d+)/", self.wait_for_address())[1])


def wait_until_idle(page):
    """Wait until no part of the page is being computed."""
    page.wait_for_timeout(150)
    page.wait_for_function("() => !document.querySelector('[aria-busy=true], .recalculating')", timeout=60_000)
    page.wait_for_timeout(100)


def accept_proposals(page):
    """Accept what is proposed for each column."""
    page.click("#look-accept")
    page.wait_for_function("() => document.querySelector('#to-look .stands').textContent.startsWith('all ')")
    wait_until_idle(page)


def find_file(app):
    """Return the release file that the page writes."""
    said = next(line for line in app.lines if "The release file: " in line)
    return Path(said.rpartition("The release file: ")[2].strip())


def choose_method(page, method, column=None):
    """Begin a step of the step Protect."""
    page.select_option("#protect-method", method)
    page.wait_for_function(f"() => document.querySelector('#protect-method').value === '{method}'")
    wait_until_idle(page)
    if column:
        page.select_option("#protect-columns", column)
        wait_until_idle(page)


def apply_step(page, number):
    """Apply a step, and wait until there are so many."""
    page.click("#protect-apply")
    page.wait_for_selector(f".worksteps > li >> nth={number - 1}")
    wait_until_idle(page)


def go_to(page, step):
    """Go to a step, and wait until it is there."""
    page.click(f"#to-{step}")
    page.wait_for_selector(f".step.{step}")
    wait_until_idle(page)


def list_violations(page):
    """Return what axe-core finds wrong for who cannot see the page or has no mouse."""
    if not AXE.exists():
        pytest.skip("axe-core is not there: npm install --prefix .axe axe-core@4")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(
        "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"
        ".map(v => [v.id, v.nodes.map(n => n.html.slice(0, 160))])"
    )
