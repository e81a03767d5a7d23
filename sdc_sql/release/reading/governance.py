"""What a board asks of a release, in the words of who answers for it: nothing of it is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.release.reading.problems import TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.release.reading.fields import Reading

# the Five Safes: Desai, Ritchie & Welpton (2016), Five Safes: designing data access for research, UWE Economics 1601
FIELDS = dict.fromkeys(
    (
        "legal_basis", "access", "officer", "key_retention",
        "safe_projects", "safe_people", "safe_settings", "safe_data", "safe_outputs",
    ),
    TEXT,
)  # fmt: skip
ACCESS = {
    "public": "public use: anyone may have the file",
    "scientific": "scientific use: researchers under contract have the file",
    "secure": "secure use: the file stays in a protected environment",
}


def read_governance(reading: Reading) -> Mapping[str, str]:
    """Return the fields that are given."""
    given: dict[str, str] = reading.problems.table("governance", reading.said.get("governance"), FIELDS)
    if given.get("access", "public") not in ACCESS:
        known = ", ".join(ACCESS)
        reading.problems.add("governance.access", f"it is {text_for_message(given['access'])}: one of {known}.")
    return {name: text.strip() for name, text in given.items()}


def tell_governance(given: Mapping[str, str]) -> dict[str, str]:
    """Return every field in words; what is not given is said to be missing."""
    told = {name: given.get(name) or "not given" for name in FIELDS}
    told["access"] = ACCESS.get(told["access"], told["access"])
    words = {"officer": "responsible officer", "key_retention": "retention of the secret key"}
    return {words.get(name, name.replace("_", " ")): text for name, text in told.items()}
