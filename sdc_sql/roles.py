"""A table with the roles of its columns, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.catalogue.renamed import refuse_old_names
from sdc_sql.db.checks import (
    is_number,
    require_fraction,
    require_small_weights,
    require_weight_number,
    text_for_message,
)
from sdc_sql.db.completion import (
    HouseholdColumn,
    collect_texts,
    complete_table,
    find_household_columns,
    find_missing_columns,
)
from sdc_sql.db.files.given import name_given_table
from sdc_sql.db.interruption import allow_interruption
from sdc_sql.db.masking.apply import apply_mask
from sdc_sql.db.masking.one_a_household import choose_household_records
from sdc_sql.db.showing.notebook import show_relations
from sdc_sql.db.table import Part, Table
from sdc_sql.errors import ColumnError, InputError, ParameterError, WeightError, translate_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import duckdb

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.masking.subset import Subset
    from sdc_sql.db.query import Value

P = ParamSpec("P")
R = TypeVar("R")

NULLS = ("category", "wildcard")
LEVELS = ("extremely", "very", "identifying")


def _require_names(keys: Iterable[str] | None) -> tuple[str, ...]:
    """Return a collection of column names as a tuple; refuse a single name and an empty collection."""
    if keys is None:
        return ()
    names = () if isinstance(keys, str) or not isinstance(keys, Iterable) else tuple(keys)
    if not names and isinstance(keys, Iterable) and not isinstance(keys, str):
        raise ColumnError("The list of keys is empty; name at least one key variable, as in ['age', 'sex'].")
    if not names or not all(isinstance(k, str) for k in names):
        raise ColumnError(f"keys is {text_for_message(keys)}: it must be a list of column names, as in ['age', 'sex'].")
    return names


def bind_method(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a function of a described table as a method of what holds one."""

    @wraps(function)
    def method(self: Any, /, *arguments: P.args, **named: P.kwargs) -> R:  # noqa: ANN401 - whatever has roles
        refuse_old_names(function.__name__, named)
        with allow_interruption(con=getattr(self._roles, "con", None)):
            return function(self._roles, *arguments, **named)

    return method


def bind_measure(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a measure of risk as such a method: it counts on the table as its households complete it."""

    @wraps(function)
    def method(self: Any, /, *arguments: P.args, **named: P.kwargs) -> R:  # noqa: ANN401 - whatever has roles
        refuse_old_names(function.__name__, named)
        with allow_interruption(con=getattr(self._roles, "con", None)):
            roles = self._roles
            if not isinstance(roles, Roles) or roles.household is None:
                return function(roles, *arguments, **named)
            bound = signature(function).bind(roles, *arguments, **named)
            (first, _), *others = bound.arguments.items()
            roles, given = complete_roles(roles, dict(others))
            bound.arguments |= {first: roles, **given}
            return function(*bound.args, **bound.kwargs)

    return method


def bind_mask(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Return a mask that draws, ranks or groups as such a method; it masks columns of the household for all members.

    What one member shows of them is true of the others
    (:func:`sdc_sql.db.masking.one_a_household.choose_household_records`).
    """

    @wraps(function)
    def method(self: Any, /, *arguments: P.args, **named: P.kwargs) -> R:  # noqa: ANN401 - whatever has roles
        with allow_interruption(con=getattr(self._roles, "con", None)):
            roles = self._roles
            if not isinstance(roles, Roles) or roles.household is None:
                return function(roles, *arguments, **named)
            bound = signature(function).bind(roles, *arguments, **named)
            bound.apply_defaults()
            (first, _), *others = bound.arguments.items()
            roles, given = choose_household_records(roles, function.__name__, dict(others))
            bound.arguments |= {first: roles, **given}
            return function(*bound.args, **bound.kwargs)

    return method


def complete_roles(data: Roles, arguments: Mapping[str, Any] | None = None) -> tuple[Roles, dict[str, Any]]:
    """Return a described table as its households complete it, and arguments in which other tables are, too.

    Only columns of the household that are keys, or that an argument names, are completed. An original that is compared
    with, and other releases, are completed by the same columns, where they have them.
    """
    given = dict(arguments or {})
    if data.household is None or not data.completes:
        return data, given
    texts = {text.lower() for text in collect_texts([*data.keys, {n: v for n, v in given.items() if n != "original"}])}
    asked = [c for c in data.columns if c.lower() in texts and c not in {data.household, data.id}]
    household, columns = data.household, data.select_household_columns(asked, missing=True)
    compared = [c.name for c in data.list_found_columns(asked)] if data.household_columns is None else columns
    whole = data if data.part is None else data.part.whole
    table = complete_table(data.con, data.table, household, columns, found_missing=True)

    def complete_other(name: object) -> object:
        if name == data.table:
            return table
        return _complete_other_table(data, name, compared or columns)

    if given.get("original") is not None:
        given["original"] = complete_other(given["original"])
    if isinstance(given.get("releases"), list | tuple):
        given["releases"] = [complete_other(name) for name in given["releases"]]
    if table == data.table:
        return data, given
    return read_roles(data, table=table, part=Part(whole, table, "", exp.true()), completes=False), given


def _complete_other_table(data: Roles, name: Any, columns: Sequence[str]) -> Any:  # noqa: ANN401 - as it was given
    """Return another table as its households complete it, or as it was given where it has no such columns."""
    if getattr(name, "con", data.con) is not data.con:
        return name  # the measure refuses a table of another connection, with its reason
    table = data.read_table(name) if isinstance(name, str) else getattr(name, "table", None)
    if not isinstance(table, str) or not columns or data.household is None:
        return name
    try:
        there = query.call_macro("query_table", table).limit(0)
        with translate_errors():
            have = {str(d[0]).lower() for d in execute(data.con, there).description or ()}
    except InputError:
        return name  # the macro refuses the table, with its reason
    of_both = [c for c in columns if c.lower() in have]
    if data.household.lower() not in have or not of_both:
        return name
    return complete_table(data.con, table, data.household, of_both)


def read_roles(data: Roles, **roles: Any) -> Roles:  # noqa: ANN401 - a role of any type
    """Return the same table with other roles, which need no check."""
    return data.describe_anew(**roles)


def weigh_roles(data: Roles) -> Roles:
    """Return the table with the weight that a sampling fraction stands for, where it has none."""
    pi = data.sampling_fraction
    return read_roles(data, weight=1 / pi) if data.weight is None and isinstance(pi, int | float) else data


def spell_levels(spell: Callable[[str, str], str], levels: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return levels of identification with the columns as a table spells them."""
    if not isinstance(levels, Mapping) or not levels or not set(levels) <= set(LEVELS):
        raise ParameterError(
            f"levels is {text_for_message(levels)}: it must give a list of keys for each of {', '.join(LEVELS)}."
        )
    if any(isinstance(names, str) or not isinstance(names, Iterable) for names in levels.values()):
        raise ParameterError(
            f"levels is {text_for_message(levels)}: each level has a list of keys, as in {{'very': ['sex']}}."
        )
    return {level: [spell("key variable", n) for n in levels[level]] for level in LEVELS if levels.get(level)}


@dataclass(frozen=True, kw_only=True)
class Roles(Table):
    """A table and the roles of its columns, for an intruder and in the survey.

    Checked when it is made: the table exists and has rows; the columns exist (names are compared as
    DuckDB does, and kept as the table spells them); weights are positive and finite; every
    person has a household; identifiers are unique and not NULL.
    """

    con: duckdb.DuckDBPyConnection = field(repr=False)
    table: str
    keys: tuple[str, ...] = ()
    weight: str | float | None = None
    household: str | None = None
    household_columns: tuple[str, ...] | None = field(default=None, repr=False)
    id: str | None = None
    stratum: str | None = None
    sampling_fraction: str | float | None = None
    nulls: str = "category"
    small_weights: str = "error"
    numbers: tuple[str, ...] = field(default=(), repr=False)
    part: Part | None = field(default=None, repr=False)
    # False: the table is completed already, or leaves without the numbers of households
    completes: bool = field(default=True, repr=False)
    series: Any = field(default=None, repr=False, compare=False)  # the release of a series (sdc_sql.series)
    engine: Any = field(default=None, repr=False, compare=False)  # what masks in the place of DuckDB (sdc_sql.spark)
    by_household: bool = field(default=False, repr=False)  # True: every mask treats whole households
    columns: tuple[str, ...] = field(init=False, repr=False)
    looked_at: dict[str, HouseholdColumn | None] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # what was found about columns, while nobody named those of the household

    def __post_init__(self) -> None:
        """Check the roles against the table."""
        set_key(self.con)
        show_relations()
        # the dataclass is frozen: the values that are read from the table are set here, once
        object.__setattr__(self, "table", name_given_table(self.con, self.table))
        self._read_file(self.table)
        object.__setattr__(self, "columns", self.read_columns())
        object.__setattr__(self, "keys", tuple(self.spell_column("key variable", k) for k in _require_names(self.keys)))
        twice = sorted({k for k in self.keys if self.keys.count(k) > 1})
        if twice:
            raise ColumnError(f"A key variable is named twice: {', '.join(twice)}.")
        for role in ("weight", "household", "id", "stratum", "sampling_fraction"):
            given = getattr(self, role)
            may_be_number = role in ("weight", "sampling_fraction")
            if given is not None and not isinstance(given, str) and not (may_be_number and is_number(given)):
                error = {"weight": WeightError, "sampling_fraction": ParameterError}.get(role, ColumnError)
                what = "the name of a column" + (", or a positive and finite number" if may_be_number else "")
                raise error(f"The {role.replace('_', ' ')} is {text_for_message(given)}: it must be {what}.")
            if isinstance(given, str):
                object.__setattr__(self, role, self.spell_column(role.replace("_", " "), given))
        if self.sampling_fraction is not None and not isinstance(self.sampling_fraction, str):
            object.__setattr__(self, "sampling_fraction", require_fraction(self.sampling_fraction, "sampling fraction"))
        if self.nulls not in NULLS:
            raise ParameterError(f"nulls is {text_for_message(self.nulls)}: it must be one of {', '.join(NULLS)}.")
        require_small_weights(self.small_weights)
        if self.series is not None and not hasattr(self.series, "begin_step"):
            raise ParameterError(
                f"series is {text_for_message(self.series)}: it must be a Series, series=sdc_sql.Series(...)."
            )
        self._check_household_columns()
        self._check_weight()
        self._check_not_null("household", "every person must belong to one (persons living alone to one of their own)")
        self._check_not_null("id", "every record must have one")
        self._check_unique_id()

    def _read_file(self, table: str) -> None:
        """Read a CSV or JSON file into a temporary table: codes become texts, columns to compute with numbers."""
        roles = [n for n in (self.weight, self.sampling_fraction) if isinstance(n, str)]
        numbers = (*roles, *_require_names(self.numbers or None))
        read = self.read_table(table, numbers)
        object.__setattr__(self, "table", read)
        object.__setattr__(self, "file", None if read == table else table.strip('"'))

    def _check_weight(self) -> None:
        if self.weight is None:
            return
        if isinstance(self.weight, str):
            value = exp.TryCast(this=exp.column(self.weight, quoted=True), to=exp.DataType.build("DOUBLE"))
            bad = self.count(exp.not_(exp.Anonymous(this="sdc__is_weight", expressions=[value])))
            if bad:
                raise WeightError(
                    f"{bad:,} records have a weight ({self.weight}) that is NULL, NaN, no number, not positive or too "
                    "large: weights must be positive and finite, from 1e-9 to 1e15 (how many persons the record "
                    "represents)."
                )
        else:
            require_weight_number(self.weight)

    def _check_not_null(self, role: str, why: str) -> None:
        name = getattr(self, role)
        if name is not None:
            missing = self.count(exp.column(name, quoted=True).is_(exp.null()))
            if missing:
                raise ColumnError(f"{missing:,} records have NULL for {role} ({name}): {why}.")

    def _check_unique_id(self) -> None:
        # ids that ascend are unique, which is seen in a tenth of the time that counting each takes
        if self.id is None or self.number(query.call_macro("sdc__ascends", self.table, self.id)):
            return
        rows = query.call_macro("sdc__category_cells", self.table, [self.id], None)
        repeated = exp.select(exp.Count(this=exp.Star())).from_(rows.subquery("r")).where(exp.column("sdc__f") > 1)
        number = self.number(repeated)
        if number:
            raise ColumnError(f"{number:,} values of the id ({self.id}) occur in several records: it must be unique.")

    def _check_household_columns(self) -> None:
        if self.household_columns is None:
            return
        given = self.household_columns
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ColumnError(
                f"household_columns is {text_for_message(given)}: it must be a list of column names, as in ['region']."
            )
        if self.household is None:
            raise ParameterError(
                "household_columns names the columns that are the same for all members of a household, and no "
                "household is given: name its column, household=..., too."
            )
        names = tuple(dict.fromkeys(self.spell_column("household column", name) for name in given))
        wrong = [name for name in names if name in {self.household, self.id}]
        if wrong:
            raise ColumnError(f"{wrong[0]} is the household or the id, and no column of the household: leave it out.")
        object.__setattr__(self, "household_columns", names)

    def list_found_columns(self, columns: Iterable[str]) -> list[HouseholdColumn]:
        """Return which columns were found to be of the household, where nobody named those that are.

        The answer that was found once for the table stays, whatever becomes of the column.
        """
        if self.household is None or self.household_columns is not None:
            return []
        asked = [c for c in columns if c not in {self.household, self.id}]
        new = [c for c in asked if c not in self.looked_at]
        if new:
            by_name = {f.name: f for f in find_household_columns(self.con, self.table, self.household, new)}
            self.looked_at.update({c: by_name.get(c) for c in new})
        return [found for c in asked if (found := self.looked_at[c]) is not None]

    def select_household_columns(self, columns: Iterable[str], *, missing: bool = False) -> tuple[str, ...]:
        """Return which of the columns are of the household: those that were named, or else found to be.

        Parameters
        ----------
        missing
            Whether only those are asked for that are NULL in some record: of others there is nothing to be completed.
        """
        if self.household is None:
            return ()
        asked = [c for c in columns if self.household_columns is None or c in self.household_columns]
        if missing:
            with translate_errors():
                asked = find_missing_columns(self.con, self.table, asked)
        return (
            tuple(asked)
            if self.household_columns is not None
            else tuple(f.name for f in self.list_found_columns(asked))
        )

    def require_role(self, role: str, given: Value = None) -> Any:  # noqa: ANN401 - a name or a number
        """Return an argument or, by default, the role of that name; an error where neither was given."""
        value = getattr(self, role) if given is None else given
        if value is None:
            if role == "id":
                raise ParameterError(
                    "No id was given, a column that identifies each record: describe the table with id=... or, where "
                    "it has none, make one: data.add_id('record')."
                )
            raise ParameterError(
                f"This needs a {role.replace('_', ' ')}: give {role}=... here or when describing the table."
            )
        return value

    def describe_anew(self, **roles: Any) -> Roles:  # noqa: ANN401 - a role of any type
        """Return the same table with other roles, which need no check."""
        other = copy(self)
        for role, value in roles.items():
            object.__setattr__(other, role, value)
        return other

    def checked_levels(self, levels: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
        """Return levels of identification with the columns as the table spells them."""
        return spell_levels(self.spell_column, levels)

    def checked_weight(self) -> str | float:
        """Return the weight, once checked: the weights of every cell sum to at least its records.

        A relation is computed when it is read, and would then fail with DuckDB's exception instead of this package's.
        """
        weight: str | float = self.require_role("weight")
        self.check_cells(weight)
        return weight

    def check_cells(self, weight: str | float) -> float | None:
        """Return the share of sample uniques, None of a whole population; an error where weights cannot be used."""
        named = {"small_weights": self.small_weights}
        found = self.row("sdc__check_cells", self.table, self.keys, weight, self.nulls, **named)
        rate: float | None = None if found["whole"] else found["uniques_rate"]
        return rate

    @property
    def counting(self) -> dict[str, Value]:
        """Return how NULL in a key and small weights count, as the measures of individual risk take it."""
        return {"nulls": self.nulls, "small_weights": self.small_weights}

    def masked(self, masking: Masking, *, into: str | None = None, subset: Subset | None = None) -> MaskingStep:
        """Mask columns by a macro: see :func:`sdc_sql.db.masking.apply.apply_mask`."""
        return apply_mask(self, masking, into=into, subset=subset)
