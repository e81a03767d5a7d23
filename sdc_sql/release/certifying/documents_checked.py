"""The reports and metadata that a certificate digests, against the files that stand beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.release.certifying.verification import Check, check_field
from sdc_sql.release.running.documents import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.release.reading.plan import Plan


def check_documents(said: dict[str, Any], folders: Iterable[Path]) -> list[Check]:
    """Return a check of each document, by the bytes of the file of its name; one that is in no folder is only read."""
    return [_check_document(i, row, [*folders]) for i, row in enumerate(said.get("documents", []))]


def check_none_left_out(said: dict[str, Any], plan: Plan) -> list[Check]:
    """Return the check that a certificate digests each document that its release file names, and that it is of."""
    if "documents" not in said:  # it is of a former format
        return []
    public = said["certificate"] == "public"
    asked = [n for n, kind in DOCUMENTS.items() if n in plan.output.documents and not kind.certifies]
    there = {row["document"] for row in said["documents"]}
    missing = [name for name in asked if name not in there and (DOCUMENTS[name].public or not public)]
    told = f"{', '.join(missing)} is named in the release file, and not digested" if missing else "none is left out"
    return [Check("documents (run again)", holds=not missing, told=told)]


def _check_document(i: int, row: dict[str, Any], folders: list[Path]) -> Check:
    field, name = f"documents[{i}].sha256", Path(str(row["name"])).name  # a certificate names no other folder
    file = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if file is None:
        where = ", ".join(dict.fromkeys(map(str, folders)))
        return Check(field, holds=None, told=f"{name} is not in {where}: name its folder (--documents)")
    found = check_field(field, row["sha256"], hashlib.sha256(file.read_bytes()).hexdigest())
    return Check(field, found.holds, f"{file}: {found.told}")
