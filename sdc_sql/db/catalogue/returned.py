"""What Python returns of a macro, where its function is written from the header: ``python -m sdc_sql.write``.

::

    -- Result: KViolations. The records and the cells with fewer than k records.
    -- Notes: A file after local suppression is described with `nulls="wildcard"`.
    -- Raises: TableError where a cell has more records in the sample than in the population.
    -- Wildcards: refused.
    -- Picture: pairs.

``Result`` names the frozen record of a row and says what its fields are, or is ``relation`` for a measure of records.
``Wildcards: refused`` stands where NULL must be a value of its own: a table described otherwise is an error.
``Picture`` names the module of ``sdc_sql/pictures`` whose function of that name (``draw_pairs``) draws several rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.headers import Comment

RELATION = "relation"

_RESULT = re.compile(rf"(?P<name>[A-Z]\w*|{RELATION})\. (?P<words>.+)")
_PICTURE = re.compile(r"(?P<name>[a-z_]*)\.")
_RAISES = re.compile(r"(?P<error>[A-Z]\w*Error) (?P<when>where .+)")


@dataclass(frozen=True)
class Returned:
    """The name of the record (or ``relation``), what is said of it, notes, and errors with when they are raised."""

    name: str
    words: str
    notes: str = ""
    raises: tuple[tuple[str, str], ...] = ()
    refuses_wildcards: bool = False
    picture: str = ""

    @property
    def is_relation(self) -> bool:
        """Whether its rows are records of a table, or cells, and stay in DuckDB."""
        return self.name == RELATION


def read_result(own: Comment, tags: Mapping[str, str]) -> Returned | None:
    """Return what the comment of a macro says of its function in Python; None where that is written by hand.

    Examples
    --------
    >>> from sdc_sql.db.catalogue.headers import read_comment
    >>> read = read_comment("risk/x.sql", 1, ["-- Result: Figures. How many there are.", "-- Wildcards: refused."])
    >>> found = read_result(read, read.tags)
    >>> found.name, found.words, found.refuses_wildcards
    ('Figures', 'How many there are.', True)
    """
    if "Result" not in own.tags:
        return None
    said = _RESULT.fullmatch(own.tags["Result"])
    if said is None:
        raise own.fail("Result", f"Result is to be `Name. What its fields are.`, or `{RELATION}. What a row is.`")
    if tags.get("Wildcards", "refused.") != "refused.":
        raise own.fail("Wildcards", "Wildcards is to be `refused.`, or is left out.")
    picture = _PICTURE.fullmatch(own.tags.get("Picture", "."))
    if picture is None or (picture["name"] and said["name"] == RELATION):
        raise own.fail("Picture", "Picture is to be `name.` of a module of sdc_sql/pictures; records have none.")
    raises = []
    for text in filter(None, tags.get("Raises", "").removesuffix(".").split("; ")):
        error = _RAISES.fullmatch(text)
        if error is None:
            raise own.fail("Raises", f"{text!r} is to be an error and when it is raised: `TableError where ...`.")
        raises.append((error["error"], error["when"]))
    return Returned(
        said["name"], said["words"], tags.get("Notes", ""), tuple(raises), "Wildcards" in tags, picture["name"]
    )
