"""The page as it is used: a browser is driven through sdc-sql app, which runs as a process of its own."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
import tomllib

import duckdb
import pytest
from driven_page import ROOT, accept_proposals, find_file, go_to, list_violations, wait_until_idle

from sdc_sql.app.policy import list_inline_scripts

pytestmark = pytest.mark.slow
COUPLES = ROOT / "fixtures" / "cps_couples.parquet"
HURT = '<img src=x onerror="window.hurt=1">'


@pytest.fixture
def couples(start, visit):
    """Return the couples in a page, with every proposal accepted."""
    app = start(COUPLES)
    page = visit(app.wait_for_address())
    wait_until_idle(page)
    accept_proposals(page)
    page.app = app
    return page


def _read_file(app):
    """Return the release file that the page writes."""
    return tomllib.loads(find_file(app).read_text(encoding="utf-8"))


def test_look_at_columns_and_records_and_undo(couples):
    page = couples
    assert list_violations(page) == []
    page.focus("#look-role-8")
    page.select_option("#look-role-8", "drop")
    page.wait_for_function("() => document.querySelector('#undo').title.includes('hours: not needed')")
    wait_until_idle(page)
    assert _read_file(page.app)["roles"]["drop"] == ["hours"]
    assert page.evaluate("document.activeElement.id") == "look-role-8"
    page.click("#undo")
    page.wait_for_function("() => document.querySelector('#look-role-8').value === 'sensitive'")
    assert "drop" not in _read_file(page.app)["roles"]
    page.click("#redo")
    page.wait_for_function("() => document.querySelector('#look-role-8').value === 'drop'")
    page.click("#look-open-4")
    page.wait_for_selector(".opened figure")
    page.click("#look_page-last")
    page.wait_for_function("() => document.querySelector('.pager p').textContent.includes('22,201 to 22,272')")
    page.fill("#look-fraction", "2")
    page.click("#look-fraction-set")
    assert "between 0 and 1" in page.wait_for_selector(".line .problem").inner_text()
    page.fill("#look-fraction", "0.0006")
    page.click("#look-fraction-set")
    page.wait_for_selector(".line .problem", state="detached")
    assert _read_file(page.app)["roles"]["sampling_fraction"] == 0.0006
    assert page.complaints == []


def test_a_reload_and_a_second_tab_lose_nothing(couples):
    page = couples
    go_to(page, "scenarios")
    page.reload()
    page.wait_for_selector(".step.scenarios .card")  # the step too
    second = page.context.new_page()
    second.goto(page.url.partition("#")[0])
    second.wait_for_selector(".step.look")
    wait_until_idle(second)
    assert second.inner_text("#to-look .stands") == "all 14 columns decided"
    second.select_option("#look-role-1", "drop")
    page.wait_for_selector("#scenario-0-key-region", state="detached")  # the first one follows by itself
    assert page.complaints == []


def test_keyboard_alone(start, visit):
    page = visit(start(COUPLES).wait_for_address())
    wait_until_idle(page)

    def focused():
        return page.evaluate("document.activeElement.id || document.activeElement.className")

    page.keyboard.press("Tab")
    assert focused() == "skip"
    page.keyboard.press("Enter")
    assert focused() == "work"
    for _ in range(30):
        page.keyboard.press("Tab")
        if focused() == "look-role-0":
            break
    assert focused() == "look-role-0"
    page.keyboard.type("direct")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#undo').title.includes('couple: direct identifier')")
    wait_until_idle(page)
    assert focused() == "look-role-0"  # though the table was drawn anew
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    for _ in range(20):
        page.keyboard.press("Shift+Tab")
        if focused() == "to-scenarios":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(".step.scenarios")
    page.wait_for_function("() => document.activeElement.id === 'heading'")
    assert page.complaints == []


def test_names_and_values_are_text_whatever_they_hold(start, visit, tmp_path):
    path = tmp_path / "<img src=x onerror=window.hurt=1>.parquet"
    with duckdb.connect() as con:
        a, b, c = (f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (HURT, f"b{HURT}", f"c{HURT}"))
        chosen = f"'{HURT}' || (i % 7) AS {a}, '{HURT}' || (i % 5) AS {b}, i AS {c}"
        con.execute(f"CREATE TABLE t AS SELECT {chosen} FROM range(300) r(i)")
        con.table("t").write_parquet(str(path))
    app = start(path)
    page = visit(app.wait_for_address())
    wait_until_idle(page)
    page.click("#look-accept")
    wait_until_idle(page)
    page.select_option("#look-role-0", "keys")
    page.select_option("#look-role-1", "keys")
    wait_until_idle(page)
    page.click("#look-open-0")
    page.wait_for_selector(".opened")
    go_to(page, "scenarios")
    page.fill("#scenario-0-name", HURT)
    page.fill("#scenario-0-text", f"</textarea>{HURT}")
    page.keyboard.press("Tab")
    wait_until_idle(page)  # what is drawn anew is closed again
    page.click("#limit-0-add")
    page.wait_for_selector("#limits-0-table")
    wait_until_idle(page)
    page.click("#limit-0-more summary")
    page.fill("#limit-0-text", HURT)
    page.click("#limit-0-write")
    page.wait_for_selector(".card .problem")
    go_to(page, "risk")
    for panel in ("file", "keys", "records", "suda", "threshold"):
        page.click(f"#risk-to-{panel}")
        wait_until_idle(page)
    assert page.evaluate("[window.hurt, document.querySelectorAll('img').length]") == [None, 0]
    assert page.evaluate("document.querySelectorAll('main script').length") == 0
    assert page.complaints == []


def _shake_hands(port, **headers):
    """Return the status of a socket's opening."""
    given = {
        "Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", **headers,
    }  # fmt: skip
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    with socket.create_connection(("127.0.0.1", port), timeout=10) as opened:
        opened.sendall(f"GET /websocket/ HTTP/1.1\r\n{lines}\r\n".encode())
        return int(opened.recv(4096).split()[1])


def _get(port, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, body


def test_one_user_on_this_machine_alone(start, visit):
    app = start(COUPLES)
    address = app.wait_for_address()
    port, ours = app.port, f"http://127.0.0.1:{app.port}"
    assert _get(port)[0] == 403
    assert _get(port, "/?token=wrong")[0] == 403
    assert _get(port, f"/?{address.partition('?')[2]}", Host="evil.example")[0] == 403
    assert _shake_hands(port, Origin=ours) == 403
    page = visit(address)
    wait_until_idle(page)
    (cookie,) = page.context.cookies()
    assert (cookie["name"], cookie["httpOnly"], cookie["sameSite"]) == (f"sdc_sql_{port}", True, "Strict")
    assert page.evaluate("document.cookie") == ""
    assert "token" not in page.url
    assert _get(port, f"/?{address.partition('?')[2]}")[0] == 403  # a second user
    passed = {"Cookie": f"{cookie['name']}={cookie['value']}"}
    status, headers, body = _get(port, **passed)
    assert status == 200
    assert headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self' 'sha256-")
    assert policy.count("sha256-") == len(list_inline_scripts(body)) > 0
    assert policy.partition("; style-src ")[2] == (
        "'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    assert "couple" not in body.replace("cps_couples", "")  # nothing of the data is in the page itself
    assert _get(port, Origin="http://evil.example", **passed)[0] == 403
    assert _shake_hands(port, Origin=ours, **passed) == 101
    assert _shake_hands(port, Origin="http://evil.example", **passed) == 403
    assert _shake_hands(port, **passed) == 403
    assert _shake_hands(port, Origin=ours, **{**passed, "Host": "evil.example"}) == 403
    with pytest.raises(OSError, match=r"."), socket.create_connection((_find_other_address(), port), timeout=3):
        pass
    # another address: who had the page before is shut out
    app.process.stdin.write("\n")
    app.process.stdin.flush()
    other = visit(app.wait_for_address(2))
    wait_until_idle(other)
    page.wait_for_selector("#lost", state="visible")
    assert _get(port, **passed)[0] == 403


def _find_other_address():
    """Return an address of this machine that is not 127.0.0.1."""
    return "127.0.0.2" if sys.platform == "linux" else socket.gethostbyname(socket.gethostname())


def test_it_ends_when_nobody_is_there_and_takes_up_what_was_done(start, visit):
    app = start(COUPLES, "--end-after", "0.03")
    page = visit(app.wait_for_address())
    wait_until_idle(page)
    page.select_option("#look-role-0", "id")
    page.wait_for_function("() => document.querySelector('#undo').title.includes('couple: id')")
    page.wait_for_timeout(3000)
    assert app.process.poll() is None  # somebody is there
    page.context.close()
    assert app.process.wait(15) == 0
    again = start(COUPLES)
    page = visit(again.wait_for_address())
    wait_until_idle(page)
    assert page.input_value("#look-role-0") == "id"
    assert "taken up" in "".join(again.lines)
    second = start(COUPLES)
    assert second.process.wait(15) == 2
    time.sleep(0.1)
    assert "open already" in "".join(second.lines)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["nowhere.parquet"], "There is no file"),
        ([str(COUPLES), "--port", "70000"], "must be a port"),
    ],
)
def test_what_cannot_be_opened_says_why(start, options, said):
    app = start(*options)
    assert app.process.wait(30) == 2
    time.sleep(0.1)
    assert said in "".join(app.lines)


def test_in_a_notebook_which_runs_a_loop_of_its_own_it_is_served_too(tmp_path):
    code = (
        "import asyncio, duckdb, sys, sdc_sql\n"
        "from sdc_sql.app import server\n"
        "server.MINUTES = server.serve_table.__kwdefaults__['minutes'] = 0.01\n"
        "async def cell():\n"
        "    sdc_sql.Microdata(duckdb.connect(), sys.argv[1], keys=['region'], id='couple').app()\n"
        "asyncio.run(cell())\n"
    )
    pytest.importorskip("shiny", reason="the extra app is not installed")
    found = subprocess.run(
        [sys.executable, "-c", code, str(COUPLES)], capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**os.environ, "XDG_STATE_HOME": str(tmp_path)}, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "http://127.0.0.1:" in found.stdout
    (file,) = tmp_path.glob("sdc-sql/app/*/release.toml")
    assert tomllib.loads(file.read_text())["roles"] == {"id": "couple"}


def test_without_shiny_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['shiny'] = None; from sdc_sql.cli import main; sys.exit(main(['app', sys.argv[1]]))"
    found = subprocess.run(
        [sys.executable, "-c", code, str(COUPLES)], capture_output=True, text=True, cwd=tmp_path, check=False
    )  # fmt: skip
    assert found.returncode == 2
    assert "pip install 'sdc-sql[app]'" in found.stderr


@pytest.mark.parametrize(("width", "height", "colours"), [(900, 700, "light"), (390, 800, "dark")])
def test_narrow_and_dark_pages_fit(start, visit, width, height, colours):
    page = visit(start(COUPLES).wait_for_address(), color_scheme=colours)
    page.set_viewport_size({"width": width, "height": height})
    wait_until_idle(page)
    accept_proposals(page)
    steps = ("look", "scenarios", "risk", "protect", "compare", "release")
    for step in steps[: 3 if colours == "light" else 6]:
        go_to(page, step)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, step
        assert list_violations(page) == [], step
    page.select_option("#look", "light" if colours == "dark" else "dark")
    assert list_violations(page) == []
    assert page.complaints == []
