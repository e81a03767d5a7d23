"""What was written, for whom, and what came of verifying it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import TagList, tags

from sdc_sql.app.release_fields import DOCUMENT_NAMES
from sdc_sql.app.show import show_blocks
from sdc_sql.document.blocks import Verdict
from sdc_sql.release.running.documents import DOCUMENTS

if TYPE_CHECKING:
    from sdc_sql.app.release_run import Run, Verified


def tell_readers(name: str) -> str:
    """Return whom an output is for: the released file and what says so leave the house, all else stays."""
    return "public" if name == "path" or DOCUMENTS[name].public else "internal"


def write_written(found: Run) -> TagList:
    """Return the files that were written, each with whom it is for, or why none was."""
    if not found.accepted:
        return TagList(
            show_blocks(Verdict("refused", "nothing was written.", good=False)),
            tags.ul(*(tags.li(reason) for reason in found.reasons), class_="points"),
        )
    count = len(found.written)
    items = [
        tags.li(tags.code(str(path)), f" {_name_output(name)}, {tell_readers(name)}")
        for name, path in found.written.items()
    ]
    return TagList(
        show_blocks(Verdict("written", f"{count} file{'s' * (count != 1)}, readable by you alone.", good=True)),
        tags.ul(*items, class_="points", id="release-written"),
    )


def _name_output(name: str) -> str:
    return "the released file" if name == "path" else DOCUMENT_NAMES[name]


_WORDS: dict[bool | None, tuple[Any, ...]] = {
    True: ("holds", {"class": "holds"}), False: ("FAILS", {"class": "fails"}), None: ("only read", {"class": "quiet"}),
}  # fmt: skip


def write_verified(verified: Verified) -> TagList:
    """Return what was compared with what, by which digest, and each field of the certificate."""
    found = verified.found
    words = "every field that was computed anew holds." if found.holds else f"{', '.join(found.failed)}"
    items = [
        tags.li(
            tags.strong(check.field), ": ",
            tags.span(*_WORDS[check.holds]),
            f": {check.told}",
        )
        for check in found.checks
    ]  # fmt: skip
    return TagList(
        show_blocks(Verdict("verified" if found.holds else "does not hold", words, good=found.holds)),
        tags.dl(
            tags.dt("Released file"), tags.dd(tags.code(str(verified.released))),
            tags.dt("Digest of its content, by the certificate"), tags.dd(tags.code(verified.digest)),
            tags.dt("Certificate"), tags.dd(tags.code(str(verified.certificate))),
            tags.dt("The same in a terminal, where SDC_KEY has the secret key"), tags.dd(tags.code(verified.command)),
            class_="compared", id="release-verified",
        ),
        tags.details(tags.summary("Field by field"), tags.ul(*items, class_="points"), id="release-checks"),
    )  # fmt: skip
