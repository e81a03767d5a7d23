"""Who gets through: the cookie, the host, the origin. Without a browser, and without Shiny."""

from __future__ import annotations

import asyncio

import pytest

from sdc_sql.app.guard import Guard

PORT = 4321
HOST = f"127.0.0.1:{PORT}"


class _Application:
    """What is guarded: it counts who comes through."""

    def __init__(self):
        self.reached = 0

    async def __call__(self, scope, _, send):
        self.reached += 1
        if scope["type"] == "http":
            headers = [(b"content-type", b"text/plain"), (b"Cache-Control", b"max-age=9"), (b"x-own", b"1")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": b"inside"})
        else:
            await send({"type": "websocket.accept"})


def _ask(guard, path="/", *, kind="http", method="GET", query="", **headers):
    """Return the status (of a socket 101 or 403), the headers and the body."""
    given = {"host": HOST, **headers}
    scope = {
        "type": kind, "path": path, "method": method, "query_string": query.encode(),
        "headers": [(n.replace("_", "-").encode(), v.encode()) for n, vs in given.items() if vs is not None
                    for v in ([vs] if isinstance(vs, str) else vs)],
    }  # fmt: skip
    sent = []

    async def receive():
        return {"type": "websocket.connect"}

    async def send(message):
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    if kind == "websocket":
        return (101 if sent[0]["type"] == "websocket.accept" else 403), {}, b""
    found = {n.decode().lower(): v.decode() for n, v in sent[0]["headers"]}
    return sent[0]["status"], found, sent[1]["body"]


@pytest.fixture
def guard():
    return Guard(_Application(), PORT, "default-src 'none'")


def _open(guard):
    """Return the cookie that the token is exchanged for, as a browser sends it."""
    status, headers, _ = _ask(guard, query=guard.make_address().partition("?")[2])
    assert status == 200
    return headers["set-cookie"].partition(";")[0]


def test_nothing_is_served_without_the_cookie(guard):
    assert _ask(guard)[0] == 403
    assert _ask(guard, "/lib/page.js")[0] == 403
    assert _ask(guard, kind="websocket", origin=f"http://{HOST}")[0] == 403
    assert guard.application.reached == 0


def test_the_token_works_once_and_becomes_a_cookie_of_the_port(guard):
    query = guard.make_address().partition("?")[2]
    status, headers, _ = _ask(guard, query=query)
    assert status == 200
    name, _, rest = headers["set-cookie"].partition("=")
    assert name == f"sdc_sql_{PORT}"
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= {part.strip() for part in rest.split(";")}
    assert _ask(guard, query=query)[0] == 403
    assert _ask(guard, cookie=headers["set-cookie"].partition(";")[0])[0] == 200


@pytest.mark.parametrize("query", ["token=", "token=x", "token", "", "token=%00", "token=é"])
def test_another_token_does_not(guard, query):
    guard.make_address()
    assert _ask(guard, query=query)[0] == 403


def test_two_tokens_at_once_do_not(guard):
    query = guard.make_address().partition("?")[2]
    assert _ask(guard, query=f"{query}&token=x")[0] == 403


def test_a_new_address_ends_the_one_before_and_a_new_cookie_the_cookie_before(guard):
    first = guard.make_address().partition("?")[2]
    cookie = _open(guard)  # of a second address
    assert _ask(guard, query=first)[0] == 403
    assert _ask(guard, cookie=cookie)[0] == 200
    other = _open(guard)
    assert _ask(guard, cookie=cookie)[0] == 403
    assert _ask(guard, cookie=other)[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", None, ""]
)
def test_another_host_is_refused_with_the_cookie_too(guard, host):
    cookie = _open(guard)
    assert _ask(guard, host=host, cookie=cookie)[0] == 403


def test_two_hosts_are_refused(guard):
    assert _ask(guard, host=[HOST, HOST], cookie=_open(guard))[0] == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", f"https://{HOST}", f"http://localhost:{PORT}", "http://127.0.0.1:1", ""]
)
def test_another_origin_is_refused_with_the_cookie_too(guard, origin):
    cookie = _open(guard)
    assert _ask(guard, origin=origin, cookie=cookie)[0] == 403
    assert _ask(guard, kind="websocket", origin=origin, cookie=cookie)[0] == 403


def test_a_socket_and_what_is_sent_must_name_their_origin(guard):
    cookie = _open(guard)
    assert _ask(guard, kind="websocket", cookie=cookie)[0] == 403
    assert _ask(guard, method="POST", cookie=cookie)[0] == 403
    assert _ask(guard, kind="websocket", origin=f"http://{HOST}", cookie=cookie)[0] == 101
    assert _ask(guard, method="POST", origin=f"http://{HOST}", cookie=cookie)[0] == 200


@pytest.mark.parametrize("cookie", ["sdc_sql_4321=x", "sdc_sql_4321=", "sdc_sql_1={}", "\x00", "a=b; sdc_sql_4321=é"])
def test_another_cookie_is_refused(guard, cookie):
    value = _open(guard).partition("=")[2]
    assert _ask(guard, cookie=cookie.replace("{}", value))[0] == 403


def test_every_answer_has_the_headers_and_ours_replace_others(guard):
    cookie = _open(guard)
    for status, headers, _ in (_ask(guard), _ask(guard, cookie=cookie), _ask(guard, query="token=x")):
        assert headers["cache-control"] == "no-store", status
        assert headers["content-security-policy"] == "default-src 'none'"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert _ask(guard, cookie=cookie)[1]["x-own"] == "1"
