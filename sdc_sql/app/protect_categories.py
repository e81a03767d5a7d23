"""What each category becomes: a field for each beside the picture of the values, so that merging is typing.

What is typed is the ``mapping`` of the step, which stands in the release file itself: no file beside it is needed. It
lists every category, so that one that comes later is an error, and not left as it was by oversight.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from htmltools import Tag, tags

from sdc_sql.app.protect_forms import TARGET, read_number
from sdc_sql.app.protect_kept import keep_form, read_before, read_form
from sdc_sql.app.show import act, show_problem
from sdc_sql.app.tables import Head, write_row, write_table
from sdc_sql.app.worked import describe_work, find_worked
from sdc_sql.document.blocks import format_readable
from sdc_sql.errors import ParameterError
from sdc_sql.release.judging.measured import list_number_columns
from sdc_sql.release.reading.plan import RELEASED
from sdc_sql.release.reporting.internal.values import count_categories
from sdc_sql.session.toml import format_toml_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.app.desk import Desk
    from sdc_sql.app.jobs import Job

MAPPING = "mapping"
MOST = 50  # fields
PLACE = "protect-becomes"


@dataclass(frozen=True)
class Categories:
    """The records of each category of a column by its text (None: missing), and whether these are numbers.

    ``records`` is None where there are too many categories for fields.
    """

    column: str
    records: dict[str | None, int] | None
    numbers: bool


def read_mapping(form: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the categories become as the form has it: {} where nothing was typed; None: it is of a file.

    Examples
    --------
    >>> read_mapping({"mapping": '{ n = "coast" }'}), read_mapping({}), read_mapping({"mapping": "regions.csv"})
    ({'n': 'coast'}, {}, None)
    """
    text = str(form.get(MAPPING) or "").strip()
    if not text:
        return {}
    if not text.startswith("{"):
        return None
    try:
        found: dict[str, Any] = tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    return found


def change_mapping(mapping: Mapping[str, Any], found: Categories, value: str, becomes: str) -> dict[str, Any]:
    """Return a mapping of every category in which one becomes something else; emptied, it is itself again.

    A column of numbers goes on to be one, where all that its categories become are numbers.

    Raises
    ------
    ParameterError
        Where there is no such category.

    Examples
    --------
    >>> change_mapping({}, Categories("f", {"n": 3, "s": 2, None: 1}, False), "s", " coast ")
    {'n': 'n', 's': 'coast'}
    >>> change_mapping({"1": 1, "2": 2}, Categories("f", {"1": 3, "2": 2}, True), "2", "1")
    {'1': 1, '2': 1}
    """
    known = [one for one in found.records or () if one is not None]
    if value not in known:
        raise ParameterError("There is no such category any more: choose the column again.")
    texts = {**{one: one for one in known}, **{name: str(to) for name, to in mapping.items()}}
    texts[value] = becomes.strip() or value
    read = {name: read_number(to) for name, to in texts.items()} if found.numbers else {}
    whole = read and all(isinstance(one, int) for one in read.values())
    if not read or None in read.values():
        return dict(texts)
    return dict(read) if whole else {name: float(one) for name, one in read.items() if one is not None}


def find_categories(desk: Desk, column: str, editing: int) -> Job[Categories]:
    """Return the work that counts the categories of a column, as they are before the step."""
    plan, worked = read_before(desk.state, editing), find_worked(desk.state)

    def run(cursor: Any, tell: Any) -> Categories:  # noqa: ANN401 - of a job
        with worked.open(cursor, plan, tell) as sides:
            tell(column)
            data = sides.describe(RELEASED)
            return Categories(column, count_categories(data, column, MOST), column in list_number_columns(data))

    return desk.find_job("protect_categories", (*describe_work(plan), column), run)


def write_categories(desk: Desk, form: Mapping[str, Any], column: str, found: Categories, file: Tag) -> Tag | None:
    """Return a field for each category, or why there is none; below it the field of a mapping file."""
    if found.column != column:  # what was found before the column was chosen
        return None
    mapping, records = read_mapping(form), found.records
    if records is None:
        said = (
            f"{column} has more than {MOST} different values, too many to be typed here: give a mapping file, or "
            "choose intervals, classes or codes among the methods."
        )
    elif mapping is None:
        said = "What each category becomes is in the file below. Empty its field to type it here."
    else:
        said = (
            "Type the same name beside two categories, and they become one. A field that is emptied has its own name "
            "again. Every category is written to the release file, so that one that is new to a later file is an error."
        )
    return tags.fieldset(
        tags.legend(f"What each category of {format_readable(column)} becomes"),
        tags.p(said, class_="hint"),
        _write_table(column, records, mapping) if records is not None and mapping is not None else None,
        show_problem(desk, PLACE),
        tags.details(
            tags.summary("A mapping file in its place"), tags.div(file, class_="fields one"),
            id="protect-mapping-file", open="" if records is None or mapping is None else None,
        ),
        class_="breaks",
    )  # fmt: skip


_HEADS = (Head("category"), Head("records", number=True), Head("becomes"))


def _write_table(column: str, categories: Mapping[str | None, int], mapping: Mapping[str, Any]) -> Tag:
    rows = []
    for i, (value, records) in enumerate(categories.items()):
        if value is None:
            cells: tuple[object, ...] = (_quiet("missing"), records, _quiet("stays missing"))
        else:
            cells = (_show(value), records, _write_field(i, column, value, str(mapping.get(value, value))))
        rows.append(write_row(cells, _HEADS))
    return write_table(
        "protect-categories", f"What each category of {format_readable(column)} becomes", _HEADS, rows, kind="becomes"
    )


def _quiet(words: str) -> Tag:
    return tags.span(words, class_="quiet")


def _write_field(number: int, column: str, value: str, becomes: str) -> Tag:
    return tags.input(
        act("protect_becomes", column=column, category=value, place=PLACE), type="text", id=f"protect-becomes-{number}",
        value=becomes, autocomplete="off", aria_label=f"{_show(value)} becomes",
        class_="changed" if becomes != value else None,
    )  # fmt: skip


def _show(value: str) -> str:
    return format_readable(value) if value.strip() else f'"{format_readable(value)}"'


def serve_categories(desk: Desk) -> None:
    """Register what is typed beside a category."""

    @desk.on("protect_becomes")
    def _(sent: dict[str, Any]) -> None:
        form = read_form(desk)
        columns, mapping = form.get(TARGET) or [], read_mapping(form)
        if columns != [sent["column"]] or mapping is None:  # the page shows a moment longer what was chosen before
            raise ParameterError("Another column or a mapping file was chosen meanwhile: type it again.")
        found = find_categories(desk, columns[0], desk.read_choice("protect_editing", -1)).result
        if found is None:
            raise ParameterError("Wait until the categories are there.")
        changed = change_mapping(mapping, found, str(sent["category"]), str(sent["value"]))
        keep_form(desk, {**form, MAPPING: format_toml_value(changed)})
