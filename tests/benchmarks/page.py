"""How long the page of sdc-sql app takes, as whoever sits before it waits: from a click to what it shows.

    python tests/benchmarks/page.py                 1,000,000 records
    python tests/benchmarks/page.py 100000          fewer

It needs Shiny, Playwright and a Chromium. Ten columns, six of them keys.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from driven_page import CHROMIUM, OPTIONS, App, go_to, wait_until_idle

if TYPE_CHECKING:
    from collections.abc import Callable

RECORDS = """
    SELECT i AS id, 18 + (hash(i * 7) % 80)::INT AS age, ['f', 'm'][1 + (hash(i) % 2)::INT] AS sex,
           'region ' || (hash(i * 3) % 40) AS region, 'level ' || (hash(i * 5) % 8) AS education,
           'job ' || (hash(i * 11) % 60) AS job, (hash(i * 13) % 6)::INT AS children,
           (hash(i * 17) % 100000)::INT AS income, (hash(i * 19) % 1000) / 3.0 AS pay,
           (10 + hash(i * 23) % 30)::DOUBLE AS weight
    FROM range(?) r(i)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    records = parser.parse_args().records
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "persons.parquet"
        with duckdb.connect() as con:
            con.sql(RECORDS, params=[records]).write_parquet(str(file))
        process = subprocess.Popen(
            [sys.executable, "-m", "sdc_sql", "app", str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env={**os.environ, "XDG_STATE_HOME": folder, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        app = App(process)
        threading.Thread(target=app.read, daemon=True).start()
        try:
            start = time.perf_counter()
            address = app.wait_for_address()
            print(f"| read {records:,} records | {time.perf_counter() - start:.2f} s |")
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
                measure(browser.new_page(), address, records)
                browser.close()
        finally:
            process.terminate()
            process.wait(30)


def measure(page, address: str, records: int) -> None:
    page.set_default_timeout(120_000)

    def tell(what: str, do: Callable[[], object], then: Callable[[], object]) -> None:
        start = time.perf_counter()
        do()
        then()
        print(f"| {what} | {time.perf_counter() - start:.2f} s |", flush=True)

    def shows(selector: str, text: str) -> Callable[[], object]:
        script = "([selector, text]) => document.querySelector(selector)?.textContent.trim() === text"
        return lambda: page.wait_for_function(script, arg=[selector, text])

    last = (records - 1) // 100 * 100 + 1
    first = "#look-records tbody th"
    tell("open, to the first records", lambda: page.goto(address), lambda: page.wait_for_selector(first))
    tell("... to every column", lambda: None, lambda: page.wait_for_selector("#look-table"))
    wait_until_idle(page)
    tell("the last page of records", lambda: page.click("#look_page-last"), shows(first, f"{last:,}"))
    tell("the page before", lambda: page.click("#look_page-previous"), shows(first, f"{last - 100:,}"))
    page.click("#look-accept")
    wait_until_idle(page)
    tell("the risk of the file", lambda: go_to(page, "risk"), lambda: page.wait_for_selector(".tiles"))
    wait_until_idle(page)
    records_of = "#risk-records tbody tr:nth-child(50)"
    tell("the worst records", lambda: page.click("#risk-to-records"), lambda: page.wait_for_selector(records_of))
    wait_until_idle(page)
    said = f"Records {last:,} to {records:,} of {records:,}"
    tell("their last page", lambda: page.click("#records_page-last"), shows("#risk_panel .pager p", said))
    wait_until_idle(page)
    measure_preview(page, tell)


def measure_preview(page, tell: Callable[[str, Callable[[], object], Callable[[], object]], None]) -> None:
    """Recode a key by cut points: what it would do is exact, from the cells."""

    def looks_ahead(cuts: str) -> Callable[[], object]:
        script = (
            "cuts => document.querySelector('#protect_preview .what-it-does')?.textContent.includes(cuts)"
            " && document.querySelector('#protect_preview .kind') !== null"
        )
        return lambda: page.wait_for_function(script, arg=cuts)

    tell("the file as it stands", lambda: go_to(page, "protect"), lambda: page.wait_for_selector("#protect-now"))
    page.select_option("#protect-columns", "age")
    wait_until_idle(page)
    page.click("#protect-add")
    page.wait_for_selector("#protect-break-0")
    for what, cut in (("what a recoding would do", "40"), ("... with another cut point", "55")):
        page.fill("#protect-break-0", cut)
        tell(what, lambda: page.keyboard.press("Tab"), looks_ahead(f"cut points {cut}"))
        wait_until_idle(page)


if __name__ == "__main__":
    main()
