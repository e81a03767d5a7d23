"""What a macro gives: its columns with their types, which of them bear risk or loss, and what a row is.

::

    -- Gives: k BIGINT, records BIGINT (more risk), cells BIGINT (more risk).
    -- Rows: each k.

A column that may be NULL says so (``theta DOUBLE or NULL (more risk)``), and the rows say their order where it matters
(``each variable (all of them first)``).

A directed figure says which side is bad: a high value of ``more risk``, a low value of ``less loss``.
Its best value is 0 where more is bad, or as it stands there (``less loss, best 1``). A measure whose rows are ``one``,
or one ``each`` value of a column, gives figures of the file, which limits can name; other rows are records or cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc_sql.db.catalogue.headers import Comment

# The tag stands for the columns of the measured table, whatever they are.
OF_THE_TABLE = ("every column", "every other column", "the key columns")
ANY = "ANY"  # the column has the type of a column of the table
NUMBERS = ("BIGINT", "DOUBLE", "INTEGER", "BOOLEAN")

_COLUMN = re.compile(
    r"(?P<name>\w+) (?P<type>[A-Z][A-Z0-9]*(?:\([^()]*\))?(?:\[\])*)"
    r"(?P<null> or NULL)?"
    r"(?: \((?P<more>more|less) (?P<bears>risk|loss)(?:, best (?P<best>-?\d+(?:\.\d+)?))?\))?"
)
_COMMA = re.compile(r", (?![^()]*\))")
_ROWS = re.compile(r"one|each (?P<by>\w+(?:(?:, \w+)* and \w+)?)(?: \((?P<order>.+)\))?|(?P<other>[a-z][a-z ]+)")


@dataclass(frozen=True)
class Column:
    """A column of a result; ``bears`` is risk, loss or nothing, and ``more`` whether a higher value is worse.

    ``or_null``: the header says that it may be NULL.
    """

    name: str
    type: str
    bears: str = ""
    more: bool = True
    best: float | None = None
    or_null: bool = False

    @property
    def is_number(self) -> bool:
        """Whether a limit can compare it."""
        return self.type in NUMBERS

    def choose_worst(self, one: float, other: float) -> float:
        """Return the worse of two values; of a column that bears nothing the higher."""
        return max(one, other) if self.more or not self.bears else min(one, other)


@dataclass(frozen=True)
class Given:
    """The columns of a result in their order, and its rows: of the file where ``of_file``, told apart by ``by``.

    ``order`` says in which order the rows are, where the header does.
    """

    columns: tuple[Column, ...] = ()
    of_file: bool = False
    by: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # the names of all columns, also those of the table, as the header gives them
    order: str = ""

    @property
    def is_one(self) -> bool:
        """Whether there is one row, of the whole file."""
        return self.of_file and not self.by

    @property
    def figures(self) -> tuple[Column, ...]:
        """Return the columns that a limit can name; none where the rows are not those of the file."""
        return tuple(c for c in self.columns if c.is_number and c.name not in self.by) if self.of_file else ()


def read_gives(read: Comment) -> Given:
    """Return what a comment says under ``Gives:`` and ``Rows:``.

    Examples
    --------
    >>> from sdc_sql.db.catalogue.headers import read_comment
    >>> read = read_comment("risk/x.sql", 1, ["-- Gives: k BIGINT, records BIGINT (more risk).", "-- Rows: each k."])
    >>> found = read_gives(read)
    >>> found.by, [(c.name, c.bears, c.more, c.best) for c in found.figures]
    (('k',), [('records', 'risk', True, 0.0)])
    """
    texts = [text for text in _COMMA.split(read.tags.get("Gives", "").removesuffix(".")) if text]
    columns = tuple(_read_column(read, text) for text in texts if text not in OF_THE_TABLE)
    names = tuple(text if text in OF_THE_TABLE else text.partition(" ")[0] for text in texts)
    if "Rows" not in read.tags:
        return Given(columns, names=names)
    rows = _ROWS.fullmatch(read.tags["Rows"].removesuffix("."))
    if rows is None:
        raise read.fail("Rows", "Rows is to be `one`, `each column` (`each a and b`), or what they are: `records`.")
    by = tuple(re.split(r", | and ", rows["by"])) if rows["by"] else ()
    strange = [name for name in by if name not in {c.name for c in columns}]
    if strange:
        raise read.fail("Rows", f"{strange[0]} is none of the columns that it gives.")
    return Given(columns, rows["other"] is None, by, names, rows["order"] or "")


def _read_column(read: Comment, text: str) -> Column:
    said = _COLUMN.fullmatch(text)
    if said is None:
        raise read.fail(
            "Gives", f"{text!r} is to be a name and a type, as in `records BIGINT`, `theta DOUBLE (more risk)`."
        )
    more = said["more"] == "more"
    best = float(said["best"]) if said["best"] else 0.0 if more else None
    return Column(said["name"], said["type"], said["bears"] or "", more or not said["bears"], best, bool(said["null"]))
