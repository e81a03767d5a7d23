"""What the columns of a table may be, guessed from their names, types and numbers of values; a person decides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.release.proposing import facts

if TYPE_CHECKING:
    import duckdb

    from sdc_sql.release.proposing.facts import Facts

_BEGIN, _END = r"(^|_|\b)", r"(_|\d|\b|$)"
VISIBLE = re.compile(
    _BEGIN + r"(age|sex|gender|region|province|state|county|district|municipality|city|urban|nuts\d?|marital|married|"
    r"civil_status|education|educ|isced|school|occupation|job|isco|nationality|citizenship|citizen|country|birth_?place|"
    r"race|ethnic\w*|religion|language|industry|sector|nace|size|employees|child\w*|disab\w*|alter|geschlecht|land|beruf|"
    r"bildung|geslacht|leeftijd|regio|edad|sexo|eta|sesso|sexe|wiek|plec|leto|spol)" + _END
)
WEIGHT = re.compile(
    _BEGIN
    + r"((final|survey|sampling|sample|design|person|household|expansion|grossing|calibrated?)_?(weights?|wgt|wt)|"
    r"\w?fnlwgt|perwt|hhwt|pweight|pwgt\w*|hochrechnungsfaktor)" + _END
)
WEIGHT_MAYBE = re.compile(_BEGIN + r"(weights?|wgt|wt|w|pond\w*|gewicht|weging|peso|factor|fexp)" + _END)
_HOUSE = r"(household|hh|hhold|haushalts?|menage|hogar|huishouden|familia?|famille|family|dwelling)s?"
HOUSEHOLD = re.compile(
    rf"^{_HOUSE}$|{_BEGIN}{_HOUSE}_?(id|no|nr|num|number|nummer|code|key)(_|\d|$)"  # it matches ori_hid and HHID_2020
    rf"|{_BEGIN}(hhid|hid|hhno|hhnr|hhnum|idhog|serial|[dh]b030|[rp]x030)(_|\d|$)"
)
MEMBER = re.compile(
    _BEGIN + r"(pid|pno|pnr|pernum|lineno|(person|member|line|indiv\w*|resident|persoon)_?(id|no|nr|num|number))(_|$)"
)  # it matches the number of a person in the household
ID = re.compile(_BEGIN + r"(id|pid|person|respondent|record|case|row|serial|nr|no|number|key|uid|ident)" + _END)
_NUMERIC = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?(INT|INTEGER)|DOUBLE|FLOAT|DECIMAL.*)$")
_PLAIN = re.compile(r"^(VARCHAR|BOOLEAN|DATE|TIMESTAMP.*|ENUM.*)$")
FEW, MANY = (
    30,
    130,
)  # categories of a candidate key: of any column, of one whose name is that of a visible characteristic


@dataclass(frozen=True)
class Column:
    """A column with what is known of it; ``decimal``: its numbers, or the numbers in its texts, are not all whole."""

    name: str
    type: str
    facts: Facts
    decimal: bool
    runs_on: bool  # the column holds whole numbers with few gaps: they count the records

    @property
    def values(self) -> int:
        """Return how many different values it has."""
        return self.facts.values

    @property
    def unique(self) -> bool:
        """Return whether each record has a value of its own."""
        return self.facts.alone == self.facts.records

    @property
    def numeric(self) -> bool:
        """Return whether it is a number, or texts that are numbers; codes of an industry (25.11) are none."""
        return bool(_NUMERIC.match(self.type)) or (self.facts.numbers and not self.has_word(VISIBLE))

    @property
    def plain(self) -> bool:
        """Return whether it is a number, a text, a truth value or a date."""
        return bool(_NUMERIC.match(self.type) or _PLAIN.match(self.type))

    def has_word(self, words: re.Pattern[str]) -> bool:
        """Return whether its name holds one of the words: hhSize and HH-SIZE as hh_size."""
        parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name)
        return bool(words.search(re.sub(r"[\W]+", "_", parted).lower()))


def read_columns(con: duckdb.DuckDBPyConnection, table: str, types: dict[str, str]) -> tuple[int, list[Column]]:
    """Return the number of records and the columns."""
    rows = query.call_macro("query_table", table)
    known = facts.find_row_facts(con, rows, types)
    counted = [its for its in known if _NUMERIC.match(its.type) or its.numbers]
    figures: list[exp.Expression] = [exp.Count(this=exp.Star())]
    for its in counted:
        number = cast_to_number(its.name)
        whole = exp.EQ(this=number, expression=exp.Anonymous(this="floor", expressions=[number.copy()]))
        extent = exp.Sub(this=exp.Max(this=number.copy()), expression=exp.Min(this=number.copy()))
        figures += [exp.Anonymous(this="bool_and", expressions=[whole]), extent]
    (found,) = execute(con, exp.select(*figures).from_(rows.subquery("r"))).fetchall()
    records = int(found[0])
    each = {its.name: found[1 + 2 * i : 3 + 2 * i] for i, its in enumerate(counted)}
    columns = []
    for its in known:
        whole, extent = each.get(its.name, (None, None))
        runs_on = whole is True and extent is not None and extent < 4 * records
        columns.append(Column(its.name, its.type, its, whole is False, runs_on))
    return records, columns


def cast_to_number(name: str) -> exp.Expression:
    """Return a column as a number, also where it holds texts with a point or a comma."""
    text = exp.cast(exp.column(name, quoted=True), "VARCHAR")
    point = exp.Anonymous(this="replace", expressions=[text, exp.Literal.string(","), exp.Literal.string(".")])
    return exp.TryCast(this=point, to=exp.DataType.build("DOUBLE"))
