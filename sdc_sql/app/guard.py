"""Who may see the page: whoever has the cookie that a token was exchanged for, from this machine's own address.

The middleware stands before all that is served, the socket of the page too. Without the cookie, for another host's
name (a page elsewhere whose name leads here), or from another origin (a page elsewhere that a browser shows beside),
the answer is 403 and nothing else is done.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Scope, Receive, Send], Awaitable[None]]

READS = ("GET", "HEAD")
# what a page that was opened by the address of the token does next: the address of the token is not kept in its history
_ON = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>sdc-sql</title><link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0; url=/"></head><body><p><a href="/">Open the page</a></p></body></html>'
)
_FORBIDDEN = (
    "403: this page is for one person. Open the address that sdc-sql app printed; it works once. Press Enter in the "
    "terminal for another one.\n"
)


class Guard:
    """What lets requests through to an application, or not.

    Parameters
    ----------
    application
        What is guarded.
    port
        The port that it is served on, on this machine.
    policy
        The Content-Security-Policy of every answer.
    """

    def __init__(self, application: Application, port: int, policy: str) -> None:
        self.application = application
        self.port = port
        self.cookie = f"sdc_sql_{port}"
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.connections = 0
        self._token: str | None = None
        self._pass: str | None = None
        self._ends: set[Callable[[], Awaitable[None]]] = set()
        self._headers = [
            (b"cache-control", b"no-store"),
            (b"content-security-policy", policy.encode("ascii")),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cross-origin-opener-policy", b"same-origin"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]

    def make_address(self) -> str:
        """Return an address that opens the page once; one that was not used yet is worth nothing then."""
        self._token = secrets.token_urlsafe(32)
        return f"http://127.0.0.1:{self.port}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, let it through, or refuse it."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        guarded = self._add_headers(send)
        headers = _read_headers(scope)
        if not self._is_ours(scope, headers):
            await _refuse(scope, receive, guarded)
        elif self._has_pass(headers):
            await self._pass_on(scope, receive, guarded)
        elif scope["type"] == "http" and scope["path"] == "/" and self._use_token(scope):
            await self._give_pass(guarded)
        else:
            await _refuse(scope, receive, guarded)

    def _is_ours(self, scope: Scope, headers: dict[str, list[str]]) -> bool:
        """Return whether a request names this host, and comes from a page of it or from no page."""
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts or len(origins) > 1:
            return False
        if origins:
            return origins[0].lower() == f"http://{hosts[0].lower()}"
        return scope["type"] == "http" and scope["method"] in READS  # a socket, and what sends something, name theirs

    def _has_pass(self, headers: dict[str, list[str]]) -> bool:
        if self._pass is None:
            return False
        for header in headers.get("cookie", []):
            try:
                found = SimpleCookie(header).get(self.cookie)
            except CookieError:
                continue
            if found is not None and secrets.compare_digest(found.value.encode(), self._pass.encode()):
                return True
        return False

    def _use_token(self, scope: Scope) -> bool:
        """Return whether a request has the token, which is used up then."""
        if scope["method"] != "GET" or self._token is None:
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if len(given) != 1 or not secrets.compare_digest(given[0].encode(), self._token.encode()):
            return False
        self._token = None
        return True

    async def _give_pass(self, send: Send) -> None:
        """Give a cookie, the only one from now on; who had another one is shut out."""
        self._pass = secrets.token_urlsafe(32)
        for end in [*self._ends]:
            await end()
        cookie = f"{self.cookie}={self._pass}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"content-type", b"text/html; charset=utf-8"), (b"set-cookie", cookie.encode("ascii"))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": _ON.encode()})

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self.application(scope, receive, send)
            return

        async def end() -> None:
            await send({"type": "websocket.close", "code": 1008})

        self.connections += 1
        self._ends.add(end)
        try:
            await self.application(scope, receive, send)
        finally:
            self._ends.discard(end)
            self.connections -= 1

    def _add_headers(self, send: Send) -> Send:
        """Return what sends a message with the headers of every answer, in the place of others of their names."""
        ours = {name for name, _ in self._headers}

        async def guarded(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                kept = [(name, value) for name, value in message.get("headers", []) if name.lower() not in ours]
                message = {**message, "headers": [*kept, *self._headers]}
            await send(message)

        return guarded


def _read_headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the answer is 403
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": _FORBIDDEN.encode()})
