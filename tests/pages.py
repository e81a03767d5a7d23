"""Read the pages of the documentation, and run one from top to bottom, as its reader does.

``python tests/pages.py .docs/start.md`` (any pages; without one, all) prints where a page shows something else.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / ".docs"
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
ROOMS = ("tutorials", "how_to", "explanation", "coming_from")
HERE = {"sh", "python", "sql"}
OTHERS = {"r", "java", "js", "go", "c"}  # of other programs, which run where these are installed
QUOTED = {"toml", "yaml", "jinja", "csv"}  # files, or parts of them
WIDTH = 110  # of the tables that a page shows


def list_site_pages(*rooms: str) -> list[Path]:
    """Return the pages of the site that are written by hand: those of its rooms, and its first one."""
    found = [page for room in rooms or ROOMS for page in sorted((SITE / room).glob("*.md"))]
    return found if rooms else [SITE / "start.md", *found]


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def run_shell(code: str, folder: Path, *, together: bool = False) -> subprocess.CompletedProcess[str]:
    """Run lines in a shell that finds this environment's programs; ``together``: one stream, as on a terminal."""
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "SDC_KEY": KEY, "PATH": scripts + os.pathsep + os.environ["PATH"]}
    if together:  # what other runs have left is told on no page
        environment["TMPDIR"] = tempfile.mkdtemp(dir=folder, prefix=".")
    return subprocess.run(
        ["bash", "-c", code], cwd=folder, env=environment, text=True, timeout=1800, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT if together else subprocess.PIPE,
    )  # fmt: skip


def shown_in(shown: str, printed: str) -> bool:
    """Return whether lines are printed in their order, one after the other but where ... stands."""
    pattern = r"(.*\n)*?".join(re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE))
    return re.search(rf"^{pattern}", printed, re.MULTILINE) is not None


def plain(line: str) -> str:
    """Return a line of dbt's without the time of day, the dots, and how long it took; any other line as it is."""
    if not re.match(r"\d\d:\d\d:\d\d +|\d+ of \d+ |Done\. ", line):
        return line
    return re.sub(r"^\d\d:\d\d:\d\d +|\.{2,}|in [\d.]+s| +", "", line)


def compare_texts(shown: str, printed: str) -> bool:
    """Return whether lines are printed in their order, whatever the time is where dbt prints it."""
    return shown_in(*("".join(f"{plain(line)}\n" for line in text.splitlines()) for text in (shown, printed)))


def link_fixtures(folder: Path) -> Path:
    """Make the paths of the examples hold in a folder, so that nothing of the project is written."""
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    return folder


@dataclass
class Reader:
    """Whoever types a page: one folder, one Python, one SQL connection, from its first block to its last."""

    folder: Path
    others: Mapping[str, Callable[[str, Path], str]] = field(default_factory=dict)
    python: dict[str, Any] = field(default_factory=dict)
    sql: duckdb.DuckDBPyConnection | None = None

    def read_blocks(self, blocks: Iterable[tuple[str, str]]) -> list[str]:
        """Run blocks one after the other, and return where they print something else than what is shown."""
        printed, passed, wrong = None, False, []
        for language, code in blocks:
            if language == "text":
                if printed is None and not passed:
                    wrong.append(f"nothing stands above that prints: {code.splitlines()[0]}")
                elif printed is not None and not compare_texts(code, printed):
                    wrong.append(f"shown:\n{code}printed:\n{printed}")
                printed, passed = None, False
            elif language in HERE | self.others.keys() and not re.match(r"(#|--) fixtures/", code):
                try:
                    printed = self.type_block(language, code)
                except Exception as error:  # noqa: BLE001 - whatever the page's own code raises
                    return [*wrong, f"{code}fails: {type(error).__name__}: {error}"]
            elif language in QUOTED | HERE:
                wrong += find_misquotes(code, self.folder)
            else:  # of another program
                printed, passed = None, language in OTHERS
        return wrong

    def type_block(self, language: str, code: str) -> str:
        """Return what the block prints; a block that fails is an AssertionError with what it said."""
        if language in self.others:
            return self.others[language](code, self.folder)
        if language == "sh":
            done = run_shell(f"set -e\n{code}", self.folder, together=True)
            assert done.returncode == 0, done.stdout
            return done.stdout.replace(f"{self.folder}/", "")
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(io.StringIO()) as printed:
            if language == "python":
                exec(compile(code, "page", "exec"), self.python)  # noqa: S102 - the page's own code
            else:
                self.run_sql(code)
        return printed.getvalue().replace(f"{self.folder}/", "")

    def run_sql(self, code: str) -> None:
        """Run the statements on the connection of the page (Python's `con`, where it has one); print their tables."""
        self.sql = self.python.get("con", self.sql)
        if self.sql is None:
            self.sql = sdc_sql.load(duckdb.connect())
            self.sql.execute("SET VARIABLE sdc_key = ?", [KEY])
        for statement in self.sql.extract_statements(code):
            if statement.type == duckdb.StatementType.SELECT:
                self.sql.sql(statement.query).show(max_width=WIDTH)
            else:
                self.sql.execute(statement.query)


def find_differences(
    page: Path, folder: Path, others: Mapping[str, Callable[[str, Path], str]] | None = None
) -> list[str]:
    """Run the blocks of a page, and return where it shows what is not printed, or quotes what does not stand there.

    ``others``: what runs blocks of other programs, by their language. Those that nothing runs are passed by, and what
    they print.
    """
    reader = Reader(link_fixtures(folder), others or {})
    with given_key():
        return reader.read_blocks(FENCED.findall(read(page)))


@contextlib.contextmanager
def given_key() -> Iterator[None]:
    """Hold the key of the pages in the environment."""
    before = os.environ.get("SDC_KEY")
    os.environ["SDC_KEY"] = KEY
    try:
        yield
    finally:
        os.environ.pop("SDC_KEY")
        if before is not None:
            os.environ["SDC_KEY"] = before


def find_misquotes(code: str, folder: Path) -> list[str]:
    """Return what is wrong with a part of a file whose name stands in its first line."""
    first, _, text = code.partition("\n")
    name = re.match(r"(?:#|--) (fixtures/\S+)", first)
    if name is None:
        return []
    if not (folder / name[1]).is_file():
        return [f"there is no {name[1]}"]
    parts = [part.strip("\n") for part in re.split(r"^(?:#|--)? ?\.\.\.\n", text, flags=re.MULTILINE)]
    return [f"{name[1]} does not hold:\n{part}" for part in parts if part not in read(folder / name[1])]


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or list_site_pages()
    for chosen_page in chosen:
        here = Path(tempfile.mkdtemp())
        for difference in find_differences(chosen_page, here):
            print(f"{chosen_page.relative_to(ROOT)}: {difference}")
        shutil.rmtree(here)
