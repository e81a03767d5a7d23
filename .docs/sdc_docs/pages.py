"""What is written before Sphinx reads, once for a state of the code."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_docs import releases
from sdc_docs.api import write_api
from sdc_docs.chapters import write_chapters
from sdc_docs.command_line import write_command_line
from sdc_docs.functions import write_functions
from sdc_docs.reference import write_index
from sdc_docs.release_file import write_release_file
from sdc_docs.validation import write_validation
from sdc_docs.written import write_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent
_READ = {".css", ".json", ".md", ".parquet", ".py", ".sql", ".svg", ".toml", ".yml"}
_CODE = ("sdc_sql", "sql", "udfs")
_OF_RELEASES = (*_CODE, "fixtures", ".docs/sdc_docs/releases.py")
_ALL = (*_CODE, "fixtures", "tests", ".github", ".docs/sdc_docs")


def write_all(app: Sphinx) -> None:
    """Write what was not written from the same code; the releases, which take longest, beside the other pages."""
    with ThreadPoolExecutor(1) as beside:
        gallery = beside.submit(_write_once, "releases", _OF_RELEASES, _write_releases)
        _write_once("pages", _ALL, lambda: _write_pages(app))
        gallery.result()


def _write_once(name: str, folders: Iterable[str], write: Callable[[], None]) -> None:
    """Write a part, unless it was written from the same files."""
    stamp, now = HERE / "_build" / f"{name}.written", _digest(folders)
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != now:
        write()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(now, encoding="utf-8")


def _write_releases() -> None:
    write_pages(HERE / "gallery" / "releases", releases.write_releases())


def _write_pages(app: Sphinx) -> None:
    processes = min(4, os.cpu_count() or 1) if app.parallel > 1 else 1
    write_pages(HERE / "functions", write_functions(processes))
    write_pages(HERE / "chapters", write_chapters())
    write_pages(HERE / "validation", write_validation())
    parts = {"api": write_api(), "command_line": write_command_line(), "release_file": write_release_file()}
    reference = {f"{part}/{name}": text for part, its in parts.items() for name, text in its.items()}
    write_pages(HERE / "reference", reference | {"index.md": write_index()})
    (HERE / "gallery").mkdir(exist_ok=True)
    (HERE / "gallery" / "index.md").write_text(releases.write_index(), encoding="utf-8", newline="\n")


def _digest(folders: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        there = ROOT / folder
        for path in (p for p in [there, *sorted(there.rglob("*"))] if p.suffix in _READ and p.is_file()):
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
