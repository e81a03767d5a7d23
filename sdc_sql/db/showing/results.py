"""What the measures return: small frozen records, shown as text in a terminal and as HTML in a notebook."""

from __future__ import annotations

import html
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from sdc_sql.errors import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def format_value(value: object) -> str:
    """Return a value for display: six significant digits, thousands separated by commas.

    Examples
    --------
    >>> format_value(1234567), format_value(0.0123456789), format_value(None), format_value("north")
    ('1,234,567', '0.0123457', 'NULL', 'north')
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def html_table(caption: str, names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as an HTML table: numbers to the right, everything escaped.

    Examples
    --------
    >>> "<tr><td style='text-align:left'>&lt;b&gt;</td></tr>" in html_table("", ["a"], [["<b>"]])
    True
    """
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(_write_cell(value) for value in row)}</tr>" for row in rows)
    above = html_caption(caption) if caption else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def html_caption(text: str) -> str:
    """Return the caption of a table; it keeps to one line, which a narrow table would break at every word."""
    return f"<caption style='white-space:nowrap;text-align:left'>{html.escape(text)}</caption>"


def html_fields(title: str, found: Mapping[str, object]) -> str:
    """Return a title and a line for each field as an HTML table; an underscore in a name is a blank."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{html.escape(name.replace('_', ' '))}</th>"
        f"<td style='text-align:right'>{html.escape(format_value(value))}</td></tr>"
        for name, value in found.items()
    )
    return f"<table>{html_caption(title)}{rows}</table>"


def _write_cell(value: object) -> str:
    side = "right" if _is_number(value) and value is not None else "left"
    return f"<td style='text-align:{side}'>{html.escape(format_value(value))}</td>"


def _is_number(value: object) -> bool:
    """Return whether a value is a number, or there is none."""
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _package(name: str, method: str) -> Any:  # noqa: ANN401 - a module
    """Return an optional package; an error that says how to install it where it is missing."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingPackageError(
            f"{method} needs the package {name}, which is not installed: pip install {name}."
        ) from error


def _convert_fields(result: Result) -> dict[str, Any]:
    """Return the fields as a data frame takes them: tuples as lists, dictionaries as text."""
    return {
        n: list(v) if isinstance(v, tuple) else str(v) if isinstance(v, dict) else v
        for n, v in result.to_dict().items()
    }


def make_optional_field() -> Any:  # noqa: ANN401 - a field of any type
    """Return a field that is shown only where it has a value: a figure that stands beside the others in some files."""
    return field(default=None, metadata={"beside": True})


@dataclass(frozen=True)
class Result:
    """One row of a measure, one field per column."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return {name: getattr(self, name) for name in self._names()}

    def _names(self) -> list[str]:
        """Return the names of the fields that are shown."""
        return [f.name for f in fields(self) if not (f.metadata.get("beside") and getattr(self, f.name) is None)]

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is no dependency
        """Return a pandas.DataFrame of one row."""
        return Results([self]).to_pandas()

    def to_polars(self) -> Any:  # noqa: ANN401 - polars is no dependency
        """Return a polars.DataFrame of one row."""
        return Results([self]).to_polars()

    def __str__(self) -> str:
        """Return the name of the measure and one line per field."""
        found = {name.replace("_", " "): value for name, value in self.to_dict().items()}
        width = max(len(n) for n in found)
        return "\n".join(
            [type(self).__name__, *(f"  {n:<{width}}  {format_value(value)}" for n, value in found.items())]
        )

    def _repr_html_(self) -> str:
        return html_fields(type(self).__name__, self.to_dict())


Kind = TypeVar("Kind", bound=Result)


class Results(list[Kind]):
    """A list of results of one kind, shown as a table in a notebook and converted to a data frame.

    Examples
    --------
    >>> import sdc_sql
    >>> violations = sdc_sql.example().risk.k_anonymity(3)
    >>> print(violations)
    KViolations
      k  records  cells
      2        1      1
      3        3      2
    >>> violations.to_pandas().shape, violations[0].to_polars().columns
    ((2, 3), ['k', 'records', 'cells'])
    """

    def to_pandas(self) -> Any:  # noqa: ANN401 - pandas is no dependency
        """Return a pandas.DataFrame, one row per result.

        Raises
        ------
        MissingPackageError
            Where pandas is not installed.
        """
        return _package("pandas", "to_pandas").DataFrame([_convert_fields(result) for result in self])

    def to_polars(self) -> Any:  # noqa: ANN401 - polars is no dependency
        """Return a polars.DataFrame, one row per result.

        Raises
        ------
        MissingPackageError
            Where polars is not installed.
        """
        return _package("polars", "to_polars").DataFrame(
            [_convert_fields(result) for result in self], infer_schema_length=None
        )

    def __str__(self) -> str:
        """Return the name of the measure and a table, a line for each result; numbers to the right."""
        if not self:
            return "no results"
        found = [result.to_dict() for result in self]
        lines = [[name.replace("_", " ") for name in found[0]]]
        lines += [[format_value(row.get(name)) for name in found[0]] for row in found]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        right = [all(_is_number(row.get(name)) for row in found) for name in found[0]]
        text = (
            "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True))
            for line in lines
        )
        return "\n".join([type(self[0]).__name__, *(f"  {line}".rstrip() for line in text)])

    def _repr_html_(self) -> str:
        if not self:
            return "<p>no results</p>"
        names = list(self[0].to_dict())
        rows = ([getattr(result, name) for name in names] for result in self)
        return html_table(type(self[0]).__name__, [name.replace("_", " ") for name in names], rows)
