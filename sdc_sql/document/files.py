"""A page written to a file, by the ending of its name."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.document.markdown import markdown
from sdc_sql.document.page import page_html
from sdc_sql.errors import TableError

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Page


def written(page: Page, path: Path) -> None:
    r"""Write a page as Markdown (``.md``, ``.markdown``) or else as HTML: the whole of it, or nothing.

    Raises
    ------
    TableError
        Where the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from sdc_sql.document.blocks import Page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written(Page("Risk", (), ()), Path(folder) / "risk.md")
    ...     (Path(folder) / "risk.md").read_text(encoding="utf-8")
    '# Risk\n'
    """
    text = markdown(page) if path.suffix.lower() in {".md", ".markdown"} else page_html(page)
    try:
        with tempfile.TemporaryDirectory(dir=path.absolute().parent, prefix=".sdc-sql-") as folder:
            part = Path(folder) / path.name
            part.write_text(text, encoding="utf-8", newline="\n")
            os.replace(part, path)  # noqa: PTH105 - atomic
    except OSError as error:
        raise TableError(f"{path} cannot be written: {error.strerror}.") from None
