"""Programs of other languages: each is found or missing, and runs a block of a page in a folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_IMPORT = re.compile(r"^import .*;\n", re.MULTILINE)
_VERSIONS = "for (p in commandArgs(TRUE)) cat(p, as.character(packageVersion(p)), '\\n')"
_SECONDS = 600


@dataclass(frozen=True)
class Tool:
    """Another program: its name with its version, and what runs a block in a folder and returns what it prints."""

    name: str
    run: Callable[[str, Path], str]


@dataclass(frozen=True)
class Missing:
    """Why a block is not run here."""

    reason: str


def run_program(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder, and return how it ended and what it printed."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603


def print_or_fail(done: subprocess.CompletedProcess[str]) -> str:
    """Return what a program printed; what it complained of, where it failed, is an error."""
    if done.returncode:
        raise RuntimeError(done.stderr or done.stdout)
    return done.stdout


def write_java(code: str) -> str:
    r"""Return statements as the body of a program, their imports before it.

    Examples
    --------
    >>> print(write_java("import java.util.List;\nList.of();\n"), end="")
    import java.util.List;
    class Theirs {
    public static void main(String[] given) throws Exception {
    List.of();
    }
    }
    """
    imports, body = "".join(_IMPORT.findall(code)), _IMPORT.sub("", code)
    return f"{imports}class Theirs {{\npublic static void main(String[] given) throws Exception {{\n{body}}}\n}}\n"


def run_java(code: str, folder: Path, class_path: str) -> str:
    """Run statements with these jars."""
    (folder / "Theirs.java").write_text(write_java(code), encoding="utf-8")
    return print_or_fail(run_program(["java", "-cp", class_path, "Theirs.java"], folder))


@cache
def find_r(packages: tuple[str, ...]) -> Tool | Missing:
    """Return R with these packages, or why it is not there."""
    program = shutil.which("Rscript")
    if program is None:
        return Missing("R is not installed")
    done = run_program([program, "--vanilla", "-e", _VERSIONS, *packages])
    if done.returncode:
        return Missing(f"{' or '.join(packages)} is not installed in R")
    return Tool(", ".join(done.stdout.split("\n")[: len(packages)]).replace(" ,", ",").strip(), _run_r)


def _run_r(code: str, folder: Path) -> str:
    (folder / "theirs.R").write_text(code, encoding="utf-8")
    return print_or_fail(run_program(["Rscript", "--vanilla", "theirs.R"], folder))
