"""The extension of Sphinx that writes the pages which come from the code: from its declarations, nothing by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_docs import hand_written, links, mathjax, pages, releases, theirs
from sdc_docs.lexer import DuckDbLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect what writes pages and what copies files."""
    app.connect("builder-inited", pages.write_all)
    app.connect("source-read", hand_written.map_links)
    app.connect("source-read", theirs.mark_blocks)
    app.connect("build-finished", finish)
    app.add_lexer("sql", DuckDbLexer)
    app.add_post_transform(links.LinkFunctions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def finish(app: Sphinx, error: Exception | None) -> None:
    """Copy what pages refer to, and leave out what no reader asks for."""
    if error is not None or app.builder.format != "html":
        return
    mathjax.copy_files(Path(app.outdir))
    releases.copy_reports(Path(app.srcdir), Path(app.outdir))
    for path in Path(app.outdir, "_static").rglob("*.map"):
        path.unlink()
