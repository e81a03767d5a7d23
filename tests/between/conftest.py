"""The keys of three houses, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from houses import found_houses

if TYPE_CHECKING:
    from sdc_sql.between.identity import Identity


@pytest.fixture(scope="session")
def identities(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """Return three parties with their keys."""
    pytest.importorskip("cryptography")
    return found_houses(tmp_path_factory.mktemp("keys"))
