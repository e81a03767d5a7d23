"""A session with the secret key of the series of the tests."""

from __future__ import annotations

import pytest

from tests.series_world import KEY


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        yield con
