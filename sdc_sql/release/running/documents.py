"""What is written beside the released file: a report, a certificate; one line for each field of ``[output]``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sdc_sql.release.running.outcome import Outcome


@dataclass(frozen=True)
class Document:
    """A document: ``module`` of this package and its ``function(outcome, path)``, and how its file may end.

    ``needs_key``: it is made with the secret key; ``refused``: it can also be written of a release that is refused.
    """

    module: str
    function: str
    endings: tuple[str, ...]
    needs_key: bool = False
    refused: bool = False

    @property
    def writer(self) -> Callable[[Outcome, Path], None]:
        """What writes the document of an outcome to a (temporary) path, which has the ending of the file."""
        found: Callable[[Outcome, Path], None] = getattr(import_module(f"sdc_sql.release.{self.module}"), self.function)
        return found


DOCUMENTS = {
    "report": Document("reporting.internal_report", "write_internal_report", (".html", ".md"), refused=True),
    "public_report": Document("reporting.public_report", "write_public_report", (".html", ".md")),
    "certificate": Document("certifying.certificate", "write_internal_certificate", (".json",)),
    "public_certificate": Document("certifying.certificate", "write_public_certificate", (".json",), needs_key=True),
    "ddi": Document("reporting.ddi", "write_ddi", (".xml",)),
}
