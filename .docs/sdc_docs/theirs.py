"""Blocks of other tools on the pages *Coming from*: run where the tool is installed, and marked where they are not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util import logging

if TYPE_CHECKING:
    from collections.abc import Callable

    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
from pages import FENCED, find_differences  # noqa: E402 - who reads a page stands there

ROOM = "coming_from/"
CLASS_PATH = "SDC_ARX"  # the variable with ARX's jar, and with those that it needs, as java -cp takes them
_BLOCK = re.compile(r"^```(r|java)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_PACKAGE = re.compile(r"^library\((\w+)\)", re.MULTILINE)
_VERSIONS = "for (p in commandArgs(TRUE)) cat(p, as.character(packageVersion(p)), '\\n')"
_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_SECONDS = 600
LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tool:
    """Another program: its name with its version, and what runs a block in a folder and returns what it prints."""

    name: str
    run: Callable[[str, Path], str]


@dataclass(frozen=True)
class Missing:
    """Why a block is not run here."""

    reason: str


def find_tool(language: str, text: str) -> Tool | Missing:
    """Return what runs the blocks of a page in this language, or why nothing does."""
    if language == "java":
        return _find_arx()
    code = "\n".join(block for kind, block in FENCED.findall(text) if kind == language)
    return _find_r(tuple(dict.fromkeys(_PACKAGE.findall(code))))


@cache
def _find_r(packages: tuple[str, ...]) -> Tool | Missing:
    program = shutil.which("Rscript")
    if program is None:
        return Missing("R is not installed")
    done = _run([program, "--vanilla", "-e", _VERSIONS, *packages])
    if done.returncode:
        return Missing(f"{' or '.join(packages)} is not installed in R")
    return Tool(", ".join(done.stdout.split("\n")[: len(packages)]).replace(" ,", ",").strip(), _run_r)


def _run_r(code: str, folder: Path) -> str:
    (folder / "theirs.R").write_text(code, encoding="utf-8")
    return _print(_run(["Rscript", "--vanilla", "theirs.R"], folder))


@cache
def _find_arx() -> Tool | Missing:
    path = os.environ.get(CLASS_PATH, "")
    if not path:
        return Missing(f"the variable {CLASS_PATH} names no jar of ARX")
    if shutil.which("javac") is None:
        return Missing("no JDK is installed")
    if _run(["javap", "-cp", path, "org.deidentifier.arx.ARXAnonymizer"]).returncode:
        return Missing(f"there is no ARX in {CLASS_PATH}")
    return Tool("ARX", lambda code, folder: _run_java(code, folder, path))


def _run_java(code: str, folder: Path, path: str) -> str:
    """Run statements as the body of a program, their imports before it."""
    imports, body = "".join(_IMPORT.findall(code)), _IMPORT.sub("", code)
    text = f"{imports}class Theirs {{\npublic static void main(String[] given) throws Exception {{\n{body}}}\n}}\n"
    (folder / "Theirs.java").write_text(text, encoding="utf-8")
    return _print(_run(["java", "-cp", path, "Theirs.java"], folder))


def _run(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603


def _print(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode:
        raise RuntimeError(done.stderr or done.stdout)
    return done.stdout


def mark_blocks(app: Sphinx, docname: str, source: list[str]) -> None:
    """Say below each block of another tool whether it was run: where the tool is, it must print what is shown."""
    found = {language: find_tool(language, source[0]) for language, _ in _BLOCK.findall(source[0])}
    if not docname.startswith(ROOM) or not found:
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
