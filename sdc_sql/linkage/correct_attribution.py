# Written from sql/linkage/correct_attribution.sql by python -m sdc_sql.write: change that file.
"""How probably a sensitive value that an intruder reads from the released file, by the keys, is the true one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sdc_sql.compared import original_table, resolve_columns_or_keys
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.showing.results import Result, Results

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb

    from sdc_sql.compared import Described
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class CorrectAttribution(Result):
    """Of a target, probabilities of a right attribution, over the original's records; WEAP and TCAP of released ones.

    None where no record is matched (``cap_matched``) or targeted (``tcap``, ``tcap_original``).
    """

    target: str
    records: int
    in_released: float
    target_in_released: float
    baseline: float
    cap_original: float
    cap: float
    cap_matched: float | None
    weap: float
    targeted: int
    targeted_matched: int
    tcap: float | None
    tcap_original: float | None


def correct_attribution(
    data: Roles,
    original: Described | str,
    targets: str | Iterable[str],
    *,
    tau: float = 1,
    nulls: Literal["higher", "category", "wildcard"] = "higher",
) -> Results[CorrectAttribution]:
    """Return how probably a sensitive value that an intruder reads from the released file is the true one.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    targets
        The sensitive variables, each by itself; NULL in them is a value of its own.
    tau
        The least WEAP of a record that the intruder would go by, above 0 and at most 1.
    nulls
        NULL in a released key is a value of its own ('category'), or agrees with every value ('wildcard'); of each
        figure the higher of both ('higher').

    Returns
    -------
    Results of CorrectAttribution
        One for each target.

    Raises
    ------
    ParameterError
        Where ``tau`` is out of its range.
    TableError
        Where no value of a key or a target occurs in both tables: they were not coded alike.

    Notes
    -----
    The records need not be the original's: files of synthetic records are compared too. What was recoded must be
    recoded alike in the original first; ``in_released`` is the share of its records whose keys the released file has.

    Elliot (2014), Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team,
    CMIST 2015-2; Taub, Elliot, Pampaka & Smith (2018), Differential correct attribution probability for synthetic data,
    PSD 2018, LNCS 11126, 122-137; Taub & Elliot (2019), The synthetic data challenge, UNECE work session on statistical
    data confidentiality. These were not at hand: the formulas are as later texts quote them (Raab, Nowok & Dibben 2024,
    arXiv:2406.16826, appendix; Little's program to PSD 2022 for tcap_original and baseline).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'low'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'high'), (52, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'high'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'low'), (67, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", keys=["age", "sex"])
    >>> print(released.linkage.correct_attribution("original", ["income"])[0])
    CorrectAttribution
      target              income
      records             5
      in released         0.8
      target in released  1
      baseline            0.52
      cap original        0.8
      cap                 0.4
      cap matched         0.5
      weap                0.8
      targeted            3
      targeted matched    2
      tcap                0.5
      tcap original       0.5
    """
    rows = data.rows(
        "sdc_correct_attribution",
        original_table(data, original),
        data.table,
        data.keys,
        resolve_columns_or_keys(data, targets, "target"),
        tau=require_number("correct_attribution", "tau", tau),
        nulls=require_choice("correct_attribution", "nulls", nulls),
    )
    return Results(CorrectAttribution(**row) for row in rows)


def correct_attribution_records(
    data: Roles, original: Described | str, target: str, nulls: Literal["higher", "category", "wildcard"] = "higher"
) -> duckdb.DuckDBPyRelation:
    """Return every record of the original, and how probably the released file attributes its true value to it.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    target
        The sensitive variable.
    nulls
        NULL in a released key is a value of its own ('category'), or agrees with every value ('wildcard'); of each
        figure the higher of both ('higher').

    Returns
    -------
    duckdb.DuckDBPyRelation
        The original's columns, ``matches`` (the released records with its keys) and ``cap`` (NULL where there is none).

    Notes
    -----
    Elliot (2014), Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team,
    CMIST 2015-2; Taub, Elliot, Pampaka & Smith (2018), Differential correct attribution probability for synthetic data,
    PSD 2018, LNCS 11126, 122-137; Taub & Elliot (2019), The synthetic data challenge, UNECE work session on statistical
    data confidentiality. These were not at hand: the formulas are as later texts quote them (Raab, Nowok & Dibben 2024,
    arXiv:2406.16826, appendix; Little's program to PSD 2022 for tcap_original and baseline).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'low'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'high'), (52, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'high'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'low'), (67, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", keys=["age", "sex"])
    >>> for row in released.linkage.correct_attribution_records("original", "income").order("ALL").fetchall():
    ...     print(row)
    (30, 'f', 'low', 2, 0.5)
    (30, 'f', 'low', 2, 0.5)
    (41, 'm', 'high', 2, 0.0)
    (41, 'm', 'low', 2, 1.0)
    (52, 'f', 'high', 0, None)
    """
    return data.relation(
        "sdc_correct_attribution_records",
        original_table(data, original),
        data.table,
        data.keys,
        data.spell_column("target", target),
        nulls=require_choice("correct_attribution_records", "nulls", nulls),
    )


def targeted_attribution_records(
    data: Roles, original: Described | str, target: str, nulls: Literal["higher", "category", "wildcard"] = "higher"
) -> duckdb.DuckDBPyRelation:
    """Return every released record, how sure an intruder is of its value, and how probably that is the original one.

    Parameters
    ----------
    original
        The table before masking, or from which the synthetic one was made: a Microdata, or its name on this connection.
    target
        The sensitive variable.
    nulls
        NULL in a released key is a value of its own ('category'), or agrees with every value ('wildcard'); of each
        figure the higher of both ('higher').

    Returns
    -------
    duckdb.DuckDBPyRelation
        Every column, ``weap``, ``matches`` (the original's records with its keys), ``tcap`` (NULL where there is none).

    Notes
    -----
    Elliot (2014), Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team,
    CMIST 2015-2; Taub, Elliot, Pampaka & Smith (2018), Differential correct attribution probability for synthetic data,
    PSD 2018, LNCS 11126, 122-137; Taub & Elliot (2019), The synthetic data challenge, UNECE work session on statistical
    data confidentiality. These were not at hand: the formulas are as later texts quote them (Raab, Nowok & Dibben 2024,
    arXiv:2406.16826, appendix; Little's program to PSD 2022 for tcap_original and baseline).

    Examples
    --------
    >>> import duckdb
    >>> import sdc_sql
    >>> con = duckdb.connect()
    >>> _ = con.execute(
    ...     "CREATE TABLE original AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'low'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'high'), (52, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> _ = con.execute(
    ...     "CREATE TABLE released AS FROM (VALUES (30, 'f', 'low'), (30, 'f', 'high'), (41, 'm', 'low'), "
    ...     "(41, 'm', 'low'), (67, 'f', 'high')) AS t(age, sex, income)"
    ... )
    >>> released = sdc_sql.Microdata(con, "released", keys=["age", "sex"])
    >>> for row in released.linkage.targeted_attribution_records("original", "income").order("ALL").fetchall():
    ...     print(row)
    (30, 'f', 'high', 0.5, 2, 0.0)
    (30, 'f', 'low', 0.5, 2, 1.0)
    (41, 'm', 'low', 1.0, 2, 0.5)
    (41, 'm', 'low', 1.0, 2, 0.5)
    (67, 'f', 'high', 1.0, 0, None)
    """
    return data.relation(
        "sdc_targeted_attribution_records",
        original_table(data, original),
        data.table,
        data.keys,
        data.spell_column("target", target),
        nulls=require_choice("targeted_attribution_records", "nulls", nulls),
    )
