"""The result of verifying a certificate, field by field; and the reading of a certificate."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ParameterError
from sdc_sql.release.certifying import format_1
from sdc_sql.release.certifying.content import TOLERANCE

if TYPE_CHECKING:
    from pathlib import Path

_ALL = (
    "certificate", "text", "format", "title", "producer", "version", "date", "versions", "output", "documents",
    "released_as_collected", "marks", "digest",
)  # fmt: skip
FIELDS = {
    "internal": {*_ALL, "input", "release_file", "roles", "figures", "scenarios", "steps", "limits"},
    "public": {*_ALL, "methods", "keyed_digests"},
}
OPTIONAL = {"internal": {"series"}, "public": set[str]()}  # fields of some releases only: of those of a series

_SINCE = {3: {"date", "documents"}}  # the fields that came with a format; what format 1 lacked it says itself

# these fields may differ from what is found here, which is told
TOLD = {"versions"}
AGAIN = "(run again)"  # the check that stands for all fields, where the release was run again
_TOLD_THEN = {"date"}  # no run tells the day of another


def list_fields(kind: str, form: object) -> set[str]:
    """Return the fields that a certificate of that kind and format has."""
    later = set().union(*(names for since, names in _SINCE.items() if isinstance(form, int) and form < since))
    return FIELDS[kind] - later - (format_1.WITHOUT if form == format_1.FORMAT else set())


@dataclass(frozen=True)
class Check(Result):
    """A field of the certificate, whether it holds (None: it was only read), and what was found."""

    field: str
    holds: bool | None
    told: str

    def __str__(self) -> str:
        """Return the check in a line."""
        return f"{self.field}: {({True: 'holds', False: 'FAILS', None: 'only read'})[self.holds]}: {self.told}"


@dataclass(frozen=True)
class Verification(Result):
    """What came of a certificate: ``certificate`` is its kind (internal, public), ``checks`` its fields in order."""

    certificate: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether everything holds that was computed anew."""
        return all(check.holds is not False for check in self.checks)

    @property
    def failed(self) -> tuple[str, ...]:
        """The fields that do not hold."""
        return tuple(check.field for check in self.checks if check.holds is False)

    @property
    def only_read(self) -> tuple[str, ...]:
        """The fields that were not computed anew: whoever writes a certificate may write anything there."""
        told = TOLD | (_TOLD_THEN if any(check.field == AGAIN for check in self.checks) else set())
        return tuple(check.field for check in self.checks if check.holds is None and check.field not in told)

    def __str__(self) -> str:
        """Return a line for each check, and one for all."""
        if not self.holds:
            closing = f"fails: {', '.join(self.failed)}"
        elif self.only_read:
            closing = f"what was computed anew holds; only read: {', '.join(self.only_read)}"
        else:
            closing = "verified"
        return "\n".join([*map(str, self.checks), closing])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        checks = [check.to_dict() for check in self.checks]
        return {
            "certificate": self.certificate, "holds": self.holds, "only_read": list(self.only_read), "checks": checks,
        }  # fmt: skip


def check_field(field: str, said: object, found: object) -> Check:
    """Return the check of a field against what was found; numbers to 1e-9."""
    same = said == found and type(said) is type(found)
    if isinstance(said, float) and isinstance(found, float):
        same = said == found or math.isclose(said, found, rel_tol=TOLERANCE)
    return Check(
        field,
        holds=same,
        told="as computed anew" if same else f"{_shorten_value(said)}, computed anew {_shorten_value(found)}",
    )


def _shorten_value(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004


def read_certificate(path: Path) -> dict[str, Any]:
    """Return the fields of a certificate.

    Raises
    ------
    ParameterError
        Where the file is no certificate.
    """
    try:
        said = json.loads(
            path.read_text(encoding="utf-8"),
            object_pairs_hook=_refuse_repeated,
            parse_constant=_refuse_not_a_number,
        )
    except OSError as error:
        raise ParameterError(f"The certificate {path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise ParameterError(f"{path} is not a certificate: it is no JSON, or has a field twice.") from None
    if not isinstance(said, dict) or said.get("certificate") not in FIELDS:
        raise ParameterError(f"{path} is not a certificate: its field certificate must be one of {', '.join(FIELDS)}.")
    return said


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose fields are there once: JSON would take the last of two fields of one name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _refuse_not_a_number(name: str) -> float:
    """Refuse NaN and infinity, which are no JSON."""
    raise ValueError(name)
