"""MathJax beside the pages, so that a formula is drawn without anything from elsewhere."""

from __future__ import annotations

import shutil
from importlib.metadata import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = "sphinx-mathjax-offline"
FOLDER = "static/mathjax/"
# the program with its menu, and its fonts: what reads formulas aloud is 20 MB, and is left out
WANTED = ("tex-chtml.js", "output/chtml/fonts/woff-v2/")


def copy_files(site: Path) -> None:
    """Copy the program and its fonts to the site."""
    for file in files(PACKAGE) or ():
        _, found, name = file.as_posix().partition(FOLDER)
        if found and name.startswith(WANTED):
            target = site / "_static" / "mathjax" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(file.locate()), target)
