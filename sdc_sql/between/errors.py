"""What goes wrong between parties: a message that cannot be taken, and what a party refuses to answer."""

from __future__ import annotations

from sdc_sql.errors import InputError, SdcError


class ExchangeError(SdcError):
    """A message is missing, late, altered, of another run, or of nobody who agreed."""


class OtherAgreementError(ExchangeError):
    """A message is of another agreement: it may lie there from an earlier one, until its sender begins this one."""


class RefusedError(InputError):
    """What was agreed would tell too much of a few of one's own records: nothing was sent."""
