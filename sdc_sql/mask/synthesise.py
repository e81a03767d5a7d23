"""Synthetic files: columns drawn anew, each given those before it (SDC handbook, sections 3.4.7.2 and 3.4.7.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.arguments import require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.masking.subset import resolve_condition
from sdc_sql.db.table import Table
from sdc_sql.errors import ColumnError, ParameterError
from sdc_sql.mask.at_risk import resolve_records
from sdc_sql.mask.columns import resolve_columns

if TYPE_CHECKING:
    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.query import Value

DEFAULT = "trees"


def synthesise(
    data: Maskable,
    columns: str | Iterable[str],
    *,
    given: str | Iterable[str] | None = None,
    codes: str | Iterable[str] | None = None,
    methods: str | Iterable[str] | Mapping[str, str] = DEFAULT,
    k: int = 5,
    leaf: int = 20,
    gain: float = 6,
    candidates: int | None = None,
    rules: str | Iterable[str] | None = None,
    fitted: str | None = None,
    drawn: str | None = None,
    proper: bool = False,
    household: str | None = None,
    household_columns: str | Iterable[str] | None = None,
    structure: str | Iterable[str] | None = None,
    copy: int = 1,
    stream: str | None = None,
    release: str = "",
    into: str | None = None,
) -> MaskingStep:
    """Draw columns anew, one after the other, each given those before it: a synthetic file, whole or in part.

    A value that fewer than k records have is not released: a number is drawn between its neighbours, a name among the
    others of its leaf. The draws hang on the secret key and on all values. Release it once.

    Parameters
    ----------
    columns
        The columns to draw, in this order, of any type. Where all but the id are named, the file is completely
        synthetic.
    given
        Other columns, which are released as they are, and on which those that are drawn hang.
    codes
        Numeric columns whose numbers are codes: none is drawn between two.
    methods
        How columns are drawn: one for all, one for each, or by column (``"trees"`` for those that are not named).
        ``"trees"``: from the leaf of a tree; ``"table"``: from the cell of the table of the columns before;
        ``"logistic"``, ``"multinomial"``: names and codes by a regression; ``"normal_scores"``: numbers by the rank
        whose normal score a regression draws; ``"predictive_mean"``: from the k records whose predicted means are
        nearest; ``"sample"``: from all records.
    k
        The fewest records of a value that is released as it is: at least 2.
    leaf
        The fewest records of a leaf of a tree, or of a cell of a table.
    gain
        A tree is cut where that gains so many times what a cut by chance does. With 0 any gain will do, and small
        leaves draw records of the source again whole: limit the excess of ``holdout_distance``.
    candidates
        So many are drawn for each record, and one is chosen, so that single columns and pairs are as in the source; by
        default 4 where trees draw a column and the file is not proper, else 1.
    rules
        Conditions on columns that hold for every record of the released table, as in ``"age >= 16 OR income IS NULL"``;
        where one does not, nothing is released.
    fitted
        A column of truth values: the records that models are fitted to.
    drawn
        The records that get new values, those at risk: a column of truth values, a condition on columns, or a figure
        of a measure that gives every record, as in ``"individual_risk.individual_risk > 0.1"``.
    proper
        Whether models are fitted to a bootstrap sample of the records, as copies ask whose estimates are combined
        (``synthetic_estimate``).
    household
        A column that says who lives with whom, which stays: columns of the household are drawn first, then persons in
        the order of their ids, each given the household, its first person and the one before.
    household_columns
        Those of the columns that are the household's, alike for all its members.
    structure
        Those that say of whom a household is made (sex, age): drawn for all its members before any other.
    copy
        The number of the copy; each has draws of its own.
    stream
        Names the pass of draws; by default the next one over the columns, by the table's steps: ``''``, ``'2'``, ...
    release
        Names the release: give another one for draws that are independent of those of any other.
    into
        A new table for the masked copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep

    Raises
    ------
    InputError
        With fewer than 2 k records, a rule that does not hold, a column of names that are mostly those of single
        records, or a method that does not draw a column. Nothing is changed.

    Notes
    -----
    SDC handbook, sections 3.4.7.2 and 3.4.7.6; Reiter (2005), Using CART to generate partially synthetic public use
    microdata, Journal of Official Statistics 21(3), 441-462; Nowok, Raab & Dibben (2016), synthpop, Journal of
    Statistical Software 74(11).

    Examples
    --------
    >>> import sdc_sql
    >>> data = sdc_sql.example()
    >>> made = "CREATE TABLE t AS SELECT range AS id, range % 2 AS b, range % 2 * 10 AS c FROM range(100)"
    >>> _ = data.con.execute(made)
    >>> file = sdc_sql.Microdata(data.con, "t", id="id")
    >>> _ = file.mask.synthesise(["b", "c"], rules="c = 10 * b", into="drawn")
    >>> data.con.sql("SELECT DISTINCT b, c FROM drawn ORDER BY ALL").fetchall()
    [(0, 0), (1, 10)]
    """
    chosen = resolve_columns(data, columns)
    beside = _resolve_any(data, given)
    part = None
    if drawn is not None and isinstance(data, Table):
        part = resolve_records(data, drawn, "drawn")  # type: ignore[arg-type] # a table with roles
    arguments: dict[str, Value] = {
        "columns": chosen, "id": data.require_role("id"), "given": beside, "codes": _resolve_any(data, codes),
        "methods": _list_methods(data, methods, chosen), "k": require_number("synthesise", "k", k),
        "leaf": require_number("synthesise", "leaf", leaf), "gain": require_number("synthesise", "gain", gain),
        "candidates": None if candidates is None else require_number("synthesise", "candidates", candidates),
        "rules": _list_rules(data, rules), "fitted": fitted and data.spell_column("fitted", fitted),
        "drawn": part.column if part else drawn, "proper": proper,
        "household": household and data.spell_column("household", household),
        "household_columns": _resolve_any(data, household_columns), "structure": _resolve_any(data, structure),
        "copy": require_number("synthesise", "copy", copy), "stream": stream, "release": release,
    }  # fmt: skip
    return data.masked(Masking("synthesise", chosen, arguments, logged={"drawn": drawn}), into=into, subset=part)


def _resolve_any(data: Maskable, columns: str | Iterable[str] | None) -> tuple[str, ...] | None:
    named = (columns,) if isinstance(columns, str) else tuple(columns or ())
    return resolve_columns(data, named) if named else None


def _list_methods(
    data: Maskable, methods: str | Iterable[str] | Mapping[str, str], columns: tuple[str, ...]
) -> tuple[str, ...]:
    """Return a method for all columns, or one for each."""
    if isinstance(methods, Mapping):
        named = {data.spell_column("methods", column): method for column, method in methods.items()}
        for column in named:
            if column not in columns:
                raise ColumnError(f"methods names {column}, which is not drawn: name it among the columns.")
        return tuple(named.get(column, DEFAULT) for column in columns)
    if not isinstance(methods, Iterable):
        raise ParameterError(f"methods is {text_for_message(methods)}: give a method, or one for each column.")
    found = (methods,) if isinstance(methods, str) else tuple(methods)
    if len(found) not in {1, len(columns)}:
        raise ParameterError(
            f"methods are {len(found)}, and there are {len(columns)} columns: give one for all, or for each."
        )
    return found


def _list_rules(data: Maskable, rules: str | Iterable[str] | None) -> tuple[str, ...] | None:
    """Return conditions as SQL, each read as a condition on columns of the table."""
    given = (rules,) if isinstance(rules, str) else tuple(rules or ())
    if isinstance(data, Table):
        given = tuple(resolve_condition(data, rule, "rules").sql("duckdb") for rule in given)
    return given or None
