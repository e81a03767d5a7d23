"""What a column is, in the words of its row."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("shiny")
from sdc_sql.app.look_columns import _write_column


@pytest.mark.parametrize(
    ("roles", "first", "beside"),
    [
        ((), "undecided", ""),
        (("steps",), "no role", "in steps"),
        (("keys", "steps"), "undecided", "also in steps"),  # to take the role from it again
    ],
)
def test_a_column_that_a_step_names_has_no_role_and_is_not_undecided(roles, first, beside):
    facts = SimpleNamespace(name="pay", type="DOUBLE", values=3, missing=0, alone=1)
    look = SimpleNamespace(proposed=SimpleNamespace(facts=facts, role=""), label="", values=None)
    written = "".join(str(row) for row in _write_column(0, look, roles, is_open=False))
    assert f">{first}</option>" in written
    assert beside in written
    assert ("also" in written) == beside.startswith("also")
