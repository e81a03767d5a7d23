"""``[series]`` of a release file: the ledger, the name of the series, and the certificate of the release before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sdc_sql.release.reading.problems import TEXT, WHOLE, Kind
from sdc_sql.series.series import WEAKENED
from sdc_sql.series.step_form import refuse_method_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.release.reading.fields import Reading
    from sdc_sql.release.reading.plan import Step

TRUTH = Kind(lambda v: isinstance(v, bool), "true or false", {"type": "boolean"})
SHARE = Kind(
    lambda v: isinstance(v, int | float) and not isinstance(v, bool) and 0 <= v <= 1,
    "a number from 0 to 1",
    {"type": "number", "minimum": 0, "maximum": 1},
)
WEAK = Kind(lambda v: v in WEAKENED, f"one of {', '.join(WEAKENED)}", {"enum": [*WEAKENED]})
SERIES = {
    "ledger": TEXT, "name": TEXT, "after": TEXT, "disk_encrypted": TRUTH, "returning": TRUTH, "most_new": SHARE,
    "forget_after": WHOLE, "weakened": WEAK,
}  # fmt: skip


def read_series(reading: Reading, steps: Sequence[Step]) -> dict[str, Any] | None:
    """Return the arguments of the release of a series, or None where the file is of none; errors go to the problems."""
    if "series" not in reading.said:
        return None
    problems = reading.problems
    given = problems.table("series", reading.said["series"], SERIES)
    for name in ("ledger", "name"):
        if not given.get(name, "").strip():
            problems.add(f"series.{name}", "it is missing.")
    if not reading.said.get("release"):
        problems.add("release", "it is missing: a release of a series has a name.")
    if not steps:
        problems.add("series", "it keeps what is masked, and no step masks anything.")
    if given.get("forget_after", 1) < 1:
        problems.add("series.forget_after", "it must be at least 1, a number of releases.")
    for step in steps:
        with problems.collect_at(step.path):
            refuse_method_of(step)
    if "ledger" not in given or "name" not in given:
        return None
    found = dict(given) | {"ledger": reading.resolve_path(given["ledger"]), "release": reading.said.get("release", "")}
    if "after" in given:
        found["after"] = _read_head(reading, given["after"], given["name"])
    return found


def _read_head(reading: Reading, path: str, name: str) -> str:
    """Return the head of the chain after the release of a certificate."""
    try:
        certificate = json.loads(reading.resolve_path(path).read_text(encoding="utf-8"))
        series = certificate["series"]
        found, of = str(series["head"]), str(series["name"])
    except (OSError, ValueError, KeyError, TypeError):
        said = "it is no certificate of a release of a series: name the internal one of the release before."
        reading.problems.add("series.after", said)
        return ""
    if of != name:
        reading.problems.add("series.after", f"it is the certificate of a release of the series {of!r}, not {name!r}.")
    return found
