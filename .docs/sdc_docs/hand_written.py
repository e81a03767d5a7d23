"""Pages that are written by hand name a chapter by its file, so that a code host finds it: on the site it is a page."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_docs.chapters import ROOT, list_chapters

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LINK = re.compile(r"\]\((?P<file>[^)\s#:]+\.md)(?P<anchor>#[^)\s]*)?\)")


def map_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let the links of a page to files that are chapters lead to the pages of these."""
    page = Path(app.srcdir, f"{docname}.md")
    if page.is_file() and docname.partition("/")[0] not in {"chapters", "functions", "gallery", "reference"}:
        source[0] = _LINK.sub(lambda found: _map_link(found, page, Path(app.srcdir)), source[0])


def _map_link(found: re.Match[str], page: Path, site: Path) -> str:
    there = (page.parent / found["file"]).resolve()
    chapters = list_chapters()
    if there not in chapters and there != ROOT / "README.md":
        return found[0]
    target = site / "chapters" / f"{chapters[there]}.md" if there in chapters else site / "index.md"
    return f"]({Path(os.path.relpath(target, page.parent)).as_posix()}{found['anchor'] or ''})"
