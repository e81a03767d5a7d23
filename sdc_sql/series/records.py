"""What a series asks of a table as a whole, by the engine that holds it: what it is, and who is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import translate_errors
from sdc_sql.series.ledger import IDS
from sdc_sql.series.ordered_content import digest_in_order
from sdc_sql.series.persons import Persons, ascend
from sdc_sql.series.temporary import call, fetch_arrow

if TYPE_CHECKING:
    import pyarrow as pa


@runtime_checkable
class Distributed(Protocol):
    """A table of another engine, which digests its records where they are."""

    def digest_content(self) -> str:
        """Return the digest of its content."""

    def digest_ids(self, series: str) -> pa.Array:
        """Return the digests of its ids."""

    def digest_beside(self, table: str) -> str:
        """Return the digest of the content of another table that a mask reads."""

    def explain_unmasked(self, method: str) -> str:
        """Return why values that are kept, or a design, are not masked there, and what to do."""


def digest_content(data: Any, identifier: str = "") -> str:  # noqa: ANN401 - a described table
    """Return the digest of the whole table: of the part that is masked, or one record a household, the table of it.

    With the column of the ids it is taken in their order; of another engine's table, or of a text file, by record.
    """
    if isinstance(data, Distributed):
        return data.digest_content()
    table = name_whole(data)
    with translate_errors():
        if identifier and not execute(data.con, "SELECT sdc__is_text_file($1)", [table]).fetchall()[0][0]:
            return digest_in_order(data.con, table, identifier)
        return str(execute(data.con, query.call_macro("sdc_content_digest", table)).fetchall()[0][0])


def digest_ids(data: Any, identifier: str, series: str, known: Persons | None = None) -> Persons:  # noqa: ANN401
    """Return the digests of the ids of the whole table: those that are known, where the ids are the same."""
    if isinstance(data, Distributed):
        return Persons(data.digest_ids(series))
    table = name_whole(data)
    source, own = exp.Table(this=call("query_table", table)), exp.column(identifier, quoted=True)
    with translate_errors():
        ids = fetch_arrow(data.con, exp.select(exp.alias_(own, "sdc__id")).from_(source.copy()))["sdc__id"]
        if known is not None and known.find_digests(ids) is not None:
            return known
        if not ascend(ids.combine_chunks()):  # else they are unique, and none is NULL
            fetch_arrow(
                data.con, query.call_macro("sdc__identified", table, identifier).select("sdc__id", append=False)
            )
        digest = exp.alias_(call("sdc__series_id", call("sdc__checked_id", own.copy()), series), "sdc__person")
        found = fetch_arrow(data.con, exp.select(exp.alias_(own.copy(), "sdc__id"), digest).from_(source))
    return Persons(found["sdc__person"].combine_chunks().cast(IDS.field("id").type), found["sdc__id"])


def digest_beside(data: Any, table: str) -> str:  # noqa: ANN401 - a described table
    """Return the digest of the content of another table that a mask reads, such as a matrix."""
    if isinstance(data, Distributed):
        return data.digest_beside(table)
    with translate_errors():
        return str(execute(data.con, query.call_macro("sdc_content_digest", table)).fetchall()[0][0])


def name_whole(data: Any) -> str:  # noqa: ANN401 - a described table
    """Return the name of the whole table: of the part that is masked, or one record a household, the table of it."""
    return str(data.table if data.homes is None else data.homes.of.table)
