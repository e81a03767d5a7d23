"""The extension of Sphinx that writes the pages which come from the code: from its declarations, nothing by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_docs import links, mathjax, pages
from sdc_docs.lexer import DuckDbLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect what writes pages and what copies files."""
    app.connect("builder-inited", pages.write_all)
    app.connect("build-finished", mathjax.copy_files)
    app.add_lexer("sql", DuckDbLexer)
    app.add_post_transform(links.LinkFunctions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
