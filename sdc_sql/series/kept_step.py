"""A step of which the ledger keeps what was released of each value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import translate_errors
from sdc_sql.series.joined_groups import collect_groups, join_groups
from sdc_sql.series.kept_values import OWN, Place, collect_new, look_up, select_texts
from sdc_sql.series.ledger import VALUES

if TYPE_CHECKING:
    from sqlglot import exp

    from sdc_sql.db.masking.masking import Masking
    from sdc_sql.series.kept_values import Known
    from sdc_sql.series.ledger import Ledger


class KeptStep:
    """One step in one release: what the ledger knows of its values, and what is new for it."""

    def __init__(  # noqa: PLR0917 - what a step is
        self,
        ledger: Ledger,
        data: Any,  # noqa: ANN401 - a described table
        masking: Masking,
        series: str,
        step: int,
        number: int,
    ) -> None:
        self._ledger, self._step, self._number = ledger, step, number
        in_order = tuple(c for c in data.read_columns() if c in masking.columns)
        stratum = masking.arguments.get("stratum")
        self._place = Place(
            data.con, data.table, str(masking.arguments["id"]), in_order, stratum if isinstance(stratum, str) else None,
            series, step,
        )  # fmt: skip
        self._alone = masking.arguments.get("method") == "individual_ranking" or len(in_order) == 1
        self._known: Known | None = None
        self.new: pa.Table = VALUES.empty_table()
        self.fixed: dict[str, pa.Table] = {}

    def select(self, selected: exp.Select) -> exp.Select:
        """Return the query of the masked values: the method's own in the first release, what is kept in a later one."""
        groups = self._ledger.fixed.get(f"groups {self._step}")
        if groups is None:
            return selected
        own = self._place.read_digests()
        self._known = known = look_up(self._ledger, own, self._step, self._place.columns)
        texts = join_groups(own, known, groups, self._place.columns, alone=self._alone)
        for j, column in enumerate(texts):
            own = own.append_column(f"sdc__r{j}", column)
        self.new = collect_new(own, known, self._place.columns, self._step, self._number)
        types = self._ledger.fixed[f"types {self._step}"]["type"].to_pylist()
        return select_texts(self._place, own, texts, types)

    def collect(self, masked: exp.Expression) -> None:
        """Take at first what was released of each value, and the groups; later this is known before it is written."""
        if self._known is None:
            columns = self._place.columns
            own = self._place.read_digests(masked)
            self.new = collect_new(own, None, columns, self._step, self._number)
            described = execute(self._place.con, f"DESCRIBE {masked.sql('duckdb')}").fetchall()
            types = {str(row[0]): str(row[1]) for row in described}
            self.fixed[f"groups {self._step}"] = collect_groups(own, columns)
            self.fixed[f"types {self._step}"] = pa.table({"type": [types[c] for c in columns]})
        with translate_errors():
            self._place.con.execute(f"DROP TABLE IF EXISTS temp.{OWN}")
