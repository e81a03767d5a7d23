"""Blocks of other tools on pages written by hand: run where the tool is installed, and marked where they are not."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

from sdc_docs import clients
from sdc_docs.programs import Missing, Tool, find_r, run_java, run_program

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
from pages import FENCED, OTHERS, ROOMS, find_differences  # noqa: E402 - who reads a page stands there

CLASS_PATH = "SDC_ARX"  # the variable with ARX's jar, and with those that it needs, as java -cp takes them
_BLOCK = re.compile(rf"^```({'|'.join(sorted(OTHERS))})\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_PACKAGE = re.compile(r"^library\((\w+)\)", re.MULTILINE)
LOGGER = logging.getLogger(__name__)


def find_tool(language: str, text: str) -> Tool | Missing:
    """Return what runs the blocks of a page in this language, or why nothing does."""
    code = "\n".join(block for kind, block in FENCED.findall(text) if kind == language)
    if language == "java" and clients.JDBC not in code:
        return _find_arx()
    if language != "r":
        return clients.find_client(language)
    return find_r(tuple(dict.fromkeys(_PACKAGE.findall(code))))


@cache
def _find_arx() -> Tool | Missing:
    path = os.environ.get(CLASS_PATH, "")
    if not path:
        return Missing(f"the variable {CLASS_PATH} names no jar of ARX")
    if shutil.which("javac") is None:
        return Missing("no JDK is installed")
    if run_program(["javap", "-cp", path, "org.deidentifier.arx.ARXAnonymizer"]).returncode:
        return Missing(f"there is no ARX in {CLASS_PATH}")
    return Tool("ARX", lambda code, folder: run_java(code, folder, path))


def mark_blocks(app: Sphinx, docname: str, source: list[str]) -> None:
    """Say below each block of another tool whether it was run: where the tool is, it must print what is shown."""
    found = {language: find_tool(language, source[0]) for language, _ in _BLOCK.findall(source[0])}
    if docname.partition("/")[0] not in ROOMS or not found:
        return
    tools = {language: tool.run for language, tool in found.items() if isinstance(tool, Tool)}
    if tools:
        with tempfile.TemporaryDirectory() as folder:
            for difference in find_differences(Path(app.srcdir, f"{docname}.md"), Path(folder), tools):
                LOGGER.warning("%s: %s", docname, difference)
    source[0] = _BLOCK.sub(lambda block: f"{block[0]}\n{_say(found[block[1]])}\n", source[0])


def _say(tool: Tool | Missing) -> str:
    if isinstance(tool, Tool):
        return f"*Run by {tool.name} while this page was built.*"
    return f"*Shown, not run: {tool.reason} where this page was built.*"
