"""A release file proposed from the data: roles, a scenario, first steps with the risk that each would leave.

What it cannot know stands in a list, ``to_decide``: nothing is run before somebody has emptied it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute, set_key
from sdc_sql.db.completion import find_household_columns
from sdc_sql.db.files import work
from sdc_sql.errors import TableError
from sdc_sql.microdata import Microdata
from sdc_sql.release.certifying.content import list_types
from sdc_sql.release.proposing import guesses
from sdc_sql.release.proposing.proposed_steps import K, ProposedSteps, reads_as_numbers
from sdc_sql.release.reading import schema
from sdc_sql.release.reading.plan import Source
from sdc_sql.release.running import formats, raw
from sdc_sql.session import toml
from sdc_sql.session.release_file import relate_path, write_new

if TYPE_CHECKING:
    import os

    import duckdb

    from sdc_sql.release.proposing.facts import Facts
    from sdc_sql.release.proposing.guesses import Column

MOST_KEYS = 6
FEW_SMALL = 0.05  # up to this share of weights below 1 the weights are calibrated, not normalised
LEAST_MEMBERS, MOST_MEMBERS = 1.05, 30  # households have between so many records on average
READ_AS_NUMBERS = {
    True: "a step on numbers reads as numbers",
    False: "no step on numbers takes: write a copy of the file with them as numbers",
}
RIGHT = 0.9  # in this share of the households the members are numbered without gaps
NUMBERED = {
    "Stata": "gen long record = _n",
    "SPSS": "COMPUTE record = $CASENUM.",
    "": "COPY (SELECT row_number() OVER () AS record, * FROM 'survey.parquet') TO 'numbered.parquet'",
}
NAME = "sdc_proposed"


def propose_release(
    source: str | os.PathLike[str], path: str | os.PathLike[str] = "release.toml", *, table: str | None = None
) -> Path:
    """Write a release file proposed from the data, which is run once a person has decided what it asks.

    It names direct identifiers (by name, pattern and uniqueness), the id, candidate keys (visible characteristics, few
    categories), and first steps, with the sample uniques that the keys have after each. What is only guessed from a
    name stands as a comment. Every other column, with what is known of it, is in a list, ``to_decide``: while that is
    not empty, or a column is in no role, scenario or step, the file is not run. No value of the data is written.

    Parameters
    ----------
    source
        A Parquet, CSV, Stata or SPSS file, or a DuckDB database.
    path
        The release file, which is not there yet, in a folder that is.
    table
        The table of a database.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    TableError
        Where the source cannot be read, has no records or no column for a key, or there is a file already.

    Examples
    --------
    >>> import sdc_sql, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sdc_sql.example().con.execute(f"COPY persons TO '{folder}/persons.parquet'")
    ...     file = propose_release(f"{folder}/persons.parquet", f"{folder}/release.toml")
    ...     try:
    ...         _ = sdc_sql.read_release(file)
    ...     except sdc_sql.ReleaseFileError as error:
    ...         print(error.problems[0].splitlines()[0])
    to_decide: the file is a proposal, and nothing is run before this list is empty. Decide, and take out:
    """
    file = Path(path).absolute()
    if file.exists() or file.is_symlink():
        raise TableError(f"There is a file {file} already: remove it first, or give another name.")
    if not file.parent.is_dir():
        raise TableError(f"There is no folder {file.parent}.")
    found, types = raw.describe_source(Path(source).absolute(), table)
    if found.kind == "duckdb" and table is None:
        raise TableError(f"{source} is a database: name its table.")
    with work.open_work_database() as con:
        set_key(con)
        raw.read_source(con, found, NAME, types, ())
        records, columns = guesses.read_columns(con, NAME, list_types(con, query.call_macro("query_table", NAME)))
        if not records:
            raise TableError(f"{source} has no records.")
        text = _Proposal(con, records, columns).text(found, file)
    write_new(file, text)
    return file


@dataclass(frozen=True)
class ProposedRole:
    """What a column may be, and why: a field of ``[roles]``, ``keys`` of a scenario, or "" where it is not known."""

    facts: Facts
    role: str
    why: str


def propose_roles(con: duckdb.DuckDBPyConnection, table: str, kind: str = "") -> list[ProposedRole]:
    """Return what each column of a table may be, with the reason, as :func:`propose_release` has it.

    Parameters
    ----------
    con
        The connection.
    table
        The name of the table, which has records.
    kind
        The format that it was read from: of a CSV file steps read texts as numbers.

    Examples
    --------
    >>> import sdc_sql
    >>> for its in propose_roles(sdc_sql.example().con, "persons"):
    ...     print(its.facts.name, "|", its.role, "|", its.why)
    id | id | it has a value of its own in each record
    age | keys | visible to others, with few categories
    sex | keys | visible to others, with few categories
    w | weight | perhaps, by its name: how many persons does a record stand for?
    household | household | by its name; several records have each number
    """
    records, columns = guesses.read_columns(con, table, list_types(con, query.call_macro("query_table", table)))
    found = _Proposal(con, records, columns, table)
    return [ProposedRole(its.facts, *found.describe_role(its, kind)) for its in columns]


class _Proposal:
    """The guesses about one table, and the file that says them."""

    def __init__(self, con: duckdb.DuckDBPyConnection, records: int, columns: list[Column], table: str = NAME) -> None:
        self.con, self.records, self.table = con, records, table
        self.columns = {column.name: column for column in columns}
        self.reasons: dict[str, str] = {}
        self.looks: list[str] = []  # these direct identifiers only look like identifiers
        unique = []
        for why in Microdata(con, table).risk.identifiers():
            if why.evidence == "unique":
                unique.append(why.variable)
            else:
                self.reasons.setdefault(why.variable, f"by its {why.evidence}: {why.reason}")
        for column in columns:
            if column.facts.like_names and column.name not in self.reasons and not column.has_word(guesses.VISIBLE):
                self.looks.append(column.name)
                self.reasons[column.name] = "looks like a name"
        self.id = self._choose_id()
        self.reasons.pop(str(self.id), None)
        for name in unique:
            if name != self.id:
                self.reasons.setdefault(name, "(nearly) every value is another")
        self.household = self._find_column(guesses.HOUSEHOLD, self._is_gathering)
        self.members = [c.name for c in columns if self._numbers_members(c)]
        self.weights = [c.name for c in columns if c.name not in (*self.reasons, self.id) and self._is_weight(c)
                        and (c.has_word(guesses.WEIGHT) or c.has_word(guesses.WEIGHT_MAYBE))]  # fmt: skip
        self.weight = self._find_column(guesses.WEIGHT, lambda c: c.name in self.weights)
        self.weight_maybe = None if self.weight else next(iter(self.weights), None)
        self._choose_keys()

    def _choose_id(self) -> str | None:
        """Return a column that tells every record apart, and nothing else: no amount, though it is unique too."""
        plain = [c for c in self.columns.values() if c.plain]
        if len(plain) < 2:  # noqa: PLR2004 - there would be no key
            return None
        unique = [c for c in plain if c.unique and not c.decimal]
        codes = [c for c in unique if c.has_word(guesses.ID) or self._counts(c)]
        codes.sort(key=lambda c: (c.name in self.reasons, not c.has_word(guesses.ID), not c.numeric))
        return codes[0].name if codes else None

    def _counts(self, column: Column) -> bool:
        """Return whether it has whole numbers that run on, or texts that are no numbers: no amounts and no ages."""
        return (column.runs_on if column.numeric else column.type == "VARCHAR") and not column.has_word(guesses.VISIBLE)

    def _is_gathering(self, column: Column) -> bool:
        """Return whether several records have each of its values, and not too many: the members of a household."""
        if column.decimal or not column.plain or column.unique or not column.values:
            return False
        known = self._fetch_figure(exp.Count(this=exp.column(column.name, quoted=True)))
        return bool(LEAST_MEMBERS <= known / column.values <= MOST_MEMBERS)

    def _numbers_members(self, column: Column) -> bool:
        """Return whether it numbers the members of each household: by its name, or because it does so in nearly all."""
        if column.name in (*self.reasons, self.id, self.household) or not column.plain or column.unique:
            return False
        if column.has_word(guesses.MEMBER) and not column.decimal:
            return True
        if self.household is None or not column.numeric or column.decimal or not 1 < column.values <= guesses.MANY:
            return False
        if column.has_word(guesses.VISIBLE):  # the names of the columns may be the ages of three sisters
            return False
        number, home = guesses.cast_to_number(column.name), exp.column(self.household, quoted=True)
        several = exp.Count(this=exp.Star())
        extent = exp.Sub(this=exp.Max(this=number.copy()), expression=exp.Min(this=number.copy()))
        without_gaps = exp.and_(
            exp.Count(this=exp.Distinct(expressions=[number.copy()])).eq(several.copy()),
            extent.eq(exp.Sub(this=several.copy(), expression=exp.Literal.number(1))),
            exp.LTE(this=exp.Min(this=number.copy()), expression=exp.Literal.number(1)),
        )
        homes = exp.select(exp.alias_(without_gaps, "sdc__right")).from_(_name_table(self.table)).group_by(home)
        homes = homes.having(exp.GT(this=several.copy(), expression=exp.Literal.number(1)))
        right = exp.func("avg", exp.cast(exp.column("sdc__right"), "INTEGER"))
        ((share,),) = execute(self.con, exp.select(right).from_(homes.subquery("h"))).fetchall()
        return bool(share is not None and share >= RIGHT)

    def _find_column(self, words: Any, fits: Any) -> str | None:  # noqa: ANN401 - a pattern, a test of a column
        others = {*self.reasons, self.id}
        return next(
            (c.name for c in self.columns.values() if c.has_word(words) and c.name not in others and fits(c)), None
        )

    def _is_weight(self, column: Column) -> bool:
        right = exp.Anonymous(this="sdc__is_weight", expressions=[guesses.cast_to_number(column.name)])
        return column.numeric and bool(self._fetch_figure(exp.Anonymous(this="bool_and", expressions=[right])))

    def _fetch_figure(self, figure: exp.Expression) -> Any:  # noqa: ANN401 - of any type
        rows = exp.select(figure).from_(_name_table(self.table))
        return execute(self.con, rows).fetchall()[0][0]

    def _choose_keys(self) -> None:
        taken = {*self.reasons, self.id, self.household, *self.members, *self.weights}
        free = [c for c in self.columns.values() if c.plain and c.name not in taken]
        visible = [c for c in free if c.has_word(guesses.VISIBLE) and c.values <= guesses.MANY and not c.decimal]
        few = sorted((c for c in free if c not in visible and 1 < c.values <= guesses.FEW and not c.decimal
                      and not c.unique and not c.facts.like_names), key=lambda c: c.values)  # fmt: skip
        found = [*visible, *few]
        if not found:
            rest = [c for c in self.columns.values() if c.plain and c.name != self.id]
            found = sorted(rest, key=lambda c: (c.name in self.reasons, c.values))[:1]
        if not found:
            raise TableError(
                "No column can be a key: there is none of numbers, texts, truth values or dates but the id."
            )
        self.keys, self.more = [c.name for c in found[:MOST_KEYS]], [c.name for c in found[MOST_KEYS:]]
        for key in self.keys:
            self.reasons.pop(key, None)
        self.numbers = [c.name for c in free if c.numeric and c not in found]

    def describe_role(self, column: Column, kind: str) -> tuple[str, str]:
        """Return what a column may be, and why."""
        name = column.name
        single: dict[str | None, tuple[str, str]] = {
            **{other: ("identifiers", why) for other, why in self.reasons.items()},
            **dict.fromkeys(self.members, ("drop", "it numbers the persons of a household: it tells them apart")),
            self.weight_maybe: ("weight", "perhaps, by its name: how many persons does a record stand for?"),
            self.id: ("id", "it has a value of its own in each record"),
            self.household: ("household", "by its name; several records have each number"),
            self.weight: ("weight", "by its name; its values are positive"),
        }
        if name in single:
            return single[name]
        if name in (*self.keys, *self.more):
            visible = column.has_word(guesses.VISIBLE)
            return "keys", "visible to others, with few categories" if visible else "it has few categories"
        if name in self.numbers:
            hint = self._hint(column, Source(Path(), kind=kind)).removeprefix(", which ").removeprefix("; ")
            return "sensitive", "; ".join(part for part in ("a number that is no key", hint) if part)
        return "", ""

    def text(self, source: Source, file: Path) -> str:
        """Return the release file."""
        table, ending = source.table, source.path.suffix.lower()
        kept = ending if ending == ".csv" or ending in formats.FORMATS else ".parquet"  # the format keeps the labels
        roles = self._roles(source)
        steps = ProposedSteps(self.con, self.table, self.records, self.columns, self.keys, self.id, self.numbers)
        lines = [
            *schema.make_schema_line(file.parent),
            toml.format_comment(f"Proposed from {self.records:,} records by names, types and numbers of values: look."),
            "# Nothing is run before this list is empty. Decide of each column (a key of a scenario, a step that masks",
            "# it, sensitive, not read at all, or released_as_collected), and take its line out.",
            "to_decide = [", *(f"  {toml.format_text(question)}," for question in self._questions(source)), "]",
            "", "[source]", toml.format_line("path" if table is None else "database", relate_path(source.path, file)),
            *([toml.format_line("table", table)] if table is not None else []),
            "", "[roles]", *roles,
            "", "[[scenarios]]", toml.format_comment("What may an intruder know? Each such set of keys is a scenario."),
            toml.format_line("name", "intruder"), toml.format_line("keys", self.keys),
            *([toml.format_comment(f"candidates too, few categories: {toml.format_toml_value(self.more)}")] if
            self.more else []),
            *self._limits(), *steps.lines(source),
            "", "[output]", toml.format_line("path", _find_free_name(file, kept)),
        ]  # fmt: skip
        return "\n".join(lines) + "\n"

    def _questions(self, source: Source) -> list[str]:
        """Return what a person has to decide: the scenario, what was guessed, and each column that is nowhere yet."""
        keys = ", ".join(map(toml.format_toml_value, self.keys))
        found = [f"scenarios: are {keys} what an intruder may know, and the limits right?"]
        guessed = {"id": self.id, "household": self.household, "weight": self.weight}
        said = ", ".join(f"{role} {toml.format_toml_value(name)}" for role, name in guessed.items() if name is not None)
        if said:
            found.append(f"roles: {said}: guessed from names and values. Right?")
        found += [f"{self.columns[name].facts}. It is among the identifiers, which are not read. Right?"
                  for name in self.looks if name in self.reasons]  # fmt: skip
        there = {*self.keys, *self.reasons, self.id, self.household, self.weight}
        left = [column for column in self.columns.values() if column.name not in there]
        return [*found, *(f"{column.facts}{self._hint(column, source)}" for column in left)]

    def _hint(self, column: Column, source: Source) -> str:
        """Return what else a column that is nowhere yet may be."""
        if column.name in self.members:
            return "; numbers the persons of a household: no key, but it tells them apart"
        if column.name in self.weights:
            return "; a weight?"
        if column.facts.numbers:
            return f", which {READ_AS_NUMBERS[reads_as_numbers(column, source)]}"
        if self.household is None and column.has_word(guesses.ID) and self._is_gathering(column):
            return "; several records have each: households?"
        return ""

    def _roles(self, source: Source) -> list[str]:
        lines = []
        if self.id is not None:
            lines.append(toml.format_line("id", self.id, "a value of its own in each record; not released"))
        else:
            lines.append('# id = "..."  # no column tells every record apart, and the steps need one. Number a copy:')
            lines.append(toml.format_comment(NUMBERED.get(source.kind, NUMBERED[""])))
        if self.household:
            lines.append(toml.format_line("household", self.household, "by its name; several records have each number"))
            lines += self._find_household_columns(self.household)
        if self.weight:
            lines.append(toml.format_line("weight", self.weight, "by its name; values are positive"))
            lines += self._small_weights(self.weight)
        elif self.weight_maybe:
            maybe = toml.format_line("weight", self.weight_maybe)
            lines.append(toml.format_comment(f"{maybe}  # perhaps, by its name: how many persons a record stands for?"))
            lines += self._small_weights(self.weight_maybe)
        lines.append("# sampling_fraction = 0.01  # the share of the population that is in the file: theta needs it")
        for name, why in self.reasons.items():
            lines.append(toml.format_comment(f"{toml.format_toml_value(name)} {why}"))
        if self.reasons:
            lines.append(toml.format_line("identifiers", [*self.reasons], "direct identifiers: not read at all"))
        lines += self._find_text_numbers(source)
        if self.numbers:
            lines.append(
                toml.format_comment(f"{toml.format_line('sensitive', self.numbers)}  # numbers that are no keys")
            )
        lines.append("# drop = []                   # columns that are not read")
        lines.append("# released_as_collected = []  # columns in no other role, scenario or step that stay")
        return lines

    def _find_text_numbers(self, source: Source) -> list[str]:
        """Return the numbers that are texts: those that a step reads as numbers, and the others."""
        texts = [column for name in self.numbers if (column := self.columns[name]).facts.numbers]
        ways = {
            how: [c.name for c in texts if reads_as_numbers(c, source) is reads]
            for reads, how in READ_AS_NUMBERS.items()
        }
        return [toml.format_comment(f"numbers that are written as texts, which {how}: {toml.format_toml_value(names)}")
                for how, names in ways.items() if names]  # fmt: skip

    def _find_household_columns(self, household: str) -> list[str]:
        """Return the columns that are the same for all members of a household, with the share where some are not."""
        others = [name for name in self.columns if name not in {*self.reasons, *self.weights, self.id, household}]
        found = find_household_columns(self.con, self.table, household, others)
        near = "".join(f"; {column}" for column in found if column.share < 1)
        said = f"what one member shows, the others have{near}"
        return [toml.format_line("household_columns", [column.name for column in found], said)] if found else []

    def _small_weights(self, weight: str) -> list[str]:
        """Return how weights below 1 count, where there are any; as a comment where there are many."""
        below = guesses.cast_to_number(weight) < 1
        small = self._fetch_figure(exp.Anonymous(this="count_if", expressions=[below]))
        if not small:
            return []
        few = small <= FEW_SMALL * self.records
        asked = "a cell stands for at least its own records" if few else "normalised? They should sum to the population"
        line = toml.format_line("small_weights", "at_least_one", f"{small:,} records weigh less than 1: {asked}")
        return [line if few and weight == self.weight else toml.format_comment(line)]

    def _limits(self) -> list[str]:
        k = min(K, max(2, self.records))
        said = toml.format_comment('NULL in a key is a value of its own; "wildcard": it agrees with every value.')
        return [
            said,
            toml.format_line("nulls", "category"),
            toml.format_line("limits", [f"k_anonymity.{k}.records <= 0"]),
        ]


def _name_table(name: str) -> exp.Table:
    return exp.Table(this=exp.to_identifier(name, quoted=True))


def _find_free_name(file: Path, ending: str) -> str:
    """Return a name for the released file beside the release file that is not taken."""
    name = f"{file.stem}-released"
    while file.with_name(name + ending).exists():
        name += "-new"
    return name + ending
