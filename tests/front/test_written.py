"""What is written from the headers is as they are now."""

from __future__ import annotations

import pytest

from sdc_sql.write import find_stale


@pytest.mark.slow
@pytest.mark.whole
def test_nothing_is_stale():
    assert not find_stale(), "the headers of sql/ have changed: run `python -m sdc_sql.write`"
