"""Lambert's intruder: the risk of perceived identification."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sdc_sql.db.catalogue.arguments import require_choice
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.db.showing.results import Result
from sdc_sql.errors import ColumnError, ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class PerceivedRisk(Result):
    """How sure the intruder is: the ``maximum``, ``average`` and ``total`` over persons of their likeliest record.

    ``perceived``: persons with a probability of at least ``tau``; ``linked``: those whom the intruder links with a
    record; ``correct_links``: of these links the right ones, ``rate`` their share of the records; ``best_correct``: the
    right ones where each person is linked; ``matched``: records whose nearest in the external file is their own
    person's, ``matching_rate`` their share. These are None where no id of the released file is in the external one.
    """

    records: int
    population: float
    maximum: float
    average: float
    total: float
    tau: float
    perceived: float
    linked: float
    correct_links: float | None
    rate: float | None
    best_correct: float | None
    matched: float | None
    matching_rate: float | None


def perceived_risk(
    data: Roles,
    external: str,
    columns: str | Iterable[str],
    spread: float | str | Sequence[float | str],
    *,
    density: str | Sequence[str] = "normal",
    stands_for: float | str | None = None,
    method: Literal["exact", "mean_of_others", "with_replacement"] | None = None,
    tau: float = 0.5,
) -> PerceivedRisk:
    """Return the risk of perceived identification of this released table, beside those of true ones and of matching.

    Parameters
    ----------
    external
        The name of the table (view, file) of what the intruder knows: a record for each person of the population.
    columns
        The attributes, numbers, of both tables.
    spread
        How far masking moves a value, in the unit of the column (``"lognormal"``: of its logarithm): a number or a
        column of the external table, one for all or a list with one for each of the columns.
    density
        ``"normal"`` (spread: the standard deviation), ``"lognormal"`` (of the logarithm, around that of the value) or
        ``"uniform"`` (half the width), or a column of the external table that says which; one, or one for each.
    stands_for
        How many persons of the population a record of the external table stands for: a column of it, or a number.
    method
        ``"exact"``, ``"mean_of_others"`` or ``"with_replacement"``; without it exact where there are few records.
    tau
        The probability from which a person counts as perceived.

    Returns
    -------
    PerceivedRisk

    Raises
    ------
    InputError
        Where the external table stands for fewer persons than there are records, or none can have given a record.

    Notes
    -----
    Lambert (1993), sections 3 to 5. The table needs an id; it tells which links are right.

    Examples
    --------
    >>> import sdc_sql
    >>> found = sdc_sql.example().risk.perceived_risk("persons", ["age"], 0.1)
    >>> found.records, found.linked, found.correct_links
    (3, 3.0, 2.0)
    """
    given, by = _list_macro_arguments(data, external, columns, spread), _require_method(method)
    return PerceivedRisk(
        **data.row(
            "sdc_perceived_risk", *given, density=_list_spreads(density), stands_for=stands_for, method=by, tau=tau
        )
    )


def perceived_risk_records(
    data: Roles,
    external: str,
    columns: str | Iterable[str],
    spread: float | str | Sequence[float | str],
    *,
    density: str | Sequence[str] = "normal",
    stands_for: float | str | None = None,
    method: Literal["exact", "mean_of_others", "with_replacement"] | None = None,
) -> duckdb.DuckDBPyRelation:
    """Return for each person of the external table the record that the intruder takes for theirs.

    Parameters
    ----------
    external
        The name of the table (view, file) of what the intruder knows: a record for each person of the population.
    columns
        The attributes, numbers, of both tables.
    spread
        How far masking moves a value (:func:`perceived_risk`): a number or a column of the external table, or a list.
    density
        ``"normal"``, ``"lognormal"`` or ``"uniform"``, or a column of the external table that says which, or a list.
    stands_for
        How many persons of the population a record of the external table stands for: a column of it, or a number.
    method
        ``"exact"``, ``"mean_of_others"`` or ``"with_replacement"``; without it exact where there are few records.

    Returns
    -------
    DuckDBPyRelation
        target and record (ids, as text), probability, not_released (of the null link), linked, and correct.

    Notes
    -----
    Lambert (1993), section 3.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> found = data.risk.perceived_risk_records("persons", ["age"], 0.1)
    >>> found.filter("NOT correct = 1").aggregate("count(*)").fetchall()
    [(2,)]
    """
    given, by = _list_macro_arguments(data, external, columns, spread), _require_method(method)
    return data.relation(
        "sdc_perceived_risk_records", *given, density=_list_spreads(density), stands_for=stands_for, method=by
    )


def intruder_links(
    data: Roles,
    external: str,
    columns: str | Iterable[str],
    spread: float | str | Sequence[float | str],
    *,
    density: str | Sequence[str] = "normal",
    stands_for: float | str | None = None,
    method: Literal["exact", "mean_of_others", "with_replacement"] | None = None,
    least: float = 0,
) -> duckdb.DuckDBPyRelation:
    """Return the probability that a record is a person's, for each pair of a record and a person.

    Parameters
    ----------
    external
        The name of the table (view, file) of what the intruder knows: a record for each person of the population.
    columns
        The attributes, numbers, of both tables.
    spread
        How far masking moves a value (:func:`perceived_risk`): a number or a column of the external table, or a list.
    density
        ``"normal"``, ``"lognormal"`` or ``"uniform"``, or a column of the external table that says which, or a list.
    stands_for
        How many persons of the population a record of the external table stands for: a column of it, or a number.
    method
        ``"exact"``, ``"mean_of_others"`` or ``"with_replacement"``; without it exact where there are few records.
    least
        The least probability of a pair that is listed: of large files, all pairs would be too many.

    Returns
    -------
    DuckDBPyRelation
        target and record (ids, as text), probability.

    Notes
    -----
    Lambert (1993), section 4.

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> data.risk.intruder_links("persons", ["age"], 0.1, least=0.9).aggregate("count(*)").fetchall()
    [(1,)]
    """
    given, by = _list_macro_arguments(data, external, columns, spread), _require_method(method)
    return data.relation(
        "sdc_intruder_links", *given, density=_list_spreads(density), stands_for=stands_for, method=by, least=least
    )


def _require_method(method: str | None) -> str | None:
    """Return how the other records count, where that is said; what is none of the ways is an error."""
    return None if method is None else require_choice("perceived_risk", "method", method)


def _list_spreads(given: Any) -> Any:  # noqa: ANN401 - a value, or one for each column
    """Return a list as one of numbers, or of texts where one of them is the name of a column."""
    if given is None or isinstance(given, str) or is_number(given):
        return given
    if not isinstance(given, list | tuple):
        raise ParameterError(
            f"spread or density is {text_for_message(given)}: give one value, or a list with one for each column."
        )
    return [str(v) for v in given] if any(isinstance(v, str) for v in given) else list(given)


def _list_macro_arguments(data: Roles, external: str, columns: str | Iterable[str], spread: Any) -> list[Any]:  # noqa: ANN401 - as _listed
    if not isinstance(external, str) or not external:
        raise TableError(f"external is {text_for_message(external)}: it must be the name of a table, view or file.")
    names = [columns] if isinstance(columns, str) else list(columns) if isinstance(columns, Iterable) else []
    if not names:
        raise ColumnError(
            f"columns is {text_for_message(columns)}: it must be a list of column names, as in ['age', 'income']."
        )
    found = [data.spell_column("attribute", name) for name in names]
    return [data.read_table(external, names), data.table, found, data.require_role("id"), _list_spreads(spread)]
