"""The site as it was built: whole, without anything from elsewhere, and fit to be read, searched and listened to."""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import threading
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from browser import Browser, find_chromium
from sdc_docs.prose import read_prose
from sdc_docs.rooms import name_page

from sdc_sql.db.catalogue.macros import read_catalogue

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / ".docs" / "_build" / "html"
AXE = Path(os.environ.get("SDC_AXE", ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js"))
# one of each kind
PAGES = ("index", "functions/risk/theta", "functions/sources", "reference/command_line/risk", "gallery/releases/lfs")
MEGABYTES = 40
MANY = 30  # of results: so many functions rest on one paper
# colours are those that they come to be
STILL = """document.head.append(Object.assign(document.createElement('style'),
    {textContent: '*, *::before, *::after {transition: none !important}'}));
    new Promise(done => setTimeout(done, 300))"""
FOUND = """/found|did not match/.test(document.querySelector('.search-summary')?.innerText ?? '') &&
    [...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'))"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="the site is not built: see .docs/README.md"),
]


class Links(HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and given.get("href"):
            self.targets.append(given["href"])
        elif tag in {"script", "img", "iframe", "source", "video", "audio"} and given.get("src"):
            self.loaded.append(given["src"])
        elif tag == "link" and given.get("rel") not in {"search", "next", "prev", "index", "canonical", "author"}:
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def pages():
    return {p: Links(p.read_text(encoding="utf-8")) for p in sorted(SITE.rglob("*.html")) if "_static" not in p.parts}


def resolve(page, target):
    """Return the file that a link of a page means, and the anchor."""
    path, _, anchor = unquote(target).partition("#")
    file = (page.parent / path.partition("?")[0]).resolve() if path else page
    return (file / "index.html" if file.is_dir() else file), anchor


def test_every_link_leads_to_a_file_and_an_anchor_that_are_there(pages):
    lost = []
    for page, its in pages.items():
        for target in (*its.targets, *its.loaded):
            if re.match(r"[a-z]+:|//", target):
                continue
            file, anchor = resolve(page, target)
            if not file.is_file() or (anchor and file in pages and anchor not in pages[file].anchors):
                lost.append((page.relative_to(SITE).as_posix(), target))
    assert lost == []


def test_nothing_is_fetched_from_elsewhere(pages):
    asked = Counter(target for its in pages.values() for target in its.loaded if re.match(r"[a-z]+://|//", target))
    assert asked == {}
    for style in SITE.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert not re.search(r"""(url\(|@import )\s*["']?(https?:)?//""", text), style


def test_no_page_is_an_orphan(pages):
    """Every page is reached from the front page by links."""
    reached, waiting = set(), [SITE / "index.html"]
    while waiting:
        page = waiting.pop()
        if page in reached or page not in pages:
            continue
        reached.add(page)
        waiting += [resolve(page, t)[0] for t in pages[page].targets if not re.match(r"[a-z]+:|//", t)]
    made = {"search.html", "genindex.html", "py-modindex.html"}  # by Sphinx: the search is a button
    left = {p.relative_to(SITE).as_posix() for p in pages.keys() - reached}
    assert left <= made


def test_every_function_has_a_page_and_the_site_its_size():
    for declaration in read_catalogue():
        assert (SITE / "functions" / f"{name_page(declaration)}.html").is_file(), declaration.name
    size = sum(p.stat().st_size for p in SITE.rglob("*") if p.is_file())
    assert size < MEGABYTES * 1_000_000


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that says nothing, and keeps what was asked for."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    """Return the address of a server of the site, on this machine alone."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if find_chromium() is None:
        pytest.skip("no Chromium is installed")
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(browser, address, page, dark):
    if not AXE.is_file():
        pytest.skip("no axe-core: npm install --prefix .axe axe-core@4")
    browser.visit(f"{address}/{page}.html", dark=dark)
    browser.ask(STILL)
    browser.ask(AXE.read_text(encoding="utf-8"))
    # a report within a page is looked at by its own tests
    found = browser.ask("axe.run({exclude: [['iframe']]}).then(r => JSON.stringify(r.violations))")
    told = [(v["id"], [n["html"][:120] for n in v["nodes"]][:3]) for v in json.loads(found)]
    assert told == []


@pytest.mark.parametrize("page", [*PAGES, "functions/mask/noise", "reference/api/mask", "chapters/sdc_sql_mask"])
def test_no_page_scrolls_sideways_on_a_phone(browser, address, page):
    browser.visit(f"{address}/{page}.html", width=390, height=844)
    assert browser.ask("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_every_formula_of_a_header_is_drawn(browser, address):
    written = (block.write() for d in read_catalogue() for block in read_prose(d) if block.kind == "formula")
    drawn = sorted({text[len("```{math}\n") : -len("\n```")] for text in written if text.startswith("```{math}")})
    browser.visit(f"{address}/functions/risk/theta.html")
    browser.wait("!!window.MathJax?.tex2chtml && document.querySelectorAll('mjx-container').length > 0")
    told = browser.ask(f"""JSON.stringify({json.dumps(drawn)}.filter(
        tex => MathJax.tex2chtml(tex, {{display: true}}).querySelector('mjx-merror')))""")
    assert json.loads(told) == []
    assert len(drawn) >= 35


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("theta", "functions/risk/theta.html"),
        ("sdc_microaggregate", "functions/mask/microaggregate.html"),
        ("handbook 3.3.6", "functions/risk/log_linear_risk.html"),
        ("Skinner & Elliot (2002)", "functions/risk/theta.html"),
        ("local suppression", "functions/mask/local_suppression.html"),
    ],
)
def test_the_search_finds_the_page(browser, address, query, page):
    browser.visit(f"{address}/search.html")
    browser.ask(f"Search.performSearch({json.dumps(query)})")
    found = browser.wait(FOUND)
    assert any(href.partition("?")[0].partition("#")[0].endswith(page) for href in found[:MANY]), found[:MANY]
