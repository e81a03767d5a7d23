"""The prose of a SQL file's header: without its tags, as paragraphs and as blocks that are shown as they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sdc_docs.formula import write_tex
from sdc_docs.markdown import escape, fence
from sdc_sql.db.catalogue.headers import TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.db.catalogue.functions import Declaration

_TAG = re.compile(rf"(sdc_\w+|{'|'.join(TAGS)}):(?: |$)")
_CALL = re.compile(r"\bsdc_\w+\(.*\):(?= |$)")
_STATEMENT = re.compile(r"\b(CREATE|SELECT|FROM|SET|INSERT|COPY|WITH) ")
_FORMULA = re.compile(r"\S += +\S|\S +<=? +\S|\([0-9a-z.]+\)$")


@dataclass(frozen=True)
class Block:
    """A paragraph, or lines that stand as they are drawn: a formula, SQL, a worked example, or a list."""

    kind: str
    text: str
    names: frozenset[str] = frozenset()  # of results, which may stand in a formula

    def write(self) -> str:
        """Return it as Markdown."""
        if self.kind == "text":
            return escape(self.text)
        if self.kind == "formula":
            tex = write_tex(self.text, self.names)
            return f"```{{math}}\n{tex}\n```" if tex else fence(self.text, "text", [":class: formula"])
        return fence(self.text, "sql" if self.kind == "sql" else "text")


def read_prose(declaration: Declaration) -> list[Block]:
    """Return the blocks of what the header says of a function, but for its first sentence where it is the summary."""
    lines = _drop_tags(declaration.description.splitlines())
    names = frozenset(column.name for column in declaration.given.columns)
    return [replace(block, names=names) for group in _split_groups(lines) for block in _split_blocks(group)]


def _drop_tags(lines: list[str]) -> list[str]:
    kept: list[str] = []
    within = False
    for line in lines:
        if _TAG.match(line):
            within = True
        elif within and line.startswith("  "):
            continue
        else:
            within = False
            kept.append(line)
    return kept


def _split_groups(lines: list[str]) -> Iterator[list[str]]:
    group: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            group.append(line)
        elif group:
            yield group
            group = []


def _split_blocks(group: list[str]) -> Iterator[Block]:
    """Split lines without a blank one at the places where the indented ones begin and end."""
    run: list[str] = []
    for line in [*group, None]:
        if run and (line is None or line.startswith("  ") != run[0].startswith("  ")):
            yield _make_block(run)
            run = []
        if line is not None:
            run.append(line)


def _make_block(lines: list[str]) -> Block:
    if not lines[0].startswith("  "):
        return Block("text", "\n".join(lines))
    left = min(len(line) - len(line.lstrip()) for line in lines)
    text = "\n".join(line[left:] for line in lines)
    if any(_CALL.search(line) for line in lines):
        return Block("worked", text)
    if any(_STATEMENT.search(line) for line in lines):
        return Block("sql", text)
    return Block("formula" if any(_FORMULA.search(line) for line in lines) else "list", text)
