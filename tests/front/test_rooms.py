"""Which room a macro is in: what the figures of its file bear, and what its SQL calls."""

from __future__ import annotations

import re

import pytest

from sdc_sql.db.catalogue.macros import file_texts, read_catalogue

DEFINED = re.compile(r"^CREATE OR REPLACE MACRO (sdc_\w+)\(", re.MULTILINE)
HOMES = {name: file.partition("/")[0] for file, text in file_texts().items() for name in DEFINED.findall(text)}


def calls(room: str) -> dict[str, set[str]]:
    """Return which files of a room call macros of which other rooms."""
    found = {}
    for file, text in file_texts().items():
        if file.startswith(f"{room}/"):
            called = re.findall(r"sdc_\w+(?=\()", re.sub(r"^--.*", "", text, flags=re.MULTILINE))
            found[file] = {HOMES[name] for name in called if name in HOMES} - {room}
    return found


@pytest.mark.parametrize(
    ("room", "never"), [("linkage", {"loss"}), ("loss", {"linkage"}), ("risk", {"linkage", "loss"})]
)
def test_rooms_that_do_not_call_one_another(room, never):
    assert {file: rooms & never for file, rooms in calls(room).items() if rooms & never} == {}


def test_core_calls_itself_only():
    assert {file: rooms for file, rooms in calls("core").items() if rooms} == {}


def test_a_file_of_linkage_bears_risk_and_one_of_loss_does_not():
    bears: dict[str, set[str]] = {}
    for declaration in read_catalogue():
        bears.setdefault(declaration.file, set()).update(c.bears for c in declaration.given.columns if c.bears)
    assert {file: found for file, found in bears.items() if file.startswith("linkage/") and found != {"risk"}} == {}
    assert {file: found for file, found in bears.items() if file.startswith("loss/") and found - {"loss"}} == {}


def test_an_import_from_the_room_that_a_measure_left_names_its_place():
    with pytest.raises(ImportError, match=r"is sdc_sql\.linkage\.rank_linkage: import it from there"):
        exec("from sdc_sql.loss import rank_linkage")  # noqa: S102 - what is tested is the statement
    with pytest.raises(AttributeError, match="no attribute 'il2'"):
        exec("import sdc_sql.loss; sdc_sql.loss.il2")  # noqa: S102 - as above
