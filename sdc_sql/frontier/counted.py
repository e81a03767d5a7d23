"""What a recoding would do to the risk and the loss, exactly, from the cells of the keys: they are counted once.

A recoding makes of each value another one. So it is done on the values of one column, by the method itself, and the
cells that it joins are added up; every figure that is made of cells alone is then measured of these by its own macro.
The records are read once, for their cells. Where a condition says which records are recoded, it is done on the values
together with those that the condition names.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.completion import query_table
from sdc_sql.db.counted import GROUPED, count_cells
from sdc_sql.db.masking.subset import find_part, resolve_condition
from sdc_sql.db.table import fetch_rows
from sdc_sql.errors import InputError, ParameterError, translate_errors
from sdc_sql.figures.measured import Beside, LackingError, measure_rows
from sdc_sql.frontier.figures import call_method
from sdc_sql.frontier.projection import project_table, show_whole
from sdc_sql.loss.entropy_loss import entropy_loss
from sdc_sql.roles import Roles, complete_roles, read_roles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import duckdb

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.measured import Rows
    from sdc_sql.loss.entropy_loss import EntropyLoss

CELLS = "sdc_counted"
RECORDS, WEIGHT = "sdc__records", "sdc__w"
BEFORE, AFTER, NUMBER, COUNTED = "value_before", "value_after", "value_number", "value_records"
BESIDE = "value_beside_"
_TARGETS = ("columns", "column")


class NotOfCellsError(ParameterError):
    """What cannot be counted from cells: the records have to be read."""


class CountedCells:
    """The cells of a table's keys, counted once, on a connection of their own.

    Parameters
    ----------
    data
        The table with its roles. The cells are kept among the temporary tables of its connection, which measures
        nothing else while a candidate is measured.
    name
        Tells several of them apart on one connection.

    Examples
    --------
    >>> import sdc_sql
    >>> from sdc_sql.figures.asked import list_measures
    >>> data = sdc_sql.example()
    >>> cells = CountedCells(data._roles)
    >>> asked = list_measures()["k_anonymity"]
    >>> cells.measure(asked)[0]["records"]
    1
    >>> with cells.recode("top_bottom_code", {"column": "age", "unit": "value", "top": 30}) as candidate:
    ...     candidate.measure(asked)[0]["records"], [loss.share > 0 for loss in candidate.measure_losses()]
    (1, [True])
    """

    def __init__(self, data: Roles, name: str = "") -> None:
        whole, _ = complete_roles(data)
        if whole.table != data.table:
            raise NotOfCellsError("Values that other members of a household show are completed record by record.")
        self.data, self.con = data, data.con
        self.cells = exp.table_(f"{CELLS}{name}", db="temp", quoted=True)
        weight = data.weight if isinstance(data.weight, str) else None
        _create_table(self.con, self.cells, query.call_macro(GROUPED, data.table, list(data.keys), weight))

    @property
    def number(self) -> int:
        """How many cells there are."""
        rows = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(self.cells)
        return int(fetch_rows(self.con, rows)[0]["n"])

    def measure(self, asked: Asked, beside: Beside | None = None) -> Rows:
        """Return the rows of a figure, as :func:`sdc_sql.figures.measured.measure_rows` gives them of the records.

        Raises
        ------
        NotOfCellsError
            Where the measure reads records.
        """
        roles = read_roles(self.data, table=f"temp.{self.cells.name}", household=None, id=None, stratum=None, part=None)
        try:
            with count_cells(self.con):
                return measure_rows(asked, roles, beside or Beside())
        except LackingError:
            raise
        except InputError as error:
            raise NotOfCellsError(f"{asked.label} is measured of the records, not of their cells.") from error

    @contextmanager
    def recode(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        like: RecodedCells | None = None,
        where: str | None = None,
    ) -> Iterator[RecodedCells]:
        """Yield the cells as a recoding makes them, to be measured as these are.

        Parameters
        ----------
        verb, arguments
            The method and what it is given, as of a candidate of the frontier.
        like
            The cells of other keys of the same table that the same call has recoded: what its values become is known.
        where
            A condition of the records that are recoded.

        Raises
        ------
        NotOfCellsError
            Where the method does not make of each value another one, whatever else stands in the record, or where the
            condition of a recoded key names a column that is no key.
        InputError
            Where the method refuses its arguments.
        """
        columns = self._list_columns(verb, arguments)
        beside = self._list_beside(where, columns)
        candidate = object.__new__(RecodedCells)
        vars(candidate).update(vars(self), cells=self._name_table("candidate"), recoded={})
        try:
            for place, column in enumerate(columns if like is None else ()):
                candidate.recoded[column] = self._name_table(f"of_{place}")
                self._map_values((column, *beside), verb, arguments, candidate.recoded[column], where=where)
            becomes = candidate.recoded if like is None else like.recoded
            keyed = {column: table for column, table in becomes.items() if column in self.data.keys}
            if keyed and not {*beside} <= {*self.data.keys}:
                raise NotOfCellsError("The condition names a column that is no key: the records have to be read.")
            rows = (
                _join_cells(self.cells, keyed, self.data.keys, beside) if keyed else exp.select("*").from_(self.cells)
            )
            _create_table(self.con, candidate.cells, rows)
            yield candidate
        finally:
            for table in (candidate.cells, *candidate.recoded.values()):
                _drop_table(self.con, table)

    def _name_table(self, of: str) -> exp.Table:
        return exp.table_(f"{self.cells.name}_{of}", db="temp", quoted=True)

    def _list_columns(self, verb: str, arguments: Mapping[str, Any]) -> list[str]:
        given = next((arguments[name] for name in _TARGETS if name in arguments), None)
        if not find_recodings(verb, arguments) or given is None:
            raise NotOfCellsError(f"{verb} does not make of each value another one: it is measured of records.")
        names = [given] if isinstance(given, str) else [*given]
        return [self.data.spell_column("column", name) for name in names]

    def _list_beside(self, where: str | None, columns: list[str]) -> tuple[str, ...]:
        """Return the columns that a condition names besides the one that is recoded."""
        if where is None:
            return ()
        named = {column.name for column in resolve_condition(self.data, where, "where").find_all(exp.Column)}
        if len(columns) > 1 and named & {*columns}:
            raise NotOfCellsError("The condition names one of several columns that are recoded.")
        return tuple(name for name in self.data.columns if name in named - {*columns})

    def _map_values(
        self,
        by: tuple[str, ...],
        verb: str,
        arguments: Mapping[str, Any],
        becomes: exp.Table,
        where: str | None = None,
    ) -> None:
        """Keep what each value of the first column becomes beside those of the others, and its records."""
        column = by[0]
        target: dict[str, Any] = {"columns": [column]} if "columns" in arguments else {"column": column}
        own = {name: value for name, value in arguments.items() if name not in _TARGETS} | target
        by_value = all(str(mask.scope) == "record" for mask in find_recodings(verb, arguments))
        number, records = _name_columns(self.data.columns)
        source = self._select_values(by, records) if by_value else self._select_records(by, own, records)
        values = self._name_table("values")
        try:
            _create_table(self.con, values, _number_rows(source, number))
            roles = Roles(con=self.con, table=f"temp.{values.name}", keys=(column,), id=number)
            part = None if where is None else find_part(roles, where)
            some = roles if part is None else Roles(con=self.con, table=part.name, keys=(column,), id=number, part=part)
            with project_table(some) as candidate:
                call_method(candidate, verb, own)
                masked = show_whole(candidate, part)
                _create_table(self.con, becomes, _pair_values(roles.table, masked, by, number, records))
        finally:
            _drop_table(self.con, values)
        known = [exp.column(name) for name in (BEFORE, *_name_beside(by[1:]))]
        several = exp.select(*known).from_(becomes).group_by(*known).having(exp.Count(this=exp.Star()) > 1).limit(1)
        if fetch_rows(self.con, several):
            raise NotOfCellsError(f"What a value of {column} becomes hangs on more than the value.")

    def _select_values(self, by: tuple[str, ...], records: str) -> exp.Select:
        """Return the values of columns that stand together, each with how many records have them."""
        of = [exp.column(column, quoted=True) for column in by]
        if {*by} <= {*self.data.keys}:
            counted: Any = exp.func("sum", exp.column(RECORDS))
            source: exp.Expression = self.cells.copy()
        else:
            counted = exp.Count(this=exp.Star())
            source = query_table(self.data.table)
        number = exp.alias_(exp.cast(counted, "BIGINT"), records, quoted=True)
        return exp.select(*of, number).from_(source).group_by(*of)

    def _select_records(self, by: tuple[str, ...], arguments: Mapping[str, Any], records: str) -> exp.Select:
        """Return columns of the records with those that the method names besides, each record counted once."""
        texts = {value.lower() for value in arguments.values() if isinstance(value, str)}
        named = [c for c in self.data.columns if c in by or c.lower() in texts]
        one = exp.alias_(exp.cast(exp.Literal.number(1), "BIGINT"), records, quoted=True)
        return exp.select(*(exp.column(c, quoted=True) for c in named), one).from_(query_table(self.data.table))


class RecodedCells(CountedCells):
    """The cells as a recoding makes them; ``recoded`` has a table of what each value of a column becomes."""

    recoded: dict[str, exp.Table]

    def measure_losses(self) -> list[EntropyLoss]:
        """Return what the recoding loses of each of its columns, as :func:`entropy_loss` of the table before and after.

        Values are counted with their records, so that ``records`` is the number of values.
        """
        found = []
        for column, becomes in self.recoded.items():
            number, records = _name_columns((column,))
            sides = {BEFORE: self._name_table("before"), AFTER: self._name_table("after")}
            try:
                for side, table in sides.items():
                    named = [(NUMBER, number), (COUNTED, records), (side, column)]
                    rows = [exp.alias_(exp.column(own), name, quoted=True) for own, name in named]
                    _create_table(self.con, table, exp.select(*rows).from_(becomes))
                before, after = (f"temp.{table.name}" for table in sides.values())
                released = Roles(con=self.con, table=after, keys=(column,), id=number)
                found += [
                    loss for loss in entropy_loss(released, before, [column], records) if loss.variable is not None
                ]
            finally:
                for table in sides.values():
                    _drop_table(self.con, table)
        return found


def find_recodings(verb: str, arguments: Mapping[str, Any]) -> list[Declaration]:
    """Return the masks that a call may be of, where all of them make of each value another one.

    Examples
    --------
    >>> [mask.name for mask in find_recodings("top_bottom_code", {})], find_recodings("mondrian", {})
    (['sdc_top_bottom_code'], [])
    >>> [len(find_recodings("round", switch)) for switch in ({}, {"at_random": True})]
    [1, 0]
    """
    masks = [mask for mask in read_catalogue() if mask.is_step and mask.verb == verb]
    switched = [mask for mask in masks if mask.switch and arguments.get(mask.switch)]
    masks = switched or [mask for mask in masks if not mask.switch]
    return masks if all(_is_recoding(mask) for mask in masks) else []


def _is_recoding(mask: Declaration) -> bool:
    kind = mask.effect.coarsens.kind
    return kind != "no" and mask.effect.suppresses.kind == "nothing" and not mask.needs_key and _is_of_columns(mask)


def _is_of_columns(mask: Declaration) -> bool:
    """Whether each of its columns is masked by itself."""
    return any(p.name in {"column_name", "columns"} for p in mask.required)


def _name_columns(there: Iterable[str]) -> tuple[str, str]:
    """Return two names that no column has, in any spelling: of a number for each row, and of its records."""
    taken = {name.lower() for name in there}
    number, records = NUMBER, COUNTED
    while taken & {number, records}:
        number, records = f"{number}_", f"{records}_"
    return number, records


def _number_rows(rows: exp.Select, number: str) -> exp.Select:
    numbered = exp.Window(this=exp.Anonymous(this="row_number"))
    return exp.select(exp.alias_(numbered, number, quoted=True), "*").from_(rows.subquery("r"))


def _name_beside(columns: Iterable[str]) -> list[str]:
    """Return the names that the columns of a condition have beside what a value becomes."""
    return [f"{BESIDE}{place}" for place, _ in enumerate(columns)]


def _pair_values(before: str, after: str, by: tuple[str, ...], number: str, records: str) -> exp.Select:
    """Return each value of the first column with what it becomes beside those of the others, and its records."""
    column, *beside = by
    old, new, *others = (
        exp.Anonymous(this="sdc__exact", expressions=[exp.column(name, table=of, quoted=True)])
        for name, of in ((column, "b"), (column, "a"), *((other, "b") for other in beside))
    )
    named = [exp.alias_(value, name) for value, name in zip(others, _name_beside(beside), strict=True)]
    counted = exp.cast(exp.func("sum", exp.column(records, table="b", quoted=True)), "BIGINT")
    ids = [exp.column(number, table=of, quoted=True) for of in "ba"]
    pairs = (
        exp.select(exp.alias_(old, BEFORE), exp.alias_(new, AFTER), *named, exp.alias_(counted, COUNTED))
        .from_(exp.alias_(query_table(before), "b", table=True))
        .join(exp.alias_(query_table(after), "a", table=True), on=exp.EQ(this=ids[0], expression=ids[1]))
        .group_by(old.copy(), new.copy(), *(value.copy() for value in others))
    )
    return _number_rows(pairs, NUMBER)


def _join_cells(
    cells: exp.Table, keyed: Mapping[str, exp.Table], keys: Iterable[str], beside: tuple[str, ...]
) -> exp.Select:
    """Return the cells with recoded keys, those that have become one added up."""
    place = {column: f"v{i}" for i, column in enumerate(keyed)}
    values = [
        exp.column(AFTER, table=place[key]) if key in place else exp.column(key, table="c", quoted=True) for key in keys
    ]
    selected = [exp.alias_(value, key, quoted=True) for value, key in zip(values, keys, strict=True)]
    records = exp.cast(exp.func("sum", exp.column(RECORDS, table="c")), "BIGINT")
    weight = exp.Anonymous(this="sdc__exact_sum", expressions=[exp.column(WEIGHT, table="c")])
    rows = exp.select(*selected, exp.alias_(records, RECORDS), exp.alias_(weight, WEIGHT))
    rows = rows.from_(exp.alias_(cells.copy(), "c", table=True))
    for column, table in keyed.items():
        there = exp.alias_(table.copy(), place[column], table=True)
        same = [
            exp.NullSafeEQ(
                this=exp.column(old, table=place[column]), expression=exp.column(own, table="c", quoted=True)
            )
            for old, own in ((BEFORE, column), *zip(_name_beside(beside), beside, strict=True))
        ]
        rows = rows.join(there, on=exp.and_(*same))
    return rows.group_by(*(value.copy() for value in values))


def _create_table(con: duckdb.DuckDBPyConnection, table: exp.Table, rows: exp.Expression) -> None:
    kept = exp.Properties(expressions=[exp.TemporaryProperty()])
    made = exp.Create(this=table.copy(), kind="TABLE", expression=rows, replace=True, properties=kept)
    with translate_errors():
        execute(con, made).fetchall()


def _drop_table(con: duckdb.DuckDBPyConnection, table: exp.Table) -> None:
    con.execute(f"DROP TABLE IF EXISTS temp.{table.name}")
