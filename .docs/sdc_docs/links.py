"""A function that a page names as code leads to the function's own page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

_NAMED = re.compile(r"(?:FROM )?(sdc_[a-z0-9_]+)(?:\(.*\))?;?")


class LinkFunctions(SphinxPostTransform):
    """Make links of ``sdc_theta`` and ``sdc_theta(...)`` in the text, but in titles and where they are links."""

    default_priority = 900

    def run(self, **_: Any) -> None:  # noqa: ANN401 - as Sphinx calls it
        """Go through the code in the lines of a page."""
        labels = self.env.get_domain("std").anonlabels
        for found in [*self.document.findall(nodes.literal)]:
            named = _NAMED.fullmatch(found.astext())
            if named is None or _is_within(found, (nodes.title, nodes.reference, addnodes.pending_xref)):
                continue
            page, anchor = labels.get(named[1], ("", ""))
            if page and page != self.env.docname and self.app.builder.format == "html":
                found.replace_self(make_refnode(self.app.builder, self.env.docname, page, anchor, found.deepcopy()))


def _is_within(node: nodes.Node | None, kinds: tuple[type[nodes.Node], ...]) -> bool:
    while node is not None and not isinstance(node, kinds):
        node = node.parent
    return node is not None
