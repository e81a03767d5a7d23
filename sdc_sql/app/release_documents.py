"""The reports as they will be, served as pages of their own: behind the same cookie, and without any script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping

    from sdc_sql.app.state import State

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Application = Callable[[Scope, Receive, Send], Awaitable[None]]

PLACE = "/documents/"
TYPES = {".html": "text/html", ".md": "text/plain", ".xml": "application/xml", ".json": "application/json"}
_KEPT: WeakKeyDictionary[State, Mapping[str, tuple[str, bytes]]] = WeakKeyDictionary()


def keep_documents(state: State, found: Mapping[str, tuple[str, bytes]]) -> None:
    """Keep the documents of the last run: by their fields the endings of their files, and the bytes."""
    _KEPT[state] = dict(found)


class Documents:
    """What answers for an application where a document is asked for: it stands behind the guard.

    Parameters
    ----------
    application
        The application.
    state
        The state whose documents these are.
    """

    def __init__(self, application: Application, state: State) -> None:
        self.application, self.state = application, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application do so."""
        if scope["type"] != "http" or not scope["path"].startswith(PLACE):
            await self.application(scope, receive, send)
            return
        found = _KEPT.get(self.state, {}).get(scope["path"].removeprefix(PLACE))
        status, (ending, body) = (200, found) if found else (404, (".md", b"There is no such document (any more)."))
        kind = f"{TYPES.get(ending, 'text/plain')}; charset=utf-8"
        headers = [(b"content-type", kind.encode("ascii")), (b"content-length", str(len(body)).encode("ascii"))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
