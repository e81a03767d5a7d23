"""A page written to a file, by the ending of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.db.checks import text_for_message
from sdc_sql.db.files.released_file import open_replacement
from sdc_sql.document.markdown import markdown
from sdc_sql.document.page import page_html
from sdc_sql.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from sdc_sql.document.blocks import Page


def format_page(page: Page, format: str) -> str:  # noqa: A002 - the plain word for it
    """Return a page as ``"html"`` or ``"markdown"``.

    Raises
    ------
    ParameterError
        Where the format is another.
    """
    writers = {"html": page_html, "markdown": markdown}
    if not isinstance(format, str) or format not in writers:
        raise ParameterError(f"format is {text_for_message(format)}: it must be one of {', '.join(writers)}.")
    return writers[format](page)


def write_page(page: Page, path: Path, readable: str = "owner") -> None:
    r"""Write a page as Markdown (``.md``, ``.markdown``) or else as HTML: the whole of it, or nothing.

    Only its owner can read the file, unless readable is ``"group"`` or ``"all"``.

    Raises
    ------
    TableError
        Where the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sdc_sql.document.blocks import Page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(Page("Risk", (), ()), Path(folder) / "risk.md")
    ...     (Path(folder) / "risk.md").read_text(encoding="utf-8")
    '# Risk\n'
    """
    text = format_page(page, "markdown" if path.suffix.lower() in {".md", ".markdown"} else "html")
    with open_replacement(path, readable) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
