"""What a browser lets the page do: its Content-Security-Policy, with digests of the scripts that Shiny writes."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL | re.IGNORECASE)
_ELSEWHERE = re.compile(r"""\bsrc\s*=|\btype\s*=\s*["']?application/(?!javascript)""", re.IGNORECASE)


def list_inline_scripts(page: str) -> list[str]:
    """Return the scripts that stand in a page, without those from files and without data.

    Examples
    --------
    >>> list_inline_scripts('<script>f()</script><script src="a.js"></script>')
    ['f()']
    """
    return [m["text"] for m in _SCRIPT.finditer(page) if not _ELSEWHERE.search(m["attributes"])]


def make_policy(scripts: Iterable[str]) -> str:
    """Return the policy: nothing from elsewhere, no script but those of files of ours and these.

    Examples
    --------
    >>> make_policy(["f()"]).split("; ")[1]
    "script-src 'self' 'sha256-GcEEE0IkDzIP5EQ6DXZaDPORqT5RTBELX8Fyzyg9yvo='"
    """
    digests = "".join(f" 'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src 'self'{digests}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
