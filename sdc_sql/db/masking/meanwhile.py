"""What other connections commit to a table while it is masked: their records would stand in it as they are, unmasked.

A transaction sees the table as it was when it began. What others update or delete of the same records is a conflict,
which DuckDB finds; what they insert, or update of a record whose masked value is its own, is none. So just before the
end the table is read once more, by a connection of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.masking.identity import hash_by_bytes
from sdc_sql.db.transaction import is_callers, read_transaction_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc_sql.db.transaction import Number

OWN = 36028797018960000  # DuckDB numbers the records that a transaction has inserted itself from here on
# the transaction of each connection in which the last mask began
_SEEN: WeakKeyDictionary[duckdb.DuckDBPyConnection, Number | None] = WeakKeyDictionary()


class Meanwhile:
    """A table that is about to be masked in place, as others see it.

    A transaction of the caller's may have changed the table itself. Of what others have committed since it began,
    until this moment, records that were inserted are told from its own changes; what they do after :meth:`check`
    fails, or is a conflict when it is committed.

    Raises
    ------
    duckdb.TransactionException
        Where another connection has inserted records that the transaction does not see.
    """

    def __init__(self, con: duckdb.DuckDBPyConnection, target: exp.Table, columns: Sequence[str]) -> None:
        self.con, self.target, self.columns = con, target, columns
        known = "SELECT type = 'duckdb' AND database_name <> 'temp' FROM duckdb_databases() WHERE database_name = ?"
        self.shared = con.execute(known, [target.catalog]).fetchall() == [(True,)]
        if not self.shared:
            return
        try:
            self.before = self._state()
        except (
            duckdb.CatalogException,
            duckdb.BinderException,
        ):  # the table or the column was made in this transaction
            self.shared = False
            return
        if is_callers(con):
            self._refuse_inserted()
        # nothing has been changed in this transaction so far
        elif _SEEN.get(con) != (ours := read_transaction_number(con)):
            _SEEN[con] = ours
            self._compare(con)

    def check(self) -> None:
        """Refuse to end where others have committed to the table since.

        Raises
        ------
        duckdb.TransactionException
            As for what DuckDB finds itself: the work is repeated, or the caller is told to.
        """
        if self.shared:
            self._compare()

    def _refuse_inserted(self) -> None:
        """Refuse where the last committed record is none that this transaction has deleted.

        A record that is inserted comes after all others. Whether this transaction has deleted it shows when another one
        is about to: that is a conflict. Where a column of the table has the name by which DuckDB numbers records, all
        that differs from what is committed is refused.
        """
        names = self.con.execute(query.write_sql(exp.select("*").from_(self.target.copy()).limit(0))).description
        if any(name.lower() == "rowid" for name, *_ in names):
            self._compare(self.con)
            return
        last = exp.select(exp.Max(this=exp.column("rowid"))).from_(self.target.copy())
        seen = execute(self.con, last.where(exp.column("rowid") < OWN)).fetchall()[0][0]
        with self.con.cursor() as other:
            there = other.execute(query.write_sql(last)).fetchall()[0][0]
            if there is None or (seen is not None and there <= seen):
                return
            other.begin()
            try:
                gone = exp.Delete(this=self.target.copy(), where=exp.Where(this=exp.column("rowid").eq(there)))
                other.execute(query.write_sql(gone)).fetchall()
            except duckdb.TransactionException:
                return
            except duckdb.ConstraintException:  # records of another table are of this one
                pass
            finally:
                other.rollback()
        raise duckdb.TransactionException("another connection has inserted records since the transaction began")

    def _compare(self, con: duckdb.DuckDBPyConnection | None = None) -> None:
        if self._state(con) != self.before:
            raise duckdb.TransactionException("another connection has changed the table meanwhile")

    def _state(self, con: duckdb.DuckDBPyConnection | None = None) -> tuple[object, ...]:
        """Return the number of the records, and digests of their ids and of the columns that are masked, as committed.

        They are those that a connection sees.
        """
        digest = hash_by_bytes(self.columns)
        found = [
            exp.Count(this=exp.Star()),
            exp.Anonymous(this="bit_xor", expressions=[digest.copy()]),
            exp.Sum(this=exp.cast(digest, "HUGEINT", dialect="duckdb")),
        ]
        rows = exp.select(*found).from_(self.target.copy())
        if con is not None:
            return tuple(execute(con, rows).fetchall()[0])
        with self.con.cursor() as other:
            return tuple(execute(other, rows).fetchall()[0])
