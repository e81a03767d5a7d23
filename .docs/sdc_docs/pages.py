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
from sdc_docs.written import write_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parents[1]
ROOT = HERE.parent
_READ = {".css", ".json", ".md", ".py", ".sql", ".svg", ".toml", ".yml"}


def write_all(app: Sphinx) -> None:
    """Write the pages, unless they were written from the same code."""
    stamp, now = HERE / "_build" / "written", _digest_code()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == now and (HERE / "functions").is_dir():
        return
    with ThreadPoolExecutor(1) as beside:
        gallery = beside.submit(releases.write_releases)
        _write_all(app)
        write_pages(HERE / "gallery" / "releases", gallery.result())
    (HERE / "gallery" / "index.md").write_text(releases.write_index(), encoding="utf-8", newline="\n")
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(now, encoding="utf-8")


def _write_all(app: Sphinx) -> None:
    processes = min(4, os.cpu_count() or 1) if app.parallel > 1 else 1
    write_pages(HERE / "functions", write_functions(processes))
    write_pages(HERE / "chapters", write_chapters())
    parts = {"api": write_api(), "command_line": write_command_line(), "release_file": write_release_file()}
    reference = {f"{part}/{name}": text for part, its in parts.items() for name, text in its.items()}
    write_pages(HERE / "reference", reference | {"index.md": write_index()})


def _digest_code() -> str:
    digest = hashlib.sha256()
    for path in _list_files():
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _list_files() -> Iterator[Path]:
    for folder in ("sdc_sql", "sql", "udfs", "fixtures", ".github", ".docs/sdc_docs"):
        yield from (p for p in sorted((ROOT / folder).rglob("*")) if p.suffix in _READ and p.is_file())
