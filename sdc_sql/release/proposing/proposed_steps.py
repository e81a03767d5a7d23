"""The first steps that a release file proposes: coarser keys with the risk that each would leave, then suppression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.session import toml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb

    from sdc_sql.release.proposing.guesses import Column
    from sdc_sql.release.reading.plan import Source

COARSE, K = 12, 3


@dataclass(frozen=True)
class ProposedSteps:
    """What the steps are proposed for: the columns of a table by name, its keys, its id and its other numbers."""

    con: duckdb.DuckDBPyConnection
    table: str
    records: int
    columns: Mapping[str, Column]
    keys: Sequence[str]
    id: str | None
    numbers: Sequence[str]

    def lines(self, source: Source) -> list[str]:
        """Return the steps; as comments where there is no id, or too few records for k."""
        asis = {key: exp.column(key, quoted=True) for key in self.keys}
        lines = ["", toml.format_comment(f"The keys as they are: {self._risk(asis)}.")]
        active = "" if self.id is not None and self.records >= 2 * K else "# "
        now: dict[str, exp.Expression] = dict(asis)
        for key in self.keys:
            for fields, coarse in self._recodings(self.columns[key]):
                now[key] = coarse
                lines += ["", toml.format_comment(f"With {toml.format_toml_value(key)} so: {self._risk(now)}.")]
                step = {"mask": "recode", "column": key, **fields}
                lines += [
                    f"{active}[[steps]]",
                    *(active + toml.format_line(name, value) for name, value in step.items()),
                ]
        lines += ["", toml.format_comment(f"Then values of what is still below {K} are suppressed."),
                  f"{active}[[steps]]", f'{active}mask = "local_suppression"', f'{active}scenario = "intruder"',
                  f"{active}k = {K}"]  # fmt: skip
        numbers = [name for name in self.numbers if reads_as_numbers(self.columns[name], source)]
        if numbers:
            lines += ["", "# Numbers can be found in other files too. For example:", "# [[steps]]",
                      '# mask = "microaggregate"', toml.format_comment(toml.format_line("columns", numbers)),
                      "# k = 3"]  # fmt: skip
        return lines

    def _recodings(self, column: Column) -> list[tuple[dict[str, Any], exp.Expression]]:
        """Return how a key of many values is made coarser: intervals of round limits, or the beginnings of codes."""
        value = exp.column(column.name, quoted=True)
        if column.values <= COARSE:
            return []
        if column.numeric:
            return self._intervals(column)
        if column.type.startswith(("DATE", "TIMESTAMP")):
            year = exp.Anonymous(this="year", expressions=[value])
            return [({"period": "year"}, year)]
        if column.type == "VARCHAR" and (kept := self._code(column)):
            return [({"keep_first": kept}, exp.Anonymous(this="left", expressions=[value, exp.Literal.number(kept)]))]
        return []

    def _intervals(self, column: Column) -> list[tuple[dict[str, Any], exp.Expression]]:
        """Return intervals of one round width between the 2 % lowest and the 2 % highest, where there are some."""
        low, high = (self._quantile(column.name, share) for share in (0.02, 0.98))
        width = next((w for w in (1, 2, 5, 10, 20, 50, 100, 1000, 10000) if (high - low) / w <= COARSE), 0)
        breaks = [*range(int(low // width + 1) * width, int(high // width) * width + 1, width)] if width else []
        if len(breaks) < 2:  # noqa: PLR2004 - an interval
            return []
        coarse: exp.Expression = exp.Literal.number(0)
        for limit in breaks:
            above = exp.GTE(this=exp.column(column.name, quoted=True), expression=query.make_text_literal(limit))
            coarse = exp.Add(this=coarse, expression=exp.cast(above, "INTEGER"))
        return [({"breaks": breaks, "ends": "open"}, coarse)]

    def _quantile(self, name: str, share: float) -> float:
        value = exp.cast(exp.column(name, quoted=True), "DOUBLE")
        found = self._figure(exp.Anonymous(this="quantile_disc", expressions=[value, query.make_text_literal(share)]))
        return float(found) if found is not None and abs(found) < 1e9 else 0.0  # noqa: PLR2004 - codes are no amounts

    def _code(self, column: Column) -> int:
        """Return how many characters of a code of digits to keep, 0 where the texts are none."""
        value = exp.column(column.name, quoted=True)
        code = exp.Anonymous(this="regexp_full_match", expressions=[value, exp.Literal.string(r"\d{2,8}")])
        every = self._figure(exp.Anonymous(this="bool_and", expressions=[code]))
        length = self._figure(exp.Min(this=exp.Length(this=value.copy()))) if every else 0
        return int(length) - 1 if every and length == self._figure(exp.Max(this=exp.Length(this=value.copy()))) else 0

    def _risk(self, keys: Mapping[str, exp.Expression]) -> str:
        """Return the records that are alone or nearly on these keys, NULL a value of its own."""
        cells = exp.select(exp.alias_(exp.Count(this=exp.Star()), "sdc__f")).from_(exp.to_table(self.table))
        cells = cells.group_by(*(e.copy() for e in keys.values()))
        f = exp.column("sdc__f")
        sums = [exp.func("sum", exp.If(this=exp.LT(this=f.copy(), expression=exp.Literal.number(k)), true=f.copy(),
                                       false=exp.Literal.number(0))) for k in (2, K)]  # fmt: skip
        ((uniques, below),) = execute(self.con, exp.select(*sums).from_(cells.subquery("c"))).fetchall()
        return f"{uniques:,} sample uniques, {below:,} of {self.records:,} records below {K}"

    def _figure(self, figure: exp.Expression) -> Any:  # noqa: ANN401 - of any type
        rows = exp.select(figure).from_(exp.to_table(self.table))
        return execute(self.con, rows).fetchall()[0][0]


def reads_as_numbers(column: Column, source: Source) -> bool:
    """Return whether a step on numbers reads the column so: texts only of a CSV file, where all are numbers."""
    its = column.facts
    return not its.numbers or (source.kind == "CSV" and not its.commas and not its.strays)
