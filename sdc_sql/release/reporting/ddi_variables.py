"""The variables of a released file as elements of a DDI Codebook: name, label, treatment, classes, format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.table import fetch_rows
from sdc_sql.document.blocks import make_label
from sdc_sql.release.judging import measured
from sdc_sql.release.reporting.ddi_elements import add
from sdc_sql.release.reporting.public_facts import Treatment, list_columns_as_collected, treatments
from sdc_sql.release.reporting.stages import list_output_columns
from sdc_sql.release.running import formats

if TYPE_CHECKING:
    from xml.etree import ElementTree as ET

    from sdc_sql.release.running.outcome import Outcome

FILE = "F1"
HELD = 10  # a category of fewer records is not listed
MOST = 60  # a variable with more categories has none of them listed
_WHOLE = ("BIGINT", "HUGEINT", "INTEGER", "SMALLINT", "TINYINT")
_FRACTIONAL = ("DOUBLE", "FLOAT", "DECIMAL")


def treatment_id(i: int) -> str:
    """Return the ID of the account of a step, by the number of the step from 0."""
    return f"M{i + 1}"


def variable_id(i: int) -> str:
    """Return the ID of a released variable, by its number from 0."""
    return f"V{i + 1}"


def add_variables(parent: ET.Element, outcome: Outcome) -> None:
    """Add each released variable, and which categories are listed; an ID is a number, for a name can be anything."""
    columns, types, told = list_output_columns(outcome), _types(outcome), treatments(outcome)
    unchanged = measured.list_remaining_codes(outcome)
    names, values = formats.labels(outcome.plan.source.path, {*columns}, unchanged)
    weight, untouched = _weight(outcome), {*list_columns_as_collected(outcome)}
    listed = False
    for i, column in enumerate(columns):
        own = [(treatment_id(j), t) for j, t in enumerate(told) if column.lower() in {c.lower() for c in t.columns}]
        kind = _name_kind(types[column])
        categories = _categories(outcome, column, kind, [t for _, t in own], values.get(column, {}))
        listed = listed or bool(categories)
        var = add(
            parent, "var", ID=variable_id(i), name=column, files=FILE,
            wgt="wgt" if i == weight else None,
            wgt_var=variable_id(weight) if weight is not None and i != weight else None,
            intrvl="contin" if types[column].startswith(_FRACTIONAL) else "discrete",
            methrefs=" ".join(name for name, _ in own) or None,
            representationType="code" if categories else kind,
        )  # fmt: skip
        if column in names:
            add(var, "labl", names[column], level="variable")
        add(var, "security", _describe_treatment([t for _, t in own], as_it_was=column in untouched))
        for value, text in categories.items():
            category = add(var, "catgry")
            add(category, "catValu", value)
            if text:
                add(category, "labl", text, level="category")
        form = "numeric" if kind == "numeric" else "character"
        add(var, "varFormat", type=form, category=_name_category(types[column]))
    if listed:
        said = f"Categories are listed of coded and recoded variables, where {HELD} records or more hold them."
        add(parent, "notes", said, subject="categories")


def _weight(outcome: Outcome) -> int | None:
    """Return the place of the weight among the released variables."""
    given = outcome.plan.roles.weight
    columns = [c.lower() for c in list_output_columns(outcome)]
    return columns.index(given.lower()) if isinstance(given, str) and given.lower() in columns else None


def _types(outcome: Outcome) -> dict[str, str]:
    relation = outcome.released.con.table(outcome.released.table)
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def _name_kind(of: str) -> str:
    """Return how DDI calls the representation of a type."""
    if of.endswith("]"):
        return "other"
    if of.removeprefix("U").startswith(_WHOLE) or of.startswith(_FRACTIONAL):
        return "numeric"
    if of.startswith(("DATE", "TIME")):
        return "datetime"
    return "text" if of.startswith("VARCHAR") else "other"


def _name_category(of: str) -> str | None:
    """Return what DDI calls the category of a format: a date, a time, or nothing."""
    if of.startswith(("DATE", "TIMESTAMP")):
        return "date"
    return "time" if of.startswith("TIME") else None


def _describe_treatment(treatments_: list[Treatment], *, as_it_was: bool) -> str:
    """Return how a variable was treated, in the words of the public report."""
    if as_it_was:
        return "Released as it was collected."
    if not treatments_:
        return "Recoded: the numbers of the file are not those of the source."
    return "Changed to protect confidentiality: " + " ".join(f"{t.method}: {t.done}" for t in treatments_)


def _categories(
    outcome: Outcome, column: str, kind: str, own: list[Treatment], labels: dict[Any, str]
) -> dict[str, str]:
    """Return the categories to list with their labels: those that enough released records hold.

    A class that a variable was recoded into has no label: it may have the code of another category before.
    """
    coarser = any(t.in_classes for t in own)
    # the labels of missing values have letters for keys in Stata
    keys: Any = {"text": str, "numeric": int | float}.get(kind, ())
    fitting = {v: text for v, text in labels.items() if isinstance(v, keys)}
    if not coarser and not fitting:
        return {}
    value = exp.column(column, quoted=True)
    of = exp.not_(value.is_(exp.null())) if coarser else value.isin(*(query.make_text_literal(v) for v in fitting))
    enough = exp.GTE(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(HELD))
    rows = fetch_rows(
        outcome.released.con,
        exp.select(exp.alias_(value.copy(), "value"))
        .from_(query.call_macro("sdc__rows", outcome.released.table).subquery("r"))
        .where(of)
        .group_by(value.copy())
        .having(enough)
        .order_by(value.copy())
        .limit(MOST + 1),
    )
    if len(rows) > MOST:
        return {}
    return {make_label(row["value"]): "" if coarser else fitting[row["value"]] for row in rows}
