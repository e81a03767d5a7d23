"""What a button of the page sends."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("shiny")
from sdc_sql.app import show


def test_no_button_sends_what_the_page_counts_by():
    # the script of the page sends the number of the click by that name, in the place of a button's own
    script = (Path(show.__file__).parent / "files" / "page.js").read_text(encoding="utf-8")
    assert "...element.dataset, ...more, number: ++number" in script
    with pytest.raises(AssertionError, match="call it otherwise"):
        show.button("Take", "protect_take", number=1)
    assert 'data-row="1"' in str(show.button("Take", "protect_take", row=1))
