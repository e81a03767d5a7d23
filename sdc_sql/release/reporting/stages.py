"""The six stages of disclosure control, which order the internal report of a release, and what heads both reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc_sql.document.blocks import Verdict
from sdc_sql.release.certifying.released_digest import digest_released_file

if TYPE_CHECKING:
    from sdc_sql.release.running.outcome import Outcome

# The stages are those of the SDC handbook, section 3.2 and table 3.1.
NEED = "1. Why confidentiality protection is needed"
DATA = "2. Characteristics and uses of the data"
RISK = "3. Disclosure risk before protection"
CONTROL = "4. Disclosure control methods"
IMPLEMENTATION = "5. Implementation"
RESULT = "6. Disclosure risk and information loss after protection"


def describe_release(outcome: Outcome) -> tuple[str, ...]:
    """Return what the head of either report says of a release, in the words of its file."""
    plan = outcome.plan
    said = {"Producer": plan.producer, "Version": plan.version, "Date": outcome.date}
    if outcome.accepted:  # the page belongs to this file and to no other
        said["SHA-256 of what the released file holds (sdc-sql verify)"] = digest_released_file(outcome)["digest"]
    return tuple(f"{name}: {value}" for name, value in said.items() if value)


def describe_verdict(outcome: Outcome) -> Verdict:
    """Return whether the file may be released: what does not hold apart from what nobody could judge."""
    trusted = sum(limit.holds and not limit.judged for limit in outcome.limits)
    if outcome.accepted:
        rest = f"; {trusted} of them {'rests' if trusted == 1 else 'rest'} on a person's word" if trusted else ""
        return Verdict("ACCEPTED", f"every limit holds{rest}.", good=True)
    failed = [limit for limit in outcome.limits if not limit.holds]
    kinds = {
        ("does not hold", "do not hold"): sum(limit.judged for limit in failed),
        ("has no figure", "have no figure"): sum(not limit.judged and not limit.found for limit in failed),
        (
            "was not measured, and no person has looked at it",
            "were not measured, and no person has looked at them",
        ): sum(not limit.judged and bool(limit.found) for limit in failed),
    }
    told = "; ".join(f"{count} {one if count == 1 else several}" for (one, several), count in kinds.items() if count)
    return Verdict("REFUSED", f"of {len(outcome.limits)} conditions {told}.", good=False)


def list_output_columns(outcome: Outcome) -> tuple[str, ...]:
    """Return the columns of the released file: without the id or the households that the release file leaves out."""
    output, roles = outcome.plan.output, outcome.plan.roles
    gone = {
        str(c).lower() for how, c in ((output.ids, roles.id), (output.households, roles.household)) if how == "drop"
    }
    return tuple(c for c in outcome.columns_after if c.lower() not in gone)
