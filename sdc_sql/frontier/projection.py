"""What a table would look like masked, without masking it: a view whose masked columns are joined to it by the id."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.masking import homes as homes_of
from sdc_sql.db.masking.steps import MaskingStep, find_next_pass, name_chain
from sdc_sql.db.masking.subset import select_others
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.errors import TableError, translate_errors
from sdc_sql.methods import Methods
from sdc_sql.roles import Roles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.db.masking.steps import LoggedStep
    from sdc_sql.db.masking.subset import Subset
    from sdc_sql.db.table import Part

NAME = "sdc_candidate"
WHOLE = f"{NAME}_whole"


class Projection(Methods):
    """The measures and the masks of a table, whose masks make views of it."""

    _roles: _Projected


class _Projected(Roles):
    """A table with its roles; ``table`` is the name of the last view."""

    steps: list[LoggedStep]
    drawn: list[tuple[str, ...]]
    made: int

    def masked(self, masking: Masking, *, into: str | None = None, subset: Subset | None = None) -> MaskingStep:  # noqa: ARG002 - a view
        """Make masked values readable in the place of the original ones: only they and the id are stored."""
        macro, columns, arguments = masking.macro, masking.columns, dict(masking.arguments)
        set_key(self.con)
        if self.homes is not None:
            with translate_errors():
                homes_of.make_homes(self.homes)
        if "stream" in arguments:
            if arguments["stream"] is None:
                arguments["stream"] = self._find_next_pass(columns)
            self.drawn.append(columns)
        identifier = str(arguments["id"])
        values = query.call_macro(f"sdc__{macro}", self.table if subset is None else subset.table, *arguments.values())
        named = [exp.column(c, quoted=True) for c in self.columns if c in columns]
        selected = exp.select(exp.alias_(exp.column("sdc__id"), identifier, quoted=True), *named)
        selected = selected.from_(values.subquery("v"))
        if self.homes is None:
            return self._replace_view(
                selected if subset is None else subset.wrap_query(selected), macro, columns, identifier
            )
        own = self.homes.of
        assert isinstance(own, _Projected)  # noqa: S101 - for the type checker: whose records these are
        masked_homes = exp.table_(f"{NAME}_of_homes", db="temp", quoted=True)
        with translate_errors():
            self._create(masked_homes, "TABLE", selected)
        step = own._replace_view(homes_of.spread_to_members(self.homes, masked_homes), macro, columns, identifier)  # noqa: SLF001 - its own
        homes_of.drop_homes(self.homes)
        self.con.execute(f"DROP TABLE temp.{masked_homes.name}")
        return step

    def _replace_view(self, selected: exp.Select, macro: str, columns: tuple[str, ...], identifier: str) -> MaskingStep:
        """Make masked values readable in the place of the original ones."""
        number = self.made + 1
        stored = exp.table_(f"{NAME}_values_{number}", db="temp", quoted=True)
        with translate_errors():
            self._create(stored, "TABLE", selected)
            object.__setattr__(self, "made", number)
            self._create(self._view(number), "VIEW", self._join_masked(stored, columns, identifier))
        if self._records(self._source()) != self._records(self._view(number)):
            raise TableError(
                "A record has no masked values: the table does not give the same rows each time it is read. Store it "
                "as a table first."
            )
        object.__setattr__(self, "table", self._view(number).name)
        return MaskingStep(self.table, macro, columns, {}, 0, 0)

    def _join_masked(self, stored: exp.Table, columns: tuple[str, ...], identifier: str) -> exp.Select:
        """Return the records with masked values."""
        # (a view over macros that make tables could not be measured by these: DuckDB takes it for a recursion)
        every = [exp.column(c, table="v" if c in columns else "t", quoted=True) for c in self.columns]
        ids = [exp.column(identifier, table=of, quoted=True) for of in "tv"]
        same = exp.EQ(**dict(zip(("this", "expression"), (_call_macro("sdc__by_bytes", i) for i in ids), strict=True)))
        records = exp.select(*every).from_(exp.alias_(self._source(), "t", table=True))
        return records.join(exp.alias_(stored.copy(), "v", table=True), on=same)

    def _source(self) -> exp.Table:
        return exp.Table(this=exp.Anonymous(this="query_table", expressions=[query.make_text_literal(self.table)]))

    def _records(self, source: exp.Table) -> int:
        return self.number(exp.select(exp.Count(this=exp.Star())).from_(source))

    def _create(self, what: exp.Table, kind: str, rows: exp.Select) -> None:
        kept = exp.Properties(expressions=[exp.TemporaryProperty()])
        made = exp.Create(this=what, kind=kind, expression=rows, replace=True, properties=kept)
        execute(self.con, made).fetchall()

    def _view(self, number: int) -> exp.Table:
        return exp.table_(f"{NAME}_{number}", quoted=True)  # (before DuckDB 2.0 a temporary view takes no schema)

    def _find_next_pass(self, columns: tuple[str, ...]) -> str:
        """Return the pass of draws that masking would take: what is measured is what would be released."""
        before = sum(bool({*drawn} & {*columns}) for drawn in self.drawn)
        number = int(find_next_pass(self.steps, columns) or 1) + before
        return str(number) if number > 1 else ""

    def drop(self) -> None:
        """Forget what was made."""
        self.con.execute(f"DROP VIEW IF EXISTS temp.{WHOLE}")
        for number in range(self.made, 0, -1):
            self.con.execute(f"DROP VIEW IF EXISTS temp.{NAME}_{number}")
            self.con.execute(f"DROP TABLE IF EXISTS temp.{NAME}_values_{number}")


@contextmanager
def project_table(data: Roles) -> Iterator[Projection]:
    """Yield a table as it is, to be masked by views; afterwards they are gone.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> with project_table(data._roles) as candidate:
    ...     _ = candidate.round("age", 50)
    ...     print(candidate.frequency_summary().cells, data.con.sql("SELECT max(age) FROM persons").fetchall())
    2 [(41,)]
    """
    whole = data if data.part is None else data.part.whole  # its steps count the passes of draws
    source = (
        None if whole.file else find_known_table(whole, whole.table) or find_known_table(whole, whole.table, "view")
    )
    steps = [] if source is None else name_chain(data.con, source)
    begun = object.__new__(_Projected)  # the roles of the table have been checked
    vars(begun).update(vars(data), file=None, part=None, steps=steps, drawn=[], made=0)
    try:
        yield Projection(begun)
    finally:
        begun.drop()


def show_whole(candidate: Projection, part: Part | None) -> str:
    """Return the name of all records, where those of a part are masked: the others are as they were.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> part = data.where("age > 40")._roles
    >>> with project_table(part) as candidate:
    ...     _ = candidate.round("age", 50)
    ...     print(data.con.table(show_whole(candidate, part.part)).order("id").project("age").fetchall())
    [(30,), (30,), (50,)]
    """
    masked = candidate._roles  # noqa: SLF001 - as its methods take them
    if part is None:
        return masked.table
    columns = tuple(masked.columns)
    own = exp.select(*(exp.column(c, quoted=True) for c in columns)).from_(masked._source())  # noqa: SLF001 - its own
    rows = exp.union(own, select_others(part, columns), distinct=False)
    masked._create(exp.table_(WHOLE, quoted=True), "VIEW", exp.select("*").from_(rows.subquery("r")))  # noqa: SLF001 - its own
    return WHOLE


def _call_macro(macro: str, argument: exp.Expression) -> exp.Anonymous:
    return exp.Anonymous(this=macro, expressions=[argument])
