"""The chapters that stand beside their code, as pages of the site: read where they stand, with their links mapped."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import index_catalogue, read_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
_FOLDERS = ("sdc_sql", "sql", "udfs", "fixtures", "tests")
_ABOUT = {"CHANGELOG": "changelog", "COMPATIBILITY": "compatibility", "CONTRIBUTING": "contributing",
          "SECURITY": "security", "RELEASING": "releasing"}  # fmt: skip
_FENCED = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")


def list_chapters() -> dict[Path, str]:
    """Return the chapters, and the name of the page of each."""
    found = {}
    for folder in _FOLDERS:
        for path in sorted((ROOT / folder).rglob("README.md")):
            found[path] = "_".join(path.parent.relative_to(ROOT).parts)
    found |= {ROOT / ".github" / f"{stem}.md": name for stem, name in _ABOUT.items()}
    return found


def write_chapters() -> dict[str, str]:
    """Return the text of each page by its path below chapters/."""
    chapters = list_chapters()
    pages = {f"{name}.md": _map_links(path, chapters) for path, name in chapters.items()}
    beside = [(path, name) for path, name in chapters.items() if name not in _ABOUT.values()]
    lines = "\n".join(
        f"- [{_read_title(path)}]({name}.md), `{path.relative_to(ROOT).parent}/`" for path, name in beside
    )
    listed = "\n".join(name for _, name in beside)
    pages["index.md"] = (
        "# Chapters beside the code\n\nEach of these is the README of a folder, shown here as it stands there.\n\n"
        f"{lines}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    )
    return pages


def _read_title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _map_links(path: Path, chapters: Mapping[Path, str]) -> str:
    """Return a chapter with links that hold from its page: to pages where there are such, else to the files."""
    parts = _FENCED.split(path.read_text(encoding="utf-8"))
    return "".join(
        part if i % 2 else _LINK.sub(lambda m: _map_link(m, path, chapters), part) for i, part in enumerate(parts)
    )


def _map_link(found: re.Match[str], path: Path, chapters: Mapping[Path, str]) -> str:
    target, text = found["target"], found["text"]
    if re.match(r"[a-z]+:|#", target):
        return found[0]
    file, mark, anchor = target.partition("#")
    there = (path.parent / file).resolve()
    said = f"{found['image']}[{text}]"
    if there in chapters:
        return f"{said}({chapters[there]}.md{mark}{anchor})"
    if there == ROOT / "README.md":
        return f"{said}(../index.md)"
    if there.suffix == ".sql" and (macro := _find_macro(there, text)):
        return f"{said}(#{macro})"
    if found["image"] or there.is_file():
        return f"{said}({_reach(there)})"
    return text  # a folder, which is no page


def _reach(file: Path) -> str:
    """Return the way from a page in .docs/chapters/ to a file of the clone, or to another page of the site."""
    if file.is_relative_to(ROOT / ".docs"):
        return f"../{file.relative_to(ROOT / '.docs').as_posix()}"
    return f"../../{file.relative_to(ROOT).as_posix()}"


def _find_macro(file: Path, text: str) -> str:
    """Return the function that a link to a SQL file means: the one that its text names, else the first of the file."""
    named = [n for n in _list_names(text) if n in index_catalogue()]
    stem = file.relative_to(ROOT / "sql").as_posix() if file.is_relative_to(ROOT / "sql") else ""
    return next(iter([*named, *(d.name for d in read_catalogue() if d.file == stem)]), "")


def _list_names(text: str) -> Iterator[str]:
    yield from re.findall(r"\bsdc_[a-z0-9_]+", text)
