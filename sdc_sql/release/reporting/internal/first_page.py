"""The first page: what a director signs. It says what was decided, of what, how near the limits are, and what it costs.

Each figure of it stands in the registry or is counted in both tables; how far it may be rounded is said in ``closest``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Gauge, Signatures, Table, Text, make_facts_block
from sdc_sql.release.certifying.released_digest import digest_released_file
from sdc_sql.release.reading.governance import ACCESS
from sdc_sql.release.reporting.internal.closest import format_beside, rank_limits, speak_limit
from sdc_sql.release.reporting.internal.felt import list_felt_losses
from sdc_sql.release.reporting.stages import describe_verdict, list_output_columns

if TYPE_CHECKING:
    from sdc_sql.document.blocks import Block
    from sdc_sql.release.running.outcome import LimitOutcome, Outcome

# so many that fail stand on the page, so many of the tightest, and so many of both; the rest is counted
FAILING, TIGHTEST, BOTH = 5, 8, 9
LONGEST = 160  # what fails is told in so many letters here, and in full in the last section
NOT_GIVEN = "not given"
NAMES = ("", "before", "after", "must be", "on one scale")
DRAWN = ("at most", "at least")  # the picture has the limit itself within it
FAILS, NOT_JUDGED = "DOES NOT HOLD: ", "NOT JUDGED: "


def list_cover_blocks(outcome: Outcome) -> tuple[Block, ...]:
    """Return what stands on the first page."""
    return (
        describe_verdict(outcome),
        make_facts_block("", _list_facts(outcome)),
        *_write_limits(outcome),
        *_write_losses(outcome),
        _write_signatures(outcome),
    )


def _list_facts(outcome: Outcome) -> dict[str, object]:
    plan, given = outcome.plan, outcome.plan.governance
    variables = len(list_output_columns(outcome))
    size = f"{outcome.records_after:,} records of {outcome.records_before:,}, {variables} variables"
    access = given.get("access")
    facts: dict[str, object] = {
        "what is released": f"{plan.output.path.name}{f', version {plan.version}' if plan.version else ''}: {size}",
        "whom it is about": plan.population or NOT_GIVEN,
        "to whom": given.get("safe_people") or NOT_GIVEN,
        "by which access": ACCESS[access] if access else NOT_GIVEN,
        "on which legal basis": given.get("legal_basis") or NOT_GIVEN,
        "when": outcome.date or NOT_GIVEN,
        "by whom": plan.producer or NOT_GIVEN,
    }
    if outcome.accepted:  # the page belongs to this file and to no other
        facts["SHA-256 of what it holds"] = digest_released_file(outcome)["digest"]
    return facts


def _write_limits(outcome: Outcome) -> list[Block]:
    failing = [limit for limit in outcome.limits if not limit.holds]
    ranked = rank_limits(outcome)
    shown = ranked[: min(TIGHTEST, BOTH - min(len(failing), FAILING))]
    rest = len(outcome.limits) - len(failing) - len(shown)
    trusted = sum(limit.holds and not limit.judged for limit in outcome.limits)
    blocks: list[Block] = []
    tightest = "limits that hold" if rest <= 0 or len(shown) == 1 else f"{len(shown)} tightest of the limits that hold"
    broken = "What does not hold" if any(limit.judged for limit in failing) else "What nobody has judged"
    title = f"{broken}, then the {tightest}" if failing and shown else broken if failing else f"The {tightest}"
    if failing or shown:
        rows = tuple(_write_limit(outcome, limit) for limit in (*failing[:FAILING], *shown))
        blocks.append(Table(title, NAMES, rows))
    if not outcome.limits:
        blocks.append(Text("No limit was set: nothing but the steps themselves protects this file."))
    more = [
        f"{count} more {one if count == 1 else several}"
        for count, one, several in (
            (len(failing) - FAILING, "does not hold", "do not hold"),
            (rest - trusted, "holds", "hold"),
            (trusted, "was not measured and rests on a person's word", "were not measured and rest on a person's word"),
        )
        if count > 0
    ]
    if more:
        blocks.append(Text(f"{', '.join(more)}; section 6 has all of them."))
    return blocks


def _write_limit(outcome: Outcome, found: LimitOutcome) -> tuple[object, ...]:
    of = f"{found.limit.scenario}: " if found.limit.scenario else ""
    of = of if found.holds else f"{FAILS if found.judged else NOT_JUDGED}{of}"
    spoken = speak_limit(outcome, found)
    if spoken is None:  # a rule, or several figures in one limit
        figures = "; ".join(f"{name} {format_beside(value, None)}" for name, value in found.figures.items())
        told = f"{found.limit.path}: {found.limit.text}{': ' if found.found else ''}{found.found}"
        return (f"{of}{told if len(told) <= LONGEST else told[: LONGEST - 1] + '…'}", "", figures, "", "")
    before, after = (next(iter(side.values()), None) for side in (found.before, found.figures))
    gauge = Gauge(_number(before), _number(after), spoken.bound, spoken.at_most)
    words = f"{of}{spoken.words}"
    return (
        words, format_beside(before, spoken.bound), format_beside(after, spoken.bound),
        f"{spoken.must} {format_beside(spoken.bound, None)}", gauge if spoken.must in DRAWN else "",
    )  # fmt: skip


def _write_losses(outcome: Outcome) -> list[Block]:
    rows = tuple((loss.words, loss.figure, loss.where) for loss in list_felt_losses(outcome))
    return [Table("What users of the file will feel", ("", "", "most"), rows)]


def _write_signatures(outcome: Outcome) -> Signatures:
    officer = outcome.plan.governance.get("officer")
    return Signatures(("Prepared by", f"Responsible officer{f': {officer}' if officer else ''}"))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
