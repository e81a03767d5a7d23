"""One step of masking as it is written down: what is read and written, its pass of draws, its row in ``sdc_steps``."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sdc_sql.db.masking import step_table
from sdc_sql.db.masking.identity import digest_columns, mark_table, read_mark
from sdc_sql.db.masking.meanwhile import Meanwhile
from sdc_sql.db.masking.repeated import warn_of_another_release
from sdc_sql.db.masking.serial import refuse_unadmitted
from sdc_sql.db.masking.steps import find_last_step, find_next_pass, is_changed_since, name_chain, refuse_second_draw
from sdc_sql.db.masking.targets import base_table, create_new_table, find_known_table
from sdc_sql.errors import ParameterError
from sdc_sql.version import VERSION

if TYPE_CHECKING:
    from sdc_sql.db.masking.steps import LoggedStep, MaskingStep
    from sdc_sql.db.query import Value
    from sdc_sql.db.table import Table


class Log:
    """What is known before a table is masked: where it goes, the steps so far, which pass of draws is the next.

    Raises
    ------
    InputError
        Where the table cannot be changed, ``into`` is taken, ``sdc_steps`` is a table of the user's own, or version 0.1
        has drawn for these columns already. Nothing is changed then.
    """

    def __init__(self, data: Table, columns: tuple[str, ...], arguments: dict[str, Value], into: str | None) -> None:
        refuse_unadmitted(data)
        self.is_serial = data.series is not None
        self.con, self.read, self.columns = data.con, data.file or data.table, data.columns
        table = find_known_table(data, data.table)
        self.source = None if data.file else table or find_known_table(data, data.table, "view")
        self.stored = None if "rowid" in {c.lower() for c in data.columns} else table
        self.target = base_table(data) if into is None else create_new_table(data, into)
        try:
            step_table.check_step_table(self.con, step_table.name_step_table(self.target))
            self.steps: list[LoggedStep] = []
            if self.source is not None:
                self.steps = name_chain(self.con, self.source, unknown=arguments.get("stream") is not None)
            if "stream" in arguments and not arguments.get("release"):
                self._refuse_second_draw(columns, {c.lower() for c in data.columns})
            if "stream" in arguments and arguments["stream"] is None:
                self._refuse_changed_columns(columns)
        except BaseException:
            if into is not None:  # the table of steps would stay in a transaction of the caller's
                step_table.drop_step_table(self.con, self.target)
            raise
        if "stream" in arguments and arguments["stream"] is None:
            arguments = {**arguments, "stream": find_next_pass(self.steps, columns)}
        self.arguments = arguments
        read = [str(arguments["id"])] if "id" in arguments else []
        self._meanwhile = Meanwhile(self.con, self.target, [*read, *columns]) if into is None else None

    def _refuse_changed_columns(self, columns: tuple[str, ...]) -> None:
        """Refuse to count on where a column is not as its last step left it: it may hold original values again."""
        for column in columns:
            steps = [step for step in self.steps if step.masked([column])]
            if self.source is None or not any(step.drew for step in steps):
                continue
            last, again = find_last_step(self.steps, column) or steps[-1], find_next_pass(self.steps, columns)
            if is_changed_since(self.con, self.source, last, column, self.columns):
                raise ParameterError(
                    f"{column} of {self.read} has changed since step {last.step} ({last.method}) of sdc_steps: name "
                    "the pass of draws. stream='' where the original values have been filled in again (the same draws "
                    f"as at first), stream={again!r} where the masked ones are to be masked once more."
                )

    def _refuse_second_draw(self, columns: tuple[str, ...], every: set[str]) -> None:
        places = [self.target, *([self.source] if self.source is not None else [])]
        names = {place.name.lower() for place in places}
        for place in {step_table.name_step_table(place) for place in places}:
            refuse_second_draw(self.con, place, names, every, columns)

    def write(
        self,
        step: MaskingStep,
        identifier: str,
        kept: dict[str, str],
        confidential: tuple[str, ...],
        *,
        gone: bool = False,
        left: tuple[str, ...] = (),
    ) -> None:
        """Add the step to the table of steps beside the target, after all else. The row never contains the key.

        gone: the columns are. left: columns that earlier steps have masked, and of which records have left.
        """
        steps = step_table.name_step_table(self.target)
        step_table.create_step_table(self.con, steps)
        target_id = mark_table(self.con, self.target)
        digested = () if gone else tuple(dict.fromkeys((*step.columns, *left)))
        digests = digest_columns(self.con, self.target, identifier, digested) if digested else {}
        row: dict[str, Any] = {
            "step": step_table.draw_next_number(self.con, steps),
            "masked_at": datetime.now(UTC).replace(tzinfo=None),
            "version": VERSION,
            "source": self.read if self.source is None else self.source.sql("duckdb"),
            "source_id": None if self.source is None else read_mark(self.con, self.source),
            "source_step": self.steps[-1].step if self.steps else None,
            "target": self.target.name,
            "target_id": target_id,
            "id": identifier,
            "method": step.method,
            "columns": list(step.columns),
            "parameters": json.dumps(step.parameters, default=str),
            "release": step.release,
            "stream": step.stream,
            "digests": json.dumps(digests),
            "confidential": list(confidential),
            **{name: kept.get(name) for name in ("matrix", "counts")},
            "records": step.records,
            "changed": step.changed,
            "sse_sst": step.sse_sst,
        }
        if not self.is_serial:  # a series sees to it that releases agree
            warn_of_another_release(self.con, self.target, target_id, step, digests)
        step_table.insert_step(self.con, steps, row)
        if self._meanwhile is not None:
            self._meanwhile.check()
