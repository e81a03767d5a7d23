"""Masked values beside the records they belong to, and how they are written: record by record, or joined by the id.

A join of ten million records by id costs more than a copy of the table. Most tables stand in the order of their ids,
and masked values are brought into it at little cost: each record then finds its own at its own position. That the ids
agree is seen first, and every statement that writes asserts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.masking.constraints import is_unique_or_unwritten, needs_one_update
from sdc_sql.db.masking.places import join_runs, select_run, split_places, unite_runs
from sdc_sql.errors import ColumnError, TableError

if TYPE_CHECKING:
    from sdc_sql.db.query import Value

OfValue: TypeAlias = "tuple[str, *tuple[Value, ...]]"
NAME = "sdc_masked_values"
PLACE = "sdc__place"
FEW = 1  # so few columns are updated in less time than all records are written anew
RARE = 20  # where one in so many records changes, those that do are found first, by all threads, and updated at once
_FORBIDS = (duckdb.BinderException, duckdb.CatalogException, duckdb.DependencyException, duckdb.ConstraintException)
WIDE = 10  # a table with more columns for each masked one is wide: only the masked ones are written
BETWEEN = repr(2.0**-126)  # it stands for a moment in the place of -0.0: FLOAT and DOUBLE hold it alike


class MaskedValues:
    """The masked values of a table, by id, in a temporary table of their own.

    Parameters
    ----------
    con
        A connection with the macros.
    source
        What is masked: a table, view or file by its name.
    identifier, columns
        The id and the masked columns, as the source spells them.
    values
        A query that gives them.
    stored
        The source where it is a table, whose records have places; None where it is a view or a file.
    retyped
        Whether the masked values may be of another type than the column's, as the labels of a recoded age are.
    of_value
        A macro of one value, and its further arguments, that gives a masked value where nothing but the value itself
        decides it: it is then written without the join, in a quarter of the time.
    """

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        source: str,
        identifier: str,
        columns: tuple[str, ...],
        values: exp.Select,
        *,
        stored: exp.Table | None,
        retyped: bool = False,
        of_value: OfValue | None = None,
    ) -> None:
        self.con, self.identifier, self.columns = con, identifier, columns
        self.stored, self.of_value = stored, of_value
        self.source = stored or exp.Table(this=_call_macro("query_table", query.make_text_literal(source)))
        ascends = query.call_macro("sdc__ascends", source, identifier)
        # most tables are stored in this order, and it costs little to sort what is nearly in order
        if self._fetch_row(ascends)[0]:
            values = values.order_by(
                _call_macro("sdc__by_bytes", exp.column(identifier, quoted=True)).asc(nulls_first=False)
            )
        self._keep(NAME, values)
        self.new_types = self._find_new_types() if retyped else {}
        self._changed = 0
        self.records, self._beside = self._look_at_records()
        if not self._beside and stored is not None:
            self._bring_into_order()

    def _bring_into_order(self) -> None:
        own = [_quote_column(c, "v") for c in (self.identifier, *self.columns)]
        self._keep(f"{NAME}_in_order", self._join_by_id(exp.select(*own)).order_by(exp.column("rowid", table="t")))
        self.drop()
        self.con.execute(f"ALTER TABLE temp.{NAME}_in_order RENAME TO {NAME}")
        self._beside = self._look_at_records()[1]

    def count_changed(self, where: exp.Expression | None = None) -> int:
        """Return the number of records in which a value differs from before; where a condition holds, of these."""
        if where is not None:
            some = self._join_values(exp.select(exp.Count(this=exp.Star()))).where(self._compare_values(), where)
            return int(self._fetch_row(some)[0])
        differ = exp.alias_(self._compare_values(), "sdc__differs")
        count = exp.Filter(this=exp.Count(this=exp.Star()), expression=exp.Where(this=exp.column("sdc__differs")))
        self._changed = int(
            self._fetch_row(exp.select(count).from_(self._split_into_runs(exp.select(differ)).subquery("p")))[0]
        )
        return self._changed

    def share_lost(self) -> float:
        """Return SSE/SST."""
        pairs = [
            exp.alias_(
                exp.Struct(
                    expressions=[
                        exp.PropertyEQ(
                            this=exp.to_identifier(part), expression=_call_macro("sdc__number", _quote_column(c, of))
                        )
                        for part, of in (("x", "t"), ("y", "v"))
                    ]
                ),
                f"sdc__x_{c}",
                quoted=True,
            )
            for c in self.columns
        ]
        rows = self._split_into_runs(exp.select(*pairs))
        # what is kept of a union is kept by one thread: runs are read each time
        kept = None if isinstance(rows, exp.Select) else False
        share = query.call_macro("sdc__share_lost", "sdc__pairs").with_("sdc__pairs", as_=rows, materialized=kept)
        return float(self._fetch_row(share.select("sse_sst", append=False))[0])

    def retype(self, target: exp.Table) -> None:
        """Give the masked columns of the target the types of their masked values, where these are of another type.

        Raises
        ------
        ColumnError
            Where a constraint, an index or a view of DuckDB's forbids it.
        """
        for column, kind in self.new_types.items():
            text = exp.cast(exp.column(column, quoted=True), "VARCHAR")
            alter = exp.AlterColumn(
                this=exp.to_identifier(column, quoted=True),
                dtype=_parse_type(kind),
                using=exp.TryCast(this=text, to=_parse_type(kind)),
            )
            try:
                execute(self.con, exp.Alter(this=target.copy(), kind="TABLE", actions=[alter]))
            except _FORBIDS as e:
                raise ColumnError(
                    f"{column} becomes {kind}, and its table does not let a column change its type "
                    f"({_take_first_line(e)}): give into='name' to write a copy, or drop what forbids it."
                ) from e

    def fill(self, target: exp.Table, every: tuple[str, ...]) -> None:
        """Insert all records of the source into a table, with masked values in the place of their own."""
        taken = [_quote_column(c, "v" if c in self.columns else "t") for c in every]
        rows = self._join_values(exp.select(*taken)).where(_call_macro("sdc__has_values", self._match_ids()))
        names = exp.Schema(this=target.copy(), expressions=[exp.to_identifier(c, quoted=True) for c in every])
        execute(self.con, exp.Insert(this=names, expression=rows)).fetchall()

    def replace(self, target: exp.Table, every: tuple[str, ...]) -> None:
        """Write the masked values over the values of the table that was masked, once the changed records are counted.

        All records are written anew and the former ones deleted, which takes nothing from the table; the masked columns
        are updated where it is one, where at most half of the records change, where an index or a constraint counts the
        old records too, or where the table is wide.
        """
        if self.of_value:
            self._update_by_value(target, *self.of_value)
            return
        few = len(self.columns) <= FEW or len(every) > WIDE * len(self.columns) or 2 * self._changed <= self.records
        if not self._beside or few or is_unique_or_unwritten(self.con, target, every):
            self._update(target)
            return
        before, last = self._fetch_row(
            exp.select(exp.Count(this=exp.Star()), exp.Max(this=exp.column("rowid"))).from_(target.copy())
        )
        self.fill(target, every)
        former = exp.column("rowid") <= exp.Literal.number(last)
        ((deleted,),) = execute(self.con, exp.Delete(this=target.copy()).where(former)).fetchall()
        if deleted != before:
            raise TableError(f"{deleted} records were replaced, not {before}: nothing was masked. Please report this.")

    def overwrite_minus_zeros(self, target: exp.Table) -> None:
        """Write the masked 0.0 of records whose original is -0.0, by way of another number.

        An UPDATE leaves a value as it is where the new one is equal to it: the sign would tell of the original.
        """
        types = _list_types(self.con, target, self.columns)
        for column in (c for c in self.columns if types[c] in {"DOUBLE", "FLOAT"}):
            signed = _call_macro("sdc__is_minus_zero", exp.column(column, quoted=True))
            if not self._fetch_row(exp.select(exp.Count(this=exp.Star())).from_(target.copy()).where(signed))[0]:
                continue
            own, new, between = _quote_column(column, "t"), _quote_column(column, "v"), exp.Literal.number(BETWEEN)
            update = exp.Update().table(exp.alias_(target.copy(), "t", table=True)).from_(_values("v"))
            update = update.where(
                exp.and_(self._match_ids(), new.eq(0), exp.not_(_call_macro("sdc__is_minus_zero", new.copy())))
            )
            for value, there in ((between, _call_macro("sdc__is_minus_zero", own)), (new, own.eq(between))):
                written = update.copy().set_(exp.column(column, quoted=True).eq(value))
                execute(self.con, written.where(there)).fetchall()

    def drop(self) -> None:
        """Drop the temporary table."""
        self.con.execute(f"DROP TABLE IF EXISTS temp.{NAME}")

    def _keep(self, name: str, values: exp.Select) -> None:
        self.con.execute(f"DROP TABLE IF EXISTS temp.{name}")
        properties = exp.Properties(expressions=[exp.TemporaryProperty()])
        table = exp.table_(name, db="temp", quoted=True)
        execute(self.con, exp.Create(this=table, kind="TABLE", expression=values, properties=properties)).fetchall()

    def _look_at_records(self) -> tuple[int, bool]:
        """Return how many masked records there are, and whether each stands beside its own of the source."""
        agree = exp.func(
            "bool_and",
            exp.NullSafeEQ(
                this=_compare_by_bytes(self.identifier, "t"), expression=_compare_by_bytes(self.identifier, "v")
            ),
        )
        records, found = self._fetch_row(
            self._join_by_position(exp.select(exp.Count(this=_quote_column(self.identifier, "v")), agree))
        )
        return int(records), bool(found)

    def _join_values(self, select: exp.Select) -> exp.Select:
        return self._join_by_position(select) if self._beside else self._join_by_id(select)

    def _split_into_runs(self, select: exp.Select) -> exp.Query:
        """Return the same rows in any order, so that each thread reads some of them."""
        cut = (
            split_places(self.con, self.stored, _name_values_table(), a_thread=True)
            if self._beside and self.stored
            else []
        )
        if not cut:
            return self._join_values(select)
        return unite_runs([join_runs(select, {"t": self.source, "v": _name_values_table()}, run) for run in cut])

    def _join_by_position(
        self, select: exp.Select, source: exp.Expr | None = None, values: exp.Expr | None = None
    ) -> exp.Select:
        select = select.from_(source or self._source())
        select.append("joins", exp.Join(this=values or _values("v"), method="POSITIONAL"))
        return select

    def _join_by_id(self, select: exp.Select) -> exp.Select:
        return select.from_(self._source()).join(_values("v"), on=self._match_ids(), join_type="left")

    def _source(self) -> exp.Expr:
        return exp.alias_(self.source.copy(), "t", table=True)

    def _match_ids(self) -> exp.Expression:
        return _compare_by_bytes(self.identifier, "t").eq(_compare_by_bytes(self.identifier, "v"))

    def _compare_values(self) -> exp.Condition:
        return exp.or_(
            *(exp.NullSafeNEQ(this=self._cast_own_value(c), expression=_compare_by_bytes(c, "v")) for c in self.columns)
        )

    def _cast_own_value(self, column: str) -> exp.Expression:
        """Return a column's own value, as a value of the type it becomes."""
        if column not in self.new_types:
            return _compare_by_bytes(column, "t")
        return exp.TryCast(this=exp.cast(_quote_column(column, "t"), "VARCHAR"), to=_parse_type(self.new_types[column]))

    def _find_new_types(self) -> dict[str, str]:
        """Return the types of those masked columns that are not of the type of their column."""
        before, after = (_list_types(self.con, table, self.columns) for table in (self.source, _name_values_table()))
        return {c: kind for c, kind in after.items() if before[c] != kind}

    def _update(self, target: exp.Table) -> None:
        """Update the records that differ, run by run where that is the same; the others are not written."""
        new = [exp.column(c, quoted=True).eq(_quote_column(c, "v")) for c in self.columns]
        update = exp.Update().table(exp.alias_(target.copy(), "t", table=True)).set_(*new)
        if not self._beside or self.stored is None:
            apart = update.where(exp.and_(self._match_ids(), self._compare_values()))
            execute(self.con, apart.from_(_values("v"))).fetchall()
            return
        cut: list[tuple[range | None, range | None]] = [(None, None)]  # all records are one run
        rare = RARE * self._changed <= self.records
        if not (rare or needs_one_update(self.con, target, self.columns)):
            cut = [*split_places(self.con, target, _name_values_table())] or cut
        updated = 0
        for its, own in cut:
            place, bounds = self._place(own)
            different = self._select_rare(place) if rare else self._select_different(place, its, own)
            found = update.from_(different.subquery("v"))
            found = found.where(exp.and_(place.eq(exp.column(PLACE, table="v")), *bounds))
            found = found if its is None else found.where(select_run(its, "t"))
            ((some,),) = execute(self.con, found).fetchall()
            updated += some
        self._check_changed_number(updated)

    def _update_by_value(self, target: exp.Table, macro: str, *further: Value) -> None:
        own = [exp.column(c, quoted=True) for c in self.columns]
        new = [_call_macro(macro, c.copy(), *(query.make_text_literal(a) for a in further)) for c in own]
        differ = [
            exp.NullSafeNEQ(
                this=_call_macro("sdc__by_bytes", c.copy()), expression=_call_macro("sdc__by_bytes", n.copy())
            )
            for c, n in zip(own, new, strict=True)
        ]
        update = exp.Update().table(target.copy()).set_(*(c.eq(n) for c, n in zip(own, new, strict=True)))
        ((updated,),) = execute(self.con, update.where(exp.or_(*differ))).fetchall()
        self._check_changed_number(updated)

    def _check_changed_number(self, updated: int) -> None:
        if updated != self._changed:
            raise TableError(f"{updated} records changed, not {self._changed}: nothing was masked. Please report this.")

    def _place(self, own: range | None) -> tuple[exp.Expression, list[exp.Expression]]:
        """Return what a record is found by: a whole number for an id, with its bounds, or its rowid.

        By numbers within known bounds that are near one another DuckDB joins without hashing them; it knows none of a
        rowid.
        """
        every = exp.column(self.identifier, quoted=True)
        ids = exp.select(exp.Min(this=every), exp.Max(this=every.copy())).from_(_name_values_table())
        first, last = self._fetch_row(ids if own is None else ids.where(select_run(own)))
        if type(first) is not int:
            return _quote_column("rowid", "t"), []
        column = _quote_column(self.identifier, "t")
        return column, [
            exp.Between(this=column.copy(), low=query.make_text_literal(first), high=query.make_text_literal(last))
        ]

    def _select_different(self, place: exp.Expression, its: range | None, own: range | None) -> exp.Select:
        """Return the masked values of records that differ, with the place of each: where few do, few are joined."""
        select = exp.select(exp.column(PLACE, table="t"), *(_quote_column(c, "v") for c in self.columns))
        found_by = exp.column(place.name, quoted=True)
        source = exp.select("*", exp.alias_(found_by, PLACE)).from_(self.source.copy())
        values = exp.select("*").from_(_name_values_table())
        if its is not None and own is not None:
            source, values = source.where(select_run(its)), values.where(select_run(own))
        joined = self._join_by_position(select, source.subquery("t"), values.subquery("v"))
        return joined.where(exp.and_(_call_macro("sdc__has_values", self._match_ids()), self._compare_values()))

    def _select_rare(self, place: exp.Expression) -> exp.Query:
        """Return the same of all records, which all threads read."""
        cut = split_places(self.con, self.stored, _name_values_table(), a_thread=True) if self.stored else []
        runs: list[tuple[range | None, range | None]] = [*cut] or [(None, None)]
        return unite_runs([self._select_different(place, its, own) for its, own in runs])

    def _fetch_row(self, select: exp.Select) -> tuple[Any, ...]:
        (row,) = execute(self.con, select).fetchall()
        return tuple(row)


def _name_values_table() -> exp.Table:
    return exp.table_(NAME, db="temp", quoted=True)


def _values(alias: str) -> exp.Expr:
    return exp.alias_(_name_values_table(), alias, table=True)


def _quote_column(name: str, table: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _call_macro(macro: str, *arguments: exp.Expression) -> exp.Anonymous:
    return exp.Anonymous(this=macro, expressions=list(arguments))


def _compare_by_bytes(name: str, table: str) -> exp.Expression:
    """Return a column whose texts are compared by their bytes, whatever its collation."""
    return _call_macro("sdc__by_bytes", _quote_column(name, table))


def _list_types(con: duckdb.DuckDBPyConnection, table: exp.Expr, columns: tuple[str, ...]) -> dict[str, str]:
    select = exp.select(*(exp.column(c, quoted=True) for c in columns)).from_(table.copy())
    return {column: kind for column, kind, *_ in execute(con, exp.Describe(this=select)).fetchall()}


def _parse_type(name: str) -> exp.DataType:
    return exp.DataType.build(name, dialect="duckdb")


def _take_first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].rstrip(".!")
