"""The reports and metadata that a certificate digests, against the files that stand beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.release.certifying.verification import Check, check_field

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_documents(said: dict[str, Any], folders: Iterable[Path]) -> list[Check]:
    """Return a check of each document, by the bytes of the file of its name; one that is in no folder is only read."""
    return [_check_document(i, row, [*folders]) for i, row in enumerate(said.get("documents", []))]


def _check_document(i: int, row: dict[str, Any], folders: list[Path]) -> Check:
    field, name = f"documents[{i}].sha256", Path(str(row["name"])).name  # a certificate names no other folder
    file = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if file is None:
        where = ", ".join(dict.fromkeys(map(str, folders)))
        return Check(field, holds=None, told=f"{name} is not in {where}: name its folder (--documents)")
    found = check_field(field, row["sha256"], hashlib.sha256(file.read_bytes()).hexdigest())
    return Check(field, found.holds, f"{file}: {found.told}")
