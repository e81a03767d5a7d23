"""The gallery of releases: the release files of fixtures/, run while the site is built, and what they wrote."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_docs.markdown import dropdown, escape, fence

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
REPORTS = "reports"
_FIRST = "_first"
_OF_REPORTS = (
    "Whole pages, as the release wrote them: one for the house, one for the users of the file. This data is public or "
    "made up; of your own file the internal report stays in the house."
)
_WORDS = (
    "Whole releases, from the raw file to the released one with its reports and maps; and short programs whose results "
    "are drawn. All of it ran when these pages were built."
)
# a key that everybody reads here hides nobody: what is released by it is public, or made up
_KEY = "aN9xQ2vL7tRb4KpZ0sWe8GyHd3JmCu6F"


def list_files() -> list[Path]:
    """Return the release files of fixtures/ that are accepted."""
    return [p for p in sorted((ROOT / "fixtures").glob("*.toml")) if not p.stem.endswith(_FIRST)]


def write_releases() -> dict[str, str]:
    """Return the text of each page, and of each report, by its path below gallery/releases/."""
    with ThreadPoolExecutor(2) as pool:
        return {name: text for found in pool.map(_run, list_files()) for name, text in found.items()}


def _run(file: Path) -> dict[str, str]:
    """Run a release file; return its page and its reports."""
    with tempfile.TemporaryDirectory() as made:
        printed = _release(file, Path(made) / "released").stdout.replace(f"{made}/", "")
        reports = {p.name: p.read_text(encoding="utf-8") for p in sorted(Path(made, "released").glob("*.html"))}
    first = file.with_name(f"{file.stem}{_FIRST}.toml")
    return {
        f"{file.stem}.md": _write_page(file, first, printed, reports),
        **{f"{REPORTS}/{name}": text for name, text in reports.items()},
    }


def _release(file: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SDC_KEY": _KEY}
    command = [sys.executable, "-m", "sdc_sql", "release", f"fixtures/{file.name}", "--output-folder", str(folder)]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)  # noqa: S603 - our own


def _write_page(file: Path, first: Path, printed: str, reports: Mapping[str, str]) -> str:
    text = file.read_text(encoding="utf-8")
    said = tomllib.loads(text)
    intro = re.sub(r"^# ?", "", text.partition("\n")[0])
    key = 'export SDC_KEY="$(python3 -c "import secrets; print(secrets.token_urlsafe(32))")"'
    command = f"{key}\nsdc-sql release fixtures/{file.name}"
    parts = [
        f"# {said['title']}",
        escape(intro),
        fence(f"{command} --output-folder released/{file.stem}", "sh"),
        "## What it prints",
        fence(re.sub(r"^written: .*\n?", "", printed, flags=re.MULTILINE), "text"),
        "## Its reports",
        _OF_REPORTS,
    ]
    parts += [_show_report(name, report) for name, report in reports.items()]
    parts += ["## The release file", fence(text, "toml")]
    if first.is_file():
        told = "The version that is refused, as its limits do not hold"
        parts.append(dropdown(told, fence(first.read_text(encoding="utf-8"), "toml")))
    return "\n\n".join(parts) + "\n"


def _show_report(name: str, report: str) -> str:
    found = re.search(r"<title>(.*?)</title>", report, re.DOTALL)
    title = found[1].strip() if found else name
    title += ", for users" if "users" in name else ""
    frame = (
        f'<p><a href="{REPORTS}/{name}">{title}: open the page</a></p>\n'
        f'<iframe class="report" src="{REPORTS}/{name}" title="{title}" loading="lazy"></iframe>'
    )
    return f"```{{raw}} html\n{frame}\n```"


def write_index() -> str:
    """Return the front page of the gallery."""
    cards = []
    for file in list_files():
        said = tomllib.loads(file.read_text(encoding="utf-8"))
        words = said.get("description") or said.get("population", "")
        cards.append(
            f":::{{grid-item-card}} {said['title']}\n:link: releases/{file.stem}\n:link-type: doc\n\n"
            f"{escape(words)}\n:::"
        )
    listed = "\n".join(f"releases/{file.stem}" for file in list_files())
    return "\n\n".join([
        "# Gallery",
        _WORDS,
        "## Releases",
        "::::{grid} 1 1 3 3\n:gutter: 3\n\n" + "\n".join(cards) + "\n::::",
        "## In Python",
        "[Short programs with their pictures](python/index.rst).",
        f"```{{toctree}}\n:hidden:\n\n{listed}\npython/index\n```",
    ]) + "\n"  # fmt: skip


def copy_reports(source: Path, target: Path) -> None:
    """Copy the reports beside their pages."""
    shutil.copytree(
        source / "gallery" / "releases" / REPORTS, target / "gallery" / "releases" / REPORTS, dirs_exist_ok=True
    )
