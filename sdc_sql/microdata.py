"""A described table, with risk measures and masking methods."""

from __future__ import annotations

import os
import secrets
from copy import copy
from importlib import import_module
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.comparison.compare import compare
from sdc_sql.db.files import released_file
from sdc_sql.db.masking.subset import find_part
from sdc_sql.db.showing.results import html_fields
from sdc_sql.figures.judged import check_limits
from sdc_sql.frontier.sweep import frontier
from sdc_sql.methods import Linkage, Loss, Mask, Methods, Risk, explain_name
from sdc_sql.risk import risk_misclassified
from sdc_sql.roles import Roles, bind_method, read_roles
from sdc_sql.session.add_id import add_id
from sdc_sql.session.release_file import to_release_file
from sdc_sql.session.undo import steps, undo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdc_sql.db.masking.steps import LoggedStep
    from sdc_sql.series.series import Series

_ROLES = (
    "keys",
    "household",
    "household_columns",
    "id",
    "stratum",
    "sampling_fraction",
    "nulls",
    "small_weights",
    "numbers",
    "series",
)


class Microdata:
    """A table of persons or firms, what its columns are, the measures of its disclosure risk, and its masking.

    The measures and the masks stand in rooms: ``data.risk``, ``data.mask``, and of a released table beside its original
    ``released.linkage`` and ``released.loss``. Masking in place leaves the old values in the bytes of a database file:
    what is handed over is written by ``write``.

    Parameters
    ----------
    con
        An open DuckDB connection; a measure or a method registers the macros that it calls on it, for SQL of your own
        :func:`sdc_sql.load` registers all.
    table
        The name of a table or view (qualified, if need be), or of a Parquet or CSV file (a ``pathlib.Path`` too). It is
        read as DuckDB's ``query_table`` reads it: ``x;`` is the table of that name, and a name with a dot is put in
        double quotes. A DataFrame, an Arrow table or a relation of the connection is copied into a temporary table,
        whose name is ``data.table``: masking writes there, and what was given stays as it is.
        A CSV or JSON file is read when it is described, into a temporary table that goes with the connection. A column
        is text where the file writes a value otherwise than its type would (1.10, 017): no two codes become one.
    keys
        The key variables: columns that an intruder may know of a person. Without them a table can be masked,
        but its risk not measured.
    weight
        The column of expansion weights, or a number that every record weighs (1 / sampling fraction).
    household
        The column of household numbers.
    household_columns
        The columns that are the same for all members of a household (its region, dwelling, size). Where one is missing
        for a member and another shows it, it is known: every measure of risk counts it so. By default those that are
        found to be such among what is measured (``data.household_columns`` says which); ``[]``: none.
    id
        A column that identifies each record; masking needs one, because the draws of a record depend on it. To a table
        without one ``add_id`` adds it.
    stratum
        The column of strata of the sampling design.
    sampling_fraction
        The fraction of the population in the file, or a column that holds it.
    nulls
        ``"category"``: NULL in a key is a value of its own; ``"wildcard"``: it agrees with every value.
    small_weights
        Where the weights of a cell sum to less than its records: ``"error"``, or ``"at_least_one"``: it stands for at
        least its own records. For weights of which a few are a little below 1 (calibration).
    numbers
        The columns of a CSV or JSON file that are numbers however it writes them (10.50): what is masked as a number.
        A weight and a sampling fraction are such anyhow.
    series
        The release of a series that the table is (:class:`sdc_sql.Series`): what it releases agrees with the releases
        before, and methods that cannot are refused.

    Raises
    ------
    TableError, ColumnError, WeightError, ParameterError
        Where the table or a column cannot be used as described; the message says what is expected.

    Examples
    --------
    >>> import duckdb
    >>> con = duckdb.connect()
    >>> _ = con.execute("CREATE TABLE persons AS FROM (VALUES (30, 'f', 25.0), (41, 'm', 20.0)) AS t(age, sex, w)")
    >>> data = Microdata(con, "persons", keys=["age", "sex"], weight="w")
    >>> print(data.risk.theta(0.04))
    Theta
      records         2
      cells           2
      n1              2
      n2              0
      n3              0
      theta           1
      standard error  0
      upper bound     1
    """

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        table: Any,  # noqa: ANN401 - a name, a path, or a DataFrame of any package
        *,
        keys: Iterable[str] | None = None,
        weight: str | float | None = None,
        household: str | None = None,
        household_columns: Iterable[str] | None = None,
        id: str | None = None,  # noqa: A002 - the field's word for it
        stratum: str | None = None,
        sampling_fraction: str | float | None = None,
        nulls: str = "category",
        small_weights: str = "error",
        numbers: Iterable[str] | None = None,
        series: Series | None = None,
    ) -> None:
        self._roles = Roles(
            con=con,
            table=table,  # a DataFrame or a relation gets a name there
            keys=keys,  # type: ignore[arg-type] # any collection: made a tuple there
            weight=weight,
            household=household,
            household_columns=household_columns,  # type: ignore[arg-type] # likewise
            id=id,
            stratum=stratum,
            sampling_fraction=sampling_fraction,
            nulls=nulls,
            small_weights=small_weights,
            numbers=numbers,  # type: ignore[arg-type] # likewise
            series=series,
        )

    def __repr__(self) -> str:
        """Return the table with its roles."""
        return repr(self._roles).replace("Roles", "Microdata", 1)

    def _repr_html_(self) -> str:
        """Return the table with its roles, those that it has, for a notebook."""
        roles = {"keys": ", ".join(self.keys) or None, "id": self.id, "weight": self.weight}
        roles |= {"household": self.household, "stratum": self.stratum, "sampling_fraction": self.sampling_fraction}
        there = {role: value for role, value in roles.items() if value is not None}
        return html_fields(f"Microdata: {self._roles.file or self.table}", {**there, "nulls": self.nulls})

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection."""
        return self._roles.con

    @property
    def table(self) -> str:
        """The table's name."""
        return self._roles.table

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in the table's order."""
        return self._roles.columns

    @property
    def keys(self) -> tuple[str, ...]:
        """The key variables, as the table spells them."""
        return self._roles.keys

    @property
    def weight(self) -> str | float | None:
        """The column of weights, or the weight of every record."""
        return self._roles.weight

    @property
    def household(self) -> str | None:
        """The column of household numbers."""
        return self._roles.household

    @property
    def household_columns(self) -> tuple[str, ...]:
        """The columns of the household: those that were named, or else all that are found to be.

        Examples
        --------
        >>> example().household_columns
        ('age', 'sex')
        """
        return self._roles.select_household_columns(self.columns)

    @property
    def id(self) -> str | None:
        """The column that identifies each record."""
        return self._roles.id

    @property
    def stratum(self) -> str | None:
        """The column of strata."""
        return self._roles.stratum

    @property
    def sampling_fraction(self) -> str | float | None:
        """The sampling fraction, or the column that holds it."""
        return self._roles.sampling_fraction

    @property
    def nulls(self) -> str:
        """How NULL in a key counts: ``category`` or ``wildcard``."""
        return self._roles.nulls

    @property
    def small_weights(self) -> str:
        """What a cell whose weights sum to less than its records is: an ``error``, or ``at_least_one`` a record."""
        return self._roles.small_weights

    @property
    def series(self) -> Series | None:
        """The release of a series that the table is, where it is one."""
        found: Series | None = self._roles.series
        return found

    @property
    def risk(self) -> Risk:
        """The measures of risk.

        Examples
        --------
        >>> example().risk.global_risk().records
        3
        """
        return Risk(self._roles)

    @property
    def mask(self) -> Mask:
        """The masking methods; each changes the table in one transaction, or writes a masked copy (``into``).

        Examples
        --------
        >>> example().mask.round("age", 25).changed
        3
        """
        return Mask(self._roles)

    @property
    def loss(self) -> Loss:
        """What was lost by masking: measures of a released table, each with the original.

        Examples
        --------
        >>> data = example()
        >>> _ = data.mask.round("age", 25, into="released")
        >>> released = Microdata(data.con, "released", id="id")
        >>> round(released.loss.il1(data, ["age"])[0].il1, 2)
        0.71
        """
        return Loss(self._roles)

    @property
    def linkage(self) -> Linkage:
        """Who is found in a released table, and what is given back: measures of it, each with the original.

        Examples
        --------
        >>> data = example()
        >>> _ = data.mask.round("age", 25, into="released")
        >>> released = Microdata(data.con, "released", id="id")
        >>> released.linkage.distance_linkage(data, ["sex"]).records
        3
        """
        return Linkage(self._roles)

    if not TYPE_CHECKING:  # a type checker has names to complete and to check, and must not see this method

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            """Say in which room a measure or a mask is."""
            told = explain_name(name) or (
                f"A Microdata has no {name}; its measures and masks are in risk, mask, linkage and loss."
            )
            raise AttributeError(told, name=name, obj=self)

    def app(self, *, port: int = 0) -> None:
        """Open a page on this machine to look at the table, protect it and release it, until it ends (Ctrl-C).

        The page works on a copy of the file, or of the table of a database file, and ends in a release file. It needs
        ``pip install 'sdc-sql[app]'``.

        Parameters
        ----------
        port
            Where to listen, on this machine only; 0: any port that is free.

        Raises
        ------
        TableError
            Where the table is no file, and in no database file.
        MissingPackageError
            Where Shiny is not installed.

        Examples
        --------
        >>> example().app()
        Traceback (most recent call last):
        sdc_sql.errors.TableError: persons is in no file: write it to one...
        """
        # nothing below the pages knows them
        import_module("sdc_sql.app.server").serve_described(self, port)

    write = bind_method(released_file.write_table_file)
    after_pram = bind_method(risk_misclassified.note_pram)
    compare = bind_method(compare)
    check_limits = bind_method(check_limits)
    frontier = bind_method(frontier)
    add_id = bind_method(add_id)
    undo = bind_method(undo)
    to_release_file = bind_method(to_release_file)

    @property
    def steps(self) -> list[LoggedStep]:
        """The masking that the table went through, the oldest step first, as ``sdc_steps`` has it.

        Examples
        --------
        >>> data = example()
        >>> _ = data.mask.round("age", 25)
        >>> [(step.method, step.columns) for step in data.steps]
        [('round', ['age'])]
        """
        return steps(self._roles)

    def where(self, condition: str) -> Microdata:
        """Return the records of which a condition holds: what is masked there leaves the others as they are.

        A method sees these records only: its cells, ranks, means and groups are those of the part, and so are measures.
        The table is changed, in one transaction, and the condition is written down with the step.

        Parameters
        ----------
        condition
            A column of truth values, or a condition on columns. Where it is NULL it does not hold.

        Raises
        ------
        ParameterError, ColumnError
            Where it is no condition on columns of the table, or holds for no record.

        Examples
        --------
        >>> data = example()
        >>> print(data.where("household = 1").mask.round("age", 25).changed)
        2
        >>> data.con.sql("SELECT age FROM persons ORDER BY id").fetchall()
        [(25,), (25,), (41,)]
        """
        found = copy(self)
        part = find_part(self._roles, condition)
        found._roles = Roles(  # noqa: SLF001 - its own
            con=self.con, table=part.name, part=part, completes=self._roles.completes, weight=self.weight,
            by_household=self._roles.by_household, **self._list_given(),
        )  # fmt: skip
        return found

    def by_household(self, household: str | None = None) -> Microdata:
        """Return the same table, of which what draws, ranks or groups masks one record a household.

        All members of a household get what its record gets; those who show several values before are a record for each.
        Columns of the household (``household_columns``) are always masked so. Swaps keep what they keep of these
        records, and a group of k records is one of k households.

        Parameters
        ----------
        household
            The column of household numbers; by default that of the table. Whose number is NULL is a record by himself.

        Raises
        ------
        ParameterError, ColumnError
            Where no household is known.

        Examples
        --------
        >>> data = example()
        >>> _ = data.con.execute("CREATE TABLE tenants AS SELECT *, 300 * household AS rent FROM persons").fetchall()
        >>> tenants = Microdata(data.con, "tenants", household="household", id="id")
        >>> _ = tenants.by_household().mask.rank_swap("rent", 100)
        >>> data.con.sql("SELECT rent FROM tenants ORDER BY id").fetchall()
        [(600,), (600,), (300,)]
        """
        found, roles = copy(self), self._roles
        named = roles.spell_column("household", roles.require_role("household", household))
        found._roles = roles.describe_anew(household=named, by_household=True)  # noqa: SLF001 - its own
        return found

    def weighing(self, weight: str | float) -> Microdata:
        """Return the same table with another weight.

        Examples
        --------
        >>> example().weighing(25).risk.global_risk().records
        3
        """
        found = Microdata(self.con, self._roles.file or self.table, weight=weight, **self._list_given())
        found._roles = read_roles(found._roles, completes=self._roles.completes)
        return found

    def _list_given(self) -> dict[str, Any]:
        """Return the roles but the weight, those that were not given as None."""
        given = {role: getattr(self._roles, role) or None for role in _ROLES} | self._roles.counting
        # no list of columns is not the same as an empty one
        return given | {"household_columns": self._roles.household_columns}


def call_method(data: Microdata, verb: str, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
    """Call a measure or a mask by its name, whatever its room; ``frontier`` is in none."""
    home = Methods(data._roles) if hasattr(Methods, verb) else data  # noqa: SLF001 - as its rooms do
    return getattr(home, verb)(*arguments, **named)


def example() -> Microdata:
    """Return a table of three persons in two households, for the examples of the documentation.

    It is in a database of its own, with the secret key of the environment, or else one made anew.

    Examples
    --------
    >>> example().con.sql("FROM persons").fetchall()
    [(1, 30, 'f', 10.0, 1), (2, 30, 'f', 15.0, 1), (3, 41, 'm', 20.0, 2)]
    """
    con = duckdb.connect()
    con.execute("SET VARIABLE sdc_key = ?", [os.environ.get("SDC_KEY") or secrets.token_urlsafe(32)])
    con.execute(
        "CREATE TABLE persons AS FROM (VALUES (1, 30, 'f', 10.0::DOUBLE, 1), (2, 30, 'f', 15.0, 1), "
        "(3, 41, 'm', 20.0, 2)) AS t(id, age, sex, w, household)"
    )
    return Microdata(con, "persons", keys=["age", "sex"], weight="w", household="household", id="id")
