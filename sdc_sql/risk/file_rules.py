"""The rules of Statistics Netherlands for microdata files (SDC handbook, section 3.7), each with its answer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.checks import require_flag, text_for_message
from sdc_sql.db.showing.results import Result, Results
from sdc_sql.errors import ColumnError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class RuleAnswer(Result):
    """One rule: what was found, and whether it is violated. None: not measured, and so not fulfilled."""

    rule: int
    requirement: str
    found: str
    violated: bool | None


def research_file_rules(
    data: Roles,
    levels: Mapping[str, Sequence[str]] | None = None,
    *,
    inhabitants: str | None = None,
    direct_identifiers: str | Iterable[str] | None = None,
    panel: bool | None = None,
) -> Results[RuleAnswer]:
    """Check the five rules for microdata for researchers.

    Parameters
    ----------
    levels
        The keys' levels of identification, as in :func:`threshold_rule`; the extremely identifying ones are regions.
    inhabitants
        The column with the number of inhabitants of the record's region.
    direct_identifiers
        Names of columns that would identify directly; an empty list states that there are none.
    panel
        Whether the survey is a panel: the persons were interviewed repeatedly.

    Returns
    -------
    Results of RuleAnswer
        The file fulfils the rules only if ``violated`` is False for all; None is a rule that was not measured.

    Notes
    -----
    SDC handbook, section 3.7, "Microdata for researchers".

    Examples
    --------
    >>> import sdc_sql
    >>> answers = sdc_sql.example().risk.research_file_rules({"very": ["sex"], "identifying": ["age"]}, panel=False)
    >>> [(a.rule, a.violated) for a in answers]
    [(1, None), (2, True), (3, None), (4, False), (5, False)]
    """
    rows = data.rows(
        "sdc_research_file_rules",
        data.table,
        data.keys,
        data.weight,
        None if levels is None else data.checked_levels(levels),
        inhabitants=None if inhabitants is None else data.spell_column("column of inhabitants", inhabitants),
        direct_identifiers=_list_or_none(direct_identifiers),
        panel=None if panel is None else require_flag(panel, "panel"),
        **data.counting,
    )
    return Results(RuleAnswer(**row) for row in rows)


def public_use_file_rules(
    data: Roles,
    *,
    household_variables: str | Iterable[str] | None = None,
    indirect_regions: str | Iterable[str] | None = None,
    province: str | None = None,
    municipality: str | None = None,
    withheld: str | Iterable[str] | None = None,
    sensitive: str | Iterable[str] | None = None,
    reference_date: dt.date | None = None,
    release_date: dt.date | None = None,
) -> Results[RuleAnswer]:
    """Check the ten rules for microdata for the general public.

    Parameters
    ----------
    household_variables
        Columns whose combination must be shared by at least five households (with the table's ``household``).
    indirect_regions
        Columns of indirect regional variables (the size class of the place of residence); an empty list: none. They are
        identifying variables, whether or not they are keys as well.
    province
        The column of provinces (it need not be released).
    municipality
        The column of municipalities (it need not be released).
    withheld
        Names of columns that would be direct identifiers, direct regions, nationality, country of birth or
        ethnicity; an empty list states that there are none. A table with the columns ``province`` or
        ``municipality`` violates the rule: release the file without them.
    sensitive
        Names of sensitive columns; an empty list states that there are none.
    reference_date
        The last day to which the data refer.
    release_date
        The day of release; today by default.

    Returns
    -------
    Results of RuleAnswer
        Rule 3 has four parts. None is a rule that was not measured, and so not fulfilled.

    Notes
    -----
    SDC handbook, section 3.7, "Microdata for the general public".

    Examples
    --------
    >>> import sdc_sql
    >>> {a.rule: a.violated for a in sdc_sql.example().risk.public_use_file_rules(sensitive=["income"])}
    {1: None, 2: None, 3: None, 4: False, 5: False, 6: None, 7: True, 8: True, 9: None, 10: None}
    """
    named: dict[str, Any] = {
        "household": data.household,
        "household_variables": _list_or_none(household_variables),
        "indirect_regions": _list_or_none(indirect_regions),
        "province": None if province is None else data.spell_column("column of provinces", province),
        "municipality": None if municipality is None else data.spell_column("column of municipalities", municipality),
        "withheld": _list_or_none(withheld),
        "sensitive": _list_or_none(sensitive),
        "reference_date": _day(reference_date, "reference_date"),
        "release_date": _day(release_date, "release_date"),
        **data.counting,
    }
    rows = data.rows("sdc_public_use_file_rules", data.table, data.keys, data.weight, **named)
    return Results(RuleAnswer(**row) for row in rows)


def _day(given: dt.date | None, name: str) -> str | None:
    if given is not None and not isinstance(given, dt.date):
        raise ParameterError(
            f"{name} is {text_for_message(given)}: it must be a date, as in datetime.date(2024, 12, 31)."
        )
    return None if given is None else given.strftime("%Y-%m-%d")


def _list_or_none(names: str | Iterable[str] | None) -> list[str] | None:
    if names is not None and not isinstance(names, Iterable):
        raise ColumnError(f"{text_for_message(names)} is no list of column names: give one, as in ['name', 'address'].")
    return None if names is None else [names] if isinstance(names, str) else list(names)
