"""What was released of a value stays: of values that the ledger knows it is looked up, of others a method finds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.series.found_digests import find_digests, point_beside
from sdc_sql.series.ledger import DIGEST, VALUES
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    from numpy.typing import NDArray

    from sdc_sql.series.ledger import Ledger
    from sdc_sql.series.persons import Persons

OWN, MASKED = "sdc_series_own", "sdc_series_masked"
TEXT = pa.string()


@dataclass(frozen=True)
class Place:
    """Where values stand: the table, its id, the columns that are masked, the series and the number of the step."""

    con: duckdb.DuckDBPyConnection
    table: str
    identifier: str
    columns: tuple[str, ...]
    stratum: str | None
    series: str
    step: int
    household: str | None = None  # where its members share what is drawn for a value
    persons: Persons | None = None  # the digests of its ids, where they were made before

    def read_digests(self, masked: exp.Expression | None = None) -> pa.Table:
        """Return of each record the digest of its id and, by column, the digests of its values and these as numbers.

        With the masked values, a table, also these as texts.
        """
        own = self._read(digests=self.persons is None)
        persons = None if self.persons is None else self.persons.find_digests(own["sdc__id"])
        if persons is not None:
            own = own.append_column("sdc__person", persons)
        elif self.persons is not None:  # other records, or another order
            own = self._read(digests=True)
        if masked is None:
            return own
        shown = _put_in_order(self._read_masked(masked), own["sdc__id"])
        if shown is None:
            return self._read(digests=True, joined=masked)
        for j in range(len(self.columns)):
            own = own.append_column(f"sdc__r{j}", shown[f"sdc__r{j}"])
        return own

    def _read_masked(self, masked: exp.Expression) -> pa.Table:
        """Return the masked values as texts, with the ids, in the order in which they stand."""
        told = [exp.alias_(exp.column(self.identifier, table="v", quoted=True), "sdc__id")]
        told += [exp.alias_(_write_text(name), f"sdc__r{j}") for j, name in enumerate(self.columns)]
        return fetch_arrow(self.con, exp.select(*told).from_(exp.alias_(masked.copy(), "v", table=True)))

    def _read(self, *, digests: bool, joined: exp.Expression | None = None) -> pa.Table:
        """Return the records, with the digests of their ids and joined to their masked values where these are asked."""
        own = exp.column(self.identifier, table="t", quoted=True)
        told = [
            exp.alias_(own, "sdc__id"),
            exp.alias_(exp.cast(self._digest_stratum(), "VARCHAR"), "sdc__stratum"),
        ]
        if digests:
            person = _call("sdc__series_id", _call("sdc__checked_id", own.copy()), self.series)
            told.append(exp.alias_(person, "sdc__person"))
        if self.household is not None:
            home = exp.column(self.household, table="t", quoted=True)
            told.append(exp.alias_(exp.cast(home, "VARCHAR"), "sdc__home"))
        for j, name in enumerate(self.columns):
            value = exp.column(name, table="t", quoted=True)
            of = _call("sdc__series_value", own.copy(), value, self.series, str(self.step), name)
            told += [exp.alias_(of, f"sdc__d{j}"), exp.alias_(_cast_number(value), f"sdc__x{j}")]
            if joined is not None:
                told.append(exp.alias_(_write_text(name), f"sdc__r{j}"))
        source = exp.Table(this=_call("query_table", self.table))
        select = exp.select(*told).from_(exp.alias_(source, "t", table=True))
        if joined is not None:
            same = _by_bytes(own.copy()).eq(_by_bytes(exp.column(self.identifier, table="v", quoted=True)))
            select = select.join(exp.alias_(joined.copy(), "v", table=True), on=same)
        return fetch_arrow(self.con, select)

    def _digest_stratum(self) -> exp.Expression:
        if self.stratum is None:
            return exp.null()
        value = exp.column(self.stratum, table="t", quoted=True)
        return _call("sdc__series_stratum", value, self.series, str(self.step))


@dataclass(frozen=True)
class Known:
    """Of each record what the ledger has: whether his id is known, and by column what was released of his value."""

    persons: pa.Array
    released: tuple[pa.Array, ...]  # texts
    missing: tuple[pa.Array, ...]  # whether nothing was released of the value yet

    def stack_missing(self) -> NDArray[np.bool_]:
        """Return which values are new, a column each."""
        return np.column_stack([a.to_numpy(zero_copy_only=False).astype(bool) for a in self.missing])

    def take_from_members(self, own: pa.Table) -> tuple[Known, NDArray[np.bool_]]:
        """Return what is known with, of a new value, what was released of the same value of a member of its household.

        And which records have a household in which different ones were released of the same value.
        """
        homes = own["sdc__home"].to_pylist()
        released, missing = [], []
        told = np.zeros(len(own), dtype=bool)
        for j, texts in enumerate(self.released):
            values, shown, new = own[f"sdc__x{j}"].to_pylist(), texts.to_pylist(), self.missing[j].to_pylist()
            of: dict[tuple[str, float], set[str | None]] = {}
            for home, value, text, asked in zip(homes, values, shown, new, strict=True):
                if not asked and home is not None and value is not None:
                    of.setdefault((home, value), set()).add(text)
            for i in [i for i, asked in enumerate(new) if asked]:
                found = of.get((homes[i], values[i]), set())
                if len(found) == 1:
                    (shown[i],), new[i] = found, False
                told[i] |= len(found) > 1
            released.append(pa.array(shown, TEXT))
            missing.append(pa.array(new, pa.bool_()))
        return Known(self.persons, tuple(released), tuple(missing)), told


def look_up(ledger: Ledger, own: pa.Table, step: int, columns: Sequence[str]) -> Known:
    """Return what the ledger has of the records."""
    of_step = pc.equal(ledger.values["step"], step)
    place = ledger.find_places(_chunk(own["sdc__person"], DIGEST))
    released, missing = [], []
    for j in range(len(columns)):
        rows = ledger.values.filter(pc.and_(of_step, pc.equal(ledger.values["place"], j)))
        thought = point_beside(_chunk(ledger.ids["id"]), _chunk(rows["id"]), place)
        at = find_digests(_chunk(own[f"sdc__d{j}"], DIGEST), _chunk(rows["digest"]), thought)
        new = at < 0
        released.append(_chunk(rows["released"]).take(pa.array(np.where(new, 0, at), mask=new)))
        missing.append(pa.array(new))
    return Known(pa.array(place >= 0), tuple(released), tuple(missing))


def collect_new(
    own: pa.Table,
    known: Known | None,
    columns: Sequence[str],
    step: int,
    number: int,
    *,
    present: NDArray[np.bool_] | None = None,
) -> pa.Table:
    """Return what is new for the ledger: what was released of values that it has not had, of those who do not wait."""
    parts = [VALUES.empty_table()]
    for j in range(len(columns)):
        rows = own if known is None else own.filter(pc.and_(known.missing[j], pa.array(present)))
        numbers = [pa.array(np.full(len(rows), n, np.int32)) for n in (step, j, number)]
        person, digest = (_chunk(rows[n], VALUES.field("id").type) for n in ("sdc__person", f"sdc__d{j}"))
        arrays = [numbers[0], numbers[1], person, digest, numbers[2], _chunk(rows[f"sdc__r{j}"], TEXT)]
        parts.append(pa.table(arrays, schema=VALUES))
    return pa.concat_tables(parts)


def select_texts(place: Place, own: pa.Table, texts: Sequence[pa.Array], types: Sequence[str]) -> exp.Select:
    """Return the query of masked values that are given as texts, by id, in the types that they had at first."""
    table = pa.table([own["sdc__id"], *texts], names=["sdc__id", *(f"sdc__r{j}" for j in range(len(texts)))])
    place.con.execute(f"DROP TABLE IF EXISTS temp.{OWN}")
    place.con.register(MASKED, table)
    try:
        place.con.execute(f"CREATE TEMP TABLE {OWN} AS FROM {MASKED}").fetchall()
    finally:
        place.con.unregister(MASKED)
    values = [
        exp.alias_(exp.cast(exp.column(f"sdc__r{j}"), exp.DataType.build(kind, dialect="duckdb")), name, quoted=True)
        for j, (name, kind) in enumerate(zip(place.columns, types, strict=True))
    ]
    named = exp.alias_(exp.column("sdc__id"), place.identifier, quoted=True)
    return exp.select(named, *values).from_(exp.table_(OWN, db="main", catalog="temp", quoted=True))


def _chunk(column: Any, kind: pa.DataType | None = None) -> pa.Array:  # noqa: ANN401 - chunked, or not
    found = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return found if kind is None else found.cast(kind)


def _put_in_order(rows: pa.Table, ids: pa.ChunkedArray) -> pa.Table | None:
    """Return rows in the order of these ids; None where Arrow does not find them, and DuckDB has to join."""
    if rows["sdc__id"].type != ids.type:
        return None
    if rows["sdc__id"].equals(ids):
        return rows
    if not (pa.types.is_integer(ids.type) or pa.types.is_string(ids.type)):
        return None
    at = pc.index_in(ids, value_set=rows["sdc__id"].combine_chunks())
    return None if at.null_count else rows.take(at)


def _write_text(name: str) -> exp.Expression:
    return exp.cast(exp.column(name, table="v", quoted=True), "VARCHAR")


def _cast_number(value: exp.Expression) -> exp.Expression:
    return exp.TryCast(this=value.copy(), to=exp.DataType.build("DOUBLE"))


def _call(name: str, *arguments: Any) -> exp.Anonymous:  # noqa: ANN401 - trees, or texts that become literals
    return exp.Anonymous(
        this=name,
        expressions=[a if isinstance(a, exp.Expression) else query.make_text_literal(a) for a in arguments],
    )


def _by_bytes(column: exp.Expression) -> exp.Anonymous:
    return _call("sdc__by_bytes", column)
