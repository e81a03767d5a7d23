"""The records of the file, a hundred to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from htmltools import Tag, TagList

from sdc_sql.app.show import show_job
from sdc_sql.app.tables import ROWS, Head, write_pager, write_row, write_table, write_value
from sdc_sql.document.blocks import format_readable
from sdc_sql.release.running import formats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.app.desk import Desk


def serve(desk: Desk) -> None:
    """Register the table of the records."""
    state = desk.state
    labels = formats.labels(state.source.path, {*state.columns}, {*state.columns})[1]

    @desk.part("look_records")
    def _() -> Tag | TagList:
        page = desk.read_choice("look_page", 0)
        job = desk.find_job(
            "look_records", page, lambda cursor, _: cursor.table(state.table).limit(ROWS, page * ROWS).fetchall()
        )
        pager = write_pager("look_page", page, state.records, "records")
        return TagList(pager, show_job(job, lambda rows: _write_records(desk, rows, page, labels), what="Records"))

    @desk.on("look_page")
    def _(sent: dict[str, Any]) -> None:
        desk.choose("look_page", max(0, min(int(sent["page"]), (state.records - 1) // ROWS)))


def _write_records(
    desk: Desk, rows: Sequence[Sequence[object]], page: int, labels: Mapping[str, Mapping[Any, str]]
) -> Tag:
    state = desk.state
    numbers = [any(word in kind for word in ("INT", "DOUBLE", "FLOAT", "DECIMAL")) for kind in state.columns.values()]
    heads = [
        Head("record", number=True),
        *(Head(format_readable(name), number=number) for name, number in zip(state.columns, numbers, strict=True)),
    ]
    written = []
    for i, row in enumerate(rows):
        values = [
            _label_value(labels[name], value) if name in labels else write_value(value)
            for name, value in zip(state.columns, row, strict=True)
        ]
        written.append(write_row([page * ROWS + i + 1, *values], heads))
    return write_table("look-records", f"Records of {state.name}", heads, written, kind="records")


def _label_value(labels: Mapping[Any, str], value: object) -> Tag | str:
    label = labels.get(value) if value is not None else None
    return f"{format_readable(value)} {format_readable(label)}" if label is not None else write_value(value)
