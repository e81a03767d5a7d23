"""The six stages of disclosure control, by which both reports of a release are ordered, and what heads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc_sql.release.outcome import Outcome

# SDC handbook, section 3.2 and table 3.1
NEED = "1. Why confidentiality protection is needed"
DATA = "2. Characteristics and uses of the data"
RISK = "3. Disclosure risk before protection"
CONTROL = "4. Disclosure control methods"
IMPLEMENTATION = "5. Implementation"
RESULT = "6. Disclosure risk and information loss after protection"


def about(outcome: Outcome) -> tuple[str, ...]:
    """Return what is said of a release in the head of either report, as its file says it."""
    plan = outcome.plan
    said = {"Producer": plan.producer, "Version": plan.version}
    return tuple(f"{name}: {value}" for name, value in said.items() if value)


def released_columns(outcome: Outcome) -> tuple[str, ...]:
    """Return the columns of the released file: the id is among them only where the release file keeps or recodes it."""
    id_ = outcome.plan.roles.id if outcome.plan.output.ids == "drop" else None
    return tuple(c for c in outcome.columns_after if id_ is None or c.lower() != id_.lower())
