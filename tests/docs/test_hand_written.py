"""Pages that are written by hand lead to chapters where these stand on the site."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from sdc_docs.hand_written import map_links

SITE = Path(__file__).resolve().parents[2] / ".docs"
LINKS = "[a](../../sql/risk/README.md#rules) [b](households.md) [c](../../README.md) [d](https://a.org/b.md)"


@pytest.mark.parametrize(
    ("page", "mapped"),
    [
        (
            "how_to/dbt",
            "[a](../chapters/sql_risk.md#rules) [b](households.md) [c](../index.md) [d](https://a.org/b.md)",
        ),
        ("chapters/sql", LINKS),  # whose links are mapped when it is written
    ],
)
def test_links_to_chapters_lead_to_their_pages(page, mapped):
    source = [LINKS]
    map_links(SimpleNamespace(srcdir=str(SITE)), page, source)
    assert source == [mapped]
