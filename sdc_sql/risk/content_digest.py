"""A digest of what a table holds, the same wherever and however it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.showing.results import Result

if TYPE_CHECKING:
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class ContentDigest(Result):
    """64 hexadecimal digits for the columns and records of a table, and how many of them there are."""

    digest: str
    records: int
    columns: int


def content_digest(data: Roles) -> ContentDigest:
    """Return a digest (SHA-256) of the names and types of the columns and of every record, in any order of the records.

    The same for any number of threads, any version of DuckDB, and whether the table stands in Parquet, in a database,
    or in a CSV file that is read with the same types; another one if a single value, name or type is another, or if a
    record is there once more. A digest, not a signature: it says that two tables are equal, not who made them.

    Notes
    -----
    Records are digested, sorted by their digests within 4,096 buckets, and digested again: to find another table with
    the same digest is as hard as for SHA-256 itself. Ten million records take about 2 GB of memory.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> _ = data.con.execute("CREATE TABLE backwards AS FROM persons ORDER BY id DESC")
    >>> found = data.risk.content_digest()
    >>> found == sdc_sql.Microdata(data.con, "backwards").risk.content_digest(), len(found.digest), found.records
    (True, 64, 3)
    """
    (row,) = data.rows("sdc_content_digest", data.table)
    return ContentDigest(**row)
