"""A certificate against the release file, run again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.files import work
from sdc_sql.db.files.csv_file import create_from_rows
from sdc_sql.release.certifying import certificate as certificates
from sdc_sql.release.certifying import sealed
from sdc_sql.release.certifying.content import is_same_content
from sdc_sql.release.certifying.documents_checked import check_none_left_out
from sdc_sql.release.certifying.verification import AGAIN, Check, check_field
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.running.run import run_release, select_released_records
from sdc_sql.version import VERSION, gives_other_values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import duckdb

# these fields are of another machine or day, of files beside the certificate, or of the certificate itself
APART = ("versions.", "date", "documents", "marks", "digest")
_NONE = "no such field"


def rerun_release(
    said: dict[str, Any],
    release: Path,
    released: tuple[duckdb.DuckDBPyConnection, str],
    *,
    limits: dict[str, Any],
    progress: Callable[[str], None],
) -> list[Check]:
    """Return the checks of all fields, by running the release file; ``released`` is the table of the released file."""
    plan = replace(read_release(release), frontier=None)  # no certificate says what else was considered
    with work.open_work_database(**limits) as con:
        outcome = run_release(plan, con, write=False, progress=progress)
        if said["certificate"] == "internal":
            found = certificates.build_internal(outcome)
        else:
            former = said["format"] in certificates.FORMER
            found = certificates.build_public(outcome, said["output"]["digest"], former=former)
        if said["format"] in certificates.FORMER:  # what it lacked then is not compared, and the form itself is known
            found = {**found, "format": said["format"]}
        checks = compare_certificates(said, found)
        checks += check_none_left_out(said, plan)
        near = _list_near_columns(said)
        for i, its in enumerate(checks):
            if its.field == "output.digest (run again)" and its.holds is False and near:
                execute(con, create_from_rows("sdc_again", "TABLE", select_released_records(outcome), temporary=True))
                same = is_same_content(released, (con, "sdc_again"), near)
                told = (
                    f"digests differ, values of {', '.join(near)} are {'the same' if same else 'not the same'} to 1e-9"
                )
                checks[i] = Check(its.field, holds=same, told=told)
    good = sum(its.holds is True for its in checks)
    told = f"{good} of {len(checks)} fields are as computed anew"
    every = Check(AGAIN, holds=good == len(checks), told=told)
    failing = (replace(its, told=its.told + _explain_version(said, its)) for its in checks if its.holds is not True)
    return [every, *failing, *_date(said), _versions(said, found)]


def compare_certificates(said: dict[str, Any], found: dict[str, Any]) -> list[Check]:
    """Return a check for each field of two certificates, but for versions and what a certificate says of itself."""
    given, expected = dict(sealed.list_leaves(said)), dict(sealed.list_leaves(found))
    fields = [*given, *(name for name in expected if name not in given)]
    return [
        check_field(f"{f} (run again)", given.get(f, _NONE), expected.get(f, _NONE))
        for f in fields
        if not f.startswith(APART)
    ]


def _explain_version(said: dict[str, Any], its: Check) -> str:
    made = str(said["versions"].get("sdc_sql"))
    if not its.field.startswith("output.digest") or not gives_other_values(made):
        return ""
    return f"; masked by version {made}, whose values {VERSION} does not give: run it with sdc-sql {made}"


def _date(said: dict[str, Any]) -> list[Check]:
    told = "another run does not tell the day of the first"
    return [Check("date", holds=None, told=f"{said['date']}: {told}")] if "date" in said else []


def _versions(said: dict[str, Any], found: dict[str, Any]) -> Check:
    both = {name: (said["versions"].get(name), here) for name, here in found["versions"].items()}
    others = [f"{name} {made} (here {here})" for name, (made, here) in both.items() if made != here]
    return Check("versions", holds=None, told=f"made with {', '.join(others)}" if others else "the same here")


def _list_near_columns(said: dict[str, Any]) -> list[str]:
    """Return the columns that were masked by methods whose last digits depend on the processor."""
    steps = said.get("steps", said.get("methods", []))
    types = {column["name"]: column["type"] for column in said["output"]["columns"]}
    masked = dict.fromkeys(column for step in steps if step["differs_by_processor"] for column in step["columns"])
    return [column for column in masked if types.get(column) in {"DOUBLE", "FLOAT"}]
