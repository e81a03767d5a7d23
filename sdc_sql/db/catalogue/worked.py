"""The worked examples of the headers: small tables, and what a macro gives of them, drawn side by side.

::

    --   persons: age sex   sdc_k_anonymity('persons', ['age', 'sex'], 2):
    --            30  f     k records cells
    --            30  f     2 1       1              the man of 41
    --            41  m

A table begins with its name and a colon, a call ends in a colon; the names of the columns stand beside it or in the
next line, and each value begins where the name of its column does. Those columns of a result are drawn that matter, and
all rows, in any order; a row ``...`` stands for others. Numbers are rounded to the digits that are drawn; one without a
point is exact. What stands two blanks behind the last column is a remark, as is a line that begins two blanks to the
right of the first. ``times`` of a table says how many such records there are. A table that is not drawn is one of the
examples (sql/core/help.sql), or was drawn further up in the file.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.headers import HeaderError

if TYPE_CHECKING:
    from collections.abc import Iterator

MORE = "..."
TIMES = "times"

_CALL = re.compile(r"(?:FROM )?(?P<call>(?P<macro>sdc_[a-z]\w*)\(.*?\)):(?= |$)")
_NAME = re.compile(r"(?<!\S)(?P<name>[a-z]\w*):(?= +\w)")
Value = bool | int | float | str | date | None


@dataclass(frozen=True)
class Drawn:
    """A table as it is drawn: each value as text, under the name of its column."""

    line: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def values(self) -> list[tuple[Value, ...]]:
        """Return the records: numbers, truth values, dates, NULL, and texts.

        Examples
        --------
        >>> Drawn(1, ("age", "sex", "times"), (("30", "f", "2"), ("NULL", "m", "1"))).values()
        [(30, 'f'), (30, 'f'), (None, 'm')]
        """
        times = [int(n) for n in self._column(TIMES)] if TIMES in self.columns else [1] * len(self.rows)
        columns = [_convert_cells(self._column(name)) for name in self.names]
        return [row for row, often in zip(zip(*columns, strict=True), times, strict=True) for _ in range(often)]

    def _column(self, name: str) -> list[str]:
        return [row[self.columns.index(name)] for row in self.rows]

    @property
    def names(self) -> list[str]:
        """Return the columns of the records."""
        return [column for column in self.columns if column != TIMES]


@dataclass(frozen=True)
class Worked:
    """A call, the tables that are drawn for it, and what it gives."""

    file: str
    macro: str
    call: str
    tables: dict[str, Drawn]
    result: Drawn

    @property
    def whole(self) -> bool:
        """Return whether all rows of the result are drawn."""
        return MORE not in {row[0] for row in self.result.rows}

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Return the rows that are drawn."""
        return [row for row in self.result.rows if row[0] != MORE]


@dataclass
class _Place:
    """A table or a call on the page: where it begins, and where its columns may be."""

    line: int
    left: int
    name: str
    macro: str
    right: int | None = None
    texts: list[tuple[int, str]] = field(default_factory=list)


def read_worked_examples(file: str, text: str) -> list[Worked]:
    r"""Return the worked examples of a SQL file.

    Raises
    ------
    HeaderError
        Where a value stands under no column, or a column is without one; with the file and the line.

    Examples
    --------
    >>> (found,) = read_worked_examples("x.sql",
    ...     "--   t: a b   sdc_x('t'):   b\n--      1 y                 y   (the last)")
    >>> found.call, found.tables["t"].values(), found.rows
    ("sdc_x('t')", [(1, 'y')], [('y',)])
    """
    found: list[Worked] = []
    tables: dict[str, Drawn] = {}
    for block in _split_blocks(text):
        if not any(_CALL.search(line) for _, line in block):
            continue
        places = _find_places(block)
        drawn = [(place, _read_drawn_table(file, place)) for place in places]
        tables = tables | {place.name: table for place, table in drawn if not place.macro}
        found += [Worked(file, p.macro, p.name, tables, table) for p, table in drawn if p.macro]
    return found


def _convert_cells(texts: list[str]) -> list[Value]:
    """Return the values of a column, all of which are texts where one is: text in quotes is text, whatever it says."""
    found = [_convert_cell(text) for text in texts]
    if any(isinstance(v, str) for v in found):
        return [None if text == "NULL" else text.strip("'") for text in texts]
    return found


def _convert_cell(text: str) -> Value:
    if text in ("NULL", "true", "false"):
        return {"NULL": None, "true": True, "false": False}[text]
    for read in (int, float, date.fromisoformat):
        with suppress(ValueError):
            return read(text)
    return text


def is_drawn_value(drawn: str, found: object, text: str | None) -> bool:
    """Return whether a value is the one that is drawn: ``text`` is how DuckDB writes it.

    Examples
    --------
    >>> is_drawn_value("0.33", 1 / 3, "0.333333"), is_drawn_value("0", 1 / 3, "0.333333")
    (True, False)
    >>> is_drawn_value("[a, b]", ["a", "b"], "[a, b]")
    True
    """
    if isinstance(found, int | float | Decimal) and not isinstance(found, bool):
        with suppress(InvalidOperation, ValueError):
            return float(found) == float(drawn) or abs(float(found) - float(drawn)) <= _half(drawn) + 1e-9
        return False
    if text is not None and drawn.endswith(MORE):
        return text.startswith(drawn.removesuffix(MORE))
    return drawn.strip("'") == ("NULL" if found is None else text)


def _half(drawn: str) -> float:
    """Return half of the last digit behind the point; 0 of a whole number."""
    exponent = Decimal(drawn).as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) and exponent < 0 else 0.0


def _split_blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the runs of indented lines of the comments, each line with its number."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("--   "):
            block.append((number, line))
        elif block:
            yield block
            block = []


def _find_places(block: list[tuple[int, str]]) -> list[_Place]:
    """Return the tables and calls of a block, each with the lines below it, as far as the next one."""
    places: list[_Place] = []
    for number, line in block:
        calls = list(_CALL.finditer(line))
        begun = [
            *((m.start(), m.end(), m["call"], m["macro"]) for m in calls),
            *((m.start(), m.end(), m["name"], "") for m in _NAME.finditer(line)
              if not any(c.start() < m.end() <= c.end() for c in calls) and (places or calls or number == block[0][0])),
        ]  # fmt: skip
        if not begun or (places and not calls):
            for place in places:  # the line holds values
                if part := line[place.left : place.right].rstrip():
                    place.texts.append((number, part))
            continue
        new = _find_beginnings(number, line, sorted(begun))
        for place in places:  # a table further up goes no further down than the one that begins here
            if any(place.left < (n.right or 10**6) and n.left < (place.right or 10**6) for n in new):
                place.right = place.left
            elif part := line[place.left : place.right].rstrip():
                place.texts.append((number, part))
        places += new
    return places


def _find_beginnings(number: int, line: str, begun: list[tuple[int, int, str, str]]) -> list[_Place]:
    """Return what begins on a line, from the left to the right."""
    starts = [start for start, *_ in begun]
    new = []
    for (start, end, name, macro), right in zip(begun, [*starts[1:], None], strict=True):
        beside = line[end:right].strip()
        left = end + len(line[end:right]) - len(line[end:right].lstrip()) if beside else start
        place = _Place(number, left, name, macro, right)
        if beside:
            place.texts.append((number, line[left:right].rstrip()))
        new.append(place)
    return new


def _read_drawn_table(file: str, place: _Place) -> Drawn:
    """Return a table from its lines: the names of the columns say where each of them begins."""
    if not place.texts[1:]:
        raise HeaderError(file, place.line, f"{place.name}: its columns and values are to stand below, or beside it.")
    _, head = place.texts[0]
    names = [(m.start(), m[0]) for m in re.finditer(r"\S+", head)]
    rows: list[tuple[str, ...]] = []
    for number, text in place.texts[1:]:
        if text.strip() == MORE:
            rows.append((MORE,) * len(names))
            continue
        if text.startswith("  "):  # the line is a remark
            continue
        cells = []
        for (start, name), (end, _) in zip(names, [*names[1:], (None, "")], strict=True):
            cell = text[start:end]
            if not cell[:1].strip() or text[max(0, start - 1) : start].strip():
                raise HeaderError(file, number, f"no value begins under {name}: {text.strip()!r}.")
            cells.append(re.split(r"  +", cell.strip())[0] if end is None else cell.strip())
        rows.append(tuple(cells))
    return Drawn(place.line, tuple(name for _, name in names), tuple(rows))
