"""The digest of the released file, which certificates, reports and metadata carry: found once for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_sql.db.files import work
from sdc_sql.errors import TableError
from sdc_sql.release.certifying.content import digest_table, list_types, open_content, read_resource_limits
from sdc_sql.release.running.run import select_released_records, write_released_file

if TYPE_CHECKING:
    from pathlib import Path

    from sdc_sql.release.running.outcome import Outcome


def digest_released_file(outcome: Outcome) -> dict[str, Any]:
    """Return the digest of the released file as it is read back from its format.

    Raises
    ------
    TableError
        Where the format does not keep the records apart.
    """
    if "output" not in outcome.kept:
        written = outcome.kept.get("file")
        if written is not None and written.is_file():
            outcome.kept["output"] = _read_back_file(outcome, written)
        else:
            with work.make_work_folder() as place:
                path = place / outcome.plan.output.path.name
                write_released_file(outcome, path)
                outcome.kept["output"] = _read_back_file(outcome, path)
    return {**outcome.kept["output"]}


def _read_back_file(outcome: Outcome, path: Path) -> dict[str, Any]:
    con = outcome.released.con
    with open_content(path, list_types(con, select_released_records(outcome)), on=con, **read_resource_limits(con)) as (
        reading,
        table,
    ):
        found = digest_table(reading, table)
    if found["records"] != outcome.records_after:
        raise TableError(f"{path.name}: of {outcome.records_after:,} records {found['records']:,} are read back.")
    return {"format": path.suffix.lower().removeprefix("."), **found}
