"""What is written beside the released file: a report, a certificate; one line for each field of ``[output]``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from sdc_sql.release.running.outcome import Outcome


@dataclass(frozen=True)
class Document:
    """A document: ``module`` of this package and its ``function(outcome, path)``, and how its file may end.

    ``needs_key``: it is made with the secret key; ``refused``: it can also be written of a release that is refused;
    ``public``: it is for the users of the file; ``certifies``: it digests the others, and is written after them.
    """

    module: str
    function: str
    endings: tuple[str, ...]
    needs_key: bool = False
    refused: bool = False
    public: bool = False
    certifies: bool = False

    @property
    def writer(self) -> Callable[[Outcome, Path], None]:
        """What writes the document of an outcome to a (temporary) path, which has the ending of the file."""
        found: Callable[[Outcome, Path], None] = getattr(import_module(f"sdc_sql.release.{self.module}"), self.function)
        return found


DOCUMENTS = {
    "report": Document("reporting.internal_report", "write_internal_report", (".html", ".md"), refused=True),
    "annex": Document("reporting.annex", "write_annex", (".html", ".md")),
    "public_report": Document("reporting.public_report", "write_public_report", (".html", ".md"), public=True),
    "certificate": Document("certifying.certificate", "write_internal_certificate", (".json",), certifies=True),
    "public_certificate": Document(
        "certifying.certificate", "write_public_certificate", (".json",), needs_key=True, public=True, certifies=True
    ),
    "ddi": Document("reporting.ddi", "write_ddi", (".xml",), public=True),
}


def list_in_order(documents: Mapping[str, Path]) -> list[tuple[str, Path]]:
    """Return documents by their fields in the order in which they are written: certificates digest the others.

    Examples
    --------
    >>> from pathlib import Path
    >>> [name for name, _ in list_in_order({"certificate": Path("c.json"), "ddi": Path("d.xml")})]
    ['ddi', 'certificate']
    """
    return sorted(documents.items(), key=lambda one: DOCUMENTS[one[0]].certifies)


def write_document(name: str, outcome: Outcome, path: Path) -> None:
    """Write a document, and keep the digest of its bytes for the certificates."""
    DOCUMENTS[name].writer(outcome, path)
    if not DOCUMENTS[name].certifies:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        outcome.kept.setdefault("documents", {})[name] = {"document": name, "name": path.name, "sha256": digest}
