"""What a series asks of a table as a whole, by the engine that holds it: what it is, and who is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import translate_errors
from sdc_sql.series.kept_values import fetch_arrow
from sdc_sql.series.ledger import IDS

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


def digest_content(data: Any) -> str:  # noqa: ANN401 - a described table
    """Return the digest of the whole table: of the part that is masked, or one record a household, the table of it."""
    if isinstance(data, Distributed):
        return data.digest_content()
    digested = query.call_macro("sdc_content_digest", name_whole(data))
    with translate_errors():
        return str(execute(data.con, digested).fetchall()[0][0])


def digest_ids(data: Any, identifier: str, series: str) -> pa.Array:  # noqa: ANN401 - a described table
    """Return the digests of the ids of the whole table."""
    if isinstance(data, Distributed):
        return data.digest_ids(series)
    digest = query.call_macro("sdc__series_ids", name_whole(data), identifier, series)
    with translate_errors():
        found = fetch_arrow(data.con, digest.select("sdc__digest", append=False))
    return found["sdc__digest"].combine_chunks().cast(IDS.field("id").type)


def digest_beside(data: Any, table: str) -> str:  # noqa: ANN401 - a described table
    """Return the digest of the content of another table that a mask reads, such as a matrix."""
    if isinstance(data, Distributed):
        return data.digest_beside(table)
    with translate_errors():
        return str(execute(data.con, query.call_macro("sdc_content_digest", table)).fetchall()[0][0])


def name_whole(data: Any) -> str:  # noqa: ANN401 - a described table
    """Return the name of the whole table: of the part that is masked, or one record a household, the table of it."""
    return str(data.table if data.homes is None else data.homes.of.table)
