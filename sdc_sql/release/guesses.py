"""What the columns of a table may be, guessed from their names, types and numbers of values; a person decides."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.load import execute

if TYPE_CHECKING:
    import duckdb

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
    r"fnlwgt|perwt|hhwt|pweight|pwgt\w*|hochrechnungsfaktor)" + _END
)
WEIGHT_MAYBE = re.compile(_BEGIN + r"(weights?|wgt|wt|w|pond\w*|gewicht|weging|peso|factor|fexp)" + _END)
HOUSEHOLD = re.compile(
    r"^(household|hh|hhold|haushalt|menage|hogar|huishouden|familia?|family|dwelling)s?_?(id|no|nr|num|number)?$"
    r"|^(hhid|hid)$"
)
ID = re.compile(_BEGIN + r"(id|pid|person|respondent|record|case|row|serial|nr|no|number|key|uid|ident)" + _END)
_NUMERIC = re.compile(r"^(U?(TINY|SMALL|BIG|HUGE)?(INT|INTEGER)|DOUBLE|FLOAT|DECIMAL.*)$")
_PLAIN = re.compile(r"^(VARCHAR|BOOLEAN|DATE|TIMESTAMP.*|ENUM.*)$")
FEW, MANY = (
    30,
    130,
)  # categories of a candidate key: of any column, of one whose name is that of a visible characteristic


@dataclass(frozen=True)
class Column:
    """A column: ``values`` are how many different ones it has, about; ``unique``: each record has its own."""

    name: str
    type: str
    values: int
    unique: bool
    decimal: bool  # numbers that are not all whole

    @property
    def numeric(self) -> bool:
        """Return whether it is a number."""
        return bool(_NUMERIC.match(self.type))

    @property
    def plain(self) -> bool:
        """Return whether it is a number, a text, a truth value or a date."""
        return self.numeric or bool(_PLAIN.match(self.type))

    def named_as(self, words: re.Pattern[str]) -> bool:
        """Return whether its name holds one of the words: hhSize and HH-SIZE as hh_size."""
        parted = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name)
        return bool(words.search(re.sub(r"[\W]+", "_", parted).lower()))


def columns_of(con: duckdb.DuckDBPyConnection, table: str, types: dict[str, str]) -> tuple[int, list[Column]]:
    """Return the number of records and the columns, from one or two passes over the table."""
    rows = query.call("query_table", table).subquery("r")
    figures: list[exp.Expression] = [exp.Count(this=exp.Star())]
    plain = [n for n, kind in types.items() if _NUMERIC.match(kind) or _PLAIN.match(kind)]
    for name in plain:
        column = exp.column(name, quoted=True)
        number = exp.TryCast(this=column.copy(), to=exp.DataType.build("DOUBLE"))
        whole = exp.EQ(this=number, expression=exp.Anonymous(this="floor", expressions=[number.copy()]))
        numeric = bool(_NUMERIC.match(types[name]))
        figures += [
            exp.Anonymous(this="approx_count_distinct", expressions=[column.copy()]),
            exp.Count(this=column.copy()),
            exp.Anonymous(this="bool_and", expressions=[whole]) if numeric else exp.true(),
        ]
    (found,) = execute(con, exp.select(*figures).from_(rows.copy())).fetchall()
    records = int(found[0])
    each = {n: found[1 + 3 * i : 4 + 3 * i] for i, n in enumerate(plain)}
    near = [n for n, (values, there, _) in each.items() if there == records and values >= 0.8 * records]
    unique: set[str] = set()
    if near:
        counts = [exp.Count(this=exp.Distinct(expressions=[exp.column(n, quoted=True)])) for n in near]
        (exact,) = execute(con, exp.select(*counts).from_(rows)).fetchall()
        unique = {n for n, number in zip(near, exact, strict=True) if number == records}
    return records, [
        Column(n, kind, int(each[n][0]) if n in each else 0, n in unique, n in each and each[n][2] is False)
        for n, kind in types.items()
    ]
