"""Local suppression (SDC handbook, 3.4.3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.arguments import require_choice, require_number
from sdc_sql.db.checks import text_for_message
from sdc_sql.db.masking.masked_values import NAME
from sdc_sql.db.masking.masking import Masking
from sdc_sql.db.masking.subset import resolve_subset
from sdc_sql.db.table import Table
from sdc_sql.errors import ParameterError
from sdc_sql.mask.importance import list_importance
from sdc_sql.mask.of_household import resolve_whole_households
from sdc_sql.mask.suppressible import list_followers, list_suppressible, resolve_followers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sdc_sql.db.masking.apply import Maskable
    from sdc_sql.db.masking.steps import MaskingStep
    from sdc_sql.db.masking.subset import Subset
    from sdc_sql.db.query import Value

_PROOFS = {  # each guarantee is proved by its macro
    "identical": "sdc__suppression_proof",
    "strong": "sdc__suppression_proof_strong",
    "wildcard": "sdc__suppression_proof_wildcard",
}


def local_suppression(
    data: Maskable,
    k: int,
    *,
    guarantee: Literal["identical", "strong", "wildcard"] = "identical",
    importance: Mapping[str, float] | Sequence[float] | float | None = None,
    cost: Literal["equal", "entropy"] = "equal",
    max_share: Mapping[str, float] | Sequence[float] | float | None = None,
    keys: Iterable[str] | None = None,
    stratum: str | None = None,
    subset: str | None = None,
    ghosts: Mapping[str, Iterable[str]] | None = None,
    household: str | None = None,
    household_columns: Iterable[str] | None = None,
    unit: Literal["record", "household"] = "record",
    into: str | None = None,
) -> MaskingStep:
    """Suppress values of keys in some records, as few as can be, until no record stands out, in place or in a copy.

    What was done is counted anew from the file before and after, and is an error where the guarantee does not hold.

    Parameters
    ----------
    k
        The least number of records, at least 2.
    guarantee
        ``"identical"``: each released row, NULL a value, is shared by k released records (`k_anonymity` passes).
        ``"strong"``: each released record agrees, on the keys it keeps, with k original records; the fewest
        suppressions, but no help against an intruder who knows who took part. ``"wildcard"``: each released record is
        compatible with k released ones, NULL agreeing with every value (sdcMicro's reading).
    importance
        What a suppressed value costs: a positive number for each key by its name (1 where it is not named), or in the
        order of the keys. sdcMicro's ranks (1: kept first, m: suppressed first) are such costs as ``2 ** (m - rank)``.
    cost
        ``"equal"``, or ``"entropy"``: the importance is multiplied by the entropy of the key, in nats.
    max_share
        At most which share of a key's values (in each stratum) is suppressed: one number from 0 to 1 for all keys, one
        for each in their order, or by name (no limit where it is not named). Found by a heuristic; an error says how
        near it came. The step has its ``suppression_cost`` beside ``least_cost``, which no answer goes below (None for
        ``"wildcard"``).
    keys
        The key variables; by default those of the table.
    stratum
        A column within whose values k records are to be found.
    subset
        The records that are to be safe, and that alone may be changed: a column of truth values, or a condition on
        columns, ``"age >= 15 AND region = 'north'"``. All records are counted; those that are not of the subset as they
        stand, and what is left below k of them the step tells. Where a condition is NULL (the age is missing) the
        record is not of the subset: see ``subset_records`` of the step.
    ghosts
        Columns that follow a key and would tell what was suppressed: of each key a list,
        ``{"region": ["district", "municipality"]}``. They become NULL in the records in which the key is suppressed.
    household
        The column of household numbers; by default that of the table.
    household_columns
        The keys that are of the household: its members lose such a key all or none, and the guarantee is counted on
        the file as its households complete it. By default those of the table: named when it was described, or found
        to be the same for all members (``household_columns=[]``: none); needed with a household that is not the
        table's. What can be counted, as the size of the household, is known while the number stands, and is not
        suppressed. Goes without ``max_share`` and ``subset``.
    unit
        What k counts: ``"record"``, or of ``"identical"`` ``"household"``: k records that look alike can be one family,
        so each released row is then one of members of k households (:func:`household_k_anonymity` passes).
    into
        A new table for the suppressed copy. Without it the table itself is changed; a database file then keeps the old
        values in its bytes: hand over what ``write`` writes.

    Returns
    -------
    MaskingStep
        Its parameters have the ``suppressions`` of each key, and how many records are below k in each reading
        (:func:`suppression_report`): ``below_identical``, ``below_strong``, ``below_wildcard``; of the original
        records ``compatible_below_k`` have fewer than k compatible released ones, ``compatible_with_one`` just one;
        ``certain_matches`` are found by who knows the keys of all (:func:`certain_matches`).

    Raises
    ------
    InputError
        Where there are fewer than k records, in a stratum, or an argument cannot be used.

    Examples
    --------
    >>> import sdc_sql
    >>> step = sdc_sql.example().mask.local_suppression(3, into="released")
    >>> step.changed, step.parameters["suppressions"]
    (3, {'age': 3, 'sex': 3})
    """
    chosen = list_suppressible(data, keys, into)
    following = resolve_followers(data, chosen, ghosts)
    if following:  # they must not be bound either
        list_suppressible(data, list_followers(following), into)
    k = require_number("local_suppression", "k", k)
    part = resolve_subset(data, subset) if subset is not None and isinstance(data, Table) else None
    guarantee = require_choice("local_suppression", "guarantee", guarantee)
    arguments = {
        "columns": chosen, "k": k, "id": data.require_role("id"), "guarantee": guarantee,
        "importance": list_importance(data, chosen, importance), "cost": cost,
        "max_share": _resolve_shares(data, chosen, max_share),
        "stratum": stratum and data.spell_column("stratum", stratum),
        "subset": part.column if part else subset and data.spell_column("subset", subset), "ghosts": following,
        **resolve_whole_households(data, chosen, household, household_columns, counted=unit == "household"),
        "unit": require_choice("local_suppression", "unit", unit),
    }  # fmt: skip
    if unit == "household":
        arguments["household"] = data.spell_column("household", data.require_role("household", household))
        if guarantee != "identical" or max_share is not None or subset is not None:
            raise ParameterError(
                "unit is household: households are counted in released rows that are alike, so it goes with the "
                "guarantee 'identical', and without max_share and subset."
            )
    proof = _select_proof(data, chosen, arguments, part)
    if arguments["max_share"] is not None:
        proof = _add_costs(proof, data, arguments, part)
    return data.masked(
        Masking("local_suppression", (*chosen, *list_followers(following)), arguments, kept={"applied": proof}),
        into=into,
        subset=part,
    )


def _select_proof(
    data: Maskable, keys: tuple[str, ...], arguments: dict[str, Value], part: Subset | None
) -> exp.Select:
    """Return the query that counts anew what was done."""
    k, guarantee = arguments["k"], arguments["guarantee"]
    if arguments["household_columns"]:
        by = (arguments["id"], arguments["household"], arguments["household_columns"])
        proof = query.call_macro(
            "sdc__suppression_proof_by_household", data.table, f"temp.{NAME}", keys, k, guarantee, *by
        )
        return _add_family_proof(proof, data, keys, arguments)
    tables = (data.table if part is None else part.table, f"temp.{NAME}", keys, k)
    if part is not None:
        proof = query.call_macro("sdc__suppression_proof_of_subset", *tables, guarantee, arguments["id"], part.column)
        return part.wrap_query(proof)
    proof = query.call_macro(_PROOFS[str(guarantee)], *tables)
    return _add_family_proof(proof, data, keys, arguments)


def _add_family_proof(
    proof: exp.Select, data: Maskable, keys: tuple[str, ...], arguments: dict[str, Value]
) -> exp.Select:
    """Return the same, which asks for k households too where these are counted."""
    if arguments["unit"] != "household":
        return proof
    by = (arguments["k"], arguments["id"], arguments["household"], arguments["household_columns"] or [])
    households = query.call_macro("sdc__suppression_proof_of_families", data.table, f"temp.{NAME}", keys, *by)
    return exp.select("*").from_(proof.subquery("p")).join(households.subquery("h"), join_type="cross")


def _add_costs(proof: exp.Select, data: Maskable, arguments: dict[str, Value], part: Subset | None) -> exp.Select:
    """Return the same with what was suppressed costs, and what it costs at least."""
    table = data.table if part is None else part.table
    own = [value for name, value in arguments.items() if name not in {"household", "household_columns", "unit"}]
    gap = query.call_macro("sdc__suppression_gap", table, *own)
    both = exp.select("*").from_(proof.subquery("p")).join(gap.subquery("g"), join_type="cross")
    return both if part is None else part.wrap_query(both)


def _resolve_shares(
    data: Maskable, keys: tuple[str, ...], max_share: Mapping[str, float] | Sequence[float] | float | None
) -> list[float | None] | None:
    """Return the greatest share of each key that is suppressed, None where there is no limit."""
    if max_share is None:
        return None
    if isinstance(max_share, Mapping):
        by_name = {data.spell_column("key variable", name): share for name, share in max_share.items()}
        strange = sorted(by_name.keys() - {*keys})
        if strange:
            raise ParameterError(f"max_share names {', '.join(strange)}: give shares of the keys, {', '.join(keys)}.")
        found: list[float | None] = [by_name.get(key) for key in keys]
    else:
        found = [max_share] * len(keys) if isinstance(max_share, (int, float)) else list(max_share)
    right = [s is None or (isinstance(s, (int, float)) and not isinstance(s, bool) and 0 <= s <= 1) for s in found]
    wrong = [key for key, good in zip(keys, right, strict=False) if not good]
    if wrong and isinstance(max_share, Mapping):
        raise ParameterError(
            f"max_share of the key {wrong[0]} is {text_for_message(by_name[wrong[0]])}: it must be a number from 0 to "
            "1, or None "
            "where there is no limit."
        )
    if len(found) != len(keys) or not all(right):
        raise ParameterError(
            f"max_share is {text_for_message(max_share)}: it must be a number from 0 to 1, or one for each key."
        )
    return found
